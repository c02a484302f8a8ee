//! Simplifies functions with several blocks.

use crate::edit::replace_uses;
use crate::search::{Base, Shrinking};
use pto_ir::{BlockId, Module, NewOp, OpId, RegionId, ValueId};
use pto_isa::Op;
use pto_isa::hash::FastSet;
use pto_isa::row::Control;

/// Makes branches unconditional, joins blocks that follow each other, and drops those that nothing leads to.
pub(super) fn straighten(s: &mut Shrinking<'_>) {
    let module = &s.base.module;
    let mut atoms: Vec<(OpId, usize)> = Vec::new();
    for id in module.order() {
        if matches!(module.control(id), Some(Control::CondBranch | Control::Switch)) {
            atoms.extend((0..module.successors(id).len()).map(|way| (id, way)));
        }
    }
    s.first(&[()], &|base, ()| joined(base.module.clone()).map(Into::into));
    s.sweep(atoms, &|base: &Base<'_>, atoms: &[(OpId, usize)]| {
        let mut out = base.module.clone();
        for &(id, way) in atoms {
            go(&mut out, id, way);
        }
        let plain = out.clone();
        Some(joined(out).unwrap_or(plain).into())
    });
}

/// Replaces the end of a block by a branch to one of its successors.
fn go(module: &mut Module, id: OpId, way: usize) -> Option<()> {
    let block = module.all_blocks().into_iter().find(|b| module.block(*b).ops.last() == Some(&id))?;
    let mut successor = module.successors(id).get(way)?.clone();
    successor.case = None;
    let span = module.op(id).span;
    let new = NewOp { successors: vec![successor], span, name_span: span, ..NewOp::default() };
    let new = module.new_op(Op::of(Control::Branch), new);
    *module.block_mut(block).ops.last_mut()? = new;
    Some(())
}

/// Drops blocks that nothing leads to and joins those that follow each other; nothing if there are none.
fn joined(mut module: Module) -> Option<Module> {
    let mut changed = false;
    let regions: Vec<RegionId> = module.order().iter().flat_map(|id| module.op_regions(*id).to_vec()).collect();
    for region in regions {
        while module.region(region).blocks.len() > 1
            && (drop_unreached(&mut module, region) || join_one(&mut module, region))
        {
            changed = true;
        }
    }
    changed.then_some(module)
}

fn next(module: &Module, block: BlockId) -> Vec<BlockId> {
    let end = module.block(block).ops.last();
    end.map_or_else(Vec::new, |end| module.successors(*end).iter().map(|s| s.block).collect())
}

fn drop_unreached(module: &mut Module, region: RegionId) -> bool {
    let blocks = module.region(region).blocks.clone();
    let mut reached = FastSet::default();
    let mut open: Vec<BlockId> = blocks.first().copied().into_iter().collect();
    while let Some(block) = open.pop() {
        if reached.insert(block) {
            open.extend(next(module, block));
        }
    }
    module.region_mut(region).blocks.retain(|b| reached.contains(b));
    reached.len() < blocks.len()
}

fn join_one(module: &mut Module, region: RegionId) -> bool {
    let blocks = module.region(region).blocks.clone();
    let followers = |block: BlockId| blocks.iter().flat_map(|b| next(module, *b)).filter(|b| *b == block).count();
    let found = blocks.iter().find_map(|block| {
        let end = *module.block(*block).ops.last()?;
        let only = module.control(end) == Some(Control::Branch);
        let [to] = next(module, *block)[..] else { return None };
        let can = only && to != *block && Some(&to) != blocks.first() && followers(to) == 1;
        can.then_some((*block, end, to))
    });
    let Some((block, end, to)) = found else { return false };
    let given: Vec<ValueId> = module.successors(end)[0].args.to_vec();
    if replace_uses(module, &module.block(to).args.clone(), &given).is_none() {
        return false;
    }
    let rest = module.block(to).ops.clone();
    module.block_mut(block).ops.pop();
    module.block_mut(block).ops.extend(rest);
    module.region_mut(region).blocks.retain(|b| *b != to);
    true
}
