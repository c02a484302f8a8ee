//! The loop that takes messages, and what it knows.

use super::capabilities::{self, EditorAbilities, REFRESHES};
use super::convert::Places;
use super::files::file_name;
use super::findings;
use super::jobs::{EditorJob, JobEnd, JobPurpose};
use super::open::{OpenFile, RunFinding};
use super::refusal::{LspAnswer, Refusal};
use super::settings::Settings;
use super::workspace::Workspace;
use crossbeam_channel::{Receiver, Sender, select, unbounded};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{DiagnosticSeverity, PublishDiagnosticsParams, Uri};
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
    connection: Connection,
    pub(super) abilities: EditorAbilities,
    pub(super) settings: Settings,
    pub(super) files: OrdMap<String, OpenFile>,
    pub(super) workspace: Workspace,
    pub(super) jobs: Vec<EditorJob>,
    ends: (Sender<JobEnd>, Receiver<JobEnd>),
    /// Tiles of a large program were placed.
    planned: (Sender<()>, Receiver<()>),
    /// Messages that came and are not handled yet.
    queue: VecDeque<Message>,
    shut_down: bool,
    sent: i32,
}

impl LanguageServer {
    /// A server for an editor, and the answer to its first request.
    pub(super) fn new(connection: Connection, params: &Value) -> (Self, Value) {
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
            ends: unbounded(),
            planned: unbounded(),
            queue: VecDeque::new(),
            shut_down: false,
            sent: 0,
        };
        let answer = capabilities::answer(&abilities);
        (server, answer)
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Answers until the editor says that it is done; true if it said so in the order of the protocol.
    pub(super) fn serve(mut self) -> bool {
        self.ask_for_settings();
        loop {
            if self.queue.is_empty() {
                self.publish_changed();
                if !self.wait() {
                    break;
                }
            }
            self.queue.extend(self.connection.receiver.try_iter());
            let Some(message) = self.queue.pop_front() else { continue };
            if let Message::Notification(n) = &message
                && n.method == "exit"
            {
                break;
            }
            self.take(message);
        }
        self.jobs.iter().for_each(EditorJob::cancel);
        self.shut_down
    }

    /// Waits for a message or the end of a job; false when the editor is gone.
    fn wait(&mut self) -> bool {
        select! {
            recv(self.connection.receiver) -> message => match message {
                Ok(message) => self.queue.push_back(message),
                Err(_) => return false,
            },
            recv(self.ends.1) -> end => if let Ok(end) = end { self.job_ended(end) },
            recv(self.planned.1) -> _ => self.refresh(&REFRESHES[..1]),
        }
        true
    }

    /// Handles a message. A panic is a fault of this program; it ends the request and not the server.
    fn take(&mut self, message: Message) {
        match message {
            Message::Request(request) => {
                let id = request.id.clone();
                match catch_unwind(AssertUnwindSafe(|| self.answer(request))) {
                    Ok(Some(answer)) => self.respond(id, answer),
                    Ok(None) => {}
                    Err(_) => self.respond(id, Err(Refusal::new(ErrorCode::InternalError, internal()))),
                }
            }
            Message::Notification(notification) => {
                if catch_unwind(AssertUnwindSafe(|| self.notified(notification))).is_err() {
                    self.log(internal());
                }
            }
            Message::Response(response) => {
                if let Ok(settings) = response.response_result {
                    self.configured(&settings);
                }
            }
        }
    }

    /// The answer to a request; nothing if it comes later.
    fn answer(&mut self, request: Request) -> Option<LspAnswer> {
        let Request { id, method, params } = request;
        if method == "shutdown" {
            self.shut_down = true;
            return Some(Ok(Value::Null));
        }
        if self.shut_down {
            return Some(Err(Refusal::new(ErrorCode::InvalidRequest, "the server is shut down")));
        }
        if self.is_cancelled(&id) {
            return Some(Err(Refusal::new(ErrorCode::RequestCanceled, "cancelled")));
        }
        if method == "workspace/executeCommand" {
            return self.execute(id, &params);
        }
        if self.is_outdated(&method, &params) {
            return Some(Err(Refusal::new(ErrorCode::ContentModified, "the text has changed")));
        }
        Some(self.request(&method, params))
    }

    /// True when the editor does not want an answer any more.
    fn is_cancelled(&self, id: &RequestId) -> bool {
        let wanted = serde_json::to_value(id).unwrap_or_default();
        self.queue.iter().any(|message| match message {
            Message::Notification(n) => n.method == "$/cancelRequest" && n.params.get("id") == Some(&wanted),
            _ => false,
        })
    }

    /// True for a question about a whole file whose text has changed since: the editor will ask again.
    fn is_outdated(&self, method: &str, params: &Value) -> bool {
        const WHOLE: [&str; 4] = ["semanticTokens/full", "inlayHint", "foldingRange", "codeLens"];
        let uri = |params: &Value| params.pointer("/textDocument/uri").and_then(Value::as_str).map(str::to_string);
        let about = method.strip_prefix("textDocument/").filter(|m| WHOLE.contains(m)).and_then(|_| uri(params));
        about.is_some_and(|file| {
            self.queue.iter().any(|message| match message {
                Message::Notification(n) => {
                    n.method == "textDocument/didChange" && uri(&n.params).as_ref() == Some(&file)
                }
                _ => false,
            })
        })
    }

    pub(super) fn respond(&self, id: RequestId, answer: LspAnswer) {
        let response = match answer {
            Ok(value) => Response::new_ok(id, value),
            Err(Refusal { code, message }) => Response::new_err(id, code as i32, message),
        };
        // If the editor is gone, the loop ends at the next message.
        let _ = self.connection.sender.send(Message::Response(response));
    }

    pub(super) fn notify(&self, method: &str, params: impl Serialize) {
        let _ = self.connection.sender.send(Message::Notification(Notification::new(method.to_string(), params)));
    }

    fn send_request(&mut self, method: &str, params: impl Serialize) {
        self.sent += 1;
        let id = RequestId::from(self.sent);
        let _ = self.connection.sender.send(Message::Request(Request::new(id, method.to_string(), params)));
    }

    /// Writes to the log of the editor.
    pub(super) fn log(&self, message: impl Into<String>) {
        self.notify("window/logMessage", json!({ "type": 3, "message": message.into() }));
    }

    pub(super) fn file(&self, uri: &Uri) -> Result<&OpenFile, Refusal> {
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
            let planned = self.planned.0.clone();
            if let Some(file) = self.files.get_mut(&uri) {
                // If nobody listens, the server has ended.
                file.plan_ahead(move || planned.send(()).unwrap_or_default());
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
            RunFinding::Perf { span, message, bottleneck } => lsp_types::Diagnostic {
                range: places.range(*span),
                severity: Some(if *bottleneck { DiagnosticSeverity::INFORMATION } else { DiagnosticSeverity::HINT }),
                source: Some("pto perf".to_string()),
                message: message.clone(),
                ..Default::default()
            },
        }));
        let params = PublishDiagnosticsParams { uri: file.uri.clone(), diagnostics, version: Some(file.version) };
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
        match EditorJob::start(purpose, arguments, text, seconds, self.ends.0.clone()) {
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
                let answer = end.report.map(|report| Value::String(report.replace(STDIN, &file)));
                if let (Ok(report), true) = (&answer, self.settings.show_reports) {
                    self.notify("window/showMessage", json!({ "type": 3, "message": format!("{title}\n{report}") }));
                }
                self.respond(id, answer);
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
