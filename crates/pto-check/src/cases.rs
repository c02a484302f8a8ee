//! Cases in which an operation executes: values of loop counters and conditions that determine the addresses of its tiles.
//!
//! Conditions that are only known at run time may have either value, but two conditions that may depend on each other are not
//! combined: every case must be possible.

use crate::Info;
use pto_ir::{Attr, BlockId, Def, Module, OpId, RegionId, ValueId};
use pto_isa::ScalarType;
use pto_isa::hash::FastMap;
use pto_isa::row::{Arith, Control};
use pto_isa::text;

/// Iterations of a loop that are examined, with a known and with an unknown bound.
const ITERATIONS: [i64; 2] = [4, 2];
/// Limit of cases of one operation.
const MANY_CASES: usize = 16;
/// Limit of operations that are evaluated in one case.
const MANY_STEPS: u32 = 128;

/// The enclosing operation of every operation.
pub(crate) struct Enclosing {
    owners: FastMap<BlockId, (OpId, RegionId)>,
    blocks: FastMap<OpId, BlockId>,
}

impl Enclosing {
    pub(crate) fn of(module: &Module, order: &[OpId]) -> Self {
        let mut this = Self { owners: FastMap::default(), blocks: FastMap::default() };
        for &id in order {
            for &region in module.op_regions(id) {
                this.owners.extend(module.region(region).blocks.iter().map(|b| (*b, (id, region))));
            }
        }
        for block in module.all_blocks() {
            this.blocks.extend(module.block(block).ops.iter().map(|id| (*id, block)));
        }
        this
    }

    /// The operations around one, innermost first, with the region of each that contains it, up to the function.
    fn around(&self, module: &Module, id: OpId) -> Vec<(OpId, RegionId)> {
        let next = |id: OpId| self.owners.get(self.blocks.get(&id)?).copied();
        let all = std::iter::successors(next(id), |(owner, _)| next(*owner));
        all.take_while(|(owner, _)| module.control(*owner) != Some(Control::Function)).collect()
    }
}

/// Known values in one case.
#[derive(Clone, Default)]
pub(crate) struct Case {
    /// Assumptions, in order.
    assumed: Vec<(ValueId, i64)>,
    known: FastMap<ValueId, i64>,
    steps: u32,
}

/// Why a value is unknown.
pub(crate) enum Unknown {
    /// A condition that may be either.
    Condition(ValueId),
    /// It cannot be determined.
    Value,
}

type OrUnknown<T> = Result<T, Unknown>;

/// Calls `judge` for the cases of an operation until it finds something; `judge` may ask for more conditions.
pub(crate) fn each<T>(
    module: &Module,
    info: &Info,
    around: &Enclosing,
    id: OpId,
    mut judge: impl FnMut(&mut Case) -> OrUnknown<Option<T>>,
) -> Option<(T, Case)> {
    let is_given = |v: ValueId| match module.value(v).def {
        Def::Arg(block, _) => {
            around.owners.get(&block).is_some_and(|(owner, _)| module.control(*owner) == Some(Control::Function))
        }
        _ => false,
    };
    let around = around.around(module, id);
    let mut open = counters(module, info, &around);
    open.reverse();
    for _ in 0..MANY_CASES {
        let mut case = open.pop()?;
        let judged = case.is_reached(module, info, &around).and_then(|reached| match reached {
            true => judge(&mut case),
            false => Ok(None),
        });
        match judged {
            Ok(Some(found)) => return Some((found, case)),
            Ok(None) | Err(Unknown::Value) => {}
            Err(Unknown::Condition(value)) if case.may_assume(module, &is_given, value) => {
                open.extend([0, 1].map(|n| case.assuming(value, n)));
            }
            Err(Unknown::Condition(_)) => {}
        }
    }
    None
}

/// The first iterations of the loops around an operation.
fn counters(module: &Module, info: &Info, around: &[(OpId, RegionId)]) -> Vec<Case> {
    let mut cases = vec![Case::default()];
    for (id, region) in around.iter().rev().filter(|(id, _)| module.control(*id) == Some(Control::For)) {
        let bound = |n: usize| module.operands(*id).get(n).and_then(|o| info.computed(o.value));
        let counter = module.region(*region).blocks.first().and_then(|b| module.block(*b).args.first());
        let (Some(from), Some(step), Some(&counter)) = (bound(0), bound(2).filter(|s| *s > 0), counter) else {
            continue;
        };
        let to = bound(1);
        let iterations =
            (0..ITERATIONS[usize::from(to.is_none())]).map(|n| from.saturating_add(n.saturating_mul(step)));
        let iterations: Vec<i64> = iterations.filter(|n| to.is_none_or(|to| *n < to)).collect();
        let with = |case: &Case| iterations.iter().map(|n| case.assuming(counter, *n)).collect::<Vec<_>>();
        cases = cases.iter().flat_map(with).take(MANY_CASES).collect();
    }
    cases
}

impl Case {
    fn assuming(&self, value: ValueId, n: i64) -> Self {
        let mut case = Self { steps: 0, ..self.clone() };
        case.known = case.assumed.iter().copied().collect();
        case.known.insert(value, n);
        case.assumed.push((value, n));
        case
    }

    /// Two conditions are independent only if the caller of the function chooses them.
    fn may_assume(&self, module: &Module, is_given: &impl Fn(ValueId) -> bool, value: ValueId) -> bool {
        let is_condition = |v: ValueId| module.value_type(v).scalar() == Some(ScalarType::I1);
        let mut others = self.assumed.iter().map(|(v, _)| *v).filter(|v| is_condition(*v));
        is_condition(value) && others.all(|other| is_given(other) && is_given(value))
    }

    /// True when the branches around the operation lead to it.
    fn is_reached(&mut self, module: &Module, info: &Info, around: &[(OpId, RegionId)]) -> OrUnknown<bool> {
        for (id, region) in around {
            match module.control(*id) {
                Some(Control::If) if self.side(module, info, *id)? != Some(*region) => return Ok(false),
                Some(Control::If | Control::For | Control::Fusion | Control::Execute) => {}
                // Other operations decide in ways that are not modelled.
                _ if module.op(*id).op.row().dialect == "scf" => return Err(Unknown::Value),
                _ => {}
            }
        }
        Ok(true)
    }

    /// The side of a branch that is taken.
    pub(crate) fn side(&mut self, module: &Module, info: &Info, branch: OpId) -> OrUnknown<Option<RegionId>> {
        let condition = module.operands(branch).first().ok_or(Unknown::Value)?.value;
        let taken = self.truth(module, info, condition)?;
        Ok(module.op_regions(branch).get(usize::from(!taken)).copied())
    }

    pub(crate) fn truth(&mut self, module: &Module, info: &Info, condition: ValueId) -> OrUnknown<bool> {
        self.number(module, info, condition).map(|n| n != 0).map_err(|unknown| match unknown {
            // The part of the condition that may be either; else the whole condition.
            Unknown::Value => Unknown::Condition(condition),
            part => part,
        })
    }

    /// The value as a number.
    pub(crate) fn number(&mut self, module: &Module, info: &Info, value: ValueId) -> OrUnknown<i64> {
        if let Some(n) = info.computed(value).or_else(|| self.known.get(&value).copied()) {
            return Ok(n);
        }
        self.steps += 1;
        let id = module.definition(value).filter(|_| self.steps < MANY_STEPS);
        let Some(id) = id else {
            let given = module.value_type(value).scalar() == Some(ScalarType::I1);
            return Err(if given { Unknown::Condition(value) } else { Unknown::Value });
        };
        let operands: Vec<ValueId> = module.operands(id).iter().map(|o| o.value).collect();
        let n = match (module.arith(id), &operands[..]) {
            (Some(Arith::Select), [c, a, b]) => {
                let chosen = if self.truth(module, info, *c)? { *a } else { *b };
                self.number(module, info, chosen)?
            }
            (Some(is), [a]) if is_cast(is) => {
                let n = self.number(module, info, *a)?;
                // A cast from an unsigned type extends with zeros.
                let bits = module.value_type(*a).scalar().and_then(ScalarType::elem).map_or(64, |e| e.bits());
                let unsigned = matches!(is, Arith::ExtendUnsigned | Arith::IndexCastUnsigned) && bits < 64;
                let is_truth = is == Arith::ExtendSigned && module.value_type(*a).scalar() == Some(ScalarType::I1);
                match () {
                    () if unsigned => n & ((1 << bits) - 1),
                    () if is_truth => -n,
                    () => n,
                }
            }
            (Some(is), [a, b]) => {
                let (a, b) = (self.number(module, info, *a)?, self.number(module, info, *b)?);
                combined(module, id, is, a, b).ok_or(Unknown::Value)?
            }
            _ => return Err(Unknown::Value),
        };
        let kept = module.value_type(value).scalar().map_or(n.into(), |s| s.wrapped(n.into()));
        let n = i64::try_from(kept).map_err(|_| Unknown::Value)?;
        // A truth value is 0 or 1 here, regardless of its sign bit.
        let n = if module.value_type(value).scalar() == Some(ScalarType::I1) { i64::from(n != 0) } else { n };
        self.known.insert(value, n);
        Ok(n)
    }

    /// The assumptions in words: "where `%c` is true", "where `%i` is 1".
    pub(crate) fn text(&self, module: &Module) -> String {
        let part = |(value, n): &(ValueId, i64)| {
            let name = module.value_name(*value);
            match module.value_type(*value).scalar() {
                Some(ScalarType::I1) => text!("`%{name}` is {n}", name, n = *n != 0),
                _ => text!("`%{name}` is {n}", name, n),
            }
        };
        self.assumed.iter().map(part).collect::<Vec<_>>().join(text!(" and "))
    }
}

fn is_cast(is: Arith) -> bool {
    matches!(
        is,
        Arith::IndexCast | Arith::IndexCastUnsigned | Arith::ExtendSigned | Arith::ExtendUnsigned | Arith::Truncate
    )
}

fn combined(module: &Module, id: OpId, is: Arith, a: i64, b: i64) -> Option<i64> {
    let unsigned = a >= 0 && b >= 0;
    match is {
        Arith::Add => a.checked_add(b),
        Arith::Sub => a.checked_sub(b),
        Arith::Mul => a.checked_mul(b),
        Arith::DivSigned => a.checked_div(b),
        Arith::RemSigned => a.checked_rem(b),
        Arith::DivUnsigned if unsigned => a.checked_div(b),
        Arith::RemUnsigned if unsigned => a.checked_rem(b),
        Arith::And => Some(a & b),
        Arith::Or => Some(a | b),
        Arith::Xor => Some(a ^ b),
        Arith::MinSigned => Some(a.min(b)),
        Arith::MaxSigned => Some(a.max(b)),
        Arith::ShiftLeft => a.checked_shl(u32::try_from(b).ok()?).filter(|n| n >> b == a),
        Arith::CompareInt => {
            let predicate = match module.attr(id, "predicate")? {
                Attr::Enum(def, at) => def.value(usize::from(*at)),
                _ => return None,
            };
            compared(predicate, a, b).map(i64::from)
        }
        _ => None,
    }
}

fn compared(predicate: &str, a: i64, b: i64) -> Option<bool> {
    let unsigned = a >= 0 && b >= 0;
    Some(match predicate {
        "eq" => a == b,
        "ne" => a != b,
        "slt" => a < b,
        "sle" => a <= b,
        "sgt" => a > b,
        "sge" => a >= b,
        "ult" if unsigned => a < b,
        "ule" if unsigned => a <= b,
        "ugt" if unsigned => a > b,
        "uge" if unsigned => a >= b,
        _ => return None,
    })
}
