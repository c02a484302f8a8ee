//! Random legal programs: the same seed, the same program.
//!
//! Tile instructions come from the table with operand types that the search found legal; around them stand
//! allocations, scalar arithmetic, loops and branches. Numbers that a rule could look at are parameters, so no
//! rule is broken by their values.

use crate::random::Random;
use pto::ir::{Attr, ValueId, print::result_slots};
use pto::ir::{Builder, OpExtras};
use pto::isa::fill::{self, Filling};
use pto::isa::row::{SlotKind, Syntax};
use pto::isa::table::{self, op};
use pto::isa::{DType, Dir, Op, Row, ScalarType, Slot, Target, TileType, Type, enums};
use std::collections::HashMap;

/// Regions in regions stop here.
const MAX_DEPTH: usize = 3;

/// Combinations tried for an instruction before another is chosen.
const TRIES: usize = 400;

const INDEX: Type = Type::Scalar(ScalarType::Index);
const I32: Type = Type::Scalar(ScalarType::Elem(DType::I32));
const F32: Type = Type::Scalar(ScalarType::Elem(DType::F32));
const I1: Type = Type::Scalar(ScalarType::I1);

const INT_OPS: &[Op] = &[
    op::arith_addi,
    op::arith_subi,
    op::arith_muli,
    op::arith_andi,
    op::arith_ori,
    op::arith_xori,
    op::arith_maxsi,
    op::arith_minui,
    op::arith_divsi,
    op::arith_remui,
    op::arith_ceildivsi,
    op::arith_shli,
];
const FLOAT_OPS: &[Op] =
    &[op::arith_addf, op::arith_subf, op::arith_mulf, op::arith_divf, op::arith_maximumf, op::arith_minnumf];

/// A program of about `length` statements that is legal on a target.
///
/// ```
/// use pto::{Program, Target};
/// use pto_testkit::random_program;
/// let text = random_program(7, Target::A5, 20);
/// assert_eq!(text, random_program(7, Target::A5, 20));
/// assert!(Program::parse(&text).check(Target::A5).is_ok());
/// ```
pub fn random_program(seed: u64, target: Target, length: usize) -> String {
    let mut generator = Generator {
        rng: Random(seed),
        target,
        builder: Builder::new(),
        pool: table::isa().filter(|op| is_plain(op.row(), target)).collect(),
        fillings: HashMap::new(),
        params: Vec::new(),
        visible: Vec::new(),
        names: 0,
        left: length,
    };
    for ty in [INDEX, I32, F32] {
        let value = generator.parameter(&ty);
        generator.visible.push(value);
    }
    while generator.left > 0 {
        generator.statement(0);
    }
    generator.builder.finish("random", Some(target))
}

/// True for instructions that stand alone: tiles and scalars in, tiles out.
pub(super) fn is_plain(row: &Row, target: Target) -> bool {
    let plain = |s: &Slot| matches!(s.kind, SlotKind::Tile | SlotKind::Scalar | SlotKind::Int | SlotKind::Index);
    let either = |s: &Slot| s.kind == SlotKind::TileOrScalar;
    row.targets.contains(target)
        && matches!(row.syntax, Syntax::InsOuts { .. })
        && row.results.is_empty()
        && row.has_result_slots()
        && row.slots.iter().all(|s| plain(s) || either(s))
        && row.slots.iter().filter(|s| either(s)).count() < 2
}

struct Generator {
    rng: Random,
    target: Target,
    builder: Builder,
    pool: Vec<Op>,
    /// What the search found before, by instruction and element type.
    fillings: HashMap<(Op, DType), Option<Filling>>,
    /// Parameters of the function: unknown numbers.
    params: Vec<ValueId>,
    /// Values that may be used here.
    visible: Vec<ValueId>,
    names: usize,
    /// Statements still to write.
    left: usize,
}

impl Generator {
    fn statement(&mut self, depth: usize) {
        self.left = self.left.saturating_sub(1);
        match self.rng.below(100) {
            0..55 => self.tile_instruction(),
            55..75 => self.arithmetic(),
            75..82 => self.constant(),
            82..92 if depth < MAX_DEPTH => self.for_loop(depth),
            92..100 if depth < MAX_DEPTH => self.branch(depth),
            _ => self.select(),
        }
    }

    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    /// The parameter of the function with this type.
    fn parameter(&mut self, ty: &Type) -> ValueId {
        if let Some(&known) = self.params.iter().find(|&&v| self.builder.value_type(v) == ty) {
            return known;
        }
        let name = format!("p{}", self.params.len());
        let value = self.builder.function_param(&name, ty);
        self.params.push(value);
        value
    }

    /// A visible value of a type; a parameter if there is none.
    fn value(&mut self, ty: &Type) -> ValueId {
        let fit: Vec<ValueId> = self.visible.iter().copied().filter(|&v| self.builder.value_type(v) == ty).collect();
        match self.rng.choose(&fit) {
            Some(&value) => value,
            None => self.parameter(ty),
        }
    }

    /// Appends an operation with one result and makes the result visible.
    fn define(&mut self, op: Op, operands: &[(u8, ValueId)], slot: u8, ty: Type, rest: OpExtras) -> ValueId {
        let name = self.name("s");
        let value = self.builder.op(op, operands, &[(slot, &name, ty)], rest)[0];
        self.visible.push(value);
        value
    }
}

/// Scalars.
impl Generator {
    fn constant_of(&mut self, n: i64, ty: Type) -> ValueId {
        let number = match ty {
            I1 => Attr::Bool(n % 2 == 1),
            F32 => self.builder.float(n as f64 / 4.0, &ty),
            _ => self.builder.int(n, &ty),
        };
        let attrs = vec![self.builder.attr("value", number)];
        self.define(op::arith_constant, &[], 0, ty, OpExtras { attrs, ..OpExtras::default() })
    }

    fn scalar_type(&mut self) -> Type {
        self.rng.choose(&[INDEX, I32, F32]).cloned().unwrap_or(INDEX)
    }

    fn constant(&mut self) {
        let ty = self.scalar_type();
        let n = self.rng.below(64) as i64;
        self.constant_of(n, ty);
    }

    fn arithmetic(&mut self) {
        let ty = self.scalar_type();
        if ty != F32 && self.rng.chance(15) {
            let (from, to) = if self.rng.chance(50) { (INDEX, I32) } else { (I32, INDEX) };
            let value = self.value(&from);
            self.define(op::arith_index_cast, &[(0, value)], 1, to, OpExtras::default());
            return;
        }
        let ops = if ty == F32 { FLOAT_OPS } else { INT_OPS };
        let chosen = ops[self.rng.below(ops.len())];
        let operands = [(0, self.value(&ty)), (1, self.value(&ty))];
        self.define(chosen, &operands, 2, ty, OpExtras::default());
    }

    fn condition(&mut self) -> ValueId {
        let ty = self.scalar_type();
        let (compare, predicates) = match ty {
            F32 => (op::arith_cmpf, &enums::CMPF_PREDICATE),
            _ => (op::arith_cmpi, &enums::CMPI_PREDICATE),
        };
        let operands = [(0, self.value(&ty)), (1, self.value(&ty))];
        let predicate = Attr::Enum(predicates, self.rng.below(predicates.values.len()) as u8);
        let attrs = vec![self.builder.attr("predicate", predicate)];
        self.define(compare, &operands, 2, I1, OpExtras { attrs, ..OpExtras::default() })
    }

    fn select(&mut self) {
        let condition = self.condition();
        let ty = self.scalar_type();
        let operands = [(0, condition), (1, self.value(&ty)), (2, self.value(&ty))];
        self.define(op::arith_select, &operands, 3, ty, OpExtras::default());
    }
}

/// Control flow.
impl Generator {
    /// A few statements in a new block; their definitions are visible only there.
    fn body(&mut self, depth: usize) {
        for _ in 0..1 + self.rng.below(4) {
            if self.left > 0 {
                self.statement(depth + 1);
            }
        }
    }

    /// Values of these types for the end of a block.
    fn hand_on(&mut self, types: &[Type]) {
        let values: Vec<(u8, ValueId)> = types.iter().map(|ty| (0, self.value(ty))).collect();
        self.builder.op(op::scf_yield, &values, &[], OpExtras::default());
    }

    fn for_loop(&mut self, depth: usize) {
        let counter = if self.rng.chance(75) { INDEX } else { I32 };
        let upper = 1 + self.rng.below(8) as i64;
        let bounds = [0, upper, 1].map(|n| self.constant_of(n, counter.clone()));
        let inits = if self.rng.chance(50) { self.carried() } else { Vec::new() };
        let types: Vec<Type> = inits.iter().map(|&v| self.builder.value_type(v).clone()).collect();
        let outside = self.visible.len();
        self.builder.open_block();
        for ty in std::iter::once(&counter).chain(&types) {
            let name = self.name("i");
            let value = self.builder.param(&name, ty);
            self.visible.push(value);
        }
        self.body(depth);
        self.hand_on(&types);
        let regions = vec![self.builder.close_block()];
        self.visible.truncate(outside);
        let operands: Vec<(u8, ValueId)> = (0..3).zip(bounds).chain(inits.into_iter().map(|v| (3, v))).collect();
        self.results_of(op::scf_for, &operands, 4, &types, regions);
    }

    /// Initial values of loop-carried variables: scalars, and now and then a tile value.
    fn carried(&mut self) -> Vec<ValueId> {
        let fits = |ty: &Type| matches!(ty, Type::Tile(_)) || [INDEX, I32, F32].contains(ty);
        let all: Vec<ValueId> = self.visible.iter().copied().filter(|&v| fits(self.builder.value_type(v))).collect();
        let count = 1 + self.rng.below(2);
        (0..count).filter_map(|_| self.rng.choose(&all).copied()).collect()
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.condition();
        let types: Vec<Type> = (0..self.rng.below(3)).map(|_| self.scalar_type()).collect();
        let sides = if types.is_empty() && self.rng.chance(40) { 1 } else { 2 };
        let mut regions = Vec::new();
        for _ in 0..sides {
            let outside = self.visible.len();
            self.builder.open_block();
            self.body(depth);
            self.hand_on(&types);
            regions.push(self.builder.close_block());
            self.visible.truncate(outside);
        }
        self.results_of(op::scf_if, &[(0, condition)], u8::MAX, &types, regions);
    }

    fn results_of(
        &mut self,
        op: Op,
        operands: &[(u8, ValueId)],
        slot: u8,
        types: &[Type],
        regions: Vec<pto::ir::RegionId>,
    ) {
        let names: Vec<String> = types.iter().map(|_| self.name("r")).collect();
        let results: Vec<(u8, &str, Type)> =
            names.iter().zip(types).map(|(n, t)| (slot, n.as_str(), t.clone())).collect();
        let values = self.builder.op(op, operands, &results, OpExtras { regions, ..OpExtras::default() });
        self.visible.extend(values);
    }
}

/// Tiles.
impl Generator {
    fn tile_instruction(&mut self) {
        let Some(filling) = self.choose() else { return };
        let row = filling.op.row();
        let value_form = self.rng.chance(40) && can_be_values(row, &filling);
        let (mut operands, mut results) = (Vec::new(), Vec::new());
        for (slot, ty) in &filling.types {
            let name = row.slot_at(usize::from(*slot)).name;
            let written = row.slot_at(usize::from(*slot)).is_result();
            let is_scratch = row.scratch.is_some_and(|s| s.slot == name);
            match ty {
                Type::TileBuf(tile) if written && value_form => {
                    results.push((*slot, self.name("t"), Type::Tile(*tile)));
                }
                Type::TileBuf(tile) if written => {
                    let used: Vec<ValueId> = operands.iter().map(|o: &(u8, ValueId)| o.1).collect();
                    operands.push((*slot, self.destination(tile, &used)));
                }
                // The device works there while it reads the other operands.
                Type::TileBuf(tile) if is_scratch => operands.push((*slot, self.allocate(tile))),
                Type::TileBuf(tile) => operands.push((*slot, self.source(tile))),
                scalar => operands.push((*slot, self.parameter(scalar))),
            }
        }
        let results: Vec<(u8, &str, Type)> = results.iter().map(|(s, n, t)| (*s, n.as_str(), t.clone())).collect();
        let values = self.builder.filling(&filling, &operands, &results);
        self.visible.extend(values);
    }

    /// A legal use of a random instruction.
    fn choose(&mut self) -> Option<Filling> {
        let target = self.target;
        let chosen = *self.rng.choose(&self.pool)?;
        let data = *self.rng.choose(&fill::data_types(chosen.row(), target))?;
        let find = || fill::filling(chosen, target, data, TRIES);
        self.fillings.entry((chosen, data)).or_insert_with(find).clone()
    }

    fn source(&mut self, tile: &TileType) -> ValueId {
        let fit: Vec<ValueId> =
            self.visible.iter().copied().filter(|&v| self.builder.value_type(v).tile() == Some(tile)).collect();
        match self.rng.choose(&fit).copied() {
            Some(value) if self.rng.chance(80) => value,
            _ => self.allocate(tile),
        }
    }

    /// A buffer that none of the other operands uses.
    fn destination(&mut self, tile: &TileType, used: &[ValueId]) -> ValueId {
        let want = Type::TileBuf(*tile);
        let free = |v: &ValueId| *self.builder.value_type(*v) == want && !used.contains(v);
        let fit: Vec<ValueId> = self.visible.iter().copied().filter(free).collect();
        match self.rng.choose(&fit).copied() {
            Some(value) if self.rng.chance(40) => value,
            _ => self.allocate(tile),
        }
    }

    fn allocate(&mut self, tile: &TileType) -> ValueId {
        let slot = op::alloc_tile.row().slots.len() as u8;
        self.define(op::alloc_tile, &[], slot, Type::TileBuf(*tile), OpExtras::default())
    }
}

/// True when the value form says the same: every destination is only written, and their number names their slots.
pub(super) fn can_be_values(row: &Row, filling: &Filling) -> bool {
    let slots: Vec<usize> =
        filling.types.iter().map(|(s, _)| usize::from(*s)).filter(|&s| row.slot_at(s).is_result()).collect();
    slots.iter().all(|&s| row.slots[s].dir == Dir::Out) && result_slots(row, slots.len()) == slots
}
