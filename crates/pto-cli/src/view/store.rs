//! What a page carries: numbered lists without duplicates, and the bytes of all writes behind one another.

use pto::isa::hash::FastMap;
use serde::Serialize;
use std::hash::{BuildHasher, Hash, RandomState};

/// A list without duplicates; users name its items by number.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct Numbered<T> {
    list: Vec<T>,
    #[serde(skip)]
    numbers: FastMap<T, usize>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self { list: Vec::new(), numbers: FastMap::default() }
    }
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    /// The number of an item, which is added if it is new.
    pub fn number(&mut self, item: T) -> usize {
        let list = &mut self.list;
        *self.numbers.entry(item).or_insert_with_key(|item| {
            list.push(item.clone());
            list.len() - 1
        })
    }

    pub fn items(&self) -> &[T] {
        &self.list
    }
}

/// Bytes that were written or found, each content once.
#[derive(Default)]
pub(super) struct ByteStore {
    pub bytes: Vec<u8>,
    /// First byte and length of each content.
    pub parts: Vec<(usize, usize)>,
    same: FastMap<u64, Vec<usize>>,
    hasher: RandomState,
}

impl ByteStore {
    /// The number of a content.
    pub fn number(&mut self, content: &[u8]) -> usize {
        let same = self.same.entry(self.hasher.hash_one(content)).or_default();
        let is_same = |at: &&usize| {
            let (first, length) = self.parts[**at];
            self.bytes[first..first + length] == *content
        };
        if let Some(at) = same.iter().find(is_same) {
            return *at;
        }
        self.parts.push((self.bytes.len(), content.len()));
        self.bytes.extend_from_slice(content);
        same.push(self.parts.len() - 1);
        self.parts.len() - 1
    }
}

/// What the page knows about memory so far, so that only what it does not know is added.
#[derive(Default)]
pub(super) struct Mirror {
    pages: FastMap<(usize, i64), (Vec<u8>, Vec<bool>)>,
}

const PAGE: i64 = 4096;

impl Mirror {
    fn each(first: i64, length: usize, mut visit: impl FnMut(i64, usize, std::ops::Range<usize>)) {
        let mut done = 0;
        while done < length {
            let at = first + done as i64;
            let within = at.rem_euclid(PAGE) as usize;
            let count = (PAGE as usize - within).min(length - done);
            visit(at.div_euclid(PAGE), within, done..done + count);
            done += count;
        }
    }

    /// The page learns bytes of a memory.
    pub fn write(&mut self, memory: usize, first: i64, bytes: &[u8]) {
        Self::each(first, bytes.len(), |page, within, part| {
            let (content, known) = self
                .pages
                .entry((memory, page))
                .or_insert_with(|| (vec![0; PAGE as usize], vec![false; PAGE as usize]));
            content[within..within + part.len()].copy_from_slice(&bytes[part.clone()]);
            known[within..within + part.len()].fill(true);
        });
    }

    /// True when the page has these bytes.
    pub fn knows(&self, memory: usize, first: i64, bytes: &[u8]) -> bool {
        let mut knows = true;
        Self::each(first, bytes.len(), |page, within, part| {
            knows &= self.pages.get(&(memory, page)).is_some_and(|(content, known)| {
                let range = within..within + part.len();
                known[range.clone()].iter().all(|k| *k) && content[range] == bytes[part.clone()]
            });
        });
        knows
    }
}

/// Bytes as text, in the alphabet that browsers read.
pub(super) fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for k in 0..4 {
            let sign = if k <= chunk.len() { ALPHABET[(word >> (18 - 6 * k) & 63) as usize] } else { b'=' };
            text.push(sign as char);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_the_text_that_others_write() {
        // python3 -c "import base64; print(base64.b64encode(b'any carnal pleas'))"
        assert_eq!(base64(b"any carnal pleas"), "YW55IGNhcm5hbCBwbGVhcw==");
        assert_eq!(base64(b"any carnal pleasu"), "YW55IGNhcm5hbCBwbGVhc3U=");
        assert_eq!(base64(b"any carnal pleasur"), "YW55IGNhcm5hbCBwbGVhc3Vy");
        assert_eq!(base64(b""), "");
    }

    #[test]
    fn contents_are_kept_once() {
        let mut store = ByteStore::default();
        assert_eq!([store.number(b"abc"), store.number(b"de"), store.number(b"abc")], [0, 1, 0]);
        assert_eq!(store.bytes, b"abcde");
    }

    #[test]
    fn a_mirror_knows_what_it_was_told() {
        let mut mirror = Mirror::default();
        mirror.write(3, PAGE - 2, b"abcd");
        assert!(mirror.knows(3, PAGE - 1, b"bc"));
        assert!(!mirror.knows(3, PAGE - 1, b"bd"));
        assert!(!mirror.knows(3, PAGE - 3, b"xab"));
        assert!(!mirror.knows(2, PAGE - 2, b"ab"));
    }
}
