//! The tests of this crate, in one binary.

mod python;
mod python_calls;
