//! The smaller columns of a row: family, domain, aliasing, pipes, effects, scratch, cost, C++.

use crate::rules::Instance;
use crate::text;
use crate::{Loc, Pipe, ScalarType, Target, Targets};

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
    pub fn title(self) -> &'static str {
        match self {
            Self::Elementwise => text!("Elementwise"),
            Self::TileScalar => text!("Tile and scalar"),
            Self::Partial => text!("Partial"),
            Self::Reduce => text!("Reduction"),
            Self::Expand => text!("Broadcast (expand)"),
            Self::Memory => text!("Memory"),
            Self::Matrix => text!("Matrix"),
            Self::Layout => text!("Layout and movement"),
            Self::Quant => text!("Quantisation"),
            Self::Irregular => text!("Irregular"),
            Self::Sync => text!("Synchronisation"),
            Self::Fifo => text!("Pipes and FIFO"),
            Self::Comm => text!("Communication"),
            Self::View => text!("Buffers, views and queries"),
            Self::Config => text!("Configuration"),
            Self::Arith => text!("Scalars and lowered buffers"),
            Self::Control => text!("Functions and control flow"),
        }
    }

    /// True for PTO's own instructions; false for the host operations programs are glued with.
    pub const fn is_isa(self) -> bool {
        !matches!(self, Self::Arith | Self::Control)
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
    /// The valid region of a mask; each of its bytes stands for eight columns of the other operand.
    Mask(&'static str, &'static str),
    /// The matrix product: rows and depth of the left operand, columns of the right.
    Matmul,
}

/// What the elements of a result are sums of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sums {
    /// The valid elements of a row of this operand; with a second one, added to what that holds.
    Row(&'static str, Option<&'static str>),
    /// The valid elements of a column of this operand.
    Column(&'static str),
}

/// May the destination share memory with a source?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aliasing {
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
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CoreKind {
    /// Either kind.
    Any,
    /// The core with the matrix unit.
    Cube,
    /// The cores with the vector unit.
    Vector,
}

impl CoreKind {
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
    /// Targets that take it and leave it alone.
    pub ignored: Targets,
    /// How large it must be, in words.
    pub rule: &'static str,
    /// The same in bytes, where the operand types determine it.
    pub bytes: Option<fn(&Instance) -> Option<u64>>,
    /// The bytes that the implementation writes, if they are more than it requires.
    pub written: Option<fn(&Instance) -> Option<u64>>,
}

impl Scratch {
    /// The same with what the implementation writes.
    #[must_use]
    pub const fn writes(mut self, bytes: fn(&Instance) -> Option<u64>) -> Self {
        self.written = Some(bytes);
        self
    }
}

/// Which law of the cost model applies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum CostClass {
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
///
/// Without `forms` it is a call of `name`: written operands, then read ones, then attributes, unless `args` says
/// otherwise; attributes among `templates` stand before them, as far as one of them is not the default.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cpp {
    /// Function name; empty where none exists.
    pub name: &'static str,
    /// Argument order by slot or attribute name; empty: written operands, then read ones, then attributes.
    pub args: &'static [&'static str],
    /// Attributes passed as template arguments.
    pub templates: &'static [&'static str],
    /// The operand that stands in for a scratch tile which the program may leave out and the function wants.
    pub scratch: &'static str,
    /// Operands and attributes that C++ does not need.
    pub silent: &'static [&'static str],
    /// Spellings, the first that fits is used.
    pub forms: &'static [CppForm],
    /// Operands that the function takes as tiles of one C++ type.
    pub alike: &'static [&'static [&'static str]],
    /// The function for tiles of several types; empty where there is none.
    pub unlike: &'static str,
    /// Why a program does not determine the C++ call, where that is so.
    pub missing: &'static str,
}

impl Cpp {
    /// No spelling.
    pub const NONE: Self = Self {
        name: "",
        args: &[],
        templates: &[],
        scratch: "",
        silent: &[],
        forms: &[],
        alike: &[],
        unlike: "",
        missing: "",
    };

    /// True when every spelling of this target wants the two operands apart: it writes the first before it has read the second.
    ///
    /// ```
    /// use pto_isa::{Target, table};
    /// let cpp = table::find("taddc").expect("an instruction").row().cpp;
    /// assert!(cpp.wants_apart(Target::A5, "dst", "src2"));
    /// assert!(!cpp.wants_apart(Target::A5, "dst", "src0"));
    /// ```
    pub fn wants_apart(&self, target: Target, dst: &str, src: &str) -> bool {
        let apart = |f: &CppForm| matches!(f.when, When::Apart(a, b) if a == dst && b == src);
        let mut here = self.forms.iter().filter(|f| f.targets.contains(target)).peekable();
        here.peek().is_some() && here.all(apart)
    }

    /// True when there is a spelling for at least some programs.
    pub const fn is_known(&self) -> bool {
        self.missing.is_empty() && !(self.name.is_empty() && self.forms.is_empty())
    }
}

/// One C++ spelling of an instruction.
///
/// It fits when the target and the condition do, everything it names is given, and everything that is given (and not
/// the default) is named. In the text stand
///
/// | sign | for |
/// |---|---|
/// | `$x` | the operand or result; several are separated by commas |
/// | `*x` | several operands as subscripts, `a][b` |
/// | `+x` | how many operands the slot has |
/// | `:x` | the C++ type of the operand or result |
/// | `^x` | the unsigned integer type of its width |
/// | `#x` | an attribute that is given and not the default |
/// | `=x` | an attribute, given or not |
/// | `@x` | the text of an attribute, without quotes |
///
/// A sign that no name follows stands for itself. The text is a statement without its semicolon, or several; for an
/// operation with results it is the value of the first, unless it names a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CppForm {
    /// Targets that have it.
    pub targets: Targets,
    /// When it applies.
    pub when: When,
    /// The text.
    pub text: &'static str,
}

/// A condition of a C++ spelling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// None.
    Always,
    /// The attribute has this value, in the spelling of the dialect or of C++.
    Attr(&'static str, &'static str),
    /// The operand is a tile in this memory.
    In(&'static str, Loc),
    /// The operand is a pointer.
    Pointer(&'static str),
    /// The operand or result is a scalar of this type.
    Scalar(&'static str, ScalarType),
    /// The operand is an `i1`, and the attribute has this value.
    Booleans(&'static str, &'static str, &'static str),
    /// The first tile has more rows or columns than the second.
    Larger(&'static str, &'static str),
    /// Both operands are one value, or start at one address.
    Same(&'static str, &'static str),
    /// The operands are different values and start at different addresses.
    Apart(&'static str, &'static str),
}

/// A C++ spelling for every target.
pub const fn form(text: &'static str) -> CppForm {
    CppForm { targets: Targets::ALL, when: When::Always, text }
}

impl CppForm {
    /// Only on these targets.
    #[must_use]
    pub const fn on(mut self, targets: Targets) -> Self {
        self.targets = targets;
        self
    }

    /// Only under this condition.
    #[must_use]
    pub const fn when(mut self, when: When) -> Self {
        self.when = when;
        self
    }
}

/// How bytecode of version 0 writes an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bytecode {
    /// Its number.
    pub opcode: u16,
    /// Distinguishes it from others with the same number.
    pub variant: Option<u8>,
    /// The number of operands that follow; `None`: the number is written before them.
    pub operands: Option<u8>,
}
