//! Running a plan: arguments in, blocks over threads, results out.

use super::arguments::BoundArguments;
use super::core::Core;
use super::observe::{Observer, Observing, Reordering, Unwatched, Watch, WatchMode, Watched};
use super::peers::{FarMemory, PeerRanks};
use super::pool;
use super::remains::Remains;
use super::team::Team;
use crate::args::{Arg, ParamKind, RunReport, Timing};
use crate::guard::Guards;
use crate::held::share_bytes;
use crate::machine;
use crate::prepared::{Plan, ValueStorage};
use crate::printed::Printed;
use crate::stop::StopWhen;
use pto_ir::OpId;
use pto_isa::ordered::OrdMap;
use pto_isa::sort::SharedSort;
use pto_isa::text;
use pto_isa::{Diagnostic, Error, codes};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Bytes that all cores of blocks that wait for each other may have.
const MAX_JOINT_BYTES: u64 = 1 << 33;

/// Operations by position, with how often they were executed and how long that took.
#[derive(Default)]
struct Timer(OrdMap<usize, (OpId, u64, u64)>);
impl Watch for Timer {
    fn mode(&self) -> WatchMode {
        WatchMode { times: true, ..WatchMode::PLAIN }
    }
    fn time(&mut self, op: OpId, nanos: u64) {
        let entry = self.0.entry(op.index()).or_insert((op, 0, 0));
        entry.1 += 1;
        entry.2 += nanos;
    }
}

/// Options of a run of a [`Plan`]: blocks, threads, ranks and the observer.
///
/// ```
/// use pto_cpu::{Arg, Event, Observer, Options, Plan};
///
/// struct Count(usize);
/// impl Observer for Count {
///     fn event(&mut self, _: &Event<'_>) {
///         self.0 += 1;
///     }
/// }
///
/// # fn main() -> Result<(), pto_isa::Error> {
/// let (module, _) = pto_syntax::parse("
///     func.func @zero(%x: !pto.ptr<f32>) {
///       %c0 = arith.constant 0 : index
///       %zero = arith.constant 0.0 : f32
///       pto.store_scalar %zero, %x[%c0] : !pto.ptr<f32>, f32
///       return
///     }");
/// let checked = pto_check::check(module, pto_isa::Target::A2A3)?;
/// let plan = Plan::new(&checked, None, Options::default())?;
/// let mut x = [1.0f32];
/// plan.launch().run(&mut [Arg::write(&mut x)])?;
/// assert_eq!(x, [0.0]);
///
/// let mut count = Count(0);
/// let report = plan.launch().blocks(3).observe(&mut count).run(&mut [Arg::write(&mut x)])?;
/// assert_eq!((report.written, count.0), (vec![true], 3));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "nothing runs before `run` is called"]
pub struct Launch<'p, O = ()> {
    plan: &'p Plan,
    blocks: u32,
    threads: usize,
    ranks: usize,
    mode: RunMode<'p>,
    remains: Option<&'p Remains>,
    process: Option<RankOfProcess<'p>>,
    pub(super) shares_any_size: bool,
    pub(super) observer: O,
}

/// The only rank that this process executes.
#[derive(Clone, Copy)]
struct RankOfProcess<'p> {
    rank: usize,
    peers: &'p dyn PeerRanks,
}

impl std::fmt::Debug for RankOfProcess<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "rank {}", self.rank)
    }
}

/// What a run does besides running.
#[derive(Clone, Copy, Debug)]
enum RunMode<'p> {
    Plain,
    Counted(&'p AtomicU64),
    Stoppable(StopWhen<'p>),
    Timed,
    Reordered(u64),
}

impl Plan {
    /// A run as a single block, which can be changed before it is started.
    pub fn launch(&self) -> Launch<'_> {
        Launch {
            plan: self,
            blocks: 1,
            threads: 0,
            ranks: 1,
            mode: RunMode::Plain,
            remains: None,
            process: None,
            shares_any_size: false,
            observer: (),
        }
    }
}

impl<'p, O> Launch<'p, O> {
    /// Runs the program this many times, each time with another block number.
    pub fn blocks(self, blocks: u32) -> Self {
        Self { blocks, ..self }
    }

    /// Threads that share the blocks; 0, which is the default, means as many as the machine has cores. Results do not depend on
    /// it, unless blocks write what others read or write. A single block is shared as well, if it is large, has a loop around which
    /// there is no other, and none of its iterations needs anything of another one.
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Several threads share the loops of a single block even if it is too small to gain from that: for tests.
    #[doc(hidden)]
    pub fn shares_small_blocks(self) -> Self {
        Self { shares_any_size: true, ..self }
    }

    /// Runs the program on several ranks at once. Each has its own arguments: [`run`](Launch::run) takes those of the first rank,
    /// then those of the second, and so on. Memory of another rank is accessed through [`Arg::Remote`].
    pub fn ranks(self, ranks: usize) -> Self {
        Self { ranks: ranks.max(1), ..self }
    }

    /// Executes one of the [ranks](Launch::ranks) only; the others are executed by other processes, which `peers` leads to. The run
    /// still takes arguments for all ranks: those of other ranks are the memory that they share, or memory of the same size, which
    /// `peers` copies to and from. The report is about this rank.
    pub fn as_rank(self, rank: usize, peers: &'p dyn PeerRanks) -> Self {
        Self { process: Some(RankOfProcess { rank, peers }), ..self }
    }

    /// Collects what the run leaves behind that its report does not have: what it printed if it fails, and what tiles hold.
    pub fn keep(self, remains: &'p Remains) -> Self {
        Self { remains: Some(remains), ..self }
    }

    /// What is launched.
    pub fn plan(&self) -> &'p Plan {
        self.plan
    }

    /// How many blocks are launched.
    pub fn block_count(&self) -> u32 {
        self.blocks
    }

    /// On how many ranks.
    pub fn rank_count(&self) -> usize {
        self.ranks
    }

    /// Checks arguments against the parameters, without running.
    ///
    /// # Errors
    /// When their number, an element type or a size does not fit.
    pub fn accepts(&self, args: &mut [Arg<'_>]) -> Result<(), Error> {
        self.plan.bind(args, self.ranks, false).map(drop).map_err(|problem| self.error(problem))
    }

    /// True when all blocks run at the same time. Those that only might wait for each other do not where tiles go from block to block, or where there
    /// are too many.
    pub fn runs_together(&self) -> bool {
        let plan = self.plan;
        let may = || self.blocks > 1 && !plan.has_tiles() && plan.all_fit(self.blocks.into()).is_ok();
        plan.cores.joint || plan.cores.asks && may()
    }

    pub(super) fn error(&self, problem: Diagnostic) -> Error {
        self.plan.module().error(problem)
    }

    /// The same without an observer.
    fn unobserved(&self) -> Launch<'p> {
        let Self { plan, blocks, threads, ranks, mode, remains, process, shares_any_size, .. } = *self;
        Launch { plan, blocks, threads, ranks, mode, remains, process, shares_any_size, observer: () }
    }
}

impl<'p> Launch<'p> {
    /// Counts executed instructions and iterations of loops while the program runs; [`Measure::work`](crate::Measure::work) is about as
    /// much. A run is counted, timed or reordered: the last of these calls counts.
    pub fn progress(self, counter: &'p AtomicU64) -> Self {
        Self { mode: RunMode::Counted(counter), ..self }
    }

    /// Stops the run, with an error, once it is asked to. Such a run is neither counted nor timed nor reordered.
    pub fn stop_when(self, stop: StopWhen<'p>) -> Self {
        Self { mode: RunMode::Stoppable(stop), ..self }
    }

    /// Measures the time of each instruction ([`RunReport::timings`]), on one thread.
    pub fn timed(self) -> Self {
        Self { mode: RunMode::Timed, ..self }
    }

    /// Runs the program with pipes that are as far apart as they may be: instructions of different pipes change places
    /// wherever no flag, barrier, token, signal or pipe between cores keeps them in order. The seed says how; the same seed
    /// gives the same order. A program that lacks a flag may compute something else, or its pipes may wait for each other.
    pub fn reordered(self, seed: u64) -> Self {
        Self { mode: RunMode::Reordered(seed), ..self }
    }

    /// Reports the run to an observer, on one thread, block after block. Such a run is neither counted nor timed nor reordered.
    /// Arguments that [hold](Arg::held) the same bytes are one buffer to the observer: that of the first of them.
    pub fn observe<'o>(self, observer: &'o mut dyn Observer) -> Launch<'p, &'o mut dyn Observer> {
        let Self { plan, blocks, threads, ranks, mode, remains, process, shares_any_size, .. } = self;
        Launch { plan, blocks, threads, ranks, mode, remains, process, shares_any_size, observer }
    }

    /// Runs the program on borrowed memory: an argument for each parameter, and that for each rank.
    ///
    /// # Errors
    /// When an argument does not fit its parameter, or an instruction fails; memory may then be partly written.
    pub fn run(self, args: &mut [Arg<'_>]) -> Result<RunReport, Error> {
        let done = match self.mode {
            RunMode::Plain => self.over_threads(args, Unwatched::default()),
            RunMode::Counted(counter) => self.over_threads(args, Unwatched { counter: Some(counter), stop: None }),
            RunMode::Stoppable(stop) => self.over_threads(args, Unwatched { counter: None, stop: Some(stop) }),
            RunMode::Timed => self.measure_time(args),
            RunMode::Reordered(seed) => self.in_order::<dyn Watch>(args, seed, &mut Reordering),
        };
        done.map_err(|problem| self.error(problem))
    }

    fn measure_time(&self, args: &mut [Arg<'_>]) -> Result<RunReport, Diagnostic> {
        let mut timer = Timer::default();
        let mut report = self.in_order::<dyn Watch>(args, 0, &mut timer)?;
        let timing = |(op, count, nanos)| {
            let data = self.plan.module().op(op);
            Timing { name: data.op.row().name.to_string(), span: data.span, count, nanos }
        };
        report.timings = timer.0.into_values().map(timing).collect();
        Ok(report)
    }

    /// Block after block; the seed is for pipes that chance orders.
    fn in_order<W: Watched + ?Sized>(
        &self,
        args: &mut [Arg<'_>],
        seed: u64,
        watch: &mut W,
    ) -> Result<RunReport, Diagnostic> {
        let plan = self.plan;
        let bound = plan.bind(args, self.ranks, watch.mode().observes)?;
        if self.ranks > 1 || self.process.is_some() || self.runs_together() {
            let mut report = self.run_joint(&bound, args, seed, watch)?;
            bound.spread_written(&mut report.written);
            return Ok(plan.report(report));
        }
        plan.fits(1)?;
        let mut team = Team::new(plan, &bound.buffers, None, self.blocks)?;
        let mut printed = Vec::new();
        for block in 0..self.blocks {
            if block > 0 && !watch.progress(0) {
                self.keep_printed(printed);
                return Err(self.stopped());
            }
            team.reset(block);
            team.shuffle(seed);
            team.cores.iter_mut().for_each(|core| bound.enter(0, core, args));
            self.execute(&mut team, &mut printed, watch)
                .inspect_err(|_| self.keep_printed(std::mem::take(&mut printed)))?;
            bound.leave(&mut team.cores[0], args);
            printed.extend(team.take_printed());
        }
        let mut report = RunReport { printed, ..team.finish() };
        bound.spread_written(&mut report.written);
        Ok(plan.report(report))
    }

    /// All blocks of all ranks together.
    fn run_joint<W: Watched + ?Sized>(
        &self,
        bound: &BoundArguments,
        args: &mut [Arg<'_>],
        seed: u64,
        watch: &mut W,
    ) -> Result<RunReport, Diagnostic> {
        let (plan, count) = (self.plan, self.plan.source.params.len());
        let ranks = if self.process.is_some() { 1 } else { self.ranks as u64 };
        plan.all_fit(ranks * u64::from(self.blocks))?;
        let guards;
        let (mut team, executed) = match self.process {
            Some(RankOfProcess { rank, peers }) => {
                guards = peers.locks().map(|words| Guards::lent(&bound.buffers, words));
                let far = FarMemory {
                    peers,
                    own: (rank * count, (rank + 1) * count),
                    count: bound.buffers.len(),
                    copies: guards.is_none(),
                };
                (Team::of_rank(plan, guards.as_ref(), far), rank..rank + 1)
            }
            None => (Team::empty(plan), 0..self.ranks),
        };
        for rank in executed.clone() {
            for block in 0..self.blocks {
                let first = team.cores.len();
                team.add(plan, &bound.buffers, (rank as u32, self.ranks as u32), (block, self.blocks))?;
                let own = &mut args[rank * count..][..count];
                team.cores[first..].iter_mut().for_each(|core| bound.enter(rank, core, own));
            }
        }
        team.shuffle(seed);
        let mut printed = Vec::new();
        self.execute(&mut team, &mut printed, watch).inspect_err(|_| self.keep_printed(printed))?;
        for rank in executed {
            // Each block had its own tile; only one of them can be returned.
            let last = |c: &&mut Core| (c.who.id.rank as usize, c.who.id.block + 1) == (rank, self.blocks);
            let own = &mut args[rank * count..][..count];
            team.cores.iter_mut().find(last).into_iter().for_each(|core| bound.leave(core, own));
        }
        Ok(team.finish())
    }

    fn over_threads(&self, args: &mut [Arg<'_>], mut watch: Unwatched<'_>) -> Result<RunReport, Diagnostic> {
        if let Some(done) = self.share_block(args, watch) {
            return done;
        }
        let (plan, threads) = (self.plan, self.thread_count());
        if threads <= 1 || self.ranks > 1 || plan.has_tiles() || self.runs_together() || share_bytes(args) {
            return self.in_order(args, 0, &mut watch);
        }
        plan.fits(threads as u64)?;
        let bound = plan.bind(args, 1, false)?;
        let guards = Guards::new(&bound.buffers);
        let next = AtomicU32::new(0);
        let failed = AtomicBool::new(false);
        let nothing = RunReport { written: vec![false; plan.source.params.len()], ..RunReport::default() };
        let outcome: SharedOutcome = Mutex::new((None, nothing));
        let work = || {
            let mut team = match Team::new(plan, &bound.buffers, Some(&guards), self.blocks) {
                Ok(team) => team,
                Err(problem) => return note_failure(&outcome, &failed, u32::MAX, problem),
            };
            let mut watch = watch;
            let mut printed = Vec::new();
            loop {
                let block = next.fetch_add(1, Ordering::Relaxed);
                if block >= self.blocks || failed.load(Ordering::Relaxed) {
                    break;
                }
                if !watch.progress(0) {
                    note_failure(&outcome, &failed, block, self.stopped());
                    break;
                }
                team.reset(block);
                team.cores.iter_mut().for_each(|core| bound.enter_scalars(0, core));
                if let Err(problem) = self.execute(&mut team, &mut printed, &mut watch) {
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
        pool::run(threads, &work);
        let (problem, mut report) = outcome.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        report.printed.shared_sort_by_key(|p| p.core.block);
        match problem {
            Some((_, problem)) => {
                self.keep_printed(report.printed);
                Err(problem)
            }
            None => Ok(plan.report(report)),
        }
    }

    /// Runs the cores of a team, and keeps what they leave behind; if they fail, also what they printed.
    fn execute<W: Watched + ?Sized>(
        &self,
        team: &mut Team<'_>,
        printed: &mut Vec<Printed>,
        watch: &mut W,
    ) -> Result<(), Diagnostic> {
        let keeps_tiles = self.remains.is_some_and(Remains::wants_tiles);
        team.cores.iter_mut().for_each(|core| core.issue.collected.keeps_tiles = keeps_tiles);
        let done = team.execute(watch);
        if let Some(remains) = self.remains {
            remains.keep_tiles(&mut team.cores);
        }
        if done.is_err() {
            printed.extend(team.take_printed());
        }
        done
    }

    fn keep_printed(&self, printed: Vec<Printed>) {
        if let Some(remains) = self.remains {
            remains.keep_printed(printed);
        }
    }

    fn stopped(&self) -> Diagnostic {
        Diagnostic::new(codes::RUN_LIMIT, self.plan.entry_span(), text!("the run was stopped"))
    }

    fn thread_count(&self) -> usize {
        // The question takes longer than a small program.
        if self.blocks <= 1 { 1 } else { self.wanted_threads().min(self.blocks as usize) }
    }

    /// As many threads as may be used, whatever there is to do.
    pub(super) fn wanted_threads(&self) -> usize {
        match self.threads {
            _ if cfg!(target_family = "wasm") => 1,
            0 => std::thread::available_parallelism().map_or(1, Into::into),
            n => n,
        }
    }

    /// A single block of one rank, of which nothing is kept but its results.
    pub(super) fn is_one_plain_block(&self) -> bool {
        let keeps_tiles = self.remains.is_some_and(Remains::wants_tiles);
        let has_threads = self.threads != 1 && !cfg!(target_family = "wasm");
        has_threads && self.blocks == 1 && self.ranks == 1 && self.process.is_none() && !keeps_tiles
    }
}

impl Launch<'_, &mut dyn Observer> {
    /// As [`Launch::run`], with an observer.
    ///
    /// # Errors
    /// As [`Launch::run`].
    pub fn run(self, args: &mut [Arg<'_>]) -> Result<RunReport, Error> {
        let launch = self.unobserved();
        let watch = &mut Observing { observer: self.observer, skips_repeats: false, computes: true };
        launch.in_order::<dyn Watch>(args, 0, watch).map_err(|problem| launch.error(problem))
    }

    /// The same for an observer that looks at what happens, not at numbers. If no branch, address or error can depend on a number in
    /// memory, an instruction is executed once, and only reported when it repeats with the same operands. So what the run leaves in
    /// memory is not defined.
    ///
    /// # Errors
    /// As [`Launch::run`].
    pub fn run_without_results(self, args: &mut [Arg<'_>]) -> Result<RunReport, Error> {
        let launch = self.unobserved();
        let skips_repeats = !launch.plan().decides_by_numbers();
        let watch = &mut Observing { observer: self.observer, skips_repeats, computes: true };
        launch.in_order::<dyn Watch>(args, 0, watch).map_err(|problem| launch.error(problem))
    }
}

impl Plan {
    fn has_tiles(&self) -> bool {
        self.source.params.iter().any(|p| matches!(p.kind, ParamKind::Tile(_)))
    }

    /// Blocks that wait for each other all have memory at the same time.
    pub(super) fn all_fit(&self, blocks: u64) -> Result<(), Diagnostic> {
        let all = self.memory_bytes().saturating_mul(blocks);
        if all <= MAX_JOINT_BYTES {
            return self.fits(blocks);
        }
        let message =
            text!("{blocks} blocks that wait for each other, with {all} MiB of memory in all", blocks, all = all >> 20);
        Err(Diagnostic::new(codes::RUN_LIMIT, self.entry_span(), message)
            .legal(text!("at most {value} GiB", value = MAX_JOINT_BYTES >> 30))
            .help(text!("launch fewer blocks or ranks")))
    }

    /// Checks that the cores of this many blocks fit into the memory of this machine.
    pub(super) fn fits(&self, blocks: u64) -> Result<(), Diagnostic> {
        // What earlier runs have left need not be asked for again.
        let kept = self.roles().map(|role| role.memory.spare.bytes()).sum();
        let bytes = self.memory_bytes().saturating_mul(blocks).saturating_sub(kept);
        if machine::is_small(bytes) {
            return Ok(());
        }
        let what = if blocks == 1 {
            text!("the cores of a block").into()
        } else {
            text!("the cores of {blocks} blocks at a time", blocks)
        };
        machine::has_room(bytes, &what, self.entry_span())
            .map_err(|d| d.help(text!("make the tiles smaller, or run with fewer threads")))
    }

    /// Completes a report: tiles that are written, and one note for each instruction.
    pub(super) fn report(&self, mut report: RunReport) -> RunReport {
        for (at, slot) in self.source.slots.iter().enumerate() {
            if let ValueStorage::Tile(tile) = slot {
                let writes =
                    self.calls.kernels.iter().flat_map(|k| &k.tiles).any(|o| o.writes && o.register == Some(*tile));
                // The parameter of every rank.
                report
                    .written
                    .iter_mut()
                    .skip(at)
                    .step_by(self.source.params.len())
                    .for_each(|written| *written |= writes);
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
type SharedOutcome = Mutex<(Option<(u32, Diagnostic)>, RunReport)>;

fn note_failure(outcome: &SharedOutcome, failed: &AtomicBool, block: u32, problem: Diagnostic) {
    failed.store(true, Ordering::Relaxed);
    let mut outcome = outcome.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    // The first block's problem is reported, so that the message does not depend on the threads.
    if outcome.0.as_ref().is_none_or(|(b, _)| block < *b) {
        outcome.0 = Some((block, problem));
    }
}
