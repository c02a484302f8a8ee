//! Scalar arithmetic.

use super::build::{PlanBuilder, PlanResult};
use crate::prepared::*;
use pto_ir::{Attr, OpId};
use pto_isa::Type;
use pto_isa::row::Arith;
use pto_isa::text;

impl PlanBuilder<'_> {
    pub fn arith_op(&mut self, id: OpId) -> PlanResult<()> {
        let Some(is) = self.module.arith(id) else { return self.memref_op(id) };
        match scalar_op(is) {
            ScalarOp::Int(op) => self.binary(id, |kind, a, b, out| Step::Int { op, kind, a, b, out }),
            ScalarOp::Float(op) => self.float_binary(id, |kind, a, b, out| Step::Float { op, kind, a, b, out }),
            ScalarOp::Extended(op) => self.extended(id, op),
            ScalarOp::Constant => self.constant_op(id),
            ScalarOp::CompareInt => {
                let predicate = self.predicate(id);
                self.binary(id, |kind, a, b, out| Step::CompareInt { predicate, kind, a, b, out })
            }
            ScalarOp::CompareFloat => {
                let predicate = self.predicate(id);
                self.float_binary(id, |kind, a, b, out| Step::CompareFloat { predicate, kind, a, b, out })
            }
            ScalarOp::Select => self.select(id),
            ScalarOp::Cast => self.cast(id, is),
        }
    }

    fn constant_op(&mut self, id: OpId) -> PlanResult<()> {
        let value = self.result(id)?;
        let ty = self.module.value_type(value).clone();
        if matches!(ty, Type::Vector(_)) {
            // A place for counts: no operation reads what a vector holds before an instruction writes it.
            return self.define(value).map(drop);
        }
        let Some(bits) = self.module.attr(id, "value").and_then(|a| constant_bits(a, &ty)) else {
            return Err(self.unsupported(&text!("a constant of type {ty}", ty)));
        };
        let reg = self.constant(bits);
        self.keep_in(value, ValueStorage::Scalar(reg));
        Ok(())
    }

    fn predicate(&self, id: OpId) -> u8 {
        match self.module.attr(id, "predicate") {
            Some(Attr::Enum(_, at)) => *at,
            _ => 0,
        }
    }

    fn pair(&self, id: OpId) -> PlanResult<(Reg, Reg)> {
        match *self.module.operands(id) {
            [a, b] => Ok((self.scalar(a.value)?, self.scalar(b.value)?)),
            [a] => Ok((self.scalar(a.value)?, self.scalar(a.value)?)),
            _ => Err(self.unsupported(text!("these operands"))),
        }
    }

    /// The type of the first operand.
    fn operand_type(&self, id: OpId) -> Type {
        self.module.operands(id).first().map_or(Type::Unknown, |o| self.module.value_type(o.value).clone())
    }

    fn binary(&mut self, id: OpId, step: impl Fn(IntType, Reg, Reg, Reg) -> Step) -> PlanResult<()> {
        let Some(kind) = int_type(&self.operand_type(id)) else { return Err(self.unsupported(text!("this type"))) };
        let (a, b) = self.pair(id)?;
        let out = self.result_reg(id)?;
        self.push(step(kind, a, b, out)).map(drop)
    }

    fn float_binary(&mut self, id: OpId, step: impl Fn(FloatType, Reg, Reg, Reg) -> Step) -> PlanResult<()> {
        let ty = self.operand_type(id);
        let Some(kind) = ty.scalar().and_then(float_of) else {
            return Err(self.unsupported(&text!("scalar arithmetic on {ty}", ty)));
        };
        let (a, b) = self.pair(id)?;
        let out = self.result_reg(id)?;
        self.push(step(kind, a, b, out)).map(drop)
    }

    fn select(&mut self, id: OpId) -> PlanResult<()> {
        let [condition, a, b] = *self.module.operands(id) else {
            return Err(self.unsupported(text!("these operands")));
        };
        let condition = self.scalar(condition.value)?;
        let value = self.result(id)?;
        let result = self.define_handle(value)?;
        if let (ValueStorage::Scalar(a), ValueStorage::Scalar(b), ValueStorage::Scalar(out)) =
            (self.slot(a.value), self.slot(b.value), result)
        {
            return self.push(Step::Select { condition, a, b, out }).map(drop);
        }
        // Anything else: a branch around two moves.
        let branch = self.push(Step::Jump(StepId(0)))?;
        self.move_values(&[self.slot(a.value)], &[result])?;
        let over = self.push(Step::Jump(StepId(0)))?;
        let no = self.here();
        self.move_values(&[self.slot(b.value)], &[result])?;
        self.plan.code.steps[branch] = Step::Branch { condition, yes: branch.next(), no };
        self.plan.code.steps[over] = Step::Jump(self.here());
        Ok(())
    }

    fn extended(&mut self, id: OpId, op: ExtendedOp) -> PlanResult<()> {
        let Some(kind) = int_type(&self.operand_type(id)) else { return Err(self.unsupported(text!("this type"))) };
        let (a, b) = self.pair(id)?;
        let out = self.reg();
        self.reg();
        for (at, value) in self.module.results(id).enumerate() {
            self.keep_in(value, ValueStorage::Scalar(out.plus(at as u32)));
        }
        self.push(Step::Extended { op, kind, a, b, out }).map(drop)
    }

    fn cast(&mut self, id: OpId, is: Arith) -> PlanResult<()> {
        let Some(operand) = self.module.operands(id).first().map(|o| o.value) else {
            return Err(self.unsupported(text!("it without an operand")));
        };
        let value = self.result(id)?;
        if is == Arith::Unrealized {
            self.keep_in(value, self.slot(operand));
            return Ok(());
        }
        let (from, to) = (self.operand_type(id), self.module.value_type(value).clone());
        let Some(cast) = cast_of(is, &from, &to) else {
            return Err(self.unsupported(&text!("a cast from {from} to {to}", from, to)));
        };
        let a = self.scalar(operand)?;
        let out = self.result_reg(id)?;
        self.push(Step::Cast { cast, a, out }).map(drop)
    }
}

fn cast_of(is: Arith, from: &Type, to: &Type) -> Option<ScalarCast> {
    let (from, to) = (from.scalar()?, to.scalar()?);
    let signed = !matches!(
        is,
        Arith::ExtendUnsigned | Arith::UnsignedToFloat | Arith::FloatToUnsigned | Arith::IndexCastUnsigned
    );
    let bits = is == Arith::Bitcast;
    Some(match (int_of(from), float_of(from), int_of(to), float_of(to)) {
        (Some(from), _, Some(to), _) => ScalarCast::Int { from, to, signed },
        (Some(_), _, _, Some(to)) if bits => ScalarCast::IntToFloatBits { to },
        (_, Some(from), Some(to), _) if bits => ScalarCast::FloatToIntBits { from, to },
        (Some(from), _, _, Some(to)) => ScalarCast::IntToFloat { from, to, signed },
        (_, Some(from), Some(to), _) => ScalarCast::FloatToInt { from, to, signed },
        (_, Some(from), _, Some(to)) => ScalarCast::Float { from, to },
        _ => return None,
    })
}

/// A constant as a register holds it.
fn constant_bits(attr: &Attr, ty: &Type) -> Option<u64> {
    let s = ty.scalar()?;
    if let Some(int) = int_of(s) {
        let n = match attr {
            Attr::Bool(b) => i128::from(*b),
            Attr::Int(n, _) => *n,
            _ => return None,
        };
        return Some(int.keep(n as u64));
    }
    let float = float_of(s)?;
    Some(match attr {
        Attr::Float(x, _) => float.round(*x),
        Attr::Int(n, _) => float.round(*n as f64),
        Attr::FloatBits(bits, _) => float.of_bits(*bits),
        _ => return None,
    })
}

/// How the engine executes a scalar operation.
enum ScalarOp {
    Int(IntOp),
    Float(FloatOp),
    Extended(ExtendedOp),
    Constant,
    CompareInt,
    CompareFloat,
    Select,
    Cast,
}

const fn scalar_op(is: Arith) -> ScalarOp {
    match is {
        Arith::Constant => ScalarOp::Constant,
        Arith::CompareInt => ScalarOp::CompareInt,
        Arith::CompareFloat => ScalarOp::CompareFloat,
        Arith::Select => ScalarOp::Select,
        Arith::Add => ScalarOp::Int(IntOp::Add),
        Arith::Sub => ScalarOp::Int(IntOp::Sub),
        Arith::Mul => ScalarOp::Int(IntOp::Mul),
        Arith::DivSigned => ScalarOp::Int(IntOp::DivSigned),
        Arith::DivUnsigned => ScalarOp::Int(IntOp::DivUnsigned),
        Arith::RemSigned => ScalarOp::Int(IntOp::RemSigned),
        Arith::RemUnsigned => ScalarOp::Int(IntOp::RemUnsigned),
        Arith::FloorDivSigned => ScalarOp::Int(IntOp::FloorDiv),
        Arith::CeilDivSigned => ScalarOp::Int(IntOp::CeilDivSigned),
        Arith::CeilDivUnsigned => ScalarOp::Int(IntOp::CeilDivUnsigned),
        Arith::And => ScalarOp::Int(IntOp::And),
        Arith::Or => ScalarOp::Int(IntOp::Or),
        Arith::Xor => ScalarOp::Int(IntOp::Xor),
        Arith::ShiftLeft => ScalarOp::Int(IntOp::Shl),
        Arith::ShiftRightSigned => ScalarOp::Int(IntOp::ShrSigned),
        Arith::ShiftRightUnsigned => ScalarOp::Int(IntOp::ShrUnsigned),
        Arith::MaxSigned => ScalarOp::Int(IntOp::MaxSigned),
        Arith::MinSigned => ScalarOp::Int(IntOp::MinSigned),
        Arith::MaxUnsigned => ScalarOp::Int(IntOp::MaxUnsigned),
        Arith::MinUnsigned => ScalarOp::Int(IntOp::MinUnsigned),
        Arith::ClearBit => ScalarOp::Int(IntOp::ClearBit),
        Arith::SetBit => ScalarOp::Int(IntOp::SetBit),
        Arith::NegInt => ScalarOp::Int(IntOp::Neg),
        Arith::AbsInt => ScalarOp::Int(IntOp::Abs),
        Arith::AddFloat => ScalarOp::Float(FloatOp::Add),
        Arith::SubFloat => ScalarOp::Float(FloatOp::Sub),
        Arith::MulFloat => ScalarOp::Float(FloatOp::Mul),
        Arith::DivFloat => ScalarOp::Float(FloatOp::Div),
        Arith::RemFloat => ScalarOp::Float(FloatOp::Rem),
        Arith::MaximumFloat => ScalarOp::Float(FloatOp::Maximum),
        Arith::MinimumFloat => ScalarOp::Float(FloatOp::Minimum),
        Arith::MaxNumFloat => ScalarOp::Float(FloatOp::MaxNum),
        Arith::MinNumFloat => ScalarOp::Float(FloatOp::MinNum),
        Arith::NegFloat => ScalarOp::Float(FloatOp::Neg),
        Arith::AbsFloat => ScalarOp::Float(FloatOp::Abs),
        Arith::Exp => ScalarOp::Float(FloatOp::Exp),
        Arith::Log => ScalarOp::Float(FloatOp::Log),
        Arith::Sqrt => ScalarOp::Float(FloatOp::Sqrt),
        Arith::AddExtended => ScalarOp::Extended(ExtendedOp::AddUnsigned),
        Arith::MulExtendedSigned => ScalarOp::Extended(ExtendedOp::MulSigned),
        Arith::MulExtendedUnsigned => ScalarOp::Extended(ExtendedOp::MulUnsigned),
        Arith::IndexCast
        | Arith::IndexCastUnsigned
        | Arith::Truncate
        | Arith::ExtendSigned
        | Arith::ExtendUnsigned
        | Arith::Bitcast
        | Arith::SignedToFloat
        | Arith::UnsignedToFloat
        | Arith::FloatToSigned
        | Arith::FloatToUnsigned
        | Arith::ExtendFloat
        | Arith::TruncateFloat
        | Arith::Unrealized => ScalarOp::Cast,
    }
}
