//! Removes operations.

use crate::edit::{Instead, is_terminator, without};
use crate::search::{Base, Shrinking};
use pto_ir::{Attr, Module, NewOp, OpId};
use pto_isa::ordered::OrdMap;
use pto_isa::row::{Arith, Control, Meaning};
use pto_isa::{Op, Type};

/// Removes functions, with the calls of them.
pub(super) fn functions(s: &mut Shrinking<'_>) {
    let functions = s.base.module.functions();
    remove(s, functions, Instead::Operand);
}

/// Removes operations, the outer ones first: a loop goes with all that is in it.
pub(super) fn nested(s: &mut Shrinking<'_>) {
    for depth in 0.. {
        let level = at_depth(&s.base.module, depth);
        if level.is_empty() {
            return;
        }
        remove(s, level, Instead::Operand);
        let left = at_depth(&s.base.module, depth);
        remove(s, left, Instead::Nothing);
        s.read_again();
    }
}

/// Replaces results by earlier values of the same type: equal constants, or one tile for two.
pub(super) fn merge(s: &mut Shrinking<'_>) {
    let all = removable(&s.base.module);
    remove(s, all, Instead::Nearest);
}

fn remove(s: &mut Shrinking<'_>, ops: Vec<OpId>, instead: Instead) {
    s.sweep(ops, &move |base: &Base<'_>, ops: &[OpId]| without(&base.module, ops, instead).map(Into::into));
}

/// Operations that the program may do without.
fn removable(module: &Module) -> Vec<OpId> {
    let fixed = |id: &OpId| {
        is_terminator(module, *id) || matches!(module.control(*id), Some(Control::Function | Control::Module))
    };
    module.order().into_iter().filter(|id| !fixed(id)).collect()
}

/// The operations at a depth below functions.
fn at_depth(module: &Module, depth: usize) -> Vec<OpId> {
    let mut blocks = vec![module.top];
    for function in module.functions() {
        blocks.extend(module.op_regions(function).iter().flat_map(|r| &module.region(*r).blocks));
    }
    for _ in 0..depth {
        let ops = blocks.iter().flat_map(|b| &module.block(*b).ops);
        let plain = ops.filter(|id| !matches!(module.control(**id), Some(Control::Function | Control::Module)));
        let regions = plain.flat_map(|id| module.op_regions(*id));
        blocks = regions.flat_map(|r| &module.region(*r).blocks).copied().collect();
    }
    let all: Vec<OpId> = blocks.iter().flat_map(|b| module.block(*b).ops.iter().copied()).collect();
    let fixed = |id: &OpId| {
        is_terminator(module, *id) || matches!(module.control(*id), Some(Control::Function | Control::Module))
    };
    all.into_iter().filter(|id| !fixed(id)).collect()
}

/// Removes operations that belong together because they name the same thing: flags with their waits, all ends and entries of a pipe.
pub(super) fn groups(s: &mut Shrinking<'_>) {
    let module = &s.base.module;
    let order = module.order();
    let mut groups: Vec<Vec<OpId>> = pairs(module, &order);
    let mut pipes: OrdMap<i64, Vec<OpId>> = OrdMap::new();
    for id in order.into_iter().filter(|id| matches!(module.meaning(*id), Meaning::Fifo(_))) {
        if let Some(number) = module.int(id, "id") {
            pipes.entry(number).or_default().push(id);
        }
    }
    groups.extend(pipes.into_values());
    s.sweep(groups, &|base: &Base<'_>, groups: &[Vec<OpId>]| {
        without(&base.module, &groups.concat(), Instead::Nothing).map(Into::into)
    });
}

/// Each operation that orders or passes on something, with the next one that names the same.
fn pairs(module: &Module, order: &[OpId]) -> Vec<Vec<OpId>> {
    let partner = |id: &OpId| matches!(module.meaning(*id), Meaning::Sync(_) | Meaning::Fifo(_) | Meaning::Comm(_));
    let all: Vec<OpId> = order.iter().copied().filter(partner).collect();
    let same = |a: OpId, b: OpId| {
        let operands = |id: OpId| module.operands(id).iter().map(|o| o.value).collect::<Vec<_>>();
        module.attrs(a) == module.attrs(b) && operands(a) == operands(b)
    };
    let mut pairs = Vec::new();
    for (at, &first) in all.iter().enumerate() {
        pairs.extend(all[at + 1..].iter().find(|second| same(first, **second)).map(|second| vec![first, *second]));
    }
    pairs
}

/// More operations than this are not tried in all pairs.
const FEW: usize = 24;

/// Removes any two operations at once.
pub(super) fn any_two(s: &mut Shrinking<'_>) {
    let all = removable(&s.base.module);
    if all.len() > FEW {
        return;
    }
    let pairs: Vec<[OpId; 2]> =
        all.iter().enumerate().flat_map(|(at, a)| all[at + 1..].iter().map(move |b| [*a, *b])).collect();
    s.first(&pairs, &|base, pair| without(&base.module, pair, Instead::Operand).map(Into::into));
}

/// Replaces computed scalars by constants.
pub(super) fn constants(s: &mut Shrinking<'_>) {
    for number in [0, 1] {
        let module = &s.base.module;
        let computed = |id: &OpId| module.arith(*id) != Some(Arith::Constant) && module.op_regions(*id).is_empty();
        let scalar = |id: &OpId| {
            let mut results = module.results(*id);
            results.len() == 1 && results.all(|v| matches!(module.value_type(v), Type::Scalar(_)))
        };
        let all: Vec<OpId> = removable(module).into_iter().filter(computed).filter(scalar).collect();
        s.sweep(all, &move |base: &Base<'_>, ops: &[OpId]| Some(with_constants(&base.module, ops, number).into()));
        s.read_again();
    }
}

fn with_constants(module: &Module, ops: &[OpId], number: i64) -> Module {
    let mut out = module.clone();
    let value_name = out.names.intern("value");
    for block in module.all_blocks() {
        let place = |id: &OpId| ops.contains(id);
        for id in module.block(block).ops.iter().copied().filter(place) {
            let Some(old) = module.results(id).next() else { continue };
            let value = module.value(old);
            let number = match module.value_type(old).scalar() {
                Some(scalar) if scalar.is_float() => Attr::Float(number as f64, value.ty),
                Some(pto_isa::ScalarType::I1) => Attr::Bool(number == 1),
                _ => Attr::Int(number.into(), value.ty),
            };
            let span = module.op(id).span;
            let new = NewOp {
                attrs: vec![(value_name, number)],
                results: vec![(value.ty, value.name, 0, span)],
                span,
                name_span: span,
                ..NewOp::default()
            };
            let op = Op::of(Arith::Constant);
            let new = out.new_op(op, new);
            let position = out.block(block).ops.iter().position(|o| *o == id);
            let Some(position) = position else { continue };
            out.block_mut(block).ops[position] = new;
            if let Some(result) = out.results(new).next() {
                out.resolve_uses(&[(old, result)].into_iter().collect());
            }
        }
    }
    out
}
