//! How a number of a program follows from numbers that it has loaded.

use super::core::Core;
use super::observe::Watch;
use super::scalar;
use crate::prepared::{Reg, ScalarElem, Step, StepId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Larger formulas are not followed: a number that is added up over many iterations of a loop.
const LARGEST: usize = 512;

/// How a number of a program follows from numbers that it has loaded: it can be computed again for other ones.
#[derive(Debug)]
pub struct Formula {
    node: Node,
    size: usize,
}

#[derive(Debug)]
enum Node {
    /// A number from memory, by the id that an observer gave it.
    Loaded(u32, ScalarElem),
    Known(u64),
    Step(Step, Vec<Arc<Formula>>),
}

impl Formula {
    /// How often it uses each number that was loaded.
    pub fn uses(&self) -> BTreeMap<u32, usize> {
        let (mut all, mut open) = (BTreeMap::new(), vec![self]);
        while let Some(formula) = open.pop() {
            match &formula.node {
                Node::Loaded(id, _) => *all.entry(*id).or_default() += 1,
                Node::Known(_) => {}
                Node::Step(_, parts) => open.extend(parts.iter().map(|p| &**p)),
            }
        }
        all
    }

    /// All that it can be when what was loaded is one of some numbers each, whatever the others are. Nothing where there are more
    /// than `most` combinations to look at in one place.
    pub fn results(&self, loaded: &BTreeMap<u32, BTreeSet<i64>>, most: usize) -> Option<BTreeSet<u64>> {
        let (step, parts) = match &self.node {
            Node::Loaded(id, elem) => {
                return loaded.get(id).map(|all| all.iter().map(|n| elem.in_register(*n as u64)).collect());
            }
            Node::Known(value) => return Some(BTreeSet::from([*value])),
            Node::Step(step, parts) => (step, parts),
        };
        let mut rows = vec![Vec::new()];
        for part in parts {
            let values = part.results(loaded, most)?;
            if rows.len().saturating_mul(values.len()) > most {
                return None;
            }
            let with = |row: &Vec<u64>| values.iter().map(|v| [&row[..], &[*v]].concat()).collect::<Vec<_>>();
            rows = rows.iter().flat_map(with).collect();
        }
        Some(rows.iter().filter_map(|row| computed(step, row)).collect())
    }
}

/// What a step computes that depends on registers only.
fn computed(step: &Step, from: &[u64]) -> Option<u64> {
    Some(match (*step, from) {
        (Step::Int { op, kind, .. }, &[a, b]) => return scalar::int(op, kind, a, b),
        (Step::Float { op, kind, .. }, &[a, b]) => scalar::float(op, kind, a, b),
        (Step::CompareInt { predicate, kind, .. }, &[a, b]) => scalar::compare_int(predicate, kind, a, b).into(),
        (Step::CompareFloat { predicate, kind, .. }, &[a, b]) => {
            scalar::compare_float(predicate, kind.value(a), kind.value(b)).into()
        }
        (Step::Cast { cast, .. }, &[a]) => scalar::cast(cast, a),
        (Step::Select { .. }, &[condition, a, b]) => [b, a][usize::from(condition & 1 == 1)],
        _ => return None,
    })
}

/// The registers of a core whose numbers are followed.
pub(super) type Followed = BTreeMap<Reg, Arc<Formula>>;

impl Core<'_> {
    /// Somebody may want to know what becomes of a number that was loaded.
    pub fn follow_load<W: Watch>(&mut self, reg: Reg, elem: ScalarElem, at: StepId, watch: &mut W) {
        let id = watch.follows(self.id(), self.plan.code.origins[at], self.reg(reg));
        let formula = id.map(|id| Arc::new(Formula { node: Node::Loaded(id, elem), size: 1 }));
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
            Step::Move { from, to } => self.set_formula(to, self.formulas.get(&from).cloned()),
            Step::LoopNext { counter, .. } => self.set_formula(counter, None),
            Step::LocalGet(which) => {
                let local = &self.plan.views.locals[which];
                let place = self.local(local).ok().and_then(|place| self.formulas.get(&place).cloned());
                self.set_formula(local.value, place);
            }
            Step::LocalSet(which) => {
                let local = &self.plan.views.locals[which];
                if let Ok(place) = self.local(local) {
                    self.set_formula(place, self.formulas.get(&local.value).cloned());
                }
            }
            _ => {}
        }
    }

    fn follow_computed(&mut self, step: Step, from: &[Reg], out: Reg) {
        let formula = from.iter().any(|reg| self.formulas.contains_key(reg)).then(|| {
            let known = |reg: &Reg| Arc::new(Formula { node: Node::Known(self.reg(*reg)), size: 1 });
            let part = |reg: &Reg| self.formulas.get(reg).cloned().unwrap_or_else(|| known(reg));
            let parts: Vec<_> = from.iter().map(part).collect();
            let size = 1 + parts.iter().map(|p| p.size).sum::<usize>();
            Arc::new(Formula { node: Node::Step(step, parts), size })
        });
        self.set_formula(out, formula.filter(|f| f.size <= LARGEST));
    }

    fn set_formula(&mut self, reg: Reg, formula: Option<Arc<Formula>>) {
        match formula {
            Some(formula) => drop(self.formulas.insert(reg, formula)),
            None => drop(self.formulas.remove(&reg)),
        }
    }
}
