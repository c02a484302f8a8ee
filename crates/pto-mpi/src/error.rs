//! What can go wrong, as data.

use crate::launch::{LaunchedRank, Launcher};
use std::fmt;

/// Why MPI cannot be used, or what a call of it said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MpiError {
    /// No library could be loaded.
    NotFound {
        /// The launcher whose library was looked for; `None`: any.
        launcher: Option<Launcher>,
        /// The names and paths that were tried, each with what the loader said of it.
        tried: Vec<(String, String)>,
        /// The path is from the variable `PTO_MPI`, and nothing else was tried.
        from_variable: bool,
    },
    /// The library has neither the binary interface of MPICH nor that of Open MPI.
    UnknownInterface {
        /// The library.
        path: String,
        /// What it says it is.
        version: String,
    },
    /// The library lacks a function or a constant, as those before MPI 3.
    MissingSymbol {
        /// The library.
        path: String,
        /// What it lacks.
        symbol: String,
    },
    /// The library does not belong to the launcher: it sees another number of ranks.
    OtherLauncher {
        /// The library.
        path: String,
        /// What it says it is.
        version: String,
        /// What the launcher said.
        launched: LaunchedRank,
        /// The number of ranks that the library sees.
        ranks: usize,
    },
    /// MPI starts once in a process.
    StartedBefore,
    /// The library does not support programs with threads.
    NoThreads {
        /// The level it has.
        provided: i32,
    },
    /// There is no such rank.
    NoRank {
        /// The rank that was asked for.
        rank: usize,
        /// The number of ranks.
        ranks: usize,
    },
    /// A tag of a message must be in `0..32767`.
    BadTag {
        /// The tag.
        tag: i32,
    },
    /// An access outside of a window.
    OutsideWindow {
        /// Whose part of the window.
        rank: usize,
        /// The first byte.
        offset: usize,
        /// The number of bytes, up to the last that is accessed.
        bytes: usize,
        /// The size of that part.
        window: usize,
    },
    /// A machine has not enough free memory for a window. No rank has allocated anything.
    NoMemory {
        /// The bytes that are needed on the machine of this rank, as far as it knows.
        bytes: usize,
        /// The bytes that are free there.
        free: usize,
    },
    /// The file system that shared memory is in has not enough room for a window. No rank has allocated anything.
    NoSharedMemory {
        /// The bytes that are needed.
        bytes: usize,
        /// The bytes that are free.
        free: usize,
    },
    /// Memory can be shared on one machine only.
    SeveralMachines,
    /// Atomic accesses are to whole elements at multiples of their size.
    Misaligned {
        /// The first byte.
        offset: usize,
        /// The number of bytes.
        bytes: usize,
        /// The size of an element.
        element: usize,
    },
    /// The local side of a transfer has another size than its rows.
    LocalSize {
        /// The size of the rows.
        rows: usize,
        /// The size of the local side.
        local: usize,
    },
    /// A call of MPI failed.
    Call {
        /// The function.
        function: &'static str,
        /// Its error code.
        code: i32,
        /// What MPI says of the code.
        message: String,
    },
}

impl MpiError {
    /// The packages of Debian and Ubuntu that help, if one does.
    pub fn packages(&self) -> Option<&'static [&'static str]> {
        match self {
            Self::NotFound { from_variable: true, .. } => None,
            Self::NotFound { launcher: Some(Launcher::Mpich), .. } => Some(&["mpich"]),
            Self::NotFound { launcher: Some(Launcher::OpenMpi), .. } => Some(&["openmpi-bin"]),
            Self::NotFound { .. } => Some(&["mpich", "openmpi-bin"]),
            _ => None,
        }
    }
}

impl fmt::Display for MpiError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { tried, from_variable, .. } => {
                let because = tried.iter().map(|(path, why)| format!("{path} ({why})")).collect::<Vec<_>>().join(", ");
                if *from_variable {
                    return write!(out, "the library that PTO_MPI names cannot be loaded: {because}");
                }
                write!(out, "no MPI library found; tried {because}")?;
                let packages = self.packages().unwrap_or_default();
                let commands: Vec<String> = packages.iter().map(|name| format!("`apt install {name}`")).collect();
                write!(out, "; install one with {}, or set PTO_MPI to its path", commands.join(" or "))
            }
            Self::UnknownInterface { path, version } => {
                write!(out, "{path} is neither MPICH nor Open MPI: it says {version:?}")
            }
            Self::MissingSymbol { path, symbol } => write!(out, "{path} has no `{symbol}`; MPI 3.0 or later is needed"),
            Self::OtherLauncher { path, version, launched, ranks } => write!(
                out,
                "the launcher started {} ranks, and {path} ({version}) sees {ranks}: it belongs to another launcher; use its \
                 own mpirun, or set PTO_MPI to the library of the one you use",
                launched.ranks
            ),
            Self::StartedBefore => write!(out, "MPI can be started once in a process"),
            Self::NoThreads { provided } => {
                write!(out, "this MPI does not support programs with threads (level {provided})")
            }
            Self::NoRank { rank, ranks } => write!(out, "there is no rank {rank}: there are {ranks}"),
            Self::BadTag { tag } => write!(out, "the tag {tag} is not in 0..32767"),
            Self::OutsideWindow { rank, offset, bytes, window } => {
                write!(out, "{bytes} bytes at {offset} are outside of the window of rank {rank}, which has {window}")
            }
            Self::NoMemory { bytes, free } => {
                write!(
                    out,
                    "a window needs {bytes} bytes, and a machine has not enough memory: {free} bytes are free here"
                )
            }
            Self::NoSharedMemory { bytes, free } => write!(
                out,
                "a window needs {bytes} bytes of shared memory, and /dev/shm has {free}; give it more (in a container: \
                 `docker run --shm-size`)"
            ),
            Self::SeveralMachines => write!(out, "the ranks are on several machines, which share no memory"),
            Self::Misaligned { offset, bytes, element } => {
                write!(out, "{bytes} bytes at {offset} are not whole elements of {element} bytes")
            }
            Self::LocalSize { rows, local } => write!(out, "the rows have {rows} bytes, the local side has {local}"),
            Self::Call { function, code, message } => write!(out, "{function} failed with code {code}: {message}"),
        }
    }
}

impl std::error::Error for MpiError {}
