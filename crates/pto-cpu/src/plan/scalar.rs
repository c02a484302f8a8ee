//! Scalar arithmetic.

use super::build::{Builder, Built};
use super::views::is_memref;
use crate::prepared::*;
use pto_ir::{Attr, OpId};
use pto_isa::Type;
use pto_isa::table::op;

impl Builder<'_> {
    pub fn arith_op(&mut self, id: OpId) -> Built<()> {
        let code = self.module.op(id).op;
        if is_memref(code) {
            return self.memref_op(id);
        }
        if let Some(op) = int_op(code) {
            return self.binary(id, |kind, a, b, out| Step::Int { op, kind, a, b, out });
        }
        if let Some(op) = float_op(code) {
            return self.float_binary(id, |kind, a, b, out| Step::Float { op, kind, a, b, out });
        }
        match code {
            op::arith_constant => self.constant_op(id),
            op::arith_cmpi => {
                let predicate = self.predicate(id);
                self.binary(id, |kind, a, b, out| Step::CompareInt { predicate, kind, a, b, out })
            }
            op::arith_cmpf => {
                let predicate = self.predicate(id);
                self.float_binary(id, |kind, a, b, out| Step::CompareFloat { predicate, kind, a, b, out })
            }
            op::arith_select => self.select(id),
            op::arith_addui_extended => self.extended(id, ExtendedOp::AddUnsigned),
            op::arith_mulsi_extended => self.extended(id, ExtendedOp::MulSigned),
            op::arith_mului_extended => self.extended(id, ExtendedOp::MulUnsigned),
            _ => self.cast(id),
        }
    }

    fn constant_op(&mut self, id: OpId) -> Built<()> {
        let value = self.result(id)?;
        let ty = self.module.value_type(value).clone();
        if matches!(ty, Type::Vector(_)) {
            // A place for counts: no operation reads what a vector holds before an instruction writes it.
            return self.define(value).map(drop);
        }
        let Some(bits) = self.module.attr(id, "value").and_then(|a| constant_bits(a, &ty)) else {
            return Err(self.unsupported(&format!("a constant of type {ty}")));
        };
        let reg = self.constant(bits);
        self.slots[value.index()] = Slot::Scalar(reg);
        Ok(())
    }

    fn predicate(&self, id: OpId) -> u8 {
        match self.module.attr(id, "predicate") {
            Some(Attr::Enum(_, at)) => *at,
            _ => 0,
        }
    }

    fn pair(&self, id: OpId) -> Built<(Reg, Reg)> {
        match *self.module.operands(id) {
            [a, b] => Ok((self.scalar(a.value)?, self.scalar(b.value)?)),
            [a] => Ok((self.scalar(a.value)?, self.scalar(a.value)?)),
            _ => Err(self.unsupported("these operands")),
        }
    }

    /// The type of the first operand.
    fn operand_type(&self, id: OpId) -> Type {
        self.module.operands(id).first().map_or(Type::Unknown, |o| self.module.value_type(o.value).clone())
    }

    fn binary(&mut self, id: OpId, step: impl Fn(Int, Reg, Reg, Reg) -> Step) -> Built<()> {
        let Some(kind) = int_type(&self.operand_type(id)) else { return Err(self.unsupported("this type")) };
        let (a, b) = self.pair(id)?;
        let out = self.result_reg(id)?;
        self.push(step(kind, a, b, out)).map(drop)
    }

    fn float_binary(&mut self, id: OpId, step: impl Fn(Float, Reg, Reg, Reg) -> Step) -> Built<()> {
        let ty = self.operand_type(id);
        let Some(kind) = ty.scalar().and_then(float_of) else {
            return Err(self.unsupported(&format!("scalar arithmetic on {ty}")));
        };
        let (a, b) = self.pair(id)?;
        let out = self.result_reg(id)?;
        self.push(step(kind, a, b, out)).map(drop)
    }

    fn select(&mut self, id: OpId) -> Built<()> {
        let [condition, a, b] = *self.module.operands(id) else { return Err(self.unsupported("these operands")) };
        let condition = self.scalar(condition.value)?;
        let value = self.result(id)?;
        let result = self.define_handle(value)?;
        if let (Slot::Scalar(a), Slot::Scalar(b), Slot::Scalar(out)) = (self.slot(a.value), self.slot(b.value), result)
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

    fn extended(&mut self, id: OpId, op: ExtendedOp) -> Built<()> {
        let Some(kind) = int_type(&self.operand_type(id)) else { return Err(self.unsupported("this type")) };
        let (a, b) = self.pair(id)?;
        let out = self.reg();
        self.reg();
        for (at, value) in self.module.results(id).enumerate() {
            self.slots[value.index()] = Slot::Scalar(out.plus(at as u32));
        }
        self.push(Step::Extended { op, kind, a, b, out }).map(drop)
    }

    fn cast(&mut self, id: OpId) -> Built<()> {
        let Some(operand) = self.module.operands(id).first().map(|o| o.value) else {
            return Err(self.unsupported("it without an operand"));
        };
        let value = self.result(id)?;
        if self.module.op(id).op == op::builtin_unrealized_conversion_cast {
            self.slots[value.index()] = self.slot(operand);
            return Ok(());
        }
        let (from, to) = (self.operand_type(id), self.module.value_type(value).clone());
        let Some(cast) = self.cast_of(id, &from, &to) else {
            return Err(self.unsupported(&format!("a cast from {from} to {to}")));
        };
        let a = self.scalar(operand)?;
        let out = self.result_reg(id)?;
        self.push(Step::Cast { cast, a, out }).map(drop)
    }

    fn cast_of(&self, id: OpId, from: &Type, to: &Type) -> Option<ScalarCast> {
        let (from, to) = (from.scalar()?, to.scalar()?);
        let code = self.module.op(id).op;
        let signed = !matches!(code, op::arith_extui | op::arith_uitofp | op::arith_fptoui | op::arith_index_castui);
        let bits = code == op::arith_bitcast;
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

fn int_op(code: pto_isa::Op) -> Option<IntOp> {
    Some(match code {
        op::arith_addi => IntOp::Add,
        op::arith_subi => IntOp::Sub,
        op::arith_muli => IntOp::Mul,
        op::arith_divsi => IntOp::DivSigned,
        op::arith_divui => IntOp::DivUnsigned,
        op::arith_remsi => IntOp::RemSigned,
        op::arith_remui => IntOp::RemUnsigned,
        op::arith_floordivsi => IntOp::FloorDiv,
        op::arith_ceildivsi => IntOp::CeilDivSigned,
        op::arith_ceildivui => IntOp::CeilDivUnsigned,
        op::arith_andi => IntOp::And,
        op::arith_ori => IntOp::Or,
        op::arith_xori => IntOp::Xor,
        op::arith_shli => IntOp::Shl,
        op::arith_shrsi => IntOp::ShrSigned,
        op::arith_shrui => IntOp::ShrUnsigned,
        op::arith_maxsi => IntOp::MaxSigned,
        op::arith_minsi => IntOp::MinSigned,
        op::arith_maxui => IntOp::MaxUnsigned,
        op::arith_minui => IntOp::MinUnsigned,
        _ => return None,
    })
}

fn float_op(code: pto_isa::Op) -> Option<FloatOp> {
    Some(match code {
        op::arith_addf => FloatOp::Add,
        op::arith_subf => FloatOp::Sub,
        op::arith_mulf => FloatOp::Mul,
        op::arith_divf => FloatOp::Div,
        op::arith_remf => FloatOp::Rem,
        op::arith_maximumf => FloatOp::Maximum,
        op::arith_minimumf => FloatOp::Minimum,
        op::arith_maxnumf => FloatOp::MaxNum,
        op::arith_minnumf => FloatOp::MinNum,
        op::arith_negf => FloatOp::Neg,
        _ => return None,
    })
}
