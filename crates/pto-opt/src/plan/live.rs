//! When tiles hold something that is still needed.

use crate::effects::{CoreKind, Effect, effect};
use crate::order::Order;
use crate::places::{Home, Places, memory_of};
use pto_check::Checked;
use pto_ir::{Def, Module, OpId, Operand, ValueId};
use pto_isa::table::op;
use pto_isa::{Diagnostic, Loc, Targets, codes};
use std::collections::BTreeMap;

/// A tile that needs a place.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
    pub value: ValueId,
    pub alloc: OpId,
    pub loc: Loc,
    pub bytes: u64,
    /// Positions of the first and the last access, with loops that need it in between.
    pub start: u32,
    pub end: u32,
    /// The operations there.
    pub first: OpId,
    pub last: OpId,
    /// The tile whose bytes it takes over: the instruction that reads that for the last time writes this.
    pub takes_over: Option<ValueId>,
    /// Nobody else reads that tile, so there is nobody to wait for.
    pub for_free: bool,
    /// The tile that the other side of a branch makes for the same result.
    pub other_side: Option<ValueId>,
}

/// An access of a tile.
#[derive(Clone, Copy, Debug)]
struct Access {
    op: OpId,
    /// Everything is written, and nothing read.
    kills: bool,
    reads: bool,
}

/// The tiles of all functions that need a place, in text order.
pub(crate) fn tiles(checked: &Checked, order: &Order) -> Vec<Tile> {
    let module = checked.module();
    let mut places = Places::new(checked);
    let mut accesses: BTreeMap<ValueId, Vec<Access>> = BTreeMap::new();
    let mut all = Vec::new();
    // Where the program gives an address to a tile.
    let mut assigned: BTreeMap<ValueId, OpId> = BTreeMap::new();
    for id in module.order() {
        match module.op(id).op {
            op::alloc_tile | op::alloc_multi_tile | op::memref_alloc if places.address(id).is_none() => all.push(id),
            op::tassign => {
                if let Some(tile) = module.operands(id).first() {
                    assigned.entry(tile.value).or_insert(id);
                }
            }
            _ => note(checked, &mut places, id, &mut accesses),
        }
    }
    // A function may stand behind what calls it.
    accesses.values_mut().for_each(|list| list.sort_by_key(|access| order.first(access.op)));
    // What uses a tile before it is given one needs a place until then.
    let has_address = |tile: &ValueId| {
        let first = accesses.get(tile).and_then(|list| list.first());
        assigned.get(tile).is_some_and(|at| first.is_none_or(|a| order.first(*at) < order.first(a.op)))
    };
    let is_open = |id: &OpId| module.results(*id).all(|tile| !has_address(&tile));
    let open = all.into_iter().filter(is_open);
    let mut tiles: Vec<Tile> = open.filter_map(|id| tile(checked, order, id, &accesses)).collect();
    take_over(checked, &mut tiles, &accesses);
    join_sides(module, order, &mut tiles);
    tiles
}

/// A tile has one place. A function that allocates one and returns it, and is called again, would return that place again.
pub(crate) fn returned_anew(checked: &Checked, order: &Order) -> Vec<Diagnostic> {
    let module = checked.module();
    let mut places = Places::new(checked);
    let mut problems = Vec::new();
    for id in module.order().into_iter().filter(|id| module.op(*id).op == op::func_return) {
        let is_local = |o: &&Operand| module.value_type(o.value).local_space().is_some();
        for operand in module.operands(id).iter().filter(is_local) {
            let Some(function) = order.repeated_function(module, id) else { continue };
            let is_own = |home: Home| match home {
                Home::Tile(tile) => match module.value(tile).def {
                    Def::Result(made, _) => order.contains(function, made),
                    _ => false,
                },
                _ => false,
            };
            if places.of(operand.value).into_iter().any(|region| is_own(region.home)) {
                let message = "a function that is called more than once returns a buffer which it allocates";
                let problem = Diagnostic::new(codes::NOT_INFERRED, operand.span, message);
                let legal = "buffers that have a place of their own for every call";
                problems.push(problem.legal(legal).help("allocate it where the function is called, and hand it in"));
            }
        }
    }
    problems
}

fn note(checked: &Checked, places: &mut Places<'_>, id: OpId, accesses: &mut BTreeMap<ValueId, Vec<Access>>) {
    let module = checked.module();
    if !module.op_regions(id).is_empty() {
        return;
    }
    let mut found: BTreeMap<ValueId, Access> = BTreeMap::new();
    let mut add = |tile: ValueId, reads: bool, kills: bool| {
        let access = found.entry(tile).or_insert(Access { op: id, kills: false, reads: false });
        access.reads |= reads;
        access.kills |= kills;
    };
    match effect(checked, places, id, CoreKind::Any) {
        Effect::Touches(touches) => {
            for touch in touches {
                if let Home::Tile(tile) = touch.region.home {
                    add(tile, !touch.write, touch.write && touch.value == tile);
                }
            }
        }
        _ => {
            // Whoever looks at a tile, at its address for example, may keep it.
            let is_tile = |v: &ValueId| module.value_type(*v).local_space().is_some();
            let operands = module.operands(id).iter().map(|o| o.value).filter(is_tile);
            for value in operands.collect::<Vec<_>>() {
                for region in places.of(value) {
                    if let Home::Tile(tile) = region.home {
                        add(tile, true, false);
                    }
                }
            }
        }
    }
    for (tile, access) in found {
        let kills = access.kills && !access.reads;
        accesses.entry(tile).or_default().push(Access { kills, ..access });
    }
}

fn tile(checked: &Checked, order: &Order, id: OpId, accesses: &BTreeMap<ValueId, Vec<Access>>) -> Option<Tile> {
    let module = checked.module();
    let value = module.results(id).next()?;
    let (loc, bytes) = memory_of(checked, value)?;
    let none = Vec::new();
    let list = accesses.get(&value).unwrap_or(&none);
    let (first, last) = (list.first().map_or(id, |a| a.op), list.last().map_or(id, |a| a.op));
    // Whatever is called runs at the call.
    let calls = module.op(last).op == op::func_call;
    let (mut start, mut end) = (order.first(first), if calls { order.last(last) } else { order.first(last) });
    // A tile that is made anew in every turn matters to others only when it is handed on.
    let handed_on = |l: &OpId| list.iter().any(|a| !order.contains(*l, a.op) || order.first(a.op) < order.first(id));
    for around in loops(checked, order, list).filter(|l| !order.contains(*l, id) || handed_on(l)) {
        if needs_turns(order, around, list) || outlasts_condition(module, order, around, list) {
            start = start.min(order.first(around));
            end = end.max(order.last(around));
        }
    }
    end = end.max(order.called_until(id).unwrap_or(0));
    Some(Tile {
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

/// The loops around accesses.
fn loops(checked: &Checked, order: &Order, list: &[Access]) -> impl Iterator<Item = OpId> {
    let module = checked.module();
    let is_loop = |id: &OpId| {
        let regions = module.op_regions(*id);
        let tangled = regions.iter().any(|r| module.region(*r).blocks.len() > 1);
        matches!(module.op(*id).op, op::scf_for | op::scf_while) || tangled
    };
    let mut all: Vec<OpId> = list.iter().flat_map(|a| order.around(a.op)).filter(is_loop).collect();
    all.sort_by_key(|id| std::cmp::Reverse(order.first(*id)));
    all.dedup();
    all.into_iter()
}

/// True when what a tile holds at the start of a turn may be needed: unless the turn writes it first, whatever happens.
fn needs_turns(order: &Order, around: OpId, list: &[Access]) -> bool {
    let first = list.iter().find(|a| order.contains(around, a.op));
    !first.is_some_and(|a| a.kills && order.parent(a.op) == Some(around))
}

/// True when the second part of a conditional loop makes what is used behind the loop: the first part is executed in between.
fn outlasts_condition(module: &Module, order: &Order, around: OpId, list: &[Access]) -> bool {
    let [before, _] = module.op_regions(around)[..] else { return false };
    let end = module.region(before).blocks.last().and_then(|b| module.block(*b).ops.last());
    let in_second = |a: &Access| end.is_some_and(|end| order.first(a.op) > order.first(*end));
    let first = list.iter().find(|a| order.contains(around, a.op));
    let later = list.iter().any(|a| order.first(a.op) > order.last(around));
    module.op(around).op == op::scf_while && later && first.is_some_and(in_second)
}

/// Finds tiles that the two sides of a branch make and that are used behind it: only one of them is ever there.
fn join_sides(module: &Module, order: &Order, tiles: &mut [Tile]) {
    // Branches inside others come first: what is joined there is on one side here.
    let hands_on = |id: &OpId| module.op(*id).op == op::scf_if && module.results(*id).len() > 0;
    for id in module.order().into_iter().rev().filter(hands_on) {
        let blocks = module.op_regions(id).iter().filter_map(|r| module.region(*r).blocks.last());
        let ends: Vec<u32> = blocks.filter_map(|b| module.block(*b).ops.last()).map(|end| order.first(*end)).collect();
        let [middle, _] = ends[..] else { continue };
        let begin = order.first(id);
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for (k, tile) in tiles.iter().enumerate() {
            let alone = tile.takes_over.is_none() && tile.other_side.is_none();
            if alone && order.contains(id, tile.alloc) && tile.start > begin && tile.end > order.last(id) {
                if order.first(tile.alloc) < middle { &mut first } else { &mut second }.push(k);
            }
        }
        for a in first {
            let alike = |b: &usize| (tiles[a].loc, tiles[a].bytes) == (tiles[*b].loc, tiles[*b].bytes);
            if let Some(at) = second.iter().position(alike) {
                tiles[second.remove(at)].other_side = Some(tiles[a].value);
            }
        }
    }
}

/// Finds tiles that an instruction may write where it reads another for the last time.
fn take_over(checked: &Checked, tiles: &mut [Tile], accesses: &BTreeMap<ValueId, Vec<Access>>) {
    let module = checked.module();
    let targets = Targets::of(&[checked.info().target]);
    let at: BTreeMap<ValueId, usize> = tiles.iter().enumerate().map(|(k, t)| (t.value, k)).collect();
    let readers = |tile: ValueId| accesses.get(&tile).map_or(0, |list| list.iter().filter(|a| a.reads).count());
    let mut given = vec![false; tiles.len()];
    for k in 0..tiles.len() {
        // A tile that a loop keeps starts before its first access.
        let writer = tiles[k].first;
        let born = accesses.get(&tiles[k].value).and_then(|a| a.first()).is_some_and(|a| a.kills);
        if !born {
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
                tiles[k].for_free = readers(tiles[source].value) == 1;
                break;
            }
        }
    }
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
