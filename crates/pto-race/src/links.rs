//! What orders cores: signals, barriers, FIFO pipes, and words in global memory.

use crate::clock::{Clock, PIPES, pipe_index};
use crate::detector::Detector;
use crate::findings::InstrSite;
use crate::link_state::SYNCALL_SIGNALS;
use crate::words::{FoundNumber, Seen, Word, WordChange, WordQuestion, Words};
use pto_cpu::{Action, AddressSpace, Detail, Event, Ring, Signal};
use pto_isa::text;
use pto_isa::{Pipe, Target};
use std::collections::VecDeque;

impl Detector<'_> {
    /// Steps that concern other cores.
    pub fn link(&mut self, core: usize, site: InstrSite, event: &Event<'_>) {
        match event.action {
            Action::Signal(signal) => self.signal(core, site, event.pipe, signal),
            Action::Await(id) => self.wait_for_signal(core, site, event.pipe, id),
            Action::Arrive(set, round) => {
                self.barrier_all(core);
                let message = self.cores[core].issue_clock();
                self.links.barriers.entry((site.core.rank, set, round)).or_default().join(&message);
                self.links.reserved.extend(SYNCALL_SIGNALS.map(|id| (id, "`syncall`")));
            }
            Action::Leave(set, round) => {
                if let Some(clock) = self.links.barriers.get(&(site.core.rank, set, round)) {
                    self.cores[core].tell_issue(clock);
                }
            }
            Action::Open(ring) => self.open(ring),
            Action::Alloc(ring) => self.alloc(core, site, ring),
            Action::Push(ring) => self.push(core, site, event, ring),
            Action::Pop(ring) => self.pop(core, site, event, ring),
            Action::Free(ring) => self.free(core, site, ring),
            Action::Notify => self.notify(core, event),
            Action::Noticed if self.ignored.contains(&event.op) => {}
            Action::Noticed => self.noticed(core, event),
            Action::Missed => self.missed(core, event),
            _ => {}
        }
    }

    // ---- signals --------------------------------------------------------------------------------------------------

    fn signal(&mut self, core: usize, site: InstrSite, pipe: Option<Pipe>, signal: &Signal) {
        let message = self.done_on(core, pipe);
        self.links.used.entry(signal.id).or_insert(site);
        self.links.sent.entry((site.core, signal.id)).or_default().push_back((message, site));
        if signal.to.is_empty() {
            return;
        }
        let mut all = Clock::default();
        for sender in &signal.from {
            if let Some((clock, _)) = self.links.sent.get_mut(&(*sender, signal.id)).and_then(VecDeque::pop_front) {
                all.join(&clock);
            }
        }
        for &to in &signal.to {
            self.links.arrived.entry((to, signal.id_there)).or_default().push_back((all.clone(), site));
        }
    }

    /// The clock after everything that was issued to a pipe.
    fn done_on(&mut self, core: usize, pipe: Option<Pipe>) -> Clock {
        match pipe {
            Some(Pipe::All) | None => {
                self.barrier_all(core);
                self.cores[core].issue_clock()
            }
            pipe => {
                let at = self.index_of(pipe);
                self.cores[core].message(at, core)
            }
        }
    }

    /// On A5 the pipe waits, elsewhere the core.
    fn wait_for_signal(&mut self, core: usize, site: InstrSite, pipe: Option<Pipe>, id: i64) {
        let message = self.links.arrived.get_mut(&(site.core, id)).and_then(VecDeque::pop_front);
        let Some((clock, _)) = message else { return };
        let at = self.index_of(pipe);
        if self.setting.target == Target::A5 && at != pipe_index(Pipe::S) && pipe != Some(Pipe::All) {
            self.cores[core].hear_issue(at);
            self.cores[core].pipes[at].clock.join(&clock);
        } else {
            self.cores[core].tell_issue(&clock);
        }
    }

    // ---- pipes ----------------------------------------------------------------------------------------------------

    fn open(&mut self, ring: Ring) {
        if let Some(base) = ring.flag_base {
            let count = if ring.both_ways { 4 } else { 2 };
            self.links.reserved.extend((base..base + count).map(|id| (id, text!("a pipe between cores"))));
        }
    }

    /// A producer takes a slot: the previous consumer has finished with it.
    fn alloc(&mut self, core: usize, site: InstrSite, ring: Ring) {
        let Some(before) = ring.count.checked_sub(u64::from(ring.slots.max(1))) else { return };
        if let Some(clock) = self.links.ring(site.core, ring).freed.get(&before).cloned() {
            self.cores[core].tell_issue(&clock);
        }
    }

    fn push(&mut self, core: usize, site: InstrSite, event: &Event<'_>, ring: Ring) {
        let at = if event.accesses.is_empty() {
            self.signalling_pipe(ring)
        } else {
            self.moves(core, event.pipe, site, event.accesses);
            self.index_of(event.pipe)
        };
        let clock = self.cores[core].message(at, core);
        let entry = self.links.ring(site.core, ring).pushed.entry(ring.count);
        entry.or_insert_with(|| (Clock::default(), site)).0.join(&clock);
    }

    fn pop(&mut self, core: usize, site: InstrSite, event: &Event<'_>, ring: Ring) {
        let state = self.links.ring(site.core, ring);
        state.popped.insert(ring.count, site);
        let pushed = state.pushed.get(&ring.count).map(|(clock, _)| clock.clone());
        if let Some(access) = event.accesses.first() {
            state.held.entry(site.core).or_default().push_back((*access, site));
        }
        if let Some(clock) = pushed {
            self.cores[core].tell_issue(&clock);
        }
        self.moves(core, event.pipe, site, event.accesses);
        if self.index_of(event.pipe) == pipe_index(Pipe::S) {
            // No data moves: the tile lies where it was pushed.
            let here = self.cores[core].message(pipe_index(Pipe::S), core);
            self.cores[core].tell_issue(&here);
        }
        if self.setting.target != Target::A5 && ring.copies {
            self.release(core, site, ring);
        }
    }

    /// Frees a slot. Everything that was issued to the consumer before is done by then.
    fn release(&mut self, core: usize, site: InstrSite, ring: Ring) {
        let mut all = Clock::default();
        for at in 0..pipe_index(Pipe::All) {
            all.join(&self.cores[core].message(at, core));
        }
        self.links.ring(site.core, ring).freed.entry(ring.count).or_default().join(&all);
    }

    fn free(&mut self, core: usize, site: InstrSite, ring: Ring) {
        self.release(core, site, ring);
        let held = self.links.ring(site.core, ring).held.get_mut(&site.core).and_then(VecDeque::pop_front);
        if let Some((access, _)) = held {
            self.give_back(core, &access, site);
        }
    }

    // ---- transfers in the background -----------------------------------------------------------------------------------

    /// A background transfer starts. Transfers of one session are ordered; sessions are not ordered with each other.
    pub fn transfer(&mut self, core: usize, site: InstrSite, event: &Event<'_>) {
        let (which, session) = numbers(event);
        let at = match self.sessions.get(&(core, session)) {
            Some(at) => *at,
            None => self.add_core(site.core),
        };
        self.sessions.insert((core, session), at);
        let issued = self.cores[core].issue_clock();
        self.cores[at].tell_issue(&issued);
        self.moves(at, event.pipe, site, event.accesses);
        let message = self.cores[at].message(pipe_index(Pipe::All), at);
        self.transfers.insert((core, which), message);
    }

    /// The core waits for a background transfer and for those before it in its session. A transfer of another session than the
    /// one named is not waited for.
    pub fn await_transfer(&mut self, core: usize, event: &Event<'_>) {
        if let Some(message) = self.awaited(core, event) {
            self.cores[core].tell_issue(&message);
        }
    }

    /// True when the core already knows that a transfer is done.
    pub fn is_awaited(&self, core: usize, event: &Event<'_>) -> bool {
        let Some(message) = self.awaited(core, event) else { return false };
        let (issue, mut both) = (self.cores[core].issue_clock(), self.cores[core].issue_clock());
        both.join(&message);
        both == issue
    }

    fn awaited(&self, core: usize, event: &Event<'_>) -> Option<Clock> {
        let (which, session) = numbers(event);
        let at = self.sessions.get(&(core, session))?;
        let message = self.transfers.get(&(core, which))?;
        // The wait must name the session that executes the transfer.
        (message.get(*at * PIPES + pipe_index(Pipe::All)) > 0).then(|| message.clone())
    }

    // ---- words in global memory -----------------------------------------------------------------------------------

    /// The scalar unit changes the word while other pipes may still work; then it waits for them.
    fn notify(&mut self, core: usize, event: &Event<'_>) {
        let Some((word, change, before)) = changed_word(event) else { return };
        self.change_word(core, (word, WORD), change, before);
        if let Words::Recorded(log) = &mut self.words {
            log.notified(event.op);
        }
        self.barrier_all(core);
    }

    /// The scalar unit changes a word. A core that finds the change joins this clock.
    pub fn change_word(&mut self, core: usize, word: (Word, u64), change: WordChange, before: Option<i64>) {
        let moment = self.word_moment(core);
        if let Words::Recorded(log) = &mut self.words {
            log.change(word, before, change, moment);
        }
    }

    fn noticed(&mut self, core: usize, event: &Event<'_>) {
        if let Some((words, asked)) = seen_words(event) {
            self.find_words(core, &words, &asked);
        }
    }

    /// A test is answered with no. Whether that is possible is known at the end of the run.
    fn missed(&mut self, core: usize, event: &Event<'_>) {
        let Some((words, asked)) = seen_words(event) else { return };
        let moment = self.word_moment(core);
        if let Words::Recorded(log) = &mut self.words {
            log.missed(&words, &asked, &moment, self.answers.last);
        }
    }

    /// A core has found words in the state it waited for, and learns from that.
    pub fn find_words(&mut self, core: usize, words: &[FoundNumber], asked: &WordQuestion) {
        let moment = self.word_moment(core);
        self.cores[core].tell_issue(&moment.clock);
        match &mut self.words {
            Words::Recorded(log) => log.wait(words, asked, &moment),
            Words::Known(waits) => {
                if let Some(clock) = waits.pop_front() {
                    self.cores[core].tell_issue(&clock);
                }
            }
        }
    }
}

/// Bytes of a signal word.
const WORD: u64 = 4;

/// The words of a test, their values, and the condition.
fn seen_words(event: &Event<'_>) -> Option<(Vec<FoundNumber>, WordQuestion)> {
    let (Detail::Seen { cmp, value, words }, Some(access)) = (event.detail, event.accesses.first()) else {
        return None;
    };
    let AddressSpace::Global(buffer) = access.place else { return None };
    let found = |(first, value): &(i64, i32)| {
        let word = (buffer, *first);
        FoundNumber { op: event.op, word, bytes: WORD, number: (*value).into(), seen: Seen::Now }
    };
    let words = words.iter().map(found).collect();
    Some((words, WordQuestion::Compared { cmp, value: value.into() }))
}

/// The number of a transfer, and of its session.
fn numbers(event: &Event<'_>) -> (u64, u64) {
    match event.detail {
        Detail::Transfer { event, session } => (event, session),
        _ => (0, 0),
    }
}

/// A notification changes the first word of its signal.
fn changed_word(event: &Event<'_>) -> Option<(Word, WordChange, Option<i64>)> {
    let (Detail::Change { add, value, before }, Some(access)) = (event.detail, event.accesses.first()) else {
        return None;
    };
    let AddressSpace::Global(buffer) = access.place else { return None };
    let change = if add { WordChange::Add(value.into()) } else { WordChange::Set(value.into()) };
    Some(((buffer, access.start), change, Some(before.into())))
}
