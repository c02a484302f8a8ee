//! Transfers of elements of four bits, two in a byte, the lower half first.

use super::padding;
use super::transfer::{map, operands};
use pto_isa::TileType;
use pto_vector::{Call, Fault, TileRef};

pub(super) unsafe fn load(call: &Call) -> Result<(), Fault> {
    transfer::<true>(call)
}

pub(super) unsafe fn store(call: &Call) -> Result<(), Fault> {
    transfer::<false>(call)
}

unsafe fn transfer<const LOAD: bool>(call: &Call) -> Result<(), Fault> {
    let Some((tile, view)) = operands(call, 4)? else { return Ok(()) };
    let global = view.base.offset(view.first as isize);
    for r in 0..tile.rows {
        for c in 0..tile.cols {
            // Every row starts at a byte of its own, as many bytes after the one before as there are columns.
            let (inside, outside) = (2 * r * tile.row_stride + c, map(&view, r, c));
            if LOAD {
                put(tile.ptr, inside, get(global, outside));
            } else {
                put(global, outside, get(tile.ptr, inside));
            }
        }
    }
    Ok(())
}

/// Pairs of 4-bit floats are single numbers in the memories of the cube. Windows count numbers then as well, while addresses count bytes, as
/// on the device.
pub(super) fn is_of_numbers(tile: &TileType) -> bool {
    tile.column_bits() == 4 && tile.dtype.column_bits() == 8
}

/// Loads numbers that are columns of their own in a memory of the cube, and in the window too.
pub(super) unsafe fn load_numbers(call: &Call) -> Result<(), Fault> {
    let Some((tile, view)) = operands(call, 4)? else { return Ok(()) };
    let global = view.base.offset(view.first as isize);
    for (r, c) in places(tile) {
        put(tile.ptr, tile.index(r, c), get(global, map(&view, r, c)));
    }
    padding::after_load(tile, view.layout);
    Ok(())
}

/// Stores such numbers.
pub(super) unsafe fn store_numbers(call: &Call) -> Result<(), Fault> {
    let Some((tile, view)) = operands(call, 4)? else { return Ok(()) };
    let global = view.base.offset(view.first as isize);
    for (r, c) in places(tile) {
        put(global, map(&view, r, c), get(tile.ptr, tile.index(r, c)));
    }
    Ok(())
}

fn places(tile: &TileRef) -> impl Iterator<Item = (usize, usize)> + use<> {
    let (rows, cols) = (tile.rows, tile.cols);
    (0..rows).flat_map(move |r| (0..cols).map(move |c| (r, c)))
}

/// The number at a place.
pub(super) unsafe fn get(base: *const u8, element: usize) -> u8 {
    *base.add(element / 2) >> (element % 2 * 4) & 15
}

/// Changes the number at a place.
pub(super) unsafe fn put(base: *mut u8, element: usize, value: u8) {
    let byte = base.add(element / 2);
    let shift = element % 2 * 4;
    *byte = *byte & !(15 << shift) | value << shift;
}
