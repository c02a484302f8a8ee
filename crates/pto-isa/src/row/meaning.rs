//! The meaning of an operation: passes, checks and engines match on this column instead of comparing names.

use super::CoreKind;

/// What an operation is.
///
/// A pass that treats a loop, an allocation or a push specially matches on this column, so it handles every spelling, and
/// a new row joins by stating its meaning. Operations with the same meaning differ only in their text, or in operands that
/// their slots name.
///
/// ```
/// use pto_isa::row::{Control, Meaning};
/// use pto_isa::table;
///
/// let loops = table::all().filter(|op| op.control().is_some_and(Control::is_loop));
/// assert_eq!(loops.map(|op| op.row().name).collect::<Vec<_>>(), ["scf.for", "scf.while"]);
/// let multiply = table::find("pto.tmul").expect("an instruction");
/// assert_eq!(multiply.row().meaning, Meaning::Plain);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Meaning {
    /// Reads and writes its operands; only its row and its kernel matter.
    Plain,
    /// Holds regions, or steers between them.
    Control(Control),
    /// Computes a scalar.
    Arith(Arith),
    /// Makes, names or queries memory; no data moves.
    Storage(Storage),
    /// Moves data unchanged.
    Movement(Movement),
    /// Works on a pipe between cores.
    Fifo(Fifo),
    /// Orders pipes or cores.
    Sync(SyncOp),
    /// Moves data between ranks, or signals them.
    Comm(CommOp),
    /// Queries the index or the number of cores.
    Query(CoreQuery),
    /// Declares or accesses a local array or structure.
    Local(LocalOp),
    /// Switches how later stores combine with memory.
    Atomic(AtomicMode),
}

/// Operations that hold regions or steer between them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Control {
    /// Functions that belong together.
    Module,
    /// A function.
    Function,
    /// Leaves a function.
    Return,
    /// Calls a function.
    Call,
    /// Counts.
    For,
    /// Repeats while its first region says so.
    While,
    /// Runs one of two regions.
    If,
    /// Runs one of several regions.
    IndexSwitch,
    /// Runs its region once.
    Execute,
    /// As `Execute`, for operations that a tool fused.
    Fusion,
    /// Code for one kind of core.
    Section(CoreKind),
    /// Ends a region and hands values to the operation around it.
    Yield,
    /// As `Yield`, in a fused region.
    FusionYield,
    /// Ends the first region of a `While`: continues or leaves the loop.
    Condition,
    /// Goes to a block.
    Branch,
    /// Goes to one of two blocks.
    CondBranch,
    /// Goes to one of several blocks.
    Switch,
}

impl Control {
    /// Its regions run any number of times.
    pub const fn is_loop(self) -> bool {
        matches!(self, Self::For | Self::While)
    }

    /// It goes to another block of the same region.
    pub const fn is_branch(self) -> bool {
        matches!(self, Self::Branch | Self::CondBranch | Self::Switch)
    }

    /// It hands values to the operation around its region.
    pub const fn is_yield(self) -> bool {
        matches!(self, Self::Yield | Self::FusionYield)
    }

    /// It ends a block.
    ///
    /// ```
    /// use pto_isa::row::Control;
    /// assert!(Control::Return.is_terminator() && !Control::Call.is_terminator());
    /// ```
    pub const fn is_terminator(self) -> bool {
        self.is_branch() || self.is_yield() || matches!(self, Self::Return | Self::Condition)
    }
}

/// Scalar operations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Arith {
    Constant,
    CompareInt,
    CompareFloat,
    Select,
    Add,
    Sub,
    Mul,
    DivSigned,
    DivUnsigned,
    RemSigned,
    RemUnsigned,
    FloorDivSigned,
    CeilDivSigned,
    CeilDivUnsigned,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRightSigned,
    ShiftRightUnsigned,
    MaxSigned,
    MinSigned,
    MaxUnsigned,
    MinUnsigned,
    AddFloat,
    SubFloat,
    MulFloat,
    DivFloat,
    RemFloat,
    MaximumFloat,
    MinimumFloat,
    MaxNumFloat,
    MinNumFloat,
    NegFloat,
    NegInt,
    AbsInt,
    AbsFloat,
    Exp,
    Log,
    Sqrt,
    IndexCast,
    IndexCastUnsigned,
    Truncate,
    ExtendSigned,
    ExtendUnsigned,
    Bitcast,
    SignedToFloat,
    UnsignedToFloat,
    FloatToSigned,
    FloatToUnsigned,
    ExtendFloat,
    TruncateFloat,
    /// The same value under another type.
    Unrealized,
    AddExtended,
    MulExtendedSigned,
    MulExtendedUnsigned,
    ClearBit,
    SetBit,
}

/// The scalar operation that a row is another spelling of. The reader makes that one, so nothing behind it knows the spelling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Twin {
    /// This one.
    Is(Arith),
    /// One for `signedness = signed`, the other for `unsigned`.
    Signed(Arith, Arith),
    /// This one for scalars; for tiles the row is an operation of its own.
    Scalars(Arith),
    /// A comparison of integers; predicate and `signedness` are one predicate there.
    CompareInt,
    /// A comparison of floats; a short predicate is the ordered one there.
    CompareFloat,
    /// A conversion between floats: wider or narrower, as the types say.
    FloatWidth,
}

/// Operations that make, name or query memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// Allocates a tile.
    Tile,
    /// Allocates several equal tiles under one name.
    Tiles,
    /// Allocates a plain buffer.
    Buffer,
    /// A plain buffer at given addresses.
    BufferAt,
    /// A lowered tile without memory.
    OpenBuffer,
    /// Ends a plain buffer.
    Free,
    /// One tile of several.
    Pick,
    /// Binds a tile to an address.
    Assign,
    /// The bytes of a tile as another type.
    Retype,
    /// A window of a tile, as a new value.
    Window,
    /// As `Window`, valid where the source is.
    ClippedWindow,
    /// Binds a tile to a window of another.
    BindWindow,
    /// Binds a tile to the memory of another.
    BindAlias,
    /// Gives a plain buffer the properties of a tile.
    BindTile,
    /// A plain buffer as another type.
    BufferCast,
    /// A window of a plain buffer.
    BufferWindow,
    /// A plain buffer with other extents and strides.
    BufferRecast,
    /// Sets the valid region of a tile.
    SetValid,
    /// Queries the valid region of a tile.
    GetValid,
    /// Queries the valid rows of a tile.
    ValidRows,
    /// Queries the valid columns of a tile.
    ValidCols,
    /// A view of global memory.
    View,
    /// A window of a view.
    Partition,
    /// Queries an extent of a view.
    ViewExtent,
    /// Queries a stride of a view.
    ViewStride,
    /// Queries an extent of a plain buffer.
    BufferExtent,
    /// The address of a view.
    ViewAddress,
    /// The address of a tile.
    TileAddress,
    /// A pointer some elements further on.
    Offset,
    /// A pointer as another type.
    CastPointer,
    /// A pointer from a number.
    ToPointer,
    /// A number from a pointer.
    FromPointer,
}

impl Storage {
    /// It allocates memory for its result: at a given address, or anywhere.
    pub const fn is_allocation(self) -> bool {
        matches!(self, Self::Tile | Self::Tiles | Self::Buffer | Self::BufferAt)
    }

    /// It allocates tiles.
    pub const fn allocates_tiles(self) -> bool {
        matches!(self, Self::Tile | Self::Tiles)
    }

    /// It cuts a window out of a tile, as a new value.
    pub const fn is_window(self) -> bool {
        matches!(self, Self::Window | Self::ClippedWindow)
    }

    /// It makes a lowered buffer that says itself what tile it is.
    pub const fn makes_buffer(self) -> bool {
        matches!(self, Self::Buffer | Self::BufferAt | Self::BindTile | Self::OpenBuffer)
    }
}

/// Operations that move data unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Movement {
    /// From global memory to a tile.
    Load,
    /// From a tile to global memory.
    Store,
    /// As `Store`, scaled by a table.
    StoreScaled,
    /// From a tile to a tile.
    Copy,
    /// Loads one element through a pointer.
    LoadScalar,
    /// Stores one element through a pointer.
    StoreScalar,
    /// One element of a plain buffer to a scalar.
    LoadElement,
    /// A scalar to one element of a plain buffer.
    StoreElement,
    /// One element of a tile to a scalar.
    GetElement,
    /// A scalar to one element of a tile.
    SetElement,
}

/// Operations on a pipe between the cube core and the vector cores of a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fifo {
    /// Opens an end.
    Open(EndForm),
    /// Works on an entry; an operation that takes the pipe as a value leaves the direction to the pipe.
    Entry(EntryAction, Option<Direction>),
    /// Reserves memory for slots.
    Reserve,
    /// The address of memory that another function reserves.
    Import,
    /// A tile or view without memory, for an entry.
    Declare,
    /// Sets what the next pushes of accumulators are scaled with.
    Scale(ScaleForm),
}

impl Fifo {
    /// What it does with an entry.
    pub const fn action(self) -> Option<EntryAction> {
        match self {
            Self::Entry(action, _) => Some(action),
            _ => None,
        }
    }
}

/// What pushed accumulators are scaled with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ScaleForm {
    /// One number.
    Scalar,
    /// A number for each column.
    Vector,
}

/// The end of a pipe that an operation opens.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EndForm {
    /// That of this kind of core; users find it by its id.
    Named(CoreKind),
    /// A handle of a pipe through local memory.
    Local,
    /// A handle of a pipe through global memory.
    Global,
}

impl EndForm {
    /// Users find it by its id rather than by a handle.
    pub const fn is_named(self) -> bool {
        matches!(self, Self::Named(_))
    }
}

/// What an operation does with an entry of a pipe.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EntryAction {
    /// Reserves a slot.
    Alloc,
    /// Fills a slot and signals the consumer.
    Push,
    /// Takes a full slot.
    Pop,
    /// Gives a slot back.
    Free,
}

impl EntryAction {
    /// The side that fills slots does it.
    pub const fn is_of_producer(self) -> bool {
        matches!(self, Self::Alloc | Self::Push)
    }
}

/// Which way data flows through a pipe.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Direction {
    /// From the cube core to the vector cores.
    ToVector,
    /// From a vector core to the cube core.
    ToCube,
}

impl Direction {
    /// Its bit in `dir_mask`.
    pub const fn bit(self) -> i64 {
        match self {
            Self::ToVector => 1,
            Self::ToCube => 2,
        }
    }

    /// The kind of core that pops.
    pub const fn consumer(self) -> CoreKind {
        match self {
            Self::ToVector => CoreKind::Vector,
            Self::ToCube => CoreKind::Cube,
        }
    }

    /// Words for messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ToVector => "cube to vector",
            Self::ToCube => "vector to cube",
        }
    }
}

/// Operations that order pipes or cores.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SyncOp {
    /// Sets a flag between two pipes.
    SetFlag(FlagForm),
    /// Waits for a flag between two pipes.
    WaitFlag(FlagForm),
    /// Waits for a pipe, or for all.
    Barrier,
    /// Waits for the pipe of a kind of operation.
    BarrierOf,
    /// Waits for what writes tiles.
    Tiles,
    /// Takes a token of a buffer.
    Acquire(FlagForm),
    /// Gives a token of a buffer back.
    Release(FlagForm),
    /// Signals other cores.
    Signal(SignalForm),
    /// Waits for a signal of other cores.
    Await(SignalForm),
    /// Waits for all cores.
    AllCores,
    /// All pipes finish, and what they wrote can be seen.
    Fence,
    /// Writes back what the scalar unit keeps of memory, and forgets it.
    CleanCache,
}

impl SyncOp {
    /// It is about a flag between two pipes.
    pub const fn is_flag(self) -> bool {
        matches!(self, Self::SetFlag(_) | Self::WaitFlag(_))
    }

    /// It is about a token of a buffer.
    pub const fn is_token(self) -> bool {
        matches!(self, Self::Acquire(_) | Self::Release(_))
    }

    /// It waits for pipes of the same core.
    pub const fn is_barrier(self) -> bool {
        matches!(self, Self::Barrier | Self::BarrierOf)
    }

    /// It signals other cores or waits for such a signal.
    pub const fn is_signal(self) -> bool {
        matches!(self, Self::Signal(_) | Self::Await(_))
    }
}

/// How an operation names a flag or token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FlagForm {
    /// By an attribute, with the pipes.
    Fixed,
    /// By an operand, with the pipes.
    Computed,
    /// By an attribute, with the kinds of operations that the pipes execute.
    Event,
}

/// Between which cores a signal goes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SignalForm {
    /// Between cube core and vector cores.
    Cores,
    /// Between the cores of a block.
    Block,
    /// Between blocks.
    Blocks,
    /// Between cores, by a word that says which.
    Device,
}

/// Operations between ranks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CommOp {
    /// Writes to memory of another rank.
    Put,
    /// Reads from memory of another rank.
    Get,
    /// Changes a signal of another rank.
    Notify,
    /// Waits for a signal.
    Wait,
    /// Tests a signal.
    Test,
    /// Collects from all ranks.
    Gather,
    /// Hands parts to all ranks.
    Scatter,
    /// Hands the same to all ranks.
    Broadcast,
    /// Combines what all ranks have.
    Reduce,
    /// Starts a session of transfers in the background.
    OpenSession,
    /// As `Put`, in the background.
    PutAsync,
    /// As `Get`, in the background.
    GetAsync,
    /// Waits for a transfer in the background.
    WaitAsync,
    /// Tests a background transfer.
    TestAsync,
    /// Prepares prefetches in the background.
    PrefetchContext,
    /// The session of such prefetches.
    PrefetchSession,
}

/// The property of the cores that an operation queries.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CoreQuery {
    /// The number of the block.
    BlockIndex,
    /// How many blocks there are.
    BlockCount,
    /// The number of the vector core in its block.
    SubblockIndex,
    /// How many vector cores a block has.
    SubblockCount,
}

impl CoreQuery {
    /// It is about the vector cores of a block.
    pub const fn is_of_subblock(self) -> bool {
        matches!(self, Self::SubblockIndex | Self::SubblockCount)
    }
}

/// Operations on local arrays and structures.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum LocalOp {
    DeclareArray,
    GetElement,
    SetElement,
    DeclareStruct,
    GetField,
    SetField,
    DeclareEventIds,
    GetEventId,
    SetEventId,
}

/// A way to combine a new value with one that is there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Combine {
    Add,
    Max,
    Min,
}

impl Combine {
    /// By the number that plans and immediates use; 0 is an ordinary write.
    pub fn from_code(code: u64) -> Option<Self> {
        [Self::Add, Self::Max, Self::Min].into_iter().find(|c| c.code() == code)
    }

    /// The number of a way to combine.
    pub const fn code(self) -> u64 {
        self as u64 + 1
    }

    /// By the last word of an enumerator: `add`, `max`, `min`; ordinary writes are called `none`.
    ///
    /// ```
    /// use pto_isa::row::Combine;
    /// assert_eq!(Combine::parse("atomic_max"), Some(Combine::Max));
    /// assert_eq!(Combine::parse("atomic_none"), None);
    /// ```
    pub fn parse(name: &str) -> Option<Self> {
        match name.rsplit('_').next() {
            Some("add") => Some(Self::Add),
            Some("max") => Some(Self::Max),
            Some("min") => Some(Self::Min),
            _ => None,
        }
    }
}

/// What a switch for later stores sets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AtomicMode {
    /// Stores combine with memory.
    Combine(Combine),
    /// Stores overwrite.
    Overwrite,
    /// The element type of stores that combine.
    Element,
}

/// Conversions for [`Op::of`](crate::Op::of).
macro_rules! meanings {
    ($($variant:ident($kind:ty)),+) => {$(
        impl From<$kind> for Meaning {
            fn from(kind: $kind) -> Self {
                Self::$variant(kind)
            }
        }
    )+};
}

meanings!(
    Control(Control),
    Arith(Arith),
    Storage(Storage),
    Movement(Movement),
    Fifo(Fifo),
    Sync(SyncOp),
    Comm(CommOp),
    Query(CoreQuery),
    Local(LocalOp),
    Atomic(AtomicMode)
);
