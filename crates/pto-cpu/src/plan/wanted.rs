//! Merged lists of which only the beginning is wanted.
//!
//! A program that looks for the largest numbers of a row sorts all of them, and then takes the first records. The first records of a
//! merged list depend on as many of each of its lists, so those before it need no more either. Here it is found out how many are wanted
//! of what each merge writes: steps that follow each other without a jump are gone through backwards.

use super::build::PlanBuilder;
use super::selection::SortedPart;
use crate::kernels::{OpKernel, RecordUse};
use crate::prepared::{
    Bind, BindId, CallOperand, ExtentValue, Id, KernelId, KernelStep, Plan, Reg, Step, StepId, TileAddress, TileId,
    TileWindow, ValueStorage,
};
use pto_ir::{Attr, OpId, ValueId};
use pto_isa::Order;
use pto_isa::hash::{FastMap, FastSet};
use std::ops::Range;

/// Bytes of a record.
pub(super) const RECORD: u64 = 8;

/// Lists that one merge makes one.
pub(super) const LISTS: u64 = 4;

/// How often tiles are left out before none of a part is looked at any more.
const MOST_ROUNDS: usize = 16;

/// Which columns of a tile are read before the next instruction writes all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum WantedColumns {
    Nothing,
    /// Of each list of so many columns, the first ones.
    First {
        columns: u64,
        of: u64,
    },
    All,
}

impl WantedColumns {
    /// What both want.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, one) | (one, Self::Nothing) => one,
            (Self::First { columns: a, of }, Self::First { columns: b, of: length }) if of == length => {
                Self::First { columns: a.max(b), of }
            }
            _ => Self::All,
        }
    }

    /// How many columns a merge into lists of this length has to write of each; `None` if all.
    fn of_lists(self, length: u64) -> Option<u64> {
        match self {
            Self::First { columns, of } => (of.is_multiple_of(length) && columns < length).then_some(columns),
            Self::Nothing | Self::All => None,
        }
    }
}

/// A tile of one row that only these steps use, or a window of its columns.
#[derive(Clone, Copy)]
pub(super) struct RecordRow {
    pub tile: TileId,
    pub columns: u64,
    /// Bytes of a column.
    pub bytes: u64,
    /// The columns of the window.
    pub window: Option<(u64, u64)>,
}

impl PlanBuilder<'_> {
    /// What an instruction does with sorted lists. One that stops when a list is empty needs to see all of them.
    pub fn record_use(&self, id: OpId, kernel: &OpKernel) -> RecordUse {
        let stops = matches!(self.module.attr(id, "exhausted"), Some(Attr::Bool(true)));
        if stops || self.options.plain { RecordUse::None } else { kernel.records }
    }
}

impl Plan {
    /// Notes what of merged lists is wanted.
    pub(super) fn mark_wanted(&mut self) {
        let merges = |step: &KernelStep| step.records == RecordUse::Merges;
        if !self.calls.kernels.iter().any(merges) {
            return;
        }
        let users = self.tile_users();
        for steps in self.straight_parts() {
            let kernel =
                |at| if let Step::Kernel(which) = self.code.steps[StepId::new(at)] { Some(which) } else { None };
            let kernels: Vec<KernelId> = steps.clone().filter_map(kernel).collect();
            if kernels.iter().any(|which| merges(&self.calls.kernels[*which])) {
                let rows = self.rows_of(&steps, &kernels, &users);
                let rows = self.mark_part(&kernels, &users, rows);
                let part = SortedPart { steps, kernels: &kernels, rows: &rows, users: &users };
                self.mark_selections(&part);
            }
        }
    }

    /// Goes backwards through kernels that are executed one after the other: the tiles of which nothing is kept from the time before.
    fn mark_part(
        &mut self,
        kernels: &[KernelId],
        users: &TileUsers,
        mut rows: FastMap<TileId, RecordRow>,
    ) -> FastMap<TileId, RecordRow> {
        // A tile of which something is wanted before the first step keeps it from the time before.
        for _ in 0..MOST_ROUNDS {
            let mut wanted = FastMap::default();
            let before = |which: &KernelId| self.before(*which, &rows, users, &mut wanted);
            let found: Vec<u64> = kernels.iter().rev().map(before).collect();
            let live: FastSet<TileId> = wanted
                .into_iter()
                .filter_map(|(tile, what)| (what != WantedColumns::Nothing).then_some(tile))
                .collect();
            if live.is_empty() {
                for (which, columns) in kernels.iter().rev().zip(found) {
                    self.calls.kernels[*which].wanted = columns;
                }
                return rows;
            }
            rows.retain(|_, row| !live.contains(&row.tile));
        }
        FastMap::default()
    }

    /// What is wanted before an instruction, given what is wanted after it. How many columns of its lists are, 0 if all.
    fn before(
        &self,
        which: KernelId,
        rows: &FastMap<TileId, RecordRow>,
        users: &TileUsers,
        wanted: &mut FastMap<TileId, WantedColumns>,
    ) -> u64 {
        let step = &self.calls.kernels[which];
        let row = |operand: &CallOperand<TileId>| operand.register.and_then(|r| rows.get(&r).copied());
        let merge = self.merge_of(step, rows, users);
        let mut limit = None;
        for operand in step.tiles.iter().filter(|o| o.writes) {
            let Some(row) = row(operand).filter(|row| row.window.is_none()) else { continue };
            let after = wanted.entry(row.tile).or_insert(WantedColumns::Nothing);
            if let Some(merge) = &merge {
                limit = after.of_lists(merge.length);
            }
            if !operand.reads && self.written_columns(step, merge.as_ref()).is_some_and(|all| all >= row.columns) {
                *after = WantedColumns::Nothing;
            }
        }
        for operand in step.tiles.iter().filter(|o| o.reads) {
            let Some(row) = row(operand) else { continue };
            let what = match (&merge, limit, row.window) {
                (Some(merge), Some(columns), None) => merge.wants(columns, row.columns),
                (_, _, Some((first, columns))) => WantedColumns::First { columns: first + columns, of: row.columns },
                _ => WantedColumns::All,
            };
            let before = wanted.entry(row.tile).or_insert(WantedColumns::Nothing);
            *before = before.and(what);
        }
        limit.unwrap_or(0)
    }

    /// How an instruction merges lists; `None` if it does not.
    pub(super) fn merge_of(
        &self,
        step: &KernelStep,
        rows: &FastMap<TileId, RecordRow>,
        users: &TileUsers,
    ) -> Option<MergedLists> {
        let is_merge = step.records == RecordUse::Merges;
        let (sources, rest) = step.tiles.split_at_checked(LISTS as usize).filter(|_| is_merge)?;
        let row = rows.get(&rest.first()?.register?)?;
        let Some(length) = step.scalars.first()? else {
            let count = sources.iter().filter(|o| o.register.is_some()).count();
            return Some(MergedLists { length: row.columns, of: None, sources: count });
        };
        let of = users.constant(*length).and_then(|n| u64::try_from(n).ok()).filter(|n| *n > 0)?;
        let is_whole = (of * row.bytes).is_multiple_of(RECORD);
        is_whole.then_some(MergedLists { length: of.saturating_mul(LISTS), of: Some(of), sources: 1 })
    }

    /// How many columns of its last tile an instruction writes in any case.
    pub(super) fn written_columns(&self, step: &KernelStep, merge: Option<&MergedLists>) -> Option<u64> {
        let tile = |o: &CallOperand<TileId>| self.module().value_type(o.value?).tile().copied();
        let columns = |o: &CallOperand<TileId>| tile(o)?.valid_cols.fixed();
        match step.records {
            RecordUse::Merges => step.tiles[..merge?.sources].iter().map(columns).sum(),
            RecordUse::Makes => {
                let bytes = u64::from(tile(step.tiles.first()?)?.column_bits()) / 8;
                Some(columns(step.tiles.first()?)? * RECORD / bytes.max(1))
            }
            RecordUse::None => None,
        }
    }

    /// The tiles of one row that have memory of their own and that only these steps use, by register, and the windows of them.
    fn rows_of(&self, steps: &Range<usize>, kernels: &[KernelId], users: &TileUsers) -> FastMap<TileId, RecordRow> {
        let is_ours = |register: TileId| {
            users.registers.get(&register).is_some_and(|value| {
                let ids = value.and_then(|value| users.values.get(&value));
                ids.is_some_and(|ids| ids.iter().all(|id| users.steps.get(id).is_some_and(|at| self.is_in(*at, steps))))
            })
        };
        let windows = steps.clone().filter_map(|at| match self.code.steps[StepId::new(at)] {
            Step::Window(window) => Some(&self.tiles.windows[window]),
            _ => None,
        });
        let operands = kernels.iter().flat_map(|which| &self.calls.kernels[*which].tiles);
        let mut rows = FastMap::default();
        for register in operands.filter_map(|o| o.register).chain(windows.clone().map(|window| window.from)) {
            let bind = users.binds.get(&register).copied().flatten().filter(|_| is_ours(register));
            let row = bind.and_then(|bind| self.whole_row(&self.tiles.binds[bind]));
            rows.extend(row.map(|row| (register, row)));
        }
        // A window somewhere else is a use that is not ours.
        for window in windows {
            let Some(row) = rows.get(&window.from).copied() else { continue };
            match window_of(window, &row, users).filter(|_| is_ours(window.to)) {
                Some(columns) => rows.insert(window.to, RecordRow { window: Some(columns), ..row }),
                None => rows.remove(&window.from),
            };
        }
        // A window of a tile that is no row of ours is none either.
        let tiles: FastSet<TileId> = rows.iter().filter(|(_, r)| r.window.is_none()).map(|(tile, _)| *tile).collect();
        rows.retain(|_, row| tiles.contains(&row.tile));
        rows
    }

    fn is_in(&self, at: Option<StepId>, steps: &Range<usize>) -> bool {
        at.is_some_and(|at| steps.contains(&at.index()))
    }

    pub(super) fn whole_row(&self, bind: &Bind) -> Option<RecordRow> {
        let ty = &self.tiles.geometries[bind.geometry];
        let is_whole = |extent, size| matches!(extent, ExtentValue::Fixed(n) if u64::from(n) == size);
        let has_memory = matches!(bind.address, TileAddress::Own(_)) && bind.count == 1;
        let is_row = ty.rows == 1 && ty.order() == Order::Nd && !ty.is_boxed() && ty.column_bits() >= 8;
        let is_plain = has_memory && is_row && is_whole(bind.rows, 1) && is_whole(bind.cols, ty.cols);
        let bytes = u64::from(ty.column_bits()) / 8;
        is_plain.then_some(RecordRow { tile: bind.tile, columns: ty.cols, bytes, window: None })
    }

    /// The steps between places that are jumped to or from.
    fn straight_parts(&self) -> Vec<Range<usize>> {
        let targets = self.jump_targets();
        let mut parts = Vec::new();
        let mut first = 0;
        for (at, step) in self.code.steps.entries() {
            if targets[at.index()] {
                parts.push(first..at.index());
                first = at.index();
            }
            let jumps = matches!(
                step,
                Step::Jump(_)
                    | Step::Branch { .. }
                    | Step::Switch(_)
                    | Step::LoopTest { .. }
                    | Step::LoopNext { .. }
                    | Step::NextIteration { .. }
                    | Step::End
            );
            if jumps {
                parts.push(first..at.index());
                first = at.index() + 1;
            }
        }
        parts.retain(|part| !part.is_empty());
        parts
    }

    /// Who uses tiles.
    fn tile_users(&self) -> TileUsers {
        let module = self.module();
        let mut users = TileUsers::default();
        for id in (0..module.op_count()).map(OpId::from_index) {
            for operand in module.operands(id) {
                users.values.entry(operand.value).or_default().push(id);
            }
            let passed = module.successors(id).iter().flat_map(|s| &s.args);
            passed.for_each(|value| users.values.entry(*value).or_default().push(id));
        }
        for (at, step) in self.code.steps.entries() {
            if matches!(step, Step::Kernel(_) | Step::Window(_)) {
                let known = users.steps.entry(self.code.origins[at]).or_insert(Some(at));
                // One that is expanded in several places counts for none.
                *known = known.filter(|first| *first == at);
            }
        }
        let values = self.code.values.iter().filter_map(|v| Some((v.storage.tile()?, v.value)));
        for (register, value) in values {
            let known = users.registers.entry(register).or_insert(Some(value));
            *known = known.filter(|first| *first == value);
        }
        users.registers.extend(self.source.slots.iter().filter_map(|slot| Some((slot.tile()?, None))));
        for (id, bind) in self.tiles.binds.entries() {
            users.binds.entry(bind.tile).and_modify(|known| *known = None).or_insert(Some(id));
        }
        let info = self.source.checked.info();
        for kept in &self.code.values {
            if let ValueStorage::Scalar(register) = kept.storage {
                let constant = info.constant(kept.value);
                let known = users.constants.entry(register).or_insert(constant);
                *known = known.filter(|first| constant == Some(*first));
            }
        }
        users
    }
}

/// The columns of a window that always lies at the same place.
fn window_of(window: &TileWindow, row: &RecordRow, users: &TileUsers) -> Option<(u64, u64)> {
    let first = users.constant(window.col).and_then(|n| u64::try_from(n).ok())?;
    let columns = u64::from(window.size.1);
    let is_plain = row.window.is_none() && window.size.0 == 1 && first.checked_add(columns)? <= row.columns;
    is_plain.then_some((first, columns))
}

/// The lists of a merge.
pub(super) struct MergedLists {
    /// Columns of a merged list.
    pub length: u64,
    /// Columns of each list of the first tile; `None` where every tile is a list.
    pub of: Option<u64>,
    /// How many tiles hold lists.
    sources: usize,
}

impl MergedLists {
    /// What a merge wants of a tile with so many columns, for the first columns of each merged list.
    fn wants(&self, columns: u64, all: u64) -> WantedColumns {
        let of = self.of.unwrap_or(all);
        if columns < of { WantedColumns::First { columns, of } } else { WantedColumns::All }
    }
}

/// Who uses tiles, and what of a plan is looked up often.
#[derive(Default)]
pub(super) struct TileUsers {
    /// The operations that have a value as an operand.
    values: FastMap<ValueId, Vec<OpId>>,
    /// The only kernel or window of an operation.
    steps: FastMap<OpId, Option<StepId>>,
    /// The only value that is kept in a register.
    registers: FastMap<TileId, Option<ValueId>>,
    /// The only place that a register gets.
    pub binds: FastMap<TileId, Option<BindId>>,
    /// The numbers that registers always hold.
    constants: FastMap<Reg, Option<i64>>,
}

impl TileUsers {
    fn constant(&self, register: Reg) -> Option<i64> {
        self.constants.get(&register).copied().flatten()
    }
}
