//! Gaps on pipes, and what caused them.

use crate::sim::Timeline;
use crate::trace::{NONE, Trace, Why, pipe_predecessors};
use pto_ir::OpId;
use pto_isa::Pipe;
use pto_isa::sort::SharedSort;
use std::collections::HashMap;

/// Gaps shorter than this are rounding.
const LEAST: f64 = 1e-6;
/// Pairs that are kept.
const MOST: usize = 12;

/// An operation that waits for another, over all executions on all cores.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Stall {
    /// The waiting operation.
    pub waits: OpId,
    /// The operation it waits for, if known.
    pub for_op: Option<OpId>,
    /// Why.
    pub why: Why,
    /// The idle pipe.
    pub pipe: Option<Pipe>,
    /// Cycles in all, as a mean over cores that have the stall.
    pub cycles: f64,
    /// How often, on all cores.
    pub count: u64,
}

/// Visits every gap on a pipe before an item.
pub(super) fn each_gap(trace: &Trace, line: &Timeline, mut visit: impl FnMut(usize, f64)) {
    for (at, before) in pipe_predecessors(trace).into_iter().enumerate() {
        let since = if before == NONE { 0.0 } else { line.end[before as usize] };
        let gap = line.start[at] - since;
        if gap > LEAST {
            visit(at, gap);
        }
    }
}

/// Why an item started no earlier, and the item that it had to wait for. Where it had not been issued yet, the reason is that
/// of the scalar unit.
pub fn reason(trace: &Trace, line: &Timeline, item: usize) -> (Why, u32) {
    let (mut at, mut why, mut by) = (item, line.why[item], line.held_by[item]);
    for _ in 0..4 {
        let ordering = by != NONE && trace.items[by as usize].orders;
        if why != Why::Issue || !ordering || by as usize == at {
            break;
        }
        at = by as usize;
        if line.held_by[at] == NONE {
            break;
        }
        (why, by) = (line.why[at], line.held_by[at]);
    }
    (why, by)
}

/// The work that comes after a wait on the same pipe: what the wait holds up.
fn held_up(trace: &Trace, next: &[u32], mut item: usize) -> usize {
    while trace.items[item].orders && next[item] != NONE {
        item = next[item] as usize;
    }
    item
}

/// The work that an ordering item tells about: the last before it on its pipe.
fn told(trace: &Trace, before: &[u32], mut item: u32) -> u32 {
    while item != NONE && trace.items[item as usize].orders && before[item as usize] != NONE {
        item = before[item as usize];
    }
    item
}

/// The waiting operation, the one it waits for, and the reason.
type StallKey = (OpId, Option<OpId>, Why);

pub(super) fn pairs(trace: &Trace, line: &Timeline) -> Vec<Stall> {
    let before = pipe_predecessors(trace);
    let mut next = vec![NONE; trace.items.len()];
    for (at, b) in before.iter().enumerate().filter(|(_, b)| **b != NONE) {
        next[*b as usize] = at as u32;
    }
    let mut sums: HashMap<StallKey, (Stall, Vec<u32>)> = HashMap::new();
    each_gap(trace, line, |item, gap| {
        let (why, by) = reason(trace, line, item);
        if why == Why::Issue && by == NONE {
            return;
        }
        let by = told(trace, &before, by);
        let waits = trace.items[held_up(trace, &next, item)].op;
        let for_op = (by != NONE).then(|| trace.items[by as usize].op);
        let pipe = trace.pipe_of(item);
        let empty = Stall { waits, for_op, why, pipe, cycles: 0.0, count: 0 };
        let entry = sums.entry((waits, for_op, why)).or_insert((empty, Vec::new()));
        entry.0.cycles += gap;
        entry.0.count += 1;
        let pipe = trace.items[item].pipe;
        if entry.1.last() != Some(&pipe) && !entry.1.contains(&pipe) {
            entry.1.push(pipe);
        }
    });
    let mean = |(mut stall, pipes): (Stall, Vec<u32>)| {
        stall.cycles /= pipes.len().max(1) as f64;
        stall
    };
    let mut list: Vec<Stall> = sums.into_values().map(mean).collect();
    list.shared_sort_by(|a, b| b.cycles.total_cmp(&a.cycles).then(a.waits.cmp(&b.waits)).then(a.for_op.cmp(&b.for_op)));
    list.truncate(MOST);
    list
}
