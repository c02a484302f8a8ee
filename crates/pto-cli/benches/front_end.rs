//! How fast programs are read and checked.
//!
//! Prints megabytes per second on one core for programs of 1, 10 and 100 MB in both type spellings, how the time
//! grows with the size, and what a small file costs from process start to exit. Machines differ; compare numbers
//! of one run.

use pto::Program;
use pto::ir::{self, Style, TypeStyle};
use pto::isa::Target;
use pto_testkit::timing::best;
use std::io::Write;
use std::process::{Command, Stdio};

/// Softmax over and over, under different names: a realistic mix of views, loads, vector work and loops.
fn program(megabytes: usize, types: TypeStyle) -> String {
    let example = include_str!("../../../examples/softmax.pto");
    let text = ir::print(Program::parse(example).module(), Style { types, ..Style::default() });
    let count = (megabytes * 1_000_000).div_ceil(text.len());
    let mut out = String::with_capacity(count * (text.len() + 8));
    for n in 0..count {
        out += &text.replace("@softmax", &format!("@softmax_{n}"));
    }
    out
}

fn reading_and_checking() {
    println!("read and check, one core");
    for types in [TypeStyle::Keyed, TypeStyle::Compact] {
        let mut previous: Option<f64> = None;
        for megabytes in [1, 10, 100] {
            let source = program(megabytes, types);
            let runs = if megabytes == 100 { 2 } else { 5 };
            let time = best(runs, || assert!(Program::parse(&source).inspect(Target::A2A3).is_empty())).as_secs_f64();
            let rate = source.len() as f64 / 1e6 / time;
            let growth = previous.map_or(String::new(), |p| format!("   {:5.2} × the time of a tenth", time / p));
            println!("  {types:?} types {megabytes:4} MB: {rate:6.1} MB/s{growth}");
            previous = Some(time);
        }
    }
}

fn straight_line() {
    println!("straight-line kernels, one core");
    let mut previous: Option<f64> = None;
    for operations in [400, 1600, 6400, 25_600] {
        let tile = "!pto.tile_buf<vec, 16x16xf32>";
        let mut source = String::from("func.func @f() {\n");
        for t in 0..8 {
            source += &format!("  %t{t} = pto.alloc_tile : {tile}\n");
        }
        for n in 0..operations {
            let (a, b, d) = (n % 8, (n + 3) % 8, (n + 5) % 8);
            source += &format!("  pto.tadd ins(%t{a}, %t{b} : {tile}, {tile}) outs(%t{d} : {tile})\n");
        }
        source += "  return\n}\n";
        let time = best(5, || assert!(Program::parse(&source).inspect(Target::A2A3).is_empty())).as_secs_f64();
        let growth = previous.map_or(String::new(), |p| format!("   {:5.2} × the time of a quarter", time / p));
        println!("  {operations:6} operations: {:8.3} ms{growth}", time * 1e3);
        previous = Some(time);
    }
}

fn process() {
    let source = include_str!("../../../examples/softmax.pto");
    let time = best(40, || {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pto"))
            .args(["check", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("the binary starts");
        child.stdin.take().expect("piped").write_all(source.as_bytes()).expect("the binary reads");
        assert!(child.wait().expect("the binary ends").success());
    });
    println!("pto check of a small file, process start to exit: {:.2} ms", time.as_secs_f64() * 1e3);
}

fn main() {
    process();
    straight_line();
    reading_and_checking();
}
