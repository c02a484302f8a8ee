//! Where a pipe that overlaps its own instructions finishes what it has.
//!
//! Each need is a stretch of a list: a barrier has to stand somewhere behind its first item and not behind its last. Going
//! through the list and placing one only where a stretch ends that has none gives as few as possible; in a loop that is done
//! until a turn places the same as the turn before.

use super::history::Need;
use super::known::LANES;

/// A stretch that needs a barrier: behind one item, in front of another.
#[derive(Clone, Copy, Debug)]
pub(super) struct BarrierRange {
    /// The index of the item with the first touch; in the turn before where it is carried.
    pub from: usize,
    /// The index of the item with the second.
    pub at: usize,
    pub carried: bool,
    pub need: Need,
}

/// Turns that are tried before the barriers of two are taken together.
const TURNS: usize = 6;

/// The stretches at whose ends barriers stand.
pub(super) fn place(stretches: &[BarrierRange], items: usize) -> Vec<BarrierRange> {
    let mut sorted = stretches.to_vec();
    sorted.sort_by_key(|s| (s.at, s.need.part.lane()));
    let mut last = [0; LANES];
    let mut placed = turn(&sorted, items, 0, &mut last);
    if !sorted.iter().any(|s| s.carried) {
        return placed;
    }
    for number in 1..TURNS {
        let next = turn(&sorted, items, number, &mut last);
        let places = |list: &[BarrierRange]| list.iter().map(|s| (s.at, s.need.part.lane())).collect::<Vec<_>>();
        if places(&next) == places(&placed) {
            return next;
        }
        if number + 1 == TURNS {
            placed.extend(next);
            placed.sort_by_key(|s| (s.at, s.need.part.lane()));
            placed.dedup_by_key(|s| (s.at, s.need.part.lane()));
        } else {
            placed = next;
        }
    }
    placed
}

/// The barriers of one turn; `last` is in front of which item each pipe finished for the last time.
fn turn(stretches: &[BarrierRange], items: usize, number: usize, last: &mut [usize; LANES]) -> Vec<BarrierRange> {
    let mut placed = Vec::new();
    for stretch in stretches {
        let lane = stretch.need.part.lane();
        // Turns before the first count too, so that no number is below 0.
        let from = stretch.from + items * if stretch.carried { number } else { number + 1 };
        if !(stretch.carried && number == 0) && last[lane] <= from {
            last[lane] = stretch.at + items * (number + 1);
            placed.push(*stretch);
        }
    }
    placed
}
