//! Numbers of the constant pool as text.

use pto_ir::print::float_text;
use pto_num::{Bf16, F16, Float};

/// A number from its bits: in decimal where that is exact and finite.
pub(crate) fn literal(bytes: &[u8], ty: &str, is_float: bool) -> String {
    let digits: String = bytes.iter().rev().map(|b| format!("{b:02X}")).collect();
    let bits = u64::from_str_radix(&digits, 16).unwrap_or(0);
    let single = |x: f32| x.is_finite().then(|| float_text(x));
    let decimal = match (is_float, ty, bytes.len()) {
        (true, "f32", 4) => single(f32::from_bits(bits as u32)),
        (true, "bf16", 2) => single(Bf16::from_bits(bits as u32).to_f32()),
        (true, "f16", 2) => single(F16::from_bits(bits as u32).to_f32()),
        (true, "f64", 8) => Some(f64::from_bits(bits)).filter(|x| x.is_finite()).map(float_text),
        _ => None,
    };
    match decimal {
        Some(d) => format!("{d} : {ty}"),
        None => format!("0x{digits} : {ty}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_decimal_where_they_can_be() {
        assert_eq!(literal(&1.5f32.to_le_bytes(), "f32", true), "1.5 : f32");
        assert_eq!(literal(&1e30f32.to_le_bytes(), "f32", true), "1.0e30 : f32");
        assert_eq!(literal(&f32::NAN.to_le_bytes(), "f32", true), "0x7FC00000 : f32");
        assert_eq!(literal(&[0x00, 0x3c], "f16", true), "1.0 : f16");
        assert_eq!(literal(&[0x00, 0x7c], "f16", true), "0x7C00 : f16");
        assert_eq!(literal(&[1, 2], "i16", false), "0x0201 : i16");
    }
}
