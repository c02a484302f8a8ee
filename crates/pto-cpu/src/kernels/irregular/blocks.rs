//! `tgatherb`: blocks of 32 bytes by byte offset.

use super::gather::bits_of;
use super::index::{IndexElem, NumberedTile, extent};
use pto_vector::elem::{Elem, by_type};
use pto_vector::{Call, Fault, KernelFn, OpKernel, Prepared, Site, TileRef, WrittenPart, read, write};
use std::marker::PhantomData;

pub(super) const GATHER_BLOCKS: OpKernel =
    OpKernel::new(&["src", "offsets", "dst"], prepare).writing(WrittenPart::Some);

/// Bytes of a block.
const BLOCK: usize = 32;

fn prepare(site: &Site) -> Option<Prepared<3>> {
    let src = site.tile("src")?;
    let run = by_type!(bits_of(site.tile("dst")?)?, E in [U8 U16 U32 U64] =>
        by_type!(site.tile("offsets")?.dtype, I in [U32 I32] => Blocks::<E, I>::run as KernelFn<3>)?)?;
    Some(Prepared::of(run, [extent(src), u64::from(src.dtype.unit_bytes())]))
}

/// Element `c` of a row comes from block `c * size / 32`, where there is an offset for it.
struct Blocks<E, I>(PhantomData<(E, I)>);

impl<E: Elem, I: IndexElem> Blocks<E, I> {
    const PER_BLOCK: usize = BLOCK / size_of::<E>();

    /// Every block that is wanted lies in the source.
    ///
    /// # Safety
    /// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named lie
    /// inside of them.
    unsafe fn check(offsets: &TileRef, rows: usize, cols: usize, bytes: usize) -> Result<(), Fault> {
        // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
        unsafe {
            for row in 0..rows {
                for col in 0..cols.div_ceil(Self::PER_BLOCK) {
                    let offset = read::<I>(offsets, row, col).number();
                    let wanted = (cols - col * Self::PER_BLOCK).min(Self::PER_BLOCK) * size_of::<E>();
                    if offset < 0 || offset as usize + wanted > bytes {
                        let limit = (bytes + 1).saturating_sub(wanted) as u64;
                        return Err(Fault::IndexOutOfRange { row, col, index: offset, limit });
                    }
                }
            }
            Ok(())
        }
    }

    /// # Safety
    /// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
    unsafe fn run(call: &Call<3>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [src, offsets, dst] = call.tiles;
            let [extent, size] = call.imm;
            let bytes = NumberedTile::new(src, extent).bytes(size as usize);
            let rows = dst.rows().min(offsets.rows());
            let cols = dst.cols().min(offsets.cols() * Self::PER_BLOCK);
            Self::check(offsets, rows, cols, bytes)?;
            for r in 0..rows {
                for c in 0..cols {
                    let offset = read::<I>(offsets, r, c / Self::PER_BLOCK).number() as usize;
                    let from = src.ptr().add(offset + c % Self::PER_BLOCK * size_of::<E>());
                    write(dst, r, c, from.cast::<E>().read_unaligned());
                }
            }
            Ok(())
        }
    }
}
