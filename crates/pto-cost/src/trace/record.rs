//! Listens to the engine and writes down items and what they wait for.

use super::access::{hull, pipe_of_event, ranges, shape_key};
use super::depend::MemoryAccesses;
use super::links::ItemLinks;
use super::ranks::{BufferHomes, FollowedRank, MirroredSignals};
use super::{Cost, Dep, Item, NONE, PIPES, Touch, Trace, Why};
use crate::cost::{Charge, Execution, TileUse, through_pipe};
use crate::laws::{Laws, Model, ParamKey};
use crate::network::RankNetwork;
use pto_cpu::{Access, Action, AddressSpace, Arg, CoreId, Event, Flag, Known, Launch, Observer, Plan};
use pto_ir::{Attr, OpId};
use pto_isa::cancel::poll;
use pto_isa::row::{CostClass, SyncOp};
use pto_isa::sort::SharedSort;
use pto_isa::text;
use pto_isa::{Diagnostic, Error, Loc, Op, Pipe};
use std::collections::{HashMap, VecDeque};

/// Sets of shapes that are remembered for an operation.
const MOST_KNOWN: usize = 64;

/// What orders the pipes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OrderSource {
    /// From the flags, barriers and tokens of the program.
    Program,
    /// From data, as if flags were where they are needed and nowhere else.
    Data,
}

/// Options of a recording.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Options {
    /// Whose figures.
    pub model: Model,
    /// Where order comes from; by default from the program, if it orders its pipes at all.
    pub order: Option<OrderSource>,
    /// Cores of the device that blocks share; by default as many as the target has.
    pub cores: Option<u32>,
    /// Write down which on-chip memory is touched.
    pub touches: bool,
    /// What if the buffer that this load fills, or this wait protects, existed twice?
    pub doubled: Option<OpId>,
    /// The links between ranks, if there are several.
    pub network: Option<RankNetwork>,
}

/// The most instructions that are recorded: each takes some tens of bytes.
const MAX_ITEMS: usize = 20_000_000;

/// Executes a program symbolically, without computing, and records its instructions.
///
/// # Errors
/// The error that stops the program, or a wait that never ends.
pub fn record(launch: Launch<'_>, known: &[Known], options: Options) -> Result<Trace, Error> {
    let mut recorder = ItemRecorder::new(launch, options);
    let end = launch.observe(&mut recorder).follow(known);
    recorder.finished(end)
}

/// Runs a program whose control flow depends on data, on one rank or several, and records its instructions. The arguments are
/// those of [`Launch::run`].
///
/// # Errors
/// As [`record`].
pub fn record_run(launch: Launch<'_>, args: &mut [Arg<'_>], options: Options) -> Result<Trace, Error> {
    let mut recorder = ItemRecorder::new(launch, options);
    let end = launch.observe(&mut recorder).run(args).map(drop);
    recorder.finished(end)
}

/// Follows some ranks of a program, without computing and without memory. They stand for all ranks of [`Options::network`]: each wait for a signal ends a
/// latency after the rank itself has sent that signal to others. Where a rank does not, [`Trace::unanswered`] has the wait.
///
/// # Errors
/// As [`record`].
pub fn record_ranks(launch: Launch<'_>, ranks: &[FollowedRank], options: Options) -> Result<Trace, Error> {
    let mut recorder = ItemRecorder::new(launch, options);
    for (slot, rank) in ranks.iter().enumerate() {
        recorder.homes.follow(slot, rank);
        if let Err(stop) = launch.observe(&mut recorder).follow(&rank.known) {
            return recorder.finished(Err(stop));
        }
    }
    recorder.finished(Ok(()))
}

/// Sets without a wait, waits without a set, and the flag that the last wait took.
#[derive(Default)]
struct FlagState {
    sets: VecDeque<u32>,
    waits: VecDeque<u32>,
    taken: Option<u32>,
}

/// What is known of a core.
pub(super) struct RecordedCore {
    pub(super) last: [u32; PIPES],
    stopped: [bool; PIPES],
    gate: u32,
    issued: u32,
    memory: Vec<MemoryAccesses>,
    global: HashMap<usize, MemoryAccesses>,
    /// A program uses few flags, so a list is faster than a map.
    flags: Vec<(Flag, FlagState)>,
    tokens: HashMap<i64, u32>,
    /// What a doubled load would have had to wait for last time, by the buffer it fills.
    held: HashMap<i64, Vec<Dep>>,
}

impl RecordedCore {
    fn new() -> Self {
        Self {
            last: [NONE; PIPES],
            stopped: [true; PIPES],
            gate: NONE,
            issued: 0,
            memory: vec![MemoryAccesses::default(); Loc::ALL.len()],
            global: HashMap::new(),
            flags: Vec::new(),
            tokens: HashMap::new(),
            held: HashMap::new(),
        }
    }

    fn flag(&mut self, flag: Flag) -> &mut FlagState {
        let at = self.flags.iter().position(|f| f.0 == flag).unwrap_or_else(|| {
            self.flags.push((flag, FlagState::default()));
            self.flags.len() - 1
        });
        &mut self.flags[at].1
    }
}

/// The effect of an item on its pipe.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PipeEffect {
    /// It works.
    Work,
    /// It tells others how far the pipe is.
    Mark,
    /// It stops the pipe.
    Stop,
}

pub(super) struct ItemRecorder<'p> {
    plan: &'p Plan,
    pub(super) laws: &'static Laws,
    pub(super) options: Options,
    pub(super) trace: Trace,
    places: HashMap<CoreId, usize>,
    current: Option<(CoreId, usize)>,
    pub(super) cores: Vec<RecordedCore>,
    /// Blocks that run at once.
    width: u32,
    /// Costs that are known, by operation: shapes, and the cost.
    known: Vec<Vec<(u64, u32)>>,
    links: ItemLinks,
    pub(super) homes: BufferHomes,
    pub(super) mirrored: MirroredSignals,
    /// Whether the writers of bytes are tracked.
    follows_bytes: bool,
    /// Dependences of the item being made.
    pub(super) deps: Vec<Dep>,
}

impl<'p> ItemRecorder<'p> {
    fn new(launch: Launch<'p>, options: Options) -> Self {
        let plan = launch.plan();
        let module = plan.checked().module();
        let laws = Laws::of(plan.checked().info().target);
        let all = module.order();
        let has = |is: &dyn Fn(Op) -> bool| all.iter().any(|op| is(module.op(*op).op));
        let multiplies = has(&|op| op.row().cost == CostClass::Matmul);
        let cores = laws.machine("machine", if multiplies { ParamKey::CubeCores } else { ParamKey::VectorCores });
        let order = options.order.unwrap_or(if plan.orders_pipes() { OrderSource::Program } else { OrderSource::Data });
        let free = Cost { charge: Charge::FREE, buffer: NONE, writes: false, link: None };
        let (by_data, network) = (order == OrderSource::Data, options.network);
        let trace = Trace { by_data, network, charges: vec![free], ..Trace::default() };
        Self {
            plan,
            laws,
            options,
            trace,
            places: HashMap::new(),
            current: None,
            cores: Vec::new(),
            // Blocks that wait for each other must all run at once; otherwise the program deadlocks.
            width: if launch.runs_together() { u32::MAX } else { options.cores.unwrap_or(cores as u32).max(1) },
            known: vec![Vec::new(); module.op_count()],
            links: ItemLinks::default(),
            homes: BufferHomes::new(plan.params().len()),
            mirrored: MirroredSignals::default(),
            follows_bytes: order == OrderSource::Data || has(&|op| op.sync() == Some(SyncOp::Tiles)),
            deps: Vec::new(),
        }
    }

    fn finish(mut self) -> Trace {
        for core in &self.cores {
            self.trace.stuck.extend(core.flags.iter().flat_map(|f| f.1.waits.iter().copied()));
        }
        self.trace.stuck.shared_sort();
        let (late, unanswered) = self.mirrored.finish();
        self.trace.late.extend(late);
        self.trace.unanswered = unanswered;
        self.trace
    }

    fn core(&mut self, id: CoreId, op: OpId) -> usize {
        if let Some((last, at)) = self.current
            && last == id
        {
            return at;
        }
        let at = match self.places.get(&id) {
            Some(at) => *at,
            None => self.enter(id, op),
        };
        self.current = Some((id, at));
        at
    }

    /// A block that finds all cores taken starts when the one before it on its core is done.
    fn enter(&mut self, id: CoreId, op: OpId) -> usize {
        let at = self.cores.len();
        self.places.insert(id, at);
        self.trace.cores.push(id);
        self.cores.push(RecordedCore::new());
        if id.block >= self.width {
            let before = id.block - self.width;
            for (core, state) in self.trace.cores.iter().zip(&self.cores) {
                if (core.rank, core.block) == (id.rank, before) {
                    let last = state.last.iter().filter(|i| **i != NONE);
                    self.deps.extend(last.map(|on| Dep { on: *on, why: Why::Block }));
                }
            }
            self.push(at, Pipe::S as usize, op, 0, PipeEffect::Stop);
        }
        at
    }

    /// Makes an item from the dependences gathered so far.
    fn push(&mut self, core: usize, pipe: usize, op: OpId, charge: u32, kind: PipeEffect) -> u32 {
        let item = self.trace.items.len() as u32;
        let state = &mut self.cores[core];
        let before = state.last[pipe];
        let needs_last = before != NONE && self.deps.iter().any(|d| d.on == before);
        let fresh = state.stopped[pipe] || needs_last;
        match kind {
            PipeEffect::Work => state.stopped[pipe] = false,
            PipeEffect::Mark => {}
            PipeEffect::Stop => state.stopped[pipe] = true,
        }
        let deps = self.trace.deps.len() as u32;
        // A signal of a rank may stand for one of another rank, which takes time.
        let kept = self.deps.drain(..).filter(|d| d.on != before || d.why.crosses_ranks());
        self.trace.deps.extend(kept);
        let pipe_index = (core * PIPES + pipe) as u32;
        let (gate, issue) = (state.gate, state.issued);
        self.trace.items.push(Item {
            op,
            pipe: pipe_index,
            charge,
            deps,
            gate,
            issue,
            fresh,
            orders: kind != PipeEffect::Work,
        });
        state.last[pipe] = item;
        state.issued += 1;
        if pipe == Pipe::S as usize {
            (state.gate, state.issued) = (item, 0);
        }
        item
    }

    /// An item that only orders others.
    pub(super) fn ordering(&mut self, core: usize, pipe: usize, op: OpId) -> u32 {
        self.push(core, pipe, op, 0, PipeEffect::Stop)
    }

    // ---- work ---------------------------------------------------------------------------------------------------

    fn work(&mut self, core: usize, pipe: usize, event: &Event<'_>, cost: u32) -> u32 {
        let item = self.trace.items.len() as u32;
        if self.follows_bytes {
            self.depend(core, pipe, event, item);
        }
        if self.options.touches {
            for a in event.accesses {
                if let AddressSpace::Core(loc) = a.place {
                    let (start, end) = hull(a);
                    let bytes = (end - start).max(0) as u64;
                    self.trace.touches.push(Touch { item, loc, start, bytes, write: a.write });
                }
            }
        }
        self.push(core, pipe, event.op, cost, PipeEffect::Work)
    }

    /// Depends on the writers of the bytes that this item reads, and on the users of those it overwrites.
    fn depend(&mut self, core: usize, pipe: usize, event: &Event<'_>, item: u32) {
        let state = &mut self.cores[core];
        let doubled = self.options.doubled == Some(event.op);
        let (mut found, mut overwrites) = (Vec::new(), Vec::new());
        let reads = event.accesses.iter().filter(|a| !a.write);
        for access in reads.chain(event.accesses.iter().filter(|a| a.write)) {
            let memory = match access.place {
                AddressSpace::Core(loc) => &mut state.memory[loc as usize],
                AddressSpace::Global(buffer) => {
                    state.global.entry(buffer).or_insert_with(MemoryAccesses::without_readers)
                }
            };
            let deps = if doubled && access.write { &mut overwrites } else { &mut found };
            ranges(access, |from, to| match access.write {
                true => memory.write(from, to, item, deps),
                false => memory.read(from, to, item, pipe as u32, deps),
            });
        }
        if doubled {
            let filled = event.accesses.iter().find(|a| a.write && matches!(a.place, AddressSpace::Core(_)));
            let held = state.held.entry(filled.map_or(0, |a| hull(a).0)).or_default();
            found.append(&mut std::mem::replace(held, overwrites));
        }
        if self.trace.by_data {
            self.deps.extend(found.into_iter().filter(|d| d.on != item));
        }
    }

    fn instance(&self, event: &Event<'_>) -> (Execution, u32) {
        let module = self.plan.checked().module();
        let op = module.op(event.op).op;
        let mut instance = Execution { op, tiles: Vec::new(), loaded: 0, stored: 0, mode: "" };
        let mut buffer = NONE;
        for a in event.accesses {
            match a.place {
                AddressSpace::Core(_) => instance.tiles.extend(self.tile_use(event.core, a)),
                AddressSpace::Global(at) => {
                    let bytes = a.rows * a.row_bytes;
                    *(if a.write { &mut instance.stored } else { &mut instance.loaded }) += bytes;
                    buffer = at as u32;
                }
            }
        }
        let reads = instance.tiles.iter().filter(|t| !t.write).count();
        let precise = |attr: &Attr| matches!(attr, Attr::Enum(def, at) if def.value(usize::from(*at)).eq_ignore_ascii_case("high_precision"));
        if module.attrs(event.op).iter().any(|(_, attr)| precise(attr)) {
            instance.mode = "high_precision";
        } else if op.row().cost == CostClass::Gather && reads == 1 {
            instance.mode = "pattern";
        }
        (instance, buffer)
    }

    fn tile_use(&self, core: CoreId, access: &Access) -> Option<TileUse> {
        let ty = self.plan.tile_type(core.role, access.geometry)?;
        let valid = (u64::from(access.valid.0), u64::from(access.valid.1));
        Some(TileUse { loc: ty.loc, dtype: ty.dtype, size: (ty.rows, ty.cols), valid, write: access.write })
    }

    /// The cost of an execution. The same operation on the same shapes costs the same again.
    fn charge(&mut self, event: &Event<'_>) -> u32 {
        for a in event.accesses {
            if let AddressSpace::Global(buffer) = a.place {
                if self.trace.traffic.len() <= buffer {
                    self.trace.traffic.resize(buffer + 1, super::Traffic::default());
                }
                let (first, end) = hull(a);
                self.trace.traffic[buffer].count(first, end, a.rows * a.row_bytes, a.write);
            }
        }
        self.count_between_ranks(event);
        let key = shape_key(event);
        if let Some(at) = self.known_cost(event.op, key) {
            return at;
        }
        let (instance, buffer) = self.instance(event);
        let writes = instance.stored > 0;
        let (charge, link) = self.with_links(event, &instance);
        let cost = Cost { charge, buffer, writes, link };
        self.add_cost(event.op, key, cost)
    }

    fn known_cost(&self, op: OpId, key: u64) -> Option<u32> {
        self.known[op.index()].iter().rev().find(|k| k.0 == key).map(|k| k.1)
    }

    fn add_cost(&mut self, op: OpId, key: u64, cost: Cost) -> u32 {
        self.trace.charges.push(cost);
        let at = self.trace.charges.len() as u32 - 1;
        let known = &mut self.known[op.index()];
        // Operands of ever new sizes are rare; old ones are forgotten then, so that looking up stays short.
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.push((key, at));
        at
    }

    /// The cost of a tile on its way through a pipe between cores.
    fn pipe_charge(&mut self, event: &Event<'_>, pushes: bool) -> u32 {
        let key = shape_key(event);
        if let Some(at) = self.known_cost(event.op, key) {
            return at;
        }
        let tile = event.accesses.first().and_then(|a| self.tile_use(event.core, a));
        let charge = tile.map_or(Charge::FREE, |tile| through_pipe(&tile, pushes, self.laws));
        self.add_cost(event.op, key, Cost { charge, buffer: NONE, writes: pushes, link: None })
    }

    // ---- order --------------------------------------------------------------------------------------------------

    fn set_flag(&mut self, core: usize, flag: Flag, op: OpId) {
        let item = self.push(core, flag.src as usize, op, 0, PipeEffect::Mark);
        let raised = self.cores[core].flag(flag);
        match raised.waits.pop_front() {
            Some(wait) => self.trace.late.push((wait, Dep { on: item, why: Why::Flag })),
            None => raised.sets.push_back(item),
        }
    }

    fn wait_flag(&mut self, core: usize, flag: Flag, op: OpId) {
        let doubled = self.options.doubled == Some(op);
        let raised = self.cores[core].flag(flag);
        let set = raised.sets.pop_front();
        let waits_for = if doubled { std::mem::replace(&mut raised.taken, set) } else { set };
        self.deps.extend(waits_for.map(|on| Dep { on, why: Why::Flag }));
        let item = self.push(core, flag.dst as usize, op, 0, PipeEffect::Stop);
        if set.is_none() {
            self.cores[core].flag(flag).waits.push_back(item);
        }
    }

    /// The scalar unit waits for all pipes, and everything after it for the scalar unit.
    fn barrier(&mut self, core: usize, op: OpId) {
        let state = &mut self.cores[core];
        let last = state.last.iter().filter(|i| **i != NONE);
        self.deps.extend(last.map(|on| Dep { on: *on, why: Why::Barrier }));
        state.stopped = [true; PIPES];
        self.push(core, Pipe::S as usize, op, 0, PipeEffect::Stop);
    }

    fn take_token(&mut self, core: usize, pipe: usize, id: i64, op: OpId) {
        if let Some(on) = self.cores[core].tokens.get(&id) {
            self.deps.push(Dep { on: *on, why: Why::Token });
        }
        self.push(core, pipe, op, 0, PipeEffect::Stop);
    }

    /// The core waits for all writers of the operands.
    fn sync(&mut self, core: usize, event: &Event<'_>) {
        let state = &self.cores[core];
        for access in event.accesses {
            if let AddressSpace::Core(loc) = access.place {
                ranges(access, |from, to| state.memory[loc as usize].writers(from, to, &mut self.deps));
            }
        }
        self.push(core, Pipe::S as usize, event.op, 0, PipeEffect::Stop);
    }

    /// An item that waits for what other cores did.
    pub(super) fn linked(&mut self, core: usize, pipe: usize, event: &Event<'_>, charge: u32) -> u32 {
        self.links.waits(event, self.options.network.as_ref(), &mut self.deps);
        let item = if charge == 0 {
            self.push(core, pipe, event.op, 0, PipeEffect::Stop)
        } else {
            self.work(core, pipe, event, charge)
        };
        self.links.done(event, self.laws.target(), item);
        item
    }
}

impl ItemRecorder<'_> {
    /// What was recorded, unless something stopped the program.
    fn finished(self, end: Result<(), Error>) -> Result<Trace, Error> {
        let too_long = self.trace.items.len() >= MAX_ITEMS;
        match end {
            Ok(()) => Ok(self.finish()),
            Err(stop) if too_long => {
                let module = self.plan.checked().module();
                let longer = |mut d: Diagnostic| {
                    d.message = text!("the program executes more than {MAX_ITEMS} instructions", MAX_ITEMS);
                    d.help(text!("predict a part of it: fewer iterations of its loops, or fewer blocks"))
                };
                Err(module.error(stop.into_diagnostics().into_iter().map(longer).collect::<Vec<_>>()))
            }
            Err(stop) => Err(stop),
        }
    }
}

impl Observer for ItemRecorder<'_> {
    fn goes_on(&mut self) -> bool {
        poll();
        self.trace.items.len() < MAX_ITEMS
    }

    fn event(&mut self, event: &Event<'_>) {
        match self.homes.followed() {
            Some(rank) => {
                let accesses: Vec<Access> = event.accesses.iter().map(|a| self.homes.placed(a)).collect();
                let core = CoreId { rank, ..event.core };
                self.heard(&event.moved(core, &accesses));
            }
            None => self.heard(event),
        }
    }
}

impl ItemRecorder<'_> {
    fn heard(&mut self, event: &Event<'_>) {
        let core = self.core(event.core, event.op);
        let pipe = event.pipe.map_or(Pipe::S as usize, |p| p as usize);
        let by_program = !self.trace.by_data;
        match event.action {
            Action::Work => {
                let cost = self.charge(event);
                self.work(core, pipe, event, cost);
            }
            Action::SetFlag(flag) if by_program => self.set_flag(core, flag, event.op),
            Action::WaitFlag(flag) if by_program => self.wait_flag(core, flag, event.op),
            Action::Barrier if by_program && event.pipe == Some(Pipe::All) => self.barrier(core, event.op),
            Action::Barrier if by_program => {
                self.push(core, pipe, event.op, 0, PipeEffect::Stop);
            }
            Action::GetToken(id) if by_program => self.take_token(core, pipe, id, event.op),
            Action::ReleaseToken(id) if by_program => {
                let item = self.push(core, pipe, event.op, 0, PipeEffect::Mark);
                self.cores[core].tokens.insert(id, item);
            }
            Action::Sync if by_program => self.sync(core, event),
            Action::Then(first, second) if by_program => {
                let on = self.cores[core].last[first as usize];
                if on != NONE {
                    self.deps.push(Dep { on, why: Why::Flag });
                }
                self.push(core, second as usize, event.op, 0, PipeEffect::Stop);
            }
            Action::AwaitBackground => {
                let on = self.cores[core].last[Pipe::All as usize];
                if on != NONE {
                    self.deps.push(Dep { on, why: Why::Barrier });
                }
                self.push(core, Pipe::S as usize, event.op, 0, PipeEffect::Stop);
            }
            Action::Push(_) | Action::Pop(_) => {
                let pushes = matches!(event.action, Action::Push(_));
                let charge = if event.accesses.is_empty() { 0 } else { self.pipe_charge(event, pushes) };
                self.linked(core, pipe_of_event(event, pushes), event, charge);
            }
            Action::Alloc(_) => {
                self.linked(core, pipe_of_event(event, true), event, 0);
            }
            Action::Notify | Action::Noticed if self.options.network.is_some() => self.rank_signal(core, pipe, event),
            Action::Signal(_)
            | Action::Await(_)
            | Action::Arrive(..)
            | Action::Leave(..)
            | Action::Free(_)
            | Action::Notify
            | Action::Noticed => {
                self.linked(core, pipe, event, 0);
            }
            Action::SetFlag(_)
            | Action::WaitFlag(_)
            | Action::Barrier
            | Action::GetToken(_)
            | Action::ReleaseToken(_)
            | Action::Sync
            | Action::Then(..)
            | Action::Open(_)
            | Action::Missed
            | Action::Clean
            | Action::Other => self.cores[core].issued += 1,
        }
    }
}
