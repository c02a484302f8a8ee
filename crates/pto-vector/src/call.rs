//! What a kernel gets, what it says about itself, and its code.

mod code;
mod kernel;
mod operand;
mod row;

pub use code::{Body, BoundCode, Code, Prepared};
pub use kernel::{FactorUse, KernelCut, NONE, Numerics, OpKernel, Prepare, RecordUse, Site, WrittenPart};
pub use operand::{TileRef, ViewRef};
pub use row::{
    ChainLink, Fetch, FetchedRange, MOST_LINKS, RowBody, RowCall, RowCode, RowFn, RowKind, RowLayout, RowOperands,
    RowVersions, row_fn,
};

/// The operands of one execution of an instruction: `T` tiles, `V` windows of global memory and `S` scalars.
///
/// The numbers are part of the type, so that code which takes other operands than its [`OpKernel`] names does not compile:
///
/// ```compile_fail,E0527
/// use pto_vector::{Call, Fault};
/// unsafe fn negate(call: &Call<2>) -> Result<(), Fault> {
///     let [src0, src1, dst] = call.tiles; // two tiles, not three
///     Ok(())
/// }
/// ```
///
/// ```compile_fail,E0308
/// use pto_vector::{Call, Fault, Kernel, Prepared};
/// unsafe fn negate(call: &Call<2>) -> Result<(), Fault> {
///     let [src, dst] = call.tiles;
///     Ok(())
/// }
/// // Three slots for code that takes two tiles.
/// const NEGATE: Kernel = Kernel::new(&["src0", "src1", "dst"], |_| Some(Prepared::of(negate, [0; 2])));
/// ```
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Call<'a, const T: usize, const V: usize = 0, const S: usize = 0> {
    /// Tiles, in the order of [`OpKernel::tiles`].
    pub tiles: &'a [TileRef<'a>; T],
    /// Windows of global memory, in the order of [`OpKernel::views`].
    pub views: &'a [ViewRef; V],
    /// Scalars, in the order of [`OpKernel::scalars`]: integers sign-extended, floats as the bits of an `f32`.
    pub scalars: &'a [u64; S],
    /// What the kernel found out about the instruction beforehand: comparison, rounding, ….
    pub imm: [u64; 2],
}

/// A [`Call`] whose numbers of operands its type does not say.
#[repr(C)]
struct AnyCall<'a> {
    tiles: *const TileRef<'a>,
    views: *const ViewRef,
    scalars: *const u64,
    imm: [u64; 2],
}

/// How many operands of each kind code takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arity {
    /// Tiles.
    pub tiles: u8,
    /// Windows of global memory.
    pub views: u8,
    /// Scalars.
    pub scalars: u8,
}

impl std::fmt::Display for Arity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} tiles, {} views and {} scalars", self.tiles, self.views, self.scalars)
    }
}

/// Why an instruction could not finish.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The divisor at this element is zero.
    DivisionByZero {
        /// Row of the element.
        row: usize,
        /// Column of the element.
        col: usize,
    },
    /// The window does not lie inside its buffer.
    OutsideBuffer {
        /// First byte that is touched, from the start of the buffer.
        first: i128,
        /// First byte after the last that is touched.
        end: i128,
        /// Bytes of the buffer.
        bytes: usize,
    },
    /// The valid region of the tile does not fit the window.
    WindowMismatch {
        /// Valid rows and columns of the tile.
        tile: (usize, usize),
        /// Rows and columns of the window.
        window: (u64, u64),
    },
    /// Columns to scale for which there are no words.
    TooFewScales {
        /// Columns up to the last one.
        columns: usize,
        /// Words.
        words: usize,
    },
    /// The index at this element names nothing.
    IndexOutOfRange {
        /// Row of the element.
        row: usize,
        /// Column of the element.
        col: usize,
        /// The index.
        index: i64,
        /// How many there are.
        limit: u64,
    },
    /// The code takes other numbers of operands than it was given: a mistake of the engine.
    Operands {
        /// What it takes.
        takes: Arity,
    },
}

/// The code of an instruction.
///
/// # Safety
/// Tiles and views must be as [`TileRef::new`] and [`ViewRef::new`] say, of the types the code was prepared for, and keep the
/// rules of the instruction. Operands that the instruction does not have are absent.
pub type KernelFn<const T: usize, const V: usize = 0, const S: usize = 0> =
    unsafe fn(&Call<T, V, S>) -> Result<(), Fault>;
