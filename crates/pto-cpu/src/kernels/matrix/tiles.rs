//! Products by the unit for matrices that some x86 processors have (AMX): tiles of sixteen rows of 64 bytes.
//!
//! It sums as [`SumOrder::Blocks`](super::SumOrder) says, but flushes subnormals to zero. So numbers are examined while they are
//! packed: if one is so small that a subnormal could occur, the fallback in [`blocked`](super::blocked) computes the block.

use super::ProductCall;
use super::blocked::{ProductBlock, ProductMethod, Sixteens, WIDE, drive};
use super::bytes;
use super::factor::Factor;
use super::kept::{KeptFormat, KeptRegion, MOST_CHAINED};
use super::pack::{PackedWord, any_words, geometry, is_raw, left_steps, right};
use super::strip::{COLUMNS, GROUP};
use super::x86;
use pto_isa::DType;
use pto_num::{ProductUnit, most_product_unit};
use pto_vector::Fault;
use std::arch::asm;
use std::arch::x86_64::*;
use std::mem::MaybeUninit;
use std::sync::LazyLock;

/// Rows of a tile, and words of a row.
const SIDE: usize = 16;
/// Words of a tile.
const TILE: usize = SIDE * SIDE;

/// True when this process may use the unit.
pub fn are_there() -> bool {
    static THERE: LazyLock<bool> = LazyLock::new(|| has_instructions() && is_permitted());
    !cfg!(miri) && most_product_unit() >= ProductUnit::Matrix && *THERE
}

/// Tiles, and products of integers of 8 bits and of bf16.
fn has_instructions() -> bool {
    const NEEDED: u32 = 1 << 22 | 1 << 24 | 1 << 25;
    is_x86_feature_detected!("avx512bw") && __cpuid(0).eax >= 7 && __cpuid_count(7, 0).edx & NEEDED == NEEDED
}

/// Linux saves the large registers only for processes that have asked for it once.
#[cfg(target_os = "linux")]
fn is_permitted() -> bool {
    const ARCH_PRCTL: isize = 158;
    const REQUEST_PERMISSION: usize = 0x1023;
    const TILE_DATA: usize = 18;
    let result: isize;
    // SAFETY: the call takes two numbers and touches no memory of ours.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") ARCH_PRCTL => result,
            in("rdi") REQUEST_PERMISSION,
            in("rsi") TILE_DATA,
            out("rcx") _,
            out("r11") _,
            options(nostack),
        );
    }
    result == 0
}

#[cfg(not(target_os = "linux"))]
fn is_permitted() -> bool {
    false
}

/// Sums of f32 in blocks.
///
/// # Safety
/// As [`pto_vector::KernelFn`], where [`are_there`].
pub unsafe fn floats(call: &ProductCall) -> Result<(), Fault> {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        static MACHINE: ProductMethod =
            ProductMethod { word: PackedWord::F32, loops: x86::V4_BLOCKS, tools: x86::TOOLS_V4 };
        drive(call, &MACHINE, |block, a, b| run(block, a, b, PackedWord::Halves, &HALVES));
        Ok(())
    }
}

/// Sums of integers.
///
/// # Safety
/// As [`floats`].
pub unsafe fn integers(call: &ProductCall) -> Result<(), Fault> {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        static MACHINE: ProductMethod =
            ProductMethod { word: PackedWord::Pairs, loops: x86::V4_PAIRS, tools: x86::TOOLS_V4 };
        drive(call, &MACHINE, |block, a, b| run(block, a, b, PackedWord::Signed, &BYTES));
        Ok(())
    }
}

/// # Safety
/// The factors must be those of a call, as [`KernelFn`](pto_vector::KernelFn) says, and rows, columns and depths must lie inside
/// of them.
unsafe fn run(block: &ProductBlock, a: &Factor, b: &Factor, word: PackedWord, loops: &'static TileLoops) {
    // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
    unsafe {
        let words = block.k.1.div_ceil(word.steps()).next_multiple_of(SIDE);
        let mut packed = Packed { block, word, loops, words, rows: std::ptr::null(), cols: std::ptr::null() };
        if block.kept.is_chain() {
            return packed.multiply_chain(a, b);
        }
        if block.kept.packs() {
            return packed.pack_for_chain(a, b);
        }
        let mut least = 0;
        if block.k.1 > 0 {
            (packed.cols, least) = packed.kept_right(b);
        }
        for (first, count) in block.heights() {
            // Where a column is too small already, rows need not be packed.
            let mut fits = least > 0;
            if fits {
                let (rows, least_of_rows) = packed.kept_left(a, first, count);
                packed.rows = rows;
                fits = products_fit(least, least_of_rows) && packed.starts_fit(first, count);
            }
            if !fits {
                let rest = (first, block.rows.0 + block.rows.1 - first);
                return ProductBlock { rows: rest, ..*block }.run(a, b);
            }
            packed.multiply(first, count);
        }
    }
}

/// With factors of at least these exponents nothing subnormal comes up: a product is a multiple of 2^-14 times the product of
/// their powers of two, and so is every sum of such products; that must not be below 2^-126.
fn products_fit(a: u16, b: u16) -> bool {
    a > 0 && b > 0 && a + b >= 2 * 127 + 14 - 126
}

/// A block whose factors are packed into tiles.
struct Packed<'a> {
    block: &'a ProductBlock<'a>,
    word: PackedWord,
    loops: &'static TileLoops,
    /// Words along `k`, a whole number of tiles.
    words: usize,
    /// Packed rows and columns.
    rows: *const u32,
    cols: *const u32,
}

/// Packed factors of a product that follows.
#[derive(Clone, Copy)]
struct NextTiles {
    rows: *const u32,
    cols: *const u32,
    words: usize,
}

impl Packed<'_> {
    /// Words of sixteen rows or columns.
    fn strip(&self) -> usize {
        SIDE * self.words
    }

    /// Packs both factors, and finds out whether the product fits.
    ///
    /// # Safety
    /// As [`Self::multiply`].
    unsafe fn pack_for_chain(&self, a: &Factor, b: &Factor) {
        let (kept, (first, count)) = (self.block.kept, self.block.rows);
        kept.can_chain(self.words);
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            let (_, least) = self.kept_right(b);
            let (_, least_of_rows) = self.kept_left(a, first, count);
            // What follows in a chain starts from sums of products that fit.
            if !products_fit(least, least_of_rows) || kept.is_first() && !self.starts_fit(first, count) {
                kept.cannot_chain();
            }
        }
    }

    /// All products of a chain, whose factors are packed and were examined then.
    ///
    /// # Safety
    /// As [`Self::multiply`].
    unsafe fn multiply_chain(&mut self, a: &Factor, b: &Factor) {
        let (first, count) = self.block.rows;
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            (self.cols, _) = self.kept_right(b);
            (self.rows, _) = self.kept_left(a, first, count);
            self.multiply(first, count);
        }
    }

    /// The packed factors of all products of a chain.
    fn all_tiles(&self) -> ([NextTiles; MOST_CHAINED + 1], usize) {
        let own = NextTiles { rows: self.rows, cols: self.cols, words: self.words };
        let (mut all, mut count) = ([own; MOST_CHAINED + 1], 1);
        for next in self.block.kept.next() {
            let rows = next.part(true, KeptFormat::LeftTiles(self.word), self.block.rows);
            let cols = next.part(false, KeptFormat::RightTiles(self.word), self.block.cols);
            assert!(!rows.is_null() && !cols.is_null(), "factors of a chain are packed");
            let words = next.depth().div_ceil(self.word.steps()).next_multiple_of(SIDE);
            all[count] = NextTiles { rows, cols, words };
            count += 1;
        }
        (all, count)
    }

    /// The columns, packed, and the exponent of the smallest number.
    ///
    /// # Safety
    /// As [`Self::right`].
    unsafe fn kept_right(&self, b: &Factor) -> (*const u32, u16) {
        let region = KeptRegion { across: self.block.cols, k: self.block.k };
        let words = region.across.1.next_multiple_of(WIDE) * self.words;
        let format = KeptFormat::RightTiles(self.word);
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            let (at, least) = self.block.kept.part(b, format, region, words, self.block.room, |to| self.right(b, to));
            (at, least)
        }
    }

    /// Some rows, packed, and the exponent of the smallest number.
    ///
    /// # Safety
    /// As [`Self::left`].
    unsafe fn kept_left(&self, a: &Factor, first: usize, count: usize) -> (*const u32, u16) {
        let region = KeptRegion { across: (first, count), k: self.block.k };
        let words = count.next_multiple_of(WIDE) * self.words;
        let format = KeptFormat::LeftTiles(self.word);
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            let room = self.block.left_room();
            let (at, least) =
                self.block.kept.part(a, format, region, words, room, |to| self.left(a, (first, count), to));
            (at, least)
        }
    }

    /// Packs the columns, an even number of strips of them. The exponent of the smallest number.
    ///
    /// # Safety
    /// The factors must be those of a call, as [`KernelFn`](pto_vector::KernelFn) says, and rows, columns and depths lie
    /// inside of them; there is room for the strips at `to`.
    unsafe fn right(&self, b: &Factor, to: *mut u32) -> u16 {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            let (first, count) = self.block.cols;
            let strips = count.next_multiple_of(WIDE) / SIDE;
            for strip in 0..strips {
                let out = to.add(strip * self.strip());
                let there = count.saturating_sub(strip * SIDE).min(SIDE);
                if there == 0 {
                    out.write_bytes(0, self.strip());
                    continue;
                }
                let col = first + strip * SIDE;
                if !(there == SIDE && bytes::right(b, col, self.block.k, out)) {
                    right(b, self.word, &x86::TOOLS_V4, (col, there), self.block.k, out, SIDE);
                }
                self.clear_columns(out, there);
            }
            self.least_exponent(to, strips)
        }
    }

    /// Clears the rest after the depth and after the last column.
    ///
    /// # Safety
    /// The factors must be those of a call, as [`KernelFn`](pto_vector::KernelFn) says, and rows, columns and depths lie
    /// inside of them; all elements that the other arguments count must be writable at `out`.
    unsafe fn clear_columns(&self, out: *mut u32, there: usize) {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them; the caller
        // answers for the elements at `out`.
        unsafe {
            let (whole, rest) = (self.block.k.1 / self.word.steps(), self.block.k.1 % self.word.steps());
            if rest > 0 {
                let keep = u32::MAX >> (32 - 32 / self.word.steps() * rest);
                (0..SIDE).for_each(|c| *out.add(whole * SIDE + c) &= keep);
            }
            let end = whole + usize::from(rest > 0);
            out.add(end * SIDE).write_bytes(0, (self.words - end) * SIDE);
            for c in there..SIDE {
                (0..end).for_each(|w| out.add(w * SIDE + c).write(0));
            }
        }
    }

    /// Packs rows, an even number of strips of them. The exponent of the smallest number.
    ///
    /// # Safety
    /// The factors must be those of a call, as [`KernelFn`](pto_vector::KernelFn) says, and rows, columns and depths lie
    /// inside of them; there is room for the strips at `to`.
    unsafe fn left(&self, a: &Factor, (first, count): (usize, usize), to: *mut u32) -> u16 {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            let strips = count.next_multiple_of(WIDE) / SIDE;
            for strip in 0..strips {
                let out = to.add(strip * self.strip());
                let there = count.saturating_sub(strip * SIDE).min(SIDE);
                self.left_strip(a, (first + strip * SIDE, there), out);
            }
            self.least_exponent(to, strips)
        }
    }

    /// Up to sixteen rows: tiles along `k`, in order.
    ///
    /// # Safety
    /// The factors must be those of a call, as [`KernelFn`](pto_vector::KernelFn) says, and rows, columns and depths lie
    /// inside of them; all elements that the other arguments count must be writable at `out`.
    unsafe fn left_strip(&self, a: &Factor, rows: (usize, usize), out: *mut u32) {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them; the caller
        // answers for the elements at `out`.
        unsafe {
            let whole = self.block.k.1.is_multiple_of(self.word.steps() * SIDE);
            let packed = |k| left_boxes(a, self.word, rows.0, k, out) || bytes::left(a, rows.0, k, out);
            if rows.1 == SIDE && whole && packed(self.block.k) {
                return;
            }
            out.write_bytes(0, self.strip());
            for r in 0..rows.1 {
                any_words(a, self.word, rows.0 + r, self.block.k, |w, bits| {
                    out.add(w / SIDE * TILE + r * SIDE + w % SIDE).write(bits);
                });
            }
        }
    }

    /// # Safety
    /// The factors must be those of a call, as [`KernelFn`](pto_vector::KernelFn) says, and rows, columns and depths lie
    /// inside of them; all elements that the other arguments count must be readable at `base`.
    unsafe fn least_exponent(&self, base: *const u32, strips: usize) -> u16 {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them; the caller
        // answers for the elements at `base`.
        unsafe {
            match self.word {
                PackedWord::Halves => least_half(base, strips * self.strip()) >> 7,
                _ => u16::MAX >> 7,
            }
        }
    }

    /// The initial sums cannot make a subnormal either: numbers of 2^-102 and more are multiples of 2^-126. Sums of earlier
    /// blocks of `k` are examined too, because the fallback may have computed them.
    ///
    /// # Safety
    /// The factors must be those of a call, as [`KernelFn`](pto_vector::KernelFn) says, and rows, columns and depths lie
    /// inside of them.
    unsafe fn starts_fit(&self, first: usize, count: usize) -> bool {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            const LEAST: u32 = (127 - 102) << 23;
            if self.word != PackedWord::Halves || self.starts_from_zero() {
                return true;
            }
            let Some((start, _)) = self.block.ends() else { return false };
            let rows = if start.row == 0 { 1 } else { count };
            let (col, cols) = self.block.cols;
            (0..cols)
                .step_by(SIDE)
                .all(|c| least_number(start, (first, rows), (col + c, (cols - c).min(SIDE))) >= LEAST)
        }
    }

    /// # Safety
    /// The factors must be those of a call, as [`KernelFn`](pto_vector::KernelFn) says, and rows, columns and depths lie
    /// inside of them.
    unsafe fn multiply(&self, first: usize, count: usize) {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            load_config();
            let (factors, products) = self.all_tiles();
            let factors = &factors[..products];
            // As many columns as stay in the nearest cache while rows pass by.
            let words: usize = factors.iter().map(|f| f.words).sum();
            let group = (4096 / words / WIDE).max(1) * WIDE;
            let end = self.block.cols.1;
            let multiply = if group == WIDE { self.loops.rows_once } else { self.loops.rows_again };
            for some in (0..end).step_by(group) {
                for r in (0..count).step_by(WIDE) {
                    for c in (some..end.min(some + group)).step_by(WIDE) {
                        let rows = (first + r, (count - r).min(WIDE));
                        self.square(multiply, factors, (r, c), rows, (end - c).min(WIDE));
                    }
                }
            }
            release();
        }
    }

    /// Two packed strips of rows by two of columns, on the accumulator itself or on a copy of a part that is not whole.
    ///
    /// # Safety
    /// The factors must be those of a call, as [`KernelFn`](pto_vector::KernelFn) says, and rows, columns and depths lie
    /// inside of them.
    unsafe fn square(
        &self,
        multiply: Multiply,
        factors: &[NextTiles],
        (row, col): (usize, usize),
        rows: (usize, usize),
        width: usize,
    ) {
        // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them.
        unsafe {
            let cols = (self.block.cols.0 + col, width);
            assert!(factors.len() <= MOST_CHAINED + 1);
            // Zeros first would take a tenth of the time of a short product.
            let mut operands = [const { MaybeUninit::uninit() }; MOST_CHAINED + 1];
            for (operands, f) in operands.iter_mut().zip(factors) {
                let (a, b, strip) = (f.rows.add(row * f.words), f.cols.add(col * f.words), SIDE * f.words);
                operands.write(Operands { a: [a, a.add(strip)], b: [b, b.add(strip)], tiles: f.words / SIDE });
            }
            let operands = std::slice::from_raw_parts(operands.as_ptr().cast::<Operands>(), factors.len());
            let is_whole = rows.1 == WIDE && width == WIDE;
            if let (true, Some((start, end))) = (is_whole, self.block.ends()) {
                let start = Corners::of(start, rows.0, cols.0);
                let start = if self.starts_from_zero() { std::ptr::null() } else { &raw const start };
                return multiply(operands, start, &Corners::of(end, rows.0, cols.0));
            }
            let mut copy = [0u32; WIDE * WIDE];
            self.block.copy_starts(&mut copy, (rows, cols));
            let corners = Corners::of(Sixteens::new(copy.as_mut_ptr(), WIDE, COLUMNS), 0, 0);
            multiply(operands, &corners, &corners);
            self.block.put_sums(&copy, (rows, cols));
        }
    }

    fn starts_from_zero(&self) -> bool {
        let [_, _, _, acc, bias, ..] = self.block.call.tiles;
        self.block.k.0 == 0 && !acc.is_present() && !bias.is_present()
    }
}

/// Sixteen rows of boxes: two boxes side by side are a tile. False when the factor is not made of such.
///
/// # Safety
/// The factors must be those of a call, as [`KernelFn`](pto_vector::KernelFn) says, and rows, columns and depths must lie inside
/// of them; all elements that the other arguments count must be writable at `out`.
unsafe fn left_boxes(a: &Factor, word: PackedWord, row: usize, k: (usize, usize), out: *mut u32) -> bool {
    // SAFETY: factors and sums belong to a call, and rows, columns and depths lie inside of them; the caller answers
    // for the elements at `out`.
    unsafe {
        let ty = geometry(a);
        let fits = matches!((a.dtype, word), (DType::Bf16, PackedWord::Halves) | (DType::I8, PackedWord::Signed));
        let steps = left_steps(ty).filter(|_| fits && is_raw(a) && ty.fractal == 512 && ty.rows >= 16);
        let Some((step, block)) = steps else { return false };
        let words = k.1 / word.steps();
        let base = a.tile.ptr().cast::<u32>().add(row / SIDE * block + k.0 / word.steps() / GROUP * step);
        for tile in 0..words / SIDE {
            let from = base.add(2 * tile * step);
            two_boxes(from, from.add(step), out.add(tile * TILE));
        }
        true
    }
}

/// Rows of two boxes become rows of a tile.
///
/// # Safety
/// All elements that the other arguments count must be readable at `left` and `right` and writable at `out`; the
/// processor has the instructions of this level.
#[target_feature(enable = "avx512f")]
unsafe fn two_boxes(left: *const u32, right: *const u32, out: *mut u32) {
    // SAFETY: the caller answers for the elements at `left` and `right` and `out`; the processor has the instructions
    // of this level.
    unsafe {
        for r in (0..SIDE).step_by(2) {
            let x = _mm512_loadu_si512(left.add(r * GROUP).cast());
            let y = _mm512_loadu_si512(right.add(r * GROUP).cast());
            _mm512_storeu_si512(out.add(r * SIDE).cast(), _mm512_shuffle_i64x2::<0b01_00_01_00>(x, y));
            _mm512_storeu_si512(out.add((r + 1) * SIDE).cast(), _mm512_shuffle_i64x2::<0b11_10_11_10>(x, y));
        }
    }
}

/// The bits, without sign, of the smallest number that is not zero. There are whole tiles of words.
///
/// # Safety
/// All elements that the other arguments count must be readable at `base`; the processor must have the instructions of this level.
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn least_half(base: *const u32, words: usize) -> u16 {
    // SAFETY: the caller answers for the elements at `base`; the processor has the instructions of this level.
    unsafe {
        // Twice the bits drops the sign; less one, zero is the largest.
        let one = _mm512_set1_epi16(-1);
        let mut least = [one; 4];
        for at in (0..words).step_by(4 * SIDE) {
            for (i, least) in least.iter_mut().enumerate() {
                let v = _mm512_loadu_si512(base.add(at + i * SIDE).cast());
                *least = _mm512_min_epu16(*least, _mm512_add_epi16(_mm512_add_epi16(v, v), one));
            }
        }
        let least = _mm512_min_epu16(_mm512_min_epu16(least[0], least[1]), _mm512_min_epu16(least[2], least[3]));
        let mut lanes = [0u16; 32];
        _mm512_storeu_si512(lanes.as_mut_ptr().cast(), least);
        (lanes.into_iter().fold(u16::MAX, u16::min) >> 1) + 1
    }
}

/// The same for some rows of up to sixteen numbers of f32.
///
/// # Safety
/// The processor must have the instructions of this level.
#[target_feature(enable = "avx512f")]
unsafe fn least_number(from: Sixteens, rows: (usize, usize), cols: (usize, usize)) -> u32 {
    // SAFETY: the processor has the instructions of this level.
    unsafe {
        let one = _mm512_set1_epi32(-1);
        let mask = u16::MAX >> (SIDE - cols.1);
        let mut least = one;
        for r in rows.0..rows.0 + rows.1 {
            let v = _mm512_maskz_loadu_epi32(mask, from.at(r, cols.0).cast());
            least = _mm512_min_epu32(least, _mm512_add_epi32(_mm512_add_epi32(v, v), one));
        }
        (_mm512_reduce_min_epu32(least) >> 1) + 1
    }
}

/// Strips of packed rows and columns.
#[repr(C)]
struct Operands {
    a: [*const u32; 2],
    b: [*const u32; 2],
    /// Tiles along `k`, at least one.
    tiles: usize,
}

/// Four tiles of sums.
#[repr(C)]
struct Corners {
    at: [*mut u32; 4],
    /// Bytes from row to row.
    row: usize,
}

impl Corners {
    fn of(sums: Sixteens, row: usize, col: usize) -> Self {
        let at = |r: usize, c: usize| sums.at(row + r, col + c);
        Self { at: [at(0, 0), at(0, SIDE), at(SIDE, 0), at(SIDE, SIDE)], row: 4 * sums.row }
    }
}

/// Takes the products of two strips of rows and two of columns, one pair of factors after the other, into four tiles of sums, which start from zero when no other
/// start is given.
///
/// # Safety
/// Operands and corners must name memory of a block, sixteen rows of 64 bytes each; the unit must be [there](are_there) and
/// [configured](load_config).
type Multiply = unsafe fn(&[Operands], start: *const Corners, end: &Corners);

/// The loops for one kind of numbers.
struct TileLoops {
    /// Rows are read again soon, for other columns.
    rows_again: Multiply,
    /// Rows pass by, while the columns stay in the nearest cache.
    rows_once: Multiply,
}

static HALVES: TileLoops = TileLoops { rows_again: multiply_halves, rows_once: multiply_halves_once };
static BYTES: TileLoops = TileLoops { rows_again: multiply_bytes, rows_once: multiply_bytes_once };

/// The shape of all eight tile registers: sixteen rows of 64 bytes.
#[repr(C, align(64))]
struct Config {
    palette: u8,
    first_row: u8,
    reserved: [u8; 14],
    bytes: [u16; 16],
    rows: [u8; 16],
}

// The compiler never touches tile registers, so they keep what they hold from one piece of assembly to the next.

/// # Safety
/// The processor must have the unit for matrices, and the system lets the process use it: see [`are_there`].
unsafe fn load_config() {
    // SAFETY: the unit is there, and the configuration is a constant of the size it reads.
    unsafe {
        static CONFIG: Config = Config {
            palette: 1,
            first_row: 0,
            reserved: [0; 14],
            bytes: [64, 64, 64, 64, 64, 64, 64, 64, 0, 0, 0, 0, 0, 0, 0, 0],
            rows: [16, 16, 16, 16, 16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0],
        };
        asm!("ldtilecfg [{}]", in(reg) &CONFIG, options(nostack, readonly));
    }
}

/// Nothing is in the registers any more: what they hold would be saved whenever the thread pauses.
///
/// # Safety
/// The processor must have the unit for matrices, and the system lets the process use it: see [`are_there`].
unsafe fn release() {
    // SAFETY: the unit is there; its registers hold nothing that is still needed.
    unsafe {
        asm!("tilerelease", options(nostack, nomem));
    }
}

/// Makes the loop for one kind of numbers.
macro_rules! multiply {
    ($name:ident, $instruction:literal, $load_rows:literal) => {
        /// # Safety
        /// As [`Multiply`].
        unsafe fn $name(operands: &[Operands], start: *const Corners, end: &Corners) {
            // SAFETY: the unit is there, and all corners and panels lie in memory, with strides that stay inside.
            unsafe {
                asm!(
                    "test {start}, {start}",
                    "jz 3f",
                    "mov {from_row}, [{start} + 32]",
                    "mov {p}, [{start}]",
                    "tileloadd tmm0, [{p} + {from_row}]",
                    "mov {p}, [{start} + 8]",
                    "tileloadd tmm1, [{p} + {from_row}]",
                    "mov {p}, [{start} + 16]",
                    "tileloadd tmm2, [{p} + {from_row}]",
                    "mov {p}, [{start} + 24]",
                    "tileloadd tmm3, [{p} + {from_row}]",
                    "jmp 2f",
                    "3:",
                    "tilezero tmm0",
                    "tilezero tmm1",
                    "tilezero tmm2",
                    "tilezero tmm3",
                    // The registers of the start count now.
                    "2:",
                    "mov {start}, {count}",
                    "4:",
                    "mov {a0}, [{operands}]",
                    "mov {a1}, [{operands} + 8]",
                    "mov {b0}, [{operands} + 16]",
                    "mov {b1}, [{operands} + 24]",
                    "mov {from_row}, [{operands} + 32]",
                    "5:",
                    concat!($load_rows, " tmm4, [{a0} + {line}]"),
                    "tileloadd tmm6, [{b0} + {line}]",
                    "tileloadd tmm7, [{b1} + {line}]",
                    concat!($instruction, " tmm0, tmm4, tmm6"),
                    concat!($load_rows, " tmm5, [{a1} + {line}]"),
                    concat!($instruction, " tmm1, tmm4, tmm7"),
                    concat!($instruction, " tmm2, tmm5, tmm6"),
                    concat!($instruction, " tmm3, tmm5, tmm7"),
                    "add {a0}, 1024",
                    "add {a1}, 1024",
                    "add {b0}, 1024",
                    "add {b1}, 1024",
                    "dec {from_row}",
                    "jnz 5b",
                    "add {operands}, 40",
                    "dec {start}",
                    "jnz 4b",
                    "mov {p}, [{end}]",
                    "tilestored [{p} + {to_row}], tmm0",
                    "mov {p}, [{end} + 8]",
                    "tilestored [{p} + {to_row}], tmm1",
                    "mov {p}, [{end} + 16]",
                    "tilestored [{p} + {to_row}], tmm2",
                    "mov {p}, [{end} + 24]",
                    "tilestored [{p} + {to_row}], tmm3",
                    p = out(reg) _,
                    start = inout(reg) start => _,
                    count = in(reg) operands.len(),
                    operands = inout(reg) operands.as_ptr() => _,
                    end = in(reg) end,
                    from_row = out(reg) _,
                    to_row = in(reg) end.row,
                    line = in(reg) 64usize,
                    a0 = out(reg) _,
                    a1 = out(reg) _,
                    b0 = out(reg) _,
                    b1 = out(reg) _,
                    out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                    out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                    options(nostack),
                );
            }
        }
    };
}

multiply!(multiply_halves, "tdpbf16ps", "tileloadd");
multiply!(multiply_halves_once, "tdpbf16ps", "tileloaddt1");
multiply!(multiply_bytes, "tdpbssd", "tileloadd");
multiply!(multiply_bytes_once, "tdpbssd", "tileloaddt1");
