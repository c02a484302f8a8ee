//! The levels of x86-64.

use super::{CpuLevel, Level, LevelKernel};
use crate::format::{f16_to_f32, f32_to_f16};
use std::arch::x86_64::{
    _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEAREST_INT, _mm_loadu_si128, _mm_storeu_si128, _mm256_cvtph_ps, _mm256_cvtps_ph,
    _mm256_loadu_ps, _mm256_loadu_si256, _mm256_storeu_ps, _mm256_storeu_si256, _mm512_cvtph_ps, _mm512_cvtps_ph,
    _mm512_loadu_ps, _mm512_storeu_ps,
};

/// x86-64-v3. A kernel enables `avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct V3;

/// x86-64-v4. A kernel enables what [`V3`] has and `avx512f,avx512bw,avx512cd,avx512dq,avx512vl`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct V4;

impl Level for V3 {
    const CPU: CpuLevel = CpuLevel::V3;

    #[inline(always)]
    fn f16_to_f32<const N: usize>(src: &[u16; N], dst: &mut [f32; N]) {
        for i in 0..N / 8 {
            // SAFETY: both arrays have eight elements there; code for this level runs only with AVX and F16C.
            unsafe {
                let narrow = _mm_loadu_si128(src.as_ptr().add(8 * i).cast());
                _mm256_storeu_ps(dst.as_mut_ptr().add(8 * i), _mm256_cvtph_ps(narrow));
            }
        }
        for i in N / 8 * 8..N {
            dst[i] = f16_to_f32(src[i]);
        }
    }

    #[inline(always)]
    fn f32_to_f16<const N: usize>(src: &[f32; N], dst: &mut [u16; N]) {
        for i in 0..N / 8 {
            // SAFETY: both arrays have eight elements there; code for this level runs only with AVX and F16C.
            unsafe {
                let wide = _mm256_loadu_ps(src.as_ptr().add(8 * i));
                let narrow = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(wide);
                _mm_storeu_si128(dst.as_mut_ptr().add(8 * i).cast(), narrow);
            }
        }
        for i in N / 8 * 8..N {
            dst[i] = f32_to_f16(src[i]);
        }
    }

    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
}

impl Level for V4 {
    const CPU: CpuLevel = CpuLevel::V4;

    #[inline(always)]
    fn f16_to_f32<const N: usize>(src: &[u16; N], dst: &mut [f32; N]) {
        for i in 0..N / 16 {
            // SAFETY: both arrays have sixteen elements there; code for this level runs only with AVX-512 F.
            unsafe {
                let narrow = _mm256_loadu_si256(src.as_ptr().add(16 * i).cast());
                _mm512_storeu_ps(dst.as_mut_ptr().add(16 * i), _mm512_cvtph_ps(narrow));
            }
        }
        for i in N / 16 * 16..N {
            dst[i] = f16_to_f32(src[i]);
        }
    }

    #[inline(always)]
    fn f32_to_f16<const N: usize>(src: &[f32; N], dst: &mut [u16; N]) {
        const MODE: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
        for i in 0..N / 16 {
            // SAFETY: both arrays have sixteen elements there; code for this level runs only with AVX-512 F.
            unsafe {
                let narrow = _mm512_cvtps_ph::<MODE>(_mm512_loadu_ps(src.as_ptr().add(16 * i)));
                _mm256_storeu_si256(dst.as_mut_ptr().add(16 * i).cast(), narrow);
            }
        }
        for i in N / 16 * 16..N {
            dst[i] = f32_to_f16(src[i]);
        }
    }

    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
}

/// Runs a kernel at this level.
///
/// # Safety
/// The processor must have the level.
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe")]
pub fn run_v3<K: LevelKernel>(kernel: K) -> K::Output {
    kernel.run::<V3>()
}

/// Runs a kernel at this level.
///
/// # Safety
/// The processor must have the level.
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe")]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
pub fn run_v4<K: LevelKernel>(kernel: K) -> K::Output {
    kernel.run::<V4>()
}

/// What this processor has.
pub fn detected() -> CpuLevel {
    macro_rules! all {
        ($($feature:tt)*) => { $(is_x86_feature_detected!($feature))&&* };
    }
    let v3 = all!("avx2" "fma" "f16c" "bmi1" "bmi2" "lzcnt" "popcnt" "movbe");
    let v4 = v3 && all!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl");
    match (v3, v4) {
        (_, true) => CpuLevel::V4,
        (true, false) => CpuLevel::V3,
        (false, false) => CpuLevel::Baseline,
    }
}
