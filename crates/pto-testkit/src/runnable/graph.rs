//! Blocks that branch to each other.

use super::control::Crossing;
use super::{I1, INDEX, ProgramMaker};
use pto::ir::OpExtras;
use pto::ir::{Attr, BlockId, Successor, ValueId};
use pto::isa::table::op;
use pto::isa::{DType, ScalarType, Type};

impl ProgramMaker<'_> {
    /// A fork, a join that loops, and an exit; after the first, blocks stand in any order.
    pub(super) fn graph(&mut self, depth: usize) {
        let crossing = self.outcome();
        let [entry, yes, no, join, exit] = [(); 5].map(|()| self.builder.module.new_block());
        for (block, label) in [(yes, "yes"), (no, "no"), (join, "join"), (exit, "exit")] {
            self.label(block, label);
        }
        let (scalars, tiles) = (self.frame.scalars.len(), self.frame.tiles.len());
        let outside = Self::outside(&crossing);
        self.loops += 1;
        self.inside(entry, |m| {
            m.body(depth);
            m.fork(yes, no);
        });
        let common = (self.frame.scalars.len(), self.frame.tiles.len());
        for block in [yes, no] {
            self.inside(block, |m| {
                m.body(depth);
                let start = m.index_constant(0);
                let values = m.next_values(&outside, &crossing);
                m.branch_to(join, std::iter::once(start).chain(values).collect());
            });
            self.frame.scalars.truncate(common.0);
            self.frame.tiles.truncate(common.1);
        }
        let iterations = self.rng.below(3) as i64;
        let received = self.inside(join, |m| m.iteration(depth, &crossing, iterations, join, exit));
        self.inside(exit, |m| {
            let arrived: Vec<ValueId> = crossing.iter().map(|c| m.arrive(c)).collect();
            m.body(depth);
            let from = if m.rng.chance(50) { arrived } else { received };
            let values = m.next_values(&from, &crossing);
            m.end_with(op::scf_yield, &values);
        });
        self.loops -= 1;
        self.frame.scalars.truncate(scalars);
        self.frame.tiles.truncate(tiles);
        let mut rest = vec![yes, no, join, exit];
        for at in (1..rest.len()).rev() {
            rest.swap(at, self.rng.below(at + 1));
        }
        let region = self.builder.module.new_region(std::iter::once(entry).chain(rest).collect());
        self.results(op::scf_execute_region, &[], &crossing, OpExtras { regions: vec![region], ..OpExtras::default() });
    }

    fn label(&mut self, block: BlockId, stem: &str) {
        let label = self.name(stem);
        let label = self.builder.module.names.intern(&label);
        let data = self.builder.module.block_mut(block);
        (data.label, data.is_target) = (Some(label), true);
    }

    /// A function ends in its first block.
    pub(super) fn one_return(&mut self, values: &[ValueId]) -> Vec<BlockId> {
        self.end_with(op::func_return, values);
        Vec::new()
    }

    /// A function ends in one of two more blocks, with values of these types.
    pub(super) fn two_returns(&mut self, values: &[ValueId]) -> Vec<BlockId> {
        let crossing: Vec<Crossing> = values.iter().map(|v| self.as_crossing(*v)).collect();
        let [yes, no] = [(); 2].map(|()| self.builder.module.new_block());
        self.label(yes, "yes");
        self.label(no, "no");
        self.fork(yes, no);
        let common = (self.frame.scalars.len(), self.frame.tiles.len());
        for block in [yes, no] {
            self.left = self.left.max(2);
            self.inside(block, |m| {
                m.body(1);
                let values = m.next_values(values, &crossing);
                m.end_with(op::func_return, &values);
            });
            self.frame.scalars.truncate(common.0);
            self.frame.tiles.truncate(common.1);
        }
        if self.rng.chance(50) { vec![yes, no] } else { vec![no, yes] }
    }

    fn as_crossing(&self, value: ValueId) -> Crossing {
        match self.frame.tiles.iter().find(|t| t.value == value) {
            Some(tile) => Crossing::Tile(tile.clone()),
            None => Crossing::Number(self.builder.value_type(value).clone()),
        }
    }

    fn inside<T>(&mut self, block: BlockId, make: impl FnOnce(&mut Self) -> T) -> T {
        let start = self.frame.tiles.len();
        let outer = std::mem::replace(&mut self.frame.block_start, start);
        self.builder.open.push(block);
        let made = make(self);
        self.builder.open.pop();
        self.frame.block_start = outer;
        made
    }

    fn fork(&mut self, yes: BlockId, no: BlockId) {
        let successor = |block, case| Successor { block, args: [].into(), case };
        if self.rng.chance(50) {
            let condition = self.condition();
            let successors = vec![successor(yes, None), successor(no, None)];
            self.builder.op(op::cf_cond_br, &[(0, condition)], &[], OpExtras { successors, ..OpExtras::default() });
        } else {
            let flag = self.scalar(&Type::Scalar(ScalarType::Elem(DType::I32)));
            let successors = vec![successor(no, None), successor(yes, Some(0)), successor(yes, Some(1))];
            self.builder.op(op::cf_switch, &[(0, flag)], &[], OpExtras { successors, ..OpExtras::default() });
        }
    }

    fn branch_to(&mut self, block: BlockId, args: Vec<ValueId>) {
        let successors = vec![Successor { block, args: args.into(), case: None }];
        self.builder.op(op::cf_br, &[], &[], OpExtras { successors, ..OpExtras::default() });
    }

    /// A block that goes back to itself a few times.
    fn iteration(
        &mut self,
        depth: usize,
        crossing: &[Crossing],
        iterations: i64,
        again: BlockId,
        exit: BlockId,
    ) -> Vec<ValueId> {
        let counter = self.arrive(&Crossing::Number(INDEX));
        let received: Vec<ValueId> = crossing.iter().map(|c| self.arrive(c)).collect();
        self.body(depth);
        let (one, bound) = (self.index_constant(1), self.index_constant(iterations));
        let next = self.emit(op::arith_addi, &[("lhs", counter), ("rhs", one)], ("result", INDEX));
        let less = Attr::Enum(&pto::isa::enums::CMPI_PREDICATE, 2);
        let operands = [("lhs", counter), ("rhs", bound)];
        let more = self.emit_with(op::arith_cmpi, &operands, ("result", I1), vec![("predicate", less)]);
        let (back, out) = (self.next_values(&received, crossing), self.next_values(&received, crossing));
        let back: Vec<ValueId> = std::iter::once(next).chain(back).collect();
        let successors = vec![
            Successor { block: again, args: back.into(), case: None },
            Successor { block: exit, args: out.into(), case: None },
        ];
        self.builder.op(op::cf_cond_br, &[(0, more)], &[], OpExtras { successors, ..OpExtras::default() });
        received
    }
}
