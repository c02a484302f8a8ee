//! Loops whose iterations threads may share.
//!
//! A thread executes all steps of such a program, but instructions in those iterations only that are its own. So what steps do besides
//! must be the same on every thread: registers may change, memory may not. Whether iterations depend on each other is found out when the
//! arguments are known (`run::sharing`).

use crate::prepared::{IterationCount, PipeOrder, Plan, SharedLoop, Step, StepId};

impl Plan {
    /// Finds the loops that threads may share.
    pub(super) fn mark_shared_loops(&mut self) {
        let alone = self.cores.partner.is_none() && !self.cores.joint && !self.cores.asks;
        if alone && self.code.steps.iter().all(|step| self.can_be_repeated(step)) {
            self.sharing.loops =
                self.code.steps.entries().filter_map(|(at, step)| self.shared_loop(at, step)).collect();
        }
    }

    /// True for steps that every thread may execute: they change registers alone, or are instructions, which are left out elsewhere.
    fn can_be_repeated(&self, step: &Step) -> bool {
        match *step {
            Step::Order(which) => {
                !matches!(self.calls.orders[which], PipeOrder::AwaitBackground(_) | PipeOrder::Session(_))
            }
            Step::Jump(_)
            | Step::Branch { .. }
            | Step::Switch(_)
            | Step::LoopTest { .. }
            | Step::LoopNext { .. }
            | Step::LoopBy(_)
            | Step::EnterLoop(_)
            | Step::NextIteration { .. }
            | Step::LocalGet(_)
            | Step::LocalSet(_)
            | Step::Kernel(_)
            | Step::Trap
            | Step::End => true,
            _ => step.is_of_registers(),
        }
    }

    fn shared_loop(&self, at: StepId, step: &Step) -> Option<SharedLoop> {
        let Step::LoopTest { .. } = step else { return None };
        let id = self.code.loops.innermost(at)?;
        let of = &self.code.loops.loops[id];
        match of.counting {
            IterationCount::By { counter, lower, step } if of.outer.is_none() => {
                Some(SharedLoop { id, test: at, counter, lower, step })
            }
            _ => None,
        }
    }
}
