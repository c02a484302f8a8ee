//! Number formats and vector math with one answer everywhere.
//!
//! Kernels are compiled once per [`Level`] of the processor and vectorised by the compiler. What this crate gives them
//! is either correctly rounded, or plain multiplications and additions in one fixed order, so that the same input gives
//! the same bits on every level and machine; only the payload of a NaN may differ.

mod half;
mod level;
pub mod math;

pub use half::{Bf16, F16};
pub use level::{Baseline, CpuLevel, Level, cpu_level};
#[cfg(target_arch = "x86_64")]
pub use level::{V3, V4};
