//! `pto perf`

mod accuracy;
mod analysis;
mod network;
mod variants;

use super::check;
use super::files;
use super::json;
use super::program::{ProgramArgs, Stop, VALUES_HELP};
use super::progress;
use super::{CommandResult, Failure, Outcome, out};
use analysis::{Analysis, STAGES, analyse};
use network::LinkArgs;
use pto::cost::{Model, view};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = after_help())]
pub(crate) struct Args {
    #[command(flatten)]
    program: Option<ProgramArgs>,
    /// Compare the laws with every measured point, instead of predicting a program
    #[arg(long, exclusive = true)]
    accuracy: bool,
    /// Cost model: laws fitted to measurements, or the figures of the instruction pages if any
    #[arg(long, value_enum, default_value = "calibrated")]
    model: ModelArg,
    /// Number of cores; default: as many as the target has
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    cores: Option<u32>,
    #[command(flatten)]
    links: LinkArgs,
    /// Write a trace that Perfetto (ui.perfetto.dev) and Chrome open
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Write a page with a zoomable timeline
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Draw the timeline in the terminal
    #[arg(long, conflicts_with = "json")]
    ascii: bool,
    /// Predict for several values of a scalar: n=64,128,256
    #[arg(long, value_name = "NAME=A,B,…")]
    sweep: Option<String>,
    /// One JSON object on standard output
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum ModelArg {
    /// Laws fitted to measurements
    Calibrated,
    /// The figures of the instruction pages
    Documented,
}

impl From<ModelArg> for Model {
    fn from(arg: ModelArg) -> Self {
        match arg {
            ModelArg::Calibrated => Self::Calibrated,
            ModelArg::Documented => Self::Documented,
        }
    }
}

const AFTER_HELP: &str = "\
Exit codes: 0 predicted, 1 problems in the program, 2 wrong usage or unusable data.

Examples:
  pto perf kernel.pto --target a2a3                  cycles, bottleneck, suggested changes
  pto perf kernel.pto --html report.html             timeline in a browser
  pto perf kernel.pto --blocks 24 --ascii            on 24 cores, in the terminal
  pto perf kernel.pto --sweep n=64,128,256           a table of variants
  pto perf a.pto b.pto                               compare several files
  pto perf ring.pto --ranks 1024 next=x@{rank+1}     1024 ranks, from a few of them
  pto perf ring.pto --ranks 16 --link roce           every rank behind one kind of link
  pto perf --accuracy                                compare the laws with every measured point";

fn after_help() -> String {
    format!("{VALUES_HELP}\n\n{AFTER_HELP}")
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let Some(what) = args.program.as_ref().filter(|_| !args.accuracy) else {
        return accuracy::run();
    };
    let files = what.for_each_file();
    if files.len() > 1 || args.sweep.is_some() {
        return variants::run(args, &files);
    }
    let (source, program, target) = what.read()?;
    let predicted = progress::watch(STAGES, |done| analyse(args, what, &source, &program, target, true, done));
    match predicted {
        Ok(analysis) => {
            show(args, &analysis)?;
            Ok(Outcome::Clean)
        }
        Err(stop) => fail(args, stop, source, target),
    }
}

/// Reports why there is no prediction.
fn fail(args: &Args, stop: Stop, source: super::input::InputText, target: pto::Target) -> CommandResult {
    let problems = match stop {
        Stop::Failure(failure) => return Err(failure),
        Stop::Problems(problems) => problems,
    };
    if args.json {
        json::print(&json::problems(&source, target, &problems))?;
    } else {
        check::print_text(&[check::CheckReport { source, target, problems }])?;
    }
    Ok(Outcome::Problems)
}

fn show(args: &Args, analysis: &Analysis<'_>) -> Result<(), Failure> {
    let names = analysis.names();
    let shown = analysis.shown(&names);
    // The view writes the JSON object; warnings are not part of it.
    super::render::print(analysis.source, analysis.plan.checked().warnings())?;
    if args.json {
        out(&(json::with_version(&view::data(&shown)) + "\n"))?;
    } else {
        out(&format!("\u{1b}[1m{}\u{1b}[0m on {}: ", analysis.plan.name(), analysis.target))?;
        out(&view::summary(&shown))?;
    }
    if args.ascii {
        out(&format!("\n{}", view::swimlanes(&shown, super::render::columns().unwrap_or(110))))?;
    }
    if let Some(path) = &args.trace {
        files::write_report(path, &view::chrome_trace(&shown))?;
    }
    if let Some(path) = &args.html {
        files::write_report(path, &view::page(&shown))?;
    }
    Ok(())
}
