//! Emitted C++: what it looks like.
//!
//! Programs below `tests/emit` and the examples are emitted for both devices and compared with the files beside them
//! (`BLESS=1` writes those anew); a program that cannot be emitted has its problems there. `data/compiled.rs` compiles the same text.

use pto::syntax::Lines;
use pto::{Program, Target, emit};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

const DEVICES: [Target; 2] = [Target::A2A3, Target::A5];

/// The C++ of a program, or its problems.
fn emitted(name: &str, source: &str, target: Target, style: emit::CppStyle) -> Result<String, String> {
    let lines = Lines::new(source);
    let line = |at: u32| lines.locate(at).0;
    let options = emit::Options { source: name, line: Some(&line), style, ..emit::Options::default() };
    let text = Program::parse(source).check(target).and_then(|checked| emit::cpp(&checked, &options));
    text.map_err(|problems| {
        problems.diagnostics().iter().map(|d| format!("error[{}]: {}\n", d.code, d.message)).collect()
    })
}

fn programs() -> Vec<(PathBuf, PathBuf)> {
    let mut found = Vec::new();
    for (from, to) in [("tests/emit", "tests/emit"), ("examples", "tests/emit/examples")] {
        for entry in std::fs::read_dir(root().join(from)).expect("a directory").flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|e| e == "pto") {
                let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
                found.push((path, root().join(to).join(name)));
            }
        }
    }
    found.sort();
    assert!(found.len() > 15);
    found
}

#[test]
fn programs_are_emitted_as_recorded() {
    let mut wrong = Vec::new();
    for (path, recorded) in programs() {
        let source = std::fs::read_to_string(&path).expect("a program");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        for target in DEVICES {
            let result = emitted(&name, &source, target, emit::CppStyle::Readable);
            let again = emitted(&name, &source, target, emit::CppStyle::Readable);
            assert_eq!(result, again, "the same text for the same program");
            let text = result.unwrap_or_else(|problems| problems);
            let file = PathBuf::from(format!("{}.{target}.cpp", recorded.display()));
            if std::env::var_os("BLESS").is_some() {
                std::fs::write(&file, text).expect("a writable tree");
            } else if std::fs::read_to_string(&file).unwrap_or_default() != text {
                wrong.push(file);
            }
        }
    }
    assert!(wrong.is_empty(), "emitted otherwise than recorded (BLESS=1 accepts): {wrong:?}");
}

#[test]
fn ptoas_is_the_public_command_line() {
    let ptoas = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_ptoas")).args(arguments).output().expect("it starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let path = |name: &str| root().join(name).display().to_string();
    assert_eq!(ptoas(&["--version"]), (Some(0), "ptoas 0.27\n".to_string(), String::new()));
    let dir = tempfile::tempdir().expect("a place for files");
    let out = dir.path().join("out.cpp").display().to_string();
    // To a file and to standard output, the same; the level is 2 unless stated.
    let (code, stdout, _) = ptoas(&[&path("examples/softmax.pto"), "-o", &out]);
    assert_eq!((code, &*stdout), (Some(0), ""));
    let (code, stdout, stderr) = ptoas(&[&path("examples/softmax.pto")]);
    assert_eq!((code, stdout), (Some(0), std::fs::read_to_string(&out).expect("a file")));
    // No order unless it is asked for, and one line that says so where it is needed.
    assert!(!std::fs::read_to_string(&out).expect("a file").contains("set_flag("));
    assert!(stderr.starts_with("ptoas: warning: ") && stderr.contains("--enable-insert-sync"), "{stderr}");
    assert_eq!(stderr.lines().count(), 1);
    let (code, _, stderr) = ptoas(&["--enable-insert-sync", &path("examples/softmax.pto")]);
    assert_eq!((code, &*stderr), (Some(0), ""));
    let (code, _, stderr) = ptoas(&["--pto-level=level3", &path("examples/matmul_manual.pto")]);
    assert_eq!((code, &*stderr), (Some(0), ""), "it has flags of its own");
    // Failure: 1, nothing written, and the assembler's last line.
    let (code, _, stderr) = ptoas(&["--pto-level=level3", &path("examples/softmax.pto"), "-o", &out]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("PTO-E0902") && stderr.ends_with("Error: Failed to emit C++.\n"), "{stderr}");
    assert!(std::fs::read_to_string(&out).expect("the old file").contains("TROWSUM("));
    let flags = |text: &str| text.matches("set_flag(").count();
    let (code, stdout, stderr) = ptoas(&["--enable-insert-sync", &path("examples/vector_add.pto")]);
    assert!(code == Some(0) && flags(&stdout) > 1, "{stdout}{stderr}");
    let (code, stdout, stderr) =
        ptoas(&["--pto-level=level3", &path("examples/matmul_manual.pto"), "--enable-insert-sync"]);
    assert_eq!((code, flags(&stdout), &*stderr), (Some(0), 3, ""), "a program with flags of its own is as it must be");
    let (code, _, stderr) = ptoas(&["--no-such-flag"]);
    assert!(code == Some(1) && stderr.contains("'--no-such-flag'"), "{stderr}");
    let (code, _, stderr) = ptoas(&["nowhere.pto"]);
    assert!(code == Some(1) && stderr.ends_with("Error: Could not open input file: nowhere.pto\n"), "{stderr}");
}

#[test]
fn bytecode_is_read_wherever_text_is() {
    let pto = |arguments: &[&str]| {
        let output =
            pto_testkit::commands::english(env!("CARGO_BIN_EXE_pto")).args(arguments).output().expect("it starts");
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr),
        )
    };
    let dir = tempfile::tempdir().expect("a place for files");
    let file = dir.path().join("k.ptobc").display().to_string();
    let source = root().join("examples/vector_add.pto").display().to_string();
    assert_eq!(pto(&["emit", "bytecode", "--generic", &source, "-o", &file]).0, Some(0));
    assert_eq!(pto(&["check", &file]).0, Some(0));
    let shown = pto_testkit::commands::english(env!("CARGO_BIN_EXE_pto"))
        .args(["emit", "bytecode", "--generic", &source])
        .output();
    assert_eq!(shown.expect("it starts").stdout, std::fs::read(&file).expect("bytes"), "the same bytes to a reader");
    let sum = |path: &str| {
        pto(&["run", path, "n=4096", "--json"]).1.lines().find(|l| l.contains("crc32")).map(str::to_string)
    };
    assert!(sum(&file).is_some() && sum(&file) == sum(&source));
    let (code, text) = pto(&["emit", "cpp", &file]);
    assert!(code == Some(0) && text.contains("TADD("), "{text}");
    let (code, text) = pto(&["fmt", &file]);
    assert!(code == Some(2) && text.contains("--stdout"), "{text}");
    assert!(pto(&["fmt", "--stdout", &file]).1.contains("pto.tadd ins(%a, %b"));
    std::fs::write(&file, b"PTOBC\0\0\0\0\0").expect("a writable place");
    let (code, text) = pto(&["check", &file]);
    assert!(code == Some(1) && text.contains("PTO-E0911"), "{text}");
}
