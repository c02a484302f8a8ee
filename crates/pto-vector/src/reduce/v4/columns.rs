//! Columns, 64 at a time, for folds that are watched or slow, or whose elements are taken in halves.

use super::Registers;
use super::tree::{join, take};
use crate::bits::WORD;
use crate::call::TileRef;
use crate::elem::Elem;
use std::arch::x86_64::_mm512_setzero_si512;
use std::mem::MaybeUninit;

/// Results for 64 columns from `at` on; false when there are none, because they cannot be had this way.
///
/// # Safety
/// The columns must lie in the tile, and `to` must have room for them; the processor must have level `v4`.
#[inline(always)]
pub unsafe fn columns<F: Registers<E>, E: Elem>(src: &TileRef, at: usize, to: *mut E) -> bool {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them; the caller
    // answers for the elements at `to`; the processor has the instructions of this level.
    unsafe {
        match F::SIDE {
            _ if F::HALVED => halved::<F, E>(src, at, to),
            4 => side::<F, E, 4>(src, at, to),
            _ => side::<F, E, 2>(src, at, to),
        }
    }
}

/// Rows that are folded apart from each other, so that each is waited for a quarter as often.
const APART: usize = 4;

/// The order must not matter.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](crate::KernelFn) says, and the elements that are named must lie inside of
/// them; all elements that the other arguments count must be writable at `to`; the processor must have the instructions of this
/// level.
#[inline(always)]
unsafe fn side<F: Registers<E>, E: Elem, const SIDE: usize>(src: &TileRef, at: usize, to: *mut E) -> bool {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them; the caller
    // answers for the elements at `to`; the processor has the instructions of this level.
    unsafe {
        let lanes = WORD / SIDE;
        let row = src.row::<E>(0).cast_const().add(at);
        let mut seen = [F::NOTHING; SIDE];
        let mut all = [[_mm512_setzero_si512(); SIDE]; APART];
        let first = APART.min(src.rows());
        for (k, all) in all.iter_mut().enumerate().take(first) {
            *all = take::<F, E, SIDE>(row.add(k * src.row_stride()), !0, &mut seen[0]);
        }
        if !F::is_promising(all[0][0]) {
            return false;
        }
        let mut r = first;
        while r + APART <= src.rows() {
            // Two at a time, as memory likes it and as they are watched.
            for k in (0..APART).step_by(2) {
                let (a, b) = (row.add((r + k) * src.row_stride()), row.add((r + k + 1) * src.row_stride()));
                for i in 0..SIDE {
                    let (x, y) = (F::load(a.add(i * lanes), !0), F::load(b.add(i * lanes), !0));
                    seen[i] = F::watch(seen[i], x, y);
                    all[k][i] = F::merge(all[k][i], x);
                    all[k + 1][i] = F::merge(all[k + 1][i], y);
                }
            }
            r += APART;
        }
        for r in r..src.rows() {
            let x = take::<F, E, SIDE>(row.add(r * src.row_stride()), !0, &mut seen[0]);
            join::<F, E, SIDE>(&mut all[0], x);
        }
        for k in 1..first {
            let x = all[k];
            join::<F, E, SIDE>(&mut all[0], x);
        }
        let mut is_settled = true;
        for i in 0..SIDE {
            is_settled &= seen[i] == F::NOTHING && F::is_settled(all[0][i]);
        }
        if is_settled {
            for (i, x) in all[0].into_iter().enumerate() {
                F::put(x, to.add(i * lanes));
            }
        }
        is_settled
    }
}

/// Elements at even and odd positions, in separate registers until they are merged.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](crate::KernelFn) says, and the elements that are named must lie inside of
/// them; all elements that the other arguments count must be writable at `to`; the processor must have the instructions of this
/// level.
#[inline(always)]
unsafe fn halved<F: Registers<E>, E: Elem>(src: &TileRef, at: usize, to: *mut E) -> bool {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them; the caller
    // answers for the elements at `to`; the processor has the instructions of this level.
    unsafe {
        const HALF: usize = WORD / 2;
        let row = src.row::<E>(0).cast_const().add(at);
        let mut all = [[_mm512_setzero_si512(); 2]; 2];
        for (i, all) in all.iter_mut().enumerate() {
            *all = [F::load(row.add(i * HALF), !0), F::Odd::load(row.add(i * HALF), !0)];
        }
        for r in 1..src.rows() {
            let row = row.add(r * src.row_stride());
            for (i, all) in all.iter_mut().enumerate() {
                all[0] = F::merge(all[0], F::load(row.add(i * HALF), !0));
                all[1] = F::merge(all[1], F::Odd::load(row.add(i * HALF), !0));
            }
        }
        for (i, all) in all.into_iter().enumerate() {
            let mut results = MaybeUninit::<[[E; HALF / 2]; 2]>::uninit();
            let results = results.as_mut_ptr().cast::<E>();
            F::put(all[0], results);
            F::put(all[1], results.add(HALF / 2));
            for k in 0..HALF {
                to.add(i * HALF + k).write_unaligned(results.add(k / 2 + k % 2 * (HALF / 2)).read());
            }
        }
        true
    }
}
