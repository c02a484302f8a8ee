//! Constants.

use super::types::scalar_type;
use super::{EmitResult, Writer};
use pto_ir::{Attr, OpId};
use pto_isa::text;
use pto_isa::{DType, ScalarType, Type};
use pto_num::{Bf16, F16, Float};

impl Writer<'_> {
    /// Numbers are written where they are used; lists get a variable, since calls take them by reference.
    pub(super) fn constant(&mut self, id: OpId) -> EmitResult<()> {
        let value = self.result(id)?;
        let attr = self.module.attr(id, "value").cloned();
        let text = match (self.module.value_type(value), attr) {
            (Type::Scalar(s), Some(attr)) => self.number(*s, &attr),
            (Type::Vector(_), Some(Attr::Raw(text))) => {
                let list = dense(self.module.names.text(text), self.module.value_type(value));
                self.declare(value, "MrgSortExecutedNumList", &list, false);
                return Ok(());
            }
            _ => None,
        };
        let Some(text) = text else { return Err(self.unsupported(text!("this constant"))) };
        self.values.literal[value.index()] = true;
        self.values.texts[value.index()] = Some(text);
        Ok(())
    }

    /// The literal of a number.
    fn number(&self, ty: ScalarType, attr: &Attr) -> Option<String> {
        match (ty, attr) {
            (ScalarType::I1, Attr::Bool(b)) => Some(b.to_string()),
            (ScalarType::I1, Attr::Int(n, _)) => Some((*n != 0).to_string()),
            (_, Attr::Bool(b)) => Some(i32::from(*b).to_string()),
            (ScalarType::Index, Attr::Int(n, _)) => integer(*n, false),
            (ScalarType::Elem(d), Attr::Int(n, _)) if d.is_int() => {
                integer(*n, matches!(d, DType::U8 | DType::U16 | DType::U32 | DType::U64))
            }
            (ScalarType::F64, Attr::FloatBits(bits, _)) => Some(float(f64::from_bits(*bits), ty)),
            (ScalarType::Elem(d), Attr::FloatBits(bits, _)) => Some(float(from_bits(d, *bits)?, ty)),
            (_, Attr::Float(x, _)) => Some(float(*x, ty)),
            (_, Attr::Int(n, _)) => Some(float(*n as f64, ty)),
            _ => None,
        }
    }
}

/// A literal of the right width.
fn integer(n: i128, unsigned: bool) -> Option<String> {
    Some(match n {
        _ if unsigned && n > i128::from(i64::MAX) => format!("{}ULL", u64::try_from(n).ok()?),
        _ if n == i128::from(i64::MIN) => format!("({}LL - 1)", n + 1),
        _ if n == i128::from(i32::MIN) => format!("({} - 1)", n + 1),
        _ if i32::try_from(n).is_ok() => n.to_string(),
        _ => format!("{}LL", i64::try_from(n).ok()?),
    })
}

/// A floating-point literal; narrow types are converted from `float`, which is exact for what they can hold.
fn float(x: f64, ty: ScalarType) -> String {
    let single = ty != ScalarType::F64;
    let plain = if x.is_nan() {
        if single { "__builtin_nanf(\"\")".to_string() } else { "__builtin_nan(\"\")".to_string() }
    } else if x.is_infinite() {
        let word = if single { "__builtin_inff()" } else { "__builtin_inf()" };
        if x < 0.0 { format!("-{word}") } else { word.to_string() }
    } else if single {
        format!("{:?}f", x as f32)
    } else {
        format!("{x:?}")
    };
    match ty {
        ScalarType::F64 | ScalarType::Elem(DType::F32) => plain,
        other => format!("static_cast<{}>({plain})", scalar_type(other)),
    }
}

/// The number behind the bits of a format that a scalar can have.
fn from_bits(d: DType, bits: u64) -> Option<f64> {
    let bits = u32::try_from(bits).ok()?;
    Some(f64::from(match d {
        DType::F32 => f32::from_bits(bits),
        DType::Bf16 => Bf16::from_bits(bits).to_f32(),
        DType::F16 => F16::from_bits(bits).to_f32(),
        _ => return None,
    }))
}

/// The numbers of `dense<…>` in braces; a single one is a splat.
fn dense(text: &str, ty: &Type) -> String {
    let count = match ty {
        Type::Vector(v) => v.elements().unwrap_or(1) as usize,
        _ => 1,
    };
    let inner = text.split_once('<').map_or("", |(_, rest)| rest);
    let inner = inner.split('>').next().unwrap_or("");
    let numbers: Vec<&str> = inner.trim_matches(['[', ']', ' ']).split(',').map(str::trim).collect();
    let list = if numbers.len() == 1 { vec![numbers[0]; count.min(64)] } else { numbers };
    format!("{{{}}}", list.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_the_width_they_need() {
        assert_eq!(integer(7, false).as_deref(), Some("7"));
        assert_eq!(integer(5_000_000_000, false).as_deref(), Some("5000000000LL"));
        assert_eq!(integer(i128::from(i64::MIN), false).as_deref(), Some("(-9223372036854775807LL - 1)"));
        assert_eq!(integer(i128::from(u64::MAX), true).as_deref(), Some("18446744073709551615ULL"));
        assert_eq!(integer(i128::MAX, false), None);
    }

    #[test]
    fn floats_are_exact() {
        let f32_ = ScalarType::Elem(DType::F32);
        assert_eq!(float(0.1, f32_), "0.1f");
        assert_eq!(float(1.0, f32_), "1.0f");
        assert_eq!(float(1e30, f32_), "1e30f");
        assert_eq!(float(f64::NEG_INFINITY, f32_), "-__builtin_inff()");
        assert_eq!(float(2.5, ScalarType::Elem(DType::F16)), "static_cast<half>(2.5f)");
        assert_eq!(float(0.1, ScalarType::F64), "0.1");
        assert_eq!(from_bits(DType::F16, 0x3c00), Some(1.0));
        assert_eq!(from_bits(DType::F16, 0x8001), Some(-(2f64.powi(-24))));
        assert_eq!(from_bits(DType::Bf16, 0x3f80), Some(1.0));
    }

    #[test]
    fn lists_are_spread() {
        let ty = Type::Vector(pto_isa::ViewType {
            dims: [pto_isa::Dim::Fixed(4)].into(),
            elem: ScalarType::Elem(DType::I16),
        });
        assert_eq!(dense("dense<0>", &ty), "{0, 0, 0, 0}");
        assert_eq!(dense("dense<[1, 2, 3, 4]> : vector<4xi16>", &ty), "{1, 2, 3, 4}");
    }
}
