//! Remainders. These branch and loop; they are not for vector code.

/// `a - trunc(a / b) * b`, exact, with the sign of `a`.
///
/// NaN if `a` is infinite or `b` is zero.
#[inline]
pub fn fmod(a: f32, b: f32) -> f32 {
    if b == 0.0 || !a.is_finite() || b.is_nan() {
        return f32::NAN;
    }
    if a.abs() < b.abs() {
        return a;
    }
    let ((dividend, above), (divisor, exponent)) = (parts(a), parts(b));
    let mut rest = dividend % divisor;
    let mut shift = above - exponent;
    // A remainder has at most 24 bits, so 40 more fit.
    while shift > 0 && rest != 0 {
        let step = shift.min(40);
        rest = (rest << step) % divisor;
        shift -= step;
    }
    scaled(rest, exponent).copysign(a)
}

/// `a - floor(a / b) * b`, with the sign of `b`: [`fmod`], and `b` added where the signs differ.
#[inline]
pub fn rem(a: f32, b: f32) -> f32 {
    let r = fmod(a, b);
    if r != 0.0 && r.is_sign_negative() != b.is_sign_negative() { r + b } else { r }
}

/// A finite number as an integer and the exponent field that goes with it.
fn parts(x: f32) -> (u64, u32) {
    let bits = x.to_bits();
    let (field, fraction) = (bits >> 23 & 0xff, bits & 0x7f_ffff);
    if field == 0 { (fraction as u64, 1) } else { ((fraction | 1 << 23) as u64, field) }
}

/// The inverse of [`parts`] for integers of at most 24 bits.
fn scaled(integer: u64, field: u32) -> f32 {
    // 2^(field - 150) is subnormal for the lowest fields.
    let power = if field < 24 { 1 << (field - 1) } else { (field - 23) << 23 };
    integer as f32 * f32::from_bits(power)
}
