//! Which name stands where, and what it means.

use pto::Module;
use pto::ir::{Def, OpId, ValueId};
use pto::isa::Span;
use pto::isa::hash::FastMap;
use pto::isa::row::Control;
use pto::isa::sort::SharedSort;
use pto::syntax::{SourceToken, TokenKind, tokens};

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NameTarget {
    /// A value, by the name in its definition; the values of a pack share it.
    Value(Span),
    /// A function, or another symbol.
    Symbol,
    /// An alias of a type or attribute.
    Alias,
    /// A block of the function in this span.
    Label(Span),
}

/// Tokens, definitions and uses of a text, sorted by position.
#[derive(Debug)]
pub(crate) struct SourceIndex {
    pub(crate) tokens: Vec<SourceToken>,
    /// Values by the start of the name in a use.
    uses: FastMap<u32, ValueId>,
    /// Values by the start of the name in their definition: the first of a pack.
    definitions: FastMap<u32, ValueId>,
    /// The values of each name, in the order of the text.
    named: FastMap<Box<str>, Vec<ValueId>>,
    /// Operations by the start of their mnemonic.
    operations: FastMap<u32, OpId>,
    /// Functions in the order of the text.
    functions: Vec<(Span, OpId)>,
}

impl SourceIndex {
    pub(crate) fn new(module: &Module, text: &str) -> Self {
        let (mut uses, mut operations) = (FastMap::default(), FastMap::default());
        let mut functions = Vec::new();
        for id in module.order() {
            let op = module.op(id);
            operations.insert(op.name_span.start, id);
            uses.extend(module.operands(id).iter().map(|o| (o.span.start, o.value)));
            if module.control(id) == Some(Control::Function) {
                functions.push((op.span, id));
            }
        }
        let (definitions, named) = named_values(module);
        Self { tokens: tokens(text), uses, definitions, named, operations, functions }
    }

    /// The token that covers a byte, or ends there.
    pub(crate) fn token_at(&self, at: u32) -> Option<&SourceToken> {
        let behind = self.tokens.partition_point(|t| t.span.start <= at);
        let found = self.tokens.get(behind.checked_sub(1)?)?;
        // A name counts at its end, too; a bracket directly behind it does not hide it.
        let before = behind.checked_sub(2).and_then(|n| self.tokens.get(n));
        let is_name = |t: &&SourceToken| !matches!(t.kind, TokenKind::Punctuation | TokenKind::Comment);
        match before.filter(|t| t.span.end == at && is_name(t)) {
            Some(before) if !is_name(&found) => Some(before),
            _ => Some(found).filter(|t| at <= t.span.end),
        }
    }

    /// The position of the first token that starts at a byte or after it.
    pub(crate) fn first_token(&self, at: u32) -> usize {
        self.tokens.partition_point(|t| t.span.start < at)
    }

    /// The tokens in a span.
    pub(crate) fn tokens_in(&self, span: Span) -> &[SourceToken] {
        let (from, to) = (self.first_token(span.start), self.first_token(span.end));
        &self.tokens[from..to.max(from)]
    }

    /// The functions in the order of the text.
    pub(crate) fn functions(&self) -> &[(Span, OpId)] {
        &self.functions
    }

    /// The innermost function around a byte.
    pub(crate) fn function_at(&self, at: u32) -> Option<(Span, OpId)> {
        let behind = self.functions.partition_point(|(span, _)| span.start <= at);
        self.functions[..behind].iter().rev().find(|(span, _)| at <= span.end).copied()
    }

    /// The operation whose mnemonic starts at a byte.
    pub(crate) fn operation(&self, start: u32) -> Option<OpId> {
        self.operations.get(&start).copied()
    }

    /// The value that a token names, as a use or a definition.
    pub(crate) fn value(&self, module: &Module, text: &str, token: &SourceToken) -> Option<ValueId> {
        let start = token.span.start;
        let known = self.uses.get(&start).or_else(|| self.definitions.get(&start)).copied();
        known.or_else(|| self.by_name(module, text, token))
    }

    /// Arguments of branches and uses in broken statements are found by name: the last definition before them, else the first
    /// of the function.
    fn by_name(&self, module: &Module, text: &str, token: &SourceToken) -> Option<ValueId> {
        let name = text.get(token.span.start as usize + 1..token.span.end as usize)?;
        let candidates = self.named.get(name).or_else(|| self.named.get(base(name)))?;
        let whole = Span::new(0, text.len() as u32);
        let around = self.function_at(token.span.start).map_or(whole, |f| f.0);
        // A file may use one name in thousands of functions; they are in the order of the text.
        let before = |at: u32| candidates.partition_point(|v| module.value(*v).span.start < at);
        let inside = &candidates[before(around.start)..before(around.end)];
        let last = inside.partition_point(|v| module.value(*v).span.start <= token.span.start);
        inside.get(last.saturating_sub(1)).copied()
    }

    /// What a name stands for.
    pub(crate) fn target(&self, module: &Module, text: &str, token: &SourceToken) -> Option<NameTarget> {
        match token.kind {
            TokenKind::Value => {
                let value = self.value(module, text, token)?;
                Some(NameTarget::Value(module.value(value).span))
            }
            TokenKind::Symbol => Some(NameTarget::Symbol),
            TokenKind::Type | TokenKind::Attribute => {
                let name = text.get(token.span.start as usize..token.span.end as usize)?;
                module.aliases.iter().any(|a| &*a.name == name).then_some(NameTarget::Alias)
            }
            TokenKind::Label => {
                let whole = Span::new(0, text.len() as u32);
                Some(NameTarget::Label(self.function_at(token.span.start).map_or(whole, |f| f.0)))
            }
            _ => None,
        }
    }
}

type ValuesByName = FastMap<Box<str>, Vec<ValueId>>;

fn named_values(module: &Module) -> (FastMap<u32, ValueId>, ValuesByName) {
    let (mut definitions, mut named) = (FastMap::default(), ValuesByName::default());
    for at in 0..module.value_count() {
        let id = ValueId::from_index(at);
        let value = module.value(id);
        let name = module.names.text(value.name);
        if name.is_empty() {
            continue;
        }
        // A name without a definition is a use.
        let first = definitions.entry(value.span.start).or_insert(id);
        if module.value(*first).def == Def::Missing {
            *first = id;
        }
        named.entry(name.into()).or_default().push(id);
        if name.ends_with("#0") {
            named.entry(base(name).into()).or_default().push(id);
        }
    }
    let place = |id: &ValueId| module.value(*id).span.start;
    named.values_mut().for_each(|list| list.shared_sort_by_key(place));
    (definitions, named)
}

/// The name of a pack: `x` for `x#1`. Names that start with `#` stay.
pub(crate) fn base(name: &str) -> &str {
    match name.find('#') {
        Some(at) if at > 0 => &name[..at],
        _ => name,
    }
}
