//! `pto diff`

mod arguments;
mod arrays;
mod json;
mod sides;
mod text;

use super::check::{self, target_parser};
use super::program::{NumericsArg, ProgramArgs, Stop, VALUES_HELP};
use super::run::tolerance;
use super::trace::byte_count;
use super::{CommandResult, Failure, Outcome, out, progress, render};
use pto::data::Tolerance;
use pto::trace::{self, AllowedError, DiffOptions, DiffReport, Recording};
use pto::{Diagnostic, Target};
use sides::{DiffSide, RecordedSides};
use std::path::PathBuf;
use std::sync::atomic::Ordering;

#[derive(clap::Args)]
#[command(after_help = after_help())]
pub(crate) struct Args {
    #[command(flatten)]
    program: ProgramArgs,
    /// Run on the first target and on the second
    #[arg(long, value_name = "A,B", value_delimiter = ',', value_parser = target_parser(), ignore_case = true, conflicts_with = "target")]
    targets: Vec<Target>,
    /// Run with the arithmetic of the first and of the second
    #[arg(long, value_name = "A,B", value_delimiter = ',', value_enum, conflicts_with = "numerics")]
    numerics_of: Vec<NumericsArg>,
    /// Run with fast kernels, and again with plain ones, element by element
    #[arg(long)]
    levels: bool,
    /// Run the program, and what `pto lower` makes of it
    #[arg(long)]
    lowered: bool,
    /// Compare with arrays: t is what %t held last, t@33 what line 33 wrote, `t@33[iteration=2]` in one iteration
    #[arg(long, value_name = "FILE.npz", conflicts_with_all = ["targets", "numerics_of", "levels", "lowered"])]
    against: Option<PathBuf>,
    /// Relative error to allow; default: by element type
    #[arg(long, value_name = "X", value_parser = tolerance)]
    rtol: Option<f64>,
    /// Absolute error to allow; default: by element type
    #[arg(long, value_name = "X", value_parser = tolerance)]
    atol: Option<f64>,
    /// Every bit counts; NaN equals NaN
    #[arg(long, conflicts_with_all = ["rtol", "atol"])]
    exact: bool,
    /// End each recording at this size; K, M and G may follow the number
    #[arg(long, value_name = "BYTES", default_value = "1G", value_parser = byte_count)]
    limit: u64,
    /// One JSON object on standard output
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
The first program, target or arithmetic is what the second should be. Both get the same data, by the names of parameters, else by position.

Exit codes: 0 no difference, 1 problems in a program, 2 wrong usage or unusable data, 3 differences.

Examples:
  pto diff good.pto changed.pto x=x.npy        two programs on the same data
  pto diff k.pto --targets a2a3,a5             one program on two targets
  pto diff k.pto --numerics-of reference,a5    the documented rules and a device
  pto diff k.pto --lowered --exact             before and after pto lower
  pto diff k.pto x=x.npy --against ref.npz     intermediate results of another implementation
  pto diff good.ptotrace bad.ptotrace          two recordings";

fn after_help() -> String {
    format!("{VALUES_HELP}\n\n{AFTER_HELP}")
}

/// What was compared, and what was found.
struct FinishedDiff<'a> {
    /// The names of both sides, and their sources.
    sides: &'a [DiffSide],
    recordings: &'a [Recording],
    report: &'a DiffReport,
    exact: bool,
}

impl FinishedDiff<'_> {
    /// How each run failed, if it did.
    fn failures(&self) -> impl Iterator<Item = (&DiffSide, &Diagnostic)> {
        self.sides.iter().zip(self.recordings).filter_map(|(side, r)| Some((side, r.outcome()?)))
    }

    /// A line of a program, without the blanks around it.
    fn line(&self, side: usize, line: u32) -> &str {
        let text = self.sides.get(side).map_or("", |s| &s.source.text);
        line.checked_sub(1).and_then(|at| text.lines().nth(at as usize)).unwrap_or("").trim()
    }
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let arrays = args.against.as_deref().map(arrays::read).transpose()?;
    let sides = sides::of(args)?;
    let recorded = match sides::record(args, sides) {
        Ok(recorded) => recorded,
        Err((_, Stop::Failure(failure))) => return Err(failure),
        Err((side, Stop::Problems(problems))) => return problems_of(args, *side, problems),
    };
    let report = compare(args, &recorded, arrays.as_deref())?;
    let RecordedSides { sides, recordings, .. } = &recorded;
    let finished = FinishedDiff { sides, recordings, report: &report, exact: args.exact };
    let failed = finished.failures().count() > 0;
    if args.json {
        super::json::print(&json::report(&finished))?;
    } else {
        for (side, failure) in finished.failures() {
            render::print(&side.source, std::slice::from_ref(failure))?;
        }
        out(&text::report(&finished))?;
    }
    Ok(match (report.matches(), failed) {
        (false, _) => Outcome::Different,
        (true, true) => Outcome::Problems,
        (true, false) => Outcome::Clean,
    })
}

fn problems_of(args: &Args, side: DiffSide, problems: Vec<Diagnostic>) -> CommandResult {
    let DiffSide { source, target, .. } = side;
    if args.json {
        super::json::print(&super::json::problems(&source, target, &problems))?;
    } else {
        check::print_text(&[check::CheckReport { source, target, problems }])?;
    }
    Ok(Outcome::Problems)
}

fn compare(args: &Args, recorded: &RecordedSides, arrays: Option<&[trace::NamedArray]>) -> Result<DiffReport, Failure> {
    let allowed = |dtype, size| {
        let usual = Tolerance::of_sums(dtype, recorded.longest_sum, size);
        AllowedError { relative: args.rtol.unwrap_or(usual.relative), absolute: args.atol.unwrap_or(usual.absolute) }
    };
    let options = DiffOptions { exact: args.exact, allowed: &allowed };
    let [a, others @ ..] = &recorded.recordings[..] else { return Err(Failure(String::new())) };
    progress::watch(a.len() as u64, |counter| {
        let mut told = |done, _| counter.store(done, Ordering::Relaxed);
        match (arrays, others) {
            (Some(arrays), _) => trace::against(a, arrays, &options, &mut told).map_err(Failure),
            (None, [b, ..]) => Ok(trace::diff(a, b, &options, &mut told)),
            (None, []) => Err(Failure(pto::isa::text!("there is nothing to compare with").to_string())),
        }
    })
}
