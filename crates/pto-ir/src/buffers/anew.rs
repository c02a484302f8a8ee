//! Buffers that every iteration of a loop allocates anew and yields.
//!
//! Such a buffer has one address. The next iteration must not write its own buffer there while it still reads the yielded one: then the loop carries
//! a copy of the contents, as it does for values.

use super::origins::Origins;
use super::uses::BodyUses;
use crate::{BlockId, Module, OpId, ValueId};
use pto_isa::hash::{FastMap, FastSet};
use pto_isa::ordered::OrdSet;
use pto_isa::row::{Control, Effect, Storage};
use pto_isa::{Targets, Type};
use std::cell::OnceCell;

/// True when a program must be converted: it has tile values, or loops that must carry the contents of their buffers.
pub(super) fn are_needed(module: &Module, contents: &OrdSet<ValueId>) -> bool {
    let is_value = |k: usize| matches!(module.value_type(ValueId::from_index(k)), Type::Tile(_));
    // A result may also have the type of a buffer.
    !contents.is_empty()
        || module.order().iter().any(|id| module.is_value_form(*id))
        || (0..module.value_count()).any(is_value)
}

/// Parameters and results of loops that stand for the contents of a buffer.
pub(super) fn all_contents(module: &Module, targets: Targets, ways: &Ways) -> OrdSet<ValueId> {
    module.order().iter().flat_map(|id| contents(module, targets, ways, *id)).collect()
}

/// Which values are, or may be, aliases of others.
pub(super) struct Ways {
    pub(super) onward: FastMap<ValueId, Vec<ValueId>>,
    pub(super) back: FastMap<ValueId, Vec<ValueId>>,
    origins: OnceCell<Origins>,
}

impl Ways {
    pub(super) fn of(module: &Module) -> Self {
        let (mut onward, mut back) = (FastMap::<_, Vec<_>>::default(), FastMap::<_, Vec<_>>::default());
        for (from, to) in all_ways(module) {
            onward.entry(from).or_default().push(to);
            back.entry(to).or_default().push(from);
        }
        Self { onward, back, origins: OnceCell::new() }
    }

    /// The same for queries about many values at once.
    pub(super) fn all_origins(&self, module: &Module) -> &Origins {
        self.origins.get_or_init(|| Origins::of(module.value_count(), &self.onward))
    }

    pub(super) fn next(&self, value: ValueId) -> impl Iterator<Item = ValueId> {
        self.onward.get(&value).into_iter().flatten().copied()
    }

    /// All aliases of buffers: windows, casts, and values that branches yield, except some that stand for another buffer.
    fn names(&self, values: impl IntoIterator<Item = ValueId>, others: &FastSet<ValueId>) -> OrdSet<ValueId> {
        reached(values, |v| self.next(v).filter(|to| !others.contains(to)).collect())
    }

    /// The values that a value may be an alias of.
    fn origins(&self, value: ValueId, others: &FastSet<ValueId>) -> OrdSet<ValueId> {
        let before = |v: ValueId| self.back.get(&v).filter(|_| !others.contains(&v)).into_iter().flatten().copied();
        reached([value], |v| before(v).collect())
    }
}

/// Parameters and results of a loop that must carry the contents of a buffer, because an iteration allocates that buffer too early.
fn contents(module: &Module, targets: Targets, ways: &Ways, id: OpId) -> OrdSet<ValueId> {
    let skip = match module.control(id) {
        Some(Control::For) => 1,
        Some(Control::While) => 0,
        _ => return OrdSet::new(),
    };
    let blocks: Vec<BlockId> = module.op_regions(id).iter().flat_map(|r| module.region(*r).blocks.clone()).collect();
    let (Some(&first), Some(&last)) = (blocks.first(), blocks.last()) else { return OrdSet::new() };
    let args = &module.block(first).args[skip.min(module.block(first).args.len())..];
    let Some(&end) = module.block(last).ops.last() else { return OrdSet::new() };
    let handed: Vec<ValueId> = module.operands(end).iter().map(|o| o.value).collect();
    if handed.is_empty() || args.is_empty() {
        return OrdSet::new();
    }
    let made: FastSet<ValueId> = made_inside(module, &blocks).into_iter().collect();
    if made.is_empty() {
        return OrdSet::new();
    }
    // The parameters of the next iteration are another buffer.
    let handed_on = &module.block(first).args.iter().copied().collect();
    let elsewhere = &elsewhere(module, ways, id, &blocks);
    let uses = BodyUses::of(module, &blocks);
    let clashes = |(arg, next): &(&ValueId, &ValueId)| {
        // A yielded buffer may be allocated inside under another name: on one side of a branch, or with another type.
        let origins = ways.origins(**next, handed_on).into_iter().filter(|v| made.contains(v));
        let next = ways.names(origins, elsewhere);
        !next.is_empty() && uses.is_overwritten(targets, &ways.names([**arg], elsewhere), &next)
    };
    let mut found: OrdSet<ValueId> = args.iter().zip(&handed).filter(clashes).map(|(arg, _)| *arg).collect();
    if found.is_empty() {
        return found;
    }
    // The aliases of these are contents too, in this loop; in the next iteration they are in another buffer.
    let here: OrdSet<ValueId> =
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

/// Aliases of buffers of a loop that need not be followed: parameters of the next iteration, which are another buffer, and results of the loop,
/// unless they may come back to the loop from outside.
fn elsewhere(module: &Module, ways: &Ways, id: OpId, blocks: &[BlockId]) -> FastSet<ValueId> {
    let mut inside: FastSet<ValueId> = blocks.iter().flat_map(|b| module.block(*b).args.iter().copied()).collect();
    let mut used = FastSet::default();
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

pub(super) fn is_loop(module: &Module, id: OpId) -> bool {
    module.control(id).is_some_and(Control::is_loop)
}

pub(super) fn hands_on(module: &Module, id: OpId) -> bool {
    matches!(module.control(id), Some(Control::Yield | Control::Condition))
}

/// Every pair of values of which the second is, or may be, an alias of the first; also windows and casts.
pub(super) fn all_ways(module: &Module) -> Vec<(ValueId, ValueId)> {
    let mut pairs = module.ways();
    for id in module.order().into_iter().filter(|id| module.op(*id).op.row().effect == Effect::View) {
        let memory = module.operands(id).iter().map(|o| o.value);
        let memory = memory.filter(|v| !matches!(module.value_type(*v), Type::Scalar(_)));
        pairs.extend(memory.flat_map(|from| module.results(id).map(move |to| (from, to))));
    }
    pairs
}

/// Everything that is reachable from these values, including themselves.
pub(super) fn reached(
    from: impl IntoIterator<Item = ValueId>,
    next: impl Fn(ValueId) -> Vec<ValueId>,
) -> OrdSet<ValueId> {
    let mut found = OrdSet::new();
    let mut open: Vec<ValueId> = from.into_iter().collect();
    while let Some(value) = open.pop() {
        if found.insert(value) {
            open.extend(next(value));
        }
    }
    found
}
