//! How much of a buffer is touched, and how often.

/// Bytes of a buffer of global memory that a run moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Traffic {
    /// Bytes moved in all.
    pub total: u64,
    /// First byte touched.
    pub first: i64,
    /// End of the last one.
    pub end: i64,
}

impl Default for Traffic {
    fn default() -> Self {
        Self { total: 0, first: i64::MAX, end: i64::MIN }
    }
}

impl Traffic {
    /// Counts a transfer.
    pub fn count(&mut self, first: i64, end: i64, bytes: u64) {
        self.total += bytes;
        self.first = self.first.min(first);
        self.end = self.end.max(end);
    }

    /// Bytes between the first and the last that are touched; no more than are moved.
    pub fn distinct(&self) -> u64 {
        if self.total == 0 { 0 } else { self.total.min((self.end - self.first).max(0) as u64) }
    }
}

/// For each buffer, the share of its bytes that the cache between global memory and the cores does not have: those that come
/// for the first time, and a part of the others where all buffers together are larger than the cache.
pub(crate) fn misses(all: &[Traffic], cache: f64, thrash: f64) -> Vec<f64> {
    let footprint: f64 = all.iter().map(|t| t.distinct() as f64).sum();
    let beyond = if footprint > cache && cache > 0.0 { thrash * (1.0 - cache / footprint) } else { 0.0 };
    let share = |t: &Traffic| if t.total == 0 { 0.0 } else { t.distinct() as f64 / t.total as f64 };
    all.iter().map(|t| share(t) + (1.0 - share(t)) * beyond).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_again_is_in_the_cache() {
        let mut twice = Traffic::default();
        twice.count(0, 100, 100);
        twice.count(0, 100, 100);
        assert_eq!(misses(&[twice], 1000.0, 1.0), [0.5]);
        // Half of it does not fit.
        assert_eq!(misses(&[twice], 50.0, 1.0), [0.75]);
    }
}
