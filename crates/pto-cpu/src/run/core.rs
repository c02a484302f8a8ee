//! One core: registers, memories, and how far it is.

use super::fail::Fail;
use super::global::GlobalMemory;
use super::issue::Issue;
use super::local::LocalMemory;
use super::loop_share::ShareOfLoops;
use super::observe::CoreId;
use super::outside::Outside;
use super::progress::Progress;
use crate::guard::Guards;
use crate::kernels::KeptFactor;
use crate::memory::Buffer;
use crate::prepared::{Link, Plan, Reg, RegisterFile, Role, Step};
use crate::printed::CoreCounts;
use pto_isa::Diagnostic;
use std::borrow::Cow;

/// The state of a core. It is made once and used for block after block.
pub(super) struct Core<'p> {
    pub plan: &'p Plan,
    pub who: Identity,
    pub regs: RegisterFile,
    pub local: LocalMemory<'p>,
    pub global: GlobalMemory<'p>,
    pub progress: Progress,
    pub issue: Issue<'p>,
    pub outside: Outside,
    pub share: ShareOfLoops<'p>,
}

/// Which core it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Identity {
    /// What observers call it. It is kept as a whole: every event has a copy.
    pub id: CoreId,
    /// How many cores there are.
    pub among: CoreCounts,
    /// Its position among the cores that run together.
    pub index: usize,
}

impl<'p> Core<'p> {
    pub fn new(
        plan: &'p Plan,
        buffers: Cow<'p, [Buffer]>,
        guards: Option<&'p Guards<'p>>,
        among: CoreCounts,
    ) -> Result<Self, Diagnostic> {
        let local = LocalMemory::new(plan).ok_or_else(|| Fail::no_memory(plan.memory.core_bytes))?;
        Ok(Self {
            plan,
            who: Identity { id: CoreId { rank: 0, block: 0, role: plan.cores.role, sub: 0 }, among, index: 0 },
            regs: plan.start.clone(),
            local,
            global: GlobalMemory::new(buffers, guards, &plan.views.allocations),
            progress: Progress::new(
                plan.views.accesses.len() + plan.code.element_reads.len(),
                plan.start.scalars.len(),
            ),
            issue: Issue::new(&plan.calls),
            outside: Outside::new(&plan.calls.ends),
            share: ShareOfLoops::default(),
        })
    }

    /// Makes the core as new for a block: nothing of another block may be seen.
    pub fn reset(&mut self, block: u32) {
        self.who.id.block = block;
        self.regs.copy_from(&self.plan.start);
        self.progress.reset();
        self.issue.reset();
        self.outside.reset();
        self.share = ShareOfLoops::default();
        self.local.clear(self.plan);
    }

    /// The id of the core for observers.
    pub fn id(&self) -> CoreId {
        self.who.id
    }

    /// What the core executes.
    pub fn role(&self) -> Role {
        self.plan.cores.role
    }

    /// What it waits for.
    pub fn waits_at(&self) -> Option<&'p Link> {
        match self.plan.code.steps.get(self.progress.waiting_step()) {
            Some(Step::Link(which)) => self.plan.calls.links.get(*which),
            _ => None,
        }
    }

    /// The number it reads again and again.
    pub fn reads_at(&self) -> Option<i64> {
        match self.plan.code.steps.get(self.progress.waiting_step()) {
            Some(Step::LoadScalar(which)) => Some(self.int(self.plan.views.accesses[*which].value)),
            Some(Step::TileGet { out, .. }) => Some(self.int(*out)),
            _ => None,
        }
    }

    /// Where it stands in the text.
    pub fn span(&self) -> pto_isa::Span {
        let op = self.plan.code.origins.get(self.progress.waiting_step());
        op.map_or_else(Default::default, |op| self.plan.module().op(*op).name_span)
    }

    /// Instructions and iterations: grows as long as the core does anything.
    pub fn work(&self) -> u64 {
        self.progress.deeds.instructions + self.progress.iterations.count()
    }

    /// Remembers what is not as it should be, once for each instruction.
    pub fn note(&mut self, note: Diagnostic) {
        self.outside.note(note);
    }

    /// Leaves the memory to the next core.
    pub fn retire(mut self) {
        self.local.moves.clear();
        let factors = std::mem::take(&mut self.local.moves).store.into_spare();
        let bytes = factors.iter().map(KeptFactor::capacity).sum::<usize>() as u64;
        self.plan.memory.spare_factors.keep(factors, bytes);
        let spare = &self.plan.memory.spare;
        if spare.has_room(self.local.memory.size()) {
            let bytes = self.local.memory.size();
            spare.keep(self.local.into_spare(self.plan), bytes);
        }
    }

    #[inline(always)]
    pub fn reg(&self, reg: Reg) -> u64 {
        self.regs.scalars[reg]
    }

    #[inline(always)]
    pub fn int(&self, reg: Reg) -> i64 {
        self.regs.scalars[reg] as i64
    }
}
