//! An array in a few numbers.

use super::parts;
use super::{AnyNumber, Array, Numbers};
use crate::isa::DType;
use pto_num::{Bf16, F16, Level, LevelKernel, dispatch};

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
    let of_parts = |parts: &[&[u8]]| {
        let parts: Vec<&[[u8; N]]> = parts.iter().map(|part| part.as_chunks().0).collect();
        dispatch(PartTotals { parts: &parts, number: &number })
    };
    parts::map_together(array.bytes(), TOGETHER, of_parts).into_iter().reduce(Total::with).unwrap_or_default()
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
        numbers.fold(Self::default(), |total, x| {
            let is_number = !x.is_nan();
            total.with(Self {
                range: is_number.then_some((x, x)),
                sum: finite_part(x),
                finite: x.is_finite().into(),
                nan: x.is_nan().into(),
                inf: x.is_infinite().into(),
            })
        })
    }
}

/// What a number adds to a sum. A zero changes no sum, whatever its sign: none is -0.
#[inline(always)]
fn finite_part(x: f64) -> f64 {
    if x.is_finite() { x } else { 0.0 }
}

/// Parts that are added up at the same time. An addition waits for the one before it; those of other parts need not.
const TOGETHER: usize = 4;

/// Numbers that are looked at, then added up: they stay in the nearest cache.
const BLOCK: usize = 1024;

/// The totals of parts, at most [`TOGETHER`].
struct PartTotals<'a, F, const N: usize> {
    parts: &'a [&'a [[u8; N]]],
    number: &'a F,
}

impl<F: Fn([u8; N]) -> f64, const N: usize> LevelKernel for PartTotals<'_, F, N> {
    type Output = Vec<Total>;

    #[inline(always)]
    fn run<L: Level>(self) -> Vec<Total> {
        let Self { parts, number } = self;
        let mut totals = vec![Total::default(); parts.len()];
        let longest = parts.iter().map(|part| part.len()).max().unwrap_or(0);
        for start in (0..longest).step_by(BLOCK) {
            // Where there are fewer parts, one of them is added up several times: a sum of its own for each.
            let blocks: [&[[u8; N]]; TOGETHER] = std::array::from_fn(|k| {
                let part = parts[k.min(parts.len() - 1)];
                &part[start.min(part.len())..(start + BLOCK).min(part.len())]
            });
            let mut sums = std::array::from_fn(|k| totals[k.min(parts.len() - 1)].sum);
            add_up(blocks, &mut sums, number);
            for ((total, block), sum) in totals.iter_mut().zip(blocks).zip(sums) {
                *total = Total { sum, ..total.with(Total { sum: 0.0, ..seen(block, number) }) };
            }
        }
        totals
    }
}

/// Adds the numbers of each block to a sum, in order.
#[inline(always)]
fn add_up<const N: usize>(
    blocks: [&[[u8; N]]; TOGETHER],
    sums: &mut [f64; TOGETHER],
    number: &impl Fn([u8; N]) -> f64,
) {
    let common = blocks.iter().map(|block| block.len()).min().unwrap_or(0);
    let [a, b, c, d] = blocks.map(|block| &block[..common]);
    for (((a, b), c), d) in a.iter().zip(b).zip(c).zip(d) {
        for (sum, word) in sums.iter_mut().zip([a, b, c, d]) {
            *sum += finite_part(number(*word));
        }
    }
    for (block, sum) in blocks.iter().zip(sums) {
        block[common..].iter().for_each(|word| *sum += finite_part(number(*word)));
    }
}

/// What there is to say about numbers besides their sum.
#[inline(always)]
fn seen<const N: usize>(block: &[[u8; N]], number: &impl Fn([u8; N]) -> f64) -> Total {
    const LANES: usize = 16;
    let (mut low, mut high) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
    let (mut finite, mut nan) = ([0u64; LANES], [0u64; LANES]);
    let mut look = |words: &[[u8; N]]| {
        for (lane, word) in words.iter().enumerate() {
            let x = number(*word);
            low[lane] = if x < low[lane] { x } else { low[lane] };
            high[lane] = if x > high[lane] { x } else { high[lane] };
            finite[lane] += u64::from(x.is_finite());
            nan[lane] += u64::from(x.is_nan());
        }
    };
    let (chunks, rest) = block.as_chunks::<LANES>();
    chunks.iter().for_each(|chunk| look(chunk));
    look(rest);
    let (finite, nan) = (finite.iter().sum::<u64>(), nan.iter().sum::<u64>());
    let low = low.into_iter().reduce(|a, b| if b < a { b } else { a }).unwrap_or(0.0);
    let high = high.into_iter().reduce(|a, b| if b > a { b } else { a }).unwrap_or(0.0);
    // Zeros are equal, and the first one counts; lanes do not know which that is.
    let first_zero = || block.iter().map(|word| number(*word)).find(|x| *x == 0.0).unwrap_or(0.0);
    let exact = |x: f64| if x == 0.0 { first_zero() } else { x };
    let numbers = block.len() as u64 - nan;
    let range = (numbers > 0).then(|| (exact(low), exact(high)));
    Total { range, sum: 0.0, finite, nan, inf: numbers - finite }
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

    /// In lanes and parts at once, or one number after the other.
    #[test]
    fn totals_do_not_depend_on_how_they_are_found() {
        let words = |salt: u64, count: u64| -> Vec<[u8; 4]> {
            let number = |i: u64| match (i * 7919 + salt) % 101 {
                0 => f32::NAN,
                1 => f32::INFINITY,
                2 => -0.0,
                3 => 0.0,
                k => (k as f32 - 4.0) * 0.37 * 1.1f32.powi((i % 40) as i32),
            };
            (0..count).map(|i| number(i).to_le_bytes()).collect()
        };
        let number = |word: [u8; 4]| f64::from(f32::from_le_bytes(word));
        for lengths in [&[0, 1, 2, 3][..], &[2500, 2500, 2500, 17], &[5000], &[1024, 3], &[100, 100, 100]] {
            let parts: Vec<Vec<[u8; 4]>> = lengths.iter().enumerate().map(|(k, n)| words(k as u64, *n)).collect();
            let slices: Vec<&[[u8; 4]]> = parts.iter().map(|part| &part[..]).collect();
            let found = dispatch(PartTotals { parts: &slices, number: &number });
            for (part, total) in parts.iter().zip(found) {
                let plain = Total::of(part.iter().map(|word| number(*word)));
                let bits = |t: Total| {
                    (t.range.map(|(a, b)| (a.to_bits(), b.to_bits())), t.sum.to_bits(), t.finite, t.nan, t.inf)
                };
                assert_eq!(bits(total), bits(plain), "{lengths:?}");
            }
        }
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
