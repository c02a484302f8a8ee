//! Scratch tiles for the instructions that need them and leave them out.

use pto_check::{Checked, missing_scratch};
use pto_ir::{Module, Names, NewOp, OpId, Operand, ValueId};
use pto_isa::rules::Rule;
use pto_isa::table::op;
use pto_isa::{Dim, Scalar, Span, TileType, Type};
use std::collections::HashMap;

/// The program with the scratch tiles that it leaves out; `None` when it leaves none out.
///
/// Only functions whose tiles have no addresses get any: where a program places its tiles, there is no room that is known to be free.
pub(crate) fn provide_scratch(checked: &Checked) -> Option<Module> {
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
                Some(tile) => {
                    let like = valid_like(checked, id);
                    provide(&mut out, id, (*tile, like), &mut names, &mut ops, &mut replaced);
                }
                None => ops.push(id),
            }
        }
        out.block_mut(block).ops = ops;
    }
    out.resolve_uses(&replaced);
    Some(out)
}

/// The operand whose valid region the scratch tile must have, where that is known only at run time.
fn valid_like(checked: &Checked, id: OpId) -> Option<ValueId> {
    let module = checked.module();
    let row = module.op(id).op.row();
    let scratch = row.scratch?.slot;
    let other = row.rules_on(checked.info().target).find_map(|rule| match rule {
        Rule::SameValid(slots) if slots.contains(&scratch) => slots.iter().find(|s| **s != scratch),
        _ => None,
    })?;
    let value = module.in_slot(id, row.slot(other)?).next()?.value;
    let tile = module.tile(value)?;
    (tile.valid_rows == Dim::Dynamic || tile.valid_cols == Dim::Dynamic).then_some(value)
}

/// The operation with a new tile in front of it.
fn provide(
    out: &mut Module,
    id: OpId,
    (tile, like): (TileType, Option<ValueId>),
    names: &mut Names,
    ops: &mut Vec<OpId>,
    replaced: &mut HashMap<ValueId, ValueId>,
) {
    let data = out.op(id).clone();
    let row = data.op.row();
    let Some(slot) = row.scratch.and_then(|s| row.slot(s.slot)) else { return ops.push(id) };
    let span = Span::new(data.span.start, data.span.start);
    let name = names.fresh(out, row.slots[slot].name);
    let (tile, extents) = match like {
        Some(like) => (tile.valid(Dim::Dynamic, Dim::Dynamic), extents(out, like, names, span, ops)),
        None => (tile, Vec::new()),
    };
    let alloc = out.new_tile(tile, name, span, extents);
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

/// The rows and columns of a tile that are valid, as operands of an allocation.
pub(crate) fn extents(
    out: &mut Module,
    tile: ValueId,
    names: &mut Names,
    span: Span,
    ops: &mut Vec<OpId>,
) -> Vec<Operand> {
    let index = out.intern_type(Type::Scalar(Scalar::Index));
    let first = op::get_validshape.row().slots.len() as u8;
    let results =
        [(first, "rows"), (first + 1, "cols")].map(|(slot, base)| (index, names.fresh(out, base), slot, span));
    let operands = vec![Operand { value: tile, slot: 0, span }];
    let query = out.new_op(op::get_validshape, NewOp { operands, results: results.into(), span, ..NewOp::default() });
    ops.push(query);
    let slots = ["valid_row", "valid_col"].map(|name| op::alloc_tile.row().slot(name).unwrap_or(0) as u8);
    out.results(query).zip(slots).map(|(value, slot)| Operand { value, slot, span }).collect()
}
