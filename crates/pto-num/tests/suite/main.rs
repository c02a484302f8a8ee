//! The tests of this crate, in one binary: linking takes longer than most of them.

mod common;
mod convert;
mod formats;
mod fused;
mod levels;
mod math;
