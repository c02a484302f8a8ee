//! The state of signals, barriers and FIFO pipes.

use crate::clock::Clock;
use crate::findings::{Findings, InstrSite};
use pto_cpu::{Access, CoreId, Ring, Set};
use pto_isa::ordered::OrdMap;
use std::collections::VecDeque;

/// A sent signal: the clock of the sender, and the statement.
pub(crate) type SentSignal = (Clock, InstrSite);

/// A FIFO pipe of a block in one direction.
type RingKey = (u32, u32, u32, bool);

#[derive(Debug, Default)]
pub(crate) struct LinkState {
    /// Signals that wait for further senders, by sender and id.
    pub sent: OrdMap<(CoreId, i64), VecDeque<SentSignal>>,
    /// Signals that arrived, by receiver and id.
    pub arrived: OrdMap<(CoreId, i64), VecDeque<SentSignal>>,
    /// The joined clock of the cores that have arrived at a barrier.
    pub barriers: OrdMap<(u32, Set, u64), Clock>,
    pub rings: OrdMap<RingKey, RingState>,
    /// Signals that the program sends itself, and where.
    pub used: OrdMap<i64, InstrSite>,
    /// Signals that barriers and FIFO pipes use.
    pub reserved: OrdMap<i64, &'static str>,
}

/// Signals that `syncall` uses.
pub(crate) const SYNCALL_SIGNALS: [i64; 4] = [11, 12, 13, 14];

#[derive(Debug, Default)]
pub(crate) struct RingState {
    /// The clocks at which entries were pushed, and the statements.
    pub pushed: OrdMap<u64, SentSignal>,
    pub popped: OrdMap<u64, InstrSite>,
    /// The clocks at which slots were freed.
    pub freed: OrdMap<u64, Clock>,
    /// The tiles that consumers hold, oldest first.
    pub held: OrdMap<CoreId, VecDeque<(Access, InstrSite)>>,
}

impl LinkState {
    /// Reports what is left at the end.
    pub fn report_leftovers(&self, findings: &mut Findings<'_>) {
        for ((_, id), queue) in &self.arrived {
            queue.iter().for_each(|(_, site)| findings.signal_left(*id, *site));
        }
        for ring in self.rings.values() {
            let left: Vec<&SentSignal> =
                ring.pushed.iter().filter(|(count, _)| !ring.popped.contains_key(count)).map(|(_, m)| m).collect();
            if let Some((_, site)) = left.first() {
                findings.entries_left(left.len(), *site);
            }
            for (_, site) in ring.held.values().filter_map(VecDeque::front) {
                findings.never_freed(*site);
            }
        }
        for (id, site) in &self.used {
            if let Some(what) = self.reserved.get(id) {
                findings.reserved_signal(*id, what, *site, |id| self.reserved.contains_key(&id));
            }
        }
    }

    pub fn ring(&mut self, core: CoreId, ring: Ring) -> &mut RingState {
        self.rings.entry((core.rank, core.block, ring.key, ring.to_vector)).or_default()
    }
}
