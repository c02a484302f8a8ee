//! Aliases, comments, and how the text is laid out.

use super::ShapeKind::Runs;
use super::{ADD, END, HEAD, LOAD, STORE, Shape, around};

pub(super) const SHAPES: &[Shape] = &[
    Shape { name: "aliases", text: aliases, kind: Runs },
    Shape { name: "aliases of aliases", text: alias_chain, kind: Runs },
    Shape { name: "aliases of one type", text: same_alias, kind: Runs },
    Shape { name: "attribute aliases", text: attribute_aliases, kind: Runs },
    Shape { name: "many types", text: types, kind: Runs },
    Shape { name: "comments", text: comments, kind: Runs },
    Shape { name: "comments behind lines", text: trailing, kind: Runs },
    Shape { name: "empty lines", text: empty, kind: Runs },
    Shape { name: "one long line", text: one_line, kind: Runs },
    Shape { name: "a long name", text: long_name, kind: Runs },
    Shape { name: "the generic form", text: generic, kind: Runs },
];

/// Each is used once.
fn aliases(lines: usize) -> String {
    let count = lines / 2;
    let names: String = (0..count).map(|k| format!("!a{k} = !pto.tile_buf<vec, 16x{}xf32>\n", 8 * (k + 1))).collect();
    let uses = around(count, |k| format!("  %a{k} = pto.alloc_tile : !a{}\n", k % 4));
    names + &uses
}

fn alias_chain(lines: usize) -> String {
    let mut text = "!a0 = !pto.tile_buf<vec, 16x64xf32>\n".to_string();
    text.extend((1..lines).map(|k| format!("!a{k} = !a{}\n", k - 1)));
    text + &around(1, |_| format!("  %a = pto.alloc_tile : !a{}\n", lines.max(1) - 1))
}

fn same_alias(lines: usize) -> String {
    let count = lines / 2;
    let names: String = (0..count).map(|k| format!("!a{k} = !pto.tile_buf<vec, 16x64xf32>\n")).collect();
    names + &around(count, |k| format!("  pto.tadd ins(%t, %t : !a{k}, !a{k}) outs(%u : !a{k})\n"))
}

fn attribute_aliases(lines: usize) -> String {
    let names: String = (0..lines).map(|k| format!("#a{k} = #pto<cmp gt>\n")).collect();
    names + &around(1, |_| format!("{LOAD}{STORE}"))
}

/// Every tile has a different type.
fn types(lines: usize) -> String {
    around(lines, |k| {
        format!("  %a{k} = pto.alloc_tile : !pto.tile_buf<vec, {}x{}xf32>\n", 1 + k % 30, 8 * (1 + k / 30 % 30))
    })
}

fn comments(lines: usize) -> String {
    "// What this does is said here, at length.\n".repeat(lines / 2)
        + &around(1, |_| "  // And here.\n".repeat(lines / 2) + LOAD + STORE)
}

fn trailing(lines: usize) -> String {
    around(lines / 3, |_| [LOAD, ADD, STORE].map(|line| format!("{} // as it should be\n", line.trim_end())).concat())
}

fn empty(lines: usize) -> String {
    around(lines / 20, |_| format!("{LOAD}{}", "\n".repeat(19)))
}

fn one_line(lines: usize) -> String {
    format!("{HEAD}{}{END}", format!("{LOAD}{ADD}{STORE}").repeat(lines / 3).replace('\n', " "))
}

fn long_name(lines: usize) -> String {
    let name = "n".repeat(lines * 20);
    around(1, |_| format!("  %{name} = arith.constant 1 : index\n  %b = arith.addi %{name}, %{name} : index\n"))
}

fn generic(lines: usize) -> String {
    around(lines, |_| "  \"pto.tadd\"(%t, %t, %u) : (!t, !t, !t) -> ()\n".to_string())
}
