//! Auto mode: tiles get their places, and pipes their order.

mod effects;
mod order;
mod places;
pub mod plan;
mod ranges;
mod scratch;
mod slots;
pub mod sync;
mod tree;

pub use plan::{Planned, plan_memory};
pub use scratch::provide_scratch;
pub use sync::{Mode, Synced, insert_sync};

use pto_check::Checked;
use pto_ir::Module;
use pto_isa::{Diagnostic, Targets};

/// Writes the tile values of a program as buffers, for its target.
///
/// # Errors
/// See [`pto_ir::buffers::to_buffers`].
pub fn to_buffers(checked: &Checked) -> Result<Module, Vec<Diagnostic>> {
    pto_ir::buffers::to_buffers(checked.module(), Targets::of(&[checked.info().target]))
}

/// True when [`to_buffers`] changes a program.
pub fn needs_buffers(checked: &Checked) -> bool {
    pto_ir::buffers::are_needed(checked.module(), Targets::of(&[checked.info().target]))
}
