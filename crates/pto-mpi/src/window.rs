//! Memory that every rank accesses without the help of its owner.

#![expect(unsafe_code, reason = "calls of MPI, and memory that it allocates")]

use crate::calls::{MpiCalls, MpiHandle};
use crate::constants::{MpiElement, MpiOp};
use crate::direct;
use crate::error::MpiError;
use crate::mpi::{Mpi, int};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::fence;

/// Parts start at pages, so that elements are aligned and neighbours share no cache line. MPI gives any address.
const PAGE: usize = 4096;

/// How a window is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MpiWindowKind {
    /// Memory that all ranks share, accessed directly: all ranks are on one machine.
    Shared,
    /// Memory that is accessed by calls of MPI.
    Allocated,
}

/// Memory of all ranks, each of which owns a part. It is allocated by [`Mpi::window`], and freed when all ranks drop it.
///
/// An access is to `offset` bytes from the start of the part of `rank`, which may be the own one. Plain accesses that
/// overlap need an order: `put`, [`flush`](Self::flush), then an atomic word that the reader waits for.
///
/// Words and [`accumulate`](Self::accumulate) are atomic with each other for elements of one size. With plain loads and stores
/// of the owner they are if the kind is [`MpiWindowKind::Shared`] and the owner uses atomic instructions too.
pub struct MpiWindow<'a> {
    mpi: &'a Mpi,
    win: MpiHandle,
    kind: MpiWindowKind,
    /// The own part.
    base: *mut u8,
    /// The parts of all ranks, if shared.
    bases: Vec<*mut u8>,
    /// Where they start in what MPI allocated.
    starts: Vec<usize>,
    /// Their sizes.
    sizes: Vec<usize>,
}

// SAFETY: the pointers are to memory that stays until the window is dropped, and are followed by functions that take turns
// (calls of MPI) or leave the order of accesses to their callers, who are other processes just as well as other threads.
unsafe impl Send for MpiWindow<'_> {}
// SAFETY: as above.
unsafe impl Sync for MpiWindow<'_> {}

impl Mpi {
    /// Allocates memory that all ranks can access, `bytes` here (the number may differ between ranks). It is zero. Shared
    /// memory if all ranks are on one machine. All ranks call it.
    pub fn window(&self, bytes: usize) -> Result<MpiWindow<'_>, MpiError> {
        let kind = if self.all_on_one_machine() { MpiWindowKind::Shared } else { MpiWindowKind::Allocated };
        self.window_of(kind, bytes)
    }

    /// Like [`Mpi::window`], of a kind that the caller chooses, the same at all ranks. Memory is shared only
    /// if all ranks are on one machine.
    pub fn window_of(&self, kind: MpiWindowKind, bytes: usize) -> Result<MpiWindow<'_>, MpiError> {
        // Some libraries give memory that is not shared then.
        if kind == MpiWindowKind::Shared && !self.all_on_one_machine() {
            return Err(MpiError::SeveralMachines);
        }
        let sizes = self.all_gather_sizes(bytes)?;
        self.check_memory(&sizes)?;
        let (info, comm) = (self.constants.info_null, self.comm());
        let size = bytes.saturating_add(PAGE).next_multiple_of(PAGE).cast_signed();
        let mut base: *mut c_void = null_mut();
        let mut win = MpiHandle::EMPTY;
        let to: *mut c_void = (&raw mut base).cast();
        match kind {
            // SAFETY: there is room for the address and the window.
            MpiWindowKind::Shared => self.call("MPI_Win_allocate_shared", |c| unsafe {
                c.win_allocate_shared(size, 1, info, comm, to, &raw mut win)
            }),
            MpiWindowKind::Allocated => {
                // SAFETY: as above.
                self.call("MPI_Win_allocate", |c| unsafe { c.win_allocate(size, 1, info, comm, to, &raw mut win) })
            }
        }?;
        let mut window =
            MpiWindow { mpi: self, win, kind, base: null_mut(), bases: Vec::new(), starts: Vec::new(), sizes };
        // SAFETY: the window was made above.
        self.call("MPI_Win_set_errhandler", |c| unsafe { c.win_set_errhandler(win, self.constants.errors_return) })?;
        // SAFETY: as above.
        self.call("MPI_Win_lock_all", |c| unsafe { c.win_lock_all(self.constants.no_check, win) })?;
        let start = base.addr().next_multiple_of(PAGE) - base.addr();
        window.base = base.cast::<u8>().wrapping_add(start);
        // SAFETY: a page more was allocated. Nobody else accesses the part before the exchange of starts.
        unsafe { window.base.write_bytes(0, bytes) };
        window.sync()?;
        window.starts = self.all_gather_sizes(start)?;
        if kind == MpiWindowKind::Shared {
            window.bases = (0..self.ranks()).map(|rank| window.query(rank)).collect::<Result<_, _>>()?;
        }
        Ok(window)
    }

    /// Libraries reserve more than there is, and the machine or the program ends when it is used. All ranks refuse if one does.
    fn check_memory(&self, sizes: &[usize]) -> Result<(), MpiError> {
        let all = sizes.iter().fold(0_usize, |sum, size| sum.saturating_add(size.saturating_add(PAGE)));
        let bytes = if self.all_on_one_machine() { all } else { sizes[self.rank()] };
        let (free, free_to_share) = (free_memory(), free_to_share());
        let refused = self.all_gather_sizes(usize::from(bytes > free))?;
        let refused_to_share =
            self.all_gather_sizes(usize::from(bytes > free_to_share && self.all_on_one_machine()))?;
        if refused.contains(&1) {
            Err(MpiError::NoMemory { bytes, free })
        } else if refused_to_share.contains(&1) {
            Err(MpiError::NoSharedMemory { bytes, free: free_to_share })
        } else {
            Ok(())
        }
    }
}

/// The bytes that a window may take here: free memory, as far as the system says it.
fn free_memory() -> usize {
    let all = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = all.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<usize>().ok());
    kib.map_or(usize::MAX / 2, |kib| kib.saturating_mul(1024))
}

/// The bytes that are free where libraries keep the memory that processes share, which containers often make small.
#[cfg(target_os = "linux")]
fn free_to_share() -> usize {
    let of = rustix::fs::statvfs("/dev/shm");
    of.map_or(usize::MAX, |of| usize::try_from(of.f_bavail.saturating_mul(of.f_frsize)).unwrap_or(usize::MAX))
}

#[cfg(not(target_os = "linux"))]
fn free_to_share() -> usize {
    usize::MAX
}

impl MpiWindow<'_> {
    /// Where the part of a rank is mapped here.
    fn query(&self, rank: usize) -> Result<*mut u8, MpiError> {
        let (mut size, mut unit, mut base): (isize, c_int, *mut c_void) = (0, 0, null_mut());
        let to: *mut c_void = (&raw mut base).cast();
        // SAFETY: the window is shared, and there is room for the results.
        self.mpi.call("MPI_Win_shared_query", |c| unsafe {
            c.win_shared_query(self.win, int(rank), &raw mut size, &raw mut unit, to)
        })?;
        Ok(base.cast::<u8>().wrapping_add(self.starts[rank]))
    }

    /// How it is accessed.
    pub fn kind(&self) -> MpiWindowKind {
        self.kind
    }

    /// The own part: its address and size.
    pub fn memory(&self) -> (*mut u8, usize) {
        (self.base, self.sizes[self.mpi.rank()])
    }

    /// The part of a rank, if it can be accessed directly: its address here, and its size.
    pub fn peer_memory(&self, rank: usize) -> Option<(*mut u8, usize)> {
        Some((*self.bases.get(rank)?, *self.sizes.get(rank)?))
    }

    /// The size of the part of a rank.
    pub fn size(&self, rank: usize) -> Result<usize, MpiError> {
        self.mpi.known(rank)?;
        Ok(self.sizes[rank])
    }

    /// Reads bytes.
    pub fn get(&self, rank: usize, offset: usize, to: &mut [u8]) -> Result<(), MpiError> {
        self.get_rows(rank, offset, to.len(), to.len(), 1, to)
    }

    /// Writes bytes. They are visible to others after [`flush`](Self::flush).
    pub fn put(&self, rank: usize, offset: usize, from: &[u8]) -> Result<(), MpiError> {
        self.put_rows(rank, offset, from.len(), from.len(), 1, from)
    }

    /// Reads `rows` rows of `row_bytes`, which start every `stride` bytes at `offset`, into consecutive bytes.
    pub fn get_rows(
        &self,
        rank: usize,
        offset: usize,
        row_bytes: usize,
        stride: usize,
        rows: usize,
        to: &mut [u8],
    ) -> Result<(), MpiError> {
        let strided = MpiRows { rank, offset, row_bytes, stride, rows };
        self.check_rows(&strided, to.len())?;
        if let Some(base) = self.bases.get(rank) {
            for (at, local, bytes) in strided.pieces(usize::MAX) {
                // SAFETY: both sides were checked. The local one may be a part of the window.
                unsafe { base.add(at).copy_to(to[local..].as_mut_ptr(), bytes) };
            }
            return Ok(());
        }
        let byte = self.mpi.constants.byte;
        let to = to.as_mut_ptr();
        // SAFETY: both sides were checked, and the local one is borrowed until the flush.
        self.transfer("MPI_Get", &strided, |c, at, local, count| unsafe {
            c.get(to.add(local).cast(), count, byte, int(rank), at, count, byte, self.win)
        })?;
        self.flush(rank)
    }

    /// Writes consecutive bytes to `rows` rows of `row_bytes`, which start every `stride` bytes at `offset`. They are visible to
    /// others after [`flush`](Self::flush).
    pub fn put_rows(
        &self,
        rank: usize,
        offset: usize,
        row_bytes: usize,
        stride: usize,
        rows: usize,
        from: &[u8],
    ) -> Result<(), MpiError> {
        let strided = MpiRows { rank, offset, row_bytes, stride, rows };
        self.check_rows(&strided, from.len())?;
        if let Some(base) = self.bases.get(rank) {
            for (at, local, bytes) in strided.pieces(usize::MAX) {
                // SAFETY: both sides were checked. The local one may be a part of the window.
                unsafe { base.add(at).copy_from(from[local..].as_ptr(), bytes) };
            }
            return Ok(());
        }
        let byte = self.mpi.constants.byte;
        let from = from.as_ptr();
        // SAFETY: both sides were checked, and the local one is borrowed until the flush.
        self.transfer("MPI_Put", &strided, |c, at, local, count| unsafe {
            c.put(from.add(local).cast(), count, byte, int(rank), at, count, byte, self.win)
        })?;
        // The caller may change its side when this returns.
        self.flush_local(rank)
    }

    /// Calls MPI for every piece of rows: (offset, index of the local byte, number of bytes).
    fn transfer(
        &self,
        function: &'static str,
        rows: &MpiRows,
        make: impl Fn(&dyn MpiCalls, isize, usize, c_int) -> c_int,
    ) -> Result<(), MpiError> {
        self.mpi.call(function, |calls| {
            let codes = rows.pieces(self.mpi.piece());
            let start = self.starts[rows.rank].cast_signed();
            let mut codes = codes.map(|(at, local, bytes)| make(calls, start + at.cast_signed(), local, int(bytes)));
            codes.find(|code| *code != 0).unwrap_or(0)
        })
    }

    /// Combines elements with those of a rank, each atomically. Visible to others after [`flush`](Self::flush).
    pub fn accumulate(
        &self,
        rank: usize,
        offset: usize,
        from: &[u8],
        element: MpiElement,
        op: MpiOp,
    ) -> Result<(), MpiError> {
        self.check_elements(rank, offset, from.len(), element.size())?;
        if let Some(base) = self.bases.get(rank) {
            // SAFETY: the other side was checked; parts start at pages.
            unsafe { direct::accumulate(base.add(offset), from, element, op) };
            return Ok(());
        }
        let (of, op) = (self.mpi.constants.element(element), self.mpi.constants.op(op));
        let all = MpiRows { rank, offset, row_bytes: from.len(), stride: from.len(), rows: 1 };
        let from = from.as_ptr();
        // SAFETY: both sides were checked, and the local one is borrowed until the flush. Pieces are whole elements.
        self.transfer("MPI_Accumulate", &all, |c, at, local, bytes| unsafe {
            let count = bytes / int(element.size());
            c.accumulate(from.add(local).cast(), count, of, int(rank), at, count, of, op, self.win)
        })?;
        self.flush_local(rank)
    }

    /// Sets a word atomically, and returns when others see it. If it announces data, [`flush`](Self::flush) those first.
    pub fn set_word(&self, rank: usize, offset: usize, value: i32) -> Result<(), MpiError> {
        self.check_elements(rank, offset, 4, 4)?;
        match self.bases.get(rank) {
            // SAFETY: the address was checked; parts start at pages.
            Some(base) => unsafe { direct::word(base.add(offset)) }.store(value, SeqCst),
            None => {
                self.fetch_and_op(rank, offset, value, self.mpi.constants.op(MpiOp::Replace))?;
            }
        }
        Ok(())
    }

    /// Adds to a word atomically, and returns what it was. If it announces data, [`flush`](Self::flush) those first.
    pub fn add_word(&self, rank: usize, offset: usize, value: i32) -> Result<i32, MpiError> {
        self.check_elements(rank, offset, 4, 4)?;
        match self.bases.get(rank) {
            // SAFETY: the address was checked; parts start at pages.
            Some(base) => Ok(unsafe { direct::word(base.add(offset)) }.fetch_add(value, SeqCst)),
            None => self.fetch_and_op(rank, offset, value, self.mpi.constants.op(MpiOp::Sum)),
        }
    }

    /// Reads a word atomically.
    pub fn read_word(&self, rank: usize, offset: usize) -> Result<i32, MpiError> {
        self.check_elements(rank, offset, 4, 4)?;
        match self.bases.get(rank) {
            // SAFETY: the address was checked; parts start at pages.
            Some(base) => Ok(unsafe { direct::word(base.add(offset)) }.load(SeqCst)),
            None => self.fetch_and_op(rank, offset, 0, self.mpi.constants.no_op),
        }
    }

    fn fetch_and_op(&self, rank: usize, offset: usize, value: i32, op: MpiHandle) -> Result<i32, MpiError> {
        let of = self.mpi.constants.element(MpiElement::I32);
        let mut old = 0_i32;
        let (from, to) = ((&raw const value).cast(), (&raw mut old).cast());
        let at = (self.starts[rank] + offset).cast_signed();
        // SAFETY: the address was checked, and the local words live until the flush.
        self.mpi.call("MPI_Fetch_and_op", |c| unsafe { c.fetch_and_op(from, to, of, int(rank), at, op, self.win) })?;
        self.flush(rank)?;
        Ok(old)
    }

    /// Returns when all accesses to the part of a rank are visible to others.
    pub fn flush(&self, rank: usize) -> Result<(), MpiError> {
        self.mpi.known(rank)?;
        if self.kind == MpiWindowKind::Shared {
            fence(SeqCst);
            return Ok(());
        }
        // SAFETY: the window is locked.
        self.mpi.call("MPI_Win_flush", |c| unsafe { c.win_flush(int(rank), self.win) })
    }

    /// Returns when the local side of all accesses to the part of a rank can be changed. All functions here do that
    /// themselves.
    pub fn flush_local(&self, rank: usize) -> Result<(), MpiError> {
        self.mpi.known(rank)?;
        if self.kind == MpiWindowKind::Shared {
            return Ok(());
        }
        // SAFETY: the window is locked.
        self.mpi.call("MPI_Win_flush_local", |c| unsafe { c.win_flush_local(int(rank), self.win) })
    }

    /// Orders loads and stores of the own part with accesses of others: call it after stores that others get, and before
    /// loads of what others put.
    pub fn sync(&self) -> Result<(), MpiError> {
        fence(SeqCst);
        if self.kind == MpiWindowKind::Shared {
            return Ok(());
        }
        // SAFETY: the window is locked.
        self.mpi.call("MPI_Win_sync", |c| unsafe { c.win_sync(self.win) })
    }

    fn check_rows(&self, rows: &MpiRows, local: usize) -> Result<(), MpiError> {
        let total = rows.row_bytes.checked_mul(rows.rows);
        if total != Some(local) {
            return Err(MpiError::LocalSize { rows: total.unwrap_or(usize::MAX), local });
        }
        self.check(rows.rank, rows.offset, rows.extent().unwrap_or(usize::MAX))
    }

    fn check_elements(&self, rank: usize, offset: usize, bytes: usize, element: usize) -> Result<(), MpiError> {
        self.check(rank, offset, bytes)?;
        let is_aligned = offset.is_multiple_of(element) && bytes.is_multiple_of(element);
        if is_aligned { Ok(()) } else { Err(MpiError::Misaligned { offset, bytes, element }) }
    }

    fn check(&self, rank: usize, offset: usize, bytes: usize) -> Result<(), MpiError> {
        let window = self.size(rank)?;
        let is_inside = offset.checked_add(bytes).is_some_and(|end| end <= window);
        if is_inside { Ok(()) } else { Err(MpiError::OutsideWindow { rank, offset, bytes, window }) }
    }
}

impl Drop for MpiWindow<'_> {
    fn drop(&mut self) {
        // All ranks free a window together: after a panic this one would wait for the others.
        if std::thread::panicking() {
            return;
        }
        // What fails here cannot be helped.
        // SAFETY: the window is locked.
        let _ = self.mpi.call("MPI_Win_unlock_all", |c| unsafe { c.win_unlock_all(self.win) });
        // Freeing waits for the others inside of one call; here other threads and processes run meanwhile.
        let _ = self.mpi.barrier();
        // SAFETY: it is not used any more.
        let _ = self.mpi.call("MPI_Win_free", |c| unsafe { c.win_free(&raw mut self.win) });
    }
}

/// Rows of bytes in the part of a rank.
struct MpiRows {
    rank: usize,
    offset: usize,
    row_bytes: usize,
    stride: usize,
    rows: usize,
}

impl MpiRows {
    /// The bytes from the first to the last.
    fn extent(&self) -> Option<usize> {
        let Some(steps) = self.rows.checked_sub(1) else { return Some(0) };
        self.stride.checked_mul(steps)?.checked_add(self.row_bytes)
    }

    /// Pieces of at most so many bytes: offset, index of the local byte, number of bytes. Rows without gaps are one.
    fn pieces(&self, limit: usize) -> impl Iterator<Item = (usize, usize, usize)> {
        let is_dense = self.stride == self.row_bytes;
        let (rows, row_bytes) = if is_dense { (1, self.row_bytes * self.rows) } else { (self.rows, self.row_bytes) };
        let (offset, stride) = (self.offset, self.stride);
        (0..rows).flat_map(move |row| {
            let starts = (0..row_bytes).step_by(limit);
            starts.map(move |start| {
                (offset + row * stride + start, row * row_bytes + start, limit.min(row_bytes - start))
            })
        })
    }
}
