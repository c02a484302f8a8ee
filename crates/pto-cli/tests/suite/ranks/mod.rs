//! Ranks as processes: the same results as in one process, and what happens to ranks that are lost.

mod lost;
mod programs;

use pto_testkit::commands::english;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pto(args: &[&str]) -> Output {
    english(env!("CARGO_BIN_EXE_pto")).arg("run").args(args).output().expect("pto starts")
}

/// What a run reports, without how long it took, and its exit code.
fn report(args: &[&str]) -> (Option<i32>, Value) {
    let output = pto(&[args, &["--json"]].concat());
    let mut report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| {
        panic!("{args:?}: {e}\n{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    });
    if let Some(fields) = report.as_object_mut() {
        fields.remove("seconds");
    }
    (output.status.code(), report)
}

fn same_in_processes(args: &[&str]) {
    let (one, many) = (report(args), report(&[args, &["--processes"]].concat()));
    assert_eq!((one.0, many.0), (Some(0), Some(0)), "{args:?}: {}\n{}", one.1, many.1);
    assert_eq!(one.1, many.1, "{args:?}");
}

/// The options after `// args` in a program.
fn options(text: &str) -> Vec<String> {
    let line = text.lines().find_map(|line| line.strip_prefix("// args "));
    line.unwrap_or_default().split_whitespace().map(str::to_string).collect()
}

#[test]
fn programs_of_the_tree_give_the_same_in_processes() {
    let mut count = 0;
    for entry in std::fs::read_dir(root().join("tests/race")).expect("programs") {
        let path = entry.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("a program");
        // The others are not ordered, or ask whether something has happened yet.
        if !path.to_string_lossy().ends_with(".fixed.pto") || text.contains("comm.ttest(") {
            continue;
        }
        let options = options(&text);
        if options.iter().any(|o| o == "--ranks") {
            let mut args = vec![path.to_str().expect("a name")];
            args.extend(options.iter().map(String::as_str));
            same_in_processes(&args);
            count += 1;
        }
    }
    assert!(count > 10, "only {count} programs");
    let example = root().join("examples/all_reduce.pto");
    same_in_processes(&[example.to_str().expect("a name"), "--ranks", "4"]);
    let printed = root().join("tests/cli/run_ranks.pto");
    same_in_processes(&[printed.to_str().expect("a name"), "--ranks", "3", "x=ones", "x@2=fill:5"]);
}

/// `RANK_PROGRAMS` raises the number, `RANK_SEED` chooses others.
#[test]
fn random_programs_give_the_same_in_processes() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let (count, seed) = (number("RANK_PROGRAMS").unwrap_or(12), number("RANK_SEED").unwrap_or(1));
    let scratch = tempfile::tempdir().expect("a directory");
    for k in 0..count {
        let ranks = 2 + (k % 4) as usize * if k % 12 == 3 { 4 } else { 1 };
        let file = scratch.path().join(format!("{k}.pto"));
        std::fs::write(&file, programs::random_program(seed.wrapping_mul(1_000_003) + k, ranks)).expect("a file");
        let name = file.to_str().expect("a name");
        same_in_processes(&[name, "--ranks", &ranks.to_string(), "bell=zeros", "z=zeros", "x=iota", "w=iota"]);
    }
}

#[test]
fn sixteen_ranks_are_sixteen_processes() {
    let scratch = tempfile::tempdir().expect("a directory");
    let file = scratch.path().join("k.pto");
    std::fs::write(&file, programs::random_program(77, 16)).expect("a file");
    same_in_processes(&[file.to_str().expect("a name"), "--ranks", "16", "bell=zeros", "x=iota"]);
}

#[test]
fn files_are_named_by_rank() {
    let scratch = tempfile::tempdir().expect("a directory");
    let program = root().join("tests/cli/run_ranks.pto");
    let program = program.to_str().expect("a name");
    let file = |name: &str| scratch.path().join(name).to_str().expect("a name").to_string();
    let made =
        pto(&[program, "--ranks", "3", "x@{rank}=fill:{rank}", &format!("--out=x@{{rank}}={}", file("x{rank}.npy"))]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let read = format!("x={}", file("x{rank}.npy"));
    let (one, many) = (
        report(&[program, "--ranks", "3", "x@0=fill:0", "x@1=fill:1", "x@2=fill:2"]).1,
        report(&[program, "--ranks", "3", &read, "--processes"]).1,
    );
    let sums = |report: &Value| {
        report["parameters"]
            .as_array()
            .expect("parameters")
            .iter()
            .map(|p| p["summary"]["crc32"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(sums(&one), sums(&many));
}
