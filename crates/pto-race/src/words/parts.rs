//! Words that are stored in one width and read in another: the bytes of words that a number consists of.

use super::{FoundNumber, MANY, Seen, Word, WordLog};
use pto_isa::ordered::OrdSet;

/// Bytes of the longest word.
const LONGEST: i64 = 8;

/// Bytes of a stored word that are part of a number that was read.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordPart {
    pub history: usize,
    /// Its first byte in the word, and in the number.
    from: u32,
    at: u32,
    bytes: u32,
}

impl WordPart {
    /// The value of these bytes in the number.
    fn of(self, value: i64) -> u64 {
        ((value as u64 >> (8 * self.from)) & mask(self.bytes)) << (8 * self.at)
    }
}

/// A number that was read, in terms of stored words.
#[derive(Clone, Debug)]
pub(super) enum ReadNumber {
    /// A word as it was stored.
    Word(usize),
    /// Bytes of some words, and bytes that nothing stores.
    Parts { parts: Vec<WordPart>, rest: u64, bytes: u32 },
    /// Something else has overwritten the bytes meanwhile.
    Unknown,
}

impl ReadNumber {
    pub fn histories(&self) -> Vec<usize> {
        match self {
            Self::Word(history) => vec![*history],
            Self::Parts { parts, .. } => parts.iter().map(|p| p.history).collect(),
            Self::Unknown => Vec::new(),
        }
    }

    /// The possible values, given the possible values of each word; `None` if there are too many.
    pub fn numbers(&self, words: &[OrdSet<i64>]) -> Option<OrdSet<i64>> {
        match self {
            Self::Word(_) => words.first().cloned(),
            Self::Parts { parts, rest, bytes } => {
                let mut all = OrdSet::from([*rest]);
                for (part, values) in parts.iter().zip(words) {
                    let pieces: OrdSet<u64> = values.iter().map(|v| part.of(*v)).collect();
                    if all.len().saturating_mul(pieces.len()) > MANY {
                        return None;
                    }
                    all = all.iter().flat_map(|number| pieces.iter().map(move |piece| number | piece)).collect();
                }
                Some(all.into_iter().map(|number| signed(number, u64::from(*bytes))).collect())
            }
            Self::Unknown => None,
        }
    }
}

impl WordLog {
    /// Stored words that overlap a range, and their sizes.
    pub(super) fn stored_within(&self, word: Word, bytes: u64) -> impl Iterator<Item = (Word, u64)> + '_ {
        let end = word.1.saturating_add(bytes as i64);
        let near = self.widths.range((word.0, word.1.saturating_sub(LONGEST - 1))..(word.0, end));
        near.map(|(known, width)| (*known, *width)).filter(move |(known, width)| known.1 + *width as i64 > word.1)
    }

    /// Records the width of a store. Words that overlap others are not told apart.
    pub(super) fn note_width(&mut self, word: Word, bytes: u64) {
        let others: Vec<Word> =
            self.stored_within(word, bytes).filter(|known| *known != (word, bytes)).map(|(known, _)| known).collect();
        if !others.is_empty() {
            self.mixed.extend(others);
            self.mixed.insert(word);
        }
        let width = self.widths.entry(word).or_insert(bytes);
        *width = bytes.max(*width);
    }

    /// The words that a number consists of.
    pub(super) fn read(&mut self, found: &FoundNumber) -> ReadNumber {
        let stored: Vec<(Word, u64)> = self.stored_within(found.word, found.bytes).collect();
        match stored[..] {
            [] => ReadNumber::Word(self.history_of(found)),
            [(word, bytes)] if (word, bytes) == (found.word, found.bytes) => ReadNumber::Word(self.history_of(found)),
            _ => self.read_parts(found, &stored),
        }
    }

    fn read_parts(&self, found: &FoundNumber, stored: &[(Word, u64)]) -> ReadNumber {
        let (first, end) = (found.word.1, found.word.1 + found.bytes as i64);
        let bytes = found.bytes as u32;
        let (mut parts, mut rest) = (Vec::new(), found.number as u64 & mask(bytes));
        for (word, width) in stored {
            let (from, to) = (word.1.max(first), (word.1 + *width as i64).min(end));
            let Some((history, value)) = self.seen_then(found, *word) else { return ReadNumber::Unknown };
            let part = WordPart {
                history,
                from: (from - word.1) as u32,
                at: (from - first) as u32,
                bytes: (to - from) as u32,
            };
            let covered = mask(part.bytes) << (8 * part.at);
            if part.of(value) != found.number as u64 & covered {
                return ReadNumber::Unknown;
            }
            rest &= !covered;
            parts.push(part);
        }
        ReadNumber::Parts { parts, rest, bytes }
    }

    /// The history of a word when some bytes were loaded, and its value.
    fn seen_then(&self, found: &FoundNumber, word: Word) -> Option<(usize, i64)> {
        let now = || self.words.get(&word).map(|history| (*history, self.histories[*history].now));
        match &found.seen {
            Seen::Now => now(),
            Seen::Before(all) => all.get(&word).copied().or_else(|| {
                let first = *self.firsts.get(&word)?;
                Some((first, self.histories[first].first))
            }),
        }
    }

    /// True for a number of which some bytes are stored in several widths.
    pub(super) fn is_mixed(&self, read: &ReadNumber) -> bool {
        matches!(read, ReadNumber::Unknown)
            || read.histories().iter().any(|h| self.mixed.contains(&self.histories[*h].word))
    }
}

fn mask(bytes: u32) -> u64 {
    if bytes >= 8 { u64::MAX } else { (1 << (8 * bytes)) - 1 }
}

/// A number of this many bytes, sign-extended.
pub(crate) fn signed(raw: u64, bytes: u64) -> i64 {
    let unused = 64 - 8 * bytes.clamp(1, 8) as u32;
    (raw << unused) as i64 >> unused
}
