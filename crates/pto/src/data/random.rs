//! Random data, the same on every machine.

use super::rng::Rng;
use super::value::{AnyNumber, encode, int_range, set_bits};
use crate::isa::DType;
use pto_num::{Bf16, CpuLevel, F16, Level, LevelKernel, dispatch};

/// An endless row of numbers of one type.
pub(super) struct RandomNumbers {
    rng: Rng,
    dtype: DType,
}

impl RandomNumbers {
    /// The numbers from this one on.
    pub(super) fn from(dtype: DType, seed: u64, first: usize) -> Self {
        let is_normal = dtype.is_float() && !matches!(dtype, DType::F8E8M0 | DType::F4E1M2 | DType::F4E2M1);
        let draws = if is_normal { 2 } else { 1 };
        Self { rng: Rng::after(seed, draws * first as u64), dtype }
    }

    /// Fills bytes with numbers.
    pub(super) fn fill(mut self, bytes: &mut [u8]) {
        let rng = &self.rng;
        match self.dtype {
            DType::F32 => return dispatch(NormalFloats(rng, bytes.as_chunks_mut().0, Normal::to_f32)),
            DType::F16 => return dispatch(NormalFloats(rng, bytes.as_chunks_mut().0, Normal::to_f16)),
            DType::Bf16 => return dispatch(NormalFloats(rng, bytes.as_chunks_mut().0, Normal::to_bf16)),
            DType::I32 | DType::U32 => return dispatch(RandomWords(rng, bytes.as_chunks_mut().0, small_integer::<4>)),
            DType::I16 | DType::U16 => return dispatch(RandomWords(rng, bytes.as_chunks_mut().0, small_integer::<2>)),
            // From -128 on.
            DType::I8 => return dispatch(RandomWords(rng, bytes.as_chunks_mut().0, |word| [word as u8 ^ 128])),
            DType::U8 => return dispatch(RandomWords(rng, bytes.as_chunks_mut().0, |word| [word as u8])),
            _ => {}
        }
        for i in 0..bytes.len() * 8 / self.dtype.bits() as usize {
            let bits = self.next();
            set_bits(self.dtype, bytes, i, bits);
        }
    }

    /// The bits of the next number.
    fn next(&mut self) -> u64 {
        match self.dtype {
            DType::F32 => u64::from((self.normal() as f32).to_bits()),
            // Scales around one; most others would drown what they scale.
            DType::F8E8M0 => 125 + self.rng.next() % 5,
            // Every code is a number.
            DType::F4E1M2 | DType::F4E2M1 => self.rng.next() & 15,
            d if d.is_float() => encode(d, AnyNumber::Float(self.normal())),
            d if d.bits() <= 8 => self.any(),
            _ => u64::from_le_bytes(small_integer(self.rng.next())),
        }
    }

    fn any(&mut self) -> u64 {
        let (low, high) = int_range(self.dtype).unwrap_or((0, 1));
        let span = (high - low + 1) as u64;
        (low + i128::from(self.rng.next() % span)) as u64
    }

    fn normal(&mut self) -> f64 {
        normal(self.rng.next(), self.rng.next())
    }
}

/// Bits of an even distribution.
const MASK: u64 = (1 << 21) - 1;

/// A number of variance 1 between -4.3 and 4.3: a sum of six even distributions looks normal, and needs no function
/// that rounds differently on another machine.
fn normal(one: u64, other: u64) -> f64 {
    scaled(centred(one, other) / MASK as f64)
}

/// The sum of six even distributions, moved to around zero.
#[inline(always)]
fn centred(one: u64, other: u64) -> f64 {
    let parts = |word: u64| (word & MASK) + (word >> 21 & MASK) + (word >> 42 & MASK);
    // It has 24 bits: conversions of 32 bits are vector instructions everywhere.
    let sum = (parts(one) + parts(other)) as i32;
    f64::from(sum) - 3.0 * MASK as f64
}

#[inline(always)]
fn scaled(x: f64) -> f64 {
    x * std::f64::consts::SQRT_2
}

/// `x / MASK` without a division, which takes longer than all the rest: one step of Newton's method from the rounded reciprocal gives the rounded
/// quotient.
#[inline(always)]
fn quotient(x: f64) -> f64 {
    const RECIPROCAL: f64 = 1.0 / MASK as f64;
    let near = x * RECIPROCAL;
    (-near).mul_add(MASK as f64, x).mul_add(RECIPROCAL, near)
}

/// A number before it is rounded to its type.
#[derive(Clone, Copy)]
struct Normal(f64);

impl Normal {
    #[inline(always)]
    fn to_f32(self) -> [u8; 4] {
        (self.0 as f32).to_le_bytes()
    }

    #[inline(always)]
    fn to_f16(self) -> [u8; 2] {
        let near = self.0 as f32;
        // Halfway between two numbers of the type, the f32 does not know on which side the number was; tiny ones have fewer digits.
        let is_certain = near.to_bits() & 0x1fff != 0x1000 && near.abs() >= 6.2e-5;
        let bits = if is_certain { F16::from_f32(near).0 } else { self.exactly(DType::F16) };
        bits.to_le_bytes()
    }

    #[inline(always)]
    fn to_bf16(self) -> [u8; 2] {
        let near = self.0 as f32;
        let is_certain = near.to_bits() & 0xffff != 0x8000;
        let bits = if is_certain { Bf16::from_f32(near).0 } else { self.exactly(DType::Bf16) };
        bits.to_le_bytes()
    }

    #[cold]
    fn exactly(self, dtype: DType) -> u16 {
        encode(dtype, AnyNumber::Float(self.0)) as u16
    }
}

/// A number small enough for an index, and for sums that do not wrap around.
#[inline(always)]
fn small_integer<const N: usize>(word: u64) -> [u8; N] {
    let bytes = (word % 100).to_le_bytes();
    std::array::from_fn(|k| bytes[k])
}

/// Fills memory with what the next random bits become.
struct RandomWords<'a, F, const N: usize>(&'a Rng, &'a mut [[u8; N]], F);

impl<F: Fn(u64) -> [u8; N], const N: usize> LevelKernel for RandomWords<'_, F, N> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self) {
        let Self(rng, numbers, number) = self;
        numbers.iter_mut().enumerate().for_each(|(k, to)| *to = number(rng.later(k as u64)));
    }
}

/// Fills memory with the next numbers, in vectors: a generator of this kind can start anywhere.
struct NormalFloats<'a, F, const N: usize>(&'a Rng, &'a mut [[u8; N]], F);

impl<F: Fn(Normal) -> [u8; N], const N: usize> LevelKernel for NormalFloats<'_, F, N> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self) {
        const BLOCK: usize = 256;
        let Self(rng, numbers, rounded) = self;
        let mut normals = [0.0; BLOCK];
        for (block, numbers) in numbers.chunks_mut(BLOCK).enumerate() {
            for (k, normal) in normals.iter_mut().enumerate() {
                let first = 2 * (block * BLOCK + k) as u64;
                let sum = centred(rng.later(first), rng.later(first + 1));
                // Without an instruction for it, `mul_add` is slow.
                let part = if L::CPU == CpuLevel::Baseline { sum / MASK as f64 } else { quotient(sum) };
                *normal = scaled(part);
            }
            numbers.iter_mut().zip(normals).for_each(|(to, normal)| *to = rounded(Normal(normal)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Array, Numbers, Summary};
    use super::*;

    #[test]
    fn floats_have_mean_zero_and_variance_one() {
        let a = Array::random(DType::F32, &[100_000], 1).expect("small");
        let squares: f64 = (0..a.count()).map(|i| a.number(i).to_f64().powi(2)).sum();
        assert!(Summary::of(&a).mean.is_some_and(|m| m.abs() < 0.02));
        assert!((squares / 1e5 - 1.0).abs() < 0.02);
    }

    /// The numbers themselves are part of the interface: results are compared across machines.
    #[test]
    fn the_numbers_stay_what_they_are() {
        let first = |dtype| Array::random(dtype, &[4], 0).map(|a| super::super::show(&a, 80)).unwrap_or_default();
        assert_eq!(first(DType::F32), "[ 1.4354239  -1.2535213   0.28985244  0.36029437]");
        assert_eq!(first(DType::F16), "[ 1.436  -1.254   0.2898  0.3604]");
        assert_eq!(first(DType::I32), "[35  0 79 44]");
        assert_eq!(first(DType::I8), "[ 47 116 -49 108]");
        assert_eq!(first(DType::F8E8M0), "[0.25 0.25 4.   4.  ]");
    }

    /// All sums that there are.
    #[test]
    fn quotients_are_rounded_as_divisions_are() {
        struct AllSums;
        impl LevelKernel for AllSums {
            type Output = bool;

            #[inline(always)]
            fn run<L: Level>(self) -> bool {
                let most = 3 * MASK as i32;
                L::CPU == CpuLevel::Baseline
                    || (-most..=most).map(f64::from).all(|x| quotient(x).to_bits() == (x / MASK as f64).to_bits())
            }
        }
        assert!(dispatch(AllSums));
    }

    #[test]
    fn vectors_hold_what_single_numbers_are() {
        let types = DType::ALL.into_iter().filter(|dtype| dtype.bits() >= 8);
        for dtype in types {
            let size = dtype.bits() as usize / 8;
            let mut bytes = vec![0; 100_000 * size];
            RandomNumbers::from(dtype, 9, 0).fill(&mut bytes);
            let mut numbers = RandomNumbers::from(dtype, 9, 0);
            let single = bytes.chunks(size).all(|word| word == &numbers.next().to_le_bytes()[..size]);
            assert!(single, "{dtype}");
        }
    }

    #[test]
    fn parts_go_on_where_others_end() {
        for dtype in DType::ALL {
            let (mut whole, mut rest) = (vec![0u8; 64], vec![0u8; 32]);
            RandomNumbers::from(dtype, 5, 0).fill(&mut whole);
            RandomNumbers::from(dtype, 5, 32 * 8 / dtype.bits() as usize).fill(&mut rest);
            assert_eq!(whole[32..], rest, "{dtype}");
        }
    }

    #[test]
    fn every_type_has_finite_numbers() {
        for dtype in DType::ALL {
            let a = Array::random(dtype, &[1000], 3).expect("small");
            let s = Summary::of(&a);
            assert_eq!((s.nan, s.inf), (0, 0), "{dtype}");
        }
    }
}
