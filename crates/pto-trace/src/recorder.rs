//! The observer that records.

use crate::checkpoint::Checkpoint;
use crate::moment::Deed;
use crate::moments::{MomentKind, MomentTable};
use crate::options::{RecordOptions, RecordedSource, Selection, before_run, line_of};
use crate::recording::{PlanFacts, Recording};
use crate::streams::{
    CHANGE_BYTES, CoreStream, NO_PIPE, NONE, RegisterKey, StoredBytes, Streams, access_bytes, make_room,
};
use pto_cpu::{
    Access, Action, AddressSpace, Arg, CoreId, DEVICE, Event, IterationKey, LoopIterations, Observer, Plan, Role,
    StepDone,
};
use pto_isa::hash::FastMap;
use pto_isa::{Error, Pipe};

/// A copy of a core's memory is made when its instructions have touched this many times its size.
const TOUCHED_PER_CHECKPOINT: u64 = 96;
/// And after at least this many moments: a few milliseconds of small instructions.
const MOMENTS_PER_CHECKPOINT: u64 = 4096;
/// Or after a few moments that touched this many bytes.
const MUCH_TOUCHED: u64 = 8 * TOUCHED_PER_CHECKPOINT * 4096;

/// Records what a run does; see [`record`](crate::record()).
pub struct RunRecorder<'a> {
    streams: Streams,
    roles: [Option<RoleFacts>; 3],
    cores: Vec<CoreRecord>,
    positions: FastMap<CoreId, usize>,
    current: usize,
    lists: FastMap<u64, Vec<u32>>,
    list_facts: Vec<ListFacts>,
    /// Moments of the step that a core is executing.
    pending: Vec<u32>,
    /// Nothing is left to do when the step that a core is executing is done.
    is_settled: bool,
    selection: Option<Selection>,
    limit: u64,
    options: RecordOptions,
    bytes: u64,
    /// Moments that were left out: because of the limit, and because they were not asked for.
    beyond_limit: u64,
    not_selected: u64,
    on_progress: Option<Box<dyn FnMut(u64) -> bool + 'a>>,
}

struct RoleFacts {
    /// Whether a step is executed again instead of keeping what it wrote.
    replayed: Vec<bool>,
    /// Steps that change no register and no memory, unless they have an event.
    idle: Vec<bool>,
    steps: usize,
    /// Steps of scalar code that are moments, if there are any.
    scalar: Vec<bool>,
}

/// What the accesses of a list come to.
struct ListFacts {
    touched: u64,
    writes_global: bool,
}

impl ListFacts {
    fn of(accesses: &[Access]) -> Self {
        let is_global = |a: &Access| a.write && matches!(a.place, AddressSpace::Global(_));
        Self { touched: accesses.iter().map(access_bytes).sum(), writes_global: accesses.iter().any(is_global) }
    }
}

struct CoreRecord {
    role: usize,
    /// What each step did last time.
    last: Vec<LastDone>,
    /// The iterations that were noted last, and where they lie.
    noted: (Option<IterationKey>, u32),
    touched: u64,
    since_checkpoint: u64,
}

/// What a step did last time.
#[derive(Clone, Copy)]
struct LastDone {
    /// Its list of accesses.
    list: u32,
    /// Its moment.
    kind: u32,
    /// It was an instruction that keeps nothing: if it repeats its accesses, then only its iterations are new.
    is_settled: bool,
    touched: u64,
}

impl LastDone {
    const NOTHING: Self = Self { list: NONE, kind: NONE, is_settled: false, touched: 0 };
}

impl CoreRecord {
    /// Whether a copy of memory may be due.
    #[inline]
    fn may_be_late(&self) -> bool {
        self.since_checkpoint >= MOMENTS_PER_CHECKPOINT || self.touched >= MUCH_TOUCHED
    }
}

fn role_index(role: Role) -> usize {
    match role {
        Role::Whole => 0,
        Role::Cube => 1,
        Role::Vector => 2,
    }
}

impl<'a> RunRecorder<'a> {
    /// Records runs of this plan.
    pub fn new(plan: &Plan, options: RecordOptions) -> Self {
        let facts = |role: Role| {
            let steps = plan.step_origins(role).count();
            let replayed = (0..steps as u32).map(|step| plan.replays(role, step)).collect();
            let module = plan.checked().module();
            let is_wanted = |op| options.scalar_lines.contains(&line_of(module, op));
            let wants_scalars = !options.scalar_lines.is_empty();
            let scalar = if wants_scalars { plan.step_origins(role).map(is_wanted).collect() } else { Vec::new() };
            let idle = (0..steps as u32).map(|step| plan.is_idle_step(role, step)).collect();
            RoleFacts { replayed, idle, steps, scalar }
        };
        let roles = [Role::Whole, Role::Cube, Role::Vector].map(|role| Some(facts(role)));
        let streams = Streams { deeds: vec![Deed::Work], ..Streams::default() };
        Self {
            streams,
            roles,
            cores: Vec::new(),
            positions: FastMap::default(),
            current: usize::MAX,
            lists: FastMap::default(),
            list_facts: Vec::new(),
            pending: Vec::new(),
            is_settled: false,
            selection: Selection::of(plan, &options),
            limit: options.limit,
            options,
            bytes: 0,
            beyond_limit: 0,
            not_selected: 0,
            on_progress: None,
        }
    }

    /// Calls a function with the number of instructions and iterations now and then; false stops the run.
    #[must_use]
    pub fn on_progress(mut self, tell: impl FnMut(u64) -> bool + 'a) -> Self {
        self.on_progress = Some(Box::new(tell));
        self
    }

    /// Notes what arguments hold before the run that may change them.
    pub fn start(&mut self, args: &[Arg<'_>]) {
        let is_selective = self.options.is_selective();
        self.streams.buffers = args.iter().map(|arg| before_run(arg, is_selective)).collect();
    }

    /// The recording, after the run: the plan that ran, its source, and how it failed. The arguments that it could only read are missing:
    /// [`Recording::missing_inputs`].
    pub fn finish(self, plan: Plan, source: RecordedSource, blocks: u32, failed: Option<&Error>) -> Recording {
        let facts = PlanFacts::of(&plan, &self.streams);
        let (beyond_limit, not_selected) = (self.beyond_limit, self.not_selected);
        let outcome = failed.and_then(|error| error.diagnostics().first().cloned());
        let (options, streams) = (self.options, self.streams);
        Recording { plan, source, options, blocks, streams, outcome, beyond_limit, not_selected, facts }
    }

    #[inline]
    fn core(&mut self, id: CoreId) -> usize {
        if !self.is_current(id) {
            self.current = self.positions.get(&id).copied().unwrap_or_else(|| self.add_core(id));
        }
        self.current
    }

    #[inline]
    fn is_current(&self, id: CoreId) -> bool {
        self.streams.cores.get(self.current).is_some_and(|core| core.id == id)
    }

    #[cold]
    fn add_core(&mut self, id: CoreId) -> usize {
        let role = role_index(id.role);
        let Some(facts) = &self.roles[role] else { return 0 };
        let (moments, registers, values) = (Vec::new(), Vec::new(), Vec::new());
        self.streams.cores.push(CoreStream { id, moments, registers, values, checkpoints: Vec::new() });
        self.cores.push(CoreRecord {
            role,
            last: vec![LastDone::NOTHING; facts.steps],
            noted: (None, NONE),
            touched: 0,
            since_checkpoint: 0,
        });
        self.positions.insert(id, self.cores.len() - 1);
        self.cores.len() - 1
    }

    /// The position of the iterations that a core is in.
    #[inline]
    fn iterations(&mut self, core: usize, of: LoopIterations<'_>) -> u32 {
        let Some(key) = of.key() else { return NONE };
        let (last, noted) = self.cores[core].noted;
        if last == Some(key) { noted } else { self.note_iterations(core, of, key) }
    }

    fn note_iterations(&mut self, core: usize, of: LoopIterations<'_>, key: IterationKey) -> u32 {
        let all = &mut self.streams.iterations;
        make_room(all);
        let first = all.len();
        all.push(0);
        all.extend(of.from_inside().map(|iteration| iteration.number as u32));
        let count = all.len() - first - 1;
        all[first] = count as u32;
        all[first + 1..].reverse();
        self.cores[core].noted = (Some(key), first as u32);
        self.bytes += 4 * (count as u64 + 1);
        first as u32
    }

    /// The list with these accesses.
    fn list(&mut self, core: usize, step: u32, accesses: &[Access], repeats: bool) -> u32 {
        if accesses.is_empty() {
            return NONE;
        }
        let last = self.cores[core].last[step as usize].list;
        if last != NONE && (repeats || *self.streams.lists[last as usize] == *accesses) {
            return last;
        }
        let hash = hash_of(accesses);
        let same = self.lists.entry(hash).or_default();
        let lists = &mut self.streams.lists;
        let known = same.iter().copied().find(|k| *lists[*k as usize] == *accesses);
        let list = known.unwrap_or_else(|| {
            lists.push(accesses.into());
            self.list_facts.push(ListFacts::of(accesses));
            same.push(lists.len() as u32 - 1);
            self.bytes += size_of_val(accesses) as u64;
            lists.len() as u32 - 1
        });
        let last = &mut self.cores[core].last[step as usize];
        *last = LastDone { list, kind: last.kind, ..LastDone::NOTHING };
        list
    }

    fn add_moment(&mut self, core: usize, deed: Deed, pipe: Option<Pipe>, list: u32, (step, iterations): (u32, u32)) {
        let deed = match deed {
            Deed::Work => 0,
            other => {
                self.streams.deeds.push(other);
                self.streams.deeds.len() as u32 - 1
            }
        };
        let pipe = pipe.map_or(NO_PIPE, |p| p as u8);
        let kind = self.kind(MomentKind { core: core as u32, step, list, deed, pipe });
        let at = self.push(core, kind, 0, iterations);
        self.pending.push(at);
    }

    /// The kind of a moment: most are of that of the last one of the same step.
    fn kind(&mut self, kind: MomentKind) -> u32 {
        let moments = &mut self.streams.moments;
        let last = &mut self.cores[kind.core as usize].last[kind.step as usize];
        if moments.kind(last.kind) != Some(&kind) {
            last.kind = moments.add_kind(kind);
            self.bytes += MomentTable::KIND_BYTES;
        }
        last.kind
    }

    #[inline]
    fn push(&mut self, core: usize, kind: u32, changes: u32, iterations: u32) -> u32 {
        let at = self.streams.moments.push(kind, changes, iterations);
        let of_core = &mut self.streams.cores[core].moments;
        make_room(of_core);
        of_core.push(at);
        self.bytes += MomentTable::MOMENT_BYTES + 4;
        at
    }

    /// Notes an instruction that does what it did last time, and keeps nothing; false if it is another.
    #[inline]
    fn repeat(&mut self, event: &Event<'_>) -> bool {
        let is_possible = event.repeats && self.pending.is_empty() && self.bytes <= self.limit;
        if !is_possible || !matches!(event.action, Action::Work) || !self.is_current(event.core) {
            return false;
        }
        let (core, step) = (self.current, event.step);
        let LastDone { kind, is_settled, touched, .. } = self.cores[core].last[step as usize];
        if !is_settled {
            return false;
        }
        let iterations = self.iterations(core, event.iterations);
        let changes = self.streams.cores[core].registers.len() as u32;
        self.push(core, kind, changes, iterations);
        let record = &mut self.cores[core];
        record.touched += touched;
        record.since_checkpoint += 1;
        self.is_settled = !record.may_be_late();
        true
    }

    /// Notes the next iteration of a loop that a program counts by, on a core that has started; false if it is another step.
    #[inline]
    fn count(&mut self, done: &StepDone<'_, '_>) -> bool {
        let Some((reg, value)) = done.counted() else { return false };
        let core = self.current;
        let is_usual = self.pending.is_empty() && self.bytes <= self.limit && self.is_current(done.core());
        let is_started = is_usual && !self.streams.cores[core].registers.is_empty();
        if !is_started || self.is_scalar_moment(core, done.step()) {
            return false;
        }
        self.streams.cores[core].push(RegisterKey::scalar(reg), value);
        self.bytes += CHANGE_BYTES;
        true
    }

    /// A moment that keeps nothing, of a step that changes no register, is complete when it is told: most are.
    fn settle_moment(&mut self, core: usize, step: u32, list: u32) {
        let Some(facts) = &self.roles[self.cores[core].role] else { return };
        let (stream, record) = (&self.streams.cores[core], &mut self.cores[core]);
        let step = step as usize;
        let is_started = !stream.registers.is_empty() && !stream.checkpoints.is_empty();
        // One that is asked for becomes a moment of its own, unless it has one that is not complete yet.
        let is_asked_for = facts.scalar.get(step).is_some_and(|is_wanted| *is_wanted);
        let is_idle = facts.idle[step] && facts.replayed[step] && !is_asked_for;
        let is_complete = self.selection.is_none() && is_started && is_idle;
        let Some(list) = self.list_facts.get(list as usize).filter(|list| is_complete && !list.writes_global) else {
            return;
        };
        if let [moment] = self.pending[..] {
            self.streams.moments.set_changes(moment, stream.registers.len() as u32);
            self.pending.clear();
            record.touched += list.touched;
            record.since_checkpoint += 1;
            let is_work = self.streams.moments.at(moment).kind.deed == 0;
            (record.last[step].is_settled, record.last[step].touched) = (is_work, list.touched);
        }
    }

    /// True for a step that changes nothing that is recorded, on a core that has started.
    fn is_idle(&self, core: usize, step: u32) -> bool {
        let Some(facts) = &self.roles[self.cores[core].role] else { return true };
        facts.idle[step as usize]
            && !self.streams.cores[core].registers.is_empty()
            && (facts.scalar.is_empty() || !self.is_scalar_moment(core, step))
    }

    fn is_scalar_moment(&self, core: usize, step: u32) -> bool {
        let facts = self.roles[self.cores[core].role].as_ref();
        facts.is_some_and(|facts| facts.scalar.get(step as usize).is_some_and(|is_wanted| *is_wanted))
    }

    /// Notes what a step changed that is no instruction, or not only one.
    fn note_changes(&mut self, core: usize, done: &StepDone<'_, '_>) {
        let streams = &mut self.streams;
        let before = streams.cores[core].registers.len();
        done.changes(&mut |change| streams.add_change(core, change));
        self.bytes += CHANGE_BYTES * (self.streams.cores[core].registers.len() - before) as u64;
        if self.selection.is_none()
            && let Some(accesses) = done.silent_write()
        {
            let list = self.list(core, done.step(), &accesses, false);
            let iterations = self.iterations(core, done.iterations());
            self.add_moment(core, Deed::Copy, None, list, (done.step(), iterations));
        }
        if self.pending.is_empty() && self.is_scalar_moment(core, done.step()) {
            let iterations = self.iterations(core, done.iterations());
            self.add_moment(core, Deed::Scalar, None, NONE, (done.step(), iterations));
        }
    }

    /// Keeps what the moments of a finished step wrote, as far as it is not computed again.
    fn keep_written(&mut self, core: usize, done: &mut StepDone<'_, '_>) {
        let role = self.cores[core].role;
        let replayed = self.roles[role].as_ref().is_some_and(|f| f.replayed[done.step() as usize]);
        let changes = self.streams.cores[core].registers.len() as u32;
        for k in 0..self.pending.len() {
            let moment = self.pending[k];
            self.streams.moments.set_changes(moment, changes);
            let list = self.streams.moments.at(moment).kind.list;
            let Some(facts) = self.list_facts.get(list as usize) else { continue };
            self.cores[core].touched += facts.touched;
            if self.selection.is_none() && replayed && !facts.writes_global {
                continue;
            }
            for access in 0..self.streams.lists[list as usize].len() {
                let written = self.streams.lists[list as usize][access];
                if written.write && self.keeps(&written, replayed, moment) {
                    self.keep_bytes(moment, access as u32, &written, done);
                }
            }
        }
        self.pending.clear();
    }

    fn keeps(&self, access: &Access, replayed: bool, moment: u32) -> bool {
        if access.tile == Some(DEVICE) || access.is_work_space() {
            return false;
        }
        if let Some(selection) = &self.selection {
            let MomentKind { core, step, .. } = self.streams.moments.at(moment).kind;
            return selection.has_line(self.cores[core as usize].role, step)
                || access.value.is_some_and(|v| selection.has_value(v));
        }
        match access.place {
            AddressSpace::Global(buffer) => buffer < self.streams.buffers.len(),
            AddressSpace::Core(_) => !replayed,
        }
    }

    fn keep_bytes(&mut self, moment: u32, access: u32, written: &Access, done: &mut StepDone<'_, '_>) {
        let most = access_bytes(written) as usize;
        let before = self.streams.data.len();
        let mut is_read = false;
        let at = self.streams.data.add(most, |into| is_read = done.read(written, into));
        if is_read {
            self.streams.stored.push(StoredBytes { moment, access, at });
            self.bytes += self.streams.data.len() - before + size_of::<StoredBytes>() as u64;
        }
    }

    fn checkpoint_if_due(&mut self, core: usize, done: &mut StepDone<'_, '_>) {
        let (state, stream) = (&mut self.cores[core], &mut self.streams.cores[core]);
        let is_first = stream.checkpoints.is_empty();
        if !is_first {
            let is_late = state.since_checkpoint >= MOMENTS_PER_CHECKPOINT
                || state.touched >= MUCH_TOUCHED && state.since_checkpoint >= 16;
            if !is_late || state.touched < done.bytes_in_use().saturating_mul(TOUCHED_PER_CHECKPOINT) {
                return;
            }
        }
        let taken = Checkpoint::take(done, stream.moments.len(), self.streams.moments.len(), stream.registers.len());
        (state.touched, state.since_checkpoint) = (0, 0);
        self.bytes += taken.bytes();
        stream.checkpoints.push(taken);
    }

    fn is_wanted(&mut self, event: &Event<'_>) -> bool {
        if self.bytes > self.limit {
            self.beyond_limit += 1;
            return false;
        }
        let Some(selection) = &self.selection else { return true };
        let role = role_index(event.core.role);
        let touches = |a: &Access| a.value.is_some_and(|v| selection.has_value(v));
        let is_wanted = selection.has_line(role, event.step) || event.accesses.iter().any(touches);
        self.not_selected += u64::from(!is_wanted);
        is_wanted
    }
}

impl Observer for RunRecorder<'_> {
    fn event(&mut self, event: &Event<'_>) {
        if self.repeat(event) {
            return;
        }
        let Some(deed) = Deed::of(&event.action) else { return };
        if !self.is_wanted(event) {
            return;
        }
        let core = self.core(event.core);
        let list = self.list(core, event.step, event.accesses, event.repeats);
        let iterations = self.iterations(core, event.iterations);
        self.add_moment(core, deed, event.pipe, list, (event.step, iterations));
        self.settle_moment(core, event.step, list);
    }

    fn wants_steps(&self) -> bool {
        true
    }

    fn wants_idle_steps(&self) -> bool {
        !self.options.scalar_lines.is_empty()
    }

    fn stepped(&mut self, done: &mut StepDone<'_, '_>) {
        if std::mem::take(&mut self.is_settled) || self.count(done) {
            return;
        }
        let core = self.core(done.core());
        let is_idle = self.is_idle(core, done.step());
        if self.pending.is_empty() && is_idle {
            if self.cores[core].may_be_late() && self.selection.is_none() && self.bytes <= self.limit {
                self.checkpoint_if_due(core, done);
            }
            return;
        }
        if self.bytes > self.limit {
            // What the last instruction wrote is still needed.
            return self.keep_written(core, done);
        }
        let is_first = self.streams.cores[core].registers.is_empty() && self.streams.cores[core].checkpoints.is_empty();
        if is_first {
            let streams = &mut self.streams;
            done.parameters(&mut |change| streams.add_change(core, change));
        }
        if !is_idle {
            self.note_changes(core, done);
        }
        let had_moments = self.pending.len() as u64;
        if had_moments > 0 {
            self.keep_written(core, done);
            self.cores[core].since_checkpoint += had_moments;
        }
        if self.selection.is_none() && (is_first || had_moments > 0) {
            self.checkpoint_if_due(core, done);
        }
    }

    fn worked(&mut self, work: u64) -> bool {
        self.on_progress.as_mut().is_none_or(|tell| tell(work))
    }
}

fn hash_of(accesses: &[Access]) -> u64 {
    use std::hash::Hasher;
    let mut hasher = pto_isa::hash::FastHasher::default();
    for a in accesses {
        hasher.write_u64(a.start as u64 ^ (a.rows << 40) ^ (a.row_bytes << 20));
        hasher.write_u64(a.stride as u64 ^ u64::from(a.write) << 60 ^ a.value.map_or(0, |v| v.index() as u64) << 24);
    }
    hasher.finish()
}
