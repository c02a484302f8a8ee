//! Scalars: constants, parameters, arithmetic.

use super::{I1, I64, INDEX, ProgramMaker, Purpose, RunParam};
use crate::random::Random;
use pto::ir::{Attr, ValueId};
use pto::isa::row::{Custom, SlotKind, Syntax};
use pto::isa::table::{self, op};
use pto::isa::{DType, EnumDef, Family, Op, ScalarType, Type, enums};

const fn elem(d: DType) -> Type {
    Type::Scalar(ScalarType::Elem(d))
}

/// Types that scalar statements work on.
const TYPES: [Type; 12] = [
    INDEX,
    INDEX,
    elem(DType::I32),
    elem(DType::I32),
    I64,
    elem(DType::I16),
    elem(DType::I8),
    elem(DType::F32),
    elem(DType::F32),
    elem(DType::F16),
    elem(DType::Bf16),
    Type::Scalar(ScalarType::F64),
];

/// Integers that are often at the edge of something.
fn awkward_int(rng: &mut Random, bits: u32) -> i64 {
    let all = -1i64;
    let n = match rng.below(10) {
        0 => 0,
        1 => 1,
        2 => all,
        3 => 1 << (bits - 1).min(62),
        4 => (1i64 << (bits - 1).min(62)) - 1,
        5 => i64::from(bits),
        6..9 => rng.below(40) as i64 - 8,
        _ => rng.next() as i64,
    };
    // In range for a signed type of this width.
    if bits >= 64 { n } else { n << (64 - bits) >> (64 - bits) }
}

fn awkward_float(rng: &mut Random) -> f64 {
    const SPECIAL: [f64; 10] = [0.0, -0.0, 1.0, -1.0, 0.5, 65504.0, 1e-7, 3e38, -2.5, 1e-40];
    match rng.below(4) {
        0 => SPECIAL[rng.below(SPECIAL.len())],
        1 => rng.below(2000) as f64 / 8.0 - 100.0,
        2 => f64::from(f32::from_bits(rng.next() as u32 & 0x7eff_ffff)),
        _ => rng.below(17) as f64 - 8.0,
    }
}

fn int_bits(ty: &Type) -> u32 {
    match ty.scalar() {
        Some(ScalarType::I1) => 1,
        Some(ScalarType::Elem(d)) => d.bits(),
        _ => 64,
    }
}

/// An argument for a number.
pub(super) fn argument(rng: &mut Random, ty: &Type) -> RunParam {
    match ty.scalar() {
        Some(ScalarType::I1) => RunParam::Int(rng.below(2) as i64),
        Some(s) if s.is_float() => match rng.below(12) {
            0 => RunParam::Float(f64::NAN),
            1 => RunParam::Float(f64::NEG_INFINITY),
            _ => RunParam::Float(awkward_float(rng)),
        },
        Some(ScalarType::Elem(d)) if d.class() == pto::isa::Class::Unsigned => {
            RunParam::Int(awkward_int(rng, d.bits()) & (i64::MAX >> (64 - d.bits().min(63))))
        }
        _ => RunParam::Int(awkward_int(rng, int_bits(ty))),
    }
}

impl ProgramMaker<'_> {
    pub(super) fn scalar_type(&mut self) -> Type {
        TYPES[self.rng.below(TYPES.len())].clone()
    }

    pub(super) fn constant(&mut self, ty: &Type) -> ValueId {
        let number = match ty.scalar() {
            Some(ScalarType::I1) => Attr::Bool(self.rng.chance(50)),
            Some(s) if s.is_float() => {
                let x = awkward_float(&mut self.rng);
                self.builder.float(x, ty)
            }
            Some(ScalarType::Elem(d)) if d.class() == pto::isa::Class::Unsigned => {
                let n = self.rng.below(100) as i64;
                self.builder.int(n, ty)
            }
            _ => {
                let n = awkward_int(&mut self.rng, int_bits(ty));
                self.builder.int(n, ty)
            }
        };
        self.emit_with(op::arith_constant, &[], ("result", ty.clone()), vec![("value", number)])
    }

    /// A scalar of a type: one that is visible, or a new one.
    pub(super) fn scalar(&mut self, ty: &Type) -> ValueId {
        let fit: Vec<ValueId> =
            self.frame.scalars.iter().copied().filter(|v| self.builder.value_type(*v) == ty).collect();
        match self.rng.choose(&fit) {
            Some(&value) if self.rng.chance(80) => value,
            _ => self.new_scalar(ty),
        }
    }

    fn new_scalar(&mut self, ty: &Type) -> ValueId {
        let memory = matches!(ty.scalar(), Some(ScalarType::Elem(d)) if d.bits() >= 8);
        let queries = [op::get_block_num, op::get_block_idx, op::get_subblock_idx, op::get_subblock_num];
        let query = queries[self.rng.below(4)];
        let value = match self.rng.below(4) {
            0 => self.constant(ty),
            1 if *ty == I64 => self.emit(query, &[], ("result", I64)),
            1 | 2 if memory => self.load_scalar(ty),
            _ => return self.param(Purpose::Number(ty.clone()), ty),
        };
        self.frame.scalars.push(value);
        value
    }

    /// A scalar operand of an instruction: integers are small, since many of them count something.
    pub(super) fn operand_scalar(&mut self, ty: &Type) -> ValueId {
        match ty.scalar() {
            Some(ScalarType::Index) => self.small_index(4),
            _ => self.scalar(ty),
        }
    }

    /// An index from 0 up to, not including, a limit.
    pub(super) fn small_index(&mut self, limit: u64) -> ValueId {
        let n = self.rng.below(limit.max(1) as usize) as i64;
        match self.rng.below(3) {
            0 => self.index_constant(n),
            1 => self.known(n),
            _ => {
                let (any, limit) = (self.scalar(&INDEX), self.index_constant(limit.max(1) as i64));
                self.emit(op::arith_remui, &[("lhs", any), ("rhs", limit)], ("result", INDEX))
            }
        }
    }

    // ---- statements ---------------------------------------------------------------------------------------------------

    pub(super) fn scalar_statement(&mut self) {
        let value = match self.rng.below(10) {
            0..5 => self.arithmetic(),
            5 => self.condition(),
            6..8 => self.cast(),
            8 => self.select(),
            _ if self.rng.chance(30) => self.set_bit(),
            _ => self.extended(),
        };
        self.frame.scalars.push(value);
    }

    fn set_bit(&mut self) -> ValueId {
        let code = if self.rng.chance(50) { op::sbitset0 } else { op::sbitset1 };
        let operands = [("first", self.scalar(&I64)), ("second", self.scalar(&I64))];
        self.emit(code, &operands, ("result", I64))
    }

    fn arithmetic(&mut self) -> ValueId {
        let ty = if self.rng.chance(8) { I1 } else { self.scalar_type() };
        let float = ty.scalar().is_some_and(ScalarType::is_float);
        let wanted = if float { SlotKind::Float } else { SlotKind::Int };
        let is_binary = |op: &Op| {
            let row = op.row();
            row.family == Family::Arith
                && row.twin.is_none()
                && row.syntax == Syntax::Custom(Custom::Binary)
                && row.slots.first().is_some_and(|s| s.kind == wanted)
        };
        let ops: Vec<Op> = table::all().filter(is_binary).collect();
        let chosen = ops[self.rng.below(ops.len())];
        let (a, mut b) = (self.scalar(&ty), self.scalar(&ty));
        let name = chosen.row().name;
        // Programs that divide by zero end too early to say much.
        if !float && (name.contains("div") || name.contains("rem")) && self.rng.chance(95) {
            let number = if ty == I1 { Attr::Bool(true) } else { self.builder.int(1, &ty) };
            let one = self.emit_with(op::arith_constant, &[], ("result", ty.clone()), vec![("value", number)]);
            b = self.emit(op::arith_ori, &[("lhs", b), ("rhs", one)], ("result", ty.clone()));
        }
        self.emit(chosen, &[("lhs", a), ("rhs", b)], ("result", ty))
    }

    pub(super) fn condition(&mut self) -> ValueId {
        let ty = self.scalar_type();
        let float = ty.scalar().is_some_and(ScalarType::is_float);
        let (compare, predicates): (Op, &'static EnumDef) =
            if float { (op::arith_cmpf, &enums::CMPF_PREDICATE) } else { (op::arith_cmpi, &enums::CMPI_PREDICATE) };
        let (a, b) = (self.scalar(&ty), self.scalar(&ty));
        let predicate = Attr::Enum(predicates, self.rng.below(predicates.values.len()) as u8);
        self.emit_with(compare, &[("lhs", a), ("rhs", b)], ("result", I1), vec![("predicate", predicate)])
    }

    /// A change of type. Bits of floats are not read as integers: those of NaN differ.
    fn cast(&mut self) -> ValueId {
        let (i8, i16, i32) = (elem(DType::I8), elem(DType::I16), elem(DType::I32));
        let (f16, bf16, f32, f64) =
            (elem(DType::F16), elem(DType::Bf16), elem(DType::F32), Type::Scalar(ScalarType::F64));
        let ints = [I1, i8.clone(), i16.clone(), i32.clone(), I64];
        let floats = [f16.clone(), bf16.clone(), f32.clone(), f64.clone()];
        let (int, float) = (self.rng.below(5), self.rng.below(4));
        let (code, from, to) = match self.rng.below(11) {
            0 => (op::arith_index_cast, ints[int].clone(), INDEX),
            1 => (op::arith_index_cast, INDEX, ints[int].clone()),
            2 => (op::arith_index_castui, ints[int].clone(), INDEX),
            3 => (op::arith_trunci, I64, ints[self.rng.below(4)].clone()),
            4 => (op::arith_extsi, ints[self.rng.below(4)].clone(), I64),
            5 => (op::arith_extui, ints[self.rng.below(4)].clone(), I64),
            6 => (op::arith_bitcast, [i32, i16, I64][self.rng.below(3)].clone(), f32),
            7 => (op::arith_sitofp, ints[int].clone(), floats[float].clone()),
            8 => (op::arith_uitofp, ints[int].clone(), floats[float].clone()),
            9 => {
                let code = if self.rng.chance(50) { op::arith_fptosi } else { op::arith_fptoui };
                (code, floats[float].clone(), ints[int].clone())
            }
            _ if self.rng.chance(50) => {
                (op::arith_extf, floats[self.rng.below(2)].clone(), floats[2 + self.rng.below(2)].clone())
            }
            _ => (op::arith_truncf, f64, floats[self.rng.below(3)].clone()),
        };
        let to = match (code, &from) {
            (op::arith_bitcast, Type::Scalar(ScalarType::Elem(DType::I16))) => [f16, bf16][self.rng.below(2)].clone(),
            (op::arith_bitcast, Type::Scalar(ScalarType::Elem(DType::I64))) => Type::Scalar(ScalarType::F64),
            _ => to,
        };
        let value = self.scalar(&from);
        self.emit(code, &[("in", value)], ("result", to))
    }

    fn select(&mut self) -> ValueId {
        let (condition, ty) = (self.condition(), self.scalar_type());
        let (a, b) = (self.scalar(&ty), self.scalar(&ty));
        let operands = [("condition", condition), ("true_value", a), ("false_value", b)];
        self.emit(op::arith_select, &operands, ("result", ty))
    }

    fn extended(&mut self) -> ValueId {
        let ty = [INDEX, I64, elem(DType::I32), elem(DType::I8)][self.rng.below(4)].clone();
        let code = [op::arith_addui_extended, op::arith_mulsi_extended, op::arith_mului_extended][self.rng.below(3)];
        let operands = [(0, self.scalar(&ty)), (1, self.scalar(&ty))];
        let (low, high) = (self.name("v"), self.name("v"));
        let results = [(2, low.as_str(), ty.clone()), (3, high.as_str(), ty)];
        let values = self.builder.op(code, &operands, &results, Default::default());
        self.frame.scalars.push(values[0]);
        values[1]
    }
}
