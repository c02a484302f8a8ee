//! The set: a map without values.

use super::map::OrdMap;
use std::borrow::Borrow;
use std::fmt;
use std::ops::{BitAnd, BitOr, RangeBounds, Sub};

/// A set in the order of its elements.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OrdSet<T>(OrdMap<T, ()>);

impl<T> OrdSet<T> {
    /// An empty set.
    pub const fn new() -> Self {
        Self(OrdMap::new())
    }

    /// The number of elements.
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no element.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes all elements.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The elements in order.
    pub fn iter(&self) -> <&Self as IntoIterator>::IntoIter {
        self.into_iter()
    }

    /// The smallest element.
    pub fn first(&self) -> Option<&T> {
        self.0.first_key_value().map(|(element, ())| element)
    }

    /// The largest element.
    pub fn last(&self) -> Option<&T> {
        self.0.last_key_value().map(|(element, ())| element)
    }

    /// Removes the smallest element.
    pub fn pop_first(&mut self) -> Option<T> {
        self.0.pop_first().map(|(element, ())| element)
    }

    /// Removes the largest element.
    pub fn pop_last(&mut self) -> Option<T> {
        self.0.pop_last().map(|(element, ())| element)
    }

    /// Keeps the elements for which `keep` is true.
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        self.0.retain(|element, ()| keep(element));
    }
}

impl<T: Ord> OrdSet<T> {
    /// Whether an element is in the set.
    pub fn contains<Q: Ord + ?Sized>(&self, element: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.contains_key(element)
    }

    /// Adds an element; says whether it is new.
    pub fn insert(&mut self, element: T) -> bool {
        self.0.insert(element, ()).is_none()
    }

    /// Removes an element; says whether it was there.
    pub fn remove<Q: Ord + ?Sized>(&mut self, element: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.remove(element).is_some()
    }

    /// Removes an element and returns it.
    pub fn take<Q: Ord + ?Sized>(&mut self, element: &Q) -> Option<T>
    where
        T: Borrow<Q>,
    {
        self.0.remove_entry(element).map(|(element, ())| element)
    }

    /// The elements in a range.
    pub fn range<Q: Ord + ?Sized>(&self, range: impl RangeBounds<Q>) -> <&Self as IntoIterator>::IntoIter
    where
        T: Borrow<Q>,
    {
        self.0.range(range).map(|(element, ())| element)
    }

    /// The elements that are in both sets, in order.
    pub fn intersection<'a>(&'a self, other: &'a Self) -> impl DoubleEndedIterator<Item = &'a T> + Clone {
        self.iter().filter(|element| other.contains(*element))
    }

    /// The elements that are not in the other set, in order.
    pub fn difference<'a>(&'a self, other: &'a Self) -> impl DoubleEndedIterator<Item = &'a T> + Clone {
        self.iter().filter(|element| !other.contains(*element))
    }

    /// Whether no element is in both sets.
    pub fn is_disjoint(&self, other: &Self) -> bool {
        let (fewer, more) = if self.len() <= other.len() { (self, other) } else { (other, self) };
        !fewer.iter().any(|element| more.contains(element))
    }

    /// Whether all elements are in the other set, too.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.len() <= other.len() && self.iter().all(|element| other.contains(element))
    }

    /// Whether all elements of the other set are in this one, too.
    pub fn is_superset(&self, other: &Self) -> bool {
        other.is_subset(self)
    }
}

impl<T> Default for OrdSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for OrdSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl<T: Ord> Extend<T> for OrdSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        for element in elements {
            self.insert(element);
        }
    }
}

impl<'a, T: Ord + Copy> Extend<&'a T> for OrdSet<T> {
    fn extend<I: IntoIterator<Item = &'a T>>(&mut self, elements: I) {
        self.extend(elements.into_iter().copied());
    }
}

impl<T: Ord> FromIterator<T> for OrdSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut set = Self::new();
        set.extend(elements);
        set
    }
}

impl<T: Ord, const N: usize> From<[T; N]> for OrdSet<T> {
    fn from(elements: [T; N]) -> Self {
        elements.into_iter().collect()
    }
}

impl<T> IntoIterator for OrdSet<T> {
    type Item = T;
    type IntoIter = std::iter::Map<super::OrdIntoIter<T, ()>, fn((T, ())) -> T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter().map(|(element, ())| element)
    }
}

impl<'a, T> IntoIterator for &'a OrdSet<T> {
    type Item = &'a T;
    type IntoIter = std::iter::Map<super::OrdIter<'a, T, ()>, fn((&'a T, &'a ())) -> &'a T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().map(|(element, ())| element)
    }
}

impl<T: Ord + Clone> BitOr for &OrdSet<T> {
    type Output = OrdSet<T>;

    fn bitor(self, other: Self) -> OrdSet<T> {
        self.iter().chain(other).cloned().collect()
    }
}

impl<T: Ord + Clone> BitAnd for &OrdSet<T> {
    type Output = OrdSet<T>;

    fn bitand(self, other: Self) -> OrdSet<T> {
        self.intersection(other).cloned().collect()
    }
}

impl<T: Ord + Clone> Sub for &OrdSet<T> {
    type Output = OrdSet<T>;

    fn sub(self, other: Self) -> OrdSet<T> {
        self.difference(other).cloned().collect()
    }
}
