//! Live ranges of tiles.

use super::jumps::needed_everywhere;
use crate::effects::{CoreSet, OrderEffect, effect};
use crate::order::OpPositions;
use crate::places::{Home, ValueMemory, memory_of};
use pto_check::Checked;
use pto_ir::{Def, Module, OpId, Operand, ValueId};
use pto_isa::cancel::poll;
use pto_isa::ordered::{OrdMap, OrdSet};
use pto_isa::row::{Control, Storage};
use pto_isa::sort::SharedSort;
use pto_isa::text;
use pto_isa::{Diagnostic, Loc, Targets, codes};
use std::collections::VecDeque;
use std::ops::Range;

/// A tile that needs an address.
#[derive(Clone, Debug)]
pub(crate) struct LiveTile {
    pub value: ValueId,
    pub alloc: OpId,
    pub loc: Loc,
    pub bytes: u64,
    /// Positions of the first and the last access, extended by loops in which it stays live.
    pub start: u32,
    pub end: u32,
    /// The operations there.
    pub first: OpId,
    pub last: OpId,
    /// The tile whose bytes it reuses: the instruction that reads that tile last writes this one.
    pub takes_over: Option<ValueId>,
    /// Nothing else reads that tile, so no wait is added.
    pub for_free: bool,
    /// The tile that the other side of a branch creates for the same result.
    pub other_side: Option<ValueId>,
}

/// An access of a tile.
#[derive(Clone, Copy, Debug)]
pub(super) struct TileAccess {
    pub(super) op: OpId,
    /// Everything is written, and nothing is read.
    pub(super) kills: bool,
    reads: bool,
}

/// The tiles of all functions that need an address, in text order.
pub(crate) fn tiles(checked: &Checked, order: &OpPositions) -> Vec<LiveTile> {
    let module = checked.module();
    let mut places = ValueMemory::new(checked);
    let mut accesses = AllAccesses::new(&mut places);
    let mut all = Vec::new();
    // Operations that assign an address to a tile.
    let mut assigned: OrdMap<ValueId, OpId> = OrdMap::new();
    for id in module.order() {
        poll();
        match module.storage(id) {
            Some(Storage::Tile | Storage::Tiles | Storage::Buffer) if places.address(id).is_none() => all.push(id),
            Some(Storage::Assign) => {
                if let Some(tile) = module.operands(id).first() {
                    assigned.entry(tile.value).or_insert(id);
                }
            }
            _ => note(checked, &mut places, id, &mut accesses),
        }
    }
    accesses.sort(order);
    // Uses before the assignment need an address until then.
    let has_address = |tile: &ValueId| {
        let first = accesses.first(order, *tile);
        assigned.get(tile).is_some_and(|at| first.is_none_or(|first| order.first(*at) < first))
    };
    let is_open = |id: &OpId| module.results(*id).all(|tile| !has_address(&tile));
    let open = all.into_iter().filter(is_open);
    let everywhere = needed_everywhere(module, order, &accesses.of);
    let mut tiles: Vec<LiveTile> = open.filter_map(|id| tile(checked, order, id, &accesses)).collect();
    let at: OrdMap<ValueId, usize> = tiles.iter().enumerate().map(|(k, t)| (t.value, k)).collect();
    for (value, around) in everywhere {
        if let Some(tile) = at.get(&value).map(|k| &mut tiles[*k]) {
            tile.start = tile.start.min(order.first(around));
            tile.end = tile.end.max(order.last(around));
        }
    }
    take_over(checked, order, &mut tiles, &accesses);
    join_sides(module, order, &mut tiles);
    tiles
}

/// A tile has one address. If a function that allocates and returns a tile is called again, it would return the same bytes.
pub(crate) fn returned_anew(checked: &Checked, order: &OpPositions) -> Vec<Diagnostic> {
    let module = checked.module();
    let mut places = ValueMemory::new(checked);
    let merged = places.merged_tiles();
    let mut problems = Vec::new();
    for id in module.order().into_iter().filter(|id| module.control(*id) == Some(Control::Return)) {
        let is_local = |o: &&Operand| module.value_type(o.value).local_space().is_some();
        for operand in module.operands(id).iter().filter(is_local) {
            let Some(function) = order.repeated_function(id) else { continue };
            let is_made_there = |tile: &ValueId| match module.value(*tile).def {
                Def::Result(made, _) => order.contains(function, made),
                _ => false,
            };
            let is_own = |home: Home| match home {
                Home::Tile(tile) => merged.get(&tile).map_or(&[tile][..], |all| all).iter().any(is_made_there),
                _ => false,
            };
            if places.of(operand.value).iter().any(|region| is_own(region.home)) {
                let message = text!("a function that is called more than once returns a buffer that it allocates");
                let problem = Diagnostic::new(codes::NOT_INFERRED, operand.span, message);
                let legal = text!("a buffer with a separate address for every call");
                problems.push(problem.legal(legal).help(text!("allocate it in the caller and pass it as an argument")));
            }
        }
    }
    problems
}

/// The accesses of all tiles.
struct AllAccesses {
    /// By tile.
    of: OrdMap<ValueId, Vec<TileAccess>>,
    /// The root of each merged tile.
    merged: OrdMap<ValueId, ValueId>,
    /// Accesses of merged tiles.
    of_merged: OrdMap<ValueId, Together>,
}

/// Accesses of merged tiles: only their range with all loops around is kept.
#[derive(Default)]
struct Together {
    list: Vec<OpId>,
    reads: usize,
    /// The first and the last position, and the operations there.
    span: Option<(u32, u32)>,
    ends: Option<(OpId, OpId)>,
}

impl AllAccesses {
    fn new(places: &mut ValueMemory<'_>) -> Self {
        let tiles = places.merged_tiles().into_iter();
        let merged = tiles.flat_map(|(root, all)| all.into_iter().map(move |tile| (tile, root))).collect();
        Self { of: OrdMap::new(), merged, of_merged: OrdMap::new() }
    }

    fn of(&self, tile: ValueId) -> &[TileAccess] {
        self.of.get(&tile).map_or(&[], Vec::as_slice)
    }

    fn together(&self, tile: ValueId) -> Option<&Together> {
        self.merged.get(&tile).and_then(|root| self.of_merged.get(root))
    }

    /// The position of the first access of a tile.
    fn first(&self, order: &OpPositions, tile: ValueId) -> Option<u32> {
        let own = self.of(tile).first().map(|a| order.first(a.op));
        let together = self.together(tile).and_then(|t| t.span).map(|span| span.0);
        own.into_iter().chain(together).min()
    }

    fn readers(&self, tile: ValueId) -> usize {
        self.of(tile).iter().filter(|a| a.reads).count() + self.together(tile).map_or(0, |t| t.reads)
    }

    /// True when the first access of a tile writes all of it.
    fn is_born(&self, order: &OpPositions, tile: ValueId) -> bool {
        let first = self.of(tile).first();
        first.is_some_and(|a| a.kills && self.first(order, tile) == Some(order.first(a.op)))
    }

    fn sort(&mut self, order: &OpPositions) {
        // A function may come after its callers in the text.
        self.of.values_mut().for_each(|list| list.shared_sort_by_key(|access| order.first(access.op)));
        self.of_merged.values_mut().for_each(|together| together.span_all(order));
    }
}

impl Together {
    fn span_all(&mut self, order: &OpPositions) {
        let mut seen = OrdSet::new();
        for id in &self.list {
            let (mut start, mut end) = (order.first(*id), order.last(*id));
            let mut next = order.loop_around(*id);
            // Outer loops have been visited.
            while let Some(around) = next.filter(|around| seen.insert(*around)) {
                (start, end) = (start.min(order.first(around)), end.max(order.last(around)));
                next = order.loop_around(around);
            }
            let (first, last) = self.ends.unwrap_or((*id, *id));
            self.ends = Some((
                std::cmp::min_by_key(first, *id, |id| order.first(*id)),
                std::cmp::max_by_key(last, *id, |id| order.first(*id)),
            ));
            let (from, to) = self.span.unwrap_or((start, end));
            self.span = Some((from.min(start), to.max(end)));
        }
    }
}

fn note(checked: &Checked, places: &mut ValueMemory<'_>, id: OpId, accesses: &mut AllAccesses) {
    let module = checked.module();
    if !module.op_regions(id).is_empty() {
        return;
    }
    let mut found: OrdMap<ValueId, TileAccess> = OrdMap::new();
    // An access to a merged tile under its own name accesses no other.
    let mut add = |places: &ValueMemory<'_>, (tile, value): (ValueId, ValueId), reads: bool, writes: bool| {
        let is_merged = accesses.merged.contains_key(&tile);
        if is_merged && !places.is_own(value) {
            let together = accesses.of_merged.entry(tile).or_default();
            together.reads += usize::from(reads);
            if together.list.last() != Some(&id) {
                together.list.push(id);
            }
            return;
        }
        let tile = if is_merged { value } else { tile };
        let access = found.entry(tile).or_insert(TileAccess { op: id, kills: false, reads: false });
        access.reads |= reads;
        access.kills |= writes && tile == value;
    };
    match effect(checked, places, id, CoreSet::Any) {
        OrderEffect::Touches(touches) => {
            for touch in touches {
                if let Home::Tile(tile) = touch.region.home {
                    add(places, (tile, touch.value), !touch.write, touch.write);
                }
            }
        }
        _ => {
            // An operation that takes a tile without accessing it, for example its address, may keep it.
            let is_tile = |v: &ValueId| module.value_type(*v).local_space().is_some();
            let operands = module.operands(id).iter().map(|o| o.value).filter(is_tile);
            for value in operands.collect::<Vec<_>>() {
                for region in places.of(value).iter() {
                    if let Home::Tile(tile) = region.home {
                        add(places, (tile, value), true, false);
                    }
                }
            }
        }
    }
    for (tile, access) in found {
        let kills = access.kills && !access.reads;
        accesses.of.entry(tile).or_default().push(TileAccess { kills, ..access });
    }
}

fn tile(checked: &Checked, order: &OpPositions, id: OpId, all: &AllAccesses) -> Option<LiveTile> {
    poll();
    let module = checked.module();
    let value = module.results(id).next()?;
    let (loc, bytes) = memory_of(checked, value)?;
    let list = all.of(value);
    let together = all.together(value).and_then(|t| t.span.zip(t.ends));
    let own = || list.first().zip(list.last()).map(|(first, last)| (first.op, last.op));
    let (first, last) = match (own(), together) {
        (Some(own), None) => own,
        (None, Some((_, ends))) => ends,
        (Some(own), Some((_, ends))) => (
            std::cmp::min_by_key(own.0, ends.0, |id| order.first(*id)),
            std::cmp::max_by_key(own.1, ends.1, |id| order.first(*id)),
        ),
        (None, None) => (id, id),
    };
    // A callee executes at the call.
    let calls = module.control(last) == Some(Control::Call);
    let (mut start, mut end) = (order.first(first), if calls { order.last(last) } else { order.first(last) });
    let accesses = TileAccesses { order, list };
    for around in accesses.loops(id) {
        if accesses.need_iterations(around) || accesses.outlast_condition(module, around) {
            start = start.min(order.first(around));
            end = end.max(order.last(around));
        }
    }
    if let Some(((from, to), _)) = together {
        (start, end) = (start.min(from), end.max(to));
        for around in accesses.all_loops() {
            (start, end) = (start.min(order.first(around)), end.max(order.last(around)));
        }
    }
    end = end.max(order.called_until(id).unwrap_or(0));
    Some(LiveTile {
        value,
        alloc: id,
        loc,
        bytes,
        start,
        end,
        first,
        last,
        takes_over: None,
        for_free: false,
        other_side: None,
    })
}

/// The accesses of a tile, in the order of the text.
pub(super) struct TileAccesses<'a> {
    pub(super) order: &'a OpPositions,
    pub(super) list: &'a [TileAccess],
}

impl TileAccesses<'_> {
    /// The accesses in a loop: they are consecutive.
    pub(super) fn inside(&self, around: OpId) -> Range<usize> {
        let (order, list) = (self.order, self.list);
        let start = list.partition_point(|a| order.first(a.op) <= order.first(around));
        start..start + list[start..].partition_point(|a| order.first(a.op) < order.last(around))
    }

    /// The loops in which a tile is live across iterations. A tile that every iteration allocates anew is so only if it is yielded.
    fn loops(&self, alloc: OpId) -> OrdSet<OpId> {
        let order = self.order;
        let mut found = OrdSet::new();
        let is_used_before = self.list.first().is_some_and(|a| order.first(a.op) < order.first(alloc));
        let is_kept = |around: OpId| order.contains(around, alloc) && self.inside(around).len() == self.list.len();
        for access in self.list {
            let mut next = order.loop_around(access.op);
            while let Some(around) = next {
                // Outer loops are around the whole tile, too, or have been visited.
                if !is_used_before && is_kept(around) || !found.insert(around) {
                    break;
                }
                next = order.loop_around(around);
            }
        }
        found
    }

    /// All loops around accesses.
    pub(super) fn all_loops(&self) -> OrdSet<OpId> {
        let mut found = OrdSet::new();
        for access in self.list {
            let mut next = self.order.loop_around(access.op);
            while let Some(around) = next.filter(|around| found.insert(*around)) {
                next = self.order.loop_around(around);
            }
        }
        found
    }

    /// True when the content of a tile at the start of an iteration may be needed: unless the iteration always writes it first.
    fn need_iterations(&self, around: OpId) -> bool {
        let first = self.list[self.inside(around)].first();
        !first.is_some_and(|a| a.kills && self.order.parent(a.op) == Some(around))
    }

    /// True when the second part of a conditional loop creates what is used after the loop: the first part is executed in between.
    fn outlast_condition(&self, module: &Module, around: OpId) -> bool {
        let [before, _] = module.op_regions(around)[..] else { return false };
        let end = module.region(before).blocks.last().and_then(|b| module.block(*b).ops.last());
        let in_second = |a: &TileAccess| end.is_some_and(|end| self.order.first(a.op) > self.order.first(*end));
        let inside = self.inside(around);
        let first = self.list[inside.clone()].first();
        module.control(around) == Some(Control::While) && inside.end < self.list.len() && first.is_some_and(in_second)
    }
}

/// Finds tiles that the two sides of a branch create and that are used after it: only one of them exists at a time.
fn join_sides(module: &Module, order: &OpPositions, tiles: &mut [LiveTile]) {
    let mut by_place: Vec<(u32, usize)> = (0..).zip(&*tiles).map(|(k, t)| (order.first(t.alloc), k)).collect();
    by_place.shared_sort();
    // Inner branches come first: what is joined there is on one side here.
    let hands_on = |id: &OpId| module.control(*id) == Some(Control::If) && module.results(*id).len() > 0;
    for id in module.order().into_iter().rev().filter(hands_on) {
        let blocks = module.op_regions(id).iter().filter_map(|r| module.region(*r).blocks.last());
        let ends: Vec<u32> = blocks.filter_map(|b| module.block(*b).ops.last()).map(|end| order.first(*end)).collect();
        let [middle, _] = ends[..] else { continue };
        let (begin, end) = (order.first(id), order.last(id));
        let inside = by_place.partition_point(|(at, _)| *at <= begin)..by_place.partition_point(|(at, _)| *at < end);
        let mut inside: Vec<usize> = by_place[inside].iter().map(|(_, k)| *k).collect();
        inside.shared_sort();
        let (mut first, mut second) = (Vec::new(), OrdMap::<_, VecDeque<usize>>::new());
        for k in inside {
            let tile = &tiles[k];
            let alone = tile.takes_over.is_none() && tile.other_side.is_none();
            if alone && tile.start > begin && tile.end > end {
                if order.first(tile.alloc) < middle {
                    first.push(k);
                } else {
                    second.entry((tile.loc, tile.bytes)).or_default().push_back(k);
                }
            }
        }
        for a in first {
            let alike = second.get_mut(&(tiles[a].loc, tiles[a].bytes)).and_then(VecDeque::pop_front);
            if let Some(b) = alike {
                tiles[b].other_side = Some(tiles[a].value);
            }
        }
    }
}

/// Finds tiles that an instruction may write over an operand that it reads last.
fn take_over(checked: &Checked, order: &OpPositions, tiles: &mut [LiveTile], accesses: &AllAccesses) {
    let module = checked.module();
    let targets = Targets::of(&[checked.info().target]);
    let at: OrdMap<ValueId, usize> = tiles.iter().enumerate().map(|(k, t)| (t.value, k)).collect();
    let mut given = vec![false; tiles.len()];
    for k in 0..tiles.len() {
        poll();
        // A tile that a loop keeps is live before its first access.
        let writer = tiles[k].first;
        if !accesses.is_born(order, tiles[k].value) {
            continue;
        }
        for operand in module.operands(writer) {
            let Some(&source) = at.get(&operand.value) else { continue };
            let fits = source != k
                && !given[source]
                && tiles[source].end == tiles[k].start
                && tiles[source].last == writer
                && may_overwrite(module, targets, writer, operand.value, tiles[k].value);
            if fits {
                given[source] = true;
                tiles[k].takes_over = Some(tiles[source].value);
                tiles[k].for_free =
                    accesses.readers(tiles[source].value) == 1 || is_one_place(module, checked, writer, operand);
                break;
            }
        }
    }
}

/// True when an instruction requires the operand to be in the destination.
fn is_one_place(module: &Module, checked: &Checked, id: OpId, operand: &Operand) -> bool {
    let row = module.op(id).op.row();
    let ignored = row.ignored_operand(checked.info().target).and_then(|(src, _)| row.slot(src));
    ignored == Some(usize::from(operand.slot))
}

/// True when an instruction may write one of its operands over another.
fn may_overwrite(module: &Module, targets: Targets, id: OpId, from: ValueId, to: ValueId) -> bool {
    let slots = |value: ValueId| {
        let same = module.operands(id).iter().filter(move |o| o.value == value);
        same.map(|o| usize::from(o.slot)).collect::<Vec<_>>()
    };
    let tile = |value: ValueId| module.value_type(value).local_tile();
    let (Some(source), Some(dest)) = (tile(from), tile(to)) else { return false };
    let row = module.op(id).op.row();
    let (from, to) = (slots(from), slots(to));
    from.iter().all(|f| to.iter().all(|t| row.may_overwrite(targets, (*f, &source), (*t, &dest))))
}
