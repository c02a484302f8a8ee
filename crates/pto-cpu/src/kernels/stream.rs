//! Stores that go past the cache.
//!
//! A result that is larger than what a cache keeps until it is read again is written to memory directly: the processor
//! need not read the lines it is about to overwrite, and the inputs stay in the cache.

/// From this size on a buffer is not expected to be in the cache when it is read.
const LARGE_BUFFER: usize = 8 << 20;

/// Shorter runs do not fill enough lines to be worth it.
pub(super) const LONG_RUN: usize = 512;

/// Says whether long runs into a buffer of this many bytes go past the cache.
pub(super) fn is_worthwhile(buffer: usize) -> bool {
    cfg!(target_arch = "x86_64") && buffer > LARGE_BUFFER
}

/// Copies bytes past the cache. [`finish`] must follow before anyone reads them on another thread.
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
    const LINE: usize = 64;
    // Only whole lines are written past the cache; the ends are not.
    let head = to.align_offset(LINE).min(bytes);
    std::ptr::copy_nonoverlapping(from, to, head);
    let lines = (bytes - head) / LINE;
    for line in 0..lines {
        let (from, to) = (from.add(head + line * LINE).cast::<__m128i>(), to.add(head + line * LINE).cast::<__m128i>());
        let parts = [0, 1, 2, 3].map(|part| _mm_loadu_si128(from.add(part)));
        for (part, value) in parts.into_iter().enumerate() {
            _mm_stream_si128(to.add(part), value);
        }
    }
    let done = head + lines * LINE;
    std::ptr::copy_nonoverlapping(from.add(done), to.add(done), bytes - done);
}

/// Makes what [`copy`] wrote visible in the order of the program.
#[cfg(target_arch = "x86_64")]
pub(super) fn finish() {
    // SAFETY: every x86-64 processor has this instruction.
    unsafe { std::arch::x86_64::_mm_sfence() }
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    std::ptr::copy_nonoverlapping(from, to, bytes);
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn finish() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_start_and_length_is_copied_and_nothing_else() {
        let from: Vec<u8> = (0..400).map(|i| i as u8).collect();
        for start in 0..66 {
            for bytes in [0, 1, 63, 64, 65, 127, 128, 200, 300] {
                let mut to = vec![0xa5; 400];
                // SAFETY: both ranges lie in their vectors.
                unsafe { copy(from.as_ptr().add(3), to.as_mut_ptr().add(start), bytes) };
                finish();
                assert_eq!(to[start..start + bytes], from[3..3 + bytes]);
                assert!(to[..start].iter().chain(&to[start + bytes..]).all(|b| *b == 0xa5), "{start} {bytes}");
            }
        }
    }
}
