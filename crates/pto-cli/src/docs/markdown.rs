//! A document as HTML: headings with anchors, and links that lead to pages of the site.

use pto::doc::escape;
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use std::collections::HashMap;
use std::fmt::Write;

/// A heading.
pub(super) struct Heading {
    pub(super) level: HeadingLevel,
    pub(super) text: String,
    pub(super) anchor: String,
}

/// A document that was converted.
pub(super) struct Converted {
    pub(super) html: String,
    pub(super) headings: Vec<Heading>,
}

impl Converted {
    /// The heading of the document itself.
    pub(super) fn title(&self) -> &str {
        self.headings.first().map_or("", |h| h.text.as_str())
    }
}

/// Where texts of a document lead.
pub(super) trait Links {
    /// Where a link or a picture leads; a link that leads nowhere becomes plain text.
    fn resolve(&self, link: &str) -> Option<String>;

    /// The page about a word: an instruction, or the id of a diagnostic.
    fn about(&self, word: &str) -> Option<String>;
}

/// Converts a document.
pub(super) fn convert(text: &str, links: &impl Links) -> Converted {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let events: Vec<Event<'_>> = Parser::new_ext(text, options).collect();
    let headings = headings(&events);
    let (mut at, mut dropped) = (0, Vec::new());
    // Words in these are left alone.
    let mut inside = 0;
    let events = events.into_iter().filter_map(|event| {
        match &event {
            Event::Start(Tag::Heading { .. } | Tag::Link { .. } | Tag::CodeBlock(_) | Tag::Image { .. }) => inside += 1,
            Event::End(TagEnd::Heading(_) | TagEnd::Link | TagEnd::CodeBlock | TagEnd::Image) => inside -= 1,
            _ => {}
        }
        match event {
            Event::Code(word) if inside == 0 => Some(match links.about(&word) {
                Some(to) => {
                    Event::InlineHtml(format!("<a href=\"{}\"><code>{}</code></a>", escape(&to), escape(&word)).into())
                }
                None => Event::Code(word),
            }),
            Event::Text(text) if inside == 0 && text.contains("PTO-") => {
                Some(Event::InlineHtml(linked(&text, links).into()))
            }
            Event::Start(Tag::Heading { .. }) => {
                at += 1;
                let Heading { level, anchor, .. } = &headings[at - 1];
                Some(Event::Html(format!("<{level} id=\"{0}\"><a href=\"#{0}\">", escape(anchor)).into()))
            }
            Event::End(TagEnd::Heading(level)) => Some(Event::Html(format!("</a></{level}>\n").into())),
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let to = links.resolve(&dest_url);
                dropped.push(to.is_none());
                to.map(|to| Event::Start(Tag::Link { link_type, dest_url: CowStr::from(to), title, id }))
            }
            Event::End(TagEnd::Link) => (!dropped.pop().unwrap_or(false)).then_some(event),
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                let to = links.resolve(&dest_url).unwrap_or_default();
                Some(Event::Start(Tag::Image { link_type, dest_url: CowStr::from(to), title, id }))
            }
            other => Some(other),
        }
    });
    let mut out = String::new();
    html::push_html(&mut out, events);
    Converted { html: out, headings }
}

/// Text with the ids of diagnostics as links.
fn linked(text: &str, links: &impl Links) -> String {
    let mut out = String::new();
    for (at, part) in text.split("PTO-").enumerate() {
        let id = if at == 0 { "" } else { part.get(..5).unwrap_or("") };
        match links.about(&format!("PTO-{id}")) {
            Some(to) => {
                let _ = write!(out, "<a href=\"{}\">PTO-{id}</a>{}", escape(&to), escape(&part[id.len()..]));
            }
            None => out += &escape(&if at == 0 { part.to_string() } else { format!("PTO-{part}") }),
        }
    }
    out
}

/// The headings in order, each with an anchor of its own.
fn headings(events: &[Event<'_>]) -> Vec<Heading> {
    let (mut found, mut seen) = (Vec::<Heading>::new(), HashMap::<String, usize>::new());
    let mut open = false;
    for event in events {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                found.push(Heading { level: *level, text: String::new(), anchor: String::new() });
                open = true;
            }
            Event::End(TagEnd::Heading(_)) => {
                open = false;
                let Some(heading) = found.last_mut() else { continue };
                let anchor = anchor(&heading.text);
                let count = seen.entry(anchor.clone()).or_default();
                heading.anchor = if *count == 0 { anchor } else { format!("{anchor}-{count}") };
                *count += 1;
            }
            Event::Text(text) | Event::Code(text) if open => {
                found.last_mut().into_iter().for_each(|h| h.text.push_str(text));
            }
            _ => {}
        }
    }
    found
}

/// The anchor that links to a heading name: as on the usual hosts of repositories.
fn anchor(text: &str) -> String {
    let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Links to one page and one diagnostic.
    struct Few;

    impl Links for Few {
        fn resolve(&self, link: &str) -> Option<String> {
            (link == "b.md").then(|| "b.html".to_string())
        }

        fn about(&self, word: &str) -> Option<String> {
            matches!(word, "PTO-E0001" | "tmax").then(|| format!("{word}.html"))
        }
    }

    #[test]
    fn headings_can_be_linked_to() {
        let converted = convert("# A `tile`\n\n## Same\n\n## Same\n", &Few);
        let anchors: Vec<_> = converted.headings.iter().map(|h| h.anchor.as_str()).collect();
        assert_eq!(anchors, ["a-tile", "same", "same-1"]);
        assert!(converted.html.contains("<h2 id=\"same-1\"><a href=\"#same-1\">Same</a></h2>"), "{}", converted.html);
    }

    #[test]
    fn a_link_that_leads_nowhere_is_text() {
        assert_eq!(convert("[a](b.md) [c](d.rs)", &Few).html, "<p><a href=\"b.html\">a</a> c</p>\n");
    }

    #[test]
    fn instructions_and_diagnostics_are_links() {
        let html = convert("`tmax` < PTO-E0001, PTO-E9999 and `x`", &Few).html;
        let tmax = "<a href=\"tmax.html\"><code>tmax</code></a>";
        let code = "<a href=\"PTO-E0001.html\">PTO-E0001</a>";
        assert_eq!(html, format!("<p>{tmax} &lt; {code}, PTO-E9999 and <code>x</code></p>\n"));
    }
}
