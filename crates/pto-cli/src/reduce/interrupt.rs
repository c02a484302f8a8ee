//! Ctrl-C ends the search, not the command: the best program so far is still written.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Listens to Ctrl-C while it exists. The second one ends the process.
pub(super) struct Interrupt {
    asked: Arc<AtomicBool>,
    over: Arc<AtomicBool>,
}

impl Interrupt {
    #[cfg(unix)]
    pub(super) fn new() -> Self {
        let (asked, over) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let signals = interrupt();
        // Threads that are started later inherit the mask, so one of them alone gets the signal.
        if signals.thread_block().is_ok() {
            let (asked, over) = (Arc::clone(&asked), Arc::clone(&over));
            std::thread::spawn(move || {
                while signals.wait().is_ok() {
                    if over.load(Ordering::Relaxed) {
                        return pass_on();
                    }
                    if asked.swap(true, Ordering::Relaxed) {
                        // As a shell reports a process that the signal ended.
                        std::process::exit(130);
                    }
                }
            });
        }
        Self { asked, over }
    }

    #[cfg(not(unix))]
    pub(super) fn new() -> Self {
        Self { asked: Arc::default(), over: Arc::default() }
    }

    pub(super) fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        // The process may go on: the command is also called from Python.
        #[cfg(unix)]
        let _ = interrupt().thread_unblock();
    }
}

#[cfg(unix)]
fn interrupt() -> nix::sys::signal::SigSet {
    let mut signals = nix::sys::signal::SigSet::empty();
    signals.add(nix::sys::signal::Signal::SIGINT);
    signals
}

/// Gives a signal that came too late back to the process.
#[cfg(unix)]
fn pass_on() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::INT);
}
