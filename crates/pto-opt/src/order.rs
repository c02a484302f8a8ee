//! The positions of operations in the text, and what is around them.

use pto_ir::{Module, OpId};
use pto_isa::hash::FastMap;
use pto_isa::ordered::OrdSet;
use pto_isa::row::Control;
use pto_isa::sort::SharedSort;

/// Positions of operations; outer ones contain inner ones. A callee has the position of its first call.
pub(crate) struct OpPositions {
    /// The first and last position of each operation, by index; 0 if it has none.
    spans: Vec<(u32, u32)>,
    parents: Vec<Option<OpId>>,
    /// The innermost loop around each operation.
    loops: Vec<Option<OpId>>,
    /// The operation that begins or ends at a position.
    at: Vec<OpId>,
    /// Functions that are called.
    called: FastMap<OpId, Called>,
    /// Calls of functions whose position is elsewhere, by position.
    elsewhere: Vec<(u32, OpId)>,
}

/// A function that is called.
#[derive(Default)]
struct Called {
    sites: Vec<OpId>,
    /// The position of its last call, directly or indirectly, if it differs from the first; or 0.
    until: u32,
    /// It is executed more than once: called at several points, in a loop, or by a function that is.
    repeated: bool,
}

/// Pending work while positions are assigned.
enum Visit {
    Enter(OpId),
    /// The callee of an operation comes after its regions.
    Call(OpId),
    Leave(OpId),
}

impl OpPositions {
    pub fn new(module: &Module) -> Self {
        let calls = module.calls();
        let mut called: FastMap<OpId, Called> = FastMap::default();
        for id in module.order() {
            if let Some(function) = calls.get(&id) {
                called.entry(*function).or_default().sites.push(id);
            }
        }
        let count = module.op_count();
        let (spans, parents, loops) = (vec![(0, 0); count], vec![None; count], vec![None; count]);
        let none = OpId::from_index(0);
        let mut this = Self { spans, parents, loops, at: vec![none], called, elsewhere: Vec::new() };
        for &id in &module.block(module.top).ops {
            if !this.called.contains_key(&id) {
                this.place(module, id, &calls);
            }
        }
        // Functions that only call each other.
        for id in module.functions() {
            if this.first(id) == 0 {
                this.place(module, id, &calls);
            }
        }
        this.note_calls_elsewhere();
        this.follow_calls(module);
        this
    }

    /// Assigns positions to an operation and everything in it. Calls may be nested as deeply as there are functions, hence no recursion.
    fn place(&mut self, module: &Module, id: OpId, calls: &FastMap<OpId, OpId>) {
        let mut open = vec![Visit::Enter(id)];
        while let Some(step) = open.pop() {
            match step {
                Visit::Enter(id) => {
                    self.spans[id.index()].0 = self.at.len() as u32;
                    self.at.push(id);
                    self.loops[id.index()] = self.parent(id).and_then(|outer| match goes_round(module, outer) {
                        true => Some(outer),
                        false => self.loops[outer.index()],
                    });
                    open.extend([Visit::Leave(id), Visit::Call(id)]);
                    let blocks = module.op_regions(id).iter().flat_map(|r| &module.region(*r).blocks);
                    for inner in blocks.flat_map(|b| &module.block(*b).ops) {
                        self.parents[inner.index()] = Some(id);
                    }
                    let blocks = module.op_regions(id).iter().flat_map(|r| &module.region(*r).blocks);
                    let inner = blocks.flat_map(|b| &module.block(*b).ops).rev();
                    open.extend(inner.filter(|i| !self.called.contains_key(i)).map(|i| Visit::Enter(*i)));
                }
                Visit::Call(id) => {
                    if let Some(&function) = calls.get(&id).filter(|f| self.first(**f) == 0) {
                        self.parents[function.index()] = Some(id);
                        open.push(Visit::Enter(function));
                    }
                }
                Visit::Leave(id) => {
                    self.spans[id.index()].1 = self.at.len() as u32;
                    self.at.push(id);
                }
            }
        }
    }

    fn note_calls_elsewhere(&mut self) {
        let mut elsewhere = Vec::new();
        for (function, called) in &self.called {
            let others = called.sites.iter().filter(|site| self.parent(*function) != Some(**site));
            elsewhere.extend(others.map(|site| (self.first(*site), *function)));
        }
        elsewhere.shared_sort();
        self.elsewhere = elsewhere;
    }

    /// Propagates facts from callers to callees: each function is processed after all its callers.
    fn follow_calls(&mut self, module: &Module) {
        let around = |id: OpId| self.function_around(id);
        let callers: FastMap<OpId, Vec<Option<OpId>>> =
            self.called.iter().map(|(f, called)| (*f, called.sites.iter().map(|s| around(*s)).collect())).collect();
        let mut waits: FastMap<OpId, usize> =
            callers.iter().map(|(f, outer)| (*f, outer.iter().flatten().count())).collect();
        let mut calls: FastMap<OpId, Vec<OpId>> = FastMap::default();
        for (function, outer) in &callers {
            outer.iter().flatten().for_each(|caller| calls.entry(*caller).or_default().push(*function));
        }
        let mut ready: Vec<OpId> = waits.iter().filter(|(_, left)| **left == 0).map(|(f, _)| *f).collect();
        while let Some(function) = ready.pop() {
            let known = self.known_of(module, function, &callers[&function]);
            if let Some(called) = self.called.get_mut(&function) {
                (called.until, called.repeated) = known;
            }
            for inner in calls.get(&function).into_iter().flatten() {
                if let Some(left) = waits.get_mut(inner) {
                    *left -= 1;
                    if *left == 0 {
                        ready.push(*inner);
                    }
                }
            }
        }
    }

    fn known_of(&self, module: &Module, function: OpId, callers: &[Option<OpId>]) -> (u32, bool) {
        let sites = self.called.get(&function).map_or(&[][..], |called| &called.sites);
        let own = |site: &OpId| self.around(*site).take_while(|outer| !self.called.contains_key(outer));
        let is_loop = |id: OpId| module.control(id).is_some_and(Control::is_loop);
        let outer = || callers.iter().flatten().filter_map(|f| self.called.get(f));
        let last = if sites.len() > 1 { sites.iter().map(|s| self.last(*s)).max().unwrap_or(0) } else { 0 };
        let until = outer().map(|f| f.until).max().unwrap_or(0).max(last);
        let repeated =
            sites.len() > 1 || sites.iter().any(|site| own(site).any(is_loop)) || outer().any(|f| f.repeated);
        (until, repeated)
    }

    /// The position of the last call of the function around an operation, directly or indirectly, if it differs from the first.
    pub fn called_until(&self, id: OpId) -> Option<u32> {
        let function = self.function_around(id)?;
        self.called.get(&function).map(|called| called.until).filter(|until| *until > 0)
    }

    /// The innermost called function that contains an operation, or is it.
    fn function_around(&self, id: OpId) -> Option<OpId> {
        std::iter::once(id).chain(self.around(id)).find(|f| self.called.contains_key(f))
    }

    /// The function around an operation if it is executed more than once: called at several points, or in a loop.
    pub fn repeated_function(&self, id: OpId) -> Option<OpId> {
        self.function_around(id).filter(|f| self.called.get(f).is_some_and(|called| called.repeated))
    }

    /// The positions of functions that are called between two positions but have theirs elsewhere: their first call is somewhere else.
    pub fn called_elsewhere(&self, (start, end): (u32, u32)) -> Vec<(u32, u32)> {
        let mut found = OrdSet::new();
        let mut open = vec![(start, end)];
        while let Some((start, end)) = open.pop() {
            let from = self.elsewhere.partition_point(|(at, _)| *at <= start);
            for (_, function) in self.elsewhere[from..].iter().take_while(|(at, _)| *at < end) {
                let own = (self.first(*function), self.last(*function));
                let stands_here = start <= own.0 && own.1 <= end;
                if !stands_here && found.insert(own) {
                    open.push(own);
                }
            }
        }
        found.into_iter().collect()
    }

    /// The operation that begins or ends at a position.
    pub fn at(&self, position: u32) -> OpId {
        self.at.get(position as usize).copied().unwrap_or(self.at[0])
    }

    pub fn first(&self, id: OpId) -> u32 {
        self.spans.get(id.index()).map_or(0, |span| span.0)
    }

    pub fn last(&self, id: OpId) -> u32 {
        self.spans.get(id.index()).map_or(0, |span| span.1)
    }

    /// The operation around another.
    pub fn parent(&self, id: OpId) -> Option<OpId> {
        self.parents.get(id.index()).copied().flatten()
    }

    /// Everything around an operation, from the inside out.
    pub fn around(&self, id: OpId) -> impl Iterator<Item = OpId> {
        std::iter::successors(self.parent(id), |id| self.parent(*id))
    }

    /// The innermost loop around an operation; a region of several blocks may be one.
    pub fn loop_around(&self, id: OpId) -> Option<OpId> {
        self.loops.get(id.index()).copied().flatten()
    }

    pub fn contains(&self, outer: OpId, inner: OpId) -> bool {
        self.first(outer) < self.first(inner) && self.last(inner) < self.last(outer)
    }

    /// The operation in a list, given by the parent of its members, that contains a position.
    pub fn member_around(&self, parent: Option<OpId>, place: u32) -> Option<OpId> {
        let parent = parent?;
        let inner = *self.at.get(place as usize)?;
        let member = std::iter::once(inner).chain(self.around(inner)).find(|id| self.parent(*id) == Some(parent))?;
        (self.first(member) < place && place < self.last(member)).then_some(member)
    }
}

fn goes_round(module: &Module, id: OpId) -> bool {
    let tangled = module.op_regions(id).iter().any(|r| module.region(*r).blocks.len() > 1);
    module.control(id).is_some_and(Control::is_loop) || tangled
}
