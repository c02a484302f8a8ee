//! Built-in conditions: a diagnostic, a NaN, a difference.

use super::diff::{KeptDifference, Reference};
use super::findings::{FaultKey, keys};
use super::values::GivenValues;
use super::{Args, no_fault, program_of};
use crate::Failure;
use crate::input::InputText;
use crate::program::{BoundParam, ProgramArgs, Ready, Stop};
use pto::cpu::{RunReport, StopWhen};
use pto::data::{Array, Summary};
use pto::isa::codes::{CODES, Code};
use pto::isa::ordered::OrdSet;
use pto::isa::{table, text};
use pto::reduce::{Candidate, Interesting};
use pto::{Diagnostic, Module, Program, Target, emit, race};
use std::sync::atomic::{AtomicU64, Ordering};

/// Work beyond that of the original that a candidate may do.
const MORE_WORK: u64 = 10_000;
/// Work of an original that is never too much.
const MOST_WORK: u64 = 1 << 36;
/// How often a run asks whether to stop, in units of work.
const ASKS_EVERY: u64 = 16;

/// What the user wants to keep.
pub(super) enum KeepCondition {
    Command(String),
    Fault(WantedFault),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum WantedFault {
    Diagnostic(Code),
    Nan,
    Diff,
}

impl KeepCondition {
    pub(super) fn new(args: &Args) -> Result<Self, Failure> {
        let fault = match (&args.still, &args.keeps) {
            (Some(line), _) => return Ok(Self::Command(line.clone())),
            (None, Some(name)) => WantedFault::parse(name)?,
            (None, None) => return Err(Failure(text!("give --keeps or --while").into())),
        };
        let has_reference = args.against.is_some() || !args.expect.is_empty();
        if fault == WantedFault::Diff && !has_reference {
            let help = text!("--against lowered, --against reference.pto, or --expect y=reference.npy");
            return Err(Failure(text!("--keeps diff: different from what?\n  help: {help}", help)));
        }
        if fault != WantedFault::Diff && has_reference {
            return Err(Failure(text!("--against and --expect are for --keeps diff").into()));
        }
        Ok(Self::Fault(fault))
    }
}

impl WantedFault {
    /// `PTO-E0802`, its short forms, `PTO-R0002` for the same race, `nan` or `diff`.
    fn parse(name: &str) -> Result<Self, Failure> {
        match name.to_ascii_lowercase().as_str() {
            "nan" => return Ok(Self::Nan),
            "diff" => return Ok(Self::Diff),
            lower => {
                let race = lower.trim_start_matches("pto-").strip_prefix('r').and_then(|n| n.parse::<u16>().ok());
                let race = race.filter(|n| *n < 100).and_then(|n| Code::parse(&format!("E{}", 800 + n)));
                if let Some(code) = race.or_else(|| Code::parse(name)) {
                    return Ok(Self::Diagnostic(code));
                }
            }
        }
        let ids = CODES.iter().map(|e| e.code.id()).chain(["nan".to_string(), "diff".to_string()]);
        let upper = name.to_ascii_uppercase();
        let near = ids.map(|id| (table::distance(&id.to_ascii_uppercase(), &upper), id)).min();
        let help = match near {
            Some((distance, id)) if distance <= 2 => text!("did you mean `{near}`?", near = id),
            _ => text!("`pto explain --list` lists all ids; `nan` and `diff` are faults too").into(),
        };
        Err(Failure(text!("--keeps: there is no fault `{name}`\n  help: {help}", name, help)))
    }
}

/// What finds the fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Finder {
    Check,
    Run,
    Race,
    Emit,
    Bytecode,
}

impl Finder {
    /// Those that may find a diagnostic, by its family; the first that does is used.
    fn of(code: Code) -> &'static [Self] {
        match code.number() {
            700..800 => &[Self::Run, Self::Race],
            800..900 => &[Self::Race],
            912 => &[Self::Bytecode],
            900..1000 => &[Self::Emit],
            _ => &[Self::Check, Self::Race],
        }
    }
}

/// A fault that the original program has, as a condition for candidates.
pub(super) struct KeptFault<'a> {
    args: &'a Args,
    values: GivenValues,
    target: Target,
    limit: u64,
    kind: FaultKind,
}

enum FaultKind {
    /// Found by this; the original has these findings.
    Diagnostic(Code, Finder, OrdSet<FaultKey>),
    /// The run of the original has these notes.
    Nan(OrdSet<Code>),
    Diff(Box<KeptDifference>),
    /// The original does not have it; this was found instead.
    Missing(String, Vec<Diagnostic>),
}

/// What a run showed.
pub(super) struct FinishedCandidate {
    pub(super) bound: Vec<BoundParam>,
    pub(super) report: RunReport,
}

impl<'a> KeptFault<'a> {
    pub(super) fn new(
        args: &'a Args,
        wanted: &WantedFault,
        source: &InputText,
        program: &Program,
        target: Target,
    ) -> Result<Self, Stop> {
        let missing = FaultKind::Missing(String::new(), Vec::new());
        let mut fault = Self { args, values: GivenValues::default(), target, limit: MOST_WORK, kind: missing };
        fault.kind = match wanted {
            WantedFault::Diagnostic(code) => fault.find(*code, source, program)?,
            WantedFault::Nan => {
                let (_, done) = fault.first_run(source, program)?;
                match has_nan(&done)? {
                    true => FaultKind::Nan(done.report.notes.iter().map(|d| d.code).collect()),
                    false => FaultKind::Missing(text!("no result is NaN").into(), Vec::new()),
                }
            }
            WantedFault::Diff => {
                let reference = Reference::new(args)?;
                let (mut again, _) = fault.first_run(source, program)?;
                let difference = KeptDifference::of_original(args, reference, program, target, &mut again)?;
                match difference {
                    Some(difference) => FaultKind::Diff(Box::new(difference)),
                    None => FaultKind::Missing(text!("the results do not differ").into(), Vec::new()),
                }
            }
        };
        Ok(fault)
    }

    /// Looks for a diagnostic in the original.
    fn find(&mut self, code: Code, source: &InputText, program: &Program) -> Result<FaultKind, Stop> {
        let mut instead = Vec::new();
        for &finder in Finder::of(code) {
            let found = match finder {
                Finder::Check => program.inspect(self.target),
                Finder::Emit => emitted(program, self.target),
                Finder::Bytecode => bytecode(program),
                // Problems that stop the program before it runs are found too.
                Finder::Run | Finder::Race => match self.executed(finder, source, program) {
                    Ok(found) | Err(Stop::Problems(found)) => found,
                    // What the checks did not find hardly depends on values.
                    Err(Stop::Failure(_)) if Finder::of(code).contains(&Finder::Check) => continue,
                    Err(failure) => return Err(failure),
                },
            };
            let keys = keys(program.module(), &found);
            if keys.iter().any(|key| key.code == code) {
                return Ok(FaultKind::Diagnostic(code, finder, keys));
            }
            instead.extend(found);
        }
        let title = text::translate(code.entry().title);
        Ok(FaultKind::Missing(text!("the program does not have {code} ({title})", code, title), instead))
    }

    /// What a run or a race check of the original finds.
    fn executed(&mut self, finder: Finder, source: &InputText, program: &Program) -> Result<Vec<Diagnostic>, Stop> {
        let mut ready = self.args.program.ready("reduce", source, program, self.target)?;
        self.values = GivenValues::new(&self.args.program, &ready.plan);
        let least = ready.measure.work;
        let (found, work) = match finder {
            Finder::Run => {
                let (done, work) = self.launched(&self.args.program, &mut ready, MOST_WORK);
                (done.map_or_else(pto::Error::into_diagnostics, |report| report.notes), work)
            }
            _ => {
                let report = self.raced(&self.args.program, &mut ready, MOST_WORK);
                (report.findings, report.instructions)
            }
        };
        self.limit = least.max(work).saturating_mul(2).saturating_add(MORE_WORK);
        Ok(found)
    }

    /// Runs the original; also gives the same program with its arguments as they were.
    fn first_run(&mut self, source: &InputText, program: &Program) -> Result<(Ready, FinishedCandidate), Stop> {
        let mut ready = self.args.program.ready("reduce", source, program, self.target)?;
        self.values = GivenValues::new(&self.args.program, &ready.plan);
        let (done, work) = self.launched(&self.args.program, &mut ready, MOST_WORK);
        let report = done?;
        self.limit = ready.measure.work.max(work).saturating_mul(2).saturating_add(MORE_WORK);
        let again = self.args.program.ready_again(source, program, self.target)?;
        Ok((again, FinishedCandidate { bound: ready.bound, report }))
    }

    pub(super) fn values(&self) -> GivenValues {
        self.values.clone()
    }

    pub(super) fn companion(&self) -> Option<String> {
        match &self.kind {
            FaultKind::Diff(difference) => difference.companion(),
            _ => None,
        }
    }

    /// The problem that the original does not have the fault.
    pub(super) fn missing(&self) -> Diagnostic {
        match &self.kind {
            FaultKind::Missing(message, found) => no_fault(message, found),
            _ => no_fault(text!("the program does not have the fault a second time"), &[]),
        }
    }

    fn raced(&self, args: &ProgramArgs, ready: &mut Ready, limit: u64) -> race::RaceReport {
        let (plan, mut arguments) = ready.parts();
        let check = race::Check::new(args.launch(plan, 1)).without_results().limit(limit);
        let check = if self.args.all_paths { check.all_paths() } else { check };
        check.run(&mut arguments)
    }

    /// Runs a program within a limit, and says how much work it was.
    fn launched(&self, args: &ProgramArgs, ready: &mut Ready, limit: u64) -> (Result<RunReport, pto::Error>, u64) {
        let asked = AtomicU64::new(0);
        let is_spent = || asked.fetch_add(ASKS_EVERY, Ordering::Relaxed) > limit;
        let (plan, mut arguments) = ready.parts();
        let done = args.launch(plan, 1).stop_when(StopWhen::new(&is_spent)).run(&mut arguments);
        (done, asked.load(Ordering::Relaxed))
    }

    /// A candidate with its arguments, if it is to be run at all.
    fn ready(&self, candidate: &Candidate<'_>) -> Option<(ProgramArgs, Result<Ready, Vec<Diagnostic>>)> {
        let args = self.values.args(&self.args.program, candidate.inputs, &parameter_names(candidate.module));
        let ready = match candidate.checked {
            Some(checked) => args.ready_checked(checked),
            None => {
                let source = InputText::of_text(String::new(), candidate.text.to_string());
                args.ready_again(&source, &Program::parse(candidate.text), self.target)
            }
        };
        match ready {
            Ok(ready) if ready.measure.work > self.limit => None,
            Ok(ready) => Some((args, Ok(ready))),
            Err(Stop::Problems(problems)) => Some((args, Err(problems))),
            Err(Stop::Failure(_)) => None,
        }
    }

    /// What a tool finds in a candidate; nothing if that takes too long.
    fn found(&self, finder: Finder, candidate: &Candidate<'_>) -> Option<Vec<Diagnostic>> {
        match finder {
            Finder::Check => return Some(candidate.problems.to_vec()),
            Finder::Emit => return Some(emitted(&program_of(candidate), self.target)),
            Finder::Bytecode => return Some(bytecode(&program_of(candidate))),
            Finder::Run | Finder::Race => {}
        }
        let (args, ready) = self.ready(candidate)?;
        let mut ready = match ready {
            Ok(ready) => ready,
            Err(problems) => return Some(problems),
        };
        if finder == Finder::Race {
            let report = self.raced(&args, &mut ready, self.limit);
            return report.stopped.is_none().then_some(report.findings);
        }
        let (done, work) = self.launched(&args, &mut ready, self.limit);
        let found = done.map_or_else(pto::Error::into_diagnostics, |report| report.notes);
        (work <= self.limit).then_some(found)
    }

    /// Runs a candidate to its end.
    pub(super) fn finished(&self, candidate: &Candidate<'_>) -> Option<FinishedCandidate> {
        let (args, ready) = self.ready(candidate)?;
        let mut ready = ready.ok()?;
        let report = self.launched(&args, &mut ready, self.limit).0.ok()?;
        Some(FinishedCandidate { bound: ready.bound, report })
    }
}

impl Interesting for KeptFault<'_> {
    fn holds(&self, candidate: &Candidate<'_>) -> bool {
        match &self.kind {
            FaultKind::Missing(..) => false,
            FaultKind::Diagnostic(code, finder, known) => {
                let Some(found) = self.found(*finder, candidate) else { return false };
                let found = keys(candidate.module, &found);
                // The checks have their own rule about new problems.
                let is_new = |key: &FaultKey| !known.contains(key);
                let others = *finder != Finder::Check && found.iter().any(|key| is_new(key) && !key.is_left_over());
                !others && found.iter().any(|key| key.code == *code && !is_new(key))
            }
            FaultKind::Nan(notes) => self.finished(candidate).is_some_and(|done| {
                let known = done.report.notes.iter().all(|d| notes.contains(&d.code));
                known && has_nan(&done).unwrap_or(false)
            }),
            FaultKind::Diff(difference) => {
                let Some((args, Ok(mut ready))) = self.ready(candidate) else { return false };
                // A run that ends, before the second one that cannot be stopped.
                let ends = || self.finished(candidate).is_some();
                ends() && difference.remains(&args, candidate, self.target, &mut ready)
            }
        }
    }
}

/// True if memory that the program wrote, or something it printed, is NaN.
fn has_nan(done: &FinishedCandidate) -> Result<bool, Stop> {
    let words = |text: &str| text.split(|c: char| !c.is_alphanumeric()).any(|word| word.eq_ignore_ascii_case("nan"));
    if done.report.printed.iter().any(|p| words(&p.text)) {
        return Ok(true);
    }
    for (bound, _) in done.bound.iter().zip(&done.report.written).filter(|(_, written)| **written) {
        let nan = |array: &Array| Summary::of(array).nan > 0;
        if bound.data()?.is_some_and(|array| nan(&array)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What the writer of C++ says about a program.
fn emitted(program: &Program, target: Target) -> Vec<Diagnostic> {
    match program.emit(target, emit::InsertSync::default()) {
        Ok(emitted) => emitted.warnings(),
        Err(error) => error.into_diagnostics(),
    }
}

fn bytecode(program: &Program) -> Vec<Diagnostic> {
    program.to_bytecode().err().map_or_else(Vec::new, pto::Error::into_diagnostics)
}

/// The parameters of all functions.
pub(super) fn parameter_names(module: &Module) -> Vec<String> {
    let entries = module.functions().into_iter().filter_map(|f| {
        let region = *module.op_regions(f).first()?;
        module.region(region).blocks.first().copied()
    });
    let args = entries.flat_map(|block| module.block(block).args.iter());
    args.map(|v| module.value_name(*v).to_string()).collect()
}
