//! Where the largest or smallest element is.

#[cfg(target_arch = "x86_64")]
mod places;
#[cfg(target_arch = "x86_64")]
mod v4;

use super::rank::{Count, Rank};
use super::rows::Reduce;
use super::{cols, rows};
use crate::bits::WORD;
use crate::call::{Body, Call, Fault};
use crate::elem::Elem;
use crate::level::is_old;
#[cfg(target_arch = "x86_64")]
use crate::level::is_v4;
use crate::map::{read, write};
use crate::mask::{Code, Equal, Lanes, Right, Test, codes, word};
use pto_isa::DType;
use pto_num::Level;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

#[cfg(not(target_arch = "x86_64"))]
pub use super::rank::Rank as Search;
/// A ranking with everything a processor may have for it.
#[cfg(target_arch = "x86_64")]
pub use v4::Search;

/// `dst_idx[i,0] = argf(src[i,0..])`; tiles: `src`, `dst_val` (may be absent), `dst_idx`. `imm[0]` is the size of an index.
pub struct RowArg<F, E>(PhantomData<(F, E)>);

/// `dst_idx[0,j] = argf(src[0..,j])`, with the same operands.
pub struct ColArg<F, E>(PhantomData<(F, E)>);

impl<F: Rank<E> + Reduce<E>, E: Lanes> Body<3> for RowArg<F, E>
where
    Equal: Test<E::Wide>,
{
    /// Finds the value first, then where it is.
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<3>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            if const { is_old::<L>() } {
                return Self::plain(call);
            }
            let [src, val, idx] = *call.tiles;
            let rows = rows::extent(&src, &idx);
            let mut buffer = MaybeUninit::<[E; rows::MOST]>::uninit();
            let values = buffer.as_mut_ptr().cast::<E>();
            let mut base = 0;
            while base < rows {
                let count = rows::MOST.min(rows - base);
                let mut done = 0;
                while done < count {
                    done += rows::group::<L, F, E>(&src, base + done, base + count, values.add(done));
                }
                if !places_of::<L, F, E>(call, base, count, values) {
                    for i in 0..count {
                        let (r, row) = (base + i, src.row::<E>(base + i).cast_const());
                        let at = first::<L, E>(row, src.cols(), values.add(i).read());
                        if val.is_present() {
                            val.at::<E>(r, 0).write_unaligned(row.add(at).read_unaligned());
                        }
                        put_index(call, idx.row_stride() * r, at as u32);
                    }
                }
                base += count;
            }
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<3>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [src, val, idx] = call.tiles;
            for r in 0..rows::extent(src, idx) {
                let at = plain_arg::<F, E>(src.cols(), |c| read(src, r, c));
                if val.is_present() {
                    write(val, r, 0, read::<E>(src, r, at));
                }
                put_index(call, idx.index(r, 0), at as u32);
            }
            Ok(())
        }
    }
}

impl<F: Search<E>, E: Elem> Body<3> for ColArg<F, E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<3>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            let [src, _, idx] = call.tiles;
            if const { is_old::<L>() } || src.rows() > F::Count::HIGHEST {
                return Self::plain(call);
            }
            let n = cols::extent(src, idx);
            let mut at = 0;
            let in_registers = const { has_registers::<L, F, E>() } && n >= WORD;
            // Columns before this one have no result in registers.
            let mut portable = 0;
            while at < if in_registers { n } else { n.saturating_sub(31) } {
                if in_registers && at >= portable {
                    // The last ones may be found twice.
                    at = at.min(n - WORD);
                    if columns_in_registers::<L, F, E>(call, at) {
                        at += WORD;
                        continue;
                    }
                    portable = at + WORD;
                }
                at = at.min(n - 32);
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
    }

    unsafe fn plain(call: &Call<3>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [src, val, idx] = call.tiles;
            for c in 0..cols::extent(src, idx) {
                let at = plain_arg::<F, E>(src.rows(), |r| read(src, r, c));
                if val.is_present() {
                    write(val, 0, c, read::<E>(src, at, c));
                }
                put_index(call, idx.index(0, c), at as u32);
            }
            Ok(())
        }
    }
}

/// Writes where rows have these values, if there is a fast way.
///
/// # Safety
/// The operands must be as [`KernelFn`](crate::KernelFn) says; all elements that the other arguments count must be readable at
/// `values`; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn places_of<L: Level, F: Reduce<E>, E: Elem>(
    call: &Call<3>,
    base: usize,
    count: usize,
    values: *const E,
) -> bool {
    #[cfg(target_arch = "x86_64")]
    if const { F::PRESENT && is_v4::<L>() } {
        let infinity = infinity(E::DTYPE);
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched; the
        // caller answers for the elements at `values`, which are this wide; the processor has the instructions of this level.
        return unsafe {
            match size_of::<E>() {
                1 => places::places::<u8>(call, base, count, values.cast(), infinity),
                2 => places::places::<u16>(call, base, count, values.cast(), infinity),
                _ => places::places::<u32>(call, base, count, values.cast(), infinity),
            }
        };
    }
    let _ = (call, base, count, values);
    false
}

/// Writes an index as its low bits. `place` counts elements.
///
/// # Safety
/// The operands must be as [`KernelFn`](crate::KernelFn) says.
#[inline(always)]
unsafe fn put_index(call: &Call<3>, place: usize, index: u32) {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        let base = call.tiles[2].ptr();
        if call.imm[0] == 2 {
            base.cast::<u16>().add(place).write_unaligned(index as u16);
        } else {
            base.cast::<u32>().add(place).write_unaligned(index);
        }
    }
}

/// The first element of a row that equals a value of the row.
///
/// # Safety
/// All elements that the other arguments count must be readable at `row`; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn first<L: Level, E: Lanes>(row: *const E, n: usize, value: E) -> usize
where
    Equal: Test<E::Wide>,
{
    // SAFETY: the caller answers for the elements at `row`; the processor has the instructions of this level.
    unsafe {
        match size_of::<E>() {
            1 => first_code::<L, E, u8>(row, n, value, [u8::MAX, u8::MAX >> 1]),
            2 => first_code::<L, E, u16>(row, n, value, [u16::MAX, u16::MAX >> 1]),
            4 => first_code::<L, E, u32>(row, n, value, [u32::MAX, u32::MAX >> 1]),
            _ => first_code::<L, E, u64>(row, n, value, [u64::MAX, u64::MAX >> 1]),
        }
    }
}

/// Elements that are equal have equal codes, but for zeros, of which only the second of the `masks` may be looked at, and
/// NaN.
///
/// # Safety
/// All elements that the other arguments count must be readable at `row`; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn first_code<L: Level, E: Lanes, U: Code<Wide = U>>(row: *const E, n: usize, value: E, masks: [U; 2]) -> usize
where
    Equal: Test<E::Wide> + Test<U>,
{
    // SAFETY: the caller answers for the elements at `row`; the processor has the instructions of this level.
    unsafe {
        let magnitude: u64 = ((&raw const value).cast::<U>().read() & masks[1]).into();
        let infinity = infinity(E::DTYPE);
        if infinity.is_some_and(|infinity| magnitude > infinity) {
            return first_nan(row, n);
        }
        let keep = masks[usize::from(infinity.is_some() && magnitude == 0)];
        let mut at = 0;
        while at + WORD < n {
            let found = found::<L, E, U>(row.add(at), value, keep, WORD);
            if found != 0 {
                return at + found.trailing_zeros() as usize;
            }
            at += WORD;
        }
        let found = found::<L, E, U>(row.add(at), value, keep, n - at);
        // There is one, or the value would not be the result; the minimum only keeps a wrong one inside of the row.
        at + (found.trailing_zeros() as usize).min(n - at - 1)
    }
}

/// The code of infinity, for the types that have it.
#[inline(always)]
const fn infinity(dtype: DType) -> Option<u64> {
    match dtype {
        DType::F32 => Some(0x7f80_0000),
        DType::F16 => Some(0x7c00),
        DType::Bf16 => Some(0x7f80),
        _ => None,
    }
}

/// Which of the next elements equal a value. Single precision is compared as it is; codes of 16 bits need not be widened.
///
/// # Safety
/// All elements that the other arguments count must be readable at `row`; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn found<L: Level, E: Lanes, U: Code<Wide = U>>(row: *const E, value: E, keep: U, n: usize) -> u64
where
    Equal: Test<E::Wide> + Test<U>,
{
    // SAFETY: the caller answers for the elements at `row`; the processor has the instructions of this level.
    unsafe {
        if const { matches!(E::DTYPE, DType::F32) } {
            return word::<L, Equal, E>(row, Right::Value(value), n);
        }
        codes::<L, U>(row.cast(), (&raw const value).cast::<U>().read() & keep, keep, n)
    }
}

/// # Safety
/// All elements that the other arguments count must be readable at `row`.
#[cold]
#[inline(never)]
unsafe fn first_nan<E: Elem>(row: *const E, n: usize) -> usize {
    // SAFETY: the caller answers for the elements at `row`.
    unsafe {
        for i in 0..n {
            let wide = row.add(i).read_unaligned().widen();
            if wide.partial_cmp(&wide).is_none() {
                return i;
            }
        }
        0
    }
}

/// True when there is code for registers.
const fn has_registers<L: Level, F: Search<E>, E: Elem>() -> bool {
    #[cfg(target_arch = "x86_64")]
    return F::PRESENT && is_v4::<L>();
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Results for 64 columns, if there are some in registers.
///
/// # Safety
/// The operands must be as [`KernelFn`](crate::KernelFn) says; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn columns_in_registers<L: Level, F: Search<E>, E: Elem>(call: &Call<3>, at: usize) -> bool {
    #[cfg(target_arch = "x86_64")]
    if const { has_registers::<L, F, E>() } {
        // SAFETY: the operands are as `KernelFn` says; the processor has the instructions of this level.
        return unsafe { v4::columns::<F, E>(call, at) };
    }
    let _ = (call, at);
    false
}

/// `N` columns at once: best rank and its row stay in registers.
///
/// # Safety
/// The operands must be as [`KernelFn`](crate::KernelFn) says.
#[inline(always)]
unsafe fn columns<F: Rank<E>, E: Elem, const N: usize>(call: &Call<3>, at: usize) {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        let [src, _, _] = call.tiles;
        let load = |r: usize| F::ranks(&src.row::<E>(r).add(at).cast::<[E; N]>().read_unaligned());
        let mut best = load(0);
        let mut rows = [F::Count::default(); N];
        for r in 1..src.rows() {
            let x = load(r);
            let number = F::Count::new(r);
            for i in 0..N {
                let wins = F::wins(x[i], best[i]);
                best[i] = if wins { x[i] } else { best[i] };
                rows[i] = if wins { number } else { rows[i] };
            }
        }
        for (i, row) in rows.into_iter().enumerate() {
            put_column::<E>(call, at + i, row.value());
        }
    }
}

/// Writes the results of a column.
///
/// # Safety
/// The operands must be as [`KernelFn`](crate::KernelFn) says.
#[inline(always)]
unsafe fn put_column<E: Elem>(call: &Call<3>, col: usize, row: u32) {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        let [src, val, _] = call.tiles;
        if val.is_present() {
            val.row::<E>(0).add(col).write_unaligned(src.row::<E>(row as usize).add(col).read_unaligned());
        }
        put_index(call, col, row);
    }
}

/// The first index whose element no other wins against, by the letter.
///
/// # Safety
/// `element` may be called for every number below `n`.
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
