//! Arrays as text, as NumPy prints them.

mod float;

use super::{AnyNumber, Array, Numbers};
use crate::isa::DType;
use float::Floats;

/// Arrays with more numbers are shortened.
const WHOLE: usize = 1000;
/// Numbers kept at each end of a shortened row or column.
const EDGE: u64 = 3;

/// Writes an array as NumPy does: long ones shortened, columns aligned, with the fewest digits that distinguish a number
/// from its neighbours, and at most eight decimals.
///
/// ```
/// use pto::data::{Array, show};
/// use pto::isa::DType;
///
/// let a = Array::iota(DType::F32, &[2000])?;
/// assert_eq!(show(&a, 75), "[0.000e+00 1.000e+00 2.000e+00 ... 1.997e+03 1.998e+03 1.999e+03]");
/// # Ok::<(), pto::data::DataError>(())
/// ```
pub fn show(array: &Array, width: usize) -> String {
    let shape = array.shape();
    if array.count() == 0 {
        return "[]".to_string();
    }
    let short = array.count() > WHOLE;
    let mut page = ArrayPage { array, words: NumberFormat::new(array, shape, short), shape, short };
    match shape.is_empty() {
        true => page.words.of(array.number(0)).trim().to_string(),
        false => page.dimension(0, 0, width),
    }
}

/// Writes one number with the fewest digits that distinguish it from its neighbours in a type, or from all other doubles
/// if the type does not have it.
pub fn show_number(dtype: DType, value: AnyNumber) -> String {
    match value {
        AnyNumber::Int(i) => i.to_string(),
        AnyNumber::Float(x) => float::shortest(dtype, x),
    }
}

/// The positions of a dimension that are shown, with a gap where `None` stands.
fn shown(extent: u64, short: bool) -> impl Iterator<Item = Option<u64>> {
    let cut = short && extent > 2 * EDGE;
    let (head, tail) = if cut { (EDGE, extent - EDGE) } else { (extent, extent) };
    (0..head).map(Some).chain(cut.then_some(None)).chain((tail..extent).map(Some))
}

struct ArrayPage<'a> {
    array: &'a Array,
    shape: &'a [u64],
    words: NumberFormat,
    short: bool,
}

impl ArrayPage<'_> {
    /// One dimension from a position on, with everything inside it.
    fn dimension(&mut self, axis: usize, start: u64, width: usize) -> String {
        let indent = " ".repeat(axis + 1);
        let inner: u64 = self.shape[axis + 1..].iter().product();
        if axis + 1 == self.shape.len() {
            return self.row(start, &indent, width - axis.min(width));
        }
        let gap = "\n".repeat(self.shape.len() - axis - 1);
        let parts: Vec<String> = shown(self.shape[axis], self.short)
            .map(|i| match i {
                Some(i) => self.dimension(axis + 1, start + i * inner, width),
                None => "...".to_string(),
            })
            .collect();
        format!("[{}]", parts.join(&format!("{gap}{indent}")))
    }

    /// A row, broken where it is longer than a line.
    fn row(&mut self, start: u64, indent: &str, width: usize) -> String {
        // A bracket must fit after the last number.
        let width = width.saturating_sub(1);
        let extent = self.shape[self.shape.len() - 1];
        let (mut text, mut line) = (String::new(), indent.to_string());
        for (n, i) in shown(extent, self.short).enumerate() {
            let word = i.map_or("...".to_string(), |i| self.words.of(self.array.number((start + i) as usize)));
            if n > 0 {
                line.push(' ');
            }
            if line.len() + word.len() > width && line.len() > indent.len() {
                text += line.trim_end();
                text.push('\n');
                line = indent.to_string();
            }
            line += &word;
        }
        text += &line;
        format!("[{}]", &text[indent.len()..])
    }
}

/// How the numbers of an array are written so that they line up.
enum NumberFormat {
    Ints(usize),
    Floats(Floats),
}

impl NumberFormat {
    fn new(array: &Array, shape: &[u64], short: bool) -> Self {
        let mut numbers = Vec::new();
        edges(shape, short, 0, &mut |i| numbers.push(array.number(i as usize)));
        if array.dtype().is_float() {
            let numbers: Vec<f64> = numbers.into_iter().map(AnyNumber::to_f64).collect();
            return Self::Floats(Floats::new(array.dtype(), &numbers));
        }
        Self::Ints(numbers.iter().map(|v| v.to_string().len()).max().unwrap_or(0))
    }

    fn of(&self, value: AnyNumber) -> String {
        match self {
            Self::Ints(width) => format!("{value:>width$}", value = value.to_string()),
            Self::Floats(floats) => floats.word(value.to_f64()),
        }
    }
}

/// Visits the numbers that are shown; only they decide on the format.
fn edges(shape: &[u64], short: bool, start: u64, visit: &mut impl FnMut(u64)) {
    let Some((&extent, rest)) = shape.split_first() else { return visit(start) };
    let inner: u64 = rest.iter().product();
    for i in shown(extent, short).flatten() {
        edges(rest, short, start + i * inner, visit);
    }
}

#[cfg(test)]
mod tests;
