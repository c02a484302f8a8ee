//! Loops that wait for memory to change, loops that never end, and memory that no machine has.

use pto_cpu::{Arg, Options, Plan};
use pto_isa::{Error, Target};

fn plan(text: &str) -> Plan {
    let (module, problems) = pto_syntax::parse(text);
    assert!(problems.is_empty(), "{}", problems[0].message);
    let checked = pto_check::check(module, Target::A2A3).unwrap_or_else(|r| panic!("{r:?}"));
    Plan::new(&checked, None, Options::default()).unwrap_or_else(|d| panic!("{d}"))
}

fn run(text: &str, x: &mut [i32], y: &mut [i32], blocks: u32) -> Result<(), Error> {
    let mut args = [Arg::write(x), Arg::write(y)];
    plan(text).launch().blocks(blocks).run(&mut args).map(drop)
}

/// The last block fills `x`; all others read it, with `poll`, until its first number is not zero.
fn polled(poll: &str) -> String {
    format!(
        "!t = !pto.tile_buf<vec, 1x16xi32>
         !v = !pto.tensor_view<1x16xi32>
         func.func @k(%x: !pto.ptr<i32>, %y: !pto.ptr<i32>) {{
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %c16 = arith.constant 16 : index
           %i0 = arith.constant 0 : i32
           %i7 = arith.constant 7 : i32
           %block = pto.get_block_idx
           %count = pto.get_block_num
           %one = arith.constant 1 : i64
           %last = arith.subi %count, %one : i64
           %writes = arith.cmpi eq, %block, %last : i64
           %xs = pto.make_tensor_view %x, shape = [%c1, %c16], strides = [%c16, %c1] : !v
           %ys = pto.make_tensor_view %y, shape = [%c1, %c16], strides = [%c16, %c1] : !v
           %t = pto.alloc_tile : !t
           scf.if %writes {{
             pto.texpands ins(%i7 : i32) outs(%t : !t)
             pto.tstore ins(%t : !t) outs(%xs : !v)
           }} else {{
             {poll}
             pto.tload ins(%xs : !v) outs(%t : !t)
             pto.tstore ins(%t : !t) outs(%ys : !v)
           }}
           return
         }}"
    )
}

const BY_TILE: &str = "
  scf.while : () -> () {
    pto.tload ins(%xs : !v) outs(%t : !t)
    %seen = pto.tgetval ins(%t, %c0 : !t, index) outs : i32
    %go = arith.cmpi eq, %seen, %i0 : i32
    scf.condition(%go)
  } do {
    scf.yield
  }";

/// The condition is carried; the load stands in the body.
const IN_THE_BODY: &str = "
  %yes = arith.constant true
  %end = scf.while (%go = %yes) : (i1) -> i1 {
    scf.condition(%go) %go : i1
  } do {
  ^bb0(%unused: i1):
    pto.tload ins(%xs : !v) outs(%t : !t)
    %seen = pto.tgetval ins(%t, %c0 : !t, index) outs : i32
    %again = arith.cmpi eq, %seen, %i0 : i32
    scf.yield %again : i1
  }";

/// Two numbers are read one after the other, so the loop comes back to each place only with every second poll.
const TWO_WORDS: &str = "
  scf.while : () -> () {
    %a = pto.load_scalar %x[%c0] : !pto.ptr<i32> -> i32
    %b = pto.load_scalar %x[%c1] : !pto.ptr<i32> -> i32
    %both = arith.andi %a, %b : i32
    %go = arith.cmpi eq, %both, %i0 : i32
    scf.condition(%go)
  } do {
    scf.yield
  }";

#[test]
fn polling_lets_other_blocks_go_on() {
    for poll in [BY_TILE, IN_THE_BODY, TWO_WORDS] {
        for blocks in [2, 3] {
            let (mut x, mut y) = ([0; 16], [0; 16]);
            run(&polled(poll), &mut x, &mut y, blocks).unwrap_or_else(|d| panic!("{poll}: {d}"));
            assert_eq!(y, [7; 16], "{poll}");
        }
    }
}

#[test]
fn polling_that_nobody_ends_is_a_deadlock() {
    for poll in [BY_TILE, IN_THE_BODY, TWO_WORDS] {
        let nobody_writes = polled(poll).replace("arith.cmpi eq, %block, %last", "arith.cmpi slt, %last, %block");
        for blocks in [1, 2] {
            let start = std::time::Instant::now();
            let problem = run(&nobody_writes, &mut [0; 16], &mut [0; 16], blocks).expect_err("nobody writes");
            assert_eq!(problem.diagnostics()[0].code.id(), "PTO-E0712", "{poll}: {}", problem.diagnostics()[0].message);
            assert!(
                problem.diagnostics()[0].message.contains("that it polls; its value is 0"),
                "{}",
                problem.diagnostics()[0].message
            );
            assert!(start.elapsed().as_secs() < 5, "{poll}");
        }
    }
}

/// A number that is the same in every iteration of an ordinary loop is no poll.
#[test]
fn reading_the_same_number_in_a_loop_is_no_deadlock() {
    let text = "func.func @k(%x: !pto.ptr<i32>, %y: !pto.ptr<i32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 5000 : index
      %i0 = arith.constant 0 : i32
      %sum = scf.for %i = %c0 to %n step %c1 iter_args(%all = %i0) -> (i32) {
        %one = pto.load_scalar %x[%c0] : !pto.ptr<i32> -> i32
        %next = arith.addi %all, %one : i32
        scf.yield %next : i32
      }
      pto.store_scalar %sum, %y[%c0] : !pto.ptr<i32>, i32
      return
    }";
    let (mut x, mut y) = ([3], [0]);
    run(text, &mut x, &mut y, 1).unwrap_or_else(|d| panic!("{d}"));
    assert_eq!(y, [15000]);
}

fn endless(condition: &str, next: &str) -> String {
    format!(
        "func.func @k(%x: !pto.ptr<i32>, %y: !pto.ptr<i32>) {{
           %c0 = arith.constant 0 : index
           %i0 = arith.constant 0 : i32
           %i1 = arith.constant 1 : i32
           %end = scf.while (%i = %i0) : (i32) -> i32 {{
             %go = {condition}
             scf.condition(%go) %i : i32
           }} do {{
           ^bb0(%j: i32):
             {next}
             scf.yield %n : i32
           }}
           return
         }}"
    )
}

#[test]
fn loops_of_scalars_that_never_end_are_stopped() {
    let always = "arith.constant true";
    let counts = "%n = arith.addi %j, %i1 : i32";
    let iterations =
        "%m = arith.addi %j, %i1 : i32\n%three = arith.constant 3 : i32\n%n = arith.remsi %m, %three : i32";
    for next in ["%n = arith.constant 0 : i32", iterations, counts] {
        let problem = run(&endless(always, next), &mut [0], &mut [0], 1).expect_err("it never ends");
        assert_eq!(problem.diagnostics()[0].code.id(), "PTO-E0708", "{next}: {}", problem.diagnostics()[0].message);
    }
    let ends = endless("arith.cmpi slt, %i, %most : i32", counts)
        .replace("%c0 =", "%most = arith.constant 3000000 : i32\n%c0 =");
    run(&ends, &mut [0], &mut [0], 1).unwrap_or_else(|d| panic!("{d}"));
}

/// Measuring comes before every run, and has no data.
#[test]
fn measuring_ends() {
    let start = std::time::Instant::now();
    for text in [polled(BY_TILE), polled(TWO_WORDS), endless("arith.constant true", "%n = arith.constant 0 : i32")] {
        plan(&text).launch().blocks(2).measure(&[]).unwrap_or_else(|d| panic!("{d}"));
    }
    assert!(start.elapsed().as_secs() < 5);
}

#[test]
fn iterations_are_progress() {
    let text = endless("arith.cmpi slt, %i, %most : i32", "%n = arith.addi %j, %i1 : i32")
        .replace("%c0 =", "%most = arith.constant 100000 : i32\n%c0 =");
    let (mut x, mut y) = ([0], [0]);
    let counter = std::sync::atomic::AtomicU64::new(0);
    let mut args = [Arg::write(&mut x), Arg::write(&mut y)];
    let plan = plan(&text);
    plan.launch().progress(&counter).run(&mut args).unwrap_or_else(|d| panic!("{d}"));
    assert_eq!(counter.into_inner(), 100_000);
    assert_eq!(plan.launch().measure(&[]).unwrap_or_else(|d| panic!("{d}")).work, 100_000);
}

#[test]
fn buffers_that_no_machine_has_are_refused() {
    let text = "func.func @k(%x: !pto.ptr<i32>, %y: !pto.ptr<i32>) {
      %n = arith.constant 1000000000000 : index
      %m = memref.alloc(%n) : memref<?xi32>
      return
    }";
    let problem = run(text, &mut [0], &mut [0], 1).expect_err("4 TB");
    assert_eq!(problem.diagnostics()[0].code.id(), "PTO-E0715", "{}", problem.diagnostics()[0].message);
}
