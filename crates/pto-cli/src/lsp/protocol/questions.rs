//! Parameters of requests and notifications.

use super::{DocumentUri, LspPosition, LspRange};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(crate) struct TextDocumentId {
    pub(crate) uri: DocumentUri,
}

/// About a whole document.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentParams {
    pub(crate) text_document: TextDocumentId,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PositionParams {
    pub(crate) text_document: TextDocumentId,
    pub(crate) position: LspPosition,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentRangeParams {
    pub(crate) text_document: TextDocumentId,
    pub(crate) range: LspRange,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReferenceParams {
    pub(crate) text_document: TextDocumentId,
    pub(crate) position: LspPosition,
    pub(crate) context: ReferenceContext,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReferenceContext {
    pub(crate) include_declaration: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RenameParams {
    pub(crate) text_document: TextDocumentId,
    pub(crate) position: LspPosition,
    pub(crate) new_name: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CodeActionParams {
    pub(crate) text_document: TextDocumentId,
    pub(crate) range: LspRange,
    pub(crate) context: CodeActionContext,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CodeActionContext {
    /// The kinds that are asked for, with those below them; all without.
    pub(crate) only: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct SymbolParams {
    pub(crate) query: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DidOpenParams {
    pub(crate) text_document: TextDocumentItem,
}

#[derive(Debug, Deserialize)]
pub(crate) struct TextDocumentItem {
    pub(crate) uri: DocumentUri,
    pub(crate) version: i32,
    pub(crate) text: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DidChangeParams {
    pub(crate) text_document: VersionedDocumentId,
    pub(crate) content_changes: Vec<ContentChange>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct VersionedDocumentId {
    pub(crate) uri: DocumentUri,
    pub(crate) version: i32,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ContentChange {
    /// What the text replaces; everything without.
    pub(crate) range: Option<LspRange>,
    pub(crate) text: String,
}
