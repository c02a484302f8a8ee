//! Transfers that share the bandwidth of global memory.
//!
//! While they request more than the bandwidth, all of them are slowed down equally. A clock that runs slower then makes this cheap: a
//! transfer that needs `n` cycles of it is done when it has advanced by `n`, regardless of other transfers.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

pub(super) struct Pool {
    capacity: f64,
    /// Bytes per cycle that all transfers together ask for.
    asked: f64,
    /// The slower clock, and when it was read.
    clock: f64,
    read: f64,
    /// Transfers by the clock at which they are done.
    queue: BinaryHeap<Reverse<(u64, u32)>>,
    members: HashMap<u32, Member>,
    /// Delays of those that have left.
    delays: HashMap<u32, f64>,
    epoch: u32,
}

struct Member {
    rate: f64,
    joined: f64,
    cycles: f64,
}

impl Pool {
    pub fn new(capacity: f64) -> Self {
        Self {
            capacity,
            asked: 0.0,
            clock: 0.0,
            read: 0.0,
            queue: BinaryHeap::new(),
            members: HashMap::new(),
            delays: HashMap::new(),
            epoch: 0,
        }
    }

    fn speed(&self) -> f64 {
        if self.asked > self.capacity { self.capacity / self.asked } else { 1.0 }
    }

    fn advance(&mut self, now: f64) {
        self.clock += (now - self.read) * self.speed();
        self.read = now;
    }

    pub fn join(&mut self, item: u32, cycles: f64, rate: f64, now: f64) {
        self.advance(now);
        self.asked += rate;
        self.queue.push(Reverse(((self.clock + cycles).to_bits(), item)));
        self.members.insert(item, Member { rate, joined: now, cycles });
    }

    /// When the first is done, if nothing changes until then; the epoch tells whether something has.
    pub fn next(&mut self, now: f64) -> Option<(f64, u32)> {
        self.epoch += 1;
        let Reverse((bits, _)) = self.queue.peek()?;
        let left = (f64::from_bits(*bits) - self.clock).max(0.0);
        Some((now + left / self.speed(), self.epoch))
    }

    /// The first leaves, unless the epoch has changed.
    pub fn leave(&mut self, epoch: u32, now: f64) -> Option<u32> {
        if epoch != self.epoch {
            return None;
        }
        self.advance(now);
        let Reverse((_, item)) = self.queue.pop()?;
        let member = self.members.remove(&item)?;
        self.asked -= member.rate;
        if self.members.is_empty() {
            // Reset, so that rounding errors do not accumulate.
            self.asked = 0.0;
        }
        let delay = now - member.joined - member.cycles;
        if delay > 1e-6 {
            self.delays.insert(item, delay);
        }
        Some(item)
    }

    /// The delay of a transfer. Removes it.
    pub fn delay_of(&mut self, item: u32) -> f64 {
        if self.delays.is_empty() { 0.0 } else { self.delays.remove(&item).unwrap_or(0.0) }
    }
}
