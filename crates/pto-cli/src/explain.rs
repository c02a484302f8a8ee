//! `pto explain`

use super::{CommandResult, Failure, Outcome, json, out};
use pto::isa::codes::{CODES, Code, Entry};
use pto::isa::text;
use serde::Serialize;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The id of a diagnostic, `PTO-E0214` for example
    #[arg(required_unless_present = "list")]
    id: Option<String>,
    /// List every id with its title
    #[arg(long)]
    list: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct JsonList {
    diagnostics: Vec<JsonTitle>,
}

#[derive(Serialize)]
struct JsonTitle {
    id: String,
    title: &'static str,
}

#[derive(Serialize)]
struct JsonExplanation {
    #[serde(flatten)]
    title: JsonTitle,
    text: &'static str,
    /// A program that has the problem, or nothing.
    example: &'static str,
}

impl JsonTitle {
    fn of(entry: &Entry) -> Self {
        Self { id: entry.code.id(), title: entry.title }
    }
}

pub(crate) fn run(args: &Args) -> CommandResult {
    let Some(id) = args.id.as_deref().filter(|_| !args.list) else {
        if args.json {
            json::print(&JsonList { diagnostics: CODES.iter().map(JsonTitle::of).collect() })?;
            return Ok(Outcome::Clean);
        }
        for e in CODES {
            out(&format!("{}  {}\n", e.code, e.title))?;
        }
        return Ok(Outcome::Clean);
    };
    let code = Code::parse(id)
        .ok_or_else(|| Failure(text!("there is no diagnostic `{id}`; `pto explain --list` lists all", id)))?;
    let entry = code.entry();
    if args.json {
        json::print(&JsonExplanation { title: JsonTitle::of(entry), text: entry.text, example: entry.example })?;
        return Ok(Outcome::Clean);
    }
    let mut text = format!("{}: {}\n\n{}\n", entry.code, entry.title, fold(entry.text, 78));
    if !entry.example.is_empty() {
        text += "\nExample:\n\n";
        for line in entry.example.lines() {
            text += &format!("    {line}\n");
        }
    }
    out(&text)?;
    Ok(Outcome::Clean)
}

/// Breaks a paragraph at a width.
fn fold(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        if column > 0 && column + 1 + word.chars().count() > width {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += word.chars().count();
    }
    out
}
