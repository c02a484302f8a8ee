//! Kernels: what each instruction does to its operands.
//!
//! A kernel is the arithmetic of one element ([`ops`]) in a loop over tiles ([`map`] and its neighbours), compiled for
//! each element type and for several levels of the processor. The files named like the families of the table list, for
//! every instruction, which one it is.

#![expect(unsafe_code, reason = "kernels work on raw memory that the engine has checked")]

/// Makes a structure with a kernel for every instruction of a family: one that is left out does not compile.
macro_rules! kernels {
    ($($id:ident)+) => {
        struct Kernels { $($id: Kernel),+ }

        /// The kernels of the family, in table order.
        pub(super) static LIST: &[(pto_isa::Op, Kernel)] = &[$((pto_isa::table::op::$id, KERNELS.$id)),+];
    };
}

mod apply;
mod bits;
mod call;
mod convert;
mod cover;
pub(crate) mod elem;
mod elementwise;
mod expand;
mod fill;
mod grid;
mod irregular;
mod layout;
mod level;
mod map;
mod mask;
mod matrix;
mod memory;
mod narrowing;
mod ops;
mod pairwise;
mod partial;
mod parts;
#[cfg(test)]
mod probe;
mod quant;
mod reduce;
mod rows;
mod ternary;
#[cfg(test)]
mod tests;
mod tile_scalar;
mod transfer;

pub use apply::{Placed, apply};
pub use call::{Call, Fault, Kernel, KernelFn, Numerics, Prepared, Site, TileRef, ViewRef};

use pto_isa::{Op, Order, table};
use std::sync::OnceLock;

/// The kernel of an instruction; `None` for operations that are not executed by one.
pub fn find(op: Op) -> Option<&'static Kernel> {
    static BY_OP: OnceLock<Vec<Option<&'static Kernel>>> = OnceLock::new();
    BY_OP.get_or_init(by_op)[op.index()]
}

fn by_op() -> Vec<Option<&'static Kernel>> {
    let families = [
        elementwise::LIST,
        tile_scalar::LIST,
        partial::LIST,
        reduce::LIST,
        expand::LIST,
        memory::LIST,
        matrix::LIST,
        layout::LIST,
        quant::LIST,
        irregular::LIST,
    ];
    let mut all = vec![None; table::COUNT];
    for (op, kernel) in families.into_iter().flatten() {
        all[op.index()] = Some(kernel);
    }
    all
}

/// True when all these tiles have contiguous rows.
fn contiguous(site: &Site, slots: &[&str]) -> bool {
    slots.iter().filter_map(|s| site.tile(s)).all(|t| t.order() == Order::Nd)
}
