//! Two sorted lists become one.

use pto_num::Level;
#[cfg(target_arch = "x86_64")]
pub use wide::{reversed, sort_bitonic};

/// Words of a list besides its numbers: one before them, and some after.
pub const AROUND: usize = 1 + BEHIND;

/// Vectors may be read this far past the last number.
const BEHIND: usize = 32;

/// Numbers have fewer bits than this: as patterns of f64 they are positive and finite, and in the same order.
pub const BITS: u32 = 62;

/// Larger than all numbers.
const LAST: u64 = (1 << BITS) - 1;

/// Writes a guard before a list, smaller than all numbers, and guards after it, larger than all.
pub fn guard(list: &mut [u64]) {
    let end = list.len() - BEHIND;
    list[0] = 0;
    list[end..].fill(LAST);
}

/// Merges two lists of different numbers, all with their guards. The result may be shorter than both together.
///
/// # Safety
/// The processor must have the level.
pub unsafe fn merge_two<L: Level>(a: &[u64], b: &[u64], out: &mut [u64]) {
    assert!(out.len() + AROUND <= a.len() + b.len());
    // SAFETY: the caller answers for the level, and the result is no longer than both lists.
    unsafe { merge_numbers::<L>(a, b, out) };
    guard(out);
}

/// # Safety
/// The processor must have the level.
unsafe fn merge_numbers<L: Level>(a: &[u64], b: &[u64], out: &mut [u64]) {
    #[cfg(target_arch = "x86_64")]
    if matches!(L::CPU, pto_num::CpuLevel::V4) {
        // SAFETY: the lengths fit, and the processor has the instructions of this level.
        return unsafe { wide::merge(a, b, out) };
    }
    merge_steps(a, b, out);
}

/// Number by number: from the middle and from both ends at once, because every step waits for the one before.
fn merge_steps(a: &[u64], b: &[u64], out: &mut [u64]) {
    let total = out.len() - AROUND;
    let middle = total / 2;
    let end = split(a, b, total);
    let split = split(a, b, middle);
    let (quarter, rest) = (middle / 2, (total - middle) / 2);
    let (a, b, out) = (a.as_ptr(), b.as_ptr(), out.as_mut_ptr());
    let chain = |at_a: usize, at_b: usize, to: usize| Chain {
        a: a.wrapping_add(at_a),
        b: b.wrapping_add(at_b),
        out: out.wrapping_add(to),
        taken: 0,
    };
    let mut one = chain(1, 1, 1);
    let mut two = chain(split, middle - split, middle);
    let mut three = chain(split + 1, middle - split + 1, middle + 1);
    let mut four = chain(end, total - end, total);
    let (left, right) = (middle - quarter, total - middle - rest);
    let together = quarter.min(rest);
    // SAFETY: a chain never passes a guard, because it takes from the other list there, and no chain has more steps than
    // there are numbers on its way. All chains together write every place once.
    unsafe {
        for step in 0..together {
            one.forward(step);
            two.backward(step);
            three.forward(step);
            four.backward(step);
        }
        (together..quarter).for_each(|step| one.forward(step));
        (together..left).for_each(|step| two.backward(step));
        (together..rest).for_each(|step| three.forward(step));
        (together..right).for_each(|step| four.backward(step));
    }
}

/// How many of the first `count` numbers of both lists together are of `a`.
fn split(a: &[u64], b: &[u64], count: usize) -> usize {
    let (mut low, mut high) = (count.saturating_sub(b.len() - AROUND), count.min(a.len() - AROUND));
    while low < high {
        let half = (low + high) / 2;
        // The next of `a` belongs to them if it is smaller than the last that `b` would give instead.
        let more = a[half + 1] < b[count - half];
        low = if more { half + 1 } else { low };
        high = if more { high } else { half };
    }
    low
}

/// A run of steps: where it starts in both lists and in the result, and how many numbers it took from the first list. What
/// it took from the second follows from the number of the step, which leaves less to keep in registers.
struct Chain {
    a: *const u64,
    b: *const u64,
    out: *mut u64,
    taken: usize,
}

impl Chain {
    /// Takes the smaller of two.
    ///
    /// # Safety
    /// Both lists have so many records left.
    #[inline(always)]
    unsafe fn forward(&mut self, step: usize) {
        // SAFETY: both lists have this many records left.
        unsafe {
            let (x, y) = (*self.a.add(self.taken), *self.b.add(step - self.taken));
            *self.out.add(step) = if x < y { x } else { y };
            self.taken += usize::from(x < y);
        }
    }

    /// Takes the larger of two.
    ///
    /// # Safety
    /// Both lists have so many records left.
    #[inline(always)]
    unsafe fn backward(&mut self, step: usize) {
        // SAFETY: both lists have this many records left.
        unsafe {
            let (x, y) = (*self.a.sub(self.taken), *self.b.sub(step - self.taken));
            *self.out.sub(step) = if x > y { x } else { y };
            self.taken += usize::from(x > y);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{AROUND, split};
    use std::arch::x86_64::*;

    /// Numbers of a vector.
    const LANES: usize = 8;

    /// Lists with fewer numbers are not worth it to be cut often.
    const SHORT: usize = 256;

    /// Eight numbers at a time, in parts of the result. They are compared as f64, for which there are the faster instructions.
    ///
    /// # Safety
    /// The processor must have level `v4`.
    #[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl")]
    pub unsafe fn merge(a: &[u64], b: &[u64], out: &mut [u64]) {
        // SAFETY: the processor has the instructions of this level.
        unsafe {
            if out.len() < SHORT + AROUND {
                parts::<2>(a, b, out);
            } else {
                parts::<4>(a, b, out);
            }
        }
    }

    /// Parts are merged at the same time, because every step waits for the one before.
    ///
    /// # Safety
    /// The processor must have the instructions of this level.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl")]
    unsafe fn parts<const PARTS: usize>(a: &[u64], b: &[u64], out: &mut [u64]) {
        // SAFETY: the processor has the instructions of this level.
        unsafe {
            let total = out.len() - AROUND;
            let vectors = total.div_ceil(LANES);
            let each = vectors / PARTS;
            let mut parts = [const { MergePart::NONE }; PARTS];
            let to = out.as_mut_ptr();
            for (k, part) in parts.iter_mut().enumerate() {
                let first = k * each * LANES;
                let from_a = split(a, b, first);
                *part = MergePart::new(&a[1 + from_a..], &b[1 + first - from_a..], to.wrapping_add(1 + first));
            }
            // What is written past a part belongs to the next one and is the same there; after the last one is room for guards.
            for _ in 0..each {
                parts.iter_mut().for_each(|part| part.step());
            }
            for _ in PARTS * each..vectors {
                parts[PARTS - 1].step();
            }
        }
    }

    /// A merge in progress: the larger numbers that were read, and the position.
    struct MergePart {
        held: __m512d,
        first: __m512d,
        a: *const u64,
        b: *const u64,
        out: *mut u64,
    }

    impl MergePart {
        const NONE: Self = Self {
            // SAFETY: all bits zero are a vector.
            held: unsafe { std::mem::zeroed() },
            // SAFETY: as above.
            first: unsafe { std::mem::zeroed() },
            a: std::ptr::null(),
            b: std::ptr::null(),
            out: std::ptr::null_mut(),
        };

        /// # Safety
        /// All elements that the other arguments count must be writable at `out`; the processor must have the instructions of
        /// this level.
        #[inline]
        #[target_feature(enable = "avx512f")]
        unsafe fn new(a: &[u64], b: &[u64], out: *mut u64) -> Self {
            // SAFETY: the caller answers for the elements at `out`; the processor has the instructions of this level.
            unsafe {
                let load = |from: &[u64]| _mm512_loadu_pd(from[..LANES].as_ptr().cast());
                let (held, first) = (load(a), load(b));
                Self { held, first, a: a[LANES..].as_ptr(), b: b[LANES..].as_ptr(), out }
            }
        }

        /// Writes the eight smallest numbers, and reads eight more from the list whose next number is smaller.
        ///
        /// A part reads at most three vectors past a list: it does not choose an empty list while the other has numbers,
        /// and it has read two vectors more than it has written.
        ///
        /// # Safety
        /// The processor must have the instructions of this level.
        #[inline]
        #[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl")]
        unsafe fn step(&mut self) {
            // SAFETY: the processor has the instructions of this level.
            unsafe {
                let (low, high) = merge_eight(self.held, self.first);
                _mm512_storeu_pd(self.out.cast(), low);
                self.out = self.out.wrapping_add(LANES);
                self.held = high;
                let from_a = *self.a < *self.b;
                let next = if from_a { self.a } else { self.b };
                self.first = _mm512_loadu_pd(next.cast());
                self.a = self.a.wrapping_add(LANES * usize::from(from_a));
                self.b = self.b.wrapping_add(LANES * usize::from(!from_a));
            }
        }
    }

    /// The eight smallest and the eight largest of two sorted vectors, both sorted.
    ///
    /// # Safety
    /// The processor must have the instructions of this level.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn merge_eight(x: __m512d, y: __m512d) -> (__m512d, __m512d) {
        let descending = reversed(y);
        (sort_bitonic(_mm512_min_pd(x, descending)), sort_bitonic(_mm512_max_pd(x, descending)))
    }

    /// The last comes first.
    ///
    /// # Safety
    /// The processor must have AVX-512.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn reversed(v: __m512d) -> __m512d {
        _mm512_permutexvar_pd(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), v)
    }

    /// Sorts numbers that first rise and then fall, or the other way round.
    ///
    /// # Safety
    /// The processor must have AVX-512.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn sort_bitonic(v: __m512d) -> __m512d {
        let other = _mm512_shuffle_f64x2::<0b01_00_11_10>(v, v);
        let v = _mm512_mask_max_pd(_mm512_min_pd(v, other), 0b1111_0000, v, other);
        let other = _mm512_permutex_pd::<0b01_00_11_10>(v);
        let v = _mm512_mask_max_pd(_mm512_min_pd(v, other), 0b1100_1100, v, other);
        let other = _mm512_permute_pd::<0b0101_0101>(v);
        _mm512_mask_max_pd(_mm512_min_pd(v, other), 0b1010_1010, v, other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pto_num::{CpuLevel, LevelKernel, dispatch_at};

    /// Two lists and the place for the merged one.
    struct TwoLists<'a>(&'a [u64], &'a [u64], &'a mut [u64]);

    impl LevelKernel for TwoLists<'_> {
        type Output = ();

        #[inline(always)]
        fn run<L: Level>(self) {
            // SAFETY: the processor has the level, or this would not be called.
            unsafe { merge_two::<L>(self.0, self.1, self.2) };
        }
    }

    fn list(numbers: &[u64]) -> Vec<u64> {
        let mut list = vec![1; numbers.len() + AROUND];
        list[1..=numbers.len()].copy_from_slice(numbers);
        guard(&mut list);
        list
    }

    /// All sizes up to a few vectors, and lists whose values lie before, after, in and between each other.
    #[test]
    fn every_level_merges_lists_of_all_sizes() {
        let shapes: [fn(u64) -> u64; 5] = [|k| 2 * k, |k| 3 * k + 1, |k| k * k + 1, |k| k + 1000, |k| 40 + k];
        for (la, lb) in (0..70).flat_map(|la| [0, 1, 7, 8, 9, 31, 64, 200].map(|lb| (la, lb))) {
            for (f, g) in shapes.iter().flat_map(|f| shapes.map(|g| (f, g))) {
                // Even and odd, so that no two are the same.
                let a: Vec<u64> = (0..la).map(|k| 2 * f(k) + 2).collect();
                let b: Vec<u64> = (0..lb).map(|k| 2 * g(k) + 3).collect();
                let mut sorted = [&*a, &*b].concat();
                sorted.sort_unstable();
                for (level, part) in CpuLevel::ALL.iter().flat_map(|level| [1, 2, 3].map(|part| (level, part))) {
                    let count = sorted.len() / part;
                    let mut out = list(&vec![7; count]);
                    dispatch_at(*level, TwoLists(&list(&a), &list(&b), &mut out));
                    assert_eq!(out[1..=count], sorted[..count], "{count} of {la} and {lb}");
                    assert!(out[count + 1..].iter().all(|x| *x == LAST));
                }
            }
        }
    }
}
