//! Products in blocks: panels of the right factor packed once, rows of the left one streamed past them.

use super::factor::{Factor, factors};
use super::kept::{KeptFormat, KeptPair, KeptRegion};
use super::pack::{Left, PackedWord, Tools, left, left_in_place, left_words, packed_left, right, row_sum};
use super::strip::{COLUMNS, LINE, Loops, STRIP, StripLoop, Strips};
use super::{ProductCall, ProductFn, SumOrder, extents, plain};
use pto_isa::{Order, TileType};
use pto_num::CpuLevel;
#[cfg(target_arch = "x86_64")]
use pto_num::{ProductUnit, most_product_unit};
use pto_vector::{Fault, TileRef};
use std::cell::RefCell;

/// Words along `k`, columns and rows of a block.
const DEPTH: usize = 256;
const WIDTH: usize = 256;
const HEIGHT: usize = 128;

/// Memory that starts at a cache line: a vector that crosses two costs twice.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct AlignedLine(#[expect(dead_code, reason = "used through pointers")] [u32; LINE]);

impl AlignedLine {
    pub const ZERO: Self = Self([0; LINE]);
}

/// Columns of the widest strip.
pub const WIDE: usize = 2 * COLUMNS;

thread_local! {
    /// Room for packed factors. On the stack it would cost a touch of every page in every product.
    static ROOM: RefCell<Vec<AlignedLine>> = const { RefCell::new(Vec::new()) };
}

/// How products are computed on a processor.
pub struct ProductMethod {
    pub word: PackedWord,
    pub loops: Loops,
    pub tools: Tools,
}

/// Makes a kernel of a machine.
macro_rules! kernel {
    ($word:ident, $loops:expr, $tools:expr) => {{
        static MACHINE: ProductMethod = ProductMethod { word: PackedWord::$word, loops: $loops, tools: $tools };
        /// # Safety
        /// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
        unsafe fn product(call: &ProductCall) -> Result<(), Fault> {
            // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is
            // touched.
            unsafe {
                drive(call, &MACHINE, |block, a, b| block.run(a, b));
                Ok(())
            }
        }
        product as ProductFn
    }};
}

/// The kernel for these sums on this level of the processor.
#[cfg(target_arch = "x86_64")]
pub fn run(sums: SumOrder, level: CpuLevel) -> ProductFn {
    use super::x86;
    match (level, sums) {
        (CpuLevel::V4, SumOrder::Integers) if has_byte_products() => {
            kernel!(Bytes, x86::V4_BYTES, x86::TOOLS_V4)
        }
        (CpuLevel::V4, SumOrder::Integers) => kernel!(Pairs, x86::V4_PAIRS, x86::TOOLS_V4),
        (CpuLevel::V4, SumOrder::Steps) => kernel!(F32, x86::V4_F32, x86::TOOLS_V4),
        (CpuLevel::V4, SumOrder::Blocks) => kernel!(F32, x86::V4_BLOCKS, x86::TOOLS_V4),
        (CpuLevel::V3, SumOrder::Integers) => kernel!(Pairs, x86::V3_PAIRS, x86::TOOLS_V3),
        (CpuLevel::V3, SumOrder::Steps) => kernel!(F32, x86::V3_F32, x86::TOOLS_V3),
        (CpuLevel::V3, SumOrder::Blocks) => kernel!(F32, x86::V3_BLOCKS, x86::TOOLS_V3),
        (CpuLevel::Baseline, _) => portable(sums),
    }
}

#[cfg(target_arch = "x86_64")]
fn has_byte_products() -> bool {
    most_product_unit() >= ProductUnit::Bytes && is_x86_feature_detected!("avx512vnni")
}

/// The kernel for these sums.
#[cfg(not(target_arch = "x86_64"))]
pub fn run(sums: SumOrder, _: CpuLevel) -> ProductFn {
    portable(sums)
}

/// The kernel for any processor.
fn portable(sums: SumOrder) -> ProductFn {
    use super::portable::{BLOCKS, F32, PAIRS, TOOLS};
    match sums {
        SumOrder::Integers => kernel!(Pairs, PAIRS, TOOLS),
        SumOrder::Steps => kernel!(F32, F32, TOOLS),
        SumOrder::Blocks => kernel!(F32, BLOCKS, TOOLS),
    }
}

/// A product, block by block. Every sum takes in the blocks of `k` in order, so blocks change nothing.
///
/// # Safety
/// As [`KernelFn`](pto_vector::KernelFn).
pub unsafe fn drive(call: &ProductCall, machine: &ProductMethod, run: impl Fn(&ProductBlock, &Factor, &Factor)) {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
    // factors and sums belong to a call, and rows, columns and depths lie inside of them.
    unsafe {
        let ((a, b), (rows, cols, depth)) = (factors(call), extents(call));
        let [dst, _, _, acc, ..] = call.tiles;
        let kept = KeptPair::of(&a, &b);
        let is_one_block = rows <= HEIGHT && cols <= WIDTH && (1..=DEPTH * machine.word.steps()).contains(&depth);
        if kept.packs() && !is_one_block {
            return;
        }
        // Sums that start from other sums of this product depend on the order of elements.
        if acc.is_present() && !is_same_place(acc, dst) && super::super::place::overlap(acc, dst) {
            kept.restore([&a, &b]);
            let _ = plain::run(call);
            return;
        }
        ROOM.with_borrow_mut(|room| {
            room.resize((WIDTH + HEIGHT) * DEPTH / LINE, AlignedLine::ZERO);
            for block in blocks(call, machine, kept, (rows, cols, depth), room.as_mut_ptr().cast()) {
                run(&block, &a, &b);
            }
        });
    }
}

/// True when every element of one tile lies where it does in the other.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named must lie inside
/// of them.
unsafe fn is_same_place(a: &TileRef, b: &TileRef) -> bool {
    let shape = |t: &TileType| (t.order(), t.fractal, t.rows, t.cols);
    a.ptr() == b.ptr() && a.row_stride() == b.row_stride() && shape(a.geometry()) == shape(b.geometry())
}

/// The blocks of a product.
fn blocks<'a>(
    call: &'a ProductCall<'a>,
    machine: &'a ProductMethod,
    kept: KeptPair,
    (rows, cols, depth): (usize, usize, usize),
    room: *mut u32,
) -> impl Iterator<Item = ProductBlock<'a>> {
    let steps = DEPTH * machine.word.steps();
    (0..depth.max(1)).step_by(steps).flat_map(move |k| {
        (0..cols).step_by(WIDTH).map(move |n| ProductBlock {
            call,
            machine,
            kept,
            k: (k, (depth - k).min(steps)),
            cols: (n, (cols - n).min(WIDTH)),
            rows: (0, rows),
            room,
        })
    })
}

/// Some columns, some depth and some rows of a product.
#[derive(Clone, Copy)]
pub struct ProductBlock<'a> {
    pub call: &'a ProductCall<'a>,
    pub machine: &'a ProductMethod,
    pub kept: KeptPair,
    /// First, and how many.
    pub k: (usize, usize),
    pub cols: (usize, usize),
    pub rows: (usize, usize),
    /// Panels, followed by rows of the left factor.
    pub room: *mut u32,
}

/// Columns of the right factor: the first in the block, how many, and where they are packed.
struct Panel {
    first: usize,
    width: usize,
    at: *mut u32,
}

/// Rows of the left factor.
struct LeftRows {
    left: Left,
    /// The first one there.
    start: usize,
    /// The first one in the product, and how many.
    first: usize,
    count: usize,
    /// What is added to the sums of each, where elements are bytes.
    add: [u32; HEIGHT],
}

impl ProductBlock<'_> {
    /// Computes it.
    ///
    /// # Safety
    /// As [`pto_vector::KernelFn`].
    pub unsafe fn run(&self, a: &Factor, b: &Factor) {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            // The next product finds its factors where this one leaves them: chains would only bring them from farther away.
            if self.kept.packs() {
                return;
            }
            let (first, count) = self.rows;
            let is_in_place = self.left_in_place(a).is_some() && self.machine.word != PackedWord::Bytes;
            if is_in_place || count <= HEIGHT {
                return self.by_panels(b, &self.some_rows(a, first, count));
            }
            let (at, is_packed) = self.panel_room(b);
            if !is_packed {
                self.panels(at).for_each(|panel| self.pack(b, &panel));
            }
            for (first, count) in self.heights() {
                let (rows, ends) = (self.some_rows(a, first, count), self.ends());
                self.panels(at).for_each(|panel| self.strips(&rows, &panel, ends, self.after(&panel)));
            }
        }
    }

    /// Every panel is packed just before it is used, in the place of the one before if it is not kept, so that it is in the nearest cache.
    ///
    /// # Safety
    /// The factors must be those of a call, as [`KernelFn`](pto_vector::KernelFn) says, and rows, columns and depths lie
    /// inside of them.
    unsafe fn by_panels(&self, b: &Factor, rows: &LeftRows) {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            let ends = self.ends();
            let (at, is_packed) = self.panel_room(b);
            for panel in self.panels(at) {
                let panel = if at == self.room { Panel { at, ..panel } } else { panel };
                if !is_packed {
                    self.pack(b, &panel);
                }
                let ahead = if is_packed { self.after(&panel) } else { std::ptr::null() };
                self.strips(rows, &panel, ends, ahead);
            }
        }
    }

    /// Where panels go, and whether they are there already. The caller packs all that are not.
    ///
    /// # Safety
    /// As [`Self::by_panels`].
    unsafe fn panel_room(&self, b: &Factor) -> (*mut u32, bool) {
        let widest = if self.machine.loops.wide.is_some() { WIDE } else { COLUMNS };
        let format = KeptFormat::Panels(self.machine.word, widest);
        let region = KeptRegion { across: self.cols, k: self.k };
        let words = self.cols.1.next_multiple_of(widest) * self.room();
        let mut is_packed = true;
        let pack = |_| {
            is_packed = false;
            0
        };
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them; panels are packed before anything else
        // looks at the factor.
        let (at, _) = unsafe { self.kept.part(b, format, region, words, self.room, pack) };
        (at, is_packed)
    }

    /// Words along `k`.
    fn words(&self) -> usize {
        self.k.1.div_ceil(self.machine.word.steps())
    }

    /// Panels of columns, in order, and where they lie from `base` on.
    fn panels(&self, base: *mut u32) -> impl Iterator<Item = Panel> {
        let (depth, cols, loops, base) = (self.room(), self.cols.1, self.machine.loops, base);
        let mut first = 0;
        std::iter::from_fn(move || {
            if first >= cols {
                return None;
            }
            let width = loops.columns(cols - first);
            let panel = Panel { first, width, at: base.wrapping_add(first * depth) };
            first += width;
            Some(panel)
        })
    }

    /// The panel after this one, if there is one.
    fn after(&self, panel: &Panel) -> *const u32 {
        let is_last = panel.first + panel.width >= self.cols.1;
        if is_last { std::ptr::null() } else { panel.at.wrapping_add(panel.width * self.room()) }
    }

    /// Words that a packed column takes: whole boxes, of 16 words at most.
    fn room(&self) -> usize {
        self.words().next_multiple_of(16)
    }

    /// # Safety
    /// The factors must be those of a call, as [`KernelFn`](pto_vector::KernelFn) says, and rows, columns and depths lie
    /// inside of them.
    unsafe fn pack(&self, b: &Factor, panel: &Panel) {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            let ProductMethod { word, tools, .. } = self.machine;
            let cols = (self.cols.0 + panel.first, self.cols.1 - panel.first);
            right(b, *word, tools, cols, self.k, panel.at, panel.width);
        }
    }

    /// The tile of the left factor, where its words are those of the loop. A factor that is kept may not be in its tile.
    fn left_in_place(&self, a: &Factor) -> Option<Left> {
        if self.kept.keeps_left() { None } else { left_in_place(a, self.machine.word, self.k.0) }
    }

    /// At most [`HEIGHT`] rows of the left factor, packed where they have to be.
    ///
    /// # Safety
    /// The factors must be those of a call, as [`KernelFn`](pto_vector::KernelFn) says, and rows, columns and depths lie
    /// inside of them.
    unsafe fn some_rows(&self, a: &Factor, first: usize, count: usize) -> LeftRows {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            let ProductMethod { word, tools, .. } = self.machine;
            let (left, start) = match self.left_in_place(a) {
                Some(left) => (left, first),
                None => {
                    let region = KeptRegion { across: (first, count), k: self.k };
                    let words = left_words(*word, count, self.k.1);
                    let pack = |to: *mut u32| {
                        left(a, *word, tools, (first, count), self.k, to);
                        0
                    };
                    let format = KeptFormat::Rows(*word);
                    let (at, _) = self.kept.part(a, format, region, words, self.left_room(), pack);
                    (packed_left(*word, self.k.1, at), 0)
                }
            };
            let mut add = [0; HEIGHT];
            if *word == PackedWord::Bytes {
                for (r, add) in add[..count].iter_mut().enumerate() {
                    *add = (row_sum(&left, start + r, self.k.1) * -128) as u32;
                }
            }
            LeftRows { left, start, first, count, add }
        }
    }

    /// As many rows as are packed at a time: the first, and how many.
    pub fn heights(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (start, end) = (self.rows.0, self.rows.0 + self.rows.1);
        (start..end).step_by(HEIGHT).map(move |first| (first, (end - first).min(HEIGHT)))
    }

    /// Where rows of the left factor are packed.
    pub fn left_room(&self) -> *mut u32 {
        self.room.wrapping_add(WIDTH * DEPTH)
    }

    /// Some rows of the product, in the columns of a panel. What is packed `ahead`, unless it is null, is read next.
    ///
    /// # Safety
    /// The factors must be those of a call, as [`KernelFn`](pto_vector::KernelFn) says, and rows, columns and depths lie
    /// inside of them.
    unsafe fn strips(&self, rows: &LeftRows, panel: &Panel, ends: Option<(Sixteens, Sixteens)>, ahead: *const u32) {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            let words = self.words();
            let lines = if ahead.is_null() { 0 } else { panel.width * words.div_ceil(LINE) };
            let mut r = 0;
            while r < rows.count {
                // The heights divide each other, so no strip crosses a box.
                let of = self.machine.loops.pick(rows.count - r, panel.width);
                let count = (rows.count - r) / of.rows;
                let strips = Strips {
                    count,
                    depth: words,
                    left: rows.left,
                    row: rows.start + r,
                    b: panel.at,
                    add: rows.add.as_ptr().wrapping_add(r),
                    ahead,
                    lines_ahead: lines / count,
                    ..NOTHING
                };
                let cols = (self.cols.0 + panel.first, panel.width);
                self.sums(of, strips, ends, rows.first + r, cols);
                r += count * of.rows;
            }
        }
    }

    /// What sums start from and where they go, where sixteen columns of a row are contiguous in both.
    pub fn ends(&self) -> Option<(Sixteens, Sixteens)> {
        let [dst, _, _, acc, bias, ..] = self.call.tiles;
        let from = if self.k.0 > 0 { dst } else { acc };
        let start = match (from.is_present(), bias.is_present()) {
            (true, _) => Sixteens::of(from)?,
            (_, true) => Sixteens { row: 0, ..Sixteens::of(bias)? },
            _ => Sixteens { base: ZEROS.as_ptr().cast_mut(), row: 0, cols: 0 },
        };
        Some((start, Sixteens::of(dst)?))
    }

    /// Runs strips on the accumulator itself, or on copies where it is laid out otherwise or not all columns are valid.
    ///
    /// # Safety
    /// The factors must be those of a call, as [`KernelFn`](pto_vector::KernelFn) says, and rows, columns and depths lie
    /// inside of them; the strips name packed factors and sums that are there.
    #[inline(always)]
    unsafe fn sums(
        &self,
        of: StripLoop,
        mut strips: Strips,
        ends: Option<(Sixteens, Sixteens)>,
        row: usize,
        cols: (usize, usize),
    ) {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them; the strips name
        // packed factors and sums that are there.
        unsafe {
            let whole = cols.0 + cols.1 <= self.cols.0 + self.cols.1;
            if let (true, Some((start, c))) = (whole, ends) {
                (strips.start, strips.start_row, strips.start_cols) = (start.at(row, cols.0), start.row, start.cols);
                (strips.c, strips.c_row, strips.c_cols) = (c.at(row, cols.0), c.row, c.cols);
                return (of.run)(&strips);
            }
            for at in 0..strips.count {
                let below = at * of.rows;
                let strip = Strips { count: 1, row: strips.row + below, add: strips.add.wrapping_add(below), ..strips };
                self.sums_of_copy(of.run, strip, (row + below, of.rows), cols);
            }
        }
    }

    /// # Safety
    /// The factors must be those of a call, as [`KernelFn`](pto_vector::KernelFn) says, and rows, columns and depths lie
    /// inside of them; the strip names packed factors and sums that are there.
    #[inline(never)]
    unsafe fn sums_of_copy(
        &self,
        run: unsafe fn(&Strips),
        mut strip: Strips,
        rows: (usize, usize),
        cols: (usize, usize),
    ) {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them; the strip names
        // packed factors and sums that are there.
        unsafe {
            let mut copy = [0u32; STRIP * WIDE];
            let there = (rows, (cols.0, cols.1.min(self.cols.0 + self.cols.1 - cols.0)));
            self.copy_starts(&mut copy, there);
            (strip.c, strip.c_row, strip.c_cols) = (copy.as_mut_ptr(), WIDE, COLUMNS);
            (strip.start, strip.start_row, strip.start_cols) = (strip.c, strip.c_row, strip.c_cols);
            run(&strip);
            self.put_sums(&copy, there);
        }
    }

    /// What the sums of some rows and columns start from, [`WIDE`] words from row to row.
    ///
    /// # Safety
    /// They must lie in the product.
    pub unsafe fn copy_starts(&self, copy: &mut [u32], (rows, cols): ((usize, usize), (usize, usize))) {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            for r in 0..rows.1 {
                for c in 0..cols.1 {
                    let (m, n) = (rows.0 + r, cols.0 + c);
                    copy[r * WIDE + c] = match self.k.0 {
                        0 => plain::start(self.call, m, n),
                        _ => plain::get(&self.call.tiles[0], m, n),
                    };
                }
            }
        }
    }

    /// Writes sums that lie [`WIDE`] words from row to row.
    ///
    /// # Safety
    /// As [`Self::copy_starts`].
    pub unsafe fn put_sums(&self, copy: &[u32], (rows, cols): ((usize, usize), (usize, usize))) {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            for r in 0..rows.1 {
                for c in 0..cols.1 {
                    plain::put(&self.call.tiles[0], rows.0 + r, cols.0 + c, copy[r * WIDE + c]);
                }
            }
        }
    }
}

/// What sums start from when nothing is given.
static ZEROS: [u32; COLUMNS] = [0; COLUMNS];

const NOTHING: Strips = Strips {
    count: 0,
    depth: 0,
    left: Left::NONE,
    row: 0,
    b: std::ptr::null(),
    start: std::ptr::null(),
    start_row: 0,
    start_cols: 0,
    c: std::ptr::null_mut(),
    c_row: 0,
    c_cols: 0,
    add: std::ptr::null(),
    ahead: std::ptr::null(),
    lines_ahead: 0,
};

/// A matrix in which sixteen columns of a row are contiguous.
#[derive(Clone, Copy)]
pub struct Sixteens {
    base: *mut u32,
    /// Words from row to row, and from sixteen columns to the next.
    pub row: usize,
    cols: usize,
}

impl Sixteens {
    /// Words from row to row, and from sixteen columns to the next. Only the unit for matrices copies sums.
    #[cfg(target_arch = "x86_64")]
    pub fn new(base: *mut u32, row: usize, cols: usize) -> Self {
        Self { base, row, cols }
    }

    fn of(tile: &TileRef) -> Option<Self> {
        let ty: &TileType = tile.geometry();
        let (row, cols) = match ty.order() {
            Order::Nz if ty.fractal == 1024 => (COLUMNS, ty.rows as usize * COLUMNS),
            Order::Nd => (tile.row_stride(), COLUMNS),
            _ => return None,
        };
        Some(Self { base: tile.ptr().cast(), row, cols })
    }

    /// The place of an element whose column is a multiple of sixteen.
    #[inline(always)]
    pub fn at(self, row: usize, col: usize) -> *mut u32 {
        self.base.wrapping_add(row * self.row + col / COLUMNS * self.cols)
    }
}
