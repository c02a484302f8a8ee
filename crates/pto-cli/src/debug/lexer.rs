//! The tokens of conditions.

use super::condition::ExprError;
use pto::isa::text;

/// A piece of an expression.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum DebugToken<'t> {
    Number(f64),
    /// The name of a value, without `%`.
    Value(&'t str),
    Word(&'t str),
    Sign(&'static str),
}

/// A token and its first byte.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct DebugLexeme<'t> {
    pub(crate) token: DebugToken<'t>,
    pub(crate) at: usize,
}

/// Longer ones first.
const SIGNS: [&str; 21] =
    ["==", "!=", "<=", ">=", "&&", "||", "<", ">", "=", "!", "+", "-", "*", "/", "(", ")", "[", "]", ",", ":", "."];

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// Splits a text into tokens.
pub(crate) fn lexemes(text: &str) -> Result<Vec<DebugLexeme<'_>>, ExprError> {
    let (mut all, mut at) = (Vec::new(), 0);
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let (token, length) = lexeme(text, at, c)?;
        all.push(DebugLexeme { token, at });
        at += length;
    }
    Ok(all)
}

fn lexeme(text: &str, at: usize, c: char) -> Result<(DebugToken<'_>, usize), ExprError> {
    let rest = &text[at..];
    let name = |from: usize| rest[from..].find(|c| !is_name(c)).map_or(rest.len(), |end| from + end);
    if c == '%' {
        let end = name(1);
        return match end {
            1 => Err(ExprError::new(at, text!("a name is missing after `%`"))),
            _ => Ok((DebugToken::Value(&rest[1..end]), end)),
        };
    }
    if c.is_ascii_digit() || c == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
        return number(rest, at);
    }
    if is_name(c) {
        let word = &rest[..name(0)];
        let token = match word {
            "nan" => DebugToken::Number(f64::NAN),
            "inf" => DebugToken::Number(f64::INFINITY),
            _ => DebugToken::Word(word),
        };
        return Ok((token, word.len()));
    }
    match SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
        Some(sign) => Ok((DebugToken::Sign(sign), sign.len())),
        None => Err(ExprError::new(at, text!("`{c}` has no meaning here", c))),
    }
}

/// `3`, `1.5e-3`, `0xff`.
fn number(rest: &str, at: usize) -> Result<(DebugToken<'_>, usize), ExprError> {
    let hex = rest.strip_prefix("0x").map(|digits| digits.find(|c| !is_name(c)).unwrap_or(digits.len()));
    if let Some(length) = hex {
        let value = u64::from_str_radix(&rest[2..2 + length], 16);
        let wrong = |_| ExprError::new(at, text!("`{text}` is not a number", text = &rest[..2 + length]));
        return Ok((DebugToken::Number(value.map_err(wrong)? as f64), 2 + length));
    }
    let mut end = 0;
    let mut before = ' ';
    for c in rest.chars() {
        let is_sign_of_exponent = matches!(c, '+' | '-') && matches!(before, 'e' | 'E');
        if !(is_name(c) || c == '.' || is_sign_of_exponent) {
            break;
        }
        end += c.len_utf8();
        before = c;
    }
    let text = &rest[..end];
    let value = text.parse().map_err(|_| ExprError::new(at, text!("`{text}` is not a number", text)))?;
    Ok((DebugToken::Number(value), end))
}
