//! The matrix of a convolution, made from a feature map.
//!
//! The feature map lies in L1 as NC1HWC0: a row of 32 bytes for each `(n, c1, h, w)`. Its size and padding are state of the core;
//! the filter is stated by the instruction.

use super::padding::put;
use super::place::ElementMap;
use pto_isa::rules::AttrValue;
use pto_vector::{Call, Fault, OpKernel, Prepared, Site, TileRef};
use std::ops::Range;

/// A window of the matrix at `[pos_m, pos_k]`.
pub(super) const IMG2COL: OpKernel =
    OpKernel::taking(&["src", "dst"], &[], &["pos_m", "pos_k", "$fmatrix", "$img2col_padding"], prepare);

/// Bytes of the channels that lie together.
const BLOCK: usize = 32;

/// The attributes of the filter, in the order they are packed.
const FILTER: [&str; 6] = ["filterH", "filterW", "strideH", "strideW", "dilationH", "dilationW"];

fn prepare(site: &Site) -> Option<Prepared<2, 0, 4>> {
    let (src, dst) = (site.tile("src")?.dtype, site.tile("dst")?.dtype);
    let number = |name: &str| match site.instance.attr(name) {
        Some(AttrValue::Int(n)) => n as u64,
        _ => 1,
    };
    let filter = FILTER.iter().enumerate().map(|(k, name)| (number(name) & 0xff) << (8 * k)).sum::<u64>();
    let channels = match site.instance.attr("channels") {
        Some(AttrValue::Int(n)) => n as u64,
        _ => 0,
    };
    let size = u64::from(dst.unit_bytes());
    let known = src.bits() == dst.bits() && dst.bits() >= 8;
    known.then_some(Prepared::of(run, [filter, channels << 8 | size]))
}

/// One dimension of the convolution.
#[derive(Clone, Copy)]
struct Dimension {
    /// Of the feature map.
    extent: usize,
    /// Before the feature map.
    pad: usize,
    filter: usize,
    stride: usize,
    dilation: usize,
    /// Of the result.
    out: usize,
}

impl Dimension {
    fn new(extent: u64, pads: (u64, u64), [filter, stride, dilation]: [u64; 3]) -> Self {
        let reach = dilation * (filter.saturating_sub(1)) + 1;
        let padded = extent + pads.0 + pads.1;
        let fits = extent > 0 && filter > 0 && stride > 0 && padded >= reach;
        let out = if fits { (padded - reach) / stride + 1 } else { 0 };
        let [extent, pad, filter, stride, dilation, out] =
            [extent, pads.0, filter, stride, dilation, out].map(|n| n as usize);
        Self { extent, pad, filter, stride, dilation, out }
    }

    /// Where the filter's element lies in the feature map; `None` in the padding.
    fn at(&self, out: usize, filter: usize) -> Option<usize> {
        (out * self.stride + filter * self.dilation).checked_sub(self.pad).filter(|at| *at < self.extent)
    }

    /// The results for which the filter's element lies in the feature map.
    fn inside(&self, filter: usize) -> Range<usize> {
        let before = self.pad.saturating_sub(filter * self.dilation).div_ceil(self.stride);
        let reach = (self.extent + self.pad).saturating_sub(filter * self.dilation);
        before..reach.div_ceil(self.stride)
    }
}

/// The convolution a call describes.
struct Convolution {
    height: Dimension,
    width: Dimension,
    /// Groups of channels.
    groups: usize,
    /// Channels of a group: 32 bytes.
    per_group: usize,
    images: usize,
}

impl Convolution {
    fn new(call: &Call<2, 0, 4>, src: &TileRef, size: usize) -> Self {
        let fmatrix = call.scalars[2];
        let byte = |word: u64, at: u32| word >> (8 * at) & 0xff;
        let filter = |first: u32| [0, 2, 4].map(|k| byte(call.imm[0], first + k));
        let height = Dimension::new(fmatrix & 0xffff, (byte(fmatrix, 6), byte(fmatrix, 7)), filter(0));
        let width = Dimension::new(fmatrix >> 16 & 0xffff, (byte(fmatrix, 4), byte(fmatrix, 5)), filter(1));
        let per_group = BLOCK / size;
        let planes = src.rows().checked_div(height.extent * width.extent).unwrap_or(0);
        // Without a number of channels there is one image.
        let groups = match (call.imm[1] >> 8) as usize {
            0 => planes,
            channels => channels.div_ceil(per_group),
        };
        Self { height, width, groups, per_group, images: planes.checked_div(groups).unwrap_or(0) }
    }

    /// Rows and columns of the matrix.
    fn size(&self) -> (usize, usize) {
        let rows = self.images * self.height.out * self.width.out;
        (rows, self.groups * self.height.filter * self.width.filter * self.per_group)
    }

    /// The filter's element that a column belongs to: the group of channels, and its row and column.
    fn tap(&self, k: usize) -> (usize, usize, usize) {
        let taps = self.height.filter * self.width.filter;
        let (group, tap) = (k / self.per_group / taps, k / self.per_group % taps);
        (group, tap / self.width.filter, tap % self.width.filter)
    }

    /// The point of the result that a row belongs to: the image, and its row and column.
    fn point(&self, m: usize) -> (usize, usize, usize) {
        let (row, col) = (m / self.width.out, m % self.width.out);
        (row / self.height.out, row % self.height.out, col)
    }

    /// The row of the source for a point and an element of the filter; `None` in the padding.
    fn source(&self, point: (usize, usize, usize), tap: (usize, usize, usize)) -> Option<usize> {
        let (row, col) = (self.height.at(point.1, tap.1)?, self.width.at(point.2, tap.2)?);
        let plane = point.0 * self.groups + tap.0;
        Some((plane * self.height.extent + row) * self.width.extent + col)
    }

    /// For so many points of a row of the result: those that lie in the feature map, and the row of the source for the first of them.
    fn row_of_map(
        &self,
        point: (usize, usize, usize),
        tap: (usize, usize, usize),
        points: usize,
    ) -> (Range<usize>, usize) {
        let end = point.2 + points;
        let inside = self.width.inside(tap.2);
        let (first, last) = (inside.start.clamp(point.2, end), inside.end.clamp(point.2, end));
        match self.source((point.0, point.1, first), tap) {
            Some(row) if first < last => (first - point.2..last - point.2, row),
            _ => (0..0, 0),
        }
    }
}

/// # Safety
/// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
unsafe fn run(call: &Call<2, 0, 4>) -> Result<(), Fault> {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        let ([src, dst], [m, k, _, padding]) = (call.tiles, call.scalars);
        if dst.rows() == 0 || dst.cols() == 0 {
            return Ok(());
        }
        let size = (call.imm[1] & 0xff) as usize;
        let this = Convolution::new(call, src, size);
        let (rows, cols) = this.size();
        let room = (rows.saturating_sub(*m as usize), cols.saturating_sub(*k as usize));
        if dst.rows() > room.0 || dst.cols() > room.1 || src.cols() < this.per_group {
            let window = (room.0 as u64, room.1 as u64);
            return Err(Fault::WindowMismatch { tile: (dst.rows(), dst.cols()), window });
        }
        let at = (*m as usize, *k as usize);
        match (ElementMap::of_tile(src), ElementMap::of_tile(dst)) {
            (Some(from), Some(to)) => fast(&this, &from, (dst, &to), at, size, *padding),
            _ => plain(&this, src, dst, at, size, *padding),
        }
        Ok(())
    }
}

/// Element by element.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named must lie inside
/// of them.
unsafe fn plain(this: &Convolution, src: &TileRef, dst: &TileRef, (m, k): (usize, usize), size: usize, padding: u64) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        for (r, c) in (0..dst.rows()).flat_map(|r| (0..dst.cols()).map(move |c| (r, c))) {
            match this.source(this.point(m + r), this.tap(k + c)) {
                Some(row) => {
                    let (from, to) = (src.index(row, (k + c) % this.per_group), dst.index(r, c));
                    std::ptr::copy_nonoverlapping(src.ptr().add(from * size), dst.ptr().add(to * size), size);
                }
                None => put(dst, size, r, c, padding),
            }
        }
    }
}

/// In runs of channels, for rows of the feature map.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named must lie inside
/// of them; the region must lie in both places, which are those of operands of a call.
unsafe fn fast(
    this: &Convolution,
    from: &ElementMap,
    (dst, to): (&TileRef, &ElementMap),
    (m, k): (usize, usize),
    size: usize,
    padding: u64,
) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them; the region lies
    // in both places, which are those of operands of a call.
    unsafe {
        // One element of the filter after the other, for all rows.
        let mut c = 0;
        while c < dst.cols() {
            let place = k + c;
            let (tap, start) = (this.tap(place), place % this.per_group);
            let count = (this.per_group - start).min(dst.cols() - c);
            let run = ElementRun { count, size, from, start, to, first: c };
            let mut r = 0;
            while r < dst.rows() {
                let point = this.point(m + r);
                let points = (this.width.out - point.2).min(dst.rows() - r);
                let (inside, row) = this.row_of_map(point, tap, points);
                run.fill(r..r + inside.start, padding);
                run.copy(row, this.width.stride, r + inside.start..r + inside.end);
                run.fill(r + inside.end..r + points, padding);
                r += points;
            }
            c += count;
        }
    }
}

/// Neighbouring columns that belong to one element of the filter.
struct ElementRun<'a> {
    count: usize,
    size: usize,
    from: &'a ElementMap,
    /// The first channel in the feature map.
    start: usize,
    to: &'a ElementMap,
    /// The first column in the matrix.
    first: usize,
}

impl ElementRun<'_> {
    /// Where the element of a channel lies in a row of the feature map, and where in a row of the matrix, counted in elements.
    fn places(&self, i: usize) -> (usize, usize) {
        (self.from.cols.at(self.start + i), self.to.cols.at(self.first + i))
    }

    /// True when they are a whole block, side by side in both.
    fn is_block(&self) -> bool {
        let ((from, to), (last_from, last_to)) = (self.places(0), self.places(self.count - 1));
        let apart = self.count - 1;
        last_from == from + apart && last_to == to + apart && self.count * self.size == BLOCK
    }

    /// Copies the elements of rows of the feature map, from a first one on at this distance, to rows of the matrix.
    ///
    /// # Safety
    /// The rows must lie in the tiles.
    unsafe fn copy(&self, mut row: usize, step: usize, rows: Range<usize>) {
        // SAFETY: the caller answers for the rows, and the columns are those of the call.
        unsafe {
            let Self { from, to, size, count, .. } = *self;
            let is_block = self.is_block();
            let (source, target) = self.places(0);
            let mut r = rows.start;
            while r < rows.end {
                // Rows at one distance in both.
                let steps = from.rows.run(row).div_ceil(step.max(1));
                let n = (rows.end - r).min(to.rows.run(r)).min(steps);
                let (first_row, first_to) = (from.rows.at(row), to.rows.at(r));
                let strides = (step * from.rows.stride(), to.rows.stride());
                if is_block {
                    let (a, b) =
                        (from.start.add((first_row + source) * size), to.start.add((first_to + target) * size));
                    copy_blocks((a, strides.0 * size), (b, strides.1 * size), n);
                } else {
                    for (i, j) in (0..n).flat_map(|i| (0..count).map(move |j| (i, j))) {
                        let (source, target) = self.places(j);
                        let a = from.start.add((first_row + i * strides.0 + source) * size);
                        let b = to.start.add((first_to + i * strides.1 + target) * size);
                        std::ptr::copy_nonoverlapping(a, b, size);
                    }
                }
                (row, r) = (row + n * step, r + n);
            }
        }
    }

    /// Writes the padding to rows of the matrix.
    ///
    /// # Safety
    /// The rows must lie in the tile.
    unsafe fn fill(&self, rows: Range<usize>, padding: u64) {
        // SAFETY: the caller answers for the rows, and the columns are those of the call.
        unsafe {
            for (r, j) in rows.flat_map(|r| (0..self.count).map(move |j| (r, j))) {
                let to = self.to.start.add((self.to.rows.at(r) + self.places(j).1) * self.size);
                std::ptr::copy_nonoverlapping(padding.to_le_bytes().as_ptr(), to, self.size);
            }
        }
    }
}

/// Copies blocks that lie at one distance here and at another there.
///
/// # Safety
/// So many blocks must be readable and writable.
unsafe fn copy_blocks((from, step): (*const u8, usize), (to, stride): (*mut u8, usize), count: usize) {
    // SAFETY: the caller answers for the blocks.
    unsafe {
        for i in 0..count {
            let block = from.add(i * step).cast::<[u8; BLOCK]>().read_unaligned();
            to.add(i * stride).cast::<[u8; BLOCK]>().write_unaligned(block);
        }
    }
}
