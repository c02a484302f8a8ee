//! Transposed copies of blocks whose rows are contiguous on one side and whose columns are contiguous on the other.

#[cfg(target_arch = "x86_64")]
use pto_num::CpuLevel;
use pto_num::Level;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

#[cfg(target_arch = "x86_64")]
pub(super) mod bytes;
#[cfg(target_arch = "x86_64")]
pub(super) mod registers;

/// Sixteen bytes.
#[cfg(target_arch = "x86_64")]
type SixteenBytes = __m128i;
#[cfg(not(target_arch = "x86_64"))]
type SixteenBytes = [u8; 16];

/// Elements by their size.
pub(super) trait Unit: Copy {
    /// Interleaves two lines: their lower halves, and their upper halves.
    ///
    /// # Safety
    /// The processor must have AVX-512.
    unsafe fn interleave(a: SixteenBytes, b: SixteenBytes) -> (SixteenBytes, SixteenBytes);
}

#[cfg(target_arch = "x86_64")]
macro_rules! units {
    ($($type:ty, $low:ident, $high:ident;)+) => {$(
        impl Unit for $type {
            #[inline(always)]
            unsafe fn interleave(a: SixteenBytes, b: SixteenBytes) -> (SixteenBytes, SixteenBytes) {
                // SAFETY: the processor has AVX-512.
                unsafe {
                    ($low(a, b), $high(a, b))
                }
            }
        }
    )+};
}

#[cfg(not(target_arch = "x86_64"))]
macro_rules! units {
    ($($type:ty, $low:ident, $high:ident;)+) => {$(
        impl Unit for $type {
            #[inline(always)]
            unsafe fn interleave(a: SixteenBytes, b: SixteenBytes) -> (SixteenBytes, SixteenBytes) {
                const SIZE: usize = size_of::<$type>();
                let mut both = [[0; 16]; 2];
                for k in 0..16 {
                    let (pair, byte) = (k / SIZE, k % SIZE);
                    for (which, line) in [a, b].iter().enumerate() {
                        let at = (2 * pair + which) * SIZE + byte;
                        both[at / 16][at % 16] = line[k];
                    }
                }
                (both[0], both[1])
            }
        }
    )+};
}

units! {
    u8, _mm_unpacklo_epi8, _mm_unpackhi_epi8;
    u16, _mm_unpacklo_epi16, _mm_unpackhi_epi16;
    u32, _mm_unpacklo_epi32, _mm_unpackhi_epi32;
    u64, _mm_unpacklo_epi64, _mm_unpackhi_epi64;
}

/// A matrix to transpose: element `[r, c]` is at `r * from_step + c * size` of the source and at `r * size + c * to_step` of the
/// destination; steps count bytes. There may be several, at even distances on both sides.
#[derive(Clone, Copy)]
pub(super) struct Transposition {
    pub from: *const u8,
    pub from_step: usize,
    pub to: *mut u8,
    pub to_step: usize,
    pub rows: usize,
    pub cols: usize,
    /// If not 0: a second matrix follows the first in the source, and lies this far away in the destination.
    pub twin: usize,
    pub count: usize,
    pub from_next: usize,
    pub to_next: usize,
}

impl Transposition {
    /// Nothing, once.
    pub const ONE: Self = Self {
        from: std::ptr::null(),
        from_step: 0,
        to: std::ptr::null_mut(),
        to_step: 0,
        rows: 0,
        cols: 0,
        twin: 0,
        count: 1,
        from_next: 0,
        to_next: 0,
    };

    /// Calls `work` for every single matrix.
    ///
    /// # Safety
    /// The rows of the source and of the destination must lie in memory and must not overlap.
    #[inline(always)]
    unsafe fn each(&self, work: impl Fn(*const u8, *mut u8)) {
        // SAFETY: the caller answers for the rows of source and destination.
        unsafe {
            for at in 0..self.count {
                let (from, to) = (self.from.add(at * self.from_next), self.to.add(at * self.to_next));
                work(from, to);
                if self.twin > 0 {
                    work(from.add(self.rows * self.from_step), to.add(self.twin));
                }
            }
        }
    }
}

/// Transposes matrices of elements of 1, 2, 4 or 8 bytes: squares with sides of 16 bytes, and what is left element by element.
///
/// # Safety
/// All elements must lie in memory that may be read and written, and must not overlap. The processor must have the level.
#[inline(always)]
pub(super) unsafe fn transpose<L: Level>(job: &Transposition, size: usize) {
    // SAFETY: the caller answers for the rows of source and destination; the processor has the instructions of this
    // level.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if boxes::<L>(job, size) {
            return;
        }
        job.each(|from, to| {
            let job = &Transposition { from, to, ..*job };
            match size {
                1 => squares::<u8, 16>(job),
                2 => squares::<u16, 8>(job),
                4 => squares::<u32, 4>(job),
                _ => squares::<u64, 2>(job),
            }
        });
    }
}

/// Transposes all boxes of a tile of bytes, from 16 rows of 32 bytes to 16 columns of 32.
///
/// # Safety
/// Both tiles must have so many rows and columns, whole pairs of boxes, and must not overlap. The processor must have the level.
#[inline(always)]
pub(super) unsafe fn transpose_tile_of_bytes<L: Level>(from: *const u8, to: *mut u8, rows: usize, cols: usize) {
    // SAFETY: the caller answers for the elements at `from` and `to`; the processor has the instructions of this level.
    unsafe {
        const SIDE: usize = 32;
        #[cfg(target_arch = "x86_64")]
        if matches!(L::CPU, CpuLevel::V4) && bytes::has_exchanges() {
            return bytes::transpose_tile(from, to, rows, cols);
        }
        for row in (0..rows).step_by(SIDE) {
            let (from, to) = (from.add(row * SIDE), to.add(row * cols));
            let squares = Transposition {
                count: cols / SIDE,
                from_next: rows * SIDE,
                to_next: SIDE * SIDE,
                ..Transposition::ONE
            };
            let job = Transposition { from, from_step: SIDE, to, to_step: SIDE, rows: SIDE, cols: SIDE, ..squares };
            transpose::<L>(&job, 1);
        }
    }
}

/// Whole boxes of the cube's memories in registers: rows of 32 bytes, one after the other. False where the matrix is not made
/// of them.
///
/// # Safety
/// The rows of the source and of the destination must lie in memory and must not overlap; the processor must have the instructions
/// of this level.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn boxes<L: Level>(job: &Transposition, size: usize) -> bool {
    // SAFETY: the caller answers for the rows of source and destination; the processor has the instructions of this
    // level.
    unsafe {
        const WIDTH: usize = 32;
        if size == 1 && matches!(L::CPU, CpuLevel::V4) && squares_of_bytes(job) {
            return true;
        }
        if job.from_step != WIDTH || job.cols * size != WIDTH {
            return false;
        }
        let (height, transpose_boxes): (usize, unsafe fn(&Transposition)) = match (size, L::CPU) {
            (4, CpuLevel::V4) if job.rows == 8 && job.twin > 0 => (8, x86::transpose_twins),
            (4, CpuLevel::V3 | CpuLevel::V4) => (8, x86::transpose_words),
            (2, CpuLevel::V4) => (16, x86::transpose_halves),
            (1, CpuLevel::V4) if job.rows.is_multiple_of(32) => (32, bytes::transpose_pairs_of_boxes),
            (1, CpuLevel::V4) => (16, bytes::transpose_boxes),
            _ => return false,
        };
        let whole = job.rows.is_multiple_of(height);
        if whole {
            transpose_boxes(job);
        }
        whole
    }
}

/// Squares of 32 bytes at any distances. False where there are none, or the processor lacks the instructions.
///
/// # Safety
/// The rows of the source and of the destination must lie in memory and must not overlap.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn squares_of_bytes(job: &Transposition) -> bool {
    // SAFETY: the caller answers for the rows of source and destination.
    unsafe {
        let fits = job.rows.is_multiple_of(32) && job.cols.is_multiple_of(32) && bytes::has_exchanges();
        if fits {
            bytes::transpose_squares(job);
        }
        fits
    }
}

/// # Safety
/// The rows of the source and of the destination must lie in memory and must not overlap.
#[inline(always)]
unsafe fn squares<T: Unit, const N: usize>(job: &Transposition) {
    // SAFETY: the caller answers for the rows of source and destination.
    unsafe {
        let size = size_of::<T>();
        let (rows, cols) = (job.rows / N * N, job.cols / N * N);
        for col in (0..cols).step_by(N) {
            for row in (0..rows).step_by(N) {
                let from = job.from.add(row * job.from_step + col * size);
                let to = job.to.add(row * size + col * job.to_step);
                square::<T, N>(from, job.from_step, to, job.to_step);
            }
        }
        rest::<T>(job, 0..rows, cols);
        rest::<T>(job, rows..job.rows, 0);
    }
}

/// As often as a side can be halved, the rows of the upper half are interleaved with those of the lower. Each time the bits of an
/// element's place, row and column together, rotate by one; in the end row and column are exchanged.
///
/// # Safety
/// All elements that the other arguments count must be readable at `from` and writable at `to`.
#[inline(always)]
unsafe fn square<T: Unit, const N: usize>(from: *const u8, from_step: usize, to: *mut u8, to_step: usize) {
    // SAFETY: the caller answers for the elements at `from` and `to`.
    unsafe {
        let mut lines: [SixteenBytes; N] =
            std::array::from_fn(|k| from.add(k * from_step).cast::<SixteenBytes>().read_unaligned());
        lines = halved::<T, N>(lines);
        if N > 2 {
            lines = halved::<T, N>(lines);
        }
        if N > 4 {
            lines = halved::<T, N>(lines);
        }
        if N > 8 {
            lines = halved::<T, N>(lines);
        }
        for (k, line) in lines.into_iter().enumerate() {
            to.add(k * to_step).cast::<SixteenBytes>().write_unaligned(line);
        }
    }
}

/// # Safety
/// The processor must have AVX-512.
#[inline(always)]
unsafe fn halved<T: Unit, const N: usize>(lines: [SixteenBytes; N]) -> [SixteenBytes; N] {
    // SAFETY: the processor has AVX-512.
    unsafe {
        let mut next = lines;
        for k in 0..N / 2 {
            (next[2 * k], next[2 * k + 1]) = T::interleave(lines[k], lines[k + N / 2]);
        }
        next
    }
}

/// # Safety
/// The rows of the source and of the destination must lie in memory and must not overlap.
#[inline(always)]
unsafe fn rest<T: Copy>(job: &Transposition, rows: std::ops::Range<usize>, first_col: usize) {
    // SAFETY: the caller answers for the rows of source and destination.
    unsafe {
        for row in rows {
            for col in first_col..job.cols {
                let from = job.from.add(row * job.from_step + col * size_of::<T>());
                let to = job.to.add(row * size_of::<T>() + col * job.to_step);
                to.cast::<T>().write_unaligned(from.cast::<T>().read_unaligned());
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Transposition;
    use super::registers::{transpose_eight, transposed, transposed_halves};
    use std::arch::x86_64::*;

    /// Calls `work` with the positions of every box of this many rows of 32 bytes.
    ///
    /// # Safety
    /// The rows of the source and of the destination must lie in memory and must not overlap.
    #[inline(always)]
    pub unsafe fn each(job: &Transposition, height: usize, size: usize, work: impl Fn(*const u32, *mut u8)) {
        // SAFETY: the caller answers for the rows of source and destination.
        unsafe {
            job.each(|from, to| {
                (0..job.rows).step_by(height).for_each(|row| work(from.add(row * 32).cast(), to.add(row * size)));
            });
        }
    }

    /// Boxes of eight rows of eight words.
    ///
    /// # Safety
    /// The rows of the source and of the destination must lie in memory and must not overlap; the processor must have the
    /// instructions of this level.
    #[target_feature(enable = "avx2")]
    pub unsafe fn transpose_words(job: &Transposition) {
        // SAFETY: the caller answers for the rows of source and destination; the processor has the instructions of this
        // level.
        unsafe {
            each(job, 8, 4, |from, to| transpose_eight(from, to.cast(), job.to_step / 4));
        }
    }

    /// The same, twins together.
    ///
    /// # Safety
    /// The rows of the source and of the destination must lie in memory and must not overlap; the processor must have the
    /// instructions of this level.
    #[target_feature(enable = "avx512f")]
    pub unsafe fn transpose_twins(job: &Transposition) {
        // SAFETY: the caller answers for the rows of source and destination; the processor has the instructions of this
        // level.
        unsafe {
            for at in 0..job.count {
                let to = job.to.add(at * job.to_next);
                let columns = transposed(job.from.add(at * job.from_next).cast());
                for (column, v) in columns.into_iter().enumerate() {
                    _mm256_storeu_si256(to.add(column * job.to_step).cast(), _mm512_castsi512_si256(v));
                }
                for (column, v) in columns.into_iter().enumerate() {
                    let to = to.add(job.twin + column * job.to_step);
                    _mm256_storeu_si256(to.cast(), _mm512_extracti64x4_epi64::<1>(v));
                }
            }
        }
    }

    /// Boxes of sixteen rows of sixteen halves.
    ///
    /// # Safety
    /// The rows of the source and of the destination must lie in memory and must not overlap; the processor must have the
    /// instructions of this level.
    #[target_feature(enable = "avx512f,avx512bw")]
    pub unsafe fn transpose_halves(job: &Transposition) {
        // SAFETY: the caller answers for the rows of source and destination; the processor has the instructions of this
        // level.
        unsafe {
            let step = job.to_step;
            each(job, 16, 2, |from, to| {
                for (pair, v) in transposed_halves(from.cast()).into_iter().enumerate() {
                    _mm256_storeu_si256(to.add(2 * pair * step).cast(), _mm512_castsi512_si256(v));
                    _mm256_storeu_si256(to.add((2 * pair + 1) * step).cast(), _mm512_extracti64x4_epi64::<1>(v));
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pto_num::{CpuLevel, LevelKernel, dispatch_at};

    /// A matrix, and the size of its elements.
    struct Transposed<'a>(&'a Transposition, usize);

    impl LevelKernel for Transposed<'_> {
        type Output = ();

        #[inline(always)]
        fn run<L: Level>(self) {
            // SAFETY: both matrices have the sizes that it says, and the processor has the level.
            unsafe { transpose::<L>(self.0, self.1) };
        }
    }

    fn check<T: Copy + PartialEq + std::fmt::Debug>(make: impl Fn(usize) -> T) {
        // The last ones are made of boxes.
        let width = 32 / size_of::<T>();
        for (rows, cols) in
            [(1, 1), (7, 5), (16, 16), (33, 18), (40, 64), (64, 96), (32, width), (48, width), (64, width)]
        {
            let from: Vec<T> = (0..rows * cols).map(&make).collect();
            let mut to = vec![make(0); rows * cols];
            let size = size_of::<T>();
            let (from_step, to_step) = (cols * size, rows * size);
            let (from_at, to_at) = (from.as_ptr().cast(), to.as_mut_ptr().cast());
            let one = Transposition { from: from_at, from_step, to: to_at, to_step, rows, cols, ..Transposition::ONE };
            for level in CpuLevel::ALL {
                dispatch_at(level, Transposed(&one, size));
                for (r, c) in (0..rows).flat_map(|r| (0..cols).map(move |c| (r, c))) {
                    assert_eq!(to[c * rows + r], from[r * cols + c], "{level:?}: {rows}x{cols} [{r}, {c}]");
                }
                to.fill(make(0));
            }
        }
    }

    #[test]
    fn every_size_of_elements_is_transposed() {
        check(|i| i as u8);
        check(|i| i as u16 * 3);
        check(|i| i as u32 * 70_001);
        check(|i| i as u64 * 70_000_000_001);
    }
}
