//! A small generator of pseudo-random numbers: the same seed gives the same data on every machine.

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The splitmix64 generator.
pub(crate) struct Rng(u64);

impl Rng {
    /// The generator after so many numbers.
    pub(crate) fn after(seed: u64, numbers: u64) -> Self {
        Self(seed.wrapping_add(numbers.wrapping_mul(STEP)))
    }

    /// Sixty-four random bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mixed(self.0)
    }

    /// What `next` gives after so many others, for loops that need several at once.
    #[inline(always)]
    pub(crate) fn later(&self, skipped: u64) -> u64 {
        mixed(self.0.wrapping_add(STEP.wrapping_mul(skipped + 1)))
    }
}

#[inline(always)]
fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
