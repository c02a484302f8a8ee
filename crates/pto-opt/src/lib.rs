//! Auto mode: tiles get their places, and pipes their order.

mod effects;
mod order;
mod places;
pub mod plan;
mod ranges;
pub mod sync;
mod tree;

pub use places::{Home, Region};
pub use plan::{Planned, plan_memory};
pub use sync::{Mode, Synced, insert_sync};

use pto_check::Checked;
use pto_ir::{BlockId, Module};
use pto_isa::Diagnostic;

/// Writes tile values as buffers.
///
/// # Errors
/// What cannot be written so.
pub fn to_buffers(checked: &Checked) -> Result<Module, Vec<Diagnostic>> {
    pto_ir::convert::to_buffers(checked.module())
}

/// Every block of a program.
fn blocks(module: &Module) -> Vec<BlockId> {
    let mut all = vec![module.top];
    module.walk(module.top, &mut |id| {
        all.extend(module.op_regions(id).iter().flat_map(|r| module.region(*r).blocks.clone()));
    });
    all
}
