//! Reductions of rows and columns.

mod arg;
mod cols;
mod fold;
mod pair;
mod rank;
mod rows;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod v4;

use super::call::{Kernel, Prepared, Site};
use super::contiguous;
use super::elem::{by_type, unsigned};
use arg::{ColArg, RowArg};
use cols::Cols;
use fold::{Largest, Product, Smallest, Sum};
use pair::Pairs;
use rows::Rows;

const TILES: &[&str; 2] = &["src", "dst"];
const ARG_TILES: &[&str; 3] = &["src", "dst_val", "dst_idx"];

/// A kernel that adds or multiplies, which signed and unsigned integers do alike.
macro_rules! arithmetic {
    ($body:ident $($fold:ident)?) => {
        Kernel::new(TILES, |site: &Site| {
            let dtype = site.tile("src")?.dtype;
            let dtype = if dtype.is_int() { unsigned(dtype)? } else { dtype };
            by_type!(dtype, E in [U8 U16 U32 U64 F16 Bf16 F32] =>
                Prepared::new::<$body<$($fold,)? E>>(site, contiguous(site, &["src"])))
        })
    };
}

/// A kernel that finds a value.
macro_rules! extreme {
    ($body:ident $fold:ident) => {
        Kernel::new(TILES, |site: &Site| {
            by_type!(site.tile("src")?.dtype, E in [I8 U8 I16 U16 I32 U32 I64 U64 F16 Bf16 F32] =>
                Prepared::new::<$body<$fold, E>>(site, contiguous(site, &["src"])))
        })
    };
}

/// A kernel that finds an index.
macro_rules! argument {
    ($body:ident $fold:ident) => {
        Kernel::new(ARG_TILES, |site: &Site| {
            let index = u64::from(site.tile("dst_idx")?.dtype.unit_bytes());
            by_type!(site.tile("src")?.dtype, E in [I8 U8 I16 U16 I32 U32 I64 U64 F16 Bf16 F32] =>
                Prepared::new::<$body<$fold, E>>(site, contiguous(site, &["src"])).with([index, 0]))
        })
    };
}

pto_isa::reduce!(kernels);

const KERNELS: Kernels = Kernels {
    trowsum: arithmetic!(Rows Sum),
    trowprod: arithmetic!(Rows Product),
    trowmax: extreme!(Rows Largest),
    trowmin: extreme!(Rows Smallest),
    trowargmax: argument!(RowArg Largest),
    trowargmin: argument!(RowArg Smallest),
    tcolsum: arithmetic!(Cols Sum),
    tcolprod: arithmetic!(Cols Product),
    tcolmax: extreme!(Cols Largest),
    tcolmin: extreme!(Cols Smallest),
    tcolargmax: argument!(ColArg Largest),
    tcolargmin: argument!(ColArg Smallest),
    tpairreducesum: arithmetic!(Pairs),
};
