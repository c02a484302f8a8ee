//! Functions, control flow, sections and branches.

use super::statement::Head;
use super::{Parse, Parser};
use crate::lexer::Tok;
use pto_ir::{Attr, NewOp, OpId, RegionId, Successor, Sym, TypeId, ValueId};
use pto_isa::row::{Control, Custom};
use pto_isa::text;
use pto_isa::{Diagnostic, Op, ScalarType, Span, Type, codes};

type ParamList = Vec<(Sym, TypeId, Span)>;

impl<'s> Parser<'s> {
    pub(super) fn custom_statement(&mut self, head: &Head, custom: Custom) -> Parse<OpId> {
        let done = match custom {
            Custom::Module => self.module_op(head),
            Custom::Func => self.func(head),
            Custom::Return | Custom::Yield => self.value_list(head),
            Custom::Call => self.call(head),
            Custom::For => self.for_op(head),
            Custom::If => self.if_op(head),
            Custom::While => self.while_op(head),
            Custom::Condition => self.condition(head),
            Custom::ExecuteRegion => self.execute_region(head),
            Custom::IndexSwitch => self.index_switch(head),
            Custom::Section => self.section(head),
            Custom::Fusion => self.fusion(head),
            Custom::FusionYield => self.fusion_yield(head),
            Custom::Branch => self.branch(head),
            Custom::CondBranch => self.cond_branch(head),
            Custom::Switch => self.switch(head),
            arithmetic => self.arithmetic(head, arithmetic),
        };
        if done.is_none() {
            self.poison(&head.results);
            let holds_regions = custom.anatomy().regions.1 > 0;
            if holds_regions && self.skip_broken_regions(custom) {
                return Some(self.module.new_op(head.op, NewOp::default()));
            }
        }
        done
    }

    /// The body of a function has its own scope, even if its header cannot be read.
    fn skip_broken_regions(&mut self, custom: Custom) -> bool {
        if custom != Custom::Func {
            return self.skip_to_regions();
        }
        self.scopes.enter_function();
        let found = self.skip_to_regions();
        let unresolved = self.scopes.leave_function(&mut self.module);
        self.report_undefined(unresolved);
        found
    }

    fn module_op(&mut self, head: &Head) -> Parse<OpId> {
        let mut attrs = Vec::new();
        if self.token.tok == Tok::Symbol {
            let span = self.bump().span;
            let name = Attr::Symbol(self.symbol_sym(span));
            attrs.push((self.intern("sym_name"), name));
        }
        if self.eat_word("attributes") {
            attrs.extend(self.parse_dict()?.into_iter().map(|(n, a, _)| (n, a)));
        }
        self.scopes.enter_function();
        let region = self.parse_region(&[]);
        let unresolved = self.scopes.leave_function(&mut self.module);
        self.report_undefined(unresolved);
        let regions = vec![region?];
        self.finish_op(head, NewOp { attrs, regions, ..NewOp::default() }, &[])
    }

    fn func(&mut self, head: &Head) -> Parse<OpId> {
        let mut attrs = Vec::new();
        for word in ["private", "public", "nested"] {
            if self.eat_word(word) {
                let text = Attr::Str(self.intern(word));
                attrs.push((self.intern("sym_visibility"), text));
            }
        }
        if self.token.tok != Tok::Symbol {
            self.expected(text!("a function name, `@name`"));
            return None;
        }
        let span = self.bump().span;
        let name = Attr::Str(self.symbol_sym(span));
        attrs.insert(0, (self.intern("sym_name"), name));
        self.scopes.enter_function();
        let rest = self.func_rest(&mut attrs);
        let unresolved = self.scopes.leave_function(&mut self.module);
        self.report_undefined(unresolved);
        let regions = rest?;
        self.finish_op(head, NewOp { attrs, regions, ..NewOp::default() }, &[])
    }

    fn func_rest(&mut self, attrs: &mut Vec<(Sym, Attr)>) -> Parse<Vec<RegionId>> {
        let start = self.token.span.start;
        let (params, types, arg_attrs) = self.func_params()?;
        let (results, res_attrs) = self.func_results()?;
        let ty = self.function_of(&types, &results, Span::new(start, self.last_end))?;
        attrs.push((self.intern("function_type"), Attr::Type(ty)));
        for (name, list) in [("arg_attrs", arg_attrs), ("res_attrs", res_attrs)] {
            if list.iter().any(|a| *a != Attr::Dict(Box::new([]))) {
                attrs.push((self.intern(name), Attr::Array(list.into())));
            }
        }
        if self.eat_word("attributes") {
            attrs.extend(self.parse_dict()?.into_iter().map(|(n, a, _)| (n, a)));
        }
        if !self.at(b'{') {
            return self.declaration_or_missing_brace(&params, attrs);
        }
        if params.len() != types.len() {
            self.expected(text!("the end of a declaration: parameters without names cannot have a body"));
            return None;
        }
        Some(vec![self.parse_region(&params)?])
    }

    /// A function without a body is a declaration, unless statements follow that can only be its body.
    fn declaration_or_missing_brace(&mut self, params: &ParamList, attrs: &[(Sym, Attr)]) -> Parse<Vec<RegionId>> {
        let text = self.token_text();
        let is_code = match self.token.tok {
            Tok::Value => true,
            Tok::Ident => !matches!(text, "func.func" | "module" | "builtin.module" | "loc"),
            _ => false,
        };
        let private = self.module.names.get("sym_visibility").is_some_and(|v| attrs.iter().any(|(n, _)| *n == v));
        if !is_code || private {
            return Some(Vec::new());
        }
        let span = Span::new(self.last_end, self.last_end);
        let d = Diagnostic::new(codes::SYNTAX, span, text!("expected `{` before the body of the function"));
        self.report(d);
        Some(vec![self.region_without_brace(params)?])
    }

    /// `(%a: T {…}, %b: T)`, or types alone in a declaration.
    /// `-> T`, `-> (T, T {a = 1})`, or nothing.
    fn func_results(&mut self) -> Parse<(Vec<TypeId>, Vec<Attr>)> {
        if self.token.tok != Tok::Arrow {
            return Some((Vec::new(), Vec::new()));
        }
        self.bump();
        if !self.at(b'(') {
            return Some((vec![self.parse_type()?], Vec::new()));
        }
        let open = self.bump().span;
        let (mut types, mut attrs) = (Vec::new(), Vec::new());
        while !self.at(b')') {
            types.push(self.parse_type()?);
            let dict = if self.at(b'{') { self.parse_dict()? } else { Vec::new() };
            attrs.push(Attr::Dict(dict.into_iter().map(|(n, a, _)| (n, a)).collect()));
            if !self.eat(b',') {
                break;
            }
        }
        self.close(b')', open)?;
        Some((types, attrs))
    }

    fn func_params(&mut self) -> Parse<(ParamList, Vec<TypeId>, Vec<Attr>)> {
        let open = self.expect(b'(')?.span;
        let (mut params, mut types, mut attrs) = (Vec::new(), Vec::new(), Vec::new());
        while !self.at(b')') {
            if self.token.tok == Tok::Value {
                let param = self.param()?;
                types.push(param.1);
                params.push(param);
            } else {
                types.push(self.parse_type()?);
            }
            let dict = if self.at(b'{') { self.parse_dict()? } else { Vec::new() };
            attrs.push(Attr::Dict(dict.into_iter().map(|(n, a, _)| (n, a)).collect()));
            self.trailing_location();
            if !self.eat(b',') {
                break;
            }
        }
        self.close(b')', open)?;
        Some((params, types, attrs))
    }

    /// `return %a, %b : T, T`
    fn value_list(&mut self, head: &Head) -> Parse<OpId> {
        let attrs = self.optional_dict()?;
        let uses = if self.at_result_list() { Vec::new() } else { self.parse_uses()? };
        if !uses.is_empty() {
            self.expect(b':')?;
            let types = self.parse_types()?;
            self.state_types(&uses, &types);
        }
        let operands = uses.into_iter().map(|u| Self::operand(u, 0)).collect();
        self.finish_op(head, NewOp { operands, attrs, ..NewOp::default() }, &[])
    }

    pub(super) fn optional_dict(&mut self) -> Parse<Vec<(Sym, Attr)>> {
        if !self.at(b'{') {
            return Some(Vec::new());
        }
        Some(self.parse_dict()?.into_iter().map(|(n, a, _)| (n, a)).collect())
    }

    fn call(&mut self, head: &Head) -> Parse<OpId> {
        if self.token.tok != Tok::Symbol {
            self.expected(text!("a function name, `@name`"));
            return None;
        }
        let span = self.bump().span;
        let callee = Attr::Symbol(self.symbol_sym(span));
        let mut attrs = vec![(self.intern("callee"), callee)];
        let open = self.expect(b'(')?.span;
        let uses = self.parse_uses()?;
        self.close(b')', open)?;
        attrs.extend(self.optional_dict()?);
        self.expect(b':')?;
        let inputs = self.parse_type_list()?;
        self.arrow()?;
        let outputs = self.parse_type_list()?;
        self.state_types(&uses, &inputs);
        let operands = uses.into_iter().map(|u| Self::operand(u, 0)).collect();
        let types: Vec<_> = outputs.iter().map(|t| (t.0, 1)).collect();
        self.finish_op(head, NewOp { operands, attrs, ..NewOp::default() }, &types)
    }

    fn arrow(&mut self) -> Parse<()> {
        if self.token.tok != Tok::Arrow {
            self.expected("`->`");
            return None;
        }
        self.bump();
        Some(())
    }

    /// `%i = %lo to %hi step %s iter_args(%x = %init) -> (T) : i32 { … }`
    fn for_op(&mut self, head: &Head) -> Parse<OpId> {
        let iv_span = self.token.span;
        if self.token.tok != Tok::Value {
            self.expected(text!("the loop counter, `%i`"));
            return None;
        }
        self.bump();
        let iv = self.intern(&self.text(iv_span)[1..]);
        self.expect(b'=')?;
        let lower = self.parse_use()?;
        self.expect_word("to")?;
        let upper = self.parse_use()?;
        self.expect_word("step")?;
        let step = self.parse_use()?;
        let (carried, types) = self.iter_args()?;
        let index = self.module.intern_type(Type::Scalar(ScalarType::Index));
        let mut iv_type = index;
        if self.eat(b':') {
            let at = self.token.span.start;
            iv_type = self.parse_type()?;
            for bound in [lower, upper, step] {
                self.state_type(bound.0, iv_type, Span::new(at, self.last_end));
            }
        }
        let mut params = vec![(iv, iv_type, iv_span)];
        params.extend(carried.iter().zip(&types).map(|(c, t)| (c.0, t.0, c.1)));
        let region = self.parse_region(&params)?;
        self.end_with_yield(region);
        let attrs = self.optional_dict()?;
        let mut operands: Vec<_> =
            [lower, upper, step].into_iter().enumerate().map(|(s, u)| Self::operand(u, s as u8)).collect();
        operands.extend(carried.iter().map(|c| Self::operand(c.2, 3)));
        let results: Vec<_> = types.iter().map(|t| (t.0, 4)).collect();
        self.finish_op(head, NewOp { operands, attrs, regions: vec![region], ..NewOp::default() }, &results)
    }

    /// `iter_args(%x = %init, …) -> (T, …)`
    #[expect(clippy::type_complexity, reason = "name, place, initial value; and the types")]
    fn iter_args(&mut self) -> Parse<(Vec<(Sym, Span, (ValueId, Span))>, Vec<(TypeId, Span)>)> {
        if !self.eat_word("iter_args") {
            return Some((Vec::new(), Vec::new()));
        }
        let carried = self.bindings()?;
        self.arrow()?;
        let types = self.parse_type_list()?;
        let inits: Vec<_> = carried.iter().map(|c| c.2).collect();
        self.state_types(&inits, &types);
        if types.len() != carried.len() {
            return None;
        }
        Some((carried, types))
    }

    /// `(%x = %init, …)`
    #[expect(clippy::type_complexity, reason = "name, place, initial value")]
    fn bindings(&mut self) -> Parse<Vec<(Sym, Span, (ValueId, Span))>> {
        let open = self.expect(b'(')?.span;
        let mut list = Vec::new();
        while self.token.tok == Tok::Value {
            let span = self.bump().span;
            let name = self.intern(&self.text(span)[1..]);
            self.expect(b'=')?;
            list.push((name, span, self.parse_use()?));
            if !self.eat(b',') {
                break;
            }
        }
        self.close(b')', open)?;
        Some(list)
    }

    /// A region that yields nothing may omit its `scf.yield`.
    fn end_with_yield(&mut self, region: RegionId) {
        let blocks = &self.module.region(region).blocks;
        let &[block] = &blocks[..] else { return };
        let last = self.module.block(block).ops.last().and_then(|&o| self.module.control(o));
        let ends = |is: Control| is.is_terminator() && is != Control::FusionYield;
        if !last.is_some_and(ends) {
            let at = self.module.block(block).end;
            let span = Span::new(at, at);
            self.module.append(block, Op::of(Control::Yield), NewOp { span, name_span: span, ..NewOp::default() });
        }
    }

    fn optional_results(&mut self, head: &Head) -> Parse<Vec<(TypeId, u8)>> {
        if self.token.tok != Tok::Arrow {
            return Some(Vec::new());
        }
        self.bump();
        let slot = head.op.row().slots.len() as u8;
        Some(self.parse_type_list()?.into_iter().map(|t| (t.0, slot)).collect())
    }

    fn if_op(&mut self, head: &Head) -> Parse<OpId> {
        let condition = self.parse_use()?;
        let results = self.optional_results(head)?;
        let mut regions = vec![self.parse_region(&[])?];
        if self.eat_word("else") {
            regions.push(self.parse_region(&[])?);
        }
        if results.is_empty() {
            regions.iter().for_each(|&r| self.end_with_yield(r));
        }
        let attrs = self.optional_dict()?;
        let operands = vec![Self::operand(condition, 0)];
        self.finish_op(head, NewOp { operands, attrs, regions, ..NewOp::default() }, &results)
    }

    /// `(%x = %init) : (T) -> R { … } do { ^bb0(%y: R): … }`
    fn while_op(&mut self, head: &Head) -> Parse<OpId> {
        let carried = if self.at(b'(') { self.bindings()? } else { Vec::new() };
        self.expect(b':')?;
        let inputs = self.parse_type_list()?;
        self.arrow()?;
        let outputs = self.parse_type_list()?;
        let inits: Vec<_> = carried.iter().map(|c| c.2).collect();
        self.state_types(&inits, &inputs);
        if inputs.len() != carried.len() {
            return None;
        }
        let params: ParamList = carried.iter().zip(&inputs).map(|(c, t)| (c.0, t.0, c.1)).collect();
        let before = self.parse_region(&params)?;
        self.expect_word("do")?;
        let after = self.parse_region(&[])?;
        let attrs = if self.eat_word("attributes") { self.optional_dict()? } else { Vec::new() };
        let operands = inits.into_iter().map(|u| Self::operand(u, 0)).collect();
        let types: Vec<_> = outputs.iter().map(|t| (t.0, 1)).collect();
        self.finish_op(head, NewOp { operands, attrs, regions: vec![before, after], ..NewOp::default() }, &types)
    }

    fn condition(&mut self, head: &Head) -> Parse<OpId> {
        let open = self.expect(b'(')?.span;
        let condition = self.parse_use()?;
        self.close(b')', open)?;
        let attrs = self.optional_dict()?;
        let uses = self.parse_uses()?;
        if !uses.is_empty() {
            self.expect(b':')?;
            let types = self.parse_types()?;
            self.state_types(&uses, &types);
        }
        let mut operands = vec![Self::operand(condition, 0)];
        operands.extend(uses.into_iter().map(|u| Self::operand(u, 1)));
        self.finish_op(head, NewOp { operands, attrs, ..NewOp::default() }, &[])
    }

    fn execute_region(&mut self, head: &Head) -> Parse<OpId> {
        let results = self.optional_results(head)?;
        let region = self.parse_region(&[])?;
        if results.is_empty() {
            self.end_with_yield(region);
        }
        let attrs = self.optional_dict()?;
        self.finish_op(head, NewOp { attrs, regions: vec![region], ..NewOp::default() }, &results)
    }

    /// `%x -> T case 1 {…} default {…}`; the default region is kept first.
    fn index_switch(&mut self, head: &Head) -> Parse<OpId> {
        let arg = self.parse_use()?;
        let mut attrs = self.optional_dict()?;
        let results = self.optional_results(head)?;
        let (mut cases, mut regions) = (Vec::new(), Vec::new());
        while self.eat_word("case") {
            cases.push(Attr::Int(i128::from(self.case_number()?), TypeId::UNKNOWN));
            regions.push(self.parse_region(&[])?);
        }
        self.expect_word("default")?;
        regions.insert(0, self.parse_region(&[])?);
        if results.is_empty() {
            regions.iter().for_each(|&r| self.end_with_yield(r));
        }
        attrs.push((self.intern("cases"), Attr::Array(cases.into())));
        let operands = vec![Self::operand(arg, 0)];
        self.finish_op(head, NewOp { operands, attrs, regions, ..NewOp::default() }, &results)
    }

    fn section(&mut self, head: &Head) -> Parse<OpId> {
        let regions = vec![self.parse_region(&[])?];
        let attrs = self.optional_dict()?;
        self.finish_op(head, NewOp { attrs, regions, ..NewOp::default() }, &[])
    }

    /// `{ … pto.yield(%t) … } : T`
    fn fusion(&mut self, head: &Head) -> Parse<OpId> {
        let regions = vec![self.parse_region(&[])?];
        let attrs = self.optional_dict()?;
        let types = if self.eat(b':') { self.parse_types()? } else { Vec::new() };
        let types: Vec<_> = types.into_iter().map(|t| (t.0, 0)).collect();
        self.finish_op(head, NewOp { attrs, regions, ..NewOp::default() }, &types)
    }

    /// `(%a, %b) : (T, T) -> ()`
    fn fusion_yield(&mut self, head: &Head) -> Parse<OpId> {
        let open = self.expect(b'(')?.span;
        let uses = self.parse_uses()?;
        self.close(b')', open)?;
        let attrs = self.optional_dict()?;
        self.expect(b':')?;
        let types = self.parse_type_list()?;
        self.arrow()?;
        self.parse_type_list()?;
        self.state_types(&uses, &types);
        let operands = uses.into_iter().map(|u| Self::operand(u, 0)).collect();
        self.finish_op(head, NewOp { operands, attrs, ..NewOp::default() }, &[])
    }

    // ---- branches ----------------------------------------------------------------------------------------

    fn branch(&mut self, head: &Head) -> Parse<OpId> {
        let successors = vec![self.successor(None)?];
        let attrs = self.optional_dict()?;
        self.finish_op(head, NewOp { attrs, successors, ..NewOp::default() }, &[])
    }

    fn cond_branch(&mut self, head: &Head) -> Parse<OpId> {
        let condition = self.parse_use()?;
        self.expect(b',')?;
        let yes = self.successor(None)?;
        self.expect(b',')?;
        let no = self.successor(None)?;
        let attrs = self.optional_dict()?;
        let operands = vec![Self::operand(condition, 0)];
        self.finish_op(head, NewOp { operands, attrs, successors: vec![yes, no], ..NewOp::default() }, &[])
    }

    /// `%x : T, [default: ^a, 1: ^b]`
    fn switch(&mut self, head: &Head) -> Parse<OpId> {
        let flag = self.parse_use()?;
        self.expect(b':')?;
        let at = self.token.span.start;
        let ty = self.parse_type()?;
        self.state_type(flag.0, ty, Span::new(at, self.last_end));
        self.expect(b',')?;
        let open = self.expect(b'[')?.span;
        let mut successors = Vec::new();
        while !self.at(b']') {
            let case = if self.eat_word("default") {
                self.expect(b':')?;
                None
            } else {
                Some(self.case_value()?)
            };
            successors.push(self.successor(case)?);
            if !self.eat(b',') {
                break;
            }
        }
        self.close(b']', open)?;
        let attrs = self.optional_dict()?;
        let operands = vec![Self::operand(flag, 0)];
        self.finish_op(head, NewOp { operands, attrs, successors, ..NewOp::default() }, &[])
    }

    /// `3:` in front of a branch target.
    pub(super) fn case_value(&mut self) -> Parse<i64> {
        let n = self.case_number()?;
        self.expect(b':')?;
        Some(n)
    }

    fn case_number(&mut self) -> Parse<i64> {
        let negative = self.eat(b'-');
        let span = self.token.span;
        let text = self.token_text();
        if self.token.tok != Tok::Int {
            self.expected(text!("a case value"));
            return None;
        }
        self.bump();
        match text.parse::<i64>() {
            Ok(n) => Some(if negative { -n } else { n }),
            Err(_) => {
                self.report(Diagnostic::new(
                    codes::NUMBER_RANGE,
                    span,
                    text!("`{text}` does not fit in 64 bits", text),
                ));
                None
            }
        }
    }

    /// `^bb1(%a, %b : T, T)`
    pub(super) fn successor(&mut self, case: Option<i64>) -> Parse<Successor> {
        if self.token.tok != Tok::Caret {
            self.expected(text!("a block, `^name`"));
            return None;
        }
        let span = self.bump().span;
        let block = self.label(span, false);
        let mut args = Vec::new();
        if self.at(b'(') {
            let open = self.bump().span;
            args = self.parse_uses()?;
            if self.eat(b':') {
                let types = self.parse_types()?;
                self.state_types(&args, &types);
            } else if !args.is_empty() {
                self.spelling.operand_types = pto_ir::Listed::Omitted;
            }
            self.close(b')', open)?;
        }
        Some(Successor { block, args: args.into_iter().map(|a| a.0).collect(), case })
    }
}
