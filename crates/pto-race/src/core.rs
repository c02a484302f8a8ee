//! One core: its pipes, and the flags and tokens between them.

use crate::clock::{Clock, PIPES, pipe, pipe_index};
use crate::findings::{Findings, InstrSite};
use pto_cpu::{Access, Flag};
use pto_isa::Pipe;
use pto_isa::ordered::OrdMap;
use std::collections::VecDeque;

/// What a pipe does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PipeStep {
    Work {
        /// With the accesses of its last execution.
        repeats: bool,
    },
    /// Work of the scalar unit through its data cache.
    Scalar,
    Set(Flag),
    Wait(Flag),
    Barrier,
    Get(i64),
    Release(i64),
}

/// A step that waits in the queue of a pipe.
#[derive(Debug)]
pub(crate) struct Queued {
    pub step: PipeStep,
    pub site: InstrSite,
    pub accesses: Vec<Access>,
    /// The clock of the core when it issued the step.
    pub issued: Clock,
    /// When that was.
    pub when: u64,
}

/// A pipe of a core.
#[derive(Default, Debug)]
pub(crate) struct PipeState {
    pub clock: Clock,
    /// Instructions issued to it.
    pub time: u32,
    /// The version of the issue clock that it has joined.
    heard: u32,
    /// Steps that are blocked; the first one waits.
    queue: VecDeque<Queued>,
}

impl PipeState {
    /// Steps that are blocked.
    pub fn blocked(&self) -> usize {
        self.queue.len()
    }
}

/// A set flag.
#[derive(Debug)]
struct RaisedFlag {
    message: Clock,
    site: InstrSite,
}

/// The holder of a token.
#[derive(Clone, Copy, Debug)]
struct TokenHolder {
    pipe: usize,
    site: InstrSite,
}

#[derive(Default, Debug)]
pub(crate) struct CoreState {
    pub pipes: [PipeState; PIPES],
    /// Steps that are blocked, of all pipes.
    blocked: usize,
    /// Every instruction that is issued from now on starts after this.
    issue: Clock,
    version: u32,
    /// The flags that were ever set, in order. There are few, so a search from the start is quickest.
    flags: Vec<(Flag, VecDeque<RaisedFlag>)>,
    /// Waits that were released without a set.
    owed: OrdMap<Flag, u32>,
    tokens: OrdMap<i64, TokenHolder>,
    /// The clock at the release of a token.
    released: OrdMap<i64, Clock>,
}

impl CoreState {
    /// A pipe joins the clock of the core.
    pub fn hear_issue(&mut self, at: usize) {
        let pipe = &mut self.pipes[at];
        if pipe.heard != self.version {
            pipe.heard = self.version;
            pipe.clock.join(&self.issue);
        }
    }

    /// The core joins a clock, and with it every later instruction.
    pub fn tell_issue(&mut self, message: &Clock) {
        self.issue.join(message);
        self.version += 1;
    }

    /// Appends a step to the queue of a blocked pipe.
    pub fn postpone(&mut self, at: usize, step: PipeStep, site: InstrSite, accesses: &[Access], when: u64) {
        let queued = Queued { step, site, accesses: accesses.to_vec(), issued: self.issue.clone(), when };
        self.pipes[at].queue.push_back(queued);
        self.blocked += 1;
    }

    /// True when a pipe is blocked.
    pub fn is_blocked(&self) -> bool {
        self.blocked > 0
    }

    /// Takes the first step from the queue of a blocked pipe.
    pub fn next_queued(&mut self, at: usize) -> Option<Queued> {
        let next = self.pipes[at].queue.pop_front()?;
        self.blocked -= 1;
        Some(next)
    }

    /// The step must wait longer.
    pub fn put_back(&mut self, at: usize, queued: Queued) {
        self.pipes[at].queue.push_front(queued);
        self.blocked += 1;
    }

    pub fn issue_clock(&self) -> Clock {
        self.issue.clone()
    }

    /// The clock after everything that was issued to a pipe, as far as the pipe knows.
    pub fn done(&self, at: usize, core: usize) -> Clock {
        self.pipes[at].clock.raised(core * PIPES + at, self.pipes[at].time)
    }

    /// The same for a step that the core executes now: it comes after everything that the core knows.
    pub fn message(&self, at: usize, core: usize) -> Clock {
        let mut clock = self.done(at, core);
        clock.join(&self.issue);
        clock
    }

    // ---- flags ----------------------------------------------------------------------------------------------------

    /// A pipe sets a flag once it has done what it was given.
    pub fn set_flag(
        &mut self,
        flag: Flag,
        (core, pipe_at): (usize, usize),
        site: InstrSite,
        findings: &mut Findings<'_>,
    ) {
        if let Some(owed) = self.owed.get_mut(&flag).filter(|owed| **owed > 0) {
            *owed -= 1;
            return;
        }
        let at = self.flags.iter().position(|(known, _)| *known == flag).unwrap_or_else(|| {
            let at = self.flags.partition_point(|(known, _)| *known < flag);
            self.flags.insert(at, (flag, VecDeque::new()));
            at
        });
        let up = &mut self.flags[at].1;
        // A wait that was issued earlier is first in the queue of its pipe, and takes the flag at once.
        let awaited = self.pipes[pipe_index(flag.dst)].queue.front().is_some_and(|q| q.step == PipeStep::Wait(flag));
        if let Some(first) = up.front()
            && !awaited
        {
            findings.set_twice(flag, first.site, site);
        }
        let pipe = &self.pipes[pipe_at];
        up.push_back(RaisedFlag { message: pipe.clock.raised(core * PIPES + pipe_at, pipe.time), site });
    }

    /// A pipe takes a flag, and knows what its set knew. False when it is not set.
    pub fn take_flag(&mut self, flag: Flag, pipe_at: usize) -> bool {
        let Some((_, up)) = self.flags.iter_mut().find(|(known, _)| *known == flag) else { return false };
        let Some(raised) = up.front() else { return false };
        self.pipes[pipe_at].clock.join(&raised.message);
        if pipe_at == pipe_index(Pipe::S) {
            self.issue.join(&raised.message);
            self.version += 1;
        }
        up.pop_front();
        true
    }

    // ---- tokens ---------------------------------------------------------------------------------------------------

    /// Acquires a token. False when another pipe holds it.
    pub fn get_token(&mut self, id: i64, at: usize, site: InstrSite, findings: &mut Findings<'_>) -> bool {
        match self.tokens.get(&id) {
            Some(held) if held.pipe == at => findings.token_taken_twice(id, pipe(at), held.site, site),
            Some(_) => return false,
            None => {}
        }
        if let Some(clock) = self.released.get(&id) {
            self.pipes[at].clock.join(clock);
        }
        self.tokens.insert(id, TokenHolder { pipe: at, site });
        true
    }

    pub fn release_token(&mut self, id: i64, at: usize, message: &Clock, site: InstrSite, findings: &mut Findings<'_>) {
        match self.tokens.get(&id) {
            Some(held) if held.pipe == at => {
                self.tokens.remove(&id);
                self.released.entry(id).or_default().join(message);
            }
            other => findings.token_not_held(id, pipe(at), other.map(|h| (pipe(h.pipe), h.site)), site),
        }
    }

    // ---- the end --------------------------------------------------------------------------------------------------

    /// The pipe that has been blocked longest: the others may wait for it.
    pub fn first_stuck(&self) -> Option<usize> {
        let stuck = self.pipes.iter().enumerate().filter_map(|(at, l)| Some((l.queue.front()?.when, at)));
        stuck.min().map(|(_, at)| at)
    }

    /// A wait of a pipe never ends. Reports it and lets the pipe continue as if it had ended.
    pub fn forgive(&mut self, queued: &Queued, at: usize, findings: &mut Findings<'_>) {
        match queued.step {
            PipeStep::Wait(flag) => {
                self.report_missing(flag, queued, findings);
                *self.owed.entry(flag).or_default() += 1;
            }
            PipeStep::Get(id) => {
                if let Some(held) = self.tokens.insert(id, TokenHolder { pipe: at, site: queued.site }) {
                    findings.token_awaited(id, pipe(held.pipe), held.site, queued.site, queued.when);
                }
            }
            _ => {}
        }
    }

    fn report_missing(&self, flag: Flag, queued: &Queued, findings: &mut Findings<'_>) {
        let set = || self.flags.iter().filter_map(|(f, up)| Some((*f, up.front()?.site)));
        let reversed = Flag { src: flag.dst, dst: flag.src, id: flag.id };
        let reversed = set().find(|(f, _)| *f == reversed).map(|(_, site)| site);
        let other = set().find(|(f, _)| (f.src, f.dst) == (flag.src, flag.dst) && f.id != flag.id);
        let other = other.map(|(f, site)| (f.id, site));
        let stuck = self.pipes.iter().enumerate().filter_map(|(at, l)| Some((at, l.queue.front()?)));
        let stuck: Vec<_> = stuck.filter(|(at, _)| *at != pipe_index(flag.dst)).collect();
        findings.never_set(flag, queued.site, reversed, other, &stuck, queued.when);
    }

    pub fn report_leftovers(&self, findings: &mut Findings<'_>) {
        for (flag, up) in &self.flags {
            up.iter().for_each(|raised| findings.never_waited(*flag, raised.site));
        }
        for (id, held) in &self.tokens {
            findings.token_never_released(*id, pipe(held.pipe), held.site, None);
        }
    }
}
