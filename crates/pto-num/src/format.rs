//! Floating-point formats as data.

mod half;
pub(crate) mod hif8;
mod small;

pub use half::{Bf16, F16};
pub(crate) use half::{f16_to_f32, f32_to_f16};
pub use hif8::Hif8;
pub use small::{F4E1M2, F4E2M1, F8E4M3, F8E5M2, F8E8M0, I4};

use crate::{Exact, Round, Saturate};

/// Which codes of a format are not numbers, and how the others are laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Special {
    /// The highest exponent holds infinity and NaN, as IEEE 754 has it.
    Ieee,
    /// Only the code with every bit set is special, and is NaN.
    Nan,
    /// Every code is a number.
    None,
    /// An unsigned power of two: no sign, no zero; the code with every bit set is NaN.
    Scale,
    /// HiFloat8: fields of varying width, one zero.
    Tapered,
}

/// A binary floating-point format of at most 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    /// Bits of the exponent field.
    pub exponent: u32,
    /// Bits of the mantissa field.
    pub mantissa: u32,
    /// What is subtracted from the exponent field.
    pub bias: i32,
    /// What is not a number.
    pub special: Special,
}

impl Format {
    /// Single precision.
    pub const F32: Self = Self::new(8, 23, 127, Special::Ieee);
    /// Half precision.
    pub const F16: Self = Self::new(5, 10, 15, Special::Ieee);
    /// The upper half of single precision.
    pub const BF16: Self = Self::new(8, 7, 127, Special::Ieee);
    /// Eight bits without infinity; the largest value is 448.
    pub const F8E4M3: Self = Self::new(4, 3, 7, Special::Nan);
    /// The upper half of half precision.
    pub const F8E5M2: Self = Self::new(5, 2, 15, Special::Ieee);
    /// A power of two from 2^-127 to 2^127.
    pub const F8E8M0: Self = Self::new(8, 0, 127, Special::Scale);
    /// HiFloat8. The field widths are the largest ones.
    pub const HIF8: Self = Self::new(5, 3, 0, Special::Tapered);
    /// Four bits: 0, 0.5, 1, 1.5, 2, 3, 4, 6.
    pub const F4E2M1: Self = Self::new(2, 1, 1, Special::None);
    /// Four bits: the multiples of 0.25 up to 1.75.
    pub const F4E1M2: Self = Self::new(1, 2, 1, Special::None);

    const fn new(exponent: u32, mantissa: u32, bias: i32, special: Special) -> Self {
        Self { exponent, mantissa, bias, special }
    }

    /// Bits of a code.
    pub const fn bits(self) -> u32 {
        match self.special {
            Special::Scale | Special::Tapered => 8,
            _ => 1 + self.exponent + self.mantissa,
        }
    }

    /// The sign bit, zero for a format without one.
    pub const fn sign(self) -> u32 {
        if matches!(self.special, Special::Scale) { 0 } else { 1 << (self.bits() - 1) }
    }

    /// The code of the largest finite value.
    pub const fn max(self) -> u32 {
        match self.special {
            Special::Ieee => self.infinity_field() - 1,
            Special::Nan => self.all() - 1,
            Special::None => self.all(),
            Special::Scale => 0xfe,
            Special::Tapered => 0x6e,
        }
    }

    /// The code of positive infinity.
    pub const fn infinity(self) -> Option<u32> {
        match self.special {
            Special::Ieee => Some(self.infinity_field()),
            Special::Tapered => Some(0x6f),
            _ => None,
        }
    }

    /// The code of a quiet NaN.
    pub const fn nan(self) -> Option<u32> {
        match self.special {
            Special::Ieee => Some(self.infinity_field() | 1 << (self.mantissa - 1)),
            Special::Nan => Some(self.all()),
            Special::None => None,
            Special::Scale => Some(0xff),
            Special::Tapered => Some(0x80),
        }
    }

    /// The code of a value too large for the format, by the rounding mode.
    pub(crate) const fn overflow(self, negative: bool, round: Round, saturate: Saturate) -> u32 {
        if matches!(saturate, Saturate::On) || !round.overflows(negative) {
            return self.max();
        }
        self.beyond()
    }

    /// The code of an infinite value where nothing saturates.
    pub(crate) const fn beyond(self) -> u32 {
        match (self.infinity(), self.nan()) {
            (Some(code), _) | (None, Some(code)) => code,
            (None, None) => self.max(),
        }
    }

    /// The exponent of the smallest normal value.
    pub(crate) const fn lowest(self) -> i32 {
        match self.special {
            Special::Scale => -self.bias,
            Special::Tapered => hif8::LOWEST,
            _ => 1 - self.bias,
        }
    }

    /// Mantissa bits of a value with this exponent.
    pub(crate) const fn precision(self, exponent: i32) -> u32 {
        if matches!(self.special, Special::Tapered) { hif8::precision(exponent) } else { self.mantissa }
    }

    /// The code of `significand * 2^quantum`, which must be a value of the format if exponents had no upper limit;
    /// nothing if it is beyond that limit.
    pub(crate) fn code(self, significand: u64, quantum: i32) -> Option<u32> {
        if significand == 0 {
            return Some(0);
        }
        let exponent = quantum + significand.ilog2() as i32;
        let code = match self.special {
            Special::Scale => (exponent + self.bias) as i64,
            Special::Tapered => return hif8::code(significand, exponent),
            // The hidden bit of a normal value adds one to the exponent field.
            _ => {
                let binades = (quantum + self.mantissa as i32 - self.lowest()) as i64;
                (binades << self.mantissa) + significand as i64
            }
        };
        (code <= self.max() as i64).then_some(code as u32)
    }

    const fn all(self) -> u32 {
        (1 << (self.exponent + self.mantissa)) - 1
    }

    const fn infinity_field(self) -> u32 {
        ((1 << self.exponent) - 1) << self.mantissa
    }
}

/// A storage format: how bits encode a value.
pub trait Float: Copy + 'static {
    /// The format as data.
    const FORMAT: Format;

    /// Takes the low bits.
    fn from_bits(bits: u32) -> Self;

    /// The code, in the low bits.
    fn to_bits(self) -> u32;

    /// The value; exact.
    fn to_f32(self) -> f32;

    /// The value as data.
    #[inline]
    fn exact(self) -> Exact {
        Exact::decode(self.to_bits(), Self::FORMAT)
    }

    /// The nearest code by the rounding mode. Right for every format, and slow; [`narrow`](crate::convert::narrow) is
    /// fast.
    #[inline]
    fn round(value: impl Into<Exact>, round: Round, saturate: Saturate) -> Self {
        Self::from_bits(value.into().encode(Self::FORMAT, round, saturate))
    }
}

macro_rules! floats {
    ($($name:ident $format:ident $bits:ty;)+) => { $(
        impl Float for $name {
            const FORMAT: Format = Format::$format;

            #[inline(always)]
            fn from_bits(bits: u32) -> Self {
                Self(bits as $bits)
            }

            #[inline(always)]
            fn to_bits(self) -> u32 {
                self.0 as u32 & (((1u64 << Self::FORMAT.bits()) - 1) as u32)
            }

            #[inline(always)]
            fn to_f32(self) -> f32 {
                self.to_f32()
            }
        }
    )+ };
}
floats! {
    F16 F16 u16;
    Bf16 BF16 u16;
    F8E4M3 F8E4M3 u8;
    F8E5M2 F8E5M2 u8;
    F8E8M0 F8E8M0 u8;
    Hif8 HIF8 u8;
    F4E2M1 F4E2M1 u8;
    F4E1M2 F4E1M2 u8;
}

macro_rules! nearest {
    ($($name:ident)+) => { $(
        impl $name {
            /// To nearest, ties to even; what is too large becomes infinity, or NaN, or the largest value, whichever
            /// the format has.
            #[inline(always)]
            pub fn from_f32(x: f32) -> Self {
                crate::convert::narrow(x, Round::Rint, Saturate::Off)
            }
        }
    )+ };
}
nearest!(F8E4M3 F8E5M2 F4E2M1 F4E1M2);
