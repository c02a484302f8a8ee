//! Products as they are defined, element by element, for any layout.

use super::ProductCall;
use super::factor::factors;
use super::strip::BLOCK;
use super::{ProductForm, SumOrder, extents};
use pto_num::math::fma;
use pto_vector::{Fault, TileRef};

/// Any product.
///
/// # Safety
/// As [`pto_vector::KernelFn`].
pub unsafe fn run(call: &ProductCall) -> Result<(), Fault> {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        match ProductForm::from_call(call).sums() {
            SumOrder::Integers => integers(call),
            SumOrder::Steps => floats(call),
            SumOrder::Blocks => blocks(call),
        }
        Ok(())
    }
}

/// # Safety
/// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
unsafe fn floats(call: &ProductCall) {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        let ((a, b), (rows, cols, depth)) = (factors(call), extents(call));
        for m in 0..rows {
            for n in 0..cols {
                let mut sum = f32::from_bits(start(call, m, n));
                for k in 0..depth {
                    sum = fma(a.number(m, k), b.number(n, k), sum);
                }
                put(&call.tiles[0], m, n, sum.to_bits());
            }
        }
    }
}

/// # Safety
/// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
unsafe fn blocks(call: &ProductCall) {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        let ((a, b), (rows, cols, depth)) = (factors(call), extents(call));
        for m in 0..rows {
            for n in 0..cols {
                let mut sum = f32::from_bits(start(call, m, n));
                for first in (0..depth).step_by(BLOCK) {
                    let mut parts = [0.0; 2];
                    for k in first..depth.min(first + BLOCK) {
                        parts[k % 2] = fma(a.number(m, k), b.number(n, k), parts[k % 2]);
                    }
                    sum += parts[0] + parts[1];
                }
                put(&call.tiles[0], m, n, sum.to_bits());
            }
        }
    }
}

/// # Safety
/// The operands must be as [`KernelFn`](pto_vector::KernelFn) says.
unsafe fn integers(call: &ProductCall) {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        let ((a, b), (rows, cols, depth)) = (factors(call), extents(call));
        for m in 0..rows {
            for n in 0..cols {
                let mut sum = start(call, m, n) as i32;
                for k in 0..depth {
                    sum = sum.wrapping_add(a.integer(m, k) * b.integer(n, k));
                }
                put(&call.tiles[0], m, n, sum as u32);
            }
        }
    }
}

/// What the sum of an element starts from: its bits.
///
/// # Safety
/// The element must lie in the result.
pub unsafe fn start(call: &ProductCall, m: usize, n: usize) -> u32 {
    // SAFETY: the operands are as `KernelFn` says, and only what lies inside of their tiles and windows is touched.
    unsafe {
        let [_, _, _, acc, bias, ..] = call.tiles;
        if acc.is_present() {
            get(acc, m, n)
        } else if bias.is_present() {
            get(bias, 0, n)
        } else {
            0
        }
    }
}

/// Four bytes of a tile.
///
/// # Safety
/// The element must lie in the tile.
pub unsafe fn get(tile: &TileRef, row: usize, col: usize) -> u32 {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe { tile.ptr().cast::<u32>().add(tile.index(row, col)).read_unaligned() }
}

/// Writes four bytes of a tile.
///
/// # Safety
/// As [`get`].
pub unsafe fn put(tile: &TileRef, row: usize, col: usize, bits: u32) {
    // SAFETY: the tiles are operands of a call, and the elements that are touched lie inside of them.
    unsafe {
        tile.ptr().cast::<u32>().add(tile.index(row, col)).write_unaligned(bits);
    }
}
