//! Where the rows of the operands lie. Worked out in bytes, by code that all element types share.

use super::call::{Call, TileRef};
use super::cover::Cover;
use super::pairwise::Side;
use super::rows::{CHUNK, joined};

/// A walk through memory: along the rows of a grid, and from one grid to the next. A distance of 0 stays.
#[derive(Clone, Copy)]
pub struct Walk {
    /// Where the first row starts.
    pub start: *mut u8,
    /// Bytes from one row to the next; wraps around when it goes backwards.
    step: usize,
    /// Bytes from one grid to the next.
    jump: usize,
}

impl Walk {
    /// The start of a row.
    #[inline(always)]
    pub fn row<E>(&self, r: usize) -> *mut E {
        self.start.wrapping_add(r.wrapping_mul(self.step)).cast()
    }

    /// The same rows from the last to the first.
    fn reversed(self, rows: usize) -> Self {
        let last = self.start.wrapping_add(rows.saturating_sub(1) * self.step);
        Self { start: last, step: self.step.wrapping_neg(), jump: self.jump }
    }
}

/// A walk through nothing.
const NOWHERE: Walk = Walk { start: std::ptr::null_mut(), step: 0, jump: 0 };

/// Rows of two sources and the destination.
///
/// A source that repeats 32 bytes along its rows is spread into a buffer of one long span, one row at a time: then
/// there is a grid for each row of the tile, with a row for each span.
pub struct Grid {
    /// The first source.
    pub a: Walk,
    /// The second source.
    pub b: Walk,
    /// The destination.
    pub dst: Walk,
    /// The bytes to spread, if any.
    block: Walk,
    /// Rows.
    pub rows: usize,
    /// Elements of a row.
    cols: usize,
    /// Elements of the last row.
    last: usize,
    /// How many grids there are.
    pub count: usize,
}

impl Grid {
    /// The rows of a call of two sources; elements have `size` bytes, and the buffer takes a long span of them.
    #[inline(always)]
    pub fn new(call: &Call, size: usize, buffer: *mut u8) -> Option<Self> {
        let [a, b, dst] = call.tiles else { return None };
        if Cover::of(call) != Cover::Same {
            return Some(Self::repeated(call, [a, b, dst], size, buffer));
        }
        // What nearly all calls are, without a detour.
        let (rows, cols) = joined(&[a, b, dst], dst.rows, dst.cols);
        let walk = |t: &TileRef| Walk { start: t.ptr, step: t.row_stride * size, jump: 0 };
        Some(Self { a: walk(a), b: walk(b), dst: walk(dst), block: NOWHERE, rows, cols, last: cols, count: 1 })
    }

    #[inline(never)]
    fn repeated(call: &Call, tiles: [&TileRef; 3], size: usize, buffer: *mut u8) -> Self {
        let [a, b, dst] = tiles;
        let cover = Cover::of(call);
        let repeated = cover.repeated(a, b, dst);
        match (cover, repeated) {
            (Cover::Block, Some(side)) => Self::blocks(tiles, side, size, buffer),
            _ => Self::whole(tiles, cover, repeated, size),
        }
    }

    /// All rows where both sources have elements.
    fn whole([a, b, dst]: [&TileRef; 3], cover: Cover, repeated: Option<Side>, size: usize) -> Self {
        let walk = |t: &TileRef, side: Option<Side>| {
            let is_repeated = side.is_some() && repeated == side;
            Walk { start: t.ptr, step: if is_repeated { 0 } else { t.row_stride * size }, jump: 0 }
        };
        let (mut rows, mut cols) = (dst.rows, dst.cols);
        if cover == Cover::Part {
            (rows, cols) = (rows.min(a.rows).min(b.rows), cols.min(a.cols).min(b.cols));
        }
        if repeated.is_none() {
            (rows, cols) = joined(&[a, b, dst], rows, cols);
        }
        let mut walks = [walk(a, Some(Side::First)), walk(b, Some(Side::Second)), walk(dst, None)];
        // A repeated row that is the first row of the destination too must be overwritten last.
        if repeated.is_some() && walks[..2].iter().any(|w| w.step == 0 && w.start == dst.ptr) {
            walks = walks.map(|w| w.reversed(rows));
        }
        let [a, b, dst] = walks;
        Self { a, b, dst, block: NOWHERE, rows, cols, last: cols, count: 1 }
    }

    /// One grid for each row.
    fn blocks([a, b, dst]: [&TileRef; 3], side: Side, size: usize, buffer: *mut u8) -> Self {
        let walk = |t: &TileRef| Walk { start: t.ptr, step: CHUNK * size, jump: t.row_stride * size };
        let spread = Walk { start: buffer, step: 0, jump: 0 };
        let (block, a, b) = match side {
            Side::First => (walk(a), spread, walk(b)),
            Side::Second => (walk(b), walk(a), spread),
        };
        let rows = dst.cols.div_ceil(CHUNK);
        let last = dst.cols - rows.saturating_sub(1) * CHUNK;
        Self { a, b, dst: walk(dst), block, rows, cols: CHUNK, last, count: dst.rows }
    }

    /// Elements of a row.
    #[inline(always)]
    pub fn len(&self, r: usize) -> usize {
        if r + 1 == self.rows { self.last } else { self.cols }
    }

    /// The bytes to spread over the buffer before this grid, if any.
    #[inline(always)]
    pub fn block(&self) -> Option<*const u8> {
        (!self.block.start.is_null()).then_some(self.block.start.cast_const())
    }

    /// Goes on to the next grid.
    #[inline(always)]
    pub fn advance(&mut self) {
        for walk in [&mut self.a, &mut self.b, &mut self.dst, &mut self.block] {
            walk.start = walk.start.wrapping_add(walk.jump);
        }
    }
}

/// The operands of a call of a tile and values.
pub struct ByRow<'a> {
    /// The tile.
    pub src: &'a TileRef,
    /// The destination.
    pub dst: &'a TileRef,
    /// The tile with a value for each row; otherwise the scalar is the value.
    pub values: Option<&'a TileRef>,
    /// The scalar.
    pub scalar: u64,
}

/// The second immediate of a call: its scalar is a count of bits, which is not cut to the element type.
pub const COUNT: u64 = 1;

impl<'a> ByRow<'a> {
    /// Tells the tile from the values.
    #[inline(never)]
    pub fn new(call: &Call<'a>) -> Option<Self> {
        let new = |src, values, scalar, dst| Some(Self { src, dst, values, scalar });
        // More bits than any element has, and a number in every type.
        let limit = if call.imm[1] == COUNT { 127 } else { u64::MAX };
        match (call.tiles, call.scalars) {
            ([src, dst], [s]) => new(src, None, limit.min(*s), dst),
            ([src, _, dst], [_, s]) if src.is_present() => new(src, None, *s, dst),
            ([_, src, dst], [s, _]) => new(src, None, *s, dst),
            ([values, src, dst], []) if Cover::of(call) == Cover::FirstValues => new(src, Some(values), 0, dst),
            ([src, values, dst], []) => new(src, Some(values), 0, dst),
            _ => None,
        }
    }

    /// Rows and columns, as one long row where that is possible.
    #[inline(always)]
    pub fn shape(&self) -> (usize, usize) {
        let (rows, cols) = (self.dst.rows, self.dst.cols);
        if self.values.is_some() { (rows, cols) } else { joined(&[self.src, self.dst], rows, cols) }
    }
}
