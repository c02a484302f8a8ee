//! Exponents of an MX quantisation, laid out for the cube: boxes of 16 rows and 2 columns, row after row.

use super::super::moved::MoveCall;
use pto_vector::{Fault, Prepared, Site, TileRef};

pub fn prepare(site: &Site) -> Option<Prepared<3, 0, 3>> {
    let along_rows = site.attr("grpAxis") == Some("axis0");
    Some(Prepared::of(run, [u64::from(along_rows), 0]))
}

/// # Safety
/// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
unsafe fn run(call: &MoveCall) -> Result<(), Fault> {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        let [src, dst, _] = call.tiles;
        if call.imm[0] == 1 {
            by_columns(src, dst);
        } else {
            by_rows(src, dst);
        }
        Ok(())
    }
}

/// The exponents in the order of the source's rows are the rows of the destination.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named must lie inside
/// of them.
unsafe fn by_rows(src: &TileRef, dst: &TileRef) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        let room = bytes(dst);
        for at in 0..(src.rows() * src.cols()).min(dst.rows() * dst.cols()) {
            let (r, c) = (at / dst.cols(), at % dst.cols());
            let place = r / 16 * 16 * dst.cols() + c / 2 * 32 + r % 16 * 2 + c % 2;
            if place < room {
                dst.ptr().add(place).write(src.ptr().add(src.index(at / src.cols(), at % src.cols())).read());
            }
        }
    }
}

/// A row of the source belongs to a group of rows: it becomes a column, 16 of its elements to a box.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named must lie inside
/// of them.
unsafe fn by_columns(src: &TileRef, dst: &TileRef) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        let room = bytes(dst);
        for r in 0..src.rows() {
            for c in 0..src.cols() {
                let place = (c / 16 * (src.rows() / 2) + r / 2) * 32 + c % 16 * 2 + r % 2;
                if place < room {
                    dst.ptr().add(place).write(src.ptr().add(src.index(r, c)).read());
                }
            }
        }
    }
}

/// What the destination has room for.
fn bytes(tile: &TileRef) -> usize {
    tile.geometry().bytes() as usize
}
