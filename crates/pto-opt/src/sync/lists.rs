//! Dependences between the items of a list.

use super::barriers::{self, BarrierRange};
use super::calls::{self, UnderWay};
use super::history::{Need, TouchHistory};
use super::known::{FlagLink, Inserted, Knowledge, OrderSummary, OrderedTouch, index, position};
use super::summary::{FinishedList, either};
use super::{Edge, Means, NumberedFlags, Reason};
use crate::effects::OrderEffect;
use crate::tree::{TreeNode, TreeNodeKind};
use pto_ir::OpId;
use pto_isa::Target;
use pto_isa::cancel::poll;
use pto_isa::ordered::OrdMap;
use pto_isa::sort::SharedSort;
use pto_isa::text;
use std::borrow::Cow;

pub(super) struct ListOrder<'e> {
    target: Target,
    edges: &'e mut Vec<Edge>,
    /// Flags are used: the order inside of items also counts for what is around them.
    flags: bool,
}

/// The state of a list while its flags are computed.
struct ListPass<'i> {
    items: &'i [TreeNode],
    summaries: &'i [OrderSummary],
    knowledge: Knowledge,
    history: TouchHistory,
    inserted: Vec<Inserted>,
    stretches: Vec<BarrierRange>,
    round: Option<LoopBody>,
    /// After how many iterations of the loop the same tiles are used again. If unknown, any iteration may use any tile.
    period: Option<usize>,
    /// For the list of a function: what is unfinished around calls. Elsewhere all pipes finish before and after a call.
    under_way: Option<UnderWay>,
}

impl<'i> ListPass<'i> {
    /// The touches of an item in the iteration that starts at `shift`.
    fn parts(&self, at: usize, shift: usize) -> Cow<'i, [OrderedTouch]> {
        let parts = &self.summaries[at].parts;
        match self.round {
            Some(round) if self.period.is_some() && parts.iter().any(|p| p.touch.slot.is_some()) => {
                let iteration = shift / self.items.len();
                parts.iter().map(|p| OrderedTouch { touch: p.touch.in_iteration(round.op, iteration), ..*p }).collect()
            }
            _ => Cow::Borrowed(parts),
        }
    }

    /// Flags by tile index, between accesses in the same iteration, or so many iterations apart that the same tile is used again: iterations
    /// in between use other tiles and need not wait.
    fn numbered(&self, need: &Need, back: usize) -> Option<NumberedFlags> {
        let round = self.round.filter(|round| round.once_more == 0)?;
        let period = self.period.filter(|period| *period > 1 && (back == 0 || back == *period))?;
        let own = |part: &OrderedTouch| part.touch.slot.filter(|slot| slot.around == round.op);
        let (set, wait) = (own(&need.from.part)?, own(&need.part)?);
        let count = u8::try_from(period).ok()?;
        let numbers = set.number.zip(wait.number).filter(|_| set.has_number_of(wait))?;
        Some(NumberedFlags { around: round.op, count, set: numbers.0, wait: numbers.1 })
    }
}

/// The loop whose body is a list.
#[derive(Clone, Copy)]
struct LoopBody {
    op: OpId,
    /// How many items are executed once more after the last iteration.
    once_more: usize,
}

impl LoopBody {
    /// After how many iterations the same bytes are used again, if that is the same for everything. Otherwise the distance does not determine which
    /// iterations share bytes.
    fn period(self, summaries: &[OrderSummary]) -> Option<usize> {
        let slots = summaries.iter().flat_map(|s| &s.parts).filter_map(|part| part.touch.slot);
        let mut periods = slots.filter(|slot| slot.around == self.op).map(|slot| slot.period as usize);
        let first = periods.next()?;
        periods.all(|period| period == first).then_some(first)
    }

    /// The loops before which a flag between two items is set, and after which it is awaited, so that sets and waits match.
    fn ends(self, from: usize, to: usize, carried: bool) -> (Option<OpId>, Option<OpId>) {
        let again = |item: usize| usize::from(item < self.once_more);
        // The set of the same iteration is enough, if there is one.
        let carried = carried && again(to) >= again(from);
        let left = usize::from(carried) + again(from) > again(to);
        (carried.then_some(self.op), left.then_some(self.op))
    }
}

impl<'e> ListOrder<'e> {
    pub fn new(target: Target, edges: &'e mut Vec<Edge>, flags: bool) -> Self {
        Self { target, edges, flags }
    }

    /// A block of a function. If its successors are unknown, all pipes finish before `end`.
    pub fn block(&mut self, items: &[TreeNode], end: Option<OpId>) {
        let summaries: Vec<OrderSummary> = items.iter().map(|item| self.inside(item)).collect();
        self.order(items, &summaries, None, Some(UnderWay::default()));
        if let (Some(end), Some(last)) = (end, items.last()) {
            self.all(last.op, end, text!("control flow that is not analysed"));
        }
    }

    /// A list that is executed once.
    fn straight(&mut self, items: &[TreeNode]) -> OrderSummary {
        let summaries: Vec<OrderSummary> = items.iter().map(|item| self.inside(item)).collect();
        let inserted = self.order(items, &summaries, None, None);
        FinishedList { items, summaries: &summaries, inserted: &inserted }.once()
    }

    /// The body of a loop: dependences of the next iteration are carried.
    fn loop_body(&mut self, items: &[TreeNode], around: OpId, surely: bool) -> OrderSummary {
        let summaries: Vec<OrderSummary> = items.iter().map(|item| self.inside(item)).collect();
        let inserted = self.order(items, &summaries, Some(LoopBody { op: around, once_more: 0 }), None);
        FinishedList { items, summaries: &summaries, inserted: &inserted }.of_loop(surely)
    }

    /// A loop with its exit in the middle. The order that it provides is not used outside.
    fn conditional(&mut self, items: &[TreeNode], around: OpId, once_more: usize) {
        let summaries: Vec<OrderSummary> = items.iter().map(|item| self.inside(item)).collect();
        self.order(items, &summaries, Some(LoopBody { op: around, once_more }), None);
    }

    fn inside(&mut self, item: &TreeNode) -> OrderSummary {
        let summary = match &item.kind {
            TreeNodeKind::Leaf(_) => None,
            TreeNodeKind::Loop(body, surely) => {
                let mut summary = self.loop_body(body, item.op, *surely);
                summary.parts.iter_mut().for_each(|part| part.touch = part.touch.in_any_iteration(item.op));
                Some(summary)
            }
            TreeNodeKind::Conditional(body, first) => {
                self.conditional(body, item.op, *first);
                None
            }
            TreeNodeKind::Branches(lists) => Some(either(lists.iter().map(|list| self.straight(list)).collect())),
            TreeNodeKind::Tangle(lists) => {
                for (_, list) in lists {
                    self.straight(list);
                    if let (Some(first), Some(last)) = (list.first(), list.last()) {
                        self.all(last.op, first.op, text!("a loop of branches that is not analysed"));
                    }
                }
                None
            }
        };
        let parts = || item.touches.iter().map(|touch| OrderedTouch::plain(*touch)).collect();
        summary.filter(|_| self.flags).unwrap_or_else(|| OrderSummary { parts: parts(), ..OrderSummary::default() })
    }

    fn all(&mut self, after: OpId, before: OpId, why: &'static str) {
        self.edges.push(Edge {
            means: Means::All(why),
            after,
            before,
            carried_by: None,
            drained_by: None,
            numbered: None,
            reasons: Vec::new(),
        });
    }

    /// Finds the flags of a list, then its barriers.
    fn order(
        &mut self,
        items: &[TreeNode],
        summaries: &[OrderSummary],
        round: Option<LoopBody>,
        under_way: Option<UnderWay>,
    ) -> Vec<Inserted> {
        let period = round.and_then(|round| round.period(summaries));
        let mut pass = ListPass {
            items,
            summaries,
            knowledge: Knowledge::new(2 * items.len()),
            history: TouchHistory::default(),
            inserted: vec![Inserted::default(); items.len()],
            stretches: Vec::new(),
            round,
            period,
            under_way,
        };
        let iterations = round.map_or(1, |_| 1 + period.unwrap_or(1));
        for shift in (0..iterations).map(|iteration| iteration * items.len()) {
            for at in 0..items.len() {
                self.step(&mut pass, at, shift);
            }
        }
        for stretch in barriers::place(&pass.stretches, items.len()) {
            self.barrier(&items[stretch.at], &stretch.need);
            pass.inserted[stretch.at].barriers.push(stretch.need.part.touch.pipe);
        }
        pass.inserted
    }

    /// One item; `shift` is where its iteration starts.
    fn step(&mut self, pass: &mut ListPass<'_>, at: usize, shift: usize) {
        poll();
        let (item, here) = (&pass.items[at], position(shift + at));
        if shift > 0 {
            for link in &pass.inserted[at].ends {
                pass.knowledge.learn(link.src, link.dst, position(shift + link.from));
            }
            // Flags from the last iteration but one.
            if let Some(before) = shift.checked_sub(pass.items.len()).filter(|before| *before > 0) {
                for link in pass.inserted[at].carried.iter().filter(|link| link.iterations == 1) {
                    pass.knowledge.learn(link.src, link.dst, position(before + link.from));
                }
            }
        }
        if pass.under_way.as_mut().is_some_and(|under_way| under_way.has_to_finish(item)) {
            self.all(pass.items[at - 1].op, item.op, text::translate(calls::WHY));
            pass.history.forget();
            pass.knowledge.finish_all(here - 1);
        }
        if matches!(item.kind, TreeNodeKind::Leaf(OrderEffect::Call(_))) {
            self.call(pass, at, shift);
        } else {
            self.needs(pass, at, shift);
            pass.knowledge.pass(item, &pass.summaries[at], here);
        }
        let is_leaf = matches!(item.kind, TreeNodeKind::Leaf(_));
        pass.history.remember(&pass.parts(at, shift), here, &pass.knowledge.now, is_leaf);
        pass.knowledge.record();
    }

    /// In loops and branches, all pipes finish before and after a call.
    fn call(&mut self, pass: &mut ListPass<'_>, at: usize, shift: usize) {
        if pass.under_way.is_none() {
            let item = &pass.items[at];
            pass.history.forget();
            pass.knowledge.pass(item, &pass.summaries[at], position(shift + at));
            if shift == 0 {
                self.all(item.op, item.op, text::translate(calls::WHY));
            }
        }
    }

    /// Finds dependences of an item that are not ordered yet.
    fn needs(&mut self, pass: &mut ListPass<'_>, at: usize, shift: usize) {
        let mut needs = pass.history.needs(&pass.parts(at, shift), &pass.knowledge.now);
        // Later dependences know more: they may make others redundant, and flags may make barriers redundant.
        let is_barrier = |n: &Need| n.from.part.touch.pipe == n.part.touch.pipe;
        needs.shared_sort_by_key(|n| (is_barrier(n), std::cmp::Reverse(n.from.item), n.part.touch));
        for need in needs {
            if need.from.comes_before(&need.part, &pass.knowledge.now) {
                continue;
            }
            let (src, dst) = (need.from.part.touch.pipe, need.part.touch.pipe);
            let carried = need.from.item < position(shift);
            if src == dst {
                if self.target.profile().overlapping_pipes.contains(&src) {
                    let from = index(need.from.item) % pass.items.len();
                    pass.stretches.push(BarrierRange { from, at, carried, need });
                    pass.knowledge.finish(src, need.from.item + 1);
                }
            } else {
                self.wait(pass, at, shift, &need);
                pass.knowledge.learn(src, dst, need.from.item);
            }
        }
    }

    /// A flag from an earlier item.
    fn wait(&mut self, pass: &mut ListPass<'_>, at: usize, shift: usize, need: &Need) {
        let (iteration, first) = (shift / pass.items.len(), index(need.from.item));
        let (from, back) = (first % pass.items.len(), iteration - first / pass.items.len());
        let ends = pass.round.map_or((None, None), |round| round.ends(from, at, back > 0));
        // Between two sets there must be a wait: a wait that comes later in the iteration moves before the set.
        let to = if ends.0.is_some() { at.min(from) } else { at };
        let numbered = if to == at { pass.numbered(need, back) } else { None };
        self.flag(&pass.items[from], &pass.items[to], need, ends, numbered);
        let iterations = if numbered.is_some() { back } else { back.min(1) };
        let link = FlagLink { src: need.from.part.touch.pipe, dst: need.part.touch.pipe, from, iterations };
        let inserted = &mut pass.inserted[at];
        if back > 0 { &mut inserted.carried } else { &mut inserted.ends }.push(link);
    }

    fn reason(need: &Need) -> Reason {
        let (first, second) = (need.from.part.touch.op, need.part.touch.op);
        Reason { first, second, value: need.part.touch.value, hazard: need.hazard }
    }

    fn barrier(&mut self, item: &TreeNode, need: &Need) {
        let means = Means::Barrier(need.part.touch.pipe);
        let reasons = vec![Self::reason(need)];
        let (after, before) = (item.op, item.op);
        self.edges.push(Edge { means, after, before, carried_by: None, drained_by: None, numbered: None, reasons });
    }

    fn flag(
        &mut self,
        from: &TreeNode,
        to: &TreeNode,
        need: &Need,
        (carried_by, drained_by): (Option<OpId>, Option<OpId>),
        numbered: Option<NumberedFlags>,
    ) {
        let means = Means::Flag { src: need.from.part.touch.pipe, dst: need.part.touch.pipe, id: 0 };
        let reasons = vec![Self::reason(need)];
        self.edges.push(Edge { means, after: from.op, before: to.op, carried_by, drained_by, numbered, reasons });
    }
}

/// The same order with barriers only.
pub(super) fn as_barriers(edges: Vec<Edge>) -> Vec<Edge> {
    let mut by_place: OrdMap<OpId, Edge> = OrdMap::new();
    for edge in edges {
        let means = match edge.means {
            Means::All(why) => Means::All(why),
            _ => Means::All(text!("asked for")),
        };
        let kept = by_place.entry(edge.before).or_insert(Edge {
            means,
            after: if matches!(edge.means, Means::All(_)) { edge.after } else { edge.before },
            before: edge.before,
            carried_by: None,
            drained_by: None,
            numbered: None,
            reasons: Vec::new(),
        });
        kept.reasons.extend(edge.reasons);
    }
    by_place.into_values().collect()
}
