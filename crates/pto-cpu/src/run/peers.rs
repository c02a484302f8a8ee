//! Ranks that are processes of their own, as one of them sees the others.

use super::observe::Access;
use pto_isa::{Diagnostic, Span};
use std::sync::atomic::AtomicU32;

/// The other ranks of a run in which every rank is a process of its own: see [`Launch::as_rank`](crate::Launch::as_rank).
///
/// Buffers are numbered as the arguments of the run are: those of rank 0, then those of rank 1, and so on. Memory of other ranks is
/// either the same memory, which the processes share, or copied: before it is read, and after it was written.
pub trait PeerRanks: Sync {
    /// If memory is shared, its locks: as many words as [`lock_words`](crate::lock_words) says, in memory that is shared as well and
    /// was zero at first. `None` if memory is copied.
    fn locks(&self) -> Option<&[AtomicU32]>;

    /// Copies bytes of another rank to their place here.
    ///
    /// # Errors
    /// What went wrong, in words.
    fn fetch(&self, rows: PeerRows) -> Result<(), String>;

    /// Copies bytes from their place here to another rank. They are there when this returns.
    ///
    /// # Errors
    /// What went wrong, in words.
    fn deliver(&self, rows: PeerRows) -> Result<(), String>;

    /// Changes a 32-bit word of any rank at once: other ranks see the old or the new number. Called only if memory is copied.
    ///
    /// # Errors
    /// What went wrong, in words.
    fn change_word(&self, change: PeerWordChange) -> Result<(), String>;

    /// Until [`unlock`](PeerRanks::unlock) is called for the same buffer, no other rank combines numbers with those in it. Called only
    /// if memory is copied.
    ///
    /// # Errors
    /// What went wrong, in words.
    fn lock(&self, buffer: usize) -> Result<(), String>;

    /// Ends what [`lock`](PeerRanks::lock) began.
    ///
    /// # Errors
    /// What went wrong, in words.
    fn unlock(&self, buffer: usize) -> Result<(), String>;

    /// An instruction is about to be executed.
    fn reached(&self, span: Span);

    /// Cores of this rank have done something since the last call.
    ///
    /// # Errors
    /// When another rank failed.
    fn moved(&self) -> Result<(), PeerStop>;

    /// No core of this rank can go on before another rank does something; returns when one may have. `waits` says what for.
    ///
    /// # Errors
    /// When it will never be able to.
    fn idle(&self, waits: &mut dyn FnMut() -> Diagnostic) -> Result<(), PeerStop>;
}

/// Bytes of a buffer, as rows of the same length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PeerRows {
    /// The buffer.
    pub buffer: usize,
    /// Its byte where the first row starts.
    pub first: usize,
    /// Bytes of a row.
    pub row_bytes: usize,
    /// How many there are.
    pub rows: usize,
    /// Bytes from the start of a row to the start of the next.
    pub stride: usize,
}

/// A change of a word in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PeerWordChange {
    /// The buffer.
    pub buffer: usize,
    /// Its first byte there.
    pub first: usize,
    /// The number.
    pub value: i32,
    /// It is added; otherwise it replaces what is there.
    pub add: bool,
}

/// Why a rank that waits does not go on.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PeerStop {
    /// All ranks wait.
    Deadlock,
    /// Another rank failed.
    Abandoned,
    /// The connection failed; in words.
    Lost(String),
}

/// The memory of other ranks, as cores reach it.
#[derive(Clone, Copy)]
pub(super) struct FarMemory<'p> {
    pub peers: &'p dyn PeerRanks,
    /// The first buffer of this rank, and one past the last.
    pub own: (usize, usize),
    /// How many buffers all ranks have.
    pub count: usize,
    pub copies: bool,
}

impl FarMemory<'_> {
    /// True for memory that must be copied.
    pub fn is_far(&self, buffer: usize) -> bool {
        self.copies && buffer < self.count && !(self.own.0..self.own.1).contains(&buffer)
    }
}

impl PeerRows {
    pub(super) fn one(buffer: usize, first: i64, bytes: usize) -> Self {
        Self { buffer, first: first as usize, row_bytes: bytes, rows: 1, stride: bytes }
    }

    pub(super) fn inside(access: &Access, buffer: usize, size: usize) -> Option<Self> {
        let (first, row_bytes) = (usize::try_from(access.start).ok()?, usize::try_from(access.row_bytes).ok()?);
        let (rows, stride) = (usize::try_from(access.rows).ok()?, usize::try_from(access.stride).ok()?);
        if rows == 0 || row_bytes == 0 {
            return None;
        }
        let end = stride.checked_mul(rows - 1)?.checked_add(first)?.checked_add(row_bytes)?;
        (end <= size).then_some(Self { buffer, first, row_bytes, rows, stride })
    }
}
