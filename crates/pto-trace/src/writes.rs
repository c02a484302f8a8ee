//! Who wrote which bytes, and when.

use crate::recording::Recording;
use crate::streams::{FirstBytes, Streams};
use pto_cpu::{Access, AddressSpace, CoreId};
use pto_isa::Loc;
use pto_isa::hash::FastMap;
use std::ops::Range;

/// A memory of a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemoryId {
    /// A memory of a core. Tiles without an address lie after its end.
    Core(CoreId, Loc),
    /// The buffer of a parameter; the parameters of one rank come after those of another.
    Global(usize),
}

/// The moments that wrote to each page of each memory, in order.
#[derive(Default, Debug)]
pub(crate) struct WriteIndex {
    pages: FastMap<(u32, i64), Vec<u32>>,
}

/// Is told the moment, which of its accesses, the bytes, and how many of the page are open; it takes off those that are not any more.
type VisitWrite<'a> = dyn FnMut(u32, u32, Range<i64>, &mut usize) + 'a;

const PAGE: i64 = 4096;
/// Writes to a page that are looked at to see which bytes were written; those that are not covered then count as written.
const MOST_LOOKED_AT: usize = 1 << 14;

/// A number for each memory.
fn key(core: u32, place: AddressSpace) -> u32 {
    match place {
        AddressSpace::Core(loc) => (core + 1) << 6 | loc as u32,
        // Allocated buffers belong to one core, and are not looked for.
        AddressSpace::Global(buffer) => (buffer as u32) << 6 | 63,
    }
}

impl WriteIndex {
    pub fn of(streams: &Streams) -> Self {
        let mut index = Self::default();
        for (at, moment) in streams.moments.iter().enumerate() {
            for access in streams.accesses(&moment).iter().filter(|a| is_result(a)) {
                let key = key(moment.kind.core, access.place);
                for row in rows(access) {
                    for page in row.start.div_euclid(PAGE)..=(row.end - 1).div_euclid(PAGE) {
                        let list = index.pages.entry((key, page)).or_default();
                        if list.last() != Some(&(at as u32)) {
                            list.push(at as u32);
                        }
                    }
                }
            }
        }
        index
    }

    /// The moments that wrote to a page, in order.
    fn page(&self, key: u32, page: i64) -> &[u32] {
        self.pages.get(&(key, page)).map_or(&[], Vec::as_slice)
    }
}

/// True for an access that leaves a result.
pub(crate) fn is_result(access: &Access) -> bool {
    access.write && access.tile != Some(pto_cpu::DEVICE) && !access.is_work_space() && access.row_bytes > 0
}

/// The runs of an access.
pub(crate) fn rows(access: &Access) -> impl Iterator<Item = Range<i64>> + use<> {
    let (start, stride, bytes) = (access.start, access.stride, access.row_bytes as i64);
    // Runs that follow each other are one.
    let (rows, bytes) =
        if stride == bytes { (1, bytes.saturating_mul(access.rows as i64)) } else { (access.rows, bytes) };
    (0..rows as i64).map(move |row| {
        let first = start.wrapping_add(row.wrapping_mul(stride));
        first..first.wrapping_add(bytes)
    })
}

fn overlap(a: &Range<i64>, b: &Range<i64>) -> Range<i64> {
    a.start.max(b.start)..a.end.min(b.end)
}

impl Recording {
    fn writes(&self) -> &WriteIndex {
        self.facts.writes.get_or_init(|| WriteIndex::of(&self.streams))
    }

    fn memory_key(&self, memory: MemoryId) -> Option<u32> {
        match memory {
            MemoryId::Core(core, loc) => Some(key(self.core_index(core)? as u32, AddressSpace::Core(loc))),
            MemoryId::Global(buffer) => Some(key(0, AddressSpace::Global(buffer))),
        }
    }

    /// True when a moment writes one of the bytes.
    fn writes_to(&self, at: u32, key_of_memory: u32, bytes: &Range<i64>) -> bool {
        let moment = self.streams.moments.at(at);
        let touches = |a: &Access| {
            key(moment.kind.core, a.place) == key_of_memory && rows(a).any(|row| !overlap(&row, bytes).is_empty())
        };
        self.streams.accesses(&moment).iter().any(|a| is_result(a) && touches(a))
    }

    /// The last moment up to and including `at` that wrote one of the bytes of a memory.
    pub fn last_write(&self, at: usize, memory: MemoryId, bytes: Range<i64>) -> Option<usize> {
        let (key, index) = (self.memory_key(memory)?, self.writes());
        let last = |page: i64| {
            let list = index.page(key, page);
            let end = list.partition_point(|m| *m as usize <= at);
            list[..end].iter().rev().find(|m| self.writes_to(**m, key, &bytes)).map(|m| *m as usize)
        };
        pages(&bytes).filter_map(last).max()
    }

    /// The first moment after `at` that writes one of the bytes of a memory.
    pub fn first_write_after(&self, at: usize, memory: MemoryId, bytes: Range<i64>) -> Option<usize> {
        let (key, index) = (self.memory_key(memory)?, self.writes());
        let first = |page: i64| {
            let list = index.page(key, page);
            let start = list.partition_point(|m| *m as usize <= at);
            list[start..].iter().find(|m| self.writes_to(**m, key, &bytes)).map(|m| *m as usize)
        };
        pages(&bytes).filter_map(first).min()
    }

    /// For each byte, whether a moment before `time` wrote it.
    pub(crate) fn was_written(&self, time: usize, memory: MemoryId, bytes: &Range<i64>) -> Vec<bool> {
        let mut written = vec![false; (bytes.end - bytes.start).max(0) as usize];
        let Some(key) = self.memory_key(memory) else { return written };
        self.newest_first(time, key, bytes, MOST_LOOKED_AT, &mut |_, _, row, open| {
            let part = (row.start - bytes.start) as usize..(row.end - bytes.start) as usize;
            for byte in &mut written[part] {
                *open -= usize::from(!std::mem::replace(byte, true));
            }
        });
        written
    }

    /// Fills in bytes that were kept: what they were before the moment `time`. The result says for each byte whether it is known.
    pub(crate) fn kept_bytes(&self, time: usize, memory: MemoryId, bytes: &Range<i64>, into: &mut [u8]) -> Vec<bool> {
        let mut known = vec![false; into.len()];
        if let MemoryId::Global(buffer) = memory {
            self.first_bytes(buffer, bytes, into, &mut known);
        }
        let Some(key) = self.memory_key(memory) else { return known };
        let mut newer = vec![false; into.len()];
        self.newest_first(time, key, bytes, usize::MAX, &mut |moment, access, row, open| {
            let Some((whole, data)) = self.stored(moment, access) else { return };
            let mut first = 0;
            for run in runs_of(&whole) {
                let shared = overlap(&overlap(&run, bytes), &row);
                for byte in shared.start..shared.end.max(shared.start) {
                    let to = (byte - bytes.start) as usize;
                    if !std::mem::replace(&mut newer[to], true) {
                        into[to] = data[first + (byte - run.start) as usize];
                        known[to] = true;
                        *open -= 1;
                    }
                }
                first += whole.row_bytes as usize;
            }
        });
        known
    }

    /// The bytes that an access of a moment wrote, if they were kept.
    pub(crate) fn stored(&self, moment: u32, access: u32) -> Option<(Access, &[u8])> {
        let stored = &self.streams.stored;
        let first = stored.partition_point(|s| (s.moment, s.access) < (moment, access));
        let found = stored.get(first).filter(|s| (s.moment, s.access) == (moment, access))?;
        let whole = self.streams.accesses(&self.streams.moments.at(moment))[access as usize];
        let length = (whole.rows * whole.row_bytes) as usize;
        let data = self.streams.data.get(found.at, length);
        (data.len() == length).then_some((whole, data))
    }

    /// What a buffer held at the start.
    fn first_bytes(&self, buffer: usize, bytes: &Range<i64>, into: &mut [u8], known: &mut [bool]) {
        let Some(first) = self.streams.buffers.get(buffer) else { return };
        let length = match first {
            FirstBytes::Zero(n) => *n,
            FirstBytes::Bytes(all) => all.len() as u64,
            FirstBytes::Unknown(_) => 0,
        };
        let inside = overlap(bytes, &(0..length as i64));
        for byte in inside.start..inside.end.max(inside.start) {
            let to = (byte - bytes.start) as usize;
            if let FirstBytes::Bytes(all) = first {
                into[to] = all[byte as usize];
            }
            known[to] = true;
        }
    }

    /// Goes through the writes before `time`, page by page, the newest first, until a page has no open byte or so many were looked at.
    fn newest_first(&self, time: usize, memory: u32, bytes: &Range<i64>, most: usize, visit: &mut VisitWrite<'_>) {
        let index = self.writes();
        for page in pages(bytes) {
            let part = overlap(bytes, &(page * PAGE..(page + 1) * PAGE));
            let mut open = (part.end - part.start) as usize;
            let list = index.page(memory, page);
            let end = list.partition_point(|m| (*m as usize) < time);
            for &moment in list[..end].iter().rev().take(most) {
                let kept = self.streams.moments.at(moment);
                for (at, access) in self.streams.accesses(&kept).iter().enumerate().rev() {
                    if !is_result(access) || key(kept.kind.core, access.place) != memory {
                        continue;
                    }
                    for row in rows(access) {
                        let shared = overlap(&row, &part);
                        if !shared.is_empty() {
                            visit(moment, at as u32, shared, &mut open);
                        }
                    }
                }
                if open == 0 {
                    break;
                }
            }
        }
    }
}

fn pages(bytes: &Range<i64>) -> std::ops::RangeInclusive<i64> {
    if bytes.is_empty() {
        return std::ops::RangeInclusive::new(1, 0);
    }
    bytes.start.div_euclid(PAGE)..=(bytes.end - 1).div_euclid(PAGE)
}

/// The runs of an access, each as it lies in the data that was kept.
pub(crate) fn runs_of(access: &Access) -> impl Iterator<Item = Range<i64>> + use<> {
    let (start, stride, bytes) = (access.start, access.stride, access.row_bytes as i64);
    (0..access.rows as i64).map(move |row| {
        let first = start.wrapping_add(row.wrapping_mul(stride));
        first..first.wrapping_add(bytes)
    })
}
