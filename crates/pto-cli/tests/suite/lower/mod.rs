//! Lowered programs compute the same, and nothing in them is out of order.

mod buffers;
mod caches;
mod calls;
mod generate;
mod open_results;
mod plans;
mod regions;
mod scratch;
mod slots;

use generate::{HEIGHT, WIDTH, conditional_program, program};
use pto::checks::Checked;
use pto::cpu::{Event, Observer};
use pto::ir::{Form, Style};
use pto::opt::{self, SyncMode, plan};
use pto::syntax::Lines;
use pto::{Arg, Module, Options, Plan, Program, Target, race};
use std::collections::BTreeSet;
use std::path::Path;

/// Addresses and flags for a program.
fn lowered(checked: &Checked, tight: bool, mode: SyncMode) -> Module {
    opt::lower(checked, plan::Options { tight, ..Default::default() }, mode)
        .expect("it can be lowered")
        .program
        .into_module()
}

/// What it is once it has been written and read.
fn again(module: &Module) -> (String, Program) {
    let text = pto::ir::print(module, Style { form: Some(Form::Level2), ..Style::default() });
    let program = Program::parse(&text);
    (text, program)
}

fn prepared(program: &Program, target: Target, text: &str) -> Plan {
    program.plan(target, None, Options::default()).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// Arguments of a generated program: iterations of its loops, and conditions of its branches.
type Given = (i64, i64, bool, bool);

/// The arguments of a generated program.
fn arguments<'a>(x: &'a mut [f32], y: &'a mut [f32], (n, m, flag, other): Given) -> Vec<Arg<'a>> {
    vec![Arg::write(x), Arg::write(y), Arg::Int(n), Arg::Int(m), Arg::Int(flag.into()), Arg::Int(other.into())]
}

/// Runs a generated program and gives what it wrote.
fn outcome(plan: &Plan, given: Given) -> Vec<f32> {
    let mut x: Vec<f32> = (0..HEIGHT * WIDTH).map(|k| (k % 17) as f32 - 8.0).collect();
    let mut y = vec![0.25f32; HEIGHT * WIDTH];
    plan.launch().run(&mut arguments(&mut x, &mut y, given)).expect("it runs");
    y
}

fn races(plan: &Plan, given: Given) -> Vec<String> {
    let (mut x, mut y) = (vec![1.0f32; HEIGHT * WIDTH], vec![0.25f32; HEIGHT * WIDTH]);
    let mut args = arguments(&mut x, &mut y, given);
    let report = race::Check::new(plan.launch()).sync(race::OrderedBy::Manual).run(&mut args);
    report.findings.iter().map(|d| format!("{}: {}", d.code, d.message)).collect()
}

/// Also on paths that no data takes: what stands before a branch may be for one of its sides only.
fn races_somewhere(plan: &Plan) -> bool {
    let on_the_way = |given: Given| {
        let (mut x, mut y) = (vec![1.0f32; HEIGHT * WIDTH], vec![0.25f32; HEIGHT * WIDTH]);
        let mut args = arguments(&mut x, &mut y, given);
        let report = race::Check::new(plan.launch()).sync(race::OrderedBy::Manual).all_paths().run(&mut args);
        !report.findings.is_empty()
    };
    RUNS.iter().any(|given| !races(plan, *given).is_empty()) || RUNS.iter().any(|given| on_the_way(*given))
}

/// How many generated programs a run tries; set `PTO_PROGRAMS` for more.
fn programs() -> u64 {
    std::env::var("PTO_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(200)
}

#[test]
fn random_programs_compute_the_same_and_are_in_order() {
    for seed in 0..programs() {
        is_kept(seed, &program(seed));
    }
}

/// Loops that are left in the middle get flags like others. Only where there are not enough flags, all pipes wait.
#[test]
fn loops_that_are_left_in_the_middle_are_in_order() {
    let low = |seed: u64| is_kept(seed, &conditional_program(seed));
    let blanket = (0..programs() / 2).filter(|seed| low(*seed).contains("PIPE_ALL")).count() as u64;
    assert!(blanket * 100 <= programs(), "{blanket} of {} programs have barriers over all pipes", programs() / 2);
}

/// The same numbers before and after lowering, and nothing out of order; gives the text that was lowered to.
fn is_kept(seed: u64, text: &str) -> String {
    let target = if seed.is_multiple_of(2) { Target::A2A3 } else { Target::A5 };
    let source = Program::parse(text);
    let checked = source.check(target).unwrap_or_else(|e| panic!("seed {seed}: {e:?}\n{text}"));
    let before = prepared(&source, target, text);
    let (low_text, low) = again(&lowered(&checked, seed.is_multiple_of(3), SyncMode::Minimal));
    let after = prepared(&low, target, &low_text);
    for given in [(0, 1, true, true), (1, 2, false, true), (3, 0, true, false), (2, 2, false, false)] {
        let same = outcome(&before, given) == outcome(&after, given);
        assert!(same, "seed {seed}, {given:?}: other numbers\n{text}\n{low_text}");
        let found = races(&after, given);
        assert!(found.is_empty(), "seed {seed}, {given:?}, {target}: {found:#?}\n{low_text}");
    }
    low_text
}

/// Removes each wait and each barrier, one at a time: every removal is found.
#[test]
fn nothing_that_is_inserted_can_be_left_out() {
    let (mut waits, mut barriers) = ((0, 0), (0, 0));
    for seed in 0..programs() / 10 {
        let text = program(seed);
        let checked = Program::parse(&text).check(Target::A2A3).expect("legal");
        let (low_text, _) = again(&lowered(&checked, false, SyncMode::Minimal));
        let lines: Vec<&str> = low_text.lines().collect();
        let executed = executed_lines(&low_text);
        for at in 0..lines.len() {
            let count = match lines[at] {
                line if line.contains("wait_flag") => &mut waits,
                line if line.contains("pto.barrier") => &mut barriers,
                _ => continue,
            };
            if !executed.contains(&(at as u32 + 1)) {
                continue;
            }
            let spoiled = [&lines[..at], &lines[at + 1..]].concat().join("\n");
            let plan = prepared(&Program::parse(&spoiled), Target::A2A3, &spoiled);
            let found = races_somewhere(&plan);
            if !found {
                println!("seed {seed}: line {} can be left out\n{low_text}", at + 1);
            }
            *count = (count.0 + u32::from(found), count.1 + 1);
        }
    }
    println!("noticed: {} of {} waits, {} of {} barriers", waits.0, waits.1, barriers.0, barriers.1);
    // Loops and branches that share a condition make ways that no data takes: what is there for those can be left out.
    for (needed, all) in [waits, barriers] {
        assert!(f64::from(needed) >= 0.97 * f64::from(all), "{needed} of {all}");
    }
}

/// The operations that some run executes, by where they start.
#[derive(Default)]
struct Executed(BTreeSet<u32>);

impl Observer for Executed {
    fn event(&mut self, event: &Event<'_>) {
        self.0.insert(event.span.start);
    }
}

const RUNS: [Given; 8] = [
    (3, 2, true, true),
    (3, 2, false, true),
    (2, 3, true, false),
    (2, 3, false, false),
    (0, 2, true, false),
    (2, 0, false, true),
    (1, 1, true, true),
    (1, 1, false, false),
];

/// The lines of a program that some run executes.
fn executed_lines(text: &str) -> BTreeSet<u32> {
    let plan = prepared(&Program::parse(text), Target::A2A3, text);
    let mut seen = Executed::default();
    for given in RUNS {
        let (mut x, mut y) = (vec![1.0f32; HEIGHT * WIDTH], vec![0.25f32; HEIGHT * WIDTH]);
        plan.launch().observe(&mut seen).run(&mut arguments(&mut x, &mut y, given)).expect("it runs");
    }
    let lines = Lines::new(text);
    seen.0.into_iter().map(|start| lines.locate(start).0).collect()
}

#[test]
fn packing_is_close_to_what_is_needed() {
    let (mut sum, mut worst, mut count) = (0.0, 1.0f64, 0.0);
    for seed in 0..programs() {
        let text = program(seed);
        let checked = Program::parse(&text).check(Target::A2A3).expect("legal");
        let planned = opt::plan_memory(&checked, plan::Options { tight: true, ..Default::default() }).expect("it fits");
        for space in &planned.spaces {
            let ratio = space.peak as f64 / space.needed as f64;
            (sum, worst, count) = (sum + ratio, worst.max(ratio), count + 1.0);
        }
    }
    println!("{:.4} on average, {worst:.4} at worst", sum / count);
    assert!(sum / count <= 1.05 && worst <= 1.25);
}

/// The same plan and the same flags every time.
#[test]
fn lowering_is_the_same_every_time() {
    for seed in 0..20 {
        let checked = Program::parse(&program(seed)).check(Target::A5).expect("legal");
        let print = || again(&lowered(&checked, true, SyncMode::Minimal)).0;
        assert_eq!(print(), print());
    }
}

/// Two tiles that overlap at different addresses, at level 3 and after planning.
#[test]
fn overlapping_tiles_are_ordered() {
    let text = "
      !tile = !pto.tile_buf<vec, 16x16xf32>
      !view = !pto.tensor_view<16x16xf32>
      func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) {
        %one = arith.constant 1 : index
        %n = arith.constant 16 : index
        %low = arith.constant 0 : i64
        %high = arith.constant 512 : i64
        %xs = pto.make_tensor_view %x, shape = [%n, %n], strides = [%n, %one] : !view
        %ys = pto.make_tensor_view %y, shape = [%n, %n], strides = [%n, %one] : !view
        %a = pto.alloc_tile addr = %high : !tile
        %b = pto.alloc_tile addr = %low : !tile
        pto.tload ins(%xs : !view) outs(%a : !tile)
        pto.tstore ins(%a : !tile) outs(%ys : !view)
        pto.tload ins(%xs : !view) outs(%b : !tile)
        return
      }";
    let checked = Program::parse(text).check(Target::A2A3).expect("legal");
    let synced = opt::insert_sync(&checked, SyncMode::Minimal);
    assert_eq!(synced.counts(), (2, 0), "a flag for the store, and one for the second load");
    let (low_text, low) = again(&synced.module);
    let plan = prepared(&low, Target::A2A3, &low_text);
    let (mut x, mut y) = (vec![1.0f32; 256], vec![0.0f32; 256]);
    let report = race::check(plan.launch(), &mut [Arg::write(&mut x), Arg::write(&mut y)]);
    assert!(report.findings.is_empty(), "{:?}", report.findings);
}

/// Values that loops carry and branches result in: the same numbers as before, in order, with as few copies as named.
fn value_program(name: &str, copies: usize, iterations: &[i64]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/lower/{name}.pto"));
    let text = std::fs::read_to_string(path).expect("the program");
    let source = Program::parse(&text);
    let checked = source.check(Target::A2A3).expect("legal");
    let (low_text, low) = again(&lowered(&checked, false, SyncMode::Minimal));
    assert_eq!(low_text.matches("pto.tmov").count(), copies, "{low_text}");
    let (before, after) = (prepared(&source, Target::A2A3, &text), prepared(&low, Target::A2A3, &low_text));
    for (flag, n) in [0, 1].into_iter().flat_map(|flag| iterations.iter().map(move |n| (flag, *n))) {
        let (mut x, mut y) = ((0..1024).map(|k| k as f32 * 0.5).collect::<Vec<f32>>(), vec![0.0f32; 1024]);
        let takes_turns = iterations.len() > 1;
        let mut run = |plan: &Plan, watch: bool| {
            y.fill(0.0);
            let n = takes_turns.then_some(Arg::Int(n));
            let mut args: Vec<Arg> = [Arg::write(&mut x), Arg::write(&mut y)].into_iter().chain(n).collect();
            args.push(Arg::Int(flag));
            if watch {
                let report = race::check(plan.launch(), &mut args);
                assert!(report.findings.is_empty(), "{:?}\n{low_text}", report.findings);
            } else {
                plan.launch().run(&mut args).expect("it runs");
            }
            y.clone()
        };
        assert_eq!(run(&before, false), run(&after, false), "{name}, {n}, {flag}");
        run(&after, true);
    }
}

/// Only the side that hands on the sum copies it.
#[test]
fn carried_values_become_buffers() {
    value_program("carried", 1, &[0]);
}

/// The tile that is used afterwards, and both that change places.
#[test]
fn values_of_conditional_loops_become_buffers() {
    value_program("conditional", 3, &[0, 1, 3]);
}

/// Plain buffers of the core are placed and ordered like tiles, through branches too.
#[test]
fn buffers_of_lowered_programs_are_placed() {
    let text = "
      !local = memref<4x4x16xf16, #pto.address_space<vec>>
      !global = memref<4x4x16xf16, #pto.address_space<gm>>
      func.func @f(%x: !global, %y: !global, %flag: i1) {
        %a = memref.alloc() : !local
        %b = memref.alloc() : !local
        pto.tload ins(%x : !global) outs(%a : !local)
        pto.tload ins(%x : !global) outs(%b : !local)
        pto.tadd ins(%a, %a : !local, !local) outs(%a : !local)
        %c = scf.if %flag -> (!local) {
          scf.yield %a : !local
        } else {
          scf.yield %b : !local
        }
        pto.tstore ins(%c : !local) outs(%y : !global)
        return
      }";
    let checked = Program::parse(text).check(Target::A2A3).expect("legal");
    let (low_text, low) = again(&lowered(&checked, false, SyncMode::Minimal));
    low.check(Target::A2A3).unwrap_or_else(|e| panic!("{e:?}\n{low_text}"));
    assert_eq!(low_text.matches("pto.pointer_cast(").count(), 2, "{low_text}");
    assert_eq!(low_text.matches("pto.wait_flag").count(), 3, "{low_text}");
}

/// Windows of columns, and tiles of which it is fixed which of several they are, do not touch each other.
#[test]
fn what_does_not_meet_is_not_ordered() {
    let text = "
      !tile = !pto.tile_buf<vec, 16x32xf32>
      !half = !pto.tile_buf<vec, 16x16xf32>
      !both = !pto.multi_tile_buf<vec, 16x16xf32, count=2>
      func.func @f(%x: !pto.partition_tensor_view<16x16xf32>) {
        %zero = arith.constant 0 : index
        %one = arith.constant 1 : index
        %right = arith.constant 16 : index
        %t = pto.alloc_tile : !tile
        %a = pto.subview %t[%zero, %zero] sizes [16, 16] : !tile -> !half
        %b = pto.subview %t[%zero, %right] sizes [16, 16] : !tile -> !half
        %pair = pto.alloc_multi_tile : !both
        %c = pto.multi_tile_get %pair[%zero] : !both -> !half
        %d = pto.multi_tile_get %pair[%one] : !both -> !half
        pto.tload ins(%x : !pto.partition_tensor_view<16x16xf32>) outs(%a : !half)
        pto.tload ins(%x : !pto.partition_tensor_view<16x16xf32>) outs(%b : !half)
        pto.tload ins(%x : !pto.partition_tensor_view<16x16xf32>) outs(%c : !half)
        pto.tload ins(%x : !pto.partition_tensor_view<16x16xf32>) outs(%d : !half)
        return
      }";
    let checked = Program::parse(text).check(Target::A2A3).expect("legal");
    let (low_text, _) = again(&lowered(&checked, false, SyncMode::Minimal));
    assert!(low_text.contains("pto.alloc_multi_tile addr"), "{low_text}");
    assert!(!low_text.contains("barrier") && !low_text.contains("flag"), "{low_text}");
}

/// Rotating buffers with computed flag ids: the order of the author is kept, and nothing is added.
#[test]
fn double_buffering_by_hand_is_kept() {
    for (file, flags) in [("examples/gemm.pto", 30), ("tests/race/wrong_buffer_of_a_pair.fixed.pto", 10)] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
        let checked = Program::parse(&std::fs::read_to_string(path).expect("the program")).check(Target::A2A3);
        let synced = opt::insert_sync(&checked.expect("legal"), SyncMode::Minimal);
        assert_eq!((synced.left.len(), synced.kept, synced.counts()), (1, flags, (0, 0)), "{file}");
    }
}

/// With barriers only, everything is in order too.
#[test]
fn barriers_order_everything() {
    for seed in 0..20 {
        let checked = Program::parse(&program(seed)).check(Target::A2A3).expect("legal");
        let (text, low) = again(&lowered(&checked, false, SyncMode::Barriers));
        assert!(!text.contains("set_flag"));
        let found = races(&prepared(&low, Target::A2A3, &text), (3, 2, true, true));
        assert!(found.is_empty(), "seed {seed}: {found:?}\n{text}");
    }
}

#[test]
fn too_much_is_explained() {
    let text = "
      func.func @f(%x: !pto.ptr<f32>) {
        %zero = arith.constant 0.0 : f32
        %a = pto.alloc_tile : !pto.tile_buf<vec, 128x256xf32>
        %b = pto.alloc_tile : !pto.tile_buf<vec, 128x256xf32>
        pto.texpands ins(%zero : f32) outs(%a : !pto.tile_buf<vec, 128x256xf32>)
        pto.texpands ins(%zero : f32) outs(%b : !pto.tile_buf<vec, 128x256xf32>)
        pto.tadd ins(%a, %b : !pto.tile_buf<vec, 128x256xf32>, !pto.tile_buf<vec, 128x256xf32>) outs(%a : !pto.tile_buf<vec, 128x256xf32>)
        return
      }";
    let checked = Program::parse(text).check(Target::A2A3).expect("legal");
    let problems = opt::plan_memory(&checked, plan::Options::default()).expect_err("256 KiB into 192");
    assert_eq!(problems.diagnostics()[0].message, "tiles of `vec` need 262144 bytes, 65536 more than a2a3 has");
    assert!(
        problems.diagnostics()[0].legal.iter().any(|l| l == "needed at the same time: %a 131072, %b 131072"),
        "{:?}",
        problems.diagnostics()[0]
    );
}

/// Every example, lowered by the command line, gives the same numbers, and nothing in it is out of order.
#[test]
fn examples_compute_the_same_and_are_in_order() {
    let directory = tempfile::tempdir().expect("a directory");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let pto = |command: &str, file: &Path, more: &[&str]| {
        let output = pto_testkit::commands::english(env!("CARGO_BIN_EXE_pto"))
            .arg(command)
            .arg(file)
            .args(more)
            .output()
            .expect("it starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{command} {}: {}", file.display(), String::from_utf8_lossy(&output.stderr));
        text
    };
    for entry in std::fs::read_dir(examples).expect("the examples") {
        let file = entry.expect("a file").path();
        if file.extension().is_none_or(|e| e != "pto") {
            continue;
        }
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let arguments: &[&str] = match &*name {
            "vector_add" => &["n=20000"],
            "int8_gemm" => &["scale=1065353216"],
            "all_reduce" => &["--ranks", "4"],
            _ => &[],
        };
        let low = directory.path().join(format!("{name}.pto"));
        std::fs::write(&low, pto("lower", &file, &[])).expect("it is written");
        // The first line has the time.
        let numbers = |text: String| text.lines().skip(1).map(str::to_string).collect::<Vec<_>>();
        assert_eq!(numbers(pto("run", &file, arguments)), numbers(pto("run", &low, arguments)), "{name}");
        let manual = [arguments, &["--sync", "manual"]].concat();
        assert!(pto("race", &low, &manual).contains("no race found"), "{name}");
    }
}

/// The tiles that do not fit are named, all of them or with the number of the others.
#[test]
fn tiles_that_do_not_fit_are_all_accounted_for() {
    for count in [18usize, 60] {
        let tiles = |each: &dyn Fn(usize) -> String| (0..count).map(each).collect::<String>();
        let text = format!(
            "!t = !pto.tile_buf<vec, 32x128xf32>\nfunc.func @f(%x: f32) {{\n{}{}  return\n}}\n",
            tiles(&|k| format!("  %t{k} = pto.alloc_tile : !t\n  pto.texpands ins(%x : f32) outs(%t{k} : !t)\n")),
            tiles(&|k| format!("  pto.tadd ins(%t{k}, %t0 : !t, !t) outs(%t{k} : !t)\n")),
        );
        let checked = Program::parse(&text).check(Target::A2A3).expect("legal");
        let problems = opt::lower(&checked, plan::Options::default(), SyncMode::Minimal).expect_err("too much");
        let list =
            problems.diagnostics()[0].legal.iter().find(|l| l.starts_with("needed at the same time")).expect("a list");
        let named = list.matches('%').count();
        let rest =
            list.split("and ").nth(1).map_or(0, |more| more.split(' ').next().unwrap().parse().expect("a number"));
        assert_eq!(named + rest, count, "{list}");
    }
}
