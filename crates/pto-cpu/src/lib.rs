//! Runs PTO programs on the host.

pub mod kernels;
