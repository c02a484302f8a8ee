//! Single precision to HiFloat8.

use crate::{Hif8, Saturate};

/// Rounds to nearest, ties away from zero, the only mode the devices have for this format.
#[inline(always)]
pub fn to_hif8(x: f32, saturate: Saturate) -> Hif8 {
    const fn power(exponent: i32) -> u32 {
        ((127 + exponent) as u32) << 23
    }
    let magnitude = x.to_bits() & 0x7fff_ffff;
    // What is at least half of the smallest value is at least the smallest value.
    let raised = magnitude.max(power(-22));
    let exponent = (raised >> 23) as i32 - 127;
    let size = exponent.abs();
    let half = if size <= 3 { 1 << 19 } else { 1 << 20 };
    let half = if size > 7 { 1 << 21 } else { half };
    let half = if exponent < -15 { 1 << 22 } else { half };
    let rounded = raised.wrapping_add(half);
    let code = finite_code(rounded);
    let over = if saturate == Saturate::On { 0x6e } else { 0x6f };
    let code = if rounded >= power(15) + (1 << 22) { over } else { code };
    let sign = x.to_bits() >> 24 & 0x80;
    // There is one zero.
    let code = if magnitude < power(-23) { 0 } else { code | sign };
    Hif8(if x.is_nan() { 0x80 } else { code as u8 })
}

/// The code of a magnitude in range, given the bits of a single-precision number; what does not fit is cut off.
#[inline(always)]
fn finite_code(bits: u32) -> u32 {
    let exponent = (bits >> 23) as i32 - 127;
    let size = exponent.unsigned_abs();
    let sign = if exponent < 0 { 0x10 } else { 0 };
    let three = bits >> 20 & 7;
    let (two, one) = (three >> 1, three >> 2);
    // Class by class, from the longest exponent field down.
    let code = 0x60 | sign | (size.wrapping_sub(8) << 1 & 14) | one;
    let code = if size < 8 { 0x40 | sign | (size.wrapping_sub(4) << 2 & 12) | two } else { code };
    let code = if size < 4 { 0x20 | sign | (size.wrapping_sub(2) << 3 & 8) | three } else { code };
    let code = if size == 1 { 0x10 | sign >> 1 | three } else { code };
    let code = if size == 0 { 0x08 | three } else { code };
    if exponent < -15 { (exponent + 23) as u32 } else { code }
}
