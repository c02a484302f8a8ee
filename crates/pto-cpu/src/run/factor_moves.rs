//! What is known of loads, moves and products that are left out.

use super::factor_store::{FactorOrigin, FactorStore};
use super::product_chain::ProductChain;
use crate::kernels::{KeptFactor, TileRef, ViewRef};
use crate::prepared::{KernelId, StepId};
use pto_isa::hash::FastMap;
use std::ops::Range;
use std::sync::Arc;

/// Loads and moves of factors: those that are left out so far, and loads that were made of memory that does not change.
#[derive(Default)]
pub(super) struct FactorMoves<'p> {
    pub loads: Vec<LoadedTile<'p>>,
    pub moves: Vec<FactorMove<'p>>,
    /// Products that have not been executed.
    pub chains: Vec<ProductChain<'p>>,
    /// How many of the last chains that a product started had no other product.
    pub lonely: FastMap<KernelId, u8>,
    /// What was packed before.
    pub store: FactorStore,
}

/// A tile that is loaded from global memory that nothing writes.
#[derive(Clone, Copy)]
pub(super) struct LoadedTile<'p> {
    pub which: KernelId,
    pub at: StepId,
    pub tile: TileRef<'p>,
    pub view: ViewRef,
    /// Bytes of the core that it writes, from the first to the one after the last.
    pub to: (u64, u64),
    /// Its number in the store.
    pub window: u32,
    /// It has been loaded.
    pub is_made: bool,
}

/// A move that is left out.
pub(super) struct FactorMove<'p> {
    pub which: KernelId,
    pub at: StepId,
    pub tiles: [TileRef<'p>; 3],
    pub scalars: [u64; 3],
    /// Bytes of the core that it reads and writes.
    pub from: Range<u64>,
    pub to: Range<u64>,
    /// What it moves, as long as that is there.
    pub source: Option<TileRef<'p>>,
    /// What products have made of it.
    pub kept: Arc<KeptFactor>,
    pub origin: FactorOrigin,
    pub is_left: bool,
}

impl<'p> FactorMove<'p> {
    /// The factor.
    pub fn factor(&self) -> &TileRef<'p> {
        &self.tiles[1]
    }

    /// True when products have packed all of it.
    pub fn is_packed(&self) -> bool {
        let tile = self.factor();
        let (across, depth) = if self.is_left { (tile.rows(), tile.cols()) } else { (tile.cols(), tile.rows()) };
        self.kept.is_whole(across, depth)
    }
}

impl LoadedTile<'_> {
    pub fn overlaps(&self, bytes: &Range<u64>) -> bool {
        self.to.0 < bytes.end && bytes.start < self.to.1
    }
}

impl<'p> FactorMoves<'p> {
    pub fn with_spare(spare: Vec<KeptFactor>) -> Self {
        Self { store: FactorStore::with_spare(spare), ..Self::default() }
    }

    /// True if every load and move has been made, every product executed, and no loaded tile is known.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty() && self.loads.is_empty() && self.chains.is_empty()
    }

    /// Nothing in the memory of the core matters any more.
    pub fn clear(&mut self) {
        self.loads.clear();
        while let Some(chain) = self.chains.pop() {
            self.store.recycle_chain(chain);
        }
        while !self.moves.is_empty() {
            self.drop_move(self.moves.len() - 1);
        }
    }

    /// Forgets a move, which has been made or need not be.
    pub fn drop_move(&mut self, at: usize) {
        let one = self.moves.swap_remove(at);
        let is_packed = one.is_packed();
        self.store.put(one.origin, one.kept, is_packed);
    }

    /// The loaded tile that this is.
    pub fn loaded(&self, tile: &TileRef<'p>) -> Option<usize> {
        self.loads.iter().position(|load| load.tile.is_same(tile))
    }

    /// Forgets loads into a tile that is going to be filled at least as far.
    pub fn forget_replaced_loads(&mut self, tile: &TileRef<'p>) {
        self.loads.retain(|load| !fills(tile, &load.tile));
    }

    /// Forgets moves into a tile that is going to be filled at least as far.
    pub fn forget_replaced_moves(&mut self, tile: &TileRef<'p>) {
        while let Some(at) = self.moves.iter().position(|one| fills(tile, one.factor())) {
            self.drop_move(at);
        }
    }
}

/// True when a tile covers all that is valid of another in the same place.
fn fills(tile: &TileRef, old: &TileRef) -> bool {
    let covers = tile.rows() >= old.rows() && tile.cols() >= old.cols();
    covers && old.ptr() == tile.ptr() && old.geometry() == tile.geometry()
}

/// Both factors, by the positions of their moves.
pub(super) fn kept_factors<'a>(
    moves: &'a mut [FactorMove<'_>],
    at: [Option<usize>; 2],
) -> [Option<&'a mut Arc<KeptFactor>>; 2] {
    let [mut left, mut right] = [None, None];
    for (position, one) in moves.iter_mut().enumerate() {
        if at[0] == Some(position) {
            left = Some(&mut one.kept);
        } else if at[1] == Some(position) {
            right = Some(&mut one.kept);
        }
    }
    [left, right]
}
