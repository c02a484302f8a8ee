//! What an observer may look at after a step: registers that changed, and the contents of memory.

#![expect(unsafe_code, reason = "global memory is read through the pointers it was lent with")]

use super::core::Core;
use super::observe::{Access, AddressSpace, CoreId};
use crate::memory::{buffer_address, split_address};
use crate::prepared::{
    AllocationId, GeometryId, Link, PipeEntry, PipeOrder, Plan, Reg, RegisterFile, Role, Step, StepId, Table, TileId,
    TileState, ValueStorage, ViewId, ViewState,
};
use pto_ir::{OpId, ValueId};
use pto_isa::{GlobalLayout, Loc, TileType, dot};

/// The registers of a core at some time.
#[derive(Clone, Debug)]
pub struct Registers {
    pub(super) file: RegisterFile,
    /// Memory that the program allocated.
    pub(super) allocated: Table<AllocationId, Vec<u64>>,
}

/// A step that a core has finished, and the core.
pub struct StepDone<'a, 'p> {
    core: &'a mut Core<'p>,
    at: StepId,
}

/// The register that keeps a value of the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum KeptIn {
    /// A scalar: integers and addresses as 64 bits, floats as the bits of an `f32` (`f64` as its own).
    Scalar(u32),
    /// A tile.
    Tile(u32),
    /// Several consecutive tiles of one type, and how many.
    Tiles(u32, u64),
    /// A window of memory.
    View(u32),
}

/// A register and what it holds now.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum RegisterChange {
    /// A scalar.
    Scalar(u32, u64),
    /// A tile has another place or valid region.
    Tile(u32, TilePlace),
    /// A view has another place.
    View(u32, ViewPlace),
}

/// Where a tile lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TilePlace {
    /// The memory.
    pub loc: Loc,
    /// Its first byte there; tiles without an address lie after the end of the memory.
    pub start: i64,
    /// The first byte of the whole tile of which it is a window.
    pub origin: i64,
    /// Valid rows and columns.
    pub valid: (u32, u32),
    /// Elements from one row to the next, and from one column to the next, outside of boxes.
    pub strides: (u32, u32),
    /// Its type (see [`Plan::tile_type`](crate::Plan::tile_type)).
    pub geometry: u32,
    /// The tile register of which it is a window or view.
    pub root: u32,
}

/// Where a window of memory lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ViewPlace {
    /// The memory.
    pub place: AddressSpace,
    /// The first byte.
    pub start: i64,
    /// Extents, the outermost first.
    pub shape: [u64; 5],
    /// Strides in elements.
    pub strides: [i64; 5],
    /// How it is read as a matrix.
    pub layout: GlobalLayout,
}

impl TilePlace {
    fn of(plan: &Plan, tile: &TileState) -> Self {
        let loc = plan.tiles.geometries[tile.geometry].loc;
        let in_space = |byte: u64| byte as i64 - plan.memory.spaces.start(loc) as i64;
        Self {
            loc,
            start: in_space(tile.base),
            origin: in_space(tile.origin),
            valid: (tile.rows, tile.cols),
            strides: (tile.row_stride, tile.col_stride),
            geometry: tile.geometry.0,
            root: tile.root.0,
        }
    }

    pub(super) fn state(&self, plan: &Plan) -> TileState {
        let in_memory = |byte: i64| (byte + plan.memory.spaces.start(self.loc) as i64) as u64;
        TileState {
            base: in_memory(self.start),
            origin: in_memory(self.origin),
            rows: self.valid.0,
            cols: self.valid.1,
            row_stride: self.strides.0,
            col_stride: self.strides.1,
            geometry: GeometryId(self.geometry),
            root: TileId(self.root),
        }
    }

    /// Where an element of a tile of this type lies: the first byte, how many, and the first bit of numbers of four bits.
    pub fn element(&self, ty: &TileType, row: u64, col: u64) -> (i64, u64, u64) {
        let (row_stride, col_stride) = self.strides;
        let (first, bytes, shift) =
            TileState { row_stride, col_stride, ..TileState::default() }.element_bytes(ty, row, col);
        (self.start + first as i64, bytes, shift)
    }
}

impl ViewPlace {
    fn of(view: &ViewState) -> Self {
        let (place, start) = match view.space {
            Some(loc) => (AddressSpace::Core(loc), view.address as i64),
            None => {
                let (buffer, first) = split_address(view.address);
                (AddressSpace::Global(buffer), first)
            }
        };
        Self { place, start, shape: view.shape, strides: view.strides, layout: view.layout }
    }

    pub(super) fn state(&self) -> ViewState {
        let (address, space) = match self.place {
            AddressSpace::Core(loc) => (self.start as u64, Some(loc)),
            AddressSpace::Global(buffer) => (buffer_address(buffer).wrapping_add(self.start as u64), None),
        };
        ViewState { address, space, shape: self.shape, strides: self.strides, layout: self.layout }
    }

    /// Rows and columns of the matrix it describes.
    pub fn matrix_size(&self) -> (u64, u64) {
        self.state().matrix_size()
    }

    /// The first byte of an element of the matrix, and the bit in it, for elements of this many bits.
    pub fn element(&self, bits: u32, row: u64, col: u64) -> (i64, u64) {
        let index = dot(self.layout.index(row, col, self.shape), self.strides.map(|s| s as u64));
        let bit = index.wrapping_mul(u64::from(bits));
        (self.start.wrapping_add(bit as i64 >> 3), bit % 8)
    }
}

impl<'a, 'p> StepDone<'a, 'p> {
    pub(super) fn new(core: &'a mut Core<'p>, at: StepId) -> Self {
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
        self.core.plan.code.origins[self.at]
    }

    /// Says which registers the step changed. Registers of tiles that it only may have changed are included.
    pub fn changes(&self, say: &mut impl FnMut(RegisterChange)) {
        let (core, plan) = (&*self.core, self.core.plan);
        let mut scalar = |reg: Reg| say(RegisterChange::Scalar(reg.0, core.reg(reg)));
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
            Link::TestSignal { out, .. } => say(RegisterChange::Scalar(out.0, self.core.reg(*out))),
            Link::Push(op) | Link::Pop(op) | Link::Alloc(op) | Link::Free(op) => match op.entry {
                PipeEntry::Tile(tile) => say(self.tile(tile)),
                PipeEntry::Slot(view) => say(self.view(view)),
                PipeEntry::Nothing => {}
            },
            Link::Transfer(transfer) => {
                if let Some(event) = transfer.background.and_then(|which| which.event) {
                    say(RegisterChange::Scalar(event.0, self.core.reg(event)));
                }
            }
            _ => {}
        }
    }

    fn tile(&self, tile: TileId) -> RegisterChange {
        RegisterChange::Tile(tile.0, TilePlace::of(self.core.plan, &self.core.regs.tiles[tile]))
    }

    fn view(&self, view: ViewId) -> RegisterChange {
        RegisterChange::View(view.0, ViewPlace::of(&self.core.regs.views[view]))
    }

    /// The parameters of the entry, as this core has them.
    pub fn parameters(&self, say: &mut impl FnMut(RegisterChange)) {
        for slot in &self.core.plan.source.slots {
            match *slot {
                ValueStorage::Scalar(reg) => say(RegisterChange::Scalar(reg.0, self.core.reg(reg))),
                ValueStorage::Tile(tile) => say(self.tile(tile)),
                ValueStorage::View(view) => say(self.view(view)),
                _ => {}
            }
        }
    }

    /// What the step changed in memory without being an instruction: the tile of a value that a loop carries was copied, or memory was
    /// allocated.
    pub fn silent_write(&self) -> Option<Vec<Access>> {
        match self.core.plan.code.steps[self.at] {
            Step::CopyTile { from, to } => {
                let access = |tile| self.core.tile_access(&self.core.regs.tiles[tile], None);
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
        match place {
            AddressSpace::Core(loc) => {
                let start = self.core.plan.memory.spaces.start(loc) as i64 + first;
                let memory = &mut self.core.local.memory;
                if start < 0 || (start as u64).saturating_add(bytes as u64) > memory.size() {
                    return false;
                }
                into.extend_from_slice(memory.part(start as u64, bytes as u64));
            }
            AddressSpace::Global(buffer) => {
                let Ok(ptr) = self.core.global.bytes(buffer, first, bytes) else { return false };
                let _held = self.core.global.hold_bytes(buffer, first, bytes, false);
                // SAFETY: `GlobalMemory::bytes` checked that the bytes lie in a buffer that is lent for the run, and no other
                // thread writes them now.
                into.extend_from_slice(unsafe { std::slice::from_raw_parts(ptr, bytes) });
            }
        }
        true
    }

    /// The parts of the core's memory that may hold something: the first byte and the bytes.
    pub fn memory_in_use(&mut self, say: &mut impl FnMut(u64, &[u8])) {
        let (spaces, end) = (&self.core.plan.memory.spaces, self.core.plan.memory.core_bytes);
        for loc in Loc::ALL {
            let used = self.core.local.used[loc as usize].min(spaces.size(loc));
            if used > 0 {
                say(spaces.start(loc), self.core.local.memory.part(spaces.start(loc), used));
            }
        }
        if spaces.end < end {
            say(spaces.end, self.core.local.memory.part(spaces.end, end - spaces.end));
        }
    }

    /// All registers of the core.
    pub fn registers(&self) -> Registers {
        Registers { file: self.core.regs.clone(), allocated: self.core.global.allocated.clone() }
    }

    /// Bytes of the memory that may hold something.
    pub fn bytes_in_use(&self) -> u64 {
        let (memory, used) = (&self.core.plan.memory, &self.core.local.used);
        used.iter().sum::<u64>() + memory.core_bytes - memory.spaces.end
    }

    /// The bytes of a buffer of global memory; of those that the program allocates, of this core.
    pub fn buffer_bytes(&mut self, buffer: usize) -> u64 {
        self.core.global.buffer(buffer, 0).map_or(0, |b| b.bytes as u64)
    }
}

/// What the registers of a plan stand for.
impl Plan {
    /// The plan of the cores of this role.
    fn of_role(&self, role: Role) -> &Self {
        self.roles().find(|p| p.cores.role == role).unwrap_or(self)
    }

    /// The registers that keep the values of the program, on cores of a role: the value, the first step from which it is kept there, and
    /// where. A function that is expanded several times has entries for each expansion, in the order of the steps.
    pub fn kept_values(&self, role: Role) -> impl Iterator<Item = (ValueId, u32, KeptIn)> + '_ {
        self.of_role(role).code.values.iter().filter_map(|kept| {
            let place = match kept.storage {
                ValueStorage::Scalar(reg) => KeptIn::Scalar(reg.0),
                ValueStorage::Tile(tile) => KeptIn::Tile(tile.0),
                ValueStorage::Multi(tile, count) => KeptIn::Tiles(tile.0, count),
                ValueStorage::View(view) => KeptIn::View(view.0),
                ValueStorage::Nothing | ValueStorage::Array(_) | ValueStorage::End(_) => return None,
            };
            Some((kept.value, kept.since.0, place))
        })
    }

    /// The operations that the steps of cores of a role belong to, step after step.
    pub fn step_origins(&self, role: Role) -> impl Iterator<Item = OpId> + '_ {
        self.of_role(role).code.origins.iter().copied()
    }

    /// What the scalar registers of a core hold when a block starts, before the arguments are entered.
    pub fn first_scalars(&self, role: Role) -> Vec<u64> {
        self.of_role(role).start.scalars.iter().copied().collect()
    }

    /// Where the tile and view registers of a core of a role are when a block starts.
    pub fn first_places(&self, role: Role) -> (Vec<TilePlace>, Vec<ViewPlace>) {
        let plan = self.of_role(role);
        (
            plan.start.tiles.iter().map(|tile| TilePlace::of(plan, tile)).collect(),
            plan.start.views.iter().map(ViewPlace::of).collect(),
        )
    }
}

impl Registers {
    /// All of it as words, to be kept in a file.
    pub fn to_words(&self) -> Vec<u64> {
        let mut words = vec![self.file.scalars.len() as u64];
        words.extend(self.file.scalars.iter());
        words.push(self.file.tiles.len() as u64);
        for t in self.file.tiles.iter() {
            let pair = |a: u32, b: u32| u64::from(a) << 32 | u64::from(b);
            words.extend([t.base, t.origin, pair(t.rows, t.cols), pair(t.row_stride, t.col_stride)]);
            words.push(pair(t.geometry.0, t.root.0));
        }
        words.push(self.file.views.len() as u64);
        for v in self.file.views.iter() {
            words.extend([v.address, v.space.map_or(0, |loc| loc as u64 + 1), v.layout as u64]);
            words.extend(v.shape);
            words.extend(v.strides.map(|s| s as u64));
        }
        words.push(self.allocated.len() as u64);
        for buffer in self.allocated.iter() {
            words.push(buffer.len() as u64);
            words.extend(buffer);
        }
        words
    }

    /// Reads what [`Registers::to_words`] wrote; `None` if these are not registers of such a core of the plan.
    pub fn from_words(plan: &Plan, role: Role, words: &[u64]) -> Option<Self> {
        let plan = plan.of_role(role);
        let mut read = words.iter().copied();
        let mut file = plan.start.clone();
        let mut allocated = Table::like(&plan.views.allocations, Vec::new());
        let is_count = |read: &mut std::iter::Copied<std::slice::Iter<'_, u64>>, len: usize| {
            read.next().filter(|n| *n == len as u64).map(drop)
        };
        is_count(&mut read, file.scalars.len())?;
        for scalar in file.scalars.iter_mut() {
            *scalar = read.next()?;
        }
        is_count(&mut read, file.tiles.len())?;
        for tile in file.tiles.iter_mut() {
            let (base, origin, valid, strides, ids) =
                (read.next()?, read.next()?, read.next()?, read.next()?, read.next()?);
            let pair = |word: u64| ((word >> 32) as u32, word as u32);
            let ((rows, cols), (row_stride, col_stride), (geometry, root)) = (pair(valid), pair(strides), pair(ids));
            if geometry as usize >= plan.tiles.geometries.len() {
                return None;
            }
            let (geometry, root) = (GeometryId(geometry), TileId(root));
            *tile = TileState { base, origin, rows, cols, row_stride, col_stride, geometry, root };
        }
        is_count(&mut read, file.views.len())?;
        for view in file.views.iter_mut() {
            let (address, space, layout) = (read.next()?, read.next()?, read.next()?);
            let space = space.checked_sub(1).map(|loc| Loc::ALL.get(loc as usize).copied());
            view.address = address;
            view.space = match space {
                Some(loc) => Some(loc?),
                None => None,
            };
            view.layout = GlobalLayout::ALL.iter().copied().find(|l| *l as u64 == layout)?;
            for extent in &mut view.shape {
                *extent = read.next()?;
            }
            for stride in &mut view.strides {
                *stride = read.next()? as i64;
            }
        }
        is_count(&mut read, allocated.len())?;
        for buffer in allocated.iter_mut() {
            let count = usize::try_from(read.next()?).ok().filter(|n| *n <= read.len())?;
            *buffer = read.by_ref().take(count).collect();
        }
        Some(Self { file, allocated })
    }
}
