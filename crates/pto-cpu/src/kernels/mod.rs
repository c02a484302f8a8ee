//! Kernels: what each instruction does to its operands.
//!
//! Those of the vector families are in `pto-vector`; here are the ones that move data and multiply matrices. The files
//! named like the families of the table list, for every instruction, which kernel it is.

#![expect(unsafe_code, reason = "kernels work on raw memory that the engine has checked")]

pub(crate) mod ahead;
mod apply;
mod blocks;
#[cfg(target_arch = "x86_64")]
mod cells;
mod combine;
mod fixpipe;
mod img2col;
mod indexed;
mod irregular;
mod layout;
mod matrix;
mod memory;
mod moved;
mod moves;
mod nibbles;
mod packed;
mod padding;
mod place;
mod quant;
mod rearrange;
mod stream;
mod transfer;
mod transpose;
mod weave;
mod window;

pub use apply::{SlotStart, apply};
pub(crate) use combine::Combine;
pub(crate) use matrix::{
    KeptFactor, MOST_CHAINED, NextFactors, ROUNDING, Rounding, chaining, keeping, packing, restore_factor,
};
pub(crate) use moves::{MovedFactor, holds_factor, keeps_factor};
pub use pto_vector::{Arity, Code, Fault, Numerics, OpKernel, Site, TileRef, ViewRef};
pub(crate) use pto_vector::{
    ChainLink, FactorUse, Fetch, FetchedRange, KernelCut, MOST_LINKS, RecordUse, RowCall, RowCode, RowFn, RowKind,
    WrittenPart, chain, difference_and_squares, sum_of_products,
};
pub(crate) use stream::{append, copy_past, finish as finish_past};
pub(crate) use window::check as check_window;

use pto_isa::{Op, table};
use std::sync::OnceLock;

/// The kernel of an instruction; `None` for operations that are not executed by one.
pub fn find(op: Op) -> Option<&'static OpKernel> {
    static BY_OP: OnceLock<Vec<Option<&'static OpKernel>>> = OnceLock::new();
    BY_OP.get_or_init(by_op)[op.index()]
}

fn by_op() -> Vec<Option<&'static OpKernel>> {
    let own = [memory::LIST, matrix::LIST, layout::LIST, quant::LIST, irregular::LIST];
    let mut all = vec![None; table::COUNT];
    for (op, kernel) in pto_vector::FAMILIES.into_iter().chain(own).flatten() {
        all[op.index()] = Some(kernel);
    }
    all
}
