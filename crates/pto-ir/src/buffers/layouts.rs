//! Layouts of views, through branches, loops and calls.

use crate::{Attr, Def, Module, OpId, ValueId};
use pto_isa::hash::{FastMap, FastSet};
use pto_isa::row::Storage;
use pto_isa::{GlobalLayout, MAX_RANK, Type};

/// The layouts of views of more than two dimensions, if all views that a value may be have the same.
pub(super) fn layouts(module: &Module) -> FastMap<ValueId, GlobalLayout> {
    let views: Vec<ValueId> =
        (0..module.value_count()).map(ValueId::from_index).filter(|v| is_deep(module, *v)).collect();
    if views.is_empty() {
        return FastMap::default();
    }
    let mut onward: FastMap<ValueId, Vec<ValueId>> = FastMap::default();
    let mut reached = FastSet::default();
    for (from, to) in module.ways().into_iter().chain(windows(module)).filter(|(_, to)| is_deep(module, *to)) {
        onward.entry(from).or_default().push(to);
        reached.insert(to);
    }
    let started = entry_parameters(module);
    let mut found: FastMap<ValueId, Option<GlobalLayout>> = FastMap::default();
    let mut open: Vec<(ValueId, Option<GlobalLayout>)> = Vec::new();
    for view in views.into_iter().filter(|v| !reached.contains(v)) {
        open.push((view, own_layout(module, view, &started)));
    }
    // The layout of a view becomes known, and then perhaps ambiguous: two steps at most.
    while let Some((view, layout)) = open.pop() {
        let now = match found.get(&view) {
            None => layout,
            Some(before) if *before == layout || before.is_none() => continue,
            Some(_) => None,
        };
        found.insert(view, now);
        open.extend(onward.get(&view).into_iter().flatten().map(|next| (*next, now)));
    }
    found.into_iter().filter_map(|(view, layout)| Some((view, layout?))).collect()
}

/// A view with more dimensions than rows and columns.
fn is_deep(module: &Module, value: ValueId) -> bool {
    matches!(module.value_type(value), Type::TensorView(v) | Type::PartitionView(v) if (3..=MAX_RANK).contains(&v.dims.len()))
}

/// Windows have the layout of their views.
fn windows(module: &Module) -> impl Iterator<Item = (ValueId, ValueId)> {
    let cuts = module.order().into_iter().filter(|id| module.storage(*id) == Some(Storage::Partition));
    cuts.filter_map(|id| Some((module.operands(id).first()?.value, module.results(id).next()?)))
}

/// The parameters of functions that are not called.
fn entry_parameters(module: &Module) -> FastSet<ValueId> {
    let called: FastSet<OpId> = module.calls().into_values().collect();
    let started = module.functions().into_iter().filter(|f| !called.contains(f));
    let first = started.filter_map(|f| module.region(*module.op_regions(f).first()?).blocks.first());
    first.flat_map(|b| module.block(*b).args.iter().copied()).collect()
}

fn own_layout(module: &Module, view: ValueId, started: &FastSet<ValueId>) -> Option<GlobalLayout> {
    match module.value(view).def {
        Def::Result(made, _) if module.storage(made) == Some(Storage::View) => made_layout(module, made, view),
        // An argument of a program is a whole, packed tensor.
        _ => started.contains(&view).then_some(GlobalLayout::Nd),
    }
}

/// As `run` reads it: the stated layout, or the one that the strides imply.
fn made_layout(module: &Module, made: OpId, view: ValueId) -> Option<GlobalLayout> {
    if let Some(Attr::Enum(def, at)) = module.attr(made, "layout") {
        let name = def.value(usize::from(*at));
        return GlobalLayout::ALL.into_iter().find(|l| l.name().eq_ignore_ascii_case(name));
    }
    let list = |slot: &str| module.named(made, slot).map(|o| o.value).collect::<Vec<ValueId>>();
    let (shape, strides) = (list("shape"), list("strides"));
    let back = |list: &[ValueId], n: usize| list.iter().rev().nth(n).and_then(|v| module.literal(*v));
    let one = back(&strides, 0)? == 1;
    if !one {
        let dn = back(&strides, 1)? == 1;
        return Some(if dn { GlobalLayout::Dn } else { GlobalLayout::Nd });
    }
    if shape.len() < MAX_RANK {
        return Some(GlobalLayout::Nd);
    }
    // Five dimensions with 32 bytes in the last may be boxes.
    let cols = back(&shape, 0)?;
    let bits = i64::from(module.value_type(view).elem()?.column_bits());
    if cols.saturating_mul(bits) != 256 {
        return Some(GlobalLayout::Nd);
    }
    let boxes = back(&shape, 1)? == 16 && back(&strides, 1)? == cols && back(&strides, 2)? == 16 * cols;
    boxes.then_some(GlobalLayout::Nz)
}
