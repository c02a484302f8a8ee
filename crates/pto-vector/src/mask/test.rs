//! Single comparisons, and 64 of them at once.

use crate::bits;
use crate::bits::WORD;
use crate::elem::Elem;
#[cfg(target_arch = "x86_64")]
use crate::level::is_v4;
use pto_num::{Bf16, F16, Level};

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m512i, _CMP_EQ_OQ, _CMP_GE_OQ, _CMP_GT_OQ, _CMP_LE_OQ, _CMP_LT_OQ, _MM_CMPINT_EQ, _MM_CMPINT_LE, _MM_CMPINT_LT,
    _MM_CMPINT_NLE, _MM_CMPINT_NLT, _mm256_maskz_loadu_epi16, _mm512_and_si512, _mm512_castps_si512,
    _mm512_castsi512_ps, _mm512_cvtepu16_epi32, _mm512_cvtph_ps, _mm512_mask_cmp_epi8_mask, _mm512_mask_cmp_epi16_mask,
    _mm512_mask_cmp_epi32_mask, _mm512_mask_cmp_epi64_mask, _mm512_mask_cmp_epu8_mask, _mm512_mask_cmp_epu16_mask,
    _mm512_mask_cmp_epu32_mask, _mm512_mask_cmp_epu64_mask, _mm512_mask_cmp_ps_mask, _mm512_maskz_loadu_epi8,
    _mm512_maskz_loadu_epi16, _mm512_maskz_loadu_epi32, _mm512_maskz_loadu_epi64, _mm512_set1_epi8, _mm512_set1_epi16,
    _mm512_set1_epi32, _mm512_set1_epi64, _mm512_set1_ps, _mm512_slli_epi32,
};

/// `a == b`
pub struct Equal;
/// `a < b`
pub struct Less;
/// `a <= b`
pub struct LessEqual;
/// `a > b`
pub struct Greater;
/// `a >= b`
pub struct GreaterEqual;

/// A comparison of values.
pub trait Test<W>: 'static {
    /// Its answer.
    fn test(a: W, b: W) -> bool;

    /// The answers for the lanes of two vectors, false where `valid` is.
    ///
    /// # Safety
    /// The processor must have level `v4`.
    #[cfg(target_arch = "x86_64")]
    unsafe fn lanes(valid: u64, a: __m512i, b: __m512i) -> u64;
}

macro_rules! tests {
    ($($test:ident $sign:tt $int:ident $float:ident;)+) => {$(
        tests!(@ $test $sign $int, i8 _mm512_mask_cmp_epi8_mask u64);
        tests!(@ $test $sign $int, u8 _mm512_mask_cmp_epu8_mask u64);
        tests!(@ $test $sign $int, i16 _mm512_mask_cmp_epi16_mask u32);
        tests!(@ $test $sign $int, u16 _mm512_mask_cmp_epu16_mask u32);
        tests!(@ $test $sign $int, i32 _mm512_mask_cmp_epi32_mask u16);
        tests!(@ $test $sign $int, u32 _mm512_mask_cmp_epu32_mask u16);
        tests!(@ $test $sign $int, i64 _mm512_mask_cmp_epi64_mask u8);
        tests!(@ $test $sign $int, u64 _mm512_mask_cmp_epu64_mask u8);

        impl Test<f32> for $test {
            #[inline(always)]
            fn test(a: f32, b: f32) -> bool {
                a $sign b
            }
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            unsafe fn lanes(valid: u64, a: __m512i, b: __m512i) -> u64 {
                // SAFETY: the processor has the instructions of this level.
                unsafe {
                    let (a, b) = (_mm512_castsi512_ps(a), _mm512_castsi512_ps(b));
                    u64::from(_mm512_mask_cmp_ps_mask::<$float>(valid as u16, a, b))
                }
            }
        }
    )+};
    (@ $test:ident $sign:tt $int:ident, $type:ident $compare:ident $mask:ident) => {
        impl Test<$type> for $test {
            #[inline(always)]
            fn test(a: $type, b: $type) -> bool {
                a $sign b
            }
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            unsafe fn lanes(valid: u64, a: __m512i, b: __m512i) -> u64 {
                // SAFETY: the processor has the instructions of this level.
                unsafe {
                    $compare::<$int>(valid as $mask, a, b) as u64
                }
            }
        }
    };
}
tests! {
    Equal == _MM_CMPINT_EQ _CMP_EQ_OQ;
    Less < _MM_CMPINT_LT _CMP_LT_OQ;
    LessEqual <= _MM_CMPINT_LE _CMP_LE_OQ;
    Greater > _MM_CMPINT_NLE _CMP_GT_OQ;
    GreaterEqual >= _MM_CMPINT_NLT _CMP_GE_OQ;
}

/// Elements as vectors to compare: of the element itself, or widened to single precision.
pub trait Lanes: Elem {
    /// The lanes that `valid` has of a run of elements.
    ///
    /// # Safety
    /// The elements must be readable; the processor must have level `v4`.
    #[cfg(target_arch = "x86_64")]
    unsafe fn vector(from: *const Self, valid: u64) -> __m512i;

    /// One element in every lane.
    ///
    /// # Safety
    /// The processor must have level `v4`.
    #[cfg(target_arch = "x86_64")]
    unsafe fn splat(self) -> __m512i;
}

macro_rules! lanes {
    ($($type:ident $load:ident $mask:ident $splat:ident $as:ident;)+) => {$(
        impl Lanes for $type {
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            unsafe fn vector(from: *const Self, valid: u64) -> __m512i {
                // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this
                // level.
                unsafe {
                    $load(valid as $mask, from.cast())
                }
            }
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            unsafe fn splat(self) -> __m512i {
                // SAFETY: the processor has the instructions of this level.
                unsafe {
                    $splat(self as $as)
                }
            }
        }
    )+};
}
lanes! {
    i8 _mm512_maskz_loadu_epi8 u64 _mm512_set1_epi8 i8;
    u8 _mm512_maskz_loadu_epi8 u64 _mm512_set1_epi8 i8;
    i16 _mm512_maskz_loadu_epi16 u32 _mm512_set1_epi16 i16;
    u16 _mm512_maskz_loadu_epi16 u32 _mm512_set1_epi16 i16;
    i32 _mm512_maskz_loadu_epi32 u16 _mm512_set1_epi32 i32;
    u32 _mm512_maskz_loadu_epi32 u16 _mm512_set1_epi32 i32;
    i64 _mm512_maskz_loadu_epi64 u8 _mm512_set1_epi64 i64;
    u64 _mm512_maskz_loadu_epi64 u8 _mm512_set1_epi64 i64;
}

impl Lanes for f32 {
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn vector(from: *const Self, valid: u64) -> __m512i {
        // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
        unsafe { _mm512_maskz_loadu_epi32(valid as u16, from.cast()) }
    }
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn splat(self) -> __m512i {
        // SAFETY: the processor has the instructions of this level.
        unsafe { _mm512_castps_si512(_mm512_set1_ps(self)) }
    }
}

impl Lanes for F16 {
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn vector(from: *const Self, valid: u64) -> __m512i {
        // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
        unsafe { _mm512_castps_si512(_mm512_cvtph_ps(_mm256_maskz_loadu_epi16(valid as u16, from.cast()))) }
    }
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn splat(self) -> __m512i {
        // SAFETY: the processor has the instructions of this level.
        unsafe { self.to_f32().splat() }
    }
}

impl Lanes for Bf16 {
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn vector(from: *const Self, valid: u64) -> __m512i {
        // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
        unsafe {
            let wide = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(valid as u16, from.cast()));
            _mm512_slli_epi32::<16>(wide)
        }
    }
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn splat(self) -> __m512i {
        // SAFETY: the processor has the instructions of this level.
        unsafe { self.to_f32().splat() }
    }
}

/// The second operand.
#[derive(Clone, Copy)]
pub enum Right<E> {
    /// Elements that advance with the first operand.
    Row(*const E),
    /// The same for all.
    Value(E),
}

impl<E: Copy> Right<E> {
    /// The operand of the elements from `at` on.
    ///
    /// # Safety
    /// The row must reach that far.
    #[inline(always)]
    pub unsafe fn from(self, at: usize) -> Self {
        // SAFETY: the row has at least this many elements.
        unsafe {
            match self {
                Self::Row(row) => Self::Row(row.add(at)),
                value @ Self::Value(_) => value,
            }
        }
    }
}

/// The answers for the next 64 elements of a row, or for the `n` that are left; further bits are zero.
///
/// # Safety
/// The elements must be readable; the processor must have the level.
#[inline(always)]
pub unsafe fn word<L: Level, T: Test<E::Wide>, E: Lanes>(a: *const E, b: Right<E>, n: usize) -> u64 {
    // SAFETY: the caller answers for the elements at `a`; the processor has the instructions of this level.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if const { is_v4::<L>() } {
            return word_v4::<T, E>(a, b, if n >= WORD { !0 } else { bits::first(n) });
        }
        let x = E::load::<L, WORD>(&bits::filled(a, n));
        let mut bytes = [0; WORD];
        match b {
            Right::Row(b) => {
                let y = E::load::<L, WORD>(&bits::filled(b, n));
                for i in 0..WORD {
                    bytes[i] = u8::from(T::test(x[i], y[i]));
                }
            }
            Right::Value(b) => {
                for i in 0..WORD {
                    bytes[i] = u8::from(T::test(x[i], b.widen()));
                }
            }
        }
        bits::of::<L>(bytes) & bits::first(n)
    }
}

/// # Safety
/// All elements that the other arguments count must be readable at `a`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn word_v4<T: Test<E::Wide>, E: Lanes>(a: *const E, b: Right<E>, valid: u64) -> u64 {
    // SAFETY: the caller answers for the elements at `a`.
    unsafe {
        let lanes = 64 / size_of::<E::Wide>();
        let mut word = 0;
        for i in 0..WORD / lanes {
            let valid = valid >> (i * lanes);
            let x = E::vector(a.wrapping_add(i * lanes), valid);
            let y = match b {
                Right::Row(b) => E::vector(b.wrapping_add(i * lanes), valid),
                Right::Value(b) => b.splat(),
            };
            word |= T::lanes(valid, x, y) << (i * lanes);
        }
        word
    }
}

/// An integer of the width of an element.
pub trait Code: Lanes + Eq + Into<u64> + std::ops::BitAnd<Output = Self> {}
impl Code for u8 {}
impl Code for u16 {}
impl Code for u32 {}
impl Code for u64 {}

/// Which of the next 64 elements of a row, or of the `n` that are left, have this code in the bits to keep.
///
/// # Safety
/// The elements must be readable; the processor must have the level.
#[inline(always)]
pub unsafe fn codes<L: Level, U: Code<Wide = U>>(row: *const U, code: U, keep: U, n: usize) -> u64
where
    Equal: Test<U>,
{
    // SAFETY: the caller answers for the elements at `row`; the processor has the instructions of this level.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if const { is_v4::<L>() } {
            return codes_v4(row, code, keep, if n >= WORD { !0 } else { bits::first(n) });
        }
        let x: [U; WORD] = bits::filled(row, n);
        let mut bytes = [0; WORD];
        for i in 0..WORD {
            bytes[i] = u8::from(x[i] & keep == code);
        }
        bits::of::<L>(bytes) & bits::first(n)
    }
}

/// # Safety
/// All elements that the other arguments count must be readable at `row`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn codes_v4<U: Code<Wide = U>>(row: *const U, code: U, keep: U, valid: u64) -> u64
where
    Equal: Test<U>,
{
    // SAFETY: the caller answers for the elements at `row`.
    unsafe {
        let lanes = 64 / size_of::<U>();
        let mut word = 0;
        for i in 0..WORD / lanes {
            let valid = valid >> (i * lanes);
            let x = _mm512_and_si512(U::vector(row.wrapping_add(i * lanes), valid), keep.splat());
            word |= <Equal as Test<U>>::lanes(valid, x, code.splat()) << (i * lanes);
        }
        word
    }
}
