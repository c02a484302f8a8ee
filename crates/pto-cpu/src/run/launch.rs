//! Running a plan: arguments in, blocks over threads, results out.

use super::arguments::Bound;
use super::core::Core;
use super::observe::{Observer, Observing, Reordering, Silent, Watch};
use super::team::Team;
use crate::args::{Arg, Launch, ParamKind, Report};
use crate::guard::Guards;
use crate::machine;
use crate::prepared::{Plan, Slot};
use pto_ir::OpId;
use pto_isa::{Diagnostic, Span, codes};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Bytes that all cores of blocks that wait for each other may have.
const MAX_JOINT_BYTES: u64 = 1 << 33;

/// The time an instruction of the text took, over all its executions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Timing {
    /// Its mnemonic.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// How often it was executed.
    pub count: u64,
    /// Nanoseconds in all.
    pub nanos: u64,
}

struct Counting<'a>(&'a AtomicU64);
impl Watch for Counting<'_> {
    fn progress(&mut self, instructions: u64) -> bool {
        self.0.fetch_add(instructions, Ordering::Relaxed);
        true
    }
}

/// Operations by position, with how often they were executed and how long that took.
#[derive(Default)]
struct Timer(BTreeMap<usize, (OpId, u64, u64)>);
impl Watch for Timer {
    const TIMES: bool = true;
    fn time(&mut self, op: OpId, nanos: u64) {
        let entry = self.0.entry(op.index()).or_insert((op, 0, 0));
        entry.1 += 1;
        entry.2 += nanos;
    }
}

impl Plan {
    /// Runs the program.
    ///
    /// Blocks share the threads of `launch`. The result is the same for any number of threads, unless blocks write what
    /// others read or write.
    ///
    /// # Errors
    /// When an argument does not fit its parameter, or an instruction fails; memory may then be partly written.
    pub fn run(&self, args: &mut [Arg<'_>], launch: Launch) -> Result<Report, Diagnostic> {
        self.run_blocks(args, launch, || Silent)
    }

    /// As [`Plan::run`], counting executed instructions and iterations of loops as it goes; [`Measure::work`](crate::Measure::work) is about as much.
    ///
    /// # Errors
    /// As [`Plan::run`].
    pub fn run_watched(
        &self,
        args: &mut [Arg<'_>],
        launch: Launch,
        progress: &AtomicU64,
    ) -> Result<Report, Diagnostic> {
        self.run_blocks(args, launch, || Counting(progress))
    }

    /// As [`Plan::run`] on one thread, measuring the time of each instruction.
    ///
    /// # Errors
    /// As [`Plan::run`].
    pub fn run_timed(&self, args: &mut [Arg<'_>], launch: Launch) -> Result<(Report, Vec<Timing>), Diagnostic> {
        let mut timer = Timer::default();
        let report = self.run_in_order(args, launch, &mut timer)?;
        let timing = |(op, count, nanos)| {
            let data = self.module().op(op);
            Timing { name: data.op.row().name.to_string(), span: data.span, count, nanos }
        };
        Ok((report, timer.0.into_values().map(timing).collect()))
    }

    /// As [`Plan::run`] on one thread, block after block, telling an observer what happens.
    ///
    /// # Errors
    /// As [`Plan::run`].
    pub fn run_observed<O: Observer + ?Sized>(
        &self,
        args: &mut [Arg<'_>],
        launch: Launch,
        observer: &mut O,
    ) -> Result<Report, Diagnostic> {
        self.run_in_order(args, launch, &mut Observing(observer))
    }

    /// Runs the program on several ranks at once, each with its own arguments. Memory of another rank is reached through
    /// [`Arg::Remote`].
    ///
    /// # Errors
    /// As [`Plan::run`].
    pub fn run_ranks(&self, ranks: &mut [Vec<Arg<'_>>], launch: Launch) -> Result<Vec<Report>, Diagnostic> {
        self.all_ranks(ranks, launch, 0, &mut Silent)
    }

    /// As [`Plan::run_ranks`], counting what is executed as it goes.
    ///
    /// # Errors
    /// As [`Plan::run`].
    pub fn run_ranks_watched(
        &self,
        ranks: &mut [Vec<Arg<'_>>],
        launch: Launch,
        progress: &AtomicU64,
    ) -> Result<Vec<Report>, Diagnostic> {
        self.all_ranks(ranks, launch, 0, &mut Counting(progress))
    }

    /// Runs the program on several ranks and tells an observer.
    ///
    /// # Errors
    /// As [`Plan::run`].
    pub fn run_ranks_observed<O: Observer + ?Sized>(
        &self,
        ranks: &mut [Vec<Arg<'_>>],
        launch: Launch,
        observer: &mut O,
    ) -> Result<Vec<Report>, Diagnostic> {
        self.all_ranks(ranks, launch, 0, &mut Observing(observer))
    }

    /// Runs the program with pipes that are as far apart as they may be: instructions of different pipes change places
    /// wherever no flag, barrier, token, signal or pipe between cores keeps them in order. The seed says how; the same seed
    /// gives the same order. A program that lacks a flag may compute something else.
    ///
    /// # Errors
    /// As [`Plan::run`]; also when the pipes of a core wait for each other.
    pub fn run_reordered(
        &self,
        ranks: &mut [Vec<Arg<'_>>],
        launch: Launch,
        seed: u64,
    ) -> Result<Vec<Report>, Diagnostic> {
        let launch = Launch { threads: 1, ..launch };
        match ranks {
            [only] => self.in_order(only, launch, seed, &mut Reordering).map(|report| vec![report]),
            several => self.all_ranks(several, launch, seed, &mut Reordering),
        }
    }

    fn all_ranks<W: Watch>(
        &self,
        ranks: &mut [Vec<Arg<'_>>],
        launch: Launch,
        seed: u64,
        watch: &mut W,
    ) -> Result<Vec<Report>, Diagnostic> {
        let bound = self.bind(ranks)?;
        let mut all = self.run_joint(&bound, ranks, launch, seed, watch)?;
        let count = self.source.params.len();
        let written = std::mem::take(&mut all.written);
        let part = |rank: usize| written[rank * count..(rank + 1) * count].to_vec();
        let other = |rank: usize| Report { written: part(rank), instructions: all.instructions, ..Report::default() };
        let mut reports: Vec<Report> = (1..ranks.len()).map(|rank| self.report(other(rank))).collect();
        if !ranks.is_empty() {
            reports.insert(0, self.report(Report { written: part(0), ..all }));
        }
        Ok(reports)
    }

    fn run_in_order<W: Watch>(
        &self,
        args: &mut [Arg<'_>],
        launch: Launch,
        watch: &mut W,
    ) -> Result<Report, Diagnostic> {
        self.in_order(args, launch, 0, watch)
    }

    /// Block after block; the seed is for pipes that chance orders.
    fn in_order<W: Watch>(
        &self,
        args: &mut [Arg<'_>],
        launch: Launch,
        seed: u64,
        watch: &mut W,
    ) -> Result<Report, Diagnostic> {
        let mut ranks = [args];
        let bound = self.bind(&mut ranks)?;
        if self.runs_together(launch) {
            return Ok(self.report(self.run_joint(&bound, &mut ranks, launch, seed, watch)?));
        }
        self.fits(1)?;
        let mut team = Team::new(self, &bound.buffers, None, launch.blocks)?;
        let mut printed = Vec::new();
        for block in 0..launch.blocks {
            team.reset(block);
            team.shuffle(seed);
            team.cores.iter_mut().for_each(|core| bound.enter(0, core, ranks[0]));
            team.execute(watch)?;
            bound.leave(&mut team.cores[0], ranks[0]);
            printed.extend(team.take_printed());
        }
        Ok(self.report(Report { printed, ..team.finish() }))
    }

    /// All blocks of all ranks together.
    fn run_joint<'a, A: AsMut<[Arg<'a>]>, W: Watch>(
        &self,
        bound: &Bound,
        ranks: &mut [A],
        launch: Launch,
        seed: u64,
        watch: &mut W,
    ) -> Result<Report, Diagnostic> {
        self.all_fit(ranks.len() as u64 * u64::from(launch.blocks))?;
        let mut team = Team::empty(self);
        for (rank, args) in ranks.iter_mut().enumerate() {
            for block in 0..launch.blocks {
                let first = team.cores.len();
                team.add(self, &bound.buffers, rank as u32, block, launch.blocks)?;
                team.cores[first..].iter_mut().for_each(|core| bound.enter(rank, core, args.as_mut()));
            }
        }
        team.shuffle(seed);
        team.execute(watch)?;
        for (rank, args) in ranks.iter_mut().enumerate() {
            // Each block had a tile of its own; one of them can be given back.
            let last = |c: &&mut Core| (c.who.rank as usize, c.who.block + 1) == (rank, launch.blocks);
            team.cores.iter_mut().find(last).into_iter().for_each(|core| bound.leave(core, args.as_mut()));
        }
        Ok(team.finish())
    }

    /// True when all blocks run at the same time. Those that only might wait for each other do not where tiles go from block to block, or where there
    /// are too many.
    pub fn runs_together(&self, launch: Launch) -> bool {
        let may = || launch.blocks > 1 && !self.has_tiles() && self.all_fit(launch.blocks.into()).is_ok();
        self.cores.joint || self.cores.asks && may()
    }

    fn has_tiles(&self) -> bool {
        self.source.params.iter().any(|p| matches!(p.kind, ParamKind::Tile(_)))
    }

    /// Blocks that wait for each other all have memory at the same time.
    pub(super) fn all_fit(&self, blocks: u64) -> Result<(), Diagnostic> {
        let all = self.memory_bytes().saturating_mul(blocks);
        if all <= MAX_JOINT_BYTES {
            return self.fits(blocks);
        }
        let message = format!("{blocks} blocks that wait for each other, with {} MiB of memory in all", all >> 20);
        Err(Diagnostic::new(codes::RUN_LIMIT, self.entry_span(), message)
            .legal(format!("at most {} GiB", MAX_JOINT_BYTES >> 30))
            .help("launch fewer blocks or ranks"))
    }

    /// The cores of so many blocks fit into the memory of this machine.
    pub(super) fn fits(&self, blocks: u64) -> Result<(), Diagnostic> {
        let bytes = self.memory_bytes().saturating_mul(blocks);
        let what =
            if blocks == 1 { "the cores of a block".into() } else { format!("the cores of {blocks} blocks at a time") };
        machine::has_room(bytes, &what, self.entry_span())
            .map_err(|d| d.help("make the tiles smaller, or run with fewer threads"))
    }

    fn run_blocks<W: Watch>(
        &self,
        args: &mut [Arg<'_>],
        launch: Launch,
        watch: impl Fn() -> W + Sync,
    ) -> Result<Report, Diagnostic> {
        let threads = thread_count(launch);
        if threads <= 1 || self.has_tiles() || self.runs_together(launch) {
            return self.run_in_order(args, launch, &mut watch());
        }
        self.fits(threads as u64)?;
        let bound = self.bind(&mut [args])?;
        let guards = Guards::new(&bound.buffers);
        let next = AtomicU32::new(0);
        let failed = AtomicBool::new(false);
        let nothing = Report { written: vec![false; self.source.params.len()], ..Report::default() };
        let outcome: Outcome = Mutex::new((None, nothing));
        let work = || {
            let mut team = match Team::new(self, &bound.buffers, Some(&guards), launch.blocks) {
                Ok(team) => team,
                Err(problem) => return note_failure(&outcome, &failed, u32::MAX, problem),
            };
            let mut watch = watch();
            let mut printed = Vec::new();
            loop {
                let block = next.fetch_add(1, Ordering::Relaxed);
                if block >= launch.blocks || failed.load(Ordering::Relaxed) {
                    break;
                }
                team.reset(block);
                team.cores.iter_mut().for_each(|core| bound.enter_scalars(0, core));
                if let Err(problem) = team.execute(&mut watch) {
                    note_failure(&outcome, &failed, block, problem);
                    break;
                }
                printed.extend(team.take_printed());
            }
            let mut done = team.finish();
            let mut outcome = outcome.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let all = &mut outcome.1;
            all.written.iter_mut().zip(&done.written).for_each(|(all, one)| *all |= one);
            all.instructions += done.instructions;
            all.printed.append(&mut printed);
            all.notes.append(&mut done.notes);
        };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
        let (problem, mut report) = outcome.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        report.printed.sort_by_key(|p| p.block);
        match problem {
            Some((_, problem)) => Err(problem),
            None => Ok(self.report(report)),
        }
    }

    /// Completes a report: tiles that are written, and one note for each instruction.
    fn report(&self, mut report: Report) -> Report {
        for (at, slot) in self.source.slots.iter().enumerate() {
            if let Slot::Tile(tile) = slot {
                let writes =
                    self.calls.kernels.iter().flat_map(|k| &k.tiles).any(|o| o.writes && o.register == Some(*tile));
                report.written[at] |= writes;
            }
        }
        // Cores may have seen different extents.
        let key = |n: &Diagnostic| (n.primary.span, n.code, n.message.clone());
        report.notes.sort_by_cached_key(key);
        report.notes.dedup_by_key(|n| (n.primary.span, n.code));
        report
    }
}

/// What the threads found out together: the problem of the first block that has one, what was written, how many
/// instructions were executed, and what was printed.
type Outcome = Mutex<(Option<(u32, Diagnostic)>, Report)>;

fn note_failure(outcome: &Outcome, failed: &AtomicBool, block: u32, problem: Diagnostic) {
    failed.store(true, Ordering::Relaxed);
    let mut outcome = outcome.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    // The first block's problem is reported, so that the message does not depend on the threads.
    if outcome.0.as_ref().is_none_or(|(b, _)| block < *b) {
        outcome.0 = Some((block, problem));
    }
}

fn thread_count(launch: Launch) -> usize {
    let wanted = match launch.threads {
        0 => std::thread::available_parallelism().map_or(1, Into::into),
        n => n,
    };
    wanted.min(launch.blocks as usize)
}
