//! Scratch tiles that programs leave out, for every instruction that takes one.

use super::again;
use pto::isa::fill::{self, Filling};
use pto::isa::row::Harm;
use pto::isa::{Dim, Op, Target, TileType, Type, codes, table};
use pto::opt::{self, Mode, plan};
use pto::{Program, sample};
use std::collections::BTreeSet;

/// Uses of an instruction to look at, for each element type.
const USES: usize = 3;

/// Other valid regions of a tile.
const REGIONS: [fn(TileType) -> TileType; 5] = [
    |t| t,
    |t| t.valid(less(t.valid_rows), t.valid_cols),
    |t| t.valid(t.valid_rows, less(t.valid_cols)),
    |t| t.valid(less(t.valid_rows), less(t.valid_cols)),
    |t| t.valid(Dim::Dynamic, Dim::Dynamic),
];

fn less(extent: Dim) -> Dim {
    match extent {
        Dim::Fixed(n) if n > 2 => Dim::Fixed(n - 1 - n / 4),
        other => other,
    }
}

fn with_region(filling: &Filling, region: fn(TileType) -> TileType) -> Filling {
    let ty = |ty: &Type| match ty {
        Type::TileBuf(tile) => Type::TileBuf(region(*tile)),
        other => other.clone(),
    };
    let types = filling.types.iter().map(|(slot, t)| (*slot, ty(t))).collect();
    Filling { types, ..filling.clone() }
}

/// Legal uses that leave the scratch tile out, whole and with smaller and open valid regions.
fn uses_without(op: Op, target: Target) -> Vec<Filling> {
    let row = op.row();
    let Some(slot) = row.scratch.and_then(|s| row.slot(s.slot)) else { return Vec::new() };
    let types = fill::data_types(row, target);
    let all = types.iter().flat_map(|data| fill::several(op, target, *data, 1000, USES));
    let without = all.map(|mut f| {
        f.types.retain(|(s, _)| usize::from(*s) != slot);
        f
    });
    let varied = without.flat_map(|f| REGIONS.map(|region| with_region(&f, region)));
    let mut seen = BTreeSet::new();
    varied.filter(|f| f.is_legal(target) && seen.insert(sample::around(f))).collect()
}

/// Whatever is legal without a scratch tile can be lowered: it gets the tile that its rules ask for, nothing works in memory that
/// nobody names, and the tile shares no byte with the operands.
#[test]
fn every_instruction_gets_the_scratch_tile_that_it_needs() {
    let mut looked_at = 0;
    for op in table::isa().filter(|op| op.row().scratch.is_some()) {
        for target in op.row().targets.iter().filter(|t| *t != Target::Cpu) {
            let uses = uses_without(op, target);
            let partial = |f: &Filling| {
                f.types.iter().any(|(_, ty)| ty.tile().is_some_and(|t| t.valid_rows != Dim::Fixed(t.rows)))
            };
            let name = op.row().name;
            let required = op.row().scratch.is_some_and(|s| s.required.contains(target));
            assert!(!required || uses.iter().any(partial), "{name} on {target}: no use with a smaller valid region");
            for filling in uses {
                is_lowered(&filling, target);
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 500, "only {looked_at} uses");
}

fn is_lowered(filling: &Filling, target: Target) {
    let text = sample::around(filling);
    let fail = |what: &str, problems: &[pto::Diagnostic]| -> ! {
        let messages: Vec<_> = problems.iter().map(|d| format!("{}: {}", d.code, d.message)).collect();
        panic!("{what} on {target}: {}\n{text}", messages.join("; "))
    };
    let checked = Program::parse(&text).check(target).unwrap_or_else(|e| fail("not legal", &e));
    let lowered = match opt::lower(&checked, plan::Options::default(), Mode::Minimal) {
        Ok(lowered) => lowered.program,
        Err(problems) => fail("not lowered", &problems),
    };
    let (_, low) = again(lowered.module());
    let known = |d: &pto::Diagnostic| matches!(d.code, codes::DEVICE_FAULT);
    let left: Vec<_> = low.inspect(target).into_iter().filter(|d| !known(d)).collect();
    if !left.is_empty() {
        fail("lowered to a program with problems", &left);
    }
    for id in lowered.module().order().into_iter().filter(|id| lowered.module().op(*id).op == filling.op) {
        assert!(
            pto::checks::work_space(&lowered, id).hidden.is_empty(),
            "works in memory of its own on {target}:\n{text}"
        );
    }
}

/// Instructions that work in memory of their own take a scratch tile instead, or planning keeps that memory free.
#[test]
fn memory_that_nobody_names_is_at_the_end() {
    for op in table::isa() {
        for hazard in op.row().hazards {
            let Harm::Hidden(memory) = hazard.harm else { continue };
            for target in hazard.targets.iter() {
                let space = target.profile().space(memory.loc).expect("a memory of the target");
                assert_eq!(memory.end, space.bytes, "{} on {target}", op.row().name);
            }
        }
    }
}
