//! The error of every fallible call: all diagnostics, and the source they talk about.

use crate::{Diagnostic, Label, Span};
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

/// Why a call failed: every diagnostic, errors and warnings, in source order.
///
/// Printed, it shows each of them with its stable id, the lines of the source where they are known, what is legal, and how to
/// fix it. `Debug` prints the same, so that `unwrap`, `expect` and a `main` that returns an error are readable.
///
/// ```
/// use pto_isa::{Diagnostic, Error, Span, codes};
///
/// fn fails() -> Result<(), Box<dyn std::error::Error>> {
///     let problem = Diagnostic::new(codes::UNKNOWN_OP, Span::new(0, 4), "there is no operation `tmux`");
///     Err(Error::from(problem.help("write `tmax`")))?
/// }
/// let text = fails().unwrap_err().to_string();
/// assert_eq!(text, "error[PTO-E0004]: there is no operation `tmux`\n   = help: write `tmax`\n");
/// ```
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    diagnostics: Vec<Diagnostic>,
    source: Option<Arc<dyn Source>>,
}

impl Error {
    /// An error with these diagnostics.
    pub fn new(diagnostics: Vec<Diagnostic>) -> Self {
        Self(Box::new(Inner { diagnostics, source: None }))
    }

    /// Says which source the diagnostics talk about, unless that is known.
    #[must_use]
    pub fn with_source(mut self, source: Option<Arc<dyn Source>>) -> Self {
        self.0.source = self.0.source.or(source);
        self
    }

    /// What is wrong, in source order. Warnings may be among the errors.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.0.diagnostics
    }

    /// The diagnostics alone.
    #[must_use]
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.0.diagnostics
    }

    /// The first error: for one that stopped a run, all there is.
    pub fn first(&self) -> Option<&Diagnostic> {
        let list = self.diagnostics();
        list.iter().find(|d| d.is_error()).or(list.first())
    }

    /// One diagnostic as an error of its own, with the same source.
    #[must_use]
    pub fn only(&self, diagnostic: &Diagnostic) -> Self {
        Self::from(diagnostic.clone()).with_source(self.0.source.clone())
    }

    /// Where a span begins, where the source is known.
    pub fn location(&self, span: Span) -> Option<Location> {
        self.0.source.as_ref()?.location(span)
    }

    /// Where the statement at a span was made, where its text says so: the line of a Python file that wrote it, for example.
    pub fn origin(&self, span: Span) -> Option<Location> {
        self.0.source.as_ref()?.origin(span)
    }

    /// As printed, with the lines of the files that statements were made in. `line` gives a line of a file, from 1, where it can
    /// be read: nothing here reads files.
    ///
    /// ```
    /// use pto_isa::{Diagnostic, Error, Span, codes};
    /// let error = Error::from(Diagnostic::new(codes::UNKNOWN_OP, Span::new(0, 4), "there is no operation `tmux`"));
    /// assert_eq!(error.with_lines(|_, _| None), error.to_string());
    /// ```
    pub fn with_lines(&self, line: impl Fn(&str, u32) -> Option<String>) -> String {
        let mut text = String::new();
        for problem in self.diagnostics() {
            // Writing to a text cannot fail.
            let _ = self.write_one(&mut text, problem, &line);
        }
        text
    }

    fn write_one(&self, f: &mut impl fmt::Write, problem: &Diagnostic, line_of: &LineOf) -> fmt::Result {
        writeln!(f, "{}[{}]: {}", problem.severity.name(), problem.code.id(), problem.message)?;
        let mut origins: Vec<Location> = Vec::new();
        for (at, marked) in self.marked(problem).into_iter().enumerate() {
            self.write_place(f, if at == 0 { "  -->" } else { "  :::" }, &marked)?;
            if let Some(origin) = self.origin(marked.span).filter(|origin| !origins.contains(origin)) {
                write_origin(f, &origin, line_of)?;
                origins.push(origin);
            }
        }
        for legal in &problem.legal {
            writeln!(f, "   = {legal}")?;
        }
        let line = |at: u32| self.location(Span::new(at, at)).map_or(0, |place| place.line);
        if let Some(help) = problem.help_text(line) {
            writeln!(f, "   = help: {help}")?;
        }
        Ok(())
    }

    /// The spans of a problem, each once, with their remarks.
    fn marked(&self, problem: &Diagnostic) -> Vec<Marked> {
        let mut marked: Vec<Marked> = Vec::new();
        for Label { span, text } in std::iter::once(&problem.primary).chain(&problem.labels) {
            let Some(place) = self.location(*span) else { continue };
            let Some(known) = marked.iter_mut().find(|known| known.place == place) else {
                marked.push(Marked { span: *span, place, remarks: text.clone() });
                continue;
            };
            let comma = if known.remarks.is_empty() || text.is_empty() { "" } else { ", " };
            known.remarks += comma;
            known.remarks += text;
        }
        marked
    }

    fn write_place(&self, f: &mut impl fmt::Write, arrow: &str, marked: &Marked) -> fmt::Result {
        let Marked { span, place, remarks } = marked;
        let colon = if remarks.is_empty() { "" } else { ": " };
        writeln!(f, "{arrow} {}:{}:{}{colon}{remarks}", place.file, place.line, place.column)?;
        let Some(Excerpt { text, width }) = self.0.source.as_ref().and_then(|s| s.excerpt(*span)) else {
            return Ok(());
        };
        writeln!(f, "{:>5} | {}", place.line, text.trim_end())?;
        if width > 0 {
            // Tabs stay tabs, so that the mark stands under what it marks.
            let before = text.chars().take(place.column.saturating_sub(1) as usize);
            let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
            writeln!(f, "      | {indent}{}", "^".repeat(width as usize))?;
        }
        Ok(())
    }
}

/// Gives a line of a file, where it can be read.
type LineOf<'a> = dyn Fn(&str, u32) -> Option<String> + 'a;

/// `from kernel.py:12:3`, and that line.
fn write_origin(f: &mut impl fmt::Write, origin: &Location, line_of: &LineOf) -> fmt::Result {
    writeln!(f, " from {}:{}:{}", origin.file, origin.line, origin.column)?;
    match line_of(&origin.file, origin.line) {
        Some(text) => writeln!(f, "{:>5} | {}", origin.line, text.trim_end()),
        None => Ok(()),
    }
}

/// A place that a diagnostic talks about.
struct Marked {
    span: Span,
    place: Location,
    remarks: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.diagnostics().iter().try_for_each(|problem| self.write_one(f, problem, &|_, _| None))
    }
}

/// As printed: this is what `expect` shows.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl std::error::Error for Error {}

/// The source counts for nothing.
impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        self.diagnostics() == other.diagnostics()
    }
}

impl Eq for Error {}

impl From<Vec<Diagnostic>> for Error {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self::new(diagnostics)
    }
}

impl From<Diagnostic> for Error {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::new(vec![diagnostic])
    }
}

impl From<Box<Diagnostic>> for Error {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Self::from(*diagnostic)
    }
}

impl From<Error> for Vec<Diagnostic> {
    fn from(error: Error) -> Self {
        error.into_diagnostics()
    }
}

/// What spans of diagnostics are positions in: a text, or the calls of a Rust function.
pub trait Source: fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// Where a span begins; `None` where it leads to nothing.
    fn location(&self, span: Span) -> Option<Location>;

    /// The line that a span begins in, where it is at hand.
    fn excerpt(&self, span: Span) -> Option<Excerpt>;

    /// Where the statement at a span was made, where the source says so.
    fn origin(&self, span: Span) -> Option<Location> {
        let _ = span;
        None
    }

    /// The name and the text of the file that the program was recorded from, where it was and the text is at hand.
    fn recorded_text(&self) -> Option<(&str, &str)> {
        None
    }

    /// The position of a span in that text.
    fn recorded_span(&self, span: Span) -> Option<Span> {
        let _ = span;
        None
    }
}

/// A place in a source.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Location {
    /// The name of the file, or a placeholder.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
}

impl Location {
    /// A place in a file.
    pub fn new(file: impl Into<String>, line: u32, column: u32) -> Self {
        Self { file: file.into(), line, column }
    }
}

/// A line of a source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Excerpt {
    /// The line.
    pub text: String,
    /// How many characters of it are marked; 0 where that is not known.
    pub width: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes;

    #[derive(Debug)]
    struct Lines(&'static [&'static str]);
    impl Source for Lines {
        fn location(&self, span: Span) -> Option<Location> {
            self.0.get(span.start as usize).map(|_| Location::new("a.pto", span.start + 1, 3))
        }

        fn excerpt(&self, span: Span) -> Option<Excerpt> {
            let text = self.0.get(span.start as usize)?;
            Some(Excerpt { text: (*text).to_string(), width: span.end })
        }

        fn origin(&self, span: Span) -> Option<Location> {
            (span.start < 5).then(|| Location::new("k.py", 7, 4)).filter(|_| self.0.len() > 2)
        }
    }

    #[test]
    fn the_line_that_made_a_statement_is_shown_once() {
        let problem =
            Diagnostic::new(codes::UNKNOWN_OP, Span::new(0, 4), "no such operation").label(Span::new(1, 2), "");
        let error = Error::new(vec![problem]).with_source(Some(Arc::new(Lines(&["  tmux", "if", ""]))));
        let text = error.with_lines(|file, line| (file == "k.py" && line == 7).then(|| "    tmux(a)\n".to_string()));
        assert!(text.contains(" from k.py:7:4\n    7 |     tmux(a)\n  ::: a.pto:2:3\n"), "{text}");
        assert_eq!(text.matches("from").count(), 1, "{text}");
        assert!(error.to_string().contains(" from k.py:7:4\n  :::"), "no line without a file");
    }

    #[test]
    fn every_diagnostic_is_printed_with_its_lines() {
        let first = Diagnostic::new(codes::UNKNOWN_OP, Span::new(0, 4), "no such operation")
            .remark("here")
            .label(Span::new(1, 2), "and here")
            .legal("tmax");
        let second = Diagnostic::new(codes::UNKNOWN_OP, Span::new(9, 9), "elsewhere").warning();
        let error = Error::new(vec![first, second]).with_source(Some(Arc::new(Lines(&["  tmux", "\t\tif"]))));
        let text = "error[PTO-E0004]: no such operation
  --> a.pto:1:3: here
    1 |   tmux
      |   ^^^^
  ::: a.pto:2:3: and here
    2 | \t\tif
      | \t\t^^
   = tmax
warning[PTO-E0004]: elsewhere
";
        assert_eq!(error.to_string(), text);
        assert_eq!(format!("{error:?}"), format!("\n{text}"));
    }
}
