//! Questions that a program asks again until the answer is right, and those whose answer nobody looks at.

use crate::words::Asked;
use pto_ir::{Attr, Def, Module, OpId, ValueId};
use pto_isa::table::op;
use pto_isa::{Family, enums};
use std::collections::{BTreeMap, BTreeSet};

/// A load by which a loop waits for other cores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Poll {
    /// The loop forgets its copy.
    pub forgets: bool,
    /// What ends the loop, where the text says it.
    pub until: Option<Asked>,
}

/// Loads in the conditions of loops that go on until memory says otherwise.
pub(crate) fn polls(module: &Module) -> BTreeMap<OpId, Poll> {
    let mut all = BTreeMap::new();
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
            op::scf_condition => end = end.or_else(|| ends_at(module, module.operands(inner).first()?.value)),
            _ => {}
        });
        for load in loads {
            let until = end.filter(|(asked, _)| *asked == load).map(|(_, until)| until);
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

/// The load that decides a condition to go on, and what it finds when the condition does not hold.
fn ends_at(module: &Module, condition: ValueId) -> Option<(OpId, Asked)> {
    let (mut at, mut goes_on) = (definition(module, condition)?, true);
    while module.op(at).op == op::arith_xori {
        let [a, b] = module.operands(at) else { return None };
        let (value, with) = if constant(module, b.value).is_some() { (a.value, b.value) } else { (b.value, a.value) };
        goes_on ^= constant(module, with)? & 1 == 1;
        at = definition(module, value)?;
    }
    let (op::arith_cmpi, [a, b]) = (module.op(at).op, module.operands(at)) else { return None };
    let Some(Attr::Enum(def, predicate)) = module.attr(at, "predicate") else { return None };
    let (load, value, swapped) = match (constant(module, a.value), constant(module, b.value)) {
        (None, Some(value)) => (a.value, value, false),
        (Some(value), None) => (b.value, value, true),
        _ => return None,
    };
    let cmp = comparison(def.value(usize::from(*predicate)), swapped, goes_on)?;
    Some((loaded(module, load)?, Asked { cmp, value }))
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
