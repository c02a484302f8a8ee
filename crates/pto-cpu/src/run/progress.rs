//! How far a core is.

use super::iterations::Iterations;
use super::observe::WatchMode;
use super::spin::{Deeds, Spin};
use crate::prepared::StepId;

/// Whether a core can continue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    Ready,
    /// It waits for others.
    Waits,
    /// It polls, and yields to the others.
    Polls,
    Done,
}

/// How far a core is, and what it has done so far.
pub(super) struct Progress {
    /// What a run that is watched does.
    pub mode: WatchMode,
    pub state: State,
    /// The next step.
    pub next: StepId,
    /// The step was tried before and had to wait.
    pub retries: bool,
    /// It has asked for something that did not come, and takes answers as they are.
    pub gave_up: bool,
    pub deeds: Deeds,
    /// Iterations of loops.
    pub iterations: Iterations,
    /// Whether it reads the same number again and again.
    pub spin: Spin,
}

impl Progress {
    /// For a core with this many instructions that read a number, and this many scalar registers.
    pub fn new(reads: usize, scalars: usize) -> Self {
        Self {
            mode: WatchMode::PLAIN,
            state: State::Ready,
            next: StepId(0),
            retries: false,
            gave_up: false,
            deeds: Deeds::default(),
            iterations: Iterations::default(),
            spin: Spin::new(reads, scalars),
        }
    }

    /// Another block begins; what was counted stays.
    pub fn reset(&mut self) {
        (self.state, self.next, self.retries, self.gave_up) = (State::Ready, StepId(0), false, false);
        self.spin.reset();
        self.iterations.reset();
    }

    /// The step it waits at: one that polls is done, and will be reached again.
    pub fn waiting_step(&self) -> StepId {
        StepId(self.next.0 - u32::from(self.state == State::Polls))
    }
}
