//! Operations that their rows spell.

use super::types::{scalar_type, unsigned_type};
use super::{EmitResult, Writer};
use pto_ir::{Attr, Def, OpId, ValueId};
use pto_isa::row::{AttrKind, AttrSpec, CppForm, When};
use pto_isa::text;
use pto_isa::{Dir, Family, Op, Row, ScalarType, Target, Type};
use std::borrow::Cow;

/// A piece of a spelling.
enum FormPiece<'t> {
    /// As it stands.
    Plain(&'t str),
    /// A sign and the name it applies to.
    Part(char, &'t str),
}

/// Splits a template at its `$` signs; one that no name of the row follows is kept literally.
fn pieces<'t>(text: &'t str, row: &Row) -> Vec<FormPiece<'t>> {
    let mut list = Vec::new();
    let (mut start, mut at) = (0, 0);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        let sign = bytes[at] as char;
        if !matches!(sign, '$' | '*' | '+' | ':' | '^' | '#' | '=' | '@') {
            at += 1;
            continue;
        }
        let rest = &text[at + 1..];
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let name = &rest[..length];
        let known = match sign {
            '#' | '=' | '@' => row.attr(name).is_some(),
            // `::name` is C++.
            ':' => row.slot(name).is_some() && !text[..at].ends_with(':'),
            _ => row.slot(name).is_some(),
        };
        if !known {
            at += 1;
            continue;
        }
        if start < at {
            list.push(FormPiece::Plain(&text[start..at]));
        }
        list.push(FormPiece::Part(sign, name));
        at += 1 + length;
        start = at;
    }
    if start < text.len() {
        list.push(FormPiece::Plain(&text[start..]));
    }
    list
}

/// The C++ spellings of an operation that has several, with names in place of operands and attributes.
///
/// ```
/// use pto_isa::table::op;
/// assert_eq!(pto_emit::spellings(op::tstore)[2], "TSTORE<decltype(src), decltype(dst), atomicType>(dst, src);");
/// ```
pub fn spellings(code: Op) -> Vec<String> {
    let row = code.row();
    let word = |p: &FormPiece<'_>| match *p {
        FormPiece::Plain(text) => text.to_string(),
        FormPiece::Part(':', name) => format!("decltype({name})"),
        FormPiece::Part('^', name) => format!("std::make_unsigned_t<decltype({name})>"),
        FormPiece::Part('+', name) => format!("{name}.size()"),
        FormPiece::Part(_, name) => name.to_string(),
    };
    let mut list: Vec<String> = Vec::new();
    for form in row.cpp.forms.iter().filter(|f| !f.text.is_empty()) {
        let text: String = pieces(form.text, row).iter().map(word).collect();
        let text = if text.ends_with('}') { text } else { text + ";" };
        if !list.contains(&text) {
            list.push(text);
        }
    }
    list
}

impl Writer<'_> {
    /// Writes an operation as its row spells it.
    pub(super) fn spelled(&mut self, id: OpId) -> EmitResult<()> {
        let row = self.module.op(id).op.row();
        if self.module.is_value_form(id) {
            return Err(self.unsupported(text!("a tile value that has no buffer")));
        }
        let text = self.spelling(id, row)?;
        if text.is_empty() {
            return Ok(());
        }
        let parts = pieces(&text, row);
        let results: Vec<ValueId> = self.module.results(id).collect();
        let names_result = parts.iter().any(|p| match p {
            FormPiece::Part('$', name) => row.results.iter().any(|r| r.name == *name),
            _ => false,
        });
        if results.is_empty() || names_result {
            for &value in &results {
                self.declare_result(value)?;
            }
            let statement = self.render(id, row, &parts)?;
            self.statements(&statement);
            return Ok(());
        }
        let expression = self.render(id, row, &parts)?;
        let value = results[0];
        let ty = self.type_of(value)?;
        let constant = matches!(self.module.value_type(value), Type::Scalar(_));
        self.declare(value, &ty, &expression, constant);
        Ok(())
    }

    /// A variable for a result that the statement fills.
    fn declare_result(&mut self, value: ValueId) -> EmitResult<()> {
        if self.module.tile(value).is_some() {
            return self.declare_tile_like(value);
        }
        let ty = self.type_of(value)?;
        self.declare(value, &ty, "", false);
        Ok(())
    }

    /// The text that fits the operation.
    fn spelling(&self, id: OpId, row: &'static Row) -> EmitResult<Cow<'static, str>> {
        if row.cpp.forms.is_empty() {
            if row.cpp.name.is_empty() {
                return Err(self.unsupported(text!("the device headers have no function for it")));
            }
            self.scratch_is_given(id, row)?;
            if row.cpp.unlike.is_empty() {
                self.types_are_alike(id, row)?;
            }
            let text = self.usual_call(id, row);
            self.nothing_left(id, row, &text, When::Always)?;
            return Ok(text.into());
        }
        self.types_are_alike(id, row)?;
        let here = || row.cpp.forms.iter().filter(|f| f.targets.contains(self.input.target));
        if let Some(form) = here().find(|f| self.fits(id, row, f)) {
            return Ok(form.text.into());
        }
        if here().next().is_none() {
            return Err(self.unsupported(text!("the headers of this target have no function for it")));
        }
        Err(self.unsupported(&text!("no function takes {what_is_given}", what_is_given = self.what_is_given(id, row))))
    }

    /// A scratch tile must be given if it is used. If none may be given (powers of integers), or none is used (on A5), another operand takes its role.
    fn scratch_is_given(&self, id: OpId, row: &Row) -> EmitResult<()> {
        let slot = row.scratch.map_or("tmp", |s| s.slot);
        let required = row.scratch.is_some_and(|s| s.required.contains(self.input.target));
        let used = required || (!row.cpp.scratch.is_empty() && self.input.target == Target::A2A3);
        if used && pto_check::scratch_left_out(self.input.checked, id).is_some() {
            return Err(self.unsupported(&text!(
                "`{slot}` is left out, and a program that places its tiles has to place it",
                slot
            )));
        }
        Ok(())
    }

    /// Two operands that the function takes as tiles of one type, and that have two.
    fn unlike(&self, id: OpId, row: &Row) -> Option<(&'static str, &'static str)> {
        let tile = |name: &str| self.in_or_out(id, row, name).and_then(|v| self.tile_of(v));
        row.cpp.alike.iter().find_map(|group| {
            let mut given = group.iter().filter_map(|name| tile(name).map(|t| (*name, t)));
            let (first, ty) = given.next()?;
            given.find(|(_, t)| *t != ty).map(|(other, _)| (first, other))
        })
    }

    fn types_are_alike(&self, id: OpId, row: &Row) -> EmitResult<()> {
        match self.unlike(id, row) {
            Some((a, b)) => Err(self.unsupported(&text!(
                "its function takes `{a}` and `{b}` as tiles of one type, with the same rows, columns and valid region",
                a,
                b
            ))),
            None => Ok(()),
        }
    }

    /// The value of an operand or result.
    fn in_or_out(&self, id: OpId, row: &Row, name: &str) -> Option<ValueId> {
        let slot = row.slot(name)?;
        let result = || self.module.results(id).find(|v| usize::from(self.module.value(*v).slot) == slot);
        self.module.in_slot(id, slot).next().map(|o| o.value).or_else(result)
    }

    /// Operands and attributes in words, for messages.
    fn what_is_given(&self, id: OpId, row: &Row) -> String {
        let slots = row.slots.iter().map(|s| s.name).filter(|n| self.module.operand(id, n).is_some());
        let attrs = row.attrs.iter().filter(|a| self.is_set(id, a)).map(|a| a.name);
        slots.chain(attrs).map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
    }

    /// A call of the row's function with its usual arguments.
    fn usual_call(&self, id: OpId, row: &Row) -> String {
        let cpp = &row.cpp;
        let set = |name: &&str| row.attr(name).is_some_and(|a| self.is_set(id, a));
        let templates = match cpp.templates.iter().rposition(set) {
            None => String::new(),
            Some(last) => {
                let list: Vec<String> = cpp.templates[..=last].iter().map(|n| format!("={n}")).collect();
                format!("<{}>", list.join(", "))
            }
        };
        let usual: Vec<&str> = if cpp.args.is_empty() {
            let written = row.slots.iter().filter(|s| s.dir != Dir::In).map(|s| s.name);
            let read = row.slots.iter().filter(|s| s.dir == Dir::In).map(|s| s.name);
            let attrs = row.attrs.iter().map(|a| a.name).filter(|n| !cpp.templates.contains(n));
            written.chain(read).chain(attrs).collect()
        } else {
            cpp.args.to_vec()
        };
        let scratch = row.scratch.map_or("tmp", |s| s.slot);
        let mut args = Vec::new();
        for name in usual {
            match row.attr(name) {
                _ if row.slot(name).is_some() && self.module.operand(id, name).is_some() => {
                    args.push(format!("${name}"));
                }
                _ if name == scratch && !cpp.scratch.is_empty() => args.push(format!("${}", cpp.scratch)),
                Some(a) if !cpp.silent.contains(&name) && (self.is_set(id, a) || !a.default.is_empty()) => {
                    args.push(format!("={name}"));
                }
                _ => {}
            }
        }
        let name = if cpp.unlike.is_empty() || self.unlike(id, row).is_none() { cpp.name } else { cpp.unlike };
        format!("{name}{templates}({})", args.join(", "))
    }

    /// True when a spelling says all that the operation says, and no more.
    fn fits(&self, id: OpId, row: &Row, form: &CppForm) -> bool {
        let given = |p: &FormPiece<'_>| match *p {
            FormPiece::Plain(_) => true,
            FormPiece::Part('#', name) => row.attr(name).is_some_and(|a| self.is_set(id, a)),
            FormPiece::Part('=' | '@', _) => true,
            FormPiece::Part(_, name) => {
                row.slot(name).is_some_and(|s| s >= row.slots.len()) || self.module.operand(id, name).is_some()
            }
        };
        self.holds(id, row, form.when)
            && pieces(form.text, row).iter().all(given)
            && self.nothing_left(id, row, form.text, form.when).is_ok()
    }

    /// Everything that is given must be part of a spelling.
    fn nothing_left(&self, id: OpId, row: &Row, text: &str, when: When) -> EmitResult<()> {
        let mut named: Vec<&str> = row.cpp.silent.to_vec();
        named.extend(pieces(text, row).iter().filter_map(|p| match *p {
            FormPiece::Part(sign, name) if !matches!(sign, ':' | '^' | '+') => Some(name),
            _ => None,
        }));
        match when {
            When::Attr(name, _) | When::Booleans(_, name, _) => named.push(name),
            When::Always
            | When::In(..)
            | When::Pointer(_)
            | When::Scalar(..)
            | When::Larger(..)
            | When::Same(..)
            | When::Apart(..) => {}
        }
        // A spelling that writes nothing leaves nothing out.
        if text.is_empty() {
            return Ok(());
        }
        let operand =
            row.slots.iter().map(|s| s.name).find(|n| self.module.operand(id, n).is_some() && !named.contains(n));
        let attr = row.attrs.iter().find(|a| self.is_set(id, a) && !named.contains(&a.name)).map(|a| a.name);
        match operand.or(attr) {
            Some(name) => Err(self.unsupported(&text!("the function has no place for `{name}`", name))),
            None => Ok(()),
        }
    }

    fn holds(&self, id: OpId, row: &Row, when: When) -> bool {
        let value = |name: &str| self.in_or_out(id, row, name);
        let tile = |name: &str| value(name).and_then(|v| self.module.tile(v));
        match when {
            When::Always => true,
            When::Attr(name, wanted) => row.attr(name).is_some_and(|a| {
                let word = match self.module.attr(id, name) {
                    Some(Attr::Enum(def, at)) => def.value(usize::from(*at)).to_string(),
                    Some(Attr::Str(s)) => self.module.names.text(*s).to_string(),
                    Some(Attr::Bool(b)) => b.to_string(),
                    Some(Attr::Int(n, _)) => n.to_string(),
                    _ => return false,
                };
                word == wanted || self.attr_token(id, a) == wanted
            }),
            When::In(name, loc) => tile(name).is_some_and(|t| t.loc == loc),
            When::Pointer(name) => value(name).is_some_and(|v| matches!(self.module.value_type(v), Type::Ptr(..))),
            When::Scalar(name, ty) => value(name).is_some_and(|v| self.module.value_type(v).scalar() == Some(ty)),
            When::Booleans(operand, name, wanted) => {
                self.holds(id, row, When::Scalar(operand, ScalarType::I1))
                    && self.holds(id, row, When::Attr(name, wanted))
            }
            When::Larger(a, b) => match (tile(a), tile(b)) {
                (Some(a), Some(b)) => a.rows > b.rows || a.cols > b.cols,
                _ => false,
            },
            When::Same(a, b) => self.same_place(value(a), value(b)),
            When::Apart(a, b) => !self.same_place(value(a), value(b)),
        }
    }

    /// Two operands are one value, or tiles with one address.
    fn same_place(&self, a: Option<ValueId>, b: Option<ValueId>) -> bool {
        let address = |v: ValueId| match self.module.value(v).def {
            Def::Result(id, _) => {
                let given = self.module.operand(id, "addr").or_else(|| self.module.operand(id, "addrs"));
                given.and_then(|address| self.input.info.constant(address))
            }
            Def::Arg(..) | Def::Missing => None,
        };
        match (a, b) {
            (Some(a), Some(b)) => a == b || address(a).is_some_and(|n| address(b) == Some(n)),
            _ => false,
        }
    }

    // ---- attributes -----------------------------------------------------------------------------------------

    /// True when an attribute is given and not what it is anyway.
    fn is_set(&self, id: OpId, spec: &AttrSpec) -> bool {
        self.module.attr(id, spec.name).is_some()
            && (spec.default.is_empty() || self.attr_token(id, spec) != default_token(spec))
    }

    /// The C++ spelling of an attribute, given or not.
    fn attr_token(&self, id: OpId, spec: &AttrSpec) -> String {
        let text = |s| self.module.names.text(s);
        match self.module.attr(id, spec.name) {
            None => default_token(spec),
            Some(Attr::Enum(def, at)) => {
                let own = def.cpp_value(usize::from(*at));
                // An enumeration that serves several attributes has no type; the row's has.
                let typed = spec.enumeration().filter(|e| def.cpp.is_empty() && !e.cpp.is_empty());
                typed.and_then(|e| e.find(def.value(usize::from(*at))).map(|at| e.cpp_value(at))).unwrap_or(own)
            }
            Some(Attr::Bool(b)) => b.to_string(),
            Some(Attr::Int(n, _)) => n.to_string(),
            Some(Attr::Str(s)) => quoted(text(*s)),
            Some(Attr::Symbol(s) | Attr::Raw(s)) => text(*s).to_string(),
            Some(_) => String::new(),
        }
    }

    // ---- rendering --------------------------------------------------------------------------------------------

    fn render(&mut self, id: OpId, row: &Row, parts: &[FormPiece<'_>]) -> EmitResult<String> {
        let mut out = String::new();
        for part in parts {
            match *part {
                FormPiece::Plain(text) => out.push_str(text),
                FormPiece::Part(sign, name) => out.push_str(&self.part(id, row, sign, name)?),
            }
        }
        Ok(out)
    }

    fn part(&mut self, id: OpId, row: &Row, sign: char, name: &str) -> EmitResult<String> {
        if let ('#' | '=' | '@', Some(spec)) = (sign, row.attr(name)) {
            let token = self.attr_token(id, spec);
            return Ok(if sign == '@' { token.trim_matches('"').to_string() } else { token });
        }
        let values = self.named_values(id, row, name);
        let Some(&first) = values.first() else { return Err(self.unsupported(&text!("it without `{name}`", name))) };
        match sign {
            '$' => self.joined(id, &values, ", "),
            '*' => self.joined(id, &values, "]["),
            '+' => Ok(values.len().to_string()),
            ':' => self.type_of(first),
            _ => match self.module.value_type(first).scalar() {
                Some(s) => Ok(unsigned_type(s).to_string()),
                None => Err(self.unsupported(text!("an operand that is not a number"))),
            },
        }
    }

    /// The operands in a slot, or the result of that name.
    fn named_values(&self, id: OpId, row: &Row, name: &str) -> Vec<ValueId> {
        match row.slot(name) {
            Some(slot) if slot >= row.slots.len() => {
                self.module.results(id).filter(|v| usize::from(self.module.value(*v).slot) == slot).collect()
            }
            _ => self.operands(id, name),
        }
    }

    fn joined(&mut self, id: OpId, values: &[ValueId], separator: &str) -> EmitResult<String> {
        let texts: Vec<String> = values.iter().map(|v| self.in_expression(id, *v)).collect::<EmitResult<_>>()?;
        Ok(texts.join(separator))
    }

    /// A value inside the spelling of an operation. Arithmetic on literals must not be done in a narrower type than the
    /// program's, and a minus sign must not meet another.
    fn in_expression(&self, id: OpId, value: ValueId) -> EmitResult<String> {
        let text = self.text(value)?;
        if self.module.op(id).op.row().family != Family::Arith || !self.values.literal[value.index()] {
            return Ok(text);
        }
        let all_literal = self.module.operands(id).iter().all(|o| self.values.literal[o.value.index()]);
        match self.module.value_type(value) {
            Type::Scalar(s) if all_literal && *s != ScalarType::I1 => {
                Ok(format!("static_cast<{}>({text})", scalar_type(*s)))
            }
            _ if text.starts_with('-') => Ok(format!("({text})")),
            _ => Ok(text),
        }
    }

    /// Statements, one per line; blocks keep their braces.
    pub(super) fn statements(&mut self, text: &str) {
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let complete = line.ends_with([';', '{', '}']);
            if at + 1 == lines.len() && !complete {
                self.line(&format!("{line};"));
            } else {
                self.line(line);
            }
        }
    }
}

/// What an attribute is when it is not given, in C++.
fn default_token(spec: &AttrSpec) -> String {
    match spec.kind {
        AttrKind::Enum(def) | AttrKind::EnumOr(def, _) => def.cpp_value(def.find(spec.default).unwrap_or(0)),
        AttrKind::Int(..) | AttrKind::OneOf(_) if spec.default.is_empty() => "0".to_string(),
        AttrKind::Bool if spec.default.is_empty() => "false".to_string(),
        AttrKind::Str => quoted(spec.default),
        _ => spec.default.to_string(),
    }
}

/// A C++ string.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_ascii_control() => out.push_str(&format!("\\{:03o}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use pto_isa::table::{self, op};

    fn words(text: &str, row: &Row) -> Vec<String> {
        let word = |p: &FormPiece<'_>| match p {
            FormPiece::Plain(t) => (*t).to_string(),
            FormPiece::Part(sign, name) => format!("{sign}[{name}]"),
        };
        pieces(text, row).iter().map(word).collect()
    }

    #[test]
    fn signs_are_found_and_cpp_is_left_alone() {
        let row = op::tcmps.row();
        assert_eq!(
            words("F<:dst, CmpMode::EQ>($dst, =cmpMode)", row),
            ["F<", ":[dst]", ", CmpMode::EQ>(", "$[dst]", ", ", "=[cmpMode]", ")"]
        );
        assert_eq!(words("a == b ? c : d", row), ["a == b ? c : d"]);
    }

    /// Every sign in the table is followed by something the row has.
    #[test]
    fn every_name_in_the_table_is_known() {
        for code in table::all() {
            let row = code.row();
            for form in row.cpp.forms {
                for piece in pieces(form.text, row) {
                    let FormPiece::Plain(text) = piece else { continue };
                    let stray = text.char_indices().find(|(at, c)| {
                        let next = text[at + 1..].chars().next();
                        matches!(c, '$' | '#' | '@') && next.is_some_and(|n| n.is_ascii_alphanumeric())
                            || *c == '=' && next.is_some_and(|n| n.is_ascii_alphabetic())
                    });
                    assert_eq!(stray, None, "{}: {}", row.full_name(), form.text);
                }
            }
            for name in row.cpp.silent {
                assert!(row.slot(name).is_some() || row.attr(name).is_some(), "{}: {name}", row.full_name());
            }
            assert!(row.cpp.scratch.is_empty() || row.slot(row.cpp.scratch).is_some(), "{}", row.full_name());
        }
    }

    #[test]
    fn strings_are_quoted() {
        assert_eq!(quoted("a\"b\\\n\u{1}"), "\"a\\\"b\\\\\\n\\001\"");
    }
}
