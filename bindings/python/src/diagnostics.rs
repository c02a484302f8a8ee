//! Diagnostics as Python objects: what was found, where, and how to fix it.

use pto::Error;
use pto::isa::Span;
use pyo3::prelude::*;

/// A place in a file: file, line, column, remark.
type Place = (String, u32, u32, String);

/// A problem of a program: an error or a warning, with its place. `str` renders it with the lines it is about.
#[pyclass(frozen, module = "pto")]
#[derive(Clone)]
pub(crate) struct Diagnostic {
    /// The stable id, such as `PTO-E0802`.
    #[pyo3(get)]
    code: String,
    /// `error` or `warning`.
    #[pyo3(get)]
    severity: String,
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
    /// Other places that matter, each as `(file, line, column, remark)`.
    #[pyo3(get)]
    places: Vec<Place>,
    /// What is legal, one text each.
    #[pyo3(get)]
    legal: Vec<String>,
    /// How to fix it, or `None`.
    #[pyo3(get)]
    help: Option<String>,
    rendered: String,
}

#[pymethods]
impl Diagnostic {
    #[new]
    #[pyo3(signature = (code, severity, message, file="", line=0, column=0, origin=None, places=vec![], legal=vec![], help=None, rendered=None))]
    #[expect(clippy::too_many_arguments, reason = "the fields, in their order: what pickling gives back")]
    fn new(
        code: &str,
        severity: &str,
        message: &str,
        file: &str,
        line: u32,
        column: u32,
        origin: Option<(String, u32, u32)>,
        places: Vec<Place>,
        legal: Vec<String>,
        help: Option<String>,
        rendered: Option<String>,
    ) -> Self {
        let rendered = rendered.unwrap_or_else(|| format!("{severity}[{code}]: {message}"));
        let (code, severity, message, file) = (code.into(), severity.into(), message.into(), file.into());
        Self { code, severity, message, file, line, column, origin, places, legal, help, rendered }
    }

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

    fn __eq__(&self, other: &Self) -> bool {
        self.rendered == other.rendered && self.code == other.code
    }

    fn __hash__(&self) -> isize {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.rendered.hash(&mut hasher);
        hasher.finish() as isize
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let d = slf.get().clone();
        let first =
            (d.code, d.severity, d.message, d.file, d.line, d.column, d.origin, d.places, d.legal, d.help, d.rendered);
        Ok((slf.get_type().into_any(), first.into_pyobject(slf.py())?.into_any()))
    }
}

/// The diagnostics of an error, each rendered with its lines.
pub(crate) fn of_error(error: &Error) -> Vec<Diagnostic> {
    error.diagnostics().iter().map(|d| one(error, d)).collect()
}

fn one(error: &Error, d: &pto::Diagnostic) -> Diagnostic {
    let place = |span: Span| error.location(span).map_or_else(Default::default, |p| (p.file, p.line, p.column));
    let (file, line, column) = place(d.primary.span);
    let other = |l: &pto::isa::Label| {
        let (file, line, column) = place(l.span);
        (file, line, column, l.text.clone())
    };
    Diagnostic {
        code: d.code.id(),
        severity: d.severity.name().into(),
        message: d.message.clone(),
        file,
        line,
        column,
        origin: error.origin(d.primary.span).map(|p| (p.file, p.line, p.column)),
        places: d.labels.iter().map(other).collect(),
        legal: d.legal.clone(),
        help: d.help_text(|at| place(Span::new(at, at)).1),
        rendered: rendered(&error.only(d)),
    }
}

/// An error as text, with the lines it is about.
pub(crate) fn rendered(error: &Error) -> String {
    error.with_lines(line_of_file).trim_end().to_string()
}

/// A line of a file from 1, if it can be read. Only plain files of a sensible size are.
fn line_of_file(file: &str, line: u32) -> Option<String> {
    const LARGEST: u64 = 16 << 20;
    let about = std::fs::metadata(file).ok().filter(|m| m.is_file() && m.len() <= LARGEST);
    let text = about.and_then(|_| std::fs::read_to_string(file).ok())?;
    text.lines().nth(line.checked_sub(1)? as usize).map(str::to_string)
}
