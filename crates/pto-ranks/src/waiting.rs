//! Waiting for another process: first by looking, then by giving the processor away, then by sleeping.

use std::time::Duration;

/// Looks before the processor is given away.
const LOOKS: u32 = 200;
/// Looks before the process sleeps.
const YIELDS: u32 = 2_000;
/// How long it sleeps: at first, and at most.
const SHORT: Duration = Duration::from_micros(20);
const LONG: Duration = Duration::from_millis(1);

/// How often something was looked at in vain.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Patience {
    looks: u32,
    /// There are more ranks than cores: looking keeps another rank from its work.
    pub crowded: bool,
}

impl Patience {
    pub fn new(ranks: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, Into::into);
        Self { looks: 0, crowded: ranks > cores }
    }

    pub fn reset(&mut self) {
        self.looks = 0;
    }

    /// True when so much time has passed that details may be looked at.
    pub fn is_long(&self) -> bool {
        self.looks > YIELDS
    }

    /// Waits a little, and longer each time.
    pub fn wait(&mut self) {
        self.looks = self.looks.saturating_add(1);
        match self.looks {
            n if n <= LOOKS && !self.crowded => std::hint::spin_loop(),
            n if n <= YIELDS => std::thread::yield_now(),
            n => std::thread::sleep((SHORT * (n - YIELDS)).min(LONG)),
        }
    }
}
