//! Executes single instructions of an earlier run again: with the registers that it had then, on a copy of memory.

#![expect(unsafe_code, reason = "kernels write global memory through pointers")]

use super::core::Core;
use super::fail::Fail;
use super::local::fill_byte;
use super::observe::{Access, AddressSpace, CoreId, Watch, WatchMode};
use super::places::{RegisterChange, RegisterSnapshot};
use crate::memory::Buffer;
use crate::prepared::{Id, Plan, Reg, Step, StepId, TileId, ViewId};
use crate::printed::CoreCounts;
use pto_isa::Diagnostic;
use std::borrow::Cow;

/// Copies of the buffers of global memory that instructions are executed on again.
#[derive(Default, Debug)]
pub struct ReplayMemory {
    buffers: Vec<ReplayBuffer>,
}

#[derive(Debug)]
struct ReplayBuffer {
    /// Words, so that elements are aligned.
    words: Vec<u64>,
    bytes: usize,
}

/// A core that executes instructions again.
pub struct Replay<'p> {
    core: Core<'p>,
}

/// Computes, and notices nothing.
struct Replaying;

impl Watch for Replaying {
    fn mode(&self) -> WatchMode {
        WatchMode { follows_writes: false, ..WatchMode::PLAIN }
    }
}

impl ReplayMemory {
    /// Adds a buffer.
    pub fn add(&mut self, bytes: &[u8]) {
        let mut words = vec![0u64; bytes.len().div_ceil(8)];
        for (word, bytes) in words.iter_mut().zip(bytes.chunks(8)) {
            let mut all = [0; 8];
            all[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_le_bytes(all);
        }
        self.buffers.push(ReplayBuffer { words, bytes: bytes.len() });
    }

    /// The bytes of a buffer.
    pub fn bytes(&self, buffer: usize) -> &[u8] {
        let Some(b) = self.buffers.get(buffer) else { return &[] };
        // SAFETY: the words hold at least as many bytes, and words are plain bytes.
        unsafe { std::slice::from_raw_parts(b.words.as_ptr().cast(), b.bytes) }
    }

    /// The bytes of a buffer, to write.
    pub fn bytes_mut(&mut self, buffer: usize) -> &mut [u8] {
        let Some(b) = self.buffers.get_mut(buffer) else { return &mut [] };
        // SAFETY: as above, and the memory is borrowed for as long.
        unsafe { std::slice::from_raw_parts_mut(b.words.as_mut_ptr().cast(), b.bytes) }
    }

    fn pointers(&mut self) -> Vec<Buffer> {
        let lend = |b: &mut ReplayBuffer| Buffer {
            ptr: b.words.as_mut_ptr().cast(),
            bytes: b.bytes,
            writable: true,
            is_fixed: false,
        };
        self.buffers.iter_mut().map(lend).collect()
    }
}

impl<'p> Replay<'p> {
    /// A core as it is when a block starts.
    ///
    /// # Errors
    /// When there is not so much memory.
    pub fn new(plan: &'p Plan, id: CoreId, blocks: u32) -> Result<Self, Diagnostic> {
        let role = plan.roles().find(|p| p.cores.role == id.role).unwrap_or(plan);
        let mut core = Core::new(role, Cow::Owned(Vec::new()), None, CoreCounts::of_blocks(blocks))?;
        core.who.id = id;
        Ok(Self { core })
    }

    /// Takes over registers and memory of an earlier time. Memory that is not given is zero.
    pub fn restore<'m>(&mut self, registers: &RegisterSnapshot, memory: impl Iterator<Item = (u64, &'m [u8])>) {
        self.core.local.ran = true;
        let (plan, size) = (self.core.plan, self.core.local.memory.size());
        self.core.regs.copy_from(&registers.file);
        self.core.global.allocated.clone_from(&registers.allocated);
        self.core.local.written.version += 1;
        self.core.local.memory.part(0, size).fill(fill_byte(plan));
        for (start, bytes) in memory {
            if start.saturating_add(bytes.len() as u64) <= size {
                self.core.local.memory.part(start, bytes.len() as u64).copy_from_slice(bytes);
            }
        }
    }

    /// A register gets what it held then.
    pub fn set(&mut self, change: &RegisterChange) {
        let regs = &mut self.core.regs;
        match change {
            RegisterChange::Scalar(reg, bits) if (*reg as usize) < regs.scalars.len() => {
                regs.scalars[Reg(*reg)] = *bits;
            }
            RegisterChange::Tile(tile, place) if (*tile as usize) < regs.tiles.len() => {
                regs.tiles[TileId(*tile)] = place.state(self.core.plan);
                self.core.local.written.version += 1;
            }
            RegisterChange::View(view, place) if (*view as usize) < regs.views.len() => {
                regs.views[ViewId(*view)] = place.state();
            }
            _ => {}
        }
    }

    /// Executes a step again, if it is one that only computes: an instruction on tiles, or a copy. False if it is another one; what that
    /// wrote must be given with [`Replay::write`].
    ///
    /// # Errors
    /// When the instruction fails.
    pub fn execute(&mut self, step: u32, memory: &mut ReplayMemory) -> Result<bool, Diagnostic> {
        let at = StepId(step);
        let Some(&which) = self.core.plan.code.steps.get(at) else { return Ok(false) };
        if !is_replayed(which) {
            return Ok(false);
        }
        // The pointers are good as long as `memory` is borrowed.
        self.core.global.buffers = Cow::Owned(memory.pointers());
        let done = self.step(which, at);
        self.core.global.buffers = Cow::Owned(Vec::new());
        done.map(|()| true).map_err(|fail| fail.at(&self.core, at))
    }

    fn step(&mut self, which: Step, at: StepId) -> Result<(), Fail> {
        let watch: &mut dyn Watch = &mut Replaying;
        self.core.progress.mode = watch.mode();
        match which {
            Step::Kernel(which) => self.core.kernel(which, at, watch),
            Step::CopyTile { from, to } => {
                self.core.copy::<dyn Watch>(from, to);
                Ok(())
            }
            Step::Allocate(which) => self.core.allocate(&self.core.plan.views.allocations[which]),
            Step::TileSet { tile, offset, value } => self.core.set_element(tile, offset, value, at, watch),
            _ => Ok(()),
        }
    }

    /// Writes the bytes of an access to the core's memory, run after run.
    pub fn write(&mut self, access: &Access, bytes: &[u8]) {
        let AddressSpace::Core(loc) = access.place else { return };
        let (space, size) = (self.core.plan.memory.spaces.start(loc) as i64, self.core.local.memory.size());
        for (row, run) in bytes.chunks_exact((access.row_bytes as usize).max(1)).enumerate() {
            let start = space + access.start + row as i64 * access.stride;
            if start >= 0 && start as u64 + run.len() as u64 <= size {
                self.core.local.memory.part(start as u64, run.len() as u64).copy_from_slice(run);
            }
        }
    }

    /// Bytes of a memory of the core; `None` if they lie outside.
    pub fn read(&mut self, loc: pto_isa::Loc, first: i64, bytes: u64) -> Option<&[u8]> {
        let start = self.core.plan.memory.spaces.start(loc) as i64 + first;
        let inside = start >= 0 && (start as u64).saturating_add(bytes) <= self.core.local.memory.size();
        inside.then(|| &*self.core.local.memory.part(start as u64, bytes))
    }
}

fn is_replayed(step: Step) -> bool {
    matches!(step, Step::Kernel(_) | Step::CopyTile { .. } | Step::Allocate(_) | Step::TileSet { .. })
}

impl Plan {
    /// True for steps that change no register, and memory only with an event: tests of loops, jumps, checks and instructions.
    pub fn is_idle_step(&self, role: crate::Role, step: u32) -> bool {
        let plan = self.roles().find(|p| p.cores.role == role).unwrap_or(self);
        let step = plan.code.steps.get(StepId::new(step as usize));
        step.is_some_and(|step| step.is_idle() || matches!(step, Step::Kernel(_)))
    }

    /// True for steps that [`Replay::execute`] executes, on cores of a role.
    pub fn replays(&self, role: crate::Role, step: u32) -> bool {
        let plan = self.roles().find(|p| p.cores.role == role).unwrap_or(self);
        plan.code.steps.get(StepId::new(step as usize)).is_some_and(|step| is_replayed(*step))
    }
}
