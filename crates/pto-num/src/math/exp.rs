//! The exponential function.

use super::LN2;
use crate::level::Level;

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
/// use pto_num::{Baseline, math::{exp, exp_of_usual}};
/// assert_eq!(exp_of_usual::<Baseline>(1.5), exp::<Baseline>(1.5));
/// ```
#[inline(always)]
pub fn exp_of_usual<L: Level>(x: f32) -> f32 {
    let (value, shifted) = reduced::<L>(x);
    f32::from_bits(value.to_bits().wrapping_add(shifted.to_bits() << 23))
}

/// The exponential function.
#[inline(always)]
pub fn exp<L: Level>(x: f32) -> f32 {
    let bits = exp_of_usual::<L>(x).to_bits();
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
fn reduced<L: Level>(x: f32) -> (f32, f32) {
    let shifted = fused::<L>(x, std::f32::consts::LOG2_E, SHIFT);
    let n = shifted - SHIFT;
    let r = fused::<L>(n, -LN2.1, fused::<L>(n, -LN2.0, x));
    let p = fused::<L>(0.001_381_454, r, 0.008_368_745);
    let p = fused::<L>(p, r, 0.041_668_39);
    let p = fused::<L>(p, r, 0.166_665_2);
    let p = fused::<L>(p, r, 0.499_999_93);
    let p = fused::<L>(p, r, 1.0);
    (fused::<L>(p, r, 1.0), shifted)
}

/// `a * b + c` rounded once.
///
/// Without an instruction for it the sum is made in double precision, which is fast and rounds twice. For the sums above that makes no
/// difference, whatever the number: the test `exponentials_agree_everywhere` can try all of them.
#[inline(always)]
fn fused<L: Level>(a: f32, b: f32, c: f32) -> f32 {
    if L::FUSES { L::fma(a, b, c) } else { (a as f64 * b as f64 + c as f64) as f32 }
}
