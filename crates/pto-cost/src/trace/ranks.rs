//! Several ranks: whose memory a buffer is, and, where a few ranks stand for all, what their signals stand for.

use super::{Dep, Why};
use crate::network::RankNetwork;
use pto_cpu::{Access, AddressSpace, Detail, Known};
use pto_isa::ordered::OrdMap;
use std::collections::HashMap;

/// A rank that is followed without memory.
#[derive(Clone, PartialEq, Debug)]
pub struct FollowedRank {
    /// Its number.
    pub rank: u32,
    /// Its numbers, by parameter.
    pub known: Vec<Known>,
    /// For parameters that lead to memory of another rank, that rank and the parameter there.
    pub remote: Vec<Option<(u32, u32)>>,
}

/// Bytes that a rank moves from and to another: read, and written.
pub type RankTraffic = OrdMap<(u32, u32), (u64, u64)>;

/// Whose memory buffers are.
pub(super) struct BufferHomes {
    params: usize,
    /// For ranks that are followed: the first buffer of the one whose turn it is, and where its parameters lead.
    followed: Option<(usize, FollowedRank)>,
    homes: HashMap<usize, (u32, u32)>,
}

impl BufferHomes {
    pub fn new(params: usize) -> Self {
        Self { params: params.max(1), followed: None, homes: HashMap::new() }
    }

    /// From now on, events are those of this rank, the `slot`th that is followed.
    pub fn follow(&mut self, slot: usize, rank: &FollowedRank) {
        let first = slot * self.params;
        for param in 0..self.params {
            let home = rank.remote.get(param).copied().flatten().unwrap_or((rank.rank, param as u32));
            self.homes.insert(first + param, home);
        }
        self.followed = Some((first, rank.clone()));
    }

    /// The rank that is followed.
    pub fn followed(&self) -> Option<u32> {
        self.followed.as_ref().map(|f| f.1.rank)
    }

    /// The same access with a buffer that no other rank has. Memory that a rank reaches in two ways is one buffer.
    pub fn placed(&self, access: &Access) -> Access {
        let (AddressSpace::Global(buffer), Some((first, rank))) = (access.place, &self.followed) else {
            return *access;
        };
        let home = rank.remote.get(buffer).copied().flatten();
        let own = home.filter(|h| h.0 == rank.rank).map_or(buffer, |h| h.1 as usize);
        Access { place: AddressSpace::Global(first + own), ..*access }
    }

    /// The rank and the parameter whose memory a buffer is.
    pub fn home(&self, buffer: usize) -> (u32, u32) {
        let counted = ((buffer / self.params) as u32, (buffer % self.params) as u32);
        self.homes.get(&buffer).copied().unwrap_or(counted)
    }
}

/// A notification that a rank sent.
struct SentWord {
    item: u32,
    core: usize,
    offset: i64,
    /// What the word holds after it, if nobody else changes it.
    total: i64,
    why: Why,
}

/// A wait that was not answered when it came.
struct OpenWait {
    item: u32,
    core: usize,
    rank: u32,
    param: u32,
    nth: usize,
}

/// Signals between ranks of which only some are followed. All execute the same program: what a rank sends to others at some moment, others send to it
/// at that moment. So a wait ends a latency after the rank itself has sent what others wait for.
#[derive(Default)]
pub(super) struct MirroredSignals {
    sent: HashMap<(u32, u32), Vec<SentWord>>,
    /// By rank and parameter: the waits so far, and the last signal that one of them waited for.
    waits: HashMap<(u32, u32), (usize, usize)>,
    open: Vec<OpenWait>,
}

impl MirroredSignals {
    /// A rank notifies the rank whose word it is.
    pub fn notify(
        &mut self,
        (rank, core): (u32, usize),
        home: (u32, u32),
        (offset, detail): (i64, Detail<'_>),
        (item, why): (u32, Why),
    ) {
        let list = self.sent.entry((rank, home.1)).or_default();
        let before = list.iter().rev().find(|s| s.offset == offset).map_or(0, |s| s.total);
        list.push(SentWord { item, core, offset, total: changed(before, detail), why });
    }

    /// A rank waits for a word of its own.
    pub fn wait(
        &mut self,
        (rank, core): (u32, usize),
        param: u32,
        (offset, detail): (i64, Detail<'_>),
        item: u32,
    ) -> Vec<Dep> {
        let (nth, covered) = self.waits.entry((rank, param)).or_default();
        let at = std::mem::replace(nth, *nth + 1);
        let list = self.sent.get(&(rank, param)).map_or(&[][..], Vec::as_slice);
        let holds = |s: &&SentWord| s.offset == offset && satisfies(s.total, detail);
        let range = match list.iter().position(|s| holds(&s)) {
            Some(last) => std::mem::replace(covered, last).min(last)..last + 1,
            // Where each rank has a word of its own at the receiver, the one it changes is not the one it waits for.
            None => {
                let last = at.min(list.len().saturating_sub(1));
                last..last + 1
            }
        };
        if list.is_empty() {
            self.open.push(OpenWait { item, core, rank, param, nth: at });
        }
        list.get(range).unwrap_or_default().iter().map(|s| Dep { on: s.item, why: s.why }).collect()
    }

    /// Waits that came before another core of the same rank sent the signal; those that no rank like this one answers.
    pub fn finish(self) -> (Vec<(u32, Dep)>, Vec<u32>) {
        let (mut late, mut unanswered) = (Vec::new(), Vec::new());
        for wait in &self.open {
            let list = self.sent.get(&(wait.rank, wait.param)).map_or(&[][..], Vec::as_slice);
            let others: Vec<&SentWord> = list.iter().filter(|s| s.core != wait.core).collect();
            match others.get(wait.nth.min(others.len().saturating_sub(1))) {
                Some(sent) => late.push((wait.item, Dep { on: sent.item, why: sent.why })),
                None => unanswered.push(wait.item),
            }
        }
        (late, unanswered)
    }
}

/// What a word holds after a notification.
pub(super) fn changed(before: i64, detail: Detail<'_>) -> i64 {
    match detail {
        Detail::Change { add: true, value, .. } => before + i64::from(value),
        Detail::Change { value, .. } => i64::from(value),
        _ => before,
    }
}

/// A wait is content with the number in a word.
pub(super) fn satisfies(word: i64, detail: Detail<'_>) -> bool {
    let Detail::Seen { cmp, value, .. } = detail else { return true };
    let value = i64::from(value);
    // By the position in `wait_cmp`.
    match cmp {
        0 => word == value,
        1 => word != value,
        2 => word > value,
        3 => word >= value,
        4 => word < value,
        _ => word <= value,
    }
}

/// What a signal from one rank to another is called.
pub(super) fn crossing(network: Option<&RankNetwork>, from: u32, to: u32) -> Why {
    match network {
        Some(n) if from != to && n.is_far(from, to) => Why::Server,
        Some(_) if from != to => Why::Rank,
        _ => Why::Signal,
    }
}
