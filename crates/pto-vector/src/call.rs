//! What a kernel gets, and what it says about itself.

use pto_isa::rules::Instance;
use pto_isa::{GlobalLayout, Scalar, TileType, Type};
use pto_num::{CpuLevel, Level, cpu_level};

/// A tile operand of a call: memory, shape, and the part that holds data.
///
/// The engine guarantees that every element of the physical rectangle lies inside one allocation that lives as long
/// as the call, and that `rows` and `cols` lie inside that rectangle.
#[derive(Clone, Copy, Debug)]
pub struct TileRef {
    /// The first element; null when an optional operand is absent.
    pub ptr: *mut u8,
    /// Valid rows.
    pub rows: usize,
    /// Valid columns.
    pub cols: usize,
    /// Elements from one row to the next, in tiles without boxes.
    pub row_stride: usize,
    /// Elements from one column to the next, in tiles without boxes.
    pub col_stride: usize,
    /// The geometry of the memory: for windows that of the whole tile.
    pub geometry: *const TileType,
}

impl TileRef {
    /// An operand that is not there.
    pub const ABSENT: Self =
        Self { ptr: std::ptr::null_mut(), rows: 0, cols: 0, row_stride: 0, col_stride: 0, geometry: std::ptr::null() };

    /// True when the operand is there.
    pub fn is_present(&self) -> bool {
        !self.ptr.is_null()
    }

    /// The place of an element, counted in elements from the first. Right for every layout.
    #[inline]
    pub fn index(&self, row: usize, col: usize) -> usize {
        // SAFETY: the engine keeps the geometry of every tile it passes alive during the call.
        let geometry = unsafe { &*self.geometry };
        self.lies_inside(row, col);
        if geometry.is_boxed() {
            geometry.offset(row as u64, col as u64) as usize
        } else {
            row * self.row_stride + col * self.col_stride
        }
    }

    /// Kernels trust the rules that keep them inside of tiles; tests do not.
    #[inline(always)]
    fn lies_inside(&self, row: usize, col: usize) {
        // SAFETY: as above.
        let inside = || unsafe { (*self.geometry).rows > row as u64 && (*self.geometry).cols > col as u64 };
        debug_assert!(inside(), "[{row}, {col}] lies outside its tile");
    }

    /// The first element of a row, in a tile without boxes.
    #[inline(always)]
    pub fn row<T>(&self, row: usize) -> *mut T {
        self.ptr.cast::<T>().wrapping_add(row * self.row_stride)
    }

    /// An element, in a tile without boxes.
    #[inline(always)]
    pub fn at<T>(&self, row: usize, col: usize) -> *mut T {
        self.lies_inside(row, col);
        self.ptr.cast::<T>().wrapping_add(row * self.row_stride + col * self.col_stride)
    }
}

/// A window of global memory: `shape` and `strides` have five dimensions, outermost first, strides in elements.
#[derive(Clone, Copy, Debug)]
pub struct ViewRef {
    /// The start of the buffer.
    pub base: *mut u8,
    /// Bytes of the buffer.
    pub bytes: usize,
    /// From the start of the buffer to the first element, in bytes. May lie outside; kernels check.
    pub first: i64,
    /// Extents.
    pub shape: [u64; 5],
    /// Strides in elements.
    pub strides: [i64; 5],
    /// How rows and columns map to the five dimensions.
    pub layout: GlobalLayout,
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
    };
}

/// The operands of one execution of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Tiles, in the order of [`Kernel::tiles`].
    pub tiles: &'a [TileRef],
    /// Scalars, in the order of [`Kernel::scalars`]: integers sign-extended, floats as the bits of an `f32`.
    pub scalars: &'a [u64],
    /// Windows of global memory, in the order of [`Kernel::views`].
    pub views: &'a [ViewRef],
    /// What the kernel found out about the instruction beforehand: comparison, rounding, ….
    pub imm: [u64; 2],
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
}

/// A compiled instruction.
///
/// # Safety
/// The tiles must be as [`TileRef`] says, of the types the kernel was made for.
pub type KernelFn = unsafe fn(&Call) -> Result<(), Fault>;

/// An instruction of a program, while its kernel is chosen.
pub struct Site<'a> {
    /// The instruction with its operand types and attributes.
    pub instance: Instance<'a>,
    /// Whose arithmetic.
    pub numerics: Numerics,
    /// Take the plain version of the kernel, whatever the layout.
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
    pub fn scalar(&self, slot: &str) -> Option<Scalar> {
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
pub struct Kernel {
    /// The tile operands it works on, by slot name, in the order the kernel gets them.
    pub tiles: &'static [&'static str],
    /// The windows of global memory.
    pub views: &'static [&'static str],
    /// The scalar operands.
    pub scalars: &'static [&'static str],
    /// Chooses the compiled code for an instruction; `None` where there is none for these operand types.
    pub prepare: fn(&Site) -> Option<Prepared>,
}

/// The compiled code for one instruction of a program.
#[derive(Clone, Copy, Debug)]
pub struct Prepared {
    /// The code.
    pub run: KernelFn,
    /// Handed to it with every call.
    pub imm: [u64; 2],
}

/// The code of a kernel for one combination of element types: a fast version for tiles whose rows are contiguous, and a
/// plain one, element by element, that it must equal bit for bit.
pub trait Body {
    /// Contiguous rows. Must be `#[inline(always)]` down to the arithmetic, to be compiled for each level.
    ///
    /// # Safety
    /// As [`KernelFn`]; the processor must have the level.
    unsafe fn fast<L: Level>(call: &Call) -> Result<(), Fault>;

    /// Any layout.
    ///
    /// # Safety
    /// As [`KernelFn`].
    unsafe fn plain(call: &Call) -> Result<(), Fault>;
}

impl Kernel {
    /// No code yet: a program that uses it does not run.
    pub const MISSING: Self = Self { tiles: &[], views: &[], scalars: &[], prepare: |_| None };

    /// True when there is no code yet.
    pub fn is_missing(&self) -> bool {
        self.tiles.is_empty() && self.views.is_empty() && self.scalars.is_empty()
    }

    /// A kernel on tiles alone.
    pub const fn new(tiles: &'static [&'static str], prepare: fn(&Site) -> Option<Prepared>) -> Self {
        Self { tiles, views: &[], scalars: &[], prepare }
    }

    /// That also takes scalars.
    #[must_use]
    pub const fn scalars(mut self, slots: &'static [&'static str]) -> Self {
        self.scalars = slots;
        self
    }

    /// That also takes windows of global memory.
    #[must_use]
    pub const fn views(mut self, slots: &'static [&'static str]) -> Self {
        self.views = slots;
        self
    }
}

impl Prepared {
    /// The code of a body for this processor. `contiguous` says whether the layouts suit the fast version.
    pub fn new<B: Body>(site: &Site, contiguous: bool) -> Self {
        let run: KernelFn = if site.plain || !contiguous { B::plain } else { fast::<B>(site.cpu_level()) };
        Self { run, imm: [0; 2] }
    }

    /// The plain version alone: for what is rare, or gains nothing from vector instructions. Every version costs time to
    /// compile.
    pub fn plain<B: Body>() -> Self {
        Self { run: B::plain, imm: [0; 2] }
    }

    /// The fast version of a body.
    pub fn fast<B: Body>(level: CpuLevel) -> KernelFn {
        fast::<B>(level)
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
fn fast<B: Body>(level: CpuLevel) -> KernelFn {
    match level {
        CpuLevel::V4 => v4::<B>,
        CpuLevel::V3 => v3::<B>,
        CpuLevel::Baseline => B::plain,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn fast<B: Body>(_: CpuLevel) -> KernelFn {
    unsafe fn baseline<B: Body>(call: &Call) -> Result<(), Fault> {
        B::fast::<pto_num::Baseline>(call)
    }
    baseline::<B>
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe")]
unsafe fn v3<B: Body>(call: &Call) -> Result<(), Fault> {
    B::fast::<pto_num::V3>(call)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe")]
unsafe fn v4<B: Body>(call: &Call) -> Result<(), Fault> {
    B::fast::<pto_num::V4>(call)
}
