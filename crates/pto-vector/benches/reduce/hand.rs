//! Loops written by hand with AVX-512 intrinsics, for whole tiles of full rows.

use pto_isa::DType;
use std::arch::x86_64::{
    __m256i, __m512, __m512i, _CMP_GE_OQ, _CMP_GT_OQ, _CMP_LT_OQ, _CMP_ORD_Q, _CMP_UNORD_Q, _MM_FROUND_NO_EXC,
    _MM_FROUND_TO_NEAREST_INT, _MM_FROUND_TO_NEG_INF, _MM_FROUND_TO_POS_INF, _MM_FROUND_TO_ZERO, _mm_loadu_si128,
    _mm_storeu_si128, _mm256_loadu_si256, _mm256_storeu_si256, _mm512_abs_epi32, _mm512_add_epi32, _mm512_add_ps,
    _mm512_and_ps, _mm512_and_si512, _mm512_castps_si512, _mm512_castsi512_ps, _mm512_cmp_ps_mask,
    _mm512_cmpgt_epi8_mask, _mm512_cmpgt_epi16_mask, _mm512_cmplt_epi8_mask, _mm512_cmplt_epi16_mask,
    _mm512_cvt_roundepi32_ps, _mm512_cvt_roundepu32_ps, _mm512_cvtepi8_epi32, _mm512_cvtepi16_epi32,
    _mm512_cvtepi32_epi8, _mm512_cvtepi32_epi16, _mm512_cvtepi32_ps, _mm512_cvtepu16_epi32, _mm512_cvtph_ps,
    _mm512_cvtps_ph, _mm512_cvttps_epi32, _mm512_fpclass_ps_mask, _mm512_loadu_ps, _mm512_loadu_si512,
    _mm512_lzcnt_epi32, _mm512_mask_blend_epi8, _mm512_mask_blend_epi16, _mm512_mask_blend_epi32,
    _mm512_maskz_cvttps_epi32, _mm512_max_ps, _mm512_min_ps, _mm512_or_ps, _mm512_or_si512, _mm512_reduce_add_ps,
    _mm512_roundscale_ps, _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_ps, _mm512_setzero_si512,
    _mm512_slli_epi32, _mm512_srai_epi32, _mm512_srli_epi32, _mm512_srlv_epi32, _mm512_storeu_ps, _mm512_storeu_si512,
    _mm512_xor_si512,
};
use std::hint::black_box;

/// Loads everything once and adds the lanes: what no reduction can beat.
///
/// # Safety
/// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this level.
#[target_feature(enable = "avx512f")]
pub unsafe fn load(from: *const u8, bytes: usize) {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe {
        let mut sums = [_mm512_setzero_ps(); 8];
        for at in (0..bytes).step_by(512) {
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = _mm512_add_ps(*sum, _mm512_loadu_ps(from.add(at + 64 * i).cast()));
            }
        }
        let all = sums.into_iter().reduce(|a, b| _mm512_add_ps(a, b)).expect("eight");
        black_box(_mm512_reduce_add_ps(all));
    }
}

/// `a < b` for an `n` by `n` tile, into a mask with rows of 32 bytes.
///
/// # Safety
/// All elements that the other arguments count must be readable at `a` and `b` and writable at `mask`; the processor
/// has the instructions of this level.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,f16c")]
pub unsafe fn compare(dtype: DType, a: *const u8, b: *const u8, mask: *mut u8, n: usize) {
    // SAFETY: the caller answers for the elements at `a` and `b` and `mask`; the processor has the instructions of this
    // level.
    unsafe {
        for r in 0..n {
            let (a, b, out) = (a.add(r * row_bytes(dtype, n)), b.add(r * row_bytes(dtype, n)), mask.add(32 * r));
            match dtype {
                DType::F32 => {
                    for c in (0..n).step_by(16) {
                        let (x, y) = (_mm512_loadu_ps(a.cast::<f32>().add(c)), _mm512_loadu_ps(b.cast::<f32>().add(c)));
                        out.add(c / 8).cast::<u16>().write_unaligned(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(x, y));
                    }
                }
                DType::F16 => {
                    for c in (0..n).step_by(16) {
                        let (x, y) = (half(a.cast::<u16>().add(c)), half(b.cast::<u16>().add(c)));
                        out.add(c / 8).cast::<u16>().write_unaligned(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(x, y));
                    }
                }
                DType::I16 => {
                    for c in (0..n).step_by(32) {
                        let (x, y) = (load512(a.add(2 * c)), load512(b.add(2 * c)));
                        out.add(c / 8).cast::<u32>().write_unaligned(_mm512_cmplt_epi16_mask(x, y));
                    }
                }
                _ => {
                    for c in (0..n).step_by(64) {
                        let (x, y) = (load512(a.add(c)), load512(b.add(c)));
                        out.add(c / 8).cast::<u64>().write_unaligned(_mm512_cmplt_epi8_mask(x, y));
                    }
                }
            }
        }
        black_box(());
    }
}

/// `a > 0` for an `n` by `n` tile.
///
/// # Safety
/// All elements that the other arguments count must be readable at `a` and writable at `mask`; the processor has the
/// instructions of this level.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,f16c")]
pub unsafe fn compare_zero(dtype: DType, a: *const u8, mask: *mut u8, n: usize) {
    // SAFETY: the caller answers for the elements at `a` and `mask`; the processor has the instructions of this level.
    unsafe {
        let zero = black_box(_mm512_setzero_si512());
        for r in 0..n {
            let (a, out) = (a.add(r * row_bytes(dtype, n)), mask.add(32 * r));
            match dtype {
                DType::F32 => {
                    for c in (0..n).step_by(16) {
                        let x = _mm512_loadu_ps(a.cast::<f32>().add(c));
                        let m = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(x, _mm512_castsi512_ps(zero));
                        out.add(c / 8).cast::<u16>().write_unaligned(m);
                    }
                }
                DType::F16 => {
                    for c in (0..n).step_by(16) {
                        let x = half(a.cast::<u16>().add(c));
                        let m = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(x, _mm512_castsi512_ps(zero));
                        out.add(c / 8).cast::<u16>().write_unaligned(m);
                    }
                }
                DType::I16 => {
                    for c in (0..n).step_by(32) {
                        out.add(c / 8)
                            .cast::<u32>()
                            .write_unaligned(_mm512_cmpgt_epi16_mask(load512(a.add(2 * c)), zero));
                    }
                }
                _ => {
                    for c in (0..n).step_by(64) {
                        out.add(c / 8).cast::<u64>().write_unaligned(_mm512_cmpgt_epi8_mask(load512(a.add(c)), zero));
                    }
                }
            }
        }
        black_box(());
    }
}

/// `mask ? a : b` for an `n` by `n` tile.
///
/// # Safety
/// All elements that the other arguments count must be readable at `mask` and `a` and `b` and writable at `out`; the
/// processor has the instructions of this level.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub unsafe fn select(dtype: DType, mask: *const u8, a: *const u8, b: *const u8, out: *mut u8, n: usize) {
    // SAFETY: the caller answers for the elements at `mask` and `a` and `b` and `out`; the processor has the
    // instructions of this level.
    unsafe {
        for r in 0..n {
            let at = r * row_bytes(dtype, n);
            let (a, b, out, mask) = (a.add(at), b.add(at), out.add(at), mask.add(32 * r));
            for (i, at) in (0..row_bytes(dtype, n)).step_by(64).enumerate() {
                let (x, y) = (load512(a.add(at)), load512(b.add(at)));
                let value = match dtype {
                    DType::F32 => _mm512_mask_blend_epi32(mask.cast::<u16>().add(i).read_unaligned(), y, x),
                    DType::F16 | DType::I16 => {
                        _mm512_mask_blend_epi16(mask.cast::<u32>().add(i).read_unaligned(), y, x)
                    }
                    _ => _mm512_mask_blend_epi8(mask.cast::<u64>().add(i).read_unaligned(), y, x),
                };
                _mm512_storeu_si512(out.add(at).cast(), value);
            }
        }
        black_box(());
    }
}

/// Converts `n` elements, sixteen at a time: no more than the rounding, the limits and NaN. Ties away from zero are made
/// by adding the largest number below a half.
///
/// # Safety
/// All elements that the other arguments count must be readable at `a` and writable at `out`.
pub unsafe fn convert(src: DType, dst: DType, mode: &str, a: *const u8, out: *mut u8, n: usize) {
    // SAFETY: the caller answers for the elements at `a` and `out`.
    unsafe {
        match mode {
            "RINT" => convert_types::<RINT>(src, dst, a, out, n),
            "TRUNC" => convert_types::<TRUNC>(src, dst, a, out, n),
            "FLOOR" => convert_types::<FLOOR>(src, dst, a, out, n),
            "CEIL" => convert_types::<CEIL>(src, dst, a, out, n),
            _ => convert_types::<AWAY>(src, dst, a, out, n),
        }
    }
}

const RINT: u8 = 0;
const TRUNC: u8 = 1;
const FLOOR: u8 = 2;
const CEIL: u8 = 3;
const AWAY: u8 = 4;

/// With the types as constants, so that nothing is decided in the loop.
///
/// # Safety
/// All elements that the other arguments count must be readable at `a` and writable at `out`.
unsafe fn convert_types<const MODE: u8>(src: DType, dst: DType, a: *const u8, out: *mut u8, n: usize) {
    // SAFETY: the caller answers for the elements at `a` and `out`.
    unsafe {
        macro_rules! pairs {
        ($($src:ident $dst:ident;)+) => {
            match (src, dst) {
                $((DType::$src, DType::$dst) =>
                    convert_loop::<MODE, { DType::$src as u8 }, { DType::$dst as u8 }>(a, out, n),)+
                _ => unreachable!("no loop for {src} to {dst}"),
            }
        };
    }
        pairs! {
            F32 F16; F32 Bf16; F32 I32; F32 I16; F32 I8; F32 F32; F16 F32; F16 I8; F16 I16; F16 I32; Bf16 F32; I32 F32;
            I32 I16; I16 F16; I8 F16;
        }
    }
}

/// # Safety
/// All elements that the other arguments count must be readable at `a` and writable at `out`; the processor has the
/// instructions of this level.
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,f16c")]
unsafe fn convert_loop<const MODE: u8, const SRC: u8, const DST: u8>(a: *const u8, out: *mut u8, n: usize) {
    // SAFETY: the caller answers for the elements at `a` and `out`; the processor has the instructions of this level.
    unsafe {
        use DType::{Bf16, F16, F32, I8, I16, I32};
        let (src, dst) = (DType::ALL[SRC as usize], DType::ALL[DST as usize]);
        let unit = |d: DType| d.unit_bytes() as usize;
        for at in (0..n).step_by(16) {
            let (a, out) = (a.add(at * unit(src)), out.add(at * unit(dst)));
            let x = match src {
                F32 => _mm512_loadu_ps(a.cast()),
                F16 => half(a.cast()),
                Bf16 => {
                    _mm512_castsi512_ps(_mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(_mm256_loadu_si256(a.cast()))))
                }
                I32 if dst == I16 => {
                    _mm256_storeu_si256(out.cast(), _mm512_cvtepi32_epi16(load512(a)));
                    continue;
                }
                I32 => match MODE {
                    TRUNC => _mm512_cvt_roundepi32_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(load512(a)),
                    FLOOR => _mm512_cvt_roundepi32_ps::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(load512(a)),
                    CEIL => _mm512_cvt_roundepi32_ps::<{ _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC }>(load512(a)),
                    AWAY => int_away(load512(a)),
                    _ => _mm512_cvtepi32_ps(load512(a)),
                },
                I16 => _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256(a.cast()))),
                _ => _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(a.cast()))),
            };
            match dst {
                F32 if src != F32 => _mm512_storeu_ps(out.cast(), x),
                F32 => _mm512_storeu_ps(out.cast(), whole::<MODE>(x)),
                F16 => {
                    let x = if src.is_float() { limited(x, -65504.0, 65504.0) } else { x };
                    _mm256_storeu_si256(out.cast(), to_half::<MODE>(x));
                }
                Bf16 => {
                    let most = f32::from_bits(0x7f7f_0000);
                    _mm256_storeu_si256(out.cast(), to_bf16::<MODE>(limited(x, -most, most)));
                }
                I32 => {
                    let x = whole::<MODE>(x);
                    let top = _mm512_cmp_ps_mask::<_CMP_GE_OQ>(x, _mm512_set1_ps(2_147_483_648.0));
                    let number = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(x, x);
                    let value = _mm512_maskz_cvttps_epi32(number, x);
                    _mm512_storeu_si512(out.cast(), _mm512_mask_blend_epi32(top, value, _mm512_set1_epi32(i32::MAX)));
                }
                I16 => _mm256_storeu_si256(out.cast(), _mm512_cvtepi32_epi16(_mm512_cvttps_epi32(whole::<MODE>(x)))),
                I8 if src == F32 => {
                    let x = limited(whole::<MODE>(x), -128.0, 127.0);
                    let number = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(x, x);
                    _mm_storeu_si128(out.cast(), _mm512_cvtepi32_epi8(_mm512_maskz_cvttps_epi32(number, x)));
                }
                _ => _mm_storeu_si128(out.cast(), _mm512_cvtepi32_epi8(_mm512_cvttps_epi32(whole::<MODE>(x)))),
            }
        }
        black_box(());
    }
}

/// # Safety
/// The processor must have the instructions of this level.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn limited(x: __m512, low: f32, high: f32) -> __m512 {
    // The second operand is the result when there is a NaN.
    _mm512_min_ps(_mm512_set1_ps(high), _mm512_max_ps(_mm512_set1_ps(low), x))
}

/// # Safety
/// The processor must have the instructions of this level.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
unsafe fn whole<const MODE: u8>(x: __m512) -> __m512 {
    match MODE {
        RINT => _mm512_roundscale_ps::<8>(x),
        FLOOR => _mm512_roundscale_ps::<9>(x),
        CEIL => _mm512_roundscale_ps::<10>(x),
        TRUNC => _mm512_roundscale_ps::<11>(x),
        _ => {
            let sign = _mm512_and_ps(x, _mm512_set1_ps(-0.0));
            let almost = _mm512_or_ps(sign, _mm512_set1_ps(0.499_999_97));
            _mm512_roundscale_ps::<11>(_mm512_add_ps(x, almost))
        }
    }
}

/// Half a unit of the last place more, and the rest dropped.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline]
#[target_feature(enable = "avx512f,avx512cd,avx512dq")]
unsafe fn int_away(x: __m512i) -> __m512 {
    let size = _mm512_abs_epi32(x);
    let more = _mm512_add_epi32(size, _mm512_srlv_epi32(_mm512_set1_epi32(0x80), _mm512_lzcnt_epi32(size)));
    let value = _mm512_cvt_roundepu32_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(more);
    _mm512_or_ps(value, _mm512_and_ps(_mm512_castsi512_ps(x), _mm512_set1_ps(-0.0)))
}

/// # Safety
/// The processor must have the instructions of this level.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
unsafe fn to_half<const MODE: u8>(x: __m512) -> __m256i {
    match MODE {
        FLOOR => _mm512_cvtps_ph::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(x),
        CEIL => _mm512_cvtps_ph::<{ _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC }>(x),
        TRUNC => _mm512_cvtps_ph::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(x),
        AWAY => {
            // The lowest bit decides ties; zeros and infinities stay.
            let bits = _mm512_castps_si512(x);
            let larger = _mm512_or_si512(bits, _mm512_set1_epi32(1));
            let larger = _mm512_mask_blend_epi32(_mm512_fpclass_ps_mask::<0x1e>(x), larger, bits);
            _mm512_cvtps_ph::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(_mm512_castsi512_ps(larger))
        }
        _ => _mm512_cvtps_ph::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(x),
    }
}

/// # Safety
/// The processor must have the instructions of this level.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn to_bf16<const MODE: u8>(x: __m512) -> __m256i {
    let bits = _mm512_castps_si512(x);
    let add = match MODE {
        RINT => {
            let odd = _mm512_and_si512(_mm512_srli_epi32::<16>(bits), _mm512_set1_epi32(1));
            _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff))
        }
        TRUNC => _mm512_setzero_si512(),
        FLOOR => _mm512_srli_epi32::<16>(_mm512_srai_epi32::<31>(bits)),
        CEIL => _mm512_srli_epi32::<16>(_mm512_srai_epi32::<31>(_mm512_xor_si512(bits, _mm512_set1_epi32(i32::MIN)))),
        _ => _mm512_set1_epi32(0x8000),
    };
    let rounded = _mm512_srli_epi32::<16>(_mm512_add_epi32(bits, add));
    let nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x);
    _mm512_cvtepi32_epi16(_mm512_mask_blend_epi32(nan, rounded, _mm512_set1_epi32(0x7fc0)))
}

/// # Safety
/// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this level.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load512(from: *const u8) -> __m512i {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe { _mm512_loadu_si512(from.cast()) }
}

/// # Safety
/// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this level.
#[inline]
#[target_feature(enable = "avx512f,f16c")]
unsafe fn half(from: *const u16) -> __m512 {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe { _mm512_cvtph_ps(_mm256_loadu_si256(from.cast())) }
}

fn row_bytes(dtype: DType, n: usize) -> usize {
    n * dtype.unit_bytes() as usize
}
