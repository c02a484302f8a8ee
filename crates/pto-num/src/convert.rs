//! Conversions for kernels: selects only, the same answers as [`Exact`](crate::Exact).
//!
//! Rounding and saturation are meant to be constants where these are inlined.

mod hif8;
mod integer;
mod narrow;

pub use hif8::to_hif8;
pub use integer::{Int, cast, int_to_f32, integral, to_int};
pub use narrow::narrow;

use crate::Round;

/// 2^23: from here on every single-precision number is an integer.
const INTEGERS: f32 = 8_388_608.0;

/// Rounds `0 <= x <= 2^23` to an integer. `negative` is the sign of what `x` is the magnitude of.
#[inline(always)]
fn round_magnitude(x: f32, negative: bool, round: Round) -> u32 {
    // The sum has no bits below one, so the addition rounds to nearest even and leaves the integer in the low bits.
    let sum = x + INTEGERS;
    let near = sum.to_bits().wrapping_sub(INTEGERS.to_bits());
    let value = sum - INTEGERS;
    let over = (value > x) as u32;
    let under = (value < x) as u32;
    match round {
        Round::Rint => near,
        Round::Round => near.wrapping_add((x - value == 0.5) as u32),
        Round::Trunc => near.wrapping_sub(over),
        Round::Floor if negative => near.wrapping_add(under),
        Round::Floor => near.wrapping_sub(over),
        Round::Ceil if negative => near.wrapping_sub(over),
        Round::Ceil => near.wrapping_add(under),
        Round::Odd => near.wrapping_sub(over) | over | under,
    }
}
