//! Chains of steps that are often found together, as code that keeps their results in registers.
//!
//! Each gives the bits of its steps one after the other. What the steps before the last would write is not written, except where it says so.

use super::call::{ChainLink, RowCall, RowFn, row_fn};
use super::elem::Elem;
use super::map::{Binary, ByValue};
use super::ops::{Add, Mul, Sub};
use super::pairwise::Pairwise;
use super::reduce::sums_of_rows::{FilledAndSummed, SumOnly, SummedSquares};
use super::rows::{Filled, FilledPast, Lanes, RowLanes, load_some};
use pto_num::{CpuLevel, Level};
use std::marker::PhantomData;

/// `src · value · row`
type ScaledByRow = Linked<ByValue<Mul, f32>, Mul, 1>;
/// `src · value · row + row`
type ScaledAndShifted = Linked<ScaledByRow, Add, 2>;

/// The code for a row of these steps, the first of which has the source, and each its second source; `None` if there is none. Its results go
/// past the cache if that is wanted; a fence must follow then.
pub fn chain(links: &[ChainLink], level: CpuLevel, is_past: bool) -> Option<RowFn> {
    use ChainLink::{Add, Multiply, MultiplyValue};
    match (links, is_past) {
        ([MultiplyValue, Multiply], false) => row_fn::<Filled<ScaledByRow>>(level),
        ([MultiplyValue, Multiply], true) => row_fn::<FilledPast<ScaledByRow>>(level),
        ([MultiplyValue, Multiply, Add], false) => row_fn::<Filled<ScaledAndShifted>>(level),
        ([MultiplyValue, Multiply, Add], true) => row_fn::<FilledPast<ScaledAndShifted>>(level),
        _ => None,
    }
}

/// The code for a row of products that only their sum is needed of.
pub fn sum_of_products(level: CpuLevel) -> Option<RowFn> {
    row_fn::<FilledAndSummed<Binary<Mul, f32>, SumOnly>>(level)
}

/// The code for a row minus a value, which is written, and the sum of the squares of that.
pub fn difference_and_squares(level: CpuLevel) -> Option<RowFn> {
    row_fn::<FilledAndSummed<ByValue<Sub, f32>, SummedSquares>>(level)
}

/// A function of the results of the steps before, and of the second source of the step with this number.
struct Linked<R, P, const AT: usize>(PhantomData<(R, P)>);

impl<R: RowLanes, P: Pairwise<R::Elem>, const AT: usize> RowLanes for Linked<R, P, AT> {
    type Elem = R::Elem;

    #[inline(always)]
    unsafe fn lanes(row: &RowCall) -> impl Lanes<R::Elem> {
        // SAFETY: as the caller says.
        let before = unsafe { R::lanes(row) };
        LinkedLanes::<_, P, R::Elem>(before, row.others[AT].cast(), PhantomData)
    }
}

/// The results of [`Linked`].
struct LinkedLanes<S, P, E>(S, *const E, PhantomData<P>);

impl<S: Lanes<E>, P: Pairwise<E>, E: Elem> Lanes<E> for LinkedLanes<S, P, E> {
    const WIDEST: usize = size_of::<E::Wide>();

    #[inline(always)]
    unsafe fn get<L: Level, const N: usize>(&self, at: usize, count: usize) -> [E; N] {
        // SAFETY: the sources have `at + count` elements; the processor has the instructions of this level.
        unsafe {
            let x = E::unpack::<L, N>(&self.0.get::<L, N>(at, count));
            let y = E::unpack::<L, N>(&load_some::<L, E, N>(self.1.add(at), count));
            E::pack::<L, N>(&P::run::<L, N>(&x, &y))
        }
    }
}
