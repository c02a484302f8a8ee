//! Instructions whose sources may cover only a part of the destination.

use super::call::{OpKernel, Prepared, Site};
use super::contiguous;
use super::cover::Cover;
use super::elem::{modular, prepare};
use super::map::Binary;
use super::ops::{Add, Max, Min, Mul};
use super::parts::{Doubt, Larger, PartArg, Smaller};
use pto_isa::DType;
use pto_num::F16;
use std::convert::identity;

const BINARY: &[&str; 3] = &["src0", "src1", "dst"];
const PAIRS: &[&str; 6] = &["src0_val", "src1_val", "src0_idx", "src1_idx", "dst_val", "dst_idx"];

/// A kernel for the element types listed, those after the semicolon without vector instructions.
macro_rules! part {
    ($op:ty, $of:expr, $($types:tt)+) => {
        OpKernel::new(BINARY, |site: &Site| {
            prepare!(site, BINARY, $of(site.tile("dst")?.dtype), E in [$($types)+] => Binary<$op, E>)
                .map(|p| p.with(Cover::Part.imm()))
        })
    };
}

/// A kernel of values with indices.
macro_rules! part_arg {
    ($better:ty) => {
        OpKernel::new(PAIRS, |site: &Site| {
            let rows = contiguous(site, PAIRS);
            let prepared = match (site.tile("dst_val")?.dtype, site.tile("dst_idx")?.dtype.bits()) {
                (DType::F16, 16) => Prepared::new::<PartArg<$better, F16, i16>>(site, rows),
                (DType::F16, 32) => Prepared::new::<PartArg<$better, F16, i32>>(site, rows),
                (DType::F32, 32) => Prepared::new::<PartArg<$better, f32, i32>>(site, rows),
                _ => return None,
            };
            Some(prepared.with(Doubt::of(site).imm()))
        })
    };
}

pto_isa::partial!(kernels);

const KERNELS: Kernels = Kernels {
    tpartadd: part!(Add, modular, I8 I16 I32 F16 Bf16 F32; I64),
    tpartmul: part!(Mul, modular, I8 I16 I32 F16 Bf16 F32;),
    tpartmax: part!(Max, identity, I8 U8 I16 U16 I32 U32 F16 Bf16 F32; I64 U64),
    tpartmin: part!(Min, identity, I8 U8 I16 U16 I32 U32 F16 Bf16 F32; I64 U64),
    tpartargmax: part_arg!(Larger),
    tpartargmin: part_arg!(Smaller),
};
