//! What the kernels compute. They are tests of their own because a unit test would compile the crate twice, and it takes long.

#![expect(unsafe_code, reason = "kernels work on raw memory that the tests own")]

mod blocks;
mod convert;
mod fill;
mod kernels;
mod lower_levels;
mod mask;
mod probe;
mod quotients;
mod ranks;
mod reduce;
mod rows;
