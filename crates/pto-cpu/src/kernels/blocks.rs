//! Copies of matrices from one layout to another.
//!
//! The matrix is cut where either layout has a seam; inside such a block both places are plain strides, and nearly every block
//! is either made of runs of bytes or transposed.

use super::place::Place;
use super::stream;

/// Rows that are worked on together, so that the lines of memory that a box column leaves half read are still in the cache
/// for the next.
const BAND: usize = 32;

/// A rectangle of elements at plain strides, in bytes.
#[derive(Clone, Copy)]
struct Block {
    from: *const u8,
    to: *mut u8,
    rows: usize,
    cols: usize,
    /// From one row to the next, and from one column to the next.
    from_step: (usize, usize),
    to_step: (usize, usize),
}

impl Block {
    #[inline(always)]
    fn transposed(self) -> Self {
        let turn = |(down, right)| (right, down);
        let (from_step, to_step) = (turn(self.from_step), turn(self.to_step));
        Self { rows: self.cols, cols: self.rows, from_step, to_step, ..self }
    }
}

/// Copies a matrix. `past_cache` sends long runs directly to memory.
///
/// # Safety
/// Both places must have all the rows and columns, and must not overlap.
#[inline(always)]
pub(super) unsafe fn copy<T: Copy>(from: &Place, to: &Place, rows: usize, cols: usize, past_cache: bool) {
    let size = size_of::<T>();
    let seamless = from.cols.is_even() && to.cols.is_even();
    let mut row = 0;
    while row < rows {
        let band = if seamless { rows - row } else { BAND.min(rows - row) };
        let height = band.min(from.rows.run(row)).min(to.rows.run(row));
        let starts = (from.start.wrapping_add(from.rows.at(row) * size), to.start.wrapping_add(to.rows.at(row) * size));
        let mut col = 0;
        while col < cols {
            let width = (cols - col).min(from.cols.run(col)).min(to.cols.run(col));
            let block = Block {
                from: starts.0.wrapping_add(from.cols.at(col) * size),
                to: starts.1.wrapping_add(to.cols.at(col) * size),
                rows: height,
                cols: width,
                from_step: (from.rows.stride() * size, from.cols.stride() * size),
                to_step: (to.rows.stride() * size, to.cols.stride() * size),
            };
            copy_block::<T>(&block, past_cache);
            col += width;
        }
        row += height;
    }
    if past_cache {
        stream::finish();
    }
}

#[inline(always)]
unsafe fn copy_block<T: Copy>(block: &Block, past_cache: bool) {
    let size = size_of::<T>();
    let (from, to) = (block.from_step, block.to_step);
    if block.cols == 1 || (from.1 == size && to.1 == size) {
        runs::<T>(block, past_cache);
    } else if block.rows == 1 || (from.0 == size && to.0 == size) {
        runs::<T>(&block.transposed(), past_cache);
    } else if from.1 == size && to.0 == size {
        transpose::<T>(block);
    } else if from.0 == size && to.1 == size {
        transpose::<T>(&block.transposed());
    } else {
        scattered::<T>(block, 0, 0);
    }
}

/// Rows that are contiguous in both places.
#[inline(always)]
unsafe fn runs<T: Copy>(block: &Block, past_cache: bool) {
    let bytes = block.cols * size_of::<T>();
    let (count, bytes) = match block.from_step.0 == bytes && block.to_step.0 == bytes {
        true => (1, block.rows * bytes),
        false => (block.rows, bytes),
    };
    if past_cache && bytes >= stream::LONG_RUN {
        each_run(block, count, |from, to| stream::copy(from, to, bytes));
        return;
    }
    // The rows of boxes, without a call for each.
    match bytes {
        2 => each_run(block, count, |from, to| fixed::<2>(from, to)),
        4 => each_run(block, count, |from, to| fixed::<4>(from, to)),
        8 => each_run(block, count, |from, to| fixed::<8>(from, to)),
        16 => each_run(block, count, |from, to| fixed::<16>(from, to)),
        32 => each_run(block, count, |from, to| fixed::<32>(from, to)),
        64 => each_run(block, count, |from, to| fixed::<64>(from, to)),
        _ => each_run(block, count, |from, to| std::ptr::copy_nonoverlapping(from, to, bytes)),
    }
}

#[inline(always)]
unsafe fn each_run(block: &Block, count: usize, copy: impl Fn(*const u8, *mut u8)) {
    for run in 0..count {
        copy(block.from.wrapping_add(run * block.from_step.0), block.to.wrapping_add(run * block.to_step.0));
    }
}

#[inline(always)]
unsafe fn fixed<const N: usize>(from: *const u8, to: *mut u8) {
    to.cast::<[u8; N]>().write_unaligned(from.cast::<[u8; N]>().read_unaligned());
}

/// Rows are contiguous where they come from, columns where they go.
#[inline(always)]
unsafe fn transpose<T: Copy>(block: &Block) {
    match size_of::<T>() {
        1 => squares::<u8, 32>(block),
        2 => squares::<u16, 16>(block),
        4 => squares::<u32, 8>(block),
        _ => squares::<u64, 4>(block),
    }
}

/// Squares with sides of 32 bytes, and what is left element by element.
#[inline(always)]
unsafe fn squares<T: Copy + Default, const N: usize>(block: &Block) {
    let size = size_of::<T>();
    let (rows, cols) = (block.rows / N * N, block.cols / N * N);
    for row in (0..rows).step_by(N) {
        for col in (0..cols).step_by(N) {
            let from = block.from.wrapping_add(row * block.from_step.0 + col * size);
            let to = block.to.wrapping_add(row * size + col * block.to_step.1);
            square::<T, N>(from, block.from_step.0, to, block.to_step.1);
        }
    }
    scattered::<T>(&Block { rows, ..*block }, 0, cols);
    scattered::<T>(block, rows, 0);
}

/// Transposes a square: as often as a side can be halved, the rows of the upper half are interleaved with those of the lower.
/// Each time the bits of an element's place, row and column together, turn by one.
#[inline(always)]
unsafe fn square<T: Copy + Default, const N: usize>(from: *const u8, from_step: usize, to: *mut u8, to_step: usize) {
    let mut lines = [[T::default(); N]; N];
    for (k, line) in lines.iter_mut().enumerate() {
        *line = from.wrapping_add(k * from_step).cast::<[T; N]>().read_unaligned();
    }
    let mut side = N;
    while side > 1 {
        let mut next = [[T::default(); N]; N];
        for k in 0..N / 2 {
            (next[2 * k], next[2 * k + 1]) = interleaved(&lines[k], &lines[k + N / 2]);
        }
        lines = next;
        side /= 2;
    }
    for (k, line) in lines.iter().enumerate() {
        to.wrapping_add(k * to_step).cast::<[T; N]>().write_unaligned(*line);
    }
}

#[inline(always)]
fn interleaved<T: Copy + Default, const N: usize>(a: &[T; N], b: &[T; N]) -> ([T; N], [T; N]) {
    let (mut low, mut high) = ([T::default(); N], [T::default(); N]);
    for k in 0..N / 2 {
        (low[2 * k], low[2 * k + 1]) = (a[k], b[k]);
        (high[2 * k], high[2 * k + 1]) = (a[N / 2 + k], b[N / 2 + k]);
    }
    (low, high)
}

/// Element by element, from this row and column on.
#[inline(always)]
unsafe fn scattered<T: Copy>(block: &Block, first_row: usize, first_col: usize) {
    for row in first_row..block.rows {
        for col in first_col..block.cols {
            let from = block.from.wrapping_add(row * block.from_step.0 + col * block.from_step.1).cast::<T>();
            let to = block.to.wrapping_add(row * block.to_step.0 + col * block.to_step.1).cast::<T>();
            to.write_unaligned(from.read_unaligned());
        }
    }
}
