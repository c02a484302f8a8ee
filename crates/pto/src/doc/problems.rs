//! The page of all diagnostics.

use super::html::{document, escape, inline};
use crate::isa::codes::{CODES, Entry};

/// The file of the page. The id of a diagnostic is an anchor in it.
pub(super) const FILE: &str = "diagnostics.html";

pub(super) fn page() -> String {
    let link = |e: &Entry| format!("<a href=\"#{0}\">{0}</a>\n", e.code);
    let entries: String = CODES.iter().map(section).collect();
    let main = format!(
        "<div class=\"columns\">\n<nav class=\"side\">\n<a href=\"index.html\">All instructions</a>\n<h2>Diagnostics</h2>\n{}</nav>\n\
         <main>\n<h1>Diagnostics</h1>\n<p class=\"summary\">What each means and how to fix it. <code>pto explain</code> shows one.</p>\n\
         {entries}</main>\n</div>\n",
        CODES.iter().map(link).collect::<String>(),
    );
    document("Diagnostics · PTO instructions", "<a class=\"home\" href=\"index.html\">PTO instructions</a>", &main)
}

fn section(entry: &Entry) -> String {
    let (id, title, text) = (entry.code.id(), inline(entry.title), inline(entry.text));
    let example = match entry.example {
        "" => String::new(),
        program => format!(
            "<figure><figcaption>Example</figcaption><pre><code>{}</code></pre></figure>\n",
            escape(program.trim_end())
        ),
    };
    format!("<section id=\"{id}\">\n<h2><a href=\"#{id}\">{id}</a>: {title}</h2>\n<p>{text}</p>\n{example}</section>\n")
}
