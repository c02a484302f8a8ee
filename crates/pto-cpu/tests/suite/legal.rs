//! Whatever is legal on a target has a kernel there. `LEGAL_TRIES=3000 LEGAL_KEPT=40` looks at more uses.

use pto_cpu::Numerics;
use pto_cpu::kernels::{Site, find};
use pto_isa::fill::{Filling, data_types, several};
use pto_isa::rules::{Instance, RuleArg};
use pto_isa::{Target, table};
use std::collections::BTreeSet;

/// Fillings that are tried and that are kept, for each type of data.
const TRIES: usize = 1000;
const KEPT: usize = 20;
/// Fillings that are tried where none of the first is legal.
const MOST_TRIES: usize = 3000;

fn setting(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

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
    let (tries, kept) = (setting("LEGAL_TRIES", TRIES), setting("LEGAL_KEPT", KEPT));
    let (mut missing, mut types, mut uses) = (BTreeSet::new(), 0, 0);
    for op in table::isa() {
        for target in Target::ALL.into_iter().filter(|t| op.row().targets.contains(*t)) {
            for data in data_types(op.row(), target) {
                let mut fillings = several(op, target, data, tries, kept);
                if fillings.is_empty() {
                    fillings = several(op, target, data, MOST_TRIES, 1);
                }
                types += usize::from(!fillings.is_empty());
                uses += fillings.len();
                missing.extend(fillings.iter().filter(|f| !runs(target, f)).map(|f| described(target, f)));
            }
        }
    }
    println!("{uses} uses on {types} types of data of {} instructions", table::isa().count());
    assert!(types > 10_000, "only {types} types of data");
    let list: Vec<String> = missing.into_iter().collect();
    assert!(list.is_empty(), "{} without a kernel:\n{}", list.len(), list.join("\n"));
}
