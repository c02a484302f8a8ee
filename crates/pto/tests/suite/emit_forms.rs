//! What is legal can be emitted: every instruction, on each device, for each element type, with a destination that is a tile of its own or one of
//! the sources, with its scratch tile and without. Where the check takes it, so does the emitter.

use pto::ir::{Module, NewOp, OpId, Operand};
use pto::isa::hash::FastMap;
use pto::isa::row::Aliasing;
use pto::isa::{DType, Dir, Op, fill, table};
use pto::{Checked, Program, Target, checks, emit, sample};
use std::collections::BTreeSet;

const DEVICES: [Target; 2] = [Target::A2A3, Target::A5];

/// The sample of an instruction and, where it computes tiles, a use on every element type. Others need more around them than their operands.
fn texts(op: Op, target: Target) -> BTreeSet<String> {
    let mut all: BTreeSet<String> = sample::program(op, target).into_iter().collect();
    let row = op.row();
    let computes = row.alias != Aliasing::None || row.scratch.is_some();
    if row.targets.contains(target) && computes {
        let fillings = DType::ALL.into_iter().filter_map(|dtype| fill::filling(op, target, dtype, 100));
        all.extend(fillings.map(|filling| sample::around(&filling)));
    }
    all
}

/// The operations of this kind in a program.
fn uses(module: &Module, op: Op) -> Vec<OpId> {
    module.order().into_iter().filter(|id| module.op(*id).op == op).collect()
}

/// The program, and those in which a destination is the same tile as a source.
fn in_place(module: &Module, op: Op) -> Vec<(String, Module)> {
    let mut all = vec![("apart".to_string(), module.clone())];
    for id in uses(module, op) {
        let dir = |o: &&Operand| op.row().slots.get(usize::from(o.slot)).map(|s| s.dir);
        let tile = |o: &&Operand| module.tile(o.value).is_some();
        let operands = module.operands(id);
        for dst in operands.iter().filter(|o| dir(o) == Some(Dir::Out) && tile(o)) {
            for src in operands.iter().filter(|o| dir(o) == Some(Dir::In) && tile(o)) {
                let mut same = module.clone();
                same.resolve_uses(&FastMap::from_iter([(dst.value, src.value)]));
                let name = |o: &Operand| op.row().slots[usize::from(o.slot)].name;
                all.push((format!("{} is {}", name(dst), name(src)), same));
            }
        }
    }
    all
}

/// The same program without its scratch tile.
fn without_scratch(module: &Module, op: Op) -> Option<Module> {
    let slot = op.row().slot(op.row().scratch?.slot)? as u8;
    let mut out = module.clone();
    let mut changed = false;
    for block in module.all_blocks() {
        for (at, id) in module.block(block).ops.iter().copied().enumerate() {
            let kept: Vec<Operand> = module.operands(id).iter().copied().filter(|o| o.slot != slot).collect();
            if module.op(id).op == op && kept.len() < module.operands(id).len() && module.results(id).next().is_none() {
                let data = module.op(id).clone();
                let attrs = module.attrs(id).to_vec();
                let new =
                    NewOp { operands: kept, attrs, span: data.span, name_span: data.name_span, ..NewOp::default() };
                let new = out.new_op(op, new);
                out.block_mut(block).ops[at] = new;
                changed = true;
            }
        }
    }
    changed.then_some(out)
}

/// The same program with a scratch tile, where it has none.
fn with_scratch(module: &Module, op: Op, target: Target) -> Option<Module> {
    let slot = op.row().slot(op.row().scratch?.slot)?;
    let id = *uses(module, op).first()?;
    let given = module.in_slot(id, slot).next().is_some();
    let checked = checks::check(module.clone(), target).ok().filter(|_| !given)?;
    let like = module.operands(id).iter().find_map(|o| module.tile(o.value)).copied()?;
    let tile = checks::scratch_left_out(&checked, id).unwrap_or(like);
    let mut out = module.clone();
    let (name, span) = (out.names.intern("added"), module.op(id).span);
    let alloc = out.new_tile(tile, name, span, &[]);
    let value = out.results(alloc).next()?;
    let mut operands: Vec<Operand> = module.operands(id).to_vec();
    operands.push(Operand { value, slot: slot as u8, span });
    operands.sort_by_key(|o| o.slot);
    let attrs = module.attrs(id).to_vec();
    let new = out.new_op(op, NewOp { operands, attrs, span, name_span: span, ..NewOp::default() });
    for block in module.all_blocks() {
        if let Some(at) = module.block(block).ops.iter().position(|o| *o == id) {
            out.block_mut(block).ops.splice(at..=at, [alloc, new]);
        }
    }
    Some(out)
}

fn emits(checked: &Checked) -> Result<(), String> {
    let result = emit::cpp(checked, &emit::Options::default());
    result.map(|_| ()).map_err(|list| {
        list.diagnostics().iter().map(|d| format!("{}: {}", d.code, d.message)).collect::<Vec<_>>().join("; ")
    })
}

#[test]
fn what_is_legal_can_be_emitted() {
    let (mut count, mut same, mut wrong) = (0, 0, Vec::new());
    for op in table::isa().filter(|op| emit::emits(*op)) {
        for target in DEVICES {
            for text in texts(op, target) {
                let program = Program::parse(&text);
                if program.check(target).is_err() {
                    continue;
                }
                for (how, module) in in_place(program.module(), op) {
                    let bare = without_scratch(&module, op).map(|m| (format!("{how}, no scratch"), m));
                    let more = with_scratch(&module, op, target).map(|m| (format!("{how}, scratch"), m));
                    for (how, module) in std::iter::once((how, module)).chain(bare).chain(more) {
                        let Ok(checked) = checks::check(module, target) else { continue };
                        count += 1;
                        same += usize::from(how.contains(" is "));
                        if let Err(problem) = emits(&checked) {
                            wrong.push(format!("{} {target}, {how}: {problem}\n{text}", op.row().name));
                        }
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}: {}", wrong.len(), wrong.join("\n"));
    assert!(count > 2000 && same > 500, "{count} programs, {same} in place");
}
