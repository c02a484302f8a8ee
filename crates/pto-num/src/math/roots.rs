//! Roots and reciprocals.

/// `1 / x`, correctly rounded.
#[inline(always)]
pub fn recip(x: f32) -> f32 {
    1.0 / x
}

/// The square root, correctly rounded.
#[inline(always)]
pub fn sqrt(x: f32) -> f32 {
    x.sqrt()
}

/// `1 / sqrt(x)`: infinite with the sign of a zero, NaN for negative numbers.
#[inline(always)]
pub fn rsqrt(x: f32) -> f32 {
    // Scaled by an even power of two so that neither the number nor the square of the result leaves the normal range.
    let small = x < f32::from_bits((127 - 64) << 23);
    let scaled = x * if small { f32::from_bits((127 + 40) << 23) } else { f32::from_bits((127 - 24) << 23) };
    let back = if small { f32::from_bits((127 + 20) << 23) } else { f32::from_bits((127 - 12) << 23) };
    // Twelve bits: the square is exact, and the residual has a single rounding error.
    let y = f32::from_bits(estimate(scaled).to_bits() & 0xffff_f000);
    let rest = 1.0 - scaled * (y * y);
    let finite = (y + (y * rest) * (rest * 0.375 + 0.5)) * back;
    // Compared as integers: negative numbers and NaN are above infinity.
    let infinity = f32::INFINITY.to_bits();
    let positive = if x.to_bits() > infinity { f32::NAN } else { finite };
    let positive = if x.to_bits() == infinity { 0.0 } else { positive };
    if x == 0.0 { f32::from_bits(x.to_bits() | infinity) } else { positive }
}

/// Within 0.07 %: halving the bits halves the exponent, and one step with tuned constants does the rest.
#[inline(always)]
fn estimate(x: f32) -> f32 {
    let y = f32::from_bits(0x5f1f_fff9u32.wrapping_sub(x.to_bits() >> 1));
    (y * 0.703_952_25) * (2.389_244_6 - (x * y) * y)
}
