//! Several programs, or one with several values of a number, side by side.

use super::analysis::analyse;
use super::{Args, fail};
use crate::input::InputText;
use crate::program::{ProgramArgs, Stop};
use crate::{CommandResult, Failure, Outcome, json, out, progress, render};
use pto::cost::PerfReport;
use pto::cost::view::cycles_text;
use pto::isa::ordered::OrdSet;
use pto::isa::text;
use pto::{Diagnostic, Target};
use serde::Serialize;
use std::sync::atomic::{AtomicU64, Ordering};

const BAR: usize = 40;

#[derive(Serialize)]
struct JsonSweep<'a> {
    variants: &'a [Variant],
}

/// A row of the table.
#[derive(Serialize)]
struct Variant {
    name: String,
    cycles: f64,
    microseconds: f64,
    /// The busiest pipe and the share of time it works.
    busiest: String,
    busy: f64,
    instructions: u64,
}

impl Variant {
    fn new(name: String, report: &PerfReport) -> Self {
        let pipe = report.busiest();
        Self {
            name,
            cycles: report.cycles,
            microseconds: report.micros,
            busiest: pipe.map(|p| p.name()).unwrap_or_default(),
            busy: pipe.map_or(0.0, |p| p.busy / report.cycles.max(1.0)),
            instructions: report.instructions,
        }
    }
}

pub(super) fn run(args: &Args, files: &[ProgramArgs]) -> CommandResult {
    if args.html.is_some() || args.trace.is_some() || args.ascii {
        return Err(Failure(
            text!("--html, --trace and --ascii show one program; leave out --sweep and further files").into(),
        ));
    }
    let sweep = args.sweep.as_deref().map(parse).transpose()?;
    let mut jobs: Vec<(String, ProgramArgs)> = Vec::new();
    for file in files {
        let name = file.file.display().to_string();
        let Some((parameter, values)) = &sweep else {
            jobs.push((name, file.clone()));
            continue;
        };
        for value in values {
            let prefix = if files.len() > 1 { format!("{name} ") } else { String::new() };
            jobs.push((format!("{prefix}{parameter}={value}"), file.with_value(parameter, value)));
        }
    }
    let predicted = progress::watch(jobs.len() as u64, |done| predict_all(args, &jobs, done));
    let (rows, warned) = match predicted {
        Ok(predicted) => predicted,
        Err(Stopped::Unreadable(failure)) => return Err(failure),
        Err(Stopped::Problem(stop, source, target)) => return fail(args, stop, *source, target),
    };
    for (source, warnings) in &warned {
        render::print(source, warnings)?;
    }
    if args.json {
        json::print(&JsonSweep { variants: &rows })?;
    } else {
        out(&table(&rows))?;
    }
    Ok(Outcome::Clean)
}

/// Why there is no prediction.
enum Stopped {
    Unreadable(Failure),
    Problem(Stop, Box<InputText>, Target),
}

/// What is predicted, and what the checks warn about, once for each file.
type Predicted = (Vec<Variant>, Vec<(InputText, Vec<Diagnostic>)>);

fn predict_all(args: &Args, jobs: &[(String, ProgramArgs)], done: &AtomicU64) -> Result<Predicted, Stopped> {
    let (mut rows, mut warned) = (Vec::new(), Vec::new());
    let mut told = OrdSet::new();
    for (name, what) in jobs {
        let (source, program, target) = what.read().map_err(Stopped::Unreadable)?;
        let (report, warnings) = match analyse(args, what, &source, &program, target, false, &AtomicU64::new(0)) {
            Ok(analysis) => (analysis.report, analysis.plan.checked().warnings().to_vec()),
            Err(stop) => return Err(Stopped::Problem(stop, Box::new(source), target)),
        };
        rows.push(Variant::new(name.clone(), &report));
        if told.insert(what.file.clone()) && !warnings.is_empty() {
            warned.push((source, warnings));
        }
        done.fetch_add(1, Ordering::Relaxed);
    }
    Ok((rows, warned))
}

/// `n=64,128,256`
fn parse(text: &str) -> Result<(String, Vec<String>), Failure> {
    let legal = text!("--sweep takes a number and its values: n=64,128,256");
    let (name, values) = text.split_once('=').ok_or_else(|| Failure(legal.into()))?;
    let values: Vec<String> = values.split(',').map(str::to_string).filter(|v| !v.is_empty()).collect();
    if name.is_empty() || values.is_empty() { Err(Failure(legal.into())) } else { Ok((name.to_string(), values)) }
}

fn table(rows: &[Variant]) -> String {
    let width = |of: &dyn Fn(&Variant) -> usize| rows.iter().map(of).max().unwrap_or(0);
    let names = width(&|r| r.name.chars().count()).max(7);
    let cycles = width(&|r| cycles_text(r.cycles).len()).max(6);
    let pipes = width(&|r| r.busiest.len()).max(7);
    let most = rows.iter().map(|r| r.cycles).fold(1.0, f64::max);
    let mut text = format!(
        "\u{1b}[1m{:names$}  {:>cycles$}  {:>9}  {:pipes$}  busy\u{1b}[0m\n",
        "variant", "cycles", "µs", "busiest"
    );
    for row in rows {
        let bar = "█".repeat(((row.cycles / most) * BAR as f64).round() as usize);
        text += &format!(
            "{:names$}  {:>cycles$}  {:>9.1}  {:pipes$}  {:>3.0} %  {bar}\n",
            row.name,
            cycles_text(row.cycles),
            row.microseconds,
            row.busiest,
            row.busy * 100.0
        );
    }
    text
}
