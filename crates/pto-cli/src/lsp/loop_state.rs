//! The loop that takes messages, and what it knows.

use super::capabilities::{self, EditorAbilities, REFRESHES};
use super::convert::Places;
use super::files::file_name;
use super::findings;
use super::jobs::{EditorJob, JobEnd, JobPurpose};
use super::open::{OpenFile, RunFinding};
use super::pipes::{EditorConnection, ServerEvent};
use super::protocol::{
    DocumentUri, EditorMessage, ErrorCode, LspDiagnostic, LspSeverity, PublishedDiagnostics, RequestId, ServerMessage,
};
use super::refusal::{LspAnswer, Refusal};
use super::settings::Settings;
use super::workspace::Workspace;
use pto::isa::ordered::OrdMap;
use pto::isa::text;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The most problems that are published for a file: editors become slow with more.
const MOST_PROBLEMS: usize = 500;

/// The name of standard input in reports, which is how a job gets the text of a file.
const STDIN: &str = "<stdin>";

/// The server: open files, settings, and programs that run.
pub(super) struct LanguageServer {
    connection: EditorConnection,
    pub(super) abilities: EditorAbilities,
    pub(super) settings: Settings,
    pub(super) files: OrdMap<String, OpenFile>,
    pub(super) workspace: Workspace,
    pub(super) jobs: Vec<EditorJob>,
    /// What came and is not handled yet.
    queue: VecDeque<ServerEvent>,
    shut_down: bool,
    sent: i32,
}

impl LanguageServer {
    /// A server for an editor, and the answer to its first request.
    pub(super) fn new(connection: EditorConnection, params: &Value) -> (Self, Value) {
        let abilities = EditorAbilities::new(params);
        let mut settings = Settings::default();
        settings.update(params.get("initializationOptions").unwrap_or(&Value::Null));
        let server = Self {
            connection,
            abilities,
            settings,
            files: OrdMap::new(),
            workspace: Workspace::new(params),
            jobs: Vec::new(),
            queue: VecDeque::new(),
            shut_down: false,
            sent: 0,
        };
        let answer = capabilities::answer(&abilities);
        (server, answer)
    }

    pub(super) fn connection(&self) -> &EditorConnection {
        &self.connection
    }

    /// Answers until the editor says that it is done; true if it said so in the order of the protocol.
    pub(super) fn serve(mut self) -> bool {
        self.ask_for_settings();
        loop {
            if self.queue.is_empty() {
                self.publish_changed();
                self.queue.extend(self.connection.events.recv());
            }
            self.queue.extend(self.connection.events.try_iter());
            match self.queue.pop_front() {
                Some(ServerEvent::Message(message)) if message.notification() == Some("exit") => break,
                Some(ServerEvent::Message(message)) => self.take(message),
                Some(ServerEvent::JobEnded(end)) => self.job_ended(end),
                Some(ServerEvent::Planned) => self.refresh(&REFRESHES[..1]),
                Some(ServerEvent::InputEnded) | None => break,
            }
        }
        self.jobs.iter().for_each(EditorJob::cancel);
        self.shut_down
    }

    /// Handles a message. A panic is a fault of this program; it ends the request and not the server.
    fn take(&mut self, message: EditorMessage) {
        match message {
            EditorMessage::Request { id, method, params } => {
                match catch_unwind(AssertUnwindSafe(|| self.answer(&id, &method, params))) {
                    Ok(Some(answer)) => self.respond(id, answer),
                    Ok(None) => {}
                    Err(_) => self.respond(id, Err(Refusal::new(ErrorCode::InternalError, internal()))),
                }
            }
            EditorMessage::Notification { method, params } => {
                if catch_unwind(AssertUnwindSafe(|| self.notified(&method, params))).is_err() {
                    self.log(internal());
                }
            }
            EditorMessage::Response(settings) => {
                if let Some(settings) = settings {
                    self.configured(&settings);
                }
            }
        }
    }

    /// The answer to a request; nothing if it comes later.
    fn answer(&mut self, id: &RequestId, method: &str, params: Value) -> Option<LspAnswer> {
        if method == "shutdown" {
            self.shut_down = true;
            return Some(Ok(Value::Null));
        }
        if self.shut_down {
            return Some(Err(Refusal::new(ErrorCode::InvalidRequest, "the server is shut down")));
        }
        if self.is_cancelled(id) {
            return Some(Err(Refusal::new(ErrorCode::RequestCancelled, "cancelled")));
        }
        if method == "workspace/executeCommand" {
            return self.execute(id.clone(), &params);
        }
        if self.is_outdated(method, &params) {
            return Some(Err(Refusal::new(ErrorCode::ContentModified, "the text has changed")));
        }
        Some(self.request(method, params))
    }

    /// True when the editor does not want an answer any more.
    fn is_cancelled(&self, id: &RequestId) -> bool {
        self.told("$/cancelRequest").any(|params| params.get("id").and_then(RequestId::new).as_ref() == Some(id))
    }

    /// The parameters of notifications that wait.
    fn told<'s>(&'s self, wanted: &'s str) -> impl Iterator<Item = &'s Value> {
        self.queue.iter().filter_map(move |event| match event {
            ServerEvent::Message(EditorMessage::Notification { method, params }) if method == wanted => Some(params),
            _ => None,
        })
    }

    /// True for a question about a whole file whose text has changed since: the editor will ask again.
    fn is_outdated(&self, method: &str, params: &Value) -> bool {
        const WHOLE: [&str; 4] = ["semanticTokens/full", "inlayHint", "foldingRange", "codeLens"];
        let uri = |params: &Value| params.pointer("/textDocument/uri").and_then(Value::as_str).map(str::to_string);
        let about = method.strip_prefix("textDocument/").filter(|m| WHOLE.contains(m)).and_then(|_| uri(params));
        about.is_some_and(|file| self.told("textDocument/didChange").any(|change| uri(change).as_ref() == Some(&file)))
    }

    pub(super) fn respond(&self, id: RequestId, answer: LspAnswer) {
        self.send(match answer {
            Ok(value) => ServerMessage::result(id, value),
            Err(Refusal { code, message }) => ServerMessage::error(id, code, message),
        });
    }

    fn send(&self, message: ServerMessage) {
        // If the editor is gone, the loop ends at the next message.
        let _ = self.connection.sender.send(message);
    }

    pub(super) fn notify(&self, method: &str, params: impl Serialize) {
        self.send(ServerMessage::notification(method, json!(params)));
    }

    fn send_request(&mut self, method: &str, params: Value) {
        self.sent += 1;
        self.send(ServerMessage::request(self.sent, method, params));
    }

    /// Writes to the log of the editor.
    pub(super) fn log(&self, message: impl Into<String>) {
        self.notify("window/logMessage", json!({ "type": 3, "message": message.into() }));
    }

    pub(super) fn file(&self, uri: &DocumentUri) -> Result<&OpenFile, Refusal> {
        let missing = || Refusal::new(ErrorCode::InvalidParams, text!("{file} is not open", file = uri.as_str()));
        self.files.get(uri.as_str()).ok_or_else(missing)
    }

    /// Settings that the editor keeps, if it can be asked.
    pub(super) fn ask_for_settings(&mut self) {
        if self.abilities.configuration {
            self.send_request("workspace/configuration", json!({ "items": [{ "section": "pto" }] }));
        }
    }

    /// The answer to [`Self::ask_for_settings`]; other requests have none that matters.
    fn configured(&mut self, answer: &Value) {
        if let Some(settings) = answer.as_array().and_then(|list| list.first()).filter(|s| s.is_object()) {
            self.change_settings(&settings.clone());
        }
    }

    pub(super) fn change_settings(&mut self, json: &Value) {
        let before = self.settings.clone();
        self.settings.update(json);
        if before != self.settings {
            self.apply_settings();
        }
    }

    /// Files are read for the target of the settings; the editor asks again for what it shows.
    pub(super) fn apply_settings(&mut self) {
        let target = self.settings.target;
        self.files.values_mut().for_each(|file| file.set_target(target));
        self.refresh(&REFRESHES);
    }

    /// Asks the editor to ask again, if it can.
    fn refresh(&mut self, methods: &[&str]) {
        let able: Vec<&str> =
            methods.iter().zip(self.abilities.refresh).filter(|(_, able)| *able).map(|(m, _)| *m).collect();
        able.into_iter().for_each(|method| self.send_request(method, Value::Null));
    }

    // ---- diagnostics -------------------------------------------------------------------------------------------

    /// Publishes the problems of all files that changed.
    fn publish_changed(&mut self) {
        let changed: Vec<String> = self.files.iter().filter(|(_, f)| f.changed).map(|(uri, _)| uri.clone()).collect();
        for uri in changed {
            let Some(file) = self.files.get_mut(&uri) else { continue };
            file.changed = false;
            if catch_unwind(AssertUnwindSafe(|| self.publish(&uri))).is_err() {
                self.log(internal());
                continue;
            }
            let tell = self.connection.tell.clone();
            if let Some(file) = self.files.get_mut(&uri) {
                // If nobody listens, the server has ended.
                file.plan_ahead(move || tell.send(ServerEvent::Planned).unwrap_or_default());
            }
        }
    }

    fn publish(&self, uri: &str) {
        let Some(file) = self.files.get(uri) else { return };
        let document = file.document();
        let places = Places::of(document, self.abilities.encoding);
        let problems = document.diagnostics().iter().take(MOST_PROBLEMS);
        let mut diagnostics: Vec<_> = problems.map(|d| places.diagnostic(&file.uri, "pto", d)).collect();
        diagnostics.extend(file.findings.iter().map(|finding| match finding {
            RunFinding::Race(d) => places.diagnostic(&file.uri, "pto race", d),
            RunFinding::Perf { span, message, bottleneck } => LspDiagnostic {
                range: places.range(*span),
                severity: if *bottleneck { LspSeverity::INFORMATION } else { LspSeverity::HINT },
                code: None,
                source: "pto perf",
                message: message.clone(),
                related_information: Vec::new(),
            },
        }));
        let params = PublishedDiagnostics { uri: file.uri.clone(), diagnostics, version: Some(file.version) };
        self.notify("textDocument/publishDiagnostics", params);
    }

    // ---- jobs --------------------------------------------------------------------------------------------------

    /// Starts a job; `None` if the program cannot be started.
    pub(super) fn start(
        &mut self,
        purpose: JobPurpose,
        arguments: &[String],
        text: &str,
        seconds: Option<u64>,
    ) -> bool {
        match EditorJob::start(purpose, arguments, text, seconds, self.connection.tell.clone()) {
            Ok(job) => {
                self.jobs.push(job);
                true
            }
            Err(error) => {
                self.log(text!("cannot start pto: {error}", error));
                false
            }
        }
    }

    fn job_ended(&mut self, end: JobEnd) {
        let Some(at) = self.jobs.iter().position(|job| job.number() == end.number) else { return };
        let job = self.jobs.swap_remove(at);
        match job.purpose {
            JobPurpose::Command { id, title, file } => {
                let report = end.report.map(|report| report.replace(STDIN, &file));
                if let (Ok(report), true) = (&report, self.settings.show_reports) {
                    self.notify("window/showMessage", json!({ "type": 3, "message": format!("{title}\n{report}") }));
                }
                self.respond(id, report.map(Value::String));
            }
            JobPurpose::OnSave { command, uri, version } => {
                let Ok(report) = end.report else { return };
                let Some(file) = self.files.get_mut(&uri).filter(|f| f.version == version) else { return };
                let json = end.json.replace(STDIN, &file_name(&uri));
                match findings::read(command, file.text(), &json) {
                    Some(found) => {
                        file.findings.extend(found);
                        file.changed = true;
                    }
                    None => self.log(format!("pto {command}: {report}")),
                }
            }
        }
    }
}

fn internal() -> &'static str {
    text!("a fault of pto itself; please report it with the text of the file")
}
