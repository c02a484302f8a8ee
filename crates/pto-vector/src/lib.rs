//! Kernels of the vector instructions, and what a kernel is.
//!
//! A kernel is the arithmetic of one element (`ops`) in a loop over tiles (`map` and its neighbours), compiled for
//! each element type and for several levels of the processor. The files named like the families of the table list, for
//! every instruction, which one it is.
//!
//! They are a separate crate because they take long to compile and rarely change.

#![expect(unsafe_code, reason = "kernels work on raw memory that the engine has checked")]

/// Makes a structure with a kernel for every instruction of a family: one that is left out does not compile.
#[macro_export]
macro_rules! kernels {
    ($($id:ident)+) => {
        struct Kernels { $($id: $crate::OpKernel),+ }

        /// The kernels of the family, in table order.
        pub(super) static LIST: &[(pto_isa::Op, $crate::OpKernel)] = &[$((pto_isa::table::op::$id, KERNELS.$id)),+];
    };
}

mod bits;
mod blocks;
mod call;
mod chain;
mod convert;
mod cover;
mod divide;
pub mod elem;
mod element;
mod elementwise;
mod expand;
mod fill;
mod grid;
mod level;
mod map;
mod mask;
mod narrowing;
mod ops;
mod pairwise;
mod partial;
mod parts;
mod plain;
mod quotient;
mod reduce;
mod rows;
mod ternary;
mod tile_scalar;

pub use call::{
    Arity, Body, BoundCode, Call, ChainLink, Code, FactorUse, Fault, Fetch, FetchedRange, KernelCut, KernelFn,
    MOST_LINKS, NONE, Numerics, OpKernel, Prepare, Prepared, RecordUse, RowCall, RowCode, RowFn, RowKind, RowLayout,
    RowOperands, RowVersions, Site, TileRef, ViewRef, WrittenPart,
};
pub use chain::{chain, difference_and_squares, sum_of_products};
pub use fill::{IOTA, TRIANGLE};
pub use map::{read, write};

use pto_isa::{Op, Order, table};

/// The kernels of this crate, by family.
pub static FAMILIES: [&[(Op, OpKernel)]; 6] = [
    elementwise::LIST,
    tile_scalar::LIST,
    partial::LIST,
    reduce::LIST,
    expand::LIST,
    &[(table::op::tci, IOTA), (table::op::ttri, TRIANGLE)],
];

/// The kernel of a vector instruction.
pub fn find(op: Op) -> Option<&'static OpKernel> {
    FAMILIES.into_iter().flatten().find(|(of, _)| *of == op).map(|(_, kernel)| kernel)
}

/// True when all these tiles have contiguous rows.
pub fn contiguous(site: &Site, slots: &[&str]) -> bool {
    slots.iter().filter_map(|s| site.tile(s)).all(|t| t.order() == Order::Nd)
}
