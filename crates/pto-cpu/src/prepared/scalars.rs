//! Scalars: their types, how registers hold them, and what is computed with them.

use pto_isa::{Class, DType, ScalarType, Type};
use pto_num::{Bf16, F16};

/// How wide an integer is, and how it is kept in a register: sign-extended, or zero-extended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct IntType {
    pub bits: u8,
    pub unsigned: bool,
}

/// A floating-point type of scalars.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FloatType {
    F16,
    Bf16,
    F32,
    F64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum IntOp {
    Add,
    Sub,
    Mul,
    DivSigned,
    DivUnsigned,
    RemSigned,
    RemUnsigned,
    FloorDiv,
    CeilDivSigned,
    CeilDivUnsigned,
    And,
    Or,
    Xor,
    Shl,
    ShrSigned,
    ShrUnsigned,
    MaxSigned,
    MinSigned,
    MaxUnsigned,
    MinUnsigned,
    ClearBit,
    SetBit,
    Neg,
    Abs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    /// NaN if either is NaN.
    Maximum,
    Minimum,
    /// The number, where one is NaN.
    MaxNum,
    MinNum,
    Neg,
    Abs,
    Exp,
    Log,
    Sqrt,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ExtendedOp {
    AddUnsigned,
    MulSigned,
    MulUnsigned,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ScalarCast {
    /// Takes the low bits; sign- or zero-extends from `from` first.
    Int {
        from: IntType,
        to: IntType,
        signed: bool,
    },
    IntToFloat {
        from: IntType,
        to: FloatType,
        signed: bool,
    },
    FloatToInt {
        from: FloatType,
        to: IntType,
        signed: bool,
    },
    Float {
        from: FloatType,
        to: FloatType,
    },
    IntToFloatBits {
        to: FloatType,
    },
    FloatToIntBits {
        from: FloatType,
        to: IntType,
    },
}

/// How a scalar lies in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ScalarElem {
    Int(IntType),
    Float(FloatType),
}

impl ScalarElem {
    pub fn bits(self) -> u32 {
        match self {
            Self::Int(i) => u32::from(i.bits.max(8)),
            Self::Float(FloatType::F16 | FloatType::Bf16) => 16,
            Self::Float(FloatType::F32) => 32,
            Self::Float(FloatType::F64) => 64,
        }
    }
}

impl IntType {
    /// The value as a signed number, regardless of its type.
    pub fn signed(self, bits: u64) -> i64 {
        let unused = 64 - u32::from(self.bits);
        ((bits << unused) as i64) >> unused
    }

    /// The value as an unsigned number, regardless of its type.
    pub fn unsigned(self, bits: u64) -> u64 {
        let unused = 64 - u32::from(self.bits);
        (bits << unused) >> unused
    }

    /// A result as a register holds it.
    pub fn keep(self, bits: u64) -> u64 {
        if self.unsigned { self.unsigned(bits) } else { self.signed(bits) as u64 }
    }
}

impl FloatType {
    /// The value in a register.
    pub fn value(self, bits: u64) -> f64 {
        match self {
            Self::F64 => f64::from_bits(bits),
            _ => f64::from(f32::from_bits(bits as u32)),
        }
    }

    /// A number rounded to this type, as a register holds it.
    pub fn round(self, x: f64) -> u64 {
        match self {
            Self::F64 => x.to_bits(),
            Self::F32 => u64::from((x as f32).to_bits()),
            // Rounding to f32 first must not decide a tie: f32 keeps what is odd about it.
            Self::F16 => u64::from(F16::from_f32(to_odd(x)).to_f32().to_bits()),
            Self::Bf16 => u64::from(Bf16::from_f32(to_odd(x)).to_f32().to_bits()),
        }
    }

    /// A number given by the bits of this type.
    pub fn of_bits(self, bits: u64) -> u64 {
        match self {
            Self::F64 | Self::F32 => bits,
            Self::F16 => u64::from(F16(bits as u16).to_f32().to_bits()),
            Self::Bf16 => u64::from(Bf16(bits as u16).to_f32().to_bits()),
        }
    }

    /// The bits of this type for what a register holds.
    pub fn to_bits(self, bits: u64) -> u64 {
        let x = f32::from_bits(bits as u32);
        match self {
            Self::F64 | Self::F32 => bits,
            Self::F16 => u64::from(F16::from_f32(x).0),
            Self::Bf16 => u64::from(Bf16::from_f32(x).0),
        }
    }
}

/// To f32, to odd where it is not exact: rounding once more to a narrower type is then right.
fn to_odd(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) == x || !near.is_finite() {
        return near;
    }
    let below = if f64::from(near).abs() > x.abs() { f32::from_bits(near.to_bits() - 1) } else { near };
    f32::from_bits(below.to_bits() | 1)
}

/// The integer type of a scalar.
pub(crate) fn int_of(s: ScalarType) -> Option<IntType> {
    match s {
        ScalarType::I1 => Some(IntType { bits: 1, unsigned: true }),
        ScalarType::Index => Some(IntType { bits: 64, unsigned: false }),
        ScalarType::Elem(d) if d.is_int() => {
            Some(IntType { bits: d.bits() as u8, unsigned: d.class() == Class::Unsigned })
        }
        _ => None,
    }
}

/// The floating-point type of a scalar.
pub(crate) fn float_of(s: ScalarType) -> Option<FloatType> {
    match s {
        ScalarType::F64 => Some(FloatType::F64),
        ScalarType::Elem(DType::F32) => Some(FloatType::F32),
        ScalarType::Elem(DType::F16) => Some(FloatType::F16),
        ScalarType::Elem(DType::Bf16) => Some(FloatType::Bf16),
        _ => None,
    }
}

pub(crate) fn scalar_elem(ty: &Type) -> Option<ScalarElem> {
    let s = ty.scalar()?;
    int_of(s).map(ScalarElem::Int).or_else(|| float_of(s).map(ScalarElem::Float))
}

/// An integer type of an operand.
pub(crate) fn int_type(ty: &Type) -> Option<IntType> {
    ty.scalar().and_then(int_of)
}
