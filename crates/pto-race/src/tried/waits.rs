//! Deadlocks: what a core waits for before it tells others, and what only some cores come to.

use super::draft::Draft;
use pto_ir::{OpId, ValueId};
use pto_isa::row::{Arith, CommOp, Control, CoreKind, Meaning, Movement, SignalForm, SyncOp};
use pto_isa::{Edit, codes};

const SENDS_FIRST: &str = pto_isa::text_key!("send before waiting; or let another core do that");
const EQUALLY_OFTEN: &str = pto_isa::text_key!("let all cores come to `syncall` equally often");
const CLEARS_FIRST: &str = pto_isa::text_key!("clear the word before the other core is told that it may set it again");
const CLEARS_LATER: &str = pto_isa::text_key!("clear the word behind the wait for it");
const NOBODY_SENDS: &str = pto_isa::text_key!("send the signal for the same numbers for which it is waited for");

impl Draft<'_> {
    pub(super) fn waits(&mut self) {
        if self.code != codes::RUN_DEADLOCK {
            return;
        }
        for wait in self.ops.clone() {
            self.clears_first(wait);
            self.clears_later(wait);
            self.sends_first(wait);
            self.comes_equally_often(wait);
            self.nobody_sends(wait);
        }
    }

    fn tells_others(&self, id: OpId) -> bool {
        matches!(
            self.module.meaning(id),
            Meaning::Comm(CommOp::Notify) | Meaning::Movement(Movement::StoreScalar | Movement::Store)
        ) || matches!(self.module.sync(id), Some(SyncOp::Signal(_)))
    }

    /// A notification moves before the one that its core sends first: that one may let others change the word.
    fn clears_first(&mut self, clear: OpId) {
        if self.module.meaning(clear) != Meaning::Comm(CommOp::Notify) {
            return;
        }
        let Some(block) = self.text.block_of(clear) else { return };
        let before = &self.module.block(block).ops[..self.text.position(clear)];
        let tells = before.iter().rev().filter(|id| self.contains(**id, &|id| self.tells_others(id)));
        let moved = |told: &OpId| {
            let first = self.module.op(*told).span;
            self.moved(&[clear], |line| Edit::before(first, line))
        };
        let edits: Vec<_> = tells.map(moved).collect();
        edits.into_iter().for_each(|edits| self.put(CLEARS_FIRST, edits));
    }

    /// A notification moves behind the next wait of its core: until then the word may be set.
    fn clears_later(&mut self, clear: OpId) {
        if self.module.meaning(clear) != Meaning::Comm(CommOp::Notify) {
            return;
        }
        let Some(block) = self.text.block_of(clear) else { return };
        let behind = &self.module.block(block).ops[self.text.position(clear) + 1..];
        let waits = |id: OpId| matches!(self.module.meaning(id), Meaning::Comm(CommOp::Wait));
        let moved = |wait: &OpId| {
            let last = self.module.op(self.text.written_back(*wait)).span;
            self.moved(&[clear], |line| Edit::after(last, line))
        };
        let edits: Vec<_> = behind.iter().filter(|id| self.contains(**id, &waits)).map(moved).collect();
        edits.into_iter().for_each(|edits| self.put(CLEARS_LATER, edits));
    }

    /// The wait, or the loop that waits, moves behind what tells others.
    fn sends_first(&mut self, wait: OpId) {
        for waits in self.text.around(wait) {
            let Some(block) = self.text.block_of(waits) else { continue };
            let behind = &self.module.block(block).ops[self.text.position(waits) + 1..];
            let Some(tells) = behind.iter().find(|id| self.contains(**id, &|id| self.tells_others(id))) else {
                continue;
            };
            let last = self.module.op(self.text.written_back(*tells)).span;
            let edits = self.moved(&[waits], |line| Edit::after(last, line));
            self.put(SENDS_FIRST, edits);
        }
    }

    /// A loop whose bound depends on the core: one of its numbers for all; else the barrier goes behind what only some cores execute.
    fn comes_equally_often(&mut self, wait: OpId) {
        if self.module.sync(wait) != Some(SyncOp::AllCores) {
            return;
        }
        for around in self.around(wait, Control::For) {
            for at in 0..2 {
                let bound = self.module.operands(around).get(at).map(|o| o.value);
                let chosen = bound.and_then(|b| self.module.definition(b));
                let Some(chosen) = chosen.filter(|id| self.module.arith(*id) == Some(Arith::Select)) else { continue };
                let arms: Vec<ValueId> = self.module.operands(chosen).iter().skip(1).map(|o| o.value).collect();
                for arm in arms.into_iter().rev() {
                    let edits = self.operand(around, at, arm).and_then(|p| self.rewritten(&[p]));
                    self.put(EQUALLY_OFTEN, edits);
                }
            }
        }
        for around in self.around(wait, Control::If).into_iter().chain(self.around(wait, Control::For)) {
            let end = self.module.op(around).span;
            let edits = self.moved(&[wait], |line| Edit::after(end, line));
            self.put(EQUALLY_OFTEN, edits);
        }
    }

    /// A signal that the text never sends: the other kind of core sends it under the same condition.
    fn nobody_sends(&mut self, wait: OpId) {
        let Some(SyncOp::Await(SignalForm::Cores)) = self.module.sync(wait) else { return };
        let Some(id) = self.module.given_int(wait, "event_id") else { return };
        let Some(cube) = self.text.is_for_cube(wait) else { return };
        let (other, pipe) = if cube { (CoreKind::Vector, "PIPE_MTE3") } else { (CoreKind::Cube, "PIPE_FIX") };
        let text = format!("pto.sync.set <{pipe}>, {id}");
        let on = |branch: OpId| self.module.operands(branch).first().map(|o| o.value);
        let condition = self.around(wait, Control::If).first().copied().and_then(on);
        let sections = self.all(|id| self.module.control(id) == Some(Control::Section(other)));
        let inside = |id: OpId| self.around(id, Control::Section(other)).first().is_some_and(|s| sections.contains(s));
        let branches = self.all(|id| self.module.control(id) == Some(Control::If) && inside(id) && on(id) == condition);
        for branch in branches.into_iter().rev().filter(|_| condition.is_some()) {
            let edits = self.at_end_of(branch, std::slice::from_ref(&text));
            self.put(NOBODY_SENDS, edits);
        }
        for section in sections {
            let edits = match condition.and_then(|c| self.name(c)) {
                Some(name) => self.at_end_of(section, &[format!("scf.if {name} {{"), text.clone(), "}".to_string()]),
                None => self.at_end_of(section, std::slice::from_ref(&text)),
            };
            self.put(NOBODY_SENDS, edits);
        }
    }

    /// Lines behind the last statement of the first region of a statement.
    fn at_end_of(&self, owner: OpId, lines: &[String]) -> Option<Vec<Edit>> {
        let region = *self.module.op_regions(owner).first()?;
        let block = *self.module.region(region).blocks.first()?;
        let written = |id: &&OpId| self.module.op(**id).span.end > self.module.op(**id).span.start;
        let is_end = |id: &&OpId| self.module.control(**id).is_some_and(Control::is_terminator);
        let last = self.module.block(block).ops.iter().rev().find(|id| written(id) && !is_end(id));
        let span = last.map_or_else(|| self.token(owner, "{"), |id| Some(self.module.op(*id).span))?;
        Some(lines.iter().map(|line| Edit::after(span, line)).collect())
    }
}
