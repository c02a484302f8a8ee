//! Selection by packed masks.
//!
//! Rows go from right to left: the bits of an element lie left of it, so the destination may even take the place of the
//! mask.

use super::test::Right;
use crate::bits::{self, BitRows, WORD};
use crate::call::{Body, Call, Fault, TileRef};
use crate::elem::Elem;
#[cfg(target_arch = "x86_64")]
use crate::level::is_v4;
use crate::map::{read, write};
use pto_num::Level;
use std::marker::PhantomData;

/// `dst = mask ? src0 : src1`; tiles: `mask`, `src0`, `src1`, `dst`. `E` is any type of the right size.
pub struct Tiles<E>(PhantomData<E>);

impl<E: Elem> Body<4> for Tiles<E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<4>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            // Copies, which what is written cannot change.
            let [mask, a, b, dst] = *call.tiles;
            if !covers(&mask, &dst) {
                return Self::plain(call);
            }
            rows::<L, E>(mask, a, dst, |r| Right::Row(b.row(r)));
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<4>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [mask, a, b, dst] = call.tiles;
            let mask = BitRows::new(mask);
            from_the_right(dst, |r, c| {
                write::<E>(dst, r, c, if bit(&mask, r, c) { read(a, r, c) } else { read(b, r, c) });
            });
            Ok(())
        }
    }
}

/// `dst = mask ? src : scalar`; tiles: `mask`, `src`, `dst`.
pub struct Scalar<E>(PhantomData<E>);

impl<E: Elem> Body<3, 0, 1> for Scalar<E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<3, 0, 1>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let (&[mask, a, dst], [scalar]) = (call.tiles, call.scalars);
            if !covers(&mask, &dst) {
                return Self::plain(call);
            }
            let scalar = E::scalar(*scalar);
            rows::<L, E>(mask, a, dst, |_| Right::Value(scalar));
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<3, 0, 1>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let ([mask, a, dst], [scalar]) = (call.tiles, call.scalars);
            let mask = BitRows::new(mask);
            from_the_right(dst, |r, c| {
                write(dst, r, c, if bit(&mask, r, c) { read(a, r, c) } else { E::scalar(*scalar) });
            });
            Ok(())
        }
    }
}

/// Calls a function for every valid element.
fn from_the_right(tile: &TileRef, f: impl Fn(usize, usize)) {
    for r in 0..tile.rows() {
        (0..tile.cols()).rev().for_each(|c| f(r, c));
    }
}

/// A bit of a mask; those outside of its valid region are zero.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](crate::KernelFn) says, and the elements that are named must lie inside of
/// them.
unsafe fn bit(mask: &BitRows, r: usize, c: usize) -> bool {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe { mask.byte(r, c / 8).is_some_and(|byte| byte.read() >> (c % 8) & 1 == 1) }
}

/// True when the mask has a bit for every element.
#[inline(always)]
fn covers(mask: &TileRef, dst: &TileRef) -> bool {
    mask.rows() >= dst.rows() && BitRows::new(mask).bytes() >= dst.cols().div_ceil(8)
}

/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](crate::KernelFn) says, and the elements that are named must lie inside of
/// them; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn rows<L: Level, E: Elem>(mask: TileRef, a: TileRef, dst: TileRef, right: impl Fn(usize) -> Right<E>) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them; the processor must have
    // the instructions of this level.
    unsafe {
        let mask = BitRows::new(&mask);
        let (words, n) = (dst.cols() / WORD, dst.cols());
        if n == WORD {
            // So short that a loop along the row would be felt.
            for r in 0..dst.rows() {
                chunk::<L, E>(bits::read(mask.row(r), 8), a.row(r), right(r), dst.row(r), WORD);
            }
            return;
        }
        for r in 0..dst.rows() {
            let (bits, right, a, out) =
                (mask.row(r).cast_const(), right(r), a.row::<E>(r).cast_const(), dst.row::<E>(r));
            if words * WORD < n {
                let (at, rest) = (words * WORD, n - words * WORD);
                let word = bits::read(bits.add(at / 8), rest.div_ceil(8));
                chunk::<L, E>(word, a.add(at), right.from(at), out.add(at), rest);
            }
            for i in 0..words {
                let at = (words - 1 - i) * WORD;
                chunk::<L, E>(bits::read(bits.add(at / 8), 8), a.add(at), right.from(at), out.add(at), WORD);
            }
        }
    }
}

/// The next 64 elements, or the `n` that are left. All are read before any is written.
///
/// # Safety
/// All elements that the other arguments count must be readable at `a` and writable at `out`; the processor must have the
/// instructions of this level.
#[inline(always)]
unsafe fn chunk<L: Level, E: Elem>(word: u64, a: *const E, b: Right<E>, out: *mut E, n: usize) {
    // SAFETY: the caller answers for the elements at `a` and `out`; the processor has the instructions of this level.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if const { is_v4::<L>() } {
            let valid = if n >= WORD { !0 } else { bits::first(n) };
            return match size_of::<E>() {
                1 => v4::chunk::<u8, 64, 1>(word, a.cast(), v4::right(b), out.cast(), valid),
                2 => v4::chunk::<u16, 32, 2>(word, a.cast(), v4::right(b), out.cast(), valid),
                4 => v4::chunk::<u32, 16, 4>(word, a.cast(), v4::right(b), out.cast(), valid),
                _ => v4::chunk::<u64, 8, 8>(word, a.cast(), v4::right(b), out.cast(), valid),
            };
        }
        if n >= WORD {
            return blend::<E>(word, a, b, out);
        }
        let (a, mut result) = (bits::filled::<_, WORD>(a, n), [a.read_unaligned(); WORD]);
        match b {
            Right::Row(b) => {
                blend(word, a.as_ptr(), Right::Row(bits::filled::<_, WORD>(b, n).as_ptr()), result.as_mut_ptr());
            }
            Right::Value(_) => blend(word, a.as_ptr(), b, result.as_mut_ptr()),
        }
        std::ptr::copy_nonoverlapping(result.as_ptr(), out, n);
    }
}

/// # Safety
/// All elements that the other arguments count must be readable at `a` and writable at `out`.
#[inline(always)]
unsafe fn blend<E: Elem>(word: u64, a: *const E, b: Right<E>, out: *mut E) {
    // SAFETY: the caller answers for the elements at `a` and `out`.
    unsafe {
        let a = a.cast::<[E; WORD]>().read_unaligned();
        let mut result = match b {
            Right::Row(b) => b.cast::<[E; WORD]>().read_unaligned(),
            Right::Value(b) => [b; WORD],
        };
        for i in 0..WORD {
            // A bit against a constant, in a lane no wider than it must be.
            let part = (word >> (i / 8 * 8)) as u8;
            result[i] = if part & 1 << (i % 8) != 0 { a[i] } else { result[i] };
        }
        out.cast::<[E; WORD]>().write_unaligned(result);
    }
}

#[cfg(target_arch = "x86_64")]
mod v4 {
    use crate::mask::test::Right;
    use std::arch::x86_64::{
        __m512i, _mm512_mask_blend_epi8, _mm512_mask_blend_epi16, _mm512_mask_blend_epi32, _mm512_mask_blend_epi64,
        _mm512_mask_storeu_epi8, _mm512_mask_storeu_epi16, _mm512_mask_storeu_epi32, _mm512_mask_storeu_epi64,
        _mm512_maskz_loadu_epi8, _mm512_maskz_loadu_epi16, _mm512_maskz_loadu_epi32, _mm512_maskz_loadu_epi64,
        _mm512_set1_epi8, _mm512_set1_epi16, _mm512_set1_epi32, _mm512_set1_epi64, _mm512_setzero_si512,
    };

    /// The same operand as an integer of its size.
    ///
    /// # Safety
    /// The two types have the same size.
    #[inline(always)]
    pub unsafe fn right<E: Copy, U: Lane>(b: Right<E>) -> Right<U> {
        // SAFETY: the two types have the same size, as the caller says.
        unsafe {
            match b {
                Right::Row(row) => Right::Row(row.cast()),
                Right::Value(value) => Right::Value((&raw const value).cast::<U>().read_unaligned()),
            }
        }
    }

    /// Integers as lanes of a vector.
    pub trait Lane: Copy {
        /// # Safety
        /// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of
        /// this level.
        unsafe fn load(valid: u64, from: *const Self) -> __m512i;
        /// # Safety
        /// The processor must have the instructions of this level.
        unsafe fn splat(self) -> __m512i;
        /// # Safety
        /// The processor must have the instructions of this level.
        unsafe fn blend(word: u64, zero: __m512i, one: __m512i) -> __m512i;
        /// # Safety
        /// All elements that the other arguments count must be writable at `to`; the processor must have the instructions of
        /// this level.
        unsafe fn store(valid: u64, to: *mut Self, value: __m512i);
    }

    macro_rules! lane {
        ($($type:ident $signed:ident $mask:ident $load:ident $splat:ident $blend:ident $store:ident;)+) => {$(
            impl Lane for $type {
                #[inline(always)]
                unsafe fn load(valid: u64, from: *const Self) -> __m512i {
                    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this
                    // level.
                    unsafe {
                        $load(valid as $mask, from.cast())
                    }
                }
                #[inline(always)]
                unsafe fn splat(self) -> __m512i {
                    // SAFETY: the processor has the instructions of this level.
                    unsafe {
                        $splat(self as $signed)
                    }
                }
                #[inline(always)]
                unsafe fn blend(word: u64, zero: __m512i, one: __m512i) -> __m512i {
                    // SAFETY: the processor has the instructions of this level.
                    unsafe {
                        $blend(word as $mask, zero, one)
                    }
                }
                #[inline(always)]
                unsafe fn store(valid: u64, to: *mut Self, value: __m512i) {
                    // SAFETY: the caller answers for the elements at `to`; the processor has the instructions of this
                    // level.
                    unsafe {
                        $store(to.cast(), valid as $mask, value)
                    }
                }
            }
        )+};
    }
    lane! {
        u8 i8 u64 _mm512_maskz_loadu_epi8 _mm512_set1_epi8 _mm512_mask_blend_epi8 _mm512_mask_storeu_epi8;
        u16 i16 u32 _mm512_maskz_loadu_epi16 _mm512_set1_epi16 _mm512_mask_blend_epi16 _mm512_mask_storeu_epi16;
        u32 i32 u16 _mm512_maskz_loadu_epi32 _mm512_set1_epi32 _mm512_mask_blend_epi32 _mm512_mask_storeu_epi32;
        u64 i64 u8 _mm512_maskz_loadu_epi64 _mm512_set1_epi64 _mm512_mask_blend_epi64 _mm512_mask_storeu_epi64;
    }

    /// `VECTORS` vectors of `LANES` lanes; `valid` has the elements that there are.
    ///
    /// # Safety
    /// Elements that are valid must be readable at `a` and `b` and written at `out`; the processor must have AVX-512.
    #[inline(always)]
    pub unsafe fn chunk<U: Lane, const LANES: usize, const VECTORS: usize>(
        word: u64,
        a: *const U,
        b: Right<U>,
        out: *mut U,
        valid: u64,
    ) {
        // SAFETY: the processor has AVX-512, and only elements that are valid are touched.
        unsafe {
            let mut result = [_mm512_setzero_si512(); VECTORS];
            for (i, result) in result.iter_mut().enumerate() {
                let at = i * LANES;
                let zero = match b {
                    Right::Row(b) => U::load(valid >> at, b.wrapping_add(at)),
                    Right::Value(b) => b.splat(),
                };
                *result = U::blend(word >> at, zero, U::load(valid >> at, a.wrapping_add(at)));
            }
            for (i, result) in result.into_iter().enumerate() {
                U::store(valid >> (i * LANES), out.wrapping_add(i * LANES), result);
            }
        }
    }
}
