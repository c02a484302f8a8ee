//! The dominator tree of a region (Lengauer and Tarjan, almost linear time).

use pto_ir::{BlockId, Module, RegionId};
use pto_isa::hash::FastMap;

/// The dominator tree of a region, as intervals of a walk over it.
pub(crate) struct Dominators {
    index: FastMap<BlockId, usize>,
    /// When the walk entered and left each block; `None` for blocks no path reaches.
    interval: Vec<Option<(u32, u32)>>,
}

impl Dominators {
    pub(crate) fn of(module: &Module, region: RegionId) -> Self {
        let blocks = &module.region(region).blocks;
        let index: FastMap<BlockId, usize> = blocks.iter().enumerate().map(|(i, &b)| (b, i)).collect();
        let after = |b: &BlockId| -> Vec<usize> {
            let last = module.block(*b).ops.last();
            last.into_iter().flat_map(|l| module.successors(*l)).filter_map(|s| index.get(&s.block).copied()).collect()
        };
        let successors: Vec<Vec<usize>> = blocks.iter().map(after).collect();
        let interval = intervals(&immediate_dominators(&successors));
        Self { index, interval }
    }

    /// True when every path to `b` passes `a`; always true for unreachable blocks.
    pub(crate) fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        let at = |block: BlockId| self.index.get(&block).and_then(|&i| self.interval[i]);
        match (at(a), at(b)) {
            (_, None) => true,
            (None, _) => false,
            (Some(x), Some(y)) => x.0 <= y.0 && y.1 <= x.1,
        }
    }
}

/// Walks the dominator tree and notes when each block is entered and left.
fn intervals(idom: &[Option<usize>]) -> Vec<Option<(u32, u32)>> {
    let mut children = vec![Vec::new(); idom.len()];
    for (b, up) in idom.iter().enumerate().skip(1) {
        if let Some(up) = up {
            children[*up].push(b);
        }
    }
    let mut interval = vec![None; idom.len()];
    let mut clock = 0;
    let mut stack = vec![(0usize, 0usize)];
    while let Some((b, at)) = stack.last_mut() {
        let entry = interval[*b].get_or_insert((clock, clock));
        match children[*b].get(*at) {
            Some(&child) => {
                *at += 1;
                clock += 1;
                stack.push((child, 0));
            }
            None => {
                entry.1 = clock;
                stack.pop();
            }
        }
    }
    interval
}

/// A depth-first walk from node 0: nodes in preorder, and the parent of each.
struct DepthFirst {
    met: Vec<usize>,
    number: Vec<Option<usize>>,
    parent: Vec<usize>,
}

impl DepthFirst {
    fn over(successors: &[Vec<usize>]) -> Self {
        let count = successors.len();
        let mut this = Self { met: vec![0], number: vec![None; count], parent: vec![0; count] };
        this.number[0] = Some(0);
        let mut stack = vec![(0usize, 0usize)];
        while let Some((b, at)) = stack.last_mut() {
            let Some(&to) = successors[*b].get(*at) else {
                stack.pop();
                continue;
            };
            *at += 1;
            if this.number[to].is_none() {
                this.number[to] = Some(this.met.len());
                this.parent[to] = *b;
                this.met.push(to);
                stack.push((to, 0));
            }
        }
        this
    }
}

/// The forest of processed nodes, with path compression.
struct Forest {
    ancestor: Vec<Option<usize>>,
    /// The node with the least semidominator between a node and the root of its tree.
    label: Vec<usize>,
    /// The number of each node's semidominator.
    semi: Vec<usize>,
}

impl Forest {
    fn least(&mut self, node: usize) -> usize {
        let mut path = Vec::new();
        let mut at = node;
        while let Some(up) = self.ancestor[at].filter(|up| self.ancestor[*up].is_some()) {
            path.push(at);
            at = up;
        }
        for node in path.into_iter().rev() {
            let Some(up) = self.ancestor[node] else { continue };
            if self.semi[self.label[up]] < self.semi[self.label[node]] {
                self.label[node] = self.label[up];
            }
            self.ancestor[node] = self.ancestor[up];
        }
        self.label[node]
    }
}

/// The immediate dominators; node 0 is its own, unreachable nodes have none.
fn immediate_dominators(successors: &[Vec<usize>]) -> Vec<Option<usize>> {
    let count = successors.len();
    let walk = DepthFirst::over(successors);
    let mut predecessors = vec![Vec::new(); count];
    for &from in &walk.met {
        successors[from].iter().for_each(|to| predecessors[*to].push(from));
    }
    let semi = walk.number.iter().map(|n| n.unwrap_or(usize::MAX)).collect();
    let mut forest = Forest { ancestor: vec![None; count], label: (0..count).collect(), semi };
    let mut idom: Vec<Option<usize>> = vec![None; count];
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); count];
    for &node in walk.met.iter().skip(1).rev() {
        for &from in &predecessors[node] {
            let least = forest.least(from);
            forest.semi[node] = forest.semi[node].min(forest.semi[least]);
        }
        waiting[walk.met[forest.semi[node]]].push(node);
        let parent = walk.parent[node];
        forest.ancestor[node] = Some(parent);
        for other in std::mem::take(&mut waiting[parent]) {
            let least = forest.least(other);
            idom[other] = Some(if forest.semi[least] < forest.semi[other] { least } else { parent });
        }
    }
    for &node in walk.met.iter().skip(1) {
        if idom[node] != Some(walk.met[forest.semi[node]]) {
            idom[node] = idom[node].and_then(|up| idom[up]);
        }
    }
    idom[0] = Some(0);
    idom
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nodes that are reachable without a node.
    fn reached(successors: &[Vec<usize>], without: usize) -> Vec<bool> {
        let mut seen = vec![false; successors.len()];
        let mut open = vec![0];
        while let Some(node) = open.pop() {
            if node != without && !std::mem::replace(&mut seen[node], true) {
                open.extend(&successors[node]);
            }
        }
        seen
    }

    #[test]
    fn a_node_is_dominated_by_those_without_which_it_is_not_reached() {
        let mut state = 1u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for count in (1..12).cycle().take(500) {
            let graph: Vec<Vec<usize>> = (0..count).map(|_| (0..random(4)).map(|_| random(count)).collect()).collect();
            let interval = intervals(&immediate_dominators(&graph));
            let all = reached(&graph, usize::MAX);
            for a in 0..count {
                let others = reached(&graph, a);
                for b in 0..count {
                    assert_eq!(interval[b].is_some(), all[b], "{graph:?}");
                    if let (Some(x), Some(y)) = (interval[a], interval[b]) {
                        assert_eq!(x.0 <= y.0 && y.1 <= x.1, a == b || !others[b], "{a} {b} {graph:?}");
                    }
                }
            }
        }
    }
}
