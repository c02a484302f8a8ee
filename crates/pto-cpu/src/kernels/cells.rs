//! Rows of boxes between a layout that has them one below the other and one that has them side by side.
//!
//! A row of a box has 32 bytes, half a line of memory, or 16 where numbers have four bits. As many rows of as many boxes are moved together as
//! a line has room for, so that whole lines are read and written.

use std::arch::x86_64::*;

/// Bytes of a line of memory.
const LINE: usize = 64;

/// Rows that are worked on together: enough for the lines to be written one after the other, few enough that lines of rows at
/// distances of whole pages stay in the cache.
const BAND: usize = 8;

/// A matrix of cells. Cells of a row follow each other in the source, cells of a column in the destination.
pub(super) struct Cells {
    /// Bytes of a cell: the row of a box. 16 or 32.
    pub width: usize,
    /// As many cells as fill lines, as are the rows.
    pub columns: usize,
    pub rows: usize,
    /// Bytes from row to row in the source, and from column to column in the destination.
    pub from_row: usize,
    pub to_row: usize,
}

impl Cells {
    /// How many cells a line has; `None` for those of other widths.
    pub fn per_line(width: usize) -> Option<usize> {
        matches!(width, 16 | 32).then_some(LINE / width)
    }

    /// # Safety
    /// All cells must lie in memory and must not overlap; the processor must have AVX-512.
    #[target_feature(enable = "avx512f")]
    pub unsafe fn copy(&self, from: *const u8, to: *mut u8) {
        // SAFETY: the caller answers for the elements at `from` and `to`; the processor has the instructions of this
        // level.
        unsafe {
            // Stores that cross lines are joined again only where one follows the other.
            let is_aligned = (to as usize).is_multiple_of(LINE) && self.to_row.is_multiple_of(LINE);
            match self.width {
                16 => self.each::<4, 4>(from, to, |from, to| self.sixteen(from, to)),
                _ if is_aligned => self.each::<2, 2>(from, to, |from, to| self.four(from, to)),
                _ => self.each::<1, 2>(from, to, |from, to| self.two(from, to)),
            }
        }
    }

    /// Calls `work` for every few columns and rows.
    ///
    /// # Safety
    /// All elements that the other arguments count must be readable at `from` and writable at `to`.
    #[inline(always)]
    unsafe fn each<const COLUMNS: usize, const ROWS: usize>(
        &self,
        from: *const u8,
        to: *mut u8,
        work: impl Fn(*const u8, *mut u8),
    ) {
        // SAFETY: the caller answers for the elements at `from` and `to`.
        unsafe {
            for band in (0..self.rows).step_by(BAND) {
                let ahead = if band + BAND < self.rows { ROWS } else { 0 };
                for column in (0..self.columns).step_by(COLUMNS) {
                    for row in (band..self.rows.min(band + BAND)).step_by(ROWS) {
                        let from = from.add(row * self.from_row + column * self.width);
                        // Prefetch the rows of the next band: the processor does not prefetch at page distances.
                        for next in 0..ahead {
                            _mm_prefetch::<_MM_HINT_T0>(from.wrapping_add((BAND + next) * self.from_row).cast());
                        }
                        work(from, to.add(column * self.to_row + row * self.width));
                    }
                }
            }
        }
    }

    /// # Safety
    /// All elements that the other arguments count must be readable at `from` and writable at `to`; the processor must have
    /// the instructions of this level.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn two(&self, from: *const u8, to: *mut u8) {
        // SAFETY: the caller answers for the elements at `from` and `to`; the processor has the instructions of this
        // level.
        unsafe {
            let first = _mm512_castsi256_si512(_mm256_loadu_si256(from.cast()));
            let second = _mm256_loadu_si256(from.add(self.from_row).cast());
            _mm512_storeu_si512(to.cast(), _mm512_inserti64x4::<1>(first, second));
        }
    }

    /// # Safety
    /// All elements that the other arguments count must be readable at `from` and writable at `to`; the processor must have
    /// the instructions of this level.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn four(&self, from: *const u8, to: *mut u8) {
        // SAFETY: the caller answers for the elements at `from` and `to`; the processor has the instructions of this
        // level.
        unsafe {
            let first = _mm512_loadu_si512(from.cast());
            let second = _mm512_loadu_si512(from.add(self.from_row).cast());
            _mm512_storeu_si512(to.cast(), _mm512_shuffle_i64x2::<0b01_00_01_00>(first, second));
            _mm512_storeu_si512(to.add(self.to_row).cast(), _mm512_shuffle_i64x2::<0b11_10_11_10>(first, second));
        }
    }

    /// # Safety
    /// All elements that the other arguments count must be readable at `from` and writable at `to`; the processor must have
    /// the instructions of this level.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn sixteen(&self, from: *const u8, to: *mut u8) {
        // SAFETY: the caller answers for the elements at `from` and `to`; the processor has the instructions of this
        // level.
        unsafe {
            let row = |r: usize| _mm512_loadu_si512(from.add(r * self.from_row).cast());
            let halves = |a: __m512i, b: __m512i| {
                (_mm512_shuffle_i64x2::<0b01_00_01_00>(a, b), _mm512_shuffle_i64x2::<0b11_10_11_10>(a, b))
            };
            let ((left, right), (lower_left, lower_right)) = (halves(row(0), row(1)), halves(row(2), row(3)));
            let put = |column: usize, v: __m512i| _mm512_storeu_si512(to.add(column * self.to_row).cast(), v);
            put(0, _mm512_shuffle_i64x2::<0b10_00_10_00>(left, lower_left));
            put(1, _mm512_shuffle_i64x2::<0b11_01_11_01>(left, lower_left));
            put(2, _mm512_shuffle_i64x2::<0b10_00_10_00>(right, lower_right));
            put(3, _mm512_shuffle_i64x2::<0b11_01_11_01>(right, lower_right));
        }
    }
}
