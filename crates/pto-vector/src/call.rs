//! What a kernel gets, and what it says about itself.

use pto_isa::rules::Instance;
use pto_isa::{DType, GlobalLayout, Loc, ScalarType, TileType, Type};
use pto_num::{CpuLevel, Level, cpu_level};
use std::mem::transmute;

/// A tile operand of a call: memory, shape, and the part that holds data.
///
/// Only [`TileRef::new`] makes one, and its caller answers for the memory. Safe methods compute addresses and never
/// follow them. A tile made of fields, whose geometry might lead nowhere, does not compile:
///
/// ```compile_fail,E0451
/// use pto_vector::TileRef;
/// let wild = TileRef { ptr: std::ptr::null_mut(), ..TileRef::ABSENT };
/// wild.index(0, 0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TileRef<'a> {
    ptr: *mut u8,
    rows: usize,
    cols: usize,
    row_stride: usize,
    col_stride: usize,
    is_past: bool,
    geometry: &'a TileType,
}

/// The geometry of a tile that is not there.
static NO_TILE: TileType = TileType::new(Loc::Vec, DType::U8, 0, 0);

impl<'a> TileRef<'a> {
    /// An operand that is not there.
    pub const ABSENT: Self = Self {
        ptr: std::ptr::null_mut(),
        rows: 0,
        cols: 0,
        row_stride: 0,
        col_stride: 0,
        is_past: false,
        geometry: &NO_TILE,
    };

    /// A tile at `ptr` with a valid `region` of rows and columns, and the `strides` in elements from one row and one
    /// column to the next, which count in tiles without boxes. A window has the geometry of its whole tile.
    ///
    /// # Safety
    /// Whenever the reference is passed to a kernel:
    /// - every element of the physical rectangle (of `region`, if the kernel has a [`KernelCut`]), as strides and geometry place it, lies
    ///   in one allocation, from `ptr` on, that only this thread touches during the call, and that may be read and, if the kernel
    ///   writes to the tile, written;
    /// - `region` lies inside of that rectangle.
    #[inline]
    pub unsafe fn new(ptr: *mut u8, geometry: &'a TileType, region: (usize, usize), strides: (usize, usize)) -> Self {
        let ((rows, cols), (row_stride, col_stride)) = (region, strides);
        Self { ptr, rows, cols, row_stride, col_stride, is_past: false, geometry }
    }

    /// The same tile, of which nothing is needed soon: what a kernel writes to it may go past the cache.
    ///
    /// # Safety
    /// A fence of stores (`_mm_sfence` on x86-64) must follow before another thread looks at what was written.
    #[inline(always)]
    #[must_use]
    pub unsafe fn past_cache(self) -> Self {
        Self { is_past: true, ..self }
    }

    /// Whether stores may go past the cache.
    #[inline(always)]
    pub fn is_past(&self) -> bool {
        self.is_past
    }

    /// The same memory with another valid region.
    ///
    /// # Safety
    /// The region must lie inside of the tile, as [`TileRef::new`] says.
    #[inline]
    #[must_use]
    pub unsafe fn with_region(self, (rows, cols): (usize, usize)) -> Self {
        Self { rows, cols, ..self }
    }

    /// The part of the valid region that lies in the first rows and columns.
    #[inline]
    #[must_use]
    pub fn clipped(self, rows: usize, cols: usize) -> Self {
        Self { rows: self.rows.min(rows), cols: self.cols.min(cols), ..self }
    }

    /// The same tile without what lies in the first `bytes` bytes.
    ///
    /// # Safety
    /// The valid region, which does not change, must lie inside of what is left of the physical rectangle.
    #[inline(always)]
    #[must_use]
    pub unsafe fn after(self, bytes: usize) -> Self {
        Self { ptr: self.ptr.wrapping_add(bytes), ..self }
    }

    /// True when both are the same part of the same memory, with the same geometry.
    #[inline]
    pub fn is_same(&self, other: &Self) -> bool {
        let place = |t: &Self| (t.ptr, t.rows, t.cols, t.row_stride, t.col_stride);
        place(self) == place(other) && std::ptr::eq(self.geometry, other.geometry)
    }

    /// The first element; null when an optional operand is absent.
    #[inline(always)]
    pub fn ptr(&self) -> *mut u8 {
        self.ptr
    }

    /// Valid rows.
    #[inline(always)]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Valid columns.
    #[inline(always)]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Elements from one row to the next, in tiles without boxes.
    #[inline(always)]
    pub fn row_stride(&self) -> usize {
        self.row_stride
    }

    /// Elements from one column to the next, in tiles without boxes.
    #[inline(always)]
    pub fn col_stride(&self) -> usize {
        self.col_stride
    }

    /// The geometry of the memory: for windows that of the whole tile.
    #[inline(always)]
    pub fn geometry(&self) -> &'a TileType {
        self.geometry
    }

    /// True when the operand is there.
    #[inline(always)]
    pub fn is_present(&self) -> bool {
        !self.ptr.is_null()
    }

    /// The position of an element, counted in elements from the first. Right for every layout.
    #[inline]
    pub fn index(&self, row: usize, col: usize) -> usize {
        self.lies_inside(row, col);
        if self.geometry.is_boxed() {
            boxed_index(self.geometry, row, col)
        } else {
            row * self.row_stride + col * self.col_stride
        }
    }

    /// Kernels trust the rules that keep them inside of tiles; tests do not.
    #[inline(always)]
    fn lies_inside(&self, row: usize, col: usize) {
        let inside = || self.geometry.rows > row as u64 && self.geometry.cols > col as u64;
        debug_assert!(inside(), "[{row}, {col}] lies outside its tile");
    }

    /// The first element of a row, in a tile without boxes.
    #[inline(always)]
    pub fn row<T>(&self, row: usize) -> *mut T {
        self.ptr.cast::<T>().wrapping_add(row * self.row_stride)
    }

    /// The same to write to, and whether stores may go past the cache.
    #[inline(always)]
    pub fn out_row<T>(&self, row: usize) -> (*mut T, bool) {
        (self.row(row), self.is_past)
    }

    /// An element, in a tile without boxes.
    #[inline(always)]
    pub fn at<T>(&self, row: usize, col: usize) -> *mut T {
        self.lies_inside(row, col);
        self.ptr.cast::<T>().wrapping_add(row * self.row_stride + col * self.col_stride)
    }
}

/// Out of line: every plain kernel would have a copy.
#[inline(never)]
fn boxed_index(geometry: &TileType, row: usize, col: usize) -> usize {
    geometry.offset(row as u64, col as u64) as usize
}

/// A window of global memory. `shape` and `strides` have five dimensions, outermost first, strides in elements.
///
/// Only [`ViewRef::new`] makes one, and its caller answers for the memory.
#[derive(Clone, Copy, Debug)]
pub struct ViewRef {
    base: *mut u8,
    bytes: usize,
    first: i64,
    shape: [u64; 5],
    strides: [i64; 5],
    layout: GlobalLayout,
    is_read_soon: bool,
}

impl ViewRef {
    /// An operand that is not there.
    pub const ABSENT: Self = Self {
        base: std::ptr::null_mut(),
        bytes: 0,
        first: 0,
        shape: [0; 5],
        strides: [0; 5],
        layout: GlobalLayout::Nd,
        is_read_soon: false,
    };

    /// A window whose first element lies `first` bytes after the start of a buffer of `bytes` bytes. The window may lie
    /// outside of the buffer; kernels check.
    ///
    /// # Safety
    /// Whenever the view is passed to a kernel, `bytes` bytes from `base` on may be read and, when the kernel stores to the
    /// view, written; and no other thread touches the window at the same time unless both only read.
    #[inline]
    pub unsafe fn new(
        (base, bytes): (*mut u8, usize),
        first: i64,
        shape: [u64; 5],
        strides: [i64; 5],
        layout: GlobalLayout,
    ) -> Self {
        Self { base, bytes, first, shape, strides, layout, is_read_soon: false }
    }

    /// The same window with another layout.
    #[inline(always)]
    #[must_use]
    pub fn with_layout(self, layout: GlobalLayout) -> Self {
        Self { layout, ..self }
    }

    /// The same window, whose contents somebody reads right after a store: they should stay in the cache.
    #[inline(always)]
    #[must_use]
    pub fn read_soon(self, is_read_soon: bool) -> Self {
        Self { is_read_soon, ..self }
    }

    /// True when somebody reads the contents right after a store.
    #[inline(always)]
    pub fn is_read_soon(&self) -> bool {
        self.is_read_soon
    }

    /// True when the operand is there.
    #[inline(always)]
    pub fn is_present(&self) -> bool {
        !self.base.is_null()
    }

    /// The first element. It may lie outside of the buffer.
    #[inline(always)]
    pub fn start(&self) -> *mut u8 {
        self.base.wrapping_offset(self.first as isize)
    }

    /// Bytes of the buffer.
    #[inline(always)]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// From the start of the buffer to the first element, in bytes.
    #[inline(always)]
    pub fn first(&self) -> i64 {
        self.first
    }

    /// Extents.
    #[inline(always)]
    pub fn shape(&self) -> [u64; 5] {
        self.shape
    }

    /// Strides in elements.
    #[inline(always)]
    pub fn strides(&self) -> [i64; 5] {
        self.strides
    }

    /// How rows and columns map to the five dimensions.
    #[inline(always)]
    pub fn layout(&self) -> GlobalLayout {
        self.layout
    }
}

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
/// const NEGATE: Kernel = Kernel::new(&["src0", "src1", "dst"], |_| Some(Prepared { run: negate, imm: [0; 2] }));
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

/// An instruction of a program, while its kernel is chosen.
pub struct Site<'a> {
    /// The instruction with its operand types and attributes.
    pub instance: Instance<'a>,
    /// Whose arithmetic.
    pub numerics: Numerics,
    /// Always use the plain version of the kernel, regardless of the layout.
    pub plain: bool,
    /// Take the fast version for this level and nothing beyond it, if the processor has it; otherwise, and where no level is given,
    /// that for all the processor has.
    pub level: Option<CpuLevel>,
}

impl<'a> Site<'a> {
    /// The tile type of an operand.
    pub fn tile(&self, slot: &str) -> Option<&'a TileType> {
        self.instance.tile(slot)
    }

    /// The level to take the fast version for.
    pub fn cpu_level(&self) -> CpuLevel {
        self.level.map_or(cpu_level(), |l| l.min(cpu_level()))
    }

    /// The type of a scalar operand.
    pub fn scalar(&self, slot: &str) -> Option<ScalarType> {
        self.instance.ty(slot).and_then(Type::scalar)
    }

    /// The spelling of an enumeration attribute, given or by default.
    pub fn attr(&self, name: &str) -> Option<&'static str> {
        self.instance.attr_name(name)
    }
}

/// Whose arithmetic a run follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Numerics {
    /// The documented rules.
    #[default]
    Reference,
    /// As Ascend A2/A3 computes, where it is known to differ.
    A2A3,
    /// As Ascend A5 computes, where it is known to differ.
    A5,
}

/// How an instruction is executed. Every row of the table has one.
#[derive(Clone, Copy, Debug)]
pub struct OpKernel {
    /// The tile operands it works on, by slot name, in the order the kernel gets them. [`NONE`] is always absent.
    pub tiles: &'static [&'static str],
    /// The windows of global memory.
    pub views: &'static [&'static str],
    /// The scalar operands.
    pub scalars: &'static [&'static str],
    /// How its work can be divided; `None` if it cannot.
    pub cut: Option<KernelCut>,
    /// What it does with factors of products.
    pub factors: FactorUse,
    /// What it does with sorted lists of records.
    pub records: RecordUse,
    /// Which valid elements of its result it writes.
    pub writes: WrittenPart,
    /// A [`Prepare`] with its operand counts erased, and the function that restores them.
    prepare: unsafe fn(),
    erased: unsafe fn(unsafe fn(), &Site) -> Option<Code>,
}

/// What an instruction does with the factors of products of matrices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FactorUse {
    /// Nothing special.
    None,
    /// It loads the tile from the window.
    Loads,
    /// It moves the first tile, or a window of it, into the second.
    Moves,
    /// It multiplies the second tile by the third.
    Multiplies,
}

/// The valid elements of its results that an instruction writes. Others keep what they held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WrittenPart {
    /// All of them.
    All,
    /// Those whose element of the first tile is valid.
    WhereSource,
    /// The same, where rows become columns.
    WhereTransposed,
    /// It depends on data, or on more than the extents of tiles.
    Some,
}

/// What an instruction does with sorted lists of records: values with their positions, of eight bytes each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordUse {
    /// Nothing special.
    None,
    /// It makes a record of each element of the first tile, and writes them to the last.
    Makes,
    /// It merges lists of records. If not all of a merged list is wanted, its last scalar says how many columns are.
    Merges,
}

/// How the work of an instruction can be divided: a call for some rows of its tiles, then one for the next rows, and so on,
/// gives the same bits as one call. Such a kernel touches nothing but the valid regions of its tiles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KernelCut {
    /// Columns can be divided as well, because each element of the result depends on the elements at its place only.
    pub by_columns: bool,
    /// The position of the tile that every call needs whole.
    pub whole: Option<usize>,
    /// Integers may divide by zero, so what is found first depends on the order.
    pub divides: bool,
}

impl KernelCut {
    /// Each row of the result depends on the same row of the operands.
    pub const ROWS: Self = Self { by_columns: false, whole: None, divides: false };
    /// Each element of the result depends on the same element of the operands.
    pub const ELEMENTS: Self = Self { by_columns: true, ..Self::ROWS };

    /// The tile at this position has one row for all rows of the result.
    #[must_use]
    pub const fn with_whole(self, position: usize) -> Self {
        Self { whole: Some(position), ..self }
    }

    /// It divides.
    #[must_use]
    pub const fn dividing(self) -> Self {
        Self { divides: true, ..self }
    }
}

/// The name of a slot that no instruction has.
pub const NONE: &str = "";

/// Chooses the code for an instruction; `None` if there is none for these operand types.
pub type Prepare<const T: usize, const V: usize = 0, const S: usize = 0> = fn(&Site) -> Option<Prepared<T, V, S>>;

/// The code for one instruction of a program.
#[derive(Clone, Copy, Debug)]
pub struct Prepared<const T: usize, const V: usize = 0, const S: usize = 0> {
    /// The code.
    pub run: KernelFn<T, V, S>,
    /// Immediates of every call.
    pub imm: [u64; 2],
}

/// [`Prepared`] code whose numbers of operands are a value: all code of a program has this type.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    run: unsafe fn(&AnyCall) -> Result<(), Fault>,
    imm: [u64; 2],
    arity: Arity,
}

impl Code {
    /// How many operands it takes.
    pub fn arity(&self) -> Arity {
        self.arity
    }

    /// True when both do the same with the same operands.
    pub fn is_same(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.run, other.run) && self.imm == other.imm && self.arity == other.arity
    }

    /// The code with its operands.
    ///
    /// # Errors
    /// [`Fault::Operands`] when these are not as many operands as it takes.
    #[inline]
    pub fn bind<'a>(
        &self,
        tiles: &'a [TileRef<'a>],
        views: &'a [ViewRef],
        scalars: &'a [u64],
    ) -> Result<BoundCode<'a>, Fault> {
        let takes = self.arity;
        let fits = tiles.len() == usize::from(takes.tiles)
            && views.len() == usize::from(takes.views)
            && scalars.len() == usize::from(takes.scalars);
        if !fits {
            return Err(Fault::Operands { takes });
        }
        let (tiles, views, scalars) = (tiles.as_ptr(), views.as_ptr(), scalars.as_ptr());
        Ok(BoundCode { run: self.run, call: AnyCall { tiles, views, scalars, imm: self.imm } })
    }

    /// Executes it.
    ///
    /// # Errors
    /// What the instruction finds wrong, and [`Fault::Operands`] when these are not as many operands as it takes.
    ///
    /// # Safety
    /// As [`KernelFn`], but for the numbers of operands.
    #[inline]
    pub unsafe fn call<'a>(
        &self,
        tiles: &'a [TileRef<'a>],
        views: &'a [ViewRef],
        scalars: &'a [u64],
    ) -> Result<(), Fault> {
        // SAFETY: as the caller says.
        unsafe { self.bind(tiles, views, scalars)?.run() }
    }
}

/// [`Code`] with as many operands as it takes.
pub struct BoundCode<'a> {
    run: unsafe fn(&AnyCall) -> Result<(), Fault>,
    call: AnyCall<'a>,
}

impl BoundCode<'_> {
    /// Executes it.
    ///
    /// # Errors
    /// What the instruction finds wrong.
    ///
    /// # Safety
    /// As [`KernelFn`].
    #[inline]
    pub unsafe fn run(&self) -> Result<(), Fault> {
        // SAFETY: `run` was made from a function on a `Call` of the numbers that `Code::bind` checked, which has the same
        // layout: pointers to arrays of that many elements. The caller answers for the operands.
        unsafe { (self.run)(&self.call) }
    }
}

impl<const T: usize, const V: usize, const S: usize> From<Prepared<T, V, S>> for Code {
    fn from(prepared: Prepared<T, V, S>) -> Self {
        // SAFETY: both are pointers to functions of one thin reference with the same result, so calls are compatible.
        // `BoundCode` is the only caller, and what its reference points to is a `Call` of these numbers.
        let run = unsafe { transmute::<KernelFn<T, V, S>, unsafe fn(&AnyCall) -> Result<(), Fault>>(prepared.run) };
        Self { run, imm: prepared.imm, arity: Arity { tiles: T as u8, views: V as u8, scalars: S as u8 } }
    }
}

/// The code of a kernel for one combination of element types: a fast version for tiles whose rows are contiguous, and a
/// plain one, element by element, that it must equal bit for bit.
pub trait Body<const T: usize, const V: usize = 0, const S: usize = 0> {
    /// Contiguous rows. Must be `#[inline(always)]` down to the arithmetic, to be compiled for each level.
    ///
    /// # Safety
    /// As [`KernelFn`]; rows are contiguous, and the processor must have the level.
    unsafe fn fast<L: Level>(call: &Call<T, V, S>) -> Result<(), Fault>;

    /// Any layout.
    ///
    /// # Safety
    /// As [`KernelFn`].
    unsafe fn plain(call: &Call<T, V, S>) -> Result<(), Fault>;
}

impl OpKernel {
    /// No code yet: a program that uses it does not run.
    pub const MISSING: Self = Self::new(&[], |_| None);

    /// True when there is no code yet.
    pub fn is_missing(&self) -> bool {
        self.tiles.is_empty() && self.views.is_empty() && self.scalars.is_empty()
    }

    /// A kernel on tiles alone.
    pub const fn new<const T: usize>(tiles: &'static [&'static str; T], prepare: Prepare<T>) -> Self {
        Self::taking(tiles, &[], &[], prepare)
    }

    /// A kernel on tiles, windows of global memory and scalars.
    pub const fn taking<const T: usize, const V: usize, const S: usize>(
        tiles: &'static [&'static str; T],
        views: &'static [&'static str; V],
        scalars: &'static [&'static str; S],
        prepare: Prepare<T, V, S>,
    ) -> Self {
        assert!(T < 256 && V < 256 && S < 256, "numbers of operands are bytes");
        // SAFETY: only `erased` calls it, as what it was.
        let prepare = unsafe { transmute::<Prepare<T, V, S>, unsafe fn()>(prepare) };
        let (factors, records) = (FactorUse::None, RecordUse::None);
        let (cut, writes) = (None, WrittenPart::All);
        Self { tiles, views, scalars, cut, factors, records, writes, prepare, erased: erased::<T, V, S> }
    }

    /// The same kernel, whose work can be divided.
    #[must_use]
    pub const fn cut(self, cut: KernelCut) -> Self {
        Self { cut: Some(cut), ..self }
    }

    /// The same kernel, which does this with factors of products.
    #[must_use]
    pub const fn factors(self, factors: FactorUse) -> Self {
        Self { factors, ..self }
    }

    /// The same kernel, which does this with sorted lists.
    #[must_use]
    pub const fn records(self, records: RecordUse) -> Self {
        Self { records, ..self }
    }

    /// The same kernel, which writes these elements of its result.
    #[must_use]
    pub const fn writing(self, writes: WrittenPart) -> Self {
        Self { writes, ..self }
    }

    /// The code for an instruction; `None` if there is none for these operand types.
    pub fn prepare(&self, site: &Site) -> Option<Code> {
        // SAFETY: `taking` made the two for the same numbers.
        unsafe { (self.erased)(self.prepare, site) }
    }
}

/// Prepares code, and forgets its numbers of operands.
///
/// # Safety
/// `prepare` must be a [`Prepare`] of these numbers.
unsafe fn erased<const T: usize, const V: usize, const S: usize>(prepare: unsafe fn(), site: &Site) -> Option<Code> {
    // SAFETY: the caller says that this is what it was.
    let prepare = unsafe { transmute::<unsafe fn(), Prepare<T, V, S>>(prepare) };
    prepare(site).map(Code::from)
}

impl<const T: usize, const V: usize, const S: usize> Prepared<T, V, S> {
    /// The code of a body for this processor. `contiguous` says whether the layouts suit the fast version.
    pub fn new<B: Body<T, V, S>>(site: &Site, contiguous: bool) -> Self {
        let run: KernelFn<T, V, S> =
            if site.plain || !contiguous { B::plain } else { fast::<B, T, V, S>(site.cpu_level()) };
        Self { run, imm: [0; 2] }
    }

    /// The plain version alone: for what is rare, or gains nothing from vector instructions. Every version costs time to
    /// compile.
    pub fn plain<B: Body<T, V, S>>() -> Self {
        Self { run: B::plain, imm: [0; 2] }
    }

    /// The fast version of a body.
    pub fn fast<B: Body<T, V, S>>(level: CpuLevel) -> KernelFn<T, V, S> {
        fast::<B, T, V, S>(level)
    }

    /// With something the code needs to know.
    #[must_use]
    pub fn with(mut self, imm: [u64; 2]) -> Self {
        self.imm = imm;
        self
    }
}

/// Processors without the vector instructions of 2013 are rare enough to run the plain version.
#[cfg(target_arch = "x86_64")]
fn fast<B: Body<T, V, S>, const T: usize, const V: usize, const S: usize>(level: CpuLevel) -> KernelFn<T, V, S> {
    match level {
        CpuLevel::V4 => v4::<B, T, V, S>,
        CpuLevel::V3 => v3::<B, T, V, S>,
        CpuLevel::Baseline => B::plain,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn fast<B: Body<T, V, S>, const T: usize, const V: usize, const S: usize>(_: CpuLevel) -> KernelFn<T, V, S> {
    B::fast::<pto_num::Baseline>
}

/// # Safety
/// As [`KernelFn`], and the processor must have these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe")]
unsafe fn v3<B: Body<T, V, S>, const T: usize, const V: usize, const S: usize>(
    call: &Call<T, V, S>,
) -> Result<(), Fault> {
    // SAFETY: the caller answers for the operands, and these features are the level.
    unsafe { B::fast::<pto_num::V3>(call) }
}

/// # Safety
/// As [`KernelFn`], and the processor must have these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe")]
unsafe fn v4<B: Body<T, V, S>, const T: usize, const V: usize, const S: usize>(
    call: &Call<T, V, S>,
) -> Result<(), Fault> {
    // SAFETY: the caller answers for the operands, and these features are the level.
    unsafe { B::fast::<pto_num::V4>(call) }
}
