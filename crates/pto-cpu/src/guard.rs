//! Order between accesses of threads to global memory.
//!
//! Blocks on different threads may touch the same bytes, and nothing in a PTO program need order that. On a device such a program
//! computes something; here two unordered accesses, one of them a write, would be a data race in Rust, whose behaviour is
//! undefined. So every access of a thread holds a lock for the part of the buffer that it touches: reads share it, writes have
//! it alone. A racy program then gives the result of one order or another, and nothing worse.
//!
//! A buffer has a few locks, each for a stripe of it. An access takes them in ascending order of buffers and stripes and gives
//! all of them back when it is done, so threads never wait for each other in a circle. Buffers that nothing writes need no
//! locks, nor do runs on one thread. Ranks in processes of their own that share memory have their locks there.

use crate::memory::Buffer;
use crate::prepared::MAX_VIEWS;
use std::sync::atomic::{AtomicU32, Ordering};

/// Most stripes of a buffer: what an access to all of it costs.
const MOST_STRIPES: usize = 1024;
/// Bytes of the smallest stripe, as a shift: smaller than most transfers would only be more locks.
const SMALLEST: u32 = 14;
/// Tries before the thread lets another one run.
const PATIENCE: u32 = 64;

/// Words from one lock to the next: each has its own cache line.
const WORDS_PER_LOCK: usize = 16;

/// A lock for several readers or one writer.
#[derive(Clone, Copy)]
struct Stripe<'a>(&'a AtomicU32);

/// The state of a lock that a writer has; otherwise it is the number of readers.
const WRITER: u32 = u32::MAX;

impl Stripe<'_> {
    fn lock(self, writes: bool) {
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
    fn try_lock(self, writes: bool) -> bool {
        let now = if writes { 0 } else { self.0.load(Ordering::Relaxed) };
        if now >= WRITER - 1 {
            return false;
        }
        let then = if writes { WRITER } else { now + 1 };
        self.0.compare_exchange_weak(now, then, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    fn unlock(self, writes: bool) {
        if writes {
            self.0.store(0, Ordering::Release);
        } else {
            self.0.fetch_sub(1, Ordering::Release);
        }
    }
}

/// Where locks lie: here, or in memory that several processes share.
enum LockWords<'a> {
    Own(Box<[AtomicU32]>),
    Lent(&'a [AtomicU32]),
}

impl LockWords<'_> {
    fn words(&self) -> &[AtomicU32] {
        match self {
            Self::Own(words) => words,
            Self::Lent(words) => words,
        }
    }
}

/// The locks of a buffer; none if nothing writes to it.
struct Stripes<'a> {
    words: LockWords<'a>,
    shift: u32,
}

/// How many locks a buffer has, and how many bytes each is for, as a shift.
fn lock_count(bytes: usize) -> (usize, u32) {
    if bytes == 0 {
        return (0, 0);
    }
    let shift = bytes.div_ceil(MOST_STRIPES).next_power_of_two().trailing_zeros().max(SMALLEST);
    (((bytes - 1) >> shift) + 1, shift)
}

/// The words that the locks of buffers with these sizes take, where several processes share them ([`PeerRanks`](crate::PeerRanks)).
pub fn lock_words(sizes: impl IntoIterator<Item = usize>) -> usize {
    sizes.into_iter().map(|bytes| lock_count(bytes).0 * WORDS_PER_LOCK).sum()
}

impl<'a> Stripes<'a> {
    fn new(buffer: &Buffer) -> Self {
        let is_written = buffer.writable && !buffer.is_fixed;
        let (count, shift) = if is_written { lock_count(buffer.bytes) } else { (0, 0) };
        Self { words: LockWords::Own((0..count * WORDS_PER_LOCK).map(|_| AtomicU32::new(0)).collect()), shift }
    }

    /// Takes the words of a buffer from those that are left. All processes count them alike, so it does not matter who may write.
    fn lent(buffer: &Buffer, left: &mut &'a [AtomicU32]) -> Self {
        let (count, shift) = lock_count(buffer.bytes);
        let (words, rest) = left.split_at((count * WORDS_PER_LOCK).min(left.len()));
        *left = rest;
        Self { words: LockWords::Lent(words), shift }
    }

    /// The stripes that have a byte of a range, as far as the range lies in the buffer.
    fn of(&self, (first, end): (i64, i64)) -> impl ExactSizeIterator<Item = Stripe<'_>> {
        let words = self.words.words();
        let last = (end.max(1) as usize - 1) >> self.shift;
        let first = first.max(0) as usize >> self.shift;
        let count = words.len() / WORDS_PER_LOCK;
        let range = first.min(count)..count.min(last.saturating_add(1)).max(first.min(count));
        words[range.start * WORDS_PER_LOCK..range.end * WORDS_PER_LOCK]
            .chunks_exact(WORDS_PER_LOCK)
            .map(|words| Stripe(&words[0]))
    }
}

/// The locks of all buffers of a run on several threads, or in several processes.
pub(crate) struct Guards<'a>(Vec<Stripes<'a>>);

/// Bytes of a buffer that an instruction touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Touched {
    pub buffer: usize,
    /// The first byte, and one past the last. They may lie outside of the buffer.
    pub bytes: (i64, i64),
    pub writes: bool,
}

/// Locks until it is dropped.
pub(crate) struct GuardLock<'a, const N: usize = MAX_VIEWS> {
    guards: &'a Guards<'a>,
    touched: [Option<Touched>; N],
}

impl<'a> Guards<'a> {
    pub fn new(buffers: &[Buffer]) -> Self {
        Self(buffers.iter().map(Stripes::new).collect())
    }

    /// Locks in words that other processes have, too.
    pub fn lent(buffers: &[Buffer], mut words: &'a [AtomicU32]) -> Self {
        Self(buffers.iter().map(|buffer| Stripes::lent(buffer, &mut words)).collect())
    }

    /// Waits until this thread may touch these bytes. Memory of the thread's own has no locks.
    pub fn hold<const N: usize>(&self, mut touched: [Option<Touched>; N]) -> GuardLock<'_, N> {
        touched.sort_unstable_by_key(|t| t.map_or(usize::MAX, |t| t.buffer));
        for at in 1..N {
            // A thread must not take a lock twice.
            if let (Some(a), Some(b)) = (touched[at - 1], touched[at])
                && a.buffer == b.buffer
            {
                touched[at - 1] = None;
                touched[at] = Some(a.and(b));
            }
        }
        let held = GuardLock { guards: self, touched };
        held.each(|stripe, writes| stripe.lock(writes));
        held
    }
}

impl Touched {
    fn and(self, other: Self) -> Self {
        let bytes = (self.bytes.0.min(other.bytes.0), self.bytes.1.max(other.bytes.1));
        Self { bytes, writes: self.writes || other.writes, ..self }
    }
}

impl<const N: usize> GuardLock<'_, N> {
    fn each(&self, act: fn(Stripe<'_>, bool)) {
        for touched in self.touched.iter().flatten() {
            let Some(stripes) = self.guards.0.get(touched.buffer) else { continue };
            stripes.of(touched.bytes).for_each(|stripe| act(stripe, touched.writes));
        }
    }
}

impl<const N: usize> Drop for GuardLock<'_, N> {
    fn drop(&mut self) {
        self.each(|stripe, writes| stripe.unlock(writes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::UnsafeCell;

    fn guards(sizes: &[usize]) -> Guards<'static> {
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
        assert_eq!((count(0, (0, 1 << 20)), count(1, (0, 1 << 30)), count(2, (0, 5))), (64, MOST_STRIPES, 1));
        assert_eq!((count(0, (-9, 1 << 40)), count(0, (1 << 40, 1 << 41)), count(2, (4, 4))), (64, 0, 1));
    }

    #[test]
    fn what_is_only_read_has_no_locks() {
        let guards = Guards::new(&[Buffer::read(&[1, 2, 3])]);
        assert!(guards.0[0].of((0, 3)).len() == 0);
    }

    #[test]
    fn lent_words_lock_as_own_ones() {
        let mut data = [vec![0u8; 1 << 20], vec![0; 5], vec![0; 40000]];
        let buffers: Vec<Buffer> = data.iter_mut().map(|d| Buffer::write(d)).collect();
        let words: Vec<AtomicU32> = (0..lock_words([1 << 20, 5, 40000])).map(|_| AtomicU32::new(0)).collect();
        let (mine, theirs) = (Guards::lent(&buffers, &words), Guards::lent(&buffers, &words));
        assert_eq!([0, 1, 2].map(|k| mine.0[k].of((0, 1 << 20)).len()), [64, 1, 3]);
        let held = mine.hold([touched(2, (0, 40000), true), None]);
        assert!(theirs.0[2].of((20000, 20001)).all(|stripe| !stripe.try_lock(false)));
        assert!(theirs.0[1].of((0, 5)).all(|stripe| stripe.try_lock(false)));
        drop(held);
        assert!(theirs.0[2].of((20000, 20001)).all(|stripe| stripe.try_lock(true)));
    }

    #[test]
    fn locks_of_one_buffer_are_taken_once() {
        let guards = guards(&[100, 100]);
        drop(guards.hold([touched(0, (0, 4), true), touched(0, (50, 60), false)]));
        drop(guards.hold([touched(1, (0, 4), true), touched(0, (50, 60), true)]));
        assert!(guards.0.iter().flat_map(|s| s.words.words()).all(|word| word.load(Ordering::Relaxed) == 0));
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
