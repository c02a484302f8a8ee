//! One rank of a run, in a process of its own. All ranks take the same steps, and exchange what they found after each of them.

use super::messages::{RankFailure, RankOutcome, RankParam, RankStart};
use crate::check::{self, CheckReport};
use crate::input::InputText;
use crate::program::{ArgContent, BoundParam, Ready, Stop};
use crate::run::inside::InsideReport;
use crate::run::{Args, PreparedRun, finish, prepared, with_sizes};
use crate::{CommandResult, Failure, Outcome};
use pto::cpu::clock::ClockTime;
use pto::cpu::{Arg, Plan, RunReport};
use pto::isa::{codes, text};
use pto::{Diagnostic, Target};
use pto_ranks::RankConnection;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Runs the program as one rank. Rank 0 reports what all did.
pub(super) fn run(args: &Args, ranks: &mut dyn RankConnection) -> CommandResult {
    let is_first = ranks.rank() == 0;
    if !is_first {
        crate::mute();
    }
    let (source, program, target) = match args.program.read() {
        Ok(read) => read,
        Err(failure) => return cannot_read(failure, ranks),
    };
    let own = counts_agree(args, ranks).map_err(Stop::from).and_then(|()| {
        let mut program_args = args.program.clone();
        program_args.uninitialised = (args.uninitialised.into(), args.strict);
        program_args.ready_as_rank(&source, &program, target, (ranks.rank(), ranks.ranks()))
    });
    let done = start_together(args, &source, target, own, ranks)
        .and_then(|started| run_together(args, &source, target, started, ranks));
    let outcome = match done {
        Ok(outcome) => Ok(outcome),
        Err(Stop::Failure(failure)) => Err(failure),
        Err(Stop::Problems(problems)) if is_first => print_problems(args, source, target, problems),
        Err(Stop::Problems(_)) => Ok(Outcome::Problems),
    };
    let outcome = same_outcome(outcome, ranks);
    ranks.end();
    outcome
}

/// The others learn that this rank has no program.
fn cannot_read(failure: Failure, ranks: &dyn RankConnection) -> CommandResult {
    let start = RankStart::failed(RankFailure::Usage(failure.0.clone()));
    let outcome = exchange(ranks, &start).and(Err(failure));
    let outcome = same_outcome(outcome, ranks);
    ranks.end();
    outcome
}

/// `--ranks` must be what the launcher says.
fn counts_agree(args: &Args, ranks: &dyn RankConnection) -> Result<(), Failure> {
    match args.program.ranks.map(|n| n as usize) {
        Some(asked) if asked != ranks.ranks() => Err(Failure(text!(
            "--ranks says {asked}, and {launched} ranks were launched",
            asked,
            launched = ranks.ranks()
        ))),
        _ => Ok(()),
    }
}

fn print_problems(args: &Args, source: InputText, target: Target, problems: Vec<Diagnostic>) -> CommandResult {
    if args.json {
        crate::json::print(&crate::json::problems(&source, target, &problems))?;
    } else {
        check::print_text(&[CheckReport { source, target, problems }])?;
    }
    Ok(Outcome::Problems)
}

/// A run that all ranks are ready for.
struct StartedRun {
    plan: Plan,
    /// By rank.
    params: Vec<Vec<RankParam>>,
    /// What rank 0 needs for the report.
    report: Option<PreparedRun>,
}

/// Tells the others whether this rank is ready, with what, and makes the memory of all.
fn start_together(
    args: &Args,
    source: &InputText,
    target: Target,
    own: Result<Ready, Stop>,
    ranks: &mut dyn RankConnection,
) -> Result<StartedRun, Stop> {
    let start = RankStart {
        failure: own.as_ref().err().map(RankFailure::of),
        program: crc32fast::hash(source.text.as_bytes()),
        options: common_options(args, target),
        params: own.as_ref().map_or_else(|_| Vec::new(), |ready| ready.bound.iter().map(RankParam::of).collect()),
    };
    let mut all: Vec<RankStart> = exchange(ranks, &start)?;
    first_failure(all.iter_mut().map(|start| start.failure.take()))?;
    same_program(&all)?;
    let own = own?;
    let params: Vec<Vec<RankParam>> = all.into_iter().map(|start| start.params).collect();
    ranks
        .open(params.iter().map(|list| list.iter().map(RankParam::bytes).collect()).collect())
        .map_err(Failure::from)?;
    for (at, bound) in own.bound.iter().enumerate() {
        if let ArgContent::Memory(array) | ArgContent::Tensor(array) | ArgContent::Tile(array, _) = &bound.content {
            ranks.fill(at, array.bytes());
        }
    }
    let Ready { plan, measure, .. } = own;
    let report = match ranks.rank() {
        0 => {
            let bound = params.iter().flatten().map(RankParam::bound).collect::<Result<Vec<BoundParam>, _>>();
            let ready = bound.map_err(Stop::from).map(|bound| Ready { plan: plan.clone(), bound, measure });
            Some(ready.and_then(|ready| prepared(args, ready)))
        }
        _ => None,
    };
    let failure = report.as_ref().and_then(|report| report.as_ref().err()).map(RankFailure::of);
    first_failure(exchange(ranks, &failure)?)?;
    Ok(StartedRun { plan, params, report: report.transpose()? })
}

/// What must be the same on all ranks.
fn common_options(args: &Args, target: Target) -> String {
    let p = &args.program;
    format!("--target {} --func {:?} --numerics {:?} --blocks {}", target.name(), p.func, p.numerics, p.blocks)
}

fn same_program(all: &[RankStart]) -> Result<(), Failure> {
    for (rank, start) in all.iter().enumerate().skip(1) {
        if start.program != all[0].program {
            return Err(Failure(text!("rank {rank} has another program than rank 0", rank)));
        }
        if start.options != all[0].options {
            return Err(Failure(text!(
                "rank {rank} has other options than rank 0: {options} instead of {wanted}",
                rank,
                options = start.options,
                wanted = all[0].options
            )));
        }
    }
    Ok(())
}

/// The failure of the first rank that has one; all ranks return the same.
fn first_failure(failures: impl IntoIterator<Item = Option<RankFailure>>) -> Result<(), Stop> {
    let found = failures.into_iter().enumerate().find_map(|(rank, failure)| Some((rank, failure?)));
    match found.map(|(rank, failure)| (rank, failure.into_stop())) {
        None => Ok(()),
        Some((rank, Stop::Failure(Failure(text)))) if rank > 0 => {
            Err(Stop::Failure(Failure(text!("rank {rank}: {text}", rank, text))))
        }
        Some((_, stop)) => Err(stop),
    }
}

/// Runs the program; on rank 0, reports what all ranks did.
fn run_together(
    args: &Args,
    source: &InputText,
    target: Target,
    started: StartedRun,
    ranks: &dyn RankConnection,
) -> Result<Outcome, Stop> {
    let StartedRun { plan, params, report } = started;
    let start = ClockTime::now();
    let ran = launch(args, &plan, &params, ranks);
    let elapsed = start.elapsed();
    ranks.finished(ran.is_err());
    let all: Vec<RankOutcome> = exchange(ranks, &RankOutcome::of(&ran))?;
    let Some(mut ready) = report else {
        return if ran.is_ok() { Ok(Outcome::Clean) } else { Ok(Outcome::Problems) };
    };
    let merged = merge(all.into_iter().map(RankOutcome::into_result).collect())
        .map_err(|problems| with_sizes(Stop::Problems(problems), &ready.run.bound))?;
    fetch_results(&mut ready, ranks)?;
    ranks.end();
    finish(args, source, target, &ready, merged, InsideReport::default(), elapsed)
}

fn launch(
    args: &Args,
    plan: &Plan,
    params: &[Vec<RankParam>],
    ranks: &dyn RankConnection,
) -> Result<RunReport, Vec<Diagnostic>> {
    let mut arguments: Vec<Arg<'_>> = Vec::new();
    for (rank, list) in params.iter().enumerate() {
        arguments.extend(list.iter().enumerate().map(|(at, param)| param.arg(ranks, rank, at)));
    }
    let launch = plan.launch().blocks(args.program.blocks).ranks(ranks.ranks()).as_rank(ranks.rank(), ranks.peers());
    launch.run(&mut arguments).map_err(pto::Error::into_diagnostics)
}

/// One report, or the problems of all ranks.
fn merge(all: Vec<Result<RunReport, Vec<Diagnostic>>>) -> Result<RunReport, Vec<Diagnostic>> {
    if all.iter().any(Result::is_err) {
        return Err(merge_problems(all));
    }
    let mut merged = RunReport::default();
    for mut report in all.into_iter().flatten() {
        merged.written.resize(report.written.len(), false);
        merged.written.iter_mut().zip(&report.written).for_each(|(all, one)| *all |= one);
        merged.instructions += report.instructions;
        merged.printed.append(&mut report.printed);
        merged.notes.append(&mut report.notes);
    }
    merged.notes.sort_by_cached_key(|n| (n.primary.span, n.code, n.message.clone()));
    merged.notes.dedup_by_key(|n| (n.primary.span, n.code));
    Ok(merged)
}

/// What went wrong, without what is only a consequence. A deadlock is one problem, however many ranks wait.
fn merge_problems(all: Vec<Result<RunReport, Vec<Diagnostic>>>) -> Vec<Diagnostic> {
    let done = (0..all.len()).filter(|rank| all[*rank].is_ok()).map(|rank| text!("rank {rank}", rank));
    let done: Vec<String> = done.collect();
    let problems: Vec<Diagnostic> = all.into_iter().filter_map(Result::err).flatten().collect();
    let (consequences, mut causes): (Vec<_>, Vec<_>) = problems.into_iter().partition(|d| d.code == codes::RUN_RANK);
    if causes.is_empty() {
        return consequences.into_iter().take(1).collect();
    }
    if causes.iter().all(|d| d.code == codes::RUN_DEADLOCK) {
        let mut first = causes.remove(0);
        for other in causes {
            let text = other.message.split_once([':', '：']).map_or(&*other.message, |(_, text)| text.trim());
            first = first.label(other.primary.span, text);
            first.labels.extend(other.labels);
        }
        if !done.is_empty() {
            first = first.legal(text!("already finished: {done}", done = done.join(", ")));
        }
        return vec![first];
    }
    causes.retain(|d| d.code != codes::RUN_DEADLOCK);
    causes.dedup();
    causes
}

/// Brings what all ranks have in memory to rank 0.
fn fetch_results(ready: &mut PreparedRun, ranks: &dyn RankConnection) -> Result<(), Stop> {
    let count = ready.run.plan.params().len();
    for (at, bound) in ready.run.bound.iter_mut().enumerate() {
        if let ArgContent::Memory(array) | ArgContent::Tensor(array) | ArgContent::Tile(array, _) = &mut bound.content {
            ranks.read(at / count, at % count, array.bytes_mut()).map_err(Failure::from)?;
        }
    }
    Ok(())
}

/// All ranks end with the exit code of rank 0.
fn same_outcome(outcome: CommandResult, ranks: &dyn RankConnection) -> CommandResult {
    let outcome =
        if ranks.rank() == 0 { outcome.and_then(crate::flushed).map_err(|failure| said(&failure)) } else { outcome };
    let code: u8 = match &outcome {
        Ok(Outcome::Clean) => 0,
        Ok(Outcome::Problems) => 1,
        Ok(Outcome::Different) => 3,
        Err(_) => 2,
    };
    let codes: Vec<u8> = exchange(ranks, &code).map_err(|_| Failure(String::new()))?;
    if ranks.rank() == 0 {
        return outcome;
    }
    match codes[0] {
        0 => Ok(Outcome::Clean),
        1 => Ok(Outcome::Problems),
        3 => Ok(Outcome::Different),
        _ => Err(Failure(String::new())),
    }
}

/// A failure that the user knows of. A launcher may end the other ranks as soon as the first one has ended, so rank 0 must have said
/// everything before any of them does.
fn said(failure: &Failure) -> Failure {
    failure.say();
    Failure(String::new())
}

fn exchange<T: Serialize + DeserializeOwned>(ranks: &dyn RankConnection, message: &T) -> Result<Vec<T>, Failure> {
    let garbled = |_| Failure(text!("another rank runs another version of pto").to_string());
    let bytes = serde_json::to_vec(message).map_err(garbled)?;
    let all = ranks.exchange(&bytes)?;
    all.iter().map(|bytes| serde_json::from_slice(bytes).map_err(garbled)).collect()
}
