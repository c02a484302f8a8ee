//! What a core learns when it finds a word of global memory in an awaited state.
//!
//! Cores communicate by words that one changes and another waits for. What the waiting core learns must not depend on
//! timing in this run: it learns what all histories have in common in which the word has the awaited value. So a first run
//! records all changes of each word, including later ones; [`WordLog::solve`] computes what each wait learns; a second run
//! looks for races.

mod lost;
mod parts;

use crate::answers::QuestionKey;
use crate::clock::{Clock, PIPES, pipe_index};
pub(crate) use lost::LostNotification;
use parts::ReadNumber;
pub(crate) use parts::signed;
use pto_cpu::{Access, AddressSpace, Formula};
use pto_ir::OpId;
use pto_isa::Pipe;
use pto_isa::ordered::{OrdMap, OrdSet};
use pto_isa::sort::SharedSort;
use std::collections::VecDeque;
use std::sync::Arc;

/// Limit of changes of a word by one core that are considered after those that a wait knows to be done. A core that runs
/// further ahead has passed all relevant ones.
const AHEAD: usize = 64;
/// Limit of values of a word, and of combinations of values of several words, that are enumerated.
const MANY: usize = 4096;
/// Iterations of the fixpoint after which the rest is given up.
const ROUNDS: usize = 256;

/// A word of global memory: its buffer and its first byte.
pub(crate) type Word = (usize, i64);

/// The role of words in a run: they are recorded, or it is known what each wait learns.
#[derive(Debug)]
pub(crate) enum Words {
    Recorded(Box<WordLog>),
    Known(VecDeque<Clock>),
}

impl Words {
    /// The history of a word when it is loaded.
    pub fn seen(&self, word: Word, bytes: u64) -> Seen {
        match self {
            Self::Recorded(log) => log.seen(word, bytes),
            Self::Known(_) => Seen::Now,
        }
    }

    /// The same for those words of an access that have changed before.
    pub fn seen_in(&self, access: &Access) -> Seen {
        let (Self::Recorded(log), AddressSpace::Global(buffer)) = (self, access.place) else { return Seen::Now };
        let last = (access.rows.max(1) - 1) as i64;
        let end =
            access.start.saturating_add(last.saturating_mul(access.stride)).saturating_add(access.row_bytes as i64);
        let (first, end) = (access.start.saturating_sub(7), end.max(access.start));
        let known = log.words.range((buffer, first.min(end))..(buffer, end));
        Seen::Before(known.map(|(word, history)| (*word, (*history, log.histories[*history].now))).collect())
    }
}

/// A condition on words.
#[derive(Clone, Debug)]
pub(crate) enum WordQuestion {
    /// Each is compared with a number, by the position of the comparison in `wait_cmp`.
    Compared { cmp: u8, value: i64 },
    /// A formula over all of them, by these ids, has this value.
    Computed { formula: Arc<Formula>, ids: Vec<u32>, is: bool },
}

impl WordQuestion {
    /// The negation.
    fn opposite(&self) -> Self {
        match self {
            Self::Compared { cmp, value } => {
                Self::Compared { cmp: [1, 0, 5, 4, 3, 2][usize::from((*cmp).min(5))], value: *value }
            }
            Self::Computed { formula, ids, is } => {
                Self::Computed { formula: formula.clone(), ids: ids.clone(), is: !is }
            }
        }
    }
}

/// Possible values of a word: `start` plus multiples of `step`, within bounds.
#[derive(Clone, Debug)]
struct PossibleValues {
    start: i64,
    step: i64,
    low: i64,
    high: i64,
    /// The values themselves, if requested and few.
    exact: Option<OrdSet<i64>>,
}

impl PossibleValues {
    fn just(start: i64, exact: bool) -> Self {
        Self { start, step: 0, low: start, high: start, exact: exact.then(|| OrdSet::from([start])) }
    }

    /// True when one of the values satisfies the comparison.
    fn can_be(&self, cmp: u8, v: i64) -> bool {
        let Self { start, step, low, high, .. } = *self;
        match cmp {
            0 => low <= v && v <= high && if step == 0 { v == start } else { (v - start) % step == 0 },
            1 => low != high || low != v,
            2 => high > v,
            3 => high >= v,
            4 => low < v,
            _ => low <= v,
        }
    }

    /// Adds a number.
    fn add(&mut self, n: i64) {
        self.start = self.start.saturating_add(n);
        self.low = self.low.saturating_add(n);
        self.high = self.high.saturating_add(n);
        self.exact = self.exact.take().map(|all| all.into_iter().map(|v| v.saturating_add(n)).collect());
    }

    /// Possibly adds a number.
    fn may_add(&mut self, n: i64) {
        if let Some(exact) = &mut self.exact {
            let more: Vec<i64> = exact.iter().map(|v| v.saturating_add(n)).collect();
            exact.extend(more);
        }
        self.exact.take_if(|all| all.len() > MANY);
        self.low = self.low.saturating_add(n.min(0));
        self.high = self.high.saturating_add(n.max(0));
        self.step = gcd(self.step, n.saturating_abs());
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WordChange {
    Set(i64),
    Add(i64),
}

#[derive(Clone, Copy, Debug)]
enum LogEvent {
    /// A change of a history.
    Change(usize, WordChange),
    /// A wait: its number, and its condition.
    Wait(usize, usize),
    /// A test that is answered with no: its number, and its condition.
    Missed(usize, usize),
}

/// The condition of a wait, and the numbers it is about.
#[derive(Debug)]
struct Asks {
    asked: WordQuestion,
    reads: Vec<ReadNumber>,
    /// Where the words were read.
    sites: Vec<(OpId, Word)>,
}

/// A change or a wait: its time, and the work that is done by then.
#[derive(Debug)]
struct LogEntry {
    /// The pipe that does it, counted over all cores.
    thread: usize,
    time: u32,
    clock: Clock,
    what: LogEvent,
}

impl LogEntry {
    fn core(&self) -> usize {
        self.thread / PIPES
    }
}

/// The changes of a word since something else than such a change wrote it.
#[derive(Debug)]
struct WordHistory {
    word: Word,
    first: i64,
    /// The current value.
    now: i64,
    changes: Vec<usize>,
}

/// All changes of words in a run, and waits for them.
#[derive(Default, Debug)]
pub(crate) struct WordLog {
    entries: Vec<LogEntry>,
    histories: Vec<WordHistory>,
    /// The latest history of each word, and the first.
    words: OrdMap<Word, usize>,
    firsts: OrdMap<Word, usize>,
    /// The width of stores to each word, and words that overlap others.
    widths: OrdMap<Word, u64>,
    mixed: OrdSet<Word>,
    waits: usize,
    asks: Vec<Asks>,
    /// Tests that are answered with no.
    missed: Vec<Option<QuestionKey>>,
    /// The statements of changes by notifications.
    notifications: OrdMap<usize, OpId>,
}

/// A number that was read from a word.
#[derive(Clone, Debug)]
pub(crate) struct FoundNumber {
    /// Where it was read.
    pub op: OpId,
    pub word: Word,
    pub bytes: u64,
    pub number: i64,
    pub seen: Seen,
}

/// When a word was read.
#[derive(Clone, Debug)]
pub(crate) enum Seen {
    Now,
    /// The words there that had a history at that time, and their values.
    Before(OrdMap<Word, (usize, i64)>),
}

/// A time of a pipe, and the work that is done by then.
#[derive(Clone, Debug)]
pub(crate) struct WordMoment {
    /// The pipe, counted over all cores.
    pub thread: usize,
    pub time: u32,
    pub clock: Clock,
}

/// The result of a recorded run.
#[derive(Debug)]
pub(crate) struct Solved {
    /// What is done after each wait, in the order of the run.
    pub known: Vec<Clock>,
    /// Tests that cannot be answered with no.
    pub impossible: OrdSet<QuestionKey>,
    /// Reads of bytes that are stored in several widths.
    pub mixed: OrdSet<(OpId, Word)>,
    pub lost: OrdSet<LostNotification>,
}

impl WordLog {
    /// A word of this size changes. `before` is its old value.
    pub fn change(&mut self, (word, bytes): (Word, u64), before: Option<i64>, change: WordChange, moment: WordMoment) {
        self.note_width(word, bytes);
        let history = self.history(word, before);
        let state = &mut self.histories[history];
        state.changes.push(self.entries.len());
        state.now = match change {
            WordChange::Set(value) => value,
            WordChange::Add(value) => signed(state.now.wrapping_add(value) as u64, bytes),
        };
        self.push(moment, LogEvent::Change(history, change));
    }

    /// Records a wait that found its words in the awaited state.
    pub fn wait(&mut self, words: &[FoundNumber], asked: &WordQuestion, moment: &WordMoment) {
        for ask in self.ask(words, asked) {
            self.push(moment.clone(), LogEvent::Wait(self.waits, ask));
        }
        self.waits += 1;
    }

    /// Records a test that is answered with no: at least one of the words is not as awaited.
    pub fn missed(
        &mut self,
        words: &[FoundNumber],
        asked: &WordQuestion,
        moment: &WordMoment,
        key: Option<QuestionKey>,
    ) {
        for ask in self.ask(words, asked) {
            self.push(moment.clone(), LogEvent::Missed(self.missed.len(), ask));
        }
        self.missed.push(key);
    }

    /// Words that are compared separately are separate conditions; a formula over several is one.
    fn ask(&mut self, words: &[FoundNumber], asked: &WordQuestion) -> std::ops::Range<usize> {
        let first = self.asks.len();
        let reads: Vec<ReadNumber> = words.iter().map(|word| self.read(word)).collect();
        let sites: Vec<(OpId, Word)> = words.iter().map(|word| (word.op, word.word)).collect();
        match asked {
            WordQuestion::Compared { .. } => {
                let each = reads.into_iter().zip(sites);
                let each = each.map(|(read, site)| Asks { asked: asked.clone(), reads: vec![read], sites: vec![site] });
                self.asks.extend(each);
            }
            WordQuestion::Computed { .. } => self.asks.push(Asks { asked: asked.clone(), reads, sites }),
        }
        first..self.asks.len()
    }

    /// The history of a word when it is loaded.
    pub fn seen(&self, word: Word, bytes: u64) -> Seen {
        let stored = self.stored_within(word, bytes).map(|(word, _)| word).chain([word]);
        let latest = stored.filter_map(|word| Some((word, *self.words.get(&word)?)));
        Seen::Before(latest.map(|(word, history)| (word, (history, self.histories[history].now))).collect())
    }

    /// The history of a word that was read. It may have changed since it was loaded.
    fn history_of(&mut self, FoundNumber { word, number, seen, .. }: &FoundNumber) -> usize {
        let (word, number) = (*word, *number);
        let then = match seen {
            Seen::Now => None,
            Seen::Before(all) => match all.get(&word) {
                Some((history, then)) => Some(*history).filter(|_| *then == number),
                None => self.firsts.get(&word).copied().filter(|h| self.histories[*h].first == number),
            },
        };
        then.unwrap_or_else(|| self.history(word, Some(number)))
    }

    /// Tests that cannot be answered with no, given what waits learn.
    fn impossible(&self) -> OrdSet<QuestionKey> {
        let mut possible = vec![false; self.missed.len()];
        for (at, entry) in self.entries.iter().enumerate() {
            if let LogEvent::Missed(which, ask) = entry.what {
                let asked = self.asks[ask].asked.opposite();
                possible[which] |= Question::new(self, at, &asked, ask).is_possible(self, |_| true);
            }
        }
        self.missed.iter().zip(possible).filter(|(_, possible)| !possible).filter_map(|(key, _)| *key).collect()
    }

    fn push(&mut self, WordMoment { thread, time, clock }: WordMoment, what: LogEvent) {
        self.entries.push(LogEntry { thread, time, clock, what });
    }

    /// The history of a word. If its value differs from the recorded one, something else wrote it, and a new history starts.
    fn history(&mut self, word: Word, holds: Option<i64>) -> usize {
        if let Some(&known) = self.words.get(&word)
            && holds.is_none_or(|value| value == self.histories[known].now)
        {
            return known;
        }
        let first = holds.unwrap_or(0);
        self.histories.push(WordHistory { word, first, now: first, changes: Vec::new() });
        let latest = self.histories.len() - 1;
        self.words.insert(word, latest);
        self.firsts.entry(word).or_insert(latest);
        latest
    }

    /// What is done after each wait, in the order of the run.
    ///
    /// A greatest fixpoint. Initially every wait is assumed to know everything that this run did before it. What does not
    /// follow is dropped until the rest is self-consistent. That is sound: in any history, the first wait that did not
    /// know what is claimed here would come after waits that do, and its knowledge follows from theirs.
    pub fn solve(mut self) -> Solved {
        let own: Vec<Clock> = self.entries.iter().map(|e| e.clock.clone()).collect();
        let mut known = self.most(&own);
        for _ in 0..ROUNDS {
            if !self.round(&own, &mut known) {
                let (impossible, mixed, lost) = (self.impossible(), self.mixed_reads(), self.lost());
                return Solved { known, impossible, mixed, lost };
            }
        }
        // The fixpoint was not reached, so nothing is known.
        let known = vec![Clock::default(); self.waits];
        Solved { known, impossible: OrdSet::new(), mixed: self.mixed_reads(), lost: OrdSet::new() }
    }

    /// Reads that learn nothing, because their bytes are stored in several widths.
    fn mixed_reads(&self) -> OrdSet<(OpId, Word)> {
        let reads = self.asks.iter().flat_map(|ask| ask.reads.iter().zip(&ask.sites));
        let mixed = reads.filter(|(read, _)| !matches!(read, ReadNumber::Unknown) && self.is_mixed(read));
        mixed.map(|(_, site)| *site).collect()
    }

    /// What this run has done before each wait.
    fn most(&mut self, own: &[Clock]) -> Vec<Clock> {
        let mut known = vec![Clock::default(); self.waits];
        let mut done = vec![Clock::default(); self.histories.len()];
        let mut learned = Learned::default();
        for (entry, own) in self.entries.iter_mut().zip(own) {
            entry.clock = learned.before(entry, own);
            match entry.what {
                LogEvent::Change(history, _) => done[history].join(&entry.clock),
                LogEvent::Wait(which, ask) => {
                    let histories = self.asks[ask].reads.iter().flat_map(ReadNumber::histories);
                    histories.for_each(|h| known[which].join(&done[h]));
                    known[which].join(&entry.clock);
                    learned.note(entry, &known[which]);
                }
                LogEvent::Missed(..) => {}
            }
        }
        known
    }

    /// Keeps what follows from the rest; true when something was dropped. Later entries use the reduced clocks at once.
    fn round(&mut self, own: &[Clock], known: &mut [Clock]) -> bool {
        let mut learned = Learned::default();
        let mut next = vec![Clock::default(); known.len()];
        for (at, own) in own.iter().enumerate() {
            self.entries[at].clock = learned.before(&self.entries[at], own);
            if let LogEvent::Wait(which, ask) = self.entries[at].what {
                // Joined with what it knew before: what is dropped there may still follow from the word.
                next[which].join(&self.entries[at].clock);
                next[which].join(&self.known_at(at, ask));
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

    /// What is done in every history in which the condition holds.
    fn known_at(&self, wait: usize, ask: usize) -> Clock {
        let question = Question::new(self, wait, &self.asks[ask].asked, ask);
        let mut known = Clock::default();
        let free: OrdSet<usize> = question.free().collect();
        let impossible = !question.is_possible(self, |_| true);
        if free.is_empty() || impossible || question.is_possible(self, |_| false) {
            return known;
        }
        let threads = free.iter().map(|c| self.entries[*c].clock.len()).max().unwrap_or(0);
        for thread in 0..threads {
            let before = self.entries[wait].clock.get(thread);
            let mut times: Vec<u32> = free.iter().map(|c| self.entries[*c].clock.get(thread)).collect();
            times.retain(|time| *time > before);
            times.shared_sort();
            times.dedup();
            // Without the changes so far on this pipe, the condition could not hold.
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
struct Learned(OrdMap<usize, Vec<(u32, Clock)>>);

impl Learned {
    /// What is done before an entry: its clock without waits, and what earlier waits have learned.
    fn before(&self, entry: &LogEntry, own: &Clock) -> Clock {
        let mut clock = own.clone();
        for (core, list) in &self.0 {
            let mut until = own.get(scalar(*core));
            if *core == entry.core() {
                // Words of one wait are not ordered with each other.
                until -= u32::from(matches!(entry.what, LogEvent::Wait(..)));
            }
            let behind = list.partition_point(|(time, _)| *time <= until);
            if let Some((_, more)) = behind.checked_sub(1).map(|last| &list[last]) {
                clock.join(more);
            }
        }
        clock
    }

    fn note(&mut self, wait: &LogEntry, known: &Clock) {
        let list = self.0.entry(wait.core()).or_default();
        let mut all = wait.clock.clone();
        all.join(known);
        if let Some((_, before)) = list.last() {
            all.join(before);
        }
        list.push((wait.time, all));
    }
}

/// The pipe that waits for words, and that changes those that no other pipe stores.
fn scalar(core: usize) -> usize {
    core * PIPES + pipe_index(Pipe::S)
}

/// A wait, and the possible values of its words.
struct Question<'q> {
    asked: &'q WordQuestion,
    /// The numbers that were read, and the words that they consist of.
    reads: Vec<(&'q ReadNumber, Vec<AskedWord>)>,
    /// Bytes of it are stored in several widths, so its value is unknown.
    mixed: bool,
}

/// A word of a condition, and the changes that may have happened by then.
struct AskedWord {
    /// Changes that may or may not be done.
    free: Vec<usize>,
    /// The value after each possible last set, with additions that are certain and those that are possible.
    starts: Vec<(Option<usize>, PossibleValues)>,
}

impl<'q> Question<'q> {
    fn new(log: &'q WordLog, wait: usize, asked: &'q WordQuestion, ask: usize) -> Self {
        let computed = matches!(asked, WordQuestion::Computed { .. });
        let read = |read: &'q ReadNumber| {
            let exact = computed || matches!(read, ReadNumber::Parts { .. });
            let word = |history: &usize| AskedWord::new(log, wait, &log.histories[*history], exact);
            (read, read.histories().iter().map(word).collect())
        };
        let reads = &log.asks[ask].reads;
        Self { asked, reads: reads.iter().map(read).collect(), mixed: reads.iter().any(|read| log.is_mixed(read)) }
    }

    /// Changes that may or may not be done.
    fn free(&self) -> impl Iterator<Item = usize> + '_ {
        self.reads.iter().flat_map(|(_, words)| words).flat_map(|word| word.free.iter().copied())
    }

    /// True when the condition can hold with a subset of the allowed changes. The subset must be a history: everything
    /// before an allowed change is allowed.
    fn is_possible(&self, log: &WordLog, allowed: impl Fn(usize) -> bool) -> bool {
        if self.mixed {
            return true;
        }
        match self.asked {
            WordQuestion::Compared { cmp, value } => self.reads.iter().any(|(read, words)| match (read, &words[..]) {
                (ReadNumber::Word(_), [word]) => word.values(log, &allowed).any(|values| values.can_be(*cmp, *value)),
                _ => numbers(read, words, log, &allowed)
                    .is_none_or(|all| all.iter().any(|n| PossibleValues::just(*n, false).can_be(*cmp, *value))),
            }),
            WordQuestion::Computed { formula, ids, is } => {
                let mut loaded = OrdMap::new();
                for (id, (read, words)) in ids.iter().zip(&self.reads) {
                    let Some(all) = numbers(read, words, log, &allowed) else { return true };
                    loaded.insert(*id, all);
                }
                can_be(formula, loaded, *is)
            }
        }
    }
}

/// The possible values of each number that was read; `None` if there are too many.
fn numbers(
    read: &ReadNumber,
    words: &[AskedWord],
    log: &WordLog,
    allowed: &impl Fn(usize) -> bool,
) -> Option<OrdSet<i64>> {
    let words: Option<Vec<OrdSet<i64>>> = words.iter().map(|word| word.numbers(log, allowed)).collect();
    read.numbers(&words?)
}

/// True when a formula can have this value with some of these numbers. If there are too many combinations, it is assumed to be possible.
fn can_be(formula: &Formula, numbers: OrdMap<u32, OrdSet<i64>>, is: bool) -> bool {
    // A number that is used twice has the same value in both uses.
    let again: Vec<u32> = formula.uses().into_iter().filter(|(_, times)| *times > 1).map(|(id, _)| id).collect();
    let mut cases = vec![numbers];
    for id in again {
        let split = |case: OrdMap<u32, OrdSet<i64>>| {
            let all = case.get(&id).cloned().unwrap_or_default();
            all.into_iter().map(move |n| {
                let mut case = case.clone();
                case.insert(id, OrdSet::from([n]));
                case
            })
        };
        cases = cases.into_iter().flat_map(split).take(MANY + 1).collect();
        if cases.len() > MANY {
            return true;
        }
    }
    let holds = |case: &OrdMap<u32, OrdSet<i64>>| {
        formula.results(case, MANY).is_none_or(|all| all.iter().any(|value| (value & 1 == 1) == is))
    };
    cases.iter().any(holds)
}

impl AskedWord {
    fn new(log: &WordLog, wait: usize, history: &WordHistory, exact: bool) -> Self {
        let done: Vec<usize> = history.changes.iter().copied().filter(|c| log.is_before(*c, wait)).collect();
        let mut ahead: OrdMap<usize, usize> = OrdMap::new();
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
            LogEvent::Change(_, WordChange::Set(value)) => Some(value),
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
            let mut values = PossibleValues::just(first, exact);
            for &change in &done {
                let LogEvent::Change(_, WordChange::Add(n)) = log.entries[change].what else { continue };
                match set {
                    Some(set) if log.is_before(change, set) => {}
                    Some(set) if !log.is_before(set, change) => values.may_add(n),
                    _ => values.add(n),
                }
            }
            (set, values)
        };
        Self { free, starts: starts.into_iter().map(after).collect() }
    }

    /// The possible values of the word with a subset of the allowed changes, for each set that may be the last.
    fn values<'l>(
        &'l self,
        log: &'l WordLog,
        allowed: &'l impl Fn(usize) -> bool,
    ) -> impl Iterator<Item = PossibleValues> + 'l {
        let is_free = |c: &usize| self.free.binary_search(c).is_ok();
        let starts = self.starts.iter().filter(move |(set, _)| set.as_ref().is_none_or(|s| !is_free(s) || allowed(*s)));
        starts.map(move |(set, values)| {
            let mut values = values.clone();
            for &change in self.free.iter().filter(|c| allowed(**c)) {
                if let LogEvent::Change(_, WordChange::Add(n)) = log.entries[change].what
                    && !set.is_some_and(|set| log.is_before(change, set))
                {
                    values.may_add(n);
                }
            }
            values
        })
    }

    /// The same, enumerated; `None` if there are too many.
    fn numbers(&self, log: &WordLog, allowed: &impl Fn(usize) -> bool) -> Option<OrdSet<i64>> {
        let mut all = OrdSet::new();
        for values in self.values(log, allowed) {
            all.extend(values.exact?);
        }
        (all.len() <= MANY).then_some(all)
    }
}

#[cfg(test)]
mod tests;
