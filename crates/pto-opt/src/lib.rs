//! Auto mode: tiles get their places, and pipes their order.

mod buffers;
mod effects;
mod order;
mod places;
pub mod plan;
mod ranges;
pub mod sync;
mod tree;

pub use buffers::to_buffers;
pub use plan::{Planned, plan_memory};
pub use sync::{Mode, Synced, insert_sync};

use pto_ir::{BlockId, Module};

/// Every block of a program.
fn blocks(module: &Module) -> Vec<BlockId> {
    let mut all = vec![module.top];
    module.walk(module.top, &mut |id| {
        all.extend(module.op_regions(id).iter().flat_map(|r| module.region(*r).blocks.clone()));
    });
    all
}
