//! An array in a few numbers.

use super::{Array, Numbers, Value};

/// What an array holds, in a few numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    /// The smallest and the largest number; infinities count, NaN does not.
    pub range: Option<(Value, Value)>,
    /// The mean of the finite numbers, added up in order as doubles.
    pub mean: Option<f64>,
    /// How many are NaN.
    pub nan: u64,
    /// How many are infinite.
    pub inf: u64,
    /// CRC-32 of the bytes; Python has it as `zlib.crc32(a.tobytes())`.
    pub crc32: u32,
    /// The numbers at the corners of the innermost two dimensions, of the first matrix and the last: first and last of
    /// the first row, first and last of the last row. Fewer where these are the same.
    pub corners: Vec<Value>,
}

impl Summary {
    /// Sums an array up.
    pub fn of(array: &Array) -> Self {
        let mut summary = Self { range: None, mean: None, nan: 0, inf: 0, crc32: 0, corners: corners(array) };
        summary.crc32 = crc32fast::hash(array.bytes());
        let (mut sum, mut finite) = (0.0, 0u64);
        for i in 0..array.count() {
            let value = array.number(i);
            let number = value.to_f64();
            if number.is_nan() {
                summary.nan += 1;
                continue;
            }
            if number.is_infinite() {
                summary.inf += 1;
            } else {
                finite += 1;
                sum += number;
            }
            summary.widen(value);
        }
        summary.mean = (finite > 0).then(|| sum / finite as f64);
        summary
    }

    fn widen(&mut self, value: Value) {
        let less = |a: Value, b: Value| match (a, b) {
            (Value::Int(a), Value::Int(b)) => a < b,
            _ => a.to_f64() < b.to_f64(),
        };
        match &mut self.range {
            None => self.range = Some((value, value)),
            Some((low, _)) if less(value, *low) => *low = value,
            Some((_, high)) if less(*high, value) => *high = value,
            Some(_) => {}
        }
    }
}

fn corners(array: &Array) -> Vec<Value> {
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
    use crate::isa::DType;

    #[test]
    fn a_matrix_in_a_few_numbers() {
        let s = Summary::of(&Array::iota(DType::I16, &[3, 4]).expect("small"));
        assert_eq!(s.range, Some((Value::Int(0), Value::Int(11))));
        assert_eq!(s.mean, Some(5.5));
        assert_eq!(s.corners, [0, 3, 8, 11].map(Value::Int));
        // python3 -c "import numpy as np, zlib; print(hex(zlib.crc32(np.arange(12, dtype=np.int16).tobytes())))"
        assert_eq!(s.crc32, 0xb171_eaaf);
    }

    #[test]
    fn what_is_not_a_number_is_counted() {
        let numbers = [1.0f32, f32::NAN, f32::INFINITY, -2.0, f32::NEG_INFINITY, f32::NAN];
        let bytes = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        let s = Summary::of(&Array::new(DType::F32, &[6], bytes).expect("24 bytes"));
        assert_eq!((s.nan, s.inf, s.mean), (2, 2, Some(-0.5)));
        assert_eq!(s.range, Some((Value::Float(f64::NEG_INFINITY), Value::Float(f64::INFINITY))));
        assert_eq!(s.corners.len(), 2);
    }

    #[test]
    fn nothing_has_no_smallest_number() {
        let s = Summary::of(&Array::zeros(DType::F32, &[0, 4]).expect("nothing"));
        assert_eq!((s.range, s.mean, s.corners.len()), (None, None, 0));
    }
}
