//! Executes a program in another order that a device could take: each pipe of a core has its own queue, and the next one
//! is chosen at random.

#![expect(unsafe_code, reason = "kernels are called later than they were prepared")]

use super::core::Core;
use super::fail::Fail;
use super::observe::{Flag, Watched};
use super::pipes::Task;
use crate::prepared::{Direction, KernelId, Link, LinkId, OrderId, PipeEntry, PipeOp, PipeOrder, Reg, StepId};
use pto_isa::text;
use pto_isa::{Pipe, Target};

impl<'p> Core<'p> {
    /// Gives an instruction to its pipe. The operands have been resolved.
    pub fn postpone(&mut self, which: KernelId, at: StepId) -> Result<(), Fail> {
        let step = &self.plan.calls.kernels[which];
        let (tiles, views, scalars) = self.issue.operands(step);
        let (tiles, views, scalars) = (tiles.to_vec(), views.to_vec(), scalars.to_vec());
        self.give(step.pipe.unwrap_or(Pipe::S), Task::Kernel { which, at, tiles, views, scalars })
    }

    /// Gives a step that orders pipes to the pipe that takes it.
    pub fn order_pipes(&mut self, which: OrderId, at: StepId) -> Result<(), Fail> {
        let plan = self.plan;
        let pipe = pto_check::pipe_of(plan.module(), plan.code.origins[at], plan.source.checked.info().target);
        let flag = |core: &Self, src: Pipe, dst: Pipe, id: Reg| Flag { src, dst, id: core.int(id) };
        match plan.calls.orders[which] {
            PipeOrder::SetFlag { src, dst, id } => self.give(src, Task::Set(flag(self, src, dst, id))),
            PipeOrder::WaitFlag { src, dst, id } => self.give(dst, Task::Wait(flag(self, src, dst, id), at)),
            PipeOrder::Barrier => match pipe {
                Some(Pipe::All) | None => self.finish_all(),
                Some(pipe) => self.give(pipe, Task::Barrier),
            },
            PipeOrder::GetToken(id) => self.give(pipe.unwrap_or(Pipe::S), Task::Get(self.int(id), at)),
            PipeOrder::ReleaseToken(id) => self.give(pipe.unwrap_or(Pipe::S), Task::Release(self.int(id))),
            PipeOrder::Sync(_) | PipeOrder::Fence => self.finish_all(),
            PipeOrder::AwaitBackground(_) | PipeOrder::Session(_) | PipeOrder::Clean(_) | PipeOrder::Other => Ok(()),
        }
    }

    fn give(&mut self, pipe: Pipe, task: Task<'p>) -> Result<(), Fail> {
        if let Task::Get(id, _) = task {
            self.issue.pipes.asked.entry(id).or_default().push_back(pipe);
        }
        self.issue.pipes.queue_mut(pipe).push_back(task);
        if pipe == Pipe::S {
            return self.finish(Pipe::S);
        }
        // Now and then the pipes catch up a little, so that they are apart by different distances.
        for _ in 0..self.issue.pipes.chance(4) {
            let pipe = self.issue.pipes.random_pipe();
            self.take(pipe)?;
        }
        Ok(())
    }

    /// Lets a pipe take its next step, if it can.
    fn take(&mut self, pipe: Pipe) -> Result<bool, Fail> {
        self.maybe_swap(pipe);
        let pipes = &mut self.issue.pipes;
        let ready = match pipes.queue(pipe).front() {
            None => false,
            Some(Task::Wait(flag, _)) => pipes.flags.get(flag).is_some_and(|n| *n > 0),
            Some(Task::Get(id, _)) => pipes.may_get(*id, pipe),
            Some(_) => true,
        };
        if !ready {
            return Ok(false);
        }
        let Some(task) = pipes.queue_mut(pipe).pop_front() else { return Ok(false) };
        match task {
            Task::Set(flag) => *pipes.flags.entry(flag).or_default() += 1,
            Task::Wait(flag, _) => *pipes.flags.entry(flag).or_default() -= 1,
            Task::Get(id, _) => {
                pipes.asked.entry(id).or_default().pop_front();
                pipes.tokens.insert(id, pipe);
            }
            Task::Release(id) => {
                pipes.tokens.remove(&id);
            }
            Task::Barrier => {}
            Task::Kernel { which, at, tiles, views, scalars } => {
                let step = &self.plan.calls.kernels[which];
                // SAFETY: the operands were checked when the instruction was given; the memory they lie in is neither moved
                // nor freed before all pipes are done, and the kernel checks views against their buffers.
                unsafe { step.code.call(&tiles, &views, &scalars) }.map_err(|fault| {
                    self.issue.pipes.failed_at = Some(at);
                    Fail::Fault(Box::new(fault), None)
                })?;
            }
        }
        Ok(true)
    }

    /// A pipe that starts an instruction before the one before is done may finish the second first.
    fn maybe_swap(&mut self, pipe: Pipe) {
        let overlaps = self.plan.source.checked.info().target.profile().overlapping_pipes.contains(&pipe);
        let queue = self.issue.pipes.queue(pipe);
        let two = matches!((queue.front(), queue.get(1)), (Some(Task::Kernel { .. }), Some(Task::Kernel { .. })));
        if overlaps && two && self.issue.pipes.chance(4) == 0 {
            self.issue.pipes.queue_mut(pipe).swap(0, 1);
        }
    }

    /// Lets one pipe do all it was given, and others as far as it needs them.
    fn finish(&mut self, pipe: Pipe) -> Result<(), Fail> {
        while !self.issue.pipes.queue(pipe).is_empty() {
            if !self.take(pipe)? && !self.take_any()? {
                return self.stuck();
            }
        }
        Ok(())
    }

    /// Lets all pipes do all they were given.
    pub fn finish_all(&mut self) -> Result<(), Fail> {
        while self.take_any()? {}
        if Pipe::REAL.into_iter().any(|pipe| !self.issue.pipes.queue(pipe).is_empty()) {
            return self.stuck();
        }
        Ok(())
    }

    /// Executes a step of a random pipe among those that can.
    fn take_any(&mut self) -> Result<bool, Fail> {
        let first = self.issue.pipes.random_pipe() as usize;
        let pipes = Pipe::REAL.into_iter().cycle().skip(first).take(Pipe::REAL.len());
        for pipe in pipes {
            if self.take(pipe)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// All pipes that have something to do wait for each other.
    fn stuck(&mut self) -> Result<(), Fail> {
        let waits = Pipe::REAL.into_iter().filter_map(|pipe| match self.issue.pipes.queue(pipe).front() {
            Some(Task::Wait(flag, at)) => Some((*at, pipe, text!("flag {id} of {src}", id = flag.id, src = flag.src))),
            Some(Task::Get(id, at)) => Some((*at, pipe, text!("buffer token {id}", id))),
            _ => None,
        });
        let Some((at, pipe, what)) = waits.min() else { return Ok(()) };
        self.issue.pipes.failed_at = Some(at);
        Err(Fail::PipeStuck { pipe, what })
    }

    /// While a core waits for others, its pipes continue as far as they can: they may do what it waits for.
    pub fn meanwhile<W: Watched + ?Sized>(&mut self) -> Result<(), Fail> {
        while self.mode::<W>().reorders && self.take_any()? {}
        Ok(())
    }

    /// Before a step that the device does only when its pipes are done.
    pub fn finish_pipes<W: Watched + ?Sized>(&mut self) -> Result<(), Fail> {
        if self.mode::<W>().reorders { self.finish_all() } else { Ok(()) }
    }

    /// Before a step that concerns other cores: what the device has done by then.
    pub fn catch_up<W: Watched + ?Sized>(&mut self, which: LinkId, at: StepId) -> Result<(), Fail> {
        if !self.mode::<W>().reorders {
            return Ok(());
        }
        let plan = self.plan;
        let target = plan.source.checked.info().target;
        let own = || pto_check::pipe_of(plan.module(), plan.code.origins[at], target);
        match &plan.calls.links[which] {
            // The scalar unit changes or reads a word while other pipes still work.
            Link::Notify { .. } | Link::WaitSignal { .. } | Link::TestSignal { .. } | Link::Open(_) => Ok(()),
            Link::Await { .. } | Link::Alloc(_) => Ok(()),
            Link::Signal { .. } => match own() {
                Some(pipe) if pipe != Pipe::All => self.finish(pipe),
                _ => self.finish_all(),
            },
            Link::Push(op) => self.finish(self.pushing_pipe(op, own())),
            Link::Pop(_) if target != Target::A5 => self.finish(Pipe::Mte2),
            Link::Pop(_) | Link::Free(_) | Link::Barrier { .. } | Link::Transfer(_) => self.finish_all(),
        }
    }

    /// The pipe that fills a slot, or that says so.
    fn pushing_pipe(&self, op: &PipeOp, own: Option<Pipe>) -> Pipe {
        match (op.entry, op.way) {
            (PipeEntry::Tile(_), _) => own.unwrap_or(Pipe::Mte3),
            (_, Direction::ToVector) => Pipe::Fix,
            (_, Direction::ToCube) => Pipe::Mte3,
        }
    }

    /// After a word of global memory was changed, the core waits for its pipes.
    pub fn settle<W: Watched + ?Sized>(&mut self, which: LinkId) -> Result<(), Fail> {
        let notifies = matches!(self.plan.calls.links[which], Link::Notify { .. });
        if self.mode::<W>().reorders && notifies { self.finish_all() } else { Ok(()) }
    }
}
