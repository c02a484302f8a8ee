//! Buffers that loops of blocks allocate anew in every iteration and pass on. Such loops carry no copies.
//!
//! A buffer must not be allocated while an alias of it from an earlier iteration is live. Aliases and liveness are computed for 64 values
//! at a time, so that long loops take little more time than short ones.

use super::anew::{Ways, made_inside, reached};
use super::uses::BodyUses;
use crate::{BlockId, Module, OpId, ValueId};
use pto_isa::Targets;
use pto_isa::hash::{FastMap, FastSet};
use pto_isa::ordered::OrdSet;

/// True when a loop of blocks allocates a buffer anew while one of an earlier iteration, which it passed on, is still used.
pub(super) fn is_made_early(module: &Module, targets: Targets, ways: &Ways, id: OpId) -> bool {
    let mut lists = module.op_regions(id).iter().map(|r| &module.region(*r).blocks).filter(|blocks| blocks.len() > 1);
    lists.any(|blocks| {
        // There is no earlier iteration elsewhere.
        let again = module.rounds(blocks);
        let made = |block: &BlockId| {
            let made = if again.contains(block) { made_inside(module, &[*block]) } else { Vec::new() };
            made.into_iter().filter(|v| ways.onward.contains_key(v)).collect()
        };
        let made: Vec<Vec<ValueId>> = blocks.iter().map(made).collect();
        if made.iter().all(Vec::is_empty) {
            return false;
        }
        let round = CyclePass::of(module, ways, blocks);
        let origins = ways.all_origins(module);
        round.names.chunks(64).any(|names| {
            let values: Vec<ValueId> = names.iter().map(|name| name.value).collect();
            let (led, live) = (origins.of_values(&values), round.live(names));
            let makers = made.iter().enumerate().filter(|(block, _)| live.at_start[*block] != 0);
            makers.flat_map(|(block, buffers)| buffers.iter().map(move |b| (block, *b))).any(|(block, buffer)| {
                let old = led.names(buffer) & live.at_start[block];
                let values: Vec<ValueId> =
                    (0..64).zip(&values).filter(|(k, _)| old >> k & 1 == 1).map(|(_, v)| *v).collect();
                old & live.at_end[block] != 0 || (old != 0 && round.clashes(targets, (block, buffer), &values))
            })
        })
    })
}

/// A parameter or result of one of the blocks that is an alias.
struct Name {
    value: ValueId,
    home: usize,
    is_param: bool,
}

/// Which of up to 64 values are live in each block.
struct Live {
    /// Including the parameters of the block.
    at_start: Vec<u64>,
    at_end: Vec<u64>,
}

/// Blocks of a loop, analysed once. They are identified by their index in the list.
struct CyclePass<'a> {
    module: &'a Module,
    ways: &'a Ways,
    blocks: &'a [BlockId],
    next: Vec<Vec<usize>>,
    /// The blocks, mostly in postorder.
    last_first: Vec<usize>,
    params: FastSet<ValueId>,
    /// Values that something uses, directly or through an alias.
    needed: OrdSet<ValueId>,
    /// The blocks that use a value, including inside of operations.
    users: FastMap<ValueId, Vec<usize>>,
    names: Vec<Name>,
}

impl<'a> CyclePass<'a> {
    fn of(module: &'a Module, ways: &'a Ways, blocks: &'a [BlockId]) -> Self {
        let places: FastMap<BlockId, usize> = blocks.iter().enumerate().map(|(k, b)| (*b, k)).collect();
        let next = |b: &BlockId| module.next_blocks(*b).filter_map(|to| places.get(&to).copied()).collect();
        let next: Vec<Vec<usize>> = blocks.iter().map(next).collect();
        let (mut params, mut names) = (FastSet::default(), Vec::new());
        let mut users: FastMap<ValueId, Vec<usize>> = FastMap::default();
        let needed = needed(module, ways, blocks);
        for (home, &block) in blocks.iter().enumerate() {
            let inner = module.block(block);
            params.extend(inner.args.iter().copied());
            let results = inner.ops.iter().flat_map(|id| module.results(*id)).map(|v| (v, false));
            let values = inner.args.iter().map(|v| (*v, true)).chain(results);
            let values = values.filter(|(v, _)| ways.back.contains_key(v));
            names.extend(values.map(|(value, is_param)| Name { value, home, is_param }));
            module.walk(block, &mut |id| {
                let handed = handed(module, id).filter(|(_, to)| needed.contains(to)).map(|(value, _)| value);
                for value in module.operands(id).iter().map(|o| o.value).chain(handed) {
                    let list = users.entry(value).or_default();
                    if list.last() != Some(&home) {
                        list.push(home);
                    }
                }
            });
        }
        Self { module, ways, blocks, last_first: last_first(&next), next, params, needed, users, names }
    }

    /// The blocks other than its own that use a value.
    fn users(&self, value: ValueId, home: usize) -> impl Iterator<Item = usize> {
        self.users.get(&value).into_iter().flatten().copied().filter(move |user| *user != home)
    }

    fn live(&self, names: &[Name]) -> Live {
        let count = self.blocks.len();
        let (mut live, mut made, mut params) = (vec![0u64; count], vec![0u64; count], vec![0u64; count]);
        let mut at_end = vec![0u64; count];
        for (k, name) in names.iter().enumerate() {
            made[name.home] |= 1 << k;
            params[name.home] |= u64::from(name.is_param) << k;
            self.users(name.value, name.home).for_each(|user| live[user] |= 1 << k);
        }
        let mut changed = live.iter().any(|word| *word != 0);
        while changed {
            changed = false;
            for &k in &self.last_first {
                at_end[k] = self.next[k].iter().fold(0, |all, to| all | live[*to]);
                let word = live[k] | at_end[k] & !made[k];
                changed |= word != live[k];
                live[k] = word;
            }
        }
        live.iter_mut().zip(params).for_each(|(word, params)| *word |= params);
        Live { at_start: live, at_end }
    }

    /// True when a block allocates a buffer while old aliases of it are still used in the block, or passed on, or aliases made of them are
    /// used after it.
    fn clashes(&self, targets: Targets, (block, buffer): (usize, ValueId), old: &[ValueId]) -> bool {
        let here = |from: &[ValueId]| {
            reached(from.iter().copied(), |v| self.ways.next(v).filter(|to| !self.params.contains(to)).collect())
        };
        let (old, own) = (here(old), here(&[buffer]));
        let inner = self.module.block(self.blocks[block]);
        let mut results = inner.ops.iter().flat_map(|id| self.module.results(*id)).filter(|v| old.contains(v));
        let mut handed = inner.ops.last().into_iter().flat_map(|end| handed(self.module, *end));
        handed.any(|(v, to)| old.contains(&v) && self.needed.contains(&to))
            || results.any(|v| self.users(v, block).next().is_some())
            || BodyUses::of(self.module, &[self.blocks[block]]).is_overwritten(targets, &old, &own)
    }
}

/// The arguments of a jump, with the parameters of its target.
fn handed(module: &Module, id: OpId) -> impl Iterator<Item = (ValueId, ValueId)> {
    let pairs = |s: &'_ crate::Successor| -> Vec<_> {
        s.args.iter().copied().zip(module.block(s.block).args.iter().copied()).collect()
    };
    module.successors(id).iter().flat_map(pairs)
}

/// The values that operations in blocks use, directly or through aliases.
fn needed(module: &Module, ways: &Ways, blocks: &[BlockId]) -> OrdSet<ValueId> {
    let mut used = Vec::new();
    blocks
        .iter()
        .for_each(|block| module.walk(*block, &mut |id| used.extend(module.operands(id).iter().map(|o| o.value))));
    reached(used, |v| ways.back.get(&v).cloned().unwrap_or_default())
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
