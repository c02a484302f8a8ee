//! The ways that branches take, and branches that are forced to take another.

use crate::words::Word;
use pto_cpu::{Access, AddressSpace, CoreId, Event};
use pto_ir::{Module, OpId};
use pto_isa::Op;
use pto_isa::ordered::{OrdMap, OrdSet};
use pto_isa::row::Control;
use pto_isa::text;

/// Which ways a branch went.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Way {
    /// It was not taken, or the loop was skipped.
    No,
    /// It was taken, or the loop was entered.
    Yes,
    /// The loop had a second iteration.
    Again,
}

/// A branch, and the way it went.
type BranchTaken = (OpId, Way);

/// The branches of a run: the ways they took, and those that are forced.
#[derive(Clone, Default, Debug)]
pub(crate) struct Branches {
    pub seen: OrdMap<OpId, OrdSet<Way>>,
    /// Iterations so far of the loops that a core is in.
    pub iterations: OrdMap<(CoreId, OpId), u64>,
    pub forced: OrdMap<OpId, Way>,
    /// Forced values of scalars from memory, and the values they had.
    pub numbers: OrdMap<OpId, u64>,
    pub found: OrdMap<OpId, u64>,
    /// The scalar stores and notifications that wrote the values; `None` for initial memory.
    pub writers: OrdMap<OpId, OrdSet<Option<OpId>>>,
    /// The last of them for each word.
    pub stored: OrdMap<Word, OpId>,
    /// The ways in order, if requested.
    pub traced: bool,
    pub last: OrdMap<CoreId, BranchTaken>,
    pub steps: OrdSet<(Option<BranchTaken>, BranchTaken)>,
}

impl Branches {
    /// Records the path of a run.
    pub fn traced() -> Self {
        Self { traced: true, ..Self::default() }
    }

    /// Decides a branch.
    pub fn branch(&mut self, core: CoreId, op: OpId, taken: bool) -> bool {
        let taken = self.forced.get(&op).map_or(taken, |way| *way != Way::No);
        self.note(core, op, if taken { Way::Yes } else { Way::No });
        taken
    }

    /// Decides whether a loop has another iteration. A loop that is forced to be entered has one or two iterations.
    pub fn iterate(&mut self, core: CoreId, op: OpId, goes_on: bool) -> bool {
        let iterations = self.iterations.get(&(core, op)).copied().unwrap_or(0);
        let goes_on = self.forced.get(&op).map_or(goes_on, |way| iterations < *way as u64);
        match (goes_on, iterations) {
            (false, 0) => self.note(core, op, Way::No),
            (true, 0) => self.note(core, op, Way::Yes),
            (true, 1) => self.note(core, op, Way::Again),
            _ => {}
        }
        if goes_on {
            *self.iterations.entry((core, op)).or_default() += 1;
        } else {
            self.iterations.remove(&(core, op));
        }
        goes_on
    }

    /// Decides the value of a scalar from memory.
    pub fn number(&mut self, op: OpId, value: u64) -> u64 {
        if self.traced {
            self.found.entry(op).or_insert(value);
        }
        self.numbers.get(&op).copied().unwrap_or(value)
    }

    /// A scalar store or load, or a notification.
    pub fn scalar(&mut self, event: &Event<'_>) {
        let [Access { place: AddressSpace::Global(buffer), start, write, .. }] = event.accesses else { return };
        if self.traced && *write {
            self.stored.insert((*buffer, *start), event.op);
        } else if self.traced {
            let writer = self.stored.get(&(*buffer, *start)).copied();
            self.writers.entry(event.op).or_default().insert(writer);
        }
    }

    /// The stores that a load takes its numbers from, if memory was not as it was given.
    pub fn writers_of(&self, load: OpId) -> Option<impl Iterator<Item = OpId>> {
        let writers = self.writers.get(&load).filter(|all| !all.contains(&None))?;
        Some(writers.iter().flatten().copied())
    }

    fn note(&mut self, core: CoreId, op: OpId, way: Way) {
        if self.traced {
            self.seen.entry(op).or_default().insert(way);
            let before = self.last.insert(core, (op, way));
            self.steps.insert((before, (op, way)));
        }
    }

    /// The first branch in the text that took another way than in another run, and which.
    pub fn first_difference(&self, other: &Self, module: &Module) -> Option<BranchTaken> {
        let differs = |(op, ways): (&OpId, &OrdSet<Way>)| {
            let before = other.seen.get(op);
            let way = ways.iter().find(|way| before.is_none_or(|b| !b.contains(way)));
            let fewer = || before.filter(|b| *b != ways).and_then(|_| ways.first());
            way.or_else(fewer).map(|way| (*op, *way))
        };
        self.seen.iter().filter_map(differs).min_by_key(|(op, _)| module.op(*op).span)
    }

    /// Branches that took only one way, and not that of another run.
    pub fn other_ways(&self, other: &Self) -> OrdMap<OpId, Way> {
        let changed = self.seen.iter().filter(|(op, ways)| other.seen.get(op) != Some(ways));
        // The last way of a loop says how many iterations it had.
        let one = |(op, ways): (&OpId, &OrdSet<Way>)| match (ways.len(), ways.last()) {
            (1, Some(way)) => Some((*op, *way)),
            (2, Some(Way::Again)) => Some((*op, Way::Again)),
            _ => None,
        };
        changed.filter_map(one).collect()
    }
}

/// True for loops.
pub(crate) fn is_loop(code: Op) -> bool {
    code.control().is_some_and(Control::is_loop)
}

/// The way that a branch took, in words.
pub(crate) fn way_text(module: &Module, (op, way): BranchTaken) -> &'static str {
    match (is_loop(module.op(op).op), way) {
        (true, Way::No) => text!("the loop is skipped"),
        (true, Way::Yes) => text!("the loop is entered"),
        (_, Way::Again) => text!("the loop runs another iteration"),
        (false, Way::Yes) => text!("the condition holds"),
        (false, Way::No) => text!("the condition does not hold"),
    }
}
