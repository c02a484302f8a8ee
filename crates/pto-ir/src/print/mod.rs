//! Text from a module.
//!
//! One printer serves all forms. [`Style`] chooses how tile instructions and tile types are spelled; everything
//! else has one spelling. Printing never fails and parses back to an equal module.

mod attrs;
mod custom;
mod forms;
mod pattern;
mod twins;
mod types;
mod writable;

use crate::{Attr, BlockId, Module, OpId, RegionId, Spelling, Sym, ValueId};
use pto_isa::cancel::poll;
use pto_isa::hash::{FastMap, FastSet};
use pto_isa::row::Control;

pub use attrs::{float_text, quote};
pub use forms::result_slots;
use types::elided_type;
pub use types::type_text;

/// How tile instructions are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `%d = pto.tmax %a, %b : (T, T) -> T`
    Level1,
    /// `pto.tmax ins(%a, %b : T, T) outs(%d : T)`
    Level2,
    /// `%d = tmax %a, %b : T`
    Asm,
    /// `"pto.tmax"(%a, %b, %d) : (T, T, T) -> ()`
    Generic,
}

/// How tile types are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TypeStyle {
    /// `!pto.tile_buf<loc=vec, dtype=f32, …>`
    Keyed,
    /// `!pto.tile_buf<vec, 16x16xf32>`
    #[default]
    Compact,
}

/// Options of the printer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style<'a> {
    /// Form of tile instructions; `None` keeps each in the form it has (value form: level 1, else level 2), or, with
    /// a source, in the one it has there.
    pub form: Option<Form>,
    /// Spelling of tile types.
    pub types: TypeStyle,
    /// The source the module was read from: its comments, blank lines and omitted types are kept.
    pub source: Option<&'a str>,
}

/// The text of a module.
pub fn print(module: &Module, style: Style) -> String {
    let mut p = Printer::new(module, style);
    p.block_ops(module.top);
    p.aliases_before(u32::MAX);
    p.comments_before(u32::MAX);
    p.out
}

/// The attributes of an operation except those named, as the generic form writes them, with the sizes of its operand
/// lists and without aliases: `{…}`, or nothing.
pub fn attributes_text(module: &Module, op: OpId, except: &[&str]) -> String {
    let mut p = Printer::new(module, Style::default());
    let row = module.op(op).op.row();
    let own = p.dict(op, except);
    let own = own.trim().strip_prefix('{').and_then(|d| d.strip_suffix('}')).unwrap_or("").to_string();
    let all: Vec<String> = p.segments(op, row).into_iter().chain((!own.is_empty()).then_some(own)).collect();
    if all.is_empty() { String::new() } else { format!("{{{}}}", all.join(", ")) }
}

pub(crate) struct Printer<'a> {
    module: &'a Module,
    style: Style<'a>,
    out: String,
    indent: usize,
    /// Comments already written.
    comments: usize,
    /// Aliases already written; only those are used.
    aliases: usize,
    /// Aliases of attributes among them, by the key of the attribute; of equal ones the first.
    attr_aliases: FastMap<u64, Vec<usize>>,
    /// The rest of the line that was examined last.
    line_rest: std::ops::RangeInclusive<usize>,
    /// The printed name of each value that was given one.
    names: FastMap<ValueId, String>,
    /// Names visible here, and how many of them each open scope added.
    visible: FastSet<String>,
    scopes: Vec<Vec<String>>,
    next_number: usize,
    /// The position for which a blank line was considered last.
    blank_at: Option<u32>,
    /// The form of the operation being printed.
    form: Option<Form>,
    /// Its values whose type is omitted, and the placeholder for that of a tile.
    elided_tile: Option<&'static str>,
    elided: Vec<ValueId>,
    type_cache: FastMap<(crate::TypeId, bool), String>,
}

impl<'a> Printer<'a> {
    fn new(module: &'a Module, style: Style<'a>) -> Self {
        Self {
            module,
            style,
            out: String::new(),
            indent: 0,
            comments: 0,
            aliases: 0,
            attr_aliases: FastMap::default(),
            line_rest: 0..=0,
            names: FastMap::default(),
            visible: FastSet::default(),
            scopes: vec![Vec::new()],
            next_number: 0,
            blank_at: None,
            form: None,
            elided_tile: None,
            elided: Vec::new(),
            type_cache: FastMap::default(),
        }
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn line_start(&mut self) {
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }

    /// Operations of a block, one per line, with the comments that stand before each.
    fn block_ops(&mut self, block: BlockId) {
        let module = self.module;
        for &op in &module.block(block).ops {
            self.op_line(op);
        }
    }

    /// An operation on lines of its own, after the comments and aliases that stand before it.
    fn op_line(&mut self, op: OpId) {
        let span = self.module.op(op).span;
        self.aliases_before(span.start);
        self.comments_before(span.start);
        self.blank_line_before(span.start);
        if self.module.op_regions(op).is_empty() {
            // Comments between the lines of a statement move above it.
            self.comments_before(span.end);
        }
        self.line_start();
        self.op(op);
        self.location(op);
        self.trailing_comment(span.end);
        self.put("\n");
    }

    /// `loc(…)` is kept when a source is formatted.
    fn location(&mut self, op: OpId) {
        let location = self.module.op(op).location;
        if self.style.source.is_some() && location != Sym::EMPTY {
            self.put(" ");
            self.put(self.module.names.text(location));
        }
    }

    /// Writes the alias definitions that stand before a position; without a source, types are written out.
    fn aliases_before(&mut self, position: u32) {
        if self.style.source.is_none() {
            return;
        }
        while let Some(alias) = self.module.aliases.get(self.aliases)
            && alias.span.start < position
        {
            self.comments_before(alias.span.start);
            self.blank_line_before(alias.span.start);
            let value = self.attr_text(&alias.value);
            self.put(&format!("{} = {value}", alias.name));
            self.trailing_comment(alias.span.end);
            self.put("\n");
            if let Attr::Type(ty) = alias.value {
                let keyed = self.style.types == TypeStyle::Keyed;
                self.type_cache.insert((ty, keyed), alias.name.to_string());
            }
            if alias.name.starts_with('#') {
                let alike = self.attr_aliases.entry(attrs::key(&alias.value)).or_default();
                if !alike.iter().any(|at| self.module.aliases[*at].value == alias.value) {
                    alike.push(self.aliases);
                }
            }
            self.aliases += 1;
        }
    }

    fn op(&mut self, op: OpId) {
        poll();
        let (form, elided) = match self.spelling(op) {
            Some(spelling) => (self.style.form.or(spelling.form), self.module.elided(op)),
            None => (self.style.form, Vec::new()),
        };
        // Operations in regions have their own spellings; types may follow a region.
        let outer = (std::mem::replace(&mut self.form, form), std::mem::replace(&mut self.elided, elided));
        self.elided_tile = None;
        self.op_in_form(op);
        (self.form, self.elided) = outer;
    }

    /// The spelling of an operation in the source, while a source is formatted.
    fn spelling(&self, op: OpId) -> Option<&'a Spelling> {
        self.style.source.and_then(|_| self.module.spelling(op))
    }

    fn op_in_form(&mut self, op: OpId) {
        use pto_isa::row::Syntax;
        let row = self.module.op(op).op.row();
        if self.form == Some(Form::Generic) {
            return self.generic(op);
        }
        match row.syntax {
            Syntax::Custom(custom) => {
                self.form = None;
                self.custom(op, custom);
            }
            Syntax::Pattern(pattern) if !pattern.starts_with("ins(") => {
                self.form = None;
                self.pattern(op, pattern);
            }
            tile => self.tile_op(op, tile),
        }
    }

    /// Writes `{`, the blocks of a region, and `}`. A lone terminator without operands can be omitted.
    fn region(&mut self, region: RegionId, implicit_end: bool) {
        self.put("{\n");
        self.open_scope();
        self.indent += 1;
        let blocks = &self.module.region(region).blocks;
        let labelled: Vec<bool> =
            blocks.iter().enumerate().map(|(at, &block)| at > 0 || self.needs_label(block)).collect();
        for &block in blocks {
            self.label(block);
        }
        for (at, &block) in blocks.iter().enumerate() {
            if labelled[at] {
                self.write_label(block);
            }
            self.block_body(block, implicit_end && blocks.len() == 1);
        }
        self.indent -= 1;
        self.close_scope();
        self.line_start();
        self.put("}");
    }

    fn block_body(&mut self, block: BlockId, implicit_end: bool) {
        let module = self.module;
        let data = module.block(block);
        // The reader adds the terminator only after an operation that does not end the block itself.
        let skip_last = implicit_end
            && data.ops.last().is_some_and(|&op| self.is_empty_yield(op))
            && !data.ops.iter().rev().nth(1).is_some_and(|&op| self.is_terminator(op));
        if skip_last {
            for &op in &data.ops[..data.ops.len() - 1] {
                self.op_line(op);
            }
        } else {
            self.block_ops(block);
        }
        self.comments_before(data.end);
    }

    fn is_terminator(&self, op: OpId) -> bool {
        use pto_isa::row::{Custom, Syntax};
        let Syntax::Custom(custom) = self.module.op(op).op.row().syntax else { return false };
        matches!(
            custom,
            Custom::Return
                | Custom::Yield
                | Custom::FusionYield
                | Custom::Condition
                | Custom::Branch
                | Custom::CondBranch
                | Custom::Switch
        )
    }

    fn is_empty_yield(&self, op: OpId) -> bool {
        self.module.control(op) == Some(Control::Yield)
            && self.module.operands(op).is_empty()
            && self.module.attrs(op).is_empty()
    }

    /// The first block of a region shows its label only when something branches to it, or when its parameters are
    /// not written elsewhere.
    fn needs_label(&self, block: BlockId) -> bool {
        let data = self.module.block(block);
        data.is_target || data.args.iter().any(|a| !self.names.contains_key(a))
    }

    /// Names the parameters of a labelled block, so that earlier branches can be printed.
    fn label(&mut self, block: BlockId) {
        for &arg in &self.module.block(block).args {
            self.define(arg);
        }
    }

    fn write_label(&mut self, block: BlockId) {
        let data = self.module.block(block);
        self.indent -= 1;
        self.line_start();
        self.indent += 1;
        let label = self.label_name(block);
        self.put("^");
        self.put(&label);
        if !data.args.is_empty() {
            self.put("(");
            self.params(&data.args);
            self.put(")");
        }
        self.put(":\n");
    }

    fn label_name(&self, block: BlockId) -> String {
        match self.module.block(block).label {
            Some(sym) => self.module.names.text(sym).to_string(),
            None => {
                let taken = |name: &str| self.module.names.get(name).is_some();
                let own = |n: usize| format!("bb{}{}", block.index(), "_".repeat(n));
                (0..).map(own).find(|name| !taken(name)).expect("endless")
            }
        }
    }

    /// `%a: T, %b: T`
    fn params(&mut self, args: &[ValueId]) {
        for (i, &arg) in args.iter().enumerate() {
            if i > 0 {
                self.put(", ");
            }
            let name = self.define(arg);
            let ty = self.type_of(arg);
            self.put(&format!("%{name}: {ty}"));
        }
    }

    fn open_scope(&mut self) {
        self.scopes.push(Vec::new());
    }

    fn close_scope(&mut self) {
        for name in self.scopes.pop().unwrap_or_default() {
            self.visible.remove(&name);
        }
    }

    /// The name of a value, chosen so that it shadows no other visible name.
    fn define(&mut self, value: ValueId) -> String {
        if let Some(name) = self.names.get(&value) {
            return name.clone();
        }
        let wanted = self.module.value_name(value);
        let name = if wanted.is_empty() { self.fresh_number() } else { self.unique(wanted) };
        self.bind(value, name)
    }

    fn bind(&mut self, value: ValueId, name: String) -> String {
        self.visible.insert(name.clone());
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(name.clone());
        }
        self.names.insert(value, name.clone());
        name
    }

    fn unique(&self, wanted: &str) -> String {
        if !self.visible.contains(wanted) {
            return wanted.to_string();
        }
        (0..).map(|n| format!("{wanted}_{n}")).find(|n| !self.visible.contains(n)).expect("endless")
    }

    fn fresh_number(&mut self) -> String {
        loop {
            let name = self.next_number.to_string();
            self.next_number += 1;
            if !self.visible.contains(&name) {
                return name;
            }
        }
    }

    /// The printed name of a value that is used; a value without definition keeps its source name.
    fn name(&mut self, value: ValueId) -> String {
        match self.names.get(&value) {
            Some(name) => name.clone(),
            None => self.define(value),
        }
    }

    fn value(&mut self, value: ValueId) {
        self.out.push('%');
        match self.names.get(&value) {
            Some(name) => self.out.push_str(name),
            None => {
                let name = self.define(value);
                self.out.push_str(&name);
            }
        }
    }

    fn values(&mut self, values: impl IntoIterator<Item = ValueId>) {
        for (i, v) in values.into_iter().enumerate() {
            if i > 0 {
                self.put(", ");
            }
            self.value(v);
        }
    }

    /// `%a, %b = ` in front of an operation with results; a pack is `%x:2 = `.
    fn result_list(&mut self, op: OpId) {
        let results: Vec<ValueId> = self.module.results(op).collect();
        if results.is_empty() {
            return;
        }
        if let Some(base) = self.pack_base(&results) {
            let base = self.unique_pack(&base, results.len());
            for (i, &v) in results.iter().enumerate() {
                self.bind(v, format!("{base}#{i}"));
            }
            self.put(&format!("%{base}:{} = ", results.len()));
            return;
        }
        for (i, &v) in results.iter().enumerate() {
            if i > 0 {
                self.put(", ");
            }
            let name = self.define(v);
            self.put(&format!("%{name}"));
        }
        self.put(" = ");
    }

    fn pack_base(&self, results: &[ValueId]) -> Option<String> {
        let (base, index) = self.module.value_name(*results.first()?).rsplit_once('#')?;
        (index == "0" && results.len() > 1).then(|| base.to_string())
    }

    fn unique_pack(&self, base: &str, count: usize) -> String {
        let free =
            |b: &str| !self.visible.contains(b) && (0..count).all(|i| !self.visible.contains(&format!("{b}#{i}")));
        if free(base) {
            return base.to_string();
        }
        (0..).map(|n| format!("{base}_{n}")).find(|b| free(b)).expect("endless")
    }

    fn type_of(&mut self, value: ValueId) -> String {
        if self.elided.contains(&value) {
            return elided_type(self.module.value_type(value), self.elided_tile).to_string();
        }
        self.type_id(self.module.value(value).ty)
    }

    fn type_id(&mut self, id: crate::TypeId) -> String {
        let keyed = self.style.types == TypeStyle::Keyed;
        let module = self.module;
        self.type_cache
            .entry((id, keyed))
            .or_insert_with(|| type_text(module.ty(id), if keyed { TypeStyle::Keyed } else { TypeStyle::Compact }))
            .clone()
    }

    fn types_of(&mut self, values: &[ValueId]) -> String {
        values.iter().map(|&v| self.type_of(v)).collect::<Vec<_>>().join(", ")
    }

    /// Writes the comments that stand before a position, each on a line of its own.
    fn comments_before(&mut self, position: u32) {
        if self.style.source.is_none() {
            return;
        }
        while let Some(c) = self.module.comments.get(self.comments)
            && c.span.start < position
        {
            self.blank_line_before(c.span.start);
            self.line_start();
            self.put(&c.text);
            self.put("\n");
            self.comments += 1;
        }
    }

    /// Writes a comment that follows code which ends at a position, on the same line.
    fn trailing_comment(&mut self, end: u32) {
        let Some(source) = self.style.source else { return };
        let Some(c) = self.module.comments.get(self.comments) else { return };
        let (end, start) = (end as usize, c.span.start as usize);
        if !self.line_rest.contains(&end) {
            self.line_rest = end..=source[end..].find('\n').map_or(source.len(), |at| end + at);
        }
        if c.trailing && start >= end && start <= *self.line_rest.end() {
            self.put("  ");
            self.put(&c.text);
            self.comments += 1;
        }
    }

    /// One blank line where the source has at least one, except right after an opening brace.
    fn blank_line_before(&mut self, position: u32) {
        let Some(source) = self.style.source else { return };
        // Operations that a conversion added have the span of the one they serve.
        if self.blank_at == Some(position) {
            return;
        }
        self.blank_at = Some(position);
        let before = &source.as_bytes()[..position as usize];
        let gap = before.iter().rev().take_while(|b| b.is_ascii_whitespace()).filter(|b| **b == b'\n').count();
        if gap > 1 && !self.out.is_empty() && !self.out.ends_with("{\n") && !self.out.ends_with("\n\n") {
            self.put("\n");
        }
    }
}
