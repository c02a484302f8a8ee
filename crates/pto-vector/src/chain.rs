//! Chains of steps that are often found together, as code that keeps their results in registers.
//!
//! Each gives the bits of its steps one after the other. What the steps before the last would write is not written, except where it says so.

use super::call::{ChainLink, RowBody, RowCall, RowFn, row_fn};
use super::elem::Elem;
use super::map::{Binary, ByValue};
use super::ops::{Add, Mul, Sub};
use super::pairwise::Pairwise;
use super::reduce::sums_of_rows::{SumOnly, SummedSquares, fill_and_sum};
use super::rows::{Lanes, fill_row, fill_row_past, load_some};
use pto_num::{CpuLevel, Level};
use std::marker::PhantomData;

/// The code for a row of these steps, the first of which has the source, and each its second source; `None` if there is none. Its results go
/// past the cache if that is wanted; a fence must follow then.
pub fn chain(links: &[ChainLink], level: CpuLevel, is_past: bool) -> Option<RowFn> {
    match (links, is_past) {
        ([ChainLink::MultiplyValue, ChainLink::Multiply], false) => row_fn::<ScaledByRow<false>>(level),
        ([ChainLink::MultiplyValue, ChainLink::Multiply], true) => row_fn::<ScaledByRow<true>>(level),
        ([ChainLink::MultiplyValue, ChainLink::Multiply, ChainLink::Add], false) => {
            row_fn::<ScaledAndShifted<false>>(level)
        }
        ([ChainLink::MultiplyValue, ChainLink::Multiply, ChainLink::Add], true) => {
            row_fn::<ScaledAndShifted<true>>(level)
        }
        _ => None,
    }
}

/// Computes a row, whose results go past the cache or not.
///
/// # Safety
/// The row must be as [`RowFn`] says, and the processor must have the level.
#[inline(always)]
unsafe fn fill<L: Level, const PAST: bool>(row: &RowCall, lanes: &impl Lanes<f32>) {
    // SAFETY: as the caller says.
    unsafe { if PAST { fill_row_past::<L, f32, _>(row, lanes) } else { fill_row::<L, f32, _>(row, lanes) } }
}

/// The code for a row of products that only their sum is needed of.
pub fn sum_of_products(level: CpuLevel) -> Option<RowFn> {
    row_fn::<SumOfProducts>(level)
}

/// The code for a row minus a value, which is written, and the sum of the squares of that.
pub fn difference_and_squares(level: CpuLevel) -> Option<RowFn> {
    row_fn::<DifferenceAndSquares>(level)
}

/// A function of the results of the steps before and a row.
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

/// `src · value · row`
struct ScaledByRow<const PAST: bool>;

impl<const PAST: bool> ScaledByRow<PAST> {
    /// # Safety
    /// The row must be as [`RowFn`] says.
    #[inline(always)]
    unsafe fn lanes(row: &RowCall) -> impl Lanes<f32> {
        // SAFETY: as the caller says.
        let by_value = unsafe { ByValue::<Mul, f32>::lanes(row) };
        LinkedLanes::<_, Mul, f32>(by_value, row.others[1].cast(), PhantomData)
    }
}

impl<const PAST: bool> RowBody for ScaledByRow<PAST> {
    #[inline(always)]
    unsafe fn run<L: Level>(row: &RowCall) {
        // SAFETY: as the caller says.
        unsafe { fill::<L, PAST>(row, &Self::lanes(row)) }
    }
}

/// `src · value · row + row`
struct ScaledAndShifted<const PAST: bool>;

impl<const PAST: bool> RowBody for ScaledAndShifted<PAST> {
    #[inline(always)]
    unsafe fn run<L: Level>(row: &RowCall) {
        // SAFETY: as the caller says.
        unsafe {
            let lanes = LinkedLanes::<_, Add, f32>(ScaledByRow::<PAST>::lanes(row), row.others[2].cast(), PhantomData);
            fill::<L, PAST>(row, &lanes);
        }
    }
}

/// The sum of `src · row`
struct SumOfProducts;

impl RowBody for SumOfProducts {
    #[inline(always)]
    unsafe fn run<L: Level>(row: &RowCall) {
        // SAFETY: as the caller says.
        unsafe { fill_and_sum::<L, f32, _, SumOnly>(row, &Binary::<Mul, f32>::lanes(row)) }
    }
}

/// `src − value`, and the sum of its squares
struct DifferenceAndSquares;

impl RowBody for DifferenceAndSquares {
    #[inline(always)]
    unsafe fn run<L: Level>(row: &RowCall) {
        // SAFETY: as the caller says.
        unsafe { fill_and_sum::<L, f32, _, SummedSquares>(row, &ByValue::<Sub, f32>::lanes(row)) }
    }
}
