//! Kernels that must not build, each with its exact message.
//!
//! They are compiled against the library as it is; a crate that builds such cases as packages would build the whole toolchain a second time. The messages are those of one version
//! of the compiler: others word what is around ours in their own way, so with them the kernels only have to fail.
//! `BLESS=1 cargo test -p pto --test suite wrong` writes the messages anew.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiler whose messages are recorded.
const RECORDED: &str = "rustc 1.95.";

#[test]
fn wrong_kernels_do_not_build() {
    let library = library();
    let exact = version().starts_with(RECORDED);
    let cases = cases("tests/wrong");
    assert!(cases.len() >= 25, "{} kernels", cases.len());
    let wrong: Vec<String> = cases.iter().filter_map(|case| problem(case, &library, exact)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Without it, everything could fail for the same wrong reason.
#[test]
fn a_right_kernel_builds() {
    for case in cases("tests/wrong/right") {
        let (built, text) = compile(&case, &library());
        assert!(built, "{text}");
    }
}

/// What is unexpected about a kernel.
fn problem(case: &Path, library: &Path, exact: bool) -> Option<String> {
    let (built, text) = compile(case, library);
    if built {
        return Some(format!("{} builds", case.display()));
    }
    let recorded = case.with_extension("stderr");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&recorded, &text).expect("a file to write");
    }
    let expected = std::fs::read_to_string(&recorded).unwrap_or_default();
    (exact && expected != text).then(|| format!("{}:\n{text}\ninstead of\n{expected}", case.display()))
}

fn cases(directory: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(directory)).expect("a directory");
    let names = entries.map(|e| Path::new(directory).join(e.expect("an entry").file_name()));
    let mut all: Vec<PathBuf> = names.filter(|p| p.extension().is_some_and(|e| e == "rs")).collect();
    all.sort();
    all
}

/// The library that this test is linked with.
pub fn library() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["build", "--quiet", "--package", "pto", "--lib", "--message-format", "json"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut messages = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let library = messages.rfind(|m| m["reason"] == "compiler-artifact" && m["target"]["name"] == "pto");
    let files = library.as_ref().and_then(|m| m["filenames"].as_array()).expect("the library was built");
    let names = files.iter().filter_map(serde_json::Value::as_str);
    names.map(PathBuf::from).find(|p| p.extension().is_some_and(|e| e == "rlib")).expect("a library file")
}

pub fn compiler() -> Command {
    Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}

fn version() -> String {
    let output = compiler().arg("--version").output().expect("a Rust compiler");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Compiles a kernel as far as code: the rules of tile types are broken when code is made.
fn compile(case: &Path, library: &Path) -> (bool, String) {
    let directory = tempfile::tempdir().expect("a directory");
    let output = compiler()
        .args([
            "--edition=2024",
            "--crate-type=bin",
            "--emit=obj",
            "--color=never",
            "-Cdebuginfo=0",
            "--diagnostic-width=140",
        ])
        .arg(format!("--extern=pto={}", library.display()))
        .arg(format!("-Ldependency={}", library.with_file_name("deps").display()))
        .arg(format!("-Ldependency={}", library.parent().expect("a directory").display()))
        .arg("-o")
        .arg(directory.path().join("kernel.o"))
        .arg(case)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the compiler starts");
    (output.status.success(), settled(&String::from_utf8_lossy(&output.stderr)))
}

/// The messages without what depends on the machine, and without the lines of the library: whether they are shown depends on
/// what is installed.
fn settled(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut ours = true;
    for line in text.lines().filter(|line| !NOISE.iter().any(|noise| line.contains(noise))) {
        // A new message; suggestions have no place of their own and are about the kernel.
        ours |= line.starts_with(|c: char| c.is_ascii_alphabetic());
        let bare = line.trim_start();
        if let Some(place) = bare.strip_prefix("--> ").or_else(|| bare.strip_prefix("::: ")) {
            ours = place.starts_with("tests/wrong/");
            let place = if ours { place.to_string() } else { library_place(place) };
            lines.push(format!(" {} {place}", &bare[..3]));
        } else if let Some((number, rest)) = line.split_once('|').filter(|(n, _)| is_gutter(n)) {
            lines.extend(ours.then(|| format!("{:1} |{rest}", number.trim())));
        } else if line.starts_with(' ') && bare.starts_with("= ") {
            lines.push(format!("  {bare}"));
        } else if bare != "..." {
            lines.push(counted(line));
        }
    }
    lines.join("\n").trim_end().to_string() + "\n"
}

/// Lines that say nothing about a kernel.
const NOISE: [&str; 4] = [
    "error: aborting due to",
    "For more information about",
    "the full name for the type has been written to",
    "consider using `--verbose`",
];

fn is_gutter(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit() || c == ' ')
}

/// A place outside the kernel: the file, without what is before it and without the line.
fn library_place(place: &str) -> String {
    let file = place.split(':').next().unwrap_or(place);
    let from = ["crates/pto/src/", "/out/", "/library/"].iter().find_map(|part| file.find(part));
    file[from.unwrap_or(0)..].trim_start_matches('/').to_string()
}

/// How many other types there are is no part of a message.
fn counted(line: &str) -> String {
    let bare = line.trim_start();
    let number = bare.strip_prefix("and ").and_then(|rest| rest.split(' ').next());
    match number {
        Some(number) if number.parse::<u32>().is_ok() => line.replace(bare, "and others"),
        _ => line.to_string(),
    }
}
