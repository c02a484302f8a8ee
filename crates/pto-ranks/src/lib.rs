//! Ranks of a run as processes of their own.
//!
//! A process that executes one rank has a [`RankConnection`] to the others. It gives and gets small messages
//! ([`RankConnection::exchange`]), opens memory that the others reach ([`RankConnection::open`]), and is what the engine asks for
//! memory of other ranks ([`pto_cpu::PeerRanks`]).
//!
//! Processes of one machine share memory ([`SharedRank`]); [`RankProcesses`] starts them and watches over them, or a launcher of MPI
//! does. Processes of several machines copy memory through MPI ([`MpiRank`]).

mod area;
mod control;
mod mpi;
mod processes;
mod shared;
mod waiting;

pub use mpi::{MpiRank, launched_ranks};
pub use processes::{LossReason, LostRank, RankProcesses, RanksEnded};
pub use shared::SharedRank;

use pto_cpu::{Arg, PeerRanks};
use pto_isa::{DType, text};
use pto_mpi::MpiError;
use std::fmt;

/// Sizes of the buffers of all ranks, in bytes: by rank, then by parameter. Every rank has as many.
pub type BufferSizes = Vec<Vec<usize>>;

/// One rank of a run, connected with the others. All ranks call the same functions in the same order.
pub trait RankConnection {
    /// Which rank this is.
    fn rank(&self) -> usize;

    /// How many there are.
    fn ranks(&self) -> usize;

    /// Gives bytes to all ranks, and returns those of all, by rank.
    ///
    /// # Errors
    /// When another rank is lost.
    fn exchange(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, RankError>;

    /// Makes memory for the buffers of all ranks.
    ///
    /// # Errors
    /// When there is not so much memory, or another rank is lost.
    fn open(&mut self, sizes: BufferSizes) -> Result<(), RankError>;

    /// Fills a buffer of this rank.
    fn fill(&mut self, param: usize, bytes: &[u8]);

    /// Reads a buffer of any rank, when no rank writes it any more.
    ///
    /// # Errors
    /// When the other rank is lost.
    fn read(&self, rank: usize, param: usize, to: &mut [u8]) -> Result<(), RankError>;

    /// The memory of a buffer, as an argument of a run.
    fn argument(&self, rank: usize, param: usize, dtype: Option<DType>) -> Arg<'_>;

    /// What the engine reaches other ranks through.
    fn peers(&self) -> &dyn PeerRanks;

    /// The engine is done with this rank. If it failed, the others stop.
    fn finished(&self, failed: bool);

    /// The others need nothing more of this rank; its process may end.
    fn end(&self);
}

/// Why ranks cannot work together.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RankError {
    /// Another rank ended, and whoever started them says so.
    Abandoned,
    /// The system refused something; in words.
    System(String),
}

impl fmt::Display for RankError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Abandoned => f.write_str(text!("stopped, because another rank failed")),
            Self::System(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for RankError {}

impl From<MpiError> for RankError {
    fn from(error: MpiError) -> Self {
        Self::System(error.to_string())
    }
}
