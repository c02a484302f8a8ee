//! What orders the pipes of a core.

use super::ids::{Reg, TileId};
use super::views::Pointer;
use pto_isa::Pipe;

/// A core waits for a background transfer, or tests whether it is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Await {
    pub background: Background,
    /// It only tests.
    pub asks: bool,
    /// The answer.
    pub out: Reg,
}

/// The registers of a transfer in the background: which one it is, and its session. They are numbers that only observers need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Background {
    pub event: Option<Reg>,
    pub session: Option<Reg>,
}

/// An instruction that orders pipes.
#[derive(Clone, Debug)]
pub(crate) enum PipeOrder {
    SetFlag {
        src: Pipe,
        dst: Pipe,
        id: Reg,
    },
    WaitFlag {
        src: Pipe,
        dst: Pipe,
        id: Reg,
    },
    Barrier,
    GetToken(Reg),
    ReleaseToken(Reg),
    /// Waits for what writes these tiles.
    Sync(Vec<TileId>),
    AwaitBackground(Await),
    /// A session of transfers in the background begins; its number goes to a register.
    Session(Reg),
    /// The scalar unit writes a line of its data cache back and forgets it; without an address, all of them.
    Clean(Option<Pointer>),
    /// All pipes finish, and what they wrote can be seen.
    Fence,
    /// Nothing that an observer could use.
    Other,
}
