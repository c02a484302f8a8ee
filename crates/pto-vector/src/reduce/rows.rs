//! One result per row.

use super::fold::{Fold, Sum};
use crate::call::{Body, Call, Fault, RowBody, RowCall, RowKind, RowLayout, RowOperands, RowVersions, TileRef, row_fn};
use crate::elem::{Elem, has_rows};
use crate::element::{read, write};
#[cfg(target_arch = "x86_64")]
use crate::level::{is_v3, is_v4};
use pto_num::Level;
use std::any::TypeId;
use std::hint::black_box;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Lanes of a row; the number is part of what a sum is.
pub const LANES: usize = 64;

#[cfg(not(target_arch = "x86_64"))]
pub use super::fold::Fold as Reduce;
/// A fold with everything a processor may have for it.
#[cfg(target_arch = "x86_64")]
pub use super::v4::Reduce;

/// `dst[i,0] = f(src[i,0..])`; tiles: `src`, `dst`.
pub struct Rows<F, E>(PhantomData<(F, E)>);

/// Rows that have a result, unless the source or the destination is empty.
pub fn extent(src: &TileRef, dst: &TileRef) -> usize {
    if src.cols() == 0 || dst.cols() == 0 { 0 } else { src.rows().min(dst.rows()) }
}

impl<F: Reduce<E>, E: Elem> Body<2> for Rows<F, E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            // Copies, which what is written cannot change.
            let [src, dst] = *call.tiles;
            let rows = extent(&src, &dst);
            let direct = dst.row_stride() == 1;
            let mut buffer = MaybeUninit::<[E; MOST]>::uninit();
            let mut base = 0;
            while base < rows {
                let to = if direct { dst.row(base) } else { buffer.as_mut_ptr().cast() };
                let count = group::<L, F, E>(&src, base, rows, to);
                if !direct {
                    for i in 0..count {
                        dst.at::<E>(base + i, 0).write_unaligned(buffer.as_ptr().cast::<E>().add(i).read());
                    }
                }
                base += count;
            }
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [src, dst] = call.tiles;
            for r in 0..extent(src, dst) {
                write(dst, r, 0, plain_row::<F, E>(src, r));
            }
            Ok(())
        }
    }

    const ROWS: Option<RowVersions<2>> = if has_rows::<E>() {
        let layout: RowLayout<2> = |call| {
            let [src, dst] = call.tiles;
            let adds = TypeId::of::<F>() == TypeId::of::<Sum>();
            let kind = if adds { RowKind::Sum } else { RowKind::Reduction };
            (src.cols() > 0 && dst.cols() > 0).then_some(RowOperands { kind, ..RowOperands::UNARY })
        };
        Some(RowVersions::new(layout, row_fn::<Self>))
    } else {
        None
    };
}

impl<F: Reduce<E>, E: Elem> RowBody for Rows<F, E> {
    #[inline(always)]
    unsafe fn run<L: Level>(row: &RowCall) {
        // SAFETY: the row is as `RowFn` says, and not empty; the processor has the instructions of this level.
        unsafe { single::<L, F, E>(row.src.cast(), row.count, row.dst.cast()) }
    }
}

/// The result of one row.
///
/// # Safety
/// `n` elements, at least one, must be readable at `from`, and one writable at `to`; the processor must have the level.
#[inline(always)]
unsafe fn single<L: Level, F: Reduce<E>, E: Elem>(from: *const E, n: usize, to: *mut E) {
    // SAFETY: the caller answers for the elements and the processor.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if const { F::PRESENT && is_v4::<L>() } {
            return super::v4::single::<F, E>(from, n, to);
        }
        to.write_unaligned(any_row::<L, F, E>(from, n));
    }
}

/// The most rows that are reduced together.
pub const MOST: usize = 64;

/// The results of the first rows from `base` on, and how many: at most [`MOST`].
///
/// # Safety
/// The rows must lie in the tile and have at least one column; the processor must have the level.
#[inline(always)]
pub unsafe fn group<L: Level, F: Reduce<E>, E: Elem>(src: &TileRef, base: usize, rows: usize, to: *mut E) -> usize {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them; the caller
    // answers for the elements at `to`; the processor has the instructions of this level.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if const { F::PRESENT && is_v4::<L>() } {
            return super::v4::group::<F, E>(src, base, rows, to);
        }
        debug_assert!(base < rows);
        let from = src.row::<E>(base).cast_const();
        // Fewer columns than lanes leave the upper lanes empty, and the steps that would take them in do nothing.
        let n = src.cols();
        #[cfg(target_arch = "x86_64")]
        if const { is_v3::<L>() } {
            to.write_unaligned(row_v3::<F, E>(from, n));
            return 1;
        }
        to.write_unaligned(any_row::<L, F, E>(from, n));
        1
    }
}

/// One copy of the code for all kernels that reduce rows.
///
/// # Safety
/// `n` elements must be readable at `from`; the processor must have level `v3`.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe")]
unsafe fn row_v3<F: Fold<E>, E: Elem>(from: *const E, n: usize) -> E {
    // SAFETY: the caller answers for the elements and the processor.
    unsafe { any_row::<pto_num::V3, F, E>(from, n) }
}

/// The result of a row of `n` elements.
///
/// # Safety
/// `n` elements must be readable at `from`; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn any_row<L: Level, F: Fold<E>, E: Elem>(from: *const E, n: usize) -> E {
    // SAFETY: the caller answers for the elements and the processor.
    unsafe { if n <= 16 { row::<L, F, E, 16>(from, n) } else { row::<L, F, E, LANES>(from, n) } }
}

/// The result of a row of `n` elements, in `N` lanes.
///
/// # Safety
/// All elements that the other arguments count must be readable at `row`; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn row<L: Level, F: Fold<E>, E: Elem, const N: usize>(row: *const E, n: usize) -> E {
    // SAFETY: the caller answers for the elements at `row`; the processor has the instructions of this level.
    unsafe {
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
            let mut x = [row.read_unaligned(); N];
            std::ptr::copy_nonoverlapping(row.add(at), x.as_mut_ptr(), n - at);
            let x = F::take::<L, N>(&x);
            for i in 0..N {
                lanes[i] = F::join(lanes[i], if i < n - at { x[i] } else { F::start() });
            }
        }
        F::finish::<L, 1>(&[across::<F, E, N>(lanes)])[0]
    }
}

/// All lanes as one: lane `i` takes in lane `i + N / 2`, and so on with half as many.
#[inline(always)]
pub fn across<F: Fold<E>, E: Elem, const N: usize>(mut lanes: [F::Lane; N]) -> F::Lane {
    if N > 32 {
        halve::<F, E, N, 32>(&mut lanes);
        halve::<F, E, N, 16>(&mut lanes);
    }
    halve::<F, E, N, 8>(&mut lanes);
    halve::<F, E, N, 4>(&mut lanes);
    halve::<F, E, N, 2>(&mut lanes);
    halve::<F, E, N, 1>(&mut lanes);
    lanes[0]
}

#[inline(always)]
fn halve<F: Fold<E>, E: Elem, const N: usize, const HALF: usize>(lanes: &mut [F::Lane; N]) {
    for i in 0..HALF {
        lanes[i] = F::join(lanes[i], lanes[i + HALF]);
    }
}

/// The result of a row by the letter: lanes without elements do not take part.
///
/// # Safety
/// The row must lie in the tile and have at least one column.
pub unsafe fn plain_row<F: Fold<E>, E: Elem>(src: &TileRef, r: usize) -> E {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        let mut lanes = [E::Wide::default(); LANES];
        for (c, lane) in lanes.iter_mut().enumerate().take(src.cols()) {
            *lane = read::<E>(src, r, c).widen();
        }
        for c in LANES..src.cols() {
            let lane = &mut lanes[c % LANES];
            *lane = F::pair(*lane, read::<E>(src, r, c).widen());
        }
        // Unrolled, this would be the longest code of all.
        let mut half = black_box(LANES / 2);
        while half > 0 {
            for i in 0..half.min(src.cols().saturating_sub(half)) {
                lanes[i] = F::pair(lanes[i], lanes[i + half]);
            }
            half /= 2;
        }
        E::narrow(lanes[0])
    }
}
