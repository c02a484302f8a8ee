//! Order by data: the writers and readers of each byte range.

use super::{Dep, NONE, Why};
use pto_isa::ordered::OrdMap;

/// A run of bytes with its last writer and the readers since: for each pipe, only the last reader counts, since a
/// pipe executes in order.
#[derive(Clone, Debug)]
struct AccessSegment {
    end: i64,
    writer: u32,
    readers: Vec<(u32, u32)>,
}

/// The accesses to a memory.
#[derive(Clone, Debug, Default)]
pub(super) struct MemoryAccesses {
    segments: OrdMap<i64, AccessSegment>,
    /// Reads do not hold writes up.
    forgets_readers: bool,
}

impl MemoryAccesses {
    /// For global memory: what was read there has gone through the core before it can be written back.
    pub fn without_readers() -> Self {
        Self { forgets_readers: true, ..Self::default() }
    }

    /// Cuts the segment that contains a position in two.
    fn cut(&mut self, at: i64) {
        let Some((start, segment)) = self.segments.range_mut(..at).next_back() else { return };
        if segment.end > at && *start < at {
            let rest = segment.clone();
            segment.end = at;
            self.segments.insert(at, rest);
        }
    }

    /// An item reads bytes: it depends on their last writers.
    pub fn read(&mut self, from: i64, to: i64, item: u32, pipe: u32, deps: &mut Vec<Dep>) {
        if self.forgets_readers {
            for (_, s) in self.overlapping(from, to) {
                push(deps, s.writer, Why::Read);
            }
            return;
        }
        self.cut(from);
        self.cut(to);
        let mut at = from;
        let mut gaps = Vec::new();
        for (start, segment) in self.segments.range_mut(from..to) {
            if *start > at {
                gaps.push((at, *start));
            }
            at = segment.end;
            push(deps, segment.writer, Why::Read);
            match segment.readers.iter_mut().find(|r| r.0 == pipe) {
                Some(reader) => reader.1 = item,
                None => segment.readers.push((pipe, item)),
            }
        }
        if at < to {
            gaps.push((at, to));
        }
        for (start, end) in gaps {
            self.segments.insert(start, AccessSegment { end, writer: NONE, readers: vec![(pipe, item)] });
        }
    }

    /// An item writes bytes: it depends on their last writers and readers.
    pub fn write(&mut self, from: i64, to: i64, item: u32, deps: &mut Vec<Dep>) {
        self.cut(from);
        self.cut(to);
        let covered: Vec<i64> = self.segments.range(from..to).map(|(start, _)| *start).collect();
        for start in covered {
            let Some(segment) = self.segments.remove(&start) else { continue };
            push(deps, segment.writer, Why::Overwrite);
            segment.readers.iter().for_each(|r| push(deps, r.1, Why::Overwrite));
        }
        self.segments.insert(from, AccessSegment { end: to, writer: item, readers: Vec::new() });
    }

    /// The writers of bytes.
    pub fn writers(&self, from: i64, to: i64, deps: &mut Vec<Dep>) {
        self.overlapping(from, to).for_each(|(_, s)| push(deps, s.writer, Why::Read));
    }

    fn overlapping(&self, from: i64, to: i64) -> impl Iterator<Item = (&i64, &AccessSegment)> {
        let before = self.segments.range(..from).next_back().filter(move |(_, s)| s.end > from);
        before.into_iter().chain(self.segments.range(from..to))
    }
}

fn push(deps: &mut Vec<Dep>, on: u32, why: Why) {
    if on != NONE && !deps.iter().any(|d| d.on == on) {
        deps.push(Dep { on, why });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(deps: &[Dep]) -> Vec<u32> {
        deps.iter().map(|d| d.on).collect()
    }

    #[test]
    fn reads_wait_for_writes_and_writes_for_reads() {
        let mut bytes = MemoryAccesses::default();
        let mut deps = Vec::new();
        bytes.write(0, 100, 1, &mut deps);
        assert!(deps.is_empty());
        bytes.read(50, 60, 2, 0, &mut deps);
        assert_eq!(on(&deps), [1]);
        deps.clear();
        // Nothing has read the first half.
        bytes.write(0, 50, 3, &mut deps);
        assert_eq!(on(&deps), [1]);
        deps.clear();
        bytes.write(40, 70, 4, &mut deps);
        assert_eq!(on(&deps), [3, 1, 2]);
        deps.clear();
        bytes.read(0, 100, 5, 0, &mut deps);
        assert_eq!(on(&deps), [3, 4, 1]);
    }
}
