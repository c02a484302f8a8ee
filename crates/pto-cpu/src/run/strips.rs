//! Instructions executed strip by strip: all of them for a few rows, then for the next few.
//!
//! Rows stay in the nearest cache from their load to their store. While a strip is worked on, the next one is fetched, and the
//! lines that its results go to are claimed, so that memory, which is much slower than the cache, always has something to do.

#![expect(unsafe_code, reason = "kernels are called for parts of their operands")]

use super::collected::{Collected, CollectedCall, FailAt};
use super::fail::Fail;
use super::strip_chains;
use super::strip_shape::StripShape;
use super::strip_steps::{self, StripAction, StripStep};
use super::strip_windows::{StripFacts, StripWindows};
use crate::guard::Guards;
use crate::kernels::TileRef;
use crate::prepared::Plan;
use std::cell::Cell;

/// How instructions are divided. It is kept, because mostly the same ones come again with the same tiles.
#[derive(Clone, Default)]
pub(super) struct StripDivision<'p> {
    /// The tiles that it was made for.
    tiles: Vec<TileRef<'p>>,
    /// Whether they can be divided.
    fits: bool,
    /// How they are divided.
    shape: StripShape,
    /// Everything is one strip: a single instruction does all, from window to window.
    is_one: bool,
    windows: StripWindows,
    /// What is done for every strip.
    steps: Vec<StripStep>,
    /// The operands of kernels that move from strip to strip, and the bytes for each row.
    moves: Vec<(usize, usize)>,
}

impl<'p> StripDivision<'p> {
    /// Divides instructions; false if that is not possible or does not pay.
    pub fn divide(&mut self, plan: &'p Plan, all: &Collected<'p>) -> bool {
        let same = |(a, b): (&TileRef, &TileRef)| a.is_same(b);
        let is_known = self.tiles.len() == all.tiles.len() && self.tiles.iter().zip(&all.tiles).all(same);
        if !is_known {
            self.tiles.clone_from(&all.tiles);
            self.fits = self.shape.divide(plan, all);
        }
        let shape = &self.shape;
        if !self.fits || !self.windows.find(plan, all, shape) {
            return false;
        }
        if !is_known {
            self.windows.find_past(plan, all, shape);
        }
        if self.windows.choose_direct(plan, all, shape) || !is_known {
            self.windows.redirect(all, shape);
            let kernels = all.calls.iter().filter(|call| call.views.is_empty()).count();
            self.is_one = self.windows.are_direct() && kernels == 1;
            let found = StripFacts { all, shape, windows: &self.windows };
            strip_steps::find(&mut self.steps, plan, found);
            strip_chains::join(&mut self.steps, found);
            self.moves.clear();
            self.moves.extend(self.steps.iter().flat_map(|step| step.moves(found)));
        }
        true
    }

    pub fn execute(&mut self, plan: &Plan, all: &mut Collected<'p>, guards: Option<&Guards<'_>>) -> Result<(), FailAt> {
        self.windows.replace_tiles(&mut all.tiles);
        self.steps.iter_mut().for_each(|step| step.begin(all));
        let per_strip = if self.is_one { self.shape.count } else { self.shape.per_strip };
        let spans = self.steps.iter().map(|step| step.spans(per_strip)).sum();
        // The processor itself fetches what is read and written in one go.
        self.windows.begin_fetching((self.shape.count, per_strip), (self.steps.len(), spans), !self.is_one);
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
        while first < self.shape.count {
            let now = per_strip.min(self.shape.count - first);
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
            let by_columns = self.shape.by_columns[step.calls.start];
            for at in all.calls[step.calls.start].tiles.clone() {
                let tile = &mut all.tiles[at];
                if self.shape.rows[at].step > 0 {
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
                    transfer.into_iter().for_each(|t| t.copy(&all.tiles[at], self.shape.rows[at].step, first, rows));
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
