//! The report as an HTML page: findings, and beside or below them the program, with both lines of a finding marked and its fix
//! where it belongs.

use crate::Failure;
use crate::files;
use crate::input::InputText;
use pto::Target;
use pto::doc::{escape, inline};
use pto::isa::ordered::OrdSet;
use pto::isa::sort::SharedSort;
use pto::isa::{Diagnostic, Edit, Label, text};
use pto::race::RaceReport;
use pto::syntax::Lines;
use serde_json::json;
use std::fmt::Write as _;
use std::path::Path;

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// Writes the page; it appears whole or not at all.
pub(super) fn write(path: &Path, source: &InputText, target: Target, report: &RaceReport) -> Result<(), Failure> {
    files::write_report(path, &page(source, target, report))
}

pub(crate) fn page(source: &InputText, target: Target, report: &RaceReport) -> String {
    let lines = Lines::new(&source.text);
    let count = match report.findings.len() {
        0 => text!("no race found").to_string(),
        1 => text!("1 finding").to_string(),
        n => text!("{n} findings", n),
    };
    let name = escape(&source.name);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\"><title>{name}: {count}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width\"><link rel=\"icon\" href=\"data:,\">\n\
         <style>\n{STYLE}</style></head><body>\n\
         <header><h1>{name}</h1><span>{}</span></header>\n",
        text::language().tag(),
        text!("{count} in {instructions} instructions for {target}", count, instructions = report.instructions, target)
    );
    page += "<section id=\"findings\">\n";
    let mut findings: Vec<&Diagnostic> = report.findings.iter().collect();
    findings.shared_sort_by_key(|d| d.primary.span.start);
    page.extend(findings.into_iter().map(|finding| card(finding, &lines)));
    if report.findings.is_empty() {
        let _ = writeln!(page, "<p class=\"clean\">{}</p>", text!("All accesses to the same bytes are ordered."));
    }
    page += "</section>\n<section id=\"source\">\n";
    page += &listing(source, report, &lines);
    let _ = write!(page, "</section>\n<script>\n{SCRIPT}</script></body></html>\n");
    page
}

/// A finding: what, why, how to repair it, and where to look.
fn card(d: &Diagnostic, lines: &Lines) -> String {
    let place = |l: &Label| json!({ "line": lines.locate(l.span.start).0, "text": l.text });
    let places: Vec<_> = std::iter::once(&d.primary).chain(&d.labels).map(place).collect();
    let edit = |e: &Edit| json!({ "line": lines.locate(e.position()).0, "last": lines.locate(e.end()).0, "change": e.change.name(), "text": e.text });
    let edits: Vec<_> = d.edits.iter().map(edit).collect();
    let (places, edits) = (escape(&json!(places).to_string()), escape(&json!(edits).to_string()));
    let why: String = d.legal.iter().map(|text| format!("<p class=\"why\">{}</p>", inline(text))).collect();
    let help = d.help_lines(|at| lines.locate(at).0);
    let steps = help.iter().skip(1).map(|text| format!("<li><code>{}</code></li>", escape(text)));
    let steps: String = steps.collect();
    let advice = help.first().map(|text| format!("<p class=\"help\">{}</p>", inline(text))).unwrap_or_default();
    let help = if steps.is_empty() { advice } else { format!("{advice}<ul>{steps}</ul>") };
    format!(
        "<button class=\"finding {}\" aria-pressed=\"false\" data-places=\"{places}\" data-edits=\"{edits}\"><span class=\"id\">{} · {}</span>\
         <p class=\"message\">{}</p>{why}{help}</button>\n",
        d.severity.name(),
        d.code,
        text!("line {line}", line = lines.locate(d.primary.span.start).0),
        inline(&d.message),
    )
}

fn listing(source: &InputText, report: &RaceReport, lines: &Lines) -> String {
    let touched: OrdSet<u32> = report.findings.iter().map(|d| lines.locate(d.primary.span.start).0).collect();
    let mut text = String::new();
    for (at, line) in source.text.lines().enumerate() {
        let number = at as u32 + 1;
        let class = if touched.contains(&number) { "row touched" } else { "row" };
        let _ = writeln!(
            text,
            "<div class=\"{class}\" data-line=\"{number}\"><span class=\"n\">{number}</span><span>{}</span></div>",
            escape(line)
        );
    }
    text
}
