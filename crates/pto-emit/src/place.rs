//! Lookups: the operations of functions, and the addresses of pipe buffers.

use pto_ir::{Module, OpId};
use pto_isa::row::Fifo;

/// The address of a buffer that an operation reserves; the planner has given one to those that the program does not place.
pub(crate) fn reserved(module: &Module, id: OpId) -> Option<u64> {
    if module.fifo(id) != Some(Fifo::Reserve) {
        return None;
    }
    module.given_int(id, "base").and_then(|n| u64::try_from(n).ok())
}

/// Every operation of a function, in text order.
pub(crate) fn inside(module: &Module, function: OpId) -> Vec<OpId> {
    let mut inside = Vec::new();
    for &region in module.op_regions(function) {
        for &block in &module.region(region).blocks {
            module.walk(block, &mut |id| inside.push(id));
        }
    }
    inside
}

/// The function around an operation.
pub(crate) fn function_of(module: &Module, id: OpId) -> Option<OpId> {
    module.functions().into_iter().find(|f| inside(module, *f).contains(&id))
}
