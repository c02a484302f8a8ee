//! Tests that a program makes once, continuing with either result.
//!
//! The result depends on timing. So one run answers yes whenever the condition holds, and further runs answer no wherever
//! that is possible.

use pto_cpu::{Answer, CoreId};
use pto_ir::OpId;
use pto_isa::ordered::{OrdMap, OrdSet};

/// How often in a row a test may be answered with no before a retry loop gets the true answer.
pub(crate) const PATIENCE: u32 = 256;
/// The same for a loop that polls a word a bounded number of times: it gives up by itself.
pub(crate) const TRIES: u32 = 4096;

/// A test: the core, the operation, and how many answers it has had there before.
pub(crate) type QuestionKey = (CoreId, OpId, u32);

#[derive(Clone, Default, Debug)]
pub(crate) struct Answers {
    /// Tests that are answered with no.
    pub denied: OrdSet<OpId>,
    /// Of these, the answers that cannot be no.
    pub certain: OrdSet<QuestionKey>,
    /// Tests that were made.
    pub asked: OrdSet<OpId>,
    /// The last test that was answered with no.
    pub last: Option<QuestionKey>,
    counts: OrdMap<(CoreId, OpId), AnswerCount>,
}

#[derive(Clone, Copy, Default, Debug)]
struct AnswerCount {
    answers: u32,
    in_a_row: u32,
}

impl Answers {
    /// Answers no to these tests.
    pub fn no(denied: OrdSet<OpId>) -> Self {
        Self { denied, ..Self::default() }
    }

    /// The same answers for another run of the program.
    pub fn again(&self) -> Self {
        Self { denied: self.denied.clone(), certain: self.certain.clone(), ..Self::default() }
    }

    /// Answers a test of a core. The answer is no at most `patience` times in a row.
    pub fn answer(&mut self, (core, op): (CoreId, OpId), holds: bool, patience: u32) -> Answer {
        self.asked.insert(op);
        let count = self.counts.entry((core, op)).or_default();
        let key = (core, op, count.answers);
        let is_denied = self.denied.contains(&op) && !self.certain.contains(&key);
        if is_denied && count.in_a_row < patience {
            count.answers += 1;
            count.in_a_row += 1;
            self.last = Some(key);
            return Answer::No;
        }
        self.last = None;
        if holds {
            count.answers += 1;
            count.in_a_row = 0;
        }
        Answer::WhenItIs
    }
}
