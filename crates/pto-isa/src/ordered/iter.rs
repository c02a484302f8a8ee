//! Iterators over a map. Each has three parts: what is left of a list in front, whole lists, and what is left of a list at the back.

use super::map::{EntryPosition, OrdMap};
use std::{slice, vec};

/// Entries in order.
pub struct OrdIter<'a, K, V> {
    front: slice::Iter<'a, (K, V)>,
    lists: slice::Iter<'a, Vec<(K, V)>>,
    back: slice::Iter<'a, (K, V)>,
}

impl<'a, K, V> OrdIter<'a, K, V> {
    pub(super) fn between(map: &'a OrdMap<K, V>, from: EntryPosition, to: EntryPosition) -> Self {
        let list = |list: usize| if list == 0 { &map.first } else { &map.more[list - 1] };
        let (front, lists, back): (&[_], &[_], &[_]) = match from.list == to.list {
            true => (&list(from.list)[from.at..to.at], &[], &[]),
            false => (&list(from.list)[from.at..], &map.more[from.list..to.list - 1], &list(to.list)[..to.at]),
        };
        Self { front: front.iter(), lists: lists.iter(), back: back.iter() }
    }
}

impl<K, V> Clone for OrdIter<'_, K, V> {
    fn clone(&self) -> Self {
        Self { front: self.front.clone(), lists: self.lists.clone(), back: self.back.clone() }
    }
}

/// Entries in order, whose values can be changed.
pub struct OrdIterMut<'a, K, V> {
    front: slice::IterMut<'a, (K, V)>,
    lists: slice::IterMut<'a, Vec<(K, V)>>,
    back: slice::IterMut<'a, (K, V)>,
}

impl<'a, K, V> OrdIterMut<'a, K, V> {
    pub(super) fn between(map: &'a mut OrdMap<K, V>, from: EntryPosition, to: EntryPosition) -> Self {
        let OrdMap { first, more, .. } = map;
        if from.list == to.list {
            let list = if from.list == 0 { first } else { &mut more[from.list - 1] };
            return Self { front: list[from.at..to.at].iter_mut(), lists: [].iter_mut(), back: [].iter_mut() };
        }
        let (lists, last) = more[..to.list].split_at_mut(to.list - 1);
        let (own, lists) = lists.split_at_mut(from.list);
        let front = own.last_mut().unwrap_or(first);
        Self { front: front[from.at..].iter_mut(), lists: lists.iter_mut(), back: last[0][..to.at].iter_mut() }
    }
}

/// Entries in order, taken out of the map.
pub struct OrdIntoIter<K, V> {
    front: vec::IntoIter<(K, V)>,
    lists: vec::IntoIter<Vec<(K, V)>>,
    back: vec::IntoIter<(K, V)>,
}

impl<K, V> OrdIntoIter<K, V> {
    pub(super) fn new(map: OrdMap<K, V>) -> Self {
        Self { front: map.first.into_iter(), lists: map.more.into_iter(), back: Vec::new().into_iter() }
    }
}

/// The same for all three: only what a list is iterated with, and what an entry looks like, differ.
macro_rules! in_both_directions {
    ($iter:ident<$($life:lifetime,)? K, V>, $item:ty, $entry:pat => $shown:expr, $into_iter:ident) => {
        impl<$($life,)? K, V> Iterator for $iter<$($life,)? K, V> {
            type Item = $item;

            fn next(&mut self) -> Option<Self::Item> {
                loop {
                    if let Some($entry) = self.front.next() {
                        return Some($shown);
                    }
                    match self.lists.next() {
                        Some(list) => self.front = list.$into_iter(),
                        None => return self.back.next().map(|$entry| $shown),
                    }
                }
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                let lists: usize = self.lists.as_slice().iter().map(Vec::len).sum();
                let len = self.front.len() + lists + self.back.len();
                (len, Some(len))
            }
        }

        impl<$($life,)? K, V> DoubleEndedIterator for $iter<$($life,)? K, V> {
            fn next_back(&mut self) -> Option<Self::Item> {
                loop {
                    if let Some($entry) = self.back.next_back() {
                        return Some($shown);
                    }
                    match self.lists.next_back() {
                        Some(list) => self.back = list.$into_iter(),
                        None => return self.front.next_back().map(|$entry| $shown),
                    }
                }
            }
        }

        impl<$($life,)? K, V> ExactSizeIterator for $iter<$($life,)? K, V> {}
    };
}

in_both_directions!(OrdIter<'a, K, V>, (&'a K, &'a V), (key, value) => (key, value), iter);
in_both_directions!(OrdIterMut<'a, K, V>, (&'a K, &'a mut V), (key, value) => (&*key, value), iter_mut);
in_both_directions!(OrdIntoIter<K, V>, (K, V), entry => entry, into_iter);
