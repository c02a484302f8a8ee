//! Which bytes of a core's memory have been written, so that a read of others can be noticed.
//!
//! Bytes are only ever added, so an instruction with the same placement adds nothing new: it is processed once for each placement of its
//! operands, and costs a comparison after that.

use crate::prepared::{KernelId, KernelStep, Table};
use crate::written::WrittenBytes;

/// Placements of the operands of an instruction that are remembered, in sets.
const KNOWN: usize = 32;

/// Placements of a set: as many with the same remainder of their numbers stay known.
const SET: usize = 4;

/// The bytes that were written, and the placements that were processed.
pub(super) struct Written {
    pub bytes: WrittenBytes,
    /// For each instruction, when its tiles were compared last.
    pub seen: Table<KernelId, u64>,
    /// For each instruction, some placements of its operands.
    known: Table<KernelId, [u64; KNOWN]>,
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

    /// Remembers a placement; true if it was known before.
    #[inline]
    pub fn is_known(&mut self, which: KernelId, placement: u64) -> bool {
        let (sets, _) = self.known[which].as_chunks_mut::<SET>();
        let set = &mut sets[placement as usize % (KNOWN / SET)];
        let is_known = set.contains(&placement);
        if !is_known {
            set.rotate_right(1);
            set[0] = placement;
        }
        is_known
    }

    pub fn next_block(&mut self) {
        self.version += 1;
        self.block += 1;
    }
}
