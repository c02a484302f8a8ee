//! Reductions of rows and columns.

mod arg;
mod cols;
mod fold;
mod pair;
mod rank;
mod rows;
pub mod sums_of_rows;
#[cfg(target_arch = "x86_64")]
mod v4;

use super::call::{KernelCut, OpKernel, Site};
use super::elem::{prepare, unsigned};
use arg::{ColArg, RowArg};
use cols::Cols;
use fold::{Largest, Product, Smallest, Sum};
use pair::Pairs;
use rows::Rows;

const TILES: &[&str; 2] = &["src", "dst"];
const ARG_TILES: &[&str; 3] = &["src", "dst_val", "dst_idx"];

// Lists of types: those after the semicolon do without vector instructions. No device has them, or they have 64 bits.

/// A kernel that adds or multiplies, which signed and unsigned integers do alike.
macro_rules! arithmetic {
    ($body:ident $($fold:ident)?, $($types:tt)+) => {
        OpKernel::new(TILES, |site: &Site| {
            let dtype = site.tile("src")?.dtype;
            let dtype = if dtype.is_int() { unsigned(dtype)? } else { dtype };
            prepare!(site, &["src"], dtype, E in [$($types)+] => $body<$($fold,)? E>)
        })
    };
}

/// A kernel that finds a value.
macro_rules! extreme {
    ($body:ident $fold:ident, $($types:tt)+) => {
        OpKernel::new(TILES, |site: &Site| {
            prepare!(site, &["src"], site.tile("src")?.dtype, E in [$($types)+] => $body<$fold, E>)
        })
    };
}

/// A kernel that finds an index.
macro_rules! argument {
    ($body:ident $fold:ident, $($types:tt)+) => {
        OpKernel::new(ARG_TILES, |site: &Site| {
            let index = u64::from(site.tile("dst_idx")?.dtype.unit_bytes());
            prepare!(site, &["src"], site.tile("src")?.dtype, E in [$($types)+] => $body<$fold, E>)
                .map(|p| p.with([index, 0]))
        })
    };
}

pto_isa::reduce!(kernels);

const KERNELS: Kernels = Kernels {
    trowsum: arithmetic!(Rows Sum, U16 U32 F16 F32; U8 U64 Bf16).cut(KernelCut::ROWS),
    trowprod: arithmetic!(Rows Product, U16 U32 F16 F32; U8 U64 Bf16).cut(KernelCut::ROWS),
    trowmax: extreme!(Rows Largest, I8 U8 I16 I32 F16 F32; U16 U32 I64 U64 Bf16).cut(KernelCut::ROWS),
    trowmin: extreme!(Rows Smallest, I8 U8 I16 I32 F16 F32; U16 U32 I64 U64 Bf16).cut(KernelCut::ROWS),
    trowargmax: argument!(RowArg Largest, I16 U16 I32 U32 F16 Bf16 F32; I8 U8 I64 U64).cut(KernelCut::ROWS),
    trowargmin: argument!(RowArg Smallest, I16 U16 I32 U32 F16 Bf16 F32; I8 U8 I64 U64).cut(KernelCut::ROWS),
    tcolsum: arithmetic!(Cols Sum, U8 U16 U32 F16 Bf16 F32; U64),
    tcolprod: arithmetic!(Cols Product, U16 U32 F16 Bf16 F32; U8 U64),
    tcolmax: extreme!(Cols Largest, I8 U8 I16 U16 I32 U32 F16 Bf16 F32; I64 U64),
    tcolmin: extreme!(Cols Smallest, I8 U8 I16 U16 I32 U32 F16 Bf16 F32; I64 U64),
    tcolargmax: argument!(ColArg Largest, I8 U8 I16 U16 I32 U32 F16 Bf16 F32; I64 U64),
    tcolargmin: argument!(ColArg Smallest, I8 U8 I16 U16 I32 U32 F16 Bf16 F32; I64 U64),
    tpairreducesum: arithmetic!(Pairs, F16 F32; U8 U16 U32 U64 Bf16),
};
