//! Executes a program in another order that a device could take: each pipe of a core has its own queue, and chance decides
//! which goes on.

#![expect(unsafe_code, reason = "kernels are called later than they were prepared")]

use super::core::Core;
use super::fail::Fail;
use super::observe::{Flag, Watch};
use crate::kernels::{TileRef, ViewRef};
use crate::plan::{Link, Order, PipeOp, Step};
use pto_isa::{Pipe, Target};
use std::collections::{BTreeMap, VecDeque};

const LANES: usize = Pipe::REAL.len();

/// What a pipe has been given and has not done yet.
#[derive(Debug)]
enum Task<'p> {
    /// An instruction: which, where it stands, and its operands as they were when it was given.
    Kernel {
        which: usize,
        at: usize,
        tiles: Vec<TileRef<'p>>,
        views: Vec<ViewRef>,
        scalars: Vec<u64>,
    },
    Set(Flag),
    Wait(Flag, usize),
    Barrier,
    Get(i64, usize),
    Release(i64),
}

/// The pipes of a core.
#[derive(Default, Debug)]
pub(super) struct Pipes<'p> {
    queues: [VecDeque<Task<'p>>; LANES],
    flags: BTreeMap<Flag, u32>,
    tokens: BTreeMap<i64, usize>,
    /// Who has asked for a token and not got it yet. It is given in the order of the program.
    turns: BTreeMap<i64, VecDeque<usize>>,
    random: u64,
    /// The step that failed, when it is not the one being given.
    pub failed_at: Option<usize>,
}

impl Pipes<'_> {
    /// Nothing is pending. The order follows from the seed and the core.
    pub fn reset(&mut self, seed: u64) {
        *self = Self { random: seed, ..Self::default() };
    }

    /// True when nobody else has a token or has asked for it before.
    fn may_get(&self, id: i64, lane: usize) -> bool {
        let next = self.turns.get(&id).and_then(VecDeque::front);
        next == Some(&lane) && self.tokens.get(&id).is_none_or(|holder| *holder == lane)
    }

    fn chance(&mut self, of: u64) -> u64 {
        // A step of a well-known generator; only its high bits are used.
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % of
    }
}

impl<'p> Core<'p> {
    /// Gives an instruction to its pipe. The operands have been resolved.
    pub fn postpone(&mut self, which: usize, at: usize) -> Result<(), Fail> {
        let step = &self.plan.kernels[which];
        let (tiles, views, scalars) = self.operands(step);
        let (tiles, views, scalars) = (tiles.to_vec(), views.to_vec(), scalars.to_vec());
        self.give(step.pipe.unwrap_or(Pipe::S), Task::Kernel { which, at, tiles, views, scalars })
    }

    /// Gives a step that orders pipes to the pipe that takes it.
    pub fn order_pipes(&mut self, which: usize, at: usize) -> Result<(), Fail> {
        let plan = self.plan;
        let pipe = pto_check::pipe_of(plan.module(), plan.origins[at], plan.checked.info().target);
        let flag = |core: &Self, src: Pipe, dst: Pipe, id: u32| Flag { src, dst, id: core.int(id) };
        match plan.orders[which] {
            Order::SetFlag { src, dst, id } => self.give(src, Task::Set(flag(self, src, dst, id))),
            Order::WaitFlag { src, dst, id } => self.give(dst, Task::Wait(flag(self, src, dst, id), at)),
            Order::Barrier => match pipe {
                Some(Pipe::All) | None => self.finish_all(),
                Some(pipe) => self.give(pipe, Task::Barrier),
            },
            Order::GetToken(id) => self.give(pipe.unwrap_or(Pipe::S), Task::Get(self.int(id), at)),
            Order::ReleaseToken(id) => self.give(pipe.unwrap_or(Pipe::S), Task::Release(self.int(id))),
            Order::Sync(_) | Order::Fence => self.finish_all(),
            Order::AwaitBackground(_) | Order::Session(_) | Order::Clean(_) | Order::Other => Ok(()),
        }
    }

    fn give(&mut self, pipe: Pipe, task: Task<'p>) -> Result<(), Fail> {
        if let Task::Get(id, _) = task {
            self.pipes.turns.entry(id).or_default().push_back(pipe as usize);
        }
        self.pipes.queues[pipe as usize].push_back(task);
        if pipe == Pipe::S {
            return self.finish(Pipe::S);
        }
        // Now and then the pipes catch up a little, so that they are apart by different distances.
        for _ in 0..self.pipes.chance(4) {
            let lane = self.pipes.chance(LANES as u64) as usize;
            self.take(lane)?;
        }
        Ok(())
    }

    /// Lets a pipe take its next step, if it can.
    fn take(&mut self, lane: usize) -> Result<bool, Fail> {
        self.maybe_swap(lane);
        let pipes = &mut self.pipes;
        let ready = match pipes.queues[lane].front() {
            None => false,
            Some(Task::Wait(flag, _)) => pipes.flags.get(flag).is_some_and(|n| *n > 0),
            Some(Task::Get(id, _)) => pipes.may_get(*id, lane),
            Some(_) => true,
        };
        if !ready {
            return Ok(false);
        }
        let Some(task) = pipes.queues[lane].pop_front() else { return Ok(false) };
        match task {
            Task::Set(flag) => *pipes.flags.entry(flag).or_default() += 1,
            Task::Wait(flag, _) => *pipes.flags.entry(flag).or_default() -= 1,
            Task::Get(id, _) => {
                pipes.turns.entry(id).or_default().pop_front();
                pipes.tokens.insert(id, lane);
            }
            Task::Release(id) => {
                pipes.tokens.remove(&id);
            }
            Task::Barrier => {}
            Task::Kernel { which, at, tiles, views, scalars } => {
                let step = &self.plan.kernels[which];
                // SAFETY: the operands were checked when the instruction was given; the memory they lie in is neither moved
                // nor freed before all pipes are done, and the kernel checks views against their buffers.
                unsafe { step.code.call(&tiles, &views, &scalars) }.map_err(|fault| {
                    self.pipes.failed_at = Some(at);
                    Fail::Fault(fault, None)
                })?;
            }
        }
        Ok(true)
    }

    /// A pipe that starts an instruction before the one before is done may finish the second first.
    fn maybe_swap(&mut self, lane: usize) {
        let overlaps = self.plan.checked.info().target.profile().overlapping_pipes.contains(&Pipe::REAL[lane]);
        let queue = &self.pipes.queues[lane];
        let two = matches!((queue.front(), queue.get(1)), (Some(Task::Kernel { .. }), Some(Task::Kernel { .. })));
        if overlaps && two && self.pipes.chance(4) == 0 {
            self.pipes.queues[lane].swap(0, 1);
        }
    }

    /// Lets one pipe do all it was given, and others as far as it needs them.
    fn finish(&mut self, pipe: Pipe) -> Result<(), Fail> {
        while !self.pipes.queues[pipe as usize].is_empty() {
            if !self.take(pipe as usize)? && !self.take_any()? {
                return self.stuck();
            }
        }
        Ok(())
    }

    /// Lets all pipes do all they were given.
    pub fn finish_all(&mut self) -> Result<(), Fail> {
        while self.take_any()? {}
        if self.pipes.queues.iter().any(|q| !q.is_empty()) {
            return self.stuck();
        }
        Ok(())
    }

    /// Lets some pipe take a step: whichever chance picks first among those that can.
    fn take_any(&mut self) -> Result<bool, Fail> {
        let first = self.pipes.chance(LANES as u64) as usize;
        for k in 0..LANES {
            if self.take((first + k) % LANES)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// All pipes that have something to do wait for each other.
    fn stuck(&mut self) -> Result<(), Fail> {
        let waits = self.pipes.queues.iter().enumerate().filter_map(|(lane, q)| match q.front() {
            Some(Task::Wait(flag, at)) => Some((*at, lane, format!("flag {} of {}", flag.id, flag.src))),
            Some(Task::Get(id, at)) => Some((*at, lane, format!("buffer token {id}"))),
            _ => None,
        });
        let Some((at, lane, what)) = waits.min() else { return Ok(()) };
        self.pipes.failed_at = Some(at);
        Err(Fail::PipeStuck { pipe: Pipe::REAL[lane], what })
    }

    /// Before a step that is done at once: what the device has done by then.
    pub fn catch_up<W: Watch>(&mut self, step: Step, at: usize) -> Result<(), Fail> {
        if !W::REORDERS {
            return Ok(());
        }
        let plan = self.plan;
        let own = || pto_check::pipe_of(plan.module(), plan.origins[at], plan.checked.info().target);
        match step {
            Step::Link(which) => match &plan.links[which as usize] {
                // The scalar unit changes or looks at a word, whatever other pipes still do.
                Link::Notify { .. } | Link::WaitSignal { .. } | Link::TestSignal { .. } | Link::Open(_) => Ok(()),
                Link::Await { .. } | Link::Alloc(_) => Ok(()),
                Link::Signal { .. } => match own() {
                    Some(pipe) if pipe != Pipe::All => self.finish(pipe),
                    _ => self.finish_all(),
                },
                Link::Push(op) => self.finish(self.pushing_pipe(op, own())),
                Link::Pop(_) if plan.checked.info().target != Target::A5 => self.finish(Pipe::Mte2),
                Link::Pop(_) | Link::Free(_) | Link::Barrier { .. } | Link::Transfer(_) => self.finish_all(),
            },
            Step::Allocate(_) | Step::CopyTile { .. } | Step::Print(_) | Step::End | Step::Trap => self.finish_all(),
            _ => Ok(()),
        }
    }

    /// The pipe that fills a slot, or that says so.
    fn pushing_pipe(&self, op: &PipeOp, own: Option<Pipe>) -> Pipe {
        match (op.entry, op.way) {
            (crate::plan::Entry::Tile(_), _) => own.unwrap_or(Pipe::Mte3),
            (_, crate::plan::Way::ToVector) => Pipe::Fix,
            (_, crate::plan::Way::ToCube) => Pipe::Mte3,
        }
    }

    /// After a word of global memory was changed, the core waits for its pipes.
    pub fn settle<W: Watch>(&mut self, step: Step) -> Result<(), Fail> {
        let notifies = |which: u32| matches!(self.plan.links[which as usize], Link::Notify { .. });
        match step {
            Step::Link(which) if W::REORDERS && notifies(which) => self.finish_all(),
            _ => Ok(()),
        }
    }
}
