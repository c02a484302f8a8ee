//! The tests of this crate, in one binary: linking takes longer than most of them.

mod generic;
mod help;
mod layout;
mod limits;
