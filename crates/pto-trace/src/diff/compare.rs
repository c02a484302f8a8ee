//! Whether two results are the same.

use super::report::{ElementError, ElementErrors};
use super::{AllowedError, DiffOptions};
use crate::contents::Contents;
use pto_cpu::{ElementNumber, numbers_of};
use pto_isa::DType;

/// How the numbers of two results compare.
#[derive(Clone, Debug)]
pub(super) struct Compared {
    pub errors: ElementErrors,
    /// Valid rows and columns of the two.
    pub valid: ((usize, usize), (usize, usize)),
}

/// A number of a result: its bits, what they stand for, and the type.
#[derive(Clone, Copy)]
pub(super) struct TypedNumber {
    pub dtype: DType,
    pub raw: Option<u64>,
    pub number: ElementNumber,
    pub double: f64,
}

impl TypedNumber {
    pub fn of(contents: &Contents, row: usize, col: usize) -> Option<Self> {
        let number = contents.element(row, col)?;
        let double = contents.number(row, col);
        Some(Self { dtype: contents.dtype, raw: contents.bits(row, col), number, double })
    }

    pub fn of_bits(dtype: DType, raw: u64) -> Option<Self> {
        let number = numbers_of(dtype, raw).next()?;
        let double = match number {
            ElementNumber::Float(x) => x.into(),
            ElementNumber::Int(n) => n as f64,
        };
        Some(Self { dtype, raw: Some(raw), number, double })
    }

    pub fn text(&self) -> String {
        match self.number {
            ElementNumber::Float(x) if x != 0.0 && (x.abs() >= 1e7 || x.abs() < 1e-4) => format!("{x:e}"),
            ElementNumber::Float(x) => x.to_string(),
            ElementNumber::Int(n) => n.to_string(),
        }
    }
}

/// Compares the elements that both results have and that something wrote; `shown` worst ones are kept.
pub(super) fn compare(a: &Contents, b: &Contents, options: &DiffOptions<'_>, shown: usize) -> Compared {
    let rows = a.valid.0.min(b.valid.0).min(a.row_range.end).min(b.row_range.end);
    let cols = a.valid.1.min(b.valid.1).min(a.col_range.end).min(b.col_range.end);
    let all = || (0..rows).flat_map(|r| (0..cols).map(move |c| (r, c)));
    let both = |(r, c): &(usize, usize)| a.is_written(*r, *c) && b.is_written(*r, *c);
    let numbers =
        all().filter(both).filter_map(|(r, c)| Some(((r, c), TypedNumber::of(a, r, c)?, TypedNumber::of(b, r, c)?)));
    Comparing { exact: options.exact, allowed: options.allowed(a.dtype, usual_size(a, rows, cols)), shown }
        .compare(numbers, (a.valid, b.valid))
}

/// Compares numbers.
pub(super) struct Comparing {
    pub exact: bool,
    pub allowed: AllowedError,
    pub shown: usize,
}

impl Comparing {
    pub fn compare(
        &self,
        numbers: impl Iterator<Item = ((usize, usize), TypedNumber, TypedNumber)>,
        valid: ((usize, usize), (usize, usize)),
    ) -> Compared {
        let mut found = ElementErrors {
            elements: 0,
            beyond: 0,
            max_abs: 0.0,
            max_rel: None,
            allowed: self.allowed,
            worst: Vec::new(),
        };
        let mut worst: Vec<(f64, (usize, usize), TypedNumber, TypedNumber)> = Vec::new();
        for (at, a, b) in numbers {
            found.elements += 1;
            let abs = error(&a, &b);
            if abs.is_finite() {
                found.max_abs = found.max_abs.max(abs);
                if let Some(rel) = relative(abs, a.double) {
                    found.max_rel = Some(found.max_rel.map_or(rel, |r| r.max(rel)));
                }
            }
            if self.is_allowed(&a, &b, abs) {
                continue;
            }
            found.beyond += 1;
            let badness = self.badness(&a, abs);
            if self.shown > 0 && (worst.len() < self.shown || worst.last().is_some_and(|w| w.0 < badness)) {
                let to = worst.partition_point(|w| w.0 >= badness);
                worst.insert(to, (badness, at, a, b));
                worst.truncate(self.shown);
            }
        }
        found.worst = worst.into_iter().map(|(_, at, a, b)| element_error(at, &a, &b)).collect();
        Compared { errors: found, valid }
    }

    fn is_allowed(&self, a: &TypedNumber, b: &TypedNumber, abs: f64) -> bool {
        if a.double.is_nan() || b.double.is_nan() {
            return a.double.is_nan() && b.double.is_nan();
        }
        if self.exact && a.dtype == b.dtype {
            return a.raw == b.raw;
        }
        if let (ElementNumber::Int(a), ElementNumber::Int(b)) = (a.number, b.number)
            && a == b
        {
            return true;
        }
        if a.double == b.double && abs == 0.0 {
            return true;
        }
        abs <= self.allowed.absolute + self.allowed.relative * a.double.abs() && a.double.is_finite()
    }

    /// How bad a difference is: NaN and infinities are the worst, then those furthest beyond what is allowed.
    fn badness(&self, a: &TypedNumber, abs: f64) -> f64 {
        if !abs.is_finite() {
            return f64::INFINITY;
        }
        let limit = self.allowed.absolute + self.allowed.relative * a.double.abs();
        if limit > 0.0 { abs / limit } else { abs }
    }
}

/// The absolute error. Large integers are subtracted exactly.
fn error(a: &TypedNumber, b: &TypedNumber) -> f64 {
    match (a.number, b.number) {
        (ElementNumber::Int(a), ElementNumber::Int(b)) => a.abs_diff(b) as f64,
        _ if a.double == b.double => 0.0,
        _ => (a.double - b.double).abs(),
    }
}

fn relative(abs: f64, of: f64) -> Option<f64> {
    (of != 0.0 && of.is_finite() && abs.is_finite()).then(|| abs / of.abs())
}

fn element_error((row, col): (usize, usize), a: &TypedNumber, b: &TypedNumber) -> ElementError {
    let abs = error(a, b);
    let rel = relative(abs, a.double);
    ElementError { row, col, a: a.text(), b: b.text(), abs, rel, ulps: ulps(a, b), operands: Vec::new() }
}

/// How many numbers of the type lie between two, one of them included; for the common floats and integers.
fn ulps(a: &TypedNumber, b: &TypedNumber) -> Option<u64> {
    if a.dtype != b.dtype || a.double.is_nan() || b.double.is_nan() {
        return None;
    }
    match (a.dtype, a.number, b.number) {
        (DType::F32 | DType::F16 | DType::Bf16, ..) => {
            let rank = |raw: u64| {
                let sign = 1i64 << (a.dtype.bits() - 1);
                let bits = raw as i64;
                if bits & sign == 0 { bits } else { -(bits & (sign - 1)) }
            };
            Some(rank(a.raw?).abs_diff(rank(b.raw?)))
        }
        (_, ElementNumber::Int(a), ElementNumber::Int(b)) => Some(a.abs_diff(b).try_into().unwrap_or(u64::MAX)),
        _ => None,
    }
}

/// The root mean square of the finite numbers.
fn usual_size(contents: &Contents, rows: usize, cols: usize) -> f64 {
    let inside = contents.valid_numbers().filter(|(r, c, _)| *r < rows && *c < cols);
    root_mean_square(inside.map(|(.., x)| x))
}

pub(super) fn root_mean_square(numbers: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = numbers.filter(|x| x.is_finite()).fold((0.0, 0.0), |(count, sum), x| (count + 1.0, sum + x * x));
    if count == 0.0 { 0.0 } else { (sum / count).sqrt() }
}
