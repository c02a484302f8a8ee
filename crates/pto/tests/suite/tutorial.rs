//! `docs/tutorial.md` is true: its code is code of the examples, and its output is what they print.

#[path = "../../../../examples/tutorial.rs"]
#[allow(dead_code, reason = "the test calls the chapters itself")]
mod chapters;

use pto_testkit::pages::{Fenced, fenced_blocks};
use std::path::Path;

/// All pieces of an excerpt are in the source, in order; `…` stands between pieces. Indentation does not count.
fn is_excerpt(excerpt: &[&str], source: &str) -> bool {
    let source: Vec<&str> = source.lines().map(str::trim).collect();
    let mut from = 0;
    excerpt.split(|line| *line == "…").filter(|piece| !piece.is_empty()).all(|piece| {
        let piece: Vec<&str> = piece.iter().map(|line| line.trim()).collect();
        let found = source[from..].windows(piece.len()).position(|w| w == piece);
        from += found.unwrap_or(0) + piece.len();
        found.is_some()
    })
}

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).expect("a file of the project")
}

#[test]
fn the_kernel_of_the_readme_is_that_of_the_tutorial() {
    let (readme, tutorial) = (read("README.md"), read("docs/tutorial.md"));
    let kernel = fenced_blocks(&readme).into_iter().find(|b| b.lines.first() == Some(&"#[pto::kernel]"));
    assert!(is_excerpt(&kernel.expect("the README shows a kernel").lines, &tutorial));
}

#[test]
fn code_and_output_are_those_of_the_examples() {
    let page = read("docs/tutorial.md");
    let code: Vec<String> =
        ["tutorial", "gemm", "flash_attention"].map(|name| read(&format!("examples/{name}.rs"))).into();
    let output: Vec<String> = chapters::CHAPTERS.iter().map(|(_, chapter)| chapter()).collect();
    let blocks = fenced_blocks(&page);
    assert!(blocks.len() > 20);
    for Fenced { line, info, lines: excerpt } in blocks {
        let sources = match info {
            "rust" => &code,
            "text" => &output,
            other => panic!("docs/tutorial.md:{line}: nobody checks `{other}`"),
        };
        let is_there = sources.iter().any(|source| is_excerpt(&excerpt, source));
        let hint = "it is not what the examples have; `cargo run --example tutorial` prints the output";
        assert!(is_there, "docs/tutorial.md:{line}: {hint}:\n{}", excerpt.join("\n"));
    }
}
