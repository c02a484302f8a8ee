//! Integer keys that order like the elements.

use super::fold::{Bits, Largest, Smallest};
use crate::elem::Elem;
use pto_num::{Bf16, F16};

/// Which elements win, and the integers to find them by.
///
/// Unlike the lanes of [`Fold`](super::fold::Fold), equal elements have equal ranks: there is one for both zeros, and
/// one for every NaN.
pub trait Rank<E: Elem>: 'static {
    /// The integer.
    type Key: Copy;
    /// A number of a row, as wide as the key where that is wide enough.
    type Count: Count;

    /// The ranks of elements.
    fn ranks<const N: usize>(from: &[E; N]) -> [Self::Key; N];
    /// True when `a` wins against `b`.
    fn wins(a: Self::Key, b: Self::Key) -> bool;
}

/// A number of a row or column.
pub trait Count: Copy + Default {
    /// The highest number it can hold.
    const HIGHEST: usize;
    /// The number.
    fn new(number: usize) -> Self;
    /// Its value.
    fn value(self) -> u32;
}

macro_rules! counts {
    ($($type:ty)+) => {$(
        impl Count for $type {
            const HIGHEST: usize = <$type>::MAX as usize;
            #[inline(always)]
            fn new(number: usize) -> Self {
                number as Self
            }
            #[inline(always)]
            fn value(self) -> u32 {
                self as u32
            }
        }
    )+};
}
counts!(u16 u32 u64);

macro_rules! integers {
    ($($elem:ty, $count:ty;)+) => {$(
        integers!(@ Largest, >, $elem, $count);
        integers!(@ Smallest, <, $elem, $count);
    )+};
    (@ $fold:ident, $wins:tt, $elem:ty, $count:ty) => {
        impl Rank<$elem> for $fold {
            type Key = $elem;
            type Count = $count;
            #[inline(always)]
            fn ranks<const N: usize>(from: &[$elem; N]) -> [$elem; N] {
                *from
            }
            #[inline(always)]
            fn wins(a: $elem, b: $elem) -> bool {
                a $wins b
            }
        }
    };
}
integers! {
    i8, u16;
    u8, u16;
    i16, u16;
    u16, u16;
    i32, u32;
    u32, u32;
    i64, u64;
    u64, u64;
}

/// The value of sign and magnitude, turned on the circle of integers until all NaNs are at the end that wins, and cut off
/// at the first of them.
macro_rules! floats {
    ($($elem:ident, $key:ty, $count:ty, $mantissa:literal;)+) => {$(
        floats!(@ Largest, >, min, $elem, $key, $count, -(1 << $mantissa), <$key>::MAX - (2 << $mantissa) + 2);
        floats!(@ Smallest, <, max, $elem, $key, $count, (1 << $mantissa) - 1, <$key>::MIN + (2 << $mantissa) - 2);
    )+};
    (@ $fold:ident, $wins:tt, $cut:ident, $elem:ident, $key:ty, $count:ty, $turn:expr, $nan:expr) => {
        impl Rank<$elem> for $fold {
            type Key = $key;
            type Count = $count;
            #[inline(always)]
            fn ranks<const N: usize>(from: &[$elem; N]) -> [$key; N] {
                let mut keys = [0; N];
                for i in 0..N {
                    let bits = from[i].raw() as $key;
                    let sign = bits >> (<$key>::BITS - 1);
                    let value = ((bits & <$key>::MAX) ^ sign).wrapping_sub(sign);
                    keys[i] = value.wrapping_add($turn).$cut($nan);
                }
                keys
            }
            #[inline(always)]
            fn wins(a: $key, b: $key) -> bool {
                a $wins b
            }
        }
    };
}
floats! {
    f32, i32, u32, 23;
    F16, i16, u16, 10;
    Bf16, i16, u16, 7;
}
