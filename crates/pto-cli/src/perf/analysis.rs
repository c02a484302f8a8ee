//! A program, recorded and simulated.

use super::Args;
use crate::input::InputText;
use crate::program::{ProgramArgs, Stop};
use pto::cost::{
    Advice, Laws, Machine, Options, PerfReport, Timeline, Trace, advise, record, record_run, simulate, view,
};
use pto::cpu::{Known, ParamKind, Plan};
use pto::{Program, Target};
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
    known: Vec<Known>,
    /// Only a run shows what it does.
    runs: bool,
}

impl TraceSource<'_> {
    /// Records the program on this many blocks; by default as many as requested.
    fn record(&self, options: Options, blocks: Option<u32>) -> Result<Trace, Stop> {
        let blocks = blocks.unwrap_or(self.what.blocks);
        if !self.runs {
            return Ok(record(self.plan.launch().blocks(blocks), &self.known, options)?);
        }
        let mut ready = self.what.ready("perf", self.source, self.program, self.target)?;
        let (plan, mut arguments) = ready.parts();
        Ok(record_run(self.what.launch(plan, 1).blocks(blocks), &mut arguments, options)?)
    }
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
    // Each rank has its own scalars, such as its rank.
    let (plan, known) = match what.ranks {
        Some(_) => (what.ready("perf", source, program, target)?.plan, Vec::new()),
        None => what.numbers("perf", source, program, target)?,
    };
    let open = |p: &pto::cpu::Param| matches!(&p.kind, ParamKind::Tensor(_, dims) if dims.contains(&None));
    let runs = plan.depends_on_data() || what.ranks.is_some() || plan.params().iter().any(open);
    let recorder = TraceSource { what, source, program, target, plan, known, runs };
    let options = Options { model: args.model.into(), cores: args.cores, touches: with_advice, ..Options::default() };
    let trace = recorder.record(options, None)?;
    done.fetch_add(1, Ordering::Relaxed);
    let laws = Laws::of(target);
    let line = simulate(&trace, &trace.charges, &Machine::of(laws));
    let line = line.map_err(|stuck| stuck.error(recorder.plan.checked().module(), &trace))?;
    let report = PerfReport::new(&trace, &line, laws);
    done.fetch_add(1, Ordering::Relaxed);
    let advice = if with_advice && trace.items.len() <= MOST_FOR_ADVICE {
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
