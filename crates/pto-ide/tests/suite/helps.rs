//! Which problems an editor can fix: every error-showing program of this repository is asked for its fixes.

use pto::isa::codes::CODES;
use pto::{Diagnostic, Target};
use pto_ide::Document;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(dir: &Path, end: &str, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, end, out);
        } else if path.extension().is_some_and(|e| e == end) {
            out.push(path);
        }
    }
}

/// The programs in the string literals of a Rust source.
fn literals(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find('"') {
        rest = &rest[at + 1..];
        let mut text = String::new();
        let mut chars = rest.char_indices();
        let mut end = rest.len();
        while let Some((n, c)) = chars.next() {
            match c {
                '"' => {
                    end = n + 1;
                    break;
                }
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('n') => text.push('\n'),
                    Some(c) => text.push(c),
                    None => {}
                },
                c => text.push(c),
            }
        }
        rest = &rest[end.min(rest.len())..];
        if text.contains("func.func") && !text.contains("{{") {
            found.push(text);
        }
    }
    found
}

fn texts() -> Vec<String> {
    let mut found: Vec<String> = CODES.iter().map(|e| e.example.to_string()).filter(|e| !e.is_empty()).collect();
    let mut programs = Vec::new();
    files(&root().join("tests"), "pto", &mut programs);
    files(&root().join("docs"), "pto", &mut programs);
    found.extend(programs.iter().filter_map(|p| std::fs::read_to_string(p).ok()));
    let mut sources = Vec::new();
    files(&root().join("crates"), "rs", &mut sources);
    sources.retain(|path| path.components().any(|part| part.as_os_str() == "tests"));
    for path in sources {
        let programs = literals(&std::fs::read_to_string(path).unwrap_or_default()).into_iter();
        // Parts of programs, and templates, cannot be read.
        let reads = |text: &String| !Document::new(text, None).diagnostics().iter().any(|d| d.code.number() < 100);
        found.extend(programs.filter(reads));
    }
    found
}

/// Kinds of problems that no change of the text fixes for sure: part of a message, and why.
const WITHOUT_FIX: &[(&str, &str, &str)] = &[
    ("PTO-E0004", "there is no operation _", "nothing has a similar name"),
    ("PTO-E0006", "found no _", "only the author knows the number that is missing"),
    ("PTO-E0013", "valid x tile", "the definition is wrong, too"),
    ("PTO-E0016", "does not fit in  bits", "no type holds the number"),
    ("PTO-E0016", "more bytes than the address space", "the author chooses other extents"),
    ("PTO-E0016", "are not the bits of", "only the author knows the bits that are meant"),
    ("PTO-E0201", "operands,  are given", "the author chooses the operands"),
    ("PTO-E0205", "has another value", "the author chooses the number"),
    (
        "PTO-E0217",
        "the window _ is ND",
        "the tile is used with another window, too: the author chooses one of the two layouts",
    ),
    ("PTO-E0217", "has strides", "the strides are right for another buffer: the author decides whether it is one"),
    ("PTO-E0218", "has the valid region x, _ x, _ x", "several tiles differ: the author decides which region is meant"),
    ("PTO-E0222", "outside the tile", "the author chooses the window"),
    ("PTO-E0228", "", "the device computes something else; another text computes the same"),
    ("PTO-E0303", "has no _", "the author chooses the values"),
    ("PTO-E0303", "expected", "the author chooses the values"),
    ("PTO-E0304", "arguments of this call", "the author chooses the arguments"),
    ("PTO-E0304", "there is no function _", "the function with a similar name is the caller"),
    ("PTO-E0306", "calls itself", "a loop is another program"),
    ("PTO-E0311", "the branch passes", "the author decides which of the two is right"),
    ("PTO-E0312", "wrong number of parts", "parts of the generic form are the author's"),
    ("PTO-E0313", "a struct cannot hold", "the author chooses another type"),
    ("PTO-E0313", "not declared here", "fields that are passed one by one change the callers"),
    ("PTO-E0402", "", "the author makes the tile smaller, or chooses the address of a buffer"),
    ("PTO-E0406", "an inconsistent view", "the author chooses the extents"),
    ("PTO-E0601", "two ends of this pipe", "the author decides in which function an end is"),
];

/// A kind of problem: its code, message and help without what differs from program to program.
type ProblemKind = (String, String, String);

fn kind(d: &Diagnostic) -> ProblemKind {
    let general = |text: &str| {
        let prose: Vec<&str> = text.split('`').step_by(2).collect();
        prose.join("_").replace(|c: char| c.is_ascii_digit(), "")
    };
    (d.code.id(), general(&d.message), general(d.help.as_deref().unwrap_or_default()))
}

/// The kinds of problems that the programs of this repository have, and whether one of each has a fix.
fn kinds() -> BTreeMap<ProblemKind, bool> {
    /// Programs with a kind of problem that are tried before it counts as one without a fix.
    const MOST: usize = 8;
    let mut kinds: BTreeMap<ProblemKind, (usize, bool)> = BTreeMap::new();
    for text in texts() {
        for target in [Target::A2A3, Target::A5] {
            let document = Document::new(&text, Some(target));
            for d in document.diagnostics() {
                let (tried, has_fix) = kinds.entry(kind(d)).or_default();
                if !*has_fix && *tried < MOST {
                    *tried += 1;
                    let actions = document.actions(d.primary.span, &[]);
                    *has_fix = actions.iter().any(|action| action.fixes.as_ref() == Some(d));
                }
            }
        }
    }
    kinds.into_iter().map(|(kind, (_, has_fix))| (kind, has_fix)).collect()
}

/// What `pto race` finds has edits, which its own tests try (`every_finding_has_a_fix`).
#[test]
fn every_problem_has_a_fix_or_a_reason_why_it_has_none() {
    let kinds = kinds();
    assert!(kinds.values().filter(|has_fix| **has_fix).count() > 150);
    let is_listed = |(code, message, _): &ProblemKind, (listed, part, _): &(&str, &str, &str)| {
        code == listed && message.contains(part)
    };
    let without: Vec<&ProblemKind> = kinds.iter().filter(|(_, has_fix)| !**has_fix).map(|(kind, _)| kind).collect();
    let unlisted: Vec<_> =
        without.iter().filter(|kind| !WITHOUT_FIX.iter().any(|entry| is_listed(kind, entry))).collect();
    assert!(unlisted.is_empty(), "no fix, and no reason in the list: {unlisted:#?}");
    let stale: Vec<_> = WITHOUT_FIX.iter().filter(|entry| !without.iter().any(|kind| is_listed(kind, entry))).collect();
    assert!(stale.is_empty(), "these have fixes now: {stale:#?}");
}
