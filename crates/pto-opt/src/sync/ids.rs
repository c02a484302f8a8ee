//! Allocation of the eight flags of a pair of pipes.
//!
//! A flag is live from its set to its wait; a flag that a loop carries, from before the loop to after it. If more than eight are
//! live at once, two of the same list are merged: set at the later set, awaited at the earlier wait.

use super::{Edge, Means};
use crate::order::OpPositions;
use pto_check::Checked;
use pto_ir::{Module, OpId};
use pto_isa::Pipe;
use pto_isa::cancel::poll;
use pto_isa::ordered::{OrdMap, OrdSet};
use pto_isa::sort::SharedSort;
use pto_isa::text;

/// The live range of an edge.
fn span(order: &OpPositions, edge: &Edge) -> (u32, u32) {
    match edge.numbered.map(|n| n.around).or(edge.carried_by).or(edge.drained_by) {
        Some(around) => (order.first(around), order.last(around)),
        None => (order.last(edge.after), order.first(edge.before)),
    }
}

/// Gives every flag an id.
pub(super) fn assign(checked: &Checked, edges: &mut Vec<Edge>) {
    let module = checked.module();
    let order = OpPositions::new(module);
    let count = checked.info().target.profile().event_ids as usize;
    let taken = taken(module);
    unite_equal(edges);
    let mut all: Vec<Option<Edge>> = std::mem::take(edges).into_iter().map(Some).collect();
    let mut pairs: OrdMap<(Pipe, Pipe), Vec<usize>> = OrdMap::new();
    for (at, edge) in all.iter().enumerate() {
        if let Some(pair) = edge.as_ref().and_then(pair) {
            pairs.entry(pair).or_default().push(at);
        }
    }
    for (pair, members) in pairs {
        let free: Vec<u8> = (0..count as u8).filter(|id| !taken.contains(&(pair.0, pair.1, *id))).collect();
        Colours::new(&order, &mut all, free, &members).assign();
    }
    edges.extend(all.into_iter().flatten());
    plain_ways_back(&order, edges);
}

/// If one flag goes forward for all tiles of a loop, one goes back: otherwise the first would be set again before its wait.
fn plain_ways_back(order: &OpPositions, edges: &mut [Edge]) {
    let mut forward: OrdMap<(Pipe, Pipe), OrdSet<u32>> = OrdMap::new();
    for edge in edges.iter().filter(|e| e.numbered.is_none() && e.carried_by.is_none()) {
        if let Some(way) = pair(edge) {
            forward.entry(way).or_default().insert(order.first(edge.after));
        }
    }
    for edge in edges.iter_mut().filter(|e| e.carried_by.is_some()) {
        let (Some((src, dst)), Some(numbered)) = (pair(edge), edge.numbered) else { continue };
        let inside = order.first(numbered.around) + 1..order.last(numbered.around).max(1);
        let comes_back = |set: &OrdSet<u32>| !inside.is_empty() && set.range(inside.clone()).next().is_some();
        if forward.get(&(dst, src)).is_some_and(comes_back) {
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
fn taken(module: &Module) -> OrdSet<(Pipe, Pipe, u8)> {
    let mut all = OrdSet::new();
    module.walk(module.top, &mut |id| match pto_check::flag_of(module, id) {
        Some((src, dst, Some(number))) => {
            all.insert((src, dst, number));
        }
        // A computed id may be any.
        Some((src, dst, None)) => all.extend((0..8).map(|number| (src, dst, number))),
        None => {}
    });
    all
}

/// Merges edges with the same sets and waits.
fn unite_equal(edges: &mut Vec<Edge>) {
    let mut united: Vec<Edge> = Vec::new();
    let mut at: OrdMap<_, usize> = OrdMap::new();
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

/// The start and end of a live range, and the edge: edges get their ids in this order.
type EdgeKey = (u32, u32, usize);

/// The flags of a pair of pipes during allocation. If too many are live at once, some change, and only later ones are allocated again.
struct Colours<'a> {
    order: &'a OpPositions,
    /// The edges of all pairs; merged ones are `None`.
    edges: &'a mut Vec<Option<Edge>>,
    free: Vec<u8>,
    open: OrdSet<EdgeKey>,
    done: Vec<(EdgeKey, u8)>,
    /// The live ranges of the remaining edges.
    spans: OrdMap<usize, Vec<(u32, u32)>>,
    keys: OrdMap<usize, EdgeKey>,
    /// The edge that holds an id, and its live range.
    used: OrdMap<(u8, u32), (u32, usize)>,
}

impl<'a> Colours<'a> {
    fn new(order: &'a OpPositions, edges: &'a mut Vec<Option<Edge>>, free: Vec<u8>, members: &[usize]) -> Self {
        let (spans, keys, used) = (OrdMap::new(), OrdMap::new(), OrdMap::new());
        let mut this = Self { order, edges, free, open: OrdSet::new(), done: Vec::new(), spans, keys, used };
        members.iter().for_each(|at| this.add(*at));
        this
    }

    fn edge(&self, at: usize) -> &Edge {
        self.edges[at].as_ref().expect("an edge that is gone is never asked for")
    }

    /// Adds an edge without an id.
    fn add(&mut self, at: usize) {
        let (start, end) = span(self.order, self.edge(at));
        // Callees use their flags at their own positions.
        let mut spans = self.order.called_elsewhere((start, end));
        spans.push((start, end));
        spans.shared_sort();
        let (start, end) = spans[0];
        self.open.insert((start, end, at));
        self.keys.insert(at, (start, end, at));
        self.spans.insert(at, united(spans));
    }

    fn count(&self, at: usize) -> u8 {
        self.edge(at).numbered.map_or(1, |n| n.count)
    }

    fn assign(&mut self) {
        while let Some(key) = self.open.pop_first() {
            poll();
            match self.free_id(key.2) {
                Ok(id) => self.give(key, id),
                Err(crowd) => {
                    self.open.insert(key);
                    self.relieve(&crowd);
                }
            }
        }
    }

    /// Gives an edge an id.
    fn give(&mut self, key: EdgeKey, id: u8) {
        let at = key.2;
        for id in id..id + self.count(at) {
            self.used.extend(self.spans[&at].iter().map(|(start, end)| ((id, *start), (*end, at))));
        }
        self.done.push((key, id));
        if let Some(Edge { means: Means::Flag { id: slot, .. }, .. }) = &mut self.edges[at] {
            *slot = id;
        }
    }

    /// Takes the ids back from an edge and from all later ones.
    fn take_back(&mut self, start: u32) {
        while let Some((key, id)) = self.done.pop_if(|(key, _)| key.0 >= start) {
            for id in id..id + self.count(key.2) {
                for (start, _) in &self.spans[&key.2] {
                    self.used.remove(&(id, *start));
                }
            }
            self.open.insert(key);
        }
    }

    /// An id that is free during the live range of an edge, or the edges that are live at once.
    fn free_id(&self, at: usize) -> Result<u8, Vec<usize>> {
        let users = |id: u8| {
            let of_span = move |(start, end): &(u32, u32)| {
                let before = self.used.range((id, 0)..(id, *start)).next_back().filter(|(_, (until, _))| until > start);
                let inside = self.used.range((id, *start)..(id, *end.max(start)));
                before.into_iter().chain(inside).map(|(_, (_, user))| *user).collect::<Vec<_>>()
            };
            self.spans[&at].iter().flat_map(of_span)
        };
        let is_free = |id: u8| self.free.contains(&id) && users(id).next().is_none();
        let count = self.count(at);
        if let Some(id) = self.free.iter().find(|id| (0..count).all(|k| is_free(**id + k))) {
            return Ok(*id);
        }
        let mut crowd: Vec<usize> = self.free.iter().flat_map(|id| users(*id)).collect();
        crowd.shared_sort();
        crowd.dedup();
        crowd.push(at);
        Err(crowd)
    }

    /// Changes an edge; it and all later ones get new ids.
    fn change(&mut self, at: usize, change: impl FnOnce(&mut Edge)) {
        self.remove(at);
        if let Some(edge) = &mut self.edges[at] {
            change(edge);
        }
        if self.edges[at].as_ref().is_some_and(|e| pair(e).is_some()) {
            self.add(at);
        }
    }

    fn remove(&mut self, at: usize) {
        if let Some(key) = self.keys.remove(&at) {
            self.take_back(key.0);
            self.open.remove(&key);
        }
        self.spans.remove(&at);
    }

    /// Merges two flags, or else shortens one or replaces it by a barrier.
    fn relieve(&mut self, crowd: &[usize]) {
        // One flag for all tiles of a loop makes iterations wait unnecessarily, but is correct.
        if let Some(&at) = crowd.iter().rev().find(|at| self.edge(**at).numbered.is_some()) {
            return self.change(at, |edge| edge.numbered = None);
        }
        for (n, &a) in crowd.iter().enumerate() {
            poll();
            for &b in &crowd[n + 1..] {
                if self.unite(a, b) {
                    return;
                }
            }
        }
        // A flag that spans a loop can be awaited before it.
        let newest = crowd.last().map_or(0, |at| span(self.order, self.edge(*at)).0);
        for &at in crowd {
            if let Some(outer) = around(self.order, self.edge(at), newest) {
                return self.change(at, |edge| edge.before = outer);
            }
        }
        if let Some(&at) = crowd.last() {
            self.give_up(at);
        }
    }

    /// Replaces a flag by a barrier over all pipes.
    fn give_up(&mut self, at: usize) {
        let why = text!("there are more flags between these pipes than the core has");
        let mut carried = None;
        self.change(at, |edge| {
            carried = edge.carried_by.take().or(edge.drained_by);
            edge.drained_by = None;
            edge.means = Means::All(why);
            edge.after = edge.before;
        });
        // What the flag did before and after the loop.
        self.edges.extend(carried.map(|around| {
            Some(Edge {
                means: Means::All(why),
                after: around,
                before: around,
                carried_by: None,
                drained_by: None,
                numbered: None,
                reasons: Vec::new(),
            })
        }));
    }

    /// Merges two flags of one list: set at the later set, awaited at the earlier wait.
    fn unite(&mut self, a: usize, b: usize) -> bool {
        let (order, x, y) = (self.order, self.edge(a), self.edge(b));
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
        let (kept, gone) = (a.min(b), a.max(b));
        self.remove(gone);
        let reasons = self.edges[gone].take().map(|edge| edge.reasons).unwrap_or_default();
        self.change(kept, |edge| {
            edge.reasons.extend(reasons);
            (edge.after, edge.before) = (after, before);
        });
        true
    }
}

/// Joins ranges that touch.
fn united(sorted: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    let mut all: Vec<(u32, u32)> = Vec::new();
    for (start, end) in sorted {
        match all.last_mut().filter(|last| start < last.1) {
            Some(last) => last.1 = last.1.max(end),
            None => all.push((start, end)),
        }
    }
    all
}

/// The operation that contains a position, in the list in which an edge ends, between its two ends.
fn around(order: &OpPositions, edge: &Edge, place: u32) -> Option<OpId> {
    if edge.carried_by.or(edge.drained_by).is_some() {
        return None;
    }
    let outer = order.member_around(order.parent(edge.before), place)?;
    (outer != edge.before && order.first(outer) > order.last(edge.after)).then_some(outer)
}
