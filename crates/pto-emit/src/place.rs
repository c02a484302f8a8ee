//! Addresses for tiles and buffers that have none.
//!
//! Tiles of a function lie one after another in each memory, in the order of the text; a function that is called starts
//! where its callers end. Nothing is shared, so nothing can be overwritten too early. A real planner comes before
//! this and gives every tile an address.

use crate::cpp::lowered_tile;
use pto_check::Checked;
use pto_ir::{Attr, Module, OpId};
use pto_isa::table::op;
use pto_isa::{Diagnostic, Loc, Target, TileType, Type, codes};
use std::collections::HashMap;

/// Reserved buffers start at multiples of this, as in the public assembler.
const RESERVED_ALIGN: u64 = 256;

/// Where allocations and reserved buffers lie.
#[derive(Default)]
pub(crate) struct Places {
    address: HashMap<OpId, u64>,
}

impl Places {
    /// The address of what an operation allocates or reserves.
    pub(crate) fn of(&self, id: OpId) -> Option<u64> {
        self.address.get(&id).copied()
    }
}

/// Bytes used in each memory.
type Used = [u64; Loc::ALL.len()];

/// Places everything that has no address, and says what does not fit.
pub(crate) fn place(checked: &Checked, problems: &mut Vec<Diagnostic>) -> Places {
    let module = checked.module();
    let functions = module.functions();
    let callers = callers(module, &functions);
    let mut placer = Placer {
        module,
        manual: &checked.info().manual,
        target: checked.info().target,
        places: Places::default(),
        problems,
    };
    let mut ends: HashMap<OpId, Used> = HashMap::new();
    for &function in &callers_first(&functions, &callers) {
        let mut used = Used::default();
        for caller in callers.get(&function).into_iter().flatten() {
            for (u, end) in used.iter_mut().zip(ends.get(caller).copied().unwrap_or_default()) {
                *u = (*u).max(end);
            }
        }
        placer.function(function, &mut used);
        ends.insert(function, used);
    }
    if functions.is_empty() {
        let mut used = Used::default();
        placer.list(&module.order(), &mut used);
    }
    placer.places
}

struct Placer<'a> {
    module: &'a Module,
    /// Operations of functions that place their tiles themselves.
    manual: &'a [bool],
    target: Target,
    places: Places,
    problems: &'a mut Vec<Diagnostic>,
}

impl Placer<'_> {
    fn function(&mut self, function: OpId, used: &mut Used) {
        let mut inside = Vec::new();
        for &region in self.module.op_regions(function) {
            for &block in &self.module.region(region).blocks {
                self.module.walk(block, &mut |id| inside.push(id));
            }
        }
        self.list(&inside, used);
    }

    /// Tiles first, reserved buffers behind them.
    fn list(&mut self, ops: &[OpId], used: &mut Used) {
        for &id in ops {
            let code = self.module.op(id).op;
            let allocates = matches!(code, op::alloc_tile | op::alloc_multi_tile | op::memref_alloc);
            if !allocates || self.has_address(id) || self.manual[id.index()] {
                continue;
            }
            let Some(result) = self.module.results(id).next() else { continue };
            let (tile, count) = match self.module.value_type(result) {
                Type::Tile(t) | Type::TileBuf(t) => (*t, 1),
                Type::MultiTile(t, n) => (*t, *n),
                other => match lowered_tile(other) {
                    Some(tile) => (tile, 1),
                    None => continue,
                },
            };
            let align = self.target.profile().space(tile.loc).map_or(1, |s| s.align.max(1));
            let bytes = tile_bytes(&tile).next_multiple_of(align).saturating_mul(count);
            self.put(id, tile.loc, bytes, align, used);
        }
        for &id in ops {
            if self.module.op(id).op == op::reserve_buffer {
                self.reserve(id, used);
            }
        }
    }

    fn has_address(&self, id: OpId) -> bool {
        let slot = self.module.op(id).op.row().slot("addr");
        slot.is_some_and(|slot| self.module.in_slot(id, slot).next().is_some())
    }

    fn reserve(&mut self, id: OpId, used: &mut Used) {
        if let Some(base) = self.module.attr(id, "base").and_then(Attr::int) {
            self.places.address.insert(id, base as u64);
            return;
        }
        let size = self.module.attr(id, "size").and_then(Attr::int).unwrap_or(0).max(0) as u64;
        let loc = match self.module.attr(id, "location") {
            Some(Attr::Enum(def, at)) => Loc::parse(def.value(usize::from(*at))),
            _ => None,
        };
        self.put(id, loc.unwrap_or(Loc::Vec), size, RESERVED_ALIGN, used);
    }

    fn put(&mut self, id: OpId, loc: Loc, bytes: u64, align: u64, used: &mut Used) {
        let at = &mut used[loc as usize];
        let start = at.next_multiple_of(align);
        *at = start.saturating_add(bytes);
        let end = *at;
        self.places.address.insert(id, start);
        let Some(space) = self.target.profile().space(loc) else { return };
        if end > space.bytes {
            let message =
                format!("tiles in {} need {end} bytes side by side, {} has {}", space.name, self.target, space.bytes);
            let d = Diagnostic::new(codes::EMIT_MEMORY, self.module.op(id).name_span, message)
                .remark(format!("this one would end at {end}"))
                .legal("addresses on every tile (level 3), or smaller tiles");
            self.problems.push(d.help("give tiles that are not used at the same time one address"));
        }
    }
}

/// Bytes of a tile, with the column that a padded layout adds.
fn tile_bytes(tile: &TileType) -> u64 {
    let padding = if tile.compact == pto_isa::Compact::RowPlusOne { tile.rows.max(tile.cols) } else { 0 };
    tile.bytes().saturating_add(padding * u64::from(tile.dtype.unit_bytes()))
}

/// Who calls each function.
fn callers(module: &Module, functions: &[OpId]) -> HashMap<OpId, Vec<OpId>> {
    let by_name: HashMap<&str, OpId> = functions.iter().filter_map(|&f| Some((symbol(module, f)?, f))).collect();
    let mut callers: HashMap<OpId, Vec<OpId>> = HashMap::new();
    for &function in functions {
        for callee in called(module, function).iter().filter_map(|name| by_name.get(name)) {
            callers.entry(*callee).or_default().push(function);
        }
    }
    callers
}

/// The names a function calls, in order.
pub(crate) fn called(module: &Module, function: OpId) -> Vec<&str> {
    let mut names = Vec::new();
    for &region in module.op_regions(function) {
        for &block in &module.region(region).blocks {
            module.walk(block, &mut |id| {
                if let (op::func_call, Some(Attr::Symbol(name))) = (module.op(id).op, module.attr(id, "callee")) {
                    names.push(module.names.text(*name));
                }
            });
        }
    }
    names
}

/// The name of a function.
pub(crate) fn symbol(module: &Module, function: OpId) -> Option<&str> {
    match module.attr(function, "sym_name") {
        Some(Attr::Str(s) | Attr::Symbol(s)) => Some(module.names.text(*s)),
        _ => None,
    }
}

/// Functions in an order in which callers come before what they call. Calls in circles are not legal programs.
fn callers_first(functions: &[OpId], callers: &HashMap<OpId, Vec<OpId>>) -> Vec<OpId> {
    let mut order: Vec<OpId> = Vec::with_capacity(functions.len());
    while order.len() < functions.len() {
        let before = order.len();
        for &f in functions {
            let ready = callers.get(&f).is_none_or(|list| list.iter().all(|c| order.contains(c)));
            if ready && !order.contains(&f) {
                order.push(f);
            }
        }
        if order.len() == before {
            order.extend(functions.iter().filter(|f| !order.contains(f)).copied().collect::<Vec<_>>());
        }
    }
    order
}
