//! The hyperbolic tangent.

use crate::level::Level;

/// The hyperbolic tangent.
#[inline(always)]
pub fn tanh<L: Level>(x: f32) -> f32 {
    let size = x.abs();
    let large = 1.0 - 2.0 / (super::exp::<L>(size + size) + 1.0);
    let z = x * x;
    let p = 0.002_130_308_7;
    let p = p * z - 0.008_168_871;
    let p = p * z + 0.021_700_244;
    let p = p * z - 0.053_947_46;
    let p = p * z + 0.133_332_21;
    let p = p * z - 0.333_333_3;
    let small = (p * z) * size + size;
    if size < 0.625 { small } else { large }.copysign(x)
}
