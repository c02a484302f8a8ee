//! What a comparison found.

use pto_cpu::CoreId;
use pto_ir::OpId;
use pto_isa::DType;

/// How two runs differ, or a run and arrays.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DiffReport {
    /// The first difference, in the order of the first run.
    pub first: Option<Divergence>,
    /// The errors of each instruction, in the order in which they were executed first.
    pub lines: Vec<LineError>,
    /// Results that were compared.
    pub results: u64,
    /// Elements that were compared.
    pub elements: u64,
    /// Results with elements that differ by more than is allowed.
    pub differing: u64,
    /// Instructions of the first and of the second run that have no counterpart.
    pub unmatched: [Vec<UnmatchedLine>; 2],
    /// What parameters held at the end. Only those that a run wrote.
    pub outputs: Vec<OutputError>,
    /// The second side is arrays.
    pub is_array: bool,
}

impl DiffReport {
    /// True when nothing differs by more than is allowed.
    pub fn matches(&self) -> bool {
        self.first.is_none() && self.outputs.iter().all(|o| o.errors.beyond == 0)
    }
}

/// An instruction as it was executed once.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct InstructionAt {
    /// The moment.
    pub at: usize,
    /// The operation.
    pub op: OpId,
    /// Its line, from 1; 0 if it has none.
    pub line: u32,
    /// The name of the instruction.
    pub name: &'static str,
    /// The core.
    pub core: CoreId,
    /// The iterations of the loops around it, the outermost first.
    pub iterations: Vec<u32>,
}

/// An instruction whose result differs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Divergence {
    /// The instruction in the first run; `None` if only the second one wrote the memory.
    pub a: Option<InstructionAt>,
    /// Its counterpart in the second run.
    pub b: Option<InstructionAt>,
    /// The name of the result, in the first run and in the second.
    pub result: [String; 2],
    /// How it differs.
    pub kind: DivergenceKind,
    /// The type of its elements.
    pub dtype: DType,
    /// How far its elements are off.
    pub errors: ElementErrors,
    /// Why.
    pub cause: DiffCause,
}

/// How a result differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DivergenceKind {
    /// Its numbers differ.
    Values,
    /// It has another valid region: rows and columns in the first run and in the second.
    ValidRegion {
        /// In the first run.
        a: (usize, usize),
        /// In the second.
        b: (usize, usize),
    },
    /// It is stored to other elements.
    StoredElsewhere,
    /// A parameter holds other numbers at the end; nothing that could be paired differs.
    Output,
}

/// Why a result differs.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum DiffCause {
    /// Its operands are the same, bit by bit: the instruction makes the difference.
    Instruction,
    /// Its operands differ within what is allowed, and the difference grew beyond it here.
    Inherited {
        /// The operand that differs most.
        operand: String,
        /// The largest absolute error in it.
        max_abs: f64,
        /// The largest relative error in it.
        max_rel: Option<f64>,
    },
    /// The two runs execute different instructions here.
    OtherInstruction,
    /// The instruction takes other operands.
    OtherOperand {
        /// The operand in the first run.
        a: String,
        /// The operand in the second.
        b: String,
    },
    /// Something that the instruction depends on is defined otherwise: a number, a window of memory or a valid region.
    Definition {
        /// The definition in the first run.
        a: DefinedAt,
        /// The definition in the second.
        b: DefinedAt,
    },
    /// The first run executes an instruction that wrote an operand, and the second one does not.
    Missing {
        /// What it wrote.
        value: String,
        /// The instruction.
        a: InstructionAt,
        /// The line of the loop of which the second run has fewer iterations, if that is why.
        in_loop: Option<u32>,
    },
    /// The second run executes an instruction that wrote an operand, and the first one does not.
    Extra {
        /// What it wrote.
        value: String,
        /// The instruction.
        b: InstructionAt,
        /// The line of the loop of which the first run has fewer iterations, if that is why.
        in_loop: Option<u32>,
    },
    /// An operand was last written by other instructions: the two runs execute them in another order.
    OtherWriter {
        /// The operand.
        operand: String,
        /// Who wrote it in the first run.
        a: InstructionAt,
        /// Who wrote it in the second.
        b: InstructionAt,
    },
    /// One of the runs reads elements that nothing wrote.
    Uninitialised {
        /// The operand.
        operand: String,
        /// It is the second run that does.
        in_second: bool,
    },
    /// Nothing is known about the operands.
    Unknown,
}

impl DiffCause {
    /// The line to look at in the first program and in the second, if it is not the line of the result.
    pub fn lines(&self) -> (Option<u32>, Option<u32>) {
        match self {
            Self::Definition { a, b } => (Some(a.line), Some(b.line)),
            Self::OtherWriter { a, b, .. } => (Some(a.line), Some(b.line)),
            Self::Missing { a, in_loop, .. } => (Some(in_loop.unwrap_or(a.line)), None),
            Self::Extra { b, in_loop, .. } => (None, Some(in_loop.unwrap_or(b.line))),
            _ => (None, None),
        }
    }
}

/// What defines a value, and what it is.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct DefinedAt {
    /// The name of the value.
    pub name: String,
    /// The line, from 1; 0 if there is none.
    pub line: u32,
    /// The value: a number, a window or a valid region, in words.
    pub held: String,
}

/// An element that differs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ElementError {
    /// The row; of a parameter, 0.
    pub row: usize,
    /// The column; of a parameter, the position of the element.
    pub col: usize,
    /// In the first run.
    pub a: String,
    /// In the second.
    pub b: String,
    /// The absolute error; NaN or infinite if one of the two is.
    pub abs: f64,
    /// The relative error, if the first is not zero.
    pub rel: Option<f64>,
    /// Numbers of the type between the two.
    pub ulps: Option<u64>,
    /// What it was computed from.
    pub operands: Vec<OperandElements>,
}

/// Elements of an operand, in both runs.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct OperandElements {
    /// The name in the first run, without `%`.
    pub name: String,
    /// First row and column; `None` for a scalar.
    pub first: Option<(usize, usize)>,
    /// Number of rows and columns.
    pub size: (usize, usize),
    /// The first few in the first run.
    pub a: Vec<String>,
    /// The same in the second; empty if it has no such operand.
    pub b: Vec<String>,
}

/// The errors of the results of an instruction.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LineError {
    /// The line in the first program.
    pub line: u32,
    /// The line in the second, 0 if there is none.
    pub other_line: u32,
    /// The instruction.
    pub name: &'static str,
    /// What it writes.
    pub result: String,
    /// Executions that were compared.
    pub executions: u64,
    /// Elements that were compared.
    pub elements: u64,
    /// The largest absolute error of finite numbers.
    pub max_abs: f64,
    /// The largest relative error of finite numbers.
    pub max_rel: Option<f64>,
    /// Elements that differ by more than is allowed.
    pub beyond: u64,
}

/// An instruction that was executed without a counterpart in the other run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UnmatchedLine {
    /// The line.
    pub line: u32,
    /// The instruction.
    pub name: &'static str,
    /// What it writes.
    pub result: String,
    /// Executions without a counterpart.
    pub executions: u64,
}

/// How far the elements of a result are off.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ElementErrors {
    /// Elements that were compared.
    pub elements: u64,
    /// How many differ by more than is allowed.
    pub beyond: u64,
    /// The largest absolute error of finite numbers.
    pub max_abs: f64,
    /// The largest relative error of finite numbers.
    pub max_rel: Option<f64>,
    /// What was allowed.
    pub allowed: super::AllowedError,
    /// The worst elements, the worst first.
    pub worst: Vec<ElementError>,
}

/// How the memory of a parameter differs at the end.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OutputError {
    /// The parameter.
    pub name: String,
    /// Its buffer in the first run and in the second.
    pub buffers: [usize; 2],
    /// The type of its elements.
    pub dtype: DType,
    /// How far its elements are off.
    pub errors: ElementErrors,
}
