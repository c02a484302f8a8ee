//! Diagnostics as data: rendered once, at the edge (terminal, JSON, editor).

use crate::codes::{self, Code};
use crate::sort::SharedSort;
use crate::text;

/// A range of bytes in the source.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range from `start` up to `end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The smallest range that covers both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A place in the source with a remark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is there; may be empty.
    pub text: String,
}

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The program is not legal.
    Error,
    /// The program is legal, but probably not what was meant, or not portable.
    Warning,
}

impl Severity {
    /// The word before a message.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// How a text is changed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Change {
    /// Inserts a line before the first line of a statement.
    Before,
    /// Inserts parameters before the first one of a function.
    Parameter,
    /// A statement is taken out.
    Remove,
    /// Inserts a line after the last line of a statement.
    After,
}

impl Change {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::Parameter => "parameter",
            Self::Remove => "remove",
            Self::After => "after",
        }
    }
}

/// A change of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// The statement it is about.
    pub span: Span,
    /// What happens there.
    pub change: Change,
    /// The statement that is put there; empty where one is taken out.
    pub text: String,
}

impl Edit {
    /// Inserts a statement before another.
    pub fn before(span: Span, text: impl Into<String>) -> Self {
        Self { span, change: Change::Before, text: text.into() }
    }

    /// Inserts a statement after another.
    pub fn after(span: Span, text: impl Into<String>) -> Self {
        Self { span, change: Change::After, text: text.into() }
    }

    /// Inserts parameters before the first one of a function; each ends with a comma.
    pub fn parameter(first: Span, text: impl Into<String>) -> Self {
        Self { span: first, change: Change::Parameter, text: text.into() }
    }

    /// A statement that is taken out.
    pub fn remove(span: Span) -> Self {
        Self { span, change: Change::Remove, text: String::new() }
    }

    /// A byte of the line it names: the last line of the statement for an insertion after it, else the first.
    pub fn position(&self) -> u32 {
        if self.change == Change::After {
            self.span.end.saturating_sub(1).max(self.span.start)
        } else {
            self.span.start
        }
    }

    /// A byte of the last line it takes out; of the line it names, where it takes none out.
    pub fn end(&self) -> u32 {
        if self.change == Change::Remove {
            self.span.end.saturating_sub(1).max(self.span.start)
        } else {
            self.position()
        }
    }

    fn words(&self, line: &impl Fn(u32) -> u32) -> String {
        let (number, last) = (line(self.position()), line(self.end()));
        match self.change {
            Change::Remove if last > number => text!("remove lines {number} to {last}", number, last),
            Change::Remove => text!("remove line {number}", number),
            Change::Parameter => {
                text!("in line {number}, in front of the first parameter: {text}", number, text = self.text)
            }
            Change::Before => text!("before line {number}: {text}", number, text = self.text),
            Change::After => text!("after line {number}: {text}", number, text = self.text),
        }
    }
}

/// The text with these changes, line by line.
///
/// ```
/// use pto_isa::{Edit, Span, apply_edits};
/// let edits = [Edit::before(Span::new(2, 3), "x"), Edit::remove(Span::new(2, 3))];
/// assert_eq!(apply_edits("a\nb\nc\n", &edits), "a\nx\nc\n");
/// ```
#[must_use]
pub fn apply_edits(source: &str, edits: &[Edit]) -> String {
    let mut text = String::with_capacity(source.len());
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        let end = start + line.len() as u32;
        let here =
            |change: Change| edits.iter().filter(move |e| e.change == change && (start..end).contains(&e.position()));
        let put = |text: &mut String, e: &Edit| *text += &format!("{}\n", e.text);
        here(Change::Before).for_each(|e| put(&mut text, e));
        let is_removed = |e: &Edit| e.change == Change::Remove && e.position() < end && e.end() >= start;
        if !edits.iter().any(is_removed) {
            let mut line = line.trim_end_matches('\n').to_string();
            here(Change::Parameter).for_each(|e| line.insert_str((e.position() - start) as usize, &e.text));
            text += &format!("{line}\n");
        }
        here(Change::After).for_each(|e| put(&mut text, e));
        start = end;
    }
    text
}

/// What is wrong, where, what would be right, and how to get there.
///
/// ```
/// use pto_isa::{codes, Diagnostic, Span};
/// let d = Diagnostic::new(codes::UNKNOWN_OP, Span::new(0, 4), "there is no operation `tmux`")
///     .legal("operations with a similar name: tmax")
///     .help("write `tmax`");
/// assert_eq!(d.code.id(), "PTO-E0004");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Stable identity.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence: what was found.
    pub message: String,
    /// The place it talks about, with a short remark that may be empty.
    pub primary: Label,
    /// Other places that matter.
    pub labels: Vec<Label>,
    /// What is legal here, and which other target would accept it; one line each.
    pub legal: Vec<String>,
    /// How to fix it, where that is known.
    pub help: Option<String>,
    /// Changes of the text that fix it, in source order.
    pub edits: Vec<Edit>,
    /// The instruction whose page has the rule; `pto doc` shows it.
    pub page: Option<&'static str>,
}

impl Diagnostic {
    /// A diagnostic about one place.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            primary: Label { span, text: String::new() },
            labels: Vec::new(),
            legal: Vec::new(),
            help: None,
            edits: Vec::new(),
            page: None,
        }
    }

    /// Makes it a warning: the program stays legal.
    #[must_use]
    pub fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    /// True for a warning about what a device does to the program that the program does not say.
    pub fn is_hazard(&self) -> bool {
        !self.is_error() && [codes::DEVICE_FAULT, codes::DESTROYED, codes::HIDDEN_MEMORY].contains(&self.code)
    }

    /// True when the program is not legal because of it.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Puts a remark on the primary place.
    #[must_use]
    pub fn remark(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Points at another place.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Says what is legal.
    #[must_use]
    pub fn legal(mut self, text: impl Into<String>) -> Self {
        self.legal.push(text.into());
        self
    }

    /// Says how to fix it.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Says which changes of the text fix it; they are put in source order.
    #[must_use]
    pub fn edits(mut self, mut edits: Vec<Edit>) -> Self {
        edits.shared_sort_by_key(|e| (e.position(), e.change));
        self.edits = edits;
        self
    }

    /// How to fix it, as one text, given the line of a byte.
    pub fn help_text(&self, line: impl Fn(u32) -> u32) -> Option<String> {
        let steps = self.steps(line).join("; ");
        match &self.help {
            Some(help) if steps.is_empty() => Some(help.clone()),
            Some(help) => Some(format!("{help}: {steps}")),
            None => (!steps.is_empty()).then_some(steps),
        }
    }

    /// How to fix it, as lines: the advice, then a line for each place that changes.
    pub fn help_lines(&self, line: impl Fn(u32) -> u32) -> Vec<String> {
        let steps = self.steps(line);
        let advice = self.help.as_ref().map(|help| if steps.is_empty() { help.clone() } else { format!("{help}:") });
        advice.into_iter().chain(steps).collect()
    }

    /// The edits in words, a text for each place, in the order of the text.
    fn steps(&self, line: impl Fn(u32) -> u32) -> Vec<String> {
        // Statements for the same position are listed after it.
        let place = |e: &Edit| (line(e.position()), e.change);
        let mut edits = self.edits.clone();
        edits.shared_sort_by_key(|e| (line(e.position()), e.change == Change::After));
        let groups = edits.chunk_by(|a, b| place(a) == place(b) && !a.text.is_empty());
        let steps = groups.map(|group| {
            let more = group[1..].iter().map(|e| e.text.clone());
            std::iter::once(group[0].words(&line)).chain(more).collect::<Vec<_>>().join("; ")
        });
        steps.collect()
    }

    /// Names the instruction whose page has the rule.
    #[must_use]
    pub fn page(mut self, instruction: &'static str) -> Self {
        self.page = Some(instruction);
        self
    }
}
