//! The first records of a sorted row, found without sorting all of it.

use super::key::Sorted;
use pto_vector::Call;
use std::cell::Cell;

/// A row must have so many times the elements that are looked for: fewer are sorted as fast as they are sifted.
const SIFTED: usize = 4;

/// Bits of a key that are the place of its element; above them is the order of its value.
const PLACES: u32 = u32::BITS;

thread_local! {
    /// The order of each element of a row, and the keys of those that may be among the first; kept for the next time.
    static SCRATCH: Cell<(Vec<u32>, Vec<u64>)> = const { Cell::new((Vec::new(), Vec::new())) };
}

/// Writes the first `count` records that sorting all elements of a row gives: those of larger values first, of equal ones that of the lower place.
///
/// # Safety
/// The tiles must be as [`KernelFn`](pto_vector::KernelFn) says and contiguous, with one row, an index for every element, and room for the records.
#[inline(always)]
pub unsafe fn first_records<E: Sorted>(call: &Call<3, 0, 1>, count: usize) {
    let [src, idx, dst] = call.tiles;
    let length = src.cols().min(idx.cols());
    let count = count.min(length);
    if count == 0 || src.rows() == 0 {
        return;
    }
    let (mut orders, mut keys) = SCRATCH.take();
    orders.resize(length, 0);
    let values = src.ptr().cast::<E>().cast_const();
    for (place, order) in orders.iter_mut().enumerate() {
        // SAFETY: the caller answers for the elements of the row.
        *order = order_of(unsafe { values.add(place).read_unaligned() });
    }
    if keys.len() < length {
        keys.resize(length, 0);
    }
    let found = sift(&orders, highest_order(&orders, count), &mut keys);
    if count < found.len() {
        found.select_nth_unstable(count - 1);
    }
    let first = &mut found[..count];
    first.sort_unstable();
    for (at, key) in first.iter().enumerate() {
        let place = *key as u32 as usize;
        // SAFETY: the place is one of the row, and the caller answers for the index and for the room.
        unsafe {
            let value = values.add(place).read_unaligned();
            let index = idx.ptr().cast::<u32>().add(place).read_unaligned();
            dst.ptr().cast::<u64>().add(at).write_unaligned(value.record(index));
        }
    }
    SCRATCH.set((orders, keys));
}

/// Smaller for larger values.
#[inline(always)]
fn order_of<E: Sorted>(value: E) -> u32 {
    value.key() as u32 ^ 1 << 31
}

/// An order that at least so many elements do not exceed: the largest of the smallest orders of so many parts of the row.
#[inline(always)]
fn highest_order(orders: &[u32], count: usize) -> u32 {
    if orders.len() < SIFTED * count {
        return u32::MAX;
    }
    // Part `k` has the elements at `k`, `k + count` and so on, so that vectors have elements of one part each.
    let mut parts = orders.chunks_exact(count);
    let mut smallest = [u32::MAX; LARGEST];
    let Some((smallest, first)) = smallest.get_mut(..count).zip(parts.next()) else { return u32::MAX };
    smallest.copy_from_slice(first);
    for part in parts {
        for (smallest, order) in smallest.iter_mut().zip(part) {
            *smallest = (*smallest).min(*order);
        }
    }
    smallest.iter().fold(0, |highest, order| highest.max(*order))
}

/// Most elements that are looked for in this way.
const LARGEST: usize = 1024;

/// The keys of the elements whose order is no higher.
#[inline(always)]
fn sift<'a>(orders: &[u32], highest: u32, keys: &'a mut [u64]) -> &'a mut [u64] {
    let mut found = 0;
    for (place, order) in orders.iter().enumerate() {
        // Without a branch, which would be foretold wrongly for every element that is found.
        keys[found] = u64::from(*order) << PLACES | place as u64;
        found += usize::from(*order <= highest);
    }
    &mut keys[..found]
}
