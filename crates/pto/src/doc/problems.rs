//! The page of all diagnostics.

use super::frame::{PageFrame, SearchEntry};
use super::html::{escape, inline};
use crate::isa::codes::{CODES, Entry};
use pto_isa::text;
use pto_isa::text::translate;

/// The file of all diagnostics. The id of a diagnostic is an anchor in it.
pub const FILE: &str = "diagnostics.html";

pub(super) fn page(frame: &PageFrame) -> String {
    let link = |e: &Entry| format!("<a href=\"#{0}\">{0}</a>\n", e.code);
    let side = format!("<h2>{}</h2>\n{}", text!("Diagnostics"), CODES.iter().map(link).collect::<String>());
    let main = format!(
        "<h1>{}</h1>\n<p class=\"summary\">{}</p>\n{}",
        text!("Diagnostics"),
        inline(text!("What each means and how to fix it. `pto explain` shows one.")),
        CODES.iter().map(section).collect::<String>()
    );
    frame.document(FILE, text!("Diagnostics"), ("", &side), &main)
}

pub(super) fn search_entries() -> impl Iterator<Item = SearchEntry> {
    CODES.iter().map(|e| SearchEntry {
        title: e.code.id().to_string(),
        kind: text!("Diagnostics").to_string(),
        summary: translate(e.title).replace('`', ""),
        link: format!("{FILE}#{}", e.code.id()),
    })
}

fn section(entry: &Entry) -> String {
    let (id, title, text) = (entry.code.id(), inline(translate(entry.title)), inline(translate(entry.text)));
    let example = match entry.example {
        "" => String::new(),
        program => format!(
            "<figure><figcaption>{}</figcaption><pre><code>{}</code></pre></figure>\n",
            text!("Example"),
            escape(program.trim_end())
        ),
    };
    format!("<section id=\"{id}\">\n<h2><a href=\"#{id}\">{id}</a>: {title}</h2>\n<p>{text}</p>\n{example}</section>\n")
}
