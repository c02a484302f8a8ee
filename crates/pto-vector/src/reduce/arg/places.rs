//! Where rows have a known value, for many rows at a time.

use crate::bits::{WORD, first};
use crate::call::{Call, TileRef};
use crate::elem::Elem;
use std::arch::x86_64::{
    _mm512_and_si512, _mm512_loadu_si512, _mm512_lzcnt_epi64, _mm512_mask_cmpeq_epi8_mask,
    _mm512_mask_cmpeq_epi16_mask, _mm512_mask_cmpeq_epi32_mask, _mm512_mask_storeu_epi64, _mm512_maskz_loadu_epi8,
    _mm512_maskz_loadu_epi16, _mm512_maskz_loadu_epi32, _mm512_set1_epi32, _mm512_set1_epi64, _mm512_setzero_si512,
    _mm512_sub_epi64, _mm512_test_epi64_mask,
};
use std::hint::black_box;

/// Rows that are longer are searched one by one, which can end early.
const LONGEST: usize = 4 * WORD;

/// Writes the first position of `values` in up to 64 rows from `base` on, and the values if requested. False, and nothing
/// written, when that is better done one by one: in long rows, and for zeros and NaN, which have more than one code.
///
/// The type is an integer as wide as the elements; `infinity` is the code of infinity, if they have one.
///
/// # Safety
/// Every value must be an element of its row; the processor must have level `v4`.
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe")]
#[inline(never)]
pub unsafe fn places<E: Elem>(
    call: &Call<3>,
    base: usize,
    count: usize,
    values: *const E,
    infinity: Option<u64>,
) -> bool {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched; the
    // caller answers for the elements at `values`.
    unsafe {
        let [src, val, idx] = *call.tiles;
        if src.cols() > LONGEST || infinity.is_some_and(|infinity| has_several_codes(values, count, infinity)) {
            return false;
        }
        let wanted = repeated(values, count);
        let (mut numbers, mut masks) = ([0u64; WORD], [0u64; WORD]);
        // The parts of a mask are put together in memory; the compiler, if it could see through this, would do it with
        // instructions that run where the comparisons do.
        let masks = black_box(masks.as_mut_ptr());
        for word in (0..src.cols().div_ceil(WORD)).rev() {
            where_equal::<E>(&src, base, count, word, &wanted, masks);
            lowest(masks, count, word, &mut numbers);
        }
        if val.is_present() {
            for i in 0..count {
                val.at::<E>(base + i, 0).write_unaligned(values.add(i).read());
            }
        }
        let (to, step) = (idx.ptr(), idx.row_stride());
        if call.imm[0] == 2 {
            put(to.cast::<u16>().add(base * step), step, count, &numbers, |number| number as u16);
        } else {
            put(to.cast::<u32>().add(base * step), step, count, &numbers, |number| number as u32);
        }
        true
    }
}

/// True when one of the values is a zero with a sign or a NaN.
///
/// # Safety
/// All elements that the other arguments count must be readable at `values`.
#[inline(always)]
unsafe fn has_several_codes<E: Elem>(values: *const E, count: usize, infinity: u64) -> bool {
    // SAFETY: the caller answers for the elements at `values`.
    unsafe {
        let mut any = false;
        for i in 0..count {
            any |= match size_of::<E>() {
                2 => (values.cast::<u16>().add(i).read() & (u16::MAX >> 1)).wrapping_sub(1) >= infinity as u16,
                _ => (values.cast::<u32>().add(i).read() & (u32::MAX >> 1)).wrapping_sub(1) >= infinity as u32,
            };
        }
        any
    }
}

/// The bits of values, as often as 32 bits have room for them: these go to all lanes of a register without an instruction
/// that runs where the comparisons do.
///
/// # Safety
/// All elements that the other arguments count must be readable at `values`.
#[inline(always)]
unsafe fn repeated<E: Elem>(values: *const E, count: usize) -> [u32; WORD] {
    // SAFETY: the caller answers for the elements at `values`.
    unsafe {
        let mut all = [0; WORD];
        for (i, one) in all.iter_mut().enumerate().take(count) {
            *one = match size_of::<E>() {
                1 => u32::from(values.cast::<u8>().add(i).read()) * 0x0101_0101,
                2 => u32::from(values.cast::<u16>().add(i).read()) * 0x1_0001,
                _ => values.cast::<u32>().add(i).read(),
            };
        }
        all
    }
}

/// Which of the elements of a word equal the value of their row.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](crate::KernelFn) says, and the elements that are named must lie inside of
/// them; all elements that the other arguments count must be writable at `masks`.
#[inline(always)]
unsafe fn where_equal<E: Elem>(
    src: &TileRef,
    base: usize,
    count: usize,
    word: usize,
    wanted: &[u32; WORD],
    masks: *mut u64,
) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them; the caller
    // answers for the elements at `masks`.
    unsafe {
        let n = src.cols() - WORD * word;
        let from = src.row::<E>(base).cast_const().add(WORD * word);
        // A mask that is known costs nothing.
        if n >= WORD {
            for (i, value) in wanted.iter().enumerate().take(count) {
                equal::<E>(from.add(i * src.row_stride()), *value, !0, masks.add(i));
            }
        } else {
            for (i, value) in wanted.iter().enumerate().take(count) {
                equal::<E>(from.add(i * src.row_stride()), *value, first(n), masks.add(i));
            }
        }
    }
}

/// Which of 64 elements equal a value.
///
/// # Safety
/// All elements that the other arguments count must be readable at `from` and writable at `mask`.
#[inline(always)]
unsafe fn equal<E: Elem>(from: *const E, wanted: u32, valid: u64, mask: *mut u64) {
    // SAFETY: the caller answers for the elements at `from` and `mask`.
    unsafe {
        let wanted = _mm512_set1_epi32(wanted as i32);
        match size_of::<E>() {
            1 => {
                let x = _mm512_maskz_loadu_epi8(valid, from.cast());
                *mask = _mm512_mask_cmpeq_epi8_mask(valid, x, wanted);
            }
            2 => {
                for i in 0..2 {
                    let valid = (valid >> (32 * i)) as u32;
                    let x = _mm512_maskz_loadu_epi16(valid, from.wrapping_add(32 * i).cast());
                    mask.cast::<u32>().add(i).write(_mm512_mask_cmpeq_epi16_mask(valid, x, wanted));
                }
            }
            _ => {
                for i in 0..4 {
                    let valid = (valid >> (16 * i)) as u16;
                    let x = _mm512_maskz_loadu_epi32(valid, from.wrapping_add(16 * i).cast());
                    mask.cast::<u16>().add(i).write(_mm512_mask_cmpeq_epi32_mask(valid, x, wanted));
                }
            }
        }
    }
}

/// The number of the lowest bit of each mask that has one.
///
/// # Safety
/// All elements that the other arguments count must be readable at `masks`.
#[inline(always)]
unsafe fn lowest(masks: *const u64, count: usize, word: usize, numbers: &mut [u64; WORD]) {
    // SAFETY: the caller answers for the elements at `masks`.
    unsafe {
        let top = _mm512_set1_epi64((WORD * word + WORD - 1) as i64);
        for i in (0..count).step_by(8) {
            let mask = _mm512_loadu_si512(masks.add(i).cast());
            let bit = _mm512_and_si512(mask, _mm512_sub_epi64(_mm512_setzero_si512(), mask));
            let number = _mm512_sub_epi64(top, _mm512_lzcnt_epi64(bit));
            _mm512_mask_storeu_epi64(numbers.as_mut_ptr().add(i).cast(), _mm512_test_epi64_mask(mask, mask), number);
        }
    }
}

/// # Safety
/// All elements that the other arguments count must be writable at `to`.
#[inline(always)]
unsafe fn put<T>(to: *mut T, step: usize, count: usize, numbers: &[u64; WORD], low: impl Fn(u64) -> T) {
    // SAFETY: the caller answers for the elements at `to`.
    unsafe {
        if step == 1 {
            for (i, number) in numbers.iter().enumerate().take(count) {
                to.add(i).write_unaligned(low(*number));
            }
        } else {
            for (i, number) in numbers.iter().enumerate().take(count) {
                to.add(i * step).write_unaligned(low(*number));
            }
        }
    }
}
