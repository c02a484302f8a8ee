//! Long copies from and to buffers that are larger than the cache.
//!
//! Stores bypass the cache: the processor need not read the lines that it overwrites, and inputs stay in the cache. Loads
//! prefetch a little ahead, because the next window usually follows this one.

#[cfg(target_arch = "x86_64")]
use pto_num::CpuLevel;
use pto_num::{Level, LevelKernel, dispatch};
use pto_vector::ViewRef;

/// From this size on a buffer is not expected to be in the cache when it is read.
const LARGE_BUFFER: usize = 8 << 20;

/// Shorter runs do not fill enough lines to be worth it.
pub(super) const LONG_RUN: usize = 512;

/// How far ahead loads look, in bytes.
#[cfg(target_arch = "x86_64")]
const AHEAD: usize = 8 << 10;

/// The cache behaviour of a copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cache {
    /// Nothing.
    Ordinary,
    /// The source is large.
    From,
    /// The destination is large.
    To,
}

impl Cache {
    /// For a load from a buffer of this many bytes.
    pub fn of_load(buffer: usize) -> Self {
        if buffer > LARGE_BUFFER { Self::From } else { Self::Ordinary }
    }

    /// For a store to this window.
    pub fn of_store(window: &ViewRef) -> Self {
        if window.bytes() > LARGE_BUFFER && !window.is_read_soon() { Self::To } else { Self::Ordinary }
    }
}

/// Copies a long run. After all copies to a large destination, [`finish`] must follow. The processor must have the level.
///
/// # Safety
/// All elements that the other arguments count must be readable at `from` and writable at `to`; the processor must have the
/// instructions of this level.
#[inline]
pub(super) unsafe fn copy<L: Level>(from: *const u8, to: *mut u8, bytes: usize, cache: Cache) {
    // SAFETY: the caller answers for the elements at `from` and `to`; the processor has the instructions of this level.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        match cache {
            Cache::From if matches!(L::CPU, CpuLevel::V4) => return x86::ahead_v4(from, to, bytes),
            Cache::To if matches!(L::CPU, CpuLevel::V4) => return x86::past_v4(from, to, bytes),
            Cache::To => return x86::past(from, to, bytes),
            _ => {}
        }
        let _ = cache;
        std::ptr::copy_nonoverlapping(from, to, bytes);
    }
}

/// Appends bytes to data that is not read soon.
pub(crate) fn append(bytes: &[u8], to: &mut Vec<u8>) {
    struct AppendedBytes<'a>(&'a [u8], &'a mut Vec<u8>);
    impl LevelKernel for AppendedBytes<'_> {
        type Output = ();

        #[inline(always)]
        fn run<L: Level>(self) {
            let Self(bytes, to) = self;
            to.reserve(bytes.len());
            // SAFETY: there is room for the bytes after those that are there, and the processor has the level.
            unsafe {
                copy::<L>(bytes.as_ptr(), to.as_mut_ptr().add(to.len()), bytes.len(), Cache::To);
                to.set_len(to.len() + bytes.len());
            }
        }
    }
    if bytes.len() < LONG_RUN {
        return to.extend_from_slice(bytes);
    }
    dispatch(AppendedBytes(bytes, to));
    finish();
}

/// Copies bytes past the cache. After all copies, [`finish`] must follow.
///
/// # Safety
/// So many bytes must be readable at `from` and writable at `to`.
pub(crate) unsafe fn copy_past(from: *const u8, to: *mut u8, bytes: usize) {
    struct CopyPast(*const u8, *mut u8, usize);
    impl LevelKernel for CopyPast {
        type Output = ();

        #[inline(always)]
        fn run<L: Level>(self) {
            // SAFETY: as the caller of `copy_past` says, and the processor has the level.
            unsafe { copy::<L>(self.0, self.1, self.2, Cache::To) }
        }
    }
    dispatch(CopyPast(from, to, bytes));
}

/// Makes what went past the cache visible in the order of the program.
pub(crate) fn finish() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has this instruction.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::AHEAD;
    use std::arch::x86_64::*;
    use std::ptr::copy_nonoverlapping;

    const LINE: usize = 64;

    /// Calls `line` for every whole line, with the byte it starts at, and copies the ends: `head` bytes are before the first line.
    ///
    /// # Safety
    /// All elements that the other arguments count must be readable at `from` and writable at `to`.
    #[inline(always)]
    unsafe fn lines(from: *const u8, to: *mut u8, bytes: usize, head: usize, line: impl Fn(usize)) {
        // SAFETY: the caller answers for the elements at `from` and `to`.
        unsafe {
            let head = head.min(bytes);
            copy_nonoverlapping(from, to, head);
            let done = head + (bytes - head) / LINE * LINE;
            (head..done).step_by(LINE).for_each(line);
            copy_nonoverlapping(from.add(done), to.add(done), bytes - done);
        }
    }

    /// # Safety
    /// All elements that the other arguments count must be readable at `from` and writable at `to`.
    pub unsafe fn past(from: *const u8, to: *mut u8, bytes: usize) {
        // SAFETY: the caller answers for the elements at `from` and `to`.
        unsafe {
            lines(from, to, bytes, to.align_offset(LINE), |at| {
                let (from, to) = (from.add(at).cast::<__m128i>(), to.add(at).cast::<__m128i>());
                let parts = [0, 1, 2, 3].map(|part| _mm_loadu_si128(from.add(part)));
                for (part, value) in parts.into_iter().enumerate() {
                    _mm_stream_si128(to.add(part), value);
                }
            });
        }
    }

    /// # Safety
    /// All elements that the other arguments count must be readable at `from` and writable at `to`; the processor must have
    /// the instructions of this level.
    #[target_feature(enable = "avx512f")]
    pub unsafe fn past_v4(from: *const u8, to: *mut u8, bytes: usize) {
        // SAFETY: the caller answers for the elements at `from` and `to`; the processor has the instructions of this
        // level.
        unsafe {
            lines(from, to, bytes, to.align_offset(LINE), |at| {
                _mm512_stream_si512(to.add(at).cast(), _mm512_loadu_si512(from.add(at).cast()));
            });
        }
    }

    /// # Safety
    /// All elements that the other arguments count must be readable at `from` and writable at `to`; the processor must have
    /// the instructions of this level.
    #[target_feature(enable = "avx512f")]
    pub unsafe fn ahead_v4(from: *const u8, to: *mut u8, bytes: usize) {
        // SAFETY: the caller answers for the elements at `from` and `to`; the processor has the instructions of this
        // level.
        unsafe {
            // Whole lines of the side that is far away.
            lines(from, to, bytes, from.align_offset(LINE), |at| {
                // Never faults, wherever it points.
                _mm_prefetch::<_MM_HINT_T1>(from.wrapping_add(at + AHEAD).cast());
                _mm512_storeu_si512(to.add(at).cast(), _mm512_load_si512(from.add(at).cast()));
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pto_num::{CpuLevel, dispatch_at};

    /// A copy from one slice to the start of another.
    struct SliceCopy<'a>(&'a [u8], &'a mut [u8], Cache);

    impl LevelKernel for SliceCopy<'_> {
        type Output = ();

        #[inline(always)]
        fn run<L: Level>(self) {
            assert!(self.0.len() <= self.1.len());
            // SAFETY: the destination has room, and the processor has the level.
            unsafe { copy::<L>(self.0.as_ptr(), self.1.as_mut_ptr(), self.0.len(), self.2) };
            finish();
        }
    }

    #[test]
    fn every_start_and_length_is_copied_and_nothing_else() {
        let from: Vec<u8> = (0..400).map(|i| i as u8).collect();
        let caches = [Cache::Ordinary, Cache::From, Cache::To];
        for (level, cache) in CpuLevel::ALL.into_iter().flat_map(|level| caches.map(|cache| (level, cache))) {
            for (start, bytes) in (0..66).flat_map(|s| [0, 1, 63, 64, 65, 127, 128, 200, 300].map(|b| (s, b))) {
                let mut to = vec![0xa5; 400];
                dispatch_at(level, SliceCopy(&from[3..3 + bytes], &mut to[start..], cache));
                assert_eq!(to[start..start + bytes], from[3..3 + bytes]);
                assert!(to[..start].iter().chain(&to[start + bytes..]).all(|b| *b == 0xa5), "{start} {bytes}");
            }
        }
    }
}
