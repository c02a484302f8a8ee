//! An editor that talks to `pto lsp`.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// No answer takes longer, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running server.
pub(super) struct Session {
    child: Child,
    stdin: Option<ChildStdin>,
    /// With the time when the last byte had come.
    messages: Receiver<(Value, Instant)>,
    arrived: Instant,
    /// Notifications and requests of the server that nobody waited for yet.
    kept: VecDeque<Value>,
    next: i64,
}

impl Session {
    pub(super) fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pto"))
            .arg("lsp")
            .env("LANG", "C")
            .env_remove("PTO_LANG")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut stdout) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Self { child, stdin, messages, arrived: Instant::now(), kept: VecDeque::new(), next: 1 }
    }

    pub(super) fn send(&mut self, message: &Value) {
        self.send_raw(&message.to_string());
    }

    pub(super) fn send_raw(&mut self, text: &str) {
        let stdin = self.stdin.as_mut().expect("open");
        write!(stdin, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
        stdin.flush().expect("the server reads");
    }

    pub(super) fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request without waiting for its answer; its number.
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> i64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Sends a request; its result, or its error.
    pub(super) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.ask(method, params);
        self.answer_to(id)
    }

    pub(super) fn answer_to(&mut self, id: i64) -> Value {
        let is_answer = |m: &Value| m.get("id") == Some(&json!(id)) && m.get("method").is_none();
        let mut answer = self.find(is_answer);
        let part = if answer.get("error").is_some() { "error" } else { "result" };
        answer[part].take()
    }

    /// The parameters of the next notification or request of a name.
    pub(super) fn wait(&mut self, method: &str) -> Value {
        let mut message = self.find(|m| m.get("method") == Some(&json!(method)));
        if let Some(id) = message.get("id") {
            self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": null }));
        }
        message["params"].take()
    }

    fn find(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.kept.iter().position(&wanted) {
            return self.kept.remove(at).expect("found");
        }
        loop {
            let (message, arrived) = self.messages.recv_timeout(PATIENCE).expect("the server answers");
            self.arrived = arrived;
            if wanted(&message) {
                return message;
            }
            self.kept.push_back(message);
        }
    }

    /// When the last message that was waited for had come; what is done to read it is not the server's.
    #[allow(dead_code, reason = "a bench asks")]
    pub(super) fn arrived(&self) -> Instant {
        self.arrived
    }

    pub(super) fn initialize(&mut self, params: &Value) -> Value {
        let answer = self.request("initialize", params);
        self.notify("initialized", &json!({}));
        answer
    }

    /// Ends the server in the order of the protocol; its exit code.
    pub(super) fn end(mut self) -> Option<i32> {
        self.request("shutdown", &Value::Null);
        self.notify("exit", &Value::Null);
        self.stdin = None;
        self.child.wait().expect("the server ends").code()
    }
}

/// A message, and when its last byte had come.
fn read(stdout: &mut impl BufRead) -> Option<(Value, Instant)> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stdout.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some(n) = line.strip_prefix("Content-Length: ") {
            length = n.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    stdout.read_exact(&mut body).ok()?;
    let arrived = Instant::now();
    Some((serde_json::from_slice(&body).ok()?, arrived))
}
