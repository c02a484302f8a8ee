//! Numbers as sums of constants and of multiples of unknown values.

use crate::Info;
use pto_ir::{Module, ValueId};
use pto_isa::ordered::OrdMap;
use pto_isa::row::Arith;

/// Sums of more terms than this count as an unknown value.
const MANY_PARTS: usize = 32;

/// A constant, and multiples of unknown values.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Linear {
    pub(crate) constant: i64,
    pub(crate) unknown: OrdMap<ValueId, i64>,
}

impl Linear {
    pub(crate) fn constant(constant: i64) -> Self {
        Self { constant, unknown: OrdMap::new() }
    }

    /// A number of the program as a sum.
    pub(crate) fn of(module: &Module, info: &Info, value: ValueId) -> Self {
        let mut sum = Self::default();
        let mut open = vec![(value, 1_i64)];
        for _ in 0..MANY_PARTS {
            let Some((value, times)) = open.pop() else { return sum };
            if let Some(n) = info.computed(value) {
                sum.constant = sum.constant.saturating_add(n.saturating_mul(times));
                continue;
            }
            match parts(module, info, value) {
                Some(parts) => open.extend(parts.into_iter().map(|(v, n)| (v, n.saturating_mul(times)))),
                None => sum.add_unknown(value, times),
            }
        }
        if open.is_empty() { sum } else { Self { constant: 0, unknown: OrdMap::from([(value, 1)]) } }
    }

    fn add_unknown(&mut self, value: ValueId, times: i64) {
        let all = self.unknown.entry(value).or_default();
        *all = all.saturating_add(times);
        if *all == 0 {
            self.unknown.remove(&value);
        }
    }

    /// Adds a multiple of another sum.
    pub(crate) fn add(&mut self, other: &Self, times: i64) {
        self.constant = self.constant.saturating_add(other.constant.saturating_mul(times));
        for (value, n) in &other.unknown {
            self.add_unknown(*value, n.saturating_mul(times));
        }
    }
}

/// The operands of a sum, difference or product with a constant.
fn parts(module: &Module, info: &Info, value: ValueId) -> Option<Vec<(ValueId, i64)>> {
    let id = module.definition(value)?;
    let operand = |n: usize| module.operands(id).get(n).map(|o| o.value);
    Some(match module.arith(id) {
        Some(Arith::Add) => vec![(operand(0)?, 1), (operand(1)?, 1)],
        Some(Arith::Sub) => vec![(operand(0)?, 1), (operand(1)?, -1)],
        Some(Arith::Mul) => match (info.computed(operand(0)?), info.computed(operand(1)?)) {
            (Some(n), None) => vec![(operand(1)?, n)],
            (None, Some(n)) => vec![(operand(0)?, n)],
            _ => return None,
        },
        Some(Arith::IndexCast | Arith::ExtendSigned) => vec![(operand(0)?, 1)],
        _ => return None,
    })
}
