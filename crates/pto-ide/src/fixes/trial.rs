//! Changes are tried before they are offered: what a rule says helps is not always what the rest of the program allows.

use crate::Document;
use crate::edits::{Replacement, line_edits};
use pto::Diagnostic;
use pto::isa::codes;

/// Bytes that are read and checked for the fixes at one place: what takes some 40 ms.
const MOST_BYTES: usize = 450_000;
/// Changes that are tried at most.
const MOST_TRIALS: usize = 60;
/// Fixes that are offered at most.
const MOST_OFFERED: usize = 3;

/// The share of a problem in the trials for all problems at its place.
#[derive(Clone, Copy)]
pub(crate) struct TrialShare {
    /// Problems that come before it.
    pub(crate) before: usize,
    /// All of them.
    pub(crate) among: usize,
}

impl TrialShare {
    /// How many changes are tried, if each reads and checks so many bytes. The first problem has at least one trial.
    pub(crate) fn trials(self, bytes: usize) -> usize {
        let least = usize::from(self.before == 0);
        (MOST_BYTES / bytes.max(1) / self.among.max(1)).clamp(least, MOST_TRIALS)
    }
}

/// A change that may fix a problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct OfferedFix {
    pub(crate) title: String,
    pub(crate) edits: Vec<Replacement>,
}

impl OfferedFix {
    pub(crate) fn new(title: impl Into<String>, edits: Vec<Replacement>) -> Self {
        Self { title: title.into(), edits }
    }
}

/// How bad a text is.
#[derive(Clone, Copy)]
struct TextProblems {
    errors: usize,
    all: usize,
    /// Those that say what the problem says.
    same: usize,
}

impl TextProblems {
    fn new(counted: &[Diagnostic], problem: &Diagnostic) -> Self {
        let errors = counted.iter().filter(|d| d.is_error()).count();
        let same = counted.iter().filter(|d| d.code == problem.code && d.message == problem.message).count();
        Self { errors, all: counted.len(), same }
    }
}

impl Document {
    /// The candidates that leave fewer errors; for a warning, fewer warnings and no more errors. The last resort is tried if all
    /// candidates were, and none helps.
    pub(crate) fn tried(
        &self,
        problem: &Diagnostic,
        trials: usize,
        mut candidates: impl Iterator<Item = OfferedFix>,
        last_resort: impl FnOnce() -> Option<OfferedFix>,
    ) -> Vec<OfferedFix> {
        let offered = self.helpful(problem, candidates.by_ref().take(trials.saturating_sub(1).max(trials.min(1))));
        match offered.is_empty() && trials > 1 && candidates.next().is_none() {
            true => self.helpful(problem, last_resort().into_iter()),
            false => offered,
        }
    }

    fn helpful(&self, problem: &Diagnostic, candidates: impl Iterator<Item = OfferedFix>) -> Vec<OfferedFix> {
        let is_of_reading = self.program().problems().contains(problem);
        let before = TextProblems::new(self.counted(is_of_reading), problem);
        // What fixes another problem only is no fix of this one.
        let helps = |after: TextProblems| match problem.is_error() {
            true => after.errors < before.errors && after.same < before.same,
            false => after.errors <= before.errors && after.all < before.all && after.same < before.same,
        };
        let mut offered: Vec<OfferedFix> = Vec::new();
        for candidate in candidates {
            let after = self.edited(&candidate.edits);
            let restated =
                if self.has_other_types(is_of_reading) { None } else { after.with_types_restated(is_of_reading) };
            let after = restated.as_ref().unwrap_or(&after);
            if helps(TextProblems::new(after.counted(is_of_reading), problem))
                && offered.iter().all(|o| o.title != candidate.title)
            {
                let edits = match &restated {
                    Some(restated) => line_edits(self.text(), restated.text()),
                    None => candidate.edits,
                };
                offered.push(OfferedFix { edits, ..candidate });
            }
            if offered.len() == MOST_OFFERED {
                break;
            }
        }
        offered
    }

    /// The problems that a trial looks at. One of reading hides those of the statement, so only problems of reading count for it, and
    /// nothing has to be checked.
    fn counted(&self, is_of_reading: bool) -> &[Diagnostic] {
        if is_of_reading { self.program().problems() } else { self.diagnostics() }
    }

    fn has_other_types(&self, is_of_reading: bool) -> bool {
        self.counted(is_of_reading).iter().any(|d| d.code == codes::TYPE_DISAGREES)
    }

    /// The text with the types of definitions at all uses; `None` if they are there already.
    pub(super) fn with_types_restated(&self, is_of_reading: bool) -> Option<Self> {
        /// A type that is written again may be that of another definition.
        const ROUNDS: usize = 6;
        let mut last: Option<Self> = None;
        for _ in 0..ROUNDS {
            let document = last.as_ref().unwrap_or(self);
            let stated = document.counted(is_of_reading).iter().filter_map(|d| document.stated_type(d));
            let edits: Vec<Replacement> = stated.map(|(span, ty)| Replacement::new(span, ty)).collect();
            if edits.is_empty() {
                break;
            }
            last = Some(document.edited(&edits));
        }
        last
    }
}
