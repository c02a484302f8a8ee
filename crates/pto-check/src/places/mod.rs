//! Addresses of tiles, as far as the program states them: directly, and as windows of other tiles.

mod carried;
mod linear;
mod runs;
mod window;

use crate::Info;
use crate::cases::{Case, Unknown};
use crate::memory::addresses;
pub(crate) use carried::CarriedTiles;
pub(crate) use linear::Linear;
use pto_ir::{BlockId, Def, Module, OpId, ValueId};
use pto_isa::hash::FastMap;
use pto_isa::row::{Arith, Control, Effect, HiddenMemory, Meaning, Storage};
use pto_isa::{Loc, TileType, Type};
pub(crate) use runs::Runs;
use std::rc::Rc;
pub(crate) use window::{Overlap, TileExtent, TileHome, Window};

/// The address range of a tile.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct AddressRange {
    pub(crate) loc: Loc,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl AddressRange {
    /// Of a tile that an operation allocates or assigns.
    pub(crate) fn of(module: &Module, info: &Info, tile: ValueId) -> Option<Self> {
        let id = module.definition(tile)?;
        if !matches!(module.storage(id), Some(Storage::Tile | Storage::Assign)) {
            return None;
        }
        let (address, _) = *addresses(module, info, id).first()?;
        let start = u64::try_from(address?).ok()?;
        let tile = module.tile(tile)?;
        Some(Self { loc: tile.loc, start, end: start.saturating_add(tile.bytes()) })
    }

    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.loc == other.loc && self.start < other.end && other.start < self.end
    }
}

/// The bytes that an instruction uses implicitly.
pub(crate) fn hidden_runs(memory: &HiddenMemory) -> Runs {
    let size = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    Runs::one(size(memory.start), size(memory.end.saturating_sub(memory.start)))
}

/// Limit of tiles that a nested choice selects from.
const MANY_CHOICES: usize = 16;

/// An operation that binds an existing tile to memory.
struct Binding {
    id: OpId,
    window: Option<Window>,
}

/// The tiles of a program and their addresses.
pub(crate) struct TileAddresses<'a> {
    module: &'a Module,
    info: &'a Info,
    /// The bindings of tiles by `tassign` and `tsubview`, in text order.
    bound: FastMap<ValueId, Vec<Binding>>,
    /// Windows of tiles that are allocated at an address.
    placed: FastMap<ValueId, Window>,
    /// Windows of views, and of names that are passed on unchanged.
    views: FastMap<ValueId, Window>,
    /// The block and position of operations; only if tiles are bound.
    stands: FastMap<OpId, (BlockId, usize)>,
    /// Loop parameters that are not the same tile in every iteration, and their loops.
    exchanged: FastMap<ValueId, OpId>,
    /// Those loops.
    carried: FastMap<OpId, Rc<CarriedTiles>>,
}

impl<'a> TileAddresses<'a> {
    pub(crate) fn new(module: &'a Module, order: &[OpId], info: &'a Info) -> Self {
        let mut this = Self {
            module,
            info,
            bound: FastMap::default(),
            placed: FastMap::default(),
            views: FastMap::default(),
            stands: FastMap::default(),
            exchanged: FastMap::default(),
            carried: FastMap::default(),
        };
        for &id in order {
            if module.storage(id) == Some(Storage::Tile) {
                let windows = module.results(id).filter_map(|tile| Some((tile, this.addressed(id, tile)?)));
                this.placed.extend(windows.collect::<Vec<_>>());
            }
            if let Some(tile) = this.rebinds(id) {
                let window = (module.storage(id) == Some(Storage::Assign)).then(|| this.addressed(id, tile)).flatten();
                this.bound.entry(tile).or_default().push(Binding { id, window });
            }
        }
        if !this.bound.is_empty() {
            let position: FastMap<OpId, usize> = order.iter().enumerate().map(|(at, id)| (*id, at)).collect();
            for block in module.all_blocks() {
                let ops = module.block(block).ops.iter().filter_map(|id| Some((*id, (block, *position.get(id)?))));
                this.stands.extend(ops);
            }
        }
        let ways = this.ways();
        for &id in order {
            this.note(id, &ways);
        }
        this
    }

    /// The tile that an operation binds to other memory.
    fn rebinds(&self, id: OpId) -> Option<ValueId> {
        let module = self.module;
        match module.storage(id) {
            // The assembler form gives the address its own name.
            Some(Storage::Assign) => module.results(id).next().or_else(|| module.operands(id).first().map(|o| o.value)),
            Some(Storage::BindWindow | Storage::BindAlias) => {
                module.results(id).next().or_else(|| module.operand(id, "dst"))
            }
            _ => None,
        }
        .filter(|tile| module.tile(*tile).is_some())
    }

    /// The sources of tile values that branches and loops pass on.
    fn ways(&self) -> FastMap<ValueId, Vec<ValueId>> {
        let mut ways: FastMap<ValueId, Vec<ValueId>> = FastMap::default();
        for (from, to) in self.module.ways() {
            if from != to && self.module.tile(to).is_some() {
                ways.entry(to).or_default().push(from);
            }
        }
        ways
    }

    /// Records what an operation says about addresses of tiles.
    fn note(&mut self, id: OpId, ways: &FastMap<ValueId, Vec<ValueId>>) {
        let module = self.module;
        match module.meaning(id) {
            Meaning::Storage(Storage::BindWindow | Storage::BindAlias) => {
                let Some(tile) = self.rebinds(id) else { return };
                let window = self.bound_window(id, tile);
                let list = self.bound.entry(tile).or_default();
                list.iter_mut().filter(|b| b.id == id).for_each(|b| b.window.clone_from(&window));
            }
            Meaning::Storage(Storage::Assign | Storage::Tile) | Meaning::Control(Control::Call | Control::Function) => {
            }
            Meaning::Control(Control::For | Control::If) => {
                let arguments = module.op_regions(id).iter().filter_map(|r| module.region(*r).blocks.first());
                let arguments = arguments.flat_map(|b| module.block(*b).args.clone()).collect::<Vec<_>>();
                for value in arguments.into_iter().chain(module.results(id)) {
                    let window = ways.get(&value).and_then(|from| self.handed_on(from, id));
                    self.views.extend(window.map(|w| (value, w)));
                }
                self.note_exchanged(id);
            }
            _ if is_view(module, id) => {
                let result = module.results(id).next();
                let Some((value, ty)) = result.and_then(|v| Some((v, *module.tile(v)?))) else { return };
                let window = self.view(id, ty).unwrap_or_else(|| Window::lost(value, ty));
                self.views.insert(value, window);
            }
            _ => {}
        }
    }

    fn note_exchanged(&mut self, id: OpId) {
        let Some(carried) = CarriedTiles::of(self.module, id) else { return };
        let tiles = carried.args.iter().filter(|arg| self.module.tile(**arg).is_some());
        let exchanged: Vec<ValueId> = tiles.filter(|arg| !self.views.contains_key(arg)).copied().collect();
        if !exchanged.is_empty() {
            self.exchanged.extend(exchanged.into_iter().map(|arg| (arg, id)));
            self.carried.insert(id, Rc::new(carried));
        }
    }

    /// The tiles that a loop carries, if they are not the same in every iteration.
    pub(crate) fn carried(&self, id: OpId) -> Option<&Rc<CarriedTiles>> {
        self.carried.get(&id)
    }

    /// True when a loop carries tiles that are not the same in every iteration.
    pub(crate) fn exchanges(&self) -> bool {
        !self.carried.is_empty()
    }

    /// The one tile that is passed on, on every path.
    fn handed_on(&self, from: &[ValueId], id: OpId) -> Option<Window> {
        let (first, rest) = from.split_first()?;
        let window = self.window(*first, id)?;
        rest.iter().all(|v| self.window(*v, id).as_ref() == Some(&window)).then_some(window)
    }

    /// The window of a view; `None` if unknown.
    fn view(&self, id: OpId, ty: TileType) -> Option<Window> {
        let module = self.module;
        let source = module.operands(id).first()?.value;
        let number = |name: &str, at: usize| {
            let slot = module.op(id).op.row().slot(name)?;
            Some(Linear::of(module, self.info, module.in_slot(id, slot).nth(at)?.value))
        };
        match module.storage(id) {
            Some(Storage::Window | Storage::ClippedWindow) => {
                let (row, col) = (number("offsets", 0)?, number("offsets", 1)?);
                self.window(source, id)?.part(&row, &col, ty, false)
            }
            Some(Storage::Pick) => self.copy_of(source, &number("slot", 0)?, ty),
            _ if module.operands(id).len() == 1 => Some(self.window(source, id)?.retyped(ty)),
            _ => None,
        }
    }

    /// One of several consecutive tiles.
    fn copy_of(&self, source: ValueId, slot: &Linear, ty: TileType) -> Option<Window> {
        let Type::MultiTile(..) = self.module.value_type(source) else { return None };
        let align = self.info.target.profile().space(ty.loc).map_or(1, |s| s.align.max(1));
        let address = self.module.definition(source).and_then(|id| self.address(id));
        let (home, mut start) = match address {
            Some(address) => (TileHome::At(ty.loc), address),
            None => (TileHome::Tile(source), Linear::default()),
        };
        start.add(slot, i64::try_from(ty.bytes().next_multiple_of(align)).ok()?);
        Some(Window::whole(home, start, ty))
    }

    /// The window that `tsubview` binds a tile to.
    fn bound_window(&self, id: OpId, tile: ValueId) -> Option<Window> {
        let (module, ty) = (self.module, *self.module.tile(tile)?);
        let operand = |name: &str| {
            let slot = module.op(id).op.row().slot(name)?;
            module.in_slot(id, slot).next().map(|o| o.value)
        };
        let source = self.window(operand("src")?, id)?;
        if module.storage(id) == Some(Storage::BindAlias) {
            return Some(source.retyped(ty));
        }
        let number = |name: &str| Some(Linear::of(module, self.info, operand(name)?));
        source.part(&number("row_idx")?, &number("col_idx")?, ty, true)
    }

    /// The address that an operation gives, as far as it is known.
    fn address(&self, id: OpId) -> Option<Linear> {
        let (module, row) = (self.module, self.module.op(id).op.row());
        let slot = ["addr", "address"].iter().find_map(|name| row.slot(name));
        if let Some(operand) = slot.and_then(|slot| module.in_slot(id, slot).next()) {
            return Some(Linear::of(module, self.info, operand.value));
        }
        let (address, _) = *addresses(module, self.info, id).first()?;
        address.map(Linear::constant)
    }

    /// The window that an operation assigns to a tile.
    fn addressed(&self, id: OpId, tile: ValueId) -> Option<Window> {
        let ty = *self.module.tile(tile)?;
        Some(Window::whole(TileHome::At(ty.loc), self.address(id)?, ty))
    }

    /// The window of a tile when an operation executes.
    pub(crate) fn window(&self, tile: ValueId, at: OpId) -> Option<Window> {
        let ty = *self.module.tile(tile)?;
        let unknown = || Some(Window::lost(tile, ty));
        match self.bound.get(&tile) {
            Some(list) if self.is_always(list, tile, at) => list[0].window.clone(),
            Some(list) => self.last_before(list, at).or_else(unknown),
            None => self.views.get(&tile).cloned().or_else(|| Some(self.root(tile, ty))),
        }
    }

    /// True when the address of a tile depends on conditions or counters.
    pub(crate) fn varies(&self, tile: ValueId, at: OpId) -> bool {
        let Some(window) = self.window(tile, at) else { return false };
        let chosen = matches!(window.home, TileHome::Tile(v) if self.is_chosen(v) || self.exchanged.contains_key(&v));
        chosen || matches!(window.home, TileHome::At(_)) && !window.start.unknown.is_empty()
    }

    fn is_chosen(&self, tile: ValueId) -> bool {
        let id = self.module.definition(tile);
        id.is_some_and(|id| {
            matches!(self.module.meaning(id), Meaning::Control(Control::If) | Meaning::Arith(Arith::Select))
        })
    }

    /// The possible windows of a tile that conditions choose.
    pub(crate) fn alternatives(&self, tile: ValueId, at: OpId) -> Vec<Window> {
        // Without a choice there is only one, and it is already known.
        let is_open = |w: &Window| matches!(w.home, TileHome::Tile(v) if self.is_chosen(v));
        let Some(window) = self.window(tile, at).filter(is_open) else { return Vec::new() };
        let (mut open, mut found) = (vec![window], Vec::new());
        for _ in 0..MANY_CHOICES {
            let Some(window) = open.pop() else { break };
            let behind = match window.home {
                TileHome::Tile(v) if self.is_chosen(v) => self.choices(v),
                _ => {
                    found.push(window);
                    continue;
                }
            };
            let behind = behind.into_iter().filter_map(|v| window.based_on(&self.window(v, at)?));
            open.extend(behind.collect::<Vec<_>>());
        }
        found
    }

    /// The tiles that a branch or a selection chooses from.
    fn choices(&self, tile: ValueId) -> Vec<ValueId> {
        let (module, Def::Result(id, _)) = (self.module, self.module.value(tile).def) else { return Vec::new() };
        if module.arith(id) == Some(Arith::Select) {
            return module.operands(id).iter().skip(1).map(|o| o.value).collect();
        }
        let Some(at) = module.results(id).position(|r| r == tile) else { return Vec::new() };
        let ends = module.op_regions(id).iter().filter_map(|r| module.region(*r).blocks.last());
        let ends = ends.filter_map(|b| module.block(*b).ops.last());
        ends.filter_map(|end| module.operands(*end).get(at).map(|o| o.value)).collect()
    }

    /// The window of a tile in a case.
    pub(crate) fn window_in(&self, tile: ValueId, at: OpId, case: &mut Case) -> Result<Window, Unknown> {
        let mut window = self.window(tile, at).ok_or(Unknown::Value)?;
        for _ in 0..MANY_CHOICES {
            let TileHome::Tile(chosen) = window.home else { break };
            let Some(next) = self.chosen(chosen, case)? else { break };
            let behind = self.window(next, at).ok_or(Unknown::Value)?;
            window = window.based_on(&behind).ok_or(Unknown::Value)?;
        }
        let parts: Vec<(ValueId, i64)> = window.start.unknown.iter().map(|(v, n)| (*v, *n)).collect();
        for (value, times) in parts {
            let n = case.number(self.module, self.info, value)?;
            window.start.unknown.remove(&value);
            window.start.constant = window.start.constant.saturating_add(n.saturating_mul(times));
        }
        Ok(window)
    }

    /// The tile that a loop parameter is in the iteration of a case.
    fn in_iteration(&self, tile: ValueId, id: OpId, case: &mut Case) -> Result<ValueId, Unknown> {
        let carried = self.carried.get(&id).ok_or(Unknown::Value)?;
        let bound = |n: usize| self.module.operands(id).get(n).and_then(|o| self.info.computed(o.value));
        let (from, step) = bound(0).zip(bound(2).filter(|step| *step > 0)).ok_or(Unknown::Value)?;
        let counter = case.number(self.module, self.info, carried.counter)?;
        let iteration = usize::try_from(counter.saturating_sub(from) / step).ok();
        let tiles = iteration.and_then(|n| carried.at(n)).ok_or(Unknown::Value)?;
        let at = carried.args.iter().position(|arg| *arg == tile);
        at.and_then(|at| tiles[at]).ok_or(Unknown::Value)
    }

    /// The tile that a branch, a selection or a loop returns in a case.
    fn chosen(&self, tile: ValueId, case: &mut Case) -> Result<Option<ValueId>, Unknown> {
        if let Some(id) = self.exchanged.get(&tile) {
            return self.in_iteration(tile, *id, case).map(Some);
        }
        let (module, Def::Result(id, _)) = (self.module, self.module.value(tile).def) else { return Ok(None) };
        let operand = |n: usize| module.operands(id).get(n).map(|o| o.value).ok_or(Unknown::Value);
        match module.meaning(id) {
            Meaning::Arith(Arith::Select) => {
                let taken = case.truth(module, self.info, operand(0)?)?;
                operand(if taken { 1 } else { 2 }).map(Some)
            }
            Meaning::Control(Control::If) => {
                let side = case.side(module, self.info, id)?.ok_or(Unknown::Value)?;
                let at = module.results(id).position(|r| r == tile).ok_or(Unknown::Value)?;
                let ends = module.region(side).blocks.last().and_then(|b| module.block(*b).ops.last());
                let end = ends.ok_or(Unknown::Value)?;
                Ok(Some(module.operands(*end).get(at).ok_or(Unknown::Value)?.value))
            }
            _ => Ok(None),
        }
    }

    /// A tile that is not a view.
    fn root(&self, tile: ValueId, ty: TileType) -> Window {
        let placed = self.placed.get(&tile).cloned();
        placed.unwrap_or_else(|| Window::whole(TileHome::Tile(tile), Linear::default(), ty))
    }

    /// True when a tile has exactly one binding, and no memory before.
    fn is_always(&self, list: &[Binding], tile: ValueId, at: OpId) -> bool {
        let behind = |b: &Binding| self.stands.get(&b.id).map(|s| s.1) < self.stands.get(&at).map(|s| s.1);
        let elsewhere = || self.placed.contains_key(&tile);
        is_one_place(list) && list.first().is_some_and(|b| behind(b) || !elsewhere())
    }

    /// The last binding before an operation in the same block; elsewhere other iterations and branches may have bound it.
    fn last_before(&self, list: &[Binding], at: OpId) -> Option<Window> {
        let (block, position) = *self.stands.get(&at)?;
        let before = list.partition_point(|b| self.stands.get(&b.id).is_some_and(|(_, p)| *p < position));
        let last = &list[before.checked_sub(1)?];
        (self.stands.get(&last.id)?.0 == block).then(|| last.window.clone()).flatten()
    }

    /// How a destination shares memory with a source. Of lines that start at the same byte, those of the destination must not be
    /// longer.
    pub(crate) fn in_place(&self, dst: ValueId, src: ValueId, at: OpId) -> Overlap {
        match (self.window(dst, at), self.window(src, at)) {
            (Some(x), Some(y)) => x.in_place(&y),
            _ => Overlap::Unknown,
        }
    }

    /// How a tile shares memory with the data of another when an operation executes.
    pub(crate) fn overlap(&self, (a, extent): (ValueId, TileExtent), b: ValueId, at: OpId) -> Overlap {
        match (self.window(a, at), self.window(b, at)) {
            (Some(x), Some(y)) => x.overlap(extent, &y),
            _ => Overlap::Unknown,
        }
    }
}

fn is_view(module: &Module, id: OpId) -> bool {
    module.op(id).op.row().effect == Effect::View
}

/// True when all bindings are the same.
fn is_one_place(list: &[Binding]) -> bool {
    let fixed = |b: &Binding| b.window.as_ref().is_some_and(|w| w.start.unknown.is_empty());
    list.iter().all(|b| fixed(b) && b.window == list[0].window)
}
