//! Diagnostics as Python objects: what was found, where, and how to fix it.

use pto::Error;
use pyo3::prelude::*;

/// A problem of a program: an error or a warning, with its place.
#[pyclass(frozen, module = "pto")]
pub(crate) struct Diagnostic {
    /// The stable id, such as `PTO-E0802`.
    #[pyo3(get)]
    code: String,
    /// `error` or `warning`.
    #[pyo3(get)]
    severity: &'static str,
    /// What was found, in one sentence.
    #[pyo3(get)]
    message: String,
    /// The file, or an empty text.
    #[pyo3(get)]
    file: String,
    /// The line from 1, or 0 if there is no place.
    #[pyo3(get)]
    line: u32,
    /// The column from 1, or 0.
    #[pyo3(get)]
    column: u32,
    /// Where the statement was made, `(file, line, column)`, if its text says so: `loc("kernel.py":12:3)`.
    #[pyo3(get)]
    origin: Option<(String, u32, u32)>,
    /// What is legal, one text each.
    #[pyo3(get)]
    legal: Vec<String>,
    /// How to fix it.
    #[pyo3(get)]
    help: Option<String>,
    rendered: String,
}

#[pymethods]
impl Diagnostic {
    /// True for an error, false for a warning.
    #[getter]
    fn is_error(&self) -> bool {
        self.severity == "error"
    }

    fn __str__(&self) -> &str {
        &self.rendered
    }

    fn __repr__(&self) -> String {
        format!("<{} {} {}:{}: {}>", self.severity, self.code, self.file, self.line, self.message)
    }
}

/// The diagnostics of an error, each rendered with its lines.
pub(crate) fn of_error(error: &Error) -> Vec<Diagnostic> {
    error.diagnostics().iter().map(|d| one(error, d)).collect()
}

fn one(error: &Error, d: &pto::Diagnostic) -> Diagnostic {
    let place = error.location(d.primary.span);
    let line = |at: u32| error.location(pto::isa::Span::new(at, at)).map_or(0, |p| p.line);
    Diagnostic {
        code: d.code.id(),
        severity: d.severity.name(),
        message: d.message.clone(),
        file: place.as_ref().map_or_else(String::new, |p| p.file.clone()),
        line: place.as_ref().map_or(0, |p| p.line),
        column: place.as_ref().map_or(0, |p| p.column),
        origin: error.origin(d.primary.span).map(|p| (p.file, p.line, p.column)),
        legal: d.legal.clone(),
        help: d.help_text(line),
        rendered: error.only(d).with_lines(line_of_file).trim_end().to_string(),
    }
}

/// A line of a file from 1, if it can be read. Only plain files of a sensible size are.
fn line_of_file(file: &str, line: u32) -> Option<String> {
    const LARGEST: u64 = 16 << 20;
    let about = std::fs::metadata(file).ok().filter(|m| m.is_file() && m.len() <= LARGEST);
    let text = about.and_then(|_| std::fs::read_to_string(file).ok())?;
    text.lines().nth(line.checked_sub(1)? as usize).map(str::to_string)
}
