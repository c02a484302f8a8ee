//! The tests of this crate, in one binary: linking takes longer than most of them.

mod accuracy;
mod orders;
mod paths;
mod ranks;
mod schedules;
