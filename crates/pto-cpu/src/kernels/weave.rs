//! Elements taken alternately from two rows, or given alternately to two rows; and elements made narrower.

use pto_num::Level;
use pto_vector::{Body, Call, Fault, OpKernel, Prepared, Site, TileRef, WrittenPart, contiguous};
use std::marker::PhantomData;

/// Prepares a body for elements of the size of a tile's.
macro_rules! by_size {
    ($site:expr, $slot:expr, $body:ident) => {{
        let fast = contiguous($site, &["src0", "src1", "dst0", "dst1"]);
        match $site.tile($slot)?.dtype.column_bits() {
            8 => Some(Prepared::new::<$body<u8>>($site, fast)),
            16 => Some(Prepared::new::<$body<u16>>($site, fast)),
            32 => Some(Prepared::new::<$body<u32>>($site, fast)),
            64 => Some(Prepared::new::<$body<u64>>($site, fast)),
            _ => None,
        }
    }};
}
/// Two rows become one that is twice as long, in two halves.
pub(super) const INTERLEAVE: OpKernel =
    OpKernel::new(&["src0", "src1", "dst0", "dst1"], |site| by_size!(site, "dst0", Interleave));

/// The other way round; with one source, its row is the long one.
pub(super) const DEINTERLEAVE: OpKernel =
    OpKernel::new(&["src0", "src1", "dst0", "dst1"], |site| by_size!(site, "dst0", Deinterleave));

/// Integers lose their high bits.
pub(super) const PACK: OpKernel = OpKernel::new(&["src", "dst"], prepare_pack).writing(WrittenPart::Some);

fn prepare_pack(site: &Site) -> Option<Prepared<2>> {
    let (src, dst) = (site.tile("src")?.dtype, site.tile("dst")?.dtype);
    // How a device narrows floats is not published.
    if !src.is_int() || !dst.is_int() {
        return None;
    }
    let fast = contiguous(site, &["src", "dst"]);
    match (src.bits(), dst.bits()) {
        (32, 16) => Some(Prepared::new::<Pack<u32, u16>>(site, fast)),
        (32, 8) => Some(Prepared::new::<Pack<u32, u8>>(site, fast)),
        (16, 8) => Some(Prepared::new::<Pack<u16, u8>>(site, fast)),
        _ => None,
    }
}

/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named must lie inside
/// of them.
unsafe fn get<T: Copy>(tile: &TileRef, row: usize, col: usize) -> T {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe { tile.ptr().cast::<T>().add(tile.index(row, col)).read_unaligned() }
}

/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](pto_vector::KernelFn) says, and the elements that are named must lie inside
/// of them.
unsafe fn put<T: Copy>(tile: &TileRef, row: usize, col: usize, value: T) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        tile.ptr().cast::<T>().add(tile.index(row, col)).write_unaligned(value);
    }
}

/// `to` is `a` and `b`, alternating; `count` elements of each.
///
/// # Safety
/// All elements that the other arguments count must be readable at `a` and `b` and writable at `to`.
#[inline(always)]
unsafe fn weave<T: Copy>(a: *const T, b: *const T, to: *mut T, count: usize) {
    // SAFETY: the caller answers for the elements at `a` and `b` and `to`.
    unsafe {
        for k in 0..count {
            to.add(2 * k).write_unaligned(a.add(k).read_unaligned());
            to.add(2 * k + 1).write_unaligned(b.add(k).read_unaligned());
        }
    }
}

/// Elements go to `a` and `b`, alternating; `count` elements for each.
///
/// # Safety
/// All elements that the other arguments count must be readable at `from` and writable at `a` and `b`.
#[inline(always)]
unsafe fn unweave<T: Copy>(from: *const T, a: *mut T, b: *mut T, count: usize) {
    // SAFETY: the caller answers for the elements at `from` and `a` and `b`.
    unsafe {
        for k in 0..count {
            a.add(k).write_unaligned(from.add(2 * k).read_unaligned());
            b.add(k).write_unaligned(from.add(2 * k + 1).read_unaligned());
        }
    }
}

struct Interleave<T>(PhantomData<T>);

impl<T: Copy> Body<4> for Interleave<T> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<4>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let [a, b, first, second] = call.tiles;
            let half = first.cols() / 2;
            for r in 0..first.rows() {
                weave::<T>(a.row(r), b.row(r), first.row(r), half);
                weave::<T>(a.row::<T>(r).add(half), b.row::<T>(r).add(half), second.row(r), half);
            }
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<4>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [a, b, first, second] = call.tiles;
            let cols = first.cols();
            for (r, at) in (0..first.rows()).flat_map(|r| (0..2 * cols).map(move |at| (r, at))) {
                let value = get::<T>(if at % 2 == 0 { a } else { b }, r, at / 2);
                put(if at < cols { first } else { second }, r, at % cols, value);
            }
            Ok(())
        }
    }
}

struct Deinterleave<T>(PhantomData<T>);

impl<T: Copy> Body<4> for Deinterleave<T> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<4>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let [a, b, even, odd] = call.tiles;
            let half = a.cols() / 2;
            for r in 0..even.rows() {
                unweave::<T>(a.row(r), even.row(r), odd.row(r), half);
                if b.is_present() {
                    unweave::<T>(b.row(r), even.row::<T>(r).add(half), odd.row::<T>(r).add(half), half);
                }
            }
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<4>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [a, b, even, odd] = call.tiles;
            let long = if b.is_present() { 2 * a.cols() } else { a.cols() };
            for (r, at) in (0..even.rows()).flat_map(|r| (0..long).map(move |at| (r, at))) {
                let value = get::<T>(if at < a.cols() { a } else { b }, r, at % a.cols());
                put(if at % 2 == 0 { even } else { odd }, r, at / 2, value);
            }
            Ok(())
        }
    }
}

struct Pack<S, T>(PhantomData<(S, T)>);

/// Cuts an integer.
trait Cut<T>: Copy {
    fn cut(self) -> T;
}

macro_rules! cuts {
    ($($from:ty => $to:ty;)+) => {$(
        impl Cut<$to> for $from {
            #[inline(always)]
            fn cut(self) -> $to {
                self as $to
            }
        }
    )+};
}

cuts! { u32 => u16; u32 => u8; u16 => u8; }

impl<S: Cut<T>, T: Copy> Body<2> for Pack<S, T> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let [src, dst] = call.tiles;
            for r in 0..dst.rows() {
                let (from, to) = (src.row::<S>(r), dst.row::<T>(r));
                (0..dst.cols()).for_each(|c| to.add(c).write_unaligned(from.add(c).read_unaligned().cut()));
            }
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [src, dst] = call.tiles;
            for (r, c) in (0..dst.rows()).flat_map(|r| (0..dst.cols()).map(move |c| (r, c))) {
                put(dst, r, c, get::<S>(src, r, c).cut());
            }
            Ok(())
        }
    }
}
