//! Pages of memory.

/// Asks the system to put the room of a vector into large pages. Large data that is filled once costs more in page faults than in
/// stores otherwise. Small vectors are left alone, and systems without such pages.
///
/// ```
/// let mut numbers: Vec<f32> = Vec::with_capacity(4 << 20);
/// pto_cpu::prefer_large_pages(&numbers);
/// numbers.resize(4 << 20, 1.0);
/// ```
pub fn prefer_large_pages<T>(room: &Vec<T>) {
    advise(room.as_ptr().cast(), room.capacity().saturating_mul(size_of::<T>()));
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#[expect(unsafe_code, reason = "a call of the system")]
fn advise(start: *const u8, bytes: usize) {
    use std::ffi::{c_int, c_void};
    /// Pages have this size nearly everywhere; on other systems the call fails, which is no harm.
    const SMALL: usize = 4096;
    const LARGE: usize = 2 << 20;
    const ADVICE_LARGE_PAGES: c_int = 14;
    // The crate `libc` would be a dependency for one function: see docs/dependencies.md.
    unsafe extern "C" {
        fn madvise(start: *mut c_void, length: usize, advice: c_int) -> c_int;
    }
    let skipped = start.addr().next_multiple_of(SMALL) - start.addr();
    let length = bytes.saturating_sub(skipped) / SMALL * SMALL;
    if length < 2 * LARGE {
        return;
    }
    // SAFETY: the pages lie inside of one allocation, and the advice changes nothing that a program can see.
    unsafe { madvise(start.add(skipped).cast_mut().cast(), length, ADVICE_LARGE_PAGES) };
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn advise(_start: *const u8, _bytes: usize) {}
