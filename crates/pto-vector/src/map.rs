//! Loops over the elements of tiles: one result per element.

use super::call::{
    Body, Call, ChainLink, Fault, RowCall, RowKind, RowLayout, RowOperands, RowVersions, TileRef, row_fn,
};
use super::cover::{Cover, no_zero};
use super::elem::{Elem, has_rows};
use super::grid::{ByRow, Grid};
use super::ops;
use super::pairwise::{Pairwise, Side};
use super::parts::copy_rest;
use super::plain::{PlainOperand, PlainPair, Spaced, walk};
use super::reduce::sums_of_rows::{FilledAndSummed, SummedResults};
use super::rows::{Filled, FilledPast, Lanes, RowLanes, fill, load_some};
use pto_num::{Baseline, Level};
use std::marker::PhantomData;

pub use super::element::{read, write};
pub use super::rows::joined;

/// `dst = f(src)`; tiles: `src`, `dst`.
pub struct Unary<O, E>(PhantomData<(O, E)>);

struct UnaryLanes<O, E>(*const E, PhantomData<O>);

impl<O: ops::Unary<E::Wide>, E: Elem> Lanes<E> for UnaryLanes<O, E> {
    const WIDEST: usize = size_of::<E::Wide>();

    #[inline(always)]
    unsafe fn get<L: Level, const N: usize>(&self, at: usize, count: usize) -> [E; N] {
        // SAFETY: the sources have `at + count` elements; the processor has the instructions of this level.
        unsafe {
            let x = E::unpack::<L, N>(&load_some::<L, E, N>(self.0.add(at), count));
            E::pack::<L, N>(&O::run::<L, N>(&x))
        }
    }
}

impl<O: ops::Unary<E::Wide>, E: Elem> Body<2> for Unary<O, E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let [a, dst] = call.tiles;
            if O::DIVIDES {
                no_zero::<E>(a, Cover::Same, dst)?;
            }
            let (rows, cols) = joined(&[a, dst], dst.rows(), dst.cols());
            for r in 0..rows {
                fill::<L, E, _>(dst.row(r), cols, &UnaryLanes::<O, E>(a.row(r), PhantomData));
            }
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [a, dst] = call.tiles;
            if O::DIVIDES {
                no_zero::<E>(a, Cover::Same, dst)?;
            }
            walk(&[a, dst].map(PlainOperand::same::<E>), (dst.rows(), dst.cols()), false, elements::<O, E>);
            Ok(())
        }
    }

    const ROWS: Option<RowVersions<2>> = if has_rows::<E>() {
        Some(RowVersions::new(|_| Some(RowOperands::UNARY), row_fn::<Filled<Self>>))
    } else {
        None
    };
}

impl<O: ops::Unary<E::Wide>, E: Elem> RowLanes for Unary<O, E> {
    type Elem = E;

    #[inline(always)]
    unsafe fn lanes(row: &RowCall) -> impl Lanes<E> {
        UnaryLanes::<O, E>(row.src.cast(), PhantomData)
    }
}

/// # Safety
/// As [`PlainFn`](super::plain::PlainFn).
unsafe fn elements<O: ops::Unary<E::Wide>, E: Elem>([a, dst]: &[Spaced; 2], n: usize) {
    for i in 0..n {
        // SAFETY: there are that many elements.
        unsafe { dst.write(i, E::narrow(O::apply::<Baseline>(a.read::<E>(i).widen()))) }
    }
}

/// `dst = f(src0, src1)`; tiles: `src0`, `src1`, `dst`. The immediate is a [`Cover`], but not one of values
/// or, for the fast version, of blocks.
pub struct Binary<P, E>(PhantomData<(P, E)>);

struct BinaryLanes<P, E>(*const E, *const E, PhantomData<P>);

impl<P: Pairwise<E>, E: Elem> Lanes<E> for BinaryLanes<P, E> {
    const WIDEST: usize = size_of::<E::Wide>();

    #[inline(always)]
    unsafe fn get<L: Level, const N: usize>(&self, at: usize, count: usize) -> [E; N] {
        // SAFETY: the sources have `at + count` elements; the processor has the instructions of this level.
        unsafe {
            let x = E::unpack::<L, N>(&load_some::<L, E, N>(self.0.add(at), count));
            let y = E::unpack::<L, N>(&load_some::<L, E, N>(self.1.add(at), count));
            E::pack::<L, N>(&P::run::<L, N>(&x, &y))
        }
    }
}

impl<P: Pairwise<E>, E: Elem> Body<3> for Binary<P, E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<3>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            divisors::<P, E>(call.tiles, call.imm)?;
            let grid = Grid::new(call, size_of::<E>());
            for r in 0..grid.rows {
                let lanes = BinaryLanes::<P, E>(grid.a.row(r), grid.b.row(r), PhantomData);
                fill::<L, E, _>(grid.dst.row(r), grid.cols, &lanes);
            }
            copy_rest(call, size_of::<E>());
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<3>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says.
        unsafe { Self::PLAIN.tiles(call) }
    }

    const ROWS: Option<RowVersions<3>> = if has_rows::<E>() {
        let layout: RowLayout<3> =
            |call| matches!(Cover::of(call.imm), Cover::Same | Cover::Row).then_some(RowOperands::BINARY);
        Some(pairwise_rows::<Self, P, E, 3, 0>(layout, P::LINKS[0]))
    } else {
        None
    };
}

impl<P: Pairwise<E>, E: Elem> RowLanes for Binary<P, E> {
    type Elem = E;

    #[inline(always)]
    unsafe fn lanes(row: &RowCall) -> impl Lanes<E> {
        BinaryLanes::<P, E>(row.src.cast(), row.others[0].cast(), PhantomData)
    }
}

/// All code for rows of a function of two elements.
const fn pairwise_rows<R: RowLanes, P: Pairwise<E>, E: Elem, const T: usize, const S: usize>(
    layout: RowLayout<T, 0, S>,
    link: Option<ChainLink>,
) -> RowVersions<T, 0, S> {
    let mut rows = RowVersions::new(layout, row_fn::<Filled<R>>);
    rows.link = link;
    if P::SUMMED {
        rows.run_and_sum = Some(row_fn::<FilledAndSummed<R, SummedResults>>);
    }
    if P::LINKS[0].is_some() || P::LINKS[1].is_some() {
        rows.run_past = Some(row_fn::<FilledPast<R>>);
    }
    rows
}

impl<P: Pairwise<E>, E: Elem> Binary<P, E> {
    /// The function, for every way to bring its second operand.
    pub const PLAIN: PlainPair = PlainPair::new::<E>(P::DIVISOR, Self::elements);

    /// # Safety
    /// As [`PlainFn`](super::plain::PlainFn).
    unsafe fn elements([a, b, dst]: &[Spaced; 3], n: usize) {
        for i in 0..n {
            // SAFETY: there are that many elements.
            unsafe {
                let (x, y) = (a.read::<E>(i).widen(), b.read::<E>(i).widen());
                dst.write(i, E::narrow(P::run::<Baseline, 1>(&[x], &[y])[0]));
            }
        }
    }
}

/// Checks the divisors, when the function has some.
///
/// # Safety
/// As [`KernelFn`](super::KernelFn).
#[inline(always)]
pub unsafe fn divisors<P: Pairwise<E>, E: Elem>(tiles: &[TileRef; 3], imm: [u64; 2]) -> Result<(), Fault> {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        if const { P::DIVISOR.is_none() } {
            return Ok(());
        }
        let Some(divisor) = P::DIVISOR else { return Ok(()) };
        let [a, b, dst] = tiles;
        let cover = Cover::of(imm);
        let is_repeated = cover.repeated(a, b, dst) == Some(divisor);
        no_zero::<E>(if divisor == Side::First { a } else { b }, if is_repeated { cover } else { Cover::Same }, dst)
    }
}

/// `dst = f(src, value)` with a value for the whole tile or for each row.
///
/// Tiles: `src0`, `src1`, `dst`, and a scalar for each source. Where one source is absent its scalar is the value, otherwise
/// the immediate is a [`Cover`] of values. The function gets the value second.
pub struct ByValue<P, E>(PhantomData<(P, E)>);

/// A row, the value for it, and what is known about that.
struct ByValueLanes<P, E: Elem>(*const E, E::Wide, E::Wide, PhantomData<P>);

impl<P: Pairwise<E>, E: Elem> Lanes<E> for ByValueLanes<P, E> {
    const WIDEST: usize = size_of::<E::Wide>();

    #[inline(always)]
    unsafe fn get<L: Level, const N: usize>(&self, at: usize, count: usize) -> [E; N] {
        // SAFETY: the sources have `at + count` elements; the processor has the instructions of this level.
        unsafe {
            let x = E::unpack::<L, N>(&load_some::<L, E, N>(self.0.add(at), count));
            E::pack::<L, N>(&P::by_value::<L, N>(&x, self.1, self.2))
        }
    }
}

/// Checks the divisors, when the function has some.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](crate::KernelFn) says, and the elements that are named must lie inside of
/// them.
#[inline(always)]
unsafe fn value_divisors<P: Pairwise<E>, E: Elem>(operands: &ByRow) -> Result<(), Fault> {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        if const { P::DIVISOR.is_none() } {
            return Ok(());
        }
        let ByRow { src, dst, values, scalar } = operands;
        match (P::DIVISOR, values) {
            (None, _) => Ok(()),
            (Some(Side::First), _) => no_zero::<E>(src, Cover::Same, dst),
            (_, Some(values)) => no_zero::<E>(values, Cover::SecondValues, dst),
            _ if dst.rows() * dst.cols() > 0 && E::scalar(*scalar).widen() == E::Wide::default() => {
                Err(Fault::DivisionByZero { row: 0, col: 0 })
            }
            _ => Ok(()),
        }
    }
}

impl<P: Pairwise<E>, E: Elem> Body<3, 0, 2> for ByValue<P, E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<3, 0, 2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let Some(operands) = ByRow::new(call) else { return Ok(()) };
            value_divisors::<P, E>(&operands)?;
            let ByRow { src, dst, values, scalar } = operands;
            let (rows, cols) = operands.shape();
            for r in 0..rows {
                let value = values.map_or_else(|| E::scalar(scalar), |t| t.at::<E>(r, 0).read_unaligned()).widen();
                fill::<L, E, _>(
                    dst.row(r),
                    cols,
                    &ByValueLanes::<P, E>(src.row(r), value, P::known(value), PhantomData),
                );
            }
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<3, 0, 2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says.
        unsafe { Binary::<P, E>::PLAIN.values(call) }
    }

    const ROWS: Option<RowVersions<3, 0, 2>> =
        if has_rows::<E>() { Some(pairwise_rows::<Self, P, E, 3, 2>(values_of_rows, P::LINKS[1])) } else { None };
}

/// The operands of rows of a tile and values.
fn values_of_rows(call: &Call<3, 0, 2>) -> Option<RowOperands> {
    let values = ByRow::new(call)?.values;
    let comes_second = values.is_some() && Cover::of(call.imm) == Cover::FirstValues;
    let src = usize::from(comes_second || !call.tiles[0].is_present());
    let kind = if values.is_some() { RowKind::Values } else { RowKind::Elements };
    let scalar = values.is_none().then_some(1 - src);
    Some(RowOperands { kind, src, other: values.map(|_| 1 - src), dst: 2, scalar })
}

impl<P: Pairwise<E>, E: Elem> RowLanes for ByValue<P, E> {
    type Elem = E;

    #[inline(always)]
    unsafe fn lanes(row: &RowCall) -> impl Lanes<E> {
        let values = row.others[0].cast::<E>();
        // SAFETY: if there is a value for the row, it can be read.
        let value = if values.is_null() { E::scalar(row.scalar) } else { unsafe { values.read_unaligned() } }.widen();
        ByValueLanes::<P, E>(row.src.cast(), value, P::known(value), PhantomData)
    }
}

/// Calls a function for every valid element of a tile.
pub fn each(tile: &TileRef, mut f: impl FnMut(usize, usize)) {
    for r in 0..tile.rows() {
        for c in 0..tile.cols() {
            f(r, c);
        }
    }
}
