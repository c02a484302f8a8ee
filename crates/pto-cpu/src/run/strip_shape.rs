//! How instructions are divided into strips: which rows of their operands belong together, and where these lie.

use super::collected::{Collected, CollectedCall};
use crate::kernels::TileRef;
use crate::prepared::{KernelStep, Plan};

/// Bytes of the longest rows of a strip. The fewer lines are fetched at a time, the less the processor waits for them: with twice as
/// many, row-wise programs take a tenth longer.
const STRIP_BYTES: usize = 4 << 10;

/// Instructions on fewer bytes are executed one by one.
const LEAST_BYTES: usize = 16 << 10;

/// The rows of all operands.
#[derive(Clone, Default)]
pub(super) struct StripShape {
    /// Rows, or columns of a single row.
    pub count: usize,
    /// How many of them a strip has.
    pub per_strip: usize,
    /// For every tile, where its rows lie.
    pub rows: Vec<Footprint>,
    /// For every call whether columns are divided.
    pub by_columns: Vec<bool>,
    /// For every operand whether all strips use the rows of the first.
    pub reused: Vec<bool>,
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

impl StripShape {
    /// Divides instructions; false if that is not possible or does not pay.
    pub fn divide(&mut self, plan: &Plan, all: &Collected<'_>) -> bool {
        let fits = self.divide_tiles(plan, all);
        if fits {
            self.reuse_rows(plan, all);
        }
        fits
    }

    fn divide_tiles(&mut self, plan: &Plan, all: &Collected<'_>) -> bool {
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
    fn reuse_rows(&mut self, plan: &Plan, all: &Collected<'_>) {
        self.reused.clear();
        self.reused.resize(self.rows.len(), false);
        if all.keeps_tiles {
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
    fn is_made_anew(&self, all: &Collected<'_>, tile: usize) -> bool {
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
