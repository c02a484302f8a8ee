//! Squares of numbers of four bits whose neighbours in a row become neighbours in a column.

use super::super::transpose::Transposition;
#[cfg(target_arch = "x86_64")]
use super::super::transpose::bytes::has_exchanges;
#[cfg(target_arch = "x86_64")]
use pto_num::CpuLevel;
use pto_num::Level;

/// The side of the squares that are transposed in registers.
pub(super) const SIDE: usize = 32;

/// Transposes a square, or less, of an even number of rows and columns; steps count bytes.
///
/// # Safety
/// Both sides must lie in memory that may be read and written, and must not overlap. The processor must have the level.
#[inline(always)]
pub(super) unsafe fn transpose<L: Level>(square: &Transposition) {
    // SAFETY: the caller answers for the rows of source and destination; the processor has the instructions of this
    // level.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if (square.rows, square.cols) == (SIDE, SIDE) && matches!(L::CPU, CpuLevel::V4) && has_exchanges() {
            return x86::transpose(square);
        }
        transpose_by_fours(square);
    }
}

/// Two numbers of two rows at a time.
///
/// # Safety
/// The rows of the source and of the destination must lie in memory and must not overlap.
unsafe fn transpose_by_fours(square: &Transposition) {
    // SAFETY: the caller answers for the rows of source and destination.
    unsafe {
        for row in (0..square.rows).step_by(2) {
            let upper = square.from.add(row * square.from_step);
            let lower = upper.add(square.from_step);
            for byte in 0..square.cols / 2 {
                let (a, b) = (*upper.add(byte), *lower.add(byte));
                let to = square.to.add(2 * byte * square.to_step + row / 2);
                *to = a & 15 | b << 4;
                *to.add(square.to_step) = a >> 4 | b & 0xf0;
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::super::super::transpose::bytes::exchange;
    use super::Transposition;
    use std::arch::x86_64::*;

    /// Where bytes go in their register, for each of the eight, and the same with the rows of a pair exchanged.
    ///
    /// The place of a number in the square has ten bits. Its register is the upper three bits of the row, `r4 r3 r2`; its place there
    /// is `r1 r0 c4 c3 c2 c1`, and `c0` its half of the byte. This makes it `c1 r0 c4 c3 c2 r1`. Then `r0` and `c0` are exchanged, and
    /// between registers `r2` and `c2`, `r3` and `c3`, `r4` and `c4`. Of the second register of an exchange, both halves have changed
    /// places beforehand, but for `r4`.
    static PLACES: [[[u8; 64]; 2]; 8] = {
        let mut places = [[[0; 64]; 2]; 8];
        let mut at = 0;
        while at < 8 * 2 * 64 {
            let (register, other, to) = (at / 128, at / 64 % 2, at % 64);
            let (r1, r0, c1) = (to & 1, to >> 4 & 1 ^ other, to >> 5);
            let upper = (to ^ (register & 0b011) << 1) & 0b1110;
            places[register][other][to] = (r1 << 5 | r0 << 4 | upper | c1) as u8;
            at += 1;
        }
        places
    };

    /// # Safety
    /// The rows of the source and of the destination must lie in memory and must not overlap; the processor must have the
    /// instructions of this level.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2")]
    pub unsafe fn transpose(square: &Transposition) {
        // SAFETY: the caller answers for the rows of source and destination; the processor has the instructions of this
        // level.
        unsafe {
            let mut v = [_mm512_setzero_si512(); 8];
            for (k, v) in v.iter_mut().enumerate() {
                *v = halves_exchanged(
                    four_rows(square.from.add(4 * k * square.from_step), square.from_step),
                    &PLACES[k],
                );
            }
            exchange(&mut v, [0, 2, 4, 6], 1, |a, b| {
                (_mm512_mask_blend_epi16(0xaaaa_aaaa, a, b), _mm512_shldi_epi32::<16>(b, a))
            });
            exchange(&mut v, [0, 1, 4, 5], 2, |a, b| {
                (_mm512_mask_blend_epi32(0xaaaa, a, b), _mm512_shldi_epi64::<32>(b, a))
            });
            exchange(&mut v, [0, 1, 2, 3], 4, |a, b| (_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b)));
            for (k, columns) in v.into_iter().enumerate() {
                put(square.to.add(4 * k * square.to_step), square.to_step, columns);
            }
        }
    }

    /// The place of the row in its pair and the place of the number in its byte are exchanged.
    ///
    /// # Safety
    /// The processor must have the instructions of this level.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn halves_exchanged(rows: __m512i, places: &[[u8; 64]; 2]) -> __m512i {
        // SAFETY: the processor has the instructions of this level.
        unsafe {
            let own = _mm512_permutexvar_epi8(_mm512_loadu_si512(places[0].as_ptr().cast()), rows);
            let other = _mm512_permutexvar_epi8(_mm512_loadu_si512(places[1].as_ptr().cast()), rows);
            // The lower halves of the second row go up, the upper ones of the first row down.
            let other = _mm512_rolv_epi64(other, _mm512_setr_epi64(4, 4, 60, 60, 4, 4, 60, 60));
            let (low, high) = (0x0f0f_0f0f_0f0f_0f0f, 0xf0f0_f0f0_f0f0_f0f0_u64 as i64);
            let keeps = _mm512_setr_epi64(low, low, high, high, low, low, high, high);
            // Bit by bit: `own` where it keeps, else `other`.
            _mm512_ternarylogic_epi64::<0xca>(keeps, own, other)
        }
    }

    /// Sixteen bytes of four rows.
    ///
    /// # Safety
    /// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this
    /// level.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn four_rows(from: *const u8, step: usize) -> __m512i {
        // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
        unsafe {
            if step == 16 {
                return _mm512_loadu_si512(from.cast());
            }
            let row = |r: usize| _mm_loadu_si128(from.add(r * step).cast());
            let two = _mm512_inserti32x4::<1>(_mm512_castsi128_si512(row(0)), row(1));
            _mm512_inserti32x4::<3>(_mm512_inserti32x4::<2>(two, row(2)), row(3))
        }
    }

    /// Writes four columns of sixteen bytes.
    ///
    /// # Safety
    /// All elements that the other arguments count must be writable at `to`; the processor must have the instructions of this
    /// level.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn put(to: *mut u8, step: usize, columns: __m512i) {
        // SAFETY: the caller answers for the elements at `to`; the processor has the instructions of this level.
        unsafe {
            if step == 16 {
                return _mm512_storeu_si512(to.cast(), columns);
            }
            _mm_storeu_si128(to.cast(), _mm512_castsi512_si128(columns));
            _mm_storeu_si128(to.add(step).cast(), _mm512_extracti32x4_epi32::<1>(columns));
            _mm_storeu_si128(to.add(2 * step).cast(), _mm512_extracti32x4_epi32::<2>(columns));
            _mm_storeu_si128(to.add(3 * step).cast(), _mm512_extracti32x4_epi32::<3>(columns));
        }
    }
}
