//! Columns in AVX-512 registers: the best element of each and its row.

use super::super::fold::{Largest, Smallest};
use super::super::rank::Rank;
use super::{plain_arg, put_column};
use crate::bits::{WORD, first};
use crate::call::Call;
use crate::elem::Elem;
use crate::map::read;
use crate::mask::{Greater, Less, Test};
use pto_num::{Bf16, F16};
use std::arch::x86_64::{
    __m512i, _CMP_ORD_Q, _mm512_add_epi16, _mm512_and_si512, _mm512_castsi512_ps, _mm512_mask_cmp_ps_mask,
    _mm512_mask_mov_epi16, _mm512_mask_mov_epi32, _mm512_maskz_loadu_epi16, _mm512_maskz_loadu_epi32, _mm512_max_epi16,
    _mm512_min_epi16, _mm512_set1_epi16, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_srai_epi16,
    _mm512_storeu_si512, _mm512_sub_epi16, _mm512_xor_si512,
};

/// A ranking of elements in registers.
///
/// # Safety
/// Every function needs the processor to have level `v4`.
pub trait Search<E: Elem>: Rank<E> {
    /// False where there is none; the functions must not be called then.
    const PRESENT: bool = true;
    /// True when a NaN must be looked for on the side.
    const WATCHED: bool = false;

    /// Elements as lanes to compare.
    unsafe fn keys(x: __m512i) -> __m512i;
    /// Where `a` wins against `b`.
    unsafe fn where_wins(a: __m512i, b: __m512i) -> u64;
}

macro_rules! search {
    ($($elem:ident $key:ident $watched:literal |$x:ident| $largest:expr, $smallest:expr;)+) => {$(
        search!(@ Largest Greater $elem $key $watched, $x, $largest);
        search!(@ Smallest Less $elem $key $watched, $x, $smallest);
    )+};
    (@ $fold:ident $test:ident $elem:ident $key:ident $watched:literal, $x:ident, $keys:expr) => {
        impl Search<$elem> for $fold {
            const WATCHED: bool = $watched;
            #[inline(always)]
            unsafe fn keys($x: __m512i) -> __m512i {
                $keys
            }
            #[inline(always)]
            unsafe fn where_wins(a: __m512i, b: __m512i) -> u64 {
                <$test as Test<$key>>::lanes(!0, a, b)
            }
        }
    };
}
search! {
    i16 i16 false |x| x, x;
    u16 u16 false |x| x, x;
    i32 i32 false |x| x, x;
    u32 u32 false |x| x, x;
    f32 f32 true |x| x, x;
    F16 i16 false |x| _mm512_min_epi16(turned(x, -0x400), _mm512_set1_epi16(0x7801)),
        _mm512_max_epi16(turned(x, 0x3ff), _mm512_set1_epi16(-0x7802));
    Bf16 i16 false |x| _mm512_min_epi16(turned(x, -0x80), _mm512_set1_epi16(0x7f01)),
        _mm512_max_epi16(turned(x, 0x7f), _mm512_set1_epi16(-0x7f02));
}

/// Sign and magnitude as a number, turned so that all NaNs are at one end; see [`Rank`].
#[inline(always)]
unsafe fn turned(x: __m512i, turn: i16) -> __m512i {
    let sign = _mm512_srai_epi16::<15>(x);
    let magnitude = _mm512_and_si512(x, _mm512_set1_epi16(i16::MAX));
    let value = _mm512_sub_epi16(_mm512_xor_si512(magnitude, sign), sign);
    _mm512_add_epi16(value, _mm512_set1_epi16(turn))
}

macro_rules! without {
    ($($elem:ident)+) => {$(
        without!(@ Largest $elem);
        without!(@ Smallest $elem);
    )+};
    (@ $fold:ident $elem:ident) => {
        impl Search<$elem> for $fold {
            const PRESENT: bool = false;
            unsafe fn keys(x: __m512i) -> __m512i {
                x
            }
            unsafe fn where_wins(_: __m512i, _: __m512i) -> u64 {
                0
            }
        }
    };
}
without!(i8 u8 i64 u64);

/// Results for up to 64 columns from `at` on.
///
/// # Safety
/// The columns must lie in the tiles; the processor must have level `v4`.
#[inline(always)]
pub unsafe fn columns<F: Search<E>, E: Elem>(call: &Call, at: usize, n: usize) {
    if size_of::<E>() == 2 {
        registers::<F, E, 2>(call, at, n);
    } else {
        registers::<F, E, 4>(call, at, n);
    }
}

#[inline(always)]
unsafe fn registers<F: Search<E>, E: Elem, const COUNT: usize>(call: &Call, at: usize, n: usize) {
    let [src, ..] = *call.tiles else { return };
    let valid = first(n);
    let row = src.row::<E>(0).cast_const().add(at);
    let mut seen = !0;
    let mut best = load::<F, E, COUNT>(row, valid, &mut seen);
    let mut rows = [_mm512_setzero_si512(); COUNT];
    for r in 1..src.rows {
        let x = load::<F, E, COUNT>(row.add(r * src.row_stride), valid, &mut seen);
        let number = if COUNT == 2 { _mm512_set1_epi16(r as i16) } else { _mm512_set1_epi32(r as i32) };
        for i in 0..COUNT {
            let wins = F::where_wins(x[i], best[i]);
            best[i] = pick::<COUNT>(best[i], wins, x[i]);
            rows[i] = pick::<COUNT>(rows[i], wins, number);
        }
    }
    if F::WATCHED && seen != !0 {
        return exactly::<F, E>(call, at, n);
    }
    let mut numbers = [0u32; WORD];
    if COUNT == 2 {
        let mut short = [0u16; WORD];
        for (i, rows) in rows.into_iter().enumerate() {
            _mm512_storeu_si512(short.as_mut_ptr().add(32 * i).cast(), rows);
        }
        for (number, short) in numbers.iter_mut().zip(short) {
            *number = short.into();
        }
    } else {
        for (i, rows) in rows.into_iter().enumerate() {
            _mm512_storeu_si512(numbers.as_mut_ptr().add(16 * i).cast(), rows);
        }
    }
    for (i, number) in numbers.into_iter().take(n).enumerate() {
        put_column::<E>(call, at + i, number);
    }
}

#[inline(always)]
unsafe fn load<F: Search<E>, E: Elem, const COUNT: usize>(
    row: *const E,
    valid: u64,
    seen: &mut u16,
) -> [__m512i; COUNT] {
    let lanes = WORD / COUNT;
    let mut x = [_mm512_setzero_si512(); COUNT];
    for (i, x) in x.iter_mut().enumerate() {
        let (from, valid) = (row.wrapping_add(i * lanes), valid >> (i * lanes));
        let bits = if COUNT == 2 {
            _mm512_maskz_loadu_epi16(valid as u32, from.cast())
        } else {
            _mm512_maskz_loadu_epi32(valid as u16, from.cast())
        };
        *x = F::keys(bits);
    }
    if F::WATCHED {
        for i in (0..COUNT).step_by(2) {
            let (a, b) = (_mm512_castsi512_ps(x[i]), _mm512_castsi512_ps(x[i + 1]));
            *seen = _mm512_mask_cmp_ps_mask::<_CMP_ORD_Q>(*seen, a, b);
        }
    }
    x
}

#[inline(always)]
unsafe fn pick<const COUNT: usize>(old: __m512i, which: u64, new: __m512i) -> __m512i {
    if COUNT == 2 {
        _mm512_mask_mov_epi16(old, which as u32, new)
    } else {
        _mm512_mask_mov_epi32(old, which as u16, new)
    }
}

/// The same columns one by one, when there is a NaN among them.
#[cold]
#[inline(never)]
unsafe fn exactly<F: Rank<E>, E: Elem>(call: &Call, at: usize, n: usize) {
    let [src, ..] = call.tiles else { return };
    for col in at..at + n {
        let row = plain_arg::<F, E>(src.rows, |r| read(src, r, col));
        put_column::<E>(call, col, row as u32);
    }
}
