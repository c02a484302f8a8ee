//! PTO programs on any machine: read, check, run, race-check, predict, emit.
//!
//! This crate is the front door. A [`Program`] is what was read from a text; a [`tile::Kernel`] is one that was written in Rust.
//! Everything that can fail gives an [`Error`], which holds all diagnostics and prints them with the lines they are about.
//!
//! ```
//! use pto::{Arg, Program, Target};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let program = Program::parse(TWICE);
//!     program.check(Target::A2A3)?; // legal, or why it is not
//!     let x = vec![1.5f32; 256];
//!     let mut y = vec![0.0f32; 256];
//!     let plan = program.plan(Target::A2A3, None, pto::Options::default())?; // prepared once, run any number of times
//!     plan.launch().blocks(2).threads(1).run(&mut [Arg::read(&x), Arg::write(&mut y)])?;
//!     assert_eq!(y, vec![3.0; 256]);
//!     program.race(Target::A2A3, &mut [Arg::read(&x), Arg::write(&mut y)])?; // nothing is unordered
//!     let cpp = program.emit_cpp(Target::A2A3)?; // addresses, flags and barriers are filled in
//!     assert!(cpp.contains("TADD("));
//!     Ok(())
//! }
//!
//! const TWICE: &str = "func.func @twice(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) {
//!   %one = arith.constant 1 : index
//!   %n = arith.constant 16 : index
//!   %xs = pto.make_tensor_view %x, shape = [%n, %n], strides = [%n, %one] : !pto.tensor_view<16x16xf32>
//!   %ys = pto.make_tensor_view %y, shape = [%n, %n], strides = [%n, %one] : !pto.tensor_view<16x16xf32>
//!   %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
//!   pto.tload ins(%xs : !pto.tensor_view<16x16xf32>) outs(%t : !pto.tile_buf<vec, 16x16xf32>)
//!   pto.tadd ins(%t, %t : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>)
//!            outs(%t : !pto.tile_buf<vec, 16x16xf32>)
//!   pto.tstore ins(%t : !pto.tile_buf<vec, 16x16xf32>) outs(%ys : !pto.tensor_view<16x16xf32>)
//!   return
//! }";
//! ```
//!
//! The same kernel in Rust, where types are checked when it is compiled; see [`tile`]:
//!
//! ```
//! use pto::tile::*;
//! use pto::{Arg, Target};
//!
//! #[pto::kernel]
//! fn twice(x: Gm<f32>, y: Gm<f32>) {
//!     let mut t = Tile::<Vector, f32, 16, 16>::new();
//!     tload(&mut t, &x.view([16, 16]));
//!     tadd(&mut t, Same, Same);
//!     tstore(&mut y.view([16, 16]), &t);
//! }
//!
//! # fn main() -> Result<(), pto::Error> {
//! let (x, mut y) = (vec![1.5f32; 256], vec![0.0f32; 256]);
//! twice().run(Target::A2A3, &mut [Arg::read(&x), Arg::write(&mut y)])?;
//! assert_eq!(y, vec![3.0; 256]);
//! # Ok(())
//! # }
//! ```
//!
//! Programs run on slices that are borrowed, never copied, and whose element types are checked; [`data`] reads and writes
//! NumPy files. The crates of the workspace ([`isa`], [`ir`], [`syntax`], [`checks`], [`cpu`], [`race`], [`cost`], [`opt`],
//! [`emit`], [`bytecode`], [`reduce`]) are re-exported.

pub mod data;
pub mod doc;
mod program;
pub mod record;
pub mod sample;
pub mod tile;

pub use pto_bytecode as bytecode;
pub use pto_check as checks;
pub use pto_cost as cost;
pub use pto_cpu as cpu;
pub use pto_emit as emit;
pub use pto_ir as ir;
pub use pto_isa as isa;
pub use pto_opt as opt;
pub use pto_race as race;
pub use pto_reduce as reduce;
pub use pto_syntax as syntax;
#[cfg(feature = "trace")]
pub use pto_trace as trace;

pub use program::{Program, text_of_bytecode};
pub use pto_check::Checked;
pub use pto_cpu::{Arg, Launch, Options, Plan, RunReport};
pub use pto_ir::{Form, Module, TypeStyle};
pub use pto_isa::{Diagnostic, Error, Target};
pub use pto_macros::{kernel, names};
