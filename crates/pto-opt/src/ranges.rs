//! A map from ranges of numbers to what is known about them.

use std::collections::BTreeMap;

/// Pieces that do not overlap, each with a value.
#[derive(Clone, Debug)]
pub(crate) struct Ranges<T> {
    pieces: BTreeMap<u64, (u64, T)>,
}

impl<T> Default for Ranges<T> {
    fn default() -> Self {
        Self { pieces: BTreeMap::new() }
    }
}

impl<T: Clone + Default> Ranges<T> {
    /// Visits what is known about a range, cut at its ends; what was not known is made.
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
}
