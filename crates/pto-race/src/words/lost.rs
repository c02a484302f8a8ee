//! Notifications that are lost in another order: a core sets a word to the awaited number, another core sets it to something else, and
//! nothing orders the two. This run took the order in which the wait ends.

use super::{LogEvent, PossibleValues, ReadNumber, WordChange, WordLog, WordQuestion};
use pto_ir::OpId;
use pto_isa::ordered::OrdSet;

/// Changes before and after a wait that are considered. Those further away are ordered with it, or there are too many to wait for.
const NEAR: usize = 8;

/// A notification that another one may overwrite.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct LostNotification {
    /// Sets the awaited number.
    pub awaited: OpId,
    /// Sets another one, possibly later.
    pub other: OpId,
    pub wait: OpId,
}

impl WordLog {
    /// Names the statement of the last change.
    pub fn notified(&mut self, op: OpId) {
        self.notifications.insert(self.entries.len() - 1, op);
    }

    /// What other orders lose, given what waits learn.
    pub(super) fn lost(&self) -> OrdSet<LostNotification> {
        let waits = self.entries.iter().enumerate();
        let waits =
            waits.filter_map(|(at, e)| if let LogEvent::Wait(_, ask) = e.what { Some((at, ask)) } else { None });
        waits.flat_map(|(wait, ask)| self.lost_for(wait, ask)).collect()
    }

    fn lost_for(&self, wait: usize, ask: usize) -> Vec<LostNotification> {
        let asks = &self.asks[ask];
        let (WordQuestion::Compared { cmp, value }, [read], [site]) = (&asks.asked, &asks.reads[..], &asks.sites[..])
        else {
            return Vec::new();
        };
        let &ReadNumber::Word(history) = read else { return Vec::new() };
        let changes = &self.histories[history].changes;
        let at = changes.partition_point(|c| *c < wait);
        let near = &changes[at.saturating_sub(NEAR)..(at + NEAR).min(changes.len())];
        // What comes after the wait does not matter for it.
        let before: Vec<usize> = near.iter().copied().filter(|c| !self.is_before(wait, *c)).collect();
        let Some(sets) = before.iter().map(|c| self.set(*c)).collect::<Option<Vec<_>>>() else { return Vec::new() };
        let ends = |number: i64| PossibleValues::just(number, false).can_be(*cmp, *value);
        let mut lost = Vec::new();
        for (&other, &(_, other_op)) in before.iter().zip(&sets).filter(|(_, (n, _))| !ends(*n)) {
            let good = || before.iter().zip(&sets).filter(|(_, (n, _))| ends(*n)).map(|(c, (_, op))| (*c, *op));
            if good().any(|(c, _)| self.is_before(other, c)) {
                continue;
            }
            let unordered =
                |c: usize| self.entries[c].core() != self.entries[other].core() && !self.is_before(c, other);
            let awaited = good().filter(|(c, _)| unordered(*c));
            lost.extend(awaited.map(|(_, awaited)| LostNotification { awaited, other: other_op, wait: site.0 }));
        }
        lost
    }

    /// The number that a notification sets, and its statement.
    fn set(&self, change: usize) -> Option<(i64, OpId)> {
        match self.entries[change].what {
            LogEvent::Change(_, WordChange::Set(number)) => Some((number, *self.notifications.get(&change)?)),
            _ => None,
        }
    }
}
