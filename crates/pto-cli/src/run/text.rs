//! What happened, for people.

use super::inside_text::inside;
use super::{FinishedRun, checksum};
use crate::counts;
use crate::program::{ArgContent, BoundParam};
use pto::cpu::Printed;
use pto::data::{AnyNumber, Array, Comparison, DataError, Summary, Tolerance, shape_text, show, show_number};
use pto::isa::DType;
use pto::isa::sort::SharedSort;
use pto::isa::text;

/// The whole report.
pub(super) fn report(run: &FinishedRun<'_>) -> Result<String, DataError> {
    let mut text = printed(run);
    text += &head(run);
    text += &inputs(run);
    text += &outputs(run)?;
    for &i in &run.ready.shown {
        let width = crate::render::columns().unwrap_or(96).clamp(60, 110);
        if let Some(array) = run.ready.run.bound[i].data()? {
            text += &format!("\n{}\n{}\n", run.ready.run.bound[i].name, show(&array, width));
        }
    }
    let launched = (run.args.program.blocks, run.args.program.ranks.map_or(1, |n| n as usize));
    text += &inside(&run.ready.inside, &run.inside, run.source, launched).map_err(|f| DataError::new(f.0))?;
    for (expectation, comparison) in run.ready.expected.iter().zip(&run.comparisons) {
        let bound = &run.ready.run.bound[expectation.param];
        text += &format!("\n{}", verdict(bound, &expectation.text, comparison));
    }
    let files: Vec<String> = run
        .ready
        .outputs
        .list()
        .map(|(i, path)| text!("wrote {i} to {display}\n", i = run.ready.run.bound[i].name, display = path.display()))
        .chain(
            run.ready
                .outputs
                .values()
                .map(|(name, path)| text!("wrote {i} to {display}\n", i = name, display = path.display())),
        )
        .collect();
    if !files.is_empty() {
        text += &format!("\n{}", files.concat());
    }
    if let Some(timings) = run.timings() {
        text += &format!("\n{}", times(run, timings));
    }
    Ok(text)
}

/// What the program printed, with the line, iteration and core that it comes from.
fn printed(run: &FinishedRun<'_>) -> String {
    let mut text: String = run.report.printed.iter().map(Printed::to_string).collect();
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

fn head(run: &FinishedRun<'_>) -> String {
    let blocks = if run.args.program.blocks == 1 {
        String::new()
    } else {
        format!(", {}", counts::blocks(run.args.program.blocks.into()))
    };
    let instructions = counts::instructions(run.report.instructions);
    // Statements outside functions have no name.
    let name = Some(run.ready.run.plan.name()).filter(|n| !n.is_empty()).unwrap_or("program");
    let time = duration(run.elapsed.as_nanos() as f64);
    text!(
        "{name} on {run}{blocks}: {instructions} in {time}\n",
        name,
        run = run.target.name(),
        blocks,
        instructions,
        time
    )
}

/// What was given and not written.
fn inputs(run: &FinishedRun<'_>) -> String {
    let is_own = |b: &BoundParam| !matches!(b.content, ArgContent::Remote(..));
    let given = run.ready.run.bound.iter().zip(&run.report.written).filter(|(b, written)| !**written && is_own(b));
    let rows: Vec<Vec<String>> = given
        .map(|(bound, _)| {
            let (ty, shape) = type_and_shape(bound);
            vec![bound.name.clone(), ty, shape, bound.origin.clone()]
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    format!("\n{}", table(&["in", "type", "shape", "data"], "llll", &rows))
}

pub(super) fn type_and_shape(bound: &BoundParam) -> (String, String) {
    match &bound.content {
        ArgContent::Int(ty, _) | ArgContent::Float(ty, _) => (ty.to_string(), "scalar".to_string()),
        ArgContent::Remote(..) => (String::new(), "remote".to_string()),
        ArgContent::Memory(array) | ArgContent::Tensor(array) => (array.dtype().to_string(), shape_text(array.shape())),
        ArgContent::Tile(array, (rows, cols)) => (array.dtype().to_string(), shape_text(&[*rows, *cols])),
    }
}

/// What was written, in a few numbers. Counts of NaN and infinity stand there only if there are any.
fn outputs(run: &FinishedRun<'_>) -> Result<String, DataError> {
    let mut rows = Vec::new();
    for (bound, _) in run.ready.run.bound.iter().zip(&run.report.written).filter(|(_, written)| **written) {
        if let Some(array) = bound.data()? {
            rows.push(summary(bound, &array));
        }
    }
    if rows.is_empty() {
        return Ok(text!("\nno parameter was written\n").to_string());
    }
    let mut header = vec!["out", "type", "shape", "min", "max", "mean", "crc32", "nan", "inf", "corners"];
    let mut aligned = "lllrrrlrrl".to_string();
    for column in [8, 7] {
        if rows.iter().all(|row| row[column] == "0") {
            header.remove(column);
            aligned.remove(column);
            rows.iter_mut().for_each(|row| drop(row.remove(column)));
        }
    }
    Ok(format!("\n{}", table(&header, &aligned, &rows)))
}

fn summary(bound: &BoundParam, array: &Array) -> Vec<String> {
    let (dtype, s) = (array.dtype(), Summary::of(array));
    let (ty, shape) = type_and_shape(bound);
    let none = || "-".to_string();
    vec![
        bound.name.clone(),
        ty,
        shape,
        s.range.map_or_else(none, |(low, _)| brief(dtype, low)),
        s.range.map_or_else(none, |(_, high)| brief(dtype, high)),
        s.mean.map_or_else(none, |mean| general(mean, 6)),
        checksum(array),
        s.nan.to_string(),
        s.inf.to_string(),
        corners(dtype, &s.corners),
    ]
}

/// First and last of the first row, and of the last.
fn corners(dtype: DType, numbers: &[AnyNumber]) -> String {
    let words: Vec<String> = numbers
        .iter()
        .map(|v| match v {
            AnyNumber::Float(x) => general(*x, 4),
            AnyNumber::Int(_) => brief(dtype, *v),
        })
        .collect();
    match words.as_slice() {
        [a, b, c, d] => format!("{a} … {b} / {c} … {d}"),
        [a, b] => format!("{a} … {b}"),
        others => others.join(" "),
    }
}

/// Integers as they are, other numbers in six digits.
fn brief(dtype: DType, value: AnyNumber) -> String {
    match value {
        AnyNumber::Int(_) => show_number(dtype, value),
        AnyNumber::Float(x) => general(x, 6),
    }
}

/// A number with this many significant digits, without an exponent if that is short: C's `%g`.
pub(crate) fn general(x: f64, digits: usize) -> String {
    if !x.is_finite() {
        return if x.is_nan() { "nan".to_string() } else { x.to_string() };
    }
    let text = format!("{x:.*e}", digits - 1);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |t: &str| {
        if t.contains('.') { t.trim_end_matches('0').trim_end_matches('.').to_string() } else { t.to_string() }
    };
    if exponent < -4 || exponent >= digits as i32 {
        return format!("{}e{exponent}", trim(mantissa));
    }
    trim(&format!("{x:.*}", (digits as i32 - 1 - exponent).max(0) as usize))
}

fn verdict(bound: &BoundParam, reference: &str, c: &Comparison) -> String {
    let (name, count, exact) = (&bound.name, c.count, c.tolerance == Tolerance { relative: 0.0, absolute: 0.0 });
    let allowed = text!(
        "{general} + {general2} * |expected|",
        general = general(c.tolerance.absolute, 3),
        general2 = general(c.tolerance.relative, 3)
    );
    let relative = c.max_rel.map_or("-".to_string(), |r| general(r, 4));
    let (absolute, ulps) = (general(c.max_abs, 4), c.max_ulp);
    let errors =
        text!("  largest error: {absolute} absolute, {relative} relative, {ulps} ulp\n", absolute, relative, ulps);
    let Some(first) = &c.first else {
        let how = if exact { text!("equal").to_string() } else { text!("within {allowed}", allowed) };
        return text!(
            "{name} matches {reference}: {count} numbers {how}\n{errors}",
            name,
            reference,
            count,
            how,
            errors
        );
    };
    let how = match (c.differing, exact) {
        (1, true) => text!("is not equal").to_string(),
        (_, true) => text!("are not equal").to_string(),
        (1, false) => text!("is off by more than {allowed}", allowed),
        (_, false) => text!("are off by more than {allowed}", allowed),
    };
    let dtype = bound.data().ok().flatten().map_or(DType::F32, |a| a.dtype());
    let index = first.index.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let (found, expected) = (show_number(dtype, first.found), show_number(dtype, first.expected));
    text!(
        "{name} differs from {reference}: {differing} of {count} numbers {how}\n{errors}",
        name,
        reference,
        differing = c.differing,
        count,
        how,
        errors
    ) + &text!("  first at [{index}]: found {found}, expected {expected}\n", index, found, expected)
}

/// Where the time went, instruction by instruction of the text.
fn times(run: &FinishedRun<'_>, timings: &[pto::cpu::Timing]) -> String {
    let total: u64 = timings.iter().map(|t| t.nanos).sum();
    let mut sorted: Vec<_> = timings.iter().filter(|t| t.count > 0).collect();
    sorted.shared_sort_by_key(|t| (std::cmp::Reverse(t.nanos), t.span));
    let rows: Vec<Vec<String>> = sorted
        .into_iter()
        .map(|t| {
            vec![
                run.lines.locate(t.span.start).0.to_string(),
                t.name.clone(),
                t.count.to_string(),
                duration(t.nanos as f64),
                duration(t.nanos as f64 / t.count as f64),
                format!("{:.1} %", 100.0 * t.nanos as f64 / total.max(1) as f64),
            ]
        })
        .collect();
    table(&["line", "instruction", "count", "total", "each", "share"], "rlrrrr", &rows)
}

/// Three digits and a unit.
pub(super) fn duration(nanos: f64) -> String {
    let (number, unit) = match nanos {
        n if n < 1e3 => (n, "ns"),
        n if n < 1e6 => (n / 1e3, "µs"),
        n if n < 1e9 => (n / 1e6, "ms"),
        n => (n / 1e9, "s"),
    };
    let places = if number >= 100.0 || unit == "ns" {
        0
    } else if number >= 10.0 {
        1
    } else {
        2
    };
    format!("{number:.places$} {unit}")
}

/// Columns that line up: `l` to the left, `r` to the right.
pub(crate) fn table(header: &[&str], aligned: &str, rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([header[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |cells: Vec<&str>| {
        let mut line = String::new();
        for ((cell, width), side) in cells.into_iter().zip(&widths).zip(aligned.chars()) {
            let padded = if side == 'r' { format!("{cell:>width$}  ") } else { format!("{cell:<width$}  ") };
            line += &padded;
        }
        line.trim_end().to_string() + "\n"
    };
    let head = line(header.to_vec());
    head + &rows.iter().map(|row| line(row.iter().map(String::as_str).collect())).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases = [(0.0, "0"), (1.0, "1"), (1.0 / 3.0, "0.333333"), (1234567.0, "1.23457e6"), (-0.00001, "-1e-5")];
        for (x, text) in cases {
            assert_eq!(general(x, 6), text);
        }
        assert_eq!((general(f64::NAN, 6), general(f64::NEG_INFINITY, 6)), ("nan".to_string(), "-inf".to_string()));
    }

    #[test]
    fn times_have_three_digits() {
        let texts = [5.0, 1234.0, 45_600_000.0, 1.5e9].map(duration);
        assert_eq!(texts, ["5 ns", "1.23 µs", "45.6 ms", "1.50 s"]);
    }
}
