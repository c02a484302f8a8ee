//! The operations of a function in text order, with callees expanded.

use super::anew::is_loop;
use super::lost::{CopySides, MayAlias, PairTouch};
use crate::{Module, OpId, ValueId};
use pto_isa::hash::{FastMap, FastSet};
use pto_isa::ordered::OrdSet;
use pto_isa::sort::SharedSort;
use std::ops::Range;

/// Limit of operations of callees in all timelines together. Callees beyond it count as executed at any time.
pub(super) const MOST_CALLED: usize = 1_000_000;

/// The operations of a function in text order, with those of its callees at the calls.
pub(super) struct OpTimeline {
    pub(super) ops: Vec<OpId>,
    /// Ranges that repeat. Two of them are nested or disjoint.
    repeated: Vec<RepeatedRange>,
    /// The innermost repeated range around each operation.
    around: Vec<Option<usize>>,
    /// The ranges of callees.
    called: Vec<Range<usize>>,
    /// The positions of each operation: several if a function is called again.
    places: FastMap<OpId, Vec<usize>>,
    /// Parameters of callers.
    pub(super) params: Vec<ValueId>,
}

struct RepeatedRange {
    range: Range<usize>,
    outer: Option<usize>,
    /// The outermost repeated range around.
    outermost: Range<usize>,
}

/// Where a use or a write under other names would be wrong, given the accesses of a copy.
struct Danger {
    /// Uses from this position on.
    uses: Option<usize>,
    /// Writes before this position.
    writes_before: usize,
    /// Writes in this range.
    writes: Range<usize>,
}

impl OpTimeline {
    pub(super) fn new(names: &MayAlias, function: OpId, room: &mut usize) -> Self {
        let module = names.module;
        let mut ops = TimelineBuilder {
            module,
            calls: &names.calls,
            ops: Vec::new(),
            repeated: Vec::new(),
            called: Vec::new(),
            room,
        };
        ops.add_inside(function, &mut vec![function]);
        let TimelineBuilder { ops, repeated, called, .. } = ops;
        let mut places: FastMap<OpId, Vec<usize>> = FastMap::default();
        for (at, id) in ops.iter().enumerate() {
            places.entry(*id).or_default().push(at);
        }
        let mut params = Vec::new();
        if names.called.contains(&function) {
            params = module.op_regions(function).iter().flat_map(|r| module.starts(*r, 0)).collect();
        }
        let (repeated, around) = nested(repeated, ops.len());
        Self { ops, repeated, around, called, places, params }
    }

    /// Which operations belong to the function itself.
    pub(super) fn own(&self) -> Vec<bool> {
        let mut own = vec![true; self.ops.len()];
        let mut end = 0;
        let mut called: Vec<&Range<usize>> = self.called.iter().collect();
        called.shared_sort_by_key(|r| r.start);
        for range in called {
            own[range.start.max(end).min(range.end)..range.end].fill(false);
            end = end.max(range.end);
        }
        own
    }

    pub(super) fn loses(&self, sides: &CopySides, names: &MayAlias, at: usize) -> bool {
        // Operations of functions that this one does not call are outside.
        let (mut here, mut outside) = (Vec::new(), PairTouch::default());
        for id in sides.users(names) {
            let touch = sides.touched(names, id);
            match self.places.get(&id) {
                Some(places) => here.extend(places.iter().map(|at| (*at, touch)).filter(|(_, t)| t.any())),
                None => outside = outside.or(touch),
            }
        }
        let all = here.iter().map(|(_, t)| *t).fold(PairTouch::default(), PairTouch::or);
        let danger = self.danger(&here, at + 1);
        here.iter().any(|(at, touch)| {
            (touch.uses_other && danger.meets_use(*at)) || (touch.writes_other && danger.meets_write(*at))
        }) || (all.writes_copy && (sides.from_caller || outside.uses_other))
            || (all.writes_other && outside.uses_copy)
            || (outside.writes_copy && outside.uses_other)
            || (outside.writes_other && outside.uses_copy)
    }

    /// The forbidden accesses under other names, given the accesses of a copy in a loop that starts at a position.
    ///
    /// A write to the copy is missed by later uses, and by uses in the same iteration. A write to another name is missed by later uses of the copy up
    /// to the loop, which copies again there; from there on by later uses, in the same iteration or after it, and by uses before the loop if both are
    /// in an iteration. The first write and the last uses represent all, as iterations do not overlap.
    fn danger(&self, here: &[(usize, PairTouch)], start: usize) -> Danger {
        let written = here.iter().filter(|(_, t)| t.writes_copy).map(|(at, _)| *at).min();
        let used = || here.iter().filter(|(_, t)| t.uses_copy).map(|(at, _)| *at);
        let before = used().filter(|at| *at < start).max();
        let last = used().max().unwrap_or(0);
        let behind_last = self.outermost_from(last, start).map_or(last, |range| range.end);
        let behind_before = before.and_then(|at| self.outermost(at)).map_or(0, |range| range.end);
        Danger {
            uses: written.map(|at| self.outermost(at).map_or(at + 1, |range| range.start)),
            writes_before: before.unwrap_or(0),
            writes: start..last.max(behind_last).max(behind_before),
        }
    }

    fn outermost(&self, at: usize) -> Option<&Range<usize>> {
        Some(&self.repeated[self.around.get(at).copied()??].outermost)
    }

    /// The outermost repeated range around a position that does not start before another.
    fn outermost_from(&self, at: usize, start: usize) -> Option<&Range<usize>> {
        let mut found = None;
        let mut at_range = self.around.get(at).copied().flatten();
        while let Some(k) = at_range.filter(|k| self.repeated[*k].range.start >= start) {
            (found, at_range) = (Some(&self.repeated[k].range), self.repeated[k].outer);
        }
        found
    }
}

impl Danger {
    fn meets_use(&self, at: usize) -> bool {
        self.uses.is_some_and(|from| at >= from)
    }

    fn meets_write(&self, at: usize) -> bool {
        at < self.writes_before || self.writes.contains(&at)
    }
}

struct TimelineBuilder<'a> {
    module: &'a Module,
    calls: &'a FastMap<OpId, OpId>,
    ops: Vec<OpId>,
    repeated: Vec<Range<usize>>,
    called: Vec<Range<usize>>,
    /// The number of operations of callees that may follow.
    room: &'a mut usize,
}

impl TimelineBuilder<'_> {
    fn add_inside(&mut self, outer: OpId, stack: &mut Vec<OpId>) {
        let module = self.module;
        for region in module.op_regions(outer) {
            let (start, blocks) = (self.ops.len(), &module.region(*region).blocks);
            for id in blocks.iter().flat_map(|b| &module.block(*b).ops) {
                let at = self.ops.len();
                if stack.len() > 1 {
                    *self.room = self.room.saturating_sub(1);
                }
                self.ops.push(*id);
                self.add_inside(*id, stack);
                if let Some(function) = self.calls.get(id).filter(|f| *self.room > 0 && !stack.contains(f)) {
                    stack.push(*function);
                    self.add_inside(*function, stack);
                    stack.pop();
                    self.called.push(at + 1..self.ops.len());
                }
                if is_loop(module, *id) {
                    self.repeated.push(at + 1..self.ops.len());
                }
            }
            if blocks.len() > 1 {
                self.repeated.push(start..self.ops.len());
            }
        }
    }
}

/// Repeated ranges with their outer ranges, and the innermost one around each operation.
fn nested(mut ranges: Vec<Range<usize>>, ops: usize) -> (Vec<RepeatedRange>, Vec<Option<usize>>) {
    ranges.shared_sort_by_key(|r| (r.start, std::cmp::Reverse(r.end)));
    let (mut repeated, mut around): (Vec<RepeatedRange>, _) = (Vec::with_capacity(ranges.len()), vec![None; ops]);
    let mut open: Vec<usize> = Vec::new();
    for range in ranges {
        while open.last().is_some_and(|k| repeated[*k].range.end <= range.start) {
            open.pop();
        }
        let outermost = open.first().map_or(&range, |k| &repeated[*k].range).clone();
        let outer = open.last().copied();
        open.push(repeated.len());
        repeated.push(RepeatedRange { range, outer, outermost });
    }
    let mut open: Vec<usize> = Vec::new();
    let mut next = repeated.iter().enumerate().peekable();
    for (at, innermost) in around.iter_mut().enumerate() {
        while let Some((k, _)) = next.next_if(|(_, r)| r.range.start <= at) {
            open.push(k);
        }
        while open.last().is_some_and(|k| repeated[*k].range.end <= at) {
            open.pop();
        }
        *innermost = open.last().copied();
    }
    (repeated, around)
}

// ---- families -------------------------------------------------------------------------------------------------------

/// Values that are related in any way, as one set.
pub(super) struct Families {
    of: Vec<usize>,
    /// The number of operations that use a family.
    users: FastMap<usize, usize>,
}

impl Families {
    pub(super) fn new(names: &MayAlias) -> Self {
        let mut parents: Vec<usize> = (0..names.module.value_count()).collect();
        for (from, to) in names.ways.iter().flat_map(|(from, all)| all.iter().map(move |to| (from, to))) {
            let (a, b) = (root(&mut parents, from.index()), root(&mut parents, to.index()));
            parents[a.max(b)] = a.min(b);
        }
        let of = (0..parents.len()).map(|k| root(&mut parents, k)).collect();
        let mut this = Self { of, users: FastMap::default() };
        for id in names.module.order() {
            for family in this.used(names, id) {
                *this.users.entry(family).or_default() += 1;
            }
        }
        this
    }

    fn of(&self, value: ValueId) -> usize {
        self.of[value.index()]
    }

    fn used(&self, names: &MayAlias, id: OpId) -> OrdSet<usize> {
        names.accesses(id).map(|(value, _)| self.of(value)).collect()
    }
}

fn root(parents: &mut [usize], mut at: usize) -> usize {
    while parents[at] != at {
        parents[at] = parents[parents[at]];
        at = parents[at];
    }
    at
}

/// The uses and writes of each family on a timeline.
pub(super) struct FamilyAccesses<'a> {
    names: &'a MayAlias<'a>,
    families: &'a Families,
    by_family: FastMap<usize, FamilyUses>,
}

#[derive(Default)]
struct FamilyUses {
    uses: Vec<(usize, ValueId)>,
    writes: Vec<(usize, ValueId)>,
    /// The number of operations that use the family here.
    users: usize,
}

impl<'a> FamilyAccesses<'a> {
    pub(super) fn new(names: &'a MayAlias<'a>, families: &'a Families, timeline: &OpTimeline) -> Self {
        let mut by_family: FastMap<usize, FamilyUses> = FastMap::default();
        let mut seen = FastSet::default();
        for (at, id) in timeline.ops.iter().enumerate() {
            for (value, writes) in names.accesses(*id) {
                let access = by_family.entry(families.of(value)).or_default();
                access.uses.push((at, value));
                access.writes.extend(writes.then_some((at, value)));
            }
            if seen.insert(*id) {
                for family in families.used(names, *id) {
                    by_family.entry(family).or_default().users += 1;
                }
            }
        }
        Self { names, families, by_family }
    }

    /// False when a loop loses no write even if its whole family were one buffer, except for its own names. A cheap filter.
    pub(super) fn may_lose(
        &self,
        timeline: &OpTimeline,
        copy: &OrdSet<ValueId>,
        own: &OrdSet<ValueId>,
        at: usize,
    ) -> bool {
        let Some(family) = copy.first().map(|v| self.families.of(*v)) else { return false };
        let none = FamilyUses::default();
        let access = self.by_family.get(&family).unwrap_or(&none);
        let users: OrdSet<OpId> = copy.iter().filter_map(|v| self.names.users.get(v)).flatten().copied().collect();
        let mut here = Vec::new();
        for id in users {
            let used = self.names.accesses(id).filter(|(value, _)| copy.contains(value));
            let touch = used.fold(PairTouch::default(), |touch, (_, writes)| {
                touch.or(PairTouch { writes_copy: writes, uses_copy: true, ..PairTouch::default() })
            });
            match timeline.places.get(&id) {
                Some(places) => here.extend(places.iter().map(|at| (*at, touch)).filter(|(_, t)| t.any())),
                None if touch.any() => return true,
                None => {}
            }
        }
        let is_written = here.iter().any(|(_, t)| t.writes_copy);
        let is_elsewhere = !timeline.params.is_empty() || self.families.users.get(&family) != Some(&access.users);
        if is_written && is_elsewhere {
            return true;
        }
        let danger = timeline.danger(&here, at + 1);
        let is_other = |(_, value): &(usize, ValueId)| !own.contains(value);
        let behind = |list: &[(usize, ValueId)], from: usize| list.partition_point(|(at, _)| *at < from);
        let uses = danger.uses.map_or(&[][..], |from| &access.uses[behind(&access.uses, from)..]);
        let before = &access.writes[..behind(&access.writes, danger.writes_before)];
        let within = behind(&access.writes, danger.writes.start)..behind(&access.writes, danger.writes.end);
        uses.iter().rev().any(is_other)
            || before.iter().any(is_other)
            || access.writes.get(within).unwrap_or_default().iter().any(is_other)
    }
}
