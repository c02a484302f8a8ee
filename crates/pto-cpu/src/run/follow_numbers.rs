//! Follows numbers that were loaded through the steps that compute with them.

use super::core::Core;
use super::formula::Formula;
use super::observe::Watched;
use crate::prepared::{Reg, ScalarElem, Step, StepId};
use std::sync::Arc;

impl Core<'_> {
    /// An observer may want to track a loaded number.
    pub fn follow_load<W: Watched + ?Sized>(&mut self, reg: Reg, elem: ScalarElem, at: StepId, watch: &mut W) {
        let id = watch.follows(self.id(), self.plan.code.origins[at], self.reg(reg));
        let formula = id.map(|id| Formula::loaded(id, elem));
        self.set_formula(reg, formula);
    }

    /// Follows numbers through a step that is about to be executed.
    pub fn follow_step(&mut self, step: Step) {
        match step {
            Step::Int { a, b, out, .. }
            | Step::Float { a, b, out, .. }
            | Step::CompareInt { a, b, out, .. }
            | Step::CompareFloat { a, b, out, .. } => self.follow_computed(step, &[a, b], out),
            Step::Cast { a, out, .. } => self.follow_computed(step, &[a], out),
            Step::Select { condition, a, b, out } => self.follow_computed(step, &[condition, a, b], out),
            Step::Move { from, to } => self.set_formula(to, self.outside.formulas.get(&from).cloned()),
            Step::LoopNext { counter, .. } => self.set_formula(counter, None),
            Step::LocalGet(which) => {
                let local = &self.plan.views.locals[which];
                let place = self.local(local).ok().and_then(|place| self.outside.formulas.get(&place).cloned());
                self.set_formula(local.value, place);
            }
            Step::LocalSet(which) => {
                let local = &self.plan.views.locals[which];
                if let Ok(place) = self.local(local) {
                    self.set_formula(place, self.outside.formulas.get(&local.value).cloned());
                }
            }
            _ => {}
        }
    }

    fn follow_computed(&mut self, step: Step, from: &[Reg], out: Reg) {
        let followed = from.iter().any(|reg| self.outside.formulas.contains_key(reg));
        let part = |reg: &Reg| {
            let formula = self.outside.formulas.get(reg).cloned();
            formula.unwrap_or_else(|| Formula::known(self.reg(*reg)))
        };
        let formula = followed.then(|| from.iter().map(part).collect()).and_then(|from| Formula::of_step(step, from));
        self.set_formula(out, formula);
    }

    fn set_formula(&mut self, reg: Reg, formula: Option<Arc<Formula>>) {
        match formula {
            Some(formula) => drop(self.outside.formulas.insert(reg, formula)),
            None => drop(self.outside.formulas.remove(&reg)),
        }
    }
}
