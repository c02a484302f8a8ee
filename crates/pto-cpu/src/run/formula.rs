//! How a number of a program follows from numbers that it has loaded.

use super::scalar;
use crate::prepared::{Reg, ScalarElem, Step, Switch};
use pto_isa::ordered::{OrdMap, OrdSet};
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
    /// Whether a number is one of these, or none of them.
    Among(Arc<Formula>, OrdSet<u64>, bool),
}

impl Formula {
    /// A number that was loaded, by the id that an observer gave it.
    pub(super) fn loaded(id: u32, elem: ScalarElem) -> Arc<Self> {
        Arc::new(Self { node: Node::Loaded(id, elem), size: 1 })
    }

    pub(super) fn known(bits: u64) -> Arc<Self> {
        Arc::new(Self { node: Node::Known(bits), size: 1 })
    }

    /// What a step computes from others; `None` where that is too large.
    pub(super) fn of_step(step: Step, from: Vec<Arc<Self>>) -> Option<Arc<Self>> {
        let size = 1 + from.iter().map(|part| part.size).sum::<usize>();
        (size <= LARGEST).then(|| Arc::new(Self { node: Node::Step(step, from), size }))
    }

    /// Whether a number leads a switch this way; `None` where that is too large.
    pub(super) fn leads(on: &Arc<Self>, switch: &Switch, way: u32) -> Option<Arc<Self>> {
        let is_default = switch.default.way == way;
        let named = switch.cases.iter().filter(|case| (case.way == way) != is_default);
        let node = Node::Among(on.clone(), named.map(|case| case.value as u64).collect(), !is_default);
        (on.size < LARGEST).then(|| Arc::new(Self { node, size: on.size + 1 }))
    }

    /// How often it uses each number that was loaded.
    pub fn uses(&self) -> OrdMap<u32, usize> {
        let (mut all, mut open) = (OrdMap::new(), vec![self]);
        while let Some(formula) = open.pop() {
            match &formula.node {
                Node::Loaded(id, _) => *all.entry(*id).or_default() += 1,
                Node::Known(_) => {}
                Node::Step(_, parts) => open.extend(parts.iter().map(|p| &**p)),
                Node::Among(on, ..) => open.push(on),
            }
        }
        all
    }

    /// All possible results when each loaded number is one of some values. `None` if there are more than `most` combinations at
    /// one node.
    pub fn results(&self, loaded: &OrdMap<u32, OrdSet<i64>>, most: usize) -> Option<OrdSet<u64>> {
        let (step, parts) = match &self.node {
            Node::Loaded(id, elem) => {
                return loaded.get(id).map(|all| all.iter().map(|n| elem.in_register(*n as u64)).collect());
            }
            Node::Known(value) => return Some(OrdSet::from([*value])),
            Node::Among(on, values, is) => {
                let all = on.results(loaded, most)?;
                return Some(all.iter().map(|value| u64::from(values.contains(value) == *is)).collect());
            }
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
pub(super) type Followed = OrdMap<Reg, Arc<Formula>>;
