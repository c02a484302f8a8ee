//! Single numbers: how the bits of every element type are read and written.

use crate::isa::{Class, DType};
use pto_num::{Exact, Format, Round, Saturate};
use std::fmt;
use std::sync::OnceLock;

/// A number of any element type, without loss.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum AnyNumber {
    /// Of an integer type.
    Int(i128),
    /// Of a floating-point type.
    Float(f64),
}

impl AnyNumber {
    /// The nearest double.
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Int(i) => wide_to_f64(i),
            Self::Float(f) => f,
        }
    }

    /// Reads a number: `3`, `-1.5e3`, `0x7f`, `nan`, `inf`, `true`.
    ///
    /// ```
    /// use pto::data::AnyNumber;
    /// assert_eq!(AnyNumber::parse("-3"), Some(AnyNumber::Int(-3)));
    /// assert_eq!(AnyNumber::parse("1e3"), Some(AnyNumber::Float(1000.0)));
    /// assert_eq!(AnyNumber::parse("true"), Some(AnyNumber::Int(1)));
    /// assert_eq!(AnyNumber::parse("rand"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        match text {
            "true" => Some(Self::Int(1)),
            "false" => Some(Self::Int(0)),
            _ if hexadecimal.is_some() => i128::from_str_radix(hexadecimal?, 16).ok().map(Self::Int),
            _ => text.parse().map(Self::Int).or_else(|_| text.parse().map(Self::Float)).ok(),
        }
    }

    /// The same number as an integer, if it is one.
    pub fn to_int(self) -> Option<i128> {
        match self {
            Self::Int(i) => Some(i),
            // Beyond this, doubles are no longer a promise about the last digit.
            Self::Float(f) if f.fract() == 0.0 && f.abs() <= 9_007_199_254_740_992.0 => Some(f as i128),
            Self::Float(_) => None,
        }
    }
}

impl fmt::Display for AnyNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(i) => write!(f, "{i}"),
            Self::Float(x) if x.is_nan() => f.write_str("nan"),
            Self::Float(x) => write!(f, "{x:?}"),
        }
    }
}

/// Apart, because otherwise it is computed for every number, also for those that are floats, and it is slow.
#[inline(never)]
fn wide_to_f64(i: i128) -> f64 {
    i as f64
}

/// The range of an integer type.
pub(super) fn int_range(dtype: DType) -> Option<(i128, i128)> {
    let bits = dtype.bits();
    match dtype.class() {
        Class::Signed => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        Class::Unsigned => Some((0, (1 << bits) - 1)),
        Class::Float => None,
    }
}

/// The layout of a floating-point type.
fn format(dtype: DType) -> Option<Format> {
    Some(match dtype {
        DType::F16 => Format::F16,
        DType::Bf16 => Format::BF16,
        DType::F32 => Format::F32,
        DType::F8E4M3 => Format::F8E4M3,
        DType::F8E5M2 => Format::F8E5M2,
        DType::F8E8M0 => Format::F8E8M0,
        DType::Hif8 => Format::HIF8,
        DType::F4E1M2 => Format::F4E1M2,
        DType::F4E2M1 => Format::F4E2M1,
        _ => return None,
    })
}

/// The bits of a number; packed types have two in a byte, the first in the low half.
pub(super) fn bits(dtype: DType, bytes: &[u8], index: usize) -> u64 {
    let word = |size: usize| {
        let mut word = [0; 8];
        word[..size].copy_from_slice(&bytes[index * size..][..size]);
        u64::from_le_bytes(word)
    };
    match dtype.bits() {
        4 => u64::from(bytes[index / 2] >> (index % 2 * 4) & 15),
        n => word(n as usize / 8),
    }
}

/// Writes the low bits of a word as a number.
pub(super) fn set_bits(dtype: DType, bytes: &mut [u8], index: usize, bits: u64) {
    match dtype.bits() {
        4 => {
            let shift = index % 2 * 4;
            let byte = &mut bytes[index / 2];
            *byte = *byte & !(15 << shift) | ((bits as u8 & 15) << shift);
        }
        n => {
            let size = n as usize / 8;
            bytes[index * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
        }
    }
}

/// What bits stand for.
pub(super) fn decode(dtype: DType, bits: u64) -> AnyNumber {
    let shift = 64 - dtype.bits();
    match dtype {
        DType::F32 => AnyNumber::Float(f64::from(f32::from_bits(bits as u32))),
        DType::F16 => AnyNumber::Float(f64::from(pto_num::F16(bits as u16).to_f32())),
        DType::Bf16 => AnyNumber::Float(f64::from(pto_num::Bf16(bits as u16).to_f32())),
        _ => match dtype.class() {
            Class::Signed => AnyNumber::Int(i128::from((bits << shift) as i64 >> shift)),
            Class::Unsigned => AnyNumber::Int(i128::from(bits)),
            Class::Float => AnyNumber::Float(small(dtype)[bits as usize & 0xff]),
        },
    }
}

/// The values of all codes of a type of at most eight bits.
pub(super) fn small(dtype: DType) -> &'static [f64; 256] {
    static TABLES: [OnceLock<Box<[f64; 256]>>; DType::COUNT] = [const { OnceLock::new() }; DType::COUNT];
    TABLES[dtype as usize].get_or_init(|| {
        let format = format(dtype).unwrap_or(Format::F8E4M3);
        Box::new(std::array::from_fn(|code| f64::from(Exact::decode(code as u32, format).to_f32())))
    })
}

/// The bits of the nearest number of a type; integers wrap around.
pub(super) fn encode(dtype: DType, value: AnyNumber) -> u64 {
    match (format(dtype), value) {
        (None, AnyNumber::Int(i)) => i as u64,
        (None, AnyNumber::Float(f)) => f.round_ties_even() as i128 as u64,
        (Some(Format::F32), _) => u64::from((value.to_f64() as f32).to_bits()),
        (Some(format), _) => u64::from(Exact::from(value.to_f64()).encode(format, Round::Rint, Saturate::Off)),
    }
}

/// Numbers of this many bytes as doubles.
pub(super) fn read_doubles<const N: usize>(
    bytes: &[u8],
    first: usize,
    into: &mut [f64],
    number: impl Fn([u8; N]) -> f64,
) -> bool {
    let words = &bytes.as_chunks::<N>().0[first..][..into.len()];
    into.iter_mut().zip(words).for_each(|(to, word)| *to = number(*word));
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every code of every small type is the nearest code of its value.
    #[test]
    fn small_types_read_back() {
        for dtype in DType::ALL.into_iter().filter(|d| d.bits() <= 16) {
            for code in 0..1u64 << dtype.bits() {
                let value = decode(dtype, code);
                let again = decode(dtype, encode(dtype, value));
                let both_nan = value.to_f64().is_nan() && again.to_f64().is_nan();
                assert!(both_nan || value == again, "{dtype} {code:#x}: {value} {again}");
            }
        }
    }

    #[test]
    fn packed_numbers_start_in_the_low_half() {
        let mut bytes = [0x21, 0xf3];
        let numbers = |b: &[u8]| (0..4).map(|i| decode(DType::I4, bits(DType::I4, b, i)).to_f64()).collect::<Vec<_>>();
        assert_eq!(numbers(&bytes), [1.0, 2.0, 3.0, -1.0]);
        set_bits(DType::I4, &mut bytes, 2, 7);
        assert_eq!(bytes, [0x21, 0xf7]);
    }

    #[test]
    fn wide_integers_are_exact() {
        assert_eq!(decode(DType::U64, u64::MAX), AnyNumber::Int(u64::MAX.into()));
        assert_eq!(decode(DType::I64, 1 << 63), AnyNumber::Int(i64::MIN.into()));
        assert_eq!(int_range(DType::I64), Some((i64::MIN.into(), i64::MAX.into())));
        assert_eq!(encode(DType::U64, AnyNumber::Int(u64::MAX.into())), u64::MAX);
    }
}
