//! What is done for every strip: rows of kernels, kernels as a whole, and copies.
//!
//! Most kernels have code for single rows. It gets pointers, so nothing is left to find out for each strip; other kernels are called as
//! always, for the rows of the strip.

#![expect(unsafe_code, reason = "kernels get pointers to rows")]

use super::collected::Collected;
use super::strip_shape::size;
use super::strip_windows::StripFacts;
use crate::kernels::{ChainLink, Fetch, MOST_LINKS, RowCall, RowCode, RowFn, RowKind};
use crate::prepared::Plan;
use pto_num::CpuLevel;
use std::cell::Cell;
use std::ops::Range;

/// Shorter rows are left to kernels, which work on several of them at a time.
const SHORT_ROW: usize = 128;

/// Elements of a row for which code for rows fetches some lines.
const SPAN: usize = 64;

/// One of the things that are done for every strip.
#[derive(Clone)]
pub(super) struct StripStep {
    /// The numbers of its calls.
    pub calls: Range<usize>,
    /// It touches global memory.
    pub is_outside: bool,
    pub action: StripAction,
}

/// How a step is done.
#[derive(Clone, Copy)]
#[expect(clippy::large_enum_variant, reason = "nearly all are rows, and there are only a few")]
pub(super) enum StripAction {
    /// Row by row.
    Rows(RowStep),
    /// By a kernel that is called for all rows of the strip.
    Kernel,
    /// A load or store that nothing else does.
    Copy,
}

/// An instruction on single rows.
#[derive(Clone, Copy)]
pub(super) struct RowStep {
    pub run: RowFn,
    /// The same, and the sum of the results, which a later instruction wants.
    pub run_and_sum: Option<RowFn>,
    /// What it writes goes past the cache.
    pub is_past: bool,
    pub link: Option<ChainLink>,
    pub level: CpuLevel,
    pub kind: RowKind,
    pub src: RowCursor,
    pub others: [RowCursor; MOST_LINKS],
    pub dst: RowCursor,
    pub sum: RowCursor,
    /// Elements of a row.
    pub count: usize,
    /// Rows follow each other without gaps, so that those of a strip are one row.
    pub is_joined: bool,
    /// The position of its scalar among all that were collected.
    pub scalar_at: Option<usize>,
    pub scalar: u64,
}

/// The rows of an operand.
#[derive(Clone, Copy)]
pub(super) struct RowCursor {
    /// Its position among all tiles; `None` if there is no such operand.
    pub tile: Option<usize>,
    /// The first row.
    start: *mut u8,
    /// Bytes from row to row in a strip.
    within: usize,
    /// The same from strip to strip; 0 if all strips use the same rows.
    onward: usize,
}

impl RowCursor {
    /// That of an operand that is not there.
    pub const ABSENT: Self = Self { tile: None, start: std::ptr::null_mut(), within: 0, onward: 0 };

    /// The row with this number, at the start of a strip.
    #[inline(always)]
    fn at(&self, first: usize) -> *mut u8 {
        self.start.wrapping_add(first * self.onward)
    }

    pub fn is_same(&self, other: &Self) -> bool {
        (self.start, self.within, self.onward) == (other.start, other.within, other.onward)
    }

    /// It is a tile, and no window takes its place.
    fn is_inside(&self, found: StripFacts<'_, '_>) -> bool {
        self.tile.is_some_and(|tile| !found.is_window(tile))
    }

    /// True when both may share memory.
    pub fn overlaps(&self, other: &Self, found: StripFacts<'_, '_>) -> bool {
        self.tile.zip(other.tile).is_some_and(|(one, other)| found.overlap(one, other))
    }
}

/// Finds the steps of all strips.
pub(super) fn find(steps: &mut Vec<StripStep>, plan: &Plan, found: StripFacts<'_, '_>) {
    steps.clear();
    let StripFacts { all, windows, .. } = found;
    for (number, call) in all.calls.iter().enumerate() {
        let is_copied = !call.views.is_empty();
        if is_copied && windows.copy_of(number).is_none() {
            continue;
        }
        let action = if is_copied { StripAction::Copy } else { kernel_action(plan, found, number) };
        if let (StripAction::Rows(rows), Some(last)) = (&action, steps.last_mut())
            && rows.is_sum_of(last, found)
        {
            last.add_up(number, rows);
            continue;
        }
        steps.push(StripStep { calls: number..number + 1, is_outside: windows.is_used_by(number), action });
    }
}

/// How the kernel of a call is executed.
fn kernel_action(plan: &Plan, found: StripFacts<'_, '_>, number: usize) -> StripAction {
    let all = found.all;
    let call = &all.calls[number];
    let code = &plan.calls.kernels[call.which].code;
    let code = code.rows(&all.tiles[call.tiles.clone()], &all.scalars[call.scalars.clone()]);
    let step = code.and_then(|code| RowStep::new(found, number, &code));
    step.map_or(StripAction::Kernel, StripAction::Rows)
}

impl StripStep {
    /// It makes the sum of its results as well.
    fn add_up(&mut self, call: usize, sum: &RowStep) {
        if let StripAction::Rows(rows) = &mut self.action
            && let Some(run_and_sum) = rows.run_and_sum
        {
            self.calls.end = call + 1;
            (rows.run, rows.sum, rows.is_joined) = (run_and_sum, sum.dst, false);
        }
    }

    /// The spans of elements that bring something from memory while so many rows are worked on.
    pub fn spans(&self, rows: usize) -> usize {
        if let StripAction::Rows(step) = &self.action { step.spans(rows) } else { 0 }
    }

    /// The operands that the caller has to move from strip to strip, and the bytes for each row.
    pub fn moves(&self, found: StripFacts<'_, '_>) -> impl Iterator<Item = (usize, usize)> {
        let is_moved = !matches!(self.action, StripAction::Rows(_));
        let tiles = found.all.calls[self.calls.start].tiles.clone().filter(move |_| is_moved);
        tiles.map(move |tile| (tile, found.distances(tile).1)).filter(|(_, bytes)| *bytes > 0)
    }

    /// Brings the addresses and scalars of this execution.
    pub fn begin(&mut self, all: &Collected<'_>) {
        if let StripAction::Rows(rows) = &mut self.action {
            rows.begin(all);
        }
    }
}

impl RowStep {
    fn new(found: StripFacts<'_, '_>, number: usize, code: &RowCode) -> Option<Self> {
        let StripFacts { all, shape, windows } = found;
        let call = &all.calls[number];
        let operands = &code.operands;
        let cursor = |at: usize| {
            let tile = call.tiles.start + at;
            let (within, onward) = found.distances(tile);
            RowCursor { tile: Some(tile), start: all.tiles[tile].ptr(), within, onward }
        };
        let (src, dst) = (cursor(operands.src), cursor(operands.dst));
        let mut others = [RowCursor::ABSENT; MOST_LINKS];
        others[0] = operands.other.map_or(RowCursor::ABSENT, cursor);
        let has_one_result = matches!(operands.kind, RowKind::Sum | RowKind::Reduction);
        let tile = &all.tiles[call.tiles.start + if has_one_result { operands.src } else { operands.dst }];
        // Columns of a single row are rows of one element.
        let count = if shape.by_columns[number] { 1 } else { tile.cols() };
        let is_dense = |cursor: &RowCursor| cursor.tile.is_none() || cursor.within == count * size(tile);
        let is_joined = operands.kind == RowKind::Elements && [src, others[0], dst].iter().all(is_dense);
        let is_past = dst.tile.is_some_and(|tile| windows.is_past(tile));
        let step = Self {
            run: code.run_past.filter(|_| is_past).unwrap_or(code.run),
            is_past,
            run_and_sum: code.run_and_sum,
            link: code.link,
            level: code.level,
            kind: operands.kind,
            src,
            others,
            dst,
            sum: RowCursor::ABSENT,
            count,
            is_joined,
            scalar_at: operands.scalar.map(|at| call.scalars.start + at),
            scalar: 0,
        };
        (is_joined || count >= SHORT_ROW).then_some(step)
    }

    fn spans(&self, rows: usize) -> usize {
        match self.kind {
            RowKind::Sum | RowKind::Reduction => 0,
            _ if self.is_joined => self.count * rows / SPAN,
            _ => self.count / SPAN * rows,
        }
    }

    /// True when it adds up what the step before has just made.
    fn is_sum_of(&self, last: &StripStep, found: StripFacts<'_, '_>) -> bool {
        let StripAction::Rows(last) = &last.action else { return false };
        let is_same = self.src.is_same(&last.dst) && self.count == last.count;
        let is_inside = [self.src, last.dst, self.dst].iter().all(|cursor| cursor.is_inside(found));
        self.kind == RowKind::Sum && last.run_and_sum.is_some() && last.sum.tile.is_none() && is_same && is_inside
    }

    fn begin(&mut self, all: &Collected<'_>) {
        for cursor in [&mut self.src, &mut self.dst, &mut self.sum].into_iter().chain(&mut self.others) {
            cursor.start = cursor.tile.map_or(cursor.start, |tile| all.tiles[tile].ptr());
        }
        self.scalar = self.scalar_at.map_or(0, |at| all.scalars[at]);
    }

    /// Executes it for some rows.
    ///
    /// # Safety
    /// The operands must have these rows, and no other thread may touch them.
    #[inline(always)]
    pub unsafe fn execute(&self, first: usize, rows: usize, fetch: &Cell<Fetch>) {
        let (mut count, mut calls) = (self.count, rows);
        if self.is_joined {
            (count, calls) = (count * rows, 1);
        }
        let mut row = RowCall {
            src: self.src.at(first),
            others: self.others.map(|other| other.at(first).cast_const()),
            dst: self.dst.at(first),
            sum: self.sum.at(first),
            count,
            scalar: self.scalar,
            fetch,
        };
        loop {
            // SAFETY: as the caller says; rows without gaps are one row.
            unsafe { (self.run)(&row) };
            calls -= 1;
            if calls == 0 {
                return;
            }
            row.src = row.src.wrapping_add(self.src.within);
            for (row, other) in row.others.iter_mut().zip(&self.others) {
                *row = row.wrapping_add(other.within);
            }
            row.dst = row.dst.wrapping_add(self.dst.within);
            row.sum = row.sum.wrapping_add(self.sum.within);
        }
    }
}
