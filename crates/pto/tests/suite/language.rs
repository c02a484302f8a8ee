//! `docs/language.md` and its Chinese version: its programs are legal, or fail as they say, and its tables are what the table says. `BLESS=1` writes those anew.

use pto::isa::table;
use pto::isa::text::Language;
use pto::isa::{Class, DType, Diagnostic, Target};
use pto::syntax::Lines;
use pto::{Program, checks, ir};
use pto_testkit::expected::{FoundDiagnostic, compare, expectations, stated_targets};
use pto_testkit::pages::{Fenced, fenced_blocks};
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn path(language: Language) -> PathBuf {
    let name = match language {
        Language::Chinese => "language.zh.md",
        _ => "language.md",
    };
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

fn page(language: Language) -> String {
    std::fs::read_to_string(path(language)).expect("a page")
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
    let page = page(Language::English);
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
fn elements(language: Language) -> String {
    let english = language == Language::English;
    let or = |text: &'static str, chinese: &'static str| if english { text } else { chinese };
    let kind = |d: DType| match (d.class(), d.bits()) {
        (Class::Signed, _) => or("signed", "有符号"),
        (Class::Unsigned, _) => or("unsigned", "无符号"),
        (Class::Float, 4) => or("4-bit floats", "4 位浮点"),
        (Class::Float, 8) => or("8-bit floats", "8 位浮点"),
        (Class::Float, _) => or("floats", "浮点"),
    };
    let mut text = format!("| {} | |\n|---|---|\n", or("element types", "元素类型"));
    for group in DType::ALL.chunk_by(|a, b| kind(*a) == kind(*b)) {
        let names: Vec<String> = group.iter().map(|d| format!("`{}`", d.mlir())).collect();
        _ = writeln!(text, "| {} | {} |", kind(group[0]), names.join(", "));
    }
    text
}

/// Memories of a core, with their sizes.
fn memories(language: Language) -> String {
    let head = if language == Language::English { "memory | name" } else { "存储 | 名称" };
    let mut text = format!("| {head} | a2a3 | a5 |\n|---|---|---|---|\n");
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
fn operations(language: Language) -> String {
    let english = language == Language::English;
    let head = if english { "operation | what it does | form" } else { "操作 | 作用 | 形式" };
    let mut text = format!("| {head} |\n|---|---|---|\n");
    for row in table::all().map(|op| op.row()).filter(|row| !row.family.is_isa()) {
        let pattern = format!("{} %memref : memref<…>", row.full_name());
        let form = row.forms().last().cloned().unwrap_or(pattern);
        let summary = language.translate(row.summary()).trim_end_matches(['.', '。']);
        _ = writeln!(text, "| `{}` | {summary} | `{form}` |", row.full_name());
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
    for l in Language::ALL {
        let found = page(l);
        let made = [("elements", elements(l)), ("memories", memories(l)), ("operations", operations(l))];
        let wanted = made.iter().fold(found.clone(), |page, (name, table)| with_table(&page, name, table));
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(path(l), &wanted).expect("it can be written");
            continue;
        }
        let path = path(l);
        assert!(
            found == wanted,
            "the tables of {} are not what the rows say; BLESS=1 writes them anew",
            path.display()
        );
    }
}
