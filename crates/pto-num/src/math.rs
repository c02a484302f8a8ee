//! Elementary functions in selects, multiplications and additions.
//!
//! Nothing here branches or calls, so a loop over an array becomes vector code. Multiplications and additions are fused
//! only where the source says so ([`Level::fma`](crate::Level::fma)), so every level computes the same bits.

mod exp;
mod fused;
mod ln;
mod pow;
mod remainder;
mod roots;
mod tanh;

pub use exp::{exp, exp_is_normal, exp_of_usual};
pub use fused::{fma, fma_f16, fma_odd};
pub use ln::ln;
pub use pow::pow;
pub use remainder::{fmod, rem};
pub use roots::{recip, rsqrt, sqrt};
pub use tanh::tanh;

/// The logarithm of two, in two parts. The first has so few bits that its product with an exponent is exact.
const LN2: (f32, f32) = (f32::from_bits(0x3f31_7200), f32::from_bits(0x35bf_be8e));
