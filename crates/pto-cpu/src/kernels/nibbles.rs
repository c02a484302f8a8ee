//! Transfers of elements of four bits, two in a byte, the lower half first.

use super::transfer::{map, operands};
use pto_vector::{Call, Fault};

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
