//! Which values can be used where.

use pto_ir::{BlockId, Module, OpId, TypeId, ValueId};
use pto_isa::hash::FastMap;
use pto_isa::sort::SharedSort;

/// A value, and the positions between which it can be used.
#[derive(Clone, Copy)]
struct Visible {
    from: u32,
    until: u32,
    value: ValueId,
}

/// Positions of operations in text order, and the values of each type.
pub(crate) struct ScopeMap {
    positions: FastMap<OpId, u32>,
    of_type: FastMap<TypeId, Vec<Visible>>,
}

/// A value whose block has not ended yet.
const OPEN: u32 = u32::MAX;

impl ScopeMap {
    pub(crate) fn new(module: &Module) -> Self {
        let mut walk = ScopeWalk { module, at: 0, all: Vec::new(), positions: FastMap::default() };
        walk.block(module.top);
        let mut of_type: FastMap<TypeId, Vec<Visible>> = FastMap::default();
        walk.all.shared_sort_by_key(|v| v.from);
        for visible in walk.all {
            of_type.entry(module.value(visible.value).ty).or_default().push(visible);
        }
        Self { positions: walk.positions, of_type }
    }

    /// The nearest earlier value of a type that can be used at an operation.
    pub(crate) fn nearest(&self, ty: TypeId, at: OpId, allowed: &dyn Fn(ValueId) -> bool) -> Option<ValueId> {
        let at = *self.positions.get(&at)?;
        let all = self.of_type.get(&ty)?;
        let earlier = &all[..all.partition_point(|v| v.from <= at)];
        earlier.iter().rev().find(|v| at < v.until && allowed(v.value)).map(|v| v.value)
    }
}

struct ScopeWalk<'m> {
    module: &'m Module,
    at: u32,
    all: Vec<Visible>,
    positions: FastMap<OpId, u32>,
}

impl ScopeWalk<'_> {
    fn block(&mut self, block: BlockId) {
        let (module, data) = (self.module, self.module.block(block));
        let define = |from: u32| move |value: ValueId| Visible { from, until: OPEN, value };
        self.all.extend(data.args.iter().copied().map(define(self.at)));
        for &op in &data.ops {
            self.positions.insert(op, self.at);
            self.at += 1;
            for &region in module.op_regions(op) {
                self.region(&module.region(region).blocks);
            }
            // The results of an operation cannot be used inside it.
            self.all.extend(module.results(op).map(define(self.at)));
        }
    }

    fn region(&mut self, blocks: &[BlockId]) {
        let before = self.all.len();
        for (number, block) in blocks.iter().enumerate() {
            let first = self.all.len();
            self.block(*block);
            // The first block comes before all others, of which nothing else is known.
            if number > 0 {
                self.close(first);
            }
        }
        self.close(before);
    }

    fn close(&mut self, first: usize) {
        let at = self.at;
        self.all[first..].iter_mut().filter(|v| v.until == OPEN).for_each(|v| v.until = at);
    }
}
