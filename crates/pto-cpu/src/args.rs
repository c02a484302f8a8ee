//! What a program takes and what it is launched with.

use pto_isa::{DType, Scalar, TileType};

/// A parameter of the entry function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    /// Its name without `%`.
    pub name: String,
    /// What it takes.
    pub kind: ParamKind,
    /// Numbers in a column of its memory: two where 4-bit floats are counted in pairs, as in the vector memory.
    pub per_column: u64,
}

/// What a parameter takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParamKind {
    /// Global memory: any number of elements.
    Pointer(DType),
    /// A tensor in global memory, with the extents the type states (outermost first; `None`: any).
    Tensor(DType, Vec<Option<u64>>),
    /// A number.
    Scalar(Scalar),
    /// A tile.
    Tile(TileType),
    /// Nothing a caller could give: the type.
    Other(String),
}

impl ParamKind {
    /// The element type of memory.
    pub fn elem(&self) -> Option<DType> {
        match self {
            Self::Pointer(d) | Self::Tensor(d, _) => Some(*d),
            Self::Tile(t) => Some(t.dtype),
            Self::Scalar(_) | Self::Other(_) => None,
        }
    }
}

/// An argument. Memory is borrowed, never copied.
#[derive(Debug)]
pub enum Arg<'a> {
    /// An integer, an index or a truth value.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// Global memory that is only read; a program that writes there is stopped.
    In(&'a [u8]),
    /// Global memory.
    InOut(&'a mut [u8]),
    /// A tensor in global memory with its extents, outermost first, elements in row-major order.
    Tensor(&'a mut [u8], &'a [u64]),
    /// A tile: all its rows and columns in row-major order, whatever its layout, and the valid rows and columns that its
    /// type leaves open. It is copied in before the run and back after it.
    Tile(&'a mut [u8], (u64, u64)),
    /// The memory that a rank was given for a parameter; for runs on several ranks.
    Remote {
        /// The rank.
        rank: usize,
        /// The position of the parameter.
        param: usize,
    },
}

/// Element types that slices of Rust numbers can hold.
///
/// Slices of such types are read and written as bytes, so the trait is sealed: its types have no padding, and every pattern
/// of bits is a value of theirs. A type of your own cannot have it, which would make its padding, or a `bool` other than 0 and 1,
/// visible:
///
/// ```compile_fail,E0277
/// #[derive(Clone, Copy)]
/// struct Padded(u8, u32);
/// impl pto_cpu::Number for Padded {
///     const DTYPE: pto_isa::DType = pto_isa::DType::U64;
/// }
/// ```
pub trait Number: sealed::Plain + Copy + 'static {
    /// The element type.
    const DTYPE: DType;
}

mod sealed {
    /// Numbers without padding, for which every pattern of bits is a value.
    pub trait Plain {}
}

macro_rules! numbers {
    ($($type:ty => $dtype:ident),+) => {$(
        impl sealed::Plain for $type {}
        impl Number for $type { const DTYPE: DType = DType::$dtype; }
    )+};
}
numbers!(i8 => I8, i16 => I16, i32 => I32, i64 => I64, u8 => U8, u16 => U16, u32 => U32, u64 => U64, f32 => F32);
numbers!(pto_num::F16 => F16, pto_num::Bf16 => Bf16);

impl<'a> Arg<'a> {
    /// Memory that is only read.
    pub fn read<T: Number>(data: &'a [T]) -> Self {
        Self::In(crate::memory::bytes(data))
    }

    /// Memory that may be written.
    pub fn write<T: Number>(data: &'a mut [T]) -> Self {
        Self::InOut(crate::memory::bytes_mut(data))
    }
}

/// How a program is launched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Launch {
    /// Blocks: how often the program runs, each time with another block number.
    pub blocks: u32,
    /// Threads that share the blocks; 0 means as many as the machine has cores. Results do not depend on it.
    pub threads: usize,
}

impl Default for Launch {
    fn default() -> Self {
        Self { blocks: 1, threads: 0 }
    }
}

/// How a program is prepared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Whose arithmetic.
    pub numerics: crate::Numerics,
    /// Plain kernels, element by element: slow, for comparison.
    pub plain: bool,
    /// What memory of cores holds that nothing has written.
    pub uninitialised: Uninitialised,
    /// A read of such memory stops the run; otherwise it is a warning in the [`Report`].
    pub strict: bool,
}

/// What memory of cores holds at the start. On a device it is whatever was there before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Uninitialised {
    /// Zeros.
    #[default]
    Zero,
    /// Every bit set: NaN in every floating-point type that has one (but for `hif8`, where it is a number), −1 or the largest number in integers.
    Nan,
}

/// What a run did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// For each parameter, whether the program wrote to its memory.
    pub written: Vec<bool>,
    /// Instructions executed, over all blocks.
    pub instructions: u64,
    /// What blocks printed, those that did, in order.
    pub printed: Vec<Printed>,
    /// Warnings, at most one for each instruction, in the order of the text: tiles that are read and were not written, entries left in a pipe; and with the numerics of a device,
    /// what it does although no rule allows it.
    pub notes: Vec<pto_isa::Diagnostic>,
}

/// What a block printed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Printed {
    /// The block.
    pub block: u32,
    /// Everything it printed, in order.
    pub text: String,
}
