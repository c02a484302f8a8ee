//! Moves of tiles and of windows of tiles between on-chip memories.
//!
//! A move copies element `[r, c]`, wherever the two layouts put it; see [`blocks`]. What leaves the accumulator is converted on the way; see
//! [`fixpipe`](super::fixpipe).

mod zz;

use super::place::{Place, Region};
use super::transpose::turn_tile_of_bytes;
use super::{blocks, fixpipe, nibbles};
use pto_isa::{DType, Loc, Order, TileType};
use pto_num::{Bf16, F16, Level};
use pto_vector::{Body, Call, Fault, Kernel, Prepared, Site, TileRef};

/// The operands of all moves. Those that an instruction does not have are absent, or 0.
const TILES: &[&str; 3] = &["src", "dst", "fp"];
const SCALARS: &[&str; 3] = &["index_row", "index_col", "pre_quant"];

/// A call of a move.
pub(super) type MoveCall<'a> = Call<'a, 3, 0, 3>;

/// `tmov`: `dst[r,c] = src[r,c]` where both are valid.
pub(super) const MOVE: Kernel = Kernel::taking(TILES, &[], SCALARS, |site| prepare(site, Kind::Whole));

/// `textract`: the window of `src` that `dst` has room for.
pub(super) const EXTRACT: Kernel = Kernel::taking(TILES, &[], SCALARS, |site| prepare(site, Kind::Extract));

/// `tinsert`: `src` into a window of `dst`.
pub(super) const INSERT: Kernel = Kernel::taking(TILES, &[], SCALARS, |site| prepare(site, Kind::Insert));

/// Which part of which tile is moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Kind {
    /// The valid region that both have.
    Whole,
    /// The valid region of the destination, from a window of the source.
    Extract,
    /// The valid region of the source, into a window of the destination.
    Insert,
}

impl Kind {
    pub(super) const ALL: [Self; 3] = [Self::Whole, Self::Extract, Self::Insert];
}

impl Region {
    /// What a call moves. The rules of the instruction keep windows inside tiles.
    pub fn of(call: &MoveCall, kind: Kind) -> Self {
        let ([src, dst, _], [row, col, _]) = (call.tiles, call.scalars);
        let at = (*row as usize, *col as usize);
        match kind {
            Kind::Whole => {
                Self { rows: src.rows().min(dst.rows()), cols: src.cols().min(dst.cols()), from: (0, 0), to: (0, 0) }
            }
            Kind::Extract => Self { rows: dst.rows(), cols: dst.cols(), from: at, to: (0, 0) },
            Kind::Insert => Self { rows: src.rows(), cols: src.cols(), from: (0, 0), to: at },
        }
    }
}

fn prepare(site: &Site, kind: Kind) -> Option<Prepared<3, 0, 3>> {
    let (src, dst) = (site.tile("src")?, site.tile("dst")?);
    if src.loc == Loc::Acc {
        return fixpipe::prepare_move(site, kind);
    }
    if site.tile("fp").is_some_and(|t| t.loc == Loc::Vec) {
        return zz::prepare(site);
    }
    if dst.loc == Loc::Bias && src.dtype != dst.dtype {
        return Some(Prepared { run: widen, imm: [src.dtype as u64, kind as u64] });
    }
    if has_nibbles(src) {
        return Some(nibbles::prepare_move(site, src, dst, kind));
    }
    let bits = src.dtype.bits();
    let same = bits == dst.dtype.bits() && bits >= 8;
    let whole = same && kind == Kind::Whole && (src.rows, src.cols) == (dst.rows, dst.cols);
    let code = if whole && has_same_layout(src, dst) {
        Prepared::new::<WholeTile<false>>(site, true)
    } else if whole && bits == 8 && is_turned_by_boxes(src, dst) {
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

fn kind(call: &MoveCall) -> Kind {
    Kind::ALL[call.imm[1] as usize]
}

/// Two boxes of bytes below each other become two side by side, all over both tiles.
fn is_turned_by_boxes(src: &TileType, dst: &TileType) -> bool {
    let boxes = (src.order(), src.fractal, dst.order(), dst.fractal) == (Order::Nz, 512, Order::Zn, 512);
    boxes && src.rows.is_multiple_of(32) && src.cols.is_multiple_of(32)
}

/// Every element has the same place in both tiles.
fn has_same_layout(src: &TileType, dst: &TileType) -> bool {
    let layout = |t: &TileType| (t.blayout, t.slayout, t.is_boxed().then_some(t.box_shape()), t.bytes());
    layout(src) == layout(dst)
}

/// A move of all of a tile, byte by byte, or `TURNED` by boxes: there is nothing to find out about places.
struct WholeTile<const TURNED: bool>;

impl<const TURNED: bool> Body<3, 0, 3> for WholeTile<TURNED> {
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
            if TURNED {
                turn_tile_of_bytes::<L>(src.ptr(), dst.ptr(), src.rows(), src.cols());
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
            let (region, [src, dst, _]) = (Region::of(call, kind(call)), call.tiles);
            match (Place::of_tile(src), Place::of_tile(dst)) {
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
            let region = Region::of(call, kind(call));
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
unsafe fn each<T: Copy>(call: &MoveCall, region: Region) {
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

/// True when the memories of two tiles share bytes.
pub(super) fn overlap(a: &TileRef, b: &TileRef) -> bool {
    let bytes = |t: &TileRef| t.geometry().bytes() as usize;
    let (x, y) = (a.ptr() as usize, b.ptr() as usize);
    x < y + bytes(b) && y < x + bytes(a)
}

/// Half-width biases become f32.
///
/// # Safety
/// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
unsafe fn widen(call: &MoveCall) -> Result<(), Fault> {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        let (region, [src, dst, _]) = (Region::of(call, kind(call)), call.tiles);
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
