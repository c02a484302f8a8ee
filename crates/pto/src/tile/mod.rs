//! Kernels written in Rust: the intrinsics of the instruction pages, with types.
//!
//! A kernel is a Rust function that is called once and recorded. Tiles, views and scalars are handles of values of the
//! program; an instruction is a function: `tmax(&mut dst, &src0, &src1)`. The result is an ordinary program: it is checked,
//! run, race-checked, predicted and emitted like text ([`Kernel`]).
//!
//! ```
//! use pto::tile::*;
//! use pto::{Arg, Target};
//!
//! #[pto::kernel]
//! fn add(x: Gm<f32>, y: Gm<f32>, z: Gm<f32>) {
//!     let (xs, ys, zs) = (x.view([1024, 64]), y.view([1024, 64]), z.view([1024, 64]));
//!     for_range(0, 1024, 64, |row| {
//!         let (mut a, mut b) = (Tile::<Vector, f32, 64, 64>::new(), Tile::<Vector, f32, 64, 64>::new());
//!         tload(&mut a, &xs.part((row, 0), [64, 64]));
//!         tload(&mut b, &ys.part((row, 0), [64, 64]));
//!         tadd(&mut a, Same, &b);
//!         tstore(&mut zs.part((row, 0), [64, 64]), &a);
//!     });
//! }
//!
//! let (x, y, mut z) = (vec![1.0f32; 65536], vec![2.0f32; 65536], vec![0.0f32; 65536]);
//! add().run(Target::A2A3, &mut [Arg::read(&x), Arg::read(&y), Arg::write(&mut z)]).expect("it runs");
//! assert_eq!(z, vec![3.0; 65536]);
//! ```
//!
//! # What is an error when
//! - **When the Rust program is built**: tile types that break a static rule, elements that an instruction takes on no
//!   target, operands of different element types, tiles in the wrong memory.
//! - **When the kernel is checked for a target**: everything else, with the diagnostics that text programs get, pointing at
//!   the Rust line ([`Error`](crate::Error)).
//!
//! # Auto and manual mode
//! Without addresses, tiles are placed and pipes ordered by the toolchain ([`Kernel::lower`]). With [`tassign`], the kernel
//! places its tiles itself, and orders its pipes with events ([`Issued::after`]) or with [`set_flag`], [`wait_flag`] and
//! [`barrier`].

#![expect(
    clippy::needless_pass_by_value,
    reason = "handles are numbers: kernels read better when they are passed as they are"
)]

mod attrs;
mod control;
mod global;
mod issued;
mod kernel;
mod marks;
#[doc(hidden)]
pub mod naming;
mod scalar;
#[expect(clippy::module_inception, reason = "it is about the type of that name")]
mod tile;
mod tokens;
mod trace;

pub use attrs::AttrArg;
pub use control::{
    Branch, Carry, cube_function, for_carry, for_range, if_then, on_cube, on_vector, vector_function, while_loop,
};
pub use global::{Gm, View};
pub use issued::Issued;
pub use kernel::{Kernel, KernelParam, TracedFn};
pub use marks::*;
pub use pto_num::{Bf16, F4E1M2, F4E2M1, F8E4M3, F8E5M2, F8E8M0, F16, Hif8, I4};
pub use scalar::{
    AnyInt, AnyScalar, Arithmetic, Bits, Bool, Index, IndexList, Integer, Scalar, ScalarOf, TileOrScalar,
};
pub use tile::{
    DYN, Same, SourceTile, Tile, TileAcc, TileBias, TileLeft, TileMat, TileOf, TileOrView, TileRight, TileScaling, name,
};
pub use tokens::{AsyncEvent, EventToken, Opaque, PipeHandle, Session};
pub use trace::{Handle, ResultHandle};

use crate::record::ViewKind;
use attrs::{EnumChoice, Symbol};
use global::view_type;
use trace::InstrCall;

include!(concat!(env!("OUT_DIR"), "/intrinsics.rs"));

#[cfg(test)]
mod tests;
