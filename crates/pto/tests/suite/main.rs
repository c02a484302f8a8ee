//! The tests of this crate, in one binary: linking takes longer than most of them.

mod api;
mod bounds;
mod emit_forms;
mod emitted_order;
mod examples;
mod format;
mod fuzz;
mod growth;
mod hazards;
mod imports;
mod links;
mod outside;
mod perf;
mod perf_advice;
mod race_mutations;
mod random_links;
mod random_runs;
mod reference;
mod roundtrip;
mod seed_pages;
mod source_code;
mod tidy;
mod tile;
mod tile_examples;
mod tutorial;
mod wrong;
