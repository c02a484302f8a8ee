//! Loops over three operands.

use super::call::{Body, Call, Fault};
use super::elem::Elem;
use super::ops;
use super::pairwise::{Pairwise, rounded};
use super::plain::{PlainOperand, Spaced, walk};
use super::rows::{Lanes, fill, joined, load_some};
use pto_num::{Baseline, Bf16, F16, Level, math};
use std::marker::PhantomData;

/// A function of three runs of elements.
pub trait Triplewise<E: Elem> {
    /// Its values.
    fn run<L: Level, const N: usize>(a: &[E::Wide; N], b: &[E::Wide; N], c: &[E::Wide; N]) -> [E::Wide; N];
}

/// `Q(P(a, b), c)`, rounded in between.
pub struct Steps<P, Q>(PhantomData<(P, Q)>);

impl<E: Elem, P: Pairwise<E>, Q: Pairwise<E>> Triplewise<E> for Steps<P, Q> {
    #[inline(always)]
    fn run<L: Level, const N: usize>(a: &[E::Wide; N], b: &[E::Wide; N], c: &[E::Wide; N]) -> [E::Wide; N] {
        Q::run::<L, N>(&rounded::<L, E, N>(&P::run::<L, N>(a, b)), c)
    }
}

/// A multiplication and an addition with one rounding.
pub trait Fused: Elem {
    /// `a · b + c`, such that rounding to this type is the only rounding.
    fn fused<L: Level>(a: Self::Wide, b: Self::Wide, c: Self::Wide) -> Self::Wide;
    /// `max(a, 0)`
    fn relu(a: Self::Wide) -> Self::Wide;
}

macro_rules! fused {
    ($($type:ty: |$a:ident, $b:ident, $c:ident| $value:expr, $relu:expr;)+) => {$(
        impl Fused for $type {
            #[inline(always)]
            fn fused<L: Level>($a: Self::Wide, $b: Self::Wide, $c: Self::Wide) -> Self::Wide {
                $value
            }
            #[inline(always)]
            fn relu(a: Self::Wide) -> Self::Wide {
                $relu(a)
            }
        }
    )+};
}

fused! {
    f32: |a, b, c| L::fma(a, b, c), ops::relu;
    F16: |a, b, c| math::fma_f16(a, b, c), ops::relu;
    Bf16: |a, b, c| math::fma_odd(a, b, c), ops::relu;
    i8: |a, b, c| a.wrapping_mul(b).wrapping_add(c), |a: i8| a.max(0);
    i16: |a, b, c| a.wrapping_mul(b).wrapping_add(c), |a: i16| a.max(0);
    i32: |a, b, c| a.wrapping_mul(b).wrapping_add(c), |a: i32| a.max(0);
    i64: |a, b, c| a.wrapping_mul(b).wrapping_add(c), |a: i64| a.max(0);
    u8: |a, b, c| a.wrapping_mul(b).wrapping_add(c), |a| a;
    u16: |a, b, c| a.wrapping_mul(b).wrapping_add(c), |a| a;
    u32: |a, b, c| a.wrapping_mul(b).wrapping_add(c), |a| a;
    u64: |a, b, c| a.wrapping_mul(b).wrapping_add(c), |a| a;
}

/// `a · b + c`
pub struct MulAdd;
/// `a · c + b`
pub struct MulThirdAdd;
/// `max(a · c + b, 0)`
pub struct MulThirdAddRelu;

macro_rules! triplewise {
    ($op:ident, |$a:ident, $b:ident, $c:ident| $value:expr) => {
        impl<E: Fused> Triplewise<E> for $op {
            #[inline(always)]
            fn run<L: Level, const N: usize>(a: &[E::Wide; N], b: &[E::Wide; N], c: &[E::Wide; N]) -> [E::Wide; N] {
                let mut out = [E::Wide::default(); N];
                for i in 0..N {
                    let ($a, $b, $c) = (a[i], b[i], c[i]);
                    out[i] = $value;
                }
                out
            }
        }
    };
}

triplewise!(MulAdd, |a, b, c| E::fused::<L>(a, b, c));
triplewise!(MulThirdAdd, |a, b, c| E::fused::<L>(a, c, b));
triplewise!(MulThirdAddRelu, |a, b, c| E::relu(E::fused::<L>(a, c, b)));

/// `dst = f(src0, src1, src2)`, or `f(src0, src1, dst)` if there are only three tiles.
pub struct Ternary<T, E>(PhantomData<(T, E)>);

struct TernaryLanes<T, E>([*const E; 3], PhantomData<T>);

impl<T: Triplewise<E>, E: Elem> Lanes<E> for TernaryLanes<T, E> {
    const WIDEST: usize = size_of::<E::Wide>();

    #[inline(always)]
    unsafe fn get<L: Level, const N: usize>(&self, at: usize, count: usize) -> [E; N] {
        // SAFETY: the sources have `at + count` elements; the processor has the instructions of this level.
        unsafe {
            let load = |from: *const E| E::unpack::<L, N>(&load_some::<L, E, N>(from.add(at), count));
            let [a, b, c] = self.0;
            E::pack::<L, N>(&T::run::<L, N>(&load(a), &load(b), &load(c)))
        }
    }
}

impl<T: Triplewise<E>, E: Elem> Body<4> for Ternary<T, E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<4>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let [a, b, c, dst] = call.tiles;
            let (rows, cols) = joined(&[a, b, c, dst], dst.rows(), dst.cols());
            for r in 0..rows {
                let sources = [a.row::<E>(r).cast_const(), b.row::<E>(r).cast_const(), c.row::<E>(r).cast_const()];
                fill::<L, E, _>(dst.row(r), cols, &TernaryLanes::<T, E>(sources, PhantomData));
            }
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<4>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [a, b, c, dst] = call.tiles;
            walk(&[a, b, c, dst].map(PlainOperand::same::<E>), (dst.rows(), dst.cols()), false, elements::<T, E, E>);
            Ok(())
        }
    }
}

/// # Safety
/// As [`PlainFn`](super::plain::PlainFn), the first two of type `A`.
unsafe fn elements<T: Triplewise<E>, E: Elem, A: Elem<Wide = E::Wide>>([a, b, c, dst]: &[Spaced; 4], n: usize) {
    for i in 0..n {
        // SAFETY: there are that many elements.
        unsafe {
            let (x, y, z) = (a.read::<A>(i).widen(), b.read::<A>(i).widen(), c.read::<E>(i).widen());
            dst.write(i, E::narrow(T::run::<Baseline, 1>(&[x], &[y], &[z])[0]));
        }
    }
}

/// `dst = f(src0, scalar, src1)`, or `f(src, scalar, dst)` where there are only two tiles. The first source may have
/// another element type than everything else.
pub struct TernaryScalar<T, E, A = E>(PhantomData<(T, E, A)>);

struct TernaryScalarLanes<T, E: Elem, A>(*const A, E::Wide, *const E, PhantomData<T>);

impl<T: Triplewise<E>, E: Elem, A: Elem<Wide = E::Wide>> Lanes<E> for TernaryScalarLanes<T, E, A> {
    const WIDEST: usize = size_of::<E::Wide>();

    #[inline(always)]
    unsafe fn get<L: Level, const N: usize>(&self, at: usize, count: usize) -> [E; N] {
        // SAFETY: the sources have `at + count` elements; the processor has the instructions of this level.
        unsafe {
            let x = A::load::<L, N>(&load_some::<L, A, N>(self.0.add(at), count));
            let z = E::load::<L, N>(&load_some::<L, E, N>(self.2.add(at), count));
            E::store::<L, N>(&T::run::<L, N>(&x, &[self.1; N], &z))
        }
    }
}

impl<T: Triplewise<E>, E: Elem, A: Elem<Wide = E::Wide>> Body<3, 0, 1> for TernaryScalar<T, E, A> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<3, 0, 1>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let ([a, c, dst], [scalar]) = (call.tiles, call.scalars);
            let scalar = A::scalar(*scalar).widen();
            let (rows, cols) = joined(&[a, c, dst], dst.rows(), dst.cols());
            for r in 0..rows {
                fill::<L, E, _>(
                    dst.row(r),
                    cols,
                    &TernaryScalarLanes::<T, E, A>(a.row(r), scalar, c.row(r), PhantomData),
                );
            }
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<3, 0, 1>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let ([a, c, dst], [scalar]) = (call.tiles, call.scalars);
            let mut scalar = A::scalar(*scalar);
            let operands = [
                PlainOperand::same::<A>(a),
                PlainOperand::Value((&raw mut scalar).cast()),
                PlainOperand::same::<E>(c),
                PlainOperand::same::<E>(dst),
            ];
            walk(&operands, (dst.rows(), dst.cols()), false, elements::<T, E, A>);
            Ok(())
        }
    }
}
