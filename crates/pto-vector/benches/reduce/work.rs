//! The least that reductions have to do with every register they load, written by hand: what bounds them where that takes
//! longer than loading. Folding the lanes of rows comes on top.

use pto_isa::DType;
use std::arch::x86_64::{
    __m512, __m512i, _mm256_loadu_si256, _mm512_add_epi8, _mm512_add_epi16, _mm512_add_epi32, _mm512_add_ps,
    _mm512_and_si512, _mm512_castps_si512, _mm512_castsi512_ps, _mm512_cmpgt_epi8_mask, _mm512_cmpgt_epi16_mask,
    _mm512_cmpgt_epi32_mask, _mm512_cvtph_ps, _mm512_loadu_si512, _mm512_mask_cmple_epu16_mask, _mm512_mask_mov_epi8,
    _mm512_mask_mov_epi16, _mm512_mask_mov_epi32, _mm512_max_epi8, _mm512_max_epi16, _mm512_max_epi32,
    _mm512_max_epu16, _mm512_max_ps, _mm512_mul_ps, _mm512_mullo_epi16, _mm512_mullo_epi32, _mm512_set1_epi16,
    _mm512_set1_epi32, _mm512_setzero_si512, _mm512_slli_epi32, _mm512_xor_si512,
};
use std::hint::black_box;

/// What is done with the elements.
#[derive(Clone, Copy, PartialEq)]
pub enum Work {
    Sum,
    Product,
    Largest,
    /// The largest and where it is.
    Place,
}

/// Registers that are accumulated at once.
const SIDE: usize = 8;

/// Does the work for a whole tile.
///
/// # Safety
/// All elements that the other arguments count must be readable at `from`.
pub unsafe fn work(what: Work, dtype: DType, from: *const u8, bytes: usize) {
    // SAFETY: the caller answers for the elements at `from`.
    unsafe {
        match what {
            Work::Sum => sum(dtype, from, bytes),
            Work::Product => product(dtype, from, bytes),
            Work::Largest => largest(dtype, from, bytes),
            Work::Place => place(dtype, from, bytes),
        }
    }
}

/// A loop over all registers, with accumulators and the number of the register.
macro_rules! each {
    ($from:ident, $bytes:ident, |$all:ident, $i:ident, $x:ident| $body:expr) => {{
        let mut $all = [[_mm512_loadu_si512($from.cast()); SIDE]; 2];
        for at in (0..$bytes).step_by(64 * SIDE) {
            for $i in 0..SIDE {
                let $x = _mm512_loadu_si512($from.add(at + 64 * $i).cast());
                $body;
            }
        }
        keep(&$all);
    }};
}

/// # Safety
/// The processor must have the instructions of this level.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn keep(all: &[[__m512i; SIDE]; 2]) {
    let mut one = _mm512_setzero_si512();
    for x in all.iter().flatten() {
        one = _mm512_xor_si512(one, *x);
    }
    black_box(one);
}

/// # Safety
/// The processor must have AVX-512.
#[inline]
#[target_feature(enable = "avx512f")]
fn ps(x: __m512i) -> __m512 {
    _mm512_castsi512_ps(x)
}

/// # Safety
/// The processor must have AVX-512.
#[inline]
#[target_feature(enable = "avx512f")]
fn low(x: __m512i) -> __m512 {
    _mm512_castsi512_ps(_mm512_slli_epi32::<16>(x))
}

/// # Safety
/// The processor must have AVX-512.
#[inline]
#[target_feature(enable = "avx512f")]
fn high(x: __m512i) -> __m512 {
    _mm512_castsi512_ps(_mm512_and_si512(x, _mm512_set1_epi32(-0x1_0000)))
}

/// # Safety
/// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this level.
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn sum(dtype: DType, from: *const u8, bytes: usize) {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe {
        match dtype {
            DType::F32 => {
                each!(from, bytes, |all, i, x| all[0][i] = _mm512_castps_si512(_mm512_add_ps(ps(all[0][i]), ps(x))));
            }
            DType::F16 => halves(from, bytes, false),
            DType::Bf16 => each!(from, bytes, |all, i, x| {
                all[0][i] = _mm512_castps_si512(_mm512_add_ps(ps(all[0][i]), low(x)));
                all[1][i] = _mm512_castps_si512(_mm512_add_ps(ps(all[1][i]), high(x)));
            }),
            DType::I32 => each!(from, bytes, |all, i, x| all[0][i] = _mm512_add_epi32(all[0][i], x)),
            DType::I16 => each!(from, bytes, |all, i, x| all[0][i] = _mm512_add_epi16(all[0][i], x)),
            _ => each!(from, bytes, |all, i, x| all[0][i] = _mm512_add_epi8(all[0][i], x)),
        }
    }
}

/// # Safety
/// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this level.
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn product(dtype: DType, from: *const u8, bytes: usize) {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe {
        match dtype {
            DType::F32 => {
                each!(from, bytes, |all, i, x| all[0][i] = _mm512_castps_si512(_mm512_mul_ps(ps(all[0][i]), ps(x))));
            }
            DType::F16 => halves(from, bytes, true),
            DType::Bf16 => each!(from, bytes, |all, i, x| {
                all[0][i] = _mm512_castps_si512(_mm512_mul_ps(ps(all[0][i]), low(x)));
                all[1][i] = _mm512_castps_si512(_mm512_mul_ps(ps(all[1][i]), high(x)));
            }),
            DType::I32 => each!(from, bytes, |all, i, x| all[0][i] = _mm512_mullo_epi32(all[0][i], x)),
            _ => each!(from, bytes, |all, i, x| all[0][i] = _mm512_mullo_epi16(all[0][i], x)),
        }
    }
}

/// Half precision is converted by an instruction.
///
/// # Safety
/// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this level.
#[target_feature(enable = "avx512f")]
unsafe fn halves(from: *const u8, bytes: usize, multiply: bool) {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe {
        let mut all = [[_mm512_loadu_si512(from.cast()); SIDE]; 2];
        for at in (0..bytes).step_by(32 * SIDE) {
            for (i, one) in all[0].iter_mut().enumerate() {
                let x = _mm512_cvtph_ps(_mm256_loadu_si256(from.add(at + 32 * i).cast()));
                *one =
                    _mm512_castps_si512(if multiply { _mm512_mul_ps(ps(*one), x) } else { _mm512_add_ps(ps(*one), x) });
            }
        }
        keep(&all);
    }
}

/// # Safety
/// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this level.
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn largest(dtype: DType, from: *const u8, bytes: usize) {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe {
        match dtype {
            DType::F32 => {
                each!(from, bytes, |all, i, x| all[0][i] = _mm512_castps_si512(_mm512_max_ps(ps(all[0][i]), ps(x))));
            }
            DType::F16 | DType::Bf16 => largest_half(from, bytes),
            DType::I32 => each!(from, bytes, |all, i, x| all[0][i] = _mm512_max_epi32(all[0][i], x)),
            DType::I16 => each!(from, bytes, |all, i, x| all[0][i] = _mm512_max_epi16(all[0][i], x)),
            _ => each!(from, bytes, |all, i, x| all[0][i] = _mm512_max_epi8(all[0][i], x)),
        }
    }
}

/// As integers, with a look for negative NaN in two registers at a time.
///
/// # Safety
/// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this level.
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn largest_half(from: *const u8, bytes: usize) {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe {
        let mut seen = [!0; SIDE / 2];
        let mut before = _mm512_setzero_si512();
        each!(from, bytes, |all, i, x| {
            if i % 2 == 1 {
                let both = _mm512_max_epu16(before, x);
                seen[i / 2] = _mm512_mask_cmple_epu16_mask(seen[i / 2], both, _mm512_set1_epi16(-0x400));
            }
            before = x;
            all[0][i] = _mm512_max_epi16(all[0][i], x);
        });
        black_box(seen);
    }
}

/// The largest of integers, or of floats as integers, and the number of the register it was in.
///
/// # Safety
/// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this level.
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn place(dtype: DType, from: *const u8, bytes: usize) {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe {
        let mut number = _mm512_setzero_si512();
        match dtype.bits() {
            32 => each!(from, bytes, |all, i, x| {
                let wins = _mm512_cmpgt_epi32_mask(x, all[0][i]);
                all[0][i] = _mm512_max_epi32(all[0][i], x);
                all[1][i] = _mm512_mask_mov_epi32(all[1][i], wins, number);
                number = if i == 0 { _mm512_add_epi32(number, _mm512_set1_epi32(1)) } else { number };
            }),
            16 => each!(from, bytes, |all, i, x| {
                let wins = _mm512_cmpgt_epi16_mask(x, all[0][i]);
                all[0][i] = _mm512_max_epi16(all[0][i], x);
                all[1][i] = _mm512_mask_mov_epi16(all[1][i], wins, number);
                number = if i == 0 { _mm512_add_epi32(number, _mm512_set1_epi32(1)) } else { number };
            }),
            _ => each!(from, bytes, |all, i, x| {
                let wins = _mm512_cmpgt_epi8_mask(x, all[0][i]);
                all[0][i] = _mm512_max_epi8(all[0][i], x);
                all[1][i] = _mm512_mask_mov_epi8(all[1][i], wins, number);
                number = if i == 0 { _mm512_add_epi32(number, _mm512_set1_epi32(1)) } else { number };
            }),
        }
    }
}
