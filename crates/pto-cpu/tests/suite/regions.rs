//! Valid regions that are known only at run time and do not fit.

use pto_cpu::{Arg, Numerics, Options, Plan, RunReport};
use pto_isa::{Error, Target};

/// Adds a tile of ones that is valid in 8 columns and a tile of twos that is valid in fewer.
const SUM: &str = "
!tile = !pto.tile_buf<vec, 1x8xf32, valid=?x?>
!view = !pto.tensor_view<1x8xf32>
func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %z: !pto.ptr<f32>, %valid: index) {
  %one = arith.constant 1 : index
  %n = arith.constant 8 : index
  %xs = pto.make_tensor_view %x, shape = [%one, %n], strides = [%n, %one] : !view
  %ys = pto.make_tensor_view %y, shape = [%one, %n], strides = [%n, %one] : !view
  %zs = pto.make_tensor_view %z, shape = [%one, %n], strides = [%n, %one] : !view
  %a = pto.alloc_tile valid_row = %one valid_col = %n : !tile
  %b = pto.alloc_tile valid_row = %one valid_col = %n : !tile
  %sum = pto.alloc_tile valid_row = %one valid_col = %n : !tile
  pto.tload ins(%xs : !view) outs(%a : !tile)
  pto.tload ins(%ys : !view) outs(%b : !tile)
  pto.set_validshape %b, %one, %valid : !tile
  pto.tadd ins(%a, %b : !tile, !tile) outs(%sum : !tile)
  pto.tstore ins(%sum : !tile) outs(%zs : !view)
  return
}";

fn plan(text: &str, numerics: Numerics) -> Plan {
    let (module, problems) = pto_syntax::parse(text);
    assert!(problems.is_empty(), "{}", problems[0].message);
    let checked = pto_check::check(module, Target::A2A3).unwrap_or_else(|d| panic!("{}", d.diagnostics()[0].message));
    Plan::new(&checked, None, Options::default().numerics(numerics)).unwrap_or_else(|d| panic!("{d}"))
}

fn sum(numerics: Numerics, valid: i64) -> (Result<RunReport, Error>, [f32; 8]) {
    let (x, y, mut z) = ([1.0f32; 8], [2.0f32; 8], [0.0f32; 8]);
    let mut args = [Arg::read(&x), Arg::read(&y), Arg::write(&mut z), Arg::Int(valid)];
    let done = plan(SUM, numerics).launch().blocks(2).threads(2).run(&mut args);
    (done, z)
}

#[test]
fn sources_that_are_valid_in_less_stop_a_run() {
    let problem = sum(Numerics::Reference, 2).0.expect_err("`b` is valid in two columns");
    assert_eq!(problem.diagnostics()[0].code.id(), "PTO-E0218");
    assert!(sum(Numerics::Reference, 8).0.is_ok_and(|report| report.notes.is_empty()));
}

/// They compute wherever the destination is valid, and the report says so, once.
#[test]
fn devices_read_them_all_the_same() {
    for numerics in [Numerics::A2A3, Numerics::A5] {
        let (done, z) = sum(numerics, 2);
        let notes = done.unwrap_or_else(|d| panic!("{d}")).notes;
        assert_eq!(z, [3.0; 8]);
        assert_eq!(notes.len(), 1);
        assert!(!notes[0].is_error() && notes[0].code.id() == "PTO-E0218", "{:?}", notes[0]);
        assert!(sum(numerics, 8).0.is_ok_and(|report| report.notes.is_empty()));
    }
}

/// Nothing is read behind the end of a tile.
#[test]
fn a_source_without_room_stops_devices_too() {
    let text = SUM
        .replace(
            "%sum = pto.alloc_tile valid_row = %one valid_col = %n : !tile",
            "%sum = pto.alloc_tile valid_row = %one valid_col = %more : !wide",
        )
        .replace("outs(%sum : !tile)", "outs(%sum : !wide)")
        .replace("%n = arith", "%more = arith.constant 16 : index\n  %n = arith")
        .replace("!view = ", "!wide = !pto.tile_buf<vec, 1x16xf32, valid=?x?>\n!view = ")
        .replace("  pto.tstore ins(%sum : !tile) outs(%zs : !view)\n", "");
    let (x, y, mut z) = ([1.0f32; 8], [2.0f32; 8], [0.0f32; 8]);
    let mut args = [Arg::read(&x), Arg::read(&y), Arg::write(&mut z), Arg::Int(8)];
    let problem = plan(&text, Numerics::A5).launch().run(&mut args).expect_err("16 columns of 8");
    assert_eq!(problem.diagnostics()[0].code.id(), "PTO-E0218");
}

/// As many elements in another shape: the message says how to get there.
#[test]
fn a_window_of_another_shape_is_explained() {
    let text = "
!view = !pto.tensor_view<?x?xf32>
func.func @f(%x: !pto.ptr<f32>, %rows: index, %cols: index) {
  %one = arith.constant 1 : index
  %xs = pto.make_tensor_view %x, shape = [%rows, %cols], strides = [%cols, %one] : !view
  %t = pto.alloc_tile : !pto.tile_buf<vec, 1x32xf32>
  pto.tstore ins(%t : !pto.tile_buf<vec, 1x32xf32>) outs(%xs : !view)
  return
}";
    let mut x = [0.0f32; 32];
    let mut args = [Arg::write(&mut x), Arg::Int(16), Arg::Int(2)];
    let problem = plan(text, Numerics::Reference).launch().run(&mut args).expect_err("1x32 to 16x2");
    assert_eq!(problem.diagnostics()[0].code.id(), "PTO-E0711");
    assert!(problem.diagnostics()[0].help.as_ref().is_some_and(|help| help.contains("treshape")));
}
