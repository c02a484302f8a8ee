//! `thistogram`: how many elements have a byte of at most this value.

use super::index::IndexElem;
use pto_isa::rules::AttrValue;
use pto_vector::elem::by_type;
use pto_vector::{Call, Fault, KernelFn, OpKernel, Prepared, Site, TileRef, WrittenPart, read, write};
use std::marker::PhantomData;

pub(super) const HISTOGRAM: OpKernel = OpKernel::new(&["src", "idx", "dst"], prepare).writing(WrittenPart::Some);

/// Values of a byte.
const BINS: usize = 256;

fn prepare(site: &Site) -> Option<Prepared<3>> {
    let byte = match (site.instance.attr("byte"), site.instance.attr("isMSB")) {
        (Some(AttrValue::Int(byte)), _) => byte as u64,
        (_, Some(AttrValue::Bool(false))) => 0,
        _ => 1,
    };
    let run = by_type!(site.tile("src")?.dtype, E in [U16 U32] => Histogram::<E>::run as KernelFn<3>)?;
    Some(Prepared::of(run, [byte, 0]))
}

struct Histogram<E>(PhantomData<E>);

/// What the more significant bytes must be: one byte per row for u16, one for each byte and all rows for u32.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named must lie inside
/// of them.
unsafe fn wanted<E>(filter: &TileRef, row: usize, above: usize) -> Option<u64> {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        if size_of::<E>() == 2 {
            return if above == 0 { Some(0) } else { (row < filter.rows()).then(|| byte(filter, row)) };
        }
        if filter.rows() < above || above > 0 && filter.cols() == 0 {
            return None;
        }
        Some((0..above).fold(0, |bytes, at| bytes << 8 | byte(filter, at)))
    }
}

/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named must lie inside
/// of them.
unsafe fn byte(filter: &TileRef, row: usize) -> u64 {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe { read::<u8>(filter, row, 0).into() }
}

impl<E: IndexElem> Histogram<E> {
    /// # Safety
    /// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
    unsafe fn run(call: &Call<3>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [src, filter, dst] = call.tiles;
            let chosen = call.imm[0] as usize;
            let above = size_of::<E>() - 1 - chosen.min(size_of::<E>() - 1);
            for r in 0..src.rows().min(dst.rows()) {
                // Without a filter no element passes it.
                let wanted = wanted::<E>(filter, r, above);
                let mut counts = [0u32; BINS];
                for c in 0..src.cols() {
                    let value = read::<E>(src, r, c).number() as u64 >> (8 * chosen);
                    counts[value as usize % BINS] += u32::from(Some(value >> 8) == wanted);
                }
                let mut sum = 0u32;
                for (c, count) in counts.iter().enumerate().take(dst.cols()) {
                    sum += count;
                    write(dst, r, c, sum);
                }
            }
            Ok(())
        }
    }
}
