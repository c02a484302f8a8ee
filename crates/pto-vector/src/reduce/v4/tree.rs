//! Rows, as many at a time as a register has lanes.
//!
//! Folding the lanes of one register takes as long as loading a short row. So the lanes of many rows are folded
//! together: each step joins two registers, half of each with the other half, until one register has a result in every
//! lane. The steps pair the same lanes as the portable code does.

use super::Registers;
use crate::bits::{WORD, first};
use crate::call::TileRef;
use crate::elem::Elem;
use std::arch::x86_64::{
    __m512i, _mm512_castps_si512, _mm512_castsi128_si512, _mm512_castsi256_si512, _mm512_castsi512_ps,
    _mm512_cvtepi32_epi8, _mm512_cvtepi32_epi16, _mm512_mask_blend_epi8, _mm512_mask_blend_epi16, _mm512_setzero_si512,
    _mm512_shuffle_i32x4, _mm512_shuffle_ps, _mm512_slli_epi16, _mm512_slli_epi32, _mm512_srli_epi16,
    _mm512_srli_epi32, _mm512_unpackhi_epi64, _mm512_unpacklo_epi64,
};
use std::mem::MaybeUninit;

/// Lanes of 32 bits in a register.
const WIDE: usize = 16;

/// Rows folded together.
const fn group_rows<F: Registers<E>, E: Elem>() -> usize {
    WORD / F::BYTES
}

/// The results of the first rows from `base` on, and how many: those that are folded together, or sixteen, or what is
/// left.
///
/// # Safety
/// The rows must lie in the tile and have at least one column; the processor must have level `v4`.
#[inline(always)]
pub unsafe fn group<F: Registers<E>, E: Elem>(src: &TileRef, base: usize, rows: usize, to: *mut E) -> usize {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them; the caller
    // answers for the elements at `to`; the processor has the instructions of this level.
    unsafe {
        let (row, left) = (src.row::<E>(base).cast_const(), rows - base);
        let steps = src.cols() / WORD;
        let even = left >= WIDE && steps > 0 && src.cols().is_multiple_of(WORD);
        if even && (!F::WATCHED || F::is_promising(F::load(row, !0))) {
            let right = if left < group_rows::<F, E>() {
                sixteen::<F, E>(row, src.row_stride(), steps, to)
            } else if steps == 1 && src.row_stride() == WORD {
                whole::<F, E, true>(row, src.row_stride(), steps, to)
            } else {
                whole::<F, E, false>(row, src.row_stride(), steps, to)
            };
            if right {
                return if left < group_rows::<F, E>() { WIDE } else { group_rows::<F, E>() };
            }
        }
        uneven::<F::Exact, E>(src, base, rows, to)
    }
}

/// The results of a whole group; false when there are none. `DENSE` says that rows have one step and no gaps: distances
/// that are known cost nothing.
///
/// Not inlined: the surrounding code would change how well it is compiled.
///
/// # Safety
/// All elements that the other arguments count must be readable at `row` and writable at `to`; the processor must have the
/// instructions of this level.
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe")]
#[inline(never)]
unsafe fn whole<F: Registers<E>, E: Elem, const DENSE: bool>(
    row: *const E,
    stride: usize,
    steps: usize,
    to: *mut E,
) -> bool {
    // SAFETY: the caller answers for the elements at `row` and `to`; the processor has the instructions of this level.
    unsafe {
        let mut seen = [F::NOTHING; 4];
        let (stride, steps) = if DENSE { (WORD, 1) } else { (stride, steps) };
        // Tests come later.
        let results = folded(all::<F, E, DENSE>(row, stride, steps, &mut seen));
        let right = is_right::<F, E>(&seen, results);
        if right {
            F::put(results, to);
        }
        right
    }
}

/// True when nothing was seen that makes results wrong.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
unsafe fn is_right<F: Registers<E>, E: Elem>(seen: &[F::Seen; 4], results: __m512i) -> bool {
    // SAFETY: the processor has the instructions of this level.
    unsafe {
        // One by one: together they would go through memory.
        let mut nothing = true;
        for seen in seen {
            nothing &= *seen == F::NOTHING;
        }
        !F::WATCHED || nothing && F::is_settled(results)
    }
}

/// The results of sixteen rows where more would be folded together; false when there are none.
///
/// # Safety
/// All elements that the other arguments count must be readable at `row` and writable at `to`; the processor must have the
/// instructions of this level.
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe")]
#[inline(never)]
unsafe fn sixteen<F: Registers<E>, E: Elem>(row: *const E, stride: usize, steps: usize, to: *mut E) -> bool {
    // SAFETY: the caller answers for the elements at `row` and `to`; the processor has the instructions of this level.
    unsafe {
        let mut seen = [F::NOTHING; 4];
        let results = spread::<F, E>(wide::<F, E, false>(row, stride, steps, &mut seen));
        let right = is_right::<F, E>(&seen, results);
        if right {
            put_spread::<F, E>(results, to, WIDE);
        }
        right
    }
}

/// A result for each row, in the order of the rows. `SINGLE` says that there is one step.
///
/// # Safety
/// All elements that the other arguments count must be readable at `row`; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn all<F: Registers<E>, E: Elem, const SINGLE: bool>(
    row: *const E,
    stride: usize,
    steps: usize,
    seen: &mut [F::Seen; 4],
) -> __m512i {
    // SAFETY: the caller answers for the elements at `row`; the processor has the instructions of this level.
    unsafe {
        match F::BYTES {
            4 if F::HALVED => {
                let even = wide::<F, E, SINGLE>(row, stride, steps, seen);
                let mut seen = [F::Odd::NOTHING; 4];
                F::merge(even, wide::<F::Odd, E, SINGLE>(row, stride, steps, &mut seen))
            }
            4 => wide::<F, E, SINGLE>(row, stride, steps, seen),
            2 => {
                let even = wide::<F, E, SINGLE>(row, 2 * stride, steps, seen);
                words::<F, E>(even, wide::<F, E, SINGLE>(row.add(stride), 2 * stride, steps, seen))
            }
            _ => {
                let first = wide::<F, E, SINGLE>(row, 4 * stride, steps, seen);
                let third = wide::<F, E, SINGLE>(row.add(2 * stride), 4 * stride, steps, seen);
                let even = words::<F, E>(first, third);
                let second = wide::<F, E, SINGLE>(row.add(stride), 4 * stride, steps, seen);
                let fourth = wide::<F, E, SINGLE>(row.add(3 * stride), 4 * stride, steps, seen);
                bytes::<F, E>(even, words::<F, E>(second, fourth))
            }
        }
    }
}

/// Sixteen rows, with 32 bits for each.
///
/// # Safety
/// All elements that the other arguments count must be readable at `row`; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn wide<F: Registers<E>, E: Elem, const SINGLE: bool>(
    row: *const E,
    stride: usize,
    steps: usize,
    seen: &mut [F::Seen; 4],
) -> __m512i {
    // SAFETY: the caller answers for the elements at `row`; the processor has the instructions of this level.
    unsafe {
        // Written out: in a loop, the compiler keeps them in memory.
        fold_quads::<F, E>([
            quad::<F, E, SINGLE>(row, stride, steps, seen),
            quad::<F, E, SINGLE>(row.add(stride), stride, steps, seen),
            quad::<F, E, SINGLE>(row.add(2 * stride), stride, steps, seen),
            quad::<F, E, SINGLE>(row.add(3 * stride), stride, steps, seen),
        ])
    }
}

/// Each fourth row of sixteen, with four lanes for each.
///
/// # Safety
/// All elements that the other arguments count must be readable at `row`; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn quad<F: Registers<E>, E: Elem, const SINGLE: bool>(
    row: *const E,
    stride: usize,
    steps: usize,
    seen: &mut [F::Seen; 4],
) -> __m512i {
    // SAFETY: the caller answers for the elements at `row`; the processor has the instructions of this level.
    unsafe {
        let quad = fold_four::<F, E>(match F::SIDE {
            4 => four::<F, E, SINGLE, 4>(row, stride, steps, seen),
            2 => four::<F, E, SINGLE, 2>(row, stride, steps, seen),
            _ => four::<F, E, SINGLE, 1>(row, stride, steps, seen),
        });
        if SINGLE { quad } else { folded(quad) }
    }
}

/// The same register, now. There are no instructions in this: it keeps the compiler from folding later, after other loops or tests, with all
/// that was loaded in memory until then.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn folded(mut x: __m512i) -> __m512i {
    // SAFETY: the processor has the registers.
    unsafe { std::arch::asm!("/* {0} */", inout(zmm_reg) x, options(nomem, nostack, preserves_flags)) };
    x
}

/// Each fourth row of sixteen as one register, all of them step by step.
///
/// # Safety
/// All elements that the other arguments count must be readable at `row`; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn four<F: Registers<E>, E: Elem, const SINGLE: bool, const SIDE: usize>(
    row: *const E,
    stride: usize,
    steps: usize,
    seen: &mut [F::Seen; 4],
) -> [__m512i; 4] {
    // SAFETY: the caller answers for the elements at `row`; the processor has the instructions of this level.
    unsafe {
        let mut all = [[_mm512_setzero_si512(); SIDE]; 4];
        for i in 0..4 {
            all[i] = take::<F, E, SIDE>(row.add(4 * i * stride), !0, &mut seen[i]);
        }
        if !SINGLE {
            for step in 1..steps {
                for i in 0..4 {
                    let x = take::<F, E, SIDE>(row.add(4 * i * stride + step * WORD), !0, &mut seen[i]);
                    join::<F, E, SIDE>(&mut all[i], x);
                }
            }
        }
        let mut rows = [_mm512_setzero_si512(); 4];
        for i in 0..4 {
            rows[i] = as_one::<F, E, SIDE>(all[i]);
        }
        rows
    }
}

/// The same as [`group`] for rows of any length, at most sixteen.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](crate::KernelFn) says, and the elements that are named must lie inside of
/// them; all elements that the other arguments count must be writable at `to`; the processor must have the instructions of this
/// level.
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe")]
#[inline(never)]
unsafe fn uneven<F: Registers<E>, E: Elem>(src: &TileRef, base: usize, rows: usize, to: *mut E) -> usize {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them; the caller
    // answers for the elements at `to`; the processor has the instructions of this level.
    unsafe {
        let count = WIDE.min(rows - base);
        let mut results = any_wide::<F, E>(src, base, count);
        if F::HALVED {
            results = F::merge(results, any_wide::<F::Odd, E>(src, base, count));
        }
        put_spread::<F, E>(spread::<F, E>(results), to, count);
        count
    }
}

/// The result of one row of elements of 32 bits.
///
/// # Safety
/// `n` elements, at least one, must be readable at `row`, and one writable at `to`; the processor must have the instructions of this level.
#[inline(always)]
pub unsafe fn single<F: Registers<E>, E: Elem>(row: *const E, n: usize, to: *mut E) {
    assert!(F::BYTES == 4 && !F::HALVED, "a lane is an element");
    // SAFETY: the caller answers for the elements at `row` and `to`; the processor has the instructions of this level.
    unsafe {
        if F::WATCHED {
            let mut seen = F::NOTHING;
            let result = folded_row::<F, E>(row, n, &mut seen);
            if seen == F::NOTHING && F::is_settled(result) {
                return put_first::<F, E>(result, to);
            }
        }
        let mut seen = <F::Exact as Registers<E>>::NOTHING;
        put_first::<F::Exact, E>(folded_row::<F::Exact, E>(row, n, &mut seen), to);
    }
}

/// The result of a row in every lane.
///
/// # Safety
/// All elements that the other arguments count must be readable at `row`; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn folded_row<F: Registers<E>, E: Elem>(row: *const E, n: usize, seen: &mut F::Seen) -> __m512i {
    // SAFETY: the caller answers for the elements at `row`; the processor has the instructions of this level.
    unsafe {
        let x = any_side::<F, E, 4>(row, n, seen);
        let x = eights::<F, E>(x, x);
        let x = fours::<F, E>(x, x);
        let x = twos::<F, E>(x, x);
        ones::<F, E>(x, x)
    }
}

/// Writes the first of sixteen results.
///
/// # Safety
/// The element must be writable at `to`; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn put_first<F: Registers<E>, E: Elem>(results: __m512i, to: *mut E) {
    // SAFETY: the caller answers for the element at `to`; the processor has the instructions of this level.
    unsafe {
        let mut buffer = MaybeUninit::<[E; WORD]>::uninit();
        F::put(results, buffer.as_mut_ptr().cast());
        to.write_unaligned(buffer.as_ptr().cast::<E>().read());
    }
}

/// Sixteen rows of any length, or fewer, with 32 bits for each.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](crate::KernelFn) says, and the elements that are named must lie inside of
/// them; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn any_wide<F: Registers<E>, E: Elem>(src: &TileRef, base: usize, count: usize) -> __m512i {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them; the processor must have
    // the instructions of this level.
    unsafe {
        // A loop that stays one: sixteen copies of what is in it would be the longest code of all. Rows that there are not give
        // nothing.
        let mut all = [_mm512_setzero_si512(); WIDE];
        for (i, one) in all.iter_mut().enumerate().take(count) {
            *one = any::<F, E>(src.row(base + i), src.cols());
        }
        let mut quads = [_mm512_setzero_si512(); 4];
        for (k, quad) in quads.iter_mut().enumerate() {
            *quad = fold_four::<F, E>([all[k], all[k + 4], all[k + 8], all[k + 12]]);
        }
        fold_quads::<F, E>(quads)
    }
}

/// What is left to fold of the 32 bits of each row: all of them are then its result.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
unsafe fn spread<F: Registers<E>, E: Elem>(x: __m512i) -> __m512i {
    // SAFETY: the processor has the instructions of this level.
    unsafe {
        match F::BYTES {
            4 => x,
            2 => words::<F, E>(x, x),
            _ => {
                let x = words::<F, E>(x, x);
                bytes::<F, E>(x, x)
            }
        }
    }
}

/// Writes the first `count` of sixteen results that have 32 bits each.
///
/// # Safety
/// All elements that the other arguments count must be writable at `to`; the processor must have the instructions of this
/// level.
#[inline(always)]
unsafe fn put_spread<F: Registers<E>, E: Elem>(results: __m512i, to: *mut E, count: usize) {
    // SAFETY: the caller answers for the elements at `to`; the processor has the instructions of this level.
    unsafe {
        let results = match F::BYTES {
            4 => results,
            2 => _mm512_castsi256_si512(_mm512_cvtepi32_epi16(results)),
            _ => _mm512_castsi128_si512(_mm512_cvtepi32_epi8(results)),
        };
        let mut buffer = MaybeUninit::<[E; WORD]>::uninit();
        F::put(results, buffer.as_mut_ptr().cast());
        std::ptr::copy_nonoverlapping(buffer.as_ptr().cast(), to, count);
    }
}

/// A row of any length as one register.
///
/// # Safety
/// All elements that the other arguments count must be readable at `row`; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn any<F: Registers<E>, E: Elem>(row: *const E, n: usize) -> __m512i {
    // SAFETY: the caller answers for the elements at `row`; the processor has the instructions of this level.
    unsafe {
        // What was seen is of no interest: these folds are exact.
        let mut seen = F::NOTHING;
        match F::SIDE {
            4 => any_side::<F, E, 4>(row, n, &mut seen),
            2 => any_side::<F, E, 2>(row, n, &mut seen),
            _ => any_side::<F, E, 1>(row, n, &mut seen),
        }
    }
}

/// # Safety
/// All elements that the other arguments count must be readable at `row`; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn any_side<F: Registers<E>, E: Elem, const SIDE: usize>(
    row: *const E,
    n: usize,
    seen: &mut F::Seen,
) -> __m512i {
    // SAFETY: the caller answers for the elements at `row`; the processor has the instructions of this level.
    unsafe {
        let (whole, rest) = (n / WORD, n % WORD);
        let mut all = take::<F, E, SIDE>(row, if whole > 0 { !0 } else { first(rest) }, seen);
        // A mask that is known costs nothing.
        for step in 1..whole {
            join::<F, E, SIDE>(&mut all, take::<F, E, SIDE>(row.add(step * WORD), !0, seen));
        }
        if whole > 0 && rest > 0 {
            join::<F, E, SIDE>(&mut all, take::<F, E, SIDE>(row.add(whole * WORD), first(rest), seen));
        }
        as_one::<F, E, SIDE>(all)
    }
}

/// Rows 0, 4, 8 and 12 as one register, each in four lanes.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
unsafe fn fold_four<F: Registers<E>, E: Elem>(rows: [__m512i; 4]) -> __m512i {
    // SAFETY: the processor has the instructions of this level.
    unsafe { fours::<F, E>(eights::<F, E>(rows[0], rows[1]), eights::<F, E>(rows[2], rows[3])) }
}

/// Those of rows 0, 1, 2 and 3 from there on as one register, each in one lane.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
unsafe fn fold_quads<F: Registers<E>, E: Elem>(quads: [__m512i; 4]) -> __m512i {
    // SAFETY: the processor has the instructions of this level.
    unsafe { ones::<F, E>(twos::<F, E>(quads[0], quads[1]), twos::<F, E>(quads[2], quads[3])) }
}

/// Lanes 0 to 7 take in lanes 8 to 15, in two registers.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
unsafe fn eights<F: Registers<E>, E: Elem>(a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: the processor has the instructions of this level.
    unsafe { F::merge(_mm512_shuffle_i32x4::<0b01_00_01_00>(a, b), _mm512_shuffle_i32x4::<0b11_10_11_10>(a, b)) }
}

/// In each eight lanes, the first four take in the last four.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
unsafe fn fours<F: Registers<E>, E: Elem>(a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: the processor has the instructions of this level.
    unsafe { F::merge(_mm512_shuffle_i32x4::<0b10_00_10_00>(a, b), _mm512_shuffle_i32x4::<0b11_01_11_01>(a, b)) }
}

/// In each four lanes, the first two take in the last two.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
unsafe fn twos<F: Registers<E>, E: Elem>(a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: the processor has the instructions of this level.
    unsafe { F::merge(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b)) }
}

/// In each two lanes, the first takes in the second.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
unsafe fn ones<F: Registers<E>, E: Elem>(a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: the processor has the instructions of this level.
    unsafe {
        let (a, b) = (_mm512_castsi512_ps(a), _mm512_castsi512_ps(b));
        let first = _mm512_castps_si512(_mm512_shuffle_ps::<0b10_00_10_00>(a, b));
        F::merge(first, _mm512_castps_si512(_mm512_shuffle_ps::<0b11_01_11_01>(a, b)))
    }
}

/// Combines the 32-bit halves, and interleaves the results of two registers.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
unsafe fn words<F: Registers<E>, E: Elem>(a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: the processor has the instructions of this level.
    unsafe {
        let low = _mm512_mask_blend_epi16(0xaaaa_aaaa, a, _mm512_slli_epi32::<16>(b));
        F::merge(low, _mm512_mask_blend_epi16(0xaaaa_aaaa, _mm512_srli_epi32::<16>(a), b))
    }
}

/// Combines the 16-bit halves, and interleaves the results of two registers.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
unsafe fn bytes<F: Registers<E>, E: Elem>(a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: the processor has the instructions of this level.
    unsafe {
        const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
        let low = _mm512_mask_blend_epi8(ODD, a, _mm512_slli_epi16::<8>(b));
        F::merge(low, _mm512_mask_blend_epi8(ODD, _mm512_srli_epi16::<8>(a), b))
    }
}

/// The registers of a row as one.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
unsafe fn as_one<F: Registers<E>, E: Elem, const SIDE: usize>(all: [__m512i; SIDE]) -> __m512i {
    // SAFETY: the processor has the instructions of this level.
    unsafe {
        match SIDE {
            4 => F::merge(F::merge(all[0], all[SIDE / 2]), F::merge(all[SIDE / 4], all[SIDE - 1])),
            2 => F::merge(all[0], all[SIDE - 1]),
            _ => all[0],
        }
    }
}

/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
pub unsafe fn join<F: Registers<E>, E: Elem, const SIDE: usize>(all: &mut [__m512i; SIDE], x: [__m512i; SIDE]) {
    // SAFETY: the processor has the instructions of this level.
    unsafe {
        for i in 0..SIDE {
            all[i] = F::merge(all[i], x[i]);
        }
    }
}

/// The next 64 elements of a row, or those that `valid` has a bit for.
///
/// # Safety
/// All elements that the other arguments count must be readable at `row`; the processor must have the instructions of this level.
#[inline(always)]
pub unsafe fn take<F: Registers<E>, E: Elem, const SIDE: usize>(
    row: *const E,
    valid: u64,
    seen: &mut F::Seen,
) -> [__m512i; SIDE] {
    // SAFETY: the caller answers for the elements at `row`; the processor has the instructions of this level.
    unsafe {
        let mut x = [_mm512_setzero_si512(); SIDE];
        for (i, x) in x.iter_mut().enumerate() {
            let at = i * (WORD / SIDE);
            *x = F::load(row.wrapping_add(at), valid >> at);
        }
        if F::WATCHED {
            for i in (0..SIDE).step_by(2) {
                *seen = F::watch(*seen, x[i], x[(i + 1) % SIDE]);
            }
        }
        x
    }
}
