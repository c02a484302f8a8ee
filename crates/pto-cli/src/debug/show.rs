//! Values as text.

use super::condition::{self, ValuePart};
use super::evaluate::{EvalStop, evaluate};
use super::session::{AskedOperands, DebugSession};
use pto::ir::ValueId;
use pto::isa::text;
use pto::trace::{Contents, ContentsKind};
use std::fmt::Write;
use std::ops::Range;

/// Rows and columns of a table if nobody says which.
const ROWS: usize = 8;
const COLUMNS: usize = 8;
/// The most rows and columns of a table.
const MOST_ROWS: usize = 256;
const MOST_COLUMNS: usize = 256;
/// Values of so many elements are summarised.
const SUMMARISED: usize = 1 << 20;

impl DebugSession<'_> {
    /// `print %t[0:4, 8:16]`, `print %i`, `print %t.max() * 2`.
    pub(crate) fn print(&mut self, text: &str) -> Result<String, String> {
        match condition::parse_part(text) {
            Some(part) => {
                let part = part.map_err(|e| e.render(text))?;
                let value = self.find(&part).map_err(|e| e.render(text))?;
                self.table(value, &part)
            }
            None => self.expression(text),
        }
    }

    fn expression(&mut self, text: &str) -> Result<String, String> {
        let expr = condition::parse(text).map_err(|e| e.render(text))?;
        for part in condition::parts(&expr) {
            self.find(part).map_err(|e| e.render(text))?;
        }
        let (core, at) = (self.core, self.at());
        let last = self.last().map_or(usize::MAX, |m| m.at);
        let mut reader = self.reader(core, at, AskedOperands::WrittenBy(last));
        match evaluate(&expr, &mut reader) {
            Ok(value) => Ok(format!("{text} = {value}")),
            Err(EvalStop::Unknown(name)) => Err(self.unknown(&name)),
            Err(EvalStop::Wrong(error)) => Err(error.render(text)),
        }
    }

    /// Why nothing is known of a value here.
    pub(crate) fn unknown(&self, name: &str) -> String {
        if self.recording.is_selective() {
            return text!("`%{name}` is not known here: it has no value yet, or was not recorded", name);
        }
        text!("`%{name}` has no value yet on {core}", name, core = self.core_name(self.core))
    }

    fn table(&mut self, value: ValueId, part: &ValuePart) -> Result<String, String> {
        let (core, at) = (self.core, self.at());
        let (rows, cols) = (
            part.rows.clone().unwrap_or(0..if part.cols.is_some() { usize::MAX } else { ROWS }),
            part.cols.clone().unwrap_or(0..if part.rows.is_some() { usize::MAX } else { COLUMNS }),
        );
        let (rows, cols) = (limited(rows, MOST_ROWS), limited(cols, MOST_COLUMNS));
        let Some(contents) = self.player.part(core, value, at, rows, cols) else {
            return Err(self.unknown(&part.name));
        };
        if matches!(contents.kind, ContentsKind::Scalar(_) | ContentsKind::Address) {
            let text =
                if contents.kind == ContentsKind::Address { element(&contents, 0, 0) } else { contents.text(0, 0) };
            return Ok(format!("%{} = {text}", part.name));
        }
        let mut out = self.describe(value, &contents);
        if contents.raw.is_empty() {
            let (rows, cols) = (contents.rows, contents.cols);
            return Err(text!("`%{name}` has {rows} rows and {cols} columns", name = part.name, rows, cols));
        }
        out += &numbers(&contents);
        if part.rows.is_none() && part.cols.is_none() && contents.rows * contents.cols <= SUMMARISED {
            out += &self.summary(value);
        }
        Ok(out.trim_end().to_string())
    }

    /// The first line about a value: type, memory, and who wrote it.
    pub(crate) fn describe(&mut self, value: ValueId, contents: &Contents) -> String {
        let (name, dtype, rows, cols) = (&contents.name, contents.dtype, contents.rows, contents.cols);
        let mut line = format!("%{name}: {rows}x{cols} {dtype}");
        if contents.valid != (rows, cols) {
            let (rows, cols) = contents.valid;
            line += ", ";
            line += &text!("valid {rows}x{cols}", rows, cols);
        }
        if let Some((memory, bytes)) = self.memory_of_value(self.core, value, self.at()) {
            let _ = write!(line, ", {}", self.bytes_text(memory, &bytes));
            line += ", ";
            line += &self.writer_text(memory, &bytes);
        }
        line + "\n"
    }

    /// `UB[0x0:0x4000]`.
    pub(crate) fn bytes_text(&self, memory: pto::trace::MemoryId, bytes: &Range<i64>) -> String {
        format!("{}[{:#x}:{:#x}]", self.memory_name(memory), bytes.start, bytes.end)
    }

    /// Who wrote these bytes last.
    pub(crate) fn writer_text(&mut self, memory: pto::trace::MemoryId, bytes: &Range<i64>) -> String {
        match self.last_writer(memory, bytes) {
            Some(writer) => {
                let moment = self.recording.moment(writer);
                text!("written by moment {writer}, line {line}", writer, line = moment.line)
            }
            None => text!("not written yet").to_string(),
        }
    }

    fn summary(&mut self, value: ValueId) -> String {
        let Some(all) = self.player.value(self.core, value, self.at()) else { return String::new() };
        let seen = NumberSummary::of(&all);
        if seen.count == 0 {
            return String::new();
        }
        let (min, max, mean) = (short(seen.min), short(seen.max), short(seen.mean));
        let mut line = text!("min {min}, max {max}, mean {mean}", min, max, mean);
        if seen.nan > 0 {
            line += &text!(", {count} NaN", count = seen.nan);
        }
        if seen.inf > 0 {
            line += &text!(", {count} infinite", count = seen.inf);
        }
        line + "\n"
    }
}

/// What the numbers of a value are like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumberSummary {
    pub(crate) count: usize,
    /// Of the finite numbers.
    pub(crate) min: f64,
    pub(crate) max: f64,
    pub(crate) mean: f64,
    pub(crate) nan: usize,
    pub(crate) inf: usize,
}

impl NumberSummary {
    pub(crate) fn of(contents: &Contents) -> Self {
        let mut seen = Self { count: 0, min: f64::INFINITY, max: f64::NEG_INFINITY, mean: 0.0, nan: 0, inf: 0 };
        let (mut sum, mut finite) = (0.0, 0);
        for (_, _, x) in contents.valid_numbers() {
            seen.count += 1;
            if x.is_finite() {
                (seen.min, seen.max) = (seen.min.min(x), seen.max.max(x));
                sum += x;
                finite += 1;
            } else if x.is_nan() {
                seen.nan += 1;
            } else {
                seen.inf += 1;
            }
        }
        seen.mean = sum / f64::from(finite.max(1));
        if finite == 0 {
            (seen.min, seen.max) = (0.0, 0.0);
        }
        seen
    }
}

fn limited(range: Range<usize>, most: usize) -> Range<usize> {
    range.start..range.end.min(range.start.saturating_add(most))
}

/// Rows and columns with their numbers; `·` where nothing was written, `-` outside of the valid region.
fn numbers(contents: &Contents) -> String {
    let (rows, cols) = (contents.row_range.clone(), contents.col_range.clone());
    let cell = |r: usize, c: usize| {
        if r >= contents.valid.0 || c >= contents.valid.1 {
            "-".to_string()
        } else if !contents.is_written(r, c) {
            "·".to_string()
        } else {
            element(contents, r, c)
        }
    };
    let cells: Vec<Vec<String>> = rows.clone().map(|r| cols.clone().map(|c| cell(r, c)).collect()).collect();
    let lengths = cells.iter().flatten().map(|t| t.chars().count());
    let width = lengths.chain([cols.end.to_string().len()]).max().unwrap_or(1);
    let left = rows.end.saturating_sub(1).to_string().len();
    let mut out = " ".repeat(left + 1);
    cols.clone().for_each(|c| {
        let _ = write!(out, " {c:>width$}");
    });
    out += if cols.end < contents.cols { " …\n" } else { "\n" };
    for (r, line) in rows.clone().zip(&cells) {
        let _ = write!(out, "{r:>left$}:");
        line.iter().for_each(|text| {
            let _ = write!(out, " {text:>width$}");
        });
        out += if cols.end < contents.cols { " …\n" } else { "\n" };
    }
    if rows.end < contents.rows {
        let _ = writeln!(out, "{}…", " ".repeat(left + 2));
    }
    out
}

/// An element in a few characters.
pub(crate) fn element(contents: &Contents, row: usize, col: usize) -> String {
    if contents.kind == ContentsKind::Address {
        return format!("{:#x}", contents.bits(row, col).unwrap_or(0));
    }
    let text = contents.text(row, col);
    if text.len() <= 7 { text.to_ascii_lowercase() } else { short(contents.number(row, col)) }
}

/// A number with six digits.
pub(crate) fn short(x: f64) -> String {
    if x.is_nan() {
        return "nan".to_string();
    }
    if x == 0.0 || x.is_infinite() {
        return x.to_string();
    }
    let magnitude = x.abs().log10().floor() as i32;
    if !(-4..6).contains(&magnitude) {
        return format!("{x:.3e}");
    }
    let text = format!("{x:.*}", (5 - magnitude).max(0) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_have_six_digits() {
        let shown =
            [1.0, -0.25, 3.25159265, 123456.7, 1234567.0, 1e-5, 0.00012345678, 0.0, f64::NAN, f64::NEG_INFINITY];
        let expected = ["1", "-0.25", "3.25159", "123457", "1.235e6", "1.000e-5", "0.000123457", "0", "nan", "-inf"];
        assert_eq!(shown.map(short), expected);
    }
}
