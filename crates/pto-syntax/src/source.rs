//! The text that diagnostics refer to.

use crate::{Lines, StatedLocations};
use pto_isa::{Excerpt, Location, Source, Span};
use std::sync::OnceLock;

/// The text of a program and its name, as errors show them.
///
/// ```
/// use pto_isa::{Source, Span};
/// let text = pto_syntax::SourceText::new("a.pto", "ab\ncd");
/// let place = text.location(Span::new(4, 5)).expect("a place in the text");
/// assert_eq!((place.line, place.column), (2, 2));
/// assert_eq!(text.excerpt(Span::new(4, 5)).expect("its line").text, "cd");
/// ```
#[derive(Debug)]
pub struct SourceText {
    name: Box<str>,
    text: Box<str>,
    /// Computed when the first diagnostic is shown.
    lines: OnceLock<Lines>,
    origins: OnceLock<StatedLocations>,
}

impl SourceText {
    /// A text and the name of its file; without a name it is called `<text>`.
    pub fn new(name: &str, text: &str) -> Self {
        let name = if name.is_empty() { "<text>" } else { name };
        Self { name: name.into(), text: text.into(), lines: OnceLock::new(), origins: OnceLock::new() }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A position, moved to a character boundary.
    fn boundary(&self, position: u32) -> usize {
        let at = (position as usize).min(self.text.len());
        (0..=at).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0)
    }

    /// The number of the line at a position, and its start.
    fn line_of(&self, at: usize) -> (u32, usize) {
        let (line, column) = self.lines.get_or_init(|| Lines::new(&self.text)).locate(at as u32);
        (line, at + 1 - column as usize)
    }
}

impl Source for SourceText {
    fn location(&self, span: Span) -> Option<Location> {
        let at = self.boundary(span.start);
        let (line, start) = self.line_of(at);
        Some(Location::new(&*self.name, line, self.text[start..at].chars().count() as u32 + 1))
    }

    fn excerpt(&self, span: Span) -> Option<Excerpt> {
        let at = self.boundary(span.start);
        let (_, start) = self.line_of(at);
        let whole = self.text[start..].lines().next().unwrap_or_default();
        // Only the first line of a span is shown.
        let end = self.boundary(span.end).min(start + whole.len()).max(at);
        Some(Excerpt { text: whole.to_string(), width: self.text[at..end].chars().count() as u32 })
    }

    fn origin(&self, span: Span) -> Option<Location> {
        self.origins.get_or_init(|| StatedLocations::new(&self.text)).find(&self.text, span)
    }
}
