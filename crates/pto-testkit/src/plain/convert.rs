//! Numbers and the bits of their types.

use pto::isa::{DType, ScalarType};

/// A binary format: digits with the leading one, exponents of normal numbers, and bits in all.
#[derive(Clone, Copy)]
struct FloatFormat {
    digits: u32,
    least: i32,
    most: i32,
    width: u32,
}

fn format(s: ScalarType) -> Option<FloatFormat> {
    Some(match s {
        ScalarType::Elem(DType::F16) => FloatFormat { digits: 11, least: -14, most: 15, width: 16 },
        ScalarType::Elem(DType::Bf16) => FloatFormat { digits: 8, least: -126, most: 127, width: 16 },
        ScalarType::Elem(DType::F32) => FloatFormat { digits: 24, least: -126, most: 127, width: 32 },
        ScalarType::F64 => FloatFormat { digits: 53, least: -1022, most: 1023, width: 64 },
        _ => return None,
    })
}

impl FloatFormat {
    fn sign(self, negative: bool) -> u64 {
        u64::from(negative) << (self.width - 1)
    }

    /// All ones in the exponent.
    fn infinity(self) -> u64 {
        ((1 << (self.width - self.digits)) - 1) << (self.digits - 1)
    }

    /// `whole · 2^scale`, rounded to nearest even.
    fn nearest(self, negative: bool, whole: u128, scale: i32) -> u64 {
        if whole == 0 {
            return self.sign(negative);
        }
        let exponent = 127 - whole.leading_zeros() as i32 + scale;
        let mut kept = exponent.max(self.least);
        let dropped = kept - (self.digits as i32 - 1) - scale;
        let mut digits = match dropped {
            ..=0 => whole << -dropped,
            1..=120 => {
                let (high, low, half) = (whole >> dropped, whole & ((1 << dropped) - 1), 1 << (dropped - 1));
                high + u128::from(low > half || low == half && high % 2 == 1)
            }
            _ => 0,
        };
        if digits >> self.digits != 0 {
            digits >>= 1;
            kept += 1;
        }
        if kept > self.most {
            return self.sign(negative) | self.infinity();
        }
        let normal = digits >> (self.digits - 1) != 0;
        let biased = if normal { (kept - self.least + 1) as u64 } else { 0 };
        let fraction = digits as u64 & ((1 << (self.digits - 1)) - 1);
        self.sign(negative) | biased << (self.digits - 1) | fraction
    }
}

/// How many bits a type has.
pub fn width(s: ScalarType) -> u32 {
    match s {
        ScalarType::I1 => 1,
        ScalarType::Index | ScalarType::F64 => 64,
        ScalarType::Elem(d) => d.bits(),
    }
}

/// The low bits of a number.
pub fn low(n: i128, bits: u32) -> u64 {
    (n as u128 & ((1 << bits) - 1)) as u64
}

/// An integer as a value of a type: modulo its range, or the nearest float.
pub fn from_int(n: i128, s: ScalarType) -> u64 {
    match format(s) {
        Some(format) => format.nearest(n < 0, n.unsigned_abs(), 0),
        None => low(n, width(s)),
    }
}

/// The nearest float of a type.
pub fn from_f64(x: f64, s: ScalarType) -> u64 {
    let Some(format) = format(s) else { panic!("{x} is not a value of {s}") };
    if x.is_nan() {
        return format.infinity() | 1 << (format.digits - 2);
    }
    if x.is_infinite() {
        return format.sign(x < 0.0) | format.infinity();
    }
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, u128::from(bits & ((1 << 52) - 1)));
    let (whole, scale) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    format.nearest(x.is_sign_negative(), whole, scale)
}

/// The number behind the bits of a float.
pub fn to_f64(bits: u64, s: ScalarType) -> f64 {
    match s {
        ScalarType::F64 => f64::from_bits(bits),
        ScalarType::Elem(DType::F32) => f64::from(f32::from_bits(bits as u32)),
        ScalarType::Elem(DType::Bf16) => f64::from(f32::from_bits((bits as u32) << 16)),
        ScalarType::Elem(DType::F16) => {
            let (exponent, fraction) = (bits >> 10 & 31, (bits & 1023) as f64);
            let size = match exponent {
                0 => fraction * 2f64.powi(-24),
                31 if fraction == 0.0 => f64::INFINITY,
                31 => f64::NAN,
                _ => (1024.0 + fraction) * 2f64.powi(exponent as i32 - 25),
            };
            if bits >> 15 == 1 { -size } else { size }
        }
        _ => panic!("{s} is not a float"),
    }
}

/// Towards zero; out of range the nearest end, for NaN zero.
pub fn truncated(x: f64, s: ScalarType, signed: bool) -> u64 {
    let bits = width(s);
    let (least, most) =
        if signed { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
    low((x.trunc() as i128).clamp(least, most), bits)
}
