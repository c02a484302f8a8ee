//! How much of a buffer is touched, and how often.

/// Bytes of a buffer of global memory that a run moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Traffic {
    /// Bytes read in all.
    pub read: u64,
    /// Bytes written in all.
    pub written: u64,
    /// First byte touched.
    pub first: i64,
    /// End of the last one.
    pub end: i64,
}

impl Default for Traffic {
    fn default() -> Self {
        Self { read: 0, written: 0, first: i64::MAX, end: i64::MIN }
    }
}

impl Traffic {
    /// Counts a transfer.
    pub fn count(&mut self, first: i64, end: i64, bytes: u64, writes: bool) {
        let all = if writes { &mut self.written } else { &mut self.read };
        *all = all.saturating_add(bytes);
        self.first = self.first.min(first);
        self.end = self.end.max(end);
    }

    /// Bytes between the first and the last that are touched; no more than are moved.
    pub fn distinct(&self) -> u64 {
        let moved = self.read.max(self.written);
        if moved == 0 { 0 } else { moved.min(self.end.saturating_sub(self.first).max(0) as u64) }
    }
}

/// What part of the bytes of a buffer the cache between global memory and the cores does not have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Misses {
    /// Of those read.
    pub read: f64,
    /// Of those written.
    pub written: f64,
}

/// What is read for the first time misses. Where everything that is read is larger than the cache, so does a part of the rest;
/// where what is written is, the rest of it does not wait there for its way back.
pub(crate) fn misses(all: &[Traffic], cache: f64, thrash: f64) -> Vec<Misses> {
    let beyond = |is_meant: &dyn Fn(&&Traffic) -> bool| {
        let footprint: f64 = all.iter().filter(is_meant).map(|t| t.distinct() as f64).sum();
        if footprint > cache { 1.0 - cache / footprint } else { 0.0 }
    };
    let (read, written) = (beyond(&|t| t.read > 0) * thrash, beyond(&|t| t.written > 0));
    let of = |t: &Traffic| {
        let first = if t.read == 0 { 0.0 } else { (t.distinct() as f64 / t.read as f64).min(1.0) };
        Misses { read: first + (1.0 - first) * read, written }
    };
    all.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_again_is_in_the_cache() {
        let mut twice = Traffic::default();
        twice.count(0, 100, 100, false);
        twice.count(0, 100, 100, false);
        assert_eq!(misses(&[twice], 1000.0, 1.0), [Misses { read: 0.5, written: 0.0 }]);
        // Half of it does not fit.
        assert_eq!(misses(&[twice], 50.0, 1.0), [Misses { read: 0.75, written: 0.0 }]);
    }
}
