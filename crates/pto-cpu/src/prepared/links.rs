//! What concerns other cores: signals, barriers, pipes and transfers between ranks.

use super::ids::{EndId, GeometryId, Reg, TileId, ViewId};
use super::orders::Background;
use super::tiles::ExtentValue;
use super::views::Pointer;
use crate::kernels::Code;
use pto_ir::OpId;
pub(crate) use pto_isa::row::Direction;

/// One end of a pipe.
#[derive(Clone, Debug)]
pub(crate) struct PipeEnd {
    /// The same on both sides.
    pub key: u32,
    pub slot_size: u64,
    pub slots: u32,
    /// Slots of the consumer's local ring.
    pub local_slots: u32,
    /// Where slots in global memory start.
    pub global: Option<Pointer>,
    /// Local rings of the consumers: of the vector cores, of the cube core.
    pub local: [Option<Reg>; 2],
    /// Bytes that were reserved for them, where the program says so.
    pub room: [Option<u64>; 2],
    pub both_ways: bool,
    /// The first of the signals it uses, where that is stated.
    pub flag_base: Option<i64>,
    /// The operation that opens it.
    pub init: OpId,
}

/// What goes through a pipe.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PipeEntry {
    Tile(TileId),
    /// A slot in global memory.
    Slot(ViewId),
    Nothing,
}

/// An instruction on a pipe.
#[derive(Clone, Debug)]
pub(crate) struct PipeOp {
    pub end: EndId,
    pub way: Direction,
    pub entry: PipeEntry,
    /// How the vector cores share a tile: 0 not, 1 and 3 by rows, 2 and 4 by columns.
    pub split: u8,
    /// The vector core it stands for, where that is stated.
    pub subblock: Option<Reg>,
    /// Geometry and valid region of a popped tile; bits of its elements.
    pub geometry: GeometryId,
    pub valid: (ExtentValue, ExtentValue),
    pub bits: u32,
    /// Moves the tile to or from the slot.
    pub run: Option<Code>,
    /// What an accumulator is quantised with on its way.
    pub scale: Scale,
}

/// What the fix pipe scales accumulators with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scale {
    None,
    /// One number for all.
    Number(Reg),
    /// A number for each column.
    Table(TileId),
}

/// The cores that take part in a barrier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Set {
    /// The vector cores.
    Vector,
    /// The cube cores.
    Cube,
    /// All of them.
    All,
}

/// A transfer between ranks.
#[derive(Clone, Debug)]
pub(crate) struct Transfer {
    pub kind: TransferKind,
    /// The view on this rank.
    pub own: ViewId,
    /// The other views, by rank.
    pub others: Vec<ViewId>,
    pub root: u32,
    /// The staging tile; where data is combined, the accumulator comes first.
    pub stages: Vec<TileId>,
    pub load: Code,
    pub store: Code,
    /// Its stores add to what is there.
    pub atomic: bool,
    /// Combines the second stage into the first.
    pub combine: Option<Code>,
    pub bits: u32,
    /// Where it works in the background.
    pub background: Option<Background>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TransferKind {
    /// From the other view to this one.
    Get,
    /// From this view to the other.
    Put,
    Gather,
    Scatter,
    Broadcast,
    Reduce,
    /// Flat, without a stage.
    Copy,
}

impl Transfer {
    /// The views it reads.
    pub fn sources(&self) -> Vec<ViewId> {
        match self.kind {
            TransferKind::Get | TransferKind::Gather | TransferKind::Reduce => self.others.clone(),
            TransferKind::Put | TransferKind::Scatter | TransferKind::Broadcast | TransferKind::Copy => vec![self.own],
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Link {
    Open(EndId),
    Push(PipeOp),
    Pop(PipeOp),
    Free(PipeOp),
    Alloc(PipeOp),
    Signal { id: Reg, mode: Option<u8> },
    Await { id: Reg },
    Barrier { set: Set, soft: bool, cores: Option<Reg> },
    Notify { signal: ViewId, value: Reg, add: bool },
    WaitSignal { signal: ViewId, value: Reg, cmp: u8 },
    TestSignal { signal: ViewId, value: Reg, cmp: u8, out: Reg },
    Transfer(Transfer),
}
