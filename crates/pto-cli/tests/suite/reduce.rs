//! `pto reduce`: programs become small, and keep their fault.

use pto_testkit::faulty::{self, FaultyProgram};
use std::path::Path;
use std::process::Output;

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
