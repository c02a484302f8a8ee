//! Single precision to a narrower float.

use super::round_magnitude;
use crate::format::{Float, Special};
use crate::{Round, Saturate};

/// Rounds to a format with fixed fields, that is to every [`Float`] but `F8E8M0` and `Hif8`, which [`to_hif8`](super::to_hif8) is for.
///
/// To half precision by [`Round::Rint`] without saturation, [`Level`](crate::Level) has an instruction.
#[inline(always)]
pub fn narrow<F: Float>(x: f32, round: Round, saturate: Saturate) -> F {
    const { assert!(!matches!(F::FORMAT.special, Special::Scale | Special::Tapered), "the format has varying fields") }
    // Named constants: nothing of the format is left to decide at run time.
    let (mantissa, bias) = const { (F::FORMAT.mantissa, F::FORMAT.bias) };
    let (sign, max, beyond) = const { (F::FORMAT.sign(), F::FORMAT.max(), F::FORMAT.beyond()) };
    let nan = const { if let Some(code) = F::FORMAT.nan() { code } else { 0 } };
    let magnitude = x.to_bits() & 0x7fff_ffff;
    let negative = x.is_sign_negative();
    let normal = round_normal(magnitude, negative, 23 - mantissa, round);
    let normal = normal.wrapping_sub(((127 - bias) as u32) << mantissa);
    // The smallest normal value; below it codes are equally spaced.
    let threshold = ((128 - bias) as u32) << 23;
    let spacing = f32::from_bits(((126 + bias) as u32 + mantissa).min(254) << 23);
    let subnormal = round_magnitude(f32::from_bits(magnitude) * spacing, negative, round);
    // With the bias of single precision, subnormal numbers are subnormal codes, and the shift has rounded them.
    let code = if bias != 127 && magnitude < threshold { subnormal } else { normal };
    let overflows = (magnitude == 0x7f80_0000) | round.overflows(negative);
    let over = if saturate == Saturate::Off && overflows { beyond } else { max };
    let code = if code > max { over } else { code };
    let code = if magnitude > 0x7f80_0000 { nan } else { code };
    F::from_bits(code | if negative { sign } else { 0 })
}

/// Rounds away the last `drop` bits of a magnitude; a carry goes into the exponent, as it should.
#[inline(always)]
fn round_normal(magnitude: u32, negative: bool, drop: u32, round: Round) -> u32 {
    let (all, half) = ((1 << drop) - 1, 1 << (drop - 1));
    let add = match round {
        Round::Rint => half - 1 + (magnitude >> drop & 1),
        Round::Round => half,
        Round::Floor => {
            if negative {
                all
            } else {
                0
            }
        }
        Round::Ceil => {
            if negative {
                0
            } else {
                all
            }
        }
        Round::Trunc => 0,
        Round::Odd => return magnitude >> drop | (magnitude & all != 0) as u32,
    };
    (magnitude + add) >> drop
}
