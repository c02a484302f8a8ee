//! What fills the places around the data of a tile.

use super::packed;
use pto_isa::{DType, GlobalLayout, Loc, Order, Pad, TileType};
use pto_vector::TileRef;

/// Bytes that a device moves at once: a load fills the last block of a row or column.
const BLOCK: usize = 32;

/// The bits of a tile's pad value: zero, or the largest or smallest number of its element type, infinities where it has them.
/// Types of 64 bits and formats of less than 16 bits that are no integers are always filled with zeros.
pub(super) fn value(ty: &TileType) -> u64 {
    let (largest, smallest): (u64, u64) = match ty.dtype {
        DType::F32 => (0x7f80_0000, 0xff80_0000),
        DType::F16 => (0x7c00, 0xfc00),
        DType::Bf16 => (0x7f80, 0xff80),
        DType::I8 => (0x7f, 0x80),
        DType::I16 => (0x7fff, 0x8000),
        DType::I32 => (0x7fff_ffff, 0x8000_0000),
        DType::U8 => (0xff, 0),
        DType::U16 => (0xffff, 0),
        DType::U32 => (0xffff_ffff, 0),
        _ => (0, 0),
    };
    match ty.pad {
        Pad::Max => largest,
        Pad::Min => smallest,
        Pad::Null | Pad::Zero => 0,
    }
}

/// Writes an element of a tile.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named must lie inside
/// of them.
pub(super) unsafe fn put(tile: &TileRef, size: usize, row: usize, col: usize, bits: u64) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        if packed::is_of_numbers(tile.geometry()) {
            return packed::put(tile.ptr(), tile.index(row, col), bits as u8);
        }
        let to = tile.ptr().add(tile.index(row, col) * size);
        std::ptr::copy_nonoverlapping(bits.to_le_bytes().as_ptr(), to, size);
    }
}

/// A load fills the rest of the last block of every row (column) it wrote: in vec with the pad value, if the tile has one; in
/// the boxes of mat, when rows become boxes, with zeros.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named must lie inside
/// of them.
#[inline(always)]
pub(super) unsafe fn after_load(tile: &TileRef, layout: GlobalLayout) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        let ty = tile.geometry();
        let boxes = ty.loc == Loc::Mat && ty.is_boxed() && ty.fractal == 512;
        let makes_boxes = boxes && matches!(layout, GlobalLayout::Nd | GlobalLayout::Dn);
        // Rows that are no whole blocks are none that a device has.
        let has_blocks = !ty.is_boxed() && ty.major_bytes().is_multiple_of(BLOCK as u64);
        if makes_boxes || (ty.loc == Loc::Vec && ty.pad != Pad::Null && has_blocks) {
            fill_blocks(tile, ty, if makes_boxes { 0 } else { value(ty) });
        }
    }
}

/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named must lie inside
/// of them.
unsafe fn fill_blocks(tile: &TileRef, ty: &TileType, bits: u64) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        let size = ty.dtype.unit_bytes() as usize;
        // Where the block ends does not depend on where a window starts in its tile.
        let end = |valid: usize| match ty.is_boxed() {
            true => valid.next_multiple_of(BLOCK / size),
            false => valid + (tile.ptr() as usize + valid * size).wrapping_neg() % BLOCK / size,
        };
        let by_rows = matches!(ty.order(), Order::Nd | Order::Nz | Order::Zz);
        let (lines, valid) = if by_rows { (tile.rows(), tile.cols()) } else { (tile.cols(), tile.rows()) };
        let rest = valid..end(valid);
        // Most often there is none.
        if rest.is_empty() {
            return;
        }
        for (line, at) in (0..lines).flat_map(|line| rest.clone().map(move |at| (line, at))) {
            let (row, col) = if by_rows { (line, at) } else { (at, line) };
            put(tile, size, row, col, bits);
        }
    }
}
