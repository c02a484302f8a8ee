//! What the accesses of an event say: which bytes, which pipe, which shapes.

use pto_cpu::{Access, AddressSpace, Event};
use pto_isa::{Loc, Pipe};

/// Rectangles with more runs than this count as everything between their first and last byte.
const EXACT_RUNS: u64 = 16;

/// The pipe that moves an entry: by default, the one that its memory is connected to.
pub(super) fn pipe_of_event(event: &Event<'_>, pushes: bool) -> usize {
    let loc = event.accesses.first().and_then(|a| match a.place {
        AddressSpace::Core(loc) => Some(loc),
        AddressSpace::Global(_) => None,
    });
    let by_memory = match (pushes, loc) {
        (true, Some(Loc::Acc)) => Pipe::Fix,
        (true, Some(_)) => Pipe::Mte3,
        (true, None) => Pipe::S,
        (false, _) => Pipe::Mte2,
    };
    event.pipe.filter(|p| *p != Pipe::S && *p != Pipe::All).unwrap_or(by_memory) as usize
}

/// First byte and end of everything an access touches.
pub(super) fn hull(a: &Access) -> (i64, i64) {
    if a.rows == 0 {
        return (a.start, a.start);
    }
    let last = a.start.saturating_add((a.rows as i64 - 1).saturating_mul(a.stride));
    (a.start.min(last), a.start.max(last).saturating_add(a.row_bytes as i64))
}

/// The bytes of an access, run by run if there are few.
pub(super) fn ranges(a: &Access, mut each: impl FnMut(i64, i64)) {
    if a.rows == 0 || a.row_bytes == 0 {
        return;
    }
    if a.stride > a.row_bytes as i64 && a.rows <= EXACT_RUNS {
        (0..a.rows as i64).map(|k| a.start + k * a.stride).for_each(|s| each(s, s + a.row_bytes as i64));
    } else {
        let (first, end) = hull(a);
        each(first, end);
    }
}

/// The same for executions that cost the same.
pub(super) fn shape_key(event: &Event<'_>) -> u64 {
    let mut key = 0xcbf2_9ce4_8422_2325u64;
    let mut mix = |n: u64| key = (key ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    mix(event.op.index() as u64);
    mix(u64::from(event.core.rank) << 8 | event.core.role as u64);
    for a in event.accesses {
        match a.place {
            AddressSpace::Core(loc) => {
                mix(u64::from(a.geometry) << 16 | (loc as u64) << 1 | u64::from(a.write));
                mix(u64::from(a.valid.0) << 32 | u64::from(a.valid.1));
            }
            AddressSpace::Global(buffer) => {
                mix((buffer as u64) << 1 | u64::from(a.write));
                mix(a.rows.wrapping_mul(a.row_bytes));
            }
        }
    }
    key
}
