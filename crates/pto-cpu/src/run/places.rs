//! Registers as observers see them: what they stand for, what they hold, and where tiles and views lie.

use super::observe::AddressSpace;
use crate::memory::{buffer_address, split_address};
use crate::prepared::{
    AllocationId, GeometryId, Plan, RegisterFile, Role, Table, TileId, TileState, ValueStorage, ViewState,
};
use pto_ir::{OpId, ValueId};
use pto_isa::{GlobalLayout, Loc, TileType, dot};

/// The registers of a core at some time.
#[derive(Clone, Debug)]
pub struct RegisterSnapshot {
    pub(super) file: RegisterFile,
    /// Memory that the program allocated.
    pub(super) allocated: Table<AllocationId, Vec<u64>>,
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
    pub(super) fn of(plan: &Plan, tile: &TileState) -> Self {
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
    pub(super) fn of(view: &ViewState) -> Self {
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

impl RegisterSnapshot {
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

    /// Reads what [`RegisterSnapshot::to_words`] wrote; `None` if these are not registers of such a core of the plan.
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
