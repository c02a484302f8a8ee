//! Ctrl-C while the GIL is released: the calling thread asks Python about signals now and then.

use pto::isa::cancel::cancellable;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ThreadId;
use std::time::Instant;

/// Milliseconds between two questions.
const EVERY: u64 = 20;

/// Whether a signal handler of Python raised an exception while something ran.
pub(crate) struct Interrupt {
    caller: ThreadId,
    start: Instant,
    asked: AtomicU64,
    is_raised: AtomicBool,
    exception: Mutex<Option<PyErr>>,
}

impl Interrupt {
    pub(crate) fn new() -> Self {
        Self {
            caller: std::thread::current().id(),
            start: Instant::now(),
            asked: AtomicU64::new(0),
            is_raised: AtomicBool::new(false),
            exception: Mutex::new(None),
        }
    }

    /// True once a handler raised something. Other threads than the calling one only hear of it.
    pub(crate) fn is_raised(&self) -> bool {
        if self.is_raised.load(Ordering::Relaxed) {
            return true;
        }
        let now = self.start.elapsed().as_millis() as u64;
        if now < self.asked.load(Ordering::Relaxed) + EVERY || std::thread::current().id() != self.caller {
            return false;
        }
        self.asked.store(now, Ordering::Relaxed);
        let Some(Err(exception)) = Python::try_attach(|py| py.check_signals()) else { return false };
        *self.exception.lock().unwrap_or_else(PoisonError::into_inner) = Some(exception);
        self.is_raised.store(true, Ordering::Relaxed);
        true
    }

    /// How long it has been, in seconds.
    pub(crate) fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// What was raised.
    pub(crate) fn take_exception(&self) -> Option<PyErr> {
        self.exception.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Works without the GIL. An analysis that polls ends early if a signal handler raises something, and that is raised.
pub(crate) fn interruptible<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| {
        let interrupt = Arc::new(Interrupt::new());
        let asked = interrupt.clone();
        cancellable(move || asked.is_raised(), work).map_err(|_| interrupt.take_exception())
    })
    .map_err(|raised| raised.unwrap_or_else(|| PyKeyboardInterrupt::new_err(())))
}
