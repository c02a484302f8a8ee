//! What a core knows when it has found a word of global memory as it should be.
//!
//! Cores tell each other things by words that one changes and another waits for. What the one that waits knows then must
//! not depend on who happened to be first in this run: it knows what every history has in common that makes the word what
//! was asked for. So a run is recorded, with all changes of each word, those that come later too; [`Log::solve`] finds
//! what each wait knows; and the run that looks for races is a second one.

use crate::answers::Key;
use crate::clock::{Clock, LANES, lane};
use pto_cpu::{Access, Place};
use pto_isa::Pipe;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Changes of a word by one core, behind those that a wait knows to be done, that are looked at. A core that runs further
/// ahead has passed all that matters.
const AHEAD: usize = 64;
/// Rounds after which what is left is given up.
const ROUNDS: usize = 256;

/// A word of global memory: its buffer and its first byte.
pub(crate) type Word = (usize, i64);

/// What is done about words in a run: they are recorded, or it is known what each wait learns.
#[derive(Debug)]
pub(crate) enum Words {
    Recorded(Log),
    Known(VecDeque<Clock>),
}

impl Words {
    /// What is known of a word when it is loaded.
    pub fn seen(&self, word: Word) -> Seen {
        match self {
            Self::Recorded(log) => log.seen(word),
            Self::Known(_) => Seen::Now,
        }
    }

    /// The same for those words of an access that have changed before.
    pub fn seen_in(&self, access: &Access) -> BTreeMap<Word, Seen> {
        let (Self::Recorded(log), Place::Global(buffer)) = (self, access.place) else { return BTreeMap::new() };
        let last = (access.rows.max(1) - 1) as i64;
        let end =
            access.start.saturating_add(last.saturating_mul(access.stride)).saturating_add(access.row_bytes as i64);
        let known = log.words.range((buffer, access.start)..(buffer, end.max(access.start)));
        known.map(|(word, _)| (*word, log.seen(*word))).collect()
    }
}

/// How a word is compared, by its position in `wait_cmp`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Asked {
    pub cmp: u8,
    pub value: i64,
}

impl Asked {
    /// The position of `eq`.
    pub const EQUAL: u8 = 0;

    /// What holds where this does not.
    fn opposite(self) -> Self {
        Self { cmp: [1, 0, 5, 4, 3, 2][usize::from(self.cmp.min(5))], ..self }
    }

    /// True when one of the numbers can be meant: `start` and what lies a multiple of `step` away, within bounds.
    fn holds(self, Values { start, step, low, high }: Values) -> bool {
        let v = self.value;
        match self.cmp {
            0 => low <= v && v <= high && if step == 0 { v == start } else { (v - start) % step == 0 },
            1 => low != high || low != v,
            2 => high > v,
            3 => high >= v,
            4 => low < v,
            _ => low <= v,
        }
    }
}

/// What a word may hold.
#[derive(Clone, Copy, Debug)]
struct Values {
    start: i64,
    step: i64,
    low: i64,
    high: i64,
}

impl Values {
    fn just(start: i64) -> Self {
        Self { start, step: 0, low: start, high: start }
    }

    /// Something is added for certain.
    fn add(&mut self, n: i64) {
        self.start = self.start.saturating_add(n);
        self.low = self.low.saturating_add(n);
        self.high = self.high.saturating_add(n);
    }

    /// Something may be added.
    fn may_add(&mut self, n: i64) {
        self.low = self.low.saturating_add(n.min(0));
        self.high = self.high.saturating_add(n.max(0));
        self.step = gcd(self.step, n.saturating_abs());
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    Set(i64),
    Add(i64),
}

#[derive(Clone, Copy, Debug)]
enum What {
    Change(Change),
    /// Which of the waits it is.
    Wait(usize, Asked),
    /// Which question it is that is answered with no.
    Missed(usize, Asked),
}

/// A change or a wait: when it is, and what is done by then.
#[derive(Debug)]
struct Entry {
    /// The lane that does it, counted over all cores.
    thread: usize,
    time: u32,
    clock: Clock,
    what: What,
    /// Which word it is about.
    history: usize,
}

impl Entry {
    fn core(&self) -> usize {
        self.thread / LANES
    }
}

/// The changes of a word since something else than a change of this kind wrote it.
#[derive(Debug)]
struct History {
    first: i64,
    /// What it holds now.
    now: i64,
    changes: Vec<usize>,
}

/// What happened to words in a run.
#[derive(Default, Debug)]
pub(crate) struct Log {
    entries: Vec<Entry>,
    histories: Vec<History>,
    /// The latest history of each word, and the first.
    words: BTreeMap<Word, usize>,
    firsts: BTreeMap<Word, usize>,
    waits: usize,
    /// Questions that are answered with no.
    missed: Vec<Option<Key>>,
}

/// A number that was found in a word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub word: Word,
    pub number: i64,
    pub seen: Seen,
}

/// When a word was looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Seen {
    Now,
    /// Its history at that time, where it had one, and what it held.
    Before(Option<(usize, i64)>),
}

/// When something happens, and what is done by then.
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    /// The lane, counted over all cores.
    pub thread: usize,
    pub time: u32,
    pub clock: Clock,
}

impl Log {
    /// A word changes. `before` is what it held.
    pub fn change(&mut self, word: Word, before: Option<i64>, change: Change, moment: Moment) {
        let history = self.history(word, before);
        let state = &mut self.histories[history];
        state.changes.push(self.entries.len());
        state.now = match change {
            Change::Set(value) => value,
            Change::Add(value) => i64::from(state.now.wrapping_add(value) as i32),
        };
        self.push(moment, What::Change(change), history);
    }

    /// A word is found as it should be, with others of the same wait.
    pub fn wait(&mut self, words: &[Found], asked: Asked, moment: &Moment) {
        for &word in words {
            let history = self.history_of(word);
            self.push(moment.clone(), What::Wait(self.waits, asked), history);
        }
        self.waits += 1;
    }

    /// A word is said to be otherwise than asked, or one of the others of the same question.
    pub fn missed(&mut self, words: &[Found], asked: Asked, moment: &Moment, key: Option<Key>) {
        for &word in words {
            let history = self.history_of(word);
            self.push(moment.clone(), What::Missed(self.missed.len(), asked), history);
        }
        self.missed.push(key);
    }

    /// What is known of a word when it is loaded.
    pub fn seen(&self, word: Word) -> Seen {
        let latest = self.words.get(&word).copied();
        Seen::Before(latest.map(|history| (history, self.histories[history].now)))
    }

    /// The history of a word that was found. It may have changed since it was loaded.
    fn history_of(&mut self, Found { word, number, seen }: Found) -> usize {
        let then = match seen {
            Seen::Now => None,
            Seen::Before(Some((history, then))) => Some(history).filter(|_| then == number),
            Seen::Before(None) => self.firsts.get(&word).copied().filter(|h| self.histories[*h].first == number),
        };
        then.unwrap_or_else(|| self.history(word, Some(number)))
    }

    /// Questions that cannot be answered with no, when it is known what waits know.
    fn impossible(&self) -> BTreeSet<Key> {
        let mut possible = vec![false; self.missed.len()];
        for (at, entry) in self.entries.iter().enumerate() {
            if let What::Missed(which, asked) = entry.what {
                possible[which] |= Question::new(self, at, asked.opposite()).is_possible(self, |_| true);
            }
        }
        self.missed.iter().zip(possible).filter(|(_, possible)| !possible).filter_map(|(key, _)| *key).collect()
    }

    fn push(&mut self, Moment { thread, time, clock }: Moment, what: What, history: usize) {
        self.entries.push(Entry { thread, time, clock, what, history });
    }

    /// The history of a word. One that holds something else than it should was written by something else, and starts again.
    fn history(&mut self, word: Word, holds: Option<i64>) -> usize {
        if let Some(&known) = self.words.get(&word)
            && holds.is_none_or(|value| value == self.histories[known].now)
        {
            return known;
        }
        let first = holds.unwrap_or(0);
        self.histories.push(History { first, now: first, changes: Vec::new() });
        let latest = self.histories.len() - 1;
        self.words.insert(word, latest);
        self.firsts.entry(word).or_insert(latest);
        latest
    }

    /// What is done when each wait is over, in the order of the run.
    ///
    /// At first it is assumed that a wait knows all that was done before it in this run. What does not follow from that is
    /// dropped, until the rest supports itself. That is sound: of the waits of any history, the first one that did not
    /// know what is claimed here would come behind waits that do, and from those its knowledge follows.
    pub fn solve(mut self) -> (Vec<Clock>, BTreeSet<Key>) {
        let own: Vec<Clock> = self.entries.iter().map(|e| e.clock.clone()).collect();
        let mut known = self.most(&own);
        for _ in 0..ROUNDS {
            if !self.round(&own, &mut known) {
                let impossible = self.impossible();
                return (known, impossible);
            }
        }
        // Nothing that is left has been shown.
        (vec![Clock::default(); self.waits], BTreeSet::new())
    }

    /// What this run has done before each wait.
    fn most(&mut self, own: &[Clock]) -> Vec<Clock> {
        let mut known = vec![Clock::default(); self.waits];
        let mut done = vec![Clock::default(); self.histories.len()];
        let mut learned = Learned::default();
        for (entry, own) in self.entries.iter_mut().zip(own) {
            entry.clock = learned.before(entry, own);
            match entry.what {
                What::Change(_) => done[entry.history].join(&entry.clock),
                What::Wait(which, _) => {
                    known[which].join(&done[entry.history]);
                    known[which].join(&entry.clock);
                    learned.note(entry, &known[which]);
                }
                What::Missed(..) => {}
            }
        }
        known
    }

    /// Keeps of what waits know what follows from the rest; true when something was dropped. What comes later in the run sees
    /// at once what is left.
    fn round(&mut self, own: &[Clock], known: &mut [Clock]) -> bool {
        let mut learned = Learned::default();
        let mut next = vec![Clock::default(); known.len()];
        for (at, own) in own.iter().enumerate() {
            self.entries[at].clock = learned.before(&self.entries[at], own);
            if let What::Wait(which, asked) = self.entries[at].what {
                // With what it knew before: what is dropped there may still follow from the word.
                next[which].join(&self.entries[at].clock);
                next[which].join(&self.known_at(at, asked));
                learned.note(&self.entries[at], &next[which]);
            }
        }
        let is_new = next != known;
        known.clone_from_slice(&next);
        is_new
    }

    /// True when one entry is known to be done before another.
    fn is_before(&self, first: usize, second: usize) -> bool {
        let (a, b) = (&self.entries[first], &self.entries[second]);
        first != second && a.time <= b.clock.get(a.thread)
    }

    /// What is done in every history in which the word is as asked.
    fn known_at(&self, wait: usize, asked: Asked) -> Clock {
        let question = Question::new(self, wait, asked);
        let mut known = Clock::default();
        let impossible = !question.is_possible(self, |_| true);
        if question.free.is_empty() || impossible || question.is_possible(self, |_| false) {
            return known;
        }
        let threads = question.free.iter().map(|c| self.entries[*c].clock.len()).max().unwrap_or(0);
        for thread in 0..threads {
            let before = self.entries[wait].clock.get(thread);
            let mut times: Vec<u32> = question.free.iter().map(|c| self.entries[*c].clock.get(thread)).collect();
            times.retain(|time| *time > before);
            times.sort_unstable();
            times.dedup();
            // Without what has come so far on this lane, the word would not be as it is.
            let needed = |time: &u32| !question.is_possible(self, |c| self.entries[c].clock.get(thread) < *time);
            if let Some(last) = times.partition_point(needed).checked_sub(1) {
                known.raise(thread, times[last]);
            }
        }
        known
    }
}

/// What each core has learned from its waits, and when.
#[derive(Default)]
struct Learned(BTreeMap<usize, Vec<(u32, Clock)>>);

impl Learned {
    /// What is done before an entry: what it knows without waits, and what the waits before it have learned.
    fn before(&self, entry: &Entry, own: &Clock) -> Clock {
        let mut clock = own.clone();
        for (core, list) in &self.0 {
            let mut until = own.get(scalar(*core));
            if *core == entry.core() {
                // Words of one wait are not before each other.
                until -= u32::from(matches!(entry.what, What::Wait(..)));
            }
            let behind = list.partition_point(|(time, _)| *time <= until);
            if let Some((_, more)) = behind.checked_sub(1).map(|last| &list[last]) {
                clock.join(more);
            }
        }
        clock
    }

    fn note(&mut self, wait: &Entry, known: &Clock) {
        let list = self.0.entry(wait.core()).or_default();
        let mut all = wait.clock.clone();
        all.join(known);
        if let Some((_, before)) = list.last() {
            all.join(before);
        }
        list.push((wait.time, all));
    }
}

/// The lane that waits for words, and that changes those which no other pipe stores.
fn scalar(core: usize) -> usize {
    core * LANES + lane(Pipe::S)
}

/// A wait, and the changes that may have been made by then.
struct Question {
    asked: Asked,
    /// Changes that may or may not be done.
    free: Vec<usize>,
    /// What the word holds after some set, with what is known to be added, and may be, of what is done for certain.
    starts: Vec<(Option<usize>, Values)>,
}

impl Question {
    fn new(log: &Log, wait: usize, asked: Asked) -> Self {
        let history = &log.histories[log.entries[wait].history];
        let done: Vec<usize> = history.changes.iter().copied().filter(|c| log.is_before(*c, wait)).collect();
        let mut ahead: BTreeMap<usize, usize> = BTreeMap::new();
        let mut free = Vec::new();
        for &change in &history.changes {
            if !log.is_before(change, wait) && !log.is_before(wait, change) {
                let count = ahead.entry(log.entries[change].core()).or_default();
                *count += 1;
                if *count <= AHEAD {
                    free.push(change);
                }
            }
        }
        let value = |c: usize| match log.entries[c].what {
            What::Change(Change::Set(value)) => Some(value),
            _ => None,
        };
        let sets: Vec<usize> = done.iter().copied().filter(|c| value(*c).is_some()).collect();
        let last = |set: &&usize| !sets.iter().any(|later| log.is_before(**set, *later));
        let mut starts: Vec<(Option<usize>, i64)> =
            sets.iter().filter(last).chain(&free).filter_map(|set| Some((Some(*set), value(*set)?))).collect();
        if sets.is_empty() {
            starts.push((None, history.first));
        }
        let after = |(set, first): (Option<usize>, i64)| {
            let mut values = Values::just(first);
            for &change in &done {
                let What::Change(Change::Add(n)) = log.entries[change].what else { continue };
                match set {
                    Some(set) if log.is_before(change, set) => {}
                    Some(set) if !log.is_before(set, change) => values.may_add(n),
                    _ => values.add(n),
                }
            }
            (set, values)
        };
        Self { asked, free, starts: starts.into_iter().map(after).collect() }
    }

    /// True when the word can be as asked with some of the changes that are allowed. They must be a history: whatever comes
    /// before one that is allowed is allowed.
    fn is_possible(&self, log: &Log, allowed: impl Fn(usize) -> bool) -> bool {
        let is_free = |c: &usize| self.free.binary_search(c).is_ok();
        let starts = self.starts.iter().filter(|(set, _)| set.as_ref().is_none_or(|s| !is_free(s) || allowed(*s)));
        for (set, values) in starts {
            let mut values = *values;
            for &change in self.free.iter().filter(|c| allowed(**c)) {
                if let What::Change(Change::Add(n)) = log.entries[change].what
                    && !set.is_some_and(|set| log.is_before(change, set))
                {
                    values.may_add(n);
                }
            }
            if self.asked.holds(values) {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests;
