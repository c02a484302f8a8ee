//! Scalar accesses and tile accesses to the same global memory: lowering keeps the data cache of the scalar unit in step.

use super::{again, lowered, prepared};
use pto::opt::SyncMode;
use pto::{Arg, Program, Target, race};

const HEAD: &str = "
  !t = !pto.tile_buf<vec, 8x8xi32>
  !v = !pto.tensor_view<8x8xi32>
  func.func @f(%p: !pto.ptr<i32>, %q: !pto.ptr<i32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %seven = arith.constant 7 : i32
    %pv = pto.make_tensor_view %p, shape = [%c8, %c8], strides = [%c8, %c1] {layout = #pto.layout<nd>} : !v
    %qv = pto.make_tensor_view %q, shape = [%c8, %c8], strides = [%c8, %c1] {layout = #pto.layout<nd>} : !v
    %a = pto.alloc_tile : !t
    %b = pto.alloc_tile : !t
";
const LOAD_P: &str = "    pto.tload ins(%pv : !v) outs(%a : !t)\n";
const LOAD_Q: &str = "    pto.tload ins(%qv : !v) outs(%a : !t)\n";
const STORE_P: &str = "    pto.tstore ins(%a : !t) outs(%pv : !v)\n";
const STORE_Q: &str = "    pto.tstore ins(%a : !t) outs(%qv : !v)\n";

fn get(name: &str, from: &str) -> String {
    format!("    %{name} = pto.load_scalar {from} : !pto.ptr<i32> -> i32\n")
}

fn put(value: &str, to: &str) -> String {
    format!("    pto.store_scalar {value}, {to} : !pto.ptr<i32>, i32\n")
}

/// The text of the lowered program, which has no finding and computes the same.
fn is_kept(body: &[&str]) -> String {
    let text = format!("{HEAD}{}    return\n  }}\n", body.concat());
    let mut shown = String::new();
    for target in [Target::A2A3, Target::A5] {
        let source = Program::parse(&text);
        let checked = source.check(target).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        let (low_text, low) = again(&lowered(&checked, false, SyncMode::Minimal));
        let start = || ((0..64).collect::<Vec<i32>>(), (100..164).collect::<Vec<i32>>());
        let ((mut p, mut q), (mut low_p, mut low_q)) = (start(), start());
        let plan = prepared(&source, target, &text);
        plan.launch().run(&mut [Arg::write(&mut p), Arg::write(&mut q)]).expect("it runs");
        let plan = prepared(&low, target, &low_text);
        let mut args = [Arg::write(&mut low_p), Arg::write(&mut low_q)];
        let report = race::Check::new(plan.launch()).sync(race::OrderedBy::Manual).run(&mut args);
        assert!(report.findings.is_empty(), "{:?}\n{low_text}", report.findings);
        assert_eq!((p, q), (low_p, low_q), "{target}\n{low_text}");
        shown = low_text;
    }
    shown
}

fn cleans(text: &str) -> usize {
    text.matches("cmo.cacheinvalid").count()
}

#[test]
fn a_scalar_store_is_written_back_before_a_tile_load() {
    assert_eq!(cleans(&is_kept(&[&put("%seven", "%p[%c3]"), LOAD_P, STORE_Q])), 1);
}

#[test]
fn a_scalar_load_after_a_tile_store_reads_memory() {
    let body = [&get("x", "%p[%c0]"), LOAD_Q, STORE_P, &get("y", "%p[%c0]"), &put("%y", "%q[%c3]")];
    is_kept(&body);
}

#[test]
fn a_scalar_store_beside_a_tile_store_does_not_undo_it() {
    is_kept(&[&get("x", "%p[%c0]"), LOAD_Q, STORE_P, &put("%x", "%p[%c1]")]);
    is_kept(&[&put("%seven", "%p[%c0]"), LOAD_Q, STORE_P, &put("%seven", "%p[%c1]")]);
}

#[test]
fn every_iteration_reads_what_the_previous_one_stored() {
    let (load, store) = (get("x", "%p[%c0]"), put("%x", "%q[%c3]"));
    is_kept(&["    scf.for %i = %c0 to %c3 step %c1 {\n", &load, &store, LOAD_Q, STORE_P, "    }\n"]);
    is_kept(&["    scf.for %i = %c0 to %c3 step %c1 {\n", LOAD_Q, STORE_P, "    }\n", &load, &store]);
}

#[test]
fn memory_that_only_the_scalar_unit_accesses_needs_nothing() {
    assert_eq!(cleans(&is_kept(&[&get("x", "%p[%c0]"), &put("%x", "%p[%c1]"), LOAD_Q, STORE_Q])), 0);
    // Nothing is in the cache at the start of a kernel.
    assert_eq!(cleans(&is_kept(&[&get("x", "%p[%c0]"), LOAD_Q, STORE_P])), 0);
}

#[test]
fn one_clean_serves_the_loads_after_it() {
    let body = [LOAD_Q, STORE_P, &get("x", "%p[%c0]"), &get("y", "%p[%c1]"), &get("z", "%p[%c3]")];
    assert_eq!(cleans(&is_kept(&body)), 1);
}

/// The flag after a store may be set before the clean that the program has.
#[test]
fn cleans_of_the_program_are_kept() {
    let clean = "    pto.cmo.cacheinvalid all #pto.address_space<gm>\n";
    assert_eq!(cleans(&is_kept(&[&put("%seven", "%p[%c3]"), clean, LOAD_P, STORE_Q])), 2);
    is_kept(&[LOAD_Q, STORE_P, clean, &get("x", "%p[%c0]")]);
}

/// A function that computes its flags is left as it is, and its tile accesses count for its callers.
#[test]
fn a_scalar_store_is_written_back_before_a_call_that_loads_it() {
    let text = "
  !t = !pto.tile_buf<vec, 8x8xi32>
  !v = !pto.tensor_view<8x8xi32>
  func.func @copy(%from: !pto.ptr<i32>, %to: !pto.ptr<i32>, %id: index) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %at = arith.constant 0 : i64
    %fv = pto.make_tensor_view %from, shape = [%c8, %c8], strides = [%c8, %c1] {layout = #pto.layout<nd>} : !v
    %tv = pto.make_tensor_view %to, shape = [%c8, %c8], strides = [%c8, %c1] {layout = #pto.layout<nd>} : !v
    %a = pto.alloc_tile addr = %at : !t
    pto.tload ins(%fv : !v) outs(%a : !t)
    pto.set_flag_dyn[<PIPE_MTE2>, <PIPE_MTE3>, %id]
    pto.wait_flag_dyn[<PIPE_MTE2>, <PIPE_MTE3>, %id]
    pto.tstore ins(%a : !t) outs(%tv : !v)
    return
  }
  func.func @f(%p: !pto.ptr<i32>, %q: !pto.ptr<i32>) attributes {pto.entry} {
    %c0 = arith.constant 0 : index
    %seven = arith.constant 7 : i32
    pto.store_scalar %seven, %p[%c0] : !pto.ptr<i32>, i32
    func.call @copy(%p, %q, %c0) : (!pto.ptr<i32>, !pto.ptr<i32>, index) -> ()
    return
  }";
    for target in [Target::A2A3, Target::A5] {
        let checked = Program::parse(text).check(target).unwrap_or_else(|e| panic!("{e:?}"));
        let (low_text, low) = again(&lowered(&checked, false, SyncMode::Minimal));
        assert!(cleans(&low_text) > 0, "{low_text}");
        let (mut p, mut q) = ((0..64).collect::<Vec<i32>>(), vec![0i32; 64]);
        let plan = prepared(&low, target, &low_text);
        let report = race::check(plan.launch(), &mut [Arg::write(&mut p), Arg::write(&mut q)]);
        assert!(report.findings.is_empty(), "{:?}\n{low_text}", report.findings);
        assert_eq!(p, q);
    }
}
