//! Words of global memory that stores change and loops poll, through the scalar unit or through tiles.

use crate::answers::TRIES;
use crate::clock::{PIPES, pipe_index};
use crate::detector::Detector;
use crate::findings::{AwaitedWord, InstrSite};
use crate::words::{FoundNumber, Seen, Word, WordChange, WordMoment, WordQuestion, Words, signed};
use pto_cpu::{Access, AddressSpace, Answer, Atomic, CoreId, Detail, Event, Formula, StoredWord};
use pto_ir::OpId;
use pto_isa::Pipe;
use pto_isa::ordered::{OrdMap, OrdSet};
use std::collections::VecDeque;
use std::sync::Arc;

/// Numbers tracked at a time.
const FOLLOWED: usize = 1 << 16;

/// What loops have loaded, and what pending stores will change.
#[derive(Default, Debug)]
pub(crate) struct AskedWords {
    /// The word that a load or an element access is about to return, and its value if known, by core.
    found: OrdMap<(usize, OpId), Looked>,
    /// Tracked numbers by id, and the next id.
    followed: OrdMap<u32, FoundNumber>,
    next: u32,
    /// The last loop of each core that continued, the condition it evaluated, and the result with which it continues.
    open: OrdMap<usize, (OpId, Arc<Formula>, bool)>,
    /// The last values found at comparisons that do not decide alone whether the loop ends.
    learned: OrdMap<(usize, OpId), (bool, Vec<i64>)>,
    /// What the last load wrote to a tile, by core and tile.
    tiles: OrdMap<(usize, u32), Loaded>,
    /// Words of stores that were issued to a pipe, by core and pipe.
    given: OrdMap<(usize, usize), VecDeque<StoreChange>>,
    /// Stores that change polled words.
    tellers: OrdSet<OpId>,
}

/// A word and its size, the instruction that reads it, its history at that time, and its value.
type Looked = ((Word, u64), InstrSite, Seen, Option<i64>);

/// A store and the words that it changes.
type StoreChange = (OpId, Vec<StoredWord>);

/// A rectangle of global memory that was loaded into a tile.
#[derive(Debug)]
struct Loaded {
    from: Access,
    to: Access,
    site: InstrSite,
    /// The history of the words at the time of the load.
    seen: Seen,
}

impl Loaded {
    /// The address in global memory of a byte of the tile.
    fn word(&self, byte: i64) -> Option<Word> {
        let AddressSpace::Global(buffer) = self.from.place else { return None };
        let offset = byte - self.to.start;
        let (row, col) = match self.to.stride {
            stride if stride > 0 && self.to.rows > 1 => (offset.div_euclid(stride), offset.rem_euclid(stride)),
            _ => (0, offset),
        };
        let same = self.from.row_bytes == self.to.row_bytes && self.from.rows == self.to.rows;
        let inside = (0..self.to.rows as i64).contains(&row) && (0..self.to.row_bytes as i64).contains(&col);
        (offset == 0 || same && inside).then(|| (buffer, self.from.start + row * self.from.stride + col))
    }
}

impl AskedWords {
    /// Resets the state for the next team of cores.
    pub fn next_team(&mut self) {
        let tellers = std::mem::take(&mut self.tellers);
        *self = Self { tellers, ..Self::default() };
    }

    /// True for a store that another core learns of by polling.
    pub fn tells(&self, store: OpId) -> bool {
        self.tellers.contains(&store)
    }
}

impl Detector<'_> {
    /// True if cores communicate by words that loops poll.
    fn asks(&self) -> bool {
        self.setting.joint && !self.polls.is_empty()
    }

    // ---- stores ---------------------------------------------------------------------------------------------------

    /// A scalar store changes a word that loops of other cores may poll.
    pub fn stores_word(&mut self, core: usize, event: &Event<'_>) {
        let (Detail::Number(number), [access]) = (event.detail, event.accesses) else { return };
        let AddressSpace::Global(buffer) = access.place else { return };
        if self.asks() && access.write {
            self.asked.tellers.insert(event.op);
            let number = signed(number, access.row_bytes);
            self.change_word(core, ((buffer, access.start), access.row_bytes), WordChange::Set(number), None);
        }
    }

    /// A store of a few words is issued to a pipe.
    pub fn gives_words(&mut self, core: usize, pipe_at: usize, event: &Event<'_>) {
        if let Detail::Stored(words) = event.detail
            && self.asks()
        {
            self.asked.tellers.insert(event.op);
            self.asked.given.entry((core, pipe_at)).or_default().push_back((event.op, words.to_vec()));
        }
    }

    /// A pipe executes a store that was issued to it.
    pub fn changes_words(
        &mut self,
        (core, pipe_at): (usize, usize),
        site: InstrSite,
        accesses: &[Access],
        overlaps: bool,
    ) {
        let Some(given) = self.asked.given.get_mut(&(core, pipe_at)) else { return };
        if given.front().is_none_or(|(op, _)| *op != site.op) {
            return;
        }
        let Some((_, words)) = given.pop_front() else { return };
        let write = accesses.iter().find(|a| a.write && matches!(a.place, AddressSpace::Global(_)));
        let Some(&Access { place: AddressSpace::Global(buffer), atomic, .. }) = write else { return };
        let state = &self.cores[core].pipes[pipe_at];
        let (thread, time) = (core * PIPES + pipe_at, state.time);
        let mut clock = state.clock.clone();
        // Its own time implies that everything before it is done, too.
        if !overlaps || clock.get(thread) + 1 >= time {
            clock.raise(thread, time);
        }
        let Words::Recorded(log) = &mut self.words else { return };
        for StoredWord { first, bytes, before, after } in words {
            let change = if atomic == Atomic::Add { WordChange::Add(after - before) } else { WordChange::Set(after) };
            log.change(
                ((buffer, first), bytes),
                Some(before),
                change,
                WordMoment { thread, time, clock: clock.clone() },
            );
        }
    }

    // ---- questions ------------------------------------------------------------------------------------------------

    /// A loop polls a word until another core has changed it. Returns true on the iteration that finds the change.
    pub fn asks_word(&mut self, core: usize, site: InstrSite, event: &Event<'_>) -> bool {
        let (Detail::Number(number), [access]) = (event.detail, event.accesses) else { return false };
        let AddressSpace::Global(buffer) = access.place else { return false };
        let Some(poll) = self.polls.loads.get(&event.op).copied().filter(|_| self.asks() && !access.write) else {
            return false;
        };
        let (word, number) = ((buffer, access.start), signed(number, access.row_bytes));
        let looked = ((word, access.row_bytes), site, self.words.seen(word, access.row_bytes), Some(number));
        self.asked.found.insert((core, event.op), looked);
        self.finds_number(core, (word, number), site, poll.forgets);
        true
    }

    /// Tracks words of global memory through tiles to their elements.
    pub fn follows_words(&mut self, core: usize, site: InstrSite, event: &Event<'_>) {
        if !self.asks() {
            return;
        }
        for access in event.accesses.iter().filter(|a| a.write) {
            if let Some(tile) = access.tile {
                self.asked.tiles.remove(&(core, tile));
            }
        }
        if self.polls.loads.contains_key(&event.op) {
            let from = event.accesses.iter().find(|a| !a.write && matches!(a.place, AddressSpace::Global(_)));
            let to = event.accesses.iter().find(|a| a.write && a.tile.is_some());
            if let (Some(&from), Some(&to), Some(tile)) = (from, to, to.and_then(|a| a.tile)) {
                let seen = self.words.seen_in(&from);
                self.asked.tiles.insert((core, tile), Loaded { from, to, site, seen });
            }
        }
        if let [Access { write: false, tile: Some(tile), start, row_bytes, .. }] = event.accesses
            && event.pipe == Some(Pipe::S)
            && let Some(loaded) = self.asked.tiles.get(&(core, *tile))
            && let Some(word) = loaded.word(*start)
        {
            let looked = ((word, *row_bytes), loaded.site, loaded.seen.clone(), None);
            self.asked.found.insert((core, event.op), looked);
        }
    }

    /// A number from global memory becomes a scalar. Returns its tracking id if loops poll it.
    pub fn follows_number(&mut self, core: usize, op: OpId, value: u64) -> Option<u32> {
        let ((word, bytes), site, seen, number) = self.asked.found.remove(&(core, op))?;
        let number = number.unwrap_or_else(|| {
            let number = signed(value, bytes);
            self.finds_number(core, (word, number), site, true);
            number
        });
        let id = self.asked.next;
        self.asked.next = id.wrapping_add(1);
        self.asked.followed.insert(id, FoundNumber { op, word, bytes, number, seen });
        if self.asked.followed.len() > FOLLOWED {
            self.asked.followed.pop_first();
        }
        Some(id)
    }

    /// A loop compares numbers that it has loaded. If the loop may end with either result and this path asks for it, the
    /// comparison fails.
    pub fn compares_word(
        &mut self,
        (id, core): (CoreId, usize),
        op: OpId,
        holds: bool,
        formula: &Arc<Formula>,
    ) -> bool {
        let Some(compare) = self.polls.compares.get(&op).copied() else { return holds };
        let Some((words, asked)) = self.question(formula, compare.met) else { return holds };
        if self.answers.answer((id, op), holds == compare.met, TRIES) == Answer::No {
            let moment = self.word_moment(core);
            if let Words::Recorded(log) = &mut self.words {
                log.missed(&words, &asked, &moment, self.answers.last);
            }
            return !compare.met;
        }
        if !compare.ends_loop {
            self.learns_again(core, op, formula, holds);
        }
        holds
    }

    /// True where a program that takes the default of a switch, too, is made to see words that are not as they should be.
    pub fn denies(&mut self, (id, core): (CoreId, usize), op: OpId, leads: &Arc<Formula>) -> bool {
        let Some((words, asked)) = self.question(leads, true) else { return false };
        let denied = self.answers.answer((id, op), true, TRIES) == Answer::No;
        if denied {
            let moment = self.word_moment(core);
            if let Words::Recorded(log) = &mut self.words {
                log.missed(&words, &asked, &moment, self.answers.last);
            }
        }
        denied
    }

    /// A core continues knowing that a condition on words has this value.
    pub fn learns(&mut self, core: usize, formula: &Arc<Formula>, is: bool) {
        if let Some((words, asked)) = self.question(formula, is) {
            self.find_words(core, &words, &asked);
        }
    }

    /// The same for a comparison that executes many times: an unchanged result adds nothing.
    pub fn learns_again(&mut self, core: usize, op: OpId, formula: &Arc<Formula>, is: bool) {
        let Some((words, _)) = self.question(formula, is) else { return };
        let found = (is, words.iter().map(|w| w.number).collect());
        if self.asked.learned.insert((core, op), found.clone()).as_ref() != Some(&found) {
            self.learns(core, formula, is);
        }
    }

    /// A loop continues because the loaded value does not end it.
    pub fn goes_on(&mut self, core: usize, op: OpId, formula: &Arc<Formula>, with: bool) {
        self.asked.open.insert(core, (op, formula.clone(), with));
    }

    /// The word that a loop of a core still polls, and a value that would end the loop: one that the program names, or a neighbour of one.
    pub fn awaited_word(&self, core: usize) -> Option<AwaitedWord> {
        let (op, formula, with) = self.asked.open.get(&core)?;
        let (words, _) = self.question(formula, !with)?;
        let numbers: OrdMap<u32, OrdSet<i64>> =
            formula.uses().into_keys().zip(&words).map(|(id, found)| (id, OrdSet::from([found.number]))).collect();
        let candidates = self.findings.named_numbers();
        for (id, found) in formula.uses().into_keys().zip(&words) {
            let ends = |number: &&i64| {
                let mut numbers = numbers.clone();
                numbers.insert(id, OrdSet::from([**number]));
                formula.results(&numbers, 1).is_some_and(|all| all.iter().any(|value| (value & 1 == 1) != *with))
            };
            if let Some(number) = candidates.iter().find(ends) {
                return Some(AwaitedWord { op: *op, word: found.word, bytes: found.bytes, number: *number });
            }
        }
        None
    }

    /// The words behind a formula and the condition on them.
    fn question(&self, formula: &Arc<Formula>, is: bool) -> Option<(Vec<FoundNumber>, WordQuestion)> {
        let ids: Vec<u32> = formula.uses().into_keys().collect();
        let words: Vec<FoundNumber> = ids.iter().map_while(|id| self.asked.followed.get(id).cloned()).collect();
        let whole = !words.is_empty() && words.len() == ids.len();
        whole.then(|| (words, WordQuestion::Computed { formula: formula.clone(), ids, is }))
    }

    /// The next time step of the scalar unit, and the work done by then.
    pub fn word_moment(&mut self, core: usize) -> WordMoment {
        let state = &mut self.cores[core];
        let at = pipe_index(Pipe::S);
        state.pipes[at].time += 1;
        WordMoment { thread: core * PIPES + at, time: state.pipes[at].time, clock: state.message(at, core) }
    }
}
