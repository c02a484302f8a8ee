//! `pto reduce`: programs become small, and keep their fault.

use pto::data::{AnyNumber, Array, npy};
use pto::isa::DType;
use pto::{Program, Target};
use pto_testkit::faulty::{self, FaultyProgram};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn pto(dir: &Path, args: &[&str]) -> Output {
    let mut command = pto_testkit::commands::english(env!("CARGO_BIN_EXE_pto"));
    command.args(args).current_dir(dir).output().expect("pto runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Reduces a program and returns the report and the reduced text.
fn reduced(dir: &Path, name: &str, condition: &[String]) -> (serde_json::Value, String) {
    let conditions = condition.iter().map(String::as_str);
    let args: Vec<&str> = ["reduce", name, "--json", "-o", "small.pto"].into_iter().chain(conditions).collect();
    let output = pto(dir, &args);
    assert!(output.status.success(), "{name}: {}{}", text(&output.stdout), text(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let small = std::fs::read_to_string(dir.join("small.pto")).expect("the result");
    assert_eq!(report["program"], small);
    (report, small)
}

#[test]
fn ten_programs_become_small() {
    let dir = tempfile::tempdir().expect("a directory");
    let all = faulty::all();
    assert_eq!(all.len(), 10);
    for FaultyProgram { name, text, condition } in all {
        let lines = text.lines().count();
        assert!((200..=2000).contains(&lines), "{name} has {lines} lines");
        std::fs::write(dir.path().join("k.pto"), &text).expect("a file");
        let (report, small) = reduced(dir.path(), "k.pto", &condition);
        let number = |field: &str| report[field].as_u64().expect("a number");
        let (before, after) = (number("operations_before"), number("operations"));
        assert!(after * 10 <= before, "{name}: {after} of {before} operations are left\n{small}");
        // What was read back has the fault: otherwise the next reduction would refuse it.
        std::fs::write(dir.path().join("again.pto"), &small).expect("a file");
        let (again, smaller) = reduced(dir.path(), "again.pto", &condition);
        assert_eq!((again["operations"].as_u64(), smaller), (Some(after), small), "{name}");
        println!(
            "{name}: {lines} lines, {before} operations, {after} left, {} candidates, {} s",
            report["candidates"], report["seconds"]
        );
    }
}

const LOGARITHMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cli/reduce_values.pto");

/// Of an array in a file, the part that the small program needs is written beside it.
#[test]
fn arrays_in_files_become_smaller() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut x = Array::filled(DType::F32, &[96, 64], AnyNumber::Int(1)).expect("small");
    x.bytes_mut()[4 * (3 * 64 + 2)..][..4].copy_from_slice(&(-1.0f32).to_le_bytes());
    let mut bytes = Vec::new();
    npy::write(&x, &mut bytes).expect("it can be written");
    std::fs::write(dir.path().join("x.npy"), bytes).expect("a file");
    let args = ["reduce", LOGARITHMS, "n=96", "x=x.npy", "--keeps", "nan", "-o", "small.pto"];
    let output = pto(dir.path(), &args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("inputs: n=8 x=small.x.npy\n"), "{}", text(&output.stderr));
    let again = pto(dir.path(), &["run", "small.pto", "n=8", "x=small.x.npy", "--json"]);
    assert!(text(&again.stdout).contains("\"nan\": 1"), "{}", text(&again.stdout));
}

/// Ctrl-C ends the search with the best program so far.
#[test]
fn an_interrupted_search_writes_its_best() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut command = pto_testkit::commands::english(env!("CARGO_BIN_EXE_pto"));
    command.args(["reduce", LOGARITHMS, "--while", "sleep 0.4; echo >> tried; grep -q tlog {}", "-o", "small.pto"]);
    let child = command.current_dir(dir.path()).stderr(Stdio::piped()).spawn().expect("pto runs");
    while !dir.path().join("small.pto").exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).starts_with("stopped: this is the best program so far\n"), "{}", text(&output.stderr));
    let small = std::fs::read_to_string(dir.path().join("small.pto")).expect("the result");
    assert!(small.contains("tlog") && Program::parse(&small).check(Target::A2A3).is_ok(), "{small}");
}

/// A command that hangs is ended, with what it started, and counts as failed.
#[test]
fn a_command_that_hangs_is_no_fault() {
    let dir = tempfile::tempdir().expect("a directory");
    let start = Instant::now();
    let output = pto(dir.path(), &["reduce", LOGARITHMS, "--while", "sleep 500 | cat {} -", "--timeout", "1"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("PTO-E0905") && start.elapsed() < Duration::from_secs(60));
}

/// In another order, the numbers differ; a program that only stops there has another fault.
#[test]
fn another_order_still_gives_other_numbers() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cli/reduce.pto");
    let condition = ["--keeps", "diff", "--against", "adversarial", "--seed", "1"].map(String::from);
    let (_, small) = reduced(dir.path(), file, &condition);
    assert!(small.contains("tload") && small.contains("tstore"), "{small}");
}
