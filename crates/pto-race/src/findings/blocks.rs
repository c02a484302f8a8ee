//! What orders blocks, and the vector cores of a block.

use super::fixes::{BARRIER_ALL, NEXT_ITERATION, Repair, SCALAR_STORE};
use super::text::StatementPair;
use super::*;
use pto_ir::BlockId;
use pto_isa::row::{Control, Meaning, Movement, SyncOp};
use pto_isa::text;

impl Findings<'_> {
    pub(super) fn order_blocks(&self, code: Code, conflict: &Conflict) -> Repair {
        let same_block = conflict.other_core.is_some_and(|c| c.block == conflict.site.core.block);
        let why = if same_block {
            text!("the vector cores of a block run at the same time")
        } else {
            text!("blocks run at the same time, in any order")
        };
        let who = if same_block { text!("core") } else { text!("block") };
        let (first, second) = (conflict.other.op, conflict.site.op);
        let repair = Repair::new(why);
        let own = text!("give each {who} separate bytes, or use an atomic store", who);
        if first == second {
            return self.order_one_statement(repair, &own, who, conflict);
        }
        if let Some(word) = self.stored_word(first) {
            let told = self.told.contains(&word);
            let waits =
                if told { text!("a store does not wait for earlier stores") } else { text::translate(SCALAR_STORE) };
            return Repair::new(waits)
                .label(word, text!("the other block is signalled here, before the access is guaranteed to be complete"))
                .edits(vec![Edit::before(self.text().span(word), BARRIER_ALL)]);
        }
        let pair = self.text().pair(first, second);
        let carried = pair.as_ref().filter(|p| code == codes::RACE_OVERWRITE && p.ends().0 == p.ends().1);
        if let Some(edits) = carried.and_then(|p| self.between_iterations(p.ends().0, conflict)) {
            return repair.help(text!("{own}; or {more}", own, more = text::translate(NEXT_ITERATION))).edits(edits);
        }
        let apart = pair.is_none().then(|| self.barrier_between_ways(first, second, conflict)).flatten();
        match pair.and_then(|pair| self.barrier_between(&pair, conflict)).or(apart) {
            Some(edits) => repair.help(text!("{own}, or let all of them wait", own)).edits(edits),
            None => repair.help(text!(
                "{own}, or put pto.syncall between the two where every {who} executes it equally often",
                own,
                who
            )),
        }
    }

    /// The store of a polled word that tells other cores about a statement, if no barrier stands before it.
    fn stored_word(&self, first: OpId) -> Option<OpId> {
        let is = |id: &&OpId, meaning: Meaning| self.module.meaning(**id) == meaning;
        let behind = self.text().behind(first);
        let tells = |id: &&OpId| is(id, Movement::StoreScalar.into()) || self.told.contains(id);
        let word = behind.iter().find(tells).filter(|_| self.asks_for_words)?;
        let barred = behind.iter().take_while(|id| *id != word).any(|id| is(&id, SyncOp::Barrier.into()));
        (!barred && self.text().block_of(*word) == self.text().block_of(first)).then_some(*word)
    }

    /// A `syncall` between two statements that every core executes.
    fn barrier_between(&self, pair: &StatementPair, conflict: &Conflict) -> Option<Vec<Edit>> {
        let text = self.text();
        let (a, b) = pair.ends();
        let syncall = format!("pto.syncall() mode = <hard>, core_type = <{}>", self.cores_of(conflict));
        if !text.is_uniform(pair.block) {
            return None;
        }
        if a == b {
            // Both sides of the branch get one. A core that polls a word of this iteration may never reach the barrier.
            let branch = self.module.control(a) == Some(Control::If) && pair.first.len() >= 2 && pair.second.len() >= 2;
            if !branch || self.asks_for_words && text.loop_around(pair.block).is_some() {
                return None;
            }
            let first = self.told_before(pair.first[1], pair.second[1])?;
            let edits =
                vec![Edit::after(text.span(first), &*syncall), Edit::before(text.span(pair.second[1]), &*syncall)];
            return Some(edits);
        }
        let later = if text.position(a) < text.position(b) { b } else { a };
        if self.tells_behind(later) {
            return None;
        }
        let mut edits = vec![Edit::before(text.span(later), &*syncall)];
        if text.loop_around(pair.block).is_some() {
            // The next iteration comes after this one.
            edits.push(Edit::after(text.span(later), &*syncall));
        }
        Some(edits)
    }

    /// A `syncall` on both ways of a `cf.cond_br` with which a function begins: every core takes one of them, once.
    fn barrier_between_ways(&self, first: OpId, second: OpId, conflict: &Conflict) -> Option<Vec<Edit>> {
        let text = self.text();
        let [a, b] = [first, second].map(|op| text.around(op).last().copied());
        let (a, b) = (a?, b?);
        let function = text.function(first).filter(|f| text.function(second) == Some(*f) && text.is_entry(*f))?;
        let blocks = &self.module.region(*self.module.op_regions(function).first()?).blocks;
        let branch = *self.module.block(*blocks.first()?).ops.last()?;
        let [yes, no] = self.module.successors(branch) else { return None };
        let ways = [text.block_of(a)?, text.block_of(b)?];
        let entered = |block: BlockId| {
            let ends = blocks.iter().filter_map(|b| self.module.block(*b).ops.last());
            ends.flat_map(|end| self.module.successors(*end)).filter(|s| s.block == block).count()
        };
        let apart = ways == [yes.block, no.block] || ways == [no.block, yes.block];
        let once = ways.iter().all(|way| entered(*way) == 1);
        let mut ops = ways.iter().flat_map(|way| &self.module.block(*way).ops);
        if self.asks_for_words || !apart || !once || ops.any(|id| self.waits_inside(*id)) {
            return None;
        }
        let syncall = format!("pto.syncall() mode = <hard>, core_type = <{}>", self.cores_of(conflict));
        let behind = text.span(text.written_back(a));
        Some(vec![Edit::after(behind, &*syncall), Edit::before(text.span(b), &*syncall)])
    }

    /// True when cores poll words before a statement and the stores of those words come after it: a barrier there would deadlock.
    pub(super) fn tells_behind(&self, statement: OpId) -> bool {
        let Some(block) = self.text().block_of(statement).filter(|_| self.asks_for_words) else { return false };
        let ops = &self.module.block(block).ops;
        let at = ops.iter().position(|id| *id == statement).unwrap_or(0);
        let mut tells = false;
        let mut look = |id: OpId| {
            tells |= self.module.movement(id) == Some(Movement::StoreScalar) || self.told.contains(&id);
        };
        for id in &ops[at..] {
            look(*id);
            self.module.walk_inside(*id, &mut look);
        }
        tells && ops[..at].iter().any(|id| self.waits_inside(*id))
    }

    /// The statement after which one side of a branch can wait for the other, which waits before a statement of its own: after
    /// everything that the other side may wait for.
    fn told_before(&self, first: OpId, second: OpId) -> Option<OpId> {
        let ops = |id: OpId| self.text().block_of(id).map(|block| &self.module.block(block).ops);
        let waits = ops(second)?.iter().take_while(|id| **id != second).any(|id| self.waits_inside(*id));
        if !waits {
            return Some(self.text().written_back(first));
        }
        let rest: Vec<OpId> = ops(first)?.iter().copied().skip_while(|id| *id != first).skip(1).collect();
        let rest: Vec<OpId> = rest.into_iter().filter(|id| self.module.control(*id) != Some(Control::Yield)).collect();
        (!rest.iter().any(|id| self.waits_inside(*id))).then(|| rest.last().copied().unwrap_or(first))
    }

    /// The cores that must take part.
    pub(super) fn cores_of(&self, conflict: &Conflict) -> &'static str {
        let roles = (conflict.other_core.map_or(conflict.site.core.role, |c| c.role), conflict.site.core.role);
        let (mut cube, mut vector) =
            (roles.0 == Role::Cube || roles.1 == Role::Cube, roles.0 == Role::Vector || roles.1 == Role::Vector);
        if roles == (Role::Whole, Role::Whole) {
            (cube, vector) = (self.stated().cube, self.stated().vector);
        }
        match (cube, vector) {
            (true, true) => "mix",
            (true, false) => "aic_only",
            _ => "aiv_only",
        }
    }
}
