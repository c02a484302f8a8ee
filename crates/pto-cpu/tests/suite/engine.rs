//! The engine on small programs: control flow, placement, views, errors.

use pto_check::Checked;
use pto_cpu::{AddressSpace, Arg, Event, Known, Observer, Options, Plan};
use pto_isa::{Error, Target, codes};

fn checked(text: &str) -> Checked {
    let (module, problems) = pto_syntax::parse(text);
    assert!(problems.is_empty(), "{problems:#?}");
    pto_check::check(module, Target::A2A3).unwrap_or_else(|p| panic!("{p:#?}"))
}

fn run(text: &str, args: &mut [Arg<'_>]) -> Result<(), Error> {
    run_blocks(text, args, 1, 0)
}

fn run_blocks(text: &str, args: &mut [Arg<'_>], blocks: u32, threads: usize) -> Result<(), Error> {
    let checked = checked(text);
    Plan::new(&checked, None, Options::default())?.launch().blocks(blocks).threads(threads).run(args).map(drop)
}

/// A function that writes `count` integers to `%out`.
fn ints(body: &str, count: usize, args: &[i64]) -> Result<Vec<i64>, Error> {
    let params: Vec<String> = (0..args.len()).map(|i| format!(", %a{i}: i64")).collect();
    let text =
        format!("func.func @main(%out: !pto.ptr<i64>{}) attributes {{pto.entry}} {{\n{body}\n}}", params.concat());
    let mut out = vec![0i64; count];
    let mut all = vec![Arg::write(&mut out)];
    all.extend(args.iter().map(|n| Arg::Int(*n)));
    run(&text, &mut all)?;
    Ok(out)
}

#[test]
fn loops_carry_scalars() {
    let body = "
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %n = arith.index_cast %a0 : i64 to index
      %start = arith.constant 0 : i64
      %sum, %last = scf.for %i = %zero to %n step %one iter_args(%s = %start, %l = %start) -> (i64, i64) {
        %k = arith.index_cast %i : index to i64
        %next = arith.addi %s, %k : i64
        scf.yield %next, %s : i64, i64
      }
      pto.store_scalar %sum, %out[%zero] : !pto.ptr<i64>, i64
      pto.store_scalar %last, %out[%one] : !pto.ptr<i64>, i64
      return";
    assert_eq!(ints(body, 2, &[5]).unwrap(), [10, 6]);
    assert_eq!(ints(body, 2, &[0]).unwrap(), [0, 0]);
}

#[test]
fn branches_and_switches_choose() {
    let body = "
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %ten = arith.constant 10 : i64
      %small = arith.cmpi slt, %a0, %ten : i64
      %x = scf.if %small -> (i64) {
        scf.yield %a0 : i64
      } else {
        scf.yield %ten : i64
      }
      pto.store_scalar %x, %out[%zero] : !pto.ptr<i64>, i64
      %k = arith.index_cast %a0 : i64 to index
      %y = scf.index_switch %k -> i64
      case 3 {
        %c = arith.constant 33 : i64
        scf.yield %c : i64
      }
      case 4 {
        %c = arith.constant 44 : i64
        scf.yield %c : i64
      }
      default {
        %c = arith.constant 99 : i64
        scf.yield %c : i64
      }
      pto.store_scalar %y, %out[%one] : !pto.ptr<i64>, i64
      return";
    assert_eq!(ints(body, 2, &[3]).unwrap(), [3, 33]);
    assert_eq!(ints(body, 2, &[4]).unwrap(), [4, 44]);
    assert_eq!(ints(body, 2, &[12]).unwrap(), [10, 99]);
}

#[test]
fn a_while_loop_runs_until_its_condition_fails() {
    // The length of a Collatz sequence.
    let body = "
      %zero = arith.constant 0 : index
      %none = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %two = arith.constant 2 : i64
      %three = arith.constant 3 : i64
      %end, %count = scf.while (%n = %a0, %c = %none) : (i64, i64) -> (i64, i64) {
        %more = arith.cmpi ne, %n, %one : i64
        scf.condition(%more) %n, %c : i64, i64
      } do {
      ^bb0(%n: i64, %c: i64):
        %bit = arith.remui %n, %two : i64
        %odd = arith.cmpi eq, %bit, %one : i64
        %half = arith.divui %n, %two : i64
        %triple = arith.muli %n, %three : i64
        %up = arith.addi %triple, %one : i64
        %next = arith.select %odd, %up, %half : i64
        %d = arith.addi %c, %one : i64
        scf.yield %next, %d : i64, i64
      }
      pto.store_scalar %count, %out[%zero] : !pto.ptr<i64>, i64
      return";
    assert_eq!(ints(body, 1, &[27]).unwrap(), [111]);
    assert_eq!(ints(body, 1, &[1]).unwrap(), [0]);
}

#[test]
fn blocks_branch_and_pass_values() {
    let body = "
      %zero = arith.constant 0 : index
      %none = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      cf.br ^head(%a0, %none : i64, i64)
    ^head(%n: i64, %sum: i64):
      %more = arith.cmpi sgt, %n, %none : i64
      cf.cond_br %more, ^body, ^exit
    ^body:
      %s = arith.addi %sum, %n : i64
      %m = arith.subi %n, %one : i64
      cf.br ^head(%m, %s : i64, i64)
    ^exit:
      pto.store_scalar %sum, %out[%zero] : !pto.ptr<i64>, i64
      return";
    assert_eq!(ints(body, 1, &[10]).unwrap(), [55]);
}

#[test]
fn calls_return_values() {
    let text = "
      func.func private @square(%x: i64) -> i64 {
        %y = arith.muli %x, %x : i64
        return %y : i64
      }
      func.func @main(%out: !pto.ptr<i64>) attributes {pto.entry} {
        %zero = arith.constant 0 : index
        %three = arith.constant 3 : i64
        %a = func.call @square(%three) : (i64) -> i64
        %b = func.call @square(%a) : (i64) -> i64
        pto.store_scalar %b, %out[%zero] : !pto.ptr<i64>, i64
        return
      }";
    let mut out = [0i64];
    run(text, &mut [Arg::write(&mut out)]).unwrap();
    assert_eq!(out, [81]);
}

#[test]
fn local_memory_keeps_values() {
    let body = "
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %two = arith.constant 2 : index
      %array = pto.declare_local_array -> !pto.local_array<2x3xi64>
      pto.local_array_set %array[%one, %two], %a0 : !pto.local_array<2x3xi64>, i64
      %x = pto.local_array_get %array[%one, %two] : !pto.local_array<2x3xi64> -> i64
      pto.store_scalar %x, %out[%zero] : !pto.ptr<i64>, i64
      %m = memref.alloc() : memref<4x4xi64>
      memref.store %a0, %m[%two, %one] : memref<4x4xi64>
      %y = memref.load %m[%two, %one] : memref<4x4xi64>
      pto.store_scalar %y, %out[%one] : !pto.ptr<i64>, i64
      return";
    assert_eq!(ints(body, 2, &[7]).unwrap(), [7, 7]);
}

#[test]
fn scalar_faults_are_errors() {
    let divide = "
      %zero = arith.constant 0 : index
      %q = arith.divsi %a0, %a1 : i64
      pto.store_scalar %q, %out[%zero] : !pto.ptr<i64>, i64
      return";
    assert_eq!(ints(divide, 1, &[7, 2]).unwrap(), [3]);
    assert_eq!(ints(divide, 1, &[7, 0]).unwrap_err().diagnostics()[0].code, codes::RUN_DIVISION);
    let outside = "
      %i = arith.index_cast %a0 : i64 to index
      pto.store_scalar %a0, %out[%i] : !pto.ptr<i64>, i64
      return";
    assert_eq!(ints(outside, 2, &[1]).unwrap(), [0, 1]);
    assert_eq!(ints(outside, 2, &[2]).unwrap_err().diagnostics()[0].code, codes::RUN_OUTSIDE);
    assert_eq!(ints(outside, 2, &[-1]).unwrap_err().diagnostics()[0].code, codes::RUN_OUTSIDE);
    let step = "
      %zero = arith.constant 0 : index
      %n = arith.index_cast %a0 : i64 to index
      scf.for %i = %zero to %n step %n {
      }
      return";
    assert_eq!(ints(step, 1, &[0]).unwrap_err().diagnostics()[0].code, codes::RUN_VALUE);
    assert_eq!(ints("pto.trap\nreturn", 1, &[]).unwrap_err().diagnostics()[0].code, codes::RUN_TRAP);
}

const TILE: &str = "!pto.tile_buf<vec, 8x8xf32>";

/// A function on tiles of 8x8 f32 that are parameters.
fn tiles(params: &[&str], body: &str, data: &mut [Vec<f32>]) -> Result<(), Error> {
    let list: Vec<String> = params.iter().map(|p| format!("%{p}: {TILE}")).collect();
    let text = format!("func.func @main({}) {{\n{}\nreturn\n}}", list.join(", "), body.replace("TILE", TILE));
    let mut args: Vec<Arg> = data.iter_mut().map(|d| Arg::write(d)).collect();
    run(&text, &mut args)
}

fn counting(from: f32) -> Vec<f32> {
    (0..64).map(|i| from + i as f32).collect()
}

#[test]
fn tiles_are_arguments() {
    let mut data = [counting(0.0), counting(100.0), vec![0.0; 64]];
    tiles(&["a", "b", "c"], "pto.tadd ins(%a, %b : TILE, TILE) outs(%c : TILE)", &mut data).unwrap();
    assert_eq!(data[2], (0..64).map(|i| 100.0 + 2.0 * i as f32).collect::<Vec<_>>());
}

#[test]
fn a_loop_swaps_two_buffers() {
    // Each iteration adds one from `a` into `b` and swaps them: after five iterations the result is in `b`.
    let body = "
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %five = arith.constant 5 : index
      %unit = arith.constant 1.0 : f32
      %x, %y = scf.for %i = %zero to %five step %one iter_args(%p = %a, %q = %b) -> (TILE, TILE) {
        pto.tadds ins(%p, %unit : TILE, f32) outs(%q : TILE)
        scf.yield %q, %p : TILE, TILE
      }";
    let mut data = [vec![0.0; 64], vec![-1.0; 64]];
    tiles(&["a", "b"], body, &mut data).unwrap();
    assert_eq!(data, [vec![4.0; 64], vec![5.0; 64]]);
}

#[test]
fn a_loop_carries_tile_values() {
    let text = "
      func.func @main(%x: !pto.ptr<f32>) {
        %zero = arith.constant 0 : index
        %one = arith.constant 1 : index
        %eight = arith.constant 8 : index
        %unit = arith.constant 1.0 : f32
        %view = pto.make_tensor_view %x, shape = [%eight, %eight], strides = [%eight, %one] : !pto.tensor_view<8x8xf32>
        %first = pto.tload %view : (!pto.tensor_view<8x8xf32>) -> !pto.tile<8x8xf32>
        %second = pto.tadds %first, %unit : (!pto.tile<8x8xf32>, f32) -> !pto.tile<8x8xf32>
        %a, %b = scf.for %i = %zero to %eight step %one iter_args(%p = %first, %q = %second) -> (!pto.tile<8x8xf32>, !pto.tile<8x8xf32>) {
          %sum = pto.tadd %p, %q : (!pto.tile<8x8xf32>, !pto.tile<8x8xf32>) -> !pto.tile<8x8xf32>
          scf.yield %q, %sum : !pto.tile<8x8xf32>, !pto.tile<8x8xf32>
        }
        pto.tstore ins(%b : !pto.tile<8x8xf32>) outs(%view : !pto.tensor_view<8x8xf32>)
        return
      }";
    // Fibonacci from 0 and 1: eight more numbers.
    let mut x = vec![0.0f32; 64];
    run(text, &mut [Arg::write(&mut x)]).unwrap();
    assert_eq!(x, vec![34.0; 64]);
}

#[test]
fn addresses_name_shared_bytes() {
    let text = "
      func.func @main(%x: !pto.ptr<f32>) {
        %one = arith.constant 1 : index
        %eight = arith.constant 8 : index
        %here = arith.constant 1024 : i64
        %half = arith.constant 1152 : i64
        %view = pto.make_tensor_view %x, shape = [%eight, %eight], strides = [%eight, %one] : !pto.tensor_view<8x8xf32>
        %t = pto.alloc_tile addr = %here : !pto.tile_buf<vec, 8x8xf32>
        %lower = pto.alloc_tile addr = %half : !pto.tile_buf<vec, 4x8xf32>
        pto.tload ins(%view : !pto.tensor_view<8x8xf32>) outs(%t : !pto.tile_buf<vec, 8x8xf32>)
        pto.tadd ins(%lower, %lower : !pto.tile_buf<vec, 4x8xf32>, !pto.tile_buf<vec, 4x8xf32>) outs(%lower : !pto.tile_buf<vec, 4x8xf32>)
        pto.tstore ins(%t : !pto.tile_buf<vec, 8x8xf32>) outs(%view : !pto.tensor_view<8x8xf32>)
        return
      }";
    let mut x = counting(0.0);
    run(text, &mut [Arg::write(&mut x)]).unwrap();
    let want: Vec<f32> = (0..64).map(|i| if i < 32 { i as f32 } else { 2.0 * i as f32 }).collect();
    assert_eq!(x, want);
}

#[test]
fn windows_and_other_types_share_bytes() {
    let body = "
      %zero = arith.constant 0 : index
      %four = arith.constant 4 : index
      %w = pto.subview %a[%four, %zero] sizes [2, 8] : TILE -> !pto.tile_buf<vec, 2x8xf32>
      pto.tadd ins(%w, %w : !pto.tile_buf<vec, 2x8xf32>, !pto.tile_buf<vec, 2x8xf32>) outs(%w : !pto.tile_buf<vec, 2x8xf32>)
      %r = pto.treshape %a : TILE -> !pto.tile_buf<vec, 4x16xf32>
      %first = pto.subview %r[%zero, %zero] sizes [1, 16] : !pto.tile_buf<vec, 4x16xf32> -> !pto.tile_buf<vec, 1x16xf32>
      pto.tneg ins(%first : !pto.tile_buf<vec, 1x16xf32>) outs(%first : !pto.tile_buf<vec, 1x16xf32>)";
    let mut data = [counting(1.0)];
    tiles(&["a"], body, &mut data).unwrap();
    let want: Vec<f32> = (0..64)
        .map(|i| {
            let x = 1.0 + i as f32;
            match i / 8 {
                0 | 1 => -x,
                4 | 5 => 2.0 * x,
                _ => x,
            }
        })
        .collect();
    assert_eq!(data[0], want);
}

#[test]
fn valid_regions_are_set_at_run_time() {
    let text = "
      func.func @main(%a: !pto.tile_buf<vec, 8x8xf32>, %rows: index, %cols: index) {
        %t = pto.alloc_tile valid_row = %rows valid_col = %cols : !pto.tile_buf<vec, 8x8xf32, valid=?x?>
        %zero = arith.constant 0 : index
        %w = pto.subview %a[%zero, %zero] sizes [8, 8] valid [%rows, %cols] : !pto.tile_buf<vec, 8x8xf32> -> !pto.tile_buf<vec, 8x8xf32, valid=?x?>
        pto.tneg ins(%w : !pto.tile_buf<vec, 8x8xf32, valid=?x?>) outs(%t : !pto.tile_buf<vec, 8x8xf32, valid=?x?>)
        pto.tadd ins(%w, %t : !pto.tile_buf<vec, 8x8xf32, valid=?x?>, !pto.tile_buf<vec, 8x8xf32, valid=?x?>) outs(%w : !pto.tile_buf<vec, 8x8xf32, valid=?x?>)
        return
      }";
    let mut a = counting(1.0);
    run(text, &mut [Arg::write(&mut a), Arg::Int(3), Arg::Int(5)]).unwrap();
    let want: Vec<f32> = (0..64).map(|i| if i / 8 < 3 && i % 8 < 5 { 0.0 } else { 1.0 + i as f32 }).collect();
    assert_eq!(a, want);
    let problem = run(text, &mut [Arg::write(&mut a), Arg::Int(9), Arg::Int(5)]).unwrap_err();
    assert_eq!(problem.diagnostics()[0].code, codes::RUN_VALID);
}

#[test]
fn rules_are_checked_with_the_extents_of_the_run() {
    let text = "
      func.func @main(%a: !pto.tile_buf<vec, 8x8xf32>, %rows: index) {
        %eight = arith.constant 8 : index
        %t = pto.alloc_tile valid_row = %rows valid_col = %eight : !pto.tile_buf<vec, 8x8xf32, valid=?x?>
        pto.tneg ins(%a : !pto.tile_buf<vec, 8x8xf32>) outs(%t : !pto.tile_buf<vec, 8x8xf32, valid=?x?>)
        return
      }";
    let mut a = counting(1.0);
    run(text, &mut [Arg::write(&mut a), Arg::Int(8)]).unwrap();
    // A source may be valid in more than the destination, not in less.
    run(text, &mut [Arg::write(&mut a), Arg::Int(4)]).unwrap();
    let smaller =
        text.replace("ins(%a : !pto.tile_buf<vec, 8x8xf32>)", "ins(%t : !pto.tile_buf<vec, 8x8xf32, valid=?x?>)");
    let smaller =
        smaller.replace("outs(%t : !pto.tile_buf<vec, 8x8xf32, valid=?x?>)", "outs(%a : !pto.tile_buf<vec, 8x8xf32>)");
    run(&smaller, &mut [Arg::write(&mut a), Arg::Int(8)]).unwrap();
    let problem = run(&smaller, &mut [Arg::write(&mut a), Arg::Int(4)]).unwrap_err();
    assert_eq!(problem.diagnostics()[0].code, codes::VALID_REGION);
}

#[test]
fn the_longest_sum_is_measured() {
    let text = "
      !a = !pto.tile_buf<left, 16x32xf16, blayout=row_major, slayout=row_major>
      !b = !pto.tile_buf<right, 32x16xf16, blayout=row_major, slayout=col_major>
      !c = !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>
      func.func @main(%a: !a, %b: !b, %c: !c) {
        %zero = arith.constant 0 : index
        %one = arith.constant 1 : index
        %three = arith.constant 3 : index
        pto.tmatmul ins(%a, %b : !a, !b) outs(%c : !c)
        scf.for %i = %zero to %three step %one {
          pto.tmatmul.acc ins(%c, %a, %b : !c, !a, !b) outs(%c : !c)
        }
        pto.tmatmul ins(%a, %b : !a, !b) outs(%c : !c)
        return
      }";
    let plan = Plan::new(&checked(text), None, Options::default()).unwrap();
    assert_eq!(plan.launch().measure(&[]).unwrap().longest_sum, 4 * 32);
}

/// Adds a block's number to its row.
const ROWS: &str = "
  func.func @main(%x: !pto.ptr<f32>) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %n = arith.constant 64 : index
    %width = arith.constant 8 : index
    %b = pto.get_block_idx
    %all = pto.get_block_num
    %row = arith.index_cast %b : i64 to index
    %step = arith.index_cast %all : i64 to index
    %add = arith.sitofp %b : i64 to f32
    %view = pto.make_tensor_view %x, shape = [%n, %width], strides = [%width, %one] : !pto.tensor_view<64x8xf32>
    scf.for %i = %row to %n step %step {
      %w = pto.partition_view %view, offsets = [%i, %zero], sizes = [%one, %width] : !pto.tensor_view<64x8xf32> -> !pto.partition_tensor_view<1x8xf32>
      %t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
      pto.tload ins(%w : !pto.partition_tensor_view<1x8xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
      pto.tadds ins(%t, %add : !pto.tile_buf<vec, 1x8xf32>, f32) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
      pto.tstore ins(%t : !pto.tile_buf<vec, 1x8xf32>) outs(%w : !pto.partition_tensor_view<1x8xf32>)
    }
    return
  }";

#[test]
fn threads_do_not_change_the_result() {
    let mut want = vec![0.0f32; 512];
    run_blocks(ROWS, &mut [Arg::write(&mut want)], 7, 1).unwrap();
    assert_eq!(want[8 * 9], 2.0);
    for threads in [2, 3, 8] {
        let mut x = vec![0.0f32; 512];
        run_blocks(ROWS, &mut [Arg::write(&mut x)], 7, threads).unwrap();
        assert_eq!(x, want);
    }
}

#[test]
fn memory_is_measured_and_guarded() {
    let checked = checked(ROWS);
    let plan = Plan::new(&checked, None, Options::default()).unwrap();
    let measure = plan.launch().measure(&[Known::Nothing]).unwrap();
    let extent = measure.extents[0].as_ref().unwrap();
    assert_eq!((extent.elements, &extent.shape[..], measure.instructions), (512, &[64, 8][..], 3 * 64));
    let mut short = vec![0.0f32; 500];
    let problem = plan.launch().run(&mut [Arg::write(&mut short)]).unwrap_err();
    assert_eq!(problem.diagnostics()[0].code, codes::RUN_OUTSIDE);
    let fixed = vec![0.0f32; 512];
    let problem = plan.launch().run(&mut [Arg::read(&fixed)]).unwrap_err();
    assert_eq!(problem.diagnostics()[0].code, codes::RUN_ARGUMENT);
    assert_eq!(plan.launch().run(&mut [Arg::Int(3)]).unwrap_err().diagnostics()[0].code, codes::RUN_ARGUMENT);
    assert_eq!(plan.launch().run(&mut []).unwrap_err().diagnostics()[0].code, codes::RUN_ARGUMENT);
}

#[test]
fn an_observer_sees_every_access() {
    #[derive(Default)]
    struct Seen(Vec<String>);
    impl Observer for Seen {
        fn event(&mut self, event: &Event<'_>) {
            for a in event.accesses {
                let place = match a.place {
                    AddressSpace::Core(loc) => loc.name().to_string(),
                    AddressSpace::Global(n) => format!("gm{n}"),
                };
                let verb = if a.write { "writes" } else { "reads" };
                let pipe = event.pipe.map_or("", |p| p.name());
                self.0.push(format!("{pipe} {verb} {place}+{} {}x{}", a.start, a.rows, a.row_bytes));
            }
        }
    }
    let text = "
      func.func @main(%x: !pto.ptr<f32>) {
        %one = arith.constant 1 : index
        %eight = arith.constant 8 : index
        %at = arith.constant 256 : i64
        %view = pto.make_tensor_view %x, shape = [%eight, %eight], strides = [%eight, %one] : !pto.tensor_view<8x8xf32>
        %t = pto.alloc_tile addr = %at : !pto.tile_buf<vec, 8x8xf32>
        pto.tload ins(%view : !pto.tensor_view<8x8xf32>) outs(%t : !pto.tile_buf<vec, 8x8xf32>)
        pto.tneg ins(%t : !pto.tile_buf<vec, 8x8xf32>) outs(%t : !pto.tile_buf<vec, 8x8xf32>)
        return
      }";
    let checked = checked(text);
    let plan = Plan::new(&checked, None, Options::default()).unwrap();
    let mut seen = Seen::default();
    let mut x = counting(0.0);
    plan.launch().observe(&mut seen).run(&mut [Arg::write(&mut x)]).unwrap();
    let want = [
        "PIPE_MTE2 writes vec+256 8x32",
        "PIPE_MTE2 reads gm0+0 8x32",
        "PIPE_V reads vec+256 8x32",
        "PIPE_V writes vec+256 8x32",
    ];
    assert_eq!(seen.0, want);
}

#[test]
fn the_entry_is_found_or_named() {
    let two = "func.func @a() { return }\nfunc.func @b() attributes {pto.entry} { return }\nfunc.func @c() { return }";
    let plan = |text: &str, name: Option<&str>| {
        let checked = checked(text);
        Plan::new(&checked, name, Options::default()).map(|p| p.name().to_string()).map_err(|d| d.diagnostics()[0].code)
    };
    assert_eq!(plan(two, None), Ok("b".to_string()));
    assert_eq!(plan(two, Some("@c")), Ok("c".to_string()));
    assert_eq!(plan(two, Some("d")), Err(codes::RUN_ENTRY));
    assert_eq!(plan("func.func @a() { return }\nfunc.func @b() { return }", None), Err(codes::RUN_ENTRY));
}
