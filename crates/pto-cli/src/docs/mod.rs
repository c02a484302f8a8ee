//! `pto doc`

#[cfg(not(target_family = "wasm"))]
mod markdown;
#[cfg(not(target_family = "wasm"))]
mod pages;
#[cfg(not(target_family = "wasm"))]
mod site;

use super::files;
use super::{CommandResult, Failure, Outcome, isa, json, out};
use pto::doc;
use pto::isa::text;
use pto::isa::{Op, table};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Mnemonic, in any case: `TMAX`, `pto.tmax`
    #[arg(required_unless_present = "all")]
    name: Option<String>,
    /// Print the row of the instruction as JSON
    #[arg(long, conflicts_with = "all")]
    json: bool,
    /// Write the whole site as HTML: guide, language, instructions, diagnostics and documents, in English and Chinese
    #[arg(long, requires = "out", conflicts_with = "name")]
    all: bool,
    /// Directory for the site; created if it does not exist
    #[arg(long, value_name = "DIR", requires = "all")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> CommandResult {
    if let (true, Some(dir)) = (args.all, args.out.as_deref()) {
        return write_site(dir);
    }
    let op = find(args.name.as_deref().unwrap_or_default())?;
    if args.json {
        json::print(&isa::json(op))?;
    } else {
        out(&doc::terminal_page(op, width()))?;
    }
    Ok(Outcome::Clean)
}

/// The width of the terminal if known, clamped to a readable width.
fn width() -> usize {
    super::render::columns().unwrap_or(96).clamp(60, 110)
}

/// The documents are large, and a page in a browser has no folders.
#[cfg(target_family = "wasm")]
fn write_site(dir: &std::path::Path) -> CommandResult {
    Err(files::failed(dir, &std::io::ErrorKind::Unsupported.into()))
}

fn find(name: &str) -> Result<Op, Failure> {
    let lower = name.to_lowercase();
    table::find(&lower).ok_or_else(|| {
        let similar = table::similar(&lower);
        let hint = match similar.is_empty() {
            true => text!("`pto isa` lists all").to_string(),
            false => text!("similar: {names}", names = similar.join(", ")),
        };
        Failure(text!("there is no instruction `{name}`; {hint}", name, hint))
    })
}

#[cfg(not(target_family = "wasm"))]
fn write_site(dir: &std::path::Path) -> CommandResult {
    let files = site::files();
    for file in &files {
        let path = dir.join(&file.name);
        files::write_below(&path, &file.bytes)?;
    }
    let pages = files.iter().filter(|file| file.name.ends_with(".html")).count();
    let bytes = files.iter().map(|file| file.bytes.len()).sum();
    let index = dir.join("index.html");
    super::warn(&text!(
        "wrote {pages} pages ({size}), starting at {index}",
        pages,
        size = files::size(bytes),
        index = index.display()
    ));
    Ok(Outcome::Clean)
}
