//! Fixes that write another number, or a constant, a key of a type or a field that was missing.

use super::copies::point;
use super::trial::OfferedFix;
use super::words::{inserted, number, quoted, words, written};
use crate::Document;
use crate::edits::Replacement;
use pto::Diagnostic;
use pto::ir::ValueId;
use pto::isa::row::{Arith, LocalOp, Syntax};
use pto::isa::{DType, Loc, Op, Span, Type, text};
use pto::syntax::TokenKind;

/// Extents that are tried where one is missing, after those that stand beside it.
const USUAL_EXTENTS: [&str; 4] = ["16", "32", "64", "128"];

impl Document {
    /// A key that a type lacks, with the numbers that its other keys have, usual extents, or names.
    pub(super) fn missing_key(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let span = problem.primary.span;
        let Some(key) = quoted(&problem.message).next() else { return Vec::new() };
        let numbers = words(self.slice(span)).filter(|word| number(word).is_some());
        let mut values: Vec<&str> = numbers.chain(USUAL_EXTENTS).collect();
        values.extend(Loc::ALL.into_iter().map(|loc| loc.name()).take(2));
        values.extend([DType::F32, DType::F16].map(|dtype| dtype.mlir()));
        let mut seen = Vec::new();
        values.retain(|value| {
            let is_new = !seen.contains(value);
            seen.push(*value);
            is_new
        });
        let pair = |value: &str| format!("{key}={value}");
        values.into_iter().map(|value| inserted(span.end, format!(", {}", pair(value)), &pair(value))).collect()
    }

    /// The nearest number that 64 bits hold; bits of a float with as many digits as its type has.
    pub(super) fn nearest_number(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let span = problem.primary.span;
        let digits = self.slice(span).trim_start_matches('-');
        if let Some(digits) = digits.strip_prefix("0x") {
            let legal = problem.legal.iter().flat_map(|line| words(line)).filter_map(number);
            let counts = legal.filter_map(|bits| usize::try_from(bits / 4).ok()).filter(|n| *n > 0);
            let cut = |n: usize| [digits.get(..n), digits.get(digits.len().saturating_sub(n)..)];
            let cut = counts.take(1).flat_map(|n| cut(n.min(digits.len()))).flatten();
            return cut.map(|digits| written(span, format!("0x{digits}"))).collect();
        }
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Vec::new();
        }
        let before = span.start.saturating_sub(1);
        let is_negative = self.slice(span).starts_with('-') || self.slice(Span::new(before, span.start)) == "-";
        let largest = if is_negative { i64::MIN.unsigned_abs() } else { i64::MAX.unsigned_abs() };
        let unsigned_span = Span::new(span.end - digits.len() as u32, span.end);
        [largest, u64::MAX].map(|n| written(unsigned_span, n.to_string())).to_vec()
    }

    /// A number of the type of a constant, in the place of something else.
    pub(super) fn constant_value(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let id = self.index().operation(problem.primary.span.start);
        let Some(id) = id.filter(|id| module.arith(*id) == Some(Arith::Constant)) else { return Vec::new() };
        let op = module.op(id);
        let tokens = self.index().tokens_in(Span::new(op.name_span.end, op.span.end));
        let colon = tokens.iter().rposition(|t| self.slice(t.span) == ":").unwrap_or(tokens.len());
        let (Some(first), Some(last)) = (tokens.first(), tokens.get(colon.wrapping_sub(1))) else { return Vec::new() };
        let value = Span::new(first.span.start, last.span.end);
        let numbers = tokens[..colon].iter().filter(|t| t.kind == TokenKind::Number).map(|t| self.slice(t.span));
        let own = numbers.flat_map(|n| [n.to_string(), format!("{n}.0")]);
        own.chain(["0", "0.0", "false"].map(String::from)).map(|new| written(value, new)).collect()
    }

    /// An `id` that no other statement has.
    pub(super) fn other_id(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let numbers = |span: Span| {
            let tokens = self.index().tokens_in(span);
            let ids = tokens.windows(3).filter(|t| self.slice(t[0].span) == "id" && self.slice(t[1].span) == "=");
            ids.map(|t| t[2].span).collect::<Vec<_>>()
        };
        let all = numbers(Span::new(0, self.text().len() as u32));
        let largest = all.iter().filter_map(|span| number(self.slice(*span))).max();
        let (Some(next), Some(own)) = (largest.and_then(|n| n.checked_add(1)), numbers(self.statement(problem)).pop())
        else {
            return Vec::new();
        };
        let title = text!("write `{name}`", name = format!("id = {next}"));
        vec![OfferedFix::new(title, vec![Replacement::new(own, next.to_string())])]
    }

    /// Regions that an operation in the generic form lacks.
    pub(super) fn with_regions(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let Some(id) = self.index().operation(problem.primary.span.start) else { return Vec::new() };
        let op = module.op(id);
        let Syntax::Custom(custom) = op.op.row().syntax else { return Vec::new() };
        let missing = custom.anatomy().regions.0.saturating_sub(module.op_regions(id).len());
        let tokens = self.index().tokens_in(Span::new(op.name_span.end, op.span.end));
        let behind = tokens.iter().find(|t| self.slice(t.span) == ")").map(|t| t.span.end);
        let (Some(at), 1..=4) = (behind, missing) else { return Vec::new() };
        let end = Op::of(pto::isa::row::Control::Yield).row().full_name();
        let counter = self.unused_name("%i");
        let bodies = [String::new(), format!("^bb0({counter}: index): ")];
        let region = |body: String| {
            let one = format!("{{ {body}\"{end}\"() : () -> () }}");
            let list = vec![one; missing].join(", ");
            inserted(at, format!(" ({list})"), &list)
        };
        bodies.map(region).to_vec()
    }

    /// Another type for a field of a struct, or a struct without the field.
    pub(super) fn other_fields(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let values = self.named_values(problem);
        let stated = values.first().and_then(|value| self.defining_type(*value));
        let Some((span, ty)) = stated else { return Vec::new() };
        let Type::Struct(_) = ty else { return Vec::new() };
        let named: Vec<&str> = words(&problem.message).collect();
        let fields = self.index().tokens_in(span).iter().filter(|t| named.contains(&self.slice(t.span)));
        let mut found = Vec::new();
        for field in fields {
            found.extend(["i8", "i32", "f32"].map(|new| written(field.span, new)));
            found.extend(self.left_out(span, self.slice(field.span)));
        }
        found.extend(self.fields_one_by_one(values[0], span));
        found
    }

    /// A struct that is a parameter, passed field by field and put together in the function.
    fn fields_one_by_one(&self, value: ValueId, ty: Span) -> Option<OfferedFix> {
        let module = self.module();
        let defined = module.value(value).span;
        let Type::Struct(fields) = module.value_type(value) else { return None };
        let (_, function) = self.index().function_at(defined.start)?;
        let entry = module.op_regions(function).first().and_then(|r| module.region(*r).blocks.first())?;
        let block = module.block(*entry);
        let first = block.args.contains(&value).then(|| block.ops.first()).flatten()?;
        let (at, name) = (module.op(*first).span.start, self.slice(defined));
        let style = module.type_votes.usual();
        let types: Vec<String> = fields.iter().map(|field| pto::ir::print::type_text(field, style)).collect();
        let parameters = types.iter().enumerate().map(|(n, field)| format!("{name}_{n}: {field}"));
        let (declare, set) =
            (Op::of(LocalOp::DeclareStruct).row().full_name(), Op::of(LocalOp::SetField).row().full_name());
        let (indent, whole) = (self.indent(at), self.slice(ty));
        let mut lines = format!("{name} = {declare} -> {whole}\n{indent}");
        for (n, field) in types.iter().enumerate() {
            lines += &format!("{set} {name}[{n}], {name}_{n} : {whole}, {field}\n{indent}");
        }
        let list: Vec<String> = parameters.collect();
        let edits = vec![
            Replacement::new(Span::new(defined.start, ty.end), list.join(", ")),
            Replacement::new(point(at), lines),
        ];
        Some(OfferedFix::new(text!("pass the fields of `{name}` one by one", name), edits))
    }
}
