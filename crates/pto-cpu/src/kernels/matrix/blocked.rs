//! Products in blocks: panels of the right factor packed once, rows of the left one streamed past them.

use super::factor::{Factor, factors};
use super::pack::{Left, Tools, Word, left, left_in_place, right, row_sum};
use super::strip::{COLUMNS, Loops, Strip};
use super::{Sums, extents, plain};
use pto_isa::{Order, TileType};
use pto_num::CpuLevel;
use pto_vector::{Call, Fault, KernelFn, TileRef};
use std::cell::RefCell;

/// Words along `k`, columns and rows of a block.
const DEPTH: usize = 256;
const WIDTH: usize = 256;
const HEIGHT: usize = 128;

/// Memory that starts at a cache line: a vector that crosses two costs twice.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "used through pointers")] [u32; LINE]);

const LINE: usize = 16;

/// Columns of the widest strip.
pub const WIDE: usize = 2 * COLUMNS;

thread_local! {
    /// Room for packed factors. On the stack it would cost a touch of every page in every product.
    static ROOM: RefCell<Vec<Line>> = const { RefCell::new(Vec::new()) };
}

/// How products are computed on a processor.
pub struct Machine {
    pub word: Word,
    pub loops: Loops,
    pub tools: Tools,
}

/// Makes a kernel of a machine.
macro_rules! kernel {
    ($word:ident, $loops:expr, $turn:expr, $halves:expr) => {{
        static MACHINE: Machine =
            Machine { word: Word::$word, loops: $loops, tools: Tools { turn: $turn, halves: $halves } };
        unsafe fn product(call: &Call) -> Result<(), Fault> {
            drive(call, &MACHINE, |block, a, b| block.run(a, b));
            Ok(())
        }
        product as KernelFn
    }};
}

/// The kernel for these sums on this level of the processor.
#[cfg(target_arch = "x86_64")]
pub fn run(sums: Sums, level: CpuLevel) -> KernelFn {
    use super::x86;
    match (level, sums) {
        (CpuLevel::V4, Sums::Integers) if is_x86_feature_detected!("avx512vnni") => {
            kernel!(Bytes, x86::V4_BYTES, x86::turn_v4, x86::HALVES_V4)
        }
        (CpuLevel::V4, Sums::Integers) => kernel!(Pairs, x86::V4_PAIRS, x86::turn_v4, x86::HALVES_V4),
        (CpuLevel::V4, Sums::Steps) => kernel!(F32, x86::V4_F32, x86::turn_v4, x86::HALVES_V4),
        (CpuLevel::V4, Sums::Blocks) => kernel!(F32, x86::V4_BLOCKS, x86::turn_v4, x86::HALVES_V4),
        (CpuLevel::V3, Sums::Integers) => kernel!(Pairs, x86::V3_PAIRS, x86::turn_v3, x86::HALVES_V3),
        (CpuLevel::V3, Sums::Steps) => kernel!(F32, x86::V3_F32, x86::turn_v3, x86::HALVES_V3),
        (CpuLevel::V3, Sums::Blocks) => kernel!(F32, x86::V3_BLOCKS, x86::turn_v3, x86::HALVES_V3),
        (CpuLevel::Baseline, _) => portable(sums),
    }
}

/// The kernel for these sums.
#[cfg(not(target_arch = "x86_64"))]
pub fn run(sums: Sums, _: CpuLevel) -> KernelFn {
    portable(sums)
}

/// The kernel for any processor.
fn portable(sums: Sums) -> KernelFn {
    use super::portable::{BLOCKS, F32, HALVES, PAIRS, turn};
    match sums {
        Sums::Integers => kernel!(Pairs, PAIRS, turn, HALVES),
        Sums::Steps => kernel!(F32, F32, turn, HALVES),
        Sums::Blocks => kernel!(F32, BLOCKS, turn, HALVES),
    }
}

/// A product, block by block. Every sum takes in the blocks of `k` in order, so blocks change nothing.
///
/// # Safety
/// As [`KernelFn`].
pub unsafe fn drive(call: &Call, machine: &Machine, run: impl Fn(&Block, &Factor, &Factor)) {
    let (Some((a, b)), Some((rows, cols, depth))) = (factors(call), extents(call)) else { return };
    let [dst, _, _, acc, ..] = call.tiles else { return };
    // Sums that start from other sums of this product depend on the order of elements.
    if acc.is_present() && !is_same_place(acc, dst) && super::super::moves::overlap(acc, dst) {
        let _ = plain::run(call);
        return;
    }
    ROOM.with_borrow_mut(|room| {
        room.resize((WIDTH + HEIGHT) * DEPTH / LINE, Line([0; LINE]));
        for block in blocks(call, machine, (rows, cols, depth), room.as_mut_ptr().cast()) {
            run(&block, &a, &b);
        }
    });
}

/// True when every element of one tile lies where it does in the other.
unsafe fn is_same_place(a: &TileRef, b: &TileRef) -> bool {
    let shape = |t: &TileType| (t.order(), t.fractal, t.rows, t.cols);
    a.ptr == b.ptr && a.row_stride == b.row_stride && shape(&*a.geometry) == shape(&*b.geometry)
}

/// The blocks of a product.
fn blocks<'a>(
    call: &'a Call<'a>,
    machine: &'a Machine,
    (rows, cols, depth): (usize, usize, usize),
    room: *mut u32,
) -> impl Iterator<Item = Block<'a>> {
    let steps = DEPTH * machine.word.steps();
    (0..depth.max(1)).step_by(steps).flat_map(move |k| {
        (0..cols).step_by(WIDTH).map(move |n| Block {
            call,
            machine,
            k: (k, (depth - k).min(steps)),
            cols: (n, (cols - n).min(WIDTH)),
            rows: (0, rows),
            room,
        })
    })
}

/// Some columns, some depth and some rows of a product.
#[derive(Clone, Copy)]
pub struct Block<'a> {
    pub call: &'a Call<'a>,
    pub machine: &'a Machine,
    /// First, and how many.
    pub k: (usize, usize),
    pub cols: (usize, usize),
    pub rows: (usize, usize),
    /// Panels, and behind them rows of the left factor.
    pub room: *mut u32,
}

impl Block<'_> {
    /// Computes it.
    ///
    /// # Safety
    /// As [`pto_vector::KernelFn`].
    pub unsafe fn run(&self, a: &Factor, b: &Factor) {
        self.pack(b);
        self.multiply(a);
    }

    /// Words along `k`.
    fn words(&self) -> usize {
        self.k.1.div_ceil(self.machine.word.steps())
    }

    /// Panels of columns: first column in the block, columns, and where they are packed.
    fn panels(&self) -> impl Iterator<Item = (usize, usize, *mut u32)> {
        let (depth, cols, loops, base) = (self.room(), self.cols.1, self.machine.loops, self.room);
        let mut first = 0;
        std::iter::from_fn(move || {
            if first >= cols {
                return None;
            }
            let width = loops.columns(cols - first);
            let panel = (first, width, base.wrapping_add(first * depth));
            first += width;
            Some(panel)
        })
    }

    /// Words that a packed column takes: whole boxes, of 16 words at most.
    fn room(&self) -> usize {
        self.words().next_multiple_of(16)
    }

    unsafe fn pack(&self, b: &Factor) {
        let Machine { word, tools, .. } = self.machine;
        for (first, width, out) in self.panels() {
            right(b, *word, tools, (self.cols.0 + first, self.cols.1 - first), self.k, out, width);
        }
    }

    unsafe fn multiply(&self, a: &Factor) {
        let word = self.machine.word;
        if let Some(rows) = left_in_place(a, word, self.k.0) {
            for (first, count) in self.heights() {
                self.rows(&rows, first, first, count);
            }
            return;
        }
        for (first, count) in self.heights() {
            let rows = left(a, word, &self.machine.tools, (first, count), self.k, self.left_room());
            self.rows(&rows, 0, first, count);
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

    /// Rows `first` and on of the product, which are rows `start` and on of the left factor.
    unsafe fn rows(&self, left: &Left, start: usize, first: usize, count: usize) {
        if self.machine.word != Word::Bytes {
            return self.strips(left, start, first, count, std::ptr::null());
        }
        let mut add = [0u32; HEIGHT];
        for (r, add) in add[..count].iter_mut().enumerate() {
            *add = (row_sum(left, start + r, self.k.1) * -128) as u32;
        }
        self.strips(left, start, first, count, add.as_ptr());
    }

    /// The same, with what is added to the sums of each row.
    unsafe fn strips(&self, left: &Left, start: usize, first: usize, count: usize, add: *const u32) {
        let ends = self.ends();
        for (col, width, panel) in self.panels() {
            let mut r = 0;
            while r < count {
                // Strips start at multiples of their height, so none crosses a box.
                let (run, height) = self.machine.loops.pick(count - r, width);
                let strip = Strip {
                    depth: self.words(),
                    a: left.row(start + r),
                    a_step: left.step,
                    b: panel,
                    add: add.wrapping_add(r),
                    ..NOTHING
                };
                self.sums(run, strip, ends, (first + r, height), (self.cols.0 + col, width));
                r += height;
            }
        }
    }

    /// What sums start from and where they go, where sixteen columns of a row are contiguous in both.
    pub fn ends(&self) -> Option<(Sixteens, Sixteens)> {
        let [dst, _, _, acc, bias, ..] = self.call.tiles else { return None };
        let from = if self.k.0 > 0 { dst } else { acc };
        let start = match (from.is_present(), bias.is_present()) {
            (true, _) => Sixteens::of(from)?,
            (_, true) => Sixteens { row: 0, ..Sixteens::of(bias)? },
            _ => Sixteens { base: ZEROS.as_ptr().cast_mut(), row: 0, cols: 0 },
        };
        Some((start, Sixteens::of(dst)?))
    }

    /// Runs a strip on the accumulator itself, or on a copy where it is laid out otherwise or not all columns are valid.
    #[inline(always)]
    unsafe fn sums(
        &self,
        run: unsafe fn(&Strip),
        mut strip: Strip,
        ends: Option<(Sixteens, Sixteens)>,
        rows: (usize, usize),
        cols: (usize, usize),
    ) {
        let whole = cols.0 + cols.1 <= self.cols.0 + self.cols.1;
        if let (true, Some((start, c))) = (whole, ends) {
            (strip.start, strip.start_row, strip.start_cols) = (start.at(rows.0, cols.0), start.row, start.cols);
            (strip.c, strip.c_row, strip.c_cols) = (c.at(rows.0, cols.0), c.row, c.cols);
            return run(&strip);
        }
        self.sums_of_copy(run, strip, rows, cols);
    }

    #[inline(never)]
    unsafe fn sums_of_copy(
        &self,
        run: unsafe fn(&Strip),
        mut strip: Strip,
        rows: (usize, usize),
        cols: (usize, usize),
    ) {
        let mut copy = [0u32; 8 * WIDE];
        let there = (rows, (cols.0, cols.1.min(self.cols.0 + self.cols.1 - cols.0)));
        self.copy_starts(&mut copy, there);
        (strip.c, strip.c_row, strip.c_cols) = (copy.as_mut_ptr(), WIDE, COLUMNS);
        (strip.start, strip.start_row, strip.start_cols) = (strip.c, strip.c_row, strip.c_cols);
        run(&strip);
        self.put_sums(&copy, there);
    }

    /// What the sums of some rows and columns start from, [`WIDE`] words from row to row.
    ///
    /// # Safety
    /// They must lie in the product.
    pub unsafe fn copy_starts(&self, copy: &mut [u32], (rows, cols): ((usize, usize), (usize, usize))) {
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

    /// Writes sums that lie [`WIDE`] words from row to row.
    ///
    /// # Safety
    /// As [`Self::copy_starts`].
    pub unsafe fn put_sums(&self, copy: &[u32], (rows, cols): ((usize, usize), (usize, usize))) {
        for r in 0..rows.1 {
            for c in 0..cols.1 {
                plain::put(&self.call.tiles[0], rows.0 + r, cols.0 + c, copy[r * WIDE + c]);
            }
        }
    }
}

/// What sums start from when nothing is given.
static ZEROS: [u32; COLUMNS] = [0; COLUMNS];

const NOTHING: Strip = Strip {
    depth: 0,
    a: std::ptr::null(),
    a_step: 0,
    b: std::ptr::null(),
    start: std::ptr::null(),
    start_row: 0,
    start_cols: 0,
    c: std::ptr::null_mut(),
    c_row: 0,
    c_cols: 0,
    add: std::ptr::null(),
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
    /// Words from row to row, and from sixteen columns to the next.
    pub fn new(base: *mut u32, row: usize, cols: usize) -> Self {
        Self { base, row, cols }
    }

    fn of(tile: &TileRef) -> Option<Self> {
        // SAFETY: the engine keeps the geometry of every tile it passes alive during the call.
        let ty: &TileType = unsafe { &*tile.geometry };
        let (row, cols) = match ty.order() {
            Order::Nz if ty.fractal == 1024 => (COLUMNS, ty.rows as usize * COLUMNS),
            Order::Nd => (tile.row_stride, COLUMNS),
            _ => return None,
        };
        Some(Self { base: tile.ptr.cast(), row, cols })
    }

    /// The place of an element whose column is a multiple of sixteen.
    #[inline(always)]
    pub fn at(self, row: usize, col: usize) -> *mut u32 {
        self.base.wrapping_add(row * self.row + col / COLUMNS * self.cols)
    }
}
