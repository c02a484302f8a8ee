//! Windows of global memory: their layout, their size as a matrix, and where their elements lie.

use super::place::{ElementMap, is_matrix};
use pto_isa::{GlobalLayout, dot};
use pto_vector::{Fault, Site, TileRef, ViewRef};

/// The layout that the transfer itself states, which comes before that of its window: 0 is none.
pub(super) fn stated_layout(site: &Site) -> Option<u64> {
    match site.instance.attr("layout").and_then(|a| a.enum_name()) {
        Some(name) => Some(GlobalLayout::ALL.iter().position(|l| l.name().eq_ignore_ascii_case(name))? as u64 + 1),
        None => Some(0),
    }
}

/// A window with the layout that its transfer states, if it does.
pub(super) fn with_layout(view: &ViewRef, stated: u64) -> ViewRef {
    (stated as usize).checked_sub(1).map_or(*view, |layout| view.with_layout(GlobalLayout::ALL[layout]))
}

/// The window of a transfer with its layout, checked; `None` if the tile is empty, so that there is nothing to move.
pub(super) fn operands(tile: &TileRef, view: &ViewRef, imm: u64, bits: usize) -> Result<Option<ViewRef>, Fault> {
    if tile.rows() == 0 || tile.cols() == 0 {
        return Ok(None);
    }
    let view = with_layout(view, imm & 0xff);
    check(tile, &view, bits)?;
    Ok(Some(view))
}

/// Rows and columns of the matrix in a window.
#[inline(always)]
pub(super) fn size(view: &ViewRef) -> (u64, u64) {
    if is_matrix(view) { (view.shape()[3], view.shape()[4]) } else { size_of_dimensions(view) }
}

#[inline(never)]
fn size_of_dimensions(view: &ViewRef) -> (u64, u64) {
    let product = |dims: &[usize]| dims.iter().fold(1u64, |n, d| n.saturating_mul(view.shape()[*d]));
    let (rows, cols): (&[usize], &[usize]) = match view.layout() {
        GlobalLayout::Nd => (&[0, 1, 2, 3], &[4]),
        GlobalLayout::Dn => (&[3], &[0, 1, 2, 4]),
        GlobalLayout::Nz => (&[2, 3], &[0, 1, 4]),
        GlobalLayout::MxAZz => (&[1, 3], &[2, 4]),
        GlobalLayout::MxAnd => (&[2], &[3, 4]),
        GlobalLayout::MxAdn => (&[3], &[2, 4]),
        GlobalLayout::MxBnn => (&[2, 4], &[1, 3]),
        GlobalLayout::MxBnd => (&[2, 4], &[3]),
        GlobalLayout::MxBdn => (&[3, 4], &[2]),
        GlobalLayout::Nc1hwc0 => (&[0, 2, 3], &[1, 4]),
    };
    (product(rows), product(cols))
}

/// The valid region lies in the window, and what it touches in the buffer.
pub(crate) fn check(tile: &TileRef, view: &ViewRef, bits: usize) -> Result<(), Fault> {
    let window = size(view);
    if tile.rows() as u64 > window.0 || tile.cols() as u64 > window.1 {
        return Err(Fault::WindowMismatch { tile: (tile.rows(), tile.cols()), window });
    }
    check_bytes(view, tile.rows(), tile.cols(), bits)
}

/// The first rows and columns of a window lie in its buffer.
pub(super) fn check_bytes(view: &ViewRef, rows: usize, cols: usize, bits: usize) -> Result<(), Fault> {
    let place = ElementMap::of_view(view);
    let elements = place.rows.last(rows) + place.cols.last(cols) + 1;
    let first = i128::from(view.first());
    let end = i128::try_from((elements * bits as u128).div_ceil(8)).map_or(i128::MAX, |bytes| first + bytes);
    if first < 0 || end > view.bytes() as i128 {
        return Err(Fault::OutsideBuffer { first, end, bytes: view.bytes() });
    }
    Ok(())
}

/// The place of element `[r, c]` in the window, in elements: the definition that [`ElementMap`] must agree with.
pub(super) fn map(view: &ViewRef, r: usize, c: usize) -> usize {
    let index = view.layout().index(r as u64, c as u64, view.shape());
    dot(index, view.strides().map(|s| s as u64)) as usize
}
