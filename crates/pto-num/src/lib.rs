//! Number formats and vector math with one answer everywhere.
//!
//! Kernels are compiled once per [`Level`] of the processor and vectorised by the compiler. What this crate gives them
//! is either correctly rounded, or plain multiplications and additions in one fixed order, so that the same input gives
//! the same bits on every level and machine; only the payload of a NaN may differ.
//!
//! - [`math`]: elementary functions for vector loops, fused multiply-add, remainders.
//! - [`convert`]: rounding to narrower floats and to integers, for vector loops, in every mode.
//! - [`Exact`] and [`Format`]: any value of any format without loss, and one encoder. Slow, obvious, and what the fast
//!   conversions are tested against.
//! - [`Level`], [`LevelKernel`], [`dispatch`]: one source, compiled for several processors.
//!
//! ```
//! use pto_num::{LevelKernel, Level, dispatch, math};
//!
//! struct Exp<'a>(&'a [f32], &'a mut [f32]);
//!
//! impl LevelKernel for Exp<'_> {
//!     type Output = ();
//!
//!     #[inline(always)]
//!     fn run<L: Level>(self) {
//!         for (x, y) in self.0.iter().zip(self.1) {
//!             *y = math::exp::<L>(*x);
//!         }
//!     }
//! }
//!
//! let mut y = [0.0; 3];
//! dispatch(Exp(&[0.0, 1.0, f32::NEG_INFINITY], &mut y));
//! assert_eq!(y, [1.0, std::f32::consts::E, 0.0]);
//! ```

pub mod convert;
mod exact;
pub mod format;
mod level;
pub mod math;
mod round;

pub use exact::Exact;
pub use format::{Bf16, F4E1M2, F4E2M1, F8E4M3, F8E5M2, F8E8M0, F16, Float, Format, Hif8, I4};
pub use level::{
    Baseline, CpuLevel, Level, LevelKernel, ProductUnit, cpu_level, dispatch, dispatch_at, most_product_unit,
    unknown_level,
};
#[cfg(target_arch = "x86_64")]
pub use level::{V3, V4};
pub use round::{Round, Saturate};
