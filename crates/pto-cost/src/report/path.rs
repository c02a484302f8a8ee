//! The chain of items that decides when a run ends.

use crate::sim::Timeline;
use crate::trace::{NONE, Trace};
use pto_ir::OpId;
use pto_isa::Pipe;
use pto_isa::sort::SharedSort;
use std::collections::HashMap;

/// An operation on the critical path.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct PathStep {
    /// The operation.
    pub op: OpId,
    /// The pipe it runs on.
    pub pipe: Option<Pipe>,
    /// Cycles of the path that are its own.
    pub cycles: f64,
    /// How often it is on the path.
    pub count: u64,
}

/// The items of the path, the last first.
pub fn on_path(trace: &Trace, line: &Timeline) -> Vec<u32> {
    let mut path = Vec::new();
    let ends = |a: &usize, b: &usize| line.end[*a].total_cmp(&line.end[*b]);
    let mut at = (0..trace.items.len()).max_by(ends).map_or(NONE, |i| i as u32);
    while at != NONE {
        path.push(at);
        at = line.held_by[at as usize];
    }
    path
}

/// The path by operation, the longest first.
pub fn critical_path(trace: &Trace, line: &Timeline) -> Vec<PathStep> {
    let mut sums: HashMap<OpId, PathStep> = HashMap::new();
    for item in on_path(trace, line) {
        let at = item as usize;
        let cycles = line.end[at] - line.start[at];
        if cycles <= 0.0 {
            continue;
        }
        let op = trace.items[at].op;
        let step = sums.entry(op).or_insert(PathStep { op, pipe: trace.pipe_of(at), cycles: 0.0, count: 0 });
        step.cycles += cycles;
        step.count += 1;
    }
    let mut list: Vec<PathStep> = sums.into_values().collect();
    list.shared_sort_by(|a, b| b.cycles.total_cmp(&a.cycles).then(a.op.cmp(&b.op)));
    list
}
