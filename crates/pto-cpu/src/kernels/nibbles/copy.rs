//! Copies of matrices of numbers of four bits, by bytes: numbers that share a byte in both matrices stay together, and those that are
//! neighbours in a row of one and in a column of the other are exchanged in squares.

use super::super::blocks;
use super::super::place::{CopyRegion, ElementMap, pieces};
use super::super::transpose::Transposition;
use super::squares::{self, SIDE};
use pto_num::Level;

/// In which direction the two numbers of a byte are neighbours.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Along {
    Rows,
    Cols,
}

/// The matrix of bytes that a matrix of numbers is.
struct ByteMatrix {
    place: ElementMap,
    along: Along,
}

impl ByteMatrix {
    #[inline(always)]
    fn of(numbers: &ElementMap) -> Option<Self> {
        let ElementMap { start, rows, cols } = *numbers;
        if let (Some(rows), Some(cols)) = (rows.halved(), cols.joined()) {
            return Some(Self { place: ElementMap { start, rows, cols }, along: Along::Cols });
        }
        let place = ElementMap { start, rows: rows.joined()?, cols: cols.halved()? };
        Some(Self { place, along: Along::Rows })
    }
}

/// Copies a region; places count numbers. False, and nothing is done, where that takes halves of bytes.
///
/// # Safety
/// Both places must have the region, and must not overlap. The processor must have the level.
#[inline(always)]
pub(super) unsafe fn copy<L: Level>(from: &ElementMap, to: &ElementMap, region: CopyRegion) -> bool {
    // SAFETY: the region lies in both places, which are those of operands of a call; the processor has the instructions
    // of this level.
    unsafe {
        let (Some(a), Some(b)) = (ByteMatrix::of(from), ByteMatrix::of(to)) else { return false };
        let even = |n: [usize; 3]| n.iter().all(|n| n.is_multiple_of(2));
        let even_rows = even([region.rows, region.from.0, region.to.0]);
        let even_cols = even([region.cols, region.from.1, region.to.1]);
        let in_pairs = even_rows && even_cols && from.has_even_runs() && to.has_even_runs();
        match (a.along, b.along) {
            (Along::Cols, Along::Cols) if even_cols => {
                blocks::copy_region::<L>(&a.place, &b.place, half_as_wide(region), 1);
            }
            (Along::Rows, Along::Rows) if even_rows => {
                let region = half_as_wide(transposed(region));
                blocks::copy_region::<L>(&a.place.transposed(), &b.place.transposed(), region, 1);
            }
            (Along::Cols, Along::Rows) if in_pairs => transpose::<L>(from, to, region),
            (Along::Rows, Along::Cols) if in_pairs => {
                transpose::<L>(&from.transposed(), &to.transposed(), transposed(region));
            }
            _ => return false,
        }
        true
    }
}

fn half_as_wide(region: CopyRegion) -> CopyRegion {
    let half = |(row, col): (usize, usize)| (row, col / 2);
    CopyRegion { rows: region.rows, cols: region.cols / 2, from: half(region.from), to: half(region.to) }
}

fn transposed(region: CopyRegion) -> CopyRegion {
    let swapped = |(row, col): (usize, usize)| (col, row);
    CopyRegion { rows: region.cols, cols: region.rows, from: swapped(region.from), to: swapped(region.to) }
}

/// The numbers of a byte are neighbours in a row of the source and in a column of the destination.
///
/// # Safety
/// The region must lie in both places, which are those of operands of a call; the processor must have the instructions of this
/// level.
#[inline(never)]
unsafe fn transpose<L: Level>(from: &ElementMap, to: &ElementMap, region: CopyRegion) {
    // SAFETY: the region lies in both places, which are those of operands of a call; the processor has the instructions
    // of this level.
    unsafe {
        let (from_step, to_step) = (from.rows.stride() / 2, to.cols.stride() / 2);
        pieces(from, to, region, (SIDE, SIDE), |piece| {
            squares::transpose::<L>(&Transposition {
                from: from.start.wrapping_add(piece.src / 2),
                from_step,
                to: to.start.wrapping_add(piece.dst / 2),
                to_step,
                rows: piece.rows,
                cols: piece.cols,
                ..Transposition::ONE
            });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::packed::get;
    use super::super::super::place::Axis;
    use super::super::places;
    use super::*;
    use pto_isa::{BLayout, DType, Loc, SLayout, TileType};
    use pto_num::{CpuLevel, LevelKernel, dispatch_at};
    use pto_vector::TileRef;

    const ROWS: usize = 96;
    const COLS: usize = 128;
    /// Room for windows with gaps, too.
    const BYTES: usize = 1 << 14;

    struct NibbleCopy<'a>(&'a ElementMap, &'a ElementMap, CopyRegion);

    impl LevelKernel for NibbleCopy<'_> {
        type Output = bool;

        #[inline(always)]
        fn run<L: Level>(self) -> bool {
            // SAFETY: both places are 96x128 numbers, which the region lies in, and the processor has the level.
            unsafe { copy::<L>(self.0, self.1, self.2) }
        }
    }

    /// Windows by rows and by columns, boxes of every order, and columns of pairs.
    fn all_places(data: &mut [u8]) -> Vec<ElementMap> {
        let start = data.as_mut_ptr();
        let by_rows = ElementMap { start, rows: Axis::even(COLS), cols: Axis::even(1) };
        let by_cols = ElementMap { start, rows: Axis::even(1), cols: Axis::even(ROWS) };
        let pairs = ElementMap { start, rows: Axis::even(COLS / 2).doubled(), cols: Axis::even(1).split() };
        // Seams after three rows, and after three columns.
        let blocks = Axis::new(&[(3, COLS), (usize::MAX, 3 * COLS + 32)]);
        let odd_rows = ElementMap { start, rows: blocks, cols: Axis::even(1) };
        let mut all = vec![by_rows, by_cols, pairs, odd_rows, odd_rows.transposed()];
        for blayout in [BLayout::RowMajor, BLayout::ColMajor] {
            for slayout in [SLayout::RowMajor, SLayout::ColMajor] {
                let ty = TileType::new(Loc::Mat, DType::F4E2M1, ROWS as u64, COLS as u64).layout(blayout, slayout, 512);
                let (rows, cols) = (ROWS, COLS);
                // SAFETY: only places are computed, and nothing is touched.
                let tile = unsafe { TileRef::new(start, &ty, (rows, cols), (0, 0)) };
                all.push(ElementMap::of_tile(&tile).expect("its boxes are full"));
            }
        }
        all
    }

    #[test]
    fn numbers_are_copied_between_all_layouts() {
        let mut data: Vec<u8> = (0..BYTES).map(|i| (i as u32).wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
        let mut found = data.clone();
        let regions = [
            CopyRegion { rows: ROWS, cols: COLS, from: (0, 0), to: (0, 0) },
            CopyRegion { rows: 34, cols: 70, from: (2, 4), to: (6, 32) },
            CopyRegion { rows: 64, cols: 32, from: (32, 64), to: (0, 32) },
            CopyRegion { rows: 5, cols: 64, from: (1, 0), to: (3, 64) },
            CopyRegion { rows: 32, cols: 3, from: (0, 1), to: (64, 5) },
        ];
        let froms = all_places(&mut data);
        let tos = all_places(&mut found);
        let mut ways = [0; 2];
        for (from, to) in froms.iter().flat_map(|from| tos.iter().map(move |to| (from, to))) {
            for (region, level) in regions.iter().flat_map(|r| CpuLevel::ALL.map(|level| (*r, level))) {
                // SAFETY: as above.
                unsafe { std::ptr::write_bytes(to.start, 0x5a, BYTES) };
                let is_copied = dispatch_at(level, NibbleCopy(from, to, region));
                ways[usize::from(is_copied)] += 1;
                for (r, c) in places(ROWS, COLS).filter(|_| is_copied) {
                    let inside = (region.to.0..region.to.0 + region.rows).contains(&r)
                        && (region.to.1..region.to.1 + region.cols).contains(&c);
                    // SAFETY: as above.
                    let at = |p: &ElementMap, r: usize, c: usize| unsafe { get(p.start, p.rows.at(r) + p.cols.at(c)) };
                    let source = || at(from, r - region.to.0 + region.from.0, c - region.to.1 + region.from.1);
                    let untouched = if (to.rows.at(r) + to.cols.at(c)).is_multiple_of(2) { 0xa } else { 0x5 };
                    let want = if inside { source() } else { untouched };
                    assert_eq!(at(to, r, c), want, "{level:?} {from:?} {to:?} {region:?} [{r}, {c}]");
                }
            }
        }
        // Odd edges of pairs are copied number by number.
        assert!(ways[0] > 0 && ways[1] > ways[0], "{ways:?}");
    }
}
