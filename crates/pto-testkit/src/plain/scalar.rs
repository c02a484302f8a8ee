//! Scalar arithmetic.

use super::convert::{from_f64, from_int, low, to_f64, truncated, width};
use super::value::Val;
use super::{PlainMachine, PlainResult, scalar};
use pto::ir::{Attr, OpId, ValueId};
use pto::isa::table::op;
use pto::isa::{Class, Op, ScalarType, codes};

/// The number behind the bits of an integer, read with the sign its type has.
pub fn to_int(bits: u64, s: ScalarType) -> i128 {
    let unsigned = s == ScalarType::I1 || matches!(s, ScalarType::Elem(d) if d.class() == Class::Unsigned);
    if unsigned { i128::from(bits) } else { signed(bits, width(s)) }
}

/// The number behind bits in two's complement.
fn signed(bits: u64, width: u32) -> i128 {
    let n = i128::from(bits);
    if n >> (width - 1) == 1 { n - (1 << width) } else { n }
}

impl PlainMachine<'_> {
    pub fn arithmetic(&mut self, id: OpId) -> PlainResult<()> {
        let code = self.module.op(id).op;
        let results: Vec<ValueId> = self.module.results(id).collect();
        let operands: Vec<ValueId> = self.module.operands(id).iter().map(|o| o.value).collect();
        let result = results[0];
        let value = match (code, &operands[..]) {
            (op::arith_constant, _) => Val::Bits(self.constant(id, scalar(self.ty(result)))),
            (op::arith_select, [condition, yes, no]) => {
                if self.get(*condition).truth() {
                    self.get(*yes)
                } else {
                    self.get(*no)
                }
            }
            (op::builtin_unrealized_conversion_cast, [a]) => self.get(*a),
            (op::arith_cmpi | op::arith_cmpf, [a, b]) => {
                let s = scalar(self.ty(*a));
                let (a, b) = (self.get(*a).bits(), self.get(*b).bits());
                let name = self.predicate(id);
                let holds = if code == op::arith_cmpi {
                    compare_int(name, a, b, width(s))
                } else {
                    compare_float(name, to_f64(a, s), to_f64(b, s))
                };
                Val::Bits(u64::from(holds))
            }
            (op::arith_addui_extended | op::arith_mulsi_extended | op::arith_mului_extended, [a, b]) => {
                let s = scalar(self.ty(*a));
                let (low, high) = extended(code, self.get(*a).bits(), self.get(*b).bits(), width(s));
                self.set(results[1], Val::Bits(high));
                Val::Bits(low)
            }
            (_, [a]) => {
                let (from, to) = (scalar(self.ty(*a)), scalar(self.ty(result)));
                Val::Bits(cast(code, self.get(*a).bits(), from, to))
            }
            (_, [a, b]) => {
                let s = scalar(self.ty(*a));
                let (a, b) = (self.get(*a).bits(), self.get(*b).bits());
                Val::Bits(if s.is_float() { float(code, a, b, s) } else { int(code, a, b, width(s))? })
            }
            _ => panic!("{} with {} operands", code.row().name, operands.len()),
        };
        self.set(result, value);
        Ok(())
    }

    fn constant(&self, id: OpId, s: ScalarType) -> u64 {
        match self.module.attr(id, "value") {
            Some(Attr::Bool(b)) => u64::from(*b),
            Some(Attr::Int(n, _)) => from_int(*n, s),
            Some(Attr::Float(x, _)) => from_f64(*x, s),
            Some(Attr::FloatBits(bits, _)) => *bits,
            other => panic!("constant {other:?}"),
        }
    }

    fn predicate(&self, id: OpId) -> &'static str {
        match self.module.attr(id, "predicate") {
            Some(Attr::Enum(def, at)) => def.value(usize::from(*at)),
            other => panic!("predicate {other:?}"),
        }
    }
}

fn int(code: Op, a: u64, b: u64, bits: u32) -> PlainResult<u64> {
    let (ua, ub) = (i128::from(a), i128::from(b));
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let divides = matches!(
        code,
        op::arith_divsi
            | op::arith_divui
            | op::arith_remsi
            | op::arith_remui
            | op::arith_floordivsi
            | op::arith_ceildivsi
            | op::arith_ceildivui
    );
    if divides && b == 0 {
        return Err(codes::RUN_DIVISION);
    }
    let out = b >= u64::from(bits);
    let n = match code {
        op::arith_addi => ua + ub,
        op::arith_subi => ua - ub,
        // The low half of a product does not depend on the signs.
        op::arith_muli => (a as u128).wrapping_mul(u128::from(b)) as i128,
        op::arith_divsi => sa / sb,
        op::arith_divui => ua / ub,
        op::arith_remsi => sa % sb,
        op::arith_remui => ua % ub,
        op::arith_floordivsi => floor(sa, sb),
        op::arith_ceildivsi => -floor(-sa, sb),
        op::arith_ceildivui => (ua + ub - 1) / ub,
        op::arith_andi => ua & ub,
        op::arith_ori => ua | ub,
        op::arith_xori => ua ^ ub,
        op::arith_shli => {
            if out {
                0
            } else {
                ua << b
            }
        }
        op::arith_shrui => {
            if out {
                0
            } else {
                ua >> b
            }
        }
        op::arith_shrsi => {
            if out {
                -i128::from(sa < 0)
            } else {
                sa >> b
            }
        }
        op::arith_maxsi => sa.max(sb),
        op::arith_minsi => sa.min(sb),
        op::arith_maxui => ua.max(ub),
        op::arith_minui => ua.min(ub),
        _ => panic!("{} of integers", code.row().name),
    };
    Ok(low(n, bits))
}

/// The largest integer that is not above `a / b`.
fn floor(a: i128, b: i128) -> i128 {
    if b > 0 { a.div_euclid(b) } else { (-a).div_euclid(-b) }
}

/// The low and the high half.
fn extended(code: Op, a: u64, b: u64, bits: u32) -> (u64, u64) {
    let wide = match code {
        op::arith_addui_extended => u128::from(a) + u128::from(b),
        op::arith_mului_extended => u128::from(a) * u128::from(b),
        _ => (signed(a, bits) * signed(b, bits)) as u128,
    };
    (low(wide as i128, bits), low((wide >> bits) as i128, bits))
}

fn compare_int(predicate: &str, a: u64, b: u64, bits: u32) -> bool {
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    match predicate {
        "eq" => a == b,
        "ne" => a != b,
        "slt" => sa < sb,
        "sle" => sa <= sb,
        "sgt" => sa > sb,
        "sge" => sa >= sb,
        "ult" => a < b,
        "ule" => a <= b,
        "ugt" => a > b,
        "uge" => a >= b,
        other => panic!("predicate {other}"),
    }
}

fn compare_float(predicate: &str, a: f64, b: f64) -> bool {
    let order = a.partial_cmp(&b);
    match predicate {
        "false" => return false,
        "true" => return true,
        "ord" => return order.is_some(),
        "uno" => return order.is_none(),
        _ => {}
    }
    // `u` says what a NaN gives, the rest is the comparison.
    let Some(order) = order else { return predicate.starts_with('u') };
    match &predicate[1..] {
        "eq" => order.is_eq(),
        "ne" => order.is_ne(),
        "gt" => order.is_gt(),
        "ge" => order.is_ge(),
        "lt" => order.is_lt(),
        "le" => order.is_le(),
        other => panic!("predicate {other}"),
    }
}

/// Narrow floats are computed in f32, which leaves enough digits to round once more.
fn float(code: Op, a: u64, b: u64, s: ScalarType) -> u64 {
    let (x, y) = (to_f64(a, s), to_f64(b, s));
    let (single, double) = ((x as f32, y as f32), s == ScalarType::F64);
    macro_rules! both {
        ($op:tt) => { if double { x $op y } else { f64::from(single.0 $op single.1) } };
    }
    let value = match code {
        op::arith_addf => both!(+),
        op::arith_subf => both!(-),
        op::arith_mulf => both!(*),
        op::arith_divf => both!(/),
        op::arith_remf => both!(%),
        op::arith_maximumf | op::arith_minimumf if x.is_nan() || y.is_nan() => f64::NAN,
        op::arith_maxnumf | op::arith_minnumf if x.is_nan() => y,
        op::arith_maxnumf | op::arith_minnumf if y.is_nan() => x,
        op::arith_maximumf | op::arith_maxnumf => {
            if x.total_cmp(&y).is_ge() {
                x
            } else {
                y
            }
        }
        op::arith_minimumf | op::arith_minnumf => {
            if x.total_cmp(&y).is_le() {
                x
            } else {
                y
            }
        }
        _ => panic!("{} of floats", code.row().name),
    };
    from_f64(value, s)
}

fn cast(code: Op, bits: u64, from: ScalarType, to: ScalarType) -> u64 {
    match code {
        op::arith_bitcast => bits,
        op::arith_negf => bits ^ 1 << (width(from) - 1),
        op::arith_trunci => low(i128::from(bits), width(to)),
        op::arith_index_cast | op::arith_extsi => low(signed(bits, width(from)), width(to)),
        op::arith_index_castui | op::arith_extui => low(i128::from(bits), width(to)),
        op::arith_sitofp => from_int(signed(bits, width(from)), to),
        op::arith_uitofp => from_int(i128::from(bits), to),
        op::arith_fptosi => truncated(to_f64(bits, from), to, true),
        op::arith_fptoui => truncated(to_f64(bits, from), to, false),
        op::arith_extf | op::arith_truncf => from_f64(to_f64(bits, from), to),
        _ => panic!("{}", code.row().name),
    }
}
