//! Questions about files.

mod edits;
mod outline;

use super::convert::{Places, completion_kind, semantic_tokens};
use super::loop_state::LanguageServer;
use super::open::OpenFile;
use super::refusal::{LspAnswer, Refusal};
use lsp_server::ErrorCode;
use lsp_types::{
    CompletionItem, CompletionList, CompletionTextEdit, DocumentHighlight, Documentation, Hover, HoverContents,
    InlayHint, InlayHintKind, InlayHintLabel, InlayHintParams, InsertTextFormat, Location, MarkupContent, MarkupKind,
    ParameterInformation, ParameterLabel, Position, Range, ReferenceParams, SemanticTokens, SemanticTokensParams,
    SemanticTokensRangeParams, SignatureHelp, SignatureInformation, TextDocumentIdentifier, TextDocumentPositionParams,
    TextEdit, Uri,
};
use pto::isa::text;
use pto_ide::{Document, HintKind};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// An open file and a byte of it.
struct AskedPlace<'s> {
    file: &'s OpenFile,
    document: &'s Document,
    places: Places<'s>,
    at: u32,
}

impl LanguageServer {
    /// Answers a request by its name.
    pub(super) fn request(&mut self, method: &str, params: Value) -> LspAnswer {
        match method {
            "textDocument/hover" => answer(params, |p| self.hover(&p)),
            "textDocument/completion" => answer(params, |p| self.completion(&p)),
            "completionItem/resolve" => answer(params, resolve),
            "textDocument/signatureHelp" => answer(params, |p| self.signature(&p)),
            "textDocument/definition" => answer(params, |p| self.definition(&p)),
            "textDocument/references" => answer(params, |p| self.references(&p)),
            "textDocument/documentHighlight" => answer(params, |p| self.highlights(&p)),
            "textDocument/semanticTokens/full" => answer(params, |p| self.tokens(&p)),
            "textDocument/semanticTokens/range" => answer(params, |p| self.tokens_in(&p)),
            "textDocument/inlayHint" => answer(params, |p| self.inlay_hints(&p)),
            "textDocument/documentSymbol" => answer(params, |p| self.document_symbols(&p)),
            "textDocument/foldingRange" => answer(params, |p| self.folding(&p)),
            "textDocument/codeLens" => answer(params, |p| self.lenses(&p)),
            "workspace/symbol" => answer(params, |p| self.workspace_symbols(&p)),
            "textDocument/prepareRename" => answer(params, |p| self.prepare_rename(&p)),
            "textDocument/rename" => answer(params, |p| self.rename(&p)),
            "textDocument/formatting" => answer(params, |p| self.formatting(&p)),
            "textDocument/rangeFormatting" => answer(params, |p| self.range_formatting(&p)),
            "textDocument/codeAction" => answer(params, |p| self.code_actions(&p)),
            "pto/textOf" => answer(params, |p| self.text_of(&p)),
            _ => Err(Refusal::new(ErrorCode::MethodNotFound, text!("there is no request `{method}`", method))),
        }
    }

    fn place<'s>(&'s self, uri: &Uri, position: Position) -> Result<AskedPlace<'s>, Refusal> {
        let file = self.file(uri)?;
        let document = file.document();
        let places = Places::of(document, self.abilities.encoding);
        let at = places.byte(position);
        Ok(AskedPlace { file, document, places, at })
    }

    fn asked<'s>(&'s self, params: &TextDocumentPositionParams) -> Result<AskedPlace<'s>, Refusal> {
        self.place(&params.text_document.uri, params.position)
    }

    fn whole<'s>(&'s self, file: &TextDocumentIdentifier) -> Result<AskedPlace<'s>, Refusal> {
        self.place(&file.uri, Position::default())
    }

    fn hover(&self, params: &TextDocumentPositionParams) -> Result<Option<Hover>, Refusal> {
        let asked = self.asked(params)?;
        let card = asked.document.hover(asked.at);
        Ok(card.map(|card| Hover {
            contents: HoverContents::Markup(markdown(card.markdown)),
            range: Some(asked.places.range(card.span)),
        }))
    }

    fn completion(&self, params: &TextDocumentPositionParams) -> Result<CompletionList, Refusal> {
        let asked = self.asked(params)?;
        let snippets = self.abilities.snippets;
        let items = asked.document.completions(asked.at).into_iter().enumerate().map(|(n, item)| {
            let snippet = item.snippet.filter(|_| snippets);
            let format = snippet.as_ref().map(|_| InsertTextFormat::SNIPPET);
            let range = asked.places.range(item.replaces);
            let new_text = snippet.unwrap_or_else(|| item.label.clone());
            CompletionItem {
                kind: Some(completion_kind(item.kind)),
                detail: Some(item.detail).filter(|d| !d.is_empty()),
                sort_text: Some(format!("{n:05}")),
                filter_text: Some(item.filter).filter(|f| *f != item.label),
                insert_text_format: format,
                text_edit: Some(CompletionTextEdit::Edit(TextEdit { range, new_text })),
                label: item.label,
                ..CompletionItem::default()
            }
        });
        Ok(CompletionList { is_incomplete: false, items: items.collect() })
    }

    fn signature(&self, params: &TextDocumentPositionParams) -> Result<Option<SignatureHelp>, Refusal> {
        let asked = self.asked(params)?;
        let Some(card) = asked.document.signature(asked.at) else { return Ok(None) };
        let parameter = |(range, about): &(std::ops::Range<u32>, String)| {
            let units = |to: u32| card.label[..to as usize].encode_utf16().count() as u32;
            ParameterInformation {
                label: ParameterLabel::LabelOffsets([units(range.start), units(range.end)]),
                documentation: Some(Documentation::String(about.clone())),
            }
        };
        let parameters = card.parameters.iter().map(parameter).collect();
        let active = card.active.map(|n| n as u32);
        let signature = SignatureInformation {
            documentation: Some(Documentation::MarkupContent(markdown(card.summary))),
            parameters: Some(parameters),
            active_parameter: active,
            label: card.label,
        };
        Ok(Some(SignatureHelp { signatures: vec![signature], active_signature: Some(0), active_parameter: active }))
    }

    /// The definition of a name; elsewhere the line of the file that the statement was made from.
    fn definition(&self, params: &TextDocumentPositionParams) -> Result<Option<Location>, Refusal> {
        let asked = self.asked(params)?;
        if let Some(span) = asked.document.definition(asked.at) {
            return Ok(Some(asked.places.location(&asked.file.uri, span)));
        }
        let Some(origin) = asked.document.origin(asked.at) else { return Ok(None) };
        let path = self.workspace.find(&origin.file, asked.file.path().as_deref());
        let uri = path.and_then(|path| super::files::uri_of(&path));
        let at = Position::new(origin.line.saturating_sub(1), origin.column.saturating_sub(1));
        Ok(uri.map(|uri| Location::new(uri, Range::new(at, at))))
    }

    fn references(&self, params: &ReferenceParams) -> Result<Vec<Location>, Refusal> {
        let asked = self.asked(&params.text_document_position)?;
        let definition = asked.document.definition(asked.at);
        let spans = asked.document.references(asked.at).into_iter();
        let kept = spans.filter(|span| params.context.include_declaration || Some(*span) != definition);
        Ok(kept.map(|span| asked.places.location(&asked.file.uri, span)).collect())
    }

    fn highlights(&self, params: &TextDocumentPositionParams) -> Result<Vec<DocumentHighlight>, Refusal> {
        let asked = self.asked(params)?;
        let spans = asked.document.references(asked.at).into_iter();
        Ok(spans.map(|span| DocumentHighlight { range: asked.places.range(span), kind: None }).collect())
    }

    fn tokens(&self, params: &SemanticTokensParams) -> Result<SemanticTokens, Refusal> {
        let asked = self.whole(&params.text_document)?;
        let data = semantic_tokens(&asked.places, &asked.document.semantic_tokens(None));
        Ok(SemanticTokens { result_id: None, data })
    }

    fn tokens_in(&self, params: &SemanticTokensRangeParams) -> Result<SemanticTokens, Refusal> {
        let asked = self.whole(&params.text_document)?;
        let span = asked.places.span(params.range);
        let data = semantic_tokens(&asked.places, &asked.document.semantic_tokens(Some(span)));
        Ok(SemanticTokens { result_id: None, data })
    }

    fn inlay_hints(&self, params: &InlayHintParams) -> Result<Vec<InlayHint>, Refusal> {
        let asked = self.whole(&params.text_document)?;
        let span = asked.places.span(params.range);
        let hints = asked.document.hints(Some(span)).into_iter();
        let kept = hints.filter(|hint| self.settings.hints.contains(&hint.kind));
        let hint = |hint: pto_ide::InlineHint| InlayHint {
            position: asked.places.position(hint.at),
            label: InlayHintLabel::String(hint.label),
            kind: (hint.kind == HintKind::Type).then_some(InlayHintKind::TYPE),
            text_edits: None,
            tooltip: None,
            padding_left: Some(hint.kind != HintKind::Type),
            padding_right: None,
            data: None,
        };
        Ok(kept.map(hint).collect())
    }

    /// The text of a file of bytecode.
    fn text_of(&self, params: &TextDocumentIdentifierParams) -> Result<Value, Refusal> {
        let failed = |why: String| Refusal::new(ErrorCode::RequestFailed, why);
        let uri = &params.text_document.uri;
        let path = super::files::path_of(uri);
        let path = path.ok_or_else(|| failed(text!("{uri} is not a file", uri = uri.as_str())))?;
        let bytes = std::fs::read(&path).map_err(|e| failed(e.to_string()))?;
        let text = pto::text_of_bytecode(&bytes).map_err(|e| failed(e.to_string()))?;
        Ok(json!({ "text": text }))
    }
}

/// A request about a whole file.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct TextDocumentIdentifierParams {
    text_document: TextDocumentIdentifier,
}

fn markdown(value: String) -> MarkupContent {
    MarkupContent { kind: MarkupKind::Markdown, value }
}

/// Adds the page of an operation.
fn resolve(mut item: CompletionItem) -> Result<CompletionItem, Refusal> {
    let page = Document::page_of(&item.label);
    item.documentation = page.map(|page| Documentation::MarkupContent(markdown(page)));
    Ok(item)
}

/// Reads parameters, and writes the answer.
fn answer<P: DeserializeOwned, R: Serialize>(params: Value, work: impl FnOnce(P) -> Result<R, Refusal>) -> LspAnswer {
    let wrong = |error: serde_json::Error| Refusal::new(ErrorCode::InvalidParams, error.to_string());
    let found = work(serde_json::from_value(params).map_err(wrong)?)?;
    serde_json::to_value(found).map_err(|error| Refusal::new(ErrorCode::InternalError, error.to_string()))
}
