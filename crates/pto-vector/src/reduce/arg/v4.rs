//! Columns in AVX-512 registers: the best element of each and its row.

use super::super::fold::{Largest, Smallest};
use super::super::rank::Rank;
use super::super::v4::Registers;
use crate::bits::WORD;
use crate::call::Call;
use crate::elem::Elem;
use crate::mask::{Equal, Greater, Less, Test};
use pto_num::{Bf16, F16};
use std::arch::x86_64::{
    __m512i, _mm512_add_epi8, _mm512_add_epi16, _mm512_add_epi32, _mm512_cmplt_epu16_mask, _mm512_mask_mov_epi8,
    _mm512_mask_mov_epi16, _mm512_mask_mov_epi32, _mm512_set1_epi8, _mm512_set1_epi16, _mm512_set1_epi32,
    _mm512_setzero_si512, _mm512_storeu_si512, _mm512_sub_epi16,
};

/// A search in the registers of the fold: the lane that its [`merge`](Registers::merge) keeps wins.
///
/// # Safety
/// Every function needs the processor to have level `v4`.
pub trait Search<E: Elem>: Rank<E> + Registers<E> {
    /// Where `a` wins against `b`.
    ///
    /// # Safety
    /// The processor must have the instructions of this level.
    unsafe fn where_wins(a: __m512i, b: __m512i) -> u64;
    /// Where two registers have the same element.
    ///
    /// # Safety
    /// The processor must have the instructions of this level.
    unsafe fn where_same(a: __m512i, b: __m512i) -> u64;
    /// True when winners like these are surely the first of their columns, to the bit.
    ///
    /// # Safety
    /// The processor must have the instructions of this level.
    unsafe fn is_sure(best: __m512i) -> bool;
}

macro_rules! search {
    ($($fold:ident $elem:ident by $test:ident $lane:ident, |$best:ident| $sure:expr;)+) => {$(
        impl Search<$elem> for $fold {
            #[inline(always)]
            unsafe fn where_wins(a: __m512i, b: __m512i) -> u64 {
                // SAFETY: the processor has the instructions of this level.
                unsafe {
                    <$test as Test<$lane>>::lanes(!0, a, b)
                }
            }
            #[inline(always)]
            unsafe fn where_same(a: __m512i, b: __m512i) -> u64 {
                // SAFETY: the processor has the instructions of this level.
                unsafe {
                    <Equal as Test<$lane>>::lanes(!0, a, b)
                }
            }
            #[allow(unused_unsafe, reason = "integers are always sure")]
            #[inline(always)]
            unsafe fn is_sure($best: __m512i) -> bool {
                // SAFETY: the processor has the instructions of this level.
                unsafe {
                    $sure
                }
            }
        }
    )+};
}

macro_rules! integers {
    ($($elem:ident)+) => {$(
        search! {
            Largest $elem by Greater $elem, |_best| true;
            Smallest $elem by Less $elem, |_best| true;
        }
    )+};
}
integers!(i8 u8 i16 u16 i32 u32 i64 u64);

// Of a zero, the fold does not keep the sign it had. For 16-bit floats, the winner is the largest integer, if it is a
// number with the right sign.
search! {
    Largest f32 by Greater f32, |best| <Equal as Test<f32>>::lanes(!0, best, _mm512_setzero_si512()) == 0;
    Smallest f32 by Less f32, |best| <Equal as Test<f32>>::lanes(!0, best, _mm512_setzero_si512()) == 0;
    Largest F16 by Greater i16, |best| all_within(best, 1, 0x7c00);
    Largest Bf16 by Greater i16, |best| all_within(best, 1, 0x7f80);
    Smallest F16 by Greater u16, |best| all_within(best, -0x7fff, 0x7c00);
    Smallest Bf16 by Greater u16, |best| all_within(best, -0x7fff, 0x7f80);
}

/// True when every lane is one of `count` codes from `first` on.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
unsafe fn all_within(x: __m512i, first: i16, count: i16) -> bool {
    // SAFETY: the processor has the instructions of this level.
    unsafe { _mm512_cmplt_epu16_mask(_mm512_sub_epi16(x, _mm512_set1_epi16(first)), _mm512_set1_epi16(count)) == !0 }
}

/// Results for 64 columns from `at` on; false when there are none, because they cannot be had this way.
///
/// # Safety
/// The columns must lie in the tiles; the processor must have level `v4`.
#[inline(always)]
pub unsafe fn columns<F: Search<E>, E: Elem>(call: &Call<3>, at: usize) -> bool {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched; the
    // processor has the instructions of this level.
    unsafe {
        match F::SIDE {
            4 => side::<F, E, u32, 4>(call, at),
            2 => side::<F, E, u16, 2>(call, at),
            _ => side::<F, E, u8, 1>(call, at),
        }
    }
}

/// Rows four by four: what wins among them is compared with the best so far, and of the best four rows enough is kept to
/// tell at the end which of them it was.
///
/// # Safety
/// The operands must be as [`KernelFn`](crate::KernelFn) says; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn side<F: Search<E>, E: Elem, N: Copy + Default + Into<u32>, const SIDE: usize>(
    call: &Call<3>,
    at: usize,
) -> bool {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched; the
    // processor has the instructions of this level.
    unsafe {
        let [src, val, idx] = *call.tiles;
        // The number of four rows must fit a lane.
        if SIDE == 1 && src.rows() > 1024 {
            return false;
        }
        let lanes = WORD / SIDE;
        let mut best = [Four::new(_mm512_setzero_si512()); SIDE];
        let mut seen = [F::NOTHING; SIDE];
        for (i, best) in best.iter_mut().enumerate() {
            *best = Four::new(F::load(src.row::<E>(0).cast_const().add(at + i * lanes), !0));
        }
        if !F::is_promising(best[0].all) {
            return false;
        }
        let mut number = _mm512_setzero_si512();
        let mut r = 0;
        while r < src.rows() {
            let mut rows = [std::ptr::null(); 4];
            for (k, row) in rows.iter_mut().enumerate() {
                // Beyond the last row, the last row again: of equal ones, the first counts.
                *row = src.row::<E>((r + k).min(src.rows() - 1)).cast_const().wrapping_add(at);
            }
            for i in 0..SIDE {
                let mut x = [_mm512_setzero_si512(); 4];
                for k in 0..4 {
                    x[k] = F::load(rows[k].add(i * lanes), !0);
                }
                seen[i] = F::watch(F::watch(seen[i], x[0], x[1]), x[2], x[3]);
                best[i].challenge::<F, E, SIDE>(x, number);
            }
            number = next::<SIDE>(number);
            r += 4;
        }
        for i in 0..SIDE {
            if seen[i] != F::NOTHING || !F::is_sure(best[i].all) {
                return false;
            }
        }
        let mut numbers = [[N::default(); WORD]; 2];
        for (i, best) in best.iter().enumerate() {
            let [number, place] = best.place::<F, E, SIDE>();
            _mm512_storeu_si512(numbers[0].as_mut_ptr().add(i * lanes).cast(), number);
            _mm512_storeu_si512(numbers[1].as_mut_ptr().add(i * lanes).cast(), place);
            if val.is_present() {
                _mm512_storeu_si512(val.row::<E>(0).add(at + i * lanes).cast(), best.all);
            }
        }
        let mut index = [0u32; WORD];
        for i in 0..WORD {
            index[i] = 4 * numbers[0][i].into() + numbers[1][i].into();
        }
        if call.imm[0] == 2 {
            let mut short = [0; WORD];
            for i in 0..WORD {
                short[i] = index[i] as u16;
            }
            idx.row::<u16>(0).add(at).cast::<[u16; WORD]>().write_unaligned(short);
        } else {
            idx.row::<u32>(0).add(at).cast::<[u32; WORD]>().write_unaligned(index);
        }
        true
    }
}

/// The best element of each lane, and of the four rows it comes from what is needed to find it.
#[derive(Clone, Copy)]
struct Four {
    /// The best of all four.
    all: __m512i,
    /// The better of the first two.
    two: __m512i,
    /// The first and the third.
    one: [__m512i; 2],
    /// Four times this is the number of the first row.
    number: __m512i,
}

impl Four {
    /// # Safety
    /// The processor must have the instructions of this level.
    #[inline(always)]
    unsafe fn new(first: __m512i) -> Self {
        // SAFETY: the processor has the instructions of this level.
        unsafe { Self { all: first, two: first, one: [first; 2], number: _mm512_setzero_si512() } }
    }

    /// Four rows that come after all others.
    ///
    /// # Safety
    /// The processor must have the instructions of this level.
    #[inline(always)]
    unsafe fn challenge<F: Search<E>, E: Elem, const SIDE: usize>(&mut self, x: [__m512i; 4], number: __m512i) {
        // SAFETY: the processor has the instructions of this level.
        unsafe {
            let two = F::merge(x[0], x[1]);
            let all = F::merge(two, F::merge(x[2], x[3]));
            let wins = F::where_wins(all, self.all);
            self.all = F::merge(self.all, all);
            self.two = pick::<SIDE>(self.two, wins, two);
            self.one[0] = pick::<SIDE>(self.one[0], wins, x[0]);
            self.one[1] = pick::<SIDE>(self.one[1], wins, x[2]);
            self.number = pick::<SIDE>(self.number, wins, number);
        }
    }

    /// The number of four rows, and which of them it was.
    ///
    /// # Safety
    /// The processor must have the instructions of this level.
    #[inline(always)]
    unsafe fn place<F: Search<E>, E: Elem, const SIDE: usize>(&self) -> [__m512i; 2] {
        // SAFETY: the processor has the instructions of this level.
        unsafe {
            let one = next::<SIDE>(_mm512_setzero_si512());
            let two = next::<SIDE>(one);
            let left = pick::<SIDE>(one, F::where_same(self.one[0], self.all), _mm512_setzero_si512());
            let right = pick::<SIDE>(next::<SIDE>(two), F::where_same(self.one[1], self.all), two);
            [self.number, pick::<SIDE>(right, F::where_same(self.two, self.all), left)]
        }
    }
}

/// One more in every lane.
///
/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
unsafe fn next<const SIDE: usize>(number: __m512i) -> __m512i {
    // SAFETY: the processor has the instructions of this level.
    unsafe {
        match SIDE {
            4 => _mm512_add_epi32(number, _mm512_set1_epi32(1)),
            2 => _mm512_add_epi16(number, _mm512_set1_epi16(1)),
            _ => _mm512_add_epi8(number, _mm512_set1_epi8(1)),
        }
    }
}

/// # Safety
/// The processor must have the instructions of this level.
#[inline(always)]
unsafe fn pick<const SIDE: usize>(old: __m512i, which: u64, new: __m512i) -> __m512i {
    // SAFETY: the processor has the instructions of this level.
    unsafe {
        match SIDE {
            4 => _mm512_mask_mov_epi32(old, which as u16, new),
            2 => _mm512_mask_mov_epi16(old, which as u32, new),
            _ => _mm512_mask_mov_epi8(old, which, new),
        }
    }
}
