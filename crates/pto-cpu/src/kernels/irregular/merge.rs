//! `tmrgsort`: sorted lists of records become one.

mod four;
mod two;

use super::key::{Sorted, get_record, put_record};
use pto_isa::Type;
use pto_isa::rules::AttrValue;
use pto_num::Level;
use pto_vector::elem::by_type;
use pto_vector::{
    Body, Call, Fault, NONE, OpKernel, Prepared, RecordUse, Site, TileRef, WrittenPart, contiguous, write,
};
use std::cell::Cell;
use std::marker::PhantomData;
use two::{AROUND, BITS, guard, merge_two};

const SLOTS: [&str; 6] = ["src0", "src1", "src2", "src3", "dst", "executed"];

pub(super) const MERGE: OpKernel =
    OpKernel::taking(&SLOTS, &[], &["block_len", NONE], prepare).records(RecordUse::Merges).writing(WrittenPart::Some);

/// Lists that are merged at a time.
const LISTS: usize = 4;

fn prepare(site: &Site) -> Option<Prepared<6, 0, 2>> {
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
    tile: &'a TileRef<'a>,
    /// Its first record.
    first: usize,
    /// Its records.
    count: usize,
}

impl<'a> List<'a> {
    /// The records of a tile.
    fn whole<E: Sorted>(tile: &'a TileRef<'a>) -> Self {
        let count = if tile.rows() == 0 { 0 } else { tile.cols() / E::COLUMNS };
        Self { tile, first: 0, count }
    }

    /// The records that a tile has room for; for the last perhaps only in part.
    fn room<E: Sorted>(tile: &'a TileRef<'a>) -> Self {
        let count = if tile.rows() == 0 { 0 } else { tile.cols().div_ceil(E::COLUMNS) };
        Self { tile, first: 0, count }
    }
}

impl List<'_> {
    /// So many of its records, which are the first of a merged list if no more of each list are given.
    fn first(self, most: usize) -> Self {
        Self { count: self.count.min(most), ..self }
    }
}

struct Merge<E>(PhantomData<E>);

impl<E: Sorted> Body<6, 0, 2> for Merge<E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<6, 0, 2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            run::<E, FastMerge<L>>(call);
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<6, 0, 2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            run::<E, PlainMerge>(call);
            Ok(())
        }
    }
}

/// A way to merge lists.
trait MergeVersion {
    /// Merges lists, perhaps until one is empty; how many records it took from each. Of what does not stop, no more is merged than there is
    /// room for.
    ///
    /// # Safety
    /// The lists must lie in their tiles, and the processor must have the level of the way.
    unsafe fn merge<E: Sorted>(lists: &[List], exhausted: bool, out: List) -> [usize; LISTS];
}

struct FastMerge<L>(PhantomData<L>);
impl<L: Level> MergeVersion for FastMerge<L> {
    #[inline(always)]
    unsafe fn merge<E: Sorted>(lists: &[List], exhausted: bool, out: List) -> [usize; LISTS] {
        // SAFETY: the lists are rows of tiles of a call, and records are counted.
        unsafe { fast_merge::<E, L>(lists, exhausted, out) }
    }
}

struct PlainMerge;
impl MergeVersion for PlainMerge {
    unsafe fn merge<E: Sorted>(lists: &[List], exhausted: bool, out: List) -> [usize; LISTS] {
        // SAFETY: the lists are rows of tiles of a call, and records are counted.
        unsafe { plain_merge::<E>(lists, exhausted, out) }
    }
}

/// # Safety
/// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
#[inline(always)]
unsafe fn run<E: Sorted, W: MergeVersion>(call: &Call<6, 0, 2>) {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        let (&[src0, src1, src2, src3, dst, executed], [block_len, wanted]) = (call.tiles, call.scalars);
        let out = List::room::<E>(&dst);
        let most = if *wanted == 0 { usize::MAX } else { (*wanted as usize).div_ceil(E::COLUMNS) };
        if call.imm[0] == 1 {
            // The rules want a positive length.
            let length = (*block_len as usize / E::COLUMNS).max(1);
            return merge_blocks::<E, W>(List::whole::<E>(&src0), (length, most), out);
        }
        let tiles = [src0, src1, src2, src3];
        let mut lists = [out; LISTS];
        let mut used = 0;
        for tile in tiles.iter().filter(|t| t.is_present()) {
            lists[used] = List::whole::<E>(tile).first(most);
            used += 1;
        }
        let exhausted = call.imm[1] == 1;
        let mut taken = W::merge::<E>(&lists[..used], exhausted, out.first(most));
        if !executed.is_present() {
            return;
        }
        if !exhausted {
            // All records, even if not all of them are wanted.
            let whole = tiles.iter().filter(|t| t.is_present()).map(|t| List::whole::<E>(t).count);
            taken.iter_mut().zip(whole).for_each(|(taken, count)| *taken = count);
        }
        for (c, count) in taken.iter().enumerate().take(executed.cols()) {
            write(&executed, 0, c, *count as u16);
        }
    }
}

/// Groups of four lists of one length, each merged to its own place; at the end there may be fewer or shorter ones. No more than so many
/// records of each merged list are written.
///
/// # Safety
/// The lists must be rows of tiles of a call, as [`KernelFn`](pto_vector::KernelFn) says.
#[inline(always)]
unsafe fn merge_blocks<E: Sorted, W: MergeVersion>(src: List, (length, most): (usize, usize), out: List) {
    // SAFETY: the lists are rows of tiles of a call, and records are counted.
    unsafe {
        for first in (0..src.count).step_by(LISTS * length) {
            let end = src.count.min(first + LISTS * length);
            let mut lists = [src; LISTS];
            let starts = (first..end).step_by(length);
            let used = starts.len();
            for (list, start) in lists.iter_mut().zip(starts) {
                (list.first, list.count) = (start, length.min(end - start).min(most));
            }
            let room = out.count.saturating_sub(first).min(end - first).min(most);
            W::merge::<E>(&lists[..used], false, List { first, count: room, ..out });
        }
    }
}

/// Step by step: the earliest of the first records, of equal ones that of the lower list. All records are read before any is
/// written, as they may lie where the result goes.
///
/// # Safety
/// The lists must be rows of tiles of a call, as [`KernelFn`](pto_vector::KernelFn) says.
unsafe fn plain_merge<E: Sorted>(lists: &[List], exhausted: bool, out: List) -> [usize; LISTS] {
    // SAFETY: the lists are rows of tiles of a call, and records are counted.
    unsafe {
        let all = |l: &List| (0..l.count).map(|k| get_record::<E>(l.tile, 0, l.first + k)).collect::<Vec<_>>();
        let records: Vec<Vec<_>> = lists.iter().map(all).collect();
        let mut taken = [0; LISTS];
        let mut written = 0;
        while !(exhausted && (0..lists.len()).any(|i| taken[i] == lists[i].count)) {
            let heads = (0..lists.len()).filter(|i| taken[*i] < lists[*i].count);
            let Some(next) = heads.min_by_key(|i| E::of_record(records[*i][taken[*i]]).key()) else { break };
            if written < out.count {
                put_record::<E>(out.tile, 0, out.first + written, records[next][taken[next]]);
            }
            written += 1;
            taken[next] += 1;
        }
        taken
    }
}

/// Bits of a key that number its record; above them is the order of its value. No memory has more records.
const NUMBERS: u32 = BITS - u32::BITS;

/// The number of a record, from its key.
#[inline(always)]
fn number(key: u64) -> usize {
    (key & ((1 << NUMBERS) - 1)) as usize
}

thread_local! {
    /// Records and keys being merged; kept for the next time.
    static SCRATCH: Cell<Vec<u64>> = const { Cell::new(Vec::new()) };
}

/// Keys with the numbers of their records are merged in pairs; then records go where their keys are.
///
/// # Safety
/// The lists must be rows of tiles of a call, as [`KernelFn`](pto_vector::KernelFn) says; the processor must have the
/// instructions of this level.
#[inline(always)]
unsafe fn fast_merge<E: Sorted, L: Level>(lists: &[List], exhausted: bool, out: List) -> [usize; LISTS] {
    // SAFETY: the lists are rows of tiles of a call, and records are counted; the processor has the instructions of
    // this level.
    unsafe {
        let mut scratch = SCRATCH.take();
        let total: usize = lists.iter().map(|l| l.count).sum();
        let guarded = total + AROUND * LISTS;
        if scratch.len() < total + 2 * guarded {
            scratch.resize(total + 2 * guarded, 0);
        }
        let (copy, keys) = scratch.split_at_mut(total);
        let (first, second) = keys.split_at_mut(guarded);
        let records = in_a_row(lists, total, out).unwrap_or_else(|| copied(lists, copy));
        let counts @ [a, b, c, d] = std::array::from_fn(|i| lists.get(i).map_or(0, |l| l.count));
        let taken = if load_keys::<E>(records, counts, first) {
            let most = if exhausted { total } else { total.min(out.count) };
            if !(counts == [four::LENGTH; LISTS] && four::merge::<L>(first, most)) {
                let (left, right) = first.split_at(a + b + 2 * AROUND);
                let pairs = [a + b, c + d].map(|count| count.min(most) + AROUND);
                let (ab, cd) = second.split_at_mut(pairs[0]);
                let cd = &mut cd[..pairs[1]];
                merge_two::<L>(&left[..a + AROUND], &left[a + AROUND..], ab);
                merge_two::<L>(&right[..c + AROUND], &right[c + AROUND..c + d + 2 * AROUND], cd);
                // The lists themselves are not needed any more.
                merge_two::<L>(ab, cd, &mut first[..most + AROUND]);
            }
            let merged = &first[1..=most];
            let (end, taken) = if exhausted { until_empty(lists, merged) } else { (most, counts) };
            store::<E>(records, &merged[..end.min(out.count)], out);
            taken
        } else {
            // The result for unsorted lists is defined step by step.
            plain_merge::<E>(lists, exhausted, out)
        };
        SCRATCH.set(scratch);
        taken
    }
}

/// All records where they are, if they lie one after the other and nothing is written there.
///
/// # Safety
/// The lists must be rows of tiles of a call, as [`KernelFn`](pto_vector::KernelFn) says.
unsafe fn in_a_row<'a>(lists: &[List], total: usize, out: List) -> Option<&'a [u64]> {
    // SAFETY: the lists are rows of tiles of a call, and records are counted.
    unsafe {
        let start = |list: &List| list.tile.ptr().cast::<u64>().wrapping_add(list.first).cast_const();
        let first = start(lists.first()?);
        let follow = lists.windows(2).all(|pair| start(&pair[1]) == start(&pair[0]).wrapping_add(pair[0].count));
        let (to, apart) = (start(&out), |a: *const u64, b: *const u64, count| a.wrapping_add(count) <= b);
        let untouched = apart(first, to, total) || apart(to, first, out.count);
        (follow && untouched && first.is_aligned()).then(|| std::slice::from_raw_parts(first, total))
    }
}

/// # Safety
/// The lists must be rows of tiles of a call, as [`KernelFn`](pto_vector::KernelFn) says.
unsafe fn copied<'a>(lists: &[List], copy: &'a mut [u64]) -> &'a [u64] {
    // SAFETY: the lists are rows of tiles of a call, and records are counted.
    unsafe {
        let mut at = 0;
        for list in lists {
            let from = list.tile.ptr().cast::<u64>().add(list.first);
            let to = copy[at..at + list.count].as_mut_ptr();
            std::ptr::copy_nonoverlapping(from.cast::<u8>(), to.cast(), 8 * list.count);
            at += list.count;
        }
        copy
    }
}

/// Makes a key for each record: earlier ones are smaller, and no two are equal. True when all lists are sorted.
#[inline(always)]
fn load_keys<E: Sorted>(records: &[u64], counts: [usize; LISTS], keys: &mut [u64]) -> bool {
    let (mut sorted, mut first, mut keys) = (true, 0, keys);
    for count in counts {
        let (own, behind) = std::mem::take(&mut keys).split_at_mut(count + AROUND);
        keys = behind;
        guard(own);
        for (k, (key, record)) in own[1..=count].iter_mut().zip(&records[first..first + count]).enumerate() {
            let order = E::of_record(*record).key() as u32 ^ 1 << 31;
            *key = u64::from(order) << NUMBERS | (first + k) as u64;
        }
        let pairs = own[..=count].iter().zip(&own[1..]);
        sorted &= pairs.fold(true, |sorted, (one, next)| sorted & (one < next));
        first += count;
    }
    sorted
}

/// Writes the records that belong to keys.
///
/// # Safety
/// The lists must be rows of tiles of a call, as [`KernelFn`](pto_vector::KernelFn) says.
#[inline(always)]
unsafe fn store<E: Sorted>(records: &[u64], keys: &[u64], out: List) {
    // SAFETY: the lists are rows of tiles of a call, and records are counted.
    unsafe {
        let whole = keys.len().min((out.tile.cols() / E::COLUMNS).saturating_sub(out.first));
        let to = out.tile.ptr().cast::<u64>().add(out.first);
        for (k, key) in keys[..whole].iter().enumerate() {
            to.add(k).write_unaligned(*records.get_unchecked(number(*key)));
        }
        for (k, key) in keys.iter().enumerate().skip(whole) {
            put_record::<E>(out.tile, 0, out.first + k, records[number(*key)]);
        }
    }
}

/// How many records are merged when the first list is empty, and how many are from each list.
fn until_empty(lists: &[List], merged: &[u64]) -> (usize, [usize; LISTS]) {
    let mut taken = [0; LISTS];
    let mut end = 0;
    let is_empty = |taken: &[usize; LISTS]| lists.iter().zip(taken).any(|(l, n)| l.count == *n);
    while end < merged.len() && !is_empty(&taken) {
        let mut number = number(merged[end]);
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
