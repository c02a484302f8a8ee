//! The tests of this crate, in one binary: linking takes longer than most of them.

mod engine;
mod engine_regressions;
mod factors;
mod img2col;
mod irregular;
mod legal;
mod links;
mod loop_iterations;
mod lower_levels;
mod overlaps;
mod polling;
mod prints;
mod products;
mod random;
mod regions;
mod shared_loops;
mod strips;
mod uninitialised;
mod wanted;
