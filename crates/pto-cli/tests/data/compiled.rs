//! A C++ compiler takes what is emitted: the programs below `tests/emit`, the examples, and the sample of every instruction,
//! against a small stub of the headers. Without a compiler (`c++`, `g++`, `clang++`) the tests are ignored.

use libtest_mimic::Trial;
use pto::isa::table;
use pto::{Program, Target, emit, sample};
use std::path::{Path, PathBuf};
use std::process::Command;

pub fn trials() -> Vec<Trial> {
    let no_compiler = compiler().is_none();
    let all: [(&str, fn()); 2] = [
        ("compiled/emitted programs", emitted_programs),
        ("compiled/samples of instructions", samples_of_instructions),
    ];
    let trial = |(name, test): (&str, fn())| {
        let run = move || {
            test();
            Ok(())
        };
        Trial::test(name, run).with_ignored_flag(no_compiler)
    };
    all.into_iter().map(trial).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

const DEVICES: [Target; 2] = [Target::A2A3, Target::A5];

/// The C++ of a program, unless it cannot be emitted.
fn emitted(source: &str, target: Target, style: emit::CppStyle) -> Result<String, String> {
    let options = emit::Options { style, ..emit::Options::default() };
    let text = Program::parse(source).check(target).and_then(|checked| emit::cpp(&checked, &options));
    text.map_err(|problems| {
        problems.diagnostics().iter().map(|d| format!("error[{}]: {}\n", d.code, d.message)).collect()
    })
}

fn programs() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for from in ["tests/emit", "examples"] {
        let entries = std::fs::read_dir(root().join(from)).expect("a directory");
        found.extend(entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "pto")));
    }
    found.sort();
    found
}

/// The first of the usual compilers that is there.
fn compiler() -> Option<&'static str> {
    let runs = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success());
    ["c++", "g++", "clang++"].into_iter().find(runs)
}

/// Compiles translation units that are independent of each other as one.
fn compile(units: &[(String, String)]) {
    let compiler = compiler().expect("a C++ compiler");
    let mut all = String::from("#include \"pto/pto-inst.hpp\"\n");
    for (at, (name, text)) in units.iter().enumerate() {
        let body: Vec<&str> = text.lines().filter(|l| !l.starts_with("#include")).collect();
        all += &format!("namespace unit{at} {{ // {name}\n{}\n}}\n", body.join("\n"));
    }
    let dir = tempfile::tempdir().expect("a place for files");
    let file = dir.path().join("units.cpp");
    std::fs::write(&file, all).expect("a writable place");
    let stub = root().join("tests/emit/stub");
    let mut command = Command::new(compiler);
    command.args(["-std=c++17", "-fsyntax-only", "-Wall", "-Werror=narrowing", "-Wno-unused", "-Wno-comment", "-I"]);
    let output = command.arg(stub).arg(&file).output().expect("a compiler that runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn emitted_programs() {
    let mut units = Vec::new();
    for path in programs() {
        let source = std::fs::read_to_string(&path).expect("a program");
        for target in DEVICES {
            for style in [emit::CppStyle::Readable, emit::CppStyle::Plain] {
                if let Ok(text) = emitted(&source, target, style) {
                    units.push((format!("{} {target} {style:?}", path.display()), text));
                }
            }
        }
    }
    assert!(units.len() > 60);
    compile(&units);
}

/// Every instruction that claims a C++ spelling has one for its sample, and the compiler takes it.
fn samples_of_instructions() {
    let mut units = Vec::new();
    let mut missing: Vec<String> = Vec::new();
    for op in table::isa() {
        for target in DEVICES {
            let Some(source) = sample::program(op, target) else { continue };
            match emitted(&source, target, emit::CppStyle::Readable) {
                Ok(text) => units.push((format!("{} {target}", op.row().name), text)),
                Err(problems) if emit::emits(op) => missing.push(format!("{} {target}: {problems}", op.row().name)),
                Err(_) => {}
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(units.len() > 480, "{}", units.len());
    compile(&units);
}
