//! Scalar arithmetic and lowered buffers.

use super::statement::Head;
use super::{Parse, Parser};
use crate::lexer::Tok;
use pto_ir::{Attr, NewOp, OpId, Operand, TypeId};
use pto_isa::row::{AttrKind, Custom};
use pto_isa::text;
use pto_isa::{Diagnostic, ScalarType, Span, Type, codes};

impl<'s> Parser<'s> {
    pub(super) fn arithmetic(&mut self, head: &Head, custom: Custom) -> Parse<OpId> {
        match custom {
            Custom::Constant => self.constant(head),
            Custom::Compare => self.compare(head),
            Custom::Cast | Custom::MemrefCast => self.cast(head),
            Custom::Select => self.select(head),
            Custom::Extended => self.extended(head),
            Custom::MemrefAlloc => self.memref_alloc(head),
            Custom::MemrefLoad => self.memref_load(head),
            Custom::MemrefStore => self.memref_store(head),
            Custom::MemrefDim => self.memref_dim(head),
            Custom::MemrefView | Custom::MemrefRecast => self.memref_view(head),
            _ => self.same_type(head),
        }
    }

    fn scalar(&mut self, s: ScalarType) -> TypeId {
        self.module.intern_type(Type::Scalar(s))
    }

    /// `1 : i32`, `1.0 : f32`, `true`, `dense<…> : T`
    fn constant(&mut self, head: &Head) -> Parse<OpId> {
        let mut attrs = self.optional_dict()?;
        let span = self.token.span;
        let value = self.parse_attr()?;
        let ty = match &value {
            Attr::Bool(_) => {
                if self.eat(b':') {
                    self.parse_type()?;
                }
                self.scalar(ScalarType::I1)
            }
            Attr::Int(_, ty) | Attr::Float(_, ty) | Attr::FloatBits(_, ty) if *ty != TypeId::UNKNOWN => *ty,
            Attr::Int(..) if !self.at(b':') => self.scalar(ScalarType::Elem(pto_isa::DType::I64)),
            Attr::Float(..) if !self.at(b':') => self.scalar(ScalarType::F64),
            _ => {
                self.expect(b':')?;
                self.parse_type()?
            }
        };
        let value = self.typed_constant(value, ty, span)?;
        attrs.insert(0, (self.intern("value"), value));
        self.finish_op(head, NewOp { attrs, ..NewOp::default() }, &[(ty, 0)])
    }

    /// A constant has the type of its result.
    pub(super) fn typed_constant(&mut self, value: Attr, ty: TypeId, span: Span) -> Parse<Attr> {
        Some(match (value, self.module.ty(ty)) {
            (Attr::Int(n, _), Type::Scalar(ScalarType::I1)) => Attr::Bool(n != 0),
            (Attr::Int(n, _), Type::Scalar(s)) if s.is_float() => {
                let d = Diagnostic::new(
                    codes::BAD_ATTRIBUTE,
                    span,
                    text!("`{n}` is an integer, the constant is {s}", n, s),
                );
                self.report(d.help(text!("write `{n}.0`", n)));
                Attr::Float(n as f64, ty)
            }
            // One with a type was checked with it.
            (Attr::Int(n, own), Type::Scalar(s)) if own == TypeId::UNKNOWN => {
                let s = *s;
                Attr::Int(self.fitting(n, s, false, span), ty)
            }
            (Attr::Float(..), Type::Scalar(s)) if s.is_int() => {
                self.error(codes::BAD_ATTRIBUTE, span, text!("a number with a point is not {s}", s));
                return None;
            }
            (Attr::Float(x, _), _) => Attr::Float(x, ty),
            (other, _) => other,
        })
    }

    /// `slt, %a, %b : T`
    fn compare(&mut self, head: &Head) -> Parse<OpId> {
        let Some(AttrKind::Enum(def)) = head.op.row().attr("predicate").map(|a| a.kind) else { return None };
        let text = self.token_text().trim_matches('"');
        let Some(at) = def.find(text) else {
            let found = self.found();
            let d =
                Diagnostic::new(codes::ATTRIBUTE_VALUE, self.token.span, text!("{found} is not a predicate", found));
            self.report(d.legal(text!("legal: {def}", def)));
            return None;
        };
        self.bump();
        if !self.eat(b',') && head.op.row().twin.is_none() {
            self.expect(b',')?;
        }
        let predicate = (self.intern("predicate"), Attr::Enum(def, at as u8));
        let (operands, mut attrs, _) = self.operands_and_type(head)?;
        attrs.insert(0, predicate);
        let i1 = self.scalar(ScalarType::I1);
        self.finish_op(head, NewOp { operands, attrs, ..NewOp::default() }, &[(i1, 2)])
    }

    fn same_type(&mut self, head: &Head) -> Parse<OpId> {
        let (operands, attrs, ty) = self.operands_and_type(head)?;
        let slot = head.op.row().slots.len() as u8;
        self.finish_op(head, NewOp { operands, attrs, ..NewOp::default() }, &[(ty, slot)])
    }

    /// `%a, %b {…} : T`, all of one type. Flags between operands and type are kept verbatim.
    #[expect(clippy::type_complexity, reason = "operands, attributes, type")]
    fn operands_and_type(&mut self, head: &Head) -> Parse<(Vec<Operand>, Vec<(pto_ir::Sym, Attr)>, TypeId)> {
        let uses = self.parse_uses()?;
        let want = head.op.row().slots.len();
        if uses.len() != want {
            let name = head.op.row().full_name();
            let message = text!("`{name}` has {want} operands, {uses} are given", name, want, uses = uses.len());
            self.error(codes::OPERAND_COUNT, head.name_span, message);
            return None;
        }
        let mut attrs = self.signedness(head);
        if self.token.tok == Tok::Ident && matches!(self.token_text(), "overflow" | "fastmath") {
            let name = self.token_text();
            let sym = self.intern(name);
            self.bump();
            let open = self.expect(b'<')?.span;
            let start = self.token.span.start;
            while !self.at(b'>') && !matches!(self.token.tok, Tok::Eof | Tok::Punct(b':')) {
                self.bump();
            }
            let text = self.source[start as usize..self.token.span.start as usize].trim().to_string();
            self.close(b'>', open)?;
            attrs.push((sym, Attr::Str(self.intern(&text))));
        }
        attrs.extend(self.row_dict(head)?);
        self.expect(b':')?;
        let at = self.token.span.start;
        let ty = self.parse_type()?;
        for u in &uses {
            self.state_type(u.0, ty, Span::new(at, self.last_end));
        }
        // `pto.exp %x : f32 -> f32`
        if self.token.tok == Tok::Arrow && head.op.row().twin.is_some() {
            self.bump();
            self.parse_type()?;
        }
        let operands = uses.into_iter().enumerate().map(|(s, u)| Self::operand(u, s as u8)).collect();
        Some((operands, attrs, ty))
    }

    /// `signed` or `unsigned` after the operands, if the operation has a choice.
    fn signedness(&mut self, head: &Head) -> Vec<(pto_ir::Sym, Attr)> {
        let Some(AttrKind::Enum(def)) = head.op.row().attr("signedness").map(|a| a.kind) else { return Vec::new() };
        let at = if self.token.tok == Tok::Ident { def.find(self.token_text()) } else { None };
        let Some(at) = at else { return Vec::new() };
        self.bump();
        vec![(self.intern("signedness"), Attr::Enum(def, at as u8))]
    }

    /// The dictionary, with words for values of enumerations.
    fn row_dict(&mut self, head: &Head) -> Parse<Vec<(pto_ir::Sym, Attr)>> {
        if !self.at(b'{') {
            return Some(Vec::new());
        }
        let entries = self.parse_dict()?;
        Some(self.bind_attrs(head.op.row(), Vec::new(), entries, head.name_span))
    }

    /// `%c, %a, %b : T`, or with the type of the condition in front.
    fn select(&mut self, head: &Head) -> Parse<OpId> {
        let uses = self.parse_uses()?;
        if uses.len() != 3 {
            let message = text!("`arith.select` has 3 operands, {uses} are given", uses = uses.len());
            self.error(codes::OPERAND_COUNT, head.name_span, message);
            return None;
        }
        let attrs = self.optional_dict()?;
        self.expect(b':')?;
        let types = self.parse_types()?;
        let (ty, span) = types[types.len() - 1];
        for u in &uses[1..] {
            self.state_type(u.0, ty, span);
        }
        let operands = uses.into_iter().enumerate().map(|(s, u)| Self::operand(u, s as u8)).collect();
        self.finish_op(head, NewOp { operands, attrs, ..NewOp::default() }, &[(ty, 3)])
    }

    /// `%a, %b : T[, R]`: two results.
    fn extended(&mut self, head: &Head) -> Parse<OpId> {
        let (operands, attrs, ty) = self.operands_and_type(head)?;
        let second = if self.eat(b',') { self.parse_type()? } else { ty };
        self.finish_op(head, NewOp { operands, attrs, ..NewOp::default() }, &[(ty, 2), (second, 3)])
    }

    /// `%a : T to R`; in the newest dialect `%a signed : T -> R`.
    fn cast(&mut self, head: &Head) -> Parse<OpId> {
        let value = self.parse_use()?;
        let mut attrs = self.signedness(head);
        attrs.extend(self.row_dict(head)?);
        self.expect(b':')?;
        let at = self.token.span.start;
        let from = self.parse_type()?;
        self.state_type(value.0, from, Span::new(at, self.last_end));
        if self.token.tok == Tok::Arrow && head.op.row().twin.is_some() {
            self.bump();
        } else {
            self.expect_word("to")?;
        }
        let to = self.parse_type()?;
        let operands = vec![Self::operand(value, 0)];
        self.finish_op(head, NewOp { operands, attrs, ..NewOp::default() }, &[(to, 1)])
    }

    fn memref_alloc(&mut self, head: &Head) -> Parse<OpId> {
        let open = self.expect(b'(')?.span;
        let sizes = self.parse_uses()?;
        self.close(b')', open)?;
        let attrs = self.optional_dict()?;
        self.expect(b':')?;
        let ty = self.parse_type()?;
        let operands = sizes.into_iter().map(|u| Self::operand(u, 0)).collect();
        self.finish_op(head, NewOp { operands, attrs, ..NewOp::default() }, &[(ty, 1)])
    }

    /// `%m[%i, %j] : memref<…>`
    fn memref_load(&mut self, head: &Head) -> Parse<OpId> {
        let (base, indices) = self.indexed()?;
        let attrs = self.optional_dict()?;
        let elem = self.memref_element(base.0)?;
        let mut operands = vec![Self::operand(base, 0)];
        operands.extend(indices.into_iter().map(|u| Self::operand(u, 1)));
        self.finish_op(head, NewOp { operands, attrs, ..NewOp::default() }, &[(elem, 2)])
    }

    fn memref_store(&mut self, head: &Head) -> Parse<OpId> {
        let value = self.parse_use()?;
        self.expect(b',')?;
        let (base, indices) = self.indexed()?;
        let attrs = self.optional_dict()?;
        self.memref_element(base.0)?;
        let mut operands = vec![Self::operand(value, 0), Self::operand(base, 1)];
        operands.extend(indices.into_iter().map(|u| Self::operand(u, 2)));
        self.finish_op(head, NewOp { operands, attrs, ..NewOp::default() }, &[])
    }

    #[expect(clippy::type_complexity, reason = "a base and its indices")]
    fn indexed(&mut self) -> Parse<((pto_ir::ValueId, Span), Vec<(pto_ir::ValueId, Span)>)> {
        let base = self.parse_use()?;
        let open = self.expect(b'[')?.span;
        let indices = self.parse_uses()?;
        self.close(b']', open)?;
        Some((base, indices))
    }

    /// `: memref<…>`; the element type is the type of the element read or written.
    fn memref_element(&mut self, base: pto_ir::ValueId) -> Parse<TypeId> {
        self.expect(b':')?;
        let at = self.token.span.start;
        let ty = self.parse_type()?;
        let span = Span::new(at, self.last_end);
        self.state_type(base, ty, span);
        match self.module.ty(ty) {
            Type::Memref(m) => {
                let elem = m.view.elem;
                Some(self.scalar(elem))
            }
            other => {
                let message = text!("expected a memref, found {other}", other = other.noun());
                self.error(codes::OPERAND_KIND, span, message);
                None
            }
        }
    }

    fn memref_dim(&mut self, head: &Head) -> Parse<OpId> {
        let base = self.parse_use()?;
        self.expect(b',')?;
        let index = self.parse_use()?;
        let attrs = self.optional_dict()?;
        self.expect(b':')?;
        let at = self.token.span.start;
        let ty = self.parse_type()?;
        self.state_type(base.0, ty, Span::new(at, self.last_end));
        let result = self.scalar(ScalarType::Index);
        let operands = vec![Self::operand(base, 0), Self::operand(index, 1)];
        self.finish_op(head, NewOp { operands, attrs, ..NewOp::default() }, &[(result, 2)])
    }

    /// `%s[o] [s] [t] : A to B`, or `%s to offset: [o], sizes: [s], strides: [t] : A to B`
    fn memref_view(&mut self, head: &Head) -> Parse<OpId> {
        let source = self.parse_use()?;
        let mut operands = vec![Self::operand(source, 0)];
        let mut attrs = Vec::new();
        let keyed = self.eat_word("to");
        for (slot, name) in ["static_offsets", "static_sizes", "static_strides"].into_iter().enumerate() {
            if keyed {
                let key = ["offset", "sizes", "strides"][slot];
                self.expect_word(key)?;
                self.expect(b':')?;
            }
            let list = self.mixed_list(slot as u8 + 1, &mut operands)?;
            attrs.push((self.intern(name), list));
            if keyed && slot < 2 {
                self.expect(b',')?;
            }
        }
        attrs.extend(self.optional_dict()?);
        self.expect(b':')?;
        let at = self.token.span.start;
        let from = self.parse_type()?;
        self.state_type(source.0, from, Span::new(at, self.last_end));
        self.expect_word("to")?;
        let to = self.parse_type()?;
        self.finish_op(head, NewOp { operands, attrs, ..NewOp::default() }, &[(to, 4)])
    }

    /// `[0, %x]`: constants stay in the attribute, values become operands and leave `unit` at their position.
    fn mixed_list(&mut self, slot: u8, operands: &mut Vec<Operand>) -> Parse<Attr> {
        let open = self.expect(b'[')?.span;
        let mut items = Vec::new();
        while !self.at(b']') {
            if self.token.tok == Tok::Value {
                let value = self.parse_use()?;
                operands.push(Self::operand(value, slot));
                items.push(Attr::Unit);
            } else {
                items.push(self.number_attr()?);
            }
            if !self.eat(b',') {
                break;
            }
        }
        self.close(b']', open)?;
        Some(Attr::Array(items.into()))
    }
}
