//! Loops over tiles where one source has 32 bytes for each row.

use super::call::{Body, Call, Fault, TileRef};
use super::cover::{Cover, block};
use super::elem::Elem;
use super::map::{Binary, divisors};
use super::pairwise::{Pairwise, Side};
use super::rows::{Aligned, SMALL, load_some, opaque, store_some};
use pto_num::Level;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// `dst = f(src0, src1)`; tiles: `src0`, `src1`, `dst`; scalars as [`ByValue`](super::map::ByValue) takes them. One source is repeated along its rows, as [`Cover::Block`] says.
pub struct ByBlock<P, E>(PhantomData<(P, E)>);

impl<P: Pairwise<E>, E: Elem> Body<3, 0, 2> for ByBlock<P, E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<3, 0, 2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            divisors::<P, E>(call.tiles, call.imm)?;
            let [a, b, dst] = *call.tiles;
            // Where nothing is written, there need not be a block for each row.
            if dst.cols() == 0 {
                return Ok(());
            }
            if Cover::Block.repeated(&a, &b, &dst) == Some(Side::First) {
                tile::<L, P, E, true>(&b, &a, &dst);
            } else {
                tile::<L, P, E, false>(&a, &b, &dst);
            }
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<3, 0, 2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says.
        unsafe { Binary::<P, E>::PLAIN.tiles(&Call { tiles: call.tiles, views: &[], scalars: &[], imm: call.imm }) }
    }
}

/// A tile and the blocks of its rows, which come first or second.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](crate::KernelFn) says, and the elements that are named must lie inside of
/// them; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn tile<L: Level, P: Pairwise<E>, E: Elem, const FIRST: bool>(src: &TileRef, blocks: &TileRef, dst: &TileRef) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them; the processor must have
    // the instructions of this level.
    unsafe {
        // A block twice is a whole vector, which has to go through memory once.
        let mut twice = MaybeUninit::<Aligned<[u64; 8]>>::uninit();
        let twice = twice.as_mut_ptr().cast::<[u64; 8]>();
        for r in 0..dst.rows() {
            let [a, b, c, d] = blocks.row::<E>(r).cast::<[u64; 4]>().read_unaligned();
            twice.write([a, b, c, d, a, b, c, d]);
            let (to, from) = (dst.row::<E>(r), src.row::<E>(r).cast_const());
            match size_of::<E>() {
                1 => row::<L, P, E, FIRST, 64>(to, from, twice.cast(), dst.cols()),
                2 => row::<L, P, E, FIRST, 32>(to, from, twice.cast(), dst.cols()),
                _ => row::<L, P, E, FIRST, 16>(to, from, twice.cast(), dst.cols()),
            }
        }
    }
}

/// A row of `n` elements, and a block twice: `N` elements.
///
/// # Safety
/// All elements that the other arguments count must be readable at `src` and `twice` and writable at `dst`; the
/// processor has the instructions of this level.
#[inline(always)]
unsafe fn row<L: Level, P: Pairwise<E>, E: Elem, const FIRST: bool, const N: usize>(
    dst: *mut E,
    src: *const E,
    twice: *const E,
    n: usize,
) {
    // SAFETY: the caller answers for the elements at `src` and `twice` and `dst`; the processor has the instructions of
    // this level.
    unsafe {
        let block_wide = E::unpack::<L, N>(&twice.cast::<[E; N]>().read_unaligned());
        let mut at = 0;
        while at + N <= n {
            let x = E::unpack::<L, N>(&src.add(opaque(at)).cast::<[E; N]>().read_unaligned());
            let out = if FIRST { P::run::<L, N>(&block_wide, &x) } else { P::run::<L, N>(&x, &block_wide) };
            dst.add(at).cast::<[E; N]>().write_unaligned(E::pack::<L, N>(&out));
            at += N;
        }
        while at < n {
            let count = SMALL.min(n - at);
            let x = E::unpack::<L, SMALL>(&load_some::<L, E, SMALL>(src.add(at), count));
            let y = E::unpack::<L, SMALL>(&twice.add(at % block::<E>()).cast::<[E; SMALL]>().read_unaligned());
            let out = if FIRST { P::run::<L, SMALL>(&y, &x) } else { P::run::<L, SMALL>(&x, &y) };
            store_some::<L, E, SMALL>(dst.add(at), &E::pack::<L, SMALL>(&out), count);
            at += count;
        }
    }
}
