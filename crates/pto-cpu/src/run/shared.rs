//! What the cores of a run share besides global memory: signals, barriers, and the slots of pipes.

use super::fail::Fail;
use super::observe::{CoreId, Signal};
use crate::prepared::{Direction, PipeEnd, Role, Set};
use pto_isa::Target;
use pto_isa::ordered::OrdMap;

/// Signals count up to this on the device.
const SIGNAL_LIMIT: u8 = 15;
/// Signals of a core.
const SIGNALS: usize = 32;
/// On A5 the cube core reaches, or hears, the second vector core under ids from here on.
const SECOND_CORE: i64 = 16;

impl CoreId {
    fn is_in(self, set: Set) -> bool {
        match set {
            Set::All => true,
            Set::Vector => self.role != Role::Cube,
            Set::Cube => self.role != Role::Vector,
        }
    }

    fn same_block(self, other: Self) -> bool {
        (self.rank, self.block) == (other.rank, other.block)
    }
}

/// How far a signal reaches; with the block and the id, what is being gathered.
type Gathering = (u8, u32, u32, i64);

/// The shared state of cores that run together.
#[derive(Debug)]
pub(super) struct Shared {
    target: Target,
    pub cores: Vec<CoreId>,
    /// Signals that have arrived, by core and id.
    flags: Vec<[u8; SIGNALS]>,
    /// Signals that count once all their senders have sent them: how often each core has.
    gathered: OrdMap<Gathering, Vec<u32>>,
    /// Arrivals at barriers, by rank and set, for each core.
    arrivals: OrdMap<(u32, Set), Vec<u64>>,
    rings: OrdMap<(u32, u32, u32, Direction), SlotRing>,
    /// The memory of slots that no pipe has now, as they were left.
    spare_slots: Vec<Vec<u8>>,
    /// Grows whenever something happens that another core may wait for.
    pub effects: u64,
}

impl Shared {
    /// Nothing is shared yet, and pipes may have the memory of these slots.
    pub fn new(target: Target, spare_slots: Vec<Vec<u8>>) -> Self {
        let (gathered, arrivals, rings) = (OrdMap::new(), OrdMap::new(), OrdMap::new());
        Self { target, cores: Vec::new(), flags: Vec::new(), gathered, arrivals, rings, spare_slots, effects: 0 }
    }

    /// The memory of all slots, as they were left.
    pub fn into_spare_slots(mut self) -> Vec<Vec<u8>> {
        self.drop_rings();
        self.spare_slots
    }

    fn drop_rings(&mut self) {
        for (_, ring) in std::mem::take(&mut self.rings) {
            self.spare_slots.extend(ring.slots.into_iter().map(|slot| slot.data));
        }
    }

    pub fn add(&mut self, core: CoreId) {
        self.cores.push(core);
        self.flags.push([0; SIGNALS]);
    }

    /// The same cores in another block.
    pub fn reset(&mut self, block: u32) {
        self.cores.iter_mut().for_each(|c| c.block = block);
        self.flags.fill([0; SIGNALS]);
        self.gathered.clear();
        self.arrivals.clear();
        self.drop_rings();
    }

    fn positions(&self, is_meant: impl Fn(CoreId) -> bool) -> Vec<usize> {
        (0..self.cores.len()).filter(|&k| is_meant(self.cores[k])).collect()
    }

    // ---- signals ------------------------------------------------------------------------------------------------

    /// Sends a signal. Where several cores send it together, it arrives with the last.
    pub fn signal(&mut self, who: usize, id: i64, mode: Option<u8>) -> Result<Signal, Fail> {
        let me = self.cores[who];
        let vectors = |c: CoreId| c.same_block(me) && c.role == Role::Vector;
        let kind = |c: CoreId| c.rank == me.rank && c.role == me.role;
        let cube = |c: CoreId| c.same_block(me) && c.role == Role::Cube;
        let direct = self.target == Target::A5;
        let (senders, receivers, id_there) = match (mode, me.role) {
            (Some(0), _) => (self.positions(kind), self.positions(kind), id),
            (Some(1), _) => (self.positions(vectors), self.positions(vectors), id),
            (_, Role::Cube) if direct => {
                let sub = u32::from(id >= SECOND_CORE);
                (vec![who], self.positions(|c| vectors(c) && c.sub == sub), id % SECOND_CORE)
            }
            (_, Role::Cube) => (vec![who], self.positions(vectors), id),
            (_, Role::Vector) if direct => (vec![who], self.positions(cube), id + SECOND_CORE * i64::from(me.sub)),
            (_, Role::Vector) => (self.positions(vectors), self.positions(cube), id),
            // One core does the work of all: what it sends is for itself.
            (_, Role::Whole) => (vec![who], vec![who], id),
        };
        self.effects += 1;
        if senders.len() > 1 && !self.all_have_sent((mode.unwrap_or(2), me.rank, me.block, id), who, &senders) {
            return Ok(Signal { id, ..Signal::default() });
        }
        for &core in &receivers {
            let flag = self.flags[core].get_mut(id_there as usize).ok_or(Fail::SignalId(id))?;
            *flag += 1;
            if *flag > SIGNAL_LIMIT {
                return Err(Fail::SignalOverflow { id, limit: SIGNAL_LIMIT });
            }
        }
        let names = |list: &[usize]| list.iter().map(|&k| self.cores[k]).collect();
        Ok(Signal { id, to: names(&receivers), id_there, from: names(&senders) })
    }

    fn all_have_sent(&mut self, (mode, rank, block, id): Gathering, who: usize, senders: &[usize]) -> bool {
        // All blocks gather together in mode 0.
        let block = if mode == 0 { 0 } else { block };
        let none = vec![0; self.cores.len()];
        let counts = self.gathered.entry((mode, rank, block, id)).or_insert(none);
        counts[who] += 1;
        let complete = senders.iter().all(|&s| counts[s] > 0);
        if complete {
            senders.iter().for_each(|&s| counts[s] -= 1);
        }
        complete
    }

    /// Takes a signal, if it is there.
    pub fn take_signal(&mut self, who: usize, id: i64) -> Result<bool, Fail> {
        let flag = usize::try_from(id).ok().and_then(|id| self.flags[who].get_mut(id)).ok_or(Fail::SignalId(id))?;
        let there = *flag > 0;
        *flag -= u8::from(there);
        Ok(there)
    }

    // ---- barriers -----------------------------------------------------------------------------------------------

    /// Arrives at a barrier, unless it has, and says how often it has been there and whether the others have too. `count` is
    /// how many take part, where that is stated.
    pub fn barrier(&mut self, who: usize, set: Set, count: Option<u64>, arrived: bool) -> (u64, bool) {
        let me = self.cores[who];
        let takes_part = self.positions(|c| c.rank == me.rank && c.is_in(set));
        let none = vec![0; self.cores.len()];
        let arrivals = self.arrivals.entry((me.rank, set)).or_insert(none);
        if !arrived {
            arrivals[who] += 1;
            self.effects += 1;
        }
        let round = arrivals[who];
        let open = match count {
            Some(count) => takes_part.iter().map(|&c| arrivals[c].min(round)).sum::<u64>() >= round * count,
            None => takes_part.iter().all(|&c| arrivals[c] >= round),
        };
        (round, open)
    }

    // ---- pipes --------------------------------------------------------------------------------------------------

    /// The ring of a pipe in one direction.
    pub fn ring(&mut self, who: usize, end: &PipeEnd, way: Direction) -> &mut SlotRing {
        let me = self.cores[who];
        let vectors = self.cores.iter().filter(|c| c.same_block(me) && c.role == Role::Vector).count().max(1);
        let (producers, consumers) = if way == Direction::ToVector { (1, vectors) } else { (vectors, 1) };
        // In local memory `slot_size` is the part of an entry that lies on one vector core.
        let parts = if end.global.is_none() && way == Direction::ToVector { consumers as u64 } else { 1 };
        let spare = &mut self.spare_slots;
        self.rings
            .entry((me.rank, me.block, end.key, way))
            .or_insert_with(|| SlotRing::new(end.slots, end.slot_size * parts, producers, consumers, spare))
    }
}

impl Shared {
    /// FIFO pipes with entries that were pushed and not popped: the key, and their number.
    pub fn left_over(&self) -> impl Iterator<Item = (u32, u64)> {
        let left = |ring: &SlotRing| {
            let popped = ring.popped.iter().copied().min().unwrap_or(0);
            ring.pushed[0].saturating_sub(popped)
        };
        self.rings.iter().map(move |((_, _, key, _), ring)| (*key, left(ring))).filter(|(_, count)| *count > 0)
    }
}

/// The slots of a pipe in one direction, and how far each side is.
#[derive(Debug)]
pub(super) struct SlotRing {
    slots: Vec<RingSlot>,
    allocated: Vec<u64>,
    pushed: Vec<u64>,
    popped: Vec<u64>,
    freed: Vec<u64>,
}

/// A slot: a row-major tile, as large as the whole that vector cores share.
#[derive(Clone, Debug, Default)]
pub(super) struct RingSlot {
    pub data: Vec<u8>,
    /// The data is what another ring left.
    is_stale: bool,
    /// Elements from one row to the next.
    pub stride: u64,
    /// Physical extents and valid extents of what was pushed.
    pub extents: (u64, u64),
    pub valid: (u64, u64),
    pub bits: u32,
}

impl RingSlot {
    /// A slot of so many bytes: a spare one, if there is one.
    fn new(size: usize, spare: &mut Vec<Vec<u8>>) -> Self {
        match spare.iter().position(|data| data.len() == size) {
            Some(at) => Self { data: spare.swap_remove(at), is_stale: true, ..Self::default() },
            None => Self { data: vec![0; size], ..Self::default() },
        }
    }

    /// Clears what another ring left, unless elements are going to be written over all of it.
    pub fn clear_stale(&mut self, offset: u64, (rows, cols): (u64, u64)) {
        let is_covered = || {
            let bits = rows * cols * u64::from(self.bits);
            offset == 0 && cols == self.stride && bits == self.data.len() as u64 * 8
        };
        if self.is_stale && !is_covered() {
            self.data.fill(0);
        }
        self.is_stale = false;
    }
}

impl SlotRing {
    fn new(slots: u32, size: u64, producers: usize, consumers: usize, spare: &mut Vec<Vec<u8>>) -> Self {
        Self {
            slots: (0..slots.max(1)).map(|_| RingSlot::new(size as usize, spare)).collect(),
            allocated: vec![0; producers],
            pushed: vec![0; producers],
            popped: vec![0; consumers],
            freed: vec![0; consumers],
        }
    }

    fn at(&self, count: u64) -> usize {
        (count % self.slots.len() as u64) as usize
    }

    /// The next slot of a producer, if one is free, and how many it had before.
    pub fn allocate(&mut self, sub: usize) -> Option<(usize, u64)> {
        let sub = sub.min(self.allocated.len() - 1);
        let freed = self.freed.iter().copied().min().unwrap_or(0);
        // A producer whose tiles do not count may lag behind the consumers.
        if self.allocated[sub] >= freed + self.slots.len() as u64 {
            return None;
        }
        let count = self.allocated[sub];
        self.allocated[sub] += 1;
        Some((self.at(count), count))
    }

    pub fn slot(&mut self, at: usize) -> &mut RingSlot {
        &mut self.slots[at]
    }

    /// Publishes a filled slot to the consumers, and returns how many came before. `None` if none was allocated.
    pub fn publish(&mut self, sub: usize) -> Option<u64> {
        let sub = sub.min(self.pushed.len() - 1);
        let count = self.pushed[sub];
        let allowed = count < self.allocated[sub];
        self.pushed[sub] += u64::from(allowed);
        allowed.then_some(count)
    }

    /// The next filled slot of a consumer: its position, and how many came before it.
    pub fn next(&mut self, sub: usize, split: bool) -> Option<(usize, u64)> {
        let sub = sub.min(self.popped.len() - 1);
        let count = self.popped[sub];
        let ready = if split { self.pushed.iter().all(|&p| p > count) } else { self.pushed[0] > count };
        if !ready {
            return None;
        }
        self.popped[sub] += 1;
        Some((self.at(count), count))
    }

    /// Gives the oldest popped slot back, and says how many came before. Nothing when none is held.
    pub fn free(&mut self, sub: usize) -> Option<u64> {
        let sub = sub.min(self.freed.len() - 1);
        let count = self.freed[sub];
        let held = count < self.popped[sub];
        self.freed[sub] += u64::from(held);
        held.then_some(count)
    }
}
