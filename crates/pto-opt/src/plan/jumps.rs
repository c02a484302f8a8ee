//! Tiles that are live in blocks outside of the text range of their accesses.
//!
//! A tile keeps its bytes from the first access in the text to the last. If jumps leave that range and return while the tile is live, it
//! needs its bytes throughout. Liveness is computed for 64 tiles at a time.

use super::live::{TileAccess, TileAccesses};
use crate::order::OpPositions;
use pto_ir::{BlockId, Module, OpId, ValueId};
use pto_isa::hash::{FastMap, FastSet};
use pto_isa::ordered::OrdMap;

/// Tiles with the operations around the blocks in which they are live throughout.
pub(super) fn needed_everywhere(
    module: &Module,
    order: &OpPositions,
    tiles: &OrdMap<ValueId, Vec<TileAccess>>,
) -> FastSet<(ValueId, OpId)> {
    let mut tangled: OrdMap<OpId, Vec<(ValueId, &[TileAccess])>> = OrdMap::new();
    for (tile, list) in tiles {
        let accesses = TileAccesses { order, list };
        for around in accesses.all_loops().into_iter().filter(|around| is_tangled(module, *around)) {
            tangled.entry(around).or_default().push((*tile, &list[accesses.inside(around)]));
        }
    }
    let mut found = FastSet::default();
    for (around, tiles) in tangled {
        let jumps = JumpGraph::of(module, order, around);
        for tiles in tiles.chunks(64) {
            let word = jumps.needed(tiles);
            let needed = tiles.iter().enumerate().filter(|(k, _)| word >> k & 1 == 1);
            found.extend(needed.map(|(_, (tile, _))| (*tile, around)));
        }
    }
    found
}

fn is_tangled(module: &Module, id: OpId) -> bool {
    module.op_regions(id).iter().any(|r| module.region(*r).blocks.len() > 1)
}

/// The blocks of an operation, in text order.
struct JumpGraph<'a> {
    order: &'a OpPositions,
    around: OpId,
    /// Where blocks begin and end.
    starts: Vec<u32>,
    ends: Vec<u32>,
    next: Vec<Vec<usize>>,
    /// The blocks, mostly in postorder.
    last_first: Vec<usize>,
}

impl<'a> JumpGraph<'a> {
    fn of(module: &Module, order: &'a OpPositions, around: OpId) -> Self {
        let blocks = module.op_regions(around).iter().flat_map(|r| module.region(*r).blocks.iter().copied());
        let blocks: Vec<BlockId> = blocks.filter(|b| !module.block(*b).ops.is_empty()).collect();
        let places: FastMap<BlockId, usize> = blocks.iter().enumerate().map(|(k, b)| (*b, k)).collect();
        let ops = |block: &BlockId| &module.block(*block).ops;
        let next = |block: &BlockId| {
            let jumps = ops(block).last().map_or(&[][..], |end| module.successors(*end));
            jumps.iter().filter_map(|s| places.get(&s.block).copied()).collect()
        };
        let next: Vec<Vec<usize>> = blocks.iter().map(next).collect();
        let starts = blocks.iter().map(|b| ops(b).first().map_or(0, |id| order.first(*id))).collect();
        let ends = blocks.iter().map(|b| ops(b).last().map_or(0, |id| order.last(*id))).collect();
        Self { order, around, starts, ends, last_first: last_first(&next), next }
    }

    /// Which of up to 64 tiles are live outside of the range of their accesses.
    fn needed(&self, tiles: &[(ValueId, &[TileAccess])]) -> u64 {
        let count = self.starts.len();
        let (mut live, mut written, mut at_end) = (vec![0u64; count], vec![0u64; count], vec![0u64; count]);
        for (k, (_, list)) in tiles.iter().enumerate() {
            let mut last = None;
            for access in *list {
                let block = self.starts.partition_point(|start| *start <= self.order.first(access.op));
                let Some(block) = block.checked_sub(1) else { continue };
                if access.kills && self.order.parent(access.op) == Some(self.around) {
                    written[block] |= 1 << k;
                } else if last != Some(block) {
                    live[block] |= 1 << k;
                }
                last = Some(block);
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &k in &self.last_first {
                at_end[k] = self.next[k].iter().fold(0, |all, to| all | live[*to]);
                let word = live[k] | at_end[k] & !written[k];
                changed |= word != live[k];
                live[k] = word;
            }
        }
        let outside = |points: &[u32], live: &[u64]| {
            let covered = self.covered(points, tiles);
            live.iter().zip(covered).fold(0, |all, (live, covered)| all | live & !covered)
        };
        outside(&self.starts, &live) | outside(&self.ends, &at_end)
    }

    /// Which tiles have accesses before and after each of some positions.
    fn covered(&self, points: &[u32], tiles: &[(ValueId, &[TileAccess])]) -> Vec<u64> {
        let mut words = vec![0u64; points.len() + 1];
        for (k, (_, list)) in tiles.iter().enumerate() {
            let (Some(first), Some(last)) = (list.first(), list.last()) else { continue };
            let (first, last) = (self.order.first(first.op), self.order.first(last.op));
            words[points.partition_point(|at| *at < first)] ^= 1 << k;
            words[points.partition_point(|at| *at <= last)] ^= 1 << k;
        }
        let mut open = 0;
        words.pop();
        words.iter_mut().for_each(|word| {
            open ^= *word;
            *word = open;
        });
        words
    }
}

/// The nodes of a graph in postorder.
fn last_first(next: &[Vec<usize>]) -> Vec<usize> {
    let (mut met, mut order) = (vec![false; next.len()], Vec::new());
    for first in 0..next.len() {
        let mut open = vec![(first, 0)];
        while let Some((node, at)) = open.pop() {
            if at == 0 && std::mem::replace(&mut met[node], true) {
                continue;
            }
            match next[node].get(at) {
                Some(&to) => open.extend([(node, at + 1), (to, 0)]),
                None => order.push(node),
            }
        }
    }
    order
}
