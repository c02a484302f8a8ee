//! Where operations begin and end in the text of a program, and what is around them.

use pto_ir::{Module, OpId};
use std::collections::BTreeMap;

/// Positions of operations, outer around inner.
pub(crate) struct Order {
    first: BTreeMap<OpId, u32>,
    last: BTreeMap<OpId, u32>,
    parents: BTreeMap<OpId, OpId>,
}

impl Order {
    pub fn new(module: &Module) -> Self {
        let mut this = Self { first: BTreeMap::new(), last: BTreeMap::new(), parents: BTreeMap::new() };
        let mut next = 0;
        for &id in &module.block(module.top).ops {
            this.visit(module, id, &mut next);
        }
        this
    }

    fn visit(&mut self, module: &Module, id: OpId, next: &mut u32) {
        *next += 1;
        self.first.insert(id, *next);
        for region in module.op_regions(id) {
            for block in &module.region(*region).blocks {
                for &inner in &module.block(*block).ops {
                    self.parents.insert(inner, id);
                    self.visit(module, inner, next);
                }
            }
        }
        *next += 1;
        self.last.insert(id, *next);
    }

    pub fn first(&self, id: OpId) -> u32 {
        self.first.get(&id).copied().unwrap_or(0)
    }

    pub fn last(&self, id: OpId) -> u32 {
        self.last.get(&id).copied().unwrap_or(0)
    }

    /// The operation around another.
    pub fn parent(&self, id: OpId) -> Option<OpId> {
        self.parents.get(&id).copied()
    }

    /// Everything around an operation, from the inside out.
    pub fn around(&self, id: OpId) -> impl Iterator<Item = OpId> {
        std::iter::successors(self.parent(id), |id| self.parent(*id))
    }

    pub fn contains(&self, outer: OpId, inner: OpId) -> bool {
        self.first(outer) < self.first(inner) && self.last(inner) < self.last(outer)
    }

    /// The operation of a list, given by one of its members' parents, that contains a place.
    pub fn member_around(&self, parent: Option<OpId>, place: u32) -> Option<OpId> {
        let members = self.parents.iter().filter(|(_, p)| Some(**p) == parent).map(|(id, _)| *id);
        members.into_iter().find(|id| self.first(*id) < place && place < self.last(*id))
    }
}
