//! Buffers that every turn of a loop makes anew and hands on.
//!
//! Such a buffer has one place. While the next turn still reads what it was handed, it must not make its own there: then the loop carries what the
//! buffer holds, as it does for values.

use crate::{BlockId, Module, OpId, Operand, ValueId};
use pto_isa::row::{Control, Effect, Storage};
use pto_isa::{Targets, Type};
use std::collections::{BTreeSet, HashMap, HashSet};

/// True when a program has to be converted: it has tile values, or loops that must hand on what their buffers hold.
pub(super) fn are_needed(module: &Module, contents: &BTreeSet<ValueId>) -> bool {
    let is_value = |k: usize| matches!(module.value_type(ValueId::from_index(k)), Type::Tile(_));
    // A result may also be written with the type of a buffer.
    !contents.is_empty()
        || module.order().iter().any(|id| module.is_value_form(*id))
        || (0..module.value_count()).any(is_value)
}

/// Parameters and results of loops that stand for what a buffer holds.
pub(super) fn all_contents(module: &Module, targets: Targets, ways: &Ways) -> BTreeSet<ValueId> {
    module.order().iter().flat_map(|id| contents(module, targets, ways, *id)).collect()
}

/// Which values are, or may be, others under another name.
pub(super) struct Ways {
    onward: HashMap<ValueId, Vec<ValueId>>,
    back: HashMap<ValueId, Vec<ValueId>>,
}

impl Ways {
    pub(super) fn of(module: &Module) -> Self {
        let (mut onward, mut back) = (HashMap::<_, Vec<_>>::new(), HashMap::<_, Vec<_>>::new());
        for (from, to) in all_ways(module) {
            onward.entry(from).or_default().push(to);
            back.entry(to).or_default().push(from);
        }
        Self { onward, back }
    }

    fn next(&self, value: ValueId) -> impl Iterator<Item = ValueId> {
        self.onward.get(&value).into_iter().flatten().copied()
    }

    /// All names of buffers: windows, other types, and what branches hand on, but for some that stand for another buffer.
    fn names(&self, values: impl IntoIterator<Item = ValueId>, others: &HashSet<ValueId>) -> BTreeSet<ValueId> {
        reached(values, |v| self.next(v).filter(|to| !others.contains(to)).collect())
    }

    /// What a value may be a name of.
    fn origins(&self, value: ValueId, others: &HashSet<ValueId>) -> BTreeSet<ValueId> {
        let before = |v: ValueId| self.back.get(&v).filter(|_| !others.contains(&v)).into_iter().flatten().copied();
        reached([value], |v| before(v).collect())
    }
}

/// Parameters and results of a loop that must carry what a buffer holds, because a turn makes that buffer anew too early.
fn contents(module: &Module, targets: Targets, ways: &Ways, id: OpId) -> BTreeSet<ValueId> {
    let skip = match module.control(id) {
        Some(Control::For) => 1,
        Some(Control::While) => 0,
        _ => return BTreeSet::new(),
    };
    let blocks: Vec<BlockId> = module.op_regions(id).iter().flat_map(|r| module.region(*r).blocks.clone()).collect();
    let (Some(&first), Some(&last)) = (blocks.first(), blocks.last()) else { return BTreeSet::new() };
    let args = &module.block(first).args[skip.min(module.block(first).args.len())..];
    let Some(&end) = module.block(last).ops.last() else { return BTreeSet::new() };
    let handed: Vec<ValueId> = module.operands(end).iter().map(|o| o.value).collect();
    if handed.is_empty() || args.is_empty() {
        return BTreeSet::new();
    }
    let made: HashSet<ValueId> = made_inside(module, &blocks).into_iter().collect();
    if made.is_empty() {
        return BTreeSet::new();
    }
    // What the next turn is handed is another buffer.
    let handed_on = &module.block(first).args.iter().copied().collect();
    let elsewhere = &elsewhere(module, ways, id, &blocks);
    let clashes = |(arg, next): &(&ValueId, &ValueId)| {
        // What is handed on may be made inside under another name: as one side of a branch, or with another type.
        let origins = ways.origins(**next, handed_on).into_iter().filter(|v| made.contains(v));
        let next = ways.names(origins, elsewhere);
        !next.is_empty() && is_overwritten(module, targets, &ways.names([**arg], elsewhere), &next, &blocks)
    };
    let mut found: BTreeSet<ValueId> = args.iter().zip(&handed).filter(clashes).map(|(arg, _)| *arg).collect();
    if found.is_empty() {
        return found;
    }
    // Whatever these become is contents too, in this loop; a turn later it is in another buffer.
    let here: BTreeSet<ValueId> =
        blocks.iter().flat_map(|b| module.block(*b).args.clone()).chain(module.results(id)).collect();
    let mut open: Vec<ValueId> = found.iter().copied().collect();
    while let Some(value) = open.pop() {
        let names = ways.names([value], elsewhere);
        let next = names.into_iter().flat_map(|name| ways.next(name)).filter(|to| here.contains(to));
        open.extend(next.filter(|to| found.insert(*to)));
    }
    let results: Vec<ValueId> = module.results(id).collect();
    let same =
        args.iter().zip(&results).filter(|(arg, _)| module.control(id) == Some(Control::For) && found.contains(arg));
    let same: Vec<ValueId> = same.map(|(_, result)| *result).collect();
    found.extend(same);
    found
}

/// Names of what a loop makes that need not be followed: what the next turn is handed, which is another buffer, and what the loop results in, unless
/// that may come back to the loop as something from around it.
fn elsewhere(module: &Module, ways: &Ways, id: OpId, blocks: &[BlockId]) -> HashSet<ValueId> {
    let mut inside: HashSet<ValueId> = blocks.iter().flat_map(|b| module.block(*b).args.iter().copied()).collect();
    let mut used = HashSet::new();
    module.walk_inside(id, &mut |inner| {
        let nested = module.op_regions(inner).iter().flat_map(|r| &module.region(*r).blocks);
        inside.extend(nested.flat_map(|b| module.block(*b).args.iter().copied()).chain(module.results(inner)));
        used.extend(module.operands(inner).iter().map(|o| o.value));
    });
    let is_local = |v: &ValueId| {
        !matches!(module.value_type(*v), Type::Ptr(..) | Type::TensorView(_) | Type::PartitionView(_) | Type::Scalar(_))
    };
    let comes_back = used.difference(&inside).any(|v| ways.back.contains_key(v) && is_local(v));
    let first = blocks.first().into_iter().flat_map(|b| module.block(*b).args.iter().copied());
    first.chain(module.results(id).filter(|_| !comes_back)).collect()
}

/// True when blocks that are jumped between make a buffer anew while one of an earlier round, which they handed on, is still used. Such rounds
/// carry no copies.
pub(super) fn is_made_early(module: &Module, targets: Targets, ways: &Ways, id: OpId) -> bool {
    let lists = module.op_regions(id).iter().map(|r| &module.region(*r).blocks).filter(|blocks| blocks.len() > 1);
    lists.into_iter().any(|blocks| {
        let jumps = Jumps::of(module, blocks);
        // There is no earlier round elsewhere.
        let again = module.rounds(blocks);
        blocks.iter().filter(|block| again.contains(block)).any(|block| {
            let made = made_inside(module, &[*block]);
            made.into_iter().any(|buffer| is_used_late(module, targets, ways, &jumps, (*block, buffer)))
        })
    })
}

/// Blocks that are jumped between, looked through once.
struct Jumps {
    /// The parameters of blocks.
    params: HashMap<ValueId, BlockId>,
    /// The blocks that use a value, also inside of operations.
    users: HashMap<ValueId, Vec<BlockId>>,
    /// The round that a block is in; those that lead to others have larger numbers.
    rounds: HashMap<BlockId, usize>,
}

impl Jumps {
    fn of(module: &Module, blocks: &[BlockId]) -> Self {
        let args = blocks.iter().flat_map(|b| module.block(*b).args.iter().map(|arg| (*arg, *b)));
        let mut users: HashMap<ValueId, Vec<BlockId>> = HashMap::new();
        for &block in blocks {
            module.walk(block, &mut |id| {
                for operand in module.operands(id) {
                    let list = users.entry(operand.value).or_default();
                    if list.last() != Some(&block) {
                        list.push(block);
                    }
                }
            });
        }
        Self { params: args.collect(), users, rounds: numbered_rounds(module, blocks) }
    }

    /// True when a block leads to another, or back to itself.
    fn lead(&self, module: &Module, from: BlockId, to: BlockId) -> bool {
        match (self.rounds.get(&from), self.rounds.get(&to)) {
            (Some(a), Some(b)) if a < b => false,
            (Some(a), Some(b)) if a == b && from != to => true,
            _ => jumps(module, from, None).contains(&to),
        }
    }

    /// True when one of these values is used in another block than these two.
    fn used_elsewhere(&self, values: &BTreeSet<ValueId>, but: [BlockId; 2]) -> bool {
        values.iter().filter_map(|v| self.users.get(v)).flatten().any(|b| !but.contains(b))
    }
}

/// Blocks that lead to each other have the same number; what a block leads to has no larger one.
fn numbered_rounds(module: &Module, blocks: &[BlockId]) -> HashMap<BlockId, usize> {
    let next = |b: BlockId| module.next_blocks(b).collect::<Vec<_>>();
    let (mut met, mut low) = (HashMap::<BlockId, usize>::new(), HashMap::<BlockId, usize>::new());
    let (mut rounds, mut stack) = (HashMap::<BlockId, usize>::new(), Vec::new());
    let mut count = 0;
    for &first in blocks {
        if met.contains_key(&first) {
            continue;
        }
        let mut open = vec![(first, next(first), 0)];
        met.insert(first, met.len());
        low.insert(first, met[&first]);
        stack.push(first);
        while let Some((block, targets, at)) = open.last_mut() {
            let block = *block;
            if let Some(&to) = targets.get(*at) {
                *at += 1;
                if let Some(&time) = met.get(&to) {
                    // Blocks that have a number are in no round with this one.
                    if !rounds.contains_key(&to) && time < low[&block] {
                        low.insert(block, time);
                    }
                } else {
                    met.insert(to, met.len());
                    low.insert(to, met[&to]);
                    stack.push(to);
                    open.push((to, next(to), 0));
                }
                continue;
            }
            open.pop();
            if let Some((before, ..)) = open.last()
                && low[&block] < low[before]
            {
                low.insert(*before, low[&block]);
            }
            if low[&block] == met[&block] {
                while let Some(member) = stack.pop() {
                    rounds.insert(member, count);
                    if member == block {
                        break;
                    }
                }
                count += 1;
            }
        }
    }
    rounds
}

/// True when a block makes a buffer while another name of it, a parameter of one of the blocks from an earlier round, is still used.
fn is_used_late(
    module: &Module,
    targets: Targets,
    ways: &Ways,
    all: &Jumps,
    (block, buffer): (BlockId, ValueId),
) -> bool {
    let handed = |v: ValueId| all.params.get(&v).map(|home| (v, *home));
    let handed: Vec<(ValueId, BlockId)> =
        ways.names([buffer], &HashSet::new()).into_iter().filter_map(handed).collect();
    if handed.is_empty() {
        return false;
    }
    let own = reached([buffer], |v| ways.next(v).filter(|to| !all.params.contains_key(to)).collect());
    handed.into_iter().filter(|(_, home)| all.lead(module, *home, block)).any(|(arg, home)| {
        let old = ways.names([arg], &HashSet::new());
        let uses_old = |id: OpId| module.operands(id).iter().any(|o| old.contains(&o.value));
        let mut is_used = false;
        if all.used_elsewhere(&old, [block, home]) {
            let behind = jumps(module, block, Some(home));
            behind.iter().filter(|b| **b != block).for_each(|b| module.walk(*b, &mut |id| is_used |= uses_old(id)));
        }
        is_used || is_overwritten(module, targets, &old, &own, &[block])
    })
}

/// The blocks that a block leads to, without going through another.
fn jumps(module: &Module, from: BlockId, avoided: Option<BlockId>) -> BTreeSet<BlockId> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(block) = open.pop() {
        let targets = module.next_blocks(block).filter(|b| Some(*b) != avoided);
        open.extend(targets.filter(|b| found.insert(*b)));
    }
    found
}

/// The buffers without an address that these blocks allocate.
pub(super) fn made_inside(module: &Module, blocks: &[BlockId]) -> Vec<ValueId> {
    let is_placed = |id: OpId| module.operand(id, "addr").is_some();
    let mut made = Vec::new();
    for block in blocks {
        module.walk(*block, &mut |id| match module.storage(id) {
            Some(Storage::Tile) if !is_placed(id) => made.extend(module.results(id)),
            Some(Storage::Buffer) => made.extend(module.results(id).filter(|v| module.is_local_buffer(*v))),
            _ => {}
        });
    }
    made
}

/// True when what a turn was handed is used, under any name, once its own buffer has been touched.
fn is_overwritten(
    module: &Module,
    targets: Targets,
    arg: &BTreeSet<ValueId>,
    next: &BTreeSet<ValueId>,
    blocks: &[BlockId],
) -> bool {
    let mut touched = false;
    let mut clash = false;
    for block in blocks {
        module.walk(*block, &mut |id| {
            let hands_on = hands_on(module, id);
            let ends = hands_on && blocks.iter().any(|b| module.block(*b).ops.last() == Some(&id));
            // Names only, also at the end of a branch.
            if module.op(id).op.row().effect == Effect::View || (hands_on && !ends) {
                return;
            }
            let uses = |names: &BTreeSet<ValueId>| module.operands(id).iter().any(|o| names.contains(&o.value));
            let (old, new) = (uses(arg), uses(next));
            // In its second turn, a loop reads what its first turn has written over.
            clash |= is_loop(module, id) && has_uses(module, id, arg) && has_uses(module, id, next);
            clash |= old && (touched || (new && (ends || !in_place(module, targets, id, arg, next))));
            touched |= new;
        });
    }
    clash
}

pub(super) fn is_loop(module: &Module, id: OpId) -> bool {
    module.control(id).is_some_and(Control::is_loop)
}

/// True when instructions inside an operation use a buffer.
fn has_uses(module: &Module, id: OpId, names: &BTreeSet<ValueId>) -> bool {
    let mut found = false;
    module.walk_inside(id, &mut |inner| {
        let names_only = module.op(inner).op.row().effect == Effect::View || hands_on(module, inner);
        found |= !names_only && module.operands(inner).iter().any(|o| names.contains(&o.value));
    });
    found
}

fn hands_on(module: &Module, id: OpId) -> bool {
    matches!(module.control(id), Some(Control::Yield | Control::Condition))
}

/// Every pair of values of which the second is, or may be, the first under another name; also windows and other types.
pub(super) fn all_ways(module: &Module) -> Vec<(ValueId, ValueId)> {
    let mut pairs = module.ways();
    for id in module.order().into_iter().filter(|id| module.op(*id).op.row().effect == Effect::View) {
        let memory = module.operands(id).iter().map(|o| o.value);
        let memory = memory.filter(|v| !matches!(module.value_type(*v), Type::Scalar(_)));
        pairs.extend(memory.flat_map(|from| module.results(id).map(move |to| (from, to))));
    }
    pairs
}

/// What these lead to, step by step, with themselves.
pub(super) fn reached(
    from: impl IntoIterator<Item = ValueId>,
    next: impl Fn(ValueId) -> Vec<ValueId>,
) -> BTreeSet<ValueId> {
    let mut found = BTreeSet::new();
    let mut open: Vec<ValueId> = from.into_iter().collect();
    while let Some(value) = open.pop() {
        if found.insert(value) {
            open.extend(next(value));
        }
    }
    found
}

/// True when an instruction may write its result where it reads.
fn in_place(module: &Module, targets: Targets, id: OpId, old: &BTreeSet<ValueId>, new: &BTreeSet<ValueId>) -> bool {
    let tiles = |names: &BTreeSet<ValueId>| {
        let operands = module.operands(id).iter().filter(|o| names.contains(&o.value));
        let tile = |o: &Operand| Some((usize::from(o.slot), module.value_type(o.value).local_tile()?));
        operands.map(tile).collect::<Option<Vec<_>>>()
    };
    let row = module.op(id).op.row();
    let (Some(from), Some(to)) = (tiles(old), tiles(new)) else { return false };
    from.iter().all(|f| to.iter().all(|t| row.may_overwrite(targets, (f.0, &f.1), (t.0, &t.1))))
}
