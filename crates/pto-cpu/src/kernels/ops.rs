//! The arithmetic of single elements. Everything else is a loop around these.

use pto_num::Level;

/// A function of one element.
pub trait Unary<W> {
    /// Its value.
    fn apply<L: Level>(a: W) -> W;
}

/// A function of two elements.
pub trait Binary<W> {
    /// Its value.
    fn apply<L: Level>(a: W, b: W) -> W;
}

/// Implements [`Binary`] for integer types with the same expression.
macro_rules! integers {
    ($op:ident, |$a:ident, $b:ident| $value:expr, $($type:ty)+) => {$(
        impl Binary<$type> for $op {
            #[inline(always)]
            fn apply<L: Level>($a: $type, $b: $type) -> $type {
                $value
            }
        }
    )+};
}

macro_rules! all_integers {
    ($op:ident, |$a:ident, $b:ident| $value:expr) => {
        integers!($op, |$a, $b| $value, i8 u8 i16 u16 i32 u32 i64 u64);
    };
}

/// `a + b`
pub struct Add;
impl Binary<f32> for Add {
    #[inline(always)]
    fn apply<L: Level>(a: f32, b: f32) -> f32 {
        a + b
    }
}
all_integers!(Add, |a, b| a.wrapping_add(b));

/// The larger; NaN if either is NaN, and +0 is larger than −0.
pub struct Max;
impl Binary<f32> for Max {
    #[inline(always)]
    fn apply<L: Level>(a: f32, b: f32) -> f32 {
        let larger = if a > b { a } else { b };
        // Equal numbers have equal bits, except for the zeros.
        let equal = f32::from_bits(a.to_bits() & b.to_bits());
        let number = if a == b { equal } else { larger };
        if a.is_nan() || b.is_nan() { a + b } else { number }
    }
}
all_integers!(Max, |a, b| a.max(b));

/// `eᵃ`
pub struct Exp;
impl Unary<f32> for Exp {
    #[inline(always)]
    fn apply<L: Level>(a: f32) -> f32 {
        pto_num::math::exp(a)
    }
}
