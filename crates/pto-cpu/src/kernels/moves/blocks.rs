//! Copies between any two layouts, in parts where both are regular.

use super::Region;
use super::transpose::{self, Unit};
use pto_isa::{BLayout, GlobalLayout, Order, SLayout, TileType};
use pto_vector::{TileRef, ViewRef};

/// Where elements lie: boxes whose rows and columns are powers of two, and strides from box to box and inside a box.
#[derive(Clone, Copy, Debug)]
pub struct Map {
    /// Rows and columns of a box, as shifts.
    rows: u32,
    cols: u32,
    row_block: usize,
    col_block: usize,
    /// From row to row inside a box.
    pub row: usize,
    /// From column to column inside a box.
    pub col: usize,
}

/// More than any extent: one box.
const ALL: u32 = usize::BITS - 1;

impl Map {
    /// Nothing where the rows do not fill the boxes, whose size then varies.
    pub fn of(tile: &TileRef) -> Option<Self> {
        // SAFETY: the engine keeps the geometry of every tile it passes alive during the call.
        let ty: &TileType = unsafe { &*tile.geometry };
        if !ty.is_boxed() {
            let (row, col) = (tile.row_stride, tile.col_stride);
            return Some(Self { rows: ALL, cols: ALL, row_block: 0, col_block: 0, row, col });
        }
        let (rows, cols) = (ty.rows as usize, ty.cols as usize);
        let (box_rows, box_cols) = ty.box_shape();
        let (box_rows, box_cols) = (box_rows as usize, box_cols as usize);
        if ty.order() != Order::Nz && !rows.is_multiple_of(box_rows) {
            return None;
        }
        let (row_block, col_block) = match ty.blayout {
            BLayout::RowMajor => (cols * box_rows, box_rows * box_cols),
            BLayout::ColMajor => (box_rows * box_cols, rows * box_cols),
        };
        let (row, col) = if ty.slayout == SLayout::ColMajor { (1, box_rows) } else { (box_cols, 1) };
        Self::boxes(box_rows, box_cols, row_block, col_block, row, col)
    }

    /// A window of global memory that is a matrix, or boxes of one; its elements must lie in memory.
    pub fn of_view(view: &ViewRef) -> Option<Self> {
        let [a, b, c, d, e] = view.shape.map(|n| n as usize);
        let [_, sb, sc, sd, se] = view.strides.map(|s| s as usize);
        let whole = 1 << ALL;
        match view.layout {
            GlobalLayout::Nd if (a, b, c) == (1, 1, 1) => Self::boxes(whole, whole, 0, 0, sd, se),
            GlobalLayout::Nd if (a, b) == (1, 1) => Self::boxes(d, whole, sc, 0, sd, se),
            GlobalLayout::Dn if (a, b, c) == (1, 1, 1) => Self::boxes(whole, whole, 0, 0, sd, se),
            GlobalLayout::Dn if (a, b) == (1, 1) => Self::boxes(whole, e, 0, sc, sd, se),
            GlobalLayout::Nz if a == 1 => Self::boxes(d, e, sc, sb, sd, se),
            _ => None,
        }
    }

    /// Boxes that continue each other are one box.
    fn boxes(rows: usize, cols: usize, row_block: usize, col_block: usize, row: usize, col: usize) -> Option<Self> {
        let shift = |n: usize, block: usize, step: usize| {
            if n.wrapping_mul(step) == block { Some(ALL) } else { n.is_power_of_two().then(|| n.ilog2()) }
        };
        Some(Self {
            rows: shift(rows, row_block, row)?,
            cols: shift(cols, col_block, col)?,
            row_block,
            col_block,
            row,
            col,
        })
    }

    /// The two parts of the place of an element add up.
    fn row_offset(&self, row: usize) -> usize {
        (row >> self.rows) * self.row_block + (row & ((1 << self.rows) - 1)) * self.row
    }

    fn col_offset(&self, col: usize) -> usize {
        (col >> self.cols) * self.col_block + (col & ((1 << self.cols) - 1)) * self.col
    }
}

/// Elements to the end of a box.
fn left(at: usize, shift: u32) -> usize {
    (1 << shift) - (at & ((1 << shift) - 1))
}

/// A part of a region in which both layouts have constant strides.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// Its first element in the source and in the destination.
    pub src: usize,
    pub dst: usize,
    pub rows: usize,
    pub cols: usize,
    /// Its first column in the region.
    pub col: usize,
}

/// Visits a region in segments of at most `most` columns.
#[inline(always)]
pub fn segments(from: Map, to: Map, region: Region, most: usize, mut visit: impl FnMut(Segment)) {
    let mut col = 0;
    while col < region.cols {
        let (sc, dc) = (region.from.1 + col, region.to.1 + col);
        let cols = left(sc, from.cols).min(left(dc, to.cols)).min(region.cols - col).min(most);
        let (src, dst) = (from.col_offset(sc), to.col_offset(dc));
        let mut row = 0;
        while row < region.rows {
            let (sr, dr) = (region.from.0 + row, region.to.0 + row);
            let rows = left(sr, from.rows).min(left(dr, to.rows)).min(region.rows - row);
            visit(Segment { src: src + from.row_offset(sr), dst: dst + to.row_offset(dr), rows, cols, col });
            row += rows;
        }
        col += cols;
    }
}

/// Copies a region. The tiles must not overlap.
///
/// # Safety
/// The region must lie in both tiles, whose elements have the size of `T`.
pub unsafe fn copy<T: Unit>(src: &TileRef, dst: &TileRef, region: Region) {
    let (Some(from), Some(to)) = (Map::of(src), Map::of(dst)) else { return scattered::<T>(src, dst, region) };
    let (source, target) = (src.ptr.cast::<T>(), dst.ptr.cast::<T>());
    segments(from, to, region, usize::MAX, |at| {
        let block = Block {
            src: source.add(at.src),
            dst: target.add(at.dst),
            from: (from.row, from.col),
            to: (to.row, to.col),
        };
        block.copy(at.rows, at.cols);
    });
}

/// A rectangle with constant strides on both sides.
struct Block<T> {
    src: *const T,
    dst: *mut T,
    /// From row to row and from column to column of the source.
    from: (usize, usize),
    /// The same of the destination.
    to: (usize, usize),
}

impl<T: Unit> Block<T> {
    unsafe fn copy(self, rows: usize, cols: usize) {
        match (self.from, self.to) {
            ((_, 1), (_, 1)) => runs(self.src, self.from.0, self.dst, self.to.0, rows, cols),
            ((1, _), (1, _)) => runs(self.src, self.from.1, self.dst, self.to.1, cols, rows),
            ((_, 1), (1, _)) => transpose::block(self.src, self.from.0, self.dst, self.to.1, rows, cols),
            ((1, _), (_, 1)) => transpose::block(self.src, self.from.1, self.dst, self.to.0, cols, rows),
            _ => self.each(rows, cols),
        }
    }

    unsafe fn each(self, rows: usize, cols: usize) {
        for r in 0..rows {
            for c in 0..cols {
                let value = self.src.add(r * self.from.0 + c * self.from.1).read_unaligned();
                self.dst.add(r * self.to.0 + c * self.to.1).write_unaligned(value);
            }
        }
    }
}

/// `count` runs of `length` elements.
unsafe fn runs<T: Unit>(src: *const T, from: usize, dst: *mut T, to: usize, count: usize, length: usize) {
    if from == length && to == length {
        return std::ptr::copy_nonoverlapping(src.cast::<u8>(), dst.cast::<u8>(), count * length * size_of::<T>());
    }
    match length * size_of::<T>() {
        32 => fixed::<T, 32>(src, from, dst, to, count),
        64 => fixed::<T, 64>(src, from, dst, to, count),
        bytes => {
            for run in 0..count {
                std::ptr::copy_nonoverlapping(src.add(run * from).cast::<u8>(), dst.add(run * to).cast::<u8>(), bytes);
            }
        }
    }
}

/// Runs of one row of a box: a few registers each.
unsafe fn fixed<T, const BYTES: usize>(src: *const T, from: usize, dst: *mut T, to: usize, count: usize) {
    for run in 0..count {
        let bytes = src.add(run * from).cast::<[u8; BYTES]>().read_unaligned();
        dst.add(run * to).cast::<[u8; BYTES]>().write_unaligned(bytes);
    }
}

/// Where boxes vary in size.
unsafe fn scattered<T: Copy>(src: &TileRef, dst: &TileRef, region: Region) {
    for r in 0..region.rows {
        for c in 0..region.cols {
            let from = src.index(region.from.0 + r, region.from.1 + c);
            let to = dst.index(region.to.0 + r, region.to.1 + c);
            let value = src.ptr.cast::<T>().add(from).read_unaligned();
            dst.ptr.cast::<T>().add(to).write_unaligned(value);
        }
    }
}
