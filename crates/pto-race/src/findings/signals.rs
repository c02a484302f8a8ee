//! Edits that give every signal between cores one wait, and edits that resolve a deadlock.

use super::fixes::{Repair, SECOND_CORE};
use super::*;
use pto_ir::Attr;
use pto_isa::row::{SignalForm, SyncOp};
use pto_isa::text;

/// A signal: its id, and whether the cube core sends it; `None` if the text does not say.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Wanted {
    id: i64,
    cube: Option<bool>,
}

impl Findings<'_> {
    /// The statements that send an id from one kind of core, and the waits for it on the other. The ids of both vector cores count as one.
    fn signals_of(&self, wanted: Wanted) -> (Vec<OpId>, Vec<OpId>) {
        let fits = |own: Wanted| own.id == wanted.id && (own.cube.is_none() || wanted.cube.is_none() || own == wanted);
        let all = self.stated().signal_ops.iter().copied().filter(|at| self.wanted(*at).is_some_and(fits));
        all.partition(|at| self.sends(*at))
    }

    fn wanted(&self, at: OpId) -> Option<Wanted> {
        let cube = self.text().is_for_cube(at).map(|cube| cube == self.sends(at));
        Some(Wanted { id: self.signal_id(at)?, cube })
    }

    fn signal_id(&self, at: OpId) -> Option<i64> {
        self.raw_id(at).map(|id| id % SECOND_CORE)
    }

    fn raw_id(&self, at: OpId) -> Option<i64> {
        self.module.attr(at, "event_id").and_then(Attr::int)
    }

    fn sends(&self, at: OpId) -> bool {
        matches!(self.module.sync(at), Some(SyncOp::Signal(SignalForm::Cores | SignalForm::Block)))
    }

    /// The same statement with another signal, for the same vector core.
    fn renamed(&self, at: OpId, id: i64) -> Option<[Edit; 2]> {
        let second = self.raw_id(at)? - self.signal_id(at)?;
        Some(self.replaced(at, self.signal_text(at, id % SECOND_CORE + second)?))
    }

    /// Signals from the same kind of core that the text only sends, or only waits for.
    fn unmatched(&self, like: Wanted, sent: bool) -> Vec<Wanted> {
        let all: OrdSet<Wanted> = self.stated().signal_ops.iter().filter_map(|at| self.wanted(*at)).collect();
        let one_side = |own: &Wanted| {
            let (sets, waits) = self.signals_of(*own);
            own.cube == like.cube && if sent { waits.is_empty() } else { sets.is_empty() }
        };
        all.into_iter().filter(one_side).collect()
    }

    /// Another id for a signal that barriers or FIFO pipes use.
    pub(super) fn renumbered(&self, id: i64, is_reserved: impl Fn(i64) -> bool) -> Option<Repair> {
        let free = self.free_signals().into_iter().find(|free| !is_reserved(*free))?;
        let (sets, waits) = self.signals_of(Wanted { id: id % SECOND_CORE, cube: None });
        let mut edits = Vec::new();
        for at in sets.iter().chain(&waits).filter(|_| !self.stated().computes_signals) {
            edits.extend(self.renamed(*at, free)?);
        }
        (!edits.is_empty()).then(|| Repair::new("").help(text!("signal {free} is free", free)).edits(edits))
    }

    /// True for a signal that is sent more often than awaited: a wait may take the signal of the previous iteration.
    pub(super) fn is_sent_too_often(&self, set: OpId) -> bool {
        let (sets, waits) = self.wanted(set).map_or_else(Default::default, |sent| self.signals_of(sent));
        !waits.is_empty() && sets.len() > waits.len()
    }

    /// The fix for a signal that is left over at the end.
    pub(super) fn signal_awaited(&self, set: OpId) -> Option<Repair> {
        if self.stated().computes_signals {
            return None;
        }
        let sent = self.wanted(set)?;
        let (sets, waits) = self.signals_of(sent);
        if waits.is_empty() {
            return match self.unmatched(sent, false)[..] {
                [wanted] => self.one_signal(sent, wanted),
                _ => Some(Repair::new("").edits(vec![Edit::remove(self.span(set))])),
            };
        }
        if let Some(repair) = self.hear_second_core(set, &waits) {
            return Some(repair);
        }
        let own = |list: &[OpId]| list.iter().copied().filter(|at| self.raw_id(*at) == self.raw_id(set)).collect();
        let sets: Vec<OpId> = own(&sets);
        let block = self.text().block_of(set);
        let together = sets.iter().all(|at| self.text().block_of(*at) == block);
        if together && sets.len() > waits.len() {
            // Work before the first is also before the last.
            let first = sets.iter().copied().find(|at| *at != set).filter(|first| !self.waits_between(*first, set));
            let edit = Edit::remove(self.span(first.unwrap_or(set)));
            return Some(Repair::new("").help(text!("one signal for each wait")).edits(vec![edit]));
        }
        let ([set], [wait]) = (&sets[..], &waits[..]) else { return None };
        self.sent_equally_often(*set, *wait)
    }

    /// A core that waits between two signals may wait for something that the first one starts.
    fn waits_between(&self, first: OpId, second: OpId) -> bool {
        let (a, b) = (self.text().position(first), self.text().position(second));
        let rest = self.rest_of_block(first);
        let waits = |id: &OpId| self.waits_inside(*id);
        a < b && rest[..b - a - 1].iter().any(waits)
    }

    /// Moves a signal and its wait next to statements that both cores execute equally often.
    fn sent_equally_often(&self, set: OpId, wait: OpId) -> Option<Repair> {
        let (behind, before) = self.equal_places(set, wait)?;
        let (set_text, wait_text) =
            (self.signal_text(set, self.raw_id(set)?)?, self.signal_text(wait, self.raw_id(wait)?)?);
        let mut edits = Vec::new();
        if behind != set {
            edits.extend([Edit::remove(self.span(set)), Edit::after(self.span(behind), set_text)]);
        }
        if before != wait {
            edits.extend([Edit::before(self.span(before), wait_text), Edit::remove(self.span(wait))]);
        }
        (!edits.is_empty()).then(|| Repair::new("").help(text!("send it and wait for it equally often")).edits(edits))
    }

    /// Waits for one signal become waits for another that is sent.
    fn one_signal(&self, sent: Wanted, wanted: Wanted) -> Option<Repair> {
        let mut edits = Vec::new();
        for wait in self.signals_of(wanted).1 {
            edits.extend(self.renamed(wait, sent.id)?);
        }
        let help = text!("wait for the signal that is sent; or send signal {id}", id = wanted.id);
        Some(Repair::new("").help(help).edits(edits))
    }

    // ---- deadlocks ------------------------------------------------------------------------------------------------

    /// The fix for a deadlock, given where cores wait. Signals that are left over have the same cause.
    pub fn end_deadlock(&mut self, problem: Diagnostic, stuck: &[StuckCore], ended: &[CoreId]) -> Diagnostic {
        let barrier = |s: &StuckCore| self.module.sync(s.op) == Some(SyncOp::AllCores);
        self.uneven |= stuck.iter().any(barrier);
        let spans: Vec<Span> = std::iter::once(&problem.primary).chain(&problem.labels).map(|l| l.span).collect();
        let waiting: Vec<OpId> = spans.iter().filter_map(|span| self.text().at(*span)).collect();
        let left = [codes::PIPE_LEFT, codes::SIGNAL_LEFT];
        let own = waiting.iter().find_map(|at| self.go_on(*at, &waiting));
        let own = own.or_else(|| self.word_for(stuck, ended));
        if let Some(repair) = own {
            for (_, found) in self.found.iter_mut().filter(|(key, _)| left.contains(&key.0)) {
                let told = Diagnostic { help: repair.help.clone(), ..found.diagnostic.clone() };
                found.diagnostic = told.edits(repair.edits.clone());
            }
            return repair.applied(problem);
        }
        let reason = self.found.iter().find(|(key, f)| left.contains(&key.0) && !f.diagnostic.edits.is_empty());
        match reason.map(|(_, found)| found.diagnostic.clone()) {
            Some(d) => Diagnostic { help: d.help, ..problem.edits(d.edits) },
            None => problem,
        }
    }

    /// Edits that let a core continue from a wait.
    fn go_on(&self, at: OpId, waiting: &[OpId]) -> Option<Repair> {
        let waits = self.stated().signal_ops.contains(&at) && !self.sends(at);
        if !waits || self.stated().computes_signals {
            return self.as_often_as_pushed(at);
        }
        let wanted = self.wanted(at)?;
        let (sets, waits) = self.signals_of(wanted);
        if sets.is_empty() {
            let [sent] = self.unmatched(wanted, true)[..] else { return None };
            return self.one_signal(sent, wanted);
        }
        self.tell_second_core(&sets, wanted.id)
            .or_else(|| self.without_doubled_wait(waiting))
            .or_else(|| sets.iter().find_map(|set| self.sent_before(*set, at, waiting)))
            .or_else(|| match (&sets[..], &waits[..]) {
                ([set], [wait]) => self.sent_equally_often(*set, *wait),
                _ => None,
            })
    }

    /// Of two waits in a row for a signal, the second takes the one of the next iteration.
    fn without_doubled_wait(&self, waiting: &[OpId]) -> Option<Repair> {
        let ops = self.stated().signal_ops.iter().copied();
        let stuck: OrdSet<Option<i64>> = waiting.iter().map(|at| self.raw_id(*at)).collect();
        let doubled = |id: &OpId| {
            let next = self.rest_of_block(*id).first();
            let again = next.is_some_and(|next| !self.sends(*next) && self.raw_id(*next) == self.raw_id(*id));
            again && !self.sends(*id) && self.module.sync(*id) == next.and_then(|next| self.module.sync(*next))
        };
        let looped = |id: &OpId| self.text().block_of(*id).and_then(|block| self.text().loop_around(block)).is_some();
        // Several vector cores may each send one.
        let first = ops.filter(|id| self.raw_id(*id).is_some() && looped(id)).find(doubled)?;
        let (sets, waits) = self.signals_of(self.wanted(first)?);
        let uneven = waits.len() > sets.len() && !stuck.is_empty();
        let edit = Edit::remove(self.span(first));
        uneven.then(|| Repair::new("").help(text!("one wait for each signal")).edits(vec![edit]))
    }

    /// On A5 the cube core signals each vector core separately.
    fn tell_second_core(&self, sets: &[OpId], id: i64) -> Option<Repair> {
        let told = sets.iter().any(|at| self.raw_id(*at) != Some(id));
        if self.target != Target::A5
            || self.vectors < 2
            || told
            || !sets.iter().all(|at| self.text().is_for_cube(*at) == Some(true))
        {
            return None;
        }
        let mut edits = Vec::new();
        for set in sets {
            edits.push(Edit::after(self.span(*set), self.signal_text(*set, id + SECOND_CORE)?));
        }
        Some(Repair::new("").help(text!("the second vector core has separate signals: add 16 to the id")).edits(edits))
    }

    /// On A5 the cube core waits for each vector core separately.
    fn hear_second_core(&self, set: OpId, waits: &[OpId]) -> Option<Repair> {
        let heard = waits.iter().any(|at| self.raw_id(*at) >= Some(SECOND_CORE));
        if self.target != Target::A5 || self.vectors < 2 || heard || self.text().is_for_cube(set) != Some(false) {
            return None;
        }
        let mut edits = Vec::new();
        for wait in waits {
            edits.push(Edit::after(self.span(*wait), self.signal_text(*wait, self.raw_id(*wait)? + SECOND_CORE)?));
        }
        Some(Repair::new("").help(text!("wait for signals of the second vector core at their id plus 16")).edits(edits))
    }

    /// The other core waits before it sends. If it waits for the signal of this core, this core sends first; otherwise the other core
    /// sends before its wait.
    fn sent_before(&self, set: OpId, wait: OpId, waiting: &[OpId]) -> Option<Repair> {
        let text = self.text();
        let stopped = *waiting.iter().find(|at| **at != wait && text.behind(**at).contains(&set))?;
        let other = self.signal_id(stopped).filter(|_| self.stated().signal_ops.contains(&stopped));
        if let Some(other) = other {
            let own = self.rest_of_block(wait).iter().copied();
            let own = own.filter(|at| self.sends(*at) && self.signal_id(*at) == Some(other)).last()?;
            let edits = vec![
                Edit::remove(self.span(wait)),
                Edit::after(self.span(own), self.signal_text(wait, self.raw_id(wait)?)?),
            ];
            return Some(
                Repair::new("").help(text!("send before waiting; or let the other core do that")).edits(edits),
            );
        }
        let block = text.block_of(set)?;
        let before = text.around(stopped).into_iter().find(|at| text.block_of(*at) == Some(block))?;
        let edits = vec![
            Edit::before(self.span(before), self.signal_text(set, self.raw_id(set)?)?),
            Edit::remove(self.span(set)),
        ];
        Some(Repair::new("").help(text!("send before what cannot end without the other core")).edits(edits))
    }
}
