//! `pto race`

mod html;
mod schedule;

use super::check;
use super::input::InputText;
use super::json::{self, JsonDiagnostic};
use super::program::{ProgramArgs, Stop, VALUES_HELP};
use super::progress;
use super::render;
use super::{CommandResult, Failure, Outcome, out};
use crate::counts;
pub(crate) use html::page;
use pto::isa::text;
use pto::isa::{Code, Span, codes};
use pto::race::{self, OrderedBy, Undecided};
use pto::syntax::Lines;
use pto::{Diagnostic, Program, Target};
use schedule::{JsonShaken, Shaken};
use serde::Serialize;
use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = after_help())]
pub(crate) struct Args {
    #[command(flatten)]
    program: ProgramArgs,
    /// Who orders the pipes of a core; default: the program if it has addresses or flags, else the toolchain
    #[arg(long, value_enum)]
    sync: Option<OrderedByArg>,
    /// Also check branches and loops that this data does not take
    #[arg(long)]
    all_paths: bool,
    /// Also execute the program in another legal order, and compare the results
    #[arg(long, value_enum, default_value = "program")]
    schedule: Schedule,
    /// Stop after this many instructions and loop iterations; exit code 3 if nothing was found by then
    #[arg(long, value_name = "INSTRUCTIONS", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Write the findings and the program to an HTML page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// One JSON object on standard output
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum OrderedByArg {
    /// The program: all unordered accesses are reported
    Manual,
    /// The toolchain: the pipes of a core are assumed to be ordered
    Auto,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Schedule {
    /// Only in program order
    Program,
    /// Also with pipes as far apart as legal; --seed selects the order
    Adversarial,
}

const AFTER_HELP: &str = "\
Exit codes: 0 nothing found, 1 findings, 2 wrong usage or unusable data, 3 stopped at --limit with nothing found.

Examples:
  pto race kernel.pto                    run it and report unordered accesses
  pto race kernel.pto --all-paths        also check paths that the data does not take
  pto race kernel.pto --blocks 8         also between blocks
  pto race kernel.pto --schedule adversarial --seed 3    see the wrong number";

fn after_help() -> String {
    format!("{VALUES_HELP}\n\n{AFTER_HELP}")
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let (source, program, target) = args.program.read()?;
    match find(args, &source, &program, target) {
        Ok(RaceResult { report, warnings, shaken }) => {
            if let Some(path) = &args.html {
                html::write(path, &source, target, &report)?;
            }
            if args.json {
                print_json(&source, target, (&report, &warnings), shaken.as_ref())?;
            } else {
                render::print(&source, &warnings)?;
                print_text(&source, target, &report, shaken.as_ref())?;
            }
            let differs = shaken.is_some_and(|s| s.differs());
            let clean = !report.findings.iter().any(Diagnostic::is_error) && !differs;
            Ok(match report.stopped {
                _ if !clean => Outcome::Problems,
                Some(_) => Outcome::Different,
                None => Outcome::Clean,
            })
        }
        Err(Stop::Failure(failure)) => Err(failure),
        Err(Stop::Problems(findings)) => {
            let report = race::RaceReport::of_error(findings.into());
            if args.json {
                print_json(&source, target, (&report, &[]), None)?;
            } else {
                check::print_text(&[check::CheckReport { source, target, problems: report.findings }])?;
            }
            Ok(Outcome::Problems)
        }
    }
}

impl Args {
    fn check<'a>(&self, plan: &'a pto::Plan) -> race::Check<'a> {
        let check = race::Check::new(self.program.launch(plan, 1)).without_results();
        let check = if self.all_paths { check.all_paths() } else { check };
        match self.sync {
            Some(OrderedByArg::Manual) => check.sync(OrderedBy::Manual),
            Some(OrderedByArg::Auto) => check.sync(OrderedBy::Auto),
            None => check,
        }
    }
}

/// What a run showed, what the checks say besides, and what came of another order.
struct RaceResult {
    report: race::RaceReport,
    warnings: Vec<Diagnostic>,
    shaken: Option<Shaken>,
}

/// What the checks warn about, without what the run has found at the same instruction.
fn warnings(plan: &pto::Plan, findings: &[Diagnostic]) -> Vec<Diagnostic> {
    // The checker warns about overlapping operands of every instruction; here they are one finding.
    let kind = |d: &Diagnostic| if d.code == codes::PARTIAL_OVERLAP { codes::ALIASING } else { d.code };
    let found: HashMap<Code, Vec<Span>> = findings.iter().fold(HashMap::new(), |mut all, d| {
        all.entry(kind(d)).or_default().push(d.primary.span);
        all
    });
    let holds = |outer: &Span, inner: Span| outer.start <= inner.start && inner.end <= outer.end;
    let is_found = |d: &Diagnostic| {
        let spans = found.get(&kind(d)).into_iter().flatten();
        spans.into_iter().any(|span| holds(span, d.primary.span) || holds(&d.primary.span, *span))
    };
    plan.checked().warnings().iter().filter(|d| !is_found(d)).cloned().collect()
}

fn find(args: &Args, source: &InputText, program: &Program, target: Target) -> Result<RaceResult, Stop> {
    let mut ready = args.program.ready("race", source, program, target)?;
    let total = ready.measure.work;
    let (plan, mut arguments) = ready.parts();
    let check = args.limit.into_iter().fold(args.check(plan), race::Check::limit);
    let report = progress::watch(total, |counter| check.progress(counter).run(&mut arguments));
    let report = report.with_tried_fixes(program.module(), &source.text, |text, limit| {
        let mut changed = args.program.ready_again(source, &Program::parse(text), target).ok()?;
        let (plan, mut arguments) = changed.parts();
        Some(args.check(plan).limit(limit).run(&mut arguments))
    });
    let warnings = warnings(plan, &report.findings);
    if args.schedule == Schedule::Program {
        return Ok(RaceResult { report, warnings, shaken: None });
    }
    if report.sync == OrderedBy::Auto {
        return Err(schedule::not_manual().into());
    }
    let shaken = schedule::shake(&args.program, source, program, target)?;
    Ok(RaceResult { report, warnings, shaken: Some(shaken) })
}

fn print_text(
    source: &InputText,
    target: Target,
    report: &race::RaceReport,
    shaken: Option<&Shaken>,
) -> Result<(), Failure> {
    render::print(source, &report.findings)?;
    let mut err = crate::host::stderr();
    let lines = Lines::new(&source.text);
    for Undecided { span, reason, .. } in &report.undecided {
        let (name, line) = (&source.name, lines.locate(span.start).0);
        writeln!(err, "{}", text!("{name}:{line}: not decided: {reason}", name, line, reason))?;
    }
    if let Some(shaken) = shaken {
        write!(err, "{}", shaken.text())?;
    }
    let auto = match report.sync {
        OrderedBy::Auto => text!("; it leaves the order of the pipes of a core to the toolchain"),
        OrderedBy::Manual => "",
    };
    if report.unordered && !report.findings.is_empty() {
        let note = text!(
            "the program places its tiles and orders no pipe anywhere; if the toolchain inserts the flags, check it with --sync auto"
        );
        writeln!(err, "{}: {note}", text!("note"))?;
    }
    if let Some(work) = report.stopped {
        let line = text!("stopped after {work} instructions (--limit): what comes after them was not checked", work);
        writeln!(err, "{line}")?;
    }
    let errors = report.findings.iter().filter(|d| d.is_error()).count();
    let warnings = report.findings.len() - errors;
    let found = match (errors, warnings) {
        (0, 0) => text!("no race found").to_string(),
        (_, 0) => counts::findings(errors),
        _ => text!("{errors} and {warnings}", errors = counts::findings(errors), warnings = counts::warnings(warnings)),
    };
    let what = counts::instructions(report.instructions);
    let line = text!("{name}: {found} in {what} for {target}{auto}\n", name = source.name, found, what, target, auto);
    if errors == 0 {
        return out(&line);
    }
    Ok(write!(err, "{line}")?)
}

#[derive(Serialize)]
pub(crate) struct JsonRaceReport<'a> {
    file: &'a str,
    target: &'static str,
    /// `manual`: the program orders its pipes; `auto`: the toolchain will.
    sync: &'static str,
    instructions: u64,
    /// The limit was reached after this many instructions; later ones were not checked.
    stopped: Option<u64>,
    findings: Vec<JsonDiagnostic<'a>>,
    /// What the checks warn about, without what is among the findings.
    diagnostics: Vec<JsonDiagnostic<'a>>,
    /// Branches that could not be followed, and why.
    undecided: Vec<JsonUndecided<'a>>,
    /// How the results of another order differ, where one was asked for.
    schedule: Option<JsonShaken<'a>>,
}

#[derive(Serialize)]
struct JsonUndecided<'a> {
    line: u32,
    reason: &'a str,
}

fn print_json(
    source: &InputText,
    target: Target,
    found: (&race::RaceReport, &[Diagnostic]),
    shaken: Option<&Shaken>,
) -> Result<(), Failure> {
    json::print(&json_report(source, target, found, shaken))
}

pub(crate) fn json_report<'a>(
    source: &'a InputText,
    target: Target,
    (report, warnings): (&'a race::RaceReport, &'a [Diagnostic]),
    shaken: Option<&'a Shaken>,
) -> JsonRaceReport<'a> {
    let lines = Lines::new(&source.text);
    JsonRaceReport {
        file: &source.name,
        target: target.name(),
        sync: if report.sync == OrderedBy::Auto { "auto" } else { "manual" },
        instructions: report.instructions,
        stopped: report.stopped,
        findings: report.findings.iter().map(|d| json::diagnostic(source, &lines, d)).collect(),
        diagnostics: warnings.iter().map(|d| json::diagnostic(source, &lines, d)).collect(),
        undecided: report
            .undecided
            .iter()
            .map(|Undecided { span, reason, .. }| JsonUndecided { line: lines.locate(span.start).0, reason })
            .collect(),
        schedule: shaken.map(Shaken::json),
    }
}
