//! Elementwise instructions.

use super::call::{Kernel, Prepared, Site};
use super::elem::by_type;
use super::map::{Binary, Unary};
use super::ops::{Add, Exp, Max};
use super::{contiguous, convert, mask};

const BINARY: &[&str] = &["src0", "src1", "dst"];
const UNARY: &[&str] = &["src", "dst"];

/// A kernel of two tiles for the element types listed.
macro_rules! binary {
    ($op:ty, $($dtype:ident)+) => {
        Kernel::new(BINARY, |site: &Site| {
            by_type!(site.tile("dst")?.dtype, E in [$($dtype)+] => Prepared::new::<Binary<$op, E>>(site, contiguous(site, BINARY)))
        })
    };
}

/// A kernel of one tile for the element types listed.
macro_rules! unary {
    ($op:ty, $($dtype:ident)+) => {
        Kernel::new(UNARY, |site: &Site| {
            by_type!(site.tile("dst")?.dtype, E in [$($dtype)+] => Prepared::new::<Unary<$op, E>>(site, contiguous(site, UNARY)))
        })
    };
}

pto_isa::elementwise!(kernels);

const KERNELS: Kernels = Kernels {
    tadd: binary!(Add, I8 U8 I16 U16 I32 U32 I64 U64 F16 Bf16 F32),
    tsub: Kernel::MISSING,
    tmul: Kernel::MISSING,
    tdiv: Kernel::MISSING,
    tmax: binary!(Max, I8 U8 I16 U16 I32 U32 I64 U64 F16 Bf16 F32),
    tmin: Kernel::MISSING,
    tabs: Kernel::MISSING,
    texp: unary!(Exp, F16 F32),
    tlog: Kernel::MISSING,
    tsqrt: Kernel::MISSING,
    trsqrt: Kernel::MISSING,
    trecip: Kernel::MISSING,
    tneg: Kernel::MISSING,
    tnot: Kernel::MISSING,
    tand: Kernel::MISSING,
    tor: Kernel::MISSING,
    txor: Kernel::MISSING,
    tshl: Kernel::MISSING,
    tshr: Kernel::MISSING,
    trem: Kernel::MISSING,
    tfmod: Kernel::MISSING,
    tpow: Kernel::MISSING,
    trelu: Kernel::MISSING,
    tprelu: Kernel::MISSING,
    taddc: Kernel::MISSING,
    tsubc: Kernel::MISSING,
    tmuladddst: Kernel::MISSING,
    tfusedmuladd: Kernel::MISSING,
    tfusedmuladdrelu: Kernel::MISSING,
    taddrelu: Kernel::MISSING,
    tsubrelu: Kernel::MISSING,
    taddreluconv: Kernel::MISSING,
    tsubreluconv: Kernel::MISSING,
    tadddeqrelu: Kernel::MISSING,
    tcmp: mask::COMPARE,
    tsel: mask::SELECT,
    tcvt: convert::CONVERT,
};
