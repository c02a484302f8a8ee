//! The instructions of a plan.

use crate::kernels::{Code, Combine};
use crate::run::Style;
use pto_ir::ValueId;
use pto_isa::row::{HiddenMemory, RegionExtent};
use pto_isa::{DType, GlobalLayout, Loc, Pipe};

/// A scalar register: integers and addresses as 64 bits, floats as the bits of an `f32` (`f64` as its own).
pub(crate) type Reg = u32;
/// A register that holds a tile: where it lies and what part of it is valid.
pub(crate) type TileId = u32;
/// A register that holds a window of memory.
pub(crate) type ViewId = u32;

/// Where a value is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Slot {
    /// Not placed: tokens, events and whatever else has no value here.
    Nothing,
    Scalar(Reg),
    Tile(TileId),
    /// Several tiles of the same size, one behind the other.
    Multi(TileId, u64),
    View(ViewId),
    /// Local scalars: the first register.
    Array(Reg),
    /// An end of a pipe.
    End(u32),
}

/// The state of a tile register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Tile {
    /// First byte in the core's memory.
    pub base: u64,
    /// The first byte of the whole tile of which this is a window.
    pub origin: u64,
    pub rows: u32,
    pub cols: u32,
    pub row_stride: u32,
    pub col_stride: u32,
    /// The layout of its memory: a tile type of the plan.
    pub geometry: u32,
    /// Which tile it is, whatever window or view of it this is.
    pub root: u32,
}

/// The state of a view register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct View {
    /// Address of the first element; in bytes of the space.
    pub address: u64,
    /// On-chip memory, or global memory.
    pub space: Option<Loc>,
    pub shape: [u64; 5],
    pub strides: [i64; 5],
    pub layout: GlobalLayout,
}

/// One step. Rare or large ones are kept in lists of the plan, by position.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Jump(u32),
    Branch {
        condition: Reg,
        yes: u32,
        no: u32,
    },
    Switch(u32),
    /// Leaves a counted loop when the counter has reached its bound.
    LoopTest {
        counter: Reg,
        bound: Reg,
        exit: u32,
    },
    LoopNext {
        counter: Reg,
        step: Reg,
        head: u32,
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
        kind: Int,
        a: Reg,
        b: Reg,
        out: Reg,
    },
    Float {
        op: FloatOp,
        kind: Float,
        a: Reg,
        b: Reg,
        out: Reg,
    },
    CompareInt {
        predicate: u8,
        kind: Int,
        a: Reg,
        b: Reg,
        out: Reg,
    },
    CompareFloat {
        predicate: u8,
        kind: Float,
        a: Reg,
        b: Reg,
        out: Reg,
    },
    Cast {
        cast: Cast,
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
        kind: Int,
        a: Reg,
        b: Reg,
        out: Reg,
    },
    BlockIndex(Reg),
    BlockCount(Reg),
    SubblockIndex(Reg),
    SubblockCount(Reg),
    Bind(u32),
    Assign {
        tile: TileId,
        address: Reg,
        out: TileId,
    },
    Window(u32),
    Retype {
        from: TileId,
        to: TileId,
        geometry: u32,
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
    ValidFromTiles(u32),
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
    MakeView(u32),
    Partition(u32),
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
    LoadScalar(u32),
    StoreScalar(u32),
    Allocate(u32),
    LocalGet(u32),
    LocalSet(u32),
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
    Kernel(u32),
    Print(u32),
    Check(u32),
    /// Orders pipes; nothing to do here but to say that it happened.
    Order(u32),
    /// Concerns other cores, and may have to wait for them.
    Link(u32),
    Trap,
    End,
}

/// How wide an integer is, and how it is kept in a register: sign-extended, or zero-extended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Int {
    pub bits: u8,
    pub unsigned: bool,
}

/// A floating-point type of scalars.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Float {
    F16,
    Bf16,
    F32,
    F64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum IntOp {
    Add,
    Sub,
    Mul,
    DivSigned,
    DivUnsigned,
    RemSigned,
    RemUnsigned,
    FloorDiv,
    CeilDivSigned,
    CeilDivUnsigned,
    And,
    Or,
    Xor,
    Shl,
    ShrSigned,
    ShrUnsigned,
    MaxSigned,
    MinSigned,
    MaxUnsigned,
    MinUnsigned,
    ClearBit,
    SetBit,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    /// NaN if either is NaN.
    Maximum,
    Minimum,
    /// The number, where one is NaN.
    MaxNum,
    MinNum,
    Neg,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ExtendedOp {
    AddUnsigned,
    MulSigned,
    MulUnsigned,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cast {
    /// Takes the low bits; sign- or zero-extends from `from` first.
    Int {
        from: Int,
        to: Int,
        signed: bool,
    },
    IntToFloat {
        from: Int,
        to: Float,
        signed: bool,
    },
    FloatToInt {
        from: Float,
        to: Int,
        signed: bool,
    },
    Float {
        from: Float,
        to: Float,
    },
    IntToFloatBits {
        to: Float,
    },
    FloatToIntBits {
        from: Float,
        to: Int,
    },
}

/// A tile that gets its place and valid region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bind {
    pub tile: TileId,
    pub address: Address,
    pub geometry: u32,
    pub rows: Extent,
    pub cols: Extent,
    /// How many tiles of this size lie there.
    pub count: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Address {
    /// A place of its own in the core's memory.
    Own(u64),
    /// The first of several places that none of the registers of a list is in.
    Free { first: u64, size: u64, held: u32 },
    /// An address in its space.
    At(Reg),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Extent {
    Fixed(u32),
    Reg(Reg),
}

/// A window of a tile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub from: TileId,
    pub to: TileId,
    pub row: Reg,
    pub col: Reg,
    /// Physical rows and columns of the window.
    pub size: (u32, u32),
    pub valid: WindowValid,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum WindowValid {
    Given(Extent, Extent),
    /// What of the source's valid region lies in the window.
    Inherited,
}

#[derive(Clone, Debug)]
pub(crate) struct MakeView {
    pub pointer: Pointer,
    pub shape: Vec<Reg>,
    pub strides: Vec<Reg>,
    pub layout: Option<GlobalLayout>,
    /// The tiles it is moved to and from have boxes.
    pub boxed: bool,
    pub bits: u32,
    pub out: ViewId,
}

/// A window of a view: offsets, sizes and, for memrefs, steps.
#[derive(Clone, Debug)]
pub(crate) struct Partition {
    pub from: ViewId,
    pub to: ViewId,
    pub offsets: Vec<Reg>,
    pub sizes: Vec<Reg>,
    pub steps: Vec<Reg>,
    pub bits: u32,
    /// Offsets and sizes replace those of the source instead of lying inside it.
    pub reinterpret: bool,
}

/// Something that holds an address.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pointer {
    Scalar(Reg, Option<Loc>),
    View(ViewId),
}

/// An access of the scalar unit.
#[derive(Clone, Debug)]
pub(crate) struct ScalarAccess {
    pub pointer: Pointer,
    /// One index into a pointer, or one per dimension of a view.
    pub indices: Vec<Reg>,
    pub elem: ScalarElem,
    pub value: Reg,
}

/// How a scalar lies in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ScalarElem {
    Int(Int),
    Float(Float),
}

impl ScalarElem {
    pub fn bits(self) -> u32 {
        match self {
            Self::Int(i) => u32::from(i.bits.max(8)),
            Self::Float(Float::F16 | Float::Bf16) => 16,
            Self::Float(Float::F32) => 32,
            Self::Float(Float::F64) => 64,
        }
    }
}

/// Memory of the core for a memref.
#[derive(Clone, Debug)]
pub(crate) struct Allocate {
    pub sizes: Vec<Extent>,
    pub bits: u32,
    pub out: ViewId,
    /// The buffer it gets, behind those of the arguments.
    pub buffer: u32,
    pub space: Option<Loc>,
    /// Its place, when it is on chip.
    pub own: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Local {
    pub array: Reg,
    pub dims: Vec<u32>,
    pub indices: Vec<Reg>,
    pub value: Reg,
}

#[derive(Clone, Debug)]
pub(crate) struct Switch {
    pub on: Reg,
    pub cases: Vec<(i64, u32)>,
    pub default: u32,
}

/// An instruction that a kernel executes.
#[derive(Clone, Debug)]
pub(crate) struct KernelStep {
    pub code: Code,
    pub tiles: Vec<Operand>,
    pub views: Vec<Operand>,
    pub scalars: Vec<Option<Reg>>,
    pub pipe: Option<Pipe>,
    /// Says at run time whether its stores combine with what global memory holds.
    pub combines: Option<Reg>,
    /// They do, whatever that says.
    pub atomic: Option<Combine>,
    /// The tile of which only a part is used.
    pub part: Option<Part>,
    /// The tile that the device works in; the kernel does not need it.
    pub scratch: Option<Operand>,
    /// The device leaves it alone for these operands.
    pub idle_scratch: bool,
    /// Positions of the tiles that the device uses as work space.
    pub lost: Vec<usize>,
    /// Memory that the device works in and no operand names.
    pub hidden: Vec<HiddenMemory>,
    /// Tiles that are taken to be valid where another one is; see [`pto_check::widen`].
    pub wide: Option<Wide>,
    /// What the result adds up.
    pub sum: Option<Sum>,
}

/// A result that adds up rows or columns of an operand; positions among the tile operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sum {
    pub of: usize,
    pub along_row: bool,
    pub dst: usize,
    /// It is added to what `dst` held.
    pub continues: bool,
}

/// A part of a tile operand, as large as the valid region of another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// Positions of the two among the tile operands.
    pub of: usize,
    pub like: usize,
    pub row: Reg,
    pub col: Reg,
}

/// Positions among the tiles of a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Wide {
    pub sources: Vec<usize>,
    pub dst: usize,
}

/// What is printed, under which name, and how.
#[derive(Clone, Debug)]
pub(crate) enum Print {
    Tile { tile: TileId, name: String, style: Style },
    View { view: ViewId, dtype: DType, name: String, style: Style },
    Scalar { value: Reg, kind: ScalarElem, format: String },
}

/// A tile or view operand; absent ones keep their place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    /// The register, where it is there.
    pub register: Option<u32>,
    pub value: Option<ValueId>,
    pub reads: bool,
    pub writes: bool,
}

/// Rules that must hold before an instruction, for the values it gets.
#[derive(Clone, Debug)]
pub(crate) struct RuleCheck {
    pub values: Vec<(ValueId, Slot)>,
}

/// A tile whose valid region follows from other tiles, each extent in its own way.
#[derive(Clone, Copy, Debug)]
pub struct OpenRegion {
    /// The tile.
    pub tile: TileId,
    /// Its valid rows.
    pub rows: OpenExtent,
    /// Its valid columns.
    pub cols: OpenExtent,
}

/// An extent as the row of an instruction gives it, with tiles for its slots.
#[derive(Clone, Copy, Debug)]
pub struct OpenExtent {
    /// What the row says.
    pub extent: RegionExtent,
    /// The tiles of its slots, in order.
    pub tiles: [TileId; 4],
    /// The index that it starts at, if any.
    pub index: Reg,
}
