//! Transfers of elements of four bits, two in a byte, the lower half first.

use super::transfer::{map, operands};
use pto_isa::{GlobalLayout, Loc, Order, TileType};
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

/// Copies the valid region of such numbers; everything else becomes zero.
pub(super) unsafe fn fill_numbers(call: &Call) -> Result<(), Fault> {
    let [src, dst] = call.tiles else { return Ok(()) };
    let ty = &*dst.geometry;
    for r in 0..ty.rows as usize {
        for c in 0..ty.cols as usize {
            let inside = r < src.rows && c < src.cols;
            let number = if inside { get(src.ptr, src.index(r, c)) } else { 0 };
            put(dst.ptr, dst.index(r, c), number);
        }
    }
    Ok(())
}

/// Loads numbers that are columns of their own in a memory of the cube, and in the window too.
pub(super) unsafe fn load_numbers(call: &Call) -> Result<(), Fault> {
    let Some((tile, view)) = operands(call, 4)? else { return Ok(()) };
    let global = view.base.offset(view.first as isize);
    for (r, c) in places(tile) {
        put(tile.ptr, tile.index(r, c), get(global, map(&view, r, c)));
    }
    empty_rest(tile, view.layout);
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

/// What [`padding::after_load`](super::padding::after_load) does for elements of whole bytes: the last box of every row (column) is zero behind the data.
unsafe fn empty_rest(tile: &TileRef, layout: GlobalLayout) {
    let ty = &*tile.geometry;
    let is_made = ty.loc == Loc::Mat && ty.is_boxed() && ty.fractal == 512;
    if !is_made || !matches!(layout, GlobalLayout::Nd | GlobalLayout::Dn) {
        return;
    }
    let (box_rows, box_cols) = (ty.box_shape().0 as usize, ty.box_shape().1 as usize);
    if matches!(ty.order(), Order::Nz | Order::Zz) {
        let rest = tile.cols..tile.cols.next_multiple_of(box_cols);
        (0..tile.rows).for_each(|r| rest.clone().for_each(|c| put(tile.ptr, tile.index(r, c), 0)));
    } else {
        let rest = tile.rows..tile.rows.next_multiple_of(box_rows);
        (0..tile.cols).for_each(|c| rest.clone().for_each(|r| put(tile.ptr, tile.index(r, c), 0)));
    }
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
