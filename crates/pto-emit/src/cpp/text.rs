//! Lines of C++ with indentation.

/// Text that grows line by line.
#[derive(Default)]
pub(super) struct CppText {
    lines: Vec<String>,
    depth: usize,
}

impl CppText {
    /// A line at the current depth; a remark follows it.
    pub(super) fn line(&mut self, text: &str, remark: Option<u32>) {
        let indent = if text.is_empty() || text.starts_with('#') { 0 } else { self.depth };
        let mut line = "  ".repeat(indent);
        line.push_str(text);
        if let Some(number) = remark {
            line.push_str(&format!("  // {number}"));
        }
        self.lines.push(line);
    }

    /// A line that opens a block.
    pub(super) fn open(&mut self, text: &str, remark: Option<u32>) {
        self.line(text, remark);
        self.depth += 1;
    }

    /// A line that closes a block.
    pub(super) fn close(&mut self, text: &str) {
        self.depth -= 1;
        self.line(text, None);
    }

    /// A line that closes a block and opens the next.
    pub(super) fn close_and_open(&mut self, text: &str) {
        self.close(text);
        self.depth += 1;
    }

    /// The index of the next line.
    pub(super) fn mark(&self) -> usize {
        self.lines.len()
    }

    /// Inserts lines at an index, at the current depth.
    pub(super) fn insert(&mut self, mark: usize, lines: &[String]) {
        let indent = "  ".repeat(self.depth);
        self.lines.splice(mark..mark, lines.iter().map(|l| format!("{indent}{l}")));
    }

    /// All lines.
    pub(super) fn finish(self) -> String {
        let mut all = self.lines.join("\n");
        all.push('\n');
        all
    }
}
