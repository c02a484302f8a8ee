//! Numbers of four bits, two in a byte, the lower half first.

use pto_isa::TileType;

/// Pairs of 4-bit floats are single numbers in the memories of the cube. Windows count numbers then as well, while addresses count bytes, as
/// on the device.
pub(super) fn is_of_numbers(tile: &TileType) -> bool {
    tile.column_bits() == 4 && tile.dtype.column_bits() == 8
}

/// The number at a place.
///
/// # Safety
/// All elements that the other arguments count must be readable at `base`.
pub(super) unsafe fn get(base: *const u8, element: usize) -> u8 {
    // SAFETY: the caller answers for the elements at `base`.
    unsafe { *base.add(element / 2) >> (element % 2 * 4) & 15 }
}

/// Changes the number at a place.
///
/// # Safety
/// All elements that the other arguments count must be writable at `base`.
pub(super) unsafe fn put(base: *mut u8, element: usize, value: u8) {
    // SAFETY: the caller answers for the elements at `base`.
    unsafe {
        let byte = base.add(element / 2);
        let shift = element % 2 * 4;
        *byte = *byte & !(15 << shift) | value << shift;
    }
}
