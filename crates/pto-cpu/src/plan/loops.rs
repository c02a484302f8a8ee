//! The loops that steps belong to.

use super::build::PlanBuilder;
use crate::prepared::{CountId, IterationCount, LoopId, PlanLoop};
use pto_ir::{BlockId, OpId};
use pto_isa::hash::FastMap;

impl PlanBuilder<'_> {
    /// The steps that follow belong to a loop, until `inside` is what it was before.
    pub fn enter_loop(&mut self, op: OpId, counting: IterationCount) -> LoopId {
        let entered = self.plan.code.loops.loops.push(PlanLoop { outer: self.inside, op, counting });
        self.inside = Some(entered);
        entered
    }

    /// A place to count iterations in.
    pub fn new_count(&mut self) -> CountId {
        self.plan.start.counts.push(0)
    }
}

/// The loops of blocks that branch to each other. A block that is branched back to stands for its loop.
#[derive(Default, Debug)]
pub(super) struct BlockLoops {
    /// The innermost loop of each block that is in one.
    pub innermost: FastMap<BlockId, BlockId>,
    /// The loop around a loop.
    pub outer: FastMap<BlockId, BlockId>,
}

impl BlockLoops {
    /// Of blocks in an order in which each comes after those that every way to it passes, with the blocks that each branches to.
    ///
    /// Inner loops are found first, and are one block for those around them. So the work does not grow with the depth.
    pub fn new(order: &[BlockId], next: impl Fn(BlockId) -> Vec<BlockId>) -> Self {
        let at: FastMap<BlockId, usize> = order.iter().copied().zip(0..).collect();
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
        for (from, block) in order.iter().enumerate() {
            next(*block).iter().filter_map(|to| at.get(to)).for_each(|to| before[*to].push(from));
        }
        let mut found = Self::default();
        // The loop that a block has become part of.
        let mut part_of: Vec<usize> = (0..order.len()).collect();
        for head in (0..order.len()).rev() {
            let back: Vec<usize> = before[head].iter().copied().filter(|from| *from >= head).collect();
            if back.is_empty() {
                continue;
            }
            found.innermost.insert(order[head], order[head]);
            let mut open = back;
            while let Some(from) = open.pop() {
                let block = whole(&mut part_of, from);
                // Blocks before the head are in no loop that it stands for.
                if block <= head {
                    continue;
                }
                part_of[block] = head;
                let is_loop = found.innermost.get(&order[block]) == Some(&order[block]);
                let list = if is_loop { &mut found.outer } else { &mut found.innermost };
                list.insert(order[block], order[head]);
                open.extend(&before[block]);
            }
        }
        found
    }
}

/// The outermost loop so far that a block is part of. Ways are made shorter, so that they stay short.
fn whole(part_of: &mut [usize], mut block: usize) -> usize {
    while part_of[block] != block {
        part_of[block] = part_of[part_of[block]];
        block = part_of[block];
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The loops of blocks that branch as these pairs say: for each block, the loops around it, the innermost first.
    fn loops(count: u32, branches: &[(u32, u32)]) -> Vec<Vec<usize>> {
        let blocks: Vec<BlockId> = (0..count).map(|n| BlockId::from_index(n as usize)).collect();
        let found = BlockLoops::new(&blocks, |block| {
            let here = branches.iter().filter(|(from, _)| *from as usize == block.index());
            here.map(|(_, to)| BlockId::from_index(*to as usize)).collect()
        });
        let around = |block: &BlockId| {
            let all = std::iter::successors(found.innermost.get(block), |head| found.outer.get(head));
            all.map(|head| head.index()).collect()
        };
        blocks.iter().map(around).collect()
    }

    #[test]
    fn blocks_behind_a_loop_are_not_in_it() {
        assert_eq!(loops(4, &[(0, 1), (1, 2), (1, 3), (3, 1)]), [vec![], vec![1], vec![], vec![1]]);
    }

    #[test]
    fn loops_are_nested() {
        let branches = [(0, 1), (1, 2), (2, 3), (3, 2), (3, 4), (4, 1), (4, 5)];
        assert_eq!(loops(6, &branches), [vec![], vec![1], vec![2, 1], vec![2, 1], vec![1], vec![]]);
        assert_eq!(loops(2, &[(0, 0), (0, 1)]), [vec![0], vec![]]);
    }

    /// Two ways into a loop: whatever it is called, every block has an end of loops.
    #[test]
    fn loops_with_two_entries_end() {
        let found = loops(4, &[(0, 1), (0, 2), (1, 2), (2, 1), (2, 3), (3, 2)]);
        assert!(found.iter().all(|around| around.len() <= 2), "{found:?}");
    }
}
