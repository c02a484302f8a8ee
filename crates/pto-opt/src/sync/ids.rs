//! Which of the eight flags of a pair of pipes an edge uses.
//!
//! A flag is in use from its set to its wait; one that is carried round a loop, from before the loop to behind it. Where more
//! than eight would be in use at once, two of the same list become one that is set with the later and waited for with the earlier.

use super::{Edge, Means};
use crate::order::Order;
use pto_check::Checked;
use pto_ir::{Module, OpId};
use pto_isa::Pipe;
use std::collections::{BTreeMap, BTreeSet};

/// From where to where an edge is in use.
fn span(order: &Order, edge: &Edge) -> (u32, u32) {
    match edge.numbered.map(|n| n.around).or(edge.carried_by).or(edge.drained_by) {
        Some(around) => (order.first(around), order.last(around)),
        None => (order.last(edge.after), order.first(edge.before)),
    }
}

/// Gives every flag an id.
pub(super) fn assign(checked: &Checked, edges: &mut Vec<Edge>) {
    let module = checked.module();
    let order = Order::new(module);
    let count = checked.info().target.profile().event_ids as usize;
    let taken = taken(module);
    unite_equal(edges);
    let pairs: BTreeSet<(Pipe, Pipe)> = edges.iter().filter_map(pair).collect();
    for pair_of in pairs {
        let free: Vec<u8> = (0..count as u8).filter(|id| !taken.contains(&(pair_of.0, pair_of.1, *id))).collect();
        while let Err(crowd) = colour(&order, edges, pair_of, &free) {
            relieve(&order, edges, &crowd);
        }
    }
    plain_ways_back(&order, edges);
}

/// Where one flag goes forward for all tiles of a loop, one goes back: otherwise the first would be raised again before it is waited for.
fn plain_ways_back(order: &Order, edges: &mut [Edge]) {
    let forward: Vec<((Pipe, Pipe), OpId)> = edges
        .iter()
        .filter(|e| e.numbered.is_none() && e.carried_by.is_none())
        .filter_map(|e| Some((pair(e)?, e.after)))
        .collect();
    for edge in edges.iter_mut().filter(|e| e.carried_by.is_some()) {
        let (Some((src, dst)), Some(numbered)) = (pair(edge), edge.numbered) else { continue };
        if forward.iter().any(|(way, at)| *way == (dst, src) && order.contains(numbered.around, *at)) {
            edge.numbered = None;
        }
    }
}

fn pair(edge: &Edge) -> Option<(Pipe, Pipe)> {
    match edge.means {
        Means::Flag { src, dst, .. } => Some((src, dst)),
        _ => None,
    }
}

/// Ids that the program uses itself.
fn taken(module: &Module) -> BTreeSet<(Pipe, Pipe, u8)> {
    let mut all = BTreeSet::new();
    module.walk(module.top, &mut |id| match pto_check::flag_of(module, id) {
        Some((src, dst, Some(number))) => {
            all.insert((src, dst, number));
        }
        // An id that is computed may be any.
        Some((src, dst, None)) => all.extend((0..8).map(|number| (src, dst, number))),
        None => {}
    });
    all
}

/// Edges that are set and waited for at the same places are one.
fn unite_equal(edges: &mut Vec<Edge>) {
    let mut united: Vec<Edge> = Vec::new();
    let mut at: BTreeMap<_, usize> = BTreeMap::new();
    for edge in edges.drain(..) {
        let next = united.len();
        let (ends, loops) = ((edge.after, edge.before), (edge.carried_by, edge.drained_by));
        let place = *at.entry((edge.means, ends, loops, edge.numbered)).or_insert(next);
        if place == next {
            united.push(edge);
        } else {
            united[place].reasons.extend(edge.reasons);
        }
    }
    *edges = united;
}

/// Gives the flags of a pair their ids, or says which are too many at once.
fn colour(order: &Order, edges: &mut [Edge], of: (Pipe, Pipe), free: &[u8]) -> Result<(), Vec<usize>> {
    let mut spans: Vec<(u32, u32, usize)> = Vec::new();
    for (at, edge) in edges.iter().enumerate().filter(|(_, e)| pair(e) == Some(of)) {
        let (start, end) = span(order, edge);
        spans.push((start, end, at));
        // What is called meanwhile uses its flags where it stands.
        spans.extend(order.called_elsewhere((start, end)).into_iter().map(|(start, end)| (start, end, at)));
    }
    spans.sort_unstable();
    let mut ids: BTreeMap<usize, u8> = BTreeMap::new();
    let several = several(&spans);
    let mut busy: Vec<(u32, u8, usize)> = Vec::new();
    for &(start, end, at) in &spans {
        busy.retain(|(until, ..)| *until > start);
        let count = edges[at].numbered.map_or(1, |n| n.count);
        if let Some(id) = ids.get(&at) {
            busy.extend((0..count).map(|k| (end, id + k, at)));
            continue;
        }
        let mut taken: Vec<(u8, usize)> = busy.iter().map(|(_, id, edge)| (*id, *edge)).collect();
        taken.extend(others(&spans, &several, &ids, at, edges));
        let is_free = |id: u8| free.contains(&id) && !taken.iter().any(|(used, _)| *used == id);
        let Some(&id) = free.iter().find(|id| (0..count).all(|k| is_free(**id + k))) else {
            let mut crowd: Vec<usize> = taken.iter().map(|(_, edge)| *edge).collect();
            crowd.sort_unstable();
            crowd.dedup();
            crowd.push(at);
            return Err(crowd);
        };
        ids.insert(at, id);
        busy.extend((0..count).map(|k| (end, id + k, at)));
        if let Means::Flag { id: slot, .. } = &mut edges[at].means {
            *slot = id;
        }
    }
    Ok(())
}

/// Edges that are in use at several places.
fn several(spans: &[(u32, u32, usize)]) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    spans.iter().filter(|(.., at)| !seen.insert(*at)).map(|(.., at)| *at).collect()
}

/// The ids of edges that meet one somewhere else than where that is looked at, because one of the two is in use at several places.
fn others(
    spans: &[(u32, u32, usize)],
    several: &BTreeSet<usize>,
    ids: &BTreeMap<usize, u8>,
    at: usize,
    edges: &[Edge],
) -> Vec<(u8, usize)> {
    if several.is_empty() {
        return Vec::new();
    }
    let own: Vec<(u32, u32)> = spans.iter().filter(|(.., a)| *a == at).map(|(s, e, _)| (*s, *e)).collect();
    let meets = |(s, e): (u32, u32)| own.iter().any(|(start, end)| s < *end && *start < e);
    let mut found = Vec::new();
    for &(start, end, other) in
        spans.iter().filter(|(.., o)| *o != at && (several.contains(o) || several.contains(&at)))
    {
        if let Some(id) = ids.get(&other).filter(|_| meets((start, end))) {
            let count = edges[other].numbered.map_or(1, |n| n.count);
            found.extend((0..count).map(|k| (id + k, other)));
        }
    }
    found
}

/// Makes two flags one, or, where that cannot be, lets one end earlier or become a barrier.
fn relieve(order: &Order, edges: &mut Vec<Edge>, crowd: &[usize]) {
    // One flag for all tiles of a loop makes turns wait that need not, and is right too.
    if let Some(&at) = crowd.iter().rev().find(|at| edges[**at].numbered.is_some()) {
        edges[at].numbered = None;
        return;
    }
    for (n, &a) in crowd.iter().enumerate() {
        for &b in &crowd[n + 1..] {
            if unite(order, edges, a, b) {
                return;
            }
        }
    }
    // One that reaches over a loop can be waited for in front of it.
    let newest = crowd.last().map_or(0, |at| span(order, &edges[*at]).0);
    for &at in crowd {
        if let Some(outer) = around(order, &edges[at], newest) {
            edges[at].before = outer;
            return;
        }
    }
    if let Some(&at) = crowd.last() {
        let why = "there are more flags between these pipes than the core has";
        let carried = edges[at].carried_by.take().or(edges[at].drained_by);
        edges[at].drained_by = None;
        edges[at].means = Means::All(why);
        edges[at].after = edges[at].before;
        // What the flag did in front of the loop and behind it.
        edges.extend(carried.map(|around| Edge {
            means: Means::All(why),
            after: around,
            before: around,
            carried_by: None,
            drained_by: None,
            numbered: None,
            reasons: Vec::new(),
        }));
    }
}

/// The operation that contains a place, in the list in which an edge ends, between its two ends.
fn around(order: &Order, edge: &Edge, place: u32) -> Option<OpId> {
    if edge.carried_by.or(edge.drained_by).is_some() {
        return None;
    }
    let outer = order.member_around(order.parent(edge.before), place)?;
    (outer != edge.before && order.first(outer) > order.last(edge.after)).then_some(outer)
}

/// Two flags of one list: set with the later set, waited for with the earlier wait.
fn unite(order: &Order, edges: &mut Vec<Edge>, a: usize, b: usize) -> bool {
    let (x, y) = (&edges[a], &edges[b]);
    let same_list = order.parent(x.after) == order.parent(y.after)
        && order.parent(x.before) == order.parent(y.before)
        && (x.carried_by, x.drained_by) == (y.carried_by, y.drained_by);
    if !same_list {
        return false;
    }
    let after = if order.last(x.after) > order.last(y.after) { x.after } else { y.after };
    let before = if order.first(x.before) < order.first(y.before) { x.before } else { y.before };
    if x.carried_by.is_none() && order.last(after) >= order.first(before) {
        return false;
    }
    let reasons = y.reasons.clone();
    let kept = &mut edges[a.min(b)];
    kept.reasons.extend(reasons);
    (kept.after, kept.before) = (after, before);
    edges.remove(a.max(b));
    true
}
