//! How full on-chip memories are over time.

use crate::sim::Timeline;
use crate::trace::{Touch, Trace};
use pto_isa::Loc;
use pto_isa::ordered::OrdMap;
use pto_isa::sort::SharedSort;
use std::collections::HashMap;

/// Bytes in use of one memory of one core.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Occupancy {
    /// The core.
    pub core: usize,
    /// The memory.
    pub loc: Loc,
    /// From which cycle on how many bytes are in use.
    pub steps: Vec<(f64, u64)>,
}

impl Occupancy {
    /// The most bytes in use at once.
    pub fn peak(&self) -> u64 {
        self.steps.iter().map(|s| s.1).max().unwrap_or(0)
    }
}

/// Start and end of a use, and its bytes.
type Life = (f64, f64, u64);

/// The first byte of a use, and the use.
type Lived = (i64, Life);

/// Memory is in use from the start of a write to the end of the last access before the next write.
pub fn occupancy(trace: &Trace, line: &Timeline) -> Vec<Occupancy> {
    let mut lives: OrdMap<(usize, Loc), Vec<Lived>> = OrdMap::new();
    let mut open: HashMap<(usize, Loc, i64), Life> = HashMap::new();
    let mut at = 0;
    while at < trace.touches.len() {
        let item = trace.touches[at].item;
        let count = trace.touches[at..].iter().take_while(|t| t.item == item).count();
        let touches = &trace.touches[at..at + count];
        for touch in touches {
            let reads_it = |t: &Touch| !t.write && (t.loc, t.start) == (touch.loc, touch.start);
            let begins = touch.write && !touches.iter().any(reads_it);
            let core = trace.core_of(item as usize);
            let (start, end) = (line.start[item as usize], line.end[item as usize]);
            let key = (core, touch.loc, touch.start);
            match open.get_mut(&key) {
                Some(life) if !begins => (life.1, life.2) = (life.1.max(end), life.2.max(touch.bytes)),
                _ => {
                    if let Some(life) = open.insert(key, (start, end, touch.bytes)) {
                        lives.entry((core, touch.loc)).or_default().push((touch.start, life));
                    }
                }
            }
        }
        at += count;
    }
    for ((core, loc, start), life) in open {
        lives.entry((core, loc)).or_default().push((start, life));
    }
    lives.into_iter().map(|((core, loc), list)| Occupancy { core, loc, steps: steps(&list) }).collect()
}

/// Bytes of tiles that overlap count once.
fn steps(lives: &[Lived]) -> Vec<(f64, u64)> {
    let mut pieces = Pieces::of(lives);
    let mut changes: Vec<(f64, bool, usize)> = Vec::new();
    for (at, (_, (start, end, _))) in lives.iter().enumerate() {
        changes.push((*start, true, at));
        changes.push((*end, false, at));
    }
    // At equal times, ends come before starts.
    changes.shared_sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut steps: Vec<(f64, u64)> = Vec::new();
    for (time, begins, at) in changes {
        pieces.change(&lives[at], begins);
        match steps.last_mut() {
            Some(last) if last.0 == time => last.1 = pieces.used(),
            _ => steps.push((time, pieces.used())),
        }
    }
    steps
}

/// More pieces than this are merged.
const MANY_PIECES: usize = 256;

/// The pieces into which the ends of tiles cut a memory, and how many tiles use each.
struct Pieces {
    cuts: Vec<i64>,
    users: Vec<i64>,
    /// Bytes of pieces that are used.
    bytes: i64,
    /// All bytes that are ever used.
    covered: i64,
}

impl Pieces {
    fn of(lives: &[Lived]) -> Self {
        let mut ranges: Vec<(i64, i64)> = lives.iter().map(|(start, life)| (*start, start + life.2 as i64)).collect();
        ranges.shared_sort();
        ranges.dedup();
        let (mut covered, mut end) = (0, i64::MIN);
        for (from, to) in &ranges {
            covered += (to - (*from).max(end)).max(0);
            end = end.max(*to);
        }
        let mut cuts: Vec<i64> = ranges.into_iter().flat_map(|(from, to)| [from, to]).collect();
        cuts.shared_sort();
        cuts.dedup();
        let cuts = if cuts.len() > MANY_PIECES { Vec::new() } else { cuts };
        Self { users: vec![0; cuts.len()], cuts, bytes: 0, covered }
    }

    fn change(&mut self, (start, life): &Lived, begins: bool) {
        let end = start + life.2 as i64;
        if self.cuts.is_empty() {
            self.bytes += if begins { end - start } else { start - end };
            return;
        }
        let (from, to) = (self.cuts.partition_point(|c| c < start), self.cuts.partition_point(|c| *c < end));
        for piece in from..to {
            let bytes = self.cuts[piece + 1] - self.cuts[piece];
            let before = self.users[piece];
            self.users[piece] += if begins { 1 } else { -1 };
            match (before > 0, self.users[piece] > 0) {
                (false, true) => self.bytes += bytes,
                (true, false) => self.bytes -= bytes,
                _ => {}
            }
        }
    }

    fn used(&self) -> u64 {
        self.bytes.clamp(0, self.covered) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_overlap_count_once() {
        let lives = [(0, (0.0, 10.0, 100)), (50, (5.0, 20.0, 100)), (0, (10.0, 12.0, 100))];
        let found = steps(&lives);
        assert_eq!(found, [(0.0, 100), (5.0, 150), (10.0, 150), (12.0, 100), (20.0, 0)]);
    }

    #[test]
    fn no_more_bytes_are_used_than_are_covered() {
        let lives: Vec<Lived> = (0..1000).map(|k| (k * 8, (0.0, 10.0, 16))).collect();
        assert_eq!(steps(&lives).iter().map(|s| s.1).max(), Some(1000 * 8 + 8));
    }
}
