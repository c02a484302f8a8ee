//! `pto reduce`

mod command;
mod diff;
mod fault;
mod findings;
mod interrupt;
mod values;

use super::check;
use super::files;
use super::input::InputText;
use super::program::memory::npz_key;
use super::program::spec::DataSource;
use super::program::{ProgramArgs, Stop, VALUES_HELP};
use super::progress;
use super::{CommandResult, Failure, Outcome, json, warn};
use command::ShellCondition;
use fault::{KeepCondition, KeptFault, parameter_names};
use pto::data::{npy, npz};
use pto::isa::sort::SharedSort;
use pto::isa::{Span, codes, text};
use pto::reduce::{Candidate, Interesting, NotInteresting, Reduced, Reducer, Standing};
use pto::{Diagnostic, Program, Target};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use values::GivenValues;

#[derive(clap::Args)]
#[command(after_help = after_help(), group(clap::ArgGroup::new("condition").required(true).args(["still", "keeps"])))]
pub(crate) struct Args {
    #[command(flatten)]
    program: ProgramArgs,
    /// The fault to keep: the id of a diagnostic or finding, `nan`, or `diff`
    #[arg(long, value_name = "FAULT")]
    keeps: Option<String>,
    /// Shell command that succeeds while the fault is there; `{}` is the file of the candidate
    #[arg(long = "while", value_name = "COMMAND")]
    still: Option<String>,
    /// Seconds after which the command of --while counts as failed
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    /// With `--keeps diff`: a reference FILE.pto, or another way to run the same program: lowered, adversarial, uninitialised, a2a3, a5
    #[arg(long, value_name = "REFERENCE", conflicts_with = "still")]
    against: Option<String>,
    /// With `--keeps diff`: what a parameter's memory should be after the run
    #[arg(long, value_name = "NAME=VALUE", conflicts_with_all = ["still", "against"])]
    expect: Vec<String>,
    /// Relative error that is no difference; default: by element type
    #[arg(long, value_name = "X", value_parser = super::run::tolerance)]
    rtol: Option<f64>,
    /// Absolute error that is no difference; default: by element type
    #[arg(long, value_name = "X", value_parser = super::run::tolerance)]
    atol: Option<f64>,
    /// Look for findings on all paths, as `pto race --all-paths` does
    #[arg(long)]
    all_paths: bool,
    /// Candidates to try at a time; default: 2, and 1 with --while. The result does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    threads: Option<u8>,
    /// Output file; `-` is standard output. It has the best program so far at any time
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// One JSON object on standard output, with the program
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Exit codes: 0 done, 1 the program does not have the fault, or other problems in it, 2 wrong usage or an I/O error.

Examples:
  pto reduce k.pto --keeps PTO-E0802 -o small.pto      the same race in a small program
  pto reduce k.pto n=1000 --keeps nan                  the instructions that make the NaN, and a smaller n
  pto reduce k.pto --keeps diff --against lowered      a program that `pto lower` changes
  pto reduce k.pto --while 'pto emit cpp {} -o - | grep -q TADDC'    anything else";

fn after_help() -> String {
    format!("{VALUES_HELP}\n\n{AFTER_HELP}")
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let wanted = KeepCondition::new(args)?;
    let (source, program, target) = args.program.read()?;
    files::check(&args.output)?;
    let problems = match reduce(args, &wanted, &source, &program, target) {
        Ok(()) => return Ok(Outcome::Clean),
        Err(Stop::Failure(failure)) => return Err(failure),
        Err(Stop::Problems(problems)) => problems,
    };
    if args.json {
        json::print(&json::problems(&source, target, &problems))?;
    } else {
        check::print_text(&[check::CheckReport { source, target, problems }])?;
    }
    Ok(Outcome::Problems)
}

fn reduce(
    args: &Args,
    wanted: &KeepCondition,
    source: &InputText,
    program: &Program,
    target: Target,
) -> Result<(), Stop> {
    if let Some(problem) = &source.unreadable {
        return Err(problem.clone().into());
    }
    let start = Instant::now();
    match wanted {
        KeepCondition::Command(line) => {
            let condition = ShellCondition::new(line, source, Duration::from_secs(args.timeout))?;
            let job = Reduction { args, source, target, start, values: GivenValues::default(), companion: None };
            let message = text!("the command of --while fails for the program as it is");
            let help = text!("run the command by hand to see why");
            job.run(&condition, &|| Diagnostic::new(codes::NO_FAULT, Span::default(), message).help(help))
        }
        KeepCondition::Fault(what) => {
            let fault = KeptFault::new(args, what, source, program, target)?;
            let job = Reduction { args, source, target, start, values: fault.values(), companion: fault.companion() };
            job.run(&fault, &|| fault.missing())
        }
    }
}

/// The problem that there is nothing to keep.
fn no_fault(message: impl Into<String>, found: &[Diagnostic]) -> Diagnostic {
    let mut ids: Vec<String> = found.iter().map(|d| d.code.id()).collect();
    ids.shared_sort();
    ids.dedup();
    let problem = Diagnostic::new(codes::NO_FAULT, Span::default(), message)
        .help(text!("give the values, blocks, seed and target with which it occurs"));
    match &ids[..] {
        [] => problem,
        ids => problem.legal(text!("found instead: {ids}", ids = ids.join(", "))),
    }
}

/// What is reduced, and where the result goes.
struct Reduction<'a> {
    args: &'a Args,
    source: &'a InputText,
    target: Target,
    start: Instant,
    values: GivenValues,
    companion: Option<String>,
}

impl Reduction<'_> {
    fn run(&self, condition: &dyn Interesting, missing: &dyn Fn() -> Diagnostic) -> Result<(), Stop> {
        let interrupt = interrupt::Interrupt::new();
        let standing = Mutex::new(None::<(usize, usize, usize)>);
        let failed: Mutex<Option<Failure>> = Mutex::new(None);
        let watch = |now: &Standing<'_>| {
            let best = now.best;
            *lock(&standing) = Some((best.before.operations, best.after.operations, best.tried));
            if now.is_new
                && !files::is_stdout(&self.args.output)
                && let Err(failure) = files::write(&self.args.output, best.text.as_bytes())
            {
                *lock(&failed) = Some(failure);
            }
        };
        let stop = || interrupt.is_asked() || lock(&failed).is_some();
        let threads = self.args.threads.unwrap_or(if self.args.still.is_some() { 1 } else { 2 });
        let mut reducer = Reducer::new(self.source.text.clone(), self.target)
            .inputs(self.values.inputs())
            .threads(threads.into())
            .watch(&watch)
            .stop_when(&stop);
        if let Some(text) = &self.companion {
            reducer = reducer.companion(text.clone());
        }
        let line = |elapsed: Duration| progress_line(*lock(&standing), elapsed);
        let done = progress::show(line, || reducer.run(condition));
        if let Some(failure) = lock(&failed).take() {
            return Err(failure.into());
        }
        match done {
            Ok(reduced) => Ok(self.print(&reduced)?),
            Err(NotInteresting) => Err(missing().into()),
        }
    }

    fn print(&self, reduced: &Reduced) -> Result<(), Failure> {
        let to_stdout = files::is_stdout(&self.args.output);
        if !(to_stdout && self.args.json) {
            files::write(&self.args.output, reduced.text.as_bytes())?;
        }
        if let Some(companion) = &reduced.companion {
            self.write_companion(companion)?;
        }
        let values = self.write_arrays(reduced)?;
        if self.args.json {
            return json::print(&self.json(reduced));
        }
        let (before, after, tried) = (reduced.before.operations, reduced.after.operations, reduced.tried);
        let seconds = format!("{:.1}", self.start.elapsed().as_secs_f64());
        if reduced.stopped {
            warn(text!("stopped: this is the best program so far"));
        }
        let params = parameter_names(Program::parse(&reduced.text).module());
        let inputs = values.text(&reduced.inputs, &params);
        if !inputs.is_empty() {
            warn(&text!("inputs: {inputs}", inputs));
        }
        warn(&text!(
            "{before} operations before, {after} after; {tried} candidates in {seconds} s",
            before,
            after,
            tried,
            seconds
        ));
        Ok(())
    }

    /// Arrays of which the result needs only a part go beside it; returns the values with their names.
    fn write_arrays(&self, reduced: &Reduced) -> Result<GivenValues, Failure> {
        let mut values = self.values.clone();
        if files::is_stdout(&self.args.output) {
            return Ok(values);
        }
        let program = Program::parse(&reduced.text);
        let args = values.args(&self.args.program, &reduced.inputs, &parameter_names(program.module()));
        let Ok(ready) = args.ready_again(self.source, &program, self.target) else { return Ok(values) };
        for param in &ready.bound {
            let (Some(file), Ok(Some(array))) = (values.file(&param.name), param.data()) else { continue };
            let old = match file {
                DataSource::Npy(path) => npy::read_file(&path).map(|a| a.shape().to_vec()),
                DataSource::Npz(path, key) => {
                    npz::read_file(&path, npz_key(&path, key.as_deref(), &param.name)).map(|a| a.shape().to_vec())
                }
                _ => continue,
            };
            if old.is_ok_and(|shape| shape != array.shape()) {
                let path = self.args.output.with_extension(format!("{}.npy", param.name));
                let mut bytes = Vec::new();
                npy::write(&array, &mut bytes)?;
                files::write(&path, &bytes)?;
                values.set_file(&param.name, &path);
            }
        }
        Ok(values)
    }

    /// The reference goes beside the result if its sizes changed.
    fn write_companion(&self, text: &str) -> Result<(), Failure> {
        if self.companion.as_deref() == Some(text) || files::is_stdout(&self.args.output) {
            return Ok(());
        }
        let path = self.args.output.with_extension("reference.pto");
        files::write_report(&path, text)
    }

    fn json<'r>(&'r self, reduced: &'r Reduced) -> JsonReduced<'r> {
        JsonReduced {
            file: &self.source.name,
            target: self.target.name(),
            operations_before: reduced.before.operations,
            operations: reduced.after.operations,
            candidates: reduced.tried,
            stopped: reduced.stopped,
            inputs: reduced.inputs.iter().map(|i| JsonInput { name: &i.name, value: i.value }).collect(),
            program: &reduced.text,
            reference: reduced.companion.as_deref(),
            seconds: self.start.elapsed().as_secs_f64(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// `37 of 512 operations  140 candidates  3 s`
fn progress_line(standing: Option<(usize, usize, usize)>, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    match standing {
        Some((before, after, tried)) => {
            text!("{after} of {before} operations  {tried} candidates  {seconds} s", after, before, tried, seconds)
        }
        None => text!("first run  {seconds} s", seconds),
    }
}

#[derive(Serialize)]
struct JsonReduced<'a> {
    file: &'a str,
    target: &'static str,
    operations_before: usize,
    operations: usize,
    candidates: usize,
    /// It was interrupted: the program is the best one so far.
    stopped: bool,
    /// Numbers of the command line, with their new values.
    inputs: Vec<JsonInput<'a>>,
    program: &'a str,
    /// The reference of `--against` with the sizes of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<&'a str>,
    seconds: f64,
}

#[derive(Serialize)]
struct JsonInput<'a> {
    name: &'a str,
    value: i64,
}

/// The program of a candidate.
fn program_of(candidate: &Candidate<'_>) -> Program {
    match candidate.checked {
        Some(checked) => Program::of_module(checked.module().clone()),
        None => Program::parse(candidate.text),
    }
}
