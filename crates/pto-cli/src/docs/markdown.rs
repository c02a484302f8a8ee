//! A document as HTML: headings with anchors, and links that lead to pages of the site.

use pto::doc::escape;
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use std::collections::HashMap;

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

/// Converts a document. `resolve` says where a link or a picture leads from there; a link that leads nowhere becomes plain text.
pub(super) fn convert(text: &str, resolve: impl Fn(&str) -> Option<String>) -> Converted {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let events: Vec<Event<'_>> = Parser::new_ext(text, options).collect();
    let headings = headings(&events);
    let (mut at, mut dropped) = (0, Vec::new());
    let events = events.into_iter().filter_map(|event| match event {
        Event::Start(Tag::Heading { .. }) => {
            at += 1;
            let Heading { level, anchor, .. } = &headings[at - 1];
            Some(Event::Html(format!("<{level} id=\"{0}\"><a href=\"#{0}\">", escape(anchor)).into()))
        }
        Event::End(TagEnd::Heading(level)) => Some(Event::Html(format!("</a></{level}>\n").into())),
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let to = resolve(&dest_url);
            dropped.push(to.is_none());
            to.map(|to| Event::Start(Tag::Link { link_type, dest_url: CowStr::from(to), title, id }))
        }
        Event::End(TagEnd::Link) => (!dropped.pop().unwrap_or(false)).then_some(event),
        Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
            let to = resolve(&dest_url).unwrap_or_default();
            Some(Event::Start(Tag::Image { link_type, dest_url: CowStr::from(to), title, id }))
        }
        other => Some(other),
    });
    let mut out = String::new();
    html::push_html(&mut out, events);
    Converted { html: out, headings }
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

    #[test]
    fn headings_can_be_linked_to() {
        let converted = convert("# A `tile`\n\n## Same\n\n## Same\n", |_| None);
        let anchors: Vec<_> = converted.headings.iter().map(|h| h.anchor.as_str()).collect();
        assert_eq!(anchors, ["a-tile", "same", "same-1"]);
        assert!(converted.html.contains("<h2 id=\"same-1\"><a href=\"#same-1\">Same</a></h2>"), "{}", converted.html);
    }

    #[test]
    fn a_link_that_leads_nowhere_is_text() {
        let converted = convert("[a](b.md) [c](d.rs)", |to| (to == "b.md").then(|| "b.html".to_string()));
        assert_eq!(converted.html, "<p><a href=\"b.html\">a</a> c</p>\n");
    }
}
