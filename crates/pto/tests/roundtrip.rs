//! Printing a program and reading it back gives the same program, in every form.
//!
//! Runs on the programs of this repository; with `PTO_CORPUS=dir:dir` also on every `.pto` file below those.

use pto::ir::{self, Style, TypeStyle, buffers};
use pto::syntax::{FormatOptions, format, parse};
use pto::{Form, Module};
use std::path::{Path, PathBuf};

const FORMS: [Option<Form>; 5] = [None, Some(Form::Level1), Some(Form::Level2), Some(Form::Asm), Some(Form::Generic)];

fn files(dir: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|e| e == "pto") {
            out.push(path);
        }
    }
}

fn corpus() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    files(&root.join("tests"), &mut all);
    files(&root.join("examples"), &mut all);
    for dir in std::env::var("PTO_CORPUS").unwrap_or_default().split(':').filter(|d| !d.is_empty()) {
        files(Path::new(dir), &mut all);
    }
    all
}

/// What went wrong when a module was printed in a style and read back.
fn round_trip(module: &Module, style: Style) -> Result<(), String> {
    let text = ir::print(module, style);
    let (again, problems) = parse(&text);
    if let Some(d) = problems.first() {
        let at = d.primary.span.start as usize;
        let line = text[..at.min(text.len())].matches('\n').count();
        return Err(format!("{}: {} in `{}`", d.code, d.message, text.lines().nth(line).unwrap_or("")));
    }
    if !ir::same(module, &again) {
        return Err("reads back as another program".to_string());
    }
    let second = ir::print(&again, style);
    if second != text {
        let difference = text.lines().zip(second.lines()).find(|(a, b)| a != b);
        return Err(format!("prints differently the second time: {difference:?}"));
    }
    Ok(())
}

/// All forms and both type spellings of one source; programs that cannot be read are left to other tests.
fn check_source(source: &str) -> Result<bool, String> {
    let (module, problems) = parse(source);
    if !problems.is_empty() {
        return Ok(false);
    }
    for form in FORMS {
        for types in [TypeStyle::Compact, TypeStyle::Keyed] {
            let converted = match form {
                Some(Form::Level2) => buffers::to_buffers(&module, pto::isa::Targets::ALL).ok(),
                _ => Some(module.clone()),
            };
            let Some(converted) = converted else { continue };
            round_trip(&converted, Style { form, types, source: None })
                .map_err(|e| format!("{form:?} {types:?}: {e}"))?;
        }
    }
    let once = format(source, FormatOptions::default()).map_err(|d| format!("format: {}", d[0].message))?;
    let twice = format(&once, FormatOptions::default()).map_err(|d| format!("format again: {}", d[0].message))?;
    if once != twice {
        let difference = once.lines().zip(twice.lines()).find(|(a, b)| a != b);
        return Err(format!("formatting twice changes it: {difference:?}"));
    }
    Ok(true)
}

#[test]
fn every_program_reads_back_in_every_form() {
    let mut failures = Vec::new();
    let (mut read, mut skipped) = (0, 0);
    for path in corpus() {
        let Ok(source) = std::fs::read_to_string(&path) else { continue };
        match check_source(&source) {
            Ok(true) => read += 1,
            Ok(false) => skipped += 1,
            Err(e) => failures.push(format!("{}: {e}", path.display())),
        }
    }
    println!("{read} programs in {} forms, {skipped} not readable", FORMS.len() * 2);
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// Programs nobody wrote: drawn from the table, with loops, branches, values and buffers.
#[test]
fn generated_programs_read_back_in_every_form() {
    for target in pto::Target::ALL {
        for seed in 0..60 {
            let source = pto::sample::random_program(seed, target, 20);
            let done = check_source(&source).unwrap_or_else(|e| panic!("seed {seed} on {target}: {e}\n{source}"));
            assert!(done, "seed {seed} on {target} is not readable:\n{source}");
        }
    }
}
