//! Every pair of types, one number at a time, by the exact arithmetic of `pto-num`.

use super::how::{ConvertOptions, numbers};
use crate::call::{Body, Call, Fault, TileRef};
use pto_isa::{Class, DType};
use pto_num::{Exact, Format, Level, convert};

/// Any conversion.
pub struct Any;

impl Body<2> for Any {
    #[inline(always)]
    unsafe fn fast<L: Level>(call: &Call<2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched;
        // the processor has the instructions of this level.
        unsafe {
            run(call);
            Ok(())
        }
    }

    unsafe fn plain(call: &Call<2>) -> Result<(), Fault> {
        // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
        unsafe {
            run(call);
            Ok(())
        }
    }
}

/// Converts the valid region, in any layout.
///
/// # Safety
/// As for kernels.
pub unsafe fn run(call: &Call<2>) {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        let [src, dst] = call.tiles;
        let how = ConvertOptions::from_call(call);
        let rows = src.rows().min(dst.rows());
        let n = numbers(how.src, src.cols()).min(numbers(how.dst, dst.cols()));
        let step = |r: usize, i: usize| put(dst, how.dst, r, i, number(get(src, how.src, r, i), how));
        // In place, a destination of wider elements must not overtake the source.
        if how.dst.bits() > how.src.bits() {
            (0..rows).rev().for_each(|r| (0..n).rev().for_each(|i| step(r, i)));
        } else {
            (0..rows).for_each(|r| (0..n).for_each(|i| step(r, i)));
        }
    }
}

/// The bits of number `i` of a row. Two 4-bit numbers share a byte, the first in the low half; a row of them starts at a
/// byte of its own.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](crate::KernelFn) says, and the elements that are named must lie inside of
/// them.
unsafe fn get(tile: &TileRef, dtype: DType, row: usize, i: usize) -> u64 {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        let unit = dtype.unit_bytes() as usize;
        let per = dtype.per_byte() as usize;
        let place = tile.ptr().add(tile.index(row, i / per) * unit);
        let mut bytes = [0; 8];
        std::ptr::copy_nonoverlapping(place, bytes.as_mut_ptr(), unit);
        let bits = u64::from_le_bytes(bytes);
        if per == 2 { bits >> (4 * (i % 2)) & 15 } else { bits }
    }
}

/// Writes the bits of number `i` of a row.
///
/// # Safety
/// Tiles must be operands of a call, as [`KernelFn`](crate::KernelFn) says, and the elements that are named must lie inside of
/// them.
unsafe fn put(tile: &TileRef, dtype: DType, row: usize, i: usize, bits: u64) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        let unit = dtype.unit_bytes() as usize;
        let per = dtype.per_byte() as usize;
        let place = tile.ptr().add(tile.index(row, i / per) * unit);
        if per == 2 {
            let shift = 4 * (i % 2);
            *place = *place & !(15 << shift) | (bits as u8 & 15) << shift;
        } else {
            std::ptr::copy_nonoverlapping(bits.to_le_bytes().as_ptr(), place, unit);
        }
    }
}

/// One number, from bits to bits.
pub fn number(bits: u64, how: ConvertOptions) -> u64 {
    if (how.src, how.dst) == (DType::F32, DType::F32) {
        return convert::integral(f32::from_bits(bits as u32), how.round).to_bits().into();
    }
    let value = value(bits, how.src);
    match format(how.dst) {
        Some(format) => value.encode(format, how.round, how.saturate).into(),
        None => value.to_int(how.round, how.saturate, how.dst.bits(), is_signed(how.dst)) as u64,
    }
}

/// The value that the bits of a type encode.
fn value(bits: u64, dtype: DType) -> Exact {
    let spare = 64 - dtype.bits();
    match format(dtype) {
        Some(format) => Exact::decode(bits as u32, format),
        None if is_signed(dtype) => Exact::from((bits << spare) as i64 >> spare),
        None => Exact::from(bits << spare >> spare),
    }
}

fn is_signed(dtype: DType) -> bool {
    dtype.class() == Class::Signed
}

/// The format of a floating-point type.
fn format(dtype: DType) -> Option<Format> {
    match dtype {
        DType::F32 => Some(Format::F32),
        DType::F16 => Some(Format::F16),
        DType::Bf16 => Some(Format::BF16),
        DType::F8E4M3 => Some(Format::F8E4M3),
        DType::F8E5M2 => Some(Format::F8E5M2),
        DType::F8E8M0 => Some(Format::F8E8M0),
        DType::Hif8 => Some(Format::HIF8),
        DType::F4E1M2 => Some(Format::F4E1M2),
        DType::F4E2M1 => Some(Format::F4E2M1),
        _ => None,
    }
}
