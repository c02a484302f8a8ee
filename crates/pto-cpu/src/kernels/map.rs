//! Loops over the elements of tiles: one result per element.

use super::call::{Body, Call, Fault, TileRef};
use super::elem::Elem;
use super::ops;
use pto_num::{Baseline, Level};
use std::marker::PhantomData;

/// Elements handled at once. The compiler turns a loop over this many into vector instructions; all of them are read
/// before any is written, so a destination may be one of the sources.
const CHUNK: usize = 64;
/// Elements handled at once at the end of a row.
const SMALL: usize = 16;

/// The second operand of a row.
#[derive(Clone, Copy)]
pub enum Other<E> {
    /// Elements that advance with the first operand.
    Row(*const E),
    /// One value for the whole row.
    Value(E),
}

/// `dst[j] = f(a[j], b)` for a row of `n` elements.
///
/// # Safety
/// `n` elements must be readable at `a` (and at the row of `b`) and writable at `dst`.
#[inline(always)]
pub unsafe fn row<L: Level, A: Elem, D: Elem>(
    dst: *mut D,
    a: *const A,
    b: Other<A>,
    n: usize,
    f: impl Fn(A::Wide, A::Wide) -> D::Wide,
) {
    match b {
        Other::Row(b) => spans::<L, A, D>(n, dst, a, Some(b), |x, y| f(x, y)),
        Other::Value(v) => {
            let v = v.widen();
            spans::<L, A, D>(n, dst, a, None, |x, _| f(x, v));
        }
    }
}

#[inline(always)]
unsafe fn spans<L: Level, A: Elem, D: Elem>(
    n: usize,
    dst: *mut D,
    a: *const A,
    b: Option<*const A>,
    f: impl Fn(A::Wide, A::Wide) -> D::Wide,
) {
    let mut at = 0;
    while at + CHUNK <= n {
        span::<L, A, D, CHUNK>(dst.add(at), a.add(at), b.map(|b| b.add(at)), &f);
        at += CHUNK;
    }
    while at + SMALL <= n {
        span::<L, A, D, SMALL>(dst.add(at), a.add(at), b.map(|b| b.add(at)), &f);
        at += SMALL;
    }
    if at < n {
        rest::<L, A, D>(n - at, dst.add(at), a.add(at), b.map(|b| b.add(at)), &f);
    }
}

#[inline(always)]
unsafe fn span<L: Level, A: Elem, D: Elem, const N: usize>(
    dst: *mut D,
    a: *const A,
    b: Option<*const A>,
    f: &impl Fn(A::Wide, A::Wide) -> D::Wide,
) {
    let x = A::load::<L, N>(&a.cast::<[A; N]>().read_unaligned());
    let mut out = [D::Wide::default(); N];
    if let Some(b) = b {
        let y = A::load::<L, N>(&b.cast::<[A; N]>().read_unaligned());
        for i in 0..N {
            out[i] = f(x[i], y[i]);
        }
    } else {
        for i in 0..N {
            out[i] = f(x[i], x[i]);
        }
    }
    dst.cast::<[D; N]>().write_unaligned(D::store::<L, N>(&out));
}

/// Fewer elements than fit: through copies that are filled up with the first one.
#[inline(always)]
unsafe fn rest<L: Level, A: Elem, D: Elem>(
    n: usize,
    dst: *mut D,
    a: *const A,
    b: Option<*const A>,
    f: &impl Fn(A::Wide, A::Wide) -> D::Wide,
) {
    let mut x = [*a; SMALL];
    std::ptr::copy_nonoverlapping(a, x.as_mut_ptr(), n);
    let mut y = x;
    if let Some(b) = b {
        y = [*b; SMALL];
        std::ptr::copy_nonoverlapping(b, y.as_mut_ptr(), n);
    }
    let mut out = [D::narrow(D::Wide::default()); SMALL];
    span::<L, A, D, SMALL>(out.as_mut_ptr(), x.as_ptr(), b.map(|_| y.as_ptr()), f);
    std::ptr::copy_nonoverlapping(out.as_ptr(), dst, n);
}

/// The rows of a call as one long row, when no tile has a gap after its rows.
#[inline(always)]
pub fn joined(tiles: &[&TileRef], rows: usize, cols: usize) -> (usize, usize) {
    if tiles.iter().all(|t| t.row_stride == cols) { (1, rows * cols) } else { (rows, cols) }
}

/// `dst = f(src0, src1)` over the valid region of `dst`; tiles: `src0`, `src1`, `dst`.
pub struct Binary<O, E>(PhantomData<(O, E)>);

impl<O: ops::Binary<E::Wide>, E: Elem> Body for Binary<O, E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call) -> Result<(), Fault> {
        let [a, b, dst] = call.tiles else { return Ok(()) };
        let (rows, cols) = joined(&[a, b, dst], dst.rows, dst.cols);
        for r in 0..rows {
            row::<L, E, E>(dst.row(r), a.row(r), Other::Row(b.row(r)), cols, |x, y| O::apply::<L>(x, y));
        }
        Ok(())
    }

    unsafe fn plain(call: &Call) -> Result<(), Fault> {
        let [a, b, dst] = call.tiles else { return Ok(()) };
        each(dst, |r, c| {
            let (x, y) = (read::<E>(a, r, c), read::<E>(b, r, c));
            write(dst, r, c, E::narrow(O::apply::<Baseline>(x.widen(), y.widen())));
        });
        Ok(())
    }
}

/// `dst = f(src)`; tiles: `src`, `dst`.
pub struct Unary<O, E>(PhantomData<(O, E)>);

impl<O: ops::Unary<E::Wide>, E: Elem> Body for Unary<O, E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call) -> Result<(), Fault> {
        let [a, dst] = call.tiles else { return Ok(()) };
        let (rows, cols) = joined(&[a, dst], dst.rows, dst.cols);
        for r in 0..rows {
            spans::<L, E, E>(cols, dst.row(r), a.row(r), None, |x, _| O::apply::<L>(x));
        }
        Ok(())
    }

    unsafe fn plain(call: &Call) -> Result<(), Fault> {
        let [a, dst] = call.tiles else { return Ok(()) };
        each(dst, |r, c| write(dst, r, c, E::narrow(O::apply::<Baseline>(read::<E>(a, r, c).widen()))));
        Ok(())
    }
}

/// `dst = f(src, scalar)`; tiles: `src`, `dst`.
pub struct WithScalar<O, E>(PhantomData<(O, E)>);

impl<O: ops::Binary<E::Wide>, E: Elem> Body for WithScalar<O, E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call) -> Result<(), Fault> {
        let ([a, dst], [scalar]) = (call.tiles, call.scalars) else { return Ok(()) };
        let scalar = E::scalar(*scalar);
        let (rows, cols) = joined(&[a, dst], dst.rows, dst.cols);
        for r in 0..rows {
            row::<L, E, E>(dst.row(r), a.row(r), Other::Value(scalar), cols, |x, y| O::apply::<L>(x, y));
        }
        Ok(())
    }

    unsafe fn plain(call: &Call) -> Result<(), Fault> {
        let ([a, dst], [scalar]) = (call.tiles, call.scalars) else { return Ok(()) };
        let scalar = E::scalar(*scalar).widen();
        each(dst, |r, c| {
            write(dst, r, c, E::narrow(O::apply::<Baseline>(read::<E>(a, r, c).widen(), scalar)));
        });
        Ok(())
    }
}

/// Calls a function for every valid element of a tile.
pub fn each(tile: &TileRef, mut f: impl FnMut(usize, usize)) {
    for r in 0..tile.rows {
        for c in 0..tile.cols {
            f(r, c);
        }
    }
}

/// An element, in any layout.
///
/// # Safety
/// The element must lie in the tile.
pub unsafe fn read<E: Elem>(tile: &TileRef, row: usize, col: usize) -> E {
    tile.ptr.cast::<E>().add(tile.index(row, col)).read_unaligned()
}

/// Writes an element, in any layout.
///
/// # Safety
/// The element must lie in the tile.
pub unsafe fn write<E: Elem>(tile: &TileRef, row: usize, col: usize, value: E) {
    tile.ptr.cast::<E>().add(tile.index(row, col)).write_unaligned(value);
}
