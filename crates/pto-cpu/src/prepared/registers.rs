//! Registers, and where the values of a program are kept.

use super::ids::{CountId, EndId, Reg, StepId, Table, TileId, ViewId};
use super::tiles::TileState;
use super::views::ViewState;
use pto_ir::ValueId;

/// Where a value is kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ValueStorage {
    /// No storage: tokens, events and others without a value here.
    Nothing,
    Scalar(Reg),
    Tile(TileId),
    /// Several consecutive tiles of the same size.
    Multi(TileId, u64),
    View(ViewId),
    /// Local scalars: the first register.
    Array(Reg),
    /// An end of a pipe.
    End(EndId),
}

/// A value of the program and where it is kept from a step on. A function that is expanded several times has an entry for each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptValue {
    pub value: ValueId,
    pub since: StepId,
    pub storage: ValueStorage,
}

impl ValueStorage {
    pub fn tile(self) -> Option<TileId> {
        if let Self::Tile(tile) = self { Some(tile) } else { None }
    }

    pub fn view(self) -> Option<ViewId> {
        if let Self::View(view) = self { Some(view) } else { None }
    }
}

/// The registers of a core: as they are at the start in a plan, and as they are now in a core that runs.
#[derive(Clone, Default, Debug)]
pub(crate) struct RegisterFile {
    pub scalars: Table<Reg, u64>,
    pub tiles: Table<TileId, TileState>,
    pub views: Table<ViewId, ViewState>,
    /// Iterations of loops that have no counter.
    pub counts: Table<CountId, u64>,
}

impl RegisterFile {
    /// Takes over the registers of another set of the same size.
    pub fn copy_from(&mut self, other: &Self) {
        self.scalars.copy_from(&other.scalars);
        self.tiles.copy_from(&other.tiles);
        self.views.copy_from(&other.views);
        self.counts.copy_from(&other.counts);
    }
}
