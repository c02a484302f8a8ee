//! Moves of tiles and of windows of tiles between on-chip memories.
//!
//! A move copies element `[r, c]`, wherever the two layouts put it; see [`blocks`]. What leaves the accumulator is converted on the way; see
//! [`fixpipe`](super::fixpipe).

mod zz;

use super::moved::{MoveCall, MoveKind};
use super::place::{CopyRegion, ElementMap, overlap};
use super::transpose::transpose_tile_of_bytes;
use super::{blocks, fixpipe, nibbles};
use pto_isa::{DType, Loc, Order, Pad, TileType};
use pto_num::{Bf16, F16, Level};
use pto_vector::{Body, FactorUse, Fault, OpKernel, Prepared, Site, TileRef, WrittenPart};

/// The operands of all moves. Those that an instruction does not have are absent, or 0.
const TILES: &[&str; 3] = &["src", "dst", "fp"];
const SCALARS: &[&str; 3] = &["index_row", "index_col", "pre_quant"];

/// `tmov`: `dst[r,c] = src[r,c]` where both are valid.
pub(super) const MOVE: OpKernel = OpKernel::taking(TILES, &[], SCALARS, |site| prepare(site, MoveKind::Whole))
    .factors(FactorUse::Moves)
    .writing(WrittenPart::WhereSource);

/// `textract`: the window of `src` that `dst` has room for.
pub(super) const EXTRACT: OpKernel = OpKernel::taking(TILES, &[], SCALARS, |site| prepare(site, MoveKind::Extract))
    .factors(FactorUse::Moves)
    .writing(WrittenPart::WhereSource);

/// `tinsert`: `src` into a window of `dst`.
pub(super) const INSERT: OpKernel = OpKernel::taking(TILES, &[], SCALARS, |site| prepare(site, MoveKind::Insert));

/// True when factors may be moved from a tile of this type, and a load only changes what is valid.
pub(crate) fn holds_factor(tile: &TileType) -> bool {
    let in_boxes = tile.loc == Loc::Mat && tile.fractal == 512 && tile.is_boxed();
    in_boxes && tile.pad == Pad::Null && matches!(tile.dtype, DType::F32 | DType::F16 | DType::Bf16 | DType::I8)
}

/// True when products take a factor as well from where it is moved from, in tiles of these types.
pub(crate) fn keeps_factor(src: &TileType, dst: &TileType) -> bool {
    let is_kept = matches!(src.dtype, DType::F32 | DType::F16 | DType::Bf16 | DType::I8) && src.dtype == dst.dtype;
    let in_boxes = src.loc == Loc::Mat && src.fractal == 512 && src.rows.is_multiple_of(src.box_shape().0.max(16));
    is_kept
        && in_boxes
        && match dst.loc {
            Loc::Left => matches!(src.order(), Order::Nz | Order::Zz),
            Loc::Right => matches!(src.order(), Order::Nz | Order::Zn),
            _ => false,
        }
}

/// A factor where it is moved from.
pub(crate) struct MovedFactor<'a>(pub TileRef<'a>);

impl<'a> MovedFactor<'a> {
    /// The part of the source that becomes the valid region of the destination; `None` if that is not a matrix of whole boxes, or more
    /// than what is valid of the source.
    pub fn of(tiles: &[TileRef<'a>], scalars: &[u64]) -> Option<Self> {
        let [src, dst, _] = tiles else { return None };
        let [row, col, _] = *scalars else { return None };
        let (row, col) = (usize::try_from(row).ok()?, usize::try_from(col).ok()?);
        let is_there = dst.rows() > 0
            && dst.cols() > 0
            && row.checked_add(dst.rows()).is_some_and(|end| end <= src.rows())
            && col.checked_add(dst.cols()).is_some_and(|end| end <= src.cols());
        if !is_there || overlap(src, dst) {
            return None;
        }
        let map = ElementMap::of_tile(src)?;
        let part = map.part((row, col), src.geometry().dtype.unit_bytes() as usize)?;
        let bytes = part.start.addr() - src.ptr().addr();
        // SAFETY: the region lies in the valid region of the source, and rows and columns go on from there as they do from the start. The
        // rules keep the whole destination, which is made of whole boxes, inside of the source: so does what products read with the region.
        Some(Self(unsafe { src.after(bytes).with_region((dst.rows(), dst.cols())) }))
    }
}

fn prepare(site: &Site, kind: MoveKind) -> Option<Prepared<3, 0, 3>> {
    let (src, dst) = (site.tile("src")?, site.tile("dst")?);
    if src.loc == Loc::Acc {
        return fixpipe::prepare_move(site, kind);
    }
    if site.tile("fp").is_some_and(|t| t.loc == Loc::Vec) {
        return zz::prepare(site);
    }
    if dst.loc == Loc::Bias && src.dtype != dst.dtype {
        return Some(Prepared::of(widen, [src.dtype as u64, kind as u64]));
    }
    if has_nibbles(src) {
        return Some(nibbles::prepare_move(site, src, dst, kind));
    }
    let bits = src.dtype.bits();
    let same = bits == dst.dtype.bits() && bits >= 8;
    let whole = same && kind == MoveKind::Whole && (src.rows, src.cols) == (dst.rows, dst.cols);
    let code = if whole && has_same_layout(src, dst) {
        Prepared::new::<WholeTile<false>>(site, true)
    } else if whole && bits == 8 && is_transposed_by_boxes(src, dst) {
        Prepared::new::<WholeTile<true>>(site, true)
    } else {
        Prepared::new::<Move>(site, true)
    };
    same.then(|| code.with([u64::from(bits), kind as u64]))
}

/// Columns are numbers of four bits in one of the two tiles at least. Pairs that stay pairs are bytes.
fn has_nibbles(src: &TileType) -> bool {
    matches!(src.dtype, DType::F4E1M2 | DType::F4E2M1 | DType::I4)
}

/// Two boxes of bytes below each other become two side by side, all over both tiles.
fn is_transposed_by_boxes(src: &TileType, dst: &TileType) -> bool {
    let boxes = (src.order(), src.fractal, dst.order(), dst.fractal) == (Order::Nz, 512, Order::Zn, 512);
    boxes && src.rows.is_multiple_of(32) && src.cols.is_multiple_of(32)
}

/// Every element has the same place in both tiles.
fn has_same_layout(src: &TileType, dst: &TileType) -> bool {
    let layout = |t: &TileType| (t.blayout, t.slayout, t.is_boxed().then_some(t.box_shape()), t.bytes());
    layout(src) == layout(dst)
}

/// A move of all of a tile, byte by byte, or `TRANSPOSED` by boxes: there is nothing to find out about places.
struct WholeTile<const TRANSPOSED: bool>;

impl<const TRANSPOSED: bool> Body<3, 0, 3> for WholeTile<TRANSPOSED> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &MoveCall) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let [src, dst, _] = call.tiles;
            // A window has the geometry of its whole tile.
            let whole = |t: &TileRef| (t.rows() as u64, t.cols() as u64) == (t.geometry().rows, t.geometry().cols);
            if !whole(src) || !whole(dst) || overlap(src, dst) {
                // A call, so that what is rare does not make this slower.
                return Prepared::fast::<Move>(L::CPU)(call);
            }
            if TRANSPOSED {
                transpose_tile_of_bytes::<L>(src.ptr(), dst.ptr(), src.rows(), src.cols());
            } else {
                std::ptr::copy_nonoverlapping(src.ptr(), dst.ptr(), src.geometry().bytes() as usize);
            }
            Ok(())
        }
    }

    unsafe fn plain(call: &MoveCall) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe { Move::plain(call) }
    }
}

struct Move;

impl Body<3, 0, 3> for Move {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &MoveCall) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let (region, [src, dst, _]) = (CopyRegion::of(call, MoveKind::of(call)), call.tiles);
            match (ElementMap::of_tile(src), ElementMap::of_tile(dst)) {
                // What overlaps is moved in one order only.
                (Some(from), Some(to)) if !overlap(src, dst) => {
                    blocks::copy_region::<L>(&from, &to, region, call.imm[0] as usize / 8);
                    Ok(())
                }
                _ => Self::plain(call),
            }
        }
    }

    unsafe fn plain(call: &MoveCall) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let region = CopyRegion::of(call, MoveKind::of(call));
            match call.imm[0] {
                8 => each::<u8>(call, region),
                16 => each::<u16>(call, region),
                32 => each::<u32>(call, region),
                _ => each::<u64>(call, region),
            }
            Ok(())
        }
    }
}

/// Element by element, row by row.
///
/// # Safety
/// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
unsafe fn each<T: Copy>(call: &MoveCall, region: CopyRegion) {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        let [src, dst, _] = call.tiles;
        for r in 0..region.rows {
            for c in 0..region.cols {
                let from = src.index(region.from.0 + r, region.from.1 + c);
                let to = dst.index(region.to.0 + r, region.to.1 + c);
                let value = src.ptr().cast::<T>().add(from).read_unaligned();
                dst.ptr().cast::<T>().add(to).write_unaligned(value);
            }
        }
    }
}

/// Half-width biases become f32.
///
/// # Safety
/// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
unsafe fn widen(call: &MoveCall) -> Result<(), Fault> {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        let (region, [src, dst, _]) = (CopyRegion::of(call, MoveKind::of(call)), call.tiles);
        for r in 0..region.rows {
            for c in 0..region.cols {
                let from = src.index(region.from.0 + r, region.from.1 + c);
                let bits = src.ptr().cast::<u16>().add(from).read_unaligned();
                let value = if call.imm[0] == DType::F16 as u64 { F16(bits).to_f32() } else { Bf16(bits).to_f32() };
                let to = dst.index(region.to.0 + r, region.to.1 + c);
                dst.ptr().cast::<f32>().add(to).write_unaligned(value);
            }
        }
        Ok(())
    }
}
