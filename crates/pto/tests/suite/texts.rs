//! Every text has a translation, with the same placeholders, and every translation has a text.

use super::tidy::files;
use pto::isa::text::{placeholders, prose, translations};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The catalogue of the command line, whose keys are in its definition and not in `text!`.
const OF_COMMANDS: &str = "help.txt";

/// A text of the program.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Key {
    english: String,
    has_values: bool,
}

/// The string literal at the start of a source, and what follows it.
fn literal(source: &str) -> Option<(String, &str)> {
    let mut rest = source.strip_prefix('"')?;
    let mut text = String::new();
    loop {
        let at = rest.find(['"', '\\'])?;
        text.push_str(&rest[..at]);
        let escape = &rest[at..];
        if let Some(after) = escape.strip_prefix('"') {
            return Some((text, after));
        }
        let kind = escape[1..].chars().next()?;
        rest = &escape[1 + kind.len_utf8()..];
        match kind {
            'n' => text.push('\n'),
            '\n' => rest = rest.trim_start(),
            'u' => {
                let (number, after) = rest.strip_prefix('{')?.split_once('}')?;
                text.push(char::from_u32(u32::from_str_radix(number, 16).ok()?)?);
                rest = after;
            }
            other => text.push(other),
        }
    }
}

/// The texts of `text!` and `text_key!` in a file.
fn templates(source: &str) -> Vec<Key> {
    let code: Vec<&str> = source.lines().filter(|l| !l.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let of = |name: &'static str| code.match_indices(name).map(|(at, name)| code[at + name.len()..].trim_start());
    let uses = of("text!(").chain(of("text_key!("));
    let keys = uses.filter_map(|rest| {
        let (english, after) = literal(rest)?;
        let after = after.trim_start();
        let has_values = after.strip_prefix(',').is_some_and(|rest| !rest.trim_start().starts_with(')'));
        Some(Key { english, has_values })
    });
    keys.collect()
}

fn keys() -> BTreeSet<Key> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut sources = Vec::new();
    files(&crates, "rs", &mut sources);
    let in_program = |path: &Path| {
        let path = path.to_string_lossy();
        path.contains("/src/") && !path.contains("pto-testkit") && !path.contains("/target/")
    };
    let mut keys = BTreeSet::new();
    for path in sources.iter().filter(|p| in_program(p)) {
        keys.extend(templates(&std::fs::read_to_string(path).expect("it can be read")));
    }
    assert!(keys.len() > 1000, "only {} texts were found", keys.len());
    keys.extend(prose().into_iter().map(|english| Key { english, has_values: false }));
    keys
}

/// As a line of the catalogue.
fn line(tag: &str, text: &str) -> String {
    format!("{tag} {}\n", text.replace('\\', "\\\\").replace('\n', "\\n"))
}

/// `MISSING=FILE` writes the texts without a translation to a file.
#[test]
fn every_text_has_a_translation() {
    let known: BTreeSet<String> = translations().map(|t| t.english).collect();
    let missing: Vec<String> =
        keys().into_iter().map(|k| k.english).filter(|k| !known.contains(k)).map(|k| line("en", &k)).collect();
    if let Some(file) = std::env::var_os("MISSING") {
        std::fs::write(file, missing.concat()).expect("it can be written");
    }
    assert!(
        missing.is_empty(),
        "{} texts without a translation, first:\n{}",
        missing.len(),
        missing[..missing.len().min(20)].concat()
    );
}

#[test]
fn every_translation_is_of_a_text_and_has_its_placeholders() {
    let values: BTreeMap<String, bool> = keys().into_iter().map(|k| (k.english, k.has_values)).collect();
    let (mut wrong, mut seen) = (Vec::new(), BTreeSet::new());
    for t in translations() {
        let sorted = |text: &str| placeholders(text).into_iter().map(String::from).collect::<BTreeSet<_>>();
        match values.get(&t.english) {
            None if t.file != OF_COMMANDS => wrong.push(format!("{}: no text `{}`", t.file, t.english)),
            Some(true) if sorted(&t.english) != sorted(&t.text) => {
                wrong.push(format!("{}: other placeholders in `{}`", t.file, t.text));
            }
            _ => {}
        }
        if !seen.insert(t.english.clone()) {
            wrong.push(format!("{}: `{}` twice", t.file, t.english));
        }
        // A name in backquotes is the same in every language.
        let quoted = |text: &str| {
            let parts: Vec<&str> = text.split('`').collect();
            parts.into_iter().skip(1).step_by(2).map(String::from).collect::<BTreeSet<_>>()
        };
        if quoted(&t.english) != quoted(&t.text) {
            wrong.push(format!("{}: other names in backquotes: `{}`", t.file, t.text));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn templates_are_found_in_source() {
    let source =
        "let a = text!(\n  \"one \\\n   {two} \\\"x\\\"\", two = 2);\n/// text!(\"not this\")\nb(text!(\"three\"));";
    let found: Vec<(String, bool)> = templates(source).into_iter().map(|k| (k.english, k.has_values)).collect();
    assert_eq!(found, [("one {two} \"x\"".to_string(), true), ("three".to_string(), false)]);
}
