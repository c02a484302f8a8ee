//! Edits that order two accesses. Applied as they stand, they remove the finding.
//!
//! Inserted statements execute equally often on both sides: both go into one block, or into loops with the same bounds. If that is
//! impossible, the help says in words what is missing.

use super::text::StatementPair;
use super::*;
use pto_isa::row::{CommOp, Control, FlagForm, Meaning, SyncOp};
use pto_isa::text;

/// A fix: what is missing, what to do, and the edits if they are certain.
pub(super) struct Repair {
    pub legal: String,
    pub help: Option<String>,
    pub edits: Vec<Edit>,
    /// Statements that seem to order the accesses, and why they do not.
    pub labels: Vec<(OpId, String)>,
}

impl Repair {
    pub(super) fn new(legal: impl Into<String>) -> Self {
        Self { legal: legal.into(), help: None, edits: Vec::new(), labels: Vec::new() }
    }

    pub(super) fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    pub(super) fn edits(mut self, edits: Vec<Edit>) -> Self {
        self.edits = edits;
        self
    }

    /// Adds the fix to a diagnostic.
    pub(super) fn applied(self, d: Diagnostic) -> Diagnostic {
        let d = if self.legal.is_empty() { d } else { d.legal(self.legal) };
        Diagnostic { help: self.help.or(d.help.clone()), ..d.edits(self.edits) }
    }

    pub(super) fn label(mut self, op: OpId, text: impl Into<String>) -> Self {
        self.labels.push((op, text.into()));
        self
    }
}

pub(super) const BARRIER_ALL: &str = "pto.barrier <PIPE_ALL>";
/// Writes scalar stores in the data cache back to memory.
const WRITE_BACK: [&str; 2] = ["pto.cmo.cacheinvalid all <gm>", "pto.fence.barrier_all <gm>"];
pub(super) const NEXT_ITERATION: &str = pto_isa::text_key!("the next iteration has to wait for this one");
pub(super) const SCALAR_STORE: &str = pto_isa::text_key!("a scalar store does not wait for the pipes");
/// Signals that a program may use; `syncall` uses those above.
const SIGNALS: std::ops::RangeInclusive<i64> = 0..=10;
/// On A5 the second vector core has its own signals, at this offset from those of the first.
pub(super) const SECOND_CORE: i64 = 16;

impl Findings<'_> {
    /// The fix that orders two accesses.
    pub(super) fn repair(&self, code: Code, conflict: &Conflict, stamp: &Stamp, ranks: &OrdSet<(u32, u32)>) -> Repair {
        let (from, to) = (self.pipe_of(&conflict.other), self.pipe_of(stamp));
        let mut repair = self.order(code, conflict, (from, to), ranks);
        let first = conflict.other.op;
        let in_cache =
            matches!(conflict.place, AddressSpace::Global(_)) && from == Pipe::S && code != codes::RACE_OVERWRITE;
        if in_cache && !repair.edits.is_empty() && self.text().written_back(first) == first {
            // An order alone does not write it back to memory.
            let at = self.text().span(first);
            repair.edits.splice(0..0, WRITE_BACK.map(|text| Edit::after(at, text)));
        }
        repair
    }

    fn order(&self, code: Code, conflict: &Conflict, (from, to): (Pipe, Pipe), ranks: &OrdSet<(u32, u32)>) -> Repair {
        let here = conflict.site.core;
        match conflict.other_core {
            Some(other) if other == here => self.order_pipes(conflict, from, to),
            Some(other) if other.rank != here.rank => {
                let words = self.order_ranks(conflict, other, from);
                self.with_message(words, code, conflict, ranks, from)
            }
            Some(other) if other.block == here.block && other.role != here.role => {
                self.order_cores(code, conflict, other, (from, to))
            }
            _ => self.order_blocks(code, conflict),
        }
    }

    /// Edits that let one core store after the other has written its line back; `None` if there are none.
    pub(crate) fn one_after_the_other(&self, conflict: &Conflict, stamp: &Stamp, edits: [Edit; 2]) -> Vec<Edit> {
        let ordered = self.order(codes::RACE_WRITE, conflict, (Pipe::S, self.pipe_of(stamp)), &OrdSet::new()).edits;
        let [write_back, forget] = edits;
        match ordered.is_empty() {
            true => ordered,
            false => std::iter::once(write_back).chain(ordered).chain([forget]).collect(),
        }
    }

    /// Orders a write and a scalar store after it.
    pub(crate) fn ordered_writes(&self, conflict: &Conflict, stamp: &Stamp) -> Vec<Edit> {
        let pipes = (self.pipe_of(&conflict.other), self.pipe_of(stamp));
        self.order(codes::RACE_WRITE, conflict, pipes, &OrdSet::new()).edits
    }

    /// The pipe of an access. If the toolchain orders the pipes, all share one index.
    fn pipe_of(&self, stamp: &Stamp) -> Pipe {
        match pipe(stamp.thread as usize % PIPES) {
            Pipe::S => pto_check::pipe_of(self.module, stamp.op, self.target).unwrap_or(Pipe::S),
            other => other,
        }
    }

    // ---- pipes of a core ------------------------------------------------------------------------------------------

    fn order_pipes(&self, conflict: &Conflict, from: Pipe, to: Pipe) -> Repair {
        let (first, second) = (conflict.other.op, conflict.site.op);
        let at = |op: OpId| self.text().span(op);
        if from == Pipe::All {
            return self.order_transfer(conflict);
        }
        if to == Pipe::All {
            return Repair::new(text!("the transfer starts immediately and does not wait for the pipes"))
                .edits(vec![Edit::before(at(second), BARRIER_ALL)]);
        }
        if from == to {
            return Repair::new(text!(
                "{from} may start an instruction before the previous one has finished: a barrier orders them",
                from
            ))
            .edits(vec![Edit::before(at(second), format!("pto.barrier <{from}>"))]);
        }
        let repair = Repair::new(text!("a flag from {from} to {to} orders them", from, to));
        let (Some(pair), Some(id)) = (self.text().pair(first, second), self.free_id(from, to)) else {
            return repair.edits(vec![Edit::before(at(second), BARRIER_ALL)]);
        };
        let flag = |op: SyncOp| format!("pto.{}[<{from}>, <{to}>, <EVENT_ID{id}>]", Op::of(op).row().name);
        let (set, wait) = (flag(SyncOp::SetFlag(FlagForm::Fixed)), flag(SyncOp::WaitFlag(FlagForm::Fixed)));
        let (a, b) = pair.ends();
        if self.text().position(a) < self.text().position(b) {
            let a = self.text().written_back(a);
            return repair.edits(vec![Edit::after(at(a), set), Edit::before(at(b), wait)]);
        }
        // The second access belongs to the next iteration, or to the next call of its function.
        match self.text().loop_around(pair.block).filter(|_| !self.text().is_loop(a) || a != b) {
            Some(around) => repair.help(text::translate(NEXT_ITERATION)).edits(vec![
                Edit::before(at(around), set.clone()),
                Edit::before(at(b), wait.clone()),
                Edit::after(at(a), set),
                Edit::after(at(around), wait),
            ]),
            None if a == b && a == second => repair.edits(vec![Edit::before(at(second), BARRIER_ALL)]),
            None if a == b => repair.edits(vec![Edit::after(at(first), set), Edit::after(at(first), wait)]),
            None => repair.edits(vec![Edit::after(at(a), set), Edit::after(at(a), wait)]),
        }
    }

    /// A background transfer continues until its event is waited for.
    fn order_transfer(&self, conflict: &Conflict) -> Repair {
        let transfer = conflict.other.op;
        let repair = Repair::new(text!("the transfer runs in the background until a wait for its event"));
        let pair = self.text().pair(transfer, conflict.site.op);
        let before = pair.as_ref().filter(|p| p.first[0] == transfer && self.comes_first(p)).map(|p| p.second[0]);
        match self.await_event(transfer, before) {
            Some(edits) => repair.edits(edits),
            None => repair.help(text!(
                "wait for the event of the transfer before the memory is used, with pto.comm.wait_async_event"
            )),
        }
    }

    fn comes_first(&self, pair: &StatementPair) -> bool {
        let (a, b) = pair.ends();
        self.text().position(a) < self.text().position(b)
    }

    /// Inserts a wait for the event of a transfer, before a statement or right after it. A wait that comes too late is moved.
    pub(super) fn await_event(&self, transfer: OpId, before: Option<OpId>) -> Option<Vec<Edit>> {
        let event = self.module.results(transfer).next()?;
        let session = self.in_named_slot(transfer, "session")?;
        let name = |v: ValueId| Some(self.module.value_name(v)).filter(|n| !n.is_empty());
        let (event_name, session_name) = (name(event)?, name(session)?);
        let late = self.text().behind(transfer).into_iter().find(|id| {
            self.module.comm(*id) == Some(CommOp::WaitAsync) && self.in_named_slot(*id, "event") == Some(event)
        });
        let result = late.and_then(|id| self.module.results(id).next()).and_then(name).map(str::to_string);
        let result = result.unwrap_or_else(|| self.fresh_name("done"));
        let text = format!(
            "%{result} = pto.comm.wait_async_event(%{event_name}, %{session_name} : !pto.async_event, !pto.async_session) -> i1"
        );
        let at = |op: OpId| self.text().span(op);
        let mut edits = vec![
            before.map_or_else(|| Edit::after(at(transfer), text.clone()), |op| Edit::before(at(op), text.clone())),
        ];
        edits.extend(late.map(|id| Edit::remove(at(id))));
        Some(edits)
    }

    pub(super) fn in_named_slot(&self, id: OpId, name: &str) -> Option<ValueId> {
        let slot = self.module.op(id).op.row().slot(name)?;
        self.module.in_slot(id, slot).next().map(|o| o.value)
    }

    pub(super) fn fresh_name(&self, wanted: &str) -> String {
        let names: OrdSet<&str> =
            (0..self.module.value_count()).map(|k| self.module.value_name(ValueId::from_index(k))).collect();
        let numbered = (1..).map(|k| format!("{wanted}{k}"));
        std::iter::once(wanted.to_string()).chain(numbered).find(|n| !names.contains(&**n)).unwrap_or_default()
    }

    // ---- cores of a block -----------------------------------------------------------------------------------------

    fn order_cores(&self, code: Code, conflict: &Conflict, other: CoreId, (from, to): (Pipe, Pipe)) -> Repair {
        let here = conflict.site.core;
        let mut repair = Repair::new(text!(
            "a signal from {core_name} to {core_name2} orders them",
            core_name = core_name(other),
            core_name2 = core_name(here)
        ));
        if let Some(barrier) = self.stated().partial_barrier {
            repair = repair.label(barrier, text!("cores of the other kind do not take part in this `syncall`"));
        }
        let sides = self.matching(conflict.other.op, conflict.site.op);
        let certain = sides.as_ref().filter(|s| s.exact || code != codes::RACE_OVERWRITE && !self.stated().talks);
        let free = self.free_signals();
        // What is still read has a signal of its own: the data may need one, too.
        let id = free.get(usize::from(code == codes::RACE_OVERWRITE)).or(free.first());
        let (Some(sides), Some(id)) = (certain, id) else {
            return repair.help(text!("send a signal when the first is done, with pto.sync.set <{from}>, and wait for it before the second, with pto.sync.wait <{to}>, equally often on both cores", from, to));
        };
        let from_cube = other.role == Role::Cube;
        let there = self.signal_edits(sides, (from, to), *id, from_cube, code == codes::RACE_OVERWRITE);
        // If nothing orders the iterations of two loops, the next write must also wait for this read.
        let back = sides.loops.filter(|_| code == codes::RACE_READ && !self.stated().talks).and(free.get(1));
        let Some(id) = back else {
            let carried = code == codes::RACE_OVERWRITE && sides.loops.is_some();
            return if carried { repair.help(text::translate(NEXT_ITERATION)) } else { repair }.edits(there);
        };
        let reversed = sides.reversed();
        let back = self.signal_edits(&reversed, (to, from), *id, !from_cube, true);
        repair
            .help(text!("one signal says that the data is ready, another that it has been read"))
            .edits([there, back].concat())
    }

    /// A signal after the first and a wait before the second. If the second belongs to the next iteration, the signal is sent once before
    /// the loop.
    fn signal_edits(
        &self,
        sides: &FixSides,
        pipes: (Pipe, Pipe),
        id: i64,
        from_cube: bool,
        carried: bool,
    ) -> Vec<Edit> {
        let (sets, waits) = self.signal_texts(pipes, id, from_cube);
        let span = |op: OpId| self.text().span(op);
        let mut edits: Vec<Edit> = Vec::new();
        edits.extend(sets.iter().map(|text| Edit::after(span(sides.first), text)));
        edits.extend(waits.iter().map(|text| Edit::before(span(sides.second), text)));
        if let Some((a, b)) = sides.loops.filter(|_| carried) {
            edits.extend(sets.iter().map(|text| Edit::before(span(a), text)));
            edits.extend(waits.iter().map(|text| Edit::after(span(b), text)));
        }
        edits
    }

    /// Signals and waits between the cores of a block. On A5 each vector core has its own.
    fn signal_texts(&self, (from, to): (Pipe, Pipe), id: i64, from_cube: bool) -> (Vec<String>, Vec<String>) {
        let both = self.target == Target::A5 && self.vectors > 1;
        let ids = |double: bool| if double { vec![id, id + SECOND_CORE] } else { vec![id] };
        let (sender, receiver) = (self.signal_pipe(from, from_cube), self.signal_pipe(to, !from_cube));
        // A pipe that cannot signal or wait is joined by a barrier to one that can.
        let join = |own: Pipe, used: Pipe| (own != used).then(|| BARRIER_ALL.to_string());
        let sets = ids(both && from_cube).into_iter().map(|id| format!("pto.sync.set <{sender}>, {id}"));
        let waits = ids(both && !from_cube).into_iter().map(|id| format!("pto.sync.wait <{receiver}>, {id}"));
        (join(from, sender).into_iter().chain(sets).collect(), waits.chain(join(to, receiver)).collect())
    }

    /// The pipe that signals for another. On A5 not every pipe can.
    fn signal_pipe(&self, pipe: Pipe, on_cube: bool) -> Pipe {
        let can = matches!(pipe, Pipe::Fix | Pipe::Mte1 | Pipe::Mte2 | Pipe::Mte3 | Pipe::V);
        match (self.target, on_cube) {
            (Target::A5, true) if !can => Pipe::Fix,
            (Target::A5, false) if !can => Pipe::Mte3,
            _ => pipe,
        }
    }

    /// Statements that two cores execute equally often, in the innermost loops that match.
    fn matching(&self, first: OpId, second: OpId) -> Option<FixSides> {
        let text = self.text();
        let (mut a, mut b) = match text.pair(first, second) {
            Some(pair) if pair.ends().0 == pair.ends().1 => return None,
            Some(pair) => (pair.first, pair.second),
            None => (text.around(first), text.around(second)),
        };
        if text.pair(first, second).is_none() {
            a.reverse();
            b.reverse();
        }
        let mut loops = None;
        let (mut i, mut j) = (0, 0);
        loop {
            if text.is_section(*a.get(i)?) {
                i += 1;
            } else if text.is_section(*b.get(j)?) {
                j += 1;
            } else if text.same_loops(a[i], b[j]) && i + 1 < a.len() && j + 1 < b.len() {
                loops = Some((a[i], b[j]));
                (i, j) = (i + 1, j + 1);
            } else {
                break;
            }
        }
        let loop_left = |list: &[OpId]| list.iter().any(|op| text.is_loop(*op));
        Some(FixSides {
            first: text.written_back(a[i]),
            second: b[j],
            loops,
            exact: !loop_left(&a[i..]) && !loop_left(&b[j..]),
        })
    }

    /// Statements of two cores that execute equally often.
    pub(super) fn equal_places(&self, first: OpId, second: OpId) -> Option<(OpId, OpId)> {
        self.matching(first, second).map(|sides| (sides.first, sides.second))
    }

    /// Signals that the text does not use, highest first, because FIFO pipes use the lowest.
    pub(super) fn free_signals(&self) -> Vec<i64> {
        let used: OrdSet<i64> = self.stated().signals.iter().map(|n| n % SECOND_CORE).collect();
        SIGNALS.rev().filter(|id| !used.contains(id)).collect()
    }

    // ---- ranks ----------------------------------------------------------------------------------------------------

    /// If ranks do not signal, or nothing waits for the signal, each pair of ranks gets its own words.
    fn with_message(
        &self,
        words: Repair,
        code: Code,
        conflict: &Conflict,
        ranks: &OrdSet<(u32, u32)>,
        from: Pipe,
    ) -> Repair {
        let awaited = self.text().ahead(conflict.site.op).iter().any(|id| {
            matches!(
                self.module.meaning(*id),
                Meaning::Comm(CommOp::Wait | CommOp::Test) | Meaning::Control(Control::While)
            )
        });
        if ranks.is_empty() || awaited && !words.edits.is_empty() {
            return words;
        }
        match self.tell_ranks(code, conflict, ranks, from == Pipe::All) {
            Some(told) => {
                let help = match (words.help, told.help) {
                    (Some(words), Some(more)) => Some(format!("{words}; {more}")),
                    (words, more) => words.or(more),
                };
                Repair { help, edits: told.edits, ..words }
            }
            None => words,
        }
    }

    fn order_ranks(&self, conflict: &Conflict, other: CoreId, from: Pipe) -> Repair {
        let (there, here) = (other.rank, conflict.site.core.rank);
        let first = conflict.other.op;
        let background = from == Pipe::All;
        let behind = self.text().behind(first);
        let is = |id: &OpId, meaning: Meaning| self.module.meaning(*id) == meaning;
        let notify = behind.iter().position(|id| is(id, CommOp::Notify.into()));
        let Some(at) = notify else {
            let mut repair = Repair::new(text!("rank {there} must notify rank {here} when it is done", there, here));
            if background {
                repair.legal += text!("; the transfer runs in the background until a wait for its event");
            }
            let done = if background { "pto.comm.wait_async_event" } else { BARRIER_ALL };
            return repair.help(text!("on rank {there}, behind it: {done} and then pto.comm.tnotify; on rank {here}, before it: pto.comm.twait for that word", there, done, here));
        };
        let (notify, between) = (behind[at], &behind[..at]);
        if background {
            let repair = Repair::new(text!("the transfer runs in the background until a wait for its event")).label(
                notify,
                text!("rank {here} is notified here, before the transfer is guaranteed to be complete", here),
            );
            let before = Some(notify).filter(|id| self.text().block_of(*id) == self.text().block_of(first));
            return match self.await_event(first, before) {
                Some(edits) => repair.edits(edits),
                None => {
                    repair.help(text!("wait for its event before the notification, with pto.comm.wait_async_event"))
                }
            };
        }
        if between.iter().any(|id| is(id, SyncOp::Barrier.into())) {
            return Repair::new(text!("rank {here} continues before rank {there} has notified it", here, there))
                .label(notify, text!("rank {there} notifies it here", there))
                .help(text!("on rank {here}, wait for this notification with pto.comm.twait: once per sender, each time with a different word or value", here));
        }
        Repair::new(text!("a notification does not wait for the pipes"))
            .label(notify, text!("rank {here} is notified here, before {from} is guaranteed to be done", here, from))
            .edits(vec![Edit::before(self.text().span(notify), BARRIER_ALL)])
    }
}

/// Statements that two cores execute equally often.
struct FixSides {
    first: OpId,
    second: OpId,
    /// The innermost matching loops around the two.
    loops: Option<(OpId, OpId)>,
    /// There is no other loop around either access.
    exact: bool,
}

impl FixSides {
    /// The other direction: the second statement comes before the first of the next iteration.
    fn reversed(&self) -> Self {
        Self { first: self.second, second: self.first, loops: self.loops.map(|(a, b)| (b, a)), exact: self.exact }
    }
}
