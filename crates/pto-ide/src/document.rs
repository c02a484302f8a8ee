//! A text, what was read from it, and what was computed about it so far.

use crate::edits::{Replacement, applied};
use crate::index::SourceIndex;
use crate::placement::Placement;
use crate::positions::TextPositions;
use pto::isa::Span;
use pto::{Diagnostic, Module, Program, Target};
use std::sync::{Arc, OnceLock};

/// A program text that is open in an editor.
///
/// A document does not change: an edit gives a new one. What a question needs is computed when it is first asked.
///
/// ```
/// use pto::Target;
/// use pto::isa::Span;
/// use pto_ide::{Document, Replacement};
///
/// let document = Document::new("func.func @f() {\n  retrun\n}\n", Some(Target::A5));
/// assert!(!document.diagnostics().is_empty());
/// let fixed = document.edited(&[Replacement::new(Span::new(19, 25), "return")]);
/// assert!(fixed.diagnostics().is_empty());
/// ```
#[derive(Debug)]
pub struct Document {
    text: Arc<str>,
    wanted: Option<Target>,
    target: Target,
    program: Program,
    diagnostics: OnceLock<Vec<Diagnostic>>,
    positions: OnceLock<TextPositions>,
    index: OnceLock<SourceIndex>,
    placement: OnceLock<Option<Placement>>,
}

impl Document {
    /// Reads a text. Without a target, the text decides (`pto.target_arch`), else it is a2a3.
    pub fn new(text: &str, target: Option<Target>) -> Self {
        Self::of_program(text.into(), Program::parse(text), target)
    }

    fn of_program(text: Arc<str>, program: Program, wanted: Option<Target>) -> Self {
        let target = wanted.or_else(|| program.stated_target()).unwrap_or(Target::A2A3);
        Self {
            text,
            wanted,
            target,
            program,
            diagnostics: OnceLock::new(),
            positions: OnceLock::new(),
            index: OnceLock::new(),
            placement: OnceLock::new(),
        }
    }

    /// The document after changes of its text.
    #[must_use]
    pub fn edited(&self, edits: &[Replacement]) -> Self {
        Self::new(&applied(&self.text, edits), self.wanted)
    }

    /// The same text for another target, or for the one that it states.
    ///
    /// ```
    /// use pto::Target;
    /// let document = pto_ide::Document::new("func.func @f() { return }", None);
    /// assert_eq!(document.for_target(Some(Target::A5)).target(), Target::A5);
    /// ```
    #[must_use]
    pub fn for_target(&self, target: Option<Target>) -> Self {
        Self::of_program(self.text.clone(), self.program.clone(), target)
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text in a span; empty outside of the text.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The target that the text is checked for.
    pub fn target(&self) -> Target {
        self.target
    }

    /// What was read.
    pub fn program(&self) -> &Program {
        &self.program
    }

    pub(crate) fn module(&self) -> &Module {
        self.program.module()
    }

    /// Every problem of the text and of the program for its target, in source order.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        self.diagnostics.get_or_init(|| self.program.inspect(self.target))
    }

    /// The lines of the text.
    pub fn positions(&self) -> &TextPositions {
        self.positions.get_or_init(|| TextPositions::new(&self.text))
    }

    pub(crate) fn index(&self) -> &SourceIndex {
        self.index.get_or_init(|| SourceIndex::new(self.module(), &self.text))
    }

    /// The addresses of tiles, if the program is legal and its tiles fit. Those of a large program are known only after
    /// [`Document::plan_ahead`].
    pub(crate) fn placement(&self) -> Option<&Placement> {
        if self.is_planned_at_once() {
            self.plan_ahead();
        }
        self.placement.get()?.as_ref()
    }

    /// True if the program is so small that its tiles are placed when a question needs their addresses. Placing those of a large
    /// one takes longer than a user should wait; see [`Document::plan_ahead`].
    ///
    /// ```
    /// assert!(pto_ide::Document::new("func.func @f() { return }", None).is_planned_at_once());
    /// ```
    pub fn is_planned_at_once(&self) -> bool {
        const MOST_OPERATIONS: usize = 500;
        self.module().op_count() <= MOST_OPERATIONS
    }

    /// Places the tiles, for questions that are asked later. The document may be shared with a thread that does this.
    ///
    /// ```
    /// use pto_ide::{Document, HintKind};
    /// let line = "  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>\n  pto.tadd ins(%t, %t) outs(%t)\n";
    /// let body: String = (0..300).map(|n| line.replace("%t", &format!("%t{n}"))).collect();
    /// let document = Document::new(&format!("func.func @f() {{\n{body}  return\n}}\n"), None);
    /// let addresses = || document.hints(None).iter().filter(|h| h.kind == HintKind::Address).count();
    /// assert_eq!(addresses(), 0);
    /// document.plan_ahead();
    /// assert_eq!(addresses(), 300);
    /// ```
    pub fn plan_ahead(&self) {
        let legal = || !self.diagnostics().iter().any(Diagnostic::is_error);
        self.placement.get_or_init(|| legal().then(|| Placement::new(self)).flatten());
    }

    /// The line of a byte, from 1, as messages show it.
    pub(crate) fn line(&self, byte: u32) -> u32 {
        self.positions().line(byte) + 1
    }
}
