//! What files expect: diagnostics in comments on the lines they talk about.

use libtest_mimic::{Failed, Trial};
use pto::isa::Target;
use std::path::{Path, PathBuf};

/// A test for every `.pto` file below a directory of `tests`, called `directory/file`.
pub fn trials(directory: &str, test: impl Fn(&Path) -> Result<(), Failed> + Clone + Send + 'static) -> Vec<Trial> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(directory);
    let mut files = Vec::new();
    collect(&root, &mut files);
    files
        .into_iter()
        .map(|path| {
            let name = format!("{directory}/{}", path.strip_prefix(&root).unwrap_or(&path).display());
            let test = test.clone();
            Trial::test(name, move || test(&path))
        })
        .collect()
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

/// What was found.
pub struct FoundDiagnostic {
    pub line: u32,
    pub severity: String,
    pub id: String,
    pub message: String,
}

/// What a file expects on a line.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Expected {
    line: u32,
    severity: &'static str,
    id: String,
    text: String,
}

/// `// target a2a3, a5`
pub fn stated_targets(source: &str) -> Vec<Target> {
    let lines = source.lines().filter_map(|l| l.strip_prefix("// target "));
    lines.flat_map(|l| l.split(',')).filter_map(|t| Target::parse(t.trim())).collect()
}

/// The diagnostics must be exactly those that the file states.
pub fn compare(source: &str, target: Target, found: &[FoundDiagnostic]) -> Result<(), Failed> {
    let mut missing = expectations(source, target);
    let mut surprises = Vec::new();
    for FoundDiagnostic { line, severity, id, message } in found {
        let fits = |e: &Expected| e.line == *line && e.severity == severity && e.id == *id && message.contains(&e.text);
        match missing.iter().position(fits) {
            Some(at) => {
                missing.remove(at);
            }
            None => surprises.push(format!("line {line}: {severity}[{id}]: {message}")),
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
pub fn expectations(source: &str, target: Target) -> Vec<Expected> {
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
