//! The addresses that tiles would get.

use crate::Document;
use pto::isa::hash::FastMap;
use pto::isa::{Loc, Span};
use pto::opt::{self, plan};

/// The address of a tile, as `pto plan` chooses it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PlannedAddress {
    pub(crate) loc: Loc,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    /// The statements that use it first and last.
    pub(crate) used: (Span, Span),
}

/// Addresses of the tiles that have none, by the start of the tile's name.
#[derive(Debug)]
pub(crate) struct Placement {
    tiles: FastMap<u32, PlannedAddress>,
}

impl Placement {
    /// Plans the memory of a legal program; nothing if its tiles do not fit.
    pub(crate) fn new(document: &Document) -> Option<Self> {
        let checked = document.program().check(document.target()).ok()?;
        let buffers = opt::prepare(&checked).ok()?;
        let planned = opt::plan_memory(&buffers, plan::Options::default()).ok()?;
        let module = buffers.module();
        let place = |tile: &plan::PlacedTile| {
            let span = |id| module.op(id).span;
            let used = (span(tile.first), span(tile.last));
            let address = PlannedAddress { loc: tile.loc, address: tile.address, bytes: tile.bytes, used };
            (module.value(tile.value).span.start, address)
        };
        let tiles = planned.spaces.iter().flat_map(|space| &space.tiles).map(place).collect();
        Some(Self { tiles })
    }

    /// The address of the tile whose name starts at a byte.
    pub(crate) fn tile(&self, name: u32) -> Option<&PlannedAddress> {
        self.tiles.get(&name)
    }
}
