//! Single elements of tiles, in any layout.

use super::call::TileRef;
use super::elem::Elem;

/// An element, in any layout.
///
/// # Safety
/// The element must lie in the tile.
pub unsafe fn read<E: Elem>(tile: &TileRef, row: usize, col: usize) -> E {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe { tile.ptr().cast::<E>().add(tile.index(row, col)).read_unaligned() }
}

/// Writes an element, in any layout.
///
/// # Safety
/// The element must lie in the tile.
pub unsafe fn write<E: Elem>(tile: &TileRef, row: usize, col: usize, value: E) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        tile.ptr().cast::<E>().add(tile.index(row, col)).write_unaligned(value);
    }
}
