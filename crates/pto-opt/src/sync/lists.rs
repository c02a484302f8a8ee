//! What the items of a list need from each other.

use super::{Edge, Hazard, Means, Reason};
use crate::effects::{CoreKind, Effect, Touch};
use crate::places::Home;
use crate::ranges::Ranges;
use crate::tree::{Item, Kind};
use pto_ir::{Module, OpId};
use pto_isa::table::op;
use pto_isa::{Pipe, Target};
use std::collections::{BTreeMap, VecDeque};

const LANES: usize = Pipe::REAL.len();

/// For each pipe, up to which item the work of each other pipe is done before it goes on.
type Known = [[u32; LANES]; LANES];

/// A touch that is remembered.
#[derive(Clone, Copy, Debug)]
struct Mark {
    /// The position of the item, from 1; a second turn goes on counting.
    item: u32,
    touch: Touch,
}

/// Who touched a piece of memory, by pipe.
#[derive(Clone, Default, Debug)]
struct Cell {
    writes: [Option<Mark>; LANES],
    reads: [Option<Mark>; LANES],
}

/// Memory of one of the cores.
type Memory = BTreeMap<(Home, bool), Ranges<Cell>>;

/// Something an item needs: from the pipe of an earlier touch, for one of its own.
#[derive(Clone, Copy, Debug)]
struct Need {
    from: Mark,
    touch: Touch,
    hazard: Hazard,
}

pub(super) struct Lists<'e> {
    target: Target,
    edges: &'e mut Vec<Edge>,
    /// Flags are used: those that loops carry also order what is around them.
    flags: bool,
    /// What they do there.
    turned: BTreeMap<OpId, Turned>,
}

/// What a loop orders by itself.
#[derive(Clone, Default, Debug)]
struct Turned {
    /// All that the first pipe does inside comes after what the second did before the loop.
    entry: [[bool; LANES]; LANES],
    /// All that the first pipe does behind the loop comes after what the second does inside.
    exit: [[bool; LANES]; LANES],
    /// Pairs with a flag from turn to turn: it is waited for behind the loop even if there was no turn.
    carried: Vec<(Pipe, Pipe)>,
}

/// A flag of the program that is up: its pair and id, where it was set, and what was known.
type Raised = (Pipe, Pipe, Option<u8>, u32, [u32; LANES]);

/// The state of a pass over one list.
struct Pass<'i> {
    items: &'i [Item],
    known: Known,
    /// What was known behind each item.
    behind: Vec<Known>,
    memory: Memory,
    raised: VecDeque<Raised>,
    /// Edges found so far that end at an item: their pipes and where they start.
    ends: Vec<Vec<(Pipe, Pipe, usize)>>,
    /// The same from one turn to the next.
    carried: Vec<Vec<(Pipe, Pipe, usize)>>,
    /// Pipes that finish before an item.
    barriers: Vec<Vec<Pipe>>,
}

impl<'e> Lists<'e> {
    pub fn new(target: Target, edges: &'e mut Vec<Edge>, flags: bool) -> Self {
        Self { target, edges, flags, turned: BTreeMap::new() }
    }

    /// A list that is gone through once. Where it is not known what follows, all pipes finish before `end`.
    pub fn straight(&mut self, items: &[Item], end: Option<OpId>) {
        items.iter().for_each(|item| self.inside(item));
        let mut pass = Pass::new(items);
        for at in 0..items.len() {
            self.step(&mut pass, at, 0, None);
        }
        if let (Some(end), Some(last)) = (end, items.last()) {
            self.all(last.op, end, "control goes on in ways that are not followed");
        }
    }

    /// The body of a loop: what its next turn needs is carried.
    fn turned(&mut self, items: &[Item], around: OpId, surely: bool) {
        items.iter().for_each(|item| self.inside(item));
        let mut pass = Pass::new(items);
        for turn in 0..2 {
            for at in 0..items.len() {
                self.step(&mut pass, at, turn * items.len(), Some(around));
            }
        }
        if self.flags {
            self.turned.insert(around, pass.turned(surely));
        }
    }

    fn inside(&mut self, item: &Item) {
        match &item.kind {
            Kind::Leaf(_) => {}
            Kind::Loop(body, surely) => self.turned(body, item.op, *surely),
            Kind::Branches(lists) => lists.iter().for_each(|list| self.straight(list, None)),
            Kind::Tangle(lists) => {
                for (_, list) in lists {
                    self.straight(list, None);
                    if let (Some(first), Some(last)) = (list.first(), list.last()) {
                        let why = "control goes round in ways that are not followed";
                        self.all(last.op, first.op, why);
                    }
                }
            }
        }
    }

    fn all(&mut self, after: OpId, before: OpId, why: &'static str) {
        self.edges.push(Edge { means: Means::All(why), after, before, carried_by: None, reasons: Vec::new() });
    }

    /// One item; `shift` is where its turn starts.
    fn step(&mut self, pass: &mut Pass<'_>, at: usize, shift: usize, around: Option<OpId>) {
        let item = &pass.items[at];
        let position = (shift + at + 1) as u32;
        if shift > 0 {
            for (src, dst, from) in pass.ends[at].clone() {
                pass.learn(src, dst, (shift + from + 1) as u32);
            }
        }
        match &item.kind {
            Kind::Leaf(Effect::BarrierAll) => pass.finish_all(position - 1),
            Kind::Leaf(Effect::Barrier(pipe)) => pass.known[*pipe as usize][*pipe as usize] = position - 1,
            Kind::Leaf(Effect::Set(src, dst, id)) => {
                let mut known = pass.known[*src as usize];
                known[*src as usize] = position - 1;
                pass.raised.push_back((*src, *dst, *id, position, known));
            }
            Kind::Leaf(Effect::Wait(src, dst, id)) => pass.wait(*src, *dst, *id),
            Kind::Leaf(Effect::Unknown(why)) => {
                if shift == 0 {
                    self.all(item.op, item.op, why);
                }
                pass.finish_all(position);
                pass.memory.clear();
            }
            _ => self.needs(pass, at, shift, around),
        }
        if let Some(turned) = self.turned.get(&item.op) {
            pass.leave(turned, position);
        }
        pass.remember(item, position);
        pass.behind.push(pass.known);
    }

    /// Finds what an item needs and does not have yet.
    fn needs(&mut self, pass: &mut Pass<'_>, at: usize, shift: usize, around: Option<OpId>) {
        let item = &pass.items[at];
        let position = (shift + at + 1) as u32;
        let mut needs = pass.needs(item, position);
        // What comes later knows more: it may make the others superfluous, and flags may make barriers so.
        let is_barrier = |n: &Need| n.from.touch.pipe == n.touch.pipe;
        needs.sort_by_key(|n| (is_barrier(n), std::cmp::Reverse(n.from.item), n.touch));
        for need in needs {
            // This turn was looked at in the first pass.
            if shift > 0 && need.from.item as usize > shift {
                continue;
            }
            let (src, dst) = (need.from.touch.pipe, need.touch.pipe);
            if self.turned.get(&item.op).is_some_and(|t| pass.enters_after(t, dst, &need.from)) {
                continue;
            }
            if pass.known[dst as usize][src as usize] >= need.from.item {
                continue;
            }
            if src == dst {
                if self.target.profile().overlapping_pipes.contains(&src) {
                    self.barrier(item, &need);
                    pass.barriers[at].push(src);
                    pass.known[src as usize][src as usize] = position - 1;
                }
                continue;
            }
            let start = (need.from.item as usize - 1) % pass.items.len();
            let carried = shift > 0;
            self.flag(&pass.items[start], item, &need, around.filter(|_| carried));
            let ends = if carried { &mut pass.carried } else { &mut pass.ends };
            ends[at].push((src, dst, start));
            pass.learn(src, dst, need.from.item);
        }
    }

    fn reason(need: &Need) -> Reason {
        let (first, second) = (need.from.touch.op, need.touch.op);
        Reason { first, second, value: need.touch.value, hazard: need.hazard }
    }

    fn barrier(&mut self, item: &Item, need: &Need) {
        let means = Means::Barrier(need.touch.pipe);
        let reasons = vec![Self::reason(need)];
        self.edges.push(Edge { means, after: item.op, before: item.op, carried_by: None, reasons });
    }

    fn flag(&mut self, from: &Item, to: &Item, need: &Need, carried_by: Option<OpId>) {
        let means = Means::Flag { src: need.from.touch.pipe, dst: need.touch.pipe, id: 0 };
        let reasons = vec![Self::reason(need)];
        self.edges.push(Edge { means, after: from.op, before: to.op, carried_by, reasons });
    }
}

impl<'i> Pass<'i> {
    fn new(items: &'i [Item]) -> Self {
        Self {
            items,
            known: [[0; LANES]; LANES],
            behind: Vec::with_capacity(items.len()),
            memory: Memory::new(),
            raised: VecDeque::new(),
            ends: vec![Vec::new(); items.len()],
            carried: vec![Vec::new(); items.len()],
            barriers: vec![Vec::new(); items.len()],
        }
    }

    fn finish_all(&mut self, position: u32) {
        self.known = [[position; LANES]; LANES];
    }

    /// True when all that a pipe does inside a loop comes after a touch: it comes after a pipe that knows of it.
    fn enters_after(&self, turned: &Turned, dst: Pipe, touch: &Mark) -> bool {
        let src = touch.touch.pipe as usize;
        let heard = turned.entry[dst as usize].iter().enumerate().filter(|(_, after)| **after);
        heard.into_iter().any(|(lane, _)| lane == src || self.known[lane][src] >= touch.item)
    }

    /// What is known behind a loop.
    fn leave(&mut self, turned: &Turned, position: u32) {
        // Flags are raised in front of the loop: they know what was known there.
        let before = self.known;
        for (src, dst) in &turned.carried {
            let mut theirs = before[*src as usize];
            theirs[*src as usize] = theirs[*src as usize].max(position - 1);
            self.hear(*dst, theirs);
        }
        for (lane, exit) in turned.exit.iter().enumerate() {
            let all = exit.iter().zip(&mut self.known[lane]).filter(|(done, _)| **done);
            all.for_each(|(_, known)| *known = position);
        }
    }

    /// What this list orders when it goes round, for what is around it. Where it may not go round at all, only the flags that
    /// are set before it and waited for behind it count.
    fn turned(&self, surely: bool) -> Turned {
        let carried: Vec<(Pipe, Pipe)> = self.carried.iter().flatten().map(|(src, dst, _)| (*src, *dst)).collect();
        let (mut entry, mut exit) = (self.entry(), self.exit());
        for (src, dst) in pairs().filter(|pair| !surely && !carried.contains(pair)) {
            // Whoever comes after a pipe comes after all it was given, inside and before.
            entry[dst as usize][src as usize] &= src == dst;
            exit[dst as usize][src as usize] = false;
        }
        // A pipe that finishes before its first instruction inside has finished what it was given outside.
        for pipe in Pipe::REAL {
            let first = (0..self.items.len()).find(|at| self.uses(*at, pipe as usize));
            entry[pipe as usize][pipe as usize] |= first.is_some_and(|at| self.barriers[at].contains(&pipe));
        }
        Turned { entry, exit, carried }
    }

    /// Which pipes an item uses.
    fn uses(&self, at: usize, lane: usize) -> bool {
        self.items[at].touches.iter().any(|t| t.pipe as usize == lane)
    }

    /// Follows what was done before the loop through the first turn.
    fn entry(&self) -> [[bool; LANES]; LANES] {
        let mut now = [[false; LANES]; LANES];
        let mut behind = Vec::with_capacity(self.items.len());
        let mut entry: [Option<[bool; LANES]>; LANES] = [None; LANES];
        for at in 0..self.items.len() {
            for (src, dst, _) in &self.carried[at] {
                now[*dst as usize][*src as usize] = true;
            }
            for (src, dst, from) in &self.ends[at] {
                let theirs: [bool; LANES] = behind[*from * LANES + *src as usize];
                now[*dst as usize].iter_mut().zip(theirs).for_each(|(mine, other)| *mine |= other);
            }
            for (lane, first) in entry.iter_mut().enumerate() {
                if first.is_none() && self.uses(at, lane) {
                    *first = Some(now[lane]);
                }
            }
            behind.extend(now);
        }
        entry.map(|e| e.unwrap_or_default())
    }

    /// What is known once the flags from turn to turn have been waited for behind the loop.
    fn exit(&self) -> [[bool; LANES]; LANES] {
        let turn = self.items.len();
        let mut after = self.known;
        for (src, dst, from) in self.carried.iter().flatten() {
            let item = turn + from + 1;
            let mut theirs = self.behind[item - 1][*src as usize];
            theirs[*src as usize] = theirs[*src as usize].max(item as u32);
            after[*dst as usize].iter_mut().zip(theirs).for_each(|(a, b)| *a = (*a).max(b));
        }
        let last = |lane: usize| (0..turn).rev().find(|at| self.uses(*at, lane)).map_or(0, |at| turn + at + 1);
        std::array::from_fn(|p| std::array::from_fn(|q| last(q) > 0 && after[p][q] as usize >= last(q)))
    }

    /// A pipe has waited for another to be done with an item. What the scalar unit waits for, all later work waits for.
    fn learn(&mut self, src: Pipe, dst: Pipe, item: u32) {
        let mut theirs = self.behind[item as usize - 1][src as usize];
        theirs[src as usize] = theirs[src as usize].max(item);
        self.hear(dst, theirs);
    }

    fn hear(&mut self, dst: Pipe, theirs: [u32; LANES]) {
        for (lane, mine) in self.known.iter_mut().enumerate() {
            if dst == Pipe::S || lane == dst as usize {
                mine.iter_mut().zip(theirs).for_each(|(a, b)| *a = (*a).max(b));
            }
        }
    }

    /// A wait of the program takes the oldest set of its pair and id.
    fn wait(&mut self, src: Pipe, dst: Pipe, id: Option<u8>) {
        let fits = |r: &Raised| (r.0, r.1, r.2) == (src, dst, id) && id.is_some();
        if let Some(at) = self.raised.iter().position(fits)
            && let Some((.., known)) = self.raised.remove(at)
        {
            self.hear(dst, known);
        }
    }

    /// Everything that an item has in common with earlier ones: the latest for each pair of pipes.
    fn needs(&mut self, item: &Item, position: u32) -> Vec<Need> {
        let mut found: BTreeMap<(usize, usize), Need> = BTreeMap::new();
        for touch in &item.touches {
            for side in sides(touch.core) {
                let Some(ranges) = self.memory.get_mut(&(touch.region.home, side)) else { continue };
                ranges.visit(touch.region.start, touch.region.end, |cell| {
                    let writes = cell
                        .writes
                        .iter()
                        .map(|m| (m, if touch.write { Hazard::WriteAfterWrite } else { Hazard::ReadAfterWrite }));
                    let reads = cell.reads.iter().filter(|_| touch.write).map(|m| (m, Hazard::WriteAfterRead));
                    for (mark, hazard) in writes.chain(reads) {
                        let Some(from) = mark.filter(|m| m.item < position) else { continue };
                        let key = (from.touch.pipe as usize, touch.pipe as usize);
                        let need = Need { from, touch: *touch, hazard };
                        let entry = found.entry(key).or_insert(need);
                        if entry.from.item < from.item {
                            *entry = need;
                        }
                    }
                });
            }
        }
        found.into_values().collect()
    }

    fn remember(&mut self, item: &Item, item_position: u32) {
        for touch in &item.touches {
            for side in sides(touch.core) {
                let ranges = self.memory.entry((touch.region.home, side)).or_default();
                ranges.visit(touch.region.start, touch.region.end, |cell| {
                    let mark = Some(Mark { item: item_position, touch: *touch });
                    if touch.write {
                        // Whoever was here before has been waited for.
                        let old = |m: &mut Option<Mark>| *m = m.filter(|m| m.item == item_position);
                        cell.writes.iter_mut().for_each(old);
                        cell.reads.iter_mut().for_each(old);
                        cell.writes[touch.pipe as usize] = mark;
                    } else {
                        cell.reads[touch.pipe as usize] = mark;
                    }
                });
            }
        }
    }
}

/// All pairs of pipes: one that is waited for, one that waits.
fn pairs() -> impl Iterator<Item = (Pipe, Pipe)> {
    Pipe::REAL.into_iter().flat_map(|src| Pipe::REAL.into_iter().map(move |dst| (src, dst)))
}

/// The memories of the cores that run something: the cube core's, the vector core's.
fn sides(core: CoreKind) -> impl Iterator<Item = bool> {
    [false, true].into_iter().filter(move |vector| match core {
        CoreKind::Any => true,
        CoreKind::Cube => !vector,
        CoreKind::Vector => *vector,
    })
}

/// Flags and barriers of the program itself.
pub(super) fn is_user_sync(module: &Module, id: OpId) -> bool {
    matches!(
        module.op(id).op,
        op::set_flag
            | op::wait_flag
            | op::set_flag_dyn
            | op::wait_flag_dyn
            | op::record_event
            | op::wait_event
            | op::barrier
            | op::barrier_sync
    )
}

/// True for functions whose flags cannot be followed: they compute the ids, or use buffer tokens.
pub(super) fn orders_itself(module: &Module, function: OpId) -> bool {
    let mut found = false;
    for region in module.op_regions(function) {
        for block in &module.region(*region).blocks {
            module.walk(*block, &mut |id| {
                found |= matches!(
                    module.op(id).op,
                    op::set_flag_dyn
                        | op::wait_flag_dyn
                        | op::get_buf
                        | op::rls_buf
                        | op::get_buf_dyn
                        | op::rls_buf_dyn
                );
            });
        }
    }
    found
}

/// The same order with barriers only.
pub(super) fn as_barriers(edges: Vec<Edge>) -> Vec<Edge> {
    let mut by_place: BTreeMap<OpId, Edge> = BTreeMap::new();
    for edge in edges {
        let means = match edge.means {
            Means::All(why) => Means::All(why),
            _ => Means::All("asked for"),
        };
        let kept = by_place.entry(edge.before).or_insert(Edge {
            means,
            after: edge.before,
            before: edge.before,
            carried_by: None,
            reasons: Vec::new(),
        });
        kept.reasons.extend(edge.reasons);
    }
    by_place.into_values().collect()
}
