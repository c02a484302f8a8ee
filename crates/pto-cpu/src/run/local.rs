//! The memory of a core.

use super::factor_moves::FactorMoves;
use super::written::Written;
use crate::args::Uninitialised;
use crate::memory::{CoreMemory, SpareMemory};
use crate::prepared::Plan;
use crate::written::WrittenBytes;
use pto_isa::Loc;

/// Bytes of this are NaN in every floating-point type that has one, but for `hif8`.
const NAN_BYTE: u8 = 0xff;

/// The memory of a core, and what is known of it.
pub(super) struct LocalMemory<'p> {
    pub memory: CoreMemory,
    /// Bytes used at the start of each space.
    pub used: [u64; Loc::ALL.len()],
    /// Tiles after the spaces may have been accessed.
    pub ran: bool,
    /// The bytes that have content.
    pub written: Written,
    /// Loads and moves of factors that are left out so far.
    pub moves: FactorMoves<'p>,
}

/// What bytes hold that nothing wrote.
pub(super) fn fill_byte(plan: &Plan) -> u8 {
    if plan.source.options.uninitialised == Uninitialised::Nan { NAN_BYTE } else { 0 }
}

/// `None` when there is not so much memory.
fn new_memory(plan: &Plan) -> Option<SpareMemory> {
    let bytes = plan.memory.core_bytes;
    let mut memory = CoreMemory::new(bytes)?;
    if plan.source.options.uninitialised == Uninitialised::Nan {
        memory.part(0, bytes).fill(NAN_BYTE);
    }
    Some(SpareMemory { memory, written: WrittenBytes::new(bytes) })
}

impl LocalMemory<'_> {
    /// `None` when there is not so much memory.
    pub fn new(plan: &Plan) -> Option<Self> {
        let SpareMemory { memory, written } = plan.memory.spare.take().or_else(|| new_memory(plan))?;
        let written = Written::new(written, &plan.calls.kernels);
        Some(Self {
            memory,
            used: [0; Loc::ALL.len()],
            ran: false,
            written,
            moves: FactorMoves::with_spare(plan.memory.spare_factors.take().unwrap_or_default()),
        })
    }

    /// Makes all memory as it was that the core may have touched.
    pub fn clear(&mut self, plan: &Plan) {
        let fill = fill_byte(plan);
        let spaces = &plan.memory.spaces;
        for loc in Loc::ALL {
            let used = std::mem::take(&mut self.used[loc as usize]);
            self.forget(spaces.start(loc), used, fill);
        }
        if std::mem::take(&mut self.ran) {
            self.forget(spaces.end, plan.memory.core_bytes - spaces.end, fill);
        }
        self.written.next_block();
        self.moves.clear();
    }

    /// The memory as it was when the core was new, for the next core.
    pub fn into_spare(mut self, plan: &Plan) -> SpareMemory {
        self.clear(plan);
        SpareMemory { memory: self.memory, written: self.written.bytes }
    }

    fn forget(&mut self, start: u64, length: u64, fill: u8) {
        self.memory.part(start, length).fill(fill);
        self.written.bytes.clear(start, length);
    }

    /// Notes that a space is used up to this byte.
    pub fn use_up_to(&mut self, loc: Loc, end: u64) {
        let used = &mut self.used[loc as usize];
        *used = (*used).max(end);
    }
}
