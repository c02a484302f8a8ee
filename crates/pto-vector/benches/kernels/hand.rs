//! The loops to compare with: noalias slices and the instructions of AVX-512.

use crate::bench::Form;
use pto_isa::DType;
use pto_num::Bf16;
use std::arch::x86_64::{
    __m512, _CMP_UNORD_Q, _mm256_loadu_ps, _mm256_loadu_si256, _mm256_storeu_si256, _mm512_add_ps, _mm512_and_ps,
    _mm512_broadcast_f32x8, _mm512_cmp_ps_mask, _mm512_cvtph_ps, _mm512_cvtps_ph, _mm512_div_ps, _mm512_loadu_ps,
    _mm512_mask_add_ps, _mm512_max_ps, _mm512_mul_ps, _mm512_set1_ps, _mm512_storeu_ps,
};

/// Destination, sources, rows and columns; all rows are contiguous.
pub type Loop = unsafe fn(*mut u8, *const u8, *const u8, usize, usize);

/// Which loops belong to an instruction, and what its sources are.
type Entry = (&'static str, &'static [Form], &'static [(DType, Loop)]);

const ROUND: i32 = 8;

/// # Safety
/// The processor must have AVX-512.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma,f16c")]
fn max(a: __m512, b: __m512) -> __m512 {
    // Both orders give the same number, except for the zeros; then NaN where one is.
    let number = _mm512_and_ps(_mm512_max_ps(a, b), _mm512_max_ps(b, a));
    _mm512_mask_add_ps(number, _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(a, b), a, b)
}

/// A loop over two tiles of numbers that vectorises by itself.
macro_rules! numbers {
    ($type:ty, |$a:ident, $b:ident| $value:expr) => {{
        #[target_feature(
            enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe"
        )]
        /// # Safety
        /// All elements that the other arguments count must be readable at `a` and `b` and writable at `dst`.
        unsafe fn run(dst: *mut u8, a: *const u8, b: *const u8, rows: usize, cols: usize) {
            // SAFETY: the caller answers for the elements at `a` and `b` and `dst`.
            unsafe {
                let n = rows * cols;
                let (dst, a, b) = (
                    std::slice::from_raw_parts_mut(dst.cast::<$type>(), n),
                    std::slice::from_raw_parts(a.cast::<$type>(), n),
                    std::slice::from_raw_parts(b.cast::<$type>(), n),
                );
                each(dst, a, b);
                #[inline(always)]
                fn each(dst: &mut [$type], a: &[$type], b: &[$type]) {
                    for ((d, $a), $b) in dst.iter_mut().zip(a).zip(b) {
                        *d = $value;
                    }
                }
            }
        }
        run as Loop
    }};
}

/// A loop over two tiles in vectors of f32, loaded and stored as said.
macro_rules! vectors {
    ($type:ty, $load:expr, $store:expr, |$a:ident, $b:ident| $value:expr) => {{
        #[target_feature(
            enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe"
        )]
        /// # Safety
        /// All elements that the other arguments count must be readable at `a` and `b` and writable at `dst`.
        unsafe fn run(dst: *mut u8, a: *const u8, b: *const u8, rows: usize, cols: usize) {
            // SAFETY: the caller answers for the elements at `a` and `b` and `dst`.
            unsafe {
                let (dst, a, b) = (dst.cast::<$type>(), a.cast::<$type>(), b.cast::<$type>());
                for i in (0..rows * cols).step_by(16) {
                    let ($a, $b) = ($load(a.add(i)), $load(b.add(i)));
                    $store(dst.add(i), $value);
                }
            }
        }
        run as Loop
    }};
}

/// The same with one value for each row, in memory one after the other.
macro_rules! by_row {
    ($type:ty, $load:expr, $store:expr, $first:expr, |$a:ident, $b:ident| $value:expr) => {{
        #[target_feature(
            enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe"
        )]
        /// # Safety
        /// All elements that the other arguments count must be readable at `a` and `b` and writable at `dst`.
        unsafe fn run(dst: *mut u8, a: *const u8, b: *const u8, rows: usize, cols: usize) {
            // SAFETY: the caller answers for the elements at `a` and `b` and `dst`.
            unsafe {
                let (dst, a, b) = (dst.cast::<$type>(), a.cast::<$type>(), b.cast::<$type>());
                for r in 0..rows {
                    let $b = $first(b.add(r));
                    for i in (r * cols..(r + 1) * cols).step_by(16) {
                        let $a = $load(a.add(i));
                        $store(dst.add(i), $value);
                    }
                }
            }
        }
        run as Loop
    }};
}

/// The same with one row for all rows, or with 32 bytes of each row repeated along it.
macro_rules! repeated {
    ($type:ty, $load:expr, $store:expr, |$r:ident, $i:ident| $place:expr, |$a:ident, $b:ident| $value:expr) => {{
        #[target_feature(
            enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe"
        )]
        /// # Safety
        /// All elements that the other arguments count must be readable at `a` and `b` and writable at `dst`.
        unsafe fn run(dst: *mut u8, a: *const u8, b: *const u8, rows: usize, cols: usize) {
            // SAFETY: the caller answers for the elements at `a` and `b` and `dst`.
            unsafe {
                let (dst, a, b) = (dst.cast::<$type>(), a.cast::<$type>(), b.cast::<$type>());
                for $r in 0..rows {
                    for $i in (0..cols).step_by(16) {
                        let ($a, $b) = ($load(a.add($r * cols + $i)), $load(b.add($place)));
                        $store(dst.add($r * cols + $i), $value);
                    }
                }
            }
        }
        run as Loop
    }};
}

/// # Safety
/// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this level.
#[target_feature(enable = "avx512f,avx512dq")]
unsafe fn twice_f32(from: *const f32) -> __m512 {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe { _mm512_broadcast_f32x8(_mm256_loadu_ps(from)) }
}

/// # Safety
/// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this level.
#[target_feature(enable = "avx512f")]
unsafe fn load_f32(from: *const f32) -> __m512 {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe { _mm512_loadu_ps(from) }
}

/// # Safety
/// All elements that the other arguments count must be writable at `to`; the processor must have the instructions of this
/// level.
#[target_feature(enable = "avx512f")]
unsafe fn store_f32(to: *mut f32, x: __m512) {
    // SAFETY: the caller answers for the elements at `to`; the processor has the instructions of this level.
    unsafe {
        _mm512_storeu_ps(to, x);
    }
}

/// # Safety
/// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this level.
#[target_feature(enable = "avx512f,avx512vl")]
unsafe fn load_f16(from: *const u16) -> __m512 {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe { _mm512_cvtph_ps(_mm256_loadu_si256(from.cast())) }
}

/// # Safety
/// All elements that the other arguments count must be writable at `to`; the processor must have the instructions of this
/// level.
#[target_feature(enable = "avx512f,avx512vl")]
unsafe fn store_f16(to: *mut u16, x: __m512) {
    // SAFETY: the caller answers for the elements at `to`; the processor has the instructions of this level.
    unsafe {
        _mm256_storeu_si256(to.cast(), _mm512_cvtps_ph::<ROUND>(x));
    }
}

/// # Safety
/// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this level.
#[target_feature(enable = "avx512f,avx512vl")]
unsafe fn set_f16(from: *const u16) -> __m512 {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe { _mm512_set1_ps(pto_num::F16(*from).to_f32()) }
}

/// # Safety
/// All elements that the other arguments count must be readable at `from`; the processor must have the instructions of this level.
#[target_feature(enable = "avx512f,avx512vl")]
unsafe fn set_f32(from: *const f32) -> __m512 {
    // SAFETY: the caller answers for the elements at `from`; the processor has the instructions of this level.
    unsafe { _mm512_set1_ps(*from) }
}

/// # Safety
/// All elements that the other arguments count must be readable at `a` and `b` and writable at `dst`; the processor
/// has the instructions of this level.
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt,movbe")]
unsafe fn blocks_f32(dst: *mut u8, a: *const u8, b: *const u8, rows: usize, cols: usize) {
    // SAFETY: the caller answers for the elements at `a` and `b` and `dst`; the processor has the instructions of this
    // level.
    unsafe {
        let (dst, a, b) = (dst.cast::<f32>(), a.cast::<f32>(), b.cast::<f32>());
        for r in 0..rows {
            let block = twice_f32(b.add(8 * r));
            for i in (r * cols..(r + 1) * cols).step_by(16) {
                store_f32(dst.add(i), _mm512_add_ps(load_f32(a.add(i)), block));
            }
        }
    }
}

macro_rules! bf16 {
    (|$a:ident, $b:ident| $value:expr) => {
        numbers!(Bf16, |a, b| {
            let ($a, $b) = (a.to_f32(), b.to_f32());
            Bf16::from_f32($value)
        })
    };
}

const TWO: &[Form] = &[Form::Tile, Form::Tile];
const ONE: &[Form] = &[Form::Tile];

pub const LOOPS: &[Entry] = &[
    (
        "tadd",
        TWO,
        &[
            (DType::F32, numbers!(f32, |a, b| a + b)),
            (DType::F16, vectors!(u16, load_f16, store_f16, |a, b| _mm512_add_ps(a, b))),
            (DType::Bf16, bf16!(|a, b| a + b)),
            (DType::I32, numbers!(i32, |a, b| a.wrapping_add(*b))),
            (DType::I16, numbers!(i16, |a, b| a.wrapping_add(*b))),
            (DType::I8, numbers!(i8, |a, b| a.wrapping_add(*b))),
        ],
    ),
    (
        "tmul",
        TWO,
        &[
            (DType::F32, numbers!(f32, |a, b| a * b)),
            (DType::F16, vectors!(u16, load_f16, store_f16, |a, b| _mm512_mul_ps(a, b))),
            (DType::Bf16, bf16!(|a, b| a * b)),
            (DType::I32, numbers!(i32, |a, b| a.wrapping_mul(*b))),
            (DType::I16, numbers!(i16, |a, b| a.wrapping_mul(*b))),
            (DType::I8, numbers!(i8, |a, b| a.wrapping_mul(*b))),
        ],
    ),
    (
        "tdiv",
        TWO,
        &[
            (DType::F32, numbers!(f32, |a, b| a / b)),
            (DType::F16, vectors!(u16, load_f16, store_f16, |a, b| _mm512_div_ps(a, b))),
            (DType::I32, numbers!(i32, |a, b| if *b == 0 { 0 } else { a.wrapping_div(*b) })),
            (DType::I16, numbers!(i16, |a, b| if *b == 0 { 0 } else { a.wrapping_div(*b) })),
        ],
    ),
    (
        "tmax",
        TWO,
        &[
            (DType::F32, vectors!(f32, load_f32, store_f32, |a, b| max(a, b))),
            (DType::F16, vectors!(u16, load_f16, store_f16, |a, b| max(a, b))),
            (DType::I32, numbers!(i32, |a, b| *a.max(b))),
            (DType::I16, numbers!(i16, |a, b| *a.max(b))),
            (DType::I8, numbers!(i8, |a, b| *a.max(b))),
        ],
    ),
    (
        "tshl",
        TWO,
        &[
            (DType::I32, numbers!(i32, |a, b| if (*b as u32) < 32 { a << (b & 31) } else { 0 })),
            (DType::I16, numbers!(i16, |a, b| if (*b as u16) < 16 { a << (b & 15) } else { 0 })),
        ],
    ),
    ("texp", ONE, &[(DType::F32, numbers!(f32, |a, _b| pto_num::math::exp::<pto_num::Baseline>(*a)))]),
    (
        "trelu",
        ONE,
        &[
            (DType::F32, numbers!(f32, |a, _b| if *a <= 0.0 { 0.0 } else { *a })),
            (DType::F16, numbers!(i16, |a, _b| if *a <= -1024 { 0 } else { *a })),
        ],
    ),
    (
        "tadds",
        &[Form::Tile, Form::Scalar],
        &[
            (DType::F32, numbers!(f32, |a, _b| a + 1.5)),
            (DType::F16, vectors!(u16, load_f16, store_f16, |a, _b| _mm512_add_ps(a, _mm512_set1_ps(1.5)))),
            (DType::I32, numbers!(i32, |a, _b| a.wrapping_add(0x3fc0_0000))),
            (DType::I16, numbers!(i16, |a, _b| a.wrapping_add(77))),
            (DType::I8, numbers!(i8, |a, _b| a.wrapping_add(77))),
        ],
    ),
    (
        "trowexpandmax",
        &[Form::Tile, Form::Column],
        &[
            (DType::F32, by_row!(f32, load_f32, store_f32, set_f32, |a, b| max(a, b))),
            (DType::F16, by_row!(u16, load_f16, store_f16, set_f16, |a, b| max(a, b))),
        ],
    ),
    (
        "trowexpandmul",
        &[Form::Tile, Form::Column],
        &[
            (DType::F32, by_row!(f32, load_f32, store_f32, set_f32, |a, b| _mm512_mul_ps(a, b))),
            (DType::F16, by_row!(u16, load_f16, store_f16, set_f16, |a, b| _mm512_mul_ps(a, b))),
        ],
    ),
    (
        "trowexpandadd",
        &[Form::Tile, Form::Block],
        &[
            (DType::F32, blocks_f32 as Loop),
            (DType::F16, repeated!(u16, load_f16, store_f16, |r, _i| r * 16, |a, b| _mm512_add_ps(a, b))),
        ],
    ),
    (
        "tcolexpandmul",
        &[Form::Tile, Form::Row],
        &[
            (DType::F32, repeated!(f32, load_f32, store_f32, |_r, i| i, |a, b| _mm512_mul_ps(a, b))),
            (DType::F16, repeated!(u16, load_f16, store_f16, |_r, i| i, |a, b| _mm512_mul_ps(a, b))),
        ],
    ),
];
