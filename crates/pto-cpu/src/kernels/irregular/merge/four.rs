//! Four lists as short as `tsort32` leaves them become one, without a step that waits for what was found.

use pto_num::Level;

/// Numbers of a list.
pub const LENGTH: usize = 32;

/// Merges four consecutive lists of distinct numbers with their guards; the result starts after the first guard, and has at least so many
/// numbers. Returns false and does nothing if the level has too few registers.
///
/// # Safety
/// The processor must have the level.
pub unsafe fn merge<L: Level>(lists: &mut [u64], count: usize) -> bool {
    #[cfg(target_arch = "x86_64")]
    if matches!(L::CPU, pto_num::CpuLevel::V4) {
        assert!(lists.len() >= 4 * (LENGTH + super::AROUND));
        // SAFETY: the lists are as long as they must be, and the processor has the instructions of this level.
        unsafe { wide::merge(lists.as_mut_ptr().add(1), count > 2 * LENGTH) };
        return true;
    }
    let _ = (lists, count);
    false
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use super::super::two::{reversed, sort_bitonic};
    use super::LENGTH;
    use crate::kernels::irregular::merge::AROUND;
    use std::arch::x86_64::*;

    /// Numbers of a vector.
    const LANES: usize = 8;
    /// Vectors of a list.
    const LIST: usize = LENGTH / LANES;

    /// # Safety
    /// Four lists must lie here, and the processor must have level `v4`.
    #[target_feature(enable = "avx512f")]
    pub unsafe fn merge(first: *mut u64, is_whole: bool) {
        // SAFETY: the caller answers for the elements at `first`; the processor has the instructions of this level.
        unsafe {
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| i * (LENGTH + AROUND));
            let mut low = [_mm512_setzero_pd(); 2 * LIST];
            let mut high = low;
            for i in 0..LIST {
                (low[i], low[LIST + i]) = (load(first, a, i), load(first, b, i));
                (high[i], high[LIST + i]) = (load(first, c, i), load(first, d, i));
            }
            merge_4(&mut low);
            merge_4(&mut high);
            merge_8(&mut low, &mut high, is_whole);
            for (i, v) in low.into_iter().enumerate() {
                _mm512_storeu_pd(first.add(i * LANES).cast(), v);
            }
            if is_whole {
                for (i, v) in high.into_iter().enumerate() {
                    _mm512_storeu_pd(first.add((2 * LIST + i) * LANES).cast(), v);
                }
            }
        }
    }

    /// # Safety
    /// All elements that the other arguments count must be readable at `first`; the processor must have the instructions of this
    /// level.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn load(first: *const u64, list: usize, vector: usize) -> __m512d {
        // SAFETY: the caller answers for the elements at `first`; the processor has the instructions of this level.
        unsafe { _mm512_loadu_pd(first.add(list + vector * LANES).cast()) }
    }

    /// Two sorted lists of four vectors become one.
    ///
    /// # Safety
    /// The processor must have AVX-512.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn merge_4(v: &mut [__m512d; 8]) {
        let b = [reversed(v[7]), reversed(v[6]), reversed(v[5]), reversed(v[4])];
        for i in 0..4 {
            (v[i], v[4 + i]) = (_mm512_min_pd(v[i], b[i]), _mm512_max_pd(v[i], b[i]));
        }
        for half in [0, 4] {
            for i in [0, 1] {
                order(v, half + i, half + i + 2);
            }
            for i in [0, 2] {
                order(v, half + i, half + i + 1);
            }
        }
        for v in v {
            *v = sort_bitonic(*v);
        }
    }

    /// Two sorted lists of eight vectors become one, or its first half.
    ///
    /// # Safety
    /// The processor must have AVX-512.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn merge_8(low: &mut [__m512d; 8], high: &mut [__m512d; 8], is_whole: bool) {
        let mut b = *high;
        for i in 0..8 {
            b[i] = reversed(high[7 - i]);
        }
        for i in 0..8 {
            (low[i], high[i]) = (_mm512_min_pd(low[i], b[i]), _mm512_max_pd(low[i], b[i]));
        }
        sort_bitonic_8(low);
        if is_whole {
            sort_bitonic_8(high);
        }
    }

    /// Sorts eight vectors that first rise and then fall, or the other way round.
    ///
    /// # Safety
    /// The processor must have AVX-512.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn sort_bitonic_8(half: &mut [__m512d; 8]) {
        for i in [0, 1, 2, 3] {
            order(half, i, i + 4);
        }
        for i in [0, 1, 4, 5] {
            order(half, i, i + 2);
        }
        for i in [0, 2, 4, 6] {
            order(half, i, i + 1);
        }
        for v in half {
            *v = sort_bitonic(*v);
        }
    }

    /// The smaller of each two numbers come first.
    ///
    /// # Safety
    /// The processor must have AVX-512.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn order(v: &mut [__m512d; 8], a: usize, b: usize) {
        (v[a], v[b]) = (_mm512_min_pd(v[a], v[b]), _mm512_max_pd(v[a], v[b]));
    }
}

#[cfg(test)]
mod tests {
    use super::super::two::{AROUND, guard};
    use super::*;
    use pto_num::{CpuLevel, LevelKernel, dispatch_at};

    /// Lists with their guards, and how many of their numbers are wanted.
    struct FourLists<'a>(&'a mut [u64], usize);

    impl LevelKernel for FourLists<'_> {
        type Output = bool;

        #[inline(always)]
        fn run<L: Level>(self) -> bool {
            // SAFETY: the processor has the level, or this would not be called.
            unsafe { merge::<L>(self.0, self.1) }
        }
    }

    /// All numbers below 128, each in one of the lists; by the round, in runs of other lengths.
    #[test]
    fn four_lists_become_one() {
        for round in 0..200u64 {
            let mut places: Vec<u64> = (0..4 * LENGTH as u64).collect();
            places.sort_by_key(|x| (x / (1 + round % 9)).wrapping_mul(0x9e37_79b9_7f4a_7c15 ^ round << 32));
            let mut lists = vec![0; 4 * (LENGTH + AROUND)];
            for (list, numbers) in lists.chunks_mut(LENGTH + AROUND).zip(places.chunks_mut(LENGTH)) {
                numbers.sort_unstable();
                list[1..=LENGTH].copy_from_slice(&numbers.iter().map(|n| n + 1).collect::<Vec<u64>>());
                guard(list);
            }
            for (level, count) in CpuLevel::ALL.iter().flat_map(|level| [4, 3, 2, 1].map(|n| (level, n * LENGTH))) {
                let mut lists = lists.clone();
                if dispatch_at(*level, FourLists(&mut lists, count)) {
                    assert!(lists[1..=count].iter().copied().eq(1..=count as u64), "round {round}");
                }
            }
        }
    }
}
