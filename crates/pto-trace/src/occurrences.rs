//! The times at which a line was executed.

use crate::recording::Recording;
use pto_cpu::{CoreId, Role};
use pto_isa::sort::SharedSort;

/// A line was executed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Occurrence {
    /// The last moment of it.
    pub at: usize,
    /// The core.
    pub core: CoreId,
    /// The iterations of the loops around it, the outermost first.
    pub iterations: Vec<u32>,
}

impl Recording {
    /// The times at which a line was executed, in order.
    pub fn occurrences(&self, line: u32) -> Vec<Occurrence> {
        let mut found: Vec<(u32, Occurrence)> = Vec::new();
        for core in self.cores() {
            // The step of the moment before, if it was on the line.
            let mut open: Option<u32> = None;
            for &at in self.moments_of(*core) {
                let moment = self.moment(at as usize);
                if moment.line != line {
                    open = None;
                    continue;
                }
                let occurrence = Occurrence { at: at as usize, core: *core, iterations: moment.iterations.to_vec() };
                match found.last_mut() {
                    // Several moments of one execution: steps of one line follow each other.
                    Some((_, last))
                        if open.is_some_and(|step| step <= moment.step && last.iterations == occurrence.iterations) =>
                    {
                        *last = occurrence;
                    }
                    _ => found.push((at, occurrence)),
                }
                open = Some(moment.step);
            }
        }
        found.shared_sort_by_key(|(first, _)| *first);
        found.into_iter().map(|(_, occurrence)| occurrence).collect()
    }
}

/// The name of a core in its block: `core`, `cube`, `vec0` or `vec1`.
pub fn core_name(core: CoreId) -> String {
    match core.role {
        Role::Whole => "core".to_string(),
        Role::Cube => "cube".to_string(),
        Role::Vector => format!("vec{}", core.sub),
    }
}
