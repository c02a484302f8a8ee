//! What a candidate is, and whether it is one: legal, and still interesting.

use crate::InputNumber;
use pto_check::Checked;
use pto_ir::Module;
use pto_isa::hash::FastMap;
use pto_isa::{Code, Diagnostic, Target};

/// A changed program, for the predicate.
#[derive(Debug)]
#[non_exhaustive]
pub struct Candidate<'a> {
    /// Its text.
    pub text: &'a str,
    /// What was read from it.
    pub module: &'a Module,
    /// The program as the engines take it, if it has no error.
    pub checked: Option<&'a Checked>,
    /// All problems, errors and warnings.
    pub problems: &'a [Diagnostic],
    /// The text of the companion.
    pub companion: Option<&'a str>,
    /// The inputs.
    pub inputs: &'a [InputNumber],
}

impl Candidate<'_> {
    /// The value of an input.
    pub fn input(&self, name: &str) -> Option<i64> {
        self.inputs.iter().find(|i| i.name == name).map(|i| i.value)
    }

    /// True if it has a problem with this code.
    pub fn has(&self, code: Code) -> bool {
        self.problems.iter().any(|d| d.code == code)
    }
}

/// A predicate: the candidate still has the fault. It must give the same answer every time, and return for every program.
pub trait Interesting: Sync {
    /// True if it has the fault.
    fn holds(&self, candidate: &Candidate<'_>) -> bool;
}

impl<F: Fn(&Candidate<'_>) -> bool + Sync> Interesting for F {
    fn holds(&self, candidate: &Candidate<'_>) -> bool {
        self(candidate)
    }
}

/// How many errors and warnings of each code there are.
pub(crate) type ProblemCounts = FastMap<Code, usize>;

/// A text that was read and checked.
pub(crate) struct ReadText {
    module: Module,
    checked: Option<Checked>,
    problems: Vec<Diagnostic>,
    pub(crate) counts: ProblemCounts,
    /// Part of the text could not be read.
    pub(crate) unreadable: bool,
}

impl ReadText {
    pub(crate) fn module(&self) -> &Module {
        &self.module
    }
}

/// Decides about candidates.
pub(crate) struct Judge<'a> {
    interesting: &'a dyn Interesting,
    target: Target,
    /// What the original says itself about its target. A candidate says the same, or it would be read differently later.
    stated: Option<Target>,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(interesting: &'a dyn Interesting, target: Target, original: &str) -> Self {
        Self { interesting, target, stated: pto_check::stated_target(&pto_syntax::parse(original).0) }
    }

    pub(crate) fn read(&self, text: &str) -> ReadText {
        let (module, mut problems) = pto_syntax::parse(text);
        let unreadable = problems.iter().any(Diagnostic::is_error);
        let mut checked = None;
        if unreadable {
            problems.extend(pto_check::inspect(&module, self.target).1);
        } else {
            match pto_check::check(module.clone(), self.target) {
                Ok(legal) => {
                    problems.extend_from_slice(legal.warnings());
                    checked = Some(legal);
                }
                Err(error) => problems.extend(error.into_diagnostics()),
            }
        }
        let mut counts = ProblemCounts::default();
        problems.iter().for_each(|d| *counts.entry(d.code).or_default() += 1);
        ReadText { module, checked, problems, counts, unreadable }
    }

    /// True if a text has no problem that is not among the allowed ones, and no code more often. Warnings count: what only warns would be another
    /// fault.
    pub(crate) fn is_legal(&self, read: &ReadText, allowed: &ProblemCounts) -> bool {
        let known = read.counts.iter().all(|(code, count)| allowed.get(code).is_some_and(|most| count <= most));
        known && pto_check::stated_target(&read.module) == self.stated
    }

    /// True if a changed companion has no error that it did not have.
    pub(crate) fn is_legal_companion(&self, text: &str, allowed: &ProblemCounts) -> bool {
        let read = self.read(text);
        read.counts.iter().all(|(code, count)| allowed.get(code).is_some_and(|most| count <= most))
    }

    pub(crate) fn holds(
        &self,
        read: &ReadText,
        (text, companion): (&str, Option<&str>),
        inputs: &[InputNumber],
    ) -> bool {
        let ReadText { module, checked, problems, .. } = read;
        let checked = checked.as_ref();
        self.interesting.holds(&Candidate { text, module, checked, problems, companion, inputs })
    }
}
