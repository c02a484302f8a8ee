//! Paths that the data does not take.

use pto_ir::OpId;
use std::collections::BTreeMap;

/// How often a branch went each way.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Ways {
    pub yes: u64,
    pub no: u64,
}

/// Branches of a run: which way they went, and which of them are made to go another way.
#[derive(Clone, Default, Debug)]
pub(crate) struct Branches {
    pub seen: BTreeMap<OpId, Ways>,
    /// Goes this way whenever it is asked; a loop that should go round does so once.
    forced: BTreeMap<OpId, bool>,
    rounds: BTreeMap<OpId, u64>,
}

impl Branches {
    /// These branches go this way.
    pub fn forcing(forced: BTreeMap<OpId, bool>) -> Self {
        Self { forced, ..Self::default() }
    }

    pub fn decide(&mut self, op: OpId, taken: bool) -> bool {
        let taken = match self.forced.get(&op).copied() {
            Some(true) if self.is_loop_done(op) => false,
            Some(way) => way,
            None => taken,
        };
        let ways = self.seen.entry(op).or_default();
        *(if taken { &mut ways.yes } else { &mut ways.no }) += 1;
        taken
    }

    /// A forced loop goes round once each time it is entered.
    fn is_loop_done(&mut self, op: OpId) -> bool {
        let rounds = self.rounds.entry(op).or_default();
        *rounds += 1;
        rounds.is_multiple_of(2)
    }
}
