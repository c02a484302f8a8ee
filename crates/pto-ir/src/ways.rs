//! Aliases of values through branches, loops, calls and casts.

use crate::{BlockId, Module, OpId, RegionId, ValueId};
use pto_isa::hash::{FastMap, FastSet};
use pto_isa::row::{Arith, Control, Meaning, Storage};

impl Module {
    /// Every pair of values of which the second is, or may be, an alias of the first.
    ///
    /// ```
    /// assert!(pto_ir::Module::default().ways().is_empty());
    /// ```
    pub fn ways(&self) -> Vec<(ValueId, ValueId)> {
        let mut ways = Vec::new();
        let calls = self.calls();
        for id in self.order() {
            self.ways_of(id, &calls, &mut |from, to| ways.extend(from.iter().copied().zip(to.iter().copied())));
        }
        ways
    }

    fn ways_of(&self, id: OpId, calls: &FastMap<OpId, OpId>, hand: &mut impl FnMut(&[ValueId], &[ValueId])) {
        let operands: Vec<ValueId> = self.operands(id).iter().map(|o| o.value).collect();
        let results: Vec<ValueId> = self.results(id).collect();
        let regions = self.op_regions(id);
        for successor in self.successors(id) {
            hand(&successor.args, &self.block(successor.block).args);
        }
        match self.meaning(id) {
            Meaning::Storage(Storage::BufferCast | Storage::BufferWindow) => {
                hand(&operands[..operands.len().min(1)], &results);
            }
            Meaning::Arith(Arith::Select) => operands.iter().skip(1).for_each(|v| hand(&[*v], &results)),
            Meaning::Control(Control::For) => {
                let Some(&body) = regions.first() else { return };
                let (first, carried) = (operands.get(3..).unwrap_or_default(), self.starts(body, 1));
                for values in self.ends(body).iter().map(Vec::as_slice).chain([first]) {
                    hand(values, &carried);
                    hand(values, &results);
                }
            }
            Meaning::Control(Control::While) => {
                let [before, after] = regions[..] else { return };
                hand(&operands, &self.starts(before, 0));
                for values in self.ends(before) {
                    hand(&values, &self.starts(after, 0));
                    hand(&values, &results);
                }
                self.ends(after).iter().for_each(|values| hand(values, &self.starts(before, 0)));
            }
            Meaning::Control(Control::Call) => {
                let Some(&body) = calls.get(&id).and_then(|f| self.op_regions(*f).first()) else { return };
                hand(&operands, &self.starts(body, 0));
                self.ends(body).iter().for_each(|values| hand(values, &results));
            }
            Meaning::Control(Control::Function) => {}
            _ => regions.iter().flat_map(|r| self.ends(*r)).for_each(|values| hand(&values, &results)),
        }
    }

    /// The blocks of a region that are on a cycle, or between two cycles. No other block is executed twice.
    ///
    /// ```
    /// assert!(pto_ir::Module::default().rounds(&[]).is_empty());
    /// ```
    pub fn rounds(&self, blocks: &[BlockId]) -> FastSet<BlockId> {
        let (mut into, mut out) = (FastMap::<BlockId, usize>::default(), FastMap::<BlockId, usize>::default());
        let mut before: FastMap<BlockId, Vec<BlockId>> = FastMap::default();
        for block in blocks {
            for next in self.next_blocks(*block) {
                *out.entry(*block).or_default() += 1;
                *into.entry(next).or_default() += 1;
                before.entry(next).or_default().push(*block);
            }
        }
        // Repeatedly removes blocks without predecessors or without successors: they are on no cycle.
        let mut left: FastSet<BlockId> = blocks.iter().copied().collect();
        let is_none = |counts: &FastMap<BlockId, usize>, b: &BlockId| counts.get(b).is_none_or(|count| *count == 0);
        let mut open: Vec<BlockId> = blocks.iter().copied().filter(|b| is_none(&into, b) || is_none(&out, b)).collect();
        while let Some(block) = open.pop() {
            if !left.remove(&block) {
                continue;
            }
            for next in self.next_blocks(block) {
                into.entry(next).and_modify(|count| *count = count.saturating_sub(1));
                open.extend(Some(next).filter(|b| is_none(&into, b)));
            }
            for last in before.get(&block).into_iter().flatten() {
                out.entry(*last).and_modify(|count| *count = count.saturating_sub(1));
                open.extend(Some(*last).filter(|b| is_none(&out, b)));
            }
        }
        left
    }

    /// The blocks that the end of a block may jump to.
    pub(crate) fn next_blocks(&self, block: BlockId) -> impl Iterator<Item = BlockId> {
        let end = self.block(block).ops.last();
        end.map_or(&[][..], |end| self.successors(*end)).iter().map(|s| s.block)
    }

    /// The parameters of a region behind the first ones.
    pub(crate) fn starts(&self, region: RegionId, skip: usize) -> Vec<ValueId> {
        let first = self.region(region).blocks.first();
        first.map_or_else(Vec::new, |b| self.block(*b).args.iter().skip(skip).copied().collect())
    }

    /// What the blocks of a region end with, without the condition of a loop.
    pub(crate) fn ends(&self, region: RegionId) -> Vec<Vec<ValueId>> {
        let last = self.region(region).blocks.iter().filter_map(|b| self.block(*b).ops.last());
        last.filter(|end| self.successors(**end).is_empty())
            .map(|end| {
                let skip = usize::from(self.control(*end) == Some(Control::Condition));
                self.operands(*end).iter().skip(skip).map(|o| o.value).collect()
            })
            .collect()
    }
}
