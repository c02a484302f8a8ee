//! Rules about the code itself.

use pto::isa::codes::CODES;
use pto::isa::{Family, Target, table};
use pto::{Program, Target as Machine};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(super) fn files(dir: &Path, extension: &str, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, extension, out);
        } else if path.extension().is_some_and(|e| e == extension) {
            out.push(path);
        }
    }
}

/// Source code without comments and without its tests.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    text.lines().map(|l| l.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

fn mentions(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        !code[..at].chars().next_back().is_some_and(is_name)
            && !code[at + word.len()..].chars().next().is_some_and(is_name)
    })
}

/// An instruction is a row and a kernel: nothing else knows one by name.
#[test]
fn computing_instructions_are_named_only_by_their_row_and_kernel() {
    let mut sources = Vec::new();
    for entry in std::fs::read_dir(root().join("crates")).into_iter().flatten().flatten() {
        files(&entry.path().join("src"), "rs", &mut sources);
    }
    // Tests are made of programs.
    sources.retain(|p| !p.components().any(|c| c.as_os_str() == "pto-testkit"));
    // The explanations of diagnostics are prose with example programs.
    sources.retain(|p| p.file_name().is_none_or(|n| n != "codes_list.rs" && n != "tests.rs"));
    let sources: Vec<(PathBuf, String)> = sources.into_iter().map(|p| (p.clone(), code(&p))).collect();
    assert!(sources.len() > 40);
    let computing = [
        Family::Elementwise,
        Family::TileScalar,
        Family::Partial,
        Family::Reduce,
        Family::Expand,
        Family::Matrix,
        Family::Quant,
        Family::Irregular,
    ];
    for op in table::isa().filter(|op| computing.contains(&op.row().family)) {
        // Words that are also plain English or Rust cannot be searched for.
        if op.row().name.len() < 4 || ["print", "trap"].contains(&op.row().name) {
            continue;
        }
        let naming: Vec<&PathBuf> =
            sources.iter().filter(|(p, c)| !is_list(p) && mentions(c, op.row().name)).map(|s| &s.0).collect();
        assert!(naming.is_empty(), "{} is named outside table and kernels: {naming:?}", op.row().name);
    }
    for name in ["tmax", "tpartargmax", "trowexpandmax"] {
        let naming: Vec<String> = sources
            .iter()
            .filter(|(p, c)| (!is_list(p) || p.to_string_lossy().contains("/table/")) && mentions(c, name))
            .map(|(p, _)| p.file_name().unwrap_or_default().to_string_lossy().into_owned())
            .collect();
        println!("{name}: {naming:?}");
        assert_eq!(naming.len(), 1, "{name}: {naming:?}");
    }
}

/// The files that list instructions: rows and kernels, by family, and those that a plan executes itself.
fn is_list(path: &Path) -> bool {
    let path = path.to_string_lossy();
    ["/table/", "/kernels/", "/pto-vector/src/", "/pto-cpu/src/plan/"].iter().any(|dir| path.contains(dir))
}

/// The core crates have no third-party dependency, so they build anywhere.
#[test]
fn core_crates_depend_on_nothing_outside() {
    for name in ["pto-isa", "pto-ir", "pto-syntax", "pto-check", "pto-cost", "pto-emit", "pto-bytecode"] {
        let manifest = std::fs::read_to_string(root().join(format!("crates/{name}/Cargo.toml"))).expect("a manifest");
        let section = manifest.split("[dependencies]").nth(1).unwrap_or_default();
        let section = section.split("\n[").next().unwrap_or_default();
        for line in section.lines().filter(|l| !l.trim().is_empty()) {
            assert!(line.starts_with("pto-"), "{name} depends on {line}");
        }
    }
}

/// Every diagnostic can be seen: its own example has it, or a test file does.
#[test]
fn every_diagnostic_is_shown_somewhere() {
    let mut tests = Vec::new();
    files(&root().join("tests/files"), "pto", &mut tests);
    files(&root().join("tests/race"), "pto", &mut tests);
    // What stops a run; the list that `explain` prints shows nothing.
    files(&root().join("tests/cli"), "out", &mut tests);
    tests.retain(|p| p.file_stem().is_none_or(|n| n != "explain"));
    for name in ["pto", "pto-check", "pto-syntax", "pto-cpu", "pto-bytecode"] {
        files(&root().join(format!("crates/{name}/tests")), "rs", &mut tests);
    }
    let shown: String = tests.iter().map(|p| std::fs::read_to_string(p).unwrap_or_default()).collect();
    for entry in CODES {
        let id = entry.code.id();
        let constant = entry.code.number().to_string();
        if entry.example.is_empty() {
            // A file of more than 4 GiB is not kept in the repository, and memory does not run out on command.
            let untestable = ["18", "708"].contains(&&*constant);
            assert!(
                untestable || shown.contains(&id) || names_constant(&shown, entry.code),
                "{id} has no example and no test"
            );
            continue;
        }
        let found = Machine::ALL
            .iter()
            .any(|&t: &Target| Program::parse(entry.example).inspect(t).iter().any(|d| d.code == entry.code));
        assert!(found, "the example of {id} does not have it");
    }
}

/// Rust tests name codes by constant; the list of constants is in the source of the codes.
fn names_constant(tests: &str, code: pto::isa::Code) -> bool {
    let list = std::fs::read_to_string(root().join("crates/pto-isa/src/codes_list.rs")).unwrap_or_default();
    let wanted = format!(" = {}, ", code.number());
    list.lines()
        .find(|l| l.contains(&wanted))
        .and_then(|l| l.split_whitespace().next())
        .is_some_and(|constant| tests.contains(&format!("codes::{constant}")))
}

/// The example programs are laid out by the formatter and legal on every target, or on the one they are written for.
#[test]
fn examples_are_formatted_and_legal() {
    let mut examples = Vec::new();
    files(&root().join("examples"), "pto", &mut examples);
    assert!(examples.len() >= 4);
    for path in examples {
        let source = std::fs::read_to_string(&path).expect("an example");
        let formatted = pto::syntax::format(&source, Default::default()).expect("a readable example");
        assert_eq!(source, formatted, "{} is not formatted", path.display());
        let program = Program::parse(&source);
        for target in Machine::ALL.into_iter().filter(|t| program.stated_target().is_none_or(|stated| stated == *t)) {
            let problems = program.inspect(target);
            assert!(problems.is_empty(), "{} on {target}: {}", path.display(), problems[0].message);
        }
    }
}
