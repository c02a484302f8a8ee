//! Tiles that loops, blocks and branches pass on.

use super::ShapeKind::Runs;
use super::{END, HEAD, Shape, around, small};

pub(super) const SHAPES: &[Shape] = &[
    Shape { name: "copies from loop to loop", text: copies_in_a_chain, kind: Runs },
    Shape { name: "copies of one tile", text: copies_of_one, kind: Runs },
    Shape { name: "copies in a loop", text: copies_in_a_loop, kind: Runs },
    Shape { name: "copies that one loop carries", text: carried_copies, kind: Runs },
    Shape { name: "tiles from block to block", text: blocks_with_tiles, kind: Runs },
    Shape { name: "one of two tiles from block to block", text: blocks_with_choices, kind: Runs },
    Shape { name: "tiles from branch to branch in a loop", text: choices_in_a_loop, kind: Runs },
];

/// A loop that creates a tile while it still reads the previous one: it carries copies.
fn copying(k: usize, from: &str) -> String {
    format!(
        "  %r{k} = scf.for %i{k} = %c0 to %c2 step %c1 iter_args(%a{k} = {from}) -> (!t) {{
    %b{k} = pto.alloc_tile : !t\n    pto.tload ins(%xs : !v) outs(%b{k} : !t)
    pto.tstore ins(%a{k} : !t) outs(%ys : !v)\n    scf.yield %b{k} : !t\n  }}\n"
    )
}

/// Each loop starts with what the one before results in.
fn copies_in_a_chain(lines: usize) -> String {
    let mut before = "%t".to_string();
    let text = around(lines / 6, |k| {
        let text = copying(k, &before);
        before = format!("%r{k}");
        text
    });
    small(&text)
}

fn copies_of_one(lines: usize) -> String {
    small(&around(lines / 7, |k| copying(k, "%t") + &format!("  pto.tstore ins(%r{k} : !t) outs(%ys : !v)\n")))
}

fn copies_in_a_loop(lines: usize) -> String {
    let mut before = "%t".to_string();
    let mut inner = |k| {
        let text = copying(k, &before);
        before = format!("%r{k}");
        text
    };
    let body: String = (0..lines / 6).map(&mut inner).collect();
    small(&format!("{HEAD}  scf.for %i = %c0 to %c2 step %c1 {{\n{body}  }}\n{END}"))
}

/// One loop creates many tiles, each while it still reads the previous one.
fn carried_copies(lines: usize) -> String {
    let count = (lines / 7).max(1);
    let list = |each: &dyn Fn(usize) -> String| (0..count).map(each).collect::<Vec<_>>().join(",\n");
    let body = |k| {
        format!(
            "    %b{k} = pto.alloc_tile : !t\n    pto.tload ins(%xs : !v) outs(%b{k} : !t)
    pto.tstore ins(%a{k} : !t) outs(%ys : !v)\n"
        )
    };
    small(&format!(
        "{HEAD}  %r:{count} = scf.for %i = %c0 to %c2 step %c1 iter_args({}) -> ({}) {{\n{}    scf.yield {} : {}\n  }}\n{END}",
        list(&|k| format!("%a{k} = %t")),
        list(&|_| "!t".to_string()),
        (0..count).map(body).collect::<String>(),
        list(&|k| format!("%b{k}")),
        list(&|_| "!t".to_string()),
    ))
}

/// Each block makes a tile from the one that it gets.
fn blocks_with_tiles(lines: usize) -> String {
    let mut before = "%t".to_string();
    let text = around(lines / 4, |k| {
        let text = format!(
            "  %u{k} = pto.alloc_tile : !t\n  pto.tadd ins({before}, {before} : !t, !t) outs(%u{k} : !t)
  cf.br ^b{k}(%u{k} : !t)\n^b{k}(%r{k}: !t):\n"
        );
        before = format!("%r{k}");
        text
    });
    small(&text)
}

/// Each block passes on the tile that it receives, or a new one.
fn blocks_with_choices(lines: usize) -> String {
    let mut before = "%t".to_string();
    let text = around(lines / 3, |k| {
        let text = format!(
            "  %u{k} = pto.alloc_tile : !t\n  cf.cond_br %c, ^b{k}({before} : !t), ^b{k}(%u{k} : !t)\n^b{k}(%r{k}: !t):\n"
        );
        before = format!("%r{k}");
        text
    });
    small(&text)
}

fn choices_in_a_loop(lines: usize) -> String {
    let mut before = "%a".to_string();
    let choice = |k| {
        let text = format!(
            "  %u{k} = pto.alloc_tile : !t\n  %r{k} = scf.if %c -> (!t) {{\n    scf.yield {before} : !t
  }} else {{\n    scf.yield %u{k} : !t\n  }}\n"
        );
        before = format!("%r{k}");
        text
    };
    let body: String = (0..lines / 6).map(choice).collect();
    let (head, tail) = ("%r = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %t) -> (!t)", "scf.yield");
    small(&format!("{HEAD}  {head} {{\n{body}  {tail} {before} : !t\n  }}\n{END}"))
}
