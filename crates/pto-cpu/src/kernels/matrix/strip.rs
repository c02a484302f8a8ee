//! The innermost loop: the sums of a few rows and columns, kept in registers while `k` ascends.

use super::super::ahead::fetch;
use super::pack::Left;

/// Words of a row of a box.
pub const GROUP: usize = 8;

/// Words of a line.
pub const LINE: usize = 16;

/// The most rows of a strip: those of a box.
pub const STRIP: usize = 16;

/// Columns of a row of a box of an accumulator.
pub const COLUMNS: usize = 16;

/// The operands of strips below each other: some rows of the left factor each, up to 32 columns of the right one.
///
/// Operands are words of 32 bits: an f32, or the integers of several steps of `k`.
#[derive(Clone, Copy)]
pub struct Strips {
    /// How many there are.
    pub count: usize,
    /// Words along `k`.
    pub depth: usize,
    /// The left factor, and the row there that is the first one of the first strip.
    pub left: Left,
    pub row: usize,
    /// The right factor: for every word along `k`, a word of each column.
    pub b: *const u32,
    /// What the sums start from: from row to row, and from 16 columns to the next.
    pub start: *const u32,
    pub start_row: usize,
    pub start_cols: usize,
    /// Where they go.
    pub c: *mut u32,
    pub c_row: usize,
    pub c_cols: usize,
    /// Added to the sums of a row at the start, where the arithmetic needs that.
    pub add: *const u32,
    /// What is read after these strips: each of them fetches so many lines of it.
    pub ahead: *const u32,
    pub lines_ahead: usize,
}

impl Strips {
    /// One of them, of so many rows.
    #[inline(always)]
    pub fn strip(&self, at: usize, rows: usize) -> Strip {
        fetch(self.ahead.wrapping_add(at * self.lines_ahead * LINE).cast(), self.lines_ahead, false);
        let row = at * rows;
        Strip {
            a: self.left.row(self.row + row),
            start: self.start.wrapping_add(row * self.start_row),
            c: self.c.wrapping_add(row * self.c_row),
            add: self.add.wrapping_add(row),
        }
    }
}

/// Where a strip starts: in the left factor (rows of [`GROUP`] words, one after the other), and in what the fields of [`Strips`] name.
#[derive(Clone, Copy)]
pub struct Strip {
    a: *const u32,
    start: *const u32,
    c: *mut u32,
    add: *const u32,
}

impl Strip {
    /// What is left without its first rows.
    #[inline(always)]
    pub fn below(&self, s: &Strips, rows: usize) -> Self {
        Self {
            a: self.a.wrapping_add(rows * GROUP),
            start: self.start.wrapping_add(rows * s.start_row),
            c: self.c.wrapping_add(rows * s.c_row),
            add: self.add.wrapping_add(rows),
        }
    }
}

/// A vector of sums, and one step of them.
pub trait SumLanes: Copy {
    /// A vector of words.
    type V: Copy;
    /// Words of it.
    const WIDTH: usize;
    /// Whether [`Strip::add`] is used.
    const ADDS: bool;

    /// Reads a vector.
    ///
    /// # Safety
    /// A vector of words must be readable at `from`; the processor has what these lanes are made for.
    unsafe fn load(from: *const u32) -> Self::V;
    /// Writes a vector.
    ///
    /// # Safety
    /// A vector of words must be writable at `to`; the processor has what these lanes are made for.
    unsafe fn store(to: *mut u32, v: Self::V);
    /// A word in every place.
    ///
    /// # Safety
    /// A word must be readable at `from`; the processor has what these lanes are made for.
    unsafe fn splat(from: *const u32) -> Self::V;
    /// Adds to a start value.
    ///
    /// # Safety
    /// A word must be readable at `word`; the processor has what these lanes are made for.
    unsafe fn add(v: Self::V, word: *const u32) -> Self::V;
    /// One step of the sums.
    ///
    /// # Safety
    /// The processor must have what these lanes are made for.
    unsafe fn step(sum: Self::V, a: Self::V, b: Self::V) -> Self::V;
}

/// Sums that can be added to each other.
pub trait FloatLanes: SumLanes {
    /// +0 in every place.
    ///
    /// # Safety
    /// The processor must have what these lanes are made for.
    unsafe fn zero() -> Self::V;
    /// A sum of sums, rounded.
    ///
    /// # Safety
    /// The processor must have what these lanes are made for.
    unsafe fn plus(x: Self::V, y: Self::V) -> Self::V;
}

/// Steps of `k` whose products are summed before the sums take them in, where they do so in blocks.
pub const BLOCK: usize = 32;

/// The sums of `ROWS` rows and `VECTORS` vectors of columns.
///
/// # Safety
/// The operands must lie in memory, and the processor must have the instructions.
#[inline(always)]
pub unsafe fn in_steps<L: SumLanes, const ROWS: usize, const VECTORS: usize>(s: &Strips, strip: &Strip) {
    // SAFETY: the strip names packed factors and sums that are there.
    unsafe {
        let mut sums = starts::<L, ROWS, VECTORS>(s, strip);
        ascend::<L, ROWS, VECTORS, 1>(s, strip, 0, s.depth, &mut sums);
        finish::<L, ROWS, VECTORS>(s, strip, &sums);
    }
}

/// The same for sums that take in blocks: a block has a sum of its even steps and one of its odd steps.
///
/// One after the other: each has all registers, and the sums that take them in wait in memory.
///
/// # Safety
/// As [`in_steps`].
#[inline(always)]
pub unsafe fn in_blocks<L: FloatLanes, const ROWS: usize, const VECTORS: usize>(s: &Strips, strip: &Strip) {
    // SAFETY: the strip names packed factors and sums that are there.
    unsafe {
        if s.depth == 0 {
            return finish::<L, ROWS, VECTORS>(s, strip, &starts::<L, ROWS, VECTORS>(s, strip));
        }
        let (mut from, mut from_row, mut from_cols) = (strip.start, s.start_row, s.start_cols);
        for first in (0..s.depth).step_by(BLOCK) {
            let count = (s.depth - first).min(BLOCK);
            let mut even = [[L::zero(); VECTORS]; ROWS];
            let mut odd = [[L::zero(); VECTORS]; ROWS];
            ascend::<L, ROWS, VECTORS, 2>(s, strip, first, count, &mut even);
            ascend::<L, ROWS, VECTORS, 2>(s, strip, first + 1, count - 1, &mut odd);
            for r in 0..ROWS {
                for v in 0..VECTORS {
                    let sum = L::load(from.add(r * from_row + place::<L>(v, from_cols)));
                    let sum = L::plus(sum, L::plus(even[r][v], odd[r][v]));
                    L::store(strip.c.add(r * s.c_row + place::<L>(v, s.c_cols)), sum);
                }
            }
            (from, from_row, from_cols) = (strip.c, s.c_row, s.c_cols);
        }
    }
}

/// Where a vector of columns lies.
#[inline(always)]
fn place<L: SumLanes>(vector: usize, cols: usize) -> usize {
    vector * L::WIDTH / COLUMNS * cols + vector * L::WIDTH % COLUMNS
}

/// # Safety
/// The strip names packed factors and sums that are there.
#[inline(always)]
unsafe fn starts<L: SumLanes, const ROWS: usize, const VECTORS: usize>(
    s: &Strips,
    strip: &Strip,
) -> [[L::V; VECTORS]; ROWS] {
    // SAFETY: the strip names packed factors and sums that are there.
    unsafe {
        let mut sums = [[L::load(strip.start); VECTORS]; ROWS];
        for (r, row) in sums.iter_mut().enumerate() {
            for (v, sum) in row.iter_mut().enumerate() {
                *sum = L::load(strip.start.add(r * s.start_row + place::<L>(v, s.start_cols)));
                if L::ADDS {
                    *sum = L::add(*sum, strip.add.add(r));
                }
            }
        }
        sums
    }
}

/// # Safety
/// The strip names packed factors and sums that are there.
#[inline(always)]
unsafe fn finish<L: SumLanes, const ROWS: usize, const VECTORS: usize>(
    s: &Strips,
    strip: &Strip,
    sums: &[[L::V; VECTORS]; ROWS],
) {
    // SAFETY: the strip names packed factors and sums that are there.
    unsafe {
        for (r, row) in sums.iter().enumerate() {
            for (v, sum) in row.iter().enumerate() {
                L::store(strip.c.add(r * s.c_row + place::<L>(v, s.c_cols)), *sum);
            }
        }
    }
}

/// A run of words along `k`, or every other one of them. The sums accumulate them in order.
///
/// # Safety
/// The strip names packed factors and sums that are there. The first word is less than `EVERY` after the start of a group.
#[inline(always)]
unsafe fn ascend<L: SumLanes, const ROWS: usize, const VECTORS: usize, const EVERY: usize>(
    s: &Strips,
    strip: &Strip,
    first: usize,
    count: usize,
    sums: &mut [[L::V; VECTORS]; ROWS],
) {
    // SAFETY: the strip names packed factors and sums that are there.
    unsafe {
        let word = VECTORS * L::WIDTH;
        let mut a = strip.a.add(first / GROUP * s.left.step + first % GROUP);
        let mut b = s.b.add(first * word);
        let steps = count.div_ceil(EVERY);
        for _ in 0..steps / (GROUP / EVERY) {
            for k in 0..GROUP / EVERY {
                step::<L, ROWS, VECTORS>(sums, a.add(k * EVERY), b.add(k * EVERY * word));
            }
            a = a.add(s.left.step);
            b = b.add(GROUP * word);
        }
        for k in 0..steps % (GROUP / EVERY) {
            step::<L, ROWS, VECTORS>(sums, a.add(k * EVERY), b.add(k * EVERY * word));
        }
    }
}

/// # Safety
/// The processor must have what these lanes are made for.
#[inline(always)]
unsafe fn step<L: SumLanes, const ROWS: usize, const VECTORS: usize>(
    sums: &mut [[L::V; VECTORS]; ROWS],
    a: *const u32,
    b: *const u32,
) {
    // SAFETY: the processor has what these lanes are made for.
    unsafe {
        let mut columns = [L::load(b); VECTORS];
        for (v, column) in columns.iter_mut().enumerate() {
            *column = L::load(b.add(v * L::WIDTH));
        }
        for (r, row) in sums.iter_mut().enumerate() {
            let a = L::splat(a.add(r * GROUP));
            for (sum, column) in row.iter_mut().zip(&columns) {
                *sum = L::step(*sum, a, *column);
            }
        }
    }
}

/// A compiled loop, and the rows of each of its strips.
#[derive(Clone, Copy)]
pub struct StripLoop {
    pub rows: usize,
    pub run: unsafe fn(&Strips),
}

/// The compiled loops of one kind of arithmetic on one level of the processor, those of the most rows first. The last ones take a single row.
#[derive(Clone, Copy)]
pub struct Loops {
    /// For 32 columns, where there are registers enough.
    pub wide: Option<&'static [StripLoop]>,
    /// For 16 columns.
    pub narrow: &'static [StripLoop],
}

impl Loops {
    /// The number of columns of a panel of the right factor, given those that are left.
    pub fn columns(&self, left: usize) -> usize {
        if self.wide.is_some() && left > COLUMNS { 2 * COLUMNS } else { COLUMNS }
    }

    /// The loop for as many rows as possible of those that are left.
    pub fn pick(&self, left: usize, columns: usize) -> StripLoop {
        let list = self.wide.filter(|_| columns > COLUMNS).unwrap_or(self.narrow);
        let fits = list.iter().find(|of| of.rows <= left);
        *fits.unwrap_or(&list[list.len() - 1])
    }
}

/// Compiles loops of a kind of sums, each with the heights of the parts that a strip is worked on in: the more sums there are at a time, the
/// less they wait for each other, as long as they fit into the registers.
macro_rules! strip_loops {
    ($features:literal $sums:ident::<$lanes:ty, $vectors:literal>: $($heights:tt)+) => {
        &[$(strip_loop!($features $sums::<$lanes, $vectors>: $heights)),+]
    };
    ($sums:ident::<$lanes:ty, $vectors:literal>: $($heights:tt)+) => {
        &[$(strip_loop!($sums::<$lanes, $vectors>: $heights)),+]
    };
}

macro_rules! strip_loop {
    ($($features:literal)? $sums:ident::<$lanes:ty, $vectors:literal>: [$($rows:literal),+]) => {{
        const ROWS: usize = 0 $(+ $rows)+;
        /// # Safety
        /// The strips name packed factors and sums that are there; the processor must have the instructions of this level.
        $(#[target_feature(enable = $features)])?
        unsafe fn run(s: &Strips) {
            for at in 0..s.count {
                let mut part = s.strip(at, ROWS);
                $(
                    // SAFETY: the strips name packed factors and sums that are there; the processor has the instructions of
                    // this level.
                    unsafe { $sums::<$lanes, $rows, $vectors>(s, &part) };
                    part = part.below(s, $rows);
                )+
                // Nothing is below the last one.
                let _ = part;
            }
        }
        StripLoop { rows: ROWS, run }
    }};
}
pub(super) use {strip_loop, strip_loops};
