//! What each token means, for colours.

use crate::Document;
use crate::context::{operation, starts_statement};
use pto::ir::Def;
use pto::isa::{ScalarType, Span};
use pto::syntax::{SourceToken, TokenKind};

/// What a token means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TokenRole {
    /// A mnemonic.
    Operation,
    /// A word of the grammar.
    Keyword,
    /// A value that an operation defines.
    Value,
    /// A parameter of a function or block.
    Parameter,
    /// A function.
    Function,
    /// A type.
    Type,
    /// The name of an attribute.
    Attribute,
    /// A value of an enumeration.
    Choice,
    /// A block.
    Label,
    /// A number.
    Number,
    /// A text in quotes.
    Text,
    /// A comment.
    Comment,
}

/// A token with its meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SemanticToken {
    /// Where it stands.
    pub span: Span,
    /// What it means.
    pub role: TokenRole,
    /// It defines what it names.
    pub definition: bool,
    /// The target does not have it.
    pub unavailable: bool,
}

impl Document {
    /// The tokens in a span with their meaning, in order. Brackets have none.
    ///
    /// ```
    /// use pto_ide::TokenRole;
    /// let document = pto_ide::Document::new("func.func @f(%n: index) { return }", None);
    /// let roles: Vec<TokenRole> = document.semantic_tokens(None).iter().map(|t| t.role).collect();
    /// assert_eq!(roles[..4], [TokenRole::Operation, TokenRole::Function, TokenRole::Parameter, TokenRole::Type]);
    /// ```
    pub fn semantic_tokens(&self, span: Option<Span>) -> Vec<SemanticToken> {
        let index = self.index();
        let range = match span {
            Some(span) => index.first_token(span.start)..index.first_token(span.end),
            None => 0..index.tokens.len(),
        };
        range.filter_map(|n| self.semantic_token(&index.tokens[..=n], index.tokens.get(n + 1))).collect()
    }

    fn semantic_token(&self, tokens: &[SourceToken], next: Option<&SourceToken>) -> Option<SemanticToken> {
        let [before @ .., token] = tokens else { return None };
        let text = self.slice(token.span);
        let follows = |wanted: &str| next.is_some_and(|t| self.slice(t.span) == wanted);
        let previous = before.last().map_or("", |t| self.slice(t.span));
        let mut found =
            SemanticToken { span: token.span, role: TokenRole::Keyword, definition: false, unavailable: false };
        found.role = match token.kind {
            TokenKind::Value => return Some(self.value_token(token, found)),
            TokenKind::Symbol => {
                found.definition = self.defines_symbol(before);
                TokenRole::Function
            }
            TokenKind::Attribute if text.starts_with("#pto") => TokenRole::Attribute,
            TokenKind::Attribute => TokenRole::Attribute,
            TokenKind::Type => TokenRole::Type,
            TokenKind::Label => {
                found.definition = token.first;
                TokenRole::Label
            }
            TokenKind::Number => TokenRole::Number,
            TokenKind::Comment => TokenRole::Comment,
            TokenKind::Word | TokenKind::Text if self.is_mnemonic(tokens) => {
                let op = operation(self, token);
                found.unavailable = op.is_some_and(|op| !op.row().targets.contains(self.target()));
                TokenRole::Operation
            }
            TokenKind::Text => TokenRole::Text,
            TokenKind::Word if follows("=") || text.contains('.') => TokenRole::Attribute,
            TokenKind::Word if ScalarType::parse(text).is_some() => TokenRole::Type,
            TokenKind::Word if previous == "<" || follows(">") => TokenRole::Choice,
            TokenKind::Word => TokenRole::Keyword,
            TokenKind::Punctuation | TokenKind::Unknown => return None,
        };
        Some(found)
    }

    fn is_mnemonic(&self, tokens: &[SourceToken]) -> bool {
        let known = tokens.last().and_then(|t| self.index().operation(t.span.start));
        known.is_some() || starts_statement(self, tokens)
    }

    fn value_token(&self, token: &SourceToken, found: SemanticToken) -> SemanticToken {
        let module = self.module();
        let value = self.index().value(module, self.text(), token).map(|v| module.value(v));
        let is_argument = value.is_some_and(|v| matches!(v.def, Def::Arg(..)));
        let role = if is_argument { TokenRole::Parameter } else { TokenRole::Value };
        let definition = value.is_some_and(|v| v.span == token.span && v.def != Def::Missing);
        SemanticToken { role, definition, ..found }
    }

    /// True after the mnemonic of a function, `private` or not.
    fn defines_symbol(&self, before: &[SourceToken]) -> bool {
        let is_function = |t: &SourceToken| {
            operation(self, t).is_some_and(|op| op.control() == Some(pto::isa::row::Control::Function))
        };
        before.iter().rev().take(2).any(is_function)
    }
}
