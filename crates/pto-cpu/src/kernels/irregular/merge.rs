//! `tmrgsort`: sorted lists of records become one.

use super::key::{Sorted, get_record, put_record};
use pto_isa::Type;
use pto_isa::rules::AttrValue;
use pto_num::Level;
use pto_vector::elem::by_type;
use pto_vector::{Body, Call, Fault, Kernel, Prepared, Site, TileRef, contiguous, write};
use std::cell::RefCell;
use std::marker::PhantomData;

const SLOTS: [&str; 6] = ["src0", "src1", "src2", "src3", "dst", "executed"];

pub(super) const MERGE: Kernel = Kernel::new(&SLOTS, prepare).scalars(&["block_len"]);

/// Lists that are merged at a time.
const LISTS: usize = 4;

fn prepare(site: &Site) -> Option<Prepared> {
    let exhausted = site.instance.attr("exhausted") == Some(AttrValue::Bool(true));
    let blocks = site.instance.given("block_len");
    if site.instance.ty("executed").and_then(Type::elem).is_some_and(|d| d.bits() != 16) {
        return None;
    }
    by_type!(site.tile("src0")?.dtype, E in [F16 F32] =>
        Prepared::new::<Merge<E>>(site, contiguous(site, &SLOTS)).with([u64::from(blocks), u64::from(exhausted)]))
}

/// A part of a row that holds a sorted list.
#[derive(Clone, Copy)]
struct List<'a> {
    tile: &'a TileRef,
    /// Its first record.
    first: usize,
    /// Its records.
    count: usize,
}

impl<'a> List<'a> {
    /// The records of a tile.
    fn whole<E: Sorted>(tile: &'a TileRef) -> Self {
        let count = if tile.rows == 0 { 0 } else { tile.cols / E::COLUMNS };
        Self { tile, first: 0, count }
    }

    /// The records that a tile has room for; for the last perhaps only in part.
    fn room<E: Sorted>(tile: &'a TileRef) -> Self {
        let count = if tile.rows == 0 { 0 } else { tile.cols.div_ceil(E::COLUMNS) };
        Self { tile, first: 0, count }
    }
}

/// How a group of lists is merged; how many records come from each.
type MergeLists = unsafe fn(lists: &[List], exhausted: bool, out: List) -> [usize; LISTS];

struct Merge<E>(PhantomData<E>);

impl<E: Sorted> Body for Merge<E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call) -> Result<(), Fault> {
        run::<E>(call, fast_merge::<E>);
        Ok(())
    }

    unsafe fn plain(call: &Call) -> Result<(), Fault> {
        run::<E>(call, plain_merge::<E>);
        Ok(())
    }
}

#[inline(always)]
unsafe fn run<E: Sorted>(call: &Call, merge: MergeLists) {
    let (&[src0, src1, src2, src3, dst, executed], [block_len]) = (call.tiles, call.scalars) else { return };
    let out = List::room::<E>(&dst);
    if call.imm[0] == 1 {
        // The rules want a positive length.
        let length = (*block_len as usize / E::COLUMNS).max(1);
        return merge_blocks(List::whole::<E>(&src0), length, out, merge);
    }
    let tiles = [src0, src1, src2, src3];
    let mut lists = [out; LISTS];
    let mut used = 0;
    for tile in tiles.iter().filter(|t| t.is_present()) {
        lists[used] = List::whole::<E>(tile);
        used += 1;
    }
    let taken = merge(&lists[..used], call.imm[1] == 1, out);
    if executed.is_present() {
        for (c, count) in taken.iter().enumerate().take(executed.cols) {
            write(&executed, 0, c, *count as u16);
        }
    }
}

/// Groups of four lists of one length, each merged to its own place; at the end there may be fewer or shorter ones.
unsafe fn merge_blocks(src: List, length: usize, out: List, merge: MergeLists) {
    for first in (0..src.count).step_by(LISTS * length) {
        let end = src.count.min(first + LISTS * length);
        let mut lists = [src; LISTS];
        let starts = (first..end).step_by(length);
        let used = starts.len();
        for (list, start) in lists.iter_mut().zip(starts) {
            (list.first, list.count) = (start, length.min(end - start));
        }
        let room = out.count.saturating_sub(first).min(end - first);
        merge(&lists[..used], false, List { first, count: room, ..out });
    }
}

/// Step by step: the earliest of the first records, of equal ones that of the lower list.
unsafe fn plain_merge<E: Sorted>(lists: &[List], exhausted: bool, out: List) -> [usize; LISTS] {
    let mut taken = [0; LISTS];
    let mut written = 0;
    while !(exhausted && (0..lists.len()).any(|i| taken[i] == lists[i].count)) {
        let heads = (0..lists.len()).filter(|i| taken[*i] < lists[*i].count);
        let record = |i: usize| get_record::<E>(lists[i].tile, 0, lists[i].first + taken[i]);
        let Some(next) = heads.min_by_key(|i| E::of_record(record(*i)).key()) else { break };
        if written < out.count {
            put_record::<E>(out.tile, 0, out.first + written, record(next));
        }
        written += 1;
        taken[next] += 1;
    }
    taken
}

thread_local! {
    /// Records and keys being merged; kept for the next time.
    static SCRATCH: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Keys with the numbers of their records are merged in pairs; then records go where their keys are.
unsafe fn fast_merge<E: Sorted>(lists: &[List], exhausted: bool, out: List) -> [usize; LISTS] {
    SCRATCH.with_borrow_mut(|scratch| {
        let total: usize = lists.iter().map(|l| l.count).sum();
        // Each list of keys stands between two guards.
        let guarded = total + 2 * LISTS;
        scratch.resize(scratch.len().max(total + 3 * guarded), 0);
        let (records, keys) = scratch.split_at_mut(total);
        let (first, keys) = keys.split_at_mut(guarded);
        let (second, third) = keys.split_at_mut(guarded);
        load_lists::<E>(lists, records, first);
        let [a, b, c, d] = std::array::from_fn(|i| lists.get(i).map_or(0, |l| l.count));
        let (left, right) = first.split_at_mut(a + b + 4);
        let (ab, cd) = second.split_at_mut(a + b + 2);
        merge_two(&left[..a + 2], &left[a + 2..], ab);
        merge_two(&right[..c + 2], &right[c + 2..c + d + 4], &mut cd[..c + d + 2]);
        merge_two(ab, &cd[..c + d + 2], &mut third[..total + 2]);
        let merged = &third[1..=total];
        let (end, taken) = if exhausted { until_empty(lists, merged) } else { (total, [a, b, c, d]) };
        let end = end.min(out.count);
        let whole = end.min((out.tile.cols / E::COLUMNS).saturating_sub(out.first));
        let to = out.tile.ptr.cast::<u64>().add(out.first);
        let record = |k: usize| records[merged[k] as u32 as usize];
        for k in 0..whole {
            to.add(k).write_unaligned(record(k));
        }
        for k in whole..end {
            put_record::<E>(out.tile, 0, out.first + k, record(k));
        }
        taken
    })
}

/// Copies the records, and makes a key for each: earlier ones are smaller, and no two are equal.
#[inline(always)]
unsafe fn load_lists<E: Sorted>(lists: &[List], records: &mut [u64], keys: &mut [u64]) {
    let mut number = 0;
    for i in 0..LISTS {
        let start = number + 2 * i;
        let count = lists.get(i).map_or(0, |l| l.count);
        keys[start] = 0;
        if let Some(list) = lists.get(i) {
            let from = list.tile.ptr.cast::<u64>().add(list.first);
            for k in 0..count {
                let record = from.add(k).read_unaligned();
                records[number + k] = record;
                let key = E::of_record(record).key() as u32 ^ 1 << 31;
                keys[start + 1 + k] = u64::from(key) << 32 | (number + k) as u64;
            }
        }
        keys[start + 1 + count] = u64::MAX;
        number += count;
    }
}

/// How many records are merged when the first list is empty, and how many are from each list.
fn until_empty(lists: &[List], merged: &[u64]) -> (usize, [usize; LISTS]) {
    let mut taken = [0; LISTS];
    let mut end = 0;
    let is_empty = |taken: &[usize; LISTS]| lists.iter().zip(taken).any(|(l, n)| l.count == *n);
    while end < merged.len() && !is_empty(&taken) {
        let mut number = merged[end] as u32 as usize;
        let mut list = 0;
        while number >= lists[list].count {
            number -= lists[list].count;
            list += 1;
        }
        taken[list] += 1;
        end += 1;
    }
    (end, taken)
}

/// Merges two lists of different numbers. The first and last element of each slice are guards: smaller and larger than
/// all. From the middle and from both ends at once, because every step waits for the one before.
fn merge_two(a: &[u64], b: &[u64], out: &mut [u64]) {
    let (la, lb) = (a.len() - 2, b.len() - 2);
    let total = la + lb;
    assert!(out.len() == total + 2);
    out[0] = 0;
    out[total + 1] = u64::MAX;
    let middle = total / 2;
    let split = split(a, b, middle);
    let (quarter, rest) = (middle / 2, (total - middle) / 2);
    let mut chains = [
        Chain { a: 1, b: 1, out: 1, left: quarter },
        Chain { a: split, b: middle - split, out: middle, left: middle - quarter },
        Chain { a: split + 1, b: middle - split + 1, out: middle + 1, left: rest },
        Chain { a: la, b: lb, out: total, left: total - middle - rest },
    ];
    let together = chains.iter().map(|c| c.left).min().unwrap_or(0);
    let [one, two, three, four] = &mut chains;
    for _ in 0..together {
        one.forward(a, b, out);
        two.backward(a, b, out);
        three.forward(a, b, out);
        four.backward(a, b, out);
    }
    for chain in [one, three] {
        (together..chain.left).for_each(|_| chain.forward(a, b, out));
    }
    for chain in [two, four] {
        (together..chain.left).for_each(|_| chain.backward(a, b, out));
    }
}

/// How many of the first `count` numbers of both lists together are of `a`.
fn split(a: &[u64], b: &[u64], count: usize) -> usize {
    let (mut low, mut high) = (count.saturating_sub(b.len() - 2), count.min(a.len() - 2));
    while low < high {
        let half = (low + high) / 2;
        // The next of `a` belongs to them if it is smaller than the last that `b` would give instead.
        if a[half + 1] < b[count - half] {
            low = half + 1;
        } else {
            high = half;
        }
    }
    low
}

/// A run of steps: where it is in both lists and in the result.
struct Chain {
    a: usize,
    b: usize,
    out: usize,
    left: usize,
}

impl Chain {
    /// Takes the smaller of two.
    #[inline(always)]
    fn forward(&mut self, a: &[u64], b: &[u64], out: &mut [u64]) {
        let (x, y) = (a[self.a], b[self.b]);
        let first = x < y;
        out[self.out] = if first { x } else { y };
        self.a += usize::from(first);
        self.b += usize::from(!first);
        self.out += 1;
    }

    /// Takes the larger of two.
    #[inline(always)]
    fn backward(&mut self, a: &[u64], b: &[u64], out: &mut [u64]) {
        let (x, y) = (a[self.a], b[self.b]);
        let first = x > y;
        out[self.out] = if first { x } else { y };
        self.a -= usize::from(first);
        self.b -= usize::from(!first);
        self.out -= 1;
    }
}
