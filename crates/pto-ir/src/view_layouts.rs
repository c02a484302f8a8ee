//! Layouts of views of global memory, through windows, branches, loops and calls.
//!
//! A layout is stated, or follows from what is known before the run by one rule, [`GlobalLayout::unstated`]. Runs, passes, checks and
//! emitted programs all ask here, so that they cannot disagree.

use crate::{Attr, Def, Module, OpId, ValueId};
use pto_isa::hash::{FastMap, FastSet};
use pto_isa::row::{Arith, Meaning, Movement, Storage};
use pto_isa::{Dim, GlobalLayout, GlobalLayouts, MAX_RANK, PtrSpace, Type};

/// The layouts of the views of a program.
#[derive(Clone, Debug, Default)]
pub struct ViewLayouts {
    /// `None` for views of which only a run shows it.
    found: FastMap<ValueId, Option<GlobalLayout>>,
    /// What the tiles accept that are moved through a view.
    accepted: FastMap<ValueId, GlobalLayouts>,
    /// Views that may come from outside of the program, which are packed by convention.
    outside: FastSet<ValueId>,
}

impl ViewLayouts {
    /// Looks at all views of a program.
    pub fn new(module: &Module) -> Self {
        let views: Vec<ValueId> =
            (0..module.value_count()).map(ValueId::from_index).filter(|v| is_view(module, *v)).collect();
        if views.is_empty() {
            return Self::default();
        }
        let aliases = aliases(module, &views);
        let mut layouts = Self { accepted: accepted(module, &aliases), ..Self::default() };
        layouts.spread(module, &views, &aliases);
        layouts
    }

    /// The layout of a view, if it is known before the run and the same for all views that it may be.
    pub fn of(&self, view: ValueId) -> Option<GlobalLayout> {
        self.found.get(&view).copied().flatten()
    }

    /// As [`of`](Self::of), for views that the program makes itself: what is outside does not say how it lies in memory.
    pub fn made(&self, view: ValueId) -> Option<GlobalLayout> {
        self.of(view).filter(|_| !self.outside.contains(&view))
    }

    /// The layouts that the tiles accept which are moved through a view.
    pub fn accepted(&self, view: ValueId) -> GlobalLayouts {
        self.accepted.get(&view).copied().unwrap_or(GlobalLayouts::ALL)
    }

    /// Hands the layouts of views on to their windows and aliases.
    fn spread(&mut self, module: &Module, views: &[ValueId], aliases: &[(ValueId, ValueId)]) {
        let mut onward: FastMap<ValueId, Vec<ValueId>> = FastMap::default();
        let mut reached = FastSet::default();
        for (from, to) in aliases {
            onward.entry(*from).or_default().push(*to);
            reached.insert(*to);
        }
        let entries = entry_parameters(module);
        let mut open: Vec<(ValueId, Option<GlobalLayout>)> = Vec::new();
        for &view in views.iter().filter(|v| !reached.contains(v)) {
            open.push((view, self.own(module, view, &entries)));
        }
        // The layout of a view becomes known, and then perhaps ambiguous: two steps at most.
        while let Some((view, layout)) = open.pop() {
            let now = match self.found.get(&view) {
                None => layout,
                Some(before) if *before == layout || before.is_none() => continue,
                Some(_) => None,
            };
            self.found.insert(view, now);
            open.extend(onward.get(&view).into_iter().flatten().map(|next| (*next, now)));
        }
        let is_outside = |v: &ValueId| module.definition(*v).is_none_or(|made| module.storage(made).is_none());
        let mut open: Vec<ValueId> = views.iter().copied().filter(|v| !reached.contains(v) && is_outside(v)).collect();
        while let Some(view) = open.pop() {
            if self.outside.insert(view) {
                open.extend(onward.get(&view).into_iter().flatten());
            }
        }
    }

    fn own(&self, module: &Module, view: ValueId, entries: &FastSet<ValueId>) -> Option<GlobalLayout> {
        let made = module.definition(view);
        if let Some(stated) = made.and_then(|made| stated_layout(module, made)) {
            return Some(stated);
        }
        if made.is_none() && !entries.contains(&view) {
            return None;
        }
        let (shape, strides) = extents(module, view, MAX_CHAIN)?;
        let elem = module.value_type(view).elem();
        let bits = elem.map_or(64, |elem| elem.column_bits());
        GlobalLayout::unstated(&shape, &strides, bits, self.accepted(view))
    }
}

/// The layout that the maker of a view, or a transfer, states.
pub fn stated_layout(module: &Module, id: OpId) -> Option<GlobalLayout> {
    let Some(Attr::Enum(def, at)) = module.attr(id, "layout") else { return None };
    let name = def.value(usize::from(*at));
    GlobalLayout::ALL.into_iter().find(|l| l.name().eq_ignore_ascii_case(name))
}

/// Windows of windows of lowered buffers that are followed; longer chains count as unknown.
const MAX_CHAIN: usize = 64;

type Extents = (Vec<Option<u64>>, Vec<Option<i64>>);

/// Extents and strides of a view that makes its own layout.
fn extents(module: &Module, view: ValueId, chain: usize) -> Option<Extents> {
    let ty = match module.value_type(view) {
        Type::TensorView(v) | Type::PartitionView(v) => v,
        Type::Memref(m) => &m.view,
        _ => return None,
    };
    let stated = |dims: Vec<Option<i64>>| -> Vec<Option<u64>> {
        let dims = dims.into_iter().map(|n| n.and_then(|n| u64::try_from(n).ok()));
        let fixed = |at: usize| ty.dims.get(at).and_then(|d| d.fixed());
        dims.enumerate().map(|(at, n)| fixed(at).or(n)).collect()
    };
    let Some(made) = module.definition(view) else { return Some(packed(&ty.dims)) };
    let numbers = |slot: &str| module.named(made, slot).map(|o| known(module, o.value)).collect::<Vec<_>>();
    match module.storage(made) {
        Some(Storage::View) => Some((stated(numbers("shape")), numbers("strides"))),
        Some(Storage::Buffer) => Some(packed(&ty.dims)),
        Some(Storage::BufferRecast) => Some((stated(mixed(module, made, "sizes")), mixed(module, made, "strides"))),
        Some(Storage::BufferWindow) => {
            let source = module.operand(made, "source")?;
            let (_, strides) = extents(module, source, chain.checked_sub(1)?)?;
            let steps = mixed(module, made, "strides").into_iter();
            let strides = steps.zip(strides).map(|(step, stride)| step?.checked_mul(stride?)).collect();
            Some((stated(mixed(module, made, "sizes")), strides))
        }
        Some(Storage::BufferCast) => extents(module, module.operands(made).first()?.value, chain.checked_sub(1)?),
        // An entry of a pipe.
        None => Some(packed(&ty.dims)),
        Some(_) => None,
    }
}

/// A whole tensor in its own memory.
fn packed(dims: &[Dim]) -> Extents {
    let mut stride = Some(1);
    let mut strides: Vec<Option<i64>> = Vec::new();
    for dim in dims.iter().rev() {
        strides.push(stride);
        let extent = dim.fixed().and_then(|n| i64::try_from(n).ok());
        stride = stride.zip(extent).and_then(|(stride, extent)| stride.checked_mul(extent));
    }
    strides.reverse();
    (dims.iter().map(|d| d.fixed()).collect(), strides)
}

/// A list that is partly written in the text and partly given by operands.
fn mixed(module: &Module, id: OpId, slot: &str) -> Vec<Option<i64>> {
    let mut open = module.named(id, slot).map(|o| known(module, o.value));
    let Some(Attr::Array(items)) = module.attr(id, &format!("static_{slot}")) else { return Vec::new() };
    let entry = |item: &Attr| match item.int() {
        Some(n) if n != i64::MIN => Some(n),
        _ => open.next().flatten(),
    };
    items.iter().map(entry).collect()
}

/// A literal, or a cast of one.
fn known(module: &Module, value: ValueId) -> Option<i64> {
    let mut made = module.definition(value)?;
    let mut casts = Vec::new();
    while matches!(module.arith(made), Some(Arith::IndexCast | Arith::ExtendSigned | Arith::Truncate)) {
        casts.extend(module.results(made));
        made = module.definition(module.operands(made).first()?.value)?;
    }
    let literal = module.results(made).next().and_then(|v| module.literal(v))?;
    casts.into_iter().rev().try_fold(literal, |n, cast| {
        let kept = module.value_type(cast).scalar().map_or(n.into(), |s| s.wrapped(n.into()));
        i64::try_from(kept).ok()
    })
}

/// A view, or a lowered buffer in global memory.
fn is_view(module: &Module, value: ValueId) -> bool {
    match module.value_type(value) {
        Type::TensorView(v) | Type::PartitionView(v) => v.dims.len() <= MAX_RANK,
        Type::Memref(m) => m.view.dims.len() <= MAX_RANK && !matches!(m.space(), Some(PtrSpace::On(_))),
        _ => false,
    }
}

/// Pairs of views of which the second has the layout of the first.
fn aliases(module: &Module, views: &[ValueId]) -> Vec<(ValueId, ValueId)> {
    let mut all = Vec::new();
    let mut passed = false;
    for &view in views {
        let Def::Result(made, _) = module.value(view).def else {
            passed = true;
            continue;
        };
        match module.storage(made) {
            Some(Storage::Partition | Storage::ViewAddress) => {
                let source = module.operands(made).first().map(|o| o.value);
                all.extend(source.filter(|s| is_view(module, *s)).map(|source| (source, view)));
            }
            Some(_) => {}
            None => passed = true,
        }
    }
    if passed {
        let own = |v: ValueId| {
            let made = module.definition(v).and_then(|made| module.storage(made));
            matches!(made, Some(Storage::BufferWindow | Storage::BufferRecast))
        };
        all.extend(module.ways().into_iter().filter(|(_, to)| is_view(module, *to) && !own(*to)));
    }
    all
}

/// What the tiles accept that are moved through views, their windows and aliases.
fn accepted(module: &Module, aliases: &[(ValueId, ValueId)]) -> FastMap<ValueId, GlobalLayouts> {
    let mut back: FastMap<ValueId, Vec<ValueId>> = FastMap::default();
    for (from, to) in aliases {
        back.entry(*to).or_default().push(*from);
    }
    let mut accepted: FastMap<ValueId, GlobalLayouts> = FastMap::default();
    let mut open: Vec<(ValueId, GlobalLayouts)> = Vec::new();
    for id in module.order() {
        let (view, tile, stores) = match module.meaning(id) {
            Meaning::Movement(Movement::Load) => ("src", "dst", false),
            Meaning::Movement(Movement::Store | Movement::StoreScaled) => ("dst", "src", true),
            _ => continue,
        };
        let (Some(view), Some(tile)) = (slot_value(module, id, view), slot_value(module, id, tile)) else { continue };
        let Some(tile) = module.tile(tile) else { continue };
        let stated = stated_layout(module, id).map(|layout| GlobalLayouts::of(&[layout]));
        open.push((view, stated.unwrap_or_else(|| tile.window_layouts(stores))));
    }
    while let Some((view, layouts)) = open.pop() {
        let before = accepted.get(&view).copied().unwrap_or(GlobalLayouts::ALL);
        let now = before.and(layouts);
        if now != before {
            accepted.insert(view, now);
            open.extend(back.get(&view).into_iter().flatten().map(|source| (*source, now)));
        }
    }
    accepted
}

/// The operand in a slot, or the result of the value form.
fn slot_value(module: &Module, id: OpId, name: &str) -> Option<ValueId> {
    let slot = module.op(id).op.row().slot(name)?;
    let result = || module.results(id).find(|v| usize::from(module.value(*v).slot) == slot);
    module.in_slot(id, slot).next().map(|o| o.value).or_else(result)
}

/// The parameters of functions that are not called.
fn entry_parameters(module: &Module) -> FastSet<ValueId> {
    let called: FastSet<OpId> = module.calls().into_values().collect();
    let started = module.functions().into_iter().filter(|f| !called.contains(f));
    let first = started.filter_map(|f| module.region(*module.op_regions(f).first()?).blocks.first());
    first.flat_map(|b| module.block(*b).args.iter().copied()).collect()
}
