//! Changes of the text: new names, layout, fixes.

use super::super::loop_state::LanguageServer;
use super::super::open::RunFinding;
use super::super::protocol::{
    ActionCommand, CodeActionParams, DocumentParams, DocumentRangeParams, ErrorCode, LspCodeAction, LspEdit, LspRange,
    PositionParams, RenameParams, WorkspaceEdit, action_kind,
};
use super::super::refusal::Refusal;
use super::AskedPlace;
use pto::isa::sort::SharedSort;
use pto::isa::{Code, Span, text};
use pto::{Diagnostic, Target};
use pto_ide::{ActionKind, OfferedAction};
use std::collections::HashMap;

impl LanguageServer {
    pub(super) fn prepare_rename(&self, params: &PositionParams) -> Result<Option<LspRange>, Refusal> {
        let asked = self.asked(params)?;
        Ok(asked.document.renamable(asked.at).map(|span| asked.places.range(span)))
    }

    pub(super) fn rename(&self, params: &RenameParams) -> Result<WorkspaceEdit, Refusal> {
        let asked = self.place(&params.text_document.uri, params.position)?;
        let edits = asked.document.rename(asked.at, &params.new_name);
        let edits = edits.map_err(|why| Refusal::new(ErrorCode::RequestFailed, why))?;
        Ok(asked.workspace_edit(asked.places.edits(&edits)))
    }

    /// The lines that change; nothing for a text with errors, which the editor shows anyway.
    pub(super) fn formatting(&self, params: &DocumentParams) -> Result<Option<Vec<LspEdit>>, Refusal> {
        let asked = self.whole(&params.text_document)?;
        Ok(asked.document.format().ok().map(|edits| asked.places.edits(&edits)))
    }

    pub(super) fn range_formatting(&self, params: &DocumentRangeParams) -> Result<Option<Vec<LspEdit>>, Refusal> {
        let asked = self.whole(&params.text_document)?;
        let span = asked.places.span(params.range);
        Ok(asked.document.format_range(span).ok().map(|edits| asked.places.edits(&edits)))
    }

    /// Fixes of problems in a range, and other forms of the program where they are asked for.
    pub(super) fn code_actions(&self, params: &CodeActionParams) -> Result<Vec<LspCodeAction>, Refusal> {
        let asked = self.whole(&params.text_document)?;
        let span = asked.places.span(params.range);
        let races = asked.file.findings.iter().filter_map(|finding| match finding {
            RunFinding::Race(diagnostic) => Some(diagnostic.clone()),
            RunFinding::Perf { .. } => None,
        });
        let races: Vec<Diagnostic> = races.collect();
        let wants = |kind: &str| {
            let within = |only: &String| kind == only || kind.starts_with(&format!("{only}."));
            params.context.only.as_ref().is_none_or(|list| list.is_empty() || list.iter().any(within))
        };
        let mut actions = Vec::new();
        if wants(action_kind::QUICK_FIX) {
            actions.extend(asked.document.actions(span, &races));
        }
        // Rewriting takes the whole program through the passes, so an editor that asks at every movement gets none.
        if params.context.only.is_some() && wants(action_kind::REWRITE) {
            actions.extend(asked.document.rewrites());
        }
        let mut answer: Vec<LspCodeAction> =
            actions.into_iter().map(|action| asked.code_action(action, &races)).collect();
        if wants(action_kind::QUICK_FIX) {
            answer.extend(asked.explanations(span, &races));
        }
        Ok(answer)
    }
}

/// The command that explains a diagnostic.
fn explain(code: Code) -> LspCodeAction {
    let title = text!("explain {id}", id = code.id());
    let command = ActionCommand { title: title.clone(), command: "pto.explain", arguments: vec![code.id().into()] };
    LspCodeAction { title, kind: action_kind::QUICK_FIX, diagnostics: None, edit: None, command: Some(command) }
}

/// The command that checks all files for a target.
fn switch(target: Target) -> ActionCommand {
    let arguments = vec![target.name().into()];
    ActionCommand { title: text!("check for {target}", target), command: "pto.target", arguments }
}

impl AskedPlace<'_> {
    fn workspace_edit(&self, edits: Vec<LspEdit>) -> WorkspaceEdit {
        WorkspaceEdit { changes: HashMap::from([(self.file.uri.clone(), edits)]) }
    }

    /// What the problems that a span touches mean, one entry for each code.
    fn explanations(&self, span: Span, races: &[Diagnostic]) -> Vec<LspCodeAction> {
        let problems = self.document.diagnostics().iter().chain(races);
        let touched = problems.filter(|d| d.primary.span.start <= span.end && d.primary.span.end >= span.start);
        let mut codes: Vec<Code> = touched.map(|d| d.code).collect();
        codes.shared_sort();
        codes.dedup();
        codes.into_iter().map(explain).collect()
    }

    fn code_action(&self, action: OfferedAction, races: &[Diagnostic]) -> LspCodeAction {
        let source = |d: &Diagnostic| if races.contains(d) { "pto race" } else { "pto" };
        let fixed = action.fixes.map(|d| vec![self.places.diagnostic(&self.file.uri, source(&d), &d)]);
        LspCodeAction {
            title: action.title,
            kind: match action.kind {
                ActionKind::Fix => action_kind::QUICK_FIX,
                ActionKind::Rewrite => action_kind::REWRITE,
            },
            diagnostics: fixed,
            edit: action.target.is_none().then(|| self.workspace_edit(self.places.edits(&action.edits))),
            command: action.target.map(switch),
        }
    }
}
