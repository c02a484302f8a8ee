//! What operations are called and where they stand.

use pto_ir::{Module, OpId};
use pto_isa::text;
use pto_syntax::Lines;

/// The text that operations come from.
pub struct OpNames<'a> {
    /// The name of the file.
    pub file: &'a str,
    text: &'a str,
    module: &'a Module,
    lines: Lines,
}

impl<'a> OpNames<'a> {
    /// Names for the operations of a module that was read from a text.
    pub fn new(file: &'a str, text: &'a str, module: &'a Module) -> Self {
        Self { file, text, module, lines: Lines::new(text) }
    }

    /// The whole text.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The mnemonic.
    pub fn mnemonic(&self, op: OpId) -> &'static str {
        self.module.op(op).op.row().name
    }

    /// The line, from 1.
    pub fn line(&self, op: OpId) -> u32 {
        self.lines.locate(self.module.op(op).span.start).0
    }

    /// ``the `tload` at kernel.pto:12``, with only the last part of the path.
    pub fn place(&self, op: OpId) -> String {
        let file = self.file.rsplit('/').next().unwrap_or(self.file);
        text!("`{mnemonic}` at {file}:{line}", mnemonic = self.mnemonic(op), file, line = self.line(op))
    }

    /// The first line of its text.
    pub fn source(&self, op: OpId) -> &'a str {
        let span = self.module.op(op).span;
        let text = self.text.get(span.start as usize..span.end as usize).unwrap_or("");
        text.lines().next().unwrap_or("").trim()
    }
}
