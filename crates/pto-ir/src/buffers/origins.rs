//! Alias queries, for 64 values at a time.
//!
//! Values that are aliases of each other are one strongly connected component. A set of 64 values is a word that is propagated through the
//! components once, from aliases to origins. So the origins of `n` values take `n / 64` passes, regardless of the length of chains.

use crate::ValueId;
use pto_isa::hash::FastMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub(super) struct Origins {
    /// The component of each value; components that its values reach have smaller numbers, or the same.
    component: Vec<usize>,
    /// The predecessors of each component.
    before: Vec<Vec<usize>>,
}

/// Which of up to 64 values each component reaches.
pub(super) struct Led<'a> {
    origins: &'a Origins,
    words: FastMap<usize, u64>,
}

impl Origins {
    pub(super) fn of(count: usize, onward: &FastMap<ValueId, Vec<ValueId>>) -> Self {
        let next = |k: usize| onward.get(&ValueId::from_index(k)).into_iter().flatten().map(|v| v.index()).collect();
        let component = components(count, next);
        let mut before = vec![Vec::new(); count];
        for (from, list) in onward {
            for to in list {
                let (from, to) = (component[from.index()], component[to.index()]);
                if from != to {
                    before[to].push(from);
                }
            }
        }
        Self { component, before }
    }

    /// The components that reach the first 64 of some values.
    pub(super) fn of_values(&self, values: &[ValueId]) -> Led<'_> {
        let mut words: FastMap<usize, u64> = FastMap::default();
        let mut open = BinaryHeap::new();
        let mut add = |open: &mut BinaryHeap<_>, component: usize, word: u64| {
            let known = words.entry(component).or_insert(0);
            if *known == 0 {
                open.push(Reverse(component));
            }
            *known |= word;
            *known
        };
        for (k, value) in values.iter().take(64).enumerate() {
            add(&mut open, self.component[value.index()], 1 << k);
        }
        // The word of the smallest one is complete: its predecessors came before it.
        while let Some(Reverse(component)) = open.pop() {
            let word = add(&mut open, component, 0);
            for &before in &self.before[component] {
                add(&mut open, before, word);
            }
        }
        Led { origins: self, words }
    }
}

impl Led<'_> {
    /// The values that may be aliases of this one, as bits.
    pub(super) fn names(&self, value: ValueId) -> u64 {
        self.words.get(&self.origins.component[value.index()]).copied().unwrap_or(0)
    }
}

/// The strongly connected components of a graph, by node, in reverse topological order.
fn components(count: usize, next: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let (mut met, mut low, mut found) = (vec![NONE; count], vec![NONE; count], vec![NONE; count]);
    let (mut time, mut number, mut stack) = (0, 0, Vec::new());
    for first in 0..count {
        if met[first] != NONE {
            continue;
        }
        let mut open = vec![(first, next(first), 0)];
        while let Some((node, targets, at)) = open.last_mut() {
            let node = *node;
            if met[node] == NONE {
                (met[node], low[node]) = (time, time);
                time += 1;
                stack.push(node);
            }
            if let Some(&to) = targets.get(*at) {
                *at += 1;
                if met[to] == NONE {
                    open.push((to, next(to), 0));
                } else if found[to] == NONE {
                    low[node] = low[node].min(met[to]);
                }
                continue;
            }
            open.pop();
            if let Some((before, ..)) = open.last() {
                low[*before] = low[*before].min(low[node]);
            }
            if low[node] == met[node] {
                while let Some(member) = stack.pop() {
                    found[member] = number;
                    if member == node {
                        break;
                    }
                }
                number += 1;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 → 1 ⇄ 2 → 3, 4 → 2.
    #[test]
    fn names_go_through_cycles() {
        let v = ValueId::from_index;
        let onward =
            FastMap::from_iter([(v(0), vec![v(1)]), (v(1), vec![v(2)]), (v(2), vec![v(1), v(3)]), (v(4), vec![v(2)])]);
        let origins = Origins::of(5, &onward);
        let led = origins.of_values(&[v(1), v(3), v(0)]);
        assert_eq!([0, 1, 2, 3, 4].map(|k| led.names(v(k))), [0b111, 0b011, 0b011, 0b010, 0b011]);
    }
}
