//! The steps of a plan.

use super::ids::*;
use super::loops::LoopTable;
use super::registers::KeptValue;
use super::scalars::{ExtendedOp, FloatOp, FloatType, IntOp, IntType, ScalarCast};
use pto_ir::OpId;

/// One step. Rare or large ones are kept in lists of the plan, by position.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Jump(StepId),
    Branch {
        condition: Reg,
        yes: StepId,
        no: StepId,
    },
    Switch(SwitchId),
    /// Leaves a counted loop when the counter has reached its bound.
    LoopTest {
        counter: Reg,
        bound: Reg,
        exit: StepId,
    },
    LoopNext {
        counter: Reg,
        step: Reg,
        head: StepId,
    },
    /// Enters a loop that has no counter.
    EnterLoop(CountId),
    /// Begins another iteration of it.
    NextIteration {
        head: StepId,
        count: CountId,
    },
    /// The step of a loop must be positive.
    LoopBy(Reg),
    Move {
        from: Reg,
        to: Reg,
    },
    MoveTile {
        from: TileId,
        to: TileId,
    },
    MoveView {
        from: ViewId,
        to: ViewId,
    },
    /// Copies contents and valid region.
    CopyTile {
        from: TileId,
        to: TileId,
    },
    Int {
        op: IntOp,
        kind: IntType,
        a: Reg,
        b: Reg,
        out: Reg,
    },
    Float {
        op: FloatOp,
        kind: FloatType,
        a: Reg,
        b: Reg,
        out: Reg,
    },
    CompareInt {
        predicate: u8,
        kind: IntType,
        a: Reg,
        b: Reg,
        out: Reg,
    },
    CompareFloat {
        predicate: u8,
        kind: FloatType,
        a: Reg,
        b: Reg,
        out: Reg,
    },
    Cast {
        cast: ScalarCast,
        a: Reg,
        out: Reg,
    },
    Select {
        condition: Reg,
        a: Reg,
        b: Reg,
        out: Reg,
    },
    Extended {
        op: ExtendedOp,
        kind: IntType,
        a: Reg,
        b: Reg,
        out: Reg,
    },
    BlockIndex(Reg),
    BlockCount(Reg),
    SubblockIndex(Reg),
    SubblockCount(Reg),
    Bind(BindId),
    Assign {
        tile: TileId,
        address: Reg,
        out: TileId,
    },
    Window(WindowId),
    Retype {
        from: TileId,
        to: TileId,
        geometry: GeometryId,
    },
    /// `to` becomes tile number `slot` of a multi-buffered tile.
    Pick {
        from: TileId,
        slot: Reg,
        count: u32,
        to: TileId,
    },
    SetValid {
        tile: TileId,
        rows: Reg,
        cols: Reg,
    },
    /// The result of a load takes the extents of the window.
    ValidFromView {
        tile: TileId,
        view: ViewId,
    },
    ValidFromTile {
        tile: TileId,
        from: TileId,
    },
    /// A result takes its extents from several tiles.
    ValidFromTiles(OpenRegionId),
    GetValid {
        tile: TileId,
        rows: Reg,
        cols: Reg,
    },
    /// The scale tile of an operand lies where the operand does, in the memory of its scales.
    ScaleAddress {
        operand: TileId,
        scale: TileId,
    },
    TileAddress {
        tile: TileId,
        out: Reg,
    },
    MakeView(MakeViewId),
    Partition(PartitionId),
    ViewExtent {
        view: ViewId,
        rank: u8,
        strides: bool,
        index: Reg,
        out: Reg,
    },
    ViewAddress {
        view: ViewId,
        out: Reg,
    },
    Offset {
        address: Reg,
        index: Reg,
        bits: u32,
        out: Reg,
    },
    LoadScalar(AccessId),
    StoreScalar(AccessId),
    Allocate(AllocationId),
    LocalGet(LocalId),
    LocalSet(LocalId),
    TileGet {
        tile: TileId,
        offset: Reg,
        out: Reg,
    },
    TileSet {
        tile: TileId,
        offset: Reg,
        value: Reg,
    },
    Kernel(KernelId),
    Print(PrintId),
    Check(CheckId),
    /// Orders pipes; nothing to do here but to say that it happened.
    Order(OrderId),
    /// Concerns other cores, and may have to wait for them.
    Link(LinkId),
    Trap,
    End,
}

impl Step {
    /// True for steps that change no register and no memory, and have no events.
    #[inline(always)]
    pub fn is_idle(&self) -> bool {
        matches!(
            self,
            Self::Jump(_)
                | Self::Branch { .. }
                | Self::Switch(_)
                | Self::LoopTest { .. }
                | Self::LoopBy(_)
                | Self::Check(_)
        )
    }

    /// True for steps on registers that may put a known tile elsewhere, or give it other extents. A tile that is bound or cut out is new.
    pub fn places_tiles(&self) -> bool {
        matches!(
            self,
            Self::MoveTile { .. }
                | Self::Assign { .. }
                | Self::Retype { .. }
                | Self::Pick { .. }
                | Self::SetValid { .. }
                | Self::ValidFromView { .. }
                | Self::ValidFromTile { .. }
                | Self::ValidFromTiles(_)
                | Self::ScaleAddress { .. }
        )
    }

    /// True for steps that continue with the next one and touch no memory but registers.
    pub fn is_of_registers(&self) -> bool {
        let other = matches!(
            self,
            Self::Move { .. }
                | Self::MoveView { .. }
                | Self::Int { .. }
                | Self::Float { .. }
                | Self::CompareInt { .. }
                | Self::CompareFloat { .. }
                | Self::Cast { .. }
                | Self::Select { .. }
                | Self::Extended { .. }
                | Self::BlockIndex(_)
                | Self::BlockCount(_)
                | Self::SubblockIndex(_)
                | Self::SubblockCount(_)
                | Self::Bind(_)
                | Self::Window(_)
                | Self::GetValid { .. }
                | Self::TileAddress { .. }
                | Self::MakeView(_)
                | Self::Partition(_)
                | Self::ViewExtent { .. }
                | Self::ViewAddress { .. }
                | Self::Offset { .. }
                | Self::Check(_)
                | Self::Order(_)
        );
        other || self.places_tiles()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Switch {
    pub on: Reg,
    pub cases: Vec<SwitchCase>,
    pub default: SwitchCase,
}

/// One way of a switch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SwitchCase {
    /// The number that leads there; without a meaning for the default.
    pub value: i64,
    pub to: StepId,
    /// The first of the successors, or regions, that leads to the same place in the text.
    pub way: u32,
}

/// The steps, in order.
#[derive(Clone, Default, Debug)]
pub(crate) struct StepList {
    pub steps: Table<StepId, Step>,
    /// The operation each step belongs to.
    pub origins: Table<StepId, OpId>,
    /// The loops each step belongs to.
    pub loops: LoopTable,
    pub switches: Table<SwitchId, Switch>,
    /// The steps that read an element of a tile.
    pub element_reads: Vec<StepId>,
    /// Where values are kept, in the order of the steps.
    pub values: Vec<KeptValue>,
}

// Every step of a scalar loop is loaded, so they stay small.
const _: () = assert!(size_of::<Step>() <= 20);
