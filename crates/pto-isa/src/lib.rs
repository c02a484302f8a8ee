//! What PTO *is*: element types, tiles and their layouts, memories, pipes, targets, diagnostics, and the
//! instruction table that every other crate reads.
//!
//! Start with [`table`]: it has a row for each instruction, and [`Row`] says what a row can say. Rules over
//! operand types are in [`rules`]; nothing in the toolchain matches on mnemonics.
//!
//! ```
//! use pto_isa::{table, DType, Target};
//! let tmax = table::find("tmax").expect("a row").row();
//! assert!(tmax.data_types(Target::A2A3).contains(DType::F32));
//! assert!(!tmax.data_types(Target::A2A3).contains(DType::U8));
//! ```

pub mod call;
pub mod cancel;
pub mod codes;
mod diag;
mod dtype;
pub mod enums;
mod error;
pub mod fill;
mod global;
pub mod hash;
mod lowered;
pub mod ordered;
pub mod row;
pub mod rules;
pub mod shape;
pub mod sort;
pub mod table;
mod target;
pub mod text;
mod tile;
mod types;

pub use codes::Code;
pub use diag::{Change, Diagnostic, Edit, Label, Severity, Span, apply_edits};
pub use dtype::{Class, DType, DTypes, ScalarType};
pub use enums::EnumDef;
pub use error::{Error, Excerpt, Location, Source};
pub use global::{Five, GlobalLayout, GlobalLayouts, MAX_RANK, ViewType, dot};
pub use row::{Dir, Family, Row, Slot};
pub use table::Op;
pub use target::{Pipe, Profile, Space, Target, Targets};
pub use tile::{
    BLOCK_BYTES, BLayout, CACHE_LINE_BYTES, Compact, Dim, Loc, Locs, Order, Pad, SLayout, TileRule, TileType,
};
pub use types::{FnType, MemrefType, PtrSpace, Token, Type};
