//! What `pto perf` advises is what a program reaches that is written that way.

use pto::cost::{Advice, AdviceChange, Laws, Machine, Options, PerfReport, Trace, advise, record, simulate};
use pto::isa::Loc;
use pto::opt::{self, SyncMode};
use pto::{Plan, Program, Target};

const TARGET: Target = Target::A2A3;

fn checked(text: &str) -> pto::Checked {
    Program::parse(text).check(TARGET).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"))
}

fn predicted(checked: &pto::Checked) -> (Plan, Trace, PerfReport) {
    let plan = Plan::new(checked, None, pto::Options::default()).expect("it runs");
    let options = Options { touches: true, ..Options::default() };
    let trace = record(plan.launch(), &[], options).expect("it can be followed");
    let laws = Laws::of(TARGET);
    let line = simulate(&trace, &trace.charges, &Machine::of(laws)).expect("it has an end");
    let report = PerfReport::new(&trace, &line, laws);
    (plan, trace, report)
}

fn cycles(text: &str) -> f64 {
    predicted(&checked(text)).2.cycles
}

fn lowered(text: &str) -> f64 {
    let lowered =
        opt::lower(&checked(text), opt::plan::Options::default(), SyncMode::Minimal).expect("it can be lowered");
    predicted(&lowered.program).2.cycles
}

/// The advice to double a buffer.
fn doubling(text: &str) -> Advice {
    let (plan, trace, report) = predicted(&checked(text));
    let again = |options, blocks: Option<u32>| record(plan.launch().blocks(blocks.unwrap_or(1)), &[], options).ok();
    let all = advise(&trace, &report, Laws::of(TARGET), Options::default(), &again);
    let doubles = |a: &Advice| matches!(a.change, AdviceChange::DoubleBuffer(_) | AdviceChange::DoubleBufferBehind(_));
    all.into_iter().find(doubles).expect("a second buffer helps")
}

fn assert_close(a: f64, b: f64, what: &str) {
    assert!((a - b).abs() <= 0.01 * a.max(b), "{what}: {a} and {b} cycles");
}

/// Windows of a vector are loaded, doubled and stored; `index` computes `%w`, the number of the tile, from `%at`.
fn windows(count: u64, index: &str) -> String {
    let many = format!("!pto.multi_tile_buf<vec, 1x2048xf32, count={count}>");
    let (made, taken) = match count {
        1 => ("%a = pto.alloc_tile : !row".to_string(), String::new()),
        _ => {
            let taken = format!("    %a = pto.multi_tile_get %m[%w] : {many} -> !row\n");
            (format!("%m = pto.alloc_multi_tile : {many}"), taken)
        }
    };
    format!(
        "!row = !pto.tile_buf<vec, 1x2048xf32>
!vector = !pto.tensor_view<65536xf32>
!window = !pto.partition_tensor_view<2048xf32>
func.func @k(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {{pto.entry}} {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = arith.constant {count} : index
  %mask = arith.constant {} : index
  %shift = arith.constant 11 : index
  %n = arith.constant 65536 : index
  %width = arith.constant 2048 : index
  %xs = pto.make_tensor_view %x, shape = [%n], strides = [%one] : !vector
  %ys = pto.make_tensor_view %y, shape = [%n], strides = [%one] : !vector
  {made}
  scf.for %at = %zero to %n step %width {{
{index}{taken}    %from = pto.partition_view %xs, offsets = [%at], sizes = [%width] : !vector -> !window
    %to = pto.partition_view %ys, offsets = [%at], sizes = [%width] : !vector -> !window
    pto.tload ins(%from : !window) outs(%a : !row)
    pto.tadd ins(%a, %a : !row, !row) outs(%a : !row)
    pto.tstore ins(%a : !row) outs(%to : !window)
  }}
  return
}}
",
        count - 1
    )
}

const BY_DIVISION: &str = "    %q = arith.divui %at, %width : index\n    %w = arith.remui %q, %count : index\n";

/// However the number of an iteration is computed, lowering finds out which tile an iteration uses.
#[test]
fn tiles_in_turn_are_told_apart_by_computed_numbers() {
    let one = windows(1, BY_DIVISION);
    assert_close(cycles(&one), lowered(&one), "one tile");
    let ways = [
        BY_DIVISION.to_string(),
        "    %q = arith.shrui %at, %shift : index\n    %w = arith.andi %q, %mask : index\n".to_string(),
        "    %q = arith.divsi %at, %width : index\n    %p = arith.addi %q, %one : index\n    \
         %w = arith.remsi %p, %count : index\n"
            .to_string(),
        "    %q = arith.divui %at, %width : index\n    %p = arith.muli %q, %one : index\n    \
         %w = arith.remui %p, %count : index\n"
            .to_string(),
    ];
    for way in ways {
        let two = windows(2, &way);
        assert_close(cycles(&two), lowered(&two), &way);
        assert!(lowered(&two) < 0.8 * lowered(&one), "{way}");
    }
    // Every second iteration uses the tile of the iteration before.
    let way = "    %p = arith.addi %width, %width : index\n    %q = arith.divui %at, %p : index\n    %w = arith.remui %q, %count : index\n";
    let slow = windows(2, way);
    assert!(lowered(&slow) >= 0.99 * cycles(&slow));
}

#[test]
fn a_second_copy_of_tiles_takes_what_the_advice_says() {
    for count in [1, 2] {
        let now = windows(count, BY_DIVISION);
        let advice = doubling(&now);
        assert_eq!(advice.extra, Some((Loc::Vec, count * 2048 * 4)), "{count} tiles");
        assert_close(advice.cycles, cycles(&windows(2 * count, BY_DIVISION)), "twice the tiles");
        assert_close(advice.cycles, lowered(&windows(2 * count, BY_DIVISION)), "twice the tiles, lowered");
    }
}

/// Tiles by address, with flags that are told apart by the number of the tile.
fn by_hand(count: usize) -> String {
    let flags = |op: &str| -> String {
        (0..count).map(|k| format!("  pto.{op}[<PIPE_MTE3>, <PIPE_MTE2>, <EVENT_ID{k}>]\n")).collect()
    };
    format!(
        "!t = !pto.tile_buf<vec, 16x64xf32>
!big = !pto.tensor_view<2048x64xf32>
!p = !pto.partition_tensor_view<16x64xf32>
func.func @k(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ck = arith.constant {count} : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c2048 = arith.constant 2048 : index
  %c4096 = arith.constant 4096 : index
  %xs = pto.make_tensor_view %x, shape = [%c2048, %c64], strides = [%c64, %c1] : !big
  %ys = pto.make_tensor_view %y, shape = [%c2048, %c64], strides = [%c64, %c1] : !big
{}  scf.for %r = %c0 to %c2048 step %c16 {{
    %q = arith.divui %r, %c16 : index
    %w = arith.remui %q, %ck : index
    %off = arith.muli %w, %c4096 : index
    %at = arith.index_cast %off : index to i64
    %t = pto.alloc_tile addr = %at : !t
    %from = pto.partition_view %xs, offsets = [%r, %c0], sizes = [%c16, %c64] : !big -> !p
    %to = pto.partition_view %ys, offsets = [%r, %c0], sizes = [%c16, %c64] : !big -> !p
    pto.wait_flag_dyn[<PIPE_MTE3>, <PIPE_MTE2>, %w]
    pto.tload ins(%from : !p) outs(%t : !t)
    pto.set_flag_dyn[<PIPE_MTE2>, <PIPE_V>, %w]
    pto.wait_flag_dyn[<PIPE_MTE2>, <PIPE_V>, %w]
    pto.tadd ins(%t, %t : !t, !t) outs(%t : !t)
    pto.set_flag_dyn[<PIPE_V>, <PIPE_MTE3>, %w]
    pto.wait_flag_dyn[<PIPE_V>, <PIPE_MTE3>, %w]
    pto.tstore ins(%t : !t) outs(%to : !p)
    pto.set_flag_dyn[<PIPE_MTE3>, <PIPE_MTE2>, %w]
  }}
{}  return
}}
",
        flags("set_flag"),
        flags("wait_flag")
    )
}

#[test]
fn a_second_copy_of_buffers_with_flags_takes_what_the_advice_says() {
    for count in [1, 2, 3] {
        let advice = doubling(&by_hand(count));
        assert_eq!(advice.extra, Some((Loc::Vec, count as u64 * 4096)), "{count} buffers");
        assert_close(advice.cycles, cycles(&by_hand(2 * count)), "twice the buffers");
    }
}

/// Tiles that a program lays over each other take their bytes once.
#[test]
fn memory_counts_addresses_once() {
    let text = "!a = !pto.tile_buf<vec, 64x256xf32>
!b = !pto.tile_buf<vec, 32x256xf32>
!v = !pto.tensor_view<64x256xf32>
!w = !pto.tensor_view<32x256xf32>
func.func @k(%x: !pto.ptr<f32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %xs = pto.make_tensor_view %x, shape = [%c64, %c256], strides = [%c256, %c1] : !v
  %ys = pto.make_tensor_view %x, shape = [%c32, %c256], strides = [%c256, %c1] : !w
  %p = arith.constant 0 : i64
  %q = arith.constant 32768 : i64
  %r = arith.constant 49152 : i64
  %a = pto.alloc_tile addr = %p : !a
  %b = pto.alloc_tile addr = %q : !b
  %c = pto.alloc_tile addr = %r : !b
  pto.tload ins(%xs : !v) outs(%a : !a)
  pto.barrier <PIPE_ALL>
  pto.tadd ins(%b, %b : !b, !b) outs(%b : !b)
  pto.barrier <PIPE_ALL>
  pto.tadd ins(%c, %c : !b, !b) outs(%c : !b)
  pto.barrier <PIPE_ALL>
  pto.tstore ins(%a : !a) outs(%xs : !v)
  pto.tstore ins(%b : !b) outs(%ys : !w)
  pto.tstore ins(%c : !b) outs(%ys : !w)
  return
}
";
    let report = predicted(&checked(text)).2;
    // From 0 to the end of the last tile, at 48 + 32 KiB.
    assert_eq!(report.peaks().get(&Loc::Vec), Some(&(80 << 10)));
}
