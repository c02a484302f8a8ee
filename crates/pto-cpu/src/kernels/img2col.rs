//! The matrix of a convolution, made from a feature map.
//!
//! The feature map lies in L1 as NC1HWC0: a row of 32 bytes for each `(n, c1, h, w)`. Its size and padding are state of the core;
//! the filter is stated by the instruction.

use super::padding::put;
use pto_isa::rules::AttrValue;
use pto_vector::{Call, Fault, Kernel, Prepared, Site, TileRef};

/// A window of the matrix at `[pos_m, pos_k]`.
pub(super) const IMG2COL: Kernel =
    Kernel::new(&["src", "dst"], prepare).scalars(&["pos_m", "pos_k", "$fmatrix", "$img2col_padding"]);

/// The attributes of the filter, in the order they are packed.
const FILTER: [&str; 6] = ["filterH", "filterW", "strideH", "strideW", "dilationH", "dilationW"];

fn prepare(site: &Site) -> Option<Prepared> {
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
    known.then_some(Prepared { run, imm: [filter, channels << 8 | size] })
}

/// One dimension of the convolution.
#[derive(Clone, Copy)]
struct Dimension {
    /// Of the feature map.
    extent: usize,
    /// In front of the feature map.
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
}

/// The convolution a call describes.
struct Convolution {
    height: Dimension,
    width: Dimension,
    /// Groups of channels.
    groups: usize,
    /// Channels of a group: 32 bytes.
    lanes: usize,
    images: usize,
}

impl Convolution {
    fn new(call: &Call, src: &TileRef, size: usize) -> Self {
        let fmatrix = call.scalars[2];
        let byte = |word: u64, at: u32| word >> (8 * at) & 0xff;
        let filter = |first: u32| [0, 2, 4].map(|k| byte(call.imm[0], first + k));
        let height = Dimension::new(fmatrix & 0xffff, (byte(fmatrix, 6), byte(fmatrix, 7)), filter(0));
        let width = Dimension::new(fmatrix >> 16 & 0xffff, (byte(fmatrix, 4), byte(fmatrix, 5)), filter(1));
        let lanes = 32 / size;
        let planes = src.rows.checked_div(height.extent * width.extent).unwrap_or(0);
        // Without a number of channels there is one image.
        let groups = match (call.imm[1] >> 8) as usize {
            0 => planes,
            channels => channels.div_ceil(lanes),
        };
        Self { height, width, groups, lanes, images: planes.checked_div(groups).unwrap_or(0) }
    }

    /// Rows and columns of the matrix.
    fn size(&self) -> (usize, usize) {
        let rows = self.images * self.height.out * self.width.out;
        (rows, self.groups * self.height.filter * self.width.filter * self.lanes)
    }

    /// Row and column of the source for an element of the matrix; `None` in the padding.
    fn source(&self, m: usize, k: usize) -> Option<(usize, usize)> {
        let (image, out) = (m / (self.height.out * self.width.out), m % (self.height.out * self.width.out));
        let (tap, lane) = (k / self.lanes, k % self.lanes);
        let taps = self.height.filter * self.width.filter;
        let (group, tap) = (tap / taps, tap % taps);
        let row = self.height.at(out / self.width.out, tap / self.width.filter)?;
        let col = self.width.at(out % self.width.out, tap % self.width.filter)?;
        let plane = image * self.groups + group;
        Some(((plane * self.height.extent + row) * self.width.extent + col, lane))
    }
}

unsafe fn run(call: &Call) -> Result<(), Fault> {
    let ([src, dst], [m, k, _, padding]) = (call.tiles, call.scalars) else { return Ok(()) };
    let size = (call.imm[1] & 0xff) as usize;
    let this = Convolution::new(call, src, size);
    let (rows, cols) = this.size();
    let room = (rows.saturating_sub(*m as usize), cols.saturating_sub(*k as usize));
    if dst.rows > room.0 || dst.cols > room.1 || src.cols < this.lanes {
        let window = (room.0 as u64, room.1 as u64);
        return Err(Fault::WindowMismatch { tile: (dst.rows, dst.cols), window });
    }
    for r in 0..dst.rows {
        let mut c = 0;
        while c < dst.cols {
            let place = *k as usize + c;
            let count = (this.lanes - place % this.lanes).min(dst.cols - c);
            match this.source(*m as usize + r, place) {
                Some(from) => copy(src, from, dst, (r, c), count, size),
                None => (c..c + count).for_each(|c| put(dst, size, r, c, *padding)),
            }
            c += count;
        }
    }
    Ok(())
}

/// Copies elements of a row, all at once where they lie side by side in both tiles.
unsafe fn copy(src: &TileRef, from: (usize, usize), dst: &TileRef, to: (usize, usize), count: usize, size: usize) {
    let source = |i: usize| src.index(from.0, from.1 + i);
    let target = |i: usize| dst.index(to.0, to.1 + i);
    let (first, second, last) = (source(0), target(0), count - 1);
    if source(last) == first + last && target(last) == second + last {
        return std::ptr::copy_nonoverlapping(src.ptr.add(first * size), dst.ptr.add(second * size), count * size);
    }
    for i in 0..count {
        std::ptr::copy_nonoverlapping(src.ptr.add(source(i) * size), dst.ptr.add(target(i) * size), size);
    }
}
