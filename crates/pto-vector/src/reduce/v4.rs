//! Reductions in AVX-512 registers.
//!
//! No closures here: the compiler gives them no features, so the instructions in them would be calls.

mod columns;
mod extremes;
mod tree;

use super::fold::{Fold, Largest, Product, Smallest, Sum};
use crate::elem::Elem;
use pto_num::{Bf16, F16, V4};
use std::arch::x86_64::{
    __m512i, _mm256_mask_loadu_epi16, _mm256_set1_epi16, _mm512_add_epi8, _mm512_add_epi16, _mm512_add_epi32,
    _mm512_add_ps, _mm512_and_si512, _mm512_castps_si512, _mm512_castsi512_ps, _mm512_cvtph_ps, _mm512_mask_loadu_epi8,
    _mm512_mask_loadu_epi16, _mm512_mask_loadu_epi32, _mm512_max_epi8, _mm512_max_epi16, _mm512_max_epi32,
    _mm512_max_epu8, _mm512_max_epu16, _mm512_max_epu32, _mm512_min_epi8, _mm512_min_epi16, _mm512_min_epi32,
    _mm512_min_epu8, _mm512_min_epu16, _mm512_min_epu32, _mm512_mul_ps, _mm512_mullo_epi16, _mm512_mullo_epi32,
    _mm512_set1_epi8, _mm512_set1_epi16, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_slli_epi32,
    _mm512_storeu_si512,
};
use std::marker::PhantomData;

pub use columns::columns;
pub use tree::{group, single};

/// Elements as the lanes of registers.
///
/// # Safety
/// Every function needs the processor to have level `v4`.
pub trait Registers<E: Elem>: 'static {
    /// False if there is none; then the functions must not be called.
    const PRESENT: bool = true;
    /// True when the result is right only if nothing was seen by [`Self::watch`] and [`Self::is_settled`] agrees.
    const WATCHED: bool = false;
    /// True when [`Self::merge`] takes long, in any order: what need not wait for each other should not.
    const SLOW: bool = false;
    /// Registers that 64 elements take.
    const SIDE: usize = 4;
    /// Bytes of a lane.
    const BYTES: usize = 4;
    /// True when these are the elements at even positions only; [`Self::Odd`] has the others. The results of both are merged.
    const HALVED: bool = false;
    /// What always gives the result.
    type Exact: Registers<E>;
    /// The elements at odd positions, if these are not all.
    type Odd: Registers<E>;
    /// A mask of what was seen.
    type Seen: Copy + PartialEq;
    /// Nothing was seen.
    const NOTHING: Self::Seen;

    /// The elements that `valid` has as lanes, and elsewhere lanes that change nothing.
    ///
    /// # Safety
    /// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this
    /// level.
    unsafe fn load(from: *const E, valid: u64) -> __m512i;
    /// Lanes of two registers as one.
    ///
    /// # Safety
    /// The processor must have the instructions of this level.
    unsafe fn merge(a: __m512i, b: __m512i) -> __m512i;
    /// Writes lanes as elements.
    ///
    /// # Safety
    /// All elements that the other arguments count must be writable at `to`; the processor must have the instructions of this
    /// level.
    unsafe fn put(x: __m512i, to: *mut E);

    /// Adds where two registers hold what [`Self::merge`] may lose.
    ///
    /// # Safety
    /// The processor must have the instructions of this level.
    #[inline(always)]
    unsafe fn watch(seen: Self::Seen, _: __m512i, _: __m512i) -> Self::Seen {
        seen
    }
    /// False when elements like these are likely to leave the result unsettled.
    ///
    /// # Safety
    /// The processor must have the instructions of this level.
    #[inline(always)]
    unsafe fn is_promising(_: __m512i) -> bool {
        true
    }
    /// True when these results are right.
    ///
    /// # Safety
    /// The processor must have the instructions of this level.
    #[inline(always)]
    unsafe fn is_settled(_: __m512i) -> bool {
        true
    }
}

/// A fold with registers for it.
pub trait Reduce<E: Elem>: Fold<E> + Registers<E> {}

impl<E: Elem, F: Fold<E> + Registers<E>> Reduce<E> for F {}

/// A fold whose lanes are elements.
macro_rules! lanes {
    ($($fold:ident $elem:ident $bits:tt, $start:expr, $join:path $(, $slow:ident)?;)+) => {$(
        impl Registers<$elem> for $fold {
            $(const $slow: bool = true;)?
            const SIDE: usize = $bits / 8;
            const BYTES: usize = $bits / 8;
            type Exact = Self;
            type Odd = Self;
            type Seen = ();
            const NOTHING: () = ();
            #[inline(always)]
            unsafe fn load(from: *const $elem, valid: u64) -> __m512i {
                // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this
                // level.
                unsafe {
                    load!($bits, $start, from, valid)
                }
            }
            #[inline(always)]
            unsafe fn merge(a: __m512i, b: __m512i) -> __m512i {
                // SAFETY: the processor has the instructions of this level.
                unsafe {
                    $join(a, b)
                }
            }
            #[inline(always)]
            unsafe fn put(x: __m512i, to: *mut $elem) {
                // SAFETY: the caller answers for the elements at `to`; the processor has the instructions of this
                // level.
                unsafe {
                    _mm512_storeu_si512(to.cast(), x);
                }
            }
        }
    )+};
}

macro_rules! load {
    (8, $start:expr, $from:ident, $valid:ident) => {
        _mm512_mask_loadu_epi8(_mm512_set1_epi8($start), $valid, $from.cast())
    };
    (16, $start:expr, $from:ident, $valid:ident) => {
        _mm512_mask_loadu_epi16(_mm512_set1_epi16($start), $valid as u32, $from.cast())
    };
    (32, $start:expr, $from:ident, $valid:ident) => {
        _mm512_mask_loadu_epi32(_mm512_set1_epi32($start), $valid as u16, $from.cast())
    };
}
use load;

lanes! {
    Sum u8 8, 0, _mm512_add_epi8;
    Sum u16 16, 0, _mm512_add_epi16;
    Sum u32 32, 0, _mm512_add_epi32;
    Sum f32 32, i32::MIN, add;
    Product u16 16, 1, _mm512_mullo_epi16, SLOW;
    Product u32 32, 1, _mm512_mullo_epi32, SLOW;
    Product f32 32, 0x3f80_0000, multiply;
    Largest i8 8, i8::MIN, _mm512_max_epi8;
    Largest u8 8, 0, _mm512_max_epu8;
    Largest i16 16, i16::MIN, _mm512_max_epi16;
    Largest u16 16, 0, _mm512_max_epu16;
    Largest i32 32, i32::MIN, _mm512_max_epi32;
    Largest u32 32, 0, _mm512_max_epu32;
    Smallest i8 8, i8::MAX, _mm512_min_epi8;
    Smallest u8 8, -1, _mm512_min_epu8;
    Smallest i16 16, i16::MAX, _mm512_min_epi16;
    Smallest u16 16, -1, _mm512_min_epu16;
    Smallest i32 32, i32::MAX, _mm512_min_epi32;
    Smallest u32 32, -1, _mm512_min_epu32;
}

/// A fold of 16-bit floats in single precision.
macro_rules! widened {
    ($($(#[$doc:meta])? $fold:ty, $elem:ident $side:literal, $load:ident $start:literal, $join:path $(, odd $odd:ty)?;)+) => {$(
        $(#[$doc])?
        impl Registers<$elem> for $fold {
            const SIDE: usize = $side;
            type Exact = Self;
            widened!(@ $($odd)?);
            type Seen = ();
            const NOTHING: () = ();
            #[inline(always)]
            unsafe fn load(from: *const $elem, valid: u64) -> __m512i {
                // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this
                // level.
                unsafe {
                    $load(from, valid, $start)
                }
            }
            #[inline(always)]
            unsafe fn merge(a: __m512i, b: __m512i) -> __m512i {
                // SAFETY: the processor has the instructions of this level.
                unsafe {
                    $join(a, b)
                }
            }
            #[inline(always)]
            unsafe fn put(x: __m512i, to: *mut $elem) {
                // SAFETY: the caller answers for the elements at `to`; the processor has the instructions of this
                // level.
                unsafe {
                    let mut lanes = [0.0; 16];
                    _mm512_storeu_si512(lanes.as_mut_ptr().cast(), x);
                    to.cast::<[$elem; 16]>().write_unaligned($elem::store::<V4, 16>(&lanes));
                }
            }
        }
    )+};
    (@) => {
        type Odd = Self;
    };
    (@ $odd:ty) => {
        const HALVED: bool = true;
        type Odd = $odd;
    };
}

/// The fold of the elements at odd positions.
pub struct Odd<F>(PhantomData<F>);

widened! {
    Sum, F16 4, half -0.0, add;
    Product, F16 4, half 1.0, multiply;
    Sum, Bf16 2, even -0.0, add, odd Odd<Sum>;
    Odd<Sum>, Bf16 2, odd -0.0, add;
    Product, Bf16 2, even 1.0, multiply, odd Odd<Product>;
    Odd<Product>, Bf16 2, odd 1.0, multiply;
}

/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
unsafe fn add(a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: the processor has the instructions of this level.
    unsafe { _mm512_castps_si512(_mm512_add_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b))) }
}

/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
unsafe fn multiply(a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: the processor has the instructions of this level.
    unsafe { _mm512_castps_si512(_mm512_mul_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b))) }
}

/// # Safety
/// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn half(from: *const F16, valid: u64, start: f32) -> __m512i {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe {
        let start = _mm256_set1_epi16(F16::from_f32(start).0 as i16);
        _mm512_castps_si512(_mm512_cvtph_ps(_mm256_mask_loadu_epi16(start, valid as u16, from.cast())))
    }
}

/// The numbers at even positions. A number is the upper half of a lane, so these need only be shifted, and those at odd positions
/// cut out, which is less work than to spread all of them in order.
///
/// # Safety
/// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn even(from: *const Bf16, valid: u64, start: f32) -> __m512i {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe { _mm512_slli_epi32::<16>(pairs(from, valid, start)) }
}

/// # Safety
/// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn odd(from: *const Bf16, valid: u64, start: f32) -> __m512i {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe { _mm512_and_si512(pairs(from, valid, start), _mm512_set1_epi32(-0x1_0000)) }
}

/// # Safety
/// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn pairs(from: *const Bf16, valid: u64, start: f32) -> __m512i {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe {
        let start = _mm512_set1_epi16(Bf16::from_f32(start).0 as i16);
        _mm512_mask_loadu_epi16(start, valid as u32, from.cast())
    }
}

/// Without these instructions, the portable code is used.
macro_rules! without {
    ($($fold:ident $elem:ident;)+) => {$(
        impl Registers<$elem> for $fold {
            const PRESENT: bool = false;
            type Exact = Self;
            type Odd = Self;
            type Seen = ();
            const NOTHING: () = ();
            unsafe fn load(_: *const $elem, _: u64) -> __m512i {
                // SAFETY: the caller answers for the elements at `_`; the processor has the instructions of this level.
                unsafe {
                    _mm512_setzero_si512()
                }
            }
            unsafe fn merge(a: __m512i, _: __m512i) -> __m512i {
                a
            }
            unsafe fn put(_: __m512i, _: *mut $elem) {}
        }
    )+};
}
without! {
    Product u8;
    Sum u64;
    Product u64;
    Largest i64;
    Largest u64;
    Smallest i64;
    Smallest u64;
}
