//! Rounding modes as types, and the instructions that have them.

use super::drive::each;
use crate::level::is_old;
#[cfg(target_arch = "x86_64")]
use crate::level::is_v4;
use pto_num::convert::{int_to_f32, integral, narrow};
use pto_num::{F16, Level, Round, Saturate};

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m512, __m512i, _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEG_INF, _MM_FROUND_TO_POS_INF, _MM_FROUND_TO_ZERO,
    _mm_storeu_si128, _mm256_cvtps_ph, _mm256_loadu_ps, _mm512_abs_epi32, _mm512_add_epi32, _mm512_and_si512,
    _mm512_castsi512_ps, _mm512_cvt_roundepi32_ps, _mm512_cvt_roundepu32_ps, _mm512_loadu_si512, _mm512_lzcnt_epi32,
    _mm512_or_ps, _mm512_set1_epi32, _mm512_srlv_epi32, _mm512_storeu_ps,
};

/// A rounding mode.
pub trait Mode: 'static {
    /// Which.
    const ROUND: Round;
}

macro_rules! modes {
    ($($(#[$doc:meta])* $name:ident $round:ident;)+) => {$(
        $(#[$doc])*
        pub struct $name;
        impl Mode for $name {
            const ROUND: Round = Round::$round;
        }
    )+};
}
modes! {
    /// To nearest, ties to even.
    Rint Rint;
    /// To nearest, ties away from zero.
    Away Round;
    /// Down.
    Floor Floor;
    /// Up.
    Ceil Ceil;
    /// Towards zero.
    Trunc Trunc;
}

/// Runs an expression with a type standing for the rounding mode; `None` for the mode without vector code.
macro_rules! by_mode {
    ($round:expr, $mode:ident => $body:expr) => {
        match $round {
            pto_num::Round::Rint => {
                type $mode = $crate::convert::mode::Rint;
                Some($body)
            }
            pto_num::Round::Round => {
                type $mode = $crate::convert::mode::Away;
                Some($body)
            }
            pto_num::Round::Floor => {
                type $mode = $crate::convert::mode::Floor;
                Some($body)
            }
            pto_num::Round::Ceil => {
                type $mode = $crate::convert::mode::Ceil;
                Some($body)
            }
            pto_num::Round::Trunc => {
                type $mode = $crate::convert::mode::Trunc;
                Some($body)
            }
            pto_num::Round::Odd => None,
        }
    };
}
pub(crate) use by_mode;

#[cfg(target_arch = "x86_64")]
const fn is_directed(round: Round) -> bool {
    matches!(round, Round::Floor | Round::Ceil | Round::Trunc)
}

/// Rounds to an integral value. Every level but the lowest of x86-64 has instructions for it.
#[inline(always)]
pub fn whole<L: Level, R: Mode>(x: f32) -> f32 {
    if const { is_old::<L>() } {
        return integral(x, R::ROUND);
    }
    match R::ROUND {
        Round::Rint => x.round_ties_even(),
        Round::Round => x.round(),
        Round::Floor => x.floor(),
        Round::Ceil => x.ceil(),
        Round::Trunc => x.trunc(),
        Round::Odd => integral(x, Round::Odd),
    }
}

/// Rounds to half precision, overflow as IEEE 754 has it.
#[inline(always)]
pub fn to_half<L: Level, R: Mode, const N: usize>(x: &[f32; N]) -> [F16; N] {
    let mut bits = [0; N];
    if R::ROUND == Round::Rint {
        L::f32_to_f16(x, &mut bits);
        return each(&bits, F16);
    }
    #[cfg(target_arch = "x86_64")]
    if const { !is_old::<L>() && is_directed(R::ROUND) } {
        // SAFETY: every other level has the instruction.
        unsafe { directed_half::<R, N>(x, &mut bits) }
        return each(&bits, F16);
    }
    each(x, |x| narrow(x, R::ROUND, Saturate::Off))
}

/// # Safety
/// The processor must have AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn directed_half<R: Mode, const N: usize>(x: &[f32; N], bits: &mut [u16; N]) {
    // SAFETY: the processor has AVX-512, and arrays are as long as what is loaded.
    unsafe {
        for at in (0..N).step_by(8) {
            let x = _mm256_loadu_ps(x.as_ptr().add(at));
            let half = match R::ROUND {
                Round::Floor => _mm256_cvtps_ph::<_MM_FROUND_TO_NEG_INF>(x),
                Round::Ceil => _mm256_cvtps_ph::<_MM_FROUND_TO_POS_INF>(x),
                _ => _mm256_cvtps_ph::<_MM_FROUND_TO_ZERO>(x),
            };
            _mm_storeu_si128(bits.as_mut_ptr().add(at).cast(), half);
        }
    }
}

/// Rounds integers to single precision.
#[inline(always)]
pub fn to_single<L: Level, R: Mode, const N: usize>(x: &[i32; N]) -> [f32; N] {
    #[cfg(target_arch = "x86_64")]
    if const { is_v4::<L>() && (is_directed(R::ROUND) || matches!(R::ROUND, Round::Round)) } {
        // SAFETY: code for this level runs only on processors that have its instructions.
        return unsafe { to_single_v4::<R, N>(x) };
    }
    each(x, |x| int_to_f32(x, R::ROUND))
}

/// # Safety
/// The processor must have AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn to_single_v4<R: Mode, const N: usize>(x: &[i32; N]) -> [f32; N] {
    // SAFETY: the processor has AVX-512, and arrays are as long as what is loaded.
    unsafe {
        let mut out = [0.0; N];
        for at in (0..N).step_by(16) {
            let x = _mm512_loadu_si512(x.as_ptr().add(at).cast());
            let value = match R::ROUND {
                Round::Floor => _mm512_cvt_roundepi32_ps::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(x),
                Round::Ceil => _mm512_cvt_roundepi32_ps::<{ _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC }>(x),
                Round::Round => away(x),
                _ => _mm512_cvt_roundepi32_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(x),
            };
            _mm512_storeu_ps(out.as_mut_ptr().add(at), value);
        }
        out
    }
}

/// With half a unit of the last place more, what is behind it need only be dropped. That half is a bit eight places below
/// the leading one, and nothing where all bits fit.
///
/// # Safety
/// The processor must have the instructions of this level.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn away(x: __m512i) -> __m512 {
    // SAFETY: the processor has the instructions of this level.
    unsafe {
        let magnitude = _mm512_abs_epi32(x);
        let half = _mm512_srlv_epi32(_mm512_set1_epi32(0x80), _mm512_lzcnt_epi32(magnitude));
        let sum = _mm512_add_epi32(magnitude, half);
        let value = _mm512_cvt_roundepu32_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(sum);
        let sign = _mm512_and_si512(x, _mm512_set1_epi32(i32::MIN));
        _mm512_or_ps(value, _mm512_castsi512_ps(sign))
    }
}
