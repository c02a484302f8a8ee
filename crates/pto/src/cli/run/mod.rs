//! `pto run`

mod bind;
mod expect;
mod json;
mod memory;
mod outputs;
mod progress;
mod ranks;
mod spec;
mod text;

use super::check::{self, parse_target};
use super::input::{self, Source};
use super::{Failure, Outcome, Run, out};
use bind::{Bound, Request};
use expect::{Expectation, Limits};
use outputs::Outputs;
use pto::cpu::{Launch, Measure, Numerics, Options, Plan, Report, Timing};
use pto::data::{Comparison, Error};
use pto::isa::codes;
use pto::syntax::Lines;
use pto::{Diagnostic, Program, Target};
use spec::Spec;
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// A program, or `-` for standard input
    file: PathBuf,
    /// Values of parameters, by name (`x=data.npy`) or in order
    #[arg(value_name = "[NAME=]VALUE", allow_negative_numbers = true)]
    values: Vec<String>,
    /// The same as a value without `--arg`
    #[arg(long = "arg", value_name = "[NAME=]VALUE", allow_negative_numbers = true)]
    more: Vec<String>,
    /// Write a parameter's memory after the run to a .npy, .npz or .bin file
    #[arg(long, value_name = "NAME=FILE")]
    out: Vec<String>,
    /// Print a parameter's memory after the run
    #[arg(long, value_name = "NAME")]
    show: Vec<String>,
    /// Compare a parameter's memory after the run with what it should be; exit code 3 if it differs
    #[arg(long, value_name = "NAME=VALUE")]
    expect: Vec<String>,
    /// Relative error that --expect allows; default: by element type
    #[arg(long, value_name = "X", requires = "expect", value_parser = tolerance)]
    rtol: Option<f64>,
    /// Absolute error that --expect allows; default: by element type
    #[arg(long, value_name = "X", requires = "expect", value_parser = tolerance)]
    atol: Option<f64>,
    /// Function to run, whatever is wrong with others; default: the one marked pto.entry, or the only one
    #[arg(long, value_name = "NAME")]
    func: Option<String>,
    /// Target to check and run for; default: what the file says (pto.target_arch), else a2a3
    #[arg(long, value_parser = parse_target)]
    target: Option<Target>,
    /// Whose arithmetic, where devices differ from the documented rules
    #[arg(long, value_enum, default_value = "reference")]
    numerics: NumericsArg,
    /// Blocks to launch
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    blocks: u32,
    /// Threads that share the blocks; 0 means one for each core. Results do not depend on it
    #[arg(long, value_name = "N", default_value = "0")]
    threads: usize,
    /// Ranks to run at once, each with its own memory; `x@1` names the memory of `x` on rank 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64), conflicts_with = "time")]
    ranks: Option<u32>,
    /// Seed of random data
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// Say how long each instruction of the text took
    #[arg(long)]
    time: bool,
    /// One JSON object on standard output
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Values: FILE.npy, FILE.npz:KEY, FILE.bin (raw), rand, zeros, ones, iota, fill:1.5; with a shape where the program does \
not say it: rand:[64x128]. Scalars are numbers: n=64, scale=-1.5e3, flag=true. Memory without a value is random (zero if it is only written), as large \
as the program needs.

Exit codes: 0 it ran, 1 problems in the program, 2 wrong usage or unusable data, 3 --expect found differences.

Examples:
  pto run softmax.pto                              random input, a summary of the output
  pto run softmax.pto x=x.npy --out y=y.npy        NumPy in, NumPy out
  pto run softmax.pto x=x.npy --expect y=ref.npy   compare with a reference
  pto run kernel.pto n=64 --show y --time          print a result; where the time goes";

fn tolerance(text: &str) -> Result<f64, String> {
    let number = text.parse().map_err(|_| "not a number".to_string())?;
    if number >= 0.0 { Ok(number) } else { Err("must not be negative".to_string()) }
}

impl Args {
    fn launch(&self) -> Launch {
        Launch { blocks: self.blocks, threads: self.threads }
    }
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum NumericsArg {
    /// The documented rules
    Reference,
    /// As Ascend A2/A3 computes
    A2a3,
    /// As Ascend A5 computes
    A5,
}

impl From<NumericsArg> for Numerics {
    fn from(arg: NumericsArg) -> Self {
        match arg {
            NumericsArg::Reference => Self::Reference,
            NumericsArg::A2a3 => Self::A2A3,
            NumericsArg::A5 => Self::A5,
        }
    }
}

/// Why there is no result.
enum Stop {
    /// The usage, the data or the machine.
    Failure(Failure),
    /// The program.
    Problems(Vec<Diagnostic>),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failure(Failure(error.to_string()))
    }
}

impl From<Diagnostic> for Stop {
    fn from(problem: Diagnostic) -> Self {
        Self::Problems(vec![problem])
    }
}

/// A run that is ready to start: whatever can be wrong with the arguments has been found.
struct Prepared {
    plan: Plan,
    bound: Vec<Bound>,
    measure: Measure,
    shown: Vec<usize>,
    outputs: Outputs,
    expected: Vec<Expectation>,
}

/// A run that went through to its end.
struct Finished<'a> {
    args: &'a Args,
    file: &'a str,
    target: Target,
    ready: &'a Prepared,
    report: Report,
    elapsed: Duration,
    timings: Option<Vec<Timing>>,
    /// One for each expectation.
    comparisons: Vec<Comparison>,
    lines: Lines,
}

pub(crate) fn run(args: &Args) -> Run {
    let source = input::read(&args.file)?;
    let program = Program::parse(&source.text);
    let target = args.target.or_else(|| program.stated_target()).unwrap_or(Target::A2A3);
    let problems = match execute(args, &source, &program, target) {
        Ok(outcome) => return Ok(outcome),
        Err(Stop::Failure(failure)) => return Err(failure),
        Err(Stop::Problems(problems)) => problems,
    };
    if args.json {
        print_json(&json::problems(&source, target, &problems))?;
    } else {
        check::print_text(&[check::Report { source, target, problems }])?;
    }
    Ok(Outcome::Problems)
}

fn execute(args: &Args, source: &Source, program: &Program, target: Target) -> Result<Outcome, Stop> {
    if let Some(problem) = &source.unreadable {
        return Err(problem.clone().into());
    }
    let mut ready = prepare(args, program, target)?;
    let start = Instant::now();
    let (report, timings) = launch(args, &mut ready).map_err(|stop| with_sizes(stop, &ready.bound))?;
    let elapsed = start.elapsed();
    ready.outputs.write(&ready.bound)?;
    let comparisons = ready.expected.iter().map(|e| e.compare(&ready.bound)).collect::<Result<Vec<_>, _>>()?;
    let same = comparisons.iter().all(Comparison::matches);
    let (file, lines) = (&*source.name, Lines::new(&source.text));
    let finished = Finished { args, file, target, ready: &ready, report, elapsed, timings, comparisons, lines };
    if args.json {
        print_json(&json::report(&finished)?)?;
    } else {
        out(&text::report(&finished)?)?;
    }
    Ok(if same { Outcome::Clean } else { Outcome::Different })
}

/// Everything before the run, which may take long.
fn prepare(args: &Args, program: &Program, target: Target) -> Result<Prepared, Stop> {
    let options = Options { numerics: args.numerics.into(), ..Options::default() };
    let plan = program.plan(target, args.func.as_deref(), options).map_err(Stop::Problems)?;
    note_other_functions(args, program, target);
    let specs: Vec<Spec> = args.values.iter().chain(&args.more).map(|text| Spec::parse(text)).collect();
    let command = match &args.func {
        Some(name) => format!("pto run {} --func {name}", args.file.display()),
        None => format!("pto run {}", args.file.display()),
    };
    let request = Request { command: &command, specs: &specs, seed: args.seed, launch: args.launch(), rank: None };
    let (bound, measure) = match args.ranks {
        Some(count) => ranks::bind_all(&plan, &request, count as usize)?,
        None => bind::bind(&plan, &request)?,
    };
    let shown = args.show.iter().map(|name| memory_named(&bound, name)).collect::<Result<_, _>>()?;
    let outputs = Outputs::new(&args.out, &bound)?;
    let limits = Limits { relative: args.rtol, absolute: args.atol };
    let expected = args.expect.iter().map(|e| Expectation::new(e, &bound, limits)).collect::<Result<_, _>>()?;
    Ok(Prepared { plan, bound, measure, shown, outputs, expected })
}

/// A function runs whatever is wrong with others, but not in silence.
fn note_other_functions(args: &Args, program: &Program, target: Target) {
    if args.func.is_none() {
        return;
    }
    let errors = program.inspect(target).iter().filter(|d| d.is_error()).count();
    if errors > 0 {
        let noun = if errors == 1 { "error" } else { "errors" };
        let file = args.file.display();
        anstream::eprintln!(
            "\u{1b}[1mnote\u{1b}[0m: {errors} {noun} in functions that do not take part (pto check {file})"
        );
    }
}

fn launch(args: &Args, ready: &mut Prepared) -> Result<(Report, Option<Vec<Timing>>), Stop> {
    if args.ranks.is_some() {
        return Ok((run_ranks(args, ready)?, None));
    }
    let mut arguments: Vec<_> = ready.bound.iter_mut().map(Bound::arg).collect();
    if args.time {
        let (report, timings) = ready.plan.run_timed(&mut arguments, args.launch())?;
        return Ok((report, Some(timings)));
    }
    let work = |counter: &_| ready.plan.run_watched(&mut arguments, args.launch(), counter).map_err(Stop::from);
    Ok((progress::watch(ready.measure.instructions, work)?, None))
}

fn run_ranks(args: &Args, ready: &mut Prepared) -> Result<Report, Stop> {
    let count = ready.plan.params().len().max(1);
    let mut ranks: Vec<Vec<_>> =
        ready.bound.chunks_mut(count).map(|rank| rank.iter_mut().map(Bound::arg).collect()).collect();
    let reports = ready.plan.run_ranks(&mut ranks, args.launch())?;
    let instructions = reports.first().map_or(0, |r| r.instructions);
    let printed = reports.first().map_or_else(Vec::new, |r| r.printed.clone());
    Ok(Report { written: reports.into_iter().flat_map(|r| r.written).collect(), instructions, printed })
}

/// Where memory is too small and nobody said how large it should be, the message says what was guessed.
fn with_sizes(mut stop: Stop, bound: &[Bound]) -> Stop {
    let inferred: Vec<&Bound> = bound.iter().filter(|b| b.inferred).collect();
    if let (Stop::Problems(problems), [first, ..]) = (&mut stop, &inferred[..]) {
        let sizes: Vec<String> = inferred.iter().map(|b| format!("{} {}", b.name, text::type_and_shape(b).1)).collect();
        let text = format!("sizes found by following the program: {}; others can be given", sizes.join(", "));
        for problem in problems.iter_mut().filter(|p| p.code == codes::RUN_OUTSIDE) {
            problem.legal.push(format!("{text}: {}=rand:[64x128]", first.name));
        }
    }
    stop
}

/// The parameter of a name, if it is memory.
fn memory_named(bound: &[Bound], name: &str) -> Result<usize, Failure> {
    let name = name.strip_prefix('%').unwrap_or(name);
    bound.iter().position(|b| b.name == name && b.is_memory()).ok_or_else(|| {
        let names: Vec<&str> = bound.iter().filter(|b| b.is_memory()).map(|b| &*b.name).collect();
        let legal =
            if names.is_empty() { "there is none".to_string() } else { format!("there are {}", names.join(", ")) };
        Failure(format!("there is no parameter `{name}` with memory; {legal}"))
    })
}

fn print_json(object: &impl serde::Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(object).map_err(|e| Failure(e.to_string()))?;
    out(&(text + "\n"))
}
