//! Elementary functions in selects, multiplications and additions.
//!
//! Nothing here branches or calls, so a loop over an array becomes vector code. No fused operation is used, so every
//! level computes the same bits.

mod elementary;
mod fused;

pub use elementary::{exp, ln, recip, rsqrt, sqrt};
pub use fused::{fma, fma_f16, fma_odd};
