//! Writes that would be lost where a loop carries copies.
//!
//! A copy has bytes of its own. What is written to it, or to the buffer it was made from, must not be used under the other's names, where the
//! program had one buffer. Found by names and by the order in the text, never by what branches do: a loop that is refused may be harmless,
//! one that is taken is.

use super::anew::{all_ways, is_loop, made_inside, reached};
use crate::{Module, OpId, ValueId};
use pto_isa::Dir;
use pto_isa::row::Effect;
use pto_isa::table::op;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

/// The loops that would lose a write if these parameters and results were copies.
pub(super) fn losing_loops(module: &Module, contents: &BTreeSet<ValueId>) -> BTreeSet<OpId> {
    if contents.is_empty() {
        return BTreeSet::new();
    }
    let names = Aliases::new(module, contents);
    let mut losing = BTreeSet::new();
    for function in module.functions().into_iter().filter(|f| has_copies(module, contents, *f)) {
        let timeline = Timeline::new(&names, function);
        let own = timeline.own();
        let loops = timeline.ops.iter().enumerate().filter(|(at, id)| own[*at] && is_loop(module, **id));
        losing.extend(loops.filter(|(at, id)| names.are_mixed(&timeline, *at, **id)).map(|(_, id)| *id));
    }
    losing
}

/// True when a loop of a function has parameters or results that are copies.
fn has_copies(module: &Module, contents: &BTreeSet<ValueId>, function: OpId) -> bool {
    let mut found = false;
    module.walk_inside(function, &mut |id| {
        let blocks = module.op_regions(id).iter().flat_map(|r| &module.region(*r).blocks);
        let args = blocks.flat_map(|b| &module.block(*b).args).copied();
        found |= is_loop(module, id) && args.chain(module.results(id)).any(|v| contents.contains(&v));
    });
    found
}

/// What each value may be another name of, but for copies.
pub(super) fn other_names(module: &Module, contents: &BTreeSet<ValueId>) -> BTreeMap<ValueId, BTreeSet<ValueId>> {
    let names = Aliases::new(module, contents);
    names.back.into_iter().filter(|(to, _)| !contents.contains(to)).collect()
}

// ---- names ----------------------------------------------------------------------------------------------------------

/// Who may be whom.
struct Aliases<'m> {
    module: &'m Module,
    contents: &'m BTreeSet<ValueId>,
    /// Each value's other names, as the program means it.
    ways: BTreeMap<ValueId, BTreeSet<ValueId>>,
    back: BTreeMap<ValueId, BTreeSet<ValueId>>,
    /// Values that are no other value's name once there are copies.
    roots: BTreeSet<ValueId>,
    calls: HashMap<OpId, OpId>,
    /// The functions that are called.
    called: HashSet<OpId>,
    /// The operations that have a value as an operand, in the order of the text.
    users: HashMap<ValueId, Vec<OpId>>,
}

impl<'m> Aliases<'m> {
    fn new(module: &'m Module, contents: &'m BTreeSet<ValueId>) -> Self {
        let (mut ways, mut back) = (BTreeMap::<_, BTreeSet<_>>::new(), BTreeMap::<_, BTreeSet<_>>::new());
        for (from, to) in &all_ways(module) {
            ways.entry(*from).or_default().insert(*to);
            back.entry(*to).or_default().insert(*from);
        }
        let is_root = |v: &ValueId| contents.contains(v) || !back.contains_key(v);
        let roots = ways.keys().chain(contents).copied().filter(is_root).collect();
        let calls = module.calls();
        let called = calls.values().copied().collect();
        let mut users: HashMap<_, Vec<OpId>> = HashMap::new();
        for id in module.order() {
            module.operands(id).iter().for_each(|o| users.entry(o.value).or_default().push(id));
        }
        Self { module, contents, ways, back, roots, calls, called, users }
    }

    /// All that these values may have been, in the program as it is.
    fn origins(&self, values: impl IntoIterator<Item = ValueId>) -> BTreeSet<ValueId> {
        reached(values, |v| self.back.get(&v).into_iter().flatten().copied().collect())
    }

    /// The names of these values once there are copies.
    fn names(&self, values: impl IntoIterator<Item = ValueId>) -> BTreeSet<ValueId> {
        let next = |v| self.ways.get(&v).into_iter().flatten().filter(|to| !self.contents.contains(to)).copied();
        reached(values, |v| next(v).collect())
    }

    /// True when something is written under the names of a copy and used under those of what it is copied from, or the other way round.
    fn are_mixed(&self, timeline: &Timeline, at: usize, id: OpId) -> bool {
        let blocks = self.module.op_regions(id).iter().flat_map(|r| self.module.region(*r).blocks.clone());
        let blocks: Vec<_> = blocks.collect();
        let made: BTreeSet<ValueId> = made_inside(self.module, &blocks).into_iter().collect();
        let args = blocks.iter().flat_map(|b| &self.module.block(*b).args).copied();
        let here: Vec<ValueId> = args.chain(self.module.results(id)).collect();
        let groups = self.groups(id, &here);
        // What a turn makes is another buffer in the next one, where it is known by the names that it was handed on under.
        let may_start =
            |v: &ValueId| self.roots.contains(v) && !made.contains(v) || here.contains(v) && !self.contents.contains(v);
        groups.iter().any(|group| {
            let origins = self.origins(group.iter().copied());
            // Whatever comes from the same.
            let related =
                reached(origins.iter().copied(), |v| self.ways.get(&v).into_iter().flatten().copied().collect());
            let starts = related.into_iter().filter(|v| !group.contains(v) && may_start(v));
            let sides = Sides {
                copy: self.names(group.iter().copied()),
                other: self.names(starts),
                from_caller: timeline.params.iter().any(|p| origins.contains(p)),
            };
            timeline.loses(&sides, self, at)
        })
    }

    /// The parameters and results of a loop that are copies, by the buffer that they share.
    fn groups(&self, id: OpId, here: &[ValueId]) -> Vec<BTreeSet<ValueId>> {
        let mut groups: Vec<BTreeSet<ValueId>> = Vec::new();
        for value in here.iter().filter(|v| self.contents.contains(v)) {
            let from = self.shared_with(id, *value);
            match groups.iter_mut().find(|g| from.iter().any(|v| g.contains(v))) {
                Some(group) => group.extend([*value]),
                None => groups.push(BTreeSet::from([*value])),
            }
        }
        groups
    }

    /// What has the same buffer as a parameter or result: in a counted loop what is handed in, in another what goes through the condition.
    fn shared_with(&self, id: OpId, value: ValueId) -> Vec<ValueId> {
        let module = self.module;
        let regions = module.op_regions(id);
        let results: Vec<ValueId> = module.results(id).collect();
        let starts =
            |region: usize, skip: usize| regions.get(region).map_or_else(Vec::new, |r| module.starts(*r, skip));
        let at = |list: &[ValueId]| list.iter().position(|v| *v == value);
        if module.op(id).op == op::scf_for {
            return at(&results).and_then(|k| starts(0, 1).get(k).copied()).into_iter().collect();
        }
        let params = starts(1, 0);
        let Some(k) = at(&params).or_else(|| at(&results)) else { return Vec::new() };
        let passed = regions.first().and_then(|r| module.ends(*r).into_iter().next()).unwrap_or_default();
        // Of two that are passed the same, the first shares.
        let own = passed.get(k).filter(|v| passed.iter().position(|p| p == *v) == Some(k));
        params.get(k).copied().filter(|p| *p != value).into_iter().chain(own.copied()).collect()
    }

    /// True when an operation copies a value that it hands on.
    fn is_copied(&self, value: ValueId) -> bool {
        self.ways.get(&value).is_some_and(|to| !to.is_disjoint(self.contents))
    }
}

// ---- order ----------------------------------------------------------------------------------------------------------

/// The names of a copy, and of what was the same buffer.
struct Sides {
    copy: BTreeSet<ValueId>,
    other: BTreeSet<ValueId>,
    /// Whether that may be a buffer of a caller.
    from_caller: bool,
}

/// What an operation does to the two.
#[derive(Clone, Copy, Default)]
struct Touch {
    writes_copy: bool,
    uses_copy: bool,
    writes_other: bool,
    uses_other: bool,
}

/// The operations of a function in the order of the text, with those of the functions that it calls where it calls them.
struct Timeline {
    ops: Vec<OpId>,
    /// What is repeated.
    turns: Vec<Range<usize>>,
    /// Where the operations of other functions are.
    called: Vec<Range<usize>>,
    /// Where each operation is: at several places if a function is called again.
    places: HashMap<OpId, Vec<usize>>,
    /// Parameters that callers give.
    params: Vec<ValueId>,
}

impl Timeline {
    fn new(names: &Aliases, function: OpId) -> Self {
        let (module, places) = (names.module, HashMap::new());
        let mut this = Self { ops: Vec::new(), turns: Vec::new(), called: Vec::new(), places, params: Vec::new() };
        this.add_inside(module, &names.calls, function, &mut vec![function]);
        for (at, id) in this.ops.iter().enumerate() {
            this.places.entry(*id).or_default().push(at);
        }
        if names.called.contains(&function) {
            this.params = module.op_regions(function).iter().flat_map(|r| module.starts(*r, 0)).collect();
        }
        this
    }

    fn add_inside(&mut self, module: &Module, calls: &HashMap<OpId, OpId>, outer: OpId, stack: &mut Vec<OpId>) {
        for region in module.op_regions(outer) {
            let (start, blocks) = (self.ops.len(), &module.region(*region).blocks);
            for id in blocks.iter().flat_map(|b| &module.block(*b).ops) {
                let at = self.ops.len();
                self.ops.push(*id);
                self.add_inside(module, calls, *id, stack);
                if let Some(function) = calls.get(id).filter(|f| !stack.contains(f)) {
                    stack.push(*function);
                    self.add_inside(module, calls, *function, stack);
                    stack.pop();
                    self.called.push(at + 1..self.ops.len());
                }
                if is_loop(module, *id) {
                    self.turns.push(at + 1..self.ops.len());
                }
            }
            if blocks.len() > 1 {
                self.turns.push(start..self.ops.len());
            }
        }
    }

    /// Which operations are those of the function itself.
    fn own(&self) -> Vec<bool> {
        let mut own = vec![true; self.ops.len()];
        let mut end = 0;
        let mut called: Vec<&Range<usize>> = self.called.iter().collect();
        called.sort_by_key(|r| r.start);
        for range in called {
            own[range.start.max(end).min(range.end)..range.end].fill(false);
            end = end.max(range.end);
        }
        own
    }

    fn loses(&self, sides: &Sides, names: &Aliases, at: usize) -> bool {
        let inside = self.turns.iter().find(|r| r.start == at + 1).cloned().unwrap_or(at + 1..at + 1);
        // Operations of functions that this one does not call are outside.
        let (mut here, mut outside) = (Vec::new(), Touch::default());
        for id in sides.users(names) {
            let touch = sides.touched(names, id);
            match self.places.get(&id) {
                Some(places) => here.extend(places.iter().map(|at| (*at, touch)).filter(|(_, t)| t.any())),
                None => outside = outside.or(touch),
            }
        }
        here.sort_unstable_by_key(|(at, _)| *at);
        let all = here.iter().map(|(_, t)| *t).fold(Touch::default(), Touch::or);
        let around = |w: usize, u: usize| self.turns.iter().filter(move |r| r.contains(&w) && r.contains(&u));
        let misses_copy = |w: usize, u: usize| u > w || around(w, u).next().is_some();
        // At its start the loop makes its copy anew.
        let misses_other = |w: usize, u: usize| {
            if w < inside.start {
                return (w + 1..inside.start).contains(&u);
            }
            u > w || around(w, u).any(|r| r.start >= inside.start || u < inside.start)
        };
        let lost = |(w, a): &(usize, Touch), (u, b): &(usize, Touch)| {
            (a.writes_copy && b.uses_other && misses_copy(*w, *u))
                || (a.writes_other && b.uses_copy && misses_other(*w, *u))
        };
        here.iter().any(|w| here.iter().any(|u| lost(w, u)))
            || (all.writes_copy && (sides.from_caller || outside.uses_other))
            || (all.writes_other && outside.uses_copy)
            || (outside.writes_copy && outside.uses_other)
            || (outside.writes_other && outside.uses_copy)
    }
}

impl Sides {
    /// The operations that have one of the names as an operand.
    fn users(&self, names: &Aliases) -> BTreeSet<OpId> {
        self.copy.iter().chain(&self.other).filter_map(|v| names.users.get(v)).flatten().copied().collect()
    }

    fn touched(&self, names: &Aliases, id: OpId) -> Touch {
        let module = names.module;
        let code = module.op(id).op;
        let writes_all = matches!(code, op::memref_store | op::set_validshape);
        let is_unknown = is_unknown_call(module, &names.calls, id);
        let only_names = match code.row().effect {
            Effect::Control => !is_unknown,
            Effect::View => !writes_all,
            _ => code == op::arith_select,
        };
        let mut touch = Touch::default();
        for operand in module.operands(id) {
            if only_names && !names.is_copied(operand.value) {
                continue;
            }
            let slot = code.row().slots.get(usize::from(operand.slot));
            let writes = writes_all || is_unknown || slot.is_some_and(|s| s.dir != Dir::In);
            let (copy, other) = (self.copy.contains(&operand.value), self.other.contains(&operand.value));
            touch = touch.or(Touch {
                writes_copy: copy && writes && !only_names,
                uses_copy: copy,
                writes_other: other && writes && !only_names,
                uses_other: other,
            });
        }
        touch
    }
}

/// True for a call of a function whose body is elsewhere.
fn is_unknown_call(module: &Module, calls: &HashMap<OpId, OpId>, id: OpId) -> bool {
    let body = |f: OpId| module.op_regions(f).iter().any(|r| !module.region(*r).blocks.is_empty());
    module.op(id).op == op::func_call && !calls.get(&id).is_some_and(|f| body(*f))
}

impl Touch {
    fn or(self, other: Self) -> Self {
        Self {
            writes_copy: self.writes_copy | other.writes_copy,
            uses_copy: self.uses_copy | other.uses_copy,
            writes_other: self.writes_other | other.writes_other,
            uses_other: self.uses_other | other.uses_other,
        }
    }

    fn any(self) -> bool {
        self.uses_copy || self.uses_other
    }
}
