//! Which instructions of a loop body use a buffer, found once for all buffers that the loop carries.

use super::anew::{hands_on, is_loop};
use crate::{BlockId, Module, OpId, Operand, ValueId};
use pto_isa::Targets;
use pto_isa::hash::{FastMap, FastSet};
use pto_isa::ordered::{OrdMap, OrdSet};
use pto_isa::row::Effect;

/// The instructions of blocks in text order, by the values they use. Aliases are not uses.
pub(super) struct BodyUses<'a> {
    module: &'a Module,
    uses: FastMap<ValueId, Vec<BodyUse>>,
}

/// An instruction that uses a value.
#[derive(Clone, Copy)]
struct BodyUse {
    /// Its position among the instructions.
    at: usize,
    op: OpId,
    /// The outermost loop inside the blocks around it.
    within: Option<OpId>,
    /// It ends one of the blocks.
    ends: bool,
}

impl<'a> BodyUses<'a> {
    pub fn of(module: &'a Module, blocks: &[BlockId]) -> Self {
        let ends = blocks.iter().filter_map(|b| module.block(*b).ops.last().copied()).collect();
        let mut all = Self { module, uses: FastMap::default() };
        let mut next = 0;
        blocks.iter().for_each(|block| all.add_block(*block, None, &ends, &mut next));
        all
    }

    fn add_block(&mut self, block: BlockId, within: Option<OpId>, ends: &FastSet<OpId>, next: &mut usize) {
        let module = self.module;
        for &op in &module.block(block).ops {
            *next += 1;
            let ends_block = hands_on(module, op) && ends.contains(&op);
            // Aliases only, also at the end of a branch.
            if module.op(op).op.row().effect != Effect::View && (!hands_on(module, op) || ends_block) {
                let found = BodyUse { at: *next, op, within, ends: ends_block };
                for operand in module.operands(op) {
                    self.uses.entry(operand.value).or_default().push(found);
                }
            }
            let inner = within.or_else(|| is_loop(module, op).then_some(op));
            for inside in module.op_regions(op).iter().flat_map(|r| &module.region(*r).blocks) {
                self.add_block(*inside, inner, ends, next);
            }
        }
    }

    fn all(&self, names: &OrdSet<ValueId>) -> OrdMap<usize, BodyUse> {
        let uses = names.iter().filter_map(|value| self.uses.get(value));
        uses.flatten().map(|found| (found.at, *found)).collect()
    }

    /// True when the buffer of the previous iteration is used, under any name, after the own buffer has been accessed.
    pub fn is_overwritten(&self, targets: Targets, old: &OrdSet<ValueId>, new: &OrdSet<ValueId>) -> bool {
        let (old_uses, new_uses) = (self.all(old), self.all(new));
        let (Some((&last, _)), Some((&first, touched))) = (old_uses.last_key_value(), new_uses.first_key_value())
        else {
            return false;
        };
        // In its second iteration, a loop reads what its first iteration has overwritten.
        let loops: OrdSet<OpId> = old_uses.values().filter_map(|found| found.within).collect();
        let again = new_uses.values().filter_map(|found| found.within).any(|id| loops.contains(&id));
        let at_once = old_uses.contains_key(&first)
            && (touched.ends || !may_be_in_place(self.module, targets, touched.op, old, new));
        again || last > first || at_once
    }
}

/// True when an instruction may write its result over an operand.
fn may_be_in_place(module: &Module, targets: Targets, id: OpId, old: &OrdSet<ValueId>, new: &OrdSet<ValueId>) -> bool {
    let tiles = |names: &OrdSet<ValueId>| {
        let operands = module.operands(id).iter().filter(|o| names.contains(&o.value));
        let tile = |o: &Operand| Some((usize::from(o.slot), module.value_type(o.value).local_tile()?));
        operands.map(tile).collect::<Option<Vec<_>>>()
    };
    let row = module.op(id).op.row();
    let (Some(from), Some(to)) = (tiles(old), tiles(new)) else { return false };
    from.iter().all(|f| to.iter().all(|t| row.may_overwrite(targets, (f.0, &f.1), (t.0, &t.1))))
}
