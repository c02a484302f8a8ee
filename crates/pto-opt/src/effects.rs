//! The effects of an instruction: which pipes read and write which memory.

use crate::places::{Home, MemoryRegion, ValueMemory};
use crate::slots::RotatingTile;
use pto_check::Checked;
use pto_ir::{Module, OpId, ValueId};
use pto_isa::ordered::{OrdMap, OrdSet};
use pto_isa::row::{self, CommOp, Control, CoreKind, Meaning, SyncOp};
use pto_isa::{Dir, Family, Pipe, Type};

/// A pipe reads or writes bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct PipeTouch {
    pub pipe: Pipe,
    pub core: CoreSet,
    pub region: MemoryRegion,
    /// The part of the region in each iteration of a loop.
    pub slot: Option<RotatingTile>,
    pub write: bool,
    /// The instruction.
    pub op: OpId,
    /// The operand.
    pub value: ValueId,
}

/// The cores of a block that execute something.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum CoreSet {
    Any,
    Cube,
    Vector,
}

impl PipeTouch {
    /// True when the access goes through the data cache of a scalar unit.
    pub fn is_cached(&self) -> bool {
        self.pipe == Pipe::S && self.region.is_global()
    }

    /// The touch in an iteration of a loop.
    pub fn in_iteration(mut self, around: OpId, iteration: usize) -> Self {
        if let Some(slot) = self.slot.filter(|s| s.around == around) {
            self.region = slot.region(self.region, iteration as u64);
        }
        self
    }

    /// The touch in any iteration of a loop.
    pub fn in_any_iteration(mut self, around: OpId) -> Self {
        self.slot = self.slot.filter(|s| s.around != around);
        self
    }
}

impl CoreSet {
    pub fn of_section(module: &Module, id: OpId) -> Option<Self> {
        match module.control(id) {
            Some(Control::Section(CoreKind::Cube)) => Some(Self::Cube),
            Some(Control::Section(CoreKind::Vector)) => Some(Self::Vector),
            _ => None,
        }
    }

    pub fn of_function(module: &Module, id: OpId) -> Self {
        match module.attr(id, "pto.kernel_kind") {
            Some(pto_ir::Attr::Enum(def, at)) if def.value(usize::from(*at)) == CoreKind::Cube.name() => Self::Cube,
            Some(pto_ir::Attr::Enum(def, at)) if def.value(usize::from(*at)) == CoreKind::Vector.name() => Self::Vector,
            _ => Self::Any,
        }
    }
}

/// The effect of an operation on the order of pipes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum OrderEffect {
    /// Nothing.
    None,
    /// Pipes touch memory.
    Touches(Vec<PipeTouch>),
    /// All pipes finish.
    BarrierAll,
    /// A pipe finishes.
    Barrier(Pipe),
    /// A flag of the program: source, destination, and the id if it is constant.
    Set(Pipe, Pipe, Option<u8>),
    Wait(Pipe, Pipe, Option<u8>),
    /// The callee uses pipes of these cores; calls are not analysed.
    Call(CoreSet),
}

/// The effect of an operation that has no regions.
pub(crate) fn effect(checked: &Checked, places: &mut ValueMemory<'_>, id: OpId, core: CoreSet) -> OrderEffect {
    let module = checked.module();
    let row = module.op(id).op.row();
    match row.meaning {
        Meaning::Control(Control::Call) => return called(checked, places, id, core),
        Meaning::Sync(SyncOp::Barrier | SyncOp::BarrierOf) => {
            return match pto_check::pipe_of(module, id, checked.info().target) {
                Some(Pipe::All) | None => OrderEffect::BarrierAll,
                Some(pipe) => OrderEffect::Barrier(pipe),
            };
        }
        Meaning::Sync(SyncOp::AllCores) => return OrderEffect::BarrierAll,
        Meaning::Sync(SyncOp::SetFlag(_)) => return flag(module, id, true),
        Meaning::Sync(SyncOp::WaitFlag(_)) => return flag(module, id, false),
        Meaning::Comm(CommOp::Notify) => return told_others(module, places, id, core),
        _ => {}
    }
    let Some(pipe) = pto_check::pipe_of(module, id, checked.info().target) else { return OrderEffect::None };
    // Operations that only name memory do not access it.
    if row.family == Family::Sync || row.effect == row::Effect::View {
        return OrderEffect::None;
    }
    let touches = touches(checked, places, id, pipe, core);
    if touches.is_empty() { OrderEffect::None } else { OrderEffect::Touches(touches) }
}

/// A callee without pipe work has no effect, and one for a kind of core runs on no other.
fn called(checked: &Checked, places: &mut ValueMemory<'_>, id: OpId, core: CoreSet) -> OrderEffect {
    let Some(&function) = places.calls.get(&id) else { return OrderEffect::Call(core) };
    if !with_effects(checked, places).contains(&function) {
        return OrderEffect::None;
    }
    match (core, CoreSet::of_function(checked.module(), function)) {
        (CoreSet::Any, own) => OrderEffect::Call(own),
        (core, CoreSet::Any) => OrderEffect::Call(core),
        (core, own) => OrderEffect::Call(if core == own { own } else { CoreSet::Any }),
    }
}

/// Functions with effects, or possible effects: their bodies may be elsewhere.
fn with_effects<'p>(checked: &Checked, places: &'p mut ValueMemory<'_>) -> &'p OrdSet<OpId> {
    if places.with_effects.is_none() {
        let found = find_effects(checked, places);
        places.with_effects = Some(found);
    }
    places.with_effects.get_or_insert_default()
}

/// Functions with effects of their own, then their callers.
fn find_effects(checked: &Checked, places: &mut ValueMemory<'_>) -> OrdSet<OpId> {
    let module = checked.module();
    let mut found = OrdSet::new();
    let mut callers: OrdMap<OpId, Vec<OpId>> = OrdMap::new();
    for function in module.functions() {
        let mut inner = Vec::new();
        module.walk_inside(function, &mut |id| inner.push(id));
        let mut own = inner.is_empty();
        for id in inner {
            if module.control(id) != Some(Control::Call) {
                own = own || effect(checked, places, id, CoreSet::Any) != OrderEffect::None;
            } else if let Some(callee) = places.calls.get(&id) {
                callers.entry(*callee).or_default().push(function);
            } else {
                own = true;
            }
        }
        found.extend(own.then_some(function));
    }
    let mut open: Vec<OpId> = found.iter().copied().collect();
    while let Some(function) = open.pop() {
        let outer = callers.remove(&function).unwrap_or_default();
        open.extend(outer.into_iter().filter(|caller| found.insert(*caller)));
    }
    found
}

fn flag(module: &Module, id: OpId, set: bool) -> OrderEffect {
    match pto_check::flag_of(module, id) {
        Some((src, dst, number)) if set => OrderEffect::Set(src, dst, number),
        Some((src, dst, number)) => OrderEffect::Wait(src, dst, number),
        None => OrderEffect::None,
    }
}

/// Another core may read after a signal: earlier writes to global memory must be complete.
fn told_others(module: &Module, places: &mut ValueMemory<'_>, id: OpId, core: CoreSet) -> OrderEffect {
    let Some(signal) = module.operand(id, "signal") else { return OrderEffect::None };
    let regions = places.all_global(id);
    let touch = |region| PipeTouch { pipe: Pipe::S, core, region, slot: None, write: false, op: id, value: signal };
    OrderEffect::Touches(regions.into_iter().map(touch).collect())
}

/// The memory operands, with their directions from the row.
fn touches(checked: &Checked, places: &mut ValueMemory<'_>, id: OpId, pipe: Pipe, core: CoreSet) -> Vec<PipeTouch> {
    let (module, target) = (checked.module(), checked.info().target);
    let row = module.op(id).op.row();
    let mut list = Vec::new();
    let mut add = |value: ValueId, dir: Dir| {
        let slot = places.turned_slot(value);
        for region in places.of(value).iter().copied() {
            let mut one =
                |pipe: Pipe, write: bool| list.push(PipeTouch { pipe, core, region, slot, write, op: id, value });
            // An instruction that uses several pipes loads on one and stores on another; its stages are in between.
            let (load, store) = if pipe == Pipe::All { (Pipe::Mte2, Pipe::Mte3) } else { (pipe, pipe) };
            let staged = pipe == Pipe::All && !region.is_global();
            if dir != Dir::Out || staged {
                one(if staged { store } else { load }, false);
            }
            if dir != Dir::In || staged {
                one(if staged { load } else { store }, true);
            }
        }
    };
    let work = pto_check::work_space(checked, id);
    let lost = work.destroyed;
    for operand in module.operands(id) {
        if is_memory(module.value_type(operand.value)) {
            let slot = row.slots.get(usize::from(operand.slot));
            match row.scratch.filter(|s| slot.is_some_and(|slot| slot.name == s.slot)) {
                Some(scratch) if scratch.is_used(target) => add(operand.value, Dir::InOut),
                Some(_) => {}
                None if slot.is_some_and(|s| lost.contains(&s.name)) => add(operand.value, Dir::InOut),
                None => add(operand.value, slot.map_or(Dir::In, |s| s.dir)),
            }
        }
    }
    for value in module.results(id) {
        if module.tile(value).is_some() {
            add(value, Dir::Out);
        }
    }
    // Memory that is used implicitly is reported under the name of the result.
    let made = list.iter().find(|t: &&PipeTouch| t.write).map(|t| t.value);
    for (memory, value) in work.hidden.into_iter().filter_map(|memory| Some((memory, made?))) {
        let region = MemoryRegion { home: Home::Space(memory.loc), start: memory.start, end: memory.end };
        list.push(PipeTouch { pipe, core, region, slot: None, write: true, op: id, value });
    }
    list.iter_mut().filter(|t| t.is_cached()).for_each(|t| t.region = t.region.whole_lines());
    list
}

pub(crate) fn is_memory(ty: &Type) -> bool {
    ty.tile().is_some() || matches!(ty, Type::TensorView(_) | Type::PartitionView(_) | Type::Ptr(..) | Type::Memref(..))
}
