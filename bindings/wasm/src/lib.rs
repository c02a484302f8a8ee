//! `pto` in a browser: the module that `playground` loads in a worker.
//!
//! A [`PageSession`] answers requests in JSON. Most of them are commands of `pto`, executed on files in memory, so that the page shows
//! what the command line shows; arrays come and go as `.npy` files. What the editor asks goes to `pto-ide`. The functions that JavaScript calls are in `abi`: there is no
//! generated glue.

#[cfg(target_family = "wasm")]
pub mod abi;
mod ide;

use ide::EditorQuestion;
use pto::Target;
use pto_cli::{MemoryFiles, execute_in_memory};
use serde_json::{Value as Json, json};

/// Files, and the answers to requests about them.
#[derive(Debug, Default)]
pub struct PageSession {
    files: MemoryFiles,
}

impl PageSession {
    /// A session without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stores a file; programs and arrays that commands name.
    pub fn put(&mut self, name: &str, bytes: Vec<u8>) {
        self.files.insert(name.to_string(), bytes);
    }

    /// Takes a file away.
    pub fn take(&mut self, name: &str) -> Option<Vec<u8>> {
        self.files.remove(name)
    }

    /// Answers a request; both are JSON objects. A request that cannot be understood is answered with `error`.
    ///
    /// ```
    /// let mut session = pto_wasm::PageSession::new();
    /// session.put("k.pto", b"func.func @f() { pto.tmux return }".to_vec());
    /// let answer = session.call(r#"{"command": ["check", "k.pto", "--json"]}"#);
    /// assert!(answer.contains("PTO-E0004"));
    /// ```
    pub fn call(&mut self, request: &str) -> String {
        let answer = match serde_json::from_str::<Json>(request) {
            Ok(request) => self.answer(&request),
            Err(e) => json!({ "error": e.to_string() }),
        };
        answer.to_string()
    }

    fn answer(&mut self, request: &Json) -> Json {
        let words = request["command"].as_array().map(|all| all.iter().filter_map(Json::as_str).collect::<Vec<_>>());
        match (words, request["ide"].as_str()) {
            (Some(words), _) => self.execute(&words),
            (None, Some(what)) => ide::answer(&EditorQuestion {
                what,
                text: request["text"].as_str().unwrap_or_default(),
                target: request["target"].as_str().and_then(Target::parse),
                at: request["at"].as_u64().and_then(|at| u32::try_from(at).ok()).unwrap_or(0),
            }),
            (None, None) => json!({ "error": "a request has a `command` or a question for `ide`" }),
        }
    }

    /// Executes a command of `pto`.
    fn execute(&mut self, words: &[&str]) -> Json {
        let args: Vec<&str> = std::iter::once("pto").chain(words.iter().copied()).collect();
        let done = execute_in_memory(&args, std::mem::take(&mut self.files));
        self.files = done.files;
        json!({ "code": done.code, "stdout": done.stdout, "stderr": done.stderr })
    }
}

#[cfg(test)]
mod tests;
