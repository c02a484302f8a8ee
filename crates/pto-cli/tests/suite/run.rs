//! What `pto run` does to files, and what differs from run to run.

use pto::data::{Array, npy, npz};
use pto::isa::DType;
use std::path::Path;
use std::process::{Output, Stdio};

const PROGRAM: &str = "
    func.func @copy(%x: !pto.tensor_view<2x8xf32>, %y: !pto.tensor_view<2x8xf32>) {
      %t = pto.alloc_tile : !pto.tile_buf<vec, 2x8xf32>
      pto.tload ins(%x : !pto.tensor_view<2x8xf32>) outs(%t : !pto.tile_buf<vec, 2x8xf32>)
      pto.tstore ins(%t : !pto.tile_buf<vec, 2x8xf32>) outs(%y : !pto.tensor_view<2x8xf32>)
      return
    }";

/// Runs the program in a directory, from standard input.
fn run(dir: &Path, arguments: &[&str]) -> Output {
    let mut child = pto_testkit::commands::english(env!("CARGO_BIN_EXE_pto"))
        .args(["run", "-"])
        .args(arguments)
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("pto starts");
    std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), PROGRAM.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends")
}

fn files(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn results_go_to_files_of_every_kind() {
    let dir = tempfile::tempdir().expect("a directory");
    let out = ["--out", "y=y.npy", "--out", "x=all.npz", "--out", "y=all.npz", "--out", "y=y.bin"];
    let output = run(dir.path(), &[&["x=iota"], &out[..]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(files(dir.path()), ["all.npz", "y.bin", "y.npy"]);
    let wanted = Array::iota(DType::F32, &[2, 8]).expect("small");
    let array = |stored: Result<npy::Stored, _>| stored.and_then(|s| s.into_array(DType::F32));
    assert_eq!(array(npy::read_file(&dir.path().join("y.npy"))).as_ref(), Ok(&wanted));
    for key in ["x", "y"] {
        assert_eq!(array(npz::read_file(&dir.path().join("all.npz"), Some(key))).as_ref(), Ok(&wanted));
    }
    assert_eq!(std::fs::read(dir.path().join("y.bin")).expect("it is there"), wanted.bytes());
    // What was written is what can be read.
    for file in ["y.npy", "y.bin", "all.npz", "all.npz:y"] {
        let output = run(dir.path(), &[&format!("x={file}"), "--expect", "y=iota"]);
        assert_eq!(output.status.code(), Some(0), "{file}");
    }
}

/// Equal results give equal files, so that they can be compared and cached.
#[test]
fn files_are_reproducible() {
    let dir = tempfile::tempdir().expect("a directory");
    run(dir.path(), &["--seed", "3", "--out", "x=a.npz", "--threads", "1"]);
    run(dir.path(), &["--seed", "3", "--out", "x=b.npz", "--blocks", "3"]);
    let read = |name: &str| std::fs::read(dir.path().join(name)).expect("it is there");
    assert_eq!(read("a.npz"), read("b.npz"));
}

#[test]
fn a_run_that_fails_writes_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::create_dir(dir.path().join("b.npy")).expect("a directory");
    let output = run(dir.path(), &["--out", "x=a.npy", "--out", "y=b.npy"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("b.npy: is a directory"));
    assert_eq!(files(dir.path()), ["b.npy"]);
}

/// Results that differ are still written: that is how one finds out why.
#[test]
fn a_comparison_that_fails_writes_its_results() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = run(dir.path(), &["--expect", "y=0", "--out", "y=y.npy"]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(files(dir.path()), ["y.npy"]);
}

#[test]
fn times_are_sorted_and_add_up() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = run(dir.path(), &["--time", "--blocks", "5"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let table: Vec<&str> = text.lines().skip_while(|l| !l.starts_with("line")).skip(1).collect();
    let shares: Vec<f64> =
        table.iter().filter_map(|l| l.strip_suffix(" %")?.split_whitespace().last()?.parse().ok()).collect();
    assert_eq!(shares.len(), 2, "{text}");
    assert!(shares[0] >= shares[1] && (shares[0] + shares[1] - 100.0).abs() < 0.2, "{text}");
    assert!(table.iter().all(|l| l.split_whitespace().nth(2) == Some("5")), "{text}");
}

#[test]
fn json_has_every_number() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = run(dir.path(), &["--json", "--show", "y", "--time", "x=iota"]);
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let y = &object["parameters"][1];
    assert_eq!(y["values"][1][7], 15.0);
    assert_eq!(y["written"], true);
    assert_eq!(object["times"][0]["line"], 4);
    assert!(object["seconds"].as_f64().is_some_and(|s| s > 0.0));
}

/// Nothing is filled before it is known that there is room: a few terabytes would take minutes, and then the machine.
#[test]
fn more_memory_than_the_machine_has_is_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let text = "func.func @k(%x: !pto.ptr<f32>, %n: index) {
      %one = arith.constant 1 : index
      %xs = pto.make_tensor_view %x, shape = [%n, %n], strides = [%n, %one] : !pto.tensor_view<?x?xf32>
      return
    }";
    std::fs::write(dir.path().join("k.pto"), text).expect("it can be written");
    let start = std::time::Instant::now();
    for arguments in [&["n=2000000"][..], &["n=16", "x=rand:[1000000x4000000]"], &["n=16", "x=ones:[1000000x4000000]"]]
    {
        for command in ["run", "race"] {
            let pto = pto_testkit::commands::english(env!("CARGO_BIN_EXE_pto"))
                .args([command, "k.pto"])
                .args(arguments)
                .current_dir(&dir)
                .output();
            let output = pto.expect("pto starts");
            let message = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{command}: {message}");
            assert!(message.contains("PTO-E0715") && message.contains("TiB, and this machine has"), "{message}");
        }
    }
    assert!(start.elapsed().as_secs() < 20);
}

#[test]
fn an_unknown_level_of_processors_is_refused() {
    for (level, code) in [("avx2", 2), ("v5", 2), ("", 0), ("V3", 0)] {
        let mut command = pto_testkit::commands::english(env!("CARGO_BIN_EXE_pto"));
        let output = command.args(["isa", "--json"]).env("PTO_CPU_LEVEL", level).output().expect("pto starts");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{level}: {message}");
        assert_eq!(message.contains(&format!("PTO_CPU_LEVEL is `{level}`")), code == 2, "{message}");
    }
}

/// The checksums of what an example gives, with more arguments and at a level of the processor.
fn checksums(example: &str, arguments: &[&str], level: &str) -> Vec<String> {
    let mut command = pto_testkit::commands::english(env!("CARGO_BIN_EXE_pto"));
    let file = format!("{}/../../examples/{example}.pto", env!("CARGO_MANIFEST_DIR"));
    let output = command.args(["run", &file, "--json"]).args(arguments).env("PTO_CPU_LEVEL", level).output();
    let report: serde_json::Value = serde_json::from_slice(&output.expect("pto runs").stdout).expect("a report");
    let parameters = report["parameters"].as_array().unwrap_or_else(|| panic!("{example}: {report}"));
    parameters.iter().filter_map(|p| p["summary"]["crc32"].as_str().map(str::to_string)).collect()
}

/// The names of the examples, and the arguments that they need.
fn examples() -> Vec<(String, Vec<&'static str>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let files = std::fs::read_dir(folder).expect("there are examples").map(|entry| entry.expect("a file").path());
    let programs = files.filter(|path| path.extension().is_some_and(|extension| extension == "pto"));
    let name = |path: std::path::PathBuf| path.file_stem().expect("a name").to_string_lossy().into_owned();
    let arguments = |name: &str| match name {
        "all_reduce" => vec!["--ranks", "4"],
        "int8_gemm" => vec!["scale=16"],
        "vector_add" => vec!["n=10007"],
        _ => Vec::new(),
    };
    programs.map(name).map(|name| (name.clone(), arguments(&name))).collect()
}

/// The plain version of a product takes as long as all others together.
#[test]
fn every_level_of_the_processor_gives_the_same_bits() {
    for (example, arguments) in examples() {
        let usual = checksums(&example, &arguments, "");
        assert!(!usual.is_empty(), "{example} writes something");
        for level in ["baseline", "v3", "v4", "vnni", "amx"] {
            assert_eq!(checksums(&example, &arguments, level), usual, "{example} at {level}");
        }
    }
}

/// Blocks, threads, threads that share a block, and instructions one by one instead of together.
#[test]
fn every_way_to_run_gives_the_same_bits() {
    let ways: [&[&str]; 3] = [&["--threads=3"], &["--blocks=3", "--threads=2"], &["--time"]];
    for (example, arguments) in examples().into_iter().filter(|(name, _)| name != "all_reduce") {
        let usual = checksums(&example, &arguments, "");
        for way in ways {
            let arguments: Vec<&str> = arguments.iter().chain(way).copied().collect();
            assert_eq!(checksums(&example, &arguments, ""), usual, "{example} {way:?}");
        }
    }
}
