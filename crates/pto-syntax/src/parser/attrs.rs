//! Attributes from text.

use super::{Parse, Parser};
use crate::blanks::laid_out;
use crate::lexer::Tok;
use pto_ir::{Attr, Sym, TypeId};
use pto_isa::hash::FastMap;
use pto_isa::text;
use pto_isa::{DType, Diagnostic, EnumDef, Row, ScalarType, Span, Type, codes, enums};

/// An attribute with its name and span.
pub(super) type NamedAttr = (Sym, Attr, Span);

impl<'s> Parser<'s> {
    /// `{a = 1, b, "c d" = #x}`
    pub(super) fn parse_dict(&mut self) -> Parse<Vec<NamedAttr>> {
        self.parse_row_dict(None)
    }

    /// The dictionary of an instruction, where `name = <VALUE>` can omit the enumeration.
    pub(super) fn parse_row_dict(&mut self, row: Option<&'static Row>) -> Parse<Vec<NamedAttr>> {
        let open = self.expect(b'{')?.span;
        self.open_dicts += 1;
        let mut entries: Vec<NamedAttr> = Vec::new();
        let mut given: FastMap<Sym, Span> = FastMap::default();
        while !self.at(b'}') {
            let entry = self.dict_entry(row)?;
            if let Some(first) = given.get(&entry.0) {
                let name = self.module.names.text(entry.0).to_string();
                let d = Diagnostic::new(codes::DUPLICATE_ATTRIBUTE, entry.2, text!("`{name}` is given twice", name));
                let d = d.label(*first, text!("first given here"));
                self.report(d);
            } else {
                given.insert(entry.0, entry.2);
                entries.push(entry);
            }
            if !self.eat(b',') {
                break;
            }
        }
        self.close(b'}', open)?;
        self.open_dicts -= 1;
        Some(entries)
    }

    fn dict_entry(&mut self, row: Option<&'static Row>) -> Parse<NamedAttr> {
        let start = self.token.span;
        let name = match self.token.tok {
            Tok::Ident => self.intern(self.text(start)),
            Tok::Str => self.string_sym(start),
            _ => {
                self.expected(text!("an attribute name"));
                return None;
            }
        };
        self.bump();
        let spec = row.and_then(|r| r.attr(self.module.names.text(name)));
        let attr = match (self.eat(b'='), spec.and_then(|s| s.enumeration())) {
            (true, Some(def)) if self.at(b'<') => self.enum_value(def)?,
            (true, _) => self.typed_attr()?,
            (false, _) => Attr::Unit,
        };
        Some((name, attr, Span::new(start.start, self.last_end)))
    }

    /// An attribute where a colon can only introduce its type: `dense<1> : tensor<2xi32>`.
    pub(super) fn typed_attr(&mut self) -> Parse<Attr> {
        let attr = self.parse_attr()?;
        let Attr::Raw(text) = attr else { return Some(attr) };
        if !self.eat(b':') {
            return Some(attr);
        }
        let ty = self.parse_type()?;
        let ty = pto_ir::print::type_text(self.module.ty(ty), pto_ir::TypeStyle::Compact);
        let full = format!("{} : {ty}", self.module.names.text(text));
        Some(Attr::Raw(self.intern(&full)))
    }

    /// The symbol of a quoted text without quotes and escapes.
    pub(super) fn string_sym(&mut self, span: Span) -> Sym {
        let text = unquote(self.text(span));
        self.intern(&text)
    }

    /// An attribute value.
    pub(super) fn parse_attr(&mut self) -> Parse<Attr> {
        let span = self.token.span;
        match self.token.tok {
            Tok::Int | Tok::Float | Tok::Punct(b'-') => self.number_attr(),
            Tok::Str => {
                let sym = self.string_sym(span);
                self.bump();
                Some(Attr::Str(sym))
            }
            Tok::Symbol => {
                self.bump();
                Some(Attr::Symbol(self.symbol_sym(span)))
            }
            Tok::Hash => self.hash_attr(),
            Tok::Punct(b'[') => self.array_attr(),
            Tok::Punct(b'{') => {
                let entries = self.nested(Self::parse_dict)?;
                Some(Attr::Dict(entries.into_iter().map(|(n, a, _)| (n, a)).collect()))
            }
            Tok::Bang => self.parse_type().map(Attr::Type),
            Tok::Ident => self.word_attr(),
            Tok::Punct(b'(') => self.parse_type().map(Attr::Type),
            _ => {
                self.expected(text!("an attribute"));
                None
            }
        }
    }

    pub(super) fn symbol_sym(&mut self, span: Span) -> Sym {
        let text = self.text(span).trim_start_matches('@');
        let text = if text.starts_with('"') { unquote(text) } else { text.to_string() };
        self.intern(&text)
    }

    /// A number with an optional type.
    pub(super) fn number_attr(&mut self) -> Parse<Attr> {
        let start = self.token.span;
        let negative = self.eat(b'-');
        let token = self.token;
        if !matches!(token.tok, Tok::Int | Tok::Float) {
            self.expected(text!("a number"));
            return None;
        }
        self.bump();
        let ty = self.optional_type()?;
        let text = self.text(token.span);
        let span = Span::new(start.start, token.span.end);
        let hex = text.len() > 2 && matches!(&text[..2], "0x" | "0X");
        if token.tok == Tok::Int {
            let n = self.integer(text, negative, span)?;
            return match *self.module.ty(ty) {
                Type::Scalar(s) if hex && s.is_float() => self.float_bits(n, s, ty, span),
                Type::Scalar(s) if s.is_int() => Some(Attr::Int(self.fitting(n, s, hex, span), ty)),
                _ => Some(Attr::Int(n, ty)),
            };
        }
        let value: f64 = text.parse().unwrap_or(f64::INFINITY);
        if !value.is_finite() {
            let d = Diagnostic::new(codes::NUMBER_RANGE, span, text!("`{text}` is too large for a double", text));
            self.report(d.help(text!("write infinities as bits: `0x7F800000 : f32`")));
            return None;
        }
        Some(Attr::Float(if negative { -value } else { value }, ty))
    }

    fn integer(&mut self, text: &str, negative: bool, span: Span) -> Parse<i128> {
        let parsed = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => text.parse(),
        };
        let Ok(n) = parsed else {
            let d = Diagnostic::new(codes::NUMBER_RANGE, span, text!("`{text}` does not fit in 64 bits", text));
            self.report(d.legal("-2^63 … 2^64-1"));
            return None;
        };
        Some(if negative { -i128::from(n) } else { n.into() })
    }

    /// A floating-point number given by its bits.
    fn float_bits(&mut self, n: i128, s: ScalarType, ty: TypeId, span: Span) -> Parse<Attr> {
        let bits = s.elem().map_or(64, DType::bits);
        match u64::try_from(n).ok().filter(|n| u128::from(*n) < 1 << bits) {
            Some(n) => Some(Attr::FloatBits(n, ty)),
            None => {
                let d = Diagnostic::new(codes::NUMBER_RANGE, span, text!("these are not the bits of {s}", s));
                self.report(d.legal(text!("{bits} bits, without a sign", bits)));
                None
            }
        }
    }

    /// The value of a literal in its type. A literal that fits only as an unsigned number gets the sign that its bits give it;
    /// hexadecimal literals are bits.
    pub(super) fn fitting(&mut self, n: i128, s: ScalarType, hex: bool, span: Span) -> i128 {
        let Some(range) = s.int_range().filter(|range| !range.contains(&n)) else { return n };
        let legal = text!("{s} holds {range} … {range2}", s, range = range.start(), range2 = range.end());
        let read = s.wrapped(n);
        if n > 0 && read < 0 && n - read == range.end() - range.start() + 1 {
            if !hex {
                let d = Diagnostic::new(codes::NUMBER_RANGE, span, text!("{n} is {read} in {s}", n, read, s)).warning();
                self.report(d.legal(legal).help(text!(
                    "write {read}, or the bits: {n}",
                    read,
                    n = format_args!("{:#x}", n)
                )));
            }
            return read;
        }
        let d = Diagnostic::new(codes::NUMBER_RANGE, span, text!("{n} does not fit in {s}", n, s));
        self.report(d.legal(legal).help(text!("write a number of this range, or take a type that holds it")));
        n
    }

    /// `: type` after a number, unless the colon belongs to something else.
    fn optional_type(&mut self) -> Parse<TypeId> {
        if !self.at(b':') || !matches!(self.next_byte(), b'a'..=b'z' | b'A'..=b'Z' | b'!') {
            return Some(TypeId::UNKNOWN);
        }
        let after = self.next_text();
        let word = after.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '!' | '.' | '_')).next();
        let is_scalar = word.is_some_and(|w| ScalarType::parse(w).is_some() || self.type_aliases.contains_key(w));
        if !is_scalar {
            return Some(TypeId::UNKNOWN);
        }
        self.bump();
        self.parse_type()
    }

    fn array_attr(&mut self) -> Parse<Attr> {
        self.nested(|p| {
            let open = p.expect(b'[')?.span;
            let mut items = Vec::new();
            while !p.at(b']') {
                items.push(p.typed_attr()?);
                if !p.eat(b',') {
                    break;
                }
            }
            p.close(b']', open)?;
            Some(Attr::Array(items.into()))
        })
    }

    /// `true`, `unit`, `dense<…>`, a type, or any word with a bracketed body.
    fn word_attr(&mut self) -> Parse<Attr> {
        let span = self.token.span;
        let text = self.text(span);
        match text {
            "true" | "false" => {
                self.bump();
                return Some(Attr::Bool(text == "true"));
            }
            "unit" => {
                self.bump();
                return Some(Attr::Unit);
            }
            "array" => return self.array_word(),
            "loc" if self.text_at(span.end) == b'(' => {
                let text = self.trailing_location()?;
                return Some(Attr::Raw(text));
            }
            _ => {}
        }
        if ScalarType::parse(text).is_some() || matches!(text, "vector" | "memref" | "none") {
            return self.parse_type().map(Attr::Type);
        }
        self.raw_attr(span.start)
    }

    /// `array<i32: 1, 2>` is a list of integers.
    fn array_word(&mut self) -> Parse<Attr> {
        self.bump();
        let open = self.expect(b'<')?.span;
        let mut items = Vec::new();
        if self.token.tok == Tok::Ident {
            self.bump();
        }
        if self.eat(b':') {
            while !self.at(b'>') {
                items.push(self.number_or_bool()?);
                if !self.eat(b',') {
                    break;
                }
            }
        }
        self.close(b'>', open)?;
        Some(Attr::Array(items.into()))
    }

    fn number_or_bool(&mut self) -> Parse<Attr> {
        if self.token.tok == Tok::Ident { self.word_attr() } else { self.number_attr() }
    }

    /// A word with a body in angle brackets, kept verbatim.
    fn raw_attr(&mut self, start: u32) -> Parse<Attr> {
        let head_end = self.token.span.end as usize;
        if self.text_at(head_end as u32) != b'<' {
            let text = self.token_text();
            let d = Diagnostic::new(codes::BAD_ATTRIBUTE, self.token.span, text!("`{text}` is not an attribute", text));
            self.report(d.legal(text!("numbers, texts, true, false, @symbols, lists, types, `#pto<…>`")));
            return None;
        }
        let end = match super::types::matching_angle(self.source.as_bytes(), head_end) {
            Ok(angle) => angle.end,
            Err(stop) => {
                let open = Span::new(head_end as u32, head_end as u32 + 1);
                self.error(codes::UNCLOSED, open, text!("this `<` is never closed"));
                self.lexer.pos = stop;
                self.bump();
                return None;
            }
        };
        let text = laid_out(&self.source[start as usize..end]);
        self.lexer.pos = head_end;
        self.lexer.pass(end);
        self.last_end = end as u32;
        self.token = self.lexer.next();
        Some(Attr::Raw(self.intern(&text)))
    }

    /// `#pto<cmp gt>`, `#pto.pipe<PIPE_V>`, `#alias`, `#other.dialect<…>`
    fn hash_attr(&mut self) -> Parse<Attr> {
        let span = self.token.span;
        let name = self.text(span);
        if name == "#pto" && self.text_at(span.end) == b'<' {
            return self.spaced_enum(span);
        }
        if let Some(def) = name.strip_prefix("#pto.").and_then(enums::find) {
            self.bump();
            return self.enum_value(def);
        }
        if let Some(&(_, extent)) = self.attr_aliases.get(name) {
            self.bump();
            self.write_out(extent, span)?;
            return self.attr_aliases.get(name).map(|(attr, _)| attr.clone());
        }
        if name.contains('.') {
            if self.text_at(span.end) == b'<' {
                return self.raw_attr(span.start);
            }
            self.bump();
            return Some(Attr::Raw(self.intern(name)));
        }
        let d = Diagnostic::new(codes::BAD_ATTRIBUTE, span, text!("there is no attribute `{name}`", name));
        self.report(d.help(text!("define the alias first: `{name} = …`", name)));
        self.bump();
        None
    }

    /// `#pto<name value>`
    fn spaced_enum(&mut self, span: Span) -> Parse<Attr> {
        self.bump();
        let open = self.expect(b'<')?.span;
        let word = self.token;
        if word.tok != Tok::Ident {
            self.expected(text!("the name of an enumeration"));
            return None;
        }
        let Some(def) = enums::find(self.text(word.span)) else {
            return self.unknown_enum(span, word.span);
        };
        self.bump();
        let at = self.enum_word(def)?;
        self.close(b'>', open)?;
        Some(Attr::Enum(def, at))
    }

    /// An unknown form is kept verbatim if it is closed.
    fn unknown_enum(&mut self, span: Span, word: Span) -> Parse<Attr> {
        let name = self.text(word);
        let d = Diagnostic::new(codes::BAD_ATTRIBUTE, word, text!("there is no enumeration `{name}`", name));
        let near: Vec<_> = enums::ENUMS.iter().map(|e| e.name).filter(|n| n.starts_with(&name[..1])).collect();
        self.report(d.legal(text!("enumerations: {near}", near = near.join(", "))).label(span, ""));
        None
    }

    /// `<VALUE>` after the name of an enumeration.
    pub(super) fn enum_value(&mut self, def: &'static EnumDef) -> Parse<Attr> {
        let open = self.expect(b'<')?.span;
        let at = self.enum_word(def)?;
        self.close(b'>', open)?;
        Some(Attr::Enum(def, at))
    }

    fn enum_word(&mut self, def: &'static EnumDef) -> Parse<u8> {
        let word = self.token;
        if !matches!(word.tok, Tok::Ident | Tok::Int) {
            self.expected(&text!("a value of `{name}`", name = def.name));
            return None;
        }
        self.bump();
        let text = self.text(word.span);
        let found = def.find(text).or_else(|| def.find_number(text.parse().ok()?));
        let Some(at) = found else {
            let d = Diagnostic::new(
                codes::ATTRIBUTE_VALUE,
                word.span,
                text!("`{text}` is not a value of `{name}`", text, name = def.name),
            );
            self.report(d.legal(text!("legal: {def}", def)));
            return None;
        };
        Some(at as u8)
    }
}

/// The text inside quotes, escapes resolved.
pub(crate) fn unquote(quoted: &str) -> String {
    let inner = quoted.strip_prefix('"').unwrap_or(quoted);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some(c @ ('"' | '\\')) => out.push(c),
            Some(high) if high.is_ascii_hexdigit() => {
                let rest = chars.clone().next().filter(char::is_ascii_hexdigit);
                match rest {
                    Some(low) => {
                        chars.next();
                        let code = u32::from_str_radix(&format!("{high}{low}"), 16).unwrap_or(0);
                        out.push(char::from_u32(code).unwrap_or('\u{fffd}'));
                    }
                    None => out.push(high),
                }
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::unquote;

    #[test]
    fn escapes() {
        assert_eq!(unquote(r#""a\"b\\c\n\41""#), "a\"b\\c\nA");
    }
}
