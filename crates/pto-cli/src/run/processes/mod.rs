//! Ranks as processes of their own: `--processes`, and what a launcher such as `mpirun` starts.

mod messages;
mod rank;

use super::Args;
use crate::check::{self, CheckReport};
use crate::input::InputText;
use crate::{CommandResult, Failure, Outcome};
use pto::isa::{codes, text};
use pto::{Diagnostic, Target};
use pto_mpi::Mpi;
use pto_ranks::{LossReason, LostRank, MpiRank, RankError, RankProcesses, RanksEnded, SharedRank, launched_ranks};
use std::path::Path;

/// Runs the program if ranks are processes: as one of them, or as the process that starts them. `None` if they are not.
pub(super) fn run(args: &Args) -> Option<CommandResult> {
    if let Some(connected) = SharedRank::connect() {
        return Some(connected.map_err(Failure::from).and_then(|mut ranks| rank::run(args, &mut ranks)));
    }
    if let Some(launched) = launched_ranks() {
        return Some(run_under_mpi(args, launched.rank));
    }
    let count = args.program.ranks.filter(|_| args.processes)?;
    if let Err(too_many) = args.program.few_ranks() {
        return Some(Err(too_many));
    }
    Some(supervise(args, count as usize))
}

/// The variable that makes ranks copy memory through MPI, although they are on one machine.
const COPIES: &str = "PTO_MPI_COPY";

/// Runs the program as the rank that `mpirun`, or another launcher, gave this process.
fn run_under_mpi(args: &Args, rank: usize) -> CommandResult {
    if rank > 0 {
        crate::mute();
    }
    if args.processes || args.time || !args.find.is_empty() {
        let text = text!("--processes, --time and --find do not go with ranks that a launcher has started");
        return Err(Failure(text.to_string()));
    }
    let mpi = Mpi::start().map_err(RankError::from)?;
    let copies = std::env::var_os(COPIES).is_some_and(|value| value == "1");
    if mpi.all_on_one_machine() && !copies {
        return rank::run(args, &mut SharedRank::of_mpi(&mpi)?);
    }
    rank::run(args, &mut MpiRank::new(&mpi)?)
}

impl From<RankError> for Failure {
    fn from(error: RankError) -> Self {
        match error {
            // Whoever started the ranks says why.
            RankError::Abandoned => Self(String::new()),
            other => Self(other.to_string()),
        }
    }
}

/// Starts the ranks, and reports one that is lost. Otherwise rank 0 reports.
fn supervise(args: &Args, count: usize) -> CommandResult {
    let (source, _, target) = args.program.read()?;
    let is_stdin = args.program.file == Path::new("-");
    let stdin = is_stdin.then_some(source.text.as_bytes());
    let ranks = RankProcesses::start(count, &std::env::args_os().skip(1).collect::<Vec<_>>(), stdin)?;
    match ranks.wait()? {
        RanksEnded::Code(0) => Ok(Outcome::Clean),
        RanksEnded::Code(1) => Ok(Outcome::Problems),
        RanksEnded::Code(3) => Ok(Outcome::Different),
        RanksEnded::Lost(lost) => report_lost(args, source, target, &lost),
        _ => Err(Failure(String::new())),
    }
}

fn report_lost(args: &Args, source: InputText, target: Target, lost: &LostRank) -> CommandResult {
    let rank = lost.rank;
    let message = match lost.reason {
        LossReason::Signal(signal) => text!("rank {rank} was ended by signal {signal}", rank, signal),
        LossReason::Hangs => text!("rank {rank} does not answer any more", rank),
        LossReason::Code(code) => text!("rank {rank} ended with exit code {code} before the run was over", rank, code),
        _ => text!("rank {rank} is lost", rank),
    };
    let mut problem = Diagnostic::new(codes::RUN_RANK, lost.span.unwrap_or_default(), message);
    problem.primary.text = match (&lost.awaited, lost.span) {
        (Some(waits), _) => waits.clone(),
        (None, Some(_)) => text!("the last instruction it executed").to_string(),
        (None, None) => text!("it had not started the program").to_string(),
    };
    let problem = problem.help(text!("the other ranks were stopped; nothing was written"));
    let problems = vec![problem];
    if args.json {
        crate::json::print(&crate::json::problems(&source, target, &problems))?;
    } else {
        check::print_text(&[CheckReport { source, target, problems }])?;
    }
    Ok(Outcome::Problems)
}
