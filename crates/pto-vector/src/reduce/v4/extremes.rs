//! Extremes of floats.
//!
//! The instructions that order signed zeros lose NaN, and integer keys that sort like floats are expensive to compute. So both are done
//! only when a cheap way fails: one that is right if it met no NaN, and for 16-bit floats if the result has the sign that
//! it usually has.

use super::super::fold::{Largest, Smallest};
use super::{Registers, load};
use pto_num::{Bf16, F16};
use std::arch::x86_64::{
    __m512i, _CMP_ORD_Q, _mm512_add_epi16, _mm512_add_epi32, _mm512_and_si512, _mm512_castps_si512,
    _mm512_castsi512_ps, _mm512_mask_cmp_ps_mask, _mm512_mask_cmple_epi16_mask, _mm512_mask_cmple_epu16_mask,
    _mm512_mask_loadu_epi16, _mm512_mask_loadu_epi32, _mm512_mask_mov_epi16, _mm512_mask_mov_epi32,
    _mm512_maskz_loadu_epi16, _mm512_maskz_loadu_epi32, _mm512_max_epi16, _mm512_max_epi32, _mm512_max_epu16,
    _mm512_min_epi16, _mm512_min_epi32, _mm512_movepi16_mask, _mm512_range_ps, _mm512_set1_epi16, _mm512_set1_epi32,
    _mm512_srai_epi16, _mm512_srai_epi32, _mm512_storeu_si512, _mm512_sub_epi16, _mm512_sub_epi32, _mm512_xor_si512,
};
use std::marker::PhantomData;

/// The fold by integers that order as the elements do, as [`Fold::take`](super::super::fold::Fold::take) makes them.
pub struct Keys<F>(PhantomData<F>);

macro_rules! keys {
    ($($fold:ident $elem:ident $bits:tt, $start:expr, $turn:expr, $join:ident $max:expr;)+) => {$(
        impl Registers<$elem> for Keys<$fold> {
            const SIDE: usize = $bits / 8;
            const BYTES: usize = $bits / 8;
            type Exact = Self;
            type Odd = Self;
            type Seen = ();
            const NOTHING: () = ();
            #[inline(always)]
            unsafe fn load(from: *const $elem, valid: u64) -> __m512i {
                // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this
                // level.
                unsafe {
                    keys!(@load $bits, $start, $turn, $max, from, valid)
                }
            }
            #[inline(always)]
            unsafe fn merge(a: __m512i, b: __m512i) -> __m512i {
                // SAFETY: the processor has the instructions of this level.
                unsafe {
                    $join(a, b)
                }
            }
            #[inline(always)]
            unsafe fn put(x: __m512i, to: *mut $elem) {
                // SAFETY: the caller answers for the elements at `to`; the processor has the instructions of this
                // level.
                unsafe {
                    _mm512_storeu_si512(to.cast(), keys!(@back $bits, $turn, $max, x));
                }
            }
        }
    )+};
    (@load 16, $start:expr, $turn:expr, $max:expr, $from:ident, $valid:ident) => {{
        let bits = _mm512_maskz_loadu_epi16($valid as u32, $from.cast());
        let flip = _mm512_and_si512(_mm512_srai_epi16::<15>(bits), _mm512_set1_epi16($max));
        let keys = _mm512_add_epi16(_mm512_xor_si512(bits, flip), _mm512_set1_epi16($turn));
        _mm512_mask_mov_epi16(_mm512_set1_epi16($start), $valid as u32, keys)
    }};
    (@load 32, $start:expr, $turn:expr, $max:expr, $from:ident, $valid:ident) => {{
        let bits = _mm512_maskz_loadu_epi32($valid as u16, $from.cast());
        let flip = _mm512_and_si512(_mm512_srai_epi32::<31>(bits), _mm512_set1_epi32($max));
        let keys = _mm512_add_epi32(_mm512_xor_si512(bits, flip), _mm512_set1_epi32($turn));
        _mm512_mask_mov_epi32(_mm512_set1_epi32($start), $valid as u16, keys)
    }};
    (@back 16, $turn:expr, $max:expr, $x:ident) => {{
        let key = _mm512_sub_epi16($x, _mm512_set1_epi16($turn));
        _mm512_xor_si512(key, _mm512_and_si512(_mm512_srai_epi16::<15>(key), _mm512_set1_epi16($max)))
    }};
    (@back 32, $turn:expr, $max:expr, $x:ident) => {{
        let key = _mm512_sub_epi32($x, _mm512_set1_epi32($turn));
        _mm512_xor_si512(key, _mm512_and_si512(_mm512_srai_epi32::<31>(key), _mm512_set1_epi32($max)))
    }};
}
keys! {
    Largest f32 32, i32::MIN, -0x7f_ffff, _mm512_max_epi32 i32::MAX;
    Largest F16 16, i16::MIN, -0x3ff, _mm512_max_epi16 i16::MAX;
    Largest Bf16 16, i16::MIN, -0x7f, _mm512_max_epi16 i16::MAX;
    Smallest f32 32, i32::MAX, 0x7f_ffff, _mm512_min_epi32 i32::MAX;
    Smallest F16 16, i16::MAX, 0x3ff, _mm512_min_epi16 i16::MAX;
    Smallest Bf16 16, i16::MAX, 0x7f, _mm512_min_epi16 i16::MAX;
}

/// Single precision: the instruction orders signed zeros; NaN is tested separately, two registers per comparison.
macro_rules! single {
    ($($fold:ident $start:expr, $which:literal;)+) => {$(
        impl Registers<f32> for $fold {
            const WATCHED: bool = true;
            type Exact = Keys<Self>;
            type Odd = Self;
            type Seen = u16;
            const NOTHING: u16 = !0;
            #[inline(always)]
            unsafe fn load(from: *const f32, valid: u64) -> __m512i {
                // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this
                // level.
                unsafe {
                    load!(32, $start, from, valid)
                }
            }
            #[inline(always)]
            unsafe fn merge(a: __m512i, b: __m512i) -> __m512i {
                // SAFETY: the processor has the instructions of this level.
                unsafe {
                    let (a, b) = (_mm512_castsi512_ps(a), _mm512_castsi512_ps(b));
                    _mm512_castps_si512(_mm512_range_ps::<$which>(a, b))
                }
            }
            #[inline(always)]
            unsafe fn put(x: __m512i, to: *mut f32) {
                // SAFETY: the caller answers for the elements at `to`; the processor has the instructions of this
                // level.
                unsafe {
                    _mm512_storeu_si512(to.cast(), x);
                }
            }
            #[inline(always)]
            unsafe fn watch(seen: u16, a: __m512i, b: __m512i) -> u16 {
                // SAFETY: the processor has the instructions of this level.
                unsafe {
                    let (a, b) = (_mm512_castsi512_ps(a), _mm512_castsi512_ps(b));
                    _mm512_mask_cmp_ps_mask::<_CMP_ORD_Q>(seen, a, b)
                }
            }
        }
    )+};
}
// The sign of the result is that of the operand; 1 is the larger, 0 the smaller.
single! {
    Largest 0xff80_0000u32 as i32, 0b0101;
    Smallest 0x7f80_0000, 0b0100;
}

/// The largest of 16-bit floats. As signed integers, positive ones are in order and above the negative ones, and positive
/// NaN is above all; negative NaN is the largest unsigned integer. So the largest integer is the result, if it has no sign
/// and no negative NaN was met.
macro_rules! half_largest {
    ($($elem:ident $infinity:expr;)+) => {$(
        impl Registers<$elem> for Largest {
            const WATCHED: bool = true;
            const SIDE: usize = 2;
            const BYTES: usize = 2;
            type Exact = Keys<Self>;
            type Odd = Self;
            type Seen = u32;
            const NOTHING: u32 = !0;
            #[inline(always)]
            unsafe fn load(from: *const $elem, valid: u64) -> __m512i {
                // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this
                // level.
                unsafe {
                    load!(16, i16::MIN, from, valid)
                }
            }
            #[inline(always)]
            unsafe fn merge(a: __m512i, b: __m512i) -> __m512i {
                // SAFETY: the processor has the instructions of this level.
                unsafe {
                    _mm512_max_epi16(a, b)
                }
            }
            #[inline(always)]
            unsafe fn put(x: __m512i, to: *mut $elem) {
                // SAFETY: the caller answers for the elements at `to`; the processor has the instructions of this
                // level.
                unsafe {
                    _mm512_storeu_si512(to.cast(), x);
                }
            }
            #[inline(always)]
            unsafe fn watch(seen: u32, a: __m512i, b: __m512i) -> u32 {
                // SAFETY: the processor has the instructions of this level.
                unsafe {
                    let infinity = _mm512_set1_epi16(($infinity | 0x8000u16) as i16);
                    _mm512_mask_cmple_epu16_mask(seen, _mm512_max_epu16(a, b), infinity)
                }
            }
            #[inline(always)]
            unsafe fn is_promising(x: __m512i) -> bool {
                // SAFETY: the processor has the instructions of this level.
                unsafe {
                    _mm512_movepi16_mask(x) != !0
                }
            }
            #[inline(always)]
            unsafe fn is_settled(x: __m512i) -> bool {
                // SAFETY: the processor has the instructions of this level.
                unsafe {
                    _mm512_movepi16_mask(x) == 0
                }
            }
        }
    )+};
}
half_largest! {
    F16 0x7c00;
    Bf16 0x7f80;
}

/// The smallest of 16-bit floats. As unsigned integers, negative ones are in the opposite order and above the positive
/// ones, and negative NaN is above all; positive NaN is the largest signed integer. So the largest integer is the result,
/// if it has the sign and no positive NaN was met.
macro_rules! half_smallest {
    ($($elem:ident $infinity:expr;)+) => {$(
        impl Registers<$elem> for Smallest {
            const WATCHED: bool = true;
            const SIDE: usize = 2;
            const BYTES: usize = 2;
            type Exact = Keys<Self>;
            type Odd = Self;
            type Seen = u32;
            const NOTHING: u32 = !0;
            #[inline(always)]
            unsafe fn load(from: *const $elem, valid: u64) -> __m512i {
                // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this
                // level.
                unsafe {
                    load!(16, 0, from, valid)
                }
            }
            #[inline(always)]
            unsafe fn merge(a: __m512i, b: __m512i) -> __m512i {
                // SAFETY: the processor has the instructions of this level.
                unsafe {
                    _mm512_max_epu16(a, b)
                }
            }
            #[inline(always)]
            unsafe fn put(x: __m512i, to: *mut $elem) {
                // SAFETY: the caller answers for the elements at `to`; the processor has the instructions of this
                // level.
                unsafe {
                    _mm512_storeu_si512(to.cast(), x);
                }
            }
            #[inline(always)]
            unsafe fn watch(seen: u32, a: __m512i, b: __m512i) -> u32 {
                // SAFETY: the processor has the instructions of this level.
                unsafe {
                    _mm512_mask_cmple_epi16_mask(seen, _mm512_max_epi16(a, b), _mm512_set1_epi16($infinity))
                }
            }
            #[inline(always)]
            unsafe fn is_promising(x: __m512i) -> bool {
                // SAFETY: the processor has the instructions of this level.
                unsafe {
                    _mm512_movepi16_mask(x) != 0
                }
            }
            #[inline(always)]
            unsafe fn is_settled(x: __m512i) -> bool {
                // SAFETY: the processor has the instructions of this level.
                unsafe {
                    _mm512_movepi16_mask(x) == !0
                }
            }
        }
    )+};
}
half_smallest! {
    F16 0x7c00;
    Bf16 0x7f80;
}
