//! What cores wait for from each other.

use super::ranks::{changed, crossing, satisfies};
use super::{Dep, Why};
use crate::network::RankNetwork;
use pto_cpu::{Action, AddressSpace, CoreId, Detail, Event, Ring, Set};
use pto_isa::Target;
use std::collections::{HashMap, VecDeque};

/// A pipe between cores, in one direction.
type RingId = (u32, u32, u32, bool);

/// A change of a signal word: the item, its rank, and the number after it.
struct NotifiedWord {
    item: u32,
    rank: u32,
    after: i64,
}

/// Items that other cores wait for.
#[derive(Default)]
pub(super) struct ItemLinks {
    /// Signals on their way: for the receiving core and the id it knows, the items that sent each.
    arrived: HashMap<(CoreId, i64), VecDeque<Vec<u32>>>,
    /// Signals that count only once others have sent them too.
    sent: HashMap<(CoreId, i64), VecDeque<u32>>,
    /// Arrivals at a barrier, by rank, set and round.
    arrivals: HashMap<(u32, Set, u64), Vec<u32>>,
    /// Pushes and frees, by position.
    pushed: HashMap<(RingId, u64), Vec<u32>>,
    freed: HashMap<(RingId, u64), Vec<u32>>,
    /// The changes of each signal word.
    words: HashMap<(usize, i64), Vec<NotifiedWord>>,
    /// How many of them a core has waited for.
    seen: HashMap<(CoreId, (usize, i64)), usize>,
}

impl ItemLinks {
    /// What an event has to wait for.
    pub fn waits(&mut self, event: &Event<'_>, network: Option<&RankNetwork>, deps: &mut Vec<Dep>) {
        let mut all = |items: &[u32], why: Why| deps.extend(items.iter().map(|on| Dep { on: *on, why }));
        match event.action {
            Action::Await(id) => {
                if let Some(senders) = self.arrived.get_mut(&(event.core, id)).and_then(VecDeque::pop_front) {
                    all(&senders, Why::Signal);
                }
            }
            Action::Leave(set, round) => {
                all(self.arrivals.get(&(event.core.rank, set, round)).map_or(&[], Vec::as_slice), Why::Cores);
            }
            Action::Pop(ring) => {
                all(self.pushed.get(&(key(event.core, ring), ring.count)).map_or(&[], Vec::as_slice), Why::Entry);
            }
            Action::Alloc(ring) => {
                if let Some(before) = ring.count.checked_sub(u64::from(ring.slots)) {
                    all(self.freed.get(&(key(event.core, ring), before)).map_or(&[], Vec::as_slice), Why::Slot);
                }
            }
            Action::Noticed => {
                for word in words(event) {
                    let changes = self.words.get(&word).map_or(&[][..], Vec::as_slice);
                    // Between ranks, a wait ends with the change that it asks for, though the engine was ahead.
                    let holds = |c: &NotifiedWord| satisfies(c.after, event.detail);
                    let asked =
                        network.and_then(|_| changes.iter().position(holds)).unwrap_or(changes.len().saturating_sub(1));
                    let first = match network {
                        Some(_) => self.seen.insert((event.core, word), asked).unwrap_or(0).min(asked),
                        None => asked,
                    };
                    for change in changes.iter().take(asked + 1).skip(first) {
                        all(&[change.item], crossing(network, change.rank, event.core.rank));
                    }
                }
            }
            _ => {}
        }
    }

    /// What others may wait for from now on.
    pub fn done(&mut self, event: &Event<'_>, target: Target, item: u32) {
        match event.action {
            Action::Signal(signal) => {
                self.sent.entry((event.core, signal.id)).or_default().push_back(item);
                if signal.to.is_empty() {
                    return;
                }
                let mut senders = Vec::new();
                for from in &signal.from {
                    senders.extend(self.sent.get_mut(&(*from, signal.id)).and_then(VecDeque::pop_front));
                }
                for to in &signal.to {
                    self.arrived.entry((*to, signal.id_there)).or_default().push_back(senders.clone());
                }
            }
            Action::Arrive(set, round) => {
                self.arrivals.entry((event.core.rank, set, round)).or_default().push(item);
            }
            Action::Push(ring) => {
                self.pushed.entry((key(event.core, ring), ring.count)).or_default().push(item);
            }
            Action::Pop(ring) if frees_at_once(ring, target) => {
                self.freed.entry((key(event.core, ring), ring.count)).or_default().push(item);
            }
            Action::Free(ring) if !frees_at_once(ring, target) => {
                self.freed.entry((key(event.core, ring), ring.count)).or_default().push(item);
            }
            Action::Notify => {
                for word in words(event) {
                    let changes = self.words.entry(word).or_default();
                    let before = if let Detail::Change { before, .. } = event.detail { before } else { 0 };
                    let after = changed(before.into(), event.detail);
                    changes.push(NotifiedWord { item, rank: event.core.rank, after });
                }
            }
            _ => {}
        }
    }
}

/// Only A5 binds a popped tile to its slot; elsewhere it is copied, and the slot is free again.
fn frees_at_once(ring: Ring, target: Target) -> bool {
    ring.copies && target != Target::A5
}

fn key(core: CoreId, ring: Ring) -> RingId {
    (core.rank, core.block, ring.key, ring.to_vector)
}

/// The signal words an event is about.
fn words<'a>(event: &'a Event<'_>) -> impl Iterator<Item = (usize, i64)> + 'a {
    event.accesses.iter().filter_map(|a| match a.place {
        AddressSpace::Global(buffer) => Some((buffer, a.start)),
        AddressSpace::Core(_) => None,
    })
}
