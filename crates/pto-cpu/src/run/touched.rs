//! What iterations of loops do to memory, and whether one needs what another did.

use std::ops::Range;

/// An iteration of a loop that threads may share, or everything outside of those.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Iteration(u64);

impl Iteration {
    /// What every thread executes.
    pub const OUTSIDE: Self = Self(0);

    /// By the position of the loop and the number of the iteration.
    pub fn new(of: usize, number: u64) -> Self {
        Self(((of as u64 + 1) << 40) + number)
    }
}

/// Bytes of the memory of a core that an iteration wrote last.
#[derive(Clone, Copy, Debug)]
struct WrittenRange {
    start: u64,
    end: u64,
    by: Iteration,
    /// Nothing of another iteration is left in them.
    is_own: bool,
}

impl WrittenRange {
    /// What of it lies behind a byte.
    fn from(self, start: u64) -> Self {
        Self { start: self.start.max(start), ..self }
    }

    /// What of it lies before a byte.
    fn up_to(self, end: u64) -> Self {
        Self { end: self.end.min(end), ..self }
    }
}

/// A partial write over some ranges. What it leaves of another iteration stays foreign; between the ranges, all that is left is what
/// every thread has.
fn mix(old: &[WrittenRange], new: WrittenRange, changed: &mut Vec<WrittenRange>) {
    let mut at = new.start;
    for range in old {
        let inside = range.from(new.start).up_to(new.end);
        changed.push(WrittenRange { start: at, end: inside.start, ..new });
        changed.push(WrittenRange { by: new.by, is_own: inside.by == new.by && inside.is_own, ..inside });
        at = inside.end;
    }
    changed.push(new.from(at));
}

/// Who wrote the memory of a core last. Each thread has such memory of its own, so it matters only whether an iteration reads what
/// another has written.
#[derive(Default)]
pub(super) struct LocalWriters {
    /// Sorted, and apart from each other. What lies between them is as it was before all iterations.
    ranges: Vec<WrittenRange>,
    /// The new ranges of a write.
    changed: Vec<WrittenRange>,
}

impl LocalWriters {
    /// True if a read finds nothing of another iteration.
    pub fn may_read(&self, by: Iteration, start: u64, length: u64) -> bool {
        let touched = self.ranges[self.first(start)..].iter().take_while(|range| range.start < start + length);
        touched.into_iter().all(|range| range.by == by && range.is_own)
    }

    /// Notes a write. One that may leave some bytes as they were is `partial`.
    pub fn write(&mut self, by: Iteration, start: u64, length: u64, partial: bool) {
        let new = WrittenRange { start, end: start + length, by, is_own: true };
        let first = self.first(start);
        let count = self.ranges[first..].iter().take_while(|range| range.start < new.end).count();
        let touched = first..first + count;
        // Most instructions write what an earlier iteration has written.
        if let [range] = &mut self.ranges[touched.clone()]
            && (range.start, range.end) == (start, new.end)
            && !partial
            && by != Iteration::OUTSIDE
        {
            *range = new;
            return;
        }
        let mut changed = std::mem::take(&mut self.changed);
        let old = &self.ranges[touched.clone()];
        changed.extend(old.first().filter(|range| range.start < start).map(|range| range.up_to(start)));
        match (partial, by == Iteration::OUTSIDE) {
            (false, false) => changed.push(new),
            (false, true) => {}
            (true, false) => mix(old, new, &mut changed),
            (true, true) => changed.extend(old.iter().map(|range| range.from(start).up_to(new.end))),
        }
        changed.extend(old.last().filter(|range| range.end > new.end).map(|range| range.from(new.end)));
        self.replace(touched, &mut changed);
        self.changed = changed;
    }

    /// Puts other ranges in the place of some. Neighbours that say the same become one.
    fn replace(&mut self, places: Range<usize>, changed: &mut Vec<WrittenRange>) {
        let around = places.start.saturating_sub(1)..(places.end + 1).min(self.ranges.len());
        changed.splice(0..0, self.ranges[around.start..places.start].iter().copied());
        changed.extend_from_slice(&self.ranges[places.end..around.end]);
        changed.retain(|range| range.start < range.end);
        changed.dedup_by(|next, last| {
            let joins = (last.end, last.by, last.is_own) == (next.start, next.by, next.is_own);
            last.end = if joins { next.end } else { last.end };
            joins
        });
        self.ranges.splice(around, changed.drain(..));
    }

    /// The position of the first range that ends behind a byte.
    fn first(&self, start: u64) -> usize {
        self.ranges.partition_point(|range| range.end <= start)
    }
}

/// An access to global memory.
#[derive(Clone, Copy, Debug)]
struct GlobalTouch {
    buffer: usize,
    start: i64,
    end: i64,
    by: Iteration,
}

/// Accesses to global memory that are kept at most.
const MOST_TOUCHES: usize = 1 << 20;

/// What iterations read and write in global memory, which all threads have in common.
#[derive(Default)]
pub(super) struct GlobalTouches {
    reads: Vec<GlobalTouch>,
    writes: Vec<GlobalTouch>,
}

impl GlobalTouches {
    pub fn add(&mut self, by: Iteration, buffer: usize, (start, end): (i64, i64), write: bool) {
        let list = if write { &mut self.writes } else { &mut self.reads };
        // Rows of a window often follow each other, and windows are often read again.
        if let Some(last) = list.last_mut().filter(|last| last.by == by && last.buffer == buffer) {
            if last.end == start {
                last.end = end;
                return;
            }
            if (last.start, last.end) == (start, end) {
                return;
            }
        }
        list.push(GlobalTouch { buffer, start, end, by });
    }

    pub fn are_few(&self) -> bool {
        self.reads.len() + self.writes.len() <= MOST_TOUCHES
    }

    /// True if no bytes that an iteration writes are touched by another.
    pub fn are_apart(mut self) -> bool {
        self.writes.sort_unstable_by_key(|touch| (touch.buffer, touch.start));
        let mut merged: Vec<GlobalTouch> = Vec::with_capacity(self.writes.len());
        for touch in self.writes {
            match merged.last_mut().filter(|last| last.buffer == touch.buffer && touch.start < last.end) {
                Some(last) if last.by != touch.by => return false,
                Some(last) => last.end = last.end.max(touch.end),
                None => merged.push(touch),
            }
        }
        self.reads.iter().all(|read| {
            let first = merged.partition_point(|w| (w.buffer, w.end) <= (read.buffer, read.start));
            let touched = merged[first..].iter().take_while(|w| w.buffer == read.buffer && w.start < read.end);
            touched.into_iter().all(|w| w.by == read.by)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(number: u64) -> Iteration {
        Iteration::new(0, number)
    }

    #[test]
    fn an_iteration_reads_its_own_bytes_and_those_of_before() {
        let mut memory = LocalWriters::default();
        memory.write(Iteration::OUTSIDE, 0, 64, false);
        memory.write(at(0), 30, 10, false);
        assert!(memory.may_read(at(0), 0, 64) && memory.may_read(at(1), 0, 30) && memory.may_read(at(1), 40, 60));
        assert!(!memory.may_read(at(1), 39, 1) && !memory.may_read(Iteration::OUTSIDE, 31, 1));
        memory.write(at(1), 30, 9, false);
        assert!(memory.may_read(at(1), 30, 9) && !memory.may_read(at(1), 30, 10) && !memory.may_read(at(0), 30, 9));
    }

    #[test]
    fn what_is_written_in_part_is_no_more_known_than_before() {
        let mut memory = LocalWriters::default();
        memory.write(at(0), 0, 8, true);
        assert!(memory.may_read(at(0), 0, 8));
        memory.write(at(1), 0, 8, true);
        assert!(!memory.may_read(at(1), 0, 8));
        memory.write(at(1), 0, 8, false);
        memory.write(at(1), 0, 8, true);
        assert!(memory.may_read(at(1), 0, 8));
        memory.write(Iteration::OUTSIDE, 0, 8, true);
        assert!(!memory.may_read(Iteration::OUTSIDE, 0, 8));
        memory.write(Iteration::OUTSIDE, 0, 8, false);
        assert!(memory.may_read(at(2), 0, 8));
    }

    #[test]
    fn stores_must_not_meet_what_another_iteration_touches() {
        let apart = |touches: &[(u64, i64, i64, bool)]| {
            let mut all = GlobalTouches::default();
            touches.iter().for_each(|(by, start, end, write)| all.add(at(*by), 0, (*start, *end), *write));
            all.are_apart()
        };
        assert!(apart(&[(0, 0, 8, true), (1, 8, 16, true), (0, 4, 8, false), (1, 16, 99, false)]));
        assert!(apart(&[(0, 0, 8, false), (1, 0, 8, false), (1, 2, 9, false)]));
        assert!(!apart(&[(0, 0, 9, true), (1, 8, 16, true)]));
        assert!(!apart(&[(0, 0, 8, true), (1, 7, 9, false)]));
        assert!(!apart(&[(0, 0, 100, true), (0, 10, 20, true), (1, 15, 18, false)]));
        assert!(!apart(&[(2, 50, 60, true), (0, 0, 100, true)]));
    }

    /// Each byte one by one, against lists of what was written.
    #[test]
    fn random_writes_are_as_those_of_single_bytes() {
        let mut seed = 1_u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (seed >> 33) % below
        };
        let mut memory = LocalWriters::default();
        // Who wrote a byte last, and whether what it holds is known: `None` if it is what it was before all iterations.
        let mut bytes: [Option<(u64, bool)>; 96] = [None; 96];
        // Iterations come one after the other.
        for round in 0..20_000 {
            let (by, start) = (round / 50, random(96));
            let (length, partial) = (1 + random(96 - start), random(3) == 0);
            let range = start as usize..(start + length) as usize;
            if random(2) == 0 {
                let may = bytes[range].iter().all(|byte| byte.is_none_or(|known| known == (by, true)));
                assert_eq!(memory.may_read(at(by), start, length), may);
            } else if random(20) == 0 {
                memory.write(Iteration::OUTSIDE, start, length, false);
                bytes[range].fill(None);
            } else {
                memory.write(at(by), start, length, partial);
                for byte in &mut bytes[range] {
                    let was_known = byte.is_none_or(|known| known == (by, true));
                    *byte = Some((by, !partial || was_known));
                }
            }
        }
    }
}
