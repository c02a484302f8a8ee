//! The natural logarithm.

use super::LN2;

/// The natural logarithm.
#[inline(always)]
pub fn ln(x: f32) -> f32 {
    // Subnormal numbers are made normal, and the exponent field goes below zero instead.
    let subnormal = x < f32::MIN_POSITIVE;
    let bits = if subnormal { (x * 8_388_608.0).to_bits().wrapping_sub(23 << 23) } else { x.to_bits() };
    // x = m * 2^n with m from sqrt(1/2) to sqrt(2).
    const HALF_ROOT: u32 = 0x3f35_04f3;
    let above = bits.wrapping_sub(HALF_ROOT);
    let n = (above as i32 >> 23) as f32;
    let m = f32::from_bits((above & 0x7f_ffff) + HALF_ROOT);
    let finite = near_one(m - 1.0, n);
    // Compared as integers: negative numbers and NaN are above infinity.
    let infinity = f32::INFINITY.to_bits();
    let positive = if x.to_bits() > infinity { f32::NAN } else { finite };
    let positive = if x.to_bits() == infinity { f32::INFINITY } else { positive };
    if x == 0.0 { f32::NEG_INFINITY } else { positive }
}

/// `ln((1 + f) * 2^n)`
#[inline(always)]
fn near_one(f: f32, n: f32) -> f32 {
    let square = f * f;
    let fourth = square * square;
    let p = (f * -0.250_008_2 + 0.333_333_3) + (f * -0.166_233_57 + 0.200_012_27) * square;
    let q = (f * -0.131_601_83 + 0.142_017_57) + (f * -0.076_345 + 0.127_615_78) * square;
    let p = p + q * fourth;
    // Smallest terms first.
    let tail = (square * f) * p + n * LN2.1;
    ((tail - square * 0.5) + f) + n * LN2.0
}
