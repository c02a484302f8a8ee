//! Times for benches.

use std::time::{Duration, Instant};

/// The shortest of several runs: the one least disturbed by others.
pub fn best(runs: u32, mut work: impl FnMut()) -> Duration {
    (0..runs)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}
