//! Packed bits, one per element, least significant first; and elements in runs of as many.

use super::call::TileRef;
#[cfg(target_arch = "x86_64")]
use super::level::is_v3;
use pto_num::Level;

/// Bits handled at once.
pub const WORD: usize = 64;

/// 64 bytes, each 0 or 1, as 64 bits.
#[inline(always)]
pub fn of<L: Level>(bytes: [u8; WORD]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if const { is_v3::<L>() } {
        // SAFETY: code for this level runs only with AVX2.
        return unsafe { of_bytes_v3(&bytes) };
    }
    let mut word = 0;
    for i in 0..WORD / 8 {
        // SAFETY: the eight bytes lie in the array.
        let eight = unsafe { bytes.as_ptr().add(8 * i).cast::<u64>().read_unaligned() };
        word |= pack(u64::from_le(eight)) << (8 * i);
    }
    word
}

/// The lowest bits of eight bytes as one byte: the product moves each to a different bit of the top byte.
#[inline(always)]
fn pack(bytes: u64) -> u64 {
    bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// # Safety
/// The processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn of_bytes_v3(bytes: &[u8; WORD]) -> u64 {
    // SAFETY: the processor has AVX2, and both halves lie in the array.
    unsafe {
        use std::arch::x86_64::{_mm256_loadu_si256, _mm256_movemask_epi8, _mm256_slli_epi16};
        let half = |at: usize| {
            let lowest = _mm256_loadu_si256(bytes.as_ptr().add(at).cast());
            u64::from(_mm256_movemask_epi8(_mm256_slli_epi16::<7>(lowest)) as u32)
        };
        half(0) | half(32) << 32
    }
}

/// The first `n` bits.
#[inline(always)]
pub fn first(n: usize) -> u64 {
    if n >= WORD { !0 } else { !(!0 << n) }
}

/// The next `N` elements; if only `n` are left, the rest is filled with copies of the first.
///
/// # Safety
/// They must be readable.
#[inline(always)]
pub unsafe fn filled<E: Copy, const N: usize>(from: *const E, n: usize) -> [E; N] {
    // SAFETY: the caller answers for the elements at `from`.
    unsafe {
        if n >= N {
            return from.cast::<[E; N]>().read_unaligned();
        }
        let mut all = [from.read_unaligned(); N];
        std::ptr::copy_nonoverlapping(from, all.as_mut_ptr(), n);
        all
    }
}

/// A tile as rows of packed bits. The element type only says how many bytes a column has.
#[derive(Clone, Copy)]
pub struct BitRows<'a> {
    tile: &'a TileRef<'a>,
    unit: usize,
}

impl<'a> BitRows<'a> {
    /// The bits of a tile.
    #[inline(always)]
    pub fn new(tile: &'a TileRef<'a>) -> Self {
        let unit = tile.geometry().dtype.unit_bytes() as usize;
        Self { tile, unit }
    }

    /// Valid bytes of a row.
    #[inline(always)]
    pub fn bytes(&self) -> usize {
        self.tile.cols() * self.unit
    }

    /// The first byte of a row, in a tile with contiguous rows.
    #[inline(always)]
    pub fn row(&self, row: usize) -> *mut u8 {
        self.tile.ptr().wrapping_add(row * self.tile.row_stride() * self.unit)
    }

    /// A byte of a row, in any layout; nothing outside of the valid region.
    pub fn byte(&self, row: usize, at: usize) -> Option<*mut u8> {
        let inside = row < self.tile.rows() && at < self.bytes();
        inside.then(|| self.tile.ptr().wrapping_add(self.tile.index(row, at / self.unit) * self.unit + at % self.unit))
    }
}

/// The next bits of a row, of which `bytes` bytes are left.
///
/// # Safety
/// The bytes must be readable.
#[inline(always)]
pub unsafe fn read(from: *const u8, bytes: usize) -> u64 {
    // SAFETY: the caller answers for the elements at `from`.
    unsafe {
        if bytes >= 8 {
            return u64::from_le(from.cast::<u64>().read_unaligned());
        }
        let mut word = 0;
        for i in 0..bytes {
            word |= u64::from(*from.add(i)) << (8 * i);
        }
        word
    }
}

/// Writes the next bits of a row, of which `bytes` bytes are left.
///
/// # Safety
/// The bytes must be writable.
#[inline(always)]
pub unsafe fn write(to: *mut u8, bytes: usize, word: u64) {
    // SAFETY: the caller answers for the elements at `to`.
    unsafe {
        if bytes >= 8 {
            return to.cast::<u64>().write_unaligned(word.to_le());
        }
        for i in 0..bytes {
            *to.add(i) = (word >> (8 * i)) as u8;
        }
    }
}
