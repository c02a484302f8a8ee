//! What is known of moves that are left out.

use crate::kernels::{KeptFactor, TileRef};
use crate::prepared::{KernelId, StepId};
use std::ops::Range;

/// Moves that are left out so far.
#[derive(Default)]
pub(super) struct FactorMoves<'p> {
    pub moves: Vec<FactorMove<'p>>,
    /// Those that are not needed any more, for their memory.
    pub spare: Vec<KeptFactor>,
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
    pub kept: KeptFactor,
    pub is_left: bool,
}

impl<'p> FactorMove<'p> {
    /// The factor.
    pub fn factor(&self) -> &TileRef<'p> {
        &self.tiles[1]
    }
}

impl FactorMoves<'_> {
    /// True if every move has been made.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Nothing in memory matters any more.
    pub fn clear(&mut self) {
        while !self.moves.is_empty() {
            self.drop_move(self.moves.len() - 1);
        }
    }

    /// Forgets a move, which has been made or need not be.
    pub fn drop_move(&mut self, at: usize) {
        let mut kept = self.moves.swap_remove(at).kept;
        kept.clear();
        self.spare.push(kept);
    }
}

/// Both factors, by the positions of their moves.
pub(super) fn kept_factors<'a>(
    moves: &'a mut [FactorMove<'_>],
    at: [Option<usize>; 2],
) -> [Option<&'a mut KeptFactor>; 2] {
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
