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
    let format = F::FORMAT;
    let magnitude = x.to_bits() & 0x7fff_ffff;
    let negative = x.is_sign_negative();
    let normal = round_normal(magnitude, negative, 23 - format.mantissa, round);
    let normal = normal.wrapping_sub(((127 - format.bias) as u32) << format.mantissa);
    // The smallest normal value; below it codes are equally spaced.
    let threshold = ((128 - format.bias) as u32) << 23;
    let spacing = f32::from_bits(((126 + format.bias) as u32 + format.mantissa).min(254) << 23);
    let subnormal = round_magnitude(f32::from_bits(magnitude) * spacing, negative, round);
    // With the bias of single precision, subnormal numbers are subnormal codes, and the shift has rounded them.
    let code = if format.bias != 127 && magnitude < threshold { subnormal } else { normal };
    let infinite = saturate == Saturate::Off && magnitude == 0x7f80_0000;
    let over = if infinite { format.beyond() } else { format.overflow(negative, round, saturate) };
    let code = if code > format.max() { over } else { code };
    let code = if magnitude > 0x7f80_0000 { format.nan().unwrap_or(0) } else { code };
    F::from_bits(code | if negative { format.sign() } else { 0 })
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
