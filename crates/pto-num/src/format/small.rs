//! Formats of eight and four bits.

use super::f16_to_f32;

/// Eight bits, four of exponent, no infinity.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(transparent)]
pub struct F8E4M3(pub u8);

/// Eight bits, five of exponent: the upper half of half precision.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(transparent)]
pub struct F8E5M2(pub u8);

/// An unsigned power of two, `2^(code - 127)`; `0xff` is NaN.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(transparent)]
pub struct F8E8M0(pub u8);

/// Four bits, two of exponent, in the low nibble. The high nibble is ignored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(transparent)]
pub struct F4E2M1(pub u8);

/// Four bits, one of exponent, in the low nibble. The high nibble is ignored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(transparent)]
pub struct F4E1M2(pub u8);

/// A signed integer of four bits in the low nibble. The high nibble is ignored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(transparent)]
pub struct I4(pub u8);

/// Adds a bias to the exponent field; subnormal codes are normalised by a subtraction, without a subnormal operand.
#[inline(always)]
fn rebias(magnitude: u32, mantissa: u32, bias: u32) -> u32 {
    let shifted = (magnitude << (23 - mantissa)) + ((127 - bias) << 23);
    let one = 1 << 23;
    let subnormal = (f32::from_bits(shifted + one) - f32::from_bits((128 - bias) << 23)).to_bits();
    if magnitude < 1 << mantissa { subnormal } else { shifted }
}

impl F8E4M3 {
    /// The value; exact.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        let magnitude = self.0 as u32 & 0x7f;
        let value = if magnitude == 0x7f { 0x7fc0_0000 } else { rebias(magnitude, 3, 7) };
        f32::from_bits((self.0 as u32 & 0x80) << 24 | value)
    }
}

impl F8E5M2 {
    /// The value; exact.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        f16_to_f32((self.0 as u16) << 8)
    }
}

impl F8E8M0 {
    /// The value; exact. Code zero is subnormal in single precision.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        let bits = (self.0 as u32) << 23;
        let bits = if self.0 == 0 { 1 << 22 } else { bits };
        f32::from_bits(if self.0 == 0xff { 0x7fc0_0000 } else { bits })
    }
}

impl F4E2M1 {
    /// The value; exact.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        f32::from_bits((self.0 as u32 & 8) << 28 | rebias(self.0 as u32 & 7, 1, 1))
    }
}

impl F4E1M2 {
    /// The value; exact.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        // One exponent bit next to the subnormal range: the values are equally spaced.
        let magnitude = (self.0 & 7) as f32 * 0.25;
        f32::from_bits((self.0 as u32 & 8) << 28 | magnitude.to_bits())
    }
}

impl I4 {
    /// The value.
    #[inline(always)]
    pub fn to_i8(self) -> i8 {
        ((self.0 << 4) as i8) >> 4
    }

    /// Keeps the low four bits.
    #[inline(always)]
    pub fn from_i8(x: i8) -> Self {
        Self(x as u8 & 15)
    }

    /// The value; exact.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        self.to_i8() as f32
    }
}
