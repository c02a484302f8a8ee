//! Executing a plan.

mod arguments;
mod core;
mod data;
mod fail;
mod follow;
mod kernel;
mod launch;
mod links;
mod measure;
mod observe;
mod place;
mod print;
mod printf;
mod reorder;
mod scalar;
mod schedule;
mod shared;
mod spin;
mod team;
mod tell;
mod transfer;
mod turns;
mod written;

pub(crate) use arguments::packed;
pub use launch::Timing;
pub use measure::{Extent, Known, Measure};
pub use observe::{
    Access, Action, Answer, Atomic, CoreId, DEVICE, Detail, Event, Flag, Observer, Place, Ring, Signal, StoredWord,
};
pub use print::Printed;
pub(crate) use print::Style;
pub use tell::CACHE_LINE;

/// Tile operands a kernel may have.
pub(crate) const MAX_TILES: usize = 12;
/// Windows of global memory a kernel may have.
pub(crate) const MAX_VIEWS: usize = 2;
/// Scalars a kernel may have.
pub(crate) const MAX_SCALARS: usize = 16;
