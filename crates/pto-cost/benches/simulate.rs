//! How fast programs are recorded and simulated, and whether that grows with their length alone.
//!
//! The program is a loop of loads, vector instructions and stores with flags; every iteration is ten operations of the program.

use pto_cost::{Laws, Machine, Options, record, simulate};
use pto_cpu::{Known, Plan};
use pto_isa::Target;
use std::time::{Duration, Instant};

const PROGRAM: &str = "
!tile = !pto.tile_buf<vec, 32x64xf32>
!window = !pto.partition_tensor_view<32x64xf32>
func.func @stream(%x: !pto.ptr<f32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = arith.constant 32 : index
  %width = arith.constant 64 : index
  %first = arith.constant 0 : i64
  %second = arith.constant 8192 : i64
  %xs = pto.make_tensor_view %x, shape = [%rows, %width], strides = [%width, %one] : !pto.tensor_view<32x64xf32>
  %in = pto.partition_view %xs, offsets = [%zero, %zero], sizes = [%rows, %width] : !pto.tensor_view<32x64xf32> -> !window
  %a = pto.alloc_tile addr = %first : !tile
  %b = pto.alloc_tile addr = %second : !tile
  pto.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
  pto.set_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]
  scf.for %i = %zero to %n step %one {
    pto.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
    pto.tload ins(%in : !window) outs(%a : !tile)
    pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
    pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
    pto.wait_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]
    pto.tadd ins(%a, %a : !tile, !tile) outs(%b : !tile)
    pto.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]
    pto.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
    pto.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
    pto.tstore ins(%b : !tile) outs(%in : !window)
    pto.set_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]
  }
  return
}";

/// The shortest of three tries, so that a busy machine does not count.
fn best<T>(mut work: impl FnMut() -> T) -> (Duration, T) {
    let mut once = || {
        let start = Instant::now();
        let result = work();
        (start.elapsed(), result)
    };
    let mut best = once();
    for _ in 0..2 {
        let again = once();
        if again.0 < best.0 {
            best = again;
        }
    }
    best
}

fn main() {
    let (module, problems) = pto_syntax::parse(PROGRAM);
    assert!(problems.is_empty());
    let checked = pto_check::check(module, Target::A2A3).expect("a legal program");
    let plan = Plan::new(&checked, None, pto_cpu::Options::default()).expect("one entry");
    let machine = Machine::of(Laws::of(Target::A2A3));
    println!("operations   record M/s   simulate M/s   both M/s   cycles");
    for iterations in [1_000, 10_000, 100_000, 400_000] {
        let known = [Known::Nothing, Known::Int(iterations)];
        let (recording, trace) =
            best(|| record(plan.launch(), &known, Options::default()).expect("it can be followed"));
        let (simulating, line) = best(|| simulate(&trace, &trace.charges, &machine).expect("it has an end"));
        let count = trace.items.len() as f64 / 1e6;
        println!(
            "{:>10}   {:>10.2}   {:>12.2}   {:>8.2}   {:.0}",
            trace.items.len(),
            count / recording.as_secs_f64(),
            count / simulating.as_secs_f64(),
            count / (recording + simulating).as_secs_f64(),
            line.cycles
        );
    }
}
