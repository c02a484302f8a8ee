//! Reports for programs, and diagnostics in them: the same data with byte spans and lines.

use super::input::InputText;
use super::{Failure, out};
use pto::isa::{Change, Diagnostic, Edit, Label, Target};
use pto::syntax::Lines;
use serde::Serialize;

/// The version of all reports. It grows when a field goes or changes its meaning, not when one is added.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Versioned<'a, T> {
    version: u32,
    #[serde(flatten)]
    report: &'a T,
}

/// Writes a report, which must be an object, to standard output.
pub(crate) fn print(report: &impl Serialize) -> Result<(), Failure> {
    out(&text(report))
}

/// A report, which must be an object, with the version before its fields.
pub(crate) fn text(report: &impl Serialize) -> String {
    // Serialising fails only for maps whose keys are no texts; reports have none.
    serde_json::to_string_pretty(&Versioned { version: VERSION, report }).unwrap_or_default() + "\n"
}

/// The text of an object that is not empty, with the version before its fields.
pub(crate) fn with_version(object: &str) -> String {
    object.replacen('{', &format!("{{\"version\":{VERSION},"), 1)
}

#[derive(Serialize)]
pub(crate) struct JsonDiagnostic<'a> {
    file: &'a str,
    id: String,
    severity: &'static str,
    title: &'static str,
    message: &'a str,
    span: JsonSpan<'a>,
    labels: Vec<JsonSpan<'a>>,
    legal: &'a [String],
    help: Option<String>,
    /// Changes of the text that fix it, in source order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    edits: Vec<JsonEdit<'a>>,
    page: Option<&'a str>,
}

/// What stopped a command before it was done.
#[derive(Serialize)]
pub(crate) struct JsonProblems<'a> {
    file: &'a str,
    target: &'static str,
    diagnostics: Vec<JsonDiagnostic<'a>>,
}

pub(crate) fn problems<'a>(source: &'a InputText, target: Target, problems: &'a [Diagnostic]) -> JsonProblems<'a> {
    let lines = Lines::new(&source.text);
    let diagnostics = problems.iter().map(|d| diagnostic(source, &lines, d)).collect();
    JsonProblems { file: &source.name, target: target.name(), diagnostics }
}

/// A statement inserted as a new line before or after a line, parameters inserted before a column, or lines removed.
#[derive(Serialize)]
struct JsonEdit<'a> {
    line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_line: Option<u32>,
    change: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    text: &'a str,
}

#[derive(Serialize)]
struct JsonSpan<'a> {
    start: u32,
    end: u32,
    line: u32,
    column: u32,
    /// Where the statement was made, as its `loc(…)` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<JsonOrigin>,
    #[serde(skip_serializing_if = "str::is_empty")]
    text: &'a str,
}

#[derive(Serialize)]
struct JsonOrigin {
    file: String,
    line: u32,
    column: u32,
}

pub(crate) fn diagnostic<'a>(source: &'a InputText, lines: &Lines, d: &'a Diagnostic) -> JsonDiagnostic<'a> {
    let span = |l: &'a Label| {
        let (line, column) = lines.locate(l.span.start);
        let from = source.origin(l.span);
        let from = from.map(|place| JsonOrigin { file: place.file, line: place.line, column: place.column });
        JsonSpan { start: l.span.start, end: l.span.end, line, column, from, text: &l.text }
    };
    JsonDiagnostic {
        file: &source.name,
        id: d.code.id(),
        severity: d.severity.name(),
        title: d.code.entry().title,
        message: &d.message,
        span: span(&d.primary),
        labels: d.labels.iter().map(span).collect(),
        legal: &d.legal,
        help: d.help_text(|at| lines.locate(at).0),
        edits: d.edits.iter().map(|e| edit(lines, e)).collect(),
        page: d.page,
    }
}

fn edit<'a>(lines: &Lines, e: &'a Edit) -> JsonEdit<'a> {
    let ((line, column), (last, _)) = (lines.locate(e.position()), lines.locate(e.end()));
    JsonEdit {
        line,
        column: (e.change == Change::Parameter).then_some(column),
        last_line: (last > line).then_some(last),
        change: e.change.name(),
        text: &e.text,
    }
}
