//! `tsort32`: every 32 elements of a row become 32 records, the largest value first.
//!
//! Where only the first records of a whole row are looked at, after its lists were merged, they are found at once; see [`first_records`].

use super::first::first_records;
use super::key::{GROUP, Sorted, put_record};
use super::network::{NetworkLines, SortLanes, sort_lanes};
use pto_num::{F16, Level};
use pto_vector::elem::by_type;
use pto_vector::{
    Body, Call, Fault, NONE, OpKernel, Prepared, RecordUse, Site, TileRef, WrittenPart, contiguous, read,
};
use std::marker::PhantomData;

pub(super) const SORT: OpKernel = OpKernel::taking(&["src", "idx", "dst"], &[], &[NONE], prepare)
    .records(RecordUse::Makes)
    .writing(WrittenPart::Some);

fn prepare(site: &Site) -> Option<Prepared<3, 0, 1>> {
    by_type!(site.tile("src")?.dtype, E in [F16 F32] =>
        Prepared::new::<Sort<E>>(site, contiguous(site, &["src", "idx", "dst"])))
}

struct Sort<E>(PhantomData<E>);

/// How many records lie in so many columns; the last perhaps only in part.
fn records<E: Sorted>(columns: u64) -> usize {
    (columns as usize).div_ceil(E::COLUMNS)
}

/// The row of indices for a row of elements: one row serves all.
fn index_row(idx: &TileRef, row: usize) -> usize {
    if idx.rows() == 1 { 0 } else { row }
}

/// How many of the rows and columns of `src` have an index.
fn region(src: &TileRef, idx: &TileRef) -> (usize, usize) {
    let rows = if idx.rows() == 1 { src.rows() } else { src.rows().min(idx.rows()) };
    (rows, src.cols().min(idx.cols()))
}

/// One group in any layout, with what completes it. `count` elements of it are there.
///
/// # Safety
/// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
unsafe fn plain_group<E: Sorted>(call: &Call<3, 0, 1>, row: usize, group: usize, count: usize) {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        let [src, idx, dst] = call.tiles;
        let mut order = [0u64; GROUP];
        for (k, place) in order.iter_mut().enumerate().take(count) {
            let key = read::<E>(src, row, group * GROUP + k).key() as u32 ^ 1 << 31;
            *place = u64::from(key) << 32 | k as u64;
        }
        // The places are part of the keys, so that equal values keep their order.
        order[..count].sort_unstable();
        for (to, key) in order.iter().enumerate() {
            let record = if to < count {
                let from = group * GROUP + *key as usize % GROUP;
                read::<E>(src, row, from).record(read::<u32>(idx, index_row(idx, row), from))
            } else {
                E::filler().record(0)
            };
            put_record::<E>(dst, row, group * GROUP + to, record);
        }
    }
}

/// A value that is sorted together with others in lanes: its key, with the place as the lowest bits.
trait InLanes<const N: usize>: Sorted {
    type Lane: Copy + Default;
    type All: SortLanes + From<[Self::Lane; N]> + Into<[Self::Lane; N]>;
    fn lane(self, place: usize) -> Self::Lane;
    fn place(lane: Self::Lane) -> usize;
}

impl InLanes<8> for f32 {
    type Lane = i64;
    type All = [i64; 8];
    #[inline(always)]
    fn lane(self, place: usize) -> i64 {
        i64::from(self.key() as u32 ^ 1 << 31) << 30 | place as i64
    }
    #[inline(always)]
    fn place(lane: i64) -> usize {
        lane as usize % GROUP
    }
}

impl InLanes<16> for F16 {
    type Lane = i32;
    type All = [i32; 16];
    #[inline(always)]
    fn lane(self, place: usize) -> i32 {
        self.key() << 8 | place as i32
    }
    #[inline(always)]
    fn place(lane: i32) -> usize {
        lane as usize % GROUP
    }
}

/// Whole groups, gathered until there is one for every lane.
struct Batch<E, const N: usize> {
    src: [*const E; N],
    idx: [*const u32; N],
    dst: [*mut u64; N],
    used: usize,
}

impl<E: InLanes<N>, const N: usize> Batch<E, N> {
    fn new() -> Self {
        Self { src: [std::ptr::null(); N], idx: [std::ptr::null(); N], dst: [std::ptr::null_mut(); N], used: 0 }
    }

    /// # Safety
    /// All elements that the other arguments count must be readable at `src` and `idx` and writable at `dst`; the
    /// processor has the instructions of this level.
    #[inline(always)]
    unsafe fn push<L: Level>(&mut self, src: *const E, idx: *const u32, dst: *mut u64) {
        // SAFETY: the caller answers for the elements at `src` and `idx` and `dst`; the processor has the instructions
        // of this level.
        unsafe {
            (self.src[self.used], self.idx[self.used], self.dst[self.used]) = (src, idx, dst);
            self.used += 1;
            if self.used == N {
                self.flush::<L>();
            }
        }
    }

    /// # Safety
    /// The processor must have the instructions of this level.
    #[inline(always)]
    unsafe fn flush<L: Level>(&mut self) {
        // SAFETY: the processor has the instructions of this level.
        unsafe {
            let used = std::mem::take(&mut self.used);
            if used == 0 {
                return;
            }
            // Lanes without a group sort the first one again.
            let first = self.src[0];
            self.src[used..].fill(first);
            let mut places = NetworkLines([E::All::from([E::Lane::default(); N]); GROUP]);
            for (k, lanes) in places.0.iter_mut().enumerate() {
                let mut values = [E::filler(); N];
                for (value, src) in values.iter_mut().zip(self.src) {
                    *value = src.add(k).read_unaligned();
                }
                let mut keys = [E::Lane::default(); N];
                for (key, value) in keys.iter_mut().zip(values) {
                    *key = value.lane(k);
                }
                *lanes = keys.into();
            }
            sort_lanes::<L, _>(&mut places);
            // Group after group: where each one lies stays in registers.
            let sorted = places.0.map(Into::<[E::Lane; N]>::into);
            for g in 0..used {
                let (src, idx, dst) = (self.src[g], self.idx[g], self.dst[g]);
                for (k, lanes) in sorted.iter().enumerate() {
                    let from = E::place(lanes[g]);
                    let (value, index) = (src.add(from).read_unaligned(), idx.add(from).read_unaligned());
                    dst.add(k).write_unaligned(value.record(index));
                }
            }
        }
    }
}

/// Whole groups that `dst` has room for go through the lanes, the others one by one.
///
/// # Safety
/// The operands must be as [`KernelFn`](pto_vector::KernelFn) says; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn batches<L: Level, E: InLanes<N>, const N: usize>(call: &Call<3, 0, 1>) {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched; the
    // processor has the instructions of this level.
    unsafe {
        let [src, idx, dst] = call.tiles;
        let mut batch = Batch::<E, N>::new();
        let (rows, cols) = region(src, idx);
        for r in 0..rows.min(dst.rows()) {
            let whole = (cols / GROUP).min(dst.cols() / (GROUP * E::COLUMNS));
            for group in 0..whole {
                let at = group * GROUP;
                let to = dst.row::<E>(r).add(at * E::COLUMNS).cast();
                batch.push::<L>(src.row::<E>(r).add(at), idx.row::<u32>(index_row(idx, r)).add(at), to);
            }
            for group in whole..cols.div_ceil(GROUP) {
                plain_group::<E>(call, r, group, (cols - group * GROUP).min(GROUP));
            }
        }
        batch.flush::<L>();
    }
}

macro_rules! sort {
    ($($type:ident, $lanes:literal;)+) => {$(
        impl Body<3, 0, 1> for Sort<$type> {
            #[inline(always)]
            unsafe fn fast<L: Level>(call: &Call<3, 0, 1>) -> Result<(), Fault> {
                // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is
                // touched; the processor has the instructions of this level.
                unsafe {
                    match *call.scalars {
                        [0] => batches::<L, $type, $lanes>(call),
                        [wanted] => first_records::<$type>(call, records::<$type>(wanted)),
                    }
                    Ok(())
                }
            }

            unsafe fn plain(call: &Call<3, 0, 1>) -> Result<(), Fault> {
                // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is
                // touched.
                unsafe {
                    let ([src, idx, dst], [wanted]) = (call.tiles, *call.scalars);
                    if wanted > 0 {
                        first_records::<$type>(call, records::<$type>(wanted));
                        return Ok(());
                    }
                    let (rows, cols) = region(src, idx);
                    for r in 0..rows.min(dst.rows()) {
                        for group in 0..cols.div_ceil(GROUP) {
                            plain_group::<$type>(call, r, group, (cols - group * GROUP).min(GROUP));
                        }
                    }
                    Ok(())
                }
            }
        }
    )+};
}
sort! {
    f32, 8;
    F16, 16;
}
