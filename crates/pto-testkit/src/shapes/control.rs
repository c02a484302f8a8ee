//! Loops, branches, blocks, functions.

use super::ShapeKind::Runs;
use super::{ADD, END, HEAD, LOAD, STORE, Shape, around, small, without_tiles};

const TURNS: &str = "%c0 to %c2 step %c1";

pub(super) const SHAPES: &[Shape] = &[
    Shape { name: "loops in a row", text: loops, kind: Runs },
    Shape { name: "loops in a loop", text: loops_in_a_loop, kind: Runs },
    Shape { name: "a long loop", text: long_loop, kind: Runs },
    Shape { name: "nested loops", text: nests, kind: Runs },
    Shape { name: "nested branches", text: nested_ifs, kind: Runs },
    Shape { name: "branches in a row", text: ifs, kind: Runs },
    Shape { name: "branches with results", text: chosen, kind: Runs },
    Shape { name: "while loops", text: whiles, kind: Runs },
    Shape { name: "cases of a switch", text: cases, kind: Runs },
    Shape { name: "blocks in a row", text: blocks, kind: Runs },
    Shape { name: "a ladder of blocks", text: ladder, kind: Runs },
    Shape { name: "blocks that leave", text: leaving, kind: Runs },
    Shape { name: "blocks with arguments", text: passing, kind: Runs },
    Shape { name: "blocks in a round", text: round, kind: Runs },
    Shape { name: "blocks in a round, one of two tiles", text: choosing_round, kind: Runs },
    Shape { name: "functions", text: functions, kind: Runs },
    Shape { name: "functions with copies", text: copying, kind: Runs },
    Shape { name: "functions calling functions", text: call_chain, kind: Runs },
    Shape { name: "calls of one function", text: calls, kind: Runs },
    Shape { name: "kernels in a file", text: kernels, kind: Runs },
    Shape { name: "sections in a row", text: sections, kind: Runs },
];

fn loops(lines: usize) -> String {
    around(lines / 5, |k| format!("  scf.for %i{k} = {TURNS} {{\n{LOAD}{ADD}{STORE}  }}\n"))
}

fn loops_in_a_loop(lines: usize) -> String {
    let inner = |k| format!("  scf.for %i{k} = {TURNS} {{\n{LOAD}{ADD}{STORE}  }}\n");
    let body: String = (0..lines / 5).map(inner).collect();
    format!("{HEAD}  scf.for %i = {TURNS} {{\n{body}  }}\n{END}")
}

fn long_loop(lines: usize) -> String {
    let body = format!("{LOAD}{ADD}{STORE}").repeat(lines / 3);
    format!("{HEAD}  scf.for %i = {TURNS} {{\n{body}  }}\n{END}")
}

/// Nests of loops with one iteration, as deep as allowed.
fn nests(lines: usize) -> String {
    const DEPTH: usize = 150;
    around(lines / (DEPTH * 2 + 3), |n| {
        let open: String = (0..DEPTH).map(|k| format!("scf.for %i{n}_{k} = %c0 to %c1 step %c1 {{\n")).collect();
        format!("{open}{LOAD}{ADD}{STORE}{}", "}\n".repeat(DEPTH))
    })
}

fn nested_ifs(lines: usize) -> String {
    const DEPTH: usize = 150;
    around(lines / (DEPTH * 2 + 3), |_| {
        format!("{}{LOAD}{ADD}{STORE}{}", "scf.if %c {\n".repeat(DEPTH), "}\n".repeat(DEPTH))
    })
}

fn ifs(lines: usize) -> String {
    around(lines / 6, |_| format!("  scf.if %c {{\n{LOAD}{ADD}  }} else {{\n{STORE}  }}\n"))
}

fn chosen(lines: usize) -> String {
    let mut before = "%c0".to_string();
    around(lines / 5, |k| {
        let text = format!(
            "  %n{k} = scf.if %c -> (index) {{\n    scf.yield {before} : index\n  }} else {{\n    scf.yield %c1 : index\n  }}\n"
        );
        before = format!("%n{k}");
        text
    })
}

fn whiles(lines: usize) -> String {
    around(lines / 11, |k| {
        format!(
            "  %w{k} = scf.while (%a = %c0) : (index) -> index {{
    %more = arith.cmpi ult, %a, %c2 : index
    scf.condition(%more) %a : index
  }} do {{
  ^bb0(%b: index):
{LOAD}{ADD}{STORE}    %next = arith.addi %b, %c1 : index
    scf.yield %next : index
  }}\n"
        )
    })
}

fn cases(lines: usize) -> String {
    let case = |k| format!("  case {k} {{\n{LOAD}    scf.yield\n  }}\n");
    let cases: String = (0..lines / 4).map(case).collect();
    format!("{HEAD}  scf.index_switch %c2\n{cases}  default {{\n{STORE}    scf.yield\n  }}\n{END}")
}

fn blocks(lines: usize) -> String {
    around(lines / 5, |k| format!("  cf.br ^b{k}\n^b{k}:\n{LOAD}{ADD}{STORE}"))
}

/// Every block goes to the next one or to the one behind it.
fn ladder(lines: usize) -> String {
    let count = lines / 5;
    let rung = |k: usize| format!("^b{k}:\n{LOAD}{ADD}{STORE}  cf.cond_br %c, ^b{}, ^b{}\n", k + 1, (k + 2).min(count));
    let rungs: String = (0..count).map(rung).collect();
    format!("{HEAD}  cf.br ^b0\n{rungs}^b{count}:\n{END}")
}

/// Every block branches to the next one or to the end.
fn leaving(lines: usize) -> String {
    let step = |k: usize| format!("^b{k}:\n{LOAD}{ADD}{STORE}  cf.cond_br %c, ^b{}, ^end\n", k + 1);
    let count = lines / 5;
    let steps: String = (0..count).map(step).collect();
    format!("{HEAD}  cf.br ^b0\n{steps}^b{count}:\n  cf.br ^end\n^end:\n{END}")
}

fn passing(lines: usize) -> String {
    let mut before = "%c0".to_string();
    around(lines / 3, |k| {
        let text =
            format!("  cf.br ^b{k}({before} : index)\n^b{k}(%a{k}: index):\n  %n{k} = arith.addi %a{k}, %c1 : index\n");
        before = format!("%n{k}");
        text
    })
}

/// Every block makes a tile and hands it on, the last one to the first.
fn round(lines: usize) -> String {
    let count = lines / 4;
    round_of(count, |k| format!("  cf.br ^b{}(%w{k} : !t)\n", k + 1), &format!("%x{count}"))
}

/// Every block makes a tile and hands on that or the one it was given. The last one starts again.
fn choosing_round(lines: usize) -> String {
    let end = |k: usize| format!("  cf.cond_br %c, ^b{n}(%w{k} : !t), ^b{n}(%x{k} : !t)\n", n = k + 1);
    round_of(lines / 4, end, "%t")
}

fn round_of(count: usize, end: impl Fn(usize) -> String, again: &str) -> String {
    let start = "  %no = arith.constant false\n  cf.br ^b0(%t : !t)\n";
    let block = |k: usize| {
        let end = end(k);
        format!("^b{k}(%x{k}: !t):\n  %w{k} = pto.alloc_tile : !t\n  pto.tabs ins(%x{k} : !t) outs(%w{k} : !t)\n{end}")
    };
    let blocks: String = (0..count).map(block).collect();
    let last = format!("^b{count}(%x{count}: !t):\n  cf.cond_br %no, ^b0({again} : !t), ^end\n^end:\n");
    small(&format!("{HEAD}{start}{blocks}{last}{END}"))
}

fn helper(name: &str, body: &str) -> String {
    format!("func.func private @{name}(%t: !t) {{\n{body}  return\n}}\n")
}

const TWICE: &str = "  pto.tadd ins(%t, %t : !t, !t) outs(%t : !t)\n";

fn functions(lines: usize) -> String {
    let count = lines / 5;
    let helpers: String = (0..count).map(|k| helper(&format!("f{k}"), TWICE)).collect();
    around(count, |k| format!("  func.call @f{k}(%t) : (!t) -> ()\n")) + &helpers
}

/// A loop in each function creates a tile while it still reads the previous one.
fn copying(lines: usize) -> String {
    const BODY: &str = "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index
  %o = pto.alloc_tile : !t\n  pto.tmov ins(%t : !t) outs(%o : !t)
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %o) -> (!t) {
    %b = pto.alloc_tile : !t\n    pto.tmov ins(%t : !t) outs(%b : !t)
    pto.tadd ins(%a, %b : !t, !t) outs(%b : !t)\n    scf.yield %b : !t\n  }\n";
    let count = lines / 13;
    let helpers: String = (0..count).map(|k| helper(&format!("f{k}"), BODY)).collect();
    around(count, |k| format!("  func.call @f{k}(%t) : (!t) -> ()\n")) + &helpers
}

/// Each function calls the next.
fn call_chain(lines: usize) -> String {
    let count = lines / 5;
    let next = |k: usize| format!("{TWICE}  func.call @f{}(%t) : (!t) -> ()\n", k + 1);
    let helpers: String = (0..count).map(|k| helper(&format!("f{k}"), &next(k))).collect();
    let last = helper(&format!("f{count}"), TWICE);
    around(1, |_| "  func.call @f0(%t) : (!t) -> ()\n".to_string()) + &helpers + &last
}

fn calls(lines: usize) -> String {
    around(lines, |_| "  func.call @f(%t) : (!t) -> ()\n".to_string()) + &helper("f", TWICE)
}

/// Functions that are neither entries nor called.
fn kernels(lines: usize) -> String {
    let kernel = |k| {
        format!(
            "func.func @f{k}(%x: !pto.ptr<f32>) {{
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %xs = pto.make_tensor_view %x, shape = [%c16, %c64], strides = [%c64, %c1] : !v
  %t = pto.alloc_tile : !t
{LOAD}  pto.tstore ins(%t : !t) outs(%xs : !v)
  return\n}}\n"
        )
    };
    around(1, |_| String::new()) + &(0..lines / 10).map(kernel).collect::<String>()
}

fn sections(lines: usize) -> String {
    let mut text = without_tiles();
    for k in 0..lines / 6 {
        text += &format!(
            "  pto.section.vector {{\n  %t{k} = pto.alloc_tile : !t\n  pto.tload ins(%xs : !v) outs(%t{k} : !t)\n  \
             pto.tstore ins(%t{k} : !t) outs(%ys : !v)\n  }}\n"
        );
    }
    text + END
}
