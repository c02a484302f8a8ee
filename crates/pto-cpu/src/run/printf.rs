//! The `printf` formats of scalars.

use crate::prepared::ScalarElem;

/// A conversion: `%`, flags, width, digits, and a letter.
#[derive(Default)]
struct FormatSpec {
    left: bool,
    zeros: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    width: usize,
    digits: Option<usize>,
    letter: char,
}

/// Widths and digits beyond this are cut: a format is data.
const MOST: usize = 1000;

/// The text of a format with one number. Everything else is copied.
pub(super) fn format(format: &str, kind: ScalarElem, bits: u64) -> String {
    let mut out = String::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(behind) = rest.strip_prefix('%') {
            out.push('%');
            rest = behind;
            continue;
        }
        match conversion(rest) {
            Some((c, behind)) => {
                out.push_str(&c.apply(kind, bits));
                rest = behind;
            }
            None => out.push('%'),
        }
    }
    out + rest
}

fn conversion(text: &str) -> Option<(FormatSpec, &str)> {
    let mut c = FormatSpec::default();
    let mut rest = text;
    while let Some(flag) = rest.chars().next().filter(|f| "-0+ #".contains(*f)) {
        match flag {
            '-' => c.left = true,
            '0' => c.zeros = true,
            '+' => c.plus = true,
            ' ' => c.space = true,
            _ => c.alternate = true,
        }
        rest = &rest[1..];
    }
    (c.width, rest) = number(rest);
    if let Some(behind) = rest.strip_prefix('.') {
        let (digits, behind) = number(behind);
        c.digits = Some(digits);
        rest = behind;
    }
    // The size of the argument is known.
    rest = rest.trim_start_matches(['h', 'l', 'L', 'j', 'z', 't', 'q']);
    c.letter = rest.chars().next().filter(|l| "diuxXobcfFeEgGaAps".contains(*l))?;
    Some((c, &rest[1..]))
}

fn number(text: &str) -> (usize, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (text[..end].parse().unwrap_or(if end == 0 { 0 } else { MOST }).min(MOST), &text[end..])
}

impl FormatSpec {
    fn apply(&self, kind: ScalarElem, bits: u64) -> String {
        let (negative, digits) = match self.letter {
            'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' => self.float(as_float(kind, bits)),
            'c' => (false, char::from_u32(as_int(kind, bits) as u32).map_or(String::new(), String::from)),
            's' => match kind {
                ScalarElem::Int(_) => self.signed(as_int(kind, bits)),
                ScalarElem::Float(_) => self.float(as_float(kind, bits)),
            },
            'd' | 'i' => self.signed(as_int(kind, bits)),
            _ => (false, self.unsigned(masked(kind, bits))),
        };
        let sign = match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) if "diufFeEgGaA".contains(self.letter) => "+",
            (_, _, true) if "difFeEgGaA".contains(self.letter) => " ",
            _ => "",
        };
        self.pad(sign, &digits)
    }

    fn pad(&self, sign: &str, digits: &str) -> String {
        let missing = self.width.saturating_sub(sign.chars().count() + digits.chars().count());
        let number = digits.starts_with(|c: char| c.is_ascii_digit());
        if self.left {
            format!("{sign}{digits}{}", " ".repeat(missing))
        } else if self.zeros && number && !(self.digits.is_some() && "diuxXo".contains(self.letter)) {
            format!("{sign}{}{digits}", "0".repeat(missing))
        } else {
            format!("{}{sign}{digits}", " ".repeat(missing))
        }
    }

    fn signed(&self, n: i64) -> (bool, String) {
        (n < 0, self.at_least(&n.unsigned_abs().to_string()))
    }

    fn unsigned(&self, n: u64) -> String {
        let prefix = |text: &'static str| if self.alternate && n != 0 { text } else { "" };
        match self.letter {
            'x' | 'p' => prefix("0x").to_string() + &self.at_least(&format!("{n:x}")),
            'X' => prefix("0X").to_string() + &self.at_least(&format!("{n:X}")),
            'o' => prefix("0").to_string() + &self.at_least(&format!("{n:o}")),
            'b' => prefix("0b").to_string() + &self.at_least(&format!("{n:b}")),
            _ => self.at_least(&n.to_string()),
        }
    }

    fn at_least(&self, digits: &str) -> String {
        let missing = self.digits.unwrap_or(1).saturating_sub(digits.len());
        "0".repeat(missing) + digits
    }

    fn float(&self, x: f64) -> (bool, String) {
        let digits = self.digits.unwrap_or(6);
        let size = x.abs();
        let text = match self.letter {
            'e' | 'E' | 'a' | 'A' => exponential(size, digits),
            'g' | 'G' | 's' => general(size, digits, self.alternate),
            _ => fixed(size, digits),
        };
        let text = if self.letter.is_ascii_uppercase() { text.to_uppercase() } else { text };
        (x.is_sign_negative() && !x.is_nan(), text)
    }
}

/// `%.Nf`
pub(super) fn fixed(x: f64, digits: usize) -> String {
    if x.is_nan() {
        "nan".to_string()
    } else if x.is_infinite() {
        if x < 0.0 { "-inf" } else { "inf" }.to_string()
    } else {
        format!("{x:.digits$}")
    }
}

/// `%.Ne`: two digits of exponent at least.
pub(super) fn exponential(x: f64, digits: usize) -> String {
    let text = format!("{x:.digits$e}");
    let Some((mantissa, exponent)) = text.split_once('e') else { return fixed(x, digits) };
    let (sign, size) = exponent.strip_prefix('-').map_or(('+', exponent), |size| ('-', size));
    format!("{mantissa}e{sign}{size:0>2}")
}

/// `%.Ng`: the shorter of the two, without zeros at the end.
fn general(x: f64, digits: usize, keep_zeros: bool) -> String {
    let digits = digits.max(1);
    if !x.is_finite() {
        return fixed(x, digits);
    }
    let scientific = exponential(x, digits - 1);
    let exponent: i64 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let trim = |text: &str| match text.contains('.') && !keep_zeros {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    if exponent < -4 || exponent >= digits as i64 {
        let (mantissa, power) = scientific.split_once('e').unwrap_or((&scientific, "+00"));
        format!("{}e{power}", trim(mantissa))
    } else {
        trim(&fixed(x, (digits as i64 - 1 - exponent).max(0) as usize))
    }
}

fn as_float(kind: ScalarElem, bits: u64) -> f64 {
    match kind {
        ScalarElem::Float(f) => f.value(bits),
        ScalarElem::Int(_) => bits as i64 as f64,
    }
}

fn as_int(kind: ScalarElem, bits: u64) -> i64 {
    match kind {
        ScalarElem::Float(f) => f.value(bits) as i64,
        ScalarElem::Int(_) => bits as i64,
    }
}

/// Without the bits that only extend the sign.
fn masked(kind: ScalarElem, bits: u64) -> u64 {
    match kind {
        ScalarElem::Int(i) if i.bits < 64 => bits & ((1 << i.bits) - 1),
        ScalarElem::Int(_) => bits,
        ScalarElem::Float(_) => as_int(kind, bits) as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepared::{FloatType, IntType};

    const I32: ScalarElem = ScalarElem::Int(IntType { bits: 32, unsigned: false });
    const F32: ScalarElem = ScalarElem::Float(FloatType::F32);

    #[test]
    fn integers() {
        let text = |f: &str, n: i64| format(f, I32, n as u64);
        assert_eq!(text("n = %d\n", -5), "n = -5\n");
        assert_eq!(text("%5d|", 42), "   42|");
        assert_eq!(text("%-5d|", 42), "42   |");
        assert_eq!(text("%05d %%", -42), "-0042 %");
        assert_eq!(text("%x %q", -1), "ffffffff %q");
        assert_eq!(text("%#X", 255), "0XFF");
        assert_eq!(text("%.3u", 7), "007");
        assert_eq!(text("%+lld", 7), "+7");
        assert_eq!(text("%c", 65), "A");
        assert_eq!(text("%", 65), "%");
        assert_eq!(text("%999999999999999999999d", 1).len(), MOST);
    }

    #[test]
    fn floats() {
        let text = |f: &str, x: f32| format(f, F32, x.to_bits().into());
        assert_eq!(text("%f", 1.5), "1.500000");
        assert_eq!(text("%8.2f|", -3.456), "   -3.46|");
        assert_eq!(text("%e", 12345.678), "1.234568e+04");
        assert_eq!(text("%g", 0.0001), "0.0001");
        assert_eq!(text("%g", 1e10), "1e+10");
        assert_eq!(text("%G", 1e-10), "1E-10");
        assert_eq!(text("%g", 100000.0), "100000");
        assert_eq!(text("%08.1f", -2.25), "-00002.2");
        assert_eq!(text("%5f", f32::NAN), "  nan");
        assert_eq!(text("%f", f32::NEG_INFINITY), "-inf");
        assert_eq!(text("%d", 2.9), "2");
    }
}
