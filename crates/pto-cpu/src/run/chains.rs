//! Products that follow each other on the same sums, executed together.
//!
//! A product reads and writes all its sums, which takes longer than a few steps of `k`. So the engine packs factors when a product is
//! due, and multiplies when there are several, or when anything else looks at the sums. Sums take in the same products in the same order.

#![expect(unsafe_code, reason = "kernels are called later than they were prepared")]

use super::core::Core;
use super::factor_moves::kept_factors;
use super::factors::FACTORS;
use super::fail::Fail;
use super::product_chain::{ChainedFactors, ProductChain};
use crate::kernels::{MOST_CHAINED, NextFactors, TileRef, chaining, packing};
use crate::prepared::{KernelId, StepId};
use std::ops::Range;

/// Positions among the tiles of a product: what it adds to, and the sums.
const SUMS: [usize; 2] = [3, 0];

/// Accumulators with a chain. The memory of accumulators is small.
const MOST: usize = 4;

/// Chains that a product started and no other continued, after which it starts no more.
const MOST_LONELY: u8 = 4;

impl<'p> Core<'p> {
    /// Adds a product to a chain, or starts one with it; false if it has to be executed at once.
    pub fn chain(&mut self, which: KernelId, at: StepId) -> Result<bool, Fail> {
        let kept = FACTORS.map(|operand| self.kept_factor(operand));
        let step = &self.plan.calls.kernels[which];
        let tiles = self.issue.tiles;
        let (dst, acc) = (tiles[SUMS[1]], tiles[SUMS[0]]);
        let is_alone = |operand: &usize| !FACTORS.contains(operand) && !SUMS.contains(operand);
        let mut others = (0..step.tiles.len()).filter(is_alone);
        let is_plain = others.all(|operand| !tiles[operand].is_present()) && (!acc.is_present() || acc.is_same(&dst));
        let (Some(register), [Some(_), Some(_)], true) = (step.tiles[SUMS[1]].register, kept, is_plain) else {
            return Ok(false);
        };
        let to = self.bytes_of(&self.regs.tiles[register]);
        let chain = self.chain_of(which, &dst, acc.is_present())?;
        if chain.is_none() {
            self.execute_chains_in(&to)?;
            if self.local.moves.lonely.get(&which).is_some_and(|count| *count >= MOST_LONELY) {
                return Ok(false);
            }
            if self.local.moves.chains.len() == MOST {
                self.execute_chain(0)?;
            }
        }
        self.use_sources(kept);
        let words = self.pack(which, kept, chain.is_none());
        let redirected = std::mem::replace(&mut self.issue.tiles, tiles);
        if words == 0 {
            if chain.is_none() {
                self.note_lonely(which, true);
            }
            return chain.map_or(Ok(()), |chain| self.execute_chain(chain)).map(|()| false);
        }
        let moves = &mut self.local.moves;
        let [Some(left), Some(right)] = kept_factors(&mut moves.moves, kept) else { return Ok(false) };
        let depth = redirected[FACTORS[0]].cols();
        let link = ChainedFactors { left: left.clone(), right: right.clone(), depth };
        let chain = chain.unwrap_or_else(|| {
            let (tiles, scalars) = (redirected, self.issue.scalars);
            let links = [const { None }; MOST_CHAINED];
            moves.chains.push(ProductChain { which, at, tiles, scalars, to, links, count: 0, words: 0 });
            moves.chains.len() - 1
        });
        moves.chains[chain].push(link, words);
        if moves.chains[chain].is_full() {
            self.execute_chain(chain)?;
        }
        Ok(true)
    }

    /// The chain that a product continues. One that it does not continue is executed, or forgotten if its sums are replaced.
    fn chain_of(&mut self, which: KernelId, dst: &TileRef, continues: bool) -> Result<Option<usize>, Fail> {
        let same = |chain: &ProductChain| chain.tiles[SUMS[1]].is_same(dst);
        let Some(at) = self.local.moves.chains.iter().position(same) else { return Ok(None) };
        if !continues {
            let chain = self.local.moves.chains.swap_remove(at);
            self.local.moves.store.recycle_chain(chain);
            return Ok(None);
        }
        let (chain, step) = (&self.local.moves.chains[at], &self.plan.calls.kernels[which]);
        let size = |tiles: &[TileRef]| (tiles[FACTORS[0]].rows(), tiles[FACTORS[1]].cols());
        let scalars = step.scalars.len();
        let fits = self.plan.calls.kernels[chain.which].code.is_same(&step.code)
            && chain.scalars[..scalars] == self.issue.scalars[..scalars]
            && size(&chain.tiles) == size(&self.issue.tiles);
        if fits {
            return Ok(Some(at));
        }
        self.execute_chain(at).map(|()| None)
    }

    /// Packs the factors of a product: its words along `k`, 0 if it cannot be executed later.
    fn pack(&mut self, which: KernelId, kept: [Option<usize>; 2], is_first: bool) -> usize {
        let step = &self.plan.calls.kernels[which];
        let (tiles, views, scalars) = self.issue.operands(step);
        let [Some(left), Some(right)] = kept_factors(&mut self.local.moves.moves, kept) else { return 0 };
        packing([left, right], is_first, || {
            // SAFETY: as in `Core::kernel`; a source is valid where its destination is. A fault comes again when the product is executed.
            let _ = unsafe { step.code.call(tiles, views, scalars) };
        })
    }

    /// Notes whether a product started a chain that no other continued.
    fn note_lonely(&mut self, which: KernelId, is_lonely: bool) {
        let lonely = self.local.moves.lonely.entry(which).or_default();
        *lonely = if is_lonely { lonely.saturating_add(1) } else { 0 };
    }

    /// Executes all chains.
    pub fn execute_chains(&mut self) -> Result<(), Fail> {
        while !self.local.moves.chains.is_empty() {
            self.execute_chain(0)?;
        }
        Ok(())
    }

    /// Executes the chains whose sums have some of these bytes.
    pub fn execute_chains_in(&mut self, bytes: &Range<u64>) -> Result<(), Fail> {
        let overlaps = |chain: &ProductChain| chain.to.start < bytes.end && bytes.start < chain.to.end;
        while let Some(at) = self.local.moves.chains.iter().position(overlaps) {
            self.execute_chain(at)?;
        }
        Ok(())
    }

    fn execute_chain(&mut self, at: usize) -> Result<(), Fail> {
        let chain = self.local.moves.chains.swap_remove(at);
        self.note_lonely(chain.which, chain.count == 1);
        let mut links = chain.links.iter().flatten();
        let Some(first) = links.next() else { return Ok(()) };
        let mut next = [NextFactors::new(&first.left, &first.right, first.depth); MOST_CHAINED];
        for (next, link) in next.iter_mut().zip(links) {
            *next = NextFactors::new(&link.left, &link.right, link.depth);
        }
        let step = &self.plan.calls.kernels[chain.which];
        let (tiles, scalars) = (&chain.tiles[..step.tiles.len()], &chain.scalars[..step.scalars.len()]);
        let done = chaining([&first.left, &first.right], &next[..chain.count - 1], || {
            // SAFETY: the operands were resolved when the product was due. Its factors are packed; nothing has touched its sums since then.
            // Memory of a core is neither moved nor freed while it runs.
            unsafe { step.code.call(tiles, &[], scalars) }
        });
        let at = chain.at;
        self.local.moves.store.recycle_chain(chain);
        done.map_err(|fault| {
            self.issue.pipes.failed_at = Some(at);
            Fail::Fault(Box::new(fault), None)
        })
    }
}
