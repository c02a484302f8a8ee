//! Instructions of a tile and a scalar.

use super::call::{KernelCut, NONE, OpKernel, Prepared, Site};
use super::elem::{modular, prepare};
use super::grid::COUNT;
use super::map::ByValue;
use super::ops::{Add, And, Div, Fmod, Max, Min, Mul, Or, Pow, Prelu, Rem, Shl, Shr, Sub, Xor};
use super::pairwise::Swap;
use super::ternary::{MulAdd, Steps, TernaryScalar};
use super::{contiguous, fill, mask};
use pto_isa::DType;
use pto_num::{Bf16, F16};
use std::convert::identity;

/// A tile and a scalar that takes the role of the missing source.
const VALUE: &[&str; 3] = &["src", NONE, "dst"];
/// The destination is a source as well.
const UPDATE: &[&str; 3] = &["src", "dst", "dst"];
const EITHER: &[&str; 3] = &["src0", "src1", "dst"];

const DIVIDED: KernelCut = KernelCut::ELEMENTS.dividing();

/// A kernel for the element types listed; those after the semicolon do without vector instructions.
/// `modular` shares one kernel between the signed and the unsigned type.
macro_rules! scalar {
    ($op:ty, $of:expr, $($types:tt)+) => {
        OpKernel::taking(VALUE, &[], &[NONE, "scalar"], |site: &Site| {
            prepare!(site, VALUE, $of(site.tile("dst")?.dtype), E in [$($types)+] => ByValue<$op, E>)
        })
        .cut(KernelCut::ELEMENTS)
    };
}

/// A shift: the scalar counts bits, however wide the elements are.
macro_rules! shift {
    ($op:ty, $of:expr, $($types:tt)+) => {
        OpKernel::taking(VALUE, &[], &[NONE, "scalar"], |site: &Site| {
            prepare!(site, VALUE, $of(site.tile("dst")?.dtype), E in [$($types)+] => ByValue<$op, E>)
                .map(|p| p.with([0, COUNT]))
        })
        .cut(KernelCut::ELEMENTS)
    };
}

/// A tile, a scalar, and another tile.
macro_rules! between {
    ($op:ty, $($types:tt)+) => {
        OpKernel::taking(EITHER, &[], &["scalar"], |site: &Site| {
            let dtype = modular(site.tile("dst")?.dtype);
            prepare!(site, EITHER, dtype, E in [$($types)+] => TernaryScalar<$op, E>)
        })
        .cut(KernelCut::ELEMENTS)
    };
}

/// The tile may be either operand. Both are listed as tiles and as scalars; the one that is not given is absent, or 0.
const DIVIDE: OpKernel = OpKernel::taking(EITHER, &[], &["src0", "src1"], |site: &Site| {
    let dtype = site.tile("dst")?.dtype;
    if site.tile("src0").is_some() {
        prepare!(site, EITHER, dtype, E in [F16 Bf16 F32; I8 U8 I16 U16 I32 U32 I64 U64] => ByValue<Div, E>)
    } else {
        prepare!(site, EITHER, dtype, E in [F16 Bf16 F32; I8 U8 I16 U16 I32 U32 I64 U64] => ByValue<Swap<Div>, E>)
    }
})
.cut(DIVIDED);

const AXPY: OpKernel = OpKernel::taking(UPDATE, &[], &["scalar"], |site: &Site| {
    let rows = contiguous(site, UPDATE);
    match (modular(site.tile("src")?.dtype), modular(site.tile("dst")?.dtype)) {
        (DType::F16, DType::F32) => Some(Prepared::new::<TernaryScalar<MulAdd, f32, F16>>(site, rows)),
        (DType::Bf16, DType::F32) => Some(Prepared::new::<TernaryScalar<MulAdd, f32, Bf16>>(site, rows)),
        (src, dst) if src == dst => {
            prepare!(site, UPDATE, dst, E in [F16 Bf16 F32; I8 I16 I32 I64] => TernaryScalar<MulAdd, E>)
        }
        _ => None,
    }
})
.cut(KernelCut::ELEMENTS);

const SLOPE: OpKernel = OpKernel::taking(VALUE, &[], &[NONE, "slope"], |site: &Site| {
    let dtype = site.tile("dst")?.dtype;
    prepare!(site, VALUE, dtype, E in [F16 F32; Bf16 I8 I16 I32 I64 U8 U16 U32 U64] => ByValue<Prelu, E>)
})
.cut(KernelCut::ELEMENTS);

pto_isa::tile_scalar!(kernels);

const KERNELS: Kernels = Kernels {
    tadds: scalar!(Add, modular, I8 I16 I32 F16 Bf16 F32; I64),
    tsubs: scalar!(Sub, modular, I8 I16 I32 F16 Bf16 F32; I64),
    tmuls: scalar!(Mul, modular, I8 I16 I32 F16 Bf16 F32; I64),
    tdivs: DIVIDE,
    tmaxs: scalar!(Max, identity, I8 U8 I16 U16 I32 U32 F16 Bf16 F32; I64 U64),
    tmins: scalar!(Min, identity, I8 U8 I16 U16 I32 U32 F16 Bf16 F32; I64 U64),
    tands: scalar!(And, modular, I8 I16 I32; I64),
    tors: scalar!(Or, modular, I8 I16 I32; I64),
    txors: scalar!(Xor, modular, I8 I16 I32; I64),
    tshls: shift!(Shl, modular, I8 I16 I32; I64),
    tshrs: shift!(Shr, identity, I8 U8 I16 U16 I32 U32; I64 U64),
    trems: scalar!(Rem, identity, ; I8 U8 I16 U16 I32 U32 I64 U64 F16 Bf16 F32).cut(DIVIDED),
    tfmods: scalar!(Fmod, identity, ; I8 U8 I16 U16 I32 U32 I64 U64 F16 Bf16 F32).cut(DIVIDED),
    tpows: scalar!(Pow, identity, F16 Bf16 F32; I8 U8 I16 U16 I32 U32 I64 U64).cut(DIVIDED),
    tlrelu: SLOPE,
    taxpy: AXPY,
    taddsc: between!(Steps<Add, Add>, I8 I16 I32 F16 Bf16 F32; I64),
    tsubsc: between!(Steps<Sub, Add>, I8 I16 I32 F16 Bf16 F32; I64),
    texpands: fill::SCALAR,
    tcmps: mask::COMPARE_SCALAR,
    tsels: mask::SELECT_SCALAR,
};
