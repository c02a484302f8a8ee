//! Conversions in AVX-512 registers, sixteen numbers at a time.
//!
//! No closures here: the compiler gives them no features, so the instructions in them would be calls.

use super::drive::{Conversion, Job, Limits, exactly};
use super::how::ConvertOptions;
use super::mode::Mode;
use pto_num::{Bf16, F16, Round, Saturate};
use std::arch::x86_64::{
    __m256i, __m512, __m512i, _CMP_GE_OQ, _CMP_ORD_Q, _CMP_UNORD_Q, _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEAREST_INT,
    _MM_FROUND_TO_NEG_INF, _MM_FROUND_TO_POS_INF, _MM_FROUND_TO_ZERO, _mm_mask_storeu_epi8, _mm_maskz_loadu_epi8,
    _mm256_mask_storeu_epi16, _mm256_maskz_loadu_epi16, _mm512_add_epi32, _mm512_add_ps, _mm512_and_ps,
    _mm512_and_si512, _mm512_andnot_si512, _mm512_castps_si512, _mm512_castsi128_si512, _mm512_castsi256_si512,
    _mm512_castsi512_ps, _mm512_castsi512_si128, _mm512_castsi512_si256, _mm512_cmp_ps_mask, _mm512_cmpeq_epi32_mask,
    _mm512_cvt_roundps_epi32, _mm512_cvtepi8_epi32, _mm512_cvtepi16_epi32, _mm512_cvtepi32_epi8, _mm512_cvtepi32_epi16,
    _mm512_cvtepi32_ps, _mm512_cvtepu8_epi32, _mm512_cvtepu16_epi32, _mm512_cvtph_ps, _mm512_cvtps_ph,
    _mm512_cvtsepi32_epi8, _mm512_cvtsepi32_epi16, _mm512_cvttps_epi32, _mm512_cvtusepi32_epi8,
    _mm512_cvtusepi32_epi16, _mm512_fpclass_ps_mask, _mm512_mask_mov_epi32, _mm512_mask_storeu_epi32,
    _mm512_maskz_loadu_ps, _mm512_maskz_mov_epi32, _mm512_max_epi32, _mm512_max_ps, _mm512_min_ps, _mm512_or_ps,
    _mm512_or_si512, _mm512_roundscale_ps, _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_si512, _mm512_slli_epi32,
    _mm512_srai_epi32, _mm512_srli_epi32,
};

/// Numbers in a register of single precision.
const LANES: usize = 16;

/// The range to keep to, in every lane.
#[derive(Clone, Copy)]
pub struct Range {
    low: __m512,
    high: __m512,
}

impl Range {
    /// # Safety
    /// The processor must have level `v4`.
    #[inline(always)]
    unsafe fn of(limits: &Limits) -> Self {
        // SAFETY: the processor has the instructions of this level.
        unsafe { Self { low: _mm512_set1_ps(limits.low), high: _mm512_set1_ps(limits.high) } }
    }
}

/// Converts a row.
///
/// # Safety
/// The numbers of the row must be readable and the results writable; the processor must have level `v4`.
#[inline(always)]
pub unsafe fn row<C: Conversion>(src: *const C::Src, dst: *mut C::Dst, job: &Job) {
    // SAFETY: the caller answers for the elements at `src` and `dst`; the processor has the instructions of this level.
    unsafe {
        // Only wider results go from the last to the first.
        let back = if const { size_of::<C::Dst>() > size_of::<C::Src>() } { job.back } else { false };
        match (job.how.saturate, back) {
            (Saturate::On, false) => forth::<C, true>(src, dst, job),
            (Saturate::Off, false) => forth::<C, false>(src, dst, job),
            (Saturate::On, true) => self::back::<C, true>(src, dst, job),
            (Saturate::Off, true) => self::back::<C, false>(src, dst, job),
        }
    }
}

/// # Safety
/// As [`row`].
#[inline(always)]
unsafe fn forth<C: Conversion, const ON: bool>(src: *const C::Src, dst: *mut C::Dst, job: &Job) {
    // SAFETY: the caller answers for the elements at `src` and `dst`; the processor has the instructions of this level.
    unsafe {
        let range = Range::of(&job.limits);
        let fours = job.cols / (4 * LANES);
        for i in 0..fours {
            step::<C, ON>(src, dst, 4 * i * LANES, !0, job.how, range);
            step::<C, ON>(src, dst, (4 * i + 1) * LANES, !0, job.how, range);
            step::<C, ON>(src, dst, (4 * i + 2) * LANES, !0, job.how, range);
            step::<C, ON>(src, dst, (4 * i + 3) * LANES, !0, job.how, range);
        }
        for i in 4 * fours..job.cols.div_ceil(LANES) {
            step::<C, ON>(src, dst, i * LANES, valid(job.cols - i * LANES), job.how, range);
        }
    }
}

/// # Safety
/// As [`row`].
#[inline(always)]
unsafe fn back<C: Conversion, const ON: bool>(src: *const C::Src, dst: *mut C::Dst, job: &Job) {
    // SAFETY: the caller answers for the elements at `src` and `dst`; the processor has the instructions of this level.
    unsafe {
        let range = Range::of(&job.limits);
        for i in (0..job.cols.div_ceil(LANES)).rev() {
            step::<C, ON>(src, dst, i * LANES, valid(job.cols - i * LANES), job.how, range);
        }
    }
}

/// A bit for each of the next numbers of a row, of which `left` are left.
#[inline(always)]
fn valid(left: usize) -> u16 {
    if left >= LANES { !0 } else { (1 << left) - 1 }
}

/// # Safety
/// As [`row`], for the numbers from `at` on that `valid` has.
#[inline(always)]
unsafe fn step<C: Conversion, const ON: bool>(
    src: *const C::Src,
    dst: *mut C::Dst,
    at: usize,
    valid: u16,
    how: ConvertOptions,
    range: Range,
) {
    // SAFETY: the caller answers for the elements at `src` and `dst`; the processor has the instructions of this level.
    unsafe {
        let (value, lost) = C::sixteen::<ON>(src.add(at), valid, range);
        if lost == 0 {
            C::store(dst.add(at), valid, value);
        } else {
            exactly(src.add(at).cast(), dst.add(at).cast(), valid.count_ones() as usize, how);
        }
    }
}

/// Numbers that can be loaded as single precision.
pub trait Load: Copy {
    /// The numbers that `valid` has, zero elsewhere.
    ///
    /// # Safety
    /// They must be readable; the processor must have level `v4`.
    unsafe fn load(from: *const Self, valid: u16) -> __m512;
}

macro_rules! loads {
    ($($type:ty, |$from:ident, $valid:ident| $value:expr;)+) => {$(
        impl Load for $type {
            #[inline(always)]
            unsafe fn load($from: *const Self, $valid: u16) -> __m512 {
                // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this
                // level.
                unsafe {
                    $value
                }
            }
        }
    )+};
}
loads! {
    f32, |from, valid| _mm512_maskz_loadu_ps(valid, from);
    F16, |from, valid| _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(valid, from.cast()));
    Bf16, |from, valid| {
        let bits = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(valid, from.cast()));
        _mm512_castsi512_ps(_mm512_slli_epi32::<16>(bits))
    };
    i8, |from, valid| _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(valid, from)));
    u8, |from, valid| _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(valid, from.cast())));
    i16, |from, valid| _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16(valid, from)));
}

/// Stores lanes of 32 bits.
///
/// # Safety
/// All elements that the other arguments count must be writable at `to`; the processor must have the instructions of this
/// level.
#[inline(always)]
pub unsafe fn store32<D>(to: *mut D, valid: u16, value: __m512i) {
    // SAFETY: the caller answers for the elements at `to`; the processor has the instructions of this level.
    unsafe {
        _mm512_mask_storeu_epi32(to.cast(), valid, value);
    }
}

/// Stores sixteen lanes of 16 bits, which are in the low half.
///
/// # Safety
/// All elements that the other arguments count must be writable at `to`; the processor must have the instructions of this
/// level.
#[inline(always)]
pub unsafe fn store16<D>(to: *mut D, valid: u16, value: __m512i) {
    // SAFETY: the caller answers for the elements at `to`; the processor has the instructions of this level.
    unsafe {
        _mm256_mask_storeu_epi16(to.cast(), valid, _mm512_castsi512_si256(value));
    }
}

/// Stores sixteen lanes of 8 bits, which are in the low quarter.
///
/// # Safety
/// All elements that the other arguments count must be writable at `to`; the processor must have the instructions of this
/// level.
#[inline(always)]
pub unsafe fn store8<D>(to: *mut D, valid: u16, value: __m512i) {
    // SAFETY: the caller answers for the elements at `to`; the processor has the instructions of this level.
    unsafe {
        _mm_mask_storeu_epi8(to.cast(), valid, _mm512_castsi512_si128(value));
    }
}

/// Keeps values inside the range; NaN stays.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
pub unsafe fn clamp(x: __m512, range: Range) -> __m512 {
    // SAFETY: the processor has the instructions of this level.
    unsafe {
        // With a NaN, the result is the second operand.
        _mm512_min_ps(range.high, _mm512_max_ps(range.low, x))
    }
}

/// Rounds to an integral value.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
pub unsafe fn whole<R: Mode>(x: __m512) -> __m512 {
    // SAFETY: the processor has the instructions of this level.
    unsafe {
        const QUIET: i32 = _MM_FROUND_NO_EXC;
        match R::ROUND {
            Round::Rint => _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEAREST_INT | QUIET }>(x),
            Round::Floor => _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEG_INF | QUIET }>(x),
            Round::Ceil => _mm512_roundscale_ps::<{ _MM_FROUND_TO_POS_INF | QUIET }>(x),
            Round::Round => _mm512_roundscale_ps::<{ _MM_FROUND_TO_ZERO | QUIET }>(halves_over(x)),
            _ => _mm512_roundscale_ps::<{ _MM_FROUND_TO_ZERO | QUIET }>(x),
        }
    }
}

/// Moves ties, and nothing less, to the next integer, so that truncation rounds half away from zero.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
unsafe fn halves_over(x: __m512) -> __m512 {
    // SAFETY: the processor has the instructions of this level.
    unsafe {
        // The largest number below a half, with the sign of the number.
        let sign = _mm512_and_ps(x, _mm512_set1_ps(-0.0));
        _mm512_add_ps(x, _mm512_or_ps(sign, _mm512_set1_ps(0.5 - f32::EPSILON / 4.0)))
    }
}

/// Rounds to half precision, in the low half.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
pub unsafe fn half<R: Mode>(x: __m512) -> __m512i {
    // SAFETY: the processor has the instructions of this level.
    unsafe {
        const QUIET: i32 = _MM_FROUND_NO_EXC;
        _mm512_castsi256_si512(match R::ROUND {
            Round::Floor => _mm512_cvtps_ph::<{ _MM_FROUND_TO_NEG_INF | QUIET }>(x),
            Round::Ceil => _mm512_cvtps_ph::<{ _MM_FROUND_TO_POS_INF | QUIET }>(x),
            Round::Trunc => _mm512_cvtps_ph::<{ _MM_FROUND_TO_ZERO | QUIET }>(x),
            Round::Round => half_away(x),
            _ => _mm512_cvtps_ph::<{ _MM_FROUND_TO_NEAREST_INT | QUIET }>(x),
        })
    }
}

/// Rounds to nearest even after making the number slightly larger: its lowest bit is below half precision, and decides
/// ties.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
unsafe fn half_away(x: __m512) -> __m256i {
    // SAFETY: the processor has the instructions of this level.
    unsafe {
        /// Zeros and infinities, which must stay what they are.
        const KEPT: i32 = 0b0001_1110;
        let bits = _mm512_castps_si512(x);
        let larger = _mm512_or_si512(bits, _mm512_set1_epi32(1));
        let larger = _mm512_mask_mov_epi32(larger, _mm512_fpclass_ps_mask::<KEPT>(x), bits);
        _mm512_cvtps_ph::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(_mm512_castsi512_ps(larger))
    }
}

/// Rounds to the upper half of single precision, in the low half.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
pub unsafe fn bf16<R: Mode>(x: __m512) -> __m512i {
    // SAFETY: the processor has the instructions of this level.
    unsafe {
        let bits = _mm512_castps_si512(x);
        let add = match R::ROUND {
            Round::Rint => {
                let odd = _mm512_and_si512(_mm512_srli_epi32::<16>(bits), _mm512_set1_epi32(1));
                _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff))
            }
            Round::Round => _mm512_set1_epi32(0x8000),
            // Away from zero where the sign says so.
            Round::Floor => _mm512_srli_epi32::<16>(_mm512_srai_epi32::<31>(bits)),
            Round::Ceil => _mm512_andnot_si512(_mm512_srai_epi32::<31>(bits), _mm512_set1_epi32(0xffff)),
            _ => _mm512_setzero_si512(),
        };
        let rounded = _mm512_srli_epi32::<16>(_mm512_add_epi32(bits, add));
        let nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x);
        let value = _mm512_mask_mov_epi32(rounded, nan, _mm512_set1_epi32(0x7fc0));
        _mm512_castsi256_si512(_mm512_cvtepi32_epi16(value))
    }
}

/// The result of the instruction for a number out of range: a sentinel.
const OUTSIDE: i32 = i32::MIN;

/// Rounds to 32 bits; [`OUTSIDE`] for numbers out of range.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
unsafe fn integer<R: Mode>(x: __m512) -> __m512i {
    // SAFETY: the processor has the instructions of this level.
    unsafe {
        const QUIET: i32 = _MM_FROUND_NO_EXC;
        match R::ROUND {
            Round::Rint => _mm512_cvt_roundps_epi32::<{ _MM_FROUND_TO_NEAREST_INT | QUIET }>(x),
            Round::Floor => _mm512_cvt_roundps_epi32::<{ _MM_FROUND_TO_NEG_INF | QUIET }>(x),
            Round::Ceil => _mm512_cvt_roundps_epi32::<{ _MM_FROUND_TO_POS_INF | QUIET }>(x),
            Round::Round => _mm512_cvttps_epi32(halves_over(x)),
            _ => _mm512_cvttps_epi32(x),
        }
    }
}

/// To 32 bits: saturated, or with a mask of the numbers that need the fallback.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
pub unsafe fn int32<R: Mode, const ON: bool>(x: __m512) -> (__m512i, u16) {
    // SAFETY: the processor has the instructions of this level.
    unsafe {
        let value = integer::<R>(x);
        if !ON {
            return (value, _mm512_cmpeq_epi32_mask(value, _mm512_set1_epi32(OUTSIDE)));
        }
        // Numbers this large have no fraction.
        let number = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(x, x);
        let top = _mm512_cmp_ps_mask::<_CMP_GE_OQ>(x, _mm512_set1_ps(2_147_483_648.0));
        let value = _mm512_maskz_mov_epi32(number, value);
        (_mm512_mask_mov_epi32(value, top, _mm512_set1_epi32(i32::MAX)), 0)
    }
}

/// To fewer bits, in lanes of 32. `SMALL` promises that only what is not finite is outside of 32 bits, and that the low
/// bits of [`OUTSIDE`], zero, are right for.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
pub unsafe fn short<R: Mode, const ON: bool, const SMALL: bool>(x: __m512, range: Range) -> (__m512i, u16) {
    // SAFETY: the processor has the instructions of this level.
    unsafe {
        if ON {
            // The limits have no fraction, so they may come first.
            let number = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(x, x);
            return (_mm512_maskz_mov_epi32(number, integer::<R>(clamp(x, range))), 0);
        }
        let value = integer::<R>(x);
        let lost = if SMALL { 0 } else { _mm512_cmpeq_epi32_mask(value, _mm512_set1_epi32(OUTSIDE)) };
        (value, lost)
    }
}

/// Integers of 32 bits to 16 or 8, in the low half or quarter.
macro_rules! narrower {
    ($($(#[$doc:meta])+ $name:ident, |$x:ident| $value:expr;)+) => {$(
        $(#[$doc])+
        ///
        /// # Safety
        /// The processor must have AVX-512.
        #[inline(always)]
        pub unsafe fn $name($x: __m512i) -> __m512i {
            // SAFETY: the processor has AVX-512.
            unsafe { $value }
        }
    )+};
}
narrower! {
    /// The low 16 bits.
    low16, |x| _mm512_castsi256_si512(_mm512_cvtepi32_epi16(x));
    /// The low 8 bits.
    low8, |x| _mm512_castsi128_si512(_mm512_cvtepi32_epi8(x));
    /// Saturates to the nearest representable value.
    nearest_i16, |x| _mm512_castsi256_si512(_mm512_cvtsepi32_epi16(x));
    /// Saturates to the nearest representable value.
    nearest_i8, |x| _mm512_castsi128_si512(_mm512_cvtsepi32_epi8(x));
    /// Saturates to the nearest representable value.
    nearest_u16, |x| _mm512_castsi256_si512(_mm512_cvtusepi32_epi16(_mm512_max_epi32(x, _mm512_setzero_si512())));
    /// Saturates to the nearest representable value.
    nearest_u8, |x| _mm512_castsi128_si512(_mm512_cvtusepi32_epi8(_mm512_max_epi32(x, _mm512_setzero_si512())));
}
