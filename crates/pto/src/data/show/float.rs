//! Floating-point numbers that line up.

use super::super::AnyNumber;
use super::super::value::{decode, encode};
use crate::isa::DType;

/// Limit of decimals.
const DIGITS: usize = 8;

/// How the numbers of an array are written: with an exponent or without, and how wide.
pub(super) struct Floats {
    dtype: DType,
    exponent: Option<Exponent>,
    /// Characters before the point.
    left: usize,
    /// Characters after it.
    right: usize,
}

/// How numbers with exponents are written.
struct Exponent {
    /// Decimals.
    fraction: usize,
    /// Digits of the exponent.
    digits: usize,
}

impl Exponent {
    /// A number with as many digits as the longest one needs; they are digits of the number, not zeros.
    fn word(&self, x: f64, left: usize) -> String {
        let text = format!("{x:.fraction$e}", fraction = self.fraction);
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, size) = exponent.strip_prefix('-').map_or(('+', exponent), |size| ('-', size));
        let (int, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        format!("{int:>left$}.{fraction}e{sign}{size:0>digits$}", digits = self.digits)
    }
}

impl Floats {
    pub(super) fn new(dtype: DType, numbers: &[f64]) -> Self {
        let finite: Vec<f64> = numbers.iter().copied().filter(|x| x.is_finite()).collect();
        let mut floats = Self { dtype, exponent: None, left: 0, right: 0 };
        if needs_exponent(dtype, &finite) {
            floats.measure_exponents(&finite);
        } else {
            for &x in &finite {
                let text = positional(dtype, x);
                let (int, fraction) = text.split_once('.').unwrap_or((&text, ""));
                floats.left = floats.left.max(int.len());
                floats.right = floats.right.max(fraction.len());
            }
        }
        for word in numbers.iter().copied().filter_map(special) {
            floats.left = floats.left.max(word.len().saturating_sub(floats.right + 1));
        }
        floats
    }

    fn measure_exponents(&mut self, finite: &[f64]) {
        let mut exponent = Exponent { fraction: 0, digits: 2 };
        for &x in finite {
            let parts = Scientific::new(self.dtype, x);
            exponent.fraction = exponent.fraction.max(parts.fraction.len());
            exponent.digits = exponent.digits.max(parts.exponent.abs().to_string().len());
            self.left = self.left.max(parts.int.len());
        }
        self.right = exponent.fraction + exponent.digits + 2;
        self.exponent = Some(exponent);
    }

    /// A number, padded to the common width.
    pub(super) fn word(&self, x: f64) -> String {
        let (left, right) = (self.left, self.right);
        if let Some(word) = special(x) {
            return format!("{word:>width$}", width = left + right + 1);
        }
        match &self.exponent {
            Some(e) => e.word(x, left),
            None => {
                let text = positional(self.dtype, x);
                let (int, fraction) = text.split_once('.').unwrap_or((&text, ""));
                format!("{int:>left$}.{fraction:<right$}")
            }
        }
    }
}

fn special(x: f64) -> Option<&'static str> {
    if x.is_nan() {
        return Some("nan");
    }
    x.is_infinite().then_some(if x < 0.0 { "-inf" } else { "inf" })
}

/// NumPy's rule: very large or very small numbers, or both sides of a thousand.
fn needs_exponent(dtype: DType, finite: &[f64]) -> bool {
    let sizes = || finite.iter().map(|x| x.abs()).filter(|&x| x != 0.0);
    let largest = sizes().fold(0.0, f64::max);
    let smallest = sizes().fold(f64::INFINITY, f64::min);
    // As many decimal digits as the type has.
    let limit = match dtype {
        DType::F16 | DType::Bf16 => 1e3,
        _ => 1e6,
    };
    largest >= limit || smallest < 1e-4 || (largest > 0.0 && largest / smallest > 1000.0)
}

/// A number as digits with an exponent.
struct Scientific {
    /// One digit with its sign.
    int: String,
    fraction: String,
    exponent: i32,
}

impl Scientific {
    fn new(dtype: DType, x: f64) -> Self {
        let mut text = scientific(dtype, x);
        if text.split(['.', 'e']).nth(1).is_some_and(|f| text.contains('.') && f.len() > DIGITS) {
            text = format!("{x:.DIGITS$e}");
        }
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (int, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        Self {
            int: int.to_string(),
            fraction: fraction.trim_end_matches('0').to_string(),
            exponent: exponent.parse().unwrap_or(0),
        }
    }
}

/// The fewest digits that distinguish a number from its neighbours, with an exponent as Rust writes it.
fn scientific(dtype: DType, x: f64) -> String {
    match dtype {
        DType::F32 => format!("{:e}", x as f32),
        DType::F16 | DType::Bf16 => {
            let same =
                |text: &str| decode(dtype, encode(dtype, AnyNumber::Float(text.parse().unwrap_or(0.0)))).to_f64() == x;
            (0..8).map(|p| format!("{x:.p$e}")).find(|text| same(text)).unwrap_or_else(|| format!("{x:e}"))
        }
        // Few bits: all digits are few.
        _ => format!("{x:e}"),
    }
}

/// The same without an exponent, rounded to the decimals that are shown. Always has a point.
fn positional(dtype: DType, x: f64) -> String {
    // Parsing the shortest digits as a double and printing that gives the same digits.
    let text = scientific(dtype, x).parse::<f64>().map_or_else(|_| x.to_string(), |y| y.to_string());
    let behind = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let text = if behind > DIGITS { format!("{x:.DIGITS$}") } else { text };
    match text.contains('.') {
        true => text.trim_end_matches('0').to_string(),
        false => text + ".",
    }
}

/// One number alone, with all digits it takes.
pub(super) fn shortest(dtype: DType, x: f64) -> String {
    if let Some(word) = special(x) {
        return word.to_string();
    }
    let has = dtype.is_float() && decode(dtype, encode(dtype, AnyNumber::Float(x))).to_f64() == x;
    let text = if has { scientific(dtype, x) } else { format!("{x:e}") };
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let text = text.parse::<f64>().unwrap_or(x).to_string();
        return if text.contains('.') { text } else { text + ".0" };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}
