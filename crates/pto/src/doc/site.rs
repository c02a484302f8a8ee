//! The reference as a set of files: a list of the instructions and one of the host operations, a page for each of both, the
//! diagnostics.

use super::frame::{PageFrame, SearchEntry, search_file, shared_files};
use super::html::{contents, escape, inline, sections};
use super::{content, problems, words};
use crate::isa::{Family, Op, Target, table};
use pto_isa::text;
use pto_isa::text::translate;

const FILTER: &str = include_str!("filter.js");

/// The file that lists the instructions.
pub const INSTRUCTIONS_FILE: &str = "instructions.html";

/// The reference by itself, in the current language: every file with what is in it. Nothing outside the set is referred to.
///
/// ```
/// let files = pto::doc::reference();
/// assert!(files.iter().any(|file| file.name == "instructions.html"));
/// assert!(files.iter().any(|file| file.name == "tmax.html" && file.text.contains("pto.tmax")));
/// ```
pub fn reference() -> Vec<File> {
    let frame = PageFrame::new()
        .link(text!("Instructions"), INSTRUCTIONS_FILE)
        .link(text!("Host operations"), host_file())
        .link(text!("Diagnostics"), problems::FILE);
    let mut files = pages(&frame);
    files.extend(shared_files());
    files.push(search_file(&search_entries()));
    files
}

/// The pages of the reference in the current language, as part of a site.
pub fn pages(frame: &PageFrame) -> Vec<File> {
    let ops: Vec<Op> = table::isa().collect();
    let host_ops = host_ops();
    let mut files = vec![
        File::new(INSTRUCTIONS_FILE, index(frame, &ops)),
        File::new(host_file(), host(frame, &host_ops)),
        File::new(problems::FILE, problems::page(frame)),
    ];
    for list in [&ops, &host_ops] {
        files.extend((0..list.len()).map(|at| File::new(&page_file(list[at]), page(frame, list, at))));
    }
    files
}

/// What a search finds in the reference: instructions, operations and diagnostics.
pub fn search_entries() -> Vec<SearchEntry> {
    let entry = |op: Op| {
        let row = op.row();
        SearchEntry {
            title: row.name.to_uppercase(),
            kind: row.family.title().to_string(),
            summary: translate(row.summary()).replace('`', ""),
            link: page_file(op),
        }
    };
    table::isa().chain(host_ops()).map(entry).chain(problems::search_entries()).collect()
}

/// A file of a site.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct File {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub text: String,
}

impl File {
    /// A file of this name.
    pub fn new(name: &str, text: String) -> Self {
        Self { name: name.to_string(), text }
    }
}

/// The file an instruction's page is in.
pub fn page_file(op: Op) -> String {
    format!("{}.html", op.row().name)
}

/// The file that lists the host operations.
pub fn host_file() -> &'static str {
    "host.html"
}

/// The families of a list of operations, in order.
fn families(ops: &[Op]) -> Vec<Family> {
    let mut found: Vec<Family> = ops.iter().map(|op| op.row().family).collect();
    found.dedup();
    found
}

fn anchor(family: Family) -> String {
    format!("{family:?}").to_lowercase()
}

fn page(frame: &PageFrame, ops: &[Op], at: usize) -> String {
    let op = ops[at];
    let page = content::page(op);
    let row = op.row();
    let family = escape(row.family.title());
    let (list, name) = match row.family.is_isa() {
        true => (INSTRUCTIONS_FILE, text!("Instructions")),
        false => (host_file(), text!("Host operations")),
    };
    let trail = format!(
        "<nav class=\"trail\"><a href=\"{list}\">{name}</a><a href=\"{list}#{}\">{family}</a><span class=\"gap\"></span>{}{}</nav>\n",
        anchor(row.family),
        neighbour(at.checked_sub(1).map(|a| ops[a]), "prev", "←"),
        neighbour(ops.get(at + 1).copied(), "next", "→"),
    );
    let facts: String = page
        .facts
        .iter()
        .map(|(name, text)| format!("<dt>{}</dt><dd>{}</dd>\n", escape(translate(name)), escape(text)))
        .collect();
    let here = format!("<h2>{}</h2>\n{}", text!("On this page"), contents(&page));
    let more = format!("<h2>{family}</h2>\n{}", siblings(ops, op));
    let main = format!(
        "{trail}<h1>{}</h1>\n<p class=\"summary\">{}</p>\n<dl class=\"facts\">\n{facts}</dl>\n{}",
        escape(&page.title),
        inline(page.summary),
        sections(&page),
    );
    frame.document(&page_file(op), &page.title, (&here, &more), &main)
}

fn neighbour(op: Option<Op>, rel: &str, arrow: &str) -> String {
    let Some(op) = op else { return String::new() };
    let name = escape(op.row().name);
    let text = if rel == "prev" { format!("{arrow} {name}") } else { format!("{name} {arrow}") };
    format!("<a rel=\"{rel}\" href=\"{}\">{text}</a>", escape(&page_file(op)))
}

/// Links to the instructions of the same family.
fn siblings(ops: &[Op], this: Op) -> String {
    let link = |op: &Op| {
        let current = if *op == this { " aria-current=\"page\"" } else { "" };
        format!("<a href=\"{}\"{current}>{}</a>\n", escape(&page_file(*op)), escape(op.row().name))
    };
    ops.iter().filter(|op| op.row().family == this.row().family).map(link).collect()
}

fn index(frame: &PageFrame, ops: &[Op]) -> String {
    let options: String = Target::ALL.iter().map(|t| format!("<option>{t}</option>")).collect();
    let (narrow, target, all) = (text!("Show only …"), text!("Target"), text!("all targets"));
    let filter = format!(
        "<p class=\"filter\"><input id=\"find\" type=\"search\" placeholder=\"{narrow}\" aria-label=\"{narrow}\">\
         <select id=\"target\" aria-label=\"{target}\"><option value=\"\">{all}</option>{options}</select></p>\n"
    );
    let families = families(ops);
    let link = |f: &Family| format!("<a href=\"#{}\">{}</a>\n", anchor(*f), escape(f.title()));
    let side: String = families.iter().map(link).collect();
    let here = format!("<h2>{}</h2>\n{side}", text!("Families"));
    let (elsewhere, host) = (text!("Elsewhere"), text!("Host operations"));
    let more = format!("<h2>{elsewhere}</h2>\n<a href=\"{}\">{host}</a>\n", host_file());
    let groups: String = families.iter().map(|&f| group(ops, f)).collect();
    let targets: String = Target::ALL
        .iter()
        .map(|t| format!("<dt>{t}</dt><dd>{}</dd>\n", escape(translate(t.profile().summary))))
        .collect();
    let main = format!(
        "<h1>{}</h1>\n<dl class=\"facts\">\n{targets}</dl>\n{filter}{groups}<p id=\"none\" hidden>{}</p>\n<script>\n{FILTER}</script>\n",
        text!("{count} instructions", count = ops.len()),
        text!("Nothing found."),
    );
    frame.document(INSTRUCTIONS_FILE, text!("Instructions"), (&here, &more), &main)
}

/// One family of the index.
fn group(ops: &[Op], family: Family) -> String {
    let entry = |op: &Op| {
        let row = op.row();
        let chips: String = row.targets.iter().map(|t| format!("<span class=\"chip\">{t}</span>")).collect();
        format!(
            "<tr data-targets=\"{}\"><td><a href=\"{}\">{}</a></td><td>{}</td><td>{chips}</td></tr>\n",
            words::targets(row.targets),
            escape(&page_file(*op)),
            escape(row.name),
            inline(translate(row.summary())),
        )
    };
    let rows: String = ops.iter().filter(|op| op.row().family == family).map(entry).collect();
    let (id, title) = (anchor(family), escape(family.title()));
    format!(
        "<section class=\"family\" id=\"{id}\">\n<h2><a href=\"#{id}\">{title}</a></h2>\n\
         <table class=\"list\"><tbody>\n{rows}</tbody></table>\n</section>\n"
    )
}

fn host_ops() -> Vec<Op> {
    table::all().filter(|op| !op.row().family.is_isa()).collect()
}

/// The host operations: names and what they do.
fn host(frame: &PageFrame, ops: &[Op]) -> String {
    let group = |f: Family| {
        let entry = |op: &Op| {
            let (name, summary) = (escape(&op.row().full_name()), inline(translate(op.row().summary())));
            format!("<tr><td><a href=\"{}\">{name}</a></td><td>{summary}</td></tr>\n", escape(&page_file(*op)))
        };
        let rows: String = ops.iter().filter(|op| op.row().family == f).map(entry).collect();
        let (id, title) = (anchor(f), escape(f.title()));
        format!(
            "<section id=\"{id}\">\n<h2><a href=\"#{id}\">{title}</a></h2>\n<table class=\"list\"><tbody>\n{rows}</tbody></table>\n</section>\n"
        )
    };
    let families = families(ops);
    let link = |f: &Family| format!("<a href=\"#{}\">{}</a>\n", anchor(*f), escape(f.title()));
    let side: String = families.iter().map(link).collect();
    let groups: String = families.into_iter().map(group).collect();
    let main = format!(
        "<h1>{}</h1>\n<p class=\"summary\">{}</p>\n{groups}",
        text!("Host operations"),
        text!("What programs are glued with: scalars, addresses, functions and control flow."),
    );
    frame.document(host_file(), text!("Host operations"), (&side, ""), &main)
}
