//! Blocks of numbers that are compared as doubles, in vectors.

use pto_num::{Level, LevelKernel, dispatch};

/// Numbers in a block; they and what they should be stay in the nearest cache.
pub(super) const BLOCK: usize = 1024;

const LANES: usize = 16;

/// The largest errors of a block.
pub(super) struct BlockErrors {
    pub absolute: f64,
    /// Nothing if zero is expected everywhere.
    pub relative: Option<f64>,
    pub ulps: u64,
}

/// Numbers and what they should be.
pub(super) struct NumberPairs<'a> {
    pub found: &'a [f64],
    pub expected: &'a [f64],
    pub absolute: f64,
    pub relative: f64,
    /// Distances are counted in numbers of f32; for other types, the numbers must be equal.
    pub is_f32: bool,
}

impl NumberPairs<'_> {
    /// The errors of a block in which all is well: the numbers are finite, and as near to each other as is allowed. Otherwise there are none.
    pub fn errors(self) -> Option<BlockErrors> {
        dispatch(self)
    }
}

impl LevelKernel for NumberPairs<'_> {
    type Output = Option<BlockErrors>;

    #[inline(always)]
    fn run<L: Level>(self) -> Option<BlockErrors> {
        let mut worst = LaneErrors::default();
        let (found, rest) = self.found.as_chunks::<LANES>();
        let (expected, other_rest) = self.expected.as_chunks::<LANES>();
        for (found, expected) in found.iter().zip(expected) {
            worst.look(found, expected, &self);
        }
        worst.look(rest, other_rest, &self);
        worst.of_block()
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
    fn look(&mut self, found: &[f64], expected: &[f64], limits: &NumberPairs) {
        for (lane, (x, y)) in found.iter().zip(expected).enumerate() {
            let (error, size) = ((x - y).abs(), y.abs());
            let is_near = error <= limits.absolute + limits.relative * size;
            self.wrong[lane] |= !(error.is_finite() & is_near & (limits.is_f32 | (error == 0.0)));
            self.absolute[lane] = self.absolute[lane].max(error);
            let relative = if size == 0.0 { 0.0 } else { error / size };
            self.relative[lane] = self.relative[lane].max(relative);
            self.is_relative[lane] |= size != 0.0;
            self.ulps[lane] = self.ulps[lane].max(rank(*x).abs_diff(rank(*y)));
        }
    }

    #[inline(always)]
    fn of_block(&self) -> Option<BlockErrors> {
        let largest = |errors: &[f64]| errors.iter().copied().fold(0.0, f64::max);
        let errors = BlockErrors {
            absolute: largest(&self.absolute),
            relative: self.is_relative.contains(&true).then(|| largest(&self.relative)),
            ulps: self.ulps.iter().copied().max().unwrap_or(0),
        };
        (!self.wrong.contains(&true)).then_some(errors)
    }
}

/// A number that grows by one from each f32 to the next; both zeros have rank 0.
#[inline(always)]
fn rank(x: f64) -> i64 {
    let bits = i64::from((x as f32).to_bits());
    let sign = 1 << 31;
    if bits & sign == 0 { bits } else { -(bits & (sign - 1)) }
}
