//! Buffers that every turn of a loop makes anew and hands on.
//!
//! Such a buffer has one place. While the next turn still reads what it was handed, it must not make its own there: then the loop carries what the
//! buffer holds, as it does for values.

use super::Buffers;
use crate::{BlockId, Def, Module, OpId, ValueId};
use pto_isa::row::Effect;
use pto_isa::table::op;
use pto_isa::{Targets, Type};
use std::collections::BTreeSet;

/// True when a program has to be converted: it has tile values, or loops that must hand on what their buffers hold.
pub fn are_needed(module: &Module, targets: Targets) -> bool {
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
    if !args.iter().zip(&handed).any(|(_, next)| is_made_inside(module, *next, &blocks)) {
        return BTreeSet::new();
    }
    let ways = module.ways();
    let clashes = |(arg, next): &(&ValueId, &ValueId)| {
        is_made_inside(module, **next, &blocks) && is_overwritten(module, targets, &ways, **arg, **next, &blocks)
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

/// True for a buffer without an address that these blocks allocate.
fn is_made_inside(module: &Module, value: ValueId, blocks: &[BlockId]) -> bool {
    let Def::Result(made, _) = module.value(value).def else { return false };
    if module.op(made).op != op::alloc_tile {
        return false;
    }
    let placed = op::alloc_tile.row().slot("addr").is_some_and(|slot| module.in_slot(made, slot).next().is_some());
    let inside = |b: &BlockId| {
        let mut found = false;
        module.walk(*b, &mut |id| found |= id == made);
        found
    };
    !placed && blocks.iter().any(inside)
}

/// True when what a turn was handed is used, under any name, once its own buffer has been touched.
fn is_overwritten(
    module: &Module,
    targets: Targets,
    ways: &[(ValueId, ValueId)],
    arg: ValueId,
    next: ValueId,
    blocks: &[BlockId],
) -> bool {
    let (arg, next) = (names(module, ways, arg, blocks), names(module, ways, next, blocks));
    let mut touched = false;
    let mut clash = false;
    for block in blocks {
        module.walk(*block, &mut |id| {
            if module.op(id).op.row().effect == Effect::View {
                return;
            }
            let uses = |names: &BTreeSet<ValueId>| module.operands(id).iter().any(|o| names.contains(&o.value));
            let (old, new) = (uses(&arg), uses(&next));
            let ends = matches!(module.op(id).op, op::scf_yield | op::scf_condition);
            clash |= old && (touched || (new && (ends || !in_place(module, targets, id, &arg, &next))));
            touched |= new;
        });
    }
    clash
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
        operands.filter_map(|o| Some((usize::from(o.slot), *module.tile(o.value)?))).collect::<Vec<_>>()
    };
    let row = module.op(id).op.row();
    let (from, to) = (tiles(old), tiles(new));
    from.iter().all(|f| to.iter().all(|t| row.may_overwrite(targets, (f.0, &f.1), (t.0, &t.1))))
}
