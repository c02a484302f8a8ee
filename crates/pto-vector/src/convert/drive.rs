//! The loop of the fast conversions.

use super::exact;
use super::how::{ConvertOptions, largest};
#[cfg(target_arch = "x86_64")]
use super::v4;
use crate::bits;
use crate::call::{Body, Call, Fault, TileRef};
use crate::level::is_old;
#[cfg(target_arch = "x86_64")]
use crate::level::is_v4;
use pto_isa::{Class, DType};
use pto_num::{Level, Saturate};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::__m512i;
use std::hint::black_box;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Numbers converted at once where that is little work.
const LONG: usize = bits::WORD;
/// Numbers converted at once where it is more: four registers of the shorter kind. Longer would only be longer code.
const SHORT: usize = 32;

/// A conversion between types of whole bytes.
pub trait Conversion: 'static {
    /// Element of the source.
    type Src: Copy;
    /// Element of the destination.
    type Dst: Copy;

    /// Converts numbers; the second result is false when some of them need the exact arithmetic.
    fn chunk<L: Level, const N: usize>(x: &[Self::Src; N], limits: &Limits) -> ([Self::Dst; N], bool);

    /// True when it takes only few instructions, or those of single numbers.
    const IS_LITTLE: bool = false;

    /// True when there is code for AVX-512 registers.
    #[cfg(target_arch = "x86_64")]
    const REGISTERS: bool = false;

    /// Converts the sixteen numbers that `valid` has; the second result has a bit for each that needs the exact
    /// arithmetic. `ON` is saturation.
    ///
    /// # Safety
    /// The numbers must be readable; the processor must have level `v4`, and [`Self::REGISTERS`] must hold.
    #[cfg(target_arch = "x86_64")]
    unsafe fn sixteen<const ON: bool>(_: *const Self::Src, _: u16, _: v4::Range) -> (__m512i, u16) {
        unreachable!("there is no code for registers")
    }

    /// Stores what [`Self::sixteen`] has made.
    ///
    /// # Safety
    /// As there; the results must be writable.
    #[cfg(target_arch = "x86_64")]
    unsafe fn store(_: *mut Self::Dst, _: u16, _: __m512i) {}
}

/// A function of every number. Unlike `map` of arrays, this becomes vector code.
#[inline(always)]
pub fn each<A: Copy, B: Copy, const N: usize>(x: &[A; N], f: impl Fn(A) -> B) -> [B; N] {
    let mut out = [f(x[0]); N];
    for i in 0..N {
        out[i] = f(x[i]);
    }
    out
}

/// What a conversion needs to know about ranges. With saturation off, they are those of the arithmetic.
pub struct Limits {
    /// Saturation.
    pub saturate: Saturate,
    /// Lowest value kept.
    pub low: f32,
    /// Highest value kept.
    pub high: f32,
    /// The same for integers.
    pub integers: (i64, i64),
}

impl Limits {
    fn new(how: ConvertOptions) -> Self {
        let (low, high) = float_range(how);
        let kept = how.saturate == Saturate::On && how.dst.is_int();
        let integers = integer_range(if kept { how.dst } else { DType::I64 });
        Self { saturate: how.saturate, low, high, integers }
    }
}

/// The range of a type in single precision, as far as conversions by vector code keep to it; everything elsewhere.
fn float_range(how: ConvertOptions) -> (f32, f32) {
    if how.saturate == Saturate::Off {
        return (f32::NEG_INFINITY, f32::INFINITY);
    }
    match how.dst {
        DType::U8 => (0.0, 255.0),
        DType::I8 => (-128.0, 127.0),
        DType::I16 => (-32768.0, 32767.0),
        other => {
            let most = largest(other).unwrap_or(f32::INFINITY);
            (-most, most)
        }
    }
}

/// The values of an integer type; those of `u64` that there are in 64 signed bits.
fn integer_range(dtype: DType) -> (i64, i64) {
    let bits = dtype.bits();
    let high = i64::MAX >> (64 - bits);
    match dtype.class() {
        Class::Unsigned if bits == 64 => (0, i64::MAX),
        Class::Unsigned => (0, 2 * high + 1),
        _ => (-high - 1, high),
    }
}

/// A conversion as a kernel; tiles: `src`, `dst`.
pub struct Fast<C>(PhantomData<C>);

impl<C: Conversion> Body<2> for Fast<C> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            if const { is_old::<L>() } {
                return Self::plain(call);
            }
            let job = Job::new(call, size_of::<C::Src>(), size_of::<C::Dst>());
            for i in 0..job.rows {
                let (src, dst) = job.row(i);
                #[cfg(target_arch = "x86_64")]
                if const { C::REGISTERS && is_v4::<L>() } {
                    v4::row::<C>(src.cast(), dst.cast(), &job);
                    continue;
                }
                if const { C::IS_LITTLE } {
                    row::<L, C, LONG>(src.cast(), dst.cast(), &job);
                } else {
                    row::<L, C, SHORT>(src.cast(), dst.cast(), &job);
                }
            }
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            exact::run(call);
            Ok(())
        }
    }
}

/// Where the rows of a conversion lie, and how their numbers are converted. The same code for all types.
pub struct Job {
    src: *const u8,
    dst: *mut u8,
    /// Bytes from one row to the next; they wrap around when rows go from the last to the first.
    steps: (usize, usize),
    /// Rows.
    pub rows: usize,
    /// Numbers of a row.
    pub cols: usize,
    /// Rows, and the numbers of a row, go from the last to the first.
    pub back: bool,
    /// Types, rounding and saturation.
    pub how: ConvertOptions,
    /// Ranges.
    pub limits: Limits,
}

impl Job {
    #[inline(never)]
    fn new(call: &Call<2>, from: usize, to: usize) -> Self {
        let [src, dst] = call.tiles;
        let how = ConvertOptions::from_call(call);
        let (rows, cols) = (src.rows().min(dst.rows()), src.cols().min(dst.cols()));
        let joined = src.row_stride() == cols && dst.row_stride() == cols;
        let (rows, cols) = if joined { (rows.min(1), rows * cols) } else { (rows, cols) };
        let back = to > from && overlap(src, from, dst, to);
        let mut job = Self {
            src: src.ptr(),
            dst: dst.ptr(),
            steps: (src.row_stride() * from, dst.row_stride() * to),
            rows,
            cols,
            back,
            how,
            limits: Limits::new(how),
        };
        if back {
            let last = rows.saturating_sub(1);
            (job.src, job.dst) = (job.src.wrapping_add(last * job.steps.0), job.dst.wrapping_add(last * job.steps.1));
            job.steps = (job.steps.0.wrapping_neg(), job.steps.1.wrapping_neg());
        }
        job
    }

    /// The first numbers of a row.
    #[inline(always)]
    fn row(&self, i: usize) -> (*const u8, *mut u8) {
        let (from, to) = self.steps;
        (self.src.wrapping_add(i.wrapping_mul(from)), self.dst.wrapping_add(i.wrapping_mul(to)))
    }
}

/// True when two tiles share memory. In place, a destination of wider elements must not overtake the source: such tiles go
/// from the end to the start.
fn overlap(src: &TileRef, from: usize, dst: &TileRef, to: usize) -> bool {
    let end = |tile: &TileRef, size: usize| tile.ptr().wrapping_add(tile.rows() * tile.row_stride() * size);
    src.ptr() < end(dst, to) && dst.ptr() < end(src, from)
}

/// # Safety
/// All numbers of a row must be readable at `src` and writable at `dst`; the processor must have the instructions of this
/// level.
#[inline(always)]
unsafe fn row<L: Level, C: Conversion, const N: usize>(src: *const C::Src, dst: *mut C::Dst, job: &Job) {
    // SAFETY: the caller answers for the elements at `src` and `dst`; the processor has the instructions of this level.
    unsafe {
        let chunks = job.cols.div_ceil(N);
        let first = if C::IS_LITTLE && !job.back { whole_chunks::<L, C, N>(src, dst, job) } else { 0 };
        for i in first..chunks {
            let at = N * if job.back { chunks - 1 - i } else { i };
            let count = N.min(job.cols - at);
            // One loop for whole chunks and the rest of a row: what is inlined here is long.
            let mut padded = MaybeUninit::<[C::Src; N]>::uninit();
            let mut from = src.add(at);
            if count < N {
                padded.write(bits::filled(from, count));
                // The compiler must not see through this: it would take the numbers apart.
                from = black_box(padded.as_ptr().cast());
            }
            let x = from.cast::<[C::Src; N]>().read_unaligned();
            let (out, done) = C::chunk::<L, N>(&x, &job.limits);
            let to = dst.add(at);
            if !done {
                // Not from `x`, which would have to be in memory for that.
                exactly(from.cast(), to.cast(), count, job.how);
                continue;
            }
            // One store, so that results stay in registers until then.
            let mut spare = MaybeUninit::<[C::Dst; N]>::uninit();
            let place = if count == N { to } else { black_box(spare.as_mut_ptr().cast()) };
            place.cast::<[C::Dst; N]>().write_unaligned(out);
            if count < N {
                std::ptr::copy_nonoverlapping(place.cast_const(), to, count);
            }
        }
    }
}

/// The whole chunks of a row, from the first on; the result says how many there are. What takes few instructions spends its time in this
/// loop, and is not long.
///
/// # Safety
/// As [`row`].
#[inline(always)]
unsafe fn whole_chunks<L: Level, C: Conversion, const N: usize>(
    src: *const C::Src,
    dst: *mut C::Dst,
    job: &Job,
) -> usize {
    // SAFETY: the caller answers for the elements at `src` and `dst`; the processor has the instructions of this level.
    unsafe {
        let chunks = job.cols / N;
        for i in 0..chunks {
            let (from, to) = (src.add(i * N), dst.add(i * N));
            let (out, done) = C::chunk::<L, N>(&from.cast::<[C::Src; N]>().read_unaligned(), &job.limits);
            if done {
                to.cast::<[C::Dst; N]>().write_unaligned(out);
            } else {
                exactly(from.cast(), to.cast(), N, job.how);
            }
        }
        chunks
    }
}

/// Up to [`LONG`] numbers by the exact arithmetic. The same code for all types.
///
/// # Safety
/// `n` numbers of the types that `how` names must be readable at `src` and writable at `dst`.
#[cold]
#[inline(never)]
pub unsafe fn exactly(src: *const u8, dst: *mut u8, n: usize, how: ConvertOptions) {
    // SAFETY: the caller answers for the numbers at `src` and `dst`; a number has at most eight bytes.
    unsafe {
        let (from, to) = (how.src.unit_bytes() as usize, how.dst.unit_bytes() as usize);
        let mut results = [0; LONG];
        for (i, result) in results[..n].iter_mut().enumerate() {
            let mut bits = [0; 8];
            std::ptr::copy_nonoverlapping(src.add(i * from), bits.as_mut_ptr(), from);
            *result = exact::number(u64::from_le_bytes(bits), how);
        }
        // The destination may be the source: all are read before any is written.
        for (i, result) in results[..n].iter().enumerate() {
            std::ptr::copy_nonoverlapping(result.to_le_bytes().as_ptr(), dst.add(i * to), to);
        }
    }
}
