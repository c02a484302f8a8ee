//! How the elements of a row or column become one.

use crate::elem::Elem;
use pto_num::{Bf16, F16, Level};

/// A reduction of elements `E`.
///
/// The work is done on lanes: the wide type for sums and products, integers in the order of the elements for extremes.
/// [`Fold::pair`] says the same with values; the plain kernels use it.
pub trait Fold<E: Elem>: 'static {
    /// What is accumulated.
    type Lane: Copy;
    /// True when the result does not depend on the order.
    const UNORDERED: bool;
    /// True when lanes are elements besides, so that some rows can be joined before the rest.
    const GROUPED: bool = Self::UNORDERED;

    /// The lane that changes no other.
    fn start() -> Self::Lane;
    /// Elements as lanes.
    fn take<L: Level, const N: usize>(from: &[E; N]) -> [Self::Lane; N];
    /// Two lanes as one.
    fn join(a: Self::Lane, b: Self::Lane) -> Self::Lane;
    /// Lanes as elements.
    fn finish<L: Level, const N: usize>(lanes: &[Self::Lane; N]) -> [E; N];
    /// The result for two values.
    fn pair(a: E::Wide, b: E::Wide) -> E::Wide;
}

/// `a + b`
pub struct Sum;
/// `a * b`
pub struct Product;
/// The larger; NaN if either is NaN, and +0 is larger than −0.
pub struct Largest;
/// The smaller; NaN if either is NaN, and −0 is smaller than +0.
pub struct Smallest;

/// A fold whose lanes are the wide values.
macro_rules! by_value {
    ($fold:ident, $elem:ty, $start:expr, $unordered:literal, |$a:ident, $b:ident| $value:expr) => {
        impl Fold<$elem> for $fold {
            type Lane = <$elem as Elem>::Wide;
            const UNORDERED: bool = $unordered;
            #[inline(always)]
            fn start() -> Self::Lane {
                $start
            }
            #[inline(always)]
            fn take<L: Level, const N: usize>(from: &[$elem; N]) -> [Self::Lane; N] {
                <$elem>::load::<L, N>(from)
            }
            #[inline(always)]
            fn join($a: Self::Lane, $b: Self::Lane) -> Self::Lane {
                $value
            }
            #[inline(always)]
            fn finish<L: Level, const N: usize>(lanes: &[Self::Lane; N]) -> [$elem; N] {
                <$elem>::store::<L, N>(lanes)
            }
            fn pair($a: Self::Lane, $b: Self::Lane) -> Self::Lane {
                $value
            }
        }
    };
}

macro_rules! integers {
    ($($elem:ty)+) => {$(
        by_value!(Sum, $elem, 0, true, |a, b| a.wrapping_add(b));
        by_value!(Product, $elem, 1, true, |a, b| a.wrapping_mul(b));
        by_value!(Largest, $elem, <$elem>::MIN, true, |a, b| a.max(b));
        by_value!(Smallest, $elem, <$elem>::MAX, true, |a, b| a.min(b));
    )+};
}
integers!(i8 u8 i16 u16 i32 u32 i64 u64);

/// Extremes of floats: lanes are integers that order as the elements do, with every NaN beyond the infinities on the
/// side of the extreme.
///
/// A float as a signed integer, with the magnitude flipped where the sign is set, has the order
/// −NaN, −∞, …, −0, +0, …, +∞, +NaN. The integers form a circle on which the NaNs are neighbours, so one addition turns
/// all of them to the end that wins.
macro_rules! float_extremes {
    ($($elem:ident, $key:ty, $unsigned:ty, $mantissa:literal;)+) => {$(
        float_extremes!(@ Largest, max, <$key>::MIN, $elem, $key, $unsigned, -((1 << $mantissa) - 1));
        float_extremes!(@ Smallest, min, <$key>::MAX, $elem, $key, $unsigned, (1 << $mantissa) - 1);
    )+};
    (@ $fold:ident, $pick:ident, $start:expr, $elem:ident, $key:ty, $unsigned:ty, $turn:expr) => {
        impl Fold<$elem> for $fold {
            type Lane = $key;
            const UNORDERED: bool = true;
            const GROUPED: bool = false;
            #[inline(always)]
            fn start() -> $key {
                $start
            }
            #[inline(always)]
            fn take<L: Level, const N: usize>(from: &[$elem; N]) -> [$key; N] {
                let mut keys = [0; N];
                for i in 0..N {
                    let bits = from[i].raw() as $key;
                    let flip = ((bits >> (<$key>::BITS - 1)) as $unsigned >> 1) as $key;
                    keys[i] = (bits ^ flip).wrapping_add($turn);
                }
                keys
            }
            #[inline(always)]
            fn join(a: $key, b: $key) -> $key {
                a.$pick(b)
            }
            #[inline(always)]
            fn finish<L: Level, const N: usize>(lanes: &[$key; N]) -> [$elem; N] {
                let mut values = [<$elem>::from_raw(0); N];
                for i in 0..N {
                    let key = lanes[i].wrapping_sub($turn);
                    let flip = (key >> (<$key>::BITS - 1)) as $unsigned >> 1;
                    values[i] = <$elem>::from_raw(key as $unsigned ^ flip);
                }
                values
            }
            fn pair(a: f32, b: f32) -> f32 {
                $fold::of_values(a, b)
            }
        }
    };
}
float_extremes! {
    f32, i32, u32, 23;
    F16, i16, u16, 10;
    Bf16, i16, u16, 7;
}

impl Largest {
    fn of_values(a: f32, b: f32) -> f32 {
        if a.is_nan() || b.is_nan() {
            return f32::NAN;
        }
        if a > b || (a == b && b.is_sign_negative()) { a } else { b }
    }
}

impl Smallest {
    fn of_values(a: f32, b: f32) -> f32 {
        -Largest::of_values(-a, -b)
    }
}

by_value!(Sum, f32, -0.0, false, |a, b| a + b);
by_value!(Sum, F16, -0.0, false, |a, b| a + b);
by_value!(Sum, Bf16, -0.0, false, |a, b| a + b);
by_value!(Product, f32, 1.0, false, |a, b| a * b);
by_value!(Product, F16, 1.0, false, |a, b| a * b);
by_value!(Product, Bf16, 1.0, false, |a, b| a * b);

/// A float and its bits.
pub trait Bits: Copy {
    /// An integer as wide.
    type Raw;
    /// The bits.
    fn raw(self) -> Self::Raw;
    /// From bits.
    fn from_raw(raw: Self::Raw) -> Self;
}

impl Bits for f32 {
    type Raw = u32;
    #[inline(always)]
    fn raw(self) -> u32 {
        self.to_bits()
    }
    #[inline(always)]
    fn from_raw(raw: u32) -> Self {
        Self::from_bits(raw)
    }
}

impl Bits for F16 {
    type Raw = u16;
    #[inline(always)]
    fn raw(self) -> u16 {
        self.0
    }
    #[inline(always)]
    fn from_raw(raw: u16) -> Self {
        Self(raw)
    }
}

impl Bits for Bf16 {
    type Raw = u16;
    #[inline(always)]
    fn raw(self) -> u16 {
        self.0
    }
    #[inline(always)]
    fn from_raw(raw: u16) -> Self {
        Self(raw)
    }
}
