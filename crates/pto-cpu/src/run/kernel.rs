//! Calls of kernels, and global memory.

#![expect(unsafe_code, reason = "the place where checked registers become memory")]

use super::core::Core;
use super::fail::Fail;
use super::observe::Watched;
use super::peers::PeerWordChange;
use crate::guard::{GuardLock, Touched};
use crate::kernels::{TileRef, ViewRef};
use crate::memory::split_address;
use crate::prepared::{
    CallOperand, KernelId, KernelStep, MAX_TILES, MAX_VIEWS, RecordSelection, StepId, StripRole, TileState, ViewId,
    ViewState,
};
use pto_isa::Loc;
use std::sync::atomic::{AtomicU32, Ordering};

impl<'p> Core<'p> {
    /// Executes an instruction.
    pub fn kernel<W: Watched + ?Sized>(&mut self, which: KernelId, at: StepId, watch: &mut W) -> Result<(), Fail> {
        let step = &self.plan.calls.kernels[which];
        if !self.mode::<W>().computes {
            self.say_work(which, Vec::new(), at, watch);
            return Ok(());
        }
        let skips = self.mode::<W>().observes && watch.skips_repeats();
        if skips && self.has_succeeded(which) {
            self.say_work(which, Vec::new(), at, watch);
            return Ok(());
        }
        if self.mode::<W>().follows_writes {
            self.follow_written(which, at)?;
        }
        let memory = self.local.memory.ptr();
        for (at, operand) in step.tiles.iter().enumerate() {
            let tile = operand.register.map(|r| &self.regs.tiles[r]);
            self.issue.tiles[at] = tile.map_or(TileRef::ABSENT, |t| self.tile_ref(memory, t));
        }
        if let Some(wide) = &step.wide {
            let region = (self.issue.tiles[wide.dst].rows(), self.issue.tiles[wide.dst].cols());
            for source in &wide.sources {
                let tile = &mut self.issue.tiles[*source];
                // SAFETY: the rules were checked again with this region, and keep it inside of the source.
                *tile = unsafe { tile.with_region(region) };
            }
        }
        for (at, operand) in step.views.iter().enumerate() {
            self.bring_view(at, operand, self.mode::<W>().observes)?;
        }
        for (at, scalar) in step.scalars.iter().enumerate() {
            self.issue.scalars[at] = scalar.map_or(0, |r| self.regs.scalars[r]);
        }
        if W::IS_PLAIN && step.wanted > 0 && !self.issue.collected.keeps_tiles {
            self.issue.scalars[step.scalars.len() - 1] = step.wanted;
        }
        if self.mode::<W>().reorders {
            return self.postpone(which, at);
        }
        if W::IS_PLAIN && self.uses_factors(which, at)? {
            return Ok(());
        }
        if W::IS_PLAIN && step.strips != StripRole::Alone && self.global.far.is_none() {
            return self.collect(which, at);
        }
        self.reached(at);
        if W::IS_PLAIN && step.selection != RecordSelection::None && !self.issue.collected.keeps_tiles {
            return self.select_records(step);
        }
        self.bring_views(step)?;
        let words = if self.mode::<W>().observes { self.words_to_store(step) } else { Vec::new() };
        let (tiles, views, scalars) = self.issue.operands(step);
        let held = if step.views.is_empty() { None } else { self.hold_views(step) };
        // SAFETY: every tile register lies inside the core's memory (`Core::bind` and its neighbours check that before
        // they set one) with its valid region inside the tile, views are checked by the kernel against the buffer
        // they name, no other thread touches them now, and the kernel was prepared for the types of these operands.
        let done = unsafe { step.code.call(tiles, views, scalars) };
        if let Err(fault) = done {
            return Err(Fail::Fault(Box::new(fault), self.first_buffer(step)));
        }
        drop(held);
        self.send_views(step)?;
        // Only now is it known that what it touches is there.
        if self.mode::<W>().observes {
            self.say_work(which, words, at, watch);
        }
        if skips {
            self.note_success(which);
        }
        Ok(())
    }

    /// Writes the first records of a row that other instructions would sort, or leaves such an instruction out.
    fn select_records(&mut self, step: &KernelStep) -> Result<(), Fail> {
        let RecordSelection::Of(sort) = step.selection else { return Ok(()) };
        let sort = &self.plan.calls.kernels[sort];
        let memory = self.local.memory.ptr();
        let merged = step.tiles.iter().position(|o| o.writes).map_or(TileRef::ABSENT, |at| self.issue.tiles[at]);
        let mut tiles = [TileRef::ABSENT; MAX_TILES];
        for (tile, operand) in tiles.iter_mut().zip(&sort.tiles).filter(|(_, o)| o.register.is_some()) {
            let read = operand.register.filter(|_| !operand.writes).map(|r| &self.regs.tiles[r]);
            *tile = read.map_or(merged, |tile| self.tile_ref(memory, tile));
        }
        // SAFETY: as in `Core::kernel`; the plan has found that the tiles are those which the sort would have read, and that the result has
        // the type of its result.
        let done = unsafe { sort.code.call(&tiles[..sort.tiles.len()], &[], &[step.wanted]) };
        done.map_err(|fault| Fail::Fault(Box::new(fault), None))
    }

    /// Reports how many terms an instruction adds up.
    pub fn note_sum<W: Watched + ?Sized>(&self, which: KernelId, watch: &mut W) {
        let step = &self.plan.calls.kernels[which];
        let Some(sum) = step.sum else { return };
        let tile = |at: usize| step.tiles[at].register.map(|r| &self.regs.tiles[r]);
        if let (Some(of), Some(dst)) = (tile(sum.of), tile(sum.dst)) {
            let terms = if sum.along_row { of.cols } else { of.rows };
            watch.sum(dst.base, terms.into(), sum.continues);
        }
    }

    /// A tile register as kernels take it; `memory` is the memory of this core.
    pub fn tile_ref(&self, memory: *mut u8, tile: &TileState) -> TileRef<'p> {
        let ptr = memory.wrapping_add(tile.base as usize);
        let geometry = &self.plan.tiles.geometries[tile.geometry];
        let region = (tile.rows as usize, tile.cols as usize);
        let strides = (tile.row_stride as usize, tile.col_stride as usize);
        // SAFETY: whatever sets a tile register checks that the tile lies in the memory of the core and its valid region
        // in the tile (`Core::bind` and its neighbours); the core outlives its calls, and no other thread has its memory.
        unsafe { TileRef::new(ptr, geometry, region, strides) }
    }

    /// Makes a view an operand of the instruction. It has fourteen words, so it is written where it is kept: whatever is copied soon after
    /// it was written in smaller parts keeps the processor waiting.
    #[inline(always)]
    fn bring_view(&mut self, at: usize, operand: &CallOperand<ViewId>, is_read_soon: bool) -> Result<(), Fail> {
        let Some(register) = operand.register else {
            self.issue.views[at] = ViewRef::ABSENT;
            return Ok(());
        };
        let ViewState { address, space, .. } = self.regs.views[register];
        let (memory, first) = self.window_start(address, space, operand.writes)?;
        let view = &self.regs.views[register];
        // SAFETY: as in `Self::window_ref`.
        self.issue.views[at] =
            unsafe { ViewRef::new(memory, first, view.shape, view.strides, view.layout) }.read_soon(is_read_soon);
        Ok(())
    }

    /// A window of global memory as kernels take it.
    #[inline(always)]
    pub fn window_ref(&mut self, view: &ViewState, writes: bool) -> Result<ViewRef, Fail> {
        let ViewState { address, space, shape, strides, layout } = *view;
        let (memory, first) = self.window_start(address, space, writes)?;
        // SAFETY: the caller of the run lends the buffer until its end, and a kernel that writes gets only buffers that may be
        // written.
        Ok(unsafe { ViewRef::new(memory, first, shape, strides, layout) })
    }

    /// The buffer of a window, and the byte of it where the window starts.
    #[inline(always)]
    fn window_start(
        &mut self,
        address: u64,
        space: Option<Loc>,
        writes: bool,
    ) -> Result<((*mut u8, usize), i64), Fail> {
        if space.is_some() {
            return Err(Fail::OnChipView);
        }
        let (at, first) = split_address(address);
        let buffer = self.global.buffer(at, address)?;
        if writes {
            if !buffer.writable {
                return Err(Fail::ReadOnly(at));
            }
            self.progress.deeds.stores += 1;
            self.global.mark_written(at);
        }
        Ok(((buffer.ptr, buffer.bytes), first))
    }

    /// Waits until no other thread touches the windows of an instruction. `None` on one thread.
    fn hold_views(&self, step: &KernelStep) -> Option<GuardLock<'p>> {
        Some(self.global.guards?.hold(self.touched(step)))
    }

    /// What of global memory an instruction touches.
    pub fn touched(&self, step: &KernelStep) -> [Option<Touched>; MAX_VIEWS] {
        let mut touched = [None; MAX_VIEWS];
        for (operand, touched) in step.views.iter().zip(&mut touched) {
            let elem = operand.value.and_then(|v| self.plan.module().value_type(v).elem());
            let view = operand.register.map(|r| &self.regs.views[r]);
            *touched = view.map(|view| reach(view, elem.map_or(64, |d| d.column_bits()), operand.writes));
        }
        touched
    }

    /// The same for a view with elements of this many bits.
    pub fn hold_view(&self, view: &ViewState, bits: u32, writes: bool) -> Option<GuardLock<'p>> {
        Some(self.global.guards?.hold([Some(reach(view, bits, writes)), None]))
    }

    /// Reports which global memory an instruction reads.
    pub fn note_reads<W: Watched + ?Sized>(&self, which: KernelId, watch: &mut W) {
        for operand in self.plan.calls.kernels[which].views.iter().filter(|o| o.reads) {
            if let Some(register) = operand.register {
                watch.read(split_address(self.regs.views[register].address).0);
            }
        }
    }

    pub fn first_buffer(&self, step: &KernelStep) -> Option<usize> {
        let register = step.views.first()?.register?;
        Some(split_address(self.regs.views[register].address).0)
    }

    pub fn read_global(&mut self, at: usize, first: i64, bytes: usize) -> Result<u64, Fail> {
        let ptr = self.global.bytes(at, first, bytes)?;
        self.bring_bytes(at, first, bytes)?;
        let _held = self.global.hold_bytes(at, first, bytes, false);
        // SAFETY: `GlobalMemory::bytes` checked that the bytes lie in a buffer that is lent for the run, and no other thread writes them now.
        Ok(super::data::read_bytes(unsafe { std::slice::from_raw_parts(ptr, bytes) }))
    }

    pub fn write_global(&mut self, at: usize, first: i64, bytes: &[u8]) -> Result<(), Fail> {
        let ptr = self.global.bytes(at, first, bytes.len())?;
        if !self.global.buffer(at, first as u64)?.writable {
            return Err(Fail::ReadOnly(at));
        }
        self.progress.deeds.stores += 1;
        self.global.mark_written(at);
        let held = self.global.hold_bytes(at, first, bytes.len(), true);
        // SAFETY: as above, and the buffer may be written.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), ptr, bytes.len()) };
        drop(held);
        self.send_bytes(at, first, bytes.len())
    }
}

impl Core<'_> {
    /// Changes a signal word at once: ranks in other processes see the old or the new number.
    pub fn change_word(&mut self, at: usize, first: i64, value: u32, add: bool) -> Result<(), Fail> {
        let ptr = self.global.bytes(at, first, 4)?;
        if !self.global.buffer(at, first as u64)?.writable {
            return Err(Fail::ReadOnly(at));
        }
        self.progress.deeds.stores += 1;
        self.global.mark_written(at);
        if let Some(far) = self.global.far.filter(|far| far.copies && at < far.count) {
            let change = PeerWordChange { buffer: at, first: first as usize, value: value as i32, add };
            return far.peers.change_word(change).map_err(Fail::Peer);
        }
        if let Some(word) = self.shared_word(ptr) {
            if add {
                word.fetch_add(value, Ordering::AcqRel)
            } else {
                word.swap(value, Ordering::AcqRel)
            };
            return Ok(());
        }
        let _held = self.global.hold_bytes(at, first, 4, true);
        // SAFETY: `GlobalMemory::bytes` checked that the bytes lie in a buffer that is lent for the run and may be written, and no other
        // thread or process touches them now.
        unsafe {
            let old = if add { ptr.cast::<u32>().read_unaligned() } else { 0 };
            ptr.cast::<u32>().write_unaligned(old.wrapping_add(value));
        }
        Ok(())
    }

    /// A signal word. Ranks that share memory change it without locks, which would take longer than the word.
    pub fn signal_number(&mut self, at: usize, first: i64) -> Result<u32, Fail> {
        let ptr = self.global.bytes(at, first, 4)?;
        match self.shared_word(ptr) {
            Some(word) => Ok(word.load(Ordering::Acquire)),
            None => Ok(self.read_global(at, first, 4)? as u32),
        }
    }

    /// A word that ranks in other processes may have, too.
    fn shared_word(&self, ptr: *mut u8) -> Option<&AtomicU32> {
        let word = ptr.cast::<AtomicU32>();
        // SAFETY: the caller has checked that the word lies in a buffer that is lent for the run. It is aligned, and other processes change
        // it, if they do, as an atomic word or in an access that races in their program.
        self.global.far.filter(|far| !far.copies && word.is_aligned()).map(|_| unsafe { &*word })
    }
}

/// The bytes from the first element of a window to its last. Kernels touch no others, or find that the window is not in its
/// buffer and touch none.
fn reach(view: &ViewState, bits: u32, writes: bool) -> Touched {
    let (buffer, first) = split_address(view.address);
    let last = view.shape.iter().zip(&view.strides).try_fold(0i64, |sum, (n, stride)| {
        let steps = i64::try_from(n.saturating_sub(1)).ok()?;
        (*stride >= 0).then_some(())?;
        sum.checked_add(steps.checked_mul(*stride)?)
    });
    let bytes = last.and_then(|last| last.checked_add(1)?.checked_mul(i64::from(bits))).map(|bits| (bits + 7) / 8);
    let bytes = match bytes.and_then(|bytes| first.checked_add(bytes)) {
        Some(end) => (first, end),
        // No buffer has such a window, so the kernel fails in any case.
        None => (0, i64::MAX),
    };
    Touched { buffer, bytes, writes }
}
