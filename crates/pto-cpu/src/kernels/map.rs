//! Loops over the elements of tiles: one result per element.

use super::call::{Body, Call, Fault, TileRef};
use super::cover::{Cover, block, no_zero};
use super::elem::Elem;
use super::ops;
use super::pairwise::{Pairwise, Side};
use super::parts::{copy_rest, plain_rest};
use super::rows::{CHUNK, Lanes, fill, load_some};
use pto_num::{Baseline, Level};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

pub use super::rows::joined;

/// `dst = f(src)`; tiles: `src`, `dst`.
pub struct Unary<O, E>(PhantomData<(O, E)>);

struct UnaryLanes<O, E>(*const E, PhantomData<O>);

impl<O: ops::Unary<E::Wide>, E: Elem> Lanes<E> for UnaryLanes<O, E> {
    #[inline(always)]
    unsafe fn get<L: Level, const N: usize>(&self, at: usize, count: usize) -> [E; N] {
        let x = E::load::<L, N>(&load_some::<L, E, N>(self.0.add(at), count));
        let mut out = [E::Wide::default(); N];
        for i in 0..N {
            out[i] = O::apply::<L>(x[i]);
        }
        E::store::<L, N>(&out)
    }
}

impl<O: ops::Unary<E::Wide>, E: Elem> Body for Unary<O, E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call) -> Result<(), Fault> {
        let [a, dst] = call.tiles else { return Ok(()) };
        if O::DIVIDES {
            no_zero::<E>(a, Cover::Same, dst)?;
        }
        let (rows, cols) = joined(&[a, dst], dst.rows, dst.cols);
        for r in 0..rows {
            fill::<L, E>(dst.row(r), cols, &UnaryLanes::<O, E>(a.row(r), PhantomData));
        }
        Ok(())
    }

    unsafe fn plain(call: &Call) -> Result<(), Fault> {
        let [a, dst] = call.tiles else { return Ok(()) };
        if O::DIVIDES {
            no_zero::<E>(a, Cover::Same, dst)?;
        }
        each(dst, |r, c| write(dst, r, c, E::narrow(O::apply::<Baseline>(read::<E>(a, r, c).widen()))));
        Ok(())
    }
}

/// `dst = f(src0, src1)`; tiles: `src0`, `src1`, `dst`. The immediate is a [`Cover`], but not one of values.
pub struct Binary<P, E>(PhantomData<(P, E)>);

/// Rows of two sources and the destination. A distance of 0 repeats a row.
struct Grid<E> {
    dst: (*mut E, usize),
    a: (*const E, usize),
    b: (*const E, usize),
    rows: usize,
    cols: usize,
}

impl<E: Elem> Grid<E> {
    /// Everything that has elements of both sources, with the row of one repeated or not.
    #[inline(always)]
    fn whole(a: &TileRef, b: &TileRef, dst: &TileRef, cover: Cover) -> Self {
        let (mut rows, mut cols) = (dst.rows, dst.cols);
        let (mut a_step, mut b_step) = (a.row_stride, b.row_stride);
        match cover.repeated(a, b, dst) {
            Some(Side::First) => a_step = 0,
            Some(Side::Second) => b_step = 0,
            None if cover == Cover::Part => {
                (rows, cols) = (rows.min(a.rows).min(b.rows), cols.min(a.cols).min(b.cols));
            }
            None => {}
        }
        if a_step == cols && b_step == cols && dst.row_stride == cols {
            (rows, cols) = (1, rows * cols);
        }
        Self { dst: (dst.row(0), dst.row_stride), a: (a.row(0), a_step), b: (b.row(0), b_step), rows, cols }
    }

    /// Half of a row whose counterpart is a repeated block: the long spans, or what is left of the row.
    #[inline(always)]
    fn of_row(full: *const E, repeated: *const E, side: Side, dst: *mut E, cols: usize, left: bool) -> Self {
        let long = cols / CHUNK;
        let (at, rows, cols) = if left { (long * CHUNK, 1, cols % CHUNK) } else { (0, long, CHUNK) };
        let full = (full.wrapping_add(at), CHUNK);
        let (a, b) = if side == Side::First { ((repeated, 0), full) } else { (full, (repeated, 0)) };
        Self { dst: (dst.wrapping_add(at), CHUNK), a, b, rows, cols }
    }
}

struct BinaryLanes<P, E>(*const E, *const E, PhantomData<P>);

impl<P: Pairwise<E>, E: Elem> Lanes<E> for BinaryLanes<P, E> {
    #[inline(always)]
    unsafe fn get<L: Level, const N: usize>(&self, at: usize, count: usize) -> [E; N] {
        let x = E::load::<L, N>(&load_some::<L, E, N>(self.0.add(at), count));
        let y = E::load::<L, N>(&load_some::<L, E, N>(self.1.add(at), count));
        E::store::<L, N>(&P::run::<L, N>(&x, &y))
    }
}

impl<P: Pairwise<E>, E: Elem> Body for Binary<P, E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call) -> Result<(), Fault> {
        let [a, b, dst] = call.tiles else { return Ok(()) };
        let cover = Cover::of(call);
        divisors::<P, E>(a, b, dst, cover)?;
        let mut buffer = MaybeUninit::<[E; CHUNK]>::uninit();
        let repeated: *mut E = buffer.as_mut_ptr().cast();
        let side = cover.repeated(a, b, dst);
        let (blocks, full) = if side == Some(Side::First) { (a, b) } else { (b, a) };
        // One place where the loop below is compiled, for all ways to cover.
        let pieces = if cover == Cover::Block { 2 * dst.rows } else { 1 };
        for piece in 0..pieces {
            let (r, left) = (piece / 2, piece % 2 == 1);
            let grid = if let (Cover::Block, Some(side)) = (cover, side) {
                if !left {
                    repeat(blocks.row(r), repeated);
                }
                Grid::of_row(full.row(r), repeated, side, dst.row(r), dst.cols, left)
            } else {
                Grid::whole(a, b, dst, cover)
            };
            // From the last row to the first: a repeated row may be the first row of the destination.
            for r in (0..grid.rows).rev() {
                let (x, y) = (grid.a.0.add(r * grid.a.1), grid.b.0.add(r * grid.b.1));
                fill::<L, E>(grid.dst.0.add(r * grid.dst.1), grid.cols, &BinaryLanes::<P, E>(x, y, PhantomData));
            }
        }
        if cover == Cover::Part {
            copy_rest(a, b, dst, size_of::<E>());
        }
        Ok(())
    }

    unsafe fn plain(call: &Call) -> Result<(), Fault> {
        let [a, b, dst] = call.tiles else { return Ok(()) };
        let cover = Cover::of(call);
        divisors::<P, E>(a, b, dst, cover)?;
        let both = TileRef { rows: dst.rows.min(a.rows).min(b.rows), cols: dst.cols.min(a.cols).min(b.cols), ..*dst };
        let side = cover.repeated(a, b, dst);
        each_backwards(if cover == Cover::Part { &both } else { dst }, |r, c| {
            let place = |this| if side == Some(this) { cover.place::<E>(r, c) } else { (r, c) };
            let ((ra, ca), (rb, cb)) = (place(Side::First), place(Side::Second));
            let (x, y) = (read::<E>(a, ra, ca).widen(), read::<E>(b, rb, cb).widen());
            write(dst, r, c, E::narrow(P::run::<Baseline, 1>(&[x], &[y])[0]));
        });
        if cover == Cover::Part {
            plain_rest::<E>(a, b, dst);
        }
        Ok(())
    }
}

/// Checks the divisors, when the function has some.
#[inline(always)]
unsafe fn divisors<P: Pairwise<E>, E: Elem>(
    a: &TileRef,
    b: &TileRef,
    dst: &TileRef,
    cover: Cover,
) -> Result<(), Fault> {
    let Some(divisor) = P::DIVISOR else { return Ok(()) };
    let repeated = cover.repeated(a, b, dst) == Some(divisor);
    no_zero::<E>(if divisor == Side::First { a } else { b }, if repeated { cover } else { Cover::Same }, dst)
}

/// Fills a long span with copies of a block.
#[inline(always)]
unsafe fn repeat<E: Elem>(from: *const E, to: *mut E) {
    for i in 0..CHUNK / block::<E>() {
        std::ptr::copy_nonoverlapping(from, to.add(i * block::<E>()), block::<E>());
    }
}

/// `dst = f(src, value)` with a value for the whole tile or for each row.
///
/// Tiles: `src`, `dst` and a scalar; or `src0`, `src1`, `dst` and two scalars, where one source is absent and its
/// scalar counts; or `src0`, `src1`, `dst` with a [`Cover`] of values. The function gets the value second.
pub struct ByValue<P, E>(PhantomData<(P, E)>);

/// The second immediate of [`ByValue`]: the scalar is a count of bits, which is not cut to the element type.
pub const COUNT: u64 = 1;

struct ByValueLanes<P, E: Elem>(*const E, E::Wide, PhantomData<P>);

impl<P: Pairwise<E>, E: Elem> Lanes<E> for ByValueLanes<P, E> {
    #[inline(always)]
    unsafe fn get<L: Level, const N: usize>(&self, at: usize, count: usize) -> [E; N] {
        let x = E::load::<L, N>(&load_some::<L, E, N>(self.0.add(at), count));
        E::store::<L, N>(&P::run::<L, N>(&x, &[self.1; N]))
    }
}

/// The operands of [`ByValue`]: the tile, the values, and the destination.
#[inline(always)]
fn operands<'a>(call: &'a Call) -> Option<(&'a TileRef, Values<'a>, &'a TileRef)> {
    let scalar =
        |bits: u64| Values::Scalar(if call.imm[1] == COUNT { bits.min(u64::from(u8::MAX >> 1)) } else { bits });
    match (call.tiles, call.scalars) {
        ([a, dst], [s]) => Some((a, scalar(*s), dst)),
        ([a, _, dst], [_, s]) if a.is_present() => Some((a, scalar(*s), dst)),
        ([_, b, dst], [s, _]) => Some((b, scalar(*s), dst)),
        ([a, b, dst], []) if Cover::of(call) == Cover::FirstValues => Some((b, Values::Tile(a), dst)),
        ([a, b, dst], []) => Some((a, Values::Tile(b), dst)),
        _ => None,
    }
}

/// One value for the tile, or one for each row.
#[derive(Clone, Copy)]
enum Values<'a> {
    Scalar(u64),
    Tile(&'a TileRef),
}

impl Values<'_> {
    #[inline(always)]
    unsafe fn of_row<E: Elem>(&self, r: usize) -> E {
        match self {
            Self::Scalar(bits) => E::scalar(*bits),
            Self::Tile(t) => t.at::<E>(r, 0).read_unaligned(),
        }
    }

    unsafe fn check<P: Pairwise<E>, E: Elem>(&self, src: &TileRef, dst: &TileRef) -> Result<(), Fault> {
        match (P::DIVISOR, self) {
            (None, _) => Ok(()),
            (Some(Side::First), _) => no_zero::<E>(src, Cover::Same, dst),
            (_, Self::Tile(t)) => no_zero::<E>(t, Cover::SecondValues, dst),
            (_, Self::Scalar(bits)) if dst.rows * dst.cols > 0 && E::scalar(*bits).widen() == E::Wide::default() => {
                Err(Fault::DivisionByZero { row: 0, col: 0 })
            }
            _ => Ok(()),
        }
    }
}

impl<P: Pairwise<E>, E: Elem> Body for ByValue<P, E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call) -> Result<(), Fault> {
        let Some((a, values, dst)) = operands(call) else { return Ok(()) };
        values.check::<P, E>(a, dst)?;
        let (rows, cols) = match values {
            Values::Scalar(_) => joined(&[a, dst], dst.rows, dst.cols),
            Values::Tile(_) => (dst.rows, dst.cols),
        };
        for r in 0..rows {
            let value = values.of_row::<E>(r).widen();
            fill::<L, E>(dst.row(r), cols, &ByValueLanes::<P, E>(a.row(r), value, PhantomData));
        }
        Ok(())
    }

    unsafe fn plain(call: &Call) -> Result<(), Fault> {
        let Some((a, values, dst)) = operands(call) else { return Ok(()) };
        values.check::<P, E>(a, dst)?;
        each_backwards(dst, |r, c| {
            let (x, value) = (read::<E>(a, r, c).widen(), values.of_row::<E>(r).widen());
            write(dst, r, c, E::narrow(P::run::<Baseline, 1>(&[x], &[value])[0]));
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

/// The same from the last element to the first: a source that is repeated may start where the destination does, and is
/// then overwritten last.
pub fn each_backwards(tile: &TileRef, mut f: impl FnMut(usize, usize)) {
    each(tile, |r, c| f(tile.rows - 1 - r, tile.cols - 1 - c));
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
