//! Factors as the innermost loop wants them: words of 32 bits along `k`.
//!
//! The boxes of the cube's memories are nearly that already. Rows of a left box have eight words, which the loop reads where
//! they are; a right box has eight words of sixteen columns, which are transposed. Only what must be widened, scaled or rounded
//! is rewritten, and other layouts are gathered element by element.

use super::columns::{BoxColumns, GatherFn, RowWords};
use super::factor::{Factor, SCALED, Scaling};
use super::strip::{BLOCK, COLUMNS, GROUP, STRIP};
use pto_isa::{DType, Order, TileType};
use pto_num::Level;

/// What a word along `k` is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PackedWord {
    /// A number.
    F32,
    /// Four integers; unsigned in the right factor, where 128 is added.
    Bytes,
    /// Two integers of 16 bits.
    Pairs,
    /// Four signed integers.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "what the unit for matrices takes"))]
    Signed,
    /// Two numbers of bf16.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "what the unit for matrices takes"))]
    Halves,
}

impl PackedWord {
    /// Steps of `k` in a word.
    pub const fn steps(self) -> usize {
        match self {
            Self::F32 => 1,
            Self::Bytes | Self::Signed => 4,
            Self::Pairs | Self::Halves => 2,
        }
    }
}

/// Bytes of a row of a box.
const BOX_ROW: usize = 4 * GROUP;

/// Boxes of a right factor with the same columns.
#[derive(Clone, Copy)]
pub struct Boxes {
    /// Sixteen rows of eight words, one after the other.
    pub from: *const u32,
    pub count: usize,
    /// Words from box to box.
    pub next: usize,
    /// Where the columns go, one below the other, from box to box.
    pub to: *mut u32,
    /// Words from one row to the next there.
    pub step: usize,
}

impl Boxes {
    /// Calls `work` for every box with the positions of its rows, and their number.
    ///
    /// # Safety
    /// The boxes must lie in memory, and there is room for what they become.
    #[inline(always)]
    pub unsafe fn each(&self, rows: usize, work: impl Fn(*const u32, *mut u32)) {
        // SAFETY: the caller answers for the boxes and for the room they go to.
        unsafe {
            for at in 0..self.count {
                work(self.from.add(at * self.next), self.to.add(at * rows * self.step));
            }
        }
    }
}

/// Transposes sixteen rows of eight words into eight rows of sixteen.
pub type TransposeFn = unsafe fn(&Boxes);

/// The widening of halves, compiled for a level of the processor.
#[derive(Clone, Copy)]
pub struct Halves {
    /// Rows of 16, eight words apart on both sides; the other eight numbers of a row go this many words after the first.
    pub rows: unsafe fn(from: *const u32, rows: usize, to: *mut u32, second: usize, is_f16: bool),
    /// Sixteen columns of 16 become 16 rows.
    pub columns: unsafe fn(boxes: &Boxes, is_f16: bool),
}

/// What packing is done with.
#[derive(Clone, Copy)]
pub struct Tools {
    pub transpose: TransposeFn,
    pub halves: Halves,
    pub gather: GatherFn,
}

/// See [`Halves::rows`].
///
/// # Safety
/// All rows must lie in memory; the processor must have the level.
#[inline(always)]
pub unsafe fn widen_rows<L: Level>(from: *const u32, rows: usize, to: *mut u32, second: usize, is_f16: bool) {
    // SAFETY: the caller answers for the elements at `from` and `to`; the processor has the instructions of this level.
    unsafe {
        for r in 0..rows {
            let halves = from.add(r * GROUP).cast::<[u16; 16]>().read_unaligned();
            let mut wide = [0.0f32; 16];
            if is_f16 {
                L::f16_to_f32(&halves, &mut wide);
            } else {
                for i in 0..16 {
                    wide[i] = f32::from_bits(u32::from(halves[i]) << 16);
                }
            }
            let (first, last) = wide.split_at(8);
            std::ptr::copy_nonoverlapping(first.as_ptr().cast(), to.add(r * GROUP), 8);
            std::ptr::copy_nonoverlapping(last.as_ptr().cast(), to.add(r * GROUP + second), 8);
        }
    }
}

/// Rows of words with two halves each become twice as many rows of numbers.
///
/// # Safety
/// As [`widen_rows`].
#[inline(always)]
pub unsafe fn widen_columns<L: Level>(transposed: &[u32; COLUMNS * GROUP], to: *mut u32, step: usize, is_f16: bool) {
    // SAFETY: the caller answers for the elements at `to`; the processor has the instructions of this level.
    unsafe {
        for (w, words) in transposed.chunks_exact(COLUMNS).enumerate() {
            let (mut first, mut second) = ([0u32; COLUMNS], [0u32; COLUMNS]);
            if is_f16 {
                let (mut low, mut high) = ([0u16; COLUMNS], [0u16; COLUMNS]);
                for c in 0..COLUMNS {
                    (low[c], high[c]) = (words[c] as u16, (words[c] >> 16) as u16);
                }
                let mut wide = [0.0f32; COLUMNS];
                L::f16_to_f32(&low, &mut wide);
                first = wide.map(f32::to_bits);
                L::f16_to_f32(&high, &mut wide);
                second = wide.map(f32::to_bits);
            } else {
                for c in 0..COLUMNS {
                    (first[c], second[c]) = (words[c] << 16, words[c] & 0xffff_0000);
                }
            }
            to.add(2 * w * step).cast::<[u32; COLUMNS]>().write_unaligned(first);
            to.add((2 * w + 1) * step).cast::<[u32; COLUMNS]>().write_unaligned(second);
        }
    }
}

pub fn geometry<'a>(factor: &Factor<'a>) -> &'a TileType {
    factor.tile.geometry()
}

pub fn is_raw(factor: &Factor) -> bool {
    factor.scaling == Scaling::None && (factor.dtype != DType::F32 || factor.rounding.is_off())
}

// ---- the left factor --------------------------------------------------------------------------------------------

/// Rows of a left factor as the loop reads them.
#[derive(Clone, Copy)]
pub struct Left {
    /// The first word of row 0.
    base: *const u32,
    /// From one group of words along `k` to the next.
    pub step: usize,
    /// The base-2 logarithm of the number of consecutive rows; the next ones lie this far after the first.
    log_rows: u32,
    block: usize,
}

impl Left {
    /// No rows.
    pub const NONE: Self = Self { base: std::ptr::null(), step: 0, log_rows: 0, block: 0 };

    /// The first word of a row. Rows of a strip must not cross a multiple of [`STRIP`].
    #[inline(always)]
    pub fn row(&self, row: usize) -> *const u32 {
        let inside = row & ((1 << self.log_rows) - 1);
        self.base.wrapping_add((row >> self.log_rows) * self.block + inside * GROUP)
    }
}

/// True when the words of a factor in boxes are those of the loop.
fn has_words(factor: &Factor, word: PackedWord) -> bool {
    let fits = match factor.dtype {
        DType::F32 => word == PackedWord::F32,
        DType::I8 => word == PackedWord::Bytes,
        _ => false,
    };
    fits && is_raw(factor) && geometry(factor).fractal == 512
}

/// The tile itself from this depth on, where its words are those of the loop.
pub fn left_in_place(factor: &Factor, word: PackedWord, k: usize) -> Option<Left> {
    let ty = geometry(factor);
    if !has_words(factor, word) {
        return None;
    }
    let (step, block) = left_steps(ty)?;
    let base = factor.tile.ptr().cast::<u32>().wrapping_add(k / (word.steps() * GROUP) * step);
    Some(Left { base, step, log_rows: 4, block })
}

/// Words from box to box along `k`, and from 16 rows to the next.
pub fn left_steps(ty: &TileType) -> Option<(usize, usize)> {
    let (rows, row_words) = (ty.rows as usize, ty.cols as usize * ty.dtype.unit_bytes() as usize / 4);
    match ty.order() {
        Order::Nz => Some((rows * GROUP, 16 * GROUP)),
        Order::Zz if rows == 1 || rows.is_multiple_of(16) => Some((rows.min(16) * GROUP, 16 * row_words)),
        _ => None,
    }
}

/// Rewrites some rows and some depth of a left factor, strip by strip: what a strip reads lies together.
///
/// # Safety
/// `out` has room for whole strips of whole boxes along `k`; the region must lie in the tile.
pub unsafe fn left(
    factor: &Factor,
    word: PackedWord,
    tools: &Tools,
    rows: (usize, usize),
    k: (usize, usize),
    out: *mut u32,
) {
    // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them; the caller answers
    // for the elements at `out`.
    unsafe {
        let packed = packed_left(word, k.1, out);
        let done = match factor.dtype {
            DType::F16 | DType::Bf16 if is_raw(factor) => left_halves(factor, tools.halves, rows, k, &packed),
            DType::I8 if word == PackedWord::Pairs => left_pairs(factor, rows, k, &packed),
            DType::F32 | DType::I8 if has_words(factor, word) => left_strips(factor, word, rows, k, &packed),
            _ if word == PackedWord::F32 => left_numbers(factor, rows, k, &packed),
            _ => false,
        };
        if !done {
            for r in 0..rows.1 {
                let row = packed.row(r).cast_mut();
                any_words(factor, word, rows.0 + r, k, |w, bits| {
                    row.add(w / GROUP * packed.step + w % GROUP).write(bits);
                });
            }
        }
    }
}

/// Rows that [`left`] has packed.
pub fn packed_left(word: PackedWord, depth: usize, at: *const u32) -> Left {
    Left { base: at, step: STRIP * GROUP, log_rows: STRIP.ilog2(), block: left_words(word, STRIP, depth) }
}

/// Words that rows take when [`left`] has packed them.
pub fn left_words(word: PackedWord, rows: usize, depth: usize) -> usize {
    rows.next_multiple_of(STRIP) * depth.div_ceil(word.steps()).next_multiple_of(2 * GROUP)
}

/// Rows of boxes as they are, strip by strip.
///
/// # Safety
/// As [`left_halves`].
unsafe fn left_strips(factor: &Factor, word: PackedWord, rows: (usize, usize), k: (usize, usize), out: &Left) -> bool {
    // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
    unsafe {
        let Some((step, block)) = left_steps(geometry(factor)) else { return false };
        let steps = word.steps() * GROUP;
        let base = factor.tile.ptr().cast::<u32>().add(k.0 / steps * step);
        for r in (0..rows.1).step_by(STRIP) {
            let (row, count) = (rows.0 + r, (rows.1 - r).min(STRIP));
            let (from, to) = (base.add(row / 16 * block + row % 16 * GROUP), out.row(r).cast_mut());
            for group in 0..k.1.div_ceil(steps) {
                std::ptr::copy_nonoverlapping(from.add(group * step), to.add(group * out.step), count * GROUP);
            }
        }
        true
    }
}

/// Rows of 16 halves in boxes.
///
/// # Safety
/// The factors must be those of a call, as [`KernelFn`](pto_vector::KernelFn) says, and rows, columns and depths must lie inside
/// of them.
unsafe fn left_halves(factor: &Factor, halves: Halves, rows: (usize, usize), k: (usize, usize), out: &Left) -> bool {
    // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
    unsafe {
        let ty = geometry(factor);
        let Some((step, block)) = left_steps(ty).filter(|_| ty.fractal == 512) else { return false };
        let base = factor.tile.ptr().cast::<u32>().add(k.0 / 16 * step);
        for r in (0..rows.1).step_by(STRIP) {
            let (row, count) = (rows.0 + r, (rows.1 - r).min(STRIP));
            let from = base.add(row / 16 * block + row % 16 * GROUP);
            for group in 0..k.1.div_ceil(16) {
                let to = out.row(r).cast_mut().add(2 * group * out.step);
                (halves.rows)(from.add(group * step), count, to, out.step, factor.dtype == DType::F16);
            }
        }
        true
    }
}

/// Rows of 32 integers in boxes, as integers of 16 bits.
///
/// # Safety
/// As [`left_halves`].
unsafe fn left_pairs(factor: &Factor, rows: (usize, usize), k: (usize, usize), out: &Left) -> bool {
    // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
    unsafe {
        const WIDE: usize = 4 * GROUP;
        let ty = geometry(factor);
        let Some((step, block)) = left_steps(ty).filter(|_| ty.fractal == 512) else { return false };
        let base = factor.tile.ptr().cast::<u32>().add(k.0 / WIDE * step);
        for r in 0..rows.1 {
            let row = rows.0 + r;
            let from = base.add(row / 16 * block + row % 16 * GROUP);
            for group in 0..k.1.div_ceil(WIDE) {
                let mut bytes = from.add(group * step).cast::<[i8; WIDE]>().read_unaligned();
                // The other integer of the last word may be anything.
                bytes.iter_mut().skip(k.1 - group * WIDE).for_each(|b| *b = 0);
                let wide = bytes.map(i16::from);
                let to = out.row(r).cast_mut().add(2 * group * out.step);
                std::ptr::copy_nonoverlapping(wide.as_ptr().cast(), to, GROUP);
                std::ptr::copy_nonoverlapping(wide.as_ptr().cast::<u32>().add(GROUP), to.add(out.step), GROUP);
            }
        }
        true
    }
}

/// Rows of numbers of 8 bits.
///
/// # Safety
/// As [`left_halves`].
unsafe fn left_numbers(factor: &Factor, rows: (usize, usize), k: (usize, usize), out: &Left) -> bool {
    // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
    unsafe {
        let Some(groups) = factor.groups(k) else { return false };
        for r in 0..rows.1 {
            let to = out.row(r).cast_mut();
            factor.in_groups(&groups, rows.0 + r, k.1, |group, numbers| {
                let first = group * SCALED / GROUP;
                let parts = (k.1 - group * SCALED).min(SCALED).div_ceil(GROUP);
                for (part, words) in numbers.chunks_exact(GROUP).take(parts).enumerate() {
                    std::ptr::copy_nonoverlapping(words.as_ptr().cast(), to.add((first + part) * out.step), GROUP);
                }
            });
        }
        true
    }
}

/// Sixteen columns of such numbers, or fewer.
///
/// # Safety
/// As [`right_any`]; there must be room for whole boxes.
unsafe fn right_numbers(
    factor: &Factor,
    tools: &Tools,
    (col, cols): (usize, usize),
    k: (usize, usize),
    out: *mut u32,
    width: usize,
) -> bool {
    // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them; the caller answers
    // for the elements at `out`.
    unsafe {
        const BOX: usize = COLUMNS * GROUP;
        const BOXES: usize = 256 / GROUP;
        let Some(groups) = factor.groups(k) else { return false };
        // Columns that are not there are zero.
        let mut boxes = [0u32; BOXES * BOX];
        for c in 0..cols {
            factor.in_groups(&groups, col + c, k.1, |group, numbers| {
                let first = group * SCALED / GROUP;
                for (part, words) in numbers.chunks_exact(GROUP).enumerate() {
                    let at = boxes.as_mut_ptr().add((first + part) * BOX + c * GROUP);
                    std::ptr::copy_nonoverlapping(words.as_ptr().cast(), at, GROUP);
                }
            });
        }
        let count = k.1.div_ceil(GROUP);
        (tools.transpose)(&Boxes { from: boxes.as_ptr(), count, next: BOX, to: out, step: width });
        true
    }
}

/// Sums of the integers of a row.
///
/// # Safety
/// The region must lie in the tile, whose elements are i8.
pub unsafe fn row_sum(left: &Left, row: usize, depth: usize) -> i32 {
    // SAFETY: the row was packed with at least this depth.
    unsafe {
        let base = left.row(row);
        let mut sum = 0i32;
        for group in 0..depth.div_ceil(32) {
            let bytes = base.add(group * left.step).cast::<[i8; 32]>().read_unaligned();
            let count = (depth - 32 * group).min(32);
            sum += if count == 32 {
                bytes.iter().map(|b| i32::from(*b)).sum::<i32>()
            } else {
                bytes[..count].iter().map(|b| i32::from(*b)).sum::<i32>()
            };
        }
        sum
    }
}

/// Words of any factor in any layout; the rest after the depth is zero.
///
/// # Safety
/// The factors must be those of a call, as [`KernelFn`](pto_vector::KernelFn) says, and rows, columns and depths must lie inside
/// of them.
pub unsafe fn any_words(
    factor: &Factor,
    word: PackedWord,
    at: usize,
    k: (usize, usize),
    mut put: impl FnMut(usize, u32),
) {
    // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
    unsafe {
        match word {
            PackedWord::F32 => return factor.numbers(at, k, |w, number| put(w, number.to_bits())),
            PackedWord::Halves => return halves(factor, at, k, put),
            PackedWord::Bytes | PackedWord::Pairs | PackedWord::Signed => {}
        }
        let byte = |step: usize| if step < k.1 { factor.integer(at, k.0 + step) } else { 0 };
        for w in 0..k.1.div_ceil(word.steps()) {
            let bits = match word {
                PackedWord::Pairs => byte(2 * w) as u32 & 0xffff | (byte(2 * w + 1) as u32) << 16,
                _ => u32::from_le_bytes([0, 1, 2, 3].map(|i| byte(4 * w + i) as u8)),
            };
            put(w, bits);
        }
    }
}

/// Numbers in bf16, two to a word. Numbers that are too small for it become a subnormal sentinel.
///
/// # Safety
/// The factors must be those of a call, as [`KernelFn`](pto_vector::KernelFn) says, and rows, columns and depths must lie inside
/// of them.
unsafe fn halves(factor: &Factor, at: usize, k: (usize, usize), mut put: impl FnMut(usize, u32)) {
    // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
    unsafe {
        let half = |number: f32| (number.to_bits() >> 16) | u32::from(number.to_bits() & 0xffff != 0);
        for first in (0..k.1).step_by(BLOCK) {
            let count = (k.1 - first).min(BLOCK);
            let mut numbers = [0.0; BLOCK];
            factor.numbers(at, (k.0 + first, count), |i, number| numbers[i] = number);
            let words: [u32; BLOCK / 2] =
                std::array::from_fn(|w| half(numbers[2 * w]) | half(numbers[2 * w + 1]) << 16);
            words[..count.div_ceil(2)].iter().enumerate().for_each(|(w, bits)| put(first / 2 + w, *bits));
        }
    }
}

// ---- the right factor -------------------------------------------------------------------------------------------

/// A panel: for every word along `k`, a word of each of `width` columns.
///
/// # Safety
/// `out` has room for the panel, rounded up to whole boxes; the region must lie in the tile.
pub unsafe fn right(
    factor: &Factor,
    word: PackedWord,
    tools: &Tools,
    cols: (usize, usize),
    k: (usize, usize),
    out: *mut u32,
    width: usize,
) {
    // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them; the caller answers
    // for the elements at `out`.
    unsafe {
        for part in (0..width).step_by(COLUMNS) {
            let (first, to) = (cols.0 + part, out.add(part));
            let there = cols.1.saturating_sub(part).min(COLUMNS);
            let in_boxes = there > 0
                && (right_boxes(factor, word, tools, first, k, to, width)
                    || right_rows(factor, word, tools, first, k, to, width)
                    || word == PackedWord::F32 && right_numbers(factor, tools, (first, there), k, to, width));
            if !in_boxes {
                right_any(factor, word, (first, there), k, to, width);
            }
            if word == PackedWord::Bytes {
                unsigned(k.1, to, width);
            }
        }
    }
}

/// # Safety
/// The factors must be those of a call, as [`KernelFn`](pto_vector::KernelFn) says, and rows, columns and depths must lie inside
/// of them; all elements that the other arguments count must be writable at `out`.
unsafe fn right_any(
    factor: &Factor,
    word: PackedWord,
    cols: (usize, usize),
    k: (usize, usize),
    out: *mut u32,
    width: usize,
) {
    // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them; the caller answers
    // for the elements at `out`.
    unsafe {
        for c in 0..cols.1 {
            any_words(factor, word, cols.0 + c, k, |w, bits| out.add(w * width + c).write(bits));
        }
        for w in 0..k.1.div_ceil(word.steps()) {
            (cols.1..COLUMNS).for_each(|c| out.add(w * width + c).write(0));
        }
    }
}

/// Sixteen columns of boxes.
///
/// # Safety
/// The factors must be those of a call, as [`KernelFn`](pto_vector::KernelFn) says, and rows, columns and depths must lie inside
/// of them; all elements that the other arguments count must be writable at `out`.
unsafe fn right_boxes(
    factor: &Factor,
    word: PackedWord,
    tools: &Tools,
    col: usize,
    k: (usize, usize),
    out: *mut u32,
    width: usize,
) -> bool {
    // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them; the caller answers
    // for the elements at `out`.
    unsafe {
        let ty = geometry(factor);
        // Steps of `k` in a box, as a power of two: divisions take as long as a box.
        let log_depth = match factor.dtype {
            DType::F32 => 3,
            DType::F16 | DType::Bf16 => 4,
            DType::I8 => 5,
            _ => return false,
        };
        let whole = ty.rows & ((1 << log_depth) - 1) == 0;
        if !whole || !is_raw(factor) || ty.order() != Order::Zn || ty.fractal != 512 {
            return false;
        }
        let step = ty.cols as usize * GROUP;
        let base = factor.tile.ptr().cast::<u32>().add(col / COLUMNS * 16 * GROUP + (k.0 >> log_depth) * step);
        let count = (k.1 + (1 << log_depth) - 1) >> log_depth;
        let boxes = Boxes { from: base, count, next: step, to: out, step: width };
        match (factor.dtype, word) {
            (DType::F32, _)
            | (DType::I8, PackedWord::Bytes | PackedWord::Signed)
            | (DType::Bf16, PackedWord::Halves) => {
                (tools.transpose)(&boxes);
            }
            (DType::I8, _) => boxes.each(2 * GROUP, |from, to| {
                let mut transposed = [0u32; COLUMNS * GROUP];
                (tools.transpose)(&Boxes { from, count: 1, next: 0, to: transposed.as_mut_ptr(), step: COLUMNS });
                expand(&transposed, to, width, pairs);
            }),
            _ => (tools.halves.columns)(&boxes, factor.dtype == DType::F16),
        }
        true
    }
}

/// Sixteen columns of boxes whose rows lie side by side.
///
/// # Safety
/// As [`right_boxes`].
unsafe fn right_rows(
    factor: &Factor,
    word: PackedWord,
    tools: &Tools,
    col: usize,
    k: (usize, usize),
    out: *mut u32,
    width: usize,
) -> bool {
    let ty = geometry(factor);
    let words = match (factor.dtype, word) {
        (DType::F32, PackedWord::F32) => RowWords::Words,
        (DType::Bf16, PackedWord::F32) => RowWords::Bf16,
        (DType::F16, PackedWord::F32) => RowWords::F16,
        (DType::Bf16, PackedWord::Halves) => RowWords::Halves,
        (DType::I8, PackedWord::Pairs) => RowWords::Pairs,
        (DType::I8, PackedWord::Bytes | PackedWord::Signed) => RowWords::Bytes,
        _ => return false,
    };
    let in_boxes = ty.order() == Order::Nz && ty.fractal == 512 && ty.rows.is_multiple_of(16);
    if !in_boxes || !is_raw(factor) || (col + COLUMNS) as u64 > ty.cols {
        return false;
    }
    let unit = ty.dtype.unit_bytes() as usize;
    // Boxes below each other are one column of rows.
    let place = |col: usize| {
        let (boxes, inside) = (col * unit / BOX_ROW, col * unit % BOX_ROW);
        factor.tile.ptr().wrapping_add((boxes * ty.rows as usize + k.0) * BOX_ROW + inside).cast_const()
    };
    let count = k.1.div_ceil(words.rows());
    // SAFETY: the columns lie in whole boxes of the tile; the caller answers for the elements at `out`.
    unsafe { (tools.gather)(&BoxColumns { from: [place(col), place(col + 8)], count, to: out, step: width }, words) };
    true
}

/// Every word becomes two, one row after the other.
///
/// # Safety
/// All elements that the other arguments count must be writable at `out`.
#[inline(always)]
unsafe fn expand(transposed: &[u32; COLUMNS * GROUP], out: *mut u32, width: usize, split: impl Fn(u32) -> [u32; 2]) {
    // SAFETY: the caller answers for the elements at `out`.
    unsafe {
        for w in 0..GROUP {
            for c in 0..COLUMNS {
                let [first, second] = split(transposed[w * COLUMNS + c]);
                out.add(2 * w * width + c).write(first);
                out.add((2 * w + 1) * width + c).write(second);
            }
        }
    }
}

fn pairs(word: u32) -> [u32; 2] {
    let [a, b, c, d] = word.to_le_bytes().map(|b| i16::from(b as i8) as u16);
    [u32::from(a) | u32::from(b) << 16, u32::from(c) | u32::from(d) << 16]
}

/// Adds 128 to every byte of the depth, and clears the rest.
///
/// # Safety
/// All elements that the other arguments count must be writable at `out`.
unsafe fn unsigned(depth: usize, out: *mut u32, width: usize) {
    // SAFETY: the caller answers for the elements at `out`.
    unsafe {
        for w in 0..depth.div_ceil(4) {
            let there = (depth - 4 * w).min(4);
            let keep = u32::MAX >> (32 - 8 * there);
            for c in 0..COLUMNS {
                let word = out.add(w * width + c);
                word.write((word.read() ^ 0x8080_8080) & keep);
            }
        }
    }
}
