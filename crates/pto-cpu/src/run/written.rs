//! Which bytes of a core's memory have been written, so that a read of others can be noticed.
//!
//! Bytes are only ever added, so an instruction with the same placement adds nothing new: it is processed once for each placement of its
//! operands, and costs a comparison after that.

use crate::prepared::{KernelId, KernelStep, Table};
use crate::written::WrittenBytes;

/// Placements of the operands of an instruction that are remembered.
pub(super) const KNOWN: usize = 16;

/// The bytes that were written, and the placements that were processed.
pub(super) struct Written {
    pub bytes: WrittenBytes,
    /// For each instruction, when its tiles were compared last.
    pub seen: Table<KernelId, u64>,
    /// For each instruction, some placements of its operands.
    pub known: Table<KernelId, [u64; KNOWN]>,
    /// Grows when a tile register changes, or other memory comes.
    pub version: u64,
    /// Another number for each block.
    pub block: u64,
}

impl Written {
    pub fn new(bytes: WrittenBytes, kernels: &Table<KernelId, KernelStep>) -> Self {
        let (seen, known) = (Table::like(kernels, 0), Table::like(kernels, [0; KNOWN]));
        Self { bytes, seen, known, version: 1, block: 1 }
    }

    pub fn next_block(&mut self) {
        self.version += 1;
        self.block += 1;
    }
}
