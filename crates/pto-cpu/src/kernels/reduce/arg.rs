//! Where the largest or smallest element is.

use super::rank::{Count, Rank};
use super::{cols, rows};
use crate::kernels::call::{Body, Call, Fault};
use crate::kernels::elem::Elem;
use crate::kernels::map::{read, write};
use crate::kernels::mask::{Equal, Right, Test, word};
use pto_num::Level;
use std::marker::PhantomData;

/// `dst_idx[i,0] = argf(src[i,0..])`; tiles: `src`, `dst_val` (may be absent), `dst_idx`. `imm[0]` is the size of an index.
pub struct RowArg<F, E>(PhantomData<(F, E)>);

/// `dst_idx[0,j] = argf(src[0..,j])`, with the same operands.
pub struct ColArg<F, E>(PhantomData<(F, E)>);

/// Elements looked at together in a row.
const LANES: usize = 64;

impl<F: Rank<E>, E: Elem> Body for RowArg<F, E>
where
    Equal: Test<F::Key>,
{
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call) -> Result<(), Fault> {
        let [src, val, idx] = call.tiles else { return Ok(()) };
        for r in 0..rows::extent(src, idx) {
            let row = src.row::<E>(r);
            let at = first::<L, F, E>(row, src.cols, best::<F, E>(row, src.cols));
            if val.is_present() {
                val.at::<E>(r, 0).write_unaligned(row.add(at).read_unaligned());
            }
            put_index(call, idx.row_stride * r, at as u32);
        }
        Ok(())
    }

    unsafe fn plain(call: &Call) -> Result<(), Fault> {
        let [src, val, idx] = call.tiles else { return Ok(()) };
        for r in 0..rows::extent(src, idx) {
            let at = plain_arg::<F, E>(src.cols, |c| read(src, r, c));
            if val.is_present() {
                write(val, r, 0, read::<E>(src, r, at));
            }
            put_index(call, idx.index(r, 0), at as u32);
        }
        Ok(())
    }
}

impl<F: Rank<E>, E: Elem> Body for ColArg<F, E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call) -> Result<(), Fault> {
        let [src, _, idx] = call.tiles else { return Ok(()) };
        if src.rows > F::Count::HIGHEST {
            return Self::plain(call);
        }
        let n = cols::extent(src, idx);
        let mut at = 0;
        while at + 32 <= n {
            columns::<F, E, 32>(call, at);
            at += 32;
        }
        while at + 8 <= n {
            columns::<F, E, 8>(call, at);
            at += 8;
        }
        while at < n {
            columns::<F, E, 1>(call, at);
            at += 1;
        }
        Ok(())
    }

    unsafe fn plain(call: &Call) -> Result<(), Fault> {
        let [src, val, idx] = call.tiles else { return Ok(()) };
        for c in 0..cols::extent(src, idx) {
            let at = plain_arg::<F, E>(src.rows, |r| read(src, r, c));
            if val.is_present() {
                write(val, 0, c, read::<E>(src, at, c));
            }
            put_index(call, idx.index(0, c), at as u32);
        }
        Ok(())
    }
}

/// Writes an index as its low bits. `place` counts elements.
#[inline(always)]
unsafe fn put_index(call: &Call, place: usize, index: u32) {
    let base = call.tiles[2].ptr;
    if call.imm[0] == 2 {
        base.cast::<u16>().add(place).write_unaligned(index as u16);
    } else {
        base.cast::<u32>().add(place).write_unaligned(index);
    }
}

/// The best rank of a row.
#[inline(always)]
unsafe fn best<F: Rank<E>, E: Elem>(row: *const E, n: usize) -> F::Key {
    let pick = |a, b| if F::wins(b, a) { b } else { a };
    let mut lanes = [F::last(); LANES];
    let mut at = 0;
    while at < n {
        // Padding repeats an element of the row, so it changes nothing.
        let x = F::ranks(&padded::<E>(row.add(at), n - at));
        for i in 0..LANES {
            lanes[i] = pick(lanes[i], x[i]);
        }
        at += LANES;
    }
    for half in [32, 16, 8, 4, 2, 1] {
        for i in 0..half {
            lanes[i] = pick(lanes[i], lanes[i + half]);
        }
    }
    lanes[0]
}

/// The first element of a row with this rank.
#[inline(always)]
unsafe fn first<L: Level, F: Rank<E>, E: Elem>(row: *const E, n: usize, rank: F::Key) -> usize
where
    Equal: Test<F::Key>,
{
    let mut at = 0;
    loop {
        let count = (n - at).min(LANES);
        let ranks = F::ranks(&padded::<E>(row.add(at), count));
        let found = word::<L, Equal, F::Key>(ranks.as_ptr(), Right::Value(rank), LANES);
        // The rank is in the row; the second condition only spares a check.
        if found != 0 || at + LANES >= n {
            return at + (found.trailing_zeros() as usize).min(count - 1);
        }
        at += LANES;
    }
}

/// The next elements of a row, filled up with the first of them.
#[inline(always)]
unsafe fn padded<E: Elem>(row: *const E, n: usize) -> [E; LANES] {
    if n >= LANES {
        return row.cast::<[E; LANES]>().read_unaligned();
    }
    let mut all = [*row; LANES];
    std::ptr::copy_nonoverlapping(row, all.as_mut_ptr(), n);
    all
}

/// `N` columns at once: best rank and its row stay in registers.
#[inline(always)]
unsafe fn columns<F: Rank<E>, E: Elem, const N: usize>(call: &Call, at: usize) {
    let [src, val, _] = call.tiles else { return };
    let load = |r: usize| F::ranks(&src.row::<E>(r).add(at).cast::<[E; N]>().read_unaligned());
    let mut best = load(0);
    let mut rows = [F::Count::default(); N];
    for r in 1..src.rows {
        let x = load(r);
        let number = F::Count::new(r);
        for i in 0..N {
            let wins = F::wins(x[i], best[i]);
            best[i] = if wins { x[i] } else { best[i] };
            rows[i] = if wins { number } else { rows[i] };
        }
    }
    for i in 0..N {
        let row = rows[i].value();
        if val.is_present() {
            val.row::<E>(0).add(at + i).write_unaligned(src.row::<E>(row as usize).add(at + i).read_unaligned());
        }
        put_index(call, at + i, row);
    }
}

/// The first index whose element no other wins against, by the letter.
unsafe fn plain_arg<F: Rank<E>, E: Elem>(n: usize, element: impl Fn(usize) -> E) -> usize {
    let mut best = 0;
    for i in 1..n {
        let [a, b] = F::ranks(&[element(best), element(i)]);
        if F::wins(b, a) {
            best = i;
        }
    }
    best
}
