//! Calls: all pipes finish only where what is called meets what is around it.

use super::plans::{is_kept, whole};
use super::{again, lowered};
use pto::opt::Mode;
use pto::{Program, Target};

const FUNCTIONS: &str = "
  func.func private @next(%n: index) -> index {
    %step = arith.constant 1 : index
    %sum = arith.addi %n, %step : index
    return %sum : index
  }
  func.func private @doubled(%p: !t) {
    pto.tadd ins(%p, %p : !t, !t) outs(%p : !t)
    return
  }
  func.func private @loaded(%from: !v, %p: !t) {
    pto.tload ins(%from : !v) outs(%p : !t)
    return
  }
";

/// How often all pipes finish, for a program that does the same before and after.
fn blanket(body: &str) -> usize {
    let text = whole(body).replace("%flag: i1)", "%flag: i1) attributes {pto.entry}") + FUNCTIONS;
    is_kept(&text);
    let checked = Program::parse(&text).check(Target::A2A3).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let (low, _) = again(&lowered(&checked, false, Mode::Minimal));
    low.matches("PIPE_ALL").count()
}

#[test]
fn functions_that_only_compute_are_not_waited_for() {
    let body = "    %a = pto.alloc_tile : !t
    pto.tload ins(%x : !v) outs(%a : !t)
    %n = func.call @next(%one) : (index) -> index
    scf.for %i = %zero to %n step %one {
      %m = func.call @next(%i) : (index) -> index
      pto.tmuls ins(%a, %k : !t, f32) outs(%a : !t)
    }
    pto.tstore ins(%a : !t) outs(%y : !v)
";
    assert_eq!(blanket(body), 0);
}

#[test]
fn nothing_is_waited_for_before_the_first_and_behind_the_last_call() {
    let alone = "    %a = pto.alloc_tile : !t
    func.call @loaded(%x, %a) : (!v, !t) -> ()
";
    assert_eq!(blanket(alone), 0);
    let in_between = format!("{alone}    pto.tstore ins(%a : !t) outs(%y : !v)\n");
    assert_eq!(blanket(&in_between), 1);
    let three = "    %a = pto.alloc_tile : !t
    func.call @loaded(%x, %a) : (!v, !t) -> ()
    func.call @doubled(%a) : (!t) -> ()
    pto.tstore ins(%a : !t) outs(%y : !v)
";
    assert_eq!(blanket(three), 2);
}

#[test]
fn calls_in_loops_wait_on_both_sides() {
    let body = "    %a = pto.alloc_tile : !t
    pto.tload ins(%x : !v) outs(%a : !t)
    scf.for %i = %zero to %three step %one {
      func.call @doubled(%a) : (!t) -> ()
      pto.tstore ins(%a : !t) outs(%y : !v)
    }
";
    assert_eq!(blanket(body), 2);
}

/// The cube core and the vector cores have pipes of their own.
#[test]
fn functions_for_different_cores_do_not_wait_for_each_other() {
    let body = "    func.call @cube(%x) : (!v) -> ()
    func.call @vector(%x, %y) : (!v, !v) -> ()
";
    let functions = "
  func.func private @cube(%from: !v) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
    %m = pto.alloc_tile : !pto.tile_buf<mat, 16x16xf32, blayout=col_major, slayout=row_major>
    pto.tload ins(%from : !v) outs(%m : !pto.tile_buf<mat, 16x16xf32, blayout=col_major, slayout=row_major>)
    return
  }
  func.func private @vector(%from: !v, %to: !v) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %m = pto.alloc_tile : !t
    pto.tload ins(%from : !v) outs(%m : !t)
    pto.tstore ins(%m : !t) outs(%to : !v)
    return
  }
";
    let waits = |body: &str| {
        let text = whole(body).replace("%flag: i1)", "%flag: i1) attributes {pto.entry}") + functions;
        let checked = Program::parse(&text).check(Target::A2A3).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        again(&lowered(&checked, false, Mode::Minimal)).0.matches("PIPE_ALL").count()
    };
    assert_eq!(waits(body), 0);
    assert_eq!(waits(&body.repeat(2)), 1, "one barrier is enough for both");
}
