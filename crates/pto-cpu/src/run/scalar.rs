//! What scalar operations compute.

use crate::prepared::{ExtendedOp, FloatOp, FloatType, IntOp, IntType, ScalarCast};
use pto_num::Baseline;

/// An integer operation; `None` when the divisor is zero.
pub(super) fn int(op: IntOp, kind: IntType, a: u64, b: u64) -> Option<u64> {
    let (sa, sb) = (kind.signed(a), kind.signed(b));
    let (ua, ub) = (kind.unsigned(a), kind.unsigned(b));
    let is_division = matches!(
        op,
        IntOp::DivSigned
            | IntOp::DivUnsigned
            | IntOp::RemSigned
            | IntOp::RemUnsigned
            | IntOp::FloorDiv
            | IntOp::CeilDivSigned
            | IntOp::CeilDivUnsigned
    );
    if is_division && ub == 0 {
        return None;
    }
    let width = u64::from(kind.bits);
    let value = match op {
        IntOp::Add => a.wrapping_add(b),
        IntOp::Sub => a.wrapping_sub(b),
        IntOp::Mul => a.wrapping_mul(b),
        IntOp::DivSigned => sa.wrapping_div(sb) as u64,
        IntOp::DivUnsigned => ua / ub,
        IntOp::RemSigned => sa.wrapping_rem(sb) as u64,
        IntOp::RemUnsigned => ua % ub,
        IntOp::FloorDiv => floor_div(sa, sb) as u64,
        IntOp::CeilDivSigned => floor_div(sa, sb).wrapping_add(i64::from(sa.wrapping_rem(sb) != 0)) as u64,
        IntOp::CeilDivUnsigned => ua.div_ceil(ub),
        IntOp::And => a & b,
        IntOp::Or => a | b,
        IntOp::Xor => a ^ b,
        IntOp::Shl => {
            if ub < width {
                a << ub
            } else {
                0
            }
        }
        IntOp::ShrSigned => (sa >> ub.min(63)) as u64,
        IntOp::ShrUnsigned => {
            if ub < width {
                ua >> ub
            } else {
                0
            }
        }
        IntOp::MaxSigned => sa.max(sb) as u64,
        IntOp::MinSigned => sa.min(sb) as u64,
        IntOp::MaxUnsigned => ua.max(ub),
        IntOp::MinUnsigned => ua.min(ub),
        IntOp::ClearBit => a & !bit(b),
        IntOp::SetBit => a | bit(b),
        IntOp::Neg => a.wrapping_neg(),
        IntOp::Abs => sa.unsigned_abs(),
    };
    Some(kind.keep(value))
}

/// A bit by its number; none when there is none.
fn bit(number: u64) -> u64 {
    if number < 64 { 1 << number } else { 0 }
}

fn floor_div(a: i64, b: i64) -> i64 {
    let quotient = a.wrapping_div(b);
    let rounded_up = a.wrapping_rem(b) != 0 && (a < 0) != (b < 0);
    if rounded_up { quotient - 1 } else { quotient }
}

/// The low and the high half.
pub(super) fn extended(op: ExtendedOp, kind: IntType, a: u64, b: u64) -> (u64, u64) {
    let bits = u32::from(kind.bits);
    let (ua, ub) = (u128::from(kind.unsigned(a)), u128::from(kind.unsigned(b)));
    let wide = match op {
        ExtendedOp::AddUnsigned => ua + ub,
        ExtendedOp::MulUnsigned => ua * ub,
        ExtendedOp::MulSigned => (i128::from(kind.signed(a)) * i128::from(kind.signed(b))) as u128,
    };
    (kind.keep(wide as u64), kind.keep((wide >> bits) as u64))
}

/// By position in the list of predicates: eq ne slt sle sgt sge ult ule ugt uge.
pub(super) fn compare_int(predicate: u8, kind: IntType, a: u64, b: u64) -> bool {
    let (sa, sb) = (kind.signed(a), kind.signed(b));
    let (ua, ub) = (kind.unsigned(a), kind.unsigned(b));
    match predicate {
        0 => ua == ub,
        1 => ua != ub,
        2 => sa < sb,
        3 => sa <= sb,
        4 => sa > sb,
        5 => sa >= sb,
        6 => ua < ub,
        7 => ua <= ub,
        8 => ua > ub,
        _ => ua >= ub,
    }
}

/// By position in the list of predicates: false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true.
pub(super) fn compare_float(predicate: u8, a: f64, b: f64) -> bool {
    let unordered = a.is_nan() || b.is_nan();
    match predicate {
        0 => false,
        1 => a == b,
        2 => a > b,
        3 => a >= b,
        4 => a < b,
        5 => a <= b,
        6 => !unordered && a != b,
        7 => !unordered,
        8 => unordered || a == b,
        9 => unordered || a > b,
        10 => unordered || a >= b,
        11 => unordered || a < b,
        12 => unordered || a <= b,
        13 => unordered || a != b,
        14 => unordered,
        _ => true,
    }
}

/// In f64 every result of narrower operands rounds once more without harm.
pub(super) fn float(op: FloatOp, kind: FloatType, a: u64, b: u64) -> u64 {
    let (x, y) = (kind.value(a), kind.value(b));
    let value = match op {
        FloatOp::Add => x + y,
        FloatOp::Sub => x - y,
        FloatOp::Mul => x * y,
        FloatOp::Div => x / y,
        FloatOp::Rem => x % y,
        FloatOp::Maximum => {
            if x.is_nan() || y.is_nan() {
                f64::NAN
            } else {
                larger(x, y)
            }
        }
        FloatOp::Minimum => {
            if x.is_nan() || y.is_nan() {
                f64::NAN
            } else {
                -larger(-x, -y)
            }
        }
        FloatOp::MaxNum => {
            if x.is_nan() {
                y
            } else if y.is_nan() {
                x
            } else {
                larger(x, y)
            }
        }
        FloatOp::MinNum => {
            if x.is_nan() {
                y
            } else if y.is_nan() {
                x
            } else {
                -larger(-x, -y)
            }
        }
        FloatOp::Neg => -x,
        FloatOp::Abs => x.abs(),
        FloatOp::Exp => f64::from(pto_num::math::exp::<Baseline>(x as f32)),
        FloatOp::Log => f64::from(pto_num::math::ln(x as f32)),
        FloatOp::Sqrt => x.sqrt(),
    };
    kind.round(value)
}

/// +0 is larger than −0.
fn larger(x: f64, y: f64) -> f64 {
    if x > y || (x == y && y.is_sign_negative()) { x } else { y }
}

pub(super) fn cast(cast: ScalarCast, a: u64) -> u64 {
    match cast {
        ScalarCast::Int { from, to, signed } => to.keep(if signed { from.signed(a) as u64 } else { from.unsigned(a) }),
        ScalarCast::IntToFloat { from, to, signed } => {
            let exact =
                if signed { int_to_f64(from.signed(a).into(), to) } else { int_to_f64(from.unsigned(a).into(), to) };
            to.round(exact)
        }
        ScalarCast::FloatToInt { from, to, signed } => {
            let x = from.value(a);
            // Out of range has no defined value; the nearest one is as good as any and the same everywhere.
            to.keep(if signed { saturate_signed(x, to) } else { saturate_unsigned(x, to) })
        }
        ScalarCast::Float { from, to } => to.round(from.value(a)),
        ScalarCast::IntToFloatBits { to } => to.of_bits(a),
        ScalarCast::FloatToIntBits { from, to } => to.keep(from.to_bits(a)),
    }
}

/// An integer as f64; to odd where it is not exact and will be rounded again.
fn int_to_f64(n: i128, to: FloatType) -> f64 {
    let near = n as f64;
    if to == FloatType::F64 || near as i128 == n {
        return near;
    }
    let below = if (near as i128).abs() > n.abs() { f64::from_bits(near.to_bits() - 1) } else { near };
    f64::from_bits(below.to_bits() | 1)
}

fn saturate_signed(x: f64, to: IntType) -> u64 {
    let limit = 1i128 << (to.bits - 1).min(63);
    (x as i128).clamp(-limit, limit - 1) as u64
}

fn saturate_unsigned(x: f64, to: IntType) -> u64 {
    (x as i128).clamp(0, (1i128 << to.bits) - 1) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const I8: IntType = IntType { bits: 8, unsigned: false };
    const I1: IntType = IntType { bits: 1, unsigned: true };

    #[test]
    fn integers_wrap_at_their_width() {
        assert_eq!(int(IntOp::Add, I8, 127, 1), Some(-128i64 as u64));
        assert_eq!(int(IntOp::DivSigned, I8, -128i64 as u64, -1i64 as u64), Some(-128i64 as u64));
        assert_eq!(int(IntOp::DivUnsigned, I8, -1i64 as u64, 2), Some(127));
        assert_eq!(int(IntOp::RemSigned, I8, 5, 0), None);
        assert_eq!(int(IntOp::FloorDiv, I8, -7i64 as u64, 2), Some(-4i64 as u64));
        assert_eq!(int(IntOp::CeilDivSigned, I8, -7i64 as u64, 2), Some(-3i64 as u64));
        assert_eq!(int(IntOp::Shl, I8, 1, 8), Some(0));
        assert_eq!(int(IntOp::Add, I1, 1, 1), Some(0));
        let i64_ = IntType { bits: 64, unsigned: false };
        assert_eq!(int(IntOp::SetBit, i64_, 0, 1 << 32), Some(0));
    }

    #[test]
    fn casts_keep_their_sign() {
        let i64_ = IntType { bits: 64, unsigned: false };
        assert_eq!(cast(ScalarCast::Int { from: I1, to: i64_, signed: true }, 1), -1i64 as u64);
        assert_eq!(cast(ScalarCast::Int { from: I8, to: i64_, signed: false }, -1i64 as u64), 255);
        let f16 = cast(ScalarCast::IntToFloat { from: i64_, to: FloatType::F16, signed: true }, 2049);
        assert_eq!(f32::from_bits(f16 as u32), 2048.0);
        assert_eq!(
            cast(ScalarCast::FloatToInt { from: FloatType::F32, to: I8, signed: true }, u64::from(300f32.to_bits())),
            127
        );
    }

    #[test]
    fn floats_round_to_their_type() {
        let half = |x: f32| u64::from(x.to_bits());
        assert_eq!(float(FloatOp::Add, FloatType::F16, half(2048.0), half(1.0)), half(2048.0));
        assert_eq!(float(FloatOp::Maximum, FloatType::F32, half(0.0), half(-0.0)), half(0.0));
        assert!(compare_float(13, f64::NAN, 1.0));
    }
}
