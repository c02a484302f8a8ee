//! One grammar for all instructions: operands, attributes and types in any of the accepted arrangements.
//!
//! A statement is a sequence of chunks: bare operands, `ins(…)`, `outs(…)`, `(…)`, `[…]`, `{…}`,
//! `name = …`, `: types`, `-> types`. What a chunk means is decided when it is bound to the row.

use super::{Parse, Parser};
use crate::lexer::Tok;
use pto_ir::{Attr, TypeId, ValueId};
use pto_isa::row::SlotCount;
use pto_isa::text;
use pto_isa::{Row, Span, codes, enums};

/// A use of a value in a chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueUse {
    pub(super) value: ValueId,
    pub(super) span: Span,
}

/// The chunks of a statement, by kind.
#[derive(Default)]
pub(super) struct Chunks {
    /// Operands by position: bare, in parentheses, in brackets, in `ins(…)`.
    pub(super) inputs: Vec<ValueUse>,
    /// Operands in `outs(…)`.
    pub(super) outputs: Vec<ValueUse>,
    /// The statement has `ins(…)` or `outs(…)`.
    pub(super) buffer_form: bool,
    /// Operands by name.
    pub(super) named: Vec<(String, Vec<ValueUse>, Span)>,
    /// Attributes by position.
    pub(super) positional: Vec<(Attr, Span)>,
    /// Attributes by name.
    pub(super) attrs: Vec<super::attrs::NamedAttr>,
    /// Types after `:`; `None` when there is no colon.
    pub(super) types: Option<Vec<(TypeId, Span)>>,
    /// Types after `->`.
    pub(super) result_types: Option<Vec<(TypeId, Span)>>,
    /// The text states that there is no scratch tile, so the last tile is a source.
    pub(super) no_scratch: bool,
    /// The operand types stand in parentheses.
    pub(super) parens: bool,
    /// Types stand inside parentheses, next to their operands.
    pub(super) typed_groups: bool,
    /// `ins(…)` has operands and states no type.
    pub(super) untyped_ins: bool,
    /// `outs(…)` has operands and states no type.
    pub(super) untyped_outs: bool,
    /// A keyword was read: an operand or attribute may follow without a comma.
    after_keyword: bool,
}

impl<'s> Parser<'s> {
    /// Reads the chunks of a statement up to its end.
    pub(super) fn chunks(&mut self, row: &'static Row) -> Parse<Chunks> {
        let mut c = Chunks::default();
        let mut start = true;
        loop {
            let after_comma = !start && self.eat(b',');
            let after_keyword = std::mem::take(&mut c.after_keyword);
            if !self.chunk(row, &mut c, start || after_comma || after_keyword)? {
                if after_comma {
                    self.expected(text!("an operand or attribute"));
                    return None;
                }
                return Some(c);
            }
            start = false;
        }
    }

    /// Reads one chunk; false at the end of the statement. A bare operand is only allowed at the start or after a comma.
    fn chunk(&mut self, row: &'static Row, c: &mut Chunks, bare_allowed: bool) -> Parse<bool> {
        match self.token.tok {
            Tok::Value if bare_allowed && !self.at_result_list() => self.bare_operand(c)?,
            Tok::Ident => return self.word_chunk(row, c, bare_allowed),
            Tok::Punct(b'{') => {
                let entries = self.parse_row_dict(Some(row))?;
                c.attrs.extend(entries);
            }
            Tok::Punct(b'(') if c.types.is_none() => self.paren_chunk(row, c)?,
            Tok::Punct(b'[') if c.types.is_none() => self.bracket_chunk(row, c)?,
            Tok::Punct(b'<') if bare_allowed => {
                let at = self.token.span.start;
                let attr = self.short_enum(row, c.positional.len())?;
                c.positional.push((attr, Span::new(at, self.last_end)));
            }
            Tok::Punct(b':') => {
                self.bump();
                self.signature(c)?;
            }
            Tok::Arrow => {
                self.bump();
                c.result_types = Some(self.result_type_list()?);
            }
            Tok::Hash | Tok::Int | Tok::Float | Tok::Str | Tok::Symbol | Tok::Punct(b'-') if bare_allowed => {
                let at = self.token.span.start;
                let attr = self.positional_attr()?;
                c.positional.push((attr, Span::new(at, self.last_end)));
            }
            _ => return Some(false),
        }
        Some(true)
    }

    /// `%a`, or `%a[…]` where the brackets hold indices.
    fn bare_operand(&mut self, c: &mut Chunks) -> Parse<()> {
        let (value, span) = self.parse_use()?;
        c.inputs.push(ValueUse { value, span });
        Some(())
    }

    /// True when the text continues `%a, %b =`: the next statement, not operands of this one.
    pub(super) fn at_result_list(&self) -> bool {
        let start = self.token.span.start as usize;
        let (first, end) = self.operand_list.get();
        if (first..end).contains(&start) {
            return false;
        }
        let (is_result_list, end) = self.result_list_from(start);
        if !is_result_list {
            self.operand_list.set((start, end));
        }
        is_result_list
    }

    /// Whether a list of values is followed by `=`, and where it ends.
    fn result_list_from(&self, mut at: usize) -> (bool, usize) {
        let bytes = self.source.as_bytes();
        loop {
            if bytes.get(at) != Some(&b'%') {
                return (false, at);
            }
            at += 1;
            let name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.' | b'#' | b'-');
            at += bytes[at..].iter().position(|&b| !name(b)).unwrap_or(bytes.len() - at);
            at = self.lexer.after_layout(at);
            if bytes.get(at) == Some(&b':') {
                let digits = self.lexer.after_layout(at + 1);
                let end = digits + bytes[digits..].iter().take_while(|b| b.is_ascii_digit()).count();
                if end == digits {
                    return (false, at);
                }
                at = self.lexer.after_layout(end);
            }
            match bytes.get(at) {
                Some(b'=') => return (bytes.get(at + 1) != Some(&b'='), at),
                Some(b',') => at = self.lexer.after_layout(at + 1),
                _ => return (false, at),
            }
        }
    }

    /// Words: `ins(…)`, `outs(…)`, `name = …`, `name(…)`, `name […]`, `name %v`, or the next statement.
    fn word_chunk(&mut self, row: &'static Row, c: &mut Chunks, bare_allowed: bool) -> Parse<bool> {
        let word = self.token_text();
        let next = self.next_byte();
        match (word, next) {
            ("ins", b'(') => self.group(row, c, false)?,
            ("outs", b'(') => self.group(row, c, true)?,
            ("outs", b':') => {
                self.bump();
            }
            ("buf" | "group", b'(') => {
                self.bump();
                self.paren_chunk(row, c)?;
            }
            (_, b'=') if !self.next_text().starts_with("==") => {
                self.named_clause(row, c)?;
            }
            ("no_tmp", _) => {
                self.bump();
                c.no_scratch = true;
            }
            (_, b'(') if row.slot(word).is_some() || row.attr(word).is_some() => self.named_paren(c)?,
            (_, b'[') if row.slot(word).is_some() || row.attr(word).is_some() => self.named_list(row, c)?,
            (_, b'%') if row.slot(word).is_some() && !self.token.first => {
                self.bump();
                let (value, span) = self.parse_use()?;
                c.named.push((word.to_string(), vec![ValueUse { value, span }], span));
                self.named_type_clause(c)?;
            }
            ("true" | "false", _) if bare_allowed && !self.token.first => {
                let attr = self.parse_attr()?;
                c.positional.push((attr, Span::new(self.last_end, self.last_end)));
            }
            (_, b'[') if !row.keyword_slots(word).is_empty() => self.keyword_list(row, c)?,
            // If an operation has the name of a keyword, it may be the next statement.
            _ if row.has_keyword(word) && (!self.token.first || pto_isa::table::find(word).is_none()) => {
                self.bump();
                c.after_keyword = true;
            }
            _ => return Some(false),
        }
        Some(true)
    }

    /// `ins(%a, %b {…} : T, T)`; types may also follow each operand.
    fn group(&mut self, row: &'static Row, c: &mut Chunks, output: bool) -> Parse<()> {
        self.bump();
        let open = self.expect(b'(')?.span;
        c.buffer_form = true;
        let mut untyped: Vec<ValueUse> = Vec::new();
        while !self.at(b')') {
            match self.token.tok {
                Tok::Value => {
                    let (value, span) = self.parse_use()?;
                    untyped.push(ValueUse { value, span });
                    if output { &mut c.outputs } else { &mut c.inputs }.push(ValueUse { value, span });
                }
                Tok::Punct(b'{') => {
                    let entries = self.parse_row_dict(Some(row))?;
                    c.attrs.extend(entries);
                }
                Tok::Punct(b':') => {
                    self.bump();
                    self.group_types(row, c, &mut untyped)?;
                    continue;
                }
                Tok::Ident if self.at_word("no_tmp") => {
                    self.bump();
                    c.no_scratch = true;
                    continue;
                }
                Tok::Ident if row.slot(self.token_text()).is_some() => {
                    let name = self.token_text();
                    self.bump();
                    self.eat(b'=');
                    let (value, span) = self.parse_use()?;
                    untyped.push(ValueUse { value, span });
                    c.named.push((name.to_string(), vec![ValueUse { value, span }], span));
                    continue;
                }
                Tok::Hash | Tok::Int | Tok::Float | Tok::Str | Tok::Symbol | Tok::Punct(b'-') => {
                    let at = self.token.span.start;
                    let attr = self.positional_attr()?;
                    c.positional.push((attr, Span::new(at, self.last_end)));
                }
                _ => break,
            }
            let more = self.eat(b',');
            if !more && !matches!(self.token.tok, Tok::Punct(b'{' | b':' | b')') | Tok::Ident) {
                break;
            }
        }
        self.close(b')', open)?;
        let some_typed = std::mem::take(&mut c.typed_groups);
        let untyped_group = !untyped.is_empty() && !some_typed;
        *(if output { &mut c.untyped_outs } else { &mut c.untyped_ins }) = untyped_group;
        if !untyped_group {
            self.elided.extend(untyped.iter().map(|u| u.span.start));
        }
        Some(())
    }

    /// Types of the operands since the last colon; an operand after a comma starts the next run. A text among
    /// the types is the axis of a mask pattern.
    fn group_types(&mut self, row: &'static Row, c: &mut Chunks, untyped: &mut Vec<ValueUse>) -> Parse<()> {
        let mut types = Vec::new();
        if !self.at(b')') {
            loop {
                let start = self.token.span.start;
                if self.token.tok == Tok::Str && row.attr("axis").is_some() {
                    let text = self.parse_attr()?;
                    let name = self.intern("axis");
                    c.attrs.push((name, text, Span::new(start, self.last_end)));
                    break;
                }
                let ty = self.parse_type()?;
                types.push((ty, Span::new(start, self.last_end)));
                if !self.at(b',') {
                    break;
                }
                self.bump();
                if self.at(b')') {
                    break;
                }
                let named = self.token.tok == Tok::Ident && matches!(self.next_byte(), b'=' | b'%' | b'(');
                if self.token.tok == Tok::Value || named {
                    break;
                }
            }
        }
        c.typed_groups = true;
        let uses: Vec<_> = untyped.drain(..).map(|u| (u.value, u.span)).collect();
        self.state_types(&uses, &types);
        Some(())
    }

    /// `(%a, %b : T, T)` or `(name = %a : T, %b : T)`, or `(%a) %b`
    fn paren_chunk(&mut self, row: &'static Row, c: &mut Chunks) -> Parse<()> {
        let open = self.expect(b'(')?.span;
        let mut untyped: Vec<ValueUse> = Vec::new();
        while !self.at(b')') {
            match self.token.tok {
                Tok::Value => {
                    let (value, span) = self.parse_use()?;
                    untyped.push(ValueUse { value, span });
                    c.inputs.push(ValueUse { value, span });
                }
                Tok::Ident if self.next_byte() == b'=' => {
                    let name = self.token_text().to_string();
                    self.bump();
                    self.bump();
                    let (value, span) = self.parse_use()?;
                    untyped.push(ValueUse { value, span });
                    c.named.push((name, vec![ValueUse { value, span }], span));
                }
                Tok::Ident if self.next_byte() == b'(' => {
                    self.bump();
                    let inner = self.expect(b'(')?.span;
                    for (value, span) in self.parse_uses()? {
                        untyped.push(ValueUse { value, span });
                        c.inputs.push(ValueUse { value, span });
                    }
                    self.close(b')', inner)?;
                }
                Tok::Punct(b':') => {
                    self.bump();
                    self.group_types(row, c, &mut untyped)?;
                    continue;
                }
                _ => {
                    let at = self.token.span.start;
                    let attr = self.parse_attr()?;
                    c.positional.push((attr, Span::new(at, self.last_end)));
                }
            }
            if !self.eat(b',') && !self.at(b':') {
                break;
            }
        }
        self.close(b')', open)?;
        if self.token.tok == Tok::Value && !self.at_result_list() {
            self.behind_parens(row, c)?;
        }
        Some(())
    }

    /// `(%address, %address) %rows, %cols`: what follows belongs to the slots after the variadic one.
    fn behind_parens(&mut self, row: &'static Row, c: &mut Chunks) -> Parse<()> {
        let first = row.slots.iter().position(|slot| slot.count == SlotCount::Many).map_or(0, |many| many + 1);
        let mut slots = row.slots[first..].iter();
        for (value, span) in self.parse_uses()? {
            let Some(slot) = slots.next() else {
                self.error(codes::OPERAND_COUNT, span, text!("`{row}` takes no operand here", row = row.full_name()));
                return None;
            };
            c.named.push((slot.name.to_string(), vec![ValueUse { value, span }], span));
        }
        Some(())
    }

    /// `[<PIPE_V>, %id]`: attributes and indices.
    fn bracket_chunk(&mut self, row: &'static Row, c: &mut Chunks) -> Parse<()> {
        let open = self.expect(b'[')?.span;
        while !self.at(b']') {
            let at = self.token.span.start;
            match self.token.tok {
                Tok::Value => {
                    let (value, span) = self.parse_use()?;
                    c.inputs.push(ValueUse { value, span });
                }
                Tok::Punct(b'<') => {
                    let attr = self.short_enum(row, c.positional.len())?;
                    c.positional.push((attr, Span::new(at, self.last_end)));
                }
                Tok::Ident => {
                    let name = self.token_text();
                    let sym = self.intern(name);
                    self.bump();
                    c.positional.push((Attr::Str(sym), Span::new(at, self.last_end)));
                }
                _ => {
                    let attr = self.positional_attr()?;
                    c.positional.push((attr, Span::new(at, self.last_end)));
                }
            }
            if !self.eat(b',') {
                break;
            }
        }
        self.close(b']', open)?;
        Some(())
    }

    /// `<VALUE>`: the enumeration is the one of the attribute at this position.
    fn short_enum(&mut self, row: &'static Row, position: usize) -> Parse<Attr> {
        let def = row.attrs.get(position).and_then(|a| a.enumeration());
        match def {
            Some(def) => self.enum_value(def),
            None => self.enum_value(&enums::PIPE),
        }
    }

    /// An attribute without a name; `@tile(0x1000)` is the number in it.
    fn positional_attr(&mut self) -> Parse<Attr> {
        if self.token.tok == Tok::Symbol && self.token_text() == "@tile" && self.next_byte() == b'(' {
            self.bump();
            let open = self.expect(b'(')?.span;
            let attr = self.number_attr()?;
            self.close(b')', open)?;
            return Some(attr);
        }
        self.parse_attr()
    }

    /// `name = %v : T`, `name = [%a, %b]`, `name = attribute`
    fn named_clause(&mut self, row: &'static Row, c: &mut Chunks) -> Parse<()> {
        let name_span = self.token.span;
        let name = self.token_text();
        self.bump();
        self.bump();
        if self.token.tok == Tok::Value {
            let (value, span) = self.parse_use()?;
            c.named.push((name.to_string(), vec![ValueUse { value, span }], span));
            return self.named_type_clause(c);
        }
        if self.at(b'[') && (row.slot(name).is_some() || self.next_byte() == b'%') {
            let uses = self.use_list()?;
            c.named.push((name.to_string(), uses, name_span));
            return Some(());
        }
        let attr = match row.attr(name).and_then(|a| a.enumeration()).filter(|_| self.at(b'<')) {
            Some(def) => self.enum_value(def)?,
            None => self.parse_attr()?,
        };
        let sym = self.intern(name);
        c.attrs.push((sym, attr, Span::new(name_span.start, self.last_end)));
        Some(())
    }

    /// `: T` after a named operand, when it is not the signature of the statement.
    fn named_type_clause(&mut self, c: &mut Chunks) -> Parse<()> {
        let last_has_type = self.at(b':') && self.next_byte() != b'(' && self.named_type_follows();
        if last_has_type {
            self.bump();
            let at = self.token.span.start;
            let ty = self.parse_type()?;
            let Some((_, uses, _)) = c.named.last() else { return Some(()) };
            let value = uses[0].value;
            self.state_type(value, ty, Span::new(at, self.last_end));
        }
        Some(())
    }

    /// `alloc_tile addr = %a : T` gives the type of the result, `pad_value = %v : f32` that of the operand: named
    /// operands with their own type are scalars, results are not.
    fn named_type_follows(&self) -> bool {
        let after = self.next_text();
        let word = after.split(|ch: char| !ch.is_ascii_alphanumeric() && ch != '_').next().unwrap_or("");
        pto_isa::ScalarType::parse(word).is_some()
    }

    /// `[%a, %b]`
    fn use_list(&mut self) -> Parse<Vec<ValueUse>> {
        let open = self.expect(b'[')?.span;
        let uses = self.parse_uses()?;
        self.close(b']', open)?;
        Some(uses.into_iter().map(|(value, span)| ValueUse { value, span }).collect())
    }

    /// `name(%v)`
    fn named_paren(&mut self, c: &mut Chunks) -> Parse<()> {
        let span = self.token.span;
        let name = self.token_text().to_string();
        self.bump();
        let open = self.expect(b'(')?.span;
        let uses = self.parse_uses()?;
        self.close(b')', open)?;
        c.named.push((name, uses.into_iter().map(|(value, span)| ValueUse { value, span }).collect(), span));
        Some(())
    }

    /// `sizes [16, 16]` or `valid [%r, %c]`
    fn named_list(&mut self, row: &'static Row, c: &mut Chunks) -> Parse<()> {
        let span = self.token.span;
        let name = self.token_text();
        self.bump();
        if row.attr(name).is_some() {
            let attr = self.parse_attr()?;
            let sym = self.intern(name);
            c.attrs.push((sym, attr, Span::new(span.start, self.last_end)));
            return Some(());
        }
        let uses = self.use_list()?;
        c.named.push((name.to_string(), uses, span));
        Some(())
    }

    /// `valid [%r, %c]`: the pattern says which operand each is.
    fn keyword_list(&mut self, row: &'static Row, c: &mut Chunks) -> Parse<()> {
        let names = row.keyword_slots(self.token_text());
        self.bump();
        let span = self.token.span;
        let uses = self.use_list()?;
        if uses.len() != names.len() {
            let message = text!(
                "{uses} values, {names} expected: {names2}",
                uses = uses.len(),
                names = names.len(),
                names2 = names.join(", ")
            );
            self.error(codes::OPERAND_COUNT, span, message);
            return None;
        }
        c.named.extend(names.iter().zip(uses).map(|(n, u)| ((*n).to_string(), vec![u], u.span)));
        Some(())
    }

    /// What follows `:`: `T, T`, `(T, T) -> R`, or `T, T -> R`.
    fn signature(&mut self, c: &mut Chunks) -> Parse<()> {
        if self.at(b'(') {
            c.parens = true;
            c.types = Some(self.parse_type_list()?);
            return Some(());
        }
        let types = self.parse_types()?;
        c.types = Some(types);
        Some(())
    }

    fn result_type_list(&mut self) -> Parse<Vec<(TypeId, Span)>> {
        if self.at(b'(') {
            return self.parse_type_list();
        }
        self.parse_types()
    }
}
