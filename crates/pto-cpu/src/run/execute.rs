//! The interpreter loop: one match over all steps. Their implementations are in the modules of what they concern.

use super::core::Core;
use super::done::StepDone;
use super::fail::Fail;
use super::formula::Formula;
use super::links::LinkOutcome;
use super::observe::{WatchMode, Watched};
use super::progress::State;
use super::scalar;
use super::shared::Shared;
use crate::clock::ClockTime;
use crate::prepared::{Id, KernelId, Role, Step, StepId, Switch, SwitchCase};
use pto_isa::Diagnostic;

impl Core<'_> {
    /// Runs from the first step to the last, alone.
    pub fn execute<W: Watched + ?Sized>(&mut self, watch: &mut W) -> Result<(), Diagnostic> {
        let mut alone = Shared::new(self.plan.source.checked.info().target, Vec::new());
        alone.add(self.id());
        self.resume(&mut alone, watch).map(drop)
    }

    /// What the run does besides computing: nothing in one that is compiled for that.
    pub fn mode<W: Watched + ?Sized>(&self) -> WatchMode {
        if W::IS_PLAIN { WatchMode::PLAIN } else { self.progress.mode }
    }

    /// Continues until the end, or until it must wait.
    pub fn resume<W: Watched + ?Sized>(&mut self, shared: &mut Shared, watch: &mut W) -> Result<State, Diagnostic> {
        self.local.ran = true;
        self.progress.mode = watch.mode();
        let mut at = self.progress.next;
        let done = self.steps(&mut at, shared, watch);
        if self.mode::<W>().observes && watch.wants_steps() {
            watch.stepped(&mut StepDone::new(self, at));
        }
        match done {
            Ok(state) => {
                self.progress.state = state;
                Ok(state)
            }
            Err(fail) => {
                let at = self.issue.pipes.failed_at.unwrap_or(at);
                let (fail, at) = self.first_failure::<W>(fail, at);
                Err(fail.at(self, at))
            }
        }
    }

    /// Instructions that are executed later than the program states them come before the step that failed, and may fail themselves.
    fn first_failure<W: Watched + ?Sized>(&mut self, fail: Fail, at: StepId) -> (Fail, StepId) {
        if !W::IS_PLAIN {
            return (fail, at);
        }
        match self.execute_each_collected().and_then(|()| self.make_all_moves()) {
            Ok(()) => (fail, at),
            Err(earlier) => (earlier, self.issue.pipes.failed_at.unwrap_or(at)),
        }
    }

    /// The only match over all steps: a new one does not compile until something executes it.
    fn steps<W: Watched + ?Sized>(
        &mut self,
        at: &mut StepId,
        shared: &mut Shared,
        watch: &mut W,
    ) -> Result<State, Fail> {
        let plan = self.plan;
        // Positions are counted as what slices are indexed by: this loop is what scalar code costs.
        let steps = plan.code.steps.as_slice();
        let mut next = self.progress.next.index();
        let mut reported = self.work();
        let tells_steps = self.mode::<W>().observes && watch.wants_steps();
        let tells_idle_steps = tells_steps && watch.wants_idle_steps();
        let mut is_first = true;
        loop {
            let position = next;
            let here = StepId::new(position);
            let is_told = || tells_idle_steps || !steps[at.index()].is_idle();
            if tells_steps && !std::mem::take(&mut is_first) && is_told() {
                watch.stepped(&mut StepDone::new(self, *at));
            }
            *at = here;
            next += 1;
            if self.mode::<W>().observes && !self.outside.formulas.is_empty() {
                self.follow_step(steps[position]);
            }
            match steps[position] {
                Step::Jump(to) => {
                    next = to.index();
                    if next <= position {
                        self.iterate(here, &mut reported, watch)?;
                    }
                }
                Step::Branch { condition, yes, no } => {
                    let mut taken = self.reg(condition) & 1 == 1;
                    if self.mode::<W>().observes {
                        if let Some(formula) = self.outside.formulas.get(&condition) {
                            watch.decided(self.id(), plan.code.origins[here], taken, formula);
                        }
                        taken = watch.branch(self.id(), plan.code.origins[here], taken);
                    }
                    next = if taken { yes } else { no }.index();
                    if next <= position {
                        self.iterate(here, &mut reported, watch)?;
                    }
                }
                Step::Switch(which) => {
                    let switch = &plan.code.switches[which];
                    let mut case = self.case(switch);
                    if self.mode::<W>().observes
                        && let Some(formula) = self.outside.formulas.get(&switch.on)
                        && let Some(leads) = Formula::leads(formula, switch, case.way)
                        && !watch.switched(self.id(), plan.code.origins[here], case.way, &leads)
                    {
                        case = switch.default;
                    }
                    next = case.to.index();
                }
                Step::LoopTest { counter, bound, exit } => {
                    let mut goes_on = self.int(counter) < self.int(bound);
                    if self.mode::<W>().observes {
                        goes_on = watch.branch(self.id(), plan.code.origins[here], goes_on);
                    }
                    if W::IS_PLAIN && self.share.is_part() {
                        self.enter_shared_loop(here, goes_on);
                    }
                    if !goes_on {
                        next = exit.index();
                    }
                }
                Step::LoopNext { counter, step, head } => {
                    // A counter that would overflow has passed every bound.
                    let value = self.int(counter).saturating_add(self.int(step));
                    self.regs.scalars[counter] = value as u64;
                    next = head.index();
                    self.iterate(here, &mut reported, watch)?;
                }
                Step::EnterLoop(count) => self.regs.counts[count] = 0,
                Step::NextIteration { head, count } => {
                    self.regs.counts[count] += 1;
                    next = head.index();
                    self.iterate(here, &mut reported, watch)?;
                }
                Step::LoopBy(step) => {
                    if self.int(step) <= 0 {
                        return Err(Fail::Step(self.int(step)));
                    }
                }
                Step::Move { from, to } => self.regs.scalars[to] = self.reg(from),
                Step::MoveTile { from, to } => {
                    let moved = self.regs.tiles[to] != self.regs.tiles[from];
                    self.local.written.version += u64::from(moved);
                    self.regs.tiles[to] = self.regs.tiles[from];
                }
                Step::MoveView { from, to } => self.regs.views[to] = self.regs.views[from],
                Step::Int { op, kind, a, b, out } => {
                    let Some(value) = scalar::int(op, kind, self.reg(a), self.reg(b)) else {
                        return Err(Fail::ScalarDivision);
                    };
                    self.regs.scalars[out] = value;
                }
                Step::Float { op, kind, a, b, out } => {
                    self.regs.scalars[out] = scalar::float(op, kind, self.reg(a), self.reg(b));
                }
                Step::CompareInt { predicate, kind, a, b, out } => {
                    let mut holds = scalar::compare_int(predicate, kind, self.reg(a), self.reg(b));
                    if self.mode::<W>().observes
                        && let Some(formula) = self.outside.formulas.get(&out)
                    {
                        holds = watch.compared(self.id(), plan.code.origins[here], holds, formula);
                    }
                    self.regs.scalars[out] = u64::from(holds);
                }
                Step::CompareFloat { predicate, kind, a, b, out } => {
                    let (x, y) = (kind.value(self.reg(a)), kind.value(self.reg(b)));
                    self.regs.scalars[out] = u64::from(scalar::compare_float(predicate, x, y));
                }
                Step::Cast { cast, a, out } => self.regs.scalars[out] = scalar::cast(cast, self.reg(a)),
                Step::Select { condition, a, b, out } => {
                    let chosen = if self.reg(condition) & 1 == 1 { a } else { b };
                    self.regs.scalars[out] = self.reg(chosen);
                }
                Step::Extended { op, kind, a, b, out } => {
                    let (low, high) = scalar::extended(op, kind, self.reg(a), self.reg(b));
                    self.regs.scalars[out] = low;
                    self.regs.scalars[out.plus(1)] = high;
                }
                Step::BlockIndex(out) => self.regs.scalars[out] = u64::from(self.who.id.block),
                Step::BlockCount(out) => self.regs.scalars[out] = u64::from(self.who.among.blocks),
                Step::SubblockIndex(out) => self.regs.scalars[out] = u64::from(self.who.id.sub),
                Step::SubblockCount(out) => {
                    self.regs.scalars[out] = if self.role() == Role::Whole { 1 } else { plan.cores.vectors.into() };
                }
                Step::Kernel(_) if W::IS_PLAIN && self.share.skips => {}
                Step::Kernel(which) => {
                    self.progress.deeds.instructions += 1;
                    self.instruction(which, here, watch)?;
                    if self.work() - reported >= watch.report_every() {
                        self.report(&mut reported, watch)?;
                    }
                }
                Step::Order(which) => {
                    if self.mode::<W>().observes {
                        self.say_order(which, here, watch);
                    }
                    if self.mode::<W>().reorders {
                        self.order_pipes(which, here)?;
                    }
                }
                Step::Link(which) => {
                    self.progress.deeds.touched += 1;
                    self.catch_up::<W>(which, here)?;
                    let outcome = self.link(which, here, shared, watch)?;
                    self.progress.retries = outcome == LinkOutcome::Waits;
                    self.settle::<W>(which)?;
                    if outcome != LinkOutcome::Done {
                        self.meanwhile::<W>()?;
                        self.progress.next = if outcome == LinkOutcome::Yields { here.next() } else { here };
                        self.report(&mut reported, watch)?;
                        if !self.progress.retries {
                            self.progress.spin.lets_others_go_on(
                                here,
                                self.regs.scalars.as_slice(),
                                self.progress.deeds,
                            );
                        }
                        return Ok(if self.progress.retries { State::Waits } else { State::Polls });
                    }
                }
                Step::LoadScalar(which) => {
                    self.load_scalar(which, here, watch)?;
                    if self.progress.spin.is_due(self.mode::<W>().patience)
                        && self.lets_others_go_on(here, &mut reported, watch)?
                    {
                        return Ok(State::Polls);
                    }
                }
                Step::TileGet { tile, offset, out } => {
                    self.get_element(tile, offset, out, here, watch)?;
                    if self.progress.spin.is_due(self.mode::<W>().patience)
                        && self.lets_others_go_on(here, &mut reported, watch)?
                    {
                        return Ok(State::Polls);
                    }
                }
                Step::Trap => return Err(Fail::Trap),
                Step::End => {
                    self.finish_pipes::<W>()?;
                    self.make_last_moves()?;
                    watch.progress(self.work() - reported);
                    return Ok(State::Done);
                }
                // What places tiles.
                Step::Bind(which) => {
                    let bind = &plan.tiles.binds[which];
                    self.place(bind.tile, |core| core.bind(bind))?;
                }
                Step::Assign { tile, address, out } => {
                    self.place(out, |core| core.assign(tile, core.int(address), out))?;
                }
                Step::Window(which) => {
                    let window = &plan.tiles.windows[which];
                    self.place(window.to, |core| core.window(window))?;
                }
                Step::Retype { from, to, geometry } => self.place(to, |core| core.retype(from, to, geometry))?,
                Step::Pick { from, slot, count, to } => {
                    self.place(to, |core| core.pick(from, core.int(slot), count, to))?;
                }
                Step::SetValid { tile, rows, cols } => {
                    self.place(tile, |core| core.set_valid(tile, core.int(rows), core.int(cols)))?;
                }
                Step::ValidFromView { tile, view } => self.place(tile, |core| core.valid_from_view(tile, view))?,
                Step::ValidFromTile { tile, from } => self.place(tile, |core| core.valid_from_tile(tile, from))?,
                Step::ValidFromTiles(which) => {
                    let region = &plan.tiles.regions[which];
                    self.place(region.tile, |core| core.valid_from_tiles(region))?;
                }
                Step::ScaleAddress { operand, scale } => {
                    self.place(scale, |core| core.scale_address(operand, scale))?;
                }
                Step::GetValid { tile, rows, cols } => {
                    let tile = self.regs.tiles[tile];
                    self.regs.scalars[rows] = tile.rows.into();
                    self.regs.scalars[cols] = tile.cols.into();
                }
                // Views and single elements.
                Step::TileAddress { tile, out } => self.regs.scalars[out] = self.tile_address(tile),
                Step::MakeView(which) => self.make_view(&plan.views.made[which], watch)?,
                Step::Partition(which) => self.partition(&plan.views.partitions[which])?,
                Step::ViewExtent { view, rank, strides, index, out } => {
                    self.regs.scalars[out] = self.view_extent(view, rank, strides, index)?;
                }
                Step::ViewAddress { view, out } => self.regs.scalars[out] = self.regs.views[view].address,
                Step::Offset { address, index, bits, out } => {
                    self.regs.scalars[out] = self.moved_address(address, index, bits)?;
                }
                Step::StoreScalar(which) => self.store_scalar(&plan.views.accesses[which], here, watch)?,
                Step::LocalGet(which) => {
                    let local = &plan.views.locals[which];
                    self.regs.scalars[local.value] = self.reg(self.local(local)?);
                }
                Step::LocalSet(which) => {
                    let local = &plan.views.locals[which];
                    let place = self.local(local)?;
                    self.regs.scalars[place] = self.reg(local.value);
                }
                Step::TileSet { tile, offset, value } => self.set_element(tile, offset, value, here, watch)?,
                // What the pipes must have finished before.
                Step::Allocate(which) => {
                    self.finish_pipes::<W>()?;
                    self.allocate(&plan.views.allocations[which])?;
                }
                Step::CopyTile { from, to } => {
                    self.finish_pipes::<W>()?;
                    self.make_moves_of(from)?;
                    self.make_moves_of(to)?;
                    self.copy::<W>(from, to);
                }
                Step::Print(which) => {
                    self.finish_pipes::<W>()?;
                    self.make_all_moves()?;
                    self.print(which, here, watch)?;
                }
                Step::Check(which) => {
                    if !self.mode::<W>().measures {
                        self.check_rules(which, here)?;
                    }
                }
            }
        }
    }

    /// Says how far the core has come since the last report.
    fn report<W: Watched + ?Sized>(&self, reported: &mut u64, watch: &mut W) -> Result<(), Fail> {
        let more = self.work() - *reported;
        *reported += more;
        if watch.progress(more) { Ok(()) } else { Err(Fail::Stopped) }
    }

    /// A loop begins another iteration.
    fn iterate<W: Watched + ?Sized>(&mut self, at: StepId, reported: &mut u64, watch: &mut W) -> Result<(), Fail> {
        if !self.share.skips && self.progress.iterations.next_is_checked() {
            self.report(reported, watch)?;
            let deeds = self.progress.deeds;
            self.progress.iterations.check(at, self.regs.scalars.as_slice(), deeds).map_err(Fail::Endless)?;
        }
        Ok(())
    }

    /// A core that polls yields to the others; false if there are none.
    fn lets_others_go_on<W: Watched + ?Sized>(
        &mut self,
        at: StepId,
        reported: &mut u64,
        watch: &mut W,
    ) -> Result<bool, Fail> {
        self.meanwhile::<W>()?;
        self.progress.next = at.next();
        self.report(reported, watch)?;
        self.progress.spin.lets_others_go_on(at, self.regs.scalars.as_slice(), self.progress.deeds);
        // Without data, nothing changes.
        if self.mode::<W>().measures && self.progress.spin.circles().is_some() {
            return Err(Fail::Stopped);
        }
        Ok(!self.mode::<W>().measures)
    }

    fn instruction<W: Watched + ?Sized>(&mut self, which: KernelId, at: StepId, watch: &mut W) -> Result<(), Fail> {
        if self.mode::<W>().measures {
            self.note_reads(which, watch);
            self.note_sum(which, watch);
            return Ok(());
        }
        if self.mode::<W>().times {
            let start = ClockTime::now();
            self.kernel(which, at, watch)?;
            watch.time(self.plan.code.origins[at], start.elapsed().as_nanos() as u64);
            return Ok(());
        }
        self.kernel(which, at, watch)
    }

    fn case(&self, switch: &Switch) -> SwitchCase {
        let on = self.int(switch.on);
        switch.cases.iter().find(|case| case.value == on).copied().unwrap_or(switch.default)
    }
}
