//! Sums of neighbouring columns.

use crate::call::{Body, Call, Fault};
use crate::elem::Elem;
use crate::map::{each, read, write};
use crate::reduce::fold::{Fold, Sum};
use pto_num::Level;
use std::marker::PhantomData;

/// `dst[i,k] = src[i,2k] + src[i,2k+1]`; tiles: `src`, `dst`.
pub struct Pairs<E>(PhantomData<E>);

/// Sums computed at once.
const CHUNK: usize = 32;

impl<E: Elem> Body<2> for Pairs<E>
where
    Sum: Fold<E, Lane = E::Wide>,
{
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let [src, dst] = call.tiles;
            for r in 0..dst.rows() {
                row::<L, E>(dst.row(r), src.row(r), dst.cols());
            }
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [src, dst] = call.tiles;
            each(dst, |r, c| {
                let value = match 2 * c {
                    left if left + 1 < dst.cols() => {
                        let (a, b) = (read::<E>(src, r, left), read::<E>(src, r, left + 1));
                        E::narrow(Sum::pair(a.widen(), b.widen()))
                    }
                    left if left < dst.cols() => read(src, r, left),
                    _ => E::narrow(E::Wide::default()),
                };
                write(dst, r, c, value);
            });
            Ok(())
        }
    }
}

/// A row of `n` elements. The results take the left half, so what they overwrite has been read when both are one tile.
///
/// # Safety
/// All elements that the other arguments count must be readable at `src` and writable at `dst`; the processor must have the
/// instructions of this level.
#[inline(always)]
unsafe fn row<L: Level, E: Elem>(dst: *mut E, src: *const E, n: usize)
where
    Sum: Fold<E, Lane = E::Wide>,
{
    // SAFETY: the caller answers for the elements at `src` and `dst`; the processor has the instructions of this level.
    unsafe {
        let pairs = n / 2;
        let mut at = 0;
        while at + CHUNK <= pairs {
            span::<L, E, CHUNK>(dst.add(at), src.add(2 * at));
            at += CHUNK;
        }
        while at < pairs {
            span::<L, E, 1>(dst.add(at), src.add(2 * at));
            at += 1;
        }
        let zero = E::narrow(E::Wide::default());
        if n % 2 == 1 {
            dst.add(at).write_unaligned(src.add(2 * at).read_unaligned());
            at += 1;
        }
        for i in at..n {
            dst.add(i).write_unaligned(zero);
        }
    }
}

/// # Safety
/// All elements that the other arguments count must be readable at `src` and writable at `dst`; the processor must have the
/// instructions of this level.
#[inline(always)]
unsafe fn span<L: Level, E: Elem, const N: usize>(dst: *mut E, src: *const E)
where
    Sum: Fold<E, Lane = E::Wide>,
{
    // SAFETY: the caller answers for the elements at `src` and `dst`; the processor has the instructions of this level.
    unsafe {
        let pairs = src.cast::<[[E; 2]; N]>().read_unaligned();
        let mut sides = [[pairs[0][0]; N]; 2];
        for i in 0..N {
            (sides[0][i], sides[1][i]) = (pairs[i][0], pairs[i][1]);
        }
        let (left, right) = (E::load::<L, N>(&sides[0]), E::load::<L, N>(&sides[1]));
        let mut sums = left;
        for i in 0..N {
            sums[i] = Sum::join(left[i], right[i]);
        }
        dst.cast::<[E; N]>().write_unaligned(E::store::<L, N>(&sums));
    }
}
