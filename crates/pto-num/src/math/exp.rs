//! The exponential function.

use super::LN2;

/// 1.5 * 2^23: a sum with it is rounded to an integer, which is left in the low bits.
const SHIFT: f32 = 12_582_912.0;

// Below the first bound the result is zero, above the last infinite; in between, from the second, it is normal.
const ZERO: f32 = -104.0;
const NORMAL: f32 = -87.336_54;
const INFINITE: f32 = 88.722_83;

/// True when the exponential of a number is normal: neither infinite, nor zero or subnormal, nor NaN.
///
/// ```
/// use pto_num::math::exp_is_normal;
/// assert!(exp_is_normal(-20.0) && !exp_is_normal(-90.0) && !exp_is_normal(89.0) && !exp_is_normal(f32::NAN));
/// ```
#[inline(always)]
pub fn exp_is_normal(x: f32) -> bool {
    (NORMAL..=INFINITE).contains(&x)
}

/// The exponential of a number for which [`exp_is_normal`] holds, in fewer steps.
///
/// ```
/// use pto_num::math::{exp, exp_of_usual};
/// assert_eq!(exp_of_usual(1.5), exp(1.5));
/// ```
#[inline(always)]
pub fn exp_of_usual(x: f32) -> f32 {
    let (value, shifted) = reduced(x);
    f32::from_bits(value.to_bits().wrapping_add(shifted.to_bits() << 23))
}

/// The exponential function.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let bits = exp_of_usual(x).to_bits();
    // Subnormal results are made 64 binades higher. The last bit of a sum with 2^(23-149+64) then is the last bit of a
    // subnormal number; no subnormal operand appears, which processors take long over.
    const ALIGN: f32 = f32::from_bits((127 + 23 - 149 + 64) << 23);
    let raised = f32::from_bits(bits.wrapping_add(64 << 23));
    let subnormal = (raised + ALIGN).to_bits().wrapping_sub(ALIGN.to_bits());
    let subnormal = if x < ZERO { 0 } else { subnormal };
    let finite = f32::from_bits(if x < NORMAL { subnormal } else { bits });
    // NaN does not compare.
    if x <= INFINITE { finite } else { x * f32::INFINITY }
}

/// `exp(x) = value * 2^n` with `n` in the low bits of the second number.
#[inline(always)]
fn reduced(x: f32) -> (f32, f32) {
    let shifted = x * std::f32::consts::LOG2_E + SHIFT;
    let n = shifted - SHIFT;
    let r = (x - n * LN2.0) - n * LN2.1;
    let square = r * r;
    let low = r * 0.166_665_12 + 0.5;
    let high = (r * 0.008_369_599 + 0.041_666_187) + square * 0.001_395_172;
    let p = low + high * square;
    ((square * p + r) + 1.0, shifted)
}
