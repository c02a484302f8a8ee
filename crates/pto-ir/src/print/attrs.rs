//! Attributes as text.

use super::{Form, Printer};
use crate::{Attr, OpId, Sym, TypeId};
use pto_isa::enums::Bracket;
use pto_isa::{ScalarType, Type};
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A decimal number the dialect reads as floating point: it has a point. As short as its type allows.
///
/// ```
/// use pto_ir::print::float_text;
/// assert_eq!((float_text(0.1f32), float_text(1e30f64)), ("0.1".to_string(), "1.0e30".to_string()));
/// ```
pub fn float_text(x: impl Into<f64> + Copy + std::fmt::Debug) -> String {
    let text = format!("{x:?}");
    match text.split_once('e') {
        Some((mantissa, exponent)) if !mantissa.contains('.') => format!("{mantissa}.0e{exponent}"),
        _ => text,
    }
}

/// Text in quotes, with the characters that need it escaped.
///
/// ```
/// assert_eq!(pto_ir::print::quote("a\"b"), r#""a\"b""#);
/// ```
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() && c.is_ascii() => {
                let _ = write!(out, "\\{:02X}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// True when a name needs no quotes as a key or after `@`.
pub(super) fn is_bare(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.'))
        // A name may continue after a dot, so one that ends in a dot would absorb what follows.
        && !name.ends_with('.')
        && !name.contains("..")
}

/// Equal attributes have equal keys.
pub(super) fn key(attr: &Attr) -> u64 {
    let mut hasher = DefaultHasher::new();
    feed(attr, &mut hasher);
    hasher.finish()
}

fn feed(attr: &Attr, hasher: &mut DefaultHasher) {
    std::mem::discriminant(attr).hash(hasher);
    match attr {
        Attr::Unit => {}
        Attr::Bool(b) => b.hash(hasher),
        Attr::Int(n, ty) => (n, ty).hash(hasher),
        // Both zeros are equal.
        Attr::Float(x, ty) => ((x + 0.0).to_bits(), ty).hash(hasher),
        Attr::FloatBits(bits, ty) => (bits, ty).hash(hasher),
        Attr::Str(s) | Attr::Symbol(s) | Attr::Raw(s) => s.hash(hasher),
        Attr::Enum(def, at) => (def.name, at).hash(hasher),
        Attr::Type(ty) => ty.hash(hasher),
        Attr::Array(items) => items.iter().for_each(|item| feed(item, hasher)),
        Attr::Dict(entries) => entries.iter().for_each(|(name, item)| {
            name.hash(hasher);
            feed(item, hasher);
        }),
    }
}

impl<'a> Printer<'a> {
    /// The first alias for an attribute, of those that were written.
    fn attr_alias(&self, attr: &Attr) -> Option<&'a str> {
        if self.attr_aliases.is_empty() {
            return None;
        }
        let aliases = &self.module.aliases;
        let found = self.attr_aliases.get(&key(attr))?.iter().find(|at| aliases[**at].value == *attr)?;
        Some(&aliases[*found].name)
    }

    pub(super) fn attr_text(&mut self, attr: &Attr) -> String {
        if let Some(name) = self.attr_alias(attr) {
            return name.to_string();
        }
        match attr {
            Attr::Unit => "unit".to_string(),
            Attr::Bool(b) => b.to_string(),
            Attr::Int(n, ty) => self.typed(&n.to_string(), *ty),
            Attr::Float(x, ty) => self.typed(&float_text(*x), *ty),
            Attr::FloatBits(bits, ty) => {
                let digits = match self.module.ty(*ty) {
                    Type::Scalar(ScalarType::Elem(d)) => (d.bits() as usize).div_ceil(4),
                    _ => 16,
                };
                self.typed(&format!("0x{bits:0digits$X}"), *ty)
            }
            Attr::Str(s) => quote(self.module.names.text(*s)),
            Attr::Symbol(s) => self.symbol(*s),
            Attr::Enum(def, at) => match def.bracket {
                Bracket::Dotted => format!("#pto.{}<{}>", def.name, def.value(usize::from(*at))),
                // The assembly form of the instruction pages.
                Bracket::Spaced if self.form == Some(Form::Asm) => {
                    format!("#pto.{}<{}>", def.name, def.value(usize::from(*at)).to_ascii_uppercase())
                }
                Bracket::Spaced => format!("#pto<{} {}>", def.name, def.value(usize::from(*at))),
                Bracket::Bare => format!("{} : i64", def.values[usize::from(*at)].1),
            },
            Attr::Type(ty) => self.type_id(*ty),
            Attr::Array(items) => {
                let items: Vec<_> = items.iter().map(|a| self.attr_text(a)).collect();
                format!("[{}]", items.join(", "))
            }
            Attr::Dict(entries) => format!("{{{}}}", self.entries(entries)),
            Attr::Raw(s) => self.module.names.text(*s).to_string(),
        }
    }

    fn typed(&mut self, text: &str, ty: TypeId) -> String {
        if ty == TypeId::UNKNOWN { text.to_string() } else { format!("{text} : {}", self.type_id(ty)) }
    }

    pub(super) fn symbol(&self, s: Sym) -> String {
        let text = self.module.names.text(s);
        if is_bare(text) { format!("@{text}") } else { format!("@{}", quote(text)) }
    }

    fn entries(&mut self, entries: &[(Sym, Attr)]) -> String {
        let entry = |p: &mut Self, (name, attr): &(Sym, Attr)| {
            let text = p.module.names.text(*name);
            let key = if is_bare(text) { text.to_string() } else { quote(text) };
            match attr {
                Attr::Unit => key,
                _ => format!("{key} = {}", p.attr_text(attr)),
            }
        };
        entries.iter().map(|e| entry(self, e)).collect::<Vec<_>>().join(", ")
    }

    /// The attributes of an operation except those named, as ` {…}` or nothing.
    pub(super) fn dict(&mut self, op: OpId, except: &[&str]) -> String {
        let module = self.module;
        let rest: Vec<(Sym, Attr)> =
            module.attrs(op).iter().filter(|(n, _)| !except.contains(&module.names.text(*n))).cloned().collect();
        if rest.is_empty() { String::new() } else { format!(" {{{}}}", self.entries(&rest)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_always_have_a_point() {
        for (x, text) in [(1.0, "1.0"), (1e-7, "1.0e-7"), (0.1, "0.1"), (1e300, "1.0e300"), (-2.5, "-2.5")] {
            assert_eq!(float_text(x), text);
        }
    }

    #[test]
    fn quotes_survive() {
        assert_eq!(quote("a\"b\\c\n"), "\"a\\\"b\\\\c\\n\"");
    }
}
