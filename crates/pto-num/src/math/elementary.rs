//! First versions: right, not yet fast.

/// The exponential function.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    (x as f64).exp() as f32
}

/// The natural logarithm.
#[inline(always)]
pub fn ln(x: f32) -> f32 {
    (x as f64).ln() as f32
}

/// `1 / sqrt(x)`.
#[inline(always)]
pub fn rsqrt(x: f32) -> f32 {
    (1.0 / (x as f64).sqrt()) as f32
}

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
