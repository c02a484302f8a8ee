//! From byte positions to lines and columns.

/// Where each line of a source begins.
///
/// ```
/// let lines = pto_syntax::Lines::new("ab\ncd");
/// assert_eq!(lines.locate(4), (2, 2));
/// ```
#[derive(Clone, Debug)]
pub struct Lines {
    starts: Vec<u32>,
}

impl Lines {
    /// Finds the lines of a text.
    pub fn new(source: &str) -> Self {
        let after_newline = source.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1);
        Self { starts: std::iter::once(0).chain(after_newline).collect() }
    }

    /// Line and column of a byte, both from 1; columns count bytes.
    pub fn locate(&self, position: u32) -> (u32, u32) {
        let line = self.starts.partition_point(|&s| s <= position).max(1);
        (line as u32, position - self.starts[line - 1] + 1)
    }
}
