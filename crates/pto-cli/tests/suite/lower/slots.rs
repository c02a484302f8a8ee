//! Double buffering with several tiles in a row, whose index is computed in every iteration.

use super::generate::Random;
use super::{again, lowered, prepared, programs};
use pto::cpu::Known;
use pto::opt::SyncMode;
use pto::{Arg, Program, Target, cost, race};

const HEIGHT: usize = 32;

/// Loads a tile ahead of its use (or not), computes, stores; `pick` gives the tile with a number.
fn text(ahead: bool, pick: &str, tiles: &str) -> String {
    let picked = |name: &str, index: &str| pick.replace("NAME", name).replace("SLOT", &format!("{index}s"));
    let load = if ahead { "%next" } else { "%i" };
    let prologue = if ahead {
        format!(
            "{}\n    %v0 = pto.partition_view %xs, offsets = [%zero, %zero], sizes = [%four, %width] : !m -> !v
    pto.tload ins(%v0 : !v) outs(%first : !t)",
            picked("first", "%zero")
        )
    } else {
        String::new()
    };
    format!(
        "
  !t = !pto.tile_buf<vec, 4x256xf32>
  !m = !pto.tensor_view<32x256xf32>
  !v = !pto.partition_tensor_view<4x256xf32>
  func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %n: index) {{
    %zero = arith.constant 0 : index
    %zeros = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %four = arith.constant 4 : index
    %last = arith.constant 7 : index
    %width = arith.constant 256 : index
    %height = arith.constant 32 : index
    %k = arith.constant 2.0 : f32
    %xs = pto.make_tensor_view %x, shape = [%height, %width], strides = [%width, %one] : !m
    %ys = pto.make_tensor_view %y, shape = [%height, %width], strides = [%width, %one] : !m
    {tiles}
    %out = pto.alloc_tile : !t
    {prologue}
    scf.for %i = %zero to %n step %one {{
      %is = arith.remui %i, %two : index
      %next = arith.addi %i, %one : index
      %nexts = arith.remui %next, %two : index
      %from = arith.minui {load}, %last : index
      %row = arith.muli %from, %four : index
      %to = arith.muli %i, %four : index
      %vin = pto.partition_view %xs, offsets = [%row, %zero], sizes = [%four, %width] : !m -> !v
      %vout = pto.partition_view %ys, offsets = [%to, %zero], sizes = [%four, %width] : !m -> !v
      {}
      pto.tload ins(%vin : !v) outs(%a : !t)
      {}
      pto.tmuls ins(%b, %k : !t, f32) outs(%out : !t)
      pto.tadd ins(%out, %b : !t, !t) outs(%out : !t)
      pto.tstore ins(%out : !t) outs(%vout : !v)
    }}
    return
  }}",
        picked("a", load),
        picked("b", "%i"),
    )
}

const SLOTS: &str = "%NAME = pto.multi_tile_get %both[SLOT] : !pto.multi_tile_buf<vec, 4x256xf32, count=2> -> !t";
const BOTH: &str = "%both = pto.alloc_multi_tile : !pto.multi_tile_buf<vec, 4x256xf32, count=2>";

/// The lowered program, its flags, and its cycles for eight iterations, once it is known to be correct.
fn lower(text: &str, ahead: bool) -> (String, f64) {
    let checked = Program::parse(text).check(Target::A2A3).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let (low_text, low) = again(&lowered(&checked, false, SyncMode::Minimal));
    let plan = prepared(&low, Target::A2A3, &low_text);
    for iterations in [0, 1, 2, 5, 8] {
        let x: Vec<f32> = (0..HEIGHT * 256).map(|k| k as f32).collect();
        let mut y = vec![-1f32; HEIGHT * 256];
        let mut args = vec![Arg::read(&x), Arg::write(&mut y), Arg::Int(iterations)];
        let report = race::Check::new(plan.launch()).sync(race::OrderedBy::Manual).run(&mut args);
        assert!(report.findings.is_empty(), "{:?}\n{low_text}", report.findings);
        let done = iterations as usize * 1024;
        assert!(
            (0..done).all(|k| y[k] == 3.0 * x[k]) && y[done..].iter().all(|n| *n == -1.0),
            "ahead {ahead}\n{low_text}"
        );
    }
    let known = [Known::Nothing, Known::Nothing, Known::Int(8)];
    let trace = cost::record(plan.launch(), &known, cost::Options::default()).expect("it can be followed");
    let machine = cost::Machine::of(cost::Laws::of(Target::A2A3));
    (low_text, cost::simulate(&trace, &trace.charges, &machine).expect("it has an end").cycles)
}

/// A tile that is loaded ahead is not the one in use: the load waits for nothing in its own iteration, and its latency is hidden.
#[test]
fn tiles_loaded_ahead_do_not_wait_for_those_in_use() {
    let (low, ahead) = lower(&text(true, SLOTS, BOTH), true);
    let (_, one) = lower(&text(false, "%NAME = pto.treshape %t : !t -> !t", "%t = pto.alloc_tile : !t"), false);
    assert!(ahead < 0.8 * one, "{ahead} cycles with two tiles, {one} with one\n{low}");
    // Within an iteration no flag goes from the load to the computation.
    let body: Vec<&str> = low.lines().skip_while(|l| !l.contains("scf.for")).collect();
    let at = |what: &str| body.iter().position(|l| l.contains(what)).unwrap_or_else(|| panic!("no {what}\n{low}"));
    assert!(at("pto.wait_flag[<PIPE_MTE2>, <PIPE_V>") < at("pto.tmuls"), "{low}");
}

/// If load and use are in one iteration, there is a flag for each tile: the next tile is loaded while this one is in use.
#[test]
fn tiles_used_in_turn_have_flags_of_their_own() {
    let (low, two) = lower(&text(false, SLOTS, BOTH), false);
    let (_, one) = lower(&text(false, "%NAME = pto.treshape %t : !t -> !t", "%t = pto.alloc_tile : !t"), false);
    assert!(two < 0.8 * one, "{two} cycles with two tiles, {one} with one\n{low}");
    assert_eq!(low.matches("wait_flag_dyn[<PIPE_V>, <PIPE_MTE2>").count(), 1, "{low}");
    assert_eq!(low.matches("set_flag_dyn[<PIPE_MTE2>, <PIPE_V>").count(), 1, "{low}");
}

/// Loads into one of three tiles and reads another, in many iterations: no accesses are unordered.
fn is_in_order(body: &str) {
    let text = format!(
        "
  !t = !pto.tile_buf<vec, 16x16xf32>
  !m = !pto.multi_tile_buf<vec, 16x16xf32, count=3>
  !v = !pto.tensor_view<16x16xf32>
  func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %z: !pto.ptr<f32>) {{
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %three = arith.constant 3 : index
    %side = arith.constant 16 : index
    %n = arith.constant 300 : index
    %k = arith.constant 1.0 : f32
    %xs = pto.make_tensor_view %x, shape = [%side, %side], strides = [%side, %one] : !v
    %ys = pto.make_tensor_view %y, shape = [%side, %side], strides = [%side, %one] : !v
    %zs = pto.make_tensor_view %z, shape = [%side, %side], strides = [%side, %one] : !v
    %all = pto.alloc_multi_tile : !m
    %t = pto.alloc_tile : !t
    %u = pto.alloc_tile : !t
    pto.texpands ins(%k : f32) outs(%t : !t)
    %first = pto.multi_tile_get %all[%zero] : !m -> !t
    pto.tload ins(%xs : !v) outs(%first : !t)
    %second = pto.multi_tile_get %all[%one] : !m -> !t
    %third = pto.multi_tile_get %all[%two] : !m -> !t
    pto.texpands ins(%k : f32) outs(%second : !t)
    pto.texpands ins(%k : f32) outs(%third : !t)
    scf.for %i = %zero to %n step %one {{
{body}
    }}
    return
  }}"
    );
    for target in [Target::A2A3, Target::A5] {
        let checked = Program::parse(&text).check(target).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        let (low_text, low) = again(&lowered(&checked, false, SyncMode::Minimal));
        let plan = prepared(&low, target, &low_text);
        let (mut x, mut y, mut z) = (vec![1f32; 256], vec![0f32; 256], vec![0f32; 256]);
        let mut args = vec![Arg::write(&mut x), Arg::write(&mut y), Arg::write(&mut z)];
        let report = race::Check::new(plan.launch()).sync(race::OrderedBy::Manual).run(&mut args);
        assert!(report.findings.is_empty(), "{target}: {:?}\n{low_text}", report.findings);
    }
}

/// One tile of two and one of three meet in different iterations each time.
#[test]
fn slots_of_different_periods_are_in_order() {
    is_in_order(
        "      pto.tload ins(%ys : !v) outs(%u : !t)
      %next = arith.addi %i, %one : index
      %a = arith.remui %next, %three : index
      %to = pto.multi_tile_get %all[%a] : !m -> !t
      pto.tload ins(%xs : !v) outs(%to : !t)
      pto.tstore ins(%t : !t) outs(%zs : !v)
      pto.tstore ins(%u : !t) outs(%ys : !v)
      %b = arith.remui %i, %two : index
      %from = pto.multi_tile_get %all[%b] : !m -> !t
      pto.tadds ins(%from, %k : !t, f32) outs(%t : !t)",
    );
}

/// A number of eight bits wraps at iteration 256, in the middle of a period of three.
#[test]
fn narrow_numbers_of_slots_are_in_order() {
    is_in_order(
        "      %j = arith.index_cast %i : index to i8
      %ones = arith.constant 1 : i8
      %threes = arith.constant 3 : i8
      %b = arith.remui %j, %threes : i8
      %bi = arith.index_cast %b : i8 to index
      %from = pto.multi_tile_get %all[%bi] : !m -> !t
      pto.tadds ins(%from, %k : !t, f32) outs(%t : !t)
      %next = arith.addi %j, %ones : i8
      %a = arith.remui %next, %threes : i8
      %ai = arith.index_cast %a : i8 to index
      %to = pto.multi_tile_get %all[%ai] : !m -> !t
      pto.tload ins(%xs : !v) outs(%to : !t)",
    );
}

/// A number of 32 bits starts again, too, if it goes that far, also where only something in between has so few.
#[test]
fn numbers_of_32_bits_are_in_order() {
    is_in_order(
        "      %far = arith.constant 4294967293 : index
      %end = arith.constant 4294967302 : index
      scf.for %j = %far to %end step %one {
        %short = arith.index_cast %j : index to i32
        %long = arith.index_cast %short : i32 to index
        %b = arith.remui %long, %three : index
        %from = pto.multi_tile_get %all[%b] : !m -> !t
        %next = arith.addi %long, %one : index
        %a = arith.remui %next, %three : index
        %to = pto.multi_tile_get %all[%a] : !m -> !t
        pto.tload ins(%xs : !v) outs(%to : !t)
        pto.tadds ins(%from, %k : !t, f32) outs(%from : !t)
        pto.tstore ins(%from : !t) outs(%zs : !v)
      }",
    );
}

/// A random loop that rotates through tiles: several rows of tiles, indices some iterations ahead, inner loops and branches.
fn random_slots(seed: u64) -> String {
    let mut random = Random::of(seed);
    let (rows, period) = (1 + random.below(3), 2 + random.below(3));
    let mut lines = vec![format!("%p = arith.constant {period} : index")];
    for row in 0..rows {
        lines.push(format!("%m{row} = pto.alloc_multi_tile : !m"));
        for slot in 0..4 {
            lines.push(format!("%m{row}n{slot} = pto.multi_tile_get %m{row}[%c{slot}] : !m -> !t"));
            lines.push(format!("pto.texpands ins(%k : f32) outs(%m{row}n{slot} : !t)"));
        }
    }
    let (lower, step) = (random.below(3), 1 + random.below(3));
    lines.push(format!("scf.for %i = %c{lower} to %n step %c{step} {{"));
    for ahead in 0..period {
        lines.push(format!("%i{ahead} = arith.addi %i, %c{ahead} : index"));
        // Some indices have another period, so that iterations cannot be distinguished.
        let of = if random.below(12) == 0 { "%c3" } else { "%p" };
        lines.push(format!("%s{ahead} = arith.remui %i{ahead}, {of} : index"));
    }
    for op in 0..2 + random.below(5) {
        let inner = random.below(8);
        match inner {
            0 => lines.push(format!("scf.for %j{op} = %c0 to %c2 step %c1 {{")),
            1 => lines.push("scf.if %flag {".to_string()),
            _ => {}
        }
        let mut tile = |name: &str, lines: &mut Vec<String>| {
            let (row, ahead) = (random.below(rows), random.below(period));
            lines.push(format!("%{name}{op} = pto.multi_tile_get %m{row}[%s{ahead}] : !m -> !t"));
            format!("%{name}{op}")
        };
        let (a, b) = (tile("a", &mut lines), tile("b", &mut lines));
        lines.push(match random.below(4) {
            0 => format!("pto.tload ins(%x : !v) outs({a} : !t)"),
            1 => format!("pto.tstore ins({a} : !t) outs(%y : !v)"),
            2 => format!("pto.tadds ins({b}, %k : !t, f32) outs({a} : !t)"),
            _ => format!("pto.tadd ins({a}, {b} : !t, !t) outs({b} : !t)"),
        });
        if inner < 2 {
            lines.push("}".to_string());
        }
    }
    lines.push("}".to_string());
    let numbers = (0..4).map(|k| format!("    %c{k} = arith.constant {k} : index\n")).collect::<String>();
    format!(
        "
  !t = !pto.tile_buf<vec, 4x64xf32>
  !m = !pto.multi_tile_buf<vec, 4x64xf32, count=4>
  !v = !pto.partition_tensor_view<4x64xf32>
  func.func @f(%x: !v, %y: !v, %n: index, %flag: i1) {{
    %k = arith.constant 1.5 : f32
{numbers}    {}
    return
  }}",
        lines.join("\n    ")
    )
}

/// The same results before and after, and no unordered accesses, for any number of iterations.
#[test]
fn random_loops_over_slots_compute_the_same_and_are_in_order() {
    let mut numbered = 0;
    for seed in 0..programs() {
        let (text, target) = (random_slots(seed), if seed % 2 == 0 { Target::A2A3 } else { Target::A5 });
        let source = Program::parse(&text);
        let checked = source.check(target).unwrap_or_else(|e| panic!("seed {seed}: {e:?}\n{text}"));
        let (low_text, low) = again(&lowered(&checked, seed % 3 == 0, SyncMode::Minimal));
        numbered += u64::from(low_text.contains("wait_flag_dyn"));
        let (before, after) = (prepared(&source, target, &text), prepared(&low, target, &low_text));
        for (iterations, flag) in [(0, 1), (1, 0), (2, 1), (5, 1), (9, 0), (14, 1)] {
            let x: Vec<f32> = (0..256).map(|k| (k % 19) as f32 - 9.0).collect();
            let (mut one, mut two) = (vec![0f32; 256], vec![0f32; 256]);
            let mut args = [Arg::read(&x), Arg::write(&mut one), Arg::Int(iterations), Arg::Int(flag)];
            before.launch().run(&mut args).expect("it runs");
            let mut args = vec![Arg::read(&x), Arg::write(&mut two), Arg::Int(iterations), Arg::Int(flag)];
            let report = race::Check::new(after.launch()).sync(race::OrderedBy::Manual).run(&mut args);
            assert!(
                report.findings.is_empty(),
                "seed {seed}, {iterations} iterations, {target}: {:?}\n{low_text}",
                report.findings
            );
            assert_eq!(one, two, "seed {seed}, {iterations} iterations, {target}\n{low_text}");
        }
    }
    println!("{numbered} have flags by number");
    assert!(numbered > programs() / 4, "{numbered} have flags by number");
}
