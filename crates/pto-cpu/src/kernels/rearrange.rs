//! Changes of layout inside a memory: transposition, padding, tiles side by side. Bits are copied.

use super::place::ElementMap;
use super::stream::Cache;
use super::{blocks, packed, padding};
use pto_isa::TileType;
use pto_num::{Baseline, Level};
use pto_vector::{Body, Call, Fault, OpKernel, Prepared, Site, TileRef, WrittenPart};

/// `dst[c,r] = src[r,c]`.
pub(super) const TRANSPOSE: OpKernel = OpKernel::new(&["src", "dst"], |site| prepare::<Transpose, _>(site, "dst", 0))
    .writing(WrittenPart::WhereTransposed);

/// The valid region of `src`, and the pad value of `dst` everywhere else.
pub(super) const FILL: OpKernel = OpKernel::new(&["src", "dst"], |site| {
    let dst = site.tile("dst")?;
    if packed::is_of_numbers(dst) {
        return prepare::<Fill, _>(site, "dst", 0).map(|p| Prepared::of(fill_numbers, p.imm));
    }
    prepare::<Fill, _>(site, "dst", padding::value(dst))
});

/// The rows of `src0`, followed by those of `src1`.
pub(super) const CONCAT: OpKernel =
    OpKernel::new(&["src0", "src1", "dst"], |site| prepare::<Concat, _>(site, "dst", 0)).writing(WrittenPart::Some);

/// As many elements of every row as the index tiles say, in bytes of their own elements.
pub(super) const CONCAT_COUNTED: OpKernel = OpKernel::new(&["src0", "src1", "src0_idx", "src1_idx", "dst"], |site| {
    let counts = site.tile("src0_idx")?.dtype;
    let signed = counts.class() == pto_isa::Class::Signed;
    prepare::<ConcatCounted, _>(site, "dst", u64::from(counts.unit_bytes()) << 1 | u64::from(signed))
})
.writing(WrittenPart::Some);

/// Immediates of a call: the size of an element, the rows and columns of the destination type, and one more word. A window has
/// the geometry of its whole tile, so its own size must come from its type.
fn prepare<B: Body<T>, const T: usize>(site: &Site, dst: &str, word: u64) -> Option<Prepared<T>> {
    let ty: &TileType = site.tile(dst)?;
    let fits = ty.dtype.column_bits() >= 8 && ty.rows < 1 << 28 && ty.cols < 1 << 28;
    let packed = u64::from(ty.dtype.unit_bytes()) << 56 | ty.rows << 28 | ty.cols;
    fits.then(|| Prepared::new::<B>(site, true).with([packed, word]))
}

/// The size of an element, and the rows and columns of the destination.
fn known(imm: [u64; 2]) -> (usize, (usize, usize)) {
    let extent = |shift: u32| (imm[0] >> shift) as usize & ((1 << 28) - 1);
    ((imm[0] >> 56) as usize, (extent(28), extent(0)))
}

/// A tile from an element on.
#[derive(Clone, Copy)]
struct TilePart<'a> {
    tile: &'a TileRef<'a>,
    row: usize,
    col: usize,
}

impl<'a> TilePart<'a> {
    fn whole(tile: &'a TileRef<'a>) -> Self {
        Self { tile, row: 0, col: 0 }
    }

    /// The element map of the part, if it is a matrix by itself.
    fn place(&self, size: usize) -> Option<ElementMap> {
        ElementMap::of_tile(self.tile)?.part((self.row, self.col), size)
    }

    fn element(&self, row: usize, col: usize, size: usize) -> *mut u8 {
        self.tile.ptr().wrapping_add(self.tile.index(self.row + row, self.col + col) * size)
    }
}

/// Copies a rectangle; the two do not overlap.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
unsafe fn copy<L: Level, const PLAIN: bool>(from: TilePart, to: TilePart, (rows, cols): (usize, usize), size: usize) {
    // SAFETY: the processor has the instructions of this level.
    unsafe {
        if let (false, Some(a), Some(b)) = (PLAIN, from.place(size), to.place(size)) {
            blocks::copy::<L>(&a, &b, rows, cols, size, Cache::Ordinary);
            return;
        }
        for row in 0..rows {
            for col in 0..cols {
                std::ptr::copy_nonoverlapping(from.element(row, col, size), to.element(row, col, size), size);
            }
        }
    }
}

/// A body whose two versions differ only in how they copy.
macro_rules! body {
    ($name:ident, $tiles:literal, $run:ident) => {
        struct $name;

        impl Body<$tiles> for $name {
            #[inline(always)]
            unsafe fn fast<L: Level>(call: &Call<$tiles>) -> Result<(), Fault> {
                // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is
                // touched; the processor has the instructions of this level.
                unsafe { $run::<L, false>(call) }
            }

            unsafe fn plain(call: &Call<$tiles>) -> Result<(), Fault> {
                // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is
                // touched.
                unsafe { $run::<Baseline, true>(call) }
            }
        }
    };
}

body!(Transpose, 2, transpose);
body!(Fill, 2, fill);
body!(Concat, 3, concat);
body!(ConcatCounted, 5, concat_counted);

/// The same for 4-bit floats that are columns of their own, which are always filled with zeros.
///
/// # Safety
/// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
unsafe fn fill_numbers(call: &Call<2>) -> Result<(), Fault> {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        let [src, dst] = call.tiles;
        let (_, (rows, cols)) = known(call.imm);
        for (r, c) in (0..rows).flat_map(|r| (0..cols).map(move |c| (r, c))) {
            let number = if r < src.rows() && c < src.cols() { packed::get(src.ptr(), src.index(r, c)) } else { 0 };
            packed::put(dst.ptr(), dst.index(r, c), number);
        }
        Ok(())
    }
}

/// # Safety
/// The operands must be as [`KernelFn`](pto_vector::KernelFn) says; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn transpose<L: Level, const PLAIN: bool>(call: &Call<2>) -> Result<(), Fault> {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched; the
    // processor has the instructions of this level.
    unsafe {
        let [src, dst] = call.tiles;
        let (size, room) = known(call.imm);
        if src.cols() > room.0 || src.rows() > room.1 {
            let window = (room.1 as u64, room.0 as u64);
            return Err(Fault::WindowMismatch { tile: (src.rows(), src.cols()), window });
        }
        if let (false, Some(from), Some(to)) = (PLAIN, ElementMap::of_tile(src), ElementMap::of_tile(dst)) {
            let transposed = ElementMap { rows: to.cols, cols: to.rows, ..to };
            blocks::copy::<L>(&from, &transposed, src.rows(), src.cols(), size, Cache::Ordinary);
            return Ok(());
        }
        for r in 0..src.rows() {
            for c in 0..src.cols() {
                let (from, to) = (src.ptr().add(src.index(r, c) * size), dst.ptr().add(dst.index(c, r) * size));
                std::ptr::copy_nonoverlapping(from, to, size);
            }
        }
        Ok(())
    }
}

/// # Safety
/// The operands must be as [`KernelFn`](pto_vector::KernelFn) says; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn fill<L: Level, const PLAIN: bool>(call: &Call<2>) -> Result<(), Fault> {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched; the
    // processor has the instructions of this level.
    unsafe {
        let [src, dst] = call.tiles;
        let (size, room) = known(call.imm);
        let (rows, cols) = (src.rows().min(room.0), src.cols().min(room.1));
        if src.ptr() != dst.ptr() {
            copy::<L, PLAIN>(TilePart::whole(src), TilePart::whole(dst), (rows, cols), size);
        } else if src.geometry().cols != dst.geometry().cols || src.geometry().rows != dst.geometry().rows {
            // The larger tile starts where the smaller does: its last elements go first.
            for at in (0..rows * cols).rev() {
                let (row, col) = (at / cols, at % cols);
                std::ptr::copy(
                    TilePart::whole(src).element(row, col, size),
                    TilePart::whole(dst).element(row, col, size),
                    size,
                );
            }
        }
        for row in 0..room.0 {
            let first = if row < rows { cols } else { 0 };
            fill_row(dst, size, row, first..room.1, call.imm[1]);
        }
        Ok(())
    }
}

/// Writes a value to a part of a row.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named must lie inside
/// of them.
unsafe fn fill_row(tile: &TileRef, size: usize, row: usize, cols: std::ops::Range<usize>, bits: u64) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        if tile.geometry().is_boxed() || tile.col_stride() != 1 {
            cols.for_each(|col| padding::put(tile, size, row, col, bits));
            return;
        }
        let start = tile.ptr().add((row * tile.row_stride() + cols.start) * size);
        match size {
            1 => std::slice::from_raw_parts_mut(start, cols.len()).fill(bits as u8),
            2 => (0..cols.len()).for_each(|k| start.cast::<u16>().add(k).write_unaligned(bits as u16)),
            4 => (0..cols.len()).for_each(|k| start.cast::<u32>().add(k).write_unaligned(bits as u32)),
            _ => (0..cols.len()).for_each(|k| start.cast::<u64>().add(k).write_unaligned(bits)),
        }
    }
}

/// # Safety
/// The operands must be as [`KernelFn`](pto_vector::KernelFn) says; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn concat<L: Level, const PLAIN: bool>(call: &Call<3>) -> Result<(), Fault> {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched; the
    // processor has the instructions of this level.
    unsafe {
        let [a, b, dst] = call.tiles;
        let size = known(call.imm).0;
        copy::<L, PLAIN>(TilePart::whole(a), TilePart::whole(dst), (dst.rows(), a.cols()), size);
        copy::<L, PLAIN>(
            TilePart::whole(b),
            TilePart { tile: dst, row: 0, col: a.cols() },
            (dst.rows(), b.cols()),
            size,
        );
        Ok(())
    }
}

/// # Safety
/// The operands must be as [`KernelFn`](pto_vector::KernelFn) says; the processor must have the instructions of this level.
unsafe fn concat_counted<L: Level, const PLAIN: bool>(call: &Call<5>) -> Result<(), Fault> {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched; the
    // processor has the instructions of this level.
    unsafe {
        let [a, b, a_counts, b_counts, dst] = call.tiles;
        let size = known(call.imm).0;
        for row in 0..dst.rows() {
            let first = count(a_counts, row, a.cols(), call.imm[1])?;
            let second = count(b_counts, row, b.cols(), call.imm[1])?;
            let first = first.min(dst.cols());
            let second = second.min(dst.cols() - first);
            let part = |tile, col| TilePart { tile, row, col };
            copy::<L, true>(part(a, 0), part(dst, 0), (1, first), size);
            copy::<L, true>(part(b, 0), part(dst, first), (1, second), size);
        }
        Ok(())
    }
}

/// How many elements of a row of `cols` an index tile selects.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named must lie inside
/// of them.
unsafe fn count(counts: &TileRef, row: usize, cols: usize, word: u64) -> Result<usize, Fault> {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        let (size, signed) = ((word >> 1) as usize, word & 1 == 1);
        let mut bytes = [0; 8];
        std::ptr::copy_nonoverlapping(counts.ptr().add(counts.index(row, 0) * size), bytes.as_mut_ptr(), size);
        let unused = 64 - 8 * size as u32;
        let raw = (u64::from_le_bytes(bytes) << unused) as i64;
        let value = if signed { raw >> unused } else { (raw as u64 >> unused) as i64 };
        let index = value / size as i64;
        if value < 0 || index as usize > cols {
            return Err(Fault::IndexOutOfRange { row, col: 0, index, limit: cols as u64 + 1 });
        }
        Ok(index as usize)
    }
}
