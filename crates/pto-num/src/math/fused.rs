//! Multiply and add with one rounding, without the instruction.

/// `a * b + c` rounded once, to nearest even.
#[inline(always)]
pub fn fma(a: f32, b: f32, c: f32) -> f32 {
    // Rounding to odd keeps what the second rounding needs to know.
    exact_to_odd(a, b, c) as f32
}

/// `a * b + c` rounded once, to odd: a further rounding to a format at least two bits narrower is exact.
///
/// For fused instructions on bf16 elements, and on anything else that widens to `f32`.
#[inline(always)]
pub fn fma_odd(a: f32, b: f32, c: f32) -> f32 {
    let exact = exact_to_odd(a, b, c);
    let near = exact as f32;
    // Even and inexact: the odd neighbour is on the side of the exact value.
    let bits = near.to_bits();
    let down = (near as f64 > exact) == (near > 0.0);
    let odd = if down { bits.wrapping_sub(1) } else { bits.wrapping_add(1) };
    // A sum that is too small for single precision is near zero, whose sign is lost to the comparison above.
    let tiny = (exact.to_bits() >> 32) as u32 & 0x8000_0000 | 1;
    let odd = if near == 0.0 { tiny } else { odd };
    let inexact = (near as f64 != exact) & !exact.is_nan();
    f32::from_bits(if inexact & (bits & 1 == 0) { odd } else { bits })
}

/// `a * b + c` for values of half precision, rounded to odd: one more rounding to half precision is exact.
///
/// Faster than [`fma_odd`], since the product of two halves is exact in single precision.
#[inline(always)]
pub fn fma_f16(a: f32, b: f32, c: f32) -> f32 {
    let product = a * b;
    let sum = product + c;
    let other = sum - product;
    let error = (product - (sum - other)) + (c - other);
    let bits = sum.to_bits();
    let away = (error > 0.0) == (sum > 0.0);
    let odd = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    // An infinite or undefined sum has an undefined error, which compares false.
    let inexact = (error > 0.0) | (error < 0.0);
    f32::from_bits(if inexact & (bits & 1 == 0) { odd } else { bits })
}

/// The product is exact in double precision; the sum is rounded to odd.
#[inline(always)]
fn exact_to_odd(a: f32, b: f32, c: f32) -> f64 {
    let product = a as f64 * b as f64;
    let c = c as f64;
    let sum = product + c;
    let other = sum - product;
    let error = (product - (sum - other)) + (c - other);
    let bits = sum.to_bits();
    let away = (error > 0.0) == (sum > 0.0);
    let odd = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    let inexact = (error > 0.0) | (error < 0.0);
    f64::from_bits(if inexact & (bits & 1 == 0) { odd } else { bits })
}
