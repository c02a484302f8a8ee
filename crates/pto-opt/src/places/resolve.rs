//! Resolves values to memory, through any number of views, loops and calls, each value once.

use super::merged::few;
use super::{Home, MemoryRegion, ValueMemory, memory_of};
use crate::effects::is_memory;
use pto_ir::{Def, OpId, ValueId};
use pto_isa::Loc;
use pto_isa::cancel::poll;
use pto_isa::hash::FastMap;
use pto_isa::ordered::OrdMap;
use pto_isa::row::Storage;
use pto_isa::sort::SharedSort;
use std::rc::Rc;

/// Where the memory of a value comes from.
pub(super) enum MemorySource {
    /// It is known.
    Known(Vec<MemoryRegion>),
    /// It is that of other values.
    Union(Vec<ValueId>),
    /// Both.
    Both(Vec<MemoryRegion>, Vec<ValueId>),
    /// A window of a view of global memory.
    Window(OpId, ValueId),
    /// The result of a call: parameters of the function stand for the arguments of this call.
    Returned(Vec<ValueId>, OpId),
}

/// A value that is being resolved.
struct Open {
    value: ValueId,
    source: MemorySource,
    /// The values it depends on, and how many have been visited.
    needs: Vec<ValueId>,
    next: usize,
    /// The earliest value on the stack that it reaches (Tarjan's low link).
    low: usize,
}

impl ValueMemory<'_> {
    /// Merges homes, and recomputes the memory of values with them. Values with very many homes must be known before.
    pub(super) fn merge(&mut self) {
        let module = self.module;
        let values = (0..module.value_count()).map(ValueId::from_index);
        for value in values.filter(|v| is_memory(module.value_type(*v))) {
            self.of(value);
        }
        for loc in self.crowded.take() {
            self.merge_all(loc);
        }
        if !self.merged.is_empty() {
            for regions in self.known.values_mut() {
                *regions = self.merged.replaced(regions).into();
            }
        }
    }

    fn merge_all(&mut self, loc: Loc) {
        let region = |home: &Home| match home {
            Home::Tile(tile) => {
                memory_of(self.checked, *tile).map(|(_, end)| MemoryRegion { home: *home, start: 0, end })
            }
            _ => None,
        };
        let regions: Vec<MemoryRegion> = self.tiles.get(&loc).into_iter().flatten().filter_map(region).collect();
        for pair in regions.windows(2) {
            self.merged.join(pair[0], pair[1]);
        }
    }

    /// Merged tiles without an address, by root.
    pub fn merged_tiles(&mut self) -> OrdMap<ValueId, Vec<ValueId>> {
        let mut found: OrdMap<ValueId, Vec<ValueId>> = OrdMap::new();
        if self.merged.is_empty() {
            return found;
        }
        for home in self.tiles.values().flatten() {
            if let (Home::Tile(tile), Home::Tile(root)) = (*home, self.merged.root(*home))
                && self.merged.contains(*home)
            {
                found.entry(root).or_default().push(tile);
            }
        }
        found
    }

    /// True for a tile that keeps the memory of its allocation.
    pub fn is_own(&self, value: ValueId) -> bool {
        let is_made = matches!(self.module.value(value).def, Def::Result(id, _) if self.module.storage(id).is_some_and(Storage::is_allocation));
        is_made && !self.rebound.contains(&value) && !self.assigned.contains_key(&value)
    }

    /// The memory of a tile, a view or a pointer.
    pub fn of(&mut self, value: ValueId) -> Rc<[MemoryRegion]> {
        if !self.known.contains_key(&value) {
            self.follow(value);
        }
        self.known.get(&value).cloned().unwrap_or_default()
    }

    /// Computes the memory of a value and of all that it depends on. Values that depend on each other, as in loops, have the same.
    fn follow(&mut self, value: ValueId) {
        let mut path: Vec<Open> = vec![self.open(value, 0)];
        let mut places: FastMap<ValueId, usize> = FastMap::from_iter([(value, 0)]);
        // Values that are done but reach one that is not.
        let mut waiting: Vec<(usize, Open)> = Vec::new();
        let mut count = 1;
        while let Some(top) = path.last_mut() {
            poll();
            if let Some(&need) = top.needs.get(top.next) {
                top.next += 1;
                if self.known.contains_key(&need) {
                    continue;
                }
                match places.get(&need) {
                    Some(&place) => top.low = top.low.min(place),
                    None => {
                        places.insert(need, count);
                        path.push(self.open(need, count));
                        count += 1;
                    }
                }
                continue;
            }
            let Some(done) = path.pop() else { break };
            let own = places[&done.value];
            if done.low < own {
                if let Some(outer) = path.last_mut() {
                    outer.low = outer.low.min(done.low);
                }
                waiting.push((own, done));
                continue;
            }
            let first = waiting.iter().rposition(|(place, _)| *place < own).map_or(0, |at| at + 1);
            let mut together: Vec<Open> = waiting.drain(first..).map(|(_, open)| open).collect();
            together.push(done);
            self.settle(together);
        }
    }

    fn open(&mut self, value: ValueId, place: usize) -> Open {
        let source = self.source(value);
        let needs = match &source {
            MemorySource::Known(_) => Vec::new(),
            MemorySource::Union(values) | MemorySource::Both(_, values) => values.clone(),
            MemorySource::Window(_, view) => vec![*view],
            MemorySource::Returned(values, call) => values.iter().copied().chain(self.handed_in(*call)).collect(),
        };
        Open { value, source, needs, next: 0, low: place }
    }

    /// A strongly connected component whose other dependences are known.
    fn settle(&mut self, together: Vec<Open>) {
        let mut all: Vec<MemoryRegion> = Vec::new();
        for open in &together {
            all.extend(self.settled(&open.source));
        }
        all.shared_sort();
        all.dedup();
        self.merged.limit(&mut all);
        let all: Rc<[MemoryRegion]> = few(all).into();
        for open in together {
            self.known.insert(open.value, Rc::clone(&all));
        }
    }

    fn settled(&self, source: &MemorySource) -> Vec<MemoryRegion> {
        let known = |value: &ValueId| self.known.get(value).map_or(&[][..], |regions| &**regions);
        let union = |values: &[ValueId]| values.iter().flat_map(known).copied().collect::<Vec<MemoryRegion>>();
        match source {
            MemorySource::Known(regions) => regions.clone(),
            MemorySource::Union(values) => union(values),
            MemorySource::Both(regions, values) => [regions.clone(), union(values)].concat(),
            MemorySource::Window(id, view) => {
                let mut whole = union(std::slice::from_ref(view));
                whole.dedup();
                self.narrowed(*id, *view, whole)
            }
            MemorySource::Returned(values, call) => {
                let (given, mut own): (Vec<MemoryRegion>, Vec<MemoryRegion>) =
                    union(values).into_iter().partition(|region| matches!(region.home, Home::Given(_)));
                if !given.is_empty() {
                    own.extend(self.handed_in(*call).flat_map(|value| known(&value).to_vec()));
                }
                own
            }
        }
    }
}
