//! The two 16-bit formats.

/// IEEE half precision, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(transparent)]
pub struct F16(pub u16);

/// The upper half of a single-precision number, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(transparent)]
pub struct Bf16(pub u16);

impl F16 {
    /// The value; exact.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        f16_to_f32(self.0)
    }

    /// To nearest, ties to even, overflow to infinity.
    #[inline(always)]
    pub fn from_f32(x: f32) -> Self {
        Self(f32_to_f16(x))
    }
}

impl Bf16 {
    /// The value; exact.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        f32::from_bits((self.0 as u32) << 16)
    }

    /// To nearest, ties to even, overflow to infinity.
    #[inline(always)]
    pub fn from_f32(x: f32) -> Self {
        let bits = x.to_bits();
        let rounded = (bits.wrapping_add(0x7fff + ((bits >> 16) & 1))) >> 16;
        let quiet = (bits >> 16) | 0x40;
        Self(if x.is_nan() { quiet } else { rounded } as u16)
    }
}

/// Selects instead of branches, and no subnormal operand, which processors take long over.
#[inline(always)]
pub fn f16_to_f32(half: u16) -> f32 {
    const REBIAS: u32 = 112 << 23;
    let sign = ((half & 0x8000) as u32) << 16;
    let magnitude = (half & 0x7fff) as u32;
    let shifted = magnitude << 13;
    let subnormal = (f32::from_bits(shifted + REBIAS + (1 << 23)) - f32::from_bits(113 << 23)).to_bits();
    let quiet = if magnitude > 0x7c00 { 0x40_0000 } else { 0 };
    let special = shifted | 0x7f80_0000 | quiet;
    let finite = if magnitude < 0x400 { subnormal } else { shifted + REBIAS };
    f32::from_bits(sign | if magnitude >= 0x7c00 { special } else { finite })
}

/// The inverse of [`f16_to_f32`] with rounding to nearest even.
#[inline(always)]
pub fn f32_to_f16(x: f32) -> u16 {
    let sign = ((x.to_bits() >> 16) & 0x8000) as u16;
    let magnitude = x.to_bits() & 0x7fff_ffff;
    // Adding 0.5 aligns the last bit of the sum with 2^-24, the last bit of a subnormal half.
    let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits());
    let odd = (magnitude >> 13) & 1;
    let normal = magnitude.wrapping_sub(112 << 23).wrapping_add(0xfff + odd) >> 13;
    let nan = 0x7e00 | ((magnitude >> 13) & 0x3ff);
    let special = if magnitude > 0x7f80_0000 { nan } else { 0x7c00 };
    let finite = if magnitude < 0x3880_0000 { subnormal } else { normal };
    sign | if magnitude >= 0x4780_0000 { special } else { finite } as u16
}
