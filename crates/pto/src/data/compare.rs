//! Whether numbers are what they should be.

use super::blocks::{BLOCK, NumberPairs};
use super::parts;
use super::value::{decode, encode, small};
use super::{AnyNumber, Array, DataError, shape_text};
use crate::isa::DType;
use pto_isa::text;
use std::ops::Range;

/// Numbers in order.
pub trait Numbers {
    /// How many there are.
    fn count(&self) -> usize;

    /// One of them.
    fn number(&self, index: usize) -> AnyNumber;

    /// Writes those from an index on as doubles. False, and nothing is written, if not all numbers of the type are doubles, or there is no
    /// quick way.
    fn doubles(&self, _first: usize, _into: &mut [f64]) -> bool {
        false
    }
}

/// How far numbers may be apart: `|found - expected| <= absolute + relative * |expected|`. NaN equals NaN.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    /// Share of the expected number.
    pub relative: f64,
    /// In any case.
    pub absolute: f64,
}

impl Tolerance {
    /// What is usual for results of a type: a little more than its precision; nothing for integers.
    pub fn usual(dtype: DType) -> Self {
        let (relative, absolute) = match dtype {
            DType::F32 => (1e-5, 1e-6),
            DType::F16 => (1e-3, 1e-4),
            DType::Bf16 => (1e-2, 1e-3),
            DType::F8E4M3 | DType::Hif8 => (0.125, 1e-2),
            DType::F8E5M2 => (0.25, 1e-2),
            _ => (0.0, 0.0),
        };
        Self { relative, absolute }
    }

    /// The same for results that are sums: rounding errors grow with the terms. `size` is the usual size of the results,
    /// against which an error in a result near zero is judged.
    ///
    /// ```
    /// use pto::data::Tolerance;
    /// use pto::isa::DType;
    /// assert_eq!(Tolerance::of_sums(DType::F32, 1, 1.0), Tolerance::usual(DType::F32));
    /// let product = Tolerance::of_sums(DType::F32, 1024, 32.0);
    /// assert!(product.absolute > 1e-4 && product.absolute < 2e-4);
    /// assert_eq!(Tolerance::of_sums(DType::I32, 1024, 32.0).absolute, 0.0);
    /// ```
    pub fn of_sums(dtype: DType, terms: u64, size: f64) -> Self {
        let usual = Self::usual(dtype);
        if terms <= 1 || usual.relative == 0.0 {
            return usual;
        }
        // Sums of floats are kept in f32. Errors of single additions are independent, so their sum grows with the root.
        let error = f64::from(f32::EPSILON) * (terms as f64).sqrt();
        Self {
            relative: usual.relative.max(rounded_up(4.0 * error)),
            absolute: usual.absolute.max(rounded_up(error * if size.is_finite() { size } else { 0.0 })),
        }
    }

    fn allows(self, found: AnyNumber, expected: AnyNumber) -> bool {
        if let (AnyNumber::Int(a), AnyNumber::Int(b)) = (found, expected)
            && a == b
        {
            return true;
        }
        let (a, b) = (found.to_f64(), expected.to_f64());
        if a == b || a.is_nan() && b.is_nan() {
            // Equal as doubles is not equal for large integers.
            return !matches!((found, expected), (AnyNumber::Int(_), AnyNumber::Int(_)));
        }
        (a - b).abs() <= self.absolute + self.relative * b.abs() && b.is_finite()
    }
}

/// Two digits are enough for a tolerance.
fn rounded_up(x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let unit = 10f64.powi(x.log10().floor() as i32 - 1);
    (x / unit).ceil() * unit
}

/// A number that is not what it should be.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Difference {
    /// Where, outermost index first.
    pub index: Vec<u64>,
    /// What is there.
    pub found: AnyNumber,
    /// What should be there.
    pub expected: AnyNumber,
}

/// How two arrays differ.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Comparison {
    /// Numbers compared.
    pub count: u64,
    /// How many are further apart than allowed.
    pub differing: u64,
    /// The largest absolute error of finite numbers.
    pub max_abs: f64,
    /// The largest relative error of finite numbers where zero is not expected; nothing if it is expected everywhere.
    pub max_rel: Option<f64>,
    /// The most numbers of the type that lie between what was found and what is expected. For integers, the difference.
    pub max_ulp: u64,
    /// The first number further from its expected value than allowed.
    pub first: Option<Difference>,
    /// What was allowed.
    pub tolerance: Tolerance,
}

impl Comparison {
    /// True when nothing differs by more than is allowed.
    pub fn matches(&self) -> bool {
        self.differing == 0
    }
}

/// Compares an array with what it should be. Expected numbers may be of a type with more precision.
///
/// # Errors
/// When there are more or fewer of them.
pub fn compare(found: &Array, expected: &(impl Numbers + Sync), tolerance: Tolerance) -> Result<Comparison, DataError> {
    let count = found.count();
    if expected.count() != count {
        let shape = shape_text(found.shape());
        return Err(DataError::new(text!(
            "{expected} numbers to compare with {count} ({shape})",
            expected = expected.count(),
            count,
            shape
        )));
    }
    let of_range = |range: Range<usize>| {
        let starts = range.clone().step_by(BLOCK);
        let blocks = starts.map(|start| start..(start + BLOCK).min(range.end));
        blocks.fold(Comparison::of_nothing(tolerance), |part, block| {
            let quick = quickly(found, expected, tolerance, block.clone());
            part.with(quick.unwrap_or_else(|| one_by_one(found, expected, tolerance, block)))
        })
    };
    let parts = parts::map_indices(count, of_range).into_iter();
    Ok(parts.fold(Comparison::of_nothing(tolerance), Comparison::with))
}

/// A block in which all is well, in vectors.
fn quickly(found: &Array, expected: &impl Numbers, tolerance: Tolerance, block: Range<usize>) -> Option<Comparison> {
    let (mut ours, mut theirs) = ([0.0; BLOCK], [0.0; BLOCK]);
    let (ours, theirs) = (&mut ours[..block.len()], &mut theirs[..block.len()]);
    if !found.doubles(block.start, ours) || !expected.doubles(block.start, theirs) {
        return None;
    }
    let Tolerance { relative, absolute } = tolerance;
    let is_f32 = found.dtype() == DType::F32;
    let errors = NumberPairs { found: ours, expected: theirs, absolute, relative, is_f32 }.errors()?;
    Some(Comparison {
        count: block.len() as u64,
        max_abs: errors.absolute,
        max_rel: errors.relative,
        max_ulp: errors.ulps,
        ..Comparison::of_nothing(tolerance)
    })
}

fn one_by_one(found: &Array, expected: &impl Numbers, tolerance: Tolerance, block: Range<usize>) -> Comparison {
    let mut result = Comparison::of_nothing(tolerance);
    block.for_each(|i| result.add(found, i, expected.number(i)));
    result
}

impl Comparison {
    fn of_nothing(tolerance: Tolerance) -> Self {
        Self { count: 0, differing: 0, max_abs: 0.0, max_rel: None, max_ulp: 0, first: None, tolerance }
    }

    /// With that of the numbers that follow.
    fn with(self, next: Self) -> Self {
        let max_rel = match (self.max_rel, next.max_rel) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        Self {
            count: self.count + next.count,
            differing: self.differing + next.differing,
            max_abs: self.max_abs.max(next.max_abs),
            max_rel,
            max_ulp: self.max_ulp.max(next.max_ulp),
            first: self.first.or(next.first),
            tolerance: self.tolerance,
        }
    }

    fn add(&mut self, array: &Array, index: usize, expected: AnyNumber) {
        let found = array.number(index);
        self.count += 1;
        self.errors(array.dtype(), found, expected);
        if self.tolerance.allows(found, expected) {
            return;
        }
        self.differing += 1;
        if self.first.is_none() {
            self.first = Some(Difference { index: place(array.shape(), index as u64), found, expected });
        }
    }

    fn errors(&mut self, dtype: DType, found: AnyNumber, expected: AnyNumber) {
        let (a, b) = (found.to_f64(), expected.to_f64());
        let error = match (found, expected) {
            (AnyNumber::Int(a), AnyNumber::Int(b)) => a.abs_diff(b) as f64,
            _ => (a - b).abs(),
        };
        if error.is_finite() {
            self.max_abs = self.max_abs.max(error);
            if b != 0.0 {
                let relative = error / b.abs();
                self.max_rel = Some(self.max_rel.map_or(relative, |r| r.max(relative)));
            }
        }
        if !a.is_nan() && !b.is_nan() {
            self.max_ulp = self.max_ulp.max(ulps(dtype, found, expected));
        }
    }
}

/// The index of the number at a position.
fn place(shape: &[u64], mut position: u64) -> Vec<u64> {
    let mut index = vec![0; shape.len()];
    for (i, n) in index.iter_mut().zip(shape).rev() {
        *i = position % n;
        position /= n;
    }
    index
}

/// How many numbers of the type lie between two, one of them included.
fn ulps(dtype: DType, found: AnyNumber, expected: AnyNumber) -> u64 {
    match dtype {
        DType::F32 | DType::F16 | DType::Bf16 => rank(dtype, found).abs_diff(rank(dtype, expected)),
        _ if dtype.is_float() => between(dtype, found, expected),
        _ => match expected.to_int() {
            Some(expected) => found.to_int().unwrap_or(0).abs_diff(expected).try_into().unwrap_or(u64::MAX),
            None => (found.to_f64() - expected.to_f64()).abs().ceil() as u64,
        },
    }
}

/// A number that grows by one from each number of the type to the next; both zeros have rank 0.
fn rank(dtype: DType, value: AnyNumber) -> i64 {
    let bits = encode(dtype, value) as i64;
    let sign = 1 << (dtype.bits() - 1);
    if bits & sign == 0 { bits } else { -(bits & (sign - 1)) }
}

/// The same by counting, for the types with few numbers in no simple order.
fn between(dtype: DType, found: AnyNumber, expected: AnyNumber) -> u64 {
    let nearest = |v| decode(dtype, encode(dtype, v)).to_f64();
    let (a, b) = (nearest(found), nearest(expected));
    let codes = 1usize << dtype.bits();
    let inside = |x: f64| x > a.min(b) && x <= a.max(b);
    let mut all: Vec<f64> = small(dtype)[..codes].iter().copied().filter(|&x| inside(x)).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all.len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(numbers: &[f32]) -> Array {
        let bytes = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        Array::new(DType::F32, &[numbers.len() as u64], bytes).expect("the right size")
    }

    fn of(found: &[f32], expected: &[f32]) -> Comparison {
        compare(&floats(found), &floats(expected), Tolerance::usual(DType::F32)).expect("the same number")
    }

    #[test]
    fn distances_are_counted_in_numbers_of_the_type() {
        let next = |x: f32| f32::from_bits(x.to_bits() + 1);
        assert_eq!(of(&[next(1.0)], &[1.0]).max_ulp, 1);
        assert_eq!(of(&[0.0], &[-0.0]).max_ulp, 0);
        assert_eq!(of(&[f32::from_bits(1)], &[-f32::from_bits(1)]).max_ulp, 2);
        assert_eq!(of(&[f32::INFINITY], &[f32::MAX]).max_ulp, 1);
        let half = |x| AnyNumber::Float(x);
        assert_eq!(ulps(DType::F16, half(1.0), half(1.0009765625)), 1);
        assert_eq!(ulps(DType::F8E4M3, half(1.0), half(1.25)), 2);
        assert_eq!(ulps(DType::F8E8M0, half(0.5), half(4.0)), 3);
        assert_eq!(ulps(DType::F4E2M1, half(-0.5), half(0.5)), 2);
        assert_eq!(ulps(DType::U64, AnyNumber::Int(u64::MAX.into()), AnyNumber::Int(0)), u64::MAX);
    }

    #[test]
    fn nan_equals_nan_and_nothing_else() {
        let c = of(&[f32::NAN, f32::NAN, 1.0, f32::INFINITY], &[f32::NAN, 1.0, f32::NAN, f32::INFINITY]);
        assert_eq!((c.count, c.differing), (4, 2));
        assert_eq!(c.first.map(|d| d.index), Some(vec![1]));
    }

    #[test]
    fn large_arrays_are_compared_in_parts() {
        let mut numbers = vec![1.0f32; 3_000_000];
        let expected = floats(&numbers);
        (numbers[1_500_000], numbers[2_900_000]) = (1.5, 3.0);
        let c = compare(&floats(&numbers), &expected, Tolerance::usual(DType::F32)).expect("the same number");
        assert_eq!((c.count, c.differing, c.max_abs, c.max_rel), (3_000_000, 2, 2.0, Some(2.0)));
        assert_eq!(c.first.map(|d| d.index), Some(vec![1_500_000]));
    }

    #[test]
    fn infinity_is_not_near_anything() {
        assert_eq!(of(&[1e30, f32::INFINITY], &[f32::INFINITY, 1e30]).differing, 2);
    }

    #[test]
    fn the_first_difference_has_an_index() {
        let found = Array::iota(DType::I32, &[3, 4]).expect("small");
        let expected = Array::filled(DType::I32, &[3, 4], AnyNumber::Int(5)).expect("small");
        let c = compare(&found, &expected, Tolerance { relative: 0.0, absolute: 5.0 }).expect("the same number");
        assert_eq!((c.differing, c.max_abs, c.max_ulp), (1, 6.0, 6));
        let first = Difference { index: vec![2, 3], found: AnyNumber::Int(11), expected: AnyNumber::Int(5) };
        assert_eq!(c.first, Some(first));
        assert!(compare(&found, &Array::iota(DType::I32, &[11]).expect("small"), c.tolerance).is_err());
    }

    /// Numbers that are never quick.
    struct OneByOne<'a>(&'a Array);

    impl Numbers for OneByOne<'_> {
        fn count(&self) -> usize {
            self.0.count()
        }

        fn number(&self, index: usize) -> AnyNumber {
            self.0.number(index)
        }
    }

    fn changed(array: &Array, step: usize) -> Array {
        let mut array = array.clone();
        let size = array.dtype().bits() as usize / 8;
        array.bytes_mut().chunks_mut(size).step_by(step).for_each(|number| number[0] ^= 1);
        array
    }

    #[test]
    fn blocks_say_the_same_as_single_numbers() {
        for dtype in [DType::F32, DType::F16, DType::Bf16, DType::I32, DType::I8, DType::I64] {
            let found = Array::random(dtype, &[5, 700], 3).expect("small");
            for step in [1, 3, 2900] {
                let expected = changed(&found, step);
                for tolerance in [Tolerance::usual(dtype), Tolerance { relative: 0.0, absolute: 0.0 }] {
                    let single = compare(&found, &OneByOne(&expected), tolerance);
                    assert_eq!(compare(&found, &expected, tolerance), single, "{dtype} {step}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_finite_is_left_to_others() {
        let numbers = [1.0f32, -0.0, 0.0, f32::NAN, f32::INFINITY, f32::MIN_POSITIVE];
        let array = |numbers: &[f32]| {
            let bytes = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
            Array::new(DType::F32, &[numbers.len() as u64], bytes).expect("the right size")
        };
        for x in numbers {
            for y in numbers {
                let (found, expected) = (array(&[x, 0.0]), array(&[y, 0.0]));
                let tolerance = Tolerance { relative: f64::INFINITY, absolute: 0.0 };
                // NaN does not equal itself, so the texts are compared.
                let [quick, single] = [
                    format!("{:?}", compare(&found, &expected, tolerance)),
                    format!("{:?}", compare(&found, &OneByOne(&expected), tolerance)),
                ];
                assert_eq!(quick, single);
            }
        }
    }
}
