//! Questions about files.

mod edits;
mod outline;

use super::convert::{Places, completion_kind, semantic_tokens};
use super::loop_state::LanguageServer;
use super::open::OpenFile;
use super::protocol::{
    CompletionItem, CompletionList, DocumentHighlight, DocumentParams, DocumentRangeParams, DocumentUri, ErrorCode,
    Hover, InlayHint, LspEdit, LspLocation, LspPosition, LspRange, MarkupText, ParameterInformation, PositionParams,
    ReferenceParams, SemanticTokens, SignatureHelp, SignatureInformation, TextDocumentId,
};
use super::refusal::{LspAnswer, Refusal};
use pto::isa::text;
use pto_ide::{Document, HintKind};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

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

    fn place<'s>(&'s self, uri: &DocumentUri, position: LspPosition) -> Result<AskedPlace<'s>, Refusal> {
        let file = self.file(uri)?;
        let document = file.document();
        let places = Places::of(document, self.abilities.encoding);
        let at = places.byte(position);
        Ok(AskedPlace { file, document, places, at })
    }

    fn asked<'s>(&'s self, params: &PositionParams) -> Result<AskedPlace<'s>, Refusal> {
        self.place(&params.text_document.uri, params.position)
    }

    fn whole<'s>(&'s self, file: &TextDocumentId) -> Result<AskedPlace<'s>, Refusal> {
        self.place(&file.uri, LspPosition::default())
    }

    fn hover(&self, params: &PositionParams) -> Result<Option<Hover>, Refusal> {
        let asked = self.asked(params)?;
        let card = asked.document.hover(asked.at);
        Ok(card
            .map(|card| Hover { contents: MarkupText::markdown(card.markdown), range: asked.places.range(card.span) }))
    }

    fn completion(&self, params: &PositionParams) -> Result<CompletionList, Refusal> {
        let asked = self.asked(params)?;
        let snippets = self.abilities.snippets;
        let items = asked.document.completions(asked.at).into_iter().enumerate().map(|(n, item)| {
            let snippet = item.snippet.filter(|_| snippets);
            let format = snippet.as_ref().map(|_| CompletionItem::SNIPPET);
            let range = asked.places.range(item.replaces);
            let new_text = snippet.unwrap_or_else(|| item.label.clone());
            CompletionItem {
                kind: completion_kind(item.kind),
                detail: item.detail,
                sort_text: format!("{n:05}"),
                filter_text: Some(item.filter).filter(|f| *f != item.label),
                insert_text_format: format,
                text_edit: LspEdit { range, new_text },
                label: item.label,
            }
        });
        Ok(CompletionList { is_incomplete: false, items: items.collect() })
    }

    fn signature(&self, params: &PositionParams) -> Result<Option<SignatureHelp>, Refusal> {
        let asked = self.asked(params)?;
        let Some(card) = asked.document.signature(asked.at) else { return Ok(None) };
        let parameter = |(range, about): &(std::ops::Range<u32>, String)| {
            let units = |to: u32| card.label[..to as usize].encode_utf16().count() as u32;
            ParameterInformation { label: [units(range.start), units(range.end)], documentation: about.clone() }
        };
        let parameters = card.parameters.iter().map(parameter).collect();
        let active = card.active.map(|n| n as u32);
        let signature = SignatureInformation {
            documentation: MarkupText::markdown(card.summary),
            parameters,
            active_parameter: active,
            label: card.label,
        };
        Ok(Some(SignatureHelp { signatures: vec![signature], active_signature: 0, active_parameter: active }))
    }

    /// The definition of a name; elsewhere the line of the file that the statement was made from.
    fn definition(&self, params: &PositionParams) -> Result<Option<LspLocation>, Refusal> {
        let asked = self.asked(params)?;
        if let Some(span) = asked.document.definition(asked.at) {
            return Ok(Some(asked.places.location(&asked.file.uri, span)));
        }
        let Some(origin) = asked.document.origin(asked.at) else { return Ok(None) };
        let path = self.workspace.find(&origin.file, asked.file.path().as_deref());
        let uri = path.and_then(|path| super::files::uri_of(&path));
        let at = LspPosition { line: origin.line.saturating_sub(1), character: origin.column.saturating_sub(1) };
        Ok(uri.map(|uri| LspLocation { uri, range: LspRange { start: at, end: at } }))
    }

    fn references(&self, params: &ReferenceParams) -> Result<Vec<LspLocation>, Refusal> {
        let asked = self.place(&params.text_document.uri, params.position)?;
        let definition = asked.document.definition(asked.at);
        let spans = asked.document.references(asked.at).into_iter();
        let kept = spans.filter(|span| params.context.include_declaration || Some(*span) != definition);
        Ok(kept.map(|span| asked.places.location(&asked.file.uri, span)).collect())
    }

    fn highlights(&self, params: &PositionParams) -> Result<Vec<DocumentHighlight>, Refusal> {
        let asked = self.asked(params)?;
        let spans = asked.document.references(asked.at).into_iter();
        Ok(spans.map(|span| DocumentHighlight { range: asked.places.range(span) }).collect())
    }

    fn tokens(&self, params: &DocumentParams) -> Result<SemanticTokens, Refusal> {
        let asked = self.whole(&params.text_document)?;
        let data = semantic_tokens(&asked.places, &asked.document.semantic_tokens(None));
        Ok(SemanticTokens { data })
    }

    fn tokens_in(&self, params: &DocumentRangeParams) -> Result<SemanticTokens, Refusal> {
        let asked = self.whole(&params.text_document)?;
        let span = asked.places.span(params.range);
        let data = semantic_tokens(&asked.places, &asked.document.semantic_tokens(Some(span)));
        Ok(SemanticTokens { data })
    }

    fn inlay_hints(&self, params: &DocumentRangeParams) -> Result<Vec<InlayHint>, Refusal> {
        let asked = self.whole(&params.text_document)?;
        let span = asked.places.span(params.range);
        let hints = asked.document.hints(Some(span)).into_iter();
        let kept = hints.filter(|hint| self.settings.hints.contains(&hint.kind));
        let hint = |hint: pto_ide::InlineHint| InlayHint {
            position: asked.places.position(hint.at),
            label: hint.label,
            kind: (hint.kind == HintKind::Type).then_some(InlayHint::TYPE),
            padding_left: hint.kind != HintKind::Type,
        };
        Ok(kept.map(hint).collect())
    }

    /// The text of a file of bytecode.
    fn text_of(&self, params: &DocumentParams) -> Result<Value, Refusal> {
        let failed = |why: String| Refusal::new(ErrorCode::RequestFailed, why);
        let uri = &params.text_document.uri;
        let path = super::files::path_of(uri);
        let path = path.ok_or_else(|| failed(text!("{uri} is not a file", uri = uri.as_str())))?;
        let bytes = std::fs::read(&path).map_err(|e| failed(e.to_string()))?;
        let text = pto::text_of_bytecode(&bytes).map_err(|e| failed(e.to_string()))?;
        Ok(json!({ "text": text }))
    }
}

/// Adds the page of an operation to an item of [`LanguageServer::completion`].
fn resolve(mut item: Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
    let missing = || Refusal::new(ErrorCode::InvalidParams, "missing field `label`");
    let label = item.get("label").and_then(Value::as_str).ok_or_else(missing)?;
    if let Some(page) = Document::page_of(label) {
        item.insert("documentation".to_string(), json!(MarkupText::markdown(page)));
    }
    Ok(item)
}

/// Reads parameters, and writes the answer.
fn answer<P: DeserializeOwned, R: Serialize>(params: Value, work: impl FnOnce(P) -> Result<R, Refusal>) -> LspAnswer {
    let wrong = |error: serde_json::Error| Refusal::new(ErrorCode::InvalidParams, error.to_string());
    let found = work(serde_json::from_value(params).map_err(wrong)?)?;
    serde_json::to_value(found).map_err(|error| Refusal::new(ErrorCode::InternalError, error.to_string()))
}
