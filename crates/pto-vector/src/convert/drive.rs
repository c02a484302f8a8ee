//! The loop of the fast conversions.

use super::exact;
use super::how::{How, largest};
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
use std::marker::PhantomData;

/// Numbers converted at once.
pub const CHUNK: usize = bits::WORD;

/// A conversion between types of whole bytes.
pub trait Conversion: 'static {
    /// Element of the source.
    type Src: Copy;
    /// Element of the destination.
    type Dst: Copy;

    /// Converts numbers; the second result is false when some of them need the exact arithmetic.
    fn chunk<L: Level>(x: &[Self::Src; CHUNK], limits: &Limits<Self>) -> ([Self::Dst; CHUNK], bool);

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
pub fn each<A: Copy, B: Copy>(x: &[A; CHUNK], f: impl Fn(A) -> B) -> [B; CHUNK] {
    let mut out = [f(x[0]); CHUNK];
    for i in 0..CHUNK {
        out[i] = f(x[i]);
    }
    out
}

/// What a conversion needs to know about ranges. With saturation off, they are those of the arithmetic.
pub struct Limits<C: ?Sized> {
    /// Saturation.
    pub saturate: Saturate,
    /// Lowest value kept.
    pub low: f32,
    /// Highest value kept.
    pub high: f32,
    /// The same for integers.
    pub integers: (i64, i64),
    conversion: PhantomData<C>,
}

impl<C: ?Sized> Limits<C> {
    fn new(how: How) -> Self {
        let (low, high) = float_range(how);
        let kept = how.saturate == Saturate::On && how.dst.is_int();
        let integers = integer_range(if kept { how.dst } else { DType::I64 });
        Self { saturate: how.saturate, low, high, integers, conversion: PhantomData }
    }
}

/// The range of a type in single precision, as far as conversions by vector code keep to it; everything elsewhere.
fn float_range(how: How) -> (f32, f32) {
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
            // Copies, which what is written cannot change.
            let [src, dst] = *call.tiles;
            let how = How::from_call(call);
            let limits = Limits::<C>::new(how);
            let (rows, cols) = (src.rows().min(dst.rows()), src.cols().min(dst.cols()));
            let joined = src.row_stride() == cols && dst.row_stride() == cols;
            let (rows, cols) = if joined { (rows.min(1), rows * cols) } else { (rows, cols) };
            let back = backwards::<C>(&src, &dst);
            for i in 0..rows {
                let r = if back { rows - 1 - i } else { i };
                #[cfg(target_arch = "x86_64")]
                if const { C::REGISTERS && is_v4::<L>() } {
                    v4::row::<C>(src.row(r), dst.row(r), cols, how, (limits.low, limits.high), back);
                } else {
                    row::<L, C>(src.row(r), dst.row(r), cols, how, &limits, back);
                }
                #[cfg(not(target_arch = "x86_64"))]
                row::<L, C>(src.row(r), dst.row(r), cols, how, &limits, back);
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

/// In place, a destination of wider elements must not overtake the source: such tiles go from the end to the start.
#[inline(always)]
fn backwards<C: Conversion>(src: &TileRef, dst: &TileRef) -> bool {
    let end = |tile: &TileRef, size: usize| tile.ptr().wrapping_add(tile.rows() * tile.row_stride() * size);
    let overlap = src.ptr() < end(dst, size_of::<C::Dst>()) && dst.ptr() < end(src, size_of::<C::Src>());
    size_of::<C::Dst>() > size_of::<C::Src>() && overlap
}

/// # Safety
/// All elements that the other arguments count must be readable at `src` and writable at `dst`; the processor must have the
/// instructions of this level.
#[inline(always)]
unsafe fn row<L: Level, C: Conversion>(
    src: *const C::Src,
    dst: *mut C::Dst,
    n: usize,
    how: How,
    limits: &Limits<C>,
    back: bool,
) {
    // SAFETY: the caller answers for the elements at `src` and `dst`; the processor has the instructions of this level.
    unsafe {
        let chunks = n / CHUNK;
        if back {
            rest::<L, C>(src, dst, n, how, limits);
        }
        for i in 0..chunks {
            let at = CHUNK * if back { chunks - 1 - i } else { i };
            let x = src.add(at).cast::<[C::Src; CHUNK]>().read_unaligned();
            let (out, done) = C::chunk::<L>(&x, limits);
            if done {
                dst.add(at).cast::<[C::Dst; CHUNK]>().write_unaligned(out);
            } else {
                dst.add(at).cast::<[C::Dst; CHUNK]>().write_unaligned(exactly::<C>(&x, how));
            }
        }
        if !back {
            rest::<L, C>(src, dst, n, how, limits);
        }
    }
}

/// The numbers at the end of a row that do not fill a chunk: through copies that are filled up with the first one.
///
/// # Safety
/// All elements that the other arguments count must be readable at `src` and writable at `dst`; the processor must have the
/// instructions of this level.
#[inline(always)]
unsafe fn rest<L: Level, C: Conversion>(src: *const C::Src, dst: *mut C::Dst, n: usize, how: How, limits: &Limits<C>) {
    // SAFETY: the caller answers for the elements at `src` and `dst`; the processor has the instructions of this level.
    unsafe {
        let at = n / CHUNK * CHUNK;
        if at == n {
            return;
        }
        let x = bits::filled(src.add(at), n - at);
        let (out, done) = C::chunk::<L>(&x, limits);
        let out = if done { out } else { exactly::<C>(&x, how) };
        std::ptr::copy_nonoverlapping(out.as_ptr(), dst.add(at), n - at);
    }
}

/// The same numbers by the exact arithmetic.
///
/// # Safety
/// The numbers have the types that `how` names.
#[cold]
#[inline(never)]
pub unsafe fn exactly<C: Conversion>(x: &[C::Src; CHUNK], how: How) -> [C::Dst; CHUNK] {
    // SAFETY: the numbers have the types that `how` names, and arrays of as many elements.
    unsafe {
        x.map(|x| {
            let mut bytes = [0; 8];
            bytes.as_mut_ptr().cast::<C::Src>().write_unaligned(x);
            let bits = exact::number(u64::from_le_bytes(bytes), how).to_le_bytes();
            bits.as_ptr().cast::<C::Dst>().read_unaligned()
        })
    }
}
