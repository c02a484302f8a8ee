//! Views of a simulated run: text, a swimlane for the terminal, a trace for Perfetto, a page, and data for programs.
//!
//! All are made from the trace, the timeline and the report; none simulates.

mod ascii;
mod chrome;
mod html;
mod json;
mod names;
mod text;
mod write;

pub use ascii::swimlanes;
pub use chrome::chrome_trace;
pub use html::page;
pub use json::data;
pub use names::OpNames;
pub use text::{advice_words, bottleneck, cycles_text, summary};

use crate::report::{Advice, PerfReport};
use crate::sim::Timeline;
use crate::trace::{PIPES, Trace};
use std::collections::BTreeSet;

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

/// The pipes in use of the first `cores` cores, in order.
fn used_pipes(trace: &Trace, cores: usize) -> Vec<usize> {
    let used: BTreeSet<usize> = trace.items.iter().filter(|i| !i.orders).map(|i| i.pipe as usize).collect();
    used.into_iter().filter(|at| at / PIPES < cores).collect()
}
