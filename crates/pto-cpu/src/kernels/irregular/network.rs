//! Sorting 32 numbers in each of several lanes at once.
//!
//! A network compares the same positions regardless of the numbers, so that every lane of a vector sorts its own group.
//! It is Batcher's odd-even merge sort.

use super::key::GROUP;
#[cfg(any(test, target_arch = "x86_64"))]
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
            let mut low = 0;
            while low < GROUP {
                if is_compared(sorted, distance, low) {
                    pairs[used] = (low as u8, (low + distance) as u8);
                    used += 1;
                }
                low += 1;
            }
            distance /= 2;
        }
        sorted *= 2;
    }
    assert!(used == COMPARISONS);
    pairs
}

/// Whether a place is compared with the one at this distance, when parts with so many sorted numbers are merged.
const fn is_compared(sorted: usize, distance: usize, low: usize) -> bool {
    let Some(from_first) = low.checked_sub(distance % sorted) else { return false };
    let high = low + distance;
    // Both of a pair lie in the same part that is being merged.
    high < GROUP && (from_first / distance).is_multiple_of(2) && low / (2 * sorted) == high / (2 * sorted)
}

/// Numbers in lanes.
pub(super) trait SortLanes: Copy {
    /// The smaller and the larger of two, in each lane.
    ///
    /// # Safety
    /// The processor must have the level.
    unsafe fn in_order<L: Level>(a: Self, b: Self) -> (Self, Self);

    /// Sorts each lane, the smallest number first.
    ///
    /// # Safety
    /// The processor must have the level.
    #[inline(always)]
    unsafe fn sort<L: Level>(places: &mut [Self; GROUP]) {
        // SAFETY: the caller answers for the level.
        unsafe { sort_by_table::<L, Self>(places) };
    }
}

/// Comparison by comparison.
///
/// # Safety
/// The processor must have the level.
#[inline(always)]
unsafe fn sort_by_table<L: Level, V: SortLanes>(places: &mut [V; GROUP]) {
    for &(low, high) in &NETWORK {
        let (low, high) = (low as usize % GROUP, high as usize % GROUP);
        // SAFETY: the caller answers for the level.
        (places[low], places[high]) = unsafe { V::in_order::<L>(places[low], places[high]) };
    }
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

/// Numbers below 2^62 that are not negative: as patterns of f64 they are finite, and in the same order.
impl SortLanes for [i64; 8] {
    /// Comparisons of this width do not become vector code by themselves.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn in_order<L: Level>(a: Self, b: Self) -> (Self, Self) {
        use std::arch::x86_64::*;
        if !matches!(L::CPU, CpuLevel::V3) {
            return each_in_order(a, b);
        }
        let (mut least, mut most) = (a, b);
        // SAFETY: the processor has the instructions of this level.
        unsafe {
            for half in [0, 4] {
                let x = _mm256_loadu_si256(a.as_ptr().add(half).cast());
                let y = _mm256_loadu_si256(b.as_ptr().add(half).cast());
                let greater = _mm256_cmpgt_epi64(x, y);
                let (low, high) = (_mm256_blendv_epi8(x, y, greater), _mm256_blendv_epi8(y, x, greater));
                _mm256_storeu_si256(least.as_mut_ptr().add(half).cast(), low);
                _mm256_storeu_si256(most.as_mut_ptr().add(half).cast(), high);
            }
        }
        (least, most)
    }

    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    unsafe fn in_order<L: Level>(a: Self, b: Self) -> (Self, Self) {
        each_in_order(a, b)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn sort<L: Level>(places: &mut [Self; GROUP]) {
        if matches!(L::CPU, CpuLevel::V4) {
            // SAFETY: the caller answers for the level.
            return unsafe { wide::sort(places) };
        }
        // SAFETY: the caller answers for the level.
        unsafe { sort_by_table::<L, Self>(places) };
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
    // SAFETY: the caller answers for the level.
    unsafe { V::sort::<L>(places) };
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{GROUP, is_compared};
    use std::arch::x86_64::*;

    /// A step of the network for every place, written one after the other: numbers in registers have no position.
    macro_rules! step {
        ($v:ident, $sorted:literal, $distance:literal) => {
            step!($v, $sorted, $distance, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30)
        };
        ($v:ident, $sorted:literal, $distance:literal, $($low:literal)+) => {
            $(if const { is_compared($sorted, $distance, $low) } {
                let (a, b) = ($v[$low], $v[($low + $distance) % GROUP]);
                ($v[$low], $v[($low + $distance) % GROUP]) = (_mm512_min_pd(a, b), _mm512_max_pd(a, b));
            })+
        };
    }

    /// The whole network in registers.
    ///
    /// # Safety
    /// The processor must have AVX-512.
    #[target_feature(enable = "avx512f")]
    pub unsafe fn sort(places: &mut [[i64; 8]; GROUP]) {
        let mut v = [_mm512_setzero_pd(); GROUP];
        for (v, place) in v.iter_mut().zip(&*places) {
            // SAFETY: a place has as many bytes as a vector.
            *v = unsafe { _mm512_loadu_pd(place.as_ptr().cast()) };
        }
        step!(v, 1, 1);
        step!(v, 2, 2);
        step!(v, 2, 1);
        step!(v, 4, 4);
        step!(v, 4, 2);
        step!(v, 4, 1);
        step!(v, 8, 8);
        step!(v, 8, 4);
        step!(v, 8, 2);
        step!(v, 8, 1);
        step!(v, 16, 16);
        step!(v, 16, 8);
        step!(v, 16, 4);
        step!(v, 16, 2);
        step!(v, 16, 1);
        for (v, place) in v.iter().zip(places) {
            // SAFETY: as above.
            unsafe { _mm512_storeu_pd(place.as_mut_ptr().cast(), *v) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pto_num::{LevelKernel, dispatch_at};

    struct AllLanes<'a>(&'a mut NetworkLines<[i64; 8]>);

    impl LevelKernel for AllLanes<'_> {
        type Output = ();

        #[inline(always)]
        fn run<L: Level>(self) {
            // SAFETY: the processor has the level, or this would not be called.
            unsafe { sort_lanes::<L, _>(self.0) };
        }
    }

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
            for level in CpuLevel::ALL {
                let mut sorted = NetworkLines(places.0);
                dispatch_at(level, AllLanes(&mut sorted));
                assert!(sorted.0.windows(2).all(|w| w[0].iter().zip(&w[1]).all(|(a, b)| a <= b)));
            }
        }
    }
}
