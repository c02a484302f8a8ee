//! Tile instructions in their four forms, and operations printed by pattern.

use super::{Form, Printer};
use crate::{Attr, Module, OpId, Operand, ValueId};
use pto_isa::row::{AttrKind, Count, Kind, Syntax};
use pto_isa::{Dir, Row, Type};

/// The operands of a tile instruction, sorted by where they are written.
struct Parts {
    /// Inside `ins(…)`.
    ins: Vec<ValueId>,
    /// Inside `outs(…)`.
    outs: Vec<Operand>,
    /// `name = %v : T` after them.
    named: Vec<Operand>,
}

impl Printer<'_> {
    fn parts(&self, op: OpId) -> Parts {
        let row = self.module.op(op).op.row();
        let first_out = row.slots.iter().position(|s| s.dir != Dir::In).unwrap_or(row.slots.len());
        let mut parts = Parts { ins: Vec::new(), outs: Vec::new(), named: Vec::new() };
        for operand in self.module.operands(op) {
            let at = usize::from(operand.slot);
            if at < first_out {
                parts.ins.push(operand.value);
            } else if row.slots[at].dir == Dir::In {
                parts.named.push(*operand);
            } else {
                parts.outs.push(*operand);
            }
        }
        parts
    }

    pub(super) fn tile_op(&mut self, op: OpId, syntax: Syntax) {
        let parts = self.parts(op);
        let value_form = self.module.is_value_form(op);
        match (self.style.form, syntax) {
            (Some(form @ (Form::Level1 | Form::Asm)), _) if value_form || self.can_assign(op, &parts) => {
                self.value_form(op, &parts, form == Form::Asm);
            }
            _ if value_form => self.value_form(op, &parts, false),
            (_, Syntax::Pattern(pattern)) => self.pattern(op, pattern),
            (_, Syntax::InsOuts { attrs_in_ins }) => self.buffer_form(op, &parts, attrs_in_ins),
            (_, Syntax::Custom(_)) => self.generic(op),
        }
    }

    /// A buffer may be written as the result of an instruction when its name alone says that it is one.
    fn can_assign(&self, op: OpId, parts: &Parts) -> bool {
        let row = self.module.op(op).op.row();
        let written: Vec<ValueId> =
            parts.outs.iter().filter(|o| row.slots[usize::from(o.slot)].is_result()).map(|o| o.value).collect();
        let distinct = written.iter().enumerate().all(|(i, v)| !written[..i].contains(v));
        self.module.results(op).len() == 0
            && distinct
            // A name that was not written yet would read as a new value.
            && written.iter().all(|&v| self.names.contains_key(&v))
            && written.iter().all(|&v| matches!(self.module.value_type(v), Type::TileBuf(_)))
            && self.outs_rebind(op, row, written.len())
    }

    /// The results are bound to slots by their number; true when that gives the slots they have now.
    fn outs_rebind(&self, op: OpId, row: &Row, count: usize) -> bool {
        let slots = result_slots(row, count);
        let actual: Vec<usize> = self
            .module
            .operands(op)
            .iter()
            .map(|o| usize::from(o.slot))
            .filter(|&s| row.slots[s].is_result())
            .collect();
        slots == actual
    }

    /// `pto.tmax ins(%a, %b : T, T) outs(%d : T) {…}`
    fn buffer_form(&mut self, op: OpId, parts: &Parts, attrs_in_ins: bool) {
        self.result_list(op);
        self.put(&self.module.op(op).op.row().full_name());
        let dict = self.dict(op, &[]);
        if !parts.ins.is_empty() || (attrs_in_ins && !dict.is_empty()) {
            self.put(" ins(");
            self.values(parts.ins.iter().copied());
            self.no_scratch(op);
            if attrs_in_ins {
                self.put(&dict);
            }
            let types = self.types_of(&parts.ins);
            self.put(&format!(" : {types})"));
        }
        if !parts.outs.is_empty() {
            let outs: Vec<ValueId> = parts.outs.iter().map(|o| o.value).collect();
            self.put(" outs(");
            self.values(outs.iter().copied());
            let types = self.types_of(&outs);
            self.put(&format!(" : {types})"));
        }
        if !attrs_in_ins {
            self.put(&dict);
        }
        self.named_operands(op, &parts.named);
    }

    /// Where the last of several optional sources would be taken for the scratch tile, the text says that
    /// there is none.
    fn no_scratch(&mut self, op: OpId) {
        let row = self.module.op(op).op.row();
        let Some(scratch) = row.scratch.and_then(|s| row.slot(s.slot)) else { return };
        let source = |s: usize| s != scratch && row.slots[s].kind == Kind::Tile && row.slots[s].dir == Dir::In;
        let optional = (0..row.slots.len()).filter(|&s| source(s) && row.slots[s].count == Count::Optional).count();
        let given = self.module.operands(op).iter().filter(|o| source(usize::from(o.slot))).count();
        let required = (0..row.slots.len()).filter(|&s| source(s) && row.slots[s].count == Count::One).count();
        let has_scratch = self.module.in_slot(op, scratch).next().is_some();
        if !has_scratch && optional >= 2 && given > required {
            self.put(" no_tmp");
        }
    }

    fn named_operands(&mut self, op: OpId, named: &[Operand]) {
        let row = self.module.op(op).op.row();
        for o in named {
            let ty = self.type_of(o.value);
            self.put(&format!(" {} = ", row.slots[usize::from(o.slot)].name));
            self.value(o.value);
            self.put(&format!(" : {ty}"));
        }
    }

    /// `%d = pto.tmax %a, %b : (T, T) -> T`, or `%d = tmax %a, %b : T` in assembly.
    fn value_form(&mut self, op: OpId, parts: &Parts, asm: bool) {
        let row = self.module.op(op).op.row();
        let (written, rest): (Vec<&Operand>, Vec<&Operand>) =
            parts.outs.iter().partition(|o| row.slots[usize::from(o.slot)].is_result());
        let mut results: Vec<ValueId> = written.iter().map(|o| o.value).collect();
        if results.is_empty() {
            self.result_list(op);
            results = self.module.results(op).collect();
        } else {
            self.values(results.iter().copied());
            self.put(" = ");
        }
        let name = row.full_name();
        self.put(if asm { name.strip_prefix("pto.").unwrap_or(&name) } else { &name });
        let operands: Vec<ValueId> = parts.ins.iter().copied().chain(rest.iter().map(|o| o.value)).collect();
        if !operands.is_empty() {
            self.put(" ");
            self.values(operands.iter().copied());
        }
        self.no_scratch(op);
        let dict = self.dict(op, &[]);
        self.put(&dict);
        self.named_operands(op, &parts.named);
        let signature = if asm { self.asm_types(&operands, &results) } else { self.signature(&operands, &results) };
        self.put(&signature);
    }

    fn signature(&mut self, operands: &[ValueId], results: &[ValueId]) -> String {
        let ins = self.types_of(operands);
        let outs = self.types_of(results);
        match results.len() {
            1 => format!(" : ({ins}) -> {outs}"),
            _ => format!(" : ({ins}) -> ({outs})"),
        }
    }

    /// One type where all tiles have it; scalars are known from their definitions.
    fn asm_types(&mut self, operands: &[ValueId], results: &[ValueId]) -> String {
        let module = self.module;
        let shaped: Vec<ValueId> =
            operands.iter().copied().filter(|&v| !matches!(module.value_type(v), Type::Scalar(_))).collect();
        let all: Vec<String> = shaped.iter().chain(results).map(|&v| self.type_of(v)).collect();
        match all.first() {
            None => String::new(),
            Some(first) if !shaped.is_empty() && !results.is_empty() && all.iter().all(|t| t == first) => {
                format!(" : {first}")
            }
            _ => {
                let (ins, outs) = (self.types_of(&shaped), self.types_of(results));
                let ins = if ins.is_empty() { "()".to_string() } else { ins };
                match results.len() {
                    0 => format!(" : {ins}"),
                    1 => format!(" : {ins} -> {outs}"),
                    _ => format!(" : {ins} -> ({outs})"),
                }
            }
        }
    }

    /// `"pto.tmax"(%a, %b, %d) <{…}> : (T, T, T) -> ()`
    pub(super) fn generic(&mut self, op: OpId) {
        let module = self.module;
        let data = module.op(op);
        let row = data.op.row();
        self.result_list(op);
        let name = row.full_name();
        let name = if name == "module" { "builtin.module" } else { &name };
        self.put(&format!("\"{name}\"("));
        let order = row.generic_slots();
        let operands: Vec<ValueId> =
            order.iter().flat_map(|&s| module.in_slot(op, s).map(|o| o.value).collect::<Vec<_>>()).collect();
        self.values(operands.iter().copied());
        self.put(")");
        self.generic_successors(op);
        self.generic_properties(op, row);
        let regions = module.op_regions(op);
        if !regions.is_empty() {
            self.put(" (");
            for (i, &region) in regions.iter().enumerate() {
                self.put(if i > 0 { ", " } else { "" });
                self.generic_region(region);
            }
            self.put(")");
        }
        let foreign = foreign_attrs(module, op, row);
        let known: Vec<&str> =
            module.attrs(op).iter().map(|(n, _)| module.names.text(*n)).filter(|n| !foreign.contains(n)).collect();
        let dict = self.dict(op, &known);
        self.put(&dict);
        let results: Vec<ValueId> = module.results(op).collect();
        let signature = self.signature(&operands, &results);
        self.put(&signature);
    }

    /// In the generic form every block with parameters shows them in its label.
    fn generic_region(&mut self, region: crate::RegionId) {
        self.put("{\n");
        self.open_scope();
        self.indent += 1;
        let blocks = &self.module.region(region).blocks;
        for &block in blocks {
            self.label(block);
        }
        for (i, &block) in blocks.iter().enumerate() {
            if i > 0 || self.module.block(block).is_target || !self.module.block(block).args.is_empty() {
                self.write_label(block);
            }
            self.block_ops(block);
            self.comments_before(self.module.block(block).end);
        }
        self.indent -= 1;
        self.close_scope();
        self.line_start();
        self.put("}");
    }

    fn generic_successors(&mut self, op: OpId) {
        let successors = self.module.successors(op);
        if successors.is_empty() {
            return;
        }
        let mut parts = Vec::new();
        for s in successors {
            let mut text = format!("^{}", self.label_name(s.block));
            if let Some(case) = s.case {
                text = format!("{case}: {text}");
            }
            if !s.args.is_empty() {
                let names: Vec<String> = s.args.iter().map(|&v| format!("%{}", self.name(v))).collect();
                let types = self.types_of(&s.args);
                text += &format!("({} : {types})", names.join(", "));
            }
            parts.push(text);
        }
        self.put(&format!("[{}]", parts.join(", ")));
    }

    /// Attributes the row knows are properties; the others belong to nobody in particular and come last.
    fn generic_properties(&mut self, op: OpId, row: &Row) {
        let segments = self.segments(op, row);
        let module = self.module;
        let foreign = foreign_attrs(module, op, row);
        let dict = self.dict(op, &foreign);
        let inner = dict.trim().strip_prefix('{').and_then(|d| d.strip_suffix('}')).unwrap_or("").to_string();
        let all: Vec<String> = segments.into_iter().chain((!inner.is_empty()).then_some(inner)).collect();
        if !all.is_empty() {
            self.put(&format!(" <{{{}}}>", all.join(", ")));
        }
    }

    /// How many operands each slot has, where that is not plain.
    pub(super) fn segments(&self, op: OpId, row: &Row) -> Option<String> {
        let open = row.slots.iter().filter(|s| s.count != Count::One).count();
        (open > 1).then(|| {
            let sizes: Vec<String> =
                row.generic_slots().iter().map(|&s| self.module.in_slot(op, s).count().to_string()).collect();
            format!("operandSegmentSizes = array<i32: {}>", sizes.join(", "))
        })
    }

    /// Follows a row's pattern; see [`Row::pattern`].
    pub(super) fn pattern(&mut self, op: OpId, pattern: &str) {
        let text = self.expand(op, pattern).replace(", )", ")");
        let text = text.trim();
        // Where two ways to say something are both left out, a comma is left over.
        if !self.pattern_fits(op, pattern) || text.ends_with(',') {
            return self.generic(op);
        }
        self.result_list(op);
        self.put(&self.module.op(op).op.row().full_name());
        if !text.is_empty() && !text.starts_with(['[', '(']) {
            self.put(" ");
        }
        self.put(text);
    }

    /// An operation that lacks something its pattern always shows, or has an attribute of another kind there,
    /// is wrong, but still has a generic form.
    fn pattern_fits(&self, op: OpId, pattern: &str) -> bool {
        let row = self.module.op(op).op.row();
        let required = without_groups(pattern);
        let has_slot = |word: &str| {
            let many = row.slot(word).is_some_and(|s| row.slot_at(s).count == Count::Many);
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

    /// An attribute without its name; an enumeration is shortened to `<VALUE>` where only one can stand.
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

/// The result slots of the value form when an instruction is written with this many results.
///
/// Optional results are dropped from the front when there are too few.
pub fn result_slots(row: &Row, count: usize) -> Vec<usize> {
    let slots: Vec<usize> = (0..row.slots.len()).filter(|&s| row.slots[s].is_result()).collect();
    let mut spare = slots.len().saturating_sub(count);
    let optional = |s: usize| row.slots[s].count != Count::One;
    let mut kept = Vec::new();
    for s in slots {
        if spare > 0 && optional(s) {
            spare -= 1;
        } else {
            kept.push(s);
        }
    }
    kept
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

/// The attributes of an operation that its row does not know.
fn foreign_attrs<'m>(module: &'m Module, op: OpId, row: &Row) -> Vec<&'m str> {
    module.attrs(op).iter().map(|(n, _)| module.names.text(*n)).filter(|n| row.attr(n).is_none()).collect()
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
