//! The cores that run together: those of a block, or those of all blocks and ranks.

use super::core::{Core, Identity};
use super::observe::{CoreId, Watched};
use super::peers::FarMemory;
use super::schedule::run_together;
use super::shared::Shared;
use crate::args::RunReport;
use crate::guard::Guards;
use crate::kernels::finish_past;
use crate::memory::Buffer;
use crate::prepared::{Plan, Role};
use crate::printed::{CoreCounts, Printed};
use pto_isa::text;
use pto_isa::{Diagnostic, codes};
use std::borrow::Cow;

pub(super) struct Team<'p> {
    pub cores: Vec<Core<'p>>,
    shared: Shared,
    /// Locks of global memory, if other teams run on other threads.
    guards: Option<&'p Guards<'p>>,
    /// The other ranks, if they are other processes.
    far: Option<FarMemory<'p>>,
}

impl<'p> Team<'p> {
    /// No cores yet.
    pub fn empty(plan: &Plan) -> Self {
        let slots = plan.memory.spare_slots.take().unwrap_or_default();
        Self {
            cores: Vec::new(),
            shared: Shared::new(plan.source.checked.info().target, slots),
            guards: None,
            far: None,
        }
    }

    /// The same for a rank among others that are other processes.
    pub fn of_rank(plan: &Plan, guards: Option<&'p Guards<'p>>, far: FarMemory<'p>) -> Self {
        Self { guards, far: Some(far), ..Self::empty(plan) }
    }

    /// The cores of one block.
    pub fn new(
        plan: &'p Plan,
        buffers: &'p [Buffer],
        guards: Option<&'p Guards<'p>>,
        blocks: u32,
    ) -> Result<Self, Diagnostic> {
        let mut team = Self { guards, ..Self::empty(plan) };
        team.add(plan, buffers, (0, 1), (0, blocks))?;
        Ok(team)
    }

    /// Adds the cores of a block: of a rank and of a block, each among so many.
    pub fn add(
        &mut self,
        plan: &'p Plan,
        buffers: &'p [Buffer],
        (rank, ranks): (u32, u32),
        (block, blocks): (u32, u32),
    ) -> Result<(), Diagnostic> {
        let count = |role: &Plan| if role.cores.role == Role::Vector { plan.cores.vectors } else { 1 };
        let among = CoreCounts { ranks, blocks, cores: plan.roles().map(count).sum() };
        for role in plan.roles() {
            for sub in 0..count(role) {
                let mut core = Core::new(role, Cow::Borrowed(buffers), self.guards, among)?;
                let id = CoreId { rank, block, role: role.cores.role, sub };
                core.global.far = self.far;
                core.who = Identity { id, among, index: self.cores.len() };
                self.cores.push(core);
                self.shared.add(id);
            }
        }
        Ok(())
    }

    /// The same cores for another block, as new.
    pub fn reset(&mut self, block: u32) {
        self.cores.iter_mut().for_each(|core| core.reset(block));
        self.shared.reset(block);
    }

    /// Where chance orders the pipes, every core has its own.
    pub fn shuffle(&mut self, seed: u64) {
        for core in &mut self.cores {
            let own = (u64::from(core.who.id.block) << 32) + core.who.index as u64 + 1;
            core.issue.pipes.reset(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ own.wrapping_mul(0xbf58_476d_1ce4_e5b9));
        }
    }

    pub fn execute<W: Watched + ?Sized>(&mut self, watch: &mut W) -> Result<(), Diagnostic> {
        let _finished = PastStores;
        run_together(&mut self.cores, &mut self.shared, self.far.map(|far| far.peers), watch)?;
        self.note_left_over();
        Ok(())
    }

    /// Entries that were never popped are lost; on a device they may block the next launch.
    fn note_left_over(&mut self) {
        let Some(core) = self.cores.first_mut() else { return };
        let plan = core.plan;
        for (key, count) in self.shared.left_over() {
            let Some(end) = plan.calls.ends.iter().find(|e| e.key == key) else { continue };
            let entries = if count == 1 { text!("1 entry was").into() } else { text!("{count} entries were", count) };
            let message = text!("{entries} pushed into this pipe and not popped", entries);
            let span = plan.module().op(end.init).name_span;
            let note = Diagnostic::new(codes::PIPE_LEFT, span, message).warning();
            core.note(note.help(text!("pop and free as many entries as are pushed")));
        }
    }

    /// What the cores printed, one after the other.
    pub fn take_printed(&mut self) -> Vec<Printed> {
        self.cores.iter_mut().flat_map(Core::take_printed).collect()
    }

    /// What all of them did; what they printed last is in it.
    pub fn finish(mut self) -> RunReport {
        let printed = self.take_printed();
        let mut written = vec![false; self.cores.first().map_or(0, |c| c.global.written.len())];
        for core in &self.cores {
            written.iter_mut().zip(&core.global.written).for_each(|(all, one)| *all |= one);
        }
        let notes = self.cores.iter_mut().flat_map(|c| std::mem::take(&mut c.outside.notes)).collect();
        let instructions = self.cores.iter().map(|c| c.progress.deeds.instructions).sum();
        if let Some(core) = self.cores.first() {
            let slots = self.shared.into_spare_slots();
            let bytes = slots.iter().map(|slot| slot.len() as u64).sum();
            core.plan.memory.spare_slots.keep(slots, bytes);
        }
        self.cores.into_iter().for_each(Core::retire);
        RunReport { written, instructions, printed, notes, timings: Vec::new() }
    }
}

/// What the thread stored past the cache becomes visible to others at the end, whatever happens before.
struct PastStores;

impl Drop for PastStores {
    fn drop(&mut self) {
        finish_past();
    }
}
