//! What the tests of the workspace share, and nothing else uses: generators of programs, an interpreter that is
//! written for clarity alone, expectations in files, shapes of large programs.

#![expect(missing_docs, reason = "only tests use it")]

mod buffers;
pub mod commands;
pub mod corpus;
pub mod elements;
pub mod expected;
pub mod faulty;
pub mod kernels;
pub mod pages;
pub mod plain;
mod programs;
pub mod random;
mod runnable;
pub mod same;
pub mod shapes;
pub mod stages;
pub mod timing;
pub mod traffic;

pub use buffers::buffers;
pub use programs::random_program;
pub use runnable::{RunParam, Runnable, Runnables};
