//! Ends long work early when nobody waits for its result any more, such as after Ctrl-C in Python.
//!
//! Analyses call [`poll`] in their loops; [`cancellable`] runs one with a question that polls ask. If the answer is yes, the work
//! unwinds to [`cancellable`], so that no signature in between has an error that one caller alone can cause. Without a question, a
//! poll reads a thread-local variable. Work on other threads is not asked.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

/// Asks whether to go on.
type CancelQuestion = Rc<dyn Fn() -> bool>;

thread_local! {
    static QUESTION: RefCell<Option<CancelQuestion>> = const { RefCell::new(None) };
}

/// The work was cancelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cancelled;

/// Does work that ends at the next [`poll`] after `is_cancelled` says so. Where panics abort, nothing is cancelled.
///
/// ```
/// use pto_isa::cancel::{Cancelled, cancellable, poll};
///
/// let endless = || loop {
///     poll();
/// };
/// assert_eq!(cancellable(|| true, endless), Err(Cancelled));
/// assert_eq!(cancellable(|| true, || 1), Ok(1));
/// ```
///
/// # Errors
/// If the work was cancelled.
pub fn cancellable<T>(is_cancelled: impl Fn() -> bool + 'static, work: impl FnOnce() -> T) -> Result<T, Cancelled> {
    if cfg!(panic = "abort") {
        return Ok(work());
    }
    let outer = QUESTION.replace(Some(Rc::new(is_cancelled)));
    // What the work changed is dropped with it, or belongs to a caller that gets no result.
    let done = catch_unwind(AssertUnwindSafe(work));
    QUESTION.set(outer);
    done.or_else(|payload| if payload.is::<Cancelled>() { Err(Cancelled) } else { resume_unwind(payload) })
}

/// Ends the work around if it was cancelled.
#[inline]
pub fn poll() {
    QUESTION.with(|question| {
        if question.borrow().is_some() {
            ask(question);
        }
    });
}

#[cold]
fn ask(question: &RefCell<Option<CancelQuestion>>) {
    // Not borrowed while it is asked: it may do work of its own.
    let asked = question.borrow().clone();
    if asked.is_some_and(|asked| asked()) {
        resume_unwind(Box::new(Cancelled));
    }
}
