//! Sixteen columns of a right factor whose rows lie side by side: boxes of memories before that of the factor.
//!
//! Nothing has to be transposed: a word of each column is made of the elements of one, two or four rows.

use super::strip::COLUMNS;
use pto_num::Level;

/// Bytes of a row of a box.
const ROW: usize = 32;

/// How rows become words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowWords {
    /// Words as they are.
    Words,
    /// Numbers of bf16, widened.
    Bf16,
    /// Numbers of f16, widened.
    F16,
    /// Two halves of 16 bits.
    Halves,
    /// Two integers of 8 bits, widened to 16.
    Pairs,
    /// Four bytes.
    Bytes,
}

impl RowWords {
    /// Rows of a word.
    pub const fn rows(self) -> usize {
        match self {
            Self::Words | Self::Bf16 | Self::F16 => 1,
            Self::Halves | Self::Pairs => 2,
            Self::Bytes => 4,
        }
    }
}

/// Sixteen columns.
#[derive(Clone, Copy)]
pub struct BoxColumns {
    /// The first row of the first eight and of the last eight columns; rows follow each other.
    pub from: [*const u8; 2],
    /// Words along `k`.
    pub count: usize,
    /// Where they go, and words from one to the next.
    pub to: *mut u32,
    pub step: usize,
}

/// Gathers columns, compiled for a level of the processor.
pub type GatherFn = unsafe fn(&BoxColumns, RowWords);

/// See [`GatherFn`].
///
/// # Safety
/// All rows of the words must lie in memory, and there is room for the words; the processor must have the level.
#[inline(always)]
pub unsafe fn gather<L: Level>(columns: &BoxColumns, words: RowWords) {
    // SAFETY: the caller answers for the rows and for the room; sixteen elements of a row lie side by side where the second eight
    // columns follow the first.
    unsafe {
        match words {
            // Half a line at a time: a line that is put together would have to wait for its halves.
            RowWords::Words => {
                for w in 0..columns.count {
                    let [first, second] = columns.from.map(|from| from.add(w * ROW).cast::<[u32; 8]>());
                    let to = columns.to.add(w * columns.step);
                    to.cast::<[u32; 8]>().write_unaligned(first.read_unaligned());
                    to.add(8).cast::<[u32; 8]>().write_unaligned(second.read_unaligned());
                }
            }
            RowWords::Bf16 => each(columns, 1, |row| {
                let halves = row.cast::<[u16; COLUMNS]>().read_unaligned();
                let mut line = [0; COLUMNS];
                for c in 0..COLUMNS {
                    line[c] = u32::from(halves[c]) << 16;
                }
                line
            }),
            RowWords::F16 => each(columns, 1, |row| {
                let mut wide = [0.0; COLUMNS];
                L::f16_to_f32(&row.cast::<[u16; COLUMNS]>().read_unaligned(), &mut wide);
                let mut line = [0; COLUMNS];
                for c in 0..COLUMNS {
                    line[c] = wide[c].to_bits();
                }
                line
            }),
            RowWords::Halves => each(columns, 2, |row| {
                let [low, high] = [row, row.wrapping_add(ROW)].map(|row| row.cast::<[u16; COLUMNS]>().read_unaligned());
                let mut line = [0; COLUMNS];
                for c in 0..COLUMNS {
                    line[c] = u32::from(low[c]) | u32::from(high[c]) << 16;
                }
                line
            }),
            RowWords::Pairs => each(columns, 2, |row| {
                let [low, high] = [row, row.wrapping_add(ROW)].map(|row| row.cast::<[i8; COLUMNS]>().read_unaligned());
                let mut line = [0; COLUMNS];
                for c in 0..COLUMNS {
                    line[c] = low[c] as i32 as u32 & 0xffff | (high[c] as i32 as u32) << 16;
                }
                line
            }),
            RowWords::Bytes => each(columns, 4, |row| {
                let rows = [row, row.wrapping_add(ROW), row.wrapping_add(2 * ROW), row.wrapping_add(3 * ROW)]
                    .map(|row| row.cast::<[u8; COLUMNS]>().read_unaligned());
                let mut line = [0; COLUMNS];
                for c in 0..COLUMNS {
                    let [w, x, y, z] = [rows[0][c], rows[1][c], rows[2][c], rows[3][c]].map(u32::from);
                    line[c] = w | x << 8 | y << 16 | z << 24;
                }
                line
            }),
        }
    }
}

/// Writes the words of all rows; `line` gets the place of the first row of a word.
///
/// # Safety
/// As [`gather`].
#[inline(always)]
unsafe fn each(columns: &BoxColumns, rows: usize, line: impl Fn(*const u8) -> [u32; COLUMNS]) {
    for w in 0..columns.count {
        let from = columns.from[0].wrapping_add(w * rows * ROW);
        let words = line(from);
        // SAFETY: there is room for the words, as the caller says.
        unsafe { columns.to.add(w * columns.step).cast::<[u32; COLUMNS]>().write_unaligned(words) }
    }
}
