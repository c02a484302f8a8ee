//! Operations printed by the pattern of their row.

use super::Printer;
use crate::{Attr, OpId, ValueId};
use pto_isa::row::{AttrKind, SlotCount};
use std::borrow::Cow;

impl Printer<'_> {
    /// Follows a row's pattern; see [`Row::pattern`].
    pub(super) fn pattern(&mut self, op: OpId, pattern: &str) {
        let (no_operands, no_results) = self.omitted(op);
        let shown = without_types(pattern, no_operands, no_results);
        let text = self.expand(op, &shown).replace(", )", ")");
        let text = text.trim();
        // If two alternatives are both omitted, a comma is left over.
        if !self.pattern_fits(op, pattern) || text.ends_with(',') {
            return self.generic(op);
        }
        self.result_list(op);
        self.mnemonic(op);
        if !text.is_empty() && !text.starts_with(['[', '(']) {
            self.put(" ");
        }
        self.put(text);
    }

    /// An operation that lacks a part that its pattern requires, or has an attribute of another kind, is wrong, but
    /// still has a generic form.
    fn pattern_fits(&self, op: OpId, pattern: &str) -> bool {
        let row = self.module.op(op).op.row();
        let required = without_groups(pattern);
        let has_slot = |word: &str| {
            let many = row.slot(word).is_some_and(|s| row.slot_at(s).count == SlotCount::Many);
            many || self.slot_of(op, word).next().is_some()
        };
        let has_attr = |word: &str| match (self.module.attr(op, word), row.attr(word).map(|a| a.kind)) {
            (None, _) => false,
            (Some(Attr::Enum(def, _)), Some(AttrKind::Enum(want))) => *def == want,
            (Some(Attr::Enum(def, _)), Some(AttrKind::EnumOr(a, b))) => *def == a || *def == b,
            (Some(_), Some(AttrKind::Enum(_) | AttrKind::EnumOr(..))) => false,
            (Some(Attr::Int(..)), Some(AttrKind::Int(..) | AttrKind::OneOf(_))) => true,
            (Some(_), Some(AttrKind::Int(..) | AttrKind::OneOf(_))) => false,
            (Some(Attr::Array(items)), Some(AttrKind::Ints)) => items.iter().all(|a| matches!(a, Attr::Int(..))),
            (Some(_), Some(AttrKind::Ints)) => false,
            (Some(_), _) => true,
        };
        let named = |sigil: char| {
            required.match_indices(sigil).map(|(at, _)| split_word(&required[at + 1..]).0).filter(|w| !w.is_empty())
        };
        let given = pattern_attrs(pattern).into_iter().filter(|a| self.module.attr(op, a).is_some());
        named('$').all(has_slot) && named(':').all(has_slot) && named('#').all(has_attr) && given.clone().all(has_attr)
    }

    fn expand(&mut self, op: OpId, pattern: &str) -> String {
        let mut out = String::new();
        let mut rest = pattern;
        let shown = pattern_attrs(pattern);
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            let (word, after) = split_word(rest);
            match c {
                '$' => {
                    out += &self.slot_values(op, word);
                    rest = after;
                }
                '#' => {
                    out += &self.positional_attr(op, word);
                    rest = after;
                }
                ':' if !word.is_empty() => {
                    out += &self.slot_types(op, word);
                    rest = after;
                }
                '{' if rest.starts_with('}') => {
                    let dict = self.dict(op, &shown);
                    out.truncate(out.trim_end().len());
                    out += &dict;
                    rest = &rest[1..];
                }
                '(' => match group(rest) {
                    Some((inner, after)) => {
                        if self.group_is_present(op, inner) {
                            out += &self.expand(op, inner);
                        }
                        rest = after;
                    }
                    None => out.push('('),
                },
                other => out.push(other),
            }
        }
        out
    }

    fn group_is_present(&self, op: OpId, group: &str) -> bool {
        let mark = |(at, sigil): (usize, &str)| {
            let word = split_word(&group[at + 1..]).0;
            (!word.is_empty()).then(|| (sigil == "#", word.to_string()))
        };
        match group.match_indices(['$', '#', ':']).find_map(mark) {
            None => false,
            Some((true, word)) => self.module.attr(op, &word).is_some(),
            Some((false, word)) => self.slot_of(op, &word).next().is_some(),
        }
    }

    fn slot_of(&self, op: OpId, name: &str) -> impl Iterator<Item = ValueId> + use<'_> {
        let row = self.module.op(op).op.row();
        let at = row.slot(name).unwrap_or(usize::MAX);
        let operands = self.module.operands(op).iter().filter(move |o| usize::from(o.slot) == at).map(|o| o.value);
        let results = self.module.results(op).filter(move |&v| usize::from(self.module.value(v).slot) == at);
        operands.chain(results)
    }

    fn slot_values(&mut self, op: OpId, name: &str) -> String {
        let values: Vec<ValueId> = self.slot_of(op, name).collect();
        values.iter().map(|&v| format!("%{}", self.name(v))).collect::<Vec<_>>().join(", ")
    }

    fn slot_types(&mut self, op: OpId, name: &str) -> String {
        let values: Vec<ValueId> = self.slot_of(op, name).collect();
        self.types_of(&values)
    }

    /// An attribute without its name; an enumeration is shortened to `<VALUE>` if only one is possible.
    fn positional_attr(&mut self, op: OpId, name: &str) -> String {
        let module = self.module;
        let Some(attr) = module.attr(op, name) else { return String::new() };
        let spec = module.op(op).op.row().attr(name);
        match (attr, spec.map(|s| s.kind)) {
            (Attr::Enum(def, at), Some(AttrKind::Enum(want))) if *def == want => {
                format!("<{}>", def.value(usize::from(*at)))
            }
            (Attr::Int(n, _), _) => n.to_string(),
            _ => self.attr_text(attr),
        }
    }
}

fn split_word(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    text.split_at(end)
}

/// Splits `inner)?rest` off after an opening parenthesis; `None` when the parenthesis is a plain one.
fn group(text: &str) -> Option<(&str, &str)> {
    let mut depth = 1;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text[at + 1..].starts_with('?').then(|| (&text[..at], &text[at + 2..]));
        }
    }
    None
}

/// A pattern without ` : :a, :b`, and without ` -> :r`, if the source omits them.
fn without_types(pattern: &str, operands: bool, results: bool) -> Cow<'_, str> {
    // Each of `ins(…)` and `outs(…)` has types or none.
    if let Some(at) = pattern.find(" outs(").filter(|_| pattern.starts_with("ins(")) {
        let (ins, outs) = pattern.split_at(at);
        let (ins, outs) = (without_operand_types(ins, operands), without_operand_types(outs, results));
        return Cow::Owned(format!("{ins}{outs}"));
    }
    let mut text = without_operand_types(pattern, operands);
    if results && let Some(at) = text.find(" -> :") {
        let (start, end) = (at, at + 5 + split_word(&text[at + 5..]).0.len());
        let group = text[..start].ends_with('(') && text[end..].starts_with(")?");
        let (start, end) = if group { (start - 1, end + 2) } else { (start, end) };
        text = Cow::Owned(format!("{}{}", &text[..start], &text[end..]));
    }
    text
}

fn without_operand_types(pattern: &str, omit: bool) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(pattern);
    if omit {
        while let Some(at) = text.match_indices(" : ").map(|m| m.0).find(|&at| !text[..at].ends_with("outs")) {
            let run = type_run(&text[at + 3..]);
            if run == 0 {
                break;
            }
            text = Cow::Owned(format!("{}{}", &text[..at], &text[at + 3 + run..]));
        }
    }
    text
}

/// The length of a list of types at the start of a pattern: `:a, :b(, :c)?`.
fn type_run(text: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let rest = rest.strip_prefix(", ").filter(|r| r.starts_with([':', '('])).unwrap_or(rest);
        let start = text.len() - rest.len();
        if let Some(word) = rest.strip_prefix(':').map(split_word).filter(|w| !w.0.is_empty()) {
            at = text.len() - word.1.len();
        } else if let Some((inner, after)) = rest.strip_prefix('(').and_then(group)
            && type_run(inner.trim_start_matches(", ")) > 0
        {
            at = text.len() - after.len();
        } else {
            return if start > at { at } else { start };
        }
    }
}

/// The part of a pattern that is always printed.
fn without_groups(pattern: &str) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some(at) = rest.find('(') {
        out.push_str(&rest[..=at]);
        rest = group(&rest[at + 1..]).map_or(&rest[at + 1..], |(_, after)| after);
    }
    out + rest
}

fn pattern_attrs(pattern: &str) -> Vec<&str> {
    pattern.match_indices('#').map(|(at, _)| split_word(&pattern[at + 1..]).0).collect()
}
