//! Rows in AVX-512 registers, sixteen at a time.
//!
//! Folding the lanes of one register takes as long as loading a short row. So the lanes of sixteen rows are folded
//! together: each step joins two registers, half of each with the other half, until one register has a result in every
//! lane. The steps pair the same lanes as the portable code does.

use super::fold::{Fold, Largest, Product, Smallest, Sum};
use crate::bits::{WORD, first};
use crate::call::TileRef;
use crate::elem::Elem;
use pto_num::{Bf16, F16, V4};
use std::arch::x86_64::{
    __m512i, _CMP_ORD_Q, _mm256_cmpneq_epi16_mask, _mm256_loadu_si256, _mm256_mask_loadu_epi16, _mm256_set1_epi16,
    _mm512_add_epi8, _mm512_add_epi16, _mm512_add_epi32, _mm512_add_ps, _mm512_and_si512, _mm512_castps_si512,
    _mm512_castsi512_ps, _mm512_cvtepu16_epi32, _mm512_cvtph_ps, _mm512_mask_blend_epi32, _mm512_mask_blend_ps,
    _mm512_mask_cmp_ps_mask, _mm512_mask_loadu_epi8, _mm512_mask_loadu_epi16, _mm512_mask_loadu_epi32,
    _mm512_mask_mov_epi16, _mm512_mask_storeu_epi32, _mm512_maskz_loadu_epi16, _mm512_max_epi8, _mm512_max_epi16,
    _mm512_max_epi32, _mm512_max_epu8, _mm512_max_epu16, _mm512_max_epu32, _mm512_min_epi8, _mm512_min_epi16,
    _mm512_min_epi32, _mm512_min_epu8, _mm512_min_epu16, _mm512_min_epu32, _mm512_mul_ps, _mm512_mullo_epi16,
    _mm512_mullo_epi32, _mm512_range_ps, _mm512_set1_epi8, _mm512_set1_epi16, _mm512_set1_epi32, _mm512_set1_ps,
    _mm512_setzero_si512, _mm512_shuffle_i32x4, _mm512_shuffle_ps, _mm512_slli_epi32, _mm512_srai_epi16,
    _mm512_srli_epi32, _mm512_storeu_ps, _mm512_storeu_si512, _mm512_unpackhi_epi64, _mm512_unpacklo_epi64,
    _mm512_xor_si512,
};

/// Rows folded together.
pub const ROWS: usize = 16;

/// A fold of elements in registers.
///
/// # Safety
/// Every function needs the processor to have level `v4`.
pub trait Registers<E: Elem>: Fold<E> {
    /// False where there is none; the functions must not be called then.
    const PRESENT: bool;
    /// True when lanes must be watched; they are those of single precision then.
    const WATCHED: bool = false;
    /// Registers that are accumulated side by side.
    const SIDE: usize;
    /// Elements in a register.
    const LANES: usize;

    /// The elements that `valid` has as lanes, and elsewhere lanes that change nothing.
    unsafe fn load(from: *const E, valid: u64) -> __m512i;
    /// Lanes of two registers as one.
    unsafe fn merge(a: __m512i, b: __m512i) -> __m512i;
    /// Lanes narrower than 32 bits as one, in the low part of every 32 bits.
    unsafe fn narrow(x: __m512i) -> __m512i;
    /// Clears bits of `seen` where there is a NaN that [`Self::merge`] may lose.
    unsafe fn watch(seen: u16, a: __m512i, b: __m512i) -> u16;
    /// The results of sixteen rows; a row whose bits were cleared has NaN.
    unsafe fn results(x: __m512i, seen: &[u16; ROWS]) -> [E; ROWS];
}

/// A fold that does not need its lanes watched.
macro_rules! registers {
    ($($fold:ident $elem:ident, $lanes:literal of $lane:ident, $side:literal, |$from:ident, $valid:ident| $load:expr, $join:path;)+) => {$(
        impl Registers<$elem> for $fold {
            const PRESENT: bool = true;
            const SIDE: usize = $side;
            const LANES: usize = $lanes;
            #[inline(always)]
            unsafe fn load($from: *const $elem, $valid: u64) -> __m512i {
                $load
            }
            #[inline(always)]
            unsafe fn merge(a: __m512i, b: __m512i) -> __m512i {
                $join(a, b)
            }
            #[inline(always)]
            unsafe fn narrow(x: __m512i) -> __m512i {
                narrow::<Self, $elem>(x, size_of::<$lane>())
            }
            #[inline(always)]
            unsafe fn watch(seen: u16, _: __m512i, _: __m512i) -> u16 {
                seen
            }
            #[inline(always)]
            unsafe fn results(x: __m512i, _: &[u16; ROWS]) -> [$elem; ROWS] {
                let mut words = [0u32; ROWS];
                _mm512_storeu_si512(words.as_mut_ptr().cast(), x);
                let mut lanes = [<$fold as Fold<$elem>>::start(); ROWS];
                for i in 0..ROWS {
                    lanes[i] = $lane::from_word(words[i]);
                }
                <$fold as Fold<$elem>>::finish::<V4, ROWS>(&lanes)
            }
        }
    )+};
}

/// A lane taken from the low part of 32 bits.
trait FromWord {
    fn from_word(word: u32) -> Self;
}

macro_rules! from_word {
    ($($type:ident)+) => {$(
        impl FromWord for $type {
            #[inline(always)]
            fn from_word(word: u32) -> Self {
                word as Self
            }
        }
    )+};
}
from_word!(i8 u8 i16 u16 i32 u32);

impl FromWord for f32 {
    #[inline(always)]
    fn from_word(word: u32) -> Self {
        Self::from_bits(word)
    }
}

#[inline(always)]
unsafe fn narrow<F: Registers<E>, E: Elem>(x: __m512i, bytes: usize) -> __m512i {
    match bytes {
        1 => {
            let x = F::merge(x, _mm512_srli_epi32::<16>(x));
            F::merge(x, _mm512_srli_epi32::<8>(x))
        }
        2 => F::merge(x, _mm512_srli_epi32::<16>(x)),
        _ => x,
    }
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

registers! {
    Sum u8, 64 of u8, 2, |from, valid| load!(8, 0, from, valid), _mm512_add_epi8;
    Sum u16, 32 of u16, 2, |from, valid| load!(16, 0, from, valid), _mm512_add_epi16;
    Sum u32, 16 of u32, 4, |from, valid| load!(32, 0, from, valid), _mm512_add_epi32;
    Sum f32, 16 of f32, 4, |from, valid| load!(32, i32::MIN, from, valid), add;
    Sum F16, 16 of f32, 4, |from, valid| half(from, valid, -0.0), add;
    Sum Bf16, 16 of f32, 4, |from, valid| bf16(from, valid, -0.0), add;
    Product u16, 32 of u16, 2, |from, valid| load!(16, 1, from, valid), _mm512_mullo_epi16;
    Product u32, 16 of u32, 4, |from, valid| load!(32, 1, from, valid), _mm512_mullo_epi32;
    Product f32, 16 of f32, 4, |from, valid| load!(32, 0x3f80_0000, from, valid), multiply;
    Product F16, 16 of f32, 4, |from, valid| half(from, valid, 1.0), multiply;
    Product Bf16, 16 of f32, 4, |from, valid| bf16(from, valid, 1.0), multiply;
    Largest i8, 64 of i8, 2, |from, valid| load!(8, i8::MIN, from, valid), _mm512_max_epi8;
    Largest u8, 64 of u8, 2, |from, valid| load!(8, 0, from, valid), _mm512_max_epu8;
    Largest i16, 32 of i16, 2, |from, valid| load!(16, i16::MIN, from, valid), _mm512_max_epi16;
    Largest u16, 32 of u16, 2, |from, valid| load!(16, 0, from, valid), _mm512_max_epu16;
    Largest i32, 16 of i32, 4, |from, valid| load!(32, i32::MIN, from, valid), _mm512_max_epi32;
    Largest u32, 16 of u32, 4, |from, valid| load!(32, 0, from, valid), _mm512_max_epu32;
    Largest F16, 32 of i16, 2, |from, valid| keys(from, valid, i16::MIN, -0x3ff), _mm512_max_epi16;
    Largest Bf16, 32 of i16, 2, |from, valid| keys(from, valid, i16::MIN, -0x7f), _mm512_max_epi16;
    Smallest i8, 64 of i8, 2, |from, valid| load!(8, i8::MAX, from, valid), _mm512_min_epi8;
    Smallest u8, 64 of u8, 2, |from, valid| load!(8, -1, from, valid), _mm512_min_epu8;
    Smallest i16, 32 of i16, 2, |from, valid| load!(16, i16::MAX, from, valid), _mm512_min_epi16;
    Smallest u16, 32 of u16, 2, |from, valid| load!(16, -1, from, valid), _mm512_min_epu16;
    Smallest i32, 16 of i32, 4, |from, valid| load!(32, i32::MAX, from, valid), _mm512_min_epi32;
    Smallest u32, 16 of u32, 4, |from, valid| load!(32, -1, from, valid), _mm512_min_epu32;
    Smallest F16, 32 of i16, 2, |from, valid| keys(from, valid, i16::MAX, 0x3ff), _mm512_min_epi16;
    Smallest Bf16, 32 of i16, 2, |from, valid| keys(from, valid, i16::MAX, 0x7f), _mm512_min_epi16;
}

#[inline(always)]
unsafe fn add(a: __m512i, b: __m512i) -> __m512i {
    _mm512_castps_si512(_mm512_add_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b)))
}

#[inline(always)]
unsafe fn multiply(a: __m512i, b: __m512i) -> __m512i {
    _mm512_castps_si512(_mm512_mul_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b)))
}

#[inline(always)]
unsafe fn half(from: *const F16, valid: u64, start: f32) -> __m512i {
    let start = _mm256_set1_epi16(F16::from_f32(start).0 as i16);
    _mm512_castps_si512(_mm512_cvtph_ps(_mm256_mask_loadu_epi16(start, valid as u16, from.cast())))
}

#[inline(always)]
unsafe fn bf16(from: *const Bf16, valid: u64, start: f32) -> __m512i {
    let start = _mm256_set1_epi16(Bf16::from_f32(start).0 as i16);
    let bits = _mm256_mask_loadu_epi16(start, valid as u16, from.cast());
    _mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(bits))
}

/// The keys of 16-bit floats, as [`Fold::take`] makes them.
#[inline(always)]
unsafe fn keys<E>(from: *const E, valid: u64, start: i16, turn: i16) -> __m512i {
    let bits = _mm512_maskz_loadu_epi16(valid as u32, from.cast());
    let flip = _mm512_and_si512(_mm512_srai_epi16::<15>(bits), _mm512_set1_epi16(i16::MAX));
    let keys = _mm512_add_epi16(_mm512_xor_si512(bits, flip), _mm512_set1_epi16(turn));
    _mm512_mask_mov_epi16(_mm512_set1_epi16(start), valid as u32, keys)
}

/// Extremes of single precision: the instruction knows the zeros, and NaN is looked for on the side, two registers in one
/// comparison.
macro_rules! single_extreme {
    ($fold:ident, $start:expr, $which:literal) => {
        impl Registers<f32> for $fold {
            const PRESENT: bool = true;
            const WATCHED: bool = true;
            const SIDE: usize = 4;
            const LANES: usize = 16;
            #[inline(always)]
            unsafe fn load(from: *const f32, valid: u64) -> __m512i {
                let start = _mm512_castps_si512(_mm512_set1_ps($start));
                _mm512_mask_loadu_epi32(start, valid as u16, from.cast())
            }
            #[inline(always)]
            unsafe fn merge(a: __m512i, b: __m512i) -> __m512i {
                let (a, b) = (_mm512_castsi512_ps(a), _mm512_castsi512_ps(b));
                _mm512_castps_si512(_mm512_range_ps::<$which>(a, b))
            }
            #[inline(always)]
            unsafe fn narrow(x: __m512i) -> __m512i {
                x
            }
            #[inline(always)]
            unsafe fn watch(seen: u16, a: __m512i, b: __m512i) -> u16 {
                let (a, b) = (_mm512_castsi512_ps(a), _mm512_castsi512_ps(b));
                _mm512_mask_cmp_ps_mask::<_CMP_ORD_Q>(seen, a, b)
            }
            #[inline(always)]
            unsafe fn results(x: __m512i, seen: &[u16; ROWS]) -> [f32; ROWS] {
                let seen = _mm256_loadu_si256(seen.as_ptr().cast());
                let nan = _mm256_cmpneq_epi16_mask(seen, _mm256_set1_epi16(-1));
                let values = _mm512_mask_blend_ps(nan, _mm512_castsi512_ps(x), _mm512_set1_ps(f32::NAN));
                let mut out = [0.0; ROWS];
                _mm512_storeu_ps(out.as_mut_ptr(), values);
                out
            }
        }
    };
}
// The sign of the result is that of the operand; 1 is the larger, 0 the smaller.
single_extreme!(Largest, f32::NEG_INFINITY, 0b0101);
single_extreme!(Smallest, f32::INFINITY, 0b0100);

/// Where there are no instructions, the portable code is used.
macro_rules! without {
    ($($fold:ident $elem:ident;)+) => {$(
        impl Registers<$elem> for $fold {
            const PRESENT: bool = false;
            const SIDE: usize = 1;
            const LANES: usize = 1;
            unsafe fn load(_: *const $elem, _: u64) -> __m512i {
                _mm512_setzero_si512()
            }
            unsafe fn merge(a: __m512i, _: __m512i) -> __m512i {
                a
            }
            unsafe fn narrow(x: __m512i) -> __m512i {
                x
            }
            unsafe fn watch(seen: u16, _: __m512i, _: __m512i) -> u16 {
                seen
            }
            unsafe fn results(_: __m512i, _: &[u16; ROWS]) -> [$elem; ROWS] {
                [0; ROWS]
            }
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

/// The results of up to sixteen rows from `base` on.
///
/// No closures here: the compiler gives them no features, so the instructions in them would be calls.
///
/// # Safety
/// The rows must lie in the tile and have at least one column; the processor must have level `v4`.
#[inline(always)]
pub unsafe fn group<F: Registers<E>, E: Elem>(src: TileRef, base: usize, rows: usize) -> [E; ROWS] {
    let shape = Shape::new::<F, E>(&src, base, rows);
    if shape.rows >= ROWS && shape.steps > 0 && shape.rest[0] == 0 {
        sixteen::<F, E, true>(shape, src.row(base))
    } else {
        sixteen::<F, E, false>(shape, src.row(base))
    }
}

/// Sixteen rows, all there and without a rest when `EVEN`.
#[inline(always)]
unsafe fn sixteen<F: Registers<E>, E: Elem, const EVEN: bool>(shape: Shape, row: *const E) -> [E; ROWS] {
    let mut seen = [!0; ROWS];
    let mut quads = [_mm512_setzero_si512(); 4];
    for (k, quad) in quads.iter_mut().enumerate() {
        let a = part::<F, E, EVEN>(shape, row, k, &mut seen);
        let b = part::<F, E, EVEN>(shape, row, k + 4, &mut seen);
        let left = eights::<F, E>(a, b);
        let a = part::<F, E, EVEN>(shape, row, k + 8, &mut seen);
        let b = part::<F, E, EVEN>(shape, row, k + 12, &mut seen);
        *quad = fours::<F, E>(left, eights::<F, E>(a, b));
    }
    let left = twos::<F, E>(quads[0], quads[1]);
    let right = twos::<F, E>(quads[2], quads[3]);
    F::results(ones::<F, E>(left, right), &seen)
}

/// A group of rows, and how each is cut up.
#[derive(Clone, Copy)]
struct Shape {
    /// Rows that there are.
    rows: usize,
    /// Elements from one to the next.
    stride: usize,
    /// Full steps.
    steps: usize,
    /// The elements after them: a bit for each, up to 128.
    rest: [u64; 2],
}

impl Shape {
    #[inline(always)]
    fn new<F: Registers<E>, E: Elem>(src: &TileRef, base: usize, rows: usize) -> Self {
        let step = F::SIDE * F::LANES;
        let rest = src.cols % step;
        let rest = [first(rest), first(rest.saturating_sub(WORD))];
        Self { rows: rows - base, stride: src.row_stride, steps: src.cols / step, rest }
    }
}

/// Lanes 0 to 7 take in lanes 8 to 15, in two registers.
#[inline(always)]
unsafe fn eights<F: Registers<E>, E: Elem>(a: __m512i, b: __m512i) -> __m512i {
    F::merge(_mm512_shuffle_i32x4::<0b01_00_01_00>(a, b), _mm512_shuffle_i32x4::<0b11_10_11_10>(a, b))
}

/// In each eight lanes, the first four take in the last four.
#[inline(always)]
unsafe fn fours<F: Registers<E>, E: Elem>(a: __m512i, b: __m512i) -> __m512i {
    F::merge(_mm512_shuffle_i32x4::<0b10_00_10_00>(a, b), _mm512_shuffle_i32x4::<0b11_01_11_01>(a, b))
}

/// In each four lanes, the first two take in the last two.
#[inline(always)]
unsafe fn twos<F: Registers<E>, E: Elem>(a: __m512i, b: __m512i) -> __m512i {
    F::merge(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b))
}

/// In each two lanes, the first takes in the second.
#[inline(always)]
unsafe fn ones<F: Registers<E>, E: Elem>(a: __m512i, b: __m512i) -> __m512i {
    let (a, b) = (_mm512_castsi512_ps(a), _mm512_castsi512_ps(b));
    let first = _mm512_castps_si512(_mm512_shuffle_ps::<0b10_00_10_00>(a, b));
    F::merge(first, _mm512_castps_si512(_mm512_shuffle_ps::<0b11_01_11_01>(a, b)))
}

/// Row `r` of a group as one register of sixteen lanes; nothing for rows that there are not.
#[inline(always)]
unsafe fn part<F: Registers<E>, E: Elem, const EVEN: bool>(
    shape: Shape,
    row: *const E,
    r: usize,
    seen: &mut [u16; ROWS],
) -> __m512i {
    if !EVEN && r >= shape.rows {
        return _mm512_setzero_si512();
    }
    let row = row.wrapping_add(r * shape.stride);
    if F::SIDE == 4 {
        side::<F, E, EVEN, 4>(shape, row, &mut seen[r])
    } else {
        side::<F, E, EVEN, 2>(shape, row, &mut seen[r])
    }
}

/// A row in registers side by side, and those as one.
#[inline(always)]
unsafe fn side<F: Registers<E>, E: Elem, const EVEN: bool, const SIDE: usize>(
    shape: Shape,
    row: *const E,
    seen: &mut u16,
) -> __m512i {
    let step = SIDE * F::LANES;
    let mut watched = !0;
    let whole = EVEN || shape.steps > 0;
    let mut sums = take::<F, E, SIDE>(row, if whole { [!0; 2] } else { shape.rest }, &mut watched);
    for i in 1..shape.steps {
        join::<F, E, SIDE>(&mut sums, take::<F, E, SIDE>(row.add(i * step), [!0; 2], &mut watched));
    }
    if !EVEN && shape.steps > 0 && shape.rest[0] != 0 {
        let rest = take::<F, E, SIDE>(row.add(shape.steps * step), shape.rest, &mut watched);
        join::<F, E, SIDE>(&mut sums, rest);
    }
    *seen = watched;
    if SIDE == 4 {
        sums[0] = F::merge(sums[0], sums[SIDE / 2]);
        sums[1] = F::merge(sums[1], sums[SIDE - 1]);
    }
    F::narrow(F::merge(sums[0], sums[1]))
}

#[inline(always)]
unsafe fn join<F: Registers<E>, E: Elem, const SIDE: usize>(sums: &mut [__m512i; SIDE], x: [__m512i; SIDE]) {
    for i in 0..SIDE {
        sums[i] = F::merge(sums[i], x[i]);
    }
}

/// The next registers of a row, with the elements that `valid` has a bit for.
#[inline(always)]
unsafe fn take<F: Registers<E>, E: Elem, const SIDE: usize>(
    row: *const E,
    valid: [u64; 2],
    seen: &mut u16,
) -> [__m512i; SIDE] {
    let mut x = [_mm512_setzero_si512(); SIDE];
    for (i, x) in x.iter_mut().enumerate() {
        let at = i * F::LANES;
        *x = F::load(row.wrapping_add(at), valid[at / WORD] >> (at % WORD));
    }
    for i in (0..SIDE).step_by(2) {
        *seen = F::watch(*seen, x[i], x[i + 1]);
    }
    x
}

/// Results for up to 64 columns from `at` on, for folds that are watched: rows two by two, so that the registers they go
/// to are waited for half as often. The order must not matter.
///
/// # Safety
/// The columns must lie in the tile; the processor must have level `v4`.
#[inline(always)]
pub unsafe fn columns<F: Registers<E>, E: Elem>(src: TileRef, dst: *mut E, at: usize, n: usize) {
    let valid = first(n);
    let row = src.row::<E>(0).cast_const().add(at);
    let mut seen = [!0; 4];
    let mut all = [_mm512_setzero_si512(); 4];
    for i in 0..4 {
        all[i] = F::load(row.wrapping_add(16 * i), valid >> (16 * i));
        seen[i] = F::watch(!0, all[i], all[i]);
    }
    let mut r = 1;
    while r < src.rows {
        let (a, b) = (row.add(r * src.row_stride), row.add((r + 1).min(src.rows - 1) * src.row_stride));
        for i in 0..4 {
            let x = F::load(a.wrapping_add(16 * i), valid >> (16 * i));
            let y = F::load(b.wrapping_add(16 * i), valid >> (16 * i));
            seen[i] = F::watch(seen[i], x, y);
            all[i] = F::merge(all[i], F::merge(x, y));
        }
        r += 2;
    }
    for i in 0..4 {
        let nan = _mm512_castps_si512(_mm512_set1_ps(f32::NAN));
        let value = _mm512_mask_blend_epi32(seen[i], nan, all[i]);
        _mm512_mask_storeu_epi32(dst.wrapping_add(at + 16 * i).cast(), (valid >> (16 * i)) as u16, value);
    }
}
