//! HiFloat8: a prefix code says how many bits the exponent takes, the mantissa has the rest.
//!
//! | low seven bits | exponent | value |
//! |---|---|---|
//! | `0000mmm` | | `2^(m-23)`, zero for `m = 0` |
//! | `0001mmm` | 0 | `1 + m/8` |
//! | `001smmm` | ±1 | `1 + m/8` |
//! | `01sxmmm` | ±(2 + x) | `1 + m/8` |
//! | `10sxxmm` | ±(4 + x) | `1 + m/4` |
//! | `11sxxxm` | ±(8 + x) | `1 + m/2` |
//!
//! `0x6f` and `0xef` are the infinities, so 32768 is the largest value; `0x80` is NaN.

/// HiFloat8, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(transparent)]
pub struct Hif8(pub u8);

impl Hif8 {
    /// The value; exact.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        Self::VALUES[self.0 as usize]
    }

    /// The value of every code.
    ///
    /// ```
    /// use pto_num::Hif8;
    /// assert_eq!(Hif8::VALUES[0x08], 1.0);
    /// ```
    pub const VALUES: &'static [f32; 256] = &VALUES;
}

/// The value of every code.
static VALUES: [f32; 256] = {
    let mut values = [0.0; 256];
    let mut code = 0;
    while code < 256 {
        let magnitude = match parts(code as u32 & 0x7f) {
            Some((magnitude, exponent)) => magnitude as f32 * power(exponent),
            None => f32::INFINITY,
        };
        values[code] = if code < 128 { magnitude } else { -magnitude };
        code += 1;
    }
    values[0x80] = f32::NAN;
    values
};

/// A normal power of two.
const fn power(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}

/// The exponent of the smallest value.
pub(super) const LOWEST: i32 = -22;

/// Mantissa bits of a value with this exponent.
pub(super) const fn precision(exponent: i32) -> u32 {
    match exponent {
        -3..=3 => 3,
        -7..=7 => 2,
        -15.. => 1,
        _ => 0,
    }
}

/// Decodes a code without its sign to a magnitude and a power of two; `None` for infinity.
pub(crate) const fn parts(code: u32) -> Option<(u64, i32)> {
    const fn signed(negative: u32, size: u32) -> i32 {
        if negative != 0 { -(size as i32) } else { size as i32 }
    }
    let (exponent, mantissa) = match code >> 3 {
        _ if code == 0x6f => return None,
        _ if code == 0 => return Some((0, 0)),
        0 => (code as i32 - 23, 0),
        1 => (0, 3),
        2..=3 => (signed(code & 8, 1), 3),
        4..=7 => (signed(code & 16, 2 + (code >> 3 & 1)), 3),
        8..=11 => (signed(code & 16, 4 + (code >> 2 & 3)), 2),
        _ => (signed(code & 16, 8 + (code >> 1 & 7)), 1),
    };
    let magnitude = 1 << mantissa | code & ((1 << mantissa) - 1);
    Some((magnitude as u64, exponent - mantissa))
}

/// The code of a value with this exponent; nothing if it is beyond the largest.
pub(super) fn code(significand: u64, exponent: i32) -> Option<u32> {
    let size = exponent.unsigned_abs();
    let sign = |bit: u32| if exponent < 0 { bit } else { 0 };
    let mantissa = precision(exponent);
    let fraction = if mantissa == 0 {
        0
    } else {
        // The significand has more or fewer bits than the mantissa when a rounding has carried into the next binade.
        let width = significand.ilog2();
        let aligned =
            if width > mantissa { significand >> (width - mantissa) } else { significand << (mantissa - width) };
        aligned as u32 & ((1 << mantissa) - 1)
    };
    let prefix = match size {
        0 => 0x08,
        1 => 0x10 | sign(8),
        2..=3 => 0x20 | sign(16) | (size - 2) << 3,
        4..=7 => 0x40 | sign(16) | (size - 4) << 2,
        8..=15 => 0x60 | sign(16) | (size - 8) << 1,
        _ if exponent < 0 => (exponent + 23) as u32,
        _ => return None,
    };
    let code = prefix | fraction;
    if code == 0x6f { None } else { Some(code) }
}
