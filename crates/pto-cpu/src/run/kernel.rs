//! Calls of kernels, and global memory.

#![expect(unsafe_code, reason = "the place where checked registers become memory")]

use super::core::Core;
use super::fail::Fail;
use super::observe::{Action, Watch};
use crate::Numerics;
use crate::guard::{Held, Touched};
use crate::kernels::{TileRef, ViewRef};
use crate::memory::{Buffer, split_address};
use crate::plan::{KernelStep, Operand, Slot, Tile, View};
use pto_isa::{Diagnostic, Dim, Type};

/// Sets of values for which the rules of an instruction are remembered to hold.
const KNOWN_FACTS: usize = 8;

impl<'p> Core<'p> {
    /// Executes an instruction.
    pub fn kernel<W: Watch>(&mut self, which: usize, at: usize, watch: &mut W) -> Result<(), Fail> {
        let step = &self.plan.kernels[which];
        if !W::COMPUTES {
            let accesses = self.accesses(step);
            self.say(at, step.pipe, Action::Work, &accesses, watch);
            return Ok(());
        }
        if W::FOLLOWS_WRITES {
            self.follow_written(which, at)?;
        }
        let memory = self.memory.ptr();
        for (at, operand) in step.tiles.iter().enumerate() {
            let tile = operand.register.map(|r| &self.tiles[r as usize]);
            self.tile_refs[at] = tile.map_or(TileRef::ABSENT, |t| self.tile_ref(memory, t));
        }
        if let Some(wide) = &step.wide {
            let region = (self.tile_refs[wide.dst].rows(), self.tile_refs[wide.dst].cols());
            for source in &wide.sources {
                let tile = &mut self.tile_refs[*source];
                // SAFETY: the rules were checked again with this region, and keep it inside of the source.
                *tile = unsafe { tile.with_region(region) };
            }
        }
        for (at, operand) in step.views.iter().enumerate() {
            self.view_refs[at] = self.view_ref(operand)?;
        }
        for (at, scalar) in step.scalars.iter().enumerate() {
            self.scalars[at] = scalar.map_or(0, |r| self.regs[r as usize]);
        }
        if W::REORDERS {
            return self.postpone(which, at);
        }
        let words = if W::OBSERVES { self.words_to_store(step) } else { Vec::new() };
        let (tiles, views, scalars) = self.operands(step);
        let held = if step.views.is_empty() { None } else { self.hold_views(step) };
        // SAFETY: every tile register lies inside the core's memory (`Core::bind` and its neighbours check that before
        // they set one) with its valid region inside the tile, views are checked by the kernel against the buffer
        // they name, no other thread touches them now, and the kernel was prepared for the types of these operands.
        let done = unsafe { step.code.call(tiles, views, scalars) };
        done.map_err(|fault| Fail::Fault(fault, self.first_buffer(step)))?;
        drop(held);
        // Only now is it known that what it touches is there.
        if W::OBSERVES {
            self.say_work(step, words, at, watch);
        }
        Ok(())
    }

    /// Tells how many terms an instruction adds up.
    pub fn note_sum<W: Watch>(&self, which: usize, watch: &mut W) {
        let step = &self.plan.kernels[which];
        let Some(sum) = step.sum else { return };
        let tile = |at: usize| step.tiles[at].register.map(|r| &self.tiles[r as usize]);
        if let (Some(of), Some(dst)) = (tile(sum.of), tile(sum.dst)) {
            let terms = if sum.along_row { of.cols } else { of.rows };
            watch.sum(dst.base, terms.into(), sum.continues);
        }
    }

    /// The operands that were resolved.
    pub fn operands(&self, step: &KernelStep) -> (&[TileRef<'p>], &[ViewRef], &[u64]) {
        let tiles = &self.tile_refs[..step.tiles.len()];
        (tiles, &self.view_refs[..step.views.len()], &self.scalars[..step.scalars.len()])
    }

    /// A tile register as kernels take it; `memory` is the memory of this core.
    pub fn tile_ref(&self, memory: *mut u8, tile: &Tile) -> TileRef<'p> {
        let ptr = memory.wrapping_add(tile.base as usize);
        let geometry = &self.plan.geometries[tile.geometry as usize];
        let region = (tile.rows as usize, tile.cols as usize);
        let strides = (tile.row_stride as usize, tile.col_stride as usize);
        // SAFETY: who sets a tile register checks that the tile lies in the core's memory and its valid region in the tile
        // (`Core::bind` and its neighbours); the core lives as long as its calls, and no other thread has its memory.
        unsafe { TileRef::new(ptr, geometry, region, strides) }
    }

    fn view_ref(&mut self, operand: &Operand) -> Result<ViewRef, Fail> {
        let Some(register) = operand.register else {
            return Ok(ViewRef::ABSENT);
        };
        let view = self.views[register as usize];
        self.window_ref(&view, operand.writes)
    }

    /// A window of global memory as kernels take it.
    pub fn window_ref(&mut self, view: &View, writes: bool) -> Result<ViewRef, Fail> {
        let View { address, space, shape, strides, layout } = *view;
        if space.is_some() {
            return Err(Fail::OnChipView);
        }
        let (at, first) = split_address(address);
        let buffer = self.buffer(at, address)?;
        if writes {
            if !buffer.writable {
                return Err(Fail::ReadOnly(at));
            }
            self.stores += 1;
            if let Some(written) = self.written.get_mut(at) {
                *written = true;
            }
        }
        // SAFETY: the caller of the run lends the buffer until its end, and a kernel that writes gets only buffers that may be
        // written.
        Ok(unsafe { ViewRef::new((buffer.ptr, buffer.bytes), first, shape, strides, layout) })
    }

    /// Waits until no other thread touches the windows of an instruction. `None` on one thread.
    fn hold_views(&self, step: &KernelStep) -> Option<Held<'p>> {
        let guards = self.guards?;
        let mut touched = [None; super::MAX_VIEWS];
        for (operand, touched) in step.views.iter().zip(&mut touched) {
            let elem = operand.value.and_then(|v| self.plan.module().value_type(v).elem());
            let view = operand.register.map(|r| &self.views[r as usize]);
            *touched = view.map(|view| reach(view, elem.map_or(64, |d| d.column_bits()), operand.writes));
        }
        Some(guards.hold(touched))
    }

    /// The same for a view whose elements have so many bits.
    pub fn hold_view(&self, view: &View, bits: u32, writes: bool) -> Option<Held<'p>> {
        Some(self.guards?.hold([Some(reach(view, bits, writes)), None]))
    }

    /// A buffer: of a parameter, or allocated by the program.
    fn buffer(&mut self, at: usize, address: u64) -> Result<Buffer, Fail> {
        if let Some(buffer) = self.buffers.get(at) {
            return Ok(*buffer);
        }
        match self.allocated.get_mut(at.wrapping_sub(self.buffers.len())) {
            Some(words) => Ok(Buffer { ptr: words.as_mut_ptr().cast(), bytes: words.len() * 8, writable: true }),
            None => Err(Fail::NoBuffer(address)),
        }
    }

    /// Tells which global memory an instruction reads.
    pub fn note_reads<W: Watch>(&self, which: usize, watch: &mut W) {
        for operand in self.plan.kernels[which].views.iter().filter(|o| o.reads) {
            if let Some(register) = operand.register {
                watch.read(split_address(self.views[register as usize].address).0);
            }
        }
    }

    fn first_buffer(&self, step: &KernelStep) -> Option<usize> {
        let register = step.views.first()?.register?;
        Some(split_address(self.views[register as usize].address).0)
    }

    /// A few bytes of a buffer, checked.
    fn global(&mut self, at: usize, first: i64, bytes: usize) -> Result<*mut u8, Fail> {
        let buffer = self.buffer(at, first as u64)?;
        let end = first.wrapping_add(bytes as i64);
        if first < 0 || end < first || end as usize > buffer.bytes {
            return Err(Fail::Bytes { buffer: at, first, end, bytes: buffer.bytes });
        }
        Ok(buffer.ptr.wrapping_add(first as usize))
    }

    fn hold_bytes(&self, buffer: usize, first: i64, bytes: usize, writes: bool) -> Option<Held<'p>> {
        let bytes = (first, first.saturating_add(bytes as i64));
        Some(self.guards?.hold([Some(Touched { buffer, bytes, writes }), None]))
    }

    pub fn read_global(&mut self, at: usize, first: i64, bytes: usize) -> Result<u64, Fail> {
        let ptr = self.global(at, first, bytes)?;
        let _held = self.hold_bytes(at, first, bytes, false);
        // SAFETY: `global` checked that the bytes lie in a buffer that is lent for the run, and no other thread writes them now.
        Ok(super::data::read_bytes(unsafe { std::slice::from_raw_parts(ptr, bytes) }))
    }

    pub fn write_global(&mut self, at: usize, first: i64, bytes: &[u8]) -> Result<(), Fail> {
        let ptr = self.global(at, first, bytes.len())?;
        if !self.buffer(at, first as u64)?.writable {
            return Err(Fail::ReadOnly(at));
        }
        self.stores += 1;
        if let Some(written) = self.written.get_mut(at) {
            *written = true;
        }
        let _held = self.hold_bytes(at, first, bytes.len(), true);
        // SAFETY: as above, and the buffer may be written.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), ptr, bytes.len()) };
        Ok(())
    }

    // ---- rules ----------------------------------------------------------------------------------------------------

    /// Rules that the values at run time decide. What held before holds again; loops come back to the same few regions.
    pub fn check_rules(&mut self, which: usize, at: usize) -> Result<(), Fail> {
        let plan = self.plan;
        let check = &plan.checks[which];
        let mut facts = std::mem::take(&mut self.facts);
        facts.clear();
        // One fact at least, so that there is something to find.
        facts.push(0);
        check.values.iter().for_each(|(_, slot)| self.facts(*slot, |fact| facts.push(fact)));
        let known = &mut self.checked[which];
        let is_new = !known.chunks_exact(facts.len()).any(|k| k == facts);
        if is_new {
            if known.len() >= KNOWN_FACTS * facts.len() {
                known.drain(..facts.len());
            }
            known.extend_from_slice(&facts);
        }
        self.facts = facts;
        if !is_new {
            return Ok(());
        }
        let op = plan.origins[at];
        let mut facts: Vec<(Type, Option<i64>)> =
            check.values.iter().map(|(v, slot)| self.runtime_type(plan.module().value_type(*v), *slot)).collect();
        let Some(problem) = pto_check::recheck(&plan.checked, op, &facts) else { return Ok(()) };
        if !problem.is_error() {
            self.note(problem);
            return Ok(());
        }
        let as_devices_do = plan.numerics != Numerics::Reference
            && pto_check::widen(&plan.checked, op, &mut facts)
            && pto_check::recheck(&plan.checked, op, &facts).is_none();
        if !as_devices_do {
            return Err(Fail::Rule(Box::new(problem)));
        }
        self.note_wide(problem);
        Ok(())
    }

    fn note_wide(&mut self, problem: Diagnostic) {
        let why =
            "as on devices, the sources were read wherever the destination is valid; what lies there may be anything";
        self.note(problem.warning().help(why));
    }

    /// Remembers what is not as it should be, once for each instruction.
    pub fn note(&mut self, note: Diagnostic) {
        if self.notes.iter().all(|known| (known.primary.span, known.code) != (note.primary.span, note.code)) {
            self.notes.push(note);
        }
    }

    /// The numbers about a value that rules may ask for.
    fn facts(&self, slot: Slot, mut fact: impl FnMut(u64)) {
        match slot {
            Slot::Scalar(reg) => fact(self.reg(reg)),
            Slot::Tile(tile) => {
                let tile = &self.tiles[tile as usize];
                fact(u64::from(tile.rows) << 32 | u64::from(tile.cols));
            }
            Slot::View(view) => self.views[view as usize].shape.iter().for_each(|n| fact(*n)),
            Slot::Nothing | Slot::Multi(..) | Slot::Array(_) | Slot::End(_) => {}
        }
    }

    /// A type with the extents it has now, and the value of a number.
    fn runtime_type(&self, ty: &Type, slot: Slot) -> (Type, Option<i64>) {
        let mut ty = ty.clone();
        let mut value = None;
        match (&mut ty, slot) {
            (Type::Tile(t) | Type::TileBuf(t), Slot::Tile(tile)) => {
                let tile = &self.tiles[tile as usize];
                t.valid_rows = Dim::Fixed(tile.rows.into());
                t.valid_cols = Dim::Fixed(tile.cols.into());
            }
            (Type::TensorView(v) | Type::PartitionView(v), Slot::View(view)) => {
                let shape = self.views[view as usize].shape;
                let skip = 5 - v.dims.len().min(5);
                v.dims.iter_mut().zip(&shape[skip..]).for_each(|(d, n)| *d = Dim::Fixed(*n));
            }
            (Type::Scalar(s), Slot::Scalar(reg)) if s.is_int() => value = Some(self.int(reg)),
            _ => {}
        }
        (ty, value)
    }
}

/// The bytes from the first element of a window to its last. Kernels touch no others, or find that the window is not in its
/// buffer and touch none.
fn reach(view: &View, bits: u32, writes: bool) -> Touched {
    let (buffer, first) = split_address(view.address);
    let last = view.shape.iter().zip(&view.strides).try_fold(0i64, |sum, (n, stride)| {
        let steps = i64::try_from(n.saturating_sub(1)).ok()?;
        (*stride >= 0).then_some(())?;
        sum.checked_add(steps.checked_mul(*stride)?)
    });
    let bytes = last.and_then(|last| last.checked_add(1)?.checked_mul(i64::from(bits))).map(|bits| (bits + 7) / 8);
    let bytes = match bytes.and_then(|bytes| first.checked_add(bytes)) {
        Some(end) => (first, end),
        // No buffer has such a window, whatever the kernel makes of it.
        None => (0, i64::MAX),
    };
    Touched { buffer, bytes, writes }
}
