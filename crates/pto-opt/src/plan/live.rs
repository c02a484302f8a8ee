//! When tiles hold something that is still needed.

use crate::effects::{CoreKind, Effect, effect};
use crate::order::Order;
use crate::places::{Home, Places, memory_of};
use pto_check::Checked;
use pto_ir::buffers::may_alias;
use pto_ir::{OpId, ValueId};
use pto_isa::table::op;
use pto_isa::{Loc, Targets};
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
}

/// An access of a tile.
#[derive(Clone, Copy, Debug)]
struct Access {
    op: OpId,
    /// Everything is written, and nothing read.
    kills: bool,
    reads: bool,
}

/// The tiles of all functions, in text order.
pub(crate) fn tiles(checked: &Checked, order: &Order) -> Vec<Tile> {
    let module = checked.module();
    let mut places = Places::new(checked);
    let mut accesses: BTreeMap<ValueId, Vec<Access>> = BTreeMap::new();
    let mut all = Vec::new();
    for id in module.order() {
        match module.op(id).op {
            op::alloc_tile | op::alloc_multi_tile | op::memref_alloc if places.address(id).is_none() => all.push(id),
            _ => note(checked, &mut places, id, &mut accesses),
        }
    }
    let mut tiles: Vec<Tile> = all.into_iter().filter_map(|id| tile(checked, order, id, &accesses)).collect();
    take_over(checked, &mut tiles, &accesses);
    tiles
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
            let is_tile = |v: &ValueId| module.value_type(*v).local_tile().is_some();
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
    for around in loops(checked, order, list).filter(|l| !order.contains(*l, id)) {
        if needs_turns(order, around, list) {
            start = start.min(order.first(around));
            end = end.max(order.last(around));
        }
    }
    end = end.max(order.called_until(id).unwrap_or(0));
    Some(Tile { value, alloc: id, loc, bytes, start, end, first, last, takes_over: None })
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

/// Finds tiles that an instruction may write where it reads another for the last time.
fn take_over(checked: &Checked, tiles: &mut [Tile], accesses: &BTreeMap<ValueId, Vec<Access>>) {
    let module = checked.module();
    let targets = Targets::of(&[checked.info().target]);
    let at: BTreeMap<ValueId, usize> = tiles.iter().enumerate().map(|(k, t)| (t.value, k)).collect();
    let mut given = vec![false; tiles.len()];
    for k in 0..tiles.len() {
        // A tile that a loop keeps starts before its first access.
        let writer = tiles[k].first;
        let born = accesses.get(&tiles[k].value).and_then(|a| a.first()).is_some_and(|a| a.kills);
        if !born || !may_alias(module.op(writer).op.row().alias, targets) {
            continue;
        }
        for operand in module.operands(writer) {
            let Some(&source) = at.get(&operand.value) else { continue };
            let fits = source != k
                && !given[source]
                && tiles[source].end == tiles[k].start
                && tiles[source].last == writer
                && (tiles[source].loc, tiles[source].bytes) == (tiles[k].loc, tiles[k].bytes);
            if fits {
                given[source] = true;
                tiles[k].takes_over = Some(tiles[source].value);
                break;
            }
        }
    }
}
