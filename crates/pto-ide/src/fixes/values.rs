//! Fixes that pass other values: operands that are missing, arguments of calls and branches, values that a block hands on.

use super::copies::point;
use super::trial::OfferedFix;
use super::words::{inserted, words, written};
use crate::Document;
use crate::completion::fits;
use crate::edits::Replacement;
use crate::scope::visible;
use crate::template::{StatementPart, parts};
use pto::Diagnostic;
use pto::ir::print::type_text;
use pto::ir::{Attr, OpId, ValueId};
use pto::isa::row::{Arith, Control, Storage};
use pto::isa::{Op, ScalarType, Span, Type, table, text};
use pto::syntax::TokenKind;

/// Choices that are offered for a list of values.
const MOST_CHOICES: usize = 2;

/// Values by name, and the lines that define those that were not in scope.
struct FilledValues {
    names: Vec<String>,
    lines: String,
}

impl Document {
    /// Values of the types that are declared: returned, yielded, passed to a function or to a block.
    pub(super) fn other_values(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let Some(id) = self.index().operation(problem.primary.span.start) else { return Vec::new() };
        let mut found = match module.control(id) {
            Some(Control::If) => self.with_else(id),
            Some(Control::Return | Control::Yield | Control::FusionYield) => self.other_terminator(problem, id),
            Some(Control::Call) => self.other_arguments(id),
            Some(control) if control.is_branch() => self.other_branches(id),
            _ => Vec::new(),
        };
        found.extend(self.converted_scalars(problem, id));
        found
    }

    fn type_name(&self, ty: &Type) -> String {
        type_text(ty, self.module().type_votes.usual())
    }

    /// A list of types, without brackets.
    fn type_list(&self, types: &[&Type]) -> String {
        types.iter().map(|ty| self.type_name(ty)).collect::<Vec<_>>().join(", ")
    }

    /// A value of each type: the given one if it has the type, else one in scope, else a constant.
    fn filled(&self, at: u32, types: &[&Type], given: &[ValueId], nth: usize) -> Option<FilledValues> {
        let module = self.module();
        let around = visible(self, at);
        let mut filled = FilledValues { names: Vec::new(), lines: String::new() };
        for (n, ty) in types.iter().enumerate() {
            let has_type = |v: &&ValueId| module.value_type(**v).same_object(ty) && !module.value_name(**v).is_empty();
            let kept = given.get(n).filter(has_type);
            let mut others = around.iter().rev().filter(has_type);
            let name = match kept.or_else(|| others.nth(nth)) {
                Some(value) => format!("%{}", module.value_name(*value)),
                None if nth > 0 => return None,
                None => {
                    let (name, line) = self.zero(ty.scalar()?, n);
                    filled.lines += &format!("{line}\n{}", self.indent(at));
                    name
                }
            };
            filled.names.push(name);
        }
        Some(filled)
    }

    /// A constant of a type, and the statement that defines it.
    fn zero(&self, ty: ScalarType, n: usize) -> (String, String) {
        let number = if ty.is_float() { "0.0" } else { "0" };
        let name = self.unused_name(&format!("%zero_{}{}", ty.mlir(), "_".repeat(n)));
        let constant = Op::of(Arith::Constant).row().full_name();
        let line = format!("{name} = {constant} {number} : {}", ty.mlir());
        (name, line)
    }

    /// A part of a statement that is written again with filled values, one candidate for each choice of them.
    fn refilled(
        &self,
        (id, part): (OpId, Span),
        types: &[&Type],
        given: &[ValueId],
        write: impl Fn(&[String]) -> String,
    ) -> Vec<OfferedFix> {
        let at = self.module().op(id).span.start;
        let choices = (0..MOST_CHOICES).map_while(|nth| self.filled(at, types, given, nth));
        let candidate = |filled: FilledValues| {
            let new = write(&filled.names);
            let mut candidate = match part.start == part.end {
                true => inserted(part.start, new.clone(), new.trim()),
                false => written(part, new),
            };
            if !filled.lines.is_empty() {
                candidate.edits.push(Replacement::new(point(at), filled.lines));
            }
            candidate
        };
        choices.map(candidate).collect()
    }

    /// `return` or a yield with values of the types that are declared; or a function that declares what it returns.
    fn other_terminator(&self, problem: &Diagnostic, id: OpId) -> Vec<OfferedFix> {
        let module = self.module();
        let owner = problem.labels.first().and_then(|label| self.index().operation(label.span.start));
        let Some(owner) = owner else { return Vec::new() };
        let is_function = module.control(owner) == Some(Control::Function);
        let results: Vec<ValueId> = module.results(owner).collect();
        let types: Vec<&Type> = match is_function {
            true => self.declared_results(owner),
            false => results.iter().map(|v| module.value_type(*v)).collect(),
        };
        let op = module.op(id);
        let name = self.slice(op.name_span);
        let called = module.control(id) == Some(Control::FusionYield) || name.starts_with('"');
        let given: Vec<ValueId> = module.operands(id).iter().map(|o| o.value).collect();
        let list = self.type_list(&types);
        let whole = Span::new(op.name_span.start, op.span.end);
        let write = |names: &[String]| match names.is_empty() {
            _ if called => format!("{name}({}) : ({list}) -> ()", names.join(", ")),
            true => name.to_string(),
            false => format!("{name} {} : {list}", names.join(", ")),
        };
        let mut found = self.refilled((id, whole), &types, &given, write);
        if is_function {
            found.extend(self.other_results(owner, &given));
        }
        found
    }

    /// The types that a function returns.
    fn declared_results(&self, function: OpId) -> Vec<&Type> {
        let module = self.module();
        match module.attr(function, "function_type") {
            Some(Attr::Type(ty)) => match module.ty(*ty) {
                Type::Function(f) => f.results.iter().collect(),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// A function that returns the types of these values.
    fn other_results(&self, function: OpId, values: &[ValueId]) -> Option<OfferedFix> {
        let module = self.module();
        let header = self.index().tokens_in(self.line_of(module.op(function).span.start));
        let is = |token: &&pto::syntax::SourceToken, text: &str| self.slice(token.span) == text;
        let parameters = header.iter().rposition(|t| is(&t, "->"));
        let body = header.iter().position(|t| is(&t, "{") || is(&t, "attributes"))?;
        let types: Vec<&Type> = values.iter().map(|v| module.value_type(*v)).collect();
        let start = header.get(parameters.unwrap_or(body).checked_sub(1)?)?.span.end;
        let returned = match types.is_empty() {
            true => String::new(),
            false => format!(" -> ({})", self.type_list(&types)),
        };
        let until = Span::new(start, header[body.checked_sub(1)?].span.end);
        let name = format!("@{}", module.symbol_name(function));
        let title = match types.is_empty() {
            true => text!("let `{name}` return nothing", name),
            false => text!("let `{name}` return `{types}`", name, types = self.type_list(&types)),
        };
        (until.start <= until.end).then(|| OfferedFix::new(title, vec![Replacement::new(until, returned)]))
    }

    /// An `else` that yields values of the types of the results.
    fn with_else(&self, id: OpId) -> Vec<OfferedFix> {
        let module = self.module();
        let results: Vec<ValueId> = module.results(id).collect();
        let types: Vec<&Type> = results.iter().map(|v| module.value_type(*v)).collect();
        let op = module.op(id);
        let (name, list) = (Op::of(Control::Yield).row().full_name(), self.type_list(&types));
        let yields = |names: &[String]| format!("{name} {} : {list}", names.join(", "));
        let indent = self.indent(op.span.start);
        let mut found = self.refilled((id, point(op.span.end)), &types, &[], |names| {
            format!(" else {{\n{indent}  {}\n{indent}}}", yields(names))
        });
        for candidate in &mut found {
            let line = candidate.edits[0].text.lines().nth(1).unwrap_or_default().trim().to_string();
            candidate.title = text!("insert `{name}`", name = format!("else {{ {line} }}"));
        }
        found
    }

    /// A call with arguments of the types that the function declares; or a function for a call of none.
    fn other_arguments(&self, id: OpId) -> Vec<OfferedFix> {
        let module = self.module();
        let op = module.op(id);
        let Some(function) = module.called_function(id) else {
            return self.declared_function(id).into_iter().collect();
        };
        let symbol = self.index().tokens_in(op.span).iter().find(|t| t.kind == TokenKind::Symbol);
        let Some(symbol) = symbol else { return Vec::new() };
        let entry = module.op_regions(function).first().and_then(|r| module.region(*r).blocks.first());
        let Some(entry) = entry else { return Vec::new() };
        let types: Vec<&Type> = module.block(*entry).args.iter().map(|v| module.value_type(*v)).collect();
        let given: Vec<ValueId> = module.operands(id).iter().map(|o| o.value).collect();
        let (list, results) = (self.type_list(&types), self.type_list(&self.declared_results(function)));
        let rest = Span::new(symbol.span.end, op.span.end);
        let mut found = self
            .refilled((id, rest), &types, &given, |names| format!("({}) : ({list}) -> ({results})", names.join(", ")));
        for candidate in &mut found {
            let call = format!("{}{}", self.slice(symbol.span), candidate.edits[0].text);
            let call = call.split(" : ").next().unwrap_or_default().to_string();
            candidate.title = text!("write `{name}`", name = call);
        }
        found
    }

    /// A function for a call: it takes the arguments and returns zeros.
    fn declared_function(&self, id: OpId) -> Option<OfferedFix> {
        let module = self.module();
        let name = format!("@{}", module.names.text(module.callee(id)?));
        let (around, _) = self.index().function_at(module.op(id).span.start)?;
        let typed =
            |(n, o): (usize, &pto::ir::Operand)| format!("%arg{n}: {}", self.type_name(module.value_type(o.value)));
        let parameters: Vec<String> = module.operands(id).iter().enumerate().map(typed).collect();
        let results: Vec<ValueId> = module.results(id).collect();
        let types: Vec<&Type> = results.iter().map(|v| module.value_type(*v)).collect();
        let scalars: Option<Vec<ScalarType>> = types.iter().map(|ty| ty.scalar()).collect();
        let zeros: Vec<(String, String)> = scalars?.into_iter().enumerate().map(|(n, ty)| self.zero(ty, n)).collect();
        let indent = self.indent(around.start);
        let lines: String = zeros.iter().map(|(_, line)| format!("{indent}  {line}\n")).collect();
        let names: Vec<&str> = zeros.iter().map(|(name, _)| name.as_str()).collect();
        let list = self.type_list(&types);
        let (returned, end) = match names.is_empty() {
            true => (String::new(), "return".to_string()),
            false => (format!(" -> ({list})"), format!("return {} : {list}", names.join(", "))),
        };
        let parameters = parameters.join(", ");
        let new = format!(
            "\n\n{indent}func.func private {name}({parameters}){returned} {{\n{lines}{indent}  {end}\n{indent}}}"
        );
        let title = text!("add a function `{name}`", name);
        Some(OfferedFix::new(title, vec![Replacement::new(point(around.end), new)]))
    }

    /// Branches that pass what the blocks take, or blocks that take what is passed.
    fn other_branches(&self, id: OpId) -> Vec<OfferedFix> {
        let module = self.module();
        let op = module.op(id);
        let tokens = self.index().tokens_in(op.span);
        let labels = (0..tokens.len()).filter(|n| tokens[*n].kind == TokenKind::Label);
        let mut found = Vec::new();
        for (at, successor) in labels.zip(module.successors(id)) {
            let block = module.block(successor.block);
            let types: Vec<&Type> = block.args.iter().map(|v| module.value_type(*v)).collect();
            let end = match tokens.get(at + 1).filter(|t| self.slice(t.span) == "(") {
                Some(_) => tokens[at..].iter().find(|t| self.slice(t.span) == ")").unwrap_or(&tokens[at]).span.end,
                None => tokens[at].span.end,
            };
            let name = self.slice(tokens[at].span);
            let list = self.type_list(&types);
            let whole = Span::new(tokens[at].span.start, end);
            found.extend(self.refilled((id, whole), &types, &successor.args, |names| match names.is_empty() {
                true => name.to_string(),
                false => format!("{name}({} : {list})", names.join(", ")),
            }));
            let around = self.index().function_at(op.span.start).map(|f| f.0).unwrap_or_default();
            let header = self.index().tokens_in(around).iter().find(|t| t.first && self.slice(t.span) == name);
            if let Some(header) = header.filter(|_| types.is_empty()) {
                let parameter = |(n, v): (usize, &ValueId)| {
                    let new = self.unused_name(&format!("%{}_{n}", name.trim_start_matches('^')));
                    format!("{new}: {}", self.type_name(module.value_type(*v)))
                };
                let list: Vec<String> = successor.args.iter().enumerate().map(parameter).collect();
                let list = format!("({})", list.join(", "));
                found.push(written(header.span, format!("{name}{list}")));
            }
        }
        found
    }

    /// Scalar operands, converted to types that the message names.
    fn converted_scalars(&self, problem: &Diagnostic, id: OpId) -> Vec<OfferedFix> {
        let module = self.module();
        let named: Vec<ScalarType> = words(&problem.message).filter_map(ScalarType::parse).collect();
        let start = module.op(id).span.start;
        let mut found = Vec::new();
        for operand in module.operands(id) {
            let Some(old) = module.value_type(operand.value).scalar().filter(|ty| named.contains(ty)) else { continue };
            for new in named.iter().filter(|ty| **ty != old) {
                let Some(cast) = cast_between(old, *new) else { continue };
                let (name, from, to) = (self.slice(operand.span), old.mlir(), new.mlir());
                let result = self.unused_name(&format!("{name}_{to}"));
                let cast = Op::of(cast).row().full_name();
                let line = format!("{result} = {cast} {name} : {from} to {to}\n{}", self.indent(start));
                let edits = vec![Replacement::new(point(start), line), Replacement::new(operand.span, result)];
                let title = text!("convert `{old}` to {dtype}", old = name, dtype = to);
                found.push(OfferedFix::new(title, edits));
            }
        }
        found
    }

    /// A definition for a name that has none: a constant or a tile of a type that the statement names.
    pub(super) fn defined(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let name = self.slice(problem.primary.span);
        let statement = self.statement(problem);
        let code = self.slice(statement);
        let at = statement.start;
        let scalars = words(code).filter_map(ScalarType::parse).map(|ty| {
            let (zero, line) = self.zero(ty, 0);
            line.replacen(&zero, name, 1)
        });
        let allocate = Op::of(Storage::Tile).row().full_name();
        let types = self.index().tokens_in(statement).iter().filter(|t| t.kind == TokenKind::Type);
        let types = types.filter_map(|t| self.type_at(t.span.start)).map(|span| self.slice(span));
        let tiles = types.filter(|ty| ty.starts_with('!')).map(|ty| format!("{name} = {allocate} : {ty}"));
        let mut lines: Vec<String> = scalars.chain(tiles).collect();
        lines.dedup();
        let indent = self.indent(at);
        lines.into_iter().take(4).map(|line| inserted(at, format!("{line}\n{indent}"), &line)).collect()
    }

    /// Another function for a call, or other arguments; where no name is similar, first a new function.
    pub(super) fn other_call(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let (names, values) = (self.completed(problem), self.other_values(problem));
        let (first, second) = if problem.help.is_some() { (names, values) } else { (values, names) };
        first.into_iter().chain(second).collect()
    }

    /// A statement with a value for each operand that it must have.
    pub(super) fn filled_operands(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let name_span = problem.primary.span;
        // Statements without any operand are not in the module.
        let id = self.index().operation(name_span.start);
        let Some(op) = table::find(self.slice(name_span)) else { return Vec::new() };
        let row = op.row();
        let data = row.data_types(self.target());
        let around = visible(self, name_span.start);
        let rest = Span::new(name_span.end, self.line_of(name_span.end).end);
        let code = self.slice(rest).split("//").next().unwrap_or_default().trim_end();
        let line = Span::new(name_span.start, rest.start + code.len() as u32);
        let value_for = |slot: usize, first: Option<ValueId>, nth: usize| {
            let fitting = around.iter().rev().copied().filter(|v| {
                let ty = module.value_type(*v);
                let like = first.is_none_or(|f| ty.scalar().is_none() || module.value_type(f) == ty);
                fits(row.slot_at(slot), data, ty) && like && !module.value_name(*v).is_empty()
            });
            let given = id.and_then(|id| module.in_slot(id, slot).next()).map(|o| o.value);
            given.or_else(|| fitting.clone().nth(nth))
        };
        let fill = |nth: usize| {
            let mut new = self.slice(name_span).to_string() + &gaps(op)?;
            let mut first: Option<ValueId> = None;
            for slot in 0..row.slots.len() {
                let gap = format!("%{}", row.slot_at(slot).name);
                if !new.contains(&gap) {
                    continue;
                }
                let value = value_for(slot, first, nth)?;
                first = first.or(Some(value));
                new = new.replacen(&gap, &format!("%{}", module.value_name(value)), 1);
            }
            let ty = self.type_name(module.value_type(first?));
            let new = if let Some(head) = new.strip_suffix(": T") { format!("{head}: {ty}") } else { new };
            Some(written(line, new))
        };
        (0..MOST_CHOICES).map_while(fill).collect()
    }
}

/// The text of an operation behind its name, with `%name` for each operand; nothing if it needs attributes.
fn gaps(op: Op) -> Option<String> {
    let text = |part: StatementPart| match part {
        StatementPart::Text(text) => Some(text),
        StatementPart::Slot(slot) => Some(format!("%{}", op.row().slot_at(slot).name)),
        StatementPart::Attr(_) => None,
    };
    parts(op).into_iter().map(text).collect()
}

/// The operation that gives a scalar another type, if one does.
pub(super) fn cast_between(old: ScalarType, new: ScalarType) -> Option<Arith> {
    let is_int = |ty: ScalarType| ty.is_int() && ty != ScalarType::Index;
    let bits = |ty: ScalarType| ty.elem().map_or(if ty == ScalarType::F64 { 64 } else { 1 }, |e| e.bits());
    Some(match () {
        () if old == ScalarType::Index && is_int(new) => Arith::IndexCast,
        () if new == ScalarType::Index && is_int(old) => Arith::IndexCast,
        () if is_int(old) && is_int(new) && bits(old) < bits(new) => Arith::ExtendSigned,
        () if is_int(old) && is_int(new) => Arith::Truncate,
        () if is_int(old) && new.is_float() => Arith::SignedToFloat,
        () if old.is_float() && is_int(new) => Arith::FloatToSigned,
        () if old.is_float() && new.is_float() && bits(old) < bits(new) => Arith::ExtendFloat,
        () if old.is_float() && new.is_float() => Arith::TruncateFloat,
        () => return None,
    })
}
