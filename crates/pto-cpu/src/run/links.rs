//! Signals, barriers and pipes: what a core does with others.

#![expect(unsafe_code, reason = "tiles are moved to and from slots by kernels")]

use super::core::Core;
use super::fail::Fail;
use super::observe::{Action, Answer, Ring as Position, Watch};
use super::shared::{Ring, Shared};
use super::transfer::call_transfer;
use crate::kernels::{TileRef, ViewRef};
use crate::memory::{Buffer, split_address};
use crate::plan::{End, Entry, Extent, Link, PipeOp, Pointer, Role, Scale, Tile, Way};
use pto_isa::{GlobalLayout, Target};
use std::time::Instant;

/// What came of a step that concerns others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    Done,
    /// It must wait, and will be tried again.
    Waits,
    /// It is done and found nothing; let the others go on.
    Yields,
}

/// What a core knows of an end it has opened.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct OpenEnd {
    /// Address of the slots in global memory.
    pub global: u64,
    /// Addresses of the local rings.
    pub local: [u64; 2],
}

impl Core<'_> {
    pub fn link<W: Watch>(
        &mut self,
        which: usize,
        at: usize,
        shared: &mut Shared,
        watch: &mut W,
    ) -> Result<Outcome, Fail> {
        let plan = self.plan;
        let link = &plan.links[which];
        if W::MEASURES {
            return self.measure_link(link, watch).map(|()| Outcome::Done);
        }
        let start = W::TIMES.then(Instant::now);
        let outcome = match link {
            Link::Open(end) => self.open(*end as usize, at, watch).map(|()| Outcome::Done),
            Link::Push(op) => self.push(op, shared, at, watch),
            Link::Pop(op) => self.pop(op, shared, at, watch),
            Link::Alloc(op) => self.alloc_slot(op, shared, at, watch),
            Link::Free(op) => self.free_slot(op, shared, at, watch),
            Link::Signal { id, mode } => {
                let signal = shared.signal(self.who, self.int(*id), *mode)?;
                self.tell(at, Action::Signal(&signal), &[], watch);
                Ok(Outcome::Done)
            }
            Link::Await { id } => {
                let id = self.int(*id);
                let outcome = done_or_waits(shared.take_signal(self.who, id)?);
                if outcome == Outcome::Done {
                    self.tell(at, Action::Await(id), &[], watch);
                }
                Ok(outcome)
            }
            Link::Barrier { set, soft, cores } => {
                let count = cores.filter(|_| *soft).map(|r| self.int(r).max(0) as u64).filter(|n| *n > 0);
                let (turn, open) = shared.barrier(self.who, *set, count, self.retries);
                if !self.retries {
                    self.tell(at, Action::Arrive(*set, turn), &[], watch);
                }
                if open {
                    self.tell(at, Action::Leave(*set, turn), &[], watch);
                }
                Ok(done_or_waits(open))
            }
            Link::Notify { signal, value, add } => {
                shared.effects += 1;
                self.tell_change(*signal, self.int(*value), *add, at, watch);
                self.notify(*signal, self.int(*value), *add).map(|()| Outcome::Done)
            }
            Link::WaitSignal { signal, value, cmp } => {
                let holds = self.compare_signal(*signal, self.int(*value), *cmp)?;
                if holds {
                    self.tell_seen(*signal, (self.int(*value), *cmp), at, watch);
                }
                Ok(done_or_waits(holds))
            }
            Link::TestSignal { signal, value, cmp, out } => {
                let asked = (self.int(*value), *cmp);
                let holds = self.compare_signal(*signal, asked.0, asked.1)?;
                let answer = match W::OBSERVES {
                    true => self.answer_words(*signal, asked, holds, at, watch),
                    false => Answer::AsItIs,
                };
                if answer == Answer::WhenItIs && !holds && !self.gave_up {
                    return Ok(Outcome::Waits);
                }
                let holds = holds && answer != Answer::No;
                if holds {
                    self.gave_up = false;
                    self.tell_seen(*signal, asked, at, watch);
                }
                self.regs[*out as usize] = u64::from(holds);
                Ok(if holds || answer == Answer::No { Outcome::Done } else { Outcome::Yields })
            }
            Link::Transfer(transfer) => {
                shared.effects += 1;
                if W::COMPUTES {
                    self.transfer(transfer)?;
                    transfer.stages.iter().for_each(|stage| self.follow_tile_write(*stage));
                }
                if W::OBSERVES {
                    if let Some(event) = transfer.background.and_then(|b| b.event) {
                        self.number_background(event);
                    }
                    self.say_transfer(transfer, at, watch);
                }
                Ok(Outcome::Done)
            }
        }?;
        let moves = matches!(link, Link::Push(_) | Link::Pop(_) | Link::Transfer(_) | Link::Notify { .. });
        if moves && outcome == Outcome::Done {
            self.instructions += 1;
            if let Some(start) = start {
                watch.time(plan.origins[at], start.elapsed().as_nanos() as u64);
            }
        }
        Ok(outcome)
    }

    /// Without data, nobody waits: popped tiles get a place, tests succeed.
    fn measure_link<W: Watch>(&mut self, link: &Link, watch: &mut W) -> Result<(), Fail> {
        match link {
            Link::Open(end) => {
                self.open_end(*end as usize);
                Ok(())
            }
            Link::Pop(op) | Link::Alloc(op) => match op.entry {
                Entry::Tile(tile) => self.place_popped(op, tile, 0),
                Entry::Slot(view) => self.place_slot(op, view, 0),
                Entry::Nothing => Ok(()),
            },
            Link::Transfer(t) => {
                for view in t.sources() {
                    watch.read(split_address(self.views[view as usize].address).0);
                }
                Ok(())
            }
            Link::TestSignal { out, .. } => {
                self.regs[*out as usize] = 1;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    // ---- pipes --------------------------------------------------------------------------------------------------

    fn open<W: Watch>(&mut self, end: usize, at: usize, watch: &mut W) -> Result<(), Fail> {
        self.open_end(end);
        for way in [Way::ToVector, Way::ToCube] {
            self.tell(at, Action::Open(self.position(end, way, 0, false)), &[], watch);
        }
        Ok(())
    }

    fn open_end(&mut self, end: usize) {
        let plan = self.plan;
        let End { global, local, .. } = &plan.ends[end];
        let address = |p: Pointer| match p {
            Pointer::Scalar(reg, _) => self.reg(reg),
            Pointer::View(view) => self.views[view as usize].address,
        };
        let open =
            OpenEnd { global: global.map_or(0, address), local: local.map(|reg| reg.map_or(0, |r| self.reg(r))) };
        self.ends[end] = open;
    }

    /// A position in a pipe, as observers are told.
    fn position(&self, end: usize, way: Way, count: u64, copies: bool) -> Position {
        let End { key, slots, flag_base, both_ways, .. } = self.plan.ends[end];
        Position { key, to_vector: way == Way::ToVector, count, slots, flag_base, both_ways, copies }
    }

    fn entry_position(&self, op: &PipeOp, count: u64) -> Position {
        self.position(op.end as usize, op.way, count, matches!(op.entry, Entry::Tile(_)))
    }

    /// The vector core an instruction stands for.
    fn sub(&self, op: &PipeOp) -> u32 {
        op.subblock.map_or(self.sub, |reg| self.int(reg) as u32)
    }

    /// Producers and consumers are counted on the side of the vector cores.
    fn side(&self, op: &PipeOp) -> usize {
        if self.role() == Role::Vector { self.sub(op) as usize } else { 0 }
    }

    fn push<W: Watch>(&mut self, op: &PipeOp, shared: &mut Shared, at: usize, watch: &mut W) -> Result<Outcome, Fail> {
        let plan = self.plan;
        let side = self.side(op);
        let ring = shared.ring(self.who, &plan.ends[op.end as usize], op.way);
        if let Entry::Tile(tile) = op.entry {
            let Some((slot, count)) = ring.allocate(side) else { return Ok(Outcome::Waits) };
            if W::OBSERVES {
                let access = self.entry_access(tile, false, at);
                let position = self.entry_position(op, count);
                self.tell(at, Action::Alloc(position), &[], watch);
                self.tell(at, Action::Push(position), &[access], watch);
            }
            if W::FOLLOWS_WRITES {
                self.follow_tile_read(tile, at)?;
            }
            // Without a split, the tile of the first vector core counts.
            if W::COMPUTES && (op.split > 0 || side == 0) {
                self.store_in_slot(op, tile, ring, slot)?;
            }
        }
        let Some(count) = ring.publish(side) else { return Err(Fail::NotAllocated) };
        if !matches!(op.entry, Entry::Tile(_)) {
            self.tell(at, Action::Push(self.entry_position(op, count)), &[], watch);
        }
        shared.effects += 1;
        Ok(Outcome::Done)
    }

    fn store_in_slot(&mut self, op: &PipeOp, tile: u32, ring: &mut Ring, slot: usize) -> Result<(), Fail> {
        let tile = self.tiles[tile as usize];
        // What is pushed, not where it lies: a part of a tile has the geometry of the whole.
        let ty = &self.plan.geometries[op.geometry as usize];
        let slot = ring.slot(slot);
        let halves = op.way == Way::ToCube && op.split > 0;
        let wide = halves && op.split == 2;
        slot.stride = ty.cols << u32::from(wide);
        slot.extents = (ty.rows, ty.cols);
        slot.valid = (tile.rows.into(), tile.cols.into());
        slot.bits = op.bits;
        let sub = if halves { u64::from(self.sub(op)) } else { 0 };
        let offset = if wide { sub * ty.cols } else { sub * ty.rows * slot.stride };
        let view = slot_view(&mut slot.data, offset, slot.stride, (tile.rows.into(), tile.cols.into()), op.bits);
        self.move_tile(op, &tile, &view)
    }

    fn pop<W: Watch>(&mut self, op: &PipeOp, shared: &mut Shared, at: usize, watch: &mut W) -> Result<Outcome, Fail> {
        let plan = self.plan;
        let side = self.side(op);
        let ring = shared.ring(self.who, &plan.ends[op.end as usize], op.way);
        let Some((slot, count)) = ring.next(side, op.split > 0) else { return Ok(Outcome::Waits) };
        match op.entry {
            Entry::Tile(tile) => {
                self.place_popped(op, tile, count)?;
                if W::OBSERVES {
                    let access = self.entry_access(tile, true, at);
                    self.tell(at, Action::Pop(self.entry_position(op, count)), &[access], watch);
                }
                if W::COMPUTES {
                    self.load_from_slot(op, tile, ring, slot)?;
                    self.follow_tile_write(tile);
                }
                // Only A5 binds the tile to the slot; elsewhere the slot is free again.
                if plan.checked.info().target != Target::A5 {
                    ring.free(side);
                }
            }
            Entry::Slot(view) => {
                self.place_slot(op, view, count)?;
                self.tell(at, Action::Pop(self.entry_position(op, count)), &[], watch);
            }
            Entry::Nothing => self.tell(at, Action::Pop(self.entry_position(op, count)), &[], watch),
        }
        shared.effects += 1;
        Ok(Outcome::Done)
    }

    /// A popped tile lies in the consumer's ring.
    fn place_popped(&mut self, op: &PipeOp, tile: u32, count: u64) -> Result<(), Fail> {
        let plan = self.plan;
        let end = &plan.ends[op.end as usize];
        let ty = &plan.geometries[op.geometry as usize];
        let ring = self.ends[op.end as usize].local[usize::from(op.way == Way::ToCube)];
        let slots = u64::from(end.local_slots.max(1));
        let base = plan.spaces.start(ty.loc).wrapping_add(ring).wrapping_add(count % slots * end.slot_size);
        let inside = ring.saturating_add(slots * end.slot_size) <= plan.spaces.size(ty.loc);
        let end_of_tile = base.saturating_add(ty.bytes());
        if !(inside || base >= plan.spaces.end) || end_of_tile > self.memory.size() {
            let size = plan.spaces.size(ty.loc);
            return Err(Fail::Address { loc: ty.loc, address: ring as i64, bytes: slots * end.slot_size, size });
        }
        if inside {
            let used = &mut self.used[ty.loc as usize];
            *used = (*used).max(ring + slots * end.slot_size).max(end_of_tile - plan.spaces.start(ty.loc));
        }
        self.tiles[tile as usize] = Tile { root: tile, ..Tile::new(ty, op.geometry, base) };
        let extent = |e: Extent| match e {
            Extent::Fixed(n) => i64::from(n),
            Extent::Reg(reg) => self.int(reg),
        };
        let (rows, cols) = (extent(op.valid.0), extent(op.valid.1));
        self.set_valid(tile, rows, cols)
    }

    fn load_from_slot(&mut self, op: &PipeOp, tile: u32, ring: &mut Ring, slot: usize) -> Result<(), Fail> {
        let tile = self.tiles[tile as usize];
        let slot = ring.slot(slot);
        if slot.bits != op.bits {
            return Err(Fail::SlotType { pushed: slot.bits, popped: op.bits });
        }
        let sub = if op.way == Way::ToVector { u64::from(self.sub(op)) } else { 0 };
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
    fn move_tile(&mut self, op: &PipeOp, tile: &Tile, view: &ViewRef) -> Result<(), Fail> {
        let Some(code) = op.run else { return Err(Fail::NotExecuted) };
        let memory = self.memory.ptr();
        let (table, number) = match op.scale {
            Scale::None => (TileRef::ABSENT, 0),
            Scale::Number(reg) => (TileRef::ABSENT, self.reg(reg)),
            Scale::Table(table) => (self.tile_ref(memory, &self.tiles[table as usize]), 0),
        };
        let tiles = [self.tile_ref(memory, tile), table];
        // SAFETY: the tile lies in the core's memory, the kernel checks the view against the slot, and it was prepared
        // for the type of the tile.
        unsafe { call_transfer(&code, &tiles, view, &[0, number]) }.map_err(Fail::SlotFault)
    }

    // ---- slots in global memory -----------------------------------------------------------------------------------

    fn alloc_slot<W: Watch>(
        &mut self,
        op: &PipeOp,
        shared: &mut Shared,
        at: usize,
        watch: &mut W,
    ) -> Result<Outcome, Fail> {
        let plan = self.plan;
        let side = self.side(op);
        let ring = shared.ring(self.who, &plan.ends[op.end as usize], op.way);
        let Some((slot, count)) = ring.allocate(side) else { return Ok(Outcome::Waits) };
        self.tell(at, Action::Alloc(self.entry_position(op, count)), &[], watch);
        if let Entry::Slot(view) = op.entry {
            self.place_slot(op, view, slot as u64)?;
        }
        Ok(Outcome::Done)
    }

    /// A view of a slot. Vector cores that share a tile have half of it each; the second direction lies behind the first.
    fn place_slot(&mut self, op: &PipeOp, view: u32, count: u64) -> Result<(), Fail> {
        let plan = self.plan;
        let end = &plan.ends[op.end as usize];
        let slots = u64::from(end.slots.max(1));
        let behind = if end.both_ways && op.way == Way::ToCube { slots * end.slot_size } else { 0 };
        let half =
            if op.split > 0 && self.role() == Role::Vector { u64::from(self.sub(op)) * end.slot_size / 2 } else { 0 };
        let base = self.ends[op.end as usize].global;
        let mut placed = plan.views[view as usize];
        placed.address = base.wrapping_add(behind + count % slots * end.slot_size + half);
        self.views[view as usize] = placed;
        Ok(())
    }

    fn free_slot<W: Watch>(
        &mut self,
        op: &PipeOp,
        shared: &mut Shared,
        at: usize,
        watch: &mut W,
    ) -> Result<Outcome, Fail> {
        let plan = self.plan;
        let side = self.side(op);
        let holds = plan.checked.info().target == Target::A5 || matches!(op.entry, Entry::Slot(_));
        let ring = shared.ring(self.who, &plan.ends[op.end as usize], op.way);
        // Elsewhere than on A5 a popped tile has been released already.
        let freed = ring.free(side);
        if freed.is_none() && holds {
            return Err(Fail::NotPopped);
        }
        self.tell(at, Action::Free(self.entry_position(op, freed.unwrap_or(0))), &[], watch);
        shared.effects += 1;
        Ok(Outcome::Done)
    }

    // ---- signals in global memory ---------------------------------------------------------------------------------

    fn notify(&mut self, signal: u32, value: i64, add: bool) -> Result<(), Fail> {
        let (buffer, first) = split_address(self.views[signal as usize].address);
        let old = if add { self.read_global(buffer, first, 4)? as u32 } else { 0 };
        self.write_global(buffer, first, &old.wrapping_add(value as u32).to_le_bytes())
    }

    /// The signal word it waits for, and what it holds; `None` where it waits for something else.
    pub fn awaited_word(&mut self) -> Option<String> {
        let (Link::WaitSignal { signal, value, cmp } | Link::TestSignal { signal, value, cmp, .. }) =
            self.waits_at()?
        else {
            return None;
        };
        let (buffer, first) = split_address(self.views[*signal as usize].address);
        let wanted = format!("a signal word {} {}", COMPARISONS[usize::from(*cmp).min(5)].0, self.int(*value) as i32);
        Some(match self.read_global(buffer, first, 4) {
            Ok(word) => format!("{wanted}; it is {}", word as u32 as i32),
            Err(_) => wanted,
        })
    }

    /// True when every word of a signal compares as asked.
    fn compare_signal(&mut self, signal: u32, value: i64, cmp: u8) -> Result<bool, Fail> {
        let view = self.views[signal as usize];
        let (buffer, first) = split_address(view.address);
        let count: u64 = view.shape.iter().product();
        for k in 0..count {
            let offset = element_offset(&view.shape, &view.strides, k) * 4;
            let word = i64::from(self.read_global(buffer, first + offset, 4)? as u32 as i32);
            let value = i64::from(value as i32);
            if !COMPARISONS[usize::from(cmp).min(5)].1(&word, &value) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

type Comparison = (&'static str, fn(&i64, &i64) -> bool);

/// How signal words compare, in words, by the position in `WAIT_CMP`.
const COMPARISONS: [Comparison; 6] = [
    ("equal to", i64::eq),
    ("other than", i64::ne),
    ("above", i64::gt),
    ("of at least", i64::ge),
    ("below", i64::lt),
    ("of at most", i64::le),
];

fn done_or_waits(done: bool) -> Outcome {
    if done { Outcome::Done } else { Outcome::Waits }
}

/// Element `k` of a view in row-major order, in elements from the first.
pub(super) fn element_offset(shape: &[u64; 5], strides: &[i64; 5], k: u64) -> i64 {
    let mut rest = k;
    let mut offset = 0_i64;
    for (extent, stride) in shape.iter().zip(strides).rev() {
        // Strides may be any numbers where there is no memory behind them.
        offset = offset.wrapping_add(((rest % extent.max(&1)) as i64).wrapping_mul(*stride));
        rest /= extent.max(&1);
    }
    offset
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
