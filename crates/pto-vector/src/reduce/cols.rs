//! One result per column.

use super::fold::Fold;
use super::rows::Reduce;
#[cfg(target_arch = "x86_64")]
use super::v4;
use crate::call::{Body, Call, Fault, TileRef};
use crate::elem::Elem;
#[cfg(target_arch = "x86_64")]
use crate::level::is_v4;
use crate::map::{read, write};
use crate::rows::opaque;
use pto_num::Level;
use std::marker::PhantomData;

/// `dst[0,j] = f(src[0..,j])`; tiles: `src`, `dst`.
pub struct Cols<F, E>(PhantomData<(F, E)>);

/// Columns that have a result, unless the source or the destination is empty.
pub fn extent(src: &TileRef, dst: &TileRef) -> usize {
    if src.rows() == 0 || dst.rows() == 0 { 0 } else { src.cols().min(dst.cols()) }
}

impl<F: Reduce<E>, E: Elem> Body<2> for Cols<F, E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let [src, dst] = call.tiles;
            let n = extent(src, dst);
            let mut at = 0;
            while at + 64 <= n {
                wide_chunk::<L, F, E>(src, dst, at);
                at += 64;
            }
            while at + 16 <= n {
                chunk::<L, F, E, 16>(src, dst, at);
                at += 16;
            }
            while at < n {
                chunk::<L, F, E, 1>(src, dst, at);
                at += 1;
            }
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [src, dst] = call.tiles;
            for c in 0..extent(src, dst) {
                let mut all = read::<E>(src, 0, c).widen();
                for r in 1..src.rows() {
                    all = F::pair(all, read::<E>(src, r, c).widen());
                }
                write(dst, 0, c, E::narrow(all));
            }
            Ok(())
        }
    }
}

/// 64 columns, in the fastest way.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](crate::KernelFn) says, and the elements that are named must lie inside of
/// them; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn wide_chunk<L: Level, F: Reduce<E>, E: Elem>(src: &TileRef, dst: &TileRef, at: usize) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them; the processor must have
    // the instructions of this level.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if const { is_v4::<L>() && (F::WATCHED || F::SLOW || F::HALVED) } {
            let done = v4::columns::<F, E>(src, at, dst.row::<E>(0).add(at));
            // Only what is watched may have no result.
            if const { !F::WATCHED } || done {
                return;
            }
        }
        chunk::<L, F, E, 64>(src, dst, at);
    }
}

/// `N` columns at once, kept in registers from the first row to the last.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](crate::KernelFn) says, and the elements that are named must lie inside of
/// them; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn chunk<L: Level, F: Fold<E>, E: Elem, const N: usize>(src: &TileRef, dst: &TileRef, at: usize) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them; the processor must have
    // the instructions of this level.
    unsafe {
        let (from, stride) = (src.row::<E>(0).cast_const().add(at), src.row_stride());
        let row = |r: usize| from.add(if const { F::UNORDERED } { opaque(r * stride) } else { r * stride });
        let mut all = load::<L, F, E, N>(from);
        let mut next = 1;
        // Several rows at once are waited for once. Of floats it is one after the other: keys of several do not stay vectors.
        if const { F::GROUPED && N > 1 } {
            while next + 4 <= src.rows() {
                let row = row(next);
                let x = [
                    load::<L, F, E, N>(row),
                    load::<L, F, E, N>(row.add(stride)),
                    load::<L, F, E, N>(row.add(2 * stride)),
                    load::<L, F, E, N>(row.add(3 * stride)),
                ];
                for i in 0..N {
                    all[i] = F::join(all[i], F::join(F::join(x[0][i], x[1][i]), F::join(x[2][i], x[3][i])));
                }
                next += 4;
            }
        }
        for r in next..src.rows() {
            let x = load::<L, F, E, N>(row(r));
            for i in 0..N {
                all[i] = F::join(all[i], x[i]);
            }
        }
        dst.row::<E>(0).add(at).cast::<[E; N]>().write_unaligned(F::finish::<L, N>(&all));
    }
}

/// `N` columns of a row. A closure would be compiled without the instructions of the level, unless it happened to be inlined.
///
/// # Safety
/// `N` elements must be readable at `row`; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn load<L: Level, F: Fold<E>, E: Elem, const N: usize>(row: *const E) -> [F::Lane; N] {
    // SAFETY: the caller answers for the elements; the processor has the instructions of this level.
    unsafe { F::take::<L, N>(&row.cast::<[E; N]>().read_unaligned()) }
}
