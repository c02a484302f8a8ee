//! Suggested changes. Each is evaluated: recorded or costed again, and simulated.

use super::PerfReport;
use crate::laws::Laws;
use crate::sim::{Machine, simulate};
use crate::trace::{Cost, NONE, Options, OrderSource, Trace, Why, pipe_predecessors};
use pto_ir::OpId;
use pto_isa::ordered::OrdMap;
use pto_isa::sort::SharedSort;
use pto_isa::{Loc, Pipe};
use std::collections::HashSet;

/// Gains below this share of all cycles are not worth a line.
const LEAST: f64 = 0.01;
/// Waits that are tried.
const TRIED: usize = 3;
const MOST: usize = 5;

/// What to change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AdviceChange {
    /// Give the buffer that this load fills a second copy.
    DoubleBuffer(OpId),
    /// Let this wait protect two buffers alternately.
    DoubleBufferBehind(OpId),
    /// Order pipes by flags where data flows, and nowhere else.
    FewerFlags,
    /// Work on larger tiles, so that filling and draining the vector unit counts less.
    LargerTiles,
    /// Launch this many blocks.
    MoreBlocks(u32),
    /// Make this operation twice as fast: fewer bytes, a narrower type, a better layout.
    Faster(OpId),
}

/// A change and its gain.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Advice {
    /// The change.
    pub change: AdviceChange,
    /// Cycles after it.
    pub cycles: f64,
    /// Share of cycles saved.
    pub gain: f64,
    /// The memory that a second buffer takes, and how many bytes, where the trace says what was touched.
    pub extra: Option<(Loc, u64)>,
}

/// Records the program again with other options and this many blocks; `None` if that is not possible.
pub type Retrace<'a> = dyn Fn(Options, Option<u32>) -> Option<Trace> + 'a;

/// The changes with the largest gains.
pub fn advise(trace: &Trace, report: &PerfReport, laws: &Laws, options: Options, retrace: &Retrace<'_>) -> Vec<Advice> {
    let machine = Machine::of(laws);
    let cycles_of = |trace: &Trace| simulate(trace, &trace.charges, &machine).ok().map(|line| line.cycles);
    let mut found: Vec<(AdviceChange, Option<f64>)> = Vec::new();
    for change in doubled(trace, report) {
        let (AdviceChange::DoubleBuffer(op) | AdviceChange::DoubleBufferBehind(op)) = change else { continue };
        let again = retrace(Options { doubled: Some(op), ..options }, None);
        found.push((change, again.and_then(|t| cycles_of(&t))));
    }
    if !trace.by_data {
        let again = retrace(Options { order: Some(OrderSource::Data), ..options }, None);
        found.push((AdviceChange::FewerFlags, again.and_then(|t| cycles_of(&t))));
    }
    if let Some(blocks) = more_blocks(report, laws) {
        let again = retrace(options, Some(blocks)).filter(|t| super::blocks(t) > report.blocks && is_shared(t, trace));
        found.push((AdviceChange::MoreBlocks(blocks), again.and_then(|t| cycles_of(&t))));
    }
    let with_costs = |costs: &[Cost]| simulate(trace, costs, &machine).ok().map(|line| line.cycles);
    found.push((AdviceChange::LargerTiles, with_costs(&without_heads(trace))));
    if let Some(step) = report.path.first() {
        found.push((AdviceChange::Faster(step.op), with_costs(&halved(trace, step.op))));
    }
    let worth = |(change, cycles): (AdviceChange, Option<f64>)| {
        let cycles = cycles?;
        let gain = 1.0 - cycles / report.cycles;
        (gain >= LEAST).then(|| Advice { change, cycles, gain, extra: extra(trace, change) })
    };
    let mut list: Vec<Advice> = found.into_iter().filter_map(worth).collect();
    list.shared_sort_by(|a, b| b.gain.total_cmp(&a.gain));
    list.truncate(MOST);
    list
}

/// Loads that wait for a buffer, or waits that hold a loading pipe up until a buffer is free. A wait of MTE1 for MTE2 is one for
/// data, which no second buffer shortens.
fn doubled(trace: &Trace, report: &PerfReport) -> Vec<AdviceChange> {
    let pipe_of = |op: OpId| trace.items.iter().position(|i| i.op == op).and_then(|at| trace.pipe_of(at));
    let mut list: Vec<AdviceChange> = Vec::new();
    for stall in &report.stalls {
        let for_data = stall.for_op.and_then(pipe_of) == Some(Pipe::Mte2);
        let loads = matches!(stall.pipe, Some(Pipe::Mte2 | Pipe::Mte1)) && !for_data;
        let change = match stall.why {
            Why::Overwrite if loads => Some(AdviceChange::DoubleBuffer(stall.waits)),
            Why::Flag if loads => wait_before(trace, stall.waits).map(AdviceChange::DoubleBufferBehind),
            _ => None,
        };
        list.extend(change.filter(|c| !list.contains(c) && has_flags(trace, *c)));
    }
    list.truncate(TRIED);
    list
}

/// The wait on the same pipe that comes right before an operation.
fn wait_before(trace: &Trace, op: OpId) -> Option<OpId> {
    let before = pipe_predecessors(trace);
    let item = trace.items.iter().position(|i| i.op == op)?;
    let mut at = before[item];
    while at != NONE && trace.items[at as usize].orders {
        if !trace.deps_of(at as usize).is_empty() || at == 0 {
            return Some(trace.items[at as usize].op);
        }
        at = before[at as usize];
    }
    let first = before[item];
    (first != NONE && trace.items[first as usize].orders).then(|| trace.items[first as usize].op)
}

/// What second buffers take: as much as the first ones, which the loads fill that wait.
fn extra(trace: &Trace, change: AdviceChange) -> Option<(Loc, u64)> {
    let buffers = filled(trace, change)?;
    let loc = buffers.keys().next()?.0;
    Some((loc, buffers.iter().filter(|(key, _)| key.0 == loc).map(|(_, bytes)| bytes).sum()))
}

/// The buffers that a change gives a second copy, on one core: where they start, and their bytes.
fn filled(trace: &Trace, change: AdviceChange) -> Option<OrdMap<(Loc, i64), u64>> {
    let (AdviceChange::DoubleBuffer(op) | AdviceChange::DoubleBufferBehind(op)) = change else { return None };
    let pipe = trace.items.iter().find(|i| i.op == op)?.pipe;
    let mut buffers: OrdMap<(Loc, i64), u64> = OrdMap::new();
    // A wait protects what its pipe does until it waits again.
    let (mut protected, mut working) = (false, false);
    for (at, item) in trace.items.iter().enumerate().filter(|(_, i)| i.pipe == pipe) {
        if item.op == op {
            (protected, working) = (true, !item.orders);
        } else if item.orders {
            protected &= !working;
        } else {
            working = true;
        }
        let is_own = item.op == op || matches!(change, AdviceChange::DoubleBufferBehind(_));
        if protected && !item.orders && is_own {
            let first = trace.touches.partition_point(|t| (t.item as usize) < at);
            let own = trace.touches[first..].iter().take_while(|t| t.item as usize == at);
            for touch in own.filter(|t| t.write) {
                let bytes = buffers.entry((touch.loc, touch.start)).or_default();
                *bytes = (*bytes).max(touch.bytes);
            }
        }
    }
    Some(buffers)
}

/// Flags between two pipes.
const FLAGS: usize = 8;

/// Each buffer that a wait protects needs a flag, and the number of flags is limited.
fn has_flags(trace: &Trace, change: AdviceChange) -> bool {
    !matches!(change, AdviceChange::DoubleBufferBehind(_)) || filled(trace, change).is_none_or(|b| 2 * b.len() <= FLAGS)
}

/// As many blocks as the device has cores, where the program uses fewer.
fn more_blocks(report: &PerfReport, laws: &Laws) -> Option<u32> {
    use crate::laws::ParamKey;
    let cube = report.pipes.iter().any(|p| p.pipe == Some(Pipe::M));
    let cores = laws.machine("machine", if cube { ParamKey::CubeCores } else { ParamKey::VectorCores }) as u32;
    (report.blocks < cores as usize).then_some(cores)
}

/// The blocks share the work, instead of each doing all of it.
fn is_shared(many: &Trace, one: &Trace) -> bool {
    let work = |t: &Trace| t.items.iter().filter(|i| !i.orders).count();
    work(many) < work(one) * 2
}

fn without_heads(trace: &Trace) -> Vec<Cost> {
    let mut vector = vec![false; trace.charges.len()];
    for (at, item) in trace.items.iter().enumerate() {
        vector[item.charge as usize] |= trace.pipe_of(at) == Some(Pipe::V);
    }
    let mut costs = trace.charges.clone();
    for (cost, _) in costs.iter_mut().zip(&vector).filter(|(_, v)| **v) {
        cost.charge.head = 0.0;
    }
    costs
}

fn halved(trace: &Trace, op: OpId) -> Vec<Cost> {
    let mut costs = trace.charges.clone();
    let mut seen = HashSet::new();
    for item in trace.items.iter().filter(|i| i.op == op) {
        if seen.insert(item.charge) {
            let charge = &mut costs[item.charge as usize].charge;
            charge.body /= 2.0;
            charge.global /= 2;
        }
    }
    costs
}
