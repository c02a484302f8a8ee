//! The map.

use super::iter::{OrdIntoIter, OrdIter, OrdIterMut};
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Bound, Index, RangeBounds};

/// Entries of a list at most. Longer lists make moving entries slow, shorter ones the list of lists long.
const MOST: usize = 128;

/// A map in the order of its keys.
///
/// Looking up takes logarithmic time. Inserting and removing move at most 127 entries, and sometimes a pointer for each list.
#[derive(Clone)]
pub struct OrdMap<K, V> {
    /// The first entries: all of them in a short map.
    pub(super) first: Vec<(K, V)>,
    /// The others, in lists that are not empty. There are none if `first` is empty.
    pub(super) more: Vec<Vec<(K, V)>>,
    len: usize,
}

/// Where an entry is, or would be.
#[derive(Clone, Copy)]
pub(super) struct EntryPosition {
    /// Zero for `first`, one for the first list of `more`.
    pub(super) list: usize,
    pub(super) at: usize,
}

impl<K, V> OrdMap<K, V> {
    /// An empty map.
    pub const fn new() -> Self {
        Self { first: Vec::new(), more: Vec::new(), len: 0 }
    }

    /// The number of entries.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no entry.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    fn list(&self, list: usize) -> &[(K, V)] {
        if list == 0 { &self.first } else { &self.more[list - 1] }
    }

    fn list_mut(&mut self, list: usize) -> &mut Vec<(K, V)> {
        if list == 0 { &mut self.first } else { &mut self.more[list - 1] }
    }

    pub(super) fn end(&self) -> EntryPosition {
        EntryPosition { list: self.more.len(), at: self.more.last().unwrap_or(&self.first).len() }
    }

    fn value(&self, p: EntryPosition) -> &V {
        &self.list(p.list)[p.at].1
    }

    fn value_mut(&mut self, p: EntryPosition) -> &mut V {
        &mut self.list_mut(p.list)[p.at].1
    }

    /// All entries in order.
    pub fn iter(&self) -> OrdIter<'_, K, V> {
        OrdIter::between(self, EntryPosition { list: 0, at: 0 }, self.end())
    }

    /// All entries in order, whose values can be changed.
    pub fn iter_mut(&mut self) -> OrdIterMut<'_, K, V> {
        let end = self.end();
        OrdIterMut::between(self, EntryPosition { list: 0, at: 0 }, end)
    }

    /// The keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator + Clone {
        self.iter().map(|(key, _)| key)
    }

    /// The values in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator + Clone {
        self.iter().map(|(_, value)| value)
    }

    /// The values in the order of their keys; they can be changed.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> {
        self.iter_mut().map(|(_, value)| value)
    }

    /// The keys in order, without the map.
    pub fn into_keys(self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator {
        self.into_iter().map(|(key, _)| key)
    }

    /// The values in the order of their keys, without the map.
    pub fn into_values(self) -> impl DoubleEndedIterator<Item = V> + ExactSizeIterator {
        self.into_iter().map(|(_, value)| value)
    }

    /// The entry with the smallest key.
    pub fn first_key_value(&self) -> Option<(&K, &V)> {
        self.first.first().map(|(key, value)| (key, value))
    }

    /// The entry with the largest key.
    pub fn last_key_value(&self) -> Option<(&K, &V)> {
        self.more.last().unwrap_or(&self.first).last().map(|(key, value)| (key, value))
    }

    /// Removes the entry with the smallest key.
    pub fn pop_first(&mut self) -> Option<(K, V)> {
        (!self.is_empty()).then(|| self.remove_at(EntryPosition { list: 0, at: 0 }))
    }

    /// Removes the entry with the largest key.
    pub fn pop_last(&mut self) -> Option<(K, V)> {
        let EntryPosition { list, at } = self.end();
        (!self.is_empty()).then(|| self.remove_at(EntryPosition { list, at: at - 1 }))
    }

    /// Keeps the entries for which `keep` is true.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        let mut len = 0;
        for list in std::iter::once(&mut self.first).chain(&mut self.more) {
            list.retain_mut(|(key, value)| keep(key, value));
            len += list.len();
        }
        self.len = len;
        self.more.retain(|list| !list.is_empty());
        if self.first.is_empty() && !self.more.is_empty() {
            self.first = self.more.remove(0);
        }
    }

    fn insert_at(&mut self, p: EntryPosition, entry: (K, V)) -> EntryPosition {
        let p = self.make_room(p);
        self.list_mut(p.list).insert(p.at, entry);
        self.len += 1;
        p
    }

    /// Splits the list of a position if it is full. Keys often arrive in order: then the full list stays as it is.
    fn make_room(&mut self, p: EntryPosition) -> EntryPosition {
        let full = self.list_mut(p.list);
        if full.len() < MOST {
            return p;
        }
        let split = if p.at == MOST { MOST } else { MOST / 2 };
        let upper = full.split_off(split);
        self.more.insert(p.list, upper);
        match p.at < split {
            true => p,
            false => EntryPosition { list: p.list + 1, at: p.at - split },
        }
    }

    fn remove_at(&mut self, p: EntryPosition) -> (K, V) {
        let list = self.list_mut(p.list);
        let entry = list.remove(p.at);
        if list.is_empty() && !self.more.is_empty() {
            let next = self.more.remove(p.list.saturating_sub(1));
            if p.list == 0 {
                self.first = next;
            }
        }
        self.len -= 1;
        entry
    }
}

impl<K: Ord, V> OrdMap<K, V> {
    /// The position of a key, or the one where it belongs.
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<EntryPosition, EntryPosition>
    where
        K: Borrow<Q>,
    {
        let list = self.more.partition_point(|list| list[0].0.borrow() <= key);
        let found = self.list(list).binary_search_by(|(other, _)| other.borrow().cmp(key));
        found.map(|at| EntryPosition { list, at }).map_err(|at| EntryPosition { list, at })
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|p| self.value(p))
    }

    /// The value of a key, to be changed.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|p| self.value_mut(p))
    }

    /// Whether there is an entry with this key.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    /// Sets the value of a key and returns the one that it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(p) => Some(std::mem::replace(self.value_mut(p), value)),
            Err(p) => {
                self.insert_at(p, (key, value));
                None
            }
        }
    }

    /// Removes a key and returns its value.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.remove_entry(key).map(|(_, value)| value)
    }

    /// Removes a key and returns it with its value.
    pub fn remove_entry<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<(K, V)>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|p| self.remove_at(p))
    }

    /// The entry of a key, which may not be there yet.
    pub fn entry(&mut self, key: K) -> OrdEntry<'_, K, V> {
        let place = self.find(&key);
        OrdEntry { map: self, key, place }
    }

    fn bounds<Q: Ord + ?Sized>(&self, range: &impl RangeBounds<Q>) -> (EntryPosition, EntryPosition)
    where
        K: Borrow<Q>,
    {
        let before = |key| self.find(key).unwrap_or_else(|p| p);
        let after = |key| self.find(key).map_or_else(|p| p, |p| EntryPosition { at: p.at + 1, ..p });
        let from = match range.start_bound() {
            Bound::Included(key) => before(key),
            Bound::Excluded(key) => after(key),
            Bound::Unbounded => EntryPosition { list: 0, at: 0 },
        };
        let to = match range.end_bound() {
            Bound::Included(key) => after(key),
            Bound::Excluded(key) => before(key),
            Bound::Unbounded => self.end(),
        };
        let is_empty = (to.list, to.at) < (from.list, from.at);
        (from, if is_empty { from } else { to })
    }

    /// The entries whose keys lie in a range.
    pub fn range<Q: Ord + ?Sized>(&self, range: impl RangeBounds<Q>) -> OrdIter<'_, K, V>
    where
        K: Borrow<Q>,
    {
        let (from, to) = self.bounds(&range);
        OrdIter::between(self, from, to)
    }

    /// The entries whose keys lie in a range; their values can be changed.
    pub fn range_mut<Q: Ord + ?Sized>(&mut self, range: impl RangeBounds<Q>) -> OrdIterMut<'_, K, V>
    where
        K: Borrow<Q>,
    {
        let (from, to) = self.bounds(&range);
        OrdIterMut::between(self, from, to)
    }
}

/// The entry of a key, as [`OrdMap::entry`] finds it.
pub struct OrdEntry<'a, K, V> {
    map: &'a mut OrdMap<K, V>,
    key: K,
    place: Result<EntryPosition, EntryPosition>,
}

impl<'a, K, V> OrdEntry<'a, K, V> {
    /// The value; `value` if there is none yet.
    pub fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }

    /// The value; what `make` returns if there is none yet.
    pub fn or_insert_with(self, make: impl FnOnce() -> V) -> &'a mut V {
        let Self { map, key, place } = self;
        let p = match place {
            Ok(p) => p,
            Err(p) => map.insert_at(p, (key, make())),
        };
        map.value_mut(p)
    }

    /// The value; the default if there is none yet.
    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }

    /// Changes the value if there is one.
    #[must_use]
    pub fn and_modify(self, change: impl FnOnce(&mut V)) -> Self {
        if let Ok(p) = self.place {
            change(self.map.value_mut(p));
        }
        self
    }
}

impl<K, V> Default for OrdMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for OrdMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for OrdMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}

impl<K: Eq, V: Eq> Eq for OrdMap<K, V> {}

impl<K: PartialOrd, V: PartialOrd> PartialOrd for OrdMap<K, V> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.iter().partial_cmp(other.iter())
    }
}

impl<K: Ord, V: Ord> Ord for OrdMap<K, V> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.iter().cmp(other.iter())
    }
}

impl<K: Hash, V: Hash> Hash for OrdMap<K, V> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.len.hash(state);
        self.iter().for_each(|entry| entry.hash(state));
    }
}

impl<K: Borrow<Q> + Ord, Q: Ord + ?Sized, V> Index<&Q> for OrdMap<K, V> {
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("the map has the key")
    }
}

impl<K: Ord, V> Extend<(K, V)> for OrdMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for OrdMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for OrdMap<K, V> {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<K, V> IntoIterator for OrdMap<K, V> {
    type Item = (K, V);
    type IntoIter = OrdIntoIter<K, V>;

    fn into_iter(self) -> OrdIntoIter<K, V> {
        OrdIntoIter::new(self)
    }
}

impl<'a, K, V> IntoIterator for &'a OrdMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = OrdIter<'a, K, V>;

    fn into_iter(self) -> OrdIter<'a, K, V> {
        self.iter()
    }
}

impl<'a, K, V> IntoIterator for &'a mut OrdMap<K, V> {
    type Item = (&'a K, &'a mut V);
    type IntoIter = OrdIterMut<'a, K, V>;

    fn into_iter(self) -> OrdIterMut<'a, K, V> {
        self.iter_mut()
    }
}
