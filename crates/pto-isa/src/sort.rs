//! Sorting through one compiled copy.
//!
//! The standard sorts are compiled again for every element type and closure, about 6 KiB each. Lists of diagnostics, operands and
//! tiles are short or sorted already, so here the comparison is called through a pointer and only indices are sorted.

use std::cmp::Ordering;

/// Stable sorts for lists whose sorting time does not matter.
///
/// ```
/// use pto_isa::sort::SharedSort;
/// let mut names = ["tmin", "tmax", "tcmps"];
/// names.shared_sort();
/// assert_eq!(names, ["tcmps", "tmax", "tmin"]);
/// names.shared_sort_by_key(|name| std::cmp::Reverse(name.len()));
/// assert_eq!(names, ["tcmps", "tmax", "tmin"]);
/// ```
pub trait SharedSort<T> {
    /// Sorts by `compare` and keeps the order of equal elements.
    fn shared_sort_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Sorts by a key and keeps the order of elements with equal keys.
    fn shared_sort_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.shared_sort_by(|a, b| key(a).cmp(&key(b)));
    }

    /// Sorts by the order of the elements.
    fn shared_sort(&mut self)
    where
        T: Ord,
    {
        self.shared_sort_by(T::cmp);
    }
}

impl<T> SharedSort<T> for [T] {
    fn shared_sort_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let order = sorted_indices(self.len(), &mut |a, b| compare(&self[a], &self[b]));
        if let Some(mut order) = order {
            permute(&mut order, &mut |a, b| self.swap(a, b));
        }
    }
}

/// The indices of `count` elements in sorted order; nothing if they are sorted already.
fn sorted_indices(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Option<Vec<usize>> {
    if (1..count).all(|at| compare(at - 1, at).is_le()) {
        return None;
    }
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| compare(*a, *b));
    Some(order)
}

/// Moves element `order[at]` to `at`, for every `at`, by swaps along the cycles of the permutation.
fn permute(order: &mut [usize], swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..order.len() {
        let mut at = start;
        while order[at] != start {
            let next = order[at];
            swap(at, next);
            order[at] = at;
            at = next;
        }
        order[at] = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_as_the_standard_sort_does() {
        let mut seed = 1u64;
        for count in 0..60 {
            let mut list: Vec<(u64, usize)> = (0..count)
                .map(|at| {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (seed >> 60, at)
                })
                .collect();
            let mut expected = list.clone();
            expected.sort_by_key(|(key, _)| *key);
            list.shared_sort_by_key(|(key, _)| *key);
            assert_eq!(list, expected);
        }
    }
}
