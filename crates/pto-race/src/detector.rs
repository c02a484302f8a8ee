//! Observes a run and keeps a happens-before relation between its accesses.

use crate::OrderedBy;
use crate::answers::{Answers, PATIENCE};
use crate::asked::AskedWords;
use crate::caches::Caches;
use crate::clock::{Clock, PIPES, pipe_index};
use crate::core::{CoreState, PipeStep};
use crate::findings::{Findings, InstrSite, StuckCore};
use crate::link_state::LinkState;
use crate::memory::Memories;
use crate::paths::{Branches, is_loop};
use crate::polls::{Polls, ignored, polls};
use crate::words::Words;
use pto_cpu::{Access, Action, Answer, CoreId, Detail, Event, Formula, Observer, Plan, Ring, Role, SignalWord};
use pto_ir::OpId;
use pto_isa::ordered::{OrdMap, OrdSet};
use pto_isa::{Pipe, Target};
use std::sync::Arc;

/// Steps that may queue behind a wait of a pipe. A program that needs more is assumed to be stuck.
const MAX_QUEUE: usize = 1 << 16;

/// Properties of the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting<'a> {
    pub plan: &'a Plan,
    pub target: Target,
    /// What orders the pipes of a core.
    pub sync: OrderedBy,
    /// Blocks wait for each other.
    pub joint: bool,
}

pub(crate) struct Detector<'a> {
    pub setting: Setting<'a>,
    /// Cores that run together. Blocks that do not wait for each other are different teams.
    team: u32,
    ids: OrdMap<CoreId, usize>,
    /// The cores of the team, by position.
    pub names: Vec<CoreId>,
    /// Tiles that are arguments, for cores of each role.
    pub given: [Vec<u32>; Role::ALL.len()],
    /// The pipes that may start an instruction before the previous one is done.
    pub overlapping: [bool; PIPES],
    last: Option<(CoreId, usize)>,
    pub cores: Vec<CoreState>,
    pub memories: Memories,
    pub links: LinkState,
    pub caches: Caches,
    /// Loads by which loops poll for other cores.
    pub polls: Polls,
    /// The words that they poll.
    pub asked: AskedWords,
    /// Tests whose result is not used.
    pub ignored: OrdSet<OpId>,
    /// The clock at the end of a background transfer, by core and number.
    pub transfers: OrdMap<(usize, u64), Clock>,
    /// The time lines of sessions of background transfers, by core and number.
    pub sessions: OrdMap<(usize, u64), usize>,
    /// The answers to tests of the program.
    pub answers: Answers,
    pub findings: Findings<'a>,
    /// What waits for words of global memory learn.
    pub words: Words,
    /// Branches that are forced, and the ways that were taken.
    pub branches: Branches,
    /// Cores that are deadlocked.
    pub stuck: Vec<StuckCore>,
    /// Peak memory of the access history.
    pub history_bytes: u64,
}

impl Observer for Detector<'_> {
    #[inline(always)]
    fn event(&mut self, event: &Event<'_>) {
        let core = self.core(event.core);
        let site = InstrSite { op: event.op, step: event.step, core: event.core };
        match event.action {
            Action::Work if matches!(event.detail, Detail::Number(_)) => {
                self.branches.scalar(event);
                if !self.asks_word(core, site, event) {
                    self.issue(core, self.index_of(event.pipe), PipeStep::Scalar, site, event.accesses);
                    self.stores_word(core, event);
                }
            }
            Action::Work if event.pipe == Some(Pipe::All) => self.transfer(core, site, event),
            Action::Work => {
                let pipe_at = self.index_of(event.pipe);
                self.follows_words(core, site, event);
                self.gives_words(core, pipe_at, event);
                self.issue(core, pipe_at, PipeStep::Work { repeats: event.repeats }, site, event.accesses);
            }
            Action::Clean => self.clean_cache(core, site, event.accesses),
            Action::SetFlag(flag) | Action::WaitFlag(flag) if !self.findings.has_event(flag.id) => {
                self.findings.no_such_event(flag.id, site);
            }
            Action::SetFlag(flag) => self.issue(core, self.index_of(Some(flag.src)), PipeStep::Set(flag), site, &[]),
            Action::WaitFlag(flag) => self.issue(core, self.index_of(Some(flag.dst)), PipeStep::Wait(flag), site, &[]),
            Action::GetToken(id) => self.issue(core, self.index_of(event.pipe), PipeStep::Get(id), site, &[]),
            Action::ReleaseToken(id) => self.issue(core, self.index_of(event.pipe), PipeStep::Release(id), site, &[]),
            Action::Barrier => match event.pipe {
                Some(Pipe::All) | None => self.barrier_all(core),
                pipe => self.issue(core, self.index_of(pipe), PipeStep::Barrier, site, &[]),
            },
            Action::Then(from, to) => {
                let from = self.index_of(Some(from));
                let message = self.cores[core].message(from, core);
                let to = self.index_of(Some(to));
                self.cores[core].pipes[to].clock.join(&message);
            }
            Action::Sync => self.sync(core, event.accesses),
            Action::AwaitBackground if self.ignored.contains(&event.op) => {}
            Action::AwaitBackground => self.await_transfer(core, event),
            Action::Other => {}
            Action::Notify => {
                self.branches.scalar(event);
                self.link(core, site, event);
            }
            _ => self.link(core, site, event),
        }
    }

    fn branch(&mut self, core: CoreId, op: OpId, taken: bool) -> bool {
        if is_loop(self.setting.plan.checked().module().op(op).op) {
            self.branches.iterate(core, op, taken)
        } else {
            self.branches.branch(core, op, taken)
        }
    }

    fn answer(&mut self, event: &Event<'_>, holds: bool) -> Answer {
        let core = self.core(event.core);
        if self.ignored.contains(&event.op) {
            return Answer::AsItIs;
        }
        let certain = matches!(event.action, Action::AwaitBackground) && self.is_awaited(core, event);
        self.answers.answer((event.core, event.op), holds, if certain { 0 } else { PATIENCE })
    }

    fn number(&mut self, op: OpId, value: u64) -> u64 {
        self.branches.number(op, value)
    }

    fn follows(&mut self, core: CoreId, op: OpId, value: u64) -> Option<u32> {
        let core = self.core(core);
        self.follows_number(core, op, value)
    }

    fn compared(&mut self, core: CoreId, op: OpId, holds: bool, formula: &Arc<Formula>) -> bool {
        let at = self.core(core);
        self.compares_word((core, at), op, holds, formula)
    }

    fn decided(&mut self, core: CoreId, op: OpId, taken: bool, formula: &Arc<Formula>) {
        let core = self.core(core);
        let is_loop = is_loop(self.setting.plan.checked().module().op(op).op);
        match self.polls.stays.get(&op).copied().or(is_loop.then_some(true)) {
            // A loop that continues has learned nothing yet.
            Some(stays) if taken == stays => self.goes_on(core, op, formula, stays),
            Some(_) => self.learns(core, formula, taken),
            None => self.learns_again(core, op, formula, taken),
        }
    }

    fn switched(&mut self, id: CoreId, op: OpId, way: u32, leads: &Arc<Formula>) -> bool {
        let core = self.core(id);
        let switch = self.polls.switches.get(&op);
        if switch.is_some_and(|switch| switch.stays.contains(&way)) {
            self.goes_on(core, op, leads, true);
            return true;
        }
        if switch.is_some_and(|switch| switch.may_go_on && switch.default != way) && self.denies((id, core), op, leads)
        {
            return false;
        }
        match self.polls.switches.get(&op).is_some_and(|switch| !switch.stays.is_empty()) {
            true => self.learns(core, leads, true),
            false => self.learns_again(core, op, leads, true),
        }
        true
    }

    fn stuck(&mut self, core: CoreId, op: OpId, signal: Option<SignalWord>) {
        let at = self.core(core);
        let word = self.awaited_word(at);
        self.stuck.push(StuckCore { core, op, signal, word });
    }
}

impl<'a> Detector<'a> {
    pub fn new(setting: Setting<'a>, branches: Branches, words: Words, answers: Answers) -> Self {
        Self {
            setting,
            team: 0,
            ids: OrdMap::new(),
            names: Vec::new(),
            given: Role::ALL.map(|role| setting.plan.tile_params(role)),
            overlapping: std::array::from_fn(|at| {
                let overlapping = setting.target.profile().overlapping_pipes;
                setting.sync == OrderedBy::Manual && overlapping.contains(&crate::clock::pipe(at))
            }),
            last: None,
            cores: Vec::new(),
            memories: Memories::default(),
            links: LinkState::default(),
            caches: Caches::default(),
            polls: polls(setting.plan.checked().module()),
            asked: AskedWords::default(),
            ignored: ignored(setting.plan.checked().module()),
            transfers: OrdMap::new(),
            sessions: OrdMap::new(),
            answers,
            findings: Findings::new(setting.plan),
            words,
            branches,
            stuck: Vec::new(),
            history_bytes: 0,
        }
    }

    /// The index of a core in its team; most often it is that of the last event.
    #[inline(always)]
    fn core(&mut self, id: CoreId) -> usize {
        match self.last {
            Some((last, at)) if last == id => at,
            _ => self.another_core(id),
        }
    }

    /// The same for another core than the last. If blocks do not wait for each other, a new block starts a new team.
    #[inline(never)]
    fn another_core(&mut self, id: CoreId) -> usize {
        if !self.setting.joint && self.ids.keys().next().is_some_and(|known| known.block != id.block) {
            self.end_team();
        }
        let at = match self.ids.get(&id) {
            Some(at) => *at,
            None => self.add_core(id),
        };
        self.ids.insert(id, at);
        self.last = Some((id, at));
        at
    }

    /// Cores that have finished while others are deadlocked.
    pub fn ended(&self) -> Vec<CoreId> {
        self.ids.keys().copied().filter(|id| self.stuck.iter().all(|s| s.core != *id)).collect()
    }

    /// Adds a time line: for a core, or for a session of background transfers.
    pub fn add_core(&mut self, id: CoreId) -> usize {
        self.cores.push(CoreState::default());
        self.names.push(id);
        self.cores.len() - 1
    }

    /// Reports what is left when the cores of a team have finished.
    pub fn end_team(&mut self) {
        for core in 0..self.cores.len() {
            self.unblock_all(core);
            self.cores[core].report_leftovers(&mut self.findings);
        }
        self.end_stuck_team();
    }

    /// The same for a deadlocked team: unmatched flags of a core that did not finish mean nothing, but unmatched signals
    /// between cores may be the cause.
    pub fn end_stuck_team(&mut self) {
        self.links.report_leftovers(&mut self.findings);
        self.abandon_team();
    }

    /// Drops the state of a team.
    pub fn abandon_team(&mut self) {
        self.leave_caches();
        self.findings.next_team();
        self.links = LinkState::default();
        self.cores.clear();
        self.transfers.clear();
        self.sessions.clear();
        self.ids.clear();
        self.names.clear();
        self.last = None;
        self.history_bytes = self.history_bytes.max(self.memories.bytes());
        self.memories.forget_cores();
        self.caches.next_team();
        self.asked.next_team();
        self.team += 1;
    }

    /// In auto mode the toolchain orders the pipes of a core, so they share one index.
    pub fn index_of(&self, pipe: Option<Pipe>) -> usize {
        match (self.setting.sync, pipe) {
            (_, Some(Pipe::All)) => pipe_index(Pipe::All),
            (OrderedBy::Manual, Some(pipe)) => pipe_index(pipe),
            _ => pipe_index(Pipe::S),
        }
    }

    /// The core of a pipe that is counted over the team.
    pub fn core_at(&self, thread: u32) -> CoreId {
        self.names[thread as usize / PIPES]
    }

    pub fn team(&self) -> u32 {
        self.team
    }

    /// The index of the scalar unit of a core over the team.
    pub fn scalar_thread(&self, core: usize) -> u32 {
        (core * PIPES + pipe_index(Pipe::S)) as u32
    }

    // ---- steps of a pipe ------------------------------------------------------------------------------------------

    /// Issues a step to a pipe. It executes at once unless the pipe is blocked.
    pub fn issue(&mut self, core: usize, pipe_at: usize, step: PipeStep, site: InstrSite, accesses: &[Access]) {
        let state = &mut self.cores[core];
        if self.setting.sync == OrderedBy::Auto && !matches!(step, PipeStep::Work { .. } | PipeStep::Scalar) {
            return;
        }
        self.findings.now += 1;
        if state.pipes[pipe_at].blocked() > 0 {
            state.postpone(pipe_at, step, site, accesses, self.findings.now);
            if state.pipes[pipe_at].blocked() > MAX_QUEUE {
                self.unblock(core, pipe_at);
            }
            return;
        }
        if self.perform(core, pipe_at, step, site, accesses, None) {
            if matches!(step, PipeStep::Set(_) | PipeStep::Release(_)) && self.cores[core].is_blocked() {
                self.pump(core);
            }
            return;
        }
        self.cores[core].postpone(pipe_at, step, site, accesses, self.findings.now);
        if pipe_at == pipe_index(Pipe::S) {
            // While the core itself waits, it issues nothing more, so nothing can set the flag.
            self.unblock_all(core);
        }
    }

    /// Executes a step of a pipe. False if it must wait.
    fn perform(
        &mut self,
        core: usize,
        pipe_at: usize,
        step: PipeStep,
        site: InstrSite,
        accesses: &[Access],
        issued: Option<&Clock>,
    ) -> bool {
        match issued {
            Some(clock) => self.cores[core].pipes[pipe_at].clock.join(clock),
            None => self.cores[core].hear_issue(pipe_at),
        }
        let state = &mut self.cores[core];
        match step {
            PipeStep::Work { .. } | PipeStep::Scalar => self.work((core, pipe_at), site, accesses, step),
            PipeStep::Set(flag) => state.set_flag(flag, (core, pipe_at), site, &mut self.findings),
            PipeStep::Wait(flag) => return state.take_flag(flag, pipe_at),
            PipeStep::Barrier => {
                let time = state.pipes[pipe_at].time;
                state.pipes[pipe_at].clock.raise(core * PIPES + pipe_at, time);
            }
            PipeStep::Get(id) => return state.get_token(id, pipe_at, site, &mut self.findings),
            PipeStep::Release(id) => {
                let message = state.done(pipe_at, core);
                state.release_token(id, pipe_at, &message, site, &mut self.findings);
            }
        }
        true
    }

    /// Resumes blocked pipes after a set or a release.
    fn pump(&mut self, core: usize) {
        let mut moved = true;
        while moved {
            moved = false;
            for pipe_at in 0..PIPES {
                while let Some(next) = self.cores[core].next_queued(pipe_at) {
                    if self.perform(core, pipe_at, next.step, next.site, &next.accesses, Some(&next.issued)) {
                        moved = true;
                    } else {
                        self.cores[core].put_back(pipe_at, next);
                        break;
                    }
                }
            }
        }
    }

    /// Reports why pipes are blocked for good, and resumes them so that the rest can be checked.
    pub fn unblock_all(&mut self, core: usize) {
        while let Some(pipe_at) = self.cores[core].first_stuck() {
            self.unblock(core, pipe_at);
        }
    }

    /// Resumes a pipe after the wait that blocks it, and others that this unblocks.
    fn unblock(&mut self, core: usize, pipe_at: usize) {
        if let Some(next) = self.cores[core].next_queued(pipe_at) {
            if !self.perform(core, pipe_at, next.step, next.site, &next.accesses, Some(&next.issued)) {
                self.cores[core].forgive(&next, pipe_at, &mut self.findings);
            }
            self.pump(core);
        }
    }

    /// All pipes finish, and the core waits for them.
    pub fn barrier_all(&mut self, core: usize) {
        self.unblock_all(core);
        let state = &mut self.cores[core];
        let mut all = Clock::default();
        for pipe_at in 0..pipe_index(Pipe::All) {
            all.join(&state.message(pipe_at, core));
        }
        state.tell_issue(&all);
    }

    /// The core waits for the last writers of these bytes.
    fn sync(&mut self, core: usize, accesses: &[Access]) {
        let mut message = Clock::default();
        for access in accesses {
            self.memories.visit(core, access, |_, _, segment| {
                if let Some(write) = segment.write {
                    message.raise(write.thread as usize, write.time);
                }
            });
        }
        self.cores[core].tell_issue(&message);
    }

    /// The pipe of a core that signals for a FIFO pipe.
    pub fn signalling_pipe(&self, ring: Ring) -> usize {
        self.index_of(Some(if ring.to_vector { Pipe::Fix } else { Pipe::Mte3 }))
    }
}
