//! Addresses of the rows of the operands. Computed in bytes, by code that all element types share.

use super::call::{Call, TileRef};
use super::cover::Cover;
use super::pairwise::Side;
use super::rows::joined;

/// Rows in memory at a constant stride. A stride of 0 repeats the row.
#[derive(Clone, Copy)]
pub struct StridedRows {
    /// Where the first row starts.
    start: *mut u8,
    /// Bytes from one row to the next; wraps around when it goes backwards.
    step: usize,
}

impl StridedRows {
    /// The start of a row.
    #[inline(always)]
    pub fn row<E>(&self, r: usize) -> *mut E {
        self.start.wrapping_add(r.wrapping_mul(self.step)).cast()
    }

    /// The same rows from the last to the first.
    fn reversed(self, rows: usize) -> Self {
        let last = self.start.wrapping_add(rows.saturating_sub(1) * self.step);
        Self { start: last, step: self.step.wrapping_neg() }
    }
}

/// Rows of two sources and the destination.
pub struct Grid {
    /// The first source.
    pub a: StridedRows,
    /// The second source.
    pub b: StridedRows,
    /// The destination.
    pub dst: StridedRows,
    /// Rows.
    pub rows: usize,
    /// Elements of a row.
    pub cols: usize,
}

impl Grid {
    /// The rows of a call of two sources; elements have `size` bytes.
    #[inline(always)]
    pub fn new(call: &Call<3>, size: usize) -> Self {
        let [a, b, dst] = call.tiles;
        if Cover::of(call.imm) != Cover::Same {
            return Self::repeated(call, size);
        }
        // What nearly all calls are, without a detour.
        let (rows, cols) = joined(&[a, b, dst], dst.rows(), dst.cols());
        let walk = |t: &TileRef| StridedRows { start: t.ptr(), step: t.row_stride() * size };
        Self { a: walk(a), b: walk(b), dst: walk(dst), rows, cols }
    }

    /// All rows where both sources have elements.
    #[inline(never)]
    fn repeated(call: &Call<3>, size: usize) -> Self {
        let [a, b, dst] = call.tiles;
        let cover = Cover::of(call.imm);
        let repeated = cover.repeated(a, b, dst);
        let walk = |t: &TileRef, side: Option<Side>| {
            let is_repeated = side.is_some() && repeated == side;
            StridedRows { start: t.ptr(), step: if is_repeated { 0 } else { t.row_stride() * size } }
        };
        let (mut rows, mut cols) = (dst.rows(), dst.cols());
        if cover == Cover::Part {
            (rows, cols) = (rows.min(a.rows()).min(b.rows()), cols.min(a.cols()).min(b.cols()));
        }
        if repeated.is_none() {
            (rows, cols) = joined(&[a, b, dst], rows, cols);
        }
        let mut walks = [walk(a, Some(Side::First)), walk(b, Some(Side::Second)), walk(dst, None)];
        // A repeated row that is the first row of the destination too must be overwritten last.
        if repeated.is_some() && walks[..2].iter().any(|w| w.step == 0 && w.start == dst.ptr()) {
            walks = walks.map(|w| w.reversed(rows));
        }
        let [a, b, dst] = walks;
        Self { a, b, dst, rows, cols }
    }
}

/// The operands of a call of a tile and values.
pub struct ByRow<'a> {
    /// The tile.
    pub src: &'a TileRef<'a>,
    /// The destination.
    pub dst: &'a TileRef<'a>,
    /// The tile with a value for each row; otherwise the scalar is the value.
    pub values: Option<&'a TileRef<'a>>,
    /// The scalar.
    pub scalar: u64,
}

/// The second immediate of a call: its scalar is a count of bits, which is not cut to the element type.
pub const COUNT: u64 = 1;

impl<'a> ByRow<'a> {
    /// Tells the tile from the values; `None` if nothing is written.
    #[inline(never)]
    pub fn new(call: &Call<'a, 3, 0, 2>) -> Option<Self> {
        let ([first, second, dst], [first_scalar, second_scalar]) = (call.tiles, call.scalars);
        // Without elements to write, there need not be a value for each row.
        if dst.rows() == 0 || dst.cols() == 0 {
            return None;
        }
        // More bits than any element has, and a number in every type.
        let limit = if call.imm[1] == COUNT { 127 } else { u64::MAX };
        Some(match (first.is_present(), second.is_present()) {
            (true, true) if Cover::of(call.imm) == Cover::FirstValues => {
                Self { src: second, dst, values: Some(first), scalar: 0 }
            }
            (true, true) => Self { src: first, dst, values: Some(second), scalar: 0 },
            (true, false) => Self { src: first, dst, values: None, scalar: limit.min(*second_scalar) },
            (false, _) => Self { src: second, dst, values: None, scalar: *first_scalar },
        })
    }

    /// Rows and columns, as one long row where that is possible.
    #[inline(always)]
    pub fn shape(&self) -> (usize, usize) {
        let (rows, cols) = (self.dst.rows(), self.dst.cols());
        if self.values.is_some() { (rows, cols) } else { joined(&[self.src, self.dst], rows, cols) }
    }
}
