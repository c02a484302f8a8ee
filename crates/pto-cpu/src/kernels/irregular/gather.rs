//! `tgather`: elements chosen by number, by pattern, or by comparison.

use super::index::{IndexElem, NumberedTile, common, extent, in_range};
use super::pattern;
use pto_isa::rules::AttrValue;
use pto_isa::{DType, TileType};
use pto_vector::elem::{Elem, by_type};
use pto_vector::{Call, Fault, KernelFn, OpKernel, Prepared, Site, TileRef, WrittenPart, read, write};
use std::marker::PhantomData;

pub(super) const GATHER: OpKernel =
    OpKernel::taking(&["src", "indices", "dst", "cdst"], &[], &["k_value"], prepare).writing(WrittenPart::Some);

fn prepare(site: &Site) -> Option<Prepared<4, 0, 1>> {
    if site.instance.given("maskPattern") {
        return pattern::prepare_gather(site);
    }
    let src = site.tile("src")?;
    match site.tile("indices") {
        Some(indices) => by_index(src, indices),
        None => by_comparison(site, src),
    }
}

/// The unsigned integer as wide as a column: what is copied as a whole.
pub(super) fn bits_of(ty: &TileType) -> Option<DType> {
    match ty.dtype.column_bits() {
        8 => Some(DType::U8),
        16 => Some(DType::U16),
        32 => Some(DType::U32),
        64 => Some(DType::U64),
        _ => None,
    }
}

fn by_index(src: &TileType, indices: &TileType) -> Option<Prepared<4, 0, 1>> {
    let run = by_type!(bits_of(src)?, E in [U8 U16 U32 U64] =>
        by_type!(indices.dtype, I in [I16 U16 I32 U32] => GatherByIndex::<E, I>::run as KernelFn<4, 0, 1>)?)?;
    Some(Prepared::of(run, [extent(src), 0]))
}

/// `dst[r, c] = src[indices[r, c]]`, where there is an index.
struct GatherByIndex<E, I>(PhantomData<(E, I)>);

impl<E: Elem, I: IndexElem> GatherByIndex<E, I> {
    /// # Safety
    /// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
    unsafe fn run(call: &Call<4, 0, 1>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [src, indices, dst, _] = call.tiles;
            let from = NumberedTile::new(src, call.imm[0]);
            let (rows, cols) = common(indices, dst);
            in_range::<I>(indices, (rows, cols), from.count())?;
            for r in 0..rows {
                for c in 0..cols {
                    let place = from.place(read::<I>(indices, r, c).number() as usize);
                    write(dst, r, c, src.ptr().cast::<E>().add(place).read_unaligned());
                }
            }
            Ok(())
        }
    }
}

fn by_comparison(site: &Site, src: &TileType) -> Option<Prepared<4, 0, 1>> {
    let greater = site.attr("cmpMode") == Some("gt");
    let offset = match site.instance.attr("offset") {
        Some(AttrValue::Int(n)) => n as u32,
        _ => 0,
    };
    let run = by_type!(src.dtype, E in [I8 U8 I16 U16 I32 U32 F16 F32] => match greater {
        true => ByComparison::<E, true>::run as KernelFn<4, 0, 1>,
        false => ByComparison::<E, false>::run as KernelFn<4, 0, 1>,
    })?;
    Some(Prepared::of(run, [extent(src), offset.into()]))
}

/// The numbers of the elements of a row that are equal to, or greater than, the scalar.
struct ByComparison<E, const GREATER: bool>(PhantomData<E>);

impl<E: Elem, const GREATER: bool> ByComparison<E, GREATER> {
    /// # Safety
    /// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
    unsafe fn run(call: &Call<4, 0, 1>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let ([src, _, dst, counts], [k]) = (call.tiles, call.scalars);
            let k = E::scalar(*k).widen();
            let columns = call.imm[0] as u32;
            for r in 0..src.rows() {
                let mut found = 0;
                for c in 0..src.cols() {
                    let x = read::<E>(src, r, c).widen();
                    if if GREATER { x > k } else { x == k } {
                        let position = (r as u32).wrapping_mul(columns).wrapping_add(c as u32);
                        if r < dst.rows() && found < dst.cols() {
                            write(dst, r, found, position.wrapping_add(call.imm[1] as u32));
                        }
                        found += 1;
                    }
                }
                count_row(counts, r, found as u32);
            }
            Ok(())
        }
    }
}

/// The elements of `counts` are those of its valid region, row by row.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named must lie inside
/// of them.
unsafe fn count_row(counts: &TileRef, row: usize, found: u32) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        if row < counts.rows() * counts.cols() {
            write(counts, row / counts.cols(), row % counts.cols(), found);
        }
    }
}
