//! What the editor tells: files that open, change, are saved and close; settings.

use super::jobs::{EditorJob, JobPurpose};
use super::loop_state::LanguageServer;
use super::open::OpenFile;
use super::protocol::{DidChangeParams, DidOpenParams, DocumentParams, PublishedDiagnostics, RequestId};
use serde::de::DeserializeOwned;
use serde_json::Value;

impl LanguageServer {
    /// Takes note of what the editor tells. What it tells wrongly is logged.
    pub(super) fn notified(&mut self, method: &str, params: Value) {
        match method {
            "textDocument/didOpen" => self.with(params, Self::opened),
            "textDocument/didChange" => self.with(params, Self::changed),
            "textDocument/didSave" => self.with(params, Self::saved),
            "textDocument/didClose" => self.with(params, Self::closed),
            "workspace/didChangeConfiguration" => match params.get("settings").filter(|s| s.is_object()) {
                Some(settings) => self.change_settings(&settings.clone()),
                None => self.ask_for_settings(),
            },
            "workspace/didChangeWorkspaceFolders" => self.workspace.change(&params),
            "$/cancelRequest" => self.cancelled(&params),
            _ => {}
        }
    }

    fn with<P: DeserializeOwned>(&mut self, params: Value, handle: fn(&mut Self, P)) {
        match serde_json::from_value(params) {
            Ok(params) => handle(self, params),
            Err(error) => self.log(error.to_string()),
        }
    }

    fn opened(&mut self, params: DidOpenParams) {
        let item = params.text_document;
        let name = item.uri.as_str().to_string();
        self.files.insert(name, OpenFile::new(item.uri, item.version, item.text, self.settings.target));
    }

    fn changed(&mut self, params: DidChangeParams) {
        let encoding = self.abilities.encoding;
        if let Some(file) = self.files.get_mut(params.text_document.uri.as_str()) {
            file.version = params.text_document.version;
            file.change(params.content_changes, encoding);
        }
    }

    fn closed(&mut self, params: DocumentParams) {
        let uri = params.text_document.uri;
        self.end_checks(uri.as_str());
        self.files.remove(uri.as_str());
        let nothing = PublishedDiagnostics { uri, diagnostics: Vec::new(), version: None };
        self.notify("textDocument/publishDiagnostics", nothing);
    }

    /// Looks for races and predicts cycles, unless the program has errors.
    fn saved(&mut self, params: DocumentParams) {
        let DocumentParams { text_document } = params;
        let uri = text_document.uri.as_str().to_string();
        self.end_checks(&uri);
        let settings = self.settings.clone();
        let Some(file) = self.files.get_mut(&uri) else { return };
        if file.document().diagnostics().iter().any(pto::Diagnostic::is_error) || file.document().runnables().is_empty()
        {
            return;
        }
        file.findings.clear();
        file.changed = true;
        let (version, text, target) = (file.version, file.text().to_string(), file.document().target());
        let checks = [("race", settings.race_on_save), ("perf", settings.perf_on_save)];
        for (command, _) in checks.into_iter().filter(|(_, wanted)| *wanted) {
            let arguments = [command, "-", "--json", "--target", target.name()].map(str::to_string);
            let purpose = JobPurpose::OnSave { command, uri: uri.clone(), version };
            self.start(purpose, &arguments, &text, Some(settings.seconds));
        }
    }

    /// Ends the checks of an earlier save.
    fn end_checks(&mut self, uri: &str) {
        let is_check = |job: &&EditorJob| matches!(&job.purpose, JobPurpose::OnSave { uri: of, .. } if of == uri);
        self.jobs.iter().filter(is_check).for_each(EditorJob::cancel);
    }

    /// Ends the command that a request started.
    fn cancelled(&mut self, params: &Value) {
        let id = params.get("id").and_then(RequestId::new);
        let waits =
            |job: &&EditorJob| matches!(&job.purpose, JobPurpose::Command { id: of, .. } if Some(of) == id.as_ref());
        self.jobs.iter().filter(waits).for_each(EditorJob::cancel);
    }
}
