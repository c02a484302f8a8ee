//! Order between accesses of threads to global memory.
//!
//! Blocks on different threads may touch the same bytes, and nothing in a PTO program need order that. On a device such a program
//! computes something; here two unordered accesses, one of them a write, would be a data race in Rust, whose behaviour is
//! undefined. So every access of a thread holds a lock for the part of the buffer that it touches: reads share it, writes have
//! it alone. A racy program then gives the result of one order or another, and nothing worse.
//!
//! A buffer has a few locks, each for a stripe of it. An access takes them in ascending order of buffers and stripes and gives
//! all of them back when it is done, so threads never wait for each other in a circle. Buffers that may not be written need no
//! locks, nor do runs on one thread.

use crate::memory::Buffer;
use crate::prepared::MAX_VIEWS;
use std::sync::atomic::{AtomicU32, Ordering};

/// Most stripes of a buffer: what an access to all of it costs.
const MOST_STRIPES: usize = 128;
/// Bytes of the smallest stripe, as a shift: smaller than most transfers would only be more locks.
const SMALLEST: u32 = 14;
/// Tries before the thread lets another one run.
const PATIENCE: u32 = 64;

/// A lock for several readers or one writer. It has its own cache line.
#[derive(Default)]
#[repr(align(64))]
struct Stripe(AtomicU32);

/// The state of a lock that a writer has; otherwise it is the number of readers.
const WRITER: u32 = u32::MAX;

impl Stripe {
    fn lock(&self, writes: bool) {
        let mut tries = 0;
        while !self.try_lock(writes) {
            tries += 1;
            if tries % PATIENCE == 0 {
                std::thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
    }

    #[inline]
    fn try_lock(&self, writes: bool) -> bool {
        let now = if writes { 0 } else { self.0.load(Ordering::Relaxed) };
        if now >= WRITER - 1 {
            return false;
        }
        let then = if writes { WRITER } else { now + 1 };
        self.0.compare_exchange_weak(now, then, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    fn unlock(&self, writes: bool) {
        if writes {
            self.0.store(0, Ordering::Release);
        } else {
            self.0.fetch_sub(1, Ordering::Release);
        }
    }
}

/// The locks of a buffer; none if nothing writes to it.
struct Stripes {
    locks: Box<[Stripe]>,
    shift: u32,
}

impl Stripes {
    fn new(buffer: &Buffer) -> Self {
        if !buffer.writable || buffer.bytes == 0 {
            return Self { locks: Box::default(), shift: 0 };
        }
        let shift = buffer.bytes.div_ceil(MOST_STRIPES).next_power_of_two().trailing_zeros().max(SMALLEST);
        let count = ((buffer.bytes - 1) >> shift) + 1;
        Self { locks: (0..count).map(|_| Stripe::default()).collect(), shift }
    }

    /// The stripes that have a byte of a range, as far as the range lies in the buffer.
    fn of(&self, (first, end): (i64, i64)) -> &[Stripe] {
        let last = (end.max(1) as usize - 1) >> self.shift;
        let first = first.max(0) as usize >> self.shift;
        self.locks.get(first..self.locks.len().min(last + 1)).unwrap_or_default()
    }
}

/// The locks of all buffers of a run on several threads.
pub(crate) struct Guards(Vec<Stripes>);

/// Bytes of a buffer that an instruction touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Touched {
    pub buffer: usize,
    /// The first byte, and one past the last. They may lie outside of the buffer.
    pub bytes: (i64, i64),
    pub writes: bool,
}

/// Locks until it is dropped.
pub(crate) struct GuardLock<'a> {
    guards: &'a Guards,
    touched: [Option<Touched>; MAX_VIEWS],
}

impl Guards {
    pub fn new(buffers: &[Buffer]) -> Self {
        Self(buffers.iter().map(Stripes::new).collect())
    }

    /// Waits until this thread may touch these bytes. Memory of the thread's own has no locks.
    pub fn hold(&self, touched: [Option<Touched>; MAX_VIEWS]) -> GuardLock<'_> {
        let touched = match touched {
            // Both at once: a thread must not take a lock twice.
            [Some(a), Some(b)] if a.buffer == b.buffer => [Some(a.and(b)), None],
            [Some(a), Some(b)] if a.buffer > b.buffer => [Some(b), Some(a)],
            other => other,
        };
        let held = GuardLock { guards: self, touched };
        held.each(Stripe::lock);
        held
    }
}

impl Touched {
    fn and(self, other: Self) -> Self {
        let bytes = (self.bytes.0.min(other.bytes.0), self.bytes.1.max(other.bytes.1));
        Self { bytes, writes: self.writes || other.writes, ..self }
    }
}

impl GuardLock<'_> {
    fn each(&self, act: fn(&Stripe, bool)) {
        for touched in self.touched.iter().flatten() {
            let stripes = self.guards.0.get(touched.buffer).map_or(&[][..], |s| s.of(touched.bytes));
            stripes.iter().for_each(|stripe| act(stripe, touched.writes));
        }
    }
}

impl Drop for GuardLock<'_> {
    fn drop(&mut self) {
        self.each(Stripe::unlock);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::UnsafeCell;

    fn guards(sizes: &[usize]) -> Guards {
        let mut data: Vec<Vec<u8>> = sizes.iter().map(|n| vec![0; *n]).collect();
        Guards::new(&data.iter_mut().map(|d| Buffer::write(d)).collect::<Vec<_>>())
    }

    fn touched(buffer: usize, bytes: (i64, i64), writes: bool) -> Option<Touched> {
        Some(Touched { buffer, bytes, writes })
    }

    #[test]
    fn stripes_cover_the_bytes_of_a_range() {
        let guards = guards(&[1 << 20, 1 << 30, 5]);
        let count = |buffer: usize, bytes| guards.0[buffer].of(bytes).len();
        assert_eq!((count(0, (0, 1)), count(0, (0, 1 << 14)), count(0, (0, (1 << 14) + 1))), (1, 1, 2));
        assert_eq!((count(0, (0, 1 << 20)), count(1, (0, 1 << 30)), count(2, (0, 5))), (64, 128, 1));
        assert_eq!((count(0, (-9, 1 << 40)), count(0, (1 << 40, 1 << 41)), count(2, (4, 4))), (64, 0, 1));
    }

    #[test]
    fn what_is_only_read_has_no_locks() {
        let guards = Guards::new(&[Buffer::read(&[1, 2, 3])]);
        assert!(guards.0[0].of((0, 3)).is_empty());
    }

    #[test]
    fn locks_of_one_buffer_are_taken_once() {
        let guards = guards(&[100, 100]);
        drop(guards.hold([touched(0, (0, 4), true), touched(0, (50, 60), false)]));
        drop(guards.hold([touched(1, (0, 4), true), touched(0, (50, 60), true)]));
        assert!(guards.0.iter().flat_map(|s| &s.locks).all(|s| s.0.load(Ordering::Relaxed) == 0));
    }

    /// A counter that only its lock protects.
    struct Counter(UnsafeCell<u64>);

    // SAFETY: `Counter` is only touched under a write lock.
    #[expect(unsafe_code, reason = "what the locks are for")]
    unsafe impl Sync for Counter {}

    #[test]
    #[expect(unsafe_code, reason = "what the locks are for")]
    fn writers_exclude_each_other() {
        let (guards, counter) = (guards(&[1 << 20, 64]), Counter(UnsafeCell::new(0)));
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (guards, counter) = (&guards, &counter);
                scope.spawn(move || {
                    for iteration in 0..2000 {
                        let other = touched(0, ((iteration % 7) << 14, 5 << 14), thread % 2 == 0);
                        let word = touched(1, (0, 8), true);
                        let _held = guards.hold(if iteration % 2 == 0 { [other, word] } else { [word, other] });
                        // SAFETY: the lock of the second buffer is held for writing.
                        unsafe { *counter.0.get() += 1 };
                    }
                });
            }
        });
        assert_eq!(counter.0.into_inner(), 8000);
    }
}
