//! The public bytecode container, version 0.
//!
//! [`encode`] writes a program, [`decode`] gives the text of one, in the generic form of the dialect. What a number of an
//! operation means is a column of its table row ([`pto_isa::row::Bytecode`]).
//!
//! The container is little-endian: a head (`PTOBC\0`, version, flags, length), then sections, each with a number and
//! a length: strings, types, attributes, constants, the module, and names of values. Types and attribute dictionaries are
//! kept as text. Numbers are LEB128.
//!
//! Every length and index is checked; bytes that are not a program are an error, never a panic. Text is limited
//! ([`MAX_TEXT`]), since a few bytes can name a long type many times.
//!
//! ```
//! let (module, problems) = pto_syntax::parse("func.func @f(%n: index) { %m = arith.addi %n, %n : index return }");
//! assert!(problems.is_empty());
//! let bytes = pto_bytecode::encode(&module, pto_bytecode::Options::default()).expect("it can be held");
//! assert!(pto_bytecode::is_bytecode(&bytes));
//! let text = pto_bytecode::decode(&bytes).expect("it can be read");
//! let (again, problems) = pto_syntax::parse(&text);
//! assert!(problems.is_empty());
//! assert_eq!(again.functions().len(), 1);
//! ```

mod literal;
mod read;
mod wire;
mod write;

use pto_isa::row::{Arith, Control, FlagForm, Meaning, Storage, SyncOp};
pub use read::{MAX_TEXT, decode};
pub use write::{Options, encode};

/// What bytecode starts with.
pub const MAGIC: &[u8; 6] = b"PTOBC\0";

/// True for bytes that claim to be bytecode.
pub fn is_bytecode(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The sections, in the order of the file.
mod section {
    pub(crate) const STRINGS: u8 = 0x01;
    pub(crate) const TYPES: u8 = 0x02;
    pub(crate) const ATTRS: u8 = 0x03;
    pub(crate) const CONSTS: u8 = 0x04;
    pub(crate) const MODULE: u8 = 0x06;
    pub(crate) const NAMES: u8 = 0x07;
    /// Other readers pass over it.
    pub(crate) const EXTRA: u8 = 0x7f;
}

/// The content of the extra section of a program whose functions stand without a module around them.
const NO_MODULE: &[u8] = &[1];

/// Kinds of constants.
mod constant {
    pub(crate) const INT: u8 = 0x01;
    pub(crate) const FLOAT: u8 = 0x02;
    pub(crate) const INDICES: u8 = 0x03;
    pub(crate) const WIDE: u8 = 0x04;
}

/// The number of an operation that is kept by name.
const BY_NAME: u16 = 0xffff;

/// The fields between the opcode of an operation and its operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Immediate {
    Nothing,
    /// The predicate of an integer comparison.
    Predicate,
    /// Two classes of operations and an event.
    Event,
    /// A constant of the pool.
    Constant,
    /// How long the two operand lists behind the first operand are.
    Lists,
    /// Which of `valid_row` and `valid_col` are given.
    Valid,
}

impl Immediate {
    fn of(code: pto_isa::Op) -> Self {
        match code.row().meaning {
            Meaning::Arith(Arith::CompareInt) => Self::Predicate,
            Meaning::Sync(SyncOp::SetFlag(FlagForm::Event) | SyncOp::WaitFlag(FlagForm::Event)) => Self::Event,
            Meaning::Arith(Arith::Constant) => Self::Constant,
            Meaning::Storage(Storage::View | Storage::Partition) => Self::Lists,
            Meaning::Storage(Storage::Tile) => Self::Valid,
            _ => Self::Nothing,
        }
    }
}

/// How many regions the container has for an operation.
fn regions_of(code: pto_isa::Op) -> usize {
    match code.control() {
        Some(Control::If) => 2,
        Some(Control::For | Control::Section(_)) => 1,
        _ => 0,
    }
}

/// How many results the container has for an operation.
fn results_of(code: pto_isa::Op) -> usize {
    code.row().results.len()
}
