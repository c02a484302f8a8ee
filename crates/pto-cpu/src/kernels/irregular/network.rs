//! Sorting 32 numbers in each of several lanes at once.
//!
//! A network compares the same places whatever the numbers are, so that every lane of a vector sorts a group of its own.
//! It is Batcher's odd-even merge sort.

use super::key::GROUP;

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

/// Sorts each lane, the smallest number first.
#[inline(always)]
pub(super) fn sort_lanes<T: Copy + Ord, const N: usize>(places: &mut [[T; N]; GROUP]) {
    for &(low, high) in &NETWORK {
        let (a, b) = (places[low as usize % GROUP], places[high as usize % GROUP]);
        let (mut least, mut most) = (a, b);
        for i in 0..N {
            least[i] = if a[i] < b[i] { a[i] } else { b[i] };
            most[i] = if a[i] < b[i] { b[i] } else { a[i] };
        }
        places[low as usize % GROUP] = least;
        places[high as usize % GROUP] = most;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A network sorts everything if it sorts zeros and ones; here all with few changes, and many others.
    #[test]
    fn zeros_and_ones_are_sorted() {
        let mut state = 1u64;
        for round in 0..20_000u32 {
            let mut places = [[0u32; 8]; GROUP];
            for (k, lanes) in places.iter_mut().enumerate() {
                for lane in lanes.iter_mut() {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    *lane =
                        if round % 2 == 0 { (state >> 63) as u32 } else { u32::from(k as u32 > state as u32 >> 26) };
                }
            }
            sort_lanes(&mut places);
            assert!(places.windows(2).all(|w| w[0].iter().zip(&w[1]).all(|(a, b)| a <= b)));
        }
    }
}
