//! Signals, barriers and pipes: what a core does with others.

#![expect(unsafe_code, reason = "tiles are moved to and from slots by kernels")]

use super::core::Core;
use super::fail::Fail;
use super::observe::{Action, Answer, Ring, SignalWord, Watched};
use super::outside::OpenEnd;
use super::shared::{Shared, SlotRing};
use super::transfer::call_transfer;
use crate::clock::ClockTime;
use crate::kernels::{TileRef, ViewRef};
use crate::memory::{Buffer, split_address};
use crate::prepared::{
    Direction, EndId, ExtentValue, Link, LinkId, PipeEnd, PipeEntry, PipeOp, Pointer, Role, Scale, StepId, TileId,
    TileState, ViewId,
};
use pto_isa::text;
use pto_isa::{GlobalLayout, Target};

/// What came of a step that concerns others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LinkOutcome {
    Done,
    /// It must wait, and will be tried again.
    Waits,
    /// Done without success; the core yields to the others.
    Yields,
}

impl Core<'_> {
    pub fn link<W: Watched + ?Sized>(
        &mut self,
        which: LinkId,
        at: StepId,
        shared: &mut Shared,
        watch: &mut W,
    ) -> Result<LinkOutcome, Fail> {
        let plan = self.plan;
        let link = &plan.calls.links[which];
        if self.mode::<W>().measures {
            return self.measure_link(link, watch).map(|()| LinkOutcome::Done);
        }
        self.reached(at);
        let start = self.mode::<W>().times.then(ClockTime::now);
        let outcome = match link {
            Link::Open(end) => self.open(*end, at, watch).map(|()| LinkOutcome::Done),
            Link::Push(op) => self.push(op, shared, at, watch),
            Link::Pop(op) => self.pop(op, shared, at, watch),
            Link::Alloc(op) => self.alloc_slot(op, shared, at, watch),
            Link::Free(op) => self.free_slot(op, shared, at, watch),
            Link::Signal { id, mode } => {
                let signal = shared.signal(self.who.index, self.int(*id), *mode)?;
                self.tell(at, Action::Signal(&signal), &[], watch);
                Ok(LinkOutcome::Done)
            }
            Link::Await { id } => {
                let id = self.int(*id);
                let outcome = done_or_waits(shared.take_signal(self.who.index, id)?);
                if outcome == LinkOutcome::Done {
                    self.tell(at, Action::Await(id), &[], watch);
                }
                Ok(outcome)
            }
            Link::Barrier { set, soft, cores } => {
                let count = cores.filter(|_| *soft).map(|r| self.int(r).max(0) as u64).filter(|n| *n > 0);
                let (round, open) = shared.barrier(self.who.index, *set, count, self.progress.retries);
                if !self.progress.retries {
                    self.tell(at, Action::Arrive(*set, round), &[], watch);
                }
                if open {
                    self.tell(at, Action::Leave(*set, round), &[], watch);
                }
                Ok(done_or_waits(open))
            }
            Link::Notify { signal, value, add } => {
                shared.effects += 1;
                self.tell_change(*signal, self.int(*value), *add, at, watch);
                if self.mode::<W>().computes {
                    self.notify(*signal, self.int(*value), *add)?;
                }
                Ok(LinkOutcome::Done)
            }
            Link::WaitSignal { signal, value, cmp } => {
                // Without memory, the observer knows what it would have to wait for.
                let holds = !self.mode::<W>().computes || self.compare_signal(*signal, self.int(*value), *cmp)?;
                if holds {
                    self.tell_seen(*signal, (self.int(*value), *cmp), at, watch);
                }
                Ok(done_or_waits(holds))
            }
            Link::TestSignal { signal, value, cmp, out } => {
                let asked = (self.int(*value), *cmp);
                let holds = self.compare_signal(*signal, asked.0, asked.1)?;
                let answer = match self.mode::<W>().observes {
                    true => self.answer_words(*signal, asked, holds, at, watch),
                    false => Answer::AsItIs,
                };
                if answer == Answer::WhenItIs && !holds && !self.progress.gave_up {
                    return Ok(LinkOutcome::Waits);
                }
                let holds = holds && answer != Answer::No;
                if holds {
                    self.progress.gave_up = false;
                    self.tell_seen(*signal, asked, at, watch);
                }
                self.regs.scalars[*out] = u64::from(holds);
                Ok(if holds || answer == Answer::No { LinkOutcome::Done } else { LinkOutcome::Yields })
            }
            Link::Transfer(transfer) => {
                shared.effects += 1;
                if self.mode::<W>().computes {
                    self.transfer(transfer)?;
                    transfer.stages.iter().for_each(|stage| self.follow_tile_write(*stage));
                }
                if self.mode::<W>().observes {
                    if let Some(event) = transfer.background.and_then(|b| b.event) {
                        self.number_background(event);
                    }
                    self.say_transfer(transfer, at, watch);
                }
                Ok(LinkOutcome::Done)
            }
        }?;
        let moves = matches!(link, Link::Push(_) | Link::Pop(_) | Link::Transfer(_) | Link::Notify { .. });
        if moves && outcome == LinkOutcome::Done {
            self.progress.deeds.instructions += 1;
            if let Some(start) = start {
                watch.time(plan.code.origins[at], start.elapsed().as_nanos() as u64);
            }
        }
        Ok(outcome)
    }

    /// Without data, nothing waits: popped tiles get an address, tests succeed.
    fn measure_link<W: Watched + ?Sized>(&mut self, link: &Link, watch: &mut W) -> Result<(), Fail> {
        match link {
            Link::Open(end) => {
                self.open_end(*end);
                Ok(())
            }
            Link::Pop(op) | Link::Alloc(op) => match op.entry {
                PipeEntry::Tile(tile) => self.place_popped(op, tile, 0),
                PipeEntry::Slot(view) => self.place_slot(op, view, 0),
                PipeEntry::Nothing => Ok(()),
            },
            Link::Transfer(t) => {
                for view in t.sources() {
                    watch.read(split_address(self.regs.views[view].address).0);
                }
                Ok(())
            }
            Link::TestSignal { out, .. } => {
                self.regs.scalars[*out] = 1;
                Ok(())
            }
            Link::Push(_)
            | Link::Free(_)
            | Link::Signal { .. }
            | Link::Await { .. }
            | Link::Barrier { .. }
            | Link::Notify { .. }
            | Link::WaitSignal { .. } => Ok(()),
        }
    }

    // ---- pipes --------------------------------------------------------------------------------------------------

    fn open<W: Watched + ?Sized>(&mut self, end: EndId, at: StepId, watch: &mut W) -> Result<(), Fail> {
        self.open_end(end);
        for way in [Direction::ToVector, Direction::ToCube] {
            self.tell(at, Action::Open(self.position(end, way, 0, false)), &[], watch);
        }
        Ok(())
    }

    fn open_end(&mut self, end: EndId) {
        let plan = self.plan;
        let PipeEnd { global, local, .. } = &plan.calls.ends[end];
        let address = |p: Pointer| match p {
            Pointer::Scalar(reg, _) => self.reg(reg),
            Pointer::View(view) => self.regs.views[view].address,
        };
        let open =
            OpenEnd { global: global.map_or(0, address), local: local.map(|reg| reg.map_or(0, |r| self.reg(r))) };
        self.outside.ends[end] = open;
    }

    /// A position in a FIFO pipe, for observers.
    fn position(&self, end: EndId, way: Direction, count: u64, copies: bool) -> Ring {
        let PipeEnd { key, slots, flag_base, both_ways, .. } = self.plan.calls.ends[end];
        Ring { key, to_vector: way == Direction::ToVector, count, slots, flag_base, both_ways, copies }
    }

    fn entry_position(&self, op: &PipeOp, count: u64) -> Ring {
        self.position(op.end, op.way, count, matches!(op.entry, PipeEntry::Tile(_)))
    }

    /// The vector core an instruction stands for.
    fn sub(&self, op: &PipeOp) -> u32 {
        op.subblock.map_or(self.who.id.sub, |reg| self.int(reg) as u32)
    }

    /// Producers and consumers are counted on the side of the vector cores.
    fn side(&self, op: &PipeOp) -> usize {
        if self.role() == Role::Vector { self.sub(op) as usize } else { 0 }
    }

    fn push<W: Watched + ?Sized>(
        &mut self,
        op: &PipeOp,
        shared: &mut Shared,
        at: StepId,
        watch: &mut W,
    ) -> Result<LinkOutcome, Fail> {
        let plan = self.plan;
        let side = self.side(op);
        let ring = shared.ring(self.who.index, &plan.calls.ends[op.end], op.way);
        if let PipeEntry::Tile(tile) = op.entry {
            let Some((slot, count)) = ring.allocate(side) else { return Ok(LinkOutcome::Waits) };
            if self.mode::<W>().observes {
                let access = self.entry_access(tile, false, at);
                let position = self.entry_position(op, count);
                self.tell(at, Action::Alloc(position), &[], watch);
                self.tell(at, Action::Push(position), &[access], watch);
            }
            if self.mode::<W>().follows_writes {
                self.follow_tile_read(tile, at)?;
            }
            // Without a split, the tile of the first vector core counts.
            if self.mode::<W>().computes && (op.split > 0 || side == 0) {
                self.store_in_slot(op, tile, ring, slot)?;
            }
        }
        let Some(count) = ring.publish(side) else { return Err(Fail::NotAllocated) };
        if !matches!(op.entry, PipeEntry::Tile(_)) {
            self.tell(at, Action::Push(self.entry_position(op, count)), &[], watch);
        }
        shared.effects += 1;
        Ok(LinkOutcome::Done)
    }

    fn store_in_slot(&mut self, op: &PipeOp, tile: TileId, ring: &mut SlotRing, slot: usize) -> Result<(), Fail> {
        self.make_moves_of(tile)?;
        let tile = self.regs.tiles[tile];
        // What is pushed, not where it lies: a part of a tile has the geometry of the whole.
        let ty = &self.plan.tiles.geometries[op.geometry];
        let slot = ring.slot(slot);
        let halves = op.way == Direction::ToCube && op.split > 0;
        let wide = halves && op.split == 2;
        slot.stride = ty.cols << u32::from(wide);
        slot.extents = (ty.rows, ty.cols);
        slot.valid = (tile.rows.into(), tile.cols.into());
        slot.bits = op.bits;
        let sub = if halves { u64::from(self.sub(op)) } else { 0 };
        let offset = if wide { sub * ty.cols } else { sub * ty.rows * slot.stride };
        slot.clear_stale(offset, slot.valid);
        // Without a split every vector core has the whole entry.
        let whole = op.way == Direction::ToVector && op.split == 0;
        let size = self.plan.calls.ends[op.end].slot_size as usize;
        let room = if whole { size.min(slot.data.len()) } else { slot.data.len() };
        let data = &mut slot.data[..room];
        let view = slot_view(data, offset, slot.stride, (tile.rows.into(), tile.cols.into()), op.bits);
        self.move_tile(op, &tile, &view)
    }

    fn pop<W: Watched + ?Sized>(
        &mut self,
        op: &PipeOp,
        shared: &mut Shared,
        at: StepId,
        watch: &mut W,
    ) -> Result<LinkOutcome, Fail> {
        let plan = self.plan;
        let side = self.side(op);
        let ring = shared.ring(self.who.index, &plan.calls.ends[op.end], op.way);
        let Some((slot, count)) = ring.next(side, op.split > 0) else { return Ok(LinkOutcome::Waits) };
        match op.entry {
            PipeEntry::Tile(tile) => {
                self.place_popped(op, tile, count)?;
                if self.mode::<W>().observes {
                    let access = self.entry_access(tile, true, at);
                    self.tell(at, Action::Pop(self.entry_position(op, count)), &[access], watch);
                }
                if self.mode::<W>().computes {
                    self.load_from_slot(op, tile, ring, slot)?;
                    self.follow_tile_write(tile);
                }
                // Only A5 binds the tile to the slot; elsewhere the slot is free again.
                if plan.source.checked.info().target != Target::A5 {
                    ring.free(side);
                }
            }
            PipeEntry::Slot(view) => {
                self.place_slot(op, view, count)?;
                self.tell(at, Action::Pop(self.entry_position(op, count)), &[], watch);
            }
            PipeEntry::Nothing => self.tell(at, Action::Pop(self.entry_position(op, count)), &[], watch),
        }
        shared.effects += 1;
        Ok(LinkOutcome::Done)
    }

    /// A popped tile lies in the consumer's ring.
    fn place_popped(&mut self, op: &PipeOp, tile: TileId, count: u64) -> Result<(), Fail> {
        let plan = self.plan;
        let end = &plan.calls.ends[op.end];
        let ty = &plan.tiles.geometries[op.geometry];
        let ring = self.outside.ends[op.end].local[usize::from(op.way == Direction::ToCube)];
        let slots = u64::from(end.local_slots.max(1));
        let base = plan.memory.spaces.start(ty.loc).wrapping_add(ring).wrapping_add(count % slots * end.slot_size);
        let inside = ring.saturating_add(slots * end.slot_size) <= plan.memory.spaces.size(ty.loc);
        let end_of_tile = base.saturating_add(ty.bytes());
        if !(inside || base >= plan.memory.spaces.end) || end_of_tile > self.local.memory.size() {
            let size = plan.memory.spaces.size(ty.loc);
            return Err(Fail::Address { loc: ty.loc, address: ring as i64, bytes: slots * end.slot_size, size });
        }
        if inside {
            let last = (ring + slots * end.slot_size).max(end_of_tile - plan.memory.spaces.start(ty.loc));
            self.local.use_up_to(ty.loc, last);
        }
        self.regs.tiles[tile] = TileState { root: tile, ..TileState::new(ty, op.geometry, base) };
        self.local.written.version += 1;
        let extent = |e: ExtentValue| match e {
            ExtentValue::Fixed(n) => i64::from(n),
            ExtentValue::Reg(reg) => self.int(reg),
        };
        let (rows, cols) = (extent(op.valid.0), extent(op.valid.1));
        self.set_valid(tile, rows, cols)
    }

    fn load_from_slot(&mut self, op: &PipeOp, tile: TileId, ring: &mut SlotRing, slot: usize) -> Result<(), Fail> {
        self.make_moves_of(tile)?;
        let tile = self.regs.tiles[tile];
        let slot = ring.slot(slot);
        if slot.bits != op.bits {
            return Err(Fail::SlotType { pushed: slot.bits, popped: op.bits });
        }
        let sub = if op.way == Direction::ToVector { u64::from(self.sub(op)) } else { 0 };
        let offset = match op.split {
            1 => sub * (slot.extents.0 / 2) * slot.stride,
            2 => sub * (slot.extents.1 / 2),
            3 => sub * slot.valid.0.div_ceil(2) * slot.stride,
            4 => sub * slot.valid.1.div_ceil(2),
            _ => 0,
        };
        let view = slot_view(&mut slot.data, offset, slot.stride, (tile.rows.into(), tile.cols.into()), op.bits);
        self.move_tile(op, &tile, &view)
    }

    /// Runs the load or store between a tile and a slot.
    fn move_tile(&mut self, op: &PipeOp, tile: &TileState, view: &ViewRef) -> Result<(), Fail> {
        let Some(code) = op.run else { return Err(Fail::NotExecuted) };
        let memory = self.local.memory.ptr();
        let (table, number) = match op.scale {
            Scale::None => (TileRef::ABSENT, 0),
            Scale::Number(reg) => (TileRef::ABSENT, self.reg(reg)),
            Scale::Table(table) => (self.tile_ref(memory, &self.regs.tiles[table]), 0),
        };
        let tiles = [self.tile_ref(memory, tile), table];
        // SAFETY: the tile lies in the core's memory, the kernel checks the view against the slot, and it was prepared
        // for the type of the tile.
        unsafe { call_transfer(&code, &tiles, view, &[0, number]) }.map_err(|fault| Fail::SlotFault(Box::new(fault)))
    }

    // ---- slots in global memory -----------------------------------------------------------------------------------

    fn alloc_slot<W: Watched + ?Sized>(
        &mut self,
        op: &PipeOp,
        shared: &mut Shared,
        at: StepId,
        watch: &mut W,
    ) -> Result<LinkOutcome, Fail> {
        let plan = self.plan;
        let side = self.side(op);
        let ring = shared.ring(self.who.index, &plan.calls.ends[op.end], op.way);
        let Some((slot, count)) = ring.allocate(side) else { return Ok(LinkOutcome::Waits) };
        self.tell(at, Action::Alloc(self.entry_position(op, count)), &[], watch);
        if let PipeEntry::Slot(view) = op.entry {
            self.place_slot(op, view, slot as u64)?;
        }
        Ok(LinkOutcome::Done)
    }

    /// A view of a slot. Vector cores that share a tile have half of it each; the second direction follows the first.
    fn place_slot(&mut self, op: &PipeOp, view: ViewId, count: u64) -> Result<(), Fail> {
        let plan = self.plan;
        let end = &plan.calls.ends[op.end];
        let slots = u64::from(end.slots.max(1));
        let behind = if end.both_ways && op.way == Direction::ToCube { slots * end.slot_size } else { 0 };
        let half =
            if op.split > 0 && self.role() == Role::Vector { u64::from(self.sub(op)) * end.slot_size / 2 } else { 0 };
        let base = self.outside.ends[op.end].global;
        let mut placed = plan.start.views[view];
        placed.address = base.wrapping_add(behind + count % slots * end.slot_size + half);
        self.regs.views[view] = placed;
        Ok(())
    }

    fn free_slot<W: Watched + ?Sized>(
        &mut self,
        op: &PipeOp,
        shared: &mut Shared,
        at: StepId,
        watch: &mut W,
    ) -> Result<LinkOutcome, Fail> {
        let plan = self.plan;
        let side = self.side(op);
        let holds = plan.source.checked.info().target == Target::A5 || matches!(op.entry, PipeEntry::Slot(_));
        let ring = shared.ring(self.who.index, &plan.calls.ends[op.end], op.way);
        // Elsewhere than on A5 a popped tile has been released already.
        let freed = ring.free(side);
        if freed.is_none() && holds {
            return Err(Fail::NotPopped);
        }
        self.tell(at, Action::Free(self.entry_position(op, freed.unwrap_or(0))), &[], watch);
        shared.effects += 1;
        Ok(LinkOutcome::Done)
    }

    // ---- signals in global memory ---------------------------------------------------------------------------------

    fn notify(&mut self, signal: ViewId, value: i64, add: bool) -> Result<(), Fail> {
        let (buffer, first) = split_address(self.regs.views[signal].address);
        self.change_word(buffer, first, value as u32, add)
    }

    /// The signal word it waits for, and what it holds; `None` where it waits for something else.
    pub fn awaited_word(&mut self) -> Option<String> {
        let SignalWord { cmp, value, number } = self.signal_word()?;
        let wanted = text!("a signal word {usize} {value}", usize = COMPARISONS[usize::from(cmp).min(5)].0, value);
        Some(number.map_or(wanted.clone(), |number| text!("{wanted}; it is {number}", wanted, number)))
    }

    /// The word of a signal at which the core stands.
    pub fn signal_word(&mut self) -> Option<SignalWord> {
        let (Link::WaitSignal { signal, value, cmp } | Link::TestSignal { signal, value, cmp, .. }) =
            self.waits_at()?
        else {
            return None;
        };
        let (buffer, first) = split_address(self.regs.views[*signal].address);
        let number = self.read_global(buffer, first, 4).ok().map(|word| word as u32 as i32);
        Some(SignalWord { cmp: *cmp, value: self.int(*value) as i32, number })
    }

    /// Reports that the core is deadlocked.
    pub fn say_stuck<W: Watched + ?Sized>(&mut self, watch: &mut W) {
        let word = self.signal_word();
        if let Some(op) = self.plan.code.origins.get(self.progress.waiting_step()) {
            watch.stuck(self.id(), *op, word);
        }
    }

    /// True when every word of a signal compares as asked.
    fn compare_signal(&mut self, signal: ViewId, value: i64, cmp: u8) -> Result<bool, Fail> {
        let view = self.regs.views[signal];
        let (buffer, first) = split_address(view.address);
        let count: u64 = view.shape.iter().product();
        for k in 0..count {
            let offset = view.element_offset(k) * 4;
            let word = i64::from(self.signal_number(buffer, first + offset)?.cast_signed());
            let value = i64::from(value as i32);
            if !COMPARISONS[usize::from(cmp).min(5)].1(&word, &value) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

type WordComparison = (&'static str, fn(&i64, &i64) -> bool);

/// How signal words compare, in words, by the position in `WAIT_CMP`.
const COMPARISONS: [WordComparison; 6] = [
    ("equal to", i64::eq),
    ("other than", i64::ne),
    ("above", i64::gt),
    ("of at least", i64::ge),
    ("below", i64::lt),
    ("of at most", i64::le),
];

fn done_or_waits(done: bool) -> LinkOutcome {
    if done { LinkOutcome::Done } else { LinkOutcome::Waits }
}

/// A window of a slot.
fn slot_view(data: &mut [u8], offset: u64, stride: u64, (rows, cols): (u64, u64), bits: u32) -> ViewRef {
    let Buffer { ptr, bytes: size, .. } = Buffer::write(data);
    let first = (offset * u64::from(bits) / 8) as i64;
    let (shape, strides) = ([1, 1, 1, rows, cols], [0, 0, 0, stride as i64, 1]);
    // SAFETY: the data of a slot is borrowed here, and nothing touches the slot between this and the only call that takes the
    // view.
    unsafe { ViewRef::new((ptr, size), first, shape, strides, GlobalLayout::Nd) }
}
