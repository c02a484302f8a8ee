//! Finds what makes a PTO program wrong on a device: instructions on different pipes, cores or ranks that touch the same
//! bytes without anything that orders them, flags that do not match, and memory that holds nothing.
//!
//! A program is executed once, in program order; [`check`] listens and keeps, for every byte, who touched it last, and for
//! every pipe, what is known to be done before its next instruction starts. What it finds does not depend on the order in
//! which the engine happens to execute things: two accesses are reported when no flag, event, barrier, token, signal or
//! pipe between cores puts one before the other.
//!
//! ```
//! use pto_cpu::{Arg, Launch, Options, Plan};
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
//! let report = pto_race::check(&plan, &mut [vec![Arg::write(&mut x)]], Launch::default());
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
mod shadow;
mod snapshot;
mod words;
mod worlds;

use answers::Answers;
pub use bounds::Bounds;
use bounds::{Meter, Metered};
use detector::{Detector, Setting};
use paths::Branches;
use polls::polls;
use pto_cpu::{Arg, Launch, Plan};
use pto_ir::OpId;
use pto_isa::{Diagnostic, Span, codes};
use snapshot::Snapshot;
use std::collections::{BTreeSet, VecDeque};
use words::{Log, Words};

/// Who orders the pipes of a core.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sync {
    /// The program, with flags, events, barriers and tokens.
    Manual,
    /// The toolchain, later: the pipes of a core are taken to be in order.
    Auto,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Report {
    /// Worst first.
    pub findings: Vec<Diagnostic>,
    /// Who orders the pipes of a core, as the program looks.
    pub sync: Sync,
    /// The program was to order its pipes, and nowhere does.
    pub unordered: bool,
    /// Instructions executed.
    pub instructions: u64,
    /// The limit was reached after so many instructions and iterations; what comes after was not checked.
    pub stopped: Option<u64>,
    /// Memory that the history of the bytes took, at most.
    pub history_bytes: u64,
    /// Branches that the data did not take and that could not be explored, and why.
    pub undecided: Vec<(Span, String)>,
}

/// Executes a program and says what nothing orders. One list of arguments for each rank. What orders the pipes of a core is
/// seen from the program ([`sync_of`]).
pub fn check(plan: &Plan, ranks: &mut [Vec<Arg<'_>>], launch: Launch) -> Report {
    check_as(sync_of(plan), plan, ranks, launch)
}

/// The same, where it is known who orders the pipes of a core.
pub fn check_as(sync: Sync, plan: &Plan, ranks: &mut [Vec<Arg<'_>>], launch: Launch) -> Report {
    check_within(Bounds::default(), sync, plan, ranks, launch)
}

/// The same, within bounds.
pub fn check_within(bounds: Bounds<'_>, sync: Sync, plan: &Plan, ranks: &mut [Vec<Arg<'_>>], launch: Launch) -> Report {
    follow(sync, plan, ranks, launch, &mut Meter::new(bounds), Branches::default()).0
}

/// The same, and then again with other arguments and other scalars from memory, for each path on which they lead. Memory is
/// what it was before for each of them.
pub fn check_all_paths(sync: Sync, plan: &Plan, ranks: &mut [Vec<Arg<'_>>], launch: Launch) -> Report {
    check_all_paths_within(Bounds::default(), sync, plan, ranks, launch)
}

/// The same, within bounds.
pub fn check_all_paths_within(
    bounds: Bounds<'_>,
    sync: Sync,
    plan: &Plan,
    ranks: &mut [Vec<Arg<'_>>],
    launch: Launch,
) -> Report {
    explore::all_paths(&mut Meter::new(bounds), sync, plan, ranks, launch)
}

/// One path, as the branches say, with every answer that questions of the program may get.
fn follow(
    sync: Sync,
    plan: &Plan,
    ranks: &mut [Vec<Arg<'_>>],
    launch: Launch,
    meter: &mut Meter<'_>,
    branches: Branches,
) -> (Report, Branches) {
    let looks = polls(plan.checked().module());
    let may_ask = plan.asks_once() || !looks.compares.values().all(|c| c.certain);
    let before = may_ask.then(|| Snapshot::of(ranks));
    let mut run = Run { sync, plan, launch, branches, answers: Answers::default() };
    let (mut report, branches, asked) = run.follow(ranks, meter);
    let Some(before) = before.filter(|_| !asked.is_empty()) else { return (report, branches) };
    let after = Snapshot::of(ranks);
    let mut known: BTreeSet<explore::Key> = report.findings.iter().map(explore::key).collect();
    let each = asked.iter().filter(|_| asked.len() > 1).take(QUESTIONS).map(|op| BTreeSet::from([*op]));
    for denied in std::iter::once(asked.clone()).chain(each) {
        if meter.is_spent() {
            break;
        }
        before.restore(ranks);
        let question = denied.first().map(|op| plan.checked().module().op(*op).name_span);
        let asks_for_ever = denied.iter().any(|op| looks.compares.contains_key(op));
        run.answers = Answers::no(denied);
        let (mut other, ..) = run.follow(ranks, meter);
        // A loop that goes on until a word is found is not told no for ever on a device.
        other.findings.retain(|f| !(asks_for_ever && f.code == codes::RUN_DEADLOCK));
        for finding in other.findings.into_iter().filter(|f| known.insert(explore::key(f))) {
            let (primary, labels) = (finding.primary.span, finding.labels.len());
            let told = question.filter(|span| *span != primary && labels < 2);
            report.findings.push(match told {
                Some(span) => finding.label(span, "this happens when the answer is no"),
                None => finding.legal("this happens when the answer is no"),
            });
        }
        report.stopped = report.stopped.or(other.stopped);
    }
    after.restore(ranks);
    (report, branches)
}

/// Questions that are answered with no one at a time.
const QUESTIONS: usize = 8;
/// Runs in which it is found out which answers cannot be.
const TRIES: usize = 4;

/// What is executed, and how.
struct Run<'a> {
    sync: Sync,
    plan: &'a Plan,
    launch: Launch,
    branches: Branches,
    answers: Answers,
}

impl Run<'_> {
    /// One run. Returns the questions it asked, too.
    fn follow(&mut self, ranks: &mut [Vec<Arg<'_>>], meter: &mut Meter<'_>) -> (Report, Branches, BTreeSet<OpId>) {
        let (plan, launch, sync) = (self.plan, self.launch, self.sync);
        let joint = plan.runs_together(launch) || ranks.len() > 1;
        let setting = Setting { plan, target: plan.checked().info().target, sync, joint };
        let known = if joint && plan.uses_words() { self.record(setting, ranks, meter) } else { VecDeque::new() };
        let mut detector = Detector::new(setting, self.branches.clone(), Words::Known(known), self.answers.again());
        let outcome = observe(plan, ranks, launch, meter, &mut detector);
        match &outcome {
            // What is left when a program stops half-way says nothing about it.
            Err(problem) if problem.code != codes::RUN_DEADLOCK => detector.abandon_team(),
            Err(_) => detector.end_stuck_team(),
            Ok(_) => detector.end_team(),
        }
        let Detector { mut findings, branches, history_bytes, answers, .. } = detector;
        let outcome = outcome.map_err(|problem| match problem.code {
            codes::RUN_DEADLOCK => findings.end_deadlock(problem),
            _ => problem,
        });
        let mut findings = findings.finish();
        let stopped = outcome.is_err().then_some(meter.work).filter(|_| meter.is_spent());
        let instructions = outcome.unwrap_or_else(|problem| {
            if stopped.is_none() {
                findings.insert(0, problem);
            }
            meter.work
        });
        let unordered = sync == Sync::Manual && !plan.orders_pipes();
        let report = Report { findings, sync, unordered, instructions, stopped, history_bytes, undecided: Vec::new() };
        (report, branches, answers.asked)
    }

    /// What a wait learns depends on the whole run, so that is seen first; and so do the answers that can be.
    fn record(
        &mut self,
        setting: Setting<'_>,
        ranks: &mut [Vec<Arg<'_>>],
        meter: &Meter<'_>,
    ) -> VecDeque<clock::Clock> {
        let before = Snapshot::of(ranks);
        let mut known = Vec::new();
        for tries in 0.. {
            if tries == TRIES {
                // Answers that cannot be told apart from those that can are left as they are.
                self.answers = Answers::default();
            }
            let words = Words::Recorded(Log::default());
            let mut recorder = Detector::new(setting, self.branches.clone(), words, self.answers.again());
            let _ = observe(self.plan, ranks, self.launch, &mut meter.aside(), &mut recorder);
            before.restore(ranks);
            let Words::Recorded(log) = recorder.words else { break };
            let (clocks, impossible) = log.solve();
            known = clocks;
            let more = impossible.iter().any(|key| !self.answers.certain.contains(key));
            self.answers.certain.extend(impossible);
            if !more {
                break;
            }
        }
        known.into()
    }
}

/// Executes the program, and tells a detector what happens.
#[expect(clippy::result_large_err, reason = "a run makes at most one")]
fn observe(
    plan: &Plan,
    ranks: &mut [Vec<Arg<'_>>],
    launch: Launch,
    meter: &mut Meter<'_>,
    detector: &mut Detector<'_>,
) -> Result<u64, Diagnostic> {
    let mut metered = Metered { detector, meter };
    match ranks {
        [only] => plan.run_observed(only, launch, &mut metered).map(|report| report.instructions),
        several => {
            let all = plan.run_ranks_observed(several, launch, &mut metered);
            all.map(|reports| reports.first().map_or(0, |r| r.instructions))
        }
    }
}

/// A program that places its tiles, or orders its pipes in some place, orders them everywhere.
pub fn sync_of(plan: &Plan) -> Sync {
    if plan.places_tiles() || plan.orders_pipes() { Sync::Manual } else { Sync::Auto }
}
