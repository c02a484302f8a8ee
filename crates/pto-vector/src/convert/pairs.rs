//! The conversions that are common enough to have vector code.

use super::drive::{Conversion, Limits, each};
use super::mode::{Mode, to_half, to_single, whole};
#[cfg(target_arch = "x86_64")]
use super::v4::{self, Range};
use crate::elem::Elem;
use pto_num::convert::{int_to_f32, narrow, to_hif8};
use pto_num::{Bf16, F8E4M3, F8E5M2, F16, Float, Hif8, Level, Round, Saturate};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m512, __m512i, _mm512_castps_si512, _mm512_castsi128_si512, _mm512_castsi256_si512, _mm512_cvtepi32_epi8,
    _mm512_cvtepi32_epi16, _mm512_maskz_loadu_epi32,
};
use std::marker::PhantomData;

/// Numbers that become single precision on the way to something narrower.
pub trait Single: Copy + 'static {
    /// True when every magnitude below 2³¹ there is: no conversion to 32 bits can go wrong.
    const SMALL: bool;

    /// True when they can be loaded into AVX-512 registers.
    #[cfg(target_arch = "x86_64")]
    const REGISTERS: bool = false;

    /// Sixteen of them.
    ///
    /// # Safety
    /// They must be readable; the processor must have level `v4`, and [`Self::REGISTERS`] must hold.
    #[cfg(target_arch = "x86_64")]
    unsafe fn register(_: *const Self, _: u16) -> __m512 {
        unreachable!("there is no code for registers")
    }

    /// Their values; exact, except that 32-bit integers are rounded to odd, which a further rounding does not notice.
    fn single<L: Level, const N: usize>(x: &[Self; N]) -> [f32; N];
}

macro_rules! single {
    ($($type:ty, $small:literal, $($registers:ident)?, |$x:ident| $value:expr;)+) => {$(
        impl Single for $type {
            const SMALL: bool = $small;
            $(single!(@ $registers);)?
            #[inline(always)]
            fn single<L: Level, const N: usize>(x: &[Self; N]) -> [f32; N] {
                each(x, |$x| $value)
            }
        }
    )+};
    (@ registers) => {
        #[cfg(target_arch = "x86_64")]
        const REGISTERS: bool = true;
        /// # Safety
        /// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of
        /// this level.
        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        unsafe fn register(from: *const Self, valid: u16) -> __m512 {
            // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
            unsafe {
                v4::Load::load(from, valid)
            }
        }
    };
}
single! {
    f32, false, registers, |x| x;
    Bf16, false, registers, |x| x.to_f32();
    F8E4M3, true, , |x| x.to_f32();
    F8E5M2, true, , |x| x.to_f32();
    Hif8, true, , |x| x.to_f32();
    i8, true, registers, |x| f32::from(x);
    u8, true, registers, |x| f32::from(x);
    i16, true, registers, |x| f32::from(x);
    i32, true, , |x| int_to_f32(x, Round::Odd);
}

impl Single for F16 {
    const SMALL: bool = true;
    single!(@ registers);
    #[inline(always)]
    fn single<L: Level, const N: usize>(x: &[Self; N]) -> [f32; N] {
        Self::load::<L, N>(x)
    }
}

/// The code of a conversion for AVX-512 registers.
macro_rules! registers {
    ($present:expr, $store:ident, |$x:ident: $source:ty, $range:ident, $on:ident| $value:expr) => {
        #[cfg(target_arch = "x86_64")]
        const REGISTERS: bool = $present;
        /// # Safety
        /// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of
        /// this level.
        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        unsafe fn sixteen<const $on: bool>(from: *const Self::Src, valid: u16, $range: Range) -> (__m512i, u16) {
            // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
            unsafe {
                let $x = <$source>::register(from, valid);
                $value
            }
        }
        /// # Safety
        /// All elements that the other arguments count must be writable at `to`; the processor must have the instructions of
        /// this level.
        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        unsafe fn store(to: *mut Self::Dst, valid: u16, value: __m512i) {
            // SAFETY: the caller answers for the elements at `to`; the processor has the instructions of this level.
            unsafe {
                v4::$store(to, valid, value);
            }
        }
    };
}

/// Keeps a value inside the limits; NaN stays.
#[inline(always)]
fn clamped(x: f32, limits: &Limits) -> f32 {
    let x = if x < limits.low { limits.low } else { x };
    if x > limits.high { limits.high } else { x }
}

/// Exactly to single precision.
pub struct ToSingle<S>(PhantomData<S>);

impl<S: Single> Conversion for ToSingle<S> {
    type Src = S;
    type Dst = f32;
    const IS_LITTLE: bool = true;
    registers!(S::REGISTERS, store32, |x: S, _range, ON| (_mm512_castps_si512(x), 0));
    #[inline(always)]
    fn chunk<L: Level, const N: usize>(x: &[S; N], _: &Limits) -> ([f32; N], bool) {
        (S::single::<L, N>(x), true)
    }
}

/// To half precision.
pub struct ToHalf<R, S>(PhantomData<(R, S)>);

impl<R: Mode, S: Single> Conversion for ToHalf<R, S> {
    type Src = S;
    type Dst = F16;
    registers!(S::REGISTERS, store16, |x: S, range, ON| (v4::half::<R>(if ON { v4::clamp(x, range) } else { x }), 0));
    #[inline(always)]
    fn chunk<L: Level, const N: usize>(x: &[S; N], limits: &Limits) -> ([F16; N], bool) {
        let x = each(&S::single::<L, N>(x), |x| clamped(x, limits));
        (to_half::<L, R, N>(&x), true)
    }
}

/// To the upper half of single precision.
pub struct ToBf16<R, S>(PhantomData<(R, S)>);

impl<R: Mode, S: Single> Conversion for ToBf16<R, S> {
    type Src = S;
    type Dst = Bf16;
    registers!(S::REGISTERS, store16, |x: S, range, ON| (v4::bf16::<R>(if ON { v4::clamp(x, range) } else { x }), 0));
    #[inline(always)]
    fn chunk<L: Level, const N: usize>(x: &[S; N], limits: &Limits) -> ([Bf16; N], bool) {
        let x = each(&S::single::<L, N>(x), |x| clamped(x, limits));
        let out =
            each(&x, |x| if R::ROUND == Round::Rint { Bf16::from_f32(x) } else { narrow(x, R::ROUND, Saturate::Off) });
        (out, true)
    }
}

/// To eight bits with fixed fields, to nearest even.
pub struct ToFloat8<F>(PhantomData<F>);

impl<F: Float> Conversion for ToFloat8<F> {
    type Src = f32;
    type Dst = F;
    #[inline(always)]
    fn chunk<L: Level, const N: usize>(x: &[f32; N], limits: &Limits) -> ([F; N], bool) {
        // One NaN for all, as the exact arithmetic has it.
        let x = each(x, |x| if x.is_nan() { f32::NAN } else { clamped(x, limits) });
        (each(&x, |x| narrow(x, Round::Rint, Saturate::Off)), true)
    }
}

/// To HiFloat8, ties away from zero.
pub struct ToHif8<S>(PhantomData<S>);

impl<S: Single> Conversion for ToHif8<S> {
    type Src = S;
    type Dst = Hif8;
    #[inline(always)]
    fn chunk<L: Level, const N: usize>(x: &[S; N], limits: &Limits) -> ([Hif8; N], bool) {
        (each(&S::single::<L, N>(x), |x| to_hif8(clamped(x, limits), Saturate::Off)), true)
    }
}

/// To an integral value in the same type.
pub struct ToWhole<R>(PhantomData<R>);

impl<R: Mode> Conversion for ToWhole<R> {
    type Src = f32;
    type Dst = f32;
    const IS_LITTLE: bool = true;
    registers!(true, store32, |x: f32, _range, ON| (_mm512_castps_si512(v4::whole::<R>(x)), 0));
    #[inline(always)]
    fn chunk<L: Level, const N: usize>(x: &[f32; N], _: &Limits) -> ([f32; N], bool) {
        (each(x, |x| whole::<L, R>(x)), true)
    }
}

/// To an integer.
pub struct ToInt<R, S, I>(PhantomData<(R, S, I)>);

/// The largest single-precision number below 2³¹.
const BELOW_2_31: f32 = 2_147_483_520.0;

/// An integer that is made from 32 bits.
pub trait Integer: Copy + Default + 'static {
    /// From a whole number that 32 bits hold.
    fn cut(x: i32) -> Self;
    /// The largest value, where that needs more bits than single precision has.
    const TOP: Option<Self>;
}

macro_rules! integer {
    ($($type:ty, $top:expr;)+) => {$(
        impl Integer for $type {
            const TOP: Option<Self> = $top;
            #[inline(always)]
            fn cut(x: i32) -> Self {
                x as Self
            }
        }
    )+};
}
integer! {
    i8, None;
    u8, None;
    i16, None;
    i32, Some(i32::MAX);
}

impl<R: Mode, S: Single, I: Integer> Conversion for ToInt<R, S, I> {
    type Src = S;
    type Dst = I;

    #[cfg(target_arch = "x86_64")]
    const REGISTERS: bool = S::REGISTERS;
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn sixteen<const ON: bool>(from: *const S, valid: u16, range: Range) -> (__m512i, u16) {
        // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
        unsafe {
            let x = S::register(from, valid);
            let (value, lost) = match (size_of::<I>(), S::SMALL) {
                (4, _) => v4::int32::<R, ON>(x),
                (_, true) => v4::short::<R, ON, true>(x, range),
                (_, false) => v4::short::<R, ON, false>(x, range),
            };
            match size_of::<I>() {
                1 => (_mm512_castsi128_si512(_mm512_cvtepi32_epi8(value)), lost),
                2 => (_mm512_castsi256_si512(_mm512_cvtepi32_epi16(value)), lost),
                _ => (value, lost),
            }
        }
    }
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn store(to: *mut I, valid: u16, value: __m512i) {
        // SAFETY: the caller answers for the elements at `to`; the processor has the instructions of this level.
        unsafe {
            match size_of::<I>() {
                1 => v4::store8(to, valid, value),
                2 => v4::store16(to, valid, value),
                _ => v4::store32(to, valid, value),
            }
        }
    }

    /// Saturation is two limits. Without it they are those of 32 bits, of which the low ones are kept; beyond them, what
    /// is not finite is zero and the rest is left to the exact arithmetic.
    #[inline(always)]
    fn chunk<L: Level, const N: usize>(x: &[S; N], limits: &Limits) -> ([I; N], bool) {
        let x = S::single::<L, N>(x);
        let off = limits.saturate == Saturate::Off;
        let (low, high) = (limits.low.max(-2_147_483_648.0), limits.high.min(BELOW_2_31));
        let kept = if off { BELOW_2_31 } else { f32::INFINITY }.to_bits();
        let top = if off { f32::INFINITY } else { BELOW_2_31 };
        let lost = if off && !S::SMALL { f32::INFINITY.to_bits() - kept - 1 } else { 0 };
        let mut out = [I::default(); N];
        let mut beyond = 0;
        for i in 0..N {
            let value = whole::<L, R>(x[i]);
            let magnitude = value.to_bits() & 0x7fff_ffff;
            let inside = if value < low { low } else { value };
            let inside = if inside > high { high } else { inside };
            let inside = if magnitude <= kept { inside } else { 0.0 };
            // SAFETY: a whole number between −2³¹ and the largest below 2³¹, not NaN, which is above every limit.
            let int = I::cut(unsafe { inside.to_int_unchecked::<i32>() });
            out[i] = match I::TOP {
                Some(most) if value > top => most,
                _ => int,
            };
            if !S::SMALL {
                beyond |= u32::from(magnitude.wrapping_sub(kept + 1) < lost);
            }
        }
        (out, beyond == 0)
    }
}

/// Single precision to 64 bits, where nothing is out of range.
pub struct ToLong<R>(PhantomData<R>);

impl<R: Mode> Conversion for ToLong<R> {
    type Src = f32;
    type Dst = i64;
    #[inline(always)]
    fn chunk<L: Level, const N: usize>(x: &[f32; N], limits: &Limits) -> ([i64; N], bool) {
        const EDGE: f32 = 9_223_372_036_854_775_808.0;
        let mut out = [0; N];
        let mut beyond = 0;
        for i in 0..N {
            let value = whole::<L, R>(x[i]);
            beyond |= u32::from(value.abs() >= EDGE);
            // The language's cast saturates and has zero for NaN.
            out[i] = value as i64;
        }
        (out, beyond == 0 || limits.saturate == Saturate::On)
    }
}

/// 32-bit integers to single precision.
pub struct FromInt<R>(PhantomData<R>);

impl<R: Mode> Conversion for FromInt<R> {
    type Src = i32;
    type Dst = f32;
    const IS_LITTLE: bool = true;
    #[inline(always)]
    fn chunk<L: Level, const N: usize>(x: &[i32; N], _: &Limits) -> ([f32; N], bool) {
        (to_single::<L, R, N>(x), true)
    }
}

/// 64-bit integers to single precision, to nearest even.
pub struct FromLong;

impl Conversion for FromLong {
    type Src = i64;
    type Dst = f32;
    const IS_LITTLE: bool = true;
    #[inline(always)]
    fn chunk<L: Level, const N: usize>(x: &[i64; N], _: &Limits) -> ([f32; N], bool) {
        (each(x, |x| x as f32), true)
    }
}

/// An integer type to another.
pub struct IntToInt<A, B>(PhantomData<(A, B)>);

macro_rules! int_to_int {
    ($($a:ty => $($b:ident $([$cut:ident, $nearest:ident, $store:ident])?)+;)+) => {$($(
        impl Conversion for IntToInt<$a, $b> {
            type Src = $a;
            type Dst = $b;
            const IS_LITTLE: bool = true;
            $(int_to_int!(@ $cut, $nearest, $store);)?
            #[inline(always)]
            fn chunk<L: Level, const N: usize>(x: &[$a; N], limits: &Limits) -> ([$b; N], bool) {
                if limits.saturate == Saturate::Off {
                    return (each(x, |x| x as $b), true);
                }
                let inside = |limit: i64| limit.clamp(<$a>::MIN as i64, <$a>::MAX as i64) as $a;
                let (low, high) = (inside(limits.integers.0), inside(limits.integers.1));
                (each(x, |x| x.max(low).min(high) as $b), true)
            }
        }
    )+)+};
    (@ $cut:ident, $nearest:ident, $store:ident) => {
        #[cfg(target_arch = "x86_64")]
        const REGISTERS: bool = true;
        /// # Safety
        /// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of
        /// this level.
        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        unsafe fn sixteen<const ON: bool>(from: *const Self::Src, valid: u16, _: Range) -> (__m512i, u16) {
            // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
            unsafe {
                let x = _mm512_maskz_loadu_epi32(valid, from.cast());
                (if ON { v4::$nearest(x) } else { v4::$cut(x) }, 0)
            }
        }
        /// # Safety
        /// All elements that the other arguments count must be writable at `to`; the processor must have the instructions of
        /// this level.
        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        unsafe fn store(to: *mut Self::Dst, valid: u16, value: __m512i) {
            // SAFETY: the caller answers for the elements at `to`; the processor has the instructions of this level.
            unsafe {
                v4::$store(to, valid, value);
            }
        }
    };
}
int_to_int! {
    i64 => i32;
    i32 => i64 i16[low16, nearest_i16, store16] u8[low8, nearest_u8, store8] u16[low16, nearest_u16, store16]
        i8[low8, nearest_i8, store8];
    u32 => i16 u8 u16;
    i16 => i32 u32 u8 i8;
    i8 => i32 i16;
    u8 => u16 i32;
}
