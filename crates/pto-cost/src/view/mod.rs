//! Views of a simulated run: text, a swimlane for the terminal, a trace for Perfetto, a page, and data for programs.
//!
//! All are made from the trace, the timeline and the report; none simulates.

mod ascii;
mod chrome;
mod html;
mod json;
mod names;
mod ranks;
mod text;
mod write;

pub use ascii::swimlanes;
pub use chrome::chrome_trace;
pub use html::page;
pub use json::data;
pub use names::OpNames;
pub use text::{advice_words, bottleneck, cycles_text, summary};

use crate::report::{Advice, PerfReport, on_path};
use crate::sim::Timeline;
use crate::trace::{PIPES, Trace};
use pto_isa::ordered::OrdSet;
use pto_isa::sort::SharedSort;

/// Everything there is to show.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    /// Names and places of operations.
    pub names: &'a OpNames<'a>,
    /// What was done.
    pub trace: &'a Trace,
    /// When.
    pub line: &'a Timeline,
    /// What that means.
    pub report: &'a PerfReport,
    /// What to change.
    pub advice: &'a [Advice],
}

/// The pipes in use of these cores, in order.
fn used_pipes(trace: &Trace, cores: &[usize]) -> Vec<usize> {
    let used: OrdSet<usize> = trace.items.iter().filter(|i| !i.orders).map(|i| i.pipe as usize).collect();
    used.into_iter().filter(|at| cores.contains(&(at / PIPES))).collect()
}

/// As many cores as a view has room for, in order: those of the critical path come before others.
fn cores_in_view(shown: &Shown<'_>, most_cores: usize, most_items: usize) -> Vec<usize> {
    let Shown { trace, line, .. } = *shown;
    let core = |item: u32| trace.items[item as usize].pipe as usize / PIPES;
    let mut of_path = vec![0.0; trace.cores.len()];
    for at in on_path(trace, line) {
        of_path[core(at)] += line.end[at as usize] - line.start[at as usize];
    }
    let mut counts = vec![0; trace.cores.len()];
    trace.items.iter().filter(|i| !i.orders).for_each(|i| counts[i.pipe as usize / PIPES] += 1);
    let mut order: Vec<usize> = (0..trace.cores.len()).collect();
    order.shared_sort_by(|a, b| of_path[*b].total_cmp(&of_path[*a]));
    let mut sum = 0;
    let fits = |core: &&usize| {
        sum += counts[**core];
        sum <= most_items
    };
    let room = order.iter().take_while(fits).count().clamp(1, most_cores);
    order.truncate(room);
    order.shared_sort();
    order
}
