//! Calls: all pipes finish only where what is called meets what is around it.

use super::plans::{is_kept, whole};
use super::{again, lowered};
use pto::opt::{self, SyncMode, plan};
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
    let text = with_functions(body, FUNCTIONS);
    is_kept(&text);
    blanket_of(&text)
}

fn blanket_of(text: &str) -> usize {
    let checked = Program::parse(text).check(Target::A2A3).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let (low, _) = again(&lowered(&checked, false, SyncMode::Minimal));
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
    let waits = |body: &str| blanket_of(&with_functions(body, functions));
    assert_eq!(waits(body), 0);
    assert_eq!(waits(&body.repeat(2)), 1, "one barrier is enough for both");
}

const USED_AGAIN: &str = "
  func.func private @outer(%from: !v, %to: !v) {
    func.call @doubles(%from, %to) : (!v, !v) -> ()
    return
  }
  func.func private @doubles(%from: !v, %to: !v) {
    %own = pto.alloc_tile : !t
    pto.tload ins(%from : !v) outs(%own : !t)
    pto.tadd ins(%own, %own : !t, !t) outs(%own : !t)
    pto.tstore ins(%own : !t) outs(%to : !v)
    return
  }
";

fn with_functions(body: &str, functions: &str) -> String {
    whole(body).replace("%flag: i1)", "%flag: i1) attributes {pto.entry}") + functions
}

/// A function stands where it is called first. Flags and bytes of its callers that are in use at a later call are none of its own.
#[test]
fn functions_that_are_called_again_keep_off_what_is_in_use() {
    for function in ["doubles", "outer"] {
        let branch = format!(
            "    %a = pto.alloc_tile : !t
    func.call @{function}(%x, %y) : (!v, !v) -> ()
    pto.tload ins(%x : !v) outs(%a : !t)
    scf.if %flag {{
      func.call @{function}(%x, %y) : (!v, !v) -> ()
    }}
    pto.tadd ins(%a, %a : !t, !t) outs(%a : !t)
    pto.tstore ins(%a : !t) outs(%y : !v)
"
        );
        let straight = format!(
            "    %a = pto.alloc_tile : !t
    func.call @{function}(%x, %y) : (!v, !v) -> ()
    pto.tload ins(%x : !v) outs(%a : !t)
    func.call @{function}(%x, %y) : (!v, !v) -> ()
    pto.tstore ins(%a : !t) outs(%y : !v)
"
        );
        is_kept(&with_functions(&branch, USED_AGAIN));
        is_kept(&with_functions(&straight, USED_AGAIN));
    }
}

/// A tile has one place, so a function cannot make one for each of its calls.
#[test]
fn functions_that_return_their_own_tile_are_called_once() {
    let makes = "
  func.func private @made() -> !t {
    %own = pto.alloc_tile : !t
    return %own : !t
  }
";
    let once = "    %a = func.call @made() : () -> !t
    pto.tload ins(%x : !v) outs(%a : !t)
    pto.tstore ins(%a : !t) outs(%y : !v)
";
    is_kept(&with_functions(once, makes));
    let twice = format!("    %b = func.call @made() : () -> !t\n{once}");
    let checked = Program::parse(&with_functions(&twice, makes)).check(Target::A5).expect("legal");
    let problems =
        opt::lower(&checked, plan::Options::default(), SyncMode::Minimal).expect_err("both would be one place");
    assert!(problems.diagnostics()[0].message.contains("called more than once"), "{problems:?}");
}

/// Each of many functions calls the next one twice: each is looked at once.
#[test]
fn calls_of_calls_do_not_multiply() {
    let function = |k: u32| {
        let call = format!("    func.call @g{}() : () -> ()\n", k + 1);
        format!("  func.func private @g{k}() {{\n{call}{call}    return\n  }}\n")
    };
    let last = "  func.func private @g40() {\n    return\n  }\n";
    let functions: String = (0..40).map(function).collect();
    let body = "    func.call @g0() : () -> ()\n";
    assert_eq!(blanket_of(&with_functions(body, &(functions + last))), 0);
}
