//! A PTO program: flat arenas, `u32` ids, one kind of operation.
//!
//! A [`Module`] owns everything. Operations, values, blocks and regions are positions in its arenas; lists
//! (operands, attributes, …) are ranges in shared pools. There are no lifetimes and no reference counts, so a
//! pass can hold ids across changes. What an operation means is in its table row ([`pto_isa::Row`]): operands
//! carry the slot of the row they fill.
//!
//! A tile instruction stands in one of two forms. In the *buffer form* (levels 2 and 3) its destinations are
//! operands; in the *value form* (level 1) they are results. Everything else is the same.
//!
//! Invariant: [`print`](mod@print) writes text that parses back to an equal module, in every form.

mod access;
mod attr;
pub mod buffers;
mod builder;
mod ids;
mod intern;
mod lowered;
mod make;
mod module;
pub mod print;
mod same;
mod spelling;
mod symbols;
mod view_layouts;
mod ways;

pub use attr::Attr;
pub use builder::{Builder, OpExtras};
pub use ids::{BlockId, OpId, RegionId, Sym, TypeId, ValueId};
pub use intern::Interner;
pub use make::Names;
pub use module::{Alias, Block, Comment, Def, Module, NewOp, OpData, Operand, Region, Successor, Value};
pub use print::{Form, Style, TypeStyle, print};
pub use same::same;
pub use spelling::{Listed, Spelling, TypeVotes};
pub use view_layouts::{ViewLayouts, stated_layout};
