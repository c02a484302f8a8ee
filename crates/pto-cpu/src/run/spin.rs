//! Loops that read a number until another core has changed it.

use crate::prepared::StepId;

/// Unchanged reads in a row after which a core yields to the others.
pub(super) const PATIENCE: u32 = 64;
/// The longest period of a polling loop that is detected, in yields.
const LONGEST_PERIOD: u32 = 1 << 12;

/// How certain it is that a core that polls will do so for ever, unless another core does something.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Circles {
    /// Only scalars were computed, and they are what they were.
    Scalars,
    /// Instructions changed local memory, which no scalar shows.
    Local,
    /// Global memory was written, too.
    Global,
}

/// What a core did, as counters that only grow.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Deeds {
    /// Instructions executed.
    pub instructions: u64,
    /// Scalars read from memory or written to it, and steps that concern other cores.
    pub touched: u64,
    /// Scalars written to local memory.
    pub locals: u64,
    /// Writes to global memory.
    pub stores: u64,
}

/// A buffer, its byte, and the number there.
type PolledNumber = (usize, i64, u64);

/// Places that are read in turn and remembered.
const OTHERS: usize = 256;

/// What a core read from memory, and its state when it yielded.
#[derive(Clone, Default)]
pub(super) struct Spin {
    /// The last address and number of each instruction that reads one.
    found: Vec<Option<PolledNumber>>,
    /// The same for instructions that alternate between several addresses.
    others: Vec<Option<(usize, PolledNumber)>>,
    /// Reads in a row that brought nothing new.
    repeats: u32,
    /// A state to come back to: the step, its scalars, and what had been done.
    at: StepId,
    regs: Vec<u64>,
    deeds: Deeds,
    /// Yields since that state.
    since: u32,
    /// Yields between two visits of the state; after this many without one, another state is kept.
    period: u32,
    window: u32,
    circles: Option<Circles>,
}

impl Spin {
    /// For a core with this many instructions that read a number, and this many scalars to remember.
    pub fn new(instructions: usize, scalars: usize) -> Self {
        let regs = Vec::with_capacity(if instructions > 0 { scalars } else { 0 });
        Self { found: vec![None; instructions], regs, ..Self::default() }
    }

    pub fn reset(&mut self) {
        self.found.fill(None);
        let found = std::mem::take(&mut self.found);
        let mut others = std::mem::take(&mut self.others);
        others.clear();
        let mut regs = std::mem::take(&mut self.regs);
        regs.clear();
        *self = Self { found, others, regs, ..Self::default() };
    }

    /// An instruction reads a number, at a byte of a buffer.
    pub fn read(&mut self, which: usize, (buffer, first): (usize, i64), number: u64) {
        let read = (buffer, first, number);
        let again = match self.found[which] {
            Some((before, byte, _)) if (before, byte) != (buffer, first) => self.read_in_turn(which, read),
            last => last == Some(read),
        };
        self.repeats = if again { self.repeats.saturating_add(1) } else { 0 };
        self.found[which] = Some(read);
    }

    /// An instruction reads another place than the last time. True when it finds what it found there before.
    fn read_in_turn(&mut self, which: usize, read: PolledNumber) -> bool {
        if self.others.is_empty() {
            self.others.resize(OTHERS, None);
        }
        // Words that lie next to each other, or in lines next to each other, do not share a place.
        let spread = (read.1 >> 2) as usize ^ (read.1 >> 6) as usize ^ which.wrapping_mul(31);
        self.others[spread % OTHERS].replace((which, read)) == Some((which, read))
    }

    /// True when the core should yield, after this many unchanged reads in a row.
    pub fn is_due(&self, patience: u32) -> bool {
        self.repeats >= patience
    }

    /// Whether the core has been cycling through the same states since it last yielded.
    pub fn circles(&self) -> Option<Circles> {
        self.circles
    }

    /// Yields per cycle.
    pub fn period(&self) -> u32 {
        self.period
    }

    /// The core yields. A loop may yield several times before it is back in the same state, so a state is kept until it recurs; if it does not,
    /// it is replaced, each time after twice as long (Brent's algorithm).
    pub fn lets_others_go_on(&mut self, at: StepId, regs: &[u64], deeds: Deeds) {
        self.since += 1;
        if self.at == at && self.regs == regs {
            self.circles = Some(match deeds {
                d if d.stores != self.deeds.stores => Circles::Global,
                d if (d.instructions, d.locals) != (self.deeds.instructions, self.deeds.locals) => Circles::Local,
                _ => Circles::Scalars,
            });
            (self.period, self.since, self.window, self.deeds) = (self.since, 0, 1, deeds);
            return;
        }
        let patience = if self.circles.is_some() { self.period } else { self.window };
        if self.since < patience {
            return;
        }
        self.window = if self.circles.take().is_some() { 1 } else { (self.window * 2).clamp(1, LONGEST_PERIOD) };
        (self.since, self.at, self.deeds) = (0, at, deeds);
        self.regs.clear();
        self.regs.extend_from_slice(regs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polls(spin: &mut Spin, states: &[(u32, u64)], times: usize) -> Option<Circles> {
        for k in 0..times {
            let (at, number) = states[k % states.len()];
            spin.lets_others_go_on(StepId(at), &[number], Deeds::default());
        }
        spin.circles()
    }

    #[test]
    fn a_loop_with_several_polls_comes_back() {
        for states in [&[(4, 0)][..], &[(4, 0), (9, 0)], &[(4, 0), (9, 0), (4, 1), (9, 1), (4, 2), (9, 2)]] {
            assert_eq!(polls(&mut Spin::new(0, 1), states, 64), Some(Circles::Scalars), "{states:?}");
        }
    }

    #[test]
    fn words_that_are_read_in_turn_are_seen_again() {
        let mut spin = Spin::new(1, 1);
        for k in 0..200 {
            spin.read(0, (0, 64 * (k % 24)), 0);
        }
        assert!(spin.is_due(PATIENCE));
        spin.read(0, (0, 64), 1);
        assert!(!spin.is_due(1));
    }

    #[test]
    fn a_counter_does_not_come_back() {
        let mut spin = Spin::new(0, 1);
        for k in 0..5000 {
            spin.lets_others_go_on(StepId(4), &[k], Deeds::default());
            assert_eq!(spin.circles(), None);
        }
    }

    #[test]
    fn a_change_ends_the_circle() {
        let mut spin = Spin::new(0, 1);
        assert!(polls(&mut spin, &[(4, 0), (9, 0)], 20).is_some());
        assert!(polls(&mut spin, &[(4, 7), (9, 7)], 2).is_none());
        assert!(polls(&mut spin, &[(4, 7), (9, 7)], 20).is_some());
    }
}
