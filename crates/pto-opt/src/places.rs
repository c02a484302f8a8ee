//! The memory that values refer to.

mod merged;
mod resolve;

use crate::effects::is_memory;
use crate::slots::{self, RotatingTile};
use merged::{MANY_HOMES, Merged};
use pto_check::Checked;
use pto_ir::{BlockId, Def, Module, OpId, Operand, ValueId};
use pto_isa::hash::FastMap;
use pto_isa::ordered::{OrdMap, OrdSet};
use pto_isa::row::{Control, Meaning, Storage};
use pto_isa::{CACHE_LINE_BYTES, Loc, PtrSpace, Type};
use resolve::MemorySource;
use std::cell::RefCell;
use std::rc::Rc;

/// A piece of memory with its own name. Different homes never share bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Home {
    /// A memory of the core, by address.
    Space(Loc),
    /// A tile that has no address yet.
    Tile(ValueId),
    /// Tile parameters of a function: several may be the same tile.
    Given(Loc),
    /// Popped tiles: they lie in the ring of a FIFO pipe.
    Ring(Loc),
    /// Global memory behind a parameter or an allocation.
    Global(ValueId),
    /// Global memory of unknown origin.
    AnyGlobal,
}

/// Bytes of a home.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct MemoryRegion {
    /// Where.
    pub home: Home,
    /// First byte.
    pub start: u64,
    /// One past the last.
    pub end: u64,
}

impl MemoryRegion {
    pub fn is_global(&self) -> bool {
        matches!(self.home, Home::Global(_) | Home::AnyGlobal)
    }

    /// The cache lines that hold the bytes.
    pub fn whole_lines(self) -> Self {
        let start = self.start - self.start % CACHE_LINE_BYTES;
        let end = self.end.checked_next_multiple_of(CACHE_LINE_BYTES).unwrap_or(ALL);
        Self { start, end, ..self }
    }
}

/// All of a home.
const ALL: u64 = u64::MAX;

/// Windows with more rows than this count as one piece.
const MANY_ROWS: u64 = 256;

/// A tile with more possible addresses than this may lie anywhere between them.
const MANY_ADDRESSES: usize = 64;

/// The start of a row-major tile, and the distance of its rows, in elements.
#[derive(Clone, Copy, Debug)]
struct Origin {
    home: Home,
    start: u64,
    stride: u64,
}

/// The size of a tile, a lowered buffer, or several consecutive tiles, and their memory.
pub(crate) fn memory_of(checked: &Checked, value: ValueId) -> Option<(Loc, u64)> {
    let module = checked.module();
    let ty = module.value_type(value);
    let tile = match (ty, module.value(value).def) {
        (Type::Memref(_), Def::Result(id, _)) => module.buffer_tile(id, value)?,
        _ => ty.local_tile()?,
    };
    let align = checked.info().target.profile().space(tile.loc).map_or(1, |s| s.align.max(1));
    let bytes = match ty {
        Type::MultiTile(_, count) => tile.bytes().next_multiple_of(align) * *count,
        _ => tile.bytes(),
    };
    Some((tile.loc, bytes))
}

/// The memory of a core that a tile is in, or that a pointer points to.
fn local_space(ty: &Type) -> Option<Loc> {
    match ty {
        Type::Ptr(_, PtrSpace::On(loc)) => Some(*loc),
        _ => ty.local_space(),
    }
}

/// The memory that the values of a program refer to.
pub(crate) struct ValueMemory<'a> {
    module: &'a Module,
    checked: &'a Checked,
    owners: FastMap<BlockId, OpId>,
    /// The block that each operation is in.
    blocks: FastMap<OpId, BlockId>,
    /// The values that a value is an alias of.
    sources: FastMap<ValueId, Vec<ValueId>>,
    /// Tiles whose address changes at run time.
    rebound: OrdSet<ValueId>,
    /// Tiles that are assigned known addresses.
    assigned: OrdMap<ValueId, OrdSet<u64>>,
    /// All homes of tiles, by memory: the candidates for an unknown tile.
    tiles: OrdMap<Loc, OrdSet<Home>>,
    /// Some global memory is of unknown origin, so all of it counts as one.
    one_global: bool,
    known: FastMap<ValueId, Rc<[MemoryRegion]>>,
    origins: FastMap<ValueId, Option<Origin>>,
    merged: Merged,
    /// Memories in which a value may be any of very many tiles.
    crowded: RefCell<OrdSet<Loc>>,
    /// The callees of calls.
    pub calls: FastMap<OpId, OpId>,
    /// Functions with effects, once computed.
    pub with_effects: Option<OrdSet<OpId>>,
}

impl<'a> ValueMemory<'a> {
    pub fn new(checked: &'a Checked) -> Self {
        let module = checked.module();
        let mut this = Self {
            module,
            checked,
            owners: module.owners(),
            blocks: FastMap::default(),
            sources: FastMap::default(),
            rebound: OrdSet::new(),
            assigned: OrdMap::new(),
            tiles: OrdMap::new(),
            one_global: false,
            known: FastMap::default(),
            origins: FastMap::default(),
            merged: Merged::default(),
            crowded: RefCell::default(),
            calls: module.calls(),
            with_effects: None,
        };
        for block in module.all_blocks() {
            this.blocks.extend(module.block(block).ops.iter().map(|id| (*id, block)));
        }
        module.walk(module.top, &mut |id| this.note(id));
        for (from, to) in module.ways() {
            if is_memory(module.value_type(to)) {
                this.sources.entry(to).or_default().push(from);
            }
        }
        this.merge();
        this
    }

    fn note(&mut self, id: OpId) {
        let module = self.module;
        let tile = |v: ValueId| module.value_type(v).local_space();
        match module.storage(id) {
            Some(Storage::Assign) => {
                let tiles = module.operands(id).iter().map(|o| o.value).chain(module.results(id));
                for value in tiles.filter(|v| tile(*v).is_some()) {
                    match self.assigned_address(id) {
                        Some(at) => drop(self.assigned.entry(value).or_default().insert(at)),
                        None => drop(self.rebound.insert(value)),
                    }
                }
            }
            Some(Storage::BindWindow | Storage::BindAlias) => {
                self.rebound.extend(module.operands(id).iter().map(|o| o.value).filter(|v| tile(*v).is_some()));
            }
            Some(Storage::ToPointer) => self.one_global = true,
            Some(Storage::CastPointer) => {
                let from = module.operands(id).first().map(|o| module.value_type(o.value));
                self.one_global |= !matches!(from, Some(Type::Ptr(..)));
            }
            Some(storage) if storage.is_allocation() => {
                let value = module.results(id).next();
                if let Some((value, loc)) = value.and_then(|v| Some((v, tile(v)?))) {
                    let home = if self.address(id).is_some() { Home::Space(loc) } else { Home::Tile(value) };
                    self.tiles.entry(loc).or_default().insert(home);
                }
            }
            _ => {}
        }
    }

    /// The address operand of a tile or a lowered buffer.
    pub fn address(&self, id: OpId) -> Option<ValueId> {
        self.module.operand(id, "addr").or_else(|| self.module.operand(id, "addrs"))
    }

    /// The address that is assigned to a tile at run time, if it is constant.
    fn assigned_address(&self, id: OpId) -> Option<u64> {
        let at = match self.module.operand(id, "address") {
            Some(address) => self.checked.info().constant(address),
            None => self.module.given_int(id, "addr"),
        };
        at.and_then(|at| u64::try_from(at).ok())
    }

    /// All global memory that the function around an operation has access to.
    pub fn all_global(&mut self, id: OpId) -> Vec<MemoryRegion> {
        let mut all = vec![MemoryRegion { home: Home::AnyGlobal, start: 0, end: ALL }];
        let around = |id: &OpId| self.blocks.get(id).and_then(|block| self.owners.get(block)).copied();
        let mut outer = std::iter::successors(Some(id), around);
        let Some(function) = outer.find(|id| self.module.control(*id) == Some(Control::Function)) else { return all };
        let blocks = self.module.op_regions(function).iter().filter_map(|r| self.module.region(*r).blocks.first());
        let args: Vec<ValueId> = blocks.flat_map(|b| self.module.block(*b).args.clone()).collect();
        for value in args {
            if matches!(self.module.value_type(value), Type::Ptr(..) | Type::TensorView(_) | Type::Memref(..)) {
                all.extend_from_slice(&self.of(value));
            }
        }
        all
    }

    /// Everything that a value of this type may refer to.
    fn anything(&self, value: ValueId) -> Vec<MemoryRegion> {
        let whole = |home: Home| MemoryRegion { home, start: 0, end: ALL };
        match local_space(self.module.value_type(value)) {
            Some(loc) => {
                let own = [Home::Space(loc), Home::Given(loc), Home::Ring(loc)];
                let tiles = self.tiles.get(&loc);
                // One home represents very many.
                let shown = if tiles.is_some_and(|all| all.len() > MANY_HOMES) {
                    self.crowded.borrow_mut().insert(loc);
                    1
                } else {
                    MANY_HOMES
                };
                tiles.into_iter().flat_map(|all| all.iter().rev().take(shown)).copied().chain(own).map(whole).collect()
            }
            None => vec![whole(Home::AnyGlobal)],
        }
    }

    fn global(&self, value: ValueId) -> Vec<MemoryRegion> {
        let home = if self.one_global { Home::AnyGlobal } else { Home::Global(value) };
        vec![MemoryRegion { home, start: 0, end: ALL }]
    }

    /// Where the memory of a value comes from.
    fn source(&mut self, value: ValueId) -> MemorySource {
        if self.rebound.contains(&value) {
            return MemorySource::Known(self.anything(value));
        }
        let source = match self.module.value(value).def {
            Def::Arg(block, _) => self.of_argument(value, block),
            Def::Result(id, _) => self.of_result(value, id),
            Def::Missing => MemorySource::Known(Vec::new()),
        };
        match self.assigned.get(&value) {
            Some(addresses) => self.placed(value, addresses, source),
            None => source,
        }
    }

    /// A tile at one of its assigned addresses, or at its original one.
    fn placed(&self, value: ValueId, addresses: &OrdSet<u64>, before: MemorySource) -> MemorySource {
        let Some((loc, bytes)) = memory_of(self.checked, value) else {
            return MemorySource::Known(self.anything(value));
        };
        let region =
            |start: u64, end: u64| MemoryRegion { home: Home::Space(loc), start, end: end.saturating_add(bytes) };
        let mut all: Vec<MemoryRegion> = match (addresses.first(), addresses.last()) {
            (Some(first), Some(last)) if addresses.len() > MANY_ADDRESSES => vec![region(*first, *last)],
            _ => addresses.iter().map(|at| region(*at, *at)).collect(),
        };
        match before {
            MemorySource::Known(own) => {
                all.extend(own);
                MemorySource::Known(all)
            }
            MemorySource::Union(values) | MemorySource::Returned(values, _) => MemorySource::Both(all, values),
            MemorySource::Both(own, values) => MemorySource::Both([all, own].concat(), values),
            MemorySource::Window(_, view) => MemorySource::Both(all, vec![view]),
        }
    }

    fn of_argument(&self, value: ValueId, block: BlockId) -> MemorySource {
        let Some(&parent) = self.owners.get(&block) else { return MemorySource::Known(self.anything(value)) };
        // Parameters of later blocks come from jumps.
        let is_first =
            || self.module.op_regions(parent).iter().any(|r| self.module.region(*r).blocks.first() == Some(&block));
        match self.module.control(parent) {
            Some(Control::Function) if is_first() => {
                MemorySource::Known(match local_space(self.module.value_type(value)) {
                    Some(loc) => vec![MemoryRegion { home: Home::Given(loc), start: 0, end: ALL }],
                    None => self.global(value),
                })
            }
            _ => self.of_sources(value),
        }
    }

    /// The memory of the values that it is an alias of.
    fn of_sources(&self, value: ValueId) -> MemorySource {
        match self.sources.get(&value) {
            Some(sources) => MemorySource::Union(sources.clone()),
            None => MemorySource::Known(self.anything(value)),
        }
    }

    fn of_result(&mut self, value: ValueId, id: OpId) -> MemorySource {
        let first = self.module.operands(id).first().map(|o| o.value);
        let of_first = || MemorySource::Union(first.into_iter().collect());
        let is_tile = self.module.tile(value).is_some();
        let is_local = self.module.value_type(value).local_space().is_some();
        match self.module.meaning(id) {
            Meaning::Storage(Storage::Tile | Storage::Tiles) => MemorySource::Known(self.allocated(value, id)),
            Meaning::Storage(Storage::Buffer | Storage::BufferAt) if is_local => {
                MemorySource::Known(self.allocated(value, id))
            }
            Meaning::Storage(Storage::Window | Storage::ClippedWindow) => {
                self.window(value).map_or_else(of_first, MemorySource::Known)
            }
            Meaning::Storage(Storage::Retype) => of_first(),
            Meaning::Storage(Storage::Pick) => match self.slot_of(value, id) {
                Some(region) => MemorySource::Known(vec![region]),
                None => of_first(),
            },
            Meaning::Storage(Storage::Assign) if is_tile => MemorySource::Known(Vec::new()),
            Meaning::Control(Control::Call) if is_local => match self.sources.get(&value) {
                Some(sources) => MemorySource::Returned(sources.clone(), id),
                None => MemorySource::Known(self.anything(value)),
            },
            _ if self.sources.contains_key(&value) => self.of_sources(value),
            Meaning::Storage(Storage::Partition) => first.map_or_else(of_first, |view| MemorySource::Window(id, view)),
            // A pointer that was cast from a number may point anywhere.
            Meaning::Storage(Storage::CastPointer) if first.is_some_and(|v| !is_memory(self.module.value_type(v))) => {
                MemorySource::Known(self.anything(value))
            }
            Meaning::Storage(Storage::View | Storage::Offset | Storage::CastPointer | Storage::TileAddress) => {
                of_first()
            }
            Meaning::Storage(Storage::Buffer) => MemorySource::Known(self.global(value)),
            _ if is_tile && pto_isa::Family::Fifo == self.module.op(id).op.row().family => {
                let loc = self.module.tile(value).map_or(Loc::Vec, |t| t.loc);
                MemorySource::Known(vec![MemoryRegion { home: Home::Ring(loc), start: 0, end: ALL }])
            }
            _ if is_tile => MemorySource::Known(vec![MemoryRegion { home: Home::Tile(value), start: 0, end: ALL }]),
            _ => match first {
                Some(source) if matches!(self.module.value_type(source), Type::Memref(..)) => of_first(),
                _ => MemorySource::Known(self.anything(value)),
            },
        }
    }

    /// The tile arguments of a call.
    fn handed_in(&self, call: OpId) -> impl Iterator<Item = ValueId> {
        let tiles = self.module.operands(call).iter().map(|o| o.value);
        tiles.filter(|v| self.module.value_type(*v).local_space().is_some())
    }

    /// A window of global memory: if all of its extents are constant, from its first element to its last.
    fn narrowed(&self, id: OpId, view: ValueId, whole: Vec<MemoryRegion>) -> Vec<MemoryRegion> {
        match (&whole[..], self.fixed_window(id, view)) {
            ([region], Some((first, length))) if region.start == 0 && region.end == ALL => {
                vec![MemoryRegion { start: first, end: first + length, ..*region }]
            }
            _ => whole,
        }
    }

    /// The first byte and length of a window of a view that starts at its pointer.
    fn fixed_window(&self, id: OpId, view: ValueId) -> Option<(u64, u64)> {
        let Def::Result(made, _) = self.module.value(view).def else { return None };
        let from_parameter = matches!(self.module.value(self.module.operand(made, "ptr")?).def, Def::Arg(..));
        if self.module.storage(made) != Some(Storage::View) || !from_parameter {
            return None;
        }
        let numbers = |id: OpId, name: &str| -> Option<Vec<u64>> {
            let slot = self.module.op(id).op.row().slot(name)?;
            let constant = |v: ValueId| self.checked.info().constant(v).and_then(|n| u64::try_from(n).ok());
            self.module.in_slot(id, slot).map(|o| constant(o.value)).collect()
        };
        let (strides, offsets, sizes) = (numbers(made, "strides")?, numbers(id, "offsets")?, numbers(id, "sizes")?);
        if strides.len() != offsets.len() || strides.len() != sizes.len() || sizes.contains(&0) {
            return None;
        }
        let bits = u64::from(self.module.value_type(view).elem()?.column_bits());
        let first = dot(&offsets, &strides)?;
        let last = dot(&sizes.iter().map(|n| n - 1).collect::<Vec<_>>(), &strides)?;
        let length = last.checked_add(1)?.checked_mul(bits)?.div_ceil(8);
        let first = first.checked_mul(bits)? / 8;
        first.checked_add(length).map(|_| (first, length))
    }

    /// A tile at its address, or with its own home.
    fn allocated(&self, value: ValueId, id: OpId) -> Vec<MemoryRegion> {
        let Some((loc, bytes)) = memory_of(self.checked, value) else { return self.anything(value) };
        let region = match self.address(id) {
            None => MemoryRegion { home: Home::Tile(value), start: 0, end: bytes },
            Some(address) => match self.checked.info().constant(address) {
                Some(at) if at >= 0 => {
                    MemoryRegion { home: Home::Space(loc), start: at as u64, end: at as u64 + bytes }
                }
                _ => MemoryRegion { home: Home::Space(loc), start: 0, end: ALL },
            },
        };
        vec![region]
    }

    /// A window with constant offsets is smaller than its tile: whole rows, or a part of each.
    fn window(&mut self, value: ValueId) -> Option<Vec<MemoryRegion>> {
        let (origin, tile) = (self.origin(value)?, self.module.tile(value)?);
        let bytes = |elements: u64| elements * u64::from(tile.column_bits()) / 8;
        let piece = |row: u64, elements: u64| {
            let start = origin.start + bytes(row * origin.stride);
            MemoryRegion { home: origin.home, start, end: start + bytes(elements) }
        };
        Some(if tile.cols == origin.stride || tile.rows > MANY_ROWS {
            vec![piece(0, (tile.rows.max(1) - 1) * origin.stride + tile.cols)]
        } else {
            (0..tile.rows).map(|row| piece(row, tile.cols)).collect()
        })
    }

    /// The start of a row-major tile, if it is constant.
    fn origin(&mut self, value: ValueId) -> Option<Origin> {
        // Windows of windows, down to a tile with a known start.
        let mut parts = vec![value];
        while let Some(whole) = parts.last().copied().filter(|v| !self.origins.contains_key(v)) {
            match self.whole_of(whole) {
                Some(next) => parts.push(next),
                None => {
                    let own = self.own_origin(whole);
                    self.origins.insert(whole, own);
                }
            }
        }
        let mut found = parts.pop().and_then(|known| self.origins[&known]);
        while let Some(part) = parts.pop() {
            found = found.filter(|_| self.may_have_origin(part)).and_then(|whole| self.part_origin(part, whole));
            self.origins.insert(part, found);
        }
        found
    }

    fn may_have_origin(&self, value: ValueId) -> bool {
        let fits = self.module.tile(value).is_some_and(|t| !t.is_boxed() && t.order() == pto_isa::Order::Nd);
        fits && !self.rebound.contains(&value) && !self.assigned.contains_key(&value)
    }

    /// The tile that another is a window of.
    fn whole_of(&self, value: ValueId) -> Option<ValueId> {
        let Def::Result(id, _) = self.module.value(value).def else { return None };
        let is_part = self.module.storage(id).is_some_and(Storage::is_window);
        self.module.operands(id).first().filter(|_| is_part).map(|o| o.value)
    }

    /// The start of a tile that is not a window.
    fn own_origin(&self, value: ValueId) -> Option<Origin> {
        let tile = self.module.tile(value).filter(|_| self.may_have_origin(value))?;
        let Def::Result(id, _) = self.module.value(value).def else { return None };
        let region = match self.module.storage(id) {
            Some(Storage::Tile) => self.allocated(value, id).first().copied().filter(|region| region.end != ALL),
            Some(Storage::Pick) => self.slot_of(value, id),
            _ => None,
        };
        region.map(|region| Origin { home: region.home, start: region.start, stride: tile.cols })
    }

    /// The start of a window.
    fn part_origin(&self, value: ValueId, whole: Origin) -> Option<Origin> {
        let tile = self.module.tile(value)?;
        let Def::Result(id, _) = self.module.value(value).def else { return None };
        let slot = self.module.op(id).op.row().slot("offsets")?;
        let offset = |o: &Operand| self.checked.info().constant(o.value).and_then(|n| u64::try_from(n).ok());
        let offsets: Option<Vec<u64>> = self.module.in_slot(id, slot).map(offset).collect();
        let [row, col] = offsets?[..] else { return None };
        let first = dot(&[row, col], &[whole.stride, 1])?.checked_mul(u64::from(tile.column_bits()))? / 8;
        Some(Origin { start: whole.start.checked_add(first)?, ..whole })
    }

    /// One of several tiles, if the loop counter determines which.
    pub fn turned_slot(&self, value: ValueId) -> Option<RotatingTile> {
        let Def::Result(id, _) = self.module.value(value).def else { return None };
        if self.module.storage(id) != Some(Storage::Pick)
            || self.rebound.contains(&value)
            || self.assigned.contains_key(&value)
        {
            return None;
        }
        let source = self.module.operand(id, "source")?;
        let Def::Result(made, _) = self.module.value(source).def else { return None };
        let all =
            *(self.module.storage(made) == Some(Storage::Tiles)).then(|| self.allocated(source, made))?.first()?;
        let Type::MultiTile(_, count) = self.module.value_type(source) else { return None };
        let size = ((all.end - all.start) / count, self.module.tile(value)?.bytes());
        let found = slots::slot(self.checked, (&self.owners, &self.blocks), self.module.operand(id, "slot")?, size)?;
        (all.end != ALL && found.period <= *count).then_some(found)
    }

    /// One of several tiles, if it is fixed which.
    fn slot_of(&self, value: ValueId, id: OpId) -> Option<MemoryRegion> {
        let source = self.module.operand(id, "source")?;
        let Def::Result(made, _) = self.module.value(source).def else { return None };
        let slot = u64::try_from(self.checked.info().constant(self.module.operand(id, "slot")?)?).ok()?;
        let all = (self.module.storage(made) == Some(Storage::Tiles)).then(|| self.allocated(source, made))?;
        let Type::MultiTile(_, count) = self.module.value_type(source) else { return None };
        let (all, bytes) = (*all.first()?, self.module.tile(value)?.bytes());
        if all.end == ALL || slot >= *count {
            return None;
        }
        let start = all.start + slot * ((all.end - all.start) / count);
        Some(MemoryRegion { start, end: start + bytes, ..all })
    }
}

/// Elements from the first one to the one with these indices; nothing where no address reaches it.
fn dot(indices: &[u64], strides: &[u64]) -> Option<u64> {
    indices.iter().zip(strides).try_fold(0u64, |sum, (index, stride)| sum.checked_add(index.checked_mul(*stride)?))
}
