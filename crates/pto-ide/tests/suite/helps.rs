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

/// Kinds of problems whose only fix is to remove a statement, and why.
const ONLY_REMOVED: &[(&str, &str, &str)] = &[
    ("PTO-E0004", "there is no operation _", "nothing has a similar name"),
    ("PTO-E0017", "the alias _ is already defined", "the help is to remove one of the two"),
    ("PTO-E0301", "before the end of its block", "the help is to remove what never runs"),
    ("PTO-E0306", "calls itself", "a loop is another program"),
    ("PTO-E0601", "two ends of this pipe", "both open the same end: one is too many"),
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

/// What an editor offers for a problem, from the least.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
enum BestFix {
    #[default]
    Nothing,
    Removal,
    Change,
}

fn best_fix(document: &Document, problem: &Diagnostic) -> BestFix {
    let actions = document.actions(problem.primary.span, &[]);
    let fixes = actions.iter().filter(|action| action.fixes.as_ref() == Some(problem));
    let kinds = fixes.map(|fix| match fix.title.starts_with("remove line") {
        true => BestFix::Removal,
        false => BestFix::Change,
    });
    kinds.max().unwrap_or_default()
}

/// The kinds of problems that the programs of this repository have, and the best fix that one of each has.
fn kinds() -> BTreeMap<ProblemKind, BestFix> {
    /// Programs with a kind of problem that are tried before it counts as one without a fix.
    const MOST: usize = 8;
    let mut kinds: BTreeMap<ProblemKind, (usize, BestFix)> = BTreeMap::new();
    for text in texts() {
        for target in [Target::A2A3, Target::A5] {
            let document = Document::new(&text, Some(target));
            for d in document.diagnostics() {
                let (tried, best) = kinds.entry(kind(d)).or_default();
                if *best < BestFix::Change && *tried < MOST {
                    *tried += 1;
                    *best = best_fix(&document, d).max(*best);
                }
            }
        }
    }
    kinds.into_iter().map(|(kind, (_, best))| (kind, best)).collect()
}

/// The kinds with this fix are those of a list.
fn compare(kinds: &BTreeMap<ProblemKind, BestFix>, best: BestFix, list: &[(&str, &str, &str)]) {
    let is_listed = |(code, message, _): &ProblemKind, (listed, part, _): &(&str, &str, &str)| {
        code == listed && message.contains(part)
    };
    let found: Vec<&ProblemKind> = kinds.iter().filter(|(_, fix)| **fix == best).map(|(kind, _)| kind).collect();
    let unlisted: Vec<_> = found.iter().filter(|kind| !list.iter().any(|entry| is_listed(kind, entry))).collect();
    assert!(unlisted.is_empty(), "{best:?}, and no reason in the list: {unlisted:#?}");
    let stale: Vec<_> = list.iter().filter(|entry| !found.iter().any(|kind| is_listed(kind, entry))).collect();
    assert!(stale.is_empty(), "these have better fixes now: {stale:#?}");
}

/// What `pto race` finds has edits, which its own tests try (`every_finding_has_a_fix`).
#[test]
fn every_problem_has_a_fix() {
    let kinds = kinds();
    let changes = kinds.values().filter(|best| **best == BestFix::Change).count();
    println!("{} kinds of problems, {changes} with a change that fixes them", kinds.len());
    compare(&kinds, BestFix::Nothing, &[]);
    compare(&kinds, BestFix::Removal, ONLY_REMOVED);
}
