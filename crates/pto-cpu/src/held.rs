//! Memory that the caller of a run holds by address, and shares with others.

#![expect(unsafe_code, reason = "memory of another language is an address and a size")]

use crate::args::{Arg, Borrowed, Data};
use crate::memory::Buffer;

/// Memory by address: see [`Arg::held`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldMemory {
    ptr: *mut u8,
    bytes: usize,
    writable: bool,
}

// SAFETY: the contract of `Arg::held` is about all threads.
unsafe impl Send for HeldMemory {}
// SAFETY: as above.
unsafe impl Sync for HeldMemory {}

impl Arg<'_> {
    /// Memory that is held elsewhere, such as an array of Python, with elements of the type of the parameter ([`Arg::of`] states
    /// it). Several arguments may hold the same bytes: a run with such arguments uses one thread, and promises the compiler nothing
    /// about them.
    ///
    /// # Safety
    /// While the argument is used, `bytes` bytes from `ptr` on are one live allocation; nobody else writes them; nobody else reads
    /// them either if `writable`; and no Rust reference to them is used if `writable`, no exclusive one otherwise. Other arguments of
    /// the same run are not somebody else; if they overlap, each pointer may be used for the bytes of all of them. `ptr` may be anything
    /// if `bytes` is 0.
    pub unsafe fn held(ptr: *mut u8, bytes: usize, writable: bool) -> Self {
        let ptr = if bytes == 0 { std::ptr::NonNull::dangling().as_ptr() } else { ptr };
        Self::Memory(Borrowed::new(Data::Held(HeldMemory { ptr, bytes, writable }), None))
    }
}

impl HeldMemory {
    pub fn is_writable(&self) -> bool {
        self.writable
    }

    pub fn parts(&self) -> (*mut u8, usize) {
        (self.ptr, self.bytes)
    }

    pub fn read(&self) -> &[u8] {
        // SAFETY: by the contract of `Arg::held` the bytes are there and nobody writes them. The engine writes them only while a
        // run goes on, and keeps no such slice then.
        unsafe { std::slice::from_raw_parts(self.ptr, self.bytes) }
    }

    pub fn write(&mut self) -> Option<&mut [u8]> {
        // SAFETY: as in `read`, and nobody reads them. Of two arguments with the same bytes, only one is used at a time.
        self.writable.then(|| unsafe { std::slice::from_raw_parts_mut(self.ptr, self.bytes) })
    }
}

/// True if two arguments hold the same bytes and a run may write them.
pub(crate) fn share_bytes(args: &[Arg<'_>]) -> bool {
    let held = |arg: &Arg<'_>| match arg {
        Arg::Memory(Borrowed { data: Data::Held(held), .. }) => Some(*held),
        _ => None,
    };
    let all: Vec<HeldMemory> = args.iter().filter_map(held).collect();
    let range = |h: &HeldMemory| (h.ptr.addr(), h.ptr.addr() + h.bytes);
    all.iter().enumerate().any(|(at, a)| {
        let (first, end) = range(a);
        all[..at].iter().any(|b| {
            let (other_first, other_end) = range(b);
            (a.writable || b.writable) && first < other_end && other_first < end
        })
    })
}

/// Makes buffers that overlap parts of one, the first of them: for each buffer, the one that holds its bytes, and where they start in
/// it. Buffers that may be written in one place only stay apart.
pub(crate) fn join_shared(buffers: &mut [Buffer]) -> Vec<(usize, u64)> {
    let mut homes: Vec<(usize, u64)> = (0..buffers.len()).map(|at| (at, 0)).collect();
    let mut order: Vec<usize> =
        (0..buffers.len()).filter(|at| buffers[*at].bytes > 0 && buffers[*at].writable).collect();
    order.sort_unstable_by_key(|at| (buffers[*at].ptr.addr(), *at));
    let mut rest = &order[..];
    while let Some((&first, _)) = rest.split_first() {
        let start = buffers[first].ptr;
        let mut end = start.addr() + buffers[first].bytes;
        let mut count = 1;
        while let Some(&next) = rest.get(count).filter(|next| buffers[**next].ptr.addr() < end) {
            end = end.max(buffers[next].ptr.addr() + buffers[next].bytes);
            count += 1;
        }
        let (group, later) = rest.split_at(count);
        let home = group.iter().copied().min().unwrap_or(first);
        for &at in group {
            homes[at] = (home, (buffers[at].ptr.addr() - start.addr()) as u64);
        }
        if count > 1 {
            buffers[home] = Buffer { ptr: start, bytes: end - start.addr(), writable: true, is_fixed: false };
        }
        rest = later;
    }
    homes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_that_overlap_become_one() {
        let mut data = [0u8; 100];
        let ptr = data.as_mut_ptr();
        let buffer =
            |at: usize, bytes, writable| Buffer { ptr: ptr.wrapping_add(at), bytes, writable, is_fixed: false };
        let mut all =
            [buffer(60, 10, true), buffer(10, 20, true), buffer(20, 30, true), buffer(10, 40, false), Buffer::NONE];
        assert_eq!(join_shared(&mut all), [(0, 0), (1, 0), (1, 10), (3, 0), (4, 0)]);
        assert_eq!((all[1].ptr, all[1].bytes), (ptr.wrapping_add(10), 40));
        assert_eq!((all[0].bytes, all[2].bytes), (10, 30));
    }

    #[test]
    fn the_same_bytes_twice_are_noticed() {
        let mut data = [0u8; 64];
        let ptr = data.as_mut_ptr();
        // SAFETY: nothing else uses `data` until the end of the test.
        let arg = |at: usize, bytes, writable| unsafe { Arg::held(ptr.add(at), bytes, writable) };
        assert!(share_bytes(&[arg(0, 32, false), arg(16, 32, true)]));
        assert!(!share_bytes(&[arg(0, 32, false), arg(16, 32, false)]));
        assert!(!share_bytes(&[arg(0, 32, true), arg(32, 32, true), Arg::Int(3)]));
        assert!(!share_bytes(&[arg(0, 0, true), arg(0, 64, true)]));
    }
}
