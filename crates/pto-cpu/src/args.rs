//! What a program takes and what it is launched with.

use crate::held::HeldMemory;
use crate::printed::Printed;
use pto_isa::{DType, ScalarType, Span, TileType};

/// A parameter of the entry function.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
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
#[non_exhaustive]
pub enum ParamKind {
    /// Global memory: any number of elements.
    Pointer(DType),
    /// A tensor in global memory, with the extents the type states (outermost first; `None`: any).
    Tensor(DType, Vec<Option<u64>>),
    /// A number.
    Scalar(ScalarType),
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
///
/// Memory has an element type, and a parameter accepts no other: numbers are never reinterpreted.
///
/// ```
/// use pto_cpu::{Arg, Options, Plan};
///
/// # fn main() -> Result<(), pto_isa::Error> {
/// let (module, _) = pto_syntax::parse("func.func @f(%x: !pto.ptr<f32>) { return }");
/// let checked = pto_check::check(module, pto_isa::Target::A2A3)?;
/// let plan = Plan::new(&checked, None, Options::default())?;
/// plan.launch().run(&mut [Arg::read(&[1.0f32, 2.0])])?;
///
/// let error = plan.launch().run(&mut [Arg::read(&[1i32, 2])]).unwrap_err();
/// assert!(error.to_string().contains("argument `x`: a slice of i32 for a pointer to f32"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Arg<'a> {
    /// An integer, an index or a truth value.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// Global memory, or a tile: see [`Arg::read`] and [`Arg::write`].
    Memory(Borrowed<'a>),
    /// The memory that a rank was given for a parameter; for runs on several ranks.
    Remote {
        /// The rank.
        rank: usize,
        /// The position of the parameter.
        param: usize,
    },
}

/// Memory that a program is given.
///
/// A tile is passed as all its rows and columns in row-major order, regardless of its layout; it is copied in before the run
/// and back after it.
#[derive(Debug)]
pub struct Borrowed<'a> {
    pub(crate) data: Data<'a>,
    /// `None`: the type of the parameter.
    pub(crate) element: Option<DType>,
    /// The numbers of the slice, where they cannot be the bits of such elements.
    pub(crate) cut: Option<DType>,
    pub(crate) shape: Option<&'a [u64]>,
    pub(crate) valid: Option<(u64, u64)>,
}

#[derive(Debug)]
pub(crate) enum Data<'a> {
    Read(&'a [u8]),
    Write(&'a mut [u8]),
    Held(HeldMemory),
}

impl<'a> Borrowed<'a> {
    pub(crate) fn new(data: Data<'a>, element: Option<DType>) -> Self {
        Self { data, element, cut: None, shape: None, valid: None }
    }

    /// What it holds.
    pub fn bytes(&self) -> &[u8] {
        match &self.data {
            Data::Read(data) => data,
            Data::Write(data) => data,
            Data::Held(held) => held.read(),
        }
    }

    /// The same to write, where the program may write it.
    pub fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        match &mut self.data {
            Data::Read(_) => None,
            Data::Write(data) => Some(data),
            Data::Held(held) => held.write(),
        }
    }

    /// True when the program may write it.
    pub fn is_written(&self) -> bool {
        match &self.data {
            Data::Read(_) => false,
            Data::Write(_) => true,
            Data::Held(held) => held.is_writable(),
        }
    }

    /// The type of its elements; `None` where it is that of the parameter.
    pub fn element(&self) -> Option<DType> {
        self.element
    }

    fn reborrow(&mut self) -> Borrowed<'_> {
        let data = match &mut self.data {
            Data::Read(data) => Data::Read(data),
            Data::Write(data) => Data::Write(data),
            Data::Held(held) => Data::Held(*held),
        };
        Borrowed { data, element: self.element, cut: self.cut, shape: self.shape, valid: self.valid }
    }
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
pub trait Number: sealed::PlainBits + Copy + 'static {
    /// The element type.
    const DTYPE: DType;
}

mod sealed {
    /// Numbers without padding, for which every pattern of bits is a value.
    pub trait PlainBits {}
}

macro_rules! numbers {
    ($($type:ty => $dtype:ident),+) => {$(
        impl sealed::PlainBits for $type {}
        impl Number for $type { const DTYPE: DType = DType::$dtype; }
    )+};
}
numbers!(i8 => I8, i16 => I16, i32 => I32, i64 => I64, u8 => U8, u16 => U16, u32 => U32, u64 => U64, f32 => F32);
numbers!(pto_num::F16 => F16, pto_num::Bf16 => Bf16, pto_num::F8E4M3 => F8E4M3, pto_num::F8E5M2 => F8E5M2);
numbers!(pto_num::F8E8M0 => F8E8M0, pto_num::Hif8 => Hif8);

impl<'a> Arg<'a> {
    /// Memory that is only read; a program that writes there is stopped.
    pub fn read<T: Number>(data: &'a [T]) -> Self {
        Self::Memory(Borrowed::new(Data::Read(crate::memory::bytes(data)), Some(T::DTYPE)))
    }

    /// Memory that may be written.
    pub fn write<T: Number>(data: &'a mut [T]) -> Self {
        Self::Memory(Borrowed::new(Data::Write(crate::memory::bytes_mut(data)), Some(T::DTYPE)))
    }

    /// Read-only bytes with elements of the type of the parameter: for types without a Rust equivalent, and for data
    /// from elsewhere. [`Arg::of`] states the type.
    pub fn read_bytes(data: &'a [u8]) -> Self {
        Self::Memory(Borrowed::new(Data::Read(data), None))
    }

    /// As [`Arg::read_bytes`], for memory that may be written.
    pub fn write_bytes(data: &'a mut [u8]) -> Self {
        Self::Memory(Borrowed::new(Data::Write(data), None))
    }

    /// States what the bits of memory mean. Numbers can be the bits of others that have the same size, `u16` those of
    /// [`DType::F16`]; bytes can be those of any.
    ///
    /// ```
    /// use pto_cpu::Arg;
    /// use pto_isa::DType;
    ///
    /// let halves = [0x3c00u16, 0x4000];
    /// let arg = Arg::read(&halves).of(DType::F16);
    /// # let Arg::Memory(memory) = arg else { panic!() };
    /// # assert_eq!(memory.element(), Some(DType::F16));
    /// ```
    ///
    /// Numbers of another size are rejected when the program is launched. A scalar argument is not changed.
    #[must_use]
    pub fn of(mut self, element: DType) -> Self {
        if let Self::Memory(memory) = &mut self {
            let cut = |found: &DType| found.bits() != 8 && found.bits() != element.bits();
            memory.cut = memory.cut.or(memory.element.filter(cut));
            memory.element = Some(element);
        }
        self
    }

    /// The extents of a tensor, outermost first, for a parameter whose type leaves them open. Elements are in row-major order.
    /// A scalar argument is not changed.
    #[must_use]
    pub fn shape(mut self, shape: &'a [u64]) -> Self {
        if let Self::Memory(memory) = &mut self {
            memory.shape = Some(shape);
        }
        self
    }

    /// The valid rows and columns of a tile that its type leaves open; by default all are valid. A scalar argument is not
    /// changed.
    #[must_use]
    pub fn valid(mut self, rows: u64, cols: u64) -> Self {
        if let Self::Memory(memory) = &mut self {
            memory.valid = Some((rows, cols));
        }
        self
    }

    /// The same argument for a shorter time.
    pub fn reborrow(&mut self) -> Arg<'_> {
        match self {
            Arg::Int(n) => Arg::Int(*n),
            Arg::Float(x) => Arg::Float(*x),
            Arg::Memory(memory) => Arg::Memory(memory.reborrow()),
            Arg::Remote { rank, param } => Arg::Remote { rank: *rank, param: *param },
        }
    }
}

/// How a program is prepared.
///
/// ```
/// use pto_cpu::{Numerics, Options};
/// let options = Options::default().numerics(Numerics::A5).strict(true);
/// assert!(options.strict && !options.plain);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Whose arithmetic.
    pub numerics: crate::Numerics,
    /// Plain kernels, element by element: slow, for comparison.
    pub plain: bool,
    /// What memory of cores holds that nothing has written.
    pub uninitialised: Uninitialised,
    /// A read of such memory stops the run; otherwise it is a warning in the [`RunReport`].
    pub strict: bool,
    /// Windows may leave their tensor, as on a device, where a tensor is an address with strides. What is accessed must still lie in
    /// the memory of an argument. Otherwise such a window stops the run, used or not.
    pub open_windows: bool,
}

impl Options {
    /// Chooses whose arithmetic.
    #[must_use]
    pub fn numerics(self, numerics: crate::Numerics) -> Self {
        Self { numerics, ..self }
    }

    /// Chooses plain kernels.
    #[must_use]
    pub fn plain(self, plain: bool) -> Self {
        Self { plain, ..self }
    }

    /// Chooses what memory of cores holds that nothing has written.
    #[must_use]
    pub fn uninitialised(self, uninitialised: Uninitialised) -> Self {
        Self { uninitialised, ..self }
    }

    /// Chooses whether a read of such memory stops the run.
    #[must_use]
    pub fn strict(self, strict: bool) -> Self {
        Self { strict, ..self }
    }

    /// Chooses whether windows may leave their tensor.
    #[must_use]
    pub fn open_windows(self, open_windows: bool) -> Self {
        Self { open_windows, ..self }
    }
}

/// The initial content of the memory of cores. On a device it is undefined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Uninitialised {
    /// Zeros.
    #[default]
    Zero,
    /// Every bit set: NaN in every floating-point type that has one (but for `hif8`, where it is a number), −1 or the largest number in integers.
    Nan,
}

/// What a run did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct RunReport {
    /// For each parameter, whether the program wrote to its memory; the parameters of one rank after those of another.
    pub written: Vec<bool>,
    /// Instructions executed, over all blocks.
    pub instructions: u64,
    /// What was printed, in the order of the cores and of what each printed.
    pub printed: Vec<Printed>,
    /// Warnings, at most one for each instruction, in the order of the text: tiles that are read and were not written, entries left in a pipe; and with the numerics of a device,
    /// what it does although no rule allows it.
    pub notes: Vec<pto_isa::Diagnostic>,
    /// How long instructions took, in the order of the text, where that was [asked for](crate::Launch::timed).
    pub timings: Vec<Timing>,
}

/// The time an instruction of the text took, over all its executions.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Timing {
    /// Its mnemonic.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// How often it was executed.
    pub count: u64,
    /// Nanoseconds in all.
    pub nanos: u64,
}
