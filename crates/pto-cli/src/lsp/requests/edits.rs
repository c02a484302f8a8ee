//! Changes of the text: new names, layout, fixes.

use super::super::loop_state::LanguageServer;
use super::super::open::RunFinding;
use super::super::refusal::Refusal;
use super::{AskedPlace, TextDocumentIdentifierParams};
use lsp_server::ErrorCode;
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionParams, Command, DocumentRangeFormattingParams, Range, RenameParams,
    TextDocumentPositionParams, TextEdit, WorkspaceEdit,
};
use pto::isa::sort::SharedSort;
use pto::isa::{Code, Span, text};
use pto::{Diagnostic, Target};
use pto_ide::{ActionKind, OfferedAction};
use std::collections::HashMap;

impl LanguageServer {
    pub(super) fn prepare_rename(&self, params: &TextDocumentPositionParams) -> Result<Option<Range>, Refusal> {
        let asked = self.asked(params)?;
        Ok(asked.document.renamable(asked.at).map(|span| asked.places.range(span)))
    }

    pub(super) fn rename(&self, params: &RenameParams) -> Result<WorkspaceEdit, Refusal> {
        let asked = self.asked(&params.text_document_position)?;
        let edits = asked.document.rename(asked.at, &params.new_name);
        let edits = edits.map_err(|why| Refusal::new(ErrorCode::RequestFailed, why))?;
        Ok(asked.workspace_edit(asked.places.edits(&edits)))
    }

    /// The lines that change; nothing for a text with errors, which the editor shows anyway.
    pub(super) fn formatting(&self, params: &TextDocumentIdentifierParams) -> Result<Option<Vec<TextEdit>>, Refusal> {
        let asked = self.whole(&params.text_document)?;
        Ok(asked.document.format().ok().map(|edits| asked.places.edits(&edits)))
    }

    pub(super) fn range_formatting(
        &self,
        params: &DocumentRangeFormattingParams,
    ) -> Result<Option<Vec<TextEdit>>, Refusal> {
        let asked = self.whole(&params.text_document)?;
        let span = asked.places.span(params.range);
        Ok(asked.document.format_range(span).ok().map(|edits| asked.places.edits(&edits)))
    }

    /// Fixes of problems in a range, and other forms of the program where they are asked for.
    pub(super) fn code_actions(&self, params: &CodeActionParams) -> Result<Vec<CodeAction>, Refusal> {
        let asked = self.whole(&params.text_document)?;
        let span = asked.places.span(params.range);
        let races = asked.file.findings.iter().filter_map(|finding| match finding {
            RunFinding::Race(diagnostic) => Some(diagnostic.clone()),
            RunFinding::Perf { .. } => None,
        });
        let races: Vec<Diagnostic> = races.collect();
        let wants = |kind: &CodeActionKind| {
            let within = |only: &CodeActionKind| {
                kind.as_str() == only.as_str() || kind.as_str().starts_with(&format!("{}.", only.as_str()))
            };
            params.context.only.as_ref().is_none_or(|list| list.is_empty() || list.iter().any(within))
        };
        let mut actions = Vec::new();
        if wants(&CodeActionKind::QUICKFIX) {
            actions.extend(asked.document.actions(span, &races));
        }
        // Rewriting takes the whole program through the passes, so an editor that asks at every movement gets none.
        if params.context.only.is_some() && wants(&CodeActionKind::REFACTOR_REWRITE) {
            actions.extend(asked.document.rewrites());
        }
        let mut answer: Vec<CodeAction> = actions.into_iter().map(|action| asked.code_action(action, &races)).collect();
        if wants(&CodeActionKind::QUICKFIX) {
            answer.extend(asked.explanations(span, &races));
        }
        Ok(answer)
    }
}

/// The command that explains a diagnostic.
fn explain(code: Code) -> CodeAction {
    let title = text!("explain {id}", id = code.id());
    let command = Command::new(title.clone(), "pto.explain".to_string(), Some(vec![code.id().into()]));
    CodeAction { title, kind: Some(CodeActionKind::QUICKFIX), command: Some(command), ..CodeAction::default() }
}

/// The command that checks all files for a target.
fn switch(target: Target) -> Command {
    let arguments = vec![target.name().into()];
    Command::new(text!("check for {target}", target), "pto.target".to_string(), Some(arguments))
}

impl AskedPlace<'_> {
    fn workspace_edit(&self, edits: Vec<TextEdit>) -> WorkspaceEdit {
        WorkspaceEdit { changes: Some(HashMap::from([(self.file.uri.clone(), edits)])), ..WorkspaceEdit::default() }
    }

    /// What the problems that a span touches mean, one entry for each code.
    fn explanations(&self, span: Span, races: &[Diagnostic]) -> Vec<CodeAction> {
        let problems = self.document.diagnostics().iter().chain(races);
        let touched = problems.filter(|d| d.primary.span.start <= span.end && d.primary.span.end >= span.start);
        let mut codes: Vec<Code> = touched.map(|d| d.code).collect();
        codes.shared_sort();
        codes.dedup();
        codes.into_iter().map(explain).collect()
    }

    fn code_action(&self, action: OfferedAction, races: &[Diagnostic]) -> CodeAction {
        let source = |d: &Diagnostic| if races.contains(d) { "pto race" } else { "pto" };
        let fixed = action.fixes.map(|d| vec![self.places.diagnostic(&self.file.uri, source(&d), &d)]);
        CodeAction {
            title: action.title,
            kind: Some(match action.kind {
                ActionKind::Fix => CodeActionKind::QUICKFIX,
                ActionKind::Rewrite => CodeActionKind::REFACTOR_REWRITE,
            }),
            diagnostics: fixed,
            edit: action.target.is_none().then(|| self.workspace_edit(self.places.edits(&action.edits))),
            command: action.target.map(switch),
            ..CodeAction::default()
        }
    }
}
