//! Loops of basic blocks: their blocks and the branches that leave them.

use pto_ir::{BlockId, Module, OpId, RegionId, ValueId};
use pto_isa::ordered::{OrdMap, OrdSet};
use pto_isa::row::Control;
use pto_isa::sort::SharedSort;
use std::collections::HashMap;

/// Limit of single-predecessor blocks that are followed to find a condition.
const WAYS: usize = 16;

/// The branches that lead to each block.
#[derive(Debug)]
pub(crate) struct Jumps<'a> {
    module: &'a Module,
    to: HashMap<BlockId, Vec<(BlockId, OpId)>>,
}

impl<'a> Jumps<'a> {
    pub fn new(module: &'a Module) -> Self {
        let mut to: HashMap<BlockId, Vec<(BlockId, OpId)>> = HashMap::new();
        for block in module.all_blocks() {
            let Some(&last) = module.block(block).ops.last() else { continue };
            for target in module.successors(last) {
                let all = to.entry(target.block).or_default();
                if all.last() != Some(&(block, last)) {
                    all.push((block, last));
                }
            }
        }
        Self { module, to }
    }

    fn before(&self, block: BlockId) -> &[(BlockId, OpId)] {
        self.to.get(&block).map_or(&[], |all| all)
    }

    /// The possible values of a block parameter, and the conditions that choose between them.
    pub fn given(&self, block: BlockId, at: usize) -> Vec<ValueId> {
        let mut all = Vec::new();
        for (_, jump) in self.before(block) {
            let here = self.module.successors(*jump).iter().filter(|s| s.block == block);
            all.extend(here.filter_map(|s| s.args.get(at).copied()));
        }
        if all.len() > 1 {
            all.extend(self.before(block).iter().flat_map(|(from, _)| self.conditions(*from)));
        }
        all
    }

    /// The conditions under which a block is reached, along its only path.
    fn conditions(&self, mut block: BlockId) -> Vec<ValueId> {
        let mut all = Vec::new();
        for _ in 0..WAYS {
            let last = self.module.block(block).ops.last().filter(|id| self.module.successors(**id).len() > 1);
            all.extend(last.and_then(|id| self.module.operands(*id).first()).map(|o| o.value));
            match self.before(block) {
                [(from, _)] => block = *from,
                _ => break,
            }
        }
        all
    }
}

/// A loop of blocks.
#[derive(Debug)]
pub(crate) struct CyclicBlocks {
    pub blocks: OrdSet<BlockId>,
    /// The branches that may leave it: the condition of each, and the value with which it stays.
    pub exits: Vec<(OpId, ValueId, bool)>,
    /// The switches that may: the value of each, and which of its successors stay.
    pub switches: Vec<(OpId, ValueId, OrdSet<u32>)>,
}

impl CyclicBlocks {
    /// The operations inside, in text order.
    pub fn ops(&self, module: &Module) -> Vec<OpId> {
        let mut all = Vec::new();
        self.blocks.iter().for_each(|block| module.walk(*block, &mut |id| all.push(id)));
        all
    }
}

/// All loops of blocks, small ones first.
pub(crate) fn rounds(jumps: &Jumps<'_>) -> Vec<CyclicBlocks> {
    let module = jumps.module;
    let mut all: OrdSet<OrdSet<BlockId>> = OrdSet::new();
    let add = |region: &RegionId, all: &mut OrdSet<OrdSet<BlockId>>| {
        let blocks = &module.region(*region).blocks;
        if blocks.len() > 1 {
            all.extend(back_edges(module, blocks[0]).into_iter().map(|(from, head)| body(jumps, from, head)));
        }
    };
    module.walk(module.top, &mut |id| module.op_regions(id).iter().for_each(|region| add(region, &mut all)));
    let mut all: Vec<CyclicBlocks> = all.into_iter().map(|blocks| with_exits(module, blocks)).collect();
    all.shared_sort_by_key(|round| round.blocks.len());
    all
}

/// Branches back to a block on the path to them.
fn back_edges(module: &Module, entry: BlockId) -> Vec<(BlockId, BlockId)> {
    let next = |block: BlockId| {
        let last = module.block(block).ops.last();
        last.map_or(Vec::new(), |id| module.successors(*id).iter().map(|s| s.block).collect())
    };
    let (mut seen, mut on_way) = (OrdSet::from([entry]), OrdSet::from([entry]));
    let (mut open, mut back) = (vec![(entry, next(entry))], Vec::new());
    while let Some((block, left)) = open.last_mut() {
        match left.pop() {
            Some(to) if on_way.contains(&to) => back.push((*block, to)),
            Some(to) if !seen.insert(to) => {}
            Some(to) => {
                on_way.insert(to);
                open.push((to, next(to)));
            }
            None => {
                on_way.remove(block);
                open.pop();
            }
        }
    }
    back
}

/// The blocks between the head of a loop and a branch back to it.
fn body(jumps: &Jumps<'_>, from: BlockId, head: BlockId) -> OrdSet<BlockId> {
    let (mut inside, mut open) = (OrdSet::from([head]), vec![from]);
    while let Some(block) = open.pop() {
        if inside.insert(block) {
            open.extend(jumps.before(block).iter().map(|(before, _)| *before));
        }
    }
    inside
}

fn with_exits(module: &Module, blocks: OrdSet<BlockId>) -> CyclicBlocks {
    let (mut exits, mut switches) = (Vec::new(), Vec::new());
    for block in &blocks {
        let Some(&id) = module.block(*block).ops.last() else { continue };
        let Some(decides) = module.operands(id).first().map(|o| o.value) else { continue };
        let stays: Vec<bool> = module.successors(id).iter().map(|s| blocks.contains(&s.block)).collect();
        if stays.iter().all(|s| *s) || !stays.contains(&true) {
            continue;
        }
        match (module.control(id), &stays[..]) {
            (Some(Control::CondBranch), [yes, _]) => exits.push((id, decides, *yes)),
            (Some(Control::Switch), _) => {
                let inside = (0..).zip(&stays).filter(|(_, stays)| **stays).map(|(at, _)| at);
                switches.push((id, decides, inside.collect()));
            }
            _ => {}
        }
    }
    CyclicBlocks { blocks, exits, switches }
}

/// The result with which each branch stays in the smallest loop that it can leave.
pub(crate) fn stays(rounds: &[CyclicBlocks]) -> OrdMap<OpId, bool> {
    let mut all = OrdMap::new();
    for (id, _, stays) in rounds.iter().flat_map(|round| &round.exits) {
        all.entry(*id).or_insert(*stays);
    }
    all
}

/// A branch with several targets.
#[derive(Clone, Debug)]
pub(crate) struct BlockWays {
    /// The successors with which it stays in the smallest loop that it can leave.
    pub stays: OrdSet<u32>,
    pub default: u32,
    /// The loop does not depend on it alone, so the program may continue without the awaited value.
    pub may_go_on: bool,
}

/// The switches of a program.
pub(crate) fn switches(module: &Module, rounds: &[CyclicBlocks]) -> OrdMap<OpId, BlockWays> {
    let mut all = OrdMap::new();
    module.walk(module.top, &mut |id| {
        if let Some(Control::Switch | Control::IndexSwitch) = module.control(id) {
            let to = module.successors(id);
            let default = to.iter().find(|s| s.case.is_none()).map(|s| s.block);
            let default = to.iter().position(|s| Some(s.block) == default).unwrap_or(0) as u32;
            all.insert(id, BlockWays { stays: OrdSet::new(), default, may_go_on: true });
        }
    });
    for round in rounds.iter().rev() {
        let alone = round.exits.is_empty() && round.switches.len() == 1;
        for (id, _, stays) in &round.switches {
            let Some(ways) = all.get_mut(id) else { continue };
            let leaves = module.successors(*id).len() - stays.len();
            ways.may_go_on = !(alone && leaves == 1 && stays.contains(&ways.default));
            ways.stays.clone_from(stays);
        }
    }
    all
}
