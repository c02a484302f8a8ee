//! Powers, in double precision inside.

/// `x` to the power `y`, with the special cases of C99.
#[inline(always)]
pub fn pow(x: f32, y: f32) -> f32 {
    let size = x.abs();
    let power = exp2(log2(size) * y as f64);
    let (integer, odd) = integer(y);
    let negative = x.is_sign_negative();
    let signed = if negative & odd { -power } else { power };
    // A negative number has only integer powers. Zero and infinity have all of them.
    let defined = !negative | integer | (size == 0.0) | (size == f32::INFINITY);
    let value = if defined & !x.is_nan() & !y.is_nan() { signed } else { f32::NAN };
    // One to any power, and minus one to an infinite power.
    let one = (y == 0.0) | (x == 1.0) | ((x == -1.0) & (y.abs() == f32::INFINITY));
    if one { 1.0 } else { value }
}

/// Whether a number is an integer, and whether it is an odd one.
#[inline(always)]
fn integer(y: f32) -> (bool, bool) {
    const INTEGERS: f32 = 8_388_608.0;
    let size = y.abs();
    let sum = size + INTEGERS;
    let small = size < INTEGERS;
    let whole = !small | (sum - INTEGERS == size);
    // From 2^24 on every number is even.
    let last = if small { sum.to_bits() } else { size.to_bits() } & 1;
    (whole, whole & (last == 1) & (size < 2.0 * INTEGERS))
}

/// The binary logarithm of a number that is not negative.
#[inline(always)]
fn log2(x: f32) -> f64 {
    // Subnormal numbers are normal here.
    let bits = (x as f64).to_bits();
    // x = m * 2^n with m from sqrt(1/2) to sqrt(2). The bias keeps the exponent positive, and 2^52 makes it a float.
    const HALF_ROOT: u64 = 0x3fe6_a09e_667f_3bcd;
    const BIAS: u64 = 1024;
    let above = bits.wrapping_sub(HALF_ROOT).wrapping_add(BIAS << 52);
    let n = f64::from_bits(above >> 52 | (1075 << 52)) - (4_503_599_627_370_496.0 + BIAS as f64);
    let m = f64::from_bits((above & 0x000f_ffff_ffff_ffff) + HALF_ROOT);
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let p = 0.282_901_444_932_168_84;
    let p = p * z + 0.319_905_612_006_834_6;
    let p = p * z + 0.412_209_254_322_464_86;
    let p = p * z + 0.577_077_942_346_842_8;
    let p = p * z + 0.961_796_694_113_400_5;
    let p = p * z + 2.885_390_081_777_85;
    let finite = s * p + n;
    let finite = if x == 0.0 { f64::NEG_INFINITY } else { finite };
    if x == f32::INFINITY { f64::INFINITY } else { finite }
}

/// Two to the power `x`, rounded to single precision. For NaN the result has no meaning.
#[inline(always)]
fn exp2(x: f64) -> f32 {
    // Beyond these everything is zero or infinite.
    let x = if x < -152.0 { -152.0 } else { x };
    let x = if x > 130.0 { 130.0 } else { x };
    // 1.5 * 2^52: the sum is rounded to an integer, which is left in the low bits.
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    let shifted = x + SHIFT;
    let r = x - (shifted - SHIFT);
    let p = 1.334_471_873_192_411_6e-6;
    let p = p * r + 1.531_446_426_086_477_7e-5;
    let p = p * r + 1.540_309_468_464_991_4e-4;
    let p = p * r + 1.333_343_312_554_779_7e-3;
    let p = p * r + 9.618_129_564_492_633e-3;
    let p = p * r + 5.550_410_960_390_221e-2;
    let p = p * r + 2.402_265_069_472_304_7e-1;
    let p = p * r + 6.931_471_805_409_195e-1;
    let value = p * r + 1.0;
    f64::from_bits(value.to_bits().wrapping_add(shifted.to_bits() << 52)) as f32
}
