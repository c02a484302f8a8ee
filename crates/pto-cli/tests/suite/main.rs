//! The tests of this crate, in one binary: linking takes longer than most of them.

#[cfg(unix)]
mod chinese;
#[cfg(unix)]
mod debug;
mod docs;
mod emit;
mod faults;
mod lower;
mod lsp;
mod manual;
mod many_problems;
#[cfg(unix)]
mod output_files;
mod picture;
mod race_fixes;
#[cfg(target_os = "linux")]
mod ranks;
#[cfg(unix)]
mod reduce;
mod reports;
mod run;
mod site;
