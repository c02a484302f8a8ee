//! `pto check`

use super::input::{self, InputText};
use super::json::{self, JsonDiagnostic};
use super::render;
use super::{CommandResult, Failure, Outcome, out, warn};
use crate::counts;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use pto::isa::ordered::OrdSet;
use pto::isa::text;
use pto::isa::{Diagnostic, Target};
use pto::syntax::Lines;
use pto::{Program, checks};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files, directories, or `-` for standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Target; default: pto.target_arch of the file, else a2a3
    #[arg(long, value_parser = target_parser(), ignore_case = true)]
    target: Option<Target>,
    /// One JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// Reads a target; help and completions list the values.
pub(crate) fn target_parser() -> impl TypedValueParser<Value = Target> {
    let values = Target::ALL.map(|t| PossibleValue::new(t.name()).aliases(t.aliases()));
    PossibleValuesParser::new(values).try_map(|name| Target::parse(&name).ok_or(text!("no such target")))
}

/// A checked file.
pub(crate) struct CheckReport {
    pub(crate) source: InputText,
    pub(crate) target: Target,
    pub(crate) problems: Vec<Diagnostic>,
}

impl CheckReport {
    fn errors(&self) -> usize {
        self.problems.iter().filter(|d| d.is_error()).count()
    }
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let mut reports = Vec::new();
    let mut unreadable: Vec<String> = Vec::new();
    for path in input::expand(&args.files)? {
        match input::read(&path) {
            Ok(source) => reports.push(check(source, args.target)),
            Err(failure) => {
                warn(&format!("\u{1b}[1;31merror\u{1b}[0m: {}", failure.0));
                unreadable.push(failure.0);
            }
        }
    }
    if args.json {
        print_json(&reports, &unreadable)?;
    } else if !reports.is_empty() {
        print_text(&reports)?;
    }
    if !unreadable.is_empty() {
        return Err(Failure(String::new()));
    }
    Ok(if reports.iter().all(|r| r.errors() == 0) { Outcome::Clean } else { Outcome::Problems })
}

fn check(source: InputText, target: Option<Target>) -> CheckReport {
    if let Some(d) = source.unreadable.clone() {
        return CheckReport { source, target: target.unwrap_or(Target::A2A3), problems: vec![d] };
    }
    let program = Program::parse(&source.text);
    let target = target.or_else(|| checks::stated_target(program.module())).unwrap_or(Target::A2A3);
    let problems = program.inspect(target);
    CheckReport { source, target, problems }
}

pub(crate) fn print_text(reports: &[CheckReport]) -> Result<(), Failure> {
    for report in reports {
        render::print(&report.source, &report.problems)?;
    }
    let mut err = crate::host::stderr();
    let errors: usize = reports.iter().map(CheckReport::errors).sum();
    let warnings = reports.iter().map(|r| r.problems.len()).sum::<usize>() - errors;
    let targets: OrdSet<&str> = reports.iter().map(|r| r.target.name()).collect();
    let targets = targets.into_iter().collect::<Vec<_>>().join(", ");
    if errors == 0 {
        let what = counts::programs(reports.len());
        let found = if warnings == 0 { text!("no problems").to_string() } else { counts::warnings(warnings) };
        return out(&text!("{what} checked for {targets}: {found}\n", what, targets, found));
    }
    let ids: OrdSet<String> = reports.iter().flat_map(|r| &r.problems).map(|d| d.code.id()).collect();
    let bad = reports.iter().filter(|r| r.errors() > 0).count();
    let more = if ids.len() > 3 { ", …" } else { "" };
    let shown = ids.into_iter().take(3).collect::<Vec<_>>().join(", ");
    let files = if reports.len() > 1 {
        text!(" in {bad} of {reports} files", bad, reports = reports.len())
    } else {
        String::new()
    };
    let found = match warnings {
        0 => counts::errors(errors),
        _ => text!("{errors} and {warnings}", errors = counts::errors(errors), warnings = counts::warnings(warnings)),
    };
    let line = text!("{found}{files} for {targets} (pto explain {shown}{more})", found, files, targets, shown, more);
    writeln!(err, "{line}")?;
    Ok(())
}

#[derive(Serialize)]
struct JsonCheckReport<'a> {
    files: Vec<JsonCheckedFile<'a>>,
    errors: usize,
    warnings: usize,
    /// Files that could not be read, and why.
    unreadable: &'a [String],
}

#[derive(Serialize)]
struct JsonCheckedFile<'a> {
    file: &'a str,
    target: &'static str,
    diagnostics: Vec<JsonDiagnostic<'a>>,
}

fn print_json(reports: &[CheckReport], unreadable: &[String]) -> Result<(), Failure> {
    let files = reports
        .iter()
        .map(|r| {
            let lines = Lines::new(&r.source.text);
            let diagnostics = r.problems.iter().map(|d| json::diagnostic(&r.source, &lines, d)).collect();
            JsonCheckedFile { file: &r.source.name, target: r.target.name(), diagnostics }
        })
        .collect();
    let errors = reports.iter().map(CheckReport::errors).sum();
    let warnings = reports.iter().map(|r| r.problems.len()).sum::<usize>() - errors;
    let report = JsonCheckReport { files, errors, warnings, unreadable };
    json::print(&report)
}
