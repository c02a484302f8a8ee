//! What a core needs to issue an instruction.

use super::collected::Collected;
use super::observe::{Access, Atomic};
use super::pipes::PipeQueues;
use super::repeats::Succeeded;
use super::strips::StripDivision;
use crate::kernels::{TileRef, ViewRef};
use crate::prepared::{CallTables, CheckId, KernelId, KernelStep, MAX_SCALARS, MAX_TILES, MAX_VIEWS, Table, ViewState};

/// Operands of the current instruction, rules that were checked, and pipes with pending work.
pub(super) struct Issue<'p> {
    /// The first of each array are the operands.
    pub tiles: [TileRef<'p>; MAX_TILES],
    pub views: [ViewRef; MAX_VIEWS],
    pub scalars: [u64; MAX_SCALARS],
    /// What the rules of an instruction were checked with, one set of facts after the other.
    pub checked: Table<CheckId, Vec<u64>>,
    /// The facts being checked.
    pub facts: Vec<u64>,
    /// What an observer was told of each instruction last.
    pub told: Table<KernelId, Option<Box<Told>>>,
    /// With what each instruction was executed last, where it need not be executed again.
    pub succeeded: Table<KernelId, Option<Box<Succeeded>>>,
    /// What pipes have not done yet, where chance decides when they do.
    pub pipes: PipeQueues<'p>,
    /// Instructions that are executed together.
    pub collected: Collected<'p>,
    /// How the instructions of each group were divided last, by the last of them.
    pub divisions: Table<KernelId, Option<Box<StripDivision<'p>>>>,
}

/// The accesses of an instruction, and what they were made from.
#[derive(Clone, Default)]
pub(super) struct Told {
    /// The version of the tile registers; 0 if it was not executed.
    pub version: u64,
    pub views: Vec<Option<ViewState>>,
    pub atomic: Atomic,
    pub accesses: Vec<Access>,
    /// How many of them are of tiles. They come first.
    pub tiles: usize,
}

impl<'p> Issue<'p> {
    pub fn new(calls: &CallTables) -> Self {
        Self {
            tiles: [TileRef::ABSENT; MAX_TILES],
            views: [ViewRef::ABSENT; MAX_VIEWS],
            scalars: [0; MAX_SCALARS],
            checked: Table::like(&calls.checks, Vec::new()),
            told: Table::like(&calls.kernels, None),
            succeeded: Table::like(&calls.kernels, None),
            facts: Vec::with_capacity(16),
            pipes: PipeQueues::default(),
            collected: Collected::default(),
            divisions: Table::like(&calls.kernels, None),
        }
    }

    /// Another block begins.
    pub fn reset(&mut self) {
        self.pipes.reset(0);
        self.collected.clear();
        self.checked.iter_mut().for_each(Vec::clear);
    }

    /// The operands that were resolved.
    #[inline(always)]
    pub fn operands(&self, step: &KernelStep) -> (&[TileRef<'p>], &[ViewRef], &[u64]) {
        let tiles = &self.tiles[..step.tiles.len()];
        (tiles, &self.views[..step.views.len()], &self.scalars[..step.scalars.len()])
    }
}
