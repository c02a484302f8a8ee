//! Every use is reached by its definition.
//!
//! In structured code the reader's scopes guarantee most of it; what is left is order within a block, and
//! blocks joined by branches, where a definition must lie on every path to the use.

use pto_ir::{BlockId, Def, Module, OpId, RegionId, ValueId};
use pto_isa::{Diagnostic, Span, codes};
use std::collections::HashMap;

pub(crate) fn check(module: &Module, order: &[OpId], problems: &mut Vec<Diagnostic>) {
    let places = Places::collect(module, order);
    let mut dominators = HashMap::new();
    for &id in order {
        let operands = module.operands(id).iter().map(|o| (o.value, o.span));
        let passed = module.successors(id).iter().flat_map(|s| s.args.iter().map(|&v| (v, module.op(id).name_span)));
        for (value, span) in operands.chain(passed) {
            if !places.reaches(module, value, id, &mut dominators) {
                report(module, value, span, problems);
            }
        }
    }
}

fn report(module: &Module, value: ValueId, span: Span, problems: &mut Vec<Diagnostic>) {
    let name = module.value_name(value);
    problems.push(
        Diagnostic::new(codes::DOMINANCE, span, format!("`%{name}` is used where its definition may not have run"))
            .label(module.value(value).span, "defined here")
            .help("move the definition before this use"),
    );
}

/// Where each operation stands, and what each block belongs to.
struct Places {
    op: Vec<(BlockId, u32)>,
    region: HashMap<BlockId, (RegionId, OpId)>,
}

impl Places {
    fn collect(module: &Module, order: &[OpId]) -> Self {
        let mut places = Self { op: vec![(module.top, u32::MAX); module.op_count()], region: HashMap::new() };
        places.block(module, module.top);
        for &id in order {
            for &region in module.op_regions(id) {
                for &block in &module.region(region).blocks {
                    places.region.insert(block, (region, id));
                    places.block(module, block);
                }
            }
        }
        places
    }

    fn block(&mut self, module: &Module, block: BlockId) {
        for (at, &op) in module.block(block).ops.iter().enumerate() {
            self.op[op.index()] = (block, at as u32);
        }
    }

    fn reaches(
        &self,
        module: &Module,
        value: ValueId,
        user: OpId,
        dominators: &mut HashMap<RegionId, Dominators>,
    ) -> bool {
        let (home, before) = match module.value(value).def {
            Def::Missing => return true,
            Def::Arg(block, _) => (block, None),
            Def::Result(op, _) => (self.op[op.index()].0, Some(self.op[op.index()].1)),
        };
        let (mut block, mut at) = self.op[user.index()];
        loop {
            if block == home {
                return before.is_none_or(|b| b < at);
            }
            let same_region = self.region.get(&block).zip(self.region.get(&home)).filter(|(x, y)| x.0 == y.0);
            if let Some((&(region, _), _)) = same_region {
                return dominators
                    .entry(region)
                    .or_insert_with(|| Dominators::of(module, region))
                    .dominates(home, block);
            }
            match self.region.get(&block) {
                Some(&(_, parent)) => (block, at) = self.op[parent.index()],
                None => return false,
            }
        }
    }
}

/// The dominator tree of a region, as intervals of a walk over it.
struct Dominators {
    index: HashMap<BlockId, usize>,
    /// When the walk entered and left each block; `None` for blocks no path reaches.
    interval: Vec<Option<(u32, u32)>>,
}

impl Dominators {
    fn of(module: &Module, region: RegionId) -> Self {
        let blocks = &module.region(region).blocks;
        let index: HashMap<BlockId, usize> = blocks.iter().enumerate().map(|(i, &b)| (b, i)).collect();
        let mut predecessors = vec![Vec::new(); blocks.len()];
        for (i, &b) in blocks.iter().enumerate() {
            let Some(&last) = module.block(b).ops.last() else { continue };
            for s in module.successors(last) {
                if let Some(&to) = index.get(&s.block) {
                    predecessors[to].push(i);
                }
            }
        }
        let order = reverse_postorder(module, blocks, &index);
        let interval = intervals(&order, &immediate_dominators(&order, &predecessors));
        Self { index, interval }
    }

    /// True when every path to `b` passes `a`; nothing is asked of blocks no path reaches.
    fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        let at = |block: BlockId| self.index.get(&block).and_then(|&i| self.interval[i]);
        match (at(a), at(b)) {
            (_, None) => true,
            (None, _) => false,
            (Some(x), Some(y)) => x.0 <= y.0 && y.1 <= x.1,
        }
    }
}

/// Walks the dominator tree and notes when each block is entered and left.
fn intervals(order: &[usize], idom: &[Option<usize>]) -> Vec<Option<(u32, u32)>> {
    let mut children = vec![Vec::new(); idom.len()];
    for &b in &order[1..] {
        if let Some(up) = idom[b] {
            children[up].push(b);
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

fn reverse_postorder(module: &Module, blocks: &[BlockId], index: &HashMap<BlockId, usize>) -> Vec<usize> {
    let mut seen = vec![false; blocks.len()];
    let mut order = Vec::new();
    let mut stack = vec![(0usize, 0usize)];
    seen[0] = true;
    while let Some((b, at)) = stack.last_mut() {
        let next = module.block(blocks[*b]).ops.last().and_then(|&last| module.successors(last).get(*at));
        *at += 1;
        match next {
            Some(s) => {
                if let Some(&to) = index.get(&s.block)
                    && !std::mem::replace(&mut seen[to], true)
                {
                    stack.push((to, 0));
                }
            }
            None => {
                order.push(*b);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The iterative algorithm of Cooper, Harvey and Kennedy.
fn immediate_dominators(order: &[usize], predecessors: &[Vec<usize>]) -> Vec<Option<usize>> {
    let mut rank = vec![usize::MAX; predecessors.len()];
    for (r, &b) in order.iter().enumerate() {
        rank[b] = r;
    }
    let mut idom: Vec<Option<usize>> = vec![None; predecessors.len()];
    idom[0] = Some(0);
    loop {
        let mut changed = false;
        for &b in &order[1..] {
            let mut best: Option<usize> = None;
            for &p in predecessors[b].iter().filter(|&&p| idom[p].is_some()) {
                best = Some(best.map_or(p, |q| meet(p, q, &idom, &rank)));
            }
            if best != idom[b] {
                idom[b] = best;
                changed = true;
            }
        }
        if !changed {
            return idom;
        }
    }
}

fn meet(mut a: usize, mut b: usize, idom: &[Option<usize>], rank: &[usize]) -> usize {
    while a != b {
        while rank[a] > rank[b] {
            a = idom[a].unwrap_or(0);
        }
        while rank[b] > rank[a] {
            b = idom[b].unwrap_or(0);
        }
    }
    a
}
