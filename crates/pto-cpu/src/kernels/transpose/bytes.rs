//! Boxes of bytes, transposed in registers of 64.

use super::registers::quads_of_rows;
use super::{Transposition, x86::each};
use std::arch::x86_64::*;

/// Transposes boxes of sixteen rows of 32 bytes.
///
/// # Safety
/// The rows of the source and of the destination must lie in memory and must not overlap; the processor must have the instructions
/// of this level.
#[target_feature(enable = "avx512f,avx512bw")]
pub unsafe fn transpose_boxes(job: &Transposition) {
    // SAFETY: the caller answers for the rows of source and destination; the processor has the instructions of this
    // level.
    unsafe {
        // The rows of the first column, of the second, and so on.
        let gather = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        let step = job.to_step;
        each(job, 16, 1, |from, to| {
            for half in 0..2 {
                for (quad, v) in quads_of_rows(from.cast::<u8>().add(16 * half)).into_iter().enumerate() {
                    let v = _mm512_permutexvar_epi32(gather, v);
                    let to = to.add((16 * half + 4 * quad) * step);
                    _mm_storeu_si128(to.cast(), _mm512_castsi512_si128(v));
                    _mm_storeu_si128(to.add(step).cast(), _mm512_extracti32x4_epi32::<1>(v));
                    _mm_storeu_si128(to.add(2 * step).cast(), _mm512_extracti32x4_epi32::<2>(v));
                    _mm_storeu_si128(to.add(3 * step).cast(), _mm512_extracti32x4_epi32::<3>(v));
                }
            }
        });
    }
}

/// The same, two boxes below each other at a time.
///
/// # Safety
/// The rows of the source and of the destination must lie in memory and must not overlap; the processor must have the instructions
/// of this level.
#[target_feature(enable = "avx512f,avx512bw")]
pub unsafe fn transpose_pairs_of_boxes(job: &Transposition) {
    // SAFETY: the caller answers for the rows of source and destination; the processor has the instructions of this
    // level.
    unsafe {
        // The rows of the first two columns, and of the last two.
        let first = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
        let last = _mm512_add_epi32(first, _mm512_set1_epi32(2));
        let step = job.to_step;
        each(job, 32, 1, |from, to| {
            for half in 0..2 {
                let from = from.cast::<u8>().add(16 * half);
                let (upper, lower) = (quads_of_rows(from), quads_of_rows(from.add(16 * 32)));
                for quad in 0..4 {
                    let to = to.add((16 * half + 4 * quad) * step);
                    put(to, step, _mm512_permutex2var_epi32(upper[quad], first, lower[quad]));
                    put(to.add(2 * step), step, _mm512_permutex2var_epi32(upper[quad], last, lower[quad]));
                }
            }
        });
    }
}

/// Writes two columns, which lie one after the other where the columns of the destination do.
///
/// # Safety
/// All elements that the other arguments count must be writable at `to`; the processor must have the instructions of this
/// level.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn put(to: *mut u8, step: usize, two: __m512i) {
    // SAFETY: the caller answers for the elements at `to`; the processor has the instructions of this level.
    unsafe {
        if step == 32 {
            _mm512_storeu_si512(to.cast(), two);
        } else {
            _mm256_storeu_si256(to.cast(), _mm512_castsi512_si256(two));
            _mm256_storeu_si256(to.add(step).cast(), _mm512_extracti64x4_epi64::<1>(two));
        }
    }
}

/// Where the bytes of two rows go in their register before the exchanges, for each of the sixteen.
///
/// The place of a byte in a square has ten bits. Its register is the upper four bits of the row, `r4 r3 r2 r1`, and its place there is
/// `r0 c4 c3 c2 c1 c0`. This makes it `c0 c4 c3 c2 c1 r0`; four exchanges between registers, of `r1` and `c1` and so on, do the rest.
/// In the second register of an exchange both halves have changed places beforehand, but for `r3`: then one of the two results
/// is a blend, which any unit can do, while there is only one for shuffles.
static PLACES: [[u8; 64]; 16] = {
    let mut places = [[0; 64]; 16];
    let mut at = 0;
    while at < 16 * 64 {
        let (register, to) = (at / 64, at % 64);
        let c0 = to >> 5;
        let column = (to ^ (register & 0b1011) << 1) & 0b11110 | c0;
        places[register][to] = ((to & 1) * 32 + column) as u8;
        at += 1;
    }
    places
};

/// True on processors that can [`transpose_squares`].
pub fn has_exchanges() -> bool {
    is_x86_feature_detected!("avx512vbmi") && is_x86_feature_detected!("avx512vbmi2")
}

/// Transposes all boxes of a tile, from 16 rows of 32 bytes to 16 columns of 32.
///
/// # Safety
/// All elements that the other arguments count must be readable at `from` and writable at `to`; the processor must have the
/// instructions of this level.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2")]
pub unsafe fn transpose_tile(from: *const u8, mut to: *mut u8, rows: usize, cols: usize) {
    // SAFETY: the caller answers for the elements at `from` and `to`; the processor has the instructions of this level.
    unsafe {
        for row in (0..rows).step_by(32) {
            let mut from = from.add(row * 32);
            for _ in (0..cols).step_by(32) {
                square::<true, 32, 32>(from, 32, to, 32);
                (from, to) = (from.add(rows * 32), to.add(32 * 32));
            }
        }
    }
}

/// Transposes squares of 32 bytes, at any distances, with fewer shuffles, which are what takes the time: bytes find their places within a register in
/// one, and most exchanges between registers need none.
///
/// # Safety
/// The rows of the source and of the destination must lie in memory and must not overlap; the processor must have the instructions
/// of this level.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2")]
pub unsafe fn transpose_squares(job: &Transposition) {
    // SAFETY: the caller answers for the rows of source and destination; the processor has the instructions of this
    // level.
    unsafe {
        let (from_step, to_step) = (job.from_step, job.to_step);
        match (from_step, to_step) {
            (32, 32) => each_square(job, 32, |from, to| square::<true, 32, 32>(from, 32, to, 32)),
            (_, 32) => each_square(job, 32, |from, to| square::<false, 0, 32>(from, from_step, to, 32)),
            _ if job.rows.is_multiple_of(64) => {
                each_square(job, 64, |from, to| two_squares(from, from_step, to, to_step));
            }
            _ => each_square(job, 32, |from, to| square::<false, 0, 0>(from, from_step, to, to_step)),
        }
    }
}

/// Calls `work` for the first row and column of every square, or of several rows of squares.
///
/// # Safety
/// The rows of the source and of the destination must lie in memory and must not overlap.
#[inline(always)]
unsafe fn each_square(job: &Transposition, height: usize, work: impl Fn(*const u8, *mut u8)) {
    // SAFETY: the caller answers for the rows of source and destination.
    unsafe {
        job.each(|from, to| {
            for row in (0..job.rows).step_by(height) {
                for col in (0..job.cols).step_by(32) {
                    work(from.add(row * job.from_step + col), to.add(row + col * job.to_step));
                }
            }
        });
    }
}

/// A square and the one below it. The columns are put together on the way, so that whole lines are written.
///
/// # Safety
/// All elements that the other arguments count must be readable at `from` and writable at `to`; the processor must have the
/// instructions of this level.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2")]
unsafe fn two_squares(from: *const u8, from_step: usize, to: *mut u8, to_step: usize) {
    // SAFETY: the caller answers for the elements at `from` and `to`; the processor has the instructions of this level.
    unsafe {
        let mut room = [_mm512_setzero_si512(); 32];
        let transposed = room.as_mut_ptr().cast::<u8>();
        if from_step == 32 {
            square::<true, 32, 32>(from, 32, transposed, 32);
            square::<true, 32, 32>(from.add(32 * 32), 32, transposed.add(32 * 32), 32);
        } else {
            square::<false, 0, 32>(from, from_step, transposed, 32);
            square::<false, 0, 32>(from.add(32 * from_step), from_step, transposed.add(32 * 32), 32);
        }
        for column in 0..32 {
            let both = two_rows(transposed.add(32 * column), 32 * 32);
            _mm512_storeu_si512(to.add(column * to_step).cast(), both);
        }
    }
}

/// Does something for each of these constants: of a loop, the compiler might make a copy of the registers in memory.
macro_rules! unrolled {
    ($($at:literal)+, $k:ident => $body:expr) => {$({
        const $k: usize = $at;
        $body;
    })+};
}

/// Dense squares are loaded, transposed and stored four registers at a time: so the unit for shuffles always has work, and the other too. Rows that
/// are far apart are better read, and columns written, one after the other. Distances that are known are parameters, 0 if they are not: whether
/// the compiler copies the function to where they are constants would be up to it.
///
/// # Safety
/// All elements that the other arguments count must be readable at `from` and writable at `to`; the processor must have the
/// instructions of this level.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2")]
unsafe fn square<const DENSE: bool, const FROM: usize, const TO: usize>(
    from: *const u8,
    from_step: usize,
    to: *mut u8,
    to_step: usize,
) {
    let from_step = if FROM > 0 { FROM } else { from_step };
    let to_step = if TO > 0 { TO } else { to_step };
    // SAFETY: the caller answers for the elements at `from` and `to`; the processor has the instructions of this level.
    unsafe {
        // The second quarter of one register, the first of the other, and so on.
        let inner = _mm512_setr_epi64(2, 3, 8, 9, 6, 7, 12, 13);
        let load = |k: usize| {
            let places = _mm512_loadu_si512(PLACES[k].as_ptr().cast());
            _mm512_permutexvar_epi8(places, two_rows(from.add(2 * k * from_step), from_step))
        };
        let store = |k: usize, v: __m512i| put(to.add(2 * k * to_step), to_step, v);
        let halves = |(a, b)| (_mm512_mask_blend_epi16(0xaaaa_aaaa, a, b), _mm512_shldi_epi32::<16>(b, a));
        let words = |(a, b)| (_mm512_mask_blend_epi32(0xaaaa, a, b), _mm512_shldi_epi64::<32>(b, a));
        let quarters = |(a, b)| (_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
        let inner_quarters =
            |(a, b)| (_mm512_mask_blend_epi64(0b1100_1100, a, b), _mm512_permutex2var_epi64(a, inner, b));
        let mut v = [_mm512_setzero_si512(); 16];
        if !DENSE {
            unrolled!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15, K => v[K] = load(K));
        }
        unrolled!(0 2 8 10, K => {
            if DENSE {
                (v[K], v[K + 1]) = (load(K), load(K + 1));
                (v[K + 4], v[K + 5]) = (load(K + 4), load(K + 5));
            }
            (v[K], v[K + 1]) = halves((v[K], v[K + 1]));
            (v[K + 4], v[K + 5]) = halves((v[K + 4], v[K + 5]));
            (v[K], v[K + 4]) = quarters((v[K], v[K + 4]));
            (v[K + 1], v[K + 5]) = quarters((v[K + 1], v[K + 5]));
        });
        unrolled!(0 1 4 5, K => {
            (v[K], v[K + 2]) = words((v[K], v[K + 2]));
            (v[K + 8], v[K + 10]) = words((v[K + 8], v[K + 10]));
            (v[K], v[K + 8]) = inner_quarters((v[K], v[K + 8]));
            (v[K + 2], v[K + 10]) = inner_quarters((v[K + 2], v[K + 10]));
            if DENSE {
                store(K, v[K]);
                store(K + 2, v[K + 2]);
                store(K + 8, v[K + 8]);
                store(K + 10, v[K + 10]);
            }
        });
        if !DENSE {
            unrolled!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15, K => store(K, v[K]));
        }
    }
}

/// Thirty-two bytes of two rows.
///
/// # Safety
/// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this level.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn two_rows(from: *const u8, step: usize) -> __m512i {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe {
        if step == 32 {
            return _mm512_loadu_si512(from.cast());
        }
        let upper = _mm512_castsi256_si512(_mm256_loadu_si256(from.cast()));
        _mm512_inserti64x4::<1>(upper, _mm256_loadu_si256(from.add(step).cast()))
    }
}

/// Replaces these registers and those at distance `far`, in pairs.
#[inline(always)]
pub fn exchange<const M: usize>(
    v: &mut [__m512i],
    first: [usize; M],
    far: usize,
    pair: impl Fn(__m512i, __m512i) -> (__m512i, __m512i),
) {
    for k in first {
        (v[k], v[k + far]) = pair(v[k], v[k + far]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transposed(from: &[u8], step: usize, transpose_all: unsafe fn(&Transposition)) -> Vec<u8> {
        let mut to = vec![0; 32 * step];
        let job = Transposition {
            from: from.as_ptr(),
            from_step: 32,
            to: to.as_mut_ptr(),
            to_step: step,
            rows: 32,
            cols: 32,
            ..Transposition::ONE
        };
        // SAFETY: a square of 32 bytes on both sides; the caller has checked the processor.
        unsafe { transpose_all(&job) };
        to
    }

    /// Both versions, regardless of the one that this processor would choose.
    #[test]
    fn both_ways_transpose_squares() {
        let mut ways: Vec<unsafe fn(&Transposition)> = Vec::new();
        if is_x86_feature_detected!("avx512bw") {
            ways.push(transpose_pairs_of_boxes);
            ways.extend(has_exchanges().then_some(transpose_squares as unsafe fn(&Transposition)));
        }
        let from: Vec<u8> = (0..32 * 32).map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for (transpose_all, step) in ways.into_iter().flat_map(|way| [(way, 32), (way, 48)]) {
            let to = transposed(&from, step, transpose_all);
            let places = (0..32).flat_map(|r| (0..32).map(move |c| (r, c)));
            places.for_each(|(r, c)| assert_eq!(to[c * step + r], from[r * 32 + c], "[{r}, {c}], every {step} bytes"));
        }
    }
}
