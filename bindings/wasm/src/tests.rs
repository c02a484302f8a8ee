//! What the page asks, without a browser.

use super::*;

fn ask(request: &Json) -> Json {
    serde_json::from_str(&PageSession::new().call(&request.to_string())).expect("an answer is JSON")
}

fn editor(what: &str, text: &str, at: usize) -> Json {
    ask(&json!({ "ide": what, "text": text, "target": "a5", "at": at }))
}

const PROGRAM: &str = "// größer 𝄞\nfunc.func @f(%t: !pto.tile_buf<vec, 16x16xf32>, %n: index) {\n  pto.tmaxx ins(%t, %t) outs(%t)\n  return\n}\n";

/// As JavaScript counts.
fn units(text: &str, part: &str) -> usize {
    text[..text.find(part).expect("in the text")].encode_utf16().count()
}

#[test]
fn problems_have_places_and_fixes() {
    let answer = editor("analyse", PROGRAM, 0);
    let problem = &answer["problems"][0];
    let at = units(PROGRAM, "pto.tmaxx");
    assert_eq!((&problem["id"], &problem["start"]), (&json!("PTO-E0004"), &json!(at)), "{answer:#}");
    let edit = &problem["edits"][0];
    let (start, end) = (edit["start"].as_u64().expect("a number"), edit["end"].as_u64().expect("a number"));
    let mut text: Vec<u16> = PROGRAM.encode_utf16().collect();
    text.splice(start as usize..end as usize, edit["text"].as_str().expect("a text").encode_utf16());
    let fixed = String::from_utf16(&text).expect("a text");
    assert_eq!(editor("analyse", &fixed, 0)["problems"], json!([]), "{fixed}");
    assert!(answer["tokens"].as_array().is_some_and(|tokens| tokens.len() > 10), "{answer:#}");
}

#[test]
fn names_have_cards_and_completions() {
    let text = PROGRAM.replace("tmaxx", "tmax");
    let card = editor("hover", &text, units(&text, "tmax ins"));
    assert!(card["markdown"].as_str().is_some_and(|m| m.contains("TMAX")), "{card:#}");
    let items = editor("completions", &text, units(&text, "pto.tmax") + 8);
    assert!(items["items"].as_array().is_some_and(|i| i.iter().any(|c| c["label"] == "pto.tmaxs")), "{items:#}");
    let parameters = editor("parameters", &text, 0);
    let expected = json!([{ "name": "t", "kind": "memory" }, { "name": "n", "kind": "scalar" }]);
    assert_eq!(parameters["parameters"], expected);
}

#[test]
fn requests_that_make_no_sense_are_answered() {
    assert!(PageSession::new().call("{").contains("error"));
    for request in [json!({}), json!({ "command": 3 }), json!({ "ide": "nonsense" }), json!([])] {
        assert!(ask(&request)["error"].is_string(), "{request}");
    }
    // A cursor outside of the text is at its end.
    for what in ["hover", "completions", "analyse"] {
        assert!(editor(what, "%ä", 99)["error"].is_null());
    }
}

#[test]
fn commands_keep_files() {
    let mut session = PageSession::new();
    session.put("k.pto", b"func.func @f(%y: !pto.tensor_view<16x64xf32>) {\n  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32>\n  pto.tload ins(%y) outs(%t)\n  pto.tstore ins(%t) outs(%y)\n  return\n}\n".to_vec());
    let words = ["run", "k.pto", "y=ones", "--out", "y=y.npy"];
    let answer: Json = serde_json::from_str(&session.call(&json!({ "command": words }).to_string())).expect("JSON");
    assert_eq!(answer["code"], 0, "{answer:#}");
    assert!(session.take("y.npy").is_some_and(|bytes| bytes.starts_with(b"\x93NUMPY")));
    assert!(session.take("y.npy").is_none() && session.take("k.pto").is_some());
}
