//! The order that a list provides for what is around it.

use super::known::{
    ENTRY, FlagLink, Inserted, Knowledge, KnownPositions, OrderSummary, OrderedTouch, PIPES, PipeSet, position,
};
use crate::tree::TreeNode;
use pto_isa::ordered::OrdMap;

/// A list with its flags and barriers.
pub(super) struct FinishedList<'i> {
    pub items: &'i [TreeNode],
    pub summaries: &'i [OrderSummary],
    pub inserted: &'i [Inserted],
}

impl FinishedList<'_> {
    /// For a list that is executed once.
    pub fn once(&self) -> OrderSummary {
        let (entered, end) = self.replay(1);
        let through = std::array::from_fn(|pipe| PipeSet::collect(|other| end[pipe][other] >= ENTRY));
        let last = self.last_uses(0);
        let exit = std::array::from_fn(|pipe| PipeSet::collect(|other| end[pipe][other] >= last[other].max(ENTRY)));
        OrderSummary { parts: self.parts(&entered, &end, 0), through, exit }
    }

    /// For the body of a loop. If it may have no iteration, only its flags before and after the loop count.
    pub fn of_loop(&self, surely: bool) -> OrderSummary {
        let (entered, end) = self.replay(2);
        let (_, first) = self.replay(1);
        let carried: Vec<FlagLink> = self.inserted.iter().flat_map(|i| &i.carried).copied().collect();
        let drained = |dst: usize, src: usize| carried.iter().any(|l| (l.src as usize, l.dst as usize) == (src, dst));
        let last = self.last_uses(self.items.len());
        let through = std::array::from_fn(|pipe| {
            PipeSet::collect(|other| drained(pipe, other) || surely && first[pipe][other] >= ENTRY)
        });
        let exit = std::array::from_fn(|pipe| {
            PipeSet::collect(|other| {
                last[other] > 0 && end[pipe][other] >= last[other] && (surely || drained(pipe, other))
            })
        });
        OrderSummary { parts: self.parts(&entered, &end, self.items.len()), through, exit }
    }

    /// The knowledge before each item of the first iteration, and after the last iteration.
    fn replay(&self, iterations: usize) -> (Vec<KnownPositions>, KnownPositions) {
        let count = self.items.len();
        let mut knowledge = Knowledge::new(iterations * count);
        let mut entered = Vec::with_capacity(count);
        for shift in (0..iterations).map(|iteration| iteration * count) {
            for at in 0..count {
                knowledge.enter(&self.inserted[at], at, shift, count);
                if shift == 0 {
                    entered.push(knowledge.now);
                }
                knowledge.pass(&self.items[at], &self.summaries[at], position(shift + at));
                knowledge.record();
            }
        }
        // Carried flags are awaited once more.
        let final_iteration = (iterations - 1) * count;
        for link in self.inserted.iter().flat_map(|i| &i.carried) {
            knowledge.learn(link.src, link.dst, position(final_iteration + link.from));
        }
        (entered, knowledge.now)
    }

    /// The position of the last work of each pipe, or 0.
    fn last_uses(&self, shift: usize) -> [u32; PIPES] {
        let mut last = [0; PIPES];
        for (at, summary) in self.summaries.iter().enumerate() {
            summary.parts.iter().for_each(|part| last[part.pipe()] = position(shift + at));
        }
        last
    }

    fn parts(&self, entered: &[KnownPositions], end: &KnownPositions, shift: usize) -> Vec<OrderedTouch> {
        let mut all = Vec::new();
        for (at, summary) in self.summaries.iter().enumerate() {
            let (known, own) = (&entered[at], position(shift + at));
            for part in &summary.parts {
                let pipe = part.pipe();
                let after = PipeSet::collect(|other| {
                    let knows = |pipe: usize| known[pipe][other] >= ENTRY;
                    part.after.has(other) || knows(pipe) || part.after.iter().any(knows)
                });
                let done = PipeSet::collect(|other| {
                    // A pipe that knows may have signalled others since.
                    let told = part.done.iter().any(|by| end[other][by] > own);
                    part.done.has(other) || told || end[other][pipe] >= own
                });
                all.push(OrderedTouch { after, done, ..*part });
            }
        }
        united(all)
    }
}

/// The order that one of several lists provides; which is unknown.
pub(super) fn either(lists: Vec<OrderSummary>) -> OrderSummary {
    let mut lists = lists.into_iter();
    let Some(mut all) = lists.next() else { return OrderSummary::default() };
    for list in lists {
        all.parts.extend(list.parts);
        let both = |a: [PipeSet; PIPES], b: [PipeSet; PIPES]| std::array::from_fn(|pipe| a[pipe].both(b[pipe]));
        all.through = both(all.through, list.through);
        all.exit = both(all.exit, list.exit);
    }
    all.parts = united(all.parts);
    all
}

/// One touch of each kind: the same bytes, direction and order.
fn united(parts: Vec<OrderedTouch>) -> Vec<OrderedTouch> {
    let mut kinds: OrdMap<_, OrderedTouch> = OrdMap::new();
    for part in parts {
        let touch = &part.touch;
        let key = (touch.region, touch.slot, touch.pipe, touch.core, touch.write, part.after, part.done);
        let kind = kinds.entry(key).or_insert(part);
        kind.touch = kind.touch.min(part.touch);
    }
    kinds.into_values().collect()
}
