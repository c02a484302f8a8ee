//! Random data, the same on every machine.

use super::rng::Rng;
use super::value::{AnyNumber, encode, int_range, set_bits};
use crate::isa::DType;

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
        if self.dtype == DType::F32 {
            let numbers = bytes.as_chunks_mut::<4>().0;
            return numbers.iter_mut().for_each(|number| *number = (self.normal() as f32).to_le_bytes());
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
            // Small enough for an index, and for sums that do not wrap around.
            _ => self.rng.next() % 100,
        }
    }

    fn any(&mut self) -> u64 {
        let (low, high) = int_range(self.dtype).unwrap_or((0, 1));
        let span = (high - low + 1) as u64;
        (low + i128::from(self.rng.next() % span)) as u64
    }

    /// A number of variance 1 between -4.3 and 4.3: a sum of six even distributions looks normal, and needs no function
    /// that rounds differently on another machine.
    fn normal(&mut self) -> f64 {
        const MASK: u64 = (1 << 21) - 1;
        let parts = |word: u64| (word & MASK) + (word >> 21 & MASK) + (word >> 42 & MASK);
        let sum = parts(self.rng.next()) + parts(self.rng.next());
        (sum as f64 - 3.0 * MASK as f64) / (MASK as f64) * std::f64::consts::SQRT_2
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
