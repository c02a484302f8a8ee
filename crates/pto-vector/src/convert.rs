//! Conversions between element types.
//!
//! Every pair of types works by the exact arithmetic of `pto-num`; the pairs that programs use have vector code, which
//! gives the same bits.

mod drive;
mod exact;
mod how;
mod mode;
mod pairs;
#[cfg(target_arch = "x86_64")]
mod v4;

use super::call::{KernelCut, OpKernel, Prepared, Site};
use super::contiguous;
use drive::{Conversion, Fast};
use how::ConvertOptions;
use mode::{Rint, by_mode};
use pairs::{FromInt, FromLong, IntToInt, ToBf16, ToFloat8, ToHalf, ToHif8, ToInt, ToLong, ToSingle, ToWhole};
use pto_isa::DType;
use pto_num::{Bf16, F8E4M3, F8E5M2, F16, Hif8, Round};

const TILES: &[&str; 2] = &["src", "dst"];

pub(super) const CONVERT: OpKernel = OpKernel::new(TILES, |site| {
    let how = ConvertOptions::of(site)?;
    let fast = if how.src.is_float() { from_float(site, how) } else { from_int(site, how) };
    let prepared = fast.unwrap_or_else(|| Prepared::new::<exact::Any>(site, false));
    Some(prepared.with(how.imm()))
})
.cut(KernelCut::ELEMENTS);

fn fast<C: Conversion>(site: &Site) -> Prepared<2> {
    Prepared::new::<Fast<C>>(site, contiguous(site, TILES))
}

fn from_float(site: &Site, how: ConvertOptions) -> Option<Prepared<2>> {
    use DType::{F32, I8, I16, I32, I64, U8};
    let round = how.round;
    match (how.src, how.dst) {
        (DType::F16, F32) => Some(fast::<ToSingle<F16>>(site)),
        (DType::Bf16, F32) => Some(fast::<ToSingle<Bf16>>(site)),
        (DType::F8E4M3, F32) => Some(fast::<ToSingle<F8E4M3>>(site)),
        (DType::F8E5M2, F32) => Some(fast::<ToSingle<F8E5M2>>(site)),
        (DType::Hif8, F32) => Some(fast::<ToSingle<Hif8>>(site)),
        (F32, F32) => by_mode!(round, R => fast::<ToWhole<R>>(site)),
        (F32, DType::F16) => by_mode!(round, R => fast::<ToHalf<R, f32>>(site)),
        (DType::Bf16, DType::F16) => by_mode!(round, R => fast::<ToHalf<R, Bf16>>(site)),
        (F32, DType::Bf16) => by_mode!(round, R => fast::<ToBf16<R, f32>>(site)),
        (DType::F16, DType::Bf16) if round == Round::Rint => Some(fast::<ToBf16<Rint, F16>>(site)),
        (F32, DType::F8E4M3) if round == Round::Rint => Some(fast::<ToFloat8<F8E4M3>>(site)),
        (F32, DType::F8E5M2) if round == Round::Rint => Some(fast::<ToFloat8<F8E5M2>>(site)),
        (F32, DType::Hif8) if round == Round::Round => Some(fast::<ToHif8<f32>>(site)),
        (DType::F16, DType::Hif8) if round == Round::Round => Some(fast::<ToHif8<F16>>(site)),
        (F32, I64) => by_mode!(round, R => fast::<ToLong<R>>(site)),
        (F32, I32) => by_mode!(round, R => fast::<ToInt<R, f32, i32>>(site)),
        (F32, I16) => by_mode!(round, R => fast::<ToInt<R, f32, i16>>(site)),
        (F32, I8) => by_mode!(round, R => fast::<ToInt<R, f32, i8>>(site)),
        (F32, U8) => by_mode!(round, R => fast::<ToInt<R, f32, u8>>(site)),
        (DType::F16, I32) => by_mode!(round, R => fast::<ToInt<R, F16, i32>>(site)),
        (DType::F16, I16) => by_mode!(round, R => fast::<ToInt<R, F16, i16>>(site)),
        (DType::F16, I8) => by_mode!(round, R => fast::<ToInt<R, F16, i8>>(site)),
        (DType::F16, U8) => by_mode!(round, R => fast::<ToInt<R, F16, u8>>(site)),
        (DType::Bf16, I32) => by_mode!(round, R => fast::<ToInt<R, Bf16, i32>>(site)),
        _ => None,
    }
}

fn from_int(site: &Site, how: ConvertOptions) -> Option<Prepared<2>> {
    use DType::{F32, I8, I16, I32, I64, U8, U16, U32};
    let round = how.round;
    Some(match (how.src, how.dst) {
        (I64, F32) if round == Round::Rint => fast::<FromLong>(site),
        (I32, F32) => return by_mode!(round, R => fast::<FromInt<R>>(site)),
        (I32, DType::F16) => return by_mode!(round, R => fast::<ToHalf<R, i32>>(site)),
        (I16, DType::F16) => return by_mode!(round, R => fast::<ToHalf<R, i16>>(site)),
        (I8, DType::F16) => fast::<ToHalf<Rint, i8>>(site),
        (U8, DType::F16) => fast::<ToHalf<Rint, u8>>(site),
        (I16, F32) => fast::<ToSingle<i16>>(site),
        (I8, F32) => fast::<ToSingle<i8>>(site),
        (U8, F32) => fast::<ToSingle<u8>>(site),
        (I64, I32) => fast::<IntToInt<i64, i32>>(site),
        (I32, I64) => fast::<IntToInt<i32, i64>>(site),
        (I32, I16) => fast::<IntToInt<i32, i16>>(site),
        (I32, U8) => fast::<IntToInt<i32, u8>>(site),
        (I32, U16) => fast::<IntToInt<i32, u16>>(site),
        (I32, I8) => fast::<IntToInt<i32, i8>>(site),
        (U32, I16) => fast::<IntToInt<u32, i16>>(site),
        (U32, U8) => fast::<IntToInt<u32, u8>>(site),
        (U32, U16) => fast::<IntToInt<u32, u16>>(site),
        (I16, I32) => fast::<IntToInt<i16, i32>>(site),
        (I16, U32) => fast::<IntToInt<i16, u32>>(site),
        (I16, U8) => fast::<IntToInt<i16, u8>>(site),
        (I16, I8) => fast::<IntToInt<i16, i8>>(site),
        (I8, I32) => fast::<IntToInt<i8, i32>>(site),
        (I8, I16) => fast::<IntToInt<i8, i16>>(site),
        (U8, U16) => fast::<IntToInt<u8, u16>>(site),
        (U8, I32) => fast::<IntToInt<u8, i32>>(site),
        _ => return None,
    })
}
