//! Sorting 32 numbers in each of several lanes at once.
//!
//! A network compares the same positions regardless of the numbers, so that every lane of a vector sorts its own group.
//! It is Batcher's odd-even merge sort.

use super::key::GROUP;
#[cfg(target_arch = "x86_64")]
use pto_num::CpuLevel;
use pto_num::Level;

/// Comparisons for 32 places.
const COMPARISONS: usize = 191;

/// Which places are compared, in order.
static NETWORK: [(u8, u8); COMPARISONS] = network();

const fn network() -> [(u8, u8); COMPARISONS] {
    let mut pairs = [(0, 0); COMPARISONS];
    let mut used = 0;
    let mut sorted = 1;
    while sorted < GROUP {
        let mut distance = sorted;
        while distance >= 1 {
            let mut run = distance % sorted;
            while run + distance < GROUP {
                let mut low = run;
                while low < run + distance && low + distance < GROUP {
                    // Both of a pair lie in the same part that is being merged.
                    if low / (2 * sorted) == (low + distance) / (2 * sorted) {
                        pairs[used] = (low as u8, (low + distance) as u8);
                        used += 1;
                    }
                    low += 1;
                }
                run += 2 * distance;
            }
            distance /= 2;
        }
        sorted *= 2;
    }
    assert!(used == COMPARISONS);
    pairs
}

/// Numbers in lanes.
pub(super) trait SortLanes: Copy {
    /// The smaller and the larger of two, in each lane.
    ///
    /// # Safety
    /// The processor must have the level.
    unsafe fn in_order<L: Level>(a: Self, b: Self) -> (Self, Self);
}

/// Lane by lane.
#[inline(always)]
fn each_in_order<T: Copy + Ord, const N: usize>(a: [T; N], b: [T; N]) -> ([T; N], [T; N]) {
    let (mut least, mut most) = (a, b);
    for i in 0..N {
        least[i] = if a[i] < b[i] { a[i] } else { b[i] };
        most[i] = if a[i] < b[i] { b[i] } else { a[i] };
    }
    (least, most)
}

impl SortLanes for [i32; 16] {
    #[inline(always)]
    unsafe fn in_order<L: Level>(a: Self, b: Self) -> (Self, Self) {
        each_in_order(a, b)
    }
}

impl SortLanes for [i64; 8] {
    /// Comparisons of this width do not become vector code by themselves.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn in_order<L: Level>(a: Self, b: Self) -> (Self, Self) {
        // SAFETY: the processor has the instructions of this level.
        unsafe {
            use std::arch::x86_64::*;
            let (mut least, mut most) = (a, b);
            match L::CPU {
                CpuLevel::V4 => {
                    let (x, y) = (_mm512_loadu_epi64(a.as_ptr()), _mm512_loadu_epi64(b.as_ptr()));
                    _mm512_storeu_epi64(least.as_mut_ptr(), _mm512_min_epi64(x, y));
                    _mm512_storeu_epi64(most.as_mut_ptr(), _mm512_max_epi64(x, y));
                }
                CpuLevel::V3 => {
                    for half in [0, 4] {
                        let x = _mm256_loadu_si256(a.as_ptr().add(half).cast());
                        let y = _mm256_loadu_si256(b.as_ptr().add(half).cast());
                        let greater = _mm256_cmpgt_epi64(x, y);
                        let (low, high) = (_mm256_blendv_epi8(x, y, greater), _mm256_blendv_epi8(y, x, greater));
                        _mm256_storeu_si256(least.as_mut_ptr().add(half).cast(), low);
                        _mm256_storeu_si256(most.as_mut_ptr().add(half).cast(), high);
                    }
                }
                CpuLevel::Baseline => return each_in_order(a, b),
            }
            (least, most)
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    unsafe fn in_order<L: Level>(a: Self, b: Self) -> (Self, Self) {
        each_in_order(a, b)
    }
}

/// One number of every lane at each place, in lines of the cache.
#[repr(C, align(64))]
pub(super) struct NetworkLines<V>(pub [V; GROUP]);

/// Sorts each lane, the smallest number first.
///
/// # Safety
/// The processor must have the level.
#[inline(always)]
pub(super) unsafe fn sort_lanes<L: Level, V: SortLanes>(NetworkLines(places): &mut NetworkLines<V>) {
    // SAFETY: the processor has the instructions of this level.
    unsafe {
        for &(low, high) in &NETWORK {
            let (low, high) = (low as usize % GROUP, high as usize % GROUP);
            (places[low], places[high]) = V::in_order::<L>(places[low], places[high]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pto_num::Baseline;

    /// A network sorts everything if it sorts zeros and ones; here all with few changes, and many others.
    #[test]
    fn zeros_and_ones_are_sorted() {
        let mut state = 1u64;
        for round in 0..20_000u32 {
            let mut places = NetworkLines([[0i64; 8]; GROUP]);
            for (k, lanes) in places.0.iter_mut().enumerate() {
                for lane in lanes.iter_mut() {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    *lane = if round % 2 == 0 { (state >> 63) as i64 } else { i64::from(k as u64 > state >> 59) };
                }
            }
            // SAFETY: every processor has this level.
            unsafe { sort_lanes::<Baseline, _>(&mut places) };
            assert!(places.0.windows(2).all(|w| w[0].iter().zip(&w[1]).all(|(a, b)| a <= b)));
        }
    }
}
