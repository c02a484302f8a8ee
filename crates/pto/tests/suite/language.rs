//! `docs/language.md`: its programs are legal, or fail as they say, and its tables are what the table says. `BLESS=1` writes those anew.

use pto::isa::table;
use pto::isa::{Class, DType, Diagnostic, Target};
use pto::syntax::Lines;
use pto::{Program, checks, ir};
use pto_testkit::expected::{FoundDiagnostic, compare, expectations, stated_targets};
use pto_testkit::pages::{Fenced, fenced_blocks};
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/language.md")
}

fn page() -> String {
    std::fs::read_to_string(path()).expect("docs/language.md")
}

/// The problems of a program are exactly those that its comments state.
fn check(text: &str) -> Result<(), String> {
    let program = Program::parse(text);
    let stated = checks::stated_target(program.module());
    let target = stated_targets(text).first().copied().or(stated).unwrap_or(Target::A2A3);
    let lines = Lines::new(text);
    let found = |d: &Diagnostic| FoundDiagnostic {
        line: lines.locate(d.primary.span.start).0,
        severity: d.severity.name().to_string(),
        id: d.code.id(),
        message: d.message.clone(),
    };
    let all: Vec<FoundDiagnostic> = program.inspect(target).iter().map(found).collect();
    compare(text, target, &all).map_err(|wrong| wrong.message().unwrap_or_default().to_string())
}

/// Every statement of the body means the same: the programs with one of them each are equal.
fn same(text: &str) -> Result<(), String> {
    let is_body = |line: &&str| line.starts_with("  ") && line.trim() != "return";
    let statements: Vec<&str> = text.lines().filter(is_body).collect();
    let with = |one: &str| -> String {
        text.lines().filter(|l| !is_body(l) || *l == one).fold(String::new(), |all, l| all + l + "\n")
    };
    let first = Program::parse(&with(statements[0]));
    let other = |line: &&&str| !ir::same(first.module(), Program::parse(&with(line)).module());
    match statements.iter().find(other) {
        Some(line) if statements.len() > 1 => Err(format!("another operation: {line}")),
        _ => Ok(()),
    }
}

#[test]
fn programs_of_the_page_are_what_it_says() {
    let page = page();
    let mut wrong = Vec::new();
    let blocks = fenced_blocks(&page);
    assert!(blocks.len() > 8, "only {} blocks", blocks.len());
    for Fenced { line, info, lines } in &blocks {
        let text = &(lines.join("\n") + "\n");
        let fails = !expectations(text, Target::A2A3).is_empty();
        let result = match *info {
            "pto" | "pto,same" if fails => Err("a program that fails is marked `pto,fails`".to_string()),
            "pto,fails" if !fails => Err("no comment says how it fails".to_string()),
            "pto" | "pto,fails" => check(text),
            "pto,same" => check(text).and_then(|()| same(text)),
            other => Err(format!("nothing checks `{other}`")),
        };
        wrong.extend(result.err().map(|why| format!("docs/language.md:{line}: {why}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Element types, one spelling each.
fn elements() -> String {
    let kind = |d: DType| match (d.class(), d.bits()) {
        (Class::Signed, _) => "signed",
        (Class::Unsigned, _) => "unsigned",
        (Class::Float, 4) => "4-bit floats",
        (Class::Float, 8) => "8-bit floats",
        (Class::Float, _) => "floats",
    };
    let mut text = "| element types | |\n|---|---|\n".to_string();
    for group in DType::ALL.chunk_by(|a, b| kind(*a) == kind(*b)) {
        let names: Vec<String> = group.iter().map(|d| format!("`{}`", d.mlir())).collect();
        _ = writeln!(text, "| {} | {} |", kind(group[0]), names.join(", "));
    }
    text
}

/// Memories of a core, with their sizes.
fn memories() -> String {
    let mut text = "| memory | name | a2a3 | a5 |\n|---|---|---|---|\n".to_string();
    for space in &Target::A5.profile().spaces {
        let size = |t: Target| match t.profile().space(space.loc) {
            Some(s) => format!("{} KiB", s.bytes / 1024),
            None => "–".to_string(),
        };
        _ = writeln!(
            text,
            "| `{}` | {} | {} | {} |",
            space.loc.name(),
            space.name,
            size(Target::A2A3),
            size(Target::A5)
        );
    }
    text
}

/// The operations beside the instructions.
fn operations() -> String {
    let mut text = "| operation | what it does | form |\n|---|---|---|\n".to_string();
    for row in table::all().map(|op| op.row()).filter(|row| !row.family.is_isa()) {
        let pattern = format!("{} %memref : memref<…>", row.full_name());
        let form = row.forms().last().cloned().unwrap_or(pattern);
        _ = writeln!(text, "| `{}` | {} | `{form}` |", row.full_name(), row.summary().trim_end_matches('.'));
    }
    text
}

/// Puts a table between its marks.
fn with_table(page: &str, name: &str, table: &str) -> String {
    let open = format!("<!-- made from the table: {name} -->\n");
    let (before, rest) = page.split_once(&open).unwrap_or_else(|| panic!("no place for {name}"));
    let (_, after) = rest.split_once("<!-- end -->").unwrap_or_else(|| panic!("no end of {name}"));
    format!("{before}{open}{table}<!-- end -->{after}")
}

#[test]
fn the_tables_of_the_page_say_what_the_rows_say() {
    let found = page();
    let made = [("elements", elements()), ("memories", memories()), ("operations", operations())];
    let wanted = made.iter().fold(found.clone(), |page, (name, table)| with_table(&page, name, table));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path(), &wanted).expect("it can be written");
        return;
    }
    assert!(found == wanted, "the tables of docs/language.md are not what the rows say; BLESS=1 writes them anew");
}
