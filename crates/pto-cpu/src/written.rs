//! Which bytes of a core's memory have been written.

/// A bit for each byte.
#[derive(Debug, Default)]
pub(crate) struct WrittenBytes(Vec<u64>);

impl WrittenBytes {
    /// None of so many bytes.
    pub fn new(bytes: u64) -> Self {
        Self(vec![0; bytes.div_ceil(64) as usize + 1])
    }

    /// Bytes hold nothing any more.
    pub fn clear(&mut self, start: u64, length: u64) {
        // Spaces and tiles start at lines of 64 bytes.
        let (first, last) = ((start / 64) as usize, (start + length).div_ceil(64) as usize);
        self.0[first..last.max(first)].fill(0);
    }

    pub fn add(&mut self, start: u64, length: u64) {
        let (first, last) = (start.div_ceil(64), (start + length) / 64);
        if first >= last {
            return each_word(start, length, |word, mask| self.0[word] |= mask);
        }
        self.0[first as usize..last as usize].fill(u64::MAX);
        each_word(start, first * 64 - start, |word, mask| self.0[word] |= mask);
        each_word(last * 64, start + length - last * 64, |word, mask| self.0[word] |= mask);
    }

    /// Whether a range was written as a whole. Nearly every read is of such bytes, so the words in between go through a loop without branches.
    fn has_all(&self, start: u64, length: u64) -> bool {
        let (first, last) = (start.div_ceil(64), (start + length) / 64);
        let mut open = 0;
        if first >= last {
            each_word(start, length, |word, mask| open |= mask & !self.0[word]);
            return open == 0;
        }
        each_word(start, first * 64 - start, |word, mask| open |= mask & !self.0[word]);
        each_word(last * 64, start + length - last * 64, |word, mask| open |= mask & !self.0[word]);
        self.0[first as usize..last as usize].iter().fold(open, |open, word| open | !word) == 0
    }

    /// The first byte of a range that was not written.
    pub fn first_missing(&self, start: u64, length: u64) -> Option<u64> {
        if self.has_all(start, length) {
            return None;
        }
        let mut missing = None;
        each_word(start, length, |word, mask| {
            let open = mask & !self.0[word];
            if missing.is_none() && open != 0 {
                missing = Some(word as u64 * 64 + u64::from(open.trailing_zeros()));
            }
        });
        missing
    }

    pub fn has_any(&self, start: u64, length: u64) -> bool {
        let mut any = false;
        each_word(start, length, |word, mask| any |= self.0[word] & mask != 0);
        any
    }
}

/// The words of a range of bits, with the bits of each.
fn each_word(start: u64, length: u64, mut each: impl FnMut(usize, u64)) {
    let end = start + length;
    let mut at = start;
    while at < end {
        let word = at / 64;
        let stop = end.min((word + 1) * 64);
        let ones = if stop - at == 64 { u64::MAX } else { ((1 << (stop - at)) - 1) << (at % 64) };
        each(word as usize, ones);
        at = stop;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_known_one_by_one() {
        let mut written = WrittenBytes::new(1000);
        written.add(60, 100);
        assert_eq!(written.first_missing(60, 100), None);
        assert_eq!(written.first_missing(59, 2), Some(59));
        assert_eq!(written.first_missing(100, 61), Some(160));
        assert!(written.has_any(0, 61) && !written.has_any(0, 60));
        written.clear(64, 64);
        assert_eq!(written.first_missing(60, 100), Some(64));
        assert_eq!(written.first_missing(128, 32), None);
    }
}
