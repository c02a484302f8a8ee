//! One block on several threads, which share the iterations of its loops.
//!
//! Each thread has a core of its own and executes all steps, but of the shared loops only the instructions in iterations that it has
//! taken. It takes some at a time, in order, from what the others have left.

use super::arguments::BoundArguments;
use super::core::Core;
use super::launch::Launch;
use super::loop_share::{LoopsToShare, ShareOfLoops};
use super::observe::Unwatched;
use super::pool;
use super::team::Team;
use crate::args::{Arg, RunReport};
use crate::guard::Guards;
use crate::held::share_bytes;
use crate::prepared::{Plan, SharingProof, StepId};
use pto_isa::Diagnostic;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that the iterations must access in all: waking threads takes longer than less.
const LEAST_BYTES: u64 = 1 << 20;

/// Bytes that the arguments must have: a program on less is over before it has been followed.
const LEAST_MEMORY: usize = 512 << 10;

/// Pieces that each thread takes on average.
const PIECES: u64 = 8;

impl Core<'_> {
    /// A loop is about to begin an iteration, or to end.
    pub(super) fn enter_shared_loop(&mut self, test: StepId, goes_on: bool) {
        let loops = &self.plan.sharing.loops;
        let Some(at) = loops.iter().position(|of| of.test == test) else { return };
        let of = &loops[at];
        let distance = self.int(of.counter).wrapping_sub(self.int(of.lower)) as u64;
        let number = distance / self.reg(of.step).max(1);
        self.share.enter(at, goes_on.then_some(number));
    }
}

impl SharingProof {
    fn most_iterations(&self) -> u64 {
        self.iterations.iter().copied().max().unwrap_or(0)
    }

    /// True if so many threads are much faster than one.
    fn pays(&self, threads: u64, plan: &Plan) -> bool {
        let most = self.most_iterations();
        // One thread has the most: what does not divide evenly.
        let share = most.div_ceil(threads).max(1);
        let alone = self.outside + self.inside.saturating_mul(share) / most.max(1);
        let memory = plan.memory.core_bytes;
        most > 1 && self.inside >= LEAST_BYTES.max(memory) && (self.inside + self.outside) * 4 >= alone * 5
    }
}

impl Launch<'_> {
    /// True when several threads would share the loops of this single block, rather than one execute them.
    ///
    /// That is so if the block is large, has a loop around which there is no other, and none of its iterations needs anything of another
    /// one. Numbers in memory must not decide what the program does, and it must not print, or wait for other cores.
    ///
    /// ```
    /// use pto_cpu::{Arg, Options, Plan};
    ///
    /// # fn main() -> Result<(), pto_isa::Error> {
    /// let (module, _) = pto_syntax::parse("
    ///     !tile = !pto.tile_buf<vec, 64x1024xf32>
    ///     func.func @copy(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) {
    ///       %zero = arith.constant 0 : index
    ///       %one = arith.constant 1 : index
    ///       %rows = arith.constant 64 : index
    ///       %n = arith.constant 1024 : index
    ///       %xs = pto.make_tensor_view %x, shape = [%n, %n], strides = [%n, %one] : !pto.tensor_view<?x?xf32>
    ///       %ys = pto.make_tensor_view %y, shape = [%n, %n], strides = [%n, %one] : !pto.tensor_view<?x?xf32>
    ///       %t = pto.alloc_tile : !tile
    ///       scf.for %row = %zero to %n step %rows {
    ///         %from = pto.partition_view %xs, offsets = [%row, %zero], sizes = [%rows, %n]
    ///         %to = pto.partition_view %ys, offsets = [%row, %zero], sizes = [%rows, %n]
    ///         pto.tload ins(%from) outs(%t)
    ///         pto.tstore ins(%t) outs(%to)
    ///       }
    ///       return
    ///     }");
    /// let checked = pto_check::check(module, pto_isa::Target::A5)?;
    /// let plan = Plan::new(&checked, None, Options::default())?;
    /// let (x, mut y) = (vec![1.0f32; 1 << 20], vec![0.0f32; 1 << 20]);
    /// let launch = plan.launch().threads(4);
    /// assert!(launch.shares_loops(&mut [Arg::read(&x), Arg::write(&mut y)]));
    /// launch.run(&mut [Arg::read(&x), Arg::write(&mut y)])?;
    /// assert_eq!(x, y);
    /// # Ok(())
    /// # }
    /// ```
    pub fn shares_loops(&self, args: &mut [Arg<'_>]) -> bool {
        self.shared_block(args).is_some()
    }

    /// Runs a single block on several threads, if that is possible and worth it.
    pub(super) fn share_block(
        &self,
        args: &mut [Arg<'_>],
        watch: Unwatched<'_>,
    ) -> Option<Result<RunReport, Diagnostic>> {
        let SharedBlock { bound, proof, threads } = self.shared_block(args)?;
        Some(self.share_loops(&bound, &proof, threads, watch))
    }

    fn shared_block(&self, args: &mut [Arg<'_>]) -> Option<SharedBlock> {
        let plan = self.plan();
        if plan.sharing.loops.is_empty() || !self.is_one_plain_block() || share_bytes(args) {
            return None;
        }
        // A run on one thread tells what is wrong.
        let bound = plan.bind(args, 1, false).ok()?;
        let bytes: usize = bound.buffers.iter().map(|buffer| buffer.bytes).sum();
        if !self.shares_any_size && bytes < LEAST_MEMORY {
            return None;
        }
        let proof = self.sharing(&bound)?;
        // To ask for the number of threads takes longer than a small program.
        let may_pay = |threads| self.shares_any_size || proof.pays(threads, plan);
        if !may_pay(u64::MAX) {
            return None;
        }
        let threads = self.wanted_threads().min(proof.most_iterations() as usize);
        let shares = threads > 1 && may_pay(threads as u64) && plan.fits(threads as u64).is_ok();
        shares.then_some(SharedBlock { bound, proof, threads })
    }

    fn share_loops(
        &self,
        bound: &BoundArguments,
        proof: &SharingProof,
        threads: usize,
        watch: Unwatched<'_>,
    ) -> Result<RunReport, Diagnostic> {
        let plan = self.plan();
        let guards = Guards::new(&bound.buffers);
        let left = LoopsToShare::new(&proof.iterations, threads as u64 * PIECES);
        let outcome: Mutex<LoopsOutcome> = Mutex::default();
        pool::run(threads, &|| {
            let done = self.execute_share(bound, &guards, &left, watch);
            if done.is_err() {
                left.fail();
            }
            outcome.lock().unwrap_or_else(PoisonError::into_inner).add(done);
        });
        let LoopsOutcome { problem, report } = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
        match problem {
            Some((_, problem)) => Err(problem),
            None => Ok(plan.report(RunReport { instructions: proof.instructions, ..report })),
        }
    }

    /// What one thread does.
    fn execute_share(
        &self,
        bound: &BoundArguments,
        guards: &Guards<'_>,
        left: &LoopsToShare,
        mut watch: Unwatched<'_>,
    ) -> Result<RunReport, ShareFailure> {
        let at_start = |problem| ((0, 0), problem);
        let mut team = Team::new(self.plan(), &bound.buffers, Some(guards), 1).map_err(at_start)?;
        team.reset(0);
        for core in &mut team.cores {
            bound.enter_scalars(0, core);
            core.share = ShareOfLoops::of(left);
        }
        let done = team.execute(&mut watch);
        let place = team.cores.first().map_or((0, 0), |core| core.share.place);
        done.map_err(|problem| (place, problem))?;
        Ok(team.finish())
    }
}

/// A block whose loops threads share.
struct SharedBlock {
    bound: BoundArguments,
    proof: Arc<SharingProof>,
    threads: usize,
}

/// A problem, and where a thread found it.
type ShareFailure = ((usize, u64), Diagnostic);

/// What the threads found out together.
#[derive(Default)]
struct LoopsOutcome {
    /// The first problem, in the order of the program: the message does not depend on the threads.
    problem: Option<ShareFailure>,
    report: RunReport,
}

impl LoopsOutcome {
    fn add(&mut self, done: Result<RunReport, ShareFailure>) {
        match done {
            Ok(mut one) => {
                let written = &mut self.report.written;
                written.resize(one.written.len(), false);
                written.iter_mut().zip(&one.written).for_each(|(all, one)| *all |= one);
                self.report.notes.append(&mut one.notes);
            }
            Err(failure) => {
                if self.problem.as_ref().is_none_or(|(place, _)| failure.0 < *place) {
                    self.problem = Some(failure);
                }
            }
        }
    }
}
