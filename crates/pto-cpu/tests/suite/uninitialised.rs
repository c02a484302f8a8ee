//! Reading tiles that nothing has written: what is noticed, what is not, and what memory holds.

use pto_cpu::{Arg, Options, Plan, RunReport, Uninitialised};
use pto_isa::{Error, Target};

fn plan(text: &str, options: Options) -> Plan {
    let (module, problems) = pto_syntax::parse(text);
    assert!(problems.is_empty(), "{}", problems[0].message);
    let checked = pto_check::check(module, Target::A2A3).unwrap_or_else(|r| panic!("{r:?}"));
    Plan::new(&checked, None, options).unwrap_or_else(|d| panic!("{d}"))
}

/// A function of 16x16 floats `%x` and `%y`, with tiles `%a` and `%b`.
fn program(body: &str) -> String {
    // Either all tiles have an address, or none has.
    let own = if body.contains("addr =") { "" } else { "%a = pto.alloc_tile : !t\n%b = pto.alloc_tile : !t" };
    format!(
        "!t = !pto.tile_buf<vec, 16x16xf32>
         !part = !pto.tile_buf<vec, 16x16xf32, valid=?x?>
         !v = !pto.tensor_view<16x16xf32>
         !w = !pto.partition_tensor_view<?x?xf32>
         func.func @k(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) {{
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %c4 = arith.constant 4 : index
           %c8 = arith.constant 8 : index
           %c12 = arith.constant 12 : index
           %c16 = arith.constant 16 : index
           %f2 = arith.constant 2.0 : f32
           %xs = pto.make_tensor_view %x, shape = [%c16, %c16], strides = [%c16, %c1] : !v
           %ys = pto.make_tensor_view %y, shape = [%c16, %c16], strides = [%c16, %c1] : !v
           {own}
           {body}
           return
         }}"
    )
}

fn run(body: &str, options: Options, blocks: u32) -> (Result<RunReport, Error>, Vec<f32>) {
    let (x, mut y) = (vec![1.5f32; 256], vec![0.0f32; 256]);
    let mut args = [Arg::read(&x), Arg::write(&mut y)];
    let done = plan(&program(body), options).launch().blocks(blocks).run(&mut args);
    (done, y)
}

fn warnings(body: &str) -> Vec<String> {
    let report = run(body, Options::default(), 2).0.unwrap_or_else(|d| panic!("{d}"));
    assert!(report.notes.iter().all(|n| n.code.id() == "PTO-E0714" && !n.is_error()));
    report.notes.into_iter().map(|n| n.message).collect()
}

const NOTHING: &str = "
  pto.tadd ins(%a, %b : !t, !t) outs(%a : !t)
  pto.tadd ins(%a, %a : !t, !t) outs(%a : !t)
  pto.tstore ins(%a : !t) outs(%ys : !v)";

#[test]
fn a_tile_that_nothing_wrote_is_a_warning_once() {
    assert_eq!(warnings(NOTHING), ["`pto.tadd`: `%a` is read, but uninitialised"]);
    let in_a_loop = format!("scf.for %i = %c0 to %c16 step %c1 {{ {NOTHING} }}");
    assert_eq!(warnings(&in_a_loop).len(), 1);
}

/// Rows beyond those that were loaded are not there.
#[test]
fn parts_are_known() {
    let load = "
      %t = pto.alloc_tile valid_row = %c12 valid_col = %c8 : !part
      %w = pto.partition_view %xs, offsets = [%c0, %c0], sizes = [%c12, %c8] : !v -> !w
      pto.tload ins(%w : !w) outs(%t : !part)";
    let more = |rows: &str, cols: &str| {
        format!(
            "{load}
             pto.set_validshape %t, %{rows}, %{cols} : !part
             %u = pto.alloc_tile valid_row = %{rows} valid_col = %{cols} : !part
             pto.tmuls ins(%t, %f2 : !part, f32) outs(%u : !part)"
        )
    };
    assert_eq!(warnings(&more("c12", "c8")), [""; 0]);
    assert_eq!(warnings(&more("c4", "c4")), [""; 0]);
    assert_eq!(warnings(&more("c16", "c8")), ["`pto.tmuls`: `%t` is read at [12, 0], where it is uninitialised"]);
    assert_eq!(warnings(&more("c12", "c16")), ["`pto.tmuls`: `%t` is read at [0, 8], where it is uninitialised"]);
}

/// Tiles at changing addresses, carried and copied tiles, single elements.
#[test]
fn what_is_written_is_no_warning() {
    let two_addresses = "
      scf.for %i = %c0 to %c8 step %c1 {
        %c2 = arith.constant 2 : index
        %k1024 = arith.constant 1024 : index
        %w = arith.remui %i, %c2 : index
        %off = arith.muli %w, %k1024 : index
        %at = arith.index_cast %off : index to i64
        %t = pto.alloc_tile addr = %at : !t
        pto.tload ins(%xs : !v) outs(%t : !t)
      }
      scf.for %i = %c0 to %c8 step %c1 {
        %c2 = arith.constant 2 : index
        %k1024 = arith.constant 1024 : index
        %w = arith.remui %i, %c2 : index
        %off = arith.muli %w, %k1024 : index
        %at = arith.index_cast %off : index to i64
        %t = pto.alloc_tile addr = %at : !t
        pto.tstore ins(%t : !t) outs(%ys : !v)
      }";
    assert_eq!(warnings(two_addresses), [""; 0]);
    let carried = "
      pto.tload ins(%xs : !v) outs(%a : !t)
      %last = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %a) -> (!t) {
        pto.tadd ins(%t, %t : !t, !t) outs(%b : !t)
        scf.yield %b : !t
      }
      pto.tstore ins(%last : !t) outs(%ys : !v)";
    assert_eq!(warnings(carried), [""; 0]);
    let elements = "
      pto.tsetval ins(%c4, %f2 : index, f32) outs(%a : !t)
      %n = pto.tgetval ins(%a, %c4 : !t, index) outs : f32
      %m = pto.tgetval ins(%a, %c8 : !t, index) outs : f32";
    assert_eq!(warnings(elements), ["`pto.tgetval`: `%a` is read, but uninitialised"]);
}

#[test]
fn given_tiles_are_written() {
    let text = "!t = !pto.tile_buf<vec, 16x16xf32>
      func.func @k(%a: !t) {
        pto.tadd ins(%a, %a : !t, !t) outs(%a : !t)
        return
      }";
    let mut a = vec![1.5f32; 256];
    let strict = Options::default().strict(true).uninitialised(Uninitialised::Nan);
    plan(text, strict).launch().run(&mut [Arg::write(&mut a)]).unwrap_or_else(|d| panic!("{d}"));
    assert_eq!(a, [3.0; 256]);
}

#[test]
fn strict_stops() {
    let problem = run(NOTHING, Options::default().strict(true), 2).0.expect_err("it stops");
    assert_eq!(
        (problem.diagnostics()[0].code.id(), problem.diagnostics()[0].is_error()),
        ("PTO-E0714".to_string(), true)
    );
    assert!(
        problem.diagnostics()[0].message.starts_with("`pto.tadd`: `%a` is read, but uninitialised"),
        "{}",
        problem.diagnostics()[0].message
    );
}

#[test]
fn memory_may_hold_nan() {
    let nan = Options::default().uninitialised(Uninitialised::Nan);
    // The second block finds what the first one found.
    for blocks in [1, 2] {
        assert!(run(NOTHING, nan, blocks).1.iter().all(|y| y.is_nan()));
    }
    assert_eq!(run(NOTHING, Options::default(), 1).1, [0.0; 256]);
    let copy = "
      pto.tload ins(%xs : !v) outs(%a : !t)
      pto.tstore ins(%a : !t) outs(%ys : !v)";
    assert_eq!(run(copy, nan, 2).1, [1.5; 256]);
}

/// All bits set are NaN in every type that has one, but for `hif8`.
#[test]
fn nan_is_nan_in_every_type() {
    for dtype in ["f16", "bf16"] {
        let text = format!(
            "func.func @k(%y: !pto.ptr<f32>) {{
               %c1 = arith.constant 1 : index
               %c16 = arith.constant 16 : index
               %ys = pto.make_tensor_view %y, shape = [%c16, %c16], strides = [%c16, %c1] : !pto.tensor_view<16x16xf32>
               %a = pto.alloc_tile : !pto.tile_buf<vec, 16x16x{dtype}>
               %b = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
               pto.tcvt ins(%a {{rmode = #pto<round_mode RINT>}} : !pto.tile_buf<vec, 16x16x{dtype}>) outs(%b : !pto.tile_buf<vec, 16x16xf32>)
               pto.tstore ins(%b : !pto.tile_buf<vec, 16x16xf32>) outs(%ys : !pto.tensor_view<16x16xf32>)
               return
             }}"
        );
        let mut y = vec![0.0f32; 256];
        let nan = Options::default().uninitialised(Uninitialised::Nan);
        plan(&text, nan).launch().run(&mut [Arg::write(&mut y)]).unwrap_or_else(|d| panic!("{d}"));
        assert!(y.iter().all(|y| y.is_nan()), "{dtype}");
    }
}
