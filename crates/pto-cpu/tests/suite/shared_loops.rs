//! One block on several threads: the same bits as on one, or no sharing where iterations depend on each other.
//!
//! `SHARED_PROGRAMS=10000` runs more random programs, `SHARED_SEED=7` others.

use super::random::{Numbers, number};
use pto_cpu::{Arg, Options, Plan};
use pto_isa::{Error, Target};
use std::fmt::Write;

/// Rows and columns of both matrices.
const SIDE: usize = 64;

fn plan(text: &str) -> Plan {
    let (module, problems) = pto_syntax::parse(text);
    assert!(problems.is_empty(), "{}\n{text}", problems[0].message);
    let checked = pto_check::check(module, Target::A5).unwrap_or_else(|e| panic!("{e}\n{text}"));
    Plan::new(&checked, None, Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// A program on two matrices of 64x64 numbers, in tiles of 8x64: what stands before its loop over rows, in it and behind it.
fn program(before: &str, body: &str, behind: &str) -> String {
    format!(
        "!tile = !pto.tile_buf<vec, 8x64xf32>
         !mask = !pto.tile_buf<vec, 8x32xui8, valid=8x8>
         !matrix = !pto.tensor_view<64x64xf32>
         func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {{pto.entry}} {{
           %zero = arith.constant 0 : index
           %one = arith.constant 1 : index
           %two = arith.constant 2 : index
           %eight = arith.constant 8 : index
           %n = arith.constant 64 : index
           %half = arith.constant 0.5 : f32
           %xs = pto.make_tensor_view %x, shape = [%n, %n], strides = [%n, %one] : !matrix
           %ys = pto.make_tensor_view %y, shape = [%n, %n], strides = [%n, %one] : !matrix
           %first = pto.partition_view %xs, offsets = [%zero, %zero], sizes = [%eight, %n]
           %a = pto.alloc_tile : !tile
           %b = pto.alloc_tile : !tile
           %c = pto.alloc_tile : !tile
           %m = pto.alloc_tile : !mask
           {before}
           scf.for %i = %zero to %n step %eight {{
             %from = pto.partition_view %xs, offsets = [%i, %zero], sizes = [%eight, %n]
             %to = pto.partition_view %ys, offsets = [%i, %zero], sizes = [%eight, %n]
             {body}
           }}
           {behind}
           return
         }}"
    )
}

/// What a run leaves in the matrices, and whether threads shared the loops. Every run of the same program must leave the same.
fn run(text: &str) -> (Vec<f32>, bool) {
    let plan = plan(text);
    let before: Vec<f32> = Numbers(1).floats(2 * SIDE * SIDE);
    let run = |threads: usize| {
        let mut data = before.clone();
        let (x, y) = data.split_at_mut(SIDE * SIDE);
        let launch = plan.launch().threads(threads).shares_small_blocks();
        let shares = launch.shares_loops(&mut [Arg::write(x), Arg::write(y)]);
        let report = launch.run(&mut [Arg::write(x), Arg::write(y)]).unwrap_or_else(|e| panic!("{e}\n{text}"));
        (data, shares, report)
    };
    let (alone, shares_alone, expected) = run(1);
    assert!(!shares_alone);
    let mut shares = false;
    for threads in [2, 3, 16] {
        let (data, shared, report) = run(threads);
        let differs = data.iter().zip(&alone).position(|(a, b)| a.to_bits() != b.to_bits());
        assert_eq!(differs, None, "{threads} threads, shared: {shared}\n{text}");
        assert_eq!((&report.written, report.instructions), (&expected.written, expected.instructions), "{text}");
        let notes = |report: &pto_cpu::RunReport| report.notes.iter().map(|n| n.message.clone()).collect::<Vec<_>>();
        assert_eq!(notes(&report), notes(&expected), "{text}");
        shares = shared;
    }
    (alone, shares)
}

fn is_shared(before: &str, body: &str, behind: &str) -> bool {
    run(&program(before, body, behind)).1
}

const COPY: &str = "pto.tload ins(%from) outs(%a)
                    pto.tstore ins(%a) outs(%to)";

#[test]
fn iterations_that_need_nothing_of_each_other_are_shared() {
    assert!(is_shared("", COPY, ""));
    // What stands before the loop is done by every thread.
    let scaled = "pto.tload ins(%from) outs(%a)
                  pto.tmul ins(%a, %b) outs(%a)
                  pto.tstore ins(%a) outs(%to)";
    assert!(is_shared("pto.tload ins(%first) outs(%b)", scaled, ""));
    // A comparison writes all of its mask.
    let masked = "pto.tload ins(%from) outs(%a)
                  pto.tmuls ins(%a, %half) outs(%b)
                  pto.tcmps ins(%a, %half {cmpMode = #pto<cmp gt>}) outs(%m)
                  pto.tsel ins(%m, %a, %b, %b) outs(%c)
                  pto.tstore ins(%c) outs(%to)";
    assert!(is_shared("", masked, ""));
    // In place, twice, and once with numbers from before.
    let in_place = "pto.tload ins(%from) outs(%a)
                    pto.tadd ins(%a, %a) outs(%a)
                    pto.tstore ins(%a) outs(%from)
                    pto.tload ins(%from) outs(%b)
                    pto.tstore ins(%b) outs(%to)";
    assert!(is_shared("", in_place, ""));
}

/// Numbers that a loop carries are computed by every thread.
#[test]
fn loops_that_carry_numbers_are_shared() {
    let body = "%there = pto.partition_view %ys, offsets = [%row, %zero], sizes = [%eight, %n]
                pto.tload ins(%from) outs(%a)
                pto.tstore ins(%a) outs(%there)
                %further = arith.addi %row, %eight : index
                scf.yield %further : index";
    let head = "scf.for %i = %zero to %n step %eight {";
    let carries = "%last = scf.for %i = %zero to %n step %eight iter_args(%row = %zero) -> (index) {";
    assert!(run(&program("", body, "").replace(head, carries)).1);
}

#[test]
fn iterations_that_need_each_other_are_not() {
    // A sum over all rows.
    let sum = "pto.tload ins(%from) outs(%a)
               pto.tadd ins(%a, %b) outs(%b)
               pto.tstore ins(%b) outs(%to)";
    assert!(!is_shared("pto.tload ins(%first) outs(%b)", sum, ""));
    // What the iteration before loaded.
    let late = "pto.tstore ins(%a) outs(%to)
                pto.tload ins(%from) outs(%a)";
    assert!(!is_shared("pto.tload ins(%first) outs(%a)", late, ""));
    // All write the same rows, or read those that others write.
    assert!(!is_shared(
        "%same = pto.partition_view %ys, offsets = [%zero, %zero], sizes = [%eight, %n]",
        &COPY.replace("%to", "%same"),
        ""
    ));
    assert!(!is_shared(
        "",
        "pto.tload ins(%first) outs(%a)
                            pto.tadds ins(%a, %half) outs(%a)
                            pto.tstore ins(%a) outs(%from)",
        ""
    ));
    // The tile of the last iteration is used behind the loop.
    assert!(!is_shared(
        "",
        COPY,
        "pto.tadd ins(%a, %a) outs(%b)
                                  pto.tadd ins(%b, %b) outs(%a)"
    ));
    // Stores outside of the loop.
    assert!(!is_shared(
        "",
        COPY,
        "pto.tload ins(%first) outs(%b)
                                  pto.tstore ins(%b) outs(%first)"
    ));
    // Rows that only some iterations write.
    let some = "%which = arith.remui %i, %n : index
                %is = arith.cmpi eq, %which, %zero : index
                scf.if %is {
                  pto.tload ins(%from) outs(%a)
                }
                pto.tstore ins(%a) outs(%to)";
    assert!(!is_shared("", some, ""));
}

#[test]
fn windows_may_be_columns() {
    let text = |step: usize, size: usize| {
        format!(
            "!tile = !pto.tile_buf<vec, 64x{size}xf32>
             !matrix = !pto.tensor_view<64x64xf32>
             func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {{pto.entry}} {{
               %zero = arith.constant 0 : index
               %one = arith.constant 1 : index
               %step = arith.constant {step} : index
               %size = arith.constant {size} : index
               %n = arith.constant 64 : index
               %end = arith.constant 48 : index
               %xs = pto.make_tensor_view %x, shape = [%n, %n], strides = [%n, %one] : !matrix
               %ys = pto.make_tensor_view %y, shape = [%n, %n], strides = [%n, %one] : !matrix
               %t = pto.alloc_tile : !tile
               scf.for %i = %zero to %end step %step {{
                 %from = pto.partition_view %xs, offsets = [%zero, %i], sizes = [%n, %size]
                 %to = pto.partition_view %ys, offsets = [%zero, %i], sizes = [%n, %size]
                 pto.tload ins(%from) outs(%t)
                 pto.tadd ins(%t, %t) outs(%t)
                 pto.tstore ins(%t) outs(%to)
               }}
               return
             }}"
        )
    };
    assert!(run(&text(8, 8)).1 && run(&text(16, 8)).1);
    assert!(!run(&text(8, 16)).1);
}

/// The first iteration that fails is reported, as on one thread.
#[test]
fn problems_are_those_of_one_thread() {
    let text = program(
        "%far = arith.constant 24 : index",
        "%row = arith.addi %i, %far : index
        %out = pto.partition_view %ys, offsets = [%row, %zero], sizes = [%eight, %n]
        pto.tload ins(%from) outs(%a)
        pto.tstore ins(%a) outs(%out)",
        "",
    );
    let plan = plan(&text);
    let error = |threads: usize| -> Error {
        let (x, mut y) = (vec![1.0_f32; SIDE * SIDE], vec![0.0_f32; SIDE * SIDE]);
        let launch = plan.launch().threads(threads).shares_small_blocks();
        launch.run(&mut [Arg::read(&x), Arg::write(&mut y)]).expect_err("the last rows are not there")
    };
    assert_eq!(error(1).to_string(), error(4).to_string());
    // Memory that is not to be written is found by the threads themselves.
    let copy = program("", COPY, "");
    let plan = super::shared_loops::plan(&copy);
    let error = |threads: usize| {
        let (x, y) = (vec![1.0_f32; SIDE * SIDE], vec![0.0_f32; SIDE * SIDE]);
        let launch = plan.launch().threads(threads).shares_small_blocks();
        launch.run(&mut [Arg::read(&x), Arg::read(&y)]).expect_err("the result is read-only").to_string()
    };
    assert_eq!(error(1), error(4));
}

/// Loads, stores and instructions on three tiles and windows of two matrices, in a loop that may carry a row.
fn random_program(n: &mut Numbers) -> String {
    let mut body = String::new();
    for at in 0..3 + n.below(8) {
        let (t, u, v) = (n.pick(&["%a", "%b", "%c"]), n.pick(&["%a", "%b", "%c"]), n.pick(&["%a", "%b", "%c"]));
        let window = n.pick(&["%from", "%to", "%from", "%to", "%first", "%next"]);
        let line = match n.below(9) {
            0..3 => format!("pto.tload ins({window}) outs({t})"),
            3 | 4 => format!("pto.tstore ins({t}) outs({})", n.pick(&["%to", "%to", "%to", "%from", "%next"])),
            5 => format!("pto.tadd ins({t}, {u}) outs({v})"),
            6 => format!("pto.tmuls ins({t}, %half) outs({v})"),
            7 => format!("pto.tmax ins({t}, {u}) outs({v})"),
            _ => format!(
                "%is{at} = arith.cmpi {}, %i, %middle : index
                 scf.if %is{at} {{
                   pto.tload ins({window}) outs({t})
                 }} else {{
                   pto.tadds ins({t}, %half) outs({u})
                 }}",
                n.pick(&["slt", "eq", "ne"])
            ),
        };
        let _ = writeln!(body, "{line}");
    }
    let start = n.pick(&[0, 8]);
    let before = format!(
        "%middle = arith.constant 24 : index
         pto.tload ins(%first) outs(%a)
         pto.tload ins(%first) outs(%b)
         pto.tload ins(%first) outs(%c)
         %start = arith.constant {start} : index"
    );
    let text = program(
        &before,
        &body,
        n.pick(&["", "", "", "pto.tadd ins(%a, %a) outs(%b)", "pto.tload ins(%first) outs(%b)"]),
    );
    let loops = "scf.for %i = %zero to %n step %eight {";
    let next = "%next = pto.partition_view %ys, offsets = [%there, %zero], sizes = [%eight, %n]";
    match n.below(3) {
        0 => text.replace(loops, &format!("{loops}\n%there = arith.subi %n, %eight : index\n{next}")),
        1 => text.replace(
            loops,
            &format!("{loops}\n%back = arith.subi %n, %i : index\n%there = arith.subi %back, %eight : index\n{next}"),
        ),
        // A row that the loop carries.
        _ => {
            let head =
                format!("%last = scf.for %i = %zero to %n step %eight iter_args(%there = %zero) -> (index) {{\n{next}");
            let text = text.replace(loops, &head);
            let (body, rest) = text.rsplit_once("\n           }\n").expect("the end of the loop");
            format!(
                "{body}\n%further = arith.addi %there, %eight : index\nscf.yield %further : index\n           }}\n{rest}"
            )
        }
    }
}

#[test]
fn random_programs_give_the_same_bits() {
    let mut n = Numbers(number("SHARED_SEED", 1));
    let count = number("SHARED_PROGRAMS", 300);
    let shared = (0..count).filter(|_| run(&random_program(&mut n)).1).count() as u64;
    assert!(shared * 20 > count && shared * 4 < count * 3, "{shared} of {count} programs are shared");
}
