//! The loops and the transpositions for AVX2 and AVX-512.

use super::super::transpose::registers::{transpose_eight, transposed, transposed_halves};
use super::columns::{BoxColumns, RowWords, gather};
use super::pack::{Boxes, Halves, Tools, widen_columns};
use super::strip::{
    COLUMNS, FloatLanes, GROUP, Loops, StripLoop, Strips, SumLanes, in_blocks, in_steps, strip_loop, strip_loops,
};
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

/// The loops of a kind of sums with vectors of 16 words, which has 32 registers.
macro_rules! loops512 {
    ($sums:ident::<$lanes:ty>, $features:literal) => {
        Loops {
            wide: Some(strip_loops!($features $sums::<$lanes, 2>: [8] [4] [2] [1])),
            narrow: strip_loops!($features $sums::<$lanes, 1>: [8] [4] [2] [1]),
        }
    };
}

pub const V4_F32: Loops = loops512!(in_steps::<V4F32>, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma");
pub const V4_BLOCKS: Loops = loops512!(in_blocks::<V4F32>, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma");
pub const V4_BYTES: Loops = loops512!(in_steps::<V4Bytes>, "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma");
pub const V4_PAIRS: Loops = loops512!(in_steps::<V4Pairs>, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma");

// A multiply-add is ready after four cycles, in each of which two begin: eight sums at a time have no time to spare. Twelve are the most that 16
// registers hold beside the operands.
pub const V3_F32: Loops =
    Loops { wide: None, narrow: strip_loops!("avx2,fma" in_steps::<V3F32, 2>: [6, 6, 4] [4] [2] [1]) };
pub const V3_BLOCKS: Loops =
    Loops { wide: None, narrow: strip_loops!("avx2,fma" in_blocks::<V3F32, 2>: [6, 6, 4] [4] [2] [1]) };
pub const V3_PAIRS: Loops = Loops { wide: None, narrow: strip_loops!("avx2,fma" in_steps::<V3Pairs, 2>: [4] [2] [1]) };

/// Vectors of 16 words.
macro_rules! lanes512 {
    ($name:ident, $adds:literal, |$sum:ident, $a:ident, $b:ident| $step:expr) => {
        #[derive(Clone, Copy)]
        struct $name;

        impl SumLanes for $name {
            type V = __m512i;
            const WIDTH: usize = 16;
            const ADDS: bool = $adds;

            #[inline(always)]
            unsafe fn load(from: *const u32) -> __m512i {
                // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this
                // level.
                unsafe { _mm512_loadu_si512(from.cast()) }
            }
            #[inline(always)]
            unsafe fn store(to: *mut u32, v: __m512i) {
                // SAFETY: the caller answers for the elements at `to`; the processor has the instructions of this
                // level.
                unsafe {
                    _mm512_storeu_si512(to.cast(), v);
                }
            }
            #[inline(always)]
            unsafe fn splat(from: *const u32) -> __m512i {
                // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this
                // level.
                unsafe { _mm512_set1_epi32(from.cast::<i32>().read_unaligned()) }
            }
            #[inline(always)]
            unsafe fn add(v: __m512i, word: *const u32) -> __m512i {
                // SAFETY: the caller answers for the elements at `word`; the processor has the instructions of this
                // level.
                unsafe { _mm512_add_epi32(v, Self::splat(word)) }
            }
            #[inline(always)]
            unsafe fn step($sum: __m512i, $a: __m512i, $b: __m512i) -> __m512i {
                // SAFETY: the processor has the instructions of this level.
                unsafe { $step }
            }
        }
    };
}

lanes512!(V4F32, false, |sum, a, b| {
    let product = _mm512_fmadd_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), _mm512_castsi512_ps(sum));
    _mm512_castps_si512(product)
});
// Four products of a signed byte of the left factor and an unsigned one of the right.
lanes512!(V4Bytes, true, |sum, a, b| _mm512_dpbusd_epi32(sum, b, a));
lanes512!(V4Pairs, false, |sum, a, b| _mm512_add_epi32(sum, _mm512_madd_epi16(a, b)));

/// Vectors of 8 words.
macro_rules! lanes256 {
    ($name:ident, |$sum:ident, $a:ident, $b:ident| $step:expr) => {
        #[derive(Clone, Copy)]
        struct $name;

        impl SumLanes for $name {
            type V = __m256i;
            const WIDTH: usize = 8;
            const ADDS: bool = false;

            #[inline(always)]
            unsafe fn load(from: *const u32) -> __m256i {
                // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this
                // level.
                unsafe { _mm256_loadu_si256(from.cast()) }
            }
            #[inline(always)]
            unsafe fn store(to: *mut u32, v: __m256i) {
                // SAFETY: the caller answers for the elements at `to`; the processor has the instructions of this
                // level.
                unsafe {
                    _mm256_storeu_si256(to.cast(), v);
                }
            }
            #[inline(always)]
            unsafe fn splat(from: *const u32) -> __m256i {
                // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this
                // level.
                unsafe { _mm256_set1_epi32(from.cast::<i32>().read_unaligned()) }
            }
            #[inline(always)]
            unsafe fn add(v: __m256i, _: *const u32) -> __m256i {
                v
            }
            #[inline(always)]
            unsafe fn step($sum: __m256i, $a: __m256i, $b: __m256i) -> __m256i {
                // SAFETY: the processor has the instructions of this level.
                unsafe { $step }
            }
        }
    };
}

lanes256!(V3F32, |sum, a, b| {
    let product = _mm256_fmadd_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), _mm256_castsi256_ps(sum));
    _mm256_castps_si256(product)
});
lanes256!(V3Pairs, |sum, a, b| _mm256_add_epi32(sum, _mm256_madd_epi16(a, b)));

impl FloatLanes for V4F32 {
    #[inline(always)]
    unsafe fn zero() -> __m512i {
        // SAFETY: the processor has the instructions of this level.
        unsafe { _mm512_setzero_si512() }
    }
    #[inline(always)]
    unsafe fn plus(x: __m512i, y: __m512i) -> __m512i {
        // SAFETY: the processor has the instructions of this level.
        unsafe { _mm512_castps_si512(_mm512_add_ps(_mm512_castsi512_ps(x), _mm512_castsi512_ps(y))) }
    }
}

impl FloatLanes for V3F32 {
    #[inline(always)]
    unsafe fn zero() -> __m256i {
        // SAFETY: the processor has the instructions of this level.
        unsafe { _mm256_setzero_si256() }
    }
    #[inline(always)]
    unsafe fn plus(x: __m256i, y: __m256i) -> __m256i {
        // SAFETY: the processor has the instructions of this level.
        unsafe { _mm256_castps_si256(_mm256_add_ps(_mm256_castsi256_ps(x), _mm256_castsi256_ps(y))) }
    }
}

/// See [`super::pack::TransposeFn`].
///
/// # Safety
/// The boxes must lie in memory, and where they go.
#[target_feature(enable = "avx512f")]
pub unsafe fn transpose_v4(boxes: &Boxes) {
    // SAFETY: the caller answers for the boxes and for the room they go to; the processor has the instructions of this
    // level.
    unsafe {
        boxes.each(GROUP, |from, to| {
            for (word, v) in transposed(from).into_iter().enumerate() {
                _mm512_storeu_si512(to.add(word * boxes.step).cast(), v);
            }
        });
    }
}

/// The same with registers of eight words.
///
/// # Safety
/// As [`transpose_v4`].
#[target_feature(enable = "avx2")]
pub unsafe fn transpose_v3(boxes: &Boxes) {
    // SAFETY: the caller answers for the boxes and for the room they go to; the processor has the instructions of this
    // level.
    unsafe {
        boxes.each(GROUP, |from, to| {
            for half in 0..2 {
                transpose_eight(from.add(64 * half), to.add(8 * half), boxes.step);
            }
        });
    }
}

/// See [`gather`].
///
/// # Safety
/// As [`gather`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
unsafe fn gather_v4(columns: &BoxColumns, words: RowWords) {
    // SAFETY: the caller answers for the rows and for the room; the processor has the instructions of this level.
    unsafe { gather::<pto_num::V4>(columns, words) }
}

/// See [`gather`].
///
/// # Safety
/// As [`gather`].
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn gather_v3(columns: &BoxColumns, words: RowWords) {
    // SAFETY: the caller answers for the rows and for the room; the processor has the instructions of this level.
    unsafe { gather::<pto_num::V3>(columns, words) }
}

/// See [`Halves::rows`]. Eight numbers at a time go where they belong at once.
///
/// # Safety
/// All elements that the other arguments count must be readable at `from` and writable at `to`; the processor must have the
/// instructions of this level.
#[target_feature(enable = "avx2,f16c")]
unsafe fn widen_rows(from: *const u32, rows: usize, to: *mut u32, second: usize, is_f16: bool) {
    // SAFETY: the caller answers for the elements at `from` and `to`; the processor has the instructions of this level.
    unsafe {
        let put = |to: *mut u32, halves: __m128i| {
            let wide = if is_f16 {
                _mm256_castps_si256(_mm256_cvtph_ps(halves))
            } else {
                _mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(halves))
            };
            _mm256_storeu_si256(to.cast(), wide);
        };
        for r in 0..rows {
            let (row, to) = (from.add(8 * r), to.add(8 * r));
            put(to, _mm_loadu_si128(row.cast()));
            put(to.add(second), _mm_loadu_si128(row.add(4).cast()));
        }
    }
}

/// What packing is done with.
pub const TOOLS_V4: Tools = Tools { transpose: transpose_v4, halves: HALVES_V4, gather: gather_v4 };
/// What packing is done with.
pub const TOOLS_V3: Tools = Tools { transpose: transpose_v3, halves: HALVES_V3, gather: gather_v3 };

/// Halves become numbers.
const HALVES_V4: Halves = Halves { rows: widen_rows_v4, columns: widen_columns_v4 };
/// Halves become numbers.
const HALVES_V3: Halves = Halves { rows: widen_rows, columns: widen_columns_v3 };

/// Sixteen halves become numbers.
///
/// # Safety
/// All elements that the other arguments count must be readable at `halves`; the processor must have the instructions of this
/// level.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn widened(halves: *const u32, is_f16: bool) -> __m512i {
    // SAFETY: the caller answers for the elements at `halves`; the processor has the instructions of this level.
    unsafe {
        let halves = _mm256_loadu_si256(halves.cast());
        if is_f16 {
            _mm512_castps_si512(_mm512_cvtph_ps(halves))
        } else {
            _mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(halves))
        }
    }
}

/// See [`Halves::rows`]. Two rows at a time, so that whole lines are written.
///
/// # Safety
/// All elements that the other arguments count must be readable at `from` and writable at `to`; the processor must have the
/// instructions of this level.
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn widen_rows_v4(from: *const u32, rows: usize, to: *mut u32, second: usize, is_f16: bool) {
    // SAFETY: the caller answers for the elements at `from` and `to`; the processor has the instructions of this level.
    unsafe {
        for r in (0..rows / 2 * 2).step_by(2) {
            let (from, to) = (from.add(8 * r), to.add(8 * r));
            let (x, y) = (widened(from, is_f16), widened(from.add(8), is_f16));
            _mm512_storeu_si512(to.cast(), _mm512_shuffle_i64x2::<0b01_00_01_00>(x, y));
            _mm512_storeu_si512(to.add(second).cast(), _mm512_shuffle_i64x2::<0b11_10_11_10>(x, y));
        }
        if rows % 2 == 1 {
            let (wide, to) = (widened(from.add(8 * (rows - 1)), is_f16), to.add(8 * (rows - 1)));
            _mm256_storeu_si256(to.cast(), _mm512_castsi512_si256(wide));
            _mm256_storeu_si256(to.add(second).cast(), _mm512_extracti64x4_epi64::<1>(wide));
        }
    }
}

/// See [`Halves::columns`].
///
/// # Safety
/// The boxes must lie in memory, and there is room for what they become; the processor must have the instructions of this level.
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn widen_columns_v4(boxes: &Boxes, is_f16: bool) {
    // SAFETY: the caller answers for the boxes and for the room they go to; the processor has the instructions of this
    // level.
    unsafe {
        if is_f16 {
            return widen_f16_columns_v4(boxes);
        }
        let high = _mm512_set1_epi32(0xffff_0000u32 as i32);
        boxes.each(2 * GROUP, |from, to| {
            for (word, v) in transposed(from).into_iter().enumerate() {
                _mm512_storeu_si512(to.add(2 * word * boxes.step).cast(), _mm512_slli_epi32::<16>(v));
                _mm512_storeu_si512(to.add((2 * word + 1) * boxes.step).cast(), _mm512_and_si512(v, high));
            }
        });
    }
}

/// # Safety
/// The boxes must lie in memory, and there is room for what they become; the processor must have the instructions of this level.
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn widen_f16_columns_v4(boxes: &Boxes) {
    // SAFETY: the caller answers for the boxes and for the room they go to; the processor has the instructions of this
    // level.
    unsafe {
        boxes.each(2 * GROUP, |from, to| {
            // Through memory: conversions that read it do not need the unit that permutes.
            let mut room = MaybeUninit::<[__m512i; GROUP]>::uninit();
            let halves = room.as_mut_ptr().cast::<u32>();
            for (pair, v) in transposed_halves(from.cast()).into_iter().enumerate() {
                _mm512_store_si512(halves.add(COLUMNS * pair).cast(), v);
            }
            for k in 0..2 * GROUP {
                _mm512_storeu_si512(to.add(k * boxes.step).cast(), widened(halves.add(GROUP * k), true));
            }
        });
    }
}

/// See [`Halves::columns`].
///
/// # Safety
/// The boxes must lie in memory, and there is room for what they become; the processor must have the instructions of this level.
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn widen_columns_v3(boxes: &Boxes, is_f16: bool) {
    // SAFETY: the caller answers for the boxes and for the room they go to; the processor has the instructions of this
    // level.
    unsafe {
        boxes.each(2 * GROUP, |from, to| {
            let mut transposed = [0; 128];
            transpose_v3(&Boxes { from, count: 1, next: 0, to: transposed.as_mut_ptr(), step: 16 });
            widen_columns::<pto_num::V3>(&transposed, to, boxes.step, is_f16);
        });
    }
}
