//! Where the elements of a matrix lie.
//!
//! In every layout, of tiles as of global memory, the place of an element is a sum of two parts: one that depends on its row,
//! one on its column. Each part is a number in mixed radix whose digits have strides: the position inside a box, the box, and so on.

use pto_isa::{BLayout, GlobalLayout, Order, SLayout};
use pto_vector::{TileRef, ViewRef};

/// The most digits an index has: rows of a global tensor have four.
const DIGITS: usize = 4;

/// `n / by` and what is left: all, where there is nothing to divide by. Sides of boxes are powers of two nearly always, for which the
/// processor need not divide.
#[inline(always)]
pub(super) fn divided(n: usize, by: usize) -> (usize, usize) {
    if by.is_power_of_two() {
        return (n >> by.trailing_zeros(), n & (by - 1));
    }
    n.checked_div(by).map_or((0, n), |over| (over, n - over * by))
}

/// Where the indices of one dimension lie, counted in elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// How many values a digit has, and the distance between two of them; the last digit has no limit.
    digits: [(usize, usize); DIGITS],
    count: usize,
}

impl Axis {
    /// Indices at one distance.
    pub const fn even(stride: usize) -> Self {
        Self { digits: [(usize::MAX, stride); DIGITS], count: 1 }
    }

    /// For boxes with this side: the distance of two indices inside, and of two boxes.
    #[inline(always)]
    fn boxed(side: usize, inside: usize, step: usize) -> Self {
        let joined = side == 1 || side * inside == step;
        let first = if side == 1 { step } else { inside };
        let mut axis = Self::even(first);
        if !joined {
            axis.digits[0].0 = side;
            axis.digits[1] = (usize::MAX, step);
            axis.count = 2;
        }
        axis
    }

    /// From the lowest digit to the highest. Digits that continue where the previous one ends are joined.
    pub fn new(digits: &[(usize, usize)]) -> Self {
        let mut axis = Self { digits: [(usize::MAX, 0); DIGITS], count: 0 };
        for &(extent, stride) in digits.iter().filter(|d| d.0 != 1) {
            match axis.count.checked_sub(1).map(|last| &mut axis.digits[last]) {
                Some(last) if last.0.checked_mul(last.1) == Some(stride) => last.0 = last.0.saturating_mul(extent),
                _ => {
                    axis.digits[axis.count] = (extent, stride);
                    axis.count += 1;
                }
            }
        }
        axis.count = axis.count.max(1);
        axis.digits[axis.count - 1].0 = usize::MAX;
        axis
    }

    /// The place of an index.
    #[inline(always)]
    pub fn at(&self, index: usize) -> usize {
        let (mut rest, mut sum) = (index, 0);
        for &(extent, stride) in &self.digits[..self.count - 1] {
            let (over, inside) = divided(rest, extent);
            sum += inside * stride;
            rest = over;
        }
        sum + rest * self.digits[self.count - 1].1
    }

    /// The same for indices and strides of any size.
    fn at_most(&self, index: usize) -> u128 {
        let mut rest = index;
        let part = |(extent, stride): &(usize, usize)| {
            let digit = rest % extent;
            rest /= extent;
            digit as u128 * *stride as u128
        };
        self.digits[..self.count].iter().map(part).sum()
    }

    /// How many indices from this one on lie at the same distance.
    #[inline(always)]
    pub fn run(&self, index: usize) -> usize {
        let first = self.digits[0].0;
        if self.count == 1 { usize::MAX } else { first - divided(index, first).1 }
    }

    /// That distance.
    #[inline(always)]
    pub fn stride(&self) -> usize {
        self.digits[0].1
    }

    /// With half the distances; `None` where one is odd.
    pub fn halved(mut self) -> Option<Self> {
        for (_, stride) in &mut self.digits[..self.count] {
            *stride = stride.is_multiple_of(2).then_some(*stride / 2)?;
        }
        Some(self)
    }

    /// With twice the distances.
    pub fn doubled(mut self) -> Self {
        self.digits.iter_mut().for_each(|(_, stride)| *stride *= 2);
        self
    }

    /// Every two neighbours as one index, with half the distances; `None` where some are not next to each other.
    pub fn joined(mut self) -> Option<Self> {
        let (extent, stride) = self.digits[0];
        let fits = stride == 1 && (self.count == 1 || extent.is_multiple_of(2));
        self.digits[0] = if self.count == 1 { (extent, 2) } else { (extent / 2, 2) };
        if fits { self.halved() } else { None }
    }

    /// True when indices come in pairs between all seams.
    pub fn has_even_runs(&self) -> bool {
        self.digits[..self.count - 1].iter().all(|(extent, _)| extent.is_multiple_of(2))
    }

    /// Every index as two neighbours, with twice the distances.
    pub fn split(self) -> Self {
        let mut digits = [(2, 1); DIGITS + 1];
        digits[1..].copy_from_slice(&self.doubled().digits);
        Self::new(&digits[..=self.count])
    }

    /// How many values digit `at` has, from the lowest on, and the distance between two of them.
    #[inline(always)]
    pub fn digit(&self, at: usize) -> (usize, usize) {
        self.digits[at.min(self.count - 1)]
    }

    /// True when the indices from this one on lie like those from the first on.
    fn starts_at(&self, index: usize) -> bool {
        let limited = self.digits[..self.count - 1].iter().fold(1usize, |all, d| all.saturating_mul(d.0));
        divided(index, limited).1 == 0
    }

    /// The largest place of the first `count` indices: that of the last one, or of one whose lower digits are all at their end.
    #[inline(always)]
    pub fn last(&self, count: usize) -> u128 {
        if self.count == 1 {
            return count.saturating_sub(1) as u128 * self.stride() as u128;
        }
        self.last_of_digits(count)
    }

    fn last_of_digits(&self, count: usize) -> u128 {
        let (mut unit, mut last) = (1usize, self.at_most(count.saturating_sub(1)));
        for (extent, _) in &self.digits[..self.count - 1] {
            unit = unit.saturating_mul(*extent);
            if count >= unit {
                last = last.max(self.at_most(count / unit * unit - 1));
            }
        }
        last
    }
}

/// Where the elements of a matrix lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct ElementMap {
    /// Element `[0, 0]`.
    pub start: *mut u8,
    /// Rows.
    pub rows: Axis,
    /// Columns.
    pub cols: Axis,
}

impl ElementMap {
    /// Of a tile; `None` where the last boxes are lower than the others, so that rows and columns depend on each other.
    #[inline(always)]
    pub fn of_tile(tile: &TileRef) -> Option<Self> {
        let ty = tile.geometry();
        if !ty.is_boxed() {
            let (rows, cols) = (Axis::even(tile.row_stride()), Axis::even(tile.col_stride()));
            return Some(Self { start: tile.ptr(), rows, cols });
        }
        let (box_rows, box_cols) = (ty.box_shape().0 as usize, ty.box_shape().1 as usize);
        let (all_rows, all_cols) = (ty.rows as usize, ty.cols as usize);
        if divided(all_rows, box_rows).1 != 0 && ty.order() != Order::Nz {
            return None;
        }
        let (down, right) = if ty.slayout == SLayout::RowMajor { (box_cols, 1) } else { (1, box_rows) };
        let (next_below, next_right) = match ty.blayout {
            BLayout::RowMajor => (all_cols * box_rows, box_rows * box_cols),
            BLayout::ColMajor => (box_rows * box_cols, all_rows * box_cols),
        };
        let (rows, cols) = (Axis::boxed(box_rows, down, next_below), Axis::boxed(box_cols, right, next_right));
        Some(Self { start: tile.ptr(), rows, cols })
    }

    /// True when rows and columns come in pairs between all seams.
    pub fn has_even_runs(&self) -> bool {
        self.rows.has_even_runs() && self.cols.has_even_runs()
    }

    /// The transposed matrix.
    pub fn transposed(&self) -> Self {
        Self { start: self.start, rows: self.cols, cols: self.rows }
    }

    /// The part from an element on, if it is a matrix by itself.
    pub fn part(&self, (row, col): (usize, usize), size: usize) -> Option<Self> {
        let start = self.start.wrapping_add((self.rows.at(row) + self.cols.at(col)) * size);
        (self.rows.starts_at(row) && self.cols.starts_at(col)).then_some(Self { start, ..*self })
    }

    /// Of a window of global memory, whose strides are not negative.
    #[inline(always)]
    pub fn of_view(view: &ViewRef) -> Self {
        if !is_matrix(view) {
            return Self::of_dimensions(view);
        }
        let [.., down, right] = view.strides();
        Self { start: view.start(), rows: Axis::even(down as usize), cols: Axis::even(right as usize) }
    }

    #[inline(never)]
    fn of_dimensions(view: &ViewRef) -> Self {
        let extent = |d: usize| usize::try_from(view.shape()[d]).unwrap_or(usize::MAX);
        let stride = |d: usize| view.strides()[d] as usize;
        let digit = |d: usize| (extent(d), stride(d));
        let of = |extent: usize, d: usize| (extent, stride(d));
        let (rows, cols) = match view.layout() {
            GlobalLayout::Nd => (Axis::new(&[digit(3), digit(2), digit(1), digit(0)]), Axis::even(stride(4))),
            GlobalLayout::Dn => (Axis::even(stride(3)), Axis::new(&[digit(4), digit(2), digit(1), digit(0)])),
            GlobalLayout::Nz => (Axis::new(&[digit(3), digit(2)]), Axis::new(&[digit(4), digit(1), digit(0)])),
            GlobalLayout::MxAZz => (Axis::new(&[of(16, 3), digit(1)]), Axis::new(&[of(2, 4), digit(2)])),
            GlobalLayout::MxAnd => (Axis::even(stride(2)), Axis::new(&[of(2, 4), digit(3)])),
            GlobalLayout::MxAdn => (Axis::even(stride(3)), Axis::new(&[of(2, 4), digit(2)])),
            GlobalLayout::MxBnn => (Axis::new(&[of(2, 4), digit(2)]), Axis::new(&[of(16, 3), digit(1)])),
            GlobalLayout::MxBnd => (Axis::new(&[of(2, 4), digit(2)]), Axis::even(stride(3))),
            GlobalLayout::MxBdn => (Axis::new(&[of(2, 4), digit(3)]), Axis::even(stride(2))),
            GlobalLayout::Nc1hwc0 => (Axis::new(&[digit(3), digit(2), digit(0)]), Axis::new(&[digit(4), digit(1)])),
        };
        Self { start: view.start(), rows, cols }
    }
}

/// True for what most windows are: rows and columns, and no other dimensions.
#[inline(always)]
pub(super) fn is_matrix(view: &ViewRef) -> bool {
    view.layout() == GlobalLayout::Nd && view.shape()[..3] == [1; 3]
}

/// A rectangle of one matrix and where it goes in another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CopyRegion {
    pub rows: usize,
    pub cols: usize,
    /// First row and column in the source.
    pub from: (usize, usize),
    /// First row and column in the destination.
    pub to: (usize, usize),
}

/// A part of a region in which both matrices have constant strides.
#[derive(Clone, Copy, Debug)]
pub(super) struct StridedPiece {
    /// Its first element in the source and in the destination, counted from their starts.
    pub src: usize,
    pub dst: usize,
    pub rows: usize,
    pub cols: usize,
    /// Its first column in the region.
    pub col: usize,
}

/// Visits a region in pieces between the seams of both layouts, of at most this many rows and columns.
#[inline(always)]
pub(super) fn pieces(
    from: &ElementMap,
    to: &ElementMap,
    region: CopyRegion,
    most: (usize, usize),
    mut visit: impl FnMut(StridedPiece),
) {
    let mut row = 0;
    while row < region.rows {
        let (sr, dr) = (region.from.0 + row, region.to.0 + row);
        let rows = (region.rows - row).min(from.rows.run(sr)).min(to.rows.run(dr)).min(most.0);
        let (down, down_there) = (from.rows.at(sr), to.rows.at(dr));
        let mut col = 0;
        while col < region.cols {
            let (sc, dc) = (region.from.1 + col, region.to.1 + col);
            let cols = (region.cols - col).min(from.cols.run(sc)).min(to.cols.run(dc)).min(most.1);
            visit(StridedPiece { src: down + from.cols.at(sc), dst: down_there + to.cols.at(dc), rows, cols, col });
            col += cols;
        }
        row += rows;
    }
}

/// True when the memories of two tiles share bytes.
pub(super) fn overlap(a: &TileRef, b: &TileRef) -> bool {
    let bytes = |t: &TileRef| t.geometry().bytes() as usize;
    let (x, y) = (a.ptr() as usize, b.ptr() as usize);
    x < y + bytes(b) && y < x + bytes(a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pto_isa::{DType, Loc, TileType, dot};

    #[test]
    fn axes_of_tiles_are_their_offsets() {
        for blayout in [BLayout::RowMajor, BLayout::ColMajor] {
            for slayout in [SLayout::NoneBox, SLayout::RowMajor, SLayout::ColMajor] {
                for (fractal, dtype) in [(512, DType::I8), (512, DType::F32), (1024, DType::F32), (32, DType::F8E8M0)] {
                    is_its_offsets(&TileType::new(Loc::Mat, dtype, 64, 96).layout(blayout, slayout, fractal));
                    is_its_offsets(&TileType::new(Loc::Mat, dtype, 24, 64).layout(blayout, slayout, fractal));
                }
            }
        }
    }

    fn is_its_offsets(ty: &TileType) {
        let (rows, cols) = (ty.rows as usize, ty.cols as usize);
        let (row_stride, col_stride) = if ty.blayout == BLayout::ColMajor { (1, rows) } else { (cols, 1) };
        // SAFETY: only places are computed, and nothing is touched.
        let tile = unsafe { TileRef::new(std::ptr::null_mut(), ty, (rows, cols), (row_stride, col_stride)) };
        let Some(place) = ElementMap::of_tile(&tile) else {
            return assert!(!ty.rows.is_multiple_of(ty.box_shape().0), "{ty:?}");
        };
        for (r, c) in (0..rows).flat_map(|r| (0..cols).map(move |c| (r, c))) {
            assert_eq!(place.rows.at(r) + place.cols.at(c), tile.index(r, c), "{ty:?} [{r}, {c}]");
        }
    }

    #[test]
    fn axes_of_windows_are_their_layouts() {
        for layout in GlobalLayout::ALL {
            let (shape, strides) = layout.packed(64, 32, DType::F16).expect("it divides");
            // Gaps between the outer dimensions keep digits from being joined.
            for gap in [0, 7] {
                let strides = std::array::from_fn(|d| (strides[d] + if d < 3 { gap } else { 0 }) as i64);
                // SAFETY: only places are computed, and nothing is touched.
                let view = unsafe { ViewRef::new((std::ptr::null_mut(), 0), 0, shape, strides, layout) };
                let place = ElementMap::of_view(&view);
                for (r, c) in (0..64).flat_map(|r| (0..32).map(move |c| (r, c))) {
                    let want = dot(layout.index(r, c, shape), strides.map(|s| s as u64)) as usize;
                    assert_eq!(place.rows.at(r as usize) + place.cols.at(c as usize), want, "{layout:?} [{r}, {c}]");
                }
            }
        }
    }

    #[test]
    fn neighbours_are_joined_and_split() {
        for digits in [vec![(8, 1), (4, 64), (9, 600)], vec![(usize::MAX, 1)], vec![(2, 1), (9, 10)]] {
            let axis = Axis::new(&digits);
            let pairs = axis.joined().expect("neighbours are next to each other");
            let again = pairs.split();
            for at in 0..70 {
                assert_eq!(pairs.at(at / 2), axis.at(at) / 2, "{digits:?} {at}");
                assert_eq!(again.at(at), axis.at(at), "{digits:?} {at}");
            }
        }
        let apart: [&[(usize, usize)]; 3] = [&[(3, 1), (9, 6)], &[(9, 2)], &[(4, 1), (9, 5)]];
        apart.iter().for_each(|digits| assert!(Axis::new(digits).joined().is_none(), "{digits:?}"));
    }

    #[test]
    fn the_last_place_is_the_largest() {
        for digits in [[(3, 5), (4, 1), (9, 40)], [(2, 100), (5, 7), (9, 1)], [(4, 1), (3, 4), (9, 0)]] {
            let axis = Axis::new(&digits);
            for count in 1..60 {
                let want = (0..count).map(|i| axis.at(i)).max();
                assert_eq!(Some(axis.last(count) as usize), want, "{digits:?} {count}");
            }
        }
    }

    #[test]
    fn boxes_that_follow_each_other_are_joined() {
        let ty = TileType::new(Loc::Mat, DType::F16, 64, 64).layout(BLayout::ColMajor, SLayout::RowMajor, 512);
        let ptr = std::ptr::null_mut();
        // SAFETY: only places are computed, and nothing is touched.
        let tile = unsafe { TileRef::new(ptr, &ty, (64, 64), (0, 0)) };
        let place = ElementMap::of_tile(&tile).expect("its boxes are full");
        assert_eq!((place.rows.run(0), place.cols.run(0)), (usize::MAX, 16));
        assert_eq!((place.cols.run(3), place.cols.last(17)), (13, 1024));
    }
}
