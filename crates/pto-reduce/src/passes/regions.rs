//! Unwraps loops, branches, sections and calls, and drops what loops carry.

use crate::edit::{replace_uses, splice, values};
use crate::search::{Base, Shrinking};
use pto_ir::{BlockId, Module, NewOp, OpId, RegionId, ValueId};
use pto_isa::row::Control;

/// Replaces an operation by what is in one of its regions; a call by the function, if it is the only call.
pub(super) fn unwrap(s: &mut Shrinking<'_>) {
    let module = &s.base.module;
    let mut atoms: Vec<(OpId, usize)> = Vec::new();
    for id in module.order() {
        let regions = module.op_regions(id).len();
        match module.control(id) {
            Some(Control::Function) | None => {}
            Some(Control::Call) => atoms.push((id, 0)),
            Some(Control::While) => atoms.push((id, 0)),
            Some(_) => atoms.extend((0..regions).map(|region| (id, region))),
        }
    }
    s.sweep(atoms, &|base: &Base<'_>, atoms: &[(OpId, usize)]| {
        let mut out = base.module.clone();
        let mut changed = false;
        for &(id, region) in atoms {
            let mut next = out.clone();
            if unwrapped(&mut next, id, region).is_some() {
                out = next;
                changed = true;
            }
        }
        changed.then(|| out.into())
    });
}

/// The block that an operation is in, if it is still part of the program.
fn block_of(module: &Module, id: OpId) -> Option<BlockId> {
    module.all_blocks().into_iter().find(|b| module.block(*b).ops.contains(&id))
}

fn only_block(module: &Module, region: RegionId) -> Option<BlockId> {
    match module.region(region).blocks[..] {
        [block] => Some(block),
        _ => None,
    }
}

fn unwrapped(module: &mut Module, id: OpId, region: usize) -> Option<()> {
    let block = block_of(module, id)?;
    if module.control(id) == Some(Control::Call) {
        return inlined(module, block, id);
    }
    let body = only_block(module, *module.op_regions(id).get(region)?)?;
    if module.control(id) == Some(Control::Module) {
        return without_module(module, block, id, body);
    }
    let operands = values(module.operands(id));
    let given: Vec<ValueId> = match module.control(id)? {
        // The first iteration.
        Control::For => operands.first().into_iter().chain(operands.get(3..)?).copied().collect(),
        Control::While => operands,
        _ => Vec::new(),
    };
    replace_uses(module, &module.block(body).args.clone(), &given)?;
    let end = *module.block(body).ops.last()?;
    let mut yielded = values(module.operands(end));
    if module.control(end) == Some(Control::Condition) {
        yielded.remove(0);
    }
    let results: Vec<ValueId> = module.results(id).collect();
    replace_uses(module, &results, &yielded)?;
    splice(module, (block, id), body)
}

/// The functions of a module, without it.
fn without_module(module: &mut Module, block: BlockId, id: OpId, body: BlockId) -> Option<()> {
    let inner = module.block(body).ops.clone();
    let ops = &mut module.block_mut(block).ops;
    let at = ops.iter().position(|o| *o == id)?;
    ops.splice(at..=at, inner);
    Some(())
}

/// The body of a function in place of its only call.
fn inlined(module: &mut Module, block: BlockId, call: OpId) -> Option<()> {
    let calls = module.calls();
    let function = *calls.get(&call)?;
    if calls.values().filter(|f| **f == function).count() != 1 {
        return None;
    }
    let body = only_block(module, *module.op_regions(function).first()?)?;
    let given = values(module.operands(call));
    replace_uses(module, &module.block(body).args.clone(), &given)?;
    let returned = values(module.operands(*module.block(body).ops.last()?));
    let results: Vec<ValueId> = module.results(call).collect();
    replace_uses(module, &results, &returned)?;
    splice(module, (block, call), body)?;
    let home = block_of(module, function)?;
    module.block_mut(home).ops.retain(|o| *o != function);
    Some(())
}

/// Drops values that loops carry: the body uses the initial one.
pub(super) fn carried(s: &mut Shrinking<'_>) {
    let module = &s.base.module;
    let loops = module.order().into_iter().filter(|id| module.control(*id) == Some(Control::For));
    // The loop gets a new id each time, so the last value of a loop goes first and alone.
    let atoms: Vec<(OpId, usize)> =
        loops.flat_map(|id| (0..module.results(id).len()).rev().map(move |at| (id, at))).collect();
    for (id, at) in atoms {
        s.first(&[(id, at)], &|base, (id, at)| without_carried(&base.module, *id, *at).map(Into::into));
    }
}

fn without_carried(module: &Module, id: OpId, at: usize) -> Option<Module> {
    let mut out = module.clone();
    let block = block_of(module, id)?;
    let region = *module.op_regions(id).first()?;
    let body = only_block(module, region)?;
    let mut operands = module.operands(id).to_vec();
    let initial = operands.get(3 + at)?.value;
    operands.remove(3 + at);
    let argument = *module.block(body).args.get(1 + at)?;
    out.block_mut(body).args.remove(1 + at);
    let end = *module.block(body).ops.last()?;
    let mut yielded = module.operands(end).to_vec();
    if at >= yielded.len() {
        return None;
    }
    yielded.remove(at);
    out.set_operands(end, yielded);
    let old: Vec<ValueId> = module.results(id).collect();
    let kept = old.iter().enumerate().filter(|(k, _)| *k != at).map(|(_, v)| *v);
    let kept: Vec<ValueId> = kept.collect();
    let results = kept.iter().map(|v| module.value(*v)).map(|v| (v.ty, v.name, v.slot, v.span)).collect();
    let data = module.op(id);
    let new = NewOp {
        operands,
        attrs: module.attrs(id).to_vec(),
        regions: vec![region],
        results,
        span: data.span,
        name_span: data.name_span,
        ..NewOp::default()
    };
    let new = out.new_op(data.op, new);
    let fresh: Vec<ValueId> = out.results(new).collect();
    replace_uses(&mut out, &kept, &fresh)?;
    replace_uses(&mut out, &[argument, old[at]], &[initial, initial])?;
    let position = out.block(block).ops.iter().position(|o| *o == id)?;
    out.block_mut(block).ops[position] = new;
    Some(out)
}
