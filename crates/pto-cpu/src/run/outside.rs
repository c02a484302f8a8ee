//! What a core shares with others, and what it reports.

use super::formula::Followed;
use crate::prepared::{EndId, PipeEnd, Table};
use crate::printed::Printed;
use pto_isa::Diagnostic;

/// The state of an open end of a FIFO pipe.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct OpenEnd {
    /// Address of the slots in global memory.
    pub global: u64,
    /// Addresses of the local rings.
    pub local: [u64; 2],
}

/// Open FIFO pipes, background transfers, and reports to observers and the caller.
pub(super) struct Outside {
    pub ends: Table<EndId, OpenEnd>,
    /// Sessions and transfers in the background so far.
    pub background: u64,
    /// How numbers are computed from loaded ones, if an observer tracks them.
    pub formulas: Followed,
    /// What the block printed.
    pub printed: Vec<Printed>,
    /// What was not as it should be, over all blocks.
    pub notes: Vec<Diagnostic>,
}

impl Outside {
    pub fn new(ends: &Table<EndId, PipeEnd>) -> Self {
        let ends = Table::like(ends, OpenEnd::default());
        Self { ends, background: 0, formulas: Followed::new(), printed: Vec::new(), notes: Vec::new() }
    }

    /// Another block begins.
    pub fn reset(&mut self) {
        self.background = 0;
        self.ends.fill(OpenEnd::default());
        self.formulas.clear();
        self.printed.clear();
    }

    /// Remembers a note, once for each instruction.
    pub fn note(&mut self, note: Diagnostic) {
        if self.notes.iter().all(|known| (known.primary.span, known.code) != (note.primary.span, note.code)) {
            self.notes.push(note);
        }
    }
}
