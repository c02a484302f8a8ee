//! Finds what makes a PTO program wrong on a device: unordered accesses to the same bytes from different pipes, cores or
//! ranks, unmatched flags, and uninitialised memory.
//!
//! A program is executed once, in program order. [`check`] observes the run and keeps the last accesses of every byte, and
//! for every pipe a vector clock of the work that is done before its next instruction. The findings do not depend on the
//! order in which the engine executes: two accesses are reported when no flag, event, barrier, token, signal or FIFO pipe
//! orders them.
//!
//! ```
//! use pto_cpu::{Arg, Options, Plan};
//! use pto_isa::Target;
//!
//! let (module, _) = pto_syntax::parse("
//!     func.func @twice(%x: !pto.ptr<f32>) {
//!       %one = arith.constant 1 : index
//!       %n = arith.constant 16 : index
//!       %at = arith.constant 0 : i64
//!       %xs = pto.make_tensor_view %x, shape = [%n, %n], strides = [%n, %one] : !pto.tensor_view<16x16xf32>
//!       %t = pto.alloc_tile addr = %at : !pto.tile_buf<vec, 16x16xf32>
//!       pto.tload ins(%xs : !pto.tensor_view<16x16xf32>) outs(%t : !pto.tile_buf<vec, 16x16xf32>)
//!       pto.tadd ins(%t, %t : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>)
//!                outs(%t : !pto.tile_buf<vec, 16x16xf32>)
//!       return
//!     }");
//! let checked = pto_check::check(module, Target::A2A3).expect("a legal program");
//! let plan = Plan::new(&checked, None, Options::default()).expect("one entry");
//! let mut x = vec![1.0f32; 256];
//! let report = pto_race::check(plan.launch(), &mut [Arg::write(&mut x)]);
//! assert_eq!(report.findings[0].message, "PIPE_V may read `%t` before PIPE_MTE2 has written it");
//! ```

mod answers;
mod asked;
mod bounds;
mod caches;
mod clock;
mod cone;
mod core;
mod detector;
mod explore;
mod findings;
mod link_state;
mod links;
mod memory;
mod names;
mod now;
mod operands;
mod paths;
mod polls;
mod rounds;
mod shadow;
mod slices;
mod snapshot;
mod tried;
mod words;
mod work;
mod worlds;

use answers::Answers;
use bounds::{Bounds, Meter, Metered};
use detector::{Detector, Setting};
use paths::Branches;
use polls::polls;
use pto_cpu::{Arg, Launch, Plan, StopWhen};
use pto_ir::{Module, OpId};
use pto_isa::ordered::OrdSet;
use pto_isa::text;
use pto_isa::{Diagnostic, Error, Source, Span, codes};
use snapshot::Snapshot;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use words::{LostNotification, Word, Words};

/// What orders the pipes of a core.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OrderedBy {
    /// The program, with flags, events, barriers and tokens.
    Manual,
    /// The toolchain, later: the pipes of a core are assumed to be ordered.
    Auto,
}

/// The result of a check.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RaceReport {
    /// Worst first.
    pub findings: Vec<Diagnostic>,
    /// What orders the pipes of a core, inferred from the program.
    pub sync: OrderedBy,
    /// The program should order its pipes and has no synchronisation at all.
    pub unordered: bool,
    /// Instructions executed.
    pub instructions: u64,
    /// The limit was reached after this many instructions and iterations; the rest was not checked.
    pub stopped: Option<u64>,
    /// Peak memory of the access history.
    pub history_bytes: u64,
    /// Branches that the data did not take and that could not be explored.
    pub undecided: Vec<Undecided>,
    source: Option<Arc<dyn Source>>,
}

/// A branch that was not explored.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Undecided {
    /// Where it stands.
    pub span: Span,
    /// Why.
    pub reason: String,
}

impl RaceReport {
    /// The report of a program that cannot be run.
    pub fn of_error(error: Error) -> Self {
        Self { findings: error.into_diagnostics(), ..Self::empty(OrderedBy::Manual) }
    }

    fn empty(sync: OrderedBy) -> Self {
        Self {
            findings: Vec::new(),
            sync,
            unordered: false,
            instructions: 0,
            stopped: None,
            history_bytes: 0,
            undecided: Vec::new(),
            source: None,
        }
    }

    /// True when nothing was found.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }

    /// Looks for fixes of findings that have no edits: changes the text in a few ways, one after the other, and states the first after
    /// which the finding is gone and nothing else is found. The module was read from the source. `again` checks a changed text within so many
    /// instructions; it returns `None` if that is no legal program. All trials together take at most about twice the work of this
    /// report, or 50 000 instructions.
    #[must_use]
    pub fn with_tried_fixes(
        mut self,
        module: &Module,
        source: &str,
        mut again: impl FnMut(&str, u64) -> Option<Self>,
    ) -> Self {
        tried::fixes(&mut self, module, source, &mut again);
        self
    }

    /// The findings as an error, so that `?` stops at them.
    ///
    /// # Errors
    /// When something was found.
    pub fn into_result(self) -> Result<Self, Error> {
        if self.is_clean() { Ok(self) } else { Err(Error::new(self.findings).with_source(self.source)) }
    }
}

/// Executes a program and reports unordered accesses. What orders the pipes of a core is inferred from the program
/// ([`sync_of`]); [`Check`] has more options. The arguments and results are those of [`Launch::run`].
#[must_use = "a race is a finding of the report, not an error"]
pub fn check(launch: Launch<'_>, args: &mut [Arg<'_>]) -> RaceReport {
    Check::new(launch).run(args)
}

/// Options of a check.
///
/// ```
/// use pto_race::{Check, OrderedBy};
/// # use pto_cpu::{Options, Plan};
/// # let (module, _) = pto_syntax::parse("func.func @f() { return }");
/// # let checked = pto_check::check(module, pto_isa::Target::A2A3).expect("a legal program");
/// # let plan = Plan::new(&checked, None, Options::default()).expect("one entry");
/// let report = Check::new(plan.launch().blocks(2)).sync(OrderedBy::Manual).all_paths().limit(10_000).run(&mut []);
/// assert!(report.is_clean() && report.stopped.is_none());
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "nothing is checked before `run` is called"]
pub struct Check<'a> {
    launch: Launch<'a>,
    sync: Option<OrderedBy>,
    bounds: Bounds<'a>,
    all_paths: bool,
}

impl<'a> Check<'a> {
    /// A check of one run.
    pub fn new(launch: Launch<'a>) -> Self {
        Self { launch, sync: None, bounds: Bounds::default(), all_paths: false }
    }

    /// Sets what orders the pipes of a core; by default this is inferred from the program.
    pub fn sync(self, sync: OrderedBy) -> Self {
        Self { sync: Some(sync), ..self }
    }

    /// Executes the program again with other arguments and other scalars from memory, once for each path that they lead to. Each
    /// run starts with the same memory.
    pub fn all_paths(self) -> Self {
        Self { all_paths: true, ..self }
    }

    /// Stops after this many instructions and loop iterations, over all paths.
    pub fn limit(self, limit: u64) -> Self {
        Self { bounds: Bounds { limit: Some(limit), ..self.bounds }, ..self }
    }

    /// Counts executed instructions and iterations while the check runs.
    pub fn progress(self, counter: &'a AtomicU64) -> Self {
        Self { bounds: Bounds { progress: Some(counter), ..self.bounds }, ..self }
    }

    /// Stops once it is asked to; the report says after how many instructions ([`RaceReport::stopped`]).
    pub fn stop_when(self, stop: StopWhen<'a>) -> Self {
        Self { bounds: Bounds { stop: Some(stop), ..self.bounds }, ..self }
    }

    /// Does not compute numbers that decide nothing, which takes less time: if no branch, address, index or integer division depends on
    /// data, an instruction that repeats is only followed. Then what the check leaves in memory is not defined.
    pub fn without_results(self) -> Self {
        Self { bounds: Bounds { without_results: true, ..self.bounds }, ..self }
    }

    /// Executes the program and reports the findings.
    #[must_use = "a race is a finding of the report, not an error"]
    pub fn run(self, args: &mut [Arg<'_>]) -> RaceReport {
        let (launch, plan) = (self.launch, self.launch.plan());
        let source = plan.checked().module().source.clone();
        if let Err(error) = launch.accepts(args) {
            return RaceReport { source, ..RaceReport::of_error(error) };
        }
        let params = plan.params().len();
        let mut args = args.iter_mut().map(Arg::reborrow);
        let mut ranks: Vec<Vec<Arg<'_>>> =
            (0..launch.rank_count()).map(|_| args.by_ref().take(params).collect()).collect();
        let sync = self.sync.unwrap_or_else(|| sync_of(plan));
        let meter = &mut Meter::new(self.bounds);
        let report = if self.all_paths {
            explore::all_paths(meter, sync, plan, &mut ranks, launch)
        } else {
            follow(sync, plan, &mut ranks, launch, meter, Branches::default()).0
        };
        RaceReport { source, ..report }
    }
}

/// One path with forced branches, with every answer that its tests may get.
fn follow(
    sync: OrderedBy,
    plan: &Plan,
    ranks: &mut [Vec<Arg<'_>>],
    launch: Launch<'_>,
    meter: &mut Meter<'_>,
    branches: Branches,
) -> (RaceReport, Branches) {
    let looks = polls(plan.checked().module());
    let may_ask = plan.asks_once() || !looks.compares.is_empty() || !looks.switches.is_empty();
    let before = may_ask.then(|| Snapshot::of(ranks));
    let mut run = RaceRun { sync, plan, launch, branches, answers: Answers::default() };
    let (mut report, branches, asked) = run.follow(ranks, meter);
    let Some(before) = before.filter(|_| !asked.is_empty()) else { return (report, branches) };
    let after = Snapshot::of(ranks);
    let mut known: OrdSet<explore::ReportKey> = report.findings.iter().map(explore::key).collect();
    let each = asked.iter().filter(|_| asked.len() > 1).take(QUESTIONS).map(|op| OrdSet::from([*op]));
    for denied in std::iter::once(asked.clone()).chain(each) {
        if meter.is_spent() {
            break;
        }
        before.restore(ranks);
        let question = denied.first().map(|op| plan.checked().module().op(*op).name_span);
        let asks_for_ever = denied.iter().any(|op| looks.compares.contains_key(op) || looks.switches.contains_key(op));
        run.answers = Answers::no(denied);
        let (mut other, ..) = run.follow(ranks, meter);
        // On a device, a loop that waits for a word does not get the answer no for ever.
        other.findings.retain(|f| !(asks_for_ever && f.code == codes::RUN_DEADLOCK));
        for finding in other.findings.into_iter().filter(|f| known.insert(explore::key(f))) {
            let (primary, labels) = (finding.primary.span, finding.labels.len());
            let told = question.filter(|span| *span != primary && labels < 2);
            report.findings.push(match told {
                Some(span) => finding.label(span, text!("this happens when the answer is no")),
                None => finding.legal(text!("this happens when the answer is no")),
            });
        }
        report.stopped = report.stopped.or(other.stopped);
    }
    after.restore(ranks);
    (report, branches)
}

/// Tests that are denied one at a time.
const QUESTIONS: usize = 8;
/// Runs to find out which answers are impossible.
const TRIES: usize = 4;

/// A run: the plan and its settings.
struct RaceRun<'a> {
    sync: OrderedBy,
    plan: &'a Plan,
    launch: Launch<'a>,
    branches: Branches,
    answers: Answers,
}

impl RaceRun<'_> {
    /// Executes one run. Also returns the tests it made.
    fn follow(&mut self, ranks: &mut [Vec<Arg<'_>>], meter: &mut Meter<'_>) -> (RaceReport, Branches, OrdSet<OpId>) {
        let (plan, launch, sync) = (self.plan, self.launch, self.sync);
        let joint = launch.runs_together() || ranks.len() > 1;
        let setting = Setting { plan, target: plan.checked().info().target, sync, joint };
        let recorded = joint && plan.uses_words();
        let Recorded { known, mixed, lost } =
            if recorded { self.record(setting, ranks, meter) } else { Recorded::default() };
        let mut detector = Detector::new(setting, self.branches.clone(), Words::Known(known), self.answers.again());
        let outcome = observe(ranks, launch, meter, &mut detector);
        let ended = detector.ended();
        match &outcome {
            // If a program stops half-way, unmatched flags mean nothing.
            Err(problem) if problem.code != codes::RUN_DEADLOCK => detector.abandon_team(),
            Err(_) => detector.end_stuck_team(),
            Ok(_) => detector.end_team(),
        }
        let lost = if outcome.is_ok() { lost } else { OrdSet::new() };
        let Detector { mut findings, branches, history_bytes, answers, stuck, .. } = detector;
        let outcome = outcome.map_err(|problem| match problem.code {
            codes::RUN_DEADLOCK => findings.end_deadlock(*problem, &stuck, &ended),
            _ => *problem,
        });
        let mut findings = findings.finish();
        findings.extend(lost.into_iter().map(|lost| lost_notification(plan, lost)));
        let stopped = outcome.is_err().then_some(meter.work).filter(|_| meter.is_spent());
        let instructions = outcome.unwrap_or_else(|problem| {
            if stopped.is_none() {
                findings.insert(0, problem);
            }
            meter.work
        });
        let unordered = sync == OrderedBy::Manual && !plan.orders_pipes();
        let undecided = mixed.into_iter().map(|(op, word)| stored_in_several_widths(plan, op, word)).collect();
        let report = RaceReport {
            findings,
            unordered,
            instructions,
            stopped,
            history_bytes,
            undecided,
            ..RaceReport::empty(sync)
        };
        (report, branches, answers.asked)
    }

    /// What a wait learns depends on the whole run, and so do the possible answers. So a first run records them.
    fn record(&mut self, setting: Setting<'_>, ranks: &mut [Vec<Arg<'_>>], meter: &Meter<'_>) -> Recorded {
        let before = Snapshot::of(ranks);
        let mut recorded = Recorded::default();
        for tries in 0.. {
            if tries == TRIES {
                // If possible answers cannot be told from impossible ones, all stay as they are.
                self.answers = Answers::default();
            }
            let words = Words::Recorded(Box::default());
            let mut recorder = Detector::new(setting, self.branches.clone(), words, self.answers.again());
            let _ = observe(ranks, self.launch, &mut meter.aside(), &mut recorder);
            before.restore(ranks);
            let Words::Recorded(log) = recorder.words else { break };
            let solved = log.solve();
            let impossible = solved.impossible;
            recorded = Recorded { known: solved.known.into(), mixed: solved.mixed, lost: solved.lost };
            let more = impossible.iter().any(|key| !self.answers.certain.contains(key));
            self.answers.certain.extend(impossible);
            if !more {
                break;
            }
        }
        recorded
    }
}

/// What a recorded run tells.
#[derive(Default)]
struct Recorded {
    known: VecDeque<clock::Clock>,
    mixed: OrdSet<(OpId, Word)>,
    lost: OrdSet<LostNotification>,
}

/// A wait that never ends if two notifications come in the other order.
fn lost_notification(plan: &Plan, lost: LostNotification) -> Diagnostic {
    let module = plan.checked().module();
    let span = |op: OpId| module.op(op).name_span;
    Diagnostic::new(
        codes::RUN_DEADLOCK,
        span(lost.other),
        text!("deadlock in another order: this may overwrite a notification before the wait for it"),
    )
    .label(span(lost.awaited), text!("the notification, which nothing orders with this one"))
    .label(span(lost.wait), text!("the wait, which then never ends"))
    .legal(text!("notifications that set one word to different numbers are ordered"))
    .help(text!("clear a word before you tell its sender that it may write; or give each writer a word"))
}

/// A read learns nothing if the same bytes are stored as words of different widths.
fn stored_in_several_widths(plan: &Plan, op: OpId, (buffer, byte): Word) -> Undecided {
    let module = plan.checked().module();
    let pointer = plan.params().get(buffer % plan.params().len().max(1)).map_or("", |p| &p.name);
    let of = if pointer.is_empty() { String::new() } else { text!(" of `%{pointer}`", pointer) };
    let reason =
        text!("byte {byte}{of} is stored in words of different lengths: what this read tells was not used", byte, of);
    Undecided { span: module.op(op).name_span, reason }
}

/// Executes the program with a detector as observer.
fn observe(
    ranks: &mut [Vec<Arg<'_>>],
    launch: Launch<'_>,
    meter: &mut Meter<'_>,
    detector: &mut Detector<'_>,
) -> Result<u64, Box<Diagnostic>> {
    let computes = meter.needs_results();
    let mut metered = Metered { detector, meter };
    let mut args: Vec<Arg<'_>> = ranks.iter_mut().flatten().map(Arg::reborrow).collect();
    let launch = launch.observe(&mut metered);
    let done = if computes { launch.run(&mut args) } else { launch.run_without_results(&mut args) };
    // A run stops with one problem.
    done.map(|report| report.instructions).map_err(|error| {
        let unknown = || Diagnostic::new(codes::RUN_UNSUPPORTED, Span::default(), text!("the run stopped"));
        Box::new(error.into_diagnostics().pop().unwrap_or_else(unknown))
    })
}

/// A program that places its tiles, or synchronises pipes anywhere, must order them everywhere.
pub fn sync_of(plan: &Plan) -> OrderedBy {
    if plan.places_tiles() || plan.orders_pipes() { OrderedBy::Manual } else { OrderedBy::Auto }
}
