//! Numbers of tiles as text, in columns.

use super::printf;
use crate::prepared::NumberStyle;
use pto_isa::{Class, DType};
use pto_num::{Bf16, Exact, F16, Format};

/// Rows of numbers. A column is as wide as its widest number, and no narrower than the style says.
pub(super) struct NumberRows {
    style: NumberStyle,
    rows: Vec<Vec<String>>,
    row: Vec<String>,
}

impl NumberRows {
    pub fn new(style: NumberStyle) -> Self {
        Self { style, rows: Vec::new(), row: Vec::new() }
    }

    /// The next element of a row: of a packed one, at most so many numbers.
    pub fn push(&mut self, dtype: DType, raw: u64, most: usize) {
        let style = self.style;
        let text = |number| match number {
            ElementNumber::Float(x) => float(x.into(), style.digits),
            ElementNumber::Int(n) => n.to_string(),
        };
        self.row.extend(numbers_of(dtype, raw).take(most).map(text));
    }

    pub fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    /// A line for each row.
    pub fn text(&self) -> String {
        let mut widths = vec![self.style.width; self.rows.first().map_or(0, Vec::len)];
        for row in &self.rows {
            widths.iter_mut().zip(row).for_each(|(width, text)| *width = text.len().max(*width));
        }
        let mut all = String::new();
        for row in &self.rows {
            let cells: Vec<String> = row.iter().zip(&widths).map(|(text, width)| format!("{text:>width$}")).collect();
            all += &cells.join(" ");
            all.push('\n');
        }
        all
    }
}

/// Numbers from this one on have an exponent.
const LARGE: f64 = 1e8;

/// With a number of decimals; what that would make very long, or zero, has an exponent.
fn float(x: f64, digits: usize) -> String {
    let text = printf::fixed(x, digits);
    let is_lost = x != 0.0 && !text.contains(|c: char| ('1'..='9').contains(&c));
    if x.is_finite() && (x.abs() >= LARGE || is_lost) { printf::exponential(x, digits) } else { text }
}

/// A number of a tile, exactly.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ElementNumber {
    /// A floating-point number; every format of a tile fits.
    Float(f32),
    /// An integer.
    Int(i128),
}
/// The numbers of an element; packed ones of four bits are two.
pub fn numbers_of(dtype: DType, raw: u64) -> impl Iterator<Item = ElementNumber> {
    let float = |format: Format, bits: u64| ElementNumber::Float(Exact::decode(bits as u32, format).to_f32());
    let pair = |format: Format| [Some(float(format, raw & 15)), Some(float(format, raw >> 4 & 15))];
    let found = match dtype {
        DType::F4E1M2 => pair(Format::F4E1M2),
        DType::F4E2M1 => pair(Format::F4E2M1),
        _ => {
            let one = match dtype {
                DType::F32 => ElementNumber::Float(f32::from_bits(raw as u32)),
                DType::F16 => ElementNumber::Float(F16(raw as u16).to_f32()),
                DType::Bf16 => ElementNumber::Float(Bf16(raw as u16).to_f32()),
                DType::F8E4M3 => float(Format::F8E4M3, raw & 0xff),
                DType::F8E5M2 => float(Format::F8E5M2, raw & 0xff),
                DType::F8E8M0 => float(Format::F8E8M0, raw & 0xff),
                DType::Hif8 => float(Format::HIF8, raw & 0xff),
                _ => {
                    let unused = 64 - dtype.bits();
                    let bits = raw << unused;
                    let signed = dtype.class() == Class::Signed;
                    ElementNumber::Int(if signed { (bits as i64 >> unused).into() } else { (bits >> unused).into() })
                }
            };
            [Some(one), None]
        }
    };
    found.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLE: NumberStyle = NumberStyle { width: 8, digits: 4 };

    #[test]
    fn columns_are_as_wide_as_their_widest_number() {
        let mut rows = NumberRows::new(STYLE);
        for row in [[1.0, f32::NAN, -3.4e38, 0.5], [-12345.678, f32::NEG_INFINITY, 1e-9, -0.0]] {
            row.iter().for_each(|x| rows.push(DType::F32, x.to_bits().into(), 2));
            rows.end_row();
        }
        assert_eq!(
            rows.text(),
            "     1.0000      nan -3.4000e+38   0.5000\n-12345.6777     -inf  1.0000e-09  -0.0000\n"
        );
    }

    /// Numbers of one row and of another end in the same columns, in every type and for all kinds of bits.
    #[test]
    fn columns_of_every_type_are_aligned() {
        for dtype in DType::ALL {
            let mut rows = NumberRows::new(STYLE);
            for row in 0..16_u64 {
                for col in 0..8_u64 {
                    let bits = (row * 8 + col).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    rows.push(dtype, if row == 0 { u64::MAX } else { bits }, 2);
                }
                rows.end_row();
            }
            let text = rows.text();
            let ends = |line: &str| -> Vec<usize> {
                let end = |(at, pair): (usize, &[u8])| (pair[0] != b' ' && pair[1] == b' ').then_some(at);
                line.as_bytes().windows(2).enumerate().filter_map(end).collect()
            };
            let mut lines = text.lines().map(ends);
            let first = lines.next().expect("a row");
            assert!(first.len() >= 7 && lines.all(|other| other == first), "{dtype}:\n{text}");
        }
    }
}
