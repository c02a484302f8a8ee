//! A program, recorded and simulated.

use super::Args;
use super::network::{TraceMethod, recording};
use crate::input::InputText;
use crate::program::{MOST_RANKS, ProgramArgs, Stop};
use pto::cost::{
    Advice, Laws, Machine, Options, PerfReport, Timeline, Trace, advise, record, record_ranks, record_run, simulate,
    view,
};
use pto::cpu::Plan;
use pto::isa::text;
use pto::{Diagnostic, Program, Target};
use std::sync::atomic::{AtomicU64, Ordering};

/// Items beyond which changes are not tried: each costs a simulation.
const MOST_FOR_ADVICE: usize = 2_000_000;

/// What is counted on the way: recording, simulating, and recording again for each change that is tried.
pub(super) const STAGES: u64 = 6;

/// A predicted run.
pub(super) struct Analysis<'a> {
    pub(super) source: &'a InputText,
    pub(super) target: Target,
    pub(super) plan: Plan,
    pub(super) trace: Trace,
    pub(super) line: Timeline,
    pub(super) report: PerfReport,
    pub(super) advice: Vec<Advice>,
}

impl Analysis<'_> {
    pub(super) fn names(&self) -> view::OpNames<'_> {
        view::OpNames::new(&self.source.name, &self.source.text, self.plan.checked().module())
    }

    pub(super) fn shown<'b>(&'b self, names: &'b view::OpNames<'b>) -> view::Shown<'b> {
        view::Shown { names, trace: &self.trace, line: &self.line, report: &self.report, advice: &self.advice }
    }
}

/// Where traces of a program come from.
struct TraceSource<'a> {
    what: &'a ProgramArgs,
    source: &'a InputText,
    program: &'a Program,
    target: Target,
    plan: Plan,
    recording: TraceMethod,
}

impl TraceSource<'_> {
    /// Records the program on this many blocks; by default as many as requested.
    fn record(&self, options: Options, blocks: Option<u32>) -> Result<Trace, Stop> {
        let blocks = blocks.unwrap_or(self.what.blocks);
        let launch = self.plan.launch().blocks(blocks);
        match &self.recording {
            TraceMethod::Followed(known) => return Ok(record(launch, known, options)?),
            TraceMethod::Ranks(ranks) => return Ok(record_ranks(launch, ranks, options)?),
            TraceMethod::Run => {}
        }
        let mut ready = self.what.ready("perf", self.source, self.program, self.target)?;
        let (plan, mut arguments) = ready.parts();
        Ok(record_run(self.what.launch(plan, 1).blocks(blocks), &mut arguments, options)?)
    }
}

/// Ranks that wait for what they do not send themselves can only be executed, if they are few.
fn unlike_ranks(what: &ProgramArgs, plan: &Plan, trace: &Trace, wait: u32) -> Result<(), Stop> {
    let Some(ranks) = what.ranks.filter(|n| *n > MOST_RANKS) else { return Ok(()) };
    let item = &trace.items[wait as usize];
    let span = plan.checked().module().op(item.op).name_span;
    let rank = trace.cores[trace.core_of(wait as usize)].rank;
    let message = text!("rank {rank} waits for a signal that it does not send to other ranks before", rank);
    let problem = Diagnostic::new(pto::isa::codes::RUN_RANK, span, message)
        .legal(text!(
            "more than {most} ranks are predicted from a few of them, which must all send and wait alike",
            most = MOST_RANKS
        ))
        .help(text!(
            "predict at most {most} ranks instead of {ranks}: those are executed, whatever they do",
            most = MOST_RANKS,
            ranks
        ));
    Err(plan.checked().module().error(problem).into())
}

/// Predicts a program.
pub(super) fn analyse<'a>(
    args: &Args,
    what: &ProgramArgs,
    source: &'a InputText,
    program: &Program,
    target: Target,
    with_advice: bool,
    done: &AtomicU64,
) -> Result<Analysis<'a>, Stop> {
    let network = args.links.network(what.ranks, target)?;
    let (plan, chosen) = recording(what, source, program, target, network.as_ref())?;
    let mut recorder = TraceSource { what, source, program, target, plan, recording: chosen };
    let model = args.model.into();
    let options = Options { model, cores: args.cores, touches: with_advice, network, ..Options::default() };
    let mut trace = recorder.record(options, None)?;
    if let Some(wait) = trace.unanswered.first() {
        // What some ranks do says nothing about others: all of them have to be executed.
        unlike_ranks(what, &recorder.plan, &trace, *wait)?;
        recorder.recording = TraceMethod::Run;
        trace = recorder.record(options, None)?;
    }
    done.fetch_add(1, Ordering::Relaxed);
    let laws = Laws::of(target);
    let line = simulate(&trace, &trace.charges, &Machine::of(laws));
    let line = line.map_err(|stuck| stuck.error(recorder.plan.checked().module(), &trace))?;
    let report = PerfReport::new(&trace, &line, laws);
    done.fetch_add(1, Ordering::Relaxed);
    // What a link takes for all ranks is not simulated, so no change can be tried.
    let is_simulated = report.cycles <= line.cycles;
    let advice = if with_advice && is_simulated && trace.items.len() <= MOST_FOR_ADVICE {
        let quiet = Options { touches: false, ..options };
        advise(&trace, &report, laws, quiet, &|options, blocks| {
            let again = recorder.record(options, blocks).ok();
            done.fetch_add(1, Ordering::Relaxed);
            again
        })
    } else {
        Vec::new()
    };
    Ok(Analysis { source, target, plan: recorder.plan, trace, line, report, advice })
}
