//! Fixes that were tried: for a finding without edits, a few changes of the text are made one after the other, and the first one is
//! stated after which this finding is gone and nothing else is found.
//!
//! What is tried are the usual slips: a wait before the notification of its own core, a branch or a loop around only one side of a flag,
//! a bound or a comparison that is off by one, a word too few, two counters in a cache line, a tile that is written under a smaller type.

mod draft;
mod flags;
#[cfg(test)]
mod tests;
mod tiles;
mod waits;
mod words;

use crate::RaceReport;
use draft::Draft;
use pto_ir::Module;
use pto_isa::codes::{self, Code};
use pto_isa::ordered::OrdSet;
use pto_isa::{Diagnostic, Edit, Span, apply_edits};
use std::collections::HashMap;

/// Changes that may fix a finding, and what they do.
#[derive(Clone, Debug)]
struct FixCandidate {
    help: &'static str,
    edits: Vec<Edit>,
}

/// Runs for one report, and for one finding of it.
const TRIALS: usize = 96;
const TRIALS_OF_A_FINDING: usize = 32;
/// Instructions that all trials may take together, however short the program is.
const LEAST_WORK: u64 = 50_000;

/// What was found: the id, and the lines it is about.
type FoundLines<'a> = (Code, &'a str, &'a str);

fn line_at(source: &str, span: Span) -> &str {
    let at = (span.start as usize).min(source.len());
    let start = source.as_bytes()[..at].iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
    source.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default().trim()
}

fn lines<'a>(source: &'a str, d: &Diagnostic) -> FoundLines<'a> {
    let other = d.labels.first().map_or("", |l| line_at(source, l.span));
    (d.code, line_at(source, d.primary.span), other)
}

/// Findings whose reason is the order of statements, or what they wait for.
fn may_be_tried(code: Code) -> bool {
    code == codes::RUN_DEADLOCK || code.id().starts_with("PTO-E08")
}

/// Looks for fixes of the findings that have none. `again` checks a changed text, within so many instructions; `None` if it is
/// no legal program, or not within that limit.
pub(crate) fn fixes(
    report: &mut RaceReport,
    module: &Module,
    source: &str,
    again: &mut dyn FnMut(&str, u64) -> Option<RaceReport>,
) {
    let open = |d: &Diagnostic| d.edits.is_empty() && d.is_error() && may_be_tried(d.code);
    if report.stopped.is_some() || !report.findings.iter().any(open) {
        return;
    }
    let known: OrdSet<FoundLines<'_>> = report.findings.iter().map(|d| lines(source, d)).collect();
    let mut trials =
        Trials { left: TRIALS, work: LEAST_WORK.max(2 * report.instructions), seen: HashMap::new(), again };
    let limit = 10_000 + 4 * report.instructions;
    let mut stated: Vec<FixCandidate> = Vec::new();
    for finding in report.findings.iter_mut().filter(|d| open(d)) {
        if trials.are_spent() {
            break;
        }
        let own = lines(source, finding);
        let others = Draft::new(module, source, finding).candidates();
        let all = stated.clone().into_iter().chain(others).take(TRIALS_OF_A_FINDING);
        let fixes = |candidate: &FixCandidate| {
            let after = trials.run(apply_edits(source, &candidate.edits), limit);
            let left = after.map(|all| all.iter().all(|(c, a, b)| known.contains(&(*c, a, b)) && own != (*c, a, b)));
            left.unwrap_or(false)
        };
        if let Some(fix) = all.into_iter().find(fixes) {
            *finding = finding.clone().help(pto_isa::text::translate(fix.help)).edits(fix.edits.clone());
            stated.push(fix);
        }
    }
}

/// What is found in a changed text.
type After = Option<Vec<(Code, String, String)>>;

/// The texts that were checked, and how many more may be.
struct Trials<'a> {
    left: usize,
    work: u64,
    seen: HashMap<String, After>,
    again: &'a mut dyn FnMut(&str, u64) -> Option<RaceReport>,
}

impl Trials<'_> {
    fn are_spent(&self) -> bool {
        self.left == 0 || self.work == 0
    }

    fn run(&mut self, text: String, limit: u64) -> After {
        if let Some(after) = self.seen.get(&text) {
            return after.clone();
        }
        if self.are_spent() {
            return None;
        }
        self.left -= 1;
        let report = (self.again)(&text, limit.min(self.work)).filter(|r| r.stopped.is_none());
        self.work = self.work.saturating_sub(report.as_ref().map_or(0, |r| r.instructions));
        let found = report.map(|r| {
            let owned = r.findings.iter().map(|d| lines(&text, d));
            owned.map(|(code, a, b)| (code, a.to_string(), b.to_string())).collect()
        });
        self.seen.insert(text, found.clone());
        found
    }
}
