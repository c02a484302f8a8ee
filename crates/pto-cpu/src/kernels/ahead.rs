//! Memory that is needed soon.

/// Bytes of a line of the cache.
pub(crate) const LINE: usize = 64;

/// Fetches lines from an address on into the cache; lines that are going to be written are claimed at once.
/// Nothing else happens, whatever lies there.
#[inline(always)]
pub(crate) fn fetch(from: *const u8, lines: usize, to_write: bool) {
    #[cfg(target_arch = "x86_64")]
    for line in 0..lines {
        let at = from.wrapping_add(line * LINE);
        // SAFETY: these instructions never fault, wherever the address points; processors that do not know the second one ignore it.
        unsafe {
            if to_write {
                std::arch::asm!("prefetchw [{0}]", in(reg) at, options(nostack, preserves_flags, readonly));
            } else {
                std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(at.cast());
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (from, lines, to_write);
}
