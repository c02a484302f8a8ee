//! Questions that a program asks again until the answer is right, and those whose answer nobody looks at.

use crate::words::Asked;
use pto_ir::{Attr, BlockId, Def, Module, OpId, ValueId};
use pto_isa::table::op;
use pto_isa::{Family, enums};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Operations behind a number that are looked at.
const PARTS: u32 = 32;

/// A load by which a loop waits for other cores.
#[derive(Debug)]
pub(crate) struct Poll {
    /// The loop forgets its copy.
    pub forgets: bool,
    /// What ends the loop, where the text says it.
    until: Option<Until>,
}

impl Poll {
    /// What the loop asks for. `turns` says how often a loop around it has gone round.
    pub fn asked(&self, turns: impl Fn(OpId) -> Option<u64>) -> Option<Asked> {
        let until = self.until.as_ref()?;
        Some(Asked { cmp: until.cmp, value: until.value.now(&turns)? })
    }
}

#[derive(Clone, Debug)]
struct Until {
    cmp: u8,
    value: Number,
}

/// A number that the text and the counters of loops say.
#[derive(Clone, Debug)]
enum Number {
    Constant(i64),
    /// The counter of a loop: where it starts, and its step.
    Counter(OpId, Box<[Number; 2]>),
    Of(fn(i64, i64) -> i64, Box<[Number; 2]>),
}

impl Number {
    fn now(&self, turns: &impl Fn(OpId) -> Option<u64>) -> Option<i64> {
        match self {
            Self::Constant(value) => Some(*value),
            Self::Counter(id, parts) => {
                let [start, step] = [parts[0].now(turns)?, parts[1].now(turns)?];
                let before = i64::try_from(turns(*id)?.checked_sub(1)?).ok()?;
                Some(start.wrapping_add(before.wrapping_mul(step)))
            }
            Self::Of(of, parts) => Some(of(parts[0].now(turns)?, parts[1].now(turns)?)),
        }
    }
}

/// Loads in the conditions of loops that go on until memory says otherwise.
pub(crate) fn polls(module: &Module) -> BTreeMap<OpId, Poll> {
    let mut all = BTreeMap::new();
    let mut text: Option<Text<'_>> = None;
    module.walk(module.top, &mut |id| {
        if module.op(id).op != op::scf_while {
            return;
        }
        let (mut loads, mut forgets, mut end) = (BTreeSet::new(), false, None);
        module.walk_inside(id, &mut |inner| match module.op(inner).op {
            op::load_scalar => {
                loads.insert(inner);
            }
            op::cmo_cacheinvalid => forgets = true,
            op::scf_condition => end = module.operands(inner).first().map(|o| o.value),
            _ => {}
        });
        if loads.is_empty() {
            return;
        }
        let text = text.get_or_insert_with(|| Text { module, owners: module.owners() });
        let end = end.and_then(|condition| text.ends_at(condition));
        for load in loads {
            let until = end.as_ref().filter(|(asked, _)| *asked == load).map(|(_, until)| until.clone());
            all.insert(load, Poll { forgets, until });
        }
    });
    all
}

/// Instructions that look whether something is done, and whose answer nobody uses: they wait for nothing.
pub(crate) fn ignored(module: &Module) -> BTreeSet<OpId> {
    let (mut asking, mut used) = (BTreeSet::new(), BTreeSet::new());
    module.walk(module.top, &mut |id| {
        used.extend(module.operands(id).iter().map(|o| o.value));
        if matches!(module.op(id).op, op::comm_ttest | op::comm_test_async_event) {
            asking.insert(id);
        }
    });
    asking.retain(|id| module.results(*id).all(|result| !used.contains(&result)));
    asking
}

struct Text<'a> {
    module: &'a Module,
    owners: HashMap<BlockId, OpId>,
}

impl Text<'_> {
    /// The load that decides a condition to go on, and what it finds when the condition does not hold.
    fn ends_at(&self, condition: ValueId) -> Option<(OpId, Until)> {
        let module = self.module;
        let (mut at, mut goes_on) = (definition(module, condition)?, true);
        while module.op(at).op == op::arith_xori {
            let [a, b] = module.operands(at) else { return None };
            let (value, with) =
                if constant(module, b.value).is_some() { (a.value, b.value) } else { (b.value, a.value) };
            goes_on ^= constant(module, with)? & 1 == 1;
            at = definition(module, value)?;
        }
        let (op::arith_cmpi, [a, b]) = (module.op(at).op, module.operands(at)) else { return None };
        let Some(Attr::Enum(def, predicate)) = module.attr(at, "predicate") else { return None };
        let (load, value, swapped) = match loaded(module, a.value) {
            Some(load) => (load, b.value, false),
            None => (loaded(module, b.value)?, a.value, true),
        };
        let cmp = comparison(def.value(usize::from(*predicate)), swapped, goes_on)?;
        Some((load, Until { cmp, value: self.number(value, &Cell::new(PARTS))? }))
    }

    fn number(&self, value: ValueId, left: &Cell<u32>) -> Option<Number> {
        left.set(left.get().checked_sub(1)?);
        let module = self.module;
        let both = |a: ValueId, b: ValueId| Some(Box::new([self.number(a, left)?, self.number(b, left)?]));
        match module.value(value).def {
            Def::Result(id, _) => match (module.op(id).op, module.operands(id)) {
                (op::arith_constant, _) => constant(module, value).map(Number::Constant),
                (op::arith_addi, [a, b]) => Some(Number::Of(i64::wrapping_add, both(a.value, b.value)?)),
                (op::arith_subi, [a, b]) => Some(Number::Of(i64::wrapping_sub, both(a.value, b.value)?)),
                (op::arith_muli, [a, b]) => Some(Number::Of(i64::wrapping_mul, both(a.value, b.value)?)),
                (op::arith_index_cast | op::arith_extsi | op::arith_trunci, [from]) => self.number(from.value, left),
                _ => None,
            },
            Def::Arg(block, 0) => {
                let id = *self.owners.get(&block).filter(|id| module.op(**id).op == op::scf_for)?;
                let [start, _, step, ..] = module.operands(id) else { return None };
                Some(Number::Counter(id, both(start.value, step.value)?))
            }
            _ => None,
        }
    }
}

/// A predicate of `arith.cmpi`, or its opposite, as `wait_cmp` counts.
fn comparison(predicate: &str, swapped: bool, opposite: bool) -> Option<u8> {
    let name = predicate.strip_prefix(['s', 'u']).unwrap_or(predicate);
    let name = match (name, swapped) {
        ("lt", true) => "gt",
        ("le", true) => "ge",
        ("gt", true) => "lt",
        ("ge", true) => "le",
        _ => name,
    };
    let name = match (name, opposite) {
        ("eq", true) => "ne",
        ("ne", true) => "eq",
        ("lt", true) => "ge",
        ("le", true) => "gt",
        ("gt", true) => "le",
        ("ge", true) => "lt",
        _ => name,
    };
    enums::WAIT_CMP.find(name).and_then(|at| u8::try_from(at).ok())
}

/// The load whose number this is, as it is or in another type.
fn loaded(module: &Module, mut value: ValueId) -> Option<OpId> {
    loop {
        let id = definition(module, value)?;
        match (module.op(id).op, module.operands(id)) {
            (op::load_scalar, _) => return Some(id),
            (code, [from]) if code.row().family == Family::Arith => value = from.value,
            _ => return None,
        }
    }
}

fn definition(module: &Module, value: ValueId) -> Option<OpId> {
    match module.value(value).def {
        Def::Result(id, _) => Some(id),
        _ => None,
    }
}

fn constant(module: &Module, value: ValueId) -> Option<i64> {
    let id = definition(module, value).filter(|id| module.op(*id).op == op::arith_constant)?;
    match module.attr(id, "value")? {
        Attr::Bool(value) => Some((*value).into()),
        attr => attr.int(),
    }
}
