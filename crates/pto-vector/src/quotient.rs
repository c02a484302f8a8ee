//! Quotients of integers.
//!
//! Vectors of integers have no division. That of floats gives the same: a quotient that is no integer is at least `1/b` from
//! the next one, and a float with more bits than the integers have is nearer to it than that.

/// An integer type.
pub trait Integer: Copy {
    /// `self / b` towards zero, with the low bits of what has no room; 0 if the divisor is 0.
    fn quotient(self, b: Self) -> Self;
    /// `self - b · (self / b)`; 0 if the divisor is 0.
    fn remainder(self, b: Self) -> Self;
}

/// Types, the divisor -1 if they have it, and the float and integer they are divided in, if that is the faster way.
macro_rules! integers {
    ($($type:ty, $minus_one:expr $(, $float:ty, $int:ty)?;)+) => {$(
        impl Integer for $type {
            #[inline(always)]
            fn quotient(self, b: Self) -> Self {
                let (is_zero, is_minus_one) = (b == 0, Some(b) == $minus_one);
                let value = integers!(@ self, if is_zero || is_minus_one { 1 } else { b } $(, $float, $int)?);
                let value = if is_minus_one { self.wrapping_neg() } else { value };
                if is_zero { 0 } else { value }
            }
            #[inline(always)]
            fn remainder(self, b: Self) -> Self {
                let value = self.wrapping_sub(b.wrapping_mul(self.quotient(b)));
                if b == 0 { 0 } else { value }
            }
        }
    )+};
    (@ $a:expr, $b:expr) => {
        $a.wrapping_div($b)
    };
    (@ $a:expr, $b:expr, $float:ty, $int:ty) => {{
        let quotient = <$float>::from($a) / <$float>::from($b);
        // SAFETY: with a divisor that is neither 0 nor -1, the quotient of two numbers is one of the type.
        unsafe { quotient.to_int_unchecked::<$int>() as Self }
    }};
}
integers! {
    i8, Some(-1), f32, i32;
    u8, None, f32, i32;
    i16, Some(-1), f32, i32;
    u16, None, f32, i32;
    i32, Some(-1), f64, i32;
    u32, None, f64, u32;
    i64, Some(-1);
    u64, None;
}
