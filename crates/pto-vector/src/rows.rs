//! Rows of results: how a kernel walks along contiguous elements.
//!
//! A row is computed in spans of a fixed number of elements, which the compiler turns into vector instructions. All
//! elements of a span are read before any is written, so a destination may be one of the sources.

use super::call::{RowBody, RowCall, TileRef};
use super::elem::Elem;
#[cfg(target_arch = "x86_64")]
use super::level::{is_v3, is_v4};
use pto_num::{CpuLevel, Level};
use std::hint::black_box;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Elements of a long span.
pub const CHUNK: usize = 64;
/// Elements of a short span, for what is left of a row. The last one may be shorter still.
pub const SMALL: usize = 16;

/// Memory that does not cross cache lines in the middle of a vector: what is written there is read again at once.
#[repr(align(64))]
pub struct Aligned<T>(T);

/// The results of a row, some at a time.
pub trait Lanes<D> {
    /// Bytes of the widest number that is computed with.
    const WIDEST: usize;

    /// The results from `at` on; the first `count` of them matter, and only those of the sources may be read.
    ///
    /// # Safety
    /// The sources must have `at + count` elements; `count` is at most `N`.
    unsafe fn get<L: Level, const N: usize>(&self, at: usize, count: usize) -> [D; N];
}

/// Computes a row of `n` results.
///
/// # Safety
/// `n` elements must be writable at `dst` and readable at the sources.
#[inline(always)]
pub unsafe fn fill<L: Level, D: Elem, S: Lanes<D>>(dst: *mut D, n: usize, lanes: &S) {
    // SAFETY: the caller answers for the elements at `dst`; the processor has the instructions of this level.
    unsafe {
        let mut at = 0;
        // Of narrow numbers a span should have as many bytes as of wide ones.
        if const { long_spans::<L>() && S::WIDEST == 1 } {
            spans::<L, D, S, { 4 * CHUNK }>(dst, n, &mut at, lanes);
        }
        if const { long_spans::<L>() && S::WIDEST == 2 } {
            spans::<L, D, S, { 2 * CHUNK }>(dst, n, &mut at, lanes);
        }
        if const { long_spans::<L>() } {
            spans::<L, D, S, CHUNK>(dst, n, &mut at, lanes);
        }
        while at < n {
            let count = SMALL.min(n - at);
            let out = lanes.get::<L, SMALL>(at, count);
            store_some::<L, D, SMALL>(dst.add(at), &out, count);
            at += count;
        }
    }
}

/// Results of rows, from their operands.
pub trait RowLanes {
    /// The type of the results.
    type Elem: Elem;

    /// The results of a row.
    ///
    /// # Safety
    /// The row must be as [`RowFn`](crate::RowFn) says.
    unsafe fn lanes(row: &RowCall) -> impl Lanes<Self::Elem>;
}

/// Code that computes rows: [`fill_row`].
pub struct Filled<R>(PhantomData<R>);

impl<R: RowLanes> RowBody for Filled<R> {
    #[inline(always)]
    unsafe fn run<L: Level>(row: &RowCall) {
        // SAFETY: as the caller says.
        unsafe { fill_row::<L, R::Elem, _>(row, &R::lanes(row)) }
    }
}

/// Code that computes rows past the cache: [`fill_row_past`].
pub struct FilledPast<R>(PhantomData<R>);

impl<R: RowLanes> RowBody for FilledPast<R> {
    #[inline(always)]
    unsafe fn run<L: Level>(row: &RowCall) {
        // SAFETY: as the caller says.
        unsafe { fill_row_past::<L, R::Elem, _>(row, &R::lanes(row)) }
    }
}

/// Computes a row, and fetches what is needed soon.
///
/// # Safety
/// The row must be as [`RowFn`](crate::RowFn) says, and the processor must have the level.
#[inline(always)]
pub unsafe fn fill_row<L: Level, D: Elem, S: Lanes<D>>(row: &RowCall, lanes: &S) {
    // SAFETY: the caller answers for the row and the processor.
    unsafe {
        let (dst, n, mut fetch) = (row.dst.cast::<D>(), row.count, row.fetch.get());
        let mut at = 0;
        while at + CHUNK <= n {
            fetch.some();
            let out = lanes.get::<L, CHUNK>(at, CHUNK);
            dst.add(at).cast::<[D; CHUNK]>().write_unaligned(out);
            at += CHUNK;
        }
        row.fetch.set(fetch);
        while at < n {
            let count = SMALL.min(n - at);
            let out = lanes.get::<L, SMALL>(at, count);
            store_some::<L, D, SMALL>(dst.add(at), &out, count);
            at += count;
        }
    }
}

/// The same as [`fill_row`], but what is written goes past the cache.
///
/// # Safety
/// The row must be as [`RowFn`](crate::RowFn) says, elements must have four bytes, and the processor must have the level.
#[inline(always)]
pub unsafe fn fill_row_past<L: Level, D: Elem, S: Lanes<D>>(row: &RowCall, lanes: &S) {
    // SAFETY: the caller answers for the row and the processor.
    unsafe {
        let (dst, n, mut fetch) = (row.dst.cast::<D>(), row.count, row.fetch.get());
        // Whole lines only.
        let head = dst.align_offset(LINE_BYTES).min(n);
        let mut at = 0;
        while at < head {
            let count = SMALL.min(head - at);
            store_some::<L, D, SMALL>(dst.add(at), &lanes.get::<L, SMALL>(at, count), count);
            at += count;
        }
        while at + CHUNK <= n {
            fetch.some();
            stream::<L, D>(dst.add(at), &lanes.get::<L, CHUNK>(at, CHUNK));
            at += CHUNK;
        }
        row.fetch.set(fetch);
        while at < n {
            let count = SMALL.min(n - at);
            store_some::<L, D, SMALL>(dst.add(at), &lanes.get::<L, SMALL>(at, count), count);
            at += count;
        }
    }
}

/// Bytes of a line of the cache.
const LINE_BYTES: usize = 64;

/// Writes a span of elements of four bytes to whole lines past the cache.
///
/// # Safety
/// The elements must be writable at `to`, where a line starts; the processor must have the level.
#[inline(always)]
unsafe fn stream<L: Level, D: Elem>(to: *mut D, span: &[D; CHUNK]) {
    debug_assert!(size_of::<D>() == 4);
    // SAFETY: the caller answers for the elements and the processor.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_mm256_loadu_ps, _mm256_stream_ps, _mm512_loadu_ps, _mm512_stream_ps};
            let (from, to) = (span.as_ptr().cast::<f32>(), to.cast::<f32>());
            if const { is_v4::<L>() } {
                _mm512_stream_ps(to, _mm512_loadu_ps(from));
                _mm512_stream_ps(to.add(16), _mm512_loadu_ps(from.add(16)));
                _mm512_stream_ps(to.add(32), _mm512_loadu_ps(from.add(32)));
                return _mm512_stream_ps(to.add(48), _mm512_loadu_ps(from.add(48)));
            }
            if const { is_v3::<L>() } {
                for part in 0..CHUNK / 8 {
                    _mm256_stream_ps(to.add(8 * part), _mm256_loadu_ps(from.add(8 * part)));
                }
                return;
            }
        }
        to.cast::<[D; CHUNK]>().write_unaligned(*span);
    }
}

/// Computes spans of `N` elements while at least `N` are left.
///
/// # Safety
/// All elements that the other arguments count must be writable at `dst`; the processor must have the instructions of this
/// level.
#[inline(always)]
unsafe fn spans<L: Level, D: Elem, S: Lanes<D>, const N: usize>(dst: *mut D, n: usize, at: &mut usize, lanes: &S) {
    // SAFETY: the caller answers for the elements at `dst`; the processor has the instructions of this level.
    unsafe {
        while *at + N <= n {
            let out = lanes.get::<L, N>(*at, N);
            dst.add(*at).cast::<[D; N]>().write_unaligned(out);
            *at += N;
        }
    }
}

/// Long spans pay where vectors are long; elsewhere they are only more code.
pub const fn long_spans<L: Level>() -> bool {
    !matches!(L::CPU, CpuLevel::Baseline)
}

/// Reads `count` elements, at most `N`; the others are zero.
///
/// # Safety
/// `count` elements must be readable at `from`.
#[inline(always)]
pub unsafe fn load_some<L: Level, E: Elem, const N: usize>(from: *const E, count: usize) -> [E; N] {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe {
        let mut some = MaybeUninit::<Aligned<[E; N]>>::uninit();
        let mut from = from;
        if count != N {
            load_part::<L, E, N>(from, count, some.as_mut_ptr().cast());
            // The compiler must not see through this: it would take the elements apart.
            from = black_box(some.as_ptr().cast());
        }
        from.cast::<[E; N]>().read_unaligned()
    }
}

/// # Safety
/// All elements that the other arguments count must be readable at `from` and writable at `to`; the processor must have the
/// instructions of this level.
#[inline(always)]
unsafe fn load_part<L: Level, E: Elem, const N: usize>(from: *const E, count: usize, to: *mut E) {
    // SAFETY: the caller answers for the elements at `from` and `to`; the processor has the instructions of this level.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if N == SMALL && masked::has::<L, E>() {
            return masked::load(from, count, to);
        }
        // Elements are plain numbers, for which zero bits are a value.
        std::ptr::write_bytes(to, 0, N);
        std::ptr::copy_nonoverlapping(from, to, count);
    }
}

/// Writes the first `count` of `N` elements.
///
/// # Safety
/// `count` elements must be writable at `to`.
#[inline(always)]
pub unsafe fn store_some<L: Level, E: Elem, const N: usize>(to: *mut E, some: &[E; N], count: usize) {
    // SAFETY: the caller answers for the elements at `to`; the processor has the instructions of this level.
    unsafe {
        if count == N {
            return to.cast::<[E; N]>().write_unaligned(*some);
        }
        #[cfg(target_arch = "x86_64")]
        if N == SMALL && masked::has::<L, E>() {
            return masked::store(to, some, count);
        }
        std::ptr::copy_nonoverlapping(some.as_ptr(), to, count);
    }
}

/// The same number, about which the compiler knows nothing. Loops over short vectors it takes apart; where it knows the distances, it
/// would then take several rounds together and gather their elements, in long code that is not faster.
#[inline(always)]
pub fn opaque(distance: usize) -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        let mut distance = distance;
        // SAFETY: there are no instructions in this.
        unsafe { std::arch::asm!("/* {0} */", inout(reg) distance, options(nomem, nostack, preserves_flags)) }
        distance
    }
    #[cfg(not(target_arch = "x86_64"))]
    distance
}

/// The end of a row without a detour through memory, where the processor can leave out elements.
#[cfg(target_arch = "x86_64")]
mod masked {
    use super::SMALL;
    use pto_num::{Level, V4};
    use std::any::TypeId;
    use std::arch::x86_64::{
        _mm_loadu_epi8, _mm_mask_storeu_epi8, _mm_maskz_loadu_epi8, _mm_storeu_epi8, _mm256_loadu_epi16,
        _mm256_mask_storeu_epi16, _mm256_maskz_loadu_epi16, _mm256_storeu_epi16, _mm512_loadu_epi32,
        _mm512_mask_storeu_epi32, _mm512_maskz_loadu_epi32, _mm512_storeu_epi32,
    };

    /// True when code for this level may use the functions below for elements of this type.
    #[inline(always)]
    pub fn has<L: Level, E>() -> bool {
        TypeId::of::<L>() == TypeId::of::<V4>() && size_of::<E>() <= 4
    }

    /// One bit for each of `count` elements.
    #[inline(always)]
    fn mask(count: usize) -> u16 {
        u16::MAX >> (SMALL - count)
    }

    /// # Safety
    /// All elements that the other arguments count must be readable at `from` and writable at `to`.
    #[inline(always)]
    pub unsafe fn load<E>(from: *const E, count: usize, to: *mut E) {
        // SAFETY: the caller answers for the elements at `from` and `to`.
        unsafe {
            match size_of::<E>() {
                1 => _mm_storeu_epi8(to.cast(), _mm_maskz_loadu_epi8(mask(count), from.cast())),
                2 => _mm256_storeu_epi16(to.cast(), _mm256_maskz_loadu_epi16(mask(count), from.cast())),
                _ => _mm512_storeu_epi32(to.cast(), _mm512_maskz_loadu_epi32(mask(count), from.cast())),
            }
        }
    }

    /// # Safety
    /// All elements that the other arguments count must be writable at `to`.
    #[inline(always)]
    pub unsafe fn store<E: Copy, const N: usize>(to: *mut E, some: &[E; N], count: usize) {
        // SAFETY: the caller answers for the elements at `to`.
        unsafe {
            let from = some.as_ptr();
            match size_of::<E>() {
                1 => _mm_mask_storeu_epi8(to.cast(), mask(count), _mm_loadu_epi8(from.cast())),
                2 => _mm256_mask_storeu_epi16(to.cast(), mask(count), _mm256_loadu_epi16(from.cast())),
                _ => _mm512_mask_storeu_epi32(to.cast(), mask(count), _mm512_loadu_epi32(from.cast())),
            }
        }
    }
}

/// The rows of a call as one long row, when no tile has a gap after its rows.
#[inline(always)]
pub fn joined(tiles: &[&TileRef], rows: usize, cols: usize) -> (usize, usize) {
    if tiles.iter().all(|t| t.row_stride() == cols) { (1, rows * cols) } else { (rows, cols) }
}
