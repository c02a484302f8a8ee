//! A program and its arguments, for every command that executes one.

mod bind;
pub(crate) mod memory;
pub(crate) mod ranks;
pub(crate) mod recorded;
pub(crate) mod spec;

use super::check::target_parser;
use super::input::{self, InputText};
use super::{Failure, warn};
use bind::BindRequest;
pub(crate) use bind::{ArgContent, BoundParam};
use pto::cost::FollowedRank;
use pto::cpu::{Arg, Known, Launch, Measure, Numerics, Plan, Uninitialised};
use pto::data::DataError;
use pto::isa::text;
use pto::{Diagnostic, Program, Target};
use spec::Spec;
use std::path::PathBuf;

/// What to execute, and on what.
#[derive(Clone, clap::Args)]
pub(crate) struct ProgramArgs {
    /// A program, or `-` for standard input
    pub(crate) file: PathBuf,
    /// Values of parameters, by name (`x=data.npy`) or in order
    #[arg(value_name = "[NAME=]VALUE", allow_negative_numbers = true)]
    values: Vec<String>,
    /// Same as a positional value
    #[arg(long = "arg", value_name = "[NAME=]VALUE", allow_negative_numbers = true)]
    more: Vec<String>,
    /// Function to run, regardless of errors in others; default: the one marked pto.entry, or the only one
    #[arg(long, value_name = "NAME")]
    pub(crate) func: Option<String>,
    /// Target; default: pto.target_arch of the file, else a2a3
    #[arg(long, value_parser = target_parser(), ignore_case = true)]
    target: Option<Target>,
    /// Arithmetic to use if a device deviates from the documented rules
    #[arg(long, value_enum, default_value = "reference")]
    pub(crate) numerics: NumericsArg,
    /// Blocks to launch
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) blocks: u32,
    /// Ranks to run, each with its own memory; `x@1` names the memory of `x` on rank 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub(crate) ranks: Option<u32>,
    /// Seed of random data
    #[arg(long, value_name = "N", default_value = "0")]
    pub(crate) seed: u64,
    /// What memory holds that nothing has written, and whether reading it stops the run; for commands that let people choose
    #[arg(skip)]
    pub(crate) uninitialised: (Uninitialised, bool),
    /// Plain kernels, for commands that compare
    #[arg(skip)]
    pub(crate) plain: bool,
}

/// The most ranks that are executed; `pto perf` predicts more.
pub(crate) const MOST_RANKS: u32 = 64;

/// Help text: the syntax of values.
pub(crate) const VALUES_HELP: &str = "\
Values: FILE.npy, FILE.npz:KEY, FILE.bin (raw), rand, zeros, ones, iota, fill:1.5; with a shape if the program does \
not determine it: rand:[64x128]. Scalars are numbers: n=64, scale=-1.5e3, flag=true. Memory without a value is random (zero if it is only written) and has the size \
that the program needs.";

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum NumericsArg {
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
pub(crate) enum Stop {
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

impl From<DataError> for Stop {
    fn from(error: DataError) -> Self {
        Self::Failure(Failure(error.to_string()))
    }
}

impl From<pto::Error> for Stop {
    fn from(error: pto::Error) -> Self {
        Self::Problems(error.into_diagnostics())
    }
}

impl From<Diagnostic> for Stop {
    fn from(problem: Diagnostic) -> Self {
        Self::Problems(vec![problem])
    }
}

/// Generated arguments for all parameters of a program with at most this many instructions and elements. Scalars cannot
/// be generated.
pub(crate) fn made_up(plan: &Plan, (instructions, elements): (u64, u64)) -> Option<Vec<BoundParam>> {
    let request = BindRequest { command: "pto race", specs: &[], seed: 0, blocks: 1, rank: None, quiet: false };
    let measure = bind::measured(plan, &request).ok()?;
    let all = measure.extents.iter().flatten().fold(0u64, |sum, extent| sum.saturating_add(extent.elements));
    let short = measure.instructions <= instructions && all <= elements;
    if short { bind::with_memory(plan, &request, &measure).ok() } else { None }
}

/// A program with an argument for every parameter.
pub(crate) struct Ready {
    pub(crate) plan: Plan,
    /// Rank after rank.
    pub(crate) bound: Vec<BoundParam>,
    pub(crate) measure: Measure,
}

impl Ready {
    /// The plan, and the arguments of one rank after those of another.
    pub(crate) fn parts(&mut self) -> (&Plan, Vec<Arg<'_>>) {
        (&self.plan, self.bound.iter_mut().map(BoundParam::arg).collect())
    }
}

impl ProgramArgs {
    /// Reads the file.
    pub(crate) fn read(&self) -> Result<(InputText, Program, Target), Failure> {
        let source = input::read(&self.file)?;
        let program = Program::parse_named(&source.name, &source.text);
        let target = self.target.or_else(|| program.stated_target()).unwrap_or(Target::A2A3);
        Ok((source, program, target))
    }

    pub(crate) fn launch<'p>(&self, plan: &'p Plan, threads: usize) -> Launch<'p> {
        plan.launch().blocks(self.blocks).threads(threads).ranks(self.ranks.map_or(1, |n| n as usize))
    }

    /// Checks the program and finds an argument for every parameter; `verb` is the command that does so.
    pub(crate) fn ready(
        &self,
        verb: &str,
        source: &InputText,
        program: &Program,
        target: Target,
    ) -> Result<Ready, Stop> {
        let plan = self.plan(source, program, target)?;
        self.note_other_functions(program, target);
        self.bound(&self.command(verb), plan, false)
    }

    /// As [`ProgramArgs::ready`], for a changed program, without remarks.
    pub(crate) fn ready_again(&self, source: &InputText, program: &Program, target: Target) -> Result<Ready, Stop> {
        self.bound(&self.command("race"), self.plan(source, program, target)?, true)
    }

    /// As [`ProgramArgs::ready`], with the arguments of one rank only, whose number is `rank`.
    #[cfg(unix)]
    pub(crate) fn ready_as_rank(
        &self,
        source: &InputText,
        program: &Program,
        target: Target,
        (rank, ranks): (usize, usize),
    ) -> Result<Ready, Stop> {
        let plan = self.plan(source, program, target)?;
        // What there is to say about arguments is said once.
        let is_first = rank == 0;
        if is_first {
            self.note_other_functions(program, target);
        }
        let (specs, command) = (self.specs(), self.command("run"));
        let request = self.request(&command, &specs, !is_first);
        let (bound, measure) = ranks::bind_some(&plan, &request, ranks, rank..rank + 1)?;
        Ok(Ready { plan, bound, measure })
    }

    /// As [`ProgramArgs::ready_again`], for a program that was checked.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn ready_checked(&self, checked: &pto::Checked) -> Result<Ready, Stop> {
        let plan = Plan::new(checked, self.func.as_deref(), self.options())?;
        self.bound(&self.command("reduce"), plan, true)
    }

    /// The values by the names of parameters, in the order of the command line.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn named_values(&self, plan: &Plan) -> Vec<(String, String)> {
        let specs = self.specs();
        let is_named = |name: &str| specs.iter().any(|s| s.name.as_deref() == Some(name));
        let mut free = plan.params().iter().map(|p| &p.name).filter(|name| !is_named(name));
        let named =
            specs.iter().filter_map(|s| Some((s.name.clone().or_else(|| free.next().cloned())?, s.text.clone())));
        named.collect()
    }

    /// The same with other values, all of them by name, and another number of blocks.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn with_values(&self, values: Vec<String>, blocks: u32) -> Self {
        Self { values, more: Vec::new(), blocks, ..self.clone() }
    }

    /// Each rank that is executed has memory.
    pub(crate) fn few_ranks(&self) -> Result<(), Failure> {
        match self.ranks {
            Some(count) if count > MOST_RANKS => Err(Failure(text!(
                "{count} ranks are too many to execute; at most {most} are\n  help: `pto perf` predicts more, without executing them",
                count,
                most = MOST_RANKS
            ))),
            _ => Ok(()),
        }
    }

    /// Some of the ranks for a prediction: their numbers, without memory.
    pub(crate) fn followed(
        &self,
        verb: &str,
        plan: &Plan,
        count: usize,
        wanted: &[u32],
    ) -> Result<Vec<FollowedRank>, Stop> {
        let (specs, command) = (self.specs(), self.command(verb));
        ranks::followed(plan, &self.request(&command, &specs, false), count, wanted)
    }

    fn bound(&self, command: &str, plan: Plan, quiet: bool) -> Result<Ready, Stop> {
        self.few_ranks()?;
        let specs = self.specs();
        let request = self.request(command, &specs, quiet);
        let (bound, measure) = match self.ranks {
            Some(count) => ranks::bind_all(&plan, &request, count as usize)?,
            None => bind::bind(&plan, &request)?,
        };
        Ok(Ready { plan, bound, measure })
    }

    /// As [`ProgramArgs::ready`] for callers that do not compute: the scalar arguments, without memory.
    pub(crate) fn numbers(
        &self,
        verb: &str,
        source: &InputText,
        program: &Program,
        target: Target,
    ) -> Result<(Plan, Vec<Known>), Stop> {
        let plan = self.plan(source, program, target)?;
        let (specs, command) = (self.specs(), self.command(verb));
        let request = self.request(&command, &specs, false);
        let known = bind::numbers(&plan, &request)?;
        Ok((plan, known))
    }

    fn request<'a>(&self, command: &'a str, specs: &'a [Spec], quiet: bool) -> BindRequest<'a> {
        BindRequest { command, specs, seed: self.seed, blocks: self.blocks, rank: None, quiet }
    }

    /// One for each file, where values that are no assignments name further files.
    pub(crate) fn for_each_file(&self) -> Vec<Self> {
        let is_file = |text: &String| !text.contains('=') && text.ends_with(".pto");
        let (files, values): (Vec<String>, Vec<String>) = self.values.iter().cloned().partition(is_file);
        let first = std::iter::once(self.file.clone());
        let all = first.chain(files.into_iter().map(PathBuf::from));
        all.map(|file| Self { file, values: values.clone(), ..self.clone() }).collect()
    }

    /// One for each of two files, where a value that is no assignment may name the second; `None` if there is only one.
    pub(crate) fn two_files(&self) -> Result<(Self, Option<Self>), Failure> {
        let is_file =
            |text: &String| !text.contains('=') && [".pto", ".ptobc", ".ptotrace"].iter().any(|e| text.ends_with(e));
        let (files, values): (Vec<String>, Vec<String>) = self.values.iter().cloned().partition(is_file);
        let of = |file: PathBuf| Self { file, values: values.clone(), ..self.clone() };
        match &files[..] {
            [] => Ok((of(self.file.clone()), None)),
            [second] => Ok((of(self.file.clone()), Some(of(PathBuf::from(second))))),
            [_, third, ..] => Err(Failure(text!("two programs are compared, and `{third}` is one more", third))),
        }
    }

    /// The same for another target.
    pub(crate) fn with_target(self, target: Target) -> Self {
        Self { target: Some(target), ..self }
    }

    /// The same with another value for a parameter.
    pub(crate) fn with_value(&self, name: &str, value: &str) -> Self {
        let mut args = self.clone();
        let of_name = |text: &String| text.split_once('=').is_some_and(|(n, _)| n == name);
        args.values.retain(|v| !of_name(v));
        args.more.retain(|v| !of_name(v));
        args.values.push(format!("{name}={value}"));
        args
    }

    pub(crate) fn plan(&self, source: &InputText, program: &Program, target: Target) -> Result<Plan, Stop> {
        if let Some(problem) = &source.unreadable {
            return Err(problem.clone().into());
        }
        Ok(program.plan(target, self.func.as_deref(), self.options())?)
    }

    fn specs(&self) -> Vec<Spec> {
        self.values.iter().chain(&self.more).map(|text| Spec::parse(text)).collect()
    }

    /// The command without arguments, for messages.
    fn command(&self, verb: &str) -> String {
        match &self.func {
            Some(name) => format!("pto {verb} {} --func {name}", self.file.display()),
            None => format!("pto {verb} {}", self.file.display()),
        }
    }

    /// A function runs regardless of errors in others, with a note.
    fn note_other_functions(&self, program: &Program, target: Target) {
        if self.func.is_none() {
            return;
        }
        let errors = program.inspect(target).iter().filter(|d| d.is_error()).count();
        if errors > 0 {
            let file = self.file.display();
            warn(&text!(
                "{mark}: {errors} in functions that do not take part (pto check {file})",
                mark = format_args!("\u{1b}[1m{}\u{1b}[0m", text!("note")),
                errors = crate::counts::errors(errors),
                file
            ));
        }
    }
}
