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

#[cfg(test)]
mod tests {
    use super::*;

    macro_rules! check {
        ($type:ty, $a:expr, $b:expr) => {{
            let (a, b) = ($a as $type, $b as $type);
            let expected = if b == 0 { (0, 0) } else { (a.wrapping_div(b), a.wrapping_rem(b)) };
            assert_eq!((a.quotient(b), a.remainder(b)), expected, "{a} / {b}");
        }};
    }

    #[test]
    fn quotients_and_remainders_of_small_integers() {
        for a in 0..=255u8 {
            for b in 0..=255u8 {
                check!(u8, a, b);
                check!(i8, a, b);
            }
        }
    }

    /// Dividends next to multiples of the divisor are where a rounding would show.
    #[test]
    fn quotients_and_remainders_next_to_multiples() {
        let mut state = 88_172_645_463_325_252u64;
        let mut next = |bits: u32| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 20) >> (state % u64::from(bits))
        };
        let edges = [0, 1, 2, 3, u64::MAX, u64::MAX - 1, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
        let mut pairs: Vec<(u64, u64)> = edges.iter().flat_map(|a| edges.map(|b| (*a, b))).collect();
        for _ in 0..20_000 {
            let (quotient, b) = (next(32), next(32));
            let multiple = quotient.wrapping_mul(b);
            pairs.extend([(multiple, b), (multiple.wrapping_sub(1), b), (multiple.wrapping_add(1), b), (next(16), b)]);
            pairs.extend([
                (multiple, b.wrapping_neg()),
                (u64::MAX - next(40), b),
                ((1 << 31) - 1 - next(44) % 64, b % 512),
            ]);
        }
        for (a, b) in pairs {
            check!(i16, a, b);
            check!(u16, a, b);
            check!(i32, a, b);
            check!(u32, a, b);
            check!(i64, a, b);
            check!(u64, a, b);
        }
    }
}
