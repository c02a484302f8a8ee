//! MPI, loaded at run time: processes that a launcher started (`mpirun -n 4 pto run …`) read and write each other's memory.
//!
//! [`launched_rank`] tells from the environment whether a launcher started this process, and loads nothing. [`Mpi::start`]
//! finds the library that belongs to the launcher, loads and initialises it. [`Mpi::window`] allocates memory that every rank
//! can access without the help of its owner: [`MpiWindow::get`], [`MpiWindow::put`], atomic updates and atomic words.
//!
//! Nothing of MPI is needed to build. There are two binary interfaces: that of MPICH (MPICH, Intel MPI, MVAPICH, Cray MPICH),
//! whose handles are integers, and that of Open MPI, whose handles are addresses of exported symbols. The symbols of a
//! library decide which of them it has, never its file name.
//!
//! If all ranks are on one machine, windows are shared memory and accesses are plain copies and atomic instructions; MPI only
//! allocates. Otherwise every access is a call of MPI. Then a rank that computes for long must call [`Mpi::poke`] now and
//! then: most libraries move data of other ranks only while their target is inside MPI. (MPICH does so for
//! [`MpiWindowKind::Allocated`] even on one machine, and both do with TCP.)
//!
//! **Threads.** All functions can be called from all threads if [`Mpi::any_thread`] is true. Calls are serialised. A barrier,
//! a message or a collective that waits for other ranks lets other threads make calls meanwhile.
//!
//! **Failures.** Errors are values ([`MpiError`]). A rank that gives up must call [`Mpi::abort`]: if it only returns, the
//! others wait for it. A panic that drops [`Mpi`] aborts all ranks.

mod calls;
mod constants;
mod direct;
mod error;
mod launch;
mod library;
mod mpi;
mod window;

pub use constants::{MpiElement, MpiOp};
pub use error::MpiError;
pub use launch::{LAUNCH_VARIABLES, LaunchedRank, Launcher, launched_rank, launched_rank_from};
pub use mpi::Mpi;
pub use window::{MpiWindow, MpiWindowKind};
