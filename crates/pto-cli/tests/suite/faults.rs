//! Programs with a planted numeric fault: `pto diff` names the guilty line. `tests/faults/faults.toml` says what is changed.

use pto_testkit::commands::english;
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Faults {
    fault: Vec<Fault>,
}

#[derive(Deserialize)]
struct Fault {
    name: String,
    base: String,
    edits: Vec<[String; 2]>,
    #[serde(default)]
    args: String,
    guilty: String,
    #[serde(default = "changed_side")]
    side: String,
    cause: String,
}

fn changed_side() -> String {
    "b".to_string()
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/faults")
}

/// The only line with a text, from 1.
fn line_of(program: &str, part: &str) -> u64 {
    let lines: Vec<u64> = (1..).zip(program.lines()).filter(|(_, l)| l.contains(part)).map(|(n, _)| n).collect();
    assert_eq!(lines.len(), 1, "`{part}` stands in lines {lines:?}");
    lines[0]
}

/// What is wrong with the answer, if anything is.
fn problem(fault: &Fault, scratch: &Path) -> Option<String> {
    let base = directory().join(&fault.base);
    let good = std::fs::read_to_string(&base).expect("a program");
    let mut changed = good.clone();
    for [old, new] in &fault.edits {
        assert_eq!(changed.matches(&**old).count(), 1, "{}: `{old}` must stand there once", fault.name);
        changed = changed.replace(&**old, new);
    }
    let file = scratch.join("changed.pto");
    std::fs::write(&file, &changed).expect("a file");
    let mut command = english(env!("CARGO_BIN_EXE_pto"));
    command.arg("diff").arg(&base).arg(&file).arg("--json").args(fault.args.split_whitespace());
    let output = command.output().expect("pto starts");
    let said = String::from_utf8_lossy(&output.stdout);
    if output.status.code() != Some(3) {
        return Some(format!(
            "exit code {:?}\n{said}{}",
            output.status.code(),
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    let report: Value = serde_json::from_str(&said).expect("JSON");
    let first = &report["first"];
    let cause = &first["cause"];
    let has_lines = cause["line_a"].is_u64() || cause["line_b"].is_u64();
    let named = match (has_lines, &*fault.side) {
        (true, side) => &cause[format!("line_{side}")],
        (false, side) => &first[side]["line"],
    };
    let expected = line_of(if fault.side == "a" { &good } else { &changed }, &fault.guilty);
    let is_right = named.as_u64() == Some(expected) && cause["kind"].as_str() == Some(&fault.cause);
    (!is_right)
        .then(|| format!("line {expected} of {} is guilty, by {}: {cause:#}\n{first:#}", fault.side, fault.cause))
}

#[test]
fn guilty_lines_are_named() {
    let text = std::fs::read_to_string(directory().join("faults.toml")).expect("a list of faults");
    let faults: Faults = toml::from_str(&text).expect("a list of faults");
    assert!(faults.fault.len() >= 20, "{} faults", faults.fault.len());
    let scratch = tempfile::tempdir().expect("a directory");
    let problems: Vec<String> = faults
        .fault
        .iter()
        .filter_map(|fault| Some(format!("{}: {}", fault.name, problem(fault, scratch.path())?)))
        .collect();
    assert!(problems.is_empty(), "{} of {}:\n{}", problems.len(), faults.fault.len(), problems.join("\n\n"));
}
