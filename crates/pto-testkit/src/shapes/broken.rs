//! Programs with as many errors as lines.

use super::ShapeKind::Broken;
use super::{END, HEAD, Shape, around};

macro_rules! lines {
    ($($name:literal: |$k:ident| $text:expr;)*) => {
        &[$(Shape { name: $name, text: |lines| around(lines, |$k| format!("{}\n", $text)), kind: Broken },)*
          Shape { name: "errors: unclosed braces", text: unclosed, kind: Broken },
          Shape { name: "errors: unclosed types", text: unclosed_types, kind: Broken },
          Shape { name: "errors: aliases twice", text: aliases_twice, kind: Broken },
          Shape { name: "errors: aliases in a circle", text: alias_circle, kind: Broken },
          Shape { name: "errors: functions twice", text: functions_twice, kind: Broken },
          Shape { name: "errors: functions in a circle", text: call_circle, kind: Broken },
          Shape { name: "errors: too deep", text: too_deep, kind: Broken },
          Shape { name: "errors: missing blocks", text: missing_blocks, kind: Broken },
          Shape { name: "errors: tiles too large", text: too_large, kind: Broken },
          Shape { name: "errors: one list of operands", text: operands, kind: Broken },
        ]
    };
}

pub(super) const SHAPES: &[Shape] = lines! {
    "errors: undefined names": |k| format!("  %a{k} = arith.addi %missing{k}, %c1 : index");
    "errors: names that are nearly right": |k| format!("  %value{k} = arith.addi %valeu{k}, %c1 : index");
    "errors: one undefined name": |k| format!("  %a{k} = arith.addi %missing, %c1 : index");
    "errors: unknown operations": |k| format!("  pto.tad{k} ins(%t : !t) outs(%u : !t)");
    "errors: unknown types": |k| format!("  %a{k} = pto.alloc_tile : !type{k}");
    "errors: unknown attributes": |k| format!("  pto.barrier <PIPE_V{k}>");
    "errors: unknown characters": |_k| "  ` ` `";
    "errors: wrong types": |_k| "  pto.tadd ins(%t, %f : !t, f32) outs(%u : !t)";
    "errors: types that differ": |k| format!("  %a{k} = arith.addi %c1, %c1 : i64");
    "errors: names twice": |_k| "  %a = arith.constant 1 : index";
    "errors: numbers too large": |k| format!("  %a{k} = arith.constant 300 : i8");
    "errors: used before": |k| format!("  %a{k} = arith.addi %a{}, %c1 : index", k + 1);
    "errors: operands missing": |_k| "  pto.tadd ins(%t : !t) outs(%u : !t)";
    "errors: calls of nobody": |k| format!("  func.call @nobody{k}() : () -> ()");
    "errors: returns too early": |_k| "  return";
    "errors: wrong addresses": |k| format!("  pto.tassign %t, @tile(0x{:x})", 200_000 + k);
    "errors: wrong regions": |_k| "  scf.if %c { scf.yield %c0 : index }";
    "errors: half lines": |k| format!("  %a{k} = arith.addi");
};

fn unclosed(lines: usize) -> String {
    format!("{HEAD}{}", "  scf.if %c {\n".repeat(lines))
}

fn unclosed_types(lines: usize) -> String {
    format!("{HEAD}{}{END}", "  %a = pto.alloc_tile : !pto.tile_buf<\n".repeat(lines))
}

fn aliases_twice(lines: usize) -> String {
    "!a = !pto.tile_buf<vec, 16x64xf32>\n".repeat(lines) + HEAD + END
}

/// Each alias names the next, and the last the first.
fn alias_circle(lines: usize) -> String {
    let count = lines.max(1);
    let text: String = (0..count).map(|k| format!("!a{k} = !a{}\n", (k + 1) % count)).collect();
    text + &around(1, |_| "  %a = pto.alloc_tile : !a0\n".to_string())
}

fn functions_twice(lines: usize) -> String {
    HEAD.to_string() + END + &"func.func @f() {\n  return\n}\n".repeat(lines / 3)
}

fn call_circle(lines: usize) -> String {
    let count = (lines / 4).max(1);
    let one = |k| format!("func.func @f{k}() {{\n  func.call @f{}() : () -> ()\n  return\n}}\n", (k + 1) % count);
    HEAD.to_string() + END + &(0..count).map(one).collect::<String>()
}

fn too_deep(lines: usize) -> String {
    let depth = lines / 2;
    format!("{HEAD}{}{}{END}", "  scf.if %c {\n".repeat(depth), "  }\n".repeat(depth))
}

fn missing_blocks(lines: usize) -> String {
    let block = |k| format!("^b{k}:\n  cf.br ^missing{k}\n");
    format!("{HEAD}  cf.br ^b0\n{}", (0..lines / 2).map(block).collect::<String>()) + "}\n"
}

fn too_large(lines: usize) -> String {
    around(lines, |k| format!("  %a{k} = pto.alloc_tile : !pto.tile_buf<vec, 1024x1024xf32>\n"))
}

fn operands(lines: usize) -> String {
    around(1, |_| format!("  %r = pto.tadd {}%t\n", "%t,\n".repeat(lines)))
}
