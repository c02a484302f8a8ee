//! Ctrl-C ends the search, not the command: the best program so far is still written.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Listens to Ctrl-C from now on. The second one ends the process.
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    #[cfg(unix)]
    pub(super) fn new() -> Self {
        use nix::sys::signal::{SigSet, Signal};
        let asked = Arc::new(AtomicBool::new(false));
        let mut signals = SigSet::empty();
        signals.add(Signal::SIGINT);
        // Threads that are started later inherit the mask, so one of them alone gets the signal.
        if signals.thread_block().is_ok() {
            let seen = Arc::clone(&asked);
            std::thread::spawn(move || {
                while signals.wait().is_ok() {
                    if seen.swap(true, Ordering::Relaxed) {
                        // As a shell reports a process that the signal ended.
                        std::process::exit(130);
                    }
                }
            });
        }
        Self(asked)
    }

    #[cfg(not(unix))]
    pub(super) fn new() -> Self {
        Self(Arc::default())
    }

    pub(super) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
