//! Accesses to memory that all ranks share: copies and atomic instructions.

#![expect(unsafe_code, reason = "memory that other processes write too")]

use crate::constants::{MpiElement, MpiOp};
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicI32, AtomicU8, AtomicU16, AtomicU32, AtomicU64};

/// A word that every rank accesses with atomic instructions only.
///
/// # Safety
/// The address is a multiple of 4 in shared memory that stays mapped.
pub(crate) unsafe fn word<'a>(at: *mut u8) -> &'a AtomicI32 {
    // SAFETY: as the caller states.
    unsafe { AtomicI32::from_ptr(at.cast()) }
}

macro_rules! combine {
    ($at:ident, $from:ident, $number:ty, $atomic:ident, $bits:ty, $combined:expr) => {
        for (i, bytes) in $from.as_chunks::<{ size_of::<$number>() }>().0.iter().enumerate() {
            let new = <$number>::from_ne_bytes(*bytes);
            // SAFETY: the caller gives room for all elements, at a multiple of their size.
            let element = unsafe { $atomic::from_ptr($at.add(i * size_of::<$number>()).cast()) };
            let combined: fn($number, $number) -> $number = $combined;
            let update = |old: $bits| {
                let old = <$number>::from_ne_bytes(old.to_ne_bytes());
                Some(<$bits>::from_ne_bytes(combined(old, new).to_ne_bytes()))
            };
            // The closure always has a value, so this never fails.
            let _ = element.fetch_update(SeqCst, SeqCst, update);
        }
    };
}

macro_rules! integers {
    ($at:ident, $from:ident, $op:ident, $number:ty, $atomic:ident, $bits:ty) => {
        match $op {
            MpiOp::Sum => combine!($at, $from, $number, $atomic, $bits, |old, new| old.wrapping_add(new)),
            MpiOp::Max => combine!($at, $from, $number, $atomic, $bits, |old, new| old.max(new)),
            MpiOp::Min => combine!($at, $from, $number, $atomic, $bits, |old, new| old.min(new)),
            MpiOp::Replace => combine!($at, $from, $number, $atomic, $bits, |_, new| new),
        }
    };
}

macro_rules! floats {
    ($at:ident, $from:ident, $op:ident, $number:ty, $atomic:ident, $bits:ty) => {
        match $op {
            MpiOp::Sum => combine!($at, $from, $number, $atomic, $bits, |old, new| old + new),
            MpiOp::Max => combine!($at, $from, $number, $atomic, $bits, |old, new| if old > new { old } else { new }),
            MpiOp::Min => combine!($at, $from, $number, $atomic, $bits, |old, new| if old < new { old } else { new }),
            MpiOp::Replace => combine!($at, $from, $number, $atomic, $bits, |_, new| new),
        }
    };
}

/// Combines elements, each atomically.
///
/// # Safety
/// `at` is a multiple of the size of an element, and starts as many bytes of mapped memory as `from` has.
pub(crate) unsafe fn accumulate(at: *mut u8, from: &[u8], element: MpiElement, op: MpiOp) {
    match element {
        MpiElement::I8 => integers!(at, from, op, i8, AtomicU8, u8),
        MpiElement::I16 => integers!(at, from, op, i16, AtomicU16, u16),
        MpiElement::I32 => integers!(at, from, op, i32, AtomicU32, u32),
        MpiElement::I64 => integers!(at, from, op, i64, AtomicU64, u64),
        MpiElement::U8 => integers!(at, from, op, u8, AtomicU8, u8),
        MpiElement::U16 => integers!(at, from, op, u16, AtomicU16, u16),
        MpiElement::U32 => integers!(at, from, op, u32, AtomicU32, u32),
        MpiElement::U64 => integers!(at, from, op, u64, AtomicU64, u64),
        MpiElement::F32 => floats!(at, from, op, f32, AtomicU32, u32),
        MpiElement::F64 => floats!(at, from, op, f64, AtomicU64, u64),
    }
}
