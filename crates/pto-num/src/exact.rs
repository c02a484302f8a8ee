//! Values of any format without loss, and their rounding: the reference for every conversion.

use crate::format::{self, Format, Special};
use crate::{Round, Saturate};

/// A number as it is, before any rounding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exact {
    /// `±magnitude * 2^exponent`.
    Finite {
        /// Set for negative numbers and for negative zero.
        negative: bool,
        /// An integer.
        magnitude: u64,
        /// The power of two it is multiplied with.
        exponent: i32,
    },
    /// Beyond all finite numbers.
    Infinite {
        /// Which of the two.
        negative: bool,
    },
    /// Not a number.
    Nan,
}

impl Exact {
    /// The value that a code of a format encodes.
    pub fn decode(bits: u32, format: Format) -> Self {
        let negative = bits & format.sign() != 0;
        let code = bits & (((1u64 << format.bits()) - 1) as u32 ^ format.sign());
        match format.special {
            Special::Scale if code == 0xff => Self::Nan,
            Special::Scale => Self::Finite { negative, magnitude: 1, exponent: code as i32 - format.bias },
            Special::Tapered => match format::hif8::parts(code) {
                _ if bits & 0xff == 0x80 => Self::Nan,
                Some((magnitude, exponent)) => Self::Finite { negative, magnitude, exponent },
                None => Self::Infinite { negative },
            },
            _ => Self::decode_fields(code, negative, format),
        }
    }

    fn decode_fields(code: u32, negative: bool, format: Format) -> Self {
        if format.infinity() == Some(code) {
            return Self::Infinite { negative };
        }
        if code > format.max() {
            return Self::Nan;
        }
        let (field, fraction) = (code >> format.mantissa, code & ((1 << format.mantissa) - 1));
        let hidden = if field == 0 { 0 } else { 1u64 << format.mantissa };
        let exponent = field.max(1) as i32 - format.bias - format.mantissa as i32;
        Self::Finite { negative, magnitude: hidden | fraction as u64, exponent }
    }

    /// The nearest code of a format by the rounding mode.
    ///
    /// A format without negative numbers takes them as its smallest value where it saturates and as NaN elsewhere; one
    /// without zero has its smallest value instead.
    pub fn encode(self, format: Format, round: Round, saturate: Saturate) -> u32 {
        let sign = |negative| if negative { format.sign() } else { 0 };
        match self {
            Self::Nan => format.nan().unwrap_or(0),
            Self::Infinite { negative } | Self::Finite { negative, magnitude: 1.., .. }
                if negative && format.sign() == 0 =>
            {
                if saturate == Saturate::On {
                    0
                } else {
                    format.beyond()
                }
            }
            Self::Infinite { negative } => {
                let code = if saturate == Saturate::On { format.max() } else { format.beyond() };
                code | sign(negative)
            }
            Self::Finite { negative, magnitude, exponent } => {
                let code = match rounded_code(negative, magnitude, exponent, format, round) {
                    Some(code) => code,
                    None => format.overflow(negative, round, saturate),
                };
                // HiFloat8 has a single zero; its negative counterpart is NaN.
                if code == 0 && format.special == Special::Tapered { 0 } else { code | sign(negative) }
            }
        }
    }

    /// The value rounded to an integer of `bits` bits, sign-extended or zero-extended; cast it to the wanted type.
    pub fn to_int(self, round: Round, saturate: Saturate, bits: u32, signed: bool) -> i64 {
        let (low, high) =
            if signed { (-1i128 << (bits - 1), (1i128 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
        let value = match self {
            Self::Nan => 0,
            Self::Infinite { negative } if saturate == Saturate::On => {
                if negative {
                    low
                } else {
                    high
                }
            }
            Self::Infinite { .. } => 0,
            Self::Finite { negative, magnitude, exponent } => {
                let value = integer(negative, magnitude, exponent, round);
                if saturate == Saturate::On { value.clamp(low, high) } else { value }
            }
        };
        let spare = 64 - bits;
        let low_bits = (value as i64) << spare;
        if signed { low_bits >> spare } else { (low_bits as u64 >> spare) as i64 }
    }

    /// The nearest single-precision value.
    pub fn to_f32(self) -> f32 {
        f32::from_bits(self.encode(Format::F32, Round::Rint, Saturate::Off))
    }
}

/// `magnitude >> shift`, and how to compare what was cut off with half of the last bit kept.
fn shift_right(magnitude: u64, shift: u32) -> (u64, std::cmp::Ordering, bool) {
    let wide = magnitude as u128;
    // All lower bits together are less than half of the last bit.
    let shift = shift.min(100);
    let kept = (wide >> shift) as u64;
    let rest = wide & ((1 << shift) - 1);
    let half = if shift == 0 { 1 } else { 1 << (shift - 1) };
    (kept, rest.cmp(&half), rest != 0)
}

/// The code of the rounded magnitude, nothing if that is beyond the format's range.
fn rounded_code(negative: bool, magnitude: u64, exponent: i32, format: Format, round: Round) -> Option<u32> {
    if magnitude == 0 {
        return Some(0);
    }
    let leading = (exponent + magnitude.ilog2() as i32).max(format.lowest());
    let quantum = leading - format.precision(leading) as i32;
    if quantum <= exponent {
        return format.code(magnitude << (exponent - quantum), quantum);
    }
    let (kept, rest, inexact) = shift_right(magnitude, (quantum - exponent) as u32);
    // Without mantissa bits both neighbours are odd, and a tie goes to the larger one, as IEEE 754 has it.
    let odd = kept & 1 == 1;
    format.code(kept + round.steps(negative, odd, rest, inexact) as u64, quantum)
}

/// The value rounded to an integer. Saturated far outside of 64 bits, with the right low bits.
fn integer(negative: bool, magnitude: u64, exponent: i32, round: Round) -> i128 {
    let value = if exponent >= 64 {
        // Every bit of the result's low half is zero.
        if magnitude == 0 { 0 } else { 1 << 100 }
    } else if exponent >= 0 {
        (magnitude as i128) << exponent
    } else {
        let (kept, rest, inexact) = shift_right(magnitude, exponent.unsigned_abs());
        kept as i128 + round.steps(negative, kept & 1 == 1, rest, inexact) as i128
    };
    if negative { -value } else { value }
}

impl From<f64> for Exact {
    fn from(x: f64) -> Self {
        let bits = x.to_bits();
        let negative = x.is_sign_negative();
        let (field, fraction) = ((bits >> 52) as i32 & 0x7ff, bits & ((1 << 52) - 1));
        match field {
            0x7ff if fraction == 0 => Self::Infinite { negative },
            0x7ff => Self::Nan,
            0 => Self::Finite { negative, magnitude: fraction, exponent: -1074 },
            _ => Self::Finite { negative, magnitude: fraction | 1 << 52, exponent: field - 1075 },
        }
    }
}

impl From<f32> for Exact {
    fn from(x: f32) -> Self {
        Self::decode(x.to_bits(), Format::F32)
    }
}

macro_rules! from_integers {
    ($($wide:ty: $($narrow:ty),+;)+) => { $($(
        impl From<$narrow> for Exact {
            fn from(x: $narrow) -> Self {
                let wide: $wide = x.into();
                #[allow(unused_comparisons, reason = "the same text for unsigned types")]
                Self::Finite { negative: wide < 0, magnitude: wide.abs_diff(0), exponent: 0 }
            }
        }
    )+)+ };
}
from_integers! { i64: i64, i32, i16, i8; u64: u64, u32, u16, u8; }
