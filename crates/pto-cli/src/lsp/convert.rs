//! From bytes to positions of the protocol, and from answers to its types.

use super::protocol::{
    DocumentUri, LspCompletionKind, LspDiagnostic, LspEdit, LspLocation, LspPosition, LspRange, LspSeverity,
    LspSymbolKind, RelatedInformation,
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

    pub(super) fn position(&self, byte: u32) -> LspPosition {
        let (line, column) = self.with_positions(|p| p.locate(self.text, byte, self.encoding));
        LspPosition { line, character: column }
    }

    pub(super) fn range(&self, span: Span) -> LspRange {
        LspRange { start: self.position(span.start), end: self.position(span.end) }
    }

    pub(super) fn byte(&self, position: LspPosition) -> u32 {
        self.with_positions(|p| p.byte(self.text, (position.line, position.character), self.encoding))
    }

    pub(super) fn span(&self, range: LspRange) -> Span {
        self.with_positions(|p| {
            let byte = |at: LspPosition| p.byte(self.text, (at.line, at.character), self.encoding);
            let (start, end) = (byte(range.start), byte(range.end));
            Span::new(start.min(end), end.max(start))
        })
    }

    pub(super) fn edits(&self, edits: &[Replacement]) -> Vec<LspEdit> {
        let edit = |edit: &Replacement| LspEdit { range: self.range(edit.span), new_text: edit.text.clone() };
        edits.iter().map(edit).collect()
    }

    pub(super) fn location(&self, uri: &DocumentUri, span: Span) -> LspLocation {
        LspLocation { uri: uri.clone(), range: self.range(span) }
    }

    /// A diagnostic with what is legal and the help below its message.
    pub(super) fn diagnostic(&self, uri: &DocumentUri, source: &'static str, d: &Diagnostic) -> LspDiagnostic {
        let mut message = d.message.clone();
        if !d.primary.text.is_empty() {
            message += &format!(" ({})", d.primary.text);
        }
        d.legal.iter().for_each(|line| message += &format!("\n{line}"));
        let line = |at: u32| self.position(at).line + 1;
        if let Some(help) = d.help_text(line) {
            message += &format!("\n{}: {help}", text!("help"));
        }
        let related = d
            .labels
            .iter()
            .map(|label| RelatedInformation { location: self.location(uri, label.span), message: label.text.clone() });
        LspDiagnostic {
            range: self.range(d.primary.span),
            severity: match d.severity {
                Severity::Error => LspSeverity::ERROR,
                Severity::Warning => LspSeverity::WARNING,
            },
            code: Some(d.code.id()),
            source,
            message,
            related_information: related.collect(),
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

/// Tokens as differences to the one before them, five numbers for each. A file has many: lines are searched only where one begins.
pub(super) fn semantic_tokens(places: &Places<'_>, tokens: &[SemanticToken]) -> Vec<u32> {
    let mut last = (0, LspPosition::default());
    let mut found = Vec::with_capacity(5 * tokens.len());
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
            true => LspPosition { line: last.1.line, character: last.1.character + places.encoding.length(between) },
            false => places.position(token.span.start),
        };
        found.extend([
            start.line - last.1.line,
            if same_line { start.character - last.1.character } else { start.character },
            places.encoding.length(text),
            ROLES.iter().position(|(role, _)| *role == token.role).unwrap_or(0) as u32,
            u32::from(token.definition) | u32::from(token.unavailable) << 1,
        ]);
        last = (token.span.start, start);
    }
    found
}

pub(super) const fn completion_kind(kind: CompletionKind) -> LspCompletionKind {
    match kind {
        CompletionKind::Operation => LspCompletionKind::FUNCTION,
        CompletionKind::Value => LspCompletionKind::VARIABLE,
        CompletionKind::Type => LspCompletionKind::STRUCT,
        CompletionKind::Attribute => LspCompletionKind::PROPERTY,
        CompletionKind::Choice => LspCompletionKind::ENUM_MEMBER,
        CompletionKind::Function => LspCompletionKind::METHOD,
        CompletionKind::Label => LspCompletionKind::EVENT,
        CompletionKind::Keyword => LspCompletionKind::KEYWORD,
    }
}

pub(super) const fn symbol_kind(kind: OutlineKind) -> LspSymbolKind {
    match kind {
        OutlineKind::Module => LspSymbolKind::MODULE,
        OutlineKind::Function => LspSymbolKind::FUNCTION,
        OutlineKind::Region => LspSymbolKind::NAMESPACE,
        OutlineKind::Tile => LspSymbolKind::VARIABLE,
        OutlineKind::Alias => LspSymbolKind::STRUCT,
    }
}
