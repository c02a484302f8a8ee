//! `tmrgsort`: sorted lists of records become one.

use super::key::{Sorted, get_record, put_record};
use pto_isa::Type;
use pto_isa::rules::AttrValue;
use pto_num::Level;
use pto_vector::elem::by_type;
use pto_vector::{Body, Call, Fault, Kernel, Prepared, Site, TileRef, contiguous, write};
use std::cell::Cell;
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

struct Merge<E>(PhantomData<E>);

impl<E: Sorted> Body for Merge<E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call) -> Result<(), Fault> {
        run::<E, Fast>(call);
        Ok(())
    }

    unsafe fn plain(call: &Call) -> Result<(), Fault> {
        run::<E, Plain>(call);
        Ok(())
    }
}

/// A way to merge lists.
trait Way {
    /// Merges lists, perhaps until one is empty; how many records it took from each.
    ///
    /// # Safety
    /// The lists must lie in their tiles.
    unsafe fn merge<E: Sorted>(lists: &[List], exhausted: bool, out: List) -> [usize; LISTS];
}

struct Fast;
impl Way for Fast {
    #[inline(always)]
    unsafe fn merge<E: Sorted>(lists: &[List], exhausted: bool, out: List) -> [usize; LISTS] {
        fast_merge::<E>(lists, exhausted, out)
    }
}

struct Plain;
impl Way for Plain {
    unsafe fn merge<E: Sorted>(lists: &[List], exhausted: bool, out: List) -> [usize; LISTS] {
        plain_merge::<E>(lists, exhausted, out)
    }
}

#[inline(always)]
unsafe fn run<E: Sorted, W: Way>(call: &Call) {
    let (&[src0, src1, src2, src3, dst, executed], [block_len]) = (call.tiles, call.scalars) else { return };
    let out = List::room::<E>(&dst);
    if call.imm[0] == 1 {
        // The rules want a positive length.
        let length = (*block_len as usize / E::COLUMNS).max(1);
        return merge_blocks::<E, W>(List::whole::<E>(&src0), length, out);
    }
    let tiles = [src0, src1, src2, src3];
    let mut lists = [out; LISTS];
    let mut used = 0;
    for tile in tiles.iter().filter(|t| t.is_present()) {
        lists[used] = List::whole::<E>(tile);
        used += 1;
    }
    let taken = W::merge::<E>(&lists[..used], call.imm[1] == 1, out);
    if executed.is_present() {
        for (c, count) in taken.iter().enumerate().take(executed.cols) {
            write(&executed, 0, c, *count as u16);
        }
    }
}

/// Groups of four lists of one length, each merged to its own place; at the end there may be fewer or shorter ones.
#[inline(always)]
unsafe fn merge_blocks<E: Sorted, W: Way>(src: List, length: usize, out: List) {
    for first in (0..src.count).step_by(LISTS * length) {
        let end = src.count.min(first + LISTS * length);
        let mut lists = [src; LISTS];
        let starts = (first..end).step_by(length);
        let used = starts.len();
        for (list, start) in lists.iter_mut().zip(starts) {
            (list.first, list.count) = (start, length.min(end - start));
        }
        let room = out.count.saturating_sub(first).min(end - first);
        W::merge::<E>(&lists[..used], false, List { first, count: room, ..out });
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
    static SCRATCH: Cell<Vec<u64>> = const { Cell::new(Vec::new()) };
}

/// Keys with the numbers of their records are merged in pairs; then records go where their keys are.
#[inline(always)]
unsafe fn fast_merge<E: Sorted>(lists: &[List], exhausted: bool, out: List) -> [usize; LISTS] {
    let mut scratch = SCRATCH.take();
    let total: usize = lists.iter().map(|l| l.count).sum();
    // Each list of keys stands between two guards.
    let guarded = total + 2 * LISTS;
    if scratch.len() < total + 3 * guarded {
        scratch.resize(total + 3 * guarded, 0);
    }
    let (records, keys) = scratch.split_at_mut(total);
    let (first, keys) = keys.split_at_mut(guarded);
    let (second, third) = keys.split_at_mut(guarded);
    let taken = if load_lists::<E>(lists, records, first) {
        let counts @ [a, b, c, d] = std::array::from_fn(|i| lists.get(i).map_or(0, |l| l.count));
        let (left, right) = first.split_at(a + b + 4);
        let (ab, cd) = second.split_at_mut(a + b + 2);
        let cd = &mut cd[..c + d + 2];
        merge_two(&left[..a + 2], &left[a + 2..], ab);
        merge_two(&right[..c + 2], &right[c + 2..], cd);
        merge_two(ab, cd, &mut third[..total + 2]);
        let merged = &third[1..=total];
        let (end, taken) = if exhausted { until_empty(lists, merged) } else { (total, counts) };
        store::<E>(records, &merged[..end.min(out.count)], out);
        taken
    } else {
        // Step by step it is defined what comes of lists that are not sorted.
        plain_merge::<E>(lists, exhausted, out)
    };
    SCRATCH.set(scratch);
    taken
}

/// Copies the records, and makes a key for each: earlier ones are smaller, and no two are equal. True when all lists are
/// sorted.
#[inline(always)]
unsafe fn load_lists<E: Sorted>(lists: &[List], records: &mut [u64], keys: &mut [u64]) -> bool {
    let mut sorted = true;
    let (mut records, mut keys, mut number) = (records, keys, 0);
    for i in 0..LISTS {
        let count = lists.get(i).map_or(0, |l| l.count);
        let (own, behind) = std::mem::take(&mut records).split_at_mut(count);
        let (own_keys, keys_behind) = std::mem::take(&mut keys).split_at_mut(count + 2);
        (records, keys) = (behind, keys_behind);
        if let Some(list) = lists.get(i) {
            let from = list.tile.ptr.cast::<u64>().add(list.first);
            std::ptr::copy_nonoverlapping(from.cast::<u8>(), own.as_mut_ptr().cast(), 8 * count);
        }
        own_keys[0] = 0;
        for (k, (key, record)) in own_keys[1..=count].iter_mut().zip(&*own).enumerate() {
            let order = E::of_record(*record).key() as u32 ^ 1 << 31;
            *key = u64::from(order) << 32 | (number + k) as u64;
        }
        own_keys[count + 1] = u64::MAX;
        let pairs = own_keys.iter().zip(&own_keys[1..]);
        sorted &= pairs.fold(true, |sorted, (one, next)| sorted & (one < next));
        number += count;
    }
    sorted
}

/// Writes the records that belong to keys.
#[inline(always)]
unsafe fn store<E: Sorted>(records: &[u64], keys: &[u64], out: List) {
    let whole = keys.len().min((out.tile.cols / E::COLUMNS).saturating_sub(out.first));
    let to = out.tile.ptr.cast::<u64>().add(out.first);
    for (k, key) in keys[..whole].iter().enumerate() {
        to.add(k).write_unaligned(*records.get_unchecked(*key as u32 as usize));
    }
    for (k, key) in keys.iter().enumerate().skip(whole) {
        put_record::<E>(out.tile, 0, out.first + k, records[*key as u32 as usize]);
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
    let mut four = chain(la, lb, total);
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
    let (mut low, mut high) = (count.saturating_sub(b.len() - 2), count.min(a.len() - 2));
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
    #[inline(always)]
    unsafe fn forward(&mut self, step: usize) {
        let (x, y) = (*self.a.add(self.taken), *self.b.add(step - self.taken));
        *self.out.add(step) = if x < y { x } else { y };
        self.taken += usize::from(x < y);
    }

    /// Takes the larger of two.
    #[inline(always)]
    unsafe fn backward(&mut self, step: usize) {
        let (x, y) = (*self.a.sub(self.taken), *self.b.sub(step - self.taken));
        *self.out.sub(step) = if x > y { x } else { y };
        self.taken += usize::from(x > y);
    }
}
