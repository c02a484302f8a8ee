//! A map from ranges of numbers to values.

use pto_isa::ordered::OrdMap;

/// Disjoint ranges, each with a value.
#[derive(Clone, Debug)]
pub(crate) struct Ranges<T> {
    pieces: OrdMap<u64, (u64, T)>,
}

impl<T> Default for Ranges<T> {
    fn default() -> Self {
        Self { pieces: OrdMap::new() }
    }
}

impl<T: Clone + Default> Ranges<T> {
    /// Visits the values of a range, split at its ends; missing ones are created.
    pub fn visit(&mut self, start: u64, end: u64, mut each: impl FnMut(&mut T)) {
        if start >= end {
            return;
        }
        self.cut(start);
        self.cut(end);
        let mut at = start;
        while at < end {
            match self.pieces.range(at..end).next().map(|(first, (last, _))| (*first, *last)) {
                Some((first, last)) if first == at => {
                    if let Some((_, value)) = self.pieces.get_mut(&first) {
                        each(value);
                    }
                    at = last;
                }
                next => {
                    let stop = next.map_or(end, |(first, _)| first);
                    let mut value = T::default();
                    each(&mut value);
                    self.pieces.insert(at, (stop, value));
                    at = stop;
                }
            }
        }
    }

    /// Joins neighbours with equal values in and around a range, so that later visits are cheaper. Returns how many are left.
    pub fn join(&mut self, start: u64, end: u64) -> usize
    where
        T: PartialEq,
    {
        let before = self.pieces.range(..start).next_back().map_or(start, |(first, _)| *first);
        let mut starts = self.pieces.range(before..=end).map(|(first, _)| *first).collect::<Vec<_>>().into_iter();
        let Some(mut kept) = starts.next() else { return 0 };
        let mut left = 1;
        for next in starts {
            let same = match (self.pieces.get(&kept), self.pieces.get(&next)) {
                (Some((last, a)), Some((_, b))) => *last == next && a == b,
                _ => false,
            };
            if !same {
                (kept, left) = (next, left + 1);
            } else if let Some((last, _)) = self.pieces.remove(&next)
                && let Some(piece) = self.pieces.get_mut(&kept)
            {
                piece.0 = last;
            }
        }
        left
    }

    /// Joins the ranges that were visited into one.
    pub fn fold(&mut self, start: u64, end: u64, mut add: impl FnMut(&mut T, T)) {
        self.cut(start);
        self.cut(end);
        let starts: Vec<u64> = self.pieces.range(start..end).map(|(first, _)| *first).collect();
        let mut pieces = starts.iter().filter_map(|first| self.pieces.remove(first)).map(|(_, value)| value);
        let Some(mut all) = pieces.next() else { return };
        pieces.for_each(|value| add(&mut all, value));
        self.pieces.insert(start, (end, all));
    }

    fn cut(&mut self, at: u64) {
        let Some((&first, (last, value))) = self.pieces.range_mut(..at).next_back() else { return };
        if *last > at {
            let (end, rest) = (std::mem::replace(last, at), value.clone());
            debug_assert!(first < at);
            self.pieces.insert(at, (end, rest));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_cut_where_ranges_meet() {
        let mut map: Ranges<u32> = Ranges::default();
        map.visit(10, 20, |n| *n += 1);
        map.visit(15, 30, |n| *n += 10);
        let mut seen = Vec::new();
        map.visit(5, 35, |n| seen.push(*n));
        assert_eq!(seen, [0, 1, 11, 10, 0]);
    }

    #[test]
    fn neighbours_that_are_the_same_are_one() {
        let mut map: Ranges<u32> = Ranges::default();
        for at in 0..4 {
            map.visit(at * 10, at * 10 + 10, |n| *n = 1);
        }
        map.visit(50, 60, |n| *n = 1);
        map.visit(20, 30, |n| *n = 2);
        map.join(20, 30);
        map.join(10, 20);
        assert_eq!(map.pieces.values().collect::<Vec<_>>(), [&(20, 1), &(30, 2), &(40, 1), &(60, 1)]);
        map.visit(20, 30, |n| *n = 1);
        assert_eq!(map.join(20, 30), 1);
        assert_eq!(map.pieces.values().collect::<Vec<_>>(), [&(40, 1), &(60, 1)]);
        map.visit(10, 20, |n| *n = 5);
        map.fold(5, 30, |all, next| *all += next);
        assert_eq!(map.pieces.values().collect::<Vec<_>>(), [&(5, 1), &(30, 7), &(40, 1), &(60, 1)]);
    }
}
