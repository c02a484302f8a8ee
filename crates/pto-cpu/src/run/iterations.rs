//! Iterations of loops: how many there were, and loops that never end.
//!
//! A loop that computes only scalars and comes back to the same scalars never ends; one that counts is stopped after a number of iterations
//! that no program has between two instructions.

use super::spin::Deeds;
use crate::prepared::StepId;

/// Iterations between two looks.
const LOOK_EVERY: u64 = 1024;
/// The same, where a state was kept and did not come back.
const COMPARE_EVERY: u64 = 1 << 14;
/// The longest period of a loop that is detected, in iterations.
const LONGEST_PERIOD: u64 = 256;
/// Iterations without an instruction, where scalars go to memory or come from it, and where they do not.
pub(super) const MOST_WITH_MEMORY: u64 = 1 << 27;
pub(super) const MOST_SCALAR: u64 = 1 << 24;

/// Why a loop is considered endless.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Endless {
    /// It comes back to the same scalars.
    SameState,
    /// After this many iterations.
    Iterations(u64),
}

#[derive(Clone, Default)]
pub(super) struct Iterations {
    count: u64,
    /// The next iteration that is examined.
    look_at: u64,
    /// What had been done at the last look, and the iterations at which an instruction was executed last, and memory touched.
    deeds: Deeds,
    instruction: u64,
    memory: u64,
    /// A state to come back to, and the iteration it was taken at.
    state: Option<StepId>,
    regs: Vec<u64>,
    taken: u64,
}

impl Iterations {
    /// Another block; what was counted stays.
    pub fn reset(&mut self) {
        (self.instruction, self.memory, self.state) = (self.count, self.count, None);
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    /// Counts an iteration. True when it must be examined.
    #[inline(always)]
    pub fn next_is_checked(&mut self) -> bool {
        self.count += 1;
        self.count >= self.look_at
    }

    /// Examines the state after an iteration.
    pub fn check(&mut self, at: StepId, regs: &[u64], deeds: Deeds) -> Result<(), Endless> {
        self.look_at = self.count + LOOK_EVERY;
        if deeds.instructions != self.deeds.instructions {
            self.instruction = self.count;
        }
        if deeds != self.deeds {
            (self.memory, self.deeds, self.state) = (self.count, deeds, None);
        }
        if self.count - self.memory > MOST_SCALAR || self.count - self.instruction > MOST_WITH_MEMORY {
            return Err(Endless::Iterations(self.count - self.instruction));
        }
        if self.memory == self.count { Ok(()) } else { self.compare(at, regs) }
    }

    /// Compares with a state that is kept for some iterations.
    fn compare(&mut self, at: StepId, regs: &[u64]) -> Result<(), Endless> {
        let Some(kept) = self.state else {
            (self.state, self.taken, self.look_at) = (Some(at), self.count, self.count + 1);
            self.regs.clear();
            self.regs.extend_from_slice(regs);
            return Ok(());
        };
        if kept == at && self.regs == regs {
            return Err(Endless::SameState);
        }
        if self.count - self.taken < LONGEST_PERIOD {
            self.look_at = self.count + 1;
        } else {
            (self.state, self.look_at) = (None, self.count + COMPARE_EVERY);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many iterations pass before a loop is considered endless.
    fn iterations(most: u64, state: impl Fn(u64) -> (u64, Deeds)) -> Option<(u64, Endless)> {
        let mut loops = Iterations::default();
        (1..=most).find_map(|k| {
            let (number, deeds) = state(k);
            let checked = if loops.next_is_checked() { loops.check(StepId(7), &[number], deeds) } else { Ok(()) };
            checked.err().map(|why| (k, why))
        })
    }

    #[test]
    fn the_same_scalars_again_are_an_endless_loop() {
        let found = iterations(1 << 20, |k| (k % 5, Deeds::default()));
        assert!(matches!(found, Some((k, Endless::SameState)) if k < 4096), "{found:?}");
    }

    #[test]
    fn counting_ends_at_a_limit() {
        let found = iterations(1 << 25, |k| (k, Deeds::default()));
        assert!(matches!(found, Some((k, Endless::Iterations(_))) if k < 1 << 25), "{found:?}");
    }

    #[test]
    fn work_is_no_endless_loop() {
        assert_eq!(iterations(1 << 18, |k| (k % 500, Deeds { instructions: k / 500, ..Deeds::default() })), None);
        assert_eq!(iterations(1 << 18, |k| (3, Deeds { touched: k, ..Deeds::default() })), None);
    }
}
