//! Where a pipe that overlaps its own instructions finishes what it has.
//!
//! Each need is a stretch of a list: a barrier has to stand somewhere behind its first item and not behind its last. Going
//! through the list and placing one only where a stretch ends that has none gives as few as possible; in a loop that is done
//! until an iteration places the same as the iteration before.

use super::history::Need;
use super::known::PIPES;
use pto_isa::sort::SharedSort;

/// A stretch that needs a barrier: behind one item, in front of another.
#[derive(Clone, Copy, Debug)]
pub(super) struct BarrierRange {
    /// The index of the item with the first touch; in the iteration before where it is carried.
    pub from: usize,
    /// The index of the item with the second.
    pub at: usize,
    pub carried: bool,
    pub need: Need,
}

/// Turns that are tried before the barriers of two are taken together.
const ITERATIONS: usize = 6;

/// The stretches at whose ends barriers stand.
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

/// The barriers of one iteration; `last` is in front of which item each pipe finished for the last time.
fn place_iteration(
    stretches: &[BarrierRange],
    items: usize,
    number: usize,
    last: &mut [usize; PIPES],
) -> Vec<BarrierRange> {
    let mut placed = Vec::new();
    for stretch in stretches {
        let pipe = stretch.need.part.pipe();
        // Turns before the first count too, so that no number is below 0.
        let from = stretch.from + items * if stretch.carried { number } else { number + 1 };
        if !(stretch.carried && number == 0) && last[pipe] <= from {
            last[pipe] = stretch.at + items * (number + 1);
            placed.push(*stretch);
        }
    }
    placed
}
