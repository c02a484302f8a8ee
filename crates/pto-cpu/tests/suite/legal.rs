//! Whatever is legal on a target has a kernel there.

use pto_cpu::Numerics;
use pto_cpu::kernels::{Site, find};
use pto_isa::fill::{Filling, data_types, several};
use pto_isa::rules::{Instance, RuleArg};
use pto_isa::{Target, table};
use std::collections::BTreeSet;

/// Fillings that are tried and that are kept, for each type of data.
const TRIES: usize = 3000;
const KEPT: usize = 40;

/// The engine executes it itself, or has code for these operands.
fn runs(target: Target, filling: &Filling) -> bool {
    let args: Vec<RuleArg> = filling.types.iter().map(|(slot, ty)| RuleArg { slot: *slot, ty, value: None }).collect();
    let instance = Instance { row: filling.op.row(), target, manual: false, args: &args, attrs: &filling.attrs };
    let site = Site { instance, numerics: Numerics::Reference, plain: false, level: None };
    match find(filling.op).filter(|kernel| !kernel.is_missing()) {
        Some(kernel) => kernel.prepare(&site).is_some(),
        None => pto_cpu::runs(filling.op),
    }
}

fn described(target: Target, filling: &Filling) -> String {
    let row = filling.op.row();
    let operand = |(slot, ty): &(u8, _)| format!("{}: {ty}", row.slot_at(usize::from(*slot)).name);
    let operands: Vec<String> = filling.types.iter().map(operand).collect();
    format!("{} on {target}: {} {:?}", row.name, operands.join(", "), filling.attrs)
}

#[test]
fn what_is_legal_runs() {
    let mut missing = BTreeSet::new();
    for op in table::isa() {
        for target in Target::ALL.into_iter().filter(|t| op.row().targets.contains(*t)) {
            for data in data_types(op.row(), target) {
                let fillings = several(op, target, data, TRIES, KEPT);
                missing.extend(fillings.iter().filter(|f| !runs(target, f)).map(|f| described(target, f)));
            }
        }
    }
    let list: Vec<String> = missing.into_iter().collect();
    assert!(list.is_empty(), "{} without a kernel:\n{}", list.len(), list.join("\n"));
}
