//! Checks every `.pto` file below `tests/files`; `tests/files/README.pto` documents the format.

use libtest_mimic::{Failed, Trial};
use pto::isa::{Diagnostic, Target};
use pto::syntax::Lines;
use pto::{Program, checks};
use pto_testkit::expected::{FoundDiagnostic, compare, stated_targets};
use std::path::Path;

pub fn trials() -> Vec<Trial> {
    pto_testkit::expected::trials("files", run)
}

fn run(path: &Path) -> Result<(), Failed> {
    let source = std::fs::read_to_string(path)?;
    let program = Program::parse(&source);
    let mut targets = stated_targets(&source);
    if targets.is_empty() {
        targets.push(checks::stated_target(program.module()).unwrap_or(Target::A2A3));
    }
    let lines = Lines::new(&source);
    let found = |d: &Diagnostic| FoundDiagnostic {
        line: lines.locate(d.primary.span.start).0,
        severity: d.severity.name().to_string(),
        id: d.code.id(),
        message: d.message.clone(),
    };
    for target in targets {
        let all: Vec<FoundDiagnostic> = program.inspect(target).iter().map(found).collect();
        compare(&source, target, &all)?;
    }
    Ok(())
}
