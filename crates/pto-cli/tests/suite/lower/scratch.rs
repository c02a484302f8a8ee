//! Scratch tiles that programs leave out, for every instruction that takes one.

use super::again;
use pto::isa::fill::{self, Filling};
use pto::isa::row::Harm;
use pto::isa::{Dim, Op, Target, TileType, Type, codes, table};
use pto::opt::{self, SyncMode, plan};
use pto::race;
use pto::{Arg, Program, sample};
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
    let checked = Program::parse(&text).check(target).unwrap_or_else(|e| fail("not legal", e.diagnostics()));
    let lowered = match opt::lower(&checked, plan::Options::default(), SyncMode::Minimal) {
        Ok(lowered) => lowered.program,
        Err(problems) => fail("not lowered", problems.diagnostics()),
    };
    let (_, low) = again(lowered.module());
    let concerns =
        |d: &pto::Diagnostic| d.is_error() || matches!(d.code, codes::HIDDEN_MEMORY | codes::PARTIAL_OVERLAP);
    let left: Vec<_> = low.inspect(target).into_iter().filter(concerns).collect();
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

/// Planning keeps memory free that instructions use by themselves, at an end of a memory.
#[test]
fn memory_that_nobody_names_is_at_an_end() {
    for op in table::isa() {
        for hazard in op.row().hazards {
            let Harm::Hidden(memory) = hazard.harm else { continue };
            for target in hazard.targets.iter() {
                let space = target.profile().space(memory.loc).expect("a memory of the target");
                let at_an_end = memory.start == 0 || memory.end == space.bytes;
                assert!(at_an_end || memory.start >= space.bytes, "{} on {target}", op.row().name);
            }
        }
    }
}

fn low(text: &str, target: Target) -> (String, Program) {
    let checked = Program::parse(text).check(target).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let lowered = opt::lower(&checked, plan::Options { tight: true, ..Default::default() }, SyncMode::Minimal);
    again(lowered.unwrap_or_else(|e| panic!("{e:?}\n{text}")).program.module())
}

/// The value of a constant that a line of a lowered program defines.
fn address(text: &str, tile: &str) -> u64 {
    let line =
        text.lines().find(|l| l.contains(&format!("%{tile}_at = "))).unwrap_or_else(|| panic!("{tile} in\n{text}"));
    let number = line.split("constant ").nth(1).and_then(|rest| rest.split_whitespace().next());
    number.and_then(|n| n.parse().ok()).unwrap_or_else(|| panic!("{line}"))
}

/// A source that the device works in, and that is read later, is copied; one that is not needed any more is not.
#[test]
fn sources_that_a_device_loses_are_copied() {
    let program = |rest: &str| {
        format!(
            "!t = !pto.tile_buf<vec, 8x64xi32>
             !v = !pto.tensor_view<8x64xi32>
             func.func @f(%x: !v, %y: !v, %z: !v) {{
               %a = pto.alloc_tile : !t
               %b = pto.alloc_tile : !t
               %d = pto.alloc_tile : !t
               tload ins(%x) outs(%a)
               tload ins(%y) outs(%b)
               trem ins(%a, %b) outs(%d)
               tstore ins(%d) outs(%y)
               {rest}
               return
             }}"
        )
    };
    for (rest, copies) in
        [("", 0), ("tstore ins(%b) outs(%z)", 1), ("tadd ins(%a, %b) outs(%a)\ntstore ins(%a) outs(%z)", 2)]
    {
        let (text, lowered) = low(&program(rest), Target::A2A3);
        assert_eq!(text.matches("pto.tmov").count(), copies, "{text}");
        let left: Vec<_> = lowered.inspect(Target::A2A3).into_iter().filter(|d| d.code == codes::DESTROYED).collect();
        assert!(left.is_empty(), "{left:?}\n{text}");
        assert!(!low(&program(rest), Target::A5).0.contains("pto.tmov"), "a5 keeps its sources");
    }
}

/// Who calls a function may read what it was given, so a function copies the tiles that it would lose.
#[test]
fn parameters_that_a_device_loses_are_copied() {
    let text = "!t = !pto.tile_buf<vec, 8x64xi32>
         !v = !pto.tensor_view<8x64xi32>
         func.func @f(%x: !v, %y: !v, %z: !v) attributes {pto.entry} {
           %a = pto.alloc_tile : !t
           %b = pto.alloc_tile : !t
           %d = pto.alloc_tile : !t
           tload ins(%x) outs(%a)
           tload ins(%y) outs(%b)
           func.call @rest(%a, %b, %d) : (!t, !t, !t) -> ()
           tstore ins(%b) outs(%z)
           return
         }
         func.func private @rest(%a: !t, %b: !t, %d: !t) {
           trem ins(%a, %b) outs(%d)
           return
         }";
    let (low_text, lowered) = low(text, Target::A2A3);
    assert_eq!(low_text.matches("pto.tmov").count(), 2, "{low_text}");
    let plan = super::prepared(&lowered, Target::A2A3, &low_text);
    let (mut x, mut y, mut z) = (vec![7i32; 512], vec![4i32; 512], vec![0i32; 512]);
    let mut args = vec![Arg::write(&mut x), Arg::write(&mut y), Arg::write(&mut z)];
    let report = race::Check::new(plan.launch()).sync(race::OrderedBy::Manual).run(&mut args);
    assert!(report.findings.is_empty(), "{:?}\n{low_text}", report.findings);
}

/// The device fills the destination with the scalar first, so it never takes over the source; nor does a quotient by a scalar,
/// which the device would compute with a reciprocal.
#[test]
fn divisions_by_and_of_a_scalar_are_not_in_place() {
    for operands in ["%k, %a", "%a, %k"] {
        let text = format!(
            "!t = !pto.tile_buf<vec, 8x64xf32>
             !v = !pto.tensor_view<8x64xf32>
             func.func @f(%x: !v, %k: f32) {{
               %a = pto.alloc_tile : !t
               %d = pto.alloc_tile : !t
               tload ins(%x) outs(%a)
               tdivs ins({operands}) outs(%d)
               tstore ins(%d) outs(%x)
               return
             }}"
        );
        let (text, _) = low(&text, Target::A2A3);
        assert_ne!(address(&text, "a"), address(&text, "d"), "{text}");
        let (text, _) = low(&text.replace("addr = %a_at ", "").replace("addr = %d_at ", ""), Target::A5);
        assert!(text.contains("tdivs"), "{text}");
    }
}

/// With one value per row, a2a3 would work in the last 8 KiB of its memory; a scratch tile keeps them for tiles.
#[test]
fn row_expansions_get_a_scratch_tile() {
    let text = "!t = !pto.tile_buf<vec, 16x1024xf32>
        !e = !pto.tile_buf<vec, 15x1024xf32>
        !c = !pto.tile_buf<vec, 16x1xf32, blayout=col_major>
        !v = !pto.tensor_view<16x1024xf32>
        !u = !pto.tensor_view<15x1024xf32>
        !w = !pto.tensor_view<16x1xf32>
        func.func @f(%x: !v, %y: !v, %u: !u, %s: !w) {
          %a = pto.alloc_tile : !t
          %b = pto.alloc_tile : !t
          %e = pto.alloc_tile : !e
          %m = pto.alloc_tile : !c
          tload ins(%x) outs(%a)
          tload ins(%x) outs(%b)
          tload ins(%u) outs(%e)
          tload ins(%s) outs(%m)
          trowexpandmax ins(%a, %m) outs(%a)
          tadd ins(%a, %b) outs(%a)
          tstore ins(%a) outs(%y)
          tstore ins(%e) outs(%u)
          return
        }";
    let (lowered, program) = low(text, Target::A2A3);
    assert!(lowered.contains("trowexpandmax ins(%a, %m, %tmp"), "{lowered}");
    assert!(program.inspect(Target::A2A3).is_empty(), "{lowered}");
    assert!(!low(text, Target::A5).0.contains("%tmp"), "a5 needs none");
}

/// Devices add a product to what the destination holds, so it must be the accumulator.
#[test]
fn products_are_added_to_their_accumulator() {
    let text = "!l = !pto.tile_buf<left, 32x32xf16, slayout=row_major>
        !r = !pto.tile_buf<right, 32x32xf16, blayout=row_major, slayout=col_major>
        !c = !pto.tile_buf<acc, 32x32xf32, blayout=col_major, slayout=row_major, fractal=1024>
        func.func @f(%a: !l, %b: !r, %y: !pto.tensor_view<32x32xf32>) {
          %first = pto.alloc_tile : !c
          %second = pto.alloc_tile : !c
          pto.tmatmul ins(%a, %b : !l, !r) outs(%first : !c)
          pto.tmatmul.acc ins(%first, %a, %b : !c, !l, !r) outs(%second : !c)
          pto.tstore ins(%second : !c) outs(%y : !pto.tensor_view<32x32xf32>)
          return
        }";
    for target in [Target::A2A3, Target::A5] {
        let (lowered, program) = low(text, target);
        assert_eq!(address(&lowered, "first"), address(&lowered, "second"), "{lowered}");
        assert!(program.inspect(target).is_empty(), "{:?}\n{lowered}", program.inspect(target));
    }
}
