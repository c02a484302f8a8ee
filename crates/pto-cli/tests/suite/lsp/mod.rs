//! `pto lsp`, talked to as an editor does.
//!
//! `conversations/*.lsp` are recorded: lines that start with `>` are what the editor does, those with `|` a text, those with `<`
//! what the server answers. `BLESS=1` writes the answers anew. What the editor does:
//!
//! - `> write NAME` puts the text below it into a file, `> copy NAME PATH` a file of the repository, `> bytecode NAME PROGRAM` bytecode
//! - `> initialize JSON` starts; without it, a usual editor is assumed
//! - `> open NAME` opens the file, `> change NAME "old" "new"` replaces the first such text, `> save NAME`, `> close NAME`
//! - `> request METHOD NAME@"text" JSON show KEY` asks at the second character of a text; `NAME>"text"` behind it. The range is the text. The
//!   JSON is added to the parameters; `show` keeps only what has this key.
//! - `> notify METHOD JSON`, `> wait METHOD show KEY`

mod conversation;
mod session;
mod typing;

use conversation::Conversation;
use serde_json::json;
use session::Session;
use std::path::{Path, PathBuf};

fn conversations() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/lsp/conversations");
    let entries = std::fs::read_dir(dir).expect("conversations").flatten().map(|e| e.path());
    let mut files: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "lsp")).collect();
    files.sort();
    files
}

#[test]
fn conversations_go_as_recorded() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    for path in conversations() {
        let recorded = std::fs::read_to_string(&path).expect("a conversation");
        let held = Conversation::hold(&recorded);
        if held == recorded {
            continue;
        }
        if bless {
            std::fs::write(&path, &held).expect("the conversation can be written");
        } else {
            let differs = recorded.lines().zip(held.lines()).find(|(a, b)| a != b);
            wrong.push(format!("{}: {differs:?}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An editor types in a huge file: every answer is that of the last text, and a burst is read once.
#[test]
fn huge_files_are_answered() {
    let line = "  pto.tadd ins(%a, %a) outs(%a)\n";
    let head = "func.func @f(%a: !pto.tile_buf<vec, 16x16xf32>) {\n";
    let text = format!("{head}{}  return\n}}\n", line.repeat(30_000));
    let mut session = Session::start();
    session.initialize(&json!({ "capabilities": {} }));
    let file = json!({ "uri": "file:///huge.pto", "languageId": "pto", "version": 1, "text": text });
    session.notify("textDocument/didOpen", &json!({ "textDocument": file }));
    assert_eq!(session.wait("textDocument/publishDiagnostics")["diagnostics"], json!([]));
    let id = json!({ "uri": "file:///huge.pto" });
    for version in 2..30 {
        let at = json!({ "line": 20_000, "character": 2 });
        let change = json!({ "range": { "start": at, "end": at }, "text": "x" });
        let document = json!({ "uri": "file:///huge.pto", "version": version });
        session.notify("textDocument/didChange", &json!({ "textDocument": document, "contentChanges": [change] }));
    }
    let hover = session
        .request("textDocument/hover", &json!({ "textDocument": id, "position": { "line": 1, "character": 7 } }));
    assert!(hover["contents"]["value"].as_str().is_some_and(|text| text.contains("TADD")), "{hover}");
    loop {
        let published = session.wait("textDocument/publishDiagnostics");
        if published["version"] == 29 {
            assert_eq!(published["diagnostics"][0]["code"], "PTO-E0004", "{published}");
            break;
        }
    }
    assert_eq!(session.end(), Some(0));
}

/// What no editor sends is answered with an error, or ignored.
#[test]
fn wrong_messages_do_not_end_the_server() {
    let mut session = Session::start();
    session.initialize(&json!({ "capabilities": {}, "initializationOptions": 7 }));
    session.notify("textDocument/didOpen", &json!({ "textDocument": 3 }));
    session.notify(
        "textDocument/didChange",
        &json!({ "textDocument": { "uri": "file:///no.pto", "version": 1 }, "contentChanges": [] }),
    );
    session.notify("$/cancelRequest", &json!({ "id": 99 }));
    session.notify("no/such", &json!(null));
    session.send_raw("{ no JSON");
    session.send_raw("");
    session.send_raw("7");
    for (method, params) in [
        ("textDocument/hover", json!(null)),
        (
            "textDocument/hover",
            json!({ "textDocument": { "uri": "file:///no.pto" }, "position": { "line": 0, "character": 0 } }),
        ),
        ("no/such", json!({})),
        ("workspace/executeCommand", json!({ "command": "rm" })),
        ("workspace/executeCommand", json!({ "command": "pto.run", "arguments": [] })),
        ("pto/textOf", json!({ "textDocument": { "uri": "file:///no/such.ptobc" } })),
    ] {
        let answer = session.request(method, &params);
        assert!(answer["code"].is_i64(), "{method}: {answer}");
    }
    assert_eq!(session.end(), Some(0));
}

/// An editor shows what a user reads, which is no JSON.
#[test]
fn reports_are_shown_as_text() {
    let text = "func.func @f() attributes {pto.entry} {\n  return\n}\n";
    let mut session = Session::start();
    session.initialize(&json!({ "capabilities": {} }));
    let file = json!({ "uri": "file:///short.pto", "languageId": "pto", "version": 1, "text": text });
    session.notify("textDocument/didOpen", &json!({ "textDocument": file }));
    let id =
        session.ask("workspace/executeCommand", &json!({ "command": "pto.plan", "arguments": ["file:///short.pto"] }));
    let shown = session.wait("window/showMessage")["message"].clone();
    let report = session.answer_to(id);
    let (shown, report) = (shown.as_str().expect("a text"), report.as_str().expect("a report"));
    assert_eq!(shown, format!("pto plan\n{report}"));
    assert_eq!(session.end(), Some(0));
}

/// A command that takes long is ended, and its request is answered.
#[test]
fn commands_are_cancelled() {
    let text = "func.func @f() attributes {pto.entry} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %many = arith.constant 4000000000000 : index
  scf.for %i = %zero to %many step %one {
    %j = arith.addi %i, %one : index
  }
  return
}\n";
    let mut session = Session::start();
    session.initialize(&json!({ "capabilities": {} }));
    let file = json!({ "uri": "file:///long.pto", "languageId": "pto", "version": 1, "text": text });
    session.notify("textDocument/didOpen", &json!({ "textDocument": file }));
    let id = session
        .ask("workspace/executeCommand", &json!({ "command": "pto.race", "arguments": ["file:///long.pto", "f"] }));
    // The server answers others meanwhile.
    session.request("textDocument/foldingRange", &json!({ "textDocument": { "uri": "file:///long.pto" } }));
    session.notify("$/cancelRequest", &json!({ "id": id }));
    assert_eq!(session.answer_to(id)["code"], -32800);
    assert_eq!(session.end(), Some(0));
}
