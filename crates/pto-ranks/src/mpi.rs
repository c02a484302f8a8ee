//! A rank that reaches the memory of others through MPI: on several machines there is no other way.

#![expect(unsafe_code, reason = "memory that MPI changes, as an argument")]

use crate::waiting::Patience;
use crate::{BufferSizes, RankConnection, RankError};
use memmap2::{MmapOptions, MmapRaw};
use pto_cpu::{Arg, PeerRanks, PeerRows, PeerStop, PeerWordChange};
use pto_isa::{DType, Diagnostic, Span, text};
use pto_mpi::{LaunchedRank, Mpi, MpiError, MpiWindow, MpiWindowKind, launched_rank};
use std::sync::atomic::AtomicU32;
use std::sync::{Mutex, PoisonError};

/// Words of rank 0 about all, by their first byte; those of the ranks follow.
mod words {
    /// Grows with everything that happens.
    pub const EFFECTS: usize = 0;
    pub const ABANDONED: usize = 4;
    pub const DEADLOCK: usize = 8;
    pub const CHECKED: usize = 64;
    /// What a finished rank has checked.
    pub const DONE: i32 = -1;
}

/// Words of each rank about its memory: who combines numbers with those there, in the order of tickets.
mod tickets {
    pub const NEXT: usize = 16;
    pub const SERVED: usize = 20;
}

/// Buffers start at multiples of this.
const ALIGN: usize = 64;

/// The rank that a launcher of MPI gave this process, if it started several.
pub fn launched_ranks() -> Option<LaunchedRank> {
    launched_rank().filter(|launched| launched.ranks > 1)
}

/// One rank of several that MPI connects.
pub struct MpiRank<'m> {
    mpi: &'m Mpi,
    control: MpiWindow<'m>,
    windows: Option<MpiMemory<'m>>,
    waits: Mutex<MpiWaits>,
}

/// The memory of all ranks: own memory in a window, and room for copies of what others have.
struct MpiMemory<'m> {
    window: MpiWindow<'m>,
    /// By rank, then by parameter.
    buffers: Vec<Vec<MpiBuffer>>,
    params: usize,
}

struct MpiBuffer {
    /// Its first byte in the window of its rank.
    offset: usize,
    bytes: usize,
    /// Where it is here: the memory itself, or room for a copy.
    start: *mut u8,
    #[expect(dead_code, reason = "kept until the end")]
    copy: Option<MmapRaw>,
}

// SAFETY: the memory belongs to the window or to `copy`, and is touched by the engine, which one thread executes, and by MPI.
unsafe impl Send for MpiBuffer {}
// SAFETY: as above.
unsafe impl Sync for MpiBuffer {}

/// How long the rank has waited.
struct MpiWaits {
    patience: Patience,
    /// How much had happened when it last looked.
    seen: Option<i32>,
}

impl<'m> MpiRank<'m> {
    /// Connects with the other ranks.
    ///
    /// # Errors
    /// When MPI does not give memory.
    pub fn new(mpi: &'m Mpi) -> Result<Self, RankError> {
        let control = mpi.window_of(MpiWindowKind::Allocated, words::CHECKED + 4 * mpi.ranks())?;
        let waits = Mutex::new(MpiWaits { patience: Patience::new(mpi.ranks()), seen: None });
        Ok(Self { mpi, control, windows: None, waits })
    }

    fn opened(&self) -> &MpiMemory<'m> {
        self.windows.as_ref().expect("`open` was called")
    }

    /// The rank of a buffer, and the buffer.
    fn buffer(&self, number: usize) -> (usize, &MpiBuffer) {
        let MpiMemory { buffers, params, .. } = self.opened();
        let (rank, param) = (number / params, number % params);
        (rank, &buffers[rank][param])
    }

    fn checked_at(&self) -> usize {
        words::CHECKED + 4 * self.mpi.rank()
    }

    fn note_checked(&self, number: i32) -> Result<(), MpiError> {
        self.control.set_word(0, self.checked_at(), number)
    }

    fn is_set(&self, word: usize) -> Result<bool, MpiError> {
        Ok(self.control.read_word(0, word)? != 0)
    }

    /// What a rank that has waited for long looks at, given how much had happened before it looked at its words.
    fn look(&self, happened: i32, nothing_happened: bool) -> Result<Result<(), PeerStop>, MpiError> {
        // In this order: a rank that finds a deadlock says so before it gives up.
        let is_abandoned = self.is_set(words::ABANDONED)?;
        if self.is_set(words::DEADLOCK)? {
            return Ok(Err(PeerStop::Deadlock));
        }
        if is_abandoned {
            return Ok(Err(PeerStop::Abandoned));
        }
        if !nothing_happened {
            return Ok(Ok(()));
        }
        // Zero is for ranks that do not wait.
        self.note_checked(happened.wrapping_mul(2) | 1)?;
        for rank in 0..self.mpi.ranks() {
            let checked = self.control.read_word(0, words::CHECKED + 4 * rank)?;
            if checked != words::DONE && checked != happened.wrapping_mul(2) | 1 {
                return Ok(Ok(()));
            }
        }
        if self.control.read_word(0, words::EFFECTS)? != happened {
            return Ok(Ok(()));
        }
        self.control.set_word(0, words::DEADLOCK, 1)?;
        Ok(Err(PeerStop::Deadlock))
    }
}

impl RankConnection for MpiRank<'_> {
    fn rank(&self) -> usize {
        self.mpi.rank()
    }

    fn ranks(&self) -> usize {
        self.mpi.ranks()
    }

    fn exchange(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, RankError> {
        Ok(self.mpi.all_gather(bytes)?)
    }

    fn open(&mut self, sizes: BufferSizes) -> Result<(), RankError> {
        let ends = |list: &Vec<usize>| list.iter().map(|bytes| bytes.next_multiple_of(ALIGN)).sum::<usize>();
        let window = self.mpi.window_of(MpiWindowKind::Allocated, ends(&sizes[self.mpi.rank()]))?;
        let (own, _) = window.memory();
        let params = sizes.first().map_or(0, Vec::len);
        let mut buffers = Vec::new();
        for (rank, list) in sizes.into_iter().enumerate() {
            let mut offset = 0;
            let mut place = |bytes: usize| {
                let first = offset;
                offset += bytes.next_multiple_of(ALIGN);
                if rank == self.mpi.rank() {
                    return Ok(MpiBuffer { offset: first, bytes, start: own.wrapping_add(first), copy: None });
                }
                // Only what is copied takes memory.
                let copy = MmapOptions::new().len(bytes.max(1)).map_anon()?;
                let copy = MmapRaw::from(copy);
                Ok(MpiBuffer { offset: first, bytes, start: copy.as_mut_ptr(), copy: Some(copy) })
            };
            let refused = |e: std::io::Error| {
                RankError::System(text!("no memory for copies of what other ranks have: {reason}", reason = e))
            };
            buffers.push(list.into_iter().map(&mut place).collect::<Result<Vec<_>, _>>().map_err(refused)?);
        }
        self.windows = Some(MpiMemory { window, buffers, params });
        Ok(())
    }

    fn fill(&mut self, param: usize, bytes: &[u8]) {
        let buffer = &self.opened().buffers[self.mpi.rank()][param];
        let count = bytes.len().min(buffer.bytes);
        // SAFETY: the buffer lies in the own part of the window, and no other rank touches it before the next exchange.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.start, count) };
        // What fails here fails in the exchange that follows.
        self.opened().window.sync().ok();
    }

    fn read(&self, rank: usize, param: usize, to: &mut [u8]) -> Result<(), RankError> {
        let MpiMemory { window, buffers, .. } = self.opened();
        let buffer = &buffers[rank][param];
        let count = to.len().min(buffer.bytes);
        window.sync()?;
        Ok(window.get(rank, buffer.offset, &mut to[..count])?)
    }

    fn argument(&self, rank: usize, param: usize, dtype: Option<DType>) -> Arg<'_> {
        let MpiBuffer { start, bytes, .. } = self.opened().buffers[rank][param];
        // SAFETY: the memory lives as long as `self`, and no reference to it exists. Other ranks change own memory through MPI, as
        // a device does.
        let arg = unsafe { Arg::held(start, bytes, true) };
        match dtype {
            Some(dtype) => arg.of(dtype),
            None => arg,
        }
    }

    fn peers(&self) -> &dyn PeerRanks {
        self
    }

    fn finished(&self, failed: bool) {
        let tell = || {
            if failed {
                self.control.set_word(0, words::ABANDONED, 1)?;
            }
            self.note_checked(words::DONE)?;
            self.control.add_word(0, words::EFFECTS, 1)
        };
        // The exchange that follows fails as well, and says so.
        tell().ok();
    }

    fn end(&self) {}
}

impl PeerRanks for MpiRank<'_> {
    fn locks(&self) -> Option<&[AtomicU32]> {
        None
    }

    fn fetch(&self, rows: PeerRows) -> Result<(), String> {
        let (rank, buffer) = self.buffer(rows.buffer);
        let mut bytes = vec![0; rows.row_bytes * rows.rows];
        let first = buffer.offset + rows.first;
        let window = &self.opened().window;
        window.get_rows(rank, first, rows.row_bytes, rows.stride, rows.rows, &mut bytes).map_err(|e| e.to_string())?;
        for (k, row) in bytes.chunks_exact(rows.row_bytes).enumerate() {
            let at = rows.first + k * rows.stride;
            assert!(at + row.len() <= buffer.bytes, "rows lie in the buffer");
            // SAFETY: the row lies in the copy of the buffer, which nothing else touches now.
            unsafe { std::ptr::copy_nonoverlapping(row.as_ptr(), buffer.start.add(at), row.len()) };
        }
        Ok(())
    }

    fn deliver(&self, rows: PeerRows) -> Result<(), String> {
        let (rank, buffer) = self.buffer(rows.buffer);
        let mut bytes = vec![0; rows.row_bytes * rows.rows];
        for (k, row) in bytes.chunks_exact_mut(rows.row_bytes).enumerate() {
            let at = rows.first + k * rows.stride;
            assert!(at + row.len() <= buffer.bytes, "rows lie in the buffer");
            // SAFETY: as above.
            unsafe { std::ptr::copy_nonoverlapping(buffer.start.add(at), row.as_mut_ptr(), row.len()) };
        }
        let first = buffer.offset + rows.first;
        let window = &self.opened().window;
        window.put_rows(rank, first, rows.row_bytes, rows.stride, rows.rows, &bytes).map_err(|e| e.to_string())?;
        // A notification that follows must not arrive first.
        window.flush(rank).map_err(|e| e.to_string())
    }

    fn change_word(&self, change: PeerWordChange) -> Result<(), String> {
        let (rank, buffer) = self.buffer(change.buffer);
        let (window, offset) = (&self.opened().window, buffer.offset + change.first);
        // Data in own memory must be there for those who are told.
        window.sync().map_err(|e| e.to_string())?;
        match change.add {
            true => window.add_word(rank, offset, change.value).map(drop),
            false => window.set_word(rank, offset, change.value),
        }
        .map_err(|e| e.to_string())
    }

    fn lock(&self, buffer: usize) -> Result<(), String> {
        let rank = self.buffer(buffer).0;
        let ticket = self.control.add_word(rank, tickets::NEXT, 1).map_err(|e| e.to_string())?;
        let mut patience = Patience::new(self.mpi.ranks());
        while self.control.read_word(rank, tickets::SERVED).map_err(|e| e.to_string())? != ticket {
            self.mpi.poke();
            patience.wait();
        }
        self.opened().window.sync().map_err(|e| e.to_string())
    }

    fn unlock(&self, buffer: usize) -> Result<(), String> {
        let rank = self.buffer(buffer).0;
        self.opened().window.sync().map_err(|e| e.to_string())?;
        self.control.add_word(rank, tickets::SERVED, 1).map(drop).map_err(|e| e.to_string())
    }

    fn reached(&self, _: Span) {}

    fn moved(&self) -> Result<(), PeerStop> {
        let mut waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
        waits.patience.reset();
        waits.seen = None;
        let tell = || {
            self.opened().window.sync()?;
            self.note_checked(0)?;
            self.control.add_word(0, words::EFFECTS, 1)?;
            self.is_set(words::ABANDONED)
        };
        match tell().map_err(|e| lost(&e))? {
            true => Err(PeerStop::Abandoned),
            false => Ok(()),
        }
    }

    fn idle(&self, _: &mut dyn FnMut() -> Diagnostic) -> Result<(), PeerStop> {
        let mut waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
        self.mpi.poke();
        if waits.patience.is_long() {
            let happened = self.control.read_word(0, words::EFFECTS).map_err(|e| lost(&e))?;
            let nothing_happened = waits.seen.replace(happened) == Some(happened);
            self.look(happened, nothing_happened).map_err(|e| lost(&e))??;
        }
        waits.patience.wait();
        self.opened().window.sync().map_err(|e| lost(&e))
    }
}

fn lost(error: &MpiError) -> PeerStop {
    PeerStop::Lost(error.to_string())
}
