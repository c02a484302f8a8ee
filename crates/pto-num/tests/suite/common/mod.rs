//! Inputs for tests that cannot try every value.
#![allow(dead_code, reason = "each test file uses a part")]

/// SplitMix64: short, and good enough to pick test values.
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Every pattern of the upper bits with a few lower halves: all binades, all ties of 16-bit formats, their neighbours.
pub fn boundaries() -> impl Iterator<Item = f32> {
    const LOW: [u32; 12] = [0, 1, 2, 0xfff, 0x1000, 0x1001, 0x1fff, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff];
    (0..=0xffffu32).flat_map(|high| LOW.into_iter().map(move |low| f32::from_bits(high << 16 | low)))
}

/// Integers and halves around every power of two, both signs.
pub fn near_integers() -> impl Iterator<Item = f32> {
    (0..70).flat_map(|e| (-40..=40).map(move |n| ((1u128 << e) as f64 + n as f64 * 0.25) as f32)).flat_map(|x| {
        let bits = x.to_bits();
        [x, -x, f32::from_bits(bits.wrapping_sub(1)), -f32::from_bits(bits.wrapping_add(1))]
    })
}

/// `count` random bit patterns.
pub fn random(seed: u64, count: usize) -> impl Iterator<Item = f32> {
    let mut random = Random(seed);
    (0..count).map(move |_| f32::from_bits(random.next() as u32))
}

/// Patterns from one of a sweep to the next: one with `PTO_EXHAUSTIVE` set, which takes minutes; otherwise a prime, so that all
/// bits vary and every binade is met some two thousand times.
fn stride() -> usize {
    if std::env::var_os("PTO_EXHAUSTIVE").is_some() { 1 } else { 4099 }
}

/// The patterns of a sweep with one sign.
pub fn patterns(sign: u32) -> impl Iterator<Item = f32> {
    (0..1u32 << 31).step_by(stride()).map(move |low| f32::from_bits(sign << 31 | low))
}

/// Calls `check` for bit patterns all over, on two threads.
pub fn sweep(check: impl Fn(f32) + Sync) {
    std::thread::scope(|scope| {
        for sign in 0..2 {
            let check = &check;
            scope.spawn(move || patterns(sign).for_each(check));
        }
    });
}

/// Calls `check` for the boundaries and for `count` random patterns.
pub fn sample(count: usize, check: impl Fn(f32) + Sync) {
    std::thread::scope(|scope| {
        scope.spawn(|| boundaries().chain(near_integers()).chain(random(1, count / 2)).for_each(&check));
        scope.spawn(|| random(2, count / 2).for_each(&check));
    });
}
