//! The parts of the language server protocol that the server uses, with the names that the protocol gives them.
//!
//! What an editor sends is read here as far as the server asks for it; other fields may have any content. The recorded conversations of
//! the tests check the names of fields, and so do the editors that the tests use.

mod answers;
mod messages;
mod questions;

pub(super) use answers::{
    ActionCommand, CodeLens, CompletionItem, CompletionList, DocumentHighlight, DocumentSymbol, FoldingRange, Hover,
    InlayHint, LspCodeAction, LspCompletionKind, LspDiagnostic, LspSeverity, LspSymbolKind, MarkupText,
    ParameterInformation, PublishedDiagnostics, RelatedInformation, SemanticTokens, SignatureHelp,
    SignatureInformation, WorkspaceEdit, WorkspaceSymbol, action_kind,
};
pub(super) use messages::{EditorMessage, ErrorCode, RequestId, ServerMessage};
pub(super) use questions::{
    CodeActionParams, ContentChange, DidChangeParams, DidOpenParams, DocumentParams, DocumentRangeParams,
    PositionParams, ReferenceParams, RenameParams, SymbolParams, TextDocumentId,
};

use serde::{Deserialize, Serialize};

/// The address of a document, as the editor writes it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Deserialize, Serialize)]
#[serde(transparent)]
pub(super) struct DocumentUri(String);

impl DocumentUri {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// A line, and units of the agreed encoding in it, from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, Serialize)]
pub(super) struct LspPosition {
    pub(super) line: u32,
    pub(super) character: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize)]
pub(super) struct LspRange {
    pub(super) start: LspPosition,
    pub(super) end: LspPosition,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct LspLocation {
    pub(super) uri: DocumentUri,
    pub(super) range: LspRange,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LspEdit {
    pub(super) range: LspRange,
    pub(super) new_text: String,
}
