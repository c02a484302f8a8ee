//! How an instruction converts: the types, the rounding, and what happens out of range.

use crate::call::{Call, Numerics, Site};
use pto_isa::Class;
use pto_isa::DType::{self, Bf16, F16, F32, Hif8, I8, I16, I32, I64, U8, U32};
use pto_isa::rules::AttrValue;
use pto_num::{Round, Saturate};

/// The types and options of a conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConvertOptions {
    /// Element type of the source.
    pub src: DType,
    /// Element type of the destination.
    pub dst: DType,
    /// Rounding.
    pub round: Round,
    /// Out of range.
    pub saturate: Saturate,
}

impl ConvertOptions {
    /// What the instruction asks for, and what the device makes of it.
    pub fn of(site: &Site) -> Option<Self> {
        let (src, dst) = (site.tile("src")?.dtype, site.tile("dst")?.dtype);
        let round = rounding(site.attr("rmode")?, src, dst, site.numerics)?;
        Some(Self { src, dst, round, saturate: saturation(site, src, dst) })
    }

    /// Encoded as immediates of a call.
    pub fn imm(self) -> [u64; 2] {
        let off = self.saturate == Saturate::Off;
        [self.src as u64 | (self.dst as u64) << 8 | (self.round as u64) << 16 | u64::from(off) << 24, 0]
    }

    /// Reads it back.
    #[inline(always)]
    pub fn from_call(call: &Call<2>) -> Self {
        let byte = |i: u32| (call.imm[0] >> (8 * i)) as usize & 0xff;
        let saturate = if byte(3) == 1 { Saturate::Off } else { Saturate::On };
        Self { src: DType::ALL[byte(0)], dst: DType::ALL[byte(1)], round: Round::ALL[byte(2)], saturate }
    }
}

/// The rounding of a mode for a pair of types.
fn rounding(mode: &str, src: DType, dst: DType, numerics: Numerics) -> Option<Round> {
    let default = if src.is_float() && dst.is_int() { Round::Trunc } else { Round::Rint };
    let round = match mode {
        "NONE" => default,
        "RINT" | "CAST_RINT" => Round::Rint,
        "ROUND" => Round::Round,
        "FLOOR" => Round::Floor,
        "CEIL" => Round::Ceil,
        "TRUNC" => Round::Trunc,
        "ODD" => Round::Odd,
        _ => return None,
    };
    let device = numerics != Numerics::Reference;
    Some(match (src, dst) {
        (F32 | F16, Hif8) if device => Round::Round,
        (F32, F16) => round,
        // Only that pair rounds to odd.
        _ if round == Round::Odd => default,
        _ => round,
    })
}

/// Saturation as asked for, or that of the pair.
fn saturation(site: &Site, src: DType, dst: DType) -> Saturate {
    // Where nothing finite is out of range, infinities are not either.
    if largest(dst).is_some_and(|most| greatest(src) <= most) {
        return Saturate::Off;
    }
    let wraps = matches!((src, dst), (F16, U8 | I8 | I16) | (F32 | I32, I16) | (I64, I32));
    let asked = site.instance.attr("sat_mode").and_then(|v: AttrValue| v.enum_name());
    let off = match (site.numerics, asked) {
        // Without scratch memory the device wraps only where that is the default.
        (Numerics::A2A3, Some("OFF")) if !site.instance.given("tmp") => wraps,
        (Numerics::A5, _) if (src, dst) == (I16, U32) => true,
        (_, Some(mode)) => mode == "OFF",
        (_, None) => wraps,
    };
    if off { Saturate::Off } else { Saturate::On }
}

/// Numbers in a row with this many valid columns: a column of an fp4 tile holds two.
#[inline(always)]
pub fn numbers(dtype: DType, cols: usize) -> usize {
    if matches!(dtype, DType::F4E1M2 | DType::F4E2M1) { 2 * cols } else { cols }
}

/// A bound for the finite values of a type.
fn greatest(dtype: DType) -> f32 {
    let sign = u32::from(dtype.class() == Class::Signed);
    largest(dtype).unwrap_or_else(|| f32::exp2((dtype.bits() - sign) as f32))
}

/// The largest finite value of a floating-point type.
pub fn largest(dtype: DType) -> Option<f32> {
    match dtype {
        F32 => Some(f32::MAX),
        Bf16 => Some(f32::from_bits(0x7f7f_0000)),
        F16 => Some(65504.0),
        DType::F8E4M3 => Some(448.0),
        DType::F8E5M2 => Some(57344.0),
        Hif8 => Some(32768.0),
        DType::F4E1M2 => Some(1.75),
        DType::F4E2M1 => Some(6.0),
        _ => None,
    }
}
