//! The tests of this crate, in one binary: linking takes longer than most of them.

mod emit;
mod lower;
mod many_problems;
#[cfg(unix)]
mod output_files;
mod race_fixes;
mod run;
