//! How full on-chip memories are over time.

use crate::sim::Timeline;
use crate::trace::{Touch, Trace};
use pto_isa::Loc;
use std::collections::{BTreeMap, HashMap};

/// Bytes in use of one memory of one core.
#[derive(Clone, PartialEq, Debug)]
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

/// From when to when so many bytes are in use.
type Life = (f64, f64, u64);

/// Memory is in use from the start of a write to the end of the last access before it is written anew.
pub fn occupancy(trace: &Trace, line: &Timeline) -> Vec<Occupancy> {
    let mut lives: BTreeMap<(usize, Loc), Vec<Life>> = BTreeMap::new();
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
                        lives.entry((core, touch.loc)).or_default().push(life);
                    }
                }
            }
        }
        at += count;
    }
    for ((core, loc, _), life) in open {
        lives.entry((core, loc)).or_default().push(life);
    }
    lives.into_iter().map(|((core, loc), list)| Occupancy { core, loc, steps: steps(&list) }).collect()
}

fn steps(lives: &[Life]) -> Vec<(f64, u64)> {
    let mut changes: Vec<(f64, i64)> = Vec::new();
    for (start, end, bytes) in lives {
        changes.push((*start, *bytes as i64));
        changes.push((*end, -(*bytes as i64)));
    }
    changes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut steps: Vec<(f64, u64)> = Vec::new();
    let mut now = 0i64;
    for (time, change) in changes {
        now += change;
        match steps.last_mut() {
            Some(last) if last.0 == time => last.1 = now.max(0) as u64,
            _ => steps.push((time, now.max(0) as u64)),
        }
    }
    steps
}
