//! Products that wait to be executed together.

use crate::kernels::{KeptFactor, MOST_CHAINED, TileRef};
use crate::prepared::{KernelId, MAX_SCALARS, MAX_TILES, StepId};
use std::ops::Range;
use std::sync::Arc;

/// Words along `k` of all products of a chain: 32 columns of them stay in the nearest cache while rows pass by.
const MOST_WORDS: usize = 256;

/// Products on one accumulator that have not been executed.
pub(super) struct ProductChain<'p> {
    /// The first of them.
    pub which: KernelId,
    pub at: StepId,
    pub tiles: [TileRef<'p>; MAX_TILES],
    pub scalars: [u64; MAX_SCALARS],
    /// Bytes of the core that the sums take.
    pub to: Range<u64>,
    pub links: [Option<ChainedFactors>; MOST_CHAINED],
    pub count: usize,
    pub words: usize,
}

/// The packed factors of a product.
pub(super) struct ChainedFactors {
    pub left: Arc<KeptFactor>,
    pub right: Arc<KeptFactor>,
    pub depth: usize,
}

impl ProductChain<'_> {
    /// Its factors.
    pub fn into_factors(self) -> impl Iterator<Item = Arc<KeptFactor>> {
        self.links.into_iter().flatten().flat_map(|link| [link.left, link.right])
    }

    pub fn push(&mut self, link: ChainedFactors, words: usize) {
        self.words += words;
        self.links[self.count] = Some(link);
        self.count += 1;
    }

    /// True when nothing more should be added.
    pub fn is_full(&self) -> bool {
        self.count == MOST_CHAINED || self.words >= MOST_WORDS
    }
}
