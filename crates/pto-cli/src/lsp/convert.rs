//! From bytes to positions of the protocol, and from answers to its types.

use lsp_types::{
    CompletionItemKind, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Position, Range,
    SymbolKind, TextEdit, Uri,
};
use pto::isa::{Severity, Span};
use pto::{Diagnostic, isa::text};
use pto_ide::{
    CompletionKind, Document, OutlineKind, PositionEncoding, Replacement, SemanticToken, TextPositions, TokenRole,
};

/// Positions in a text.
pub(super) struct Places<'a> {
    pub(super) text: &'a str,
    pub(super) encoding: PositionEncoding,
    /// The lines of the text; they are searched for each position without.
    pub(super) positions: Option<&'a TextPositions>,
}

impl<'a> Places<'a> {
    pub(super) fn of(document: &'a Document, encoding: PositionEncoding) -> Self {
        Self { text: document.text(), encoding, positions: Some(document.positions()) }
    }

    fn with_positions<T>(&self, work: impl FnOnce(&TextPositions) -> T) -> T {
        match self.positions {
            Some(positions) => work(positions),
            None => work(&TextPositions::new(self.text)),
        }
    }

    pub(super) fn position(&self, byte: u32) -> Position {
        let (line, column) = self.with_positions(|p| p.locate(self.text, byte, self.encoding));
        Position::new(line, column)
    }

    pub(super) fn range(&self, span: Span) -> Range {
        Range::new(self.position(span.start), self.position(span.end))
    }

    pub(super) fn byte(&self, position: Position) -> u32 {
        self.with_positions(|p| p.byte(self.text, (position.line, position.character), self.encoding))
    }

    pub(super) fn span(&self, range: Range) -> Span {
        self.with_positions(|p| {
            let byte = |at: Position| p.byte(self.text, (at.line, at.character), self.encoding);
            let (start, end) = (byte(range.start), byte(range.end));
            Span::new(start.min(end), end.max(start))
        })
    }

    pub(super) fn edits(&self, edits: &[Replacement]) -> Vec<TextEdit> {
        edits.iter().map(|edit| TextEdit::new(self.range(edit.span), edit.text.clone())).collect()
    }

    pub(super) fn location(&self, uri: &Uri, span: Span) -> Location {
        Location::new(uri.clone(), self.range(span))
    }

    /// A diagnostic with what is legal and the help below its message.
    pub(super) fn diagnostic(&self, uri: &Uri, source: &str, d: &Diagnostic) -> lsp_types::Diagnostic {
        let mut message = d.message.clone();
        if !d.primary.text.is_empty() {
            message += &format!(" ({})", d.primary.text);
        }
        d.legal.iter().for_each(|line| message += &format!("\n{line}"));
        let line = |at: u32| self.position(at).line + 1;
        if let Some(help) = d.help_text(line) {
            message += &format!("\n{}: {help}", text!("help"));
        }
        let related = d.labels.iter().map(|label| DiagnosticRelatedInformation {
            location: self.location(uri, label.span),
            message: label.text.clone(),
        });
        let related: Vec<_> = related.collect();
        lsp_types::Diagnostic {
            range: self.range(d.primary.span),
            severity: Some(match d.severity {
                Severity::Error => DiagnosticSeverity::ERROR,
                Severity::Warning => DiagnosticSeverity::WARNING,
            }),
            code: Some(NumberOrString::String(d.code.id())),
            source: Some(source.to_string()),
            message,
            related_information: (!related.is_empty()).then_some(related),
            ..Default::default()
        }
    }
}

/// The meanings of tokens, with their names in the protocol.
pub(super) const ROLES: [(TokenRole, &str); 12] = [
    (TokenRole::Operation, "function"),
    (TokenRole::Keyword, "keyword"),
    (TokenRole::Value, "variable"),
    (TokenRole::Parameter, "parameter"),
    (TokenRole::Function, "method"),
    (TokenRole::Type, "type"),
    (TokenRole::Attribute, "property"),
    (TokenRole::Choice, "enumMember"),
    (TokenRole::Label, "event"),
    (TokenRole::Number, "number"),
    (TokenRole::Text, "string"),
    (TokenRole::Comment, "comment"),
];

/// What else is said about a token, by bit.
pub(super) const MODIFIERS: [&str; 2] = ["definition", "deprecated"];

/// Tokens as differences to the one before them. A file has many: lines are searched only where one begins.
pub(super) fn semantic_tokens(places: &Places<'_>, tokens: &[SemanticToken]) -> Vec<lsp_types::SemanticToken> {
    let mut last = (0, Position::default());
    let mut found = Vec::with_capacity(tokens.len());
    let part = |start: u32, end: u32| places.text.get(start as usize..end as usize).unwrap_or_default();
    let breaks = |part: &str| part.bytes().any(|b| matches!(b, b'\n' | b'\r'));
    for token in tokens {
        let text = part(token.span.start, token.span.end);
        // A token that does not end on its line has no place in the protocol.
        if breaks(text) {
            continue;
        }
        let between = part(last.0, token.span.start);
        let same_line = !breaks(between);
        let start = match same_line {
            true => Position::new(last.1.line, last.1.character + places.encoding.length(between)),
            false => places.position(token.span.start),
        };
        found.push(lsp_types::SemanticToken {
            delta_line: start.line - last.1.line,
            delta_start: if same_line { start.character - last.1.character } else { start.character },
            length: places.encoding.length(text),
            token_type: ROLES.iter().position(|(role, _)| *role == token.role).unwrap_or(0) as u32,
            token_modifiers_bitset: u32::from(token.definition) | u32::from(token.unavailable) << 1,
        });
        last = (token.span.start, start);
    }
    found
}

pub(super) const fn completion_kind(kind: CompletionKind) -> CompletionItemKind {
    match kind {
        CompletionKind::Operation => CompletionItemKind::FUNCTION,
        CompletionKind::Value => CompletionItemKind::VARIABLE,
        CompletionKind::Type => CompletionItemKind::STRUCT,
        CompletionKind::Attribute => CompletionItemKind::PROPERTY,
        CompletionKind::Choice => CompletionItemKind::ENUM_MEMBER,
        CompletionKind::Function => CompletionItemKind::METHOD,
        CompletionKind::Label => CompletionItemKind::EVENT,
        CompletionKind::Keyword => CompletionItemKind::KEYWORD,
    }
}

pub(super) const fn symbol_kind(kind: OutlineKind) -> SymbolKind {
    match kind {
        OutlineKind::Module => SymbolKind::MODULE,
        OutlineKind::Function => SymbolKind::FUNCTION,
        OutlineKind::Region => SymbolKind::NAMESPACE,
        OutlineKind::Tile => SymbolKind::VARIABLE,
        OutlineKind::Alias => SymbolKind::STRUCT,
    }
}
