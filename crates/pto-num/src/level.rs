//! The feature levels a kernel is compiled for, and what the processor offers.

use crate::format::{f16_to_f32, f32_to_f16};
use std::sync::OnceLock;

#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
pub use x86::{V3, V4};

/// What a kernel is compiled for.
///
/// A kernel is `#[inline(always)]` and generic over its level. It is instantiated inside one `#[target_feature]` function
/// per level, so everything it calls is compiled with those features too; [`dispatch`] does that. All levels give the
/// same results.
///
/// The methods of `V3` and `V4` execute their instructions unconditionally: code that names these types must have asked
/// [`cpu_level`] before.
pub trait Level: Copy + 'static {
    /// Which one it is, as a value.
    const CPU: CpuLevel;

    /// Widens half precision; exact, and a signalling NaN becomes quiet.
    fn f16_to_f32<const N: usize>(src: &[u16; N], dst: &mut [f32; N]);

    /// Narrows to half precision: to nearest, ties to even, overflow to infinity.
    fn f32_to_f16<const N: usize>(src: &[f32; N], dst: &mut [u16; N]);

    /// Whether there is an instruction for [`Level::fma`].
    const FUSES: bool = true;

    /// `a * b + c`, rounded once.
    fn fma(a: f32, b: f32, c: f32) -> f32;
}

/// Every processor: no feature beyond the target's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Baseline;

impl Level for Baseline {
    const CPU: CpuLevel = CpuLevel::Baseline;

    #[inline(always)]
    fn f16_to_f32<const N: usize>(src: &[u16; N], dst: &mut [f32; N]) {
        for i in 0..N {
            dst[i] = f16_to_f32(src[i]);
        }
    }

    #[inline(always)]
    fn f32_to_f16<const N: usize>(src: &[f32; N], dst: &mut [u16; N]) {
        for i in 0..N {
            dst[i] = f32_to_f16(src[i]);
        }
    }

    const FUSES: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));

    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        if Self::FUSES { a.mul_add(b, c) } else { crate::math::fma(a, b, c) }
    }
}

/// The highest level of a processor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CpuLevel {
    /// No feature beyond the target's own.
    Baseline,
    /// x86-64-v3: AVX2, FMA, F16C and the bit instructions.
    V3,
    /// x86-64-v4: AVX-512 F, BW, CD, DQ, VL.
    V4,
}

impl CpuLevel {
    /// Every level, lowest first.
    pub const ALL: [Self; 3] = [Self::Baseline, Self::V3, Self::V4];

    /// The name that `PTO_CPU_LEVEL` uses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::V3 => "v3",
            Self::V4 => "v4",
        }
    }
}

/// Instructions for products that a processor may have beyond its level.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ProductUnit {
    /// None.
    None,
    /// Sums of four products of bytes (AVX-512 VNNI).
    Bytes,
    /// A unit for matrices (AMX).
    Matrix,
}

impl ProductUnit {
    /// Every one, the smallest first.
    pub const ALL: [Self; 3] = [Self::None, Self::Bytes, Self::Matrix];

    /// The name that `PTO_CPU_LEVEL` uses; without such instructions, that of a level.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Bytes => "vnni",
            Self::Matrix => "amx",
        }
    }
}

/// What `PTO_CPU_LEVEL` asks for: a level without anything beyond it, or the highest level with some instructions for products. Everything,
/// if it names none.
fn asked() -> (CpuLevel, ProductUnit) {
    named(&asked_name()).unwrap_or((CpuLevel::V4, ProductUnit::Matrix))
}

fn asked_name() -> String {
    std::env::var_os("PTO_CPU_LEVEL").unwrap_or_default().to_string_lossy().into_owned()
}

fn named(name: &str) -> Option<(CpuLevel, ProductUnit)> {
    let level = CpuLevel::ALL.into_iter().find(|l| l.name().eq_ignore_ascii_case(name));
    let unit = ProductUnit::ALL[1..].iter().find(|u| u.name().eq_ignore_ascii_case(name));
    level.map(|level| (level, ProductUnit::None)).or(unit.map(|unit| (CpuLevel::V4, *unit)))
}

/// What `PTO_CPU_LEVEL` is, if it is neither empty nor the name of a level. It has no effect then.
///
/// ```
/// assert_eq!(pto_num::unknown_level(), None);
/// ```
pub fn unknown_level() -> Option<String> {
    Some(asked_name()).filter(|name| !name.is_empty() && named(name).is_none())
}

/// The level to run kernels at: what the processor offers, or less if `PTO_CPU_LEVEL` names a lower one.
///
/// Found once per process.
pub fn cpu_level() -> CpuLevel {
    static FOUND: OnceLock<CpuLevel> = OnceLock::new();
    *FOUND.get_or_init(|| asked().0.min(detected()))
}

/// The most that products may use beyond the level: less than everything if `PTO_CPU_LEVEL` says so. Whether the processor has it is
/// another question.
///
/// ```
/// assert!(pto_num::most_product_unit() >= pto_num::ProductUnit::None);
/// ```
pub fn most_product_unit() -> ProductUnit {
    static FOUND: OnceLock<ProductUnit> = OnceLock::new();
    *FOUND.get_or_init(|| asked().1)
}

/// Work that is compiled once per level.
///
/// `run` and what it calls in its loops must be `#[inline(always)]`: only what ends up inside the function that
/// [`dispatch`] enters is compiled with the features of the level.
pub trait LevelKernel {
    /// What the work gives.
    type Output;

    /// Does the work.
    fn run<L: Level>(self) -> Self::Output;
}

/// Runs a kernel at [`cpu_level`].
#[inline]
pub fn dispatch<K: LevelKernel>(kernel: K) -> K::Output {
    dispatch_at(cpu_level(), kernel)
}

/// Runs a kernel at a level, or at [`cpu_level`] if that is lower.
#[inline]
pub fn dispatch_at<K: LevelKernel>(level: CpuLevel, kernel: K) -> K::Output {
    match level.min(cpu_level()) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has the level.
        CpuLevel::V4 => unsafe { x86::run_v4(kernel) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has the level.
        CpuLevel::V3 => unsafe { x86::run_v3(kernel) },
        _ => kernel.run::<Baseline>(),
    }
}

#[cfg(target_arch = "x86_64")]
fn detected() -> CpuLevel {
    x86::detected()
}

#[cfg(not(target_arch = "x86_64"))]
fn detected() -> CpuLevel {
    CpuLevel::Baseline
}
