//! Tile instructions in their four forms.

use super::types::{BUFFER, VALUE};
use super::{Form, Printer};
use crate::{Listed, Module, OpId, Operand, ValueId};
use pto_isa::row::{SlotCount, SlotKind, Syntax};
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
        let form = std::mem::take(&mut self.form);
        let value_like = value_form || self.can_assign(op, &parts);
        match (form, syntax) {
            (Some(Form::Asm), _) if value_like || self.is_flat(op) => {
                self.form = form;
                self.value_form(op, &parts, true);
            }
            _ if self.is_flat(op) => self.value_form(op, &parts, false),
            (Some(Form::Level1), _) if value_like => self.value_form(op, &parts, false),
            _ if value_form => self.value_form(op, &parts, false),
            (_, Syntax::Pattern(pattern)) => {
                self.elided_tile = Some(BUFFER);
                self.pattern(op, pattern);
            }
            (_, Syntax::InsOuts { attrs_in_ins }) => self.buffer_form(op, &parts, attrs_in_ins),
            (_, Syntax::Custom(_)) => self.generic(op),
        }
    }

    /// A buffer may be written as the result of an instruction if its name alone shows that it is one.
    fn can_assign(&self, op: OpId, parts: &Parts) -> bool {
        let row = self.module.op(op).op.row();
        let written: Vec<ValueId> =
            parts.outs.iter().filter(|o| row.slots[usize::from(o.slot)].is_result()).map(|o| o.value).collect();
        let distinct = written.iter().enumerate().all(|(i, v)| !written[..i].contains(v));
        self.module.results(op).len() == 0
            && distinct
            // A name that was not written yet would be read as a new value.
            && written.iter().all(|&v| self.names.contains_key(&v))
            && written.iter().all(|&v| matches!(self.module.value_type(v), Type::TileBuf(_)))
            && self.outs_rebind(op, row, written.len())
    }

    /// Results are bound to slots by their number; true when that gives their current slots.
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

    /// The mnemonic; a bare one of the source stays bare unless another form is requested.
    pub(super) fn mnemonic(&mut self, op: OpId) {
        let name = self.module.op(op).op.row().full_name();
        let bare = self.style.form.is_none() && self.spelling(op).is_some_and(|s| s.bare);
        self.put(if bare { name.strip_prefix("pto.").unwrap_or(&name) } else { &name });
    }

    /// True when the source omits the types of the operands, and of the results.
    pub(super) fn omitted(&self, op: OpId) -> (bool, bool) {
        self.spelling(op).map_or((false, false), |s| (s.operand_types == Listed::Omitted, s.omits_results()))
    }

    /// True for `pto.tmax %a, %b, %d`: destinations among the operands, without `outs(…)`.
    fn is_flat(&self, op: OpId) -> bool {
        self.style.form.is_none() && self.spelling(op).is_some_and(|s| s.flat)
    }

    /// `pto.tmax ins(%a, %b : T, T) outs(%d : T) {…}`
    fn buffer_form(&mut self, op: OpId, parts: &Parts, attrs_in_ins: bool) {
        self.elided_tile = Some(BUFFER);
        let (no_ins, no_outs) = self.omitted(op);
        self.result_list(op);
        self.mnemonic(op);
        let dict = self.dict(op, &[]);
        if !parts.ins.is_empty() || (attrs_in_ins && !dict.is_empty()) {
            self.put(" ins(");
            self.values(parts.ins.iter().copied());
            self.no_scratch(op);
            if attrs_in_ins {
                self.put(&dict);
            }
            let types = self.types_of(&parts.ins);
            self.put(&if no_ins { ")".to_string() } else { format!(" : {types})") });
        }
        if !parts.outs.is_empty() {
            let outs: Vec<ValueId> = parts.outs.iter().map(|o| o.value).collect();
            self.put(" outs(");
            self.values(outs.iter().copied());
            let types = self.types_of(&outs);
            self.put(&if no_outs { ")".to_string() } else { format!(" : {types})") });
        }
        if !attrs_in_ins {
            self.put(&dict);
        }
        self.named_operands(op, &parts.named);
    }

    /// If the last of several optional sources would be read as the scratch tile, the text says that there is none.
    fn no_scratch(&mut self, op: OpId) {
        let row = self.module.op(op).op.row();
        let Some(scratch) = row.scratch.and_then(|s| row.slot(s.slot)) else { return };
        let source = |s: usize| s != scratch && row.slots[s].kind == SlotKind::Tile && row.slots[s].dir == Dir::In;
        let optional = (0..row.slots.len()).filter(|&s| source(s) && row.slots[s].count == SlotCount::Optional).count();
        let given = self.module.operands(op).iter().filter(|o| source(usize::from(o.slot))).count();
        let required = (0..row.slots.len()).filter(|&s| source(s) && row.slots[s].count == SlotCount::One).count();
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
        self.elided_tile = Some(VALUE);
        let flat = self.is_flat(op);
        let (written, rest): (Vec<&Operand>, Vec<&Operand>) =
            parts.outs.iter().partition(|o| !flat && row.slots[usize::from(o.slot)].is_result());
        let mut results: Vec<ValueId> = written.iter().map(|o| o.value).collect();
        if results.is_empty() {
            self.result_list(op);
            results = self.module.results(op).collect();
        } else {
            self.values(results.iter().copied());
            self.put(" = ");
        }
        if asm {
            self.put(row.name);
        } else {
            self.mnemonic(op);
        }
        let operands: Vec<ValueId> = parts.ins.iter().copied().chain(rest.iter().map(|o| o.value)).collect();
        if !operands.is_empty() {
            self.put(" ");
            self.values(operands.iter().copied());
        }
        self.no_scratch(op);
        let dict = self.dict(op, &[]);
        self.put(&dict);
        self.named_operands(op, &parts.named);
        let signature = self.tail(op, &operands, &results, asm);
        self.put(&signature);
    }

    /// The types of a value form: as in the source, or as usual.
    fn tail(&mut self, op: OpId, operands: &[ValueId], results: &[ValueId], asm: bool) -> String {
        let (listed, no_results) =
            self.spelling(op).map_or((Listed::Usual, false), |s| (s.operand_types, s.no_result_types));
        if listed == Listed::Omitted && (no_results || results.is_empty()) {
            return String::new();
        }
        let kept = self.style.form.is_none();
        match listed {
            Listed::One if kept => {
                let first = results.iter().chain(self.shaped(operands).iter()).next().copied();
                first.map_or_else(String::new, |v| format!(" : {}", self.type_of(v)))
            }
            Listed::All { parens, scalars } if kept => {
                let operands = if scalars { operands.to_vec() } else { self.shaped(operands) };
                let ins = self.types_of(&operands);
                let ins = if parens { format!("({ins})") } else { ins };
                let outs = match no_results {
                    true => String::new(),
                    false if results.is_empty() => " -> ()".to_string(),
                    false => self.result_tail(results),
                };
                format!(" : {ins}{outs}")
            }
            Listed::Omitted => self.result_tail(results),
            _ if !asm && self.omitted(op).1 && operands.len() > 1 => format!(" : ({})", self.types_of(operands)),
            _ if asm && self.omitted(op).1 && !results.is_empty() => self.asm_types_of_operands(operands, results),
            _ if asm => self.asm_types(operands, results),
            _ => self.signature(operands, results),
        }
    }

    fn shaped(&self, operands: &[ValueId]) -> Vec<ValueId> {
        operands.iter().copied().filter(|&v| !matches!(self.module.value_type(v), Type::Scalar(_))).collect()
    }

    fn result_tail(&mut self, results: &[ValueId]) -> String {
        let outs = self.types_of(results);
        match results.len() {
            0 => String::new(),
            1 => format!(" -> {outs}"),
            _ => format!(" -> ({outs})"),
        }
    }

    fn signature(&mut self, operands: &[ValueId], results: &[ValueId]) -> String {
        let ins = self.types_of(operands);
        let outs = self.types_of(results);
        match results.len() {
            1 => format!(" : ({ins}) -> {outs}"),
            _ => format!(" : ({ins}) -> ({outs})"),
        }
    }

    /// One type if all tiles have it; scalars are known from their definitions.
    fn asm_types(&mut self, operands: &[ValueId], results: &[ValueId]) -> String {
        let shaped = self.shaped(operands);
        let all: Vec<String> = shaped.iter().chain(results).map(|&v| self.type_of(v)).collect();
        let elided = |v: &ValueId| self.elided.contains(v);
        match all.first() {
            None => String::new(),
            Some(_) if shaped.iter().chain(results).all(elided) => format!(" : {VALUE}"),
            Some(first) if !shaped.is_empty() && !results.is_empty() && all.iter().all(|t| t == first) => {
                format!(" : {first}")
            }
            _ => {
                let ins = self.types_of(&shaped);
                let ins = if ins.is_empty() { "()".to_string() } else { ins };
                format!(" : {ins}{}", self.result_tail(results))
            }
        }
    }

    /// Without those of results, if the text then does not have one type for all.
    fn asm_types_of_operands(&mut self, operands: &[ValueId], results: &[ValueId]) -> String {
        let types = self.asm_types(operands, results);
        let shaped = self.shaped(operands);
        match types.split_once(" -> ") {
            Some((operands, _)) if shaped.len() > 1 => operands.to_string(),
            _ => types,
        }
    }

    /// `"pto.tmax"(%a, %b, %d) <{…}> : (T, T, T) -> ()`
    pub(super) fn generic(&mut self, op: OpId) {
        let module = self.module;
        let data = module.op(op);
        let row = data.op.row();
        if self.style.form.is_some() || self.spelling(op).is_none_or(|s| s.form != Some(Form::Generic)) {
            // Nothing is inferred in the generic form.
            self.elided.clear();
        }
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

    /// Attributes of the row are properties; the others come last.
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

    /// The number of operands of each slot, if it is not obvious.
    pub(super) fn segments(&self, op: OpId, row: &Row) -> Option<String> {
        let open = row.slots.iter().filter(|s| s.count != SlotCount::One).count();
        (open > 1).then(|| {
            let sizes: Vec<String> =
                row.generic_slots().iter().map(|&s| self.module.in_slot(op, s).count().to_string()).collect();
            format!("operandSegmentSizes = array<i32: {}>", sizes.join(", "))
        })
    }
}

/// The result slots of the value form when an instruction is written with this many results.
///
/// Optional results are dropped from the front when there are too few.
pub fn result_slots(row: &Row, count: usize) -> Vec<usize> {
    let slots: Vec<usize> = (0..row.slots.len()).filter(|&s| row.slots[s].is_result()).collect();
    let mut spare = slots.len().saturating_sub(count);
    let optional = |s: usize| row.slots[s].count != SlotCount::One;
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

/// The attributes of an operation that its row does not know.
fn foreign_attrs<'m>(module: &'m Module, op: OpId, row: &Row) -> Vec<&'m str> {
    module.attrs(op).iter().map(|(n, _)| module.names.text(*n)).filter(|n| row.attr(n).is_none()).collect()
}
