//! Where names are defined and used, and other names for them.

use crate::Document;
use crate::edits::Replacement;
use crate::index::{NameTarget, base};
use pto::isa::text;
use pto::isa::{Location, Source, Span};
use pto::syntax::{SourceText, SourceToken, TokenKind, tokens};

impl Document {
    /// The name in the definition of what the name at a byte stands for.
    ///
    /// ```
    /// use pto::isa::Span;
    /// let text = "func.func @f(%a: index) {\n  %b = arith.addi %a, %a : index\n  return\n}\n";
    /// let document = pto_ide::Document::new(text, None);
    /// let a = Span::new(13, 15);
    /// assert_eq!(document.definition(45), Some(a));
    /// assert_eq!(document.references(45).len(), 3);
    /// ```
    pub fn definition(&self, at: u32) -> Option<Span> {
        let token = *self.name_at(at)?;
        match self.target_of(&token)? {
            NameTarget::Value(span) => Some(span),
            NameTarget::Symbol => self.symbol_definition(self.slice(token.span)),
            NameTarget::Alias => {
                let alias = self.module().aliases.iter().find(|a| &*a.name == self.slice(token.span))?;
                Some(Span::new(alias.span.start, alias.span.start + alias.name.len() as u32))
            }
            NameTarget::Label(around) => {
                let name = self.slice(token.span);
                let labels = self.index().tokens_in(around).iter();
                let mut labels = labels.filter(|t| t.kind == TokenKind::Label && self.slice(t.span) == name);
                labels.find(|t| t.first).map(|t| t.span)
            }
        }
    }

    /// Every place where the name at a byte stands, the definition too, in the order of the text.
    pub fn references(&self, at: u32) -> Vec<Span> {
        let Some(token) = self.name_at(at).copied() else { return Vec::new() };
        let Some(target) = self.target_of(&token) else { return Vec::new() };
        let name = self.slice(token.span);
        let around = match target {
            NameTarget::Label(around) => around,
            NameTarget::Value(_) => self.index().function_at(token.span.start).map_or(self.whole(), |f| f.0),
            NameTarget::Symbol | NameTarget::Alias => self.whole(),
        };
        let same = |t: &&SourceToken| {
            let text = self.slice(t.span);
            t.kind == token.kind
                && match target {
                    NameTarget::Value(_) => base(text) == base(name) && self.target_of(t) == Some(target),
                    NameTarget::Symbol => symbol_name(text) == symbol_name(name),
                    NameTarget::Alias | NameTarget::Label(_) => text == name,
                }
        };
        self.index().tokens_in(around).iter().filter(same).map(|t| t.span).collect()
    }

    /// The name at a byte that can be renamed, without its sigil and the number in a pack.
    pub fn renamable(&self, at: u32) -> Option<Span> {
        let token = self.name_at(at)?;
        self.target_of(token)?;
        Some(self.bare_span(token.span))
    }

    /// The changes that give what the name at a byte stands for another name; with or without its sigil.
    ///
    /// ```
    /// let text = "func.func @f(%a: index) {\n  %b = arith.addi %a, %a : index\n  return\n}\n";
    /// let document = pto_ide::Document::new(text, None);
    /// let edits = document.rename(13, "n").expect("a new name");
    /// assert!(pto_ide::applied(text, &edits).contains("%b = arith.addi %n, %n : index"));
    /// assert!(document.rename(13, "b").is_err(), "it is taken");
    /// ```
    ///
    /// # Errors
    /// Why the name cannot be used, or that nothing can be renamed here.
    pub fn rename(&self, at: u32, new: &str) -> Result<Vec<Replacement>, String> {
        let nothing = || text!("there is no name to change here").to_string();
        let token = *self.name_at(at).ok_or_else(nothing)?;
        let target = self.target_of(&token).ok_or_else(nothing)?;
        let sigil = &self.slice(token.span)[..1];
        let new = new.strip_prefix(sigil).unwrap_or(new);
        let whole = format!("{sigil}{new}");
        if !is_one_name(&whole, token.kind) {
            return Err(text!("`{whole}` is not a name", whole));
        }
        let spans = self.references(at);
        if self.is_taken(&whole, &token, target) {
            return Err(text!("`{whole}` is already defined", whole));
        }
        Ok(spans.into_iter().map(|span| Replacement::new(self.bare_span(span), new)).collect())
    }

    /// The line of another file that a statement was made from, as its `loc(…)` says.
    ///
    /// ```
    /// let text = "func.func @f() {\n  return loc(\"kernel.py\":12:3)\n}\n";
    /// let place = pto_ide::Document::new(text, None).origin(20).expect("the statement says so");
    /// assert_eq!((place.file.as_str(), place.line), ("kernel.py", 12));
    /// ```
    pub fn origin(&self, at: u32) -> Option<Location> {
        SourceText::new("", self.text()).origin(Span::new(at, at))
    }

    /// The name at a byte.
    fn name_at(&self, at: u32) -> Option<&SourceToken> {
        let is_name = |t: &&SourceToken| {
            let kinds = [TokenKind::Value, TokenKind::Symbol, TokenKind::Type, TokenKind::Attribute, TokenKind::Label];
            kinds.contains(&t.kind)
        };
        self.index().token_at(at).filter(is_name)
    }

    fn target_of(&self, token: &SourceToken) -> Option<NameTarget> {
        self.index().target(self.module(), self.text(), token)
    }

    fn whole(&self) -> Span {
        Span::new(0, self.text().len() as u32)
    }

    /// The span of a name without its sigil, quotes and number in a pack.
    fn bare_span(&self, span: Span) -> Span {
        let name = self.slice(span);
        let length = if name.starts_with('%') { base(name).len() } else { name.len() };
        Span::new(span.start + 1, span.start + length as u32)
    }

    /// The name in the definition of a function.
    fn symbol_definition(&self, name: &str) -> Option<Span> {
        let module = self.module();
        let function = module.functions().into_iter().find(|f| module.symbol_name(*f) == symbol_name(name))?;
        let span = module.op(function).span;
        let mut tokens = self.index().tokens_in(span).iter();
        tokens.find(|t| t.kind == TokenKind::Symbol).map(|t| t.span)
    }

    /// True when another thing of the same kind, in the same function for values and labels, has the name.
    fn is_taken(&self, name: &str, token: &SourceToken, target: NameTarget) -> bool {
        let around = match target {
            NameTarget::Value(_) | NameTarget::Label(_) => self.index().function_at(token.span.start).map(|f| f.0),
            NameTarget::Symbol | NameTarget::Alias => None,
        };
        let mut tokens = self.index().tokens_in(around.unwrap_or(self.whole())).iter();
        let same = base(self.slice(token.span)) == name;
        !same && tokens.any(|t| t.kind == token.kind && base(self.slice(t.span)) == name)
    }
}

/// The name of a symbol without `@` and quotes.
fn symbol_name(text: &str) -> &str {
    text.trim_start_matches('@').trim_matches('"')
}

/// True for a text that is read as one name of its kind.
fn is_one_name(text: &str, kind: TokenKind) -> bool {
    let found = tokens(text);
    let [token] = &found[..] else { return false };
    let whole = token.span == Span::new(0, text.len() as u32);
    whole && token.kind == kind && !(kind == TokenKind::Value && text.contains('#'))
}
