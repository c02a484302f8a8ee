//! Where operations begin and end in the text of a program, and what is around them.

use pto_ir::{Module, OpId};
use std::collections::BTreeMap;

/// Positions of operations, outer around inner. A function that is called stands where it is called for the first time.
pub(crate) struct Order {
    first: BTreeMap<OpId, u32>,
    last: BTreeMap<OpId, u32>,
    parents: BTreeMap<OpId, OpId>,
    /// Where functions are called.
    calls: BTreeMap<OpId, Vec<OpId>>,
}

impl Order {
    pub fn new(module: &Module) -> Self {
        let (first, last, parents) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut this = Self { first, last, parents, calls: calls(module) };
        let mut next = 0;
        for &id in &module.block(module.top).ops {
            this.visit(module, id, &mut next);
        }
        // Functions that only call each other.
        for id in module.functions() {
            if !this.first.contains_key(&id) {
                this.place(module, id, &mut next);
            }
        }
        this
    }

    fn visit(&mut self, module: &Module, id: OpId, next: &mut u32) {
        if !self.calls.contains_key(&id) {
            self.place(module, id, next);
        }
    }

    fn place(&mut self, module: &Module, id: OpId, next: &mut u32) {
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
        if let Some(called) = module.called_function(id)
            && !self.first.contains_key(&called)
        {
            self.parents.insert(called, id);
            self.place(module, called, next);
        }
        *next += 1;
        self.last.insert(id, *next);
    }

    /// Where the function around an operation is called for the last time, if that is somewhere else than for the first.
    pub fn called_until(&self, id: OpId) -> Option<u32> {
        let function = std::iter::once(id).chain(self.around(id)).find(|f| self.calls.contains_key(f))?;
        let sites = self.calls.get(&function).filter(|sites| sites.len() > 1)?;
        sites.iter().map(|site| self.last(*site)).max()
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

fn calls(module: &Module) -> BTreeMap<OpId, Vec<OpId>> {
    let mut all: BTreeMap<OpId, Vec<OpId>> = BTreeMap::new();
    module.walk(module.top, &mut |id| {
        if let Some(called) = module.called_function(id) {
            all.entry(called).or_default().push(id);
        }
    });
    all
}
