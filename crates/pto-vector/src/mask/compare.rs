//! Comparisons into packed masks.

use super::test::{Lanes, Right, Test, word};
use crate::bits::{self, BitRows, WORD};
use crate::call::{Body, Call, Fault, TileRef};
use crate::level::is_old;
use crate::map::read;
use pto_num::Level;
use std::marker::PhantomData;
use std::ops::Range;

/// The options of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CompareOptions {
    /// The result is negated.
    pub not: bool,
    /// The operands are exchanged.
    pub swap: bool,
    /// The scalar is the bits of an element.
    pub raw: bool,
}

impl CompareOptions {
    /// Encoded as immediates of a call.
    pub fn imm(self) -> [u64; 2] {
        [u64::from(self.not) | u64::from(self.swap) << 1 | u64::from(self.raw) << 2, 0]
    }

    #[inline(always)]
    fn of(imm: [u64; 2]) -> Self {
        let flag = |bit: u32| imm[0] >> bit & 1 == 1;
        Self { not: flag(0), swap: flag(1), raw: flag(2) }
    }
}

/// A mask of `src0 ? src1`; tiles: `src0`, `src1`, `dst`.
pub struct Tiles<T, E>(PhantomData<(T, E)>);

impl<T: Test<E::Wide>, E: Lanes> Body<3> for Tiles<T, E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<3>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            if const { is_old::<L>() } {
                return Self::plain(call);
            }
            // Copies, which what is written cannot change.
            let [a, b, dst] = *call.tiles;
            let (a, b) = if CompareOptions::of(call.imm).swap { (b, a) } else { (a, b) };
            rows::<L, T, E>(CompareOptions::of(call.imm), a, dst, |r| Right::Row(b.row(r)));
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<3>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let [a, b, dst] = call.tiles;
            let (a, b) = if CompareOptions::of(call.imm).swap { (b, a) } else { (a, b) };
            each_byte(CompareOptions::of(call.imm), a, dst, &|r, columns| {
                packed(columns, |c| T::test(read::<E>(a, r, c).widen(), read::<E>(b, r, c).widen()))
            });
            Ok(())
        }
    }
}

/// A mask of `src ? scalar`; tiles: `src`, `scalar` if it is one, `dst`.
pub struct Scalar<T, E>(PhantomData<(T, E)>);

impl<T: Test<E::Wide>, E: Lanes> Body<3, 0, 1> for Scalar<T, E> {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<3, 0, 1>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            if const { is_old::<L>() } {
                return Self::plain(call);
            }
            let ([src, _, dst], scalar) = (*call.tiles, scalar::<E>(call));
            rows::<L, T, E>(CompareOptions::of(call.imm), src, dst, |_| Right::Value(scalar));
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<3, 0, 1>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            let ([src, _, dst], scalar) = (call.tiles, scalar::<E>(call));
            each_byte(CompareOptions::of(call.imm), src, dst, &|r, columns| {
                packed(columns, |c| T::test(read::<E>(src, r, c).widen(), scalar.widen()))
            });
            Ok(())
        }
    }
}

/// What a tile is compared with: the first element of a tile, or a scalar.
///
/// # Safety
/// The operands must be as [`KernelFn`](crate::KernelFn) says.
#[inline(always)]
unsafe fn scalar<E: Lanes>(call: &Call<3, 0, 1>) -> E {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        let ([_, one, _], [bits]) = (call.tiles, call.scalars);
        if one.is_present() {
            return read(one, 0, 0);
        }
        // An element has at most the eight bytes there are.
        let bytes = bits.to_le_bytes();
        if CompareOptions::of(call.imm).raw { bytes.as_ptr().cast::<E>().read_unaligned() } else { E::scalar(*bits) }
    }
}

/// Bytes of a mask row that are written: those of the source's columns, as far as the mask is valid.
#[inline(always)]
fn bytes(src: &TileRef, mask: &BitRows) -> usize {
    src.cols().div_ceil(8).min(mask.bytes())
}

/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](crate::KernelFn) says, and the elements that are named must lie inside of
/// them; the processor must have the instructions of this level.
#[inline(always)]
unsafe fn rows<L: Level, T: Test<E::Wide>, E: Lanes>(
    how: CompareOptions,
    src: TileRef,
    dst: TileRef,
    right: impl Fn(usize) -> Right<E>,
) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them; the processor must have
    // the instructions of this level.
    unsafe {
        let mask = BitRows::new(&dst);
        let bytes = bytes(&src, &mask);
        let not = if how.not { !0 } else { 0 };
        let words = (src.cols() / WORD).min(bytes / 8);
        let (cols, rows) = (src.cols(), src.rows().min(dst.rows()));
        if words == 1 && bytes == 8 {
            // So short that a loop along the row would be felt.
            for r in 0..rows {
                let word = word::<L, T, E>(src.row(r), right(r), WORD);
                mask.row(r).cast::<u64>().write_unaligned((word ^ not).to_le());
            }
            return;
        }
        for r in 0..rows {
            let (row, right, out) = (src.row::<E>(r).cast_const(), right(r), mask.row(r));
            for i in 0..words {
                let word = word::<L, T, E>(row.add(i * WORD), right.from(i * WORD), WORD);
                out.cast::<u64>().add(i).write_unaligned((word ^ not).to_le());
            }
            if 8 * words < bytes {
                let at = words * WORD;
                let n = (cols - at).min(WORD);
                let word = word::<L, T, E>(row.add(at), right.from(at), n);
                bits::write(out.add(8 * words), bytes - 8 * words, (word ^ not) & bits::first(n));
            }
        }
    }
}

/// Answers for up to eight columns, the first in the lowest bit.
fn packed(columns: Range<usize>, test: impl Fn(usize) -> bool) -> u8 {
    columns.rev().fold(0, |bits, c| bits << 1 | u8::from(test(c)))
}

/// Writes a mask byte by byte, from the answers for columns of a row. One copy for all types and tests.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](crate::KernelFn) says, and the elements that are named must lie inside of
/// them.
unsafe fn each_byte(how: CompareOptions, src: &TileRef, dst: &TileRef, answers: &dyn Fn(usize, Range<usize>) -> u8) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        let mask = BitRows::new(dst);
        for r in 0..src.rows() {
            for at in 0..src.cols().div_ceil(8) {
                let Some(byte) = mask.byte(r, at) else { continue };
                let columns = 8 * at..src.cols().min(8 * at + 8);
                let there = bits::first(columns.len()) as u8;
                byte.write((answers(r, columns) ^ if how.not { !0 } else { 0 }) & there);
            }
        }
    }
}
