//! Texts with colours and attributes.

use crossterm::style::ContentStyle;
use unicode_width::UnicodeWidthStr;

/// A text in one style.
#[derive(Clone, Debug)]
pub(crate) struct StyledText {
    pub(super) text: String,
    pub(super) style: ContentStyle,
}

impl StyledText {
    pub(crate) fn new(text: impl Into<String>, style: ContentStyle) -> Self {
        Self { text: text.into(), style }
    }

    /// A text in the style of what it is part of.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self::new(text, ContentStyle::new())
    }

    /// The cells that it takes.
    pub(crate) fn width(&self) -> usize {
        self.text.width()
    }
}

/// A line of such texts, and a style for all that they leave open.
#[derive(Clone, Debug, Default)]
pub(crate) struct StyledLine {
    pub(super) texts: Vec<StyledText>,
    pub(super) style: ContentStyle,
}

impl StyledLine {
    pub(crate) fn new(text: impl Into<String>, style: ContentStyle) -> Self {
        Self { texts: vec![StyledText::plain(text)], style }
    }

    /// The line with a style in which another is replaced where this one says something.
    pub(crate) fn with_style(self, style: ContentStyle) -> Self {
        Self { style: patched(self.style, style), ..self }
    }

    pub(crate) fn width(&self) -> usize {
        self.texts.iter().map(StyledText::width).sum()
    }
}

impl From<Vec<StyledText>> for StyledLine {
    fn from(texts: Vec<StyledText>) -> Self {
        Self { texts, style: ContentStyle::new() }
    }
}

impl From<String> for StyledLine {
    fn from(text: String) -> Self {
        Self::new(text, ContentStyle::new())
    }
}

impl From<&str> for StyledLine {
    fn from(text: &str) -> Self {
        Self::new(text, ContentStyle::new())
    }
}

/// A style over another one: its colours replace those below, its attributes are added.
pub(super) fn patched(below: ContentStyle, above: ContentStyle) -> ContentStyle {
    ContentStyle {
        foreground_color: above.foreground_color.or(below.foreground_color),
        background_color: above.background_color.or(below.background_color),
        underline_color: above.underline_color.or(below.underline_color),
        attributes: below.attributes | above.attributes,
    }
}
