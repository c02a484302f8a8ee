//! `tscatter`: elements distributed by number or by pattern.

use super::gather::bits_of;
use super::index::{IndexElem, NumberedTile, common, extent, in_range};
use super::pattern;
use pto_vector::elem::{Elem, by_type};
use pto_vector::{Call, Fault, KernelFn, Numerics, OpKernel, Prepared, Site, WrittenPart, read};
use std::marker::PhantomData;

pub(super) const SCATTER: OpKernel = OpKernel::new(&["src", "dst", "indexes"], prepare).writing(WrittenPart::Some);

fn prepare(site: &Site) -> Option<Prepared<3>> {
    if site.instance.given("maskPattern") {
        return pattern::prepare_scatter(site);
    }
    let clears = site.numerics != Numerics::Reference;
    let run = by_type!(bits_of(site.tile("src")?)?, E in [U8 U16 U32 U64] =>
        by_type!(site.tile("indexes")?.dtype, I in [I16 U16 I32 U32] => ScatterByIndex::<E, I>::run as KernelFn<3>)?)?;
    Some(Prepared::of(run, [extent(site.tile("dst")?), u64::from(clears)]))
}

/// `dst[indexes[r, c]] = src[r, c]`, row by row: the last of several wins.
struct ScatterByIndex<E, I>(PhantomData<(E, I)>);

impl<E: Elem, I: IndexElem> ScatterByIndex<E, I> {
    /// # Safety
    /// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
    unsafe fn run(call: &Call<3>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [src, dst, indexes] = call.tiles;
            let [extent, clears] = call.imm;
            let to = NumberedTile::new(dst, extent);
            let (rows, cols) = common(src, indexes);
            in_range::<I>(indexes, (rows, cols), to.count())?;
            let out = dst.ptr().cast::<E>();
            if clears == 1 {
                (0..to.count()).for_each(|number| out.add(to.place(number)).write_unaligned(E::scalar(0)));
            }
            for r in 0..rows {
                for c in 0..cols {
                    let number = read::<I>(indexes, r, c).number() as usize;
                    out.add(to.place(number)).write_unaligned(read::<E>(src, r, c));
                }
            }
            Ok(())
        }
    }
}
