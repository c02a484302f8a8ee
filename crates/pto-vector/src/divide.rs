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

#[cfg(test)]
mod tests {
    use super::*;
    use pto_num::{CpuLevel, cpu_level};

    fn check(a: [f32; 16], b: f32) {
        #[cfg(target_arch = "x86_64")]
        let found = Div::by_value::<pto_num::V3, 16>(&a, b, Div::known(b));
        #[cfg(not(target_arch = "x86_64"))]
        let found = Div::by_value::<pto_num::Baseline, 16>(&a, b, Div::known(b));
        for (a, found) in a.into_iter().zip(found) {
            assert!(
                found.to_bits() == (a / b).to_bits() || found.is_nan() && (a / b).is_nan(),
                "{a:e} / {b:e}: {found:e}"
            );
        }
    }

    /// Mantissas near the ends of their range are where a rounding more or less would show.
    #[test]
    fn quotients_are_those_of_a_division() {
        if cfg!(target_arch = "x86_64") && cpu_level() == CpuLevel::Baseline {
            return;
        }
        let mut state = 88_172_645_463_325_252u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 20) as u32
        };
        for turn in 0..200_000u32 {
            let near = turn / 4 % 128;
            let mantissa = [next() & 0x7f_ffff, near, 0x7f_ffff - near, next() & 0x7f_ffff][turn as usize % 4];
            let exponent = if turn % 4 == 3 { next() & 0xff } else { 127 };
            let b = f32::from_bits(mantissa | exponent << 23 | next() & 1 << 31);
            let any = turn % 8 == 7;
            let a = std::array::from_fn(|_| {
                let exponent = if any { next() & 0xff } else { 120 + next() % 16 };
                f32::from_bits(next() & 0x807f_ffff | exponent << 23)
            });
            check(a, b);
        }
        for b in [0.0, -0.0, 1.0, f32::INFINITY, f32::NAN, f32::MIN_POSITIVE, 1e-45, f32::MAX] {
            let mut a = [1.5; 16];
            a[..8].copy_from_slice(&[0.0, -0.0, f32::INFINITY, f32::NAN, 1e-45, f32::MAX, -1.0, 3.0]);
            check(a, b);
        }
    }
}
