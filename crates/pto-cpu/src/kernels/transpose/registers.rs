//! Boxes of words, halves and bytes, transposed in vector registers.

use std::arch::x86_64::*;

/// Sixteen rows of eight words become eight rows of sixteen.
///
/// # Safety
/// The rows must lie in memory one after the other.
#[inline]
#[target_feature(enable = "avx512f")]
pub unsafe fn transposed(from: *const u32) -> [__m512i; 8] {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe {
        let from = from.cast::<u8>();
        let ([w0, w1, w2, w3], [w4, w5, w6, w7]) = (words_of_rows(from), words_of_rows(from.add(16)));
        [w0, w1, w2, w3, w4, w5, w6, w7]
    }
}

/// The first, second, third and fourth words of sixteen rows, which lie 32 bytes apart.
///
/// # Safety
/// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this level.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn words_of_rows(from: *const u8) -> [__m512i; 4] {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe {
        let [a, b, c, d] = every_fourth_row(from);
        let (ab, cd) = (_mm512_unpacklo_epi32(a, b), _mm512_unpacklo_epi32(c, d));
        let (ab_high, cd_high) = (_mm512_unpackhi_epi32(a, b), _mm512_unpackhi_epi32(c, d));
        [
            _mm512_unpacklo_epi64(ab, cd),
            _mm512_unpackhi_epi64(ab, cd),
            _mm512_unpacklo_epi64(ab_high, cd_high),
            _mm512_unpackhi_epi64(ab_high, cd_high),
        ]
    }
}

/// Sixteen rows of sixteen halves become sixteen columns, two to a register.
///
/// # Safety
/// The rows must lie in memory one after the other.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub unsafe fn transposed_halves(from: *const u8) -> [__m512i; 8] {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe {
        let mut columns = [_mm512_setzero_si512(); 8];
        for half in 0..2 {
            let [a, b, c, d] = every_fourth_row(from.add(16 * half));
            let (ab, cd) = (_mm512_unpacklo_epi16(a, b), _mm512_unpacklo_epi16(c, d));
            let (ab_high, cd_high) = (_mm512_unpackhi_epi16(a, b), _mm512_unpackhi_epi16(c, d));
            let four_rows = [
                _mm512_unpacklo_epi32(ab, cd),
                _mm512_unpackhi_epi32(ab, cd),
                _mm512_unpacklo_epi32(ab_high, cd_high),
                _mm512_unpackhi_epi32(ab_high, cd_high),
            ];
            // A lane has two columns of four rows.
            let gather = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
            columns[4 * half..][..4].copy_from_slice(&four_rows.map(|v| _mm512_permutexvar_epi64(gather, v)));
        }
        columns
    }
}

/// Sixteen bytes of sixteen rows: a register has four columns, a lane of it four rows of each.
///
/// # Safety
/// The rows must lie in memory, 32 bytes apart.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub unsafe fn quads_of_rows(from: *const u8) -> [__m512i; 4] {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe {
        let [a, b, c, d] = every_fourth_row(from);
        let (ab, cd) = (_mm512_unpacklo_epi8(a, b), _mm512_unpacklo_epi8(c, d));
        let (ab_high, cd_high) = (_mm512_unpackhi_epi8(a, b), _mm512_unpackhi_epi8(c, d));
        [
            _mm512_unpacklo_epi16(ab, cd),
            _mm512_unpackhi_epi16(ab, cd),
            _mm512_unpacklo_epi16(ab_high, cd_high),
            _mm512_unpackhi_epi16(ab_high, cd_high),
        ]
    }
}

/// Sixteen bytes of sixteen rows: every fourth row from the first on, from the second on, and so on. They are put together as they
/// are loaded, which costs no shuffle.
///
/// # Safety
/// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this level.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn every_fourth_row(from: *const u8) -> [__m512i; 4] {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe {
        let row = |r: usize| _mm_loadu_si128(from.add(32 * r).cast());
        [0, 1, 2, 3].map(|r| {
            let two = _mm512_inserti32x4::<1>(_mm512_castsi128_si512(row(r)), row(r + 4));
            _mm512_inserti32x4::<3>(_mm512_inserti32x4::<2>(two, row(r + 8)), row(r + 12))
        })
    }
}

/// Transposes eight rows of eight words.
///
/// # Safety
/// The rows must be readable and the columns writable; the processor must have the instructions.
#[target_feature(enable = "avx2")]
pub unsafe fn transpose_eight(from: *const u32, to: *mut u32, step: usize) {
    // SAFETY: the caller answers for the elements at `from` and `to`; the processor has the instructions of this level.
    unsafe {
        let mut r = [_mm256_setzero_ps(); 8];
        for (i, row) in r.iter_mut().enumerate() {
            *row = _mm256_loadu_ps(from.add(8 * i).cast());
        }
        let pair = |i: usize| (_mm256_unpacklo_ps(r[i], r[i + 1]), _mm256_unpackhi_ps(r[i], r[i + 1]));
        let (p0, p1, p2, p3) = (pair(0), pair(2), pair(4), pair(6));
        let quad = |x: __m256, y: __m256| (_mm256_shuffle_ps::<0x44>(x, y), _mm256_shuffle_ps::<0xee>(x, y));
        let (a0, a1) = quad(p0.0, p1.0);
        let (a2, a3) = quad(p0.1, p1.1);
        let (b0, b1) = quad(p2.0, p3.0);
        let (b2, b3) = quad(p2.1, p3.1);
        for (i, (a, b)) in [(a0, b0), (a1, b1), (a2, b2), (a3, b3)].into_iter().enumerate() {
            _mm256_storeu_ps(to.add(i * step).cast(), _mm256_permute2f128_ps::<0x20>(a, b));
            _mm256_storeu_ps(to.add((i + 4) * step).cast(), _mm256_permute2f128_ps::<0x31>(a, b));
        }
    }
}
