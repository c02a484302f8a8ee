//! Symbols, folds and lenses.

use super::super::convert::{Places, symbol_kind};
use super::super::files::uri_of;
use super::super::loop_state::LanguageServer;
use super::super::protocol::{
    ActionCommand, CodeLens, DocumentParams, DocumentSymbol, DocumentUri, FoldingRange, LspLocation, SymbolParams,
    WorkspaceSymbol,
};
use super::super::refusal::Refusal;
use pto::isa::text;
use pto_ide::{Document, OutlineItem, OutlineKind};

/// The most symbols of a workspace that are answered with.
const MOST_SYMBOLS: usize = 1000;

impl LanguageServer {
    pub(super) fn document_symbols(&self, params: &DocumentParams) -> Result<Vec<DocumentSymbol>, Refusal> {
        let asked = self.whole(&params.text_document)?;
        Ok(asked.document.outline().iter().map(|item| symbol(&asked.places, item)).collect())
    }

    pub(super) fn folding(&self, params: &DocumentParams) -> Result<Vec<FoldingRange>, Refusal> {
        let asked = self.whole(&params.text_document)?;
        let fold = |fold: pto_ide::FoldRange| FoldingRange {
            start_line: fold.lines.0,
            end_line: fold.lines.1,
            kind: if fold.comment { "comment" } else { "region" },
        };
        Ok(asked.document.folds().into_iter().map(fold).collect())
    }

    /// Run, race and perf for every function.
    pub(super) fn lenses(&self, params: &DocumentParams) -> Result<Vec<CodeLens>, Refusal> {
        let asked = self.whole(&params.text_document)?;
        let mut lenses = Vec::new();
        for function in asked.document.runnables() {
            let range = asked.places.range(function.span);
            let verbs = [("pto.run", text!("run")), ("pto.race", text!("race")), ("pto.perf", text!("perf"))];
            lenses.extend(verbs.into_iter().map(|(command, title)| {
                let arguments = vec![asked.file.uri.as_str().into(), function.name.as_str().into()];
                CodeLens { range, command: ActionCommand { title: title.to_string(), command, arguments } }
            }));
        }
        Ok(lenses)
    }

    /// Functions and aliases whose names contain the letters of the query in order.
    pub(super) fn workspace_symbols(&mut self, params: &SymbolParams) -> Result<Vec<WorkspaceSymbol>, Refusal> {
        let encoding = self.abilities.encoding;
        let mut found = Vec::new();
        let mut add = |uri: &DocumentUri, document: &Document, items: Vec<OutlineItem>| {
            let places = Places::of(document, encoding);
            flat(items, &mut |item| {
                if found.len() < MOST_SYMBOLS && matches_query(&item.name, &params.query) {
                    found.push(workspace_symbol(uri, &places, item));
                }
            });
        };
        for file in self.files.values() {
            add(&file.uri, file.document(), file.document().outline());
        }
        let open: Vec<_> = self.files.values().filter_map(|file| file.path()).collect();
        self.workspace.outlines(
            |path| open.iter().any(|p| p == path),
            |path, document, items| {
                if let Some(uri) = uri_of(path) {
                    add(&uri, document, items);
                }
            },
        );
        Ok(found)
    }
}

fn symbol(places: &Places<'_>, item: &OutlineItem) -> DocumentSymbol {
    DocumentSymbol {
        name: item.name.clone(),
        detail: item.detail.clone(),
        kind: symbol_kind(item.kind),
        range: places.range(item.span),
        selection_range: places.range(item.name_span),
        children: item.children.iter().map(|child| symbol(places, child)).collect(),
    }
}

fn workspace_symbol(uri: &DocumentUri, places: &Places<'_>, item: &OutlineItem) -> WorkspaceSymbol {
    let location = LspLocation { uri: uri.clone(), range: places.range(item.name_span) };
    WorkspaceSymbol { name: item.name.clone(), kind: symbol_kind(item.kind), location }
}

/// Visits functions and aliases, those in modules too.
fn flat(items: Vec<OutlineItem>, visit: &mut dyn FnMut(&OutlineItem)) {
    for item in items {
        if matches!(item.kind, OutlineKind::Function | OutlineKind::Alias) {
            visit(&item);
        } else if item.kind == OutlineKind::Module {
            flat(item.children, visit);
        }
    }
}

/// True when a name has the letters of a query in order, in any case.
fn matches_query(name: &str, query: &str) -> bool {
    let mut letters = name.chars().flat_map(char::to_lowercase);
    query.chars().flat_map(char::to_lowercase).all(|wanted| letters.any(|c| c == wanted))
}
