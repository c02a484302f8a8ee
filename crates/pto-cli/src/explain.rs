//! `pto explain`

use super::{CommandResult, Failure, Outcome, json, out};
use pto::doc;
use pto::isa::codes::{CODES, Code, Entry};
use pto::isa::text;
use pto::isa::text::translate;
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
            out(&format!("{}  {}\n", e.code, translate(e.title)))?;
        }
        return Ok(Outcome::Clean);
    };
    let code = find(id)?;
    let entry = code.entry();
    if args.json {
        json::print(&JsonExplanation { title: JsonTitle::of(entry), text: entry.text, example: entry.example })?;
        return Ok(Outcome::Clean);
    }
    out(&page(entry))?;
    Ok(Outcome::Clean)
}

/// The code of an id.
pub(crate) fn find(id: &str) -> Result<Code, Failure> {
    Code::parse(id).ok_or_else(|| Failure(text!("there is no diagnostic `{id}`; `pto explain --list` lists all", id)))
}

/// What a diagnostic means, and a program that has it.
pub(crate) fn page(entry: &Entry) -> String {
    let mut text =
        format!("{}: {}\n\n{}\n", entry.code, translate(entry.title), doc::wrap(translate(entry.text), 78).join("\n"));
    if !entry.example.is_empty() {
        text += text!("\nExample:\n\n");
        for line in entry.example.lines() {
            text += &format!("    {line}\n");
        }
    }
    text
}
