//! Hash maps for keys of the toolchain itself: names, types and ids.
//!
//! The standard hash withstands keys that are chosen to collide, which takes several times as long for short keys. A program
//! that is slow to check harms only the one who checks it.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A hash map with a fast hash.
///
/// ```
/// use pto_isa::hash::FastMap;
/// let map: FastMap<&str, u32> = [("tmax", 1), ("tmin", 2)].into_iter().collect();
/// assert_eq!(map.get("tmin"), Some(&2));
/// ```
pub type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<FastHasher>>;

/// A hash set with a fast hash.
pub type FastSet<K> = HashSet<K, BuildHasherDefault<FastHasher>>;

/// Multiplies and folds, eight bytes at a time.
#[derive(Clone, Copy, Default, Debug)]
pub struct FastHasher(u64);

impl FastHasher {
    #[inline]
    fn add(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }
}

/// The last eight bytes; of fewer, all of them.
#[inline]
fn last_word(bytes: &[u8]) -> u64 {
    match (bytes.last_chunk::<8>(), bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (Some(last), ..) => u64::from_le_bytes(*last),
        (_, Some(a), Some(b)) => u64::from(u32::from_le_bytes(*a)) | u64::from(u32::from_le_bytes(*b)) << 32,
        _ => bytes.iter().fold(0, |word, b| word << 8 | u64::from(*b)),
    }
}

impl Hasher for FastHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, _) = bytes.as_chunks::<8>();
        for word in words {
            self.add(u64::from_le_bytes(*word));
        }
        self.add(last_word(bytes) ^ (bytes.len() as u64) << 56);
    }

    #[inline]
    fn write_u8(&mut self, n: u8) {
        self.add(n.into());
    }

    #[inline]
    fn write_u16(&mut self, n: u16) {
        self.add(n.into());
    }

    #[inline]
    fn write_u32(&mut self, n: u32) {
        self.add(n.into());
    }

    #[inline]
    fn write_u64(&mut self, n: u64) {
        self.add(n);
    }

    #[inline]
    fn write_usize(&mut self, n: usize) {
        self.add(n as u64);
    }

    /// The table takes the lowest bits for the place and the highest to compare; the product has its best bits in the middle.
    #[inline]
    fn finish(&self) -> u64 {
        self.0.rotate_left(20)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::{BuildHasher, Hash};

    /// How many different places of 1024, and how many different tags of 128, the hashes of some keys have.
    fn spread<K: Hash>(keys: impl Iterator<Item = K>) -> (usize, usize) {
        let state = BuildHasherDefault::<FastHasher>::default();
        let hashes: Vec<u64> = keys.map(|k| state.hash_one(k)).collect();
        let places: HashSet<u64> = hashes.iter().map(|h| h % 1024).collect();
        let tags: HashSet<u64> = hashes.iter().map(|h| h >> 57).collect();
        (places.len(), tags.len())
    }

    #[test]
    fn keys_spread() {
        // Of 1024 random places, 647 are different.
        for (places, tags) in [
            spread(0..1024u32),
            spread((0..1024u32).map(|n| n * 64)),
            spread((0..1024u32).map(|n| (n, 7u8))),
            spread((0..1024).map(|n| format!("v{n}"))),
            spread((0..1024).map(|n| format!("!pto.tile_buf<vec, {n}x16xf32>"))),
        ] {
            assert!(places > 560 && tags > 100, "{places} places, {tags} tags");
        }
    }
}
