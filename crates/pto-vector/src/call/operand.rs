//! What a kernel works on: tiles, and windows of global memory.

use pto_isa::{DType, GlobalLayout, Loc, TileType};

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
    geometry: &'a TileType,
}

/// The geometry of a tile that is not there.
static NO_TILE: TileType = TileType::new(Loc::Vec, DType::U8, 0, 0);

impl<'a> TileRef<'a> {
    /// An operand that is not there.
    pub const ABSENT: Self =
        Self { ptr: std::ptr::null_mut(), rows: 0, cols: 0, row_stride: 0, col_stride: 0, geometry: &NO_TILE };

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
        Self { ptr, rows, cols, row_stride, col_stride, geometry }
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
