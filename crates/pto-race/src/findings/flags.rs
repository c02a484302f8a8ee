//! Which changes of the text let every set of a flag have one wait, and every wait one set.
//!
//! Where two repairs would do, the one is chosen that keeps the order the text asks for: what comes before the set stays before what comes
//! behind the wait.

use super::fixes::Repair;
use super::*;
use pto_ir::BlockId;

/// The statements of the text that set a flag, and those that wait for it, in source order.
struct Ends {
    sets: Vec<OpId>,
    waits: Vec<OpId>,
}

impl Ends {
    fn in_block(list: &[OpId], all: &Findings<'_>, block: BlockId) -> Vec<OpId> {
        list.iter().copied().filter(|id| all.text().block_of(*id) == Some(block)).collect()
    }
}

impl Findings<'_> {
    /// Nothing where ids are computed: which statements belong to a flag is not in the text then.
    fn ends_of(&self, flag: Flag) -> Option<Ends> {
        let stated = self.stated();
        let of = |kinds: [pto_isa::Op; 2]| {
            let uses = stated.uses(flag).iter().copied();
            uses.filter(|id| kinds.contains(&self.module.op(*id).op)).collect()
        };
        let ends = Ends { sets: of([op::set_flag, op::record_event]), waits: of([op::wait_flag, op::wait_event]) };
        (!stated.computes_ids).then_some(ends)
    }

    // ---- a wait that never ends -----------------------------------------------------------------------------------

    /// The repair of a wait for a flag that is not set.
    pub(super) fn set_missing(&self, flag: Flag, wait: OpId) -> Option<Repair> {
        let ends = self.ends_of(flag)?;
        self.one_name(flag, &ends)
            .or_else(|| self.equally_often(&ends))
            .or_else(|| self.set_before_loop(&ends, wait))
            .or_else(|| self.wait_without_set(flag, &ends, wait))
    }

    /// One of two statements names the wrong flag: a set that nobody waits for stands before a wait that nobody sets.
    fn one_name(&self, flag: Flag, ends: &Ends) -> Option<Repair> {
        let wait = *ends.waits.first().filter(|_| ends.sets.is_empty())?;
        let (other, sets) = self.unawaited_sets(flag, wait)?;
        let set = *sets.last()?;
        let fits = |candidate: Flag| {
            usize::from(self.last_work_ahead(set) == Some(candidate.src))
                + usize::from(self.first_work_behind(wait) == Some(candidate.dst))
        };
        let (wrong, right, is_set) =
            if fits(flag) > fits(other) { (&sets, wait, true) } else { (&ends.waits, set, false) };
        let text = self.flag_text(right, is_set, None)?;
        let edits = wrong.iter().flat_map(|id| self.replaced(*id, &*text)).collect();
        let help = if is_set {
            "the set names the flag that is awaited; or let the wait name the one that is set"
        } else {
            "the wait names the flag that is set; or let the set name the one that is awaited"
        };
        Some(Repair::new("").help(help).edits(edits))
    }

    /// The sets of a flag that the text never waits for and that has most in common with another: the same pipes, then the reverse, then
    /// one of them.
    fn unawaited_sets(&self, flag: Flag, wait: OpId) -> Option<(Flag, Vec<OpId>)> {
        let alike = |f: &Flag| match ((f.src, f.dst) == (flag.src, flag.dst), (f.dst, f.src) == (flag.src, flag.dst)) {
            (true, _) => Some(0),
            (_, true) => Some(1),
            _ if f.src == flag.src => Some(2),
            _ if f.dst == flag.dst => Some(3),
            _ => None,
        };
        let block = self.text().block_of(wait);
        let mut found: Option<(u8, Flag, Vec<OpId>)> = None;
        for other in self.stated().all_flags().filter(|f| **f != flag) {
            let (Some(rank), Some(ends)) = (alike(other), self.ends_of(*other)) else { continue };
            let near = |set: &OpId| {
                self.text().block_of(*set) == block && self.text().position(*set) < self.text().position(wait)
            };
            let fits = !ends.sets.is_empty() && ends.waits.is_empty() && ends.sets.iter().all(near);
            if fits && found.as_ref().is_none_or(|(best, ..)| rank < *best) {
                found = Some((rank, *other, ends.sets));
            }
        }
        found.map(|(_, other, sets)| (other, sets))
    }

    /// The loop sets the flag for its next iteration; the first one finds nothing.
    fn set_before_loop(&self, ends: &Ends, wait: OpId) -> Option<Repair> {
        let [set] = &ends.sets[..] else { return None };
        let around = self.text().loop_around(self.text().block_of(wait)?)?;
        let inside = self.text().around(*set).contains(&around);
        let edit = Edit::before(self.span(around), self.flag_text(*set, true, None)?);
        inside.then(|| Repair::new("").edits(vec![edit]))
    }

    /// A wait behind another one of its block, with no work of the other pipe in between, waits for nothing; before any other a set is missing.
    fn wait_without_set(&self, flag: Flag, ends: &Ends, wait: OpId) -> Option<Repair> {
        let block = self.text().block_of(wait)?;
        let all = [&ends.sets[..], &ends.waits[..]].concat();
        let same_block = all.iter().all(|id| self.text().block_of(*id) == Some(block));
        if !ends.sets.is_empty() && (!same_block || self.text().loop_around(block).is_some()) {
            return None;
        }
        let ops = &self.module.block(block).ops[..self.text().position(wait)];
        let before = ops.iter().rposition(|id| all.contains(id));
        let again = before.is_some_and(|at| {
            ends.waits.contains(&ops[at]) && !ops[at + 1..].iter().any(|id| self.works_on(*id, flag.src))
        });
        if again {
            return Some(
                Repair::new("").help("the wait before it is enough").edits(vec![Edit::remove(self.span(wait))]),
            );
        }
        Some(Repair::new("").edits(vec![Edit::before(self.span(wait), self.flag_text(wait, true, None)?)]))
    }

    // ---- a set that nobody waits for ------------------------------------------------------------------------------

    /// The repair of a set that is left over at the end.
    pub(super) fn wait_missing(&self, flag: Flag, set: OpId) -> Option<Repair> {
        let ends = self.ends_of(flag)?;
        if ends.waits.is_empty() {
            let is_fixed = ends.sets.contains(&set);
            return is_fixed.then(|| Repair::new("").edits(vec![Edit::remove(self.span(set))]));
        }
        self.equally_often(&ends).or_else(|| self.wait_behind_loop(&ends)).or_else(|| self.without_one_set(&ends, set))
    }

    /// The loop waits for the set of the iteration before; the last one is left.
    fn wait_behind_loop(&self, ends: &Ends) -> Option<Repair> {
        let [wait] = &ends.waits[..] else { return None };
        let around = self.text().loop_around(self.text().block_of(*wait)?)?;
        let carried = ends.sets.iter().any(|set| self.text().around(*set).contains(&around));
        let edit = Edit::after(self.span(around), self.flag_text(*wait, false, None)?);
        carried.then(|| Repair::new("").edits(vec![edit]))
    }

    /// Of two sets without a wait between them the first says nothing that the second does not; one that nothing follows is left out.
    fn without_one_set(&self, ends: &Ends, set: OpId) -> Option<Repair> {
        let block = self.text().block_of(set)?;
        let (sets, waits) = (Ends::in_block(&ends.sets, self, block), Ends::in_block(&ends.waits, self, block));
        if sets.len() != ends.sets.len() || waits.len() != ends.waits.len() || sets.len() <= waits.len() {
            return None;
        }
        let mut order = [&sets[..], &waits[..]].concat();
        order.sort_by_key(|id| self.text().position(*id));
        let twice = order.windows(2).find(|w| sets.contains(&w[0]) && sets.contains(&w[1])).map(|w| w[0]);
        let edit = Edit::remove(self.span(twice.unwrap_or(set)));
        Some(Repair::new("").help("one set for each wait").edits(vec![edit]))
    }

    // ---- a set while the flag is set ------------------------------------------------------------------------------

    /// The repair of a flag that is set again before anybody waited for it.
    pub(super) fn wait_between(&self, flag: Flag, first: OpId, second: OpId) -> Option<Repair> {
        if self.module.op(second).op == op::set_flag_dyn {
            return self.computed_pair(flag, second);
        }
        let ends = self.ends_of(flag)?;
        if ends.waits.is_empty() {
            return Some(Repair::new("nobody waits for it").edits(vec![Edit::remove(self.span(second))]));
        }
        self.equally_often(&ends)
            .or_else(|| self.turns_of_a_loop(flag, &ends))
            .or_else(|| self.another_id(flag, &ends, second))
            .or_else(|| self.without_one_set(&ends, first))
    }

    /// The sets and the waits of a block in turn: the second pair gets an id of its own.
    fn another_id(&self, flag: Flag, ends: &Ends, second: OpId) -> Option<Repair> {
        let block = self.text().block_of(second)?;
        let (sets, waits) = (Ends::in_block(&ends.sets, self, block), Ends::in_block(&ends.waits, self, block));
        let at = sets.iter().position(|id| *id == second)?;
        let (wait, id) = (*waits.get(at)?, self.free_id(flag.src, flag.dst)?);
        if sets.len() != waits.len() || self.text().position(wait) < self.text().position(second) {
            return None;
        }
        let (set_text, wait_text) = (self.flag_text(second, true, Some(id))?, self.flag_text(wait, false, Some(id))?);
        let edits = [self.replaced(second, set_text), self.replaced(wait, wait_text)].concat();
        Some(
            Repair::new("")
                .help("an id for each of the two; or wait for the first before the second is set")
                .edits(edits),
        )
    }

    /// Several sets before a loop let it run ahead by as many iterations: each gets an id, and iterations take turns.
    fn turns_of_a_loop(&self, flag: Flag, ends: &Ends) -> Option<Repair> {
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
        match self.number_of_turn(around, flag.id, count).filter(|_| ids_left) {
            Some((lines, name)) => {
                edits.extend(lines.into_iter().map(|line| Edit::before(self.span(**wait), line)));
                edits.extend(self.replaced(**wait, self.computed_text(flag, false, &name)));
                edits.extend(self.replaced(**set, self.computed_text(flag, true, &name)));
                let help = "iterations take turns with an id each; or one set before the loop and one wait behind it";
                Some(Repair::new("").help(help).edits(edits))
            }
            None => {
                let extra = sets[1..].iter().chain(&waits[1..]);
                let edits = extra.map(|id| Edit::remove(self.span(**id))).collect();
                let help =
                    "one set before the loop and one wait behind it; or an id for each iteration that runs ahead";
                Some(Repair::new("").help(help).edits(edits))
            }
        }
    }

    /// The lines that count the iterations of a loop from `first`, modulo `count`, and the name of the result.
    fn number_of_turn(&self, around: OpId, first: i64, count: u32) -> Option<(Vec<String>, String)> {
        let [counter, from, _, step] = self.loop_names(around)?;
        let [passed, turn, turns, which, base, id] =
            ["passed", "turn", "turns", "which", "first_id", "id"].map(|n| self.fresh_name(n));
        let lines = vec![
            format!("%{passed} = arith.subi %{counter}, %{from} : index"),
            format!("%{turn} = arith.divui %{passed}, %{step} : index"),
            format!("%{turns} = arith.constant {count} : index"),
            format!("%{which} = arith.remui %{turn}, %{turns} : index"),
            format!("%{base} = arith.constant {first} : index"),
            format!("%{id} = arith.addi %{which}, %{base} : index"),
        ];
        Some((lines, id))
    }

    /// A set and a wait of one loop that take their ids from different values: the wait is for the buffer that is set free.
    fn computed_pair(&self, flag: Flag, set: OpId) -> Option<Repair> {
        let text = self.text();
        let block = text.block_of(set)?;
        let of_pipes = |id: &OpId| {
            let flag_of = pto_check::flag_of(self.module, *id);
            flag_of.is_some_and(|(src, dst, _)| (src, dst) == (flag.src, flag.dst))
        };
        let waits = self.module.block(block).ops.iter().copied();
        let waits: Vec<OpId> = waits.filter(|id| self.module.op(*id).op == op::wait_flag_dyn && of_pipes(id)).collect();
        let [wait] = waits[..] else { return None };
        let (own, other) = (self.in_named_slot(set, "event_id")?, self.in_named_slot(wait, "event_id")?);
        let name = self.module.value_name(own);
        if own == other || name.is_empty() || !text.is_known_at(own, wait) {
            return None;
        }
        let edits = self.replaced(wait, self.computed_text(flag, false, name)).into();
        let help = format!(
            "the wait takes the id of the set; or let the set take that of the wait, {}",
            self.name(Some(other))
        );
        Some(Repair::new("").help(help).edits(edits))
    }

    // ---- as often on one side as on the other ---------------------------------------------------------------------

    /// One set and one wait of which a branch or a loop goes round one: both go to the innermost place around them.
    fn equally_often(&self, ends: &Ends) -> Option<Repair> {
        let ([set], [wait]) = (&ends.sets[..], &ends.waits[..]) else { return None };
        let text = self.text();
        let pair = text.pair(*set, *wait)?;
        let (a, b) = pair.ends();
        let outer = |list: &[OpId]| list[..list.len() - 1].iter().any(|id| text.is_section(*id));
        if a == b || outer(&pair.first) || outer(&pair.second) {
            return None;
        }
        let (set_text, wait_text) = (self.flag_text(*set, true, None)?, self.flag_text(*wait, false, None)?);
        let around = text.loop_around(pair.block);
        let mut edits = Vec::new();
        if text.position(a) > text.position(b) {
            // The set comes behind the wait.
            return match around {
                None if (a, b) == (*set, *wait) => {
                    edits.extend([Edit::remove(self.span(*wait)), Edit::after(self.span(*set), wait_text)]);
                    let help = "wait behind the set; or leave both out, where nothing behind the wait needs it";
                    Some(Repair::new("").help(help).edits(edits))
                }
                Some(around) if (a, b) != (*set, *wait) => {
                    self.move_out(&mut edits, (*set, a), (*wait, b), &set_text, &wait_text);
                    edits.push(Edit::before(self.span(around), set_text));
                    edits.push(Edit::after(self.span(around), wait_text));
                    Some(Repair::new("").help("once in each iteration").edits(edits))
                }
                _ => None,
            };
        }
        if (a, b) == (*set, *wait) {
            return None;
        }
        let dst = pto_check::flag_of(self.module, *wait)?.1;
        if b == *wait && text.is_loop(a) && self.works_on(a, dst) {
            // The next iteration works on the pipe that waits.
            edits.extend([Edit::after(self.span(*set), wait_text), Edit::remove(self.span(*wait))]);
            return Some(Repair::new("").help("wait in each iteration").edits(edits));
        }
        self.move_out(&mut edits, (*set, a), (*wait, b), &set_text, &wait_text);
        Some(Repair::new("").help("set it and wait for it on every path, equally often").edits(edits))
    }

    /// Takes a set behind the statement it is in, and a wait in front of the one it is in.
    fn move_out(
        &self,
        edits: &mut Vec<Edit>,
        (set, behind): (OpId, OpId),
        (wait, before): (OpId, OpId),
        set_text: &str,
        wait_text: &str,
    ) {
        if set != behind {
            edits.extend([Edit::remove(self.span(set)), Edit::after(self.span(behind), set_text)]);
        }
        if wait != before {
            edits.extend([Edit::before(self.span(before), wait_text), Edit::remove(self.span(wait))]);
        }
    }

    /// The names of the counter and the bounds of a loop that counts with `index`.
    pub(super) fn loop_names(&self, id: OpId) -> Option<[String; 4]> {
        let module = self.module;
        if module.op(id).op != op::scf_for {
            return None;
        }
        let body = module.region(*module.op_regions(id).first()?).blocks.first().copied()?;
        let counter = *module.block(body).args.first()?;
        let operands = module.operands(id);
        let values = [counter, operands.first()?.value, operands.get(1)?.value, operands.get(2)?.value];
        let index = |v: &ValueId| matches!(module.value_type(*v), pto_isa::Type::Scalar(pto_isa::Scalar::Index));
        let fits = |v: &ValueId| !module.value_name(*v).is_empty() && index(v);
        values.iter().all(fits).then(|| values.map(|v| module.value_name(v).to_string()))
    }
}
