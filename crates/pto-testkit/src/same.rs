//! Elements that are as good as each other.

use pto::isa::DType;

/// Both are the same, or both are NaN.
pub fn same(dtype: DType, a: &[u8], b: &[u8]) -> bool {
    let bits = |x: &[u8]| x.iter().rev().fold(0u64, |all, byte| all << 8 | u64::from(*byte));
    let is_nan = |x: &[u8]| match dtype {
        DType::F32 => bits(x) & 0x7fff_ffff > 0x7f80_0000,
        DType::F16 => bits(x) & 0x7fff > 0x7c00,
        DType::Bf16 => bits(x) & 0x7fff > 0x7f80,
        DType::F8E4M3 => bits(x) & 0x7f == 0x7f,
        DType::F8E5M2 => bits(x) & 0x7f > 0x7c,
        _ => false,
    };
    a == b || is_nan(a) && is_nan(b)
}
