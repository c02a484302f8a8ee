//! The iterations of shared loops that a core has taken.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What is left of the loops that threads share.
pub(super) struct LoopsToShare {
    /// For each loop, the next iteration that nobody has taken, and how many are taken at a time.
    loops: Vec<(AtomicU64, u64)>,
    /// A thread has failed: no more is taken.
    failed: AtomicBool,
}

/// What a core executes of such loops.
#[derive(Default)]
pub(super) struct ShareOfLoops<'p> {
    left: Option<&'p LoopsToShare>,
    /// The iterations of the current loop that it has taken last.
    taken: Range<u64>,
    /// Instructions are those of another thread.
    pub skips: bool,
    /// Where the core is, in an order that all threads have in common: twice the number of loops before, and one more in a loop; and
    /// the iteration.
    pub place: (usize, u64),
}

impl LoopsToShare {
    /// Of loops with so many iterations, in about so many pieces.
    pub fn new(iterations: &[u64], pieces: u64) -> Self {
        let whole = |count: &u64| (AtomicU64::new(0), (count / pieces).max(1));
        Self { loops: iterations.iter().map(whole).collect(), failed: AtomicBool::new(false) }
    }

    /// No more is taken.
    pub fn fail(&self) {
        self.failed.store(true, Ordering::Relaxed);
    }
}

impl<'p> ShareOfLoops<'p> {
    /// Nothing is taken yet.
    pub fn of(left: &'p LoopsToShare) -> Self {
        Self { left: Some(left), ..Self::default() }
    }

    #[inline(always)]
    pub fn is_part(&self) -> bool {
        self.left.is_some()
    }

    /// An iteration of a loop begins, or the loop ends: `None`.
    pub fn enter(&mut self, of: usize, iteration: Option<u64>) {
        let Some(left) = self.left else { return };
        let Some(number) = iteration else {
            (self.taken, self.skips, self.place) = (0..0, false, (2 * of + 2, 0));
            return;
        };
        let (next, piece) = &left.loops[of];
        while number >= self.taken.end && !left.failed.load(Ordering::Relaxed) {
            let first = next.fetch_add(*piece, Ordering::Relaxed);
            self.taken = first..first.saturating_add(*piece);
        }
        self.skips = !self.taken.contains(&number);
        self.place = (2 * of + 1, number);
    }
}
