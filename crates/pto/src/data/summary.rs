//! An array in a few numbers.

use super::parts;
use super::{AnyNumber, Array, Numbers};
use crate::isa::DType;
use pto_num::{Bf16, F16};

/// What an array holds, in a few numbers.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Summary {
    /// The smallest and the largest number; infinities count, NaN does not.
    pub range: Option<(AnyNumber, AnyNumber)>,
    /// The mean of the finite numbers, added up as doubles: in order within 4 MiB, then the sums of these.
    pub mean: Option<f64>,
    /// How many are NaN.
    pub nan: u64,
    /// How many are infinite.
    pub inf: u64,
    /// The numbers at the corners of the innermost two dimensions, of the first matrix and the last: first and last of
    /// the first row, first and last of the last row. Fewer where these are the same.
    pub corners: Vec<AnyNumber>,
}

impl Summary {
    /// Sums an array up.
    pub fn of(array: &Array) -> Self {
        let total = match array.dtype() {
            DType::F32 => total::<4>(array, |w| f32::from_le_bytes(w).into()),
            DType::F16 => total::<2>(array, |w| F16(u16::from_le_bytes(w)).to_f32().into()),
            DType::Bf16 => total::<2>(array, |w| Bf16(u16::from_le_bytes(w)).to_f32().into()),
            DType::I32 => total::<4>(array, |w| i32::from_le_bytes(w).into()),
            DType::I8 => total::<1>(array, |w| i8::from_le_bytes(w).into()),
            // Of others there are seldom many. The range of 64-bit integers is found apart: not all are doubles.
            _ => Total::of((0..array.count()).map(|i| array.number(i).to_f64())),
        };
        let wide = matches!(array.dtype(), DType::I64 | DType::U64);
        let exact = |x: f64| if array.dtype().is_int() { AnyNumber::Int(x as i128) } else { AnyNumber::Float(x) };
        let range = if wide { widest(array) } else { total.range.map(|(low, high)| (exact(low), exact(high))) };
        Self {
            range,
            mean: (total.finite > 0).then(|| total.sum / total.finite as f64),
            nan: total.nan,
            inf: total.inf,
            corners: corners(array),
        }
    }
}

/// The total of numbers of this many bytes. It is the sum of those of parts, however many cores there are.
fn total<const N: usize>(array: &Array, number: impl Fn([u8; N]) -> f64 + Sync) -> Total {
    let of_part = |part: &[u8]| Total::of(part.as_chunks::<N>().0.iter().map(|word| number(*word)));
    parts::map(array.bytes(), of_part).into_iter().reduce(Total::with).unwrap_or_default()
}

fn widest(array: &Array) -> Option<(AnyNumber, AnyNumber)> {
    let number = |i| match array.number(i) {
        AnyNumber::Int(n) => n,
        AnyNumber::Float(x) => x as i128,
    };
    let low = (0..array.count()).map(number).min()?;
    let high = (0..array.count()).map(number).max()?;
    Some((AnyNumber::Int(low), AnyNumber::Int(high)))
}

#[derive(Clone, Copy, Default)]
struct Total {
    range: Option<(f64, f64)>,
    sum: f64,
    finite: u64,
    nan: u64,
    inf: u64,
}

impl Total {
    fn with(self, other: Self) -> Self {
        let both = |(a, b): (f64, f64), (c, d): (f64, f64)| (if c < a { c } else { a }, if d > b { d } else { b });
        let range = match (self.range, other.range) {
            (Some(mine), Some(theirs)) => Some(both(mine, theirs)),
            (mine, theirs) => mine.or(theirs),
        };
        Self {
            range,
            sum: self.sum + other.sum,
            finite: self.finite + other.finite,
            nan: self.nan + other.nan,
            inf: self.inf + other.inf,
        }
    }

    fn of(numbers: impl Iterator<Item = f64>) -> Self {
        let mut total = Self::default();
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut seen = 0u64;
        for x in numbers {
            seen += 1;
            low = if x < low { x } else { low };
            high = if x > high { x } else { high };
            if x.is_finite() {
                total.finite += 1;
                total.sum += x;
            } else if x.is_nan() {
                total.nan += 1;
            }
        }
        total.inf = seen - total.finite - total.nan;
        total.range = (total.finite + total.inf > 0).then_some((low, high));
        total
    }
}

fn corners(array: &Array) -> Vec<AnyNumber> {
    let count = array.count();
    let width = array.shape().last().copied().unwrap_or(1) as usize;
    if count == 0 {
        return Vec::new();
    }
    let mut places = vec![0, width - 1, count - width, count - 1];
    places.dedup();
    // A single column: the first row is one number, and so is the last.
    places.sort_unstable();
    places.dedup();
    places.into_iter().map(|i| array.number(i)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_in_a_few_numbers() {
        let s = Summary::of(&Array::iota(DType::I16, &[3, 4]).expect("small"));
        assert_eq!(s.range, Some((AnyNumber::Int(0), AnyNumber::Int(11))));
        assert_eq!(s.mean, Some(5.5));
        assert_eq!(s.corners, [0, 3, 8, 11].map(AnyNumber::Int));
    }

    #[test]
    fn large_arrays_are_summed_up_in_parts() {
        let a = Array::random(DType::F32, &[3_000_000], 1).expect("12 MB");
        let s = Summary::of(&a);
        let numbers = || (0..a.count()).map(|i| a.number(i).to_f64());
        let range = numbers().fold((0.0, 0.0), |(low, high): (f64, f64), x| (low.min(x), high.max(x)));
        assert_eq!(s.range, Some((AnyNumber::Float(range.0), AnyNumber::Float(range.1))));
        let mean = numbers().sum::<f64>() / 3e6;
        assert!(s.mean.is_some_and(|m| (m - mean).abs() < 1e-12));
    }

    #[test]
    fn what_is_not_a_number_is_counted() {
        let numbers = [1.0f32, f32::NAN, f32::INFINITY, -2.0, f32::NEG_INFINITY, f32::NAN];
        let bytes = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        let s = Summary::of(&Array::new(DType::F32, &[6], bytes).expect("24 bytes"));
        assert_eq!((s.nan, s.inf, s.mean), (2, 2, Some(-0.5)));
        assert_eq!(s.range, Some((AnyNumber::Float(f64::NEG_INFINITY), AnyNumber::Float(f64::INFINITY))));
        assert_eq!(s.corners.len(), 2);
    }

    #[test]
    fn nothing_has_no_smallest_number() {
        let s = Summary::of(&Array::zeros(DType::F32, &[0, 4]).expect("nothing"));
        assert_eq!((s.range, s.mean, s.corners.len()), (None, None, 0));
    }
}
