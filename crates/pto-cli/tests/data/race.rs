//! Runs `pto race` on every `.pto` file below `tests/race`; `tests/race/README.pto` documents the format.

use libtest_mimic::{Failed, Trial};
use pto::isa::Target;
use pto_testkit::expected::{FoundDiagnostic, compare, expectations, stated_targets};
use serde_json::Value;
use std::path::Path;

pub fn trials() -> Vec<Trial> {
    pto_testkit::expected::trials("race", run)
}

fn run(path: &Path) -> Result<(), Failed> {
    let source = std::fs::read_to_string(path)?;
    let mut targets = stated_targets(&source);
    if targets.is_empty() {
        targets.push(Target::A2A3);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_right = name.contains(".fixed.") || name.starts_with("README");
    for target in targets {
        let wrong = !expectations(&source, target).is_empty();
        if is_right && wrong {
            return Err("a corrected program expects nothing".into());
        }
        let found = race(path, &source, target)?;
        compare(&source, target, &found)?;
    }
    if !is_right && !path.with_extension("fixed.pto").exists() {
        return Err("there is no corrected program beside it".into());
    }
    Ok(())
}

/// `// args n=0 --blocks 4`
fn race(path: &Path, source: &str, target: Target) -> Result<Vec<FoundDiagnostic>, Failed> {
    let stated = source.lines().filter_map(|l| l.strip_prefix("// args ")).flat_map(str::split_whitespace);
    let mut command = pto_testkit::commands::english(env!("CARGO_BIN_EXE_pto"));
    command.arg("race").arg(path).args(["--json", "--target", target.name()]).args(stated);
    let output = command.output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let report: Value = serde_json::from_slice(&output.stdout).map_err(|e| format!("{e}: {said}"))?;
    let text = |v: &Value| v.as_str().unwrap_or_default().to_string();
    let found = report["findings"].as_array().into_iter().flatten().map(|d| FoundDiagnostic {
        line: d["span"]["line"].as_u64().unwrap_or(0) as u32,
        severity: text(&d["severity"]),
        id: text(&d["id"]),
        message: text(&d["message"]),
    });
    let found: Vec<FoundDiagnostic> = found.collect();
    let failed = found.iter().any(|f| f.severity == "error");
    if output.status.code() != Some(i32::from(failed)) {
        return Err(format!("exit code {:?} with {} findings: {said}", output.status.code(), found.len()).into());
    }
    Ok(found)
}
