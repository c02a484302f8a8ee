//! Scratch tiles for the instructions that need them and leave them out.

use pto_check::{Checked, missing_scratch};
use pto_ir::{Module, Names, NewOp, OpId, Operand, ValueId};
use pto_isa::{Span, TileType};
use std::collections::HashMap;

/// The program with the scratch tiles that it leaves out; `None` when it leaves none out.
///
/// Only functions whose tiles have no addresses get any: where a program places its tiles, there is no room that is known to be free.
pub fn provide_scratch(checked: &Checked) -> Option<Module> {
    let module = checked.module();
    let missing: HashMap<OpId, TileType> =
        module.order().into_iter().filter_map(|id| Some((id, missing_scratch(checked, id)?))).collect();
    if missing.is_empty() {
        return None;
    }
    let mut out = module.clone();
    let mut names = Names::new(module);
    let mut replaced = HashMap::new();
    for block in module.all_blocks() {
        let mut ops = Vec::new();
        for &id in &module.block(block).ops {
            match missing.get(&id) {
                Some(tile) => provide(&mut out, id, *tile, &mut names, &mut ops, &mut replaced),
                None => ops.push(id),
            }
        }
        out.block_mut(block).ops = ops;
    }
    out.resolve_uses(&replaced);
    Some(out)
}

/// The operation with a new tile in front of it.
fn provide(
    out: &mut Module,
    id: OpId,
    tile: TileType,
    names: &mut Names,
    ops: &mut Vec<OpId>,
    replaced: &mut HashMap<ValueId, ValueId>,
) {
    let data = out.op(id).clone();
    let row = data.op.row();
    let Some(slot) = row.scratch.and_then(|s| row.slot(s.slot)) else { return ops.push(id) };
    let span = Span::new(data.span.start, data.span.start);
    let name = names.fresh(out, row.slots[slot].name);
    let alloc = out.new_tile(tile, name, span, Vec::new());
    ops.push(alloc);
    let mut operands: Vec<Operand> = out.operands(id).to_vec();
    operands.extend(out.results(alloc).map(|value| Operand { value, slot: slot as u8, span }));
    operands.sort_by_key(|o| o.slot);
    let results = out.results(id).map(|v| out.value(v).clone()).map(|v| (v.ty, v.name, v.slot, v.span)).collect();
    let attrs = out.attrs(id).to_vec();
    let new = NewOp { operands, attrs, results, span: data.span, name_span: data.name_span, ..NewOp::default() };
    let new = out.new_op(data.op, new);
    replaced.extend(out.results(id).zip(out.results(new)));
    ops.push(new);
}
