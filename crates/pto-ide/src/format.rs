//! Formatting, as the lines that change.

use crate::Document;
use crate::edits::{Replacement, line_edits};
use pto::isa::Span;
use pto::syntax::{FormatOptions, format};
use pto::{Error, Form};

impl Document {
    /// The changes that lay the text out as `pto fmt` does.
    ///
    /// ```
    /// let text = "func.func @f() {\n    return\n}\n";
    /// let edits = pto_ide::Document::new(text, None).format().expect("a readable program");
    /// assert_eq!(edits.len(), 1, "one line changes");
    /// assert_eq!(pto_ide::applied(text, &edits), "func.func @f() {\n  return\n}\n");
    /// ```
    ///
    /// # Errors
    /// The problems of a text that cannot be read; nothing is formatted then.
    pub fn format(&self) -> Result<Vec<Replacement>, Error> {
        self.formatted(FormatOptions::default())
    }

    /// The changes of [`Document::format`] in the lines of a span.
    ///
    /// # Errors
    /// As [`Document::format`].
    pub fn format_range(&self, span: Span) -> Result<Vec<Replacement>, Error> {
        let touches = |edit: &Replacement| edit.span.start <= span.end && edit.span.end >= span.start;
        Ok(self.format()?.into_iter().filter(touches).collect())
    }

    /// The changes that write all tile instructions in a form.
    ///
    /// # Errors
    /// As [`Document::format`], and what has no such form.
    pub fn converted(&self, form: Form) -> Result<Vec<Replacement>, Error> {
        self.formatted(FormatOptions { form: Some(form), types: None })
    }

    fn formatted(&self, options: FormatOptions) -> Result<Vec<Replacement>, Error> {
        let mut new = format(self.text(), options)?;
        // A file keeps its line breaks.
        if self.text().contains("\r\n") {
            new = new.replace('\n', "\r\n");
        }
        Ok(line_edits(self.text(), &new))
    }
}
