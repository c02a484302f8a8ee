//! Factors of 8-bit floats, with or without powers of two that scale them, as bf16: 32 numbers along `k` at a time, which have
//! one scale.

use super::factor::{Factor, Scaling};
use super::pack::{Boxes, geometry, left_steps};
use super::strip::GROUP;
use super::x86::transpose_v4;
use pto_isa::{DType, Order};
use pto_num::{F8E4M3, F8E5M2};
use std::arch::x86_64::*;
use std::sync::LazyLock;

/// Steps of `k` in a box, and bytes of its rows.
const DEPTH: usize = 32;
/// Rows or columns of a box.
const SIDE: usize = 16;
/// Sentinel for a number that bf16 does not hold: a subnormal, so that the fallback computes the block.
const TOO_SMALL: i16 = 1;

/// The numbers of a type as bits of bf16, without sign.
type Bf16Numbers = [u16; 128];

/// The table of a factor whose numbers these functions take.
fn table(factor: &Factor) -> Option<&'static Bf16Numbers> {
    static TABLES: LazyLock<[Bf16Numbers; 2]> = LazyLock::new(|| {
        let half = |x: f32| (x.to_bits() >> 16) as u16;
        [
            std::array::from_fn(|code| half(F8E4M3(code as u8).to_f32())),
            std::array::from_fn(|code| half(F8E5M2(code as u8).to_f32())),
        ]
    });
    if !matches!(factor.scaling, Scaling::None | Scaling::Exponents) || geometry(factor).fractal != 512 {
        return None;
    }
    match factor.dtype {
        DType::F8E4M3 => Some(&TABLES[0]),
        DType::F8E5M2 => Some(&TABLES[1]),
        _ => None,
    }
}

/// Sixteen rows of a left factor as tiles. False, and nothing is written, when it is not made of whole boxes.
///
/// # Safety
/// The rows and steps must lie in the tile, and `out` must have room; the processor must have level `v4`.
pub unsafe fn left(factor: &Factor, row: usize, k: (usize, usize), out: *mut u32) -> bool {
    // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them; the caller answers
    // for the elements at `out`.
    unsafe {
        let ty = geometry(factor);
        let whole = (k.0 | k.1).is_multiple_of(DEPTH) && ty.rows >= SIDE as u64;
        let (Some(table), Some((step, block)), true) = (table(factor), left_steps(ty), whole) else { return false };
        let base = factor.tile.ptr().add(4 * (row / SIDE * block));
        for tile in 0..k.1 / DEPTH {
            let step_of_k = k.0 + tile * DEPTH;
            let from = base.add(4 * (step_of_k / DEPTH * step));
            for r in 0..SIDE {
                let line = widened(table, from.add(r * DEPTH), exponent(factor, row + r, step_of_k));
                _mm512_storeu_si512(out.add((tile * SIDE + r) * SIDE).cast(), line);
            }
        }
        true
    }
}

/// Sixteen columns of a right factor as tiles; otherwise like [`left`].
///
/// # Safety
/// As [`left`].
pub unsafe fn right(factor: &Factor, col: usize, k: (usize, usize), out: *mut u32) -> bool {
    // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them; the caller answers
    // for the elements at `out`.
    unsafe {
        let ty = geometry(factor);
        let whole = (k.0 | k.1 | ty.rows as usize).is_multiple_of(DEPTH) && ty.order() == Order::Zn;
        let (Some(table), true) = (table(factor), whole) else { return false };
        let base = factor.tile.ptr().add(col * DEPTH);
        // Two boxes of bf16, as they would lie in a tile.
        let mut boxes = [[0u32; SIDE * GROUP]; 2];
        for tile in 0..k.1 / DEPTH {
            let step_of_k = k.0 + tile * DEPTH;
            let from = base.add(step_of_k * ty.cols as usize);
            for c in 0..SIDE {
                let line = widened(table, from.add(c * DEPTH), exponent(factor, col + c, step_of_k));
                let [first, second] = &mut boxes;
                _mm256_storeu_si256(first.as_mut_ptr().add(c * GROUP).cast(), _mm512_castsi512_si256(line));
                _mm256_storeu_si256(second.as_mut_ptr().add(c * GROUP).cast(), _mm512_extracti64x4_epi64::<1>(line));
            }
            let to = out.add(tile * SIDE * SIDE);
            transpose_v4(&Boxes { from: boxes.as_ptr().cast(), count: 2, next: SIDE * GROUP, to, step: SIDE });
        }
        true
    }
}

/// The exponent that 32 numbers are scaled by; nothing where it is not a number.
///
/// # Safety
/// The factors must be those of a call, as [`KernelFn`](pto_vector::KernelFn) says, and rows, columns and depths must lie inside
/// of them.
unsafe fn exponent(factor: &Factor, at: usize, k: usize) -> Option<i16> {
    // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
    unsafe {
        let scale = factor.factor(at, k);
        // Powers of two below the normal numbers are not worth a case.
        scale.is_normal().then(|| ((scale.to_bits() >> 23) as i16) - 127)
    }
}

/// Thirty-two numbers.
///
/// # Safety
/// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this level.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx2")]
unsafe fn widened(table: &Bf16Numbers, from: *const u8, exponent: Option<i16>) -> __m512i {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe {
        let Some(exponent) = exponent else { return _mm512_set1_epi16(TOO_SMALL) };
        let part = |i: usize| _mm512_loadu_si512(table.as_ptr().add(32 * i).cast());
        let codes = _mm512_cvtepu8_epi16(_mm256_loadu_si256(from.cast()));
        let low = _mm512_permutex2var_epi16(part(0), codes, part(1));
        let high = _mm512_permutex2var_epi16(part(2), codes, part(3));
        let number = _mm512_mask_mov_epi16(low, _mm512_test_epi16_mask(codes, _mm512_set1_epi16(0x40)), high);
        let sign = _mm512_slli_epi16::<8>(_mm512_and_si512(codes, _mm512_set1_epi16(0x80)));
        // An addition that saturates: numbers that become too small or too large stay recognisable.
        let scaled = _mm512_adds_epi16(number, _mm512_set1_epi16(exponent << 7));
        let is_number = _mm512_test_epi16_mask(number, number);
        let in_range = _mm512_cmpge_epi16_mask(scaled, _mm512_set1_epi16(0x80))
            & _mm512_cmplt_epi16_mask(scaled, _mm512_set1_epi16(0x7f80))
            & _mm512_cmplt_epi16_mask(number, _mm512_set1_epi16(0x7f80));
        let result = _mm512_or_si512(_mm512_maskz_mov_epi16(is_number, scaled), sign);
        _mm512_mask_mov_epi16(result, is_number & !in_range, _mm512_set1_epi16(TOO_SMALL))
    }
}
