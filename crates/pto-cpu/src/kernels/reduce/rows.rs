//! One result per row.

use super::fold::Fold;
use crate::kernels::call::{Body, Call, Fault, TileRef};
use crate::kernels::elem::Elem;
use crate::kernels::map::{read, write};
use pto_num::Level;
use std::marker::PhantomData;

/// Lanes of a row; the number is part of what a sum is.
const LANES: usize = 64;

/// `dst[i,0] = f(src[i,0..])`; tiles: `src`, `dst`.
pub struct Rows<F, E>(PhantomData<(F, E)>);

/// Rows that have a result, unless the source or the destination is empty.
pub fn extent(src: &TileRef, dst: &TileRef) -> usize {
    if src.cols == 0 || dst.cols == 0 { 0 } else { src.rows.min(dst.rows) }
}

impl<F: Fold<E>, E: Elem> Body for Rows<F, E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call) -> Result<(), Fault> {
        let [src, dst] = call.tiles else { return Ok(()) };
        let rows = extent(src, dst);
        each_row::<L, F, E>(src, rows, |r, value| dst.at::<E>(r, 0).write_unaligned(value));
        Ok(())
    }

    unsafe fn plain(call: &Call) -> Result<(), Fault> {
        let [src, dst] = call.tiles else { return Ok(()) };
        for r in 0..extent(src, dst) {
            write(dst, r, 0, plain_row::<F, E>(src, r));
        }
        Ok(())
    }
}

/// Calls a function with the result of every row.
///
/// # Safety
/// The rows must lie in the tile and have at least one column.
#[inline(always)]
pub unsafe fn each_row<L: Level, F: Fold<E>, E: Elem>(src: &TileRef, rows: usize, mut f: impl FnMut(usize, E)) {
    // Fewer columns than lanes leave the upper lanes empty, and the steps that would take them in do nothing.
    match src.cols {
        0..=16 => (0..rows).for_each(|r| f(r, row::<L, F, E, 16>(src.row(r), src.cols))),
        17..=32 => (0..rows).for_each(|r| f(r, row::<L, F, E, 32>(src.row(r), src.cols))),
        _ => (0..rows).for_each(|r| f(r, row::<L, F, E, LANES>(src.row(r), src.cols))),
    }
}

/// The result of a row of `n` elements, in `N` lanes.
#[inline(always)]
unsafe fn row<L: Level, F: Fold<E>, E: Elem, const N: usize>(row: *const E, n: usize) -> E {
    let mut lanes = [F::start(); N];
    let mut at = 0;
    while at + N <= n {
        let x = F::take::<L, N>(&row.add(at).cast::<[E; N]>().read_unaligned());
        for i in 0..N {
            lanes[i] = F::join(lanes[i], x[i]);
        }
        at += N;
    }
    if at < n {
        let mut x = [*row; N];
        std::ptr::copy_nonoverlapping(row.add(at), x.as_mut_ptr(), n - at);
        let x = F::take::<L, N>(&x);
        for i in 0..N {
            lanes[i] = F::join(lanes[i], if i < n - at { x[i] } else { F::start() });
        }
    }
    F::finish::<L, 1>(&[across::<F, E, N>(lanes)])[0]
}

/// All lanes as one: lane `i` takes in lane `i + N / 2`, and so on with half as many.
#[inline(always)]
fn across<F: Fold<E>, E: Elem, const N: usize>(mut lanes: [F::Lane; N]) -> F::Lane {
    for shift in 1..=N.ilog2() {
        let half = N >> shift;
        for i in 0..half {
            lanes[i] = F::join(lanes[i], lanes[i + half]);
        }
    }
    lanes[0]
}

/// The result of a row by the letter: lanes without elements do not take part.
///
/// # Safety
/// The row must lie in the tile and have at least one column.
pub unsafe fn plain_row<F: Fold<E>, E: Elem>(src: &TileRef, r: usize) -> E {
    let mut lanes = [None; LANES];
    let join = |a: &mut Option<E::Wide>, b: Option<E::Wide>| {
        *a = match (*a, b) {
            (Some(a), Some(b)) => Some(F::pair(a, b)),
            (a, b) => a.or(b),
        };
    };
    for c in 0..src.cols {
        join(&mut lanes[c % LANES], Some(read::<E>(src, r, c).widen()));
    }
    for half in [32, 16, 8, 4, 2, 1] {
        for i in 0..half {
            let other = lanes[i + half];
            join(&mut lanes[i], other);
        }
    }
    E::narrow(lanes[0].unwrap_or_default())
}
