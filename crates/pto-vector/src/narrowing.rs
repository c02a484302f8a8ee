//! Two sources, ReLU, and a result of another element type.

use super::call::{Body, Call, Fault};
use super::elem::Elem;
use super::map::{each, read, write};
use super::ops::relu;
use super::pairwise::{Pairwise, rounded};
use super::rows::{Lanes, fill, joined, load_some};
use pto_num::{Baseline, F16, Level};
use std::marker::PhantomData;

/// The largest finite value of half precision.
const F16_MAX: f32 = 65504.0;

/// A sum or difference, already rounded to `A`, becomes a `D`: not below zero, to nearest even, at most the largest
/// finite value.
pub trait ReluInto<D: Elem>: Elem {
    /// The conversion.
    fn relu_into(wide: Self::Wide) -> D::Wide;
}

impl ReluInto<F16> for f32 {
    #[inline(always)]
    fn relu_into(wide: f32) -> f32 {
        finite(relu(wide))
    }
}

impl ReluInto<i8> for F16 {
    #[inline(always)]
    fn relu_into(wide: f32) -> i8 {
        // NaN fails the first comparison and becomes 0. At 2^23 the last bit of a number is worth 1.
        let inside = if wide > 0.0 { wide } else { 0.0 };
        let inside = if inside < 127.0 { inside } else { 127.0 };
        (inside + 8_388_608.0).to_bits() as i8
    }
}

impl ReluInto<i8> for i16 {
    #[inline(always)]
    fn relu_into(wide: i16) -> i8 {
        wide.clamp(0, 127) as i8
    }
}

#[inline(always)]
fn finite(x: f32) -> f32 {
    if x > F16_MAX { F16_MAX } else { x }
}

/// `dst = convert(max(f(src0, src1), 0))`; tiles: `src0`, `src1`, `dst`.
pub struct ReluConvert<P, A, D>(PhantomData<(P, A, D)>);

impl<P: Pairwise<A>, A: ReluInto<D>, D: Elem> ReluConvert<P, A, D> {
    #[inline(always)]
    fn run<L: Level, const N: usize>(x: &[A; N], y: &[A; N]) -> [D; N] {
        let sum = rounded::<L, A, N>(&P::run::<L, N>(&A::load::<L, N>(x), &A::load::<L, N>(y)));
        let mut out = [D::Wide::default(); N];
        for i in 0..N {
            out[i] = A::relu_into(sum[i]);
        }
        D::store::<L, N>(&out)
    }
}

struct ReluConvertLanes<P, A>(*const A, *const A, PhantomData<P>);

impl<P: Pairwise<A>, A: ReluInto<D>, D: Elem> Lanes<D> for ReluConvertLanes<P, A> {
    const WIDEST: usize = size_of::<A::Wide>();

    #[inline(always)]
    unsafe fn get<L: Level, const N: usize>(&self, at: usize, count: usize) -> [D; N] {
        // SAFETY: the sources have `at + count` elements; the processor has the instructions of this level.
        unsafe {
            let x = load_some::<L, A, N>(self.0.add(at), count);
            let y = load_some::<L, A, N>(self.1.add(at), count);
            ReluConvert::<P, A, D>::run::<L, N>(&x, &y)
        }
    }
}

impl<P: Pairwise<A>, A: ReluInto<D>, D: Elem> Body<3> for ReluConvert<P, A, D> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<3>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let [a, b, dst] = call.tiles;
            let (rows, cols) = joined(&[a, b, dst], dst.rows(), dst.cols());
            for r in 0..rows {
                fill::<L, D, _>(dst.row(r), cols, &ReluConvertLanes::<P, A>(a.row(r), b.row(r), PhantomData));
            }
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<3>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [a, b, dst] = call.tiles;
            each(dst, |r, c| {
                let (x, y) = ([read::<A>(a, r, c)], [read::<A>(b, r, c)]);
                write(dst, r, c, Self::run::<Baseline, 1>(&x, &y)[0]);
            });
            Ok(())
        }
    }
}

/// `dst = max((src0 + src1) · scale, 0)` for integers, in half precision; tiles: `src0`, `src1`, `dst`.
pub struct AddScaleRelu;

#[inline(always)]
fn scaled<L: Level, const N: usize>(x: &[i32; N], y: &[i32; N], scale: f32) -> [F16; N] {
    let mut out = [0.0; N];
    for i in 0..N {
        out[i] = finite(relu(x[i].wrapping_add(y[i]) as f32 * scale));
    }
    F16::store::<L, N>(&out)
}

struct AddScaleReluLanes(*const i32, *const i32, f32);

impl Lanes<F16> for AddScaleReluLanes {
    const WIDEST: usize = size_of::<i32>();

    #[inline(always)]
    unsafe fn get<L: Level, const N: usize>(&self, at: usize, count: usize) -> [F16; N] {
        // SAFETY: the sources have `at + count` elements; the processor has the instructions of this level.
        unsafe {
            let x = load_some::<L, i32, N>(self.0.add(at), count);
            let y = load_some::<L, i32, N>(self.1.add(at), count);
            scaled::<L, N>(&x, &y, self.2)
        }
    }
}

impl Body<3, 0, 1> for AddScaleRelu {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<3, 0, 1>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let ([a, b, dst], [scale]) = (call.tiles, call.scalars);
            let (rows, cols) = joined(&[a, b, dst], dst.rows(), dst.cols());
            for r in 0..rows {
                fill::<L, F16, _>(dst.row(r), cols, &AddScaleReluLanes(a.row(r), b.row(r), f32::scalar(*scale)));
            }
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<3, 0, 1>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let ([a, b, dst], [scale]) = (call.tiles, call.scalars);
            each(dst, |r, c| {
                let (x, y) = ([read::<i32>(a, r, c)], [read::<i32>(b, r, c)]);
                write(dst, r, c, scaled::<Baseline, 1>(&x, &y, f32::scalar(*scale))[0]);
            });
            Ok(())
        }
    }
}
