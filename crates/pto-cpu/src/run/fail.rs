//! Why a run stopped, and its diagnostics.

use super::iterations::Endless;
use crate::kernels::Fault;
use pto_isa::text;
use pto_isa::{Diagnostic, Loc, Span, codes};

/// Why a run stopped.
#[derive(Debug)]
pub(super) enum Fail {
    /// A measuring run has seen enough.
    Stopped,
    /// A loop that does not end.
    Endless(Endless),
    Step(i64),
    ScalarDivision,
    Trap,
    Address {
        loc: Loc,
        address: i64,
        bytes: u64,
        size: u64,
    },
    PipeStuck {
        pipe: pto_isa::Pipe,
        what: String,
    },
    Misaligned {
        loc: Loc,
        address: i64,
        align: u64,
    },
    Window {
        at: (i64, i64),
        size: (u32, u32),
        tile: (u64, u64),
    },
    WindowBoxes {
        at: (i64, i64),
        unit: (u64, u64),
    },
    Valid {
        rows: i64,
        cols: i64,
        tile: (u64, u64),
    },
    Slot {
        slot: i64,
        count: u32,
    },
    Extent {
        what: &'static str,
        dimension: usize,
        value: i64,
    },
    Partition {
        dimension: usize,
        offset: i64,
        size: i64,
        extent: u64,
    },
    Dimension {
        index: i64,
        rank: u8,
    },
    /// An address that belongs to no buffer.
    NoBuffer(u64),
    Bytes {
        buffer: usize,
        first: i64,
        end: i64,
        bytes: usize,
    },
    SpaceBytes {
        loc: Loc,
        first: i64,
        end: i64,
        size: u64,
    },
    ReadOnly(usize),
    /// Another rank, in another process, cannot be reached; in words.
    Peer(String),
    Index {
        index: i64,
        extent: u64,
    },
    Fault(Box<Fault>, Option<usize>),
    Rule(Box<Diagnostic>),
    NoMemory(u64),
    /// A tile is read that nothing has written.
    Unwritten(String),
    /// More memory than the machine has.
    Memory(String),
    OnChipView,
    Unaligned,
    SignalId(i64),
    SignalOverflow {
        id: i64,
        limit: u8,
    },
    /// Elements of different sizes went into a slot and out of it.
    SlotType {
        pushed: u32,
        popped: u32,
    },
    /// A tile and a slot do not fit.
    SlotFault(Box<Fault>),
    /// A slot is pushed that was not allocated.
    NotAllocated,
    /// A slot is freed that was not popped.
    NotPopped,
    /// A step that no part of the core executes.
    NotExecuted,
}

// Every step gives one back, so that its size is part of the cost of a step.
const _: () = assert!(size_of::<Fail>() <= 56);

impl Fail {
    pub fn no_memory(bytes: u64) -> Diagnostic {
        Diagnostic::new(
            codes::RUN_LIMIT,
            Span::default(),
            text!("there are no {bytes} bytes of memory for a core", bytes),
        )
        .help(text!("run with fewer threads, or make the tiles smaller"))
    }
}

/// The help for every read of uninitialised memory.
pub(super) fn unwritten(d: Diagnostic) -> Diagnostic {
    d.legal(text!("memory of a core is uninitialised at the start; a load, a fill or a computation must write it"))
        .help(text!("write the tile first, or make its valid region no larger than what was written; --uninitialised nan shows what depends on it"))
}
