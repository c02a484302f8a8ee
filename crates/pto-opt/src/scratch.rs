//! Scratch memory of instructions: scratch tiles that programs omit, and copies of sources.

use pto_check::{Checked, missing_scratch};
use pto_ir::{Module, Names, NewOp, OpId, Operand, ValueId};
use pto_isa::hash::FastMap;
use pto_isa::row::Storage;
use pto_isa::rules::Rule;
use pto_isa::sort::SharedSort;
use pto_isa::{Dim, ScalarType, Span, TileType, Type};

/// The program with the scratch tiles that it omits; `None` if it omits none.
///
/// Only functions whose tiles have no addresses get any: if a program places its tiles, no memory is known to be free.
pub(crate) fn provide_scratch(checked: &Checked) -> Option<Module> {
    let module = checked.module();
    let missing: FastMap<OpId, TileType> =
        module.order().into_iter().filter_map(|id| Some((id, missing_scratch(checked, id)?))).collect();
    if missing.is_empty() {
        return None;
    }
    let mut out = module.clone();
    let mut names = Names::new(module);
    let mut replaced = FastMap::default();
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

/// The program with copies of sources that an instruction uses as scratch memory and that are read afterwards; `None` if there are none,
/// or only in functions that place their tiles.
pub(crate) fn keep_sources(checked: &Checked) -> Option<Module> {
    let module = checked.module();
    let mut lost = pto_check::lost_sources(checked);
    lost.retain(|id, _| !checked.info().manual[id.index()]);
    if lost.is_empty() {
        return None;
    }
    let mut out = module.clone();
    let mut names = Names::new(module);
    let mut replaced = FastMap::default();
    for block in module.all_blocks() {
        let mut ops = Vec::new();
        for &id in &module.block(block).ops {
            match lost.get(&id) {
                Some(slots) => copy_sources(&mut out, id, slots, &mut names, &mut ops, &mut replaced),
                None => ops.push(id),
            }
        }
        out.block_mut(block).ops = ops;
    }
    out.resolve_uses(&replaced);
    Some(out)
}

/// The operation on copies of some of its operands.
fn copy_sources(
    out: &mut Module,
    id: OpId,
    slots: &[&str],
    names: &mut Names,
    ops: &mut Vec<OpId>,
    replaced: &mut FastMap<ValueId, ValueId>,
) {
    let data = out.op(id).clone();
    let row = data.op.row();
    let span = Span::new(data.span.start, data.span.start);
    let mut operands: Vec<Operand> = out.operands(id).to_vec();
    for operand in &mut operands {
        let is_lost = row.slots.get(usize::from(operand.slot)).is_some_and(|slot| slots.contains(&slot.name));
        let Some(tile) = out.tile(operand.value).copied().filter(|_| is_lost) else { continue };
        let is_open = tile.valid_rows == Dim::Dynamic || tile.valid_cols == Dim::Dynamic;
        let (tile, extents) = match is_open {
            true => (tile.valid(Dim::Dynamic, Dim::Dynamic), extents(out, operand.value, names, span, ops)),
            false => (tile, Vec::new()),
        };
        let base = format!("{}_copy", out.value_name(operand.value));
        let name = names.fresh(out, &base);
        let alloc = out.new_tile(tile, name, span, &extents);
        let Some(copy) = out.results(alloc).next() else { continue };
        let copying = out.new_copy(operand.value, copy, span);
        ops.extend([alloc, copying]);
        operand.value = copy;
    }
    let results = out.results(id).map(|v| out.value(v).clone()).map(|v| (v.ty, v.name, v.slot, v.span)).collect();
    let attrs = out.attrs(id).to_vec();
    let new = NewOp { operands, attrs, results, span: data.span, name_span: data.name_span, ..NewOp::default() };
    let new = out.new_op(data.op, new);
    replaced.extend(out.results(id).zip(out.results(new)));
    ops.push(new);
}

/// The operand whose valid region the scratch tile must have, if that is known only at run time.
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
    replaced: &mut FastMap<ValueId, ValueId>,
) {
    let data = out.op(id).clone();
    let row = data.op.row();
    let Some(slot) = row.scratch.and_then(|s| row.slot(s.slot)) else { return ops.push(id) };
    let span = Span::new(data.span.start, data.span.start);
    let name = names.fresh(out, row.slots[slot].name);
    let (tile, extents) = match like {
        Some(like) => (tile.valid(Dim::Dynamic, Dim::Dynamic), extents(out, like, names, span, ops)),
        // Nothing says which part is meant, so the whole tile is.
        None => (tile.valid(known(tile.valid_rows, tile.rows), known(tile.valid_cols, tile.cols)), Vec::new()),
    };
    let alloc = out.new_tile(tile, name, span, &extents);
    ops.push(alloc);
    let mut operands: Vec<Operand> = out.operands(id).to_vec();
    operands.extend(out.results(alloc).map(|value| Operand { value, slot: slot as u8, span }));
    operands.shared_sort_by_key(|o| o.slot);
    let results = out.results(id).map(|v| out.value(v).clone()).map(|v| (v.ty, v.name, v.slot, v.span)).collect();
    let attrs = out.attrs(id).to_vec();
    let new = NewOp { operands, attrs, results, span: data.span, name_span: data.name_span, ..NewOp::default() };
    let new = out.new_op(data.op, new);
    replaced.extend(out.results(id).zip(out.results(new)));
    ops.push(new);
}

fn known(extent: Dim, whole: u64) -> Dim {
    Dim::Fixed(extent.fixed().unwrap_or(whole))
}

/// The rows and columns of a tile that are valid, as operands of an allocation.
pub(crate) fn extents(
    out: &mut Module,
    tile: ValueId,
    names: &mut Names,
    span: Span,
    ops: &mut Vec<OpId>,
) -> Vec<(&'static str, ValueId)> {
    let index = out.intern_type(Type::Scalar(ScalarType::Index));
    let results = ["rows", "cols"].map(|base| (index, names.fresh(out, base)));
    let query = out.new_with(Storage::GetValid, &[("source", tile)], &results, span);
    ops.push(query);
    ["valid_row", "valid_col"].into_iter().zip(out.results(query)).collect()
}
