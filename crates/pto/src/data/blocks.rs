//! Blocks of numbers that are compared as doubles, in vectors.

use super::{Array, Comparison, Numbers, Tolerance};
use crate::isa::DType;
use pto_num::{Level, LevelKernel, dispatch};
use std::ops::Range;

/// Numbers in a block; they and what they should be stay in the nearest cache.
pub(super) const BLOCK: usize = 1024;

const LANES: usize = 16;

/// The comparison of a block in which all is well: the numbers are finite, and as near to each other as is allowed. Otherwise there is none.
pub(super) fn quickly(
    found: &Array,
    expected: &impl Numbers,
    tolerance: Tolerance,
    block: Range<usize>,
) -> Option<Comparison> {
    let (mut ours, mut theirs) = ([0.0; BLOCK], [0.0; BLOCK]);
    let (ours, theirs) = (&mut ours[..block.len()], &mut theirs[..block.len()]);
    let are_doubles = found.doubles(block.start, ours) && expected.doubles(block.start, theirs);
    let is_f32 = found.dtype() == DType::F32;
    if are_doubles { dispatch(BlockComparison { ours, theirs, tolerance, is_f32 }) } else { None }
}

struct BlockComparison<'a> {
    ours: &'a [f64],
    theirs: &'a [f64],
    tolerance: Tolerance,
    /// Distances are counted in numbers of f32; for other types, the numbers must be equal.
    is_f32: bool,
}

impl LevelKernel for BlockComparison<'_> {
    type Output = Option<Comparison>;

    #[inline(always)]
    fn run<L: Level>(self) -> Option<Comparison> {
        let mut worst = LaneErrors::default();
        let (ours, rest) = self.ours.as_chunks::<LANES>();
        let (theirs, other_rest) = self.theirs.as_chunks::<LANES>();
        for (ours, theirs) in ours.iter().zip(theirs) {
            worst.look(ours, theirs, self.tolerance, self.is_f32);
        }
        worst.look(rest, other_rest, self.tolerance, self.is_f32);
        worst.comparison(self.ours.len(), self.tolerance)
    }
}

/// The largest errors that each lane has seen.
#[derive(Default)]
struct LaneErrors {
    wrong: [bool; LANES],
    absolute: [f64; LANES],
    relative: [f64; LANES],
    /// Zero is not expected everywhere.
    is_relative: [bool; LANES],
    ulps: [u64; LANES],
}

impl LaneErrors {
    #[inline(always)]
    fn look(&mut self, ours: &[f64], theirs: &[f64], tolerance: Tolerance, is_f32: bool) {
        for (lane, (x, y)) in ours.iter().zip(theirs).enumerate() {
            let (error, size) = ((x - y).abs(), y.abs());
            let is_near = error <= tolerance.absolute + tolerance.relative * size;
            self.wrong[lane] |= !(error.is_finite() & is_near & (is_f32 | (error == 0.0)));
            self.absolute[lane] = self.absolute[lane].max(error);
            let relative = if size == 0.0 { 0.0 } else { error / size };
            self.relative[lane] = self.relative[lane].max(relative);
            self.is_relative[lane] |= size != 0.0;
            self.ulps[lane] = self.ulps[lane].max(rank(*x).abs_diff(rank(*y)));
        }
    }

    #[inline(always)]
    fn comparison(&self, count: usize, tolerance: Tolerance) -> Option<Comparison> {
        let largest = |errors: &[f64]| errors.iter().copied().fold(0.0, f64::max);
        let max_rel = self.is_relative.contains(&true).then(|| largest(&self.relative));
        let result = Comparison {
            count: count as u64,
            max_abs: largest(&self.absolute),
            max_rel,
            max_ulp: self.ulps.iter().copied().max().unwrap_or(0),
            ..Comparison::of_nothing(tolerance)
        };
        (!self.wrong.contains(&true)).then_some(result)
    }
}

/// A number that grows by one from each f32 to the next; both zeros have rank 0.
#[inline(always)]
fn rank(x: f64) -> i64 {
    let bits = i64::from((x as f32).to_bits());
    let sign = 1 << 31;
    if bits & sign == 0 { bits } else { -(bits & (sign - 1)) }
}

/// Numbers of this many bytes as doubles.
pub(super) fn read_doubles<const N: usize>(
    bytes: &[u8],
    first: usize,
    into: &mut [f64],
    number: impl Fn([u8; N]) -> f64,
) -> bool {
    let words = &bytes.as_chunks::<N>().0[first..][..into.len()];
    into.iter_mut().zip(words).for_each(|(to, word)| *to = number(*word));
    true
}

#[cfg(test)]
mod tests {
    use super::super::{AnyNumber, compare};
    use super::*;

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
