//! How long an editor waits for `pto lsp`, measured at its end of the protocol.
//!
//! Starts the server, opens programs of 100 to 100,000 lines, types a letter into a name in the middle and takes it out again, and
//! prints the median and the longest time until the problems of that version arrive; then the same for questions about the text
//! after a keystroke. Machines differ; compare numbers of one run.

#[path = "../tests/suite/lsp/session.rs"]
mod session;

use serde_json::{Value, json};
use session::Session;
use std::time::Instant;

/// Softmax over and over, under different names: a realistic mix of views, loads, vector work and loops.
fn functions(lines: usize) -> String {
    let example = include_str!("../../../examples/softmax.pto");
    let (head, function) = example.split_at(example.find("func.func").expect("a function"));
    let count = lines.div_ceil(function.lines().count());
    let functions = (0..count).map(|n| function.replace("@softmax", &format!("@softmax_{n}")));
    head.to_string() + &functions.collect::<String>()
}

/// One function without loops.
fn one_function(lines: usize) -> String {
    let line = "  pto.tadd ins(%a, %b) outs(%a)\n";
    let tile = "!pto.tile_buf<vec, 16x16xf32>";
    format!("func.func @f(%a: {tile}, %b: {tile}) {{\n{}  return\n}}\n", line.repeat(lines))
}

/// A program that is open in the server.
struct OpenProgram {
    session: Session,
    uri: String,
    version: i64,
    /// The position behind the sigil of a name in the middle.
    line: usize,
    column: usize,
}

impl OpenProgram {
    fn new(text: &str) -> Self {
        let mut session = Session::start();
        session.initialize(&json!({ "capabilities": {} }));
        let uri = "file:///bench.pto".to_string();
        let file = json!({ "uri": uri, "languageId": "pto", "version": 0, "text": text });
        session.notify("textDocument/didOpen", &json!({ "textDocument": file }));
        let at = text.len() / 2 + text[text.len() / 2..].find('%').expect("a value") + 1;
        let line = text[..at].matches('\n').count();
        let column = at - text[..at].rfind('\n').map_or(0, |n| n + 1);
        let mut program = Self { session, uri, version: 0, line, column };
        program.published();
        program
    }

    /// Waits for the problems of the last version.
    fn published(&mut self) -> usize {
        loop {
            let params = self.session.wait("textDocument/publishDiagnostics");
            if params["version"] == self.version {
                return params["diagnostics"].as_array().map_or(0, Vec::len);
            }
        }
    }

    /// Types a letter or takes it out, and waits for the problems; milliseconds.
    fn keystroke(&mut self) -> f64 {
        self.version += 1;
        let typed = self.version % 2 == 1;
        let (line, start) = (self.line, self.column);
        let end = start + usize::from(!typed);
        let range = json!({ "start": { "line": line, "character": start }, "end": { "line": line, "character": end } });
        let change = json!({ "range": range, "text": if typed { "z" } else { "" } });
        let document = json!({ "uri": self.uri, "version": self.version });
        let begin = Instant::now();
        let params = json!({ "textDocument": document, "contentChanges": [change] });
        self.session.notify("textDocument/didChange", &params);
        assert_eq!(self.published() > 0, typed, "a letter more is a problem");
        begin.elapsed().as_secs_f64() * 1e3
    }

    /// Asks about the text after a keystroke, of which nothing is computed but the problems; milliseconds.
    fn question(&mut self, method: &str, more: &Value) -> f64 {
        self.keystroke();
        let mut params = json!({ "textDocument": { "uri": self.uri } });
        for (name, value) in more.as_object().into_iter().flatten() {
            params[name] = value.clone();
        }
        let begin = Instant::now();
        let answer = self.session.request(method, &params);
        assert!(answer.get("code").is_none(), "{method}: {answer}");
        (self.session.arrived() - begin).as_secs_f64() * 1e3
    }
}

fn report(name: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    let longest = times.last().copied().unwrap_or_default();
    println!("  {name:28} {:8.2} ms, at most {longest:8.2} ms", times[times.len() / 2]);
}

fn measure(name: &str, text: &str) {
    let lines = text.lines().count();
    println!("{name}, {lines} lines ({:.1} MB)", text.len() as f64 / 1e6);
    let mut program = OpenProgram::new(text);
    let runs = if lines > 50_000 { 8 } else { 30 };
    report("keystroke to diagnostics", (0..runs).map(|_| program.keystroke()).collect());
    let at = |column: usize| json!({ "line": program.line, "character": column });
    let position = json!({ "position": at(program.column) });
    let screen = json!({ "range": {
        "start": { "line": program.line.saturating_sub(30), "character": 0 },
        "end": { "line": program.line + 30, "character": 0 },
    } });
    // The problem is at the name that the letter has changed.
    let problem = json!({ "range": { "start": at(program.column), "end": at(program.column) }, "context": { "diagnostics": [] } });
    for (method, more) in [
        ("textDocument/codeAction", &problem),
        ("textDocument/hover", &position),
        ("textDocument/completion", &position),
        ("textDocument/semanticTokens/full", &json!({})),
        ("textDocument/semanticTokens/range", &screen),
        ("textDocument/inlayHint", &screen),
        ("textDocument/documentSymbol", &json!({})),
        ("textDocument/foldingRange", &json!({})),
    ] {
        let times = (0..runs).map(|_| program.question(method, more)).collect();
        report(method.trim_start_matches("textDocument/"), times);
    }
    program.session.end();
}

fn main() {
    for lines in [100, 1000, 10_000, 100_000] {
        measure("functions", &functions(lines));
        measure("one function", &one_function(lines));
    }
}
