//! Transposed blocks.

#[cfg(target_arch = "x86_64")]
use pto_num::{CpuLevel, cpu_level};

/// An element of 1, 2, 4 or 8 bytes.
pub trait Unit: Copy + 'static {}

impl Unit for u8 {}
impl Unit for u16 {}
impl Unit for u32 {}
impl Unit for u64 {}

/// `dst[c * to + r] = src[r * from + c]`.
///
/// # Safety
/// All elements must lie in memory that can be read and written; source and destination must not overlap.
pub unsafe fn block<T: Unit>(src: *const T, from: usize, dst: *mut T, to: usize, rows: usize, cols: usize) {
    #[cfg(target_arch = "x86_64")]
    if boxes(src, from, dst, to, rows, cols) {
        return;
    }
    for c in 0..cols {
        for r in 0..rows {
            dst.add(c * to + r).write_unaligned(src.add(r * from + c).read_unaligned());
        }
    }
}

/// Whole boxes of the cube's memories in registers: rows of 32 bytes, one after the other. False where the block is not
/// made of them.
#[cfg(target_arch = "x86_64")]
unsafe fn boxes<T: Unit>(src: *const T, from: usize, dst: *mut T, to: usize, rows: usize, cols: usize) -> bool {
    let bytes = size_of::<T>();
    let level = cpu_level();
    if from * bytes != 32 || cols * bytes != 32 || level < CpuLevel::V3 {
        return false;
    }
    match (bytes, level) {
        (4, _) if rows.is_multiple_of(8) => {
            for r in (0..rows).step_by(8) {
                x86::turn_words(src.add(r * from).cast(), dst.add(r).cast(), to);
            }
        }
        (2, CpuLevel::V4) if rows.is_multiple_of(16) => {
            for r in (0..rows).step_by(16) {
                x86::turn_halves(src.add(r * from).cast(), dst.add(r).cast(), to);
            }
        }
        (1, CpuLevel::V4) if rows.is_multiple_of(16) => {
            for r in (0..rows).step_by(16) {
                x86::turn_bytes(src.add(r * from).cast(), dst.add(r).cast(), to);
            }
        }
        _ => return false,
    }
    true
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::super::super::matrix::{turn_eight, turn_v4};
    use std::arch::x86_64::*;

    /// Eight rows of eight words.
    #[target_feature(enable = "avx2")]
    pub unsafe fn turn_words(from: *const u32, to: *mut u32, step: usize) {
        turn_eight(from, to, step);
    }

    /// Sixteen rows of sixteen halves.
    #[target_feature(enable = "avx512f,avx512bw")]
    pub unsafe fn turn_halves(from: *const u32, to: *mut u16, step: usize) {
        let mut words = [0u32; 128];
        turn_v4(from, words.as_mut_ptr(), 16);
        // The first halves of the four words of a lane, then the second ones; then those of all lanes.
        let split = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15));
        let gather = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
        for pair in 0..8 {
            let v = _mm512_loadu_si512(words.as_ptr().add(16 * pair).cast());
            let v = _mm512_permutexvar_epi64(gather, _mm512_shuffle_epi8(v, split));
            _mm256_storeu_si256(to.add(2 * pair * step).cast(), _mm512_castsi512_si256(v));
            _mm256_storeu_si256(to.add((2 * pair + 1) * step).cast(), _mm512_extracti64x4_epi64::<1>(v));
        }
    }

    /// Sixteen rows of 32 bytes.
    #[target_feature(enable = "avx512f,avx512bw")]
    pub unsafe fn turn_bytes(from: *const u32, to: *mut u8, step: usize) {
        let mut words = [0u32; 128];
        turn_v4(from, words.as_mut_ptr(), 16);
        let split = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
        let gather = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        for quad in 0..8 {
            let v = _mm512_loadu_si512(words.as_ptr().add(16 * quad).cast());
            let v = _mm512_permutexvar_epi32(gather, _mm512_shuffle_epi8(v, split));
            let to = to.add(4 * quad * step);
            _mm_storeu_si128(to.cast(), _mm512_castsi512_si128(v));
            _mm_storeu_si128(to.add(step).cast(), _mm512_extracti32x4_epi32::<1>(v));
            _mm_storeu_si128(to.add(2 * step).cast(), _mm512_extracti32x4_epi32::<2>(v));
            _mm_storeu_si128(to.add(3 * step).cast(), _mm512_extracti32x4_epi32::<3>(v));
        }
    }
}
