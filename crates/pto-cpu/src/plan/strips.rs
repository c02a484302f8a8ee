//! Instructions that are executed together, strip by strip.
//!
//! A tile of a memory-bound program is larger than the nearest cache, so each instruction on a whole tile would fetch again what
//! the one before has just made. Neighbours that work row by row, or element by element, are executed for a few rows at a time
//! instead, from their loads to their stores. Here it is found out which instructions stand beside each other like that; `run`
//! decides with the tiles it has whether they can be divided.

use super::build::PlanBuilder;
use crate::kernels::{KernelCut, OpKernel};
use crate::prepared::{Bind, CallOperand, Id, KernelId, Plan, Step, StepId, StripRole, TileAddress, TileId};
use pto_ir::{OpId, ValueId};
use pto_isa::Loc;
use pto_isa::hash::{FastMap, FastSet};

/// Most instructions that are executed together.
const MOST: usize = 32;

/// Smaller tiles are in the nearest cache in any case.
const LARGE_TILE: u64 = 8 << 10;

impl PlanBuilder<'_> {
    /// How the work of an instruction can be divided.
    pub fn cut(&self, id: OpId, kernel: &OpKernel) -> Option<KernelCut> {
        let cut = kernel.cut.filter(|_| !self.options.plain)?;
        let tiles = || kernel.tiles.iter().filter_map(|slot| self.module.operand(id, slot));
        let mut types = tiles().filter_map(|v| self.module.value_type(v).tile());
        let is_plain_transfer = || self.module.attrs(id).is_empty() && self.module.operand(id, "pre_quant").is_none();
        let fits = if kernel.views.is_empty() {
            !cut.divides || types.all(|t| t.dtype.is_float())
        } else {
            is_plain_transfer() && types.all(|t| t.loc == Loc::Vec)
        };
        fits.then_some(cut)
    }
}

impl Plan {
    /// Finds the instructions that are executed together.
    pub(super) fn mark_strips(&mut self) {
        let targets = self.jump_targets();
        let mut groups = Vec::new();
        let mut group = Vec::new();
        for (at, step) in self.code.steps.entries() {
            if targets[at.index()] || group.len() == MOST {
                groups.push(std::mem::take(&mut group));
            }
            match *step {
                Step::Kernel(which) if self.calls.kernels[which].cut.is_some() => group.push(GroupMember { which, at }),
                _ if step.is_of_registers() => {}
                _ => groups.push(std::mem::take(&mut group)),
            }
        }
        groups.push(group);
        groups.retain(|group| group.len() > 1 && group.iter().any(|m| self.moves_large_tile(m.which)));
        for group in &groups {
            self.mark_group(group);
        }
        self.mark_own_tiles(&groups);
    }

    fn mark_group(&mut self, group: &[GroupMember]) {
        for member in group {
            self.calls.kernels[member.which].strips = StripRole::Member;
        }
        if let Some(last) = group.last() {
            self.calls.kernels[last.which].strips = StripRole::Last;
        }
    }

    fn moves_large_tile(&self, which: KernelId) -> bool {
        let step = &self.calls.kernels[which];
        let tiles = step.tiles.iter().filter_map(|o| self.module().value_type(o.value?).tile());
        !step.views.is_empty() && tiles.map(|t| t.bytes()).any(|bytes| bytes >= LARGE_TILE)
    }

    /// Notes the tiles that have memory of their own and are used by one group only. What such a tile holds after the group does not
    /// matter.
    fn mark_own_tiles(&mut self, groups: &[Vec<GroupMember>]) {
        if groups.is_empty() {
            return;
        }
        let users = self.users(groups);
        let own_memory = |bind: &Bind| matches!(bind.address, TileAddress::Own(_)) && bind.count == 1;
        let mut own: FastSet<TileId> = self.tiles.binds.iter().filter(|b| own_memory(b)).map(|b| b.tile).collect();
        let mut group_of = FastMap::default();
        // A tile has several names where it is an argument of a function that is expanded in place.
        for operand in self.calls.kernels.iter().flat_map(|step| &step.tiles) {
            let Some(register) = operand.register else { continue };
            let group = operand.value.and_then(|v| users.get(&v).copied().flatten());
            if group.is_none() || *group_of.entry(register).or_insert(group) != group {
                own.remove(&register);
            }
        }
        for member in groups.iter().flatten() {
            let step = &mut self.calls.kernels[member.which];
            let is_own = |o: &CallOperand<TileId>| o.register.is_some_and(|r| own.contains(&r));
            let bits = step.tiles.iter().enumerate().map(|(at, o)| u16::from(is_own(o)) << at);
            step.own_tiles = bits.fold(0, |all, bit| all | bit);
        }
    }

    /// The group that uses each tile of the groups; `None` for those that others use, too.
    fn users(&self, groups: &[Vec<GroupMember>]) -> FastMap<ValueId, Option<usize>> {
        let mut group_of = FastMap::default();
        let mut users = FastMap::default();
        for (number, member) in groups.iter().enumerate().flat_map(|(n, g)| g.iter().map(move |m| (n, m))) {
            group_of.insert(self.code.origins[member.at], number);
            let tiles = self.calls.kernels[member.which].tiles.iter().filter_map(|o| o.value);
            users.extend(tiles.map(|value| (value, Some(number))));
        }
        let module = self.module();
        for id in (0..module.op_count()).map(OpId::from_index) {
            for operand in module.operands(id) {
                if let Some(user) = users.get_mut(&operand.value) {
                    *user = user.filter(|group| group_of.get(&id) == Some(group));
                }
            }
        }
        users
    }

    /// For each step, whether another leads to it.
    pub(super) fn jump_targets(&self) -> Vec<bool> {
        let mut targets = vec![false; self.code.steps.len() + 1];
        let mut mark = |to: StepId| targets[to.index()] = true;
        for step in self.code.steps.iter() {
            match *step {
                Step::Jump(to) | Step::LoopTest { exit: to, .. } => mark(to),
                Step::LoopNext { head, .. } | Step::NextIteration { head, .. } => mark(head),
                Step::Branch { yes, no, .. } => [yes, no].into_iter().for_each(&mut mark),
                _ => {}
            }
        }
        let cases = self.code.switches.iter().flat_map(|s| s.cases.iter().chain([&s.default]));
        cases.for_each(|case| targets[case.to.index()] = true);
        targets
    }
}

/// An instruction of a group, and its step.
#[derive(Clone, Copy)]
struct GroupMember {
    which: KernelId,
    at: StepId,
}
