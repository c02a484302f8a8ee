//! Integers with a scale and an offset for every row.

use pto_num::Level;
use pto_vector::elem::{Elem, by_type};
use pto_vector::{Body, Call, Fault, OpKernel, Prepared, Site, WrittenPart, contiguous, read, write};
use std::marker::PhantomData;

/// `dst = round(src * fp)`, or `round(src * fp + offset)`.
pub(super) const QUANTISE: OpKernel = OpKernel::new(&["src", "fp", "offset", "dst"], |site| {
    let tiles = contiguous(site, &["src", "dst"]);
    Some(match site.attr("quant_type")? {
        "INT8_SYM" => Prepared::new::<Quantise<i8>>(site, tiles),
        "INT8_ASYM" => Prepared::new::<Quantise<u8>>(site, tiles),
        _ => return None,
    })
})
.writing(WrittenPart::Some);

/// `dst = (src - offset) * scale`
pub(super) const DEQUANTISE: OpKernel = OpKernel::new(&["src", "scale", "offset", "dst"], |site: &Site| {
    let tiles = contiguous(site, &["src", "dst"]);
    by_type!(site.tile("src")?.dtype, E in [I8 I16] => Prepared::new::<Dequantise<E>>(site, tiles))
})
.writing(WrittenPart::Some);

/// An integer that numbers are rounded to.
trait QuantCode: Elem {
    /// To nearest even; what is out of range becomes the nearest integer, NaN zero.
    fn round(x: f32) -> Self;
    const HAS_OFFSET: bool;
}

impl QuantCode for i8 {
    #[inline(always)]
    fn round(x: f32) -> Self {
        x.round_ties_even() as Self
    }
    const HAS_OFFSET: bool = false;
}

impl QuantCode for u8 {
    #[inline(always)]
    fn round(x: f32) -> Self {
        x.round_ties_even() as Self
    }
    const HAS_OFFSET: bool = true;
}

struct Quantise<Q>(PhantomData<Q>);

impl<Q: QuantCode> Quantise<Q> {
    #[inline(always)]
    fn one(x: f32, scale: f32, offset: f32) -> Q {
        // Without an offset nothing is added: a sum with zero would do no harm, but take time.
        Q::round(if Q::HAS_OFFSET { x * scale + offset } else { x * scale })
    }

    /// # Safety
    /// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
    #[inline(always)]
    unsafe fn rows(call: &Call<4>, mut row: impl FnMut(usize, f32, f32)) {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [src, scale, offset, _] = call.tiles;
            for r in 0..src.rows() {
                let shift = if Q::HAS_OFFSET { read::<f32>(offset, r, 0) } else { 0.0 };
                row(r, read::<f32>(scale, r, 0), shift);
            }
        }
    }
}

impl<Q: QuantCode> Body<4> for Quantise<Q> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<4>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let [src, _, _, dst] = call.tiles;
            Self::rows(call, |r, scale, offset| {
                let (from, to) = (src.row::<f32>(r), dst.row::<Q>(r));
                for c in 0..src.cols() {
                    to.add(c).write_unaligned(Self::one(from.add(c).read_unaligned(), scale, offset));
                }
            });
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<4>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [src, _, _, dst] = call.tiles;
            Self::rows(call, |r, scale, offset| {
                (0..src.cols()).for_each(|c| write(dst, r, c, Self::one(read(src, r, c), scale, offset)));
            });
            Ok(())
        }
    }
}

struct Dequantise<E>(PhantomData<E>);

impl<E: Elem<Wide = E> + Into<f32>> Dequantise<E> {
    #[inline(always)]
    fn one(x: E, scale: f32, offset: f32) -> f32 {
        (x.into() - offset) * scale
    }
}

impl<E: Elem<Wide = E> + Into<f32>> Body<4> for Dequantise<E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<4>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let [src, scale, offset, dst] = call.tiles;
            for r in 0..src.rows() {
                let (scale, offset) = (read::<f32>(scale, r, 0), read::<f32>(offset, r, 0));
                let (from, to) = (src.row::<E>(r), dst.row::<f32>(r));
                for c in 0..src.cols() {
                    to.add(c).write_unaligned(Self::one(from.add(c).read_unaligned(), scale, offset));
                }
            }
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<4>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [src, scale, offset, dst] = call.tiles;
            for r in 0..src.rows() {
                let (scale, offset) = (read::<f32>(scale, r, 0), read::<f32>(offset, r, 0));
                (0..src.cols()).for_each(|c| write(dst, r, c, Self::one(read(src, r, c), scale, offset)));
            }
            Ok(())
        }
    }
}
