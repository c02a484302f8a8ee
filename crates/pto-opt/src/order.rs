//! Where operations begin and end in the text of a program, and what is around them.

use pto_ir::{Module, OpId};
use pto_isa::table::op;
use std::collections::{BTreeMap, HashMap};

/// Positions of operations, outer around inner. A function that is called stands where it is called for the first time.
pub(crate) struct Order {
    first: BTreeMap<OpId, u32>,
    last: BTreeMap<OpId, u32>,
    parents: BTreeMap<OpId, OpId>,
    /// Where functions are called, and what is called there.
    calls: BTreeMap<OpId, Vec<OpId>>,
    called: HashMap<OpId, OpId>,
}

impl Order {
    pub fn new(module: &Module) -> Self {
        let (first, last, parents) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let called = module.calls();
        let mut calls: BTreeMap<OpId, Vec<OpId>> = BTreeMap::new();
        for id in module.order() {
            if let Some(function) = called.get(&id) {
                calls.entry(*function).or_default().push(id);
            }
        }
        let mut this = Self { first, last, parents, calls, called };
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
        if let Some(called) = self.called.get(&id).copied()
            && !self.first.contains_key(&called)
        {
            self.parents.insert(called, id);
            self.place(module, called, next);
        }
        *next += 1;
        self.last.insert(id, *next);
    }

    /// Where the function around an operation is called for the last time, by whatever calls it, if that is somewhere else than for the
    /// first.
    pub fn called_until(&self, id: OpId) -> Option<u32> {
        self.function_around(id).map(|f| self.until(f, &mut BTreeMap::new())).filter(|until| *until > 0)
    }

    fn function_around(&self, id: OpId) -> Option<OpId> {
        std::iter::once(id).chain(self.around(id)).find(|f| self.calls.contains_key(f))
    }

    fn until(&self, function: OpId, known: &mut BTreeMap<OpId, u32>) -> u32 {
        if let Some(until) = known.get(&function) {
            return *until;
        }
        let mut until = 0;
        let sites = self.calls.get(&function).map_or(&[][..], Vec::as_slice);
        for site in sites {
            let last = if sites.len() > 1 { self.last(*site) } else { 0 };
            let outer = self.function_around(*site).map_or(0, |f| self.until(f, known));
            until = until.max(last).max(outer);
        }
        known.insert(function, until);
        until
    }

    /// The function around an operation, and whether it is executed more than once: called at several places, or in a loop.
    pub fn repeated_function(&self, module: &Module, id: OpId) -> Option<OpId> {
        let function = self.function_around(id)?;
        let is_loop = |id: OpId| matches!(module.op(id).op, op::scf_for | op::scf_while);
        let again = |f: OpId| {
            let sites = self.calls.get(&f).map_or(&[][..], Vec::as_slice);
            let own = |site: &OpId| self.around(*site).take_while(|outer| !self.calls.contains_key(outer));
            sites.len() > 1 || sites.iter().any(|site| own(site).any(is_loop))
        };
        let all =
            std::iter::successors(Some(function), |f| self.parent(*f).and_then(|site| self.function_around(site)));
        all.into_iter().any(again).then_some(function)
    }

    /// Where the functions stand that are called between two places and do not stand there: they are called somewhere else first.
    pub fn called_elsewhere(&self, (start, end): (u32, u32)) -> Vec<(u32, u32)> {
        let mut found: Vec<(u32, u32)> = Vec::new();
        let mut open = vec![(start, end)];
        while let Some((start, end)) = open.pop() {
            for (function, sites) in &self.calls {
                let own = (self.first(*function), self.last(*function));
                let stands_here = start <= own.0 && own.1 <= end;
                let called_here = sites.iter().any(|s| start < self.first(*s) && self.last(*s) < end);
                if called_here && !stands_here && !found.contains(&own) {
                    found.push(own);
                    open.push(own);
                }
            }
        }
        found
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
