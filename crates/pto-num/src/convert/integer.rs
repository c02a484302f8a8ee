//! Integers to and from single precision.

use super::{INTEGERS, round_magnitude};
use crate::{Round, Saturate};

/// Rounds to an integer and stays in single precision. Zero keeps the sign; infinities and NaN stay.
#[inline(always)]
pub fn integral(x: f32, round: Round) -> f32 {
    let magnitude = x.abs();
    let small = magnitude < INTEGERS;
    let rounded = round_magnitude(if small { magnitude } else { 0.0 }, x.is_sign_negative(), round);
    let value = f32::from_bits(INTEGERS.to_bits() + rounded) - INTEGERS;
    if small { value.copysign(x) } else { x }
}

/// An integer element type.
pub trait Int: Copy + 'static {
    /// Bits of the type.
    const BITS: u32;
    /// Whether it has negative numbers.
    const SIGNED: bool;

    /// From a float that is an integer or NaN: the nearest value, zero for NaN.
    fn saturating(x: f32) -> Self;

    /// From a float that is an integer or not finite: its low bits, zero if not finite.
    fn wrapping(x: f32) -> Self;

    /// Keeps the low bits.
    fn truncated(x: i64) -> Self;

    /// The nearest value.
    fn clamped(x: i64) -> Self;

    /// The nearest value.
    fn clamped_unsigned(x: u64) -> Self;

    /// Sign-extended or zero-extended; `u64` keeps its bits.
    fn extended(self) -> i64;
}

macro_rules! ints {
    ($($name:ident $low:expr, $high:expr, $saturate:expr, $wrap:ident;)+) => { $(
        impl Int for $name {
            const BITS: u32 = $name::BITS;
            const SIGNED: bool = $name::MIN != 0;

            #[inline(always)]
            fn saturating(x: f32) -> Self {
                $saturate(x, $low as f32, $high as f32) as Self
            }

            #[inline(always)]
            fn wrapping(x: f32) -> Self {
                $wrap(x) as Self
            }

            #[inline(always)]
            fn truncated(x: i64) -> Self {
                x as Self
            }

            #[inline(always)]
            fn clamped(x: i64) -> Self {
                x.clamp($low, $high) as Self
            }

            #[inline(always)]
            fn clamped_unsigned(x: u64) -> Self {
                x.min($name::MAX as u64) as Self
            }

            #[inline(always)]
            fn extended(self) -> i64 {
                self as i64
            }
        }
    )+ };
}
ints! {
    i8 i8::MIN as i64, i8::MAX as i64, clamp, wrap32;
    u8 0, u8::MAX as i64, clamp, wrap32;
    i16 i16::MIN as i64, i16::MAX as i64, clamp, wrap32;
    u16 0, u16::MAX as i64, clamp, wrap32;
    i32 i32::MIN as i64, i32::MAX as i64, clamp32, wrap32;
    u32 0, u32::MAX as i64, clamp_unsigned, wrap32;
    i64 i64::MIN, i64::MAX, |x, _, _| x as i64, wrap64;
    u64 0, i64::MAX, |x, _, _| x as u64, wrap64;
}

/// Rounds to an integer type.
#[inline(always)]
pub fn to_int<T: Int>(x: f32, round: Round, saturate: Saturate) -> T {
    let whole = integral(x, round);
    match saturate {
        Saturate::On => T::saturating(whole),
        Saturate::Off => T::wrapping(whole),
    }
}

/// To a range of at most 2^22 integers on each side; zero for NaN. The cast of the language does not become vector code.
#[inline(always)]
fn clamp(x: f32, low: f32, high: f32) -> i32 {
    // 1.5 * 2^23: the sum has the integer in its low bits.
    const SHIFT: f32 = 12_582_912.0;
    let x = if x < low { low } else { x };
    let x = if x > high { high } else { x };
    let x = if x.is_nan() { 0.0 } else { x };
    (x + SHIFT).to_bits().wrapping_sub(SHIFT.to_bits()) as i32
}

/// To 32 bits; zero for NaN.
#[inline(always)]
fn clamp32(x: f32, low: f32, high: f32) -> i32 {
    // The largest number below 2^31.
    const LAST: f32 = 2_147_483_520.0;
    let inside = if x < low { low } else { x };
    let inside = if inside > LAST { LAST } else { inside };
    let inside = if inside.is_nan() { 0.0 } else { inside };
    // SAFETY: the number is from -2^31 to below 2^31.
    let int = unsafe { inside.to_int_unchecked::<i32>() };
    if x >= high { i32::MAX } else { int }
}

/// To 32 bits without a sign; zero for NaN.
#[inline(always)]
fn clamp_unsigned(x: f32, low: f32, _: f32) -> u32 {
    const HALF: f32 = 2_147_483_648.0;
    let upper = x >= HALF;
    let rest = if upper { x - HALF } else { x };
    clamp32(rest, low, HALF) as u32 | if upper { 1 << 31 } else { 0 }
}

/// The remainder of an integer modulo 2^32, as a signed number.
#[inline(always)]
fn wrap32(x: f32) -> i32 {
    const SPAN: f32 = 4_294_967_296.0;
    // Each step is exact: multiples of the last bit of `x`, and not larger than `x`.
    let rest = x - integral(x * (1.0 / SPAN), Round::Trunc) * SPAN;
    let rest = if rest >= SPAN / 2.0 { rest - SPAN } else { rest };
    let rest = if rest < -SPAN / 2.0 { rest + SPAN } else { rest };
    clamp32(rest, i32::MIN as f32, i32::MAX as f32)
}

/// The remainder of an integer modulo 2^64, as a signed number.
#[inline(always)]
fn wrap64(x: f32) -> i64 {
    const SPAN: f32 = 18_446_744_073_709_551_616.0;
    let rest = x - integral(x * (1.0 / SPAN), Round::Trunc) * SPAN;
    let rest = if rest >= SPAN / 2.0 { rest - SPAN } else { rest };
    let rest = if rest < -SPAN / 2.0 { rest + SPAN } else { rest };
    rest as i64
}

/// Rounds an integer to single precision.
#[inline(always)]
pub fn int_to_f32(x: i32, round: Round) -> f32 {
    let near = x as f32;
    if round == Round::Rint {
        return near;
    }
    let (exact, value) = (x as f64, near as f64);
    let negative = x < 0;
    let bits = near.to_bits();
    // In magnitudes: was the nearest value too large or too small?
    let over = (value.abs() > exact.abs()) as u32;
    let under = (value.abs() < exact.abs()) as u32;
    let tie = (exact.abs() - value.abs()) * 2.0 == step(near) as f64;
    f32::from_bits(match round {
        Round::Rint => bits,
        Round::Round => bits + tie as u32,
        Round::Trunc => bits - over,
        Round::Floor => {
            if negative {
                bits + under
            } else {
                bits - over
            }
        }
        Round::Ceil => {
            if negative {
                bits - over
            } else {
                bits + under
            }
        }
        Round::Odd => (bits - over) | over | under,
    })
}

/// The distance to the next larger magnitude, for numbers from 2^23.
#[inline(always)]
fn step(x: f32) -> f32 {
    f32::from_bits((x.to_bits() & 0x7f80_0000).wrapping_sub(23 << 23))
}

/// One integer type to another: the nearest value or the low bits.
#[inline(always)]
pub fn cast<A: Int, B: Int>(x: A, saturate: Saturate) -> B {
    match saturate {
        Saturate::On if A::SIGNED => B::clamped(x.extended()),
        Saturate::On => B::clamped_unsigned(x.extended() as u64),
        Saturate::Off => B::truncated(x.extended()),
    }
}
