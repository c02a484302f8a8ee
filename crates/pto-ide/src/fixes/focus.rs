//! The part of a long text that changes are tried in: the function of a problem, and those that call it or that it calls.
//!
//! The other functions are blanked out. Positions stay, so that a change means the same in both texts.

use crate::Document;
use pto::Diagnostic;
use pto::isa::Span;

/// Shorter texts are checked as a whole.
const SHORT: usize = 2_000;
/// Blanks that take as long to read as a byte of code.
const BLANKS: usize = 16;

/// A text in which changes are tried.
pub(super) struct TrialText {
    /// The text with the other functions blanked out; nothing if all of it matters.
    reduced: Option<Document>,
    /// Bytes that a trial reads and checks.
    bytes: usize,
}

impl TrialText {
    pub(super) fn new(document: &Document, problem: &Diagnostic) -> Self {
        let whole = document.text().len();
        let reduced = if whole < SHORT { None } else { document.reduced(problem) };
        match reduced {
            Some((reduced, kept)) => Self { reduced: Some(reduced), bytes: kept + whole / BLANKS },
            None => Self { reduced: None, bytes: whole },
        }
    }

    pub(super) fn document<'d>(&'d self, whole: &'d Document) -> &'d Document {
        self.reduced.as_ref().unwrap_or(whole)
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Document {
    /// The text without functions that have nothing to do with a problem, and how much of it is left. Nothing if the problem is
    /// not in a function, or depends on the others.
    fn reduced(&self, problem: &Diagnostic) -> Option<(Self, usize)> {
        let (own, _) = self.index().function_at(problem.primary.span.start)?;
        let module = self.module();
        let labelled = |span: Span| problem.labels.iter().any(|l| span.start <= l.span.start && l.span.end <= span.end);
        let name = |id| format!("@{}", module.symbol_name(id));
        let own_name = self.index().function_at(own.start).map(|(_, id)| name(id))?;
        let is_kept = |(span, id): &(Span, pto::ir::OpId)| {
            *span == own
                || labelled(*span)
                || self.slice(own).contains(&name(*id))
                || self.slice(*span).contains(&own_name)
        };
        let mut text = String::with_capacity(self.text().len());
        let mut kept = self.text().len();
        let mut done = 0;
        for (span, _) in self.index().functions().iter().filter(|function| !is_kept(function)) {
            let (start, end) = (span.start as usize, span.end as usize);
            if start < done {
                continue;
            }
            text += self.text().get(done..start)?;
            text.extend(self.text().get(start..end)?.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }));
            kept -= end - start;
            done = end;
        }
        if done == 0 {
            return None;
        }
        text += self.text().get(done..)?;
        let reduced = Self::new(&text, Some(self.target()));
        let same = |d: &Diagnostic| d.code == problem.code && d.primary.span == problem.primary.span;
        let is_there = reduced.diagnostics().iter().any(same);
        is_there.then_some((reduced, kept))
    }
}
