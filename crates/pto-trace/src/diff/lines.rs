//! The errors of each instruction.

use super::align::ResultPair;
use super::compare::Compared;
use super::report::LineError;
use crate::recording::Recording;
use pto_ir::{OpId, ValueId};
use pto_isa::hash::FastMap;
use pto_isa::sort::SharedSort;

/// The errors of each instruction, and of all.
#[derive(Default)]
pub(super) struct LineErrors {
    lines: FastMap<(OpId, ValueId), (usize, LineError)>,
    pub results: u64,
    pub elements: u64,
    pub differing: u64,
}

impl LineErrors {
    /// Adds a pair of results.
    pub fn add(&mut self, a: &Recording, b: &Recording, pair: &ResultPair, compared: &Compared) {
        let other_line = b.moment(pair.b.at).line;
        self.add_one(a, (pair.a.at, pair.a.value), other_line, compared);
    }

    /// Adds a result that was compared with something.
    pub fn add_one(&mut self, a: &Recording, (at, value): (usize, ValueId), other_line: u32, compared: &Compared) {
        let moment = a.moment(at);
        let module = a.module();
        let (first, line) = self.lines.entry((moment.op, value)).or_insert_with(|| {
            let line = LineError {
                line: moment.line,
                other_line,
                name: module.op(moment.op).op.row().name,
                result: module.value_name(value).to_string(),
                executions: 0,
                elements: 0,
                max_abs: 0.0,
                max_rel: None,
                beyond: 0,
            };
            (at, line)
        });
        *first = (*first).min(at);
        line.executions += 1;
        line.elements += compared.errors.elements;
        line.max_abs = line.max_abs.max(compared.errors.max_abs);
        line.max_rel = larger(line.max_rel, compared.errors.max_rel);
        line.beyond += compared.errors.beyond;
        self.results += 1;
        self.elements += compared.errors.elements;
        self.differing += u64::from(compared.errors.beyond > 0);
    }

    /// In the order in which they were executed first.
    pub fn list(&self) -> Vec<LineError> {
        let mut list: Vec<&(usize, LineError)> = self.lines.values().collect();
        list.shared_sort_by_key(|(first, line)| (*first, line.line));
        list.into_iter().map(|(_, line)| line.clone()).collect()
    }
}

fn larger(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (a, b) => a.or(b),
    }
}
