//! Time, on systems with a clock and on those whose caller lends one: WebAssembly in a browser has none of its own.

use std::time::Duration;

/// A moment, to measure from.
#[derive(Clone, Copy, Debug)]
pub struct ClockTime(now::Now);

impl ClockTime {
    /// This moment.
    pub fn now() -> Self {
        Self(now::now())
    }

    /// The time since.
    pub fn elapsed(self) -> Duration {
        now::since(self.0)
    }
}

#[cfg(not(target_family = "wasm"))]
mod now {
    use std::time::{Duration, Instant};

    pub(super) type Now = Instant;

    pub(super) fn now() -> Now {
        Instant::now()
    }

    pub(super) fn since(start: Now) -> Duration {
        start.elapsed()
    }
}

#[cfg(target_family = "wasm")]
mod now {
    use std::sync::OnceLock;
    use std::time::Duration;

    pub(super) type Now = Duration;
    pub(super) static CLOCK: OnceLock<fn() -> Duration> = OnceLock::new();

    pub(super) fn now() -> Now {
        CLOCK.get().map_or(Duration::ZERO, |clock| clock())
    }

    pub(super) fn since(start: Now) -> Duration {
        now().saturating_sub(start)
    }
}

/// Lends a clock: the time since any fixed moment. Without one, no time passes.
#[cfg(target_family = "wasm")]
pub fn set_clock(clock: fn() -> Duration) {
    // A second clock would make differences meaningless; the first one stays.
    let _ = now::CLOCK.set(clock);
}
