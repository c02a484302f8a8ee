//! Statements: result names, dispatch by row, regions and blocks.

use super::{Parse, Parser};
use crate::lexer::Tok;
use pto_ir::{BlockId, NewOp, OpId, RegionId, Spelling, Sym, TypeId, ValueId};
use pto_isa::cancel::poll;
use pto_isa::row::Syntax;
use pto_isa::table::{self, Op};
use pto_isa::text;
use pto_isa::{Diagnostic, Span, codes};

/// The names on the left of `=`.
#[derive(Default)]
pub(super) struct Results {
    /// Name, number of values, and span.
    pub(super) names: Vec<(Sym, u16, Span)>,
    pub(super) span: Span,
}

impl Results {
    pub(super) fn count(&self) -> usize {
        self.names.iter().map(|n| usize::from(n.1)).sum()
    }
}

/// A statement being read.
pub(super) struct Head {
    pub(super) op: Op,
    pub(super) results: Results,
    pub(super) start: u32,
    pub(super) name_span: Span,
    pub(super) block: BlockId,
}

impl<'s> Parser<'s> {
    /// Reads one statement into a block, or reports and skips it.
    pub(super) fn statement(&mut self, block: BlockId) {
        poll();
        let start = self.token.span.start;
        self.spelling = Spelling::default();
        let results = match self.result_names() {
            Some(r) => r,
            None => return self.recover(start),
        };
        let done = match self.token.tok {
            Tok::Ident => self.named_statement(block, start, results),
            Tok::Str => self.generic_statement(block, start, results),
            _ => {
                self.expected(text!("an operation"));
                self.poison(&results);
                None
            }
        };
        match done {
            None => self.recover(start),
            Some(op) => {
                if let Some(text) = self.trailing_location() {
                    self.module.set_location(op, text);
                }
            }
        }
    }

    /// `%a, %b:2 =`, or nothing.
    fn result_names(&mut self) -> Parse<Results> {
        let mut results = Results { span: self.token.span, ..Results::default() };
        if self.token.tok != Tok::Value {
            return Some(results);
        }
        loop {
            if self.token.tok != Tok::Value {
                self.expected(text!("a result name"));
                self.poison(&results);
                return None;
            }
            let span = self.bump().span;
            let name = self.intern(&self.text(span)[1..]);
            let count = if self.eat(b':') { self.pack_size()? } else { 1 };
            results.names.push((name, count, span));
            if !self.eat(b',') {
                break;
            }
        }
        results.span.end = self.last_end;
        if self.expect(b'=').is_none() {
            self.poison(&results);
            return None;
        }
        Some(results)
    }

    fn pack_size(&mut self) -> Parse<u16> {
        let text = self.token_text();
        if self.token.tok == Tok::Int
            && let Ok(n) = text.parse::<u16>()
            && (1..=1000).contains(&n)
        {
            self.bump();
            return Some(n);
        }
        self.expected(text!("the number of results, 1 to 1000"));
        None
    }

    /// Gives the results of a failed statement the unknown type, so that their uses are not reported too.
    pub(super) fn poison(&mut self, results: &Results) {
        for &(name, count, span) in &results.names {
            for i in 0..count {
                let full = self.pack_name(name, count, i);
                let ty = TypeId::UNKNOWN;
                let value = pto_ir::Value { ty, name: full, def: pto_ir::Def::Missing, slot: 0, span };
                let id = self.module.new_value(value);
                self.scopes.define(full, id);
                if i == 0 && count > 1 {
                    self.scopes.define(name, id);
                }
            }
        }
    }

    fn pack_name(&mut self, name: Sym, count: u16, i: u16) -> Sym {
        if count == 1 {
            return name;
        }
        let text = format!("{}#{i}", self.module.names.text(name));
        self.intern(&text)
    }

    fn named_statement(&mut self, block: BlockId, start: u32, results: Results) -> Parse<OpId> {
        let name_span = self.token.span;
        let name = self.text(name_span);
        let Some(op) = table::find(name) else {
            let alone = self.token.first || !results.names.is_empty() || name.contains('.');
            if alone {
                self.unknown_op(name, name_span);
            } else {
                let message = text!("expected the end of the operation, found `{name}`", name);
                self.error(codes::SYNTAX, name_span, message);
            }
            self.poison(&results);
            return None;
        };
        self.bump();
        let head = Head { op, results, start, name_span, block };
        match op.row().syntax {
            Syntax::Custom(custom) => self.custom_statement(&head, custom),
            Syntax::InsOuts { .. } | Syntax::Pattern(_) => self.row_statement(&head),
        }
    }

    pub(super) fn unknown_op(&mut self, name: &str, span: Span) {
        let mut d = Diagnostic::new(codes::UNKNOWN_OP, span, text!("there is no operation `{name}`", name));
        let near = if self.may_suggest() { table::similar(name) } else { Vec::new() };
        let names = format!("`{}`", near.join("`, `"));
        let below = name
            .strip_prefix("pto.")
            .and_then(below_tiles)
            .map(|what| text!("{what} are {below}", what, below = text::translate(BELOW)));
        d = match (below, near.is_empty()) {
            (Some(below), true) => d.help(below),
            (Some(below), false) if !name.starts_with("pto.p") => {
                d.help(text!("{below}; for tiles there is {names}", below, names))
            }
            (_, false) => d.help(text!("did you mean {names}?", names)),
            (None, true) => d,
        };
        self.report(d.legal(text!("`pto isa` lists every instruction")));
    }

    /// Appends an operation to its block and makes its results visible.
    pub(super) fn finish_op(&mut self, head: &Head, mut new: NewOp, types: &[(TypeId, u8)]) -> Parse<OpId> {
        if head.results.count() != types.len() {
            self.wrong_result_count(head, types.len());
            self.poison(&head.results);
            new.results = types.iter().map(|&(ty, slot)| (ty, Sym::EMPTY, slot, head.name_span)).collect();
        } else {
            let mut types = types.iter();
            for &(name, count, span) in &head.results.names {
                for i in 0..count {
                    let full = self.pack_name(name, count, i);
                    let &(ty, slot) = types.next()?;
                    new.results.push((ty, full, slot, span));
                }
            }
        }
        new.span = Span::new(head.start, self.last_end);
        new.name_span = head.name_span;
        let op = self.twin(head, &mut new, types)?;
        let elided_results = std::mem::take(&mut self.elided_results);
        let elided = self.elided_positions(&new, &elided_results);
        let id = self.module.append(head.block, op, new);
        self.keep_spelling(head, elided, id);
        if head.results.count() == types.len() {
            self.define_results(head, id);
        }
        Some(id)
    }

    /// An operation may leave its results unnamed; naming more or fewer than it has is an error.
    fn wrong_result_count(&mut self, head: &Head, actual: usize) {
        let named = head.results.count();
        if named == 0 {
            return;
        }
        let name = head.op.row().full_name();
        let message = match actual {
            1 => text!("`{name}` has 1 result, but {named} are named", name, named),
            _ => text!("`{name}` has {actual} results, but {named} are named", name, actual, named),
        };
        self.error(codes::RESULT_COUNT, head.results.span, message);
    }

    fn define_results(&mut self, head: &Head, id: OpId) {
        let mut values = self.module.results(id);
        for &(name, count, span) in &head.results.names {
            for i in 0..count {
                let Some(value) = values.next() else { return };
                let full = self.module.value(value).name;
                self.define(full, value, span);
                if i == 0 && count > 1 {
                    self.scopes.define(name, value);
                }
            }
        }
    }

    /// Defines a name; a second definition in the same function is an error.
    pub(super) fn define(&mut self, name: Sym, value: ValueId, span: Span) {
        if let Some(before) = self.scopes.get(name) {
            let first = self.module.value(before).span;
            let text = self.module.names.text(name).to_string();
            let d = Diagnostic::new(codes::REDEFINED, span, text!("`%{text}` is already defined", text));
            self.report(d.label(first, text!("first defined here")).help(text!("give the second value another name")));
        }
        self.scopes.define(name, value);
    }

    /// `loc(…)` after an operation is a hint for other tools; it is kept as it is.
    pub(super) fn trailing_location(&mut self) -> Option<Sym> {
        if !self.at_word("loc") || self.next_byte() != b'(' {
            return None;
        }
        self.bump();
        let open = self.token.span;
        let mut depth = 0u32;
        // Built from tokens, so that line breaks and comments inside do not matter.
        let mut text = "loc".to_string();
        loop {
            if self.token.span.start > self.last_end {
                text.push(' ');
            }
            text += self.token_text();
            match self.token.tok {
                Tok::Punct(b'(') => depth += 1,
                Tok::Punct(b')') => depth = depth.saturating_sub(1),
                Tok::Eof | Tok::Punct(b'{' | b'}') => {
                    self.error(codes::UNCLOSED, open, text!("this `(` is never closed"));
                    return None;
                }
                _ => {}
            }
            self.bump();
            if depth == 0 {
                return Some(self.intern(&text));
            }
        }
    }

    // ---- regions -----------------------------------------------------------------------------------------

    /// `{ … }`: blocks with labels; `params` become the arguments of the first block.
    pub(super) fn parse_region(&mut self, params: &[(Sym, TypeId, Span)]) -> Parse<RegionId> {
        let open = self.expect(b'{')?.span;
        self.region_after(open, params)
    }

    /// A region whose opening brace is missing, which was reported.
    pub(super) fn region_without_brace(&mut self, params: &[(Sym, TypeId, Span)]) -> Parse<RegionId> {
        self.region_after(self.token.span, params)
    }

    fn region_after(&mut self, open: Span, params: &[(Sym, TypeId, Span)]) -> Parse<RegionId> {
        self.nested(|p| {
            p.scopes.enter();
            let outer_labels = std::mem::take(&mut p.labels);
            let outer_stray = std::mem::take(&mut p.stray_braces);
            let outer_dicts = std::mem::take(&mut p.open_dicts);
            let region = p.region_body(params, open);
            p.labels = outer_labels;
            p.stray_braces = outer_stray;
            p.open_dicts = outer_dicts;
            p.scopes.leave();
            region
        })
    }

    fn region_body(&mut self, params: &[(Sym, TypeId, Span)], open: Span) -> Parse<RegionId> {
        let first = self.module.new_block();
        for &(name, ty, span) in params {
            let arg = self.module.add_arg(first, ty, name, span);
            self.define(name, arg, span);
        }
        let mut blocks = vec![first];
        if self.token.tok == Tok::Caret && self.module.block(first).ops.is_empty() {
            self.block_label(first, !params.is_empty());
        }
        let mut current = first;
        loop {
            match self.token.tok {
                Tok::Punct(b'}') if self.stray_braces > 0 => {
                    self.stray_braces -= 1;
                    self.bump();
                }
                Tok::Punct(b'}') => break,
                Tok::Eof => {
                    self.error(codes::UNCLOSED, open, text!("this `{` is never closed"));
                    break;
                }
                Tok::Caret => {
                    self.module.block_mut(current).end = self.token.span.start;
                    current = self.label_block();
                    blocks.push(current);
                    self.block_label(current, false);
                }
                _ => self.statement(current),
            }
        }
        self.module.block_mut(current).end = self.token.span.start;
        self.eat(b'}');
        self.report_missing_labels();
        Some(self.module.new_region(blocks))
    }

    /// Reads the regions of an operation whose header could not be read, so that their braces match and their problems
    /// are found. Uses of names that the header may have defined are not reported.
    pub(super) fn skip_to_regions(&mut self) -> bool {
        let mut depth = 0i32;
        loop {
            match self.token.tok {
                Tok::Punct(b'{') if depth <= 0 && self.open_dicts == 0 => break,
                Tok::Punct(b'{' | b'(' | b'[') => depth += 1,
                Tok::Punct(b'}') if self.open_dicts > 0 => self.open_dicts -= 1,
                Tok::Punct(b'}') if depth <= 0 => return false,
                Tok::Punct(b'}' | b')' | b']') => depth -= 1,
                Tok::Eof => return false,
                _ if self.token.first && self.starts_statement() => return false,
                _ => {}
            }
            self.bump();
        }
        while self.at(b'{') {
            self.broken_function = true;
            if self.parse_region(&[]).is_none() {
                return false;
            }
            self.broken_function = true;
            let _ = self.eat_word("else") || self.eat_word("do");
        }
        true
    }

    /// The block of a label, created on first mention.
    pub(super) fn label(&mut self, span: Span, defines: bool) -> BlockId {
        let name = self.intern(&self.text(span)[1..]);
        if let Some((block, _, defined)) = self.labels.get(&name).copied() {
            if defines && defined {
                // Reported when the label is read.
                return self.module.new_block();
            }
            if defines {
                self.labels.insert(name, (block, span, true));
            } else {
                self.module.block_mut(block).is_target = true;
            }
            return block;
        }
        let block = self.module.new_block();
        self.module.block_mut(block).label = Some(name);
        self.module.block_mut(block).is_target = !defines;
        self.labels.insert(name, (block, span, defines));
        block
    }

    fn label_block(&mut self) -> BlockId {
        self.label(self.token.span, true)
    }

    /// `^name(%a: T, …):`; the first block of a region takes its label here.
    fn block_label(&mut self, block: BlockId, has_params: bool) {
        let span = self.bump().span;
        let name = self.intern(&self.text(span)[1..]);
        if self.module.block(block).label.is_none() {
            match self.labels.get(&name) {
                Some(_) => {
                    self.error(codes::REDEFINED, span, text!("`{span}` is already defined", span = self.text(span)));
                }
                None => {
                    self.labels.insert(name, (block, span, true));
                    self.module.block_mut(block).label = Some(name);
                }
            }
        }
        if self.at(b'(') {
            if has_params {
                let span = self.token.span;
                self.error(codes::SYNTAX, span, text!("the parameters of this block are those of its operation"));
            }
            if self.block_params(block).is_none() {
                return self.recover(span.start);
            }
        }
        self.expect(b':');
    }

    fn block_params(&mut self, block: BlockId) -> Parse<()> {
        let open = self.expect(b'(')?.span;
        while self.token.tok == Tok::Value {
            let (name, ty, span) = self.param()?;
            let arg = self.module.add_arg(block, ty, name, span);
            self.define(name, arg, span);
            self.trailing_location();
            if !self.eat(b',') {
                break;
            }
        }
        self.close(b')', open)?;
        Some(())
    }

    /// `%name: type`
    pub(super) fn param(&mut self) -> Parse<(Sym, TypeId, Span)> {
        if self.token.tok != Tok::Value {
            self.expected(text!("a parameter `%name: type`"));
            return None;
        }
        let span = self.bump().span;
        let name = self.intern(&self.text(span)[1..]);
        self.expect(b':')?;
        let at = self.token.span;
        let ty = self.parse_type()?;
        if ty == TypeId::UNKNOWN {
            let text = self.text(span);
            let d =
                Diagnostic::new(codes::NOT_INFERRED, at, text!("the type of parameter `{text}` is not written", text));
            self.report(d.help(text!("write it in full, `!pto.tile_buf<vec, 16x16xf32>` for example")));
        }
        Some((name, ty, span))
    }

    fn report_missing_labels(&mut self) {
        let missing: Vec<Span> = self.labels.values().filter(|l| !l.2).map(|l| l.1).collect();
        for span in missing {
            let text = self.text(span);
            self.error(codes::BRANCH, span, text!("there is no block `{text}` in this region", text));
        }
    }

    /// Limits searches for similar names: they are slow, and hundreds of suggestions help nobody.
    fn may_suggest(&mut self) -> bool {
        const SUGGESTIONS: u32 = 20;
        self.suggestions += 1;
        self.suggestions <= SUGGESTIONS
    }

    /// A defined value whose name is close to a misspelled one.
    fn similar_value(&mut self, name: &str) -> Option<String> {
        const LOOKED_AT: usize = 2000;
        if !self.may_suggest() {
            return None;
        }
        let defined = (0..self.module.value_count().min(LOOKED_AT)).map(|i| self.module.value(ValueId::from_index(i)));
        let names = defined.filter(|v| v.def != pto_ir::Def::Missing).map(|v| self.module.names.text(v.name));
        let most = 1 + name.len() / 6;
        let alike = names.filter(|n| n.len() > 1 && n.len().abs_diff(name.len()) <= most);
        let close = alike.map(|n| (table::distance(name, n), n)).filter(|(distance, _)| *distance <= most);
        close.min_by_key(|(distance, _)| *distance).map(|(_, n)| n.to_string())
    }

    /// A use of a value, with the type the text states for it.
    pub(super) fn use_value(&mut self, span: Span, ty: TypeId) -> ValueId {
        let name = self.intern(&self.text(span)[1..]);
        self.scopes.use_name(&mut self.module, name, span, ty)
    }

    /// `%name` as an operand.
    pub(super) fn parse_use(&mut self) -> Parse<(ValueId, Span)> {
        if self.token.tok != Tok::Value {
            self.expected(text!("a value"));
            return None;
        }
        let span = self.bump().span;
        Some((self.use_value(span, TypeId::UNKNOWN), span))
    }

    /// `%a, %b, …`, possibly none.
    pub(super) fn parse_uses(&mut self) -> Parse<Vec<(ValueId, Span)>> {
        let mut uses = Vec::new();
        while self.token.tok == Tok::Value {
            uses.push(self.parse_use()?);
            if !self.eat(b',') {
                break;
            }
        }
        Some(uses)
    }

    /// The type a use states must be the type of the value. A value without a type takes the stated one.
    pub(super) fn state_type(&mut self, value: ValueId, ty: TypeId, span: Span) {
        if ty == TypeId::UNKNOWN {
            return;
        }
        let known = self.module.value(value).ty;
        if known == ty {
            return;
        }
        if known == TypeId::UNKNOWN {
            if self.module.value(value).def == pto_ir::Def::Missing {
                self.module.value_mut(value).ty = ty;
            }
            return;
        }
        if !self.module.ty(ty).same_object(self.module.ty(known)) && self.disagreed.insert((value, ty)) {
            let v = self.module.value(value);
            let (name, at) = (self.module.names.text(v.name).to_string(), v.span);
            let short = |t: TypeId| self.module.ty(t).to_string();
            let full = |t: TypeId| pto_ir::print::type_text(self.module.ty(t), pto_ir::TypeStyle::Compact);
            let (mut here, mut there) = (short(ty), short(known));
            if here == there {
                (here, there) = (full(ty), full(known));
            }
            let d = Diagnostic::new(
                codes::TYPE_DISAGREES,
                span,
                text!("`%{name}` is used as {here}, but it is {there}", name, here, there),
            );
            self.report(d.label(at, text!("defined as {there}", there)));
        }
    }

    /// States types for several uses; a wrong number of types is reported.
    pub(super) fn state_types(&mut self, uses: &[(ValueId, Span)], types: &[(TypeId, Span)]) {
        if types.len() != uses.len() {
            let span = types.first().map_or(self.token.span, |t| t.1);
            let message = text!("{types} types for {uses} operands", types = types.len(), uses = uses.len());
            self.report(Diagnostic::new(codes::SYNTAX, span, message).legal(text!("one type per operand")));
            return;
        }
        for (u, t) in uses.iter().zip(types) {
            self.note_elided(u.1, t.0);
            self.state_type(u.0, t.0, t.1);
        }
    }

    pub(super) fn report_undefined(&mut self, values: Vec<ValueId>) {
        let broken = std::mem::take(&mut self.broken_function);
        for id in values {
            let value = self.module.value(id);
            let (name, span) = (self.module.names.text(value.name).to_string(), value.span);
            let d = Diagnostic::new(codes::UNDEFINED, span, text!("`%{name}` is not defined", name));
            let near = self.similar_value(&name);
            let d = d.help(match near {
                Some(other) => text!("did you mean `%{other}`?", other),
                None => text!("define it before this use, or check the spelling").to_string(),
            });
            if broken {
                self.doubtful.push(d);
            } else {
                self.report(d);
            }
        }
    }
}

const BELOW: &str = pto_isa::text_key!("below the tile level and not part of this tool");

/// The kind of an unknown operation below the tile level, by the names that other tools use.
fn below_tiles(name: &str) -> Option<&'static str> {
    match name.as_bytes() {
        [b'v', ..] => Some(text!("operations on vector registers")),
        [b'p', ..] => Some(text!("operations on predicates")),
        _ if name.starts_with("mte_") => Some(text!("single transfers between memories")),
        _ => None,
    }
}
