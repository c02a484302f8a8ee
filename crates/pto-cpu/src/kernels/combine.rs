//! Writes to global memory that combine with what is there.
//!
//! A combined element is computed in its own type: integers wrap, f16 and bf16 are widened to f32 and rounded once, and maxima
//! and minima are NaN if either operand is.

use pto_isa::DType;
pub(crate) use pto_isa::row::Combine;
use pto_vector::elem::{Elem, by_type};
use std::sync::{Mutex, MutexGuard};

/// Combines one element with one in memory.
pub(super) type Combiner = unsafe fn(from: *const u8, to: *mut u8);

/// The code for an element type; `None` for types without arithmetic.
pub(super) fn combiner(dtype: DType, how: Combine) -> Option<Combiner> {
    by_type!(dtype, E in [I8 U8 I16 U16 I32 U32 I64 U64 F16 Bf16 F32] => match how {
        Combine::Add => element::<E, 1> as Combiner,
        Combine::Max => element::<E, 2> as Combiner,
        Combine::Min => element::<E, 3> as Combiner,
    })
}

/// Blocks on several threads may combine with the same element; held while one instruction does.
pub(super) fn exclusive() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// # Safety
/// All elements that the other arguments count must be readable at `from` and writable at `to`.
unsafe fn element<E: Elem, const CODE: u64>(from: *const u8, to: *mut u8)
where
    E::Wide: Combinable,
{
    // SAFETY: the caller answers for the elements at `from` and `to`.
    unsafe {
        let to = to.cast::<E>();
        let (old, new) = (to.read_unaligned().widen(), from.cast::<E>().read_unaligned().widen());
        let both = match CODE {
            1 => old.plus(new),
            2 => old.larger(new),
            _ => old.smaller(new),
        };
        to.write_unaligned(E::narrow(both));
    }
}

trait Combinable: Copy {
    fn plus(self, other: Self) -> Self;
    fn larger(self, other: Self) -> Self;
    fn smaller(self, other: Self) -> Self;
}

macro_rules! integers {
    ($($type:ty)+) => {$(
        impl Combinable for $type {
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn larger(self, other: Self) -> Self {
                self.max(other)
            }
            fn smaller(self, other: Self) -> Self {
                self.min(other)
            }
        }
    )+};
}

integers!(i8 u8 i16 u16 i32 u32 i64 u64);

impl Combinable for f32 {
    fn plus(self, other: Self) -> Self {
        self + other
    }
    fn larger(self, other: Self) -> Self {
        if self.is_nan() || other.is_nan() {
            Self::NAN
        } else if self == other {
            // Only the signs of zeros can differ.
            Self::from_bits(self.to_bits() & other.to_bits())
        } else {
            self.max(other)
        }
    }
    fn smaller(self, other: Self) -> Self {
        -(-self).larger(-other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn combined(how: Combine, a: f32, b: f32) -> f32 {
        let mut to = b;
        let run = combiner(DType::F32, how).expect("f32 has arithmetic");
        // SAFETY: both are f32.
        unsafe { run((&raw const a).cast(), (&raw mut to).cast()) };
        to
    }

    #[test]
    fn zeros_and_nans() {
        assert_eq!(combined(Combine::Max, -0.0, 0.0).to_bits(), 0);
        assert_eq!(combined(Combine::Min, 0.0, -0.0).to_bits(), (-0.0f32).to_bits());
        assert!(combined(Combine::Max, f32::NAN, 1.0).is_nan() && combined(Combine::Min, 1.0, f32::NAN).is_nan());
        assert_eq!(combined(Combine::Min, 3.0, -2.0), -2.0);
    }
}
