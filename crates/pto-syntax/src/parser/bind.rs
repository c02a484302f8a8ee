//! Binds chunks to a row: operands to slots, and attributes to their specifications.

use super::chunks::{Chunks, ValueUse};
use super::statement::{Head, Results};
use super::{Parse, Parser};
use pto_ir::{Attr, NewOp, OpId, Operand, Sym, TypeId, ValueId};
use pto_isa::row::{AttrKind, AttrSpec, Infer, SlotCount, SlotKind, Syntax};
use pto_isa::sort::SharedSort;
use pto_isa::text;
use pto_isa::{Diagnostic, Dir, EnumDef, Op, Row, Span, Type, codes};
use std::rc::Rc;

impl<'s> Parser<'s> {
    /// Reads the rest of a statement whose row has operands in the usual arrangements.
    pub(super) fn row_statement(&mut self, head: &Head) -> Parse<OpId> {
        let chunks = match self.chunks(head.op.row()) {
            Some(c) => c,
            None => {
                self.poison(&head.results);
                return None;
            }
        };
        self.bind(head, chunks)
    }

    /// Creates the operation from the chunks of the statement.
    pub(super) fn bind(&mut self, head: &Head, mut chunks: Chunks) -> Parse<OpId> {
        let row = head.op.row();
        let targets = self.assigned_buffers(head, row, &chunks);
        let mut operands = self.bind_operands(head, row, &chunks, targets.is_some());
        let assigns = targets.is_some();
        let one_for_all = self.is_one_for_all(head, &chunks, assigns);
        let by_pattern = if one_for_all { None } else { self.state_by_pattern(head.op, &chunks, &operands) };
        let result_types = match by_pattern {
            Some(results) => results,
            None => {
                let (operand_types, results) = self.split_types(head, row, &chunks, targets.is_some());
                self.state_operand_types(&chunks, &operand_types);
                results
            }
        };
        if let Some(targets) = &targets {
            operands.extend(targets);
            for (t, (ty, span)) in targets.iter().zip(&result_types) {
                self.note_elided(t.span, *ty);
                self.state_type(t.value, *ty, *span);
            }
        }
        operands.shared_sort_by_key(|o| o.slot);
        self.report_twice(row, &operands);
        let (positional, named) = (std::mem::take(&mut chunks.positional), std::mem::take(&mut chunks.attrs));
        let attrs = self.bind_attrs(row, positional, named, head.name_span);
        if targets.is_some() {
            self.list_types(head, &chunks, true, &result_types);
            let unnamed = Head { results: Results::default(), ..*head };
            return self.finish_op(&unnamed, NewOp { operands, attrs, ..NewOp::default() }, &[]);
        }
        let made = Made { operands: &operands, attrs: &attrs, types: &result_types };
        let results = self.result_slots(head, row, chunks.buffer_form, &made);
        self.list_types(head, &chunks, false, &result_types);
        self.elided_results = results.iter().enumerate().map(|(at, _)| is_elided(&result_types, at)).collect();
        self.finish_op(head, NewOp { operands, attrs, ..NewOp::default() }, &results)
    }

    /// In the value form, a result with the name of an existing tile buffer writes to that buffer.
    fn assigned_buffers(&mut self, head: &Head, row: &Row, c: &Chunks) -> Option<Vec<Operand>> {
        if c.buffer_form || !row.has_result_slots() || head.results.names.is_empty() {
            return None;
        }
        let slots = pto_ir::print::result_slots(row, head.results.count());
        let mut targets = Vec::new();
        for (&(name, count, span), &slot) in head.results.names.iter().zip(&slots) {
            let value = self.scopes.get(name)?;
            let is_buffer = matches!(self.module.value_type(value), Type::TileBuf(_) | Type::Memref(_));
            if count != 1 || !is_buffer {
                return None;
            }
            targets.push(Operand { value, slot: slot as u8, span });
        }
        Some(targets)
    }

    /// The pattern of the row says which operand or result each written type belongs to, if there are as many types as
    /// the pattern names. Returns the types of the results.
    fn state_by_pattern(&mut self, op: Op, c: &Chunks, operands: &[Operand]) -> Option<Vec<(TypeId, Span)>> {
        let row = op.row();
        let (types, result_types) = (c.types.as_deref()?, c.result_types.as_deref().unwrap_or_default());
        let cached = &mut self.pattern_types[op.index()];
        let typed = cached.get_or_insert_with(|| row.pattern_types().map(Rc::new)).clone()?;
        let (before, after) = (&typed.0, &typed.1);
        let first_result = row.slots.len();
        let mut uses = Vec::new();
        for &slot in before {
            if slot >= first_result {
                uses.push(None);
            } else {
                let filled = operands.iter().filter(|o| usize::from(o.slot) == slot);
                uses.extend(filled.map(|o| Some((o.value, o.span))));
            }
        }
        if uses.len() != types.len() || (!result_types.is_empty() && result_types.len() != after.len()) {
            return None;
        }
        let mut results = Vec::new();
        for (u, t) in uses.iter().zip(types) {
            match u {
                Some((value, span)) => {
                    self.note_elided(*span, t.0);
                    self.state_type(*value, t.0, t.1);
                }
                None => results.push(*t),
            }
        }
        results.extend(result_types);
        Some(results)
    }

    /// `%d = tmov %a : T`: one type for the tiles and the result, regardless of the pattern of the buffer form.
    fn is_one_for_all(&self, head: &Head, c: &Chunks, assigns: bool) -> bool {
        let row = head.op.row();
        let by_groups = matches!(row.syntax, Syntax::Pattern(p) if p.starts_with("ins("));
        let named = assigns || head.results.count() > 0;
        let one = c.result_types.is_none() && c.types.as_ref().is_some_and(|t| t.len() == 1);
        by_groups && !c.buffer_form && row.has_result_slots() && named && one
    }

    /// Which of the written types belong to operands and which to results.
    #[expect(clippy::type_complexity, reason = "two lists of typed places")]
    fn split_types(
        &self,
        head: &Head,
        row: &Row,
        c: &Chunks,
        assigns: bool,
    ) -> (Vec<(TypeId, Span)>, Vec<(TypeId, Span)>) {
        let types = c.types.clone().unwrap_or_default();
        if let Some(results) = &c.result_types {
            return (types, results.clone());
        }
        let value_form = !c.buffer_form && row.has_result_slots();
        if value_form && (assigns || head.results.count() > 0) && types.len() == 1 {
            let results = if is_elided(&types, 0) { vec![types[0]; head.results.count()] } else { types.clone() };
            return (types, results);
        }
        let stated: usize = row.results.iter().filter(|r| r.infer == Infer::No).count();
        if !value_form && stated > 0 && types.len() >= stated.min(types.len()) {
            let results = types.len().min(stated.max(1));
            let at = types.len() - results;
            return (types[..at].to_vec(), types[at..].to_vec());
        }
        (types, Vec::new())
    }

    /// Assigns the types after the colon: one per operand, one per operand that is not a scalar, or one for all.
    fn state_operand_types(&mut self, c: &Chunks, types: &[(TypeId, Span)]) {
        if c.buffer_form || types.is_empty() {
            return;
        }
        let uses: Vec<ValueUse> = c.inputs.to_vec();
        let shaped: Vec<ValueUse> =
            uses.iter().copied().filter(|u| !matches!(self.module.value_type(u.value), Type::Scalar(_))).collect();
        let targets = if types.len() == uses.len() {
            uses
        } else if types.len() == shaped.len() || types.len() == 1 {
            if types.len() == 1 {
                shaped.iter().for_each(|u| self.note_elided(u.span, types[0].0));
            }
            shaped
        } else if types.len() < uses.len() {
            // `%ptr[%i] : T` states only the first; the others follow from the operation.
            uses[..types.len()].to_vec()
        } else {
            let message = text!("{types} types for {uses} operands", types = types.len(), uses = uses.len());
            let span = types[0].1.to(types[types.len() - 1].1);
            self.report(Diagnostic::new(codes::SYNTAX, span, message).legal(text!("one type per operand")));
            return;
        };
        for (u, t) in targets.iter().zip(types) {
            self.note_elided(u.span, t.0);
            self.state_type(u.value, t.0, t.1);
        }
    }

    fn bind_operands(&mut self, head: &Head, row: &'static Row, c: &Chunks, assigns: bool) -> Vec<Operand> {
        let mut operands = Vec::new();
        let named: Vec<usize> = c.named.iter().filter_map(|(n, ..)| row.slot(n)).collect();
        let has_results = assigns || (!c.buffer_form && head.results.count() > 0 && row.has_result_slots());
        let is_input = |s: usize| {
            let slot = &row.slots[s];
            match (c.buffer_form, slot.dir) {
                (true, Dir::In) => true,
                (true, _) => false,
                (false, Dir::In) => true,
                (false, _) => !(has_results && slot.is_result()),
            }
        };
        let inputs: Vec<usize> = (0..row.slots.len()).filter(|&s| is_input(s) && !named.contains(&s)).collect();
        let inputs = if c.no_scratch { without_scratch(row, &inputs) } else { inputs };
        self.fill(head, row, &inputs, &c.inputs, &mut operands);
        let outputs: Vec<usize> =
            (0..row.slots.len()).filter(|&s| row.slots[s].dir != Dir::In && !named.contains(&s)).collect();
        if c.buffer_form {
            self.fill(head, row, &outputs, &c.outputs, &mut operands);
        }
        for (name, uses, span) in &c.named {
            match row.slot(name).filter(|&s| s < row.slots.len()) {
                Some(slot) => {
                    operands.extend(uses.iter().map(|u| Operand { value: u.value, slot: slot as u8, span: u.span }));
                }
                None => {
                    let d = Diagnostic::new(
                        codes::OPERAND_COUNT,
                        *span,
                        text!("`{row}` has no operand `{name}`", row = row.full_name(), name),
                    );
                    let names: Vec<_> = row.slots.iter().map(|s| s.name).collect();
                    self.report(d.legal(text!("operands: {names}", names = names.join(", "))));
                }
            }
        }
        operands
    }

    /// A slot for one operand must not be given two, by name or by position.
    pub(super) fn report_twice(&mut self, row: &'static Row, operands: &[Operand]) {
        for (at, o) in operands.iter().enumerate() {
            let slot = row.slot_at(usize::from(o.slot));
            if slot.count != SlotCount::Many && operands[..at].iter().any(|p| p.slot == o.slot) {
                let message =
                    text!("operand `{name}` of `{row}` is given twice", name = slot.name, row = row.full_name());
                self.error(codes::OPERAND_COUNT, o.span, message);
            }
        }
    }

    /// Fills slots from left to right. An optional slot is skipped when the operand does not fit it, or when
    /// the operands left are just enough for the required slots left.
    fn fill(&mut self, head: &Head, row: &'static Row, slots: &[usize], uses: &[ValueUse], out: &mut Vec<Operand>) {
        let order = self.slot_order(row, slots, uses);
        let mut left = uses;
        for (at, &s) in order.iter().enumerate() {
            let needed: usize = order[at + 1..].iter().filter(|&&s| row.slots[s].count == SlotCount::One).count();
            match row.slots[s].count {
                SlotCount::One => {
                    let Some((first, rest)) = left.split_first() else {
                        self.missing_operand(head, row, s);
                        return;
                    };
                    out.push(Operand { value: first.value, slot: s as u8, span: first.span });
                    left = rest;
                }
                SlotCount::Optional => {
                    if let Some((first, rest)) = left.split_first()
                        && left.len() > needed
                        && row.slots[s].kind.accepts(self.module.value_type(first.value))
                    {
                        out.push(Operand { value: first.value, slot: s as u8, span: first.span });
                        left = rest;
                    }
                }
                SlotCount::Many => {
                    let take = left.len().saturating_sub(needed);
                    let fits = |u: &&ValueUse| row.slots[s].kind.accepts(self.module.value_type(u.value));
                    let n = left[..take].iter().take_while(fits).count();
                    out.extend(left[..n].iter().map(|u| Operand { value: u.value, slot: s as u8, span: u.span }));
                    left = &left[n..];
                }
            }
        }
        if let Some(extra) = left.first() {
            let name = row.full_name();
            let d = Diagnostic::new(codes::OPERAND_COUNT, extra.span, text!("`{name}` takes no operand here", name));
            self.report(d.legal(operand_list(row)).page(row.name));
        }
    }

    /// The scratch tile comes last: with as many tiles as slots for them, it is bound before optional sources.
    fn slot_order(&self, row: &Row, slots: &[usize], uses: &[ValueUse]) -> Vec<usize> {
        let scratch = row.scratch.and_then(|s| row.slot(s.slot)).filter(|s| slots.contains(s));
        let Some(scratch) = scratch else { return slots.to_vec() };
        let is_tile = |s: &usize| row.slots[*s].kind == SlotKind::Tile;
        let optional_sources = slots
            .iter()
            .filter(|s| is_tile(s) && **s != scratch && row.slots[**s].count == SlotCount::Optional)
            .count();
        let tiles = uses.iter().filter(|u| SlotKind::Tile.accepts(self.module.value_type(u.value))).count();
        let required = slots.iter().filter(|s| is_tile(s) && row.slots[**s].count == SlotCount::One).count();
        if optional_sources < 2 || tiles < required + 2 {
            return slots.to_vec();
        }
        // Keep the sources that are filled and the scratch tile; drop the optional sources in between.
        let keep = tiles - required - 1;
        let mut kept = 0;
        slots
            .iter()
            .copied()
            .filter(|s| {
                let source = is_tile(s) && *s != scratch && row.slots[*s].count == SlotCount::Optional;
                kept += usize::from(source);
                !source || kept <= keep
            })
            .collect()
    }

    fn missing_operand(&mut self, head: &Head, row: &'static Row, slot: usize) {
        let (name, operand) = (row.full_name(), row.slots[slot].name);
        let d = Diagnostic::new(
            codes::OPERAND_COUNT,
            head.name_span,
            text!("`{name}` lacks its operand `{operand}`", name, operand),
        );
        self.report(d.legal(operand_list(row)).page(row.name));
    }

    /// Types and slots of the results of an operation.
    fn result_slots(&mut self, head: &Head, row: &'static Row, buffer_form: bool, made: &Made) -> Vec<(TypeId, u8)> {
        let mut slots: Vec<usize> = Vec::new();
        let named = head.results.count();
        if !buffer_form && named > 0 {
            let own = row.results.iter().filter(|r| r.count == SlotCount::One).count();
            slots = pto_ir::print::result_slots(row, named.saturating_sub(own));
        }
        let spare = named.saturating_sub(slots.len());
        let optional_wanted = spare.saturating_sub(row.results.iter().filter(|r| r.count == SlotCount::One).count());
        let mut optional = 0;
        for (i, r) in row.results.iter().enumerate() {
            let take = match r.count {
                SlotCount::One => true,
                _ => {
                    optional += 1;
                    optional <= optional_wanted
                }
            };
            if take {
                slots.push(row.slots.len() + i);
            }
        }
        slots.iter().enumerate().map(|(i, &s)| (self.result_type(head, row, s, i, made), s as u8)).collect()
    }

    fn result_type(&mut self, head: &Head, row: &'static Row, slot: usize, at: usize, made: &Made) -> TypeId {
        if let Some(&(ty, span)) = made.types.get(at)
            && ty != TypeId::UNKNOWN
        {
            return self.stated_result(row, slot, ty, span, made);
        }
        if let Some(ty) = self.infer_result(row, slot, made) {
            return ty;
        }
        let all_known = made.operands.iter().all(|o| self.module.value(o.value).ty != TypeId::UNKNOWN);
        if all_known {
            let result = row.slot_at(slot).name;
            let span = made.types.get(at).map_or(head.name_span, |t| t.1);
            let d = Diagnostic::new(
                codes::NOT_INFERRED,
                span,
                text!("the type of result `{result}` of `{row}` is not written", result, row = row.full_name()),
            );
            self.report(d.help(text!("write it after `->`; it does not follow from the operands")).page(row.name));
        }
        TypeId::UNKNOWN
    }

    /// A result whose type the spelling does not state must have the inferred type.
    fn stated_result(&mut self, row: &'static Row, slot: usize, ty: TypeId, span: Span, made: &Made) -> TypeId {
        if row.slot_at(slot).infer == Infer::No {
            return ty;
        }
        let written = row.pattern_types().is_none_or(|(before, after)| before.contains(&slot) || after.contains(&slot));
        match self.infer_result(row, slot, made).filter(|_| !written) {
            Some(follows) if follows != ty => {
                let (here, there) = (self.module.ty(ty).to_string(), self.module.ty(follows).to_string());
                let message = text!("the result of `{row}` is {there}, not {here}", row = row.full_name(), there, here);
                self.error(codes::TYPE_DISAGREES, span, message);
                follows
            }
            _ => ty,
        }
    }

    // ---- attributes --------------------------------------------------------------------------------------

    /// Gives every attribute its canonical name and form. Unknown ones are kept; the checker reports them.
    pub(super) fn bind_attrs(
        &mut self,
        row: &'static Row,
        positional: Vec<(Attr, Span)>,
        named: Vec<super::attrs::NamedAttr>,
        at: Span,
    ) -> Vec<(Sym, Attr)> {
        let mut out: Vec<(Sym, Attr)> = Vec::new();
        for (name, attr, span) in named {
            let (name, attr) = match row.attr(self.module.names.text(name)) {
                Some(spec) => {
                    let attr = self.normal(spec, attr, span);
                    (self.intern(spec.name), attr)
                }
                None => (name, attr),
            };
            if out.iter().any(|(n, _)| *n == name) {
                let text = self.module.names.text(name).to_string();
                self.error(codes::DUPLICATE_ATTRIBUTE, span, text!("`{text}` is given twice", text));
            } else {
                out.push((name, attr));
            }
        }
        let mut specs = row.attrs.iter();
        for (attr, span) in fold_ints(row, positional) {
            let free = specs
                .by_ref()
                .find(|s| self.module.names.get(s.name).is_none_or(|sym| out.iter().all(|(n, _)| *n != sym)));
            let Some(spec) = free else {
                let name = row.full_name();
                let span = if span.start == span.end { at } else { span };
                self.error(codes::UNKNOWN_ATTRIBUTE, span, text!("`{name}` takes no attribute here", name));
                continue;
            };
            let attr = self.normal(spec, attr, span);
            let sym = self.intern(spec.name);
            out.push((sym, attr));
        }
        out
    }

    /// A text, word or number that stands for a value of an enumeration becomes that value.
    fn normal(&mut self, spec: &'static AttrSpec, attr: Attr, span: Span) -> Attr {
        let (first, second) = match spec.kind {
            AttrKind::Enum(e) => (e, None),
            AttrKind::EnumOr(e, f) => (e, Some(f)),
            AttrKind::Int(..) | AttrKind::OneOf(_) => return untyped_int(attr),
            _ => return attr,
        };
        let defs: Vec<&'static EnumDef> = std::iter::once(first).chain(second).collect();
        match &attr {
            Attr::Enum(def, at) if !defs.contains(def) => {
                // Another enumeration with the same values (a renamed or older spelling).
                let text = def.value(usize::from(*at));
                match defs.iter().find_map(|d| Some((*d, d.find(text)?))) {
                    Some((d, at)) => Attr::Enum(d, at as u8),
                    None => attr,
                }
            }
            Attr::Str(s) => {
                let text = self.module.names.text(*s).to_string();
                match defs.iter().find_map(|d| Some((*d, d.find(&text)?))) {
                    Some((d, at)) => Attr::Enum(d, at as u8),
                    None => {
                        let message = text!("`{text}` is not a value of `{name}`", text, name = first.name);
                        self.report(
                            Diagnostic::new(codes::ATTRIBUTE_VALUE, span, message)
                                .legal(text!("legal: {first}", first)),
                        );
                        attr
                    }
                }
            }
            Attr::Int(n, _) => match i64::try_from(*n).ok().and_then(|n| first.find_number(n)) {
                Some(at) => Attr::Enum(first, at as u8),
                None => attr,
            },
            _ => attr,
        }
    }

    /// The operands of a statement that is not bound by chunks.
    pub(super) fn operand(value: (ValueId, Span), slot: u8) -> Operand {
        Operand { value: value.0, slot, span: value.1 }
    }
}

/// The parts of an operation that its result types are inferred from.
pub(super) struct Made<'a> {
    pub(super) operands: &'a [Operand],
    pub(super) attrs: &'a [(Sym, Attr)],
    /// Types the text states for the results.
    pub(super) types: &'a [(TypeId, Span)],
}

fn is_elided(types: &[(TypeId, Span)], at: usize) -> bool {
    types.get(at).is_some_and(|t| t.0 == TypeId::UNKNOWN)
}

/// The slots without the scratch tile.
fn without_scratch(row: &Row, slots: &[usize]) -> Vec<usize> {
    let scratch = row.scratch.and_then(|s| row.slot(s.slot));
    slots.iter().copied().filter(|s| Some(*s) != scratch).collect()
}

/// `[0, 1]` for an attribute that is a list of integers is one attribute, not two.
fn fold_ints(row: &Row, positional: Vec<(Attr, Span)>) -> Vec<(Attr, Span)> {
    let wants_list = row.attrs.first().is_some_and(|a| matches!(a.kind, AttrKind::Ints));
    let all_ints = !positional.is_empty() && positional.iter().all(|(a, _)| matches!(a, Attr::Int(..)));
    if !wants_list || !all_ints {
        return positional;
    }
    let span = positional[0].1.to(positional[positional.len() - 1].1);
    vec![(Attr::Array(positional.into_iter().map(|(a, _)| a).collect()), span)]
}

/// The dialect gives integer attributes default types (`1 : i32`); they have no meaning.
fn untyped_int(attr: Attr) -> Attr {
    match attr {
        Attr::Int(n, _) => Attr::Int(n, TypeId::UNKNOWN),
        other => other,
    }
}

/// The operands of a row as text for messages.
fn operand_list(row: &Row) -> String {
    let part = |dir: fn(Dir) -> bool| {
        let names: Vec<String> = row
            .slots
            .iter()
            .filter(|s| dir(s.dir))
            .map(|s| match s.count {
                SlotCount::One => s.name.to_string(),
                SlotCount::Optional => format!("[{}]", s.name),
                SlotCount::Many => format!("{}…", s.name),
            })
            .collect();
        names.join(", ")
    };
    let (ins, outs) = (part(|d| d == Dir::In), part(|d| d != Dir::In));
    match (ins.is_empty(), outs.is_empty()) {
        (true, true) => text!("no operands").to_string(),
        (false, true) => text!("operands: {ins}", ins),
        (true, false) => text!("destinations: {outs}", outs),
        (false, false) => text!("operands: {ins}; destinations: {outs}", ins, outs),
    }
}
