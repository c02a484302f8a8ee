//! From bytes to the lines and columns of a protocol, and back.

/// What a column counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PositionEncoding {
    /// Bytes.
    Utf8,
    /// Units of UTF-16: the default of editors, and what JavaScript counts.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl PositionEncoding {
    /// What a part of a line counts.
    ///
    /// ```
    /// use pto_ide::PositionEncoding;
    /// assert_eq!(PositionEncoding::Utf16.length("𝄞b"), 3);
    /// ```
    pub fn length(self, part: &str) -> u32 {
        if self == Self::Utf8 || part.is_ascii() {
            return part.len() as u32;
        }
        part.chars().map(|c| self.units(c)).sum()
    }

    fn units(self, c: char) -> u32 {
        match self {
            Self::Utf8 => c.len_utf8() as u32,
            Self::Utf16 => c.len_utf16() as u32,
            Self::Utf32 => 1,
        }
    }
}

/// The lines of a text. Lines and columns count from 0; `\n`, `\r\n` and `\r` end a line.
///
/// ```
/// use pto_ide::{PositionEncoding::Utf16, TextPositions};
/// let text = "a\n𝄞b\n";
/// let positions = TextPositions::new(text);
/// assert_eq!(positions.locate(text, 6, Utf16), (1, 2));
/// assert_eq!(positions.byte(text, (1, 2), Utf16), 6);
/// assert_eq!(positions.byte(text, (1, 99), Utf16), 7, "the end of the line");
/// assert_eq!(positions.byte(text, (99, 0), Utf16), 8, "the end of the text");
/// ```
#[derive(Clone, Debug)]
pub struct TextPositions {
    starts: Vec<u32>,
}

impl TextPositions {
    /// Finds the lines of a text.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends = |(at, b): (usize, &u8)| {
            let ends = *b == b'\n' || *b == b'\r' && bytes.get(at + 1) != Some(&b'\n');
            ends.then_some(at as u32 + 1)
        };
        Self { starts: std::iter::once(0).chain(bytes.iter().enumerate().filter_map(ends)).collect() }
    }

    /// How many lines there are; a text that ends with a line break has an empty last one.
    pub fn count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The line of a byte.
    pub fn line(&self, byte: u32) -> u32 {
        self.starts.partition_point(|s| *s <= byte).saturating_sub(1) as u32
    }

    /// The first byte of a line; the end of the text for lines behind it.
    pub fn start(&self, text: &str, line: u32) -> u32 {
        self.starts.get(line as usize).copied().unwrap_or(text.len() as u32)
    }

    /// Line and column of a byte of the same text.
    pub fn locate(&self, text: &str, byte: u32, encoding: PositionEncoding) -> (u32, u32) {
        let line = self.line(byte);
        let start = self.start(text, line) as usize;
        let end = floor_boundary(text, byte as usize).max(start);
        (line, encoding.length(&text[start..end]))
    }

    /// The byte at a line and column of the same text; positions behind the end of a line are its end.
    pub fn byte(&self, text: &str, (line, column): (u32, u32), encoding: PositionEncoding) -> u32 {
        let start = self.start(text, line);
        let end = self.start(text, line.saturating_add(1));
        let whole = &text[start as usize..end as usize];
        let part = whole.trim_end_matches(['\n', '\r']);
        let mut left = column;
        for (at, c) in part.char_indices() {
            let units = encoding.units(c);
            if left < units {
                return start + at as u32;
            }
            left -= units;
        }
        start + part.len() as u32
    }
}

/// A position, moved back to a character boundary of the text.
pub(crate) fn floor_boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_boundary_goes_there_and_back() {
        let text = "a\r\né𝄞\rx\n\n中";
        let positions = TextPositions::new(text);
        assert_eq!(positions.count(), 5);
        for encoding in [PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32] {
            for (at, _) in text.char_indices().filter(|(_, c)| *c != '\n') {
                let place = positions.locate(text, at as u32, encoding);
                assert_eq!(positions.byte(text, place, encoding), at as u32, "{place:?}");
            }
        }
    }
}
