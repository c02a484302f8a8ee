//! The bytes of a tile: runs of equal length at equal distances.

/// Tiles of more lines than this count as one run.
const MANY_RUNS: u64 = 1 << 16;

/// Bytes of a memory or of a tile.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Runs {
    /// First byte.
    pub(crate) start: i64,
    /// Length of a run.
    pub(crate) bytes: i64,
    /// Number of runs.
    pub(crate) count: i64,
    /// From the start of a run to the start of the next; 0 where there is one.
    pub(crate) stride: i64,
}

impl Runs {
    pub(crate) fn new(start: i64, bytes: u64, count: u64, stride: u64) -> Self {
        let size = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        if bytes == 0 || count == 0 {
            return Self::one(start, 0);
        }
        // Contiguous runs are one, and so are implausibly many.
        if count == 1 || stride <= bytes || count > MANY_RUNS {
            return Self::one(start, size((count - 1).saturating_mul(stride).saturating_add(bytes)));
        }
        Self { start, bytes: size(bytes), count: size(count), stride: size(stride) }
    }

    pub(crate) fn one(start: i64, bytes: i64) -> Self {
        Self { start, bytes, count: 1, stride: 0 }
    }

    /// One past the last byte.
    pub(crate) fn end(&self) -> i64 {
        let last = (self.count - 1).saturating_mul(self.stride);
        self.start.saturating_add(last).saturating_add(self.bytes)
    }

    /// How many bytes there are.
    pub(crate) fn size(&self) -> i64 {
        self.bytes.saturating_mul(self.count)
    }

    /// Every run, as its first byte and one past its last.
    pub(crate) fn each(&self) -> impl Iterator<Item = (i64, i64)> + '_ {
        let starts = (0..self.count).map(|n| self.start.saturating_add(n.saturating_mul(self.stride)));
        starts.filter(|_| self.bytes > 0).map(|at| (at, at.saturating_add(self.bytes)))
    }

    /// The number of bytes in a range.
    fn within(&self, from: i64, to: i64) -> i64 {
        let reach = |at: i64| match self.stride {
            0 => 0,
            stride => at.saturating_sub(self.start).div_euclid(stride).clamp(0, self.count - 1),
        };
        let shared = |n: i64| {
            let at = self.start + n * self.stride;
            (to.min(at.saturating_add(self.bytes)) - from.max(at)).max(0)
        };
        let (first, last) = (reach(from), reach(to.saturating_sub(1)));
        // Runs between the first and the last lie inside.
        let inner = (last - first - 1).max(0) * self.bytes;
        shared(first) + inner + if last > first { shared(last) } else { 0 }
    }

    /// The number of bytes that two have in common.
    pub(crate) fn shared(&self, other: &Self) -> u64 {
        if self.end() <= other.start || other.end() <= self.start {
            return 0;
        }
        let (few, many) = if self.count <= other.count { (self, other) } else { (other, self) };
        few.each().map(|(from, to)| many.within(from, to)).sum::<i64>().max(0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::Runs;

    #[test]
    fn shared_bytes_are_counted() {
        let left = Runs::new(0, 32, 4, 64);
        assert_eq!(left.shared(&Runs::new(32, 32, 4, 64)), 0);
        assert_eq!(left.shared(&Runs::new(0, 33, 4, 64)), 4 * 32);
        assert_eq!(left.shared(&Runs::new(16, 32, 4, 64)), 4 * 16);
        assert_eq!(left.shared(&Runs::new(0, 256, 1, 0)), 128);
        assert_eq!(left.shared(&Runs::new(48, 32, 1, 0)), 16);
        assert_eq!(Runs::one(0, 256).shared(&Runs::one(224, 256)), 32);
        assert_eq!(Runs::new(64, 32, 2, 128).shared(&Runs::new(0, 32, 3, 96)), 32);
        assert_eq!(Runs::new(0, 0, 4, 64).shared(&Runs::one(0, 256)), 0);
    }

    #[test]
    fn every_byte_by_hand() {
        let bytes = |r: &Runs| r.each().flat_map(|(a, b)| a..b).collect::<pto_isa::ordered::OrdSet<_>>();
        let shapes = || (0..60).map(|n| Runs::new(n % 7 * 3, 1 + n as u64 % 5, 1 + n as u64 % 4, 4 + n as u64 % 9));
        for a in shapes() {
            for b in shapes() {
                assert_eq!(a.shared(&b), bytes(&a).intersection(&bytes(&b)).count() as u64, "{a:?} {b:?}");
            }
        }
    }
}
