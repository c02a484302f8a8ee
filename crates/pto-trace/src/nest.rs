//! Loops around steps, and which iteration of each a core is in.

use pto_cpu::{Plan, Role};
use std::ops::RangeInclusive;

/// Nothing, where an index is expected.
pub(crate) const NONE: u32 = u32::MAX;

/// The loops of the cores of a role.
#[derive(Clone, Debug)]
pub(crate) struct LoopNest {
    pub loops: Vec<LoopBody>,
    /// The innermost loop around each step.
    innermost: Vec<u32>,
    /// The loop that starts at each step.
    starts: Vec<u32>,
}

#[derive(Clone, Debug)]
pub(crate) struct LoopBody {
    pub steps: RangeInclusive<u32>,
    /// The loops around it and itself, the outermost first.
    pub path: Vec<u32>,
}

impl LoopNest {
    pub fn of(plan: &Plan, role: Role) -> Self {
        let count = plan.step_origins(role).count();
        let mut ranges = plan.loops(role);
        // The outer one of two comes first. Jumps back to the same step, as of `continue`, are one loop.
        ranges.sort_by_key(|r| (*r.start(), u32::MAX - *r.end()));
        ranges.dedup_by_key(|r| *r.start());
        let (mut innermost, mut starts) = (vec![NONE; count], vec![NONE; count]);
        let mut loops: Vec<LoopBody> = Vec::new();
        for (k, steps) in ranges.into_iter().enumerate() {
            let mut path: Vec<u32> = match innermost[*steps.start() as usize] {
                NONE => Vec::new(),
                outer => loops[outer as usize].path.clone(),
            };
            path.push(k as u32);
            innermost[*steps.start() as usize..=*steps.end() as usize].fill(k as u32);
            starts[*steps.start() as usize] = k as u32;
            loops.push(LoopBody { steps, path });
        }
        Self { loops, innermost, starts }
    }

    /// The loops around a step, the outermost first.
    pub fn path(&self, step: u32) -> &[u32] {
        match self.innermost.get(step as usize) {
            None | Some(&NONE) => &[],
            Some(&k) => &self.loops[k as usize].path,
        }
    }
}

/// Which iteration of each loop a core is in.
#[derive(Clone, Debug)]
pub(crate) struct Counters {
    iterations: Vec<u32>,
    at: u32,
    /// Changes with every iteration.
    pub version: u32,
}

impl Counters {
    pub fn new(nest: &LoopNest) -> Self {
        Self { iterations: vec![0; nest.loops.len()], at: NONE, version: 0 }
    }

    /// The core is at a step now.
    #[inline]
    pub fn visit(&mut self, nest: &LoopNest, step: u32) {
        if self.at == step {
            return;
        }
        let before = std::mem::replace(&mut self.at, step);
        let started = nest.starts.get(step as usize).copied().unwrap_or(NONE);
        if started != NONE {
            let came_back = nest.loops[started as usize].steps.contains(&before);
            let iteration = &mut self.iterations[started as usize];
            *iteration = if came_back { *iteration + 1 } else { 0 };
            self.version = self.version.wrapping_add(1);
        }
    }

    pub fn iteration(&self, of: u32) -> u32 {
        self.iterations[of as usize]
    }
}
