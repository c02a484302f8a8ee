//! The synchronisation statements of a program, collected once for all fixes.

use pto_cpu::Flag;
use pto_ir::{Attr, Module, OpId};
use pto_isa::ordered::{OrdMap, OrdSet};
use pto_isa::row::{SignalForm, SyncOp};
use pto_isa::{Family, Pipe, Target};

/// Flags, signals and barriers of a program.
#[derive(Debug, Default)]
pub(crate) struct Stated {
    /// The operations that name a flag with a fixed id.
    flags: OrdMap<Flag, Vec<OpId>>,
    /// Pairs of pipes with computed flag ids.
    pub computed: OrdSet<(Pipe, Pipe)>,
    /// Flags whose ids are constant operands, not attributes.
    constant: OrdSet<Flag>,
    /// A `syncall` of only one kind of core.
    pub partial_barrier: Option<OpId>,
    /// Cores of a block signal each other or share a FIFO pipe.
    pub talks: bool,
    /// Signal numbers in use.
    pub signals: OrdSet<i64>,
    /// Statements that send a signal with a fixed number to a core of the block, or wait for one.
    pub signal_ops: Vec<OpId>,
    /// Some signal numbers are computed.
    pub computes_signals: bool,
    /// Instructions of a cube core, and of a vector core.
    pub cube: bool,
    pub vector: bool,
}

impl Stated {
    pub fn new(module: &Module, target: Target) -> Self {
        let mut stated = Self::default();
        module.walk(module.top, &mut |id| stated.add(module, target, id));
        stated
    }

    fn add(&mut self, module: &Module, target: Target, id: OpId) {
        let code = module.op(id).op;
        match pto_check::flag_of(module, id) {
            Some((src, dst, Some(number))) => {
                self.flags.entry(Flag { src, dst, id: number.into() }).or_default().push(id);
            }
            Some((src, dst, None)) => {
                self.computed.insert((src, dst));
                let ids = module.operands(id).iter().filter_map(|o| crate::polls::constant(module, o.value));
                self.constant.extend(ids.map(|id| Flag { src, dst, id }));
            }
            None => {}
        }
        if code.sync() == Some(SyncOp::AllCores) && core_type(module, id) != "mix" {
            self.partial_barrier = self.partial_barrier.or(Some(id));
        }
        self.talks |= matches!(code.sync(), Some(SyncOp::Signal(SignalForm::Cores) | SyncOp::Await(SignalForm::Cores)))
            || code.row().family == Family::Fifo;
        let number = module.attr(id, "event_id").and_then(Attr::int);
        self.signals.extend(number);
        if matches!(
            code.sync(),
            Some(
                SyncOp::Signal(SignalForm::Cores)
                    | SyncOp::Await(SignalForm::Cores)
                    | SyncOp::Signal(SignalForm::Block)
                    | SyncOp::Await(SignalForm::Block)
            )
        ) {
            self.signal_ops.extend(number.map(|_| id));
            self.computes_signals |= number.is_none();
        }
        match pto_check::pipe_of(module, id, target) {
            Some(Pipe::M | Pipe::Mte1 | Pipe::Fix) => self.cube = true,
            Some(Pipe::V) => self.vector = true,
            _ => {}
        }
    }

    /// Flags with fixed ids.
    pub fn all_flags(&self) -> impl Iterator<Item = &Flag> {
        self.flags.keys()
    }

    /// The operations that name a flag.
    pub fn uses(&self, flag: Flag) -> &[OpId] {
        self.flags.get(&flag).map_or(&[], Vec::as_slice)
    }

    /// An id that a pair of pipes does not use: the highest if the program computes ids, which usually count from 0.
    pub fn free_id(&self, src: Pipe, dst: Pipe, ids: u32) -> Option<u32> {
        let is_free = |id: &u32| {
            let flag = Flag { src, dst, id: (*id).into() };
            !self.flags.contains_key(&flag) && !self.constant.contains(&flag)
        };
        if self.computed.contains(&(src, dst)) { (0..ids).rev().find(is_free) } else { (0..ids).find(is_free) }
    }
}

fn core_type(module: &Module, id: OpId) -> &str {
    match module.attr(id, "core_type") {
        Some(Attr::Enum(def, at)) => def.value(usize::from(*at)),
        _ => "aiv_only",
    }
}
