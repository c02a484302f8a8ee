//! The reference as a set of files: an index, a list of the host operations, a page for each of both, the diagnostics, a stylesheet.

use super::html::{contents, document, escape, inline, sections};
use super::{content, problems, words};
use crate::isa::{Family, Op, Target, table};

const STYLE: &str = include_str!("style.css");
const FILTER: &str = include_str!("filter.js");

/// Every file of the reference: its name and what is in it. Nothing outside the set is referred to.
///
/// ```
/// let files = pto::doc::reference();
/// assert!(files.iter().any(|file| file.name == "index.html"));
/// assert!(files.iter().any(|file| file.name == "tmax.html" && file.text.contains("pto.tmax")));
/// ```
pub fn reference() -> Vec<File> {
    let ops: Vec<Op> = table::isa().collect();
    let host_ops = host_ops();
    let file = |name: &str, text: String| File { name: name.to_string(), text };
    let mut files = vec![
        file("index.html", index(&ops)),
        file(host_file(), host(&host_ops)),
        file(problems::FILE, problems::page()),
        file("style.css", STYLE.to_string()),
    ];
    for list in [&ops, &host_ops] {
        files.extend((0..list.len()).map(|at| file(&page_file(list[at]), page(list, at))));
    }
    files
}

/// A file of the reference.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct File {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub text: String,
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

fn page(ops: &[Op], at: usize) -> String {
    let op = ops[at];
    let page = content::page(op);
    let row = op.row();
    let family = escape(row.family.title());
    let list = if row.family.is_isa() { "index.html" } else { host_file() };
    let header = format!(
        "<a class=\"home\" href=\"index.html\">PTO instructions</a>\
         <a href=\"{list}#{}\">{family}</a><span class=\"gap\"></span>{}{}",
        anchor(row.family),
        neighbour(at.checked_sub(1).map(|a| ops[a]), "prev", "←"),
        neighbour(ops.get(at + 1).copied(), "next", "→"),
    );
    let facts: String =
        page.facts.iter().map(|(name, text)| format!("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(text))).collect();
    let main = format!(
        "<div class=\"columns\">\n<nav class=\"side\">\n<h2>On this page</h2>\n{}<h2>{family}</h2>\n{}</nav>\n\
         <main>\n<h1>{}</h1>\n<p class=\"summary\">{}</p>\n<dl class=\"facts\">\n{facts}</dl>\n{}</main>\n</div>\n",
        contents(&page),
        siblings(ops, op),
        escape(&page.title),
        inline(page.summary),
        sections(&page),
    );
    document(&format!("{} · PTO instructions", page.title), &header, &main)
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

fn index(ops: &[Op]) -> String {
    let options: String = Target::ALL.iter().map(|t| format!("<option>{t}</option>")).collect();
    let header = format!(
        "<a class=\"home\" href=\"index.html\">PTO instructions</a><span class=\"gap\"></span>\
         <input id=\"find\" type=\"search\" placeholder=\"Search {} instructions\" aria-label=\"Search\" autofocus>\
         <select id=\"target\" aria-label=\"Target\"><option value=\"\">all targets</option>{options}</select>",
        ops.len()
    );
    let families = families(ops);
    let link = |f: &Family| format!("<a href=\"#{}\">{}</a>\n", anchor(*f), escape(f.title()));
    let side: String = families.iter().map(link).collect();
    let groups: String = families.iter().map(|&f| group(ops, f)).collect();
    let targets: String =
        Target::ALL.iter().map(|t| format!("<dt>{t}</dt><dd>{}</dd>\n", escape(t.profile().summary))).collect();
    let main = format!(
        "<div class=\"columns\">\n<nav class=\"side\">\n<h2>Families</h2>\n{side}\
         <h2>Elsewhere</h2>\n<a href=\"{}\">Host operations</a>\n<a href=\"{}\">Diagnostics</a>\n</nav>\n\
         <main>\n<h1>PTO instructions</h1>\n<dl class=\"facts\">\n{targets}</dl>\n{groups}\
         <p id=\"none\" hidden>Nothing of that name.</p>\n</main>\n</div>\n<script>\n{FILTER}</script>\n",
        host_file(),
        problems::FILE,
    );
    document("PTO instructions", &header, &main)
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
            inline(row.summary()),
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
fn host(ops: &[Op]) -> String {
    let group = |f: Family| {
        let entry = |op: &Op| {
            let (name, summary) = (escape(&op.row().full_name()), inline(op.row().summary()));
            format!("<tr><td><a href=\"{}\">{name}</a></td><td>{summary}</td></tr>\n", escape(&page_file(*op)))
        };
        let rows: String = ops.iter().filter(|op| op.row().family == f).map(entry).collect();
        let (id, title) = (anchor(f), escape(f.title()));
        format!(
            "<section id=\"{id}\">\n<h2><a href=\"#{id}\">{title}</a></h2>\n<table class=\"list\"><tbody>\n{rows}</tbody></table>\n</section>\n"
        )
    };
    let groups: String = families(ops).into_iter().map(group).collect();
    let header = "<a class=\"home\" href=\"index.html\">PTO instructions</a>";
    let main = format!(
        "<div class=\"columns\">\n<nav class=\"side\">\n<a href=\"index.html\">All instructions</a>\n</nav>\n<main>\n\
         <h1>Host operations</h1>\n<p class=\"summary\">What programs are glued with: scalars, addresses, functions and \
         control flow.</p>\n{groups}</main>\n</div>\n"
    );
    document("Host operations · PTO instructions", header, &main)
}
