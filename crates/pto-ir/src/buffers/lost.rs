//! Writes that would be lost if a loop carries copies.
//!
//! A copy has its own bytes. A write to it, or to the buffer it was made from, must not be read under the names of the other, if the program
//! had one buffer. This is decided by aliases and text order, not by conditions: a loop that is rejected may be harmless, but an accepted one
//! is safe.

use super::anew::{all_ways, is_loop, made_inside, reached};
use super::timeline::{Families, FamilyAccesses, MOST_CALLED, OpTimeline};
use crate::{Module, OpId, ValueId};
use pto_isa::Dir;
use pto_isa::hash::{FastMap, FastSet};
use pto_isa::ordered::{OrdMap, OrdSet};
use pto_isa::row::{Arith, Control, Effect, Meaning, Movement, Storage};

/// Limit of losing loops that are analysed precisely. One is enough to reject the program.
const MOST_LOSING: usize = 20;

/// The loops that would lose a write if these parameters and results were copies, or the first of them.
pub(super) fn losing_loops(module: &Module, contents: &OrdSet<ValueId>) -> OrdSet<OpId> {
    if contents.is_empty() {
        return OrdSet::new();
    }
    let names = MayAlias::new(module, contents);
    let families = Families::new(&names);
    let (mut losing, mut room) = (OrdSet::new(), MOST_CALLED);
    for function in module.functions().into_iter().filter(|f| has_copies(module, contents, *f)) {
        let timeline = OpTimeline::new(&names, function, &mut room);
        let accesses = FamilyAccesses::new(&names, &families, &timeline);
        let own = timeline.own();
        let loops = timeline.ops.iter().enumerate().filter(|(at, id)| own[*at] && is_loop(module, **id));
        let losing_here = loops.filter(|(at, id)| names.are_mixed(&timeline, &accesses, *at, **id));
        losing.extend(losing_here.map(|(_, id)| *id).take(MOST_LOSING - losing.len()));
    }
    losing
}

/// True when a loop of a function has parameters or results that are copies.
fn has_copies(module: &Module, contents: &OrdSet<ValueId>, function: OpId) -> bool {
    let mut found = false;
    module.walk_inside(function, &mut |id| {
        let blocks = module.op_regions(id).iter().flat_map(|r| &module.region(*r).blocks);
        let args = blocks.flat_map(|b| &module.block(*b).args).copied();
        found |= is_loop(module, id) && args.chain(module.results(id)).any(|v| contents.contains(&v));
    });
    found
}

/// The values that each value may be an alias of, except for copies.
pub(super) fn other_names(module: &Module, contents: &OrdSet<ValueId>) -> OrdMap<ValueId, OrdSet<ValueId>> {
    let names = MayAlias::new(module, contents);
    names.back.into_iter().filter(|(to, _)| !contents.contains(to)).collect()
}

// ---- names ----------------------------------------------------------------------------------------------------------

/// May-alias relations.
pub(super) struct MayAlias<'m> {
    pub(super) module: &'m Module,
    contents: &'m OrdSet<ValueId>,
    /// The aliases of each value, as the program means them.
    pub(super) ways: OrdMap<ValueId, OrdSet<ValueId>>,
    pub(super) back: OrdMap<ValueId, OrdSet<ValueId>>,
    /// Values that are no alias of another once there are copies.
    roots: OrdSet<ValueId>,
    pub(super) calls: FastMap<OpId, OpId>,
    /// The functions that are called.
    pub(super) called: FastSet<OpId>,
    /// The operations that have a value as an operand, in the order of the text.
    pub(super) users: FastMap<ValueId, Vec<OpId>>,
}

impl<'m> MayAlias<'m> {
    fn new(module: &'m Module, contents: &'m OrdSet<ValueId>) -> Self {
        let (mut ways, mut back) = (OrdMap::<_, OrdSet<_>>::new(), OrdMap::<_, OrdSet<_>>::new());
        for (from, to) in &all_ways(module) {
            ways.entry(*from).or_default().insert(*to);
            back.entry(*to).or_default().insert(*from);
        }
        let is_root = |v: &ValueId| contents.contains(v) || !back.contains_key(v);
        let roots = ways.keys().chain(contents).copied().filter(is_root).collect();
        let calls = module.calls();
        let called = calls.values().copied().collect();
        let mut users: FastMap<_, Vec<OpId>> = FastMap::default();
        for id in module.order() {
            module.operands(id).iter().for_each(|o| users.entry(o.value).or_default().push(id));
        }
        Self { module, contents, ways, back, roots, calls, called, users }
    }

    /// All values that these may be aliases of, in the original program.
    fn origins(&self, values: impl IntoIterator<Item = ValueId>) -> OrdSet<ValueId> {
        reached(values, |v| self.back.get(&v).into_iter().flatten().copied().collect())
    }

    /// The aliases of these values once there are copies.
    fn names(&self, values: impl IntoIterator<Item = ValueId>) -> OrdSet<ValueId> {
        let next = |v| self.ways.get(&v).into_iter().flatten().filter(|to| !self.contents.contains(to)).copied();
        reached(values, |v| next(v).collect())
    }

    /// True when something is written under the names of a copy and read under those of its source, or the reverse.
    fn are_mixed(&self, timeline: &OpTimeline, accesses: &FamilyAccesses, at: usize, id: OpId) -> bool {
        let blocks = self.module.op_regions(id).iter().flat_map(|r| self.module.region(*r).blocks.clone());
        let blocks: Vec<_> = blocks.collect();
        let args = blocks.iter().flat_map(|b| &self.module.block(*b).args).copied();
        let here: Vec<ValueId> = args.chain(self.module.results(id)).collect();
        let groups = self.groups(id, &here);
        if groups.is_empty() {
            return false;
        }
        let made: OrdSet<ValueId> = made_inside(self.module, &blocks).into_iter().collect();
        let open: OrdSet<ValueId> = here.into_iter().filter(|v| !self.contents.contains(v)).collect();
        groups.iter().any(|group| {
            let copy = self.names(group.iter().copied());
            let own = self.own_names(group, &made, &open);
            accesses.may_lose(timeline, &copy, &own, at)
                && timeline.loses(&self.sides(timeline, group, copy, &made, &open), self, at)
        })
    }

    /// The names of a group of copies, and of what was the same buffer.
    fn sides(
        &self,
        timeline: &OpTimeline,
        group: &OrdSet<ValueId>,
        copy: OrdSet<ValueId>,
        made: &OrdSet<ValueId>,
        open: &OrdSet<ValueId>,
    ) -> CopySides {
        // A buffer that an iteration allocates is another one in the next, where it has the names under which it was yielded.
        let may_start = |v: &ValueId| self.roots.contains(v) && !made.contains(v) || open.contains(v);
        let origins = self.origins(group.iter().copied());
        // Everything with the same origin.
        let related = reached(origins.iter().copied(), |v| self.ways.get(&v).into_iter().flatten().copied().collect());
        let starts = related.into_iter().filter(|v| !group.contains(v) && may_start(v));
        let from_caller = timeline.params.iter().any(|p| origins.contains(p));
        CopySides { copy, other: self.names(starts), from_caller }
    }

    /// Names that can only be a copy of a group or a buffer that an iteration allocates.
    fn own_names(&self, group: &OrdSet<ValueId>, made: &OrdSet<ValueId>, open: &OrdSet<ValueId>) -> OrdSet<ValueId> {
        let mut own = self.names(group.iter().chain(made).copied());
        let before = |v: &ValueId| self.back.get(v).into_iter().flatten();
        let is_start = |v: &ValueId| group.contains(v) || (made.contains(v) && !self.back.contains_key(v));
        let is_other = |own: &OrdSet<ValueId>, v: &ValueId| {
            !is_start(v) && (open.contains(v) || self.contents.contains(v) || before(v).any(|from| !own.contains(from)))
        };
        let mut others: Vec<ValueId> = own.iter().copied().filter(|v| is_other(&own, v)).collect();
        while let Some(value) = others.pop() {
            if own.remove(&value) {
                let next = self.ways.get(&value).into_iter().flatten();
                others.extend(next.copied().filter(|to| own.contains(to) && is_other(&own, to)));
            }
        }
        own
    }

    /// The parameters and results of a loop that are copies, by the buffer that they share.
    fn groups(&self, id: OpId, here: &[ValueId]) -> Vec<OrdSet<ValueId>> {
        let mut groups: Vec<OrdSet<ValueId>> = Vec::new();
        for value in here.iter().filter(|v| self.contents.contains(v)) {
            let from = self.shared_with(id, *value);
            match groups.iter_mut().find(|g| from.iter().any(|v| g.contains(v))) {
                Some(group) => group.extend([*value]),
                None => groups.push(OrdSet::from([*value])),
            }
        }
        groups
    }

    /// What shares the buffer of a parameter or result: in a counted loop the initial value, in another what the condition passes.
    fn shared_with(&self, id: OpId, value: ValueId) -> Vec<ValueId> {
        let module = self.module;
        let regions = module.op_regions(id);
        let results: Vec<ValueId> = module.results(id).collect();
        let starts =
            |region: usize, skip: usize| regions.get(region).map_or_else(Vec::new, |r| module.starts(*r, skip));
        let at = |list: &[ValueId]| list.iter().position(|v| *v == value);
        if module.control(id) == Some(Control::For) {
            return at(&results).and_then(|k| starts(0, 1).get(k).copied()).into_iter().collect();
        }
        let params = starts(1, 0);
        let Some(k) = at(&params).or_else(|| at(&results)) else { return Vec::new() };
        let passed = regions.first().and_then(|r| module.ends(*r).into_iter().next()).unwrap_or_default();
        // Of two with the same passed value, the first shares.
        let own = passed.get(k).filter(|v| passed.iter().position(|p| p == *v) == Some(k));
        params.get(k).copied().filter(|p| *p != value).into_iter().chain(own.copied()).collect()
    }

    /// The values that an operation uses, and whether it writes them. Yielding an alias is not a use, unless that makes a copy.
    pub(super) fn accesses(&self, id: OpId) -> impl Iterator<Item = (ValueId, bool)> {
        let code = self.module.op(id).op;
        let writes_all = matches!(
            code.row().meaning,
            Meaning::Movement(Movement::StoreElement) | Meaning::Storage(Storage::SetValid)
        );
        let is_unknown = is_unknown_call(self.module, &self.calls, id);
        let only_names = match code.row().effect {
            Effect::Control => !is_unknown,
            Effect::View => !writes_all,
            _ => code.arith() == Some(Arith::Select),
        };
        let used = self.module.operands(id).iter().filter(move |o| !only_names || self.is_copied(o.value));
        used.map(move |operand| {
            let slot = code.row().slots.get(usize::from(operand.slot));
            let writes = writes_all || is_unknown || slot.is_some_and(|s| s.dir != Dir::In);
            (operand.value, writes && !only_names)
        })
    }

    /// True when an operation copies a value that it yields.
    fn is_copied(&self, value: ValueId) -> bool {
        self.ways.get(&value).is_some_and(|to| !to.is_disjoint(self.contents))
    }
}

// ---- what is touched ------------------------------------------------------------------------------------------------

/// The names of a copy, and of what was the same buffer.
pub(super) struct CopySides {
    pub(super) copy: OrdSet<ValueId>,
    other: OrdSet<ValueId>,
    /// Whether that may be a buffer of a caller.
    pub(super) from_caller: bool,
}

/// The effect of an operation on the two.
#[derive(Clone, Copy, Default)]
pub(super) struct PairTouch {
    pub(super) writes_copy: bool,
    pub(super) uses_copy: bool,
    pub(super) writes_other: bool,
    pub(super) uses_other: bool,
}

impl CopySides {
    /// The operations that have one of the names as an operand.
    pub(super) fn users(&self, names: &MayAlias) -> OrdSet<OpId> {
        self.copy.iter().chain(&self.other).filter_map(|v| names.users.get(v)).flatten().copied().collect()
    }

    pub(super) fn touched(&self, names: &MayAlias, id: OpId) -> PairTouch {
        names.accesses(id).fold(PairTouch::default(), |touch, (value, writes)| {
            let (copy, other) = (self.copy.contains(&value), self.other.contains(&value));
            touch.or(PairTouch {
                writes_copy: copy && writes,
                uses_copy: copy,
                writes_other: other && writes,
                uses_other: other,
            })
        })
    }
}

/// True for a call of a function without a body.
fn is_unknown_call(module: &Module, calls: &FastMap<OpId, OpId>, id: OpId) -> bool {
    let body = |f: OpId| module.op_regions(f).iter().any(|r| !module.region(*r).blocks.is_empty());
    module.control(id) == Some(Control::Call) && !calls.get(&id).is_some_and(|f| body(*f))
}

impl PairTouch {
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            writes_copy: self.writes_copy | other.writes_copy,
            uses_copy: self.uses_copy | other.uses_copy,
            writes_other: self.writes_other | other.writes_other,
            uses_other: self.uses_other | other.uses_other,
        }
    }

    pub(super) fn any(self) -> bool {
        self.uses_copy || self.uses_other
    }
}
