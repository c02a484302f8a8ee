//! An array in a few numbers.

use super::{AnyNumber, Array, Numbers};
use crate::isa::DType;
use pto_num::{Bf16, F16};

/// What an array holds, in a few numbers.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Summary {
    /// The smallest and the largest number; infinities count, NaN does not.
    pub range: Option<(AnyNumber, AnyNumber)>,
    /// The mean of the finite numbers, added up in order as doubles.
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
            DType::F32 => Total::of(words::<4>(array).map(|w| f32::from_le_bytes(w).into())),
            DType::F16 => Total::of(words::<2>(array).map(|w| F16(u16::from_le_bytes(w)).to_f32().into())),
            DType::Bf16 => Total::of(words::<2>(array).map(|w| Bf16(u16::from_le_bytes(w)).to_f32().into())),
            DType::I32 => Total::of(words::<4>(array).map(|w| i32::from_le_bytes(w).into())),
            DType::I8 => Total::of(words::<1>(array).map(|w| i8::from_le_bytes(w).into())),
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

/// Numbers of this many bytes.
fn words<const N: usize>(array: &Array) -> impl Iterator<Item = [u8; N]> {
    array.bytes().as_chunks::<N>().0.iter().copied()
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

#[derive(Default)]
struct Total {
    range: Option<(f64, f64)>,
    sum: f64,
    finite: u64,
    nan: u64,
    inf: u64,
}

impl Total {
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
