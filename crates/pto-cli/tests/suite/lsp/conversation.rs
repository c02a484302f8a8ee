//! Holds a recorded conversation; the format is in the documentation of the module above.

use super::session::Session;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;
use tempfile::TempDir;

/// The most values of a list that an answer shows.
const SHOWN: usize = 30;

pub(super) struct Conversation {
    session: Option<Session>,
    dir: TempDir,
    /// The texts of open files, and their versions.
    open: HashMap<String, (String, i32)>,
    out: String,
}

impl Conversation {
    /// The conversation with the answers that the server gives now.
    pub(super) fn hold(recorded: &str) -> String {
        let dir = tempfile::tempdir().expect("a directory");
        let mut this = Self { session: None, dir, open: HashMap::new(), out: String::new() };
        let lines: Vec<&str> = recorded.lines().filter(|l| !l.starts_with('<')).collect();
        let mut rest = &lines[..];
        while let [line, after @ ..] = rest {
            this.out += &format!("{line}\n");
            let length = after.iter().take_while(|l| l.starts_with('|')).count();
            let (text, next) = after.split_at(length);
            text.iter().for_each(|l| this.out += &format!("{l}\n"));
            let text: String =
                text.iter().map(|l| l[1..].strip_prefix(' ').unwrap_or(&l[1..]).to_string() + "\n").collect();
            if let Some(step) = line.strip_prefix("> ") {
                this.step(step, &text);
            }
            rest = next;
        }
        if let Some(session) = this.session.take() {
            assert_eq!(session.end(), Some(0));
        }
        this.out
    }

    fn step(&mut self, step: &str, text: &str) {
        let (verb, rest) = step.split_once(' ').unwrap_or((step, ""));
        match verb {
            "write" => std::fs::write(self.dir.path().join(rest), text).expect("a file"),
            "copy" => self.copy(rest),
            "bytecode" => self.bytecode(rest),
            "initialize" => self.initialize(rest),
            "open" => self.open(rest),
            "change" => self.change(rest),
            "save" => self.notify("textDocument/didSave", &json!({ "textDocument": { "uri": self.uri(rest) } })),
            "close" => self.notify("textDocument/didClose", &json!({ "textDocument": { "uri": self.uri(rest) } })),
            "notify" => {
                let (method, params) = rest.split_once(' ').expect("a method and parameters");
                self.notify(method, &serde_json::from_str(params).expect("JSON"));
            }
            "wait" => {
                let (method, show) = rest.split_once(" show ").map_or((rest, None), |(m, s)| (m, Some(s)));
                let params = self.session().wait(method);
                self.answer(params, show);
            }
            "request" => self.request(rest),
            other => panic!("there is no step `{other}`"),
        }
    }

    fn uri(&self, name: &str) -> String {
        format!("file://{}/{name}", self.dir.path().display())
    }

    fn session(&mut self) -> &mut Session {
        if self.session.is_none() {
            let snippets = json!({ "completion": { "completionItem": { "snippetSupport": true } } });
            self.start(&json!({ "capabilities": { "textDocument": snippets } }));
        }
        self.session.as_mut().expect("started")
    }

    fn start(&mut self, params: &Value) -> Value {
        let mut params = params.clone();
        params["workspaceFolders"] = json!([{ "uri": format!("file://{}", self.dir.path().display()), "name": "w" }]);
        let session = self.session.insert(Session::start());
        session.initialize(&params)
    }

    fn initialize(&mut self, rest: &str) {
        let (params, show) = rest.split_once(" show ").map_or((rest, None), |(p, s)| (p, Some(s)));
        let answer = self.start(&serde_json::from_str(params).expect("JSON"));
        self.answer(answer, show);
    }

    fn copy(&mut self, rest: &str) {
        let (name, path) = rest.split_once(' ').expect("a name and a path");
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        std::fs::copy(root.join(path), self.dir.path().join(name)).expect("a file of the repository");
    }

    /// Writes a program as bytecode.
    fn bytecode(&mut self, rest: &str) {
        let (name, program) = rest.split_once(' ').expect("two names");
        let text = std::fs::read_to_string(self.dir.path().join(program)).expect("a program");
        let bytes = pto::Program::parse(&text).to_bytecode().expect("bytecode can hold it");
        std::fs::write(self.dir.path().join(name), bytes).expect("a file");
    }

    fn open(&mut self, name: &str) {
        let text = std::fs::read_to_string(self.dir.path().join(name)).expect("a file that was written");
        self.open.insert(name.to_string(), (text.clone(), 1));
        let file = json!({ "uri": self.uri(name), "languageId": "pto", "version": 1, "text": text });
        self.notify("textDocument/didOpen", &json!({ "textDocument": file }));
    }

    fn change(&mut self, rest: &str) {
        let (name, words) = rest.split_once(' ').expect("a name and two texts");
        let words: Vec<String> =
            serde_json::Deserializer::from_str(words).into_iter().map(|w| w.expect("JSON")).collect();
        let [old, new] = &words[..] else { panic!("two texts") };
        let uri = self.uri(name);
        let (text, version) = self.open.get_mut(name).expect("an open file");
        let at = text.find(old).expect("the old text");
        let range = json!({ "start": position(text, at), "end": position(text, at + old.len()) });
        *text = text.replacen(old, new, 1);
        *version += 1;
        let params = json!({
            "textDocument": { "uri": uri, "version": *version },
            "contentChanges": [{ "range": range, "text": new }],
        });
        self.notify("textDocument/didChange", &params);
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.session().notify(method, params);
    }

    fn request(&mut self, rest: &str) {
        let (rest, show) = rest.split_once(" show ").map_or((rest, None), |(r, s)| (r, Some(s)));
        let (method, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let (mut params, rest) = self.place(rest);
        let rest = rest.trim().replace("$DIR", &self.dir.path().display().to_string());
        if !rest.is_empty() {
            let more: Value = serde_json::from_str(&rest).expect("JSON");
            let object = params.as_object_mut().expect("an object");
            object.extend(more.as_object().expect("an object").clone());
        }
        let answer = self.session().request(method, &params);
        self.answer(answer, show);
    }

    /// The parameters for `NAME`, `NAME@"text"` or `NAME>"text"`, and what follows.
    fn place<'t>(&self, rest: &'t str) -> (Value, &'t str) {
        let end = rest.find(['@', '>', ' ']).unwrap_or(rest.len());
        let name = &rest[..end];
        if name.is_empty() || name.starts_with('{') {
            return (json!({}), rest);
        }
        let mut params = json!({ "textDocument": { "uri": self.uri(name) } });
        let after = &rest[end..];
        if !after.starts_with(['@', '>']) {
            return (params, after);
        }
        let mut read = serde_json::Deserializer::from_str(&after[1..]).into_iter::<String>();
        let needle = read.next().expect("a text").expect("JSON");
        let (text, _) = &self.open[name];
        let start = text.find(&needle).unwrap_or_else(|| panic!("`{needle}` is in the text"));
        let stop = start + needle.len();
        params["position"] = if after.starts_with('@') { position(text, start + 1) } else { position(text, stop) };
        params["range"] = json!({ "start": position(text, start), "end": position(text, stop) });
        (params, &after[1 + read.byte_offset()..])
    }

    fn answer(&mut self, answer: Value, show: Option<&str>) {
        let shown = match show {
            Some(key) => {
                let mut found = Vec::new();
                collect(&answer, key, &mut found);
                if key == "data" {
                    found = token_lines(&found);
                }
                let more = found.len().saturating_sub(SHOWN);
                found.truncate(SHOWN);
                if more > 0 {
                    found.push(json!(format!("… and {more} more")));
                }
                Value::Array(found)
            }
            None => answer,
        };
        let text = serde_json::to_string_pretty(&shown).expect("JSON");
        let text = text.replace(&self.dir.path().display().to_string(), "$DIR");
        text.lines().for_each(|line| self.out += &format!("< {line}\n"));
    }
}

/// Five numbers in a line.
fn token_lines(data: &[Value]) -> Vec<Value> {
    let numbers: Vec<String> = data.iter().filter_map(Value::as_array).flatten().map(Value::to_string).collect();
    numbers.chunks(5).map(|token| json!(token.join(" "))).collect()
}

/// Everything below that has a key.
fn collect(value: &Value, key: &str, found: &mut Vec<Value>) {
    match value {
        Value::Object(map) => {
            for (name, inner) in map {
                if name == key {
                    found.push(inner.clone());
                } else {
                    collect(inner, key, found);
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|inner| collect(inner, key, found)),
        _ => {}
    }
}

/// Line and column in UTF-16, as the editor of these tests counts.
fn position(text: &str, at: usize) -> Value {
    let before = &text[..at];
    let start = before.rfind('\n').map_or(0, |n| n + 1);
    let units = before[start..].encode_utf16().count();
    json!({ "line": before.matches('\n').count(), "character": units })
}
