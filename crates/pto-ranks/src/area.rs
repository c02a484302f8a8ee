//! Memory that several processes share.

#![expect(unsafe_code, reason = "memory that other processes change is reached by address")]

use memmap2::{MmapOptions, MmapRaw};
use pto_mpi::MpiWindow;
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Memory that several processes have.
pub(crate) struct SharedArea<'m> {
    start: *mut u8,
    bytes: usize,
    owner: AreaOwner<'m>,
}

/// What keeps the memory.
enum AreaOwner<'m> {
    /// A file without a name, which is gone with the last process that has it.
    File(File, #[expect(dead_code, reason = "kept until the end")] MmapRaw),
    /// The memory of rank 0 in a window of MPI.
    Window(#[expect(dead_code, reason = "kept until the end")] MpiWindow<'m>),
}

// SAFETY: the memory belongs to what is kept with it, and other processes have it as well as other threads: it is touched as atomic
// words, by copies, and through `address`.
unsafe impl Send for SharedArea<'_> {}
// SAFETY: as above.
unsafe impl Sync for SharedArea<'_> {}

impl<'m> SharedArea<'m> {
    /// New memory, all zero.
    pub fn create(bytes: usize) -> io::Result<Self> {
        let file = unnamed_file()?;
        file.set_len(bytes as u64)?;
        Self::of(file)
    }

    /// The memory of a file that another process has opened.
    pub fn of(file: File) -> io::Result<Self> {
        let map = MmapOptions::new().map_raw(&file)?;
        Ok(Self { start: map.as_mut_ptr(), bytes: map.len(), owner: AreaOwner::File(file, map) })
    }

    /// The memory that rank 0 has in a window, if all ranks reach it directly.
    pub fn of_window(window: MpiWindow<'m>) -> Option<Self> {
        let (start, bytes) = window.peer_memory(0)?;
        Some(Self { start, bytes, owner: AreaOwner::Window(window) })
    }

    pub fn file(&self) -> Option<&File> {
        match &self.owner {
            AreaOwner::File(file, _) => Some(file),
            AreaOwner::Window(_) => None,
        }
    }

    /// Words that any process may change.
    pub fn words(&self, first: usize, count: usize) -> &[AtomicU32] {
        self.check(first, count * 4, 4);
        // SAFETY: the words lie in the mapping and are aligned, every pattern of bits is a number, and all processes
        // touch them as atomic words only.
        unsafe { std::slice::from_raw_parts(self.start.add(first).cast(), count) }
    }

    /// The same for a word of 64 bits.
    pub fn long(&self, first: usize) -> &AtomicU64 {
        self.check(first, 8, 8);
        // SAFETY: as above.
        unsafe { &*self.start.add(first).cast() }
    }

    /// Copies bytes into the memory. Another process that has them at the same time sees old or new ones.
    pub fn write(&self, first: usize, bytes: &[u8]) {
        self.check(first, bytes.len(), 1);
        // SAFETY: the bytes lie in the mapping, and no reference to them exists.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.start.add(first), bytes.len()) }
    }

    /// Copies bytes out of the memory.
    pub fn read(&self, first: usize, bytes: &mut [u8]) {
        self.check(first, bytes.len(), 1);
        // SAFETY: as above.
        unsafe { std::ptr::copy_nonoverlapping(self.start.add(first), bytes.as_mut_ptr(), bytes.len()) }
    }

    /// Where bytes lie in this process.
    pub fn address(&self, first: usize, bytes: usize) -> *mut u8 {
        self.check(first, bytes, 1);
        self.start.wrapping_add(first)
    }

    fn check(&self, first: usize, bytes: usize, align: usize) {
        let end = first.checked_add(bytes);
        assert!(end.is_some_and(|end| end <= self.bytes) && first.is_multiple_of(align), "inside the shared memory");
    }
}

#[cfg(target_os = "linux")]
fn unnamed_file() -> io::Result<File> {
    // Without close-on-exec: the processes of the ranks inherit it.
    Ok(rustix::fs::memfd_create(c"pto-ranks", rustix::fs::MemfdFlags::empty())?.into())
}

#[cfg(not(target_os = "linux"))]
fn unnamed_file() -> io::Result<File> {
    tempfile::tempfile()
}
