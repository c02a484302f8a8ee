//! What ranks on one machine tell each other besides data: where each is, what it waits for, and small messages.
//!
//! The memory starts with words for all, followed by a part for each rank.

use crate::RankError;
use crate::area::SharedArea;
use crate::waiting::Patience;
use pto_isa::Span;
use std::io;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Bytes of a message that are exchanged at a time.
const MESSAGE: usize = 1 << 15;
/// Bytes of the sentence that says what a rank waits for.
const SENTENCE: usize = 1 << 10;

/// Words for all ranks, by their first byte.
mod common {
    pub const ARRIVED: usize = 8;
    pub const ROUND: usize = 12;
    pub const ABANDONED: usize = 16;
    pub const DEADLOCK: usize = 20;
    pub const RUN_ABANDONED: usize = 24;
    pub const BYTES: usize = 4096;
}

/// Words of a rank, by their first byte in its part.
mod own {
    pub const CHECKED: usize = 0;
    pub const EFFECTS: usize = 48;
    pub const BEAT: usize = 8;
    pub const STARTED: usize = 12;
    pub const SPAN_START: usize = 16;
    pub const SPAN_END: usize = 20;
    pub const FINISHED: usize = 24;
    pub const SENTENCE_BYTES: usize = 28;
    pub const MESSAGE_BYTES: usize = 32;
    pub const SENTENCE: usize = 64;
    pub const MESSAGE: usize = SENTENCE + super::SENTENCE;
    pub const BYTES: usize = (MESSAGE + super::MESSAGE).next_multiple_of(4096);
}

/// What a finished rank has checked.
const DONE: u64 = u64::MAX;

pub(crate) struct RankControl<'m> {
    pub area: SharedArea<'m>,
    pub ranks: usize,
}

impl RankControl<'_> {
    /// Bytes before the memory of the program.
    pub fn bytes(ranks: usize) -> usize {
        common::BYTES + ranks * own::BYTES
    }

    pub fn create(ranks: usize) -> io::Result<Self> {
        Ok(Self { area: SharedArea::create(Self::bytes(ranks))?, ranks })
    }

    fn word(&self, at: usize) -> &AtomicU32 {
        &self.area.words(at, 1)[0]
    }

    fn own_word(&self, rank: usize, at: usize) -> &AtomicU32 {
        self.word(part_of(rank) + at)
    }

    /// What a rank has done. Every rank has its own: a common one would go from core to core with every step.
    fn effects(&self, rank: usize) -> &AtomicU64 {
        self.area.long(part_of(rank) + own::EFFECTS)
    }

    fn checked(&self, rank: usize) -> &AtomicU64 {
        self.area.long(part_of(rank) + own::CHECKED)
    }

    // ---- where a rank is ----------------------------------------------------------------------------------------

    /// The rank is alive.
    pub fn beat(&self, rank: usize) {
        self.own_word(rank, own::BEAT).fetch_add(1, Ordering::Relaxed);
    }

    pub fn beats(&self, rank: usize) -> u32 {
        self.own_word(rank, own::BEAT).load(Ordering::Relaxed)
    }

    /// The rank executes an instruction.
    pub fn reached(&self, rank: usize, span: Span) {
        self.own_word(rank, own::SPAN_START).store(span.start, Ordering::Relaxed);
        self.own_word(rank, own::SPAN_END).store(span.end, Ordering::Relaxed);
        self.own_word(rank, own::STARTED).store(1, Ordering::Relaxed);
    }

    /// The instruction that a rank executed last.
    pub fn last_reached(&self, rank: usize) -> Option<Span> {
        let word = |at| self.own_word(rank, at).load(Ordering::Relaxed);
        let span = || Span { start: word(own::SPAN_START), end: word(own::SPAN_END) };
        (word(own::STARTED) != 0).then(span)
    }

    /// What a rank waits for, if it has for a while.
    pub fn awaited(&self, rank: usize) -> Option<String> {
        let is_waiting = ![0, DONE].contains(&self.checked(rank).load(Ordering::Acquire));
        let bytes = self.own_word(rank, own::SENTENCE_BYTES).load(Ordering::Acquire) as usize;
        let mut text = vec![0; bytes.min(SENTENCE)];
        self.area.read(part_of(rank) + own::SENTENCE, &mut text);
        (is_waiting && bytes > 0).then(|| String::from_utf8_lossy(&text).into_owned())
    }

    /// True after the rank has told its result.
    pub fn is_finished(&self, rank: usize) -> bool {
        self.own_word(rank, own::FINISHED).load(Ordering::Acquire) != 0
    }

    pub fn set_finished(&self, rank: usize) {
        self.own_word(rank, own::FINISHED).store(1, Ordering::Release);
    }

    /// Makes all ranks stop.
    pub fn abandon(&self) {
        self.word(common::ABANDONED).store(1, Ordering::Release);
    }

    pub fn is_abandoned(&self) -> bool {
        self.word(common::ABANDONED).load(Ordering::Acquire) != 0
    }

    /// Makes all ranks end the program, and tell what they found.
    pub fn abandon_run(&self) {
        self.word(common::RUN_ABANDONED).store(1, Ordering::Release);
    }

    pub fn is_run_abandoned(&self) -> bool {
        self.word(common::RUN_ABANDONED).load(Ordering::Acquire) != 0
    }

    // ---- progress and deadlock ----------------------------------------------------------------------------------

    /// How much has happened on all ranks. Counters only grow, so a sum that has not changed means that none has.
    pub fn happened(&self) -> u64 {
        (0..self.ranks).map(|rank| self.effects(rank).load(Ordering::Acquire)).sum()
    }

    /// The rank has done something that others may wait for.
    pub fn note_effect(&self, rank: usize) {
        self.checked(rank).store(0, Ordering::Release);
        self.effects(rank).fetch_add(1, Ordering::AcqRel);
    }

    /// The rank has looked at everything it waits for, after `happened`, and nothing has changed.
    pub fn note_waiting(&self, rank: usize, happened: u64, sentence: &str) {
        let mut end = sentence.len().min(SENTENCE);
        while !sentence.is_char_boundary(end) {
            end -= 1;
        }
        self.area.write(part_of(rank) + own::SENTENCE, &sentence.as_bytes()[..end]);
        self.own_word(rank, own::SENTENCE_BYTES).store(end as u32, Ordering::Release);
        self.checked(rank).store(happened + 1, Ordering::Release);
    }

    pub fn note_done(&self, rank: usize) {
        self.checked(rank).store(DONE, Ordering::Release);
        self.effects(rank).fetch_add(1, Ordering::AcqRel);
    }

    /// True if every rank has finished or waits, and has looked since anything happened. Then nothing will ever happen.
    pub fn is_deadlock(&self) -> bool {
        if self.found_deadlock() {
            return true;
        }
        let happened = self.happened();
        let waits = |rank| matches!(self.checked(rank).load(Ordering::Acquire), n if n == DONE || n == happened + 1);
        let stuck = (0..self.ranks).all(waits) && self.happened() == happened;
        if stuck {
            self.word(common::DEADLOCK).store(1, Ordering::Release);
        }
        stuck
    }

    /// True if any rank has found one.
    pub fn found_deadlock(&self) -> bool {
        self.word(common::DEADLOCK).load(Ordering::Acquire) != 0
    }

    // ---- messages -----------------------------------------------------------------------------------------------

    /// Waits until all ranks are here.
    pub fn meet(&self) -> Result<(), RankError> {
        let (arrived, round) = (self.word(common::ARRIVED), self.word(common::ROUND));
        let now = round.load(Ordering::Acquire);
        if arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.ranks as u32 {
            arrived.store(0, Ordering::Relaxed);
            round.fetch_add(1, Ordering::AcqRel);
            return Ok(());
        }
        let mut patience = Patience::new(self.ranks);
        while round.load(Ordering::Acquire) == now {
            if self.is_abandoned() {
                return Err(RankError::Abandoned);
            }
            patience.wait();
        }
        Ok(())
    }

    pub fn exchange(&self, rank: usize, bytes: &[u8]) -> Result<Vec<Vec<u8>>, RankError> {
        self.own_word(rank, own::MESSAGE_BYTES).store(bytes.len() as u32, Ordering::Release);
        self.meet()?;
        let length = |rank| self.own_word(rank, own::MESSAGE_BYTES).load(Ordering::Acquire) as usize;
        let lengths: Vec<usize> = (0..self.ranks).map(length).collect();
        let longest = lengths.iter().copied().max().unwrap_or(0);
        let mut all: Vec<Vec<u8>> = lengths.iter().map(|n| vec![0; *n]).collect();
        for first in (0..longest).step_by(MESSAGE) {
            let part = |length: usize| first.min(length)..(first + MESSAGE).min(length);
            self.area.write(part_of(rank) + own::MESSAGE, &bytes[part(bytes.len())]);
            self.meet()?;
            for (other, message) in all.iter_mut().enumerate() {
                let range = part(message.len());
                self.area.read(part_of(other) + own::MESSAGE, &mut message[range]);
            }
            self.meet()?;
        }
        if longest == 0 {
            self.meet()?;
        }
        Ok(all)
    }
}

/// Where the part of a rank starts.
fn part_of(rank: usize) -> usize {
    common::BYTES + rank * own::BYTES
}
