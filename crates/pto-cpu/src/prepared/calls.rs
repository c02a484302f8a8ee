//! Instructions: the kernels they call, what they print, and the rules that are checked before.

use super::ids::*;
use super::links::{Link, PipeEnd};
use super::orders::PipeOrder;
use super::registers::ValueStorage;
use super::scalars::ScalarElem;
use crate::kernels::{Code, Combine, FactorUse, KernelCut, RecordUse, WrittenPart};
use pto_ir::ValueId;
use pto_isa::row::HiddenMemory;
use pto_isa::{DType, Pipe};

/// Tile operands a kernel may have.
pub(crate) const MAX_TILES: usize = 12;
/// Windows of global memory a kernel may have.
pub(crate) const MAX_VIEWS: usize = 2;
/// Scalars a kernel may have.
pub(crate) const MAX_SCALARS: usize = 16;

/// What the steps that execute instructions refer to.
#[derive(Clone, Default, Debug)]
pub(crate) struct CallTables {
    pub kernels: Table<KernelId, KernelStep>,
    pub prints: Table<PrintId, Print>,
    pub checks: Table<CheckId, RuleCheck>,
    /// What orders the pipes of a core.
    pub orders: Table<OrderId, PipeOrder>,
    /// The pipe that executes each of them.
    pub order_pipes: Table<OrderId, Option<Pipe>>,
    /// What concerns other cores: signals, pipes, barriers, transfers.
    pub links: Table<LinkId, Link>,
    /// Ends of pipes this core opens.
    pub ends: Table<EndId, PipeEnd>,
}

/// An instruction that a kernel executes.
#[derive(Clone, Debug)]
pub(crate) struct KernelStep {
    pub code: Code,
    pub tiles: Vec<CallOperand<TileId>>,
    pub views: Vec<CallOperand<ViewId>>,
    pub scalars: Vec<Option<Reg>>,
    pub pipe: Option<Pipe>,
    /// Says at run time whether its stores combine with what global memory holds.
    pub combines: Option<Reg>,
    /// How stores combine, regardless of the atomic mode.
    pub atomic: Option<Combine>,
    /// The tile of which only a part is used.
    pub part: Option<OperandPart>,
    /// The tile that the device works in; the kernel does not need it.
    pub scratch: Option<CallOperand<TileId>>,
    /// The device leaves it alone for these operands.
    pub idle_scratch: bool,
    /// Positions of the tiles that the device uses as scratch memory.
    pub lost: Vec<usize>,
    /// Memory that the device works in and no operand names.
    pub hidden: Vec<HiddenMemory>,
    /// Tiles that count as valid where another one is; see [`pto_check::widen`].
    pub wide: Option<WideSources>,
    /// What the result adds up.
    pub sum: Option<SumOf>,
    /// Which valid elements of its results it writes.
    pub writes: WrittenPart,
    /// How its work can be divided.
    pub cut: Option<KernelCut>,
    /// What it does with factors of products.
    pub factors: FactorUse,
    /// What it does with sorted lists.
    pub records: RecordUse,
    /// If it merges lists of which only the first columns are wanted: how many, else 0.
    pub wanted: u64,
    /// Whether it is left out, because a later one finds the records that are looked at.
    pub selection: RecordSelection,
    /// Whether it is executed strip by strip with its neighbours.
    pub strips: StripRole,
    /// Positions of the tiles that only the instructions use that it is executed with, as bits.
    pub own_tiles: u16,
}

/// The place of an instruction among those that sort a row of which only the first records are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RecordSelection {
    /// It is executed.
    None,
    /// Nobody looks at its lists.
    LeftOut,
    /// It writes the first records of what this instruction sorts.
    Of(KernelId),
}

/// The place of an instruction among those that are executed together, strip by strip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StripRole {
    /// It is executed alone.
    Alone,
    /// Others follow.
    Member,
    /// All are executed after it.
    Last,
}

/// A result that adds up rows or columns of an operand; positions among the tile operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SumOf {
    pub of: usize,
    pub along_row: bool,
    pub dst: usize,
    /// It is added to what `dst` held.
    pub continues: bool,
}

/// A part of a tile operand, as large as the valid region of another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OperandPart {
    /// Positions of the two among the tile operands.
    pub of: usize,
    pub like: usize,
    pub row: Reg,
    pub col: Reg,
}

/// Positions among the tiles of a kernel.
#[derive(Clone, Debug)]
pub(crate) struct WideSources {
    pub sources: Vec<usize>,
    pub dst: usize,
}

/// What is printed, under which name, and how.
#[derive(Clone, Debug)]
pub(crate) enum Print {
    Tile { tile: TileId, name: String, style: NumberStyle },
    View { view: ViewId, dtype: DType, name: String, style: NumberStyle },
    Scalar { value: Reg, kind: ScalarElem, format: String },
}

/// A tile or view operand; absent ones keep their place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallOperand<R> {
    /// The register, where it is there.
    pub register: Option<R>,
    pub value: Option<ValueId>,
    pub reads: bool,
    pub writes: bool,
}

/// Rules that must hold before an instruction, for the values it gets.
#[derive(Clone, Debug)]
pub(crate) struct RuleCheck {
    pub values: Vec<(ValueId, ValueStorage)>,
}

/// The width of printed numbers, and their decimals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NumberStyle {
    pub width: usize,
    pub digits: usize,
}
