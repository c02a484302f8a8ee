//! The cores of a block: which there are, and which of them executes what.
//!
//! A block is one core, unless the program has parts for the cube core and parts for vector cores that communicate:
//! then it is a cube core and one or two vector cores, each with its own plan.

use pto_check::Checked;
use pto_ir::{Attr, Module, OpId};
use pto_isa::hash::{FastMap, FastSet};
use pto_isa::row::{CommOp, Control, CoreKind, Meaning, SignalForm, SyncOp};
use pto_isa::{Family, Target};

/// The name under which generators of mixed kernels pass the number of the vector core.
pub(crate) const SUBBLOCK_PARAM: &str = "__pypto_spmd_subblock_idx";

/// The kind of core a function is for.
pub(super) fn stated_kind(module: &Module, function: OpId) -> CoreKind {
    match module.attr(function, "pto.kernel_kind") {
        Some(Attr::Enum(def, at)) => {
            let name = def.value(usize::from(*at));
            [CoreKind::Cube, CoreKind::Vector].into_iter().find(|c| c.name() == name).unwrap_or(CoreKind::Any)
        }
        _ => CoreKind::Any,
    }
}

/// What of a program decides about its cores.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Traits {
    cube: bool,
    vector: bool,
    /// Cores of a block talk to each other.
    talks: bool,
    /// The program distinguishes the vector cores.
    halves: bool,
    /// Blocks or ranks talk to each other.
    pub joint: bool,
}

impl Traits {
    /// Examines functions and everything they call.
    pub fn of(checked: &Checked, functions: &[OpId]) -> Self {
        let mut traits = Self::default();
        let callees = callees(checked.module());
        let mut seen: FastSet<OpId> = functions.iter().copied().collect();
        let mut open = functions.to_vec();
        while let Some(function) = open.pop() {
            traits.visit(checked, function, &mut |id| {
                open.extend(callees.get(&id).filter(|callee| seen.insert(**callee)));
            });
        }
        traits
    }

    /// Vector cores of a block, when it has several cores.
    pub fn vector_cores(self) -> Option<u32> {
        let mixed = self.cube && self.vector && (self.talks || self.halves);
        mixed.then_some(if self.halves { 2 } else { 1 })
    }

    fn visit(&mut self, checked: &Checked, function: OpId, each: &mut impl FnMut(OpId)) {
        let module = checked.module();
        self.note_kind(stated_kind(module, function));
        self.note_params(module, function);
        module.walk_inside(function, &mut |id| {
            self.note(module, id, checked.info().target);
            each(id);
        });
    }

    fn note_kind(&mut self, kind: CoreKind) {
        self.cube |= kind == CoreKind::Cube;
        self.vector |= kind == CoreKind::Vector;
    }

    fn note_params(&mut self, module: &Module, function: OpId) {
        let body = module.op_regions(function).first().and_then(|r| module.region(*r).blocks.first());
        let args = body.map_or(&[][..], |b| &module.block(*b).args);
        self.halves |= args.iter().any(|a| module.value_name(*a) == SUBBLOCK_PARAM);
    }

    fn note(&mut self, module: &Module, id: OpId, target: Target) {
        let code = module.op(id).op;
        let int = |name| module.given_int(id, name);
        match code.row().meaning {
            Meaning::Control(Control::Section(core)) => self.note_kind(core),
            Meaning::Query(is) if is.is_of_subblock() => self.halves = true,
            Meaning::Sync(
                SyncOp::Signal(SignalForm::Cores | SignalForm::Block)
                | SyncOp::Await(SignalForm::Cores | SignalForm::Block),
            ) => {
                self.talks = true;
                self.halves |= target == Target::A5 && int("event_id").is_some_and(|n| n >= 16);
                self.joint |= int("ffts_mode") == Some(0);
            }
            Meaning::Sync(SyncOp::Signal(SignalForm::Device) | SyncOp::Await(SignalForm::Device)) => self.talks = true,
            Meaning::Sync(
                SyncOp::Signal(SignalForm::Blocks) | SyncOp::Await(SignalForm::Blocks) | SyncOp::AllCores,
            ) => self.joint = true,
            _ if code.row().family == Family::Fifo => {
                self.talks = true;
                self.halves |= int("split").is_some_and(|n| n > 0);
            }
            Meaning::Comm(CommOp::Wait | CommOp::Test | CommOp::Notify) => self.joint = true,
            _ => {}
        }
    }
}

/// The functions that operations call, where they have a body.
pub(super) fn callees(module: &Module) -> FastMap<OpId, OpId> {
    let has_body = |function: &OpId| {
        module.op_regions(*function).first().is_some_and(|region| !module.region(*region).blocks.is_empty())
    };
    let mut calls = module.calls();
    calls.retain(|_, function| has_body(function));
    calls
}

/// How deep calls are nested from a function on, itself included.
pub(super) fn depth(module: &Module, function: OpId) -> usize {
    let mut inner: FastMap<OpId, Vec<OpId>> = FastMap::default();
    let callees = callees(module);
    for caller in module.functions() {
        let list = inner.entry(caller).or_default();
        module.walk_inside(caller, &mut |id| list.extend(callees.get(&id)));
    }
    let mut known: FastMap<OpId, usize> = FastMap::default();
    let mut open = vec![(function, 0usize, 1usize)];
    while let Some((function, next, deepest)) = open.last_mut() {
        match inner.get(function).and_then(|list| list.get(*next)) {
            Some(callee) => match known.get(callee) {
                Some(depth) => {
                    *deepest = (*deepest).max(depth + 1);
                    *next += 1;
                }
                // Until it is known it counts as one, should it call itself.
                None => {
                    known.insert(*callee, 1);
                    open.push((*callee, 0, 1));
                }
            },
            None => {
                let (function, deepest) = (*function, *deepest);
                known.insert(function, deepest);
                open.pop();
            }
        }
    }
    known.get(&function).copied().unwrap_or(1)
}
