//! How time grows with the length of a program, for every shape of program and everything that is done before it runs.
//!
//! `cargo bench -p pto --bench growth [-- NAME]`. Each shape is made with n, 4n and 16n lines. Shown are microseconds per line at 16n lines, and how
//! many times as much a line takes there as at n lines: it stays near 1 as long as time grows with the program alone. Small figures are mostly noise.

use pto_testkit::shapes::{Shape, ShapeKind, all};
use pto_testkit::stages::STAGES;
use pto_testkit::timing::best;

const LINES: usize = 1_000;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    println!("µs per line at {} lines, and in brackets how many times that at {LINES} lines\n", 16 * LINES);
    print!("| {:<38} |", "shape");
    STAGES.iter().for_each(|(name, _)| print!(" {name:>13} |"));
    println!("\n|---|{}", "---|".repeat(STAGES.len()));
    for shape in all().filter(|s| wanted.is_empty() || wanted.iter().any(|w| s.name.contains(w.as_str()))) {
        row(shape);
    }
}

fn row(shape: &Shape) {
    let mark = if shape.kind == ShapeKind::Broken { " (broken)" } else { "" };
    print!("| {:<38} |", format!("{}{mark}", shape.name));
    for (_, stage) in STAGES {
        let per_line = |lines: usize| {
            let text = (shape.text)(lines);
            best(2, || stage(&text)).as_secs_f64() * 1e6 / lines as f64
        };
        let [small, _, large] = [LINES, 4 * LINES, 16 * LINES].map(per_line);
        print!(" {large:>6.1} ({:>4.1}) |", large / small.max(1e-9));
    }
    println!();
}
