//! The order in which values are sorted, and the records that carry them.
//!
//! A record has eight bytes: the value in the first two or four, zeros up to the fourth, then an index.

use pto_num::F16;
use pto_vector::elem::Elem;
use pto_vector::{TileRef, read, write};

/// Elements of a group.
pub(super) const GROUP: usize = 32;

/// A type of values that are sorted.
pub(super) trait Sorted: Elem {
    /// Columns of a tile that a record takes.
    const COLUMNS: usize = 8 / size_of::<Self>();

    /// Bits of the value, and of an element.
    fn bits(self) -> u32;

    /// A sort key: large values first, NaN last, both zeros equal.
    fn key(self) -> i32;

    /// Fills positions after the last element: it sorts last.
    fn filler() -> Self;

    /// The value of a record.
    fn of_record(record: u64) -> Self;

    #[inline(always)]
    fn record(self, index: u32) -> u64 {
        u64::from(index) << 32 | u64::from(self.bits())
    }
}

impl Sorted for f32 {
    #[inline(always)]
    fn bits(self) -> u32 {
        self.to_bits()
    }

    #[inline(always)]
    fn key(self) -> i32 {
        // Adding zero makes the zeros alike.
        let bits = (self + 0.0).to_bits() as i32;
        let rising = bits ^ ((bits >> 31) as u32 >> 1) as i32;
        if self.is_nan() { i32::MAX } else { !rising }
    }

    fn filler() -> Self {
        Self::from_bits(0xffc0_0000)
    }

    #[inline(always)]
    fn of_record(record: u64) -> Self {
        Self::from_bits(record as u32)
    }
}

impl Sorted for F16 {
    #[inline(always)]
    fn bits(self) -> u32 {
        self.0.into()
    }

    #[inline(always)]
    fn key(self) -> i32 {
        let bits = i32::from(if self.0 == 0x8000 { 0 } else { self.0 as i16 });
        let rising = bits ^ (bits >> 31 & 0x7fff);
        if self.0 & 0x7fff > 0x7c00 { i16::MAX.into() } else { !rising }
    }

    fn filler() -> Self {
        Self(0xfe00)
    }

    #[inline(always)]
    fn of_record(record: u64) -> Self {
        Self(record as u16)
    }
}

/// Reads a record in any layout; its columns must be valid.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named must lie inside
/// of them.
pub(super) unsafe fn get_record<E: Sorted>(tile: &TileRef, row: usize, number: usize) -> u64 {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        (0..E::COLUMNS).fold(0, |record, k| {
            let column = u64::from(read::<E>(tile, row, number * E::COLUMNS + k).bits());
            record | column << (k * 8 * size_of::<E>())
        })
    }
}

/// Writes what of a record the valid region has room for, in any layout.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named must lie inside
/// of them.
pub(super) unsafe fn put_record<E: Sorted>(tile: &TileRef, row: usize, number: usize, record: u64) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        for k in 0..E::COLUMNS {
            let col = number * E::COLUMNS + k;
            if row < tile.rows() && col < tile.cols() {
                write(tile, row, col, E::of_record(record >> (k * 8 * size_of::<E>())));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_fall_with_values_and_nan_is_last() {
        let values = [f32::INFINITY, f32::MAX, 1.5, 1e-45, 0.0, -1e-45, -1.0, f32::MIN, f32::NEG_INFINITY, f32::NAN];
        assert!(values.windows(2).all(|w| w[0].key() < w[1].key()));
        assert_eq!((0f32).key(), (-0f32).key());
        assert_eq!((f32::NAN).key(), (-f32::NAN).key());
        for bits in 0..=u16::MAX {
            let (half, wide) = (F16(bits), F16(bits).to_f32());
            for other in [0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 1, 0x8001].map(F16) {
                assert_eq!(half.key().cmp(&other.key()), wide.key().cmp(&other.to_f32().key()), "{bits:x}");
            }
        }
    }
}
