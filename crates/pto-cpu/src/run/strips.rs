//! Instructions executed strip by strip: all of them for a few rows, then for the next few.
//!
//! Rows stay in the nearest cache from their load to their store. While a strip is worked on, the next one is fetched, and the
//! lines that its results go to are claimed, so that memory, which is much slower than the cache, always has something to do.

#![expect(unsafe_code, reason = "kernels are called for parts of their operands")]

use super::collected::{Collected, CollectedCall, FailAt};
use super::fail::Fail;
use super::strip_steps::{self, StripAction, StripStep};
use super::strip_windows::StripWindows;
use crate::guard::Guards;
use crate::kernels::TileRef;
use crate::prepared::{KernelStep, Plan};
use std::cell::Cell;

/// Bytes of the longest rows of a strip. The fewer lines are fetched at a time, the less the processor waits for them: with twice as
/// many, row-wise programs take a tenth longer.
const STRIP_BYTES: usize = 4 << 10;

/// Instructions on fewer bytes are executed one by one.
const LEAST_BYTES: usize = 16 << 10;

/// How instructions are divided. It is kept, because mostly the same ones come again with the same tiles.
#[derive(Clone, Default)]
pub(super) struct StripDivision<'p> {
    /// The tiles that it was made for.
    tiles: Vec<TileRef<'p>>,
    /// Whether they can be divided.
    fits: bool,
    /// Rows, or columns of a single row.
    pub count: usize,
    /// How many of them a strip has.
    pub per_strip: usize,
    /// Everything is one strip: a single instruction does all, from window to window.
    is_one: bool,
    /// For every tile, where its rows lie.
    pub rows: Vec<Footprint>,
    /// For every call whether columns are divided.
    pub by_columns: Vec<bool>,
    windows: StripWindows,
    /// What is done for every strip.
    steps: Vec<StripStep>,
    /// The operands of kernels that move from strip to strip, and the bytes for each row.
    moves: Vec<(usize, usize)>,
    /// For every operand whether all strips use the rows of the first.
    reused: Vec<bool>,
}

/// Where the rows of an operand lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Footprint {
    pub start: usize,
    /// From one row to the next; 0 if the operand is always needed whole.
    pub step: usize,
    /// Bytes of a row.
    pub bytes: usize,
    pub reads: bool,
    pub writes: bool,
}

impl Footprint {
    /// That of nothing.
    pub const NOWHERE: Self = Self { start: 0, step: 0, bytes: 0, reads: false, writes: false };

    fn end(&self, count: usize) -> usize {
        self.start + (count - 1) * self.step + self.bytes
    }

    /// True when each row of one is the same row of the other.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.start, self.step, self.bytes) == (other.start, other.step, other.bytes) && self.step > 0
    }

    pub fn overlaps(&self, other: &Self, count: usize) -> bool {
        self.bytes > 0 && other.bytes > 0 && self.start < other.end(count) && other.start < self.end(count)
    }

    /// False when a row of one may depend on another row of the other.
    fn is_apart(&self, other: &Self, count: usize) -> bool {
        let only_read = !self.writes && !other.writes;
        let same_rows = self.start == other.start && self.step == other.step && self.step > 0;
        only_read || same_rows || !self.overlaps(other, count)
    }
}

/// True when rows can be worked on one after the other.
pub(super) fn are_apart(all: &[Footprint], count: usize) -> bool {
    all.iter().enumerate().all(|(at, one)| all[..at].iter().all(|other| one.is_apart(other, count)))
}

impl<'p> StripDivision<'p> {
    /// Divides instructions; false if that is not possible or does not pay.
    pub fn divide(&mut self, plan: &'p Plan, all: &Collected<'p>) -> bool {
        let same = |(a, b): (&TileRef, &TileRef)| a.is_same(b);
        let is_known = self.tiles.len() == all.tiles.len() && self.tiles.iter().zip(&all.tiles).all(same);
        if !is_known {
            self.tiles.clone_from(&all.tiles);
            self.fits = self.divide_tiles(plan, all);
            self.reuse_rows(plan, all);
        }
        self.fits && self.divide_windows(plan, all, is_known)
    }

    fn divide_windows(&mut self, plan: &Plan, all: &Collected<'p>, is_known: bool) -> bool {
        let mut windows = std::mem::take(&mut self.windows);
        let fits = windows.find(plan, all, self);
        if fits && !is_known {
            windows.find_past(plan, all, self);
        }
        if fits && (windows.choose_direct(plan, all, self) || !is_known) {
            windows.redirect(all, self);
            self.is_one = windows.are_direct() && all.calls.iter().filter(|call| call.views.is_empty()).count() == 1;
            self.windows = windows;
            self.find_steps(plan, all);
        } else {
            self.windows = windows;
        }
        fits
    }

    /// Finds what is done for every strip.
    fn find_steps(&mut self, plan: &Plan, all: &Collected<'p>) {
        let mut steps = std::mem::take(&mut self.steps);
        strip_steps::find(&mut steps, plan, all, self);
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        for step in steps.iter().filter(|step| !matches!(step.action, StripAction::Rows(_))) {
            let tiles = all.calls[step.calls.start].tiles.clone().map(|tile| (tile, self.distances(tile).1));
            moves.extend(tiles.filter(|(_, bytes)| *bytes > 0));
        }
        (self.steps, self.moves) = (steps, moves);
    }

    /// True when nothing needs what a tile holds after a call: every strip makes it anew, and no later call reads it.
    pub fn is_dead_after(&self, all: &Collected<'p>, tile: usize, call: usize) -> bool {
        // A load or store that a window has taken the place of does not touch its tile.
        let is_direct = |number: usize| !all.calls[number].views.is_empty() && self.windows.copy_of(number).is_none();
        let later = (call + 1..all.calls.len()).filter(|number| !is_direct(*number));
        let mut touching = later.flat_map(|number| all.calls[number].tiles.clone());
        let reads = |at: usize| self.rows[at].reads && self.rows[at].overlaps(&self.rows[tile], self.count);
        self.reused[tile] && !touching.any(reads)
    }

    pub fn windows(&self) -> &StripWindows {
        &self.windows
    }

    /// The bytes from one row of an operand to the next: within a strip, and for each row from strip to strip.
    pub fn distances(&self, tile: usize) -> (usize, usize) {
        let own = self.rows[tile].step;
        let kept = if self.reused[tile] { 0 } else { own };
        self.windows.step_of(tile).map_or((own, kept), |step| (step, step))
    }

    fn divide_tiles(&mut self, plan: &Plan, all: &Collected<'p>) -> bool {
        self.rows.clear();
        self.by_columns.clear();
        let Some(first) = all.tiles.iter().find(|t| t.is_present()) else { return false };
        let columns = all.tiles.iter().all(|t| !t.is_present() || t.rows() == 1);
        self.count = if columns { first.cols() } else { first.rows() };
        let longest = all.tiles.iter().map(|t| t.cols() * size(t)).max().unwrap_or(0);
        let bytes = if columns { size(first) } else { longest };
        self.per_strip = (STRIP_BYTES / bytes.max(1)).max(1);
        if self.count * bytes < LEAST_BYTES || self.per_strip >= self.count {
            return false;
        }
        let divides =
            |call: &CollectedCall| self.divide_call(&plan.calls.kernels[call.which], &all.tiles[call.tiles.clone()]);
        all.calls.iter().all(divides) && are_apart(&self.rows, self.count)
    }

    /// Finds the tiles of which all strips can use the same rows, which then stay in the nearest cache: nothing reads them afterwards.
    fn reuse_rows(&mut self, plan: &Plan, all: &Collected<'p>) {
        self.reused.clear();
        self.reused.resize(self.rows.len(), false);
        if all.keeps_tiles || !self.fits {
            return;
        }
        for call in &all.calls {
            let own = plan.calls.kernels[call.which].own_tiles;
            for (_, tile) in call.tiles.clone().enumerate().filter(|(at, _)| own >> at & 1 != 0) {
                self.reused[tile] = self.is_made_anew(all, tile);
            }
        }
        debug_assert!(self.is_reused_alike(), "an operand would find rows where others do not keep them");
    }

    /// True when operands at the same place agree whether all strips use the same rows.
    fn is_reused_alike(&self) -> bool {
        let pairs = (0..self.rows.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let mut same_place = pairs.filter(|(a, b)| self.rows[*a].overlaps(&self.rows[*b], self.count));
        same_place.all(|(a, b)| self.reused[a] == self.reused[b])
    }

    /// True when all operands that touch a tile touch the same rows of it, and the first only writes.
    fn is_made_anew(&self, all: &Collected<'p>, tile: usize) -> bool {
        let own = self.rows[tile];
        let touches = |at: &usize| self.rows[*at].overlaps(&own, self.count);
        let Some(first) = (0..self.rows.len()).find(touches) else { return false };
        let Some(call) = all.calls.iter().find(|c| c.tiles.contains(&first)) else { return false };
        let is_fresh = call.tiles.clone().filter(touches).all(|at| !self.rows[at].reads);
        is_fresh && (0..self.rows.len()).filter(touches).all(|at| self.rows[at].is_same(&own))
    }

    fn divide_call(&mut self, step: &KernelStep, tiles: &[TileRef<'_>]) -> bool {
        let Some(cut) = step.cut.filter(|_| step.part.is_none()) else { return false };
        let mut by_rows = true;
        let mut by_columns = cut.by_columns;
        for (at, tile) in tiles.iter().enumerate().filter(|(_, t)| t.is_present()) {
            if tile.geometry().is_boxed() || tile.geometry().dtype.column_bits() < 8 {
                return false;
            }
            if cut.whole != Some(at) {
                by_rows &= tile.rows() == self.count && (tile.col_stride() == 1 || tile.cols() == 1);
                by_columns &= tile.rows() == 1 && tile.cols() == self.count && tile.col_stride() == 1;
            }
        }
        for (at, tile) in tiles.iter().enumerate() {
            let (size, stride) = (size(tile), tile.row_stride() * size(tile));
            let (step_bytes, bytes) = match (tile.is_present(), cut.whole == Some(at), by_rows) {
                (false, ..) => (0, 0),
                (_, true, _) => (0, tile.rows().saturating_sub(1) * stride + tile.cols() * size),
                (_, _, true) => (stride, tile.cols() * size),
                (_, _, false) => (size, size),
            };
            let (reads, writes) = uses(step, at);
            self.rows.push(Footprint { start: tile.ptr() as usize, step: step_bytes, bytes, reads, writes });
        }
        self.by_columns.push(!by_rows);
        let rows = &self.rows[self.rows.len() - tiles.len()..];
        (by_rows || by_columns) && rows.iter().all(|r| r.step == 0 || r.bytes <= r.step)
    }

    pub fn execute(&mut self, plan: &Plan, all: &mut Collected<'p>, guards: Option<&Guards<'_>>) -> Result<(), FailAt> {
        self.windows.replace_tiles(&mut all.tiles);
        self.steps.iter_mut().for_each(|step| step.begin(all));
        let per_strip = if self.is_one { self.count } else { self.per_strip };
        // The processor itself fetches what is read and written in one go.
        self.windows.begin_fetching((self.count, per_strip), &self.steps, !self.is_one);
        let held = guards.and_then(|guards| self.windows.hold(all, guards));
        let done = self.execute_strips(plan, all, guards.filter(|_| held.is_none()), per_strip);
        self.windows.finish(all);
        done
    }

    fn execute_strips(
        &mut self,
        plan: &Plan,
        all: &mut Collected<'p>,
        guards: Option<&Guards<'_>>,
        per_strip: usize,
    ) -> Result<(), FailAt> {
        let mut first = 0;
        let mut rows = 0;
        while first < self.count {
            let now = per_strip.min(self.count - first);
            if now != rows {
                rows = now;
                self.set_rows(all, rows);
            }
            self.execute_strip(plan, all, guards, first, rows)?;
            for (at, step) in &self.moves {
                // SAFETY: at most as many rows are left out as have been worked on.
                all.tiles[*at] = unsafe { all.tiles[*at].after(step * rows) };
            }
            first += rows;
        }
        Ok(())
    }

    /// Every kernel works on this many rows.
    fn set_rows(&self, all: &mut Collected<'p>, rows: usize) {
        for step in self.steps.iter().filter(|step| matches!(step.action, StripAction::Kernel)) {
            let by_columns = self.by_columns[step.calls.start];
            for at in all.calls[step.calls.start].tiles.clone() {
                let tile = &mut all.tiles[at];
                if self.rows[at].step > 0 {
                    let region = if by_columns { (tile.rows(), rows) } else { (rows, tile.cols()) };
                    // SAFETY: as many rows are left.
                    *tile = unsafe { tile.with_region(region) };
                }
            }
        }
    }

    #[inline(always)]
    fn execute_strip(
        &mut self,
        plan: &Plan,
        all: &Collected<'p>,
        guards: Option<&Guards<'_>>,
        first: usize,
        rows: usize,
    ) -> Result<(), FailAt> {
        let fetch = Cell::new(self.windows.fetch_of_strip());
        for step in &self.steps {
            self.windows.fetch_some();
            let guards = guards.filter(|_| step.is_outside);
            // Until the end of the block: a call of `drop` would copy it.
            let _held = guards.map(|guards| guards.hold(self.windows.touched(&step.calls, all, first, rows)));
            match &step.action {
                // SAFETY: the rows are parts of tiles that were checked when the instruction was collected, or windows in their
                // place, which no other thread touches now.
                StripAction::Rows(step) => unsafe { step.execute(first, rows, &fetch) },
                StripAction::Kernel => Self::execute_kernel(plan, all, &all.calls[step.calls.start])?,
                StripAction::Copy => {
                    let call = step.calls.start;
                    let at = all.calls[call].tiles.start;
                    let transfer = self.windows.copy_of(call);
                    transfer.into_iter().for_each(|t| t.copy(&all.tiles[at], self.rows[at].step, first, rows));
                }
            }
        }
        Ok(())
    }

    fn execute_kernel(plan: &Plan, all: &Collected<'p>, call: &CollectedCall) -> Result<(), FailAt> {
        let code = &plan.calls.kernels[call.which].code;
        let (tiles, scalars) = (&all.tiles[call.tiles.clone()], &all.scalars[call.scalars.clone()]);
        // SAFETY: the operands are parts of those that were checked when the instruction was collected, or windows in their place, which
        // no other thread touches now.
        let done = unsafe { code.call(tiles, &[], scalars) };
        done.map_err(|fault| (call.at, Fail::Fault(Box::new(fault), call.buffer)))
    }
}

/// Whether a kernel reads and writes a tile. One that it takes a second time has neither mark.
fn uses(step: &KernelStep, at: usize) -> (bool, bool) {
    let tile = &step.tiles[at];
    if tile.reads || tile.writes {
        (tile.reads, tile.writes)
    } else {
        (tile.register.is_some(), tile.register.is_some())
    }
}

/// Bytes of an element.
pub(super) fn size(tile: &TileRef) -> usize {
    tile.geometry().dtype.unit_bytes() as usize
}
