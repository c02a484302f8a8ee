//! Elementwise instructions.

use super::call::{KernelCut, OpKernel, Prepared, Site};
use super::elem::{modular, prepare};
use super::map::{Binary, Unary};
use super::narrowing::{AddScaleRelu, ReluConvert};
use super::ops::{
    Abs, Add, AddRelu, And, ClearSign, Div, Exp, FlipSign, Fmod, Log, Max, Min, Mul, Neg, Not, Or, Pow, Prelu, Recip,
    Relu, ReluBits, Rem, Rsqrt, Shl, Shr, Sqrt, Sub, SubRelu, Xor,
};
use super::ternary::{MulAdd, MulThirdAdd, MulThirdAddRelu, Steps, Ternary};
use super::{contiguous, convert, mask};
use pto_isa::DType;
use pto_num::F16;
use std::convert::identity;

const BINARY: &[&str; 3] = &["src0", "src1", "dst"];
const POWER: &[&str; 3] = &["base", "exp", "dst"];
const UNARY: &[&str; 2] = &["src", "dst"];
const TERNARY: &[&str; 4] = &["src0", "src1", "src2", "dst"];
/// The destination is the third source as well.
const UPDATE: &[&str; 4] = &["src0", "src1", "dst", "dst"];

const DIVIDED: KernelCut = KernelCut::ELEMENTS.dividing();

/// −∞ of f16 and bf16, as integers.
const F16_NEG_INF: i16 = 0xfc00_u16 as i16;
const BF16_NEG_INF: i16 = 0xff80_u16 as i16;

/// A kernel on some tiles for the element types listed; those after the semicolon do without vector instructions:
/// no device has them, or they have 64 bits, or the work gains nothing.
/// `modular` shares one kernel between the signed and the unsigned type.
macro_rules! kernel {
    ($slots:expr, $of:expr, $body:ident<$op:ty>, $($types:tt)+) => {
        OpKernel::new($slots, |site: &Site| {
            prepare!(site, $slots, $of(site.tile("dst")?.dtype), E in [$($types)+] => $body<$op, E>)
        })
        .cut(KernelCut::ELEMENTS)
    };
}

macro_rules! binary {
    ($op:ty, $of:expr, $($types:tt)+) => { kernel!(BINARY, $of, Binary<$op>, $($types)+) };
}

macro_rules! unary {
    ($op:ty, $of:expr, $($types:tt)+) => { kernel!(UNARY, $of, Unary<$op>, $($types)+) };
}

/// Signs of 16-bit floats need no arithmetic: another function of their bits does it.
macro_rules! sign {
    ($f16:ty, $bf16:ty, $op:ty, $of:expr, $($types:tt)+) => {
        OpKernel::new(UNARY, |site: &Site| {
            let rows = contiguous(site, UNARY);
            match site.tile("dst")?.dtype {
                DType::F16 => Some(Prepared::new::<Unary<$f16, i16>>(site, rows)),
                DType::Bf16 => Some(Prepared::new::<Unary<$bf16, i16>>(site, rows)),
                other => prepare!(site, UNARY, $of(other), E in [$($types)+] => Unary<$op, E>),
            }
        })
        .cut(KernelCut::ELEMENTS)
    };
}

/// A sum or difference, ReLU, and a conversion.
macro_rules! relu_convert {
    ($op:ty) => {
        OpKernel::new(BINARY, |site: &Site| {
            let rows = contiguous(site, BINARY);
            match (site.tile("src0")?.dtype, site.tile("dst")?.dtype) {
                (DType::F32, DType::F16) => Some(Prepared::new::<ReluConvert<$op, f32, F16>>(site, rows)),
                (DType::F16, DType::I8) => Some(Prepared::new::<ReluConvert<$op, F16, i8>>(site, rows)),
                (DType::I16, DType::I8) => Some(Prepared::new::<ReluConvert<$op, i16, i8>>(site, rows)),
                _ => None,
            }
        })
        .cut(KernelCut::ELEMENTS)
    };
}

const ADD_SCALE_RELU: OpKernel = OpKernel::taking(BINARY, &[], &["deq_scale"], |site: &Site| {
    let types = (site.tile("src0")?.dtype, site.tile("dst")?.dtype);
    (types == (DType::I32, DType::F16)).then(|| Prepared::new::<AddScaleRelu>(site, contiguous(site, BINARY)))
})
.cut(KernelCut::ELEMENTS);

pto_isa::elementwise!(kernels);

const KERNELS: Kernels = Kernels {
    tadd: binary!(Add, modular, I8 I16 I32 F16 Bf16 F32; I64),
    tsub: binary!(Sub, modular, I8 I16 I32 F16 Bf16 F32; I64),
    tmul: binary!(Mul, modular, I8 I16 I32 F16 Bf16 F32; I64),
    tdiv: binary!(Div, identity, F16 Bf16 F32 I16 U16 I32 U32; I8 U8 I64 U64).cut(DIVIDED),
    tmax: binary!(Max, identity, I8 U8 I16 U16 I32 U32 F16 Bf16 F32; I64 U64),
    tmin: binary!(Min, identity, I8 U8 I16 U16 I32 U32 F16 Bf16 F32; I64 U64),
    tabs: sign!(ClearSign, ClearSign, Abs, identity, I8 I16 I32 F32;),
    texp: unary!(Exp, identity, F16 F32; Bf16),
    tlog: unary!(Log, identity, F16 F32; Bf16),
    tsqrt: unary!(Sqrt, identity, F16 F32; Bf16),
    trsqrt: unary!(Rsqrt, identity, F16 F32;),
    trecip: unary!(Recip, identity, F16 F32; Bf16 I8 U8 I16 U16 I32 U32 I64 U64).cut(DIVIDED),
    tneg: sign!(FlipSign, FlipSign, Neg, modular, I16 I32 F32; I8 I64),
    tnot: unary!(Not, modular, I8 I16 I32; I64),
    tand: binary!(And, modular, I8 I16 I32; I64),
    tor: binary!(Or, modular, I8 I16 I32; I64),
    txor: binary!(Xor, modular, I8 I16 I32; I64),
    tshl: binary!(Shl, modular, I8 I16 I32; I64),
    tshr: binary!(Shr, identity, I8 U8 I16 U16 I32 U32; I64 U64),
    trem: binary!(Rem, identity, ; I8 U8 I16 U16 I32 U32 I64 U64 F16 Bf16 F32).cut(DIVIDED),
    tfmod: binary!(Fmod, identity, ; I8 U8 I16 U16 I32 U32 I64 U64 F16 Bf16 F32).cut(DIVIDED),
    tpow: kernel!(POWER, identity, Binary<Pow>, F16 Bf16 F32; I8 U8 I16 U16 I32 U32 I64 U64).cut(DIVIDED),
    trelu: sign!(ReluBits<F16_NEG_INF>, ReluBits<BF16_NEG_INF>, Relu, identity, I32 F32; I8 I16 I64 U8 U16 U32 U64),
    tprelu: binary!(Prelu, identity, F16 F32; Bf16 I8 I16 I32 I64 U8 U16 U32 U64),
    taddc: kernel!(TERNARY, modular, Ternary<Steps<Add, Add>>, I8 I16 I32 F16 Bf16 F32; I64),
    tsubc: kernel!(TERNARY, modular, Ternary<Steps<Sub, Add>>, I8 I16 I32 F16 Bf16 F32; I64),
    tmuladddst: kernel!(UPDATE, modular, Ternary<MulAdd>, F16 F32; Bf16 I8 I16 I32 I64),
    tfusedmuladd: kernel!(UPDATE, modular, Ternary<MulThirdAdd>, F16 F32; Bf16 I8 I16 I32 I64),
    tfusedmuladdrelu: kernel!(UPDATE, identity, Ternary<MulThirdAddRelu>, F16 F32; Bf16 I8 U8 I16 U16 I32 U32 I64 U64),
    taddrelu: binary!(AddRelu, identity, I16 F16 F32;),
    tsubrelu: binary!(SubRelu, identity, F16 F32; Bf16 I8 U8 I16 U16 I32 U32 I64 U64),
    taddreluconv: relu_convert!(Add),
    tsubreluconv: relu_convert!(Sub),
    tadddeqrelu: ADD_SCALE_RELU,
    tcmp: mask::COMPARE,
    tsel: mask::SELECT,
    tcvt: convert::CONVERT,
};
