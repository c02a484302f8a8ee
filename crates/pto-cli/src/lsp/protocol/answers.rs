//! What requests are answered with, and diagnostics. Fields that are `None` are left out.

use super::{DocumentUri, LspEdit, LspLocation, LspPosition, LspRange};
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;

/// Markdown.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct MarkupText {
    kind: &'static str,
    value: String,
}

impl MarkupText {
    pub(crate) fn markdown(value: String) -> Self {
        Self { kind: "markdown", value }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Hover {
    pub(crate) contents: MarkupText,
    pub(crate) range: LspRange,
}

// ---- diagnostics -----------------------------------------------------------------------------------------------

/// `DiagnosticSeverity` of the protocol.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct LspSeverity(u8);

impl LspSeverity {
    pub(crate) const ERROR: Self = Self(1);
    pub(crate) const WARNING: Self = Self(2);
    pub(crate) const INFORMATION: Self = Self(3);
    pub(crate) const HINT: Self = Self(4);
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LspDiagnostic {
    pub(crate) range: LspRange,
    pub(crate) severity: LspSeverity,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<String>,
    pub(crate) source: &'static str,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) related_information: Vec<RelatedInformation>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct RelatedInformation {
    pub(crate) location: LspLocation,
    pub(crate) message: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct PublishedDiagnostics {
    pub(crate) uri: DocumentUri,
    pub(crate) diagnostics: Vec<LspDiagnostic>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<i32>,
}

// ---- completion and signatures ---------------------------------------------------------------------------------

/// `CompletionItemKind` of the protocol.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct LspCompletionKind(u8);

impl LspCompletionKind {
    pub(crate) const METHOD: Self = Self(2);
    pub(crate) const FUNCTION: Self = Self(3);
    pub(crate) const VARIABLE: Self = Self(6);
    pub(crate) const PROPERTY: Self = Self(10);
    pub(crate) const KEYWORD: Self = Self(14);
    pub(crate) const ENUM_MEMBER: Self = Self(20);
    pub(crate) const STRUCT: Self = Self(22);
    pub(crate) const EVENT: Self = Self(23);
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CompletionList {
    pub(crate) is_incomplete: bool,
    pub(crate) items: Vec<CompletionItem>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CompletionItem {
    pub(crate) label: String,
    pub(crate) kind: LspCompletionKind,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) detail: String,
    pub(crate) sort_text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) filter_text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) insert_text_format: Option<u8>,
    pub(crate) text_edit: LspEdit,
}

impl CompletionItem {
    /// `InsertTextFormat.Snippet` of the protocol.
    pub(crate) const SNIPPET: u8 = 2;
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SignatureHelp {
    pub(crate) signatures: Vec<SignatureInformation>,
    pub(crate) active_signature: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) active_parameter: Option<u32>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SignatureInformation {
    pub(crate) label: String,
    pub(crate) documentation: MarkupText,
    pub(crate) parameters: Vec<ParameterInformation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) active_parameter: Option<u32>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ParameterInformation {
    /// Its start and end in the label of the signature, in UTF-16.
    pub(crate) label: [u32; 2],
    pub(crate) documentation: String,
}

// ---- what is shown in and beside the text ----------------------------------------------------------------------

#[derive(Debug, Serialize)]
pub(crate) struct DocumentHighlight {
    pub(crate) range: LspRange,
}

/// Five numbers for each token.
#[derive(Debug, Serialize)]
pub(crate) struct SemanticTokens {
    pub(crate) data: Vec<u32>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InlayHint {
    pub(crate) position: LspPosition,
    pub(crate) label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<u8>,
    pub(crate) padding_left: bool,
}

impl InlayHint {
    /// `InlayHintKind.Type` of the protocol.
    pub(crate) const TYPE: u8 = 1;
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FoldingRange {
    pub(crate) start_line: u32,
    pub(crate) end_line: u32,
    pub(crate) kind: &'static str,
}

/// `SymbolKind` of the protocol.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct LspSymbolKind(u8);

impl LspSymbolKind {
    pub(crate) const MODULE: Self = Self(2);
    pub(crate) const NAMESPACE: Self = Self(3);
    pub(crate) const FUNCTION: Self = Self(12);
    pub(crate) const VARIABLE: Self = Self(13);
    pub(crate) const STRUCT: Self = Self(23);
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentSymbol {
    pub(crate) name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) detail: String,
    pub(crate) kind: LspSymbolKind,
    pub(crate) range: LspRange,
    pub(crate) selection_range: LspRange,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) children: Vec<Self>,
}

#[derive(Debug, Serialize)]
pub(crate) struct WorkspaceSymbol {
    pub(crate) name: String,
    pub(crate) kind: LspSymbolKind,
    pub(crate) location: LspLocation,
}

// ---- changes and commands --------------------------------------------------------------------------------------

#[derive(Debug, Serialize)]
pub(crate) struct WorkspaceEdit {
    pub(crate) changes: HashMap<DocumentUri, Vec<LspEdit>>,
}

/// `Command` of the protocol.
#[derive(Debug, Serialize)]
pub(crate) struct ActionCommand {
    pub(crate) title: String,
    pub(crate) command: &'static str,
    pub(crate) arguments: Vec<Value>,
}

#[derive(Debug, Serialize)]
pub(crate) struct CodeLens {
    pub(crate) range: LspRange,
    pub(crate) command: ActionCommand,
}

/// `CodeActionKind` of the protocol.
pub(crate) mod action_kind {
    pub(crate) const QUICK_FIX: &str = "quickfix";
    pub(crate) const REWRITE: &str = "refactor.rewrite";
}

#[derive(Debug, Serialize)]
pub(crate) struct LspCodeAction {
    pub(crate) title: String,
    pub(crate) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) diagnostics: Option<Vec<LspDiagnostic>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) edit: Option<WorkspaceEdit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) command: Option<ActionCommand>,
}
