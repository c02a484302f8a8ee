//! Programs that run in a process of their own: they may take long, and are ended when nobody waits for them any more.

use super::pipes::ServerEvent;
use super::protocol::{ErrorCode, RequestId};
use super::refusal::Refusal;
use pto::isa::text;
use pto::isa::text::language;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a job is for.
#[derive(Debug)]
pub(super) enum JobPurpose {
    /// A request waits for its report.
    Command { id: RequestId, title: String, file: String },
    /// A file was saved in this version.
    OnSave { command: &'static str, uri: String, version: i32 },
}

/// A process that works for the editor.
pub(super) struct EditorJob {
    number: u64,
    pub(super) purpose: JobPurpose,
    process: Arc<SharedProcess>,
}

struct SharedProcess {
    child: Mutex<Child>,
    cancelled: AtomicBool,
}

/// What came of a job.
pub(super) struct JobEnd {
    pub(super) number: u64,
    /// Everything that it wrote for people.
    pub(super) report: Result<String, Refusal>,
    /// What it wrote to standard output.
    pub(super) json: String,
}

impl EditorJob {
    /// Starts `pto` with arguments; the text of the program is its standard input.
    pub(super) fn start(
        purpose: JobPurpose,
        arguments: &[String],
        text: &str,
        seconds: Option<u64>,
        events: Sender<ServerEvent>,
    ) -> std::io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let piped = || Stdio::piped();
        let mut child = Command::new(program())
            .args(arguments)
            .args(["--lang", language().tag(), "--color", "never"])
            .stdin(piped())
            .stdout(piped())
            .stderr(piped())
            .spawn()?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let process = Arc::new(SharedProcess { child: Mutex::new(child), cancelled: AtomicBool::new(false) });
        let (shared, text) = (process.clone(), text.to_string());
        std::thread::spawn(move || {
            if let Some(mut stdin) = stdin {
                // A program that reads no input ends early; that is no error.
                std::thread::spawn(move || drop(stdin.write_all(text.as_bytes())));
            }
            let (out, err) = (collect(stdout), collect(stderr));
            let limit = Duration::from_secs(seconds.unwrap_or(u64::from(u32::MAX)));
            let (json, in_time) = match out.recv_timeout(limit) {
                Ok(text) => (text, true),
                Err(_) => (String::new(), false),
            };
            if !in_time {
                shared.end();
            }
            let errors = err.recv_timeout(Duration::from_secs(5)).unwrap_or_default();
            if let Ok(mut child) = shared.child.lock() {
                // It has ended, or was ended.
                let _ = child.wait();
            }
            let report = shared.report(in_time, &json, &errors);
            let _ = events.send(ServerEvent::JobEnded(JobEnd { number, report, json }));
        });
        Ok(Self { number, purpose, process })
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Ends the process.
    pub(super) fn cancel(&self) {
        self.process.cancelled.store(true, Ordering::Relaxed);
        self.process.end();
    }
}

impl SharedProcess {
    fn end(&self) {
        if let Ok(mut child) = self.child.lock() {
            // It may have ended by itself.
            let _ = child.kill();
        }
    }

    fn report(&self, in_time: bool, out: &str, errors: &str) -> Result<String, Refusal> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(Refusal::new(ErrorCode::RequestCancelled, "cancelled"));
        }
        if !in_time {
            return Err(Refusal::new(ErrorCode::RequestFailed, text!("it took too long")));
        }
        Ok(format!("{out}{errors}"))
    }
}

/// Reads everything on a thread of its own, so that no pipe fills up.
fn collect(pipe: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

/// This program; `pto` on the path where the process is an interpreter that runs it.
fn program() -> PathBuf {
    let own = std::env::current_exe().ok().filter(|path| path.file_stem().is_some_and(|name| name == "pto"));
    own.unwrap_or_else(|| PathBuf::from("pto"))
}
