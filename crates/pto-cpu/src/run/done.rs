//! A step that is done, for observers that look at registers and memory.

use super::observe::{Access, AddressSpace, CoreId};
use super::places::{RegisterChange, RegisterSnapshot, TilePlace, ViewPlace};
use crate::kernels::append;
use crate::prepared::{
    AllocationId, Link, LoopIterations, PipeEntry, PipeOrder, Plan, Reg, RegisterFile, Step, StepId, Table, TileId,
    ValueStorage, ViewId,
};
use pto_ir::OpId;
use pto_isa::Loc;

/// A core that is looked at.
pub(super) trait LookedAt {
    fn id(&self) -> CoreId;
    fn plan(&self) -> &Plan;
    fn regs(&self) -> &RegisterFile;
    fn iterations_begun(&self) -> u64;
    fn allocated(&self) -> &Table<AllocationId, Vec<u64>>;
    /// Bytes used at the start of each space.
    fn used(&self) -> &[u64; Loc::ALL.len()];
    /// What reading a whole tile touches.
    fn access(&self, tile: TileId) -> Access;
    /// Bytes of its memory.
    fn memory(&mut self, first: u64, bytes: u64) -> Option<&[u8]>;
    /// Bytes of a buffer of global memory.
    fn global(&mut self, buffer: usize, first: i64, bytes: usize) -> Option<&[u8]>;
}

/// A step that a core has finished, and the core.
pub struct StepDone<'a, 'p> {
    core: &'a mut (dyn LookedAt + 'p),
    at: StepId,
}

impl<'a, 'p> StepDone<'a, 'p> {
    pub(super) fn new(core: &'a mut (dyn LookedAt + 'p), at: StepId) -> Self {
        Self { core, at }
    }

    /// The core.
    pub fn core(&self) -> CoreId {
        self.core.id()
    }

    /// The position of the step among those of the core.
    pub fn step(&self) -> u32 {
        self.at.0
    }

    /// The operation it belongs to.
    pub fn op(&self) -> OpId {
        self.core.plan().code.origins[self.at]
    }

    /// The iterations of the loops around it.
    pub fn iterations(&self) -> LoopIterations<'_> {
        LoopIterations::new(self.core.plan(), self.core.regs(), self.at, self.core.iterations_begun())
    }

    /// The scalar register by which a loop counts, and its number, if the step is the next iteration of one. This is all that it changes.
    pub fn counted(&self) -> Option<(u32, u64)> {
        match self.core.plan().code.steps[self.at] {
            Step::LoopNext { counter, .. } => Some((counter.0, self.core.regs().scalars[counter])),
            _ => None,
        }
    }

    /// Says which registers the step changed. RegisterSnapshot of tiles that it only may have changed are included.
    pub fn changes(&self, say: &mut impl FnMut(RegisterChange)) {
        let (regs, plan) = (self.core.regs(), self.core.plan());
        let mut scalar = |reg: Reg| say(RegisterChange::Scalar(reg.0, regs.scalars[reg]));
        match plan.code.steps[self.at] {
            Step::LoopNext { counter: out, .. }
            | Step::Move { to: out, .. }
            | Step::Int { out, .. }
            | Step::Float { out, .. }
            | Step::CompareInt { out, .. }
            | Step::CompareFloat { out, .. }
            | Step::Cast { out, .. }
            | Step::Select { out, .. }
            | Step::BlockIndex(out)
            | Step::BlockCount(out)
            | Step::SubblockIndex(out)
            | Step::SubblockCount(out)
            | Step::TileAddress { out, .. }
            | Step::ViewExtent { out, .. }
            | Step::ViewAddress { out, .. }
            | Step::Offset { out, .. }
            | Step::TileGet { out, .. } => scalar(out),
            Step::LoadScalar(which) => scalar(plan.views.accesses[which].value),
            Step::LocalGet(which) => scalar(plan.views.locals[which].value),
            Step::Extended { out, .. } => [out, out.plus(1)].into_iter().for_each(scalar),
            Step::GetValid { rows, cols, .. } => [rows, cols].into_iter().for_each(scalar),
            Step::Order(which) => match &plan.calls.orders[which] {
                PipeOrder::Session(out) => scalar(*out),
                PipeOrder::AwaitBackground(wait) => scalar(wait.out),
                _ => {}
            },
            Step::MoveTile { to: tile, .. }
            | Step::CopyTile { to: tile, .. }
            | Step::Assign { out: tile, .. }
            | Step::Retype { to: tile, .. }
            | Step::Pick { to: tile, .. }
            | Step::SetValid { tile, .. }
            | Step::ValidFromView { tile, .. }
            | Step::ValidFromTile { tile, .. }
            | Step::ScaleAddress { scale: tile, .. } => say(self.tile(tile)),
            Step::Bind(which) => say(self.tile(plan.tiles.binds[which].tile)),
            Step::Window(which) => say(self.tile(plan.tiles.windows[which].to)),
            Step::ValidFromTiles(which) => say(self.tile(plan.tiles.regions[which].tile)),
            Step::MoveView { to, .. } => say(self.view(to)),
            Step::MakeView(which) => say(self.view(plan.views.made[which].out)),
            Step::Partition(which) => say(self.view(plan.views.partitions[which].to)),
            Step::Allocate(which) => say(self.view(plan.views.allocations[which].out)),
            Step::Link(which) => self.link_changes(&plan.calls.links[which], say),
            Step::Jump(_)
            | Step::Branch { .. }
            | Step::Switch(_)
            | Step::LoopTest { .. }
            | Step::LoopBy(_)
            | Step::StoreScalar(_)
            | Step::LocalSet(_)
            | Step::TileSet { .. }
            | Step::Kernel(_)
            | Step::Print(_)
            | Step::Check(_)
            | Step::Trap
            | Step::EnterLoop(_)
            | Step::NextIteration { .. }
            | Step::End => {}
        }
    }

    fn link_changes(&self, link: &Link, say: &mut impl FnMut(RegisterChange)) {
        match link {
            Link::TestSignal { out, .. } => say(RegisterChange::Scalar(out.0, self.core.regs().scalars[*out])),
            Link::Push(op) | Link::Pop(op) | Link::Alloc(op) | Link::Free(op) => match op.entry {
                PipeEntry::Tile(tile) => say(self.tile(tile)),
                PipeEntry::Slot(view) => say(self.view(view)),
                PipeEntry::Nothing => {}
            },
            Link::Transfer(transfer) => {
                if let Some(event) = transfer.background.and_then(|which| which.event) {
                    say(RegisterChange::Scalar(event.0, self.core.regs().scalars[event]));
                }
            }
            _ => {}
        }
    }

    fn tile(&self, tile: TileId) -> RegisterChange {
        RegisterChange::Tile(tile.0, TilePlace::of(self.core.plan(), &self.core.regs().tiles[tile]))
    }

    fn view(&self, view: ViewId) -> RegisterChange {
        RegisterChange::View(view.0, ViewPlace::of(&self.core.regs().views[view]))
    }

    /// The parameters of the entry, as this core has them.
    pub fn parameters(&self, say: &mut impl FnMut(RegisterChange)) {
        for slot in &self.core.plan().source.slots {
            match *slot {
                ValueStorage::Scalar(reg) => say(RegisterChange::Scalar(reg.0, self.core.regs().scalars[reg])),
                ValueStorage::Tile(tile) => say(self.tile(tile)),
                ValueStorage::View(view) => say(self.view(view)),
                _ => {}
            }
        }
    }

    /// What the step changed in memory without being an instruction: the tile of a value that a loop carries was copied, or memory was
    /// allocated.
    pub fn silent_write(&self) -> Option<Vec<Access>> {
        match self.core.plan().code.steps[self.at] {
            Step::CopyTile { from, to } => {
                let access = |tile| self.core.access(tile);
                Some(vec![access(from), Access { write: true, ..access(to) }])
            }
            Step::Allocate(_) => Some(Vec::new()),
            _ => None,
        }
    }

    /// Appends the bytes that an access touches, run after run, as they are now. False if some of them lie outside of memory; then
    /// nothing is appended.
    pub fn read(&mut self, access: &Access, into: &mut Vec<u8>) -> bool {
        let before = into.len();
        for row in 0..access.rows {
            let first = access.start.wrapping_add((row as i64).wrapping_mul(access.stride));
            if !self.read_run(access.place, first, access.row_bytes as usize, into) {
                into.truncate(before);
                return false;
            }
        }
        true
    }

    fn read_run(&mut self, place: AddressSpace, first: i64, bytes: usize, into: &mut Vec<u8>) -> bool {
        let found = match place {
            AddressSpace::Core(loc) => {
                let start = self.core.plan().memory.spaces.start(loc) as i64 + first;
                u64::try_from(start).ok().and_then(|start| self.core.memory(start, bytes as u64))
            }
            AddressSpace::Global(buffer) => self.core.global(buffer, first, bytes),
        };
        found.is_some_and(|bytes| {
            append(bytes, into);
            true
        })
    }

    /// The parts of the core's memory that may hold something: the first byte and the bytes.
    pub fn memory_in_use(&mut self, say: &mut impl FnMut(u64, &[u8])) {
        let (spaces, end) = (self.core.plan().memory.spaces.clone(), self.core.plan().memory.core_bytes);
        let used = *self.core.used();
        let mut parts: Vec<(u64, u64)> =
            Loc::ALL.iter().map(|loc| (spaces.start(*loc), used[*loc as usize].min(spaces.size(*loc)))).collect();
        parts.push((spaces.end, end - spaces.end));
        for (start, length) in parts.into_iter().filter(|(_, length)| *length > 0) {
            if let Some(bytes) = self.core.memory(start, length) {
                say(start, bytes);
            }
        }
    }

    /// All registers of the core.
    pub fn registers(&self) -> RegisterSnapshot {
        RegisterSnapshot { file: self.core.regs().clone(), allocated: self.core.allocated().clone() }
    }

    /// Bytes of the memory that may hold something.
    pub fn bytes_in_use(&self) -> u64 {
        let memory = &self.core.plan().memory;
        self.core.used().iter().sum::<u64>() + memory.core_bytes - memory.spaces.end
    }
}
