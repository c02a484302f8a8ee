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
