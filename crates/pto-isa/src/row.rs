//! What a row of the instruction table can say.
//!
//! A row is a `const` value built with the short methods below, starting from a shape that brings what a
//! family shares (see [`shape`](crate::shape)). Everything the toolchain knows about an instruction is here
//! or in a function the row names.

use crate::enums::EnumDef;
use crate::rules::{Instance, Rule};
use crate::{DType, DTypes, Loc, Locs, Order, Pipe, Target, Targets, Type};

/// An operand position of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// The name in documentation, messages and the generic form.
    pub name: &'static str,
    /// Read, written, or both.
    pub dir: Dir,
    /// What may stand there.
    pub kind: Kind,
    /// How many operands it takes.
    pub count: Count,
    /// Which element types it takes.
    pub elem: Elem,
    /// In which memories its tile may live, on every target.
    pub locs: Locs,
    /// Which layouts its tile may have, on every target.
    pub orders: Orders,
    /// How the type follows from the others when the text leaves it out.
    pub infer: Infer,
}

/// Whether an operand is read, written, or both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Dir {
    In,
    Out,
    InOut,
}

/// How many operands a slot takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Count {
    One,
    Optional,
    Many,
}

/// What may stand in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A tile.
    Tile,
    /// Several tiles behind one name.
    MultiTile,
    /// A tile or a scalar (operand order decides the meaning).
    TileOrScalar,
    /// A tensor view or a window of one.
    View,
    /// A tile, or a view of global memory.
    TileOrView,
    /// Any integer or float.
    Scalar,
    /// An integer of any width, or an index.
    Int,
    /// An index.
    Index,
    /// One bit.
    Bool,
    /// A pointer.
    Ptr,
    /// A pipe handle.
    Pipe,
    /// An event.
    Event,
    /// An async session.
    Session,
    /// An event of an async transfer.
    AsyncEvent,
    /// An array of event ids.
    EventIds,
    /// A short vector.
    Vector,
    /// Any value.
    Any,
}

impl Kind {
    /// True when a value of this type may stand here. A lowered buffer may stand for a tile, a view or a pointer.
    pub const fn accepts(self, ty: &Type) -> bool {
        if matches!(ty, Type::Unknown) {
            return true;
        }
        let tile = matches!(ty, Type::Tile(_) | Type::TileBuf(_) | Type::Memref(_));
        let view = matches!(ty, Type::TensorView(_) | Type::PartitionView(_) | Type::Memref(_));
        match self {
            Self::Tile => tile,
            Self::MultiTile => matches!(ty, Type::MultiTile(..)),
            Self::TileOrScalar => tile || matches!(ty, Type::Scalar(_)),
            Self::View => view,
            Self::TileOrView => tile || view,
            Self::Scalar => matches!(ty, Type::Scalar(_)),
            Self::Int => matches!(ty, Type::Scalar(s) if s.is_int()),
            Self::Index => matches!(ty, Type::Scalar(crate::Scalar::Index)),
            Self::Bool => matches!(ty, Type::Scalar(crate::Scalar::I1)),
            Self::Ptr => matches!(ty, Type::Ptr(..) | Type::Memref(_)),
            Self::Pipe => matches!(ty, Type::Token(crate::Token::Pipe)),
            Self::Event => matches!(ty, Type::Token(crate::Token::Event | crate::Token::RecordEvent)),
            Self::Session => matches!(ty, Type::Token(crate::Token::AsyncSession)),
            Self::AsyncEvent => matches!(ty, Type::Token(crate::Token::AsyncEvent)),
            Self::EventIds => matches!(ty, Type::EventIds(_)),
            Self::Vector => matches!(ty, Type::Vector(_)),
            Self::Any => true,
        }
    }

    /// A word for messages.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Tile => "tile",
            Self::MultiTile => "multi-buffered tile",
            Self::TileOrScalar => "tile or scalar",
            Self::View => "view of global memory",
            Self::TileOrView => "tile or view of global memory",
            Self::Scalar => "scalar",
            Self::Int => "integer",
            Self::Index => "index",
            Self::Bool => "i1",
            Self::Ptr => "pointer",
            Self::Pipe => "pipe handle",
            Self::Event => "event",
            Self::Session => "async session",
            Self::AsyncEvent => "async event",
            Self::EventIds => "event-id array",
            Self::Vector => "vector",
            Self::Any => "value",
        }
    }
}

/// Which element types a slot takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Elem {
    /// Any; another rule may still restrict it.
    Any,
    /// One of the row's types for the target, the same in every `Data` slot.
    Data,
    /// One of these, on every target.
    Of(DTypes),
    /// The same as another slot.
    Like(&'static str),
}

/// A set of tile layouts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Orders(u8);

impl Orders {
    /// Any layout.
    pub const ANY: Self = Self(0x3f);
    /// Row-major without boxes.
    pub const ND: Self = Self::of(&[Order::Nd]);
    /// Rows (or rows of boxes) follow each other.
    pub const ROW_MAJOR: Self = Self::of(&[Order::Nd, Order::Zn, Order::Zz]);
    /// Without boxes, either order.
    pub const NONE_BOX: Self = Self::of(&[Order::Nd, Order::Dn]);
    /// Column-major boxes of row-major elements.
    pub const NZ: Self = Self::of(&[Order::Nz]);

    /// The set of the listed layouts.
    pub const fn of(list: &[Order]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < list.len() {
            bits |= 1 << list[i] as u8;
            i += 1;
        }
        Self(bits)
    }

    /// True when `o` is in the set.
    pub const fn contains(self, o: Order) -> bool {
        self.0 >> o as u8 & 1 == 1
    }
}

impl std::fmt::Display for Orders {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use Order::*;
        if *self == Self::ROW_MAJOR {
            return f.write_str("row-major");
        }
        let mut first = true;
        for o in [Nd, Dn, Nz, Zn, Zz, Nn] {
            if self.contains(o) {
                write!(f, "{}{o}", if first { "" } else { ", " })?;
                first = false;
            }
        }
        Ok(())
    }
}

/// How a result type follows from the operands when the text leaves it out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Infer {
    /// It does not; the text must say it.
    No,
    /// The same as this operand.
    Like(&'static str),
    /// A window of this tile: the attribute `sizes` gives rows and columns; the valid region is given by the
    /// operands `valid_row` and `valid_col`, else it is the whole window.
    Window(&'static str),
    /// The same, but without operands: the valid region is what the source's leaves of the window.
    Subset(&'static str),
    /// A window of this tensor view, with the extents of the operands `sizes`.
    Partition(&'static str),
    /// A scalar of the element type of this operand.
    ElementOf(&'static str),
    /// One of the tiles of this multi-buffered tile.
    SlotOf(&'static str),
    /// A packed mask for this operand: one bit per element, rows of whole 32-byte blocks.
    MaskFor(&'static str),
    /// This type, always.
    Fixed(FixedType),
}

/// Result types that do not depend on the operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum FixedType {
    I1,
    I32,
    I64,
    Index,
    Event,
    Pipe,
    AsyncSession,
    AsyncEvent,
}

impl Slot {
    /// A slot of this name, direction and kind that takes exactly one operand.
    pub const fn new(name: &'static str, dir: Dir, kind: Kind) -> Self {
        Self {
            name,
            dir,
            kind,
            count: Count::One,
            elem: Elem::Any,
            locs: Locs::ANY,
            orders: Orders::ANY,
            infer: Infer::No,
        }
    }

    /// May be left out.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.count = Count::Optional;
        self
    }

    /// Takes any number of operands.
    #[must_use]
    pub const fn many(mut self) -> Self {
        self.count = Count::Many;
        self
    }

    /// Takes the row's data types, the same in all such slots.
    #[must_use]
    pub const fn data(mut self) -> Self {
        self.elem = Elem::Data;
        self
    }

    /// Takes one of these element types on every target.
    #[must_use]
    pub const fn elem(mut self, list: &[DType]) -> Self {
        self.elem = Elem::Of(DTypes::of(list));
        self
    }

    /// Takes the element type of another slot.
    #[must_use]
    pub const fn like(mut self, slot: &'static str) -> Self {
        self.elem = Elem::Like(slot);
        self
    }

    /// Lives in one of these memories.
    #[must_use]
    pub const fn at(mut self, list: &[Loc]) -> Self {
        self.locs = Locs::of(list);
        self
    }

    /// Lives in the vector memory.
    #[must_use]
    pub const fn vec(self) -> Self {
        self.at(&[Loc::Vec])
    }

    /// Has one of these layouts.
    #[must_use]
    pub const fn order(mut self, orders: Orders) -> Self {
        self.orders = orders;
        self
    }

    /// Its type follows from others when left out.
    #[must_use]
    pub const fn infer(mut self, infer: Infer) -> Self {
        self.infer = infer;
        self
    }

    /// In the value form (level 1), this slot is a result rather than an operand.
    pub const fn is_result(&self) -> bool {
        matches!(self.dir, Dir::Out | Dir::InOut) && matches!(self.kind, Kind::Tile | Kind::Vector)
    }
}

/// An attribute of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct AttrSpec {
    /// Name.
    pub name: &'static str,
    /// Other accepted names.
    pub aliases: &'static [&'static str],
    /// What it may be.
    pub kind: AttrKind,
    /// Must be given.
    pub required: bool,
    /// What it is when not given, as written.
    pub default: &'static str,
    /// Targets that take it.
    pub targets: Targets,
    /// One line of documentation.
    pub doc: &'static str,
}

/// What an attribute may be.
#[derive(Clone, Copy, Debug)]
pub enum AttrKind {
    /// A value of an enumeration.
    Enum(&'static EnumDef),
    /// A value of one of two enumerations (an old and a new name of the same list).
    EnumOr(&'static EnumDef, &'static EnumDef),
    /// An integer in this closed range.
    Int(i64, i64),
    /// An integer in a list.
    OneOf(&'static [i64]),
    /// `true` or `false`.
    Bool,
    /// Text.
    Str,
    /// `@name`.
    Symbol,
    /// A list of integers.
    Ints,
    /// Present or absent.
    Unit,
    /// Anything the dialect allows; kept as written.
    Any,
}

/// A required attribute.
pub const fn attr(name: &'static str, kind: AttrKind, doc: &'static str) -> AttrSpec {
    AttrSpec { name, aliases: &[], kind, required: true, default: "", targets: Targets::ALL, doc }
}

/// An attribute that may be left out; `default` is what it then is (empty: nothing).
pub const fn opt_attr(name: &'static str, kind: AttrKind, default: &'static str, doc: &'static str) -> AttrSpec {
    AttrSpec { name, aliases: &[], kind, required: false, default, targets: Targets::ALL, doc }
}

impl AttrSpec {
    /// Also accepted under these names.
    #[must_use]
    pub const fn alias(mut self, names: &'static [&'static str]) -> Self {
        self.aliases = names;
        self
    }

    /// Only on these targets.
    #[must_use]
    pub const fn on(mut self, targets: Targets) -> Self {
        self.targets = targets;
        self
    }

    /// The enumeration its values come from.
    pub const fn enumeration(&self) -> Option<&'static EnumDef> {
        match self.kind {
            AttrKind::Enum(e) | AttrKind::EnumOr(e, _) => Some(e),
            _ => None,
        }
    }
}

/// The family of an instruction; one table file each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Family {
    Elementwise,
    TileScalar,
    Partial,
    Reduce,
    Expand,
    Memory,
    Matrix,
    Layout,
    Quant,
    Irregular,
    Sync,
    Fifo,
    Comm,
    View,
    Config,
    Arith,
    Control,
}

impl Family {
    /// Title for reference pages.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Elementwise => "Elementwise",
            Self::TileScalar => "Tile and scalar",
            Self::Partial => "Partial",
            Self::Reduce => "Reduction",
            Self::Expand => "Broadcast (expand)",
            Self::Memory => "Memory",
            Self::Matrix => "Matrix",
            Self::Layout => "Layout and movement",
            Self::Quant => "Quantisation",
            Self::Irregular => "Irregular",
            Self::Sync => "Synchronisation",
            Self::Fifo => "Pipes and FIFO",
            Self::Comm => "Communication",
            Self::View => "Buffers, views and queries",
            Self::Config => "Configuration",
            Self::Arith => "Scalar arithmetic",
            Self::Control => "Functions and control flow",
        }
    }

    /// True for PTO's own instructions; false for the host operations programs are glued with.
    pub const fn is_isa(self) -> bool {
        !matches!(self, Self::Arith | Self::Control)
    }
}

/// How an operation is written in the assembler dialect (level 2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Syntax {
    /// `ins(%a, %b : T, T) outs(%d : T) {…}`; with `attrs_in_ins` the dictionary stands before the colon.
    InsOuts {
        /// The attribute dictionary is printed inside `ins(…)`.
        attrs_in_ins: bool,
    },
    /// A pattern the printer follows; see [`Row::pattern`].
    Pattern(&'static str),
    /// A form with grammar of its own: regions, predicates, functions.
    Custom(Custom),
}

/// Operations whose text is not a list of operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Custom {
    Module,
    Func,
    Return,
    Call,
    For,
    If,
    While,
    Condition,
    Yield,
    ExecuteRegion,
    IndexSwitch,
    Section,
    Branch,
    CondBranch,
    Switch,
    Constant,
    Compare,
    Cast,
    Binary,
    Unary,
    Select,
    Extended,
    MemrefAlloc,
    MemrefLoad,
    MemrefStore,
    MemrefDim,
    MemrefCast,
    MemrefView,
}

/// What an operation with a grammar of its own is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Anatomy {
    /// Fewest and most operands.
    pub operands: (usize, usize),
    /// Fewest and most results.
    pub results: (usize, usize),
    /// Fewest and most regions.
    pub regions: (usize, usize),
    /// Fewest and most branch targets.
    pub successors: (usize, usize),
}

impl Custom {
    /// The numbers of parts that make sense; anything else can only be written in the generic form.
    pub const fn anatomy(self) -> Anatomy {
        const MANY: (usize, usize) = (0, usize::MAX);
        const NONE: (usize, usize) = (0, 0);
        const ONE: (usize, usize) = (1, 1);
        const fn of(
            operands: (usize, usize),
            results: (usize, usize),
            regions: (usize, usize),
            successors: (usize, usize),
        ) -> Anatomy {
            Anatomy { operands, results, regions, successors }
        }
        match self {
            Self::Module | Self::Section => of(NONE, NONE, ONE, NONE),
            Self::Func => of(NONE, NONE, (0, 1), NONE),
            Self::Return | Self::Yield => of(MANY, NONE, NONE, NONE),
            Self::Call => of(MANY, MANY, NONE, NONE),
            Self::For => of((3, usize::MAX), MANY, ONE, NONE),
            Self::If => of(ONE, MANY, (1, 2), NONE),
            Self::While => of(MANY, MANY, (2, 2), NONE),
            Self::Condition => of((1, usize::MAX), NONE, NONE, NONE),
            Self::ExecuteRegion => of(NONE, MANY, ONE, NONE),
            Self::IndexSwitch => of(ONE, MANY, (1, usize::MAX), NONE),
            Self::Branch => of(NONE, NONE, NONE, ONE),
            Self::CondBranch => of(ONE, NONE, NONE, (2, 2)),
            Self::Switch => of(ONE, NONE, NONE, (1, usize::MAX)),
            Self::Constant => of(NONE, ONE, NONE, NONE),
            Self::Compare | Self::Binary | Self::MemrefDim => of((2, 2), ONE, NONE, NONE),
            Self::Cast | Self::Unary | Self::MemrefCast => of(ONE, ONE, NONE, NONE),
            Self::Select => of((3, 3), ONE, NONE, NONE),
            Self::Extended => of((2, 2), (2, 2), NONE, NONE),
            Self::MemrefAlloc => of(MANY, ONE, NONE, NONE),
            Self::MemrefLoad | Self::MemrefView => of((1, usize::MAX), ONE, NONE, NONE),
            Self::MemrefStore => of((2, usize::MAX), NONE, NONE, NONE),
        }
    }
}

/// Over which elements an instruction works.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Domain {
    /// Not a tile computation.
    None,
    /// The valid region of this operand.
    Valid(&'static str),
    /// The whole physical tile of this operand.
    Whole(&'static str),
    /// The matrix product: rows and depth of the left operand, columns of the right.
    Matmul,
}

/// May the destination share memory with a source?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alias {
    /// Yes, at the same address.
    InPlace,
    /// Not on these targets.
    Distinct(Targets),
    /// The question does not arise.
    None,
}

/// On which pipe an instruction runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pipes {
    /// None: it is not an instruction of the core (views, functions).
    None,
    /// Always this one.
    One(Pipe),
    /// The first case that fits the operands' memories.
    Cases(&'static [PipeCase]),
    /// The pipe an attribute names.
    Attr(&'static str),
}

/// One case of [`Pipes::Cases`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PipeCase {
    /// Targets the case is about.
    pub targets: Targets,
    /// Memory of the first tile read, if it matters.
    pub src: Option<Loc>,
    /// Memory of the first tile written, if it matters.
    pub dst: Option<Loc>,
    /// The pipe.
    pub pipe: Pipe,
}

/// Which kind of core an instruction belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Core {
    /// Either kind.
    Any,
    /// The core with the matrix unit.
    Cube,
    /// The cores with the vector unit.
    Vector,
}

impl Core {
    /// A word for messages, as in `pto.kernel_kind`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Cube => "cube",
            Self::Vector => "vector",
        }
    }
}

/// What an instruction does besides reading and writing its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing.
    Operands,
    /// It orders others.
    Sync,
    /// It changes state of the core that later instructions read.
    Config,
    /// It names memory or computes an address; no data moves.
    View,
    /// It steers the program.
    Control,
    /// It prints.
    Debug,
}

/// The scratch tile of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Scratch {
    /// The slot.
    pub slot: &'static str,
    /// Targets on which it must be given.
    pub required: Targets,
    /// Targets on which it must not be given.
    pub forbidden: Targets,
    /// How large it must be, in words.
    pub rule: &'static str,
    /// The same in bytes, where the operand types determine it.
    pub bytes: Option<fn(&Instance) -> Option<u64>>,
}

/// Which law of the cost model applies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Cost {
    None,
    VectorUnary,
    VectorBinary,
    VectorScalar,
    VectorMath,
    VectorCompare,
    VectorSelect,
    VectorConvert,
    VectorFill,
    Partial,
    RowReduce,
    ColReduce,
    RowExpand,
    ColExpand,
    Transpose,
    Sort,
    Gather,
    Load,
    Store,
    Move,
    FixPipe,
    Matmul,
    Scalar,
    Sync,
    Fifo,
    Comm,
}

/// Performance figures printed on an instruction's page, in cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DocumentedCost {
    /// Start-up latency.
    pub startup: u32,
    /// Completion latency for floating-point elements.
    pub completion_fp: u32,
    /// Completion latency for integers.
    pub completion_int: u32,
    /// Cycles per repeat.
    pub per_repeat: u32,
    /// Interval between two dependent instructions.
    pub interval: u32,
}

/// How the instruction is spelled in C++ against the device headers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cpp {
    /// Function name; empty where none exists.
    pub name: &'static str,
    /// Argument order by slot or attribute name; empty: written operands, then read ones, then attributes.
    pub args: &'static [&'static str],
    /// Attributes passed as template arguments.
    pub templates: &'static [&'static str],
}

/// A row of the instruction table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Mnemonic, without the dialect prefix.
    pub name: &'static str,
    /// Other accepted mnemonics.
    pub aliases: &'static [&'static str],
    /// Dialect prefix: `pto`, `arith`, ….
    pub dialect: &'static str,
    /// Family.
    pub family: Family,
    /// Documentation, one line per element; the first is the summary.
    pub doc: &'static [&'static str],
    /// Operands in text order: those read, then those written.
    pub slots: &'static [Slot],
    /// Results that are not destinations of the DPS form: handles, scalars, views.
    pub results: &'static [Slot],
    /// Attributes.
    pub attrs: &'static [AttrSpec],
    /// Dialect spelling.
    pub syntax: Syntax,
    /// Operand order of the generic form by slot name, where it is not that of `slots`.
    pub generic_order: &'static [&'static str],
    /// Targets that have it.
    pub targets: Targets,
    /// Element types of the `Data` slots, by target.
    pub types: [DTypes; 3],
    /// Iteration domain.
    pub domain: Domain,
    /// Rules of the shape.
    pub shape_rules: &'static [(Targets, Rule)],
    /// Rules of this instruction.
    pub rules: &'static [(Targets, Rule)],
    /// Scratch tile.
    pub scratch: Option<Scratch>,
    /// Aliasing.
    pub alias: Alias,
    /// Pipe.
    pub pipe: Pipes,
    /// The kind of core it belongs to, where the pipe does not say so.
    pub core: Core,
    /// Other effects.
    pub effect: Effect,
    /// Cost law.
    pub cost: Cost,
    /// Figures on its page.
    pub documented: Option<DocumentedCost>,
    /// C++ spelling.
    pub cpp: Cpp,
    /// Specification page.
    pub page: &'static str,
    /// What an author should know: known differences between sources and devices.
    pub notes: &'static [&'static str],
    /// A complete program that uses it, where one cannot be derived from the row.
    pub example: &'static str,
}

impl Row {
    /// An empty row; shapes and methods fill it.
    pub const EMPTY: Self = Self {
        name: "",
        aliases: &[],
        dialect: "pto",
        family: Family::Elementwise,
        doc: &[],
        slots: &[],
        results: &[],
        attrs: &[],
        syntax: Syntax::InsOuts { attrs_in_ins: false },
        generic_order: &[],
        targets: Targets::ALL,
        types: [DTypes::NONE; 3],
        domain: Domain::None,
        shape_rules: &[],
        rules: &[],
        scratch: None,
        alias: Alias::None,
        pipe: Pipes::None,
        core: Core::Any,
        effect: Effect::Operands,
        cost: Cost::None,
        documented: None,
        cpp: Cpp { name: "", args: &[], templates: &[] },
        page: "",
        notes: &[],
        example: "",
    };

    /// Also accepted under these mnemonics.
    #[must_use]
    pub const fn alias_names(mut self, names: &'static [&'static str]) -> Self {
        self.aliases = names;
        self
    }

    /// Operands in text order.
    #[must_use]
    pub const fn slots(mut self, slots: &'static [Slot]) -> Self {
        self.slots = slots;
        self
    }

    /// Results that are values of their own.
    #[must_use]
    pub const fn results(mut self, results: &'static [Slot]) -> Self {
        self.results = results;
        self
    }

    /// Attributes.
    #[must_use]
    pub const fn attrs(mut self, attrs: &'static [AttrSpec]) -> Self {
        self.attrs = attrs;
        self
    }

    /// The attribute dictionary is written inside `ins(…)`.
    #[must_use]
    pub const fn attrs_in_ins(mut self) -> Self {
        self.syntax = Syntax::InsOuts { attrs_in_ins: true };
        self
    }

    /// Printed by a pattern: `$slot` an operand list, `#attr` an attribute without its name, `:slot` the type of
    /// an operand or result, `{}` the remaining attributes, `(…)?` a group that is left out when its first
    /// operand or attribute is absent; everything else is copied.
    #[must_use]
    pub const fn pattern(mut self, pattern: &'static str) -> Self {
        self.syntax = Syntax::Pattern(pattern);
        self
    }

    /// Operand order of the generic form.
    #[must_use]
    pub const fn generic_order(mut self, slots: &'static [&'static str]) -> Self {
        self.generic_order = slots;
        self
    }

    /// Has a grammar of its own.
    #[must_use]
    pub const fn custom(mut self, custom: Custom) -> Self {
        self.syntax = Syntax::Custom(custom);
        self
    }

    /// Exists only on these targets.
    #[must_use]
    pub const fn only(mut self, targets: Targets) -> Self {
        self.targets = targets;
        self
    }

    /// Element types of the data slots on one target.
    #[must_use]
    pub const fn types(mut self, target: Target, list: &[DType]) -> Self {
        self.types[target as usize] = DTypes::of(list);
        self
    }

    /// The permissive host takes every element type.
    #[must_use]
    pub const fn any_type_on_cpu(mut self) -> Self {
        self.types[Target::Cpu as usize] = DTypes::ALL;
        self
    }

    /// Iteration domain.
    #[must_use]
    pub const fn domain(mut self, domain: Domain) -> Self {
        self.domain = domain;
        self
    }

    /// Rules beyond those of the shape.
    #[must_use]
    pub const fn rules(mut self, rules: &'static [(Targets, Rule)]) -> Self {
        self.rules = rules;
        self
    }

    /// Rules that a shape brings.
    #[must_use]
    pub const fn shape_rules(mut self, rules: &'static [(Targets, Rule)]) -> Self {
        self.shape_rules = rules;
        self
    }

    /// Scratch tile.
    #[must_use]
    pub const fn scratch(mut self, scratch: Scratch) -> Self {
        self.scratch = Some(scratch);
        self
    }

    /// Aliasing.
    #[must_use]
    pub const fn alias(mut self, alias: Alias) -> Self {
        self.alias = alias;
        self
    }

    /// Runs on one pipe.
    #[must_use]
    pub const fn pipe(mut self, pipe: Pipe) -> Self {
        self.pipe = Pipes::One(pipe);
        self
    }

    /// Runs on a pipe that depends on the operands.
    #[must_use]
    pub const fn pipes(mut self, pipes: Pipes) -> Self {
        self.pipe = pipes;
        self
    }

    /// Belongs to one kind of core.
    #[must_use]
    pub const fn core(mut self, core: Core) -> Self {
        self.core = core;
        self
    }

    /// Other effects.
    #[must_use]
    pub const fn effect(mut self, effect: Effect) -> Self {
        self.effect = effect;
        self
    }

    /// Cost law.
    #[must_use]
    pub const fn cost(mut self, cost: Cost) -> Self {
        self.cost = cost;
        self
    }

    /// Figures printed on the instruction's page.
    #[must_use]
    pub const fn documented(mut self, cost: DocumentedCost) -> Self {
        self.documented = Some(cost);
        self
    }

    /// C++ function with the usual argument order.
    #[must_use]
    pub const fn cpp(mut self, name: &'static str) -> Self {
        self.cpp.name = name;
        self
    }

    /// C++ argument order by slot and attribute name.
    #[must_use]
    pub const fn cpp_args(mut self, args: &'static [&'static str]) -> Self {
        self.cpp.args = args;
        self
    }

    /// Attributes that C++ takes as template arguments.
    #[must_use]
    pub const fn cpp_templates(mut self, attrs: &'static [&'static str]) -> Self {
        self.cpp.templates = attrs;
        self
    }

    /// Specification page.
    #[must_use]
    pub const fn page(mut self, page: &'static str) -> Self {
        self.page = page;
        self
    }

    /// Remarks for the reference page.
    #[must_use]
    pub const fn notes(mut self, notes: &'static [&'static str]) -> Self {
        self.notes = notes;
        self
    }

    /// A complete program for the reference page.
    #[must_use]
    pub const fn example(mut self, text: &'static str) -> Self {
        self.example = text;
        self
    }

    /// Named by the table macro.
    #[must_use]
    pub const fn named(
        mut self,
        name: &'static str,
        dialect: &'static str,
        family: Family,
        doc: &'static [&'static str],
    ) -> Self {
        self.name = name;
        self.dialect = dialect;
        self.family = family;
        self.doc = doc;
        self
    }

    /// The first line of the documentation.
    pub fn summary(&self) -> &'static str {
        self.doc.first().map_or("", |line| line.trim())
    }

    /// The slot of this name, among operands and results.
    pub fn slot(&self, name: &str) -> Option<usize> {
        self.slots.iter().chain(self.results).position(|s| s.name == name)
    }

    /// The slot at this position, operands first, then results.
    pub fn slot_at(&self, at: usize) -> &Slot {
        if at < self.slots.len() { &self.slots[at] } else { &self.results[at - self.slots.len()] }
    }

    /// The attribute of this name or alias.
    pub fn attr(&self, name: &str) -> Option<&AttrSpec> {
        self.attrs.iter().find(|a| a.name == name || a.aliases.contains(&name))
    }

    /// Element types of the data slots on a target. The host takes what any device takes.
    pub fn data_types(&self, target: Target) -> DTypes {
        match target {
            Target::Cpu => self.types.iter().fold(DTypes::NONE, |all, t| all.union(*t)),
            device => self.types[device as usize],
        }
    }

    /// The slots in the order of the generic form.
    pub fn generic_slots(&self) -> Vec<usize> {
        let listed: Vec<usize> = self.generic_order.iter().filter_map(|n| self.slot(n)).collect();
        let rest = (0..self.slots.len()).filter(|s| !listed.contains(s));
        listed.iter().copied().chain(rest).collect()
    }

    /// The slots whose types a pattern states: in front of `->`, and after it.
    pub fn pattern_types(&self) -> Option<(Vec<usize>, Vec<usize>)> {
        let Syntax::Pattern(pattern) = self.syntax else { return None };
        let arrow = pattern.find("->").unwrap_or(pattern.len());
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (at, _) in pattern.match_indices(':') {
            let word = pattern[at + 1..].split(|c| !is_name(c)).next().unwrap_or("");
            if let Some(slot) = self.slot(word).filter(|_| !word.is_empty()) {
                if at < arrow { &mut before } else { &mut after }.push(slot);
            }
        }
        Some((before, after))
    }

    /// The operands that a keyword of the pattern introduces in brackets: `valid [$valid_row, $valid_col]`.
    pub fn keyword_slots(&self, word: &str) -> Vec<&'static str> {
        let Syntax::Pattern(pattern) = self.syntax else { return Vec::new() };
        let Some(at) = pattern.find(&format!("{word} [")) else { return Vec::new() };
        let list = pattern[at..].split(']').next().unwrap_or("");
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        list.split('$').skip(1).map(|part| part.split(|c| !is_name(c)).next().unwrap_or("")).collect()
    }

    /// True when a word stands in the pattern for itself, as a keyword.
    pub fn has_keyword(&self, word: &str) -> bool {
        let Syntax::Pattern(pattern) = self.syntax else { return false };
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        pattern.match_indices(word).any(|(at, _)| {
            let before = pattern[..at].chars().next_back();
            let after = pattern[at + word.len()..].chars().next();
            !before.is_some_and(|c| is_name(c) || matches!(c, '$' | '#' | ':')) && !after.is_some_and(is_name)
        })
    }

    /// All rules that apply on a target.
    pub fn rules_on(&self, target: Target) -> impl Iterator<Item = &'static Rule> {
        self.shape_rules.iter().chain(self.rules).filter(move |(t, _)| t.contains(target)).map(|(_, r)| r)
    }

    /// True when the value form (level 1) of this operation has results where the buffer form has `outs`.
    pub fn has_result_slots(&self) -> bool {
        self.slots.iter().any(Slot::is_result)
    }

    /// The full operation name, `pto.tmax` for example.
    pub fn full_name(&self) -> String {
        if self.dialect.is_empty() { self.name.to_string() } else { format!("{}.{}", self.dialect, self.name) }
    }
}
