//! Threads that wait between runs for the next one: starting them takes longer than many a run.
//!
//! All plans of a process share them. They never end; a run that finds them busy starts threads of its own.

#![expect(unsafe_code, reason = "work that borrows from its caller is handed to threads that outlive it")]

use std::any::Any;
use std::hint::spin_loop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// How long a thread looks for something before it lets others have the processor.
const ALONE: Duration = Duration::from_micros(50);

/// How long it looks before it sleeps, where that probably comes soon. To wake a thread takes many microseconds, and those that are awake by
/// then would sleep again: a short run on sixteen threads took ten times as long.
const SOON: Duration = Duration::from_millis(2);

/// Looks between two looks at the clock.
const LOOKS: u32 = 64;

/// Waits until something is there, awake at first.
fn wait_for<T>(awake: Duration, mut find: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        for _ in 0..LOOKS {
            if let Some(found) = find() {
                return found;
            }
            spin_loop();
        }
        match start.elapsed() {
            waited if waited >= awake => thread::park(),
            waited if waited >= ALONE => thread::yield_now(),
            _ => {}
        }
    }
}

/// Work on several threads.
type SharedWork<'a> = dyn Fn() + Sync + 'a;

/// Work for a thread that waits, and what counts those that have not finished it.
#[derive(Clone, Copy)]
struct HandedWork {
    work: *const SharedWork<'static>,
    unfinished: *const Unfinished,
}

// SAFETY: the work may be called from any thread, and `run` returns only when no thread uses either of them any more.
unsafe impl Send for HandedWork {}

/// Threads that have not finished yet.
struct Unfinished {
    count: AtomicUsize,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    caller: Thread,
}

impl Unfinished {
    fn wait(&self) {
        wait_for(SOON, || (self.count.load(Ordering::Acquire) == 0).then_some(()));
    }
}

/// Waits until all threads have finished, also if the caller panics meanwhile.
struct WaitForAll<'a>(&'a Unfinished);

impl Drop for WaitForAll<'_> {
    fn drop(&mut self) {
        self.0.wait();
    }
}

/// Where a thread finds its next job.
#[derive(Default)]
struct Mailbox {
    is_full: AtomicBool,
    job: Mutex<Option<HandedWork>>,
}

impl Mailbox {
    fn put(&self, job: HandedWork) {
        *self.job.lock().unwrap_or_else(PoisonError::into_inner) = Some(job);
        self.is_full.store(true, Ordering::Release);
    }

    fn wait(&self, awake: Duration) -> HandedWork {
        wait_for(awake, || {
            let is_full = self.is_full.load(Ordering::Relaxed) && self.is_full.swap(false, Ordering::Acquire);
            if is_full { self.job.lock().unwrap_or_else(PoisonError::into_inner).take() } else { None }
        })
    }
}

/// A thread that waits for work.
struct Worker {
    mailbox: Arc<Mailbox>,
    thread: Thread,
}

impl Worker {
    /// `None` if the system has no more threads.
    fn start() -> Option<Self> {
        let mailbox = Arc::new(Mailbox::default());
        let own = Arc::clone(&mailbox);
        let started = thread::Builder::new().name("pto".to_owned()).spawn(move || {
            let mut awake = ALONE;
            loop {
                let start = Instant::now();
                let job = own.wait(awake);
                // The next run comes as soon as this one.
                awake = if start.elapsed() < SOON { SOON } else { ALONE };
                finish(job);
            }
        });
        Some(Self { mailbox, thread: started.ok()?.thread().clone() })
    }
}

/// Does a job, and says so.
fn finish(job: HandedWork) {
    // SAFETY: `run` waits until the count is zero before what these point to goes away, and nothing is used after that.
    unsafe {
        let unfinished = &*job.unfinished;
        let done = catch_unwind(AssertUnwindSafe(|| (*job.work)()));
        if let Err(panic) = done {
            *unfinished.panic.lock().unwrap_or_else(PoisonError::into_inner) = Some(panic);
        }
        let caller = unfinished.caller.clone();
        unfinished.count.fetch_sub(1, Ordering::Release);
        caller.unpark();
    }
}

/// The threads that wait, and the process they belong to: a child that was forked has none of them.
struct WaitingThreads {
    process: u32,
    workers: Vec<Worker>,
}

static POOL: Mutex<WaitingThreads> = Mutex::new(WaitingThreads { process: 0, workers: Vec::new() });

/// Does the same work on so many threads, the caller's among them, and waits for all of them.
pub(super) fn run(threads: usize, work: &(dyn Fn() + Sync)) {
    let mut pool = match POOL.try_lock() {
        Ok(pool) => pool,
        Err(TryLockError::Poisoned(pool)) => pool.into_inner(),
        Err(TryLockError::WouldBlock) => return run_on_new_threads(threads, work),
    };
    if pool.process != std::process::id() {
        // Handles of threads that this process does not have.
        std::mem::forget(std::mem::take(&mut pool.workers));
        pool.process = std::process::id();
    }
    while pool.workers.len() + 1 < threads {
        let Some(worker) = Worker::start() else { break };
        pool.workers.push(worker);
    }
    let helpers = &pool.workers[..pool.workers.len().min(threads - 1)];
    let (count, caller) = (AtomicUsize::new(helpers.len()), thread::current());
    let unfinished = Unfinished { count, panic: Mutex::new(None), caller };
    // SAFETY: only the lifetime changes. Workers use the work until they have counted themselves as finished, and `WaitForAll` does not
    // let this function end before, neither by returning nor by unwinding.
    let erased = unsafe { std::mem::transmute::<*const SharedWork<'_>, *const SharedWork<'static>>(work) };
    {
        let _all = WaitForAll(&unfinished);
        for helper in helpers {
            helper.mailbox.put(HandedWork { work: erased, unfinished: &raw const unfinished });
            helper.thread.unpark();
        }
        work();
    }
    let panic = unfinished.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
    drop(pool);
    if let Some(panic) = panic {
        resume_unwind(panic);
    }
}

/// Other runs have the threads that wait.
fn run_on_new_threads(threads: usize, work: &(dyn Fn() + Sync)) {
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_threads_work_and_are_waited_for() {
        for threads in [1, 2, 5, 3] {
            let (calls, ids) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
            run(threads, &|| {
                thread::sleep(Duration::from_millis(2));
                calls.fetch_add(1, Ordering::Relaxed);
                ids.lock().expect("no panics").push(thread::current().id());
            });
            assert_eq!(calls.into_inner(), threads);
            let ids = ids.into_inner().expect("no panics");
            assert!(ids.iter().enumerate().all(|(at, id)| !ids[..at].contains(id)), "a thread worked twice");
        }
    }

    #[test]
    fn work_inside_of_work_and_beside_it() {
        let calls = AtomicUsize::new(0);
        let call = || {
            calls.fetch_add(1, Ordering::Relaxed);
        };
        run(2, &|| run(2, &call));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..50).for_each(|_| run(3, &call)));
            }
        });
        assert_eq!(calls.into_inner(), 4 + 4 * 50 * 3);
    }

    #[test]
    fn a_panic_of_any_thread_reaches_the_caller() {
        let caller = thread::current().id();
        for own in [true, false] {
            let fails = || run(3, &|| assert!((thread::current().id() == caller) != own, "planned"));
            let payload = catch_unwind(fails).expect_err("one of them panics");
            assert!(payload.is::<&str>() || payload.is::<String>());
        }
        all_threads_work_and_are_waited_for();
    }
}
