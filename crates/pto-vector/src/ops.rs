//! The arithmetic of single elements. Everything else is a loop around these.
//!
//! The expressions have neither branches that stay nor panics, so that loops around them become vector code; only
//! division of 64-bit integers, integer powers, and remainders of floats are computed one by one.

use super::call::ChainLink;
use super::quotient::Integer;
use pto_num::{Level, math};

/// A function of one element.
pub trait Unary<W: Copy + Default> {
    /// The element must not be zero.
    const DIVIDES: bool = false;

    /// Its value.
    fn apply<L: Level>(a: W) -> W;

    /// Its values.
    #[inline(always)]
    fn run<L: Level, const N: usize>(a: &[W; N]) -> [W; N] {
        let mut out = [W::default(); N];
        for i in 0..N {
            out[i] = Self::apply::<L>(a[i]);
        }
        out
    }
}

/// A function of two elements.
pub trait Binary<W: Copy + Default> {
    /// The second element must not be zero.
    const DIVIDES: bool = false;

    /// What it is in a chain of steps: with a row, and with a value.
    const LINKS: [Option<ChainLink>; 2] = [None; 2];

    /// True where the results of a row are often added up.
    const SUMMED: bool = matches!(Self::LINKS[0], Some(ChainLink::Multiply));

    /// Its value.
    fn apply<L: Level>(a: W, b: W) -> W;

    /// Precomputed data about a second element that many first ones share.
    #[inline(always)]
    fn known(b: W) -> W {
        b
    }

    /// Its values for one second element, with the precomputed data.
    #[inline(always)]
    fn by_value<L: Level, const N: usize>(a: &[W; N], b: W, _known: W) -> [W; N] {
        let mut out = [W::default(); N];
        for i in 0..N {
            out[i] = Self::apply::<L>(a[i], b);
        }
        out
    }
}

/// Functions of one element for some types: `unary!(Neg for f32 i8: |a| -a)`.
macro_rules! unary {
    ($op:ident for $($type:ty)+ : |$a:ident| $value:expr) => {
        unary!($op for $($type)+ : |$a| $value, DIVIDES = false);
    };
    ($op:ident for $($type:ty)+ : |$a:ident| $value:expr, DIVIDES = $divides:literal) => {$(
        impl Unary<$type> for $op {
            const DIVIDES: bool = $divides;
            #[inline(always)]
            fn apply<L: Level>($a: $type) -> $type {
                $value
            }
        }
    )+};
}

/// Functions of two elements for some types: `binary!(Add for f32: |a, b| a + b)`.
macro_rules! binary {
    ($op:ident for $($type:ty)+ : |$a:ident, $b:ident| $value:expr) => {
        binary!($op for $($type)+ : |$a, $b| $value, DIVIDES: bool = false);
    };
    ($op:ident for $($type:ty)+ : |$a:ident, $b:ident| $value:expr, $what:ident: $ty:ty = $is:expr) => {$(
        impl Binary<$type> for $op {
            const $what: $ty = $is;
            #[inline(always)]
            fn apply<L: Level>($a: $type, $b: $type) -> $type {
                $value
            }
        }
    )+};
}

/// `a + b`
pub struct Add;
binary!(Add for f32: |a, b| a + b, LINKS: [Option<ChainLink>; 2] = [Some(ChainLink::Add), None]);
binary!(Add for i8 u8 i16 u16 i32 u32 i64 u64: |a, b| a.wrapping_add(b));

/// `a - b`
pub struct Sub;
binary!(Sub for f32: |a, b| a - b, LINKS: [Option<ChainLink>; 2] = [None, Some(ChainLink::SubtractValue)]);
binary!(Sub for i8 u8 i16 u16 i32 u32 i64 u64: |a, b| a.wrapping_sub(b));

/// `a · b`
pub struct Mul;
binary!(Mul for f32: |a, b| a * b, LINKS: [Option<ChainLink>; 2] = [Some(ChainLink::Multiply), Some(ChainLink::MultiplyValue)]);
binary!(Mul for i8 u8 i16 u16 i32 u32 i64 u64: |a, b| a.wrapping_mul(b));

/// `a / b`; integers towards zero. Integers are divided only after the divisors have been checked.
pub struct Div;
binary!(Div for i8 u8 i16 u16 i32 u32 i64 u64: |a, b| a.quotient(b), DIVIDES: bool = true);

/// `1 / a`
pub struct Recip;
unary!(Recip for f32: |a| math::recip(a));
unary!(Recip for i8 u8 i16 u16 i32 u32 i64 u64: |a| match a { 0 => 0, a => 1 / a }, DIVIDES = true);

/// The remainder with the sign of the dividend.
pub struct Fmod;
binary!(Fmod for f32: |a, b| math::fmod(a, b));
binary!(Fmod for i8 u8 i16 u16 i32 u32 i64 u64: |a, b| a.remainder(b), DIVIDES: bool = true);

/// The remainder with the sign of the divisor.
pub struct Rem;
binary!(Rem for f32: |a, b| math::rem(a, b));
binary!(Rem for i8 i16 i32 i64: |a, b| {
    let r = a.remainder(b);
    if r != 0 && (r < 0) != (b < 0) { r + b } else { r }
}, DIVIDES: bool = true);
binary!(Rem for u8 u16 u32 u64: |a, b| a.remainder(b), DIVIDES: bool = true);

/// `aᵇ`
pub struct Pow;
binary!(Pow for f32: |a, b| math::pow(a, b));

/// Integer powers by repeated squaring; signed types say what a negative exponent gives.
macro_rules! integer_power {
    ($($type:ty)+: |$a:ident, $b:ident| $negative:expr) => {$(
        binary!(Pow for $type: |$a, $b| {
            let (mut base, mut exponent, mut power) = ($a, $b, 1);
            while exponent > 0 {
                power = if exponent & 1 == 1 { base.wrapping_mul(power) } else { power };
                base = base.wrapping_mul(base);
                exponent >>= 1;
            }
            $negative.unwrap_or(power)
        });
    )+};
}
integer_power!(u8 u16 u32 u64: |a, b| None);
integer_power!(i8 i16 i32 i64: |a, b| match a {
    _ if b >= 0 => None,
    1 => Some(1),
    -1 => Some(if b & 1 == 0 { 1 } else { -1 }),
    _ => Some(0),
});

/// The larger; NaN if either is NaN, and +0 is larger than −0.
pub struct Max;
binary!(Max for f32: |a, b| {
    // Both orders give the same number, except for the zeros and where one is NaN.
    let (x, y) = (if a > b { a } else { b }, if b > a { b } else { a });
    let number = f32::from_bits(x.to_bits() & y.to_bits());
    if a.is_nan() | b.is_nan() { a + b } else { number }
});
binary!(Max for i8 u8 i16 u16 i32 u32 i64 u64: |a, b| a.max(b));

/// The smaller; NaN if either is NaN, and −0 is smaller than +0.
pub struct Min;
binary!(Min for f32: |a, b| {
    let (x, y) = (if a < b { a } else { b }, if b < a { b } else { a });
    let number = f32::from_bits(x.to_bits() | y.to_bits());
    if a.is_nan() | b.is_nan() { a + b } else { number }
});
binary!(Min for i8 u8 i16 u16 i32 u32 i64 u64: |a, b| a.min(b));

/// Bitwise and.
pub struct And;
binary!(And for i8 i16 i32 i64: |a, b| a & b);

/// Bitwise or.
pub struct Or;
binary!(Or for i8 i16 i32 i64: |a, b| a | b);

/// Bitwise exclusive or.
pub struct Xor;
binary!(Xor for i8 i16 i32 i64: |a, b| a ^ b);

/// Bitwise complement.
pub struct Not;
unary!(Not for i8 i16 i32 i64: |a| !a);

/// Shift left. A count of at least the width, or a negative one, gives 0.
pub struct Shl;

/// Shift right. A count of at least the width, or a negative one, gives the sign (arithmetic) or 0 (logical).
pub struct Shr;

macro_rules! shifts {
    ($($signed:ident $unsigned:ident)+) => {$(
        binary!(Shl for $signed: |a, b| {
            // A negative count is a large one.
            if (b as $unsigned) < $unsigned::BITS as $unsigned { a.wrapping_shl(b as u32) } else { 0 }
        });
        binary!(Shr for $signed: |a, b| {
            a.wrapping_shr((b as $unsigned).min($unsigned::BITS as $unsigned - 1) as u32)
        });
        binary!(Shr for $unsigned: |a, b| {
            if b < $unsigned::BITS as $unsigned { a.wrapping_shr(b as u32) } else { 0 }
        });
    )+};
}
shifts!(i8 u8 i16 u16 i32 u32 i64 u64);

/// `|a|`; the smallest integer stays.
pub struct Abs;
unary!(Abs for f32: |a| a.abs());
unary!(Abs for i8 i16 i32 i64: |a| a.wrapping_abs());

/// The bits of a float without the sign.
pub struct ClearSign;
unary!(ClearSign for i16: |a| a & i16::MAX);

/// `−a`
pub struct Neg;
unary!(Neg for f32: |a| -a);
unary!(Neg for i8 i16 i32 i64: |a| a.wrapping_neg());

/// The bits of a float with the other sign.
pub struct FlipSign;
unary!(FlipSign for i16: |a| a ^ i16::MIN);

/// `eᵃ`
pub struct Exp;

impl Unary<f32> for Exp {
    #[inline(always)]
    fn apply<L: Level>(a: f32) -> f32 {
        math::exp::<L>(a)
    }

    /// Mostly all results are normal, and then half of the steps are not needed.
    #[inline(always)]
    fn run<L: Level, const N: usize>(a: &[f32; N]) -> [f32; N] {
        let mut others = 0;
        for x in a {
            others += u32::from(!math::exp_is_normal(*x));
        }
        let mut out = [0.0; N];
        if others == 0 {
            for i in 0..N {
                out[i] = math::exp_of_usual::<L>(a[i]);
            }
        } else {
            for i in 0..N {
                out[i] = math::exp::<L>(a[i]);
            }
        }
        out
    }
}

/// The natural logarithm.
pub struct Log;
unary!(Log for f32: |a| math::ln(a));

/// The square root.
pub struct Sqrt;
unary!(Sqrt for f32: |a| math::sqrt(a));

/// The reciprocal of the square root.
pub struct Rsqrt;
unary!(Rsqrt for f32: |a| math::rsqrt(a));

/// The larger of a number and +0; NaN stays.
#[inline(always)]
pub fn relu(a: f32) -> f32 {
    if a <= 0.0 { 0.0 } else { a }
}

/// `max(a, 0)`
pub struct Relu;
unary!(Relu for f32: |a| relu(a));
unary!(Relu for i8 i16 i32 i64: |a| a.max(0));
unary!(Relu for u8 u16 u32 u64: |a| a);

/// `max(a, 0)` of the bits of a 16-bit float: everything from −0 to `NEG_INF`, read as an integer, is negative and
/// not NaN.
pub struct ReluBits<const NEG_INF: i16>;
impl<const NEG_INF: i16> Unary<i16> for ReluBits<NEG_INF> {
    #[inline(always)]
    fn apply<L: Level>(a: i16) -> i16 {
        if a <= NEG_INF { 0 } else { a }
    }
}

/// `a` if it is positive, else `a · b`.
pub struct Prelu;
binary!(Prelu for f32: |a, b| if a > 0.0 { a } else { a * b });
binary!(Prelu for i8 i16 i32 i64: |a, b| if a > 0 { a } else { a.wrapping_mul(b) });
binary!(Prelu for u8 u16 u32 u64: |a, _b| a);

/// `max(a + b, 0)`
pub struct AddRelu;
binary!(AddRelu for f32: |a, b| relu(a + b));
binary!(AddRelu for i8 i16 i32 i64: |a, b| a.wrapping_add(b).max(0));

/// `max(a − b, 0)`
pub struct SubRelu;
binary!(SubRelu for f32: |a, b| relu(a - b));
binary!(SubRelu for i8 i16 i32 i64: |a, b| a.wrapping_sub(b).max(0));
binary!(SubRelu for u8 u16 u32 u64: |a, b| a.wrapping_sub(b));
