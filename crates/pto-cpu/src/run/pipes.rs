//! What the pipes of a core have been given and have not done yet, where chance decides when they do.

use super::observe::Flag;
use crate::kernels::{TileRef, ViewRef};
use crate::prepared::{KernelId, StepId};
use pto_isa::Pipe;
use pto_isa::ordered::OrdMap;
use std::collections::VecDeque;

/// The pipes of a core.
const PIPES: usize = Pipe::REAL.len();

/// What a pipe has been given and has not done yet.
#[derive(Debug)]
pub(super) enum Task<'p> {
    /// An instruction: which, where it stands, and its operands as they were when it was given.
    Kernel {
        which: KernelId,
        at: StepId,
        tiles: Vec<TileRef<'p>>,
        views: Vec<ViewRef>,
        scalars: Vec<u64>,
    },
    Set(Flag),
    Wait(Flag, StepId),
    Barrier,
    Get(i64, StepId),
    Release(i64),
}

/// The queues of the pipes of a core, and what keeps them in order.
#[derive(Default, Debug)]
pub(super) struct PipeQueues<'p> {
    queues: [VecDeque<Task<'p>>; PIPES],
    pub flags: OrdMap<Flag, u32>,
    /// The holders of tokens.
    pub tokens: OrdMap<i64, Pipe>,
    /// Pipes that wait for a token, in program order.
    pub asked: OrdMap<i64, VecDeque<Pipe>>,
    random: u64,
    /// The step that failed, when it is not the one being given.
    pub failed_at: Option<StepId>,
}

impl<'p> PipeQueues<'p> {
    /// Nothing is pending. The order follows from the seed and the core.
    pub fn reset(&mut self, seed: u64) {
        *self = Self { random: seed, ..Self::default() };
    }

    /// True when no other pipe holds a token or waits for it longer.
    pub fn may_get(&self, id: i64, pipe: Pipe) -> bool {
        let next = self.asked.get(&id).and_then(VecDeque::front);
        next == Some(&pipe) && self.tokens.get(&id).is_none_or(|holder| *holder == pipe)
    }

    pub fn queue(&self, pipe: Pipe) -> &VecDeque<Task<'p>> {
        &self.queues[pipe as usize]
    }

    pub fn queue_mut(&mut self, pipe: Pipe) -> &mut VecDeque<Task<'p>> {
        &mut self.queues[pipe as usize]
    }

    /// Any pipe.
    pub fn random_pipe(&mut self) -> Pipe {
        Pipe::REAL[self.chance(PIPES as u64) as usize]
    }

    pub fn chance(&mut self, of: u64) -> u64 {
        // A step of a well-known generator; only its high bits are used.
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % of
    }
}
