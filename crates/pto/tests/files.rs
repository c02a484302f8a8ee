//! Runs every `.pto` file below `tests/files`; `tests/files/README.pto` documents the format.

use libtest_mimic::{Arguments, Failed, Trial};
use pto::isa::{Diagnostic, Severity, Target};
use pto::syntax::Lines;
use pto::{Program, checks};
use std::path::{Path, PathBuf};

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/files");
    let mut files = Vec::new();
    collect(&root, &mut files);
    let trials = files
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
            Trial::test(name, move || run(&path))
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit();
}

fn collect(dir: &Path, out: &mut Vec<PathBuf>) {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, out);
        } else if path.extension().is_some_and(|e| e == "pto") {
            out.push(path);
        }
    }
}

/// What a file expects on a line.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Expected {
    line: u32,
    severity: &'static str,
    id: String,
    text: String,
}

fn run(path: &Path) -> Result<(), Failed> {
    let source = std::fs::read_to_string(path)?;
    let program = Program::parse(&source);
    let mut targets = stated_targets(&source);
    if targets.is_empty() {
        targets.push(checks::stated_target(program.module()).unwrap_or(Target::A2A3));
    }
    for target in targets {
        compare(&source, target, &program.inspect(target))?;
    }
    Ok(())
}

/// `// target a2a3, a5`
fn stated_targets(source: &str) -> Vec<Target> {
    let lines = source.lines().filter_map(|l| l.strip_prefix("// target "));
    lines.flat_map(|l| l.split(',')).filter_map(|t| Target::parse(t.trim())).collect()
}

fn compare(source: &str, target: Target, found: &[Diagnostic]) -> Result<(), Failed> {
    let lines = Lines::new(source);
    let mut missing = expectations(source, target);
    let mut surprises = Vec::new();
    for d in found {
        let line = lines.locate(d.primary.span.start).0;
        let severity = if d.severity == Severity::Error { "error" } else { "warning" };
        let fits = |e: &Expected| {
            e.line == line && e.severity == severity && e.id == d.code.id() && d.message.contains(&e.text)
        };
        match missing.iter().position(fits) {
            Some(at) => {
                missing.remove(at);
            }
            None => surprises.push(format!("line {line}: {severity}[{}]: {}", d.code, d.message)),
        }
    }
    if missing.is_empty() && surprises.is_empty() {
        return Ok(());
    }
    let missing: Vec<_> =
        missing.iter().map(|e| format!("line {}: {}[{}]: {}", e.line, e.severity, e.id, e.text)).collect();
    Err(format!("target {target}\nnot expected:\n  {}\nmissing:\n  {}", surprises.join("\n  "), missing.join("\n  "))
        .into())
}

/// `… // error[PTO-E0123]: text`, also `error@a5[…]` for one target only; several on a line.
fn expectations(source: &str, target: Target) -> Vec<Expected> {
    let mut all = Vec::new();
    for (at, line) in source.lines().enumerate() {
        let Some((code, comment)) = line.split_once("// ") else { continue };
        if code.trim().is_empty() {
            continue;
        }
        for part in comment.split("// ") {
            for severity in ["error", "warning"] {
                let Some(rest) = part.trim().strip_prefix(severity) else { continue };
                let Some((only, rest)) = rest.split_once('[') else { continue };
                let Some((id, text)) = rest.split_once(']') else { continue };
                if only.is_empty() || only.strip_prefix('@').and_then(Target::parse) == Some(target) {
                    let text = text.trim_start_matches(':').trim().to_string();
                    all.push(Expected { line: at as u32 + 1, severity, id: id.to_string(), text });
                }
            }
        }
    }
    all
}
