//! One core: registers, memory, and the loop that executes steps.

use super::fail::Fail;
use super::links::{OpenEnd, Outcome};
use super::observe::{CoreId, Watch};
use super::reorder::Pipes;
use super::scalar;
use super::shared::Shared;
use super::spin::{Deeds, Spin};
use super::turns::Turns;
use super::written::Written;
use crate::args::Uninitialised;
use crate::guard::Guards;
use crate::kernels::{TileRef, ViewRef};
use crate::memory::{Buffer, CoreMemory};
use crate::plan::{Link, Plan, Role, Step, Switch, Tile, View};
use pto_isa::{Diagnostic, Loc};
use std::time::Instant;

/// Bytes of this are NaN in every floating-point type that has one, but for `hif8`.
const NAN_BYTE: u8 = 0xff;

/// How far a core is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    Ready,
    /// It waits for others.
    Waits,
    /// It asked others for something and lets them go on.
    Polls,
    Done,
}

/// The state of a core. It is made once and used for block after block.
pub(super) struct Core<'p> {
    pub plan: &'p Plan,
    pub regs: Vec<u64>,
    pub tiles: Vec<Tile>,
    pub views: Vec<View>,
    pub memory: CoreMemory,
    /// Global memory, by parameter.
    pub buffers: &'p [Buffer],
    /// Locks of those buffers, if other threads have them too.
    pub guards: Option<&'p Guards>,
    /// Memory the program allocated, by allocation.
    pub allocated: Vec<Vec<u64>>,
    /// Which parameters were written to.
    pub written: Vec<bool>,
    /// What the rules of an instruction were checked with, one set of facts after the other.
    pub checked: Vec<Vec<u64>>,
    /// The facts being checked.
    pub facts: Vec<u64>,
    /// Bytes used at the start of each space.
    pub used: [u64; Loc::ALL.len()],
    /// Tiles behind the spaces may have been touched.
    pub ran: bool,
    pub rank: u32,
    pub block: u32,
    pub blocks: u32,
    pub instructions: u64,
    /// Scalars read and written; those written to local memory; writes to global memory.
    pub touched: u64,
    pub locals: u64,
    pub stores: u64,
    /// Iterations of loops.
    pub turns: Turns,
    /// Its position among the cores that run together.
    pub who: usize,
    /// Its number among the vector cores of the block.
    pub sub: u32,
    pub state: State,
    /// The step it goes on with.
    next: usize,
    /// The step was tried before and had to wait.
    pub retries: bool,
    /// It has asked for something that did not come, and takes answers as they are.
    pub gave_up: bool,
    /// Sessions and transfers in the background so far.
    pub background: u64,
    /// Ends of pipes.
    pub ends: Vec<OpenEnd>,
    /// What the block printed.
    pub printed: String,
    /// What was not as it should be, over all blocks.
    pub notes: Vec<Diagnostic>,
    /// Operands of the instruction being executed: the first of each array.
    pub tile_refs: [TileRef<'p>; super::MAX_TILES],
    pub view_refs: [ViewRef; super::MAX_VIEWS],
    pub scalars: [u64; super::MAX_SCALARS],
    /// What pipes have not done yet, where chance decides when they do.
    pub pipes: Pipes<'p>,
    /// Whether it reads the same number again and again.
    pub spin: Spin,
    /// The bytes that have content.
    pub bytes: Written,
}

impl<'p> Core<'p> {
    pub fn new(
        plan: &'p Plan,
        buffers: &'p [Buffer],
        guards: Option<&'p Guards>,
        blocks: u32,
    ) -> Result<Self, Diagnostic> {
        let memory = plan.spare.take().or_else(|| CoreMemory::new(plan.core_bytes));
        let mut memory = memory.ok_or_else(|| Fail::no_memory(plan.core_bytes))?;
        if plan.uninitialised == Uninitialised::Nan {
            memory.part(0, plan.core_bytes).fill(NAN_BYTE);
        }
        Ok(Self {
            plan,
            regs: plan.regs.clone(),
            tiles: plan.tiles.clone(),
            views: plan.views.clone(),
            memory,
            buffers,
            guards,
            allocated: vec![Vec::new(); plan.allocations.len()],
            written: vec![false; buffers.len()],
            checked: vec![Vec::new(); plan.checks.len()],
            facts: Vec::with_capacity(16),
            used: [0; Loc::ALL.len()],
            ran: false,
            rank: 0,
            block: 0,
            blocks,
            instructions: 0,
            touched: 0,
            locals: 0,
            stores: 0,
            turns: Turns::default(),
            who: 0,
            sub: 0,
            state: State::Ready,
            next: 0,
            retries: false,
            gave_up: false,
            background: 0,
            ends: vec![OpenEnd::default(); plan.ends.len()],
            printed: String::new(),
            notes: Vec::new(),
            tile_refs: [TileRef::ABSENT; super::MAX_TILES],
            view_refs: [ViewRef::ABSENT; super::MAX_VIEWS],
            scalars: [0; super::MAX_SCALARS],
            pipes: Pipes::default(),
            bytes: Written::new(plan.core_bytes, plan.kernels.len()),
            spin: Spin::new(plan.accesses.len() + plan.element_reads.len()),
        })
    }

    /// Makes the core as new for a block: nothing of another block may be seen.
    pub fn reset(&mut self, block: u32) {
        self.block = block;
        (self.state, self.next, self.retries) = (State::Ready, 0, false);
        (self.gave_up, self.background) = (false, 0);
        self.ends.fill(OpenEnd::default());
        self.pipes.reset(0);
        self.spin.reset();
        self.turns.reset();
        self.printed.clear();
        self.regs.copy_from_slice(&self.plan.regs);
        self.tiles.copy_from_slice(&self.plan.tiles);
        self.views.copy_from_slice(&self.plan.views);
        self.checked.iter_mut().for_each(Vec::clear);
        self.clear();
    }

    /// Makes all memory as it was that the core may have touched.
    fn clear(&mut self) {
        let fill = if self.plan.uninitialised == Uninitialised::Nan { NAN_BYTE } else { 0 };
        for loc in Loc::ALL {
            let used = std::mem::take(&mut self.used[loc as usize]);
            self.forget(self.plan.spaces.start(loc), used, fill);
        }
        if std::mem::take(&mut self.ran) {
            let own = self.plan.spaces.end;
            self.forget(own, self.plan.core_bytes - own, fill);
        }
        self.bytes.next_block();
    }

    fn forget(&mut self, start: u64, length: u64, fill: u8) {
        self.memory.part(start, length).fill(fill);
        self.bytes.clear(start, length);
    }

    /// Which core it is.
    pub fn id(&self) -> CoreId {
        CoreId { rank: self.rank, block: self.block, role: self.role(), sub: self.sub }
    }

    /// What the core executes.
    pub fn role(&self) -> Role {
        self.plan.role
    }

    /// Runs from the first step to the last, alone.
    pub fn execute<W: Watch>(&mut self, watch: &mut W) -> Result<(), Diagnostic> {
        let mut alone = Shared::new(self.plan.checked.info().target, vec![self.id()]);
        self.resume(&mut alone, watch).map(drop)
    }

    /// Goes on until the end, or until it must wait.
    pub fn resume<W: Watch>(&mut self, shared: &mut Shared, watch: &mut W) -> Result<State, Diagnostic> {
        self.ran = true;
        let mut at = self.next;
        match self.steps(&mut at, shared, watch) {
            Ok(state) => {
                self.state = state;
                Ok(state)
            }
            Err(fail) => {
                let at = self.pipes.failed_at.unwrap_or(at);
                Err(fail.at(self, at))
            }
        }
    }

    /// The step it waits at: one that polls is done, and will be reached again.
    fn waiting_step(&self) -> usize {
        self.next - usize::from(self.state == State::Polls)
    }

    /// What it waits for.
    pub fn waits_at(&self) -> Option<&'p Link> {
        match self.plan.steps.get(self.waiting_step()) {
            Some(Step::Link(which)) => self.plan.links.get(*which as usize),
            _ => None,
        }
    }

    /// The number it reads again and again.
    pub fn reads_at(&self) -> Option<i64> {
        match self.plan.steps.get(self.waiting_step()) {
            Some(Step::LoadScalar(which)) => Some(self.int(self.plan.accesses[*which as usize].value)),
            Some(Step::TileGet { out, .. }) => Some(self.int(*out)),
            _ => None,
        }
    }

    /// Where it stands in the text.
    pub fn place(&self) -> pto_isa::Span {
        self.plan
            .origins
            .get(self.waiting_step())
            .map_or_else(Default::default, |op| self.plan.module().op(*op).name_span)
    }

    fn steps<W: Watch>(&mut self, at: &mut usize, shared: &mut Shared, watch: &mut W) -> Result<State, Fail> {
        let plan = self.plan;
        let mut next = self.next;
        let mut reported = self.work();
        loop {
            *at = next;
            next += 1;
            match plan.steps[*at] {
                Step::Jump(to) => {
                    next = to as usize;
                    if next <= *at {
                        self.turn(*at, &mut reported, watch)?;
                    }
                }
                Step::Branch { condition, yes, no } => {
                    let mut taken = self.reg(condition) & 1 == 1;
                    if W::OBSERVES {
                        taken = watch.branch(self.id(), plan.origins[*at], taken);
                    }
                    next = if taken { yes } else { no } as usize;
                    if next <= *at {
                        self.turn(*at, &mut reported, watch)?;
                    }
                }
                Step::Switch(which) => next = self.case(&plan.switches[which as usize]),
                Step::LoopTest { counter, bound, exit } => {
                    let mut goes_on = self.int(counter) < self.int(bound);
                    if W::OBSERVES {
                        goes_on = watch.branch(self.id(), plan.origins[*at], goes_on);
                    }
                    if !goes_on {
                        next = exit as usize;
                    }
                }
                Step::LoopNext { counter, step, head } => {
                    // A counter that would overflow has passed every bound.
                    let value = self.int(counter).saturating_add(self.int(step));
                    self.regs[counter as usize] = value as u64;
                    next = head as usize;
                    self.turn(*at, &mut reported, watch)?;
                }
                Step::LoopBy(step) => {
                    if self.int(step) <= 0 {
                        return Err(Fail::Step(self.int(step)));
                    }
                }
                Step::Move { from, to } => self.regs[to as usize] = self.reg(from),
                Step::MoveTile { from, to } => {
                    let moved = self.tiles[to as usize] != self.tiles[from as usize];
                    self.bytes.version += u64::from(moved);
                    self.tiles[to as usize] = self.tiles[from as usize];
                }
                Step::MoveView { from, to } => self.views[to as usize] = self.views[from as usize],
                Step::Int { op, kind, a, b, out } => {
                    let value = scalar::int(op, kind, self.reg(a), self.reg(b)).ok_or(Fail::ScalarDivision)?;
                    self.regs[out as usize] = value;
                }
                Step::Float { op, kind, a, b, out } => {
                    self.regs[out as usize] = scalar::float(op, kind, self.reg(a), self.reg(b));
                }
                Step::CompareInt { predicate, kind, a, b, out } => {
                    let mut holds = scalar::compare_int(predicate, kind, self.reg(a), self.reg(b));
                    if W::OBSERVES {
                        let numbers = [self.int(a), self.int(b)];
                        holds = watch.compared(self.id(), plan.origins[*at], numbers, holds);
                    }
                    self.regs[out as usize] = u64::from(holds);
                }
                Step::CompareFloat { predicate, kind, a, b, out } => {
                    let (x, y) = (kind.value(self.reg(a)), kind.value(self.reg(b)));
                    self.regs[out as usize] = u64::from(scalar::compare_float(predicate, x, y));
                }
                Step::Cast { cast, a, out } => self.regs[out as usize] = scalar::cast(cast, self.reg(a)),
                Step::Select { condition, a, b, out } => {
                    let chosen = if self.reg(condition) & 1 == 1 { a } else { b };
                    self.regs[out as usize] = self.reg(chosen);
                }
                Step::Extended { op, kind, a, b, out } => {
                    let (low, high) = scalar::extended(op, kind, self.reg(a), self.reg(b));
                    self.regs[out as usize] = low;
                    self.regs[out as usize + 1] = high;
                }
                Step::BlockIndex(out) => self.regs[out as usize] = u64::from(self.block),
                Step::BlockCount(out) => self.regs[out as usize] = u64::from(self.blocks),
                Step::SubblockIndex(out) => self.regs[out as usize] = u64::from(self.sub),
                Step::SubblockCount(out) => {
                    self.regs[out as usize] = if self.role() == Role::Whole { 1 } else { plan.vectors.into() };
                }
                Step::Kernel(which) => {
                    self.instructions += 1;
                    self.instruction(which as usize, *at, watch)?;
                    if self.work() - reported >= W::REPORT_EVERY {
                        self.report(&mut reported, watch)?;
                    }
                }
                Step::Order(which) => {
                    if W::OBSERVES {
                        self.say_order(which as usize, *at, watch);
                    }
                    if W::REORDERS {
                        self.order_pipes(which as usize, *at)?;
                    }
                }
                Step::Link(which) => {
                    self.touched += 1;
                    self.catch_up::<W>(plan.steps[*at], *at)?;
                    let outcome = self.link(which as usize, *at, shared, watch)?;
                    self.retries = outcome == Outcome::Waits;
                    self.settle::<W>(plan.steps[*at])?;
                    if outcome != Outcome::Done {
                        self.next = *at + usize::from(outcome == Outcome::Yields);
                        self.report(&mut reported, watch)?;
                        if !self.retries {
                            self.spin.lets_others_go_on(*at, &self.regs, self.deeds());
                        }
                        return Ok(if self.retries { State::Waits } else { State::Polls });
                    }
                }
                Step::LoadScalar(which) => {
                    self.catch_up::<W>(plan.steps[*at], *at)?;
                    self.load_scalar(which as usize, *at, watch)?;
                    if self.spin.is_due(W::PATIENCE) && self.lets_others_go_on(*at, &mut reported, watch)? {
                        return Ok(State::Polls);
                    }
                }
                read @ Step::TileGet { .. } => {
                    self.catch_up::<W>(read, *at)?;
                    self.place_or_data(read, *at, watch)?;
                    if self.spin.is_due(W::PATIENCE) && self.lets_others_go_on(*at, &mut reported, watch)? {
                        return Ok(State::Polls);
                    }
                }
                Step::Trap => return Err(Fail::Trap),
                Step::End => {
                    self.catch_up::<W>(Step::End, *at)?;
                    watch.progress(self.work() - reported);
                    return Ok(State::Done);
                }
                // Listed, so that a new step does not compile until something executes it.
                other @ (Step::CopyTile { .. }
                | Step::Bind(_)
                | Step::Assign { .. }
                | Step::Window(_)
                | Step::Retype { .. }
                | Step::Pick { .. }
                | Step::SetValid { .. }
                | Step::ValidFromView { .. }
                | Step::ValidFromTile { .. }
                | Step::ValidFromTiles(_)
                | Step::GetValid { .. }
                | Step::ScaleAddress { .. }
                | Step::TileAddress { .. }
                | Step::MakeView(_)
                | Step::Partition(_)
                | Step::ViewExtent { .. }
                | Step::ViewAddress { .. }
                | Step::Offset { .. }
                | Step::StoreScalar(_)
                | Step::Allocate(_)
                | Step::LocalGet(_)
                | Step::LocalSet(_)
                | Step::TileSet { .. }
                | Step::Print(_)
                | Step::Check(_)) => {
                    self.catch_up::<W>(other, *at)?;
                    self.place_or_data(other, *at, watch)?;
                }
            }
        }
    }

    /// Instructions and iterations: grows as long as the core does anything.
    pub fn work(&self) -> u64 {
        self.instructions + self.turns.count()
    }

    pub fn deeds(&self) -> Deeds {
        let Self { instructions, touched, locals, stores, .. } = *self;
        Deeds { instructions, touched, locals, stores }
    }

    /// Says how far the core has come since the last report.
    fn report<W: Watch>(&self, reported: &mut u64, watch: &mut W) -> Result<(), Fail> {
        let more = self.work() - *reported;
        *reported += more;
        if watch.progress(more) { Ok(()) } else { Err(Fail::Stopped) }
    }

    /// A loop goes round.
    fn turn<W: Watch>(&mut self, at: usize, reported: &mut u64, watch: &mut W) -> Result<(), Fail> {
        if self.turns.next_is_checked() {
            self.report(reported, watch)?;
            let deeds = self.deeds();
            self.turns.check(at, &self.regs, deeds).map_err(Fail::Endless)?;
        }
        Ok(())
    }

    /// A core that reads the same number again and again lets the others go on; false where there are no others.
    fn lets_others_go_on<W: Watch>(&mut self, at: usize, reported: &mut u64, watch: &mut W) -> Result<bool, Fail> {
        self.next = at + 1;
        self.report(reported, watch)?;
        self.spin.lets_others_go_on(at, &self.regs, self.deeds());
        // Without data nobody changes anything.
        if W::MEASURES && self.spin.circles().is_some() {
            return Err(Fail::Stopped);
        }
        Ok(!W::MEASURES)
    }

    fn instruction<W: Watch>(&mut self, which: usize, at: usize, watch: &mut W) -> Result<(), Fail> {
        if W::MEASURES {
            self.note_reads(which, watch);
            self.note_sum(which, watch);
            return Ok(());
        }
        if W::TIMES {
            let start = Instant::now();
            self.kernel(which, at, watch)?;
            watch.time(self.plan.origins[at], start.elapsed().as_nanos() as u64);
            return Ok(());
        }
        self.kernel(which, at, watch)
    }

    /// Leaves the memory to the next core.
    pub fn retire(mut self) {
        if self.plan.uninitialised == Uninitialised::Zero && self.plan.spare.has_room(self.memory.size()) {
            self.clear();
            self.plan.spare.keep(self.memory);
        }
    }

    fn case(&self, switch: &Switch) -> usize {
        let on = self.int(switch.on);
        switch.cases.iter().find(|(value, _)| *value == on).map_or(switch.default, |(_, to)| *to) as usize
    }

    pub fn reg(&self, reg: u32) -> u64 {
        self.regs[reg as usize]
    }

    pub fn int(&self, reg: u32) -> i64 {
        self.regs[reg as usize] as i64
    }
}
