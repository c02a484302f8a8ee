//! Transfers and moves of numbers of four bits, two in a byte, the lower half first.

mod copy;
mod squares;

use super::moved::{MoveCall, MoveKind};
use super::packed::{get, put};
use super::padding;
use super::place::{CopyRegion, ElementMap, overlap};
use super::window::{map, operands};
use pto_isa::{Loc, TileType};
use pto_num::Level;
use pto_vector::{Body, Call, Fault, Prepared, Site, TileRef, ViewRef};

/// # Safety
/// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
pub(super) unsafe fn load(call: &Call<1, 1>) -> Result<(), Fault> {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        let ([tile], [view]) = (call.tiles, call.views);
        transfer::<true>(tile, view, call.imm[0])
    }
}

/// # Safety
/// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
pub(super) unsafe fn store(call: &Call<2, 1, 2>) -> Result<(), Fault> {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        let ([tile, _], [view]) = (call.tiles, call.views);
        transfer::<false>(tile, view, call.imm[0])
    }
}

/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named must lie inside
/// of them.
unsafe fn transfer<const LOAD: bool>(tile: &TileRef, view: &ViewRef, layout: u64) -> Result<(), Fault> {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        let Some(view) = operands(tile, view, layout, 4)? else { return Ok(()) };
        let global = view.start();
        for r in 0..tile.rows() {
            for c in 0..tile.cols() {
                // Every row starts at a byte, at a distance of as many bytes as there are columns.
                let (inside, outside) = (2 * r * tile.row_stride() + c, map(&view, r, c));
                if LOAD {
                    put(tile.ptr(), inside, get(global, outside));
                } else {
                    put(global, outside, get(tile.ptr(), inside));
                }
            }
        }
        Ok(())
    }
}

/// Loads numbers that are columns of their own in a memory of the cube, and in the window too.
pub(super) fn prepare_load(site: &Site, layout: u64) -> Prepared<1, 1> {
    Prepared::new::<TransferNumbers<true>>(site, true).with([layout, 0])
}

/// Stores such numbers.
pub(super) fn prepare_store(site: &Site, layout: u64) -> Prepared<2, 1, 2> {
    Prepared::new::<TransferNumbers<false>>(site, true).with([layout, 0])
}

/// Moves numbers. A column of a tile in the vector memory is a pair of them.
pub(super) fn prepare_move(site: &Site, src: &TileType, dst: &TileType, kind: MoveKind) -> Prepared<3, 0, 3> {
    let pairs = |t: &TileType| u64::from(t.loc == Loc::Vec);
    Prepared::new::<MoveNumbers>(site, true).with([pairs(src) | pairs(dst) << 1, kind as u64])
}

/// A load, or a store.
struct TransferNumbers<const LOAD: bool>;

impl Body<1, 1> for TransferNumbers<true> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<1, 1>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe { Self::quickly::<L>(&call.tiles[0], &call.views[0], call.imm[0]) }
    }

    unsafe fn plain(call: &Call<1, 1>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe { Self::plainly(&call.tiles[0], &call.views[0], call.imm[0]) }
    }
}

impl Body<2, 1, 2> for TransferNumbers<false> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<2, 1, 2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe { Self::quickly::<L>(&call.tiles[0], &call.views[0], call.imm[0]) }
    }

    unsafe fn plain(call: &Call<2, 1, 2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe { Self::plainly(&call.tiles[0], &call.views[0], call.imm[0]) }
    }
}

impl<const LOAD: bool> TransferNumbers<LOAD> {
    /// # Safety
    /// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named lie
    /// inside of them; the processor must have the instructions of this level.
    #[inline(always)]
    unsafe fn quickly<L: Level>(tile: &TileRef, window: &ViewRef, layout: u64) -> Result<(), Fault> {
        // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them; the processor
        // has the instructions of this level.
        unsafe {
            let Some(view) = operands(tile, window, layout, 4)? else { return Ok(()) };
            let Some(inside) = ElementMap::of_tile(tile) else { return Self::plainly(tile, window, layout) };
            let outside = ElementMap::of_view(&view);
            let (from, to) = if LOAD { (outside, inside) } else { (inside, outside) };
            if !copy::copy::<L>(
                &from,
                &to,
                CopyRegion { rows: tile.rows(), cols: tile.cols(), from: (0, 0), to: (0, 0) },
            ) {
                return Self::plainly(tile, window, layout);
            }
            if LOAD {
                padding::after_load(tile, view.layout());
            }
            Ok(())
        }
    }

    /// # Safety
    /// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named lie
    /// inside of them.
    unsafe fn plainly(tile: &TileRef, window: &ViewRef, layout: u64) -> Result<(), Fault> {
        // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
        unsafe {
            let Some(view) = operands(tile, window, layout, 4)? else { return Ok(()) };
            let global = view.start();
            for (r, c) in places(tile.rows(), tile.cols()) {
                let (inside, outside) = (tile.index(r, c), map(&view, r, c));
                if LOAD {
                    put(tile.ptr(), inside, get(global, outside));
                } else {
                    put(global, outside, get(tile.ptr(), inside));
                }
            }
            if LOAD {
                padding::after_load(tile, view.layout());
            }
            Ok(())
        }
    }
}

struct MoveNumbers;

/// One of the two tiles of a move.
struct MoveSide<'a> {
    tile: &'a TileRef<'a>,
    /// Its columns are pairs.
    pairs: bool,
}

impl MoveSide<'_> {
    /// Where its numbers lie.
    #[inline(always)]
    fn place(&self) -> Option<ElementMap> {
        let place = ElementMap::of_tile(self.tile)?;
        Some(if self.pairs {
            ElementMap { rows: place.rows.doubled(), cols: place.cols.split(), ..place }
        } else {
            place
        })
    }

    fn first(&self, (row, col): (usize, usize)) -> (usize, usize) {
        (row, if self.pairs { 2 * col } else { col })
    }

    fn index(&self, row: usize, number: usize) -> usize {
        if self.pairs { 2 * self.tile.index(row, number / 2) + number % 2 } else { self.tile.index(row, number) }
    }
}

/// What a call moves, in numbers.
fn moved<'a>(call: &MoveCall<'a>) -> (MoveSide<'a>, MoveSide<'a>, CopyRegion) {
    let kind = MoveKind::of(call);
    let (region, [src, dst, _]) = (CopyRegion::of(call, kind), call.tiles);
    let src = MoveSide { tile: src, pairs: call.imm[0] & 1 == 1 };
    let dst = MoveSide { tile: dst, pairs: call.imm[0] >> 1 == 1 };
    let (src_cols, dst_cols) = (src.first((0, src.tile.cols())).1, dst.first((0, dst.tile.cols())).1);
    let cols = match kind {
        MoveKind::Whole => src_cols.min(dst_cols),
        MoveKind::Extract => dst_cols,
        MoveKind::Insert => src_cols,
    };
    let region = CopyRegion { cols, from: src.first(region.from), to: dst.first(region.to), ..region };
    (src, dst, region)
}

impl Body<3, 0, 3> for MoveNumbers {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &MoveCall) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let (src, dst, region) = moved(call);
            let is_copied = match (src.place(), dst.place()) {
                // What overlaps is moved in one order only.
                (Some(from), Some(to)) if !overlap(src.tile, dst.tile) => copy::copy::<L>(&from, &to, region),
                _ => false,
            };
            if is_copied { Ok(()) } else { Self::plain(call) }
        }
    }

    unsafe fn plain(call: &MoveCall) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let (src, dst, region) = moved(call);
            for (r, n) in places(region.rows, region.cols) {
                let from = src.index(region.from.0 + r, region.from.1 + n);
                let to = dst.index(region.to.0 + r, region.to.1 + n);
                put(dst.tile.ptr(), to, get(src.tile.ptr(), from));
            }
            Ok(())
        }
    }
}

fn places(rows: usize, cols: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows).flat_map(move |r| (0..cols).map(move |c| (r, c)))
}
