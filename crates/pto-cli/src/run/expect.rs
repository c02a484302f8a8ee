//! Results and what they should be.

use super::{Failure, memory_named};
use crate::npz;
use crate::program::BoundParam;
use crate::program::memory::{has_rows_of, npy_file, npz_key, raw};
use crate::program::spec::{self, DataSource, NumberGenerator};
use pto::data::{AnyNumber, Array, Comparison, DataError, Numbers, Tolerance, compare, npy, shape_text};
use pto::isa::text;

/// What a parameter should hold after the run.
pub(crate) struct Expectation {
    pub(crate) param: usize,
    /// The reference as written.
    pub(crate) text: String,
    reference: ExpectedNumbers,
    tolerance: Tolerance,
}

/// Tolerances that were asked for.
#[derive(Clone, Copy)]
pub(crate) struct ToleranceArgs {
    pub(crate) relative: Option<f64>,
    pub(crate) absolute: Option<f64>,
}

/// Expected numbers: of the parameter's type, or of another that says what it is.
enum ExpectedNumbers {
    Same(Array),
    Other(npy::Stored),
}

impl Numbers for ExpectedNumbers {
    fn count(&self) -> usize {
        match self {
            Self::Same(array) => array.count(),
            Self::Other(stored) => stored.count(),
        }
    }

    fn number(&self, index: usize) -> AnyNumber {
        match self {
            Self::Same(array) => array.number(index),
            Self::Other(stored) => stored.number(index),
        }
    }

    fn doubles(&self, first: usize, into: &mut [f64]) -> bool {
        match self {
            Self::Same(array) => array.doubles(first, into),
            Self::Other(stored) => stored.doubles(first, into),
        }
    }
}

impl ExpectedNumbers {
    fn shape(&self) -> &[u64] {
        match self {
            Self::Same(array) => array.shape(),
            Self::Other(stored) => stored.shape(),
        }
    }
}

impl Expectation {
    /// Reads `NAME=VALUE` and the reference, so that a bad one is found before the program runs.
    pub(crate) fn new(
        text: &str,
        bound: &[BoundParam],
        limits: ToleranceArgs,
        longest_sum: u64,
    ) -> Result<Self, Failure> {
        let (name, value) =
            spec::named(text).ok_or_else(|| Failure(text!("`--expect {text}` is not NAME=VALUE", text)))?;
        let param = memory_named(bound, name)?;
        let fail = |e: DataError| Failure(e.about(format_args!("--expect {name}")).to_string());
        let Some(array) = bound[param].data().map_err(fail)? else {
            return Err(Failure(text!("`{name}` is not memory", name)));
        };
        let reference = load(&array, name, &DataSource::parse(value)?).map_err(fail)?;
        if reference.count() != array.count() || !has_rows_of(reference.shape(), array.shape()) {
            let (shape, found) = (shape_text(array.shape()), shape_text(reference.shape()));
            return Err(Failure(text!(
                "--expect {name}: {value} is {found}, and `{name}` is {shape}",
                name,
                value,
                found,
                shape
            )));
        }
        let usual = Tolerance::of_sums(array.dtype(), longest_sum, usual_size(&reference));
        let tolerance = Tolerance {
            relative: limits.relative.unwrap_or(usual.relative),
            absolute: limits.absolute.unwrap_or(usual.absolute),
        };
        Ok(Self { param, text: value.to_string(), reference, tolerance })
    }

    /// Compares.
    pub(crate) fn compare(&self, bound: &[BoundParam]) -> Result<Comparison, Failure> {
        let fail = |e: DataError| Failure(e.to_string());
        match bound[self.param].data().map_err(fail)? {
            Some(array) => compare(&array, &self.reference, self.tolerance).map_err(fail),
            None => Err(Failure(text!("`{param}` is not memory", param = bound[self.param].name))),
        }
    }
}

/// The root mean square of the finite numbers.
pub(crate) fn usual_size(numbers: &impl Numbers) -> f64 {
    const BLOCK: usize = 1024;
    let (mut count, mut sum, mut room) = (0.0, 0.0, [0.0; BLOCK]);
    for start in (0..numbers.count()).step_by(BLOCK) {
        let block = &mut room[..BLOCK.min(numbers.count() - start)];
        if !numbers.doubles(start, block) {
            block.iter_mut().enumerate().for_each(|(k, x)| *x = numbers.number(start + k).to_f64());
        }
        for x in block.iter().filter(|x| x.is_finite()) {
            count += 1.0;
            sum += x * x;
        }
    }
    if count == 0.0 { 0.0 } else { (sum / count).sqrt() }
}

fn load(array: &Array, name: &str, source: &DataSource) -> Result<ExpectedNumbers, DataError> {
    let (dtype, shape) = (array.dtype(), array.shape());
    let made = |maker: NumberGenerator, shape: &[u64]| maker.make(dtype, shape, 0).map(ExpectedNumbers::Same);
    let stored = match source {
        DataSource::Npy(path) => npy_file(path)?,
        DataSource::Npz(path, key) => npz::read_file(path, npz_key(path, key.as_deref(), name))?,
        DataSource::Raw(path) => return raw(path, dtype, shape).map(ExpectedNumbers::Same),
        DataSource::Number(value) => return made(NumberGenerator::Fill(*value), shape),
        DataSource::Made(NumberGenerator::Random, _) => {
            return Err(DataError::new(text!("random numbers cannot be expected results")));
        }
        DataSource::Made(maker, wish) => {
            wish.allows(dtype)?;
            return made(*maker, wish.shape.as_deref().unwrap_or(shape));
        }
    };
    if stored.ty().holds(dtype) || !stored.is_numeric() {
        return stored.into_array(dtype).map(ExpectedNumbers::Same);
    }
    Ok(ExpectedNumbers::Other(stored))
}
