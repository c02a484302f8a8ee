//! A moment of a run.

use pto_cpu::{Access, Action, CoreId, Flag, Set};
use pto_ir::OpId;
use pto_isa::{Pipe, text};

/// An instruction that was executed.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Moment<'a> {
    /// Its position among all moments.
    pub at: usize,
    /// The core that executed it.
    pub core: CoreId,
    /// Its position among the steps of the core.
    pub step: u32,
    /// The operation.
    pub op: OpId,
    /// Its line in the text, from 1; 0 if it has none.
    pub line: u32,
    /// The pipe that executes it on a device.
    pub pipe: Option<Pipe>,
    /// What it does besides reading and writing.
    pub deed: Deed,
    /// What it reads and writes.
    pub accesses: &'a [Access],
    /// The iterations of the loops around it, the outermost first; they count from 0.
    pub iterations: &'a [u32],
}

/// What an instruction does to the order of pipes and cores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Deed {
    /// It works on memory.
    Work,
    /// It raises a flag.
    SetFlag(Flag),
    /// It waits for a flag.
    WaitFlag(Flag),
    /// It waits for a pipe, or for all.
    Barrier,
    /// It takes a buffer token.
    GetToken(i64),
    /// It gives a buffer token back.
    ReleaseToken(i64),
    /// It sends a signal to other cores.
    Signal(i64),
    /// It waits for a signal of other cores.
    Await(i64),
    /// It arrives at a barrier of several cores.
    Arrive(Set),
    /// It continues after such a barrier.
    Leave(Set),
    /// It opens a FIFO pipe.
    Open(u32),
    /// It takes a slot of a FIFO pipe.
    Alloc(u32),
    /// It pushes an entry into a FIFO pipe.
    Push(u32),
    /// It pops an entry from a FIFO pipe.
    Pop(u32),
    /// It frees a slot of a FIFO pipe.
    Free(u32),
    /// It changes a signal word in global memory.
    Notify,
    /// It found a signal word as it should be.
    Noticed,
    /// It tested a signal word in vain.
    Missed,
    /// It is no instruction, but scalar code on a line that was asked for.
    Scalar,
    /// The engine copied a tile that a loop carries, or allocated memory.
    Copy,
    /// Something else.
    Other,
}

impl Deed {
    /// `None` for parts of an instruction that are not moments of their own.
    pub(crate) fn of(action: &Action<'_>) -> Option<Self> {
        Some(match action {
            Action::Work => Self::Work,
            Action::SetFlag(flag) => Self::SetFlag(*flag),
            Action::WaitFlag(flag) => Self::WaitFlag(*flag),
            Action::Barrier => Self::Barrier,
            Action::GetToken(id) => Self::GetToken(*id),
            Action::ReleaseToken(id) => Self::ReleaseToken(*id),
            Action::Signal(signal) => Self::Signal(signal.id),
            Action::Await(id) => Self::Await(*id),
            Action::Arrive(set, _) => Self::Arrive(*set),
            Action::Leave(set, _) => Self::Leave(*set),
            Action::Open(ring) => Self::Open(ring.key),
            Action::Alloc(ring) => Self::Alloc(ring.key),
            Action::Push(ring) => Self::Push(ring.key),
            Action::Pop(ring) => Self::Pop(ring.key),
            Action::Free(ring) => Self::Free(ring.key),
            Action::Notify => Self::Notify,
            Action::Noticed => Self::Noticed,
            Action::Missed => Self::Missed,
            Action::Then(..) => return None,
            Action::Sync | Action::AwaitBackground | Action::Clean | Action::Other => Self::Other,
        })
    }

    /// In a few words; empty for plain work.
    pub fn describe(&self) -> String {
        let flag = |flag: &Flag| format!("{} → {} {}", flag.src, flag.dst, flag.id);
        match self {
            Self::Work | Self::Other | Self::Copy | Self::Scalar => String::new(),
            Self::SetFlag(f) => text!("sets {flag}", flag = flag(f)),
            Self::WaitFlag(f) => text!("waits for {flag}", flag = flag(f)),
            Self::Barrier => text!("barrier").to_string(),
            Self::GetToken(id) => text!("takes token {id}", id),
            Self::ReleaseToken(id) => text!("releases token {id}", id),
            Self::Signal(id) => text!("sends signal {id}", id),
            Self::Await(id) => text!("waits for signal {id}", id),
            Self::Arrive(_) => text!("arrives at a barrier of cores").to_string(),
            Self::Leave(_) => text!("leaves a barrier of cores").to_string(),
            Self::Open(key) => text!("opens FIFO pipe {key}", key),
            Self::Alloc(key) => text!("takes a slot of FIFO pipe {key}", key),
            Self::Push(key) => text!("pushes into FIFO pipe {key}", key),
            Self::Pop(key) => text!("pops from FIFO pipe {key}", key),
            Self::Free(key) => text!("frees a slot of FIFO pipe {key}", key),
            Self::Notify => text!("changes a signal word").to_string(),
            Self::Noticed => text!("finds a signal word as it waits for it").to_string(),
            Self::Missed => text!("tests a signal word in vain").to_string(),
        }
    }
}
