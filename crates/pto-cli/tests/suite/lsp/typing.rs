//! Random edits through the protocol: the server has the text of the editor, whatever columns count.

use super::session::Session;
use pto::{Program, Target};
use pto_testkit::corpus::corpus;
use pto_testkit::random::Random;
use serde_json::{Value, json};

const PIECES: &[&str] = &["%", "é", "𝄞", "\n", "\r\n", "pto.tmax", "}", "(", "%a, ", "// ", "x", "", "", "中\n"];

/// A column of an encoding, counted by hand.
fn column(encoding: &str, part: &str) -> usize {
    match encoding {
        "utf-8" => part.len(),
        "utf-16" => part.encode_utf16().count(),
        _ => part.chars().count(),
    }
}

fn position(encoding: &str, text: &str, at: usize) -> Value {
    // `\r` alone ends a line, too, and between `\r` and `\n` there is no position.
    let before = text[..at].replace("\r\n", "\n").replace('\r', "\n");
    let line = before.rsplit('\n').next().unwrap_or_default();
    json!({ "line": before.matches('\n').count(), "character": column(encoding, line) })
}

/// The last byte up to a position where an edit may start or end.
fn boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    let fits =
        |at: &usize| text.is_char_boundary(*at) && !(text[..*at].ends_with('\r') && text[*at..].starts_with('\n'));
    (0..=at).rev().find(fits).unwrap_or(0)
}

/// The codes of what is published for a version.
fn published(session: &mut Session, version: i32) -> Vec<String> {
    loop {
        let params = session.wait("textDocument/publishDiagnostics");
        if params["version"] == version {
            let list = params["diagnostics"].as_array().cloned().unwrap_or_default();
            return list.iter().map(|d| d["code"].as_str().unwrap_or_default().to_string()).collect();
        }
    }
}

#[test]
fn the_server_follows_every_edit() {
    let mut random = Random(11);
    let texts: Vec<String> = corpus().iter().filter_map(|p| std::fs::read_to_string(p).ok()).collect();
    for encoding in ["utf-8", "utf-16", "utf-32"] {
        let mut session = Session::start();
        session.initialize(&json!({ "capabilities": { "general": { "positionEncodings": [encoding] } } }));
        let small: Vec<&String> = texts.iter().filter(|t| t.len() < 3000).collect();
        let mut text = (*random.pick(&small)).clone();
        let file = json!({ "uri": "file:///a.pto", "languageId": "pto", "version": 0, "text": text });
        session.notify("textDocument/didOpen", &json!({ "textDocument": file }));
        for version in 1..=40 {
            let start = boundary(&text, random.below(text.len() + 1));
            let end = boundary(&text, start + random.below(12)).max(start);
            let piece = random.pick(PIECES);
            let range = json!({ "start": position(encoding, &text, start), "end": position(encoding, &text, end) });
            text.replace_range(start..end, piece);
            let document = json!({ "uri": "file:///a.pto", "version": version });
            let changes = json!([{ "range": range, "text": piece }]);
            session.notify("textDocument/didChange", &json!({ "textDocument": document, "contentChanges": changes }));
            if version % 4 == 0 {
                let program = Program::parse(&text);
                let target = program.stated_target().unwrap_or(Target::A2A3);
                let wanted: Vec<String> = program.inspect(target).iter().map(|d| d.code.id()).collect();
                assert_eq!(published(&mut session, version), wanted, "{encoding}: {text}");
            }
        }
        assert_eq!(session.end(), Some(0));
    }
}
