//! Questions that a program asks once, and goes on whatever the answer is.
//!
//! Which answer it gets depends on who was first. So a run is made in which the answer is yes wherever it comes to that, and
//! others in which it is no wherever that can be.

use pto_cpu::{Answer, CoreId};
use pto_ir::OpId;
use std::collections::{BTreeMap, BTreeSet};

/// How often a question is answered with no before a loop that asks again is told what is true.
pub(crate) const PATIENCE: u32 = 256;
/// The same for a loop that looks at a word so many times: it gives up by itself.
pub(crate) const TRIES: u32 = 4096;

/// A question: who asks, where, and how many answers it had there before.
pub(crate) type QuestionKey = (CoreId, OpId, u32);

#[derive(Clone, Default, Debug)]
pub(crate) struct Answers {
    /// Questions that are answered with no.
    pub denied: BTreeSet<OpId>,
    /// Of these, the ones that cannot be.
    pub certain: BTreeSet<QuestionKey>,
    /// Questions that were asked.
    pub asked: BTreeSet<OpId>,
    /// The last one that was answered with no.
    pub last: Option<QuestionKey>,
    counts: BTreeMap<(CoreId, OpId), AnswerCount>,
}

#[derive(Clone, Copy, Default, Debug)]
struct AnswerCount {
    answers: u32,
    in_a_row: u32,
}

impl Answers {
    /// No to some questions.
    pub fn no(denied: BTreeSet<OpId>) -> Self {
        Self { denied, ..Self::default() }
    }

    /// The same program again, from the start.
    pub fn again(&self) -> Self {
        Self { denied: self.denied.clone(), certain: self.certain.clone(), ..Self::default() }
    }

    /// Answers a question: who asks, and where. It is no at most so many times in a row.
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
