//! Instructions that repeat a row or a column.

use super::blocks::ByBlock;
use super::call::{
    Body, Call, Fault, KernelCut, NONE, OpKernel, Prepared, RowCall, RowKind, RowLayout, RowOperands, RowVersions,
    Site, TileRef, row_fn,
};
use super::contiguous;
use super::cover::Cover;
use super::elem::{Elem, modular, prepare};
use super::map::{Binary, ByValue};
use super::ops::{Add, Div, Exp, Max, Min, Mul, Sub};
use super::pairwise::{Swap, Then};
use super::plain::{PlainOperand, Spaced, walk};
use super::rows::{Filled, Lanes, RowLanes, fill};
use pto_isa::BLayout;
use pto_num::Level;
use std::convert::identity;
use std::marker::PhantomData;

const BINARY: &[&str; 3] = &["src0", "src1", "dst"];
const UNARY: &[&str; 2] = &["src", "dst"];

/// The second source is a row for all rows.
const BY_COLUMN: KernelCut = KernelCut::ROWS.with_whole(1);

/// `eᵃ⁻ᵇ`, the difference rounded.
type ExpDif = Then<Sub, Exp>;

/// A kernel with a value, or 32 bytes, for each row of one source. The second function is the first with its operands
/// exchanged.
macro_rules! by_row {
    ($op:ty, $swapped:ty, $of:expr, $($types:tt)+) => {
        OpKernel::taking(BINARY, &[], &[NONE, NONE], |site: &Site| {
            let dtype = $of(site.tile("dst")?.dtype);
            let is_values = |slot| site.tile(slot).is_some_and(|t| t.blayout == BLayout::ColMajor);
            if is_values("src1") {
                prepare!(site, &["src0", "dst"], dtype, E in [$($types)+] => ByValue<$op, E>)
                    .map(|p| p.with(Cover::SecondValues.imm()))
            } else if is_values("src0") {
                prepare!(site, &["src1", "dst"], dtype, E in [$($types)+] => ByValue<$swapped, E>)
                    .map(|p| p.with(Cover::FirstValues.imm()))
            } else {
                prepare!(site, BINARY, dtype, E in [$($types)+] => ByBlock<$op, E>).map(|p| p.with(Cover::Block.imm()))
            }
        })
        .cut(KernelCut::ROWS)
    };
}

/// A kernel with one row for all rows.
macro_rules! by_column {
    ($op:ty, $of:expr, $($types:tt)+) => {
        OpKernel::new(BINARY, |site: &Site| {
            let dtype = $of(site.tile("dst")?.dtype);
            prepare!(site, BINARY, dtype, E in [$($types)+] => Binary<$op, E>).map(|p| p.with(Cover::Row.imm()))
        })
        .cut(BY_COLUMN)
    };
}

/// A copy, for elements of any type of this size.
macro_rules! copy {
    ($body:ident, $contiguous:expr) => {
        OpKernel::new(UNARY, |site: &Site| {
            let rows = contiguous(site, $contiguous);
            match site.tile("dst")?.dtype.unit_bytes() {
                1 => Some(Prepared::new::<$body<i8>>(site, rows)),
                2 => Some(Prepared::new::<$body<i16>>(site, rows)),
                4 => Some(Prepared::new::<$body<i32>>(site, rows)),
                8 => Some(Prepared::plain::<$body<i64>>()),
                _ => None,
            }
        })
    };
}

/// `dst[i,j] = src[i,0]`; tiles: `src`, `dst`.
struct FirstOfRow<E>(PhantomData<E>);

struct Repeated<E>(E);

impl<E: Elem> Lanes<E> for Repeated<E> {
    const WIDEST: usize = size_of::<E>();

    #[inline(always)]
    unsafe fn get<L: Level, const N: usize>(&self, _at: usize, _count: usize) -> [E; N] {
        [self.0; N]
    }
}

impl<E: Elem> Body<2> for FirstOfRow<E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let [src, dst] = call.tiles;
            for r in 0..dst.rows() {
                fill::<L, E, _>(dst.row(r), dst.cols(), &Repeated(src.at::<E>(r, 0).read_unaligned()));
            }
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [src, dst] = call.tiles;
            copy::<E>(src, Cover::SecondValues, dst);
            Ok(())
        }
    }

    // The elements are only copied, so the code for an integer is that for a float as wide.
    const ROWS: Option<RowVersions<2>> = if size_of::<E>() == 4 {
        let layout: RowLayout<2> = |_| Some(RowOperands { kind: RowKind::Values, ..RowOperands::UNARY });
        Some(RowVersions::new(layout, row_fn::<Filled<Self>>))
    } else {
        None
    };
}

impl<E: Elem> RowLanes for FirstOfRow<E> {
    type Elem = E;

    #[inline(always)]
    unsafe fn lanes(row: &RowCall) -> impl Lanes<E> {
        // SAFETY: the source has the value.
        Repeated(unsafe { row.src.cast::<E>().read_unaligned() })
    }
}

/// `dst[i,j] = src[0,j]`; tiles: `src`, `dst`.
struct FirstRow<E>(PhantomData<E>);

impl<E: Elem> Body<2> for FirstRow<E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let [src, dst] = call.tiles;
            for r in (0..dst.rows()).rev() {
                std::ptr::copy(src.row::<E>(0), dst.row::<E>(r), dst.cols());
            }
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [src, dst] = call.tiles;
            copy::<E>(src, Cover::Row, dst);
            Ok(())
        }
    }
}

/// Copies what a source repeats, in any layout.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](crate::KernelFn) says.
unsafe fn copy<E: Elem>(src: &TileRef, cover: Cover, dst: &TileRef) {
    /// # Safety
    /// As [`PlainFn`](super::plain::PlainFn).
    unsafe fn elements<E: Elem>([src, dst]: &[Spaced; 2], n: usize) {
        for i in 0..n {
            // SAFETY: there are that many elements.
            unsafe { dst.write(i, src.read::<E>(i)) }
        }
    }
    let operands = [PlainOperand::Tile(src, size_of::<E>(), cover), PlainOperand::same::<E>(dst)];
    // SAFETY: the operands are those of a call.
    unsafe { walk(&operands, (dst.rows(), dst.cols()), true, elements::<E>) }
}

pto_isa::expand!(kernels);

const KERNELS: Kernels = Kernels {
    trowexpand: copy!(FirstOfRow, &["dst"]).cut(KernelCut::ROWS),
    trowexpandadd: by_row!(Add, Add, modular, I8 I16 I32 F16 Bf16 F32;),
    trowexpandsub: by_row!(Sub, Swap<Sub>, modular, I8 I16 I32 F16 Bf16 F32;),
    trowexpandmul: by_row!(Mul, Mul, modular, I8 I16 I32 F16 Bf16 F32;),
    trowexpanddiv: by_row!(Div, Swap<Div>, identity, F16 Bf16 F32; I8 U8 I16 U16 I32 U32)
        .cut(KernelCut::ROWS.dividing()),
    trowexpandmax: by_row!(Max, Max, identity, F16 F32;),
    trowexpandmin: by_row!(Min, Min, identity, I8 U8 I16 U16 I32 U32 F16 Bf16 F32;),
    trowexpandexpdif: by_row!(ExpDif, Swap<ExpDif>, identity, F16 F32;),
    tcolexpand: copy!(FirstRow, UNARY).cut(KernelCut::ROWS.with_whole(0)),
    tcolexpandadd: by_column!(Add, modular, I8 I16 I32 F16 Bf16 F32;),
    tcolexpandsub: by_column!(Sub, modular, I8 I16 I32 F16 Bf16 F32;),
    tcolexpandmul: by_column!(Mul, modular, I8 I16 I32 F16 Bf16 F32;),
    tcolexpanddiv: by_column!(Div, identity, F16 Bf16 F32; I8 U8 I16 U16 I32 U32).cut(BY_COLUMN.dividing()),
    tcolexpandmax: by_column!(Max, identity, I8 U8 I16 U16 I32 U32 F16 Bf16 F32;),
    tcolexpandmin: by_column!(Min, identity, I8 U8 I16 U16 I32 U32 F16 Bf16 F32;),
    tcolexpandexpdif: by_column!(ExpDif, identity, F16 F32;),
};
