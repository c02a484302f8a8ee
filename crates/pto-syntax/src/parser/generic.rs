//! The generic form: `%r = "pto.x"(%a) [^bb] <{…}> ({…}) {…} : (T) -> T`.

use super::statement::{Head, Results};
use super::{Parse, Parser};
use crate::lexer::Tok;
use pto_ir::{Attr, BlockId, NewOp, OpId, Operand, RegionId, Successor, Sym, TypeId, ValueId};
use pto_isa::row::{Arith, Custom, SlotCount, SlotKind, Syntax, Twin};
use pto_isa::sort::SharedSort;
use pto_isa::text;
use pto_isa::{Diagnostic, Row, Span, codes, table};

impl<'s> Parser<'s> {
    pub(super) fn generic_statement(&mut self, block: BlockId, start: u32, results: Results) -> Parse<OpId> {
        let name_span = self.token.span;
        let quoted = self.text(name_span);
        let name = quoted.trim_matches('"');
        let Some(op) = table::find(name) else {
            self.unknown_op(name, name_span);
            self.poison(&results);
            return None;
        };
        self.bump();
        let head = Head { op, results, start, name_span, block };
        let done = self.generic_rest(&head);
        if done.is_none() {
            self.poison(&head.results);
        }
        done
    }

    fn generic_rest(&mut self, head: &Head) -> Parse<OpId> {
        let row = head.op.row();
        let open = self.expect(b'(')?.span;
        let uses = self.parse_uses()?;
        self.close(b')', open)?;
        let successors = if self.at(b'[') { self.generic_successors()? } else { Vec::new() };
        let mut entries = Vec::new();
        if self.at(b'<') {
            let open = self.bump().span;
            entries.extend(self.parse_dict()?);
            self.close(b'>', open)?;
        }
        let isolated = row.syntax == Syntax::Custom(Custom::Func);
        if isolated {
            self.scopes.enter_function();
        }
        let regions = self.generic_regions();
        if isolated {
            let unresolved = self.scopes.leave_function(&mut self.module);
            self.report_undefined(unresolved);
        }
        let regions = regions?;
        if self.at(b'{') {
            entries.extend(self.parse_dict()?);
        }
        self.expect(b':')?;
        let inputs = self.parse_type_list()?;
        if self.token.tok != Tok::Arrow {
            self.expected("`->`");
            return None;
        }
        self.bump();
        let outputs = self.parse_type_list()?;
        self.state_types(&uses, &inputs);
        let segments = self.take_segments(&mut entries, row);
        let operands = self.generic_operands(head, row, &uses, segments, outputs.len())?;
        let mut attrs = self.bind_attrs(row, Vec::new(), entries, head.name_span);
        if let (Some(Arith::Constant), [(ty, _)]) = (constant_like(head.op), &outputs[..]) {
            self.type_constant(&mut attrs, *ty, head.name_span)?;
        }
        let types = generic_results(row, &outputs);
        let new = NewOp { operands, attrs, regions, successors, ..NewOp::default() };
        self.finish_op(head, new, &types)
    }

    /// The type of a constant is that of its result, regardless of the type of its number.
    fn type_constant(&mut self, attrs: &mut [(Sym, Attr)], ty: TypeId, span: Span) -> Parse<()> {
        let name = self.intern("value");
        for (_, value) in attrs.iter_mut().filter(|(n, _)| *n == name) {
            if let Attr::Int(n, own) = *value
                && own != ty
            {
                *value = self.typed_constant(Attr::Int(n, TypeId::UNKNOWN), ty, span)?;
            }
        }
        Some(())
    }

    /// `[^a(%x : T), 3: ^b]`
    fn generic_successors(&mut self) -> Parse<Vec<Successor>> {
        let open = self.expect(b'[')?.span;
        let mut list = Vec::new();
        while !self.at(b']') {
            let case = if self.token.tok == Tok::Caret { None } else { Some(self.case_value()?) };
            list.push(self.successor(case)?);
            if !self.eat(b',') {
                break;
            }
        }
        self.close(b']', open)?;
        Some(list)
    }

    /// `({…}, {…})`
    fn generic_regions(&mut self) -> Parse<Vec<RegionId>> {
        let mut regions = Vec::new();
        if !self.at(b'(') {
            return Some(regions);
        }
        let open = self.bump().span;
        while self.at(b'{') {
            regions.push(self.parse_region(&[])?);
            if !self.eat(b',') {
                break;
            }
        }
        self.close(b')', open)?;
        Some(regions)
    }

    /// The number of operands of each slot, if the text states it.
    fn take_segments(&mut self, entries: &mut Vec<super::attrs::NamedAttr>, row: &Row) -> Option<Vec<usize>> {
        let name = self.module.names.get("operandSegmentSizes")?;
        let at = entries.iter().position(|e| e.0 == name)?;
        let (_, attr, _) = entries.remove(at);
        let Attr::Array(items) = attr else { return None };
        let sizes: Option<Vec<usize>> = items.iter().map(|a| a.int().and_then(|n| usize::try_from(n).ok())).collect();
        sizes.filter(|s| s.len() <= row.slots.len())
    }

    fn generic_operands(
        &mut self,
        head: &Head,
        row: &'static Row,
        uses: &[(ValueId, Span)],
        segments: Option<Vec<usize>>,
        results: usize,
    ) -> Parse<Vec<Operand>> {
        if let Some(sizes) = segments {
            if sizes.iter().sum::<usize>() != uses.len() {
                let message = text!("operandSegmentSizes do not add up to {uses} operands", uses = uses.len());
                self.error(codes::OPERAND_COUNT, head.name_span, message);
                return None;
            }
            let order = row.generic_slots();
            let slots = sizes.iter().zip(order).flat_map(|(&n, s)| std::iter::repeat_n(s as u8, n));
            let mut operands: Vec<Operand> = uses.iter().zip(slots).map(|(&u, s)| Self::operand(u, s)).collect();
            operands.shared_sort_by_key(|o| o.slot);
            self.report_twice(row, &operands);
            return Some(operands);
        }
        let value_form = results > row.results.len() && row.has_result_slots();
        let is_operand = |s: &usize| !(value_form && row.slots[*s].is_result());
        let mut slots: Vec<usize> = row.generic_slots().into_iter().filter(is_operand).collect();
        let fit = |slots: &[usize]| {
            let takes = |(u, s): (&(ValueId, Span), &usize)| row.slots[*s].kind.accepts(self.module.value_type(u.0));
            uses.len() == slots.len() && uses.iter().zip(slots).all(takes)
        };
        // The order of the text, in which `tsetval` was written before.
        let listed: Vec<usize> = (0..row.slots.len()).filter(is_operand).collect();
        if !row.generic_order.is_empty() && !fit(&slots) && fit(&listed) {
            slots = listed;
        }
        let required = slots.iter().filter(|&&s| row.slots[s].count == SlotCount::One).count();
        if uses.len() < required {
            let d = Diagnostic::new(
                codes::OPERAND_COUNT,
                head.name_span,
                text!(
                    "`{row}` has {required} operands, {uses} are given",
                    row = row.full_name(),
                    required,
                    uses = uses.len()
                ),
            );
            self.report(d.page(row.name));
            return None;
        }
        Some(self.spread(row, &slots, uses))
    }

    /// Fills slots from left to right; required ones have priority.
    fn spread(&mut self, row: &'static Row, slots: &[usize], uses: &[(ValueId, Span)]) -> Vec<Operand> {
        let mut operands = Vec::new();
        let mut left = uses;
        for (at, &s) in slots.iter().enumerate() {
            let slot = &row.slots[s];
            let needed = slots[at + 1..].iter().filter(|&&s| row.slots[s].count == SlotCount::One).count();
            let most = match slot.count {
                SlotCount::One => 1,
                SlotCount::Optional => usize::from(left.len() > needed),
                SlotCount::Many => left.len().saturating_sub(needed),
            };
            let fits = |u: &&(ValueId, Span)| {
                slot.count == SlotCount::One
                    || slot.kind == SlotKind::Any
                    || slot.kind.accepts(self.module.value_type(u.0))
            };
            let n = left.iter().take(most).take_while(fits).count();
            operands.extend(left[..n].iter().map(|&u| Self::operand(u, s as u8)));
            left = &left[n..];
        }
        if let Some(extra) = left.first() {
            let message = text!("`{row}` takes no operand here", row = row.full_name());
            self.error(codes::OPERAND_COUNT, extra.1, message);
        }
        operands.shared_sort_by_key(|o| o.slot);
        operands
    }
}

/// Slots of the results: those of the row, after the destinations in the value form.
fn generic_results(row: &Row, types: &[(TypeId, Span)]) -> Vec<(TypeId, u8)> {
    let own = row.results.len();
    let mut slots: Vec<usize> = Vec::new();
    if types.len() > own && row.has_result_slots() {
        slots = pto_ir::print::result_slots(row, types.len() - own);
    }
    slots.extend(row.slots.len()..row.slots.len() + own);
    types.iter().enumerate().map(|(i, t)| (t.0, slots.get(i).copied().unwrap_or(row.slots.len()) as u8)).collect()
}

/// Its meaning, also under another spelling.
fn constant_like(op: pto_isa::Op) -> Option<Arith> {
    match op.row().twin {
        Some(Twin::Is(is)) => Some(is),
        _ => op.arith(),
    }
}
