//! Which level a kernel is being compiled for.
//!
//! In `if const { … }` these leave nothing of the other branch to compile.

use pto_num::{CpuLevel, Level};

/// The level with AVX-512.
#[cfg(target_arch = "x86_64")]
pub const fn is_v4<L: Level>() -> bool {
    matches!(L::CPU, CpuLevel::V4)
}

/// The level with AVX2.
#[cfg(target_arch = "x86_64")]
pub const fn is_v3<L: Level>() -> bool {
    matches!(L::CPU, CpuLevel::V3)
}

/// x86-64 without AVX2. Such processors are rare, and code for them is long: kernels with many versions leave them the
/// plain one.
pub const fn is_old<L: Level>() -> bool {
    cfg!(target_arch = "x86_64") && matches!(L::CPU, CpuLevel::Baseline)
}
