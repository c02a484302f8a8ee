//! What stops a debugger: breakpoints and watchpoints.

use super::condition::DebugExpr;
use pto::cpu::{Access, AddressSpace, CoreId};
use pto::ir::ValueId;
use pto::trace::{MemoryId, Moment, Recording};
use std::collections::HashSet;
use std::ops::Range;

/// A breakpoint or a watchpoint.
pub(crate) struct StopPoint {
    /// Its number, which commands name.
    pub(crate) number: u32,
    pub(crate) on: StopOn,
    /// How often it stopped the debugger.
    pub(crate) hits: u32,
}

pub(crate) enum StopOn {
    Line { line: u32, condition: Option<(String, DebugExpr)> },
    Write { text: String, target: WatchTarget },
}

/// What is watched.
#[derive(Clone)]
pub(crate) enum WatchTarget {
    Bytes(MemoryId, Range<i64>),
    /// A tile or a view, and all memory that it stands for during the run.
    Memory {
        core: CoreId,
        value: ValueId,
        ranges: Vec<(MemoryId, Range<i64>)>,
    },
    /// A scalar.
    Scalar {
        core: CoreId,
        value: ValueId,
    },
}

/// The bytes from the first to the last of an access.
pub(crate) fn bytes_of(access: &Access) -> Range<i64> {
    let last = access.start.saturating_add((access.rows.max(1) as i64 - 1).saturating_mul(access.stride));
    access.start.min(last)..access.start.max(last).saturating_add(access.row_bytes as i64)
}

/// The memory that an access of a core touches.
pub(crate) fn memory_of(core: CoreId, access: &Access) -> MemoryId {
    match access.place {
        AddressSpace::Core(loc) => MemoryId::Core(core, loc),
        AddressSpace::Global(buffer) => MemoryId::Global(buffer),
    }
}

/// True when an access changes one of the bytes.
fn changes(access: &Access, bytes: &Range<i64>) -> bool {
    let overlaps = |row: Range<i64>| row.start < bytes.end && bytes.start < row.end;
    if !access.write || access.is_work_space() || !overlaps(bytes_of(access)) {
        return false;
    }
    let row = |k: u64| {
        let first = access.start.wrapping_add((k as i64).wrapping_mul(access.stride));
        first..first.wrapping_add(access.row_bytes as i64)
    };
    (0..access.rows).any(|k| overlaps(row(k)))
}

/// True when a moment changes one of the bytes of a memory.
pub(crate) fn writes(moment: &Moment<'_>, memory: MemoryId, bytes: &Range<i64>) -> bool {
    moment.accesses.iter().any(|a| memory_of(moment.core, a) == memory && changes(a, bytes))
}

/// All memory through which the instructions of a core use a value.
pub(crate) fn memory_used_as(recording: &Recording, core: CoreId, value: ValueId) -> Vec<(MemoryId, Range<i64>)> {
    let mut seen = HashSet::new();
    let mut ranges: Vec<(MemoryId, Range<i64>)> = Vec::new();
    for &at in recording.moments_of(core) {
        let accesses = recording.moment(at as usize).accesses;
        // Moments share lists of accesses.
        if !seen.insert(accesses.as_ptr()) {
            continue;
        }
        for access in accesses.iter().filter(|a| a.value == Some(value)) {
            add(&mut ranges, memory_of(core, access), bytes_of(access));
        }
    }
    ranges
}

/// Adds a range, together with one that it touches.
pub(crate) fn add(ranges: &mut Vec<(MemoryId, Range<i64>)>, memory: MemoryId, bytes: Range<i64>) {
    let touches = |(of, r): &(MemoryId, Range<i64>)| *of == memory && r.start <= bytes.end && bytes.start <= r.end;
    match ranges.iter_mut().find(|r| touches(r)) {
        Some((_, known)) => *known = known.start.min(bytes.start)..known.end.max(bytes.end),
        None => ranges.push((memory, bytes)),
    }
}
