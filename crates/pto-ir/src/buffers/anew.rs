//! Buffers that every turn of a loop makes anew and hands on.
//!
//! Such a buffer has one place. While the next turn still reads what it was handed, it must not make its own there: then the loop carries what the
//! buffer holds, as it does for values.

use super::Buffers;
use crate::{BlockId, Module, OpId, Operand, ValueId};
use pto_isa::row::Effect;
use pto_isa::table::op;
use pto_isa::{Dir, Targets, Type};
use std::collections::BTreeSet;

/// True when a program has to be converted: it has tile values, or loops that must hand on what their buffers hold.
pub(super) fn are_needed(module: &Module, targets: Targets) -> bool {
    let is_value = |k: usize| matches!(module.value_type(ValueId::from_index(k)), Type::Tile(_));
    let order = module.order();
    // A result may also be written with the type of a buffer.
    order.iter().any(|id| module.is_value_form(*id))
        || (0..module.value_count()).any(is_value)
        || order.iter().any(|id| !contents(module, targets, *id).is_empty())
}

impl Buffers {
    /// Notes the parameters and results of a loop that stand for what a buffer holds.
    pub(super) fn note_contents(&mut self, id: OpId) {
        let found = contents(&self.out, self.targets, id);
        self.contents.extend(found);
    }

    /// True when a loop writes to a buffer that it was handed, under any name, and something behind the loop, or in the next turn of a
    /// loop around it, uses that buffer: the copy that is carried would keep the writes for itself.
    pub(super) fn loses_writes(&self, id: OpId, init: ValueId, arg: ValueId) -> bool {
        let module = &self.out;
        // What is carried is a copy, and so no other name.
        let ways: Vec<_> = module.ways().into_iter().filter(|(_, to)| !self.contents.contains(to)).collect();
        let (blocks, order) = (module.all_blocks(), module.order());
        let (handed, kept) = (names(module, &ways, arg, &blocks), names(module, &ways, init, &blocks));
        let writes = |id: OpId| {
            let row = module.op(id).op.row();
            let out = |slot: u8| row.slots.get(usize::from(slot)).is_some_and(|s| s.dir != Dir::In);
            module.operands(id).iter().any(|o| handed.contains(&o.value) && out(o.slot))
        };
        let uses = |id: OpId| module.operands(id).iter().any(|o| kept.contains(&o.value));
        let mut inside = BTreeSet::new();
        module.walk_inside(id, &mut |inner| inside.extend([inner]));
        let behind = order.iter().skip_while(|op| **op != id).skip(1).filter(|op| !inside.contains(op));
        let is_around = |outer: &OpId| {
            let mut found = false;
            module.walk_inside(*outer, &mut |inner| found |= inner == id);
            found && is_loop(module, *outer)
        };
        inside.iter().any(|op| writes(*op)) && (behind.into_iter().any(|op| uses(*op)) || order.iter().any(is_around))
    }
}

/// Parameters and results of a loop that must carry what a buffer holds, because a turn makes that buffer anew too early.
fn contents(module: &Module, targets: Targets, id: OpId) -> BTreeSet<ValueId> {
    let skip = match module.op(id).op {
        op::scf_for => 1,
        op::scf_while => 0,
        _ => return BTreeSet::new(),
    };
    let blocks: Vec<BlockId> = module.op_regions(id).iter().flat_map(|r| module.region(*r).blocks.clone()).collect();
    let (Some(&first), Some(&last)) = (blocks.first(), blocks.last()) else { return BTreeSet::new() };
    let args = &module.block(first).args[skip.min(module.block(first).args.len())..];
    let Some(&end) = module.block(last).ops.last() else { return BTreeSet::new() };
    let handed: Vec<ValueId> = module.operands(end).iter().map(|o| o.value).collect();
    if handed.is_empty() || args.is_empty() {
        return BTreeSet::new();
    }
    let made = made_inside(module, &blocks);
    if made.is_empty() {
        return BTreeSet::new();
    }
    let ways = module.ways();
    let clashes = |(arg, next): &(&ValueId, &ValueId)| {
        // What is handed on may be made inside under another name: as one side of a branch, or with another type.
        let own = |made: &ValueId| Some(names(module, &ways, *made, &blocks)).filter(|n| n.contains(next));
        let next: BTreeSet<ValueId> = made.iter().filter_map(own).flatten().collect();
        !next.is_empty() && is_overwritten(module, targets, &names(module, &ways, **arg, &blocks), &next, &blocks)
    };
    let mut found: BTreeSet<ValueId> = args.iter().zip(&handed).filter(clashes).map(|(arg, _)| *arg).collect();
    if found.is_empty() {
        return found;
    }
    // Whatever these become is contents too, in this loop; a turn later it is in another buffer.
    let here: BTreeSet<ValueId> =
        blocks.iter().flat_map(|b| module.block(*b).args.clone()).chain(module.results(id)).collect();
    while let Some((_, to)) = ways.iter().find(|(f, t)| found.contains(f) && here.contains(t) && !found.contains(t)) {
        found.insert(*to);
    }
    let results: Vec<ValueId> = module.results(id).collect();
    let same = args.iter().zip(&results).filter(|(arg, _)| module.op(id).op == op::scf_for && found.contains(arg));
    let same: Vec<ValueId> = same.map(|(_, result)| *result).collect();
    found.extend(same);
    found
}

/// The buffers without an address that these blocks allocate.
fn made_inside(module: &Module, blocks: &[BlockId]) -> Vec<ValueId> {
    let address = op::alloc_tile.row().slot("addr");
    let is_placed = |id: OpId| address.is_some_and(|slot| module.in_slot(id, slot).next().is_some());
    let mut made = Vec::new();
    for block in blocks {
        module.walk(*block, &mut |id| match module.op(id).op {
            op::alloc_tile if !is_placed(id) => made.extend(module.results(id)),
            op::memref_alloc => made.extend(module.results(id).filter(|v| module.is_local_buffer(*v))),
            _ => {}
        });
    }
    made
}

/// True when what a turn was handed is used, under any name, once its own buffer has been touched.
fn is_overwritten(
    module: &Module,
    targets: Targets,
    arg: &BTreeSet<ValueId>,
    next: &BTreeSet<ValueId>,
    blocks: &[BlockId],
) -> bool {
    let mut touched = false;
    let mut clash = false;
    for block in blocks {
        module.walk(*block, &mut |id| {
            let hands_on = hands_on(module, id);
            let ends = hands_on && blocks.iter().any(|b| module.block(*b).ops.last() == Some(&id));
            // Names only, also at the end of a branch.
            if module.op(id).op.row().effect == Effect::View || (hands_on && !ends) {
                return;
            }
            let uses = |names: &BTreeSet<ValueId>| module.operands(id).iter().any(|o| names.contains(&o.value));
            let (old, new) = (uses(arg), uses(next));
            // In its second turn, a loop reads what its first turn has written over.
            clash |= is_loop(module, id) && has_uses(module, id, arg) && has_uses(module, id, next);
            clash |= old && (touched || (new && (ends || !in_place(module, targets, id, arg, next))));
            touched |= new;
        });
    }
    clash
}

fn is_loop(module: &Module, id: OpId) -> bool {
    matches!(module.op(id).op, op::scf_for | op::scf_while)
}

/// True when instructions inside an operation use a buffer.
fn has_uses(module: &Module, id: OpId, names: &BTreeSet<ValueId>) -> bool {
    let mut found = false;
    module.walk_inside(id, &mut |inner| {
        let names_only = module.op(inner).op.row().effect == Effect::View || hands_on(module, inner);
        found |= !names_only && module.operands(inner).iter().any(|o| names.contains(&o.value));
    });
    found
}

fn hands_on(module: &Module, id: OpId) -> bool {
    matches!(module.op(id).op, op::scf_yield | op::scf_condition)
}

/// All names of a buffer in some blocks: windows, other types, and what branches hand on.
fn names(module: &Module, ways: &[(ValueId, ValueId)], value: ValueId, blocks: &[BlockId]) -> BTreeSet<ValueId> {
    let mut names = BTreeSet::from([value]);
    // What the next turn is handed is another buffer.
    let own = blocks.first().map_or(&[][..], |b| &module.block(*b).args);
    loop {
        let before = names.len();
        let through = ways.iter().filter(|(f, t)| names.contains(f) && !own.contains(t)).map(|(_, t)| *t);
        names.extend(through.collect::<Vec<_>>());
        for block in blocks {
            module.walk(*block, &mut |id| {
                let views = module.op(id).op.row().effect == Effect::View;
                if views && module.operands(id).iter().any(|o| names.contains(&o.value)) {
                    names.extend(module.results(id));
                }
            });
        }
        if names.len() == before {
            return names;
        }
    }
}

/// True when an instruction may write its result where it reads.
fn in_place(module: &Module, targets: Targets, id: OpId, old: &BTreeSet<ValueId>, new: &BTreeSet<ValueId>) -> bool {
    let tiles = |names: &BTreeSet<ValueId>| {
        let operands = module.operands(id).iter().filter(|o| names.contains(&o.value));
        let tile = |o: &Operand| Some((usize::from(o.slot), module.value_type(o.value).local_tile()?));
        operands.map(tile).collect::<Option<Vec<_>>>()
    };
    let row = module.op(id).op.row();
    let (Some(from), Some(to)) = (tiles(old), tiles(new)) else { return false };
    from.iter().all(|f| to.iter().all(|t| row.may_overwrite(targets, (f.0, &f.1), (t.0, &t.1))))
}
