//! The page: what happened, moment by moment, for a browser.

use super::PageSelection;
use super::collect::{Collector, PageData};
use super::store::base64;
use super::summary::core_names;
use crate::files;
use pto::isa::{text, text_key};
use pto::trace::Recording;
use serde::Serialize;
use std::collections::BTreeMap;

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const MODEL: &str = include_str!("page/model.js");
const HEAT: &str = include_str!("page/heat.js");
const SCRIPT: &str = include_str!("page/page.js");

/// What the page says; the script looks texts up by these names and puts parts in for `{0}`.
const WORDS: [(&str, &str); 51] = [
    ("title", text_key!("{0} on {1}: {2} moments")),
    ("nameless", text_key!("(no name)")),
    ("moment", text_key!("moment {0}: {1}, line {2}")),
    ("where", text_key!("moment {0} of {1}")),
    ("line", text_key!("line {0}")),
    ("iteration", text_key!("iteration {0}")),
    ("click_line", text_key!("go to the next moment of this line")),
    ("read", text_key!("read")),
    ("write", text_key!("written")),
    ("pinned", text_key!("watched")),
    ("farther", text_key!("zoom out")),
    ("closer", text_key!("zoom in")),
    ("fit", text_key!("show everything")),
    ("unpin", text_key!("do not watch it any longer")),
    ("blank", text_key!("uninitialised")),
    ("all_valid", text_key!("all valid")),
    ("valid", text_key!("valid {0}x{1}")),
    ("changed", text_key!("{0} of {1} changed")),
    ("changed_at", text_key!("{0} of {1} changed at moment {2}")),
    ("first_rows", text_key!("the first {0} of {1} rows")),
    ("no_tiles", text_key!("This moment reads and writes no tile.")),
    ("trail", text_key!("way back:")),
    ("click_element", text_key!("Click an element to see which instruction wrote it, and from which elements.")),
    ("written_by", text_key!("written by")),
    ("before_page", text_key!("written before the moments of this page, or an argument of the program")),
    ("given", text_key!("an argument of the program")),
    ("uninitialised", text_key!("nothing has written it")),
    ("input", text_key!("input {0}[{1}]")),
    ("or_before", text_key!("(or written before the moments of this page)")),
    ("not_traced", text_key!("It is not known from what.")),
    ("from_nothing", text_key!("It depends on no operand.")),
    ("elements", text_key!("({0} elements)")),
    ("inexact", text_key!("which of them is not known")),
    ("computed_from", text_key!("from")),
    ("go_back", text_key!("go back to what wrote it")),
    ("bytes", text_key!("bytes {0} to {1}")),
    ("unplaced", text_key!("{0}, no addresses")),
    ("size", text_key!("{0}, {1} KiB")),
    ("pipes", text_key!("Pipes")),
    ("program", text_key!("Program")),
    ("operands", text_key!("Operands")),
    ("memory", text_key!("Memory")),
    (
        "keys",
        text_key!(
            "arrow keys: step · Shift and arrow keys: ten steps · Home, End: first and last moment · Ctrl and wheel: zoom a tile · drag: move it · double click: numbers"
        ),
    ),
    ("go_first", text_key!("first moment")),
    ("go_before", text_key!("previous moment")),
    ("go_next", text_key!("next moment")),
    ("go_last", text_key!("last moment")),
    ("time", text_key!("time")),
    ("core", text_key!("core")),
    ("pin", text_key!("Watch a tile:")),
    ("all_cores", text_key!("all cores")),
];

/// A page, and what it leaves out.
pub(super) struct ViewPage {
    pub text: String,
    pub note: Option<String>,
}

#[derive(Serialize)]
struct PageContent<'a> {
    words: BTreeMap<&'static str, &'static str>,
    file: &'a str,
    target: &'static str,
    source: &'a str,
    note: &'a str,
    cores: Vec<String>,
    /// The first moment.
    from: usize,
    /// Moments are missing, so that bytes may have been written by others.
    partial: bool,
    #[serde(flatten)]
    data: &'a PageData,
}

pub(super) fn page(recording: &Recording, selection: &PageSelection, limit: u64) -> ViewPage {
    let source = recording.source();
    let fixed =
        [PAGE, STYLE, MODEL, HEAT, SCRIPT].iter().map(|part| part.len()).sum::<usize>() + source.text.len() + 8000;
    let (data, bytes, wanted) = Collector::new(recording).collect(selection, limit.saturating_sub(fixed as u64));
    let note = note(recording, selection, data.moments.len(), wanted, limit);
    let shown = PageContent {
        words: WORDS.iter().map(|(name, words)| (*name, text::translate(words))).collect(),
        file: &source.name,
        target: source.target.name(),
        source: source.text.trim_end(),
        note: note.as_deref().unwrap_or(""),
        cores: core_names(recording),
        from: selection.moments.start,
        partial: selection.moments.start > 0 || !selection.only.is_empty() || recording.is_selective(),
        data: &data,
    };
    // A page may not end its script early.
    let data = serde_json::to_string(&shown).unwrap_or_default().replace('<', "\\u003c");
    let parts = [
        ("@LANG@", text::language().tag()),
        ("@STYLE@", STYLE),
        ("@DATA@", &data),
        ("@BYTES@", &base64(&bytes)),
        ("@MODEL@", MODEL),
        ("@HEAT@", HEAT),
        ("@SCRIPT@", SCRIPT),
    ];
    ViewPage { text: filled(&parts), note }
}

/// The page with its parts. Parts stand in the order in which the page names them, so that one that contains such a name is no problem.
fn filled(parts: &[(&str, &str)]) -> String {
    let (mut text, mut rest) = (String::new(), PAGE);
    for (name, part) in parts {
        if let Some((before, after)) = rest.split_once(name) {
            text += before;
            text += part;
            rest = after;
        }
    }
    text + rest
}

/// What the page does not show.
fn note(recording: &Recording, selection: &PageSelection, kept: usize, wanted: usize, limit: u64) -> Option<String> {
    let (count, first) = (recording.len(), selection.moments.start + 1);
    let mut parts = Vec::new();
    if selection.moments.len() < count {
        parts.push(text!(
            "The page shows moments {first} to {last} of {count}.",
            first,
            last = selection.moments.end,
            count
        ));
    }
    if !selection.only.is_empty() {
        parts.push(text!("It shows the {wanted} moments that read or write the values that were asked for.", wanted));
    }
    if kept < wanted {
        parts.push(text!(
            "The page ends after {kept} of {wanted} moments, at its limit of {limit}; --limit, --moments and --only choose others.",
            kept,
            wanted,
            limit = files::size(limit as usize)
        ));
    }
    parts.extend(recording.left_out().map(|what| text!("In the recording, {what}.", what)));
    (!parts.is_empty()).then(|| parts.join(" "))
}
