//! Edits that give every set of a flag one wait, and every wait one set.
//!
//! Of two possible fixes, the one is chosen that keeps the order of the text: work before the set stays before work after the wait.

use super::fixes::Repair;
use super::*;
use pto_ir::BlockId;
use pto_isa::row::{FlagForm, SyncOp};
use pto_isa::sort::SharedSort;
use pto_isa::text;

/// The statements that set a flag and those that wait for it, in source order.
pub(super) struct FlagEnds {
    pub sets: Vec<OpId>,
    pub waits: Vec<OpId>,
}

impl FlagEnds {
    /// Those in a block.
    fn within(&self, all: &Findings<'_>, block: BlockId) -> Self {
        let of = |list: &[OpId]| list.iter().copied().filter(|id| all.text().block_of(*id) == Some(block)).collect();
        Self { sets: of(&self.sets), waits: of(&self.waits) }
    }

    /// True when a branch or a loop between two statements of a block uses the flag.
    fn is_used_between(&self, all: &Findings<'_>, set: OpId, wait: OpId) -> bool {
        let (from, to) = (all.text().position(set), all.text().position(wait));
        let between = all.rest_of_block(set).get(..to.saturating_sub(from + 1)).unwrap_or(&[]);
        let uses = self.sets.iter().chain(&self.waits);
        uses.filter(|id| all.text().block_of(**id) != all.text().block_of(set))
            .any(|id| all.text().around(*id).iter().any(|at| between.contains(at)))
    }

    /// True when the flag is set before the loop of a block.
    fn is_set_before(&self, all: &Findings<'_>, block: BlockId) -> bool {
        let around = all.text().loop_around(block);
        let before = |set: &OpId| {
            around.is_some_and(|id| {
                all.text().block_of(*set) == all.text().block_of(id)
                    && all.text().position(*set) < all.text().position(id)
            })
        };
        self.sets.iter().any(before)
    }

    fn len(&self) -> usize {
        self.sets.len() + self.waits.len()
    }

    /// Those that remain when the waits of each block are paired with the last sets before them.
    fn unpaired(&self, all: &Findings<'_>) -> Self {
        let mut left = Self { sets: Vec::new(), waits: Vec::new() };
        let mut order = [&self.sets[..], &self.waits[..]].concat();
        let place = |id: &OpId| (all.text().block_of(*id), all.text().position(*id));
        order.shared_sort_by_key(place);
        for block in order.chunk_by(|a, b| place(a).0 == place(b).0) {
            let mut up = Vec::new();
            for id in block {
                if self.sets.contains(id) {
                    up.push(*id);
                } else if up.last().is_some_and(|set| !self.is_used_between(all, *set, *id)) {
                    up.pop();
                } else {
                    left.waits.push(*id);
                }
            }
            left.sets.extend(up);
        }
        left
    }
}

impl Findings<'_> {
    /// `None` if the program computes ids of these pipes: then the text does not show which statements belong to a flag.
    fn ends_of(&self, flag: Flag) -> Option<FlagEnds> {
        let stated = self.stated();
        let of = |sets: bool| {
            let is = |id: &OpId| match self.module.sync(*id) {
                Some(SyncOp::SetFlag(FlagForm::Fixed | FlagForm::Event)) => sets,
                Some(SyncOp::WaitFlag(FlagForm::Fixed | FlagForm::Event)) => !sets,
                _ => false,
            };
            stated.uses(flag).iter().copied().filter(is).collect()
        };
        let ends = FlagEnds { sets: of(true), waits: of(false) };
        (!stated.computed.contains(&(flag.src, flag.dst))).then_some(ends)
    }

    // ---- a wait that never ends -----------------------------------------------------------------------------------

    /// The fix for a wait for a flag that is not set.
    pub(super) fn set_missing(&self, flag: Flag, wait: OpId) -> Option<Repair> {
        let ends = self.ends_of(flag)?;
        let left = ends.unpaired(self);
        self.misnamed(flag, wait, false)
            .or_else(|| self.without_one_wait(flag, &ends, wait))
            .or_else(|| self.equally_often(&ends))
            .or_else(|| self.carried_evenly(&ends))
            .or_else(|| self.set_before_loop(&ends, wait))
            .or_else(|| self.equally_often(&left))
            .or_else(|| self.set_before_wait(&ends, wait))
    }

    /// One of two statements names the wrong flag: a block has more sets than waits of one flag and, after that, more waits than sets of
    /// another. The statement is changed whose pipes do not match the work next to it; if both match, the one whose flag is used less.
    fn one_name(&self, set_flag: Flag, wait_flag: Flag, block: BlockId) -> Option<Repair> {
        let (all_a, all_b) = (self.ends_of(set_flag)?, self.ends_of(wait_flag)?);
        let (a, b) = (all_a.within(self, block), all_b.within(self, block));
        if a.sets.len() <= a.waits.len() || b.waits.len() <= b.sets.len() {
            return None;
        }
        // Statements with a counterpart in the block name the right flag.
        let (open_a, open_b) = (a.unpaired(self).sets, b.unpaired(self).waits);
        let (set, wait) = self.nearest(&open_a, &open_b).or_else(|| self.nearest(&a.sets, &b.waits))?;
        let fits = |flag: Flag| {
            usize::from(self.last_work_ahead(set) == Some(flag.src))
                + usize::from(self.first_work_behind(wait) == Some(flag.dst))
        };
        // A set for the next iteration has the name of the flag that is set before the loop.
        let carried = self.text().position(wait) < self.text().position(set);
        let change_set = match fits(wait_flag).cmp(&fits(set_flag)) {
            std::cmp::Ordering::Equal => match (all_a.waits.is_empty(), all_b.sets.is_empty()) {
                _ if carried && all_a.is_set_before(self, block) != all_b.is_set_before(self, block) => {
                    all_b.is_set_before(self, block)
                }
                // Elsewhere one of the two flags has both ends, so here it is the wrong one.
                (false, true) => true,
                (true, false) => false,
                _ => all_a.len() < all_b.len(),
            },
            more => more.is_gt(),
        };
        let all = all_a.waits.is_empty() && all_b.sets.is_empty() && a.sets.len() == b.waits.len();
        let (wrong, right) = if change_set { (set, wait) } else { (wait, set) };
        let wrong = match (all, change_set) {
            (true, true) => a.sets,
            (true, false) => b.waits,
            _ => vec![wrong],
        };
        let text = self.flag_text(right, change_set, None)?;
        let edits = wrong.iter().flat_map(|id| self.replaced(*id, &*text)).collect();
        let help = if change_set {
            text!("set the flag that the wait names; or change the wait to the flag that is set")
        } else {
            text!("wait for the flag that is set; or change the set to the flag that the wait names")
        };
        Some(Repair::new("").help(help).edits(edits))
    }

    /// The closest pair of a set and a wait after it; in a loop, the wait may belong to the next iteration.
    fn nearest(&self, sets: &[OpId], waits: &[OpId]) -> Option<(OpId, OpId)> {
        let at = |id: &OpId| self.text().position(*id);
        let pairs = sets.iter().flat_map(|set| waits.iter().map(move |wait| (*set, *wait)));
        let looped = |id: &OpId| self.text().block_of(*id).and_then(|block| self.text().loop_around(block)).is_some();
        let distance = |(set, wait): &(OpId, OpId)| (at(set) > at(wait), at(wait).abs_diff(at(set)), at(set));
        pairs.filter(|(set, wait)| at(set) < at(wait) || looped(set)).min_by_key(distance)
    }

    /// The same for a flag and all others, most similar first: the same pipes, then the reverse, then one in common.
    fn misnamed(&self, flag: Flag, at: OpId, is_set: bool) -> Option<Repair> {
        let block = self.text().block_of(at)?;
        let alike = |f: &Flag| match ((f.src, f.dst) == (flag.src, flag.dst), (f.dst, f.src) == (flag.src, flag.dst)) {
            (true, _) => Some(0),
            (_, true) => Some(1),
            _ if f.src == flag.src => Some(2),
            _ if f.dst == flag.dst => Some(3),
            _ => None,
        };
        let others = self.stated().all_flags().filter(|f| **f != flag);
        let mut others: Vec<(u8, Flag)> = others.filter_map(|f| Some((alike(f)?, *f))).collect();
        others.shared_sort();
        let repair = |other: Flag| {
            if is_set { self.one_name(flag, other, block) } else { self.one_name(other, flag, block) }
        };
        others.into_iter().find_map(|(_, other)| repair(other))
    }

    /// The loop sets the flag for its next iteration, so the first iteration needs a set before the loop.
    fn set_before_loop(&self, ends: &FlagEnds, wait: OpId) -> Option<Repair> {
        let [set] = &ends.sets[..] else { return None };
        let around = self.text().loop_around(self.text().block_of(wait)?)?;
        let inside = self.text().around(*set).contains(&around);
        let edit = Edit::before(self.span(around), self.flag_text(*set, true, None)?);
        inside.then(|| Repair::new("").edits(vec![edit]))
    }

    /// A wait after another in its block, without work of the other pipe in between, has no effect.
    fn without_one_wait(&self, flag: Flag, ends: &FlagEnds, wait: OpId) -> Option<Repair> {
        let block = self.text().block_of(wait)?;
        let own = ends.within(self, block);
        let mut order = [&own.sets[..], &own.waits[..]].concat();
        order.shared_sort_by_key(|id| self.text().position(*id));
        let idle = |a: OpId, b: OpId| {
            let between = &self.module.block(block).ops[self.text().position(a) + 1..self.text().position(b)];
            !between.iter().any(|id| self.works_on(*id, flag.src))
        };
        let again = |w: &&[OpId]| w.iter().all(|id| own.waits.contains(id)) && idle(w[0], w[1]);
        let twice =
            order.windows(2).find(again).filter(|_| own.waits.len() > own.sets.len() && !own.sets.is_empty())?;
        let edits = vec![Edit::remove(self.span(twice[1]))];
        Some(Repair::new("").help(text!("the wait before it is enough")).edits(edits))
    }

    /// A set right before the wait, if each iteration has one more wait than sets.
    fn set_before_wait(&self, ends: &FlagEnds, wait: OpId) -> Option<Repair> {
        let block = self.text().block_of(wait)?;
        let own = ends.within(self, block);
        let alone = own.sets.len() == ends.sets.len() && own.waits.len() == ends.waits.len();
        if !ends.sets.is_empty() && (!alone || own.waits.len() <= own.sets.len()) {
            return None;
        }
        Some(Repair::new("").edits(vec![Edit::before(self.span(wait), self.flag_text(wait, true, None)?)]))
    }

    // ---- a set without a wait --------------------------------------------------------------------------------------

    /// The fix for a set that is left over at the end.
    pub(super) fn wait_missing(&self, flag: Flag, set: OpId) -> Option<Repair> {
        let ends = self.ends_of(flag)?;
        let unawaited = || {
            let without = || Repair::new("").edits(vec![Edit::remove(self.span(set))]);
            (ends.waits.is_empty() && ends.sets.contains(&set)).then(without)
        };
        self.misnamed(flag, set, true)
            .or_else(unawaited)
            .or_else(|| self.equally_often(&ends))
            .or_else(|| self.carried_evenly(&ends))
            .or_else(|| self.without_one_set(&ends, set))
            .or_else(|| self.wait_behind_loop(&ends, set))
            .or_else(|| self.without_last_set(&ends, set))
            .or_else(|| self.equally_often(&ends.unpaired(self)))
            .or_else(|| self.wait_behind_set(&ends, set))
    }

    /// Everywhere else a set has its wait.
    fn wait_behind_set(&self, ends: &FlagEnds, set: OpId) -> Option<Repair> {
        let left = ends.unpaired(self);
        let edit = Edit::after(self.span(set), self.flag_text(set, false, None)?);
        (left.sets == [set] && left.waits.is_empty()).then(|| Repair::new("").edits(vec![edit]))
    }

    /// The loop waits for the set of the previous iteration, so the last set needs a wait after the loop.
    fn wait_behind_loop(&self, ends: &FlagEnds, set: OpId) -> Option<Repair> {
        let [wait] = &ends.waits[..] else { return None };
        let around = self.text().loop_around(self.text().block_of(*wait)?)?;
        let inside = |id: OpId| self.text().around(id).contains(&around);
        let carried = ends.sets.iter().any(|id| inside(*id))
            && (inside(set) || self.text().parent(set) == self.text().parent(around));
        let edit = Edit::after(self.span(around), self.flag_text(*wait, false, None)?);
        carried.then(|| Repair::new("").edits(vec![edit]))
    }

    /// Of two sets without a wait in between, the first is redundant.
    fn without_one_set(&self, ends: &FlagEnds, set: OpId) -> Option<Repair> {
        let own = ends.within(self, self.text().block_of(set)?);
        let mut order = [&own.sets[..], &own.waits[..]].concat();
        order.shared_sort_by_key(|id| self.text().position(*id));
        let twice = order.windows(2).find(|w| own.sets.contains(&w[0]) && own.sets.contains(&w[1]))?;
        let edit = Edit::remove(self.span(twice[0]));
        (own.sets.len() > own.waits.len())
            .then(|| Repair::new("").help(text!("one set for each wait")).edits(vec![edit]))
    }

    /// The same in a block that otherwise has a wait for each set.
    fn without_doubled_set(&self, ends: &FlagEnds) -> Option<Repair> {
        let uneven = |set: &&OpId| {
            let own = self.text().block_of(**set).map(|block| ends.within(self, block));
            own.is_some_and(|own| !own.waits.is_empty() && own.sets.len() == own.waits.len() + 1)
        };
        ends.sets.iter().filter(uneven).find_map(|set| self.without_one_set(ends, *set))
    }

    /// The second of two sets in a row.
    fn without_repeated_set(&self, set: OpId) -> Option<Repair> {
        let flag =
            |id: OpId| pto_check::flag_of(self.module, id).filter(|_| self.module.sync(id) == self.module.sync(set));
        let block = self.text().block_of(set)?;
        let at = self.text().position(set);
        let ops = &self.module.block(block).ops;
        let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|at| ops.get(at));
        let again = beside.copied().any(|id| flag(id).is_some() && flag(id) == flag(set));
        again.then(|| Repair::new("").help(text!("one set for each wait")).edits(vec![Edit::remove(self.span(set))]))
    }

    /// A set after the last wait of its block.
    fn without_last_set(&self, ends: &FlagEnds, set: OpId) -> Option<Repair> {
        let own = ends.within(self, self.text().block_of(set)?);
        let all = own.sets.len() == ends.sets.len() && own.waits.len() == ends.waits.len();
        let edit = Edit::remove(self.span(set));
        let surplus = all && own.sets.len() > own.waits.len();
        surplus.then(|| Repair::new("").help(text!("one set for each wait")).edits(vec![edit]))
    }

    // ---- a set while the flag is set ------------------------------------------------------------------------------

    /// The fix for a flag that is set again before a wait has cleared it.
    pub(super) fn wait_between(&self, flag: Flag, first: OpId, second: OpId) -> Option<Repair> {
        let computed = |id: OpId| self.module.sync(id) == Some(SyncOp::SetFlag(FlagForm::Computed));
        match [first, second].map(computed) {
            [true, true] => return self.computed_pair(flag, second),
            [_, true] => return self.without_repeated_set(first).or_else(|| self.computed_pair(flag, second)),
            _ => {}
        }
        let Some(ends) = self.ends_of(flag) else { return self.without_repeated_set(first) };
        let unawaited = || {
            let without = || Repair::new(text!("no wait is left for it")).edits(vec![Edit::remove(self.span(second))]);
            ends.waits.is_empty().then(without)
        };
        self.misnamed(flag, second, true)
            .or_else(unawaited)
            .or_else(|| self.equally_often(&ends))
            .or_else(|| self.carried_evenly(&ends))
            .or_else(|| self.without_doubled_set(&ends))
            .or_else(|| self.alternate_iterations(flag, &ends))
            .or_else(|| self.another_id(flag, &ends, second))
            .or_else(|| self.without_one_set(&ends, first))
            .or_else(|| self.equally_often(&ends.unpaired(self)))
    }

    /// Two pairs of sets and waits in a block: the second pair gets its own id.
    fn another_id(&self, flag: Flag, ends: &FlagEnds, second: OpId) -> Option<Repair> {
        let block = self.text().block_of(second)?;
        let FlagEnds { sets, waits } = ends.within(self, block);
        let at = sets.iter().position(|id| *id == second)?;
        let (wait, id) = (*waits.get(at)?, self.free_id(flag.src, flag.dst)?);
        if sets.len() != waits.len() || self.text().position(wait) < self.text().position(second) {
            return None;
        }
        let (set_text, wait_text) = (self.flag_text(second, true, Some(id))?, self.flag_text(wait, false, Some(id))?);
        let edits = [self.replaced(second, set_text), self.replaced(wait, wait_text)].concat();
        Some(
            Repair::new("")
                .help(text!("use a separate id for each of the two; or wait for the first before setting the second"))
                .edits(edits),
        )
    }

    /// Several sets before a loop let it run ahead by as many iterations: each gets an id, and iterations alternate between them.
    fn alternate_iterations(&self, flag: Flag, ends: &FlagEnds) -> Option<Repair> {
        let text = self.text();
        let inside = |id: &&OpId| text.block_of(**id).and_then(|block| text.loop_around(block)).is_some();
        let (inner_sets, sets): (Vec<&OpId>, Vec<&OpId>) = ends.sets.iter().partition(inside);
        let (inner_waits, waits): (Vec<&OpId>, Vec<&OpId>) = ends.waits.iter().partition(inside);
        let ([set], [wait]) = (&inner_sets[..], &inner_waits[..]) else { return None };
        let block = text.block_of(**set)?;
        let same = text.block_of(**wait) == Some(block) && text.position(**wait) < text.position(**set);
        let around = text.owner(block).filter(|id| same && text.is_loop(*id))?;
        let count = u32::try_from(sets.len()).ok().filter(|n| *n > 1 && waits.len() == sets.len())?;
        let ids: Vec<u32> = (0..count).map(|k| u32::try_from(flag.id).unwrap_or(0) + k).collect();
        let free = |id: &u32| self.stated().uses(Flag { id: i64::from(*id), ..flag }).is_empty();
        let ids_left = ids[1..].iter().all(|id| free(id) && *id < self.target.profile().event_ids);
        let mut edits = Vec::new();
        for (k, id) in ids.iter().enumerate().skip(1).filter(|_| ids_left) {
            edits.extend(self.replaced(*sets[k], self.flag_text(*sets[k], true, Some(*id))?));
            edits.extend(self.replaced(*waits[k], self.flag_text(*waits[k], false, Some(*id))?));
        }
        match self.number_of_iteration(around, flag.id, count).filter(|_| ids_left) {
            Some((lines, name)) => {
                edits.extend(lines.into_iter().map(|line| Edit::before(self.span(**wait), line)));
                edits.extend(self.replaced(**wait, self.computed_text(flag, false, &name)));
                edits.extend(self.replaced(**set, self.computed_text(flag, true, &name)));
                let help = text!("alternate ids between iterations; or one set before the loop and one wait after it");
                Some(Repair::new("").help(help).edits(edits))
            }
            None => {
                let extra = sets[1..].iter().chain(&waits[1..]);
                let edits = extra.map(|id| Edit::remove(self.span(**id))).collect();
                let help =
                    text!("one set before the loop and one wait after it; or an id for each iteration in flight");
                Some(Repair::new("").help(help).edits(edits))
            }
        }
    }

    /// The lines that compute the iteration number modulo `count`, plus `first`, and the name of the result.
    fn number_of_iteration(&self, around: OpId, first: i64, count: u32) -> Option<(Vec<String>, String)> {
        let [counter, from, _, step] = self.loop_names(around)?;
        let [passed, iteration, iterations, which, base, id] =
            ["passed", "iteration", "iterations", "which", "first_id", "id"].map(|n| self.fresh_name(n));
        let lines = vec![
            format!("%{passed} = arith.subi %{counter}, %{from} : index"),
            format!("%{iteration} = arith.divui %{passed}, %{step} : index"),
            format!("%{iterations} = arith.constant {count} : index"),
            format!("%{which} = arith.remui %{iteration}, %{iterations} : index"),
            format!("%{base} = arith.constant {first} : index"),
            format!("%{id} = arith.addi %{which}, %{base} : index"),
        ];
        Some((lines, id))
    }

    /// A set and a wait of one loop that take their ids from different values: the wait must be for the buffer that the set frees.
    fn computed_pair(&self, flag: Flag, set: OpId) -> Option<Repair> {
        let text = self.text();
        let block = text.block_of(set)?;
        let of_pipes = |id: &OpId| {
            let flag_of = pto_check::flag_of(self.module, *id);
            flag_of.is_some_and(|(src, dst, _)| (src, dst) == (flag.src, flag.dst))
        };
        let waits = self.module.block(block).ops.iter().copied();
        let waits: Vec<OpId> = waits
            .filter(|id| self.module.sync(*id) == Some(SyncOp::WaitFlag(FlagForm::Computed)) && of_pipes(id))
            .collect();
        let [wait] = waits[..] else { return None };
        let (own, other) = (self.in_named_slot(set, "event_id")?, self.in_named_slot(wait, "event_id")?);
        let name = self.module.value_name(own);
        if own == other || name.is_empty() || !text.is_known_at(own, wait) {
            return None;
        }
        let edits = self.replaced(wait, self.computed_text(flag, false, name)).into();
        let help =
            text!("wait for the id of the set; or set the id of the wait, {other}", other = self.name(Some(other)));
        Some(Repair::new("").help(help).edits(edits))
    }
}
