//! Number formats and vector math with one answer everywhere.
//!
//! Kernels are compiled once per [`Level`] of the processor and vectorised by the compiler. What this crate gives them
//! is either correctly rounded, or plain multiplications and additions in one fixed order, so that the same input gives
//! the same bits on every level and machine; only the payload of a NaN may differ.

pub mod convert;
mod exact;
pub mod format;
mod level;
pub mod math;
mod round;

pub use exact::Exact;
pub use format::{Bf16, F4E1M2, F4E2M1, F8E4M3, F8E5M2, F8E8M0, F16, Float, Format, Hif8, I4};
pub use level::{Baseline, CpuLevel, Kernel, Level, cpu_level, dispatch, dispatch_at};
#[cfg(target_arch = "x86_64")]
pub use level::{V3, V4};
pub use round::{Round, Saturate};
