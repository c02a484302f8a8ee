//! How an operation is written in the assembler dialect.

/// How an operation is written in the assembler dialect (level 2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Syntax {
    /// `ins(%a, %b : T, T) outs(%d : T) {…}`; with `attrs_in_ins` the dictionary stands before the colon.
    InsOuts {
        /// The attribute dictionary is printed inside `ins(…)`.
        attrs_in_ins: bool,
    },
    /// A pattern the printer follows; see [`Row::pattern`](crate::Row::pattern).
    Pattern(&'static str),
    /// A form with its own grammar: regions, predicates, functions.
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
    Fusion,
    FusionYield,
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
    MemrefRecast,
}

/// The parts of an operation with its own grammar.
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
            Self::Return | Self::Yield | Self::FusionYield => of(MANY, NONE, NONE, NONE),
            Self::Fusion => of(NONE, MANY, ONE, NONE),
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
            Self::MemrefLoad | Self::MemrefView | Self::MemrefRecast => of((1, usize::MAX), ONE, NONE, NONE),
            Self::MemrefStore => of((2, usize::MAX), NONE, NONE, NONE),
        }
    }
    /// The text of an operation, in each way it can be written: `NAME` is the operation, `T` and `R` are types, `…` repeats
    /// what is before it or stands for statements. An attribute dictionary can follow the operands.
    pub const fn forms(self) -> &'static [&'static str] {
        match self {
            Self::Module => &["NAME { … }", "NAME @name attributes {pto.target_arch = \"a5\"} { … }"],
            Self::Func => &[
                "NAME private @name(T, …) -> (R, …)",
                "NAME @name(%param: T, …) -> (R, …) attributes {pto.entry} { … }",
            ],
            Self::Return => &["return", "return %operand, … : T, …"],
            Self::Call => &[
                "NAME @callee(%operand, …) : (T, …) -> ()",
                "%result, … = NAME @callee(%operand, …) : (T, …) -> (R, …)",
            ],
            Self::For => &[
                "NAME %i = %lower to %upper step %step { … }",
                "NAME %i = %lower to %upper step %step : i32 { … }",
                "%result, … = NAME %i = %lower to %upper step %step iter_args(%x = %init, …) -> (R, …) { … }",
            ],
            Self::If => &[
                "NAME %condition { … }",
                "NAME %condition { … } else { … }",
                "%result, … = NAME %condition -> (R, …) { … } else { … }",
            ],
            Self::While => &["%result, … = NAME (%x = %init, …) : (T, …) -> (R, …) { … } do { ^bb0(%y: R, …): … }"],
            Self::Condition => &["NAME(%condition)", "NAME(%condition) %arg, … : R, …"],
            Self::Yield => &["NAME", "NAME %result, … : R, …"],
            Self::ExecuteRegion => &["NAME { … }", "%result, … = NAME -> (R, …) { … }"],
            Self::IndexSwitch => &[
                "NAME %arg case 1 { … } … default { … }",
                "%result, … = NAME %arg -> (R, …) case 1 { … } … default { … }",
            ],
            Self::Section => &["NAME { … }"],
            Self::Fusion => &["%result, … = NAME { … } : R, …"],
            Self::FusionYield => &["NAME(%value, …) : (T, …) -> ()"],
            Self::Branch => &["NAME ^block", "NAME ^block(%value, … : T, …)"],
            Self::CondBranch => {
                &["NAME %condition, ^yes, ^no", "NAME %condition, ^yes(%value, … : T, …), ^no(%value, … : T, …)"]
            }
            Self::Switch => &["NAME %flag : T, [default: ^block, 1: ^block(%value, … : T, …), …]"],
            Self::Constant => &["%result = NAME true", "%result = NAME 7 : T"],
            Self::Compare => &["%result = NAME predicate, %lhs, %rhs : T"],
            Self::Cast | Self::MemrefCast => &["%result = NAME %in : T to R"],
            Self::Binary => &["%result = NAME %lhs, %rhs : T"],
            Self::Unary => &["%result = NAME %operand : T"],
            Self::Select => &["%result = NAME %condition, %true_value, %false_value : T"],
            Self::Extended => &["%low, %high = NAME %lhs, %rhs : T", "%low, %high = NAME %lhs, %rhs : T, R"],
            Self::MemrefAlloc => &["%result = NAME(%size, …) : memref<…>"],
            Self::MemrefLoad => &["%result = NAME %memref[%index, …] : memref<…>"],
            Self::MemrefStore => &["NAME %value, %memref[%index, …] : memref<…>"],
            Self::MemrefDim => &["%result = NAME %memref, %index : memref<…>"],
            Self::MemrefView => &["%result = NAME %source[offset, …] [size, …] [stride, …] : memref<…> to memref<…>"],
            Self::MemrefRecast => &[
                "%result = NAME %source to offset: [offset], sizes: [size, …], strides: [stride, …] : memref<…> to memref<…>",
            ],
        }
    }
}
