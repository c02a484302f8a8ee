//! Many numbers divided by one.
//!
//! A division takes as long as a dozen products. With the reciprocal at hand, a product is nearly the quotient, and what is missing
//! follows from the remainder, which is exact: `q' = q + (a - q·b)·r`. Done twice, the result is the correctly rounded quotient,
//! if the reciprocal is (Markstein's theorem) and nothing on the way is too small or too large.

use super::level::is_old;
use super::ops::{Binary, Div};
use pto_num::Level;

/// Magnitudes between 2^-60 and 2^60, as bits: quotients and remainders of such numbers are all normal.
const LOW: u32 = (127 - 60) << 23;
const HIGH: u32 = (127 + 60) << 23;

#[inline(always)]
fn is_ordinary(x: f32) -> bool {
    (x.to_bits() & 0x7fff_ffff).wrapping_sub(LOW) < HIGH - LOW
}

impl Binary<f32> for Div {
    #[inline(always)]
    fn apply<L: Level>(a: f32, b: f32) -> f32 {
        a / b
    }

    /// The reciprocal; NaN where it does not help.
    #[inline(always)]
    fn known(b: f32) -> f32 {
        if is_ordinary(b) { 1.0 / b } else { f32::NAN }
    }

    #[inline(always)]
    fn by_value<L: Level, const N: usize>(a: &[f32; N], b: f32, known: f32) -> [f32; N] {
        let mut out = [0.0; N];
        let mut ordinary = !known.is_nan() && const { !is_old::<L>() };
        for x in a {
            ordinary &= is_ordinary(*x);
        }
        if ordinary {
            for i in 0..N {
                let nearly = a[i] * known;
                let nearer = (-nearly).mul_add(b, a[i]).mul_add(known, nearly);
                out[i] = (-nearer).mul_add(b, a[i]).mul_add(known, nearer);
            }
        } else {
            for i in 0..N {
                out[i] = a[i] / b;
            }
        }
        out
    }
}
