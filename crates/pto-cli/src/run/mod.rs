//! `pto run`

pub(crate) mod expect;
pub(crate) mod inside;
mod inside_text;
mod json;
mod outputs;
#[cfg(unix)]
mod processes;
mod text;

use super::check;
use super::input::InputText;
use super::program::ranks::options_for_each_rank;
use super::program::{BoundParam, ProgramArgs, Ready, Stop, VALUES_HELP};
use super::render;
use super::{CommandResult, Failure, Outcome, out};
use expect::{Expectation, ToleranceArgs};
use inside::{Inside, InsideReport, ValueAt};
use outputs::Outputs;
use pto::cpu::clock::ClockTime;
use pto::cpu::{RunReport, Timing, Uninitialised};
use pto::data::{Array, Comparison};
use pto::isa::codes;
use pto::syntax::Lines;
use pto::trace::FindKind;
use pto::{Diagnostic, Program, Target};
use std::time::Duration;
pub(crate) use text::{general, table};

#[derive(clap::Args)]
#[command(after_help = after_help())]
pub(crate) struct Args {
    #[command(flatten)]
    program: ProgramArgs,
    /// Write a parameter's memory after the run to a .npy, .npz or .bin file
    #[arg(long, value_name = "NAME=FILE")]
    out: Vec<String>,
    /// Print a parameter's memory after the run, or any value after a line: '%t@33', '%t[0:4, 8:16]@33[iteration=2]'
    #[arg(long, value_name = "VALUE")]
    show: Vec<String>,
    /// Find the instruction that makes a number from operands without such numbers
    #[arg(long, value_name = "KIND", value_delimiter = ',', conflicts_with = "time")]
    find: Vec<FindArg>,
    /// Compare a parameter's memory after the run with what it should be; exit code 3 if it differs
    #[arg(long, value_name = "NAME=VALUE")]
    expect: Vec<String>,
    /// Relative error that --expect allows; default: by element type
    #[arg(long, value_name = "X", requires = "expect", value_parser = tolerance)]
    rtol: Option<f64>,
    /// Absolute error that --expect allows; default: by element type
    #[arg(long, value_name = "X", requires = "expect", value_parser = tolerance)]
    atol: Option<f64>,
    /// Threads to run the blocks on, or the loops of a single block; 0 means one per core. Results do not depend on it
    #[arg(long, value_name = "N", default_value = "0")]
    threads: usize,
    /// Run each rank as a process of its own, with memory that they share
    #[arg(long, requires = "ranks", conflicts_with_all = ["time", "find"])]
    processes: bool,
    /// Initial content of uninitialised memory of cores
    #[arg(long, value_enum, value_name = "WITH", default_value = "zero")]
    uninitialised: Fill,
    /// Make reads of uninitialised tiles an error instead of a warning
    #[arg(long)]
    strict: bool,
    /// Show the time of each instruction of the text
    #[arg(long, conflicts_with = "ranks")]
    time: bool,
    /// One JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// What `--find` looks for.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum FindArg {
    /// Not a number
    Nan,
    /// An infinity
    Inf,
    /// An infinity from finite numbers, or a conversion cut at the largest number
    Overflow,
    /// A number too small to have all its digits
    Subnormal,
    /// A sum or difference that lost most of its digits
    Cancellation,
}

impl From<FindArg> for FindKind {
    fn from(arg: FindArg) -> Self {
        match arg {
            FindArg::Nan => Self::Nan,
            FindArg::Inf => Self::Inf,
            FindArg::Overflow => Self::Overflow,
            FindArg::Subnormal => Self::Subnormal,
            FindArg::Cancellation => Self::Cancellation,
        }
    }
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Fill {
    /// Zeros
    Zero,
    /// NaN; all bits set in integers
    Nan,
}

impl From<Fill> for Uninitialised {
    fn from(fill: Fill) -> Self {
        match fill {
            Fill::Zero => Self::Zero,
            Fill::Nan => Self::Nan,
        }
    }
}

const AFTER_HELP: &str = "\
Exit codes: 0 it ran, 1 problems in the program, 2 wrong usage or unusable data, 3 --expect found differences.

Examples:
  pto run softmax.pto                              random input, a summary of the output
  pto run softmax.pto x=x.npy --out y=y.npy        NumPy in, NumPy out
  pto run softmax.pto x=x.npy --expect y=ref.npy   compare with a reference
  pto run kernel.pto n=64 --show y --time          print a result and the time of each instruction
  pto run kernel.pto --show '%t@33[iteration=2]'   print a tile after line 33, in iteration 2
  pto run kernel.pto --out '%t@33=t.npy'           write it to a file
  pto run kernel.pto --find nan                    name the instruction that makes the first NaN";

fn after_help() -> String {
    format!("{VALUES_HELP}\n\n{AFTER_HELP}")
}

pub(crate) fn tolerance(text: &str) -> Result<f64, String> {
    let number = text.parse().map_err(|_| "not a number".to_string())?;
    if number >= 0.0 { Ok(number) } else { Err(pto::isa::text!("must not be negative").to_string()) }
}

/// A run that is ready to start: its arguments have been validated.
struct PreparedRun {
    run: Ready,
    shown: Vec<usize>,
    inside: Inside,
    outputs: Outputs,
    expected: Vec<Expectation>,
}

/// A run that went through to its end.
struct FinishedRun<'a> {
    args: &'a Args,
    source: &'a InputText,
    target: Target,
    ready: &'a PreparedRun,
    report: RunReport,
    inside: InsideReport,
    elapsed: Duration,
    /// One for each expectation.
    comparisons: Vec<Comparison>,
    lines: Lines,
}

impl FinishedRun<'_> {
    /// How long instructions took, where that was asked for.
    fn timings(&self) -> Option<&[Timing]> {
        self.args.time.then_some(&self.report.timings[..])
    }

    /// What the checks warn about, and what the run noticed.
    fn warnings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.ready.run.plan.checked().warnings().iter().chain(&self.report.notes)
    }
}

pub(crate) fn run(args: &Args) -> CommandResult {
    #[cfg(unix)]
    if let Some(done) = processes::run(args) {
        return done;
    }
    #[cfg(not(unix))]
    if args.processes {
        return Err(Failure(pto::isa::text!("--processes needs a system with POSIX shared memory").to_string()));
    }
    let (source, program, target) = args.program.read()?;
    let problems = match execute(args, &source, &program, target) {
        Ok(outcome) => return Ok(outcome),
        Err(Stop::Failure(failure)) => return Err(failure),
        Err(Stop::Problems(problems)) => problems,
    };
    if args.json {
        super::json::print(&super::json::problems(&source, target, &problems))?;
    } else {
        check::print_text(&[check::CheckReport { source, target, problems }])?;
    }
    Ok(Outcome::Problems)
}

fn execute(args: &Args, source: &InputText, program: &Program, target: Target) -> Result<Outcome, Stop> {
    let mut ready = prepare(args, source, program, target)?;
    let start = ClockTime::now();
    let (report, inside) = match ready.inside.is_wanted() {
        false => {
            (launch(args, &mut ready).map_err(|stop| with_sizes(stop, &ready.run.bound))?, InsideReport::default())
        }
        true => look_inside(args, source, target, &mut ready)?,
    };
    let elapsed = start.elapsed();
    finish(args, source, target, &ready, report, inside, elapsed)
}

/// Writes, compares and reports the results.
fn finish(
    args: &Args,
    source: &InputText,
    target: Target,
    ready: &PreparedRun,
    report: RunReport,
    inside: InsideReport,
    elapsed: Duration,
) -> Result<Outcome, Stop> {
    ready.outputs.write(&ready.run.bound, &inside)?;
    let comparisons = ready.expected.iter().map(|e| e.compare(&ready.run.bound)).collect::<Result<Vec<_>, _>>()?;
    let same = comparisons.iter().all(Comparison::matches);
    let lines = Lines::new(&source.text);
    let finished = FinishedRun { args, source, target, ready, report, inside, elapsed, comparisons, lines };
    if args.json {
        super::json::print(&json::report(&finished)?)?;
    } else {
        let warnings: Vec<Diagnostic> = finished.warnings().cloned().collect();
        render::print(source, &warnings)?;
        out(&text::report(&finished)?)?;
    }
    Ok(if same { Outcome::Clean } else { Outcome::Different })
}

/// Everything before the run, which may take long.
fn prepare(args: &Args, source: &InputText, program: &Program, target: Target) -> Result<PreparedRun, Stop> {
    let mut program_args = args.program.clone();
    program_args.uninitialised = (args.uninitialised.into(), args.strict);
    prepared(args, program_args.ready("run", source, program, target)?)
}

/// Finds what is asked about the results in the arguments of a run.
fn prepared(args: &Args, run: Ready) -> Result<PreparedRun, Stop> {
    let bound = &run.bound;
    let ranks = bound.len() / run.plan.params().len().max(1);
    let [shown, written, expected] =
        [&args.show, &args.out, &args.expect].map(|list| options_for_each_rank(list, ranks.max(1)));
    let (values, names): (Vec<&String>, Vec<&String>) = shown.iter().partition(|text| ValueAt::is_meant(text));
    let shown = names.into_iter().map(|name| memory_named(bound, name)).collect::<Result<_, _>>()?;
    let mut values = values.into_iter().map(|text| ValueAt::parse(text)).collect::<Result<Vec<_>, _>>()?;
    let printed = values.len();
    let outputs = Outputs::new(&written, bound, &mut values)?;
    let inside = Inside { shown: values, printed, kinds: args.find.iter().map(|kind| (*kind).into()).collect() };
    if args.time && inside.is_wanted() {
        return Err(Failure(pto::isa::text!("--time does not go with values inside the run").to_string()).into());
    }
    inside.check_names(&run)?;
    let limits = ToleranceArgs { relative: args.rtol, absolute: args.atol };
    let expected = expected
        .iter()
        .map(|e| Expectation::new(e, bound, limits, run.measure.longest_sum))
        .collect::<Result<_, _>>()?;
    Ok(PreparedRun { run, shown, inside, outputs, expected })
}

fn launch(args: &Args, ready: &mut PreparedRun) -> Result<RunReport, Stop> {
    let work = ready.run.measure.work;
    let (plan, mut arguments) = ready.run.parts();
    let launch = args.program.launch(plan, args.threads);
    if args.time {
        return Ok(launch.timed().run(&mut arguments)?);
    }
    Ok(super::progress::watch(work, |counter| launch.progress(counter).run(&mut arguments))?)
}

/// Runs the program, and looks at values inside the run. Those are printed also if the run fails.
fn look_inside(
    args: &Args,
    source: &InputText,
    target: Target,
    ready: &mut PreparedRun,
) -> Result<(RunReport, InsideReport), Stop> {
    let mut program = args.program.clone();
    program.uninitialised = (args.uninitialised.into(), args.strict);
    let recorded = program.recorded_source(source, target);
    let launched = (program.blocks, program.ranks.map_or(1, |n| n as usize));
    let (ran, inside) = ready.inside.run(&mut ready.run, recorded, launched);
    match ran {
        Ok(report) => Ok((report, inside?)),
        Err(error) => {
            if let (Ok(inside), false) = (&inside, args.json) {
                out(&inside_text::inside(&ready.inside, inside, source, launched)?)?;
            }
            Err(with_sizes(error.into(), &ready.run.bound))
        }
    }
}

/// If memory is too small and the user gave no size, the message shows the inferred size.
fn with_sizes(mut stop: Stop, bound: &[BoundParam]) -> Stop {
    let inferred: Vec<&BoundParam> = bound.iter().filter(|b| b.inferred).collect();
    if let (Stop::Problems(problems), [first, ..]) = (&mut stop, &inferred[..]) {
        let sizes: Vec<String> = inferred.iter().map(|b| format!("{} {}", b.name, text::type_and_shape(b).1)).collect();
        let text = pto::isa::text!(
            "sizes found by following the program: {sizes}; others can be given",
            sizes = sizes.join(", ")
        );
        for problem in problems.iter_mut().filter(|p| p.code == codes::RUN_OUTSIDE) {
            problem.legal.push(format!("{text}: {}=rand:[64x128]", first.name));
        }
    }
    stop
}

/// The parameter of a name, if it is memory.
fn memory_named(bound: &[BoundParam], name: &str) -> Result<usize, Failure> {
    let name = name.strip_prefix('%').unwrap_or(name);
    bound.iter().position(|b| b.name == name && b.is_memory()).ok_or_else(|| {
        let names: Vec<&str> = bound.iter().filter(|b| b.is_memory()).map(|b| &*b.name).collect();
        let legal = if names.is_empty() {
            pto::isa::text!("there is none").to_string()
        } else {
            pto::isa::text!("there are {names}", names = names.join(", "))
        };
        Failure(pto::isa::text!("there is no parameter `{name}` with memory; {legal}", name, legal))
    })
}

/// CRC-32 of the bytes of an array; Python has it as `zlib.crc32(a.tobytes())`.
fn checksum(array: &Array) -> String {
    let of_part = |part: &[u8]| {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(part);
        hasher
    };
    let mut whole = crc32fast::Hasher::new();
    array.in_parts(of_part).iter().for_each(|part| whole.combine(part));
    format!("{:08x}", whole.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pto::isa::DType;

    #[test]
    fn checksums_are_those_of_python() {
        // python3 -c "import numpy as np, zlib; print(hex(zlib.crc32(np.arange(12, dtype=np.int16).tobytes())))"
        assert_eq!(checksum(&Array::iota(DType::I16, &[3, 4]).expect("small")), "b171eaaf");
        let large = Array::random(DType::F32, &[3_000_001], 1).expect("12 MB");
        assert_eq!(checksum(&large), format!("{:08x}", crc32fast::hash(large.bytes())));
    }
}
