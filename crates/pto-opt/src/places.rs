//! What memory values stand for.

use crate::effects::is_memory;
use crate::slots::{self, Slot};
use pto_check::Checked;
use pto_ir::{BlockId, Def, Module, OpId, Operand, ValueId};
use pto_isa::table::op;
use pto_isa::{Loc, Type};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A piece of memory that has a name of its own. Different homes never share bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Home {
    /// A space of the core, by address.
    Space(Loc),
    /// A tile that has no address yet.
    Tile(ValueId),
    /// Tiles that a function is given: they may be one and the same.
    Given(Loc),
    /// Tiles that are popped: they lie in the ring of a pipe.
    Ring(Loc),
    /// Global memory behind a parameter or an allocation.
    Global(ValueId),
    /// Global memory of which nothing is known.
    AnyGlobal,
}

/// Bytes of a home.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Region {
    /// Where.
    pub home: Home,
    /// First byte.
    pub start: u64,
    /// One past the last.
    pub end: u64,
}

/// All of a home.
const ALL: u64 = u64::MAX;

/// Windows of more rows than this count as one piece.
const MANY_ROWS: u64 = 256;

/// Where a row-major tile starts, and how far apart its rows are, in elements.
#[derive(Clone, Copy, Debug)]
struct Origin {
    home: Home,
    start: u64,
    stride: u64,
}

/// The memory that a tile, a lowered buffer, or several tiles in a row need.
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

/// What memory the values of a program stand for.
pub(crate) struct Places<'a> {
    module: &'a Module,
    checked: &'a Checked,
    owners: HashMap<BlockId, OpId>,
    /// What a value is another name for.
    sources: HashMap<ValueId, Vec<ValueId>>,
    /// Tiles whose address changes as the program runs.
    rebound: BTreeSet<ValueId>,
    /// All homes of tiles, by memory: what an unknown tile may be.
    tiles: BTreeMap<Loc, Vec<Home>>,
    /// Some global memory is of unknown origin, so all of it is one.
    one_global: bool,
    known: BTreeMap<ValueId, Vec<Region>>,
    /// What calls call.
    pub calls: HashMap<OpId, OpId>,
    /// Functions of which it is known whether something in them has an effect.
    pub has_effects: HashMap<OpId, bool>,
}

impl<'a> Places<'a> {
    pub fn new(checked: &'a Checked) -> Self {
        let module = checked.module();
        let mut this = Self {
            module,
            checked,
            owners: module.owners(),
            sources: HashMap::new(),
            rebound: BTreeSet::new(),
            tiles: BTreeMap::new(),
            one_global: false,
            known: BTreeMap::new(),
            calls: module.calls(),
            has_effects: HashMap::new(),
        };
        module.walk(module.top, &mut |id| this.note(id));
        for (from, to) in module.ways() {
            if is_memory(module.value_type(to)) {
                this.sources.entry(to).or_default().push(from);
            }
        }
        this
    }

    fn note(&mut self, id: OpId) {
        let module = self.module;
        let tile = |v: ValueId| module.value_type(v).local_space();
        match module.op(id).op {
            op::tassign | op::tsubview | op::talias => {
                self.rebound.extend(module.operands(id).iter().map(|o| o.value).filter(|v| tile(*v).is_some()));
            }
            op::inttoptr => self.one_global = true,
            op::castptr => {
                let from = module.operands(id).first().map(|o| module.value_type(o.value));
                self.one_global |= !matches!(from, Some(Type::Ptr(..)));
            }
            op::alloc_tile | op::alloc_multi_tile | op::memref_alloc | op::pointer_cast => {
                let value = module.results(id).next();
                if let Some((value, loc)) = value.and_then(|v| Some((v, tile(v)?))) {
                    let home = if self.address(id).is_some() { Home::Space(loc) } else { Home::Tile(value) };
                    self.tiles.entry(loc).or_default().push(home);
                }
            }
            _ => {}
        }
    }

    pub fn operand(&self, id: OpId, name: &str) -> Option<ValueId> {
        let slot = self.module.op(id).op.row().slot(name)?;
        self.module.in_slot(id, slot).next().map(|o| o.value)
    }

    /// The address that an operation gives a tile or a lowered buffer.
    pub fn address(&self, id: OpId) -> Option<ValueId> {
        self.operand(id, "addr").or_else(|| self.operand(id, "addrs"))
    }

    /// All global memory that the functions are given.
    pub fn all_global(&mut self) -> Vec<Region> {
        let mut all = vec![Region { home: Home::AnyGlobal, start: 0, end: ALL }];
        for function in self.module.functions() {
            let blocks = self.module.op_regions(function).iter().filter_map(|r| self.module.region(*r).blocks.first());
            let args: Vec<ValueId> = blocks.flat_map(|b| self.module.block(*b).args.clone()).collect();
            for value in args {
                if matches!(self.module.value_type(value), Type::Ptr(..) | Type::TensorView(_) | Type::Memref(..)) {
                    all.extend(self.of(value));
                }
            }
        }
        all
    }

    /// The memory of a tile, a view or a pointer.
    pub fn of(&mut self, value: ValueId) -> Vec<Region> {
        if let Some(known) = self.known.get(&value) {
            return known.clone();
        }
        let mut open = BTreeSet::new();
        let mut found = self.resolve(value, &mut open);
        found.sort();
        found.dedup();
        self.known.insert(value, found.clone());
        found
    }

    fn resolve(&self, value: ValueId, open: &mut BTreeSet<ValueId>) -> Vec<Region> {
        if !open.insert(value) {
            return Vec::new();
        }
        if self.rebound.contains(&value) {
            return self.anything(value);
        }
        match self.module.value(value).def {
            Def::Arg(block, _) => self.of_argument(value, block, open),
            Def::Result(id, _) => self.of_result(value, id, open),
            Def::Missing => Vec::new(),
        }
    }

    /// Whatever a value of this type may be.
    fn anything(&self, value: ValueId) -> Vec<Region> {
        let whole = |home: Home| Region { home, start: 0, end: ALL };
        match self.module.value_type(value).local_space() {
            Some(loc) => {
                let own = [Home::Space(loc), Home::Given(loc), Home::Ring(loc)];
                self.tiles.get(&loc).into_iter().flatten().copied().chain(own).map(whole).collect()
            }
            None => vec![whole(Home::AnyGlobal)],
        }
    }

    fn global(&self, value: ValueId) -> Vec<Region> {
        let home = if self.one_global { Home::AnyGlobal } else { Home::Global(value) };
        vec![Region { home, start: 0, end: ALL }]
    }

    fn of_argument(&self, value: ValueId, block: BlockId, open: &mut BTreeSet<ValueId>) -> Vec<Region> {
        let Some(&parent) = self.owners.get(&block) else { return self.anything(value) };
        match self.module.op(parent).op {
            op::func_func => match self.module.value_type(value).local_space() {
                Some(loc) => vec![Region { home: Home::Given(loc), start: 0, end: ALL }],
                None => self.global(value),
            },
            _ => self.of_sources(value, open),
        }
    }

    /// Whatever it is another name for.
    fn of_sources(&self, value: ValueId, open: &mut BTreeSet<ValueId>) -> Vec<Region> {
        match self.sources.get(&value) {
            Some(sources) => self.union(sources.iter().copied(), open),
            None => self.anything(value),
        }
    }

    fn union(&self, values: impl Iterator<Item = ValueId>, open: &mut BTreeSet<ValueId>) -> Vec<Region> {
        values.flat_map(|v| self.resolve(v, open)).collect()
    }

    fn of_result(&self, value: ValueId, id: OpId, open: &mut BTreeSet<ValueId>) -> Vec<Region> {
        let first = || self.module.operands(id).first().map(|o| o.value);
        let is_tile = self.module.tile(value).is_some();
        let is_local = self.module.value_type(value).local_space().is_some();
        match self.module.op(id).op {
            op::alloc_tile | op::alloc_multi_tile => self.allocated(value, id),
            op::memref_alloc | op::pointer_cast if is_local => self.allocated(value, id),
            op::subview | op::subset => self.window(value, id, open),
            op::treshape | op::bitcast => self.union(first().into_iter(), open),
            op::multi_tile_get => match self.slot_of(value, id) {
                Some(region) => vec![region],
                None => self.union(first().into_iter(), open),
            },
            op::func_call if is_local => self.returned(value, id, open),
            _ if self.sources.contains_key(&value) => self.of_sources(value, open),
            op::partition_view => self.global_window(id, open),
            op::make_tensor_view | op::addptr | op::castptr => self.union(first().into_iter(), open),
            op::memref_alloc => self.global(value),
            _ if is_tile && pto_isa::Family::Fifo == self.module.op(id).op.row().family => {
                let loc = self.module.tile(value).map_or(Loc::Vec, |t| t.loc);
                vec![Region { home: Home::Ring(loc), start: 0, end: ALL }]
            }
            _ if is_tile => vec![Region { home: Home::Tile(value), start: 0, end: ALL }],
            _ => match first() {
                Some(source) if matches!(self.module.value_type(source), Type::Memref(..)) => {
                    self.union(std::iter::once(source), open)
                }
                _ => self.anything(value),
            },
        }
    }

    /// A tile that a function returns: what it was given is what this call gives it.
    fn returned(&self, value: ValueId, call: OpId, open: &mut BTreeSet<ValueId>) -> Vec<Region> {
        let found = self.of_sources(value, open);
        let (given, mut own): (Vec<Region>, Vec<Region>) =
            found.into_iter().partition(|region| matches!(region.home, Home::Given(_)));
        if !given.is_empty() {
            let tiles = self.module.operands(call).iter().map(|o| o.value);
            own.extend(self.union(tiles.filter(|v| self.module.value_type(*v).local_space().is_some()), open));
        }
        own
    }

    /// A window of global memory: where everything about it is fixed, from its first element to its last.
    fn global_window(&self, id: OpId, open: &mut BTreeSet<ValueId>) -> Vec<Region> {
        let source = self.module.operands(id)[0].value;
        let whole = self.union(std::iter::once(source), open);
        match (&whole[..], self.fixed_window(id, source)) {
            ([region], Some((first, length))) if region.start == 0 && region.end == ALL => {
                vec![Region { start: first, end: first + length, ..*region }]
            }
            _ => whole,
        }
    }

    /// First byte and length of a window of a view that starts where its pointer does.
    fn fixed_window(&self, id: OpId, view: ValueId) -> Option<(u64, u64)> {
        let Def::Result(made, _) = self.module.value(view).def else { return None };
        let from_parameter = matches!(self.module.value(self.operand(made, "ptr")?).def, Def::Arg(..));
        if self.module.op(made).op != op::make_tensor_view || !from_parameter {
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

    /// A tile where it was put, or a place of its own.
    fn allocated(&self, value: ValueId, id: OpId) -> Vec<Region> {
        let Some((loc, bytes)) = memory_of(self.checked, value) else { return self.anything(value) };
        let region = match self.address(id) {
            None => Region { home: Home::Tile(value), start: 0, end: bytes },
            Some(address) => match self.checked.info().constant(address) {
                Some(at) if at >= 0 => Region { home: Home::Space(loc), start: at as u64, end: at as u64 + bytes },
                _ => Region { home: Home::Space(loc), start: 0, end: ALL },
            },
        };
        vec![region]
    }

    /// A window with a fixed place is smaller than its tile: whole rows, or a piece of each.
    fn window(&self, value: ValueId, id: OpId, open: &mut BTreeSet<ValueId>) -> Vec<Region> {
        let (Some(origin), Some(tile)) = (self.origin(value), self.module.tile(value)) else {
            let source = self.module.operands(id)[0].value;
            return self.union(std::iter::once(source), open);
        };
        let bytes = |elements: u64| elements * u64::from(tile.column_bits()) / 8;
        let piece = |row: u64, elements: u64| {
            let start = origin.start + bytes(row * origin.stride);
            Region { home: origin.home, start, end: start + bytes(elements) }
        };
        if tile.cols == origin.stride || tile.rows > MANY_ROWS {
            vec![piece(0, (tile.rows.max(1) - 1) * origin.stride + tile.cols)]
        } else {
            (0..tile.rows).map(|row| piece(row, tile.cols)).collect()
        }
    }

    /// Where a row-major tile starts, if that is fixed.
    fn origin(&self, value: ValueId) -> Option<Origin> {
        let tile = self.module.tile(value)?;
        let Def::Result(id, _) = self.module.value(value).def else { return None };
        if self.rebound.contains(&value) || tile.is_boxed() || tile.order() != pto_isa::Order::Nd {
            return None;
        }
        match self.module.op(id).op {
            op::alloc_tile => {
                let region = *self.allocated(value, id).first()?;
                let stride = tile.cols;
                (region.end != ALL).then_some(Origin { home: region.home, start: region.start, stride })
            }
            op::multi_tile_get => {
                let region = self.slot_of(value, id)?;
                Some(Origin { home: region.home, start: region.start, stride: tile.cols })
            }
            op::subview | op::subset => {
                let whole = self.origin(self.module.operands(id).first()?.value)?;
                let slot = self.module.op(id).op.row().slot("offsets")?;
                let offset = |o: &Operand| self.checked.info().constant(o.value).and_then(|n| u64::try_from(n).ok());
                let offsets: Option<Vec<u64>> = self.module.in_slot(id, slot).map(offset).collect();
                let [row, col] = offsets?[..] else { return None };
                let first = dot(&[row, col], &[whole.stride, 1])?.checked_mul(u64::from(tile.column_bits()))? / 8;
                Some(Origin { start: whole.start.checked_add(first)?, ..whole })
            }
            _ => None,
        }
    }

    /// One of several tiles, if it follows from the turn of a loop which.
    pub fn turned_slot(&self, value: ValueId) -> Option<Slot> {
        let Def::Result(id, _) = self.module.value(value).def else { return None };
        if self.module.op(id).op != op::multi_tile_get || self.rebound.contains(&value) {
            return None;
        }
        let source = self.operand(id, "source")?;
        let Def::Result(made, _) = self.module.value(source).def else { return None };
        let all = *(self.module.op(made).op == op::alloc_multi_tile).then(|| self.allocated(source, made))?.first()?;
        let Type::MultiTile(_, count) = self.module.value_type(source) else { return None };
        let size = ((all.end - all.start) / count, self.module.tile(value)?.bytes());
        let found = slots::slot(self.checked, &self.owners, self.operand(id, "slot")?, size)?;
        (all.end != ALL && found.period <= *count).then_some(found)
    }

    /// One of several tiles, if it is fixed which.
    fn slot_of(&self, value: ValueId, id: OpId) -> Option<Region> {
        let source = self.operand(id, "source")?;
        let Def::Result(made, _) = self.module.value(source).def else { return None };
        let slot = u64::try_from(self.checked.info().constant(self.operand(id, "slot")?)?).ok()?;
        let all = (self.module.op(made).op == op::alloc_multi_tile).then(|| self.allocated(source, made))?;
        let Type::MultiTile(_, count) = self.module.value_type(source) else { return None };
        let (all, bytes) = (*all.first()?, self.module.tile(value)?.bytes());
        if all.end == ALL || slot >= *count {
            return None;
        }
        let start = all.start + slot * ((all.end - all.start) / count);
        Some(Region { start, end: start + bytes, ..all })
    }
}

/// Elements from the first one to the one with these indices; nothing where no address reaches it.
fn dot(indices: &[u64], strides: &[u64]) -> Option<u64> {
    indices.iter().zip(strides).try_fold(0u64, |sum, (index, stride)| sum.checked_add(index.checked_mul(*stride)?))
}
