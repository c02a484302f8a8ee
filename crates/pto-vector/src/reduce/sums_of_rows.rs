//! Rows of results that are added up while they are made.

use super::fold::Sum;
use super::rows::{LANES, across};
use crate::call::{RowBody, RowCall};
use crate::elem::Elem;
#[cfg(target_arch = "x86_64")]
use crate::level::is_v4;
use crate::rows::{Lanes, RowLanes, SMALL, store_some};
use pto_isa::DType;
use pto_num::Level;
use std::marker::PhantomData;

/// What takes part in a sum without changing it.
const NOTHING: f32 = -0.0;

/// What is added up, and whether the results are written as well.
pub trait Summing {
    const WRITES: bool;
    /// The square of each result is added up.
    const SQUARES: bool;
}

/// The results.
pub struct SummedResults;
/// The squares of the results.
pub struct SummedSquares;
/// The results, which are not written.
pub struct SumOnly;

impl Summing for SummedResults {
    const WRITES: bool = true;
    const SQUARES: bool = false;
}
impl Summing for SummedSquares {
    const WRITES: bool = true;
    const SQUARES: bool = true;
}
impl Summing for SumOnly {
    const WRITES: bool = false;
    const SQUARES: bool = false;
}

/// Code that computes rows and adds them up: [`fill_and_sum`].
pub struct FilledAndSummed<R, A>(PhantomData<(R, A)>);

impl<R: RowLanes, A: Summing> RowBody for FilledAndSummed<R, A> {
    #[inline(always)]
    unsafe fn run<L: Level>(row: &RowCall) {
        // SAFETY: as the caller says.
        unsafe { fill_and_sum::<L, R::Elem, _, A>(row, &R::lanes(row)) }
    }
}

/// Computes a row of results in single precision, and their sum: the same as [`fill`](crate::rows::fill) and then the instruction that
/// adds up rows.
///
/// # Safety
/// The row must be as [`RowFn`](crate::RowFn) says, and the processor must have the level.
#[inline(always)]
unsafe fn fill_and_sum<L: Level, E: Elem, S: Lanes<E>, A: Summing>(row: &RowCall, lanes: &S) {
    // SAFETY: the caller answers for the row; the processor has the instructions of this level.
    unsafe {
        let (dst, n) = (row.dst.cast::<E>(), row.count);
        let mut at = 0;
        let mut all = whole_spans::<L, E, S, A>(row, &mut at, lanes);
        while at < n {
            let (count, first) = (SMALL.min(n - at), at % LANES);
            let out = lanes.get::<L, SMALL>(at, count);
            if A::WRITES {
                store_some::<L, E, SMALL>(dst.add(at), &out, count);
            }
            for i in 0..SMALL {
                all[first + i] += if i < count { term::<E, A>(out[i]) } else { NOTHING };
            }
            at += count;
        }
        row.sum.cast::<f32>().write_unaligned(across::<Sum, f32, LANES>(all));
    }
}

/// Computes spans of as many results as there are lanes, while they last, and adds them up.
///
/// # Safety
/// As [`fill_and_sum`].
#[inline(always)]
unsafe fn whole_spans<L: Level, E: Elem, S: Lanes<E>, A: Summing>(
    row: &RowCall,
    at: &mut usize,
    lanes: &S,
) -> [f32; LANES] {
    // SAFETY: the caller answers for the elements and the processor.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if const { is_v4::<L>() } {
            return in_registers::<L, E, S, A>(row, at, lanes);
        }
        let (dst, n, mut fetch) = (row.dst.cast::<E>(), row.count, row.fetch.get());
        let mut sums = [NOTHING; LANES];
        while *at + LANES <= n {
            fetch.some();
            let out = lanes.get::<L, LANES>(*at, LANES);
            if A::WRITES {
                dst.add(*at).cast::<[E; LANES]>().write_unaligned(out);
            }
            for i in 0..LANES {
                sums[i] += term::<E, A>(out[i]);
            }
            *at += LANES;
        }
        row.fetch.set(fetch);
        sums
    }
}

/// The same with four registers of sums, which the compiler would keep in memory.
///
/// # Safety
/// As [`whole_spans`], and the level must be `v4`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn in_registers<L: Level, E: Elem, S: Lanes<E>, A: Summing>(
    row: &RowCall,
    at: &mut usize,
    lanes: &S,
) -> [f32; LANES] {
    use std::arch::x86_64::{_mm512_add_ps, _mm512_loadu_ps, _mm512_mul_ps, _mm512_set1_ps, _mm512_storeu_ps};
    // SAFETY: the caller answers for the elements and the processor.
    unsafe {
        let (dst, n, mut fetch) = (row.dst.cast::<E>(), row.count, row.fetch.get());
        let nothing = _mm512_set1_ps(NOTHING);
        let [mut a, mut b, mut c, mut d] = [nothing; 4];
        while *at + LANES <= n {
            fetch.some();
            let out = lanes.get::<L, LANES>(*at, LANES);
            if A::WRITES {
                dst.add(*at).cast::<[E; LANES]>().write_unaligned(out);
            }
            let out = out.as_ptr().cast::<f32>();
            let [mut w, mut x] = [_mm512_loadu_ps(out), _mm512_loadu_ps(out.add(16))];
            let [mut y, mut z] = [_mm512_loadu_ps(out.add(32)), _mm512_loadu_ps(out.add(48))];
            if A::SQUARES {
                (w, x, y, z) = (_mm512_mul_ps(w, w), _mm512_mul_ps(x, x), _mm512_mul_ps(y, y), _mm512_mul_ps(z, z));
            }
            a = _mm512_add_ps(a, w);
            b = _mm512_add_ps(b, x);
            c = _mm512_add_ps(c, y);
            d = _mm512_add_ps(d, z);
            *at += LANES;
        }
        row.fetch.set(fetch);
        let mut sums = [NOTHING; LANES];
        for (to, part) in sums.chunks_exact_mut(16).zip([a, b, c, d]) {
            _mm512_storeu_ps(to.as_mut_ptr(), part);
        }
        sums
    }
}

/// What a result adds to the sum.
#[inline(always)]
fn term<E: Elem, A: Summing>(x: E) -> f32 {
    let x = single(x);
    if A::SQUARES { x * x } else { x }
}

/// An element, which is in single precision: only such types have code for rows.
#[inline(always)]
fn single<E: Elem>(x: E) -> f32 {
    assert!(matches!(E::DTYPE, DType::F32));
    // SAFETY: this is the type.
    unsafe { std::mem::transmute_copy(&x) }
}
