//! The loops for every processor.

use super::pack::{Boxes, Halves, Tools, widen_columns, widen_rows};
use super::strip::{FloatLanes, Loops, StripLoop, Strips, SumLanes, in_blocks, in_steps, strip_loop, strip_loops};
use pto_num::Baseline;

/// Sums in f32.
pub const F32: Loops = Loops { wide: None, narrow: strip_loops!(in_steps::<Floats, 2>: [4] [2] [1]) };
/// Sums in f32 that take in blocks.
pub const BLOCKS: Loops = Loops { wide: None, narrow: strip_loops!(in_blocks::<Floats, 2>: [2] [1]) };
/// Sums of integers, two products at a time.
pub const PAIRS: Loops = Loops { wide: None, narrow: strip_loops!(in_steps::<Pairs, 2>: [4] [2] [1]) };

macro_rules! lanes {
    ($name:ident, |$sum:ident, $a:ident, $b:ident| $step:expr) => {
        #[derive(Clone, Copy)]
        struct $name;

        impl SumLanes for $name {
            type V = [u32; 8];
            const WIDTH: usize = 8;
            const ADDS: bool = false;

            #[inline(always)]
            unsafe fn load(from: *const u32) -> [u32; 8] {
                // SAFETY: the caller answers for the elements at `from`.
                unsafe { from.cast::<[u32; 8]>().read_unaligned() }
            }
            #[inline(always)]
            unsafe fn store(to: *mut u32, v: [u32; 8]) {
                // SAFETY: the caller answers for the elements at `to`.
                unsafe {
                    to.cast::<[u32; 8]>().write_unaligned(v);
                }
            }
            #[inline(always)]
            unsafe fn splat(from: *const u32) -> [u32; 8] {
                // SAFETY: the caller answers for the elements at `from`.
                unsafe { [from.read_unaligned(); 8] }
            }
            #[inline(always)]
            unsafe fn add(v: [u32; 8], _: *const u32) -> [u32; 8] {
                v
            }
            #[inline(always)]
            unsafe fn step(mut sums: [u32; 8], a: [u32; 8], b: [u32; 8]) -> [u32; 8] {
                for i in 0..8 {
                    let ($sum, $a, $b) = (sums[i], a[i], b[i]);
                    sums[i] = $step;
                }
                sums
            }
        }
    };
}

lanes!(Floats, |sum, a, b| fma(f32::from_bits(a), f32::from_bits(b), f32::from_bits(sum)).to_bits());
lanes!(Pairs, |sum, a, b| {
    let product = |x: u32, y: u32| (i32::from(x as i16) * i32::from(y as i16)) as u32;
    sum.wrapping_add(product(a, b)).wrapping_add(product(a >> 16, b >> 16))
});

impl FloatLanes for Floats {
    #[inline(always)]
    unsafe fn zero() -> [u32; 8] {
        [0; 8]
    }
    #[inline(always)]
    unsafe fn plus(mut x: [u32; 8], y: [u32; 8]) -> [u32; 8] {
        for i in 0..8 {
            x[i] = (f32::from_bits(x[i]) + f32::from_bits(y[i])).to_bits();
        }
        x
    }
}

/// One rounding: by the instruction where every processor of the kind has it.
#[inline(always)]
fn fma(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(any(target_arch = "aarch64", target_feature = "fma")) {
        a.mul_add(b, c)
    } else {
        pto_num::math::fma(a, b, c)
    }
}

/// See [`super::pack::TransposeFn`].
///
/// # Safety
/// The boxes must lie in memory, and where they go.
pub unsafe fn transpose(boxes: &Boxes) {
    // SAFETY: the caller answers for the boxes and for the room they go to.
    unsafe {
        boxes.each(8, |from, to| {
            for word in 0..8 {
                for row in 0..16 {
                    to.add(word * boxes.step + row).write(from.add(8 * row + word).read_unaligned());
                }
            }
        });
    }
}

/// What packing is done with.
pub const TOOLS: Tools = Tools { transpose, halves: HALVES, gather: super::columns::gather::<Baseline> };

/// Halves become numbers.
const HALVES: Halves = Halves { rows: widen_rows::<Baseline>, columns: transpose_and_widen };

/// # Safety
/// The boxes must lie in memory, and there is room for what they become.
unsafe fn transpose_and_widen(boxes: &Boxes, is_f16: bool) {
    // SAFETY: the caller answers for the boxes and for the room they go to.
    unsafe {
        boxes.each(16, |from, to| {
            let mut transposed = [0; 128];
            transpose(&Boxes { from, count: 1, next: 0, to: transposed.as_mut_ptr(), step: 16 });
            widen_columns::<Baseline>(&transposed, to, boxes.step, is_f16);
        });
    }
}
