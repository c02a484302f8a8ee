//! Loops, branches and calls.

use super::tiles::TileVar;
use super::{Helper, I1, INDEX, ProgramMaker, Purpose};
use pto::ir::OpExtras;
use pto::ir::{Attr, RegionId, TypeId, ValueId};
use pto::isa::table::op;
use pto::isa::{DType, Op, ScalarType, Type};

/// A value that crosses the border of a region.
#[derive(Clone)]
pub(super) enum Crossing {
    Number(Type),
    Tile(TileVar),
}

impl Crossing {
    fn ty(&self) -> Type {
        match self {
            Self::Number(ty) => ty.clone(),
            Self::Tile(tile) => tile.full_type(),
        }
    }
}

impl ProgramMaker<'_> {
    pub(super) fn control_flow(&mut self, depth: usize) {
        match self.rng.below(12) {
            0..5 => self.for_loop(depth),
            5..8 => self.branch(depth),
            8 => self.while_loop(depth),
            9 => self.index_switch(depth),
            10 => self.run_once(depth),
            _ => self.graph(depth),
        }
    }

    // ---- scopes -------------------------------------------------------------------------------------------------------

    /// Runs something in a new block; what it defines is visible only there.
    pub(super) fn scoped(&mut self, make: impl FnOnce(&mut Self)) -> RegionId {
        let (scalars, tiles) = (self.frame.scalars.len(), self.frame.tiles.len());
        let outer = std::mem::replace(&mut self.frame.block_start, tiles);
        self.builder.open_block();
        make(self);
        self.frame.block_start = outer;
        self.frame.scalars.truncate(scalars);
        self.frame.tiles.truncate(tiles);
        self.builder.close_block()
    }

    pub(super) fn body(&mut self, depth: usize) {
        for _ in 0..1 + self.rng.below(4) {
            if self.left > 0 {
                self.statement(depth + 1);
            }
        }
    }

    pub(super) fn end_with(&mut self, op: Op, values: &[ValueId]) {
        let values: Vec<(u8, ValueId)> = values.iter().map(|v| (0, *v)).collect();
        self.builder.op(op, &values, &[], OpExtras::default());
    }

    /// Results of an operation with regions become visible.
    pub(super) fn results(&mut self, op: Op, operands: &[(u8, ValueId)], crossing: &[Crossing], rest: OpExtras) {
        let names: Vec<String> = crossing.iter().map(|_| self.name("r")).collect();
        let typed: Vec<(u8, &str, Type)> =
            crossing.iter().zip(&names).map(|(c, n)| (u8::MAX, n.as_str(), c.ty())).collect();
        let values = self.builder.op(op, operands, &typed, rest);
        for (value, crossing) in values.into_iter().zip(crossing) {
            self.appear(value, crossing);
        }
    }

    /// A value that came across a border can be used.
    pub(super) fn appear(&mut self, value: ValueId, crossing: &Crossing) {
        match crossing {
            Crossing::Number(_) => self.frame.scalars.push(value),
            Crossing::Tile(tile) => {
                let roots = if tile.is_value { self.new_root() } else { tile.roots.clone() };
                self.frame.tiles.push(TileVar { value, roots, single: false, ..tile.clone() });
            }
        }
    }

    /// A parameter of the innermost block.
    pub(super) fn arrive(&mut self, crossing: &Crossing) -> ValueId {
        let name = self.name("a");
        let value = self.builder.param(&name, &crossing.ty());
        self.appear(value, crossing);
        value
    }

    // ---- what crosses -----------------------------------------------------------------------------------------------

    /// Tiles of the same type, as several values of a loop; buffers may be exchanged for each other.
    fn alike(&mut self) -> Vec<TileVar> {
        let all: Vec<TileVar> = self.visible().cloned().collect();
        let Some(first) = self.rng.choose(&all).cloned() else { return Vec::new() };
        let fit: Vec<TileVar> =
            all.into_iter().filter(|t| t.full_type() == first.full_type() && t.valid() == first.valid()).collect();
        (0..1 + self.rng.below(3)).filter_map(|_| self.rng.choose(&fit).cloned()).collect()
    }

    /// Values that a loop starts with, and what they are inside: any of the buffers may be any other.
    fn carried(&mut self) -> (Vec<ValueId>, Vec<Crossing>) {
        let (mut values, mut crossing) = (Vec::new(), Vec::new());
        for _ in 0..self.rng.below(3) {
            let ty = self.scalar_type();
            values.push(self.scalar(&ty));
            crossing.push(Crossing::Number(ty));
        }
        let tiles = if self.rng.chance(70) { self.alike() } else { Vec::new() };
        let roots: Vec<_> = tiles.iter().flat_map(|t| t.roots.clone()).collect();
        let (defined, solid) = (tiles.iter().all(|t| t.defined), tiles.iter().all(|t| t.solid));
        let exposed = tiles.iter().any(|t| t.exposed);
        for tile in tiles {
            values.push(tile.value);
            crossing.push(Crossing::Tile(TileVar { roots: roots.clone(), defined, solid, exposed, ..tile }));
        }
        (values, crossing)
    }

    /// A value to hand on for each that was received: numbers and tile values that are visible; buffers only from those
    /// that were received.
    pub(super) fn next_values(&mut self, received: &[ValueId], crossing: &[Crossing]) -> Vec<ValueId> {
        let mut values = Vec::new();
        for c in crossing {
            values.push(match c {
                Crossing::Number(ty) => self.scalar(ty),
                Crossing::Tile(tile) => self.next_tile(tile, received),
            });
        }
        values
    }

    fn next_tile(&mut self, tile: &TileVar, received: &[ValueId]) -> ValueId {
        let fits = |t: &&TileVar| t.full_type() == tile.full_type() && t.valid() == tile.valid();
        let any: Vec<ValueId> = self
            .visible()
            .filter(fits)
            .filter(|t| t.is_value || received.contains(&t.value))
            .map(|t| t.value)
            .collect();
        let mut chosen = self.rng.choose(&any).copied().unwrap_or(tile.value);
        // Or a buffer that this block allocated.
        let block = &self.frame.tiles[self.frame.block_start..];
        let as_whole = |t: &&TileVar| t.single && t.defined >= tile.defined && t.solid >= tile.solid;
        let made: Vec<ValueId> = block.iter().filter(fits).filter(as_whole).map(|t| t.value).collect();
        if !tile.is_value && self.rng.chance(15) {
            chosen = self.rng.choose(&made).copied().unwrap_or(chosen);
        }
        let alike: Vec<ValueId> =
            received.iter().copied().filter(|v| *self.builder.value_type(*v) == tile.full_type()).collect();
        let Some(other) = self.rng.choose(&alike).copied().filter(|_| self.rng.chance(30)) else { return chosen };
        let condition = self.condition();
        let operands = [("condition", condition), ("true_value", chosen), ("false_value", other)];
        self.emit(op::arith_select, &operands, ("result", tile.full_type()))
    }

    // ---- loops ------------------------------------------------------------------------------------------------------

    fn counter_number(&mut self, n: i64, ty: &Type) -> ValueId {
        if *ty == INDEX && self.rng.chance(30) {
            return self.known(n);
        }
        let number = self.builder.int(n, ty);
        self.emit_with(op::arith_constant, &[], ("result", ty.clone()), vec![("value", number)])
    }

    fn for_loop(&mut self, depth: usize) {
        let types = [INDEX, INDEX, Type::Scalar(ScalarType::Elem(DType::I32)), super::I64];
        let counter = types[self.rng.below(4)].clone();
        let lower = self.rng.below(4) as i64 - 1;
        let step = 1 + self.rng.below(2) as i64;
        let upper = lower + step * self.rng.below(4) as i64;
        let bounds = [lower, upper, step].map(|n| self.counter_number(n, &counter));
        let (inits, crossing) = self.carried();
        self.loops += 1;
        let region = self.scoped(|m| {
            m.arrive(&Crossing::Number(counter));
            let received: Vec<ValueId> = crossing.iter().map(|c| m.arrive(c)).collect();
            m.body(depth);
            let values = m.next_values(&received, &crossing);
            m.end_with(op::scf_yield, &values);
        });
        self.loops -= 1;
        let operands: Vec<(u8, ValueId)> = (0..3).zip(bounds).chain(inits.into_iter().map(|v| (3, v))).collect();
        self.results(op::scf_for, &operands, &crossing, OpExtras { regions: vec![region], ..OpExtras::default() });
    }

    /// Counts up to a bound; what the first region passes on is in another order.
    fn while_loop(&mut self, depth: usize) {
        let (mut inits, mut crossing) = self.carried();
        inits.insert(0, self.index_constant(0));
        crossing.insert(0, Crossing::Number(INDEX));
        let iterations = self.rng.below(4) as i64;
        let bound = self.known(iterations);
        self.loops += 1;
        let before = self.scoped(|m| {
            let received: Vec<ValueId> = crossing.iter().map(|c| m.arrive(c)).collect();
            if m.rng.chance(50) {
                m.body(depth);
            }
            let less = Attr::Enum(&pto::isa::enums::CMPI_PREDICATE, 2);
            let operands = [("lhs", received[0]), ("rhs", bound)];
            let more = m.emit_with(op::arith_cmpi, &operands, ("result", I1), vec![("predicate", less)]);
            let passed = m.next_values(&received, &crossing);
            let values: Vec<(u8, ValueId)> = std::iter::once((0, more))
                .chain(std::iter::once((1, received[0])))
                .chain(passed[1..].iter().map(|v| (1, *v)))
                .collect();
            m.builder.op(op::scf_condition, &values, &[], OpExtras::default());
        });
        let after = self.scoped(|m| {
            let received: Vec<ValueId> = crossing.iter().map(|c| m.arrive(c)).collect();
            m.body(depth);
            let one = m.index_constant(1);
            let next = m.emit(op::arith_addi, &[("lhs", received[0]), ("rhs", one)], ("result", INDEX));
            let mut values = m.next_values(&received, &crossing);
            values[0] = next;
            m.end_with(op::scf_yield, &values);
        });
        self.loops -= 1;
        let operands: Vec<(u8, ValueId)> = inits.into_iter().map(|v| (0, v)).collect();
        self.results(
            op::scf_while,
            &operands,
            &crossing,
            OpExtras { regions: vec![before, after], ..OpExtras::default() },
        );
    }

    // ---- branches ---------------------------------------------------------------------------------------------------

    /// What a branch gives: numbers, and tiles that exist already or are values.
    pub(super) fn outcome(&mut self) -> Vec<Crossing> {
        let (_, crossing) = self.carried();
        crossing
    }

    /// One side of a branch.
    fn side(&mut self, depth: usize, crossing: &[Crossing], outside: &[ValueId]) -> RegionId {
        self.scoped(|m| {
            m.body(depth);
            if m.rng.below(200) == 0 {
                m.builder.op(op::trap, &[], &[], OpExtras::default());
            }
            let values = m.next_values(outside, crossing);
            m.end_with(op::scf_yield, &values);
        })
    }

    /// The tiles outside that stand behind what crosses.
    pub(super) fn outside(crossing: &[Crossing]) -> Vec<ValueId> {
        let value = |c: &Crossing| match c {
            Crossing::Tile(t) => Some(t.value),
            Crossing::Number(_) => None,
        };
        crossing.iter().filter_map(value).collect()
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.condition();
        let crossing = if self.rng.chance(60) { self.outcome() } else { Vec::new() };
        let outside = Self::outside(&crossing);
        let sides = if crossing.is_empty() && self.rng.chance(40) { 1 } else { 2 };
        let regions: Vec<RegionId> = (0..sides).map(|_| self.side(depth, &crossing, &outside)).collect();
        self.results(op::scf_if, &[(0, condition)], &crossing, OpExtras { regions, ..OpExtras::default() });
    }

    fn run_once(&mut self, depth: usize) {
        let crossing = self.outcome();
        let outside = Self::outside(&crossing);
        let regions = vec![self.side(depth, &crossing, &outside)];
        self.results(op::scf_execute_region, &[], &crossing, OpExtras { regions, ..OpExtras::default() });
    }

    fn index_switch(&mut self, depth: usize) {
        let on = self.small_index(4);
        let crossing = self.outcome();
        let outside = Self::outside(&crossing);
        let cases = [[0, 2], [3, 1]][self.rng.below(2)];
        let regions: Vec<RegionId> = (0..3).map(|_| self.side(depth, &crossing, &outside)).collect();
        let list = Attr::Array(cases.iter().map(|n| Attr::Int(*n, TypeId::UNKNOWN)).collect());
        let attrs = vec![self.builder.attr("cases", list)];
        self.results(op::scf_index_switch, &[(0, on)], &crossing, OpExtras { attrs, regions, ..OpExtras::default() });
    }

    // ---- calls ------------------------------------------------------------------------------------------------------

    pub(super) fn call(&mut self) {
        let Some(helper) = self.rng.choose(&self.helpers).cloned() else { return self.scalar_statement() };
        let Some(values) = self.call_operands(&helper) else { return };
        let callee = Attr::Symbol(self.builder.module.names.intern(&helper.name));
        let attrs = vec![self.builder.attr("callee", callee)];
        let operands: Vec<(u8, ValueId)> = values.into_iter().map(|v| (0, v)).collect();
        let names: Vec<String> = helper.results.iter().map(|_| self.name("r")).collect();
        let typed: Vec<(u8, &str, Type)> =
            helper.results.iter().zip(&names).map(|((ty, _), n)| (u8::MAX, n.as_str(), ty.clone())).collect();
        let values = self.builder.op(op::func_call, &operands, &typed, OpExtras { attrs, ..OpExtras::default() });
        for (value, (ty, extents)) in values.into_iter().zip(&helper.results) {
            match ty {
                Type::Tile(ty) => {
                    let (roots, extents) = (self.new_root(), *extents);
                    self.frame.tiles.push(TileVar { is_value: true, ..TileVar::new(value, *ty, roots, extents) });
                }
                _ => self.frame.scalars.push(value),
            }
        }
    }

    /// Operands for a call; its tiles do not overlap.
    fn call_operands(&mut self, helper: &Helper) -> Option<Vec<ValueId>> {
        let mut given: Vec<TileVar> = Vec::new();
        let mut values = Vec::new();
        for purpose in &helper.params {
            values.push(match purpose {
                Purpose::Input(d) => self.input(*d),
                Purpose::Known(n) => self.known(*n),
                Purpose::Number(ty) => self.scalar(ty),
                Purpose::Output(_) | Purpose::PerBlock(_) | Purpose::Tensor(..) => return None,
                Purpose::Tile(ty, extents) => {
                    let fits = |t: &&TileVar| {
                        !t.is_value
                            && !t.exposed
                            && t.ty == *ty
                            && t.valid() == super::tiles::valid_of(ty, *extents)
                            && given.iter().all(|g| g.is_disjoint(t))
                    };
                    let fit: Vec<TileVar> = self.visible().filter(fits).cloned().collect();
                    let tile = match self.rng.choose(&fit).cloned() {
                        Some(tile) => tile,
                        None => self.loaded(ty, *extents).filter(|t| given.iter().all(|g| g.is_disjoint(t)))?,
                    };
                    given.push(tile.clone());
                    tile.value
                }
            });
        }
        Some(values)
    }
}
