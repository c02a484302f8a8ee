//! Arithmetic on scalars, by the class of their type.

use super::{NumberLiteral, Recorder};
use crate::ir::{Attr, ValueId};
use crate::isa::row::Arith;
use crate::isa::{Class, DType, EnumDef, Op, ScalarType, Type, enums};

/// An operation on two scalars of one type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum BinaryScalarOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Min,
    Max,
    And,
    Or,
    Xor,
    Shl,
    Shr,
}

impl BinaryScalarOp {
    /// What it is on signed integers, unsigned integers and floats. Bits of floats are not combined.
    const fn arith(self, class: Class) -> Arith {
        let [signed, unsigned, float] = match self {
            Self::Add => [Arith::Add, Arith::Add, Arith::AddFloat],
            Self::Sub => [Arith::Sub, Arith::Sub, Arith::SubFloat],
            Self::Mul => [Arith::Mul, Arith::Mul, Arith::MulFloat],
            Self::Div => [Arith::DivSigned, Arith::DivUnsigned, Arith::DivFloat],
            Self::Rem => [Arith::RemSigned, Arith::RemUnsigned, Arith::RemFloat],
            Self::Min => [Arith::MinSigned, Arith::MinUnsigned, Arith::MinimumFloat],
            Self::Max => [Arith::MaxSigned, Arith::MaxUnsigned, Arith::MaximumFloat],
            Self::And => [Arith::And; 3],
            Self::Or => [Arith::Or; 3],
            Self::Xor => [Arith::Xor; 3],
            Self::Shl => [Arith::ShiftLeft; 3],
            Self::Shr => [Arith::ShiftRightSigned, Arith::ShiftRightUnsigned, Arith::ShiftRightSigned],
        };
        match class {
            Class::Signed => signed,
            Class::Unsigned => unsigned,
            Class::Float => float,
        }
    }

    /// The same between known integers; none where it has no result.
    fn fold(self, a: i64, b: i64) -> Option<i64> {
        match self {
            Self::Add => a.checked_add(b),
            Self::Sub => a.checked_sub(b),
            Self::Mul => a.checked_mul(b),
            Self::Div => a.checked_div(b),
            Self::Rem => a.checked_rem(b),
            Self::Min => Some(a.min(b)),
            Self::Max => Some(a.max(b)),
            Self::And | Self::Or | Self::Xor | Self::Shl | Self::Shr => None,
        }
    }
}

/// A comparison of two scalars of one type. With NaN, only [`CompareOp::Ne`] holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl CompareOp {
    const fn predicates(self) -> [&'static str; 3] {
        match self {
            Self::Eq => ["eq", "eq", "oeq"],
            Self::Ne => ["ne", "ne", "une"],
            Self::Lt => ["slt", "ult", "olt"],
            Self::Le => ["sle", "ule", "ole"],
            Self::Gt => ["sgt", "ugt", "ogt"],
            Self::Ge => ["sge", "uge", "oge"],
        }
    }
}

const fn class_of(ty: ScalarType) -> Class {
    match ty {
        ScalarType::Elem(d) => d.class(),
        ScalarType::Index => Class::Signed,
        ScalarType::I1 => Class::Unsigned,
        ScalarType::F64 => Class::Float,
    }
}

const I64: ScalarType = ScalarType::Elem(DType::I64);

const fn width(ty: ScalarType) -> u32 {
    match ty {
        ScalarType::Elem(d) => d.bits(),
        ScalarType::I1 => 1,
        ScalarType::Index | ScalarType::F64 => 64,
    }
}

impl Recorder {
    /// The type of a scalar.
    ///
    /// # Panics
    /// When the value is not a scalar.
    pub fn scalar_type(&self, value: ValueId) -> ScalarType {
        match self.type_of(value) {
            Type::Scalar(ty) => *ty,
            other => panic!("a scalar is needed, and this is {other}"),
        }
    }

    fn one(&mut self, op: Arith, operands: &[ValueId], ty: ScalarType) -> ValueId {
        let operands = operands.iter().enumerate().map(|(slot, v)| (slot as u8, Some(*v))).collect();
        self.issue(Op::of(op), operands, Vec::new(), &[Type::Scalar(ty)]).1[0]
    }

    /// An operation on two scalars. Between indices that are known now it is a constant; other integers wrap at their width.
    pub fn binary(&mut self, op: BinaryScalarOp, a: ValueId, b: ValueId) -> ValueId {
        let ty = self.scalar_type(a);
        if let (ScalarType::Index, Some(x), Some(y)) = (ty, self.number(a), self.number(b))
            && let Some(known) = op.fold(x, y)
        {
            return self.constant(ty, NumberLiteral::Int(known));
        }
        self.one(op.arith(class_of(ty)), &[a, b], ty)
    }

    /// The negative number.
    pub fn negate(&mut self, value: ValueId) -> ValueId {
        let ty = self.scalar_type(value);
        if class_of(ty) == Class::Float {
            return self.one(Arith::NegFloat, &[value], ty);
        }
        let zero = self.constant(ty, NumberLiteral::Int(0));
        self.binary(BinaryScalarOp::Sub, zero, value)
    }

    /// The other truth value.
    pub fn invert(&mut self, value: ValueId) -> ValueId {
        let yes = self.constant(ScalarType::I1, NumberLiteral::Int(1));
        self.binary(BinaryScalarOp::Xor, value, yes)
    }

    /// Whether a comparison holds.
    pub fn compare(&mut self, op: CompareOp, a: ValueId, b: ValueId) -> ValueId {
        let class = class_of(self.scalar_type(a));
        let (chosen, list): (Arith, &'static EnumDef) = match class {
            Class::Signed | Class::Unsigned => (Arith::CompareInt, &enums::CMPI_PREDICATE),
            Class::Float => (Arith::CompareFloat, &enums::CMPF_PREDICATE),
        };
        let name = op.predicates()[class as usize];
        let at = list.find(name).expect("a predicate of the list") as u8;
        let attrs = vec![("predicate", Attr::Enum(list, at))];
        let operands = vec![(0, Some(a)), (1, Some(b))];
        self.issue(Op::of(chosen), operands, attrs, &[Type::Scalar(ScalarType::I1)]).1[0]
    }

    /// The first value where the condition holds, else the second.
    pub fn select(&mut self, condition: ValueId, yes: ValueId, no: ValueId) -> ValueId {
        let ty = self.scalar_type(yes);
        self.one(Arith::Select, &[condition, yes, no], ty)
    }

    /// A change of type, in as many steps as the dialect needs.
    pub fn cast(&mut self, value: ValueId, to: ScalarType) -> ValueId {
        use Class::{Float, Signed, Unsigned};
        let from = self.scalar_type(value);
        if from == to {
            return value;
        }
        if let (Some(n), true) = (self.number(value), to.is_int()) {
            return self.constant(to, NumberLiteral::Int(n));
        }
        let index = ScalarType::Index;
        let by_way_of = |this: &mut Self, way: ScalarType| {
            let first = this.cast(value, way);
            this.cast(first, to)
        };
        let step = match (class_of(from), class_of(to)) {
            // An index becomes a float by way of an integer.
            (_, Float) if from == index => return by_way_of(self, I64),
            (Float, _) if to == index => return by_way_of(self, I64),
            (Signed, _) if from == index => Arith::IndexCast,
            (Unsigned, _) if from == index => Arith::IndexCastUnsigned,
            (Unsigned, _) if to == index => Arith::IndexCastUnsigned,
            (_, _) if to == index => Arith::IndexCast,
            (Float, Float) if width(from) < width(to) => Arith::ExtendFloat,
            (Float, Float) if width(from) > width(to) => Arith::TruncateFloat,
            // Two formats of one width: by way of a wider one.
            (Float, Float) => return by_way_of(self, ScalarType::Elem(DType::F32)),
            (Float, Signed) => Arith::FloatToSigned,
            (Float, Unsigned) => Arith::FloatToUnsigned,
            (Signed, Float) => Arith::SignedToFloat,
            (Unsigned, Float) => Arith::UnsignedToFloat,
            (_, _) if width(from) > width(to) => Arith::Truncate,
            (_, _) if width(from) == width(to) => Arith::Bitcast,
            (Signed, _) => Arith::ExtendSigned,
            (Unsigned, _) => Arith::ExtendUnsigned,
        };
        self.one(step, &[value], to)
    }
}
