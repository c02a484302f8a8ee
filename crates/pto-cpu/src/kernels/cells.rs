//! Rows of boxes between a layout that has them one below the other and one that has them side by side.
//!
//! A row of a box has 32 bytes, half a line of memory. Two of two boxes are moved together, so that whole lines are read and
//! written.

use std::arch::x86_64::*;

/// Bytes of a cell: the row of a box.
pub(super) const WIDTH: usize = 32;

/// Rows that are worked on together: enough for the lines to be written one after the other, few enough that lines of rows at
/// distances of whole pages stay in the cache.
const BAND: usize = 8;

/// A matrix of cells. Cells of a row follow each other in the source, cells of a column in the destination.
pub(super) struct Cells {
    /// Even, as are the rows.
    pub columns: usize,
    pub rows: usize,
    /// Bytes from row to row in the source, and from column to column in the destination.
    pub from_row: usize,
    pub to_row: usize,
}

impl Cells {
    /// # Safety
    /// All cells must lie in memory and must not overlap; the processor must have AVX-512.
    #[target_feature(enable = "avx512f")]
    pub unsafe fn copy(&self, from: *const u8, to: *mut u8) {
        for band in (0..self.rows).step_by(BAND) {
            for column in (0..self.columns).step_by(2) {
                for row in (band..self.rows.min(band + BAND)).step_by(2) {
                    let from = from.add(row * self.from_row + column * WIDTH);
                    let to = to.add(column * self.to_row + row * WIDTH);
                    self.four(from, to);
                }
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn four(&self, from: *const u8, to: *mut u8) {
        let first = _mm512_loadu_si512(from.cast());
        let second = _mm512_loadu_si512(from.add(self.from_row).cast());
        _mm512_storeu_si512(to.cast(), _mm512_shuffle_i64x2::<0b01_00_01_00>(first, second));
        _mm512_storeu_si512(to.add(self.to_row).cast(), _mm512_shuffle_i64x2::<0b11_10_11_10>(first, second));
    }
}
