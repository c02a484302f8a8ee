//! What a run does, as items on pipes and what each must wait for.

mod access;
mod depend;
mod links;
mod ranks;
mod record;
mod record_ranks;
mod traffic;

pub use ranks::{FollowedRank, RankTraffic};
pub use record::{Options, OrderSource, record, record_ranks, record_run};
pub use traffic::Traffic;
pub(crate) use traffic::{Misses, misses};

use crate::cost::Charge;
use crate::network::{LinkCharge, RankNetwork};
use pto_cpu::{CoreId, Role};
use pto_ir::OpId;
use pto_isa::text;
use pto_isa::{Loc, Pipe};

/// Pipes of a core: its seven pipes, and one for background transfers.
pub const PIPES: usize = 8;

/// No item.
pub const NONE: u32 = u32::MAX;

/// Why an item has to wait for another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Why {
    /// It comes after it on the same pipe.
    Pipe,
    /// The scalar unit had not come to it yet.
    Issue,
    /// A flag of another pipe.
    Flag,
    /// A barrier over all pipes.
    Barrier,
    /// A buffer token.
    Token,
    /// It reads what the other writes.
    Read,
    /// It overwrites what the other reads or writes.
    Overwrite,
    /// A signal of another core.
    Signal,
    /// An entry of a pipe between cores.
    Entry,
    /// A free slot of a pipe between cores.
    Slot,
    /// A barrier of several cores.
    Cores,
    /// The block before it on the same core.
    Block,
    /// A signal of another rank of the same server.
    Rank,
    /// A signal of a rank of another server.
    Server,
}

impl Why {
    /// A few words for reports.
    pub fn words(self) -> &'static str {
        match self {
            Self::Pipe => text!("its pipe"),
            Self::Issue => text!("issue by the scalar unit"),
            Self::Flag => text!("a flag"),
            Self::Barrier => text!("a barrier over all pipes"),
            Self::Token => text!("a buffer token"),
            Self::Read => text!("its data"),
            Self::Overwrite => text!("a buffer in use"),
            Self::Signal => text!("a signal of another core"),
            Self::Entry => text!("an entry of a pipe between cores"),
            Self::Slot => text!("a free slot of a pipe between cores"),
            Self::Cores => text!("a barrier of several cores"),
            Self::Block => text!("the block before it"),
            Self::Rank => text!("a signal of another rank"),
            Self::Server => text!("a signal of a rank of another server"),
        }
    }

    /// It crosses from one core to another, which takes time.
    pub const fn crosses(self) -> bool {
        matches!(self, Self::Signal | Self::Entry | Self::Slot | Self::Cores)
    }

    /// It crosses from one rank to another.
    pub const fn crosses_ranks(self) -> bool {
        matches!(self, Self::Rank | Self::Server)
    }
}

/// What an item waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dep {
    /// The item.
    pub on: u32,
    /// Why.
    pub why: Why,
}

/// Something a pipe does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Item {
    /// The operation of the program.
    pub op: OpId,
    /// The pipe of the whole device: core times [`PIPES`] plus the pipe of the core.
    pub pipe: u32,
    /// What it costs: a position in [`Trace::charges`].
    pub charge: u32,
    /// The first of its dependences.
    pub deps: u32,
    /// The item of the scalar unit that it is issued after.
    pub gate: u32,
    /// How many instructions later.
    pub issue: u32,
    /// Filling and draining count: the pipe was stopped before it, or it needs what the item before it makes.
    pub fresh: bool,
    /// It orders others and takes no time itself.
    pub orders: bool,
}

/// What an item costs, and the memory its bytes come from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cost {
    /// Cycles.
    pub charge: Charge,
    /// The buffer of global memory, or [`NONE`].
    pub buffer: u32,
    /// It is written.
    pub writes: bool,
    /// What a link between ranks takes of it.
    pub link: Option<LinkCharge>,
}

/// A piece of on-chip memory that an item touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch {
    /// The item.
    pub item: u32,
    /// The memory.
    pub loc: Loc,
    /// First byte.
    pub start: i64,
    /// Bytes.
    pub bytes: u64,
    /// It is written.
    pub write: bool,
}

/// What a run does. See the [crate documentation](crate) for an example.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The cores, in the order in which they first did something.
    pub cores: Vec<CoreId>,
    /// What they do, each core in program order.
    pub items: Vec<Item>,
    /// What items cost.
    pub charges: Vec<Cost>,
    /// What items wait for.
    pub deps: Vec<Dep>,
    /// The same for waits that stand in the text before what they wait for.
    pub late: Vec<(u32, Dep)>,
    /// Waits that never end.
    pub stuck: Vec<u32>,
    /// Order comes from data, as if flags were where they are needed and nowhere else.
    pub by_data: bool,
    /// Bytes of global memory, by buffer.
    pub traffic: Vec<Traffic>,
    /// The links between ranks, if there are several.
    pub network: Option<RankNetwork>,
    /// Bytes between ranks, for those that were recorded.
    pub between_ranks: RankTraffic,
    /// Waits for a signal that the same rank does not send to others: what holds for some ranks does not hold for all.
    pub unanswered: Vec<u32>,
    /// Touched on-chip memory, where it was asked for.
    pub touches: Vec<Touch>,
}

impl Trace {
    /// The dependences of an item, those that were known when it came.
    pub fn deps_of(&self, item: usize) -> &[Dep] {
        let end = self.items.get(item + 1).map_or(self.deps.len(), |next| next.deps as usize);
        &self.deps[self.items[item].deps as usize..end]
    }

    /// The core of an item.
    pub fn core_of(&self, item: usize) -> usize {
        self.items[item].pipe as usize / PIPES
    }

    /// The pipe of an item; `None` is the background.
    pub fn pipe_of(&self, item: usize) -> Option<Pipe> {
        Pipe::REAL.get(self.items[item].pipe as usize % PIPES).copied().filter(|p| *p != Pipe::All)
    }

    /// The cost of an item.
    pub fn cost_of(&self, item: usize) -> &Cost {
        &self.charges[self.items[item].charge as usize]
    }
}

/// The previous item of the same pipe for each item, or [`NONE`].
pub(crate) fn pipe_predecessors(trace: &Trace) -> Vec<u32> {
    let mut last = vec![NONE; trace.cores.len() * PIPES];
    trace.items.iter().enumerate().map(|(at, i)| std::mem::replace(&mut last[i.pipe as usize], at as u32)).collect()
}

/// The name of a core: `cube`, `vector 1`, `core`, with its block if there are several.
pub fn core_name(id: CoreId, blocks: bool) -> String {
    let core = match id.role {
        Role::Whole => "core".to_string(),
        Role::Cube => "cube".to_string(),
        Role::Vector => format!("vector {}", id.sub),
    };
    match (blocks, id.rank) {
        (false, _) => core,
        (true, 0) => format!("block {} {core}", id.block),
        (true, rank) => text!("rank {rank} block {block} {core}", rank, block = id.block, core),
    }
}

/// The name of a pipe in reports.
pub const fn pipe_name(pipe: Option<Pipe>) -> &'static str {
    match pipe {
        Some(Pipe::S) => "scalar",
        Some(Pipe::V) => "vector",
        Some(Pipe::M) => "cube",
        Some(Pipe::Mte1) => "MTE1",
        Some(Pipe::Mte2) => "MTE2",
        Some(Pipe::Mte3) => "MTE3",
        Some(Pipe::Fix) => "fix",
        Some(Pipe::All) | None => "background",
    }
}

/// What a pipe does, in a few words.
pub fn pipe_work(pipe: Option<Pipe>) -> &'static str {
    match pipe {
        Some(Pipe::S) => text!("issues instructions and computes scalars"),
        Some(Pipe::V) => text!("computes on tiles in UB"),
        Some(Pipe::M) => text!("multiplies matrices"),
        Some(Pipe::Mte1) => text!("moves tiles from L1 to L0A and L0B"),
        Some(Pipe::Mte2) => text!("loads from global memory"),
        Some(Pipe::Mte3) => text!("stores from UB and L1"),
        Some(Pipe::Fix) => text!("stores from L0C, converting"),
        Some(Pipe::All) | None => text!("transfers in the background"),
    }
}
