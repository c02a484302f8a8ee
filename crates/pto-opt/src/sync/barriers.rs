//! Barriers of a pipe that overlaps its own instructions.
//!
//! Each need is a range of a list: a barrier must stand after its first item and not after its last. Walking the list and
//! placing a barrier only where a range without one ends gives the minimum; in a loop this is repeated until an iteration
//! places the same barriers as the previous one.

use super::history::Need;
use super::known::PIPES;
use pto_isa::sort::SharedSort;

/// A range that needs a barrier: after one item, before another.
#[derive(Clone, Copy, Debug)]
pub(super) struct BarrierRange {
    /// The index of the item with the first touch; in the previous iteration if it is carried.
    pub from: usize,
    /// The index of the item with the second.
    pub at: usize,
    pub carried: bool,
    pub need: Need,
}

/// Iterations that are tried before the barriers of two are merged.
const ITERATIONS: usize = 6;

/// The ranges at whose ends barriers stand.
pub(super) fn place(stretches: &[BarrierRange], items: usize) -> Vec<BarrierRange> {
    let mut sorted = stretches.to_vec();
    sorted.shared_sort_by_key(|s| (s.at, s.need.part.pipe()));
    let mut last = [0; PIPES];
    let mut placed = place_iteration(&sorted, items, 0, &mut last);
    if !sorted.iter().any(|s| s.carried) {
        return placed;
    }
    for number in 1..ITERATIONS {
        let next = place_iteration(&sorted, items, number, &mut last);
        let places = |list: &[BarrierRange]| list.iter().map(|s| (s.at, s.need.part.pipe())).collect::<Vec<_>>();
        if places(&next) == places(&placed) {
            return next;
        }
        if number + 1 == ITERATIONS {
            placed.extend(next);
            placed.shared_sort_by_key(|s| (s.at, s.need.part.pipe()));
            placed.dedup_by_key(|s| (s.at, s.need.part.pipe()));
        } else {
            placed = next;
        }
    }
    placed
}

/// The barriers of one iteration; `last` is the item before which each pipe has finished last.
fn place_iteration(
    stretches: &[BarrierRange],
    items: usize,
    number: usize,
    last: &mut [usize; PIPES],
) -> Vec<BarrierRange> {
    let mut placed = Vec::new();
    for stretch in stretches {
        let pipe = stretch.need.part.pipe();
        // Iterations before the first count, too, so that no number is negative.
        let from = stretch.from + items * if stretch.carried { number } else { number + 1 };
        if !(stretch.carried && number == 0) && last[pipe] <= from {
            last[pipe] = stretch.at + items * (number + 1);
            placed.push(*stretch);
        }
    }
    placed
}
